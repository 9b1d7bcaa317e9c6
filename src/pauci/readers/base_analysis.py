"""Averages over the readers of a study and their differences: the numbers of a reader analysis."""

from dataclasses import dataclass, field

import numpy as np

from pauci.calls import validate_methods
from pauci.checks import FloatArray
from pauci.errors import PauciWarning
from pauci.intervals.analytic import Alternative
from pauci.measures.base import Measure
from pauci.readers.components import ReaderTest
from pauci.readers.contrasts import ReaderEstimate
from pauci.readers.study import ReaderStudy
from pauci.resampling.bootstrap import Bootstrap
from pauci.results.family import Quantities
from pauci.results.quantity import InvertedTest
from pauci.results.weighted_sums import WeightedSum
from pauci.tables import number_format as fmt
from pauci.variance.method import Uncertainty


@validate_methods
@dataclass(frozen=True, eq=False, repr=False)
class BaseReaderAnalysis:
    """The numbers of a `ReaderAnalysis`, from which its tables, sentences and figure are made.

    The attributes are described there.
    """

    study: ReaderStudy
    measure: Measure
    averages: tuple[WeightedSum, ...]
    contrasts: tuple[WeightedSum, ...]
    cells: tuple[ReaderEstimate, ...]
    covariance: FloatArray
    values_of_components: tuple[float, ...]
    global_test: ReaderTest | None
    random_readers: bool
    random_cases: bool
    weights: str
    method: str
    null: float
    alternative: Alternative
    conservative: bool = False
    cautions: tuple[PauciWarning, ...] = field(default=(), compare=False)
    doubtful: int = 0
    bootstrap: Bootstrap | None = None
    standalone: str | None = None
    understated: tuple[tuple[str, ...], ...] = ()
    uncertainty: Uncertainty | None = field(default=None, compare=False)
    cell_uncertainty: Uncertainty | None = field(default=None, compare=False)

    @property
    def factors(self) -> str:
        """Which factors are random, in words."""
        words = {True: "random", False: "fixed"}
        if self.random_readers == self.random_cases:
            return "readers and cases random"
        return f"readers {words[self.random_readers]}, cases {words[self.random_cases]}"

    @property
    def region(self) -> str:
        """The region of the measure in words."""
        return self.measure.region_phrase

    @property
    def title(self) -> str:
        """The measure with its region."""
        return f"{self.measure.label}, {self.region}" if self.region else self.measure.label

    def limited_by_cases(self, average: WeightedSum) -> bool:
        """Whether the degrees of freedom of an average are those of its variance over cases."""
        if self.cell_uncertainty is None:
            return False
        weights = {id(cell): weight for weight, cell in average.members}
        of_cells = np.array([weights.get(id(cell), 0.0) for cell in self.cells])
        # The average of a standalone reader has no members, and the degrees of freedom of its cell.
        return not weights or average.df == self.cell_uncertainty.df_of(of_cells)

    def test_of(self, difference: WeightedSum) -> InvertedTest:
        """Return the test of a difference against the null difference."""
        return difference.inverted_test(self.null, self.alternative)

    def difference_of_reader(self, reader: str, first: str, second: str) -> WeightedSum | None:
        """Return the difference of two modalities for a reader; None if not read in both."""
        weights = np.zeros(len(self.cells))
        for i, c in enumerate(self.cells):
            if c.reader == reader and c.modality in (first, second):
                weights[i] = 1.0 if c.modality == first else -1.0
        if np.count_nonzero(weights) < 2:
            return None
        uncertainty = self.cell_uncertainty or Uncertainty(self.covariance)
        return Quantities(self.cells, uncertainty).weighted_sum(weights, (first, second))

    @property
    def error_shown(self) -> float:
        """The standard error that determines the decimals."""
        return fmt.smallest_error(a.se for a in (*self.averages, *self.contrasts))
