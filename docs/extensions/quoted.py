"""Check that the numbers in the text of a page are printed on the page.

`write_pages.py` rewrites output, tables and computed numbers, but not the text. Every number with a
decimal point in the text must be equal to a number that the page prints, or that is in a table of
the folder `studies` to which the page links, as a proportion or in per cent, after rounding to the
decimals in the text. Formulas, code and references are ignored, and so are numbers from another
source, such as a paper, which are marked: `<!--cited-->92.7<!--end-->`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:e[-+]?\d+)?(?!\w|\.\d)")
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
COMPUTED = re.compile(r"<!--(?!cited|check)\w[^>]*-->.*?<!--end-->", re.S)
APART = re.compile(
    r"^```.*?^```$|<!--check.*?-->|<!--\w[^>]*-->.*?<!--end-->|^\$\$.*?\$\$"
    r"|Python \d\.\d+|\$[^$]+\$|`[^`]*`|!\[[^\]]*\]|\]\([^)]*\)|^## References.*",
    re.M | re.S,
)
"""Ignored parts: code, output, computed parts, formulas, descriptions, links, references."""

LINKED = re.compile(r"\]\((?:\.\./)*(studies/[^)\s]*\.csv)\)")
"""A link to a table of the studies."""
ROOT = Path(__file__).resolve().parents[2]


def numbers(text: str) -> Iterator[str]:
    """Return the numbers in a text as strings."""
    return (m[0] for m in NUMBER.finditer(text.replace("−", "-")) if any(c.isdigit() for c in m[0]))


def is_printed(quoted: str, printed: list[float]) -> bool:
    """Tell whether a quoted number is equal to a printed one after rounding."""
    places = len(quoted.partition(".")[2])
    value, room = float(quoted.replace(",", "")), 0.501 * 10.0**-places
    return any(abs(factor * p - value) <= room for p in printed for factor in (1.0, 100.0, 0.01))


def not_printed(page: str) -> list[str]:
    """Return the numbers in the text of a page that the page does not print."""
    parts = [m[0] for pattern in (FENCE, COMPUTED) for m in pattern.finditer(page)]
    parts += [(ROOT / name).read_text(encoding="utf-8") for name in LINKED.findall(page)]
    printed = [float(n.replace(",", "")) for part in parts for n in numbers(part)]
    quoted = numbers(APART.sub(" ", page))
    return [n for n in quoted if "." in n and not is_printed(n, printed)]
