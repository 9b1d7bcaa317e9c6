"""Notes of tables: numbers of each group, and each caution once."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.results.captions import abbreviations_of
from pauci.tables import number_format as fmt
from pauci.tables.tabular import as_csv

pytestmark = pytest.mark.usefixtures("quiet")


def group(negatives, positives, *names):
    rng = np.random.default_rng(negatives)
    y = np.repeat([0, 1], [negatives, positives])
    return pauci.Sample(y, {name: rng.normal(size=y.size) + y for name in names})


SIZES = {"a": (60, 40), "b": (70, 30), "c": (80, 25), "d": (50, 50)}


def test_four_groups_are_all_counted():
    cs = pauci.compare([group(*n, name) for name, n in SIZES.items()], pauci.AUC())
    for result in (cs, cs.joint()):
        for text in (" ".join(result.summary().split()), result.to_markdown()):
            for name, (negatives, positives) in SIZES.items():
                assert f"{name}: {positives} positives, {negatives} negatives" in text
        assert "40 positives, 60 negatives and" not in result.to_markdown()


def test_classifiers_of_two_samples_have_distinct_names():
    first, second = group(60, 40, "a", "b"), group(70, 30, "a", "other")
    es = pauci.estimate([first, second], [pauci.AUC(), pauci.AP()])
    names = ["a (sample 1)"] * 2 + ["b"] * 2 + ["a (sample 2)"] * 2 + ["other"] * 2
    assert es.to_frame()["classifier"].tolist() == names
    assert [e.value for e in es["a (sample 2)"]] == [
        e.value for e in pauci.estimate(second["a"], [pauci.AUC(), pauci.AP()])
    ]
    text = " ".join(es.summary().split())
    assert "a (sample 1): 40 positives, 60 negatives" in text
    assert "a (sample 2): 30 positives, 70 negatives" in text


def in_folds(perfect):
    """Return four folds, some of which separate the classes."""
    y, fold = np.repeat([0, 1], 60), np.arange(120) % 4
    scores = np.random.default_rng(2).normal(size=120) + 1.5 * y
    scores[np.isin(fold, perfect) & (y == 1)] += 10.0
    return pauci.Sample(y, scores, fold=fold)


@pytest.mark.parametrize(
    ("perfect", "words"), [([1], "in fold 1, "), ([1, 3], "in 2 of 4 folds, such as fold 1, ")]
)
def test_a_caution_about_a_fold_names_it(perfect, words):
    with pytest.warns(pauci.errors.DegenerateWarning, match=words) as caught:
        e = pauci.estimate(in_folds(perfect), pauci.AUC())
    assert len(caught) == 1
    assert e.se > 0.01
    said = f"{words}the estimate, 1.000, has standard error 0"
    assert said in e.cautions[0].reason
    assert said in " ".join(e.summary().split())
    assert '"limit"' not in e.summary()


def test_cautions_common_to_all_folds_name_no_fold():
    y = np.tile([0, 1], 60)
    sample = pauci.Sample(y, np.arange(120) + 1000 * y, fold=np.arange(120) // 30)
    e = pauci.estimate(sample, pauci.AUC())
    assert e.se == 0.0
    assert "fold" not in e.cautions[0].reason
    assert 'kind "limit"' in e.cautions[0].reason


def few():
    """Return three classifiers with few observations inside the region."""
    y = np.repeat([1, 0], [12, 80])
    s = np.random.default_rng(4).normal(size=92) + 2 * y
    waves = {name: s + 0.2 * np.cos(k * np.arange(92)) for k, name in enumerate("abc")}
    return pauci.Sample(y, waves)


def test_several_comparisons_repeat_each_caution_once():
    part = pauci.PAUC(fpr=(0, 0.02))
    cs = pauci.compare(few(), [part, pauci.AUC()])
    reasons = {c.reason for c in cs[0].estimates[0].cautions}
    assert reasons
    for text in (cs.summary(), cs.to_markdown(), cs.to_html()):
        for reason in reasons:
            assert " ".join(text.split()).count(reason) == 1
    alike = "a pAUC, b pAUC, c pAUC: "
    shared = reasons.intersection(*({c.reason for c in e.cautions} for e in cs[1].estimates))
    assert alike in " ".join(cs.summary().split()) or not shared


def test_frames_repeat_cautions():
    part = pauci.PAUC(fpr=(0, 0.02))
    e, c = pauci.estimate(few()["a"], part), pauci.compare(few()[["a", "b"]], part)
    reason = e.cautions[0].reason
    assert e.to_frame()["cautions"].item() == " ".join(w.reason for w in e.cautions)
    assert f"a: {reason}" in c.to_frame()["cautions"].item()
    for result in (e, c):
        assert reason in as_csv(result.to_frame())
        found = result.to_dict()
        assert reason in found["rows"][0]["cautions"]
        assert type(e.cautions[0]).__name__ in {c["category"] for c in found["cautions"]}
    assert pauci.estimate(group(60, 40, "a"), pauci.AUC()).to_frame()["cautions"].item() is None


Y, ROW = np.arange(60) % 2, np.arange(60)
A = Y + np.random.default_rng(1).normal(size=60)
CODES, FOLDS = np.where(ROW < 3, 999, A), {"fold": ROW // 30}
FEW = "one of the classes occurs in only"


@pytest.mark.parametrize(
    ("sample", "about_auc", "about_ap"),
    [
        (pauci.Sample(Y, CODES), "score is 999 in 3 rows", "score is 999 in 3 rows"),
        (pauci.Sample(Y, CODES, **FOLDS), "in fold 0, score is 999", "in fold 0, score is 999"),
        (pauci.Sample(Y, A, design="case-control"), None, "AP() depends on the prevalence"),
        (pauci.Sample(Y, -A), "the AUC of score is", "the AUC of score is"),
        (pauci.Sample(Y, -A, **FOLDS), "the AUC of score, averaged", "the AUC of score, averaged"),
        (pauci.Sample(Y, A, cluster=ROW // 15), FEW, FEW),
        (pauci.Sample(Y, A, cluster=ROW // 10, **FOLDS), FEW, FEW),
        (pauci.Sample(Y, A, weight=1 + 999 * (ROW == 0)), "a few rows have", "a few rows have"),
        (pauci.fit_binormal(pauci.Sample(Y, A, design="case-control")), None, "AP() depends"),
    ],
)
def test_warnings_about_data_are_cautions_and_not_in_tables(sample, about_auc, about_ap):
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        es = pauci.estimate(sample, [pauci.AUC(), pauci.AP()])
    for e, words in zip(es, (about_auc, about_ap), strict=True):
        assert [str(c)[: len(words)] for c in e.cautions] == [words] if words else not e.cautions
    texts = list(dict.fromkeys(str(c) for e in es for c in e.cautions))
    assert [str(w.message) for w in issued] == texts
    assert [c["message"] for c in es.to_dict()["cautions"]] == texts
    assert about_ap not in " ".join(es.summary().split())


def test_warnings_about_classes_are_cautions():
    later = ROW % 3 + np.random.default_rng(1).normal(size=60)
    scores = {"reversed": -later, "later": later}
    sample = pauci.Sample.from_classes(ROW % 3, scores, cluster=ROW // 15)
    for e in pauci.estimate(sample, pauci.CIndex()):
        kinds = [pauci.errors.FewClustersWarning, pauci.errors.ReversedScoresWarning]
        assert [type(c) for c in e.cautions] == kinds[: 1 + (e.classifier == "reversed")]


def numbered_readers(missing):
    """Return a study with modalities 1 and 2 and some missing readings."""
    rng = np.random.default_rng(4)
    rows = [
        (r, m, c, c % 2, 0.5 * m * (c % 2) + rng.normal())
        for r in range(3)
        for m in (1, 2)
        for c in range(40)
    ]
    frame = pd.DataFrame(rows, columns=["reader", "modality", "case", "label", "score"])
    return pauci.ReaderStudy.from_frame(frame.iloc[missing:])


def test_numbers_as_names_do_not_read_as_a_subtraction():
    m = pauci.mrmc(numbered_readers(0), pauci.AUC())
    y = np.tile([0, 1], 20)
    rng = np.random.default_rng(1)
    sample = pauci.Sample(y, {name: rng.normal(size=40) + y for name in ("1", "2")})
    c = pauci.compare(sample, pauci.AUC())
    cs = pauci.compare(sample, [pauci.AUC(), pauci.AP()])
    scan = pauci.scan(sample, pauci.PAUC, fpr=[0.5, 1], rng=1)
    for text in (m.summary(), m.to_markdown(), m.report(), repr(m)):
        assert not re.search(r"\b1 [-\u2212] 2\b", text)
        assert "modality 2" in text
    for result in (c, cs, scan):
        assert not re.search(r"\b1 \u2212 2\b", result.to_html())
        for text in (result.summary(), result.report(), repr(result)):
            assert not re.search(r"\b1 [-\u2212] 2\b", text)
            assert "classifier 2" in text
    assert fmt.difference("svm", "2") == "svm - classifier 2"
    assert c.to_frame()["first"].item() == "1"


def test_complete_readings_need_no_description_of_exceptions():
    complete, missing = (" ".join(numbered_readers(n).summary().split()) for n in (0, 2))
    assert "Readers of one block read the same cases." in complete
    assert "the same cases, with 2 readings missing." in missing


def test_a_warning_about_several_classifiers_is_issued_once():
    part = pauci.PAUC(fpr=(0, 0.02))
    for verb in (pauci.estimate, pauci.compare):
        with pytest.warns(pauci.errors.SmallRegionWarning) as caught:
            verb(few(), part)
        small = [w for w in caught if w.category is pauci.errors.SmallRegionWarning]
        assert [str(w.message).count(" of a, b and c: ") for w in small] == [1]
    with pytest.warns(pauci.errors.SmallRegionWarning, match=" of b: "):
        pauci.estimate(few()["b"], part)


def test_a_combination_of_measures_explains_no_symbol_of_its_own():
    measures = [pauci.AP(0.1) - pauci.AUC(), pauci.AUC(), pauci.AP(0.1)]
    assert set(abbreviations_of(measures)) == {"AUC", "AP"}


def test_tables_of_readers_name_the_variance_only_if_intervals_depend_on_it():
    table = pauci.mrmc(numbered_readers(0), pauci.Sensitivity(threshold=0.5)).by_reader
    for kind, words in ((None, "reader."), ("wald", "reader (influence values).")):
        text = " ".join(table.summary(kind=kind).split())
        assert f"Intervals are over cases, for each {words}" in text


@pytest.mark.parametrize(("adjust", "stated"), [("holm", True), ("none", False)])
def test_comparisons_by_group_state_their_families(adjust, stated):
    cs = pauci.compare(group(60, 40, "a", "b"), pauci.AUC(), by=np.arange(100) % 2, adjust=adjust)
    words = "Adjusted separately: p within groups, in all rows, and between groups."
    assert (words in " ".join(cs.summary().split())) == stated
