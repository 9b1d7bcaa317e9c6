"""Simulation of `pauci.mrmc` in the model of Roe and Metz: size, errors, coverage and power.

Run by studies/evidence.py.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr

import pauci
import simulate
import simulate_precision
from evidence_tables import Table, number


class Design(NamedTuple):
    """Readers in blocks; a reader reads all cases of the block in both modalities."""

    readers: int
    blocks: int
    replicates: int
    """Number of studies without a difference; a quarter as many are drawn with a difference."""


DESIGNS = (
    Design(3, 1, 4000),
    Design(5, 1, 4000),
    Design(10, 1, 3000),
    Design(20, 1, 2000),
    Design(8, 2, 3000),
    Design(20, 4, 2000),
)
FEW = (Design(3, 1, 1500), Design(4, 1, 1500))
"""Studies without a difference that are analysed with and without `conservative`."""

PER_BLOCK = 50
"""Cases of each class in a block."""

MEASURES = (
    pauci.AUC(),
    pauci.PAUC(fpr=(0, 0.2)),
    pauci.PAUCc(fpr=(0, 0.2)),
    pauci.AP(),
)
MEAN, SHIFT = 1.5, 0.4
"""Mean score of positives, and its increase in the first modality under the alternative."""

READER, READER_BY_MODALITY = 0.03, 0.03
CASE, CASE_BY_MODALITY, READER_BY_CASE, ERROR = 0.3, 0.3, 0.2, 0.2
"""Variances of the effects on the scores; those of cases add up to 1."""


def readers(share: float = 1.0) -> dict[str, Table]:
    """Return the tables `readers` and `few-readers`."""
    return {"readers": every_design(share), "few-readers": few_readers(share)}


def few_readers(share: float) -> Table:
    """Return the size of tests in studies of few readers, with and without `conservative`."""
    rows = []
    for i, design in enumerate(FEW):
        count = round(design.replicates * share)
        sizes = [
            np.mean(analyses(design, 0.0, count, 150 + i, conservative=c)["pvalue"] < 0.05, axis=0)
            for c in (False, True)
        ]
        rows += [
            [str(design.readers), measure.symbol, *(number(100.0 * s[k]) for s in sizes)]
            for k, measure in enumerate(MEASURES)
        ]
    return [["readers", "measure", "p < 0.05", "p < 0.05, conservative"], *rows]


def reader_averages(replicates: int = 800) -> dict[str, Table]:
    """Return the table `reader-averages`: coverage of averages of few readers near the maximum."""
    n_readers, n_pos, n_neg, mean = 4, 30, 60, 2.5
    reader, place = (a.ravel() for a in np.indices((n_readers, n_pos + n_neg)))
    frame = pd.DataFrame(
        {"reader": reader, "modality": "A", "case": place, "label": (place < n_pos).astype(int)}
    )
    truth, rng = frame["label"].to_numpy(), np.random.default_rng(160)
    # The variances of cases add up to 1; those of readers are as above.
    spread = np.sqrt(READER + READER_BY_MODALITY)
    true = float(ndtr(mean / np.sqrt(2.0 + 2.0 * spread**2)))
    hits = np.zeros(2)
    for _ in range(replicates):
        case = np.sqrt(CASE + CASE_BY_MODALITY) * rng.standard_normal(n_pos + n_neg)
        own = np.sqrt(READER_BY_CASE + ERROR) * rng.standard_normal(len(frame))
        effect = spread * rng.standard_normal((n_readers, 2))
        score = truth * mean + effect[reader, truth] + case[place] + own
        m = pauci.mrmc(pauci.ReaderStudy.from_frame(frame.assign(score=score)), pauci.AUC())
        for k, kind in enumerate((None, "wald")):
            row = m.to_frame(kind=kind).iloc[0]
            hits[k] += row["low"] <= true <= row["high"]
    header = ["readers", "n1/n0", "AUC", "log odds", "Wald"]
    shares = (number(100.0 * h / replicates) for h in hits)
    return {
        "reader-averages": [
            header,
            [str(n_readers), f"{n_pos}/{n_neg}", f"{true:.3f}", *shares],
        ]
    }


def every_design(share: float) -> Table:
    """Return SE/SD, size, coverage and power of the analyses of all designs."""
    rows = []
    true = [expected(m, MEAN + SHIFT) - expected(m, MEAN) for m in MEASURES]
    for i, design in enumerate(DESIGNS):
        count = round(design.replicates * share)
        null = analyses(design, 0.0, count, 130 + i)
        other = analyses(design, SHIFT, count // 4, 140 + i)
        name = "factorial" if design.blocks == 1 else f"split-plot, {design.blocks} blocks"
        for k, measure in enumerate(MEASURES):
            low, high = other["low"][:, k], other["high"][:, k]
            of_null, of_other = (ratio(a["difference"][:, k], a["se"][:, k]) for a in (null, other))
            size, power = (np.mean(a["pvalue"][:, k] < 0.05) for a in (null, other))
            covered = np.mean((low <= true[k]) & (true[k] <= high))
            rows.append(
                [
                    str(design.readers),
                    name,
                    measure.symbol,
                    f"{of_null:.3f}",
                    number(100.0 * size),
                    f"{of_other:.3f}",
                    number(100.0 * covered),
                    number(100.0 * power),
                ]
            )
    header = [
        "readers",
        "design",
        "measure",
        "SE/SD, no difference",
        "p < 0.05",
        "SE/SD, difference",
        "coverage",
        "power",
    ]
    return [header, *rows]


def ratio(differences: np.ndarray, errors: np.ndarray) -> float:
    """Return the root mean squared standard error over the standard deviation."""
    return float(np.sqrt(np.mean(errors**2)) / differences.std(ddof=1))


def expected(measure: pauci.measures.Measure, mean: float) -> float:
    """Return the average of a measure over readers, who differ in the distance of the classes."""
    points, weights = np.polynomial.hermite_e.hermegauss(9)
    # Each reader has an effect on the negatives and one on the positives, as in each modality.
    spread = np.sqrt(2.0 * (READER + READER_BY_MODALITY))
    values = []
    for distance in mean + spread * points:
        population = simulate.binormal(float(distance), 1.0, "reader")
        if isinstance(measure, pauci.AP):
            values.append(simulate_precision.truth(population, measure, 0.5))
        else:
            values.append(simulate.truth(population, measure))
    return float(weights @ values / weights.sum())


def analyses(
    design: Design, shift: float, count: int, seed: int, *, conservative: bool = False
) -> dict[str, np.ndarray]:
    """Return results of `pauci.mrmc` by quantity, as arrays of studies by measures."""
    columns = ("difference", "se", "pvalue", "low", "high")
    found = {name: np.empty((count, len(MEASURES))) for name in columns}
    rng = np.random.default_rng(seed)
    frame = empty(design)
    for i in range(count):
        study = pauci.ReaderStudy.from_frame(frame.assign(score=scores(rng, frame, design, shift)))
        for k, measure in enumerate(MEASURES):
            (d,) = pauci.mrmc(study, measure, conservative=conservative).contrasts
            p = d.inverted_test(0.0, "two-sided").pvalue
            for name, value in zip(columns, (d.value, d.se, p, *d.interval(0.95)), strict=True):
                found[name][i, k] = value
    return found


def empty(design: Design) -> pd.DataFrame:
    """Return the readings of a study without scores."""
    cases = 2 * PER_BLOCK
    reader, modality, place = (a.ravel() for a in np.indices((design.readers, 2, cases)))
    case = reader % design.blocks * cases + place
    return pd.DataFrame(
        {
            "reader": reader,
            "modality": np.where(modality, "B", "A"),
            "case": case,
            "label": (place < PER_BLOCK).astype(int),
        }
    )


def scores(
    rng: np.random.Generator, frame: pd.DataFrame, design: Design, shift: float
) -> np.ndarray:
    """Return scores of one study (Roe and Metz 1997)."""
    truth, case = frame["label"].to_numpy(), frame["case"].to_numpy()
    reader, modality = frame["reader"].to_numpy(), (frame["modality"] == "B").to_numpy().astype(int)
    cases = 2 * PER_BLOCK * design.blocks

    def effect(variance: float, *shape: int) -> np.ndarray:
        return np.sqrt(variance) * rng.standard_normal(shape)

    return (
        truth * (MEAN + shift * (modality == 0))
        + effect(READER, design.readers, 2)[reader, truth]
        + effect(READER_BY_MODALITY, design.readers, 2, 2)[reader, modality, truth]
        + effect(CASE, cases)[case]
        + effect(CASE_BY_MODALITY, cases, 2)[case, modality]
        + effect(READER_BY_CASE, design.readers, cases)[reader, case]
        + effect(ERROR, len(frame))
    )
