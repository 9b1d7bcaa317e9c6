r"""Measures of decisions at one cut-off, as formulas of the rates and the prevalence.

A measure is one formula of the true positive rate y, the false positive rate x and the prevalence
:math:`\pi`. Its influence values and intervals follow (`pauci.measures.at_cutoff`).
"""

import math
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from pauci.checks import Bound, Number, finite
from pauci.curve.region import Bounds
from pauci.errors import InputError
from pauci.measures import at_cutoff
from pauci.measures.at_cutoff import FN, FP, TN, TP, CellProportion, documented, ratio
from pauci.measures.kappa import kappa, kappa_slopes

EXTREME = "is often largest at the most extreme score, of one or few rows"


@documented("0.75")
class Accuracy(at_cutoff.AtCutoffAndPrevalence):
    r"""Accuracy at a given threshold: the proportion of rows with the correct decision.

    Notes
    -----
    :math:`\pi y + (1 - \pi) (1 - x)` with the true positive rate y, the false positive rate x and
    the prevalence :math:`\pi` (Pepe 2003).

    References
    ----------
    M. S. Pepe (2003), The Statistical Evaluation of Medical Tests for Classification and
    Prediction, Oxford University Press, chapter 2.
    """

    key: ClassVar[str] = "accuracy"
    symbol: ClassVar[str] = "accuracy"
    title: ClassVar[str] = "accuracy"
    reference = "Pepe 2003, The Statistical Evaluation of Medical Tests"
    proportion: ClassVar[CellProportion] = CellProportion(TP + TN, TP + FP + FN + TN)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the proportion of correct decisions."""
        return share * tpr + (1.0 - share) * (1.0 - fpr)


@documented("0.75")
class BalancedAccuracy(at_cutoff.AtCutoff):
    """Balanced accuracy at a given threshold: the mean of sensitivity and specificity.

    Notes
    -----
    :math:`(y + 1 - x) / 2` with the true positive rate y and the false positive rate x (Brodersen
    et al. 2010).

    References
    ----------
    K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010), The balanced accuracy and
    its posterior distribution, International Conference on Pattern Recognition, 3121-3124.
    """

    key: ClassVar[str] = "balancedaccuracy"
    symbol: ClassVar[str] = "balanced accuracy"
    title: ClassVar[str] = "balanced accuracy"
    reference = "Brodersen et al. 2010, International Conference on Pattern Recognition"

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return the mean of sensitivity and specificity."""
        return (tpr + (1.0 - fpr)) / 2.0


@documented("0.5")
class Youden(at_cutoff.AtCutoff):
    """Youden's index at a given threshold: sensitivity + specificity - 1.

    Notes
    -----
    The difference of the true and the false positive rate, whose influences are those of two
    proportions (Youden 1950).

    References
    ----------
    W. J. Youden (1950), Cancer 3:32-35.
    """

    key: ClassVar[str] = "youden"
    symbol: ClassVar[str] = "J"
    title: ClassVar[str] = "Youden index"
    reference = "Youden 1950, Cancer 3:32-35"
    range: ClassVar[Bounds] = Bounds(-1.0, 1.0)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return the difference of the rates."""
        return tpr - fpr


@documented("0.6667")
class PPV(at_cutoff.AtPointAndPrevalence):
    r"""Positive predictive value (precision): the proportion of positives among predicted ones.

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
    """

    key: ClassVar[str] = "ppv"
    symbol: ClassVar[str] = "PPV"
    title: ClassVar[str] = "positive predictive value"
    reference = "Pepe 2003, The Statistical Evaluation of Medical Tests"
    undefined_if = "no row is predicted positive"
    proportion: ClassVar[CellProportion] = CellProportion(TP, TP + FP)
    degenerate_maximum = EXTREME

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the proportion of positives among rows predicted positive."""
        true = share * tpr
        return ratio(true, true + (1.0 - share) * fpr)


@documented("1.0")
class NPV(at_cutoff.AtPointAndPrevalence):
    r"""Negative predictive value: the proportion of negatives among those predicted negative.

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
    """

    key: ClassVar[str] = "npv"
    symbol: ClassVar[str] = "NPV"
    title: ClassVar[str] = "negative predictive value"
    reference = "Pepe 2003, The Statistical Evaluation of Medical Tests"
    undefined_if = "no row is predicted negative"
    proportion: ClassVar[CellProportion] = CellProportion(TN, TN + FN)
    degenerate_maximum = EXTREME

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the proportion of negatives among rows predicted negative."""
        true = (1.0 - share) * (1.0 - fpr)
        return ratio(true, true + share * (1.0 - tpr))


@documented("0.75")
class PredictedPositiveRate(at_cutoff.AtCutoffAndPrevalence):
    r"""Predicted-positive rate at a given threshold: the proportion of rows predicted positive.

    Notes
    -----
    :math:`\pi y + (1 - \pi) x` with the true positive rate y, the false positive rate x and the
    prevalence :math:`\pi` (Barocas, Hardt and Narayanan 2023). It is not a measure of quality.

    References
    ----------
    S. Barocas, M. Hardt and A. Narayanan (2023), Fairness and Machine Learning, MIT Press.
    """

    key: ClassVar[str] = "positiverate"
    symbol: ClassVar[str] = "predicted-positive rate"
    title: ClassVar[str] = "predicted-positive rate"
    reference = "Barocas, Hardt and Narayanan 2023, Fairness and Machine Learning, MIT Press"
    proportion: ClassVar[CellProportion] = CellProportion(TP + FP, TP + FP + FN + TN)
    degenerate_maximum = "is largest if all rows are called positive"
    higher_is_better: ClassVar[bool | None] = None

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the proportion of rows predicted positive."""
        return share * tpr + (1.0 - share) * fpr


@documented("2.0")
class LRPositive(at_cutoff.AtCutoff):
    """Positive likelihood ratio at a given threshold: sensitivity / (1 - specificity).

    Notes
    -----
    :math:`y / x`, the factor by which a positive decision multiplies the odds of the positive class
    (Simel, Samsa and Matchar 1991).

    References
    ----------
    D. L. Simel, G. P. Samsa and D. B. Matchar (1991), Journal of Clinical Epidemiology 44:763-770.
    """

    key: ClassVar[str] = "lrpositive"
    symbol: ClassVar[str] = "LR+"
    title: ClassVar[str] = "positive likelihood ratio"
    reference = "Simel, Samsa and Matchar 1991, Journal of Clinical Epidemiology 44:763-770"
    undefined_if = "no negative is predicted positive"
    degenerate_maximum = EXTREME
    range: ClassVar[Bounds] = Bounds(0.0, math.inf)
    interval_kind: ClassVar[str] = "log"

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return the ratio of the rates."""
        return ratio(tpr, fpr)


@documented("0.0")
class LRNegative(at_cutoff.AtCutoff):
    """Negative likelihood ratio at a given threshold: (1 - sensitivity) / specificity.

    Notes
    -----
    :math:`(1 - y) / (1 - x)`, the factor by which a negative decision multiplies the odds of the
    positive class (Simel, Samsa and Matchar 1991).

    References
    ----------
    D. L. Simel, G. P. Samsa and D. B. Matchar (1991), Journal of Clinical Epidemiology 44:763-770.
    """

    key: ClassVar[str] = "lrnegative"
    symbol: ClassVar[str] = "LR-"
    title: ClassVar[str] = "negative likelihood ratio"
    reference = "Simel, Samsa and Matchar 1991, Journal of Clinical Epidemiology 44:763-770"
    undefined_if = "no negative is predicted negative"
    degenerate_maximum = "is largest where the marker is least informative"
    range: ClassVar[Bounds] = Bounds(0.0, math.inf)
    interval_kind: ClassVar[str] = "log"
    higher_is_better: ClassVar[bool] = False

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return the ratio of the rates of negative decisions."""
        return ratio(1.0 - tpr, 1.0 - fpr)


@documented("0.8")
class F(at_cutoff.AtPointAndPrevalence):
    r"""F score: the weighted harmonic mean of sensitivity (recall) and PPV (precision).

    Notes
    -----
    .. math:: F_\beta = \frac{(1 + \beta^2) \pi y}{\beta^2 \pi + \pi y + (1 - \pi) x}

    with the true positive rate y, the false positive rate x and the prevalence :math:`\pi` (van
    Rijsbergen 1979).

    References
    ----------
    C. J. van Rijsbergen (1979), Information Retrieval, 2nd edition, Butterworths, chapter 7.
    """

    key: ClassVar[str] = "f"
    symbol: ClassVar[str] = "F"
    title: ClassVar[str] = "F score"
    reference = "van Rijsbergen 1979, Information Retrieval, Butterworths"

    beta: "Number" = field(default=1.0, kw_only=True)

    def __post_init__(self, *other_names: Bound | None) -> None:
        super().__post_init__(*other_names)
        beta = finite("beta", self.beta)
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


@documented("0.5")
class Kappa(at_cutoff.AtCutoffAndPrevalence):
    r"""Cohen's kappa between the decision at a given threshold and the label.

    Notes
    -----
    .. math:: \kappa = \frac{2 \pi (1 - \pi) (y - x)}{\pi (1 - f) + (1 - \pi) f}, \qquad
              f = \pi y + (1 - \pi) x

    with the true positive rate y, the false positive rate x and the prevalence :math:`\pi` (Cohen
    1960). It is calculated without cancellation by `pauci.measures.kappa`.

    References
    ----------
    J. Cohen (1960), Educational and Psychological Measurement 20:37-46.
    """

    key: ClassVar[str] = "kappa"
    symbol: ClassVar[str] = "kappa"
    title: ClassVar[str] = "Cohen's kappa"
    reference = "Cohen 1960, Educational and Psychological Measurement 20:37-46"
    range: ClassVar[Bounds] = Bounds(-1.0, 1.0)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return kappa."""
        return kappa(fpr, tpr, share)

    def rate_slopes(self, tpr: Any, fpr: Any, share: Any) -> tuple[Any, Any, Any]:
        """Return the derivatives."""
        return kappa_slopes(fpr, tpr, share)


@documented("0.5774")
class MCC(at_cutoff.AtCutoffAndPrevalence):
    r"""Matthews correlation coefficient between the decision at a given threshold and the label.

    Notes
    -----
    .. math:: \sqrt{\frac{\pi (1 - \pi)}{f (1 - f)}} (y - x), \qquad f = \pi y + (1 - \pi) x

    with the true positive rate y, the false positive rate x and the prevalence :math:`\pi`: the
    correlation of two binary variables (Matthews 1975).

    References
    ----------
    B. W. Matthews (1975), Biochimica et Biophysica Acta 405:442-451.
    """

    key: ClassVar[str] = "mcc"
    symbol: ClassVar[str] = "MCC"
    title: ClassVar[str] = "Matthews correlation coefficient"
    reference = "Matthews 1975, Biochimica et Biophysica Acta 405:442-451"
    undefined_if = "all rows have the same decision"
    range: ClassVar[Bounds] = Bounds(-1.0, 1.0)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the correlation."""
        rest = 1.0 - share
        called = share * tpr + rest * fpr
        cleared = share * (1.0 - tpr) + rest * (1.0 - fpr)
        return ratio(np.sqrt(share * rest) * (tpr - fpr), np.sqrt(called * cleared))
