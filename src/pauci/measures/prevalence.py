"""Measures that depend on how common the positives are."""

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pauci import checks
from pauci.accepted import Number
from pauci.curve.counts import Table
from pauci.curve.region import WHOLE, Region
from pauci.errors import InputError, UndefinedError, arg
from pauci.measures.base import Measure, Request
from pauci.measures.effective_size import EffectiveSize

RAREST = 1e-50
"""Smallest share of a class: influence values grow as its inverse, and their fourth powers too."""


class Shares(NamedTuple):
    """Shares of the positives and of the negatives, each with all its digits."""

    pos: Any
    neg: Any

    @property
    def swapped(self) -> "Shares":
        """The shares with the classes exchanged."""
        return Shares(self.neg, self.pos)


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
    if share < RAREST:
        raise InputError(
            arg("prevalence", prevalence),
            f" is too close to 0: below {RAREST:g} standard errors are beyond what floating point "
            "numbers hold. Use a larger one.",
        )
    return share


@dataclass(frozen=True, eq=False, repr=False)
class AtPrevalence(Measure):
    """A measure of the whole curve and of the prevalence, the sample's unless one is given."""

    prevalence: "Number | None" = None

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
        if self.prevalence is not None:
            return self
        if not RAREST <= share < 1.0:
            raise _too_one_sided(share, 1.0 - share)
        return replace(self, prevalence=share)

    def effective_size(
        self, n_pos: float, n_neg: float, share: float = math.nan
    ) -> EffectiveSize | None:
        """Return how many observations the prevalence that is given leaves to decide the value."""
        if self.prevalence is None:
            return None
        size = self._effective_size(n_pos, n_neg, float(self.prevalence))
        # Of weighted or clustered rows k is another number at the sample's own prevalence too.
        return size._replace(own=size.size) if math.isclose(self.prevalence, share) else size

    def _effective_size(self, n_pos: float, n_neg: float, prevalence: float) -> EffectiveSize:
        """Return the smaller of both classes: as of a measure that looks at them alike."""
        return EffectiveSize.of_both(n_pos, n_neg, prevalence)

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the size of the smaller class, or how much of one the prevalence leaves."""
        size = self.effective_size(n_pos, n_neg)
        return float(min(n_pos, n_neg) if size is None else min(n_pos, n_neg, size.size))

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

    def _shares(self, table: Table) -> Shares:
        """Return the prevalence that is given, else that of the table, and its complement."""
        if self.prevalence is not None:
            share = float(self.prevalence)
            return Shares(share, 1.0 - share)
        total = table.total_pos + table.total_neg
        shares = Shares(table.total_pos / total, table.total_neg / total)
        if min(shares) < RAREST:
            raise _too_one_sided(*shares)
        return shares


def _too_one_sided(pos: float, neg: float) -> UndefinedError:
    """Return what to raise where one class all but vanishes beside the other."""
    return UndefinedError(
        f"positives and negatives make up shares of {pos:g} and {neg:g}: at such a prevalence "
        "floating point numbers have no answer. Give ",
        arg("prevalence"),
        f", at least {RAREST:g} and below 1.",
    )
