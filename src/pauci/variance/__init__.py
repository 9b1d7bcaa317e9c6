"""Variance methods: covariances and standard errors without random numbers."""

from pauci.variance.base import Problem, Term, Uncertainty, VarianceMethod

__all__ = ["Problem", "Term", "Uncertainty", "VarianceMethod"]
