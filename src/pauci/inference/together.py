"""What verbs that look at several regions share: one warning of a kind, however many there are."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pauci.errors import PauciWarning, each_warning_once, held_warnings, warn

_MOST_NAMED = 6


@contextmanager
def one_warning_of_a_kind() -> Iterator[None]:
    """Say the first warning of each kind and how many more there are, once the work is done.

    What is warned of a single estimate stays with it, as its ``cautions``.
    """
    with each_warning_once():
        with held_warnings() as held:
            yield
        say_together(held)


@contextmanager
def each_reason_once() -> Iterator[None]:
    """Say once, with all names, what is warned of several classifiers, once the work is done."""
    with each_warning_once():
        held: list[PauciWarning] = []
        try:
            with held_warnings() as held:
                yield
        finally:  # an error does not swallow what was warned of before
            _say_with_all_names(held)


def _say_with_all_names(held: Sequence[PauciWarning]) -> None:
    """Say each warning, of those that differ only in the classifier one with all of their names."""
    alike: dict[tuple[type[PauciWarning], str], list[PauciWarning]] = {}
    for warning in held:
        parts = warning.parts
        if _classifier_of(warning):
            parts = (parts[0], *parts[2:])
        alike.setdefault((type(warning), type(warning)(*parts).said()), []).append(warning)
    for (kind, _), warnings in alike.items():
        first = warnings[0]
        names = list(dict.fromkeys(filter(None, map(_classifier_of, warnings))))
        parts = first.parts
        if len(names) > 1:
            all_names = f"{', '.join(names[:-1])} and {names[-1]}"
            if len(names) > _MOST_NAMED:
                all_names = f"{len(names)} classifiers"
            parts = (parts[0], f" of {all_names}: ", *parts[2:])
        warn(kind, *parts, argument=first.argument, value=first.value)


def _classifier_of(warning: PauciWarning) -> str:
    """Return the name of the classifier that a warning about one estimate is about, or nothing."""
    if len(warning.parts) < 3:
        return ""
    about = warning.parts[1]
    named = isinstance(about, str) and about.startswith(" of ") and about.endswith(": ")
    return str(about)[4:-2] if named else ""


def say_together(held: Sequence[PauciWarning]) -> None:
    """Say the first warning of each kind, and how many more there are."""
    kinds: dict[type[PauciWarning], dict[str, PauciWarning]] = {}
    for warning in held:
        kinds.setdefault(type(warning), {}).setdefault(str(warning), warning)
    for kind, messages in kinds.items():
        first, *others = messages.values()
        more = f" ({len(others):,} more of this kind; .cautions has each.)" if others else ""
        warn(kind, *first.parts, more, argument=first.argument)
