"""The row of a quantity: what it is about, and its numbers, for tables, data frames and figures."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pauci.calls import known
from pauci.curve.region import Bounds
from pauci.intervals.analytic import Interval
from pauci.measures.base import Measure


@dataclass(frozen=True)
class Row:
    """A quantity at a level and kind of intervals.

    Parameters
    ----------
    quantity : Quantity
        An estimate, a difference or a contrast.
    level, kind
        Level and kind of the interval as they were requested.
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
        record["rescaled"] = _rescaled(q)
        if self.simultaneous is not None:
            low, high = self.simultaneous
            record |= {"low": low, "high": high, "kind": "simultaneous"}
        return {**record, **self.more}

    @property
    def unit(self) -> bool:
        """Whether the value cannot exceed 1, as that of an area or a difference of areas."""
        measure = known(self.quantity, "measure", None)
        return within_one(self.quantity.scale if measure is None else measure.range)

    @property
    def ends(self) -> Interval:
        """The interval."""
        return Interval(self.record["low"], self.record["high"])


def _rescaled(quantity: Any) -> float:
    """Return an area as an average rate, or an average rate as an area; NaN for other measures."""
    measure = known(quantity, "measure", None)
    if measure is None or measure.as_average is None:
        return math.nan
    area = getattr(measure, "measure", measure)
    factor = area.largest_area if area.normalized else 1.0 / area.largest_area
    return float(quantity.value * factor)


class PlainRow(dict[str, Any]):
    """A row that is not a quantity, such as a test or a point of a band: its fields by name.

    Parameters
    ----------
    of : object
        What the row describes; fields that are not specified are its attributes.
    **more
        Other fields.
    """

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
    return within_one(measure.range)


def within_one(ends: Bounds) -> bool:
    """Return whether the values of a range cannot exceed 1."""
    return ends.low >= -1.0 and ends.high <= 1.0


def rows_of(quantities: Sequence[Any], level: float, kind: Any) -> list[Row]:
    """Return a row for each quantity."""
    return [Row(q, level, kind) for q in quantities]
