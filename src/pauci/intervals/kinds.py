"""Names of the kinds of bootstrap interval, available without loading the bootstrap."""

from collections.abc import Sequence
from typing import Literal

from pauci.checks import check_choice
from pauci.errors import BOOTSTRAP, InputError, arg, either

Kind = Literal["logit", "wald", "log", "mid-p", "bca", "percentile", "basic", "student"]
"""Kinds of interval of an estimate."""

DifferenceKind = Literal["wald", "bca", "percentile", "basic", "student"]

BOOTSTRAP_KINDS = ("bca", "percentile", "basic", "student")


def check_kind(kind: object, analytic_kinds: Sequence[str], resampled: object | None) -> None:
    """Raise an error for an unknown kind of interval, or a bootstrap kind without a bootstrap."""
    if kind in BOOTSTRAP_KINDS and resampled is None:
        ways = either([(arg("kind", k),) for k in analytic_kinds])
        raise InputError(
            arg("kind", kind), " goes with ", arg("variance", BOOTSTRAP), "; without it use ",
            *ways, ".",
        )  # fmt: skip
    kinds = (*analytic_kinds, *(BOOTSTRAP_KINDS if resampled else ()))
    check_choice("kind", kind, kinds)
