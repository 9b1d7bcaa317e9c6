"""The functions `estimate` and `compare`, and the warnings about their data."""
