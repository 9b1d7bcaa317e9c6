"""Intervals and p-values, from an estimate and its standard error or from replicates."""
