"""Rows of the forest plot of a reader study: each reader, and the average of all."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.errors import InputError, InputTypeError
from pauci.figures import style
from pauci.figures.forest import ForestRow
from pauci.readers.read_data import name_of
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from pauci.readers.analysis import ReaderAnalysis


def rows_of_readers(
    result: "ReaderAnalysis", pair: Any, level: float, kind: Any
) -> list[ForestRow]:
    """Return rows of differences of two modalities, or of estimates if there are none."""
    first, second = _pair(result, pair)
    rows = _differences(result, first, second, level) if second else []
    return rows or _estimates(result, level, kind)


def _differences(
    result: "ReaderAnalysis", first: str, second: str, level: float
) -> list[ForestRow]:
    """Return the differences of the readers who read in both modalities, and their average."""
    quantity = (
        f"{style.shorter_numbers(result.title)}, {style.difference_of(first, second, 'modality')}"
    )
    options: dict[str, Any] = {"of_difference": True, "null": result.null}
    rows = []
    for name in result.study.readers:
        difference = result.difference_of_reader(name, first, second)
        if difference is not None:
            numbers = difference.value, difference.se, *difference.interval(level)
            rows.append(ForestRow(name, *numbers, quantity, **options))
    if rows:
        average = next(d for d in result.contrasts if {d.name, d.second} == {first, second})
        two_sided = replace(average, alternative="two-sided")
        value, (low, high) = average.value, two_sided.interval(level)
        if average.name != first:
            value, low, high = -value, -high, -low
        numbers = value, average.se, low, high
        rows.append(ForestRow("average", *numbers, quantity, overall=True, **options))
    return rows


def _estimates(result: "ReaderAnalysis", level: float, kind: Any) -> list[ForestRow]:
    """Return the estimates of all readers in all modalities, and the averages."""
    several, rows = len(result.averages) > 1, []
    quantity = style.shorter_numbers(result.title)
    for c in result.cells:
        name = fmt.of_cell(c.reader, c.modality) if several else c.reader
        ends = c.interval(level, kind)
        rows.append(ForestRow(name, c.value, c.se, *ends, quantity))
    for average in result.averages:
        name = f"average ({fmt.named(average.name, 'modality')})" if several else "average"
        ends = average.interval(level, kind)
        rows.append(ForestRow(name, average.value, average.se, *ends, quantity, overall=True))
    return rows


def _pair(result: "ReaderAnalysis", pair: Any) -> tuple[str, str]:
    """Return the two modalities to show; the second is empty if there is a single one."""
    names = [a.name for a in result.averages]
    if pair is None:
        return (names[0], names[1]) if len(names) > 1 else (names[0], "")
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise InputTypeError(
            f"pair={pair!r} must name two modalities, such as ('a', 'b').",
            argument="pair",
            value=pair,
        )
    first, second = (name_of(name) for name in pair)
    for name in (first, second):
        if name not in names:
            raise InputError(
                f"pair={pair!r}: {name!r} is not a modality{checks.nearest(name, names)} There "
                f"are: {', '.join(names)}.",
                argument="pair",
                value=pair,
            )
    if first == second:
        raise InputError(f"pair={pair!r} names a modality twice.", argument="pair", value=pair)
    return first, second
