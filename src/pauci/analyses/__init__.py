"""Analyses of a whole curve and of a study: each verb with its result and its tables."""
