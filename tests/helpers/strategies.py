"""Hypothesis strategies: small samples with many ties, and regions of every kind."""

from fractions import Fraction

from hypothesis import strategies as st


@st.composite
def samples(draw, classifiers=1, min_size=2, max_size=14):
    """Labels with at least two of each class, and integer scores with many ties."""
    n_pos = draw(st.integers(min_size, max_size))
    n_neg = draw(st.integers(min_size, max_size))
    n = n_pos + n_neg
    labels = draw(st.permutations([1] * n_pos + [0] * n_neg))
    levels = draw(st.integers(1, 12))
    scores = [
        draw(st.lists(st.integers(0, levels), min_size=n, max_size=n)) for _ in range(classifiers)
    ]
    return labels, *scores


@st.composite
def bounds(draw):
    """An exact region of [0, 1]: often on a step of a small sample, often not."""
    denominator = draw(st.sampled_from([2, 3, 4, 5, 6, 7, 10, 12, 97, 1000]))
    low = draw(st.integers(0, denominator - 1))
    high = draw(st.integers(low + 1, denominator))
    return Fraction(low, denominator), Fraction(high, denominator)


AXES = st.sampled_from(["fpr", "tpr"])
