"""Figures in a notebook: the first one configures matplotlib for all others."""

import matplotlib as mpl
import pytest

from pauci.drawings import style


@pytest.mark.parametrize("on", [True, False])
def test_settings_of_the_first_figure_are_kept(on, monkeypatch):
    monkeypatch.setitem(mpl.rcParams, "interactive", not on)
    size = mpl.rcParams["font.size"]
    with style.settings(None):
        mpl.interactive(on)  # as the backend of a notebook does when it is loaded
    assert mpl.is_interactive() is on
    assert mpl.rcParams["font.size"] == size
