"""Warnings about small folds, because averages over folds have the bias of small samples."""

from collections.abc import Sequence

from pauci.errors import SmallFoldsWarning, SmallRegionWarning, warn
from pauci.measures.area import AUC
from pauci.results.estimates import Estimate

FEWEST = 10
"""Rows of a class in a fold below which the bias may be as large as the standard error."""


def warn_about_small_folds(names: Sequence[object], estimates: Sequence[Estimate]) -> None:
    """Warn about folds with few rows, or few rows in the region.

    The AUC is unbiased for folds of any size, but its bootstrap variance is not.
    """
    resampled = estimates[0].resampled is not None
    if isinstance(estimates[0].measure, AUC) and not resampled:
        return
    reasons = [
        *_few_rows(names, estimates, resampled=resampled),
        *_few_rows_in_region(names, estimates),
    ]
    if not reasons:
        return
    e = estimates[0]
    unbiased = isinstance(e.measure, AUC)
    bias = "" if unbiased else ". An average over folds has the bias of small samples"
    wider_region = ", or a wider region" if e.measure.region_phrase and not unbiased else ""
    hint = f"Use fewer folds{wider_region}"
    warn(
        SmallFoldsWarning(
            f"{'; '.join(reasons)}{bias}.",
            measure=e.measure,
            classifier=e.classifier,
            hint=f"{hint}, or variance='influence'." if resampled else f"{hint}.",
            shell_hint=f"{hint}, or --variance influence." if resampled else f"{hint}.",
        )
    )


def _few_rows(
    names: Sequence[object], estimates: Sequence[Estimate], *, resampled: bool
) -> list[str]:
    """Return a sentence about folds with few positives or negatives."""
    few = [k for k, e in enumerate(estimates) if min(e.n_pos, e.n_neg) < FEWEST]
    if not few:
        return []
    smallest = min(few, key=lambda k: min(estimates[k].n_pos, estimates[k].n_neg))
    n_pos, n_neg = estimates[smallest].n_pos, estimates[smallest].n_neg
    count, noun = (n_pos, "positive") if n_pos <= n_neg else (n_neg, "negative")
    words = (
        f"{len(few):,} of {len(estimates):,} folds have fewer than {FEWEST} positives or "
        f"negatives, and fold {names[smallest]!r} has only {count} {noun}{'s' * (count != 1)}"
    )
    return [words + (", and bootstrap samples of so few rows vary too little" if resampled else "")]


def _few_rows_in_region(names: Sequence[object], estimates: Sequence[Estimate]) -> list[str]:
    """Return a sentence about folds with few rows of a class in the region."""
    reasons = {
        k: caution.finding
        for k, e in enumerate(estimates)
        for caution in e.cautions
        if isinstance(caution, SmallRegionWarning)
    }
    if not reasons:
        return []
    smallest = min(reasons, key=lambda k: min(estimates[k].n_pos, estimates[k].n_neg))
    return [
        f"the region is small in {len(reasons):,} of {len(estimates):,} folds "
        f"(fold {names[smallest]!r}: {reasons[smallest]})"
    ]
