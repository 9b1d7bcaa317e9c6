"""Validation of the data that users pass: labels, scores, weights, clusters, tables of counts."""
