"""One self-contained page of a study: tables, figures and methods."""
