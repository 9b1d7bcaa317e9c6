"""What tables say of scores that were counted in cells: how much of a number these may hide."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pauci.results.cells import Note, Own, difference_of
from pauci.results.format import hidden_by_cells

if TYPE_CHECKING:
    from pauci.results.comparison import Comparison
    from pauci.results.estimate import Estimate


def notes_on_cells(estimates: "Iterable[Estimate]") -> list[Note]:
    """Return how far each value on cells may be from that on the scores."""
    return [
        Note(
            (
                Own(e.classifier),
                f" {e.measure.label}: {hidden_by_cells('value', e.resolution_bound)}.",
            )
        )
        for e in estimates
        if e.resolution_bound != 0.0
    ]


def notes_on_cells_of(comparisons: "Iterable[Comparison]") -> list[Note]:
    """Return how far each difference on cells may be from that on the scores."""
    return [
        Note((*difference_of(c.first, c.second), f" {c.measure.label}: ", words))
        for c in comparisons
        if c.resolution_bound != 0.0
        for words in [f"{hidden_by_cells('difference', c.resolution_bound)}."]
    ]
