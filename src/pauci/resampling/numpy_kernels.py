"""Requests of the bootstrap, their formulas, and the kernels by NumPy for many replicates at once.

A request states what is calculated for each bootstrap sample. The formulas are those of arrays as
well as of numbers in compiled loops: there are p of n rows of a class above a threshold, and q of
the other rows. The curves of a batch of replicates are matrices of the counts of both classes
before each tie group, with a row for each replicate.
"""

from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.region import WHOLE, Region
from pauci.resampling.draws import Pair, RowLayout, draws_in_batches

OUTPUTS = 5
"""Number of outputs of a request. For a piece: area, FPR and TPR of its start, FPR and TPR of its
end. For a number: the number, and the prevalence of the replicate."""

KINDS = (
    "piece",
    "ap",
    "ap of negatives",
    "corrected ap",
    "corrected ap of negatives",
    "auk",
    "max kappa",
    "prevalence",
)
"""A piece of a resampled curve, and the functions of the curve and a prevalence."""

PIECE, AP, AP_OF_NEGATIVES, CORRECTED_AP = range(4)

CORRECTED_AP_OF_NEGATIVES, AUK, MAX_KAPPA, PREVALENCE = range(4, 8)

NORTH_EAST, SOUTH_WEST, KNOT = 0, 2, 3

_AXES = ("fpr", "tpr")

_RULES = ("north-east", "middle", "south-west", "knot")


def request(
    kind: str, classifier: int = 0, region: Region | tuple[int, int] = WHOLE
) -> tuple[int, ...]:
    """Return a request for one classifier in each replicate, as a row of integers.

    The kind is that of a `pauci.measures.base.Request`. A pair instead of a region is a range of
    tie groups: the first group, and the first group after the range.
    """
    code = KINDS.index(kind)
    if isinstance(region, tuple):
        knots = [number for k in region for number in (k, 1, KNOT)]
        return (code, classifier, 0, *knots)
    row = [code, classifier, _AXES.index(region.rate_ends[0].axis)]
    for _, rate, rule in region.rate_ends:
        row += [*rate.as_integer_ratio(), _RULES.index(rule)]
    return tuple(row)


_SMALLEST = 1e-300  # added to a sum of counts so that it is not 0, without effect on other sums


def precision(p: Any, q: Any, odds: Any) -> Any:
    """Return the precision if each of the other rows counts as `odds` rows."""
    return p / (p + (odds * q + _SMALLEST))


def bias_of_one_sample(p: Any, q: Any, n: Any) -> Any:
    """Return the sum of the changes of the precision over all rows, left out as one sample."""
    return (n - p) * q / ((p + q) * (p + q - 1.0))


def bias_of_two_samples(p: Any, q: Any, n: Any, against: Any, odds: Any) -> Any:
    """Return the same sum if the rows of each class are left out as a sample of their own.

    The prevalence is given, so that each of the `against` other rows counts as `odds` * n rows.
    """
    of_all, of_fewer, of_more = odds * n, odds * (n - 1), odds * n * against / (against - 1)
    of_class = (n - 1) * (n - p) * (odds * q) ** 2
    of_class = of_class / ((p + of_fewer * q) * (p - 1.0 + of_fewer * q))
    of_others = of_all * of_more * (against - q) / against * q * p
    of_others = of_others / ((p + of_more * q) * (p + of_more * (q - 1.0)))
    return (of_class + of_others) / (p + of_all * q)


def kappa(p: Any, q: Any, n1: Any, n0: Any, share: Any) -> Any:
    """Return Cohen's kappa of p of n1 positives and q of n0 negatives at a prevalence."""
    scale, slope = 2.0 * share * (1.0 - share) / n1 / n0, 1.0 - 2.0 * share
    by_pos, by_neg = slope * share / n1, slope * (1.0 - share) / n0
    return scale * (p * n0 - q * n1) / (share + by_pos * p + by_neg * q)


def area_of_part(width: Any, before: Any, after: Any, low: Any, high: Any) -> Any:
    """Return twice the area, in pairs, below a part of a tie group of `width` negatives."""
    return width * (high - low) * (2 * before + (low + high) * (after - before))


Place = tuple[IntArray, FloatArray]

_BATCH = 2**16
"""Number of tie groups or units of the replicates that are handled at once (512 kB per matrix)."""


def trouble() -> None:
    """Return None: nothing is compiled."""


class _ClassCounts:
    """The cumulative counts of a class, of shape (R, K + 1), from 0 to the total."""

    def __init__(self, sums: IntArray) -> None:
        self.sums = sums
        self.last = sums.shape[1] - 1
        self.total = sums[:, -1]
        self._rows = np.arange(len(sums))

    @cached_property
    def counts(self) -> AnyArray:
        """The counts by tie group."""
        return np.diff(self.sums)

    def before(self, group: AnyArray) -> AnyArray:
        """Return the count in the groups before this one of each replicate."""
        return np.asarray(self.sums[self._rows, group])

    def after(self, group: AnyArray) -> AnyArray:
        """Return the count in the groups up to this one; for the end of the curve, the total."""
        return np.asarray(self.sums[self._rows, np.minimum(group + 1, self.last)])

    @cached_property
    def _ascending(self) -> tuple[AnyArray, AnyArray]:
        """All counts as one ascending array, and the number that is added in each replicate."""
        added = self._rows * np.int64(self.total.max() + 1)
        return (self.sums + added[:, None]).ravel(), added

    def past(self, level: AnyArray) -> AnyArray:
        """Return the first group at whose end the count exceeds a level that is not negative."""
        return self._position(level, "right") - 1

    def _position(self, level: AnyArray, side: Any) -> AnyArray:
        counts, added = self._ascending
        places = np.searchsorted(counts, level + added, side)
        return np.asarray(places - self._rows * (self.last + 1))


class _ResampledCurves:
    """The curves of one classifier in a batch of replicates."""

    def __init__(self, pos: IntArray, neg: IntArray) -> None:
        self.pos, self.neg = _ClassCounts(pos), _ClassCounts(neg)

    @cached_property
    def _twice(self) -> AnyArray:
        """Twice the area, in pairs, before each tie group."""
        return cumulative(self.neg.counts * (self.pos.sums[:, 1:] + self.pos.sums[:, :-1]))

    def _part(self, group: AnyArray, low: Any, high: Any) -> AnyArray:
        """Return twice the area, in pairs, below a part of a tie group of each replicate."""
        width = self.neg.after(group) - self.neg.before(group)
        before, after = self.pos.before(group), self.pos.after(group)
        return np.asarray(area_of_part(width, before, after, low, high))

    def twice_area(self, start: Place, end: Place) -> AnyArray:
        """Return twice the area of a piece, in pairs; whole groups are summed in integers."""
        first = start[0] + (start[1] > 0.0)
        rows = np.arange(len(first))
        twice = (self._twice[rows, end[0]] - self._twice[rows, first]).astype(float)
        twice += np.where(start[1] > 0.0, self._part(start[0], start[1], 1.0), 0.0)
        twice += np.where(end[1] > 0.0, self._part(end[0], 0.0, end[1]), 0.0)
        within = np.where(end[1] > start[1], self._part(start[0], start[1], end[1]), 0.0)
        return np.where(start[0] == end[0], within, twice)


def cumulative(counts: AnyArray) -> AnyArray:
    """Return the cumulative sums of rows, from 0 on."""
    sums = np.zeros((counts.shape[0], counts.shape[1] + 1), np.int64)
    np.cumsum(counts, axis=1, out=sums[:, 1:])
    return sums


def _place(along: _ClassCounts, across: _ClassCounts, num: int, den: int, rule: int) -> Place:
    """Return the numbers of groups before a bound and the shares of the next, as `Curve.at`."""
    size = len(along.total)
    if rule == KNOT:
        return np.full(size, num), np.zeros(size)
    whole, rest = np.divmod(num * along.total, den)
    group = along.past(whole)
    before = along.before(group)
    share = np.zeros(size)
    np.divide(
        whole - before + rest / den, along.after(group) - before, share, where=group < along.last
    )
    if rule == NORTH_EAST:
        return group, share
    at_end = share == 0.0  # of a group, beyond which there may be groups of the other class alone
    first = along._position(before, "left")
    both = across.before(first) + across.before(group)
    if rule == SOUTH_WEST:
        return np.where(at_end, first, group), share
    halfway = at_end & (both > 2 * across.before(first))
    middle = across.past(both // 2)
    before = across.before(middle)
    np.divide(both / 2 - before, across.after(middle) - before, share, where=halfway)
    return np.where(halfway, middle, group), share


def _piece(curves: _ResampledCurves, request: Any, out: FloatArray) -> None:
    """Write the areas of a piece and the coordinates of both ends to the output."""
    by_fpr = request[2] == 0
    sides = curves.neg, curves.pos
    along, across = sides if by_fpr else sides[::-1]
    places = [_place(along, across, *request[k : k + 3]) for k in (3, 6)]
    out[:, 0] = curves.twice_area(*places) / (2 * curves.pos.total * curves.neg.total)
    for k, (group, share) in enumerate(places):
        num, den, rule = request[3 + 3 * k : 6 + 3 * k]
        bound = along.before(group) / along.total if rule == KNOT else num / den
        before = across.before(group)
        rate = (before + share * (across.after(group) - before)) / across.total
        inside = group < across.last
        bound, rate = np.where(inside, bound, 1.0), np.where(inside, rate, 1.0)
        out[:, 1 + 2 * k], out[:, 2 + 2 * k] = (bound, rate) if by_fpr else (rate, bound)


def _predicted(side: _ClassCounts, other: _ClassCounts, *, up: bool) -> tuple[AnyArray, AnyArray]:
    """Return the counts from each group up to the best or, if `up`, to the worst score."""
    if up:
        true, false = (s.total[:, None] - s.sums[:, :-1] for s in (side, other))
        return true, false
    return side.sums[:, 1:], other.sums[:, 1:]


def _precision(side: _ClassCounts, other: _ClassCounts, share: float, *, up: bool) -> AnyArray:
    """Return the average precision of a class at a prevalence, the replicate's own if NaN."""
    odds = np.ones(len(side.total))
    if not np.isnan(share):
        odds = (1.0 - share) / share * side.total / other.total
    terms = side.counts * precision(*_predicted(side, other, up=up), odds[:, None])
    return np.asarray(terms.sum(axis=1) / side.total)


def _bias_of_precision(
    side: _ClassCounts, other: _ClassCounts, share: float, *, up: bool
) -> AnyArray:
    """Return the jackknife estimate of the bias of the average precision of a class."""
    n, against = side.total, other.total
    p, q = (counts.astype(float) for counts in _predicted(side, other, up=up))
    if np.isnan(share):
        terms = bias_of_one_sample(p, q, n[:, None])
        scale = (n + against - 1) / (n + against) / n / (n - 1)
    else:
        odds = (1.0 - share) / share / against[:, None]
        terms = bias_of_two_samples(p, q, n[:, None], against[:, None], odds)
        scale = 1 / n
    terms = np.where((side.counts > 0) & (q > 0.0), side.counts * terms, 0.0)
    return np.where(np.minimum(n, against) < 2, np.nan, terms.sum(axis=1) * scale)


def _numbers(kind: int, curves: _ResampledCurves, share: float) -> AnyArray:
    """Return a number of each replicate at a prevalence, the replicate's own if NaN."""
    pos, neg = curves.pos, curves.neg
    if kind == PREVALENCE:
        return np.asarray(pos.total / (pos.total + neg.total))
    if kind in (AUK, MAX_KAPPA):
        n1, n0 = pos.total[:, None], neg.total[:, None]
        prevalence = n1 / (n1 + n0) if np.isnan(share) else share
        kappas = np.asarray(kappa(pos.sums, neg.sums, n1, n0, prevalence))
        if kind == MAX_KAPPA:
            return np.asarray(kappas.max(axis=1))
        area = (neg.counts * (kappas[:, 1:] + kappas[:, :-1])).sum(axis=1)
        return np.asarray(area / (2 * neg.total))
    up = kind in (AP_OF_NEGATIVES, CORRECTED_AP_OF_NEGATIVES)
    side, other, share = (neg, pos, 1.0 - share) if up else (pos, neg, share)
    value = _precision(side, other, share, up=up)
    if kind in (AP, AP_OF_NEGATIVES):
        return value
    bias = _bias_of_precision(side, other, share, up=up)
    return np.asarray(np.clip(value - bias, 0.0, 1.0))


def _answer(c: int, curves: _ResampledCurves, requested: Pair, out: FloatArray) -> None:
    """Evaluate the requests for one classifier in a batch of replicates."""
    for q, (row, share) in enumerate(zip(*(a.tolist() for a in requested), strict=True)):
        if row[1] != c:
            continue
        if row[0] == PIECE:
            _piece(curves, row, out[:, q])
        else:
            out[:, q, 0] = _numbers(row[0], curves, share)
            out[:, q, 1] = _numbers(PREVALENCE, curves, share)
        out[np.minimum(curves.pos.total, curves.neg.total) == 0, q] = np.nan


def run(
    states: AnyArray,
    sizes: AnyArray,
    layout: RowLayout,
    requests: Pair,
    counts: Pair,
    out: AnyArray,
) -> None:
    """Draw replicates, or use given counts, and evaluate requests; or only count replicates."""
    groups = layout.groups.tolist()
    with np.errstate(divide="ignore", invalid="ignore"):  # in replicates without a class
        if len(out) and len(counts[0]):
            step = max(1, _BATCH // max(groups))
            for first in range(0, len(out), step):
                part = slice(first, first + step)
                for c, k in enumerate(groups):
                    curves = _ResampledCurves(*(cumulative(each[part, c, :k]) for each in counts))
                    _answer(c, curves, requests, out[part])
            return
        # The rows of each class, ranked by each classifier, with indices of NumPy's type
        by_class = list(zip(layout.order, layout.ends, layout.consecutive, strict=True))
        rankings: list[list[Any]] = [[] for _ in groups]
        for (c, k), (order, ends, in_order) in product(enumerate(groups), by_class):
            indices = order[c].astype(np.intp), ends[c, : k + 1].astype(np.intp)
            rankings[c].append((*indices, bool(in_order[c])))
        bases = layout.units if layout.units[1] > 0 else layout.units[:1]
        for part, drawn in draws_in_batches(states, sizes[: bases.size], bases, _BATCH):
            classes = np.split(drawn, [bases[0]], axis=1) if bases.size > 1 else [drawn, drawn]
            for c, k in enumerate(groups):
                # The curves of replicates from how often the units of each class are drawn.
                sides = []
                for (order, ends, in_order), times in zip(rankings[c], classes, strict=True):
                    ranked = times if in_order else times.take(order, axis=1)
                    sides.append(cumulative(ranked).take(ends, axis=1))
                curves = _ResampledCurves(*sides)
                if len(out):
                    _answer(c, curves, requests, out[part])
                    continue
                for each, side in zip(counts, (curves.pos, curves.neg), strict=True):
                    each[part, c, :k] = side.counts
