r"""Estimates of each reader in each modality of a study, and their joint covariance over cases.

The readings of a reader in a modality are a cell. The estimates of the cells are terms whose units
are the cases of the study, or clusters of cases (`pauci.variance.terms`), so that any variance
method gives their joint covariance, irrespective of which cases each reader read. For the AUC of
readers of the same cases, the covariance from influence values is that of DeLong et al. (1988).
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.region import Bounds
from pauci.errors import InputError, PauciError, UndefinedError
from pauci.inference.prevalence_warnings import warn_about_design
from pauci.inference.solve import check_uncertainty, estimate_of
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
from pauci.variance.delta import DeltaVariance
from pauci.variance.influence_covariance import InfluenceVariance
from pauci.variance.jackknife import Jackknife, warn_unless_consistent
from pauci.variance.leave_one_out import jackknife_contributions
from pauci.variance.method import JointUncertainty, Problem, VarianceMethod
from pauci.variance.terms import Terms


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
    terms : Terms
        The estimates as terms, whose units are the cases or clusters of cases.
    joint : JointUncertainty
        Uncertainty of the estimates over cases, conditional on the readers.
    """

    study: ReaderStudy
    measure: Measure
    estimates: Sequence[ReaderEstimate]
    terms: Terms
    joint: JointUncertainty

    @property
    def covariance(self) -> FloatArray:
        """Covariance matrix of the estimates over cases, conditional on the readers."""
        return self.joint.uncertainty.matrix

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
        support = min(self.terms.support[k] for k in cells)
        if math.isfinite(support):
            pairs = max(min(pairs, support), 1.0)
        df = self._df(cells, weights)
        if study.cluster is not None and df is not None:
            df = min(df, n_pos - 1.0, n_neg - 1.0)
        return CaseRange(scale, pairs, math.inf if df is None else df)

    def _df(self, cells: IntArray, weights: FloatArray) -> float | None:
        """Return the degrees of freedom of the variance of an average; None if unknown."""
        cell_weights = np.zeros(len(self.terms))
        cell_weights[cells] = weights
        if self.joint.by_unit is not None:
            return self.terms.df_of_sum(self.joint.by_unit, cell_weights)
        df = self.joint.uncertainty.df_of(cell_weights)
        return df if math.isfinite(df) or self.measure.has_influence else None

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
    terms = Terms(
        InMemoryRows(study.positive, None, None, study.cluster, study.sampling),
        [_problem(study, cell, measure) for cell in study.cells],
        [cell.cases for cell in study.cells],
        [_name(study, cell) for cell in study.cells],
        noun="cells (reader and modality)",
        unit_noun="cases",
        argument="method",
    )
    check_prevalences(warnings, measure, force=force)
    joint = method.joint(terms)
    check_uncertainty(joint.uncertainty, method, terms)
    problems = terms.problems
    check_estimates(warnings, measure, problems, joint.uncertainty.matrix.diagonal())
    # The replicates of a bootstrap are used for the covariance matrix only.
    uncertainty = replace(joint.uncertainty, replicates=None)
    estimates = []
    for k, (cell, problem) in enumerate(zip(study.cells, problems, strict=True)):
        bounds = measure.bounds(cell.ratings.curve)
        e = estimate_of(problem, 0, method, uncertainty.marginal(k), bounds)
        reader, modality = study.readers[cell.reader], study.modalities[cell.modality]
        estimates.append(ReaderEstimate(**vars(e), reader=reader, modality=modality))
    return CellEstimates(study, measure, estimates, terms, joint)


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
        problem = Problem((cell.ratings,), (measure,))
        (value,) = problem.values
        if not math.isfinite(value):
            raise UndefinedError(f"{measure!r} is {value}.", measure=measure)
    return problem


class CaseJackknife(Jackknife):
    """The jackknife of Obuchowski and Rockette (1995), which leaves out cases of both classes.

    Deviations are taken from the mean over all cases, not from the mean over those of a class.
    """

    def contributions(self, problem: Problem, units: IntArray) -> FloatArray:  # noqa: ARG002
        """Return the effect of leaving out each case, or each cluster of cases."""
        (ratings,), (measure,) = problem.ratings, problem.measures
        warn_unless_consistent(ratings.table, measure, "method")
        return jackknife_contributions(ratings, measure)[None]

    def joint(self, terms: Terms, weights: FloatArray | None = None) -> JointUncertainty:
        """Return the covariance from the effects of leaving out cases."""
        return VarianceMethod.joint(self, terms, weights)
