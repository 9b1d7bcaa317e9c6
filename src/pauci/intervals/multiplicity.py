"""P-values adjusted for the number of tests, from the p-values alone.

References
----------
Y. Benjamini and Y. Hochberg (1995), Journal of the Royal Statistical Society B 57:289-300.
Y. Benjamini and D. Yekutieli (2001), Annals of Statistics 29:1165-1188.
Y. Hochberg (1988), Biometrika 75:800-802.
S. Holm (1979), Scandinavian Journal of Statistics 6:65-70.
G. Hommel (1988), Biometrika 75:383-386.
Z. Sidak (1967), Journal of the American Statistical Association 62:626-633.
"""

from collections.abc import Callable, Sequence

import numpy as np

from pauci.checks import FloatArray


def adjusted(pvalues: Sequence[float], method: str) -> tuple[float, ...]:
    """Return adjusted p-values by one of the `METHODS`, at most 1."""
    values = np.array(pvalues, float)
    order = np.argsort(values)
    with np.errstate(divide="ignore"):  # for log(1 - p) at p = 1, whose result is correct
        result = np.minimum(METHODS[method](values[order]), 1.0)
    values[order] = result
    return tuple(values.tolist())


def _sidak(p: FloatArray) -> FloatArray:
    return np.asarray(-np.expm1(p.size * np.log1p(-p)))


def _holm(p: FloatArray) -> FloatArray:
    return np.maximum.accumulate(p * _left(p))


def _holm_sidak(p: FloatArray) -> FloatArray:
    return np.maximum.accumulate(-np.expm1(_left(p) * np.log1p(-p)))


def _hochberg(p: FloatArray) -> FloatArray:
    return np.minimum.accumulate((_left(p) * p)[::-1])[::-1]


def _hommel(p: FloatArray) -> FloatArray:
    result = p.copy()
    for m in range(p.size, 1, -1):
        simes = np.min(m * p[-m:] / np.arange(1.0, m + 1.0))
        result[-m:] = np.maximum(result[-m:], simes)
        result[:-m] = np.maximum(result[:-m], np.minimum(m * p[:-m], simes))
    return result


def _benjamini_hochberg(p: FloatArray) -> FloatArray:
    return np.minimum.accumulate((p / (np.arange(1, p.size + 1) / p.size))[::-1])[::-1]


def _benjamini_yekutieli(p: FloatArray) -> FloatArray:
    rank = np.arange(1, p.size + 1)
    return np.minimum.accumulate((p / (rank / p.size / np.sum(1.0 / rank)))[::-1])[::-1]


def _left(p: FloatArray) -> FloatArray:
    """Return the number of hypotheses that are not rejected before each one."""
    return np.arange(float(p.size), 0.0, -1.0)


METHODS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "bonferroni": lambda p: p * p.size,
    "sidak": _sidak,
    "holm": _holm,
    "holm-sidak": _holm_sidak,
    "simes-hochberg": _hochberg,
    "hommel": _hommel,
    "fdr_bh": _benjamini_hochberg,
    "fdr_by": _benjamini_yekutieli,
}
"""Functions of ascending p-values, by the names that statsmodels uses."""
