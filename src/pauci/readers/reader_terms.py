r"""Estimates of each reader in each modality of a study, and their joint covariance over cases.

The readings of a reader in a modality are a cell. Cells are parts whose units are the cases of the
study, or clusters of cases (`pauci.variance.contributions`), so that any variance method gives the
joint covariance of their estimates, irrespective of which cases each reader read. For the AUC of
readers of the same cases, the covariance from influence values is that of DeLong et al. (1988).
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray, objects_of
from pauci.curve.region import Bounds
from pauci.errors import InputError, PauciError, UndefinedError
from pauci.inference.estimates_on_parts import estimate_of
from pauci.inference.prevalence_warnings import warn_about_design
from pauci.measures.base import Measure
from pauci.readers.cell_warnings import (
    CellWarnings,
    check_estimates,
    check_prevalences,
    check_scores,
)
from pauci.readers.contrasts import ReaderEstimate
from pauci.readers.study import Cell, ReaderStudy
from pauci.sample.rows import InMemoryRows
from pauci.variance.contributions import Contributions
from pauci.variance.delta import DeltaVariance
from pauci.variance.influence_variance import InfluenceVariance
from pauci.variance.jackknife import Jackknife, warn_unless_consistent
from pauci.variance.joint import uncertainty_of_parts
from pauci.variance.leave_one_out import jackknife_contributions
from pauci.variance.method import Uncertainty, VarianceMethod
from pauci.variance.parts import CommonUnits, PartNames, Parts
from pauci.variance.problem import Problem


class CaseRange(NamedTuple):
    """The range of an average over readers, and the number of independent cases in it."""

    scale: Bounds
    pairs: float
    """Disjoint pairs of a positive and a negative case, or cluster; the number of readers if cases
    are fixed."""
    df: float
    """Degrees of freedom of the variance over cases."""


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
    """

    study: ReaderStudy
    measure: Measure
    estimates: Sequence[ReaderEstimate]
    parts: Parts
    uncertainty: Uncertainty

    @property
    def covariance(self) -> FloatArray:
        """Covariance matrix of the estimates over cases, conditional on the readers."""
        return self.uncertainty.matrix

    def case_range(self, cells: IntArray, weights: FloatArray, *, random_cases: bool) -> CaseRange:
        """Return the range of a weighted average of cells, and the number of cases in it."""
        low, high = (
            math.fsum(w * self.estimates[k].scale[end] for w, k in zip(weights, cells, strict=True))
            for end in (0, 1)
        )
        scale = Bounds(low, high)
        if not random_cases:
            return CaseRange(scale, float(cells.size), math.inf)
        study = self.study
        read = np.zeros(study.positive.size, dtype=bool)
        for k in cells:
            read[study.cells[k].cases] = True
        n_pos, n_neg = (self._units(read & c) for c in (study.positive, ~study.positive))
        pairs = self.measure.pairs(n_pos, n_neg)
        support = min(self.parts.support[k] for k in cells)
        if math.isfinite(support):
            pairs = max(min(pairs, support), 1.0)
        cell_weights = np.zeros(len(self.parts))
        cell_weights[cells] = weights
        return CaseRange(scale, pairs, self.uncertainty.df_of(cell_weights))

    def _units(self, cases: AnyArray) -> float:
        """Return the number of independent units among cases: cases, or their clusters."""
        cluster = self.study.cluster
        units = np.flatnonzero(cases) if cluster is None else np.unique(cluster[cases])
        return float(units.size)


def estimate_cells(
    study: ReaderStudy,
    measure: Measure,
    method: VarianceMethod,
    warnings: CellWarnings | None = None,
    *,
    force: bool = False,
) -> CellEstimates:
    """Return the estimates of all cells, with their joint uncertainty over cases."""
    if not measure.has_influence and isinstance(method, (InfluenceVariance, DeltaVariance)):
        raise InputError(
            f"{measure!r} is a plain function and has no influence values.",
            measure=measure,
            argument="method",
            hint="Use method=pauci.Bootstrap() or pauci.Jackknife().",
            shell_hint="Use --method bootstrap or jackknife.",
        )
    warnings = CellWarnings(study) if warnings is None else warnings
    if study.sampling == "case-control":
        warn_about_design(measure, study.n_pos / study.positive.size)
    check_scores(warnings)
    problems = [_problem(study, cell, measure) for cell in study.cells]
    rows = InMemoryRows(
        study.positive, None, None, study.cluster, study.sampling,
        cluster_labels=objects_of(study.case_ids) if study.cluster is None else None,
    )  # fmt: skip
    parts = Parts(
        problems,
        [_name(study, cell) for cell in study.cells],
        CommonUnits(rows, [cell.cases for cell in study.cells]),
        PartNames("reader-modality pairs", "cases", "method"),
    )
    check_prevalences(warnings, measure, force=force)
    uncertainty = uncertainty_of_parts(parts, method)
    check_estimates(warnings, measure, problems, uncertainty.matrix.diagonal())
    # The replicates of a bootstrap are used for the covariance matrix only.
    uncertainty = replace(uncertainty, replicates=None)
    estimates = []
    for k, (cell, problem) in enumerate(zip(study.cells, problems, strict=True)):
        e = estimate_of(problem, 0, method, uncertainty.marginal(k))
        reader, modality = study.readers[cell.reader], study.modalities[cell.modality]
        estimates.append(ReaderEstimate(**vars(e), reader=reader, modality=modality))
    return CellEstimates(study, measure, estimates, parts, uncertainty)


def _name(study: ReaderStudy, cell: Cell) -> str:
    """Return the name of a cell in messages."""
    return f"reader {study.readers[cell.reader]!r} in modality {study.modalities[cell.modality]!r}"


@contextmanager
def _naming(study: ReaderStudy, cell: Cell) -> Iterator[None]:
    """Add the reader and the modality to errors about a cell."""
    where = _name(study, cell)
    try:
        yield
    except UndefinedError as error:
        raise error.replaced(where=where) from None
    except PauciError as error:
        raise UndefinedError(str(error), where=where) from None


def _problem(study: ReaderStudy, cell: Cell, measure: Measure) -> Problem:
    """Return the estimation problem of a cell; raise an error if the value is undefined."""
    with _naming(study, cell):
        problem = Problem((cell.ratings,), (measure,), "method")
        (value,) = problem.values
        if not math.isfinite(value):
            raise UndefinedError(f"{measure!r} is {value}.", measure=measure)
    return problem


class CaseJackknife(Jackknife):
    """The jackknife of Obuchowski and Rockette (1995), which leaves out cases of both classes.

    Deviations are taken from the mean over all cases, not from the mean over those of a class.
    """

    def contributions(self, problem: Problem, units: IntArray | None) -> Contributions:
        """Return the effect of leaving out each case, or each cluster of cases."""
        (ratings,), (measure,) = problem.ratings, problem.measures
        warn_unless_consistent(ratings.table, measure, "method")
        z = jackknife_contributions(ratings, measure)[None]
        n = z.size if units is None else np.unique(units).size
        return Contributions(np.zeros_like(z), math.sqrt((n - 1.0) / n) * z)
