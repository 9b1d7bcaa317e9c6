"""The contributions of independent units to the quantities of a family, as a data frame."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.errors import InputError
from pauci.variance.method import Uncertainty

if TYPE_CHECKING:
    import pandas as pd

_ROUNDING = 1e-12
"""Proportion of a variance below which a part of it is a rounding error."""


def influence_frame(quantities: Sequence[Any], uncertainty: Uncertainty) -> "pd.DataFrame":
    """Return a frame with a row for each unit and a column for each quantity."""
    import pandas as pd

    if uncertainty.units is None:
        raise InputError(
            "these standard errors are not sums over single units, so that there is no influence.",
            argument="variance",
            hint="Use variance='influence' or variance=pauci.Jackknife().",
        )
    units = uncertainty.units()
    z = units.of_all_units().T
    if len(units.labels) == 1:
        index: Any = pd.Index(units.labels[0], name="unit")
    else:
        samples = np.repeat(np.arange(1, len(units.labels) + 1), [a.size for a in units.labels])
        labels = [label for array in units.labels for label in array.tolist()]
        index = pd.MultiIndex.from_arrays([samples, labels], names=["sample", "unit"])
    frame = pd.DataFrame(z, index, _columns(quantities))
    variances = uncertainty.matrix.diagonal()
    additional = variances - units.matrix().diagonal()
    additional[additional < _ROUNDING * variances] = 0.0
    frame.attrs["pseudo_variance"] = additional.tolist()
    if units.copies is None:
        return frame
    if units.copies.dtype.kind == "f" and (units.copies % 1.0).any():
        return frame.mul(np.sqrt(units.copies), axis=0)
    return frame.iloc[np.repeat(np.arange(len(frame)), units.copies.astype(np.intp))]


def _columns(quantities: Sequence[Any]) -> Any:
    """Return the names of the columns: the parts of the names in which the quantities differ."""
    import pandas as pd

    names = [tuple(map(str, q.labels)) for q in quantities]
    if len({len(n) for n in names}) > 1:
        return [", ".join(n) for n in names]
    differing = [i for i, values in enumerate(zip(*names, strict=True)) if len(set(values)) > 1]
    if not differing:
        return [", ".join(n) for n in names]
    if len(differing) == 1:
        return [n[differing[0]] for n in names]
    return pd.MultiIndex.from_tuples([tuple(n[i] for i in differing) for n in names])
