"""Sensitivity and specificity, at a given threshold or at a given value of the other rate."""

from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar

from pauci.checks import Bound
from pauci.curve.polyline import Axis
from pauci.measures.at_cutoff import SENSITIVITY, SPECIFICITY, AtCutoff, CellProportion
from pauci.measures.base import register


@register
@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(AtCutoff):
    r"""Sensitivity at a given false positive rate, or at a given threshold.

    Parameters
    ----------
    fpr : number
        The false positive rate, strictly between 0 and 1.
    specificity : number
        The specificity, instead of `fpr`; it is stored as the FPR, 1 - specificity.
    threshold : number, category or dict
        The threshold, instead of a rate: the rule is score >= threshold, or <= if lower scores are
        positive. A dict has the threshold of each classifier by name.

    Notes
    -----
    At a given threshold, the estimate is a proportion of the positives. At a given rate it is R(x),
    the upper end if x is on a step; the threshold is then estimated, so the variance is the
    binomial variance of the positives plus the squared slope times the binomial variance of the
    negatives (Linnet 1987).

    References
    ----------
    K. Linnet (1987), Statistics in Medicine 6:147-158.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 12, [1, 2, 2, 4, 3, 5] * 12)
    >>> round(pauci.estimate(sample, pauci.Sensitivity(fpr=0.5)).value, 4)
    0.8333
    """

    key: ClassVar[str] = "sensitivity"
    symbol: ClassVar[str] = "sensitivity"
    title: ClassVar[str] = "sensitivity"
    reference: ClassVar[str] = "Linnet 1987, Statistics in Medicine 6:147-158"
    scalar: ClassVar[Axis] = "fpr"
    proportion: ClassVar[CellProportion | None] = SENSITIVITY
    degenerate_maximum: ClassVar[str] = "is largest if all rows are called positive"

    fpr: "Bound | None" = field(default=None, kw_only=True)
    specificity: InitVar["Bound | None"] = field(default=None, kw_only=True)

    def __post_init__(self, specificity: Bound | None) -> None:
        self._set_region({"fpr": (self.fpr, specificity)})

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return the true positive rate."""
        return tpr

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of positives, or the size of the smaller class at a given rate."""
        return float(n_pos) if self.known_ends else super().pairs(n_pos, n_neg)


@register
@dataclass(frozen=True, eq=False, repr=False)
class Specificity(AtCutoff):
    r"""Specificity at a given sensitivity, or at a given threshold.

    Parameters
    ----------
    tpr : number
        The true positive rate (sensitivity), strictly between 0 and 1.
    sensitivity : number
        Alternative name of `tpr`.
    threshold : number, category or dict
        The threshold, instead of a rate: rows with score >= threshold are predicted positive, or <=
        if lower scores are positive. A dict has the threshold of each classifier by name.

    Notes
    -----
    At a given threshold, the estimate is a proportion of the negatives. At a given rate it is
    :math:`1 - R^{-1}(y)`. If y is on a step, it is the left (south-west) end, which
    has the highest specificity with this sensitivity. The threshold is estimated, as for
    `Sensitivity`.

    References
    ----------
    K. Linnet (1987), Statistics in Medicine 6:147-158.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1] * 30 + [1] * 30, range(90))
    >>> round(pauci.estimate(sample, pauci.Specificity(tpr=0.8)).value, 4)
    0.4333
    """

    key: ClassVar[str] = "specificity"
    symbol: ClassVar[str] = "specificity"
    title: ClassVar[str] = "specificity"
    reference: ClassVar[str] = "Linnet 1987, Statistics in Medicine 6:147-158"
    scalar: ClassVar[Axis] = "tpr"
    proportion: ClassVar[CellProportion | None] = SPECIFICITY
    degenerate_maximum: ClassVar[str] = "is largest if no row is called positive"

    tpr: "Bound | None" = field(default=None, kw_only=True)
    sensitivity: InitVar["Bound | None"] = field(default=None, kw_only=True)

    def __post_init__(self, sensitivity: Bound | None) -> None:
        self._set_region({"tpr": (self.tpr, sensitivity)})

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return 1 - the false positive rate."""
        return 1.0 - fpr

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of negatives, or the size of the smaller class at a given rate."""
        return float(n_neg) if self.known_ends else super().pairs(n_pos, n_neg)
