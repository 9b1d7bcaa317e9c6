"""Small blocks, so that few rows are evaluated by the code for many."""

import sys


def use_small_blocks(monkeypatch, size, *names):
    """Set the constants in the modules of the package with these names, or in all of them."""
    constants = {"BLOCK": size, "MANY_VALUES": size, "FEW_VALUES": 0}
    wanted = {f"pauci.{name}" for name in names}
    found = set()
    for module_name, module in list(sys.modules.items()):
        if module_name in wanted or (not names and module_name.startswith("pauci.")):
            for constant, value in constants.items():
                if hasattr(module, constant):
                    monkeypatch.setattr(module, constant, value)
                    found.add(module_name)
    assert found >= wanted
