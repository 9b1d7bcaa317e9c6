"""The proportion of rows that are predicted positive."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pauci.measures.at_cutoff import AtCutoffAndPrevalence
from pauci.measures.base import register
from pauci.measures.decision_cells import FN, FP, TN, TP, CellProportion
from pauci.measures.kappa_at import Slopes

__all__ = ["PredictedPositiveRate"]


@register
@dataclass(frozen=True, eq=False, repr=False)
class PredictedPositiveRate(AtCutoffAndPrevalence):
    r"""Predicted-positive rate at a given threshold: the proportion of rows predicted positive.

    Parameters
    ----------
    threshold : number, category or dict
        The rule is score >= threshold, or <= if lower scores are positive. A dict has the threshold
        of each classifier by name.
    prevalence : number, optional
        Prevalence of positives in the target population; the default is that of the sample.

    Notes
    -----
    :math:`\pi y + (1 - \pi) x` with the true positive rate y, the false positive rate x and the
    prevalence :math:`\pi` (Barocas, Hardt and Narayanan 2023).

    References
    ----------
    S. Barocas, M. Hardt and A. Narayanan (2023), Fairness and Machine Learning, MIT Press.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> pauci.estimate(sample, pauci.PredictedPositiveRate(threshold=2)).value
    0.75
    """

    key: ClassVar[str] = "positiverate"
    symbol: ClassVar[str] = "predicted-positive rate"
    title: ClassVar[str] = "predicted-positive rate"
    reference: ClassVar[str] = (
        "Barocas, Hardt and Narayanan 2023, Fairness and Machine Learning, MIT Press"
    )
    proportion: ClassVar[CellProportion | None] = CellProportion(TP + FP, TP + FP + FN + TN)
    degenerate_maximum: ClassVar[str] = "is largest if all rows are called positive"

    @property
    def higher_is_better(self) -> None:
        """None, because the rate is not a measure of quality."""
        return None

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the proportion of rows predicted positive."""
        return share * tpr + (1.0 - share) * fpr

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> Slopes:
        """Return the derivatives."""
        return Slopes(1.0 - share, share, tpr - fpr)
