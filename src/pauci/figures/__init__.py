"""Figures of numbers and rows in a common style, drawn by matplotlib independently of results."""
