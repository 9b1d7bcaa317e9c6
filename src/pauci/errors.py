"""What the package raises and warns of, and how its messages speak.

Bad input always raises an `InputError` (a ``ValueError``) or an `InputTypeError` (a
``TypeError``); a measure that has no value on the data raises an `UndefinedError`. A result that
can be computed but should not be trusted blindly comes with one of the warnings below, so that it
can be turned into an error or silenced by class.

A message is made of parts: text, and mentions of arguments (`arg`), values (`shown`) or rows
(`RowNumbers`). Python says ``prevalence=``, the command line ``--prevalence``; the parts let each
say it in its own words (`Wording`), and ``.argument`` and ``.value`` tell a program what the
message is about.
"""

import contextlib
import enum
import functools
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple

_PACKAGE = f"{__file__.rpartition(os.sep)[0]}{os.sep}"  # so that a folder pauci_study is not inside


class _Mention(enum.Enum):
    """What stands for the value of an argument that is mentioned without one."""

    BARE = enum.auto()  # a member of an enumeration is itself again when it is unpickled


class Spelled:
    """A value that Python and the command line write differently, such as ``pauci.Bootstrap()``."""

    python: str
    command: str

    def __init__(self, python: str, command: str) -> None:
        self.python, self.command = python, command

    def __repr__(self) -> str:
        return self.python


BOOTSTRAP = Spelled("pauci.Bootstrap()", "bootstrap")


class Wording:
    """How Python speaks of arguments and rows; the command line has a `Wording` of its own."""

    def argument(self, name: str) -> str:
        """Return how an argument is given."""
        return f"{name}="

    def assignment(self, name: str, value: object) -> str:
        """Return how an argument is given a value."""
        return f"{name}={self.value(value)}"

    def value(self, value: object) -> str:
        """Return how a value is written."""
        return repr(value)

    def rows(self, positions: Sequence[int], noun: str = "row") -> str:
        """Return what rows are called that have these positions in the data."""
        return f"{noun}{'s' * (len(positions) > 1)} {', '.join(map(str, positions))}"


PYTHON = Wording()


class Argument(NamedTuple):
    """A mention of an argument, with or without a value; made by `arg`."""

    name: str
    value: Any = _Mention.BARE

    def said(self, wording: Wording) -> str:
        """Return the mention in the words of a reader."""
        if self.value is _Mention.BARE:
            return wording.argument(self.name)
        return wording.assignment(self.name, self.value)


def arg(name: str, value: Any = _Mention.BARE) -> Argument:
    """Mention an argument in a message: ``arg("fpr")``, ``arg("fpr", (0, 0.1))``."""
    return Argument(name, value)


class Value(NamedTuple):
    """A mention of a value that readers write differently, such as a measure; made by `shown`."""

    value: Any

    def said(self, wording: Wording) -> str:
        """Return the value in the words of a reader."""
        return wording.value(self.value)


def shown(value: Any) -> Value:
    """Mention a value in a message: ``shown(measure)``, ``shown(Spelled("None", "nothing"))``."""
    return Value(value)


class RowNumbers(NamedTuple):
    """A mention of some rows of the data, by position; of many only the first are named."""

    positions: tuple[int, ...]
    more: bool = False
    noun: str = "row"

    @classmethod
    def first(cls, positions: Any, most: int = 3) -> "RowNumbers":
        """Mention the first of many rows."""
        return cls(tuple(int(p) for p in positions[:most]), len(positions) > most)

    def said(self, wording: Wording) -> str:
        """Return the mention in the words of a reader."""
        return wording.rows(self.positions, self.noun) + (", ..." if self.more else "")


Part = str | Argument | Value | RowNumbers


def either(ways: Sequence[Sequence[Part]]) -> Iterator[Part]:
    """Yield several ways out, with "or" between them."""
    for i, way in enumerate(ways):
        if i:
            yield " or "
        yield from way


class Message:
    """What errors and warnings have in common.

    Attributes
    ----------
    argument : str or None
        Name of the argument that the message is about.
    value : object
        What was received for it; of some warnings the number that gives cause for it.
    """

    def __init__(self, *parts: Part, argument: str | None = None, value: Any = None) -> None:
        super().__init__(*parts)
        self.parts = parts
        if argument is None and parts and isinstance(parts[0], Argument):
            argument, mentioned = parts[0].name, parts[0].value
            value = mentioned if value is None and mentioned is not _Mention.BARE else value
        self.argument = argument
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        parts = [
            Argument(part.name, _portable(part.value)) if isinstance(part, Argument) else part
            for part in self.parts
        ]
        return _made_again, (type(self), parts, self.argument, _portable(self.value))

    def said(self, wording: Wording = PYTHON) -> str:
        """Return the message in the words of a reader."""
        return "".join(p if isinstance(p, str) else p.said(wording) for p in self.parts)

    def __str__(self) -> str:
        return self.said()


def _made_again(
    kind: type[Message], parts: Sequence[Part], argument: str | None, value: Any
) -> Message:
    return kind(*parts, argument=argument, value=value)


def _portable(value: Any) -> Any:
    """Return a value that another process can be sent: in words if it cannot be itself."""
    try:
        pickle.dumps(value)
    except Exception:  # what cannot be pickled says so in many ways
        return Spelled(repr(value), repr(value))
    return value


class PauciError(Exception):
    """Base class of every error that this package raises by itself."""


class InputError(Message, PauciError, ValueError):
    """An argument cannot be used as it is; the message names the argument and the way out."""


class InputTypeError(Message, PauciError, TypeError):
    """An argument is of the wrong kind; the message names the argument and the way out."""


class UndefinedError(Message, PauciError, ValueError):
    """A measure has no value, or no standard error, on these data."""


class PauciWarning(Message, UserWarning):
    """Base class of every warning that this package raises."""

    @property
    def reason(self) -> str:
        """What is doubted, of a warning about one estimate: without its name and advice."""
        return "".join(p for p in self.parts[2:3] if isinstance(p, str))


class MissingRowsWarning(PauciWarning):
    """Rows with missing values were dropped, as ``drop_missing`` asks."""


class ReversedScoresWarning(PauciWarning):
    """The AUC is below 0.5: higher scores may mean *less* positive in these data."""


class MissingCodeWarning(PauciWarning):
    """Scores hold an isolated extreme value that repeats, such as 999 for a missing value."""


class DifferentScalesWarning(PauciWarning):
    """A range of scores, or a threshold, does not suit the scale of a classifier."""


class DegenerateWarning(PauciWarning):
    """The standard error is 0, or the value at an end of its range: large-sample theory fails."""


class SmallRegionWarning(PauciWarning):
    """Few observations of the class that bounds a region are expected in it."""


class SmallFoldsWarning(PauciWarning):
    """Folds, or the region in them, hold few of a class, and their average keeps the bias."""


class CornerWarning(PauciWarning):
    """An end of a region lies within its own error of a corner of a rating scale's curve."""


class UnequalSamplesWarning(PauciWarning):
    """By the sizes of two samples, nearly all of the variance is that of the smaller one."""


class FewInfluentialWarning(PauciWarning):
    """Few observations are misranked, and a standard error rests on them: it may be too small."""


class PoorFitWarning(PauciWarning):
    """The goodness-of-fit test rejects a fitted curve: its measures can be biased."""


class SamplingRatioWarning(PauciWarning):
    """A measure that depends on the prevalence is evaluated at that of a case-control sample."""


class FarPrevalenceWarning(PauciWarning):
    """A prevalence is so far from the sample's that hardly any observation tells of it."""


class ResolutionWarning(PauciWarning):
    """Cells of scores may hide a large part of a standard error, or an unknown one."""


class TableWarning(PauciWarning):
    """The multinomial delta method is asked of data with almost as many categories as rows."""


class HardPredictionsWarning(PauciWarning):
    """The scores are two values, such as predicted labels: the curve has one point."""


class FewClustersWarning(PauciWarning):
    """Fewer than five clusters hold one of the classes: standard errors are unreliable."""


class DominantWeightsWarning(PauciWarning):
    """A few rows carry nearly all the weight of a class: standard errors are unreliable."""


class UnpairedWarning(PauciWarning):
    """Two samples with the same labels in the same order are compared as independent ones."""


class ResamplingWarning(PauciWarning):
    """A bootstrap has too few replicates, too little to draw from, or lost workers or files."""


class JackknifeWarning(PauciWarning):
    """The jackknife is asked for a measure and data for which it is not consistent."""


class ReaderVarianceWarning(PauciWarning):
    """A variance over readers and cases is below that over cases alone."""


class PlanningWarning(PauciWarning):
    """A sample size rests on a difference that the pilot does not distinguish from 0."""


class ChosenThresholdWarning(PauciWarning):
    """A threshold is chosen on the data that what is reported of it is taken from."""


_said: ContextVar[set[tuple[type, str]] | None] = ContextVar("_said", default=None)


@contextlib.contextmanager
def each_warning_once() -> Iterator[None]:
    """Say each warning once, however many steps of one call have cause for it."""
    if _said.get() is not None:
        yield
        return
    token = _said.set(set())
    try:
        yield
    finally:
        _said.reset(token)


_collected: ContextVar[list[PauciWarning] | None] = ContextVar("_collected", default=None)


@contextlib.contextmanager
def collected_warnings() -> Iterator[list[PauciWarning]]:
    """Keep what is warned of, for results that tell of it, besides saying it."""
    kept: list[PauciWarning] = []
    outer = _collected.get()
    token = _collected.set(kept)
    try:
        yield kept
    finally:
        _collected.reset(token)
        if outer is not None:
            outer += kept


_held: ContextVar[list[PauciWarning] | None] = ContextVar("_held", default=None)


@contextlib.contextmanager
def held_warnings() -> Iterator[list[PauciWarning]]:
    """Keep what is warned of without saying it, for verbs that say it once for many regions."""
    kept: list[PauciWarning] = []
    token = _held.set(kept)
    try:
        yield kept
    finally:
        _held.reset(token)


def warn(
    category: type[PauciWarning], *parts: Part, argument: str | None = None, value: Any = None
) -> None:
    """Warn at the line of the user's that called the package."""
    warning = category(*parts, argument=argument, value=value)
    if (kept := _collected.get()) is not None:
        kept.append(warning)
    if (held := _held.get()) is not None:
        held.append(warning)
        return
    said, what = _said.get(), (category, str(warning))
    if said is not None:
        if what in said:
            return
        said.add(what)
    warnings.warn(warning, stacklevel=_levels_to_the_caller())


def _levels_to_the_caller() -> int:
    """Return the stacklevel of the first frame outside the package, as seen from `warn`."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _inside(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    return level


def _inside(filename: str) -> bool:
    # Contexts and cached properties call the package from inside the standard library.
    return filename.startswith(_PACKAGE) or filename in (contextlib.__file__, functools.__file__)


@contextlib.contextmanager
def naming_rows(rename: Callable[[RowNumbers], Part] | None) -> Iterator[None]:
    """Let errors about rows name them as `rename` does; None leaves errors as they are."""
    try:
        yield
    except (InputError, InputTypeError) as error:
        if rename is None:
            raise
        parts = [rename(part) if isinstance(part, RowNumbers) else part for part in error.parts]
        raise type(error)(*parts, argument=error.argument, value=error.value) from None
