"""The sample: its attributes, immutability, counts and copies, and one sort per classifier."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci import AUC, PAUC, SPA, PAUCc, PAUCx, Sample, compare, estimate
from pauci.curve import counts

Y = [0, 1, 0, 1, 0, 1, 1, 0, 1, 0]
SVM = [1, 2, 2, 4, 3, 5, 4, 1, 2, 4]
NN = [2, 1, 2, 5, 4, 4, 3, 1, 3, 2]
MEASURES = [
    AUC(),
    PAUC(fpr=(0, 0.7)),
    PAUCx(tpr=(0.2, 0.9)),
    PAUCc(fpr=(0.1, 0.6)),
    PAUCc(tpr=(0.3, 1), normalized=True),
    SPA(fpr=(0, 0.5)),
]

pytestmark = pytest.mark.usefixtures("quiet")


def paired(**options):
    return Sample(Y, {"svm": SVM, "nn": NN}, **options)


def same_estimates(first, second, measures=MEASURES):
    """Check that two samples give equal values and covariances."""
    a, b = estimate(first, measures), estimate(second, measures)
    assert [e.value for e in a] == pytest.approx([e.value for e in b], rel=1e-12)
    np.testing.assert_allclose(a.cov, b.cov, rtol=1e-9, atol=1e-15)
    assert [(e.n_pos, e.n_neg) for e in a] == [(e.n_pos, e.n_neg) for e in b]


# Parts


def test_attributes_of_a_sample():
    sample = paired(design="case-control")
    assert sample.names == ("svm", "nn")
    assert (sample.n_pos, sample.n_neg, sample.prevalence) == (5, 5, 0.5)
    assert sample.design == "case-control"
    assert len(sample) == 2


@pytest.mark.parametrize(
    ("score", "options", "name"),
    [
        (SVM, {}, "score"),
        (SVM, {"name": "film"}, "film"),
        (pd.Series(SVM, name="svm"), {}, "svm"),
        (pd.Series(SVM, name="svm"), {"name": "film"}, "film"),
        (pd.Series(SVM, name=3), {}, "score"),
        ({"nn": SVM}, {}, "nn"),
    ],
)
def test_name(score, options, name):
    sample = Sample(Y, score, **options)
    assert sample.names == (name,)
    assert estimate(sample, AUC()).classifier == name


@pytest.mark.parametrize(
    ("options", "n_pos", "n_neg", "prevalence"),
    [
        ({}, 2, 3, 0.4),
        ({"frequency": [1, 2, 3, 0, 5]}, 2, 9, 2 / 11),
        ({"weight": [0.5, 1, 2, 0.5, 1]}, 2, 3, 0.3),
        ({"weight": [0, 1, 2, 0.5, 0.5]}, 2, 2, 0.375),
        ({"weight": [0.5, 1, 2, 0.5, 1], "frequency": [2, 1, 1, 2, 1]}, 3, 4, 1 / 3),
    ],
)
def test_sizes_and_prevalence(options, n_pos, n_neg, prevalence):
    sample = Sample([0, 1, 0, 1, 0], [1, 2, 3, 4, 5], **options)
    assert (sample.n_pos, sample.n_neg) == (n_pos, n_neg)
    assert sample.prevalence == pytest.approx(prevalence, rel=1e-15)


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("nn", ("nn",)),
        (["nn"], ("nn",)),
        (["nn", "svm"], ("nn", "svm")),
        (("svm", "nn"), ("svm", "nn")),
    ],
)
def test_subset(key, names):
    part = paired(weight=range(1, 11))[key]
    assert part.names == names
    assert part.prevalence == paired(weight=range(1, 11)).prevalence
    assert [e.value for e in estimate(part, [AUC()])] == [
        estimate(paired(weight=range(1, 11))[name], AUC()).value for name in names
    ]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("SVM", ["'SVM'", "Did you mean 'svm'?", "svm, nn"]),
        ("svn", ["'svn'", "Did you mean 'svm'?"]),
        ("forest", ["'forest'", "It has: svm, nn"]),
        (["svm", "nnn"], ["'nnn'", "Did you mean 'nn'?"]),
    ],
)
def test_unknown_classifier(key, words):
    with pytest.raises(KeyError) as caught:
        paired()[key]
    for word in words:
        assert word in caught.value.args[0]


@pytest.mark.parametrize("key", [0, slice(0, 1), [0]])
def test_classifiers_are_not_numbered(key):
    with pytest.raises((TypeError, KeyError), match=r"svm, nn"):
        paired()[key]


def test_iteration_gives_a_sample_per_classifier():
    assert [part.names for part in paired()] == [("svm",), ("nn",)]
    assert [estimate(part, AUC()).value for part in paired()] == [
        e.value for e in estimate(paired(), [AUC()])
    ]


@pytest.mark.parametrize(
    ("sample", "text"),
    [
        (paired, "Sample(svm, nn: 5 positives, 5 negatives, cohort)"),
        (lambda: Sample([0, 1, 0], [1, 2, 3]), "Sample(score: 1 positive, 2 negatives, cohort)"),
        (
            lambda: paired(
                frequency=[1] * 10, weight=[2, 1] * 5, cluster=[0, *range(9)], design="case-control"
            ),
            "Sample(svm, nn: 5 positives, 5 negatives, case-control, frequencies, weights, "
            "clusters)",
        ),
    ],
)
def test_repr(sample, text):
    assert repr(sample()) == text


# Immutability and copies


@pytest.mark.parametrize("attribute", ["n_pos", "names", "design", "_rows", "_ratings", "extra"])
def test_a_sample_is_immutable(attribute):
    sample = paired()
    with pytest.raises(AttributeError, match=attribute):
        setattr(sample, attribute, 1)
    with pytest.raises(AttributeError):
        delattr(sample, attribute)
    assert repr(sample) == repr(paired())


@pytest.mark.parametrize("tabulated", [False, True], ids=["fresh", "tabulated"])
@pytest.mark.parametrize(
    "clone", [lambda s: pickle.loads(pickle.dumps(s)), copy.copy, copy.deepcopy]
)
def test_copies_are_equal(clone, tabulated):
    sample = paired(frequency=range(1, 11), weight=[0.5, 1] * 5, cluster=[0, 0, 1, 2, 3] * 2)
    if tabulated:
        estimate(sample, AUC())
    again = clone(sample)
    assert repr(again) == repr(sample)
    same_estimates(again, sample)


@pytest.mark.parametrize(
    "sample",
    [
        paired(weight=[0.5, 1] * 5, cluster=[0, 0, 1, 2, 3] * 2, frequency=range(1, 11)),
        pickle.loads(pickle.dumps(paired())),
        Sample.from_counts([3, 2, 1], [8, 3, 1], [1, 5, 30]),
        paired(fold=[0, 1] * 5).folds()[0],
    ],
    ids=["arrays", "pickle", "counts", "fold"],
)
def test_arrays_are_read_only(sample):
    rows = sample.rows
    arrays = [rows.positive, rows.frequency, rows.weight, rows.cluster, rows.cluster_labels]
    arrays += [ratings.values for ratings in map(sample.ratings, sample.names)]  # noqa: PD011
    for array in arrays:
        assert array is None or not array.flags.writeable


def test_pickle_keeps_categories():
    grades = pd.Categorical(list("abcab"), categories=["a", "b", "c"], ordered=True)
    sample = pickle.loads(pickle.dumps(Sample([0, 0, 1, 1, 1], grades)))
    assert estimate(sample, AUC()).region.threshold[0] == "a"


# Frames


def test_from_frame():
    frame = pd.DataFrame({"y": Y, "svm": SVM, "nn": NN, "f": range(10), "w": [0.5, 1] * 5})
    frame["site"] = list("aabbccddee")
    sample = Sample.from_frame(
        frame,
        label="y",
        scores=["svm", "nn"],
        frequency="f",
        weight="w",
        cluster="site",
        design="case-control",
    )
    assert sample.names == ("svm", "nn")
    assert sample.design == "case-control"
    by_hand = paired(
        frequency=range(10), weight=[0.5, 1] * 5, cluster=list("aabbccddee"), design="case-control"
    )
    same_estimates(sample, by_hand)


def test_from_frame_with_one_score_and_named_labels():
    frame = pd.DataFrame({"relapse": np.where(Y, "yes", "no"), "svm": SVM})
    sample = Sample.from_frame(frame, "relapse", "svm", positive="yes")
    same_estimates(sample, paired()["svm"])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            {"label": "lable", "scores": "svm"},
            ValueError,
            ["label='lable'", "Did you mean 'label'?", "label, svm"],
        ),
        (
            {"label": "label", "scores": ["svm", "svn"]},
            ValueError,
            ["scores='svn'", "Did you mean 'svm'?"],
        ),
        ({"label": "label", "scores": ["svm", "svm"]}, ValueError, ["scores= names 'svm' twice"]),
        (
            {"label": "label", "scores": ["svm", "label"]},
            ValueError,
            ["scores= names 'label', the column of the labels"],
        ),
        ({"label": "label", "scores": []}, ValueError, ["scores=[]"]),
        (
            {"label": "label", "scores": "svm", "weight": "w"},
            ValueError,
            ["weight='w' is not a column"],
        ),
        (
            {"label": "label", "scores": "svm", "frequency": "n"},
            ValueError,
            ["frequency='n' is not a column"],
        ),
        (
            {"label": "label", "scores": "svm", "cluster": "site"},
            ValueError,
            ["cluster='site' is not a column"],
        ),
        (
            {"label": "label", "scores": "svm", "positive": 2},
            ValueError,
            ["positive=2", "column 'label'"],
        ),
    ],
)
def test_bad_columns(call, error, words):
    frame = pd.DataFrame({"label": Y, "svm": SVM})
    with pytest.raises(error) as caught:
        Sample.from_frame(frame, **call)
    for word in words:
        assert word in str(caught.value)


# Counts and frequencies


@pytest.mark.parametrize(
    ("scores", "positives", "negatives"),
    [
        ([1, 2, 3, 4, 5], [3, 2, 2, 11, 33], [33, 6, 6, 11, 2]),
        ([5, 4, 3, 2, 1], [33, 11, 2, 2, 3], [2, 11, 6, 6, 33]),
        ([2.5, -1.0, 7.0], [4, 1, 5], [3, 6, 2]),
        ([1, 2, 3], [0, 2, 5], [6, 0, 2]),
        ([1, 2, 3], [1, 0, 5], [6, 0, 2]),
    ],
)
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_counts_are_equivalent_to_rows(scores, positives, negatives, design):
    table = Sample.from_counts(scores, positives, negatives, name="ct", design=design)
    rows = Sample(
        [1] * sum(positives) + [0] * sum(negatives),
        {"ct": np.concatenate([np.repeat(scores, positives), np.repeat(scores, negatives)])},
        design=design,
    )
    assert (table.names, table.n_pos, table.n_neg) == (rows.names, rows.n_pos, rows.n_neg)
    assert table.prevalence == rows.prevalence
    assert table.design == rows.design
    same_estimates(table, rows)


def test_categories_of_counts_are_reported():
    scale = pd.Categorical(["low", "mid", "high"], ["low", "mid", "high"], ordered=True)
    e = estimate(Sample.from_counts(scale, [1, 3, 9], [9, 4, 2]), PAUC(fpr=(0, 0.3)))
    assert e.region.threshold[0] == "mid"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weight": [0.5, 1, 2, 1, 1, 3, 0, 1, 1, 2]},
        {"cluster": [0, 1, 1, 2, 3, 3, 4, 5, 5, 6]},
        {"design": "case-control"},
    ],
)
def test_a_frequency_is_equivalent_to_copies(options):
    frequency = [1, 3, 2, 1, 0, 4, 1, 2, 5, 1]
    copies = {
        key: value if key == "design" else np.repeat(value, frequency)
        for key, value in options.items()
    }
    repeated = Sample(
        np.repeat(Y, frequency),
        {"svm": np.repeat(SVM, frequency), "nn": np.repeat(NN, frequency)},
        **copies,
    )
    counted = paired(frequency=frequency, **options)
    same_estimates(counted, repeated)
    assert counted.prevalence == pytest.approx(repeated.prevalence, rel=1e-15)
    a, b = (compare(s, PAUCc(fpr=(0, 0.6))) for s in (counted, repeated))
    assert (a.difference, a.se) == (pytest.approx(b.difference), pytest.approx(b.se))


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize("k", [10**9, 10**12, 10**15])
def test_huge_counts_do_not_overflow(measure, k):
    positives, negatives = np.array([2, 3, 5]), np.array([10, 4, 1])
    base = estimate(Sample.from_counts([1, 2, 3], positives * 1000, negatives * 1000), measure)
    huge = estimate(Sample.from_counts([1, 2, 3], positives * k, negatives * k), measure)
    assert (huge.n_pos, huge.n_neg) == (10 * k, 15 * k)
    assert huge.value == pytest.approx(base.value, rel=1e-12)
    # The variance is not exactly proportional to 1/n, because the divisor is n - 1
    assert huge.se * np.sqrt(k / 1000) == pytest.approx(base.se, rel=2e-3)
    low, high = measure.range
    assert low <= huge.value <= high
    assert huge.se > 0.0


# One sort per classifier


@pytest.fixture
def sorts(monkeypatch):
    """Return a list to which tabulated score arrays are appended."""
    calls = []
    tabulate = counts.tabulate

    def counting(values, *args, **kwargs):
        calls.append(values)
        return tabulate(values, *args, **kwargs)

    monkeypatch.setattr(counts, "tabulate", counting)
    return calls


@pytest.mark.parametrize(
    "options",
    [{}, {"weight": [0.5, 1] * 5}, {"cluster": [0, 0, 1, 2, 3] * 2}, {"frequency": range(1, 11)}],
)
def test_scores_of_a_classifier_are_sorted_once(sorts, options):
    sample = paired(**options)
    assert sorts == []
    first = estimate(sample["svm"], MEASURES)
    assert len(sorts) == 1
    again = estimate(sample[["svm"]], MEASURES)
    assert len(sorts) == 1
    estimate(sample, MEASURES)
    compare(sample, PAUCc(fpr=(0, 0.6)))
    compare(sample[["nn", "svm"]], AUC())
    for part in sample:
        estimate(part, AUC())
    assert len(sorts) == 2
    np.testing.assert_array_equal(first.cov, again.cov)


def test_ratings_are_selected_by_name():
    sample = Sample(Y, {"svm": SVM, "nn": NN})
    assert sample.ratings("nn") is sample["nn"].ratings()
    with pytest.raises(ValueError, match="holds 2 classifiers; name one of svm, nn"):
        sample.ratings()
    with pytest.raises(KeyError, match="Did you mean 'svm'"):
        sample.ratings("smv")


def test_functions_of_the_user_get_single_precision_in_full():
    """Scores of type float32 are sorted without conversion; results have double precision."""
    rng = np.random.default_rng(2)
    y, scores = rng.random(300) < 0.4, rng.normal(size=300).astype(np.float32)

    def difference(pos, neg):
        return float(pos.mean() - neg.mean())

    samples = [pauci.Sample(y, s) for s in (scores, scores.astype(np.float64))]
    narrow, wide = (pauci.estimate(s, difference, pauci.Jackknife()) for s in samples)
    assert narrow.value == wide.value
    assert narrow.se == wide.se


def test_a_single_classifier_is_renamed():
    sample = pauci.Sample([0, 1, 0, 1], [1, 2, 3, 4], name="first")
    other = sample.renamed("second")
    assert (sample.names, other.names) == (("first",), ("second",))
    assert other.rows is sample.rows
    e = pauci.estimate(other, pauci.AUC())
    assert (e.classifier, e.value) == ("second", 0.75)
    with pytest.raises(pauci.InputTypeError, match="must be a string"):
        sample.renamed("")
    with pytest.raises(pauci.InputError, match="2 classifiers"):
        pauci.Sample([0, 1], {"a": [1, 2], "b": [1, 2]}).renamed("c")
