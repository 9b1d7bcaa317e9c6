"""Speed of reader studies on the largest VIPER study: ``python -m pytest -m bench tests/bench -s``.

Times are divided by that of scikit-learn's AUC for each reader in each modality, in the same run.
The readings are in a data frame, and the check of the design is included. The jobs alternate, and
compiled code is loaded before the measurement.
"""

import statistics
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import pauci

pytestmark = [pytest.mark.bench, pytest.mark.filterwarnings("ignore::pauci.PauciWarning")]
METHODS = ("influence", "jackknife", "u-statistic", "bootstrap")


def together(*jobs, runs=5):
    """Return the median seconds of several jobs, which alternate to share changes of speed."""
    times = [[] for _ in jobs]
    for _ in range(runs + 1):
        for seconds, job in zip(times, jobs, strict=True):
            start = time.perf_counter()
            job()
            seconds.append(time.perf_counter() - start)
    return [statistics.median(t[1:]) for t in times]


@pytest.fixture(scope="module")
def frame():
    viper = pauci.datasets.load_viper()
    return viper[viper["study"] == "screeningLowP"]


def aucs(frame):
    """Return the AUC of each cell, computed directly from the readings."""
    return [
        roc_auc_score(cell["cancer_365"], cell["score"])
        for _, cell in frame.groupby(["reader", "modality"])
    ]


def analysed(frame, measure, method="influence"):
    study = pauci.ReaderStudy.from_frame(frame, label="cancer_365")
    return pauci.mrmc(study, measure, method=method)


def test_sources_of_covariances(frame, capsys):
    assert len(frame) == 6911
    sklearn, *seconds = together(
        lambda: aucs(frame), *(lambda m=m: analysed(frame, pauci.AUC(), m) for m in METHODS)
    )
    with capsys.disabled():
        for method, t in zip(METHODS, seconds, strict=True):
            print(f"\n{method}: {t * 1e3:.0f} ms, {t / sklearn:.2f} x 40 AUCs of scikit-learn")
    influence, jackknife, u_statistic, bootstrap = seconds
    assert influence <= 0.3 * sklearn
    assert influence < 0.3
    assert jackknife <= 0.8 * sklearn
    assert u_statistic <= 0.8 * sklearn
    assert u_statistic < 3.0
    assert bootstrap <= 5.0 * sklearn


@pytest.mark.parametrize(
    "measure",
    [pauci.PAUC(fpr=(0, 0.2)), pauci.PAUCc(fpr=(0, 0.2)), pauci.AP(), pauci.AUK()],
    ids=repr,
)
def test_measures_by_influence(frame, measure, capsys):
    sklearn, seconds = together(lambda: aucs(frame), lambda: analysed(frame, measure))
    with capsys.disabled():
        print(f"\n{measure}: {seconds * 1e3:.0f} ms, {seconds / sklearn:.2f} x")
    assert seconds <= 0.5 * sklearn
    assert seconds < 0.3


def marks_and_readings():
    """Return marks of 2 x 5 readings of 200 cases and their cases, and ratings of these cases."""
    rng = np.random.default_rng(0)
    n, lesions = 200, np.repeat(np.arange(100, 200), 2)
    parts, readings = [], []
    for modality in "AB":
        for reader in range(5):
            false = rng.integers(0, n, 150)
            hits = lesions[rng.random(lesions.size) < 0.7]
            lesion = np.concatenate([np.full(false.size, np.nan), 1.0 + np.arange(hits.size) % 2])
            case = np.concatenate([false, hits])
            rating = rng.normal(size=case.size) + np.isfinite(lesion)
            columns = {"case": case, "lesion": lesion, "rating": rating}
            parts.append(pd.DataFrame(columns).assign(reader=reader, modality=modality))
            label = (np.arange(n) >= 100).astype(int)
            columns = {"case": np.arange(n), "label": label, "score": rng.normal(size=n) + label}
            readings.append(pd.DataFrame(columns).assign(reader=reader, modality=modality))
    cases = pd.DataFrame({"case": np.arange(n), "lesions": np.where(np.arange(n) < 100, 0, 2)})
    return pd.concat(parts), cases, pd.concat(readings)


def test_marks(capsys):
    marks, cases, readings = marks_and_readings()
    of_marks, of_ratings = together(
        lambda: pauci.mrmc(pauci.ReaderStudy.from_marks(marks, cases), pauci.AUC()),
        lambda: pauci.mrmc(pauci.ReaderStudy.from_frame(readings), pauci.AUC()),
        runs=15,
    )
    million = pd.concat([marks] * 400, ignore_index=True)
    million["case"] += 200 * np.repeat(np.arange(400), len(marks))
    many = pd.concat([cases] * 400, ignore_index=True)
    many["case"] += 200 * np.repeat(np.arange(400), len(cases))
    (read,) = together(lambda: pauci.Sample.from_marks(million, many), runs=3)
    with capsys.disabled():
        print(f"\nmarks: {of_marks * 1e3:.0f} ms, {of_marks / of_ratings:.2f} x ratings")
        print(f"{len(million):,} marks: {read:.2f} s")
    assert of_marks <= 1.5 * of_ratings
    assert read * 1e6 / len(million) < 2.0
