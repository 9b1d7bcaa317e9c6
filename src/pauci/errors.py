"""What the package raises and warns of, and how its messages speak.

Bad input always raises an `InputError` (a ``ValueError``) or an `InputTypeError` (a
``TypeError``); a measure that has no value on the data raises an `UndefinedError`. A result that
can be computed but should not be trusted blindly comes with one of the warnings below, so that it
can be turned into an error or silenced by class.

A message is one f-string, and what it is about is in attributes::

    raise InputError(
        f"prevalence={share!r} must lie strictly between 0 and 1.",
        argument="prevalence",
        value=share,
        hint="Use prevalence=0.1.",
        shell_hint="Use --prevalence 0.1.",
    )

``str(error)`` is the message and the hint, with the numbers of the rows and the name of the
estimate where there are some. The command line writes the same from the attributes: a message that
begins with its argument (``prevalence=1.5``, ``prevalence=`` or ``prevalence``) begins with the
option there (``--prevalence 1.5``), the repr of ``measure`` becomes what is typed for it, and rows
become lines of the file. Only advice that has another form there is written twice (``shell_hint``).
"""

import contextlib
import functools
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, Self

_PACKAGE = f"{__file__.rpartition(os.sep)[0]}{os.sep}"  # so that a folder pauci_study is not inside

_MOST_ROWS = 3
"""Rows that a message names."""

RowNames = Callable[[Sequence[int], str], str]
"""Names rows, from their positions and what they are: ``"row"``, or ``"line"`` of a file."""


def numbered(numbers: Sequence[object], noun: str) -> str:
    """Return ``"row 3"`` or ``"rows 3, 7"``."""
    return f"{noun}{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


class Message:
    """What errors and warnings have in common.

    Attributes
    ----------
    message : str
        What is wrong: a sentence, without the name of the estimate, rows and hint.
    argument : str or None
        Name of the argument that the message is about.
    value : object
        What was received for it; of some warnings the number that gives cause for it.
    measure : Measure or None
        The measure that the message mentions.
    classifier : str or None
        With `measure` the estimate that the message is about, named in front: ``AUC() of ct: ...``.
    rows : sequence of int
        Positions of the rows that the message is about; the first three are named at its end.
    row_noun : str
        What `rows` are: rows, or lines of a file.
    where : str
        The part of the data that the message is about, such as a fold; named in front.
    hint : str
        The way out, a sentence.
    shell_hint : str or None
        The way out on the command line, where it differs from `hint`; empty if there is none.
    """

    message: str
    argument: str | None
    value: Any
    measure: Any
    classifier: str | None
    rows: Sequence[int]
    row_noun: str
    where: str
    hint: str
    shell_hint: str | None

    def __init__(
        self, message: str, *, argument: str | None = None, value: Any = None, measure: Any = None,
        classifier: str | None = None, rows: Any = (), row_noun: str = "row",
        where: str = "", hint: str = "", shell_hint: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(message)  # type: ignore[call-arg]  # of the exception that comes next
        self.message = message
        self.argument, self.value = argument, value
        self.measure, self.classifier = measure, classifier
        self.rows = rows if hasattr(rows, "dtype") else tuple(rows)  # there can be millions
        self.row_noun = row_noun
        self.where, self.hint, self.shell_hint = where, hint, shell_hint

    def __reduce__(self) -> tuple[Any, ...]:
        portable = {name: _portable(getattr(self, name)) for name in ("value", "measure")}
        return type(self), (self.message,), {**vars(self), **portable}

    def replaced(self, message: str | None = None, **changes: Any) -> Self:
        """Return a copy with another message, or with other attributes."""
        other = type(self)(self.message if message is None else message)
        vars(other).update({**vars(self), **changes, "message": other.message})
        return other

    def sentence(
        self, *, message: str | None = None, hint: str | None = None,
        measure: Callable[[Any], str] = repr, rows: RowNames = numbered,
    ) -> str:  # fmt: skip
        """Return the message with the name of the estimate, the rows and the hint.

        Parameters
        ----------
        message, hint : str, optional
            What replaces the message and the hint.
        measure : callable
            Writes the measure.
        rows : callable
            Names the first rows, from their positions and the noun.
        """
        text = self.message if message is None else message
        if self.measure is not None and measure is not repr:
            text = text.replace(repr(self.measure), measure(self.measure))
        if self.classifier is not None:
            text = f"{measure(self.measure)} of {self.classifier}: {text}"
        if len(self.rows):
            first = rows([int(i) for i in self.rows[:_MOST_ROWS]], self.row_noun)
            more = ", ..." if len(self.rows) > _MOST_ROWS else ""
            text = f"{text.rstrip('.')} ({first}{more})."
        text = f"{self.where}: {text}" if self.where else text
        hint = self.hint if hint is None else hint
        return f"{text} {hint}" if hint else text

    def __str__(self) -> str:
        return self.sentence()


class _Unpicklable:
    """Stands for a value that cannot be pickled, with the same repr."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _portable(value: Any) -> Any:
    """Return a value, or what stands for it if it cannot be sent to another process."""
    try:
        pickle.dumps(value)
    except Exception:  # pickle raises errors of many types
        return _Unpicklable(repr(value))
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
        """Why the estimate may be unreliable, of a warning about one: the message alone."""
        return self.message


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
    """A threshold is selected on the same data on which it is evaluated."""


_issued: ContextVar[set[tuple[type, str]] | None] = ContextVar("_issued", default=None)


@contextlib.contextmanager
def each_warning_once() -> Iterator[None]:
    """Issue the same warning once, even if several steps of a call would issue it."""
    if _issued.get() is not None:
        yield
        return
    token = _issued.set(set())
    try:
        yield
    finally:
        _issued.reset(token)


_collected: ContextVar[list[PauciWarning] | None] = ContextVar("_collected", default=None)


@contextlib.contextmanager
def collected_warnings() -> Iterator[list[PauciWarning]]:
    """Collect the warnings that are issued, for results that list them."""
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
    """Collect warnings without issuing them, for verbs that combine those of many estimates."""
    kept: list[PauciWarning] = []
    token = _held.set(kept)
    try:
        yield kept
    finally:
        _held.reset(token)


def warn(warning: PauciWarning) -> None:
    """Issue a warning at the line of the user's that called the package."""
    if (kept := _collected.get()) is not None:
        kept.append(warning)
    if (held := _held.get()) is not None:
        held.append(warning)
        return
    issued, key = _issued.get(), (type(warning), str(warning))
    if issued is not None:
        if key in issued:
            return
        issued.add(key)
    warnings.warn(warning, stacklevel=_levels_to_the_caller())


def _levels_to_the_caller() -> int:
    """Return the stacklevel of the first frame outside the package, as seen from `warn`."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and _inside(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    return level


def _inside(filename: str) -> bool:
    # Context managers and cached properties call the package from the standard library.
    return filename.startswith(_PACKAGE) or filename in (contextlib.__file__, functools.__file__)


@contextlib.contextmanager
def naming_rows(origin: Any, noun: str | None = None) -> Iterator[None]:
    """Let errors about rows name those that the rows were taken from.

    Parameters
    ----------
    origin : array of int or None
        The row of the user's data from which each row was taken; None if they are the same. If it
        is empty, rows have no numbers in the user's data, and none are named.
    noun : str, optional
        What the rows of the user's data are, if not rows.
    """
    try:
        yield
    except (InputError, InputTypeError) as error:
        if origin is None:
            raise
        rows = [int(origin[i]) for i in error.rows] if len(origin) else []
        again = error.replaced(rows=tuple(dict.fromkeys(rows)), row_noun=noun or error.row_noun)
        raise again from None
