"""Drawing data again and evaluating measures on them: the bootstrap and permutations."""
