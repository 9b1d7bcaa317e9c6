"""Where standard errors come from: covariance methods that need no random numbers."""

from pauci.variance.base import Problem, Term, Uncertainty, VarianceMethod

__all__ = ["Problem", "Term", "Uncertainty", "VarianceMethod"]
