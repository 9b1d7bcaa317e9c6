"""Outcomes at a horizon: weights for censoring and their influence, by brute force.

Every oracle calculates the weights of rows with copies c by loops over rows and censoring times,
and the influence of a row by finite differences in its number of copies.
"""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pauci
from contributions import se_of_units, units_of
from pauci.errors import CensoringWarning, DoubtfulDataWarning, MissingRowsWarning
from pauci.resampling.draws import EstimatedWeightsPool
from pauci.variance import leave_one_out

STEP = 1e-5


@pytest.fixture(autouse=True)
def _quiet(recwarn):
    """Small samples have warnings, which are tested separately."""


def follow_up(n=80, seed=1, competing=False):
    """Return a frame with ties of times, of events and censorings, and of scores."""
    rng = np.random.default_rng(seed)
    risk = rng.normal(size=n)
    ends = [rng.exponential(9.0, n), rng.exponential(6 * np.exp(-risk))]
    if competing:
        ends.append(rng.exponential(12.0, n))
    frame = pd.DataFrame({"years": np.round(np.min(ends, axis=0)), "died": np.argmin(ends, axis=0)})
    for name in ("a", "b"):
        frame[name] = np.round(2 * (risk + rng.normal(size=n)))
    return frame.assign(site=rng.integers(0, 2, n), w=rng.uniform(1, 3, n), k=rng.integers(1, 4, n))


def oracle_weights(frame, t, copies, *, competing="exclude", stratum=None):
    """Return cases and weights, from a loop over the rows and the censoring times before each."""
    time, event = frame["years"].to_numpy(float), frame["died"].to_numpy()
    stratum = np.zeros(time.size) if stratum is None else stratum

    def uncensored(end, s, *, included):
        product, inside = 1.0, stratum == s
        for u in np.unique(time[(event == 0) & inside]):
            if u < end or (included and u == end):
                lost = copies[(time == u) & (event == 0) & inside].sum()
                product *= 1 - lost / (copies[(time > u) & inside].sum() + lost)
        return product

    weight = np.zeros(time.size)
    for i in range(time.size):
        if time[i] > t:
            weight[i] = 1 / uncensored(t, stratum[i], included=True)
        elif event[i] == 1 or (event[i] == 2 and competing == "control"):
            weight[i] = 1 / uncensored(time[i], stratum[i], included=False)
    return (time <= t) & (event == 1), weight


def oracle(frame, t, marker, measure, base, **options):
    """Return the value of a measure, and its derivative by the copies of each row."""

    def value(copies):
        case, weight = oracle_weights(frame, t, base * copies, **options)
        sample = pauci.Sample(case, frame[marker].to_numpy(), weight=weight * base * copies)
        return measure.on(sample.ratings().curve)

    one, z = np.ones(len(frame)), np.empty(len(frame))
    for k in range(len(frame)):
        step = STEP * (np.arange(len(frame)) == k)
        z[k] = (value(one + step) - value(one - step)) / (2 * STEP)
    return value(one), z


def standard_error(z, unit=None):
    z = z - z.mean()
    sums = z if unit is None else np.bincount(unit, z)
    return np.sqrt(sums.size / (sums.size - 1) * (sums**2).sum())


DESIGNS = {
    "plain": ({}, {}),
    "exclude": ({}, {}),
    "control": ({"competing": "control"}, {"competing": "control"}),
    "strata": ({"strata": "site"}, {}),
    "weight": ({"weight": "w"}, {}),
    "frequency": ({"frequency": "k"}, {}),
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("measure", [pauci.PAUC(threshold=(-2.5, 1.5)), pauci.AP()], ids=repr)
def test_values_and_standard_errors_by_brute_force(design, measure):
    frame = follow_up(60, competing=design in ("exclude", "control"))
    arguments, options = (dict(d) for d in DESIGNS[design])
    if design == "exclude":  # the prevalence is not that of all rows
        measure = pauci.AP(prevalence=0.4) if isinstance(measure, pauci.AP) else measure
    if design == "strata":
        options["stratum"] = frame["site"].to_numpy()
    base = {"weight": frame["w"], "frequency": frame["k"]}.get(design, pd.Series(1.0, frame.index))
    sample = pauci.Sample.from_survival(frame, "years", "died", ["a", "b"], 4, **arguments)
    rows = sample.rows
    ties = np.intersect1d(frame["years"][frame["died"] == 0], frame["years"][frame["died"] == 1])
    assert ties.size, "ties of events and censorings"
    assert (rows.weight == 0).sum() > 5
    found = [oracle(frame, 4, m, measure, base.to_numpy(float), **options) for m in ("a", "b")]
    es = pauci.estimate(sample, measure)
    for e, (value, _) in zip(es, found, strict=True):
        assert e.value == pytest.approx(value, rel=1e-12)
    if design == "frequency":  # a share of the derivative by all copies of a row
        copies = frame["k"].to_numpy()
        found = [(v, np.repeat(z / copies, copies)) for v, z in found]
    c = pauci.compare(sample, measure)
    assert [*se_of_units(es), *se_of_units(c)] == pytest.approx(
        [standard_error(z) for z in (found[0][1], found[1][1], found[0][1] - found[1][1])], rel=1e-5
    )
    assert all(e.se >= se for e, se in zip(es, se_of_units(es), strict=True))


@pytest.mark.parametrize("design", ["plain", "weight", "strata"])
def test_contributions_with_an_estimated_end_by_brute_force(design):
    """They differ from derivatives by a multiple of the error of the share before the end."""
    frame, measure = follow_up(60), pauci.PAUC(fpr=(0, 0.43))
    arguments, options = (dict(d) for d in DESIGNS[design])
    if design == "strata":
        options["stratum"] = frame["site"].to_numpy()
    base = frame["w"].to_numpy() if design == "weight" else np.ones(60)
    sample = pauci.Sample.from_survival(frame, "years", "died", "a", 4, **arguments)
    e = pauci.estimate(sample, measure)
    value, slopes = oracle(frame, 4, "a", measure, base, **options)
    assert e.value == pytest.approx(value, rel=1e-12)
    cuts = np.unique(frame["a"])
    shares = [pauci.Specificity(threshold=t).on(sample.ratings().curve) for t in cuts]
    after = np.searchsorted(shares, 0.57)
    ends = [
        oracle(frame, 4, "a", pauci.Specificity(threshold=t), base, **options)[1]
        for t in cuts[[after - 1, after]]
    ]
    end = np.array([z - z.mean() for z in ends]).T @ [
        shares[after] - 0.57,
        0.57 - shares[after - 1],
    ]
    z, _ = units_of(e)
    z = z[:, 0] / np.sqrt(60 / 59) - (slopes - slopes.mean())
    multiple = (z @ end) / (end @ end)
    assert abs(multiple) * np.abs(end).max() > 1e-3 * np.abs(slopes).max()
    np.testing.assert_allclose(z, multiple * end, atol=1e-5 * np.abs(slopes).max())


@pytest.mark.parametrize("group", [None, 1])
@pytest.mark.parametrize(
    "names",
    [
        ("weight", "frequency"),
        pytest.param(("weight", "frequency", "strata"), marks=pytest.mark.keep),
        pytest.param(("weight", "frequency", "strata", "cluster"), marks=pytest.mark.keep),
        ("frequency", "strata"),
        ("weight", "cluster", "competing"),
    ],
    ids="-".join,
)
def test_combined_designs_by_brute_force(names, group):
    """Some rows have the weight or frequency 0."""
    frame = follow_up(40, seed=2, competing="competing" in names)
    rng = np.random.default_rng(5)
    frame = frame.assign(c=rng.integers(0, 25, 40), g=rng.integers(0, 2, 40))
    frame.loc[[3, 17], "w"] = 0.0
    frame.loc[[5, 17, 30], "k"] = 0
    columns = {"weight": "w", "frequency": "k", "strata": "site", "cluster": "c"}
    arguments = {name: columns.get(name, "control") for name in names}
    sample = pauci.Sample.from_survival(frame, "years", "died", "a", 4, **arguments, group="g")
    weight, copies = (
        frame[columns[name]].to_numpy() if name in names else np.ones(40, int)
        for name in ("weight", "frequency")
    )
    stratum = frame["site"].to_numpy() if "strata" in names else np.zeros(40)
    inside = np.ones(40, bool) if group is None else frame["g"].to_numpy() == group
    competing = arguments.get("competing", "exclude")

    def value(base):
        case, of_rows = oracle_weights(frame, 4, base, competing=competing, stratum=stratum)
        used = inside & (base * of_rows > 0)
        part = pauci.Sample(case[used], frame["a"][used], weight=(of_rows * base)[used])
        return pauci.AUC().on(part.ratings().curve)

    base = weight * copies
    steps = STEP * np.eye(40)
    z = np.array([(value(base * (1 + s)) - value(base * (1 - s))) / (2 * STEP) for s in steps])
    counted = weight > 0
    if "cluster" in names:
        units = np.unique(frame["c"][counted & (copies > 0)], return_inverse=True)[1]
        expected = standard_error(z[counted & (copies > 0)], units)
    else:
        z = z / np.maximum(copies, 1)
        expected = standard_error(np.repeat(z[counted], copies[counted]))
    if group is None:
        e = pauci.estimate(sample, pauci.AUC())
        (se,) = se_of_units(e)
    else:
        family = pauci.estimate(sample, pauci.AUC(), by="g")
        e, se = family[group], se_of_units(family)[group]
    assert e.value == pytest.approx(value(base), rel=1e-9)
    assert se == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    "variance", ["influence", "jackknife", pauci.Bootstrap(20, rng=1)], ids=repr
)
@pytest.mark.parametrize(("name", "column"), [("weight", "w"), ("frequency", "k")])
def test_rows_of_weight_zero_change_nothing(name, column, variance):
    frame = follow_up(30).assign(c=np.arange(30) // 2)
    more = pd.concat([frame, frame.sample(15, random_state=1).assign(**{column: 0})])
    for options in ({}, {"strata": "site"}, {"cluster": "c"}, {"weight": "w", "frequency": "k"}):
        options = {**options, name: column}
        numbers = []
        for rows in (frame, more.reset_index(drop=True)):
            sample = pauci.Sample.from_survival(rows, "years", "died", "a", 4, **options)
            e = pauci.estimate(sample, pauci.AUC(), variance)
            numbers.append([e.value, e.se, e.df, *e.rows.units, *e.interval()])
        assert numbers[1] == pytest.approx(numbers[0], rel=1e-9)
        assert sample.rows.uncounted == 15


def test_weights_of_all_designs_by_brute_force():
    for design, (arguments, options) in DESIGNS.items():
        frame = follow_up(60, competing=design in ("exclude", "control"))
        base = np.ones(60)
        if design in ("weight", "frequency"):
            base = frame["w" if design == "weight" else "k"].to_numpy(float)
        stratum = {"stratum": frame["site"].to_numpy()} if design == "strata" else {}
        case, weight = oracle_weights(frame, 4, base, **options, **stratum)
        rows = pauci.Sample.from_survival(frame, "years", "died", "a", 4, **arguments).rows
        expected = weight * base if design == "weight" else weight
        np.testing.assert_array_equal(rows.positive, case)
        np.testing.assert_allclose(
            rows.weight / rows.weight.max(), expected / expected.max(), rtol=1e-12
        )


def test_clusters_with_rows_of_weight_zero_only():
    frame = follow_up(60)
    lost = (frame["died"] == 0) & (frame["years"] <= 4)
    cluster = np.where(lost, np.where(np.arange(60) % 2, 90, 91), np.arange(60) // 2)
    sample = pauci.Sample.from_survival(
        frame.assign(c=cluster), "years", "died", "a", 4, cluster="c"
    )
    _, z = oracle(frame, 4, "a", pauci.AUC(), np.ones(60))
    unit = np.unique(cluster, return_inverse=True)[1]
    e = pauci.estimate(sample, pauci.AUC())
    assert e.se == pytest.approx(standard_error(z, unit), rel=1e-5)
    assert e.rows.clusters == unit.max() + 1
    assert e.rows.cluster_df < unit.max()
    counted = np.flatnonzero(sample.rows.weight)
    classes = [np.unique(unit[counted][sample.rows.positive[counted] == c]) for c in (0, 1)]
    assert e.df <= min(map(len, classes)) - 1


PBC = [  # timeROC, printed to ten digits
    (999.2, 0.8396437935, 0.02907690717),
    (1839.5, 0.8802501023, 0.02253470097),
    (3039.0, 0.8079404581, 0.03484583501),
]


@pytest.mark.parametrize(("horizon", "auc", "se"), PBC)
def test_mayo_pbc_data(horizon, auc, se, pbc):
    sample = pauci.Sample.from_survival(pbc, "time", "d", "bili", horizon)
    e = pauci.estimate(sample, pauci.AUC())
    assert e.value == pytest.approx(auc, abs=1e-9)
    assert e.se == pytest.approx(se, rel=1e-4)


@pytest.fixture(scope="module")
def pbc():
    return pd.read_csv(Path(__file__).parents[1] / "data" / "pbc.csv")


def test_paired_test_and_partial_area_of_pbc_in_one_call(pbc):
    sample = pauci.Sample.from_survival(pbc, "time", "d", ["bili", "age"], 1839.5)
    es = pauci.estimate(sample["bili"], [pauci.AUC(), pauci.PAUC(fpr=(0, 0.2))])
    assert es[1].value == pytest.approx(0.120928, abs=5e-7)
    cs = pauci.compare(sample, [pauci.AUC(), pauci.PAUC(fpr=(0, 0.2))])
    assert [c.pvalue < 0.001 for c in cs] == [True, True]
    text = " ".join(cs[0].summary().split())
    assert "events (d = 1) by 1839.5" in text
    assert "70 rows censored before 1839.5" in text
    assert "events precede censorings" in text


def test_without_censoring_the_sample_is_that_of_the_labels():
    frame = follow_up(80).assign(died=1)
    e, known = (
        pauci.estimate(s, pauci.PAUC(fpr=(0, 0.3)))
        for s in (
            pauci.Sample.from_survival(frame, "years", "died", "a", 3),
            pauci.Sample(frame["years"] <= 3, frame["a"]),
        )
    )
    assert e.value == pytest.approx(known.value, rel=1e-12)
    assert e.se == pytest.approx(known.se, rel=0.02)  # n/(n - 1) in place of a factor by class


def test_arrays_and_columns_are_the_same_data():
    frame = follow_up()
    first = pauci.Sample.from_survival(frame, "years", "died", ["a", "b"], 4, strata="site")
    second = pauci.Sample.from_survival(
        time=frame["years"].to_numpy(),
        event=frame["died"].to_list(),
        scores={"a": frame["a"], "b": frame["b"]},
        horizon=4,
        strata=frame["site"],
    )
    a, b = (pauci.compare(s, pauci.PAUCc(fpr=(0, 0.2))) for s in (first, second))
    assert (a.difference, a.se) == (b.difference, b.se)
    third = pauci.compare(pickle.loads(pickle.dumps(first)), pauci.PAUCc(fpr=(0, 0.2)))
    assert third.se == a.se


def test_time_scale_row_order_and_copies_change_nothing():
    frame = follow_up()
    measure = pauci.AP()
    e = pauci.estimate(pauci.Sample.from_survival(frame, "years", "died", "a", 4), measure)
    scaled = frame.assign(years=365.25 * frame["years"]).sample(frac=1, random_state=1)
    other = pauci.estimate(
        pauci.Sample.from_survival(scaled, "years", "died", "a", 4 * 365.25), measure
    )
    assert [e.value, e.se] == pytest.approx([other.value, other.se], rel=1e-12)
    copies, by_count = frame.loc[frame.index.repeat(frame["k"])].reset_index(), frame
    ones, counts = (
        pauci.estimate(
            pauci.Sample.from_survival(f, "years", "died", "a", 4, frequency=k),
            measure,
        )
        for f, k in ((copies, None), (by_count, "k"))
    )
    assert [ones.value, ones.se] == pytest.approx([counts.value, counts.se], rel=1e-10)


def test_given_weights_are_known():
    frame = follow_up()
    case, weight = oracle_weights(frame, 4, np.ones(80))
    frame["g"] = np.where(weight > 0, weight, 7.0)  # not used
    sample = pauci.Sample.from_survival(frame, "years", "died", "a", 4, censoring="g")
    known = pauci.Sample(case, frame["a"], weight=weight)
    e, other = (pauci.estimate(s, pauci.AUC()) for s in (sample, known))
    assert e.value == pytest.approx(other.value, rel=1e-12)
    assert e.se == pytest.approx(other.se, rel=0.02)
    estimated = pauci.Sample.from_survival(frame, "years", "died", "a", 4)
    assert pauci.estimate(estimated, pauci.AUC()).se != pytest.approx(e.se, rel=1e-6)
    assert "given weights" in " ".join(e.summary().split())


def test_given_weights_below_1_may_be_probabilities(recwarn):
    frame = follow_up()
    weight = 1.0 / np.linspace(1.0, 0.3, 80)
    used = oracle_weights(frame, 4, np.ones(80))[1] > 0
    right = (weight, weight / weight.mean(), weight / weight[used].mean(), weight / weight.sum())
    for given in (*right, np.where(used, weight, 0.2)):
        pauci.Sample.from_survival(frame.assign(g=given), "years", "died", "a", 4, censoring="g")
    assert not [w for w in recwarn if w.category is pauci.errors.DoubtfulDataWarning]
    for given in (1.0 / weight, weight * 0.5, weight / weight.max()):
        with pytest.warns(
            pauci.errors.DoubtfulDataWarning, match="column 'g' has weights down.*1/p"
        ):
            pauci.Sample.from_survival(
                frame.assign(g=given), "years", "died", "a", 4, censoring="g"
            )


def test_groups_have_the_weights_of_all_rows():
    frame = follow_up()
    sample = pauci.Sample.from_survival(frame, "years", "died", "a", 4, group="site")
    r = pauci.estimate(sample, pauci.AUC(), by="site")
    case, weight = oracle_weights(frame, 4, np.ones(80))
    for e, site in zip(r, (0, 1), strict=True):
        inside = frame["site"].to_numpy() == site
        known = pauci.Sample(case[inside], frame["a"][inside], weight=weight[inside])
        assert e.value == pytest.approx(pauci.AUC().on(known.ratings().curve), rel=1e-12)
        assert (e.n_pos, e.n_neg) == (known.n_pos, known.n_neg)
    arrays = pauci.Sample.from_survival(
        time=frame["years"],
        event=frame["died"],
        scores=frame["a"],
        horizon=4,
        group={"site": frame["site"]},
    )
    assert pauci.estimate(arrays, pauci.AUC(), by="site").gaps[0].se == r.gaps[0].se


@pytest.mark.parametrize("measure", [pauci.PAUC(threshold=(-2.5, 1.5)), pauci.AP()], ids=repr)
def test_folds_have_the_weights_of_all_rows(measure):
    n = 45
    frame = follow_up(n).assign(fold=np.arange(n) % 3)

    def value(copies):
        case, weight = oracle_weights(frame, 4, copies)
        values = []
        for k in range(3):
            i = frame["fold"].to_numpy() == k
            part = pauci.Sample(case[i], frame["a"][i], weight=(weight * copies)[i])
            values.append(measure.on(part.ratings().curve))
        return np.mean(values)

    z = np.empty(n)
    for k in range(n):
        step = STEP * (np.arange(n) == k)
        z[k] = (value(1 + step) - value(1 - step)) / (2 * STEP)
    sample = pauci.Sample.from_survival(frame, "years", "died", ["a", "b"], 4, fold="fold")
    e = pauci.estimate(sample["a"], measure)
    assert e.folds == 3
    assert e.value == pytest.approx(value(np.ones(n)), rel=1e-12)
    assert se_of_units(e) == pytest.approx(standard_error(z), rel=1e-5)
    low, high = e.interval()
    assert low < e.value < high
    assert 0 < pauci.compare(sample, measure).pvalue <= 1
    drawn = pauci.estimate(sample["a"], measure, pauci.Bootstrap(60, rng=1))
    assert drawn.se == pytest.approx(se_of_units(e)[0], rel=0.35)


def test_sampling_weights_without_censoring_are_not_taken_for_probabilities(recwarn):
    frame = follow_up().assign(died=1)
    pauci.Sample.from_survival(frame, "years", "died", "a", 3, weight="w")
    assert not recwarn.list


def test_measures_of_risks_and_points():
    frame = follow_up(60)
    frame["risk"] = 1 / (1 + np.exp(-frame["a"] / 3))
    sample = pauci.Sample.from_survival(frame, "years", "died", "risk", 4)
    measures = [pauci.Brier(), pauci.Sensitivity(fpr=0.2), pauci.PPV(threshold=0.6)]
    es = pauci.estimate(sample, measures)
    for e, measure in zip(es, measures, strict=True):
        value, z = oracle(frame, 4, "risk", measure, np.ones(60))
        assert e.value == pytest.approx(value, rel=1e-10)
        if "Sensitivity" not in repr(measure):  # which has no derivative at a step of the curve
            assert e.se == pytest.approx(standard_error(z), rel=1e-4)


def refused(match, frame=None, **arguments):
    frame = follow_up() if frame is None else frame
    options = {"time": "years", "event": "died", "scores": "a", "horizon": 4} | arguments
    with pytest.raises((ValueError, TypeError), match=match):
        pauci.Sample.from_survival(frame, **options)


def test_bad_input():
    frame = follow_up()
    refused("negative", frame.assign(years=frame["years"] - 3))
    refused("missing", frame.assign(years=frame["years"].where(frame.index != 3)))
    refused("missing", frame.assign(died=frame["died"].where(frame.index != 3)))
    refused("whole numbers", frame.assign(died=frame["died"].map({0: "alive", 1: "dead"})))
    refused("whole numbers", frame.assign(died=frame["died"] / 2))
    refused("negative", frame.assign(died=frame["died"] - 1))
    refused("event_value=3.*not the code", event_value=3)
    refused("event_value=0.*not the code", event_value=0)
    refused("not the code of an event", frame.assign(died=0))
    refused("before the last follow-up", horizon=float(frame["years"].max()))
    refused("before the last follow-up", horizon=1e6)
    refused("above 0", horizon=0)
    refused("finite", horizon=np.nan)
    refused("horizon= is missing", horizon=None)
    refused("time= is missing", time=None)
    refused("precedes the first event", frame.assign(years=frame["years"] + 5), horizon=1)
    refused("'yeers'.*not a column.*years", time="yeers")
    refused("competing", competing="control2")
    refused("the column of the times", scores=["a", "years"])
    refused("strata", strata="site", censoring="w")
    refused("pass arrays", frame.to_numpy())
    early = frame["years"].where(frame["site"] == 0, np.minimum(frame["years"], 2))
    gone = frame.assign(years=early, died=np.where(early == 2, 0, frame["died"]))
    refused("in a stratum", gone, strata="site")
    zero = frame.assign(years=frame["years"].where(frame.index != 0, 0))
    assert pauci.Sample.from_survival(zero, "years", "died", "a", 4).n_pos, "0 is allowed"


def test_bad_arrays():
    arrays = {"time": [1, 2, 3, 4], "event": [1, 0, 1, 0], "scores": [4, 3, 2, 1], "horizon": 2}
    for match, changed in (
        ("missing value", {"event": [1, None, 0, 1]}),
        ("scores has 3 rows", {"scores": [1, 2, 3]}),
        ("time has 3 rows", {"time": [1, 2, 3]}),
        ("finite", {"time": [1, 2, np.inf, 4]}),
        ("weight", {"weight": [0, 0, 0, 0]}),
        ("not numbers", {"time": pd.to_timedelta([1, 2, 3, 4], "D")}),
        ("drop_missing", {"drop_missing": True}),
        ("horizon", {"horizon": []}),
    ):
        with pytest.raises((ValueError, TypeError), match=match):
            pauci.Sample.from_survival(**arrays | changed)


def test_missing_rows_are_dropped_on_request():
    frame = follow_up()
    frame.loc[[3, 5], ["years", "a"]] = np.nan
    with pytest.warns(MissingRowsWarning, match="2 of 80 rows"):
        sample = pauci.Sample.from_survival(frame, "years", "died", "a", 4, drop_missing=True)
    clean = pauci.Sample.from_survival(frame.drop([3, 5]), "years", "died", "a", 4)
    a, b = (pauci.estimate(s, pauci.AUC()) for s in (sample, clean))
    assert (a.value, a.se, a.excluded.dropped) == (b.value, b.se, 2)


def test_warnings():
    frame = follow_up(200, seed=3)
    with pytest.warns(CensoringWarning, match="rows had the event by"):
        pauci.Sample.from_survival(frame.head(40), "years", "died", "a", 1)
    with pytest.warns(CensoringWarning, match="followed beyond"):
        pauci.Sample.from_survival(frame, "years", "died", "a", 11)
    times = np.arange(1.0, 301.0)
    lost = {"time": times, "event": times % 9 < 1, "scores": times % 7}
    with pytest.warns(CensoringWarning, match="probability of being uncensored"):
        pauci.Sample.from_survival(**lost, horizon=279)
    with pytest.warns(DoubtfulDataWarning, match="no 0"):
        pauci.Sample.from_survival(frame.assign(died=frame["died"] + 1), "years", "died", "a", 4)


def left_out(frame, value, cluster=None, frequency=None):
    """Return the values without each row or cluster, or a single copy, by samples made anew."""
    if cluster is not None:
        return [value(frame[frame[cluster] != c]) for c in np.unique(frame[cluster])]
    if frequency is None:
        return [value(frame.drop(i)) for i in frame.index]
    found = []
    for i, k in frame[frequency].items():
        other = frame.assign(**{frequency: frame[frequency] - (frame.index == i)})
        found += [value(other)] * k
    return found


@pytest.mark.parametrize(
    "options", [{"strata": "site", "weight": "w"}, {"frequency": "k"}, {"cluster": "c"}], ids=repr
)
def test_the_jackknife_estimates_weights_without_each_unit(options):
    frame = follow_up(48, seed=4).assign(c=np.arange(48) // 2)
    measures = [pauci.AUC(), pauci.AP()]

    def read(rows):
        return pauci.Sample.from_survival(rows, "years", "died", ["a", "b"], 4, **options)

    def values(rows):
        sample = read(rows)
        return [m.on(sample.ratings(name).curve) for name in ("a", "b") for m in measures]

    units = {k: v for k, v in options.items() if k in ("cluster", "frequency")}
    v = np.array(left_out(frame, values, **units))
    n, deviations = len(v), v - v.mean(axis=0)
    es = pauci.estimate(read(frame), measures, pauci.Jackknife())
    np.testing.assert_allclose(es.cov, (n - 1) / n * deviations.T @ deviations, rtol=1e-9)
    biases = (n - 1) * (v.mean(axis=0) - values(frame))
    np.testing.assert_allclose([e.bias for e in es], biases, rtol=1e-7)


def test_the_jackknife_of_groups_leaves_out_rows_of_all_groups():
    frame = follow_up(40)

    def estimates(rows, variance="influence"):
        sample = pauci.Sample.from_survival(rows, "years", "died", "a", 4, group="site")
        return pauci.estimate(sample, pauci.AUC(), variance, by="site")

    v = np.array(left_out(frame, lambda rows: [e.value for e in estimates(rows)]))
    r = estimates(frame, pauci.Jackknife())
    expected = [standard_error(x) * 39 / 40 for x in (*v.T, v[:, 1] - v[:, 0])]
    assert [r[0].se, r[1].se, r.gaps[0].se] == pytest.approx(expected, rel=1e-9)


def test_the_jackknife_agrees_with_influence(pbc):
    sample = pauci.Sample.from_survival(pbc, "time", "d", ["bili", "age"], 1839.5)
    drawn, known = (pauci.compare(sample, pauci.AUC(), v) for v in ("jackknife", "influence"))
    assert drawn.se == pytest.approx(known.se, rel=0.01)


def test_the_jackknife_of_many_rows_and_stratified_resamples_are_refused(monkeypatch):
    sample = pauci.Sample.from_survival(follow_up(), "years", "died", "a", 4)
    monkeypatch.setattr(leave_one_out, "_MOST_ESTIMATIONS", 79)
    with pytest.raises(pauci.InputError, match="each of 80 rows, and accepts at most 79"):
        pauci.estimate(sample, pauci.AUC(), pauci.Jackknife())
    with pytest.raises(pauci.InputError, match=r"stratified.*Use scheme='cohort', or None"):
        pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(50, scheme="stratified"))


@pytest.mark.parametrize("cluster", [None, "c"])
def test_resamples_of_frequencies_are_those_of_their_copies(cluster):
    frame = follow_up(50).assign(c=np.arange(50) // 3)
    copies = frame.loc[frame.index.repeat(frame["k"])].reset_index(drop=True)
    first, second = (
        pauci.estimate(
            pauci.Sample.from_survival(f, "years", "died", "a", 4, frequency=k, cluster=cluster),
            pauci.AUC(),
            pauci.Bootstrap(60, rng=1),
        )
        for f, k in ((frame, "k"), (copies, None))
    )
    assert first.se == pytest.approx(second.se, rel=1e-9)
    assert first.interval(0.9) == pytest.approx(second.interval(0.9), rel=1e-9)


@pytest.mark.parametrize(("weight", "strata"), [(None, None), ("w", None), ("w", "site")])
def test_each_resample_has_its_own_weights_for_censoring(weight, strata):
    frame = follow_up(60)
    sample = pauci.Sample.from_survival(
        frame, "years", "died", ["a", "b"], [4, 6], weight=weight, strata=strata
    )
    stratum = None if strata is None else frame[strata].to_numpy()
    columns = [sample.at(t).ratings(m) for t in (4, 6) for m in ("a", "b")]
    pool = EstimatedWeightsPool(
        sample.rows, columns, "cohort", 1, index=[np.arange(60)] * len(columns)
    )
    times = np.random.default_rng(1).integers(0, 3, 60)
    base = times * (1.0 if weight is None else frame["w"].to_numpy())
    found = iter(pool.weighted(times))
    scales = set()
    for t in (4, 6):
        case, of_rows = oracle_weights(frame, t, base, stratum=stratum)
        for m in ("a", "b"):
            group = np.unique(-frame[m], return_inverse=True)[1]
            for counts, inside in zip(next(found), (case, ~case), strict=True):
                mass = np.where(inside & (times > 0), of_rows * base, 0.0)
                expected = np.bincount(group, mass)
                scales.add(round(counts.sum() / expected.sum(), 9))
                np.testing.assert_allclose(
                    counts / counts.sum(), expected / expected.sum(), rtol=1e-12
                )
    assert len(scales) == 1, "weights have a common scale"


def test_a_resample_of_a_group_has_its_rows_only():
    frame = follow_up(60)
    sample = pauci.Sample.from_survival(frame, "years", "died", "a", 4)
    rows = sample.rows.within(np.flatnonzero(frame["site"]))
    part = sample.part(rows, np.arange(60)).ratings()
    pool = EstimatedWeightsPool(sample.rows, [part], "cohort", 1, index=[np.arange(60)])
    ((pos, neg),) = pool.weighted(np.ones(60, int))
    assert pos.sum() / neg.sum() == pytest.approx(
        rows.weight[rows.positive].sum() / rows.weight[~rows.positive].sum()
    )
    assert pos.sum() < pool.rows.weight_map.weights()[rows.positive].sum()


def test_the_bootstrap_agrees_with_influence(pbc):
    sample = pauci.Sample.from_survival(pbc, "time", "d", ["bili", "age"], [999.2, 3039.0])
    for measure in (pauci.AP(), pauci.PAUC(fpr=(0, 0.2))):
        drawn, known = (
            pauci.compare(sample, measure, v) for v in (pauci.Bootstrap(150, rng=1), "influence")
        )
        for a, b in zip([*drawn, *drawn.gaps], [*known, *known.gaps], strict=True):
            assert a.se == pytest.approx(b.se, rel=0.2)


def test_horizons_are_parts_of_the_same_rows():
    frame, measure = follow_up(40), pauci.PAUC(threshold=(-2.5, 1.5))
    sample = pauci.Sample.from_survival(frame, "years", "died", ["a", "b"], [3, 6])
    z = {(t, m): oracle(frame, t, m, measure, np.ones(40))[1] for t in (3, 6) for m in ("a", "b")}
    r = pauci.estimate(sample["a"], measure)
    assert (r.by, r.groups) == ("horizon", [3.0, 6.0])
    assert r[0].value == pauci.estimate(sample.at(3)["a"], measure).value
    assert [*se_of_units(r), *se_of_units(r.gaps)] == pytest.approx(
        [standard_error(v) for v in (z[3, "a"], z[6, "a"], z[6, "a"] - z[3, "a"])], rel=1e-5
    )
    average = r.contrast([0.5, 0.5])
    expected = standard_error((z[3, "a"] + z[6, "a"]) / 2)
    assert se_of_units(average) == pytest.approx(expected, rel=1e-5)
    assert average.value == pytest.approx((r[0].value + r[1].value) / 2, rel=1e-12)
    assert len(r.simultaneous()) == 2
    assert 0 < r.heterogeneity().pvalue < 1
    c = pauci.compare(sample, measure)
    assert se_of_units(c) == pytest.approx(
        [standard_error(z[t, "a"] - z[t, "b"]) for t in (3, 6)], rel=1e-5
    )
    assert c[1].se == pytest.approx(pauci.compare(sample.at(6), measure).se, rel=1e-12)
    assert se_of_units(c.gaps) == pytest.approx(
        standard_error(z[6, "a"] - z[6, "b"] - z[3, "a"] + z[3, "b"]), rel=1e-5
    )
    assert 0 < c.joint().pvalue < 1
    assert "by the horizon against" in " ".join(c.summary().split())


def test_a_single_horizon_in_a_list_and_clusters():
    frame = follow_up().assign(c=np.arange(80) // 2)
    e = pauci.estimate(
        pauci.Sample.from_survival(frame, "years", "died", "a", [4], cluster="c"), pauci.AUC()
    )
    both = pauci.Sample.from_survival(frame, "years", "died", "a", [4, 6], cluster="c")
    r = pauci.estimate(both, pauci.AUC())
    assert (r[0].value, r[0].df) == (e.value, e.df)
    assert r[0].se == pytest.approx(e.se, rel=1e-12)
    assert r.shared_units == "clusters"


def test_words_about_several_horizons():
    sample = pauci.Sample.from_survival(follow_up(), "years", "died", ["a", "b"], [3, 5.5])
    r, c = pauci.estimate(sample["a"], pauci.AUC()), pauci.compare(sample, pauci.AUC())
    assert "5.5 - 3" in r.summary()
    assert "(AUC) at horizon 3 was " in r.report()
    assert f"at horizon 5.5 was {r[1].value:.3f} (" in r.report()
    assert "horizons with shared rows" in " ".join(r.summary().split())
    assert "horizons with shared rows" in " ".join(r.gaps.summary().split())
    assert "horizon 5.5 - horizon 3" in r.gaps.report()
    assert "(AUC) at horizon 3 was " in c.report()
    assert "the difference horizon 5.5 - horizon 3, a - b was" in c.report()
    assert all("group" not in text for text in (r.report(), r.summary(), c.report(), c.summary()))
    assert r.to_frame()["group"].tolist() == [3.0, 5.5]
    assert pickle.loads(pickle.dumps(r)).report() == r.report()
    assert repr(r.groups) == "[3, 5.5]"
    with pytest.raises(pauci.InputError, match=r"has the horizons 3, 5\.5"):
        pauci.band(sample)


def test_what_has_no_meaning_for_several_horizons_is_refused():
    frame = follow_up()
    sample = pauci.Sample.from_survival(frame, "years", "died", "a", [3, 5])
    clustered = pauci.Sample.from_survival(frame, "years", "died", "a", 3, cluster="k")
    for call in (
        lambda: pauci.estimate(sample, pauci.AUC(), by=frame["site"]),
        lambda: pauci.estimate(sample, pauci.AUC(), reference="overall"),
        lambda: pauci.estimate([sample, sample.at(3)], pauci.AUC()),
        lambda: pauci.band(sample),
        lambda: pauci.estimate([clustered, clustered], pauci.AUC(), shared_clusters=True),
        lambda: sample.n_pos,
        lambda: sample.at(4),
    ):
        with pytest.raises(pauci.InputError):
            call()
    refused("different numbers", horizon=[3, 3])
    refused("must be a number with given", horizon=[3, 5], censoring="w")
