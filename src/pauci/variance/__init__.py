"""Variance methods: covariances and standard errors without random numbers."""

from pauci.variance.method import JointUncertainty, Problem, Term, Uncertainty, VarianceMethod
from pauci.variance.terms import Terms

__all__ = ["JointUncertainty", "Problem", "Term", "Terms", "Uncertainty", "VarianceMethod"]
