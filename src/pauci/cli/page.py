"""What ``pauci report`` says on its page besides the results."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pauci.errors import InputError, arg

_COLUMNS = {
    "label": "Column of labels", "positive": "Positive label", "by": "Column of classifiers",
    "row": "Column of cases", "cluster": "Column of clusters", "weight": "Column of weights",
    "frequency": "Column of frequencies",
}  # fmt: skip


def origin_of(file: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Return where the data come from: the file without its folders, and its columns."""
    name = "standard input" if file == "-" else Path(file).name
    named = {words: options[key] for key, words in _COLUMNS.items() if options[key] is not None}
    return {"File": name, **named}


def said_of_items(items: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return what authors say of items; each is said once."""
    said: dict[str, str] = {}
    for name, text in items:
        if name in said:
            raise InputError(arg("items", name), " is given twice; say it in one text.")
        said[name] = text
    return said
