"""The page of ``pauci app``: forms, results and downloads, and the server that hands them on."""
