"""`report_page`: one page of a study, with tables, figures, methods and perhaps a checklist."""

import importlib.resources
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

from pauci.calls import answering
from pauci.checks import check_flag
from pauci.errors import (
    PYTHON,
    InputError,
    InputTypeError,
    PauciWarning,
    Wording,
    arg,
    collected_warnings,
    each_warning_once,
)
from pauci.inference.sources import Variance
from pauci.intervals.analytic import Alternative
from pauci.measures.base import Measure
from pauci.plot import look
from pauci.report import checklists
from pauci.report.analysis import Analysis, Options, analyse, distinct
from pauci.report.elements import Content, add, element, html_of, reachable
from pauci.report.figures import SCORES, figures_of, left_out, listed
from pauci.report.methods import References, paragraphs, versions
from pauci.report.study import description_of
from pauci.report.tables import html_table, tables_of
from pauci.results.comparison import Comparison
from pauci.results.sentences import sentences_of_comparisons
from pauci.results.styles import StyleName, typeset_words
from pauci.results.table_contents import subject
from pauci.sample.sample import Sample

Groups = dict[str, list[ET.Element]]
"""Figures by the heading that they stand under."""

_MOST_SENTENCES = 6


@answering
def report_page(
    samples: Sample | Sequence[Sample],
    measure: Measure | Sequence[Measure],
    *,
    title: str | None = None,
    origin: Mapping[str, str] | None = None,
    checklist: checklists.ChecklistName = "none",
    items: Mapping[str, str] | None = None,
    points: Mapping[str, Any] | None = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    adjust: str | None = "holm",
    variance: Variance = "influence",
    level: float = 0.95,
    kind: Any = None,
    style: StyleName = "plain",
    independent: bool = False,
    force: bool = False,
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
        What else is to be said of the data, such as ``{"File": "scores.csv"}``.
    checklist : {"none", "stard", "claim"}, default "none"
        The reporting guideline whose items are listed in an appendix, filled in as far as the data
        answer them: ``"stard"`` is STARD 2015, for studies of diagnostic accuracy; ``"claim"`` is
        CLAIM 2024, for artificial intelligence in medical imaging.
    items : dict of str to str, optional
        What the authors say of items of that checklist, such as ``{"STARD 18": "..."}``.
    points : dict, optional
        Operating points to be shown in a table and marked in a figure: arguments of
        `operating_points`, such as ``{"thresholds": [4], "specificity": 0.9, "prevalence": 0.02}``.
        The default shows all of ratings, and of scores those at which a measure is taken.
    null, alternative, adjust, variance, independent, force
        How differences are tested, and where standard errors come from; see `compare`.
    level : float, default 0.95
        Confidence level of all intervals.
    kind : str, optional
        Kind of interval, of estimates and of differences where these have it.
    style : {"plain", "apa", "ama"}, default "plain"
        How numbers are written in tables.

    Returns
    -------
    str
        A page without scripts that takes nothing from elsewhere: write it to a file in UTF-8. All
        text is escaped, and the same data give the same page, with a bootstrap if it has a seed.

    Raises
    ------
    TypeError, ValueError
        For anything that `estimate` or `compare` refuses, an unknown item or one of a checklist
        that is not printed, a blank title; without matplotlib, which ``pip install 'pauci[plot]'``
        brings.

    Warns
    -----
    PauciWarning
        Whatever `estimate` and `compare` warn of; the page tells it too.

    Notes
    -----
    A checklist lists every item of its guideline. Those that the data answer are filled in, the
    others are left open for the authors. Items are in our own words; check a paper against the
    guideline itself.

    References
    ----------
    P. M. Bossuyt, J. B. Reitsma, D. E. Bruns et al. (2015), BMJ 351:h5527.

    A. S. Tejani, M. E. Klontzas, A. A. Gatti et al. (2024), Radiology: Artificial Intelligence
    6:e240300.

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
    options = Options(
        null, alternative, adjust, variance, level, kind, style, independent, force, points
    )
    return page_of(samples, measure, options, Words(title, origin, items, checklist), PYTHON)


class Words:
    """What users say on the page: title, origin of the data, a checklist; checked."""

    def __init__(self, title: Any, origin: Any, items: Any, checklist: Any) -> None:
        look.matplotlib()
        if title is not None and not isinstance(title, str):
            raise InputTypeError(arg("title", title), " must be a text.")
        if title is not None and not title.strip():
            raise InputError(arg("title", title), " is blank; leave it out, or give one.")
        if origin is not None and not isinstance(origin, Mapping):
            raise InputTypeError(
                f"origin is a {type(origin).__name__}, and takes a dict of texts, such as "
                "{'File': 'scores.csv'}.",
                argument="origin",
                value=origin,
            )
        self.title = title if title is None else " ".join(title.split())
        self.origin = {str(k): str(v) for k, v in (origin or {}).items()}
        self.guideline = checklists.guideline_of(checklist)
        self.items = checklists.checked_items(items, self.guideline)


def page_of(samples: Any, measure: Any, options: Options, words: Words, wording: Wording) -> str:
    """Return a page whose warnings are worded for its reader."""
    with each_warning_once(), collected_warnings() as warned:
        analysis = analyse(samples, measure, options)
        figures = figures_of(analysis)
        return html_of(_page(analysis, figures, words, warned, _InWords(wording)))


class _InWords(Wording):
    """Says measures in words rather than as code, and all else as another wording does."""

    def __init__(self, other: Wording) -> None:
        self._other = other
        self.argument, self.rows = other.argument, other.rows  # type: ignore[method-assign]

    def assignment(self, name: str, value: object) -> str:
        """Return how an argument is given a value."""
        return self._other.assignment(name, value)

    def value(self, value: object) -> str:
        """Return a measure in words."""
        if not isinstance(value, Measure):
            return self._other.value(value)
        where = f" {value.region.preposition} {value.region_phrase}" * bool(value.region_phrase)
        return f"{value.label}{where}"


def _page(
    analysis: Analysis, figures: Groups, words: Words, warned: list[PauciWarning],
    wording: Wording,
) -> ET.Element:  # fmt: skip
    """Return the whole page."""
    title = words.title
    if title is None:
        title = f"{''.join(subject(analysis.measures))}: {listed(analysis.classifiers)}"
    style = importlib.resources.files("pauci.report").joinpath("page.css").read_text("utf-8")
    sections = _sections(analysis, figures, words, warned, wording)
    contents = [element("li", element("a", s[0].text or "", href=f"#{s.attrib['id']}"))
                for s in sections]  # fmt: skip
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content=f"pauci {versions()['pauci']}"),
        element("title", title),
    )
    ET.SubElement(head, "style").text = style
    body = element(
        "body",
        element("a", "Skip to the content", href="#content", class_="skip"),
        element("header", element("h1", title), element("p", _lead(analysis), class_="lead")),
        element("nav", element("ol", *contents), aria_label="Contents"),
        element("main", *sections, id="content", tabindex="-1"),
        element(
            "footer",
            element("p", f"Made with pauci {versions()['pauci']}. This page is one file: it takes "
                    "nothing from elsewhere and runs no program."),
        ),
    )  # fmt: skip
    return element("html", head, body, lang="en")


def _lead(analysis: Analysis) -> str:
    """Return the line below the title."""
    sizes = " / ".join(
        f"{s.n_pos:,} positives, {s.n_neg:,} negatives" for s in analysis.each_sample
    )
    names = analysis.classifiers
    if len(names) == 1:
        return f"{names[0]}; {sizes}."
    how = "on the same rows" if analysis.paired else "on independent samples"
    return f"{listed(names)}, compared {how}; {sizes}."


def _section(id_: str, heading: str, *content: Content) -> ET.Element:
    made = element("section", id=id_, aria_labelledby=f"{id_}-heading")
    add(made, "h2", heading, id=f"{id_}-heading")
    for part in content:
        made.append(part if isinstance(part, ET.Element) else element("p", part))
    return made


def _sections(
    analysis: Analysis, figures: Groups, words: Words, warned: list[PauciWarning],
    wording: Wording,
) -> list[ET.Element]:  # fmt: skip
    references = References()
    tables = list(tables_of(analysis))
    made = [html_table(t, i, analysis) for i, t in enumerate(tables, 1)]
    names = {f"table-{i}": f"Table {i}" for i in range(1, len(tables) + 1)}
    drawn = sum(map(len, figures.values()))
    names |= {f"figure-{i}": f"Figure {i}" for i in range(1, drawn + 1)}
    names |= {"methods": "Methods", "study": "Data"}
    cross = next((f"table-{i}" for i, t in enumerate(tables, 1) if t.name == "cross table"), "")
    scores = figures[SCORES][0].attrib["id"]
    description = description_of(
        analysis, words.origin, ["What the numbers of this page come from."]
    )
    methods = [element("p", typeset(text, analysis)) for text in paragraphs(analysis, references)]
    todo = (
        f"{checklists.OPEN}: why these measures{' and regions' * _has_region(analysis)} were "
        "chosen, and when."
    )
    plates: list[Content] = []
    for group, those in figures.items():
        plates += [element("h3", group), element("div", *those, class_="figures")]
    appendix = _appendix(analysis, words, references, checklists.Places(names), scores, cross)
    return [
        _section("summary", "Summary", *_sentences(analysis)),
        _section("study", "Data", reachable(description, "Data of the study")),
        _section("tables", "Tables", *made),
        _section("figures", "Figures", *plates, *filter(None, [left_out(analysis)])),
        _section("methods", "Methods", *methods, element("p", todo, class_="todo")),
        _section("warnings", "Warnings", *_warnings(warned, wording, analysis)),
        _section("references", "References", _list_of(references)),
        *appendix,
    ]


def _has_region(analysis: Analysis) -> bool:
    return any(m.region_phrase for m in analysis.measures)


def _sentences(analysis: Analysis) -> list[Content]:
    """Return the results in sentences; of many the tables tell."""
    options = analysis.options
    if analysis.comparisons is None:
        said = [e.report(options.level, options.kind) for e in analysis.estimates]
    else:
        kind = options.kind_of_differences
        both = analysis.comparisons
        said = (
            [both.report(options.level, kind)]
            if isinstance(both, Comparison)
            else list(sentences_of_comparisons(both, options.level, kind))
        )
    more = len(said) - _MOST_SENTENCES
    made: list[Content] = [element("p", typeset(s, analysis)) for s in said[:_MOST_SENTENCES]]
    if more > 0:
        made.append(element("p", f"{more} more are in the tables."))
    return made


def typeset(text: str, analysis: Analysis) -> str:
    """Return a sentence with true minus signs, and the names of classifiers as they are."""
    kept = [re.escape(n) for n in analysis.classifiers if typeset_words(n) != n]
    if not kept:
        return typeset_words(text)
    parts = re.split(f"({'|'.join(sorted(kept, key=len, reverse=True))})", text)
    return "".join(part if i % 2 else typeset_words(part) for i, part in enumerate(parts))


def _warnings(warned: list[PauciWarning], wording: Wording, analysis: Analysis) -> list[Content]:
    """Return what was warned of so far, in words: intervals of tables and figures warn too."""
    said = [
        f"{' and '.join(s.rows.not_used)} left out."
        for s in analysis.each_sample
        if s.rows.not_used
    ]
    said += [typeset(w.said(wording), analysis) for w in distinct(warned)]
    if not said:
        return [element("p", "No warning was raised.")]
    return [element("ul", *(element("li", words) for words in said), class_="warnings")]


def _appendix(
    analysis: Analysis, words: Words, references: References, places: checklists.Places,
    scores: str, cross: str,
) -> list[ET.Element]:  # fmt: skip
    """Return the checklist that was asked for, with how many of its items are filled."""
    key = words.guideline
    if key is None:
        return []
    answers = (
        checklists.stard_answers(analysis, scores, cross)
        if key == "STARD"
        else checklists.claim_answers(analysis)
    )
    name, _ = checklists.GUIDELINES[key]
    counts = checklists.counted(key, answers, words.items)
    said = ", ".join(f"{n} {what}" for what, n in counts.items())
    caption: list[Content] = [f"{name} {references.cite(checklists.SOURCES[key])}: {said}."]
    box = checklists.checklist(key, caption, answers, words.items, places)
    note = "Items are in our own words; check a paper against the guideline itself."
    heading = f"Appendix: checklist {name}"
    return [_section("checklist", heading, note, reachable(box, f"Checklist {name}"))]


def _list_of(references: References) -> ET.Element:
    return element("ol", *(element("li", entry) for entry in references.entries))
