"""The operating points of one classifier: counts are held, all else is made when asked for.

A million thresholds take no longer to print than thirty: rows and intervals are computed for what
is shown.
"""

import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from pauci import checks
from pauci.calls import answering_constructor
from pauci.checks import AnyArray
from pauci.curve.counts import Table as Counts
from pauci.errors import ChosenThresholdWarning, InputError, arg, warn
from pauci.intervals.analytic import Interval
from pauci.intervals.two_by_two import METHODS, STATISTICS, TwoByTwo, first_largest
from pauci.results import format as fmt
from pauci.results.cells import Count, Table
from pauci.results.drawing import Drawable
from pauci.results.estimate import Estimate
from pauci.results.tabular import Tabular
from pauci.sample.rows import Design

if TYPE_CHECKING:
    import pandas as pd

_TARGET = {True: "fixed threshold", False: "threshold found"}
"""What intervals cover, by whether the threshold was given."""

_CHUNK = 4096
"""Rows that iterating makes at a time."""


@answering_constructor
class OperatingPoint(NamedTuple):
    """One threshold: counts, and measures (NaN where 0/0). Intervals are in the tables.

    ``youden`` is sensitivity + specificity - 1, ``distance`` that of the point from the corner
    (0, 1) of the ROC plane, where every row is called rightly.
    """

    threshold: Any
    true_positives: float
    false_positives: float
    false_negatives: float
    true_negatives: float
    sensitivity: float
    specificity: float
    ppv: float
    npv: float
    kappa: float
    lr_pos: float
    lr_neg: float
    youden: float
    distance: float

    def __repr__(self) -> str:
        threshold, *counts = self[:5]
        shown = [f"threshold={fmt.bound(threshold)}"]
        names = self._fields[1:5]
        shown += [f"{k}={Count(v).plain()}" for k, v in zip(names, counts, strict=True)]
        rest = zip(self._fields[5:], self[5:], strict=True)
        shown += [f"{name}={value:.4g}" for name, value in rest]
        return f"OperatingPoint({', '.join(shown)})"


class Pick(NamedTuple):
    """A row that was asked for."""

    threshold: Any
    called: int
    """How many tie groups score at least the threshold."""
    asked: str
    """What was asked for, such as ``"fpr <= 0.1"``."""
    by_threshold: bool
    rule: Estimate | None = None
    """The measure of the rule that asked for a rate, with the error of finding its threshold."""


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class OperatingPoints(Tabular, Drawable):
    """The operating points of one classifier, the strictest threshold first.

    Iterating gives an `OperatingPoint` per threshold, made when it is asked for.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    prevalence : float
        Share of the positives that PPV, NPV and kappa are meant for.
    assumed : bool
        Whether this prevalence was given, rather than that of the sample.
    design : str
        Sampling design.
    method : str
        Interval of a binomial proportion.
    points : sequence of OperatingPoint
        One per distinct score, or per row that was asked for, in that order.
    youden : OperatingPoint
        The point with the largest Youden index, chosen on these data.
    closest : OperatingPoint
        The point closest to the corner (0, 1), chosen on these data.
    """

    classifier: str
    prevalence: float
    assumed: bool
    design: Design
    method: str
    table: Counts = field(repr=False)
    """The 2 x K table of the classifier."""
    picks: tuple[Pick, ...] | None = field(repr=False, default=None)
    """The rows that were asked for, None for all."""
    _warned: set[str] = field(init=False, repr=False, default_factory=set)

    def __repr__(self) -> str:
        given = "given" if self.assumed else f"of a {self.design} sample"
        return (
            f"OperatingPoints({self.classifier}, {len(self):,} thresholds, prevalence "
            f"{self.prevalence:.4g} {given}, {METHODS[self.method]} intervals)"
        )

    def __len__(self) -> int:
        """Return the number of operating points."""
        return self.table.size if self.picks is None else len(self.picks)

    def __iter__(self) -> Iterator[OperatingPoint]:
        """Iterate over the operating points."""
        return iter(self.points)

    @property
    def points(self) -> Sequence[OperatingPoint]:
        """The operating points as a sequence; a slice is a tuple."""
        return _Points(self)

    @property
    def youden(self) -> OperatingPoint:
        """The point with the largest Youden index, the strictest of several.

        It is chosen on these data, so its sensitivity and specificity are better than those that
        new data will show, and their intervals do not know: the first time it is asked for, a
        `ChosenThresholdWarning` says so.
        """
        return self._chosen("youden", "the largest Youden index")

    @property
    def closest(self) -> OperatingPoint:
        """The point closest to the corner (0, 1), the strictest of several.

        It is chosen on these data, as `youden` is, with the same warning.
        """
        return self._chosen("distance", "the smallest distance to the corner (0, 1)")

    def _chosen(self, statistic: str, words: str) -> OperatingPoint:
        if statistic not in self._warned:
            warn(
                ChosenThresholdWarning,
                f"the threshold with {words} is chosen on the data that its sensitivity and "
                "specificity are taken from: expect less of new data, and the intervals hold for a "
                "threshold fixed beforehand. Take it from other data, and evaluate it here with ",
                arg("thresholds"),
                ".",
            )
            self._warned.add(statistic)
        return self.points[self._best[statistic]]

    @cached_property
    def _best(self) -> dict[str, int]:
        """The rows with the largest Youden index and the smallest distance, the first of several.

        Both need two columns of all rows, so this is the one step that takes longer with more.
        """
        table = self.table
        tp, fp = table.at(self._called())
        x, y = fp / table.total_neg, tp / table.total_pos
        best = {"youden": y - x, "distance": -np.hypot(x, (table.total_pos - tp) / table.total_pos)}
        return {name: first_largest(values) for name, values in best.items()}

    def _called(self, rows: Sequence[int] | None = None) -> AnyArray:
        """Return how many tie groups each of these rows, or each row, calls positive."""
        if self.picks is not None:
            called = np.array([pick.called for pick in self.picks])
            return called if rows is None else called[np.asarray(rows, np.intp)]
        return np.arange(1, len(self) + 1) if rows is None else np.asarray(rows, np.intp) + 1

    def _thresholds(self, rows: Sequence[int] | None = None) -> Any:
        """Return the thresholds of these rows, or of all: an array, or a list of categories."""
        if self.picks is None:
            return self.table.thresholds(self._called(rows) - 1)
        return [self.picks[i].threshold for i in (range(len(self)) if rows is None else rows)]

    def _tables(self, rows: Sequence[int] | None = None) -> TwoByTwo:
        """Return the 2 x 2 tables of these rows, or of all."""
        called, table = self._called(rows), self.table
        tp, fp = table.at(called)
        estimated = self.design == "cohort" and not self.assumed
        return TwoByTwo(
            tp, fp, table.total_pos - tp, table.total_neg - fp, table.total_pos, table.total_neg,
            self.prevalence, self.assumed, estimated,
        )  # fmt: skip

    def _made(self, rows: Sequence[int]) -> Iterator[OperatingPoint]:
        """Return these rows as operating points."""
        t, thresholds = self._tables(rows), self._thresholds(rows)
        values = t.values()
        columns = [
            thresholds if isinstance(thresholds, list) else thresholds.tolist(),
            *(counts.tolist() for counts in (t.tp, t.fp, t.fn, t.tn)),
            *(values[name].tolist() for name in OperatingPoint._fields[5:]),
        ]
        return map(OperatingPoint._make, zip(*columns, strict=True))

    def to_frame(self, level: float = 0.95) -> "pd.DataFrame":
        """Return a data frame with a row per threshold, each interval at this level by itself.

        Columns: ``threshold``, the four counts, each measure m with ``m_low`` and ``m_high``,
        Youden's index among them, the ``distance`` to the corner (0, 1), the ``classifier``, and
        where rows were asked for, what was ``asked``. Where a rate was asked for, ``rule`` is the
        measure of that rule, with ``rule_value``, ``rule_low`` and ``rule_high``. The last column
        of rows that were asked for, ``target``, says what all other intervals of the row cover:
        the accuracy of a ``"fixed threshold"``, or of the ``"threshold found"``, as if that had
        been fixed.
        """
        import pandas as pd

        level = checks.level(level)
        t = self._tables()
        values = t.values()
        ends = t.intervals(level, self.method, values)
        columns = dict(zip(OperatingPoint._fields, (self._thresholds(), t.tp, t.fp, t.fn, t.tn)))  # noqa: B905
        for name in STATISTICS:
            columns |= {name: values[name], f"{name}_low": ends[name][0]}
            columns[f"{name}_high"] = ends[name][1]
        columns |= {"distance": values["distance"], "classifier": self.classifier}
        if self.picks is not None:
            columns["asked"] = [pick.asked for pick in self.picks]
            columns |= self._rule_columns(level) if self.found else {}
            columns["target"] = [_TARGET[pick.by_threshold] for pick in self.picks]
        return pd.DataFrame(columns)

    def _rule_columns(self, level: float) -> dict[str, list[Any]]:
        """Return the columns of the rules that asked for rows, empty where there is none."""
        none = (None, math.nan, math.nan, math.nan)
        rows = [
            none if rule is None else (rule[0].measure.name, rule[0].value, *rule[1])
            for rule in self.rules(level)
        ]
        names = ("rule", "rule_value", "rule_low", "rule_high")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    def rules(self, level: float) -> list[tuple[Estimate, Interval] | None]:
        """Return measure and interval of the rule that asked for each row, None if there is none.

        "Specificity of at least 0.95" is a rule: another sample has another threshold there, and
        the sensitivity of the rule is less certain than that of the threshold found here.
        """
        picks = self.picks or ()
        rules = [pick.rule for pick in picks]
        level = checks.level(level)
        return [None if rule is None else (rule, rule.interval(level)) for rule in rules]

    @property
    def found(self) -> bool:
        """Whether some of the thresholds were found on these data, at a given rate."""
        return not all(pick.by_threshold for pick in self.picks or ())

    def _table(self, level: float, kind: Any) -> Table:
        from pauci.results.points_contents import table_of_points

        if kind is not None:
            raise InputError(
                arg("kind", kind),
                " does not apply to operating points; choose the interval of a proportion with ",
                arg("method"),
                " in operating_points.",
            )
        return table_of_points(self, checks.level(level))


class _Points(Sequence[OperatingPoint]):
    """The rows of a result, each made when it is asked for."""

    def __init__(self, result: OperatingPoints) -> None:
        self._result = result

    def __len__(self) -> int:
        return len(self._result)

    @overload
    def __getitem__(self, index: int) -> OperatingPoint: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[OperatingPoint, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        """Return one row, or a tuple of some."""
        if isinstance(index, slice):
            return tuple(self._result._made(range(len(self))[index]))
        row = range(len(self))[operator.index(index)]
        return next(self._result._made([row]))

    def __iter__(self) -> Iterator[OperatingPoint]:
        for start in range(0, len(self), _CHUNK):
            yield from self._result._made(range(start, min(start + _CHUNK, len(self))))

    def __repr__(self) -> str:
        return f"<{len(self):,} operating point{'s' * (len(self) != 1)}>"
