"""Cohen's kappa at one cut-off (`pauci.measures.kappa_at`)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pauci.curve.region import Bounds
from pauci.measures.at_cutoff import AtCutoffAndPrevalence
from pauci.measures.base import register
from pauci.measures.kappa_at import Slopes, kappa, kappa_slopes

__all__ = ["Kappa"]


@register
@dataclass(frozen=True, eq=False, repr=False)
class Kappa(AtCutoffAndPrevalence):
    r"""Cohen's kappa between the decision at a given threshold and the label.

    Parameters
    ----------
    threshold : number, category or dict
        The rule is score >= threshold, or <= if lower scores are positive. A dict has the threshold
        of each classifier by name.
    prevalence : number, optional
        Prevalence of positives in the target population; the default is that of the sample.

    Notes
    -----
    .. math:: \kappa = \frac{2 \pi (1 - \pi) (y - x)}{\pi (1 - f) + (1 - \pi) f}, \qquad
              f = \pi y + (1 - \pi) x

    with the true positive rate y, the false positive rate x and the prevalence :math:`\pi` (Cohen
    1960).

    References
    ----------
    J. Cohen (1960), Educational and Psychological Measurement 20:37-46.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> pauci.estimate(sample, pauci.Kappa(threshold=2)).value
    0.5
    """

    key: ClassVar[str] = "kappa"
    symbol: ClassVar[str] = "kappa"
    title: ClassVar[str] = "Cohen's kappa"
    reference: ClassVar[str] = "Cohen 1960, Educational and Psychological Measurement 20:37-46"

    @property
    def range(self) -> Bounds:
        """From -1 to 1."""
        return Bounds(-1.0, 1.0)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return kappa."""
        return kappa(fpr, tpr, share)

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> Slopes:
        """Return the derivatives."""
        return kappa_slopes(fpr, tpr, share)
