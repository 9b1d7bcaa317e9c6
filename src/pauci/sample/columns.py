"""Validation of labels and scores, which are converted to arrays.

Values are never dropped, guessed or reversed. If the user specifies that lower scores are positive,
the scores are negated, so that all other modules can assume that higher means more positive.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import Any, NamedTuple, NoReturn

import numpy as np

from pauci.checks import AnyArray, BoolArray, check_text, is_pandas, nearest, show_first, some_of
from pauci.curve.exact_sums import ScoreType, in_type_of, score_type_of
from pauci.curve.sorting import ranges
from pauci.errors import DataName, DoubtfulDataWarning, InputError, InputTypeError, show, warn
from pauci.sample import vectors


def two_labels(y_true: object, positive: object, argument: str) -> BoolArray:
    """Return a boolean array, True for the positive class; more than two labels are an error."""
    is_positive, rest = labels(y_true, positive, argument)
    if rest:
        _refuse_several_labels(argument, vectors.distinct_values(vectors.vector(argument, y_true)))
    return is_positive


def labels(
    y_true: object, positive: object = None, argument: str = "y_true", *, rows: int | None = None
) -> tuple[BoolArray, str]:
    """Return a boolean array, True for the positive class, and the other labels if several.

    Labels 0/1, True/False and -1/1 do not require `positive`, the label of the positive class. Any
    other pair of labels does. If there are more than two labels, `positive` is compared with the
    rest, which is also returned in words. For the labels of a table of counts, `rows` is the number
    of rows in error messages.
    """
    values = vectors.vector(argument, y_true)
    vectors.refuse_missing(argument, values)
    values = vectors.unboxed_numbers(argument, values)
    rest: list[object] = []
    if positive is None:
        is_positive = _conventional_labels(argument, values)
    else:
        is_positive, rest = _named_labels(argument, values, positive)
    n_pos = int(np.count_nonzero(is_positive))
    if n_pos in (0, values.size):
        problem = (
            f"holds one class only: all {values.size if rows is None else rows} rows are "
            f"{show(values[0])}. An ROC curve needs positives and negatives."
        )
        raise InputError.about(argument, problem, value=values[:1].tolist()[0])
    if not rest:
        return is_positive, ""
    (label,) = vectors.distinct_values(values[is_positive][:1])
    return is_positive, f"label {show(label)} against the rest ({show_first(rest)})"


def _conventional_labels(argument: str, values: AnyArray) -> BoolArray:
    if values.dtype.kind == "b":
        return values.astype(np.bool_)
    if values.dtype.kind in "iuf":
        is_positive: BoolArray = values == 1
        n_pos = np.count_nonzero(is_positive)
        for negative in (0, -1):
            if n_pos + np.count_nonzero(values == negative) == values.size:
                return is_positive
    distinct = vectors.distinct_values(values)
    if len(distinct) == 1:
        return np.zeros(values.size, np.bool_)
    refuse_similar_labels(argument, distinct)
    if len(distinct) > 2:
        _refuse_several_labels(argument, distinct)
    problem = f"holds the labels {show_first(distinct)}; which one is positive?"
    hint = f"Pass positive={show(distinct[0])} or positive={show(distinct[-1])}."
    raise InputError.about(argument, problem, value=values, hint=hint)


def _named_labels(
    argument: str, values: AnyArray, positive: object
) -> tuple[BoolArray, list[object]]:
    """Return the rows with the positive label, and all other labels if there are several."""
    if np.iterable(positive) and not isinstance(positive, (str, bytes)):
        raise InputTypeError.of("positive", positive, "must be one label, not a collection.")
    if vectors.is_missing(positive):
        problem = (
            f"is a missing value, which cannot be a label of {argument}. Pass the label of the "
            "positive class."
        )
        raise InputError.of("positive", positive, problem)
    with np.errstate(all="ignore"):
        is_positive = np.asarray(values == in_type_of(positive, values.dtype))
    if is_positive.shape != values.shape or not is_positive.any():
        refuse_unknown_label(argument, "positive", positive, values)
    rest = values[~is_positive]
    several: list[object] = []
    if rest.size and not bool((rest == rest[0]).all()):
        distinct = vectors.distinct_values(values)
        refuse_similar_labels(argument, distinct)
        if values.dtype.kind == "f" and (values % 1.0).any():  # scores rather than classes
            _refuse_several_labels(argument, distinct)
        several = vectors.distinct_values(rest)
    elif rest.size:
        both = values[[is_positive.argmax(), is_positive.argmin()]]
        refuse_similar_labels(argument, vectors.distinct_values(both))
    _warn_if_also_positive(argument, positive, several or vectors.distinct_values(rest[:1]))
    return is_positive.astype(np.bool_), several


def _warn_if_also_positive(argument: str, positive: object, rest: Sequence[object]) -> None:
    """Warn about labels of negatives that seem to be other spellings of the positive label."""
    texts = any(isinstance(label, str) for label in (positive, *rest))
    others = [label for label in rest if texts and _meaning(label) == _meaning(positive)]
    if others:
        problem = (
            f"has the label {show_first(others)} among the negatives, which may mean the same as "
            f"the positive label {show(positive)}."
        )
        hint = "If so, write the positive label in one way."
        warn(DoubtfulDataWarning.about(argument, problem, value=others[0], hint=hint))


_YES = {"y", "yes", "true", "pos", "positive", "+", "1", "1.0", "ja", "j"}
"""Spellings of a positive result."""


def _meaning(label: object) -> str:
    """Return a label without case, blanks and hyphens; the same for all spellings of a yes."""
    text = _normalized(label)
    return "yes" if text in _YES else re.sub(r"(?<=[^\W\d])[\s_-]+(?=[^\W\d])", "", text)


def _refuse_several_labels(argument: str, distinct: list[object]) -> NoReturn:
    """Raise an error for more than two labels without the name of the positive one."""
    build = "build the two-valued label first"
    several = "pauci.Sample.from_classes is for several classes."
    hint = f"Otherwise {build}, for example y == 'cancer', or pass positive=; {several}"
    if getattr(argument, "column", None) is not None:
        rest = "the label that is compared with the rest"
        other = getattr(argument, "label_advice", "") or (
            f"pass positive=, {rest}, and negative= as well to leave out the rows with others."
        )
        hint = f"Otherwise {build}, or {other}"
    problem = f"has {len(distinct)} distinct values ({show_first(distinct)}), but a label has two."
    hint = f"Are y_true and y_score swapped? {hint}"
    raise InputError.about(argument, problem, value=distinct, hint=hint)


def _normalized(label: object) -> str:
    return " ".join(str(label).split()).casefold()


def refuse_similar_labels(
    argument: str,
    distinct: Sequence[object],
    classes: Sequence[object] | None = None,
    *,
    noun: str = "class",
) -> None:
    """Raise an error for labels that differ only in case, blanks or type.

    Parameters
    ----------
    argument : str
        The name of the labels in messages.
    distinct : sequence
        The distinct labels.
    classes : sequence, optional
        The labels of the two classes, if rows with other labels are left out. Only labels that are
        similar to one of these are an error.
    noun : str
        What a label denotes.
    """
    if not any(isinstance(label, str) for label in distinct):
        return
    groups: dict[str, list[object]] = {}
    for label in distinct:
        groups.setdefault(_normalized(label), []).append(label)
    wanted = groups if classes is None else dict.fromkeys(map(_normalized, classes))
    similar = [groups[key] for key in wanted if len(groups.get(key, ())) > 1]
    if not similar:
        return
    texts = all(isinstance(label, str) for labels in similar for label in labels)
    problem = (
        f"has labels that differ only in {'case or' if texts else 'case, type or'} blanks: "
        f"{'; '.join(show_first(labels) for labels in similar[:3])}."
    )
    hint = f"Write each {noun} in one way."
    raise InputError.about(argument, problem, value=list(distinct), hint=hint)


def refuse_unknown_label(argument: str, name: str, label: object, values: AnyArray) -> NoReturn:
    """Raise an error for a label that is specified by an argument but does not occur."""
    distinct = vectors.distinct_values(values)
    same = [v for v in distinct if _normalized(v) == _normalized(label)]
    meant = f" Did you mean {show(same[0])}?" if same else ""
    problem = f"is not among the labels of {argument} ({show_first(distinct)}).{meant}"
    raise InputError.of(name, label, problem)


class Scores(NamedTuple):
    """Validated scores, negated if lower ones are positive; categories of ordinal scales."""

    values: AnyArray
    categories: tuple[object, ...] | None = None
    score_type: ScoreType | None = None
    lower_is_positive: bool = False


def scores(argument: str, y_score: Any, n: int, *, lower_is_positive: bool = False) -> Scores:
    """Return a copy of the scores, without conversion of integers, and their scale.

    Higher values of the result are more positive: if lower scores are positive, the scores are
    negated and the categories are reversed.
    """
    categories: tuple[object, ...] | None = None
    score_type: ScoreType | None = None
    y_score = without_polars_categories(y_score)
    if is_pandas(y_score) and hasattr(getattr(y_score, "dtype", None), "categories"):
        categories = tuple(y_score.dtype.categories)
        if not y_score.dtype.ordered:
            problem = (
                f"is an unordered Categorical ({show_first(list(categories))}), so its categories "
                "have no direction."
            )
            hint = (
                "Order them from least to most positive: pd.Categorical(x, categories=[...], "
                "ordered=True)."
            )
            raise InputTypeError.about(argument, problem, value=y_score, hint=hint)
        vectors.refuse_missing(argument, y_score)
        values = np.array(getattr(y_score, "cat", y_score).codes, dtype=np.int64)
        if lower_is_positive:
            values, categories = len(categories) - 1 - values, categories[::-1]
    else:
        values, score_type = _copy_of_numbers(argument, y_score)
        if lower_is_positive:
            values = negate(argument, values)
    if values.size != n:
        problem = f"has {values.size} rows and y_true has {n}; they must be the same rows."
        raise InputError.about(argument, problem, value=y_score)
    return Scores(values, categories, score_type, lower_is_positive)


def without_polars_categories(values: Any) -> Any:
    """Return an Enum or Categorical of Polars as a categorical of pandas; else the values."""
    if not type(values).__module__.startswith("polars"):
        return values
    if type(getattr(values, "dtype", None)).__name__ not in ("Enum", "Categorical"):
        return values
    from pauci.backends.frames import column_values, narwhals

    return column_values(narwhals().from_native(values, series_only=True))


def _copy_of_numbers(argument: str, y_score: object) -> tuple[AnyArray, ScoreType | None]:
    """Return a copy of scores that are real numbers, and their type, or raise an error."""
    values = vectors.number_vector(argument, y_score)
    kind = values.dtype.kind
    if kind == "c":
        problem = f"is complex ({values.dtype}); pass real scores, such as x.real."
        raise InputTypeError.about(argument, problem, value=y_score)
    if kind not in "biuf":
        vectors.refuse_missing(argument, values)
        raise not_of_numbers(argument, values, of_scores=True)
    if kind == "f":
        copy = _copy_of_floats(argument, values)
        if copy.dtype == np.float64:  # the usual case, in less time
            return copy, None
        # `vector` converts bfloat16 to single precision.
        original = getattr(y_score, "dtype", None)
        return copy, score_type_of(original) or score_type_of(values.dtype.newbyteorder("="))
    dtype = np.int8 if kind == "b" else values.dtype.newbyteorder("=")
    return np.array(values, dtype=dtype), None


def not_of_numbers(argument: str, values: AnyArray, *, of_scores: bool = False) -> InputTypeError:
    """Return an error about a column that is not one of numbers, with the rows that are not."""
    if values.dtype.kind == "M":
        values = values.astype("datetime64[us]")  # which are dates in Python, unlike nanoseconds
    cells = values.ravel().tolist()
    rows = _not_numbers(cells)
    wrong = dict.fromkeys(show(values.flat[row]) for row in rows)
    problem = f"has dtype {values.dtype}, not numbers, such as {', '.join(islice(wrong, 3))}."
    value, hint = values.flat[rows[0]], _conversion_advice(cells, rows) if of_scores else ""
    return InputTypeError.about(argument, problem, value=value, rows=rows, hint=hint)


def _not_numbers(cells: Sequence[Any]) -> list[int]:
    """Return the rows of a column that are not numbers.

    If all cells can be converted to numbers, they are the rows with other objects, such as texts
    that spell numbers, and otherwise those of booleans, because the others are numbers.
    """
    from pauci.number_texts import not_numbers

    numbers = (int, float, np.integer, np.floating)
    texts = not_numbers(v for v in cells if isinstance(v, str))
    invalid: Sequence[Callable[[Any], bool]] = (
        lambda v: v in texts if isinstance(v, str) else not _is_number(v),
        lambda v: not isinstance(v, (*numbers, np.bool_)),
        lambda v: isinstance(v, (bool, np.bool_)),
    )
    found = ([i for i, v in enumerate(cells) if test(v)] for test in invalid)
    return next(filter(None, found), [0])


_CENSORED = re.compile(
    r"\s*([<>\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}])\s*=?\s*[\d.,]+"
)


def censoring_advice(text: object) -> str | None:
    """Return advice on a value beyond a limit of detection, such as "<0.5"; None for others."""
    match = _CENSORED.match(text) if isinstance(text, str) else None
    if match is None:
        return None
    side = "below" if match[1] in "<\N{LESS-THAN OR EQUAL TO}" else "above"
    return (
        f"Replace such values by any number {side} the limit of detection, the same for all of "
        "them; only the order of the scores counts."
    )


_ADVICE_ON_DATES = "It is a date; scores are numbers, such as the days since a date."

_ADVICE_ON_TEXTS = {
    r"[+-]?[\d.,]+\s*%": "Remove the per cent signs from the column.",
    r"[+-]?[\d.,]+\s*(?:[^\W\d]|[$\u20ac])[^\d]*(?:/.*)?": "Remove the unit from the cells of the "
    "column.",
    r"[+-]?[\d.,]+\s*[*\u2020\u2021#a-d)(]+": "Remove the marks behind the numbers.",
    r"\d{4}-\d\d?-\d\d?.*|\d\d?[./]\d\d?[./]\d{2,4}.*": _ADVICE_ON_DATES,
    r"[+-]?[\d.,]*[.,]\d+": "Write all numbers in one way, with a point as the decimal mark and "
    "without other marks.",
    r"[+-]?\d+(?:[\s\xa0\u202f'_]\d{3})+.*": "Write numbers without separators of thousands.",
}
"""Advice on texts that are not numbers, by patterns."""


def _conversion_advice(cells: Sequence[Any], rows: Sequence[int]) -> str:
    """Return advice on the rows of a column of scores that are not numbers."""
    from pauci.number_texts import not_numbers, order_of_ratings

    # If all texts are numbers with another decimal mark, for example, the rows are all texts.
    wrong = next((cells[row] for row in rows if not _is_number(cells[row])), cells[rows[0]])
    if isinstance(wrong, date):
        return _ADVICE_ON_DATES
    texts = [v for v in cells if isinstance(v, str)]
    if not isinstance(wrong, str) or (_is_number(wrong) and not not_numbers(texts)):
        return (
            "Convert the scores yourself, for example with pd.to_numeric(x) or "
            "np.asarray(x, dtype=float)."
        )
    order = order_of_ratings(cells)
    if order:
        return (
            f"Their order may be category={' < '.join(order)!r} of the command line, or "
            f"pd.Categorical(x, categories={order}, ordered=True)."
        )
    if {str(cells[row]).strip().lower() for row in rows} <= {"true", "false", "yes", "no"}:
        return "It is a truth value; is this the column of the labels?"
    known = (a for p, a in _ADVICE_ON_TEXTS.items() if re.fullmatch(p, wrong.strip()))
    units = "If the first row has the units of the columns, header_row= skips it. "
    return censoring_advice(wrong) or next(
        known,
        f"{units * (rows == [0])}If it means a missing value, replace it by NaN, or state "
        "missing= of pauci.Sample.from_frame, and pass drop_missing=True. Ratings in words are "
        "ordered categories: pd.Categorical(x, categories=[...], ordered=True), or category= of "
        "the command line, from least to most positive. Texts that spell numbers are converted by "
        "pd.to_numeric(x).",
    )


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
    vectors.refuse_missing(argument, scores)
    bad = np.flatnonzero(~np.isfinite(scores))
    problem = f"has {bad.size} infinite value{'s' * (bad.size > 1)}."
    hint = "Clip them, or rank the scores first (scipy.stats.rankdata keeps order and ties)."
    raise InputError.about(argument, problem, value=scores[bad[0]].item(), rows=bad, hint=hint)


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
    problem = f"holds {low if low < 0 else high}, and its negative is not a 64-bit integer."
    hint = "Rank the scores first (scipy.stats.rankdata keeps order and ties)."
    raise InputError.about(argument, problem, value=low if low < 0 else high, hint=hint)


def names_with_lower_positive(lower_is_positive: object, names: Sequence[str]) -> set[str]:
    """Return the names of the classifiers whose lower scores are positive."""
    if isinstance(lower_is_positive, (bool, np.bool_)):
        return set(names) if lower_is_positive else set()
    is_text = isinstance(lower_is_positive, str)
    chosen: Any = [lower_is_positive] if is_text else lower_is_positive
    listed = isinstance(chosen, (list, tuple, set, frozenset))
    if not listed or not all(isinstance(name, str) for name in chosen):
        problem = (
            "must be True, False, or the names of the classifiers whose lower scores mean more "
            "positive."
        )
        raise InputTypeError.of("lower_is_positive", lower_is_positive, problem)
    check_names("lower_is_positive", lower_is_positive, chosen, names)
    return set(chosen)


def check_names(
    argument: str, value: object, chosen: Iterable[object], names: Sequence[str]
) -> None:
    """Raise an error for the name of a classifier that is not among `names`."""
    for name in chosen:
        if name not in names:
            problem = (
                f": {show(name)} is not a classifier of this sample{nearest(name, names)} It has: "
                f"{some_of(names, name)}."
            )
            raise InputError.of(argument, value, problem)


def check_same_order(inputs: Iterable[tuple[str, object]]) -> None:
    """Raise an error for two pandas objects with the same index in different orders.

    Parameters
    ----------
    inputs : iterable of (str, object)
        The names in messages and the values of all vectors with one value per row. Values without
        an index, such as arrays, are paired with the others by position.
    """
    indexed: list[tuple[str, Any]] = []  # the first input with each index
    for name, values in inputs:
        index = index_of(values)
        if index is None or any(index is other or index.equals(other) for _, other in indexed):
            continue
        for other_name, other in indexed:
            if _same_entries(index, other):
                problem = (
                    f"{other_name} and {name} have the same index in different orders, so their "
                    f"rows do not match. Align them ({name}.loc[{other_name}.index]), or pass "
                    ".to_numpy() to pair by position."
                )
                raise InputError(problem, argument=name, value=values)
        indexed.append((name, index))


def index_of(values: object) -> Any:
    """Return the index of a Series or DataFrame of pandas; None for all other objects."""
    return getattr(values, "index", None) if is_pandas(values) else None


def _same_entries(first: Any, second: Any) -> bool:
    """Return whether two indexes have the same entries, in any order, each as many times."""
    if len(first) != len(second) or first.nlevels != second.nlevels:
        return False
    codes, entries = first.append(second).factorize(use_na_sentinel=False)
    times, others = (np.bincount(c, minlength=len(entries)) for c in np.split(codes, 2))
    return np.array_equal(times, others)


def by_classifier(argument: str, values: Any, name: str | None, default: str) -> dict[str, Any]:
    """Return the values of a single classifier, or those in a dict, by classifier."""
    check_text("name", name)
    if not isinstance(values, Mapping):
        return {name or default: values}
    if name is not None:
        problem = "is for a single classifier; a dict has names of its own."
        raise InputError.of("name", name, problem)
    if not values:
        raise InputError.of(argument, values, "is empty; pass {'name': ...}.")
    for key in values:
        if not isinstance(key, str) or not key:
            problem = f"has the key {key!r}; classifiers are named by strings."
            raise InputTypeError.about(argument, problem, value=key)
    return dict(values)


def named_scores(
    y_score: object, name: str | None, argument: str = "y_score"
) -> dict[str, vectors.NamedColumn]:
    """Return a single column of scores, or those of a dict, by classifier."""
    several = isinstance(y_score, Mapping)
    if hasattr(y_score, "columns") and not several:
        problem = (
            f"is a {type(y_score).__name__}; use pauci.Sample.from_frame(frame, label=..., "
            "scores=[...])."
        )
        raise InputTypeError.about("y_score", problem, value=y_score)
    of_series = getattr(y_score, "name", None) if is_pandas(y_score) else None
    default = of_series if isinstance(of_series, str) and of_series else "score"
    named = by_classifier(argument, y_score, name, default)
    words = {key: DataName(argument + f"[{key!r}]" * several, argument) for key in named}
    return {key: vectors.NamedColumn(words[key], values) for key, values in named.items()}


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return "_" not in str(value)  # Python accepts 1_000 as a number, but data files do not
