"""Meta-analysis of results and of two-by-two tables."""
