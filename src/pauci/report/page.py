"""`report_page`: a page on a study, with tables, figures and methods."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pauci.calls import validate_call
from pauci.checks import By, Function, check_flag, count, wrong_type
from pauci.cutoffs.cutoff_results import sentence_of_cutoff
from pauci.errors import (
    InputError,
    InputTypeError,
    Message,
    PauciWarning,
    collected_warnings,
    each_warning_once,
)
from pauci.inference.arguments import Variance
from pauci.inference.compare import Adjustment
from pauci.intervals.analytic import Alternative, Kind
from pauci.measures.base import Measure
from pauci.plot import style
from pauci.report.data_description import description_of, further_results
from pauci.report.methods import References, paragraphs, versions
from pauci.report.page_analysis import (
    Analysis,
    GroupAnalysis,
    GroupOptions,
    Options,
    analyse,
    distinct,
)
from pauci.report.page_figures import (
    MOST_ROWS,
    Medium,
    drawings_by_group,
    figure_of,
    figures_of,
    left_out,
    listed,
)
from pauci.report.page_tables import html_table, tables_by_group, tables_of
from pauci.report.template import rendered
from pauci.results.captions import measures_phrase, region_suffix
from pauci.sample.sample import Sample
from pauci.tables.number_format import StyleName, typeset_words

PAGE = Medium(html_table, figure_of)
"""A page in HTML."""


@validate_call
def report_page(
    samples: Sample | Sequence[Sample],
    measure: "Measure | Function | Sequence[Measure | Function]",
    *,
    title: str | None = None,
    origin: Mapping[str, str] | None = None,
    points: Mapping[str, Any] | None = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    adjust: Adjustment | None = "holm",
    variance: "Variance" = "influence",
    level: float = 0.95,
    kind: Kind | None = None,
    style: StyleName = "plain",
    independent: bool = False,
    force: bool = False,
    by: "By | None" = None,
    reference: object = None,
    skip_small: bool = False,
) -> str:
    """Return one self-contained HTML page about classifiers: numbers, figures and methods.

    Parameters
    ----------
    samples : Sample or list of Sample
        One classifier or several on the same rows; or independent samples of one classifier each.
    measure : Measure or sequence of Measure
        What to estimate and to compare.
    title : str, optional
        The title of the page; the default names measures and classifiers.
    origin : dict of str to str, optional
        Further facts about the data, such as ``{"File": "scores.csv"}``.
    points : dict, optional
        Operating points for a table and a figure, as arguments of
        `operating_points`, such as ``{"thresholds": [4], "specificity": 0.9, "prevalence": 0.02}``.
        With ``"youden": True`` the page has Youden's cut-off, which is chosen from the data, with
        its accuracy on new observations (`pauci.cutoff`), as pages with every category have.
        The default is every category of ratings, and for scores the points at which a measure is
        evaluated.
    null, alternative, adjust, variance, independent, force
        Options of the tests and of the standard errors; see `compare`.
    level : float, default 0.95
        Confidence level of all intervals.
    kind : str, optional
        Kind of the intervals of estimates, and of differences if they have this kind.
    style : {"plain", "apa", "ama"}, default "plain"
        Number format of the tables.
    by : str, list of str, array_like or dict of masks, optional
        Groups of the rows, for a section with the results by group: as for `estimate`, or a list of
        the names of several groupings of the sample.
    reference, skip_small
        How groups are compared, and whether small groups are left out; see `estimate`.

    Returns
    -------
    str
        A page without scripts and without external resources, to be written to a file in UTF-8. All
        text is escaped. The same data give the same page, with a bootstrap if it has a seed.

    Raises
    ------
    TypeError, ValueError
        If `estimate` or `compare` raises an error, the title is blank, groups are requested for
        several samples, or matplotlib is not installed (the extra ``plot``).

    Warns
    -----
    PauciWarning
        The warnings of `estimate` and `compare`, which are also listed on the page.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    >>> page = pauci.report_page(sample, pauci.PAUCc(fpr=(0, 0.3)), title="Recurrence")
    >>> page.startswith("<!doctype html>"), page.count("<table"), page.count("<figure")
    (True, 3, 7)
    """
    check_flag("independent", independent)
    check_flag("force", force)
    check_flag("skip_small", skip_small)
    options = Options(
        null,
        alternative,
        adjust,
        variance,
        level,
        kind,
        style,
        independent,
        force,
        points,
        groupings_of(by, reference, skip_small),
    )
    return page_of(samples, measure, options, PageText(title, origin), python_sentence)


def groupings_of(by: Any, reference: object, skip_small: bool) -> tuple[GroupOptions, ...]:
    """Return the groupings of a page, each with its options."""
    if by is None:
        for argument, value in (("reference", reference), ("skip_small", skip_small)):
            if value:
                raise InputError.of(
                    argument, value, "is an option of by=, which is not given.", shown=""
                )
        return ()
    several = isinstance(by, (list, tuple)) and all(isinstance(name, str) for name in by)
    if several and (not by or len(set(by)) < len(by)):
        raise InputError.of(
            "by",
            by,
            "must be the name of a grouping or a list of several different ones; the group of each "
            "row is passed as an array.",
            shown="",
        )
    return tuple(GroupOptions(b, reference, skip_small) for b in (by if several else [by]))


class PageText:
    """Title and origin of the data, as given by the user and checked."""

    def __init__(self, title: Any, origin: Any) -> None:
        style.matplotlib()
        if title is not None and not isinstance(title, str):
            raise InputTypeError.of("title", title, "must be a text.")
        if title is not None and not title.strip():
            raise InputError.of("title", title, "is blank; omit it or pass a text.")
        if origin is not None and not isinstance(origin, Mapping):
            raise wrong_type("origin", origin, "a dict of texts, such as {'File': 'scores.csv'}")
        self.title = title if title is None else " ".join(title.split())
        self.origin = {str(k): str(v) for k, v in (origin or {}).items()}


def python_sentence(about: Message, measure: Callable[[Any], str]) -> str:
    """Return a warning as Python writes it."""
    return about.sentence(measure=measure)


Sentence = Callable[[Message, Callable[[Any], str]], str]
"""Writes a warning, given how measures are written."""


def page_of(
    samples: Any, measure: Any, options: Options, page_text: PageText, sentence: Sentence
) -> str:
    """Return the page, with warnings as Python or the command line writes them."""
    return rendered(**_report(samples, measure, options, page_text, sentence, PAGE))


def word_document_of(
    samples: Any, measure: Any, options: Options, page_text: PageText, sentence: Sentence
) -> bytes:
    """Return the contents of the page as a Word document."""
    from pauci.report.word import WORD, word_report

    return word_report(_report(samples, measure, options, page_text, sentence, WORD))


def _report(
    samples: Any,
    measure: Any,
    options: Options,
    page_text: PageText,
    sentence: Sentence,
    medium: Medium,
) -> dict[str, Any]:
    """Return the contents of a report."""
    with each_warning_once(), collected_warnings() as warned:
        analysis = analyse(samples, measure, options)
        content = _content(analysis, page_text, medium)  # intervals of tables and figures warn too
        return {**content, "warnings": warning_texts(warned, sentence, analysis)}


def measure_name(measure: Measure) -> str:
    """Return a measure in words rather than as code."""
    return f"{measure.label}{region_suffix(measure)}"


def _content(analysis: Analysis, page_text: PageText, medium: Medium) -> dict[str, Any]:
    """Return the variables of the template except the warnings."""
    figures, tables = figures_of(analysis, medium), list(tables_of(analysis))
    references, drawn = References(), sum(map(len, figures.values()))
    groups = list(group_sections(analysis, len(tables), drawn, medium))
    default = f"{''.join(measures_phrase(analysis.measures))}: {listed(analysis.classifiers)}"
    return {
        "title": page_text.title or default,
        "lead": _lead(analysis),
        "version": versions()["pauci"],
        "tables": [medium.table(t, i, analysis.options.numbers) for i, t in enumerate(tables, 1)],
        "facts": description_of(analysis, page_text.origin),
        "methods": [typeset(text, analysis) for text in paragraphs(analysis, references)],
        "regions": any(m.region_phrase for m in analysis.measures),
        "figures": figures,
        "left_out": left_out(analysis),
        "groups": groups,
        "sentences": [typeset(text, analysis) for text in sentences_of(analysis)],
        "references": references.entries,
    }


MOST_SENTENCES = 6
"""Largest number of results by group that are reported in sentences."""


class GroupSection(NamedTuple):
    """The results by group of one grouping, as they are on a page."""

    name: str
    sentences: list[str]
    tables: list[Any]
    figures: list[Any]


def group_sections(
    analysis: Analysis, tables: int, figures: int, medium: Medium = PAGE
) -> Iterator[GroupSection]:
    """Yield the results of each grouping; `tables` and `figures` are the numbers before them."""
    for groups in analysis.groups:
        of_group = [
            medium.table(table, tables + i, analysis.options.numbers)
            for i, table in enumerate(tables_by_group(groups, analysis), 1)
        ]
        drawn = [
            medium.figure(drawing, figures + i)
            for i, drawing in enumerate(drawings_by_group(groups, analysis), 1)
        ]
        tables, figures = tables + len(of_group), figures + len(drawn)
        sentences = [
            typeset(text, analysis) for text in _sentences_by_group(groups, analysis.options.level)
        ]
        yield GroupSection(groups.name, sentences, of_group, drawn)


def _sentences_by_group(groups: GroupAnalysis, level: float) -> Iterator[str]:
    """Yield the results of the tests and the gaps, and what was left out."""
    results = groups.tests.sentences
    results += [text for r in groups.results for text in r.gaps._sentences(level, None)]
    yield from results[:MOST_SENTENCES]
    if len(results) > MOST_SENTENCES:
        yield further_results(len(results) - MOST_SENTENCES)
    if groups.estimates.skipped:
        yield groups.estimates.skipped.note
    if len(groups.estimates) > MOST_ROWS:
        yield "There are too many groups for a forest plot."


def _lead(analysis: Analysis) -> str:
    """Return the line below the title."""
    sizes = " / ".join(
        f"{count(s.n_pos, 'positive')}, {count(s.n_neg, 'negative')}" for s in analysis.sample_list
    )
    names = analysis.classifiers
    if len(names) == 1:
        return f"{names[0]}; {sizes}."
    pairing = "on the same rows" if analysis.paired else "on independent samples"
    return f"{listed(names)}, compared {pairing}; {sizes}."


def sentences_of(analysis: Analysis) -> list[str]:
    """Return the results in sentences."""
    options, compared = analysis.options, analysis.comparisons
    others = [text for table in analysis.risks for text in table._sentences(options.level, None)]
    level = options.level
    others += [sentence_of_cutoff(k, k.interval(level), level) for k in analysis.cutoffs.values()]
    if compared is None:
        return [*(e.report(options.level, options.kind) for e in analysis.estimates), *others]
    return [*compared._sentences(options.level, options.kind_of_differences), *others]


def typeset(text: str, analysis: Analysis) -> str:
    """Return a sentence with true minus signs, and names of classifiers and groups as they are."""
    groups = (str(g) for a in analysis.groups for g in a.estimates.groups)
    return typeset_beside([*analysis.classifiers, *groups], text)


def typeset_beside(used: Iterable[str], text: str) -> str:
    """Return a sentence with true minus signs, and the names that it uses as they are."""
    names = [re.escape(n) for n in dict.fromkeys(used) if typeset_words(n) != n]
    if not names:
        return typeset_words(text)
    parts = re.split(f"({'|'.join(sorted(names, key=len, reverse=True))})", text)
    return "".join(part if i % 2 else typeset_words(part) for i, part in enumerate(parts))


def warning_texts(warned: list[PauciWarning], sentence: Sentence, analysis: Analysis) -> list[str]:
    """Return the texts of the warnings."""
    rows = [s.rows.exclusions for s in analysis.sample_list if s.rows.exclusions]
    return [
        *(f"{' and '.join(exclusions)} left out." for exclusions in rows),
        *(typeset(sentence(w, measure_name), analysis) for w in distinct(warned)),
    ]
