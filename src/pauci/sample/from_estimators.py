"""Scores of fitted estimators of scikit-learn, and of the estimators of a cross-validation.

An estimator is any object with the methods of scikit-learn: ``predict_proba`` or
``decision_function``, and ``classes_``. scikit-learn itself is not imported.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pauci import checks
from pauci.checks import AnyArray, IntArray
from pauci.errors import DataName, InputError, InputTypeError, MissingRowsWarning, show, warn
from pauci.sample.class_rows import read_classes
from pauci.sample.columns import by_classifier, check_same_order
from pauci.sample.ratings import Ratings
from pauci.sample.rows import DataOptions, Rows
from pauci.sample.validation import validate
from pauci.sample.vectors import DataColumns, NamedColumn, NamedColumns, array_column

RESPONSE_METHODS = ("auto", "predict_proba", "decision_function", "predict")
_AUTOMATIC = ("predict_proba", "decision_function")

_CONVENTIONAL = ({0, 1}, {-1, 1})
"""Pairs of classes, booleans included, of which the larger is the positive one."""

_RUN = "cross_validate(..., return_estimator=True, return_indices=True)"


def response(
    estimator: Any, features: Any, pos_label: object, method: str, where: str = ""
) -> tuple[Any, object]:
    """Return the scores of an estimator, and the class that high scores indicate, or all classes.

    Parameters
    ----------
    estimator : object
        A fitted estimator.
    features : array-like, sparse matrix or data frame
        The features.
    pos_label : object
        The label of the positive class; None for the second of two conventional classes.
    method : str
        One of `RESPONSE_METHODS`.
    where : str
        The estimator in messages, such as ``" (fold 2)"``.
    """
    name = f"{type(estimator).__name__}{where}"
    if isinstance(estimator, type):
        problem = "is a class; pass a fitted estimator."
        raise InputTypeError.of("estimator", estimator, problem, shown=estimator.__name__)
    method = _method_of(estimator, method, name)
    try:
        classes = estimator.classes_
    except AttributeError:  # scikit-learn's NotFittedError is one too
        classes = None
    if method == "predict":
        if classes is not None:
            problem = (
                f"returns the classes that {name} predicts, whose ROC curve has a single point."
            )
            hint = "Use response_method='auto', or a regressor that predicts scores."
            raise InputError.of("response_method", method, problem, hint=hint)
        return estimator.predict(features), pos_label
    if classes is None:
        problem = f"is {name}, which has no classes_; it is not fitted, or not a classifier."
        hint = "Fit it to training data first, or use pauci.Sample(y, scores) with its scores."
        raise InputError.about("estimator", problem, value=estimator, hint=hint)
    if isinstance(classes, list):
        problem = f"is {name}, which predicts {len(classes)} labels; an ROC curve is for one."
        hint = "Use pauci.Sample(y, scores) with the scores for one label."
        raise InputError.about("estimator", problem, value=estimator, hint=hint)
    if pos_label is None and len(classes) > 2:
        values = getattr(estimator, method)(features)
        _scores_of_class(values, 0, len(classes), method, name)  # there is a column of each class
        return values, tuple(np.asarray(classes).tolist())
    at, positive = _positive_class(np.asarray(classes), pos_label, name)
    values = getattr(estimator, method)(features)
    return _scores_of_class(values, at, len(classes), method, name), positive


def class_scores(estimator: Any, features: Any, method: str) -> tuple[Any, Any]:
    """Return the scores of each class, in columns, and the classes; None for predicted scores."""
    name = type(estimator).__name__
    method = _method_of(estimator, method, name)
    values, classes = getattr(estimator, method)(features), getattr(estimator, "classes_", None)
    if method == "predict" or classes is None:
        return values, None
    if np.ndim(values) == 1:
        values = np.column_stack([-np.asarray(values), values])
    return values, classes


def _method_of(estimator: Any, method: str, name: str) -> str:
    """Return the method that an estimator has, or raise an error."""
    checks.check_choice("response_method", method, RESPONSE_METHODS)
    wanted = _AUTOMATIC if method == "auto" else (method,)
    available = [m for m in wanted if hasattr(estimator, m)]
    if available:
        return available[0]
    hint = "Pass a fitted estimator, or use pauci.Sample(y, scores) with its scores."
    if hasattr(estimator, "classes_"):
        hint = (
            "An ROC curve requires scores: use response_method='auto', or wrap the classifier in "
            "CalibratedClassifierCV of scikit-learn, which predicts probabilities."
        )
    elif hasattr(estimator, "predict"):
        hint = "If it predicts a score, as a regressor does, pass response_method='predict'."
    problem = f"is {name}, which has no {' or '.join(wanted)}."
    raise InputTypeError.about("estimator", problem, value=estimator, hint=hint)


def _positive_class(classes: AnyArray, pos_label: object, name: str) -> tuple[int, object]:
    """Return the position of the positive class among the classes, and its label."""
    labels: list[Any] = classes.tolist()
    if len(labels) < 2:
        problem = f"is {name}, whose training rows had one class only: {checks.show_first(labels)}."
        hint = "Train it on rows of both classes, for example in folds stratified by class."
        raise InputError.about("estimator", problem, hint=hint)
    if pos_label is None:
        if len(labels) == 2 and set(labels) in _CONVENTIONAL:
            return 1, labels[1]
        choices = " or ".join(f"pos_label={show(v)}" for v in labels)
        problem = f"{name} has the classes {checks.show_first(labels)}; which one is positive?"
        raise InputError(problem, argument="pos_label", value=None, hint=f"Pass {choices}.")
    matching = [i for i, label in enumerate(labels) if checks.equal(label, pos_label)]
    if not matching:
        problem = f"is not a class of {name}: {checks.show_first(labels)}."
        raise InputError.of("pos_label", pos_label, problem)
    return matching[0], labels[matching[0]]


def _scores_of_class(values: Any, at: int, classes: int, method: str, name: str) -> Any:
    """Return the scores of one class from the response of a classifier."""
    shape = np.shape(values)
    if len(shape) == 2 and shape[1] == classes:
        return np.asarray(values)[:, at]
    if classes == 2 and len(shape) == 1:
        return values if at == 1 else -np.asarray(values)
    problem = (
        f"is {name} of {classes} classes, whose {method} returns the shape {shape}; it must have "
        "one column for each class."
    )
    hint = "Use another response_method, or pauci.Sample(y, scores) with the scores of a class."
    raise InputError.about("estimator", problem, hint=hint)


Columns = tuple[Rows, dict[str, Ratings]]


def read_estimators(
    estimators: Any, features: Any, y: Any, extras: NamedColumns, options: DataOptions, method: str
) -> Columns:
    """Return the rows and the ratings of one or several fitted estimators."""
    _checked_size(features, y, extras)
    scores, labels = {}, []
    named = by_classifier("estimator", estimators, options.name, name_of(estimators))
    for key, estimator in named.items():
        scores[key], label = response(estimator, features, options.positive, method)
        labels.append(label)
    return _with_scores(y, scores, labels, extras, options)


def _checked_size(features: Any, y: Any, extras: NamedColumns) -> int:
    """Return the number of rows; raise an error if the data do not have the same rows."""
    n = _number_of_rows("X", features)
    columns = [array_column("y", y), *extras.values()]
    for argument, values in columns:
        if values is not None and (rows := _number_of_rows(argument, values)) != n:
            problem = f"has {rows:,} rows and X has {n:,}; they must be the same rows."
            raise InputError.about(argument, problem)
    check_same_order([("X", features), *columns])
    return n


def _with_scores(
    y: Any, scores: Mapping[str, Any], labels: list[Any], extras: NamedColumns, options: DataOptions
) -> Columns:
    """Return the rows and the ratings of scores, given the positive label of each estimator."""
    columns = {"weight" if k == "sample_weight" else k: c for k, c in extras.items()}
    options = options._replace(positive=_common_positive(labels), name=None)
    if isinstance(options.positive, tuple):
        several = options._replace(positive=None)
        return read_classes(y, scores, options.positive, columns, several, None)
    names = {key: DataName(f"the scores of {key}", "estimator") for key in scores}
    named = {key: NamedColumn(names[key], values) for key, values in scores.items()}
    return validate(DataColumns(array_column("y", y), named, columns), options)


def read_cv_results(
    cv_results: Any, features: Any, y: Any, extras: NamedColumns, options: DataOptions, method: str
) -> Columns:
    """Return the rows and the ratings of one or several cross-validations on the same folds."""
    n = _checked_size(features, y, extras)
    named = _cross_validations(cv_results, options.name)
    tests = _folds_of(named, n)
    rows, fold = np.concatenate(tests), np.repeat(range(len(tests)), [t.size for t in tests])
    unused = np.setdiff1d(np.arange(n), rows)  # as with ShuffleSplit and TimeSeriesSplit
    if unused.size:
        problem = (
            f"{unused.size:,} of {n:,} rows are in no test fold and "
            f"{checks.was_or_were(unused.size)} not evaluated."
        )
        warn(MissingRowsWarning(problem, argument="cv_results", rows=unused))
    scores: dict[str, Any] = {}
    positives = []
    for key, results in named.items():
        parts = []
        for k, (estimator, test) in enumerate(zip(results["estimator"], tests, strict=True)):
            rows_of_test, where = rows_of(features, test), f" (fold {k})"
            scored, label = response(estimator, rows_of_test, options.positive, method, where)
            parts.append(np.asarray(scored))
            positives.append(label)
        scores[key or name_of(results["estimator"][0])] = np.concatenate(parts)
    recur = np.unique(rows).size < rows.size
    if not recur:  # in the order of the data, so that other columns of them can be used
        order = np.argsort(rows)
        rows, fold = rows[order], fold[order]
        scores = {key: values[order] for key, values in scores.items()}
    taken = {key: c._replace(values=rows_of(c.values, rows)) for key, c in extras.items()}
    if recur:
        taken.setdefault("cluster", array_column("cluster", rows))
    taken["fold"] = array_column("cv_results: the folds", fold)
    return _with_scores(rows_of(y, rows), scores, positives, taken, options)


def _cross_validations(cv_results: Any, name: str | None) -> Mapping[str, Any]:
    """Return one or several cross-validations by name; "" stands for the default name."""
    if not isinstance(cv_results, Mapping):
        problem = (
            f"is a {type(cv_results).__name__}; pass the dict that {_RUN} returns, or a dict of "
            "these by name."
        )
        raise InputTypeError.about("cv_results", problem, value=cv_results)
    if all(isinstance(v, Mapping) for v in cv_results.values()):
        return by_classifier("cv_results", cv_results, name, "")
    checks.check_text("name", name)
    return {name or "": cv_results}


def _folds_of(named: Mapping[str, Any], n: int) -> list[IntArray]:
    """Return the test rows of each fold, which must be the same in all cross-validations."""
    folds: dict[str, list[IntArray]] = {}
    for key, results in named.items():
        words = "cv_results" if len(named) == 1 else f"cv_results[{key!r}]"
        folds[key] = _test_rows(results, DataName(words, "cv_results"), n)
    first, expected = next(iter(folds.items()))
    for key, tests in folds.items():
        if len(expected) != len(tests) or not all(map(np.array_equal, expected, tests)):
            problem = (
                f"cv_results: {first!r} and {key!r} have different folds, so their scores are not "
                "paired."
            )
            hint = (
                "Pass the same splitter with a fixed seed to each cross_validate, such as "
                "cv=StratifiedKFold(5, shuffle=True, random_state=0)."
            )
            raise InputError(problem, argument="cv_results", hint=hint)
    return expected


def name_of(estimator: Any) -> str:
    """Return the name of the class of an estimator, or of the last step of a pipeline."""
    steps = getattr(estimator, "steps", None)
    return type(steps[-1][1] if steps else estimator).__name__


def _common_positive(labels: Sequence[Any]) -> object:
    """Return the positive class of all estimators, or raise an error if these differ."""
    known = [label for label in labels if label is not None]
    for label in known:
        if label != known[0]:
            problem = (
                f"the {'positive ' * (not isinstance(label, tuple))}classes of the estimators "
                f"differ: {checks.show_first(known)}."
            )
            raise InputError(problem, argument="pos_label", hint="Pass pos_label=.")
    return known[0] if known else None


def _number_of_rows(argument: str, values: Any) -> int:
    """Return the number of rows of a column or of a matrix, which may be sparse."""
    shape = getattr(values, "shape", None)
    has_rows = shape if shape is not None else hasattr(values, "__len__")
    if isinstance(values, (str, bytes, Mapping)) or not has_rows:
        problem = f"is a {type(values).__name__}; pass one row per observation."
        raise InputTypeError.about(argument, problem, value=values)
    return int(shape[0]) if shape else len(values)


def rows_of(values: Any, rows: IntArray) -> Any:
    """Return rows of a column, a matrix, which may be sparse, or a data frame; None for None."""
    if values is None:
        return None
    if checks.is_pandas(values):
        return values.iloc[rows] if hasattr(values, "iloc") else values[rows]
    if isinstance(values, (list, tuple)):
        return [values[i] for i in rows.tolist()]
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    return values.take(rows) if type(values).__module__.startswith("pyarrow") else values[rows]


def _test_rows(results: Any, words: DataName, n: int) -> list[IntArray]:
    """Return the positions of the test rows of each fold of a cross-validation."""
    missing = [key for key in ("estimator", "indices") if results.get(key) is None]
    if missing:
        problem = f"has no {' and no '.join(map(repr, missing))}."
        hint = f"Use {_RUN}."
        if "mean_test_score" in results:
            problem = "is that of a search, which has no estimators and rows of the folds."
            hint = f"Use {_RUN} with the search as the estimator, or with its best_estimator_."
        raise InputError.about(words, problem, hint=hint)
    estimators, indices = results["estimator"], results["indices"]
    tests = [np.asarray(test) for test in indices["test"]]
    if len(estimators) != len(tests):
        problem = f"has {len(estimators)} estimators and the rows of {len(tests)} folds."
        raise InputError.about(words, problem)
    if "train" not in indices:
        raise InputError.about(words, "has no indices of training rows.", hint=f"Use {_RUN}.")
    for k, (train, test) in enumerate(zip(indices["train"], tests, strict=True)):
        largest = max((int(np.max(part)) for part in (train, test) if len(part)), default=-1)
        if largest >= n:
            problem = f"has {n:,} rows, but fold {k} of {words} contains row {largest:,}."
            hint = "Pass the X and y that were passed to cross_validate."
            raise InputError.about("X", problem, hint=hint)
        common = np.intersect1d(train, test)
        if common.size:
            problem = (
                f"is not a cross-validation: {common.size:,} of {test.size:,} test rows of fold "
                f"{k} {checks.was_or_were(common.size)} also used for training."
            )
            hint = (
                "Use folds whose test rows are not training rows. The performance on training rows "
                "is that of pauci.Sample.from_estimator(estimator, X, y)."
            )
            raise InputError.about(words, problem, rows=common, hint=hint)
    return tests
