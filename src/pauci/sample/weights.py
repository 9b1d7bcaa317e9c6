"""The boundary for what rows carry: frequencies, sampling weights, clusters, tables of counts."""

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray, read_only, refuse_missing, show, vector
from pauci.errors import InputError, InputTypeError, Part, RowNumbers, Spelled, arg, shown

_LARGEST_TOTAL = 2.0**62


def length(argument: str, value: object) -> int:
    """Return the number of entries of a sequence."""
    return vector(argument, value).size


def frequency(value: object, n: int) -> IntArray | None:
    """Return whole, non-negative numbers of copies of each row."""
    if value is None:
        return None
    return _whole(
        "frequency", value, n, "y_true", (" For sampling weights use ", arg("weight"), ".")
    )


def counts(argument: str, value: object, n: int, *, fractional: bool) -> AnyArray:
    """Return the counts of one class of a table with n categories, not all 0."""
    values: AnyArray
    if fractional:
        values = read_only(_numbers(argument, value, n, "scores").astype(np.float64))
    else:
        values = _whole(
            argument,
            value,
            n,
            "scores",
            (shown(Spelled(" Expected counts need fractional=True.", "")),),
        )
    if not values.any():
        raise InputError(f"{argument} are all 0; a table needs both classes.")
    return values


def square(argument: str, value: object, k: int) -> AnyArray:
    """Return a K x K table as a vector, row by row."""
    table = np.asarray(value)
    if table.shape != (k, k):
        raise InputError(
            f"{argument} has shape {table.shape}; paired ratings in {k} categories need a "
            f"({k}, {k}) table, the first rating in rows."
        )
    return table.ravel()


def _whole(argument: str, value: object, n: int, like: str, hint: tuple[Part, ...]) -> IntArray:
    values = _numbers(argument, value, n, like)
    fractional = np.flatnonzero(values != np.floor(values))
    if fractional.size:
        i = int(fractional[0])
        raise InputError(
            f"{argument} holds {show(values[i])} in ",
            _row(like, i),
            ": it counts observations, so it is whole.",
            *hint,
        )
    total = float(values.sum(dtype=np.float64))
    if total > _LARGEST_TOTAL:
        raise InputError(
            f"{argument} adds up to {total:.3g}; observations are counted exactly up to "
            f"{_LARGEST_TOTAL:.3g}. Divide all counts by a common factor."
        )
    whole: IntArray = read_only(values.astype(np.int64))
    return whole


def weight(value: object, n: int) -> FloatArray | None:
    """Return finite, non-negative sampling weights."""
    if value is None:
        return None
    numbers = _numbers("weight", value, n).astype(np.float64)
    # Only ratios of weights matter; a power of two takes nothing off them and keeps squares finite.
    _, exponent = np.frexp(numbers.max())
    weights: FloatArray = read_only(np.ldexp(numbers, -int(exponent)))
    return weights


def cluster(value: object, n: int) -> IntArray | None:
    """Return cluster codes 0..C-1 for labels of any hashable kind."""
    if value is None:
        return None
    refuse_missing("cluster", value)
    values = vector("cluster", value)
    refuse_missing("cluster", values)
    _same_rows("cluster", values, n)
    if values.dtype.kind == "O":  # sorting objects is slow, and not all of them can be sorted
        seen: dict[object, int] = {}
        codes = np.array([seen.setdefault(v, len(seen)) for v in values.tolist()])
    else:
        _, codes = np.unique(values, return_inverse=True)
    clean: IntArray = read_only(codes.reshape(-1).astype(np.int64))
    return clean


def _numbers(argument: str, value: object, n: int, like: str = "y_true") -> AnyArray:
    values = vector(argument, value)
    if values.dtype.kind not in "biuf":
        raise InputTypeError(f"{argument} has dtype {values.dtype}; pass numbers.")
    refuse_missing(argument, values)
    _same_rows(argument, values, n, like)
    for bad, must in ((~np.isfinite(values), "be finite"), (values < 0, "not be negative")):
        if bad.any():
            i = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"{argument} holds {show(values[i])} in ",
                _row(like, i),
                f"; it must {must}.",
            )
    return values


def _row(like: str, i: int) -> RowNumbers:
    return RowNumbers((i,), noun="row" if like == "y_true" else "position")


def _same_rows(argument: str, values: AnyArray, n: int, like: str = "y_true") -> None:
    if values.size != n:
        raise InputError(f"{argument} has {values.size} rows and {like} has {n}.")


def two_names(names: object) -> tuple[str, str]:
    """Return the names of two paired ratings."""
    if (
        not isinstance(names, (list, tuple))
        or len(names) != 2
        or names[0] == names[1]
        or not all(isinstance(n, str) and n for n in names)
    ):
        raise InputError(arg("names", names), " must be two different names, such as ('A', 'B').")
    return names[0], names[1]
