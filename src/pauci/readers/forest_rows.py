"""Rows of the forest plot of a reader study: each reader, and the average of all."""

from dataclasses import replace
from typing import Any

from pauci.errors import InputError
from pauci.figures import style
from pauci.figures.forest import ForestRow
from pauci.readers.base_analysis import BaseReaderAnalysis
from pauci.readers.read_data import checked_pair
from pauci.results.weighted_sums import WeightedSum
from pauci.tables import number_format as fmt


def rows_of_readers(
    result: BaseReaderAnalysis, pair: Any, level: float, kind: Any
) -> list[ForestRow]:
    """Return rows of differences of pairs of modalities, or of estimates if there are none."""
    pairs = [(d.name, d.second) for d in result.contrasts]
    if pair is not None:
        pairs = [checked_pair(pair, [a.name for a in result.averages])]
    rows = [row for both in pairs for row in _differences(result, *both, level)]
    return rows or _estimates(result, level, kind)


def _differences(
    result: BaseReaderAnalysis, first: str, second: str, level: float
) -> list[ForestRow]:
    """Return the differences of the readers who read in both modalities, and their average."""
    quantity = (
        f"{style.shorter_numbers(result.title)}, {style.difference_of(first, second, 'modality')}"
    )
    options: dict[str, Any] = {
        "of_difference": True,
        "null": result.null,
        "scale": f"{first} - {second}",
    }
    rows = []
    for name in result.study.readers:
        difference = result.difference_of_reader(name, first, second)
        if difference is not None:
            numbers = difference.value, difference.se, *difference.interval(level)
            rows.append(ForestRow(name, *numbers, quantity, **options))
    if rows:
        average = _average(result, first, second)
        two_sided = replace(average, alternative="two-sided")
        value, (low, high) = average.value, two_sided.interval(level)
        if average.name != first:
            value, low, high = -value, -high, -low
        numbers = value, average.se, low, high
        rows.append(ForestRow("average", *numbers, quantity, overall=True, **options))
    return rows


def _average(result: BaseReaderAnalysis, first: str, second: str) -> WeightedSum:
    """Return the difference of two modalities in either direction."""
    for difference in result.contrasts:
        if {difference.name, difference.second} == {first, second}:
            return difference
    compared = fmt.difference(result.contrasts[0].name, result.contrasts[0].second, "modality")
    raise InputError.of(
        "pair",
        (first, second),
        f"was not compared: the analysis is of {compared} only.",
        hint="Call mrmc without pair= for the differences of all pairs.",
    )


def _estimates(result: BaseReaderAnalysis, level: float, kind: Any) -> list[ForestRow]:
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
