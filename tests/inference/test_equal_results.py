"""The same comparison by every function: equal value, standard error, df, p-value and interval."""

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.measures.at_cutoff import AtCutoff
from registry import instances

pytestmark = pytest.mark.usefixtures("quiet")

MEASURES = instances((0.1, 0.6), spread=4.0)
METHODS = ["influence", "jackknife"]


def data(n=84, seed=20, digits=1):
    """Labels, scores of three readings of the same rows, and numbers of the rows."""
    rng = np.random.default_rng(seed)
    y = rng.permutation((np.arange(n) < 0.45 * n).astype(int))
    common = rng.gamma(2.0, size=n) + 1.6 * y
    readings = {k: np.round(common + rng.gumbel(size=n), digits) for k in "abc"}
    return y, readings, np.arange(n)


def unequal_clusters(y, kind):
    """Clusters of one to ten rows, of one class or of both."""
    rng = np.random.default_rng(31)
    cluster = (0.3 * y.size * rng.random(y.size) ** 2).astype(int)
    return cluster if kind == "mixed" else cluster + 1000 * y


DESIGNS = ["rows", "ratings", "weights", "frequencies", "case-control", "mixed", "pure"]
EACH = [
    pytest.param(m, d, marks=[] if i % len(DESIGNS) == j else pytest.mark.long)
    for i, m in enumerate(MEASURES)
    for j, d in enumerate(DESIGNS)
]
"""Every measure with one design, and with the others in the tests that take longer."""


def design_of(name, n=84):
    """Return data, the units, and the options of samples."""
    y, readings, unit = data(n, digits=0 if name == "ratings" else 1)
    rng, given = np.random.default_rng(7), {}
    if name == "weights":
        given["weight"] = rng.uniform(0.5, 3, y.size)
    elif name == "frequencies":
        given["frequency"] = rng.integers(0, 4, y.size)
    elif name == "case-control":
        given["design"] = "case-control"
    elif name in ("mixed", "pure"):
        unit = unequal_clusters(y, name)
    return y, readings, unit, given


def row_of(q):
    """Return the numbers of a comparison or of a contrast."""
    if isinstance(q, pauci.Comparison):
        return np.array([q.difference, q.se, 1 / q.df, q.pvalue, *q.interval()])
    return np.array([q.value, q.se, 1 / q.df, q.test(0.0).pvalue, *q.interval()])


def opposite(q):
    value, se, df, p, low, high = row_of(q)
    return np.array([-value, se, df, p, -high, -low])


def fixed_reader(y, a, b, unit, measure, method, cluster=None):
    """Return the difference of two modalities of one fixed reader."""
    study = pauci.ReaderStudy.from_frame(
        pd.DataFrame(
            {
                "reader": "r",
                "modality": np.repeat(["a", "b"], y.size),
                "case": np.tile(unit, 2),
                "label": np.tile(y, 2),
                "score": np.r_[a, b],
                "cluster": np.tile(unit if cluster is None else cluster, 2),
            }
        ),
        cluster=None if cluster is None else "cluster",
        reader="reader",
        modality="modality",
        case="case",
        label="label",
        score="score",
        positive=1,
    )
    (row,) = pauci.mrmc(study, measure, readers="fixed", method=method).differences.to_dict(
        "records"
    )
    names = ("difference", "se", "df", "pvalue", "low", "high")
    value, se, df, p, low, high = (row[k] for k in names)
    return np.array([value, se, 1 / df, p, low, high])


def of_common_units(design, measure, method):
    """Return the difference of two readings by every function."""
    y, readings, unit, given = design_of(design)
    a, b = readings["a"], readings["b"]
    by_cluster = design in ("mixed", "pure", "frequencies")
    pair = pauci.Sample(y, {"a": a, "b": b}, cluster=unit if by_cluster else None, **given)
    one, two = (pauci.Sample(y, s, cluster=unit, **given) for s in (a, b))
    twice = {k: np.tile(v, 2) if np.ndim(v) else v for k, v in given.items()}
    long = pauci.Sample(
        np.tile(y, 2),
        np.r_[a, b],
        cluster=np.tile(unit, 2),
        group=np.repeat(["a", "b"], y.size),
        **twice,
    )
    found = {"paired": row_of(pauci.compare(pair, measure, variance=method))}
    found["contrast"] = row_of(pauci.estimate(pair, measure, method).contrast([1, -1]))
    shared = {"variance": method, "shared_clusters": True}
    found["shared clusters"] = row_of(pauci.compare([one, two], measure, **shared))
    (gap,) = pauci.estimate(long, measure, method, by="group").gaps
    found["groups"] = opposite(gap)
    results = [pauci.estimate(s, measure, method) for s in (one, two)]
    found["joined"] = row_of(pauci.join(results, shared_clusters=True).contrast([1, -1]))
    if design in ("rows", "ratings") and method == "influence":
        found["fixed reader"] = fixed_reader(y, a, b, unit, measure, method)
    return found


def check(found):
    (first, expected), *others = found.items()
    # If the standard error is 0, degrees of freedom are not reported.
    kept = [0, 1, 3, 4, 5] if expected[1] == 0.0 else list(range(6))
    for name, got in others:
        np.testing.assert_allclose(
            got[kept], expected[kept], 1e-9, 1e-11, err_msg=f"{name}, {first}"
        )


def applies(measure, design, method):
    """Return whether a measure supports the rows of a design."""
    if design == "weights" and (method == "jackknife" or getattr(measure, "corrected", False)):
        return False
    if design == "frequencies" and isinstance(measure, AtCutoff) and measure.threshold is not None:
        return False  # one row, with frequency 1, has a score below the threshold
    return measure.has_influence


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("measure", "design"), EACH, ids=str)
def test_two_readings_of_the_same_rows(measure, design, method):
    if not applies(measure, design, method):
        pytest.skip("not available")
    check(of_common_units(design, measure, method))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("measure", "design"), EACH, ids=str)
def test_three_independent_samples(measure, design, method):
    """Samples of different sizes, with the second and the third against the first."""
    if not applies(measure, design, method):
        pytest.skip("not available")
    y, readings, unit, given = design_of(design, 252)
    if design in ("mixed", "pure"):
        group = np.array(list("xyz"))[unit % 3]
    else:
        group = np.random.default_rng(5).permutation(np.repeat(list("xyz"), [66, 84, 102]))
    cluster = unit if design in ("mixed", "pure") else None
    whole = pauci.Sample(y, readings["a"], cluster=cluster, group=group, **given)
    samples = []
    for g in "xyz":
        at = group == g
        inside = {k: v[at] if np.ndim(v) else v for k, v in given.items()}
        of_cluster = None if cluster is None else cluster[at]
        samples.append(pauci.Sample(y[at], readings["a"][at], cluster=of_cluster, **inside))
    cs = pauci.compare(samples, measure, variance=method)
    gaps = pauci.estimate(whole, measure, method, by="group").gaps
    joined = pauci.join([pauci.estimate(s, measure, method) for s in samples])
    for k, weights in enumerate(([1, -1, 0], [1, 0, -1])):
        found = {"samples": row_of(cs[k]), "groups": opposite(gaps[k])}
        found["joined"] = row_of(joined.contrast(weights))
        check(found)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("design", DESIGNS)
def test_three_readings_of_the_same_rows(design, method):
    y, readings, unit, given = design_of(design)
    measures = [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.5)), pauci.AP()]
    if design == "weights" and method == "jackknife":
        pytest.skip("not available")
    for measure in measures:
        by_cluster = unit if design in ("mixed", "pure", "frequencies") else None
        paired = pauci.compare(
            pauci.Sample(y, readings, cluster=by_cluster, **given), measure, variance=method
        )
        samples = [pauci.Sample(y, s, cluster=unit, name=k, **given) for k, s in readings.items()]
        shared = pauci.compare(samples, measure, variance=method, shared_clusters=True)
        joined = pauci.join(
            [pauci.estimate(s, measure, method) for s in samples], shared_clusters=True
        )
        for k, weights in enumerate(([1, -1, 0], [1, 0, -1], [0, 1, -1])):
            check(
                {
                    "paired": row_of(paired[k]),
                    "shared": row_of(shared[k]),
                    "joined": row_of(joined.contrast(weights)),
                }
            )
        tests = [
            family.joint()
            for family in (paired, shared, joined.contrasts([[1, -1, 0], [1, 0, -1], [0, 1, -1]]))
        ]
        for test in tests[1:]:
            assert (test.statistic, test.pvalue) == pytest.approx(
                (tests[0].statistic, tests[0].pvalue), rel=1e-8
            )


@pytest.mark.parametrize(
    "measure",
    [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.3)), pytest.param(pauci.AUK(), marks=pytest.mark.keep)],
    ids=str,
)
@pytest.mark.parametrize("second", ["b", "a"])
def test_readings_without_variance(measure, second):
    """All scores of a reading are equal; its standard error may be a rounding error."""
    y, readings, unit = data(225)
    cluster = np.random.default_rng(4).integers(0, 60, y.size)
    scores = {"a": np.ones(y.size), "b": readings["b"]}
    other = scores[second]
    sample = pauci.Sample(y, {"a": scores["a"], "b": other}, cluster=cluster)
    paired = row_of(pauci.compare(sample, measure))
    reader = fixed_reader(y, scores["a"], other, unit, measure, "influence", cluster)
    np.testing.assert_allclose(reader, paired, 1e-9, 1e-11)
