"""The likelihood ratios of a positive and of a negative decision."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from pauci.curve.region import Bounds
from pauci.measures.at_cutoff import AtCutoff, ratio
from pauci.measures.base import register
from pauci.measures.kappa_at import Slopes

__all__ = ["LRNegative", "LRPositive"]


@dataclass(frozen=True, eq=False, repr=False)
class _LikelihoodRatio(AtCutoff):
    """A ratio of the rates of a decision in the two classes."""

    @property
    def range(self) -> Bounds:
        """From 0 to infinity."""
        return Bounds(0.0, math.inf)

    @property
    def interval_kind(self) -> str | None:
        """The kind "log"."""
        return "log"


@register
@dataclass(frozen=True, eq=False, repr=False)
class LRPositive(_LikelihoodRatio):
    r"""Positive likelihood ratio at a given threshold: sensitivity / (1 - specificity).

    Parameters
    ----------
    threshold : number, category or dict
        The rule is score >= threshold, or <= if lower scores are positive. A dict has the threshold
        of each classifier by name.

    Notes
    -----
    :math:`y / x`, the factor by which a positive decision multiplies the odds of the positive class
    (Simel, Samsa and Matchar 1991).

    References
    ----------
    D. L. Simel, G. P. Samsa and D. B. Matchar (1991), Journal of Clinical Epidemiology 44:763-770.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> pauci.estimate(sample, pauci.LRPositive(threshold=2)).value
    2.0
    """

    key: ClassVar[str] = "lrpositive"
    symbol: ClassVar[str] = "LR+"
    title: ClassVar[str] = "positive likelihood ratio"
    reference: ClassVar[str] = (
        "Simel, Samsa and Matchar 1991, Journal of Clinical Epidemiology 44:763-770"
    )
    undefined_if: ClassVar[str] = "no negative is predicted positive"
    degenerate_maximum: ClassVar[str] = (
        "is often largest at the most extreme score, of one or few rows"
    )

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return the ratio of the rates."""
        return ratio(tpr, fpr)

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> Slopes:  # noqa: ARG002
        """Return the derivatives."""
        return Slopes(-tpr / fpr**2, 1.0 / fpr, 0.0)


@register
@dataclass(frozen=True, eq=False, repr=False)
class LRNegative(_LikelihoodRatio):
    r"""Negative likelihood ratio at a given threshold: (1 - sensitivity) / specificity.

    Parameters
    ----------
    threshold : number, category or dict
        Rows with score >= threshold are predicted positive, or <= if lower scores are positive. A
        dict has the threshold of each classifier by name.

    Notes
    -----
    :math:`(1 - y) / (1 - x)`, the factor by which a negative decision multiplies the odds of the
    positive class (Simel, Samsa and Matchar 1991).

    References
    ----------
    D. L. Simel, G. P. Samsa and D. B. Matchar (1991), Journal of Clinical Epidemiology 44:763-770.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> pauci.estimate(sample, pauci.LRNegative(threshold=3)).value
    1.0
    """

    key: ClassVar[str] = "lrnegative"
    symbol: ClassVar[str] = "LR-"
    title: ClassVar[str] = "negative likelihood ratio"
    reference: ClassVar[str] = (
        "Simel, Samsa and Matchar 1991, Journal of Clinical Epidemiology 44:763-770"
    )
    undefined_if: ClassVar[str] = "no negative is predicted negative"
    degenerate_maximum: ClassVar[str] = "is largest where the marker is least informative"

    @property
    def higher_is_better(self) -> bool:
        """False, because low ratios are better."""
        return False

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return the ratio of the rates of negative decisions."""
        return ratio(1.0 - tpr, 1.0 - fpr)

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> Slopes:  # noqa: ARG002
        """Return the derivatives."""
        specificity = 1.0 - fpr
        return Slopes((1.0 - tpr) / specificity**2, -1.0 / specificity, 0.0)
