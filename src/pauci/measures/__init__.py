"""Measures of a part of the ROC curve, one module per family."""

import lazy_loader

# Names are listed in __init__.pyi; a module is imported when one of its names is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
