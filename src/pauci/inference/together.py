"""Collection of warnings of the same kind, for functions that evaluate many estimates."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pauci.errors import PauciWarning, each_warning_once, held_warnings, warn

_MOST_NAMED = 6


@contextmanager
def one_warning_of_a_kind() -> Iterator[None]:
    """Issue the first warning of each kind with the number of others, at the end of the block.

    The warnings about a single estimate remain in its ``cautions``.
    """
    with each_warning_once():
        with held_warnings() as held:
            yield
        say_together(held)


@contextmanager
def each_reason_once() -> Iterator[None]:
    """Issue the same warnings about several classifiers once with all names, at the end."""
    with each_warning_once():
        held: list[PauciWarning] = []
        try:
            with held_warnings() as held:
                yield
        finally:  # warnings are issued even if an error follows
            _warn_with_all_names(held)


def _warn_with_all_names(held: Sequence[PauciWarning]) -> None:
    """Issue warnings; those that differ only in the classifier are combined with all names."""
    groups: dict[tuple[type[PauciWarning], str], list[PauciWarning]] = {}
    for warning in held:
        parts = warning.parts
        if _classifier_of(warning):
            parts = (parts[0], *parts[2:])
        groups.setdefault((type(warning), type(warning)(*parts).said()), []).append(warning)
    for (kind, _), warnings in groups.items():
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
    """Return the name of the classifier in a warning about an estimate, or an empty string."""
    if len(warning.parts) < 3:
        return ""
    part = warning.parts[1]
    named = isinstance(part, str) and part.startswith(" of ") and part.endswith(": ")
    return str(part)[4:-2] if named else ""


def say_together(held: Sequence[PauciWarning]) -> None:
    """Issue the first warning of each kind with the number of others."""
    kinds: dict[type[PauciWarning], dict[str, PauciWarning]] = {}
    for warning in held:
        kinds.setdefault(type(warning), {}).setdefault(str(warning), warning)
    for kind, messages in kinds.items():
        first, *others = messages.values()
        more = f" ({len(others):,} more of this kind; .cautions has each.)" if others else ""
        warn(kind, *first.parts, more, argument=first.argument)
