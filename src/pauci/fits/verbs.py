"""The public verbs: fit_binormal, fit_contaminated, fit_proper."""

import contextlib
from typing import NoReturn, TypeVar

from pauci.calls import answering
from pauci.checks import FloatArray, check_choice
from pauci.errors import (
    DegenerateWarning,
    InputError,
    InputTypeError,
    Spelled,
    UndefinedError,
    collected_warnings,
    each_warning_once,
    shown,
    warn,
)
from pauci.fits.categories import EMPIRICAL, categories_of, check_line, check_points
from pauci.fits.fit import (
    COVARIANCES,
    BinormalFit,
    ContaminatedFit,
    Covariance,
    CurveFit,
    ProperFit,
)
from pauci.fits.likelihood import Maximum, NoMaximumError, maximize, rough_curve
from pauci.fits.models import CurveModel, Pair, Proper
from pauci.results import format as fmt
from pauci.sample.sample import Sample

F = TypeVar("F", bound=CurveFit)

_NEAR_THE_END = 0.05
"""A search that creeps towards the end of a range, where the likelihood is level, stops so near."""


@answering
def fit_binormal(sample: Sample, *, covariance: Covariance = "model") -> BinormalFit:
    r"""Fit a binormal ROC curve by maximum likelihood.

    Parameters
    ----------
    sample : Sample
        One classifier: ratings (a table of counts, or categories) or continuous scores.
    covariance : {"model", "robust"}, default "model"
        Where standard errors come from: the observed information, or the sandwich of it with what
        each row adds to the likelihood (a cluster of one). Sampling weights and clusters always
        take the sandwich.

    Returns
    -------
    BinormalFit
        ``.a .b .cuts .cov .se .loglik .goodness .auc``, with tables and a figure. It can be passed
        to `pauci.estimate` and `pauci.compare` in place of a sample.

    Raises
    ------
    TypeError
        If `sample` is no `Sample`.
    ValueError
        If `covariance` is not known. For several classifiers, and for data on which the likelihood
        has no maximum: fewer than three categories, separated classes, points on the sides of the
        unit square alone, or on a horizontal or a vertical line (`UndefinedError`; the message says
        which).

    Notes
    -----
    Some increasing function of the scores is N(0, 1) among the negatives and
    :math:`N(a/b, 1/b^2)` among the positives, so that the curve is
    :math:`R(x) = \Phi(a + b\,\Phi^{-1}(x))` with the area :math:`\Phi(a/\sqrt{1 + b^2})` (Dorfman
    and Alf 1969). The probability of the category between cuts :math:`c_k` and :math:`c_{k+1}` is
    :math:`\Phi(c_{k+1}) - \Phi(c_k)` for a negative and
    :math:`\Phi(b c_{k+1} - a) - \Phi(b c_k - a)` for a positive. Nothing but the order of the
    scores is used. Of more than 50 categories neighbours that hold one class alone are put
    together, which changes neither the curve nor its standard errors (Metz, Herman and Shen 1998).

    Standard errors are those of the observed information. Where the scores have no binormal curve
    they can be too large or too small, and those of the sandwich (``covariance="robust"``; White
    1982) are right for the curve that fits come close to in large samples. That this is not the
    curve of the scores no standard error shows: ``.goodness`` tests the fit, and `pauci.estimate`
    and `pauci.compare` warn where it is rejected.

    A fitted curve with b other than 1 falls below the diagonal near one of its ends
    (a hook), mostly where it cannot be seen; `fit_proper` and `fit_contaminated` give curves that
    do not.

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
    BinormalFit(score: a 1.66 (SE 0.31), b 0.71 (SE 0.22), AUC 0.911; 51 positives, ...)
    >>> pauci.estimate(fit, pauci.PAUC(fpr=(0, 0.1)))
    Estimate(score, PAUC(fpr=(0, 0.1)): 0.0653, SE 0.0097)
    """
    return _fitted(BinormalFit, sample, "fit_binormal", covariance)


@answering
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
        As of `fit_binormal`, with Metz and Pan's ``.d_a`` and ``.c`` too.

    Raises
    ------
    TypeError, ValueError
        As for `fit_binormal`, and if the points call for a curve across the diagonal.

    Warns
    -----
    DegenerateWarning
        If a is 0, the end of its range: a then has standard error 0, and other standard errors
        take it as known.

    Notes
    -----
    The likelihood ratio of two normal distributions decides, in place of their scores: its curve
    is concave (Metz and Pan 1999). With a and b as in `fit_binormal` and
    :math:`x_0 = ab/(b^2 - 1)`, what lies above a cut c and below :math:`2 x_0 - c` is called
    positive (b < 1), or what lies between them (b > 1); with b = 1 there is no second side. The
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
    return _fitted(ProperFit, sample, "fit_proper", covariance)


@answering
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
        As of `fit_binormal`, with ``.mu`` and ``.alpha`` in place of a and b.

    Raises
    ------
    TypeError, ValueError
        As for `fit_binormal`; points on a horizontal line are no hindrance here.

    Warns
    -----
    DegenerateWarning
        If alpha is 1, the end of its range: the curve is then the binormal one with b = 1, alpha
        has standard error 0, and other standard errors take it as known.

    Notes
    -----
    Negatives are N(0, 1), and a share :math:`\alpha` of the positives, in which the signal shows,
    is :math:`N(\mu, 1)`; the others look like negatives (Dorfman and Berbaum 2000). The curve
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
    return _fitted(ContaminatedFit, sample, "fit_contaminated", covariance)


def _fitted(kind: type[F], sample: Sample, verb: str, covariance: Covariance) -> F:
    """Return the fit of a model to the one classifier of a sample."""
    if not isinstance(sample, Sample):
        raise InputTypeError(
            f"sample is a {type(sample).__name__}, and {verb} takes a Sample: "
            f"pauci.{verb}(pauci.Sample(y_true, y_score)).",
            argument="sample",
            value=sample,
        )
    if len(sample) > 1:
        raise InputError(
            f"sample holds {len(sample)} classifiers ({', '.join(sample.names)}), and {verb} takes "
            f"one: [pauci.{verb}(s) for s in sample] fits each.",
            argument="sample",
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
    with each_warning_once(), collected_warnings() as cautions:
        found: list[Maximum] = []
        ended: list[Pair] = []
        for start in model.starts(*rough_curve(counts)):
            try:
                found.append(maximize(counts, model, start))
            except NoMaximumError as error:
                ended.append(error.theta)
        if kind is ProperFit and not found and any(abs(a) < _NEAR_THE_END for a, _ in ended):
            found = _at_the_end_of_a(ratings.name, model, counts)
        if kind is ContaminatedFit:
            found += _at_the_end_of_alpha(ratings.name, model, counts, found)
    if not found:
        _refuse(ratings.name, model, ended[-1] if ended else None)
    best = max(found, key=lambda m: m.loglik)
    if kind is ProperFit and best.theta[0] < 0.0:
        # The curve is the same with -a; only about a = 0 does it matter where the search ends.
        best = maximize(counts, model, (-best.theta[0], best.theta[1]))
    return kind(ratings.name, ratings, categories, best, tuple(cautions), covariance)


def _at_the_end_of_a(name: str, model: CurveModel, counts: FloatArray) -> list[Maximum]:
    """Return the fit with a = 0, and say so, where the search has led there.

    The curve is the same with -a: 0 is the end of the range of |a|, where the likelihood is level.
    """
    ends = []
    for b in (0.5, 2.0):
        with contextlib.suppress(NoMaximumError):  # about b = 1, the diagonal, there is none
            ends.append(maximize(counts, model, (0.0, b), (False, True)))
    if not ends:
        return []
    warn(
        DegenerateWarning,
        f"the proper binormal curve of {name}: ",
        "",
        "the likelihood is largest where a is 0, the end of its range, and nearly as large for "
        "other a with another b; standard errors take a as known.",
    )
    return [max(ends, key=lambda m: m.loglik)]


def _at_the_end_of_alpha(
    name: str, model: CurveModel, counts: FloatArray, found: list[Maximum]
) -> list[Maximum]:
    """Return the fit with alpha 1 if the likelihood is largest there, and say so."""
    try:
        end = maximize(
            counts, model, (model.starts(*rough_curve(counts))[-1][0], 1.0), (True, False)
        )
    except NoMaximumError:
        return []
    if end.gradient[1] < 0.0 or any(m.loglik > end.loglik for m in found):
        return []
    warn(
        DegenerateWarning,
        f"the contaminated binormal curve of {name}: ",
        "",
        "the likelihood is largest where alpha is 1, the end of its range: this is the binormal "
        "curve with b = 1, and standard errors take alpha as known.",
    )
    return [end]


def _refuse(name: str, model: CurveModel, ended: tuple[float, float] | None) -> NoReturn:
    """Say that the likelihood has no maximum, and how far the search went."""
    what = f"the likelihood of the {model.title} curve has no maximum"
    if isinstance(model, Proper) and ended is not None and abs(ended[0]) < 1e-2:
        what = (
            f"the likelihood of the {model.title} curve is flat about a = 0, since the points call "
            "for a curve that crosses the diagonal"
        )
    elif ended is not None:
        each = zip(model.names, ended, strict=True)
        what += f" (it still grew at {' and '.join(f'{n} = {fmt.bound(v)}' for n, v in each)})"
    raise UndefinedError(
        f"{name}: {what}. Use another ",
        shown(
            Spelled("of pauci.fit_binormal, pauci.fit_proper and pauci.fit_contaminated", "--model")
        ),
        ", or ",
        EMPIRICAL,
        ".",
    )
