"""A fixture for tests of pages that are not about the sliders, which take time to calculate."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def few_positions():
    """Let the sliders of pages have few positions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pauci.report.cutoff_sliders.PREVALENCES", (0.1,))
        patch.setattr("pauci.report.cutoff_sliders.MOST_CUTOFFS", 5)
        yield
