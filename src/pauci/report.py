"""How results look: numbers, sentences, text tables, data frames and the formats made of them.

Nothing here computes a statistic. pandas, statsmodels and tabulate load on first use.
"""

import html
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("text", "json", "csv", "markdown", "latex")

ESTIMATE_COLUMNS = (
    "classifier", "measure", "region", "fpr_low", "fpr_high", "tpr_low", "tpr_high",
    "threshold_low", "threshold_high", "value", "se", "low", "high", "level", "kind",
    "variance", "design", "n_pos", "n_neg", "bias", "scheme", "n_resamples", "seed",
)  # fmt: skip
COMPARISON_COLUMNS = (
    "first", "second", "measure", "region", "difference", "se", "statistic", "pvalue",
    "p_adjusted", "null", "alternative", "low", "high", "level", "kind", "correlation",
    "value_first", "value_second", "paired", "variance", "design_first", "design_second",
    "n_pos_first", "n_neg_first", "n_pos_second", "n_neg_second", "bias", "scheme",
    "n_resamples", "seed",
)  # fmt: skip

_PROPER = {
    "wald": "Wald", "bca": "BCa", "student": "studentized", "holm": "Holm",
    "bonferroni": "Bonferroni", "sidak": "Sidak", "holm-sidak": "Holm and Sidak",
    "simes-hochberg": "Simes and Hochberg", "hommel": "Hommel",
    "fdr_bh": "Benjamini and Hochberg", "fdr_by": "Benjamini and Yekutieli",
}  # fmt: skip


def proper(word: str) -> str:
    """Return a method as it is written in a sentence, from how it is written in code."""
    return _PROPER.get(word, word)


def number(value: float) -> str:
    """Return a number with four decimals, or more where it would read as 0."""
    if value == 0.0 or not math.isfinite(value):
        return "0" if value == 0.0 else str(value)
    return f"{value:.4f}" if abs(value) >= 0.001 else f"{value:.2g}"


def bound(value: object) -> str:
    """Return an end of a range, or a threshold, with up to four significant digits."""
    return f"{value + 0.0:.4g}" if isinstance(value, float) else str(value)  # -0 is 0


def p_value(value: float) -> str:
    """Return ``p = 0.012`` or ``p < 0.001``."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def p_cell(value: float) -> str:
    """Return a p-value for a table: ``0.012`` or ``<0.001``."""
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def percent(level: float) -> str:
    """Return a confidence level as a percentage."""
    return f"{100 * level:g}%"


def interval_phrase(low: float, high: float, level: float, kind: str) -> str:
    """Return ``95% Wald CI 0.1 to 0.2``; an infinite end makes it one-sided."""
    if math.isinf(low) and math.isinf(high):
        ends = "unbounded"
    elif math.isinf(high):
        ends = f"{number(low)} and above"
    elif math.isinf(low):
        ends = f"{number(high)} and below"
    else:
        ends = f"{number(low)} to {number(high)}"
    return f"{percent(level)} {proper(kind)} CI {ends}"


def range_phrase(name: str, low: object, high: object) -> str:
    """Return ``TPR 0.2 to 0.4``."""
    return f"{name} {bound(low)} to {bound(high)}"


def span(low: object, high: object) -> str:
    """Return ``0.2-0.4``, or a single number."""
    first, last = bound(low), bound(high)
    return first if first == last else f"{first}-{last}"


def threshold_phrase(low: object, high: object) -> str:
    """Return the score range of a region in words."""
    if isinstance(high, float) and math.isinf(high):
        return f"scores from {bound(low)} up"
    return f"scores from {bound(low)} to below {bound(high)}"


def frame(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """Return records as a data frame with exactly these columns."""
    import pandas as pd

    return pd.DataFrame([[record[c] for c in columns] for record in records], columns=list(columns))


class Table(NamedTuple):
    """What a text, Markdown or LaTeX table shows: cells that are already text."""

    title: str
    header: list[str]
    body: list[list[str]]
    notes: list[str]


class Tabular(ABC):
    """A result that shows itself as a table."""

    @abstractmethod
    def _table(self, level: float, kind: Any) -> Table:
        """Return the cells."""

    def summary(self, level: float = 0.95, kind: Any = None) -> str:
        """Return a text table with what it rests on in notes under it."""
        return text_table(self._table(level, kind))

    def to_markdown(self, level: float = 0.95, kind: Any = None) -> str:
        """Return the table of `summary` in Markdown."""
        return self._rendered("markdown", level, kind)

    def to_latex(self, level: float = 0.95, kind: Any = None) -> str:
        """Return the table of `summary` in LaTeX (booktabs), special characters escaped."""
        return self._rendered("latex", level, kind)

    def _rendered(self, style: str, level: float, kind: Any) -> str:
        import pandas as pd

        table = self._table(level, kind)
        return render(pd.DataFrame(table.body, columns=table.header), style)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return f"<pre>{html.escape(self.summary())}</pre>"


def text_table(table: Table) -> str:
    """Return a text table in the style of statsmodels, with notes under it."""
    from statsmodels.iolib.table import SimpleTable, default_txt_fmt

    alignment = {"data_aligns": "l" + "r" * (len(table.header) - 1), "table_dec_above": "="}
    simple = SimpleTable(
        table.body,
        headers=table.header,
        title=table.title,
        txt_fmt={**default_txt_fmt, **alignment},
    )
    return "\n".join([simple.as_text().strip("\n"), *table.notes])


def render(table: "pd.DataFrame", style: str) -> str:
    """Return a data frame as json, csv, markdown or latex, special characters escaped."""
    if style == "json":
        return json.dumps(
            [{k: _plain(v) for k, v in row.items()} for row in _records(table)], indent=2
        )
    if style == "csv":
        return table.to_csv(index=False, lineterminator="\n").rstrip("\n")
    if style == "markdown":
        from tabulate import tabulate

        body = [[_markdown_cell(cell) for cell in row.values()] for row in _records(table)]
        text = [all(isinstance(v, str) for v in table[c]) for c in table.columns]
        aligned = ["left" if is_text else "right" for is_text in text]
        return str(
            tabulate(
                body,
                headers=list(table.columns),
                tablefmt="pipe",
                colalign=aligned,
                disable_numparse=True,
            )
        )
    styler = table.style.hide(axis="index").format(precision=4, escape="latex", na_rep="")
    styler = styler.format_index(escape="latex", axis=1)
    return str(styler.to_latex(hrules=True)).rstrip("\n")


def _records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]


def _markdown_cell(value: Any) -> str:
    value = _plain(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else str(value).replace("|", "\\|")


def _plain(value: Any) -> Any:
    """Return a Python scalar; JSON has neither NaN nor infinity, so both become null."""
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
