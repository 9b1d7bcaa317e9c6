"""`reader_page`: a page on a reader study, with tables, figures, methods and a checklist."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from pauci import checks, plot
from pauci.calls import validate_call
from pauci.errors import InputError, PauciWarning, collected_warnings, each_warning_once
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.forest_rows import rows_of_readers
from pauci.report import checklists
from pauci.report.checklists import Answer
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
from pauci.report.page_analysis import distinct, enumerated
from pauci.report.page_figures import Drawing, Medium, by_heading, listed
from pauci.report.page_tables import Numbered
from pauci.report.template import rendered
from pauci.results.captions import measures_phrase
from pauci.sample.rows import ExcludedRows
from pauci.tables import number_format as fmt
from pauci.tables.formatted_table import visible
from pauci.tables.number_styles import StyleName, style_of

_OBUCHOWSKI_ROCKETTE = (
    "N. A. Obuchowski and H. E. Rockette (1995), Hypothesis testing of diagnostic accuracy for "
    "multiple readers and multiple tests: an ANOVA approach with dependent observations, "
    "Communications in Statistics - Simulation and Computation 24:285-308."
)
_HILLIS = (
    "S. L. Hillis (2007), A comparison of denominator degrees of freedom methods for multiple "
    "observer ROC analysis, Statistics in Medicine 26:596-619."
)

_GUIDELINES = ("none", "stard", "stard-ai", "claim")


@validate_call
def reader_page(
    results: ReaderAnalysis | Sequence[ReaderAnalysis],
    *,
    title: str | None = None,
    origin: Mapping[str, str] | None = None,
    checklist: checklists.ChecklistName = "none",
    items: Mapping[str, str] | None = None,
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
    checklist : {"none", "stard", "stard-ai", "claim"}, default "none"
        The reporting guideline whose items are listed in an appendix, as for `report_page`.
    items : dict of str to str, optional
        Text of the authors for items of that checklist, such as ``{"STARD 18": "..."}``.
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
        If the results are not those of one study, an item is unknown or its checklist is not
        requested, the checklist is not one for reader studies, the title is blank, or matplotlib is
        not installed (the extra ``plot``).

    See Also
    --------
    report_page : A page about classifiers.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_viper()
    >>> frame = frame[frame["study"] == "screeningHighP"]
    >>> study = pauci.ReaderStudy.from_frame(frame, label="cancer_365")
    >>> page = pauci.reader_page(pauci.mrmc(study, pauci.AUC()), checklist="stard")
    >>> page.startswith("<!doctype html>"), page.count("<table"), page.count("<figure")
    (True, 4, 2)
    """
    return page_of_readers(
        results, PageText(title, origin, items, checklist), level, style, python_sentence
    )


def page_of_readers(
    results: Any, page_text: PageText, level: float, style: str, sentence: Sentence
) -> str:
    """Return the page, with warnings as Python or the command line writes them."""
    if page_text.guideline == "TRIPOD":
        raise InputError.of(
            "checklist",
            "tripod",
            "is for prediction models; a reader study has 'stard', 'stard-ai' or 'claim'.",
        )
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
        content = {
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
            "checklist": None,
        }
        key = self.text.guideline
        if key is not None:
            answers = self._claim() if key == "CLAIM" else self._stard()
            if key == "STARD-AI":
                answers = checklists.as_in(key, answers)
            content["checklist"] = checklists.checklist_with(
                key, answers, self.text.items, references
            )
        return content

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
            "Missing values": self._missing,
            "Clusters": "none: cases are treated as independent"
            if study.clusters is None
            else f"{fmt.count(study.clusters, 'cluster')} of cases; standard errors account for "
            "them",
            "Readers and cases": study.design,
            "Design": DESIGNS[study.sampling],
        }

    @property
    def _missing(self) -> str:
        return ExcludedRows(self.study.dropped).listed or "no reading was left out"

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

    # Checklists

    @property
    def _sizes(self) -> str:
        dropped = ExcludedRows(self.study.dropped).phrase
        return self.study.sizes.removesuffix(dropped)

    def _estimates(self) -> Answer:
        tests = " and p-values of their differences" * bool(self.results[0].contrasts)
        return Answer(
            f"Averages over readers with standard errors, {fmt.percent(self.level)} "
            f"intervals{tests}; estimates of each reader.",
            "table-1",
        )

    def _of_missing(self) -> Answer:
        reasons = "why values are missing, and how their exclusion may affect the results"
        open_ = reasons if self.study.dropped or self.study.layout.missing else ""
        return Answer(f"Missing values: {self._missing}.", "study", open_)

    def _size(self) -> Answer:
        return Answer(
            "",
            "",
            "the intended numbers of readers and cases and how they were determined (analysed: "
            f"{self._sizes})",
        )

    def _variability(self, still_open: str) -> Answer:
        part = "Variability between readers is part of the standard errors, and estimates are "
        return Answer(
            f"{part if self.results[0].random_readers else 'Estimates are '}reported by reader.",
            "table-2",
            still_open,
        )

    def _stard(self) -> dict[str, Answer]:
        """Return the items of STARD 2015 that the data answer."""
        regions = list(dict.fromkeys(m.region_phrase for m in self.measures if m.region_phrase))
        cut_offs = (
            f"The measures cover {enumerated(regions)}."
            if regions
            else "The measures cover the whole curve, so no cut-off is used."
        )
        return {
            "12a": Answer(
                cut_offs,
                "table-1",
                "the reason for this region or these cut-offs, and whether they were fixed before "
                "the data were seen",
            ),
            "14": Answer("The methods are described.", "methods"),
            "15": Answer(
                "Every analysed reading has a score, and its case a label.",
                "study",
                "whether there were indeterminate results, and how they were counted",
            ),
            "16": self._of_missing(),
            "17": self._variability("which analyses were planned; subgroups"),
            "18": self._size(),
            "23": Answer(
                "The curves of all readers are drawn.",
                "figure-1",
                "the ratings of each reader by the reference standard",
            ),
            "24": self._estimates(),
        }

    def _claim(self) -> dict[str, Answer]:
        """Return the items of CLAIM 2024 that the data answer."""
        used = ", ".join(f"{name} {version}" for name, version in versions().items())
        tests = ", tests" * bool(self.results[0].contrasts)
        return {
            "12": self._of_missing(),
            "21": self._size(),
            "23": Answer(f"This analysis used {used}.", "methods", "the software of the model"),
            "28": Answer(f"{''.join(measures_phrase(self.measures))}.", "methods"),
            "29": Answer(
                f"Standard errors, intervals{tests} and their level are described.", "methods"
            ),
            "30": self._variability("analyses of robustness, such as other regions or subgroups"),
            "35": Answer(
                f"Analysed: {self._sizes}.", "study", "the numbers of patients at earlier stages"
            ),
            "37": self._estimates(),
            "38": self._estimates(),
        }
