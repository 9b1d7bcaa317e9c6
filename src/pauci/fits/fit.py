"""A fitted curve: parameters with covariance, likelihood and goodness of fit."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from pauci import checks
from pauci.calls import validate_methods
from pauci.checks import AnyArray, FloatArray
from pauci.equality import EqualByFields
from pauci.errors import PauciWarning
from pauci.fits.categories import Categories
from pauci.fits.goodness import Goodness, goodness_of
from pauci.fits.likelihood import Maximum, probabilities_of
from pauci.fits.models import CurveModel
from pauci.fits.smooth import SmoothCurve
from pauci.intervals import analytic
from pauci.intervals.analytic import Interval
from pauci.measures.influence import Influence
from pauci.sample.ratings import Ratings
from pauci.sample.rows import DataSizes, Rows
from pauci.tables import number_format as fmt
from pauci.variance.influence_covariance import covariance
from pauci.variance.problem import Term

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.figures.fitted_curves import FittedCurve

_MAX_POINTS = 30
"""Largest number of empirical points in a figure; with more, the empirical curve is drawn."""

Covariance = Literal["model", "robust"]
COVARIANCES = get_args(Covariance)


@validate_methods
@dataclass(frozen=True, eq=False, repr=False)
class CurveFit(EqualByFields):
    """A smooth ROC curve, fitted by maximum likelihood.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    ratings : Ratings
        The ratings to which the curve was fitted.
    categories : Categories
        The counts in the likelihood, from the lowest category to the highest.
    maximum : Maximum
        The maximum of the likelihood.
    cautions : tuple of PauciWarning
        The warnings about the fit.
    covariance : {"model", "robust"}
        The estimator of covariance matrices.
    """

    model: ClassVar[CurveModel]

    classifier: str
    ratings: Ratings = field(repr=False, compare=False)
    categories: Categories = field(repr=False)
    maximum: Maximum = field(repr=False)
    cautions: tuple[PauciWarning, ...] = field(default=(), compare=False)
    covariance: Covariance = "model"

    def _compared(self) -> list[Any]:
        return [*super()._compared(), self.cov if self.covariance == "robust" else None]

    @property
    def rows(self) -> Rows:
        """The rows of the sample; comparisons of fits to the same rows are paired."""
        return self.ratings.rows

    @property
    def names(self) -> tuple[str]:
        """Name of the classifier in a tuple, as for a sample."""
        return (self.classifier,)

    @property
    def cuts(self) -> FloatArray:
        """Increasing thresholds between categories, on the scale where negatives are N(0, 1)."""
        return self.maximum.cuts

    @property
    def thresholds(self) -> tuple[Any, ...]:
        """The lowest score above each cut, on the scale of the data."""
        return tuple(self.categories.thresholds)

    @property
    def counts(self) -> FloatArray:
        """Numbers of positives and negatives in the categories, lowest first, shape (2, K)."""
        return self.categories.counts

    @property
    def loglik(self) -> float:
        """Log-likelihood, without the multinomial coefficients."""
        return self.maximum.loglik

    @property
    def auc(self) -> float:
        """Area under the fitted curve."""
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
        """Whether the sandwich estimator is used, on request or because of weights or clusters."""
        return self.covariance == "robust" or not self.independent_rows

    @property
    def independent_rows(self) -> bool:
        """Whether the rows have neither sampling weights nor clusters."""
        return self.rows.independent

    @property
    def se(self) -> tuple[float, float]:
        """Standard errors of the two parameters."""
        first, second = np.sqrt(np.diagonal(self.cov_parameters)).tolist()
        return first, second

    @cached_property
    def cov_parameters(self) -> FloatArray:
        """Covariance matrix of the two parameters."""
        matrix = covariance(self.rows, self.terms) if self.robust else self._inverse.copy()
        matrix.flags.writeable = False
        return matrix

    @cached_property
    def cov(self) -> FloatArray:
        """Covariance matrix of parameters and cuts, shape (2 + cuts, 2 + cuts).

        The inverse of the observed information or, if `robust`, the sandwich estimator. With many
        cuts the matrix is large; it is calculated on first access.
        """
        info, solved = self.maximum.information, self.maximum.solved
        size = info.diagonal.size
        top = self._inverse
        matrix = np.zeros((size + 2, size + 2))
        free = solved * [not f for f in self.maximum.fixed]
        matrix[:2, :2] = top
        matrix[2:, :2] = -np.dot(free, top)
        matrix[:2, 2:] = matrix[2:, :2].T
        matrix[2:, 2:] = info.solve(np.eye(size)) + np.dot(np.dot(free, top), free.T)
        if self.robust:
            scores = self._scores()
            terms = self._as_terms([np.dot(m, matrix) for m in scores])
            matrix = covariance(self.rows, terms)
        matrix = _without_fixed(matrix, (*self.maximum.fixed, *[False] * size))
        matrix.flags.writeable = False
        return matrix

    @property
    def _inverse(self) -> FloatArray:
        """The inverse of the information of the parameters; 0 for a fixed parameter."""
        return _without_fixed(np.asarray(np.linalg.inv(self.maximum.efficient)), self.maximum.fixed)

    @cached_property
    def terms(self) -> list[Term]:
        """The influence values of the rows on the two parameters."""
        solved, inverse = self.maximum.solved, self._inverse
        values = []
        for share, m in zip(self._shares, self.counts, strict=True):
            p, cut, by = probabilities_of(share)
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
            p, cut, by = probabilities_of(share)
            ratio = np.where(m > 0, 1.0 / np.where(m > 0, p, 1.0), 0.0)
            scores = np.zeros((p.size, size + 2))
            scores[:, :2] = by.T
            scores[index + 1, index + 2] = cut[1:-1]
            scores[index, index + 2] -= cut[1:-1]
            result.append(scores * ratio[:, None])
        return result

    def _as_terms(self, values: list[FloatArray]) -> list[Term]:
        """Return score contributions of the categories as influence values of the tie groups."""
        totals = self.counts.sum(axis=1)
        category_of_group = self.categories.category_of_group
        pos, neg = (v[category_of_group] * n for v, n in zip(values, totals, strict=True))
        return [Term(self.ratings, Influence(x, y)) for x, y in zip(pos.T, neg.T, strict=True)]

    @cached_property
    def _shares(self) -> Any:
        return self.model.classes(self.maximum.cuts, self.maximum.theta)

    @property
    def expected(self) -> FloatArray:
        """Counts expected under the fitted curve, shape (2, K)."""
        return np.array(
            [
                probabilities_of(share).p * m.sum()
                for share, m in zip(self._shares, self.counts, strict=True)
            ]
        )

    @cached_property
    def goodness(self) -> Goodness:
        """Pearson's chi-squared test of the fit.

        With more than ten categories, the curve is fitted to ten groups of similar size for the
        test. With sampling weights or clusters, Rao and Scott's correction is applied. The values
        are NaN if no degrees of freedom are left.
        """
        return goodness_of(self.model, self.ratings, self.categories, self.maximum)

    @property
    def smooth(self) -> SmoothCurve:
        """The fitted curve, on which measures are evaluated."""
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
        """Standard error of the area by the delta method."""
        return math.sqrt(max(variance_of(self.model.auc, self), 0.0))

    def auc_interval(self, level: float = 0.95) -> Interval:
        """Return the logit interval of the area."""
        ends = analytic.ESTIMATE_KINDS["logit"](self.auc, self.auc_se, 0.0, 1.0, math.inf)
        return analytic.interval(ends, checks.level(level))

    def plot(self, *, level: float = 0.95, ax: "Axes | None" = None) -> "Axes":
        """Draw the fitted ROC curve with the empirical points; see `pauci.plot.fitted`.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the intervals of the rates and of the area.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.figures.fitted_curves import draw_fitted_curves

        level = checks.level(level)
        return draw_fitted_curves([self._drawn_curve(self.classifier, level)], level, ax)

    def _drawn_curve(self, name: str, level: float) -> "FittedCurve":
        from pauci.figures.fitted_curves import FittedCurve, fpr_grid
        from pauci.figures.roc_plane import line
        from pauci.results.figure_rows import points_between_corners

        table, points, empirical = self.ratings.table, None, None
        if self.robust or table.size - 1 > _MAX_POINTS:
            empirical = (self.ratings.name, *line(self.ratings.curve))
        else:
            points = points_between_corners(self.ratings, level, intervals=self.independent_rows)
        auc = (self.auc, *self.auc_interval(level), self.auc_se)
        return FittedCurve(name, self.tpr(fpr_grid()), auc, id(self.ratings), points, empirical)

    def _scores_of(self, name: str) -> AnyArray:  # noqa: ARG002
        return self.ratings.values

    @property
    def sizes(self) -> DataSizes:
        """The sample sizes; in words as a string."""
        rows = self.rows
        return DataSizes(self.n_pos, self.n_neg, rows.clusters, rows.excluded, self.classifier)

    @property
    def sizes_as_values(self) -> dict[str, Any]:
        """The sizes by name, as in `to_dict`."""
        return self.sizes.as_values()

    def __repr__(self) -> str:
        parameters = [
            f"{name} {fmt.number(v, se)} (SE {fmt.number(se, se)})"
            for name, v, se in zip(self.model.names, self.maximum.theta, self.se, strict=True)
        ]
        return (
            f"{type(self).__name__}({self.classifier}: {', '.join(parameters)}, AUC "
            f"{fmt.number(self.auc, self.auc_se)}; {self.sizes})"
        )


def _without_fixed(matrix: FloatArray, fixed: tuple[bool, ...]) -> FloatArray:
    """Return a covariance matrix with zeros for fixed parameters."""
    matrix = matrix.copy()
    index = np.flatnonzero(fixed)
    matrix[index, :] = 0.0
    matrix[:, index] = 0.0
    return matrix


def slopes_of(function: Any, fit: CurveFit) -> FloatArray:
    """Return the derivatives of a function of the parameters; 0 for a fixed parameter."""
    theta, slopes = fit.maximum.theta, np.zeros(2)
    for i, se in enumerate(fit.se):
        if fit.maximum.fixed[i]:
            continue
        step = min(1e-2 * se, 1e-3 * max(abs(theta[i]), 0.1))
        ends = []
        for sign in (1.0, -1.0):
            shifted = list(theta)
            shifted[i] += sign * step
            ends.append(function((shifted[0], shifted[1])))
        slopes[i] = (ends[0] - ends[1]) / (2.0 * step)
    return slopes


def variance_of(function: Any, fit: CurveFit) -> float:
    """Return the variance of a function of the parameters by the delta method."""
    slopes = slopes_of(function, fit)
    return float(np.dot(slopes, np.dot(fit.cov_parameters, slopes)))
