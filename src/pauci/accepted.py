"""What public functions accept, as types.

At run time every argument is checked by value, with an error that says what would do. These types
say as much of it as a type checker can see before the program runs: ``pauci.PAUC(fpr=0.1)`` is an
error in the editor already, ``pauci.PAUC(fpr=(0, 1.5))`` only when it runs. Annotations of public
functions have the names below in quotes, so that ``help()`` shows the name and not all of a union.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, SupportsFloat, TypeAlias

import numpy as np

from pauci.checks import AnyArray

if TYPE_CHECKING:
    from numpy.random import Generator

Number: TypeAlias = float | np.floating[Any] | np.integer[Any]
"""A real number. A whole one is one of the floats of a type checker (PEP 484)."""

Bound: TypeAlias = Number | Fraction
"""A rate, such as an FPR. Fractions are kept exactly."""

RegionBounds: TypeAlias = tuple[Bound, Bound] | list[float] | list[int] | AnyArray
"""A range of rates, such as ``(0, 0.1)``. A tuple has to have two ends, a list may have more."""

ScoreBounds: TypeAlias = tuple[Any, Any] | list[Any] | AnyArray
"""A range of scores, such as ``(4, None)``. Scores are numbers or ordered categories."""

RegionEnds: TypeAlias = Literal["north-east", "middle"]
"""Where an end of a region on a step of the curve lies."""

Rates: TypeAlias = Bound | Iterable[Bound]
"""A rate or several."""

Family: TypeAlias = Iterable[Bound] | Iterable[RegionBounds]
"""The ends of regions that move, or regions."""

Vector: TypeAlias = Iterable[Any]
"""A column: lists, arrays, tensors and series of all libraries have their elements in common."""

Scores: TypeAlias = Vector | Mapping[str, Vector]
"""A column of scores, or columns by the names of the classifiers."""

Function: TypeAlias = Callable[[Any, Any], SupportsFloat]
"""A plain function of (labels, scores)."""

Seed: TypeAlias = "int | np.integer[Any] | Generator"
"""Where random numbers come from."""

MaybeSeveral: TypeAlias = Any
"""Stands for the result for several classifiers, where types cannot tell whether there are several.

A `Sample` has one classifier or more, and most have one, so ``estimate(sample, pauci.AUC())`` is an
``Estimate | MaybeSeveral``: editors complete the names of `Estimate` and report misspelled ones,
and ``.value`` needs no test first, as ``Estimate | Estimates`` would. This is what typeshed does
for ``re.Match.group``, where None is as rare. A result that is always the same, whatever the
sample, comes from a list of measures.

Samples could have their number of classifiers as a type parameter. But what is not typed, such as
the scores that most libraries predict, would leave it open. Of a call that fits several overloads
for want of types, checkers say Any: then not even the names of `Estimate` are known.
"""
