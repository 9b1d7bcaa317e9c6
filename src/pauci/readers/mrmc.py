"""`mrmc`: modalities compared by several readers on several cases."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np

from pauci import checks
from pauci.calls import answering
from pauci.checks import IntArray, check_choice, check_flag, nearest
from pauci.curve.region import Bounds
from pauci.errors import (
    InputError,
    InputTypeError,
    ReaderVarianceWarning,
    Spelled,
    arg,
    each_warning_once,
    shown,
    warn,
)
from pauci.inference.sources import measures_of
from pauci.intervals.analytic import Alternative
from pauci.measures import AUC, Measure
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.averaged import Averaged, CellRow
from pauci.readers.cautions import Cautions
from pauci.readers.cells import CellEstimates, estimate_cells
from pauci.readers.components import ReaderTest, components_of, f_test
from pauci.readers.contrasts import Averages, Group, Spread
from pauci.readers.long_data import name_of
from pauci.readers.over_cases import OverCases, over_cases
from pauci.readers.resampled import with_seed
from pauci.readers.study import ReaderStudy
from pauci.readers.u_statistic import covariance_of, difference_of, kernels_of
from pauci.resampling.bootstrap import Bootstrap
from pauci.results import format as fmt
from pauci.variance.jackknife import Jackknife

Factor = Literal["random", "fixed"]
Weights = Literal["equal", "pairs"]
Method = Literal["influence", "jackknife", "bootstrap", "u-statistic"] | Bootstrap | Jackknife

FIXED_READERS = Spelled('readers="fixed"', "--fixed readers")
FIXED_CASES = Spelled('cases="fixed"', "--fixed cases")
METHODS = ("influence", "jackknife", "bootstrap", "u-statistic")
"""Where covariances over cases come from."""


@answering
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
    standalone: str | None = None,
    conservative: bool = False,
    force: bool = False,
) -> ReaderAnalysis:
    r"""Compare modalities that several readers judged on several cases (MRMC).

    Parameters
    ----------
    study : ReaderStudy
        The readings, in any design.
    measure : Measure
        What to estimate for each reader in each modality, such as ``pauci.PAUCc(fpr=(0, 0.2))``:
        any measure with influence values, or with a bootstrap any at all, plain functions too.
    readers, cases : {"random", "fixed"}, default "random"
        Whether conclusions are about all readers, or cases, of which these are a sample, or about
        these alone. One of both must be random.
    weights : {"equal", "pairs"}, optional
        What readers count in the average of a modality: alike (the default), or as the numbers of
        pairs of a positive and a negative that they read (the default of the U-statistic).
    method : {"influence", "jackknife", "bootstrap", "u-statistic"} or Bootstrap or Jackknife
        Where covariances over cases come from: influence values (the default; for the AUC those of
        DeLong), leaving out cases one by one, or resampling cases, or clusters of them, with
        readers and modalities kept as they are: ``pauci.Bootstrap(...)`` names the number of
        resamples, the seed and the rest. ``"u-statistic"``, for the `AUC` with random readers and
        cases, is the one-shot estimate of Gallas (2006).
    null : float, default 0
        Difference under the null hypothesis: with ``null=-0.05, alternative="greater"`` the first
        modality is tested for not being inferior by 0.05. Two one-sided tests show equivalence.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the difference first - second under the alternative hypothesis.
    standalone : str, optional
        A modality with one reader that is no sample of readers, such as an algorithm. Its readings
        are compared with the averages of the others; only these vary with the readers.
    conservative : bool, default False
        Where a standard error is below that of the same readers alone, take the latter.
    force : bool, default False
        Give standard errors, with a warning, where hardly any case of a cell tells of the
        prevalence that a measure is meant for (see `estimate`).

    Returns
    -------
    ReaderAnalysis
        ``.estimates`` and ``.differences`` (data frames), ``.components``, ``.test()``,
        ``.readers``, ``.summary()``, ``.report()``, ``.plot()``.

    Raises
    ------
    TypeError, ValueError
        For anything else, one reader where readers are random, both factors fixed, or a measure
        that is undefined for a reader, who is named with the modality.

    Warns
    -----
    PauciWarning
        What `estimate` warns of, for cells (a reader in a modality): reversed scores, predicted
        labels, few clusters, a far prevalence, standard error 0, and in most cells a region that
        holds few. One warning of a kind says how many cells it concerns and shows the worst;
        ``.cautions`` has each.
    SamplingRatioWarning
        If the measure depends on the prevalence, and that of the study was chosen.
    ReaderVarianceWarning
        Where the reader part of a variance is so small that it would be as small in one of five
        studies whose readers do not differ at all: the standard error is below that of the same
        readers alone, and both are named. Where the U-statistic's variance is negative, that of the
        same readers alone is taken.

    Notes
    -----
    Formulas stand in `pauci.readers.contrasts` and `pauci.readers.u_statistic`. For a factorial
    study of two modalities the default is the analysis of Obuchowski and Rockette (1995) with the
    degrees of freedom of Hillis (2007). With three or more modalities each difference has the
    variance of its own pair.

    Intervals of averages are t intervals on the scale of the measure, symmetric in the log odds on
    its range (in the logarithm, for ratios), with the degrees of freedom above or, if fewer, those
    of the variance over cases; those of differences are Wald intervals. Where an average has no
    visible error, as that of readers who separate the classes, the interval is the one that as many
    disjoint pairs of cases give (`pauci.intervals.analytic.Limit`): that readers may differ in
    what no case here shows, it does not know.

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
        raise InputTypeError(
            f"study is a {type(study).__name__}; pass a ReaderStudy, such as "
            "pauci.ReaderStudy.from_frame(frame, reader=..., modality=..., case=..., label=..., "
            "score=...).",
            argument="study",
            value=study,
        )
    measures = measures_of(measure)
    if len(measures) > 1:
        raise InputError(
            f"measure holds {len(measures)} measures, and a study takes one at a time.",
            argument="measure",
            value=measure,
        )
    (measure,) = measures
    check_choice("readers", readers, ("random", "fixed"))
    check_choice("cases", cases, ("random", "fixed"))
    source = _source_of(method)
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    check_flag("conservative", conservative)
    check_flag("force", force)
    null = checks.finite("null", null)
    if weights is None:
        weights = "pairs" if source == "u-statistic" else "equal"
    check_choice("weights", weights, ("equal", "pairs"))
    if readers == cases == "fixed":
        raise InputError(
            shown(FIXED_READERS), " and ", shown(FIXED_CASES), " leave nothing random, and so no "
            "standard error; let one of them be random.", argument="readers", value="fixed",
        )  # fmt: skip
    standalone = None if standalone is None else name_of(standalone)
    groups = _groups(study, weights, standalone)
    if cases == "fixed" and all(group.standalone for group in groups):
        raise InputError(
            shown(FIXED_CASES), " leaves nothing random: the only modality is that of a standalone "
            "reader.", argument="cases", value="fixed",
        )  # fmt: skip
    if readers == "random":
        _check_readers(study, groups)
    with each_warning_once():
        if source == "u-statistic":
            _check_u_statistic(measure, readers, cases, standalone)
        cautions = Cautions(study)
        of_cells = "influence" if source == "u-statistic" else source
        found = estimate_cells(study, measure, of_cells, cautions, force=force)
        cautions.say()
        averages = Averages(
            groups, np.array([c.reader for c in study.cells]), found,
            readers == "random", cases == "random",
        )  # fmt: skip
        spreads = _spreads(averages)
        if source == "u-statistic":
            spreads = _u_statistics(study, groups, spreads)
        both_random = readers == cases == "random"
        of_groups = [
            over_cases(study, measure, found, g, random_cases=cases == "random") for g in groups
        ]
        rows = {
            signs: _averaged(
                averages, signs, spread, of_groups, measure, conservative, both=both_random
            )
            for signs, spread in spreads.items()
        }
    cells = tuple(
        CellRow(
            study.readers[c.reader], study.modalities[c.modality], float(v), math.sqrt(s),
            *c.ratings.rows.counts, scale, measure.pairs(*c.ratings.rows.units),
        )
        for c, v, s, scale in zip(
            study.cells, found.values, found.covariance.diagonal(), found.scales, strict=True
        )
    )  # fmt: skip
    group = np.empty(len(study.cells), dtype=np.int64)
    for i, g in enumerate(groups):
        group[g.cells] = i
    many = np.flatnonzero([not groups[i].standalone for i in group])
    return ReaderAnalysis(
        study, measure,
        tuple(a for a in rows.values() if not a.second),
        tuple(a for a in rows.values() if a.second),
        cells, checks.read_only(found.covariance),
        tuple(components_of(found.values[many], found.covariance[np.ix_(many, many)],
                            averages.reader[many], group[many])),
        _global_test(averages, group, weights),
        readers == "random", cases == "random", weights,
        source if isinstance(source, str) else source.key, null, alternative, conservative,
        cautions.all, cautions.cells, source if isinstance(source, Bootstrap) else None,
        standalone,
    )  # fmt: skip


def _source_of(method: Any) -> str | Bootstrap:
    """Return where covariances come from: a word, or a bootstrap that has its seed."""
    if isinstance(method, type) and issubclass(method, (Bootstrap, Jackknife)):
        name = method.__name__
        raise InputTypeError(
            arg("method", Spelled(name, name)), f" is a class; pass pauci.{name}().", value=method
        )
    if isinstance(method, Jackknife):
        return method.key
    if isinstance(method, str) and method == "bootstrap":
        method = Bootstrap()
    if isinstance(method, Bootstrap):
        return with_seed(method)
    check_choice("method", method, METHODS)
    return str(method)


def _groups(study: ReaderStudy, weights: str, standalone: str | None) -> list[Group]:
    """Return the cells of each modality, with their weights."""
    if standalone is not None and standalone not in study.modalities:
        raise InputError(
            arg("standalone", standalone),
            f" is not a modality{nearest(standalone, study.modalities)} The modalities are: "
            f"{', '.join(study.modalities)}.",
        )
    groups = []
    for i, name in enumerate(study.modalities):
        cells = np.flatnonzero([c.modality == i for c in study.cells])
        if name == standalone and cells.size > 1:
            raise InputError(
                arg("standalone", standalone), f" has {cells.size} readers, and must have one.",
            )  # fmt: skip
        pairs = [float(np.prod(study.cells[k].ratings.rows.counts)) for k in cells]
        w = np.array(pairs) if weights == "pairs" else np.ones(cells.size)
        groups.append(Group(name, cells, w / w.sum(), name == standalone))
    return groups


def _check_readers(study: ReaderStudy, groups: list[Group]) -> None:
    """Refuse a modality with one reader, if readers are random."""
    for group in groups:
        if group.cells.size > 1 or group.standalone:
            continue
        reader = study.readers[study.cells[group.cells[0]].reader]
        raise InputError(
            f"modality {group.name!r} has one reader, {reader!r}, who tells nothing of how readers "
            "differ. Take readers as they are with ",
            shown(FIXED_READERS),
            ", or if it is an algorithm, say so with ",
            arg("standalone", group.name),
            ".",
            argument="readers",
            value="random",
        )


def _check_u_statistic(measure: Measure, readers: str, cases: str, standalone: str | None) -> None:
    """Refuse what the U-statistic does not do."""
    way = (" ", arg("method", "influence"), " does all of that.")
    if not isinstance(measure, AUC) or measure != AUC():
        raise InputError(
            arg("method", "u-statistic"), " is for ", shown(AUC()), ", not for ", shown(measure),
            ".", *way,
        )  # fmt: skip
    if readers != "random" or cases != "random" or standalone is not None:
        raise InputError(
            arg("method", "u-statistic"), " takes readers and cases for random, without a "
            "standalone reader.", *way,
        )  # fmt: skip


Signs = tuple[tuple[int, float], ...]


def _spreads(averages: Averages) -> dict[Signs, Spread]:
    """Return how each average and each difference varies."""
    n = len(averages.groups)
    all_signs: list[Signs] = [((i, 1.0),) for i in range(n)]
    all_signs += [((i, 1.0), (j, -1.0)) for i, j in combinations(range(n), 2)]
    return {signs: averages.spread(dict(signs)) for signs in all_signs}


def _u_statistics(
    study: ReaderStudy, groups: list[Group], spreads: dict[Signs, Spread]
) -> dict[Signs, Spread]:
    """Return the same with the variances of the U-statistic."""
    kernels = [kernels_of(study, [study.cells[k] for k in g.cells], g.weights) for g in groups]
    found = {}
    for signs, spread in spreads.items():
        first, last = kernels[signs[0][0]], kernels[signs[-1][0]]
        u = covariance_of(first, first)
        if len(signs) == 2:
            u = difference_of(u, covariance_of(last, last), covariance_of(first, last))
        found[signs] = spread._replace(variance=u.covariance, df=u.degrees_of_freedom())
    return found


def _averaged(
    averages: Averages, signs: Signs, spread: Spread, of_groups: Sequence[OverCases],
    measure: Measure, conservative: bool, *, both: bool,
) -> Averaged:  # fmt: skip
    """Return an average or a difference, with a warning where its variance is too small."""
    names = [averages.groups[i].name for i, _ in signs]
    value = float(sum(sign * averages.means[i] for i, sign in signs))
    variance, df, fixed = spread.variance, spread.df, max(spread.fixed_readers, 0.0)
    # Less than this is rounding, as where readers agree in all.
    below = both and variance < fixed * (1.0 - 1e-9)
    taken = below and (conservative or variance <= 0.0)
    understated = below and (spread.understates or variance <= 0.0)
    if understated:
        of = " - ".join(fmt.named(name, "modality") for name in names)
        se = "negative" if variance < 0.0 else f"standard error {fmt.number(math.sqrt(variance))}"
        advice = (
            ("the latter is taken.",)
            if taken
            else ("the larger of both is taken with ", arg("conservative", True), ".")
        )
        warn(
            ReaderVarianceWarning,
            "the reader component of the variance of ", shown(measure), f" of {of} is negative: "
            f"with random readers ({se}) it is below that with the same readers fixed (standard "
            f"error {fmt.number(math.sqrt(fixed))}); ",
            *advice,
        )  # fmt: skip
    if taken:
        df = df * (fixed / variance) ** 2 if variance > 0.0 else math.inf
        variance = fixed
    parts = [of_groups[i] for i, _ in signs]
    scale = parts[0].scale
    if len(parts) == 2:
        width = max(part.scale.high - part.scale.low for part in parts)
        scale = Bounds(-width, width)
    else:
        df = min(df, parts[0].df)
    return Averaged(
        names[0], names[1] if len(names) == 2 else "", value, math.sqrt(max(variance, 0.0)), df,
        math.sqrt(fixed), scale, min(part.pairs for part in parts), understated and not taken,
    )  # fmt: skip


def _global_test(averages: Averages, group: IntArray, weights: str) -> ReaderTest | None:
    """Return the test that all of three or more modalities are equal, where there is one."""
    n = len(averages.groups)
    if n < 3:
        return None
    if not averages.random_readers:
        contrasts = np.zeros((n - 1, averages.reader.size))
        for row in range(n - 1):
            for i, sign in ((row, 1.0), (n - 1, -1.0)):
                contrasts[row, averages.groups[i].cells] = sign * averages.groups[i].weights
        difference = contrasts @ averages.cells.values
        matrix = contrasts @ averages.cells.covariance @ contrasts.T
        rank = int(np.linalg.matrix_rank(matrix))
        if rank < n - 1:
            return None
        wald = float(difference @ np.linalg.solve(matrix, difference))
        return f_test(wald / rank, rank, math.inf)
    readers = np.unique(averages.reader).size
    complete = all(g.cells.size == readers for g in averages.groups)
    if not complete or weights != "equal" or any(g.standalone for g in averages.groups):
        return None
    found: CellEstimates = averages.cells
    _, _, cov2, cov3, _, ms, *_ = components_of(
        found.values, found.covariance, averages.reader, group
    )
    ms_groups = readers * float(averages.means.var(ddof=1))
    bottom = ms + (readers * max(cov2 - cov3, 0.0) if averages.random_cases else 0.0)
    if bottom <= 0.0 or ms <= 0.0:
        return None
    return f_test(ms_groups / bottom, n - 1, bottom**2 / (ms**2 / ((n - 1) * (readers - 1))))
