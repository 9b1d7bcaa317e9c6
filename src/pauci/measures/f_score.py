"""The F score: the weighted harmonic mean of precision and recall."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from pauci import checks
from pauci.accepted import Bound, Number
from pauci.errors import InputError
from pauci.measures.at_cutoff import AtPointAndPrevalence, ratio
from pauci.measures.base import register
from pauci.measures.kappa_at import Slopes

__all__ = ["F"]


@register
@dataclass(frozen=True, eq=False, repr=False)
class F(AtPointAndPrevalence):
    r"""F score: the weighted harmonic mean of sensitivity (recall) and PPV (precision).

    Parameters
    ----------
    beta : number, default 1
        Weight of the sensitivity relative to the PPV, positive.
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
    .. math:: F_\beta = \frac{(1 + \beta^2) \pi y}{\beta^2 \pi + \pi y + (1 - \pi) x}

    with the true positive rate y, the false positive rate x and the prevalence :math:`\pi` (van
    Rijsbergen 1979).

    References
    ----------
    C. J. van Rijsbergen (1979), Information Retrieval, 2nd edition, Butterworths, chapter 7.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)
    >>> pauci.estimate(sample, pauci.F(threshold=2)).value
    0.8
    """

    key: ClassVar[str] = "f"
    symbol: ClassVar[str] = "F"
    title: ClassVar[str] = "F score"
    reference: ClassVar[str] = "van Rijsbergen 1979, Information Retrieval, Butterworths"

    beta: "Number" = field(default=1.0, kw_only=True)

    def __post_init__(self, specificity: Bound | None, sensitivity: Bound | None) -> None:
        super().__post_init__(specificity, sensitivity)
        beta = checks.finite("beta", self.beta)
        if not 1e-6 <= beta <= 1e6:
            raise InputError.of("beta", self.beta, "must be positive, such as 1 or 2.")
        object.__setattr__(self, "beta", beta)

    @property
    def label(self) -> str:
        """F with beta, and the prevalence if it is specified."""
        return f"F{float(self.beta):g}{self._prevalence_suffix}"

    @property
    def name(self) -> str:
        """F with beta, and the prevalence if it is specified."""
        return f"F{float(self.beta):g} score{self._prevalence_suffix}"

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the score."""
        true, weight = share * tpr, self.beta**2
        return ratio((1.0 + weight) * true, weight * share + true + (1.0 - share) * fpr)

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> Slopes:
        """Return the derivatives."""
        weight = self.beta**2
        denominator = weight * share + share * tpr + (1.0 - share) * fpr
        factor = (1.0 + weight) / denominator**2
        return Slopes(
            -factor * share * tpr * (1.0 - share),
            factor * share * (denominator - share * tpr),
            factor * tpr * fpr,
        )
