"""Measures that depend on how common the positives are."""

import math
from dataclasses import dataclass, replace
from typing import Any

from pauci import checks
from pauci.curve.counts import Table
from pauci.curve.region import WHOLE, Region
from pauci.errors import InputError, arg
from pauci.measures.base import Measure, Request


def checked_prevalence(prevalence: object) -> float | None:
    """Return a prevalence as a float, None for that of the sample."""
    if prevalence is None:
        return None
    share = checks.finite("prevalence", prevalence)
    if not 0.0 < share < 1.0:
        raise InputError(
            arg("prevalence", prevalence),
            " must lie strictly between 0 and 1: the share of "
            "positives in the population that is meant. Leave it out for the sample's own.",
        )
    return share


@dataclass(frozen=True, repr=False)
class AtPrevalence(Measure):
    """A measure of the whole curve and of the prevalence, the sample's unless one is given."""

    prevalence: Any = None

    def __post_init__(self) -> None:
        checked_prevalence(self.prevalence)

    @property
    def region(self) -> Region:
        """The whole curve."""
        return WHOLE

    @property
    def known_ends(self) -> bool:
        """Return True: the corners are known."""
        return True

    @property
    def uses_sample_prevalence(self) -> bool:
        """Whether the prevalence of the sample enters the value."""
        return self.prevalence is None

    def at_prevalence(self, share: float) -> Measure:
        """Return the measure at this prevalence, unless it has one already."""
        return self if self.prevalence is not None else replace(self, prevalence=share)

    @property
    def label(self) -> str:
        """Symbol, with the prevalence if one is given."""
        return f"{super().label}{self._at}"

    @property
    def name(self) -> str:
        """Title and symbol, with the prevalence if one is given."""
        return f"{super().name}{self._at}"

    @property
    def _at(self) -> str:
        return "" if self.prevalence is None else f" at prevalence {float(self.prevalence):g}"

    def _request(self, kind: Any) -> tuple[Request, ...]:
        """Return the number of one kind at the prevalence."""
        share = math.nan if self.prevalence is None else float(self.prevalence)
        return (Request(kind, WHOLE, share),)

    def _share(self, table: Table) -> Any:
        """Return the prevalence: the one given, else the share of the positives in the table."""
        if self.prevalence is not None:
            return float(self.prevalence)
        return table.prevalence
