"""Measures of one part of the ROC curve, one module per family."""

from pauci.measures import area, function, kappa, point, precision, standard
from pauci.measures.area import *  # noqa: F403
from pauci.measures.base import REGISTRY, Influence, Measure, register
from pauci.measures.function import *  # noqa: F403
from pauci.measures.kappa import *  # noqa: F403
from pauci.measures.point import *  # noqa: F403
from pauci.measures.precision import *  # noqa: F403
from pauci.measures.standard import *  # noqa: F403

__all__ = ["REGISTRY", "Influence", "Measure", "register"]
__all__ += [*area.__all__, *standard.__all__, *point.__all__]
__all__ += [*precision.__all__, *kappa.__all__, *function.__all__]
