"""Confidence bands: limits, their contents, and their coverage."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import beta, norm

import pauci
from pauci.intervals.mid_p import MidP


def drawn(seed, n_pos=60, n_neg=90, mean=1.2):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos, n_neg])
    shared = rng.normal(size=y.size)
    return y, {k: mean * y + 0.7 * shared + 0.7 * rng.normal(size=y.size) for k in "ab"}


def sample_of(seed=1, **sizes):
    return pauci.Sample(*drawn(seed, **sizes))


@pytest.mark.parametrize("kind", ["simultaneous", "pointwise"])
@pytest.mark.parametrize("region", [None, (0, 0.2), (0.05, 0.3), (0.5, 1)])
def test_limits_contain_the_estimate_inside_the_region(kind, region):
    sample = sample_of()["a"]
    band = pauci.band(sample, kind=kind, fpr=region)
    low, high = region or (0, 1)
    assert ((band.fpr >= low) & (band.fpr <= high)).all()
    assert (np.diff(band.fpr) > 0).all()
    assert ((band.low >= 0) & (band.low <= band.tpr)).all()
    assert ((band.tpr <= band.high) & (band.high <= 1)).all()
    for i in (3, 50, -3):
        measure = pauci.Sensitivity(fpr=float(band.fpr[i]))
        assert band.tpr[i] == measure.on(sample.ratings().curve)


def test_narrower_regions_lower_levels_and_single_points_have_narrower_bands():
    sample = sample_of()["a"]
    whole, part = pauci.band(sample), pauci.band(sample, fpr=(0, 0.2))
    assert 1.96 < part.critical < whole.critical < 3.2
    assert pauci.band(sample, level=0.8, fpr=(0, 0.2)).critical < part.critical
    point, lower = (pauci.band(sample, kind="pointwise", level=x) for x in (0.95, 0.8))
    assert point.critical == pytest.approx(-ndtri(0.025))
    assert ((point.low <= lower.low) & (lower.high <= point.high)).all()
    # The errors of ends make some pointwise limits, next to jumps of the curve, the wider ones.
    narrower = (point.high - point.low) <= (whole.high - whole.low) + 1e-12
    assert narrower.mean() > 0.9
    assert (point.high - point.low).mean() < 0.9 * (whole.high - whole.low).mean()
    assert (pauci.band(sample, specificity=(0.8, 1)).low == part.low).all()


def test_in_the_middle_of_large_samples_the_limits_are_standard_errors_away():
    sample = sample_of(3, n_pos=4000, n_neg=4000)["a"]
    band = pauci.band(sample)
    for x in (0.1, 0.3, 0.5):
        i = int(np.argmin(np.abs(band.fpr - x)))
        se = pauci.estimate(sample, pauci.Sensitivity(fpr=float(band.fpr[i]))).se
        assert (band.high[i] - band.low[i]) / (2 * band.critical * se) == pytest.approx(1, abs=0.15)


def test_a_perfect_classifier_has_binomial_limits():
    y = np.repeat([1, 0], [30, 40])
    band = pauci.band(pauci.Sample(y, y + 0.001 * np.arange(70)), kind="pointwise")
    at = int(np.argmin(np.abs(band.fpr - 0.5)))
    assert band.high[at] == 1.0
    assert band.low[at] == pytest.approx(beta.ppf(0.025, 30, 1), rel=1e-12)


def test_a_simultaneous_band_does_not_fall_and_a_perfect_one_is_wider_than_pointwise():
    band = pauci.band(sample_of(11)["a"])
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    y = np.repeat([1, 0], [30, 40])
    perfect = pauci.Sample(y, y + 0.001 * np.arange(70))
    assert pauci.band(perfect).critical > 2.3
    assert pauci.band(perfect, fpr=(0, 0.2)).critical < pauci.band(perfect).critical


def test_swapping_the_classifiers_turns_the_difference_around():
    sample = sample_of(5)
    one = pauci.band(sample, fpr=(0, 0.4))
    other = pauci.band(sample[["b", "a"]], fpr=(0, 0.4))
    assert one.names == ("a", "b")
    np.testing.assert_allclose(one.low, -other.high, atol=0.01)
    assert ((one.low <= one.difference) & (one.difference <= one.high)).all()
    with pytest.raises(AttributeError, match=r"has \.difference"):
        _ = one.tpr


def test_pairing_makes_the_band_of_a_difference_narrower():
    y, scores = drawn(6, n_pos=300, n_neg=300)
    paired = pauci.band(pauci.Sample(y, scores))
    apart = pauci.band([pauci.Sample(y, scores[k], name=k) for k in "ab"], independent=True)
    assert paired.paired
    assert not apart.paired
    assert (paired.high - paired.low).mean() < 0.95 * (apart.high - apart.low).mean()


def test_copies_of_rows_in_clusters_do_not_change_the_variance():
    y, scores = drawn(7, n_pos=200, n_neg=200)
    once = pauci.band(pauci.Sample(y, scores["a"]))
    four = pauci.band(
        pauci.Sample(np.tile(y, 4), np.tile(scores["a"], 4), cluster=np.tile(np.arange(400), 4))
    )
    width = [np.interp(0.3, b.fpr, b.high - b.low) for b in (once, four)]
    assert width[1] == pytest.approx(width[0], rel=0.1)


@pytest.mark.parametrize("kind", ["simultaneous", "pointwise"])
def test_clusters_without_a_variance_have_limits_of_independent_rows(kind):
    """Every cluster of four holds the same rows, so that influence sums to 0 in each.

    Below its bound a sensitivity has the errors of its end, and pointwise limits that are those of
    the logit; at the bound its limits are those of ten pairs of clusters.
    """
    y, s = np.tile([0, 1], 20), np.tile([1, 2, 2, 3], 10)
    clustered, plain = (
        pauci.band(pauci.Sample(y, s, **given), kind=kind, points=False)
        for given in ({"cluster": np.arange(40) // 4}, {})
    )
    assert np.isfinite([clustered.low, clustered.high]).all()
    at = (plain.tpr == 1.0) | (kind == "simultaneous")
    assert (clustered.low[at] <= plain.low[at] + 1e-12).all()
    assert (clustered.high[at] >= plain.high[at] - 1e-12).all()
    assert (clustered.low < clustered.tpr).all()
    assert ((clustered.tpr < clustered.high) | (clustered.tpr == 1.0)).all()


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
@pytest.mark.filterwarnings("ignore::pauci.errors.SmallRegionWarning")
@pytest.mark.parametrize("design", ["rows", "weights", "clusters"])
def test_pointwise_limits_are_the_intervals_of_the_sensitivity(design):
    rng = np.random.default_rng(6)
    y, scores = drawn(11)
    given = {"weights": {"weight": rng.gamma(2.0, size=y.size)}}.get(design, {})
    if design == "clusters":
        given = {"cluster": np.arange(y.size) // 3}
    sample = pauci.Sample(y, scores["a"], **given)
    band = pauci.band(sample, kind="pointwise", level=0.9)
    for k in range(0, band.fpr.size, 23):
        e = pauci.estimate(sample, pauci.Sensitivity(fpr=float(band.fpr[k])))
        assert e.interval(0.9) == pytest.approx((band.low[k], band.high[k]), abs=1e-12)


@pytest.mark.parametrize(
    ("region", "kind", "noted"),
    [
        ((0, 0.2), "pointwise", True),
        ((0.01, 0.2), "pointwise", True),
        ((0.02, 0.2), "pointwise", False),
        ((0, 1), "pointwise", False),
        ((0, 0.2), "simultaneous", False),
    ],
)
@pytest.mark.parametrize("second", [False, True])
def test_a_note_states_where_few_negatives_are_expected(region, kind, noted, second):
    """Of 60 negatives, less than one is expected below FPR 1/60; differences are not affected."""
    rng, y = np.random.default_rng(2), np.repeat([1, 0], [40, 60])
    scores = {"a": rng.normal(size=100) + y, "b": rng.normal(size=100) + y}
    sample = pauci.Sample(y, scores if second else scores["a"])
    band = pauci.band(sample, fpr=region, kind=kind)
    text = " ".join(band.summary().split())
    assert ("Below FPR 0.017, less than 1 negative is expected" in text) == (noted and not second)


@pytest.mark.parametrize(
    "given",
    [
        {"cluster": np.arange(80) // 2},
        {"cluster": np.arange(80) % 40},
        {"weight": np.random.default_rng(4).choice([0.3, 0.7, 1.1], 80)},
    ],
    ids=["clusters of a class", "clusters of both", "weights"],
)
@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_a_perfect_classifier_has_limits_of_independent_units(given, kind):
    """The variance is that of rounding; the effective size is that of clusters, or Kish's."""
    y = np.repeat([1, 0], 40)
    sample = pauci.Sample(y, y - np.arange(80) / 1000, **given)
    units = min(sample.rows.units)
    few = int(units)
    small = pauci.Sample(np.repeat([1, 0], few), np.arange(2 * few)[::-1])
    band, less = (pauci.band(s, kind=kind, fpr=(0.2, 0.9), points=False) for s in (sample, small))
    assert (band.high == 1.0).all()
    middle = np.interp(0.6, band.fpr, band.low), np.interp(0.6, less.fpr, less.low)
    assert middle[0] == pytest.approx(middle[1], abs=0.01)


@pytest.mark.filterwarnings("ignore::pauci.errors.FewClustersWarning")
def test_clusters_of_one_row_are_equivalent_to_rows():
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], [3, 20])
    s = rng.normal(size=23) + y
    bands = [
        pauci.band(pauci.Sample(y, s, **given), points=False)
        for given in ({}, {"cluster": np.arange(23)}, {"cluster": [*range(22), 21]})
    ]
    assert (bands[0].low == bands[1].low).all()
    assert (bands[0].high == bands[1].high).all()
    assert np.abs(bands[0].high - bands[2].high).max() < 0.05


def test_rows_with_large_weights_widen_the_band_locally():
    """Lower scores have larger weights, so the upper part of the curve is less certain."""
    y, scores = drawn(8, n_pos=2000, n_neg=2000)
    even = np.ones(4000)
    heavy = np.where(scores["a"] < 0.5, 6.0, 1.0)
    kept = np.random.default_rng(2).random(4000) < 1.0 / heavy
    bands = [
        pauci.band(pauci.Sample(y[k], scores["a"][k], weight=w[k]))
        for k, w in ((kept, heavy), (np.ones(4000, bool), even))
    ]
    wide, plain = ([np.interp(x, b.fpr, b.high - b.low) for x in (0.05, 0.6)] for b in bands)
    ratios = np.divide(wide, plain)
    assert ratios[0] < 1.4 < 1.8 < ratios[1]


def test_points_of_a_scale_have_binomial_limits_of_both_rates():
    frame = pauci.datasets.load_hanley_mcneil()
    ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    band = pauci.band(ct, kind="pointwise")
    assert band.of_points
    assert band.thresholds == (5.0, 4.0, 3.0, 2.0)
    for i, count in enumerate((33.0, 44.0, 46.0, 48.0)):
        of_count = MidP(count, 51.0)
        ends = of_count.lower(0.025), of_count.upper(0.025)
        assert (band.low[i], band.high[i]) == pytest.approx(ends, rel=1e-9)
        specificity = pauci.estimate(ct, pauci.Specificity(threshold=band.thresholds[i]))
        ends = 1.0 - np.array(specificity.interval())[::-1]
        assert (band.fpr_low[i], band.fpr_high[i]) == pytest.approx(ends, rel=1e-9)
    together, tp, fp = pauci.band(ct), np.array([33, 44, 46, 48]), np.array([2, 13, 19, 25])
    tail = norm.sf(together.critical)
    np.testing.assert_allclose(together.low, beta.ppf(tail, tp, 52 - tp), rtol=1e-7)
    np.testing.assert_allclose(together.fpr_high, beta.isf(tail, fp + 1, 58 - fp), rtol=1e-7)
    bonferroni = beta.ppf(0.025 / 8, tp, 52 - tp)
    assert ((bonferroni < together.low) & (together.low < band.low)).all()
    assert len(pauci.band(ct, fpr=(0, 0.3))) == 2
    assert not pauci.band(ct, points=False).of_points


def test_pointwise_limits_of_points_account_for_clusters_and_weights():
    rng = np.random.default_rng(4)
    y = np.arange(200) % 2
    s = np.clip(np.round(rng.normal(size=200) + y), -1, 2)
    for options in ({"cluster": np.arange(200) // 5}, {"weight": rng.gamma(2.0, size=200)}):
        sample = pauci.Sample(y, s, **options)
        band = pauci.band(sample, kind="pointwise", points=True)
        for i, threshold in enumerate(band.thresholds):
            e = pauci.estimate(sample, pauci.Sensitivity(threshold=threshold))
            assert (band.low[i], band.high[i]) == pytest.approx(e.interval(), rel=1e-9)
        with pytest.raises(pauci.InputError, match=r"assume independent rows.*kind='pointwise'"):
            pauci.band(sample, points=True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: pauci.band(s["a"], level=1), "level"),
        (lambda s: pauci.band(s["a"], kind="bootstrap"), "kind='bootstrap'"),
        (lambda s: pauci.band(s["a"], fpr=(0.2, 0.1)), "fpr"),
        (lambda s: pauci.band(s, points=True), "points=True"),
        (lambda s: pauci.band([s["a"], s["b"]]), "the same rows"),
        (lambda s: pauci.band([s["a"]] * 3), "has 3 classifiers"),
        (lambda s: pauci.plot.roc(s, band={"a": pauci.band(s)}), "band of the difference"),
        (lambda s: pauci.band(s["a"]).summary(0.9), "is not that of this band"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(pauci.InputError, match=message):
        call(sample_of())


def test_a_sample_is_needed():
    with pytest.raises(pauci.InputTypeError, match="pass a Sample"):
        pauci.band([1, 2])


def test_tables_and_sentences_state_the_kind_of_band():
    sample = sample_of()
    one, two = pauci.band(sample["a"], fpr=(0, 0.2)), pauci.band(sample)
    assert "Simultaneous band of a over FPR 0 to 0.2" in one.summary()
    assert "TPR (90% limits)" in pauci.band(sample, level=0.9, kind="pointwise").summary()
    assert "Simultaneous limits" in one.summary()
    assert "not of the whole curve" in pauci.band(sample["a"], kind="pointwise").report()
    assert "a - b" in two.summary()
    assert len(one.to_frame()) == len(one)
    for text in (one.to_html(), one.to_latex(), one.to_markdown(), two.to_markdown()):
        assert "95" in text
    assert repr(one) == "Band(a, FPR 0 to 0.2: simultaneous 95%)"


def test_bands_draw_themselves():
    pytest.importorskip("matplotlib")
    sample = sample_of()
    assert pauci.band(sample).plot().get_ylabel() == "Difference in TPR"
    bands = {name: pauci.band(sample[name]) for name in "ab"}
    assert len(pauci.plot.roc(sample, band=bands).collections) >= 2
    frame = pauci.datasets.load_hanley_mcneil()
    ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    assert len(pauci.plot.roc(ct, band=pauci.band(ct)).collections) >= 4
    pauci.band(ct).plot()


def covered(n, replicates, region, seed, *, both=False):
    """Return how often a band contains the whole true curve of binormal scores, or difference 0."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(replicates):
        y, scores = drawn(int(rng.integers(2**31)), n_pos=n, n_neg=n)
        sample = pauci.Sample(y, scores)
        band = pauci.band(sample if both else sample["a"], fpr=region)
        true = 0.0 if both else ndtr(1.2 / math.sqrt(0.98) + ndtri(band.fpr))
        hits += bool(((band.low <= true) & (true <= band.high)).all())
    return 100.0 * hits / replicates


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.long
def test_bands_cover_whole_curves_in_a_small_simulation(both):
    assert covered(60, 25, (0, 0.3), 1, both=both) >= 84


@pytest.mark.slow
@pytest.mark.parametrize("region", [(0, 1), (0, 0.2)])
@pytest.mark.parametrize("n", [30, 100, 500])
@pytest.mark.parametrize("both", [False, True])
def test_whole_curves_are_covered(n, region, both):
    assert 92.0 <= covered(n, 250, region, n, both=both) <= 100.0
