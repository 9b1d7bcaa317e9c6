"""Checks of arguments that know nothing of curves: numbers, choices, vectors without gaps.

Every function either returns a clean value or raises an error that names the argument, the value
received and the way out.
"""

import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from pauci.errors import InputError, InputTypeError, Part, RowNumbers, Spelled, arg, shown

# As NDArray of numpy.typing, which takes longer to load than it is worth here.
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
IntArray = np.ndarray[Any, np.dtype[np.signedinteger[Any]]]
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
AnyArray = np.ndarray[Any, np.dtype[Any]]

_LARGEST_EXACT_FLOAT = 2**53


def is_pandas(value: object) -> bool:
    """Tell whether `value` is a pandas object, without importing pandas."""
    return type(value).__module__.partition(".")[0] == "pandas"


def level(value: object) -> float:
    """Return a confidence level of at least 0.5 and below 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputTypeError(
            arg("level", value), " must be a number between 0 and 1, such as 0.95."
        )
    number = float(value)
    if 50.0 <= number < 100.0:
        hint = f" Did you mean {number / 100:g}?"
        raise InputError(arg("level", value), f" must lie strictly between 0 and 1.{hint}")
    if 2.0 <= number < 50.0 or 0.0 < number < 0.5:
        meant = 1.0 - (number if number < 0.5 else number / 100)
        raise InputError(
            arg("level", value),
            " is not a confidence level between 0.5 and 1. Did you mean ",
            arg("level", float(f"{meant:.12g}")),
            f" for a {100 * meant:g} % interval?",
        )
    if not 0.5 <= number < 1.0:
        raise InputError(arg("level", value), " must lie strictly between 0 and 1, such as 0.95.")
    return number


def size_of_test(value: object) -> float:
    """Return the size of a test, ``alpha``, strictly between 0 and 1."""
    number = finite("alpha", value)
    if not 0.0 < number < 1.0:
        hint = f" Did you mean {number / 100:g}?" if 1.0 <= number < 100.0 else ""
        raise InputError(
            arg("alpha", value), f" must lie strictly between 0 and 1, such as 0.05.{hint}"
        )
    return number


def finite(argument: str, value: object) -> float:
    """Return a finite real number as a float."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputTypeError(arg(argument, value), " must be a number.")
    if not math.isfinite(value):
        raise InputError(arg(argument, value), " must be finite.")
    return float(value)


class DataName(str):
    """What messages call some data, such as ``y_score['nn']``, with the argument they came by.

    Parameters
    ----------
    words : str
        What messages call the data.
    argument : str
        The argument that they came by.
    column : str, optional
        The column of a frame that they are, which is what that argument was given.
    mend : sequence of parts of a message, optional
        What to do about missing values.
    """

    argument: str
    column: Any
    mend: Sequence[Part]

    def __new__(
        cls, words: str, argument: str, column: Any = None, mend: Sequence[Part] = ()
    ) -> "DataName":
        """Return the words as a text that knows more."""
        name = super().__new__(cls, words)
        name.argument, name.column, name.mend = argument, column, tuple(mend)
        return name

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.argument, self.column, self.mend


def about(name: str, value: object) -> dict[str, Any]:
    """Return the argument and the value that an error about some data is about."""
    if not isinstance(name, DataName):
        return {"argument": name.partition("[")[0], "value": value}
    return {"argument": name.argument, "value": value if name.column is None else name.column}


def _is_masked(value: object) -> "TypeGuard[np.ma.MaskedArray[Any, Any]]":
    """Tell whether `value` is a masked array; without such numpy need not load what makes them."""
    return "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray)


def vector(name: str, value: object) -> AnyArray:
    """Return a 1-D array view of `value` without converting its numbers."""
    given = about(name, value)
    if value is None:
        raise InputTypeError(f"{name} is None; pass one value per row.", **given)
    if isinstance(value, (str, bytes, dict, set)):
        raise InputTypeError(
            f"{name} is a {type(value).__name__}; pass an array with one value per row.", **given
        )
    if _is_masked(value):
        masked = np.ma.getmaskarray(value)
        if masked.any():
            count = int(masked.sum())
            raise InputError(
                f"{name} has {count} masked value{'s' * (count > 1)} (",
                RowNumbers.first(np.flatnonzero(masked.ravel())),
                "); leave those rows out of every column: keep = ~np.ma.getmaskarray(x).",
                **given,
            )
        value = value.data
    if is_pandas(value):
        if hasattr(value, "levels"):
            raise InputTypeError(
                f"{name} is a MultiIndex; pass one value per row, such as one of its levels.",
                **given,
            )
        refuse_missing(name, value)
        numpy_dtype = getattr(getattr(value, "dtype", None), "numpy_dtype", None)
        array = np.asarray(value, dtype=numpy_dtype)
    else:
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise InputTypeError(
                f"{name} is not a flat array of values: {error}.", **given
            ) from None
    if array.dtype.kind == "f" and isinstance(value, (list, tuple)):
        _refuse_rounding(name, value)
    if array.ndim == 0:
        raise InputTypeError(
            f"{name} is a {type(value).__name__}; pass one value per row.", **given
        )
    if array.ndim == 2 and name.startswith(("y_score", "column")):
        hint = "pass proba[:, 1]" if array.shape[1] == 2 else "pass one column"
        raise InputError(
            f"{name} has shape {array.shape}; it must be 1-D: {hint}, or a dict of "
            "named columns for several classifiers.",
            **given,
        )
    if array.ndim != 1:
        hint = "one column, frame['name']" if is_pandas(value) else "x.ravel()"
        raise InputError(f"{name} has shape {array.shape}; it must be 1-D: pass {hint}.", **given)
    if array.size == 0:
        raise InputError(
            f"{name} is empty; pass at least one positive and one negative row.", **given
        )
    return array


def _refuse_rounding(name: str, value: list[Any] | tuple[Any, ...]) -> None:
    """Refuse a list whose large integers would become ties as floats."""
    for i, v in enumerate(value):
        if type(v) is int and abs(v) > _LARGEST_EXACT_FLOAT and int(float(v)) != v:
            raise InputError(
                f"{name} mixes the integer {v} (",
                RowNumbers((i,)),
                ") with other numbers, and as a float it would be rounded. Pass an integer array.",
                **about(name, v),
            )


def missing_in(value: Any) -> BoolArray:
    """Return which entries are missing; none of an array that cannot hold such, or of a list."""
    if is_pandas(value):
        return np.asarray(value.isna()).reshape(-1) if hasattr(value, "isna") else np.zeros(0, bool)
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc":
            return np.isnan(value)
        if value.dtype.kind in "mM":
            return np.isnat(value)
        if value.dtype.kind == "O":
            return np.array([is_missing(v) for v in value.flat], dtype=bool)
    return np.zeros(0, bool)


def refuse_missing(name: str, value: Any) -> None:
    """Refuse missing values of any kind, with their number and the way to leave them out."""
    rows = np.flatnonzero(missing_in(value))
    if not rows.size:
        return
    quoted = re.search("'(.*)'", name)
    way: Sequence[Part] = (
        "Rows are never dropped for you: impute them, or leave them out of every column with ",
        shown(
            Spelled(f"df = df.dropna(subset=[{quoted[1] if quoted else name!r}])", "--drop-missing")
        ),
        ".",
    )
    raise InputError(
        f"{name} has {rows.size} missing value{'s' * (rows.size > 1)} (",
        RowNumbers.first(rows),
        "). ",
        *(getattr(name, "mend", None) or way),
        **about(name, value),
    )


def is_missing(value: object) -> bool:
    """Tell whether a value is None, NaN, NaT or pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN alone is unequal to itself
    except (TypeError, ValueError):
        return type(value).__name__ in ("NAType", "NaTType")


def distinct_values(values: AnyArray) -> list[object]:
    """Return the distinct values in order, or by what they look like if they have no order."""
    try:
        return list(np.unique(values).tolist())
    except TypeError:
        return sorted(set(values.tolist()), key=repr)


def show(value: object) -> str:
    """Return a value as Python would write it."""
    return _short(repr(value.item() if isinstance(value, np.generic) else value))


def show_some(values: list[object], most: int = 4) -> str:
    """Return the first of many values as Python would write them."""
    some = ", ".join(_short(repr(v)) for v in values[:most])
    return some + (", ..." if len(values) > most else "")


def _short(text: str, most: int = 80) -> str:
    """Return a text whose middle is left out if it is long: a cell can hold megabytes."""
    return text if len(text) <= most else f"{text[: most - 20]}...{text[-10:]}"


def read_only(values: Any) -> Any:
    """Return an array after protecting it from changes."""
    values.flags.writeable = False
    return values


def nearest(value: object, choices: Iterable[str]) -> str:
    """Return ``". Did you mean 'x'?"`` for the choice that resembles `value`, else ``"."``."""
    import difflib  # on use: importing the package takes less time without it

    lowered = {option.lower(): option for option in choices}
    word = str(value).lower()
    close = difflib.get_close_matches(word, list(lowered), n=3)
    # Letters in the wrong order are the likeliest slip.
    close.sort(key=lambda option: sorted(option) != sorted(word))
    return f". Did you mean {lowered[close[0]]!r}?" if close else "."


class Ours(NamedTuple):
    """How this package says what an argument of another one says."""

    arguments: tuple[str, ...]
    """Our argument; where verbs call it differently, all its names."""
    of: str
    note: str = ""


_SAMPLE, _MEASURE, _BOOTSTRAP, _RESULT = (
    "pauci.Sample",
    "a measure",
    "pauci.Bootstrap",
    "the result",
)
_OURS = {
    "pos_label levels": Ours(("positive",), _SAMPLE, ", the label of the positive class"),
    "sample_weight sample_weights weights": Ours(("weight",), _SAMPLE),
    "group groups": Ours(("cluster",), _SAMPLE),
    "folds": Ours(("fold",), _SAMPLE),
    "freq frequencies counts": Ours(("frequency",), _SAMPLE),
    "y_score y_prob y_proba y_pred y_scores predictor": Ours(("y_score", "scores"), _SAMPLE),
    "y_true y y_test response": Ours(("y_true", "label"), _SAMPLE),
    "controls cases": Ours(
        ("y_true", "label"),
        _SAMPLE,
        ": 0 for controls and 1 for cases, with the scores of both in one column",
    ),
    "direction": Ours(
        ("lower_is_positive",),
        _SAMPLE,
        ": True where controls score higher than cases; it is never guessed",
    ),
    "na_rm dropna": Ours(("drop_missing",), "pauci.Sample.from_frame"),
    "positive weight cluster fold frequency design": Ours((), _SAMPLE),
    "max_fpr": Ours(
        ("fpr",),
        _MEASURE,
        "; max_fpr=0.1 is fpr=(0, 0.1), and scikit-learn's value with it that of pauci.SPA",
    ),
    "partial_auc": Ours(
        ("specificity", "fpr"),
        _MEASURE,
        "; pROC's c(1, 0.9) is pauci.PAUC(specificity=(0.9, 1)), the same as fpr=(0, 0.1)",
    ),
    "partial_auc_focus": Ours(
        ("fpr", "tpr"),
        _MEASURE,
        "; specificity bounds the FPR, as in pauci.PAUC(fpr=(0, 0.1)), and sensitivity the TPR, "
        "as in pauci.PAUCx(tpr=(0.9, 1))",
    ),
    "partial_auc_correct": Ours(("measure",), "pauci.estimate", ": pauci.SPA(fpr=(0, 0.1))"),
    "fpr tpr threshold prevalence": Ours((), _MEASURE, ", as in pauci.PAUCc(fpr=(0, 0.1))"),
    "boot_n n_bootstraps n_bootstrap": Ours(
        ("n_resamples",), _BOOTSTRAP, ": variance=pauci.Bootstrap(n_resamples=2000)"
    ),
    "n_resamples n_jobs": Ours((), _BOOTSTRAP, ": variance=pauci.Bootstrap(n_resamples=2000)"),
    "boot_stratified": Ours(("scheme",), _BOOTSTRAP),
    "seed random_state rng": Ours(("rng",), _BOOTSTRAP, ": variance=pauci.Bootstrap(rng=1)"),
    "method": Ours(
        ("variance",),
        "pauci.estimate",
        '; "influence" is the method of DeLong, and pauci.Bootstrap() the bootstrap',
    ),
    "paired": Ours(
        ("samples",),
        "pauci.compare",
        ": one sample with several classifiers is paired, a list of samples is not",
    ),
    "conf_level confidence_level alpha": Ours(
        ("level",), _RESULT, ", as in result.interval(level=0.95)"
    ),
    "level kind": Ours((), _RESULT, ", as in result.interval(level=0.95)"),
}
FOREIGN = {name: ours for names, ours in _OURS.items() for name in names.split()}
"""Names that users bring from scikit-learn, pROC and others, and how the same is said here."""


def refuse_foreign(given: Mapping[str, object], where: str, accepted: Iterable[str]) -> None:
    """Refuse arguments that `where` does not take, and show what says the same here.

    Parameters
    ----------
    given : mapping of str to object
        What was caught by ``**foreign``; if it is empty, nothing happens.
    where : str
        What was called, such as ``"pauci.Sample"``.
    accepted : iterable of str
        The arguments that it takes.

    Raises
    ------
    TypeError
        Naming the argument of this package for a name in `FOREIGN` (R's ``partial.auc`` is
        ``partial_auc``), else the nearest one that is taken.

    Examples
    --------
    >>> from pauci.checks import refuse_foreign
    >>> refuse_foreign({"pos_label": 1}, "pauci.Sample", ["positive", "weight"])
    Traceback (most recent call last):
    pauci.errors.InputTypeError: pos_label= is no argument of pauci.Sample. Use positive=, the label
    of the positive class.
    """
    options = list(accepted)
    for name, value in given.items():
        ours = FOREIGN.get(name.lower().replace(".", "_"))
        if ours is None:
            advice: list[Part] = [f"{nearest(name, options)} It takes: {', '.join(options)}."]
        else:
            here = next((argument for argument in ours.arguments if argument in options), None)
            of = f" of {ours.of}" if here is None else ""
            use = here or next(iter(ours.arguments), name)
            advice = [". Use ", arg(use), f"{of}{ours.note}."]
        raise InputTypeError(
            arg(name), f" is no argument of {where}", *advice, argument=name, value=value
        )


def check_whole(argument: str, value: object, least: int) -> None:
    """Raise unless the value is a whole number, and at least so large."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputTypeError(arg(argument, value), " must be a whole number.")
    if value < least:
        raise InputError(arg(argument, value), f" must be at least {least}.")


def check_flag(argument: str, value: object) -> None:
    """Raise unless the value is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError(arg(argument, value), " must be True or False.")


def check_choice(argument: str, value: object, choices: Iterable[str]) -> None:
    """Raise ``ValueError`` that names the argument, the value and what is accepted."""
    options = list(choices)
    if not isinstance(value, str) or value not in options:
        accepted = ", ".join(repr(option) for option in options)
        raise InputError(
            arg(argument, value), f" is not known{nearest(value, options)} Accepted: {accepted}."
        )
