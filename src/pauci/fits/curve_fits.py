r"""Fits of binormal, proper and contaminated curves, and the functions that return them.

A fit has parameters with their covariance, the likelihood, and Pearson's test of the fit.

The statistic of the test is :math:`X^2 = \sum (m - \hat\mu)^2/\hat\mu` over the cells, categories
by class. More than ten categories are combined into ten groups irrespective of the class of the
rows, because boundaries that are chosen where the class changes would depend on the residuals. With
weights or clusters, Rao and Scott's (1984, Annals of Statistics 12:46-60) second-order correction
matches two moments: :math:`X^2/c \sim \chi^2_\nu` with :math:`c = \mathrm{tr}(V^2)/\mathrm{tr}(V)`,
:math:`\nu = \mathrm{tr}(V)^2/\mathrm{tr}(V^2)` and :math:`V = (I - H) C (I - H)`. Here C is the
covariance of the scaled proportions, :math:`H = B (B^T B)^{-1} B^T`, and B the derivatives of
:math:`\mu` divided by :math:`\sqrt\mu`. With clusters, whose V has :math:`\kappa` degrees of
freedom, :math:`X^2/\mathrm{tr}(V)` is compared with the F distribution with :math:`\nu` and
:math:`\nu\kappa` degrees of freedom (Thomas and Rao 1987, Journal of the American Statistical
Association 82:630-636).
"""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, NoReturn, TypeVar, get_args

import numpy as np

from pauci import checks, special
from pauci.calls import validate_call, validate_constructor, validate_methods
from pauci.cautions.about_data import warn_if_reversed
from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.errors import (
    DegenerateWarning,
    InputError,
    InputTypeError,
    PauciWarning,
    PoorFitWarning,
    UndefinedError,
    collected_warnings,
    each_warning_once,
    warn,
)
from pauci.fits.likelihood import (
    EMPIRICAL,
    Binormal,
    Categories,
    Contaminated,
    CurveModel,
    Maximum,
    NoMaximumError,
    Pair,
    Proper,
    SmoothCurve,
    approximate_curve,
    categories_of,
    check_line,
    check_points,
    maximize,
    probabilities_of,
)
from pauci.intervals import analytic
from pauci.intervals.analytic import Interval, Kind
from pauci.intervals.student_t import f_tail
from pauci.measures.influence import Influence
from pauci.results.pivot import Statement
from pauci.results.presented import Presented
from pauci.results.quantity import PlainRow
from pauci.sample.ratings import Ratings
from pauci.sample.rows import DataSizes, Rows
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.table import EstimateCell, PEquals, RichText, Verbatim, score_cell
from pauci.variance.contributions import z_of_terms
from pauci.variance.units import Term

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.drawings.curves import CurveWithPoints

GROUPS = 10
"""Number of groups for the test, if there are more categories."""

REJECTED = 0.05
"""Significance level of the test."""

REJECTION = (
    "the goodness-of-fit test rejects the model, so that measures of the fitted curve can be "
    "biased and their intervals can cover less than their level"
)
"""The consequence of a rejection, in messages and notes."""


class Goodness(NamedTuple):
    """Pearson's test of the fit; NaN if there is no test.

    Parameters
    ----------
    chi_squared : float
        Sum of (observed - expected)^2 / expected over both classes. With sampling weights or
        clusters it is divided by the correction of Rao and Scott.
    df : float
        Degrees of freedom: 2 (K - 1) - (K + 1) for K categories; with weights or clusters those
        of the Satterthwaite approximation.
    p : float
        p-value from the chi-squared distribution; with clusters, from the F distribution.
    smallest_expected : float
        The smallest expected count; with weights or clusters, divided by the mean design effect.
        Below about 5 the p-value is approximate.
    design_effect : float
        The mean generalized design effect; 1 for independent rows without weights.
    """

    chi_squared: float
    df: float
    p: float
    smallest_expected: float
    design_effect: float = 1.0

    @property
    def rejected(self) -> bool:
        """Whether p is below 0.05; False if there is no test."""
        return self.p < REJECTED

    @property
    def df_shown(self) -> str:
        """Degrees of freedom as text, with one decimal if they are not an integer."""
        return f"{self.df:.1f}".removesuffix(".0")


def goodness_of(
    model: CurveModel, ratings: Ratings, categories: Categories, maximum: Maximum
) -> Goodness:
    """Return the test of a model that was fitted to the categories of ratings."""
    no_test = Goodness(math.nan, 0, math.nan, math.nan)
    rows, fixed = ratings.rows, maximum.fixed
    counts, category_of_group = categories.counts, categories.category_of_group
    if counts.shape[1] > GROUPS:
        masses = np.array([ratings.table.pos, ratings.table.neg], dtype=float)
        masses = np.asarray(masses * (counts.sum() / masses.sum()))  # scaled to the same total
        category_of_group = _groups_of_similar_size(masses)
        counts = np.array([np.bincount(category_of_group, m) for m in masses])
        try:
            maximum = maximize(counts, model, maximum.theta, (not fixed[0], not fixed[1]))
        except NoMaximumError:
            return no_test
    cells = [probabilities_of(share) for share in model.classes(maximum.cuts, maximum.theta)]
    expected = np.array([c[0] * m.sum() for c, m in zip(cells, counts, strict=True)])
    df = counts.shape[1] - 3 + sum(fixed)
    smallest = float(expected.min())
    if df < 1 or smallest <= 0.0:
        return no_test._replace(df=max(df, 0), smallest_expected=smallest)
    squares = float(((counts - expected) ** 2 / expected).sum())
    if rows.independent:
        return Goodness(squares, df, float(special.chdtrc(df, squares)), smallest)
    free = [i for i in (0, 1) if not fixed[i]]
    roots = np.sqrt(expected)
    slopes = []
    for (_, cut, by), m, root in zip(cells, counts, roots, strict=True):
        inner = np.diag(cut[1:-1])
        by_cuts = np.pad(inner, ((1, 0), (0, 0))) - np.pad(inner, ((0, 1), (0, 0)))
        slopes.append(np.column_stack((by[free].T, by_cuts)) * m.sum() / root[:, None])
    scale = (counts.sum(axis=1, keepdims=True) / roots).ravel()
    observed = _covariance_of_shares(ratings, category_of_group, counts.shape[1])
    observed *= np.outer(scale, scale)
    basis = np.linalg.qr(np.vstack(slopes))[0]
    projection = np.eye(scale.size) - np.dot(basis, basis.T)
    v = np.dot(projection, np.dot(observed, projection))
    trace, trace_of_square = float(np.trace(v)), float((v * v).sum())
    if trace <= 0.0:
        return no_test._replace(df=df, smallest_expected=smallest)
    nu, effect = trace**2 / trace_of_square, trace / df
    adjusted = squares * trace / trace_of_square
    p = f_tail(squares / trace, nu, nu * rows.cluster_df)
    return Goodness(adjusted, nu, p, smallest / effect, effect)


def _groups_of_similar_size(masses: FloatArray) -> IntArray:
    """Return the group of each tie group: the tenth of all rows that contains its midpoint."""
    mass = masses.sum(axis=0)
    below = mass[::-1].cumsum()[::-1] - mass / 2.0
    group = np.minimum((below / mass.sum() * GROUPS).astype(int), GROUPS - 1)
    filled = np.bincount(group, mass, minlength=GROUPS) > 0.0
    return np.asarray((np.cumsum(filled) - 1)[group])


def _covariance_of_shares(ratings: Ratings, category_of_group: IntArray, k: int) -> FloatArray:
    """Return the covariance of the observed cell proportions, from rows or clusters."""
    indicators = (category_of_group == np.arange(k)[:, None]).astype(float)
    zeros = np.zeros(category_of_group.size)
    terms = [Term(ratings, Influence(row, zeros)) for row in indicators]
    terms += [Term(ratings, Influence(zeros, row)) for row in indicators]
    return z_of_terms(ratings.rows, terms).cov


def warn_about_fit(test: Goodness, model: CurveModel, classifier: str) -> None:
    """Warn if the test rejects the curve that was fitted to a classifier."""
    if not test.rejected:
        return
    problem = f"{REJECTION} (chi-squared {test.chi_squared:.2f}, df {test.df_shown}, "
    problem += f"{fmt.p_value(test.p)})."
    hint = "Use another model (pauci.fit_binormal, pauci.fit_proper or pauci.fit_contaminated), or "
    hint += f"{EMPIRICAL}. covariance='robust' corrects standard errors, but not the bias."
    where = f"the {model.title} curve of {classifier}"
    warn(PoorFitWarning(problem, where=where, value=test.p, hint=hint))


_MAX_POINTS = 30
"""Largest number of empirical points in a figure; with more, the empirical curve is drawn."""

Covariance = Literal["model", "robust"]

COVARIANCES = get_args(Covariance)


@validate_methods
@dataclass(frozen=True, eq=False, repr=False)
class CurveFit(Presented[Kind]):
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
        return self.covariance == "robust" or not self.rows.independent

    @property
    def se(self) -> tuple[float, float]:
        """Standard errors of the two parameters."""
        first, second = np.sqrt(np.diagonal(self.cov_parameters)).tolist()
        return first, second

    @cached_property
    def cov_parameters(self) -> FloatArray:
        """Covariance matrix of the two parameters."""
        matrix = z_of_terms(self.rows, self.terms).cov if self.robust else self._inverse.copy()
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
            matrix = z_of_terms(self.rows, self._terms(matrix)).cov
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
        inverse = self._inverse
        return self._terms(np.vstack((inverse, -np.dot(self.maximum.solved, inverse))))

    def _terms(self, columns: FloatArray) -> list[Term]:
        """Return the influence values of the rows, from columns of the inverse information.

        The score contributions of the categories are the derivatives of the logarithms of their
        probabilities; those of the rows are the ones of their category.
        """
        pos_and_neg = []
        for share, m in zip(self._shares, self.counts, strict=True):
            p, cut, by = probabilities_of(share)
            ratio = np.where(m > 0, 1.0 / np.where(m > 0, p, 1.0), 0.0)
            by_cut = np.pad(columns[2:], ((1, 1), (0, 0))) * cut[:, None]
            values = (np.dot(by.T, columns[:2]) + by_cut[:-1] - by_cut[1:]) * ratio[:, None]
            pos_and_neg.append(values[self.categories.category_of_group].T * m.sum())
        return [Term(self.ratings, Influence(x, y)) for x, y in zip(*pos_and_neg, strict=True)]

    @cached_property
    def _shares(self) -> Any:
        return self.model.classes(self.maximum.cuts, self.maximum.theta)

    @property
    def expected(self) -> FloatArray:
        """Counts expected under the fitted curve, shape (2, K)."""
        shares = [probabilities_of(share)[0] for share in self._shares]
        return np.asarray(np.array(shares) * self.counts.sum(axis=1, keepdims=True))

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
        totals = self.counts.sum(axis=1)
        return self.at(self.maximum.theta, float(totals[0] / totals.sum()))

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
        needed = "must be rates from 0 to 1."
        rates = checks.array_of_numbers("fpr", fpr, needed)
        if not ((rates >= 0.0) & (rates <= 1.0)).all():
            raise InputError.of("fpr", fpr, needed)
        inside = (rates > 0.0) & (rates < 1.0)
        flat = np.where(inside, rates, 0.5).ravel()
        smooth = self.smooth
        heights = self.model.shares(smooth.at(flat, 1), smooth.theta)[0].reshape(rates.shape)
        return np.where(inside, heights, np.where(rates >= 1.0, 1.0, 0.0))

    @property
    def auc_se(self) -> float:
        """Standard error of the area by the delta method."""
        slopes = slopes_of(self.model.auc, self)
        return math.sqrt(max(float(np.dot(slopes, np.dot(self.cov_parameters, slopes))), 0.0))

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
        return draw_fits([self], [self.classifier], checks.level(level), ax)

    def _drawn_curve(self, name: str, level: float, *, with_data: bool) -> "CurveWithPoints":
        from pauci.drawings import style
        from pauci.drawings.curves import CurveWithPoints
        from pauci.results.limits import points_between_corners

        points, thin = None, None
        if with_data and (self.robust or self.ratings.table.size - 1 > _MAX_POINTS):
            thin = (self.ratings.name, *style.line(self.ratings.curve))
        elif with_data:
            points = points_between_corners(self.ratings, level, intervals=self.rows.independent)
        area = style.number(self.auc, *self.auc_interval(level))
        fpr = np.concatenate(([0.0], special.ndtr(np.linspace(-5.0, 5.0, 801)), [1.0]))
        label, noun = style.entry(name, f"AUC {area}"), "fitted curve"
        return CurveWithPoints(name, (fpr, self.tpr(fpr)), points, None, label, noun, thin)

    _without_kinds = (
        "a fitted curve, whose parameters have Wald intervals and its AUC a logit interval."
    )

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        """Return the parameters, the cuts with the lowest score above each, and the area."""
        parameters = zip(self.model.names, self.maximum.theta, self.se, strict=True)
        quantities: list[tuple[str, Any, float, float]] = [(p[0], None, *p[1:]) for p in parameters]
        if not self.categories.merged:
            errors = (self.cov.diagonal()[2:] ** 0.5).tolist()
            cuts = zip(self.thresholds, self.cuts.tolist(), errors, strict=True)
            quantities += [(f"cut {i}", *cut) for i, cut in enumerate(cuts, 1)]
        quantities.append(("AUC", None, self.auc, self.auc_se))
        g = self.goodness
        of_fit: dict[str, Any] = {"model": self.model.key, "level": level}
        of_fit |= {"chi_squared": g.chi_squared, "df": g.df, "pvalue": g.p}
        of_fit |= self.rows.excluded.columns
        rows = []
        for name, threshold, value, se in quantities:
            low, high = analytic.interval(analytic.Wald(value, se, math.inf), level)
            if name == "AUC":
                low, high = self.auc_interval(level)
            elif name == "alpha":  # a proportion
                low, high = max(low, 0.0), min(high, 1.0)
            numbers = {"value": value, "se": se, "low": low, "high": high}
            rows.append(PlainRow(self, parameter=name, threshold=threshold, **numbers, **of_fit))
        return rows

    _fields = (
        "classifier model parameter value se low high level n_pos n_neg loglik chi_squared "
        "df pvalue dropped left_out"
    )

    @property
    def _described(self) -> "list[CurveFit]":  # type: ignore[override]
        return [self]

    def _arranged(self, rows: Any, level: float, kind: Any) -> Statement:  # noqa: ARG002
        table, thresholds = self.ratings.table, [r["threshold"] for r in rows]
        cuts = [t if t is None else score_cell(t, table.text_of(t)) for t in thresholds]
        direction = "down" if self.ratings.lower_is_positive else "up"
        columns = [
            ("parameter", [r["parameter"] for r in rows]),
            (f"scores from ({direction})", cuts),
            (f"estimate ({fmt.percent(level)} CI)", list(map(_cell, rows))),
        ]
        title = f"{self.model.title.capitalize()} ROC curve of ", Verbatim(self.classifier)
        return Statement(title, columns, _notes(self, level), [_sentence(self, rows, level)])

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


def draw_fits(
    fits: Sequence[CurveFit], names: Sequence[str], level: float, ax: "Axes | None"
) -> "Axes":
    """Draw fitted curves, with the empirical points of each set of scores once."""
    from pauci.drawings import style
    from pauci.drawings.curves import draw_curves_with_points

    first = {id(fit.ratings): i for i, fit in reversed(list(enumerate(fits)))}.values()
    named = enumerate(zip(fits, names, strict=True))
    curves = [fit._drawn_curve(name, level, with_data=i in first) for i, (fit, name) in named]
    title = f"{fmt.percent(level)} intervals"
    return draw_curves_with_points(curves, ax, title=title, markers=style.MARKERS)


def _without_fixed(matrix: FloatArray, fixed: tuple[bool, ...]) -> FloatArray:
    """Return a covariance matrix with zeros for fixed parameters."""
    matrix = matrix.copy()
    index = np.flatnonzero(fixed)
    matrix[index, :] = 0.0
    matrix[:, index] = 0.0
    return matrix


def slopes_of(function: Any, fit: CurveFit) -> FloatArray:
    """Return the derivatives of a function of the parameters; 0 for a fixed parameter."""
    theta, slopes = np.array(fit.maximum.theta), np.zeros(2)
    for i, (se, unit) in enumerate(zip(fit.se, np.eye(2), strict=True)):
        if fit.maximum.fixed[i]:
            continue
        step = min(1e-2 * se, 1e-3 * max(abs(theta[i]), 0.1))
        lower, higher = (tuple((theta + sign * step * unit).tolist()) for sign in (-1.0, 1.0))
        slopes[i] = (function(higher) - function(lower)) / (2.0 * step)
    return slopes


def _notes(fit: CurveFit, level: float) -> list[RichText]:
    n_categories = fit.counts.shape[1]
    kind = "categories"
    if fit.categories.merged:
        kind = "groups of scores (adjacent groups of the same class are merged)"
    errors = "sandwich of the" if fit.robust else "inverse of the"
    ci = f"{fmt.percent(level)} CI: Wald; logit for the AUC."
    notes: list[RichText] = [
        f"{fit.sizes}, {n_categories:,} {kind}. Log-likelihood {fit.loglik:.3f}.",
        f"{ci} Standard errors: {errors} observed information.",
        f"{fit.model.reference}.",
    ]
    g = fit.goodness
    if math.isnan(g.p):
        notes.append("Goodness of fit: not tested, because no degrees of freedom are left.")
    else:
        where = f" in {GROUPS} groups of scores" if n_categories > GROUPS else ""
        remark = ""
        if g.smallest_expected < 5.0:
            remark = f"; approximate (smallest expected count {g.smallest_expected:.2g})"
        words = f"Goodness of fit{where}: chi-squared {g.chi_squared:.2f}, df {g.df_shown}, "
        if not fit.rows.independent:
            remark = f" (Rao-Scott, mean design effect {g.design_effect:.2f}){remark}"
        notes.append((words, PEquals(g.p), f"{remark}."))
        if g.rejected:
            notes.append(f"{REJECTION[0].upper()}{REJECTION[1:]}.")
    return notes + [c.reason for c in fit.cautions]


def _sentence(fit: CurveFit, rows: Sequence[PlainRow], level: float) -> str:
    """Return one sentence for a paper."""
    name = f"{fmt.percent(level)} CI"
    texts = {r["parameter"]: _cell(r).sentence(name) for r in rows}
    parameters = ", ".join(f"{p} = {texts[p]}" for p in fit.model.names)
    g, test = fit.goodness, ""
    if not math.isnan(g.p):
        kind = "" if fit.rows.independent else "Rao-Scott "
        test = f"; goodness of fit: {kind}chi-squared = {g.chi_squared:.2f}, df {g.df_shown}, "
        test += fmt.p_value(g.p)
    if g.rejected:
        test += f"; {REJECTION}"
    return (
        f"A {fit.model.title} ROC curve was fitted to {fit.classifier} by maximum likelihood "
        f"({fit.sizes}): {parameters}, AUC {texts['AUC']}{test}."
    )


def _cell(row: PlainRow) -> EstimateCell:
    """Return a parameter, or the area, with its interval."""
    is_proportion = row["parameter"] in ("AUC", "alpha")
    return EstimateCell(row["value"], row["low"], row["high"], unit=is_proportion)


F = TypeVar("F", bound=CurveFit)

_NEAR_ZERO = 0.05
"""A search that stops with a this close to 0, the boundary, is continued on the boundary."""


@validate_constructor
class BinormalFit(CurveFit):
    """A binormal curve; returned by `pauci.fit_binormal`."""

    model: ClassVar[CurveModel] = Binormal()

    @property
    def a(self) -> float:
        """Mean of the positives divided by their standard deviation; negatives are N(0, 1)."""
        return self.maximum.theta[0]

    @property
    def b(self) -> float:
        """Ratio of the standard deviation of the negatives to that of the positives."""
        return self.maximum.theta[1]


@validate_constructor
class ProperFit(CurveFit):
    """A proper binormal curve; returned by `pauci.fit_proper`."""

    model: ClassVar[CurveModel] = Proper()

    @property
    def a(self) -> float:
        """Parameter a of the binormal model of the scores."""
        return self.maximum.theta[0]

    @property
    def b(self) -> float:
        """Parameter b of the binormal model of the scores."""
        return self.maximum.theta[1]

    @property
    def d_a(self) -> float:
        r"""Metz and Pan's :math:`d_a = \sqrt2 a/\sqrt{1 + b^2}`."""
        return math.sqrt(2.0) * self.a / math.hypot(1.0, self.b)

    @property
    def c(self) -> float:
        """Metz and Pan's c = (b - 1)/(b + 1)."""
        return (self.b - 1.0) / (self.b + 1.0)


@validate_constructor
class ContaminatedFit(CurveFit):
    """A contaminated binormal curve; returned by `pauci.fit_contaminated`."""

    model: ClassVar[CurveModel] = Contaminated()

    @property
    def mu(self) -> float:
        """Mean of the positives with a visible signal."""
        return self.maximum.theta[0]

    @property
    def alpha(self) -> float:
        """Proportion of the positives with a visible signal."""
        return self.maximum.theta[1]


@validate_call
def fit_binormal(sample: Sample, *, covariance: Covariance = "model") -> BinormalFit:
    r"""Fit a binormal ROC curve by maximum likelihood.

    Parameters
    ----------
    sample : Sample
        One classifier: ratings (a table of counts, or categories) or continuous scores.
    covariance : {"model", "robust"}, default "model"
        The estimator of the covariance matrix: the inverse of the observed information, or the
        sandwich estimator with the score contributions of the rows (each row is its own cluster).
        With sampling weights or clusters the sandwich estimator is always used.

    Returns
    -------
    BinormalFit
        The fit with attributes ``a``, ``b``, ``cuts``, ``cov``, ``se``, ``loglik``, ``goodness``
        and ``auc``, tables and a figure. It can be passed to `pauci.estimate` and `pauci.compare`
        instead of a sample.

    Raises
    ------
    TypeError
        If `sample` is not a `Sample`.
    ValueError
        If `covariance` is unknown, if the sample has several classifiers, or if the likelihood has
        no maximum (`UndefinedError`): fewer than three categories, separated classes, all operating
        points on the sides of the unit square, or on a horizontal or a vertical line. The message
        states the reason.

    Notes
    -----
    The model assumes that some increasing function of the scores is distributed N(0, 1) among the
    negatives and :math:`N(a/b, 1/b^2)` among the positives, so that the curve is
    :math:`R(x) = \Phi(a + b\,\Phi^{-1}(x))` with the area :math:`\Phi(a/\sqrt{1 + b^2})` (Dorfman
    and Alf 1969). The probability of the category between cuts :math:`c_k` and :math:`c_{k+1}` is
    :math:`\Phi(c_{k+1}) - \Phi(c_k)` for a negative and
    :math:`\Phi(b c_{k+1} - a) - \Phi(b c_k - a)` for a positive. The fit depends only on the order
    of the scores. If there are more than 50 categories, adjacent categories that contain only
    positives, or only negatives, are merged. This changes neither the curve nor its standard
    errors (Metz, Herman and Shen 1998).

    Standard errors are calculated from the observed information. If the model does not hold, they
    can be too large or too small. Those of the sandwich estimator (``covariance="robust"``; White
    1982) are consistent for the curve to which the fit converges in large samples, but they do not
    include the difference between this curve and the true one. ``goodness`` tests the fit, and
    `pauci.estimate` and `pauci.compare` warn if it is rejected.

    A binormal curve with b other than 1 falls below the diagonal near one of its ends (a "hook"),
    usually too little to be visible; the curves of `fit_proper` and `fit_contaminated` do not.

    References
    ----------
    D. D. Dorfman and E. Alf (1969), Journal of Mathematical Psychology 6:487-496.
    C. E. Metz, B. A. Herman and J.-H. Shen (1998), Statistics in Medicine 17:1033-1053.
    H. White (1982), Econometrica 50:1-25.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_hanley_mcneil()
    >>> ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    >>> fit = pauci.fit_binormal(ct)
    >>> fit
    BinormalFit(score: a 1.657 (SE 0.310), b 0.713 (SE 0.216), AUC 0.911; 51 positives, ...)
    >>> pauci.estimate(fit, pauci.PAUC(fpr=(0, 0.1)))
    Estimate(score, PAUC(fpr=(0, 0.1)): 0.0653, SE 0.0097)
    """
    return _fit(BinormalFit, sample, "fit_binormal", covariance)


@validate_call
def fit_proper(sample: Sample, *, covariance: Covariance = "model") -> ProperFit:
    r"""Fit a proper binormal ROC curve, one without a hook, by maximum likelihood.

    Parameters
    ----------
    sample : Sample
        As for `fit_binormal`.
    covariance : {"model", "robust"}, default "model"
        As for `fit_binormal`.

    Returns
    -------
    ProperFit
        As for `fit_binormal`, with the additional attributes ``d_a`` and ``c`` of Metz and Pan.

    Raises
    ------
    TypeError, ValueError
        As for `fit_binormal`, and if the best-fitting curve would cross the diagonal.

    Warns
    -----
    DegenerateWarning
        If the estimate of a is 0, the boundary of its range: its standard error is then 0, and the
        other standard errors treat a as known.

    Notes
    -----
    The decision variable is the likelihood ratio of the two normal distributions instead of the
    score, so that the curve is concave (Metz and Pan 1999). With a and b as in `fit_binormal` and
    :math:`x_0 = ab/(b^2 - 1)`, scores above a cut c or below :math:`2 x_0 - c` are classified as
    positive if b < 1, and scores between the two if b > 1; for b = 1 there is only the cut c. The
    area is :math:`1 - 2 T(a/\sqrt{1 + b^2}, 2b/|1 - b^2|)` with Owen's T function, which equals the
    bivariate normal probability of Metz and Pan.

    References
    ----------
    C. E. Metz and X. Pan (1999), Journal of Mathematical Psychology 43:1-33.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_dmist()
    >>> film = frame[frame["modality"] == "film"]
    >>> sample = pauci.Sample.from_counts(film["score"], film["positives"], film["negatives"])
    >>> round(pauci.fit_proper(sample).auc, 4)
    0.7689
    """
    return _fit(ProperFit, sample, "fit_proper", covariance)


@validate_call
def fit_contaminated(sample: Sample, *, covariance: Covariance = "model") -> ContaminatedFit:
    r"""Fit a contaminated binormal ROC curve by maximum likelihood.

    Parameters
    ----------
    sample : Sample
        As for `fit_binormal`.
    covariance : {"model", "robust"}, default "model"
        As for `fit_binormal`.

    Returns
    -------
    ContaminatedFit
        As for `fit_binormal`, with ``mu`` and ``alpha`` instead of a and b.

    Raises
    ------
    TypeError, ValueError
        As for `fit_binormal`, except that operating points may lie on a horizontal line.

    Warns
    -----
    DegenerateWarning
        If the estimate of alpha is 1, the boundary of its range: the curve is then binormal with
        b = 1, the standard error of alpha is 0, and the other standard errors treat it as known.

    Notes
    -----
    Negatives are distributed N(0, 1). A proportion :math:`\alpha` of the positives, those with a
    visible signal, is distributed :math:`N(\mu, 1)`, and the other positives are distributed like
    the negatives (Dorfman and Berbaum 2000). The curve
    :math:`R(x) = (1 - \alpha) x + \alpha\,\Phi(\mu + \Phi^{-1}(x))` is concave, with the area
    :math:`(1 - \alpha)/2 + \alpha\,\Phi(\mu/\sqrt2)`.

    References
    ----------
    D. D. Dorfman and K. S. Berbaum (2000), Academic Radiology 7:427-437.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_dmist()
    >>> film = frame[frame["modality"] == "film"]
    >>> sample = pauci.Sample.from_counts(film["score"], film["positives"], film["negatives"])
    >>> fit = pauci.fit_contaminated(sample)
    >>> round(fit.mu, 3), round(fit.alpha, 3)
    (2.673, 0.523)
    """
    return _fit(ContaminatedFit, sample, "fit_contaminated", covariance)


def _fit(kind: type[F], sample: Any, verb: str, covariance: Covariance) -> F:
    """Return the fit of a model to the classifier of a sample."""
    if not isinstance(sample, Sample):
        problem = f"is {checks.kind_of(sample)}, but {verb} takes a Sample: "
        problem += f"pauci.{verb}(pauci.Sample(y_true, y_score))."
        raise InputTypeError.about("sample", problem, value=sample)
    if len(sample) > 1:
        problem = f"holds {len(sample)} classifiers ({', '.join(sample.names)}), but {verb} takes "
        problem += f"one. Fit each separately: [pauci.{verb}(s) for s in sample]."
        raise InputError.about("sample", problem, value=sample)
    checks.check_choice("covariance", covariance, COVARIANCES)
    ratings = sample.ratings()
    table, model = ratings.table, kind.model
    scale = sum(sample.rows.counts) / (table.total_pos + table.total_neg)
    categories = categories_of(table, scale)
    counts = categories.counts
    check_points(ratings.name, counts, model.title)
    if kind is BinormalFit:
        check_line(ratings.name, counts, model.title)
    warn_if_reversed([ratings])
    with each_warning_once(), collected_warnings() as cautions:
        maxima: list[Maximum] = []
        end_points: list[Pair] = []
        for start in model.starts(*approximate_curve(counts)):
            try:
                maxima.append(maximize(counts, model, start))
            except NoMaximumError as error:
                end_points.append(error.theta)
        if kind is ProperFit and not maxima and any(abs(a) < _NEAR_ZERO for a, _ in end_points):
            maxima = _maximum_at_zero_a(ratings.name, model, counts)
        if kind is ContaminatedFit:
            maxima += _maximum_at_alpha_one(ratings.name, model, counts, maxima)
    if not maxima:
        _raise_no_maximum(ratings.name, model, end_points[-1] if end_points else None)
    best = max(maxima, key=lambda m: m.loglik)
    if kind is ProperFit and best.theta[0] < 0.0:
        # The curves of a and -a are the same; the positive value is reported.
        best = maximize(counts, model, (-best.theta[0], best.theta[1]))
    return kind(ratings.name, ratings, categories, best, tuple(cautions), covariance)


def _maximum_at_zero_a(name: str, model: CurveModel, counts: FloatArray) -> list[Maximum]:
    """Return the maximum with a = 0 in a list and warn; the list is empty if there is none.

    The curves of a and -a are the same, so 0 is the boundary of the range of |a|.
    """
    ends = []
    for b in (0.5, 2.0):
        with contextlib.suppress(NoMaximumError):  # at b = 1 the curve is the diagonal
            ends.append(maximize(counts, model, (0.0, b), (False, True)))
    if not ends:
        return []
    text = "a = 0, the boundary of its range, and is nearly as large for other combinations of a "
    text += "and b. Standard errors treat a as known."
    _warn_at_boundary(text, name, model)
    return [max(ends, key=lambda m: m.loglik)]


def _maximum_at_alpha_one(
    name: str, model: CurveModel, counts: FloatArray, maxima: list[Maximum]
) -> list[Maximum]:
    """Return the maximum with alpha = 1 in a list and warn, if no other maximum is larger."""
    try:
        mu = model.starts(*approximate_curve(counts))[-1][0]
        end = maximize(counts, model, (mu, 1.0), (True, False))
    except NoMaximumError:
        return []
    if end.gradient[1] < 0.0 or any(m.loglik > end.loglik for m in maxima):
        return []
    text = "alpha = 1, the boundary of its range, where the curve is binormal with b = 1. Standard "
    text += "errors treat alpha as known."
    _warn_at_boundary(text, name, model)
    return [end]


def _warn_at_boundary(words: str, name: str, model: CurveModel) -> None:
    """Warn that the likelihood has its maximum at the boundary of the range of a parameter."""
    message = f"the likelihood has its maximum at {words}"
    warn(DegenerateWarning(message, where=f"the {model.title} curve of {name}"))


def _raise_no_maximum(name: str, model: CurveModel, end_point: Pair | None) -> NoReturn:
    """Raise an error for a likelihood without a maximum, with the point where the search ended."""
    reason = f"the likelihood of the {model.title} curve has no maximum"
    if isinstance(model, Proper) and end_point is not None and abs(end_point[0]) < 1e-2:
        reason = f"the likelihood of the {model.title} curve is flat near a = 0, because the "
        reason += "points suggest a curve that crosses the diagonal"
    elif end_point is not None:
        parameters = zip(model.names, end_point, strict=True)
        where = " and ".join(f"{name} = {fmt.bound(value)}" for name, value in parameters)
        reason += f" (it was still increasing at {where})"
    hint = "Use another of pauci.fit_binormal, pauci.fit_proper and pauci.fit_contaminated, or "
    raise UndefinedError(f"{name}: {reason}.", hint=f"{hint}{EMPIRICAL}.")


def joint_parameters(fits: Sequence[CurveFit]) -> tuple[FloatArray, list[list[int]]]:
    r"""Return the joint covariance of the parameters of several fits and of the prevalences.

    The second value has the positions of the two parameters of each fit and of its prevalence.

    Fits to different rows are independent. For fits to the same rows, the cross products of their
    score contributions give the sandwich covariance C with blocks :math:`C_{ij}`. If the
    model-based covariance :math:`V_i` of each fit replaces :math:`C_{ii}`, the other blocks become,
    with Cholesky factors L, :math:`L_{V_i} L_{C_i}^{-1} C_{ij} (L_{V_j} L_{C_j}^{-1})^T`.
    """
    groups: dict[int, list[int]] = {}
    for i, fit in enumerate(fits):
        groups.setdefault(id(fit.rows), []).append(i)
    matrix = np.zeros((2 * len(fits) + len(groups),) * 2)
    positions = [[2 * i, 2 * i + 1, 0] for i in range(len(fits))]
    for at, members in enumerate(groups.values(), 2 * len(fits)):
        for i in members:
            positions[i][2] = at
        block = np.ix_(*[[p for i in members for p in positions[i][:2]] + [at]] * 2)
        matrix[block] = _covariance_for_same_rows([fits[i] for i in members])
    return matrix, positions


def _covariance_for_same_rows(fits: Sequence[CurveFit]) -> FloatArray:
    """Return the covariance of the parameters of fits to the same rows and of the prevalence."""
    ratings = fits[0].ratings
    zeros = np.zeros(ratings.table.size)
    terms = [t for fit in fits for t in fit.terms] + [Term(ratings, Influence(zeros, zeros, 1.0))]
    matrix = z_of_terms(fits[0].rows, terms).cov.copy()
    for i, fit in enumerate(fits):
        if fit.robust:
            continue
        block = [2 * i + k for k in (0, 1) if not fit.maximum.fixed[k]]
        block_index = np.ix_(block, block)
        factor = np.linalg.cholesky(fit.cov_parameters[np.ix_(*[[b - 2 * i for b in block]] * 2)])
        transform = np.dot(factor, np.linalg.inv(np.linalg.cholesky(matrix[block_index])))
        matrix[block, :] = np.dot(transform, matrix[block, :])
        matrix[:, block] = np.dot(matrix[:, block], transform.T)
    return matrix
