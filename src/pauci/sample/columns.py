"""Validation of labels and scores, which are converted to arrays.

Values are never dropped, guessed or reversed. If the user specifies that lower scores are positive,
the scores are negated, so that all other modules can assume that higher means more positive.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from pauci.checks import AnyArray, BoolArray, is_pandas, nearest, show, show_first
from pauci.curve.score_types import ScoreType, in_type_of, score_type_of
from pauci.curve.sorting import ranges
from pauci.errors import DataName, InputError, InputTypeError
from pauci.sample.vectors import (
    distinct_values,
    is_missing,
    refuse_missing,
    unboxed_numbers,
    vector,
)


def labels(
    y_true: object, positive: object = None, argument: str = "y_true", *, rows: int | None = None
) -> BoolArray:
    """Return a boolean array, True for the positive class.

    Labels 0/1, True/False and -1/1 do not require `positive`, the label of the positive class; any
    other pair of labels does. For the labels of a table of counts, `rows` is the number of rows in
    error messages.
    """
    values = vector(argument, y_true)
    refuse_missing(argument, values)
    values = unboxed_numbers(argument, values)
    if positive is None:
        is_positive = _conventional_labels(argument, values)
    else:
        is_positive = _named_labels(argument, values, positive)
    n_pos = int(np.count_nonzero(is_positive))
    if n_pos in (0, values.size):
        raise InputError(
            f"{argument} holds one class only: all {values.size if rows is None else rows} rows "
            f"are {show(values[0])}. An ROC curve needs positives and negatives.",
            argument=argument,
            value=values[0].item() if values.dtype.kind != "O" else values[0],
        )
    return is_positive


def _conventional_labels(argument: str, values: AnyArray) -> BoolArray:
    if values.dtype.kind == "b":
        return values.astype(np.bool_)
    if values.dtype.kind in "iuf":
        is_positive: BoolArray = values == 1
        n_pos = np.count_nonzero(is_positive)
        for negative in (0, -1):
            if n_pos + np.count_nonzero(values == negative) == values.size:
                return is_positive
    distinct = distinct_values(values)
    if len(distinct) == 1:
        return np.zeros(values.size, np.bool_)
    if len(distinct) > 2:
        hint, shell_hint = _several_labels_advice(argument, distinct, "Otherwise ")
        raise InputError(
            f"{argument} has {len(distinct)} distinct values ({show_first(distinct)}), but a label "
            "has two.",
            hint=f"Are y_true and y_score swapped? {hint}",
            shell_hint=f"Are --label and --score swapped? {shell_hint}",
            argument=argument,
            value=values,
        )
    similar = _similar_labels(distinct)
    quoted = [show(str(v)) for v in (distinct[0], distinct[-1])]
    raise InputError(
        f"{argument} holds the labels {show_first(distinct)}; which one is positive?",
        hint=f"Pass positive={show(distinct[0])} or positive={show(distinct[-1])}.{similar}",
        shell_hint=f"Pass --positive {quoted[0]} or --positive {quoted[1]}.{similar}",
        argument=argument,
        value=values,
    )


def _named_labels(argument: str, values: AnyArray, positive: object) -> BoolArray:
    if isinstance(positive, (list, tuple, set, dict, np.ndarray)):
        raise InputTypeError(
            f"positive={positive!r} must be one label, not a collection.",
            argument="positive",
            value=positive,
        )
    if is_missing(positive):
        raise InputError(
            f"positive={positive!r} is a missing value, which cannot be a label of {argument}. "
            "Pass the label of the positive class.",
            argument="positive",
            value=positive,
        )
    with np.errstate(all="ignore"):
        is_positive = np.asarray(values == in_type_of(positive, values.dtype))
    if is_positive.shape != values.shape or not is_positive.any():
        refuse_unknown_label(argument, "positive", positive, values)
    rest = values[~is_positive]
    if rest.size and not bool((rest == rest[0]).all()):
        distinct = distinct_values(values)
        hint, shell_hint = _several_labels_advice(argument, distinct)
        raise InputError(
            f"{argument} has {len(distinct)} distinct values ({show_first(distinct)}), but a label "
            "has two.",
            hint=hint,
            shell_hint=shell_hint,
            argument=argument,
            value=values,
        )
    return is_positive.astype(np.bool_)


def _several_labels_advice(
    argument: str, distinct: list[object], otherwise: str = ""
) -> tuple[str, str]:
    """Return advice on a label with more than two values, in Python and on the command line."""
    similar = _similar_labels(distinct).strip()
    if similar:
        return similar, similar
    build = "build the two-valued label first"
    if getattr(argument, "column", None) is None:
        advice = f"{otherwise}{build}, for example y == 'cancer'."
        return (advice[0].upper() + advice[1:],) * 2
    rest = "the other rows are left out and counted."
    alternatives = getattr(argument, "label_advice", None) or (
        f"name two of them with positive= and negative=; {rest}",
        f"name two of them with --positive and --negative; {rest}",
    )
    python, shell = (f"{otherwise or 'Either '}{build}, or {other}" for other in alternatives)
    return python, shell


def _normalized(label: object) -> str:
    return " ".join(str(label).split()).casefold()


def _similar_labels(distinct: list[object]) -> str:
    """Return a sentence that lists labels that differ only in case or blanks, if there are any."""
    groups: dict[str, list[object]] = {}
    for label in distinct:
        if isinstance(label, str):
            groups.setdefault(_normalized(label), []).append(label)
    similar = [labels for labels in groups.values() if len(labels) > 1]
    if not similar:
        return ""
    named = "; ".join(show_first(labels) for labels in similar[:3])
    return f" Labels differ only in case or blanks: {named}. Write each class in one way."


def refuse_unknown_label(argument: str, name: str, label: object, values: AnyArray) -> NoReturn:
    """Raise an error for a label that is specified by an argument but does not occur."""
    distinct = distinct_values(values)
    raise InputError(
        f"{name}={label!r} is not among the labels of {argument} "
        f"({show_first(distinct)}).{_suggestion(label, distinct)}",
        argument=name,
        value=label,
    )


def _suggestion(positive: object, distinct: list[object]) -> str:
    """Suggest a label that differs from `positive` only in case, blanks or type."""
    same = [v for v in distinct if _normalized(v) == _normalized(positive)]
    return f" Did you mean {show(same[0])}?" if same else ""


class Scores(NamedTuple):
    """Validated scores; the categories of an ordinal scale are their names."""

    values: AnyArray
    categories: tuple[object, ...] | None
    score_type: ScoreType | None


def scores(argument: str, y_score: object, n: int, *, lower_is_positive: bool = False) -> Scores:
    """Return a copy of the scores, without conversion of integers, and their scale.

    Higher values of the result are more positive: if lower scores are positive, the scores are
    negated and the categories are reversed.
    """
    categories: tuple[object, ...] | None = None
    score_type: ScoreType | None = None
    if is_pandas(y_score) and hasattr(getattr(y_score, "dtype", None), "categories"):
        values, categories = _ordered_categories(argument, y_score)
        if lower_is_positive:
            values, categories = len(categories) - 1 - values, categories[::-1]
    else:
        values, score_type = _copy_of_numbers(argument, y_score)
        if lower_is_positive:
            values = negate(argument, values)
    if values.size != n:
        raise InputError(
            f"{argument} has {values.size} rows and y_true has {n}; they must be the same rows.",
            argument=argument,
            value=y_score,
        )
    return Scores(values, categories, score_type)


def _ordered_categories(argument: str, y_score: Any) -> tuple[AnyArray, tuple[object, ...]]:
    """Return the codes of an ordered Categorical of pandas, and its categories."""
    dtype = y_score.dtype
    if not dtype.ordered:
        raise InputTypeError(
            f"{argument} is an unordered Categorical ({show_first(list(dtype.categories))}), "
            "so its categories have no direction.",
            hint="Order them from least to most positive: pd.Categorical(x, categories=[...], "
            "ordered=True).",
            shell_hint="Order them from least to most positive.",
            argument=argument,
            value=y_score,
        )
    refuse_missing(argument, y_score)
    accessor: Any = getattr(y_score, "cat", y_score)
    return np.array(accessor.codes, dtype=np.int64), tuple(dtype.categories)


def _copy_of_numbers(argument: str, y_score: object) -> tuple[AnyArray, ScoreType | None]:
    """Return a copy of scores that are real numbers, and their type, or raise an error."""
    values = unboxed_numbers(argument, vector(argument, y_score))
    kind = values.dtype.kind
    if kind == "c":
        raise InputTypeError(
            f"{argument} is complex ({values.dtype}); pass real scores, such as x.real.",
            argument=argument,
            value=y_score,
        )
    if kind not in "biuf":
        refuse_missing(argument, values)
        row = next((i for i, v in enumerate(values.flat) if not _is_number(v)), 0)
        raise InputTypeError(
            f"{argument} has dtype {values.dtype}, not numbers, such as {show(values.flat[row])}.",
            rows=[row],
            hint="Convert the scores yourself, for example with pd.to_numeric(x) or "
            "np.asarray(x, dtype=float).",
            shell_hint="Convert the scores yourself.",
            argument=argument,
            value=values.flat[row],
        )
    if kind == "f":
        copy = _copy_of_floats(argument, values)
        if copy.dtype == np.float64:  # the usual case, in less time
            return copy, None
        # `vector` converts bfloat16 to single precision.
        original = getattr(y_score, "dtype", None)
        return copy, score_type_of(original) or score_type_of(values.dtype.newbyteorder("="))
    dtype = np.int8 if kind == "b" else values.dtype.newbyteorder("=")
    return np.array(values, dtype=dtype), None


def _copy_of_floats(argument: str, scores: AnyArray) -> AnyArray:
    """Return a copy without negative zeros; values that are not finite raise an error.

    Both are handled block by block, while the values are in the cache.
    """
    # The conversion to a wider type is exact, so it does not change ties.
    dtype = np.dtype(np.float32) if scores.dtype.itemsize == 2 else scores.dtype
    values = np.empty(scores.size, dtype.newbyteorder("="))
    for block in ranges(scores.size):
        # Adding 0.0 changes -0.0 to 0.0; the two tie, so only one of them may represent the tie.
        part = values[block]
        np.add(scores[block], values.dtype.type(0.0), out=part)
        if not np.logical_and.reduce(np.isfinite(part)):  # .all(), in less time for short arrays
            break
    else:
        return values
    refuse_missing(argument, scores)
    bad = np.flatnonzero(~np.isfinite(scores))
    raise InputError(
        f"{argument} has {bad.size} infinite value{'s' * (bad.size > 1)}.",
        rows=bad,
        hint="Clip them, or rank the scores first (scipy.stats.rankdata keeps order and ties).",
        shell_hint="Clip them, or rank the scores first.",
        argument=argument,
        value=scores[bad[0]].item(),
    )


def negate(argument: str, values: AnyArray) -> AnyArray:
    """Return exact negatives, in a wider integer type if they do not fit the type of the values."""
    if values.dtype.kind == "f":
        # The unary minus would change 0.0 to -0.0.
        np.subtract(values.dtype.type(0.0), values, out=values)
        return values
    low, high = int(values.min()), int(values.max())
    for dtype in (values.dtype, np.dtype(np.int64)):
        limits = np.iinfo(dtype)
        if limits.min <= min(low, -high) and max(high, -low) <= limits.max:
            return -values.astype(dtype)
    raise InputError(
        f"{argument} holds {low if low < 0 else high}, and its negative is not a 64-bit integer.",
        hint="Rank the scores first (scipy.stats.rankdata keeps order and ties).",
        shell_hint="Rank the scores first.",
        argument=argument,
        value=low if low < 0 else high,
    )


def names_with_lower_positive(lower_is_positive: object, names: Sequence[str]) -> set[str]:
    """Return the names of the classifiers whose lower scores are positive."""
    if isinstance(lower_is_positive, (bool, np.bool_)):
        return set(names) if lower_is_positive else set()
    chosen: Any = lower_is_positive
    if isinstance(lower_is_positive, str):
        chosen = [lower_is_positive]
    if not isinstance(chosen, (list, tuple, set, frozenset)) or not all(
        isinstance(name, str) for name in chosen
    ):
        raise InputTypeError(
            f"lower_is_positive={lower_is_positive!r} must be True, False, or the names of the "
            "classifiers whose lower scores mean more positive.",
            argument="lower_is_positive",
            value=lower_is_positive,
        )
    for name in chosen:
        if name not in names:
            raise InputError(
                f"lower_is_positive={lower_is_positive!r}: {name!r} is not a classifier of this "
                f"sample{nearest(name, names)} It has: {', '.join(names)}.",
                argument="lower_is_positive",
                value=lower_is_positive,
            )
    return set(chosen)


def check_same_index(first: object, second: object, argument: str) -> None:
    """Raise an error for two pandas objects with the same row labels in different orders."""
    if not (is_pandas(first) and is_pandas(second)):
        return
    a: Any = getattr(first, "index", None)
    b: Any = getattr(second, "index", None)
    if a is None or b is None or len(a) != len(b) or a.equals(b):
        return
    if a.is_unique and b.is_unique and a.sort_values().equals(b.sort_values()):
        raise InputError(
            f"y_true and {argument} have the same index in different orders, so their rows do "
            f"not match. Align them ({argument}.loc[y_true.index]), or pass .to_numpy() to pair "
            "by position.",
            argument=argument,
            value=second,
        )


def check_name(name: object) -> None:
    """Raise an error for the name of a classifier that is not a string, or empty."""
    if name is not None and (not isinstance(name, str) or not name):
        raise InputTypeError(
            f"name={name!r} must be a string that is not empty.", argument="name", value=name
        )


_Y_SCORE = DataName("y_score", "y_score")


def named_scores(y_score: object, name: str | None) -> Iterator[tuple[str, DataName, object]]:
    """Yield (classifier, name in messages, values) of a single score or of a dict of scores."""
    check_name(name)
    if type(y_score) is np.ndarray:
        yield name or "score", _Y_SCORE, y_score
        return
    if isinstance(y_score, Mapping):
        if name is not None:
            raise InputError(
                f"name={name!r} is for a single score; a dict has names of its own.",
                argument="name",
                value=name,
            )
        if not y_score:
            raise InputError(
                "y_score={} holds no classifier; pass {'name': scores}.",
                argument="y_score",
                value={},
            )
        for key, values in y_score.items():
            if not isinstance(key, str) or not key:
                raise InputTypeError(
                    f"y_score has the key {key!r}; classifiers are named by strings.",
                    argument="y_score",
                    value=key,
                )
            yield key, DataName(f"y_score[{key!r}]", "y_score"), values
        return
    if hasattr(y_score, "columns"):
        raise InputTypeError(
            f"y_score is a {type(y_score).__name__}; use "
            "pauci.Sample.from_frame(frame, label=..., scores=[...]).",
            argument="y_score",
            value=y_score,
        )
    series_name = getattr(y_score, "name", None) if is_pandas(y_score) else None
    yield (
        name or (series_name if isinstance(series_name, str) else None) or "score",
        _Y_SCORE,
        y_score,
    )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return "_" not in str(value)  # Python accepts 1_000 as a number, but data files do not
