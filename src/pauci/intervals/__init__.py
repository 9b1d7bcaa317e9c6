"""From an estimate and its standard error, or from replicates, to intervals and p-values."""
