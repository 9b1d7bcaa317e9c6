"""The data: labels, the scores of one or several classifiers on the same rows, and their design.

A `Sample` is validated once and is immutable. Each classifier is sorted at most once, when its
first measure is calculated, and subsets share the sorted tables of the original sample.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from pauci import checks
from pauci.calls import validate_call, validate_methods, validated_dataclass
from pauci.checks import AnyArray, GroupColumns, Horizon, IntArray, Number, Scores, Vector
from pauci.errors import InputError, InputTypeError
from pauci.sample import columns
from pauci.sample.ratings import CellFacts, Ratings
from pauci.sample.rows import DataOptions, Design, RowOptions, Rows, list_of_classes
from pauci.sample.validation import validate, warn_if_rows_depend
from pauci.sample.vectors import EXTRAS, GROUP, DataColumns, NamedColumns, array_column
from pauci.sample.weights import group_columns

if TYPE_CHECKING:
    import pandas as pd

    from pauci.sample.class_rows import ClassRows
    from pauci.sample.from_frame import Resolution
    from pauci.sample.marks import FigureOfMerit


def _extra_columns(
    group: "Vector | GroupColumns | None", *values: "Vector | None", names: Sequence[str] = EXTRAS
) -> NamedColumns:
    """Return the frequencies, weights, clusters, folds and groups that were passed."""
    passed = {**dict(zip(names, values, strict=True)), **group_columns(group)}
    return {key: array_column(key, v) for key, v in passed.items() if v is not None}


@validate_methods
class Sample:
    r"""Labels and scores of one or several classifiers on the same rows.

    A higher score means more positive, unless `lower_is_positive` is set. Rows are never dropped,
    the positive class is never guessed, and scores are never reversed automatically.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels: 0/1, booleans or -1/1; any other pair of labels requires `positive`.
    y_score : array_like of shape (n,), or dict of str to array_like
        Ratings of one classifier, or named scores of several on the same rows (paired). Integers,
        floats, booleans, decimals, pandas nullable types, tensors, and ordered categoricals of
        pandas or Polars. In place of a column, the output of ``predict_proba`` of shape (n, k) for
        k sorted labels, whose rows sum to 1, is accepted; the column of `positive` is used.
    positive : scalar, optional
        The label of the positive class. If there are more than two labels, it is compared with
        the rest, which every result states.
    frequency : array_like of int, shape (n,), optional
        Number of identical rows that each row represents.
    weight : array_like of float, shape (n,), optional
        Sampling weight of each row, on any scale.
    cluster : array_like of shape (n,), optional
        Cluster of each row, such as the patient of a lesion.
    design : {"cohort", "case-control"}, default "cohort"
        Whether the prevalence was observed, or fixed by sampling n1 positives and n0 negatives.
    name : str, optional
        Name of a single classifier; the default is the name of a pandas Series, else "score".
    lower_is_positive : bool, str or list of str, default False
        Whether lower scores mean more positive, or the names of the classifiers for which they do.
    fold : array_like of shape (n,), optional
        Cross-validation fold in which each row was predicted. Scores of different models are not
        on a common scale, so measures are estimated within folds and averaged (see Notes).
    group : array_like of shape (n,), or dict of str to these, optional
        Group of each row, such as sex or site, for ``estimate(..., by=)`` and ``compare(...,
        by=)``. A grouping is selected by the name of a pandas Series or the key of a dict, and by
        "group" if it has none. Groups are in the order of the categories of pandas or of an Enum,
        or sorted.
    verified : array_like of bool, shape (n,), optional
        Whether the label of each row is known; labels of other rows must be missing. Rows with
        known labels have weights, the inverse probabilities of being verified (see Notes).
    verification : array_like of shape (n,), array_like of shape (n, p), data frame or dict
        Known probabilities of being verified (numbers), strata (texts, categories or booleans), or
        covariates of a logistic regression of `verified` (a data frame, a dict of columns or a 2-D
        array). The default is a logistic regression on the scores.
    prediction : array_like of shape (n,), array_like of shape (n, p), data frame or dict
        For doubly robust estimates, with `verified`: predicted probabilities of the positive label
        (numbers) by a model that was not fitted to these rows, strata with the share of positives
        in each, or covariates of a logistic regression of the label, from verified rows.

    Attributes
    ----------
    names : tuple of str
        Names of the classifiers.
    n_pos, n_neg : int
        Numbers of positives and of negatives, copies included.
    prevalence : float
        Proportion of positives, weighted if there are weights.
    design : str
        Sampling design, as passed.

    Raises
    ------
    ValueError, TypeError
        If labels, scores or weights are invalid. The message names the argument, the value and a
        remedy. For arguments of scikit-learn and pROC it names the equivalent in this package.

    See Also
    --------
    Sample.from_frame : a sample from the columns of a data frame.
    Sample.from_counts : a sample from an ordinal table of counts.
    Sample.from_estimator, Sample.from_cv_results : samples from estimators of scikit-learn.
    Sample.from_survival : outcomes at a horizon, from follow-up times with censoring.
    Sample.from_imputations : completed data sets of a multiple imputation.

    Notes
    -----
    With `fold`, an estimate is the unweighted mean of the values within the folds, and its variance
    is the sum of the variances within the folds, divided by the squared number of folds (LeDell,
    Petersen and van der Laan 2015, Electronic Journal of Statistics 9:1583-1607). The variance is
    conditional on the fitted models and does not include the variability due to the training data.
    In a repeated cross-validation, rows are predicted several times: pass the identifier of each
    row as `cluster`, and number the folds of each repeat separately. Each fold must contain both
    classes, and a standard error requires two rows of each class in each fold. In a narrow region a
    fold has few rows, and the mean over many small folds has small-sample bias, which causes a
    warning. Only `estimate` and `compare` support folds.

    If lower scores of a classifier mean more positive, its thresholds are still on the original
    scale. Scores at or below the threshold of an operating point are classified as positive, and a
    region ``threshold=(low, high)`` contains the scores ``low < score <= high`` (instead of ``low
    <= score < high`` if higher scores mean more positive). The pair ``e.region.threshold`` is such
    a range, and its `low` is minus infinity if the region starts at (0, 0). User-defined functions
    receive the negated scores.

    With `verified`, a row with a known label has the weight :math:`1/\pi`, the inverse of its
    probability of being verified, and other rows have weight 0 (Alonzo and Pepe 2005, Applied
    Statistics 54:173-190). Given the scores and covariates, verification must not depend on the
    label. The probability in a stratum is the share of its rows that are verified. Estimated
    probabilities contribute to standard errors: the influence of row k increases by :math:`-(\sum_j
    z_j (1 - \pi_j) x_j)^T I^{-1} x_k (v_k - \pi_k)` with the information I of the regression on x,
    and the variance is :math:`n/(n - 1)` times the sum of squares over all n rows, also those that
    are not verified. The bootstrap estimates the probabilities in each replicate, and the jackknife
    without each row.

    With `prediction`, estimates are doubly robust: :math:`\hat\theta + \theta_p - \hat\theta_p`
    with the estimates :math:`\theta_p` of all rows and :math:`\hat\theta_p` of weighted verified
    rows, in both of which each row is a positive with the predicted probability p and a negative
    with the probability :math:`1 - p`. They are consistent if the probabilities of verification or
    those of the label are correct, and to first order equal to the estimates of Alonzo and Pepe
    (2005), whose weights can be negative (see Robins, Rotnitzky and Zhao 1994, JASA 89:846-866).
    The standard error includes the estimation of all probabilities. Only `estimate` and `compare`
    use the predictions.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1], {"svm": [.1, .4, .35, .8], "nn": [.2, .1, .6, .9]})
    >>> sample
    Sample(svm, nn: 2 positives, 2 negatives, cohort)
    >>> sample["nn"].n_pos
    2
    """

    __slots__ = ("_ratings", "classes", "names", "rows")
    rows: Rows
    """Labels, frequencies, weights and clusters, which are the same for all classifiers."""
    names: tuple[str, ...]
    """Names of the classifiers."""
    classes: tuple[object, ...]
    """Labels of the classes of a sample of `from_classes`; empty for other samples."""
    _ratings: dict[str, Ratings]

    @validate_call
    def __init__(
        self,
        y_true: "Vector",
        y_score: "Scores",
        positive: object = None,
        frequency: "Vector | None" = None,
        weight: "Vector | None" = None,
        cluster: "Vector | None" = None,
        design: Design = "cohort",
        *,
        name: str | None = None,
        lower_is_positive: bool | str | Sequence[str] = False,
        fold: "Vector | None" = None,
        group: "Vector | GroupColumns | None" = None,
        verified: "Vector | None" = None,
        verification: "Vector | Mapping[str, Vector] | None" = None,
        prediction: "Vector | Mapping[str, Vector] | None" = None,
    ) -> None:
        scores = columns.named_scores(y_score, name)
        extras = _extra_columns(group, frequency, weight, cluster, fold)
        label = array_column("y_true", y_true)
        if any(v is not None for v in (verified, verification, prediction)):
            from pauci.sample.verified import with_verification

            label = with_verification(label, extras, verified, verification, prediction)
        options = DataOptions(positive, design, lower_is_positive)
        rows, ratings = validate(DataColumns(label, scores, extras), options)
        warn_if_rows_depend(rows, next(iter(ratings.values())).values)
        self._set(rows, ratings)

    @classmethod
    def _of(cls, rows: Rows, ratings: Mapping[str, Ratings]) -> Self:
        """Return a sample of validated rows and ratings."""
        sample = object.__new__(cls)
        sample._set(rows, dict(ratings))
        return sample

    def _set(self, rows: Rows, ratings: dict[str, Ratings]) -> None:
        rows.make_read_only()
        for r in ratings.values():
            checks.read_only(r.values)
        values = rows, tuple(ratings), rows.classes, ratings
        for attribute, value in zip(("rows", "names", "classes", "_ratings"), values, strict=True):
            object.__setattr__(self, attribute, value)

    def __setattr__(self, attribute: str, value: object) -> None:
        raise AttributeError(f"a Sample is immutable: create a new one to change {attribute}.")

    def __delattr__(self, attribute: str) -> None:
        raise AttributeError(f"a Sample is immutable: {attribute} cannot be deleted.")

    def __getstate__(self) -> tuple[Rows, dict[str, Ratings]]:
        return self.rows, self._ratings

    def __setstate__(self, state: tuple[Rows, dict[str, Ratings]]) -> None:
        self._set(*state)

    @classmethod
    @validate_call
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
        *,
        lower_is_positive: bool | str | Sequence[str] = False,
        drop_missing: bool = False,
        fold: str | None = None,
        group: "str | Sequence[str] | None" = None,
        resolution: "Resolution" = 2**20,
        thresholds: "float | Sequence[float] | Mapping[str, Any] | None" = None,
        missing: Any = None,
        negative: object = None,
        name: str | None = None,
        verified: str | None = None,
        verification: str | Sequence[str] | None = None,
        prediction: str | Sequence[str] | None = None,
    ) -> "Sample":
        """Create a sample from the columns of a data frame.

        Parameters
        ----------
        frame : data frame
            Data frame of pandas, Polars or PyArrow, an object that exports an Arrow stream, or a
            lazy frame of Polars, DuckDB, Dask, PySpark or Ibis, with one row per observation. A
            lazy frame delivers these columns alone (see Notes).
        label : str
            Column of the labels.
        scores : str or sequence of str
            Column or columns of the scores, one per classifier.
        positive : scalar, optional
            The label of the positive class, needed unless labels are 0/1, booleans or -1/1. If
            there are more than two labels, it is compared with the rest, unless `negative` is
            passed.
        frequency : str, optional
            Column with the number of equal rows that each row stands for.
        weight : str, optional
            Column with the sampling weight of each row.
        cluster : str, optional
            Column with the cluster of each row, such as the patient of several lesions.
        design : {"cohort", "case-control"}, default "cohort"
            As for `Sample`.
        lower_is_positive : bool, str or list of str, default False
            As for `Sample`: the score columns in which lower values mean more positive.
        fold : str, optional
            Column with the fold of each row, as for `Sample`.
        group : str or sequence of str, optional
            Columns with groups of the rows, as for `Sample`, in the same order.
        drop_missing : bool, default False
            Whether to drop rows with a missing value in any of these columns; their number is
            ``sample.rows.dropped``.
        resolution : int or "exact", default 2**20
            Largest number of cells of the scores of a lazy frame with more than four times as many
            rows; with "exact" all scores are kept.
        thresholds : float, sequence of float, or dict of str to these, optional
            Thresholds, by classifier in a dict, that become ends of cells, so that counts at them
            are exact.
        missing : scalar, list, or dict of str to these, optional
            Codes of missing values, such as 999, in the columns of the label and the scores, or in
            the columns that are the keys of a dict. They are treated as missing values. They are
            compared in the type of the column, and must occur.
        negative : scalar, optional
            The label of the negative class if there are more than two labels. Rows with labels
            other than this and `positive` are left out, and their number is reported.
        name : str, optional
            Name of a single classifier, such as "validation" for one of several samples that are
            compared; the default is the name of its column.
        verified : str, optional
            Column that is true where the label is known, as for `Sample`; the others must be
            missing.
        verification : str or sequence of str, optional
            Column of the known probabilities of being verified (numbers) or of strata (texts,
            categories or booleans), or a list of columns of a logistic regression, which may
            include the scores. The default is a logistic regression on the scores. The columns of
            lazy frames are loaded without cells.
        prediction : str or sequence of str, optional
            For doubly robust estimates: column of predicted probabilities of the positive label
            (numbers) or of strata, or a list of columns of a logistic regression of the label of
            verified rows, as for `Sample`.

        Returns
        -------
        Sample

        Raises
        ------
        ValueError
            If a column does not exist (the message suggests the most similar name) or has invalid
            values.

        Warns
        -----
        MissingRowsWarning
            If rows were dropped because of missing values (the warning states their number and
            the columns), or if rows were left out because of their label.

        Notes
        -----
        The rows of a lazy frame are grouped by its engine if few of them are distinct. Of other
        rows, scores with more than `resolution` values are replaced by those of cells of about
        equally many rows, narrower at both ends. The sample states the number of cells and the
        largest possible change of the AUC; values usually differ by less than a thousandth of their
        standard error. If the rows need more memory than is available, an error is raised.

        Examples
        --------
        >>> import pandas as pd, pauci
        >>> frame = pd.DataFrame({"relapse": ["no", "yes", "no"], "svm": [.2, .7, .4]})
        >>> pauci.Sample.from_frame(frame, label="relapse", scores="svm", positive="yes")
        Sample(svm: 1 positive, 2 negatives, cohort)
        """
        from pauci.sample.from_frame import read_frame
        from pauci.sample.verified import keys_for_verification

        extras = dict(zip(EXTRAS, (frequency, weight, cluster, fold), strict=True))
        extras |= {f"{GROUP}{column}": column for column in checks.listed(group)}
        extras |= keys_for_verification(verified, verification, prediction)
        options = DataOptions(positive, design, lower_is_positive, name)
        rows = RowOptions(drop_missing, missing, negative, resolution, thresholds)
        return cls._of(*read_frame(frame, label, scores, extras, options, rows))

    @classmethod
    @validate_call
    def from_counts(
        cls,
        scores: "Vector",
        positives: "Vector | None" = None,
        negatives: "Vector | None" = None,
        name: str | None = None,
        design: Design = "cohort",
        *,
        names: tuple[str, str] | None = None,
        fractional: bool = False,
        positive: object = None,
        lower_is_positive: bool | str | Sequence[str] = False,
        classes: "Mapping[Any, Vector] | Any" = None,
    ) -> "Sample":
        """Create a sample from an ordinal table of counts: 2 x K, or K x K for paired ratings.

        Parameters
        ----------
        scores : sequence of K numbers or ordered categories, or a data frame
            The categories, in any order; higher means more positive. Alternatively, a data frame
            with the complete table, such as ``pd.crosstab(rating, truth)``, whose rows or columns
            are the true classes, or with the columns of `counts`: "positives", "negatives" and the
            scores of each classifier. In this case `positives` and `negatives` are not passed.
        positives, negatives : sequence of K int, or array_like of shape (K, K)
            Numbers of positives and of negatives in each category. For paired ratings, the numbers
            in each pair of categories of the first rating (rows) and the second (columns). The
            index of pandas objects is used: it must be the index of `scores`, the categories in any
            order, or the default index 0, 1, ..., for counts in the order of `scores`.
        name : str, optional
            Name of the rating; the default is the name of the rating axis of a complete table, else
            "score".
        names : tuple of two str, optional
            Names of the two ratings; the counts are then K x K tables.
        fractional : bool, default False
            Whether to allow counts that are not integers, such as expected counts.
        positive : scalar, optional
            The label of the positives in a complete table, required unless the labels are 0/1,
            booleans or -1/1.
        lower_is_positive : bool, str or list of str, default False
            As for `Sample`.
        classes : dict of label to counts, or data frame, optional
            The numbers of several ordered classes in each category, in place of `positives` and
            `negatives`, as for a sample of `from_classes` with a single score.
        design : {"cohort", "case-control"}, default "cohort"
            As for `Sample`.

        Returns
        -------
        Sample

        Raises
        ------
        ValueError
            If lengths differ, categories are repeated, or counts are negative or fractional; if
            the index of the counts is neither the index nor the categories of the scores; or if the
            axis of the true classes cannot be determined.

        Examples
        --------
        >>> import pandas as pd, pauci
        >>> pauci.Sample.from_counts([3, 2, 1], [8, 3, 1], [1, 5, 30], name="CT")
        Sample(CT: 12 positives, 36 negatives, cohort, frequencies)
        >>> frame = pd.DataFrame({"rating": [3, 1, 2, 3, 1], "cancer": [1, 0, 1, 1, 1]})
        >>> pauci.Sample.from_counts(pd.crosstab(frame["rating"], frame["cancer"]))
        Sample(rating: 4 positives, 1 negative, cohort, frequencies)
        >>> stages = {"none": [30, 8, 2], "early": [6, 9, 5], "late": [1, 4, 12]}
        >>> pauci.Sample.from_counts([1, 2, 3], classes=stages)
        Sample(score: 40 none, 20 early, 17 late, cohort, frequencies)
        """
        checks.check_choice("design", design, ("cohort", "case-control"))
        options = DataOptions(positive, design, lower_is_positive, name)
        if classes is not None:
            others = {
                "positives": positives,
                "negatives": negatives,
                "names": names,
                "positive": positive,
                "lower_is_positive": lower_is_positive or None,
            }
            for argument, value in others.items():
                if value is not None:
                    problem = "is for a table of two classes; omit it with classes=."
                    raise InputError.of(argument, value, problem)
            from pauci.sample.class_rows import read_class_counts

            return cls._of(*read_class_counts(scores, classes, options, fractional=fractional))
        from pauci.sample.tables_of_counts import read_counts

        table = scores, positives, negatives, names
        return cls._of(*read_counts(*table, options, fractional=fractional))

    @classmethod
    @validate_call
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        pos_label: object = None,
        response_method: str = "auto",
        sample_weight: "Vector | None" = None,
        *,
        cluster: "Vector | None" = None,
        group: "Vector | GroupColumns | None" = None,
        design: Design = "cohort",
        name: str | None = None,
    ) -> "Sample":
        """Create a sample from the scores of fitted estimators of scikit-learn.

        Parameters
        ----------
        estimator : estimator, or dict of str to estimator
            A fitted classifier, a pipeline or a search that ends with one, or several of them by
            name, which are paired by rows. Any object with ``predict_proba`` or
            ``decision_function``, and ``classes_``, is accepted.
        X : array_like, sparse matrix or data frame
            Features of the rows, which should not have been used for training.
        y : array_like of shape (n,)
            Labels of the rows.
        pos_label : scalar, optional
            The label of the positive class, needed unless the classes are 0/1, booleans or -1/1. If
            there are more than two classes, it is evaluated against the rest; without `pos_label`,
            a sample of several classes is created, as by `from_classes`.
        response_method : {"auto", "predict_proba", "decision_function", "predict"}
            The method that returns the scores: by default ``predict_proba``, or
            ``decision_function`` for estimators without it. Scores that a regressor predicts
            require "predict".
        sample_weight : array_like of float, shape (n,), optional
            Sampling weight of each row, as `weight` of `Sample`.
        cluster, group, design, name
            As for `Sample`. The default name is the class of the estimator, or of the last step of
            a pipeline.

        Returns
        -------
        Sample

        Raises
        ------
        ValueError, TypeError
            If the positive class is not specified, if an estimator is not fitted or has no scores,
            or if `X` and `y` do not have the same rows.

        See Also
        --------
        Sample.from_cv_results : scores of a cross-validation.

        Examples
        --------
        >>> import pauci
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = LogisticRegression(max_iter=10_000).fit(X[:300, :5], y[:300])
        >>> pauci.Sample.from_estimator(model, X[300:, :5], y[300:])
        Sample(LogisticRegression: 203 positives, 66 negatives, cohort)
        """
        from pauci.sample.from_estimators import read_estimators

        extras = _extra_columns(group, sample_weight, cluster, names=("sample_weight", "cluster"))
        options = DataOptions(pos_label, design, False, name)
        return cls._of(*read_estimators(estimator, X, y, extras, options, response_method))

    @classmethod
    @validate_call
    def from_cv_results(
        cls,
        cv_results: "Mapping[str, Any]",
        X: Any,  # noqa: N803
        y: Any,
        pos_label: object = None,
        response_method: str = "auto",
        sample_weight: "Vector | None" = None,
        *,
        cluster: "Vector | None" = None,
        group: "Vector | GroupColumns | None" = None,
        design: Design = "cohort",
        name: str | None = None,
    ) -> "Sample":
        """Create a sample from the scores that a cross-validation predicts for its test rows.

        Parameters
        ----------
        cv_results : dict, or dict of str to dict
            The result of scikit-learn's ``cross_validate`` with ``return_estimator=True`` and
            ``return_indices=True``, or several of them by name, with the same folds, which are
            paired by rows.
        X : array_like, sparse matrix or data frame
            The features that were passed to ``cross_validate``.
        y : array_like of shape (n,)
            The labels that were passed to ``cross_validate``.
        pos_label, response_method, sample_weight
            As for `from_estimator`, with one weight per row of `X`.
        cluster : array_like of shape (n,), optional
            Cluster of each row of `X`, such as the patient of an image. If rows are predicted
            several times, as in a repeated cross-validation, and there are no other clusters, the
            rows are the clusters.
        group, design, name
            As for `Sample`, with one group per row of `X`.

        Returns
        -------
        Sample
            A sample with the fold of each row, so that measures are estimated within folds and
            averaged. The rows are in the order of `X`, or in the order of the folds if they are
            predicted several times.

        Raises
        ------
        ValueError, TypeError
            If estimators or rows are not in `cv_results`, if a fold lacks one of the classes, if
            the cross-validations have different folds, if test rows were used for training, or if
            the scores cannot be obtained (`from_estimator`).

        Warns
        -----
        MissingRowsWarning
            If rows are in no test fold, as with ``TimeSeriesSplit``.

        See Also
        --------
        Sample.from_estimator : scores of fitted estimators on other data.

        Examples
        --------
        >>> import pauci
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import cross_validate
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = LogisticRegression(max_iter=10_000)
        >>> cv = cross_validate(model, X[:, :5], y, return_estimator=True, return_indices=True)
        >>> pauci.Sample.from_cv_results(cv, X[:, :5], y)
        Sample(LogisticRegression: 357 positives, 212 negatives, cohort, 5 folds)
        """
        from pauci.sample.from_estimators import read_cv_results

        extras = _extra_columns(group, sample_weight, cluster, names=("sample_weight", "cluster"))
        options = DataOptions(pos_label, design, False, name)
        return cls._of(*read_cv_results(cv_results, X, y, extras, options, response_method))

    @classmethod
    @validate_call
    def from_marks(
        cls,
        marks: Any,
        cases: Any,
        case: str = "case",
        rating: str = "rating",
        lesion: str | None = "lesion",
        lesions: str | None = None,
        weights: str = "equal",
        kind: "FigureOfMerit" = "wAFROC",
        *,
        classifier: str | None = None,
        radius: "Number | str | None" = None,
        coordinates: Sequence[str] = ("x", "y"),
        group: "str | Sequence[str] | None" = None,
        name: str = "marks",
    ) -> "Sample":
        """Create a sample from marks with places, of one reader or of algorithms.

        Parameters
        ----------
        marks : pandas.DataFrame
            A row for each mark.
        cases : pandas.DataFrame
            A row for each case, also those without lesions or marks, or a row for each lesion, with
            a single row for each case without lesions.
        case : str
            Column of the case, in both frames.
        rating : str
            Column of `marks` with the rating; a higher rating means more suspicious.
        lesion : str, optional
            Column of `marks` with the lesion that the mark hits, which is missing for a false mark.
        lesions : str, optional
            Column of `cases` with the number of lesions (then named 1, 2, ...) or a list of their
            names in a row for each case, or the name in a row for each lesion, which is missing for
            cases without lesions. The default is the column `lesion` of `cases`, or "lesions".
        weights : str, default "equal"
            Column of `cases` with the weights of lesions, or lists of them, which add up to 1 in
            each case; by default the lesions of a case have equal weights.
        kind : {"AFROC", "wAFROC", "AFROC1", "wAFROC1", "ROC", "LROC"} or callable
            The figure of merit (see Notes), or a function of `pauci.sample.marks.Marks` that
            returns `pauci.sample.marks.FigureRows`.
        classifier : str, optional
            Column of `marks` with the algorithm, if there are several.
        radius : number or str, optional
            Instead of a column `lesion` of `marks`: the distance up to which a mark hits a lesion,
            or a column of `cases` with that of each lesion. A mark hits the nearest such lesion.
        coordinates : sequence of str, default ("x", "y")
            With `radius`: the columns of the place, in both frames.
        group : str or sequence of str, optional
            Columns of `cases` with groups, for ``estimate(..., by=)``.
        name : str, default "marks"
            Name of a single classifier.

        Returns
        -------
        Sample
            A sample whose AUC is the figure of merit, with cases as clusters.

        Warns
        -----
        RepeatedRowsWarning
            If the marks on a lesion are those of several readers or modalities.

        Raises
        ------
        ValueError, TypeError
            If a mark is in an unknown case or on a lesion that does not exist, a rating is missing,
            a case has rows with and without lesions, weights do not add up to 1, or with "LROC" a
            case does not have a single mark. The message names the case.

        Notes
        -----
        With "AFROC" the positives are lesions with their highest marks, and the negatives are cases
        without lesions with their highest false marks (Chakraborty and Winter 1990, Radiology
        174:873-881). With "wAFROC" lesions have weights, so that each case with lesions counts
        equally (Chakraborty and Zhai 2016, Academic Radiology 23:1443-1454). With "AFROC1" and
        "wAFROC1" the negatives are all cases, for data without lesion-free cases; a reader who
        makes many false marks in cases with lesions is then worse. With "ROC" the score of a case
        is its highest mark. With "LROC" each case has a single mark, and a mark that is not on a
        lesion has no credit: the AUC is the area under the LROC curve, and the sensitivity at the
        lowest rating, ``Sensitivity(threshold=...)``, is the fraction of correct localizations.

        Lesions and cases without marks have a common score below all ratings, so that the end of
        the curve is straight. Of several marks on a lesion, the highest counts.

        Examples
        --------
        >>> import pandas as pd, pauci
        >>> cases = pd.DataFrame({"case": [1, 2, 3, 4], "lesions": [0, 0, 2, 1]})
        >>> marks = pd.DataFrame({
        ...     "case": [1, 3, 3, 4], "lesion": [None, 1, None, 1], "rating": [2, 3, 1, 2],
        ... })
        >>> sample = pauci.Sample.from_marks(marks, cases)
        >>> round(pauci.AUC().on(sample.ratings().curve), 4)
        0.6875
        """
        from pauci.sample.marks import Places, read_classifiers

        compared = radius, coordinates, checks.listed(group)
        places = Places(case, lesion, lesions, weights, *compared, rating, kind)
        return cls._of(*read_classifiers(marks, cases, places, classifier, name))

    @classmethod
    @validate_call
    def from_classes(
        cls,
        y: "Vector",
        probabilities: Any,
        classes: "Vector | None" = None,
        *,
        frequency: "Vector | None" = None,
        weight: "Vector | None" = None,
        cluster: "Vector | None" = None,
        design: Design = "cohort",
        fold: "Vector | None" = None,
        group: "Vector | GroupColumns | None" = None,
        name: str | None = None,
        verified: "Vector | None" = None,
        verification: "Vector | Mapping[str, Vector] | None" = None,
        event: "Vector | None" = None,
    ) -> "Sample":
        """Create a sample of several classes.

        Parameters
        ----------
        y : array_like of shape (n,)
            The class of each row, or an ordinal or continuous reference value (`CIndex`).
        probabilities : array_like of shape (n, K) or (n,), data frame, or dict of str to these
            A column of scores for each of the K classes, such as the output of ``predict_proba``;
            or a single score, if the classes are ordered, that is higher for later classes. Several
            classifiers by name are paired by rows.
        classes : sequence of K labels, optional
            The class of each column, such as ``model.classes_``; for a single score, the classes in
            their order. By default these are the columns of a data frame, or the labels in `y`,
            sorted or in the order of categories.
        frequency, weight, cluster, design, fold, group, name, verified, verification
            As for `Sample`. The weight of a row does not depend on the class that is evaluated.
        event : array_like of bool, shape (n,), optional
            For `CIndex` of follow-up times as `y`, with a score that is higher for longer times:
            whether the event occurred (1) or the time was censored (0).

        Returns
        -------
        Sample
            A sample for which `estimate` evaluates measures of two classes, such as
            ``pauci.AUC()``, for each class against the rest, averages over classes (`Macro`,
            `HandTill`) and measures of all classes together (`PDI`, `VUS`, `CIndex`).
            ``sample.versus_rest("late")`` is the sample of a class and the rest.

        Raises
        ------
        ValueError, TypeError
            If a class in `y` has no column, a class has no row, or the columns of a data frame and
            the classes differ in their order; and as for `Sample`.

        Notes
        -----
        Probabilities that do not add up to 1 are accepted, because most measures depend only on
        their ranks within a column. All results state that they do not, and measures of risks raise
        an error.

        Examples
        --------
        >>> import pauci
        >>> y = ["benign", "early", "late", "benign", "late", "early"]
        >>> marker = [0.2, 1.1, 3.0, 0.5, 2.4, 1.9]
        >>> pauci.Sample.from_classes(y, marker, classes=["benign", "early", "late"])
        Sample(score: 2 benign, 2 early, 2 late, cohort)
        """
        from pauci.sample.class_rows import read_classes

        extras = _extra_columns(group, frequency, weight, cluster, fold)
        label = array_column("y", y)
        if verified is not None or verification is not None:
            from pauci.sample.verified import with_verification

            label = with_verification(label, extras, verified, verification, None)
        options = DataOptions(None, design, False, name)
        return cls._of(*read_classes(label.values, probabilities, classes, extras, options, event))

    @classmethod
    @validate_call
    def from_imputations(
        cls,
        frames: Any,
        label: str,
        scores: str | Sequence[str],
        imputation: str | None = None,
        positive: object = None,
        *,
        frequency: str | None = None,
        weight: str | None = None,
        cluster: str | None = None,
        design: Design = "cohort",
        lower_is_positive: bool | str | Sequence[str] = False,
        name: str | None = None,
    ) -> "Imputations":
        """Create the samples of the completed data sets of a multiple imputation.

        Parameters
        ----------
        frames : list of data frames, or data frame
            The completed data sets, or one frame with the rows of all of them.
        label : str
            Column of the labels, as for `from_frame`.
        scores : str or sequence of str
            Column or columns of the scores.
        imputation : str, optional
            Column with the number of the imputation of each row, if there is one frame. Rows with
            number 0 are not used if they are the incomplete data, with missing values.
        positive : scalar, optional
            The label of the positive class.
        frequency, weight, cluster, design, lower_is_positive, name
            As for `from_frame`.

        Returns
        -------
        Imputations
            For `pauci.estimate` and `pauci.compare`, which return the result of `pauci.pool`.
            Iterating over it yields the samples.

        Raises
        ------
        ValueError, TypeError
            If there is one completed data set, if their numbers of rows differ, if `imputation` is
            missing for a single frame; and as for `from_frame`.

        Examples
        --------
        >>> import numpy as np, pandas as pd, pauci
        >>> rng = np.random.default_rng(1)
        >>> y = np.arange(90) % 3 == 0
        >>> score = y + rng.normal(size=90)
        >>> score[:20] = np.nan
        >>> frame = pd.DataFrame({"y": np.tile(y, 3), "imp": np.repeat([1, 2, 3], 90)})
        >>> frame["score"] = np.tile(score, 3)
        >>> frame["score"] = frame["score"].fillna(frame["y"] + pd.Series(rng.normal(size=270)))
        >>> imputed = pauci.Sample.from_imputations(frame, "y", "score", imputation="imp")
        >>> imputed
        Imputations(score: 3 of 90 rows)
        >>> print(f"{pauci.estimate(imputed, pauci.AUC()):.2f}")
        0.86 (0.72 to 0.93)
        """
        from pauci.sample.from_frame import completed_frames

        arguments = label, scores, positive, frequency, weight, cluster, design
        read = partial(cls.from_frame, lower_is_positive=lower_is_positive, name=name)
        completed = completed_frames(frames, imputation)
        return Imputations(tuple(read(frame, *arguments) for frame in completed))

    @classmethod
    @validate_call
    def from_survival(
        cls,
        frame: Any = None,
        time: "str | Vector | None" = None,
        event: "str | Vector | None" = None,
        scores: "str | Sequence[str] | Scores | None" = None,
        horizon: float | Sequence[float] | None = None,
        event_value: int = 1,
        competing: str = "exclude",
        censoring: "str | Vector" = "km",
        *,
        strata: "str | Vector | None" = None,
        frequency: "str | Vector | None" = None,
        weight: "str | Vector | None" = None,
        cluster: "str | Vector | None" = None,
        fold: "str | Vector | None" = None,
        group: "str | Sequence[str] | Vector | GroupColumns | None" = None,
        lower_is_positive: bool | str | Sequence[str] = False,
        drop_missing: bool = False,
        name: str | None = None,
    ) -> "Sample":
        r"""Create a sample of outcomes at a horizon from follow-up times with censoring.

        Positives are cases: rows with the event by the horizon. Negatives are controls: rows that
        are followed beyond it. Their weights are inverse probabilities of not being censored, and
        rows censored before the horizon have weight 0. All measures, tests and intervals are those
        of a sample with weights, and standard errors include the estimation of the weights.

        Parameters
        ----------
        frame : data frame, optional
            Data frame of any kind that `from_frame` accepts, in which the other arguments name
            columns; the columns of a lazy frame are loaded into memory, about 250 bytes per row.
            Without a frame, the other arguments are arrays.
        time : str or array_like of shape (n,)
            Follow-up time of each row, from 0 on, in the unit of `horizon`.
        event : str or array_like of shape (n,)
            Why follow-up ended: 0 censored, `event_value` the event, and other positive whole
            numbers competing events.
        scores : str, sequence of str, array_like of shape (n,), or dict of str to array_like
            Columns of the scores, or scores as for `Sample`.
        horizon : float or sequence of float
            The horizon t, above 0 and before the last follow-up. Several horizons are parts of the
            sample on the same rows (see Notes).
        event_value : int, default 1
            The code of the event.
        competing : {"exclude", "control"}, default "exclude"
            Whether rows with a competing event by the horizon have weight 0, or are controls,
            which absolute risks require.
        censoring : "km", str or array_like of shape (n,), default "km"
            "km" for the Kaplan-Meier estimate of censoring, or given weights of the rows (the
            inverse probabilities, a column or an array), which are treated as known. Given weights
            of rows that are neither cases nor controls are not used.
        strata : str or array_like of shape (n,), optional
            Factor within which the Kaplan-Meier estimate is calculated, if censoring depends on it.
        frequency, weight, cluster : str or array_like of shape (n,), optional
            As for `Sample`. The Kaplan-Meier estimate uses frequencies and sampling weights.
        fold : str or array_like of shape (n,), optional
            Cross-validation fold of each row, as for `Sample`. Weights are those of all rows.
        group : str, sequence of str, array_like of shape (n,), or dict of str to array_like
            Groups of the rows, as for `from_frame` or `Sample`. Weights are those of all rows.
        lower_is_positive, drop_missing, name
            As for `from_frame`.

        Returns
        -------
        Sample

        Raises
        ------
        ValueError, TypeError
            If times are negative, codes of events are not whole numbers, there is no event by the
            horizon, the horizon is not before the last follow-up, or all rows (of a stratum) are
            censored by the horizon; and as for `Sample`.

        Warns
        -----
        CensoringWarning
            If fewer than 20 rows are cases, or are followed beyond the horizon, or if the estimated
            probability of being uncensored at the horizon is below .1.
        DoubtfulDataWarning
            If no row is censored and there are several codes of events, or if given weights are
            below 1.

        Notes
        -----
        With the Kaplan-Meier estimate G of the censoring distribution, in which events precede
        censorings at equal times, cases have the weight :math:`1/G(T-)` and controls
        :math:`1/G(t)`; controls with a competing event have :math:`1/G(T-)` (Uno, Cai, Tian and Wei
        2007; Blanche, Dartigues and Jacqmin-Gadda 2013). Censoring must be independent of times and
        scores, within strata if there are any. The variance is :math:`n/(n - 1)` times the sum of
        squares of influence values, which include the derivative with respect to the weights and
        are centred over all n rows. The bootstrap estimates the weights in each replicate, and the
        jackknife without each row.

        With several horizons, `estimate` and `compare` return the results of each, with their joint
        covariance, like those of groups: ``r.gaps`` are differences from the first horizon,
        ``r.heterogeneity()`` is a joint test, ``r.simultaneous()`` returns intervals for all of
        them, and ``r.contrast([1/3, 1/3, 1/3])`` is the average of a measure over three horizons.
        Other functions need the sample of one horizon, ``sample.at(5)``.

        References
        ----------
        P. Blanche, J.-F. Dartigues and H. Jacqmin-Gadda (2013), Statistics in Medicine
        32:5381-5397. H. Uno, T. Cai, L. Tian and L.-J. Wei (2007), Journal of the American
        Statistical Association 102:527-537.

        Examples
        --------
        >>> import numpy as np, pauci
        >>> risk, rng = np.linspace(-1, 1, 200), np.random.default_rng(1)
        >>> event, censored = rng.exponential(8 * np.exp(-risk)), rng.exponential(20, 200)
        >>> sample = pauci.Sample.from_survival(
        ...     time=np.minimum(event, censored), event=event <= censored, scores=risk, horizon=5
        ... )
        >>> e = pauci.estimate(sample, pauci.AUC())
        >>> round(e.value, 3), round(e.se, 3)
        (0.704, 0.042)
        """
        from pauci.sample.survival import SurvivalOptions, read_survival

        codes = event_value, competing, lower_is_positive
        options = SurvivalOptions(horizon, *codes, name, drop_missing)
        given = None if isinstance(censoring, str) and censoring == "km" else censoring
        extras = dict(zip(EXTRAS, (frequency, weight, cluster, fold), strict=True))
        extras = {"time": time, **extras, "strata": strata, "censoring": given}
        if frame is None:
            extras |= group_columns(group)
        else:
            extras |= {f"{GROUP}{column}": column for column in checks.listed(group)}
        return cls._of(*read_survival(frame, event, scores, extras, options))

    def versus_rest(self, positive: object) -> "Sample":
        """Return the sample of a class, as positives, and the rest.

        Parameters
        ----------
        positive : scalar
            The label of the class.

        Returns
        -------
        Sample
            With the scores of this class, or the single score of ordered classes.

        Raises
        ------
        ValueError
            If there is no such class.

        Examples
        --------
        >>> import pauci
        >>> scores = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7], [0.4, 0.5, 0.1]]
        >>> pauci.Sample.from_classes(["a", "b", "c", "a"], scores).versus_rest("c")
        Sample(score: 1 positive, 3 negatives, cohort, label 'c' against the rest ('a', 'b'))
        """
        return self.between(self._class_rows.number_of(positive, "positive"))

    @property
    def _class_rows(self) -> "ClassRows":
        """The rows of a sample of several classes; other samples raise an error."""
        from pauci.sample.class_rows import ClassRows

        if not isinstance(self.rows, ClassRows):
            problem = (
                "the sample has positives and negatives only; use pauci.Sample.from_classes for "
                "several classes."
            )
            raise InputError(problem, argument="sample")
        return self.rows

    def between(self, k: int, other: int | None = None) -> "Sample":
        """Return the sample of the class with number `k` and another class, or the rest."""
        if self._class_rows.event is not None:
            problem = (
                "a sample with event= has censored reference values and no classes; use "
                "pauci.CIndex(), or pauci.Sample.from_survival for the outcomes at a horizon."
            )
            raise InputError(problem, argument="event")
        rows = self._class_rows.between(k, other)
        return Sample._of(rows, {name: r.between(k, other) for name, r in self._ratings.items()})

    def stratified(self, strata: tuple[int, ...] | None) -> "Sample":
        """Return the sample of several classes with other strata of the rows."""
        if strata is None:
            return self
        rows = replace(self._class_rows, strata=strata)
        return self.part(rows, np.arange(rows.class_of.size))

    def ratings(self, name: str | None = None) -> Ratings:
        """Return the ratings of a classifier on its rows: ``.curve`` and ``.codes``."""
        name = self._only_name() if name is None else name
        if self.rows.has_folds:
            problem = (
                f"this sample is in {len(self.rows.fold_names)} folds, whose scores are not on "
                "one scale, so there is no ROC curve of the whole sample. pauci.estimate and "
                "pauci.compare average over the folds; sample.folds() returns a sample of each "
                "fold."
            )
            raise InputError(problem, argument="fold")
        if not self.rows.has_one_curve:
            self._labelled_rows()
            from pauci.sample.class_rows import no_curve

            raise no_curve(self._class_rows)
        return self._ratings[self._selected(name)[0]]

    def _labelled_rows(self) -> Rows:
        """Return the rows; an error for rows with several labels, as at several horizons."""
        if self.has_predictions:
            problem = (
                "some rows of this sample have no labels but predictions of them; only "
                "pauci.estimate and pauci.compare take account of these."
            )
            raise InputError(problem, argument="prediction")
        if self.horizons:
            several = ", ".join(map(str, self.horizons))
            problem = (
                f"this sample has the horizons {several}, each with other cases and controls. "
                "pauci.estimate and pauci.compare evaluate all of them."
            )
            hint = f"Otherwise pass one of them, such as horizon={self.horizons[0]}."
            raise InputError(problem, argument="horizon", hint=hint)
        return self.rows

    @property
    def has_predictions(self) -> bool:
        """Whether estimates combine known and predicted labels."""
        return self.rows.predictions is not None

    @property
    def horizons(self) -> tuple[float, ...]:
        """The horizons of a sample of `from_survival` with several of them; otherwise empty."""
        return tuple(Horizon(t) for t, _ in self.rows.horizons)

    def at(self, horizon: float) -> "Sample":
        """Return the sample at one of several horizons.

        Parameters
        ----------
        horizon : float
            The horizon.

        Returns
        -------
        Sample
            With the cases, controls and weights at this horizon.

        Raises
        ------
        ValueError
            If the sample does not have this horizon.

        Examples
        --------
        >>> import pauci
        >>> time, score = list(range(1, 61)), [5, 3, 4, 1, 2, 0] * 10
        >>> sample = pauci.Sample.from_survival(
        ...     time=time, event=[1] * 60, scores=score, horizon=[20, 30]
        ... )
        >>> sample.at(30).n_pos
        30
        """
        for known, part in zip(self.horizons, self.folds(), strict=False):
            if checks.equal(known, horizon):
                return part
        known_ones = ", ".join(map(str, self.horizons)) or "none"
        problem = f"is not one of the horizons of this sample: {known_ones}."
        raise InputError.of("horizon", horizon, problem)

    def any_ratings(self, name: str) -> Ratings:
        """Return the ratings of a classifier, which may have no ROC curve of the whole sample."""
        return self._ratings[self._selected(name)[0]]

    def _scores_of(self, name: str) -> AnyArray:
        return self._ratings[name].values  # noqa: PD011

    def _only_name(self) -> str:
        """Return the name of a single classifier; several raise an error."""
        if len(self._ratings) > 1:
            known = checks.some_of(self.names, "")
            problem = f"this sample holds {len(self._ratings)} classifiers; name one of {known}."
            raise InputError(problem, argument="name")
        return self.names[0]

    def folds(self) -> "list[Sample]":
        """Return the sample of each fold or horizon; without them, a list of the sample itself.

        With predictions of labels, they are the rows with known labels, the same rows with
        predicted labels, and all rows, or the others, with predicted labels.
        """
        every = np.arange(self.rows.positive.size)
        parts = [(rows, every) for _, rows in self.rows.horizons]
        if self.rows.predictions is not None:
            parts = list(self.rows.predictions.parts)
        elif self.rows.has_folds and not parts:
            parts = [self.rows.fold_part(k) for k in range(len(self.rows.fold_names))]
        return [self.part(*part) for part in parts] or [self]

    def part(self, rows: Rows, index: IntArray) -> "Sample":
        """Return the sample of some rows, whose positions are `index`."""
        return Sample._of(rows, {name: r.part(rows, index) for name, r in self._ratings.items()})

    @property
    def n_pos(self) -> int:
        """Number of positives, copies included."""
        return self._labelled_rows().counts[0]

    @property
    def n_neg(self) -> int:
        """Number of negatives, copies included."""
        return self._labelled_rows().counts[1]

    @property
    def prevalence(self) -> float:
        """Proportion of positives, weighted if there are weights."""
        return self._labelled_rows().prevalence

    @property
    def design(self) -> Design:
        """Sampling design, ``"cohort"`` or ``"case-control"``."""
        return self.rows.design

    def __len__(self) -> int:
        """Return the number of classifiers."""
        return len(self._ratings)

    def __iter__(self) -> Iterator["Sample"]:
        """Iterate over the samples of single classifiers."""
        return (self[name] for name in self._ratings)

    def __contains__(self, name: object) -> bool:
        """Return whether a classifier has this name."""
        return name in self._ratings

    def __getitem__(self, names: str | Sequence[str]) -> "Sample":
        """Return the sample of one classifier, or of a list of them, on the same rows."""
        chosen = {name: self._ratings[name] for name in self._selected(names)}
        return Sample._of(self.rows, chosen)

    def _selected(self, names: str | Sequence[str]) -> Sequence[str]:
        """Return one or several names of classifiers as a list, or raise an error."""
        if isinstance(names, str) and names in self._ratings:
            return [names]
        wanted = [names] if isinstance(names, str) else names
        if not isinstance(wanted, (list, tuple)) or not all(isinstance(n, str) for n in wanted):
            known = checks.some_of(self.names, names)
            raise InputTypeError(f"classifiers are selected by name, not by {names!r}: {known}.")
        if not wanted:
            known = checks.some_of(self.names, names)
            raise InputError(f"an empty list selects no classifier of {known}.")
        for name in wanted:
            if name not in self._ratings:
                near, known = checks.nearest(name, self.names), checks.some_of(self.names, name)
                raise KeyError(
                    f"{name!r} is not a classifier of this sample{near} It has: {known}."
                )
        if len(set(wanted)) < len(wanted):
            raise InputError(f"{names!r} names a classifier twice; name each once.")
        return wanted

    def renamed(self, name: str) -> "Sample":
        """Return the sample of a single classifier with another name of the classifier.

        Parameters
        ----------
        name : str
            The name.

        Returns
        -------
        Sample
            With the same rows and scores.

        Raises
        ------
        TypeError, ValueError
            If the name is not a string, or empty, or if there are several classifiers.

        Examples
        --------
        >>> import pauci
        >>> pauci.Sample([0, 1], [1, 2]).renamed("validation")
        Sample(validation: 1 positive, 1 negative, cohort)
        """
        checks.check_text("name", "" if name is None else name)
        ratings = copy(self._ratings[self._only_name()])
        ratings.name, ratings.cautions = name, {}
        return Sample._of(self.rows, {name: ratings})

    def without_scores(self) -> "Sample":
        """Return the rows without their scores, by which other results of them are recognized."""
        return Sample._of(self.rows, {})

    @validate_call
    def counts(self, smallest: int | None = None) -> "pd.DataFrame":
        """Return the numbers of positives and negatives at each score.

        The table contains all that estimates and comparisons depend on, but no single rows, so that
        it can be shared where the rows cannot. `from_counts` creates a sample from it, and `concat`
        a sample from those of several tables.

        Parameters
        ----------
        smallest : int, optional
            The smallest number of rows in a cell: neighbouring scores are merged until no number of
            positives or negatives is between 0 and this size. A group of merged scores is
            represented by its lowest score, so that sensitivity and specificity at the scores of
            the table are those of the rows. Estimates from the table differ from those from the
            rows, and a warning is issued. Scores are merged for a single classifier only.

        Returns
        -------
        pandas.DataFrame
            The columns "score", "positives", "negatives" and "classifier" (the name), the highest
            score first. For several classifiers a column of scores for each of them, with its name,
            and the numbers of rows with each combination of scores, on which paired comparisons
            depend.

        Raises
        ------
        ValueError
            If the rows are weighted, in clusters, in folds or of several classes, if lower scores
            mean more positive, or if merging would leave a single score.

        Warns
        -----
        DoubtfulDataWarning
            If scores are merged.

        Notes
        -----
        Groups of the rows, the numbers of rows that were dropped, and the design are not part of
        the table: pass ``design="case-control"`` again.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 0, 1, 1, 1], [1, 2, 2, 3, 3])
        >>> sample.counts()
           score  positives  negatives classifier
        0      3          2          0      score
        1      2          1          1      score
        2      1          0          1      score
        >>> pauci.Sample.from_counts(sample.counts())
        Sample(score: 3 positives, 2 negatives, cohort, frequencies)
        """
        from pauci.sample.tables_of_counts import counts_of

        return counts_of(self, smallest)

    @classmethod
    @validate_call
    def concat(cls, samples: "Sequence[Sample] | Mapping[str, Sample]") -> "Sample":
        """Create a sample of the rows of several samples, such as those of several sites.

        Parameters
        ----------
        samples : sequence of Sample, or dict of str to Sample
            At least two samples of different rows with the same classifiers on the same scale. With
            a dict, its keys are groups with the name "sample": ``estimate(..., by="sample")``
            returns the estimates of each.

        Returns
        -------
        Sample
            Scores of different samples are compared with each other; `pauci.meta` pools estimates
            within the samples instead.

        Raises
        ------
        ValueError, TypeError
            If there is a single sample or the same sample twice; if classifiers, scales or designs
            differ; or if rows are weighted, in clusters, in folds or of several classes.

        See Also
        --------
        counts : tables of counts, from which samples can be created without the rows.

        Examples
        --------
        >>> import pauci
        >>> a = pauci.Sample([0, 0, 1, 1], [1, 2, 2, 3])
        >>> b = pauci.Sample.from_counts([3, 2, 1], [8, 3, 1], [1, 5, 30])
        >>> pauci.Sample.concat([a, b])
        Sample(score: 14 positives, 38 negatives, cohort, frequencies)
        """
        from pauci.sample.tables_of_counts import joined_samples

        return cls._of(*joined_samples(samples, Sample))

    def __repr__(self) -> str:
        rows, names = self.rows, ", ".join(self.names)
        if self.horizons:
            return f"Sample({names}: horizons {', '.join(map(str, self.horizons))})"
        if rows.predictions is not None:
            labelled = checks.count(sum(rows.predictions.parts[0][0].counts), "labelled row")
            return f"Sample({names}: {labelled}, {rows.predictions.words})"
        sizes = f"{checks.count(self.n_pos, 'positive')}, {checks.count(self.n_neg, 'negative')}"
        if self.classes:
            sizes = list_of_classes(self._class_rows.class_list)
        lower = [name for name, ratings in self._ratings.items() if ratings.lower_is_positive]
        which = "" if len(lower) == len(self) else f" for {', '.join(lower)}"
        facts = (
            (rows.has_frequencies, "frequencies"),
            (rows.has_weights, "weights"),
            (rows.has_clusters, "clusters"),
            (rows.has_folds, checks.count(len(rows.fold_names), "fold")),
            (lower, f"lower is positive{which}"),
            (rows.rest, rows.rest),
            (rows.uncounted, f"{checks.count(rows.uncounted, 'row')} with zero weight"),
            (rows.dropped, f"{checks.count(rows.dropped, 'row')} dropped"),
            (rows.left_out, f"{checks.count(rows.left_out, 'row')} with other labels left out"),
        )
        parts = [sizes, self.design, *(words for holds, words in facts if holds)]
        cells = [ratings.cells for ratings in self._ratings.values() if ratings.cells is not None]
        if cells:
            parts.append(str(CellFacts(*map(max, zip(*cells, strict=True)))))
        return f"Sample({names}: {', '.join(parts)})"


@validated_dataclass
class Imputations:
    """Samples of completed data sets, for `pauci.estimate` and `pauci.compare`.

    These evaluate each sample and return the pooled result of `pauci.pool`.

    Parameters
    ----------
    samples : tuple of Sample
        The sample of each completed data set. For other functions, iterate over the samples.
    """

    samples: tuple[Sample, ...]

    def __post_init__(self) -> None:
        samples = checks.values_of("samples", self.samples, "Samples")
        if not samples or not all(isinstance(s, Sample) for s in samples):
            raise InputTypeError.of("samples", self.samples, "must be a sequence of Samples.")

    def __len__(self) -> int:
        """Return the number of completed data sets."""
        return len(self.samples)

    def __iter__(self) -> Iterator[Sample]:
        """Iterate over the samples."""
        return iter(self.samples)

    def __getitem__(self, names: str | Sequence[str]) -> "Imputations":
        """Return the samples of one classifier, or of a list of them."""
        return Imputations(tuple(sample[names] for sample in self.samples))

    def __repr__(self) -> str:
        first = self.samples[0]
        rows = sum(first.rows.counts)
        return f"Imputations({', '.join(first.names)}: {len(self)} of {rows:,} rows)"
