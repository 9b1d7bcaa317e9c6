r"""The cells of a study: estimates of each reader in each modality, and their joint covariance.

Cells are read on different cases, so their covariance comes from what each case, or cluster of
cases, contributes to every cell: z_kc of `pauci.variance.influence`, 0 where cell k did not read
case c,

.. math:: C_{kl} = \sum_c z_{kc} z_{lc} .

For the AUC of readers of the same cases that is the covariance of DeLong et al. (1988).
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.errors import (
    JackknifeWarning,
    PauciError,
    SamplingRatioWarning,
    UndefinedError,
    arg,
    shown,
    warn,
)
from pauci.measures.base import Measure
from pauci.readers.study import Cell, ReaderStudy
from pauci.variance.base import Problem
from pauci.variance.influence import row_contributions
from pauci.variance.leave_one_out import jackknife_contributions


class CellEstimates(NamedTuple):
    """Estimates of all cells of a study."""

    values: FloatArray
    covariance: FloatArray
    """Given the readers: what other cases would have changed."""


def estimate_cells(study: ReaderStudy, measure: Measure, method: str) -> CellEstimates:
    """Return the estimate of every cell, and their covariance over cases."""
    contributions = _METHODS[method]
    _warn_about_sampling(study, measure)
    units = study.positive.size if study.cluster is None else int(study.cluster.max()) + 1
    z = np.zeros((len(study.cells), units))
    values = np.empty(len(study.cells))
    for k, cell in enumerate(study.cells):
        try:
            problem = Problem((cell.ratings,), (measure,))
            values[k] = problem.values[0]
            if not math.isfinite(values[k]):
                raise UndefinedError(shown(measure), f" is {values[k]}.")
            of_rows = contributions(problem)
        except PauciError as error:
            raise UndefinedError(
                f"reader {study.readers[cell.reader]!r} in modality "
                f"{study.modalities[cell.modality]!r}: ",
                *getattr(error, "parts", (str(error),)),
            ) from None
        _add(z[k], study, cell, of_rows)
    return CellEstimates(values, z @ z.T)


def _add(z: FloatArray, study: ReaderStudy, cell: Cell, of_rows: FloatArray) -> None:
    """Enter what the rows of a cell contribute, by case or cluster of the study."""
    if study.cluster is None:
        z[cell.cases] = of_rows
    else:
        np.add.at(z, study.cluster[cell.cases], of_rows)


def _by_influence(problem: Problem) -> FloatArray:
    (contributions,) = row_contributions(problem.rows, problem.all_terms)
    return np.asarray(contributions)


def _by_jackknife(problem: Problem) -> FloatArray:
    (ratings,), (measure,) = problem.ratings, problem.measures
    if measure.smoothness != "smooth":
        warn(
            JackknifeWarning,
            "the jackknife is right for smooth functions of the data, and ",
            shown(measure),
            " is none: its standard errors can be far off. Use ",
            arg("method", "influence"),
            ".",
        )
    return jackknife_contributions(ratings, measure)


_METHODS: dict[str, Callable[[Problem], FloatArray]] = {
    "influence": _by_influence,
    "jackknife": _by_jackknife,
}
"""What the rows of a cell contribute to its estimate, by how that is found."""


def _warn_about_sampling(study: ReaderStudy, measure: Measure) -> None:
    """Warn of measures at a prevalence that was chosen."""
    if study.sampling == "case-control" and measure.uses_sample_prevalence:
        warn(
            SamplingRatioWarning,
            shown(measure),
            " depends on the prevalence, and that of a case-control sample was chosen. Name the "
            "prevalence that is meant with ",
            arg("prevalence"),
            ".",
        )
