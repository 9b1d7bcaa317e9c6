"""Results of fitting a curve: parameters with their covariance, likelihood, goodness of fit."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from pauci import checks
from pauci.calls import answering_constructor, answering_methods
from pauci.checks import FloatArray
from pauci.errors import PauciWarning
from pauci.fits.categories import Categories
from pauci.fits.goodness import Goodness, goodness_of
from pauci.fits.likelihood import Maximum, cells_of
from pauci.fits.models import Binormal, Contaminated, CurveModel, Proper
from pauci.fits.smooth import SmoothCurve
from pauci.fits.tables import COLUMNS, records_of, sentence_of_fit, table_of_fit
from pauci.intervals import analytic
from pauci.intervals.analytic import Interval
from pauci.measures.influence import Influence
from pauci.results import format as fmt
from pauci.results.cells import Table
from pauci.results.drawing import Drawable
from pauci.results.frames import frame
from pauci.results.tabular import Tabular
from pauci.sample.rows import Ratings, Rows
from pauci.variance.base import Term
from pauci.variance.influence import covariance

if TYPE_CHECKING:
    import pandas as pd

Covariance = Literal["model", "robust"]
COVARIANCES = get_args(Covariance)


@answering_methods
@dataclass(frozen=True, eq=False, repr=False)
class CurveFit(Drawable):
    """A smooth ROC curve, fitted by maximum likelihood.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    ratings : Ratings
        What it was fitted to.
    categories : Categories
        The counts that the likelihood is of, from the lowest category to the highest.
    covariance : {"model", "robust"}
        Where covariances come from.
    """

    model: ClassVar[CurveModel]

    classifier: str
    ratings: Ratings = field(repr=False)
    categories: Categories = field(repr=False)
    maximum: Maximum = field(repr=False)
    cautions: tuple[PauciWarning, ...] = ()
    covariance: Covariance = "model"

    @property
    def rows(self) -> Rows:
        """The rows behind the fit: fits that share them are compared as paired."""
        return self.ratings.rows

    @property
    def names(self) -> tuple[str]:
        """Name of the classifier, in a tuple, as of a sample."""
        return (self.classifier,)

    @property
    def cuts(self) -> FloatArray:
        """Thresholds between categories, rising, where the negatives are N(0, 1)."""
        return self.maximum.cuts

    @property
    def thresholds(self) -> tuple[Any, ...]:
        """The lowest score above each cut, on the user's scale."""
        return tuple(self.categories.thresholds)

    @property
    def counts(self) -> FloatArray:
        """Positives and negatives in each category, the lowest first, shape (2, K)."""
        return self.categories.counts

    @property
    def loglik(self) -> float:
        """Log-likelihood, without the multinomial coefficients."""
        return self.maximum.loglik

    @property
    def auc(self) -> float:
        """Area under the fitted curve; `pauci.estimate` gives its standard error."""
        return self.model.auc(self.maximum.theta)

    @property
    def n_pos(self) -> int:
        """Number of positives."""
        return self.rows.counts[0]

    @property
    def n_neg(self) -> int:
        """Number of negatives."""
        return self.rows.counts[1]

    @property
    def robust(self) -> bool:
        """Whether covariances are sandwiches: on request, and always with weights or clusters."""
        return self.covariance == "robust" or not self.independent_rows

    @property
    def independent_rows(self) -> bool:
        """Whether the rows have neither sampling weights nor clusters."""
        return self.rows.weight is None and self.rows.cluster is None

    @property
    def se(self) -> tuple[float, float]:
        """Standard errors of the two parameters."""
        first, second = np.sqrt(np.diagonal(self.cov_parameters)).tolist()
        return first, second

    @cached_property
    def cov_parameters(self) -> FloatArray:
        """Covariance matrix of the two parameters."""
        matrix = covariance(self.rows, self.terms).matrix if self.robust else self._inverse.copy()
        matrix.flags.writeable = False
        return matrix

    @cached_property
    def cov(self) -> FloatArray:
        """Covariance matrix of parameters and cuts, shape (2 + cuts, 2 + cuts).

        The inverse of the observed information; if `robust`, the sandwich of it. Of many cuts it is
        large, and made when it is first asked for.
        """
        info, solved = self.maximum.information, self.maximum.solved
        size = info.diagonal.size
        top = self._inverse
        matrix = np.zeros((size + 2, size + 2))
        free = solved * [not h for h in self.maximum.held]
        matrix[:2, :2] = top
        matrix[2:, :2] = -np.dot(free, top)
        matrix[:2, 2:] = matrix[2:, :2].T
        matrix[2:, 2:] = info.solve(np.eye(size)) + np.dot(np.dot(free, top), free.T)
        if self.robust:
            scores = self._scores()
            terms = self._as_terms([np.dot(m, matrix) for m in scores])
            matrix = covariance(self.rows, terms).matrix
        matrix = _without(matrix, (*self.maximum.held, *[False] * size))
        matrix.flags.writeable = False
        return matrix

    @property
    def _inverse(self) -> FloatArray:
        """The inverse of the information of the parameters, 0 for one that is held."""
        return _without(np.asarray(np.linalg.inv(self.maximum.efficient)), self.maximum.held)

    @cached_property
    def terms(self) -> list[Term]:
        """The influence values of the rows on the two parameters."""
        _, solved, inverse = self.maximum.cuts, self.maximum.solved, self._inverse
        values = []
        for share, m in zip(self._shares, self.counts, strict=True):
            p, cut, by = cells_of(share)
            ratio = np.where(m > 0, 1.0 / np.where(m > 0, p, 1.0), 0.0)
            by_cut = np.pad(solved, ((1, 1), (0, 0))) * cut[:, None]
            efficient = (by.T - by_cut[:-1] + by_cut[1:]) * ratio[:, None]
            values.append(np.dot(efficient, inverse))
        return self._as_terms(values)

    def _scores(self) -> list[FloatArray]:
        """Return the derivatives of each category's log probability, shape (K, 2 + cuts) each."""
        result = []
        size = self.cuts.size
        index = np.arange(size)
        for share, m in zip(self._shares, self.counts, strict=True):
            p, cut, by = cells_of(share)
            ratio = np.where(m > 0, 1.0 / np.where(m > 0, p, 1.0), 0.0)
            scores = np.zeros((p.size, size + 2))
            scores[:, :2] = by.T
            scores[index + 1, index + 2] = cut[1:-1]
            scores[index, index + 2] -= cut[1:-1]
            result.append(scores * ratio[:, None])
        return result

    def _as_terms(self, values: list[FloatArray]) -> list[Term]:
        """Return effects per unit of likelihood, of categories, as influence values of groups."""
        totals = self.counts.sum(axis=1)
        of_group = self.categories.of_group
        pos, neg = (v[of_group] * n for v, n in zip(values, totals, strict=True))
        return [Term(self.ratings, Influence(x, y)) for x, y in zip(pos.T, neg.T, strict=True)]

    @cached_property
    def _shares(self) -> Any:
        return self.model.classes(self.maximum.cuts, self.maximum.theta)

    @property
    def expected(self) -> FloatArray:
        """Counts that the fitted curve expects, shape (2, K)."""
        return np.array(
            [
                cells_of(share).p * m.sum()
                for share, m in zip(self._shares, self.counts, strict=True)
            ]
        )

    @cached_property
    def goodness(self) -> Goodness:
        """Pearson's chi-squared test of the fit.

        Of more than ten categories it is that of the curve fitted to ten groups of about as many
        rows. With sampling weights or clusters Rao and Scott's correction is applied. NaN where no
        degree of freedom is left.
        """
        return goodness_of(self)

    @property
    def smooth(self) -> SmoothCurve:
        """The fitted curve, of which measures are taken."""
        return self.at(self.maximum.theta, self._prevalence)

    @property
    def _prevalence(self) -> float:
        totals = self.counts.sum(axis=1)
        return float(totals[0] / totals.sum())

    def at(self, theta: tuple[float, float], prevalence: float) -> SmoothCurve:
        """Return the curve at other parameters."""
        fixed = self.rows.design == "case-control"
        return SmoothCurve(self.model, theta, prevalence, self.rows.counts, fixed)

    def tpr(self, fpr: Any) -> FloatArray:
        """Return the heights of the fitted curve at false positive rates.

        Parameters
        ----------
        fpr : array_like
            False positive rates from 0 to 1.

        Returns
        -------
        ndarray
        """
        rates = np.asarray(fpr, dtype=float)
        inside = (rates > 0.0) & (rates < 1.0)
        flat = np.where(inside, rates, 0.5).ravel()
        smooth = self.smooth
        heights = self.model.shares(smooth.at(flat, 1), smooth.theta)[0].reshape(rates.shape)
        return np.where(inside, heights, np.where(rates >= 1.0, 1.0, 0.0))

    @property
    def auc_se(self) -> float:
        """Standard error of the area by the delta rule."""
        return math.sqrt(max(variance_of(self.model.auc, self), 0.0))

    def auc_interval(self, level: float = 0.95) -> Interval:
        """Return the logit interval of the area."""
        ends = analytic.ESTIMATE_KINDS["logit"](self.auc, self.auc_se, 0.0, 1.0, math.inf)
        return analytic.interval(ends, checks.level(level))

    def to_frame(self, level: float = 0.95) -> "pd.DataFrame":
        """Return a data frame with a row per parameter, cut (of ratings) and the AUC."""
        return frame(COLUMNS, records_of(self, checks.level(level)))

    def _table(self, level: float, kind: Any) -> Table:  # noqa: ARG002
        return table_of_fit(self, checks.level(level))

    def report(self, level: float = 0.95) -> str:
        """Return one sentence for a paper."""
        return sentence_of_fit(self, checks.level(level))

    @property
    def sizes(self) -> str:
        """What the fit rests on, in words."""
        words = f"{self.n_pos:,} positives, {self.n_neg:,} negatives"
        clusters = self.rows.clusters
        return words if clusters is None else f"{words} in {clusters:,} clusters"

    def __repr__(self) -> str:
        each = [
            f"{name} {fmt.number(v, se)} (SE {fmt.number(se, se)})"
            for name, v, se in zip(self.model.names, self.maximum.theta, self.se, strict=True)
        ]
        return (
            f"{type(self).__name__}({self.classifier}: {', '.join(each)}, AUC "
            f"{fmt.number(self.auc, self.auc_se)}; {self.sizes})"
        )


def _without(matrix: FloatArray, held: tuple[bool, ...]) -> FloatArray:
    """Return a covariance matrix in which what was held does not vary."""
    matrix = matrix.copy()
    index = np.flatnonzero(held)
    matrix[index, :] = 0.0
    matrix[:, index] = 0.0
    return matrix


def slopes_of(function: Any, fit: CurveFit) -> FloatArray:
    """Return the derivatives of a function of the parameters, 0 for one that is held."""
    theta, slopes = fit.maximum.theta, np.zeros(2)
    for i, se in enumerate(fit.se):
        if fit.maximum.held[i]:
            continue
        step = min(1e-2 * se, 1e-3 * max(abs(theta[i]), 0.1))
        ends = []
        for sign in (1.0, -1.0):
            moved = list(theta)
            moved[i] += sign * step
            ends.append(function((moved[0], moved[1])))
        slopes[i] = (ends[0] - ends[1]) / (2.0 * step)
    return slopes


def variance_of(function: Any, fit: CurveFit) -> float:
    """Return the variance of a function of the parameters by the delta rule."""
    slopes = slopes_of(function, fit)
    return float(np.dot(slopes, np.dot(fit.cov_parameters, slopes)))


@answering_constructor
class BinormalFit(CurveFit, Tabular):
    """A binormal curve; made by `pauci.fit_binormal`."""

    model: ClassVar[CurveModel] = Binormal()

    @property
    def a(self) -> float:
        """Mean of the positives over their standard deviation, where negatives are N(0, 1)."""
        return self.maximum.theta[0]

    @property
    def b(self) -> float:
        """Standard deviation of the negatives over that of the positives."""
        return self.maximum.theta[1]


@answering_constructor
class ProperFit(CurveFit, Tabular):
    """A proper binormal curve; made by `pauci.fit_proper`."""

    model: ClassVar[CurveModel] = Proper()

    @property
    def a(self) -> float:
        """The a of the binormal scores whose likelihood ratio decides."""
        return self.maximum.theta[0]

    @property
    def b(self) -> float:
        """The b of the binormal scores whose likelihood ratio decides."""
        return self.maximum.theta[1]

    @property
    def d_a(self) -> float:
        r"""Metz and Pan's :math:`d_a = \sqrt2 a/\sqrt{1 + b^2}`."""
        return math.sqrt(2.0) * self.a / math.hypot(1.0, self.b)

    @property
    def c(self) -> float:
        """Metz and Pan's c = (b - 1)/(b + 1)."""
        return (self.b - 1.0) / (self.b + 1.0)


@answering_constructor
class ContaminatedFit(CurveFit, Tabular):
    """A contaminated binormal curve; made by `pauci.fit_contaminated`."""

    model: ClassVar[CurveModel] = Contaminated()

    @property
    def mu(self) -> float:
        """Mean of the positives in which the signal shows."""
        return self.maximum.theta[0]

    @property
    def alpha(self) -> float:
        """Share of the positives in which the signal shows."""
        return self.maximum.theta[1]
