"""Types of the arguments of public functions.

The value of every argument is also checked at run time. The types cover what a type checker can
detect before the program runs: ``pauci.PAUC(fpr=0.1)`` is reported by a type checker,
``pauci.PAUC(fpr=(0, 1.5))`` only at run time. Public functions quote these names in their
annotations, so that ``help()`` shows the name of a type instead of the expanded union.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import IO, TYPE_CHECKING, Any, Literal, SupportsFloat, TypeAlias

import numpy as np

from pauci.checks import AnyArray

if TYPE_CHECKING:
    from numpy.random import Generator

Number: TypeAlias = float | np.floating[Any] | np.integer[Any]
"""A real number. Type checkers accept an int where a float is expected (PEP 484)."""

Bound: TypeAlias = Number | Fraction
"""A rate, such as an FPR. Fractions are not rounded to floats."""

RegionBounds: TypeAlias = tuple[Bound, Bound] | list[float] | list[int] | AnyArray
"""A range of rates, such as ``(0, 0.1)``. The length is checked for tuples, but not for lists."""

ScoreBounds: TypeAlias = tuple[Any, Any] | list[Any] | AnyArray
"""A range of scores, such as ``(4, None)``. Scores are numbers or ordered categories."""

Cutoff: TypeAlias = Any
"""A threshold: a number or an ordered category, or a mapping of names of classifiers to them."""

RegionEnds: TypeAlias = Literal["north-east", "middle"]
"""The point of a step of the curve at which a region ends."""

Rates: TypeAlias = Bound | Iterable[Bound]
"""One rate or several."""

RegionFamily: TypeAlias = Iterable[Bound] | Iterable[RegionBounds]
"""The variable ends of a family of regions, or the regions themselves."""

Vector: TypeAlias = Iterable[Any]
"""A column: a list, array, tensor or series of any library, all of which are iterable."""

Scores: TypeAlias = Vector | Mapping[str, Vector]
"""A column of scores, or a mapping of names of classifiers to columns."""

GroupColumns: TypeAlias = Mapping[str, Vector]
"""Columns with groups of the rows, by name."""

By: TypeAlias = "str | Vector | Mapping[Any, Vector]"
"""The name of a grouping, the group of every row, or masks of the rows of each group."""

Function: TypeAlias = Callable[[Any, Any], SupportsFloat]
"""A function of (labels, scores)."""

Seed: TypeAlias = "int | np.integer[Any] | Generator"
"""A seed or a random number generator."""

BinaryFile: TypeAlias = "IO[bytes]"
"""An open file to which a document is written."""

MaybeSeveral: TypeAlias = Any
"""The result for several classifiers, where a type checker does not know how many there are.

The number of classifiers of a `Sample` is not part of its type. Since most samples have a single
classifier, the return type of ``estimate(sample, pauci.AUC())`` is ``Estimate | MaybeSeveral``.
Editors then complete the attributes of `Estimate` and report misspelled ones, and ``.value`` can be
used without a test of the type, which ``Estimate | Estimates`` would require. The same convention
is used by typeshed for ``re.Match.group``, which rarely returns None. If a list of measures is
passed, the type of the result does not depend on the sample.

A type parameter for the number of classifiers would not solve this: it is unknown if the scores
are not typed, as are those of most libraries. For a call that then matches several overloads, type
checkers infer Any, and the attributes of `Estimate` are unknown as well.
"""
