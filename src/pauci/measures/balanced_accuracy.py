"""The mean of sensitivity and specificity."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import register
from pauci.measures.kappa_at import Slopes

__all__ = ["BalancedAccuracy"]


@register
@dataclass(frozen=True, eq=False, repr=False)
class BalancedAccuracy(AtCutoff):
    r"""Balanced accuracy at a given threshold: the mean of sensitivity and specificity.

    Parameters
    ----------
    threshold : number, category or dict
        The rule is score >= threshold, or <= if lower scores are positive. A dict has the threshold
        of each classifier by name.

    Notes
    -----
    :math:`(y + 1 - x) / 2` with the true positive rate y and the false positive rate x (Brodersen
    et al. 2010).

    References
    ----------
    K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010), The balanced accuracy and
    its posterior distribution, International Conference on Pattern Recognition, 3121-3124.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> pauci.estimate(sample, pauci.BalancedAccuracy(threshold=2)).value
    0.75
    """

    key: ClassVar[str] = "balancedaccuracy"
    symbol: ClassVar[str] = "balanced accuracy"
    title: ClassVar[str] = "balanced accuracy"
    reference: ClassVar[str] = (
        "Brodersen et al. 2010, International Conference on Pattern Recognition"
    )

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return the mean of sensitivity and specificity."""
        return (tpr + (1.0 - fpr)) / 2.0

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> Slopes:  # noqa: ARG002
        """Return the derivatives."""
        return Slopes(-0.5, 0.5, 0.0)
