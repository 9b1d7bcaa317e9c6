"""The data: labels, the scores of one or several classifiers on the same rows, and their design.

A `Sample` is validated once and never changes. Each classifier is sorted at most once, when its
first measure is asked for, and subsets share the sorted tables of the sample they come from.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from pauci.checks import AnyArray, check_choice, nearest
from pauci.errors import InputError, InputTypeError, arg
from pauci.sample import columns, weights
from pauci.sample.rows import Design, Ratings, Rows


class Sample:
    """Labels and scores of one or several classifiers on the same rows.

    A higher score means more positive. Rows are never dropped, classes never guessed, scores
    never flipped.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels. 0/1, booleans and -1/1 are understood; any other pair needs `positive`.
    y_score : array_like of shape (n,), or dict of str to array_like
        Ratings of one classifier, or named scores of several on the same rows (paired). Integers,
        floats, booleans, pandas nullable types and ordered categoricals.
    positive : scalar, optional
        The label of the positive class.
    frequency : array_like of int, shape (n,), optional
        Number of identical rows that each row stands for.
    weight : array_like of float, shape (n,), optional
        Sampling weight of each row, on any scale.
    cluster : array_like of shape (n,), optional
        Cluster of each row, such as the patient of a lesion.
    design : {"cohort", "case-control"}, default "cohort"
        Whether the prevalence was observed, or fixed by sampling n1 positives and n0 negatives.
    name : str, optional
        Name of a single classifier; the default is the name of a pandas Series, else "score".

    Attributes
    ----------
    names : tuple of str
        Names of the classifiers.
    n_pos, n_neg : int
        Numbers of positives and of negatives, copies included.
    prevalence : float
        Share of the positives, weighted if there are weights.
    design : str
        As given.

    Raises
    ------
    ValueError, TypeError
        For labels, scores or weights that cannot be used as they are. The message names the
        argument, the value and what to do.

    See Also
    --------
    Sample.from_frame : the same from columns of a data frame.
    Sample.from_counts : an ordinal 2 x K table.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1], {"svm": [.1, .4, .35, .8], "nn": [.2, .1, .6, .9]})
    >>> sample
    Sample(svm, nn: 2 positives, 2 negatives, cohort)
    >>> sample["nn"].n_pos
    2
    """

    __slots__ = ("_ratings", "_rows")
    _rows: Rows
    _ratings: dict[str, Ratings]

    def __init__(
        self,
        y_true: object,
        y_score: object,
        positive: object = None,
        frequency: object = None,
        weight: object = None,
        cluster: object = None,
        design: Design = "cohort",
        *,
        name: str | None = None,
    ) -> None:
        self._validate(
            ("y_true", y_true), positive, columns.named_scores(y_score, name),
            frequency, weight, cluster, design,
        )  # fmt: skip

    def _validate(
        self,
        label: tuple[str, object],
        positive: object,
        named_scores: Iterable[tuple[str, str, object]],
        frequency: object,
        weight: object,
        cluster: object,
        design: Design,
    ) -> None:
        """Check everything once; labels and scores come with the names to call them in messages."""
        check_choice("design", design, ("cohort", "case-control"))
        label_argument, y_true = label
        is_positive = columns.labels(y_true, positive, label_argument)
        n = is_positive.size
        values: dict[str, tuple[AnyArray, tuple[object, ...] | None]] = {}
        for name, argument, scores in named_scores:
            columns.same_index(y_true, scores, argument)
            values[name] = columns.scores(argument, scores, n)
        for argument, extra in (
            ("frequency", frequency), ("weight", weight), ("cluster", cluster),
        ):  # fmt: skip
            columns.same_index(y_true, extra, argument)
        rows = Rows(
            is_positive,
            weights.frequency(frequency, n),
            weights.weight(weight, n),
            weights.cluster(cluster, n),
            design,
        )
        rows.check()
        self._set(rows, {name: Ratings(name, v, rows, c) for name, (v, c) in values.items()})

    def _set(self, rows: Rows, ratings: dict[str, Ratings]) -> None:
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_ratings", ratings)

    def __setattr__(self, attribute: str, value: object) -> None:
        raise AttributeError(
            f"a Sample does not change: make a new one with the other {attribute}."
        )

    def __delattr__(self, attribute: str) -> None:
        raise AttributeError(f"a Sample does not change: {attribute} cannot be deleted.")

    def __getstate__(self) -> tuple[Rows, dict[str, Ratings]]:
        return self._rows, self._ratings

    def __setstate__(self, state: tuple[Rows, dict[str, Ratings]]) -> None:
        self._set(*state)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        label: str,
        scores: str | Sequence[str],
        positive: object = None,
        frequency: str | None = None,
        weight: str | None = None,
        cluster: str | None = None,
        design: Design = "cohort",
    ) -> "Sample":
        """Make a sample from the columns of a data frame.

        Parameters
        ----------
        frame : pandas.DataFrame
            One row per observation.
        label : str
            Column of the labels.
        scores : str or sequence of str
            Column or columns of the scores, one per classifier.
        positive : scalar, optional
            The label of the positive class, needed unless labels are 0/1, booleans or -1/1.
        frequency, weight, cluster : str, optional
            Columns with the frequency, sampling weight and cluster of each row.
        design : {"cohort", "case-control"}, default "cohort"
            As for `Sample`.

        Returns
        -------
        Sample

        Raises
        ------
        ValueError
            For a column that is not there (the message offers the nearest name) or whose values
            cannot be used.

        Examples
        --------
        >>> import pandas as pd, pauci
        >>> frame = pd.DataFrame({"relapse": ["no", "yes", "no"], "svm": [.2, .7, .4]})
        >>> pauci.Sample.from_frame(frame, label="relapse", scores="svm", positive="yes")
        Sample(svm: 1 positive, 2 negatives, cohort)
        """
        if not hasattr(frame, "columns"):
            raise InputTypeError(
                f"frame is a {type(frame).__name__}; pass a pandas DataFrame, or use "
                "pauci.Sample(y_true, y_score) for arrays."
            )
        names: list[Any] = list(scores) if isinstance(scores, (list, tuple)) else [scores]
        if not all(isinstance(key, str) for key in names):
            raise InputTypeError(arg("scores", scores), " must name columns by strings.")
        if not names:
            raise InputError("scores=[] names no column; pass one or more score columns.")

        def column(argument: str, key: str | None) -> object:
            if key is None:
                return None
            available = [str(c) for c in frame.columns]
            if key not in frame.columns:
                raise InputError(
                    arg(argument, key),
                    f" is not a column{nearest(key, available)} "
                    f"The columns are: {', '.join(available)}.",
                )
            values = frame[key]
            if getattr(values, "ndim", 1) != 1:
                raise InputError(
                    arg(argument, key), f" names {values.shape[1]} columns; rename them."
                )
            return values

        duplicated = {key for key in names if names.count(key) > 1}
        if duplicated:
            raise InputError(
                f"scores names {sorted(duplicated)[0]!r} twice; name each column once."
            )
        sample = object.__new__(cls)
        sample._validate(
            (f"column {label!r}", column("label", label)),
            positive,
            [(key, f"column {key!r}", column("scores", key)) for key in names],
            column("frequency", frequency),
            column("weight", weight),
            column("cluster", cluster),
            design,
        )
        return sample

    @classmethod
    def from_counts(
        cls,
        scores: Sequence[float],
        positives: Any,
        negatives: Any,
        name: str = "score",
        design: Design = "cohort",
        *,
        names: tuple[str, str] | None = None,
        fractional: bool = False,
    ) -> "Sample":
        """Make a sample from an ordinal table of counts: 2 x K, or K x K for paired ratings.

        Parameters
        ----------
        scores : sequence of K numbers
            The categories, in any order; higher means more positive.
        positives, negatives : sequence of K int, or array_like of shape (K, K)
            Positives and negatives rated in each category. Of paired ratings, those that the first
            rater (rows) and the second (columns) put in each pair of categories.
        name : str, default "score"
            Name of the rating.
        names : tuple of two str, optional
            Names of the two ratings; the counts are then K x K tables.
        fractional : bool, default False
            Allow counts that are not whole, such as expected counts.
        design : {"cohort", "case-control"}, default "cohort"
            As for `Sample`.

        Returns
        -------
        Sample

        Raises
        ------
        ValueError
            For lengths that differ, duplicate categories, or negative or fractional counts.

        Examples
        --------
        >>> import pauci
        >>> pauci.Sample.from_counts([3, 2, 1], [8, 3, 1], [1, 5, 30], name="CT")
        Sample(CT: 12 positives, 36 negatives, cohort, frequencies)
        """
        if names is None and np.ndim(positives) == np.ndim(negatives) == 2:
            raise InputError(
                f"positives has shape {np.shape(positives)}: a table of paired ratings needs the "
                "names of both, names=('A', 'B')."
            )
        if isinstance(scores, (list, tuple)) and any(np.ndim(s) for s in scores):
            raise InputError(
                "scores holds sequences; paired ratings share one scale. Pass the categories of "
                "both together, and 0 for those that a rater did not use."
            )
        k = weights.length("scores", scores)
        categories, labels_ = columns.scores("scores", scores, k)
        unique, times = np.unique(categories, return_counts=True)
        if unique.size < k:
            raise InputError(
                f"scores holds the category {unique[times > 1][0].item()!r} more than once; "
                "add up its counts first."
            )
        ratings = [categories] if names is None else list(np.meshgrid(*[categories] * 2))[::-1]
        cells = [rating.ravel() for rating in ratings]
        count = []
        for argument, values in (("positives", positives), ("negatives", negatives)):
            if names is not None:
                values = weights.square(argument, values, k)
            count.append(weights.counts(argument, values, cells[0].size, fractional=fractional))
        titles = (name,) if names is None else weights.two_names(names)
        rows = Rows(
            np.repeat([True, False], cells[0].size), np.concatenate(count), None, None, design
        )
        check_choice("design", design, ("cohort", "case-control"))
        sample = object.__new__(cls)
        rated = zip(titles, cells, strict=True)
        sample._set(rows, {t: Ratings(t, np.tile(cell, 2), rows, labels_) for t, cell in rated})
        return sample

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the classifiers."""
        return tuple(self._ratings)

    @property
    def rows(self) -> Rows:
        """Labels, frequencies, weights and clusters, which all classifiers share."""
        return self._rows

    def ratings(self, name: str | None = None) -> Ratings:
        """Return the ratings of a classifier on its rows: ``.curve`` and ``.codes``."""
        if name is None:
            (ratings,) = self._ratings.values()
            return ratings
        return self._ratings[name]

    @property
    def n_pos(self) -> int:
        """Number of positives, copies included."""
        return self._rows.counts[0]

    @property
    def n_neg(self) -> int:
        """Number of negatives, copies included."""
        return self._rows.counts[1]

    @property
    def prevalence(self) -> float:
        """Share of the positives, weighted if there are weights."""
        mass = self._rows.mass
        if mass is None:
            return self.n_pos / (self.n_pos + self.n_neg)
        return float(mass[self._rows.positive].sum() / mass.sum())

    @property
    def design(self) -> Design:
        """Sampling design, ``"cohort"`` or ``"case-control"``."""
        return self._rows.design

    def __len__(self) -> int:
        """Return the number of classifiers."""
        return len(self._ratings)

    def __iter__(self) -> Iterator["Sample"]:
        """Iterate over the classifiers, each as a sample of its own."""
        return (self[name] for name in self._ratings)

    def __contains__(self, name: object) -> bool:
        """Tell whether a classifier has this name."""
        return name in self._ratings

    def __getitem__(self, names: str | Sequence[str]) -> "Sample":
        """Return the sample of one classifier, or of a list of them, on the same rows."""
        wanted = [names] if isinstance(names, str) else names
        if not isinstance(wanted, (list, tuple)) or not all(isinstance(n, str) for n in wanted):
            raise InputTypeError(
                f"pick classifiers by name, not by {names!r}: {', '.join(self.names)}."
            )
        if not wanted:
            raise InputError(f"an empty list names no classifier of {', '.join(self.names)}.")
        for name in wanted:
            if name not in self._ratings:
                raise KeyError(
                    f"{name!r} is not a classifier of this sample{nearest(name, self.names)} "
                    f"It has: {', '.join(self.names)}."
                )
        if len(set(wanted)) < len(wanted):
            raise InputError(f"{names!r} names a classifier twice; name each once.")
        part = object.__new__(Sample)
        part._set(self._rows, {name: self._ratings[name] for name in wanted})
        return part

    def __repr__(self) -> str:
        def count(n: int, noun: str) -> str:
            return f"{n:,} {noun}{'s' * (n != 1)}"

        extras = "".join(
            f", {word}"
            for word, value in (
                ("frequencies", self._rows.frequency),
                ("weights", self._rows.weight),
                ("clusters", self._rows.cluster),
            )
            if value is not None
        )
        return (
            f"Sample({', '.join(self.names)}: {count(self.n_pos, 'positive')}, "
            f"{count(self.n_neg, 'negative')}, {self.design}{extras})"
        )
