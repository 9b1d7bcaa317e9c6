"""Permutation tests of two classifiers on the same rows, and of one classifier against chance.

Swapping ranks or permuting labels moves counts between tie groups, so that no scores are sorted
again.
"""

import contextlib
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from pauci import checks, special
from pauci.calls import validate_call, validated_dataclass
from pauci.cautions.about_estimates import warn_about_cutoffs
from pauci.checks import AnyArray, BoolArray, FloatArray, Function, IntArray, Seed
from pauci.curve.counts import look_up_codes, tabulate
from pauci.curve.polyline import Curve
from pauci.curve.region import CutoffRegion
from pauci.errors import InputError, InputTypeError, UndefinedError
from pauci.inference.arguments import hint_about_rates, measures_of
from pauci.inference.compare import names_of_pair
from pauci.intervals.analytic import Alternative, Kind
from pauci.intervals.resampled import MAX_UNDEFINED
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import Combination, Measure
from pauci.progress import Progress
from pauci.resampling.bootstrap import Bootstrap, check_size
from pauci.resampling.draws import Counts, Pool, ReplicateBlock
from pauci.resampling.evaluate import Engine, run
from pauci.results.facts import Fact, scaled
from pauci.results.presented import Presented
from pauci.results.quantity import PlainRow, within_one
from pauci.sample.columns import Scores
from pauci.sample.ratings import Ratings
from pauci.sample.rows import NONE_EXCLUDED, DataSizes, ExcludedRows, Rows
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.tables.json_document import Content


_LARGEST_LIST, _ROWS_PER_GROUP = 10**7, 20


def _mid_ranks(ratings: Ratings, measure: Measure) -> FloatArray:
    """Return the mid-rank of each row."""
    table = ratings.table
    before = (table.cum_pos + table.cum_neg)[-1] - table.cum_pos - table.cum_neg
    # Multiples of 1/2 are exact floating point numbers, so ties of mid-ranks remain ties.
    ranks: FloatArray = ((before[1:] + before[:-1] + 1) / 2)[ratings.codes]
    with_ranks = Ratings(ratings.name, Scores(ranks), ratings.rows)
    by_ranks, by_scores = (measure.on(r.curve) for r in (with_ranks, ratings))
    if not math.isclose(by_ranks, by_scores, rel_tol=1e-9, abs_tol=1e-9):
        change = f"{measure!r} changes if ranks replace scores; use pauci.compare."
        raise InputError(f"the permutation test exchanges ranks, but {change}")
    return ranks


def _with_common_groups(columns: list[Ratings], scores: list[FloatArray]) -> list[Ratings]:
    """Return both columns with other scores, and with tie groups of both together."""
    rows = columns[0].rows
    doubled = None if rows.frequency is None else np.tile(rows.frequency, 2)
    positive, values = np.tile(rows.positive, 2), np.concatenate(scores)
    table, _ = tabulate(values, positive, doubled, rows.counts, want_codes=False)
    table.set_fields(fixed_prevalence=rows.design == "case-control")
    curve = Curve(table)
    codes = [look_up_codes(curve.table, s) for s in scores]
    return [
        Ratings.from_curve(ratings.name, rows, curve, code)
        for ratings, code in zip(columns, codes, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Arrangements(Pool):
    """A pool of permutations of the data, which are enumerated if there are at most `most`."""

    most: int = 0

    @property
    def cells(self) -> AnyArray:
        """Number of rows in each cell; the engine calls `tables` because this is not None."""
        rows = self.base[0]
        return np.ones(rows.positive.size, np.int64) if rows.frequency is None else rows.frequency

    @cached_property
    def _units(self) -> tuple[IntArray, int]:
        """The unit (row or cluster) with which each row is swapped, and the number of units.

        Units whose ranks by both classifiers are equal are not counted.
        """
        rows, codes = self.base
        unit = np.arange(rows.positive.size) if rows.cluster is None else rows.cluster
        changed = np.unique(unit[codes[0] != codes[1]])
        return np.minimum(np.searchsorted(changed, unit), max(changed.size - 1, 0)), changed.size

    @cached_property
    def listing(self) -> tuple[AnyArray, FloatArray | None] | None:
        """All swaps, or all counts of positives by tie group and their probabilities, or None."""
        if len(self.columns) == 1:
            table = self.columns[0].table
            return enumerated_tables(table.pos + table.neg, self.rows.counts[0], self.most)
        units = self._units[1]
        if 2**units > self.most or units * 2**units > _LARGEST_LIST:
            return None
        bits = np.arange(2**units)[:, None] >> np.arange(max(units, 1)) & 1
        return bits == 1, None

    def multinomial(self, block: ReplicateBlock) -> Counts:
        """Return the counts of a block by classifier and tie group."""
        size, first = block.sizes[0].size, block.number * self.block
        listing = None if self.listing is None else self.listing[0][first : first + size]
        if len(self.columns) == 2:
            shape = size, self._units[1]
            swaps = block.rng.integers(0, 2, shape, np.bool_) if listing is None else listing
            return self._swapped(swaps)
        table, n_pos = self.columns[0].table, self.rows.counts[0]
        totals = np.asarray(table.pos + table.neg)
        if listing is None:
            # Drawing row by row ("count") is faster if the groups are small.
            method: Any = "count" if totals.sum() <= _ROWS_PER_GROUP * totals.size else "marginals"
            listing = block.rng.multivariate_hypergeometric(totals, n_pos, size, method)
        return listing[:, None], (totals - listing)[:, None]

    def _swapped(self, swapped: AnyArray) -> Counts:
        (a, b), k = self.base[1], self.groups[0]
        first = np.where(swapped.take(self._units[0], axis=1), b, a)
        first = first + np.arange(len(swapped))[:, None] * k
        parts, n_pos = [], self.classes[0]
        for part in (slice(None, n_pos), slice(n_pos, None)):
            counts = np.bincount(first[:, part].ravel(), minlength=len(swapped) * k).reshape(-1, k)
            sums = np.bincount(a[part], minlength=k) + np.bincount(b[part], minlength=k)
            parts.append(np.stack((counts, sums - counts), axis=1))
        return parts[0], parts[1]

    def tables(self, drawn: Counts) -> Counts:
        """Return the counts, which are by classifier and tie group already."""
        return drawn


def enumerated_tables(
    totals: IntArray, n_pos: int, most: int
) -> tuple[AnyArray, FloatArray | None] | None:
    """Return all distributions of positives over tie groups; None if there are too many."""
    left, after = np.array([n_pos]), totals[::-1].cumsum()[::-1] - totals
    weight, steps, stored = np.zeros(1), [], 0
    for total, rest in zip(totals, after, strict=True):
        low, high = np.maximum(left - rest, 0), np.minimum(left, total)
        ways = (high - low + 1).astype(np.intp)
        stored += int(ways.sum())
        if ways.sum() > most or stored > _LARGEST_LIST:
            return None
        parent = np.repeat(np.arange(left.size), ways)
        taken = low[parent] + np.arange(parent.size) - (np.cumsum(ways) - ways)[parent]
        weight = weight[parent] - special.gammaln(taken + 1) - special.gammaln(total - taken + 1)
        left = left[parent] - taken
        steps.append((parent, taken))
    # Each arrangement is reconstructed from its parents, from the last group to the first.
    arrangements, position = np.empty((left.size, totals.size), np.int64), np.arange(left.size)
    for k, (parent, taken) in reversed(list(enumerate(steps))):
        arrangements[:, k], position = taken[position], parent[position]
    probabilities = np.exp(weight - weight.max())
    return arrangements, probabilities / probabilities.sum()


_MAX_ENUMERATED = 20_000
"""Largest number of arrangements that are enumerated by default."""

_MAX_SWAPPED, _MAX_PERMUTED = 10**6, 10**9 - 1
"""Largest numbers of rows in a test of two classifiers and of one."""

_ROUNDING = 1e-12
"""Relative difference below which statistics are treated as tied."""


@validated_dataclass
class PermutationTest(Presented[Kind]):
    """Result of `permutation_test`.

    Attributes
    ----------
    names, values : tuples of str and of float
        The two classifiers of a paired test, or the single classifier, and the measure of each.
    pvalue, error_of_pvalue : float
        p-value, and its Monte Carlo standard error (0 if exact).
    distribution, probabilities : ndarrays of shape (B,)
        The statistic on arrangements for which it is defined, and the probabilities of these
        arrangements (None if they are equal).
    exact, seed : bool, int or None
        Whether all arrangements were enumerated, and the seed of the draws if they were not.
    n_resamples, n_undefined : int
        Number of arrangements that were enumerated or drawn, and number of arrangements on which
        the measure is undefined.
    sizes : DataSizes
        The sizes of the sample; in words as a string.
    excluded : ExcludedRows
        Numbers of rows that are not used.
    """

    names: tuple[str, ...]
    measure: Measure
    values: tuple[float, ...]
    pvalue: float
    error_of_pvalue: float
    distribution: FloatArray = field(repr=False)
    probabilities: FloatArray | None = field(repr=False)
    exact: bool
    n_resamples: int
    n_undefined: int
    seed: int | None
    alternative: Alternative
    sizes: DataSizes
    excluded: ExcludedRows = NONE_EXCLUDED

    @property
    def statistic(self) -> float:
        """The difference first - second, or the measure of the single classifier."""
        return self.values[0] - sum(self.values[1:])

    @property
    def spread(self) -> float:
        """Standard deviation of the distribution, which determines the decimals in tables."""
        mean = np.average(self.distribution, weights=self.probabilities)
        squares = (self.distribution - mean) ** 2
        return math.sqrt(np.average(squares, weights=self.probabilities))

    @property
    def null(self) -> str:
        """The null hypothesis: "no difference" for two, "no discrimination" for one classifier."""
        return "no difference" if len(self.names) == 2 else "no discrimination"

    @property
    def _exchanged(self) -> str:
        """What distinguishes the arrangements."""
        if len(self.names) == 1:
            return "permutations of labels"
        return f"swaps of {'calls' if _is_of_calls(self.measure) else 'ranks'}"

    def __repr__(self) -> str:
        value, p = fmt.number(self.statistic, self.spread), fmt.p_value(self.pvalue)
        names = " - ".join(map(fmt.named, self.names))
        return f"PermutationTest({names}, {self.measure!r}: {value}, {p})"

    def plot(self, *, ax: "Axes | None" = None) -> "Axes":
        """Draw the statistic on all arrangements, and the observed one.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.drawings import style
        from pauci.drawings.curves import draw_arrangements

        label, place, factor = scaled(self.measure, "")
        shown = style.shorter_numbers(fmt.with_place(label, place))
        prefix = "Difference in " if len(self.names) == 2 else ""
        title = f"{prefix}{shown}, under the null hypothesis of {self.null}"
        statistic = self.statistic * factor
        observed = f"observed {style.number(statistic)}, {fmt.p_value(self.pvalue)}"
        null = self.distribution * factor, self.probabilities
        return draw_arrangements(*null, statistic, observed, title=title, ax=ax)

    _without_kinds = "a test, which has no intervals."
    has_intervals = False

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        first, second = (*self.names, None)[:2]
        measure, region = self.measure.label, str(self.measure.region)
        names = {"first": first, "second": second, "measure": measure, "region": region}
        return [PlainRow(self, **names, **self.excluded.columns)]

    _fields = (
        "first second measure region null statistic pvalue error_of_pvalue alternative exact "
        "n_resamples n_undefined seed dropped left_out"
    )

    @property
    def _basis(self) -> str:  # type: ignore[override]
        return f"{self.sizes}{', paired' * (len(self.names) == 2)}"

    def _facts(self, rows: Any, level: float, kind: Any) -> list[Fact]:  # noqa: ARG002
        """Return the values, without intervals, and the difference with its p-value."""
        label, place, factor = scaled(self.measure, "")
        test = {"p_adjusted": self.pvalue, "alternative": self.alternative}
        pairs: list[tuple[Any, float]] = list(zip(self.names, self.values, strict=True))
        if len(pairs) == 2:
            pairs.append((self.names, self.statistic))
        unit, facts = within_one(self.measure.range), []
        for i, (name, value) in enumerate(pairs, start=1):
            names = {"measure": label, "place": place, "classifier": name}
            record = test if i == len(pairs) else {}
            facts.append(Fact(value * factor, names=names, record=record, unit=unit))
        return facts

    @property
    def _source(self) -> str:
        """The test, and the arrangements that were enumerated or drawn."""
        drawn = f"{self.n_resamples:,} random {self._exchanged}, seed {self.seed}"
        source = f"exact, from all {self._exchanged}" if self.exact else drawn
        return f"permutation test of {self.null}: {source}"

    def _remarks(self, level: float, kind: Any) -> list[str]:  # noqa: ARG002
        notes = [f"P{self._source[1:]}."]
        if not self.exact:
            notes.append(f"Monte Carlo error of p: {self.error_of_pvalue:.1g}.")
        if self.n_undefined:
            notes.append(f"Undefined in {self.n_undefined:,} arrangements, which are omitted.")
        return notes

    def _sentences_of(self, presentation: Any) -> list[str]:
        (text,) = super()._sentences_of(presentation)
        return [f"{text.removesuffix('.')} ({self._source})."]

    def _content(self, level: float, kind: Any) -> "Content":
        return replace(super()._content(level, kind), sizes=[self.sizes.as_values()])

    @property
    def sentence(self) -> str:
        """One sentence for a paper."""
        return self.report()


@validate_call
def permutation_test(
    sample: Sample,
    measure: "Measure | Function",
    n_resamples: int = 9999,
    *,
    alternative: Alternative = "two-sided",
    rng: "Seed | None" = None,
    n_jobs: int | None = None,
    pair: tuple[str, str] | None = None,
    progress: Progress = "auto",
) -> PermutationTest:
    r"""Test two classifiers against each other, or one against chance, by permutation.

    Parameters
    ----------
    sample : Sample
        Two classifiers on the same rows for the paired test, or one for the test against chance.
    measure : Measure
        The measure to test, such as ``pauci.PAUCc(fpr=(0, 0.1))``, or a function of (labels,
        scores).
    n_resamples : int, default 9999
        Number of random arrangements, unless all are enumerated; at most 10^8, or half of this for
        two classifiers.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the difference first - second, or of the measure of the single classifier.
    rng, n_jobs : optional
        Seed or generator, and number of workers, as for `Bootstrap`. Results depend only on the
        seed.
    pair : tuple of two str, optional
        The two classifiers of a larger sample to compare, in this order.
    progress : bool or "auto", default "auto"
        Show a progress bar, as for `Bootstrap`.

    Returns
    -------
    PermutationTest

    Raises
    ------
    TypeError, ValueError
        For weights, clusters in a test of one classifier, a range of scores in a paired test, a
        measure that is undefined on these data or on more than 5% of the arrangements, and invalid
        arguments.

    Notes
    -----
    **Two classifiers.** The null hypothesis is that, given the label Y, the ranks of a row by the
    two classifiers are exchangeable, :math:`(R_1, R_2) | Y \sim (R_2, R_1) | Y`. This
    hypothesis is stronger than the equality of two measures, because it implies that the curves and
    the distributions of errors are equal. The test can therefore reject if the measures are equal
    but the curves differ, whereas `compare` tests the measure. As in
    Venkatraman and Begg (1996; for the AUC Bandos, Rockette and Gur 2005), scores are replaced by
    mid-ranks over all rows, the two mid-ranks of each row (jointly for each cluster) are swapped
    with probability 1/2, and each column is ranked again, with equal mid-ranks as ties.
    Differences D* are symmetric about 0, and the two-sided p-value is :math:`P(|D^*| \ge |D|)`.
    Ranks in the sample are used instead of those in the population, so that the level is
    approximate in small samples, even if all swaps are enumerated. If most rows are tied, the
    mid-ranks of the large ties of the two columns usually differ, so that swaps split the ties. The
    test of average precision then rejects too often in samples of few rows.

    For a measure at a given threshold, which may differ between the classifiers, the calls of the
    two classifiers are swapped instead of ranks. Under the null hypothesis that they are
    exchangeable given the label, the test is then exact. For the sensitivity it is that of McNemar
    with binomial probabilities.

    **One classifier.** The null hypothesis is that scores and labels are independent: every choice
    of the n1 positives among the rows is equally likely, and their numbers in the tie groups have a
    multivariate hypergeometric distribution. The two-sided p-value is twice the smaller tail; for
    the AUC this is the Mann-Whitney test.

    If there are at most max(20,000, ``n_resamples + 1``) arrangements (excluding swaps of equal
    ranks, and counting permutations of labels by their tables), all are enumerated and p is exact.
    Otherwise p is :math:`(b + 1)/(B + 1)` for b of B draws at least as extreme. The p-value is
    never 0, because the data are one of the arrangements. Statistics that differ only by rounding
    are ties.

    References
    ----------
    E. S. Venkatraman and C. B. Begg (1996), Biometrika 83:835-848;
    A. I. Bandos, H. E. Rockette and D. Gur (2005), Statistics in Medicine 24:2873-2893.

    Examples
    --------
    >>> import pauci
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> sample = pauci.Sample(y, {"a": [1, 2, 3, 5, 4, 6, 7, 8], "b": [3, 1, 5, 2, 4, 2, 6, 1]})
    >>> test = pauci.permutation_test(sample, pauci.AUC())
    >>> test.statistic, test.pvalue, test.exact
    (0.375, 0.234375, True)
    >>> round(pauci.permutation_test(sample["a"], pauci.AUC(), alternative="greater").pvalue, 4)
    0.0286
    """
    measure, names = _check_arguments(sample, measure, n_resamples, alternative, pair)
    options = Bootstrap(rng=rng, n_jobs=n_jobs, progress=progress)
    measures = [measure.for_classifier(name) for name in names]
    rows, columns = sample.rows, [sample.ratings(n) for n in names]
    paired = len(names) == 2
    if not paired:
        measure = measures[0]
    _check_design(rows, measure, paired=paired)
    values = _values(measure, measures, columns)
    if paired:
        measures, columns = _with_exchangeable_scores(measures, columns)
    seed, most = options.seed(), max(_MAX_ENUMERATED, int(n_resamples) + 1)
    pool = Arrangements(rows, columns, "stratified", seed, by_rows=paired or None, most=most)
    statistics, probabilities, observed, size, largest = _null_distribution(
        pool, measures, values, n_resamples, options
    )
    scale, exact = max(map(_scale, measures, [r.curve for r in columns])), pool.listing is not None
    tolerance = _ROUNDING * max(scale, largest)
    upper, lower = statistics >= observed - tolerance, statistics <= observed + tolerance
    # Swapping all rows changes the sign, so both tails of a difference are counted together.
    both = [np.abs(statistics) >= abs(observed) - tolerance] if paired else [upper, lower]
    tails = {"greater": [upper], "less": [lower]}.get(alternative, both)
    pvalue, error = _pvalue(tails, probabilities, exact=exact)
    if probabilities is not None:
        probabilities = probabilities / probabilities.sum()
    return PermutationTest(
        tuple(names),
        measure,
        tuple(values.tolist()),
        pvalue,
        error,
        statistics,
        probabilities,
        exact,
        size,
        size - len(statistics),
        None if exact else seed,
        alternative,
        DataSizes(*rows.counts, rows.clusters, rows.excluded, of_clusters=", swapped as wholes"),
        rows.excluded,
    )


def _check_arguments(
    sample: object, measure: object, n_resamples: int, alternative: str, pair: Any
) -> tuple[Measure, list[str]]:
    """Check the arguments of a test and return its measure and the names of its classifiers."""
    if not isinstance(sample, Sample):
        problem = f"is {checks.kind_of(sample)}; permutation_test needs a Sample. For independent "
        problem += "samples use pauci.compare([sample_a, sample_b], measure)."
        raise InputTypeError.about("sample", problem, value=sample)
    first, *others = measures_of(measure)
    if others:
        raise InputTypeError(
            f"measure contains {1 + len(others)} measures, but permutation_test takes one."
        )
    checks.check_whole("n_resamples", n_resamples, 1)
    checks.check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    if pair is None and len(sample) > 2:
        raise InputError(
            f"sample holds {len(sample)} classifiers; select two: pair={sample.names[:2]!r}."
        )
    names = list(sample.names) if pair is None else names_of_pair(sample, pair)
    check_size(n_resamples, len(names))
    return first, names


def _pvalue(
    tails: Sequence[BoolArray], weights: FloatArray | None, *, exact: bool
) -> tuple[float, float]:
    """Return the p-value from the arrangements in each tail, and its Monte Carlo standard error."""
    if exact:
        tail = min(float(np.average(t, weights=weights)) for t in tails)
        tail, error = max(tail, sys.float_info.min), 0.0  # an underflow is not 0
    else:
        tail = min(float(t.sum() + 1) / (t.size + 1) for t in tails)
        error = len(tails) * math.sqrt(tail * (1.0 - tail) / tails[0].size)
    return min(len(tails) * tail, 1.0), error


def _null_distribution(
    pool: Arrangements,
    measures: Sequence[Measure],
    values: FloatArray,
    n_resamples: int,
    options: Bootstrap,
) -> tuple[FloatArray, FloatArray | None, float, int, float]:
    """Return the statistic on all arrangements, or on random ones if there are too many.

    Arrangements for which it is undefined are left out. Also returned are the probabilities of the
    arrangements up to a factor (None if they are equal), the observed statistic, the number of
    arrangements, and the largest value of a classifier.
    """
    listing = pool.listing
    size, probabilities = (n_resamples, None) if listing is None else (len(listing[0]), listing[1])
    engine = Engine(pool, list(enumerate(measures)))
    jobs, bar = options.n_jobs, options.progress
    arranged = run(
        engine, "values", size, pool.block, n_jobs=jobs, progress=bar, label="permutations"
    )
    observed = values
    if listing is not None:
        # The observed value is also calculated by the engine, so that rounding errors are the same.
        position = 0  # nothing is swapped
        if len(values) == 1:
            tables = np.flatnonzero((listing[0] == pool.columns[0].table.pos).all(axis=1))
            position = int(tables[0])
        observed_values = arranged[position]
        observed = observed_values if np.isfinite(observed_values).all() else values
    defined = np.isfinite(arranged).all(axis=1)
    undefined = 1.0 - float(np.average(defined, weights=probabilities))
    if undefined > MAX_UNDEFINED:
        advice = "threshold with more calls" if measures[0].region.is_point else "wider region"
        problem = f"{measures[0].symbol} is undefined in {100 * undefined:.3g}% of arrangements"
        raise InputError(f"{problem}; use a {advice}.")
    arranged = arranged[defined]
    probabilities = None if probabilities is None else probabilities[defined]
    sign = np.array([1.0, -1.0])[: len(values)]
    largest = max(float(np.abs(v).max()) for v in (arranged, values))
    return arranged @ sign, probabilities, float(observed @ sign), size, largest


def _scale(measure: Measure, curve: Curve) -> float:
    """Return the magnitude relative to which a value has rounding errors.

    The value itself may be a rounding error of 0. The magnitude is therefore the width of the range
    of the measure or, if that is infinite, the effect of its parts on the value.
    """
    low, high = measure.bounds(curve)
    if math.isfinite(high - low):
        return high - low
    total = 0.0
    if not isinstance(measure, Combination):
        return total
    parts = [part.on(curve) for part in measure.parts]
    for i, part in enumerate(measure.parts):
        step = 1e-6 * _scale(part, curve)
        with contextlib.suppress(UndefinedError):
            shifted = measure.joined(*(v + step * (i == j) for j, v in enumerate(parts)))
            total += abs(shifted - measure.joined(*parts)) / 1e-6
    return total if math.isfinite(total) else 0.0


def _check_design(rows: Rows, measure: Measure, *, paired: bool) -> None:
    """Raise an error for data whose rows are not exchangeable under the null hypothesis."""
    function, limit = ("compare", _MAX_SWAPPED) if paired else ("estimate", _MAX_PERMUTED)
    if rows.has_weights or (rows.has_clusters and not paired):
        units = "labels within a cluster=" if not rows.has_weights else "rows with weight="
        advice = f"use pauci.{function}, whose standard errors account for them."
        raise InputError(f"{units} are not exchangeable; {advice}")
    total = sum(rows.counts)
    if rows.frequency is not None and (rows.frequency.dtype.kind == "f" or total > limit):
        needed = f"they must be whole numbers with a sum of at most {limit:.3g}; otherwise use "
        needed += f"pauci.{function}."
        rows_permuted = f"frequency or counts add up to {total:.3g} rows. Each row is permuted"
        raise InputError(f"{rows_permuted}, so that {needed}")
    if paired and measure.of_risks:
        problem = " is a measure of risks, but the permutation test exchanges ranks."
        raise InputError((measure, problem), hint="Use pauci.compare.")
    of_scores = any(region.scores for region in measure.regions)
    if paired and of_scores and not _is_of_calls(measure):
        ranks = "the ranks that the permutation test exchanges."
        problem = f" has a region of scores, which is not defined for {ranks}"
        hint = hint_about_rates(measure) or "Use pauci.compare."
        raise InputError((measure, problem), hint=hint)


def _values(
    measure: Measure, measures: Sequence[Measure], columns: Sequence[Ratings]
) -> FloatArray:
    """Return the finite values of both classifiers, or of one; warn about their thresholds."""
    pairs = list(zip(measures, columns, strict=True))
    values = np.array([float(m.on(ratings.curve)) for m, ratings in pairs])
    for m, ratings in pairs:
        warn_about_cutoffs(m, ratings)
    if not np.isfinite(values).all():
        problem = f"{measure!r} is {values.tolist()} on these data; a test needs finite numbers."
        raise InputError(problem)
    return values


def _with_exchangeable_scores(
    measures: list[Measure], columns: list[Ratings]
) -> tuple[list[Measure], list[Ratings]]:
    """Return both columns with mid-ranks or calls in place of scores, and the measures of these."""
    at_cutoffs = [m for m in measures if _is_of_calls(m)]
    if not at_cutoffs:
        return measures, _with_common_groups(columns, [_mid_ranks(r, measures[0]) for r in columns])
    calls = []  # 1 for rows that are predicted positive, otherwise 0
    for m, ratings in zip(at_cutoffs, columns, strict=True):
        piece = m.region.piece(ratings.curve)
        calls.append((ratings.codes < piece.end.group).astype(np.float64))
    return [replace(m, threshold=1) for m in at_cutoffs], _with_common_groups(columns, calls)


def _is_of_calls(measure: Measure) -> TypeGuard[AtCutoff]:
    """Return whether a measure depends on the calls at a given threshold alone."""
    return isinstance(measure, AtCutoff) and isinstance(measure.region, CutoffRegion)
