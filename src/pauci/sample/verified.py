r"""Labels that are known in some rows only, and weights for their verification.

A row with a known label, :math:`v = 1`, has the weight :math:`1/\pi`, the inverse of its
probability of being verified, and other rows have weight 0. Probabilities are given, the share of
verified rows in each stratum, or those of a logistic regression of v on columns x.

Estimated probabilities add to the influence :math:`z_k` of row k the exact derivative

.. math:: g_k = -\Big(\sum_j z_j (1 - \pi_j) x_j\Big)^T I^{-1} x_k (v_k - \pi_k), \qquad
          I = \sum_j \pi_j (1 - \pi_j) x_j x_j^T ,

with an x of one indicator per stratum for shares in strata. Sums are weighted by sampling weights s
and frequencies, and :math:`g_k` is multiplied by :math:`s_k`.

Predicted probabilities p of the positive label make each row a positive with the weight p and a
negative with the weight :math:`1 - p`. If p is estimated from the verified rows, influence values
:math:`z^+` and :math:`z^-` of both have the derivative :math:`\sum_j (z_j^+ (1 - p_j) - z_j^- p_j)
x_j` by the coefficients, whose influence is :math:`I^{-1} x_k v_k (y_k - p_k)`, with the
information I of the verified rows.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pauci import checks
from pauci.backends.frames import open_frame
from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray
from pauci.errors import DataName, InputError, InputTypeError, VerificationWarning, warn
from pauci.sample import vectors, weights
from pauci.sample.columns import Scores
from pauci.sample.rows import Predictions, Rows
from pauci.sample.vectors import ABSENT, EXTRAS, VERIFIED, NamedColumn, NamedColumns
from pauci.special import expit, logistic_regression

VERIFICATION, PREDICTION = "verification", "prediction"
"""Keys of further values of each row; covariates have keys of their own, "verification age"."""

_OTHER_COLUMNS = "pass covariates as a data frame or a list of columns, and strata as texts."

_LARGEST_DEVIATE = 4.5
"""Largest deviation of the number of verified rows from given probabilities, in standard errors."""

_FEWEST_EXPECTED = 5.0
"""Smallest variance of the number of verified rows that is compared with its expectation."""

_SMALLEST_PROBABILITY = 0.01
"""Probability of being verified below which standard errors can be too small in simulations."""


_DETERMINED = 0.01
"""Residual standard deviation of a standardized score, given the others, below which it is left out
of the regression, such as the last column of the probabilities of all classes."""


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Probabilities of an outcome of each row, which are known.

    Parameters
    ----------
    outcome : ndarray of bool
        The outcome: whether a row is verified, or whether a verified row is positive.
    sampling : ndarray
        Sampling weights; 0 for rows whose outcome is not known.
    frequency : ndarray of int
        Frequencies.
    columns : ndarray
        The probability or the stratum of each row, or the columns of the logistic regression, of
        shape (n, p).
    argument : str
        The argument with the columns, for messages.
    """

    outcome: BoolArray
    sampling: FloatArray
    frequency: IntArray
    columns: AnyArray
    argument: str

    def estimated(self, mass: AnyArray) -> FloatArray:  # noqa: ARG002
        """Return the probabilities of all rows, estimated from rows with these weights."""
        return self.columns

    def effect(self, slopes: FloatArray) -> FloatArray:
        """Return the influence of the rows on quantities that depend on the probabilities.

        `slopes` are the derivatives of the quantities with respect to the log odds of each row.
        """
        return self.projected(slopes) * (self.sampling * (self.outcome - self.fitted))

    def projected(self, slopes: FloatArray) -> FloatArray:
        """Return, for each row, x times the inverse information times sums of slopes times x."""
        return np.zeros_like(slopes)

    @cached_property
    def total(self) -> AnyArray:
        """Sampling weight times frequency."""
        return self.sampling * self.frequency

    @cached_property
    def fitted(self) -> FloatArray:
        """The probabilities, estimated from all rows."""
        return self.estimated(self.total)

    @cached_property
    def information(self) -> FloatArray:
        """The weight of each row in the information about the log odds."""
        return np.asarray(self.total * self.fitted * (1.0 - self.fitted))

    def weights(self, copies: IntArray | None = None) -> FloatArray:
        """Return the inverse probabilities of rows with the outcome, the weights of these rows.

        `copies` are the numbers of copies of the rows in a resample.
        """
        p = self.fitted if copies is None else self.estimated(self.sampling * copies)
        return np.divide(self.sampling, p, out=np.zeros(p.size), where=self.outcome & (p > 0.0))

    def __call__(self, z: FloatArray) -> FloatArray:
        """Return z + g: influence values for known weights and those of the estimated weights."""
        return np.asarray(z - self.effect(z * self.frequency * (1.0 - self.fitted)))


class SharesInStrata(Probabilities):
    """The share of rows with the outcome in each stratum."""

    def estimated(self, mass: AnyArray) -> FloatArray:
        """Return the shares of rows with the outcome."""
        known, total = (np.bincount(self.columns, m) for m in (mass * self.outcome, mass))
        shares = np.divide(known, total, out=np.zeros_like(total), where=total > 0.0)
        return np.asarray(shares[self.columns])

    def projected(self, slopes: FloatArray) -> FloatArray:
        """Return sums within the stratum of each row, divided by its information."""
        information = np.bincount(self.columns, self.information)
        inverse = np.divide(1.0, information, out=0.0 * information, where=information > 0.0)
        sums = [np.bincount(self.columns, values) * inverse for values in slopes]
        return np.array(sums)[:, self.columns]


class LogisticRegression(Probabilities):
    """Probabilities from a logistic regression, with a constant first column."""

    def estimated(self, mass: AnyArray) -> FloatArray:
        """Return fitted probabilities.

        A resample in which the regression has no finite solution has those of all rows.
        """
        coefficients = logistic_regression(self.columns, mass * self.outcome, mass)
        if coefficients is None:
            coefficients = self.coefficients
        return expit(self.columns @ coefficients)

    @cached_property
    def coefficients(self) -> FloatArray:
        """The coefficients of all rows."""
        found = logistic_regression(self.columns, self.total * self.outcome, self.total)
        if found is None:
            what, rows, known = "verified", "rows that are verified", "known probabilities"
            if self.argument == PREDICTION:
                what, rows, known = "the label", "verified positives", "predicted probabilities"
            problem = (
                f"the logistic regression of {what} has no finite solution, because columns of "
                f"{self.argument}= are constant or determined by others, or because they separate "
                f"{rows} from the others."
            )
            hint = f"Pass other columns, a single column of texts with strata, or {known}."
            raise InputError(problem, argument=self.argument, hint=hint)
        return found

    def projected(self, slopes: FloatArray) -> FloatArray:
        """Return the regression of slopes on the columns, weighted by the information."""
        weighted = self.information[:, None] * self.columns
        coefficients = np.linalg.solve(self.columns.T @ weighted, (slopes @ self.columns).T)
        return np.asarray((self.columns @ coefficients).T)


@dataclass(frozen=True, eq=False)
class PredictedLabels:
    """Weights of rows as positives and again as negatives, by their predicted probabilities.

    The weights are multiplied by those of verification, or by sampling weights if there are none.
    """

    label: Probabilities
    sampling: FloatArray
    verification: Probabilities | None

    def weights(self, copies: IntArray | None = None) -> FloatArray:
        """Return the weights, or those in a resample with these numbers of copies."""
        p, n = self.label.fitted, self.label.outcome.size
        if copies is not None:
            p = self.label.estimated(self.label.sampling * copies[:n])
        weight = self.sampling
        if self.verification is not None:
            weight = self.verification.weights(None if copies is None else copies[:n])
        return np.concatenate((p, 1.0 - p)) * np.tile(weight, 2)

    def __call__(self, z: FloatArray) -> FloatArray:
        """Return z + g, with g in the first of the two rows of each row."""
        as_positive, as_negative = np.split(z, 2, axis=1)
        slopes = as_positive * (1.0 - self.label.fitted) - as_negative * self.label.fitted
        first = as_positive + self.label.effect(slopes * self.label.frequency)
        if self.verification is not None:
            known = as_positive + as_negative
            first = first + (self.verification(known) - known)
        return np.hstack((first, as_negative))


def predictions_of(rows: Rows, verified: Probabilities, label: Probabilities) -> Predictions:
    """Return the verified rows, these rows by predictions, and all rows by predictions."""
    index = np.arange(rows.positive.size)
    parts = [(replace(rows, groups=()), index)]
    given = rows.frequency, rows.cluster
    frequency, cluster = (None if c is None else np.tile(c, 2) for c in given)
    is_positive = np.repeat([True, False], index.size)
    for verification in (verified, None):
        weight_map = PredictedLabels(label, verified.sampling, verification)
        weight = weights.weight(weight_map.weights(), 2 * index.size, PREDICTION, estimated=True)
        of_both = Rows(is_positive, frequency, weight, cluster, rows.design, weight_map=weight_map)
        parts.append((of_both, np.tile(index, 2)))
    names = ("", "by predictions of verified rows", "by predictions of all rows")
    return Predictions(tuple(parts), names, "predictions of their labels", 1.0)


def with_verification(
    label: NamedColumn, extras: NamedColumns, verified: Any, verification: Any, prediction: Any
) -> NamedColumn:
    """Add the columns of these arguments to the others, and return labels without missing ones."""
    extras[VERIFIED] = NamedColumn(DataName(VERIFIED, VERIFIED), verified)
    extras |= _columns(VERIFICATION, verification) | _columns(PREDICTION, prediction)
    return with_known_labels(label, extras[VERIFIED])


def _columns(argument: str, given: Any) -> NamedColumns:
    """Return the columns of an argument: one of probabilities or strata, or covariates."""
    if given is None:
        return {}
    if isinstance(given, Mapping) or hasattr(given, "columns"):
        frame = given if isinstance(given, Mapping) else open_frame(given)
        names = list(frame if isinstance(frame, Mapping) else frame.columns)
        if not names:
            raise InputError.about(argument, "has no columns.", value=given)
        of_columns = {str(name): frame[name] for name in names}
    elif len(checks.shape_of(argument, given)) == 2:
        array = np.asarray(given)
        of_columns = {str(i): array[:, i] for i in range(array.shape[1])}
    else:
        return {argument: NamedColumn(DataName(argument, argument), given)}
    titles = {key: DataName(repr(key), argument, key, after_argument=True) for key in of_columns}
    return {f"{argument} {key}": NamedColumn(titles[key], v) for key, v in of_columns.items()}


def keys_for_verification(verified: Any, verification: Any, prediction: Any) -> dict[str, Any]:
    """Return the names of the columns of a frame by key; empty if no argument is passed."""
    if verified is None and verification is None and prediction is None:
        return {}
    found: dict[str, Any] = {VERIFIED: verified}
    for argument, given in ((VERIFICATION, verification), (PREDICTION, prediction)):
        if isinstance(given, (list, tuple)):
            if not given:
                raise InputError.about(argument, "names no column.", value=given)
            found |= {f"{argument} {name}": name for name in given}
        elif given is not None:
            found[argument] = given
    return found


def with_known_labels(label: NamedColumn, verified: NamedColumn) -> NamedColumn:
    """Return the labels with the most frequent one in rows that are not verified, of weight 0.

    A label in a row that is not verified, or none in one that is, raises an error.
    """
    values: Any = label.values
    if not checks.is_pandas(values):
        values = vectors.vector(label.name, values)
    known = _mask(verified, len(values))
    missing = vectors.missing_rows(values)
    for wrong, words, hint in (
        (~known & ~missing, "a label in {} not verified", "Make these labels missing"),
        (known & missing, "no label in {} verified", "Set verified to false there"),
    ):
        rows = np.flatnonzero(wrong)
        if rows.size:
            which = f"{checks.count(rows.size, 'row')} that {'is' if rows.size == 1 else 'are'}"
            problem, hint = f"has {words.format(which)}.", f"{hint}, or correct verified=."
            raise InputError.about(label.name, problem, value=label.values, rows=rows, hint=hint)
    texts = np.asarray(values)[known].astype(str)
    _, first, counts = np.unique(texts, return_index=True, return_counts=True)
    usual = np.flatnonzero(known)[first[counts.argmax()]]  # whatever the order of the rows
    index = np.where(known, np.arange(known.size), usual)
    if hasattr(values, "iloc"):
        return label._replace(values=values.iloc[index].set_axis(values.index))
    return label._replace(values=values[index])


def _mask(verified: NamedColumn, n: int | None = None) -> BoolArray:
    """Return whether each row is verified."""
    if verified.values is None:
        problem = "is missing: whether the label of each row is known."
        raise InputTypeError.of(VERIFIED, None, problem, shown="")
    given = vectors.number_vector(verified.name, verified.values)
    must = "but must be true or false (1 or 0) in each row."
    if given.dtype.kind not in "biuf":
        advice = "Convert texts, as in frame['verified'] == 'yes'."
        problem = f"has dtype {given.dtype}, {must} {advice}"
        raise InputTypeError.about(verified.name, problem, value=verified.values)
    values = weights.non_negative(verified.name, given, given.size if n is None else n, "the label")
    known = values == 1
    if not (known | (values == 0)).all():
        found = checks.show_first(np.unique(values).tolist())
        problem = f"has the values {found}, {must}"
        raise InputError.about(verified.name, problem, value=verified.values)
    if known.all() or not known.any():
        problem = f"is {'true' if known.all() else 'false'} in all rows."
        hint = "Omit it." if known.all() else "Labels of some rows must be known."
        raise InputError.about(verified.name, problem, value=verified.values, hint=hint)
    return np.asarray(known)


def verification_weights(
    scores: Mapping[str, Scores], positive: BoolArray, extras: NamedColumns, design: str
) -> tuple[NamedColumn, Probabilities, Probabilities | None, str]:
    """Return the weights of rows of which some are verified."""
    if design != "cohort":
        problem = "is not available with verified=: all rows are one random sample."
        raise InputError.of("design", design, problem)
    verified = _mask(extras[VERIFIED])
    n = verified.size
    _, weight, clusters, fold = (extras.get(key, ABSENT) for key in EXTRAS)
    sampling, copies, used = masses = weights.sampling_of(extras, n)
    weights.warn_if_probabilities(weight.values, verified, None, weight.name)
    if not used[verified].any():
        raise InputError.about("weight", "times frequency is 0 in all verified rows.", value=0)
    found, how = _probabilities(VERIFICATION, verified, verified, masses, extras, scores)
    _warn_about_small(found)
    if how == "given":
        codes = np.arange(n)
        if clusters.values is not None:
            codes, _ = weights.coded("cluster", clusters.values, n)
        _warn_if_contradicted(found, used, codes)
    known, total = int(used[verified].sum()), checks.count(int(used.sum()), "row")
    words = f"labels known in {known:,} of {total}, probabilities of verification {how}"
    label: Probabilities | None = None
    if any(key.split()[0] == PREDICTION for key in extras):
        if fold.values is not None:
            raise InputError.of("fold", None, "is not available with prediction=.", shown="")
        outcome, masses = positive & verified, (verified * sampling, copies, used)
        label, how = _probabilities(PREDICTION, outcome, verified, masses, extras, scores)
        words += f"; probabilities of the label {how} (doubly robust)"
        for p, which in ((label.fitted, 0), (1.0 - label.fitted, 1)):
            if not (p * label.total).any():
                problem = f"gives all verified rows the probability {which} of the positive label."
                hint = "Omit it, or pass other columns."
                raise InputError.about(PREDICTION, problem, value=which, hint=hint)
    inverse = found.weights()
    inverse = inverse / inverse[inverse > 0.0].min()  # those of at most 1 look like probabilities
    of_rows = NamedColumn(DataName("weights", VERIFIED), inverse)
    return of_rows, found, label, words


def _probabilities(
    argument: str,
    outcome: BoolArray,
    verified: BoolArray,
    masses: tuple[FloatArray, IntArray, IntArray],
    extras: NamedColumns,
    scores: Mapping[str, Scores],
) -> tuple[Probabilities, str]:
    """Return the probabilities of an outcome, and in words how they were obtained.

    `masses` are those of `weights.sampling_of`.
    """
    sampling, frequency, used = masses
    n, single = outcome.size, extras.get(argument)
    covariates = [c for key, c in extras.items() if key.startswith(f"{argument} ")]
    if single is None:
        columns = [x for column in covariates for x in _numbers_of(column, n)]
        names = [str(c.name.column) for c in covariates]
        if not covariates:
            columns = [s.values.astype(np.float64) for s in scores.values()]
            names = [f"the score{'s' * (len(columns) > 1)}"]
        basis = _standardized(columns, argument)
        if not covariates:
            residuals = np.abs(np.diag(np.linalg.qr(basis).R)) / math.sqrt(n)
            basis = basis[:, residuals > _DETERMINED]
        how = f"estimated by logistic regression on {', '.join(names)}"
        return LogisticRegression(outcome, sampling, frequency, basis, argument), how
    if _are_numbers(single):
        p = _given(single, verified)
        return Probabilities(outcome, sampling, frequency, p, argument), "given"
    codes, labels = weights.coded(single.name, single.values, n)
    shares = SharesInStrata(outcome, sampling, frequency, codes, argument)
    without = np.bincount(codes, used * verified) == 0
    empty = labels[without & (np.bincount(codes, used) > 0)].tolist()
    if empty:
        problem = f"has strata without a verified row: {checks.show_first(empty)}."
        hint = "Join them with other strata."
        raise InputError.about(single.name, problem, value=single.values, hint=hint)
    return shares, f"estimated by shares within {single.name.column or 'strata'}"


def _given(single: NamedColumn, verified: BoolArray) -> FloatArray:
    """Return given probabilities."""
    (p,) = _numbers_of(single, verified.size)
    kind = "predicted probabilities of the positive label"
    wrong = [((p < 0.0) | (p > 1.0), "must be from 0 to 1")]
    if single.name.argument == VERIFICATION:
        kind = "probabilities of being verified"
        wrong = [
            ((p <= 0.0) | (p > 1.0), "must be above 0 and at most 1"),
            ((p == 1.0) & ~verified, "is the probability of a row that is not verified"),
        ]
    for rows, words in wrong:
        where = np.flatnonzero(rows)
        if where.size:
            first = float(p[where[0]])
            problem = f"holds {first:g}; it {words}."
            hint = f"A numeric column is one of {kind}; {_OTHER_COLUMNS}"
            raise InputError.about(single.name, problem, value=first, rows=where, hint=hint)
    return weights.non_negative(single.name, p, verified.size)


def _warn_about_small(found: Probabilities) -> None:
    """Warn about small probabilities of verification."""
    least = float(found.fitted[found.total > 0.0].min(initial=1.0))
    if least < _SMALLEST_PROBABILITY:
        problem = (
            f"has rows whose probability of being verified is down to {least:.2g}: few rows have "
            "large weights, and standard errors may be too small."
        )
        hint = "Restrict the analysis to rows that could be verified."
        warn(VerificationWarning.about(VERIFIED, problem, value=least, hint=hint))


def _warn_if_contradicted(found: Probabilities, used: IntArray, cluster: IntArray) -> None:
    """Warn if the rows with lower, or higher, probabilities were verified more or less often."""
    p, excess = found.fitted, used * (found.outcome - found.fitted)
    middle = float(np.median(p[used > 0]))
    for half, words in ((p <= middle, "up to"), (p > middle, "above")):
        variance = float(used[half] @ (p * (1.0 - p))[half])
        of_clusters = np.bincount(cluster[half], excess[half])
        error = math.sqrt(max(variance, float(of_clusters @ of_clusters)))
        if variance >= _FEWEST_EXPECTED and abs(of_clusters.sum()) > _LARGEST_DEVIATE * error:
            verified, expected = used[half] @ found.outcome[half], used[half] @ p[half]
            problem = (
                f"has probabilities {words} {middle:.3g} in {used[half].sum():,} rows, of which "
                f"{expected:,.0f} should be verified, and {verified:,} are."
            )
            hint = f"If they are not probabilities of being verified, {_OTHER_COLUMNS}"
            warn(VerificationWarning.about(VERIFICATION, problem, value=middle, hint=hint))
            return


def _are_numbers(column: NamedColumn) -> bool:
    """Return whether a column has numbers, and not texts, booleans or categories."""
    dtype = str(getattr(column.values, "dtype", "")).lower()
    if dtype.startswith(("categor", "enum")):
        return False
    return vectors.number_vector(column.name, column.values).dtype.kind in "iuf"


def _numbers_of(column: NamedColumn, n: int) -> list[FloatArray]:
    """Return a column of numbers, or indicators of all values of other columns but the first."""
    if _are_numbers(column):
        values = vectors.number_vector(column.name, column.values)
        weights.check_same_rows(column.name, values, n)
        return [values.astype(np.float64)]
    codes, labels = weights.coded(column.name, column.values, n)
    return [np.asarray(codes == k, np.float64) for k in range(1, len(labels))]


def _standardized(columns: list[FloatArray], argument: str) -> FloatArray:
    """Return a constant and the columns with mean 0 and standard deviation 1."""
    x = np.column_stack([np.ones(len(columns[0])), *columns])
    if not np.isfinite(x).all():
        rows = np.flatnonzero(~np.isfinite(x).all(axis=1))
        problem = "hold numbers that are missing or infinite."
        text = f"columns of the regression in {argument}= {problem}"
        raise InputError(text, argument=argument, rows=rows)
    deviations = x[:, 1:] - x[:, 1:].mean(axis=0)
    scale = deviations.std(axis=0)
    return np.hstack([x[:, :1], deviations / np.where(scale > 0.0, scale, 1.0)])
