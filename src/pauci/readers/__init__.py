"""Studies in which several readers judge several cases (MRMC studies)."""
