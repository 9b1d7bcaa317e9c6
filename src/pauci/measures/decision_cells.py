"""The four cells of a decision: true and false positives, false and true negatives."""

from typing import NamedTuple

import numpy as np

from pauci.checks import FloatArray

TP, FP, FN, TN = np.eye(4)
"""The cells, as vectors that select them."""


class CellProportion(NamedTuple):
    """A proportion of rows: the cells that have a property, and all cells, which contain them."""

    part: FloatArray
    whole: FloatArray


SENSITIVITY = CellProportion(TP, TP + FN)
FPR = CellProportion(FP, FP + TN)
SPECIFICITY = CellProportion(TN, FP + TN)
PREVALENCE = CellProportion(TP + FN, TP + FP + FN + TN)
