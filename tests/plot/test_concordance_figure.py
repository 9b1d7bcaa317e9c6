"""The concordance matrix against brute force over pairs."""

import numpy as np
import pytest

import pauci
from makers import normal_scores
from pauci.plot.other_curves import pair_shares

FAWCETT = pauci.Sample.from_frame(pauci.datasets.load_fawcett(), label="label", scores="score")


def pixels(ax):
    return np.asarray(ax.images[0].get_array())


def brute(y, s):
    """0 concordant, 1 tied, 2 discordant; rows from the highest positive, columns negative."""
    y, s = np.asarray(y, bool), np.asarray(s, float)
    pos, neg = np.sort(s[y])[::-1], np.sort(s[~y])[::-1]
    return (1 - np.sign(pos[:, None] - neg[None, :])).astype(int)


def texts(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def lines(ax, label):
    return [a for a in ax.lines if a.get_label() == label]


def paled(ax):
    """Return the corners of the pale rectangles outside of a region."""
    vertices = [c.get_paths()[0].vertices for c in ax.collections if c.get_label() == "_outside"]
    return sorted((*v.min(axis=0), *v.max(axis=0)) for v in vertices)


@pytest.mark.parametrize("digits", [None, 0, 1])
def test_every_cell_is_a_pair(digits):
    y, s = normal_scores(23, 31, 5, digits=digits)
    ax = pauci.plot.concordance(pauci.Sample(y, s))
    np.testing.assert_array_equal(pixels(ax), brute(y, s))
    assert list(ax.images[0].get_extent()) == [0, 1, 0, 1]
    assert ax.images[0].origin == "lower"


def test_lower_scores_that_are_positive():
    y, s = normal_scores(23, 31, 5, digits=0)
    ax = pauci.plot.concordance(pauci.Sample(y, -s, lower_is_positive=True))
    np.testing.assert_array_equal(pixels(ax), brute(y, s))
    assert ax.get_xlabel().startswith("Negatives by rising score")


def test_the_border_is_the_roc_curve_and_the_shares_are_those_of_all_pairs():
    y, s = normal_scores(23, 31, 5, digits=1)
    sample = pauci.Sample(y, s)
    ax = pauci.plot.concordance(sample)
    curve = sample.ratings("score").curve
    np.testing.assert_array_equal(lines(ax, "_ROC curve")[0].get_data(), [curve.fpr, curve.tpr])
    kinds = brute(y, s)
    concordant, tied, discordant = ((kinds == k).mean() for k in range(3))
    assert texts(ax) == [
        f"concordant {100 * concordant:.1f}%",
        f"discordant {100 * discordant:.1f}%",
        f"tied {100 * tied:.1f}%",
        "ROC curve",
    ]
    shares = pair_shares(curve.table)
    assert shares[0] + shares[1] / 2 == pytest.approx(curve.auc, abs=1e-14)


@pytest.mark.filterwarnings("ignore::pauci.errors.DoubtfulDataWarning")
def test_frequencies_and_weights():
    y, s = normal_scores(12, 15, 5, digits=0)
    copies = np.arange(27) % 3 + 1
    by_copies = pauci.Sample(y, s, frequency=copies)
    plain = pauci.Sample(np.repeat(y, copies), np.repeat(s, copies))
    first, second = (pauci.plot.concordance(x) for x in (by_copies, plain))
    np.testing.assert_array_equal(pixels(first), pixels(second))
    weighted = pauci.Sample(y, s, weight=copies * 0.1)
    third = pauci.plot.concordance(weighted)
    assert pixels(third).shape == (800, 800)
    for kind in range(3):
        assert (pixels(third) == kind).mean() == pytest.approx(
            (pixels(second) == kind).mean(), abs=3e-3
        )
    shares = [pair_shares(x.ratings("score").table) for x in (weighted, plain)]
    np.testing.assert_allclose(*shares, atol=1e-14)


def test_scores_are_printed_at_the_margins_of_ten_rows():
    ax = pauci.plot.concordance(FAWCETT)
    frame = pauci.datasets.load_fawcett().sort_values("score", ascending=False)
    for axis, label in ((ax.yaxis, 1), (ax.xaxis, 0)):
        expected = [f"{v:.4g}" for v in frame.loc[frame["label"] == label, "score"]]
        assert [t.get_text() for t in axis.get_ticklabels()] == expected
        np.testing.assert_allclose(axis.get_ticklocs(), np.arange(0.05, 1, 0.1))


def test_a_region_has_columns_rows_and_cut_cells():
    measure = pauci.PAUCc(fpr=(0, 0.25))
    ax = pauci.plot.concordance(FAWCETT, measure)
    region = pauci.estimate(FAWCETT, measure).region
    assert [a.get_xdata()[0] for a in lines(ax, "_column bound")] == [0.25]
    assert [a.get_ydata()[0] for a in lines(ax, "_row bound")] == [region.tpr.high]
    assert paled(ax) == [(0.25, region.tpr.high, 1, 1)]
    (cut,) = [p for p in ax.patches if p.get_label() == "_cut cells"]
    assert cut.get_bbox().bounds == pytest.approx((0.2, 0, 0.1, 1))
    assert texts(ax)[-1] == "cut by a bound"


@pytest.mark.parametrize(
    ("measure", "outside"),
    [
        (pauci.PAUC(fpr=(0.2, 0.5)), [(0, 0, 0.2, 1), (0.5, 0, 1, 1)]),
        (pauci.PAUCx(tpr=(0.5, 1)), [(0, 0, 1, 0.5)]),
        (
            pauci.PAUCc(fpr=(0, 0.5), tpr=(0.5, 1)),
            [(0.5, 0, 1, 0.5)],
        ),
        (pauci.AUC(), []),
    ],
    ids=repr,
)
def test_pairs_outside_the_region_are_pale(measure, outside):
    ax = pauci.plot.concordance(FAWCETT, measure)
    assert paled(ax) == outside
    assert not ax.patches


def test_many_rows_are_pixels():
    y, s = normal_scores(10_000, 10_000, 1)
    ax = pauci.plot.concordance(pauci.Sample(y, s), pauci.PAUC(fpr=(0.1, 0.3)))
    kinds = pixels(ax)
    assert kinds.shape == (800, 800)
    assert kinds.dtype.itemsize == 1
    auc = pauci.estimate(pauci.Sample(y, s), pauci.AUC()).value
    assert (kinds == 0).mean() == pytest.approx(auc, abs=1e-3)
    assert len([*ax.collections, *ax.patches, *ax.lines]) < 10


def test_blocks_of_ratings_keep_the_names():
    frame = pauci.datasets.load_hanley_mcneil()
    ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    ax = pauci.plot.concordance(ct)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["5", "4", "3", "2", "1"]
    edges = np.cumsum([2, 11, 6, 6, 33]) / 58
    middles = (np.append(0, edges[:-1]) + edges) / 2
    np.testing.assert_allclose(ax.get_xticks(), middles)


def test_bad_input():
    two = pauci.Sample([0, 1, 0, 1], {"a": [1, 2, 3, 4], "b": [2, 1, 4, 3]})
    with pytest.raises(ValueError, match=r"sample holds 2 classifiers \(a, b\), .*sample\['a'\]"):
        pauci.plot.concordance(two)
    with pytest.raises(ValueError, match="several measures"):
        pauci.plot.concordance(FAWCETT, [pauci.AUC(), pauci.AP()])
    with pytest.raises(TypeError, match="takes a Sample"):
        pauci.plot.concordance([1, 0])
