"""Fitted curves: smooth models of the ROC curve, by maximum likelihood."""
