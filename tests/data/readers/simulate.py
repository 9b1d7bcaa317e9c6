"""Reader studies, ratings and folds of a cross-validation, simulated for tests.

Usage: python tests/data/readers/simulate.py

Writes the CSV files in this folder, which are the same in every run with the same version of NumPy
(2.4.6 for the stored files). They have the structure of published data that may not be
redistributed: a factorial study of five readers, one of four readers who hardly differ, one of
three modalities, the first of which was read on other cases, and a split-plot study with missing
readings.
"""

import csv
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
CUTS = (-0.4, 0.4, 1.0, 1.7)


def write(name, columns, rows):
    """Write a CSV file."""
    with (HERE / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerows([columns, *rows])


def ratings(rng, truth, readers, shifts, of_reader, of_both, of_case, common=0.5):
    """Ratings 1 to 5 of Roe and Metz's model, shape (readers, modalities, cases).

    `common` is the share of the variance of cases that modalities have in common.
    """
    case = np.sqrt(common * of_case) * rng.normal(size=truth.size)
    by_modality = np.sqrt((1 - common) * of_case) * rng.normal(size=(len(shifts), truth.size))
    by_reader = np.sqrt(of_reader) * rng.normal(size=readers)
    scores = np.empty((readers, len(shifts), truth.size))
    for r in range(readers):
        for m, shift in enumerate(shifts):
            effect = by_reader[r] + np.sqrt(of_both) * rng.normal()
            noise = np.sqrt(1.0 - of_case) * rng.normal(size=truth.size)
            scores[r, m] = truth * (shift + effect) + case + by_modality[m] + noise
    return 1 + np.digitize(scores, CUTS)


def study(name, table, truth, read):
    """Write the simulated readings of a study."""
    rows = [
        (r + 1, m + 1, c + 1, int(truth[c]), int(table[r, m, c]))
        for r, m, c in np.ndindex(*table.shape)
        if read[r, m, c]
    ]
    write(name, ("reader", "modality", "case", "label", "score"), rows)


def factorial():
    """Five readers, two modalities, 26 positives and 37 negatives."""
    truth = np.repeat([1, 0], [26, 37])
    table = ratings(np.random.default_rng(102), truth, 5, (1.5, 2.0), 0.1, 0.15, 0.4)
    study("factorial", table, truth, np.ones(table.shape, bool))


def agreeing():
    """Four readers who differ less than expected from the cases; the seed was chosen for this."""
    truth = np.repeat([1, 0], [33, 20])
    table = ratings(np.random.default_rng(5), truth, 4, (1.4, 1.5), 0.0, 0.0, 0.6, 1.0)
    study("agreeing", table, truth, np.ones(table.shape, bool))


def three_modalities():
    """Four readers; the first modality was read on other cases than the two others."""
    truth = np.concatenate([np.repeat([1, 0], [19, 30]), np.repeat([1, 0], [22, 33])])
    table = ratings(np.random.default_rng(103), truth, 4, (1.2, 1.3, 1.8), 0.03, 0.06, 0.4)
    read = np.zeros(table.shape, bool)
    read[:, 0, :49] = read[:, 1:, 49:] = True
    study("three_modalities", table, truth, read)


def split_plot():
    """Six readers in two blocks with different cases; one reading in twelve is missing."""
    rng = np.random.default_rng(104)
    truth = np.tile(np.repeat([1, 0], [15, 22]), 2)
    table = ratings(rng, truth, 6, (1.2, 1.7), 0.05, 0.08, 0.3)
    read = rng.random(table.shape) > 1 / 12
    read[:3, :, 37:] = read[3:, :, :37] = False
    study("split_plot", table, truth, read)


def folds():
    """Predictions in five folds on different scales, with two or three rows per subject."""
    rng = np.random.default_rng(105)
    subject = np.repeat(np.arange(120), rng.integers(2, 4, 120))
    fold = subject % 5
    label = ((subject // 5) % 4 == 0).astype(int)
    score = label * 1.1 + rng.normal(size=120)[subject] + rng.normal(size=subject.size)
    score = (score + fold) * (1 + fold / 3)
    rows = zip(
        subject.tolist(), fold.tolist(), label.tolist(), score.round(6).tolist(), strict=True
    )
    write("folds", ("subject", "fold", "label", "score"), rows)


if __name__ == "__main__":
    for make in (factorial, agreeing, three_modalities, split_plot, folds):
        make()
