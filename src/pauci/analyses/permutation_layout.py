"""The layout of a permutation test: the values of the classifiers, and the p-value."""

from operator import itemgetter
from typing import Any

from pauci.results.captions import (
    abbreviations_of,
    classifier_or_difference,
    classifiers_phrase,
    measures_phrase,
    region_suffix,
)
from pauci.results.layout import Layout, TableColumn, View
from pauci.results.row import PlainRow, never_above_one
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Note,
    Number,
    PValue,
    RichText,
    Symbol,
    Verbatim,
)


def _lines(view: View) -> list[PlainRow]:
    """Return a row for each classifier and for the difference; the last one has the p-value."""
    test = view.result
    lines: list[tuple[Cell, float]] = [
        (Verbatim(n), v) for n, v in zip(test.names, test.values, strict=True)
    ]
    if len(lines) == 2:
        lines.append(("difference", test.statistic))
    unit, ps = never_above_one(test.measure), [None] * (len(lines) - 1) + [PValue(test.pvalue)]
    return [
        PlainRow(test, name=name, number=Number(value, test.spread, unit), p=p)
        for (name, value), p in zip(lines, ps, strict=True)
    ]


def _title(view: View) -> RichText:
    names, measure = view.result.names, view.result.measure
    where = f", {measure.region_phrase}" if measure.region_phrase else ""
    return (f"{measure.label}{where}: ", *classifier_or_difference(names))


def _caption(view: View) -> RichText:
    test = view.result
    paired = " (paired)" if len(test.names) == 2 else ""
    return (
        *measures_phrase([test.measure]),
        " of ",
        *classifiers_phrase(test.names),
        f"{paired}: permutation test of {test.null}; {test.sizes}",
    )


def _notes(view: View) -> list[Note]:
    test = view.result
    sides = fmt.sided(test.alternative)
    notes = [Note(f"Permutation test of {test.null}, {sides}: {_source(test)}.")]
    if not test.exact:
        notes.append(Note(f"Monte Carlo error of p: {test.error_of_pvalue:.1g}."))
    if test.n_undefined:
        notes.append(Note(f"Undefined in {test.n_undefined:,} arrangements, which are omitted."))
    return notes


def _source(test: Any) -> str:
    """Return the arrangements that were enumerated or drawn, and the sizes of the sample."""
    drawn = f"{test.n_resamples:,} random {test._exchanged}, seed {test.seed}"
    return f"{f'exact, from all {test._exchanged}' if test.exact else drawn}; {test.sizes}"


def _sentences(view: View) -> list[str]:
    """Return one sentence."""
    test = view.result
    pairs = zip(test.names, test.values, strict=True)
    values = " and ".join(f"{fmt.number(v, test.spread)} for {n}" for n, v in pairs)
    if len(test.names) == 2:
        values += f", a difference of {fmt.number(test.statistic, test.spread)}"
    side = fmt.side_phrase(test.alternative)
    return [
        f"The {test.measure.name}{region_suffix(test.measure)} was {values} (permutation test of "
        f"{test.null}, {fmt.p_value(test.pvalue)}{side}; {_source(test)})."
    ]


PERMUTATION = Layout(
    title=_title,
    caption=_caption,
    columns=[
        TableColumn("classifier", itemgetter("name")),
        TableColumn("estimate", itemgetter("number")),
        TableColumn(Symbol("p"), itemgetter("p")),
    ],
    fields="first second measure region null statistic pvalue error_of_pvalue alternative exact "
    "n_resamples n_undefined seed dropped left_out",
    notes=_notes,
    sentences=_sentences,
    table_rows=_lines,
    meanings=lambda view: abbreviations_of([view.result.measure]),
)
