"""Fits of binormal, proper and contaminated curves, and the functions that return them."""

import contextlib
import math
from collections.abc import Sequence
from typing import ClassVar, NoReturn, TypeVar

import numpy as np

from pauci.calls import validate_call, validate_constructor
from pauci.cautions.about_data import warn_if_reversed
from pauci.checks import FloatArray, check_choice, kind_of
from pauci.errors import (
    DegenerateWarning,
    InputError,
    InputTypeError,
    UndefinedError,
    collected_warnings,
    each_warning_once,
    warn,
)
from pauci.fits.fit import COVARIANCES, Covariance, CurveFit
from pauci.fits.likelihood import (
    EMPIRICAL,
    Binormal,
    Contaminated,
    CurveModel,
    Maximum,
    NoMaximumError,
    Pair,
    Proper,
    approximate_curve,
    categories_of,
    check_line,
    check_points,
    maximize,
)
from pauci.measures.influence import Influence
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.variance.contributions import z_of_terms
from pauci.variance.units import Term

F = TypeVar("F", bound=CurveFit)

_NEAR_ZERO = 0.05

"""A search that stops with a this close to 0, the boundary, is continued on the boundary."""


@validate_constructor
class BinormalFit(CurveFit):
    """A binormal curve; returned by `pauci.fit_binormal`."""

    model: ClassVar[CurveModel] = Binormal()

    @property
    def a(self) -> float:
        """Mean of the positives divided by their standard deviation; negatives are N(0, 1)."""
        return self.maximum.theta[0]

    @property
    def b(self) -> float:
        """Ratio of the standard deviation of the negatives to that of the positives."""
        return self.maximum.theta[1]


@validate_constructor
class ProperFit(CurveFit):
    """A proper binormal curve; returned by `pauci.fit_proper`."""

    model: ClassVar[CurveModel] = Proper()

    @property
    def a(self) -> float:
        """Parameter a of the binormal model of the scores."""
        return self.maximum.theta[0]

    @property
    def b(self) -> float:
        """Parameter b of the binormal model of the scores."""
        return self.maximum.theta[1]

    @property
    def d_a(self) -> float:
        r"""Metz and Pan's :math:`d_a = \sqrt2 a/\sqrt{1 + b^2}`."""
        return math.sqrt(2.0) * self.a / math.hypot(1.0, self.b)

    @property
    def c(self) -> float:
        """Metz and Pan's c = (b - 1)/(b + 1)."""
        return (self.b - 1.0) / (self.b + 1.0)


@validate_constructor
class ContaminatedFit(CurveFit):
    """A contaminated binormal curve; returned by `pauci.fit_contaminated`."""

    model: ClassVar[CurveModel] = Contaminated()

    @property
    def mu(self) -> float:
        """Mean of the positives with a visible signal."""
        return self.maximum.theta[0]

    @property
    def alpha(self) -> float:
        """Proportion of the positives with a visible signal."""
        return self.maximum.theta[1]


@validate_call
def fit_binormal(sample: Sample, *, covariance: Covariance = "model") -> BinormalFit:
    r"""Fit a binormal ROC curve by maximum likelihood.

    Parameters
    ----------
    sample : Sample
        One classifier: ratings (a table of counts, or categories) or continuous scores.
    covariance : {"model", "robust"}, default "model"
        The estimator of the covariance matrix: the inverse of the observed information, or the
        sandwich estimator with the score contributions of the rows (each row is its own cluster).
        With sampling weights or clusters the sandwich estimator is always used.

    Returns
    -------
    BinormalFit
        The fit with attributes ``a``, ``b``, ``cuts``, ``cov``, ``se``, ``loglik``, ``goodness``
        and ``auc``, tables and a figure. It can be passed to `pauci.estimate` and `pauci.compare`
        instead of a sample.

    Raises
    ------
    TypeError
        If `sample` is not a `Sample`.
    ValueError
        If `covariance` is unknown, if the sample has several classifiers, or if the likelihood has
        no maximum (`UndefinedError`): fewer than three categories, separated classes, all operating
        points on the sides of the unit square, or on a horizontal or a vertical line. The message
        states the reason.

    Notes
    -----
    The model assumes that some increasing function of the scores is distributed N(0, 1) among the
    negatives and :math:`N(a/b, 1/b^2)` among the positives, so that the curve is
    :math:`R(x) = \Phi(a + b\,\Phi^{-1}(x))` with the area :math:`\Phi(a/\sqrt{1 + b^2})` (Dorfman
    and Alf 1969). The probability of the category between cuts :math:`c_k` and :math:`c_{k+1}` is
    :math:`\Phi(c_{k+1}) - \Phi(c_k)` for a negative and
    :math:`\Phi(b c_{k+1} - a) - \Phi(b c_k - a)` for a positive. The fit depends only on the order
    of the scores. If there are more than 50 categories, adjacent categories that contain only
    positives, or only negatives, are merged. This changes neither the curve nor its standard
    errors (Metz, Herman and Shen 1998).

    Standard errors are calculated from the observed information. If the model does not hold, they
    can be too large or too small. Those of the sandwich estimator (``covariance="robust"``; White
    1982) are consistent for the curve to which the fit converges in large samples, but they do not
    include the difference between this curve and the true one. ``goodness`` tests the fit, and
    `pauci.estimate` and `pauci.compare` warn if it is rejected.

    A binormal curve with b other than 1 falls below the diagonal near one of its ends (a "hook"),
    usually too little to be visible; the curves of `fit_proper` and `fit_contaminated` do not.

    References
    ----------
    D. D. Dorfman and E. Alf (1969), Journal of Mathematical Psychology 6:487-496.
    C. E. Metz, B. A. Herman and J.-H. Shen (1998), Statistics in Medicine 17:1033-1053.
    H. White (1982), Econometrica 50:1-25.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_hanley_mcneil()
    >>> ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    >>> fit = pauci.fit_binormal(ct)
    >>> fit
    BinormalFit(score: a 1.657 (SE 0.310), b 0.713 (SE 0.216), AUC 0.911; 51 positives, ...)
    >>> pauci.estimate(fit, pauci.PAUC(fpr=(0, 0.1)))
    Estimate(score, PAUC(fpr=(0, 0.1)): 0.0653, SE 0.0097)
    """
    return _fit(BinormalFit, sample, "fit_binormal", covariance)


@validate_call
def fit_proper(sample: Sample, *, covariance: Covariance = "model") -> ProperFit:
    r"""Fit a proper binormal ROC curve, one without a hook, by maximum likelihood.

    Parameters
    ----------
    sample : Sample
        As for `fit_binormal`.
    covariance : {"model", "robust"}, default "model"
        As for `fit_binormal`.

    Returns
    -------
    ProperFit
        As for `fit_binormal`, with the additional attributes ``d_a`` and ``c`` of Metz and Pan.

    Raises
    ------
    TypeError, ValueError
        As for `fit_binormal`, and if the best-fitting curve would cross the diagonal.

    Warns
    -----
    DegenerateWarning
        If the estimate of a is 0, the boundary of its range: its standard error is then 0, and the
        other standard errors treat a as known.

    Notes
    -----
    The decision variable is the likelihood ratio of the two normal distributions instead of the
    score, so that the curve is concave (Metz and Pan 1999). With a and b as in `fit_binormal` and
    :math:`x_0 = ab/(b^2 - 1)`, scores above a cut c or below :math:`2 x_0 - c` are classified as
    positive if b < 1, and scores between the two if b > 1; for b = 1 there is only the cut c. The
    area is :math:`1 - 2 T(a/\sqrt{1 + b^2}, 2b/|1 - b^2|)` with Owen's T function, which equals the
    bivariate normal probability of Metz and Pan.

    References
    ----------
    C. E. Metz and X. Pan (1999), Journal of Mathematical Psychology 43:1-33.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_dmist()
    >>> film = frame[frame["modality"] == "film"]
    >>> sample = pauci.Sample.from_counts(film["score"], film["positives"], film["negatives"])
    >>> round(pauci.fit_proper(sample).auc, 4)
    0.7689
    """
    return _fit(ProperFit, sample, "fit_proper", covariance)


@validate_call
def fit_contaminated(sample: Sample, *, covariance: Covariance = "model") -> ContaminatedFit:
    r"""Fit a contaminated binormal ROC curve by maximum likelihood.

    Parameters
    ----------
    sample : Sample
        As for `fit_binormal`.
    covariance : {"model", "robust"}, default "model"
        As for `fit_binormal`.

    Returns
    -------
    ContaminatedFit
        As for `fit_binormal`, with ``mu`` and ``alpha`` instead of a and b.

    Raises
    ------
    TypeError, ValueError
        As for `fit_binormal`, except that operating points may lie on a horizontal line.

    Warns
    -----
    DegenerateWarning
        If the estimate of alpha is 1, the boundary of its range: the curve is then binormal with
        b = 1, the standard error of alpha is 0, and the other standard errors treat it as known.

    Notes
    -----
    Negatives are distributed N(0, 1). A proportion :math:`\alpha` of the positives, those with a
    visible signal, is distributed :math:`N(\mu, 1)`, and the other positives are distributed like
    the negatives (Dorfman and Berbaum 2000). The curve
    :math:`R(x) = (1 - \alpha) x + \alpha\,\Phi(\mu + \Phi^{-1}(x))` is concave, with the area
    :math:`(1 - \alpha)/2 + \alpha\,\Phi(\mu/\sqrt2)`.

    References
    ----------
    D. D. Dorfman and K. S. Berbaum (2000), Academic Radiology 7:427-437.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_dmist()
    >>> film = frame[frame["modality"] == "film"]
    >>> sample = pauci.Sample.from_counts(film["score"], film["positives"], film["negatives"])
    >>> fit = pauci.fit_contaminated(sample)
    >>> round(fit.mu, 3), round(fit.alpha, 3)
    (2.673, 0.523)
    """
    return _fit(ContaminatedFit, sample, "fit_contaminated", covariance)


def _fit(kind: type[F], sample: Sample, verb: str, covariance: Covariance) -> F:
    """Return the fit of a model to the classifier of a sample."""
    if not isinstance(sample, Sample):
        raise InputTypeError.about(
            "sample",
            f"is {kind_of(sample)}, but {verb} takes a Sample: "
            f"pauci.{verb}(pauci.Sample(y_true, y_score)).",
            value=sample,
        )
    if len(sample) > 1:
        raise InputError.about(
            "sample",
            f"holds {len(sample)} classifiers ({', '.join(sample.names)}), but {verb} takes one. "
            f"Fit each separately: [pauci.{verb}(s) for s in sample].",
            value=sample,
        )
    check_choice("covariance", covariance, COVARIANCES)
    ratings = sample.ratings()
    table, model = ratings.table, kind.model
    scale = sum(sample.rows.counts) / (table.total_pos + table.total_neg)
    categories = categories_of(table, scale)
    check_points(ratings.name, categories.counts, model.title)
    if kind is BinormalFit:
        check_line(ratings.name, categories.counts, model.title)
    counts = categories.counts
    warn_if_reversed([ratings])
    with each_warning_once(), collected_warnings() as cautions:
        maxima: list[Maximum] = []
        end_points: list[Pair] = []
        for start in model.starts(*approximate_curve(counts)):
            try:
                maxima.append(maximize(counts, model, start))
            except NoMaximumError as error:
                end_points.append(error.theta)
        if kind is ProperFit and not maxima and any(abs(a) < _NEAR_ZERO for a, _ in end_points):
            maxima = _maximum_at_zero_a(ratings.name, model, counts)
        if kind is ContaminatedFit:
            maxima += _maximum_at_alpha_one(ratings.name, model, counts, maxima)
    if not maxima:
        _raise_no_maximum(ratings.name, model, end_points[-1] if end_points else None)
    best = max(maxima, key=lambda m: m.loglik)
    if kind is ProperFit and best.theta[0] < 0.0:
        # The curves of a and -a are the same; the positive value is reported.
        best = maximize(counts, model, (-best.theta[0], best.theta[1]))
    return kind(ratings.name, ratings, categories, best, tuple(cautions), covariance)


def _maximum_at_zero_a(name: str, model: CurveModel, counts: FloatArray) -> list[Maximum]:
    """Return the maximum with a = 0 in a list and warn; the list is empty if there is none.

    The curves of a and -a are the same, so 0 is the boundary of the range of |a|.
    """
    ends = []
    for b in (0.5, 2.0):
        with contextlib.suppress(NoMaximumError):  # at b = 1 the curve is the diagonal
            ends.append(maximize(counts, model, (0.0, b), (False, True)))
    if not ends:
        return []
    _warn_at_boundary(
        "a = 0, the boundary of its range, and is nearly as large for other combinations of a and "
        "b. Standard errors treat a as known.",
        name,
        model,
    )
    return [max(ends, key=lambda m: m.loglik)]


def _maximum_at_alpha_one(
    name: str, model: CurveModel, counts: FloatArray, maxima: list[Maximum]
) -> list[Maximum]:
    """Return the maximum with alpha = 1 in a list and warn, if no other maximum is larger."""
    try:
        mu = model.starts(*approximate_curve(counts))[-1][0]
        end = maximize(counts, model, (mu, 1.0), (True, False))
    except NoMaximumError:
        return []
    if end.gradient[1] < 0.0 or any(m.loglik > end.loglik for m in maxima):
        return []
    _warn_at_boundary(
        "alpha = 1, the boundary of its range, where the curve is binormal with b = 1. Standard "
        "errors treat alpha as known.",
        name,
        model,
    )
    return [end]


def _warn_at_boundary(words: str, name: str, model: CurveModel) -> None:
    """Warn that the likelihood has its maximum at the boundary of the range of a parameter."""
    message = f"the likelihood has its maximum at {words}"
    warn(DegenerateWarning(message, where=f"the {model.title} curve of {name}"))


def _raise_no_maximum(name: str, model: CurveModel, end_point: Pair | None) -> NoReturn:
    """Raise an error for a likelihood without a maximum, with the point where the search ended."""
    reason = f"the likelihood of the {model.title} curve has no maximum"
    if isinstance(model, Proper) and end_point is not None and abs(end_point[0]) < 1e-2:
        reason = (
            f"the likelihood of the {model.title} curve is flat near a = 0, because the points "
            "suggest a curve that crosses the diagonal"
        )
    elif end_point is not None:
        parameters = zip(model.names, end_point, strict=True)
        where = " and ".join(f"{name} = {fmt.bound(value)}" for name, value in parameters)
        reason += f" (it was still increasing at {where})"
    raise UndefinedError(
        f"{name}: {reason}.",
        hint="Use another of pauci.fit_binormal, pauci.fit_proper and pauci.fit_contaminated, or "
        f"{EMPIRICAL}.",
    )


def joint_parameters(fits: Sequence[CurveFit]) -> tuple[FloatArray, list[list[int]]]:
    r"""Return the joint covariance of the parameters of several fits and of the prevalences.

    The second value has the positions of the two parameters of each fit and of its prevalence.

    Fits to different rows are independent. For fits to the same rows, the cross products of their
    score contributions give the sandwich covariance C with blocks :math:`C_{ij}`. If the
    model-based covariance :math:`V_i` of each fit replaces :math:`C_{ii}`, the other blocks become,
    with Cholesky factors L, :math:`L_{V_i} L_{C_i}^{-1} C_{ij} (L_{V_j} L_{C_j}^{-1})^T`.
    """
    groups: dict[int, list[int]] = {}
    for i, fit in enumerate(fits):
        groups.setdefault(id(fit.rows), []).append(i)
    matrix = np.zeros((2 * len(fits) + len(groups),) * 2)
    positions = [[2 * i, 2 * i + 1, 0] for i in range(len(fits))]
    for at, members in enumerate(groups.values(), 2 * len(fits)):
        for i in members:
            positions[i][2] = at
        block = np.ix_(*[[p for i in members for p in positions[i][:2]] + [at]] * 2)
        matrix[block] = _covariance_for_same_rows([fits[i] for i in members])
    return matrix, positions


def _covariance_for_same_rows(fits: Sequence[CurveFit]) -> FloatArray:
    """Return the covariance of the parameters of fits to the same rows and of the prevalence."""
    ratings = fits[0].ratings
    zeros = np.zeros(ratings.table.size)
    terms = [t for fit in fits for t in fit.terms] + [Term(ratings, Influence(zeros, zeros, 1.0))]
    matrix = z_of_terms(fits[0].rows, terms).cov.copy()
    for i, fit in enumerate(fits):
        if fit.robust:
            continue
        block = [2 * i + k for k in (0, 1) if not fit.maximum.fixed[k]]
        block_index = np.ix_(block, block)
        factor = np.linalg.cholesky(fit.cov_parameters[np.ix_(*[[b - 2 * i for b in block]] * 2)])
        transform = np.dot(factor, np.linalg.inv(np.linalg.cholesky(matrix[block_index])))
        matrix[block, :] = np.dot(transform, matrix[block, :])
        matrix[:, block] = np.dot(matrix[:, block], transform.T)
    return matrix
