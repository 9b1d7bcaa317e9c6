"""Tests against a margin state the margin, the conclusion and the one-sided bound."""

import math
import re

import numpy as np
import pytest

import pauci
from pauci.results.captions import conclusion_phrase
from pauci.results.facts import Fact
from reader_studies import roe_metz

RNG = np.random.default_rng(4)
Y = np.repeat([1, 0], [60, 80])
COMMON = RNG.normal(size=140) + 1.2 * Y
SAMPLE = pauci.Sample(Y, {n: COMMON + 0.5 * RNG.normal(size=140) for n in "abc"})


@pytest.mark.parametrize(
    ("null", "alternative", "low", "words"),
    [
        (-0.05, "greater", -0.041, "non-inferior at margin 0.05: lower 97.5% bound -0.041"),
        (-0.05, "greater", -0.05, "non-inferiority at margin 0.05 not shown: lower 97.5% bound"),
        (-0.05, "greater", -0.06, "non-inferiority at margin 0.05 not shown: lower 97.5% bound"),
        (0.05, "greater", 0.06, "superior by more than 0.05: lower 97.5% bound 0.060"),
        (0.05, "greater", 0.04, "superiority by more than 0.05 not shown: lower"),
        (0.0, "greater", 0.04, ""),
        (-0.05, "two-sided", 0.04, ""),
    ],
)
def test_the_conclusion_follows_from_the_bound(null, alternative, low, words):
    high = math.inf if alternative == "greater" else 0.2
    record = {"null": null, "alternative": alternative}
    phrase = conclusion_phrase(Fact(0.2, low, high, record=record), 0.975)
    assert phrase.startswith(words)
    assert bool(phrase) == bool(words)
    if words:
        mirrored = {"null": -null, "alternative": "less"}
        mirrored = conclusion_phrase(Fact(-0.2, -math.inf, -low, record=mirrored), 0.975)
        assert "upper 97.5% bound" in mirrored
        assert mirrored.split(":")[0] == words.split(":")[0]


@pytest.mark.parametrize("level", [0.8, 0.95, 0.975])
def test_the_conclusion_agrees_with_the_p_value(level):
    c = pauci.compare(SAMPLE, pauci.AUC(), pair=("a", "b"))
    for shift in (-1e-6, 1e-6):
        null = c.difference - 2.0 * c.se + shift
        for distance in np.linspace(-0.03, 0.03, 7):
            margin = min(null + distance, -1e-3)
            test = pauci.compare(
                SAMPLE, pauci.AUC(), null=margin, alternative="greater", pair=("a", "b")
            )
            shown = "Non-inferior at margin" in test.report(level)
            assert shown == (test.pvalue < 1 - level)
            assert shown == (test.interval(level).low > margin)
            assert f"lower {100 * level:g}% bound" in test.report(level)
            assert "a - b" in test.report(level)


@pytest.mark.parametrize("adjust", ["holm", "max-t", "none"])
def test_conclusions_of_families_use_adjusted_p_values(adjust):
    for margin in (-0.03, -0.06, -0.2):
        cs = pauci.compare(SAMPLE, pauci.AUC(), null=margin, alternative="greater", adjust=adjust)
        adjusted = cs.to_frame()["p_adjusted"]
        shown = [
            f"Non-inferior at margin {-margin:g}: lower 95% bound {end.low:.3f}" in cs.report()
            for end in (cs.simultaneous() if adjust == "max-t" else [c.interval() for c in cs])
        ]
        assert shown == (adjusted < 0.05).tolist()
        text = " ".join(cs.summary().split())
        assert text.count("non-inferior at margin") == sum(shown)
        assert text.count("not shown") == 3 - sum(shown)


def test_one_classifier_against_a_value():
    e = pauci.estimate(SAMPLE["a"], pauci.AUC())
    for null in np.linspace(e.value - 3 * e.se, e.value - e.se, 9):
        test = e.test(null, "greater")
        for level in (0.95, 0.975):
            text = test.report(level)
            assert (f"AUC above {null:.4g}: lower" in text) == (test.pvalue < 1 - level)
            assert f"{100 * level:g}% bound {e.interval(2 * level - 1).low:.3f}" in text
        assert "lower 95% bound" in " ".join(test.summary().split())
    assert "upper 95% bound" in e.test(0.99, "less").report()
    assert "bound" not in e.test(0.6).report()


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_reader_studies_state_the_margin():
    study = pauci.ReaderStudy.from_frame(roe_metz(np.random.default_rng(5), 4, 25, 30))
    for margin, shown in ((-0.3, True), (-0.001, False)):
        m = pauci.mrmc(study, pauci.AUC(), null=margin, alternative="greater", pair=("B", "A"))
        low = m.to_frame(0.975)["low"].item()
        assert (low > margin) is shown
        words = "Non-inferior at margin 0.3" if shown else "Non-inferiority at margin 0.001 not"
        assert words in m.report(0.975)
        assert "(B - A)" in m.report(0.975)
        assert words[1:] in " ".join(m.summary(0.975).split())


@pytest.mark.parametrize("higher_is_better", [True, False, None])
@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("null", [-0.05, 0.05])
def test_the_conclusion_is_about_the_classifier_that_the_alternative_favours(
    null, alternative, higher_is_better
):
    """Of a - b below -0.05, larger values being better, b is better by more than 0.05."""
    ends = (null + 0.01, math.inf) if alternative == "greater" else (-math.inf, null - 0.01)
    f = Fact(null, *ends, record={"null": null, "alternative": alternative})
    words = conclusion_phrase(f, 0.95, higher_is_better=higher_is_better, second="b")
    if higher_is_better is None:
        expected = f"difference {'above' if alternative == 'greater' else 'below'} {null:g}"
    else:
        # The difference in favour of one of them is above the margin, or above minus the margin.
        sign = 1.0 if alternative == "greater" else -1.0
        is_superior = sign * null > 0.0
        name = "" if (alternative == "greater") == higher_is_better else " of b"
        noun = "superiority" if is_superior else "non-inferiority"
        margin = "by more than 0.05" if is_superior else "at margin 0.05"
        expected = f"{noun}{name} {margin} shown"
        if not name:
            expected = f"{'superior' if is_superior else 'non-inferior'} {margin}"
    assert words.split(":")[0] == expected


def one_sided_results(alternative):
    estimates = pauci.estimate(SAMPLE, pauci.AUC())
    options = {"alternative": alternative}
    yield pauci.compare(SAMPLE, pauci.AUC(), **options)
    yield pauci.compare(SAMPLE, pauci.AUC(), pair=("a", "b"), **options)
    yield pauci.compare(SAMPLE, pauci.AUC(), adjust="max-t", **options)
    yield pauci.compare(SAMPLE, pauci.AUC(), by=np.arange(140) % 2, **options)
    yield pauci.scan(SAMPLE[["a", "b"]], pauci.PAUC, fpr=[0.3, 0.6], rng=1, **options)
    differences = [estimates.contrast([1, -1, 0], null=null, **options) for null in (0.0, 0.1)]
    yield pauci.join([*differences, estimates.contrast([0.5, 0.5, 0], null=0.5, **options)])
    study = pauci.ReaderStudy.from_frame(roe_metz(np.random.default_rng(5), 4, 25, 30))
    yield pauci.mrmc(study, pauci.AUC(), **options)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_intervals_are_bounds_in_tables_sentences_and_figures(alternative):
    pytest.importorskip("matplotlib").use("agg")
    side = "at least" if alternative == "greater" else "at most"
    for result in one_sided_results(alternative):
        texts = [result.summary(), result.report(), result.to_html(), result.to_latex()]
        texts += [result.to_markdown(style=style) for style in ("plain", "apa", "ama")]
        axes = result.plot()
        texts.append(" ".join(t.get_text() for t in axes.findobj(lambda a: hasattr(a, "get_text"))))
        for text in texts:
            assert not re.search(r"\binf\b|\N{INFINITY}|infty", text)
        assert all(side in text for text in texts[:4])
        ends = result.to_frame()[["low", "high"]].to_numpy(float)
        assert np.isinf(ends).any()


def test_differences_of_net_benefit_state_their_kinds_of_intervals():
    risks = {name: 1.0 / (1.0 + np.exp(-SAMPLE.ratings(name).values)) for name in "ab"}
    table = pauci.risk_table(pauci.Sample(Y, risks), probability=[0.3, 0.5])
    kinds = {c.kind_used() for c in table.differences}
    assert kinds == {"wald", "newcombe"}
    assert "Differences: t, from both intervals" in " ".join(table.summary().split())


def test_groups_that_share_clusters_say_so_if_each_cluster_has_one_row_in_a_group():
    """Two eyes of a patient, one in each group, are two rows of one cluster."""
    eye, patient = np.tile(["left", "right"], 70), np.repeat(np.arange(70), 2)
    sample = pauci.Sample(Y, SAMPLE.ratings("a").values, cluster=patient, group=eye)
    groups = pauci.estimate(sample, pauci.AUC(), by="group")
    assert groups[0].rows.clusters is None
    assert "groups with shared clusters" in " ".join(groups.summary().split())
    assert groups.gaps[0].pairing == "groups with shared clusters"
