"""The proportion of correct decisions."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pauci.measures.at_cutoff import AtCutoffAndPrevalence
from pauci.measures.base import register
from pauci.measures.decision_cells import FN, FP, TN, TP, CellProportion
from pauci.measures.kappa_at import Slopes

__all__ = ["Accuracy"]


@register
@dataclass(frozen=True, eq=False, repr=False)
class Accuracy(AtCutoffAndPrevalence):
    r"""Accuracy at a given threshold: the proportion of rows with the correct decision.

    Parameters
    ----------
    threshold : number, category or dict
        The rule is score >= threshold, or <= if lower scores are positive. A dict has the threshold
        of each classifier by name.
    prevalence : number, optional
        Prevalence of positives in the target population; the default is that of the sample.

    Notes
    -----
    :math:`\pi y + (1 - \pi) (1 - x)` with the true positive rate y, the false positive rate x and
    the prevalence :math:`\pi` (Pepe 2003).

    References
    ----------
    M. S. Pepe (2003), The Statistical Evaluation of Medical Tests for Classification and
    Prediction, Oxford University Press, chapter 2.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> pauci.estimate(sample, pauci.Accuracy(threshold=2)).value
    0.75
    """

    key: ClassVar[str] = "accuracy"
    symbol: ClassVar[str] = "accuracy"
    title: ClassVar[str] = "accuracy"
    reference: ClassVar[str] = "Pepe 2003, The Statistical Evaluation of Medical Tests"
    proportion: ClassVar[CellProportion | None] = CellProportion(TP + TN, TP + FP + FN + TN)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the proportion of correct decisions."""
        return share * tpr + (1.0 - share) * (1.0 - fpr)

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> Slopes:
        """Return the derivatives."""
        return Slopes(share - 1.0, share, tpr - (1.0 - fpr))
