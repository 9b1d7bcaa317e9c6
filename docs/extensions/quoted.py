"""Numbers that the text of a page quotes must be printed on the page.

Output, tables and computed numbers are rewritten by `write_pages.py`, the text is not. A number
with a decimal point counts as quoted; it must be some number that the page prints, rounded to its
own places, as a proportion or in per cent. Formulas, code and references are left out, and so is
what comes from another source, such as a paper, and says so: `<!--cited-->92.7<!--end-->`.
"""

import re
from collections.abc import Iterator

NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:e[-+]?\d+)?(?!\w|\.\d)")
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
COMPUTED = re.compile(r"<!--(?!cited|check)\w[^>]*-->.*?<!--end-->", re.S)
APART = re.compile(
    r"^```.*?^```$|<!--check.*?-->|<!--\w[^>]*-->.*?<!--end-->|^\$\$.*?\$\$"
    r"|Python \d\.\d+|\$[^$]+\$|`[^`]*`|!\[[^\]]*\]|\]\([^)]*\)|^## References.*",
    re.M | re.S,
)
"""What is not text: code, output, computed parts, formulas, descriptions, links, references."""


def numbers(text: str) -> Iterator[str]:
    """Return the numbers of a text, as they are written."""
    return (m[0] for m in NUMBER.finditer(text.replace("−", "-")) if any(c.isdigit() for c in m[0]))


def is_printed(quoted: str, printed: list[float]) -> bool:
    """Tell whether a printed number is the one that is quoted, to its own places."""
    places = len(quoted.partition(".")[2])
    value, room = float(quoted.replace(",", "")), 0.501 * 10.0**-places
    return any(abs(factor * p - value) <= room for p in printed for factor in (1.0, 100.0, 0.01))


def not_printed(page: str) -> list[str]:
    """Return the numbers that a page quotes and does not print."""
    parts = [m[0] for pattern in (FENCE, COMPUTED) for m in pattern.finditer(page)]
    printed = [float(n.replace(",", "")) for part in parts for n in numbers(part)]
    quoted = numbers(APART.sub(" ", page))
    return [n for n in quoted if "." in n and not is_printed(n, printed)]
