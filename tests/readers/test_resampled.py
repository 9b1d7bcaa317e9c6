"""The bootstrap of cases, compared with copies of rows and with influence values."""

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.readers.mrmc import estimate_cells
from pauci.resampling.draws import RowPool
from pauci.resampling.evaluate import Engine
from pauci.sample.rows import Rows
from reader_studies import published, roe_metz, viper

FRAME = roe_metz(np.random.default_rng(5), 4, 25, 30)
SPLIT = roe_metz(np.random.default_rng(6), 6, 20, 25, blocks=3)
AREA = pauci.PAUC(fpr=(0, 0.4))


def study(frame=FRAME, **options):
    return pauci.ReaderStudy.from_frame(frame, **options)


def share_above(y, s):
    """A user-defined function: the proportion of positives above the median of the negatives."""
    return float(np.mean(s[y == 1] > np.median(s[y == 0])))


def engine_of(s, measure, scheme):
    rows = Rows(s.rows.positive, None, None, s.rows.cluster, s.sampling)
    pool = RowPool(rows, [c.ratings for c in s.cells], scheme, 7, index=[c.cases for c in s.cells])
    return Engine(pool, [(k, measure) for k in range(len(s.cells))])


@pytest.mark.parametrize("scheme", ["cohort", "stratified", "cluster"])
@pytest.mark.parametrize("measure", [pauci.AUC(), AREA, pauci.AP(), pauci.MaxKappa()], ids=repr)
def test_replicates_are_those_of_copied_rows(scheme, measure):
    """A case that was drawn k times counts k times in every cell."""
    frame = SPLIT.assign(patient=SPLIT["case"] // 2)
    s = study(frame, cluster="patient" if scheme == "cluster" else None)
    engine = engine_of(s, measure, scheme)
    pool = engine.pool
    values = engine.values(0, 5, 5)
    times = np.concatenate(pool.multinomial(pool.drawn(0, 5)), axis=1)
    order = np.argsort(~s.rows.positive, kind="stable")
    for r in range(5):
        of_case = np.empty(order.size, dtype=int)
        of_case[order] = times[r]
        if scheme == "cluster":
            for patient in range(int(s.rows.cluster.max()) + 1):
                assert np.unique(of_case[s.rows.cluster == patient]).size == 1
        if scheme == "stratified":
            assert of_case[s.rows.positive].sum() == s.n_pos
        for k, cell in enumerate(s.cells):
            copies = np.repeat(np.arange(cell.cases.size), of_case[cell.cases])
            scores = cell.ratings.values.take(copies)  # noqa: PD011
            sample = pauci.Sample(cell.ratings.rows.positive[copies], scores)
            assert values[r, k] == pytest.approx(measure.on(sample.ratings(sample.names[0]).curve))


def only(analysis):
    (row,) = analysis.differences.to_dict("records")
    return row


@pytest.mark.long
@pytest.mark.parametrize("measure", [pauci.AUC(), AREA, pauci.PAUCc(fpr=(0, 0.4))], ids=repr)
@pytest.mark.parametrize("readers", ["random", "fixed"])
@pytest.mark.parametrize("name", ["vandyke", "screeningHighP", "challengeMedP"])
def test_the_bootstrap_of_cases_agrees_with_influence(measure, readers, name):
    """With 4,000 replicates the simulation error of a standard error is 1.1%."""
    s = published(name) if name == "vandyke" else viper(name)
    by_influence = only(pauci.mrmc(s, measure, readers))
    row = only(pauci.mrmc(s, measure, readers, method=pauci.Bootstrap(4000, rng=3)))
    assert row["difference"] == by_influence["difference"]
    assert row["se"] == pytest.approx(by_influence["se"], rel=0.06)
    cases = only(pauci.mrmc(s, measure, cases="fixed", method=pauci.Bootstrap(50, rng=3)))
    assert cases["se"] == only(pauci.mrmc(s, measure, cases="fixed"))["se"]


@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_clusters_are_drawn_whole():
    """Two copies of a case in one cluster are equivalent to one case."""
    frame = FRAME.assign(patient=FRAME["case"])
    again = frame.assign(case=frame["case"] + 1000)
    twice = pd.concat([frame, again], ignore_index=True)
    by = pauci.Bootstrap(4000, rng=3)
    plain = only(pauci.mrmc(study(), pauci.AUC(), "fixed", method=by))["se"]
    clustered = only(pauci.mrmc(study(twice, cluster="patient"), pauci.AUC(), "fixed", method=by))
    torn = only(pauci.mrmc(study(twice), pauci.AUC(), "fixed", method=by))
    assert clustered["se"] == pytest.approx(plain, rel=0.06)
    assert torn["se"] == pytest.approx(plain / np.sqrt(2), rel=0.06)


@pytest.mark.parametrize("cluster", [None, "patient"])
def test_the_seed_gives_the_same_numbers_whatever_the_workers(cluster):
    s = study(FRAME.assign(patient=FRAME["case"] // 2), cluster=cluster)
    matrices = [
        estimate_cells(s, AREA, pauci.Bootstrap(1500, rng=1, n_jobs=jobs)).uncertainty.matrix
        for jobs in (1, 2, 3)
    ]
    assert (matrices[0] == matrices[1]).all()
    assert (matrices[0] == matrices[2]).all()
    other = estimate_cells(s, AREA, pauci.Bootstrap(1500, rng=2)).uncertainty.matrix
    assert not (matrices[0] == other).any()


def test_the_seed_is_reported():
    m = pauci.mrmc(study(), pauci.AUC(), method="bootstrap")
    assert m.method == "bootstrap"
    assert f"bootstrap of cases (2,000 resamples, seed {m.bootstrap.rng})" in " ".join(
        m.summary().split()
    )
    again = pauci.mrmc(study(), pauci.AUC(), method=pauci.Bootstrap(rng=m.bootstrap.rng))
    assert (again.covariance == m.covariance).all()
    generator = np.random.default_rng(5)
    first, second = (
        pauci.mrmc(study(), pauci.AUC(), method=pauci.Bootstrap(50, rng=generator)).bootstrap.rng
        for _ in range(2)
    )
    assert first != second


@pytest.mark.filterwarnings(
    "ignore::pauci.errors.DegenerateWarning", "ignore::pauci.errors.JackknifeWarning"
)
def test_plain_functions_are_resampled():
    m = pauci.mrmc(study(), share_above, method=pauci.Bootstrap(200, rng=1))
    assert only(m)["se"] > 0
    with pytest.raises(pauci.PauciError, match=r"Use method=pauci\.Bootstrap\(\)"):
        pauci.mrmc(study(), share_above)
    by_name = pauci.mrmc(study(), share_above, method="jackknife")
    by_class = pauci.mrmc(study(), share_above, method=pauci.Jackknife())
    pd.testing.assert_frame_equal(by_class.differences, by_name.differences, check_exact=True)


def test_errors():
    few = FRAME[(FRAME["reader"] != "r1") | (FRAME["label"] == 0) | (FRAME["case"] == 0)]
    with pytest.raises(pauci.UndefinedError, match=r"reader 'r1' in modality 'A': .*positive"):
        pauci.mrmc(study(few), pauci.AUC(), method="bootstrap")
    some = FRAME[(FRAME["reader"] != "r1") | (FRAME["label"] == 0) | (FRAME["case"] < 2)]
    with pytest.raises(pauci.UndefinedError, match=r'of r1 \(A\).*method="influence"|method=') as e:
        pauci.mrmc(study(some), pauci.AUC(), method=pauci.Bootstrap(500, rng=1))
    assert "variance=" not in str(e.value)
    with pytest.raises(pauci.InputError, match="scheme='cluster' requires"):
        pauci.mrmc(study(), pauci.AUC(), method=pauci.Bootstrap(scheme="cluster"))
    clustered = study(FRAME.assign(patient=FRAME["case"] // 2), cluster="patient")
    with pytest.raises(pauci.InputError, match="resamples rows"):
        pauci.mrmc(clustered, pauci.AUC(), method=pauci.Bootstrap(scheme="cohort"))
    with pytest.raises(pauci.InputError, match="is too large"):
        pauci.mrmc(study(), pauci.AUC(), method=pauci.Bootstrap(10**8))
