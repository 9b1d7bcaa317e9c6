"""One self-contained page of a study: tables, figures, methods and checklists."""
