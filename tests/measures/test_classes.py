"""Measures of several classes: brute force, the AUC for two classes, ties, weights, influence."""

import math
from functools import partial
from itertools import combinations, groupby, pairwise, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pauci
import rule
from pauci import AP, AUC, PDI, VUS, CIndex, HandTill, Macro, Sample, VersusRest, estimate
from pauci.errors import InputError, UndefinedError
from pauci.variance import ends

OF_ONE_SCORE = VUS(), CIndex(), HandTill()
OF_COLUMNS = PDI(), PDI(of=1), Macro(AUC()), Macro(AUC(), "prevalence"), Macro(AP(), "prevalence")


def ordered_tuples(y, s, classes):
    """Count the tuples in order; r equal scores count 1/r!."""
    counts = []
    for scores in product(*[s[y == k] for k in classes]):
        in_order = all(a <= b for a, b in pairwise(scores))
        runs = [len(list(run)) for _, run in groupby(scores)]
        counts.append(in_order / math.prod(map(math.factorial, runs)))
    return np.mean(counts)


def polytomous_index(y, p, of=None):
    """Count the tuples in which the row of class k has the highest score; t ties count 1/t."""
    classes, counts = range(p.shape[1]), []
    for rows in product(*[np.flatnonzero(y == k) for k in classes]):
        scores = p[list(rows)]
        for k in classes if of is None else [of]:
            highest = scores[:, k] == scores[:, k].max()
            counts.append(highest[k] / highest.sum())
    return np.mean(counts)


def concordance(y, s, weight):
    pairs = won = 0.0
    for i, j in product(range(y.size), repeat=2):
        if y[i] > y[j]:
            pairs += weight[i] * weight[j]
            won += weight[i] * weight[j] * ((s[i] > s[j]) + 0.5 * (s[i] == s[j]))
    return won / pairs


def slopes_of_concordance(y, s, weight):
    """Return the derivatives of the ratio of two quadratic forms in the weight of each row."""
    pairs = y[:, None] > y
    won = pairs * ((s[:, None] > s) + 0.5 * (s[:, None] == s))
    both, value = pairs + pairs.T, (weight @ won @ weight) / (weight @ pairs @ weight)
    return ((won + won.T) @ weight - value * (both @ weight)) / (weight @ pairs @ weight)


def data(seed, sizes, decimals=1):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(range(len(sizes)), sizes))
    scores = np.round(rng.normal(size=y.size) + 0.6 * y, decimals)
    columns = np.round(rng.normal(size=(y.size, len(sizes))) + np.eye(len(sizes))[y], decimals)
    return y, scores, columns


@pytest.mark.parametrize("decimals", [0, 1, 8])
@pytest.mark.parametrize("sizes", [(5, 9), (4, 6, 5), (3, 4, 5, 4)])
def test_volume_is_the_count_of_all_tuples(sizes, decimals):
    y, s, _ = data(1, sizes, decimals)
    expected = ordered_tuples(y, s, range(len(sizes)))
    assert VUS()(y, s) == pytest.approx(expected, rel=1e-12)


def test_volume_of_some_classes_in_another_order():
    y, s, _ = data(2, (4, 6, 5, 7))
    sample = Sample.from_classes(y, s)
    e = estimate(sample, VUS(order=[3, 0, 1]))
    assert e.value == pytest.approx(ordered_tuples(y, s, [3, 0, 1]), rel=1e-12)
    without = Sample.from_classes(y[y != 2], s[y != 2], classes=[3, 0, 1])
    assert e.se == pytest.approx(estimate(without, VUS()).se, rel=1e-12)


@pytest.mark.parametrize("decimals", [0, 8])
@pytest.mark.parametrize("sizes", [(5, 9), (4, 6, 5), (3, 4, 5, 4)])
def test_polytomous_index_is_the_count_of_all_tuples(sizes, decimals):
    y, _, p = data(3, sizes, decimals)
    for of in (None, *range(len(sizes))):
        assert PDI(of=of)(y, p) == pytest.approx(polytomous_index(y, p, of), rel=1e-12)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(1, 3)), min_size=4))
def test_concordance_is_the_count_of_all_pairs(rows):
    y, s, weight = np.array(rows, float).T
    if np.unique(y).size < 2:
        return
    value = CIndex()(y, s, weight=weight)
    assert value == pytest.approx(concordance(y, s, weight), rel=1e-12)


def test_concordance_with_a_continuous_reference():
    rng = np.random.default_rng(4)
    y, noise = rng.normal(size=(2, 200))
    s = np.round(y + noise, 1)
    e = estimate(Sample.from_classes(y, s), CIndex())
    assert e.value == pytest.approx(concordance(y, s, np.ones(200)), rel=1e-12)
    b = estimate(Sample.from_classes(y, s), CIndex(), variance=pauci.Bootstrap(300, rng=1))
    assert b.se == pytest.approx(e.se, rel=0.15)


@pytest.mark.parametrize("decimals", [0, 8])
def test_two_classes_give_the_auc_to_the_last_digit(decimals):
    y, s, _ = data(5, (37, 53), decimals)
    auc = estimate(Sample(y, s), AUC())
    one, columns = Sample.from_classes(y, s), Sample.from_classes(y, np.column_stack([-s, s]))
    of_columns = (*OF_COLUMNS[:-1], VersusRest(AUC(), 1))
    for e in (*estimate(one, OF_ONE_SCORE), *estimate(columns, of_columns)):
        assert e.value == auc.value
        assert e.se == pytest.approx(auc.se, rel=1e-12)
        assert e.df == pytest.approx(auc.df, rel=1e-9)
        assert e.interval().low == pytest.approx(auc.interval().low, rel=1e-9)


def test_a_class_against_the_rest_is_that_of_the_sample_of_two_classes():
    y, _, p = data(6, (20, 30, 15))
    sample = Sample.from_classes(y, p)
    es = estimate(sample, pauci.PAUC(threshold=(-1, 1), normalized=True))
    z = es.influence().to_numpy().T
    for k, e in enumerate(es):
        alone = estimate(sample.versus_rest(k), pauci.PAUC(threshold=(-1, 1), normalized=True))
        assert (e.value, e.n_pos, e.classifier) == (alone.value, alone.n_pos, f"score: {k}")
        assert e.se == pytest.approx(alone.se, rel=1e-12)
        # The classes of the rest are strata.
        assert e.df == pytest.approx(rule.degrees_of_freedom([z[k, y == c] for c in range(3)]))
        assert e.df == pytest.approx(alone.df, rel=0.02)


def test_averages_agree_with_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    y, _, p = data(7, (20, 30, 15))
    p = np.exp(p) / np.exp(p).sum(axis=1, keepdims=True)
    options = {"equal": "macro", "prevalence": "weighted"}
    for weights, average in options.items():
        expected = metrics.roc_auc_score(y, p, multi_class="ovr", average=average)
        assert Macro(AUC(), weights)(y, p) == pytest.approx(expected, rel=1e-12)
    expected = metrics.roc_auc_score(y, p, multi_class="ovo")
    assert HandTill()(y, p) == pytest.approx(expected, rel=1e-12)


ASAH = Path(__file__).resolve().parents[2] / "studies" / "asah.csv"
GOS = (
    "555511415415315515313535555555551551353355555555533554155515"
    "15411153151311555135155555515555555555451113115541555"
)
"""Column gos6 of the rows of this file."""


@pytest.mark.filterwarnings("ignore::pauci.errors.SamplingRatioWarning")
@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("measure", [*OF_ONE_SCORE, *OF_COLUMNS], ids=repr)
def test_influence_values_are_derivatives(measure, design):
    """The contribution of a row is the derivative in its weight, without the factors for n."""
    y, s, p = data(8, (60, 40, 50))
    scores = s if measure in OF_ONE_SCORE else p
    sample = Sample.from_classes(y, scores, design=design)
    z = estimate(sample, [measure]).influence().to_numpy()[: y.size, 0]
    step, rows = 3e-5, [0, 3, 77, 149]
    slopes = []
    for i in range(y.size) if design == "case-control" else rows:
        weight = np.full(y.size, 3.0)
        weight[i] += step
        up = measure(y, scores, weight=weight)
        weight[i] -= 2.0 * step
        slopes.append((up - measure(y, scores, weight=weight)) / (2.0 * step / 3.0))
    if design == "case-control":  # given the sizes, only deviations from the mean of a class count
        slopes = np.array(slopes)
        slopes -= np.array([slopes[y == k].mean() for k in range(3)])[y]
        rows = slice(None)
    assert z[rows] == pytest.approx(np.array(slopes), rel=0.03, abs=4e-5)


def test_estimated_proportions_of_classes_count():
    """If classes differ in their AUC, most of the influence can be on the weights of classes."""
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1, 2], [60, 40, 50])
    p = np.eye(3)[y] * [9.0, 0.0, 1.0] + rng.normal(size=(150, 3))
    p[:, 0] -= 9.0 * (y > 0)
    measure = Macro(AUC(), "prevalence")
    z = estimate(Sample.from_classes(y, p), [measure]).influence().to_numpy()[:, 0]
    for i in (0, 1, 70, 140):
        up, down = (measure(y, p, weight=3.0 + (np.arange(150) == i) * h) for h in (3e-5, -3e-5))
        assert z[i] == pytest.approx((up - down) / 2e-5, abs=5e-5)
    of_values = np.array([VersusRest(AUC(), k)(y, p) for k in range(3)])
    known = (np.bincount(y) / 150) @ of_values
    assert z[y == 0].mean() == pytest.approx((1.0 - known) / 150, rel=0.03)


@pytest.mark.parametrize("measure", [*OF_ONE_SCORE, *OF_COLUMNS], ids=repr)
def test_frequencies_are_copies_and_weights_have_no_scale(measure):
    y, s, p = data(9, (12, 10, 14))
    scores = s if measure in OF_ONE_SCORE else p
    times = np.random.default_rng(9).integers(1, 4, y.size)
    e = estimate(Sample.from_classes(y, scores, frequency=times), measure)
    copies = estimate(
        Sample.from_classes(np.repeat(y, times), np.repeat(scores, times, axis=0)), measure
    )
    assert e.value == pytest.approx(copies.value, rel=1e-12)
    assert e.se == pytest.approx(copies.se, rel=1e-9)
    assert e.df == pytest.approx(copies.df, rel=1e-9)
    first, second = (
        estimate(Sample.from_classes(y, scores, weight=times * scale), measure)
        for scale in (1.0, 7.5)
    )
    assert first.value == pytest.approx(e.value, rel=1e-12)
    assert second.se == pytest.approx(first.se, rel=1e-9)


@pytest.mark.parametrize("measure", [*OF_ONE_SCORE, *OF_COLUMNS], ids=repr)
def test_order_of_rows_and_increasing_functions_change_nothing(measure):
    y, s, p = data(10, (12, 10, 14))
    scores = s if measure in OF_ONE_SCORE else p
    e = estimate(Sample.from_classes(y, scores), measure)
    order = np.random.default_rng(10).permutation(y.size)
    moved = estimate(Sample.from_classes(y[order], np.exp(scores)[order]), measure)
    assert (moved.value, moved.se) == pytest.approx((e.value, e.se), rel=1e-12)


def test_extreme_values():
    y = np.repeat([1, 2, 3], 4)
    separated, tied = np.arange(12.0), np.zeros(12)
    with pytest.warns(pauci.errors.DegenerateWarning):
        e = estimate(Sample.from_classes(y, separated), VUS())
    assert e.value == 1.0
    assert e.interval().low < 1.0
    assert VUS()(y, -separated) == 0.0
    assert VUS()(y, tied) == pytest.approx(1 / 6)
    assert CIndex()(y, tied) == 0.5
    assert PDI()(y, np.zeros((12, 3))) == pytest.approx(1 / 3)
    assert HandTill()(y, tied) == 0.5


@pytest.mark.skipif(not ASAH.is_file(), reason="needs a checkout")
def test_multiclass_roc_of_proc():
    """The value of multiclass.roc(gos6, s100b) of pROC 1.18, whose directions are those of 5413."""
    gos, s100b = list(GOS), np.loadtxt(ASAH, delimiter=",", skiprows=1, usecols=1)
    assert HandTill()(gos, s100b, positive=list("5413")) == pytest.approx(0.6539999352, abs=1e-10)
    value = HandTill()(gos, s100b, positive=list("5431"))
    assert value == pytest.approx(0.651252682503, abs=1e-11)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (VUS(order=["a", "x"]), "'x' is not one of the classes"),
        (PDI(), "column of scores for each class"),
        (PDI(of="c"), "column of scores for each class"),
        (Macro(AUC()), "column of scores for each class"),
        (AUC(), "column of scores for each class"),
        (VersusRest(AUC(), "c"), "column of scores for each class"),
        (VUS(), "order of the classes"),
        (HandTill(), "order of the classes"),
    ],
    ids=repr,
)
def test_one_score_of_unordered_classes(measure, words):
    sample = Sample.from_classes(list("abcabc"), [1, 2, 3, 2, 3, 1])
    with pytest.raises(InputError, match=words):
        estimate(sample, measure)


def test_wrong_uses():
    y, s, p = data(11, (5, 6, 7))
    with pytest.raises(InputError, match="one score"):
        estimate(Sample.from_classes(y, p), VUS())
    with pytest.raises(InputError, match="from_classes"):
        estimate(Sample(y == 1, s), PDI())
    with pytest.raises(InputError, match="not one of the classes"):
        estimate(Sample.from_classes(y, p), VersusRest(AUC(), 9))
    with pytest.raises(InputError, match="not one of the classes"):
        estimate(Sample.from_classes(y, p), PDI(of="1"))
    for label in ([1], {1}, np.arange(2)):
        for make in (PDI, partial(VersusRest, AUC())):
            with pytest.raises(TypeError, match="label of a class"):
                make(label)
    with pytest.raises(UndefinedError, match="class 2 has 1 row"):
        estimate(Sample.from_classes([0, 0, 1, 1, 2], [1, 2, 3, 4, 5]), VUS())
    for make in (lambda: Macro(PDI()), lambda: Macro("AUC"), lambda: VUS(order="abc")):
        with pytest.raises(TypeError):
            make()
    with pytest.raises(InputError, match="weights"):
        Macro(AUC(), weights="size")
    with pytest.raises(InputError, match="each once"):
        VUS(order=["a", "a"])


@pytest.mark.parametrize(
    "options", [{}, {"weight"}, {"frequency"}, {"cluster"}, {"cluster", "weight", "frequency"}]
)
@pytest.mark.parametrize(
    "measure", [VUS(), VUS(order=[0, 2]), CIndex(), PDI(), PDI(of=2)], ids=repr
)
@pytest.mark.filterwarnings("ignore::pauci.errors.DominantWeightsWarning")
def test_jackknife_leaves_out_each_row_or_cluster(measure, options):
    """Values without each unit are calculated again from the remaining rows."""
    rng, n = np.random.default_rng(5), 36
    y = rng.integers(0, 3, n)
    z = 0.8 * np.eye(3)[y] + rng.normal(size=(n, 3))
    score = np.exp(z) if isinstance(measure, PDI) else np.round(z[:, 2] - z[:, 0])
    given = {
        "weight": rng.uniform(0.5, 3.0, n),
        "frequency": rng.integers(1, 4, n),
        "cluster": np.arange(n) // 3,
    }
    given = {name: given[name] for name in options}
    of_row = given.get("cluster", np.arange(n))
    copies = given.get("frequency", np.ones(n, int))

    def value_with(times):
        sample = Sample.from_classes(
            y, score, [0, 1, 2], frequency=times, weight=given.get("weight")
        )
        return measure.on(sample.any_ratings("score"))

    by_class = not (given.get("cluster") is not None or isinstance(measure, CIndex))
    values, numbers, strata = [], [], []
    for unit in np.unique(of_row):
        out = of_row == unit
        values.append(value_with(np.where(out, 0 if "cluster" in given else copies - 1, copies)))
        numbers.append(1 if "cluster" in given else copies[unit])
        strata.append(y[unit] if by_class else 0)
    values, numbers, strata = map(np.array, (values, numbers, strata))
    bias = variance = 0.0
    for k in np.unique(strata):
        v, f = values[strata == k], numbers[strata == k]
        m, mean = f.sum(), (f * v).sum() / f.sum()
        bias += (m - 1) * (mean - value_with(copies))
        variance += (m - 1) / m * (f * (v - mean) ** 2).sum()
    e = estimate(Sample.from_classes(y, score, [0, 1, 2], **given), measure, "jackknife")
    assert e.se == pytest.approx(variance**0.5, rel=1e-9)
    assert e.bias == pytest.approx(bias, abs=1e-12)


def test_covariances_of_the_jackknife_are_those_of_influence():
    y, _, p = data(4, (30, 20, 25))
    sample = Sample.from_classes(
        y, {"a": p, "b": p + np.random.default_rng(1).normal(size=p.shape)}
    )
    measures = [PDI(), Macro(AUC()), Macro(AUC(), "prevalence")]
    by = {v: np.asarray(estimate(sample, measures, v).cov) for v in ("influence", "jackknife")}
    assert by["jackknife"] == pytest.approx(by["influence"], rel=0.02, abs=1e-6)


def test_values_that_mcca_prints():
    """`pdi(y = iris[, 5], d = iris[, 3], method = "multinom", Var = TRUE)` of mcca 0.8.1.

    Its standard error has the divisor n in place of n - 1. The probability of the second class
    falls with the length of the petals from that class on, and is nearly 0 for the first class.
    """
    length, y = pytest.importorskip("sklearn.datasets").load_iris(return_X_y=True)
    length = length[:, 2]
    scores = np.column_stack([-length, np.where(y == 0, -99.0, -length), length])
    e = estimate(Sample.from_classes(y, scores), PDI())
    assert e.value == pytest.approx(0.9881333, abs=5e-8)
    assert e.se * math.sqrt(49 / 50) == pytest.approx(0.006440373, abs=5e-10)


def test_values_in_the_tests_of_trinroc():
    """trinROC 0.5.1: normal deviates of R (seed 1), equal classes and separated classes."""
    first = [-0.6264538, 0.1836433, -0.8356286, 1.5952808, 0.3295078]
    second = [-0.8204684, 0.4874291, 0.7383247, 0.5757814, -0.3053884]
    third = [1.5117812, 0.3898432, -0.6212406, -2.2146999, 1.1249309]
    deviates = np.array(first + second + third)
    y = np.repeat([0, 1, 2], 5)
    assert VUS()(y, deviates + 0.3 * y) == pytest.approx(0.368, abs=1e-12)
    assert VUS()(y, np.tile(np.arange(5), 3)) == pytest.approx(1 / 6, abs=1e-12)
    assert VUS()(y, np.arange(15)) == 1.0


def degrees_of_freedom(z):
    """Return those of the sum of squares over one stratum of units."""
    variance, n = (z**2).sum(), z.size
    return min(2 * variance**2 / ((z**4).sum() - variance**2 / n), n - 1.0)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("rounding", [1, 2, 3, 5, 23, "some"])
def test_standard_error_of_concordance_does_not_depend_on_rounding(rounding, clustered, recwarn):
    """All rows are one stratum, however few rows each reference value has."""
    rng, n = np.random.default_rng(3), 69
    rank, s = np.arange(n), np.arange(n) / 20 + rng.normal(size=n)
    y = np.where(rank < 46, rank, 46) if rounding == "some" else rank // rounding
    cluster = rng.permutation(n) // 3 if clustered else None
    sample = Sample.from_classes(y, s, cluster=cluster)
    e, jackknife = (estimate(sample, CIndex(), v) for v in ("influence", "jackknife"))
    z = slopes_of_concordance(y, s, np.ones(n))
    if clustered:
        z = np.bincount(cluster, z)
    z = z * (z.size / (z.size - 1)) ** 0.5
    assert e.se == pytest.approx((z**2).sum() ** 0.5, rel=1e-5)
    assert e.df == pytest.approx(min(degrees_of_freedom(z), z.size - 1), rel=1e-5)
    assert jackknife.se == pytest.approx(e.se, rel=0.04)
    assert not recwarn
    assert e.kind_used() == "logit"


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
def test_limits_of_perfect_concordance_are_those_of_disjoint_pairs():
    ranks = np.arange(40)
    for y in (ranks, ranks // 2, ranks // 10, np.repeat([1, 2, 3], [5, 5, 30])):
        largest = np.unique(y, return_counts=True)[1].max()
        e = estimate(Sample.from_classes(y, np.arange(40)), CIndex())
        assert e.interval().low == pytest.approx(0.025 ** (1 / min(20, 40 - largest)))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("measure", [PDI(), Macro(AUC()), VUS(order=["a", "b", "c"])], ids=repr)
def test_degrees_of_freedom_do_not_depend_on_the_order_of_classes(measure, weighted):
    """They are those of the class with the fewest clusters, wherever it is listed."""
    y, s, p = data(3, (50, 40, 12, 9), 8)
    rng = np.random.default_rng(1)
    cluster, weight = rng.integers(0, 30, y.size), rng.uniform(1, 2, y.size)
    used = 3 if isinstance(measure, VUS) else 4
    results = set()
    for order in permutations(range(4)):
        e = estimate(
            Sample.from_classes(
                np.array(list("abcd"))[y],
                s if isinstance(measure, VUS) else p[:, order],
                [*map("abcd".__getitem__, order)],
                cluster=cluster,
                weight=weight if weighted else None,
            ),
            measure,
        )
        results.add(
            (round(e.se, 9), round(e.df, 6), round(e.rows.cluster_df, 7), min(e.rows.units))
        )
    [(_, df, cluster_df, units)] = results
    sums = np.bincount(cluster[y == used - 1], weight[y == used - 1] if weighted else None)
    assert df <= cluster_df == pytest.approx(sums.sum() ** 2 / (sums**2).sum() - 1, rel=1e-6)
    assert units == np.count_nonzero(sums)


def terms_of(measure, y, scores, mass):
    """Return the terms of which a measure is the sum: a weight, a function of the masses, strata.

    Each stratum has the factor n/(n - 1) of its own number of units.
    """
    by_class = [y == k for k in range(3)]
    if isinstance(measure, CIndex):
        return [(1.0, lambda m: measure(y, scores, weight=m), [y >= 0])]
    if not isinstance(measure, Macro):
        return [(1.0, lambda m: measure(y, scores, weight=m), by_class)]
    one = [partial(VersusRest(measure.measure, k), y, scores) for k in range(3)]
    values = np.array([f(weight=mass) for f in one])
    known = np.full(3, 1 / 3) if measure.weights == "equal" else np.bincount(y, mass) / mass.sum()
    terms = [
        (share, lambda m, f=f: f(weight=m), [y == k, y != k])
        for k, (share, f) in enumerate(zip(known, one, strict=True))
    ]
    if measure.weights == "prevalence":
        terms.append((1.0, lambda m: np.bincount(y, m) @ values / m.sum(), [y >= 0]))
    return terms


def slopes_by_row(function, mass):
    """Return the derivatives in the mass of each row, also of a row of mass 0."""
    slopes, step = np.zeros(mass.size), 1e-5
    for i in range(mass.size):
        more, less = mass + step * (np.arange(mass.size) == i), mass.copy()
        less[i] = max(less[i] - step, 0.0)
        slopes[i] = (function(more) - function(less)) / (more[i] - less[i])
    return slopes


DESIGNS = [
    pytest.param(names, marks=[pytest.mark.keep] * ("weight" in names and len(names) > 1))
    for n in range(4)
    for names in combinations(("weight", "frequency", "cluster"), n)
]
CROSSED = [VUS(), VUS(order=[0, 2]), CIndex(), HandTill(), PDI(), PDI(of=0)]
CROSSED += [Macro(AUC()), Macro(AUC(), "prevalence")]


@pytest.mark.parametrize("design", DESIGNS, ids="-".join)
@pytest.mark.parametrize("measure", CROSSED, ids=repr)
@pytest.mark.filterwarnings("ignore::pauci.errors.DoubtfulDataWarning")
@pytest.mark.filterwarnings("ignore::pauci.errors.DominantWeightsWarning")
def test_standard_errors_of_all_designs_are_sums_over_units(measure, design, monkeypatch):
    monkeypatch.setattr(ends, "changes_by_unseen", lambda *_: {})
    """Ties, rows of weight or frequency 0, clusters of several classes or without weight."""
    y, s, p = data(12, (9, 12, 10), 0)
    rng, n = np.random.default_rng(2), y.size
    given = {
        "weight": np.where(rng.random(n) < 0.15, 0.0, rng.uniform(0.5, 2.0, n)),
        "frequency": np.where(rng.random(n) < 0.15, 0, rng.integers(1, 4, n)),
        "cluster": rng.integers(0, 14, n),
    }
    given["weight"][given["cluster"] == given["cluster"][0]] = 0.0
    given = {name: given[name] for name in design}
    scores = s if isinstance(measure, (VUS, CIndex, HandTill)) else p
    sample = Sample.from_classes(y, scores, [0, 1, 2], **given)
    weight, copies = given.get("weight", np.ones(n)), given.get("frequency", np.ones(n))
    unit, used = given.get("cluster", np.arange(n)), weight * copies > 0.0
    number = np.where(used, 1.0 if "cluster" in given else copies, 0.0)
    z, mass = np.zeros(n), weight * copies
    for share, function, strata in terms_of(measure, y, scores, mass):
        slopes = slopes_by_row(function, mass)
        for rows in strata:
            units = np.unique(unit[rows & used], return_index=True)[1]
            m = number[rows & used][units].sum()
            z += np.where(rows, share * weight * slopes * math.sqrt(m / (m - 1)), 0.0)
    if "cluster" in given:
        z, copies = np.bincount(unit, copies * z), 1.0
    e = estimate(sample, measure)
    assert e.value == pytest.approx(measure(y, scores, weight=mass), rel=1e-12)
    assert e.se == pytest.approx((copies * z**2).sum() ** 0.5, rel=2e-4)


def test_results_of_measures_with_other_labels_are_kept_apart():
    """Labels are compared as those of the sample are: 1 equals 1.0 and True, but not "1"."""
    y, s, p = data(13, (8, 9, 7))
    orders = [0, 1], [1, 0], [1, 2], [1.0, 2], [True, 2], [0, 1, 2], None
    one, columns = Sample.from_classes(y, s), Sample.from_classes(y, p)
    for _ in range(2):
        for order in orders:
            value = ordered_tuples(y, s, range(3) if order is None else order)
            assert estimate(one, VUS(order)).value == pytest.approx(value)
        for of in (0, 1, 1.0, True, None):
            value = polytomous_index(y, p, of if of is None else int(of))
            assert estimate(columns, PDI(of)).value == pytest.approx(value)
        for sample, measure in ((one, VUS(["1", "2"])), (columns, PDI("1"))):
            with pytest.raises(InputError, match="not one of the classes"):
                estimate(sample, measure)


@pytest.mark.parametrize(
    "measure", [VUS(), CIndex(), PDI(of=1), Macro(AUC(), "prevalence")], ids=repr
)
@pytest.mark.parametrize(
    "design",
    [
        {"frequency"},
        {"weight", "frequency"},
        pytest.param({"weight", "frequency", "cluster"}, marks=pytest.mark.keep),
    ],
    ids=len,
)
@pytest.mark.filterwarnings("ignore::pauci.errors.DominantWeightsWarning")
def test_groups_and_resamples_of_all_designs(measure, design):
    """A group has the results of its rows alone, and resamples vary as the influence predicts."""
    y, s, p = data(14, (40, 45, 35))
    rng, n = np.random.default_rng(4), y.size
    given = {
        "weight": np.where(rng.random(n) < 0.1, 0.0, rng.uniform(0.5, 2.0, n)),
        "frequency": rng.integers(0, 4, n),
        "cluster": rng.integers(0, 50, n),
    }
    given = {name: given[name] for name in design}
    scores, group = s if isinstance(measure, (VUS, CIndex)) else p, rng.random(n) < 0.5
    sample = Sample.from_classes(y, scores, [0, 1, 2], group=group, **given)
    for e in estimate(sample, measure, by="group"):
        rows = group == e.group
        part = {name: values[rows] for name, values in given.items()}
        alone = estimate(Sample.from_classes(y[rows], scores[rows], [0, 1, 2], **part), measure)
        numbers = (e.value, e.se, e.df, e.rows.cluster_df, *e.rows.units, *e.interval())
        expected = (alone.value, alone.se, alone.df, alone.rows.cluster_df, *alone.rows.units)
        assert numbers == pytest.approx((*expected, *alone.interval()), rel=1e-9)
    by = estimate(sample, measure)
    resampled = estimate(sample, measure, pauci.Bootstrap(300, rng=1))
    assert resampled.se == pytest.approx(by.se, rel=0.17)
    assert np.mean(resampled.resampled.replicates) == pytest.approx(by.value, abs=by.se / 2)


def follow_up(n=50, seed=0, *, rounded=False):
    """Return times with censoring, whether the event occurred, and scores that are tied."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=n), 1)
    event, censored = rng.exponential(8 * np.exp(scores)), rng.exponential(10, n)
    time = np.minimum(event, censored)
    return np.ceil(time) if rounded else time, event <= censored, scores


def harrell(time, event, s, weight):
    """Harrell's C by a loop over pairs whose shorter time ended with the event."""
    pairs = won = 0.0
    for i, j in product(np.flatnonzero(event), range(time.size)):
        if time[i] < time[j] or (time[i] == time[j] and not event[j]):
            pairs += weight[i] * weight[j]
            won += weight[i] * weight[j] * ((s[i] < s[j]) + 0.5 * (s[i] == s[j]))
    return won / pairs


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("extra", [None, "weight", "frequency"])
def test_concordance_of_censored_times_is_that_of_harrell(extra, rounded):
    n = 24
    time, event, s = follow_up(n, rounded=rounded)
    rng = np.random.default_rng(1)
    drawn = {"weight": rng.uniform(1, 3, n), "frequency": rng.integers(1, 4, n)}
    extras = {} if extra is None else {extra: drawn[extra]}
    sample = Sample.from_classes(time, s, event=event, **extras)
    mass = np.ones(n) if extra is None else sample.rows.mass.astype(float)
    value = harrell(time, event, s, mass)
    ratings = sample.any_ratings("score")
    assert CIndex().on(ratings.curve) == pytest.approx(value, rel=1e-12)
    # The influence of a row of weight 1 is the derivative by its mass.
    changed = [harrell(time, event, s, mass + 1e-6 * (np.arange(n) == i)) for i in range(n)]
    by_row = CIndex().evaluated(ratings)[1].by_row
    np.testing.assert_allclose((np.array(changed) - value) / 1e-6, by_row, atol=1e-5)
    if extra is None:
        left = [harrell(time, event, s, mass * (np.arange(n) != i)) for i in range(n)]
        np.testing.assert_allclose(CIndex().without_each_row(ratings), left, rtol=1e-12)
        if not rounded:
            spread = (n - 1) / n * np.square(np.array(left) - np.mean(left)).sum()
            assert estimate(sample, CIndex()).se == pytest.approx(spread**0.5, rel=0.1)


def test_differences_and_resamples_of_censored_times():
    time, event, s = follow_up(80)
    noisy = s + np.random.default_rng(2).normal(size=80)
    sample = Sample.from_classes(time, {"a": s, "b": noisy}, event=event)
    values = [harrell(time, event, score, np.ones(80)) for score in (s, noisy)]
    difference, b = (
        pauci.compare(sample, CIndex(), variance=v)
        for v in ("influence", pauci.Bootstrap(60, rng=1))
    )
    assert difference.value == pytest.approx(values[0] - values[1], rel=1e-10)
    assert b.se == pytest.approx(difference.se, rel=0.3)


@pytest.mark.parametrize("times", [2, 3, 60])
def test_standard_errors_of_censored_times_are_those_of_a_single_stratum(times):
    n = 60
    time, event, s = follow_up(n)
    time = np.searchsorted(np.quantile(time, np.arange(1, times) / times), time) + 1.0
    sample = Sample.from_classes(time, s, event=event)
    by_row = CIndex().evaluated(sample.any_ratings("score"))[1].by_row
    assert estimate(sample, CIndex()).se ** 2 == pytest.approx(by_row @ by_row * n / (n - 1))


@pytest.mark.filterwarnings("ignore::pauci.errors.CensoringWarning")
def test_censored_times_without_a_c_index():
    time, event, s = follow_up()
    sample = Sample.from_classes(time, s, event=event)
    assert f"{(~event).sum()} rows with a censored reference value" in repr(sample)
    for measure in (VUS(), HandTill()):
        with pytest.raises(InputError, match=r"not available.*event=.*CIndex"):
            estimate(sample, measure)
    with pytest.raises(InputError, match="from_survival"):
        sample.versus_rest(time[0])
    for wrong in ({"event": event + 1}, {"event": 0 * event}, {"design": "case-control"}):
        with pytest.raises(InputError, match="event"):
            Sample.from_classes(time, s, **{"event": event, **wrong})
    with pytest.raises(InputError, match="event"):
        Sample.from_classes(np.where(event, "late", "early"), s, event=event)
    with pytest.raises(InputError, match="event"):
        Sample.from_classes(np.where(event, time, np.nan), s, event=event, verified=event)
    at_horizon = Sample.from_survival(time=time, event=event, scores=-s, horizon=3)
    with pytest.raises(InputError, match=r"from_classes\(time, -risk, event=event\)"):
        estimate(at_horizon, CIndex())
