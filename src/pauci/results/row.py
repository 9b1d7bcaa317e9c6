"""The row of a quantity: what it is about, and its numbers, for tables, data frames and figures."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pauci.curve.region import Bounds
from pauci.intervals.analytic import Interval
from pauci.measures.base import Measure
from pauci.tables import number_format as fmt


@dataclass(frozen=True)
class Row:
    """A quantity at a level and kind of intervals.

    Parameters
    ----------
    quantity : Quantity
        An estimate, a difference or a contrast.
    level, kind
        Level and kind of the interval as they were requested.
    error : float
        The standard error that determines the decimals.
    p_adjusted : float, optional
        The adjusted p-value; by default that of the test alone.
    simultaneous : Interval, optional
        The interval, if it is simultaneous with those of the other rows.
    more : dict, optional
        Further fields of the record, or other values of these.
    """

    quantity: Any
    level: float
    kind: Any
    error: float = 0.0
    p_adjusted: float | None = None
    simultaneous: Interval | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def record(self) -> dict[str, Any]:
        """All that is known of the quantity, by column of the data frames."""
        q = self.quantity
        numbers = q.numbers(self.level, self.kind)  # first, because this validates the kind
        record: dict[str, Any] = q.fields() | numbers
        record |= dict.fromkeys(("statistic", "pvalue", "p_adjusted", "null"), math.nan)
        if q.has_null:
            test = q.inverted_test(q.null, q.alternative, self.kind)
            p = test.pvalue if self.p_adjusted is None else self.p_adjusted
            record |= {"statistic": test.statistic, "pvalue": test.pvalue, "p_adjusted": p}
            record["null"] = q.null
        if self.simultaneous is not None:
            low, high = self.simultaneous
            record |= {"low": low, "high": high, "kind": "simultaneous"}
        return {**record, **self.more}

    @property
    def unit(self) -> bool:
        """Whether the value cannot exceed 1, as that of an area or a difference of areas."""
        measure = getattr(self.quantity, "measure", None)
        return _within_one(self.quantity.scale if measure is None else measure.range)

    @property
    def ends(self) -> Interval:
        """The interval."""
        return Interval(self.record["low"], self.record["high"])


class PlainRow(dict[str, Any]):
    """A row that is not a quantity, such as a test or a point of a band: its fields by name.

    Parameters
    ----------
    of : object
        What the row describes; fields that are not specified are its attributes.
    **more
        Other fields.
    """

    error, unit = 0.0, False

    def __init__(self, of: Any, **more: Any) -> None:
        super().__init__(more)
        self.of = of

    def __missing__(self, name: str) -> Any:
        return getattr(self.of, name)

    @property
    def record(self) -> "PlainRow":
        """The fields by column of the data frames."""
        return self


def never_above_one(measure: Measure) -> bool:
    """Return whether a measure, and its differences, cannot exceed 1."""
    return _within_one(measure.range)


def _within_one(ends: Bounds) -> bool:
    return ends.low >= -1.0 and ends.high <= 1.0


def _scale(quantity: Any) -> object:
    """Return the same for measures with a range like that from 0 to 1, and else the measure.

    The range of some partial areas is much smaller, so that they need more decimals.
    """
    low, high = quantity.measure.range
    return True if -1.0 <= low <= 0.5 <= high <= 1.0 else quantity.measure.label


def rows_of(
    quantities: Sequence[Any], level: float, kind: Any, alike: Callable[[Any], object] = _scale
) -> list[Row]:
    """Return a row for each quantity; those that are alike have the same decimals.

    `alike` returns what such quantities have in common; the smallest standard error of these
    determines the decimals.
    """
    shown: dict[object, list[float]] = {}
    keys = list(map(alike, quantities))
    for key, q in zip(keys, quantities, strict=True):
        shown.setdefault(key, []).append(q.se_shown)
    errors = dict(zip(shown, map(fmt.smallest_error, shown.values()), strict=True))
    return [Row(q, level, kind, errors[key]) for key, q in zip(keys, quantities, strict=True)]
