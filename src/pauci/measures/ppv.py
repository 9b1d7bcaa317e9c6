"""The positive predictive value."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pauci.measures.at_cutoff import AtPointAndPrevalence, ratio
from pauci.measures.base import register
from pauci.measures.decision_cells import FP, TP, CellProportion
from pauci.measures.kappa_at import Slopes

__all__ = ["PPV"]


@register
@dataclass(frozen=True, eq=False, repr=False)
class PPV(AtPointAndPrevalence):
    r"""Positive predictive value (precision): the proportion of positives among predicted ones.

    Parameters
    ----------
    threshold : number, category or dict
        The rule is score >= threshold, or <= if lower scores are positive. A dict has the threshold
        of each classifier by name.
    sensitivity, specificity : number
        The sensitivity or specificity of the rule, instead of a threshold; `tpr` and `fpr` are
        other names of the same rates. The threshold is then estimated.
    prevalence : number, optional
        Prevalence of positives in the target population; the default is that of the sample.

    Notes
    -----
    .. math:: PPV = \frac{\pi y}{\pi y + (1 - \pi) x}

    with the true positive rate y, the false positive rate x and the prevalence :math:`\pi` (Pepe
    2003). In a cohort the prevalence is estimated, and the variance at a given threshold is that
    of a proportion of the rows that are predicted positive.

    References
    ----------
    M. S. Pepe (2003), The Statistical Evaluation of Medical Tests for Classification and
    Prediction, Oxford University Press, chapter 2.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> e = pauci.estimate(sample, pauci.PPV(threshold=2))
    >>> round(e.value, 4), round(e.se, 4)
    (0.6667, 0.0925)
    """

    key: ClassVar[str] = "ppv"
    symbol: ClassVar[str] = "PPV"
    title: ClassVar[str] = "positive predictive value"
    reference: ClassVar[str] = "Pepe 2003, The Statistical Evaluation of Medical Tests"
    undefined_if: ClassVar[str] = "no row is predicted positive"
    proportion: ClassVar[CellProportion | None] = CellProportion(TP, TP + FP)
    degenerate_maximum: ClassVar[str] = (
        "is often largest at the most extreme score, of one or few rows"
    )

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the proportion of positives among rows predicted positive."""
        true = share * tpr
        return ratio(true, true + (1.0 - share) * fpr)

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> Slopes:
        """Return the derivatives."""
        factor = 1.0 / (share * tpr + (1.0 - share) * fpr) ** 2
        both = share * (1.0 - share) * factor
        return Slopes(-both * tpr, both * fpr, tpr * fpr * factor)
