"""Warnings about the cells of a study, one of each kind for all cells together.

Each cell (the readings of a reader in a modality) is checked as `pauci.estimate` checks a sample.
For each kind of warning, a single warning reports the number of affected cells and the most severe
case; the ``cautions`` of the result contain the warnings about all cells.

Few observations in a region affect the standard errors of single cells; those of averages were
correct in simulations even if nearly all cells were affected (20 readers in 4 blocks of 14 and 40
cases, FPR 0 to 0.1). Therefore a warning is issued only if most cells are affected. An AUC below
0.5 in a few of many cells can be due to chance; a warning is issued if most cells have an AUC below
0.5, or if the AUC of one cell is significantly below 0.5.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter

from pauci.checks import FloatArray
from pauci.errors import (
    DegenerateWarning,
    MissingCodeWarning,
    PauciWarning,
    SmallRegionWarning,
    UndefinedError,
    held_warnings,
    warn,
)
from pauci.inference.prevalence_warnings import check_prevalence
from pauci.inference.region_warnings import warn_about_regions
from pauci.inference.sample_warnings import warn_about_rows
from pauci.inference.score_warnings import warn_about_scores
from pauci.measures.base import Measure
from pauci.readers.study import Cell, ReaderStudy
from pauci.results.quantity import rounding_error
from pauci.tables import number_format as fmt
from pauci.variance.problem import Problem

_IF_MOST_CELLS = (SmallRegionWarning,)
"""Warnings that are issued only if they concern most cells."""

_CODES = "If these are codes of missing values, leave such rows out of the"
_INCOMPLETE = "not every reader has to read every case."
_MISSING_CODE_HINTS = {
    "hint": f"{_CODES} frame; {_INCOMPLETE}",
    "shell_hint": f"{_CODES} file; {_INCOMPLETE}",
}


class CellWarnings:
    """The warnings about the cells of a study.

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

    def issue(self) -> None:
        """Issue one warning of each kind, with the number of cells and the most severe case."""
        for kind, entries in self._by_kind.items():
            *_, worst = max(entries, key=itemgetter(0))
            cells = [cell for _, cell, _ in entries]
            few = 2 * len(cells) <= len(self.study.cells)
            if kind in _IF_MOST_CELLS and few:
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


def check_scores(warnings: CellWarnings) -> None:
    """Warn about scores that are reversed or predicted labels, and about few clusters."""
    for cell in warnings.study.cells:
        ratings = cell.ratings
        with warnings.collected(cell, severity=-ratings.curve.auc):
            warn_about_scores(ratings, same_direction=True)
        with warnings.collected(cell, severity=-min(ratings.rows.units)):
            warn_about_rows(ratings.rows, resampled=False)
    warnings.replace_all(MissingCodeWarning, lambda w, _: w.replaced(**_MISSING_CODE_HINTS))


def check_prevalences(warnings: CellWarnings, measure: Measure, *, force: bool) -> None:
    """Warn about small effective sizes at a prevalence; raise an error unless `force` is set."""
    errors: list[tuple[float, Cell, UndefinedError]] = []
    for cell in warnings.study.cells:
        n_pos, n_neg = cell.ratings.rows.counts
        size = measure.effective_size(*cell.ratings.rows.effective_units, n_pos / (n_pos + n_neg))
        if size is None:
            continue
        with warnings.collected(cell, severity=-size.size):
            try:
                check_prevalence(measure, cell.ratings, size, force=force)
            except UndefinedError as error:
                errors.append((-size.size, cell, error))
    if errors:
        *_, worst = max(errors, key=itemgetter(0))
        where = warnings.where([cell for _, cell, _ in errors])
        raise worst.replaced(where=where) from None


def check_estimates(
    warnings: CellWarnings, measure: Measure, problems: Sequence[Problem], variances: FloatArray
) -> None:
    """Warn about cells with standard error 0, and about regions with few observations."""
    for cell, problem, variance in zip(warnings.study.cells, problems, variances, strict=True):
        (ratings, _, piece), value = problem.evaluated[0], problem.values[0]
        low, high = bounds = measure.bounds(ratings.curve)
        edge = rounding_error(bounds)
        with warnings.collected(cell):
            constant = variance <= edge**2
            if constant or not low + edge < value < high - edge:
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
