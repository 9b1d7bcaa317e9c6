"""`write_report`: results with their tables and figures, methods and data, as a page or document.

A section of the page is a result, with its sentences, figure and table. The first screen has a
summary. Of results with many rows it has their number, their range and the tests of heterogeneity,
and their tables are folded.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pauci import errors
from pauci.analyses.band import is_scale
from pauci.calls import validate_call
from pauci.drawings import style as figure_style
from pauci.installation import commit
from pauci.intervals.analytic import Kind
from pauci.readers.analysis import ReaderAnalysis
from pauci.report.contents import Contents, description_of, description_of_study, listed
from pauci.report.forms import HtmlForm, WordForm
from pauci.report.methods import References, paragraphs
from pauci.report.page_figures import MOST_ROWS, curve_drawings, drawing_of, sample_drawings
from pauci.results.captions import capitalized, label_with_region, list_or_count, region_suffix
from pauci.results.estimates import Estimate
from pauci.results.facts import facts_of_rows, printed_factor, printed_label
from pauci.results.family import Comparisons, Estimates
from pauci.results.heterogeneity import GroupFamily
from pauci.results.pivot import Presentation
from pauci.results.quantity import rows_of
from pauci.sample.rows import DataSizes, ExcludedRows
from pauci.sample.sample import Sample
from pauci.tables import json_document
from pauci.tables import number_format as fmt
from pauci.tables.documents import check_installed, printed_rows, with_gap
from pauci.tables.number_format import StyleName, style_of, typeset_words
from pauci.tables.table import (
    Cell,
    EstimateCell,
    Table,
    Verbatim,
    count_cell,
    number_cell,
    score_cell,
)
from pauci.tables.table import plain as plain_text
from pauci.tables.tabular import DOCUMENT, Tabular

if TYPE_CHECKING:
    import os

Reported = Tabular | Sample
"""A result, a reader study, or a sample."""

AcceptedPath: TypeAlias = "str | os.PathLike[str]"

MOST_SENTENCES = 6
"""Largest number of sentences of a result."""

_MOST_IN_SUMMARY = 8
"""Number of sentences of all results in the summary, if each has at least one."""

_MOST_OPEN_ROWS = 24
"""Largest number of rows of a table that is not folded."""


@validate_call
def write_report(
    results: "Reported | Sequence[Reported]",
    path: "AcceptedPath",
    *,
    title: str | None = None,
    data: "AcceptedPath | Sequence[AcceptedPath] | None" = None,
    call: str | None = None,
    level: float = 0.95,
    kind: Kind | None = None,
    style: StyleName = "plain",
) -> None:
    """Write a self-contained report of results: sentences, tables, figures, methods and data.

    Parameters
    ----------
    results : result or list of results
        What functions of this package return: estimates, comparisons, results by group, cut-offs,
        operating points, bands, scans, analyses of reader studies, and others, in the order of the
        report. A `Sample` in the list is described, and its curves are drawn with the estimates of
        its classifiers, because results do not contain the data.
    path : str or os.PathLike
        The file to write: ``.html`` for a page without scripts and without external resources, or
        ``.docx`` for a Word document (the extra ``docx``).
    title : str, optional
        The title; the default names measures and classifiers.
    data : str, os.PathLike or list of these, optional
        The files of the data, whose sizes and SHA-256 are stated, so that a reader can recognize
        them.
    call : str, optional
        The command or the code that calculated the results, which is stated.
    level : float, default 0.95
        Confidence level of all intervals.
    kind : str, optional
        Kind of the intervals of estimates, and of differences if they have this kind.
    style : {"plain", "apa", "ama"}, default "plain"
        Number format of the tables.

    Raises
    ------
    TypeError, ValueError
        If an element of `results` is not a result, a file cannot be read or written, the title is
        blank, or matplotlib is not installed (the extra ``plot``).

    Warns
    -----
    PauciWarning
        Warnings about intervals, which the report lists with those that the results contain.

    Notes
    -----
    The report states the version of this package with its commit, the versions of Python and NumPy,
    the measures as code, and the date, or that of the environment variable ``SOURCE_DATE_EPOCH``:
    with it, the same results give the same file.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    >>> comparison = pauci.compare(sample, pauci.PAUCc(fpr=(0, 0.3)))
    >>> pauci.write_report([sample, comparison], "report.html")  # doctest: +SKIP
    """
    end = end_of(path)
    json_document.check_writable(path)
    files = [] if data is None else list(data) if isinstance(data, (list, tuple)) else [data]
    if call is not None and not isinstance(call, str):
        raise errors.InputTypeError.of("call", call, "must be a text.")
    origin = dict(map(hash_of, files)) | ({"Call": call} if call else {})
    contents = Contents(results, level, kind)
    json_document.write_file(path, report(contents, end, checked_title(title), origin, style))


def end_of(path: Any, argument: str = "path") -> str:
    """Return the suffix of the file of a report, and check that its format can be written."""
    end = Path(path).suffix.lower() if isinstance(path, (str, Path)) else ""
    if end not in (".html", ".htm", ".docx"):
        raise errors.InputError.of(argument, path, "must end in .html or .docx.")
    if end == ".docx":
        check_installed("docx")
    figure_style.matplotlib()
    return end


def hash_of(path: Any) -> tuple[str, str]:
    """Return a file of data with its size and SHA-256, as a row of the report."""
    facts = json_document.file_as_values(path)
    return f"Data: {facts['file']}", f"{facts['bytes']:,} bytes, SHA-256 {facts['sha256']}"


def checked_title(title: Any) -> str | None:
    """Return a title on one line; raise an error if it is not a text or blank."""
    if title is not None and not isinstance(title, str):
        raise errors.InputTypeError.of("title", title, "must be a text.")
    if title is not None and not title.strip():
        raise errors.InputError.of("title", title, "is blank; omit it or pass a text.")
    return title if title is None else " ".join(title.split())


def report(
    contents: Contents,
    end: str,
    title: str | None,
    origin: Mapping[str, str],
    style: str = "plain",
) -> bytes:
    """Return a report as a page or, with the suffix ``.docx``, as a Word document."""
    form: Any = (WordForm if end == ".docx" else HtmlForm)(style_of(style))
    references, names = References(), listed(contents.classifiers)
    default_title = f"Report on {names}" if names else "Report"
    if contents.measures:
        measures = list_or_count(list(map(label_with_region, contents.measures)), "measures")
        if len(contents.measures) == 1:
            (measure,) = contents.measures
            measures = f"{capitalized(measure.name)}{region_suffix(measure)}"
        default_title = f"{measures}: {names}"
    sizes = [
        f"{listed(s.names)}: "
        f"{DataSizes(s.n_pos, s.n_neg, classes=getattr(s.rows, 'class_list', ()))}"
        for s in contents.samples
    ]
    sizes += [f"{listed(s.modalities)}: {s.sizes}" for s in contents.studies]
    with errors.each_warning_once(), errors.collected_warnings() as warned:
        sections = [*sections_of(contents, form), *scores_of(contents, form)]
        typeset = typesetter(contents.names)
        facts = [description_of(contents.samples)] if contents.samples else []
        content = {
            "title": title or default_title,
            "lead": f"{'; '.join(sizes)}." if sizes else "",
            "sections": sections,
            "facts": [*facts, *map(description_of_study, contents.studies)],
            "methods": [typeset(text) for text in paragraphs(contents, references.cite)],
            "regions": any(m.region_phrase for m in contents.measures),
            "references": references.entries,
            "origin": _reproduction(contents, origin),
            "version": json_document.versions()["pauci"],
        }
    left_out = [" and ".join(s.rows.exclusions) for s in contents.samples]
    left_out += [ExcludedRows(study.dropped).listed for study in contents.studies]
    warnings = [f"{words} left out." for words in left_out if words]
    cautions = [caution for e in contents.estimates for caution in e.cautions]
    cautions += [caution for m in contents.of(ReaderAnalysis) for caution in m.cautions]
    distinct = {str(w): w for w in [*cautions, *warned]}.values()
    warnings += [typeset(w.sentence(measure=label_with_region)) for w in distinct]
    return form.file({**content, "warnings": warnings})  # type: ignore[no-any-return]


class Section(NamedTuple):
    """A part of a report: a result with its sentences, figures and tables.

    `summary` are the sentences of the first screen; with each table is whether it is long.
    """

    id: str
    heading: str
    summary: list[str]
    sentences: list[str]
    figures: list[Any]
    tables: list[tuple[Any, bool]]


def sections_of(contents: Contents, form: Any) -> Iterator[Section]:
    """Yield the curves of the samples, and the results."""
    typeset = typesetter(contents.names)
    curves = [form.figure(drawing) for drawing in curve_drawings(contents)]
    if curves:
        yield Section("curves", "Curves", [], [], curves, [])
    presented = list(_presented(contents))
    most = max(1, _MOST_IN_SUMMARY // len(presented))
    if sum(len(sentences) for _, _, sentences in presented) <= _MOST_IN_SUMMARY:
        most = _MOST_IN_SUMMARY
    for i, (result, table, sentences) in enumerate(presented, 1):
        tables = [table, *_further_tables(result, contents.level)]
        heading, name = plain_text(table.title), getattr(result, "classifier", None)
        if isinstance(result, ReaderAnalysis):
            heading = f"{printed_label(result.measure)} of readers"
        elif isinstance(name, str) and name not in heading:
            heading = f"{heading} of {name}"
        heading = typeset(heading)
        drawings = drawing_of(result, contents, heading, sentences)
        figures = [form.figure(drawing) for drawing in drawings]
        summary, others = _divided(result, sentences, most, contents.level)
        if len(others) > MOST_SENTENCES:
            more = fmt.count(len(others) - MOST_SENTENCES, "further result")
            others = [*others[:MOST_SENTENCES], f"The tables have {more}."]
        texts = list(map(typeset, summary)), list(map(typeset, others))
        folded = [(form.table(part), len(part.rows) > _MOST_OPEN_ROWS) for part in tables]
        yield Section(f"result-{i}", heading, *texts, figures, folded)


def _divided(
    result: Any, sentences: list[str], most: int, level: float
) -> tuple[list[str], list[str]]:
    """Return the sentences of a result in the summary, and those in its section."""
    summary, others = sentences[:most], sentences[most:]
    if isinstance(result, (list, Estimates, Comparisons)) and len(result) > MOST_SENTENCES:
        summary, others = _condensed(result, level), []
        if isinstance(result, GroupFamily):
            summary += result._tests[1]
            pvalues: list[Any] = [row.p_adjusted for row in result._rows_of_gaps(0.95)]
            small, reference = sum(p < 0.05 for p in pvalues), result.reference
            gaps = (
                f"{small:,} of the {len(pvalues):,} gaps between a group and "
                f"{fmt.name_of_reference(reference)} have an adjusted p-value below 0.05."
            )
            others = [gaps, result.skipped.note]
    elif isinstance(result, ReaderAnalysis):
        others = [*sentences[most:-1], *result.by_reader._sentences(level, None)]
    if isinstance(result, GroupFamily) and len(result) > MOST_ROWS:
        others.insert(0, "There are too many groups for a forest plot.")
    return summary, list(filter(None, others))


def scores_of(contents: Contents, form: Any) -> Iterator[Section]:
    """Yield the pairs and the scores of the samples."""
    figures = [form.figure(drawing) for drawing in sample_drawings(contents)]
    cross_tables = [
        (form.table(_cross_table(c.sample, c.name)), False)
        for c in contents.with_curves
        if not (c.sample.rows.has_folds or c.sample.rows.has_weights)
        and is_scale(c.sample.ratings(c.name))  # ratings that can be counted
    ]
    if figures:
        yield Section("scores", "Scores", [], [], figures, cross_tables)


def _presented(contents: Contents) -> Iterator[tuple[Any, Table, list[str]]]:
    """Yield the results with their tables and sentences; successive estimates are one table."""
    for single, run in groupby(contents.results, lambda result: isinstance(result, Estimate)):
        results: list[Any] = list(run)
        if single and len(results) > 1:
            facts = facts_of_rows(rows_of(results, contents.level, contents.kind))
            presentation = Presentation(facts, contents.level)
            yield results, presentation.table(DOCUMENT), presentation.sentences()
            continue
        for result in results:
            level = contents.level if result.has_intervals else 0.95
            content = result._content(level, contents.kind_of(result))
            yield result, content.table, [s for text in content.sentences for s in text.split("\n")]


def _condensed(result: Any, level: float) -> list[str]:
    """Return the number of estimates or differences, and the smallest and the largest of each."""
    compared = isinstance(result, Comparisons)
    by_group = isinstance(result, GroupFamily)
    series: dict[str, list[tuple[float, str, Any]]] = {}
    for q in result:
        name = f"{q.first} - {q.second}" if compared else q.classifier
        measure = "difference in " * compared + label_with_region(q.measure)
        about = f"{measure} of {name}" if by_group else measure
        row = f"group {q.group}" if by_group else name
        series.setdefault(about, []).append((float(q.value), row, q))
    texts = []
    for about, values in series.items():
        subject = f"The {len(values):,} values of the {about} range"
        if by_group:
            subject = f"The {about} in {len(values):,} groups ranges"
        ends = []
        for extreme in min, max:
            _, row, q = extreme(values, key=itemgetter(0))
            factor = printed_factor(q.measure)
            low, high = q.interval(level)
            cell = EstimateCell(q.value * factor, low * factor, high * factor)
            ends.append(f"{cell.number} ({row})")
        texts.append(f"{subject} from {' to '.join(ends)}.")
    if compared and not by_group:
        below = sum(p < 0.05 for p in result.p_adjusted)
        texts.append(f"{below:,} of the {len(result):,} adjusted p-values are below 0.05.")
    return texts


def _further_tables(result: Any, level: float) -> Iterator[Table]:
    """Yield the table of single readers, or of the tests that groups are equal."""
    if isinstance(result, ReaderAnalysis):
        yield result.by_reader._table(level, None)
    tests = result._tests[0] if isinstance(result, GroupFamily) else []
    if tests:
        tables = [test._table(0.95, None) for test in tests]
        named = zip([Verbatim(test.what) for test in tests], tables, strict=True)
        yield replace(
            tables[0],
            title=("Tests that measures are equal in all groups by ", Verbatim(result.by)),
            headings=["of", *tables[0].headings],
            rows=[[name, *row] for name, table in named for row in table.rows],
            notes=tables[0].notes[:1],
        )


def _cross_table(sample: Sample, name: str) -> Table:
    """Return how often each rating was given to positives and to negatives."""
    counts = sample.ratings(name).curve.table
    number: Any = count_cell if counts.exact else number_cell
    pos, neg = counts.pos.tolist(), counts.neg.tolist()
    body: list[list[Cell]] = [
        [score_cell(counts.threshold(i), counts.text_at(i + 1)), number(pos[i]), number(neg[i])]
        for i in printed_rows(counts.size)
    ]
    rows = with_gap(body, counts.size)
    rows.append(["all", number(counts.total_pos), number(counts.total_neg)])
    title = "Cross table of the ratings of ", Verbatim(name), " by the reference standard"
    note = "Ratings are in order from the most positive to the least positive."
    return Table(title, ["rating", "positives", "negatives"], rows, [note])


def _reproduction(contents: Contents, origin: Mapping[str, str]) -> list[list[str]]:
    """Return what is needed to calculate the results again, as headings and rows."""
    installed = json_document.versions()
    seeds = {str(e.resampled.seed) for e in contents.estimates if e.resampled is not None}
    version = f"{installed.pop('pauci')}{f', commit {commit()}' if commit() else ''}"
    rows = {
        **origin,
        "Measures": "; ".join(map(repr, contents.measures)),
        "Random seed": ", ".join(sorted(seeds)),
        "Confidence level": f"{contents.level:g}",
        "pauci": version,
        "Python, NumPy, SciPy": ", ".join(installed.values()),
        "Date": json_document.date_of_today(),
    }
    return [["Item", "Value"], *([name, text] for name, text in rows.items() if text)]


def typesetter(names: Iterable[str]) -> Callable[[str], str]:
    """Return a function that writes true minus signs in sentences, except within names."""
    kept = [re.escape(n) for n in dict.fromkeys(names) if typeset_words(n) != n]
    if not kept:
        return typeset_words
    pattern = re.compile(f"({'|'.join(sorted(kept, key=len, reverse=True))})")

    def typeset(text: str) -> str:
        parts = pattern.split(text)
        return "".join(part if i % 2 else typeset_words(part) for i, part in enumerate(parts))

    return typeset
