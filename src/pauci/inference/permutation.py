"""Permutation tests: of two classifiers on the same rows, and of one classifier against chance.

Swapping ranks or permuting labels moves counts between tie groups, so nothing is sorted again.
"""

import contextlib
import math
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.accepted import Function, Seed
from pauci.calls import answering, answering_constructor
from pauci.checks import FloatArray, check_choice, check_whole
from pauci.curve.polyline import Curve
from pauci.curve.region import ThresholdRegion
from pauci.errors import InputError, InputTypeError, UndefinedError
from pauci.inference.compare import chosen
from pauci.inference.sources import measures_of
from pauci.intervals.analytic import Alternative
from pauci.intervals.bootstrap_kinds import MOST_UNDEFINED
from pauci.measures.base import Measure
from pauci.progress import Progress
from pauci.resampling.bootstrap import Bootstrap, check_size
from pauci.resampling.evaluate import Engine
from pauci.resampling.rearrange import Arrangements, ranked
from pauci.resampling.workers import run
from pauci.results import format as fmt
from pauci.results.cells import (
    Cell,
    Column,
    Note,
    Number,
    Own,
    PValue,
    Symbol,
    Table,
    difference_of,
)
from pauci.results.drawing import Drawable
from pauci.results.frames import frame
from pauci.results.table_contents import abbreviations_of, listed, never_above_one, subject
from pauci.results.tabular import Tabular
from pauci.sample.rows import Rows
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    import pandas as pd

_LISTED, _MOST_ROWS, _MOST_DEALT = 20_000, 10**6, 10**9 - 1
_ROUNDING = 1e-12
"""Relative difference below which statistics are taken to be tied."""

_COLUMNS = (
    "first", "second", "measure", "region", "null", "statistic", "pvalue", "error_of_pvalue",
    "alternative", "exact", "n_resamples", "n_undefined", "seed",
)  # fmt: skip


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class PermutationTest(Tabular, Drawable):
    """Result of `permutation_test`.

    Attributes
    ----------
    names, values : tuples of str and of float
        The two classifiers of a paired test, or the single classifier, and the measure of each.
    pvalue, error_of_pvalue : float
        p-value, and its Monte Carlo standard error (0 if exact).
    distribution, probabilities : ndarrays of shape (B,)
        The statistic on arrangements for which it is defined; their probabilities, None if equal.
    exact, seed : bool, int or None
        Whether all arrangements were enumerated; otherwise the seed of the draws.
    n_resamples, n_undefined : int
        Number of arrangements enumerated or drawn, and of those with an undefined measure.
    sizes : str
        The sizes of the sample, in words.
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
    sizes: str

    @property
    def statistic(self) -> float:
        """The difference first - second, or the measure of the single classifier."""
        return self.values[0] - sum(self.values[1:])

    @property
    def spread(self) -> float:
        """Standard deviation of the distribution, which decides the decimals that are printed."""
        weights = self.probabilities
        if not self.distribution.size:
            return 0.0
        if weights is None:
            return float(self.distribution.std())
        mean = weights @ self.distribution / weights.sum()
        return math.sqrt(weights @ (self.distribution - mean) ** 2 / weights.sum())

    @property
    def null(self) -> str:
        """The null hypothesis: "no difference" for two, "no discrimination" for one classifier."""
        return "no difference" if len(self.names) == 2 else "no discrimination"

    def to_frame(self) -> "pd.DataFrame":
        """Return a data frame of one row."""
        names = [*self.names, None][:2]
        first = [*names, self.measure.label, str(self.measure.region)]
        values = (*first, *(getattr(self, c) for c in _COLUMNS[len(first) :]))
        return frame(_COLUMNS, [dict(zip(_COLUMNS, values, strict=True))])

    @property
    def _source(self) -> str:
        kind = "swaps of ranks" if len(self.names) == 2 else "permutations of labels"
        drawn = f"{self.n_resamples:,} random {kind}, seed {self.seed}"
        return f"{f'exact, from all {kind}' if self.exact else drawn}; {self.sizes}"

    def __repr__(self) -> str:
        value, p = fmt.number(self.statistic, self.spread), fmt.p_value(self.pvalue)
        names = " - ".join(map(fmt.named, self.names))
        return f"PermutationTest({names}, {self.measure!r}: {value}, {p})"

    def _table(self, level: float, kind: Any) -> Table:  # noqa: ARG002
        where = f", {self.measure.region_phrase}" if self.measure.region_phrase else ""
        names = difference_of(*self.names) if len(self.names) == 2 else (Own(self.names[0]),)
        unit = never_above_one(self.measure)
        body: list[list[Cell]] = [
            [Own(n), Number(v, self.spread, unit), None]
            for n, v in zip(self.names, self.values, strict=True)
        ]
        body += [["difference", Number(self.statistic, self.spread, unit), None]] * (len(body) - 1)
        body[-1][2] = PValue(self.pvalue)
        notes = [Note(f"Permutation test of {self.null}, {self.alternative}: {self._source}.")]
        if not self.exact:
            notes.append(Note(f"Monte Carlo error of p {self.error_of_pvalue:.1g}."))
        if self.n_undefined:
            words = f"Undefined in {self.n_undefined:,} arrangements, which are left out."
            notes.append(Note(words))
        paired = " (paired)" if len(self.names) == 2 else ""
        caption = (
            *subject([self.measure]), " of ", *listed(self.names),
            f"{paired}: permutation test of {self.null}; {self.sizes}",
        )  # fmt: skip
        columns = [Column("classifier"), Column("estimate"), Column(Symbol("p"))]
        title = (f"{self.measure.label}{where}: ", *names)
        return Table(title, caption, columns, body, notes, abbreviations_of([self.measure]))

    def report(self) -> str:
        """Return one sentence for a paper."""
        at, phrase = self.measure.region.preposition, self.measure.region_phrase
        where = f" {at} {phrase}" if phrase else ""
        pairs = zip(self.names, self.values, strict=True)
        each = " and ".join(f"{fmt.number(v, self.spread)} for {n}" for n, v in pairs)
        each += f": difference {fmt.number(self.statistic, self.spread)}" * (len(self.names) - 1)
        side = "" if self.alternative == "two-sided" else f", {fmt.sided(self.alternative)}"
        return (
            f"The {self.measure.name}{where} was {each} (permutation test of "
            f"{self.null}, {fmt.p_value(self.pvalue)}{side}; {self._source})."
        )


@answering
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
        Two classifiers on the same rows for the paired test, one for the test of its labels.
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
        For weights, clusters in a test of labels, a range of scores in a paired test, a measure
        undefined on these data or for over 5 % of the arrangements, and invalid arguments.

    Notes
    -----
    **Two classifiers.** The null hypothesis is that, given the label Y, the ranks of a row by the
    two classifiers are exchangeable, :math:`(R_1, R_2) | Y \sim (R_2, R_1) | Y`. This is stronger
    than equality of two measures: the curves and the distributions of errors are equal. The test
    can reject if the measures are equal but the curves differ; `compare` tests the measure. As in
    Venkatraman and Begg (1996; for the AUC Bandos, Rockette and Gur 2005), scores are replaced by
    mid-ranks over all rows, the two mid-ranks of each row (jointly for each cluster) are swapped
    with probability 1/2, and the columns are ranked again, where equal mid-ranks are ties.
    Differences D* are symmetric about 0, and the two-sided p-value is :math:`P(|D^*| \ge |D|)`.
    Ranks in the sample are used instead of those in the population, so the level is approximate in
    small samples, even if all swaps are enumerated.

    **One classifier.** The null hypothesis is that scores and labels are independent: every choice
    of the n1 positives among the rows is equally likely, and their numbers in the tie groups have a
    multivariate hypergeometric distribution. The two-sided p-value is twice the smaller tail; for
    the AUC this is the Mann-Whitney test.

    If there are at most max(20,000, ``n_resamples + 1``) arrangements (excluding swaps of equal
    ranks, and counting permutations of labels by their tables), all are enumerated and p is exact.
    Otherwise it is :math:`(b + 1)/(B + 1)` for b of B draws at least as extreme. It is never 0,
    because the data are one of the arrangements. Statistics that differ only by rounding are ties.

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
    if not isinstance(sample, Sample):
        raise InputTypeError(
            f"sample is a {type(sample).__name__}; permutation_test needs a Sample. For "
            "independent samples use pauci.compare([sample_a, sample_b], measure)."
        )
    measure, *more = measures_of(measure)
    if more:
        raise InputTypeError(f"measure holds {1 + len(more)} measures; permutation_test takes one.")
    check_whole("n_resamples", n_resamples, 1)
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    options: Any = Bootstrap(rng=rng, n_jobs=n_jobs, progress=progress)
    if pair is None and len(sample) > 2:
        raise InputError(
            f"the sample holds {len(sample)} classifiers; pick two: pair={sample.names[:2]!r}."
        )
    names = list(sample.names) if pair is None else chosen(sample, pair)
    check_size(n_resamples, len(names))
    sample = sample.in_memory()
    rows, columns = sample.rows, [sample.ratings(n) for n in names]
    paired = len(names) == 2
    _check_design(rows, measure, paired=paired)
    values = [float(measure.on(ratings.curve)) for ratings in columns]
    if not np.isfinite(values).all():
        raise InputError(f"{measure!r} is {values} on these data; a test takes finite numbers.")
    columns = ranked(rows, columns, measure) if paired else columns
    scale = max(_scale(measure, ratings.curve) for ratings in columns)
    most = max(_LISTED, int(n_resamples) + 1)
    pool = Arrangements(
        rows, columns, "stratified", options.seed(), by_rows=paired or None, most=most
    )
    listing = pool.listing
    size, chances = (n_resamples, None) if listing is None else (len(listing[0]), listing[1])
    engine = Engine(pool, [(c, measure) for c in range(len(names))])
    arranged = run(
        engine, "values", size, pool.block, n_jobs=n_jobs, progress=progress, label="permutations"
    )
    # The value of the data is also calculated by the engine, since other arithmetic may round.
    same = None if listing is None else arranged[pool.place_of_the_data]
    known = np.array(values) if same is None or not np.isfinite(same).all() else same
    defined = np.isfinite(arranged).all(axis=1)
    share = 1.0 - float(np.average(defined, weights=chances))
    if share > MOST_UNDEFINED:
        raise InputError(
            f"{measure!r} is undefined in {100 * share:.3g} % of arrangements; use a wider region."
        )
    arranged, chances = arranged[defined], None if chances is None else chances[defined]
    sign = np.array([1.0, -1.0])[: len(names)]
    distribution, observed = arranged @ sign, float(known @ sign)
    slack = _ROUNDING * max(scale, *(float(np.abs(v).max()) for v in (arranged, values)))
    upper, lower = distribution >= observed - slack, distribution <= observed + slack
    # Swapping all rows changes the sign, so both tails of a difference are counted together.
    both = [np.abs(distribution) >= abs(observed) - slack] if paired else [upper, lower]
    tails = {"greater": [upper], "less": [lower]}.get(alternative, both)
    if listing is None:
        tail = min(float(t.sum() + 1) / (t.size + 1) for t in tails)
        error = len(tails) * math.sqrt(tail * (1.0 - tail) / len(arranged))
    else:
        tail, error = min(float(np.average(t, weights=chances)) for t in tails), 0.0
        tail = max(tail, sys.float_info.min)  # a probability below the smallest number is not 0
    inside = "" if rows.clusters is None else f" in {rows.clusters:,} clusters, swapped as wholes"
    return PermutationTest(
        tuple(names), measure, tuple(values), min(len(tails) * tail, 1.0), error,
        distribution, None if chances is None else chances / chances.sum(), listing is not None,
        size, size - int(defined.sum()), pool.seed if listing is None else None, alternative,
        f"{sample.n_pos:,} positives, {sample.n_neg:,} negatives{inside}",
    )  # fmt: skip


def _scale(measure: Measure, curve: Curve) -> float:
    """Return how large the numbers are that a value is made from: rounding is a share of that.

    A value that should be 0 may be rounding itself, so its own size says nothing: the width of
    the measure's range does, or where that is infinite what its parts add to the value.
    """
    low, high = measure.bounds(curve)
    if math.isfinite(high - low):
        return high - low
    parts = [part.on(curve) for part in measure.parts]
    total = 0.0
    for i, part in enumerate(measure.parts):
        step = 1e-6 * _scale(part, curve)
        with contextlib.suppress(UndefinedError):
            moved = measure.joined(*(v + step * (i == j) for j, v in enumerate(parts)))
            total += abs(moved - measure.joined(*parts)) / 1e-6
    return total if math.isfinite(total) else 0.0


def _check_design(rows: Rows, measure: Measure, *, paired: bool) -> None:
    """Refuse data whose rows are not alike under the null hypothesis."""
    other, cap = ("compare", _MOST_ROWS) if paired else ("estimate", _MOST_DEALT)
    if rows.weight is not None or (rows.cluster is not None and not paired):
        what = "labels within a cluster=" if rows.weight is None else "rows with weight="
        raise InputError(
            f"{what} are not exchangeable; use pauci.{other}, whose standard errors know them."
        )
    total = sum(rows.counts)
    if rows.frequency is not None and (rows.frequency.dtype.kind == "f" or total > cap):
        raise InputError(
            f"frequency or counts add up to {total:.3g} rows; each row is permuted by itself, so "
            f"they must be whole, and at most {cap:.3g}. Else use pauci.{other}."
        )
    if paired and any(isinstance(region, ThresholdRegion) for region in measure.regions):
        raise InputError(
            f"{measure!r}: threshold= has no meaning among ranks, which swap; use fpr= or tpr=."
        )
