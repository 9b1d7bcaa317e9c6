"""Options of commands for functions that are called without a command line."""

from pauci.cli.typed_commands import options_of


def with_defaults(cls, **values):
    """Return the options of a class with these values, and the defaults of all others."""
    defaults = {p.name: () if p.multiple else False if p.is_flag else None for p in options_of(cls)}
    given = {p.name: p.default for p in options_of(cls) if isinstance(p.default, (str, int, float))}
    return cls(**{**defaults, **given, **values})
