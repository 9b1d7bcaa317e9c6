r"""Measures that depend on the prevalence.

Average precision at a prevalence :math:`\pi` weighs the false positives among :math:`n_0` negatives
against a proportion :math:`\pi` of positives. It is determined by the part of the curve with an FPR
of at most about :math:`\pi/(1 - \pi)`, which contains effectively

.. math:: k = n_0 \frac{\pi}{1 - \pi}

of the negatives. With the classes swapped, the same holds for the positives with the lowest scores,
:math:`k = n_1 (1 - \pi)/\pi`, and for measures that are symmetric in the classes k is the smaller
of both.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from pauci.checks import FloatArray, Number, finite
from pauci.curve.counts import CountTable
from pauci.curve.region import WHOLE, Region
from pauci.errors import InputError, UndefinedError
from pauci.measures.base import Measure, Request

SMALLEST_PROPORTION = 1e-50
"""Smallest proportion of a class. Influence values are proportional to the inverse of the
proportion, and their fourth powers must not overflow."""


class Shares(NamedTuple):
    """Proportions of positives and of negatives, each in full precision."""

    pos: Any
    neg: Any

    @property
    def swapped(self) -> "Shares":
        """The proportions with the classes exchanged."""
        return Shares(self.neg, self.pos)


def as_designed(measure: Measure, table: CountTable) -> Measure:
    """Return a measure at the prevalence of the table, if this was fixed by design."""
    return measure.at_prevalence(table.prevalence) if table.fixed_prevalence else measure


def validate_prevalence(prevalence: object) -> float | None:
    """Return a prevalence as a float; None for that of the sample."""
    if prevalence is None:
        return None
    share = finite("prevalence", prevalence)
    if SMALLEST_PROPORTION <= share < 1.0:
        return share
    problem = (
        "must lie strictly between 0 and 1: it is the proportion of positives in the target "
        "population. Leave it out to use that of the sample."
    )
    if 0.0 < share < 1.0:
        problem = (
            f"is too close to 0: below {SMALLEST_PROPORTION:g}, standard errors exceed the range "
            "of floating-point numbers. Use a larger value."
        )
    raise InputError.of("prevalence", prevalence, problem)


@dataclass(frozen=True, eq=False, repr=False)
class AtPrevalence(Measure):
    """A measure of the whole curve at a prevalence, by default that of the sample."""

    prevalence: Number | None = None

    def __post_init__(self) -> None:
        validate_prevalence(self.prevalence)

    region: ClassVar[Region] = WHOLE
    known_ends: ClassVar[bool] = True

    @property
    def uses_sample_prevalence(self) -> bool:  # type: ignore[override]
        """Whether the value depends on the prevalence of the sample."""
        return self.prevalence is None

    def at_prevalence(self, share: float) -> Measure:
        """Return the measure at this prevalence, unless it already has one."""
        if self.prevalence is not None:
            return self
        if not SMALLEST_PROPORTION <= share < 1.0:
            raise _extreme_prevalence_error(share, 1.0 - share)
        return replace(self, prevalence=share)

    def effective_size(self, n_pos: float, n_neg: float) -> float | None:
        """Return the effective number of observations at the specified prevalence, if any."""
        if self.prevalence is None:
            return None
        odds = float(self.prevalence) / (1.0 - float(self.prevalence))
        return min(n_neg * odds, n_pos / odds)

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the size of the smaller class, or the effective size if that is smaller."""
        size = self.effective_size(n_pos, n_neg)
        return float(min(n_pos, n_neg) if size is None else min(n_pos, n_neg, size))

    @property
    def label(self) -> str:
        """Symbol, with the prevalence if it is specified."""
        return f"{super().label}{self._prevalence_suffix}"

    @property
    def name(self) -> str:
        """Title and symbol, with the prevalence if it is specified."""
        return f"{super().name}{self._prevalence_suffix}"

    @property
    def _prevalence_suffix(self) -> str:
        return "" if self.prevalence is None else f" at prevalence {float(self.prevalence):g}"

    summary: ClassVar[str]
    """The kind of the summary of a resampled curve that is the value."""

    def requests(self) -> tuple[Request, ...]:
        """Return the summary at the prevalence."""
        share = math.nan if self.prevalence is None else float(self.prevalence)
        return (Request(self.summary, WHOLE, share),)

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the value on resampled curves."""
        return answers[0][:, 0]

    def _shares(self, table: CountTable) -> Shares:
        """Return the specified prevalence, or that of the table, and its complement."""
        if self.prevalence is not None:
            share = float(self.prevalence)
            return Shares(share, 1.0 - share)
        total = table.total_pos + table.total_neg
        shares = Shares(table.total_pos / total, table.total_neg / total)
        if min(shares) < SMALLEST_PROPORTION:
            raise _extreme_prevalence_error(*shares)
        return shares


def _extreme_prevalence_error(pos: float, neg: float) -> UndefinedError:
    """Return the error for a class whose proportion is too close to 0."""
    return UndefinedError(
        f"the proportions of positives and negatives are {pos:g} and {neg:g}: at such a "
        "prevalence the measure is numerically undefined.",
        hint=f"Pass prevalence=, at least {SMALLEST_PROPORTION:g} and below 1.",
    )
