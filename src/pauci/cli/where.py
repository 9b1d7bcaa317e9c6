"""Conditions on rows: ``--where "site == A"``.

A condition has a column, an operator and a value, or values after ``in``. It is compared with the
cells, and never evaluated as code. Names and values that contain operators, commas or quotes are
enclosed in quotes.
"""

import operator
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from pauci.checks import nearest
from pauci.cli.data import Data, is_spelling_of
from pauci.cli.shell_syntax import shortened
from pauci.cli.written_numbers import numbers_of_texts
from pauci.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

_CONDITION = re.compile(
    r"""\s*(?:"([^"]+)"|'([^']+)'|`([^`]+)`|(.+?))\s*"""
    r"""(==|!=|<=|>=|<|>|(?<=[\s"'`])not\s+in(?=[\s(\[])|(?<=[\s"'`])in(?=[\s(\[]))\s*(.*?)\s*""",
    re.DOTALL,
)
_VALUE = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^,"']+?))\s*(?:,|$)""")
_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EXAMPLES = (
    "Conditions are: 'site == A', 'age >= 18', 'stage in II, III'; also !=, <, <=, >, not in."
)
_NOTES = "pauci.selections"
_MOST_VALUES = 5


@dataclass(frozen=True)
class Condition:
    """A condition on a column: an operator, and the words with which cells are compared."""

    text: str
    column: str
    operator: str
    words: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Condition":
        """Return the condition in a text."""
        match = _CONDITION.fullmatch(text)
        if match is None or not match[6] or match[6].startswith("="):
            hint = "Equality is written ==. " if re.search("[^=!<>]=[^=]", text) else ""
            raise InputError.of("where", text, "is not a condition.", hint=f"{hint}{_EXAMPLES}")
        column = next(name for name in match.groups()[:4] if name is not None)
        kind = " ".join(match[5].split())
        words = _words(text, match[6]) if kind.endswith("in") else (_unquoted(match[6]),)
        return cls(" ".join(text.split()), column, kind, words)

    def holds(self, data: Data) -> Any:
        """Return whether each row satisfies the condition; missing values never do."""
        values = self._values(data)
        if self.operator in _ORDER:
            return _ORDER[self.operator](values, self._number(data, values)) & values.notna()
        equal = values.isin(self._cells(data, values))
        return equal if self.operator in ("==", "in") else ~equal & values.notna()

    def _values(self, data: Data) -> "pd.Series[Any]":
        columns = [str(c) for c in data.frame.columns]
        if columns.count(self.column) != 1:
            problem = "names several columns" if self.column in columns else "has no such column"
            raise data.error(
                f"--where {self.text!r} {problem}{nearest(self.column, columns)} "
                f"The columns are: {', '.join(map(shortened, columns))}."
            )
        return data.frame.iloc[:, columns.index(self.column)]

    def _number(self, data: Data, values: "pd.Series[Any]") -> Any:
        """Return the number with which a column of numbers is compared."""
        if values.dtype.kind not in "iuf":
            raise data.error(
                f"--where {self.text!r} needs a column of numbers, but {self.column!r} holds "
                f"{shortened(str(next(iter(values.dropna()), 'nothing')))!r}."
            )
        number = number_in(self.words[0], data.decimal)
        if number is None:
            raise data.error(f"--where {self.text!r} compares numbers with {self.words[0]!r}.")
        return number

    def _cells(self, data: Data, values: "pd.Series[Any]") -> list[Any]:
        """Return the distinct values of a column that the words spell, each at least one."""
        distinct = values.dropna().unique().tolist()
        labels = data.value_labels.get(self.column, {})
        cells = []
        for word in self.words:
            spelled = [v for v in distinct if is_spelling_of(word, v) or labels.get(v) == word]
            if not spelled:
                shown = [shortened(str(labels.get(v, v))) for v in distinct[:_MOST_VALUES]]
                more = ", ..." if len(distinct) > _MOST_VALUES else ""
                raise data.error(
                    f"--where {self.text!r}: column {self.column!r} holds no {word!r}; its values "
                    f"are: {', '.join(shown)}{more}."
                )
            cells += spelled
        return cells


def number_in(word: str, decimal: str | None) -> int | float | None:
    """Return the number that a word spells, with the decimal mark of a text; None for others."""
    word = word.replace(decimal or ".", ".")
    for kind in (int, float):
        with suppress(ValueError):
            number: int | float = kind(word)
            return number if number == number and "_" not in word else None
    return None


def _words(text: str, values: str) -> tuple[str, ...]:
    """Return the values after ``in``, which may be in brackets."""
    inside = values[1:-1] if values[0] + values[-1] in ("()", "[]") else values
    words, at = [], 0
    while at < len(inside):
        match = _VALUE.match(inside, at)
        if match is None:
            raise InputError.of("where", text, "has values that cannot be read.", hint=_EXAMPLES)
        words.append(next(word for word in match.groups() if word is not None))
        at = match.end()
    if not words:
        raise InputError.of("where", text, "has no values.", hint=_EXAMPLES)
    return tuple(words)


def _unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word


def selected(data: Data, conditions: Sequence[Condition]) -> tuple[Data, str]:
    """Return the rows that satisfy all conditions, and the statement of their number."""
    if not conditions:
        return data, ""
    holds = np.logical_and.reduce([np.asarray(c.holds(data), bool) for c in conditions])
    (kept,) = holds.nonzero()
    words, total = " and ".join(c.text for c in conditions), len(data.frame)
    if not kept.size:
        raise data.error(f"no row satisfies --where {words!r}.")
    missing = {c.column: int(c._values(data).isna().sum()) for c in conditions}
    without = [f"{n:,} with a missing {column}" for column, n in missing.items() if n]
    others = f" (of the others, {', '.join(without)})" if without else ""
    frame = data.frame.iloc[kept].reset_index(drop=True)
    if data.decimal is not None and kept.size < total:
        frame = frame.apply(numbers_of_texts, args=(data.decimal, data.thousands))
    chosen = replace(
        data,
        frame=frame,
        row_names=lambda places, noun: data.row_names([int(kept[p]) for p in places], noun),
    )
    return chosen, f"{kept.size:,} of {total:,} rows, with {words}{others}."


def state_in_output(file: str, statement: str) -> None:
    """State in the output of the present command which rows of a file were read."""
    context = click.get_current_context(silent=True)
    if statement and context is not None:
        context.find_root().meta.setdefault(_NOTES, {})[file] = statement


def statements() -> list[str]:
    """Return the statements about the rows of the files of the present command."""
    context = click.get_current_context(silent=True)
    found = {} if context is None else context.find_root().meta.get(_NOTES, {})
    several = len(found) > 1
    return [f"{f'{file}: ' * several}Rows: {text}" for file, text in found.items()]
