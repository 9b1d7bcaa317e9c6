"""Tables by the rows of one class, against tables by distinct scores."""

import gc
import pickle
import warnings
import weakref

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pauci
from blocks import use_small_blocks
from pauci.cautions.about_data import warn_about_scores
from pauci.curve import sorting
from pauci.curve.counts import tabulate
from pauci.curve.polyline import Curve
from pauci.curve.runs import RunTable
from pauci.measures.area import AUC
from pauci.measures.precision import AP

LABELS = ("positives", "negatives")


@pytest.fixture(autouse=True, scope="module")
def few_rows():
    """Sort few scores as many scores are sorted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pauci.curve.sorting._MIN_ROWS_TO_PACK", 0)
        yield


def run_table(values, positive, label):
    """Return the table by runs, sorted in blocks of 8 rows; None if a row of the class is tied."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pauci.curve.sorting.BLOCK", 8)
        keys = sorting.sort_with_labels(values, positive)
        positives = label == "positives"
        labels = sorting.labels_without_ties(keys, positives=positives)
        if labels is None:
            return None
        before = sorting.rows_of_others_before(labels, positives=positives)
    return RunTable(before, label, sorting.DistinctValues(values, None, ends=keys.ends))


def table_by_scores(values, positive):
    rows = int(positive.sum()), int((~positive).sum())
    return tabulate(values, positive, None, rows, want_codes=False)[0]


@st.composite
def labelled_scores(draw):
    """Scores of which many are tied, with labels of both classes."""
    rows = draw(st.lists(st.tuples(st.integers(-30, 30), st.booleans()), min_size=2, max_size=40))
    values, positive = (np.array(column) for column in zip(*rows, strict=True))
    assume(0 < positive.sum() < positive.size)
    return values / 7, positive


@given(labelled_scores(), st.booleans())
def test_labels_of_rows_without_any_tie(data, positives):
    values, positive = data
    keys = sorting.sort_with_labels(values, positive)
    labels = sorting.labels_without_ties(keys, positives=positives, ties_of_others=False)
    assert (labels is None) == (np.unique(values).size < values.size)


@given(labelled_scores(), st.sampled_from(LABELS), st.booleans())
def test_the_curve_is_that_of_the_scores(data, label, swapped):
    values, positive = data
    table, whole = run_table(values, positive, label), table_by_scores(values, positive)
    of_class = positive if label == "positives" else ~positive
    occurrences = [(values == v).sum() for v in values[of_class]]
    if table is None:
        assert max(occurrences) > 1
        return
    assert max(occurrences) == 1
    if swapped:
        table, whole = table.swapped(), whole.swapped()
    assert (table.rows_pos, table.rows_neg) == (whole.rows_pos, whole.rows_neg)
    assert (table.total_pos, table.total_neg) == (whole.total_pos, whole.total_neg)
    pos, neg = table.cum_pos, table.cum_neg
    assert pos.size == neg.size == table.size + 1
    assert (pos[0], neg[0]) == (0, 0)
    assert (pos[-1], neg[-1]) == (whole.total_pos, whole.total_neg)
    # Each point of the table is on the curve, and all rows of the class are separate groups.
    points = set(zip(whole.cum_pos.tolist(), whole.cum_neg.tolist(), strict=True))
    corners = set(zip(pos.tolist(), neg.tolist(), strict=True))
    assert {p for p in corners if p in points} | {(0, 0)} == corners | {(0, 0)}
    steps = np.diff(pos if (label == "positives") != swapped else neg)
    assert set(steps.tolist()) <= {0, 1}
    assert Curve(table).auc == Curve(whole).auc
    assert (np.diff(pos) + np.diff(neg))[[0, -1]].all()


@pytest.mark.parametrize("tied", range(1, 20))
def test_a_tie_is_found_wherever_blocks_end(tied):
    values, positive = np.arange(20) / 7, np.arange(20) == tied
    values[tied - 1] = values[tied]
    assert run_table(values, positive, "positives") is None
    assert run_table(values, ~positive, "negatives") is None


@given(labelled_scores(), st.sampled_from(LABELS))
def test_the_score_of_a_group_is_the_threshold_at_its_end(data, label):
    values, positive = data
    table = run_table(values, positive, label)
    assume(table is not None)
    assert table.scores.tolist() == [table.score(k) for k in range(table.size)]
    for k, score in enumerate(table.scores):
        predicted = values >= score
        assert (predicted & positive).sum() == table.cum_pos[k + 1]
        below = (predicted & ~positive).sum() - table.cum_neg[k + 1]
        # The last score of a run may be tied with a score of the same run only.
        assert below == 0
    assert pickle.loads(pickle.dumps(table)).scores.tolist() == table.scores.tolist()


@pytest.mark.parametrize("measure", [AUC(), AP(), AP(negatives=True), AP(prevalence=0.1)], ids=repr)
@pytest.mark.parametrize("prevalence", [0.1, 0.5, 0.9, "pairs"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.usefixtures("quiet")
def test_estimates_are_those_of_all_groups(measure, prevalence, lower, monkeypatch):
    rng = np.random.default_rng(8)
    if prevalence == "pairs":  # half of the runs are empty, the others have two rows
        scores = np.arange(700.0)
        y = scores % 4 < 2
    else:
        y = rng.random(700) < prevalence
        scores = rng.normal(size=700) + y
    scores *= -1 if lower else 1

    def estimate():
        sample = pauci.Sample(y, scores, lower_is_positive=lower)
        return pauci.estimate(sample, measure)

    whole = estimate()
    use_small_blocks(
        monkeypatch,
        32,
        "sample.ratings",
        "curve.counts",
        "curve.sorting",
        "measures.influence",
        "variance.units",
        "variance.z",
    )
    by_runs = estimate()
    assert by_runs.value == pytest.approx(whole.value, rel=1e-14)
    assert by_runs.se == pytest.approx(whole.se, rel=1e-12)
    assert by_runs.df == pytest.approx(whole.df, rel=1e-11)
    assert by_runs.region == whole.region
    assert by_runs.interval() == pytest.approx(whole.interval(), rel=1e-12)


def test_scores_are_sorted_once_for_measures_of_runs(monkeypatch):
    rng = np.random.default_rng(2)
    y = rng.random(20_000) < 0.1
    sample, counted = pauci.Sample(y, rng.normal(size=20_000) + y), []
    original = sorting.sort_with_labels
    monkeypatch.setattr(sorting, "sort_with_labels", lambda *a: counted.append(1) or original(*a))
    areas = [pauci.estimate(sample, measure).value for measure in (AUC(), AP(), AUC())]
    assert len(counted) == 1
    assert areas[0] == areas[2]
    assert isinstance(sample.ratings().known_curve.table, RunTable)
    whole = sample.ratings().curve
    assert not isinstance(whole.table, RunTable)
    assert (len(counted), whole.auc) == (2, areas[0])


@pytest.mark.parametrize("digits", [1, 20])
@pytest.mark.parametrize("measure", [AUC(), AP(), pauci.AUK(), pauci.PAUC(fpr=(0, 0.2))], ids=repr)
def test_the_scores_are_freed_with_the_sample(measure, digits):
    rng = np.random.default_rng(5)
    y = rng.random(20_000) < 0.1
    scores = {name: np.round(rng.normal(size=y.size) + y, digits) for name in "ab"}
    gc.disable()
    try:
        sample = pauci.Sample(y, scores)
        pauci.estimate(sample["a"], measure).interval()
        pauci.compare(sample, measure)
        values = weakref.ref(sample.ratings("a").values)
        del sample
        assert values() is None
    finally:
        gc.enable()


@given(labelled_scores(), st.sampled_from(LABELS))
def test_the_steps_of_sorted_rows_are_those_of_the_table(data, label):
    values, positive = data
    of_class = positive if label == "positives" else ~positive
    runs = sorting.runs_of_rows(sorting.sort_rows(values), of_class)
    table = run_table(values, positive, label)
    if table is None:
        assert runs is None
        return
    before, codes = runs
    assert before.tolist() == table.before.tolist()
    sums = zip((positive, ~positive), table.step_sums(0, table.steps), strict=True)
    for rows, cum in sums:
        counts = np.bincount(codes[rows], minlength=table.steps)
        assert counts.tolist() == np.diff(cum).tolist()


@given(labelled_scores(), st.sampled_from(LABELS))
def test_values_by_step_of_the_swapped_table(data, label):
    table = run_table(*data, label)
    assume(table is not None)
    swapped = table.swapped()
    assert swapped.steps == table.steps
    # The number of rows of the other class above a row of the swapped table is that below it.
    pos, neg = swapped.step_sums(0, swapped.steps)
    below = table.from_swapped(
        swapped.above("positives", neg, 1.0), swapped.above("negatives", pos, 1.0)
    )
    pos, neg = table.step_sums(0, table.steps)
    for name, others, counts, found in (
        ("positives", neg, np.diff(pos), below[0]),
        ("negatives", pos, np.diff(neg), below[1]),
    ):
        expected = others[-1] - table.above(name, others, 1.0)
        assert found[counts > 0].tolist() == expected[counts > 0].tolist()


@pytest.mark.parametrize("ties", ["none", "one classifier", "both"])
@pytest.mark.parametrize("prevalence", [0.2, 0.8])
@pytest.mark.parametrize("measure", [AUC(), [AUC(), AP()]], ids=repr)
def test_comparisons_are_those_of_all_groups(measure, prevalence, ties, monkeypatch):
    rng = np.random.default_rng(9)
    y = rng.random(800) < prevalence
    scores = {name: rng.normal(size=800) + y for name in "ab"}
    for name in {"none": "", "one classifier": "b", "both": "ab"}[ties]:
        scores[name] = np.round(scores[name], 1) / 3

    def compare():
        sample = pauci.Sample(y, scores)
        return sample, pauci.compare(sample, measure)

    _, whole = compare()
    use_small_blocks(
        monkeypatch,
        32,
        "sample.ratings",
        "curve.counts",
        "curve.sorting",
        "measures.influence",
        "variance.units",
        "variance.z",
    )
    sample, by_runs = compare()
    merged = ties == "none" and (measure == AUC() or prevalence == 0.2)
    assert isinstance(sample.ratings("a").known_curve.table, RunTable) == merged
    pairs = zip(*((c if isinstance(measure, list) else [c]) for c in (by_runs, whole)), strict=True)
    for found, expected in pairs:
        assert found.difference == pytest.approx(expected.difference, rel=1e-12)
        assert found.se == pytest.approx(expected.se, rel=1e-12)
        assert found.df == pytest.approx(expected.df, rel=1e-11)
        assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-11)
    # Methods that use all groups are not affected.
    boot = pauci.Bootstrap(50, rng=1)
    seeds = [pauci.estimate(s, AUC(), variance=boot) for s in (sample, pauci.Sample(y, scores))]
    assert [e.se for e in seeds[0]] == [e.se for e in seeds[1]]


def test_few_rows_of_a_class_are_no_predicted_labels():
    # By runs of the negatives there would be two groups, with the scores 1 and 0.
    rng = np.random.default_rng(1)
    scores = np.append(1.0, np.append(rng.uniform(0.1, 0.9, 20_000), 0.0))
    y = np.arange(scores.size) < 1
    ratings = pauci.Sample(y, scores).ratings()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        warnings.simplefilter("error", pauci.errors.HardPredictionsWarning)
        assert ratings.merged("positives").curve.auc == 1.0
        warn_about_scores(ratings)
