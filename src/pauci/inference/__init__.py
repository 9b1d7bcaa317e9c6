"""The public verbs `estimate` and `compare`, and the warnings about their data."""
