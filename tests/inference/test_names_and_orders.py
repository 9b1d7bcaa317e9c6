"""Results depend on the rows alone: not on the order of anything, on names, or on units of scores.

All results of a sample are collected by the names of classifiers, measures and groups, in one
orientation for each difference, and compared with those of a changed sample.
"""

import itertools
from functools import cache

import numpy as np
import pytest

import pauci

pytestmark = pytest.mark.usefixtures("quiet")

N = 90
AUC, PAUC, PAUCX = pauci.AUC(), pauci.PAUC(fpr=(0, 0.4)), pauci.PAUCx(tpr=(0.6, 1))
MEASURES = [AUC, PAUC]
RNG = np.random.default_rng(5)
Y = RNG.permutation(np.arange(N) % 3 == 0)
COMMON = RNG.normal(size=N) + Y
SCORES = {k: np.round(COMMON + RNG.standard_t(4, N), 1) for k in ("a", "b", "c")}
GROUP = np.array(["x", "y", "z"])[RNG.integers(0, 3, N)]
DATA = {
    "rows": {},
    "clusters": {"cluster": RNG.integers(0, 25, N)},
    "weights": {"weight": RNG.uniform(0.5, 2.0, N), "design": "case-control"},
    "frequencies": {"frequency": RNG.integers(1, 4, N)},
}
EVERY = pytest.mark.parametrize("name", DATA)


def oriented(names, q, interval, pvalue):
    """Return the key of a difference and its numbers, with the names in their order."""
    low, high = interval
    numbers = q.value, q.se, q.df, low, high, pvalue
    if names[0] < names[1]:
        return names, numbers
    return names[::-1], (-q.value, q.se, q.df, -high, -low, pvalue)


def all_results(sample, measures=MEASURES, *, masks=None, reference="x", back=None):
    """Return the numbers of all results by the original names, which `back` has for new ones."""
    back = back or {}
    found = {}

    def original(name):
        return back.get(name, "all rows" if name is None else name)

    def add(what, key, numbers):
        assert (what, *key) not in found
        found[what, *key] = np.array(numbers, float)

    def add_estimates(what, estimates):
        for e in estimates:
            key = original(e.classifier), repr(e.measure), original(e.group)
            add(what, key, [e.value, e.se, e.df, *e.interval()])

    def add_comparisons(what, comparisons):
        for c, adjusted in zip(comparisons, comparisons.p_adjusted, strict=True):
            first, second = c.estimates
            names = (first.classifier, second.classifier)
            if c.between_groups:
                names = first.group, second.group
            assert (c.first, c.second) == tuple("all rows" if n is None else n for n in names)
            key, numbers = oriented(tuple(map(original, names)), c, c.interval(), c.pvalue)
            context = original(first.classifier) if c.between_groups else original(first.group)
            add(what, (*key, context, repr(c.measure)), [*numbers, adjusted, c.correlation])

    def add_joint(what, family):
        test = family.joint()
        add(what, (), [test.statistic, test.df, test.df_denominator, test.pvalue])

    estimates = pauci.estimate(sample, measures)
    add_estimates("estimates", estimates)
    pairs = pauci.compare(sample, measures)
    add_comparisons("pairs", pairs)
    add_joint("joint", pairs)
    baseline = next(name for name in sample.names if original(name) == "b")
    add_comparisons("baseline", pauci.compare(sample, measures, baseline=baseline))
    by = "group" if masks is None else masks
    for against in (reference, "overall"):
        groups = pauci.estimate(sample, measures, by=by, reference=against)
        add_estimates(f"groups {original(against)}", groups)
        add_comparisons(f"gaps {original(against)}", groups.gaps)
        differences = pauci.compare(sample, measures, by=by, reference=against)
        add_comparisons(f"pairs {original(against)}", differences)
        size = len(differences.gaps)
        members = [g for g in differences.groups if g != against]
        within = differences.in_group(differences.groups[0])
        assert size == len(members) * len(within)
        for (group, c), gap in zip(
            itertools.product(members, within), differences.gaps, strict=True
        ):
            names, numbers = oriented(
                (original(c.first), original(c.second)), gap, gap.interval(), gap.pvalue
            )
            add(
                f"gaps of pairs {original(against)}",
                (*names, original(group), repr(c.measure)),
                numbers,
            )
    for name, measure in itertools.product(sample.names, measures):
        test = groups.heterogeneity(name, measure)
        add(
            "heterogeneity",
            (original(name), repr(measure)),
            [test.statistic, test.df, test.df_denominator, test.pvalue],
        )
    return found


def check_equal(found, expected, renamed=()):
    """Compare all numbers; measures may have other names."""
    renamed = dict(renamed)
    assert len(found) == len(expected)
    for key, numbers in found.items():
        other = expected[tuple(renamed.get(part, part) for part in key)]
        np.testing.assert_allclose(numbers, other, rtol=2e-6, atol=1e-9, err_msg=str(key))


def sample(at=slice(None), scores=SCORES, y=Y, **options):
    columns = {"group": GROUP, **options}
    taken = {k: v if v is None or k == "design" else v[at] for k, v in columns.items()}
    return pauci.Sample(y[at], {k: v[at] for k, v in scores.items()}, **taken)


@cache
def results_of(name):
    """Return the results of the unchanged data."""
    return all_results(sample(**DATA[name]))


@EVERY
def test_orders_and_names_do_not_matter(name):
    """Rows, classifiers, measures and groups in another order, with names that sort otherwise."""
    names = {"a": "9", "b": "_", "c": "0"}
    groups = {"x": "s", "y": "u", "z": "t"}
    changed = sample(
        np.random.default_rng(1).permutation(N),
        {names[k]: SCORES[k] for k in ("c", "a", "b")},
        **{**DATA[name], "group": np.array([groups[g] for g in GROUP])},
    )
    back = {new: old for old, new in (names | groups).items()}
    found = all_results(changed, MEASURES[::-1], reference="s", back=back)
    check_equal(found, results_of(name))


@EVERY
def test_overlapping_groups_in_any_order(name):
    masks = {"x": GROUP != "y", "y": GROUP != "z", "z": np.arange(N) % 2 == 0}
    expected = all_results(sample(**DATA[name]), [AUC], masks=masks)
    in_other_order = {k: masks[k] for k in ("z", "x", "y")}
    check_equal(all_results(sample(**DATA[name]), [AUC], masks=in_other_order), expected)


def test_frequencies_are_copies():
    times = DATA["frequencies"]["frequency"]
    copies = np.repeat(np.arange(N), times)
    for masks in (None, {"x": GROUP != "y", "y": GROUP != "z"}):
        each = None if masks is None else {k: m[copies] for k, m in masks.items()}
        found = all_results(sample(frequency=times), [AUC], masks=masks)
        check_equal(found, all_results(sample(copies), [AUC], masks=each))


@pytest.mark.parametrize("name", ["clusters", "frequencies"])
def test_monotone_transformations_of_scores(name):
    scores = {k: np.exp(3.0 * s) - 7.0 for k, s in SCORES.items()}
    check_equal(all_results(sample(scores=scores, **DATA[name])), results_of(name))


@pytest.mark.parametrize("name", ["rows", "weights"])
def test_exchanged_classes_exchange_the_axes(name):
    """With the labels exchanged and the scores negated, the curve is reflected."""
    scores = {k: -s for k, s in SCORES.items()}
    found = all_results(sample(scores=scores, y=~Y, **DATA[name]), [AUC, PAUCX])
    check_equal(found, results_of(name), {repr(PAUCX): repr(PAUC)})


@EVERY
def test_other_results_of_a_call_do_not_matter(name):
    """Each estimate and each difference is that of a call for it alone."""
    s, options = sample(**DATA[name]), DATA[name]
    for c in pauci.compare(s, MEASURES, adjust="none"):
        alone = pauci.compare(s, c.measure, pair=(c.first, c.second))
        for name in ("difference", "se", "df", "pvalue", "correlation"):
            assert getattr(c, name) == pytest.approx(getattr(alone, name), rel=1e-9)
        assert c.interval() == pytest.approx(alone.interval(), rel=1e-9)
    for e in pauci.estimate(s, MEASURES, by="group", reference="overall"):
        at = np.equal(GROUP, e.group)
        alone = pauci.estimate(sample(at, group=None, **options)[e.classifier], e.measure)
        assert (e.value, e.se, e.df) == pytest.approx((alone.value, alone.se, alone.df), rel=1e-9)
        assert e.interval() == pytest.approx(alone.interval(), rel=1e-9)
