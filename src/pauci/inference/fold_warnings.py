"""Warnings about small folds: averages over them have the bias of small samples."""

from collections.abc import Sequence

from pauci.errors import SmallFoldsWarning, SmallRegionWarning, warn
from pauci.measures.area import AUC
from pauci.results.estimates import Estimate

FEWEST = 10
"""Rows of a class in a fold below which the bias may be as large as the standard error."""


def warn_about_small_folds(names: Sequence[object], estimates: Sequence[Estimate]) -> None:
    """Warn about folds with few rows, or few rows in the region.

    The AUC is unbiased for every size of the folds, but its bootstrap in small folds is not.
    """
    drawn = estimates[0].resampled is not None
    if isinstance(estimates[0].measure, AUC) and not drawn:
        return
    reasons = [*_of_rows(names, estimates, drawn=drawn), *_of_regions(names, estimates)]
    if not reasons:
        return
    e = estimates[0]
    unbiased = isinstance(e.measure, AUC)
    keeps = "" if unbiased else ". An average over folds has the bias of small samples"
    wider = ", or a wider region" if e.measure.region_phrase and not unbiased else ""
    hint = f"Use fewer folds{wider}"
    warn(
        SmallFoldsWarning(
            f"{'; '.join(reasons)}{keeps}.",
            measure=e.measure,
            classifier=e.classifier,
            hint=f"{hint}, or variance='influence'." if drawn else f"{hint}.",
            shell_hint=f"{hint}, or --variance influence." if drawn else f"{hint}.",
        )
    )


def _of_rows(names: Sequence[object], estimates: Sequence[Estimate], *, drawn: bool) -> list[str]:
    """Return a sentence about folds with few positives or negatives."""
    few = [k for k, e in enumerate(estimates) if min(e.n_pos, e.n_neg) < FEWEST]
    if not few:
        return []
    least = min(few, key=lambda k: min(estimates[k].n_pos, estimates[k].n_neg))
    n_pos, n_neg = estimates[least].n_pos, estimates[least].n_neg
    count, noun = (n_pos, "positive") if n_pos <= n_neg else (n_neg, "negative")
    words = (
        f"{len(few):,} of {len(estimates):,} folds have fewer than {FEWEST} positives or "
        f"negatives, fold {names[least]!r} only {count} {noun}{'s' * (count != 1)}"
    )
    return [words + (", and bootstrap samples of so few rows vary too little" if drawn else "")]


def _of_regions(names: Sequence[object], estimates: Sequence[Estimate]) -> list[str]:
    """Return a sentence about folds with few rows of a class in the region."""
    of_fold = {
        k: caution.reason.partition(";")[0]
        for k, e in enumerate(estimates)
        for caution in e.cautions
        if isinstance(caution, SmallRegionWarning)
    }
    if not of_fold:
        return []
    least = min(of_fold, key=lambda k: min(estimates[k].n_pos, estimates[k].n_neg))
    return [
        f"the region is small in {len(of_fold):,} of {len(estimates):,} folds "
        f"(fold {names[least]!r}: {of_fold[least]})"
    ]
