"""The Matthews correlation coefficient."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pauci.curve.region import Bounds
from pauci.measures.at_cutoff import AtCutoffAndPrevalence, ratio
from pauci.measures.base import register
from pauci.measures.kappa_at import Slopes

__all__ = ["MCC"]


@register
@dataclass(frozen=True, eq=False, repr=False)
class MCC(AtCutoffAndPrevalence):
    r"""Matthews correlation coefficient between the decision at a given threshold and the label.

    Parameters
    ----------
    threshold : number, category or dict
        The rule is score >= threshold, or <= if lower scores are positive. A dict has the threshold
        of each classifier by name.
    prevalence : number, optional
        Prevalence of positives in the target population; the default is that of the sample.

    Notes
    -----
    .. math:: \sqrt{\frac{\pi (1 - \pi)}{f (1 - f)}} (y - x), \qquad f = \pi y + (1 - \pi) x

    with the true positive rate y, the false positive rate x and the prevalence :math:`\pi`: the
    correlation of two binary variables (Matthews 1975).

    References
    ----------
    B. W. Matthews (1975), Biochimica et Biophysica Acta 405:442-451.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> round(pauci.estimate(sample, pauci.MCC(threshold=2)).value, 4)
    0.5774
    """

    key: ClassVar[str] = "mcc"
    symbol: ClassVar[str] = "MCC"
    title: ClassVar[str] = "Matthews correlation coefficient"
    reference: ClassVar[str] = "Matthews 1975, Biochimica et Biophysica Acta 405:442-451"
    undefined_if: ClassVar[str] = "all rows have the same decision"

    @property
    def range(self) -> Bounds:
        """From -1 to 1."""
        return Bounds(-1.0, 1.0)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the correlation."""
        rest = 1.0 - share
        called = share * tpr + rest * fpr
        cleared = share * (1.0 - tpr) + rest * (1.0 - fpr)
        return ratio(np.sqrt(share * rest) * (tpr - fpr), np.sqrt(called * cleared))

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> Slopes:
        """Return the derivatives."""
        rest, difference = 1.0 - share, tpr - fpr
        called = share * tpr + rest * fpr
        cleared = share * (1.0 - tpr) + rest * (1.0 - fpr)
        scale = np.sqrt(share * rest / (called * cleared))
        # Derivative with respect to the proportion f, at a fixed difference of the rates
        by_called = -0.5 * scale * difference * (cleared - called) / (called * cleared)
        by_share = 0.5 * scale * difference * (rest - share) / (share * rest)
        return Slopes(
            -scale + rest * by_called,
            scale + share * by_called,
            by_share + difference * by_called,
        )
