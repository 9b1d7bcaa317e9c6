"""Figures of plain numbers, with which results draw themselves; matplotlib loads on use."""
