"""Several quantities with their joint uncertainty: contrasts, joint tests and multiplicity.

Estimates, comparisons, scans and reader studies are families. A difference of two estimates, an
average over readers and the difference of two differences are contrasts of a family. The contrasts
of a family form a family again, and a joint test states the comparisons that it tests: the classes
that refer to each other are in this file.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np

from pauci import checks, special
from pauci.calls import validate_methods, validated_dataclass
from pauci.checks import FloatArray, MaybeSeveral
from pauci.errors import InputError, UndefinedError
from pauci.intervals.analytic import Alternative, DifferenceKind, Intervals, Kind
from pauci.intervals.simultaneous import DRAWS, SEED, Adjustment, LargestStatistic, adjusted_pvalues
from pauci.intervals.student_t import critical_value, upper_tail
from pauci.progress import Progress
from pauci.results.estimates import ESTIMATE_COLUMNS, Estimate, KeyedSequence, OneSampleTest
from pauci.results.presented import MOST_SHOWN, Presented, PresentedInForest
from pauci.results.quantity import PlainRow, Quantity, Row, check_tests, estimates_of, rows_of
from pauci.results.weighted_sums import Summable, WeightedSum, variance_of_sum
from pauci.sample.rows import NONE_SKIPPED, ExcludedRows, Skipped
from pauci.tables import number_format as fmt
from pauci.tables.tabular import short_list
from pauci.variance.method import Uncertainty

if TYPE_CHECKING:
    from pauci.results.comparison import Comparison
    from pauci.results.pivot import Statement
    from pauci.results.ranks import Ranks
    from pauci.tables.table import Part, RichText

QuantityT = TypeVar("QuantityT", bound=Quantity)  # type: ignore[type-arg]

_SMALLEST_TAIL = 1e-300

QUANTITY_COLUMNS = "quantity value se df statistic pvalue null alternative low high level kind"
"""Columns of the data frames of contrasts."""


@validate_methods
@dataclass(frozen=True, eq=False, repr=False)
class Family(Summable, KeyedSequence[QuantityT, QuantityT | MaybeSeveral]):
    """Several quantities with their joint uncertainty.

    A name that matches one quantity returns it, as ``estimates["svm"]``; otherwise the result is
    the family of all quantities with this name.

    Parameters
    ----------
    quantities : sequence of Quantity
        The quantities.
    uncertainty : Uncertainty
        Covariance matrix of the quantities and, if known, the degrees of freedom and the
        replicates of weighted sums of them.
    max_rank : float
        Largest rank that the covariance matrix can have with this number of rows or clusters.
    clusters : float
        Number of clusters with positives or number with negatives, whichever is smaller; infinite
        without clusters.
    seed, draws : int, optional
        Seed and number of draws of the distribution of the largest statistic.
    skipped : tuple of (group, reason)
        Groups that were left out.
    """

    quantities: tuple[QuantityT, ...]
    uncertainty: Uncertainty
    max_rank: float = math.inf
    clusters: float = math.inf
    seed: int = SEED
    draws: int = DRAWS
    skipped: Skipped = NONE_SKIPPED

    def __repr__(self) -> str:
        return short_list(type(self).__name__, [q.repr_words for q in self])

    @property
    def _items(self) -> tuple[QuantityT, ...]:
        return self.quantities

    _summands = _items

    def _selected(self, key: str) -> QuantityT | MaybeSeveral:
        """Return the quantity with a name, or the family of all quantities with this name."""
        positions = [i for i, q in enumerate(self) if key in map(str, q.labels)]
        if not positions:
            names = list(dict.fromkeys(str(n) for q in self for n in q.labels))
            what = re.sub(r"(?<!^)(?=[A-Z])", " ", type(self).__name__).lower()
            listed = f"{', '.join(names[:20])}{', ...' * (len(names) > 20)}"
            problem = f"is not a name in these {what}{checks.nearest(key, names)}"
            raise KeyError(f"{key!r} {problem} The names are: {listed}.")
        return self.quantities[positions[0]] if len(positions) == 1 else self._part(positions)

    def _part(self, positions: list[int]) -> "Family[QuantityT]":
        """Return the family of some of the quantities."""
        quantities, uncertainty = self._chosen(positions)
        return replace(self, quantities=quantities, uncertainty=uncertainty)

    def _chosen(self, positions: list[int]) -> tuple[tuple[QuantityT, ...], Uncertainty]:
        chosen = tuple(self.quantities[i] for i in positions)
        return chosen, self.uncertainty.selected(positions)

    @property
    def cov(self) -> FloatArray:
        """Covariance matrix."""
        return self.uncertainty.matrix

    @property
    def df(self) -> float:
        """The smallest degrees of freedom of the quantities that are not at a limit."""
        return min((q.df for q in self.quantities if not q.degenerate), default=math.inf)

    def variance(self, weights: FloatArray) -> float:
        """Return the variance of a weighted sum, or 0 if it is a rounding error."""
        return variance_of_sum(weights, self.cov)

    def contrasts(
        self,
        weights: "Sequence[Mapping[str, float] | Sequence[float]] | FloatArray",
        labels: Sequence[str] | None = None,
    ) -> "Quantities":
        """Return several weighted sums of the quantities with their joint covariance.

        Parameters
        ----------
        weights : sequence of dict or of sequence of float
            The weights of each sum, as for `contrast`.
        labels : sequence of str, optional
            Names of the sums.

        Returns
        -------
        Quantities
            A family with ``joint()``, ``simultaneous()``, ``to_frame()``, and contrasts of its own.

        Examples
        --------
        >>> import pauci
        >>> y = [0, 1, 0, 1, 0, 1] * 9
        >>> sample = pauci.Sample(y, {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9})
        >>> es = pauci.estimate(sample, [pauci.AUC(), pauci.AP()])
        >>> es.contrasts([[1, 0, -1, 0], [0, 1, 0, -1]], ["AUC", "AP"]).joint().df
        2
        """
        rows = np.array([self._weights(w) for w in weights])
        if not rows.size:
            problem = "is empty; pass the weights of each contrast."
            raise InputError.about("weights", problem, value=weights)
        if labels is not None and len(labels) != len(rows):
            problem = f"has {len(labels)} names for {len(rows)} contrasts."
            raise InputError.about("labels", problem, value=labels)
        names = [self._label_of(r) for r in rows] if labels is None else [(n,) for n in labels]
        return self.weighted_sums(rows, names)

    def weighted_sums(
        self, weights: FloatArray, labels: Sequence[tuple[str, ...]] | None = None
    ) -> "Quantities":
        """Return the family of several weighted sums, with a row of weights for each."""
        names: Sequence[tuple[str, ...]] = [()] * len(weights) if labels is None else labels
        sums = list(map(self.weighted_sum, weights, names))
        covariance = self.covariance_of(weights, sums)
        uncertainty = self.uncertainty.combined(weights, covariance)
        return Quantities(tuple(sums), uncertainty, self.max_rank, self.clusters)

    def differences(
        self, pairs: Sequence[tuple[int, int]], labels: Sequence[tuple[str, ...]] | None = None
    ) -> "Quantities":
        """Return the differences of the quantities at pairs of positions, first minus second."""
        weights = np.zeros((len(pairs), len(self)))
        for row, (first, second) in zip(weights, pairs, strict=True):
            row[first], row[second] = 1.0, -1.0
        return self.weighted_sums(weights, labels)

    def covariance_of(self, weights: FloatArray, sums: Sequence[WeightedSum] = ()) -> FloatArray:
        """Return the covariance matrix of weighted sums, with a row of weights for each.

        The covariances of `sums` with standard error 0 are set to 0.
        """
        cov = _sums_of_rows(weights, _sums_of_rows(weights, self.cov).T).T
        exact = [i for i, s in enumerate(sums) if s.se == 0.0]
        if exact:
            cov[exact, :] = cov[:, exact] = 0.0
        cov.flags.writeable = False
        return cov

    def correlation(self, i: int, j: int) -> float:
        """Return the correlation of two quantities, or 0 if either standard error is 0."""
        for argument, position in (("i", i), ("j", j)):
            checks.check_whole(argument, position, -len(self))
            if position >= len(self):
                raise InputError.of(argument, position, f"is not one of {len(self)} quantities.")
        if not (self.quantities[i].se and self.quantities[j].se):
            return 0.0
        cov = self.cov.item
        correlation = cov(i, j) / math.sqrt(cov(i, i) * cov(j, j))
        return min(max(correlation, -1.0), 1.0)

    @cached_property
    def largest_statistic(self) -> LargestStatistic:
        """The distribution of the largest of the correlated normal deviates.

        Quantities at a limit are treated as independent of the others, which is conservative.
        """
        return self._largest_of(any(q.sides == 2 for q in self.quantities))

    def _largest_of(self, two_sided: bool) -> LargestStatistic:
        """Return the distribution of the largest deviate, or of the largest absolute value."""
        cov, at_limit = np.array(self.cov), [q.at_limit for q in self.quantities]
        cov[at_limit, :] = cov[:, at_limit] = 0.0
        deviates = special.correlation_matrix(cov)
        return LargestStatistic(deviates, two_sided=two_sided, seed=self.seed, draws=self.draws)

    def simultaneous(self, level: float = 0.95, kind: Any = None) -> Intervals:
        """Return intervals with simultaneous coverage `level`.

        They are the intervals of the quantities at a higher level, which follows from the
        distribution of the largest statistic (`pauci.intervals.simultaneous`), and agree with the
        p-values of `adjusted_by` with ``"max-t"``.

        Parameters
        ----------
        level : float, default 0.95
            Simultaneous confidence level.
        kind : str, optional
            As for the interval of a quantity; the default is analytic, also with standard errors
            from the bootstrap.
        """
        level = checks.level(level)
        tail = upper_tail(self.largest_statistic.quantile(level))
        return Intervals(
            # Rounding must not make an interval narrower than the individual interval.
            q.interval(max(1.0 - q.sides * tail, level), q.kind_or_analytic(kind))
            for q in self.quantities
        )

    def adjusted_by(
        self, method: str, tests: Sequence[Any], sides: int | None = None
    ) -> tuple[float, ...]:
        """Return the p-values of tests, adjusted for their number.

        `method` is ``"none"``, ``"max-t"`` (single step, from the joint covariance) or one of
        `pauci.intervals.simultaneous.adjusted_pvalues`. The numbers of sides are those of the
        quantities by default.
        """
        pvalues = [test.pvalue for test in tests]
        if method == "none":
            return tuple(pvalues)
        if method == "max-t":
            largest = self._largest_of(two_sided=False) if sides == 1 else self.largest_statistic
            adjusted = []
            for q, p in zip(self.quantities, pvalues, strict=True):
                tail = max(p / (q.sides if sides is None else sides), _SMALLEST_TAIL)
                adjusted.append(p if math.isnan(p) else max(p, largest.tail(critical_value(tail))))
            return tuple(adjusted)
        return tuple(adjusted_pvalues(pvalues, method).tolist())

    def joint(self, null: "Sequence[float] | None" = None) -> "JointTest":
        """Test the values of all quantities at once, by Hotelling's T^2 (`JointTest`).

        The test uses the generalized inverse of the covariance matrix. If a quantity has
        standard error 0 and differs from the null hypothesis, the statistic is infinite, and the
        p-value is combined with that of the quantity by Bonferroni's method.

        Parameters
        ----------
        null : sequence of float, optional
            The value of each quantity under the null hypothesis; by default all are 0.

        Raises
        ------
        InputError
            If `null` does not have a finite number for each quantity.
        UndefinedError
            If there are too few degrees of freedom, rows or clusters.

        References
        ----------
        T. W. Anderson (2003), An Introduction to Multivariate Statistical Analysis, 3rd ed., 5.2.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 0, 1, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.7, 0.6, 0.8] * 9)
        >>> es = pauci.estimate(sample, [pauci.CalibrationIntercept(), pauci.CalibrationSlope()])
        >>> round(es.joint(null=[0, 1]).pvalue, 3)
        0.438
        """
        check_tests(self.quantities)
        nulls = self._nulls(null)
        spread = np.sqrt(np.diag(self.cov))
        positive = spread > 0.0
        differences = np.array([q.value for q in self.quantities]) - nulls
        z = differences[positive] / spread[positive]
        correlation = special.correlation_matrix(self.cov)[np.ix_(positive, positive)]
        eigenvalues, vectors = np.linalg.eigh(correlation)
        in_rank = eigenvalues > 1e-10 * len(self)
        df = int(in_rank.sum())
        whitened = vectors[:, in_rank].T / np.sqrt(eigenvalues[in_rank])[:, None]
        statistic = float(np.square(whitened @ z).sum())
        uncorrelated = np.zeros((df, len(self)))
        uncorrelated[:, positive] = whitened / spread[positive]
        # The degrees of freedom are those of the quantities if the moments of the units do not
        # determine them, or if all quantities are multiples of one.
        nu = None if df < 2 else self.uncertainty.df_of_matrix(uncorrelated)
        nu = self.df if nu is None else nu
        weights = self._terms
        denominator = self._denominator(df, nu, _rank(weights) - _rank(weights[~positive]))
        pvalue = 1.0
        if not df:
            denominator = math.inf
        elif math.isinf(denominator):
            pvalue = float(special.chdtrc(df, statistic))
        else:
            f = JointTest(statistic, df, 1.0, denominator).f
            pvalue = float(special.fdtrc(df, denominator, f))
        certain_pvalues = [
            q.inverted_test(value, "two-sided").pvalue
            for q, value in zip(self.quantities, nulls.tolist(), strict=True)
            if q.se == 0.0 and q.value != value
        ]
        if certain_pvalues:
            pvalues = [*certain_pvalues, pvalue] if df else certain_pvalues
            statistic, pvalue = math.inf, min(1.0, len(pvalues) * min(pvalues))
        tested = () if null is None else tuple(nulls.tolist())
        return JointTest(statistic, df, pvalue, denominator, null=tested)

    def _nulls(self, null: "Sequence[float] | None") -> FloatArray:
        """Return the value of each quantity under the null hypothesis of a joint test."""
        if null is None:
            return np.zeros(len(self))
        needed = f"must have a finite number for each of the {len(self)} quantities."
        values = checks.array_of_numbers("null", null, needed)
        if values.shape != (len(self),) or not np.isfinite(values).all():
            raise InputError.of("null", null, needed)
        for i, value in enumerate(values.tolist()):
            self.quantities[i].possible_null(value, f"quantity {i + 1} of {len(self)}")
        return values

    @property
    def _terms(self) -> FloatArray:
        """Weights of the terms, a row for each quantity."""
        terms = [q.terms for q in self.quantities]
        columns = {key: i for i, key in enumerate(dict.fromkeys(k for t in terms for k in t))}
        weights = np.zeros((len(self), len(columns)))
        for row, terms_of_quantity in zip(weights, terms, strict=True):
            for key, weight in terms_of_quantity.items():
                row[columns[key]] = weight
        return weights

    def _denominator(self, df: int, nu: float, full_rank: int) -> float:
        """Return the denominator degrees of freedom of a joint test of rank `df`.

        `nu` are the degrees of freedom of the covariance matrix, and `full_rank` is the rank that
        it has if there are sufficiently many rows.
        """
        denominator = nu - df + 1.0
        rank = full_rank if self.max_rank <= df < full_rank else df
        if rank == df and (denominator > 0.0 or not df):
            return denominator
        units, reason = "observations", ""
        if math.isfinite(self.clusters):
            units = "clusters"
            reason = f" (one class occurs in effectively only {self.clusters:.3g} clusters)"
        raise UndefinedError(
            f"joint() tests {rank} differences at once, which requires more than {rank - 1} "
            f"degrees of freedom, but their covariance has {fmt.degrees(nu)}{reason}.",
            argument="samples",
            hint=f"Compare fewer classifiers or measures, collect more {units}, or adjust each "
            "test with adjust='holm'.",
        )


def _sums_of_rows(weights: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return ``weights @ matrix``; the sums do not depend on the number of threads.

    Sums of one or two rows, such as the differences of all pairs, require two products for each
    value instead of one for each row of the matrix.
    """
    used = weights != 0.0
    if used.sum(axis=1).max(initial=0) > 2:
        return np.asarray(np.einsum("jl,il->ji", weights, matrix.T))
    first, last = used.argmax(axis=1), weights.shape[1] - 1 - used[:, ::-1].argmax(axis=1)
    rows = np.arange(len(weights))
    of_first, of_last = weights[rows, first], np.where(last > first, weights[rows, last], 0.0)
    matrix = np.ascontiguousarray(matrix)  # so that its rows are copied quickly
    result: FloatArray = matrix.take(first, axis=0)
    result *= of_first[:, None]
    result += matrix.take(last, axis=0) * of_last[:, None]
    return result


def _rank(weights: FloatArray) -> int:
    return int(np.linalg.matrix_rank(weights)) if len(weights) else 0


@validated_dataclass
class Quantities(Family[Any], PresentedInForest[Kind]):
    """Several quantities, such as contrasts or results of separate calls, with their covariance."""

    _fields = QUANTITY_COLUMNS


@validated_dataclass
class Estimates(Family[Estimate], PresentedInForest[Kind]):
    """Several estimates, with their joint covariance.

    The name of a classifier or a measure that matches one estimate returns an `Estimate`, as
    ``estimates["svm"]``; otherwise the result is `Estimates`.

    Attributes
    ----------
    estimates : tuple of Estimate
        Ordered by classifier, and within each classifier by measure.
    cov : ndarray of shape (m, m)
        Covariance matrix of the estimates.
    """

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The estimates."""
        return self.quantities

    def _part(self, positions: list[int]) -> "Estimates":
        return Estimates(*self._chosen(positions))

    @property
    def fewest_clusters(self) -> float:
        """Smallest effective number of clusters with a class; infinite without clusters."""
        return min(e.rows.cluster_df + 1.0 for e in self)

    def tests(
        self,
        null: float | Sequence[float],
        alternative: Alternative = "two-sided",
        adjust: Adjustment = "holm",
    ) -> "OneSampleTests":
        """Test every estimate against a fixed value, with p-values adjusted for their number.

        Parameters
        ----------
        null : float or sequence of float
            Value under the null hypothesis, such as 0.5 for an AUC; or a value for each estimate.
        alternative : {"two-sided", "greater", "less"}, default "two-sided"
            Direction of the measure under the alternative hypothesis.
        adjust : str, default "holm"
            Adjustment of the p-values: ``"holm"``, ``"bonferroni"`` or ``"max-t"`` (single step,
            from the joint covariance) for the familywise error rate, ``"bh"`` or ``"by"`` for the
            false discovery rate, or ``"none"``.

        Returns
        -------
        OneSampleTests
            The estimates with the p-values of their tests, which agree with `Estimate.test`; with
            standard errors from the bootstrap they are analytic by default.

        Raises
        ------
        InputError
            For a null value outside the range of a measure, or an unknown option.
        UndefinedError
            For a measure without tests (`InitialTPR`).

        Notes
        -----
        With ``"max-t"`` the p-value of a test is the probability that the largest of the correlated
        normal deviates exceeds the deviate with the p-value of this test alone (Hothorn, Bretz and
        Westfall 2008, Biometrical Journal 50:346-363).

        Examples
        --------
        >>> import pauci
        >>> y = [0, 1, 0, 1, 0, 1] * 9
        >>> sample = pauci.Sample(y, {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9})
        >>> tests = pauci.estimate(sample, pauci.AUC()).tests(null=0.5)
        >>> tests.to_frame()[["classifier", "pvalue", "p_adjusted"]].round(6).values.tolist()
        [['a', 0.000143, 0.000286], ['b', 0.021263, 0.021263]]
        """
        checks.check_choice("alternative", alternative, ("two-sided", "greater", "less"))
        checks.check_choice("adjust", adjust, get_args(Adjustment))
        check_tests(self)
        several: Any = null if np.ndim(null) else [null] * len(self)
        nulls = tuple(self._nulls(several).tolist())
        tests = OneSampleTests(self.quantities, self.uncertainty, skipped=self.skipped)
        return replace(tests, nulls=nulls, alternative=alternative, adjust=adjust)

    def ranks(self, best: int = 10, level: float = 0.95, progress: Progress = "auto") -> "Ranks":
        """Return simultaneous confidence sets of the ranks of the estimates.

        Parameters
        ----------
        best : int, default 10
            Number of ranks that count as the best, at most the number of estimates.
        level : float, default 0.95
            Probability that all sets contain the ranks of the true values.
        progress : bool or "auto", default "auto"
            Whether to show a progress bar; "auto" shows it after a second in interactive sessions.

        Returns
        -------
        Ranks
            The rank of each estimate, where 1 is the best, its set, and whether it is surely,
            possibly or not among the best.

        Raises
        ------
        InputError
            For fewer than two estimates, estimates of several measures, a measure without a best
            direction such as the calibration slope, or an invalid `best` or `level`.
        UndefinedError
            For a measure without tests (`InitialTPR`).

        Notes
        -----
        With c the number of estimates that are significantly better and w the number that are
        significantly worse, the set is 1 + c to K - w. All K (K - 1) directional differences are
        tested together, so that the sets of all estimates, and every selection from them, have the
        level (Klein, Wright and Wieczorek 2020; Mogstad, Romano, Shaikh and Wilhelm 2024). A
        difference is significant if it exceeds q standard errors. The quantile of the largest
        standardized difference is simulated from the joint normal distribution with a fixed seed,
        and q is the value with the same tail probability in the t distribution whose degrees of
        freedom are the size of the smaller class, or its number of clusters, minus one. For an
        estimate with standard error 0, the distance from the limit of its interval is added in
        squares to the margin.

        References
        ----------
        M. Klein, T. Wright and J. Wieczorek (2020), Journal of the Royal Statistical Society A
        183:589-606.

        M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024), Review of Economic Studies
        91:476-518.

        Examples
        --------
        >>> import pauci
        >>> features = ["cell_size", "mitoses", "cell_shape"]
        >>> frame = pauci.datasets.load_wisconsin()
        >>> sample = pauci.Sample.from_frame(frame, "class", features, "malignant")
        >>> pauci.estimate(sample, pauci.AUC()).ranks(best=1).to_frame()["among_best"].tolist()
        ['possible', 'possible', 'no']
        """
        from pauci.results.ranks import ranks_of

        return ranks_of(self.estimates, self.cov, best, level, progress)

    _fields = ESTIMATE_COLUMNS


@validated_dataclass
class OneSampleTests(Estimates):
    """Estimates that are tested against fixed values, with p-values adjusted for their number.

    A name that several estimates share selects their tests, with p-values adjusted for these alone.
    If there are more than twenty tests, tables and figures show those with the smallest p-values.

    Attributes
    ----------
    nulls : tuple of float
        The value of each estimate under the null hypothesis.
    alternative : str
        ``"two-sided"``, ``"greater"`` or ``"less"``.
    adjust : str
        Method by which p-values are adjusted.
    """

    nulls: tuple[float, ...] = ()
    alternative: Alternative = "two-sided"
    adjust: Adjustment = "none"

    def _part(self, positions: list[int]) -> "OneSampleTests":
        nulls = [self.nulls[i] for i in positions]
        return super()._part(positions).tests(nulls, self.alternative, self.adjust)

    @cached_property
    def p_adjusted(self) -> tuple[float, ...]:
        """The adjusted p-values."""
        return tuple(row.record["p_adjusted"] for row in self._rows(0.95, None))

    def _tests(self, kind: Any) -> list[OneSampleTest]:
        return [
            e.test(null, self.alternative, e.kind_or_analytic(kind))
            for e, null in zip(self, self.nulls, strict=True)
        ]

    def _rows(self, level: float, kind: Any) -> list[Row]:
        tests = self._tests(kind)
        adjusted = self.adjusted_by(self.adjust, tests, 1 + (self.alternative == "two-sided"))
        rows = [row for test in tests for row in test._rows(level, None)]
        tested = zip(rows, adjusted, strict=True)
        return [replace(row, more={**row.more, "p_adjusted": p}) for row, p in tested]

    _fields = (
        "classifier measure region value se low high level kind null alternative statistic df "
        "pvalue p_adjusted dropped left_out group"
    )

    def _shown(self, rows: Sequence[Any]) -> Sequence[Any]:
        by_p = sorted(rows, key=lambda row: row.record["pvalue"])
        return by_p[:MOST_SHOWN] if len(rows) > MOST_SHOWN else rows

    @property
    def _classifiers(self) -> list[str]:
        """The names in the title, also of tests that are not shown."""
        return [e.classifier for e in self]

    def _remarks(self, level: float, kind: Any) -> "Iterator[RichText]":
        if len(self) == 1:
            yield from self._tests(kind)[0]._remarks(level, kind)
            return
        adjusted = f" ({fmt.proper(self.adjust)})" * (self.adjust != "none")
        below = sum(p < 1.0 - level for p in self.p_adjusted)
        yield f"p{adjusted} < {1.0 - level:g} in {below:,} of {fmt.count(len(self), 'test')}."
        if len(self) > MOST_SHOWN:
            yield f"The {MOST_SHOWN} smallest of {len(self):,} p-values; to_frame() has all."

    def _sentences_of(self, presentation: Any) -> list[str]:
        if len(self) == 1:
            (test,) = self._tests(presentation.kind)
            return test._sentences_of(presentation)
        sentences = super()._sentences_of(presentation)
        if len(self) > MOST_SHOWN:
            sentences = [str(next(self._remarks(presentation.level, None))), *sentences]
        return sentences


@validated_dataclass
class Comparisons(Family["Comparison"], PresentedInForest[DifferenceKind]):
    """Several comparisons, with p-values adjusted for their number.

    Comparisons are selected by the names of groups, measures, and differences such as
    ``"svm - nn"``. A name that matches one comparison returns a `Comparison`; otherwise the result
    is `Comparisons`, with p-values adjusted for these alone.

    Attributes
    ----------
    comparisons : tuple of Comparison
        All pairs of classifiers, ordered by measure.
    cov : ndarray of shape (m, m)
        Covariance matrix of the differences.
    adjust : str
        Method by which p-values are adjusted.
    """

    adjust: str = "none"

    @property
    def comparisons(self) -> "tuple[Comparison, ...]":
        """The comparisons."""
        return self.quantities

    def _part(self, positions: list[int]) -> "Comparisons":
        chosen = self._chosen(positions)
        return Comparisons(*chosen, self.max_rank, self.clusters, adjust=self.adjust)

    @cached_property
    def p_adjusted(self) -> tuple[float, ...]:
        """The p-values adjusted for the number of comparisons, by ``adjust``."""
        return self.adjusted()

    def adjusted(self, kind: DifferenceKind | None = None) -> tuple[float, ...]:
        """Return adjusted p-values of tests of a kind; see `Comparison.interval`."""
        tests = [c.inverted_test(c.null, c.alternative, kind) for c in self]
        return self.adjusted_by(self.adjust, tests)

    def joint(self, null: Sequence[float] | None = None) -> "JointTest":
        """Test that all differences are 0 at once.

        Parameters
        ----------
        null : sequence of float, optional
            The value of each difference under the null hypothesis; by default all are 0.

        Returns
        -------
        JointTest
            Hotelling's T^2 with the generalized inverse of the covariance matrix, which has rank
            k - 1 for all pairs of k classifiers. If a difference has standard error 0 and is not 0,
            the statistic is infinite, and the p-value is combined with that of the difference by
            Bonferroni's method.

        Raises
        ------
        InputError
            If the comparisons have a null difference other than 0.
        UndefinedError
            If a joint test is not possible, because nu - p + 1 (see `JointTest`) is not positive or
            there are too few rows or clusters for the rank of the covariance matrix.

        References
        ----------
        T. W. Anderson (2003), An Introduction to Multivariate Statistical Analysis, 3rd ed., 5.2.
        """
        if null is None and any(c.null for c in self):
            first = self[0].null
            problem = (
                "joint() tests that all differences are 0, but these comparisons have the null "
                f"{first!r}."
            )
            raise InputError(problem, argument="null", value=first)
        return replace(super().joint(null), comparisons=self)

    def intervals(self, level: float = 0.95) -> Intervals:
        """Return simultaneous intervals; an alias of `simultaneous`."""
        return self.simultaneous(level)

    def _rows(self, level: float, kind: Any) -> list[Row]:
        """Return the rows, with simultaneous intervals if p-values are adjusted by "max-t"."""
        adjusted = self.p_adjusted if kind is None else self.adjusted(kind)
        rows = rows_of(self.quantities, level, kind)
        ends = self.simultaneous(level, kind) if self.adjust == "max-t" else [None] * len(self)
        return [
            replace(row, p_adjusted=p, simultaneous=end)
            for row, p, end in zip(rows, adjusted, ends, strict=True)
        ]

    @property
    def _fields(self) -> str:  # type: ignore[override]
        from pauci.results.comparison import COMPARISON_COLUMNS

        return COMPARISON_COLUMNS + " classifier" * any(c.between_groups for c in self)


@validated_dataclass
class JointTest(Presented[Kind]):
    """Hotelling's test of several quantities, by default that all differences are 0.

    Attributes
    ----------
    statistic : float
        T^2 = d' V^- d, with the differences d from the null hypothesis and their covariance
        matrix V.
    df : int
        Rank p of V.
    pvalue : float
        p-value of F = T^2 (nu - p + 1)/(p nu) with p and nu - p + 1 degrees of freedom, where nu
        are the degrees of freedom of V (`pauci.variance.z`) or, if the variance method determines
        degrees of freedom itself, the smallest of those of the differences. If nu is infinite, the
        distribution of T^2 is chi-squared.
    df_denominator : float
        nu - p + 1.
    comparisons : Comparisons, optional
        The differences that were tested.
    null : tuple of float
        The values under the null hypothesis; empty if all are 0.
    pooled : bool
        Whether the results are those of imputed data (`pauci.pool`), for which the statistic is
        d' V^- d with the covariance matrix V within the completed data sets, times 1 plus the
        average relative increase by imputation, and F is the statistic divided by p.
    """

    statistic: float
    df: int
    pvalue: float
    df_denominator: float = math.inf
    comparisons: "Comparisons | None" = field(default=None, compare=False)
    null: tuple[float, ...] = ()
    pooled: bool = False

    @property
    def f(self) -> float:
        """The F statistic: T^2/p if `df_denominator` is infinite, or for imputed data."""
        if self.pooled or math.isinf(self.df_denominator):
            return self.statistic / max(self.df, 1)
        nu = self.df_denominator + self.df - 1.0
        return self.statistic * self.df_denominator / (self.df * nu)

    @property
    def words(self) -> "tuple[Part | str, ...]":
        """The statistics and the p-value as they appear in a sentence."""
        from pauci.tables.table import PEquals, Symbol, statistic_cell

        statistic, p = statistic_cell(self.statistic), PEquals(self.pvalue)
        if math.isinf(self.df_denominator):
            return "chi-squared ", statistic, f", df {self.df}, ", p
        name = "Wald " if self.pooled else "Hotelling's T-squared "
        df = f"({self.df}, {fmt.degrees(self.df_denominator)}) = "
        return name, statistic, ", ", Symbol("F"), df, statistic_cell(self.f), ", ", p

    def __repr__(self) -> str:
        return f"JointTest({self._text})"

    @property
    def _excluded(self) -> ExcludedRows:
        """Numbers of rows that are not used, in all samples together if they are independent."""
        cs = self.comparisons
        if cs is None:
            return ExcludedRows()
        if cs[0].paired:
            return cs[0].excluded
        samples = {e.classifier: e.excluded for c in cs for e in c.estimates}
        return ExcludedRows.of_samples(samples.values())

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        return [PlainRow(self, **self._excluded.columns)]

    _without_kinds = "a test, which has no intervals."
    has_intervals = False
    _fields = "statistic df pvalue df_denominator f dropped left_out"

    @property
    def _described(self) -> Sequence[Estimate]:  # type: ignore[override]
        return estimates_of(self.comparisons or ())

    def _arranged(self, rows: Any, level: float, kind: Any) -> "Statement":  # noqa: ARG002
        from pauci.results.pivot import Presentation, Statement
        from pauci.tables.table import columns_of_f_test, parts_of, statistic_cell

        finite, cs = math.isfinite(self.df_denominator), self.comparisons
        hypothesis = f"{'the values' if any(self.null) else 'all differences'} are {self._nulls}"
        name = "Li, Raghunathan and Rubin's" if self.pooled else "Hotelling's"
        statistic = ("Wald" if self.pooled else "T-squared") if finite else "chi-squared"
        columns: list[tuple[RichText, list[Any]]] = [
            ("hypothesis", [hypothesis]),
            (statistic, [statistic_cell(self.statistic)]),
            *columns_of_f_test(self.f, self.df, self.df_denominator, self.pvalue),
        ]
        about = Presentation([], level, self)
        data = about.notes_on_data("" if cs is None else cs[0].pairing)
        title: RichText = f"{name} test that {hypothesis}"
        if cs is not None:
            compared = Presentation(cs._facts(cs._rows(0.95, None), 0.95, None), 0.95, cs)
            first, *others = parts_of(compared.title(across=False))
            if isinstance(first, str) and first[1:2].islower():  # neither a name nor a symbol
                first = f"{first[0].lower()}{first[1:]}"
            title = (f"{title}: ", first, *others)
        return Statement(title, columns, [*data, *about.notes_on_errors()], [self.sentence])

    @property
    def _nulls(self) -> str:
        """The values under the null hypothesis in words."""
        from pauci.results.captions import list_or_count

        values = [f"{value:g}" for value in self.null]
        return list_or_count(values, "values") if any(self.null) else "0"

    @property
    def sentence(self) -> str:
        """One sentence for a paper."""
        tested = "The values" if any(self.null) else "All differences"
        if self.comparisons is not None:
            tested = f"All {len(self.comparisons)} differences"
        test = f"{self._text}{self._excluded.phrase}"
        return f"{tested} were jointly tested against {self._nulls} ({test})."

    @property
    def _text(self) -> str:
        from pauci.tables.table import plain

        return plain(self.words)
