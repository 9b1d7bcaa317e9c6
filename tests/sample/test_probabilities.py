"""Probabilities of all classes in place of a score, and decimals and categories of Polars."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import pauci


class Tensor:
    """A minimal tensor with a gradient, which raises the error of torch."""

    dtype, ndim = "torch.float64", 2

    def __init__(self, values):
        self._values = values

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")

    def detach(self):
        return self._values


RNG = np.random.default_rng(8)
Y = np.arange(60) % 2
SCORE = np.round(Y + RNG.normal(size=60), 2)
RISK = 1 / (1 + np.exp(-SCORE))
BOTH = np.column_stack([1 - RISK, RISK])
WORDS = np.where(Y == 1, "ill", "well")  # the positive class is the first of the sorted labels
AUC = pauci.AUC()
EXPECTED = AUC(Y, SCORE)


@pytest.mark.parametrize(
    "convert",
    [
        np.asarray,
        np.ndarray.tolist,
        lambda x: x.astype(np.float32),
        lambda x: np.asfortranarray(x),
        lambda x: Tensor(x),
        lambda x: x.astype(np.float16),
    ],
)
def test_the_column_of_the_positive_class_is_used(convert):
    values = convert(BOTH)
    column = np.asarray(convert(RISK) if not isinstance(values, Tensor) else RISK)
    assert AUC(Y, values) == pytest.approx(AUC(Y, column), abs=1e-14)
    assert AUC(Y == 1, values) == AUC(Y, values)
    assert AUC(WORDS, convert(BOTH[:, ::-1]), positive="ill") == AUC(Y, values)
    assert AUC(pd.Series(WORDS), convert(BOTH), positive="well") == pytest.approx(
        1 - AUC(Y, values), abs=1e-14
    )
    both = pauci.Sample(Y, {"a": values, "b": SCORE})
    assert [e.value for e in pauci.estimate(both, [AUC])] == [AUC(Y, values), EXPECTED]


def test_three_classes():
    y = np.array(["a", "b", "c"])[np.arange(60) % 3]
    parts = RNG.dirichlet([1, 2, 3], 60)
    for i, label in enumerate("abc"):
        assert AUC(y, parts, positive=label) == AUC(y == label, parts[:, i])


@pytest.mark.parametrize(
    ("y", "values", "words"),
    [
        (Y, BOTH + 0.02, r"has shape \(60, 2\).*sums of 1.*proba\[:, 1\]"),
        (Y, BOTH * 2 - 0.5, "sums of 1"),
        (Y, np.c_[BOTH, RISK], "sums of 1"),
        (Y, BOTH[:50], r"shape \(50, 2\), but y_true has 60 rows and 2 labels \(0, 1\)"),
        (Y, np.c_[BOTH, 0 * RISK], r"shape \(60, 3\), but y_true has 60 rows and 2 labels"),
        (np.arange(60) % 3 == 0, BOTH[None], r"\(1, 60, 2\)"),
        (Y, np.where(BOTH > 0.9, np.nan, BOTH), "missing"),
        (Y, [[0.2, 0.8], [0.3]] * 30, "different lengths"),
    ],
)
def test_other_matrices_are_an_error(y, values, words):
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match=words):
        pauci.Sample(y, values)


def test_decimals_and_fractions():
    texts = [f"{v:.2f}" for v in SCORE]
    for values in (
        [Decimal(v) for v in texts],
        pd.Series([Decimal(v) for v in texts]),
        [Fraction(v) for v in texts],
    ):
        assert AUC(Y, values) == EXPECTED
    with pytest.raises(pauci.InputError, match="different decimals that are the same as floats"):
        pauci.Sample([0, 1], [Decimal("0.1"), Decimal("0.1") + Decimal("1e-25")])
    with pytest.raises(pauci.InputError, match="1 missing value"):
        pauci.Sample([0, 1, 1], [Decimal("0.1"), Decimal("NaN"), Decimal(2)])
    with pytest.raises(pauci.InputTypeError, match="dtype object"):
        pauci.Sample([0, 1, 1], [Decimal("0.1"), "0.2", Decimal(2)])


def test_series_of_polars_and_arrow():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    decimals = [Decimal(f"{v:.2f}") for v in SCORE]
    arrow = pd.ArrowDtype(pa.decimal128(10, 2))
    for values in (pl.Series(decimals), pa.array(decimals), pd.Series(decimals, dtype=arrow)):
        assert AUC(Y, values) == EXPECTED
    order = ["low", "middle", "high"]
    codes = np.clip(np.round(SCORE + 1), 0, 2).astype(int)
    ratings = [order[c] for c in codes]
    sample = pauci.Sample(Y, pl.Series(ratings, dtype=pl.Enum(order)))
    assert pauci.estimate(sample, AUC).value == AUC(Y, codes)
    assert sample.ratings().categories == tuple(order)
    with pytest.raises(pauci.InputTypeError, match="unordered Categorical"):
        pauci.Sample(Y, pl.Series(ratings, dtype=pl.Categorical))
    with pytest.raises(pauci.InputError, match="1 missing value"):
        pauci.Sample(Y, pl.Series([None, *ratings[1:]], dtype=pl.Enum(order)))
    labels = pl.Series(WORDS.tolist(), dtype=pl.Enum(["well", "ill"]))
    assert AUC(labels, SCORE, positive="ill") == EXPECTED


def test_series_in_different_orders_are_an_error_also_beside_an_array():
    score, other = pd.Series(SCORE), pd.Series(SCORE).sample(frac=1, random_state=1)
    with pytest.raises(pauci.InputError, match="same index in different orders"):
        pauci.Sample(Y, {"a": score, "b": other})
    with pytest.raises(pauci.InputError, match="same index in different orders"):
        AUC(pd.Series(Y), other)
    with pytest.raises(pauci.InputError, match="same index in different orders"):
        AUC(Y, score, weight=other.abs())
