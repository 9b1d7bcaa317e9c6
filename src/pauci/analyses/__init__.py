"""Analyses of curves and of planned studies, with their results and tables."""
