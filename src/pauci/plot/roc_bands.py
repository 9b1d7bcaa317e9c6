"""Bands of the ROC curves of a sample, calculated or passed by the user."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from pauci.analyses.band import Band
from pauci.errors import (
    DegenerateWarning,
    FewInfluentialWarning,
    InputError,
    InputTypeError,
    SmallFoldsWarning,
    SmallRegionWarning,
    each_warning_once,
)
from pauci.figures.bands import BandLimits
from pauci.inference.estimate import estimate
from pauci.measures.point import Sensitivity
from pauci.plot.classifiers import Classifier

_GRID = 100

_WARNINGS = (DegenerateWarning, FewInfluentialWarning, SmallFoldsWarning, SmallRegionWarning)


@runtime_checkable
class BandLike(Protocol):
    """What `roc` draws as a band: TPRs from `low` to `high` at each `fpr`."""

    @property
    def fpr(self) -> Any:
        """False positive rates in nondecreasing order."""

    @property
    def low(self) -> Any:
        """Lower ends."""

    @property
    def high(self) -> Any:
        """Upper ends."""


def pointwise(classifier: Classifier, level: float) -> BandLimits:
    """Return intervals of `Sensitivity` at FPR 0.01, 0.02, ..., 0.99.

    Intervals of averages over folds can be wide next to a TPR of 1. A curve does not decrease, so
    a lower limit is also one at higher FPRs, and an upper limit one at lower FPRs.

    No warning is issued about the few rows at points near a corner, whose intervals are wide.
    """
    grid = np.arange(1, _GRID) / _GRID
    sample = classifier.sample[classifier.name]
    with warnings.catch_warnings(), each_warning_once():
        for category in _WARNINGS:
            warnings.simplefilter("ignore", category)
        ends = [estimate(sample, Sensitivity(fpr=x)).interval(level) for x in grid.tolist()]
    low, high = np.array(ends).T
    if classifier.has_folds:
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    return BandLimits(grid, low, high)


def bands_of(band: Any, classifiers: Sequence[Classifier], level: float) -> list[BandLimits | None]:
    """Return the band of each classifier, calculated or passed by the user."""
    if band is None:
        return [None] * len(classifiers)
    if isinstance(band, str):
        if band != "pointwise":
            raise InputError.of(
                "band",
                band,
                "is not known. Accepted: None, 'pointwise', or an object with arrays .fpr, .low "
                "and .high.",
            )
        return [pointwise(c, level) for c in classifiers]
    if isinstance(band, Mapping):
        unknown = [name for name in band if name not in [c.name for c in classifiers]]
        if unknown:
            raise InputError.about(
                "band",
                f"holds {unknown[0]!r}, which is not a classifier of this figure "
                f"({', '.join(c.name for c in classifiers)}).",
                value=band,
            )
        return [_checked(band[c.name]) if c.name in band else None for c in classifiers]
    if len(classifiers) > 1:
        raise InputError.about(
            "band",
            f"is one object, but there are {len(classifiers)} classifiers; pass a dict of bands "
            "by name.",
            value=band,
        )
    return [_checked(band)]


def _checked(band: Any) -> BandLimits:
    """Return a band whose arrays can be drawn."""
    if not isinstance(band, BandLike):
        raise InputTypeError.about(
            "band",
            f"is a {type(band).__name__}. Accepted: None, 'pointwise', or an object with arrays "
            ".fpr, .low and .high.",
            value=band,
        )
    if isinstance(band, Band):
        if band.of_difference:
            raise InputError.about(
                "band",
                f"is the band of the difference {' - '.join(band.names)}; draw it with "
                f"band.plot(), or pass the bands of the curves, such as {{{band.names[0]!r}: "
                f"pauci.band(sample[{band.names[0]!r}])}}.",
                value=band,
            )
        return BandLimits(band.fpr, band.low, band.high, band.fpr_low, band.fpr_high)
    fpr, low, high = (np.asarray(v, np.float64) for v in (band.fpr, band.low, band.high))
    if fpr.ndim != 1 or not fpr.shape == low.shape == high.shape or (np.diff(fpr) < 0).any():
        raise InputError.about(
            "band",
            f"has arrays of shapes {fpr.shape}, {low.shape} and {high.shape}; .fpr, .low and "
            ".high must be 1-D arrays of the same length, and .fpr must not decrease.",
            value=band,
        )
    return BandLimits(fpr, low, high)
