"""The figure of each result, for its method ``plot``."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pauci.errors import InputTypeError
from pauci.fits.fit import CurveFit
from pauci.inference.permutation import PermutationTest
from pauci.plot.band_plot import band
from pauci.plot.fitted_curve import fitted
from pauci.plot.forest_plot import forest
from pauci.plot.operating_points_plot import operating_points
from pauci.plot.profile_plot import profile
from pauci.plot.reader_plots import readers
from pauci.plot.replicate_histogram import permutations, replicates
from pauci.plot.scan_plot import scan
from pauci.readers.analysis import ReaderAnalysis
from pauci.results.band import Band
from pauci.results.comparison import Comparison
from pauci.results.comparisons import Comparisons
from pauci.results.estimate import Estimate, Estimates
from pauci.results.one_sample import OneSampleTest
from pauci.results.operating_points import OperatingPoints
from pauci.results.profile import Profile, Profiles
from pauci.results.scan import Scan

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def figure_of(result: object, **options: Any) -> "Axes":
    """Draw a result with the function for its kind."""
    for kinds, draw in _FIGURES:
        if isinstance(result, kinds):
            return draw(result, **options)
    raise InputTypeError(f"there is no figure of a {type(result).__name__}.")


def _of_one(result: Estimate | Comparison, **options: Any) -> "Axes":
    """Draw the replicates of a result that has them, else its interval."""
    return forest(result, **options) if result.resampled is None else replicates(result, **options)


def _of_test(result: OneSampleTest, **options: Any) -> "Axes":
    """Draw the estimate with the interval that the test inverts, and the null."""
    return forest(result.estimate, **{"null": result.null, "kind": result.kind, **options})


_FIGURES: tuple[tuple[tuple[type, ...], Callable[..., "Axes"]], ...] = (
    ((Estimate, Comparison), _of_one),
    ((Estimates, Comparisons), forest),
    ((OneSampleTest,), _of_test),
    ((OperatingPoints,), operating_points),
    ((PermutationTest,), permutations),
    ((Profile, Profiles), profile),
    ((Scan,), scan),
    ((ReaderAnalysis,), readers),
    ((Band,), band),
    ((CurveFit,), fitted),
)
"""The function that draws each kind of result."""
