r"""Pearson's goodness-of-fit test of a fitted curve, and the warning if it rejects.

With :math:`m` the counts of all cells (categories by class; sums of weights are scaled to the
number of rows), :math:`\hat\mu` the expected counts under the curve and r the scaled residuals
:math:`(m - \hat\mu)/\sqrt{\hat\mu}`, the statistic is :math:`X^2 = \sum r^2`. More than ten
categories are combined into ten groups of similar size, irrespective of the class of the rows, and
the curve is fitted to these groups. If the boundaries of the groups were chosen where the class
changes, they would depend on the residuals, and the test would reject true models in half of the
samples with 35 rows per class.

With sampling weights or clusters the cell counts are not multinomial. To first order :math:`r = (I
- H) z`, with z the scaled deviations of the observed proportions from the true ones, B the
derivatives of :math:`\mu` with respect to parameters and cuts, divided by :math:`\sqrt\mu`, and
:math:`H = B (B^T B)^{-1} B^T`. With C the covariance of z from the rows or clusters
(`pauci.variance.influence_covariance`), :math:`X^2` is distributed as the sum of :math:`\lambda_i
\chi^2_1` with the eigenvalues of :math:`V = (I - H) C (I - H)`. For a simple random sample, all
nonzero eigenvalues are 1, and their number is the degrees of freedom. Rao and Scott's second-order
correction matches the first two moments, :math:`X^2/c \sim \chi^2_\nu` with :math:`c =
\mathrm{tr}(V^2)/\mathrm{tr}(V)` and :math:`\nu = \mathrm{tr}(V)^2/\mathrm{tr}(V^2)`. With clusters,
V is estimated with :math:`\kappa` degrees of freedom, and the p-value is that of
:math:`X^2/\mathrm{tr}(V)` in the F distribution with :math:`\nu` and :math:`\nu \kappa` degrees of
freedom (Thomas and Rao 1987).

References
----------
J. N. K. Rao and A. J. Scott (1984), Annals of Statistics 12:46-60.
D. R. Thomas and J. N. K. Rao (1987), Journal of the American Statistical Association 82:630-636.
"""

import math
from typing import NamedTuple

import numpy as np

from pauci import special
from pauci.checks import FloatArray, IntArray
from pauci.errors import PoorFitWarning, warn
from pauci.fits.categories import EMPIRICAL, Categories
from pauci.fits.likelihood import Maximum, NoMaximumError, maximize, probabilities_of
from pauci.fits.models import CurveModel
from pauci.measures.influence import Influence
from pauci.sample.ratings import Ratings
from pauci.tables import number_format as fmt
from pauci.variance.influence_covariance import covariance
from pauci.variance.problem import Term

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
        masses = _masses(ratings, counts.sum())
        category_of_group = _groups_of_similar_size(masses)
        counts = np.array([np.bincount(category_of_group, m) for m in masses])
        try:
            maximum = maximize(counts, model, maximum.theta, (not fixed[0], not fixed[1]))
        except NoMaximumError:
            return no_test
    cells = [probabilities_of(share) for share in model.classes(maximum.cuts, maximum.theta)]
    expected = np.array([c.p * m.sum() for c, m in zip(cells, counts, strict=True)])
    df = counts.shape[1] - 3 + sum(fixed)
    smallest = float(expected.min())
    if df < 1 or smallest <= 0.0:
        return no_test._replace(df=max(df, 0), smallest_expected=smallest)
    squares = float(((counts - expected) ** 2 / expected).sum())
    if rows.independent:
        return Goodness(squares, df, float(special.chdtrc(df, squares)), smallest)
    free = [i for i in (0, 1) if not fixed[i]]
    roots = np.sqrt(expected)
    slopes = np.vstack(
        [
            np.column_stack((c.parameter_slopes[free].T, _slopes_by_cuts(c.cut_slopes)))
            * m.sum()
            / root[:, None]
            for c, m, root in zip(cells, counts, roots, strict=True)
        ]
    )
    scale = (counts.sum(axis=1, keepdims=True) / roots).ravel()
    observed = _covariance_of_shares(ratings, category_of_group, counts.shape[1])
    observed *= np.outer(scale, scale)
    basis = np.linalg.qr(slopes)[0]
    projection = np.eye(scale.size) - np.dot(basis, basis.T)
    v = np.dot(projection, np.dot(observed, projection))
    trace, trace_of_square = float(np.trace(v)), float((v * v).sum())
    if trace <= 0.0:
        return no_test._replace(df=df, smallest_expected=smallest)
    nu, effect = trace**2 / trace_of_square, trace / df
    adjusted = squares * trace / trace_of_square
    p = _f_tail(squares / trace, nu, nu * rows.cluster_df)
    return Goodness(adjusted, nu, p, smallest / effect, effect)


def _f_tail(f: float, df: float, df_denominator: float) -> float:
    """Return the upper tail of the F distribution, or of chi-squared divided by its df."""
    if math.isinf(df_denominator):
        return float(special.chdtrc(df, df * f))
    return float(special.fdtrc(df, df_denominator, f))


def _masses(ratings: Ratings, total: float) -> FloatArray:
    """Return the masses of the tie groups by class, scaled to a total."""
    table = ratings.table
    masses = np.array([table.pos, table.neg], dtype=float)
    return np.asarray(masses * (total / masses.sum()))


def _groups_of_similar_size(masses: FloatArray) -> IntArray:
    """Return the group of each tie group: the tenth of all rows that contains its midpoint."""
    mass = masses.sum(axis=0)
    below = mass[::-1].cumsum()[::-1] - mass / 2.0
    group = np.minimum((below / mass.sum() * GROUPS).astype(int), GROUPS - 1)
    filled = np.bincount(group, mass, minlength=GROUPS) > 0.0
    return np.asarray((np.cumsum(filled) - 1)[group])


def _slopes_by_cuts(cut_slopes: FloatArray) -> FloatArray:
    """Return the derivatives of the K category proportions with respect to the K - 1 cuts."""
    inner = np.diag(cut_slopes[1:-1])
    return np.pad(inner, ((1, 0), (0, 0))) - np.pad(inner, ((0, 1), (0, 0)))


def _covariance_of_shares(ratings: Ratings, category_of_group: IntArray, k: int) -> FloatArray:
    """Return the covariance of the observed cell proportions, from rows or clusters."""
    indicators = (category_of_group == np.arange(k)[:, None]).astype(float)
    zeros = np.zeros(category_of_group.size)
    terms = [Term(ratings, Influence(row, zeros)) for row in indicators]
    terms += [Term(ratings, Influence(zeros, row)) for row in indicators]
    return covariance(ratings.rows, terms)


def warn_about_fit(test: Goodness, model: CurveModel, classifier: str) -> None:
    """Warn if the test rejects the curve that was fitted to a classifier."""
    if not test.rejected:
        return
    warn(
        PoorFitWarning(
            f"{REJECTION} (chi-squared {test.chi_squared:.2f}, df {test.df_shown}, "
            f"{fmt.p_value(test.p)}).",
            where=f"the {model.title} curve of {classifier}",
            value=test.p,
            hint="Use another model (pauci.fit_binormal, pauci.fit_proper or "
            f"pauci.fit_contaminated), or {EMPIRICAL}. covariance='robust' corrects standard "
            "errors, but not the bias.",
        )
    )
