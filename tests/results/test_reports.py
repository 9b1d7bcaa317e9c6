"""The output of results: numbers, frames, tables and sentences, and the modules they load."""

import dataclasses
import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from columns import COMPARISON_COLUMNS, ESTIMATE_COLUMNS
from fresh_process import loaded_by
from pauci import AUC, PAUC, Interval, PAUCc, PAUCx, Sample, compare, estimate
from pauci.tables import number_format as fmt
from pauci.tables.table import EstimateCell
from pauci.tables.tabular import as_csv

RNG = np.random.default_rng(7)
Y = np.repeat([0, 1], [70, 50])
SAMPLE = Sample(Y, {"svm": Y + RNG.normal(size=120), "nn": 0.7 * Y + RNG.normal(size=120)})
OTHER = Sample(Y, Y + RNG.normal(size=120), name="film")
PART = PAUCc(fpr=(0, 0.3))


def single():
    return estimate(SAMPLE["svm"], PART)


def several():
    return estimate(SAMPLE, [AUC(), PART])


def paired():
    return compare(SAMPLE, PART)


def independent():
    return compare([SAMPLE["svm"], OTHER], PART, independent=True)


def rounded(value):
    """A number with two digits of the standard errors of these data, 0.03 to 0.07."""
    return f"{value:.3f}"


def contains(text, *words):
    for word in words:
        assert word in text


# Words and numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (1 / 3, "0.3333"),
        (12345.6, "1.235e+04"),
        (math.inf, "inf"),
        ("mid", "mid"),
        (5, "5"),
    ],
)
def test_bound(value, text):
    assert fmt.bound(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "p < 0.001"),
        (0.0009, "p < 0.001"),
        (0.001, "p = 0.001"),
        (0.0314, "p = 0.031"),
        (1.0, "p = 1.000"),
    ],
)
def test_p_value(value, text):
    assert fmt.p_value(value) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.1, 0.25, "0.120 (95% CI 0.100 to 0.250)"),
        (-0.1, math.inf, "0.120 (95% CI at least -0.100)"),
        (-math.inf, 0.2, "0.120 (95% CI at most 0.200)"),
        (-math.inf, math.inf, "0.120 (95% CI unbounded)"),
    ],
)
def test_limits_in_sentences(low, high, text):
    assert EstimateCell(0.12, low, high, one_sided=True).sentence("95% CI") == text


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_reports_of_few_replicates_say_that_an_end_is_beyond_them():
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [30, 40])
    sample = pauci.Sample(y, {"a": rng.normal(size=70) + y, "b": rng.normal(size=70)})
    c = pauci.compare(sample, pauci.AUC(), variance=pauci.Bootstrap(30, rng=1))
    assert "95% CI unbounded" in c.report(kind="percentile")
    assert "Infinite limits are beyond all replicates." in c.summary(kind="percentile")
    greater = pauci.compare(
        sample, pauci.AUC(), alternative="greater", variance=pauci.Bootstrap(50, rng=1)
    )
    assert "95% CI at least 0." in greater.report(kind="percentile")
    assert "beyond" not in greater.report(kind="percentile")


# Frames


@pytest.mark.parametrize(
    ("make", "columns", "rows"),
    [
        pytest.param(single, ESTIMATE_COLUMNS, 1, id="Estimate"),
        pytest.param(several, ESTIMATE_COLUMNS, 4, id="Estimates"),
        pytest.param(paired, COMPARISON_COLUMNS, 1, id="Comparison"),
        pytest.param(independent, COMPARISON_COLUMNS, 1, id="independent"),
    ],
)
def test_columns(make, columns, rows):
    frame = make().to_frame()
    assert frame.columns.tolist() == columns
    assert len(frame) == rows


def test_frame_of_an_estimate():
    e = estimate(SAMPLE["svm"], PART)
    row = e.to_frame(level=0.9, kind="wald").iloc[0]
    assert (row["classifier"], row["measure"], row["region"]) == ("svm", "pAUCc", "FPR 0 to 0.3")
    assert (row["value"], row["se"]) == (e.value, e.se)
    assert (row["low"], row["high"]) == e.interval(0.9, "wald")
    assert (row["level"], row["kind"]) == (0.9, "wald")
    assert (row["fpr_low"], row["fpr_high"]) == (0.0, 0.3)
    assert (row["tpr_low"], row["tpr_high"]) == e.region.tpr
    assert (row["threshold_low"], row["threshold_high"]) == e.region.threshold
    assert (row["variance"], row["design"]) == ("influence", "cohort")
    assert (row["n_pos"], row["n_neg"]) == (50, 70)


def test_rows_run_through_the_measures_of_each_classifier():
    frame = estimate(SAMPLE, [AUC(), PART]).to_frame()
    assert frame["classifier"].tolist() == ["svm", "svm", "nn", "nn"]
    assert frame["measure"].tolist() == ["AUC", "pAUCc", "AUC", "pAUCc"]


def test_frame_of_a_comparison():
    c = compare(SAMPLE, PART, null=-0.05, alternative="greater")
    row = c.to_frame(level=0.9).iloc[0]
    assert (row["first"], row["second"], row["measure"]) == ("svm", "nn", "pAUCc")
    assert (row["difference"], row["se"]) == (c.difference, c.se)
    assert (row["statistic"], row["pvalue"]) == (c.statistic, c.pvalue)
    assert row["p_adjusted"] == c.pvalue
    assert (row["null"], row["alternative"]) == (-0.05, "greater")
    assert (row["low"], row["high"]) == c.interval(0.9)
    assert (row["level"], row["kind"], row["correlation"]) == (0.9, "wald", c.correlation)


# Sentences, of which the approved outputs show more


@pytest.mark.parametrize(("level", "kind"), [(0.95, "logit"), (0.9, "wald")])
def test_level_and_kind_reach_sentences(level, kind):
    es = estimate(SAMPLE, [AUC(), PART])
    low, high = es[1].interval(level, kind)
    ends = f"{100 * level:g}% CI {rounded(low)} to {rounded(high)}"
    contains(es[1].report(level, kind), ends)
    contains(es.report(level, kind), ends)
    assert len(es.report().split("\n")) == 2


def test_a_partial_area_over_a_fixed_range_is_an_average_rate():
    for normalized in (False, True):
        for measure, words in (
            (PAUCx(tpr=(0.5, 0.9), normalized=normalized), "average specificity at TPR 0.5 to 0.9"),
            (PAUC(fpr=(0, 0.3), normalized=normalized), "average sensitivity at FPR 0 to 0.3"),
        ):
            e = estimate(SAMPLE["svm"], measure)
            average = e.value if normalized else e.value / measure.largest_area
            contains(e.report(), f"The {words} was {rounded(average)} (")
            contains(e.summary(), rounded(average), words.partition(" ")[2].partition(" at ")[2])
            c = compare(SAMPLE, measure)
            factor = 1.0 if normalized else 1.0 / measure.largest_area
            contains(c.report(), f"difference {rounded(c.difference * factor)} (")
    assert "at " not in estimate(SAMPLE["svm"], AUC()).report()


# Formats


def test_special_characters_of_csv():
    frame = pd.DataFrame({"name": ["a|b_c&d%e$f#g"], "x": [1.5]})
    contains(as_csv(frame), "a|b_c&d%e$f#g,1.5")


def test_text_that_looks_like_a_number_stays_text():
    contains(as_csv(pd.DataFrame({"name": ["007", "1e5"]})), "007", "1e5")


# Results do not change


@pytest.mark.parametrize("make", [single, several, paired])
def test_results_are_frozen(make):
    result = make()
    names = [field.name for field in dataclasses.fields(result)]
    for name in [*names, "extra"]:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, name, 1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(result, name)


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        pytest.param(PART, "fpr", id="measure"),
        pytest.param(PART.region, "low", id="region"),
        pytest.param(estimate(SAMPLE["svm"], PART).region, "tpr", id="resolved region"),
    ],
)
def test_parts_of_results_are_frozen(thing, name):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(thing, name, (0, 1))


def test_an_interval_is_a_named_tuple():
    interval = estimate(SAMPLE["svm"], PART).interval()
    assert isinstance(interval, Interval)
    assert interval == (interval.low, interval.high)
    assert interval.low < interval.high
    with pytest.raises(AttributeError):
        interval.low = 0.0


# Modules loaded by the import


def test_estimates_do_not_load_pandas():
    loaded = loaded_by(
        "import pauci\n"
        "s = pauci.Sample([0, 1] * 9, {'a': [1, 3, 2, 2, 3, 4] * 3, 'b': [1, 2, 3, 3, 2, 4] * 3})\n"
        "pauci.estimate(s, [pauci.AUC()])[0].interval()\n"
        "pauci.compare(s, pauci.AUC()).pvalue\n"
    )
    assert not loaded & {"pandas", "statsmodels", "scipy.stats"}


def test_a_result_has_a_short_repr():
    for make in (single, several, paired, independent):
        result = make()
        assert len(repr(result)) < 400
        assert repr(result).startswith(type(result).__name__)
        assert "<table" in result._repr_html_()
        assert "<pre" not in result._repr_html_()
    boot = estimate(SAMPLE["svm"], PART, pauci.Bootstrap(50, rng=1))
    assert len(repr(boot)) < 120
    assert len(repr(boot.resampled)) < 120


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:kind='basic'")
def test_the_kind_is_used_in_tables_frames_and_sentences():
    boot = pauci.Bootstrap(400, rng=1)
    one = compare(SAMPLE, PART, variance=boot)
    several = compare(SAMPLE, [AUC(), PART], variance=boot)
    for kind in ("bca", "percentile", "basic", "student"):
        low, high = one.interval(kind=kind)
        row = one.to_frame(kind=kind).iloc[0]
        assert (row["low"], row["high"], row["kind"]) == (low, high, kind)
        assert row["pvalue"] == one.pvalue_of(kind)
        assert np.isnan(row["statistic"])
        text = " ".join(one.summary(kind=kind).split())
        contains(text, f"Differences: {fmt.proper(kind)}", "400 resamples")
        frame = several.to_frame(kind=kind)
        assert frame["kind"].tolist() == [kind, kind]
        assert frame["low"].tolist() == [c.interval(kind=kind).low for c in several]
        contains(" ".join(several.summary(kind=kind).split()), f"Differences: {fmt.proper(kind)}")
    together = compare(SAMPLE, [AUC(), PART], variance=boot, adjust="max-t").to_frame(kind="bca")
    assert (together["p_adjusted"] >= together["pvalue"]).all()
    with pytest.raises(ValueError, match="variance=pauci"):
        compare(SAMPLE, PART).interval(kind="bca")
    with pytest.raises(ValueError, match="variance=pauci"):
        single().interval(kind="student")


def test_summaries_contain_the_warnings():
    """The reason of each warning once, with the estimates concerned, without the hint."""
    y = np.repeat([1, 0], [12, 80])
    s = np.random.default_rng(4).normal(size=92) + y
    sample = pauci.Sample(y, {"a": s, "b": s + 0.5 * np.cos(np.arange(92))})
    asked = [pauci.PAUCc(fpr=(0, 0.1)), pauci.MaxKappa() - pauci.AUK(), pauci.AP()]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        es = pauci.estimate(sample, asked)
    said = {str(c).replace(" of b: ", " of a: ") for e in es for c in e.cautions}
    assert said == {re.sub(" of (a and b|b): ", " of a: ", str(w.message)) for w in caught}
    assert any(" of a and b: " in str(w.message) for w in caught)
    text = " ".join(es.summary().split())
    for e in es:
        for c in e.cautions:
            assert text.count(c.reason) == 1
            assert f"{e.classifier} {e.measure.label}" in text
            assert str(c).startswith(f"{e.measure!r} of {e.classifier}: {c.reason}")
    assert "Argument(" not in text
    assert "Name a threshold" not in text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        compared = pauci.compare(sample, pauci.MaxKappa() - pauci.AUK()).summary()
    assert "the threshold is chosen on the same data" in " ".join(compared.split())
