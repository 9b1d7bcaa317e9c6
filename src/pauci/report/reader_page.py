"""`reader_page`: a page on a reader study, with tables, figures and methods."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from pauci import checks, plot
from pauci.calls import validate_call
from pauci.errors import InputError, PauciWarning, collected_warnings, each_warning_once
from pauci.readers.analysis import ReaderAnalysis, rows_of_readers
from pauci.report.data_description import DESIGNS, direction_phrase, percent
from pauci.report.methods import References, about_measures, software, versions
from pauci.report.page import (
    PAGE,
    PageText,
    Sentence,
    measure_name,
    python_sentence,
    typeset_beside,
)
from pauci.report.page_analysis import distinct
from pauci.report.page_figures import Drawing, Medium, by_heading, listed
from pauci.report.page_tables import Numbered
from pauci.report.template import rendered
from pauci.results.captions import measures_phrase
from pauci.sample.rows import ExcludedRows
from pauci.tables import number_format as fmt
from pauci.tables.formatted_table import visible
from pauci.tables.number_format import StyleName, style_of

_OBUCHOWSKI_ROCKETTE = (
    "N. A. Obuchowski and H. E. Rockette (1995), Hypothesis testing of diagnostic accuracy for "
    "multiple readers and multiple tests: an ANOVA approach with dependent observations, "
    "Communications in Statistics - Simulation and Computation 24:285-308."
)
_HILLIS = (
    "S. L. Hillis (2007), A comparison of denominator degrees of freedom methods for multiple "
    "observer ROC analysis, Statistics in Medicine 26:596-619."
)


@validate_call
def reader_page(
    results: ReaderAnalysis | Sequence[ReaderAnalysis],
    *,
    title: str | None = None,
    origin: Mapping[str, str] | None = None,
    level: float = 0.95,
    style: StyleName = "plain",
) -> str:
    """Return one self-contained HTML page about a reader study: numbers, figures and methods.

    Parameters
    ----------
    results : ReaderAnalysis or sequence of ReaderAnalysis
        What `mrmc` returns, for one measure or for several measures of the same study.
    title : str, optional
        The title of the page; the default names measures and modalities.
    origin : dict of str to str, optional
        Further facts about the data, such as ``{"File": "readings.csv"}``.
    level : float, default 0.95
        Confidence level of all intervals.
    style : {"plain", "apa", "ama"}, default "plain"
        Number format of the tables.

    Returns
    -------
    str
        A page without scripts and without external resources, to be written to a file in UTF-8. All
        text is escaped.

    Raises
    ------
    TypeError, ValueError
        If the results are not those of one study, the title is blank, or matplotlib is not
        installed (the extra ``plot``).

    See Also
    --------
    report_page : A page about classifiers.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_viper()
    >>> frame = frame[frame["study"] == "screeningHighP"]
    >>> study = pauci.ReaderStudy.from_frame(frame, label="cancer_365")
    >>> page = pauci.reader_page(pauci.mrmc(study, pauci.AUC()))
    >>> page.startswith("<!doctype html>"), page.count("<table"), page.count("<figure")
    (True, 3, 2)
    """
    return page_of_readers(results, PageText(title, origin), level, style, python_sentence)


def page_of_readers(
    results: Any, page_text: PageText, level: float, style: str, sentence: Sentence
) -> str:
    """Return the page, with warnings as Python or the command line writes them."""
    return rendered(**_report(results, page_text, level, style, sentence, PAGE))


def word_document_of_readers(
    results: Any, page_text: PageText, level: float, style: str, sentence: Sentence
) -> bytes:
    """Return the contents of the page of a reader study as a Word document."""
    from pauci.report.word import WORD, word_report

    return word_report(_report(results, page_text, level, style, sentence, WORD))


def _report(
    results: Any, page_text: PageText, level: float, style: str, sentence: Sentence, medium: Medium
) -> dict[str, Any]:
    """Return the contents of a report."""
    page = _ReaderPage(_checked(results), page_text, checks.level(level), style, medium)
    with each_warning_once(), collected_warnings() as warned:
        content = page.content()
    return {**content, "warnings": page.warnings(warned, sentence)}


def _checked(results: Any) -> list[ReaderAnalysis]:
    """Return the results of one study as a list."""
    found = [results] if isinstance(results, ReaderAnalysis) else results
    if not isinstance(found, (list, tuple)) or not all(
        isinstance(m, ReaderAnalysis) for m in found
    ):
        raise checks.wrong_type("results", results, "what pauci.mrmc returns, or a list of it")
    if not found:
        raise InputError.of("results", results, "is empty.", shown="[]")
    if any(m.study is not found[0].study for m in found):
        raise InputError.of(
            "results", results, "are of several studies; write a page for each.", shown=""
        )
    return list(found)


class _ReaderPage:
    """The contents of the page of a reader study."""

    def __init__(
        self,
        results: list[ReaderAnalysis],
        text: PageText,
        level: float,
        style: str,
        medium: Medium,
    ) -> None:
        self.results, self.text, self.level, self.medium = results, text, level, medium
        self.study, self.numbers = results[0].study, style_of(style)
        self.measures = [m.measure for m in results]

    def content(self) -> dict[str, Any]:
        """Return the variables of the template except the warnings."""
        references = References()
        tables = [self.medium.table(t, i, self.numbers) for i, t in enumerate(self._tables(), 1)]
        names = listed(self.study.modalities, noun="modalities")
        default = f"{''.join(measures_phrase(self.measures))}: {names}"
        return {
            "title": self.text.title or default,
            "lead": f"{visible(names)}; {self.study.sizes}.",
            "version": versions()["pauci"],
            "tables": tables,
            "facts": [["Data", "Value"], *map(list, self._facts().items())],
            "methods": [self._typeset(text) for text in self._methods(references)],
            "regions": any(m.region_phrase for m in self.measures),
            "figures": by_heading(self._drawings(), self.medium),
            "left_out": "",
            "groups": [],
            "sentences": [self._typeset(text) for text in self._sentences()],
            "references": references.entries,
        }

    def warnings(self, warned: list[PauciWarning], sentence: Sentence) -> list[str]:
        """Return the texts of the warnings about the study."""
        cautions = [c for m in self.results for c in m.cautions]
        dropped = ExcludedRows(self.study.dropped).listed
        texts = [sentence(w, measure_name) for w in distinct([*cautions, *warned])]
        return [*([f"{dropped}."] if dropped else []), *map(self._typeset, texts)]

    def _typeset(self, text: str) -> str:
        return typeset_beside([*self.study.readers, *self.study.modalities], text)

    def _tables(self) -> Iterator[Numbered]:
        for m in self.results:
            yield Numbered("averages and differences", m._table(self.level, None))
            yield Numbered("readers", m.by_reader._table(self.level, None))

    def _sentences(self) -> Iterator[str]:
        for m in self.results:
            *results, _ = m._sentences(self.level, None)  # the last one describes the method
            yield from results
            yield from m.by_reader._sentences(self.level, None)

    def _drawings(self) -> Iterator[Drawing]:
        """Yield the curves of the readers, and a forest plot for each measure."""
        averages = "; ".join(
            f"{a.name} {fmt.decimal(a.value)}" for m in self.results for a in m.averages
        )
        yield Drawing(
            partial(plot.reader_curves, self.study),
            "ROC curves of the readers and their averages",
            "Thick lines are averages of the sensitivity at each specificity; the dotted line is "
            "the chance diagonal.",
            f"{visible(averages)}.",
        )
        for m in self.results:
            rows = rows_of_readers(m, None, self.level, None)
            numbers = "; ".join(
                f"{visible(r.name)} {fmt.decimal(r.low)} to {fmt.decimal(r.high)}" for r in rows
            )
            of = "Differences" if rows[0].of_difference else "Estimates"
            yield Drawing(
                partial(m.plot, level=self.level),
                f"{of} by reader with {fmt.percent(self.level)} intervals: {m.title}",
                "Intervals of single readers are over cases; diamonds are averages.",
                f"{numbers}.",
            )

    def _facts(self) -> dict[str, str]:
        """Return the description of the data: texts by row heading."""
        study = self.study
        n = study.n_pos + study.n_neg
        sizes = [cell.ratings.table.size for cell in study.cells]
        counts = study.cells[int(np.argmax(sizes))].ratings.table
        return {
            **self.text.origin,
            "Readers": f"{len(study.readers):,}",
            "Modalities": "; ".join(study.modalities),
            "Cases": f"{n:,}",
            "Positives": f"{study.n_pos:,} ({percent(study.n_pos / n)})",
            "Negatives": f"{study.n_neg:,} ({percent(study.n_neg / n)})",
            "Readings": f"{study.n_readings:,}{study._missing}",
            "Scores": f"{f'{min(sizes):,} to ' * (min(sizes) < max(sizes))}"
            f"{fmt.count(max(sizes), 'distinct value')} of a reader in a modality; "
            f"{direction_phrase(counts)}",
            "Missing values": ExcludedRows(self.study.dropped).listed or "no reading was left out",
            "Clusters": "none: cases are treated as independent"
            if study.clusters is None
            else f"{fmt.count(study.clusters, 'cluster')} of cases; standard errors account for "
            "them",
            "Readers and cases": study.design,
            "Design": DESIGNS[study.sampling],
        }

    def _methods(self, references: References) -> Iterator[str]:
        """Yield the methods in a few paragraphs."""
        yield " ".join(about_measures(self.measures, references))
        first = self.results[0]
        cited = ""
        if first.random_readers and first.random_cases and first.method != "u-statistic":
            cited = (
                f" The method is described by Obuchowski and Rockette "
                f"{references.cite(_OBUCHOWSKI_ROCKETTE)} and Hillis {references.cite(_HILLIS)}."
            )
        factors = first._sentences(self.level, None)[-1]
        intervals = "The intervals and standard errors of single readers are over cases."
        tests = (
            f" Tests of differences are against {first.null:g}, {fmt.sided(first.alternative)}; "
            "p-values are not adjusted."
            if first.contrasts
            else ""
        )
        yield f"{factors}{cited} {intervals}{tests}"
        yield software(references)
