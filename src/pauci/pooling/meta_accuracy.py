"""`meta_accuracy`: pooled sensitivity, specificity and summary ROC curve of two-by-two tables."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pauci import checks
from pauci.calls import validate_call, validate_constructor, validate_methods
from pauci.checks import FloatArray, Number, RegionBounds
from pauci.curve.region import Bounds, parse_bound
from pauci.drawings.curves import SummaryCurve, draw_summary_curves
from pauci.errors import DataName, InputError, UndefinedError
from pauci.intervals.analytic import Kind
from pauci.intervals.student_t import from_log_odds
from pauci.logistic import expit
from pauci.measures import PAUC
from pauci.pooling.bivariate import fit, height_of_curve, mean_height, numerical_gradient
from pauci.results.facts import Fact, fact_of
from pauci.results.presented import Presented
from pauci.results.row import Row
from pauci.results.weighted_sums import Contrast, WeightedSum
from pauci.sample.frame_columns import column_of
from pauci.sample.marks import check_frames
from pauci.sample.weights import Grouping, grouping_of, label_like, whole
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.tables.json_document import Content

Rate = Literal["sensitivity", "specificity"]

_RATES: tuple[Rate, ...] = ("sensitivity", "specificity")

_METHODS = {"binomial": "exact binomial likelihood", "reml": "REML of the log odds"}

_NONE = (math.nan, math.nan)
"""The range of a rate, which has none."""

_FEWEST = 3
"""Least number of studies beyond that of types: two variances and a correlation are estimated."""

_LEAST_SD = 0.01
"""Standard deviation of the log odds of the false positive rate below which there is no curve."""

_AT_BOUNDARY = 1e-3
"""Distance of the correlation from 1 or -1 below which it is at the boundary."""


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class AccuracyEstimate(WeightedSum):
    """A pooled rate, a height of the summary ROC curve, or a mean of its heights.

    The value, its standard error ``se`` by the delta method, ``low``, ``high``, ``interval`` and
    ``test`` are as for other estimates. Intervals are symmetric in the log odds, with t quantiles.
    """


@validate_methods
@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
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
    _topic = "Accuracy in several studies"
    _noun_of_names = "type"
    _without_kinds = "pooled accuracy, whose intervals are symmetric in the log odds."

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
        checks.check_choice("rate", rate, _RATES)
        return self._estimate(rate, self._log_odds(rate, self._index(group)))

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
        region: Any = PAUC(fpr=fpr).region
        return self._on_curve("area", float(region.low), float(region.high), group)

    def _index(self, group: object) -> int:
        if group is None and len(self.groups) == 1:
            return 0
        label = label_like(group, self.groups)
        for i, known in enumerate(self.groups):
            if label is known:
                return i
        some = checks.some_of(self.groups, group)
        raise InputError.of("group", group, f"is not a type of studies; the types are: {some}.")

    def _log_odds(self, rate: Rate, index: int) -> Callable[[FloatArray], float]:
        sign, at = (1.0, index) if rate == "sensitivity" else (-1.0, index + len(self.groups))
        return lambda z: sign * float(z[at])

    def _error(self, function: Callable[[FloatArray], float]) -> float:
        """Return the standard error of a function of the parameters by the delta method."""
        gradient = numerical_gradient(function, self.z)
        return math.sqrt(gradient @ self.cov @ gradient)

    def _estimate(self, name: str, log_odds: Callable[[FloatArray], float]) -> AccuracyEstimate:
        value = from_log_odds(log_odds(self.z))
        se = value * (1.0 - value) * self._error(log_odds)
        return AccuracyEstimate((name,), value, se, self.df, se, Bounds(0.0, 1.0), null=None)

    def _difference(self, rate: Rate, index: int) -> Contrast:
        """Return the difference between a type and the first one."""
        first, second = (self._log_odds(rate, i) for i in (index, 0))

        def difference(z: FloatArray) -> float:
            return from_log_odds(first(z)) - from_log_odds(second(z))

        se = self._error(difference)
        names = tuple(fmt.name_of_group(self.groups[i]) for i in (index, 0))
        return Contrast(names, difference(self.z), se, self.df, se, Bounds(-1.0, 1.0))

    @property
    def _has_curve(self) -> bool:
        return self.sd[1] > _LEAST_SD

    def _on_curve(self, name: str, low: float, high: float, group: object) -> AccuracyEstimate:
        index = self._index(group)
        if not self._has_curve:
            raise UndefinedError(
                "the false positive rates of the studies do not differ more than by chance, so "
                "that the slope of the summary ROC curve is undefined.",
                hint='Use rate("sensitivity") and rate("specificity").',
            )
        return self._estimate(name, partial(mean_height, index=index, low=low, high=high))

    @property
    def _rates_of_studies(self) -> FloatArray:
        """Sensitivity and false positive rate of each study."""
        return self.counts[:, ::2] / (self.counts[:, ::2] + self.counts[:, 1::2])

    def _rows(self, level: float, kind: Any) -> list[Row]:  # noqa: ARG002
        percent = 100.0 * self._rates_of_studies[:, 1]
        observed = math.floor(percent.min()) / 100.0, math.ceil(percent.max()) / 100.0
        found: list[tuple[WeightedSum, str, object, tuple[float, float]]] = []
        for rate in _RATES:
            found += [(self.rate(rate, g), rate, g, _NONE) for g in self.groups]
            differences = [self._difference(rate, i) for i in range(1, len(self.groups))]
            found += [(d, rate, d.words, _NONE) for d in differences]
        for g in self.groups * self._has_curve:
            found.append((self.area((0, 1), g), "area below the SROC curve", g, (0.0, 1.0)))
            found.append((self.area(observed, g), "average sensitivity", g, observed))
        rows = []
        for q, measure, g, (low, high) in found:
            group = fmt.name_of_group(g) if self.types.name else ""
            more = {"measure": measure, "group": group, "fpr_low": low, "fpr_high": high}
            rows.append(Row(q, level, None, more=more))
        return rows

    def _facts(self, rows: Any, level: float, kind: Any) -> list[Fact]:  # noqa: ARG002
        facts = []
        for row in rows:
            measure, group, low, high = row.more.values()
            if high - low < 1.0:
                measure = f"{measure}, FPR {low:g} to {high:g}"
            names = {"measure": measure}
            names["classifier"] = row.quantity.label if row.quantity.second else group
            names["data"] = "" if group else f"{len(self.counts)} studies"
            facts.append(replace(fact_of(row, None, "", {}), names=names))
        return facts

    @property
    def _sizes(self) -> dict[str, int]:
        n_pos, n_neg = (int(self.counts[:, i : i + 2].sum()) for i in (0, 2))
        return {"studies": len(self.counts), "n_pos": n_pos, "n_neg": n_neg}

    @property
    def _basis(self) -> str:  # type: ignore[override]
        return "{studies} studies, {n_pos:,} positives, {n_neg:,} negatives".format(**self._sizes)

    def _remarks(self, level: float, kind: Any) -> list[str]:  # noqa: ARG002
        (first, second), r = self.sd, self.correlation
        notes = [
            f"Bivariate model, {_METHODS[self.method]}; t quantiles with {self.df} df.",
            f"Standard deviations of log odds between studies: sensitivity {first:.3f}, FPR "
            f"{second:.3f}; correlation {r:.3f}.",
        ]
        if self.method == "reml" and not self.counts.all():
            notes.append("Because a count is 0, 0.5 was added to all.")
        if not self._has_curve:
            notes.append("FPRs do not differ more than by chance, so that there is no SROC curve.")
        elif abs(r) > 1.0 - _AT_BOUNDARY:
            notes.append("The correlation is at the boundary of its range.")
        elif r < 0.0:
            notes.append("Sensitivity decreases with the FPR between studies, unlike an ROC curve.")
        return notes

    def _content(self, level: float, kind: Any) -> "Content":
        numbers = zip(("sd_sensitivity", "sd_fpr"), self.sd, strict=True)
        between = {**dict(numbers), "correlation": self.correlation}
        content = super()._content(level, kind)
        return replace(content, sizes=[self._sizes], parts={"between studies": [between]})

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
        curves = []
        for i, group in enumerate(self.groups):
            at = [i, i + len(self.groups)]
            mean, spread = self.z[at, None], np.linalg.cholesky(self.cov[np.ix_(at, at)])
            studies = self._rates_of_studies[self.types.codes == i]
            sizes = self.counts[self.types.codes == i].sum(1)
            ends = np.clip([studies[:, 1].min(), studies[:, 1].max()], 1e-6, 1.0 - 1e-6)
            low, high = np.log(ends / (1.0 - ends)).tolist()
            x = np.linspace(low, high, 200)
            height = height_of_curve(self.z, i, x) if self._has_curve else np.full(200, np.nan)
            name, line = str(group) if self.types.name else "", np.array([height, expit(x)])
            region = expit(mean + spread @ circle)
            curves.append(SummaryCurve(name, studies.T, sizes, line, expit(mean), region))
        return draw_summary_curves(curves, level, ax)


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
        negatives, if there are less than three studies more than types or a type has a single
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
    columns = {"tp": tp, "fn": fn, "fp": fp, "tn": tn}
    counts = np.column_stack([_counts(frame, *column) for column in columns.items()])
    for argument, column in columns.items():
        if list(columns.values()).count(column) > 1:
            raise InputError.of(argument, column, "is the column of two counts.")
    for name, total in (("positives", counts[:, :2]), ("negatives", counts[:, 2:])):
        (empty,) = np.nonzero(~total.any(1))
        if empty.size:
            raise InputError.about("frame", f"has a study without {name}.", rows=empty)
    if by is None:
        types = Grouping("", np.zeros(len(counts), np.int64), ("all",))
    else:
        name_of_column = DataName(f"column {by!r}", "by", by)
        types = grouping_of(name_of_column, column_of(frame, "by", by), str(by))
    _check_types(counts, types, exact=method == "binomial")
    design = np.eye(len(types.labels))[types.codes]
    return AccuracyMeta(counts, types, method, *fit(counts, design, exact=method == "binomial"))


def _counts(frame: Any, argument: str, key: Any) -> FloatArray:
    """Return the counts in a column."""
    values = column_of(frame, argument, key)
    name = DataName(f"column {key!r}", argument, key)
    return whole(name, values, len(frame), "frame", "").astype(np.float64)


def _check_types(counts: FloatArray, types: Grouping, *, exact: bool) -> None:
    """Raise an error if there are too few studies, or if the likelihood has no maximum."""
    least = len(types.labels) + _FEWEST
    if len(counts) < least:
        words = f"has {len(counts)} studies, but the model requires at least {least}"
        raise InputError.about("frame", f"{words}, three more than types.")
    for i, label in enumerate(types.labels):
        of_type = counts[types.codes == i]
        if len(of_type) == 1:
            raise InputError.of("by", types.name, f"has a single study of the type {label!r}.")
        (empty,) = np.nonzero(~of_type.any(0))
        if exact and empty.size:
            argument = ("tp", "fn", "fp", "tn")[empty[0]]
            raise UndefinedError(
                f"{argument} is 0 in all studies{f' of the type {label!r}' * bool(types.name)}, so "
                "that the likelihood has no maximum.",
                argument=argument,
                hint='Use method="reml", which adds 0.5 to all counts.',
            )
