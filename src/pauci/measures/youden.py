"""Youden's index."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pauci.curve.region import Bounds
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import register
from pauci.measures.kappa_at import Slopes

__all__ = ["Youden"]


@register
@dataclass(frozen=True, eq=False, repr=False)
class Youden(AtCutoff):
    """Youden's index at a given threshold: sensitivity + specificity - 1.

    Parameters
    ----------
    threshold : number, category or dict
        The rule is score >= threshold, or <= if lower scores are positive. A dict has the threshold
        of each classifier by name.

    Notes
    -----
    The difference of the true and the false positive rate, whose influences are those of two
    proportions (Youden 1950).

    References
    ----------
    W. J. Youden (1950), Cancer 3:32-35.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> pauci.estimate(sample, pauci.Youden(threshold=2)).value
    0.5
    """

    key: ClassVar[str] = "youden"
    symbol: ClassVar[str] = "J"
    title: ClassVar[str] = "Youden index"
    reference: ClassVar[str] = "Youden 1950, Cancer 3:32-35"

    @property
    def range(self) -> Bounds:
        """From -1 to 1."""
        return Bounds(-1.0, 1.0)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return the difference of the rates."""
        return tpr - fpr

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> Slopes:  # noqa: ARG002
        """Return the derivatives."""
        return Slopes(-1.0, 1.0, 0.0)
