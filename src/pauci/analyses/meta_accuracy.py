r"""`meta_accuracy`: pooled sensitivity, specificity and summary ROC curve of two-by-two tables.

In the bivariate model the log odds of sensitivity and false positive rate of study i are
:math:`u_i = \mu_{t(i)} + L e_i`, with the mean of its type t(i), standard normal :math:`e_i` and
the lower triangle :math:`L`: the covariance matrix between studies is :math:`L L^T` (Reitsma et al.
2005). The parameters z are the means of the log odds of the sensitivity, by type, those of the
false positive rate, and the entries of L. Since these are not logarithms, a standard deviation of 0
and a correlation of 1 are ordinary points.

References
----------
J. B. Reitsma et al. (2005), Journal of Clinical Epidemiology 58:982-990.

H. Chu and S. R. Cole (2006), Journal of Clinical Epidemiology 59:1331-1332.

C. M. Rutter and C. A. Gatsonis (2001), Statistics in Medicine 20:2865-2884.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from pauci import checks, special
from pauci.calls import validate_call, validated_dataclass
from pauci.checks import FloatArray, Number, RegionBounds
from pauci.curve.region import Bounds, parse_bound
from pauci.drawings import style
from pauci.drawings.curves import CurveWithPoints, Points, draw_curves_with_points
from pauci.errors import DataName, InputError, UndefinedError
from pauci.intervals.analytic import Kind
from pauci.intervals.student_t import from_log_odds
from pauci.measures import PAUC
from pauci.results.presented import Presented
from pauci.results.quantity import Row
from pauci.results.weighted_sums import Contrast, WeightedSum
from pauci.sample.frame_columns import column_of
from pauci.sample.marks import check_frames
from pauci.sample.rows import Grouping
from pauci.sample.weights import grouping_of, label_like, whole
from pauci.special import expit
from pauci.tables import number_format as fmt
from pauci.tables.tabular import short_list

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.tables.json_document import Content


_NODES = 15
"""Nodes of the quadrature in each dimension."""

_STARTS = ((1.0, 0.3, 0.7), (1.0, -0.3, 0.7), (0.3, 0.0, 0.3))
"""The entries of L from which the search for the maximum starts."""

_STEP = 1e-4
"""Step of numerical derivatives."""

_gauss_legendre = cache(np.polynomial.legendre.leggauss)


def numerical_gradient(function: Callable[[FloatArray], Any], z: FloatArray) -> FloatArray:
    """Return central differences of a function, one row for each parameter."""
    steps = _STEP * np.eye(z.size)
    return np.array([(function(z + d) - function(z - d)) / (2.0 * _STEP) for d in steps])


def _parts(z: FloatArray, design: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means of the log odds of each study, and L."""
    return design @ z[:-3].reshape(2, -1).T, np.array([[z[-3], 0.0], z[-2:]])


@cache
def _quadrature(n: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes in two dimensions, and the logarithms of their weights for any function."""
    x, w = np.polynomial.hermite_e.hermegauss(n)
    nodes = np.array([(s, t) for s in x for t in x])
    return nodes, np.log(np.outer(w, w).ravel() / (2.0 * math.pi)) + 0.5 * (nodes**2).sum(1)


def exact_loss(z: FloatArray, counts: FloatArray, design: FloatArray) -> tuple[float, FloatArray]:
    """Return minus the exact log likelihood without binomial coefficients, and its gradient.

    True and false positives are binomial given the log odds (Chu and Cole 2006). The integral over
    e is calculated by Gauss-Hermite quadrature around the mode of each study, which Newton's method
    finds for all studies at once. The gradient is the mean of that of the integrand (Fisher).

    Parameters
    ----------
    z : ndarray
        The parameters.
    counts : ndarray
        TP, FN, FP, TN of each study.
    design : ndarray
        Indicators of the type of each study, of shape (studies, types).
    """
    mean, lower = _parts(z, design)
    hits, totals = counts[:, ::2], counts[:, ::2] + counts[:, 1::2]
    mode = np.zeros_like(mean)
    for _ in range(100):
        rate = expit(mean + mode @ lower.T)
        weight = (totals * rate * (1.0 - rate))[:, :, None]
        curvature = np.eye(2) + lower.T @ (weight * lower)
        slope = (hits - totals * rate) @ lower - mode
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        size = np.abs(step).max(1, keepdims=True)
        mode += step / np.maximum(size, 1.0)
        if size.max() < 1e-8:
            break
    spread = np.linalg.cholesky(np.linalg.inv(curvature))
    nodes, log_weights = _quadrature(_NODES)
    e = mode[:, None] + nodes @ spread.transpose(0, 2, 1)
    u = mean[:, None] + e @ lower.T
    hits, totals = hits[:, None], totals[:, None]
    terms = (hits * u - totals * np.logaddexp(0.0, u) - 0.5 * e**2).sum(2) + log_weights
    terms += np.log(spread[:, 0, 0] * spread[:, 1, 1])[:, None]
    of_studies = np.logaddexp.reduce(terms, axis=1)
    residuals = np.exp(terms - of_studies[:, None])[:, :, None] * (hits - totals * expit(u))
    of_means = design.T @ residuals.sum(1)
    of_lower = np.einsum("kqi,kqj->ij", residuals, e)
    gradient = np.concatenate((of_means.T.ravel(), of_lower[[0, 1, 1], [0, 0, 1]]))
    return -float(of_studies.sum()), -gradient


def restricted_loss(z: FloatArray, counts: FloatArray, design: FloatArray) -> float:
    """Return minus the REML criterion of the empirical log odds.

    They are normal with variances 1/TP + 1/FN and 1/FP + 1/TN. If a count is 0, 0.5 is added to
    all, as in the R package mada. The parameters are those of `exact_loss`.
    """
    mean, lower = _parts(z, design)
    counts = counts + 0.5 * (counts == 0.0).any()
    y = np.log(counts[:, ::2] / counts[:, 1::2]) - mean
    within = 1.0 / counts[:, ::2] + 1.0 / counts[:, 1::2]
    total = within[:, :, None] * np.eye(2) + lower @ lower.T
    inverse = np.linalg.inv(total)
    information = np.einsum("ks,kij,kt->isjt", design, inverse, design)
    information = information.reshape(z.size - 3, -1)
    logs = np.linalg.slogdet(total)[1].sum() + np.linalg.slogdet(information)[1]
    return 0.5 * float(logs + np.einsum("ki,kij,kj->", y, inverse, y))


def fit_model(
    counts: FloatArray, design: FloatArray, *, exact: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the estimates of the parameters and their covariance matrix."""
    from scipy.optimize import minimize

    def loss(z: FloatArray) -> tuple[float, FloatArray]:
        if exact:
            return exact_loss(z, counts, design)
        restricted = partial(restricted_loss, counts=counts, design=design)
        return restricted(z), numerical_gradient(restricted, z)

    y = np.log((counts[:, ::2] + 0.5) / (counts[:, 1::2] + 0.5))
    means = np.linalg.lstsq(design, y, rcond=None)[0].T.ravel()
    starts, options = ([*means, *lower] for lower in _STARTS), {"gtol": 1e-6}
    searches = [minimize(loss, start, jac=True, options=options) for start in starts]
    z = min(searches, key=lambda search: float(search.fun)).x
    z[-3:] *= np.where(z[[-3, -3, -1]] < 0.0, -1.0, 1.0)  # the diagonal of L is not negative
    hessian = numerical_gradient(lambda x: loss(x)[1], z)
    if not exact:  # the expected information of means and variances together is 0
        hessian[:-3, -3:] = hessian[-3:, :-3] = 0.0
    cov = np.linalg.pinv((hessian + hessian.T) / 2.0, 1e-9, hermitian=True)
    return z, np.asarray(cov, np.float64)


def pooled_rate(z: FloatArray, index: int, rate: str) -> float:
    """Return the sensitivity or specificity of a type at the means of the log odds."""
    sensitivity, fpr = z[:-3].reshape(2, -1)[:, index].tolist()
    return from_log_odds(sensitivity if rate == "sensitivity" else -fpr)


def height_of_curve(z: FloatArray, index: int, fpr: FloatArray) -> FloatArray:
    r"""Return the sensitivities on the summary ROC curve of a type at false positive rates.

    With the means m and standard deviations s of the log odds, and the log odds x of the FPR, those
    of the sensitivity are :math:`m_1 + (s_1/s_2)(x - m_2)` (Rutter and Gatsonis 2001).
    """
    first, second = z[:-3].reshape(2, -1)[:, index]
    return expit(first + z[-3] / math.hypot(z[-2], z[-1]) * (special.logit(fpr) - second))


def mean_height(z: FloatArray, index: int, low: float, high: float) -> float:
    """Return the mean height over a range of the FPR, or that at one FPR."""
    x, w = _gauss_legendre(80)
    x = 0.5 + 0.5 * x  # nodes below are denser near the ends, where the curve may be steep
    fpr = low + (high - low) * x**2 * (3.0 - 2.0 * x)
    heights = height_of_curve(z, index, fpr)
    return float(3.0 * w * x * (1.0 - x) @ heights)


Rate = Literal["sensitivity", "specificity"]

_Function = Callable[..., float]
"""A function of the parameters and the position of the type of studies."""

_COUNTS = "tp", "fn", "fp", "tn"

_METHODS = {"binomial": "exact binomial likelihood", "reml": "REML of the log odds"}

_FEWEST = 3
"""Smallest number of studies minus number of types: two variances and a correlation are
estimated."""

_LEAST_SD = 0.01
"""Standard deviation of the log odds of the false positive rate below which there is no curve."""

_AT_BOUNDARY = 1e-3
"""Distance of the correlation from 1 or -1 below which it is at the boundary."""


@validated_dataclass
class AccuracyEstimate(WeightedSum):
    """A pooled rate, a height of the summary ROC curve, or a mean of its heights.

    The value, its standard error ``se`` by the delta method, ``low``, ``high``, ``interval`` and
    ``test`` are as for other estimates. Intervals are symmetric in the log odds, with t quantiles.

    Attributes
    ----------
    group : str
        The type of studies; empty without types.
    """

    group: str = ""


@validated_dataclass
class AccuracyMeta(Presented[Kind]):
    """Pooled accuracy of several studies, returned by `meta_accuracy`.

    Attributes
    ----------
    counts : ndarray
        TP, FN, FP and TN of each study.
    types : Grouping
        The type of each study.
    method : {"binomial", "reml"}
        How the model was fitted.
    z : ndarray
        Means of the log odds of the sensitivity, by type, and of the false positive rate, and the
        entries 11, 21 and 22 of the Cholesky factor of their covariance matrix between studies.
    cov : ndarray
        Covariance matrix of `z`.
    """

    counts: FloatArray
    types: Grouping
    method: str
    z: FloatArray
    cov: FloatArray

    _fields = "measure fpr_low fpr_high group value se df low high level kind pvalue"
    _topic = "Accuracy"
    _noun_of_names = "type"
    _without_kinds = "pooled accuracy, whose intervals are symmetric in the log odds."

    def __repr__(self) -> str:
        rates = [self.rate(rate, group) for group in self.groups for rate in get_args(Rate)]
        words = [f"{q.group}, {q.repr_words}" if q.group else q.repr_words for q in rates]
        return short_list("AccuracyMeta", [f"{len(self.counts)} studies", *words])

    @property
    def groups(self) -> tuple[object, ...]:
        """The types of studies."""
        return self.types.labels

    @property
    def df(self) -> int:
        """Degrees of freedom: the number of studies less that of types."""
        return len(self.counts) - len(self.groups)

    @property
    def sd(self) -> tuple[float, float]:
        """Standard deviations between studies of the log odds of sensitivity and FPR."""
        return float(self.z[-3]), math.hypot(self.z[-2], self.z[-1])

    @property
    def correlation(self) -> float:
        """Correlation between studies of these log odds; NaN if a standard deviation is 0."""
        first, second = self.sd
        return float(self.z[-2]) / second if first and second else math.nan

    def rate(self, rate: Rate, group: object = None) -> AccuracyEstimate:
        """Return the pooled sensitivity or specificity.

        Parameters
        ----------
        rate : {"sensitivity", "specificity"}
            The rate.
        group : object, optional
            The type of studies; required if there are several.

        Returns
        -------
        AccuracyEstimate
            The rate of a study with mean log odds, which is the median of all studies, with its
            standard error and interval.

        Examples
        --------
        >>> import pauci
        >>> studies = pauci.datasets.load_audit_c()
        >>> a = pauci.meta_accuracy(studies, tp="tp", fn="fn", fp="fp", tn="tn")
        >>> f"{a.rate('specificity'):.2f}"
        '0.78 (0.71 to 0.84)'
        """
        checks.check_choice("rate", rate, get_args(Rate))
        return self._estimate(rate, partial(pooled_rate, rate=rate), group)

    def sroc(self, fpr: Number, group: object = None) -> AccuracyEstimate:
        """Return the sensitivity on the summary ROC curve at a false positive rate.

        Parameters
        ----------
        fpr : number
            False positive rate, strictly between 0 and 1.
        group : object, optional
            The type of studies; required if there are several.

        Returns
        -------
        AccuracyEstimate
            With its standard error and interval.

        Raises
        ------
        ValueError
            If `fpr` is not strictly between 0 and 1, or if the false positive rates of the studies
            do not differ more than by chance, so that there is no curve.

        Examples
        --------
        >>> import pauci
        >>> studies = pauci.datasets.load_audit_c()
        >>> a = pauci.meta_accuracy(studies, tp="tp", fn="fn", fp="fp", tn="tn")
        >>> f"{a.sroc(0.2):.2f}"
        '0.90 (0.82 to 0.95)'
        """
        at = float(parse_bound("fpr", fpr, fpr))
        if not 0.0 < at < 1.0:
            raise InputError.of("fpr", fpr, "must lie strictly between 0 and 1.")
        return self._on_curve("sensitivity", at, at, group)

    def area(self, fpr: RegionBounds = (0, 1), group: object = None) -> AccuracyEstimate:
        """Return the mean height of the summary ROC curve over a range, or the area below it.

        Parameters
        ----------
        fpr : pair of numbers, default (0, 1)
            Range of the false positive rate.
        group : object, optional
            The type of studies; required if there are several.

        Returns
        -------
        AccuracyEstimate
            The average sensitivity, which is the area divided by the length of the range, with its
            standard error and interval.

        Examples
        --------
        >>> import pauci
        >>> studies = pauci.datasets.load_audit_c()
        >>> a = pauci.meta_accuracy(studies, tp="tp", fn="fn", fp="fp", tn="tn", method="reml")
        >>> f"{a.area():.3f}"
        '0.888 (0.850 to 0.917)'
        """
        return self._on_curve("area", *PAUC(fpr=fpr).region.bounds, group)

    def _index(self, group: object) -> int:
        """Return the position of a type of studies."""
        single = group is None and len(self.groups) == 1
        label = self.groups[0] if single else label_like(group, self.groups)
        if not any(label is known for known in self.groups):
            some = checks.some_of(self.groups, group)
            raise InputError.of("group", group, f"is not a type of studies; the types are: {some}.")
        return self.groups.index(label)

    def _numbers(self, function: _Function, *groups: object) -> tuple[float, float, float, float]:
        """Return value, SE and df of a function of parameters and type, or of its difference."""
        first, *others = map(self._index, groups)

        def value(z: FloatArray) -> float:
            return function(z, first) - sum(function(z, i) for i in others)

        gradient = numerical_gradient(value, self.z)
        se = math.sqrt(gradient @ self.cov @ gradient)
        return value(self.z), se, self.df, se

    def _estimate(self, name: str, function: _Function, group: object) -> AccuracyEstimate:
        """Return a function of the parameters and the type of studies."""
        label = fmt.name_of_group(self.groups[self._index(group)]) * bool(self.types.name)
        numbers = self._numbers(function, group)
        return AccuracyEstimate((name,), *numbers, Bounds(0.0, 1.0), null=None, group=label)

    @property
    def _has_curve(self) -> bool:
        return self.sd[1] > _LEAST_SD

    def _on_curve(self, name: str, low: float, high: float, group: object) -> AccuracyEstimate:
        if self._has_curve:
            return self._estimate(name, partial(mean_height, low=low, high=high), group)
        problem = "the false positive rates of the studies do not differ more than by chance, so "
        problem += "that the slope of the summary ROC curve is undefined."
        hint = 'Use rate("sensitivity") and rate("specificity").'
        raise UndefinedError(problem, hint=hint)

    @property
    def _rates_of_studies(self) -> FloatArray:
        """Sensitivity and false positive rate of each study."""
        return self.counts[:, ::2] / (self.counts[:, ::2] + self.counts[:, 1::2])

    def _rows(self, level: float, kind: Any) -> list[Row]:  # noqa: ARG002
        def row(q: Any, measure: str, low: float = math.nan, high: float = math.nan) -> Row:
            place = f"FPR {low:g} to {high:g}" * (high - low < 1.0)
            names = {"measure": measure, "place": place, "data": f"{len(self.counts)} studies"}
            names["classifier"] = q.label if q.second else q.group
            more = {"measure": measure, "group": q.words if q.second else q.group, "names": names}
            more |= {"fpr_low": low, "fpr_high": high}
            return Row(q, level, None, more=more)

        fpr, rows = 100.0 * self._rates_of_studies[:, 1], []
        observed = math.floor(fpr.min()) / 100.0, math.ceil(fpr.max()) / 100.0
        first, *others = self.groups
        for rate in get_args(Rate):
            rows += [row(self.rate(rate, g), rate) for g in self.groups]
            for g in others:
                names = fmt.name_of_group(g), fmt.name_of_group(first)
                numbers = self._numbers(partial(pooled_rate, rate=rate), g, first)
                rows.append(row(Contrast(names, *numbers, Bounds(-1.0, 1.0)), rate))
        for g in self.groups * self._has_curve:
            rows.append(row(self.area((0, 1), g), "area below the SROC curve", 0.0, 1.0))
            rows.append(row(self.area(observed, g), "average sensitivity", *observed))
        return rows

    @property
    def _sizes(self) -> dict[str, int]:
        n_pos, n_neg = (int(self.counts[:, i : i + 2].sum()) for i in (0, 2))
        return {"studies": len(self.counts), "n_pos": n_pos, "n_neg": n_neg}

    @property
    def _basis(self) -> str:  # type: ignore[override]
        return "{studies} studies, {n_pos:,} positives, {n_neg:,} negatives".format(**self._sizes)

    def _remarks(self, level: float, kind: Any) -> Iterator[str]:  # noqa: ARG002
        (first, second), r = self.sd, self.correlation
        yield f"Bivariate model, {_METHODS[self.method]}; t quantiles with {self.df} df."
        between = f"sensitivity {first:.3f}, FPR {second:.3f}"
        between += f"; correlation {r:.3f}" * (min(first, second) > _LEAST_SD)
        yield f"Standard deviations of log odds between studies: {between}."
        if self.method == "reml" and not self.counts.all():
            yield "Because a count is 0, 0.5 was added to all."
        if not self._has_curve:
            yield "FPRs do not differ more than by chance, so that there is no SROC curve."
        elif abs(r) > 1.0 - _AT_BOUNDARY:
            yield "The correlation is at the boundary of its range."
        elif r < 0.0:
            yield "Sensitivity decreases with the FPR between studies, unlike an ROC curve."

    def _content(self, level: float, kind: Any) -> "Content":
        first, second = self.sd
        numbers = {"sd_sensitivity": first, "sd_fpr": second, "correlation": self.correlation}
        content = super()._content(level, kind)
        return replace(content, sizes=[self._sizes], parts={"between studies": [numbers]})

    def plot(self, *, level: float = 0.95, ax: "Axes | None" = None) -> "Axes":
        """Draw the summary ROC curve and the pooled rates with their confidence region.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the region.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Notes
        -----
        The curve is drawn over the range of the false positive rates of the studies. Points of
        larger studies are larger. The region is that of Hotelling's statistic of the mean log odds.

        Examples
        --------
        >>> import pauci
        >>> studies = pauci.datasets.load_audit_c()
        >>> ax = pauci.meta_accuracy(studies, tp="tp", fn="fn", fp="fp", tn="tn").plot()
        >>> ax.get_ylabel()
        'True positive rate (sensitivity)'
        """
        alpha, df = 1.0 - checks.level(level), self.df
        radius = math.sqrt(df * (alpha ** (-2.0 / (df - 1)) - 1.0))
        angle = np.linspace(0.0, 2.0 * math.pi, 200)
        circle = radius * np.array([np.cos(angle), np.sin(angle)])
        sizes = np.maximum(60.0 * self.counts.sum(1) / self.counts.sum(1).max(), 6.0)
        (tpr, fpr), k, curves = self._rates_of_studies.T, len(self.groups), []
        for i, group in enumerate(self.groups):
            observed = fpr[self.types.codes == i].clip(1e-6, 1.0 - 1e-6)
            x = np.linspace(observed.min(), observed.max(), 200 * self._has_curve)
            y = height_of_curve(self.z, i, x) if self._has_curve else x
            name = f"summary ROC curve{f' of {group}' * bool(self.types.name)}"
            labels = [f"pooled rates, {fmt.percent(level)} region"]
            points = Points(*expit(self.z[[i + k, i], None]))
            curves.append(CurveWithPoints(name, (x, y), points, labels))
        axes = draw_curves_with_points(curves, ax)
        for i in range(k):
            at, of_type = [i + k, i], self.types.codes == i
            spread, colour = np.linalg.cholesky(self.cov[np.ix_(at, at)]), style.colour(i)
            region = expit(self.z[at, None] + spread @ circle)
            axes.fill(*region, **style.pale(colour, 0.18), label="_region")
            pale = style.pale(colour, 0.35)
            axes.scatter(fpr[of_type], tpr[of_type], sizes[of_type], **pale, clip_on=False)
        return axes


@validate_call
def meta_accuracy(
    frame: "pd.DataFrame",
    *,
    tp: str,
    fn: str,
    fp: str,
    tn: str,
    by: str | None = None,
    method: Literal["binomial", "reml"] = "binomial",
) -> AccuracyMeta:
    r"""Pool sensitivities and specificities of several studies, with a summary ROC curve.

    Parameters
    ----------
    frame : pandas.DataFrame
        A row for each study.
    tp : str
        Column of the numbers of true positives.
    fn : str
        Column of the numbers of false negatives.
    fp : str
        Column of the numbers of false positives.
    tn : str
        Column of the numbers of true negatives.
    by : str, optional
        Column of the type of each study. Types have their own means and the same variances between
        studies; they are compared with the first.
    method : {"binomial", "reml"}, default "binomial"
        Exact binomial likelihood, or REML of the log odds, with 0.5 added to all counts if one is
        0, as in the R package mada. The latter is biased if many counts are small.

    Returns
    -------
    AccuracyMeta
        With ``rate("sensitivity")``, ``sroc(0.1)``, ``area((0, 0.2))``, tables, sentences and a
        figure.

    Raises
    ------
    TypeError, ValueError
        If a column does not exist or does not have counts, if a study has no positives or no
        negatives, if there are fewer than three studies more than types, or a type has a single
        study, or if all counts of a kind are 0, so that the likelihood has no maximum.

    Notes
    -----
    The log odds of sensitivity and false positive rate vary between studies with a bivariate normal
    distribution (Reitsma et al. 2005). By default the counts are binomial given the rates of their
    study, so that studies with counts of 0 need no correction (Chu and Cole 2006). Intervals have t
    quantiles, whose degrees of freedom are the number of studies less that of types.

    The summary ROC curve is that of Rutter and Gatsonis (2001): the slope of its log odds is the
    ratio of both standard deviations between studies.

    References
    ----------
    J. B. Reitsma, A. S. Glas, A. W. S. Rutjes et al. (2005), Journal of Clinical Epidemiology
    58:982-990.

    H. Chu and S. R. Cole (2006), Journal of Clinical Epidemiology 59:1331-1332.

    C. M. Rutter and C. A. Gatsonis (2001), Statistics in Medicine 20:2865-2884.

    Examples
    --------
    Fourteen studies of a questionnaire on alcohol (Kriston et al. 2008):

    >>> import pauci
    >>> studies = pauci.datasets.load_audit_c()
    >>> a = pauci.meta_accuracy(studies, tp="tp", fn="fn", fp="fp", tn="tn")
    >>> f"{a.rate('sensitivity'):.2f}"
    '0.92 (0.82 to 0.97)'
    """
    check_frames(frame=frame)
    checks.check_choice("method", method, _METHODS)
    keys, columns = (tp, fn, fp, tn), []
    for argument, key in zip(_COUNTS, keys, strict=True):
        name, values = DataName(f"column {key!r}", argument, key), column_of(frame, argument, key)
        columns.append(whole(name, values, len(frame), "frame", ""))
    for argument, key in zip(_COUNTS, keys, strict=True):  # which are names of columns
        if keys.count(key) > 1:
            raise InputError.of(argument, key, "is the column of two counts.")
    counts = np.column_stack(columns).astype(np.float64)
    types = Grouping("", np.zeros(len(counts), np.int64), ("all",))
    if by is not None:
        name = DataName(f"column {by!r}", "by", by)
        types = grouping_of(name, column_of(frame, "by", by), str(by))
    exact = method == "binomial"
    _check(counts, types, exact=exact)
    design = np.eye(len(types.labels))[types.codes]
    return AccuracyMeta(counts, types, method, *fit_model(counts, design, exact=exact))


def _check(counts: FloatArray, types: Grouping, *, exact: bool) -> None:
    """Raise an error if there are too few studies or rows, or if the likelihood has no maximum."""
    for name, total in (("positives", counts[:, :2]), ("negatives", counts[:, 2:])):
        (empty,) = np.nonzero(~total.any(1))
        if empty.size:
            raise InputError.about("frame", f"has a study without {name}.", rows=empty)
    least = len(types.labels) + _FEWEST
    if len(counts) < least:
        problem = (
            f"has {len(counts)} of at least {least} studies that the model requires, three more "
            "than the number of types of studies."
        )
        raise InputError.about("frame", problem)
    for i, label in enumerate(types.labels):
        of_type = counts[types.codes == i]
        if len(of_type) == 1:
            raise InputError.of("by", types.name, f"has a single study of the type {label!r}.")
        (empty,) = np.nonzero(~of_type.any(0))
        if exact and empty.size:
            argument, which = _COUNTS[empty[0]], f" of the type {label!r}" * bool(types.name)
            problem = f"is 0 in all studies{which}, so that the likelihood has no maximum."
            hint = 'Use method="reml", which adds 0.5 to all counts.'
            raise UndefinedError(f"{argument} {problem}", argument=argument, hint=hint)
