"""Checklists of reporting guidelines: what a page fills in from the data, and what stays open."""

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pauci.checks import check_choice, nearest
from pauci.errors import InputError, InputTypeError, arg
from pauci.report.analysis import Analysis
from pauci.report.elements import Content, element, table
from pauci.report.guidelines import CLAIM_ITEMS, STARD_ITEMS
from pauci.report.methods import CLAIM, STARD, versions
from pauci.report.study import missing_phrase
from pauci.results import format as fmt
from pauci.results.table_contents import subject

GUIDELINES = {"STARD": ("STARD 2015", STARD_ITEMS), "CLAIM": ("CLAIM 2024", CLAIM_ITEMS)}
SOURCES = {"STARD": STARD, "CLAIM": CLAIM}

ChecklistName = Literal["none", "stard", "claim"]

CHECKLISTS: tuple[ChecklistName, ...] = get_args(ChecklistName)

OPEN = "To be filled in by the authors"


@dataclass(frozen=True)
class Answer:
    """What a page says of an item.

    Attributes
    ----------
    words : str
        What is known from the data; nothing if it is all open.
    place : str
        The id of the place on the page that has more; nothing if there is none.
    still_open : str
        What only the authors know; nothing if the item is filled.
    """

    words: str
    place: str = ""
    still_open: str = ""


@dataclass(frozen=True)
class Places:
    """The ids of the places on a page that items refer to, with what they are called there."""

    names: Mapping[str, str]

    def link(self, place: str) -> ET.Element:
        """Return a link to a place."""
        return element("a", self.names[place], href=f"#{place}")


def guideline_of(checklist: Any) -> str | None:
    """Return the guideline whose checklist is asked for."""
    check_choice("checklist", checklist, CHECKLISTS)
    return None if checklist == "none" else str(checklist).upper()


def checked_items(items: Any, guideline: str | None) -> dict[str, str]:
    """Return what authors say of items of a guideline, by names such as ``"STARD 18"``."""
    if items is None:
        return {}
    if not isinstance(items, Mapping):
        raise InputTypeError(
            f"items is a {type(items).__name__}, and takes a dict from items to texts, such as "
            "{'STARD 18': 'We planned for 213 positives.'}.",
            argument="items",
            value=items,
        )
    known = [f"{key} {number}" for key, (_, its) in GUIDELINES.items() for number in its]
    for name, text in items.items():
        if name not in known:
            raise InputError(
                arg("items", name),
                f" is no item of the checklists{nearest(str(name), known)} They are named as in "
                "'STARD 18' or 'CLAIM 21'.",
            )
        key = str(name).partition(" ")[0]
        if key != guideline:
            raise InputError(
                arg("items", name), " is an item of a checklist that is not printed; give ",
                arg("checklist", key.lower()), ".",
            )  # fmt: skip
        if not isinstance(text, str) or not text.strip():
            raise InputError(arg("items", name), " needs a text of the authors.")
    return {str(name): " ".join(text.split()) for name, text in items.items()}


def checklist(
    key: str, caption: list[Content], answers: Mapping[str, Answer], items: Mapping[str, str],
    places: Places,
) -> ET.Element:  # fmt: skip
    """Return the table of one guideline."""
    rows: list[list[Content | list[Content]]] = []
    for number, asked in GUIDELINES[key][1].items():
        answer, said = answers.get(number), items.get(f"{key} {number}")
        rows.append([number, asked, state(answer, said), _content(answer, said, places)])
    return table(caption, ["Item", "What it asks for", "State", "On this page"], rows, "checklist")


def state(answer: Answer | None, said: str | None) -> ET.Element:
    """Return whether an item is filled."""
    if said is not None or (answer is not None and not answer.still_open):
        return element("span", "filled", class_="filled")
    if answer is not None and answer.words:
        return element("span", "in part", class_="part")
    return element("span", "open", class_="open")


def _content(answer: Answer | None, said: str | None, places: Places) -> list[Content]:
    """Return what stands in the last column."""
    content: list[Content] = []
    if answer is not None and answer.words:
        more: list[Content] = []
        if answer.place:
            more = [" See ", places.link(answer.place), "."]
        content.append(element("p", answer.words, *more))
    if said is not None:
        content.append(element("p", said))
    elif answer is None or answer.still_open:
        what = f": {answer.still_open}." if answer is not None and answer.still_open else "."
        class_ = "todo" if answer is not None else "empty"
        content.append(element("p", f"{OPEN}{what}", class_=class_))
    return content


def counted(key: str, answers: Mapping[str, Answer], items: Mapping[str, str]) -> dict[str, int]:
    """Return how many items are filled, filled in part, and open."""
    counts = {"filled": 0, "in part": 0, "open": 0}
    for number in GUIDELINES[key][1]:
        found = state(answers.get(number), items.get(f"{key} {number}"))
        counts[found.text or ""] += 1
    return counts


def stard_answers(analysis: Analysis, scores: str, cross_table: str) -> dict[str, Answer]:
    """Return what the data say of the items of STARD 2015.

    `scores` is the place of the figures of the scores, `cross_table` that of a cross table, if any.
    """
    regions = list(dict.fromkeys(m.region_phrase for m in analysis.measures if m.region_phrase))
    cut_offs = f"Measures look at {', '.join(regions)}." if regions else (
        "Measures look at the whole curve, so that no cut-off is used."
    )  # fmt: skip
    if any(points.picks is None for points in analysis.points.values()):
        cut_offs += " Every rating is shown as a cut-off."
    elif analysis.points:
        cut_offs += " The tables of operating points name cut-offs."
    distribution = "The distribution of the scores in both classes is drawn."
    if cross_table:
        distribution = "Ratings are tabulated by class."
    return {
        "12a": Answer(
            cut_offs, "table-1",
            "the reason for this region or these cut-offs, and whether they were fixed before the "
            "data were seen",
        ),
        "14": Answer("The methods are described.", "methods"),
        "15": Answer(
            "Every row that was analysed has a label of one of two classes, and a score.", "study",
            "whether there were indeterminate results, and as what they were counted",
        ),
        "16": _missing(analysis),
        "17": _variability(analysis, "which analyses were planned; subgroups"),
        "18": _size(analysis),
        "23": Answer(distribution, cross_table or scores),
        "24": _estimates(analysis),
    }  # fmt: skip


def claim_answers(analysis: Analysis) -> dict[str, Answer]:
    """Return what the data say of the items of CLAIM 2024."""
    measures = "".join(subject(analysis.measures))
    used = ", ".join(f"{name} {version}" for name, version in versions().items())
    tests = "Standard errors, intervals" + ", tests" * (analysis.comparisons is not None)
    return {
        "12": _missing(analysis),
        "21": _size(analysis),
        "23": Answer(f"Of this analysis: {used}.", "methods", "the software of the model"),
        "28": Answer(f"{measures}.", "methods"),
        "29": Answer(f"{tests} and their level are described.", "methods"),
        "30": _variability(analysis, "analyses of robustness, such as other regions or subgroups"),
        "35": Answer(
            f"Analysed: {_numbers(analysis)}.", "study", "the flow of patients up to these rows"
        ),
        "37": _estimates(analysis),
        "38": _estimates(analysis),
    }


def _numbers(analysis: Analysis) -> str:
    """Return how many were analysed and how many left out."""
    each = []
    for sample in analysis.each_sample:
        words = f"{sample.n_pos:,} positives and {sample.n_neg:,} negatives"
        if sample.rows.not_used:
            words += f"; {' and '.join(sample.rows.not_used)} left out"
        each.append(words)
    return " / ".join(each)


def _missing(analysis: Analysis) -> Answer:
    words = "; ".join(dict.fromkeys(missing_phrase(s) for s in analysis.each_sample))
    dropped = any(s.rows.dropped for s in analysis.each_sample)
    still = "why values are missing, and what leaving them out may do" if dropped else ""
    return Answer(f"Missing values: {words}.", "study", still)


def _variability(analysis: Analysis, still_open: str) -> Answer:
    several = len(set(analysis.measures))
    words = f"{several} measures or regions were looked at." if several > 1 else ""
    return Answer(words, "table-1" if words else "", still_open)


def _size(analysis: Analysis) -> Answer:
    words = f"the intended size and its source (analysed were {_numbers(analysis)})"
    return Answer("", "", words)


def _estimates(analysis: Analysis) -> Answer:
    level = fmt.percent(analysis.options.level)
    tests = " and p-values of their differences" * (analysis.comparisons is not None)
    return Answer(f"Estimates with standard errors, {level} intervals{tests}.", "table-1")
