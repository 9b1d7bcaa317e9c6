"""Weighted sums of estimates, and frames of influence values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter, mul
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import validate_methods
from pauci.checks import EqualByFields, FloatArray
from pauci.curve.region import Bounds
from pauci.errors import InputError, show
from pauci.intervals.analytic import Alternative, Kind
from pauci.results.quantity import (
    Difference,
    InvertedTest,
    Quantity,
    Row,
    rows_of,
    scale_of_contrast,
    sums_to_zero,
)
from pauci.special import correlation_matrix
from pauci.tables import number_format as fmt
from pauci.variance.method import Uncertainty
from pauci.variance.z import CANCELLED

if TYPE_CHECKING:
    import pandas as pd

    from pauci.intervals.resampled import Resampled


def variance_of_sum(weights: FloatArray, matrix: FloatArray) -> float:
    """Return the variance of a weighted sum, or 0 if it is a rounding error."""
    (positions,) = weights.nonzero()
    w = weights.take(positions)
    products = w[:, None] * w * matrix[positions[:, None], positions]
    total, variance = float(products.trace()), float(products.sum())
    return variance if variance > CANCELLED * total else 0.0


@validate_methods
class Summable:
    """Weighted sums of quantities, and the contributions of the units to them.

    The quantities are those of a family, or a single one that has its own uncertainty.
    """

    if TYPE_CHECKING:

        @property
        def uncertainty(self) -> Uncertainty | None:
            """The joint uncertainty of the quantities."""

    @property
    def _summands(self) -> tuple[Quantity[Any], ...]:
        """The quantities."""
        assert isinstance(self, Quantity)
        return (self,)

    def _rows(self, level: float, kind: Any) -> list[Row]:
        return rows_of(self._summands, level, kind)

    @property
    def _joint(self) -> Uncertainty:
        """The joint uncertainty; a member of a family has none and raises an error."""
        if self.uncertainty is None:
            raise InputError(
                f"{self!r} is a member of several results, which have a joint covariance. Use the "
                "method of all of them, such as the result of estimate."
            )
        return self.uncertainty

    def contrast(
        self,
        weights: "Mapping[str, float] | Sequence[float]",
        *,
        null: float | None = None,
        alternative: Alternative = "two-sided",
        label: str | None = None,
    ) -> "WeightedSum":
        """Return a weighted sum of the quantities with its standard error, interval and test.

        Parameters
        ----------
        weights : dict or sequence of float
            The weight of each quantity, or of some quantities by name: the classifier, the group,
            or the measure, provided that the name identifies a single quantity. If the weights
            add up to 0, the sum is a difference, with intervals as for a `Comparison`.
        null : float, optional
            Value under the null hypothesis: by default 0 for a difference, or a sum of differences.
            Another sum, such as an average, is tested only if `null` is specified.
        alternative : {"two-sided", "greater", "less"}, default "two-sided"
            Alternative hypothesis; one-sided tests have one-sided intervals.
        label : str, optional
            Name of the contrast in sentences; by default it is made from the weights.

        Returns
        -------
        WeightedSum
            With ``value``, ``se``, ``df``, ``interval()``, ``test()`` and ``report()``.

        Raises
        ------
        ValueError
            For a name that no quantity or several quantities have, or a wrong number of weights.

        Examples
        --------
        >>> import pauci
        >>> y = [0, 1, 0, 1, 0, 1] * 9
        >>> sample = pauci.Sample(y, {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9})
        >>> gain = pauci.estimate(sample, pauci.AUC()).contrast({"a": 1, "b": -1})
        >>> print(gain.report())
        The contrast a, AUC - b, AUC was 0.111 (95% CI -0.112 to 0.335), p = 0.317.
        """
        row = self._weights(weights)
        null = None if null is None else checks.finite("null", null)
        checks.check_choice("alternative", alternative, ("two-sided", "greater", "less"))
        checks.check_text("label", label)
        label_of_sum = self._label_of(row) if label is None else (label,)
        total = self.weighted_sum(row, label_of_sum, alternative=alternative, null=null)
        if null:
            total.possible_null(null, "the weighted sum")
        return replace(total, uncertainty=self._joint.combined(row[None]))

    def _weights(self, weights: object) -> FloatArray:
        """Return the weights of all quantities, or raise an error."""
        row = np.zeros(len(self._summands))
        if isinstance(weights, Mapping):
            for name, weight in weights.items():
                row[self._position(name)] += checks.finite("weights", weight)
        else:
            needed = "must be a list of numbers, or a dict with names."
            listed = checks.array_of_numbers("weights", weights, needed)
            if listed.shape != row.shape:
                problem = f"has {listed.size} weights for {len(self._summands)} quantities."
                hint = "Pass a weight for each quantity, or a dict with the names of some."
                raise InputError.about("weights", problem, value=weights, hint=hint)
            row += listed
        if not np.isfinite(row).all() or not row.any():
            problem = "must be finite, and at least one must not be 0."
            raise InputError.of("weights", weights, problem)
        return row

    def _position(self, name: object) -> int:
        """Return the position of the quantity with a name; raise an error if it is not unique."""
        found = [i for i, q in enumerate(self._summands) if name in q.labels]
        if len(found) == 1:
            return found[0]
        known = list(dict.fromkeys(n for q in self._summands for n in q.labels))
        many = (
            f"is the name of {len(found)} quantities" if found else "is not the name of a quantity"
        )
        problem = f"weights: {show(name)} {many}. The names are: {checks.some_of(known, name)}."
        hint = "Pass a list with the weight of every quantity instead."
        raise InputError(problem, argument="weights", value=name, hint=hint)

    def _label_of(self, row: FloatArray) -> tuple[str, ...]:
        """Return the names of a contrast, such as ("a", "b") for their difference."""
        names = [q.short_name for q in self._summands]
        if len(set(names)) < len(names):
            names = [f"{name} [{i}]" for i, name in enumerate(names)]
        used = np.flatnonzero(row).tolist()
        if len(used) == 2 and sorted(row[used].tolist()) == [-1.0, 1.0]:
            return tuple(names[i] for i in sorted(used, key=lambda i: -row[i]))
        first, *others = [("-" if row[i] < 0 else "+", _term(abs(row[i]), names[i])) for i in used]
        beginning = " ".join(first) if first[0] == "-" else first[1]
        return (" ".join([beginning, *(f"{sign} {term}" for sign, term in others)]),)

    def weighted_sum(
        self,
        weights: FloatArray,
        label: tuple[str, ...] = (),
        *,
        variance: float | None = None,
        df: float | None = None,
        alternative: Alternative = "two-sided",
        null: float | None = None,
    ) -> "WeightedSum":
        """Return a weighted sum of the quantities.

        Parameters
        ----------
        weights : ndarray of shape (m,)
            Weights of the quantities; for a difference they sum to 0.
        label : tuple of str
            Name, or names of both parts of a difference.
        variance, df : float, optional
            Variance including that between readers or sites, and its degrees of freedom. By
            default, both are those of the uncertainty of the family.
        alternative : str
            Alternative hypothesis of the test, which also determines the side of the interval.
        null : float, optional
            Value under the null hypothesis, by default 0 for a difference.
        """
        weights = np.asarray(weights, dtype=np.float64)
        positions = weights.nonzero()[0].tolist()
        w, members = weights[positions].tolist(), list(map(self._summands.__getitem__, positions))
        joint = self._joint
        within = variance_of_sum(weights, joint.matrix)
        variance = within if variance is None else variance
        if df is None:
            df = joint.df_of(weights) if variance > 0.0 else math.inf
        sum_class = Contrast if sums_to_zero(w) else WeightedSum
        drawn = joint.replicates
        resampled = None if drawn is None else drawn.combined(positions, w)
        is_difference = sum_class is Contrast or all(map(attrgetter("has_null"), members))
        default = 0.0 if is_difference else None  # another sum has no null value
        joins = sum_class is Contrast and all(map(attrgetter("joins_differences"), members))
        return sum_class(
            label,
            sum(map(mul, w, map(attrgetter("value"), members))),
            math.sqrt(variance),
            df,
            math.sqrt(within),
            scale_of_contrast(w, list(map(attrgetter("scale"), members))),
            min(map(attrgetter("pairs"), members)),
            alternative,
            resampled,
            default if null is None else null,
            tuple(zip(w, members, strict=True)),
            correlation_matrix(joint.matrix[np.ix_(positions, positions)]) if joins else None,
        )

    def influence(self) -> "pd.DataFrame":
        """Return the contribution of every independent unit to each quantity.

        Returns
        -------
        pandas.DataFrame
            A row for each unit, named by its row number or cluster label, and a column for each
            quantity. ``attrs["n"]`` contains the frequencies of the units. With ``f`` the values
            and ``n`` the frequencies, ``f.T @ f.mul(n, axis=0)`` is the covariance matrix ``cov``.
            The last rows, if any, that are not units, "height", "unseen", "shift" and "curvature",
            are due to estimated ends of regions and to scores that the sample lacks
            (`pauci.variance.ends`). Rows that an engine grouped are numbered by group.

        Raises
        ------
        ValueError
            If the variance method has no contributions of single units, such as the bootstrap.

        Examples
        --------
        >>> import pauci
        >>> y = [0, 1, 0, 1, 0, 1] * 9
        >>> sample = pauci.Sample(y, {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9})
        >>> es = pauci.estimate(sample, pauci.AUC())
        >>> f = es.influence()
        >>> n = f.attrs["n"]
        >>> bool(abs(f.T @ f.mul(n, axis=0) - es.cov).max(axis=None) < 1e-15)
        True
        """
        return influence_frame(self._summands, self._joint)


@validate_methods
@dataclass(frozen=True, eq=False, repr=False)
class WeightedSum(EqualByFields, Summable, Quantity[Kind]):
    """A weighted sum of the quantities of a family, such as an average.

    Attributes
    ----------
    label : tuple of str
        Name, or names of both parts of a difference.
    value, se, df : float
        The sum, its standard error and the degrees of freedom of the variance.
    se_within : float
        Standard error without the variance between readers or sites.
    scale : Bounds
        Smallest and largest possible value.
    pairs : float
        Number of disjoint positive-negative pairs of the interval at a limit.
    alternative : str
        Alternative hypothesis of the test, which also determines the side of the interval.
    null : float, optional
        Value under the null hypothesis; without it there is no test.
    members : tuple of (float, Quantity)
        The quantities with their weights.
    correlations : ndarray, optional
        Correlation matrix of the quantities, if intervals of their difference are based on their
        limits by default (`pauci.intervals.analytic.LimitsOfSum`).
    uncertainty : Uncertainty, optional
        The uncertainty from which covariances with other results are calculated.
    """

    label: tuple[str, ...]
    value: float
    se: float
    df: float
    se_within: float
    scale: Bounds
    pairs: float = math.inf
    alternative: Alternative = "two-sided"
    resampled: "Resampled | None" = None
    null: float | None = 0.0
    members: tuple[tuple[float, Quantity[Any]], ...] = field(default=(), compare=False)
    correlations: FloatArray | None = field(default=None, compare=False)
    uncertainty: Uncertainty | None = field(default=None, compare=False)

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest possible value."""
        return self.scale

    @property
    def name(self) -> str:
        """Name, or that of the first part of a difference."""
        return self.label[0] if self.label else "weighted sum"

    @property
    def second(self) -> str:
        """Name of the second part of a difference; empty for others."""
        return self.label[1] if len(self.label) > 1 else ""

    @property
    def words(self) -> str:
        """The name, or the difference of both names."""
        return f"{self.name} - {self.second}" if self.second else self.name

    @property
    def labels(self) -> list[object]:
        """The name by which the sum can be selected."""
        return [self.words]

    @property
    def has_null(self) -> bool:
        """Whether the sum is tested: a sum that is not a difference needs a null value."""
        return self.null is not None

    @property
    def repr_words(self) -> str:
        """The words of the repr, which lists of results share."""
        value, se = (fmt.number(v, self.se) for v in (self.value, self.se))
        return f"{self.words}: {value}, SE {se}"

    @property
    def terms(self) -> dict[object, float]:
        """Weight of each quantity in the sum, by a key of the quantity."""
        return {id(q): weight for weight, q in self.members} or super().terms

    def test(
        self, null: float | None = None, alternative: Alternative | None = None
    ) -> InvertedTest:
        """Test the sum against a fixed value.

        Parameters
        ----------
        null : float, optional
            Value under the null hypothesis; by default that of the contrast. It is required for a
            sum that has none, such as an average.
        alternative : {"two-sided", "greater", "less"}, optional
            Alternative hypothesis; by default that of the contrast.

        Returns
        -------
        InvertedTest
            Named tuple ``(statistic, df, pvalue)``. The p-value is below alpha exactly when the
            interval at level 1 - alpha excludes `null`.

        Examples
        --------
        >>> import pauci
        >>> y = [0, 1, 0, 1, 0, 1] * 9
        >>> sample = pauci.Sample(y, {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9})
        >>> gain = pauci.estimate(sample, pauci.AUC()).contrast({"a": 1, "b": -1})
        >>> round(gain.test().pvalue, 4)
        0.3169
        """
        null = self.null if null is None else self.possible_null(null, "the weighted sum")
        if null is None:
            problem = (
                f"is required, because {self.words} is not a difference and has no default value "
                "under the null hypothesis."
            )
            hint = "Pass the value to test against, such as test(null=0.5)."
            raise InputError.about("null", problem, hint=hint)
        side = self.alternative if alternative is None else alternative
        checks.check_choice("alternative", side, ("two-sided", "greater", "less"))
        return self.inverted_test(null, side)

    @property
    def pvalue(self) -> float:
        """The p-value of the test against `null`; NaN without a null value."""
        return math.nan if self.null is None else self.test().pvalue

    def report(self, level: float = 0.95, kind: "Kind | None" = None) -> str:
        """Return one sentence for a paper."""
        from pauci.results.facts import facts_of_rows
        from pauci.results.pivot import Presentation

        level = checks.level(level)
        (text,) = Presentation(facts_of_rows(self._rows(level, kind)), level).sentences()
        return text


@dataclass(frozen=True, eq=False, repr=False)
class Contrast(Difference[Kind], WeightedSum):
    """A weighted sum whose weights add up to 0, such as a difference."""


def _term(weight: float, name: str) -> str:
    return name if weight == 1.0 else f"{weight:.3g} x {name}"


def influence_frame(quantities: Sequence[Any], uncertainty: Uncertainty) -> "pd.DataFrame":
    """Return a frame with a row for each unit and a column for each quantity."""
    import pandas as pd

    if uncertainty.units is None:
        raise InputError(
            "these standard errors are not sums over single units, as those of bootstraps, random "
            "readers and pooled imputations are not, so that there is no influence.",
            argument="variance",
            hint="Use variance='influence' or variance=pauci.Jackknife(), and readers='fixed' for "
            "reader studies.",
        )
    z = uncertainty.units.by_unit()
    n = np.ones(sum(block.size for block in z.labels)) if z.n is None else z.n
    (counted,) = n.nonzero()
    known, names = z.other_rows
    labels = [label for block in z.labels for label in np.asarray(block.labels).tolist()]
    labels = [*[labels[i] for i in counted.tolist()], *names]
    index: Any = pd.Index(labels, name="unit")
    if len(z.labels) > 1:
        sample = np.repeat(np.arange(len(z.labels)) + 1, [block.size for block in z.labels])
        samples = [*sample[counted].tolist(), *[len(z.labels) + 1] * len(known)]
        index = pd.MultiIndex.from_arrays([samples, labels], names=["sample", "unit"])
    frame = pd.DataFrame(np.vstack([z.dense()[counted], known]), index, _columns(quantities))
    frame.attrs["n"] = np.concatenate([n[counted], np.ones(len(known))])
    return frame


def _columns(quantities: Sequence[Any]) -> Any:
    """Return the names of the columns: the parts of the names in which the quantities differ."""
    import pandas as pd

    names, differing = [tuple(map(str, q.labels)) for q in quantities], []
    if len(set(map(len, names))) == 1:
        columns = enumerate(zip(*names, strict=True))
        differing = [i for i, values in columns if len(set(values)) > 1]
    if not differing:
        return [", ".join(n) for n in names]
    if len(differing) == 1:
        return [n[differing[0]] for n in names]
    return pd.MultiIndex.from_tuples([tuple(n[i] for i in differing) for n in names])
