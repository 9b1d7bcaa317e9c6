r"""The cells of a study: estimates of each reader in each modality, and their joint covariance.

Cells are read on different cases, so their covariance comes from what each case, or cluster of
cases, contributes to every cell: z_kc of `pauci.variance.influence`, 0 where cell k did not read
case c,

.. math:: C_{kl} = \sum_c z_{kc} z_{lc} .

For the AUC of readers of the same cases that is the covariance of DeLong et al. (1988). Variances
from influence values allow for what was not seen, as those of `compare` do
(`pauci.variance.unseen`).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.errors import (
    Argument,
    JackknifeWarning,
    Part,
    PauciError,
    UndefinedError,
    arg,
    shown,
    warn,
)
from pauci.inference.prevalence_cautions import warn_about_design
from pauci.measures.base import Measure
from pauci.readers.cautions import (
    Cautions,
    look_at_estimates,
    look_at_prevalence,
    look_at_scores,
)
from pauci.readers.resampled import covariance_by_resampling
from pauci.readers.study import Cell, ReaderStudy
from pauci.resampling.bootstrap import Bootstrap, refuse_single
from pauci.results.estimate import scale_of
from pauci.variance.base import Problem
from pauci.variance.influence import row_contributions
from pauci.variance.leave_one_out import jackknife_contributions
from pauci.variance.unseen import factor_of_few, unseen_of


class CellEstimates(NamedTuple):
    """Estimates of all cells of a study."""

    values: FloatArray
    covariance: FloatArray
    """Given the readers: what other cases would have changed."""
    scales: Sequence[Bounds] = ()
    """What intervals of each cell stay inside."""
    support: Sequence[float] = ()
    """Observations of the smaller class inside the region, for measures that rest on them alone."""
    contributions: FloatArray | None = None
    """What each case, or cluster, contributes to each cell; None if the measure has no influence
    values."""


def estimate_cells(
    study: ReaderStudy, measure: Measure, method: str | Bootstrap, cautions: Cautions | None = None,
    *, force: bool = False,
) -> CellEstimates:  # fmt: skip
    """Return the estimate of every cell, and their covariance over cases."""
    cautions = Cautions(study) if cautions is None else cautions
    if study.sampling == "case-control":
        warn_about_design(measure, study.n_pos / study.positive.size)
    look_at_scores(cautions)
    problems = [_problem(study, cell, measure) for cell in study.cells]
    look_at_prevalence(cautions, measure, force=force)
    z = None
    if not isinstance(method, Bootstrap):
        z = _contributions(study, problems, _METHODS[method])
        covariance = np.asarray(z @ z.T)
        if method == "influence":
            covariance = _adjusted(covariance, problems)
    else:
        covariance = _by_bootstrap(study, measure, method)
        if measure.has_influence:
            z = _contributions(study, problems, _by_influence)
    look_at_estimates(cautions, measure, problems, covariance.diagonal())
    return CellEstimates(
        np.array([p.values[0] for p in problems]), covariance,
        [scale_of(measure, measure.bounds(c.ratings.curve), study.sampling) for c in study.cells],
        [p.support[0] for p in problems], z,
    )  # fmt: skip


@contextmanager
def _naming(study: ReaderStudy, cell: Cell) -> Iterator[None]:
    """Name reader and modality in what is wrong with a cell."""
    try:
        yield
    except PauciError as error:
        raise UndefinedError(
            f"reader {study.readers[cell.reader]!r} in modality "
            f"{study.modalities[cell.modality]!r}: ",
            *_of_mrmc(getattr(error, "parts", (str(error),))),
            argument=getattr(error, "argument", None),
            value=getattr(error, "value", None),
        ) from None


def _problem(study: ReaderStudy, cell: Cell, measure: Measure) -> Problem:
    """Return the problem of one cell, which has a value."""
    with _naming(study, cell):
        problem = Problem((cell.ratings,), (measure,))
        (value,) = problem.values
        if not math.isfinite(value):
            raise UndefinedError(shown(measure), f" is {value}.")
    return problem


def _contributions(
    study: ReaderStudy, problems: Sequence[Problem], contributions: Callable[[Problem], FloatArray]
) -> FloatArray:
    """Return what each case, or cluster of cases, contributes to each cell."""
    units = study.positive.size if study.cluster is None else int(study.cluster.max()) + 1
    z = np.zeros((len(study.cells), units))
    for k, (cell, problem) in enumerate(zip(study.cells, problems, strict=True)):
        with _naming(study, cell):
            of_rows = contributions(problem)
        _add(z[k], study, cell, of_rows)
    return z


def _adjusted(covariance: FloatArray, problems: Sequence[Problem]) -> FloatArray:
    """Return the covariance with what was not seen, and for few observations inside a region.

    Cells are classifiers, and two of them have nothing in common in what was not seen.
    """
    added = unseen_of([p.all_terms[0] for p in problems])
    factor = factor_of_few([p.support[0] for p in problems])
    return np.asarray((covariance + np.diag(added)) * np.outer(factor, factor))


def _by_bootstrap(study: ReaderStudy, measure: Measure, options: Bootstrap) -> FloatArray:
    """Return the covariance over replicates of the cases."""
    for cell in study.cells:
        with _naming(study, cell):
            refuse_single(cell.ratings)
    try:
        return covariance_by_resampling(study, measure, options)
    except UndefinedError as error:
        raise UndefinedError(
            *_of_mrmc(error.parts), argument=error.argument, value=error.value
        ) from None


def _of_mrmc(parts: Sequence[Part]) -> list[Part]:
    """Return a message in words of `mrmc`, as other verbs call the source of errors otherwise."""
    return [
        arg("method", part.value)
        if isinstance(part, Argument) and part.name == "variance"
        else part
        for part in parts
    ]


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
