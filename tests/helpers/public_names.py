"""The public names, loaded."""

import pauci

PUBLIC_NAMES = {**vars(pauci), **{name: getattr(pauci, name) for name in dir(pauci)}}
"""All public names; `vars(pauci)` lacks those that have not been used."""
