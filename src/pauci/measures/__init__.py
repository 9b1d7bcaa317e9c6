"""Measures of one part of the ROC curve, one module per family."""

from pauci.measures import area
from pauci.measures.area import *  # noqa: F403
from pauci.measures.base import REGISTRY, Influence, Measure, register

__all__ = ["REGISTRY", "Influence", "Measure", "register"]
__all__ += area.__all__
