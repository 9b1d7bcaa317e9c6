"""Power of the next study of readers and cases, from a pilot or from variance components."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks, special
from pauci.checks import check_choice, check_whole
from pauci.errors import InputError, InputTypeError, UndefinedError, arg
from pauci.readers.analysis import COMPONENT_NAMES, ReaderAnalysis
from pauci.results.frames import frame
from pauci.results.one_sample import Alternative

if TYPE_CHECKING:
    import pandas as pd

_NAMES = ("error", "cov1", "cov2", "cov3", "reader_by_modality", "cases")
_COLUMNS = ("readers", "positives", "negatives", "power")


class _Plan(NamedTuple):
    """What the next study rests on."""

    among_readers: float
    of_cases: float
    """Error less cov1, at the cases of the pilot."""
    shared: float
    """Cov2 less cov3, not below 0."""
    cases: float
    excess: float
    """Difference beyond the null."""


def mrmc_power(
    pilot: ReaderAnalysis | Mapping[str, float],
    readers: int | Sequence[int],
    positives: int | Sequence[int],
    negatives: int | Sequence[int],
    *,
    difference: float | None = None,
    null: float = 0.0,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> "float | pd.DataFrame":
    r"""Return the power of a factorial study of two modalities at given numbers.

    Parameters
    ----------
    pilot : ReaderAnalysis or mapping of str to float
        What `mrmc` found in a factorial pilot, with random readers and cases. Or variance
        components under the names ``error``, ``cov1``, ``cov2``, ``cov3`` and
        ``reader_by_modality``, and ``cases``, the number that they are of.
    readers : int or sequence of int
        Readers of the next study.
    positives, negatives : int or sequence of int
        Its cases of both classes; of sequences the first go together, then the second, and so on.
    difference : float, optional
        The difference first - second that is to be found; the default is that of the pilot, which
        it estimates badly, so that it is better to state the smallest one that matters.
    null : float, default 0
        Difference under the null hypothesis.
    alpha : float, default 0.05
        Level of the test.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the test.

    Returns
    -------
    float or pandas.DataFrame
        The power; of sequences a data frame with the columns readers, positives, negatives, power
        and a row for all numbers of readers with all numbers of cases.

    Raises
    ------
    TypeError, ValueError
        For anything else, a pilot of another design, or one that lacks the components.

    Notes
    -----
    Covariances are those of the pilot times n*/n, the cases of the pilot over those of the next
    study, whose share of positives should be about the same. With R readers and
    :math:`h = \max(\text{cov2} - \text{cov3}, 0)`

    .. math:: V = \tfrac 2 R \big(\sigma^2_{TR} + \tfrac{n^*}{n} (\text{error} - \text{cov1} +
              (R - 1) h)\big), \qquad \nu = \frac{V^2 R^2 (R - 1)}{4 (\sigma^2_{TR} +
              \tfrac{n^*}{n} (\text{error} - \text{cov1} - h))^2}

    and the power is that of the noncentral F test on 1 and :math:`\nu` degrees of freedom (Hillis,
    Obuchowski and Berbaum 2011, Academic Radiology 18:129-142). A negative reader component counts
    as 0.

    Examples
    --------
    >>> import pauci
    >>> components = {
    ...     "error": 0.0008, "cov1": 0.00035, "cov2": 0.00034, "cov3": 0.00024,
    ...     "reader_by_modality": 0.0002, "cases": 114,
    ... }
    >>> round(pauci.mrmc_power(components, 10, 60, 105, difference=0.05), 3)
    0.904
    """
    checks.level(alpha)
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    null = checks.finite("null", null)
    plan = _plan_of(pilot, difference, null)
    several = any(isinstance(n, (list, tuple, np.ndarray)) for n in (readers, positives, negatives))
    n_readers, n_pos, n_neg = (
        _numbers(argument, values)
        for argument, values in (
            ("readers", readers), ("positives", positives), ("negatives", negatives),
        )
    )  # fmt: skip
    if len(n_pos) != len(n_neg):
        raise InputError(
            f"positives holds {len(n_pos)} numbers and negatives {len(n_neg)}; they go together.",
            argument="negatives",
            value=negatives,
        )
    rows = [
        {"readers": r, "positives": p, "negatives": n,
         "power": _power(plan, r, p + n, alpha, alternative)}
        for r in n_readers
        for p, n in zip(n_pos, n_neg, strict=True)
    ]  # fmt: skip
    return frame(_COLUMNS, rows) if several else float(rows[0]["power"])


def _numbers(argument: str, values: Any) -> list[int]:
    """Return one number or several as a list."""
    numbers = list(values) if isinstance(values, (list, tuple, np.ndarray)) else [values]
    if not numbers:
        raise InputError(arg(argument, []), " holds no number.")
    for n in numbers:
        check_whole(argument, n, 2)
    return [int(n) for n in numbers]


def _plan_of(pilot: Any, difference: float | None, null: float) -> _Plan:
    """Return what the plan rests on, from a pilot or its components."""
    if isinstance(pilot, ReaderAnalysis):
        _check_pilot(pilot)
        c = dict(zip(COMPONENT_NAMES, pilot.values_of_components, strict=True))
        cases = float(pilot.study.positive.size)
        if difference is None:
            if len(pilot.contrasts) > 1:
                raise InputError(
                    f"the pilot has {len(pilot.averages)} modalities; state the difference to be "
                    "found with ",
                    arg("difference"),
                    ".",
                    argument="difference",
                )
            difference = pilot.contrasts[0].value
    elif isinstance(pilot, Mapping):
        lacking = [name for name in _NAMES if name not in pilot]
        if lacking:
            raise InputError(
                f"pilot lacks {', '.join(map(repr, lacking))}; components are "
                f"{', '.join(map(repr, _NAMES))}.",
                argument="pilot",
                value=pilot,
            )
        c = {name: checks.finite(name, pilot[name]) for name in _NAMES}
        cases = c["cases"]
        if difference is None:
            raise InputError(
                "components do not tell the difference that is to be found: state it with ",
                arg("difference"),
                ".",
                argument="difference",
            )
    else:
        raise InputTypeError(
            f"pilot is a {type(pilot).__name__}; pass what pauci.mrmc returns, or components.",
            argument="pilot",
            value=pilot,
        )
    excess = checks.finite("difference", difference) - null
    of_cases, shared = c["error"] - c["cov1"], max(c["cov2"] - c["cov3"], 0.0)
    if cases < 2 or of_cases <= shared:
        raise InputError(
            "the components are those of no study: the error less cov1 exceeds cov2 less cov3, "
            "and there are two cases or more.",
            argument="pilot",
            value=pilot,
        )
    return _Plan(max(c["reader_by_modality"], 0.0), of_cases, shared, cases, excess)


def _check_pilot(pilot: ReaderAnalysis) -> None:
    """Refuse pilots whose components mean something else."""
    layout = pilot.study.layout
    crossed = layout.readers_by_modalities == layout.cases_by_modalities == "crossed"
    if not crossed or len(layout.blocks) > 1 or len(pilot.averages) < 2:
        raise UndefinedError(
            f"the pilot is of another design ({pilot.study.design}), and components of a factorial "
            "study of two or more modalities tell of factorial ones."
        )
    if not (pilot.random_readers and pilot.random_cases):
        raise UndefinedError(
            f"the pilot was analysed with {pilot.factors}; a plan takes both for random."
        )
    if math.isnan(pilot.values_of_components[COMPONENT_NAMES.index("reader_by_modality")]):
        raise UndefinedError("the pilot has no component of readers by modalities.")


def _power(plan: _Plan, readers: int, cases: int, alpha: float, alternative: str) -> float:
    """Return the power at given numbers."""
    ratio = plan.cases / cases
    variance = plan.among_readers + ratio * (plan.of_cases + (readers - 1) * plan.shared)
    variance *= 2.0 / readers
    among = plan.among_readers + ratio * (plan.of_cases - plan.shared)
    df = variance**2 * readers**2 * (readers - 1) / (4.0 * among**2)
    shift = plan.excess / math.sqrt(variance)
    if alternative == "two-sided":
        critical = float(special.fdtri(1.0, df, 1.0 - alpha))
        return float(1.0 - special.ncfdtr(1.0, df, shift**2, critical))
    critical = -float(special.stdtrit(df, alpha))
    return float(1.0 - special.nctdtr(df, shift if alternative == "greater" else -shift, critical))
