"""The names of the kinds of interval that a bootstrap has, known before any is drawn."""

from collections.abc import Sequence
from typing import Literal

from pauci.checks import check_choice
from pauci.errors import BOOTSTRAP, InputError, arg, either

Kind = Literal["logit", "wald", "log", "mid-p", "bca", "percentile", "basic", "student"]
"""Kinds of interval of an estimate."""

DifferenceKind = Literal["wald", "bca", "percentile", "basic", "student"]

BOOTSTRAP_KINDS = ("bca", "percentile", "basic", "student")


def check_kind(kind: object, analytic_kinds: Sequence[str], resampled: object | None) -> None:
    """Refuse unknown kinds of interval, and those of the bootstrap without one."""
    if kind in BOOTSTRAP_KINDS and resampled is None:
        ways = either([(arg("kind", k),) for k in analytic_kinds])
        raise InputError(
            arg("kind", kind), " goes with ", arg("variance", BOOTSTRAP), "; without it use ",
            *ways, ".",
        )  # fmt: skip
    kinds = (*analytic_kinds, *(BOOTSTRAP_KINDS if resampled else ()))
    check_choice("kind", kind, kinds)
