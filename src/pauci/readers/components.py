"""Variance components of Obuchowski and Rockette, and the F test of all modalities."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pauci import special
from pauci.calls import validate_constructor
from pauci.checks import FloatArray
from pauci.equality import EqualByFields

COMPONENT_NAMES = (
    "error",
    "cov1",
    "cov2",
    "cov3",
    "ms_reader",
    "ms_reader_by_modality",
    "reader",
    "reader_by_modality",
    "r1",
    "r2",
    "r3",
)


@validate_constructor
@dataclass(frozen=True, eq=False)
class ReaderTest(EqualByFields):
    """A test that all modalities are equal.

    Attributes
    ----------
    statistic : float
        F statistic; the square of t for two modalities.
    df : float
        Degrees of freedom of the numerator: the number of modalities minus one.
    df_denominator : float
        Degrees of freedom of the denominator.
    pvalue : float
        p-value.
    """

    statistic: float
    df: float
    df_denominator: float
    pvalue: float


def f_test(statistic: float, df: float, df_denominator: float) -> ReaderTest:
    """Return an F test; a chi-squared test if the denominator has infinite degrees of freedom."""
    if math.isinf(df_denominator):
        return ReaderTest(statistic, df, df_denominator, float(special.chdtrc(df, statistic * df)))
    p = float(special.fdtrc(df, df_denominator, statistic))
    return ReaderTest(statistic, df, df_denominator, p)


def components_of(
    values: FloatArray, covariance: FloatArray, reader: Any, group: Any
) -> Sequence[float]:
    """Return the components of Obuchowski and Rockette, in the order of `COMPONENT_NAMES`."""
    same_reader = reader[:, None] == reader[None]
    same_group = group[:, None] == group[None]

    def mean(which: Any) -> float:
        return float(covariance[which].mean()) if which.any() else math.nan

    error = mean(same_reader & same_group)
    cov1, cov2, cov3 = (
        mean(same_reader & ~same_group),
        mean(~same_reader & same_group),
        mean(~same_reader & ~same_group),
    )
    readers, groups = np.unique(reader), np.unique(group)
    r, m = readers.size, groups.size
    ms_r = ms_rm = reader_component = interaction = math.nan
    if values.size == r * m and r > 1:
        table = np.empty((r, m))
        table[np.searchsorted(readers, reader), np.searchsorted(groups, group)] = values
        by_reader = table.mean(axis=1)
        ms_r = m * float(by_reader.var(ddof=1))
        if m > 1:
            residuals = table - by_reader[:, None] - table.mean(axis=0) + table.mean()
            ms_rm = float((residuals**2).sum()) / ((r - 1) * (m - 1))
            interaction = ms_rm - error + cov1 + max(cov2 - cov3, 0.0)
            reader_component = (ms_r - ms_rm) / m - cov1 + cov3
        else:
            reader_component = ms_r - error + cov2
    correlations = [c / error if error > 0.0 else math.nan for c in (cov1, cov2, cov3)]
    return error, cov1, cov2, cov3, ms_r, ms_rm, reader_component, interaction, *correlations
