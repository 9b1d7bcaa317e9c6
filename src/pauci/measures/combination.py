"""Differences, sums and ratios of measures, which are measures themselves."""

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, Bounds, Piece, Region
from pauci.errors import UndefinedError
from pauci.measures.base import Measure, MisrankedRequirement, Request
from pauci.measures.effective_size import EffectiveSize, smallest_effective_size
from pauci.measures.influence import Influence, combine

if TYPE_CHECKING:
    from pauci.measures.binning_error import BinnedCurve


@dataclass(frozen=True, eq=False, repr=False)
class Combination(Measure):
    """The difference, sum or ratio of two measures of the same classifier.

    Combinations are created by the operators ``-``, ``+`` and ``/`` between measures. The variance
    is obtained by the delta method from the joint influence values of both measures, so it accounts
    for their correlation.

    Parameters
    ----------
    first, second : Measure
        The two measures.
    operation : {"-", "+", "/"}
        The operation on their values.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="malignant", scores="svm")
    >>> share = pauci.PAUCc(fpr=(0, 0.1)) / pauci.AUC()
    >>> round(pauci.estimate(sample, share).value, 4)
    0.5224
    """

    title: ClassVar[str] = "combination of measures"
    reference: ClassVar[str] = "the delta rule"

    first: Measure
    second: Measure
    operation: Literal["-", "+", "/"]

    @property
    def symbol(self) -> str:  # type: ignore[override]
        """Both symbols, with their regions if there are any."""
        names = (
            f"({m.symbol})"
            if isinstance(m, Combination)
            else f"{m.label} ({m.region_phrase})"
            if m.region_phrase
            else m.label
            for m in (self.first, self.second)
        )
        return f" {self.operation} ".join(names)

    @property
    def label_without_region(self) -> str:
        """Both labels, without their regions."""
        names = (
            f"({m.label_without_region})" if isinstance(m, Combination) else m.label
            for m in (self.first, self.second)
        )
        return f" {self.operation} ".join(names)

    @property
    def known_ends(self) -> bool:
        """Whether both measures have known ends."""
        return self.first.known_ends and self.second.known_ends

    @property
    def has_region(self) -> bool:
        """Whether both measures have the same region; otherwise the symbol contains the regions."""
        same = self.first.region == self.second.region
        return same and self.first.has_region and self.second.has_region

    @property
    def region(self) -> Region:
        """The region of both measures, or the whole curve if the regions differ."""
        return self.first.region if self.first.region == self.second.region else WHOLE

    @property
    def regions(self) -> tuple[Region, ...]:
        """The regions of both measures."""
        return self.first.regions + self.second.regions

    @property
    def form(self) -> tuple[object, ...]:
        """The operation and the forms of both measures."""
        return self.operation, self.first.form, self.second.form

    @property
    def smoothness(self) -> Literal["smooth", "quantile", "unknown"]:
        """The smoothness of the less smooth measure."""
        kinds = {self.first.smoothness, self.second.smoothness}
        return "unknown" if "unknown" in kinds else "quantile" if "quantile" in kinds else "smooth"

    @property
    def parts(self) -> tuple[Measure, ...]:
        """Both measures."""
        return self.first, self.second

    @property
    def denominators(self) -> tuple[tuple[Measure, float], ...]:
        """Those of both measures, and the second measure of a ratio if it may be negative."""
        of_parts = self.first.denominators + self.second.denominators
        return of_parts if self.ratio is None else ((self.second, 0.0), *of_parts)

    @property
    def ratio(self) -> tuple[Measure, Measure] | None:
        """Both measures, if the second measure of a ratio may be negative."""
        is_ratio = self.operation == "/" and self.second.range.low < 0.0
        return (self.first, self.second) if is_ratio and self.second.has_influence else None

    @property
    def uses_sample_prevalence(self) -> bool:
        """Whether one of the values depends on the proportion of positives in the sample."""
        return self.first.uses_sample_prevalence or self.second.uses_sample_prevalence

    def at_prevalence(self, share: float) -> Measure:
        """Return the combination of both measures at this prevalence."""
        first, second = (m.at_prevalence(share) for m in self.parts)
        return replace(self, first=first, second=second)

    def for_classifier(self, name: str) -> Measure:
        """Return the combination of both measures of one classifier."""
        first, second = (m.for_classifier(name) for m in self.parts)
        return replace(self, first=first, second=second)

    @property
    def of_risks(self) -> bool:
        """Whether the scores must be predicted risks for one of both measures."""
        return any(m.of_risks for m in self.parts)

    def check_scores(self, table: CountTable) -> None:
        """Raise an error if one of the measures does not accept the scores."""
        for measure in self.parts:
            measure.check_scores(table)

    @property
    def estimand(self) -> Measure:
        """The combination of the estimands of both measures."""
        first, second = (m.estimand for m in self.parts)
        return replace(self, first=first, second=second)

    @property
    def in_folds(self) -> Measure:
        """The combination of both measures as they are averaged over folds."""
        first, second = (m.in_folds for m in self.parts)
        return replace(self, first=first, second=second)

    @property
    def is_biased(self) -> bool:
        """Whether one of both measures is biased."""
        return any(m.is_biased for m in self.parts)

    def effective_size(
        self, n_pos: float, n_neg: float, share: float = math.nan
    ) -> EffectiveSize | None:
        """Return the smaller of both effective sizes."""
        return smallest_effective_size([m.effective_size(n_pos, n_neg, share) for m in self.parts])

    @property
    def range(self) -> Bounds:
        """The range that follows from the ranges of both measures."""
        return self._bounds(self.first.range, self.second.range)

    def bounds(self, curve: Curve) -> Bounds:
        """Return the bounds that follow from the bounds of both measures."""
        return self._bounds(self.first.bounds(curve), self.second.bounds(curve))

    def _bounds(self, first: Bounds, second: Bounds) -> Bounds:
        (a, b), (c, d) = first, second
        if self.operation == "-":
            return Bounds(a - d, b - c)
        if self.operation == "+":
            return Bounds(a + c, b + d)
        if math.isfinite(self._largest_share):
            return Bounds(0.0, self._largest_share)
        if c > 0.0:
            ends = (a / c, a / d, b / c, b / d)
            return Bounds(min(ends), max(ends))
        return Bounds(0.0 if a >= 0.0 and c == 0.0 else -math.inf, math.inf)

    @property
    def _largest_share(self) -> float:
        return self.first.largest_share(self.second) if self.operation == "/" else math.inf

    def binned_bounds(self, binned: "BinnedCurve") -> Bounds:
        """Return the bounds that follow from the binned bounds of both measures."""
        first, second = (m.binned_bounds(binned) for m in self.parts)
        if self.operation == "/" and second.low <= 0.0 <= second.high:
            return self.bounds(binned.curve)
        values = [self.joined(a, b) for a, b in product(first, second)]
        return Bounds(min(values), max(values))

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the difference, sum or ratio."""
        return self.joined(*self._values(curve))  # type: ignore[no-any-return]

    def requests(self) -> tuple[Request, ...]:
        """Return the requests of both measures."""
        requests = self.first.requests(), self.second.requests()
        return sum(requests, ()) if all(requests) else ()

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the difference, sum or ratio on resampled curves."""
        n = len(self.first.requests())
        joined = self.joined(
            self.first.from_replicates(*answers[:n]), self.second.from_replicates(*answers[n:])
        )
        return np.asarray(joined)

    def joined(self, *values: Any) -> Any:
        """Return the difference, sum or ratio of two values."""
        a, b = values
        if self.operation == "/":
            if np.ndim(b) == 0 and b == 0.0:
                raise UndefinedError((self, f" is undefined here: {self.second!r} is 0."))
            return a / np.where(b == 0.0, np.nan, b) if np.ndim(b) else a / b
        return a - b if self.operation == "-" else a + b

    def influence(self, curve: Curve, piece: Piece) -> Influence:  # noqa: ARG002
        """Return the influence by the delta method from both measures."""
        parts = [m.influence_on(curve) for m in (self.first, self.second)]
        if self.operation == "/":
            a, b = self._values(curve)
            ratio = self.joined(a, b)  # raises an error if it is undefined
            return combine(parts, (1.0 / b, -ratio / b))
        return combine(parts, (1.0, -1.0 if self.operation == "-" else 1.0))

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the smaller of both numbers of pairs."""
        return min(m.pairs(n_pos, n_neg) for m in (self.first, self.second))

    @property
    def is_ratio(self) -> bool:
        """Whether this or one of the two measures is a ratio."""
        return self.operation == "/" or any(m.is_ratio for m in self.parts)

    def fewest_misranked(self, n_pos: int, n_neg: int) -> MisrankedRequirement | None:
        """Return the larger of both requirements."""
        needed = [m.fewest_misranked(n_pos, n_neg) for m in self.parts]
        return max((n for n in needed if n is not None), key=lambda n: n.number, default=None)

    def support(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the smaller of both supports."""
        return min(m.support(curve, m.region.piece(curve)) for m in self.parts)

    def _values(self, curve: Curve) -> tuple[float, float]:
        a, b = (m.on(curve) for m in (self.first, self.second))
        return a, b

    def __repr__(self) -> str:
        first, second = (
            f"({m!r})" if isinstance(m, Combination) else repr(m) for m in (self.first, self.second)
        )
        return f"{first} {self.operation} {second}"


Measure.combination = Combination
