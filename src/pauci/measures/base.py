"""What a measure is, and the registry of all of them.

A measure is a small frozen object. It says what it is called and what values it can take, and
turns a piece of a curve into a value and into influence values, from which every standard error
in this package follows. The region is part of the measure.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np

from pauci.calls import answering, answering_constructor, answering_methods
from pauci.checks import FloatArray
from pauci.curve.counts import Table
from pauci.curve.polyline import Curve, Point
from pauci.curve.region import (
    WHOLE,
    AxisRegion,
    Bounds,
    ChosenPoint,
    Piece,
    PointRegion,
    Region,
    rational,
)
from pauci.errors import Part, UndefinedError
from pauci.measures.effective_size import EffectiveSize
from pauci.measures.influence import Influence

if TYPE_CHECKING:
    from pauci.measures.combination import Combination

M = TypeVar("M", bound="type[Measure]")

Stripe = Literal["vertical", "horizontal"]
Figure = Literal["roc", "precision_recall", "kappa", "hits"]

_OF_THE_REGION = ("fpr", "tpr", "threshold", "ends", "_region")

_MUCH_SCARCER = 5
"""A class is much scarcer if the other has at least this many times as many observations."""

REGISTRY: dict[str, "type[Measure]"] = {}
"""Every measure by the key that the command line uses."""


class Request(NamedTuple):
    """What must be known of a changed curve, so that a measure can be told from it.

    The bootstrap and the jackknife evaluate measures on curves that differ little from the
    sample's. A measure that says what it takes of such a curve spares them making it.

    Parameters
    ----------
    kind : str
        ``"piece"``: the piece of the curve inside the region. ``"ap"``, ``"ap of negatives"``,
        ``"auk"``, ``"max kappa"``: that number.
    region : Region
        Where a piece lies.
    prevalence : float
        Share of the positives; NaN means that of the resampled data.
    """

    kind: str
    region: Region = WHOLE
    prevalence: float = math.nan


class Needed(NamedTuple):
    """How many misranked observations of a class a trustworthy standard error needs."""

    noun: Literal["positives", "negatives"]
    number: float


class _OnlyArea(NamedTuple):
    """Stands for many resampled curves of which one area is known each."""

    areas: FloatArray

    def area(self, start: Point, end: Point) -> FloatArray:  # noqa: ARG002
        return self.areas


@answering_methods
class Measure(ABC):
    """Base class of all measures."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        answering_methods(cls)

    key: ClassVar[str]
    symbol: ClassVar[str]
    title: ClassVar[str]
    reference: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]] = ()
    """How the region of this measure can be given: "fpr", "tpr", "threshold", "both"."""

    has_influence: ClassVar[bool] = True
    """Whether there are influence values, and so analytic standard errors."""

    stripes: ClassVar[tuple[Stripe, ...]] = ("vertical", "horizontal")
    """Which areas of its region a measure counts: below the curve, to the right of it."""

    figure: ClassVar[Figure] = "roc"
    """The curve that shows what a measure is about, by its function in `pauci.plot`."""

    combination: "ClassVar[type[Combination]]"
    """What ``-``, ``+`` and ``/`` make of two measures: `pauci.measures.combination` enters it."""

    from_piece: ClassVar[bool] = False
    """Whether `value` needs no more than the area below the piece and the ends of the piece."""

    scalar: ClassVar[str | None] = None
    """The argument that is a single FPR or TPR rather than a region, if there is one."""

    @property
    def name(self) -> str:
        """Title and symbol, or one of them where they say the same; marked if normalized."""
        name = self.title if self.symbol in self.title else f"{self.title} ({self.symbol})"
        return f"normalized {name}" if getattr(self, "normalized", False) else name

    @property
    def label(self) -> str:
        """Symbol, marked if normalized: what tells measures apart in a table."""
        return f"{self.symbol} norm." if getattr(self, "normalized", False) else self.symbol

    @property
    def region_phrase(self) -> str:
        """The region in words, empty for the whole curve."""
        return str(self.region) if self.kinds or self.scalar else ""

    @property
    def has_region(self) -> bool:
        """Whether `region` says what part of the curve is looked at."""
        return True

    @property
    def regions(self) -> tuple[Region, ...]:
        """Every region that the value depends on."""
        return (self.region,)

    @property
    def parts(self) -> "tuple[Measure, ...]":
        """Measures whose values are all that `joined` takes to give this one, if there are any."""
        return ()

    @property
    def form(self) -> tuple[object, ...]:
        """All but the region: two measures of one form can be compared."""
        options = (
            f.name
            for f in fields(self)  # type: ignore[arg-type]  # every measure is a dataclass
            if f.name not in _OF_THE_REGION
        )
        return type(self), *(getattr(self, name) for name in options)

    @property
    def smoothness(self) -> Literal["smooth", "quantile", "unknown"]:
        """Whether small changes of the data move the value smoothly.

        A "quantile" hangs on where a single point of the curve lies, such as an estimated end.
        """
        region = self.region
        if isinstance(region, PointRegion | ChosenPoint):
            return "quantile"
        if isinstance(region, AxisRegion) and not self.known_ends:
            return "smooth" if region.low == 0 and region.high == 1 else "quantile"
        return "smooth"

    @property
    def known_ends(self) -> bool:
        """Whether no end of the region is estimated; a t quantile then improves intervals."""
        return False

    def fewest_misranked(self, n_pos: int, n_neg: int) -> "Needed | None":  # noqa: ARG002
        """Return how many observations of a class must be misranked for a trustworthy error.

        The number is n (1 - AUC), with n the size of the class. None if any number will do.
        """
        return None

    @property
    def has_limit(self) -> bool:
        """Whether no data of `pairs` pairs can be more variable than those of a share."""
        return False

    @property
    def has_binormal_floor(self) -> bool:
        """Whether intervals near 1 use at least the variance of an equal-variance binormal curve.

        See `pauci.variance.binormal`; for areas without estimated ends.
        """
        return False

    def height_at_rate(self, curve: Curve) -> tuple[Table, float] | None:  # noqa: ARG002
        """Return a table and the FPR at which the value is the height of its curve, if it is one.

        Such a value is a proportion: see `pauci.intervals.proportions`.
        """
        return None

    @property
    def uses_sample_prevalence(self) -> bool:
        """Whether the share of the positives in the sample enters the value."""
        return False

    def at_prevalence(self, share: float) -> "Measure":  # noqa: ARG002
        """Return the measure at this share of positives where it would be that of the sample.

        A case-control design chose the sample's share: whatever is drawn or left out, it stays.
        """
        return self

    def effective_size(
        self,
        n_pos: float,  # noqa: ARG002
        n_neg: float,  # noqa: ARG002
        share: float = math.nan,  # noqa: ARG002
    ) -> EffectiveSize | None:
        """Return how many observations a prevalence that is given leaves to decide the value.

        `share` is that of the positives in the sample. None where no prevalence is given.
        """
        return None

    @property
    def estimand(self) -> "Measure":
        """The measure of a population that this one estimates: itself, but for corrections."""
        return self

    def as_designed(self, table: Table) -> "Measure":
        """Return the measure at the prevalence of the table, if that was chosen."""
        return self.at_prevalence(table.prevalence) if table.fixed_prevalence else self

    @property
    @abstractmethod
    def region(self) -> Region:
        """The part of the curve that the measure looks at."""

    @property
    @abstractmethod
    def range(self) -> Bounds:
        """Smallest and largest value that the measure can take."""

    def bounds(self, curve: Curve) -> Bounds:  # noqa: ARG002
        """Return the smallest and largest value on data like these, where they depend on them."""
        return self.range

    def largest_share(self, whole: "Measure") -> float:  # noqa: ARG002
        """Return the largest ratio to a measure of which this one is a part; else infinity."""
        return math.inf

    @abstractmethod
    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the estimate on a piece of an empirical curve."""

    @abstractmethod
    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of a positive and of a negative in each tie group."""

    @abstractmethod
    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return how many disjoint positive-negative pairs inform the measure.

        They bound what data without any visible error can exclude (Hoeffding 1963): see
        `pauci.intervals.analytic`.
        """

    @property
    def divides_by_estimate(self) -> bool:
        """Whether the value is divided by an estimated length, so that errors of ends cancel."""
        return False

    @property
    def is_ratio(self) -> bool:
        """Whether the value is divided by an estimate, so that few observations move both."""
        return self.divides_by_estimate

    def rivalry(self, curve: Curve) -> float:  # noqa: ARG002
        """Return how uncertain a threshold is that is chosen for its value; 0 if none is."""
        return 0.0

    def support(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the observations that the value rests on, where they are those of the region.

        Infinite where each class counts as a whole, as in an area.
        """
        return math.inf

    def on(self, curve: Curve) -> float:
        """Return the estimate on the region's own piece of a curve."""
        return self.value(curve, self.region.piece(curve))

    def influence_on(self, curve: Curve) -> Influence:
        """Return the influence on the region's own piece of a curve."""
        return self.influence(curve, self.region.piece(curve))

    def requests(self) -> tuple[Request, ...]:
        """Return what must be known of resampled curves; nothing if only `value` will do."""
        return (Request("piece", self.region),) if self.from_piece else ()

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the values on R changed curves, from an array of shape (R, 5) for each `Request`.

        A piece has the area below it, FPR and TPR of its start, FPR and TPR of its end; other
        kinds have their number, the prevalence of the resampled data, and nothing else. Where the
        measure is undefined the value is NaN.
        """
        area, *ends = answers[0].T
        piece = Piece(Point(0, 0.0, *ends[:2]), Point(0, 0.0, *ends[2:]))
        return np.asarray(self.value(_OnlyArea(area), piece))  # type: ignore[arg-type]

    def joined(self, *values: Any) -> Any:
        """Return the value from the values of `parts`, numbers or arrays of them."""
        raise NotImplementedError

    def __sub__(self, other: object) -> "Combination":
        """Return the difference of two measures as a measure."""
        return self.combination(self, other, "-") if isinstance(other, Measure) else NotImplemented

    def __add__(self, other: object) -> "Combination":
        """Return the sum of two measures as a measure."""
        return self.combination(self, other, "+") if isinstance(other, Measure) else NotImplemented

    def __truediv__(self, other: object) -> "Combination":
        """Return the ratio of two measures as a measure."""
        return self.combination(self, other, "/") if isinstance(other, Measure) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._options == other._options

    def __hash__(self) -> int:
        return hash((type(self), self._options))

    @property
    def _options(self) -> tuple[object, ...]:
        """What was asked for. One comparison here spares each of some twenty classes its own."""
        return tuple([getattr(self, name) for name in _names_of_options(type(self))])

    def __repr__(self) -> str:
        options = (
            f"{f.name}={_plain(getattr(self, f.name))}"
            for f in fields(self)  # type: ignore[arg-type]  # every measure is a dataclass
            if f.init and getattr(self, f.name) != f.default
        )
        return f"{type(self).__name__}({', '.join(options)})"


@cache
def _names_of_options(cls: type[Measure]) -> list[str]:
    """Return the names of the fields that tell a measure from others of its class."""
    return [f.name for f in fields(cls) if f.compare]  # type: ignore[arg-type]  # a dataclass


def much_scarcer(n: int, other: int) -> bool:
    """Return whether a class has at most a fifth of the observations of the other."""
    return other >= _MUCH_SCARCER * n


def defined(denominator: Any, why: Callable[[], Sequence[Part]]) -> Any:
    """Return a denominator; one that is not positive raises, among many it becomes NaN."""
    if np.ndim(denominator):
        return np.where(denominator > 0.0, denominator, np.nan)
    if denominator <= 0.0:
        raise UndefinedError(*why())
    return denominator


@answering
def register(cls: M) -> M:
    """Enter a measure in the registry under its key."""
    if cls.key in REGISTRY:
        raise ValueError(f"two measures have the key {cls.key!r}")
    REGISTRY[cls.key] = cls
    return answering_constructor(cls)


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(_plain(v) for v in value)})"
    if not isinstance(value, float):
        return repr(value)
    short = f"{value:.10g}"
    alike = math.isinf(value) or rational(float(short)) == rational(value)
    return short if alike else repr(value)
