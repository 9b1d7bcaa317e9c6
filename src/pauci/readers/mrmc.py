"""`mrmc`: comparison of modalities by several readers and cases."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from pauci.calls import validate_call
from pauci.checks import check_choice, check_flag, kind_of, nearest
from pauci.errors import (
    InputError,
    InputTypeError,
    UndefinedError,
    each_warning_once,
)
from pauci.inference.arguments import measures_of, method_of, possible_difference
from pauci.intervals.analytic import Alternative
from pauci.measures import AUC, Measure
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.cell_estimates import CellEstimates, CellWarnings, estimate_cells
from pauci.readers.contrasts import (
    FixedCasesAverage,
    ReaderAverages,
    ReaderGroup,
    ReaderTest,
    ReaderVariance,
    SingleReaderAverage,
    components_of,
    covariance_of,
    difference_of,
    f_test,
    kernels_of,
)
from pauci.readers.read_data import checked_pair, name_of
from pauci.readers.study import ReaderStudy
from pauci.resampling.bootstrap import Bootstrap
from pauci.results.family import Estimates, Quantities
from pauci.results.quantity import fields_of
from pauci.results.weighted_sums import WeightedSum
from pauci.variance.leave_one_out import Jackknife
from pauci.variance.method import (
    InfluenceVariance,
    Provenance,
    Uncertainty,
    VarianceMethod,
)

Factor = Literal["random", "fixed"]
Weights = Literal["equal", "pairs"]
Method = Literal["influence", "delta", "jackknife", "bootstrap", "u-statistic"] | VarianceMethod

METHODS = ("influence", "delta", "jackknife", "bootstrap", "u-statistic")
"""Names of the methods for covariances over cases."""


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
        The measure to estimate for each reader in each modality, such as
        ``pauci.PAUCc(fpr=(0, 0.2))``: any measure with influence values, or with a bootstrap or
        jackknife any other, including plain functions. A dict as `threshold` has the threshold of
        each modality by name.
    readers, cases : {"random", "fixed"}, default "random"
        Whether the readers, or the cases, are a random sample from a population about which
        conclusions are drawn, or fixed. At least one of the two factors must be random.
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
    The formulas are given in `pauci.readers.contrasts`, `pauci.variance.contributions` and
    `pauci.readers.contrasts`. For a factorial study of two modalities the default is the analysis
    of Obuchowski and Rockette (1995) with the degrees of freedom of Hillis (2007). With three or
    more modalities the variance of each difference is calculated from its two modalities alone.

    Intervals of averages are t intervals on the scale of the measure, symmetric in the log odds on
    its range (in the logarithm, for ratios), with the degrees of freedom of the total variance or,
    if fewer, those of the variance over cases. Intervals of differences are Wald intervals,
    unless an end of the region is estimated and cases are random (`Comparison.interval`). If an
    average has standard error 0, for example because all readers separate the classes, the interval
    is that of disjoint pairs of cases (`pauci.intervals.analytic.Limit`). This interval does not
    include the between-reader variance, which cannot be estimated then.

    If the reader component of a variance is so small that a smaller one would occur in only one of
    five studies in which readers do not differ, the standard error is below that for fixed readers,
    which a note of the table states. If the variance of the U-statistic is negative, the variance
    with fixed readers is used.

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
    _check_study(study)
    measure = _single_measure(measure)
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    check_flag("conservative", conservative)
    null = possible_difference("null", null, [measure])
    cell_method = _method_of(method)
    u_statistic = isinstance(method, str) and method == "u-statistic"
    if weights is None:
        weights = "pairs" if u_statistic else "equal"
    check_choice("weights", weights, ("equal", "pairs"))
    standalone = None if standalone is None else name_of(standalone)
    pairs = _pairs(study, pair)
    groups = _groups(study, weights, standalone)
    _check_factors(study, groups, readers, cases)
    if u_statistic:
        _check_u_statistic(measure, readers, cases)
    with each_warning_once():
        cell_warnings = CellWarnings(study)
        cell_estimates = estimate_cells(study, measure, cell_method, cell_warnings)
        cell_warnings.issue(random_cases=cases == "random")
        analysis = Provenance(cell_estimates.study)
        averages = ReaderAverages(
            groups,
            np.array([c.reader for c in study.cells]),
            Estimates(
                tuple(cell_estimates.estimates),
                replace(cell_estimates.uncertainty, sources=[(analysis, cell_estimates.weights)]),
            ),
            readers == "random",
            cases == "random",
        )
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
        means = _means(averages, cell_estimates, reported)
    return ReaderAnalysis(
        study,
        measure,
        replace(
            means,
            uncertainty=replace(
                _joint_uncertainty(averages, means, reported), sources=[(Provenance(study), None)]
            ),
        ),
        _differences(means, reported, pairs, alternative),
        averages.cells,
        _components(averages),
        _global_test(averages, weights),
        readers == "random",
        cases == "random",
        weights,
        "u-statistic" if u_statistic else _key_of(cell_method),
        null,
        alternative,
        conservative,
        cell_warnings.all,
        cell_warnings.cell_count,
        cell_method if isinstance(cell_method, Bootstrap) else None,
        standalone,
        tuple(understated),
    )


def _check_study(study: object) -> None:
    """Raise an error for anything but a reader study."""
    if not isinstance(study, ReaderStudy):
        raise InputTypeError.about(
            "study",
            f"is {kind_of(study)}; pass a ReaderStudy, such as "
            "pauci.ReaderStudy.from_frame(frame, reader=..., modality=..., case=..., label=..., "
            "score=...).",
            value=study,
        )


def _single_measure(measure: object) -> Measure:
    """Return the measure; raise an error for several measures."""
    measures = measures_of(measure)
    if len(measures) > 1:
        raise InputError.about(
            "measure",
            f"contains {len(measures)} measures, but mrmc analyses one at a time.",
            value=measure,
        )
    return measures[0]


def _check_factors(
    study: ReaderStudy, groups: list[ReaderGroup], readers: object, cases: object
) -> None:
    """Raise an error if no factor is random, or the between-reader variance is not estimable."""
    check_choice("readers", readers, ("random", "fixed"))
    check_choice("cases", cases, ("random", "fixed"))
    if readers == cases == "fixed":
        raise InputError.about(
            "readers",
            "and cases are both fixed, so that there is no standard error.",
            value="fixed",
            hint="Treat readers or cases as random.",
        )
    if cases == "fixed" and all(group.standalone for group in groups):
        raise InputError.about(
            "cases",
            "are fixed and the only modality is that of a standalone reader, so that there is no "
            "standard error.",
            value="fixed",
            hint="Treat cases as random.",
        )
    if readers == "random":
        _check_readers(study, groups)


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


def _key_of(method: VarianceMethod) -> str:
    """Return the name of a method, which tells the two kinds of jackknife apart."""
    by_class = isinstance(method, Jackknife) and method.by_class
    return "jackknife by class" if by_class else method.key


def _groups(study: ReaderStudy, weights: str, standalone: str | None) -> list[ReaderGroup]:
    """Return the cells of each modality, with their weights."""
    if standalone is not None and standalone not in study.modalities:
        raise InputError.of(
            "standalone",
            standalone,
            f"is not a modality{nearest(standalone, study.modalities)} The modalities are: "
            f"{', '.join(study.modalities)}.",
        )
    groups = []
    for i, name in enumerate(study.modalities):
        cells = np.flatnonzero([c.modality == i for c in study.cells])
        if name == standalone and cells.size > 1:
            raise InputError.of(
                "standalone", standalone, f"has {cells.size} readers, but must have one."
            )
        pairs = [float(np.prod(study.cells[k].ratings.rows.counts)) for k in cells]
        w = np.array(pairs) if weights == "pairs" else np.ones(cells.size)
        groups.append(ReaderGroup(name, cells, w / w.sum(), name == standalone))
    return groups


def _check_readers(study: ReaderStudy, groups: list[ReaderGroup]) -> None:
    """Raise an error for a modality with a single reader, if readers are random."""
    for group in groups:
        if group.cells.size > 1 or group.standalone:
            continue
        reader = study.readers[study.cells[group.cells[0]].reader]
        raise InputError(
            f"modality {group.name!r} has one reader, {reader!r}: the between-reader variance "
            "cannot be estimated.",
            argument="readers",
            value="random",
            hint="Use readers='fixed', or if the reader is an algorithm, "
            f"standalone={group.name!r}.",
        )


def _check_u_statistic(measure: Measure, readers: str, cases: str) -> None:
    """Raise an error for analyses that the U-statistic does not support."""
    hint = "Use method='influence'."
    if not isinstance(measure, AUC) or measure != AUC():
        raise InputError.of(
            "method",
            "u-statistic",
            ("is for the AUC, not for ", measure, "."),
            hint=hint,
        )
    if readers != "random" or cases != "random":
        raise InputError.of(
            "method",
            "u-statistic",
            "requires random readers and cases.",
            hint=hint,
        )


Groups = tuple[int, ...]
"""The number of the group of an average, or the numbers of both groups of a difference."""


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
    of_averages: dict[Groups, ReaderVariance] = {
        (i,): averages.variance({i: 1.0}) for i in range(n)
    }
    of_differences: dict[Groups, ReaderVariance] = {
        # The order of the sum is fixed, so that b - a is always the negative of a - b.
        (i, j): averages.variance({k: 1.0 if k == i else -1.0 for k in sorted((i, j))})
        for i, j in [*pairs, *others]
    }
    return of_averages | of_differences


def _u_statistics(
    study: ReaderStudy, groups: list[ReaderGroup], variances: dict[Groups, ReaderVariance]
) -> dict[Groups, ReaderVariance]:
    """Return the variances with those of the U-statistic in place of the others."""
    kernels = [kernels_of(study, [study.cells[k] for k in g.cells], g.weights) for g in groups]
    result = {}
    for numbers, variance in variances.items():
        i, j = numbers[0], numbers[-1]
        if i == j and groups[i].standalone:  # the variance of the estimate of this reader
            result[numbers] = variance
            continue
        u, of_last, cross = (
            covariance_of(
                kernels[a],
                kernels[b],
                random_readers=not (groups[a].standalone or groups[b].standalone),
            )
            for a, b in ((i, i), (j, j), (i, j))
        )
        if i != j:
            u = difference_of(u, of_last, cross)
        result[numbers] = variance._replace(variance=u.covariance, df=u.degrees_of_freedom())
    return result


def _means(
    averages: ReaderAverages,
    cell_estimates: CellEstimates,
    reported: dict[Groups, tuple[float, float]],
) -> Quantities:
    """Return the averages over readers, with their covariance over cases."""
    means: list[WeightedSum] = []
    for i, group in enumerate(averages.groups):
        if group.cells.size == 1 and averages.random_cases:
            (k,) = group.cells
            e = cell_estimates.estimates[k]
            of_e = e.value, e.se, e.df, e.se, e.scale, e.pairs
            means.append(SingleReaderAverage((group.name,), *of_e, null=None, estimate=e))
            continue
        pairs, df_of_cases = cell_estimates.pairs_and_df(
            group.cells, group.weights, random_cases=averages.random_cases
        )
        variance, df = reported[(i,)]
        df = min(df, df_of_cases)
        mean = averages.cells.weighted_sum(
            averages.weights[i], (group.name,), variance=variance, df=df
        )
        mean = replace(mean, pairs=pairs)
        means.append(mean if averages.random_cases else FixedCasesAverage(**fields_of(mean)))
    return Quantities(tuple(means), averages.cells.uncertainty.combined(averages.weights))


def _joint_uncertainty(
    averages: ReaderAverages,
    means: Quantities,
    reported: dict[Groups, tuple[float, float]],
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
    means: Quantities,
    reported: dict[Groups, tuple[float, float]],
    pairs: Sequence[tuple[int, int]],
    alternative: Alternative,
) -> tuple[WeightedSum, ...]:
    """Return the differences of pairs of averages."""
    units = np.eye(len(means))
    return tuple(
        means.weighted_sum(
            units[i] - units[j],
            means.quantities[i].label + means.quantities[j].label,
            variance=reported[i, j][0],
            df=reported[i, j][1],
            alternative=alternative,
        )
        for i, j in pairs
    )


def _components(averages: ReaderAverages) -> tuple[float, ...]:
    """Return the variance components, without the cells of a standalone reader."""
    positions = np.flatnonzero([not averages.groups[i].standalone for i in averages.group])
    covariance = averages.cells.cov[np.ix_(positions, positions)]
    reader, group = averages.reader[positions], averages.group[positions]
    return tuple(components_of(averages.values[positions], covariance, reader, group))


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
    _, _, cov2, cov3, _, ms, *_ = components_of(
        averages.values, averages.cells.cov, averages.reader, averages.group
    )
    ms_groups = readers * float(averages.means.var(ddof=1))
    denominator = ms + (readers * max(cov2 - cov3, 0.0) if averages.random_cases else 0.0)
    if denominator <= 0.0 or ms <= 0.0:
        return None
    df = denominator**2 / (ms**2 / ((n - 1) * (readers - 1)))
    return f_test(ms_groups / denominator, n - 1, df)
