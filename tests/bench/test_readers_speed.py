"""Speed of reader studies on the largest VIPER study: ``python -m pytest -m bench tests/bench -s``.

Times are divided by that of scikit-learn's AUC for each reader in each modality, in the same run.
The readings are in a data frame, and the check of the design is included. The jobs alternate, and
compiled code is loaded before the measurement.
"""

import statistics
import time

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
