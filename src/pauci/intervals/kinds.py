"""Names of the kinds of bootstrap interval, available without loading the bootstrap."""

from collections.abc import Sequence
from typing import Literal, get_args

from pauci.checks import check_choice
from pauci.errors import InputError, ResamplingWarning, warn

Kind = Literal[
    "logit", "wald", "log", "mid-p", "profile", "joined", "bca", "percentile", "basic", "student"
]
"""Kinds of interval of an estimate."""

DifferenceKind = Literal["wald", "joined", "bca", "percentile", "basic", "student"]

BOOTSTRAP_KINDS = ("bca", "percentile", "basic", "student")


def use_of(kinds: Sequence[str], before: str = "") -> str:
    """Return the advice to use one of some kinds."""
    return f"Use {before}{' or '.join(f'kind={k!r}' for k in kinds)}."


def check_kind(kind: object, analytic_kinds: Sequence[str], resampled: object | None) -> None:
    """Raise an error for an unknown kind of interval, or a bootstrap kind without a bootstrap.

    A warning is issued for basic intervals, which reverse the skewness of the replicates.
    """
    if kind in BOOTSTRAP_KINDS and resampled is None:
        raise InputError.of(
            "kind",
            kind,
            "requires the bootstrap.",
            hint=use_of(analytic_kinds, "variance=pauci.Bootstrap(), or without it "),
        )
    kinds = (*analytic_kinds, *(BOOTSTRAP_KINDS if resampled else ()))
    if kind in get_args(Kind) and kind not in kinds:
        raise InputError.of(
            "kind",
            kind,
            "is not available here.",
            hint=use_of(kinds),
        )
    check_choice("kind", kind, kinds)
    if kind == "basic":
        warn(
            ResamplingWarning.of(
                "kind",
                kind,
                "is inaccurate if the replicates are skewed: in simulations, 95% intervals of "
                "partial areas often cover less than 90%, and tests reject too often.",
                hint=use_of(("bca", "percentile")),
            )
        )
