"""The functions `estimate` and `compare`, and the estimates on which all functions are based."""
