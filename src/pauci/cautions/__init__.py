"""Warnings about data, about estimates, and about several parts of an analysis."""
