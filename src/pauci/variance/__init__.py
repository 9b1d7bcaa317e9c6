"""Variance methods: covariances and standard errors without random numbers."""

from pauci.variance.contributions import Contributions
from pauci.variance.method import Uncertainty, VarianceMethod
from pauci.variance.units import Parts, Problem, Term

__all__ = ["Contributions", "Parts", "Problem", "Term", "Uncertainty", "VarianceMethod"]
