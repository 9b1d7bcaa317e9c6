r"""The jackknife: values of a measure with a row left out, bias and standard error.

Rows of the same class and tie group are equivalent, so leaving out a row results in at most 2K
different curves. The summaries that a measure requires (`Measure.requests`) are calculated for all
these curves at once. Cumulative counts decrease by one from the group that loses the row on, so a
level is searched both unchanged and increased by one. Twice the area up to a knot, in pairs, is
:math:`T_k = \sum_{i \le k} n_i (P_{i-1} + P_i)`. From group j on it decreases by
:math:`n_j + 2 (N_k - N_j)` without a positive of group j, and by :math:`P_{j-1} + P_j` without a
negative. Integer counts are compared with rational bounds as in `pauci.curve`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from pauci.calls import validate_constructor
from pauci.checks import AnyArray, FloatArray, IntArray, check_flag
from pauci.curve.counts import CountTable
from pauci.curve.exact_sums import cumulative_sums
from pauci.curve.polyline import Axis, Curve, StepEnd
from pauci.curve.region import Region
from pauci.errors import InputError, JackknifeWarning, UndefinedError, warn
from pauci.measures.base import Combination, Measure, Request, Statistic
from pauci.measures.classes import OfAllClasses
from pauci.measures.kappa import kappa
from pauci.measures.precision import average_precision_without_a_row
from pauci.measures.prevalence import as_designed
from pauci.progress import ProgressBar
from pauci.sample.class_rows import ClassRatings, ClassRows
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows, too_few_units
from pauci.variance.contributions import Contributions
from pauci.variance.method import VarianceMethod
from pauci.variance.units import Problem

_ROWS_PER_GROUP = 20
"""Average size of tie groups below which scores are treated as continuous."""

_MOST_ESTIMATIONS = 5_000
"""Largest number of units for which the weights are estimated again without each of them, which
takes some seconds."""


class JackknifeResult(NamedTuple):
    """An uncorrected estimate, and its bias, which is to be subtracted from it.

    If `by_class` is true, deviations are taken from the mean of a class, and `sizes` are the
    numbers of rows of both classes. Otherwise both elements of `sizes` are the number of all rows
    or clusters.
    """

    value: float
    bias: float
    sizes: tuple[float, float]
    by_class: bool


def leave_one_out_values(curve: Curve, measure: Measure) -> tuple[FloatArray, FloatArray]:
    r"""Return a measure with a positive, and with a negative, of each tie group left out.

    Parameters
    ----------
    curve, measure : Curve, Measure
        A curve of integer counts, and the measure to evaluate.

    Returns
    -------
    pos, neg : ndarray of shape (K,)
        Best group first; NaN if there is no such row, or if the measure is undefined without it.

    Raises
    ------
    ValueError
        For sampling weights, fractional counts, or a class with fewer than two rows.

    Notes
    -----
    The values are :math:`\theta_{(i)}` of Quenouille (1956, Biometrika 43:353-360). Thresholds do
    not change, and empty groups are retained. The prevalence of a case-control sample, which was
    chosen, does not change. The computing time is O(K log K) for measures with `Measure.requests`;
    for other measures, such as ``AP(corrected=True)``, up to 2K tables are calculated.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1], [1, 2, 2, 4, 3, 5])
    >>> pos, neg = leave_one_out_values(sample.ratings("score").curve, pauci.AUC())
    >>> pos.round(4)
    array([0.75, 0.75,  nan, 1.  ,  nan])
    """
    table = curve.table
    _check(table, (table.total_pos, table.total_neg), "row")
    measure = as_designed(measure, table)
    results = np.full((2, table.size), np.nan)
    for row, positive in enumerate((True, False)):
        lost = np.flatnonzero(table.pos if positive else table.neg)
        results[row, lost] = _values(measure, _LeaveOneOutCurves(table, positive, lost))
    return results[0], results[1]


def jackknife_by_unit(
    rows: Rows, terms: Sequence[tuple[Ratings, Measure]], *, by_class: bool = True
) -> list[tuple[JackknifeResult, FloatArray]]:
    r"""Return the jackknife of each term, and z of every row, or of every cluster if any.

    Let :math:`\bar\theta` be the mean of the values :math:`\theta_{(i)}` without row i. In a cohort
    of n rows (Quenouille 1956, Biometrika 43:353-360; Efron and Stein 1981, Annals of Statistics
    9:586-596)

    .. math:: \text{bias} = (n - 1) (\bar\theta - \hat\theta), \qquad
              V = \sum_i f_i z_i z_i^T, \qquad
              z_i = \sqrt{\frac{n - 1}{n}} (\theta_{(i)} - \bar\theta)

    where f is the frequency of a row. In a case-control sample, or for a measure that does not
    depend on the prevalence (so that class sizes are not informative), bias and V are sums over the
    classes, each with its own mean and number of rows, if `by_class`. For the AUC, the bias is 0
    and V is DeLong's variance. A measure with an estimated end is not smooth if scores are finely
    graded: the bias is meaningless, and V may not converge as n increases.

    With clusters, all rows of a cluster are left out at once, i runs over the G clusters and n = G
    for all measures and designs. A table is calculated for each cluster, in O(G K), or for each row
    with a sampling weight. The weights of the other rows do not change, unless they are estimated
    from all rows: they are then estimated again, and n and the mean are those of all rows.
    """
    if rows.cluster is not None or rows.weight is not None:
        return _by_cluster_or_weighted_row(rows, terms, by_class=by_class)
    results = []
    for ratings, measure in terms:
        curve = ratings.curve
        left, counts = leave_one_out_values(curve, measure), (curve.table.pos, curve.table.neg)
        estimate, z = _jackknife_result(curve, measure, left, counts, by_class=by_class)
        results.append((estimate, z.take(ratings.codes + curve.table.size * ~rows.positive)))
    return results


@dataclass(frozen=True, eq=False)
class _LeaveOneOutCurves:
    """The curves that result from leaving out a row of a class, one curve for each tie group."""

    table: CountTable
    positive: bool
    lost: AnyArray

    def total(self, positive: bool) -> int:
        """Return the number of rows of a class."""
        return int((self.table.cum_neg, self.table.cum_pos)[positive][-1]) - (
            positive == self.positive
        )

    def rows_at(self, positive: bool, knot: Any) -> tuple[Any, Any]:
        """Return the rows of a class in the groups before a knot, and in the next group, if any."""
        cum, loses = (self.table.cum_neg, self.table.cum_pos)[positive], positive == self.positive
        after = np.minimum(knot + 1, self.table.size)
        before = cum[knot] - (loses & (knot > self.lost))
        return before, cum[after] - (loses & (after > self.lost)) - before

    def knots_below(self, positive: bool, level: Any, side: Literal["left", "right"]) -> Any:
        """Return the number of knots with fewer rows of a class than a level.

        With `side` "right", knots with as many rows are included.
        """
        cum = (self.table.cum_neg, self.table.cum_pos)[positive]
        unchanged = np.searchsorted(cum, level, side)
        if positive != self.positive:
            return unchanged
        # Counts are unchanged up to the group that loses a row, and decrease by one after it.
        upper, decreased = self.lost + 1, np.searchsorted(cum, level + 1, side)
        return np.minimum(unchanged, upper) + np.maximum(decreased - upper, 0)

    def knot(self, group: int) -> tuple[AnyArray, ...]:
        """Return the result of `Curve.knot` for each curve."""
        groups, share = np.full(self.lost.size, group), np.zeros(self.lost.size)
        return groups, share, self._rate(False, groups, share), self._rate(True, groups, share)

    def at(self, axis: Axis, bound: Fraction, end: StepEnd) -> tuple[AnyArray, ...]:
        """Return the result of `Curve.at` for each curve: group, share, FPR and TPR of a point."""
        along = axis == "tpr"
        count, remainder = divmod(bound.numerator * self.total(along), bound.denominator)
        group = self.knots_below(along, np.full(self.lost.size, count), "right") - 1
        (level, width), share = self.rows_at(along, group), np.zeros(self.lost.size)
        np.divide(count - level + remainder / bound.denominator, width, out=share, where=width > 0)
        first = self.knots_below(along, level, "left")
        if end == "south-west":
            group = np.where(share == 0.0, first, group)
        elif end == "middle":
            bottom, top = (self.rows_at(not along, knot)[0] for knot in (first, group))
            moved = (share == 0.0) & (top > bottom)
            inner = self.knots_below(not along, (bottom + top) // 2, "right") - 1
            level, width = self.rows_at(not along, inner)
            np.divide((bottom + top) / 2 - level, width, out=share, where=moved)
            group = np.where(moved, inner, group)
        known = np.where(group == self.table.size, 1.0, float(bound))
        across = self._rate(not along, group, share)
        return (group, share, across, known) if along else (group, share, known, across)

    def piece(self, region: Region) -> tuple[tuple[AnyArray, ...], tuple[AnyArray, ...]]:
        """Return the result of `piece` of the region for each curve."""
        if region.scores:
            first, last = region.piece(Curve(self.table))
            return self.knot(first.group), self.knot(last.group)
        first_end, last_end = region.rate_ends
        start = self.at(*first_end)
        return start, start if region.is_point else self.at(*last_end)

    def area(self, start: tuple[AnyArray, ...], end: tuple[AnyArray, ...]) -> FloatArray:
        """Return the result of `Curve.area` for each curve."""
        (i, low, *_), (k, high, *_) = start, end
        same = i == k
        # Complete groups are counted in integers, so that small areas are accurate.
        twice = np.where(
            same, 0, self._twice_area(k) - self._twice_area(np.minimum(i + 1, self.table.size))
        )
        twice = twice + self._part(i, low, np.where(same, high, 1.0))
        twice += np.where(same, 0.0, self._part(k, 0.0, high))
        return np.asarray(twice / (2 * self.total(True) * self.total(False)))

    def _part(self, group: AnyArray, low: Any, high: Any) -> Any:
        """Return twice the area below a part of a group, in pairs."""
        (before, height), (_, width) = self.rows_at(True, group), self.rows_at(False, group)
        return width * (high - low) * (2 * before + (low + high) * height)

    def _twice_area(self, knot: AnyArray) -> AnyArray:
        """Return twice the area up to a knot, in pairs."""
        j, pos, neg = self.lost, self.table.cum_pos, self.table.cum_neg
        of_sample = np.append(0, np.cumsum(self.table.neg * (pos[:-1] + pos[1:])))
        lost_pairs = self.table.neg[j] + 2 * (neg[knot] - neg[j + 1])
        decrease = lost_pairs if self.positive else pos[j] + pos[j + 1]
        return np.asarray(of_sample[knot] - np.where(knot > j, decrease, 0))

    def _rate(self, positive: bool, group: AnyArray, share: FloatArray) -> FloatArray:
        before, inside = self.rows_at(positive, group)
        return np.asarray((before + share * inside) / self.total(positive))


def _values(measure: Measure, without: _LeaveOneOutCurves) -> FloatArray:
    """Return the value of a measure for each curve."""
    requests = measure.requests()
    if requests and all(map(_is_supported, requests)):
        return measure.from_replicates(*(_requested_summary(r, without) for r in requests))
    if isinstance(measure, Combination):  # some of the parts may have requests
        return np.asarray(measure.joined(*(_values(m, without) for m in measure.parts)))
    cells = without.lost + without.table.size * (not without.positive)
    values = np.empty(cells.size)
    with ProgressBar(cells.size, "jackknife", " rows") as progress_bar:
        for i, cell in enumerate(cells):
            values[i] = _value(measure, _curve_without_rows(without.table, [cell]))
            progress_bar.add(1)
    return values


def _value(measure: Measure, curve: Curve) -> float:
    """Return the value of a measure for a curve, NaN if it is undefined."""
    try:
        return measure.on(curve)
    except UndefinedError:
        return np.nan


def _is_supported(request: Request) -> bool:
    """Return whether a summary can be calculated for all curves at once."""
    if request.kind == "piece":
        return bool(request.region.scores) or len(request.region.rate_ends) == 2
    return request.kind in _SUMMARIES


def _requested_summary(request: Request, without: _LeaveOneOutCurves) -> FloatArray:
    """Return the requested summary of each curve, for `Measure.from_replicates`."""
    n_pos = without.total(True)
    result = np.full((without.lost.size, 5), n_pos / (n_pos + without.total(False)))
    if request.kind == "piece":
        start, end = without.piece(request.region)
        result[:, 0] = without.area(start, end)
        result[:, 1:] = np.stack([*start[2:], *end[2:]], axis=1)
    else:
        share = None if np.isnan(request.prevalence) else request.prevalence
        result[:, 0] = _SUMMARIES[request.kind](without, share)
    return result


def _precisions(without: _LeaveOneOutCurves, share: float | None) -> FloatArray:
    """Return the average precision of the positives."""
    by_class = average_precision_without_a_row(without.table, share)
    return by_class[not without.positive][without.lost]


def _precisions_of_negatives(without: _LeaveOneOutCurves, share: float | None) -> FloatArray:
    """Return the average precision of the negatives."""
    swapped = without.table.swapped()
    by_class = average_precision_without_a_row(swapped, None if share is None else 1.0 - share)
    return by_class[without.positive][::-1][without.lost]


def _kappas(without: _LeaveOneOutCurves, share: float | None, *, best: bool = False) -> FloatArray:
    """Return the area below kappa over FPR, or the largest kappa."""
    table, j, lost_neg = without.table, without.lost, not without.positive
    pos, neg, n_pos, n_neg = table.cum_pos, table.cum_neg, without.total(True), without.total(False)
    n = n_pos + n_neg
    shares = (n_pos / n, n_neg / n) if share is None else (share, 1.0 - share)
    # Counts are unchanged at knots up to the group that loses a row, and decrease by one after it.
    unchanged = kappa(np.minimum(neg, n_neg) / n_neg, np.minimum(pos, n_pos) / n_pos, *shares)
    pos, neg = np.maximum(pos - without.positive, 0), np.maximum(neg - lost_neg, 0)
    reduced = kappa(neg / n_neg, pos / n_pos, *shares)
    if best:
        above = np.maximum.accumulate(np.append(-np.inf, unchanged[1:]))
        below = np.maximum.accumulate(reduced[::-1])[::-1]
        return np.asarray(np.maximum(above[j], below[j + 1]))
    above = np.append(0.0, cumulative_sums(table.neg * (unchanged[:-1] + unchanged[1:])))
    below = np.append(cumulative_sums((table.neg * (reduced[:-1] + reduced[1:]))[::-1])[::-1], 0.0)
    within = (table.neg[j] - lost_neg) * (unchanged[j] + reduced[j + 1])
    return np.asarray((above[j] + within + below[j + 1]) / (2 * n_neg))


def _prevalences(without: _LeaveOneOutCurves, share: float | None) -> FloatArray:  # noqa: ARG001
    """Return the prevalence."""
    n_pos, n_neg = without.total(True), without.total(False)
    return np.full(without.lost.size, n_pos / (n_pos + n_neg))


_SUMMARIES: dict[str, Callable[[_LeaveOneOutCurves, float | None], FloatArray]] = {
    "ap": _precisions,
    "ap of negatives": _precisions_of_negatives,
    "auk": _kappas,
    "max kappa": partial(_kappas, best=True),
    "prevalence": _prevalences,
}
"""Summaries that are calculated for all curves at once, by the kind of the request."""


def _units_left_out(rows: Rows) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the unit of each row, the amount of it that is left out, and the copies of each unit.

    A unit is a cluster, or a row; of a row with a frequency, a single copy is left out. The amount
    is a mass or, with estimated weights, a number of copies.
    """
    cluster: AnyArray = np.arange(rows.positive.size) if rows.cluster is None else rows.cluster
    estimated = rows.weight_map is not None
    copies = rows.unit_copies if estimated else rows.frequency
    frequency = np.ones(cluster.size, np.int64) if copies is None else copies
    weight = np.ones_like(frequency) if rows.weight is None or estimated else rows.weight
    counted = (np.bincount(cluster, weight * frequency) > 0).astype(np.int64)
    if rows.cluster is not None or rows.weight is None:
        return cluster, weight * frequency, counted
    return cluster, weight, counted * frequency


def _by_cluster_or_weighted_row(
    rows: Rows, terms: Sequence[tuple[Ratings, Measure]], *, by_class: bool
) -> list[tuple[JackknifeResult, FloatArray]]:
    """Return the jackknife of clusters, or of rows with weights, and z by cluster or row.

    A cluster is left out with all copies of its rows, and a single copy of a row without clusters.
    Weights that are estimated from all rows are estimated again from the others, and the mean is
    that of all rows, because rows of the other class and rows without weight affect them.
    """
    by_row, estimated = rows.cluster is None, rows.weight_map is not None
    cluster, removed, counted = _units_left_out(rows)
    unit = "row" if by_row else "cluster"
    order = np.argsort(cluster, kind="stable")
    members = np.split(order, np.searchsorted(cluster[order], np.arange(1, counted.size)))
    left = np.full((len(terms), counted.size), np.nan)
    columns = []
    for ratings in {id(r): r for r, _ in terms}.values():
        table = ratings.table
        _check(table, rows.units, unit, weighted=rows.weight is not None)
        cells = ratings.codes + table.size * ~rows.positive
        measures = [(i, as_designed(m, table)) for i, (r, m) in enumerate(terms) if r is ratings]
        columns.append((table, cells, measures))
    groups = np.flatnonzero(counted)
    if estimated and groups.size > _MOST_ESTIMATIONS:
        raise InputError(
            f"the jackknife estimates the weights again without each of {groups.size:,} {unit}s, "
            f"and accepts at most {_MOST_ESTIMATIONS:,}.",
            hint="Use variance='influence' or variance=pauci.Bootstrap().",
        )
    copies = np.ones(cluster.size, np.int64) if rows.frequency is None else rows.frequency
    with ProgressBar(groups.size, "jackknife", f" {unit}s") as progress_bar:
        for g in groups:
            at = members[g]
            if estimated:
                others = copies.copy()
                others[at] -= removed[at]
                mass = rows.reweighted(others)
            for table, cells, measures in columns:
                if estimated:
                    sums = np.bincount(cells, mass, 2 * table.size).reshape(2, -1)
                    curve = _curve_of(table, *_cumulative(sums))
                else:
                    curve = _curve_without_rows(table, cells[at], removed[at])
                for i, measure in measures:
                    left[i, g] = _value(measure, curve)
            progress_bar.add(1)
    by_class &= not estimated
    # Rows are in the order of their classes, as in `_jackknife_result`.
    classes = [rows.positive, ~rows.positive] if by_row else [counted >= 0]
    at = np.concatenate([np.flatnonzero(c) for c in classes])
    counts, results = [counted[c] for c in classes], []
    for (ratings, measure), values in zip(terms, left, strict=True):
        without = [values[c] for c in classes]
        estimate, by_unit = _jackknife_result(
            ratings.curve, measure, without, counts, by_class=by_class
        )
        z = np.empty_like(by_unit)
        z[at] = by_unit
        results.append((estimate, z))
    return results


def _jackknife_result(
    curve: Curve,
    measure: Measure,
    left: Sequence[FloatArray],
    counts: Sequence[AnyArray],
    *,
    by_class: bool = True,
) -> tuple[JackknifeResult, FloatArray]:
    """Return the jackknife and z, from the values without a row of each class or a cluster."""
    value = measure.on(curve)
    by_row, k, v = len(counts) == 2, np.hstack(counts), np.hstack(left)
    undefined = int(k[np.isnan(v)].sum())
    if undefined:
        raise UndefinedError(
            (
                "the jackknife of ",
                measure,
                f" is undefined here: without one of {undefined} of the {k.sum()} "
                f"{'rows' if by_row else 'clusters'} the measure is undefined.",
            )
        )
    by_class &= curve.table.fixed_prevalence or not measure.uses_sample_prevalence
    shift = np.where(k > 0, v - value, 0.0)
    part = np.where(np.arange(k.size) < counts[0].size, 0, int(by_row and by_class))
    sizes, sums = np.bincount(part, k), np.bincount(part, k * shift)
    bias = float(((sizes - 1.0) * (sums / sizes)).sum())
    n, mean = sizes[part], (sums / sizes)[part]
    z = np.where(k > 0, np.sqrt((n - 1.0) / n) * (shift - mean), 0.0)
    both = float(sizes[0]), float(sizes[-1])
    return JackknifeResult(value, bias, both, by_row and by_class), z


def _curve_without_rows(table: CountTable, cells: Any, copies: AnyArray | None = None) -> Curve:
    """Return the curve without some rows, given by their tie group (plus K for negatives)."""
    removed = np.bincount(cells, copies, 2 * table.size).reshape(2, -1)
    if table.exact:
        pos, neg = _cumulative(removed).astype(int)
        return _curve_of(table, table.cum_pos - pos, table.cum_neg - neg)
    kept = np.array([table.pos, table.neg]) - removed
    kept[kept < 1e-14 * (table.total_pos + table.total_neg)] = 0.0  # rounding errors
    return _curve_of(table, *_cumulative(kept))


def _cumulative(sums: AnyArray) -> AnyArray:
    """Return cumulative sums over the tie groups, from 0 on, of both classes."""
    return np.pad(np.cumsum(sums, axis=1), ((0, 0), (1, 0)))


def _curve_of(table: CountTable, cum_pos: AnyArray, cum_neg: AnyArray) -> Curve:
    """Return the curve of a table with other cumulative sums."""
    other = CountTable(
        table.scores,
        cum_pos,
        cum_neg,
        table.rows_pos,
        table.rows_neg,
        table.categories,
        table.fixed_prevalence,
        table.lower_is_positive,
        table.score_type,
    )
    return Curve(other)


def _check(
    table: CountTable, units: tuple[float, float], unit: str, *, weighted: bool = False
) -> None:
    if not (table.exact or weighted):
        raise InputError(
            "the jackknife leaves out rows one at a time, but this table has sampling weights or "
            "fractional counts without rows.",
            hint="Use variance='influence' or variance=pauci.Bootstrap().",
        )
    n, label = min(zip(units, ("positive", "negative"), strict=True))
    if n < 2:
        raise UndefinedError(too_few_units(n, label, "the jackknife", clusters=unit == "cluster"))


@validate_constructor
@dataclass(frozen=True)
class Jackknife(VarianceMethod):
    """Standard errors and biases from leaving out rows, as ``variance=`` of `estimate`.

    Each row, or each cluster if there are any, is left out once. Sampling weights of the other rows
    do not change; weights for censoring and verification are estimated again, for at most 5,000
    rows or clusters. The estimate of the bias is ``Estimate.bias``; the value is not corrected for
    it, except that of ``AP(corrected=True)``, whose standard error is that of the uncorrected
    value. The computing time depends only on the number of tie groups, except for user-defined
    functions, clusters and weights.

    Parameters
    ----------
    by_class : bool, default True
        Whether rows are left out within their class, if the sample is a case-control sample or the
        measure does not depend on the prevalence: deviations are from the mean of the class, with
        its number n of rows in the factor (n - 1)/n. This is the jackknife of ``"jackknife"`` in
        `estimate` and `compare`, whose variance of the AUC is that of DeLong. With
        ``by_class=False`` the mean and the number are those of all rows, as in the jackknife of
        cases of Obuchowski and Rockette (1995) and the software for reader studies: that of
        ``"jackknife"`` in `mrmc`. Clusters, and rows with estimated weights, are left out among
        all clusters or rows in either case.

    Notes
    -----
    See `pauci.variance.leave_one_out` for the formulas. The jackknife is not consistent for
    measures that depend on the position of a single point. On continuous scores, the standard
    errors of `PAUCc` on an FPR region, `Sensitivity` or `MaxKappa` can be far off, and a warning is
    issued. Partial areas with known ends, the AUC, average precision and all measures on rating
    scales are sufficiently smooth.

    References
    ----------
    B. Efron and C. Stein (1981), Annals of Statistics 9:586-596. N. A. Obuchowski and H. E.
    Rockette (1995), Communications in Statistics - Simulation and Computation 24:285-308.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> e = pauci.estimate(sample, pauci.AP(), variance=pauci.Jackknife())
    >>> round(e.value, 3), round(e.se, 3)
    (0.867, 0.045)
    """

    key: ClassVar[str] = "jackknife"
    estimates_weights: ClassVar[bool] = True

    by_class: bool = True

    def __post_init__(self) -> None:
        check_flag("by_class", self.by_class)

    @property
    def phrase(self) -> str:
        """The name of the method in sentences and tables."""
        return self.key if self.by_class else "jackknife over both classes"

    def contributions(self, problem: Problem, units: IntArray | None) -> Contributions:
        """Return the effect of leaving out each row, or each unit with several rows.

        A unit with several rows is left out as a whole; its effect is assigned to its first row.
        The effects have the sign of the influence values.
        """
        if isinstance(problem.rows, ClassRows):
            return _contributions_of_classes(problem, problem.rows, units, by_class=self.by_class)
        terms = self._checked(problem)
        rows = replace(problem.rows, cluster=None, cluster_labels=None)
        if units is not None:
            cluster = np.unique(units, return_inverse=True)[1].reshape(-1)
            rows = replace(rows, cluster=cluster).without_single_clusters()
        found = jackknife_by_unit(rows, terms, by_class=self.by_class)
        z = np.array([effects for _, effects in found])
        sizes = np.array([result.sizes for result, _ in found])
        if rows.cluster is not None:
            copies = np.ones(rows.positive.size) if rows.unit_copies is None else rows.unit_copies
            counted = np.flatnonzero(copies)
            clusters, first = np.unique(rows.cluster[counted], return_index=True)
            by_row = np.zeros((len(z), rows.positive.size))
            by_row[:, counted[first]] = z[:, clusters] / copies[counted[first]]
            z = by_row
        by_class = np.array([result.by_class for result, _ in found])[:, None]
        n = np.where(rows.positive, sizes[:, :1], sizes[:, 1:])
        # The estimate falls if a row with positive influence is left out.
        z *= -np.sqrt((n - 1.0) / n)
        bias = _remaining_biases(problem, [result for result, _ in found])
        return Contributions(np.where(by_class, z, 0.0), np.where(by_class, 0.0, z), bias=bias)

    @staticmethod
    def _checked(problem: Problem) -> list[tuple[Ratings, Measure]]:
        """Return the ratings and uncorrected measures, with warnings if one is not smooth."""
        terms = [(r, m.estimand) for r, m in zip(problem.ratings, problem.measures, strict=True)]
        for ratings, measure in terms:
            warn_unless_consistent(ratings.table, measure, problem.argument)
        return terms


def _contributions_of_classes(
    problem: Problem, rows: ClassRows, units: IntArray | None, *, by_class: bool
) -> Contributions:
    """Return the effects of leaving out rows or units of several classes, and the biases."""
    rows.check_strata(rows.numbers)
    copies = np.ones(rows.class_of.size)
    if rows.unit_copies is not None:
        copies = rows.unit_copies.astype(np.float64)
    unit = np.arange(copies.size)
    if units is not None:
        unit = np.unique(units, return_inverse=True)[1].reshape(-1)
    counted = np.flatnonzero(copies)
    of_unit, at = np.unique(unit[counted], return_index=True)
    first = counted[at]  # to which the effect of a unit is assigned
    number = copies[first] if units is None else np.ones(first.size)
    z, biases = np.zeros((len(problem), copies.size)), np.zeros(len(problem))
    for i, (ratings, measure, value) in enumerate(
        zip(problem.ratings, problem.measures, problem.values, strict=True)
    ):
        assert isinstance(ratings, ClassRatings)
        assert isinstance(measure, OfAllClasses)
        if units is None and not rows.has_estimated_weights:
            left = measure.without_each_row(ratings)[first]
        else:
            left = np.empty(first.size)
            removed = 1.0 if units is None else copies
            with ProgressBar(first.size, "jackknife", " units") as progress_bar:
                for j, g in enumerate(of_unit):
                    times = (copies - removed * (unit == g)).astype(np.int64)
                    if rows.has_estimated_weights:
                        times = rows.reweighted(times)
                    left[j] = measure.on(ratings.resampled(times))
                    progress_bar.add(1)
        part = rows.class_of[first] * (by_class and units is None and not rows.one_stratum)
        sizes, sums = np.bincount(part, number), np.bincount(part, number * (left - value))
        means = sums / np.maximum(sizes, 1.0)
        biases[i] = ((sizes - 1.0) * means).sum()
        n = sizes[part]
        z[i, first] = np.sqrt((n - 1.0) / n) * (means[part] - (left - value))
        z[i, first] *= number / copies[first]
    return Contributions(z, corrected=False, bias=biases)


def _remaining_biases(problem: Problem, results: Sequence[JackknifeResult]) -> FloatArray:
    """Return the biases of the values, which are smaller than estimated by the correction."""
    corrections = [
        0.0 if measure == measure.estimand else result.value - value
        for measure, value, result in zip(problem.measures, problem.values, results, strict=True)
    ]
    return np.array([result.bias for result in results]) - corrections


def depends_on_a_point(measure: Measure) -> bool | None:
    """Return whether a value depends on the position of a point, such as an estimated end.

    None if it is unknown, as for a function of labels and scores.
    """
    if isinstance(measure, Statistic):
        return None
    if isinstance(measure, Combination):
        found = list(map(depends_on_a_point, measure.parts))
        return None if None in found else any(found)
    estimated = any(region.has_estimated_end for region in measure.regions)
    return measure.region.is_chosen or (estimated and not measure.known_ends)


def warn_unless_consistent(table: CountTable, measure: Measure, argument: str) -> None:
    """Warn if the jackknife may not be consistent; `argument` is that of the variance method."""
    of_point = depends_on_a_point(measure)
    if of_point is None:
        warn(
            JackknifeWarning(
                (
                    "the jackknife is valid for smooth functions of the data, and it is unknown "
                    "whether ",
                    measure,
                    " is one: its standard error and bias can be far off.",
                ),
                hint=f"Use {argument}=pauci.Bootstrap().",
            )
        )
    rough = table.size * _ROWS_PER_GROUP > table.rows_pos + table.rows_neg
    if rough and of_point:
        warn(
            JackknifeWarning(
                (
                    measure,
                    " depends on the position of a single point of the curve, and on continuous "
                    "scores the jackknife is not consistent for it: its standard error can be far "
                    "off.",
                ),
                hint=f"Use {argument}='influence' or {argument}=pauci.Bootstrap().",
            )
        )
