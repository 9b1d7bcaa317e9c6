"""The command ``pauci``."""

from pauci.cli.commands import main, run

__all__ = ["main", "run"]
