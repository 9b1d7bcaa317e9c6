r"""Estimates of each reader in each modality of a study, and their joint covariance over cases.

The readings of a reader in a modality are a cell. Cells are parts whose units are the cases of the
study, or clusters of cases (`pauci.variance.contributions`), so that any variance method gives the
joint covariance of their estimates, irrespective of which cases each reader read. For the AUC of
readers of the same cases, the covariance from influence values is that of DeLong et al. (1988).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from pauci.cautions.about_data import warn_about_scale_of_reader, warn_about_scores
from pauci.cautions.about_estimates import warn_about_cutoffs, warn_about_design
from pauci.cautions.accuracy import warn_about_regions, warn_about_rows, warn_without_interval
from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.errors import (
    DegenerateWarning,
    FewClustersWarning,
    InputError,
    InputTypeError,
    MissingCodeWarning,
    PauciWarning,
    SmallRegionWarning,
    UndefinedError,
    held_warnings,
    warn,
)
from pauci.inference.estimates_on_parts import (
    DataPart,
    check_denominators,
    estimate_of,
    estimates_on,
    without_rounding_errors,
)
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import Combination, Measure
from pauci.measures.classes import ClassMeasure, VersusRest
from pauci.readers.contrasts import ReaderEstimate
from pauci.readers.study import Cell, ReaderStudy
from pauci.results.quantity import fields_of, rounding_error
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.variance.joint import uncertainty_of_parts
from pauci.variance.method import DeltaVariance, InfluenceVariance, Uncertainty, VarianceMethod
from pauci.variance.units import CommonUnits, PartNames, Parts, Problem

_IF_MOST_CELLS = (SmallRegionWarning,)
"""Warnings that are issued only if they concern most cells."""

_ABOUT_CASES = (DegenerateWarning, SmallRegionWarning, FewClustersWarning)
"""Warnings about variances over cases."""

_HINT_ABOUT_CODES = (
    "If these are codes of missing values, leave such rows out of the frame; not every reader has "
    "to read every case."
)


@dataclass(frozen=True, eq=False)
class CellEstimates:
    """Estimates of all cells of a study, with their joint uncertainty over cases.

    Parameters
    ----------
    study : ReaderStudy
        The study.
    measure : Measure
        The measure of all cells.
    estimates : sequence of ReaderEstimate
        The estimate of each cell, with its intervals.
    parts : Parts
        The cells as parts, whose units are the cases or clusters of cases.
    uncertainty : Uncertainty
        Uncertainty of the estimates over cases, conditional on the readers.
    weights : ndarray, optional
        The weights of the estimates of `parts` in those of the cells; None if they are the same.
    """

    study: ReaderStudy
    measure: Measure
    estimates: Sequence[ReaderEstimate]
    parts: Parts
    uncertainty: Uncertainty
    weights: FloatArray | None = None

    @property
    def covariance(self) -> FloatArray:
        """Covariance matrix of the estimates over cases, conditional on the readers."""
        return self.uncertainty.matrix

    def pairs_and_df(
        self, cells: IntArray, weights: FloatArray, *, random_cases: bool
    ) -> tuple[float, float]:
        """Return the number of independent cases in a weighted average of cells, and its df.

        The first number is that of disjoint pairs of a positive and a negative case, or cluster; if
        cases are fixed, it is the number of readers, which is infinite for a standalone reader. The
        degrees of freedom are those of the variance over cases.
        """
        if not random_cases:
            # A single reader is standalone, and has no error for fixed cases.
            return float(cells.size) if cells.size > 1 else math.inf, math.inf
        study = self.study
        read = np.zeros(study.positive.size, dtype=bool)
        for k in cells:
            read[study.cells[k].cases] = True
        classes: Sequence[AnyArray] = (study.positive, ~study.positive)
        if study.rows is not None:
            classes = study.rows.class_masks
            if isinstance(self.measure, VersusRest):
                of_class = classes[study.rows.number_of(self.measure.positive)]
                classes = (of_class, ~of_class)
        n_pos, n_neg = sorted(self._units(read & c) for c in classes)[:2]
        pairs = self.measure.pairs(n_pos, n_neg)
        support = min(self.estimates[k].support for k in cells)
        if math.isfinite(support):
            pairs = max(min(pairs, support), 1.0)
        cell_weights = np.zeros(len(self.estimates))
        cell_weights[cells] = weights
        variance = float(cell_weights @ self.covariance @ cell_weights)
        df = self.uncertainty.df_of(cell_weights) if variance > 0.0 else math.inf
        return pairs, df

    def _units(self, cases: AnyArray) -> float:
        """Return the number of independent units among cases: cases, or their clusters."""
        cluster = self.study.cluster
        units = np.flatnonzero(cases) if cluster is None else np.unique(cluster[cases])
        return float(units.size)


class CellWarnings:
    """The warnings about the cells of a study, one of each kind for all cells together.

    Each cell is checked as `pauci.estimate` checks a sample. For each kind of warning, a single
    warning reports the number of affected cells and the most severe case; the ``cautions`` of the
    result contain the warnings about all cells.

    Few observations in a region affect the standard errors of single cells; those of averages were
    correct in simulations even if nearly all cells were affected (20 readers in 4 blocks of 14 and
    40 cases, FPR 0 to 0.1). Therefore a warning is issued only if most cells are affected. An AUC
    below 0.5 in a few of many cells can be due to chance; a warning is issued if most cells have an
    AUC below 0.5, or if the AUC of one cell is significantly below 0.5.

    Parameters
    ----------
    study : ReaderStudy
        The study.
    """

    def __init__(self, study: ReaderStudy) -> None:
        self.study = study
        self._by_kind: dict[type[PauciWarning], list[tuple[float, Cell, PauciWarning]]] = {}

    @contextmanager
    def collected(self, cell: Cell, *, severity: float = 0.0) -> Iterator[None]:
        """Collect the warnings about a cell; `severity` orders warnings without a value."""
        with held_warnings() as held:
            yield
        for warning in held:
            number = severity
            if isinstance(warning, SmallRegionWarning) and warning.value is not None:
                number = -float(warning.value)
            self._by_kind.setdefault(type(warning), []).append((number, cell, warning))

    @property
    def all(self) -> tuple[PauciWarning, ...]:
        """The warnings about all cells."""
        return tuple(w for entries in self._by_kind.values() for _, _, w in entries)

    @property
    def cell_count(self) -> int:
        """The number of cells with warnings."""
        kinds = self._by_kind.values()
        return len({id(cell.ratings) for entries in kinds for _, cell, _ in entries})

    def replace_all(
        self, kind: type[PauciWarning], change: Callable[[PauciWarning, Cell], PauciWarning]
    ) -> None:
        """Replace the warnings of a kind, for example to change their advice."""
        entries = self._by_kind.get(kind, [])
        entries[:] = [(number, cell, change(w, cell)) for number, cell, w in entries]

    def issue(self, *, random_cases: bool = True) -> None:
        """Issue one warning of each kind, with the number of cells and the most severe case.

        If cases are fixed, those about the variance over cases are not issued.
        """
        for kind, entries in self._by_kind.items():
            if kind in _ABOUT_CASES and not random_cases:
                continue
            *_, worst = max(entries, key=itemgetter(0))
            cells = list({id(cell.ratings): cell for _, cell, _ in entries}.values())
            few = 2 * len(cells) <= len(self.study.cells)
            # The variance of an average at a threshold is not too small because of a few of them.
            at_cutoff = kind is DegenerateWarning and isinstance(worst.measure, AtCutoff)
            if few and (kind in _IF_MOST_CELLS or at_cutoff):
                continue
            warn(worst.replaced(where=self.where(cells)))

    def where(self, cells: Sequence[Cell]) -> str:
        """Return the numbers of cells and readers to which a message applies."""
        study, n = self.study, len(cells)
        pairs = fmt.count(len(study.cells), "reader-modality pair")
        if n == 1:
            return f"1 of {pairs}"
        if n == len(study.cells):
            return f"All {pairs}; most severe"
        readers = len({cell.reader for cell in cells})
        return f"{n} of {pairs}, of {fmt.count(readers, 'reader')}; most severe"


def estimate_cells(
    study: ReaderStudy,
    measure: Measure,
    method: VarianceMethod,
    warnings: CellWarnings | None = None,
) -> CellEstimates:
    """Return the estimates of all cells, with their joint uncertainty over cases."""
    if not measure.has_influence and isinstance(method, (InfluenceVariance, DeltaVariance)):
        raise InputError(
            (measure, " is a plain function and has no influence values."),
            argument="method",
            hint="Use method=pauci.Bootstrap() or pauci.Jackknife().",
        )
    if study.classes and not isinstance(measure, ClassMeasure):
        raise InputError(
            (measure, " is a measure of two classes, but the study has several."),
            argument="measure",
            hint="Use VUS, CIndex or HandTill, or with scores for each class Macro or PDI.",
        )
    warnings = CellWarnings(study) if warnings is None else warnings
    if study.sampling == "case-control":
        warn_about_design(measure, study.n_pos / study.positive.size)
    words = PartNames("reader-modality pairs", "cases", "method")
    if study.rows is not None:
        return _of_classes(study, measure, method, warnings, words)
    _check_scores(warnings, measure)
    problems = [
        _problem(study, cell, measure.for_classifier(study.modalities[cell.modality]))
        for cell in study.cells
    ]
    rows = Rows(
        study.positive,
        study.frequency,
        study.weight,
        study.cluster,
        study.sampling,
        cluster_labels=study.unit_labels,
    )
    parts = Parts(
        problems,
        [_name(study, cell) for cell in study.cells],
        CommonUnits(rows, [cell.cases for cell in study.cells]),
        words,
    )
    uncertainty = without_rounding_errors(uncertainty_of_parts(parts, method), parts)
    _check_estimates(warnings, problems, uncertainty.matrix.diagonal())
    # The replicates of a bootstrap are used for the covariance matrix only.
    uncertainty = replace(uncertainty, replicates=None)
    estimates = []
    for k, (cell, problem) in enumerate(zip(study.cells, problems, strict=True)):
        e = estimate_of(problem, 0, method, uncertainty.marginal(k))
        reader, modality = study.readers[cell.reader], study.modalities[cell.modality]
        estimates.append(ReaderEstimate(**fields_of(e), reader=reader, modality=modality))
    return CellEstimates(study, measure, estimates, parts, uncertainty)


def _of_classes(
    study: ReaderStudy,
    measure: Measure,
    method: VarianceMethod,
    warnings: CellWarnings,
    words: PartNames,
) -> CellEstimates:
    """Return the estimates of all cells of a study of several classes."""
    assert study.rows is not None
    parts, index = [], [cell.cases for cell in study.cells]
    for cell in study.cells:
        ratings = cell.ratings
        sample = Sample._of(ratings.rows, {ratings.name: ratings})
        modality = study.modalities[cell.modality]
        of_cell = [(ratings.name, measure.for_classifier(modality))]
        parts.append(DataPart(sample, of_cell, _name(study, cell), warnings=[]))
    rows = replace(study.rows, frequency=study.frequency, weight=study.weight)
    found = estimates_on(parts, method, CommonUnits(rows, index), words)
    for cell, part in zip(study.cells, parts, strict=True):
        with warnings.collected(cell, severity=-min(cell.ratings.rows.units)):
            for warning in part.warnings or ():
                warn(warning)
    cells = zip(study.cells, found.estimates, strict=True)
    estimates = [
        ReaderEstimate(
            **fields_of(e),
            reader=study.readers[cell.reader],
            modality=study.modalities[cell.modality],
        )
        for cell, e in cells
    ]
    # The replicates of a bootstrap are used for the covariance matrix only.
    uncertainty = replace(found.uncertainty, replicates=None)
    return CellEstimates(study, measure, estimates, found.parts, uncertainty, found.weights)


def _name(study: ReaderStudy, cell: Cell) -> str:
    """Return the name of a cell in messages."""
    return f"reader {study.readers[cell.reader]!r} in modality {study.modalities[cell.modality]!r}"


@contextmanager
def _naming(study: ReaderStudy, cell: Cell) -> Iterator[None]:
    """Add the reader and the modality to errors about a cell."""
    where = _name(study, cell)
    try:
        yield
    except (InputError, InputTypeError, UndefinedError) as error:
        raise error.replaced(where=where) from None


def _problem(study: ReaderStudy, cell: Cell, measure: Measure) -> Problem:
    """Return the estimation problem of a cell; raise an error if the value is undefined."""
    with _naming(study, cell):
        problem = Problem((cell.ratings,), (measure,), "method")
        (value,) = problem.values
        if not math.isfinite(value):
            raise UndefinedError((measure, f" is {value}."))
        if isinstance(measure, Combination):
            check_denominators(measure, cell.ratings)
    return problem


def _check_scores(warnings: CellWarnings, measure: Measure) -> None:
    """Warn about scores on another scale, reversed or predicted labels, and few clusters."""
    study = warnings.study
    measures = [measure.for_classifier(study.modalities[c.modality]) for c in study.cells]
    for cell, of_cell in zip(study.cells, measures, strict=True):
        ratings = cell.ratings
        with warnings.collected(cell):
            alike: dict[int, list[Ratings]] = {}
            for other, of_other in zip(study.cells, measures, strict=True):
                if of_other == of_cell:
                    alike.setdefault(other.reader, []).append(other.ratings)
            warn_about_scale_of_reader(of_cell, ratings, [*alike.values()])
        with warnings.collected(cell, severity=-ratings.curve.auc):
            warn_about_scores(ratings, same_direction=True, measures=[measure])
        with warnings.collected(cell, severity=-min(ratings.rows.units)):
            warn_about_rows(ratings.rows, resampled=False)
    warnings.replace_all(MissingCodeWarning, lambda w, _: w.replaced(hint=_HINT_ABOUT_CODES))


def _check_estimates(
    warnings: CellWarnings, problems: Sequence[Problem], variances: FloatArray
) -> None:
    """Warn about cells with standard error 0, about regions, and about thresholds."""
    for cell, problem, variance in zip(warnings.study.cells, problems, variances, strict=True):
        (ratings, measure, piece), value = problem.evaluated[0], problem.values[0]
        low, high = bounds = measure.bounds(ratings.curve)
        edge = rounding_error(bounds)
        with warnings.collected(cell):
            warn_about_cutoffs(measure, ratings)
            constant = variance <= edge**2
            if not measure.has_interval:
                warn_without_interval(measure, ratings.name)
            elif constant or not low + edge < value < high - edge:
                reason = "has standard error 0" if constant else "is at an end of its range"
                warn(
                    DegenerateWarning(
                        f"the estimate, {fmt.number(value)}, {reason}, so that its variance over "
                        "cases is underestimated. Standard errors that include such cells are too "
                        "small.",
                        measure=measure,
                        classifier=ratings.name,
                    )
                )
            else:
                warn_about_regions(measure, ratings, piece)
