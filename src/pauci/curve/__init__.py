"""The empirical ROC curve: counts, the polyline, and regions of the curve."""
