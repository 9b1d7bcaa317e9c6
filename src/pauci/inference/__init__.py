"""The public verbs: estimate, compare, test by permutation, plan, and look at the curve."""
