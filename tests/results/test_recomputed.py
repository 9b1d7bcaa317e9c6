"""What is printed of a difference can be recomputed, for every measure and design.

A difference of kind "wald" has t = (difference - null)/SE, p from t and its degrees of freedom, and
the limits difference -/+ t SE. The covariance matrix is that of the contributions.
"""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pauci
from registry import instances

pytestmark = pytest.mark.usefixtures("quiet")

MEASURES = instances((0.2, 0.6))
NULL, EXACT = 0.03, 1e-12
UNDEFINED = pauci.errors.UndefinedError, pauci.errors.InputError


def scores_of(n=90, seed=4, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    common = rng.normal(size=n) + 1.2 * y
    return rng, y, {k: common + s * rng.normal(size=n) for k, s in (("a", 0.6), ("b", 1.1))}


def options_of(design, rng, n):
    """Return the options of a sample, and the position of the row of each of its rows."""
    return {
        "rows": {},
        "case-control": {"design": "case-control"},
        "frequency": {"frequency": rng.integers(1, 4, n)},
        "weights": {"weight": rng.uniform(0.5, 2.0, n)},
        "clusters": {"cluster": rng.integers(0, 30, n)},
        "folds": {"fold": np.arange(n) % 3},
    }[design]


def in_one_sample(design):
    rng, y, scores = scores_of()
    sample = pauci.Sample(y, scores, **options_of(design, rng, y.size))
    return lambda measure: [pauci.compare(sample, measure, null=NULL)]


def repeated_folds():
    rng, y, scores = scores_of()
    y, scores = np.tile(y, 2), {k: np.tile(s, 2) for k, s in scores.items()}
    scores["b"] = scores["b"] + 0.2 * rng.normal(size=y.size)
    fold = np.concatenate((np.arange(90) % 2, 2 + rng.permutation(90) % 2))
    sample = pauci.Sample(y, scores, cluster=np.tile(np.arange(90), 2), fold=fold)
    return lambda measure: [pauci.compare(sample, measure, null=NULL)]


def groups():
    _, y, scores = scores_of(120)
    sample = pauci.Sample(y, scores, group=np.arange(120) // 2 % 2)

    def differences(measure):
        pairs = pauci.compare(sample, measure, by="group", null=NULL)
        es = pauci.estimate(sample["a"], measure, by="group")
        overall = pauci.estimate(sample["a"], measure, by="group", reference="overall")
        return [*pairs, *pairs.gaps, *es.gaps, *overall.gaps]

    return differences


def shared_clusters():
    samples = []
    for k in range(2):
        rng, y, scores = scores_of(90, k)
        cluster = rng.integers(0, 40, 90)
        samples.append(pauci.Sample(y, scores["ab"[k]], cluster=cluster, name=f"s{k}"))
    return lambda measure: [pauci.compare(samples, measure, null=NULL, shared_clusters=True)]


def contrasts():
    _, y, scores = scores_of()
    scores["c"] = scores["a"] + 0.5 * scores["b"]
    sample = pauci.Sample(y, scores)

    def differences(measure):
        es = pauci.estimate(sample, measure)
        return [es.contrast(w, null=NULL) for w in ([1, -0.5, -0.5], [1, 0, -1])]

    return differences


def horizons():
    rng, y, scores = scores_of()
    time = rng.exponential(2.0 - y) + 0.01
    event = rng.random(90) < 0.7
    sample = pauci.Sample.from_survival(time=time, event=event, scores=scores, horizon=[0.6, 1.0])
    return lambda measure: list(pauci.compare(sample, measure, null=NULL))


DESIGNS = {
    **{
        design: lambda design=design: in_one_sample(design)
        for design in ("rows", "case-control", "frequency", "weights", "clusters", "folds")
    },
    "repeated folds": repeated_folds,
    "groups": groups,
    "shared clusters": shared_clusters,
    "contrasts": contrasts,
    "horizons": horizons,
}


def check_difference(c):
    """Compare the test and the interval of a difference with those from its SE and df."""
    used = c.kind_used()
    test = c.inverted_test(c.null, "two-sided")
    if used != "wald":
        assert used in ("newcombe", "limit")
        assert math.isnan(test.statistic)
        if used == "newcombe" and hasattr(c, "statistic"):
            assert math.isnan(c.statistic)
        return
    t = (c.value - c.null) / c.se
    assert test.statistic == pytest.approx(t, rel=EXACT)
    assert getattr(c, "statistic", t) == pytest.approx(t, rel=EXACT)
    assert test.pvalue == c.pvalue
    expected = 2.0 * stats.t.sf(abs(t), c.df)
    assert c.pvalue == pytest.approx(expected, rel=1e-10, abs=EXACT)
    for level in (0.8, 0.95):
        margin = stats.t.isf(0.5 - level / 2.0, c.df) * c.se
        limits = c.value - margin, c.value + margin
        assert tuple(c.interval(level)) == pytest.approx(limits, rel=EXACT, abs=EXACT)


def at_threshold(measure):
    return "threshold=" in repr(measure) and "threshold=(" not in repr(measure)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.long
def test_differences_of_every_measure_are_recomputed(design, measure):
    try:
        found = DESIGNS[design]()(measure)
    except UNDEFINED:
        pytest.skip("not defined in this design")
    for c in found:
        if not measure.has_interval:
            assert np.isnan([c.pvalue, *c.interval()]).all()
            continue
        check_difference(c)
        separated = c.se == 0.0 or any(e.lacks_variance for e in c.estimates_used)
        assert c.kind_used() == "wald" or at_threshold(measure) or separated


FORMS = [
    pauci.AUC(),
    pauci.PAUCc(fpr=(0, 0.3)),
    pauci.PAUC(tpr=(0.3, 0.8)),
    pauci.Sensitivity(specificity=0.8),
    pauci.AP(),
    pauci.Youden(threshold=0.5),
]


@pytest.mark.parametrize("design", [pytest.param(d, marks=pytest.mark.keep) for d in DESIGNS])
def test_differences_are_recomputed(design):
    differences = DESIGNS[design]()
    for measure in FORMS:
        for c in differences(measure):
            check_difference(c)
            assert (c.kind_used() == "newcombe") == at_threshold(measure)


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize("design", ["rows", "frequency", "weights", "clusters", "folds"])
def test_contributions_have_the_covariance(design, measure):
    rng, y, scores = scores_of()
    sample = pauci.Sample(y, scores, **options_of(design, rng, y.size))
    try:
        es = pauci.estimate(sample, [measure, pauci.AUC()])
    except UNDEFINED:
        pytest.skip("not defined in this design")
    frame = es.influence()
    f, n = frame.to_numpy(float), np.asarray(frame.attrs["n"], float)
    cov = f.T @ (f * n[:, None])
    assert cov == pytest.approx(es.cov, rel=1e-10, abs=1e-12 * np.abs(cov).max())
    assert [e.se for e in es] == pytest.approx(np.sqrt(np.diag(es.cov)), rel=EXACT)


def check_row(row):
    """Compare t, p and the limits of a row of a table with those from its SE and df."""
    t = row["difference"] / row["se"]
    margin = stats.t.isf(0.025, row["df"]) * row["se"]
    limits = row["difference"] - margin, row["difference"] + margin
    assert row["statistic"] == pytest.approx(t, rel=EXACT)
    assert row["pvalue"] == pytest.approx(2.0 * stats.t.sf(abs(t), row["df"]), rel=1e-10)
    assert (row["low"], row["high"]) == pytest.approx(limits, rel=EXACT)


@pytest.mark.parametrize("measure", FORMS[:-1], ids=repr)
@pytest.mark.parametrize("readers", ["fixed", "random"])
@pytest.mark.parametrize("own_cases", [False, True])
def test_differences_of_readers_are_recomputed(measure, readers, own_cases):
    parts = []
    for reader in range(3):
        _, y, scores = scores_of(60, reader if own_cases else 0)
        rng = np.random.default_rng(reader)
        for modality, s in scores.items():
            columns = {
                "reader": f"r{reader}",
                "modality": modality,
                "case": np.arange(60) + 100 * reader * own_cases,
                "label": y,
                "score": s + 0.5 * rng.normal(size=60),
            }
            parts.append(pd.DataFrame(columns))
    frame = pd.concat(parts)
    study = pauci.ReaderStudy.from_frame(frame, **{k: k for k in frame}, positive=1)
    (row,) = pauci.mrmc(study, measure, readers=readers).differences.to_dict("records")
    check_row(row)


def test_differences_of_classes_are_recomputed():
    _, y, scores = scores_of(120, classes=3)
    sample = pauci.Sample.from_classes(y, scores, [0, 1, 2])
    for measure in (pauci.VUS(), pauci.HandTill(), pauci.Macro(pauci.AUC())):
        try:
            c = pauci.compare(sample, measure, null=NULL)
        except UNDEFINED:
            continue
        check_difference(c)
