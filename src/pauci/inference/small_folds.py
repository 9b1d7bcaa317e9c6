"""What small folds give cause to warn of: averages over them keep the bias of small samples."""

from collections.abc import Sequence

from pauci.errors import (
    SmallFoldsWarning,
    SmallRegionWarning,
    arg,
    shown,
    warn,
)
from pauci.measures.area import AUC
from pauci.results.estimate import Estimate

FEWEST = 10
"""Fewer positives or negatives in a fold, and a bias may be as large as the standard error."""


def warn_of_small_folds(names: Sequence[object], found: Sequence[Estimate]) -> None:
    """Warn of folds that hold few rows, or few in the region.

    The AUC is unbiased however small a fold is, but its bootstrap within a fold is not.
    """
    drawn = found[0].resampled is not None
    if isinstance(found[0].measure, AUC) and not drawn:
        return
    reasons = [*_of_rows(names, found, drawn=drawn), *_of_regions(names, found)]
    if not reasons:
        return
    e = found[0]
    unbiased = isinstance(e.measure, AUC)
    keeps = "" if unbiased else ". An average over folds keeps the bias of small samples"
    warn(
        SmallFoldsWarning,
        shown(e.measure),
        f" of {e.classifier}: ",
        f"{'; '.join(reasons)}{keeps}.",
        " Use fewer folds",
        ", or a wider region" if e.measure.region_phrase and not unbiased else "",
        *((", or ", arg("variance", "influence")) if drawn else ()),
        ".",
    )


def _of_rows(names: Sequence[object], found: Sequence[Estimate], *, drawn: bool) -> list[str]:
    """Return what to say of folds with few positives or negatives."""
    few = [k for k, e in enumerate(found) if min(e.n_pos, e.n_neg) < FEWEST]
    if not few:
        return []
    least = min(few, key=lambda k: min(found[k].n_pos, found[k].n_neg))
    n_pos, n_neg = found[least].n_pos, found[least].n_neg
    count, noun = (n_pos, "positive") if n_pos <= n_neg else (n_neg, "negative")
    words = (
        f"{len(few):,} of {len(found):,} folds hold fewer than {FEWEST} positives or negatives, "
        f"fold {names[least]!r} only {count} {noun}{'s' * (count != 1)}"
    )
    return [words + (", and what is drawn from so few varies too little" if drawn else "")]


def _of_regions(names: Sequence[object], found: Sequence[Estimate]) -> list[str]:
    """Return what to say of folds whose region holds few of a class."""
    of_fold = {
        k: caution.reason.partition(";")[0]
        for k, e in enumerate(found)
        for caution in e.cautions
        if isinstance(caution, SmallRegionWarning)
    }
    if not of_fold:
        return []
    least = min(of_fold, key=lambda k: min(found[k].n_pos, found[k].n_neg))
    return [
        f"the region is small in {len(of_fold):,} of {len(found):,} folds (fold {names[least]!r}: "
        f"{of_fold[least]})"
    ]
