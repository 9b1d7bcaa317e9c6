"""Power and sample size of studies of readers, as a table of `pauci.mrmc_power`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pauci
from pauci.errors import InputError
from pauci.readers.analysis import ReaderAnalysis
from pauci.tables.data_frames import frame
from pauci.tables.table import Column, Count, Number, Table
from pauci.tables.tabular import Tabular

if TYPE_CHECKING:
    from pauci.tables.json_document import Content

_COLUMNS = ("readers", "positives", "negatives", "power")
_LARGEST = 10**6


@dataclass(frozen=True, eq=False)
class ReaderPlans(Tabular):
    """The power of planned studies of readers and cases.

    Attributes
    ----------
    rows : tuple of tuple
        Numbers of readers, positives and negatives, with the power.
    pilot : str
        The pilot study in words.
    """

    rows: tuple[tuple[int, int, int, float], ...]
    pilot: str

    @classmethod
    def of(cls, analysis: ReaderAnalysis, arguments: Mapping[str, Any]) -> "ReaderPlans":
        """Return the power at each number of readers and cases."""
        for name in _COLUMNS[:3]:
            if name not in arguments:
                raise InputError.of(name, None, "is missing, a number of the plan.", shown="")
        listed = {
            name: arguments[name] if isinstance(arguments[name], list) else [arguments[name]]
            for name in _COLUMNS[:3]
        }
        found: Any = pauci.mrmc_power(analysis, **{**arguments, **listed})
        rows = tuple(tuple(row) for row in found[list(_COLUMNS)].itertuples(index=False))
        return cls(rows, analysis.study.sizes)

    @classmethod
    def smallest(
        cls,
        analysis: ReaderAnalysis,
        arguments: Mapping[str, Any],
        power: float = 0.8,
        ratio: float | None = None,
    ) -> "ReaderPlans":
        """Return the smallest numbers of cases for a power, at each number of readers."""
        readers = arguments.get("readers")
        if readers is None:
            raise InputError.of("readers", None, "is missing, a number of the plan.", shown="")
        share = analysis.study.n_neg / analysis.study.n_pos if ratio is None else ratio
        others = {k: v for k, v in arguments.items() if k != "readers"}

        def power_at(n_readers: int, positives: int) -> float:
            sizes = n_readers, positives, max(2, math.ceil(share * positives))
            return float(pauci.mrmc_power(analysis, *sizes, **others))

        rows = []
        for number in readers if isinstance(readers, list) else [readers]:
            low, high = 1, 2
            while high < _LARGEST and power_at(number, high) < power:
                low, high = high, 2 * high
            if power_at(number, high) < power:
                rows.append((number, math.nan, math.nan, power_at(number, high)))
                continue
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if power_at(number, middle) >= power else (middle, high)
            negatives = max(2, math.ceil(share * high))
            rows.append((number, high, negatives, power_at(number, high)))
        return cls(tuple(rows), analysis.study.sizes)  # type: ignore[arg-type]

    def to_frame(self, level: float = 0.95, kind: Any = None) -> Any:  # noqa: ARG002
        """Return a data frame with a row for each plan."""
        return frame(_COLUMNS, self._records())

    def _records(self) -> list[dict[str, Any]]:
        return [dict(zip(_COLUMNS, row, strict=True)) for row in self.rows]

    def _content(self, level: float, kind: Any) -> "Content":
        from pauci.tables.json_document import Content

        return Content(self._records(), self._table(level, kind))

    def _table(self, level: float, kind: Any) -> Table:  # noqa: ARG002
        body = [[*map(Count, row[:3]), Number(row[3])] for row in self.rows]
        caption = f"Power of studies of readers, from a pilot study ({self.pilot})"
        return Table("Power of studies of readers", (caption,), [Column(c) for c in _COLUMNS], body)
