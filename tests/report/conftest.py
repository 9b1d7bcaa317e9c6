"""Settings shared by the tests of report pages."""

from few_sliders import few_positions

__all__ = ["few_positions"]
