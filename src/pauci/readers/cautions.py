"""What gives cause for caution in the cells of a study, said once and not for each of them.

Every cell is looked at as `pauci.estimate` looks at a sample. One warning of a kind tells how many
cells it concerns and shows the worst; all of them are the ``cautions`` of the result.

That a region holds few observations in some cells is a matter of their own standard errors: those
of averages stay right in simulations even where it is so in nearly all (20 readers in 4 blocks of
14 and 40 cases, FPR 0 to 0.1). It is warned of where it is so in most cells. An AUC
below 0.5 in a few of many cells can be chance: it is warned of in one cell where it is not.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pauci.checks import FloatArray
from pauci.errors import (
    Argument,
    DegenerateWarning,
    MissingCodeWarning,
    Part,
    PauciWarning,
    ReversedScoresWarning,
    SmallRegionWarning,
    Spelled,
    UndefinedError,
    held_warnings,
    shown,
    warn,
)
from pauci.inference.cautions import warn_about_regions, warn_about_rows, warn_about_scores
from pauci.inference.prevalence_cautions import check_prevalence
from pauci.measures.base import Measure
from pauci.readers.study import Cell, ReaderStudy
from pauci.results import format as fmt
from pauci.results.estimate import ROUNDING
from pauci.variance.base import Problem

_OF_FEW_NO_NEWS = (ReversedScoresWarning, SmallRegionWarning)

_CLEAR = 1.645
"""Standard deviations of the AUC of scores that tell nothing: so far below 0.5 is not chance."""

_FLIPPED = Spelled("lower_is_positive=True", "--lower-is-positive")
_LEFT_OUT = Spelled(
    *(f" of the {data}; not every reader has to read every case." for data in ("frame", "file"))
)


class Cautions:
    """What was said of single cells.

    Parameters
    ----------
    study : ReaderStudy
        Whose cells they are.
    """

    def __init__(self, study: ReaderStudy) -> None:
        self.study = study
        self.said: dict[type[PauciWarning], list[tuple[float, Cell, PauciWarning]]] = {}

    @contextmanager
    def of(self, cell: Cell, *, badness: float = 0.0) -> Iterator[None]:
        """Keep what is warned of a cell; `badness` orders warnings that do not tell a number."""
        with held_warnings() as held:
            yield
        for warning in held:
            number = badness
            if isinstance(warning, SmallRegionWarning) and warning.value is not None:
                number = -float(warning.value)
            self.said.setdefault(type(warning), []).append((number, cell, warning))

    @property
    def all(self) -> tuple[PauciWarning, ...]:
        """What was said of each cell."""
        return tuple(warning for each in self.said.values() for *_, warning in each)

    @property
    def cells(self) -> int:
        """The number of cells of which anything was said."""
        return len({id(cell.ratings) for each in self.said.values() for _, cell, _ in each})

    def say(self) -> None:
        """Warn once of each kind: of how many cells, and of the worst."""
        for kind, each in self.said.items():
            badness, _, worst = max(each, key=lambda one: one[0])
            cells = [cell for _, cell, _ in each]
            if (
                kind in _OF_FEW_NO_NEWS
                and badness < _CLEAR
                and 2 * len(cells) <= len(self.study.cells)
            ):
                continue
            warn(kind, *self.where(cells), *worst.parts, argument=worst.argument)

    def where(self, cells: Sequence[Cell]) -> list[Part]:
        """Return how many cells and readers are concerned."""
        study, n = self.study, len(cells)
        if n == 1:
            return [f"in one of {fmt.count(len(study.cells), 'cell')} (reader and modality): "]
        readers = len({cell.reader for cell in cells})
        return [
            f"in {n} of {fmt.count(len(study.cells), 'cell')} (reader and modality), those of "
            f"{readers} of {fmt.count(len(study.readers), 'reader')}; the worst: "
        ]


def look_at_scores(cautions: Cautions) -> None:
    """Look for scores that are reversed or predicted labels, and for few clusters."""
    for cell in cautions.study.cells:
        ratings = cell.ratings
        n_pos, n_neg = ratings.rows.units
        spread = math.sqrt((n_pos + n_neg + 1.0) / (12.0 * n_pos * n_neg))  # Mann and Whitney's
        with cautions.of(cell, badness=(0.5 - ratings.curve.auc) / spread):
            warn_about_scores(ratings)
        with cautions.of(cell, badness=-min(ratings.rows.units)):
            warn_about_rows(ratings.rows, resampled=False)
    _say_of_study(cautions, ReversedScoresWarning, _turned_together)
    _say_of_study(cautions, MissingCodeWarning, lambda parts: [parts[0], shown(_LEFT_OUT)])


def _say_of_study(
    cautions: Cautions, kind: type[PauciWarning], advised: Callable[[Sequence[Part]], list[Part]]
) -> None:
    """Let warnings of a kind advise what a study takes, and not what a sample takes."""
    said = cautions.said.get(kind, [])
    said[:] = [(number, cell, kind(*advised(warning.parts))) for number, cell, warning in said]


def _turned_together(parts: Sequence[Part]) -> list[Part]:
    """Return the advice to turn the scores of a study all together: no classifier is named."""
    return [
        shown(_FLIPPED) if isinstance(p, Argument) and p.name == "lower_is_positive" else p
        for p in parts
    ]


def look_at_prevalence(cautions: Cautions, measure: Measure, *, force: bool) -> None:
    """Look for a prevalence of which cells hardly tell; refuse it unless `force` is given."""
    refused: list[tuple[float, Cell, UndefinedError]] = []
    for cell in cautions.study.cells:
        n_pos, n_neg = cell.ratings.rows.counts
        size = measure.effective_size(*cell.ratings.rows.effective, n_pos / (n_pos + n_neg))
        if size is None:
            continue
        with cautions.of(cell, badness=-size.size):
            try:
                check_prevalence(measure, cell.ratings, size, force=force)
            except UndefinedError as error:
                refused.append((-size.size, cell, error))
    if refused:
        *_, worst = max(refused, key=lambda one: one[0])
        where = cautions.where([cell for _, cell, _ in refused])
        raise UndefinedError(
            *where, *worst.parts, argument=worst.argument, value=worst.value
        ) from None


def look_at_estimates(
    cautions: Cautions, measure: Measure, problems: Sequence[Problem], variances: FloatArray
) -> None:
    """Look for cells without a spread, and for regions that hold few observations."""
    for cell, problem, variance in zip(cautions.study.cells, problems, variances, strict=True):
        ratings, (value,) = cell.ratings, problem.values
        low, high = measure.bounds(ratings.curve)
        edge = ROUNDING * min(high - low, 1.0)
        with cautions.of(cell):
            none = variance <= edge**2
            if none or not low + edge < value < high - edge:
                what = "has standard error 0" if none else "is at an end of its range"
                warn(
                    DegenerateWarning,
                    shown(measure),
                    f" of {ratings.name}: ",
                    f"the estimate, {fmt.number(value)}, {what}, and does not tell how it varies "
                    "with the cases: errors that rest on such cells are too small.",
                )
            else:
                warn_about_regions(measure, ratings, problem.pieces[0])
