"""Errors and warnings of the package, and the text of their messages.

Invalid input always raises an `InputError` (a ``ValueError``) or an `InputTypeError` (a
``TypeError``). A measure that has no value on the data raises an `UndefinedError`. If a result can
be calculated but may be unreliable, one of the warnings below is issued, which can be turned into
an error or silenced by class.

A message is made of fields::

    raise InputError.of(
        "prevalence", share, "must lie strictly between 0 and 1.", hint="Use prevalence=0.1."
    )
    raise InputError.about("y_score", "is empty; pass one score per row.", value=scores)
    raise UndefinedError((measure, " is undefined without negatives."))

``str(error)`` is the message and the hint, with the row numbers and the name of the estimate if
there are any. The command line displays ``prevalence=1.5`` as ``--prevalence 1.5``. A message that
does not begin with its argument is passed as a text, with the argument as an attribute.
"""

import contextlib
import functools
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, Self

import numpy as np

# The separator at the end excludes folders such as pauci_study.
_PACKAGE = f"{__file__.rpartition(os.sep)[0]}{os.sep}"

_MOST_ROWS = 3
"""Largest number of rows that a message lists."""


def install_advice(extra: str) -> str:
    """Return how to install an extra of this package."""
    from pauci.installation import extra_command  # imports urllib and other slow modules

    return f"Install the extra {extra}: {extra_command(extra)}"


def numbered(numbers: Sequence[object], noun: str) -> str:
    """Return ``"row 3"`` or ``"rows 3, 7"``."""
    return f"{noun}{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


_MOST_SHOWN = 80
"""Largest number of characters of a value in a message."""


def show(value: object) -> str:
    """Return the repr of a value in one line, without its middle if it is long."""
    try:
        text = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    except ValueError:  # an integer of more digits than Python writes
        text = f"an integer of {int(value).bit_length():,} bits"  # type: ignore[call-overload]
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 20]}...{text[-10:]}"


class DataName(str):
    """The name of data in messages, such as ``y_score['nn']``, and the argument that contains them.

    Parameters
    ----------
    words : str
        The name of the data in messages.
    argument : str
        The argument by which the data were passed.
    column : str, optional
        The column of a frame that contains the data; it is the value of the argument.
    missing_advice : str
        Advice on missing values; empty for the usual advice.
    label_advice : str
        Advice on labels of more than two classes; empty for the usual advice.
    after_argument : bool
        Whether the name of the argument precedes these words: ``weight column 'w'``.
    """

    words: str
    argument: str
    column: Any
    missing_advice: str
    label_advice: str
    after_argument: bool

    def __new__(
        cls,
        words: str,
        argument: str,
        column: Any = None,
        missing_advice: str = "",
        label_advice: str = "",
        after_argument: bool = False,
    ) -> "DataName":
        """Return the words as a string with the other arguments as attributes."""
        name = super().__new__(cls, f"{argument} {words}" if after_argument else words)
        name.words, name.argument, name.column = words, argument, column
        name.missing_advice, name.label_advice = missing_advice, label_advice
        name.after_argument = after_argument
        return name

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(vars(self).values())  # in the order of the arguments of `__new__`


Text = str | tuple[Any, ...]
"""A text, or its parts in order: strings and measures."""


class Message:
    """Attributes and text of errors and warnings.

    Attributes
    ----------
    problem : str or tuple
        A sentence that states the problem, or what follows the subject; strings and measures if it
        is a tuple.
    subject : str or None
        The argument with which the message begins, with its value or without:
        ``prevalence=1.5``, ``prevalence=`` or its name.
    message : str
        The subject and the problem, without the name of the estimate, rows and hint.
    argument : str or None
        Name of the argument that causes the message. A `DataName` is replaced by its argument, and
        `value` by its column.
    value : object
        The value of the argument; for some warnings, the number that causes the warning.
    measure : Measure or None
        The measure that the message mentions: by default the first of `problem`.
    classifier : str or None
        Name of the classifier, if the message concerns the estimate of `measure` for it. The text
        then begins with the name of the estimate: ``AUC() of ct: ...``.
    rows : sequence of int
        Positions of the rows that cause the message; the first three are listed at its end.
    row_noun : str
        The noun for `rows`: "row", or "line" of a file.
    where : str
        The part of the data that the message concerns, such as a fold; the text begins with it.
    hint : str
        A sentence that suggests a remedy.
    finding : str
        The beginning of the message, without the explanation that follows; empty if the message is
        not divided.
    """

    def __init__(
        self,
        problem: Text,
        *,
        argument: str | None = None,
        value: Any = None,
        subject: str | None = None,
        measure: Any = None,
        classifier: str | None = None,
        rows: Any = (),
        row_noun: str = "row",
        where: str = "",
        hint: str = "",
        finding: str = "",
    ) -> None:
        self.problem: Text = problem
        self.subject: str | None = subject
        super().__init__(self.message)  # type: ignore[call-arg]  # the next class is an exception
        if measure is None and isinstance(problem, tuple):
            measure = next((part for part in problem if not isinstance(part, str)), None)
        if isinstance(argument, DataName):
            value = value if argument.column is None else argument.column
            argument = argument.argument
        self.argument: str | None = argument
        self.value: Any = value
        self.measure: Any = measure
        self.classifier: str | None = classifier
        # There can be millions of rows.
        self.rows: Sequence[int] = rows if hasattr(rows, "dtype") else tuple(rows)
        self.row_noun: str = row_noun
        self.where: str = where
        self.hint: str = hint
        self.finding: str = finding

    @classmethod
    def of(
        cls, argument: str, value: Any, problem: Text, *, shown: str | None = None, hint: str = ""
    ) -> Self:
        """Return a message that begins with an argument and its value: ``prevalence=1.5 must ...``.

        `shown` is displayed instead of the value if its repr is long or not what users write.
        """
        subject = f"{argument}={show(value) if shown is None else shown}"
        return cls(problem, argument=argument, value=value, subject=subject, hint=hint)

    @classmethod
    def about(
        cls, argument: str, problem: Text, *, value: Any = None, rows: Any = (), hint: str = ""
    ) -> Self:
        """Return a message that begins with the name of an argument: ``y_score is empty ...``."""
        return cls(
            problem, argument=argument, value=value, subject=str(argument), rows=rows, hint=hint
        )

    def __reduce__(self) -> tuple[Any, ...]:
        problem = self.problem
        portable = {
            "problem": tuple(map(_portable, problem)) if isinstance(problem, tuple) else problem,
            "value": _portable(self.value),
            "measure": _portable(self.measure),
        }
        return _from_attributes, (type(self), {**vars(self), **portable})

    @property
    def message(self) -> str:
        """The subject and the problem, without the name of the estimate, rows and hint."""
        return "".join(part if isinstance(part, str) else repr(part) for part in self.parts())

    def parts(self) -> tuple[Any, ...]:
        """Return the message as strings and measures."""
        parts = self.problem if isinstance(self.problem, tuple) else (self.problem,)
        if self.subject is None:
            return parts
        separator = "" if isinstance(parts[0], str) and parts[0].startswith(":") else " "
        return f"{self.subject}{separator}", *parts

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with other attributes."""
        other: Self = _from_attributes(type(self), {**vars(self), **changes})
        return other

    def sentence(self, measure: Callable[[Any], str] = repr) -> str:
        """Return the message with the name of the estimate, the rows and the hint.

        Parameters
        ----------
        measure : callable
            Returns the text for a measure.
        """
        text = "".join(part if isinstance(part, str) else measure(part) for part in self.parts())
        if self.classifier is not None:
            text = f"{measure(self.measure)} of {self.classifier}: {text}"
        if len(self.rows):
            first = numbered([int(i) for i in self.rows[:_MOST_ROWS]], self.row_noun)
            more = ", ..." if len(self.rows) > _MOST_ROWS else ""
            text = f"{text.rstrip('.')} ({first}{more})."
        text = f"{self.where}: {text}" if self.where else text
        return f"{text} {self.hint}" if self.hint else text

    def __str__(self) -> str:
        return self.sentence()


def _from_attributes(kind: type[Any], attributes: dict[str, Any]) -> Any:
    """Return a message with these attributes."""
    message = kind(attributes["problem"], subject=attributes["subject"])
    vars(message).update(attributes)
    return message


class _Unpicklable:
    """Placeholder with the repr of a value that cannot be pickled."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _portable(value: Any) -> Any:
    """Return a value, or a placeholder if the value cannot be pickled."""
    try:
        pickle.dumps(value)
    except Exception:  # pickle raises errors of many types
        return _Unpicklable(repr(value))
    return value


class PauciError(Exception):
    """Base class of the errors of this package."""


class InputError(Message, PauciError, ValueError):
    """The value of an argument is invalid. The message names the argument and a remedy."""


class InputTypeError(Message, PauciError, TypeError):
    """The type of an argument is invalid. The message names the argument and a remedy."""


class UndefinedError(Message, PauciError, ValueError):
    """A measure or its standard error is undefined for the data."""


class PauciWarning(Message, UserWarning):
    """Base class of the warnings of this package."""

    about_data: ClassVar[bool] = False
    """Whether the warning is about scores, rows or the design, and not about an estimate."""

    @property
    def reason(self) -> str:
        """The message without the name of the estimate, the rows and the hint."""
        return self.message


class MissingRowsWarning(PauciWarning):
    """Rows were dropped for missing values or left out, or a file declares values as missing."""


class ReversedScoresWarning(PauciWarning):
    """The interval of the AUC is below 0.5: higher scores may mean *less* positive."""

    about_data: ClassVar[bool] = True


class MissingCodeWarning(PauciWarning):
    """Scores contain an isolated extreme value, such as 999 for a missing value."""

    about_data: ClassVar[bool] = True


class HiddenRowsWarning(PauciWarning):
    """A sheet of a workbook has hidden rows, which are read like the others."""


class DifferentScalesWarning(PauciWarning):
    """A range of scores, or a threshold, does not match the scale of a classifier."""


class DegenerateWarning(PauciWarning):
    """The standard error is 0 or the value is at a limit, so large-sample theory fails."""


class SmallRegionWarning(PauciWarning):
    """A region is expected to contain few observations of the class that bounds it."""


class FewInfluentialWarning(PauciWarning):
    """Few observations determine a value, so that its interval or its test is unreliable."""


class PoorFitWarning(PauciWarning):
    """The goodness-of-fit test rejects a fitted curve, so its measures can be biased."""


class SamplingRatioWarning(PauciWarning):
    """A measure is evaluated at the prevalence of a case-control sample, on which it depends."""

    about_data: ClassVar[bool] = True


class TableWarning(PauciWarning):
    """The multinomial delta method is used for data with almost as many categories as rows."""


class HardPredictionsWarning(PauciWarning):
    """The scores have two values, such as predicted labels, so the curve has a single point."""

    about_data: ClassVar[bool] = True


class FewClustersWarning(PauciWarning):
    """Fewer than five clusters contain one of the classes, or a few clusters have most of its rows.

    Standard errors are then unreliable.
    """

    about_data: ClassVar[bool] = True


class DominantWeightsWarning(PauciWarning):
    """Few rows have nearly all the weight of a class, so standard errors are unreliable."""

    about_data: ClassVar[bool] = True


class RepeatedRowsWarning(PauciWarning):
    """Rows seem to be repeated, or to be several readings of a case, in different clusters."""

    about_data: ClassVar[bool] = True


class DoubtfulDataWarning(PauciWarning):
    """Data may mean something else: probabilities of inclusion, cumulative counts, unread cases."""

    about_data: ClassVar[bool] = True


class CensoringWarning(PauciWarning):
    """Few events by a horizon, few rows followed beyond it, or most rows censored before it."""


class VerificationWarning(PauciWarning):
    """Some rows have a small probability of being verified, or given ones contradict the data."""


class UnpairedWarning(PauciWarning):
    """Two samples that may have the same rows, or rows in common, are treated as independent."""


class ResamplingWarning(PauciWarning):
    """A bootstrap has too few replicates or clusters, or lost processes, or is of kind "basic"."""


class JackknifeWarning(PauciWarning):
    """The jackknife is used for a measure and data for which it is not consistent."""


class SwappedColumnsWarning(PauciWarning):
    """A reader study has more modalities than readers, so that the columns may be swapped."""


class PlanningWarning(PauciWarning):
    """A plan is based on a doubtful difference, or on another interval than the default."""


class ChosenThresholdWarning(PauciWarning):
    """A threshold is selected on the data, which biases the values there or the maximum."""


_issued: ContextVar[set[tuple[type, str]] | None] = ContextVar("_issued", default=None)


@contextmanager
def each_warning_once() -> Iterator[None]:
    """Issue each distinct warning once, even if several steps of a call would issue it."""
    issued = _issued.get()
    token = _issued.set(set() if issued is None else issued)
    try:
        yield
    finally:
        _issued.reset(token)


_collected: ContextVar[list[PauciWarning] | None] = ContextVar("_collected", default=None)


@contextmanager
def collected_warnings() -> Iterator[list[PauciWarning]]:
    """Collect the warnings that are issued in a block, for results that list them."""
    collected: list[PauciWarning] = []
    outer, token = _collected.get(), _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)
        if outer is not None:
            outer += collected


_held: ContextVar[list[PauciWarning] | None] = ContextVar("_held", default=None)


@contextmanager
def held_warnings() -> Iterator[list[PauciWarning]]:
    """Collect the warnings of a block without issuing them, for functions that combine them.

    `collected_warnings` around the block collects only those that the functions issue.
    """
    held: list[PauciWarning] = []
    tokens = _collected.set(None), _held.set(held)
    try:
        yield held
    finally:
        _collected.reset(tokens[0])
        _held.reset(tokens[1])


def warn(warning: PauciWarning) -> None:
    """Issue a warning that refers to the line of user code that called the package."""
    if (collected := _collected.get()) is not None:
        collected.append(warning)
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
    """Return the stacklevel of the first frame outside the package, counted from `warn`."""
    frame, level = sys._getframe(1), 1
    # Context managers and cached properties call the package through the standard library.
    between = contextlib.__file__, functools.__file__
    while frame.f_back is not None and (
        frame.f_code.co_filename.startswith(_PACKAGE) or frame.f_code.co_filename in between
    ):
        frame, level = frame.f_back, level + 1
    return level
