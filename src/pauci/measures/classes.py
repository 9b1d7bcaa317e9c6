r"""Measures of several classes: averages over classes or pairs, and of all classes together.

An average is a weighted sum of measures of a class and the rest, or of two classes
(`ClassMeasure.terms`), whose joint covariance is estimated like that of any estimates on parts of
the same rows. The other measures are probabilities of tuples with one row of each class. Their
influence values are the placement values: with :math:`V_{ik}` the proportion of the tuples with row
i of class k that are correctly ordered, and :math:`\bar V_k` their mean, the measure itself,

.. math:: \widehat{\mathrm{var}} = \sum_k \frac{1}{n_k (n_k - 1)} \sum_i (V_{ik} - \bar V_k)^2 .
"""

import math
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from operator import attrgetter
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from pauci.calls import validated_dataclass
from pauci.checks import AnyArray, FloatArray, IntArray, check_choice, show_first, values_of
from pauci.curve.region import WHOLE, Bounds, Piece, Region
from pauci.curve.sorting import sort_rows
from pauci.errors import InputError, InputTypeError, UndefinedError
from pauci.measures.area import AUC
from pauci.measures.base import Measure
from pauci.sample.class_rows import ClassRatings, ClassRows

Weights = Literal["equal", "prevalence"]

Pair = tuple[int, int | None] | None
"""The numbers of two classes, or of a class and None for the rest; None for all classes."""


ClassTerm = tuple[Pair, Measure, float]
"""A measure of some classes, and its weight in a measure of several classes."""


class ClassInfluence(NamedTuple):
    """Influence of the rows on a measure of all classes, up to a constant within each class."""

    by_row: FloatArray
    """Influence of a row of weight 1, an array of shape (n,)."""
    ends: tuple[()] = ()
    prevalence: float = 0.0


class ClassMeasure(Measure):
    """Base class of measures of several classes."""

    region: ClassVar[Region] = WHOLE
    has_region: ClassVar[bool] = False
    range: ClassVar[Bounds] = Bounds(0.0, 1.0)
    known_ends: ClassVar[bool] = True
    advice_on_samples: ClassVar[str] = "Use pauci.Sample.from_classes(y, probabilities)."

    @abstractmethod
    def terms(self, ratings: ClassRatings) -> list[ClassTerm]:
        """Return the measures of which the value is the weighted sum."""

    def chance(self, ratings: ClassRatings) -> float | None:  # noqa: ARG002
        """Return the value for uninformative scores, if the measure itself may show reversal."""
        return None

    def value(self, curve: Any, piece: object) -> float:  # noqa: ARG002
        """Return the estimate."""
        if not isinstance(curve, ClassRatings):
            problem = self, " is a measure of several classes, but the sample has two labels."
            hint = self.advice_on_samples
            raise InputError(problem, argument="measure", value=self, hint=hint)
        return math.fsum(
            weight * (m.evaluated(curve)[0] if isinstance(m, OfAllClasses) else _on(curve, p, m))
            for p, m, weight in self.terms(curve)
        )

    def on(self, curve: Any) -> float:
        """Return the estimate for the ratings of several classes."""
        return self.value(curve, curve.end)

    def influence(self, curve: Any, piece: Piece) -> Any:
        """Return the influence values."""
        raise NotImplementedError

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

        Parameters
        ----------
        y_true : array_like of shape (n,)
            The class of each row.
        y_score : array_like of shape (n, K) or (n,), or data frame
            Scores, as for `Sample.from_classes`.
        y_test : array_like of shape (n,), optional
            Labels, if the first two arguments are an estimator and features.
        positive : sequence, optional
            The classes in the order of the columns, as `classes` of `Sample.from_classes`.
        weight : array_like of float, shape (n,), optional
            Sampling weight of each row.

        Returns
        -------
        float

        Raises
        ------
        ValueError, TypeError
            If labels or scores are invalid, or the measure is undefined.

        Examples
        --------
        >>> import pauci
        >>> pauci.VUS()([1, 2, 3, 1], [0.1, 0.4, 0.9, 0.5])
        0.5
        """
        if y_test is not None:
            return self.scorer()(y_true, y_score, y_test)
        from pauci.sample.sample import Sample

        sample = Sample.from_classes(y_true, y_score, positive, weight=weight)  # type: ignore[arg-type]  # checked there
        return self.on(sample.any_ratings(sample.names[0]).curve)


def _on(ratings: ClassRatings, pair: Pair, measure: Measure) -> float:
    """Return a measure of two classes, or of a class and the rest."""
    assert pair is not None
    return float(measure.on(ratings.between(*pair).curve))


def _check_label(name: str, label: object) -> None:
    """Raise an error for a label that cannot be that of a class."""
    if not isinstance(label, Hashable) or np.ndim(label) != 0:  # type: ignore[arg-type]
        raise InputTypeError.of(name, label, "must be the label of a class.")


def _check_columns(ratings: ClassRatings, measure: object) -> None:
    """Raise an error if there is no column of scores for each class."""
    if not ratings.has_columns:
        problem = (
            f" requires a column of scores for each class, but {ratings.name} is one score, by "
            "which classes can only be ordered."
        )
        hint = "Use pauci.VUS(), pauci.CIndex() or pauci.HandTill() for ordered classes."
        raise InputError((measure, problem), argument="probabilities", hint=hint)


def _check_order(ratings: ClassRatings, measure: object, order: object = None) -> None:
    """Raise an error unless there is one score, and an order of the classes."""
    if ratings.has_columns:
        problem = (
            f" requires one score, by which the classes are ordered, but {ratings.name} has a "
            "column for each class."
        )
        hint = "Pass one score, such as the expected class, or use pauci.PDI()."
        raise InputError((measure, problem), argument="probabilities", hint=hint)
    if order is None and not ratings.rows.ordered:
        problem = f" requires the order of the classes {show_first(list(ratings.rows.classes))}."
        hint = "Pass classes= to Sample.from_classes, in their order, or order= to pauci.VUS."
        raise InputError((measure, problem), argument="order", hint=hint)


def _of_the_measure(name: str) -> Any:
    """Return a property that is an attribute of the measure that is applied to several classes."""
    return property(attrgetter(f"measure.{name}"), doc=f"`{name}` of the measure.")


@validated_dataclass
class _OfMeasure(ClassMeasure):
    """Base class of a measure of two classes that is applied to several."""

    measure: Measure

    def __post_init__(self) -> None:
        if not isinstance(self.measure, Measure) or isinstance(self.measure, ClassMeasure):
            problem = "must be a measure of two classes, such as pauci.AUC()."
            raise InputTypeError.of("measure", self.measure, problem)

    reference: ClassVar[Any] = _of_the_measure("reference")
    range: ClassVar[Any] = _of_the_measure("range")
    region: ClassVar[Any] = _of_the_measure("region")
    has_region: ClassVar[Any] = _of_the_measure("has_region")
    region_phrase: ClassVar[Any] = _of_the_measure("region_phrase")
    known_ends: ClassVar[Any] = _of_the_measure("known_ends")
    has_interval: ClassVar[Any] = _of_the_measure("has_interval")
    as_average: ClassVar[Any] = _of_the_measure("as_average")
    of_risks: ClassVar[Any] = _of_the_measure("of_risks")
    interval_kind: ClassVar[Any] = _of_the_measure("interval_kind")
    higher_is_better: ClassVar[Any] = _of_the_measure("higher_is_better")
    uses_sample_prevalence: ClassVar[Any] = _of_the_measure("uses_sample_prevalence")

    def for_classifier(self, name: str) -> Measure:
        """Return the measure of one classifier."""
        return replace(self, measure=self.measure.for_classifier(name))

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of pairs of the measure, for the smallest classes."""
        return self.measure.pairs(n_pos, n_neg)


@validated_dataclass
class VersusRest(_OfMeasure):
    """A measure of one class against the rest, in a sample of several classes.

    A measure of two classes is estimated for every class in turn. `VersusRest` is the measure of a
    single class, with the same value and standard error as in ``sample.versus_rest(positive)``.

    Parameters
    ----------
    measure : Measure
        The measure, such as ``pauci.AUC()``.
    positive : scalar
        The label of the class.

    Examples
    --------
    >>> import pauci
    >>> frame, order = pauci.datasets.load_stages(), ["none", "early", "late"]
    >>> scores = frame[[f"both_{stage}" for stage in order]].to_numpy()
    >>> sample = pauci.Sample.from_classes(frame["stage"], scores, order)
    >>> print(pauci.estimate(sample, pauci.VersusRest(pauci.AUC(), "late")).report())
    The area under the ROC curve (AUC) of class late was 0.873 (95% CI 0.817 to 0.913) for score.
    """

    positive: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_label("positive", self.positive)

    symbol: ClassVar[Any] = _of_the_measure("label")
    title: ClassVar[Any] = _of_the_measure("title")

    def terms(self, ratings: ClassRatings) -> list[ClassTerm]:
        """Return the measure of the class."""
        _check_columns(ratings, self.measure)
        return [((ratings.rows.number_of(self.positive, "positive"), None), self.measure, 1.0)]


@validated_dataclass
class Macro(_OfMeasure):
    r"""Average of a measure over the classes, each against the rest.

    Parameters
    ----------
    measure : Measure
        The measure of a class against the rest, such as ``pauci.PAUC(fpr=(0, 0.2))``.
    weights : {"equal", "prevalence"}, default "equal"
        Weights of the classes: equal, or the proportions of the classes. In a cohort these are
        estimated, and their variance is included.

    Notes
    -----
    The estimate is :math:`\sum_k w_k \theta_k`, with :math:`\theta_k` the measure of class k
    (column k of the scores) against the rest. Its variance follows from the joint influence values
    of the :math:`\theta_k`, which share all rows. With ``weights="equal"`` and the AUC, this is
    ``roc_auc_score(..., multi_class="ovr", average="macro")`` of scikit-learn.

    Examples
    --------
    >>> import pauci
    >>> frame, order = pauci.datasets.load_stages(), ["none", "early", "late"]
    >>> scores = frame[[f"both_{stage}" for stage in order]].to_numpy()
    >>> sample = pauci.Sample.from_classes(frame["stage"], scores, order)
    >>> print(pauci.estimate(sample, pauci.Macro(pauci.AUC())).report())
    The macro average of the area under the ROC curve (macro AUC) was 0.824 (95% CI 0.783 to
    0.858) for score.
    """

    weights: Weights = "equal"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("weights", self.weights, ("equal", "prevalence"))

    @property
    def symbol(self) -> str:  # type: ignore[override]
        """The symbol of the measure."""
        return f"{'macro' if self.weights == 'equal' else 'weighted'} {self.measure.label}"

    @property
    def title(self) -> str:  # type: ignore[override]
        """The title of the measure."""
        kind = "macro" if self.weights == "equal" else "prevalence-weighted"
        return f"{kind} average of the {self.measure.title}"

    @property
    def as_average(self) -> tuple[str, float] | None:  # type: ignore[override]
        """The average over the classes of an area as an average rate."""
        average = self.measure.as_average
        kind = "macro" if self.weights == "equal" else "weighted"
        return None if average is None else (f"{kind} {average[0]}", average[1])

    @property
    def uses_sample_prevalence(self) -> bool:  # type: ignore[override]
        """Whether the value depends on the proportions of the classes in the sample."""
        return self.weights == "prevalence" or self.measure.uses_sample_prevalence

    def terms(self, ratings: ClassRatings) -> list[ClassTerm]:
        """Return the measure of each class, and the effect of estimated weights."""
        _check_columns(ratings, self)
        rows = ratings.rows
        count = len(rows.classes)
        if self.weights == "equal":
            return [((k, None), self.measure, 1.0 / count) for k in range(count)]
        shares = np.asarray(np.bincount(rows.class_of, _mass(rows), count), np.float64)
        shares /= shares.sum()
        terms: list[ClassTerm] = [
            ((k, None), self.measure, w) for k, w in enumerate(shares.tolist())
        ]
        if rows.design != "cohort":
            return terms
        values = np.array([_on(ratings, pair, measure) for pair, measure, _ in terms])
        mean = _MeanOfClasses(tuple((values - shares @ values).tolist()))
        return [*terms, (None, mean, 1.0)]


@validated_dataclass
class HandTill(ClassMeasure):
    """Average AUC of all pairs of classes (Hand and Till's M).

    Each pair of classes is compared without the rows of other classes, so that the value does not
    depend on the proportions of the classes. For a single score, of which higher values indicate
    later classes, each pair has one AUC, whose direction is that of the order.

    Notes
    -----
    With a column for each class, the estimate is the mean over all ordered pairs (k, l) of the
    probability that the score of class k is higher for a row of class k than for one of class l
    (ties count one half). This is ``roc_auc_score(..., multi_class="ovo")`` of scikit-learn, and
    ``multiclass.roc`` of pROC if its directions are set.

    References
    ----------
    D. J. Hand and R. J. Till (2001), Machine Learning 45:171-186.

    Examples
    --------
    >>> import pauci
    >>> frame, order = pauci.datasets.load_stages(), ["none", "early", "late"]
    >>> scores = frame[[f"both_{stage}" for stage in order]].to_numpy()
    >>> sample = pauci.Sample.from_classes(frame["stage"], scores, order)
    >>> print(pauci.estimate(sample, pauci.HandTill()).report())
    The average AUC of pairs of classes (M) was 0.822 (95% CI 0.781 to 0.857) for score.
    """

    symbol: ClassVar[str] = "M"
    title: ClassVar[str] = "average AUC of pairs of classes"
    reference: ClassVar[str] = "Hand and Till 2001, Machine Learning 45:171-186"

    def chance(self, ratings: ClassRatings) -> float | None:
        """Return 1/2, unless each pair of classes has a warning of its own."""
        return None if ratings.has_columns else 0.5

    def terms(self, ratings: ClassRatings) -> list[ClassTerm]:
        """Return the AUC of each pair of classes."""
        numbers = range(len(ratings.rows.classes))
        pairs = list(permutations(numbers, 2))
        if not ratings.has_columns:
            _check_order(ratings, self)
            pairs = [(later, k) for k, later in combinations(numbers, 2)]
        return [(pair, AUC(), 1.0 / len(pairs)) for pair in pairs]


class OfAllClasses(ClassMeasure):
    """Base class of measures that are calculated from the rows of all classes together."""

    def terms(self, ratings: ClassRatings) -> list[ClassTerm]:  # noqa: ARG002
        """Return the measure itself."""
        return [(None, self, 1.0)]

    def strata(self, rows: ClassRows) -> tuple[int, ...] | None:  # noqa: ARG002
        """Return the classes that are strata, ``()`` for a single stratum; None for all classes."""
        return None

    def units(self, rows: ClassRows) -> tuple[float, float]:
        """Return the numbers of independent observations that determine the number of pairs."""
        return replace(rows, strata=self.strata(rows)).units

    def influence(self, curve: Any, piece: Piece) -> Any:  # noqa: ARG002
        """Return the influence values of the rows."""
        return self.evaluated(curve)[1]

    def evaluated(self, ratings: ClassRatings) -> tuple[float, ClassInfluence]:
        """Return the value and the influence values of the rows, which are stored."""
        if self not in ratings.results:
            ratings.results[self] = self._evaluated(ratings)
        found: tuple[float, ClassInfluence] = ratings.results[self]
        return found

    @abstractmethod
    def _evaluated(self, ratings: ClassRatings) -> tuple[float, ClassInfluence]:
        """Return the value and the influence values of the rows."""

    def without_each_row(self, ratings: ClassRatings) -> FloatArray:
        """Return the values without one copy of each row.

        The measures are means over the tuples with one row of each class.
        """
        value, influence = self.evaluated(ratings)
        rows = ratings.rows
        totals = np.bincount(rows.class_of, _mass(rows), len(rows.classes))
        used = np.bincount(rows.class_of, influence.by_row != 0.0, len(rows.classes)) > 0.0
        if rows.strata == ():
            totals, used = np.full_like(totals, totals.sum()), np.full_like(used, True)
        total, removed = totals[rows.class_of], _mass_of_copy(rows)
        left = (value - removed * influence.by_row) / (1.0 - removed / total)
        return np.where(used[rows.class_of], left, value)


@dataclass(frozen=True, eq=False, repr=False)
class _MeanOfClasses(OfAllClasses):
    """Mean over the rows of a given number for each class; it is 0 for the sample."""

    symbol: ClassVar[str] = "mean"
    title: ClassVar[str] = "mean of values of the classes"
    reference: ClassVar[str] = ""
    range: ClassVar[Bounds] = Bounds(-math.inf, math.inf)

    numbers: tuple[float, ...]

    def strata(self, rows: ClassRows) -> tuple[int, ...]:  # noqa: ARG002
        """Return the single stratum of all rows."""
        return ()

    def _evaluated(self, ratings: ClassRatings) -> tuple[float, ClassInfluence]:
        mass, by_row = _mass(ratings.rows), np.array(self.numbers)[ratings.rows.class_of]
        total = float(mass.sum())
        return float(mass @ by_row) / total, ClassInfluence(by_row / total)


def _mass_of_copy(rows: ClassRows) -> FloatArray:
    """Return the weight of a copy of every row."""
    return np.ones(rows.class_of.size) if rows.weight is None else rows.weight


def _mass(rows: ClassRows) -> FloatArray:
    """Return the frequency times weight of every row."""
    return np.ones(rows.class_of.size) if rows.mass is None else rows.mass.astype(np.float64)


@validated_dataclass
class VUS(OfAllClasses):
    r"""Volume under the ROC surface of ordered classes, or the hypervolume (HUM) for more classes.

    The probability that rows drawn from each class have scores in the order of the classes. It is
    1/K! for uninformative scores, and the AUC for two classes.

    Parameters
    ----------
    order : sequence of labels, optional
        Classes from the lowest to the highest scores; rows of other classes are not used. By
        default all classes of the sample in their order.

    Notes
    -----
    A tuple counts 1/2 for two equal scores of adjacent classes, 1/6 for three, and 1/r! for r. The
    sum over all tuples is calculated from the counts of each class by score, class by class, in
    :math:`O(n \log n)` time. The variance is that of the placement values by class, and degrees of
    freedom are Satterthwaite's over the classes.

    References
    ----------
    C. T. Nakas and C. T. Yiannoutsos (2004), Statistics in Medicine 23:3437-3449.
    W. Waegeman, B. De Baets and L. Boullart (2008), Pattern Recognition Letters 29:1-9.

    Examples
    --------
    >>> import pauci
    >>> frame, order = pauci.datasets.load_stages(), ["none", "early", "late"]
    >>> sample = pauci.Sample.from_classes(frame["stage"], frame["marker"], order)
    >>> print(pauci.estimate(sample, pauci.VUS()).report())
    The volume under the ROC surface (VUS) was 0.521 (95% CI 0.445 to 0.596) for score.
    """

    symbol: ClassVar[str] = "VUS"
    title: ClassVar[str] = "volume under the ROC surface"
    reference: ClassVar[str] = "Nakas and Yiannoutsos 2004, Statistics in Medicine 23:3437-3449"

    order: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        if self.order is None:
            return
        listed = tuple(values_of("order", self.order, "classes"))
        if not all(isinstance(label, Hashable) for label in listed):
            raise InputTypeError.of("order", self.order, "must be a sequence of classes.")
        if len({*listed}) < len(listed) or len(listed) < 2:
            raise InputError.of("order", self.order, "must have at least two classes, each once.")
        object.__setattr__(self, "order", listed)

    def strata(self, rows: ClassRows) -> tuple[int, ...] | None:
        """Return the classes of which rows are used."""
        return None if self.order is None else tuple(map(rows.number_of, self.order))

    def chance(self, ratings: ClassRatings) -> float:
        """Return 1/K! for K classes."""
        return 1.0 / math.factorial(len(self.order or ratings.rows.classes))

    def _evaluated(self, ratings: ClassRatings) -> tuple[float, ClassInfluence]:
        _check_order(ratings, self, self.order)
        rows = ratings.rows
        numbers = list(self.strata(rows) or range(len(rows.classes)))
        place = np.full(len(rows.classes), -1, np.int8)
        place[numbers] = range(len(numbers))
        order, ends = sort_rows(ratings.values)
        places = place.take(rows.class_of).take(order)
        at = [(places == k).nonzero()[0] for k in range(len(numbers))]
        mass = [np.ones(i.size) if rows.mass is None else rows.mass[order[i]] * 1.0 for i in at]
        totals = np.array([m.sum() for m in mass])
        if not totals.all():
            rows.check_class(numbers[int(np.argmin(totals))])
        if ends.all():
            value, placements = _ordered_without_ties(places, at, mass)
        else:
            groups: IntArray = np.cumsum(ends) - ends
            cells = [groups.take(i) for i in at]
            size = int(groups[-1]) + 1
            table = np.array([np.bincount(*of_k, size) for of_k in zip(cells, mass, strict=True)])
            value, by_cell = _ordered(table, totals)
            placements = [of_k.take(i) for of_k, i in zip(by_cell, cells, strict=True)]
        ranked, by_row = np.zeros(order.size), np.empty(order.size)
        for i, of_class, total in zip(at, placements, totals.tolist(), strict=True):
            ranked[i] = of_class / total
        by_row[order] = ranked
        return value, ClassInfluence(by_row)


def _ordered_without_ties(
    places: AnyArray, at: Sequence[IntArray], mass: Sequence[FloatArray]
) -> tuple[float, list[FloatArray]]:
    """Return the result of `_ordered` for the class of each rank, and its placements by row."""
    last = len(at) - 1
    lower = [np.cumsum(places == k, dtype=np.int32) for k in range(len(at))]  # rows up to a rank
    below, above = [np.ones(at[0].size)], [np.ones(at[last].size)]
    for k in range(1, len(at)):
        sums = np.append(0.0, np.cumsum(below[-1] * mass[k - 1]))
        below.append(sums.take(lower[k - 1].take(at[k])))
    for k in reversed(range(last)):
        sums = np.append(np.cumsum((above[0] * mass[k + 1])[::-1])[::-1], 0.0)
        above.insert(0, sums.take(lower[k + 1].take(at[k])))
    totals = [float(m.sum()) for m in mass]
    tuples = math.prod(totals)
    placements = [b * a / (tuples / n) for b, a, n in zip(below, above, totals, strict=True)]
    return float((below[-1] * mass[-1]).sum() / tuples), placements


def _ordered(mass: FloatArray, totals: FloatArray) -> tuple[float, FloatArray]:
    """Return the proportion of ordered tuples, and that of the tuples with a row of each cell.

    `mass` has a row for each class and a column for each tie group, lowest scores first.
    """
    count, size = mass.shape
    runs: dict[tuple[int, int], FloatArray] = {}  # of classes a to b in one tie group
    for a in range(count):
        run = mass[a]
        for b in range(a + 1, count):
            run = run * mass[b]
            if not run.any():
                break
            runs[a, b] = run / math.factorial(b - a + 1)
    below, above = [np.ones(size)], [np.ones(size)]
    for k in range(count):  # tuples of the classes up to k in lower groups, from k on in higher
        steps = below[k] * mass[k]
        for (a, b), run in runs.items():
            if b == k:
                steps += below[a] * run
        upto = np.cumsum(steps)
        below.append(upto - steps)
    for k in reversed(range(count)):
        steps = above[0] * mass[k]
        for (a, b), run in runs.items():
            if a == k:
                steps += above[b - k] * run
        above.insert(0, np.cumsum(steps[::-1])[::-1] - steps)
    placements = np.array([below[k] * above[k + 1] for k in range(count)])
    for (a, b), run in runs.items():
        for k in range(a, b + 1):
            others = np.divide(run, mass[k], out=np.zeros(size), where=mass[k] > 0.0)
            placements[k] += below[a] * above[b + 1] * others
    return float(upto[-1] / np.prod(totals)), placements / (np.prod(totals) / totals)[:, None]


@validated_dataclass
class PDI(OfAllClasses):
    r"""Polytomous discrimination index.

    The probability that, among rows drawn from each class, the row of class k has the highest score
    for class k, averaged over k. It is 1/K for uninformative scores, and the AUC for two classes.

    Parameters
    ----------
    of : scalar, optional
        The label of a single class k, in place of the average.

    Notes
    -----
    A row of class k that shares the highest score with t others counts 1/(t + 1). With :math:`b_j`
    and :math:`e_j` the proportions of class j with a lower and an equal score, the expected count
    is :math:`\int_0^1 \prod_{j \ne k} (b_j + u e_j) du`, of which Gauss's formula is exact.

    References
    ----------
    B. Van Calster, V. Van Belle, Y. Vergouwe, D. Timmerman, S. Van Huffel and E. W. Steyerberg
    (2012), Statistics in Medicine 31:2610-2626.

    Examples
    --------
    >>> import pauci
    >>> frame, order = pauci.datasets.load_stages(), ["none", "early", "late"]
    >>> scores = frame[[f"both_{stage}" for stage in order]].to_numpy()
    >>> sample = pauci.Sample.from_classes(frame["stage"], scores, order)
    >>> print(pauci.estimate(sample, pauci.PDI()).report())
    The polytomous discrimination index (PDI) was 0.711 (95% CI 0.653 to 0.763) for score.
    """

    reference: ClassVar[str] = "Van Calster et al. 2012, Statistics in Medicine 31:2610-2626"

    of: Any = None

    def __post_init__(self) -> None:
        _check_label("of", self.of)

    @property
    def symbol(self) -> str:  # type: ignore[override]
        """The symbol, with the class."""
        return "PDI" if self.of is None else f"PDI of {self.of}"

    @property
    def title(self) -> str:  # type: ignore[override]
        """The title, with the class."""
        return f"polytomous discrimination index{'' if self.of is None else f' of class {self.of}'}"

    def chance(self, ratings: ClassRatings) -> float:
        """Return 1/K for K classes."""
        return 1.0 / len(ratings.rows.classes)

    def _evaluated(self, ratings: ClassRatings) -> tuple[float, ClassInfluence]:
        _check_columns(ratings, self)
        rows, mass = ratings.rows, _mass(ratings.rows)
        count = len(rows.classes)
        at = [np.flatnonzero((rows.class_of == k) & (mass > 0.0)) for k in range(count)]
        rows.checked()
        tuples = math.prod(float(mass[i].sum()) for i in at)
        nodes, shares = np.polynomial.legendre.leggauss((count + 1) // 2)
        by_row, value = np.zeros(mass.size), 0.0
        averaged = range(count) if self.of is None else [rows.number_of(self.of, "of")]
        for k in averaged:
            won_by_class = 0.0
            column, others = ratings.values[:, k], [j for j in range(count) if j != k]
            own = column[at[k]]
            order = np.argsort(own, kind="stable")
            ranked = own[order]
            ends = {j: _ends(np.sort(column[at[j]]), own) for j in others}
            below = {j: _cumulated(column[at[j]], mass[at[j]], ends[j]) for j in others}
            for node, share in zip((nodes + 1.0) / 2.0, shares / shares.sum(), strict=True):
                level = {j: low + node * (high - low) for j, (low, high) in below.items()}
                product = np.prod(list(level.values()), axis=0)
                won_by_class += share * float(mass[at[k]] @ product)
                by_row[at[k]] += share * product / (tuples * len(averaged))
                for j in others:
                    rest = np.prod([level[i] for i in others if i != j], axis=0) * mass[at[k]]
                    sums = np.append(0.0, np.cumsum(np.broadcast_to(rest, own.shape)[order]))
                    low, high = _ends(ranked, column[at[j]])
                    won = sums[-1] - sums[high] + node * (sums[high] - sums[low])
                    by_row[at[j]] += share * won / (tuples * len(averaged))
            value += won_by_class / tuples / len(averaged)
        return value, ClassInfluence(by_row)


def _ends(ranked: FloatArray, scores: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the numbers of ranked scores below others, and of those not above them."""
    return np.searchsorted(ranked, scores, "left"), np.searchsorted(ranked, scores, "right")


def _cumulated(scores: FloatArray, mass: FloatArray, ends: tuple[IntArray, IntArray]) -> FloatArray:
    """Return the total mass of scores below others, and that of scores not above them."""
    sums = np.append(0.0, np.cumsum(mass[np.argsort(scores, kind="stable")]))
    return np.asarray(sums[np.array(ends)])


@validated_dataclass
class CIndex(OfAllClasses):
    r"""Concordance index with an ordinal or continuous reference value.

    The probability that of two rows with different reference values, the row with the higher value
    has the higher score, where equal scores count one half. It is 1/2 for uninformative scores. For
    two classes it is the AUC, and Somers' D of the scores given the reference is 2 C - 1. For
    follow-up times with censoring (`event` of `Sample.from_classes`), it is Harrell's C-index.

    Notes
    -----
    Pairs with equal reference values are not used. For follow-up times, a pair is used if its
    shorter time ended with the event; at equal times, events precede censorings. The estimate is a
    ratio of two U-statistics; in a cohort the proportions of the classes are estimated, and their
    variance is included. Pairs are counted in :math:`O(n \log n \log K)` time, for K different
    reference values.

    References
    ----------
    F. E. Harrell, K. L. Lee and D. B. Mark (1996), Statistics in Medicine 15:361-387.

    Examples
    --------
    >>> import pauci
    >>> reference, score = [1.2, 3.4, 2.2, 5.1, 4.0], [10, 25, 31, 40, 33]
    >>> sample = pauci.Sample.from_classes(reference, score)
    >>> round(pauci.estimate(sample, pauci.CIndex()).value, 3)
    0.9
    """

    symbol: ClassVar[str] = "C-index"
    title: ClassVar[str] = "concordance index"
    reference: ClassVar[str] = "Harrell, Lee and Mark 1996, Statistics in Medicine 15:361-387"
    advice_on_samples: ClassVar[str] = (
        "Use pauci.Sample.from_classes(y, score), and for follow-up times with censoring "
        "from_classes(time, -risk, event=event)."
    )

    def chance(self, ratings: ClassRatings) -> float:  # noqa: ARG002
        """Return 1/2."""
        return 0.5

    def strata(self, rows: ClassRows) -> tuple[int, ...] | None:
        """Return all rows as one stratum in a cohort; of two classes, the sizes do not matter."""
        return () if rows.design == "cohort" and not _is_auc(rows) else None

    def units(self, rows: ClassRows) -> tuple[float, float]:
        """Return the numbers of all rows, of which each is compared with those of all classes."""
        return replace(rows, strata=None if _is_auc(rows) else ()).units

    def _evaluated(self, ratings: ClassRatings) -> tuple[float, ClassInfluence]:
        _check_order(ratings, self)
        rows, mass = ratings.rows, _mass(ratings.rows)
        comparable = _comparable(rows, mass)
        pairs = float(mass @ comparable)
        if pairs <= 0.0:
            raise UndefinedError((self, " is undefined: no two reference values can be compared."))
        ranks = np.unique(ratings.values, return_inverse=True)[1]
        concordant, discordant = (_concordant(rows, s, mass) for s in (ranks, -ranks))
        won = concordant + 0.5 * (comparable - concordant - discordant)
        value = float(mass @ won) / pairs
        return value, ClassInfluence(2.0 * (won - value * comparable) / pairs)

    def without_each_row(self, ratings: ClassRatings) -> FloatArray:
        """Return the values without one copy of each row, whose pairs are left out."""
        value, influence = self.evaluated(ratings)
        rows, mass = ratings.rows, _mass(ratings.rows)
        comparable = _comparable(rows, mass)
        removed = _mass_of_copy(rows) / (mass @ comparable)
        # The influence is 2 (won - value comparable) / pairs.
        change = removed * influence.by_row * (mass @ comparable)
        return np.asarray(value - change / (1.0 - 2.0 * removed * comparable))


def _is_auc(rows: ClassRows) -> bool:
    """Return whether each pair has a row of each of two classes."""
    return rows.event is None and len(rows.classes) == 2


def _order(rows: ClassRows) -> tuple[IntArray, AnyArray]:
    """Return the order of the reference values, and whether each can be the lower one of a pair."""
    if rows.event is None:
        return rows.class_of, np.ones(rows.class_of.size, bool)
    return 2 * rows.class_of + ~rows.event, rows.event


def _comparable(rows: ClassRows, mass: FloatArray) -> FloatArray:
    """Return the mass of the rows whose reference value is known to differ from that of each."""
    codes, observed = _order(rows)
    by_code, of_lower = np.bincount(codes, mass), np.bincount(codes, mass * observed)
    above, below = by_code.sum() - np.cumsum(by_code), np.cumsum(of_lower) - of_lower
    return np.asarray(observed * above[codes] + below[codes])


def _concordant(rows: ClassRows, ranks: IntArray, mass: FloatArray) -> FloatArray:
    """Return the mass of the rows that differ from each row in both values in the same direction.

    The rows are divided by each bit of the codes: rows that differ first in this bit are compared.
    """
    codes, observed = _order(rows)
    order = np.argsort(ranks, kind="stable")  # those with equal ranks are in both counts, or none
    result = np.zeros(mass.size)
    for bit in reversed(range(int(codes.max()).bit_length())):
        block = codes[order] >> (bit + 1)
        by_block = np.argsort(block, kind="stable")
        order, block = order[by_block], block[by_block]
        high = (codes[order] >> bit) & 1 == 1
        first = np.searchsorted(block, block, "left")
        last = np.searchsorted(block, block, "right")
        counted = (~high & observed[order], high)
        sums = [np.append(0.0, np.cumsum(np.where(c, mass[order], 0.0))) for c in counted]
        position = np.arange(order.size)
        lower = sums[0][position] - sums[0][first]
        higher = sums[1][last] - sums[1][position]
        result[order] += np.where(high, lower, higher * observed[order])
    return result
