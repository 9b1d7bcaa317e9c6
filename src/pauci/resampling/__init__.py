"""Resampling methods: the bootstrap and permutation tests."""
