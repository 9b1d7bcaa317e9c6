"""Functions of users as measures."""

import math
import numbers
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pauci.calls import validate_constructor
from pauci.checks import Function
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, Bounds, Piece, Region
from pauci.errors import InputError, InputTypeError
from pauci.measures.base import Measure
from pauci.measures.influence import Influence


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Statistic(Measure):
    """Any function of (labels, scores), for resampling.

    `estimate` and `compare` convert a plain function to a `Statistic`. The function receives the
    positives (label 1) followed by the negatives (label 0), each in descending order of the scores.
    A statistic has no influence values. Its standard error is obtained by the bootstrap or the
    jackknife, which call the function for each replicate, and its BCa intervals have no
    acceleration.

    Parameters
    ----------
    function : callable
        Takes labels and scores, arrays of shape (n,), and returns a number, or NaN if it is
        undefined. Ordered categories are passed as the numbers 0, 1, .... Exceptions that it raises
        are not caught.
    title : str, optional
        Title in results; the default is the name of the function.

    Examples
    --------
    >>> import pauci
    >>> def youden(y, s):
    ...     return max((s[y == 1] >= t).mean() - (s[y == 0] >= t).mean() for t in set(s))
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> e = pauci.estimate(sample, youden, variance=pauci.Bootstrap(200, rng=1))
    >>> round(e.value, 3)
    0.667
    """

    reference: ClassVar[str] = "a user-defined function"
    has_influence: ClassVar[bool] = False
    uses_sample_prevalence: ClassVar[bool] = True
    range: ClassVar[Bounds] = Bounds(-math.inf, math.inf)
    has_region: ClassVar[bool] = False  # the part that the function evaluates is unknown
    region: ClassVar[Region] = WHOLE

    function: Function
    title: str = ""  # type: ignore[misc]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputTypeError.of(
                "function", self.function, "must be callable with labels and scores."
            )
        if not isinstance(self.title, str):
            raise InputTypeError.of("title", self.title, "must be a string.")
        if not self.title:
            name = getattr(self.function, "__name__", type(self.function).__name__)
            object.__setattr__(self, "title", name)

    @property
    def symbol(self) -> str:  # type: ignore[override]
        """The title."""
        return self.title

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the value of the function for the rows counted in the table."""
        table = curve.table
        if not table.exact:
            raise InputError(
                f"{self.title} is a function of rows, but these rows have sampling weights or "
                "fractional counts. Use one of the measures of this package."
            )
        scores = [np.repeat(table.wide_scores, n.astype(np.intp)) for n in (table.pos, table.neg)]
        labels = np.repeat([1, 0], [s.size for s in scores])
        result: Any = self.function(labels, np.concatenate(scores))
        kind = type(result).__name__
        if isinstance(result, np.ndarray) and result.size == 1:
            result = result.item()
        if not isinstance(result, numbers.Real | np.bool_):
            raise InputTypeError(
                f"{self.title} returned a {kind}; a measure takes labels and scores and returns "
                "one number."
            )
        return float(result)

    def influence(self, curve: Curve, piece: Piece) -> Influence:  # noqa: ARG002
        """Raise an error, because a function has no influence values."""
        raise InputError(
            f"{self.title} is a plain function and has no analytic standard error.",
            argument="variance",
            hint="Use variance=pauci.Bootstrap() or pauci.Jackknife().",
        )

    def __repr__(self) -> str:
        return self.title
