"""The negative predictive value."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pauci.measures.at_cutoff import AtPointAndPrevalence, ratio
from pauci.measures.base import register
from pauci.measures.decision_cells import FN, TN, CellProportion
from pauci.measures.kappa_at import Slopes

__all__ = ["NPV"]


@register
@dataclass(frozen=True, eq=False, repr=False)
class NPV(AtPointAndPrevalence):
    r"""Negative predictive value: the proportion of negatives among those predicted negative.

    Parameters
    ----------
    threshold : number, category or dict
        Rows with score >= threshold are predicted positive, or <= if lower scores are positive. A
        dict has the threshold of each classifier by name.
    sensitivity, specificity : number
        The sensitivity or specificity of the rule, instead of a threshold; `tpr` and `fpr` are
        other names of the same rates. The threshold is then estimated.
    prevalence : number, optional
        Prevalence of positives in the target population; the default is that of the sample.

    Notes
    -----
    .. math:: NPV = \frac{(1 - \pi) (1 - x)}{(1 - \pi) (1 - x) + \pi (1 - y)}

    with the true positive rate y, the false positive rate x and the prevalence :math:`\pi` (Pepe
    2003). In a cohort the prevalence is estimated, and the variance at a given threshold is that
    of a proportion of the rows that are predicted negative.

    References
    ----------
    M. S. Pepe (2003), The Statistical Evaluation of Medical Tests for Classification and
    Prediction, Oxford University Press, chapter 2.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> e = pauci.estimate(sample, pauci.NPV(threshold=3))
    >>> round(e.value, 4), round(e.se, 4)
    (0.5, 0.1204)
    """

    key: ClassVar[str] = "npv"
    symbol: ClassVar[str] = "NPV"
    title: ClassVar[str] = "negative predictive value"
    reference: ClassVar[str] = "Pepe 2003, The Statistical Evaluation of Medical Tests"
    undefined_if: ClassVar[str] = "no row is predicted negative"
    proportion: ClassVar[CellProportion | None] = CellProportion(TN, TN + FN)
    degenerate_maximum: ClassVar[str] = (
        "is often largest at the most extreme score, of one or few rows"
    )

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the proportion of negatives among rows predicted negative."""
        true = (1.0 - share) * (1.0 - fpr)
        return ratio(true, true + share * (1.0 - tpr))

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> Slopes:
        """Return the derivatives."""
        specificity, misses = 1.0 - fpr, 1.0 - tpr
        factor = 1.0 / ((1.0 - share) * specificity + share * misses) ** 2
        both = share * (1.0 - share) * factor
        return Slopes(-both * misses, both * specificity, -specificity * misses * factor)
