"""Data frames of results: their columns, which only ever grow at the end, and their rows."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pauci.intervals.analytic import Interval

if TYPE_CHECKING:
    import pandas as pd

    from pauci.intervals.resampled import Resampled
    from pauci.results.comparison import Comparison
    from pauci.results.estimate import Estimate

ESTIMATE_COLUMNS = (
    "classifier", "measure", "region", "fpr_low", "fpr_high", "tpr_low", "tpr_high",
    "threshold_low", "threshold_high", "value", "se", "low", "high", "level", "kind",
    "variance", "design", "n_pos", "n_neg", "bias", "scheme", "n_resamples", "seed", "df",
    "effective_size", "resolution_bound", "cautions", "conservative",
)  # fmt: skip
COMPARISON_COLUMNS = (
    "first", "second", "measure", "region", "difference", "se", "statistic", "pvalue",
    "p_adjusted", "null", "alternative", "low", "high", "level", "kind", "correlation",
    "value_first", "value_second", "paired", "variance", "design_first", "design_second",
    "n_pos_first", "n_neg_first", "n_pos_second", "n_neg_second", "bias", "scheme",
    "n_resamples", "seed", "df", "resolution_bound", "cautions", "conservative",
)  # fmt: skip


def frame(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """Return records as a data frame with exactly these columns."""
    import pandas as pd

    return pd.DataFrame([[record[c] for c in columns] for record in records], columns=list(columns))


def estimate_row(
    e: "Estimate", ends: Interval, level: float, kind: str, df: float
) -> dict[str, Any]:
    """Return the row of an estimate."""
    values = (
        e.classifier, e.measure.label, e.region.words, *e.region.fpr, *e.region.tpr,
        *e.region.threshold, e.value, e.se, *ends, level, kind, e.variance, e.design, e.n_pos,
        e.n_neg, math.nan if e.bias is None else e.bias, *_origin(e.resampled), df,
        math.nan if e.effective_size is None else e.effective_size, e.resolution_bound,
        cautions_of([e]), e.conservative,
    )  # fmt: skip
    return dict(zip(ESTIMATE_COLUMNS, values, strict=True))


def comparison_row(
    c: "Comparison",
    ends: Interval,
    level: float,
    kind: str,
    pvalue: float,
    statistic: float | None,
    df: float,
) -> dict[str, Any]:
    """Return the row of a comparison."""
    a, b = c.estimates
    values = (
        c.first, c.second, c.measure.label, c.region_phrase, c.difference, c.se,
        math.nan if statistic is None else statistic, pvalue, pvalue, c.null, c.alternative, *ends,
        level, kind, c.correlation, a.value, b.value, c.paired, a.variance, a.design, b.design,
        a.n_pos, a.n_neg, b.n_pos, b.n_neg, math.nan if c.bias is None else c.bias,
        *_origin(c.resampled), df, c.resolution_bound, cautions_of(c.estimates),
        any(e.conservative for e in c.estimates),
    )  # fmt: skip
    return dict(zip(COMPARISON_COLUMNS, values, strict=True))


def cautions_of(estimates: "Sequence[Estimate]") -> str | None:
    """Return why estimates are doubtful, with the names of several; None if they are not."""
    several = len(estimates) > 1
    reasons = [
        f"{e.classifier}: {c.reason}" if several else c.reason
        for e in estimates
        for c in e.cautions
    ]
    return " ".join(dict.fromkeys(reasons)) or None


def _origin(resampled: "Resampled | None") -> tuple[str | None, float, float]:
    """Return what it takes to draw the same replicates again: scheme, number and seed."""
    if resampled is None:
        return None, math.nan, math.nan
    return resampled.scheme, resampled.replicates.size, resampled.seed
