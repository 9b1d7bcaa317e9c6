"""What tables say of scores that were counted in cells: how much of a number these may hide."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pauci.results.cells import Note, Own, difference_of

if TYPE_CHECKING:
    from pauci.results.comparison import Comparison
    from pauci.results.estimate import Estimate


def notes_on_cells(estimates: "Iterable[Estimate]") -> list[Note]:
    """Return how far each value on cells may be from that on the scores."""
    return [
        Note((Own(e.classifier), f" {e.measure.label}: {_hidden('value', e.resolution_bound)}"))
        for e in estimates
        if e.resolution_bound != 0.0
    ]


def notes_on_cells_of(comparisons: "Iterable[Comparison]") -> list[Note]:
    """Return how far each difference on cells may be from that on the scores."""
    return [
        Note((*difference_of(c.first, c.second), f" {c.measure.label}: ", words))
        for c in comparisons
        if c.resolution_bound != 0.0
        for words in [_hidden("difference", c.resolution_bound)]
    ]


def _hidden(what: str, bound: float) -> str:
    if math.isnan(bound):
        return f"scores were counted in cells, and how much of the {what} they hide is not known."
    if math.isinf(bound):
        return f"scores were counted in cells, and these may hide any {what}."
    return f"scores were counted in cells, which hide at most {_up(bound)} of the {what}."


def _up(bound: float) -> str:
    """Return two digits of a bound, rounded up: what it bounds is not larger."""
    unit = 10.0 ** (math.floor(math.log10(bound)) - 1)
    return f"{math.ceil(bound / unit - 1e-9) * unit:.2g}"
