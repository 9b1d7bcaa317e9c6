"""Results of the public functions, with their tables, sentences and figures."""
