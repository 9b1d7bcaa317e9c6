"""The layout of joint tests."""

import math

from pauci.results.captions import (
    abbreviations_of,
    compared_in_caption,
    sizes_in_caption,
    sizes_of,
)
from pauci.results.layout import P_OF_TEST, Layout, TableColumn, View, field_column
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Column,
    Degrees,
    Note,
    RichText,
    StatisticCell,
    Symbol,
)


def _caption(view: View) -> RichText:
    cs = view.result.comparisons
    if cs is None:
        return f"Joint test that {view.result._hypothesis}"
    differences = f"Joint test of {len(cs)} differences in "
    return (differences, *compared_in_caption(cs), "; ", *sizes_in_caption(cs))


def _notes(view: View) -> list[Note]:
    cs, notes = view.result.comparisons, [Note(f"Hotelling's test that {view.result._hypothesis}.")]
    if cs is not None:
        source = fmt.proper(cs[0].source or cs[0].estimates[0].source)
        pairing = cs[0].pairing.capitalize()
        notes += [Note(f"{pairing}. SE: {source}."), Note((*sizes_of(cs), "."))]
    return notes


def _has_f(view: View) -> bool:
    """Return whether the distribution is that of F, and not chi-squared."""
    return math.isfinite(view.result.df_denominator)


JOINT_TEST = Layout(
    title="Joint test",
    caption=_caption,
    columns=[
        TableColumn("hypothesis", lambda row: row.of._hypothesis),
        field_column(
            lambda view: Column("T-squared" if _has_f(view) else "chi-squared"),
            StatisticCell,
            "statistic",
        ),
        field_column(Symbol("F"), StatisticCell, "f", _has_f),
        field_column(
            lambda view: Column((Symbol("df"), " 1") if _has_f(view) else Symbol("df")),
            Degrees,
            "df",
        ),
        field_column((Symbol("df"), " 2"), Degrees, "df_denominator", _has_f),
        P_OF_TEST,
    ],
    fields="statistic df pvalue df_denominator f dropped left_out",
    notes=_notes,
    sentences=lambda view: [view.result.sentence],
    meanings=lambda view: abbreviations_of(c.measure for c in view.result.comparisons or ()),
)
