"""What verbs that look at several regions share: one warning of a kind, however many there are."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pauci.errors import PauciWarning, each_warning_once, held_warnings, warn


@contextmanager
def one_warning_of_a_kind() -> Iterator[None]:
    """Say the first warning of each kind and how many more there are, once the work is done.

    What is warned of a single estimate stays with it, as its ``cautions``.
    """
    with each_warning_once():
        with held_warnings() as held:
            yield
        say_together(held)


def say_together(held: Sequence[PauciWarning]) -> None:
    """Say the first warning of each kind, and how many more there are."""
    kinds: dict[type[PauciWarning], dict[str, PauciWarning]] = {}
    for warning in held:
        kinds.setdefault(type(warning), {}).setdefault(str(warning), warning)
    for kind, messages in kinds.items():
        first, *others = messages.values()
        more = f" ({len(others):,} more of this kind; .cautions has each.)" if others else ""
        warn(kind, *first.parts, more, argument=first.argument)
