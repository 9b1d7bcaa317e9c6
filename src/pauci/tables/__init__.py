"""Tables of results: typed cells, and text, Markdown, LaTeX, HTML and Word written from them."""
