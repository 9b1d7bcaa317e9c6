"""What users pass, made clean once: labels, scores, weights, clusters, tables of counts."""
