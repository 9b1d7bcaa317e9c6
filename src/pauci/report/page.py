"""`report_page`: one page of a study, with tables, figures, methods and perhaps a checklist."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pauci.accepted import Function
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
from pauci.inference.compare import Adjustment
from pauci.inference.sources import Variance
from pauci.intervals.analytic import Alternative
from pauci.intervals.kinds import Kind
from pauci.measures.base import Measure
from pauci.plot import look
from pauci.report import checklists
from pauci.report.analysis import Analysis, Options, analyse, distinct, where
from pauci.report.figures import SCORES, figures_of, left_out, listed
from pauci.report.methods import References, paragraphs, versions
from pauci.report.study import description_of
from pauci.report.tables import html_table, tables_of
from pauci.report.template import rendered
from pauci.results.comparison import Comparison
from pauci.results.sentences import sentences_of_comparisons
from pauci.results.styles import StyleName, typeset_words
from pauci.results.table_contents import subject
from pauci.sample.sample import Sample


@answering
def report_page(
    samples: Sample | Sequence[Sample],
    measure: "Measure | Function | Sequence[Measure | Function]",
    *,
    title: str | None = None,
    origin: Mapping[str, str] | None = None,
    checklist: checklists.ChecklistName = "none",
    items: Mapping[str, str] | None = None,
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
        content = _content(analysis, words)  # intervals of tables and figures warn too
        return rendered(**content, warnings=_warnings(warned, _InWords(wording), analysis))


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
        return f"{value.label}{where(value)}"


def _content(analysis: Analysis, words: Words) -> dict[str, Any]:
    """Return what the template puts into a page, but for the warnings."""
    figures, tables, references = figures_of(analysis), list(tables_of(analysis)), References()
    default = f"{''.join(subject(analysis.measures))}: {listed(analysis.classifiers)}"
    content = {
        "title": words.title or default,
        "lead": _lead(analysis),
        "version": versions()["pauci"],
        "tables": [html_table(t, i, analysis) for i, t in enumerate(tables, 1)],
        "facts": description_of(analysis, words.origin),
        "methods": [typeset(text, analysis) for text in paragraphs(analysis, references)],
        "regions": any(m.region_phrase for m in analysis.measures),
        "figures": figures,
        "left_out": left_out(analysis),
        "sentences": [typeset(text, analysis) for text in _sentences(analysis)],
        "references": references.entries,
        "checklist": None,
    }
    if words.guideline is not None:
        scores = f"figure-{figures[SCORES][0].number}"
        cross = next((f"table-{i}" for i, t in enumerate(tables, 1) if t.name == "cross table"), "")
        content["checklist"] = checklists.checklist_of(
            words.guideline, analysis, words.items, references, scores, cross
        )
    return content


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


def _sentences(analysis: Analysis) -> list[str]:
    """Return the results in sentences."""
    options, compared = analysis.options, analysis.comparisons
    if compared is None:
        return [e.report(options.level, options.kind) for e in analysis.estimates]
    kind = options.kind_of_differences
    if isinstance(compared, Comparison):
        return [compared.report(options.level, kind)]
    return list(sentences_of_comparisons(compared, options.level, kind))


def typeset(text: str, analysis: Analysis) -> str:
    """Return a sentence with true minus signs, and the names of classifiers as they are."""
    kept = [re.escape(n) for n in analysis.classifiers if typeset_words(n) != n]
    if not kept:
        return typeset_words(text)
    parts = re.split(f"({'|'.join(sorted(kept, key=len, reverse=True))})", text)
    return "".join(part if i % 2 else typeset_words(part) for i, part in enumerate(parts))


def _warnings(warned: list[PauciWarning], wording: Wording, analysis: Analysis) -> list[str]:
    """Return what was warned of, in words."""
    rows = [s.rows.not_used for s in analysis.each_sample if s.rows.not_used]
    return [
        *(f"{' and '.join(not_used)} left out." for not_used in rows),
        *(typeset(w.said(wording), analysis) for w in distinct(warned)),
    ]
