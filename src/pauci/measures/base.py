"""Base classes of measures: the differences, sums and ratios of two, and functions of users.

A measure is a small frozen object that includes its region. It has a name and a range of values,
and it calculates a value and influence values from a piece of a curve. All analytic standard errors
in this package follow from the influence values.
"""

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeVar

import numpy as np

from pauci.calls import validate_call, validate_constructor, validate_methods, validated_dataclass
from pauci.checks import FloatArray, Function
from pauci.curve.polyline import Axis, Curve, KnownArea, Point
from pauci.curve.region import WHOLE, Bounds, Piece, Region, rational
from pauci.errors import InputError, InputTypeError, UndefinedError
from pauci.measures.influence import Influence, combine

if TYPE_CHECKING:
    from pauci.measures.scorer import Scorer

M = TypeVar("M", bound="type[Measure]")

Stripe = Literal["vertical", "horizontal"]
Figure = Literal["roc", "precision_recall", "kappa", "hits"]


REGISTRY: dict[str, "type[Measure]"] = {}
"""All measures, by the keys that the command line uses."""


class Request(NamedTuple):
    """A summary of a resampled curve from which a measure can be calculated.

    The bootstrap and the jackknife evaluate measures on many curves. If a measure specifies the
    summaries that it requires, they are calculated directly, without the curves.

    Parameters
    ----------
    kind : str
        ``"piece"``: the piece of the curve inside the region. ``"ap"``, ``"ap of negatives"``,
        ``"corrected ap"``, ``"corrected ap of negatives"``, ``"auk"``, ``"max kappa"``: the value
        of this measure. ``"prevalence"``: the prevalence.
    region : Region
        Region of the piece.
    prevalence : float
        Prevalence of positives; NaN means that of the resampled data.
    by_design : bool
        Whether a value at the prevalence of a case-control sample differs from that of a cohort
        with the same prevalence.
    """

    kind: str
    region: Region = WHOLE
    prevalence: float = math.nan
    by_design: bool = False


@validate_methods
class Measure(ABC):
    """Base class of all measures."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        validate_methods(cls)

    key: ClassVar[str]
    symbol: ClassVar[str]
    title: ClassVar[str]
    reference: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]] = ()
    """The ways to specify the region of this measure: "fpr", "tpr", "threshold", "both"."""

    has_influence: ClassVar[bool] = True
    """Whether the measure has influence values and therefore analytic standard errors."""

    has_interval: ClassVar[bool] = True
    """Whether intervals and tests of the measure are reported."""

    stripes: ClassVar[tuple[Stripe, ...]] = ("vertical", "horizontal")
    """The areas in the region that the measure includes: below the curve, to the right of it."""

    figure: ClassVar[Figure] = "roc"
    """The plot that illustrates the measure, by the name of its function in `pauci.plot`."""

    scalar: ClassVar[Axis | None] = None
    """The argument that is a single FPR or TPR instead of a region, if there is one."""

    @property
    def name(self) -> str:
        """Title and symbol, or the title alone if it contains the symbol; marked if normalized."""
        name = self.title if self.symbol in self.title else f"{self.title} ({self.symbol})"
        return f"normalized {name}" if getattr(self, "normalized", False) else name

    if not TYPE_CHECKING:  # for type checkers only classes have a name

        @property
        def __name__(self) -> str:
            """The measure as it is written, for functions that print the name of a function."""
            return repr(self)

    @property
    def label(self) -> str:
        """Symbol, marked if normalized, which identifies the measure in a table."""
        return f"{self.symbol} norm." if getattr(self, "normalized", False) else self.symbol

    @property
    def label_and_place(self) -> tuple[str, str]:
        """The label without what is its place on the curve, and this place; both in words."""
        return self.label, self.region_phrase

    as_average: ClassVar[tuple[str, float] | None] = None
    """The name of an area as an average rate from 0 to 1, and the factor to it; None if none.

    A partial area over a given range of rates is the average sensitivity or specificity in this
    range, times its length.
    """

    @property
    def label_without_region(self) -> str:
        """The label, without the regions of its parts if it is a combination."""
        return self.label

    @property
    def region_phrase(self) -> str:
        """The region in words, empty for the whole curve."""
        return str(self.region) if self.kinds or self.scalar else ""

    has_region: ClassVar[bool] = True
    """Whether `region` is the part of the curve that the measure evaluates."""

    def for_classifier(self, name: str) -> "Measure":  # noqa: ARG002
        """Return the measure of one classifier, if it has a threshold for each."""
        return self

    @property
    def regions(self) -> tuple[Region, ...]:
        """Every region that the value depends on."""
        return (self.region,)

    known_ends: ClassVar[bool] = False
    """Whether no end of the region is estimated; see `pauci.variance.ends` for estimated ends."""

    interval_kind: ClassVar[str | None] = None
    """The default kind of intervals, if it does not follow from the range of the measure."""

    of_risks: ClassVar[bool] = False
    """Whether the scores must be predicted risks: probabilities of the positive class."""

    has_limit: ClassVar[bool] = False
    """Whether the variance is at most that of a proportion of `pairs` pairs."""

    has_binormal_floor: ClassVar[bool] = False
    """Whether intervals near 1 use at least the variance of an equal-variance binormal curve.

    This applies to areas without estimated ends, see `pauci.variance.binormal`.
    """

    uses_sample_prevalence: ClassVar[bool] = False
    """Whether the value depends on the proportion of positives in the sample."""

    def at_prevalence(self, share: float) -> "Measure":  # noqa: ARG002
        """Return the measure at this prevalence if it would otherwise use that of the sample.

        In a case-control design the prevalence of the sample was chosen, so it is not changed if
        rows are resampled or left out.
        """
        return self

    def effective_size(self, n_pos: float, n_neg: float) -> float | None:  # noqa: ARG002
        """Return the effective number of observations at a specified prevalence, if any."""
        return None

    @property
    def estimand(self) -> "Measure":
        """The population measure that is estimated: this measure without bias corrections."""
        return self

    @property
    def in_folds(self) -> "Measure":
        """The measure whose estimates in the folds of a cross-validation are averaged.

        It is corrected for the bias of small samples, if such a correction is available and neither
        requested nor excluded by the user.
        """
        return self

    @property
    @abstractmethod
    def region(self) -> Region:
        """The part of the curve that the measure evaluates."""

    @property
    @abstractmethod
    def range(self) -> Bounds:
        """Smallest and largest value that the measure can take."""

    def bounds(self, curve: Curve) -> Bounds:  # noqa: ARG002
        """Return the smallest and largest value, which may depend on the data."""
        return self.range

    def largest_share(self, whole: "Measure") -> float:  # noqa: ARG002
        """Return the largest ratio to a measure that includes this one; infinity for others."""
        return math.inf

    @abstractmethod
    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the estimate on a piece of an empirical curve."""

    @abstractmethod
    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of a positive and of a negative in each tie group."""

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of disjoint positive-negative pairs on which the measure is based.

        Intervals are calculated from this number if no pair of the sample is misranked (Hoeffding
        1963), see `pauci.intervals.analytic`. By default it is the size of the smaller class.
        """
        return float(min(n_pos, n_neg))

    def support(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the number of observations in the region if only these determine the value.

        Infinite if the value depends on all observations of each class, as an area does.
        """
        return math.inf

    higher_is_better: ClassVar[bool | None] = True
    """Whether higher values mean a better classifier; None if neither end is the best."""

    def __call__(
        self,
        y_true: Any,
        y_score: Any,
        y_test: Any = None,
        *,
        positive: object = None,
        weight: Any = None,
    ) -> float:
        """Return the value for labels and scores, without a standard error.

        A measure can be passed as ``scoring=`` of scikit-learn, which calls it with a fitted
        estimator, features and labels: the value is that of `scorer` with its default arguments,
        and for more than two classes that of ``pauci.Macro(measure).scorer()``.

        Parameters
        ----------
        y_true : array_like of shape (n,)
            Labels, as for `Sample`.
        y_score : array_like of shape (n,)
            Scores of one classifier, as for `Sample`.
        y_test : array_like of shape (n,), optional
            Labels, if the first two arguments are an estimator and features.
        positive : scalar, optional
            The label of the positive class, as for `Sample`.
        weight : array_like of float, shape (n,), optional
            Sampling weight of each row.

        Returns
        -------
        float

        Raises
        ------
        ValueError, TypeError
            If labels or scores are invalid, or the measure is undefined. No warnings are issued.

        Examples
        --------
        >>> import pauci
        >>> pauci.AUC()([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        0.75
        """
        if y_test is not None:
            from pauci.measures.scorer import scorer_for

            return scorer_for(self, y_true)(y_true, y_score, y_test)
        from pauci.sample.sample import Sample

        sample = Sample(y_true, y_score, positive, weight=weight)
        ratings = sample.ratings()
        value = float(self.for_classifier(ratings.name).on(ratings.curve))
        if not math.isfinite(value):
            raise UndefinedError((self, f" is {value} on these data."))
        return value

    def scorer(self, pos_label: object = None, response_method: str = "auto") -> "Scorer[Self]":
        """Return a scorer for ``scoring=`` of scikit-learn, as in ``GridSearchCV``.

        Parameters
        ----------
        pos_label : scalar, optional
            The label of the positive class, needed unless the classes are 0/1, booleans or -1/1.
        response_method : {"auto", "predict_proba", "decision_function", "predict"}
            The method that returns the scores, as for `Sample.from_estimator`.

        Returns
        -------
        Scorer
            A function of (estimator, X, y) that returns a float, which can be pickled. Its value is
            negative if lower values are better, as those of `Brier` are, and NaN for data of one
            class or without a value of the measure. It does not issue warnings.

        Raises
        ------
        ValueError
            If neither large nor small values of the measure are the best ones.

        Examples
        --------
        >>> import pauci
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import cross_val_score
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> scorer = pauci.PAUC(fpr=(0, 0.1), normalized=True).scorer()
        >>> cross_val_score(GaussianNB(), X, y, scoring=scorer).round(2).tolist()
        [0.87, 0.88, 0.97, 0.92, 0.96]
        """
        from pauci.measures.scorer import Scorer

        return Scorer(self, pos_label, response_method)

    def on(self, curve: Curve) -> float:
        """Return the estimate on the piece of a curve in the region."""
        return self.value(curve, self.region.piece(curve))

    def influence_on(self, curve: Curve) -> Influence:
        """Return the influence on the piece of a curve in the region."""
        return self.influence(curve, self.region.piece(curve))

    def requests(self) -> tuple[Request, ...]:
        """Return the required summaries of resampled curves; empty if full curves are needed."""
        return ()

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the values on R resampled curves, from an array of R rows for each `Request`.

        The columns for a piece are the area below it, FPR and TPR of its start, and FPR and TPR of
        its end. For the other kinds they are the value, the prevalence of the resampled data, and
        three unused columns. Undefined values are NaN.
        """
        area, *ends = answers[0].T
        piece = Piece(Point(0, 0.0, *ends[:2]), Point(0, 0.0, *ends[2:]))
        return np.asarray(self.value(KnownArea(area), piece))  # type: ignore[arg-type]

    def __sub__(self, other: object) -> "Combination":
        """Return the difference of two measures as a measure."""
        return Combination(self, other, "-") if isinstance(other, Measure) else NotImplemented

    def __add__(self, other: object) -> "Combination":
        """Return the sum of two measures as a measure."""
        return Combination(self, other, "+") if isinstance(other, Measure) else NotImplemented

    def __truediv__(self, other: object) -> "Combination":
        """Return the ratio of two measures as a measure."""
        return Combination(self, other, "/") if isinstance(other, Measure) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _options(self) == _options(other)

    def __hash__(self) -> int:
        return hash((type(self), _options(self)))

    def __repr__(self) -> str:
        options = (
            f"{f.name}={_format_value(getattr(self, f.name))}"
            for f in fields(self)  # type: ignore[arg-type]  # every measure is a dataclass
            if f.init and getattr(self, f.name) != f.default
        )
        return f"{type(self).__name__}({', '.join(options)})"


def depends_on_risk(measure: Measure) -> bool:
    """Return whether the value depends on predicted risks or on the prevalence of the sample."""
    return measure.of_risks or measure.uses_sample_prevalence


class OfPiece(Measure):
    """A measure whose value depends only on the area below the piece and on the ends of it."""

    def requests(self) -> tuple[Request, ...]:
        """Return the piece."""
        return (Request("piece", self.region),)


def _of_parts(name: str, joined: Callable[[Iterable[bool]], bool]) -> Any:
    """Return a property of a combination that all, or any, of its measures have."""
    doc = f"Whether {joined.__name__} of both measures have `{name}`."
    return property(lambda self: joined(getattr(m, name) for m in self.parts), doc=doc)


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
    >>> share = pauci.PAUCc(fpr=(0, 0.1)) / pauci.AUC()
    >>> round(share(frame["malignant"], frame["svm"]), 4)
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
            if type(m) is Combination
            else f"{m.label} ({m.region_phrase})"
            if m.region_phrase
            else m.label
            for m in self.parts
        )
        return f" {self.operation} ".join(names)

    @property
    def label_without_region(self) -> str:
        """Both labels, without their regions."""
        names = (
            f"({m.label_without_region})" if type(m) is Combination else m.label for m in self.parts
        )
        return f" {self.operation} ".join(names)

    known_ends: ClassVar[Any] = _of_parts("known_ends", all)
    has_influence: ClassVar[Any] = _of_parts("has_influence", all)
    has_interval: ClassVar[Any] = _of_parts("has_interval", all)
    of_risks: ClassVar[Any] = _of_parts("of_risks", any)
    uses_sample_prevalence: ClassVar[Any] = _of_parts("uses_sample_prevalence", any)

    @property
    def has_region(self) -> bool:  # type: ignore[override]
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
    def parts(self) -> tuple[Measure, Measure]:
        """Both measures."""
        return self.first, self.second

    @property
    def divides_by_either_sign(self) -> bool:
        """Whether this is a ratio whose denominator may be positive or negative."""
        return self.operation == "/" and self.second.range.low < 0.0 and self.second.has_influence

    @property
    def denominators(self) -> tuple[tuple[Measure, float], ...]:
        """Measures that may have either sign in a denominator, with the value where that is 0.

        If the interval of such a measure contains this value, the ratio is undefined.
        """
        inner = [d for m in self.parts if isinstance(m, Combination) for d in m.denominators]
        return ((self.second, 0.0), *inner) if self.divides_by_either_sign else tuple(inner)

    def at_prevalence(self, share: float) -> Measure:
        """Return the combination of both measures at this prevalence."""
        return self._of(self.first.at_prevalence(share), self.second.at_prevalence(share))

    def for_classifier(self, name: str) -> Measure:
        """Return the combination of both measures of one classifier."""
        return self._of(self.first.for_classifier(name), self.second.for_classifier(name))

    @property
    def estimand(self) -> Measure:
        """The combination of the estimands of both measures."""
        return self._of(self.first.estimand, self.second.estimand)

    @property
    def in_folds(self) -> Measure:
        """The combination of both measures as they are averaged over folds."""
        return self._of(self.first.in_folds, self.second.in_folds)

    def _of(self, first: Measure, second: Measure) -> Measure:
        """Return the combination of other measures; this one if they are the same."""
        same = (first, second) == self.parts
        return self if same else Combination(first, second, self.operation)

    def effective_size(self, n_pos: float, n_neg: float) -> float | None:
        """Return the smaller of both effective sizes."""
        sizes = [m.effective_size(n_pos, n_neg) for m in self.parts]
        return min((k for k in sizes if k is not None), default=None)

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
        largest_share = self.first.largest_share(self.second)
        if math.isfinite(largest_share):
            return Bounds(0.0, largest_share)
        if c > 0.0:
            ends = (a / c, a / d, b / c, b / d)
            return Bounds(min(ends), max(ends))
        return Bounds(0.0 if a >= 0.0 and c == 0.0 else -math.inf, math.inf)

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the difference, sum or ratio."""
        return self.joined(*(m.on(curve) for m in self.parts))  # type: ignore[no-any-return]

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
        parts = [m.influence_on(curve) for m in self.parts]
        if self.operation == "/":
            a, b = (m.on(curve) for m in self.parts)
            ratio = self.joined(a, b)  # raises an error if it is undefined
            return combine(parts, (1.0 / b, -ratio / b))
        return combine(parts, (1.0, -1.0 if self.operation == "-" else 1.0))

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the smaller of both numbers of pairs."""
        return min(m.pairs(n_pos, n_neg) for m in self.parts)

    def support(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the smaller of both supports."""
        return min(m.support(curve, m.region.piece(curve)) for m in self.parts)

    def __repr__(self) -> str:
        first, second = (f"({m!r})" if type(m) is Combination else repr(m) for m in self.parts)
        return f"{first} {self.operation} {second}"


@validated_dataclass
class Statistic(Measure):
    """Any function of (labels, scores), for resampling.

    `estimate` and `compare` convert a plain function to a `Statistic`. The function receives the
    positives (label 1) followed by the negatives (label 0), each in descending order of the scores.
    A statistic has no influence values. Its standard error is obtained by the bootstrap or the
    jackknife, which call the function for each replicate, and its BCa intervals have no
    acceleration.

    Parameters
    ----------
    function : callable
        Takes labels and scores, arrays of shape (n,), and returns a number, or NaN if it is
        undefined. Ordered categories are passed as the numbers 0, 1, .... Exceptions that it raises
        are not caught.
    title : str, optional
        Title in results; the default is the name of the function.

    Examples
    --------
    >>> import pauci
    >>> def youden(y, s):
    ...     return max((s[y == 1] >= t).mean() - (s[y == 0] >= t).mean() for t in set(s))
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> e = pauci.estimate(sample, youden, variance=pauci.Bootstrap(200, rng=1))
    >>> round(e.value, 3)
    0.667
    """

    reference: ClassVar[str] = "a user-defined function"
    has_influence: ClassVar[bool] = False
    uses_sample_prevalence: ClassVar[bool] = True
    range: ClassVar[Bounds] = Bounds(-math.inf, math.inf)
    has_region: ClassVar[bool] = False  # the part that the function evaluates is unknown
    region: ClassVar[Region] = WHOLE

    function: Function
    title: str = ""  # type: ignore[misc]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputTypeError.of(
                "function", self.function, "must be callable with labels and scores."
            )
        if not isinstance(self.title, str):
            raise InputTypeError.of("title", self.title, "must be a string.")
        if not self.title:
            name = getattr(self.function, "__name__", type(self.function).__name__)
            object.__setattr__(self, "title", name)

    @property
    def symbol(self) -> str:  # type: ignore[override]
        """The title."""
        return self.title

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the value of the function for the rows counted in the table."""
        table = curve.table
        if not table.exact:
            raise InputError(
                f"{self.title} is a function of rows, but these rows have sampling weights or "
                "fractional counts. Use one of the measures of this package."
            )
        scores = [np.repeat(table.wide_scores, n.astype(np.intp)) for n in (table.pos, table.neg)]
        labels = np.repeat([1, 0], [s.size for s in scores])
        result: Any = self.function(labels, np.concatenate(scores))
        kind = type(result).__name__
        if isinstance(result, np.ndarray) and result.size == 1:
            result = result.item()
        if not isinstance(result, numbers.Real | np.bool_):
            raise InputTypeError(
                f"{self.title} returned a {kind}; a measure takes labels and scores and returns "
                "one number."
            )
        return float(result)

    def influence(self, curve: Curve, piece: Piece) -> Influence:  # noqa: ARG002
        """Raise an error, because a function has no influence values."""
        raise InputError(
            f"{self.title} is a plain function and has no analytic standard error.",
            argument="variance",
            hint="Use variance=pauci.Bootstrap() or pauci.Jackknife().",
        )

    def __repr__(self) -> str:
        return self.title


def constructor_arguments(cls: type[Measure]) -> set[str]:
    """Return the names of the arguments of the constructor of a measure."""
    by_name = cls.__dataclass_fields__  # type: ignore[attr-defined]  # every measure is one
    return {name for name, f in by_name.items() if f.init}


@cache
def _option_names(cls: type[Measure]) -> list[str]:
    """Return the names of the fields that distinguish measures of a class."""
    return [f.name for f in fields(cls) if f.compare]  # type: ignore[arg-type]  # a dataclass


def _options(measure: Measure) -> tuple[object, ...]:
    """Return the values of these fields."""
    return tuple([getattr(measure, name) for name in _option_names(type(measure))])


def positive_denominator(denominator: Any, measure: Measure, reason: str, hint: str) -> Any:
    """Return a denominator; if it is not positive, raise an error (a number) or set NaN (array)."""
    if np.ndim(denominator):
        return np.where(denominator > 0.0, denominator, np.nan)
    if denominator <= 0.0:
        raise UndefinedError((measure, f" is undefined here: {reason}."), hint=hint)
    return denominator


@validate_call
def register(cls: M) -> M:
    """Enter a measure in the registry under its key."""
    if not isinstance(cls, type) or not issubclass(cls, Measure):
        raise InputTypeError.of("cls", cls, "must be a class derived from pauci.Measure.")
    if not isinstance(getattr(cls, "key", None), str) or cls.key in REGISTRY:
        raise InputError.of("cls", cls, "needs a key of its own.", shown=cls.__name__)
    REGISTRY[cls.key] = cls
    return validate_constructor(cls)


def _format_value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(_format_value(v) for v in value)})"
    if not isinstance(value, float):
        return repr(value)
    short = f"{value:.10g}"
    near = float(short)  # infinite if the largest numbers are rounded up
    same = near == value or (math.isfinite(near) and rational(near) == rational(value))
    return short if same else repr(value)
