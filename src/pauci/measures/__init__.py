"""Measures of one part of the ROC curve, one module per family."""

from pauci.measures import (
    area,
    concordance,
    kappa,
    point,
    precision,
    scaled_area,
    user_function,
)
from pauci.measures.area import *  # noqa: F403
from pauci.measures.base import REGISTRY, Measure, register
from pauci.measures.concordance import *  # noqa: F403
from pauci.measures.influence import Influence
from pauci.measures.kappa import *  # noqa: F403
from pauci.measures.point import *  # noqa: F403
from pauci.measures.precision import *  # noqa: F403
from pauci.measures.scaled_area import *  # noqa: F403
from pauci.measures.user_function import *  # noqa: F403

__all__ = ["REGISTRY", "Influence", "Measure", "register"]
__all__ += [*area.__all__, *scaled_area.__all__, *concordance.__all__, *point.__all__]
__all__ += [*precision.__all__, *kappa.__all__, *user_function.__all__]
