"""Power of a planned study of readers and cases, from a pilot or from variance components."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from pauci import checks
from pauci.calls import validate_call
from pauci.checks import check_choice, check_whole
from pauci.errors import InputError, PlanningWarning, UndefinedError, warn
from pauci.intervals.analytic import Alternative
from pauci.intervals.student_t import critical_value, rejection_probability
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.contrasts import COMPONENT_NAMES, COVARIANCE_NAMES, mean_covariances
from pauci.tables.tabular import frame

if TYPE_CHECKING:
    import pandas as pd

_NAMES = (*COVARIANCE_NAMES, "reader_by_modality", "cases")
_COLUMNS = ("readers", "positives", "negatives", "power")

Crossed = Literal["crossed", "nested"]


Components = dict[str, float]
"""The variance components of a pilot by name, with ``reader``, the variance between readers within
a modality, and ``cases``, the number of cases per cell; NaN for components that the pilot does not
estimate."""


@overload
def mrmc_power(  # type: ignore[overload-overlap]  # checkers use the first that matches
    pilot: ReaderAnalysis | Mapping[str, float],
    readers: int,
    positives: int,
    negatives: int,
    *,
    difference: float | None = ...,
    null: float = ...,
    alpha: float = ...,
    alternative: Alternative = ...,
    blocks: int = ...,
    readers_by_modalities: Crossed = ...,
    cases_by_modalities: Crossed = ...,
) -> float: ...
@overload
def mrmc_power(
    pilot: ReaderAnalysis | Mapping[str, float],
    readers: int | Sequence[int],
    positives: int | Sequence[int],
    negatives: int | Sequence[int],
    *,
    difference: float | None = ...,
    null: float = ...,
    alpha: float = ...,
    alternative: Alternative = ...,
    blocks: int = ...,
    readers_by_modalities: Crossed = ...,
    cases_by_modalities: Crossed = ...,
) -> "pd.DataFrame": ...
@validate_call
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
    blocks: int = 1,
    readers_by_modalities: Crossed = "crossed",
    cases_by_modalities: Crossed = "crossed",
) -> "float | pd.DataFrame":
    r"""Return the power of a factorial or split-plot study of two modalities.

    Parameters
    ----------
    pilot : ReaderAnalysis or mapping of str to float
        The result of `mrmc` for a factorial or split-plot pilot study with random readers and
        cases; or a mapping with the variance components ``error``, ``cov1``, ``cov2``, ``cov3`` and
        ``reader_by_modality``, and ``cases``, the number of cases per reader and modality to which
        they refer; if readers are nested in modalities, also ``reader``.
    readers : int or sequence of int
        Number of readers of each modality in the planned study.
    positives, negatives : int or sequence of int
        Numbers of cases of both classes that are read in each modality, in all blocks together.
        Sequences are combined element by element.
    difference : float, optional
        The difference first - second to detect. The default is the estimate from the pilot, which
        is usually imprecise; the smallest relevant difference is preferable.
    null : float, default 0
        Difference under the null hypothesis.
    alpha : float, default 0.05
        Level of the test.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the test.
    blocks : int, default 1
        Number of blocks of a split-plot design: groups of readers of about equal size, each of
        which reads a part of the cases. With as many blocks as readers, cases are nested in
        readers.
    readers_by_modalities, cases_by_modalities : {"crossed", "nested"}, default "crossed"
        Whether readers read in both modalities or in one, and whether cases are read in both or in
        one. All numbers are those of each modality.

    Returns
    -------
    float or pandas.DataFrame
        The power. For sequences, a data frame with the columns readers, positives, negatives and
        power, with a row for each combination of numbers of readers and of cases.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid, a difference is beyond the range of the measure, or the pilot has
        another design or does not estimate the required components.

    Warns
    -----
    PlanningWarning
        If components of variance are passed with a difference of 1 or more.

    Notes
    -----
    Covariances are those of the pilot times :math:`c = n^*/(n/G)`, the ratio of the number of cases
    per reader in the pilot to that in the planned study with G blocks. The proportion of positives
    should be about the same in both studies. Let p be the proportion of pairs of different readers
    of a modality who are in the same block: 1 for a factorial study, and (R/G - 1)/(R - 1) in
    general. With R readers and
    :math:`h = \max(\text{cov2} - \text{cov3}, 0)`

    .. math:: V_R = \tfrac 2 R \big(\sigma^2_{TR} + c\,(\text{error} - \text{cov1} - p h)\big),
              \qquad V = V_R + 2 c p h, \qquad \nu = (R - 1) V^2/V_R^2 ,

    so that V is :math:`\tfrac 2 R (\sigma^2_{TR} + c\,(\text{error} - \text{cov1} +
    (R/G - 1) h))`. If cases are nested in modalities, cov1 and cov3 are 0. If readers are nested in
    modalities, with q the proportion of pairs of readers of different modalities who are in the
    same block (1/G),

    .. math:: V_R = \tfrac 2 R \big(\sigma^2_R + \sigma^2_{TR} +
              c\,(\text{error} - p\,\text{cov2})\big), \quad
              V = V_R + 2 c \max(p\,\text{cov2} - q\,\text{cov3}, 0), \quad
              \nu = 2 (R - 1) V^2/V_R^2 .

    These are expectations of the variances of `mrmc` under the model of Obuchowski and Rockette,
    derived by Hillis (2014) for balanced designs. The power is that of the F test with 1 and
    :math:`\nu` degrees of freedom, from the noncentral F distribution (Hillis, Obuchowski and
    Berbaum 2011). A negative reader component is set to 0. A pilot can be used for designs whose
    covariances it estimates: a pilot with cases nested in modalities, for example, does not
    estimate cov1 and cov3.

    References
    ----------
    S. L. Hillis, N. A. Obuchowski and K. S. Berbaum (2011), Academic Radiology 18:129-142.
    N. A. Obuchowski, B. D. Gallas and S. L. Hillis (2012), Academic Radiology 19:1508-1517.
    S. L. Hillis (2014), Statistics in Medicine 33:330-360.

    Examples
    --------
    >>> import pauci
    >>> components = {
    ...     "error": 0.0008, "cov1": 0.00035, "cov2": 0.00034, "cov3": 0.00024,
    ...     "reader_by_modality": 0.0002, "cases": 114,
    ... }
    >>> round(pauci.mrmc_power(components, 10, 60, 105, difference=0.05), 3)
    0.904

    The same number of readings by twice as many readers, in two blocks with half of the cases each:

    >>> round(pauci.mrmc_power(components, 20, 60, 104, difference=0.05, blocks=2), 3)
    0.931
    """
    checks.size_of_test(alpha)
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    null = checks.finite("null", null)
    check_whole("blocks", blocks, 1)
    check_choice("readers_by_modalities", readers_by_modalities, ("crossed", "nested"))
    check_choice("cases_by_modalities", cases_by_modalities, ("crossed", "nested"))
    nested = readers_by_modalities == "nested", cases_by_modalities == "nested"
    two_sided = alternative == "two-sided"
    components, excess = _components_and_excess(pilot, difference, null)
    sizes = {"readers": readers, "positives": positives, "negatives": negatives}
    n_readers, n_pos, n_neg = (_numbers(argument, values) for argument, values in sizes.items())
    if len(n_pos) != len(n_neg):
        problem = f"positives has {len(n_pos)} numbers, but negatives has {len(n_neg)}; the "
        problem += "numbers are combined in pairs."
        raise InputError(problem, argument="negatives", value=negatives)
    for argument, numbers in zip(sizes, (n_readers, n_pos, n_neg), strict=True):
        smallest = 1 if argument == "readers" else 2
        if min(numbers) < smallest * blocks:
            problem = f"is too few for {blocks} blocks, each of which needs {smallest} or more."
            raise InputError.of(argument, min(numbers), problem)
    rows = []
    for r in n_readers:
        for p, n in zip(n_pos, n_neg, strict=True):
            variance, df = _variance_and_df(components, r, p + n, blocks, *nested)
            shift = excess / math.sqrt(variance)
            signed_shift = -shift if alternative == "less" else shift
            critical = critical_value(alpha / 2.0 if two_sided else alpha, df)
            power = rejection_probability(critical, df, signed_shift, two_sided=two_sided)
            rows.append({"readers": r, "positives": p, "negatives": n, "power": power})
    with_sequences = any(isinstance(n, (list, tuple, range, np.ndarray)) for n in sizes.values())
    return frame(_COLUMNS, rows) if with_sequences else float(rows[0]["power"])


def _numbers(argument: str, values: Any) -> list[int]:
    """Return one number or several as a list."""
    numbers = checks.listed(values)
    if not numbers:
        raise InputError.of(argument, [], "contains no number.")
    for n in numbers:
        check_whole(argument, n, 2)
    return [int(n) for n in numbers]


def _components_and_excess(
    pilot: Any, difference: float | None, null: float
) -> tuple[Components, float]:
    """Return the variance components, and the difference to detect minus the null difference."""
    if isinstance(pilot, ReaderAnalysis):
        components = _components_of_pilot(pilot)
        if difference is None:
            if len(pilot.contrasts) > 1:
                problem = f"the pilot has {len(pilot.averages)} modalities and no single "
                problem += "difference."
                hint = "Specify the difference to detect by difference=, or analyse the pilot by "
                hint += "mrmc(..., pair=...)."
                raise InputError(problem, argument="difference", hint=hint)
            difference = pilot.contrasts[0].value
    elif isinstance(pilot, Mapping):
        missing = [name for name in _NAMES if name not in pilot]
        if missing:
            lacking, names = (", ".join(map(repr, listed)) for listed in (missing, _NAMES))
            problem = f"lacks {lacking}; components are {names}."
            raise InputError.about("pilot", problem, value=pilot)
        components = {name: checks.finite(name, pilot[name]) for name in _NAMES}
        components["reader"] = math.nan
        if "reader" in pilot:
            interaction = components["reader_by_modality"]
            components["reader"] = checks.finite("reader", pilot["reader"]) + interaction
        if difference is None:
            problem = "components of variance do not contain the difference to detect."
            hint = "Specify it by difference=."
            raise InputError(problem, argument="difference", hint=hint)
    else:
        names = ", ".join(map(repr, _NAMES))
        raise checks.wrong_type("pilot", pilot, f"the result of pauci.mrmc, or a dict of {names}")
    difference = checks.finite("difference", difference)
    for argument, value in (("difference", difference), ("null", null)):
        _check_range(argument, value, pilot)
    return components, difference - null


def _check_range(argument: str, difference: float, pilot: Any) -> None:
    """Raise an error for a difference beyond the range of the measure of a pilot.

    Components do not state their measure; nearly all measures are between 0 and 1.
    """
    measured = isinstance(pilot, ReaderAnalysis)
    width = pilot.averages[0].scale[1] - pilot.averages[0].scale[0] if measured else 1.0
    if abs(difference) < width:
        return
    hint = "A difference of 5 percentage points is 0.05."
    if measured:
        within = f", whose width is {width:g}."
        problem = ("must be within the range of ", pilot.measure, within)
        raise InputError.of(argument, difference, problem, hint=hint)
    text = "is larger than any difference of a measure between 0 and 1, such as the AUC."
    warn(PlanningWarning.of(argument, difference, text, hint=hint))


def _components_of_pilot(pilot: ReaderAnalysis) -> Components:
    """Return the components that a pilot estimates; covariances are within blocks."""
    _check_pilot(pilot)
    study, c = pilot.study, pilot.covariance
    reader, modality = (np.array([cell[i] for cell in study.cells]) for i in (0, 1))
    block = study.layout.block_of_reader[reader]
    means = mean_covariances(c, reader, modality, block)
    components = dict(zip(COVARIANCE_NAMES, means, strict=True))
    if study.layout.cases_by_modalities == "nested":
        components["cov1"] = components["cov3"] = math.nan
    reader_variances = []
    for i in range(len(study.modalities)):
        cells = np.flatnonzero(modality == i)
        of_cases = c[np.ix_(cells, cells)]
        n, apart = cells.size, of_cases.sum() - np.trace(of_cases)
        values = np.array([pilot.cells[int(k)].value for k in cells])
        reader_variances.append(values.var(ddof=1) - of_cases.trace() / n + apart / (n * (n - 1)))
    place = COMPONENT_NAMES.index("reader_by_modality")
    return components | {
        "reader_by_modality": pilot.values_of_components[place],
        "reader": float(np.mean(reader_variances)),
        "cases": float(np.mean([cell.cases.size for cell in study.cells])),
    }


def _check_pilot(pilot: ReaderAnalysis) -> None:
    """Raise an error for pilots whose components have a different meaning."""
    layout, cells = pilot.study.layout, pilot.study.cells
    crossings = layout.name, layout.readers_by_modalities, layout.cases_by_modalities
    readers = np.bincount([cell.modality for cell in cells])
    modalities = len(pilot.averages)
    if modalities < 2 or readers.min() < 2:
        few = "one modality" if modalities < 2 else "a modality with one reader"
        problem = f"the pilot has {few}, but the power depends on the differences of several "
        problem += "readers between two modalities. Pass a pilot of two modalities with at least "
        problem += "two readers in each, or a dict of the components of a similar study."
        raise UndefinedError(problem, argument="pilot")
    if "partly crossed" in crossings:
        problem = f"the design of the pilot is {pilot.study.design}, but only components of "
        problem += "factorial and split-plot studies can be used for power calculations."
        raise UndefinedError(problem, argument="pilot")
    if not (pilot.random_readers and pilot.random_cases):
        problem = f"the pilot was analysed with {pilot.factors}, but the power calculation assumes "
        problem += "that both are random."
        raise UndefinedError(problem)


def _variance_and_df(
    c: Components, r: int, cases: int, blocks: int, nested_readers: bool, nested_cases: bool
) -> tuple[float, float]:
    """Return the variance of the difference with r readers, and its degrees of freedom."""
    sizes = np.full(blocks, r // blocks)
    sizes[: r % blocks] += 1
    scale = c["cases"] * blocks / cases
    pairs = float((sizes * (sizes - 1)).sum()) / (r * (r - 1))
    cov2 = c["cov2"] if pairs else 0.0
    if nested_readers:
        cov3 = 0.0 if nested_cases else c["cov3"]
        reader, unshared = c["reader"], c["error"] - pairs * cov2
        shared = pairs * cov2 - float((sizes**2).sum()) / r**2 * cov3
        df = 2.0 * (r - 1)
    else:
        cov1 = 0.0 if nested_cases else c["cov1"]
        cov3 = 0.0 if nested_cases or not pairs else c["cov3"]
        shared = pairs * max(cov2 - cov3, 0.0)  # NaN is unchanged
        reader, unshared = c["reader_by_modality"], c["error"] - cov1 - shared
        df = r - 1.0
    if nested_readers and math.isnan(reader):
        problem = "if readers are nested in modalities, the variance between readers is also "
        problem += "required; pass it as the component 'reader'."
        raise UndefinedError(problem, argument="pilot")
    if any(map(math.isnan, (reader, unshared, shared))):
        problem = "the pilot does not estimate all components that this design requires. "
        problem += "Covariances cannot be estimated between readers without common cases, or for "
        problem += "readers who read in a single modality. Plan a study of the same design as the "
        problem += "pilot, or pass a dict of components."
        raise UndefinedError(problem, argument="pilot")
    _check_components(c, unshared, "error - cov2" if nested_readers else _UNSHARED)
    among = 2.0 / r * (max(reader, 0.0) + scale * unshared)
    variance = among + 2.0 * scale * max(shared, 0.0)
    return variance, df * (variance / among) ** 2


_UNSHARED = "error - cov1 - (cov2 - cov3)"


def _check_components(c: Components, unshared: float, formula: str) -> None:
    """Raise an error for components that are impossible or do not allow a power calculation.

    `unshared` is the variance over cases of the difference for one reader, minus the part that is
    shared with other readers.
    """
    if c["cases"] < 2:
        raise InputError.about("pilot", f"has cases={c['cases']:g}, which must be at least 2.")
    if unshared > 0.0:
        return
    numbers = ", ".join(f"{name}={c[name]:.3g}" for name in COVARIANCE_NAMES)
    reason = ""
    if c["error"] == 0.0:
        reason = " Every reader has standard error 0, as with perfect separation of the classes or "
        reason += "with one score for all cases."
    elif math.isclose(c["error"], c["cov1"]):
        reason = " The modalities do not differ: error equals cov1, as with the same scores in "
        reason += "both."
    problem = f"the power cannot be computed from these components of variance ({numbers}): "
    problem += f"{formula}, the variance over cases that a reader does not share with others, must "
    problem += f"be positive, and is {unshared:.3g}.{reason} Use a pilot study with errors in both "
    problem += "modalities, or pass a dict of the components of a similar study."
    raise InputError(problem, argument="pilot")
