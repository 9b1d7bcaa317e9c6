"""Samples that are compared as independent, but look like the same rows."""

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pauci.checks import AnyArray
from pauci.errors import UnpairedWarning, arg, warn
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    from pauci.fits.fit import CurveFit


def warn_if_unpaired(samples: "Sequence[Sample] | Sequence[CurveFit]") -> None:
    """Warn of samples in a list that look like the same rows.

    Cells of a table are in an order that says nothing of rows, and so are rows with frequencies.
    """
    each: list[tuple[int, Sample | CurveFit]] = list(enumerate(samples, 1))
    for (i, a), (j, b) in combinations(each, 2):
        first, second = a.rows, b.rows
        if (
            first is not second
            and first.frequency is None
            and second.frequency is None
            and np.array_equal(first.positive, second.positive)
            and _same(first.weight, second.weight)
            and _same(first.cluster, second.cluster)
        ):
            one, other = a.names[0], b.names[0]
            one, other = ("a", "b") if one == other else (one, other)
            warn(
                UnpairedWarning,
                f"samples {i} and {j} have the same labels in the same order, and are compared as "
                "independent. If they are the same rows, pass one sample, pauci.Sample(y, "
                f"{{{one!r}: ..., {other!r}: ...}}), for the paired test; if not, say so with ",
                arg("independent", True),
                ".",
                argument="samples",
            )


def _same(first: AnyArray | None, second: AnyArray | None) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)
