"""Studies in which several readers judge several cases, and what their averages rest on."""
