"""Changes of estimates by scores that the sample lacks, against samples with a row more."""

import math
from dataclasses import replace

import numpy as np
import pytest

import pauci
from pauci import AP
from pauci.measures import AUC, PAUC, PAUCx

pytestmark = pytest.mark.usefixtures("quiet")

FORMS = [
    AP(0.1),
    AP(0.3, rescaled=True),
    AP(0.1, corrected=True),
    AP(0.85, negatives=True),
    AP(0.85, negatives=True, rescaled=True),
]


def rows(sizes=(30, 60), shift=1.0, seed=4, step=None):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], sizes)
    s = rng.normal(size=y.size) + shift * y
    return y, s if step is None else np.round(s / step)


def unseen_rows(e):
    """Return the rows of z that are due to observations that the sample lacks, by their names."""
    f = e.influence().iloc[:, 0]
    named = {str(name): value for name, value in f.items() if "unseen" in str(name)}
    return {name.split("unseen ")[1]: value for name, value in named.items()}


def value_of(y, s, measure, weight):
    sample = pauci.Sample(y, s, weight=weight)
    return measure.on(sample.ratings().curve)


def with_a_row(y, s, measure, *, lower):
    """The change of the value if half an observation is added above all others, of any class."""
    if measure.negatives:
        y, s = 1 - y, -s
        measure = replace(measure, negatives=False, prevalence=1.0 - measure.prevalence)
    measure, weight = replace(measure, corrected=False), np.ones(y.size)
    n = (y == (0 if lower else 1)).sum()
    share = 0.5 / n
    at = s.max() + 1.0
    if lower:  # tied with the higher half of the positives above all negatives
        above = np.sort(s[(y == 1) & (s > s[y == 0].max())])[::-1]
        if above.size:
            at = above[-(-above.size // 2) - 1]
    moved = np.where(s > at, at, s) if lower else s
    added = np.append(y, 0 if lower else 1), np.append(moved, at)
    more = value_of(*added, measure, np.append(weight, n * share / (1.0 - share)))
    return more - value_of(y, s, measure, weight)


@pytest.mark.parametrize("step", [None, 0.5])
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("measure", FORMS, ids=repr)
def test_changes_of_average_precision_are_those_of_an_added_row(measure, seed, step):
    y, s = rows(seed=seed, step=step, shift=2.0)
    found = unseen_rows(pauci.estimate(pauci.Sample(y, s), measure))
    lowering, raising = ("negatives", "positives")[:: -1 if measure.negatives else 1]
    assert set(found) == {lowering, raising}
    assert found[lowering] == pytest.approx(with_a_row(y, s, measure, lower=True), abs=1e-12)
    assert found[raising] == pytest.approx(with_a_row(y, s, measure, lower=False), abs=1e-12)
    assert found[lowering] < 0.0 < found[raising]


def test_the_changes_of_two_classifiers_are_the_same_row():
    """In a difference they cancel, as far as they are equal."""
    y, s = rows((40, 80), shift=2.0)
    other = rows((40, 80), shift=1.7, seed=5)[1]
    es = pauci.estimate(pauci.Sample(y, {"a": s, "b": other}), AP(0.1))
    f = es.influence()
    changes = f[["unseen" in str(name) for name in f.index]].to_numpy(float)
    assert changes.shape == (2, 2)
    c = pauci.compare(pauci.Sample(y, {"a": s, "b": other}), AP(0.1))
    units = f.iloc[: y.size].to_numpy(float) @ [1.0, -1.0]
    expected = (units**2).sum() + ((changes @ [1.0, -1.0]) ** 2).sum()
    assert c.se == pytest.approx(math.sqrt(expected), rel=1e-9)
    same = pauci.compare(pauci.Sample(y, {"a": s, "b": np.exp(s)}), AP(0.1))
    assert same.se == 0.0


def test_clusters_have_half_a_cluster():
    """Copies of rows in clusters have the changes of the rows."""
    y, s = rows()
    once = unseen_rows(pauci.estimate(pauci.Sample(y, s), AP(0.1)))
    cluster = np.tile(np.arange(y.size), 3)
    sample = pauci.Sample(np.tile(y, 3), np.tile(s, 3), cluster=cluster)
    copies = unseen_rows(pauci.estimate(sample, AP(0.1)))
    assert copies == pytest.approx(once, rel=0.1)


@pytest.mark.parametrize(
    "measure", [AUC(), PAUC(threshold=(0, 1)), PAUCx(threshold=(0, 1))], ids=repr
)
@pytest.mark.parametrize(("shift", "farthest"), [(1.2, 9.0), (2.5, 2.3)])
def test_changes_with_weights_are_those_of_half_a_row_at_the_ends(measure, shift, farthest):
    """A positive below, or a negative above, all rows, with the mean weight of five rows there.

    The change counts as far as it is larger than the standard error that is due to the class.
    """
    y, s = rows((25, 40), shift=shift)
    weight = np.random.default_rng(3).exponential(size=y.size) + 0.2
    weight[np.abs(s - shift / 2.0) > farthest] = 9.0
    e = pauci.estimate(pauci.Sample(y, s, weight=weight), measure)
    found, order = unseen_rows(e), np.argsort(s)
    of_rows = e.influence().iloc[: y.size, 0].to_numpy()
    for label, at, positive in (("positives", order[:5], 1), ("negatives", order[-5:], 0)):
        n, mass = (y == positive).sum(), weight[y == positive].sum()
        share = 0.5 * weight[at].mean() / mass
        end = s.min() - 1.0 if positive else s.max() + 1.0
        more = value_of(
            np.append(y, positive),
            np.append(s, end),
            measure,
            np.append(weight, mass * share / (1.0 - share)),
        )
        change = (more - e.value) ** 2 - (of_rows[y == positive] ** 2).sum() * (n - 1) / n
        expected = math.copysign(math.sqrt(max(change, 0.0)), more - e.value)
        assert found.get(f"row among {label}", 0.0) == pytest.approx(expected, abs=1e-12)
    assert measure != AUC() or bool(found) == (shift > 2.0)
    plain = unseen_rows(pauci.estimate(pauci.Sample(y, s), measure))
    assert not any(name.startswith("row") for name in plain)


@pytest.mark.parametrize("folds", [False, True])
@pytest.mark.parametrize(
    "measure", [AUC(), AP(), PAUCx(fpr=(0.05, 0.25)), pauci.Sensitivity(fpr=0.1)], ids=repr
)
def test_equal_weights_are_no_weights(measure, folds):
    y, s = rows((24, 40))
    options = {"fold": np.arange(y.size) % 2} if folds else {}
    plain = pauci.estimate(pauci.Sample(y, s, **options), measure)
    equal = pauci.estimate(pauci.Sample(y, s, weight=np.full(y.size, 0.3), **options), measure)
    assert equal.rows == plain.rows
    assert (equal.value, equal.se, equal.df) == (plain.value, plain.se, plain.df)
    assert equal.interval() == plain.interval()


@pytest.mark.parametrize("axis", ["fpr", "tpr"])
@pytest.mark.parametrize("kind", [PAUC, PAUCx, pauci.PAUCc], ids=lambda kind: kind.__name__)
def test_areas_over_a_whole_axis_are_the_auc(kind, axis):
    y, s = rows((25, 40))
    w = np.random.default_rng(0).choice([1.0, 5.0], y.size)
    scores = {"a": s, "b": s + np.random.default_rng(1).normal(size=y.size)}
    for sample in (pauci.Sample(y, scores), pauci.Sample(y, scores, weight=w)):
        c, auc = (pauci.compare(sample, m) for m in (kind(**{axis: (0, 1)}), AUC()))
        assert (c.difference, c.se, c.df) == pytest.approx((auc.difference, auc.se, auc.df))
        for e, of_auc in zip(c.estimates, auc.estimates, strict=True):
            assert e.interval() == pytest.approx(of_auc.interval(), rel=1e-9)


@pytest.mark.parametrize("digits", [0, 1, 6])
def test_only_ratios_of_weights_matter(digits):
    for seed in range(40):
        y, s = rows((25, 40), seed=seed)
        w = np.random.default_rng(seed).choice([1.0, 5.0], y.size)
        found = [
            pauci.estimate(pauci.Sample(y, s.round(digits), weight=w * f), AP()).se
            for f in (1.0, 3.7, 0.1)
        ]
        assert found == pytest.approx(found[:1] * 3, rel=1e-9)


@pytest.mark.parametrize(
    "measure", [PAUC(threshold=(-0.3, 1)), PAUCx(threshold=(-0.3, 1))], ids=repr
)
def test_an_area_over_scores_is_proportional_to_the_rows_inside(measure):
    """Half an observation of the class outside the range reduces the area."""
    y, s = rows((30, 60), shift=0.4)
    e = pauci.estimate(pauci.Sample(y, s), measure)
    n = 60 if isinstance(measure, PAUC) else 30
    assert unseen_rows(e) == pytest.approx({"outside": -0.5 * e.value / n})
    assert unseen_rows(pauci.estimate(pauci.Sample(y, s), replace(measure, normalized=True))) == {}


def test_outlying_negatives_that_are_not_in_the_sample_are_inside():
    """1.5% of the negatives score higher than all positives, but none of 80 in this sample."""
    y, s = rows((40, 80), shift=2.3, seed=12)
    e = pauci.estimate(pauci.Sample(y, s, design="case-control"), AP())
    x = np.sort(s[y == 1])[::-1]
    negatives = np.array([(s[y == 0] >= v).mean() for v in x])
    ranks = np.arange(1, 41) / 40
    truth = np.mean(ranks / (ranks + 2.0 * (0.015 + 0.985 * negatives)))
    assert e.interval().low < truth < e.value
