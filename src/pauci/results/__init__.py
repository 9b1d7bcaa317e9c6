"""Frozen results of the public verbs, and how they look."""
