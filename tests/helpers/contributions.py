"""Standard errors that are due to the units, without the other rows of z."""

import numpy as np

OTHER_ROWS = ("unseen", "height", "shift", "curvature")


def units_of(result):
    """Return the contributions of the units to each quantity, and their frequencies."""
    frame = result.influence()
    units = [not any(word in str(name) for word in OTHER_ROWS) for name in frame.index]
    return frame.to_numpy()[units], frame.attrs["n"][units]


def se_of_units(result):
    """Return the standard error of each quantity that is due to the units."""
    z, n = units_of(result)
    return np.sqrt(n @ z**2)
