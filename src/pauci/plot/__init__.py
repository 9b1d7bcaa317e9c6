"""Figures of samples and results, with matplotlib (the extra ``plot``).

Every function takes ``ax=``, the axes to draw in, and returns them. By default it creates a figure
that is as wide as a journal column, 85 mm, with text of at least 7 points. The colours can be
distinguished by colour-blind readers and in greyscale print. matplotlib is imported when the first
figure is drawn.

Save a figure with ``ax.figure.savefig("figure.pdf")``. Vector files keep text as text if
``matplotlib.rcParams["svg.fonttype"] = "none"`` and ``["pdf.fonttype"] = 42`` are set before.
"""

import lazy_loader

# Functions are listed in __init__.pyi; a module is imported when one of its names is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
