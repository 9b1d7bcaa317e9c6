"""Records of calls: numbers by name, classes of warnings, and errors."""

import math
import warnings
from numbers import Real

import numpy as np
import pandas as pd

import pauci

KEPT_TEXT = {
    "kind",
    "variance",
    "design",
    "scheme",
    "alternative",
    "by",
    "axis",
    "first",
    "second",
    "design_first",
    "design_second",
    "modality",
    "reader",
    "asked",
}
"""Columns of text that are kept; sentences may be worded anew."""

ROWS, ENTRIES = 5, 6
"""Of longer frames and arrays so many rows or entries are kept, and sums over all."""


class Record:
    """Numbers of one call by name, and the columns of its frames."""

    def __init__(self):
        self.values = {}
        self.columns = {}

    def keep(self, name, value):
        """Store a result by parts: numbers and short texts, also of sequences and frames."""
        if isinstance(value, pd.DataFrame):
            self._frame(name, value)
        elif isinstance(value, pd.Series):
            self.keep(name, value.to_dict())
        elif isinstance(value, dict):
            for key, one in value.items():
                self.keep(f"{name}.{key}", one)
        elif isinstance(value, tuple) and hasattr(value, "_asdict"):
            self.keep(name, value._asdict())
        elif isinstance(value, (np.ndarray, list, tuple)):
            self._sequence(name, value)
        else:
            self.values[name] = _plain(value)

    def part(self, name, ask):
        """Store the result of a call, or the class of its error."""
        try:
            self.keep(name, ask())
        except pauci.PauciError as error:
            self.values[f"{name} refused"] = type(error).__name__

    def _frame(self, name, frame):
        self.columns[name] = list(frame.columns)
        n = len(frame)
        self.values[f"{name}.rows"] = n
        for i in _some(n, ROWS):
            for column in frame.columns:
                value = frame[column].iloc[i]
                if isinstance(value, str) and column not in KEPT_TEXT:
                    continue
                if value is None or value is pd.NaT:
                    continue
                self.values[f"{name}[{i}].{column}"] = _plain(value)
        if n > ROWS:
            for column in frame.columns:
                if pd.api.types.is_numeric_dtype(frame[column]):
                    self._sums(f"{name}.{column}", frame[column].to_numpy(dtype=float))

    def _sequence(self, name, values):
        try:
            array = np.asarray(values, dtype=float).ravel()
        except (TypeError, ValueError):
            for i in _some(len(values), ENTRIES):
                self.keep(f"{name}[{i}]", values[i])
            return
        for i in _some(array.size, ENTRIES):
            self.values[f"{name}[{i}]"] = _plain(array[i])
        if array.size > ENTRIES:
            self._sums(name, array)

    def _sums(self, name, array):
        """Return sums that change with every number; finite numbers are weighted by position."""
        finite = np.isfinite(array)
        place = 1.0 + np.arange(array.size) / array.size
        self.values[f"{name} sum"] = math.fsum(np.abs(array[finite]) * place[finite])
        self.values[f"{name} finite"] = int(np.count_nonzero(finite))


def _some(n, most):
    """Return the stored positions of n."""
    if n <= most:
        return range(n)
    return np.unique(np.linspace(0, n - 1, most).round().astype(int)).tolist()


def _plain(value):
    """Return a number as int or float, and anything else as text."""
    if not isinstance(value, (np.bool_, Real)):
        return str(value)
    value = float(value)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def recorded(call):
    """Run a call on an empty record and return the stored contents."""
    record = Record()
    found = {"warnings": [], "refused": None, **vars(record)}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for category in (DeprecationWarning, PendingDeprecationWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        try:
            call(record)
        except pauci.PauciError as error:
            found["refused"] = type(error).__name__
    found["warnings"] = sorted({w.category.__name__ for w in seen})
    return found


RELATIVE = 1e-9
"""Largest relative difference of numbers that agree."""


def differences(old, new, relative=RELATIVE):
    """Return descriptions of the differences between a stored record and a new one."""
    found = [
        f"{what}: {old[what]!r}, now {new[what]!r}"
        for what in ("words", "refused", "warnings")
        if old[what] != new[what]
    ]
    for name, columns in old["columns"].items():
        now = new["columns"].get(name, [])
        if now[: len(columns)] != columns:
            found.append(f"columns of {name}: {columns}, now {now}")
    for name, value in old["values"].items():
        if name not in new["values"]:
            found.append(f"{name}: {value!r}, now nothing")
        elif not agree(name, value, new["values"][name], relative):
            found.append(f"{name}: {value!r}, now {new['values'][name]!r}")
    # Columns may be added at the end of frames; anything else that is new is a difference.
    added = tuple(
        f".{column}"
        for name, columns in new["columns"].items()
        if name in old["columns"]
        for column in columns[len(old["columns"][name]) :]
    )
    found += [
        f"{name}: nothing, now {value!r}"
        for name, value in new["values"].items()
        if name not in old["values"]
        and not name.removesuffix(" sum").removesuffix(" finite").endswith(added)
    ]
    return found


def agree(name, old, new, relative=RELATIVE):
    """Return whether two values are equal: numbers to 1e-9, small p-values to 1e-7, or less."""
    if isinstance(old, str) or isinstance(new, str):
        return old == new
    if math.isnan(old) or math.isnan(new):
        return math.isnan(old) and math.isnan(new)
    if math.isinf(old) or math.isinf(new):
        return old == new
    small = 0.0 <= old < 1e-3 and ("pvalue" in name or "p_adjusted" in name)
    return abs(old - new) <= max(max(1e-7 * small, relative) * abs(old), 1e-12)
