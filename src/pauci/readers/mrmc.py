"""`mrmc`: comparison of modalities by several readers and cases.

The readings of a reader in a modality are a cell. Cells are parts whose units are the cases of the
study, or clusters of cases (`pauci.variance.contributions`), so that any variance method gives the
joint covariance of their estimates, irrespective of which cases each reader read. For the AUC of
readers of the same cases, the covariance from influence values is that of DeLong et al. (1988).
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import combinations
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from pauci.calls import validate_call
from pauci.cautions.about_data import warn_about_scale_of_reader, warn_about_scores
from pauci.cautions.about_estimates import warn_about_cutoffs, warn_about_design
from pauci.cautions.accuracy import (
    value_in_words,
    warn_about_regions,
    warn_about_rows,
    warn_without_interval,
)
from pauci.checks import AnyArray, FloatArray, check_choice, check_flag, nearest, wrong_type
from pauci.errors import (
    DegenerateWarning,
    FewClustersWarning,
    InputError,
    InputTypeError,
    MissingCodeWarning,
    PauciWarning,
    SmallRegionWarning,
    Text,
    UndefinedError,
    each_warning_once,
    held_warnings,
    warn,
)
from pauci.inference.arguments import measures_of, method_of, possible_difference
from pauci.inference.estimates_on_parts import (
    DataPart,
    PartsSolution,
    check_denominators,
    estimate_of,
    estimates_on,
    without_rounding_errors,
)
from pauci.intervals.analytic import Alternative
from pauci.intervals.student_t import f_tail
from pauci.measures import AUC
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import Combination, Measure
from pauci.measures.classes import ClassMeasure, VersusRest
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.contrasts import (
    FixedCasesAverage,
    ReaderAverages,
    ReaderEstimate,
    ReaderGroup,
    ReaderTest,
    ReaderVariance,
    SingleReaderAverage,
    covariance_of,
    difference_of,
    kernels_of,
)
from pauci.readers.read_data import checked_pair, name_of
from pauci.readers.study import Cell, ReaderStudy
from pauci.resampling.bootstrap import Bootstrap
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates, Quantities
from pauci.results.quantity import fields_of, rounding_error
from pauci.results.weighted_sums import WeightedSum
from pauci.sample.class_rows import ClassRows
from pauci.sample.ratings import Ratings
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.variance.joint import uncertainty_of_parts
from pauci.variance.leave_one_out import Jackknife
from pauci.variance.method import (
    DeltaVariance,
    InfluenceVariance,
    Provenance,
    Uncertainty,
    VarianceMethod,
)
from pauci.variance.units import CommonUnits, PartNames, Parts, Problem

Factor = Literal["random", "fixed"]
Weights = Literal["equal", "pairs"]
Method = Literal["influence", "delta", "jackknife", "bootstrap", "u-statistic"] | VarianceMethod

METHODS = ("influence", "delta", "jackknife", "bootstrap", "u-statistic")
"""Names of the methods for covariances over cases."""

_A_STUDY = (
    "a ReaderStudy, such as pauci.ReaderStudy.from_frame(frame, reader=..., modality=..., "
    "case=..., label=..., score=...)"
)


@validate_call
def mrmc(
    study: ReaderStudy,
    measure: Measure,
    readers: Factor = "random",
    cases: Factor = "random",
    weights: Weights | None = None,
    method: Method = "influence",
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    *,
    pair: tuple[str, str] | None = None,
    standalone: str | None = None,
    conservative: bool = False,
) -> ReaderAnalysis:
    r"""Compare modalities that several readers judged on several cases (MRMC).

    Parameters
    ----------
    study : ReaderStudy
        The readings, in any design.
    measure : Measure
        The measure to estimate for each reader in each modality, such as ``pauci.PAUCc(fpr=(0,
        0.2))``: any measure with influence values, or with a bootstrap or jackknife any other,
        including plain functions. If the modalities have different thresholds, pass a dict by
        modality as `threshold` of the measure.
    readers, cases : {"random", "fixed"}, default "random"
        Whether the readers, or the cases, are a random sample from a population about which
        conclusions are drawn, or are fixed. At least one of the two factors must be random.
    weights : {"equal", "pairs"}, optional
        The weights of readers in the average of a modality: equal (the default), or the number of
        pairs of a positive and a negative that each reader read (the default for the U-statistic).
    method : {"influence", "delta", "jackknife", "bootstrap", "u-statistic"} or VarianceMethod
        The method for covariances over cases: influence values (the default; for the AUC those of
        DeLong), the multinomial delta method, or the jackknife or the bootstrap over cases, or
        clusters of cases, with readers and modalities fixed. ``"jackknife"`` is that of Obuchowski
        and Rockette (1995), ``pauci.Jackknife(by_class=False)``; ``pauci.Jackknife()`` is that of
        `compare`. ``pauci.Bootstrap(...)`` specifies the number of resamples, the seed and other
        options. ``"u-statistic"``, for the `AUC` with random readers and cases, is the one-shot
        estimate of Gallas (2006). Any other `pauci.variance.VarianceMethod` is also accepted; it
        needs ``contributions`` unless all readers with common cases read the same cases.
    null : float, default 0
        Difference under the null hypothesis: ``null=-0.05, alternative="greater"`` tests that the
        first modality is not inferior by 0.05. Two one-sided tests show equivalence. ``pair``
        states which modality is the first.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the difference first - second under the alternative hypothesis.
    pair : tuple of two str, optional
        The two modalities to compare, in this order; the default is all pairs, in the order of
        ``study.modalities``, which does not depend on the order of the rows.
    standalone : str, optional
        A modality with a single reader who is not from the population of readers, such as an
        algorithm. This modality is compared with the averages of the other modalities, and has no
        between-reader variance.
    conservative : bool, default False
        Use a standard error at least as large as that for fixed readers.

    Returns
    -------
    ReaderAnalysis
        ``.estimates`` and ``.differences`` (data frames), ``.components``, ``.test()``,
        ``.readers``, ``.summary()``, ``.report()``, ``.plot()``.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid, a modality has a single reader although readers are random, both
        factors are fixed, or the measure is undefined for a reader; the message names the reader
        and the modality.

    Warns
    -----
    PauciWarning
        The warnings of `estimate` about cells (a reader in a modality): reversed scores, predicted
        labels, few clusters, standard error 0, and a region with few cases if this concerns most
        cells. One warning of each kind reports the number of cells and the most
        severe case; ``.cautions`` contains all warnings.
    SamplingRatioWarning
        If the measure depends on the prevalence, and the study is a case-control study.

    Notes
    -----
    The formulas are given in `pauci.readers.contrasts` and `pauci.variance.contributions`. For a
    factorial study of two modalities the default is the analysis of Obuchowski and Rockette (1995)
    with the degrees of freedom of Hillis (2007). With three or more modalities the variance of each
    difference is calculated from its two modalities alone.

    Intervals of averages are t intervals on the scale of the measure, symmetric in the log odds on
    its range (in the logarithm, for ratios), with the degrees of freedom of the total variance or,
    if fewer, those of the variance over cases. Intervals of differences are Wald intervals,
    unless an end of the region is estimated and cases are random (`Comparison.interval`). If an
    average has standard error 0, for example because all readers separate the classes, the interval
    is that of disjoint pairs of cases (`pauci.intervals.analytic.Limit`). This interval does not
    include the between-reader variance, which cannot be estimated then.

    If the standard error is below that for fixed readers, and the reader component of the variance
    is so small that a smaller one would occur in only one of five studies in which readers do not
    differ, tests reject too often; a note of the table states this. If the variance of the
    U-statistic is negative, the variance with fixed readers is used.

    References
    ----------
    N. A. Obuchowski and H. E. Rockette (1995), Communications in Statistics - Simulation and
    Computation 24:285-308. S. L. Hillis (2007), Statistics in Medicine 26:596-619. B. D. Gallas
    (2006), Academic Radiology 13:353-362.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_viper()
    >>> frame = frame[frame["study"] == "screeningHighP"]
    >>> study = pauci.ReaderStudy.from_frame(frame, label="cancer_365", score="score")
    >>> m = pauci.mrmc(study, pauci.AUC())
    >>> m.differences[["first", "second", "difference", "se", "pvalue"]].round(4)
         first second  difference      se  pvalue
    0  digital   film     -0.0621  0.0274   0.027
    """
    if not isinstance(study, ReaderStudy):
        raise wrong_type("study", study, _A_STUDY)
    measures = measures_of(measure)
    if len(measures) > 1:
        problem = f"contains {len(measures)} measures, but mrmc analyses one at a time."
        raise InputError.about("measure", problem, value=measure)
    (measure,) = measures
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    check_flag("conservative", conservative)
    null = possible_difference("null", null, [measure])
    cell_method = _method_of(method)
    u_statistic = method == "u-statistic"
    key = "u-statistic" if u_statistic else cell_method.key
    if isinstance(cell_method, Jackknife) and cell_method.by_class:
        key = "jackknife by class"
    if weights is None:
        weights = "pairs" if u_statistic else "equal"
    check_choice("weights", weights, ("equal", "pairs"))
    standalone = None if standalone is None else name_of(standalone)
    pairs = _pairs(study, pair)
    groups = _groups(study, weights, standalone)
    _check_factors(study, groups, readers, cases)
    if u_statistic:
        _check_u_statistic(study, measure, readers, cases)
    with each_warning_once():
        of_cells: CellWarnings = []
        found = estimate_cells(study, measure, cell_method, of_cells)
        of_cells = _issued(study, of_cells, random_cases=cases == "random")
        sources = [(Provenance(study), found.weights)]
        cells = Estimates(tuple(found.estimates), replace(found.uncertainty, sources=sources))
        reader = np.array([c.reader for c in study.cells])
        averages = ReaderAverages(groups, reader, cells, readers == "random", cases == "random")
        variances = _variances(averages, pairs)
        if u_statistic:
            variances = _u_statistics(study, groups, variances)
        understated = [
            tuple(averages.groups[i].name for i in numbers)
            for numbers, v in variances.items()
            if (len(numbers) == 1 or numbers in pairs)
            and v.understated
            and not v.is_raised(conservative=conservative)
        ]
        reported = {k: v.reported(conservative=conservative) for k, v in variances.items()}
        means = _means(averages, study, measure, reported)
        joint = _joint_uncertainty(averages, means, reported)
        joint = replace(joint, sources=[(Provenance(study), None)])
    return ReaderAnalysis(
        study,
        measure,
        replace(means, uncertainty=joint),
        _differences(means, reported, pairs, alternative),
        averages.cells,
        averages.components,
        _global_test(averages, weights),
        readers == "random",
        cases == "random",
        weights,
        key,
        null,
        alternative,
        conservative,
        tuple(warning for _, _, warning in of_cells),
        len({id(cell.ratings) for _, cell, _ in of_cells}),
        cell_method if isinstance(cell_method, Bootstrap) else None,
        standalone,
        tuple(understated),
    )


def _check_factors(
    study: ReaderStudy, groups: list[ReaderGroup], readers: object, cases: object
) -> None:
    """Raise an error if no factor is random, or the between-reader variance is not estimable."""
    check_choice("readers", readers, ("random", "fixed"))
    check_choice("cases", cases, ("random", "fixed"))
    if readers == cases == "fixed":
        problem = "and cases are both fixed, so that there is no standard error."
        hint = "Treat readers or cases as random."
        raise InputError.about("readers", problem, value="fixed", hint=hint)
    if cases == "fixed" and all(group.standalone for group in groups):
        problem = "are fixed and the only modality is that of a standalone reader, so that there "
        problem += "is no standard error."
        raise InputError.about("cases", problem, value="fixed", hint="Treat cases as random.")
    for group in groups:
        if readers == "random" and group.cells.size == 1 and not group.standalone:
            reader = study.readers[study.cells[group.cells[0]].reader]
            problem = f"modality {group.name!r} has one reader, {reader!r}: the between-reader "
            problem += "variance cannot be estimated."
            hint = "Use readers='fixed', or if the reader is an algorithm, "
            hint += f"standalone={group.name!r}."
            raise InputError(problem, argument="readers", value="random", hint=hint)


def _method_of(method: Any) -> VarianceMethod:
    """Return the variance method of the cells, for a bootstrap with a seed."""
    if isinstance(method, str):
        check_choice("method", method, METHODS)
        if method == "u-statistic":
            return InfluenceVariance()
        if method == "jackknife":
            return Jackknife(by_class=False)
    selected = method_of(method, "method")
    if isinstance(selected, Bootstrap):
        return replace(selected, rng=selected.seed())
    return selected


def _groups(study: ReaderStudy, weights: str, standalone: str | None) -> list[ReaderGroup]:
    """Return the cells of each modality, with their weights."""
    if standalone is not None and standalone not in study.modalities:
        problem = f"is not a modality{nearest(standalone, study.modalities)} The modalities are: "
        problem += f"{', '.join(study.modalities)}."
        raise InputError.of("standalone", standalone, problem)
    groups = []
    for i, name in enumerate(study.modalities):
        cells = np.flatnonzero([c.modality == i for c in study.cells])
        if name == standalone and cells.size > 1:
            problem = f"has {cells.size} readers, but must have one."
            raise InputError.of("standalone", standalone, problem)
        pairs = [float(np.prod(study.cells[k].ratings.rows.counts)) for k in cells]
        w = np.array(pairs) if weights == "pairs" else np.ones(cells.size)
        groups.append(ReaderGroup(name, cells, w / w.sum(), name == standalone))
    return groups


def _check_u_statistic(study: ReaderStudy, measure: Measure, readers: str, cases: str) -> None:
    """Raise an error for analyses that the U-statistic does not support."""
    if measure != AUC():
        problem: Text = ("is for the AUC, not for ", measure, ".")
    elif readers != "random" or cases != "random":
        problem = "requires random readers and cases."
    elif study.rows.has_clusters:
        problem = "assumes independent cases, but these are in clusters."
    elif study.rows.has_weights:
        problem = "assumes cases of equal weight, but these have weights."
    else:
        return
    raise InputError.of("method", "u-statistic", problem, hint="Use method='influence'.")


Groups = tuple[int, ...]
"""The number of the group of an average, or the numbers of both groups of a difference."""

Reported = dict[Groups, tuple[float, float]]
"""The variances that are reported, and their degrees of freedom."""


def _pairs(study: ReaderStudy, pair: object) -> list[tuple[int, int]]:
    """Return the numbers of the modalities of each difference, in its direction."""
    names = study.modalities
    if pair is None:
        return list(combinations(range(len(names)), 2))
    first, second = checked_pair(pair, names)
    return [(names.index(first), names.index(second))]


def _variances(
    averages: ReaderAverages, pairs: Sequence[tuple[int, int]]
) -> dict[Groups, ReaderVariance]:
    """Return the variance of each average and of each difference, in the direction of `pairs`."""
    n = len(averages.groups)
    others = [p for p in combinations(range(n), 2) if p not in pairs and p[::-1] not in pairs]
    numbers: list[Groups] = [*((i,) for i in range(n)), *pairs, *others]
    # The order of the sum is fixed, so that b - a is always the negative of a - b.
    return {
        key: averages.variance({i: 1.0 if i == key[0] else -1.0 for i in sorted(key)})
        for key in numbers
    }


def _u_statistics(
    study: ReaderStudy, groups: list[ReaderGroup], variances: dict[Groups, ReaderVariance]
) -> dict[Groups, ReaderVariance]:
    """Return the variances with those of the U-statistic in place of the others."""
    kernels = [
        kernels_of(study, [study.cells[k] for k in g.cells], g.weights, standalone=g.standalone)
        for g in groups
    ]
    result = {}
    for numbers, variance in variances.items():
        i, j = numbers[0], numbers[-1]
        if i == j and groups[i].standalone:  # the variance of the estimate of this reader
            result[numbers] = variance
            continue
        u, cross = (covariance_of(kernels[i], kernels[k]) for k in (i, j))
        if i != j:
            u = difference_of(u, covariance_of(kernels[j], kernels[j]), cross)
        result[numbers] = variance._replace(variance=u.covariance, df=u.degrees_of_freedom())
    return result


def _means(
    averages: ReaderAverages, study: ReaderStudy, measure: Measure, reported: Reported
) -> Quantities:
    """Return the averages over readers, with their covariance over cases."""
    means: list[WeightedSum] = []
    for i, group in enumerate(averages.groups):
        if group.cells.size == 1 and averages.random_cases:
            (k,) = group.cells
            e: Any = averages.cells[int(k)]
            of_e = e.value, e.se, e.df, e.se, e.scale, e.pairs
            means.append(SingleReaderAverage((group.name,), *of_e, null=None, estimate=e))
            continue
        pairs, df_of_cases = _pairs_and_df(averages, i, study, measure)
        variance, df = reported[(i,)]
        mean = averages.cells.weighted_sum(
            averages.weights[i], (group.name,), variance=variance, df=min(df, df_of_cases)
        )
        mean = replace(mean, pairs=pairs)
        means.append(mean if averages.random_cases else FixedCasesAverage(**fields_of(mean)))
    return Quantities(tuple(means), averages.cells.uncertainty.combined(averages.weights))


def _pairs_and_df(
    averages: ReaderAverages, i: int, study: ReaderStudy, measure: Measure
) -> tuple[float, float]:
    """Return the number of independent cases in an average, and the df of its variance over cases.

    The first number is that of disjoint pairs of a positive and a negative case, or cluster; if
    cases are fixed, it is the number of readers, which is infinite for a standalone reader.
    """
    numbers, cells = averages.groups[i].cells, averages.cells
    if not averages.random_cases:
        # A single reader is standalone, and has no error for fixed cases.
        return float(numbers.size) if numbers.size > 1 else math.inf, math.inf
    rows = study.rows
    read = np.zeros(rows.positive.size, dtype=bool)
    for k in numbers:
        read[study.cells[k].cases] = True
    classes: Sequence[AnyArray] = (rows.positive, ~rows.positive)
    if isinstance(rows, ClassRows):
        classes = rows.class_masks
        if isinstance(measure, VersusRest):
            of_class = classes[rows.number_of(measure.positive)]
            classes = (of_class, ~of_class)
    units = np.arange(read.size) if rows.cluster is None else rows.cluster
    n_pos, n_neg = sorted(float(np.unique(units[read & c]).size) for c in classes)[:2]
    pairs = measure.pairs(n_pos, n_neg)
    support = min(cells[int(k)].support for k in numbers)
    if math.isfinite(support):
        pairs = max(min(pairs, support), 1.0)
    weights = averages.weights[i]
    return pairs, cells.uncertainty.df_of(weights) if cells.variance(weights) > 0.0 else math.inf


def _joint_uncertainty(
    averages: ReaderAverages, means: Quantities, reported: Reported
) -> Uncertainty:
    """Return the uncertainty of the averages, from which that of other contrasts is calculated.

    With fixed readers it is that over cases. With random readers the covariances follow from the
    reported variances of the averages and of their differences, and each average has its own
    degrees of freedom.
    """
    if not averages.random_readers:
        return means.uncertainty
    matrix = np.diag([reported[(i,)][0] for i in range(len(means))])
    for i, j in combinations(range(len(means)), 2):
        of_difference = reported[(i, j) if (i, j) in reported else (j, i)][0]
        matrix[i, j] = matrix[j, i] = (matrix[i, i] + matrix[j, j] - of_difference) / 2.0
    return Uncertainty(matrix, np.array([mean.df for mean in means]))


def _differences(
    means: Quantities, reported: Reported, pairs: Sequence[tuple[int, int]], side: Alternative
) -> tuple[WeightedSum, ...]:
    """Return the differences of pairs of averages."""
    units, differences = np.eye(len(means)), []
    for i, j in pairs:
        names = means.quantities[i].label + means.quantities[j].label
        variance, df = reported[i, j]
        weights = units[i] - units[j]
        differences.append(
            means.weighted_sum(weights, names, variance=variance, df=df, alternative=side)
        )
    return tuple(differences)


def _global_test(averages: ReaderAverages, weights: str) -> ReaderTest | None:
    """Return the test that three or more modalities are equal; None if it is undefined."""
    n = len(averages.groups)
    if n < 3:
        return None
    if not averages.random_readers:
        contrasts = averages.weights[:-1] - averages.weights[-1]
        try:
            test = averages.cells.weighted_sums(contrasts).joint()
        except UndefinedError:
            return None
        if test.df < n - 1:
            return None
        return ReaderTest(test.f, test.df, test.df_denominator, test.pvalue)
    readers = np.unique(averages.reader).size
    complete = all(g.cells.size == readers for g in averages.groups)
    if not complete or weights != "equal" or any(g.standalone for g in averages.groups):
        return None
    _, _, cov2, cov3, _, ms, *_ = averages.components
    ms_groups = readers * float(averages.means.var(ddof=1))
    denominator = ms + (readers * max(cov2 - cov3, 0.0) if averages.random_cases else 0.0)
    if denominator <= 0.0 or ms <= 0.0:
        return None
    df = denominator**2 / (ms**2 / ((n - 1) * (readers - 1)))
    statistic = ms_groups / denominator
    return ReaderTest(statistic, n - 1, df, f_tail(statistic, n - 1, df))


_IF_MOST_CELLS = (SmallRegionWarning,)
"""Warnings that are issued only if they concern most cells."""

_ABOUT_CASES = (DegenerateWarning, SmallRegionWarning, FewClustersWarning)
"""Warnings about variances over cases."""

HINT_ABOUT_CODES = (
    "If these are codes of missing values, replace them by NaN (in a file, by blanks), and drop "
    "these rows with drop_missing=True; not every reader has to read every case."
)
"""Advice on the scores of a reader study that may be codes of missing values."""


CellWarnings = list[tuple[float, Cell, PauciWarning]]
"""The severity of each warning, the cell that it is about, and the warning."""


@contextmanager
def _collected(warnings: CellWarnings, cell: Cell, *, severity: float = 0.0) -> Iterator[None]:
    """Collect the warnings about a cell; `severity` orders warnings without a value."""
    with held_warnings() as held:
        yield
    for warning in held:
        number = severity
        if isinstance(warning, SmallRegionWarning) and warning.value is not None:
            number = -float(warning.value)
        warnings.append((number, cell, warning))


def _issued(study: ReaderStudy, warnings: CellWarnings, *, random_cases: bool) -> CellWarnings:
    """Issue one warning of each kind for all cells together, and return all warnings by kind.

    Each cell is checked as `pauci.estimate` checks a sample. A warning reports the number of
    affected cells and the most severe case. If cases are fixed, those about the variance over cases
    are not issued.

    Few observations in a region affect the standard errors of single cells; those of averages were
    correct in simulations even if nearly all cells were affected (20 readers in 4 blocks of 14 and
    40 cases, FPR 0 to 0.1). Therefore a warning is issued only if most cells are affected. An AUC
    below 0.5 in a few of many cells can be due to chance; a warning is issued if most cells have an
    AUC below 0.5, or if the AUC of one cell is significantly below 0.5.
    """
    by_kind: dict[type[PauciWarning], CellWarnings] = {}
    for entry in warnings:
        by_kind.setdefault(type(entry[2]), []).append(entry)
    for kind, entries in by_kind.items():
        if kind in _ABOUT_CASES and not random_cases:
            continue
        *_, worst = max(entries, key=itemgetter(0))
        cells = list({id(cell.ratings): cell for _, cell, _ in entries}.values())
        few = 2 * len(cells) <= len(study.cells)
        # The variance of an average at a threshold is not too small because of a few of them.
        at_cutoff = kind is DegenerateWarning and isinstance(worst.measure, AtCutoff)
        if few and (kind in _IF_MOST_CELLS or at_cutoff):
            continue
        n, pairs = len(cells), fmt.count(len(study.cells), "reader-modality pair")
        where = f"{n} of {pairs}, of {fmt.count(len({c.reader for c in cells}), 'reader')},"
        where = f"All {pairs}" if n == len(study.cells) else where
        where = f"1 of {pairs}" if n == 1 else f"{where} are affected; most severe"
        warn(worst.replaced(where=where))
    return [entry for entries in by_kind.values() for entry in entries]


def estimate_cells(
    study: ReaderStudy,
    measure: Measure,
    method: VarianceMethod,
    warnings: CellWarnings | None = None,
) -> PartsSolution:
    """Return the estimates of all cells, with their joint uncertainty over cases.

    The cells are parts, whose units are the cases or clusters of cases.
    """
    if not measure.has_influence and isinstance(method, (InfluenceVariance, DeltaVariance)):
        problem: Text = (measure, " is a plain function and has no influence values.")
        hint = "Use method=pauci.Bootstrap() or pauci.Jackknife()."
        raise InputError(problem, argument="method", hint=hint)
    if study.classes and not isinstance(measure, ClassMeasure):
        problem = (measure, " is a measure of two classes, but the study has several.")
        hint = "Use VUS, CIndex or HandTill, or with scores for each class Macro or PDI."
        raise InputError(problem, argument="measure", hint=hint)
    warnings = [] if warnings is None else warnings
    if study.sampling == "case-control":
        warn_about_design(measure, study.n_pos / study.rows.positive.size)
    measures = [measure.for_classifier(study.modalities[cell.modality]) for cell in study.cells]
    of_cells = _of_classes if study.classes else _of_two_classes
    found = of_cells(study, measures, method, warnings)
    estimates: list[Estimate] = []
    for cell, e in zip(study.cells, found.estimates, strict=True):
        reader, modality = study.readers[cell.reader], study.modalities[cell.modality]
        estimates.append(ReaderEstimate(**fields_of(e), reader=reader, modality=modality))
    # The replicates of a bootstrap are used for the covariance matrix only.
    uncertainty = replace(found.uncertainty, replicates=None)
    return found._replace(estimates=estimates, uncertainty=uncertainty)


_NOUNS = PartNames("reader-modality pairs", "cases", "method")


def _of_two_classes(
    study: ReaderStudy, measures: Sequence[Measure], method: VarianceMethod, warnings: CellWarnings
) -> PartsSolution:
    """Return the estimates of all cells of a study of positives and negatives."""
    _check_scores(study, warnings, measures)
    problems = list(map(partial(_problem, study), study.cells, measures))
    common = CommonUnits(study.rows, [cell.cases for cell in study.cells])
    parts = Parts(problems, [_name(study, cell) for cell in study.cells], common, _NOUNS)
    uncertainty = without_rounding_errors(uncertainty_of_parts(parts, method), parts)
    _check_estimates(study, warnings, problems, uncertainty.matrix.diagonal())
    estimates = [
        estimate_of(problem, 0, method, replace(uncertainty, replicates=None).marginal(k))
        for k, problem in enumerate(problems)
    ]
    return PartsSolution(estimates, uncertainty, parts)


def _of_classes(
    study: ReaderStudy, measures: Sequence[Measure], method: VarianceMethod, warnings: CellWarnings
) -> PartsSolution:
    """Return the estimates of all cells of a study of several classes."""
    parts = []
    for cell, measure in zip(study.cells, measures, strict=True):
        ratings = cell.ratings
        sample = Sample._of(ratings.rows, {ratings.name: ratings})
        targets = [(ratings.name, measure)]
        parts.append(DataPart(sample, targets, _name(study, cell), warnings=[]))
    common = CommonUnits(study.rows, [cell.cases for cell in study.cells])
    found = estimates_on(parts, method, common, _NOUNS)
    for cell, part in zip(study.cells, parts, strict=True):
        with _collected(warnings, cell, severity=-min(cell.ratings.rows.units)):
            for warning in part.warnings or ():
                warn(warning)
    return found


def _name(study: ReaderStudy, cell: Cell) -> str:
    """Return the name of a cell in messages."""
    return f"reader {study.readers[cell.reader]!r} in modality {study.modalities[cell.modality]!r}"


def _problem(study: ReaderStudy, cell: Cell, measure: Measure) -> Problem:
    """Return the estimation problem of a cell; raise an error if the value is undefined."""
    try:
        problem = Problem((cell.ratings,), (measure,), "method")
        (value,) = problem.values
        if not math.isfinite(value):
            raise UndefinedError((measure, f" is {value}."))
        if isinstance(measure, Combination):
            check_denominators(measure, cell.ratings)
    except (InputError, InputTypeError, UndefinedError) as error:
        raise error.replaced(where=_name(study, cell)) from None
    return problem


def _check_scores(study: ReaderStudy, warnings: CellWarnings, measures: Sequence[Measure]) -> None:
    """Warn about scores on another scale, reversed or predicted labels, and few clusters."""
    for cell, of_cell in zip(study.cells, measures, strict=True):
        ratings = cell.ratings
        with _collected(warnings, cell):
            alike: dict[int, list[Ratings]] = {}
            for other, of_other in zip(study.cells, measures, strict=True):
                if of_other == of_cell:
                    alike.setdefault(other.reader, []).append(other.ratings)
            warn_about_scale_of_reader(of_cell, ratings, [*alike.values()])
        with _collected(warnings, cell, severity=-ratings.curve.auc):
            with held_warnings() as held:
                warn_about_scores(ratings, same_direction=True, measures=[of_cell])
            for warning in held:
                is_code = isinstance(warning, MissingCodeWarning)
                warn(warning.replaced(hint=HINT_ABOUT_CODES) if is_code else warning)
        with _collected(warnings, cell, severity=-min(ratings.rows.units)):
            warn_about_rows(ratings.rows, resampled=False)


def _check_estimates(
    study: ReaderStudy, warnings: CellWarnings, problems: Sequence[Problem], variances: FloatArray
) -> None:
    """Warn about cells with standard error 0, about regions, and about thresholds."""
    for cell, problem, variance in zip(study.cells, problems, variances, strict=True):
        (ratings, measure, piece), value = problem.evaluated[0], problem.values[0]
        low, high = bounds = measure.bounds(ratings.curve)
        edge = rounding_error(bounds)
        with _collected(warnings, cell):
            warn_about_cutoffs(measure, ratings)
            constant = variance <= edge**2
            if not measure.has_interval:
                warn_without_interval(measure, ratings.name)
            elif constant or not low + edge < value < high - edge:
                reason = "has standard error 0" if constant else "is at an end of its range"
                text = f"the estimate, {value_in_words(measure, value)}, {reason}, so that its "
                text += "variance over cases is underestimated. Standard errors that include such "
                text += "cells are too small."
                warn(DegenerateWarning(text, measure=measure, classifier=ratings.name))
            else:
                warn_about_regions(measure, ratings, piece)
