"""A plain function of labels and scores as a measure."""

import math
import numbers
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from pauci.accepted import Function
from pauci.calls import answering_constructor
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, Bounds, Piece, Region
from pauci.errors import BOOTSTRAP, InputError, InputTypeError, arg
from pauci.measures.base import Measure
from pauci.measures.influence import Influence

__all__ = ["Statistic"]


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Statistic(Measure):
    """Any function of (labels, scores), for resampling.

    `estimate` and `compare` make one of a plain function by themselves. The function sees the
    positives (label 1) and then the negatives (label 0), each from the highest score down. It has
    no influence values, so its standard error comes from the bootstrap or the jackknife, at the
    price of a call for each replicate, and its BCa intervals have no acceleration.

    Parameters
    ----------
    function : callable
        Takes labels and scores, arrays of shape (n,), and returns a number, or NaN where it is
        undefined. Ordered categories are numbers from 0 on. What it raises is not caught.
    title : str, optional
        What to call it; the default is the function's name.

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

    reference: ClassVar[str] = "a function of the user's"
    has_influence: ClassVar[bool] = False

    function: "Function"
    title: str = ""  # type: ignore[misc]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputTypeError(
                arg("function", self.function), " must be callable with labels and scores."
            )
        if not self.title:
            name = getattr(self.function, "__name__", type(self.function).__name__)
            object.__setattr__(self, "title", name)

    @property
    def symbol(self) -> str:  # type: ignore[override]
        """The title."""
        return self.title

    @property
    def region(self) -> Region:
        """The whole curve."""
        return WHOLE

    @property
    def has_region(self) -> bool:
        """Return False: nobody knows."""
        return False

    @property
    def range(self) -> Bounds:
        """Any number."""
        return Bounds(-math.inf, math.inf)

    @property
    def smoothness(self) -> Literal["smooth", "quantile", "unknown"]:
        """Nobody knows."""
        return "unknown"

    @property
    def uses_sample_prevalence(self) -> bool:
        """Return True, since nobody knows."""
        return True

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the function of the rows that the table counts."""
        table = curve.table
        if not table.exact:
            raise InputError(
                f"{self.title} is a function of rows, and these have sampling weights or "
                "fractional counts. Use one of the package's measures."
            )
        scores = [np.repeat(table.wide_scores, counts) for counts in (table.pos, table.neg)]
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
        """Raise: a function has no influence values."""
        raise InputError(
            f"{self.title} is a plain function and has no analytic standard error; use ",
            arg("variance", BOOTSTRAP),
            " or pauci.Jackknife().",
        )

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the size of the smaller class."""
        return float(min(n_pos, n_neg))

    def __repr__(self) -> str:
        return self.title
