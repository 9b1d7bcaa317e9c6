"""Results of `compare` for several differences: adjusted p-values and the joint test."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from pauci import checks, special
from pauci.calls import answering_constructor
from pauci.checks import FloatArray
from pauci.equality import EqualByFields
from pauci.errors import InputError, UndefinedError, arg
from pauci.intervals.analytic import Interval
from pauci.intervals.kinds import DifferenceKind
from pauci.intervals.simultaneous import LargestStatistic
from pauci.results import format as fmt
from pauci.results.comparison import Comparison
from pauci.results.drawing import Drawable
from pauci.results.frames import COMPARISON_COLUMNS, frame
from pauci.results.sentences import sentences_of_comparisons
from pauci.results.tabular import Tabular, short_list

if TYPE_CHECKING:
    import pandas as pd

    from pauci.results.cells import Part, Table


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class JointTest(EqualByFields, Tabular):
    """Hotelling's test that all differences are 0 at once.

    Attributes
    ----------
    statistic : float
        T^2 = d' V^- d with the differences d and their covariance matrix V.
    df : int
        Its rank p: the rank of V.
    pvalue : float
        p-value, from F = T^2 (nu - p + 1)/(p nu) on p and nu - p + 1 degrees of freedom, where nu
        are the fewest of all differences; from the chi-squared distribution where nu is infinite.
    df_denominator : float
        nu - p + 1.
    comparisons : Comparisons, optional
        What was tested.
    """

    statistic: float
    df: int
    pvalue: float
    df_denominator: float = math.inf
    comparisons: "Comparisons | None" = field(default=None, compare=False)

    @property
    def f(self) -> float:
        """The F statistic: T^2/p where `df_denominator` is infinite."""
        if math.isinf(self.df_denominator):
            return self.statistic / max(self.df, 1)
        nu = self.df_denominator + self.df - 1.0
        return self.statistic * self.df_denominator / (self.df * nu)

    @property
    def words(self) -> "tuple[Part | str, ...]":
        """The test as a sentence says it, without its subject."""
        from pauci.results.cells import PEquals, Statistic, Symbol

        known = math.isfinite(self.df_denominator)
        words: tuple[Part | str, ...] = (
            "Hotelling's T-squared " if known else "chi-squared ", Statistic(self.statistic),
        )  # fmt: skip
        if not known:
            return *words, f", df {self.df}, ", PEquals(self.pvalue)
        df = f"({self.df}, {fmt.degrees(self.df_denominator)}) = "
        return *words, ", ", Symbol("F"), df, Statistic(self.f), ", ", PEquals(self.pvalue)

    def __repr__(self) -> str:
        return f"JointTest({self._said})"

    def to_frame(self) -> "pd.DataFrame":
        """Return a data frame of one row."""
        columns = ("statistic", "df", "pvalue", "df_denominator", "f")
        return frame(columns, [{name: getattr(self, name) for name in columns}])

    def _table(self, level: float, kind: Any) -> "Table":  # noqa: ARG002
        from pauci.results.table_contents import table_of_joint_test

        return table_of_joint_test(self)

    def report(self) -> str:
        """Return one sentence for a paper."""
        tested = "All differences were"
        if self.comparisons is not None:
            tested = f"All {len(self.comparisons)} differences were"
        return f"{tested} tested against 0 at once ({self._said})."

    @property
    def _said(self) -> str:
        from pauci.results.cells import plain

        return plain(self.words)


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Sequence[Comparison], Tabular, Drawable):
    """Several comparisons, with p-values adjusted for their number.

    Attributes
    ----------
    comparisons : tuple of Comparison
        Measure by measure, each with all pairs of classifiers.
    cov : ndarray of shape (m, m)
        Covariance matrix of the differences.
    adjust : str
        Method of the adjustment.
    """

    comparisons: tuple[Comparison, ...]
    cov: FloatArray
    adjust: str

    @overload
    def __getitem__(self, index: int) -> Comparison: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Comparison, ...]: ...
    def __getitem__(self, index: int | slice) -> Comparison | tuple[Comparison, ...]:
        """Return one comparison, or a tuple of several."""
        return self.comparisons[index]

    def __len__(self) -> int:
        """Return the number of comparisons."""
        return len(self.comparisons)

    def __iter__(self) -> Iterator[Comparison]:
        """Iterate over the comparisons."""
        return iter(self.comparisons)

    def __repr__(self) -> str:
        return short_list("Comparisons", [repr(c)[len("Comparison(") : -1] for c in self])

    @cached_property
    def p_adjusted(self) -> tuple[float, ...]:
        """The p-values adjusted for the number of comparisons, by ``adjust``."""
        return self.adjusted()

    def adjusted(self, kind: DifferenceKind | None = None) -> tuple[float, ...]:
        """Return adjusted p-values of tests of a kind; see `Comparison.interval`.

        Raises
        ------
        ValueError
            For ``adjust="max-t"`` with a kind other than ``"wald"``: its statistics are those of
            Wald tests.
        """
        raw = [c.p_value(kind) for c in self]
        if self.adjust == "none":
            return tuple(raw)
        if self.adjust == "max-t":
            if kind not in (None, "wald"):
                raise InputError(
                    arg("kind", kind),
                    " does not go with ",
                    arg("adjust", "max-t"),
                    ", whose statistics are those of Wald tests; use ",
                    arg("adjust", "holm"),
                    ", or ",
                    arg("kind", "wald"),
                    ".",
                )
            return tuple(
                min(1.0, len(self) * c.pvalue)
                if c.se == 0.0 or c.one_se_is_zero
                else self._largest.tail(c.statistic_towards)
                for c in self
            )
        from statsmodels.stats.multitest import multipletests

        with np.errstate(divide="ignore"):  # of log(1 - p) at p = 1, which leaves p as it is
            adjusted = multipletests(raw, method=self.adjust)[1]
        return tuple(float(p) for p in adjusted)

    @cached_property
    def _largest(self) -> LargestStatistic:
        two_sided = self[0].alternative == "two-sided"
        return LargestStatistic(self.cov, two_sided=two_sided, df=self.df)

    @property
    def df(self) -> float:
        """The fewest degrees of freedom of a difference with a standard error."""
        return min((c.df for c in self if c.se > 0.0), default=math.inf)

    def joint(self) -> JointTest:
        """Test that all differences are 0 at once.

        Returns
        -------
        JointTest
            Hotelling's T^2 with the generalized inverse of the covariance matrix: all pairs of k
            classifiers have rank k - 1. Where a difference has standard error 0 and is not 0, the
            statistic is infinite and the p-value joins, by Bonferroni, what the number of
            observations says of it.

        Raises
        ------
        InputError
            If the comparisons have a null difference other than 0.
        UndefinedError
            If nu - p + 1 is not above 0, or the covariance matrix lacks ranks for want of rows or
            clusters: no test of all at once is possible then.

        References
        ----------
        T. W. Anderson (2003), An Introduction to Multivariate Statistical Analysis, 3rd ed., 5.2.
        """
        if any(c.null for c in self):
            raise InputError(
                "joint() tests that all differences are 0; these comparisons have ",
                arg("null", self[0].null),
                ".",
                argument="null",
                value=self[0].null,
            )
        certain = [
            replace(c, alternative="two-sided").pvalue for c in self if c.se == 0.0 and c.difference
        ]
        spread = np.sqrt(np.diag(self.cov))
        random = spread > 0.0
        z = np.array([c.difference for c in self])[random] / spread[random]
        correlation = (
            self.cov[np.ix_(random, random)] / np.outer(spread, spread)[np.ix_(random, random)]
        )
        eigenvalues, vectors = np.linalg.eigh(correlation)
        in_rank = eigenvalues > 1e-10 * len(self)
        df = int(in_rank.sum())
        whitened = vectors[:, in_rank].T / np.sqrt(eigenvalues[in_rank])[:, None]
        statistic = float(np.square(whitened @ z).sum())
        contrasts, bounds = self._contrasts
        if bounds.any():  # as near to 0 as cells of scores allow, at most: distances from 0 add up
            moves = np.linalg.norm(whitened @ (contrasts[random] / spread[random][:, None]), axis=0)
            hidden = float((bounds[moves > 0.0] * moves[moves > 0.0]).sum())
            statistic = max(math.sqrt(statistic) - hidden, 0.0) ** 2
        denominator = self.df - df + 1.0
        if self._most_ranks <= df < self._rank_of_contrasts:  # more than so few rows can show
            raise self._too_many(self._rank_of_contrasts)
        if df and denominator <= 0.0:
            raise self._too_many(df)
        if not df:
            pvalue, denominator = 1.0, math.inf
        elif math.isinf(denominator):
            pvalue = float(special.chdtrc(df, statistic))
        else:
            pvalue = float(
                special.fdtrc(df, denominator, JointTest(statistic, df, 1.0, denominator).f)
            )
        if certain:
            # Differences without visible error are no part of the statistic; Bonferroni joins them.
            parts = [*certain, pvalue] if df else certain
            pvalue = min(1.0, len(parts) * min(parts))
            return JointTest(math.inf, df, pvalue, denominator, self)
        return JointTest(statistic, df, pvalue, denominator, self)

    @property
    def _rank_of_contrasts(self) -> int:
        """How many differences are free: the rank of V where there are observations enough."""
        contrasts, _ = self._contrasts
        certain = [c.se == 0.0 for c in self]
        ranks = [np.linalg.matrix_rank(m) if len(m) else 0 for m in (contrasts, contrasts[certain])]
        return int(ranks[0] - ranks[1])

    @property
    def _contrasts(self) -> tuple[FloatArray, FloatArray]:
        """The differences as sums of estimates, and what cells of scores hide of these."""
        columns: dict[Any, int] = {}
        contrasts, bounds = np.zeros((len(self), 2 * len(self))), np.zeros(2 * len(self))
        for row, c in zip(contrasts, self, strict=True):
            for e, sign in zip(c.estimates, (1.0, -1.0), strict=True):
                column = columns.setdefault((e.classifier, e.measure), len(columns))
                row[column], bounds[column] = sign, np.nan_to_num(e.resolution_bound, posinf=np.inf)
        return contrasts, bounds

    @property
    def _most_ranks(self) -> float:
        """The largest rank that the covariance of so many rows or clusters can have."""
        each = {
            e.classifier: e.n_pos + e.n_neg - 2.0
            if e.clusters is None or math.isinf(e.cluster_df)
            else e.clusters - 1.0
            for c in self
            for e in c.estimates
        }
        return min(each.values()) if self[0].paired else sum(each.values())

    def _too_many(self, rank: int) -> UndefinedError:
        """Return what to say where the covariance of the differences cannot carry a joint test."""
        clusters = min((e.cluster_df + 1.0 for c in self for e in c.estimates), default=math.inf)
        units, more = "", "observations"
        if math.isfinite(clusters):
            units, more = f", as few as {clusters:g} clusters hold one of the classes", "clusters"
        known = f"{fmt.degrees(self.df)} degrees of freedom{units}"
        return UndefinedError(
            f"joint() tests {rank} differences at once, and their covariance is known with {known}:"
            f" it takes more than {rank - 1}. Compare fewer classifiers or measures, collect more "
            f"{more}, or adjust each test with ",
            arg("adjust", "holm"),
            ".",
            argument="samples",
        )

    def simultaneous(self, level: float = 0.95) -> tuple[Interval, ...]:
        """Return simultaneous intervals: all of them hold at once with probability `level`.

        They use the quantile of the largest of the correlated t statistics, with the fewest degrees
        of freedom of all differences (`pauci.intervals.simultaneous`), and agree with the p-values
        of ``adjust="max-t"``.
        """
        level = checks.level(level)
        critical = self._largest.quantile(level)
        return tuple(c.interval_among(level, critical, len(self)) for c in self)

    def intervals(self, level: float = 0.95) -> tuple[Interval, ...]:
        """Return what `simultaneous` returns, under its first name."""
        return self.simultaneous(level)

    def record(
        self, level: float = 0.95, kind: DifferenceKind | None = None
    ) -> list[dict[str, Any]]:
        """Return the rows of `to_frame` as dicts."""
        rows = [c.record(level, kind) for c in self]
        for row, p in zip(rows, self.adjusted(kind), strict=True):
            row["p_adjusted"] = p
        if self.adjust == "max-t":
            for row, ends in zip(rows, self.simultaneous(level), strict=True):
                row["low"], row["high"], row["kind"] = *ends, "simultaneous"
        return rows

    def to_frame(self, level: float = 0.95, kind: DifferenceKind | None = None) -> "pd.DataFrame":
        """Return a data frame with a row per comparison.

        Intervals are simultaneous with ``adjust="max-t"``, else each stands for itself.
        """
        return frame(COMPARISON_COLUMNS, self.record(level, kind))

    def _table(self, level: float, kind: DifferenceKind | None) -> "Table":
        from pauci.results.table_contents import table_of_comparisons

        return table_of_comparisons(self, level, kind)

    def report(self, level: float = 0.95, kind: DifferenceKind | None = None) -> str:
        """Return one sentence per comparison."""
        return "\n".join(sentences_of_comparisons(self, level, kind))
