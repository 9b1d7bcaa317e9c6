"""Ranks of many estimates with simultaneous confidence sets, and which are among the best."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import validated_dataclass
from pauci.checks import FloatArray
from pauci.drawings.forest_plot import ForestRow, draw_forest
from pauci.errors import InputError, UndefinedError
from pauci.intervals.analytic import Kind
from pauci.intervals.simultaneous import LargestDifference
from pauci.intervals.student_t import critical_value, upper_tail
from pauci.progress import Progress, check_progress
from pauci.results.estimates import Estimate
from pauci.results.facts import fact_of_estimate, printed_label
from pauci.results.pivot import Presentation, Statement
from pauci.results.presented import MOST_SHOWN, Presented
from pauci.results.quantity import Row, check_tests
from pauci.tables import number_format as fmt
from pauci.tables.table import Verbatim, count_cell
from pauci.variance.z import CANCELLED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NAMED = 5
"""Largest number of estimates surely among the best that a sentence names."""


@validated_dataclass
class Ranks(Presented[Kind]):
    """Ranks of estimates, where 1 is the best, with simultaneous confidence sets.

    Tables and figures show the first twenty; `to_frame` returns all.

    Attributes
    ----------
    estimates : tuple of Estimate
        The estimates in the order of their ranks.
    rank : tuple of int
        The rank of each; equal values have the smallest of their ranks.
    low, high : tuple of int
        The smallest and the largest rank of each set.
    best : int
        Number of ranks that count as the best.
    level : float
        Probability that all sets contain the ranks of the true values.
    critical : float
        Number of standard errors that a significant difference exceeds.
    """

    estimates: tuple[Estimate, ...]
    rank: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    best: int
    level: float
    critical: float

    def __repr__(self) -> str:
        return f"Ranks({self.sentence})"

    @property
    def among_best(self) -> tuple[str, ...]:
        """Whether each is among the best: ``"yes"``, ``"possible"`` or ``"no"``."""
        best, ends = self.best, zip(self.low, self.high, strict=True)
        return tuple("yes" if b <= best else "possible" if a <= best else "no" for a, b in ends)

    @property
    def sentence(self) -> str:
        """The set of the first rank, and how many estimates are among the best."""
        among, e = self.among_best, self.estimates[0]
        sure = [s.full_name for s, word in zip(self.estimates, among, strict=True) if word == "yes"]
        names = f" ({', '.join(sure)})" * (0 < len(sure) <= _MOST_NAMED)
        label, percent = printed_label(e.measure), fmt.percent(self.level)
        return (
            f"Of {len(among):,} estimates ranked by {label}, {e.full_name} was first, with ranks "
            f"{self.low[0]:,} to {self.high[0]:,} (simultaneous {percent} sets). Surely among the "
            f"best {self.best:,}: {len(sure) or 'none'}{names}; possibly: "
            f"{among.count('possible'):,}."
        )

    has_intervals = False
    _without_kinds = "ranks, whose level is an argument of Estimates.ranks."
    _fields = (
        "classifier measure region value se low high level rank rank_low rank_high among_best best "
        "group"
    )

    def _rows(self, level: float, kind: Any) -> list[Row]:  # noqa: ARG002
        columns = zip(self.estimates, self.rank, self.low, self.high, self.among_best, strict=True)
        names = "rank", "rank_low", "rank_high", "among_best", "best"
        return [
            Row(e, self.level, None, more=dict(zip(names, (*numbers, self.best), strict=True)))
            for e, *numbers in columns
        ]

    def _shown(self, rows: Sequence[Any]) -> Sequence[Any]:
        return rows[:MOST_SHOWN]

    def _arranged(self, rows: Any, level: float, kind: Any) -> Statement:  # noqa: ARG002
        facts = list(map(fact_of_estimate, rows))
        about = Presentation(facts, self.level, self)
        label, place = about.fixed["measure"], about.fixed["place"]
        ranks, low, high, among, _ = zip(*(row.more.values() for row in rows), strict=True)
        sets = [Verbatim(f"{a:,} to {b:,}") for a, b in zip(low, high, strict=True)]
        columns: list[tuple[str, Sequence[Any]]] = [
            ("", [Verbatim(row.quantity.full_name) for row in rows]),
            (f"{label} ({about.interval})", facts),
            ("rank", list(map(count_cell, ranks))),
            (f"{fmt.percent(self.level)} set", sets),
            (f"among the best {self.best:,}", among),
        ]
        notes = [*about.notes_on_data(), *about.notes_on_errors()]
        notes.append(f"Sets of ranks: simultaneous, {self.critical:.2f} standard errors.")
        if len(self.rank) > MOST_SHOWN:
            notes.append(f"The first {MOST_SHOWN} of {len(self.rank):,}; to_frame() has all.")
        title = f"Ranks by {about.full_names.get(label, label)}{f' at {place}' * bool(place)}"
        return Statement(title, columns, notes, [self.sentence])

    def plot(self, *, ax: "Axes | None" = None) -> "Axes":
        """Draw the first twenty ranks with their sets.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        axis = f"Rank by {printed_label(self.estimates[0].measure)} (of {len(self.rank):,})"
        numbers = zip(self.estimates, self.rank, self.low, self.high, strict=True)
        rows = [
            ForestRow(e.full_name, r, a, b, axis, numbers=f"{r:,} ({a:,} to {b:,})")
            for e, r, a, b in numbers
        ]
        heading = f"Rank ({fmt.percent(self.level)} set)"
        axes = draw_forest(rows[:MOST_SHOWN], self.level, heading=heading, ax=ax)
        axes.locator_params(axis="x", integer=True)
        return axes


def ranks_of(
    estimates: Sequence[Estimate], cov: FloatArray, best: int, level: float, progress: Progress
) -> Ranks:
    """Return the ranks of estimates with the covariance matrix `cov`; see `Estimates.ranks`."""
    check_progress(progress)
    level, sign = checks.level(level), _sign(estimates)
    count = len(estimates)
    checks.check_whole("best", best, 1)
    if best > count:
        raise InputError.of("best", best, f"is more than the {count:,} estimates.")
    sums = np.add.outer(np.diag(cov), np.diag(cov))
    squares = sums - 2.0 * cov
    errors = np.sqrt(np.where(squares > CANCELLED * sums, squares, 0.0))
    tail = upper_tail(LargestDifference(cov, errors, progress).quantile(level))
    smallest = min(min(*e.rows.units, e.rows.cluster_df + 1.0) for e in estimates)
    critical = critical_value(tail, max(smallest - 1.0, 1.0))
    values = np.array([e.value for e in estimates])
    distances = np.zeros((count, 2))
    for e, distance in zip(estimates, distances, strict=True):
        if e.lacks_variance:
            distance[:] = np.abs(np.subtract(e.interval(1.0 - 2.0 * tail), e.value))
    below, above = distances.T[::sign]
    values *= sign
    margins = np.sqrt((critical * errors) ** 2 + np.add.outer(np.square(below), np.square(above)))
    better = (values[:, None] - values > margins) & (margins > 0.0)
    rank = 1 + (values > values[:, None]).sum(axis=1)
    low, high = 1 + better.sum(axis=0), count - better.sum(axis=1)
    order = np.lexsort((low, rank))
    rank, low, high = (tuple(numbers[order].tolist()) for numbers in (rank, low, high))
    return Ranks(tuple(estimates[i] for i in order), rank, low, high, best, level, critical)


def _sign(estimates: Sequence[Estimate]) -> int:
    """Return 1 if higher values are better, and -1 if lower ones are, or raise an error."""
    check_tests(estimates)
    first, *others = dict.fromkeys(e.measure for e in estimates)
    if others:
        problem = "are several, and ranks are those of one measure."
        hint = f"Select one by its name, such as estimates[{first.label!r}].ranks()."
        raise InputError.of("measure", [first, *others], problem, hint=hint)
    if len(estimates) < 2:
        raise InputError("ranks() requires at least two estimates.", argument="estimates")
    unknown = [e.full_name for e in estimates if not math.isfinite(e.value + e.se)]
    if unknown:
        problem = f"the value or the standard error of {unknown[0]} is undefined: it has no rank."
        raise UndefinedError(problem, hint="Select the others.")
    if first.higher_is_better is None:
        problem = "has no direction: neither higher nor lower values are better."
        raise InputError.of("measure", first, problem)
    return 1 if first.higher_is_better else -1
