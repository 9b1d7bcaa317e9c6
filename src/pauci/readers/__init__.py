"""Studies in which several readers judge several cases: what a difference of modalities rests on."""
