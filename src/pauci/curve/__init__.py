"""The empirical ROC curve: counts, the polyline, and the part of it that is looked at."""
