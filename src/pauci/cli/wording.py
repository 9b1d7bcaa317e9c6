"""How the command line speaks of arguments, values and rows."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields

from pauci.errors import Spelled, Wording
from pauci.measures.base import Measure

_OPTIONS = {
    "y_true": "--label",
    "y_score": "--score",
    "scores": "--score",
    "n_resamples": "--resamples",
    "rng": "--seed",
    "n_jobs": "--jobs",
    "items": "--item",
    "thresholds": "--at-threshold",
}
"""Options that are not called as the argument in Python."""

_NAMES = {
    "label", "y_true", "scores", "y_score", "positive", "negative", "missing",
    "frequency", "weight", "cluster", "fold",
    "by", "row", "lower_is_positive", "sheet", "score", "positives-column", "negatives-column",
    "reader", "modality", "case", "standalone",
}  # fmt: skip
"""Options whose value comes from the data or is typed freely: it is quoted in messages."""

_SWITCHES = {"points"}
"""Flags that can be given as --no-... too."""

_LONGEST_VALUE = 80

RowNames = Callable[[Sequence[int], str], str]
"""Says what rows are called, from their positions and what Python calls them."""


class CommandWording(Wording):
    """How the command line speaks of arguments, values and rows.

    Parameters
    ----------
    rows : callable, optional
        Says what rows are called that have some positions in the data; the default counts from 1.
    options : mapping of str to str, optional
        Options of one command, or of one measure, that differ from those of all others.
    """

    def __init__(
        self, rows: RowNames | None = None, options: Mapping[str, str] | None = None
    ) -> None:
        self._rows = rows or _counted_from_one
        self._options = {**_OPTIONS, **(options or {})}

    def argument(self, name: str) -> str:
        """Return the option of an argument."""
        return self._options.get(name) or f"--{name.replace('_', '-')}"

    def assignment(self, name: str, value: object) -> str:
        """Return the option with its value; a flag is there or not."""
        option = self.argument(name)
        if isinstance(value, bool) and name not in _NAMES:
            off = f"--no-{option[2:]}" if name in _SWITCHES else f"no {option}"
            return option if value else off
        if name in _NAMES and not isinstance(value, Spelled):
            values = value if isinstance(value, (list, tuple)) else [value]
            return " ".join(f"{option} {_quoted(v)}" for v in values)
        if name == "sep":
            return f"{option} {separator(str(value))}"
        return f"{option} {self.value(value)}"

    def value(self, value: object) -> str:
        """Return a value as it is typed."""
        if isinstance(value, Spelled):
            return value.command
        if isinstance(value, Measure):
            return self._measure(value)
        if isinstance(value, (list, tuple)):
            return " ".join(self.value(v) for v in value)
        if isinstance(value, float):
            return f"{value:.15g}"
        return shlex.quote(shortened(str(value)))

    def rows(self, positions: Sequence[int], noun: str = "row") -> str:
        """Return what rows are called in the data."""
        return self._rows(positions, noun)

    def _measure(self, measure: Measure) -> str:
        """Return a measure by its key and the options that differ from their defaults."""
        words = [measure.key]
        for f in fields(measure):  # type: ignore[arg-type]  # every measure is a dataclass
            value = getattr(measure, f.name)
            if f.name == measure.scalar:
                words.append(f"--at {self.value(value)}")
            elif f.init and value != f.default:
                words.append(self.assignment(f.name, value))
        return " ".join(words)


def _counted_from_one(positions: Sequence[int], noun: str) -> str:
    return numbered(noun, [p + 1 for p in positions])


def numbered(noun: str, numbers: Sequence[object]) -> str:
    """Return ``"line 3"`` or ``"lines 3, 7"``."""
    return f"{noun}{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def shortened(text: str, most: int = _LONGEST_VALUE) -> str:
    """Return a text without its middle if it is long: a cell or a name can hold megabytes."""
    return text if len(text) <= most else f"{text[: most - 20]}...{text[-10:]}"


def _quoted(value: object) -> str:
    text = shortened(str(value))
    return f"'{text}'" if "'" not in text else shlex.quote(text)


def separator(character: str) -> str:
    """Return a separator as ``--sep`` takes it."""
    return {"\t": "tab", " ": "space"}.get(character) or shlex.quote(character)


COMMAND = CommandWording()

_spoken: ContextVar[CommandWording] = ContextVar("_spoken", default=COMMAND)


@contextmanager
def speaking(wording: CommandWording) -> Iterator[None]:
    """Let warnings of what is done here speak so."""
    token = _spoken.set(wording)
    try:
        yield
    finally:
        _spoken.reset(token)


def spoken() -> CommandWording:
    """Return how warnings speak now."""
    return _spoken.get()
