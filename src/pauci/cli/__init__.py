"""The command ``pauci``."""

from pauci.cli.entry import main, run

__all__ = ["main", "run"]
