"""Estimates of one part of the data: the ratings and the measure of each, and their influence."""

import itertools
from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np

from pauci.curve.counts import LABELS, Label
from pauci.curve.exact_sums import MANY_VALUES
from pauci.curve.region import Piece
from pauci.curve.runs import ConstantBetweenRows
from pauci.curve.sorting import run_jobs
from pauci.measures.base import Measure
from pauci.measures.influence import Influence
from pauci.sample.ratings import Ratings
from pauci.sample.rows import InMemoryRows, Rows
from pauci.variance.moments import CovarianceSums


class Term(NamedTuple):
    """The influence values of a measure for a classifier."""

    ratings: Ratings
    influence: Influence


class Problem:
    """Estimates on the same rows, with the ratings and the measure of each.

    Parameters
    ----------
    ratings : tuple of Ratings
        One per estimate; a classifier with several measures occurs several times.
    measures : tuple of Measure
        One per estimate.
    argument : str, default "variance"
        The argument by which users select the variance method, for error messages.

    Attributes
    ----------
    rows : Rows
        Labels, weights and clusters, which all estimates share.
    classifiers : tuple of Ratings
        The ratings, each classifier once.
    evaluated : list of (Ratings, Measure, Piece)
        The ratings from which each estimate is calculated, which may have merged tie groups, and
        the part of their curve that it evaluates.
    values : list of float
        The estimates.
    support : list of float
        The number of observations in the region if only these determine the estimate; otherwise
        infinite.
    """

    ratings: tuple[Ratings, ...]
    measures: tuple[Measure, ...]
    rows: Rows
    classifiers: tuple[Ratings, ...]
    values: list[float]
    support: list[float]
    evaluated: list[tuple[Ratings, Measure, Piece]]
    influence_sums: CovarianceSums | None
    """The sums of `pauci.variance.influence_covariance` over the units, once calculated."""
    argument: str

    def __init__(
        self,
        ratings: tuple[Ratings, ...],
        measures: tuple[Measure, ...],
        argument: str = "variance",
    ) -> None:
        self.ratings, self.measures, self.argument = ratings, measures, argument
        self.rows = ratings[0].rows
        self.classifiers = tuple({r.name: r for r in ratings}.values())
        evaluated = self._ratings_to_evaluate()
        self.evaluated = [
            (r, m, m.region.piece(r.curve)) for r, m in zip(evaluated, measures, strict=True)
        ]
        self.values = [float(m.value(r.curve, piece)) for r, m, piece in self.evaluated]
        self.support = [measure.support(r.curve, piece) for r, measure, piece in self.evaluated]
        self._terms: list[Term | None] | None = None
        self.influence_sums = None

    def _ratings_to_evaluate(self) -> tuple[Ratings, ...]:
        """Return the ratings of each estimate, with merged tie groups if these suffice for all."""
        ratings, rows, (label, only_untied) = self.ratings, self.rows, self._label_of_runs()
        merged: list[Ratings | None]
        if len(self.classifiers) > 1 or not rows.independent:
            # Single rows are required: the same sort yields their tie groups and the curve.
            if only_untied or not rows.independent:
                label = None
            jobs = [partial(r.group_rows, label) for r in self.classifiers]
            run_jobs(jobs, ratings[0].values.size)
            merged = [None if label is None else r.with_merged_rows(label) for r in ratings]
        elif label is None:
            return ratings
        else:
            merged = [r.merged(label, only_untied=only_untied) for r in ratings]
        known = tuple(r for r in merged if r is not None)
        return known if len(known) == len(ratings) else ratings

    def _label_of_runs(self) -> tuple[Label | None, bool]:
        """Return the class between whose rows all measures are constant, if there is one.

        It is the smaller class; None if there are few rows to merge. The second value is whether
        the measures are constant only if there are no ties.
        """
        rows, counts = self.rows, self.rows.counts
        if isinstance(rows, InMemoryRows) and rows.positive.size > MANY_VALUES:
            for size, label in sorted(zip(counts, LABELS, strict=True)):
                if self._are_constant_between(label, untied=True):
                    only_untied = not self._are_constant_between(label, untied=False)
                    return label if 3 * size <= 2 * sum(counts) else None, only_untied
        return None, False

    def _are_constant_between(self, label: Label, *, untied: bool) -> bool:
        """Return whether all measures are constant between the rows of a class."""
        n = self.rows.counts
        return all(
            isinstance(m, ConstantBetweenRows) and label in m.constant_between(n, untied=untied)
            for m in self.measures
        )

    def __len__(self) -> int:
        """Return the number of estimates."""
        return len(self.measures)

    @property
    def terms(self) -> list[Term | None]:
        """The influence values of each estimate; None if the measure has none."""
        if self._terms is None:
            self._terms = [
                Term(r, measure.influence(r.curve, piece)) if measure.has_influence else None
                for r, measure, piece in self.evaluated
            ]
        return self._terms

    @property
    def all_terms(self) -> list[Term]:
        """The influence values of each estimate; a measure without them raises `InputError`."""
        known = [t for t in self.terms if t is not None]
        if len(known) == len(self.measures):
            return known
        estimates = zip(self.evaluated, self.terms, strict=True)
        return [
            t or Term(r, measure.influence(r.curve, piece)) for (r, measure, piece), t in estimates
        ]


def merged_problem(problems: Sequence[Problem]) -> Problem:
    """Return the estimates of several problems on the same rows as one problem."""
    known: dict[str, Ratings] = {}
    ratings = []
    for r in itertools.chain.from_iterable(p.ratings for p in problems):
        name, number = r.name, 1
        while name in known and not _are_same(known[name], r):
            number += 1
            name = f"{r.name} ({number})"
        if name not in known:
            known[name] = r if name == r.name else _renamed(r, name)
        ratings.append(known[name])
    measures = itertools.chain.from_iterable(p.measures for p in problems)
    return Problem(tuple(ratings), tuple(measures), problems[0].argument)


def _are_same(first: Ratings, second: Ratings) -> bool:
    """Return whether ratings with the same rows are those of the same classifier."""
    if first is second or first.curve is second.curve:
        return True
    return first.values.size > 0 and np.array_equal(first.values, second.values)


def _renamed(ratings: Ratings, name: str) -> Ratings:
    """Return a copy of ratings with another name."""
    copied = copy(ratings)
    copied.name = name
    return copied


def binning_error_of(ratings: Ratings, measure: Measure, value: float) -> float:
    """Return the bound of the binning error of a value; 0 if scores were not counted in cells."""
    tops = ratings.cell_tops
    if tops is None:
        return 0.0
    from pauci.measures.binning_error import binning_error

    return binning_error(measure.binned_bounds, ratings.curve, tops, value)
