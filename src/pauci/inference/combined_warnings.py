"""Collection of warnings of the same kind, for functions that evaluate many estimates."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pauci.errors import PauciWarning, each_warning_once, held_warnings, warn

_MAX_LISTED = 6


@contextmanager
def combined_by_kind() -> Iterator[None]:
    """Issue the first warning of each kind with the number of others, at the end of the block.

    The warnings about a single estimate remain in its ``cautions``.
    """
    with each_warning_once():
        with held_warnings() as collected:
            yield
        warn_once_per_kind(collected)


class combined_by_reason:  # noqa: N801
    """Issue equal warnings about several classifiers once, at the end of the block."""

    def __enter__(self) -> None:
        self._once, self._held = each_warning_once(), held_warnings()
        self._once.__enter__()
        self._collected = self._held.__enter__()

    def __exit__(self, *details: object) -> None:
        self._held.__exit__()
        try:  # warnings are issued even if an error occurred
            _warn_with_all_names(self._collected)
        finally:
            self._once.__exit__()


def _warn_with_all_names(collected: Sequence[PauciWarning]) -> None:
    """Issue warnings; warnings that differ only in the classifier are combined."""
    groups: dict[tuple[type[PauciWarning], str], list[PauciWarning]] = {}
    for warning in collected:
        anonymous = warning if warning.classifier is None else warning.replaced(classifier="")
        groups.setdefault((type(warning), str(anonymous)), []).append(warning)
    for first, *others in groups.values():
        names = list(dict.fromkeys(str(w.classifier) for w in (first, *others)))
        if len(names) > 1:
            all_names = f"{', '.join(names[:-1])} and {names[-1]}"
            if len(names) > _MAX_LISTED:
                all_names = f"{len(names)} classifiers"
            first = first.replaced(classifier=all_names)
        warn(first)


def warn_once_per_kind(collected: Sequence[PauciWarning]) -> None:
    """Issue the first warning of each kind with the number of others."""
    kinds: dict[type[PauciWarning], dict[str, PauciWarning]] = {}
    for warning in collected:
        kinds.setdefault(type(warning), {}).setdefault(str(warning), warning)
    for messages in kinds.values():
        first, *others = messages.values()
        if others:
            more = f"({len(others):,} more of this kind; see .cautions.)"
            shell = None if first.shell_hint is None else f"{first.shell_hint} {more}".strip()
            first = first.replaced(hint=f"{first.hint} {more}".strip(), shell_hint=shell)
        warn(first)
