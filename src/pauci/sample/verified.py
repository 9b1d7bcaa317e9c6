r"""Labels that are known in some rows only, and weights for their verification.

A row with a known label, :math:`v = 1`, has the weight :math:`1/\pi`, the inverse of its
probability of being verified, and other rows have weight 0. Probabilities are given, the share of
verified rows in each stratum, or those of a logistic regression of v on columns x.

Estimated probabilities add to the influence :math:`z_k` of row k the exact derivative

.. math:: g_k = -\Big(\sum_j z_j (1 - \pi_j) x_j\Big)^T I^{-1} x_k (v_k - \pi_k), \qquad
          I = \sum_j \pi_j (1 - \pi_j) x_j x_j^T ,

with an x of one indicator per stratum for shares in strata. Sums are weighted by sampling weights s
and frequencies, and :math:`g_k` is multiplied by :math:`s_k`.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pauci.backends.frames import open_frame
from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray, count, is_pandas, show_first
from pauci.errors import DataName, InputError, InputTypeError, VerificationWarning, warn
from pauci.logistic import expit, logistic_regression
from pauci.sample import weights
from pauci.sample.columns import Scores
from pauci.sample.frame_columns import NamedColumn
from pauci.sample.rows import WeightMap
from pauci.sample.vectors import missing_entries, unboxed_numbers, vector

VERIFIED, VERIFICATION = "verified", "verification"

"""Keys of further values of each row; covariates have keys of their own, "verification age"."""

_SMALLEST_PROBABILITY = 0.01
"""Probability of being verified below which standard errors can be too small in simulations."""


class KnownLabels(NamedTuple):
    """The rows whose labels are known, with the sampling weights and frequencies of all rows."""

    verified: BoolArray
    sampling: FloatArray | None
    frequency: IntArray | None

    def mass(self, copies: AnyArray | None) -> AnyArray:
        """Return sampling weights times numbers of copies."""
        mass = np.ones(self.verified.size) if copies is None else copies
        return mass if self.sampling is None else mass * self.sampling

    def weights(self, p: FloatArray) -> FloatArray:
        """Return sampling weights divided by probabilities; 0 for rows without a label."""
        used = self.verified & (p > 0.0)
        return np.divide(self.mass(None), p, out=np.zeros_like(p), where=used)


@dataclass(frozen=True, eq=False)
class VerificationWeights:
    """Inverse probabilities of verification, and the map of influence values that they require.

    Parameters
    ----------
    rows : KnownLabels
        The rows whose labels are known.
    columns : ndarray
        The stratum of each row, or the columns of the logistic regression, of shape (n, p).
    """

    rows: KnownLabels
    columns: AnyArray

    @abstractmethod
    def probabilities(self, mass: AnyArray) -> FloatArray:
        """Return the probability of verification of each row, from rows with these weights."""

    @abstractmethod
    def projected(self, z: FloatArray) -> FloatArray:
        """Return, for each row, x times the inverse information times sums of values times x."""

    @cached_property
    def mass(self) -> AnyArray:
        """Sampling weight times frequency."""
        return self.rows.mass(self.rows.frequency)

    @cached_property
    def fitted(self) -> FloatArray:
        """The probabilities of verification, estimated from all rows."""
        return self.probabilities(self.mass)

    def weights(self, copies: IntArray) -> FloatArray:
        """Return the weights in a resample with these numbers of copies of the rows."""
        return self.rows.weights(self.probabilities(self.rows.mass(copies)))

    def __call__(self, z: FloatArray) -> FloatArray:
        """Return z + g: influence values for known weights and those of the estimated weights."""
        copies = self.rows.frequency
        of_rows = z if copies is None else z * copies
        residuals = self.rows.mass(None) * (self.rows.verified - self.fitted)
        slopes = self.projected(of_rows * (1.0 - self.fitted))
        return np.asarray(z - slopes * residuals)


class SharesInStrata(VerificationWeights):
    """The share of verified rows in each stratum."""

    def probabilities(self, mass: AnyArray) -> FloatArray:
        """Return the shares of verified rows."""
        known, total = (np.bincount(self.columns, m) for m in (mass * self.rows.verified, mass))
        shares = np.divide(known, total, out=np.zeros_like(total), where=total > 0.0)
        return np.asarray(shares[self.columns])

    def projected(self, z: FloatArray) -> FloatArray:
        """Return sums within the stratum of each row, divided by its information."""
        information = np.bincount(self.columns, self.mass * self.fitted * (1.0 - self.fitted))
        inverse = np.divide(1.0, information, out=0.0 * information, where=information > 0.0)
        sums = [np.bincount(self.columns, values) * inverse for values in z]
        return np.array(sums)[:, self.columns]


class LogisticRegression(VerificationWeights):
    """Probabilities of verification from a logistic regression, with a constant first column."""

    def probabilities(self, mass: AnyArray) -> FloatArray:
        """Return fitted probabilities.

        A resample in which the regression has no finite solution has those of all rows.
        """
        coefficients = logistic_regression(self.columns, mass * self.rows.verified, mass)
        if coefficients is None:
            coefficients = self.coefficients
        return expit(self.columns @ coefficients)

    @cached_property
    def coefficients(self) -> FloatArray:
        """The coefficients of all rows."""
        found = logistic_regression(self.columns, self.mass * self.rows.verified, self.mass)
        if found is None:
            raise InputError(
                "the logistic regression of verified has no finite solution, because columns of "
                "verification= are constant or determined by others, or because they separate rows "
                "that are verified from the others.",
                argument=VERIFICATION,
                hint="Pass other columns, a single column of texts with strata, or known "
                "probabilities.",
            )
        return found

    def projected(self, z: FloatArray) -> FloatArray:
        """Return the regression of values on the columns, weighted by the information."""
        weighted = (self.mass * self.fitted * (1.0 - self.fitted))[:, None] * self.columns
        slopes = np.linalg.solve(self.columns.T @ weighted, (z @ self.columns).T)
        return np.asarray((self.columns @ slopes).T)


class Verification(NamedTuple):
    """Weights for verification, the map that they require, and how they were made."""

    weight: NamedColumn
    weight_map: WeightMap
    words: str


def columns_for_verification(verified: Any, verification: Any) -> dict[str, NamedColumn]:
    """Return the columns of both arguments of `Sample` by key."""
    if verified is None and verification is None:
        return {}
    found = {VERIFIED: NamedColumn(DataName(VERIFIED, VERIFIED), verified)}
    if isinstance(verification, Mapping) or hasattr(verification, "columns"):
        frame = verification if isinstance(verification, Mapping) else open_frame(verification)
        names = list(frame if isinstance(frame, Mapping) else frame.columns)
        if not names:
            raise InputError.about(VERIFICATION, "has no columns.", value=verification)
        of_columns = {str(name): frame[name] for name in names}
    elif np.ndim(verification) == 2:
        array = np.asarray(verification)
        of_columns = {str(i): array[:, i] for i in range(array.shape[1])}
    elif verification is None:
        return found
    else:
        name = DataName(VERIFICATION, VERIFICATION)
        return found | {VERIFICATION: NamedColumn(name, verification)}
    for key, values in of_columns.items():
        name = DataName(repr(key), VERIFICATION, key, after_argument=True)
        found[f"{VERIFICATION} {key}"] = NamedColumn(name, values)
    return found


def keys_for_verification(verified: Any, verification: Any) -> dict[str, Any]:
    """Return the names of the columns of a frame by key."""
    if verified is None and verification is None:
        return {}
    if isinstance(verification, (list, tuple)):
        if not verification:
            raise InputError.about(VERIFICATION, "names no column.", value=verification)
        return {VERIFIED: verified} | {f"{VERIFICATION} {name}": name for name in verification}
    return {VERIFIED: verified, VERIFICATION: verification}


def with_known_labels(label: NamedColumn, verified: NamedColumn) -> NamedColumn:
    """Return the labels with any known one in rows that are not verified, which have weight 0.

    A label in a row that is not verified, or none in one that is, raises an error.
    """
    values: Any = label.values if is_pandas(label.values) else vector(label.name, label.values)
    known = _mask(verified, len(values))
    missing = missing_entries(values)
    missing = missing if missing.size else np.zeros(known.size, bool)
    for wrong, words, hint in (
        (~known & ~missing, "a label in {} not verified", "Make these labels missing"),
        (known & missing, "no label in {} verified", "Set verified to false there"),
    ):
        rows = np.flatnonzero(wrong)
        if rows.size:
            which = f"{count(rows.size, 'row')} that {'is' if rows.size == 1 else 'are'}"
            raise InputError.about(
                label.name,
                f"has {words.format(which)}.",
                value=label.values,
                rows=rows,
                hint=f"{hint}, or correct verified=.",
            )
    index = np.where(known, np.arange(known.size), np.flatnonzero(known)[0])
    if hasattr(values, "iloc"):
        return label._replace(values=values.iloc[index].set_axis(values.index))
    return label._replace(values=values[index])


def _mask(verified: NamedColumn, n: int | None = None) -> BoolArray:
    """Return whether each row is verified."""
    if verified.values is None:
        raise InputTypeError.of(
            VERIFIED, None, "is missing: whether the label of each row is known.", shown=""
        )
    given = unboxed_numbers(verified.name, vector(verified.name, verified.values))
    if given.dtype.kind not in "biuf":
        raise InputTypeError.about(
            verified.name,
            f"has dtype {given.dtype}, but must be true or false (1 or 0) in each row. Convert "
            "texts, as in frame['verified'] == 'yes'.",
            value=verified.values,
        )
    values = weights.non_negative(verified.name, given, given.size if n is None else n, "the label")
    known = values == 1
    if not (known | (values == 0)).all():
        found = show_first(np.unique(values).tolist())
        raise InputError.about(
            verified.name,
            f"has the values {found}, but must be true or false (1 or 0) in each row.",
            value=verified.values,
        )
    if known.all() or not known.any():
        every = known.all()
        raise InputError.about(
            verified.name,
            f"is {'true' if every else 'false'} in all rows.",
            value=verified.values,
            hint="Omit it." if every else "Labels of some rows must be known.",
        )
    return np.asarray(known)


def verification_weights(
    scores: Mapping[str, Scores], extras: Mapping[str, NamedColumn], design: str
) -> Verification:
    """Return the weights of rows of which some are verified."""
    if design != "cohort":
        raise InputError.of(
            "design", design, "is not available with verified=: all rows are one random sample."
        )
    verified = _mask(extras[VERIFIED])
    n = verified.size
    absent = NamedColumn(DataName("", ""), None)
    weight, frequency = (extras.get(key, absent) for key in ("weight", "frequency"))
    sampling = weights.weight(weight.values, n, weight.name)
    copies = weights.frequency(frequency.values, n, frequency.name)
    weights.warn_if_probabilities(weight.values, verified, None, weight.name)
    single = extras.get(VERIFICATION, absent)
    covariates = [c for key, c in extras.items() if key.startswith(f"{VERIFICATION} ")]
    rows = KnownLabels(verified, sampling, copies)
    if not rows.mass(copies)[verified].any():
        raise InputError.about("weight", "times frequency is 0 in all verified rows.", value=0)
    found: VerificationWeights
    if covariates or single.values is None:
        columns = [x for column in covariates for x in _numbers_of(column, n)]
        names = [str(c.name.column) for c in covariates]
        if not covariates:
            columns = [s.values.astype(np.float64) for s in scores.values()]
            names = [f"the score{'s' * (len(columns) > 1)}"]
        found = LogisticRegression(rows, _standardized(columns))
        how = f"by logistic regression on {', '.join(names)}"
    elif _are_numbers(single):
        return _given(single, rows)
    else:
        codes, labels = weights.cluster(single.values, n, single.name)
        assert codes is not None
        assert labels is not None
        found = SharesInStrata(rows, codes)
        empty = labels[np.unique(codes[(found.fitted == 0.0) & (found.mass > 0.0)])].tolist()
        if empty:
            raise InputError.about(
                single.name,
                f"has strata without a verified row: {show_first(empty)}.",
                value=single.values,
                hint="Join them with other strata.",
            )
        how = f"by shares within {single.name.column or 'strata'}"
    return _described(rows, found.fitted, found, f"estimated {how}")


def _given(single: NamedColumn, rows: KnownLabels) -> Verification:
    """Return the inverse of given probabilities."""
    p = weights.non_negative(single.name, single.values, rows.verified.size).astype(np.float64)
    for wrong, words in (
        ((p <= 0.0) | (p > 1.0), "must be above 0 and at most 1"),
        ((p == 1.0) & ~rows.verified, "is the probability of a row that is not verified"),
    ):
        where = np.flatnonzero(wrong)
        if where.size:
            raise InputError.about(
                single.name,
                f"holds {p[where[0]]:g}; it {words}.",
                value=float(p[where[0]]),
                rows=where,
                hint="A numeric column is one of probabilities of verification; pass covariates as "
                "a data frame or a list of columns, and strata as texts.",
            )
    return _described(rows, p, weights.GivenWeights(rows.weights(p)), "given")


def _described(rows: KnownLabels, p: FloatArray, weight_map: WeightMap, how: str) -> Verification:
    """Return weights with the numbers of rows in words; warn about small probabilities."""
    mass = rows.mass(rows.frequency)
    least = float(p[mass > 0.0].min())
    if least < _SMALLEST_PROBABILITY:
        warn(
            VerificationWarning.about(
                VERIFIED,
                f"has rows whose probability of being verified is down to {least:.2g}: few rows "
                "have large weights, and standard errors may be too small.",
                value=least,
                hint="Restrict the analysis to rows that could be verified.",
            )
        )
    copies = np.where(mass > 0.0, 1 if rows.frequency is None else rows.frequency, 0)
    known, total = int(copies[rows.verified].sum()), count(int(copies.sum()), "row")
    words = f"labels known in {known:,} of {total}, probabilities of verification {how}"
    weight = rows.weights(p)
    weight = weight / weight[weight > 0.0].min()  # weights of at most 1 look like probabilities
    return Verification(NamedColumn(DataName("weights", VERIFIED), weight), weight_map, words)


def _are_numbers(column: NamedColumn) -> bool:
    """Return whether a column has numbers, and not texts, booleans or categories."""
    dtype = str(getattr(column.values, "dtype", "")).lower()
    if dtype.startswith(("categor", "enum")):
        return False
    return unboxed_numbers(column.name, vector(column.name, column.values)).dtype.kind in "iuf"


def _numbers_of(column: NamedColumn, n: int) -> list[FloatArray]:
    """Return a column of numbers, or indicators of all values of other columns but the first."""
    if _are_numbers(column):
        values = unboxed_numbers(column.name, vector(column.name, column.values))
        weights.check_same_rows(column.name, values, n)
        return [values.astype(np.float64)]
    codes, labels = weights.cluster(column.values, n, column.name)
    assert labels is not None
    return [np.asarray(codes == k, np.float64) for k in range(1, len(labels))]


def _standardized(columns: list[FloatArray]) -> FloatArray:
    """Return a constant and the columns with mean 0 and standard deviation 1."""
    x = np.column_stack([np.ones(len(columns[0])), *columns])
    if not np.isfinite(x).all():
        raise InputError(
            "columns of the regression of verified hold numbers that are missing or infinite.",
            argument=VERIFICATION,
            rows=np.flatnonzero(~np.isfinite(x).all(axis=1)),
        )
    deviations = x[:, 1:] - x[:, 1:].mean(axis=0)
    scale = deviations.std(axis=0)
    return np.hstack([x[:, :1], deviations / np.where(scale > 0.0, scale, 1.0)])
