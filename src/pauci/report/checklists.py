"""Checklists of reporting guidelines: items filled in from the data, and items left open."""

import functools
import importlib.resources
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from pauci.checks import check_choice, nearest, wrong_type
from pauci.errors import InputError
from pauci.report.data_description import missing_phrase
from pauci.report.methods import References, versions
from pauci.report.page_analysis import Analysis, enumerated
from pauci.results.captions import measures_phrase
from pauci.tables import number_format as fmt

ChecklistName = Literal["none", "stard", "stard-ai", "claim", "tripod"]

CHECKLISTS: tuple[ChecklistName, ...] = get_args(ChecklistName)


class Guideline(NamedTuple):
    """A reporting guideline with its items by number."""

    name: str
    source: str
    items: dict[str, str]
    of_stard: dict[str, str]
    """Numbers of the items of STARD 2015 that this guideline has as well, by their number there."""


@functools.cache
def guidelines() -> dict[str, Guideline]:
    """Return the guidelines by the prefix of the names of their items."""
    text = importlib.resources.files("pauci.report").joinpath("guidelines.toml").read_text("utf-8")
    entries = tomllib.loads(text)
    stard = entries["STARD"]["items"]
    found = {}
    for key, entry in entries.items():
        same = {n: item["stard"] for n, item in entry["items"].items() if isinstance(item, dict)}
        items = {n: stard[same[n]] if n in same else item for n, item in entry["items"].items()}
        of_stard = {number: n for n, number in same.items()}
        found[key] = Guideline(entry["name"], entry["source"], items, of_stard)
    return found


def as_in(key: str, answers: Mapping[str, "Answer"]) -> dict[str, "Answer"]:
    """Return the answers to items of STARD 2015 by their numbers in another guideline."""
    numbers = guidelines()[key].of_stard
    return {numbers[n]: answer for n, answer in answers.items()}


class Answer(NamedTuple):
    """The answer of a page to an item.

    Attributes
    ----------
    text : str
        What is known from the data; empty if nothing is known.
    place : str
        Id of the section, table or figure with details; empty if there is none.
    still_open : str
        What only the authors know; empty if the item is filled, or if nothing is known.
    """

    text: str = ""
    place: str = ""
    still_open: str = ""


@dataclass(frozen=True)
class Item:
    """An item of a checklist; `text` is that of the authors, or empty."""

    number: str
    description: str
    answer: Answer
    text: str

    @property
    def state(self) -> str:
        """Whether an item is filled."""
        if self.text or (self.answer.text and not self.answer.still_open):
            return "filled"
        return "in part" if self.answer.text else "open"


class Checklist(NamedTuple):
    """The checklist of a guideline."""

    name: str
    caption: str
    items: list[Item]


def guideline_of(checklist: Any) -> str | None:
    """Return the guideline of the requested checklist."""
    check_choice("checklist", checklist, CHECKLISTS)
    return None if checklist == "none" else str(checklist).upper()


def checked_items(items: Any, guideline: str | None) -> dict[str, str]:
    """Return the texts of the authors by item number, from names such as ``"STARD 18"``."""
    if items is None:
        return {}
    if not isinstance(items, Mapping):
        raise wrong_type(
            "items",
            items,
            "a dict of texts by item, such as {'STARD 18': 'We planned for 213 positives.'}",
        )
    item_names = [f"{key} {number}" for key, g in guidelines().items() for number in g.items]
    for name, text in items.items():
        if name not in item_names:
            raise InputError.of(
                "items",
                name,
                f"is not an item of the checklists{nearest(str(name), item_names)} Items have "
                "names such as 'STARD 18'.",
            )
        key = str(name).partition(" ")[0]
        if key != guideline:
            raise InputError.of(
                "items",
                name,
                "belongs to a checklist that is not printed.",
                hint=f"Pass checklist={key.lower()!r}.",
            )
        if not isinstance(text, str) or not text.strip():
            raise InputError.of("items", name, "requires a text that is not blank.")
    return {str(name): " ".join(text.split()) for name, text in items.items()}


def checklist_of(
    key: str,
    analysis: Analysis,
    texts: Mapping[str, str],
    references: References,
    scores: str,
    cross_table: str,
) -> Checklist:
    """Return the checklist of a guideline.

    `scores` and `cross_table` are the ids of the first figure of scores and of the cross table;
    the latter is empty if there is none.
    """
    if key == "STARD":
        answers = _stard(analysis, scores, cross_table)
    elif key == "STARD-AI":
        answers = _stard_ai(analysis, scores, cross_table)
    else:
        answers = _claim(analysis) if key == "CLAIM" else _tripod(analysis)
    return checklist_with(key, answers, texts, references)


def checklist_with(
    key: str, answers: Mapping[str, Answer], texts: Mapping[str, str], references: References
) -> Checklist:
    """Return the checklist of a guideline with answers by item."""
    name, source, descriptions, _ = guidelines()[key]
    items = [
        Item(number, description, answers.get(number, Answer()), texts.get(f"{key} {number}", ""))
        for number, description in descriptions.items()
    ]
    states = [item.state for item in items]
    counts = ", ".join(f"{states.count(s)} {s}" for s in ("filled", "in part", "open"))
    return Checklist(name, f"{name} {references.cite(source)}: {counts}.", items)


def _stard(analysis: Analysis, scores: str, cross_table: str) -> dict[str, Answer]:
    """Return the items of STARD 2015 that the data answer."""
    regions = list(dict.fromkeys(m.region_phrase for m in analysis.measures if m.region_phrase))
    cut_offs = (
        f"The measures cover {', '.join(regions)}."
        if regions
        else ("The measures cover the whole curve, so no cut-off is used.")
    )
    if any(points.selected is None for points in analysis.points.values()):
        cut_offs += " Every rating is shown as a cut-off."
    elif analysis.points:
        cut_offs += " The tables of operating points list cut-offs."
    if analysis.cutoffs:
        cut_offs += " The cut-off with the largest Youden index was chosen from these data."
    distribution = "The distribution of the scores in both classes is drawn."
    if cross_table:
        distribution = "Ratings are tabulated by class."
    return {
        "12a": Answer(
            cut_offs,
            "table-1",
            "the reason for this region or these cut-offs, and whether they were fixed before the "
            "data were seen",
        ),
        "14": Answer("The methods are described.", "methods"),
        "15": Answer(
            "Every analysed row has a label, positive or negative, and a score.",
            "study",
            "whether there were indeterminate results, and how they were counted",
        ),
        "16": _missing(analysis),
        "17": _variability(analysis, "which analyses were planned", "; subgroups"),
        "18": _size(analysis),
        "23": Answer(distribution, cross_table or scores),
        "24": _estimates(analysis),
    }


def _stard_ai(analysis: Analysis, scores: str, cross_table: str) -> dict[str, Answer]:
    """Return the items of STARD-AI 2025 that the data answer."""
    answers = as_in("STARD-AI", _stard(analysis, scores, cross_table))
    by = _by_group(analysis)
    if by:
        answers["23"] = Answer(by, "groups", "analyses of errors and of the causes of differences")
    return answers


def _tripod(analysis: Analysis) -> dict[str, Answer]:
    """Return the items of TRIPOD+AI that the data answer."""
    by, numbers = _by_group(analysis), _numbers(analysis)
    subgroups = "" if by else "the performance in key subgroups"
    answers = {
        "10": _size(analysis),
        "11": _missing(analysis),
        "12e": Answer(
            f"{''.join(measures_phrase(analysis.measures))}."
            + " Discrimination, calibration and net benefit are reported." * bool(analysis.risks),
            "methods",
            "the rationale"
            if analysis.risks
            else "the rationale, and other aspects of performance, such as calibration and "
            "clinical utility",
        ),
        "20a": Answer(
            f"Analysed: {numbers}.", "study", "the numbers of participants at earlier stages"
        ),
        "21": Answer(f"Analysed: {numbers}.", "study", "the data for development"),
        "23a": _estimates(analysis)._replace(still_open=subgroups),
    }
    if by:
        answers["12d"] = Answer(
            "Differences between groups were quantified by gaps with intervals, and tested.",
            "methods",
        )
        estimates = answers["23a"]
        answers["23a"] = estimates._replace(text=f"{estimates.text} {by}", place="groups")
        answers["23b"] = Answer("Gaps and tests of heterogeneity are reported.", "groups")
    return answers


def _by_group(analysis: Analysis) -> str:
    """Return a sentence on the groups of the results; empty without groups."""
    names = [groups.name for groups in analysis.groups]
    return f"Results are reported by {enumerated(names)}." if names else ""


def _claim(analysis: Analysis) -> dict[str, Answer]:
    """Return the items of CLAIM 2024 that the data answer."""
    measures = "".join(measures_phrase(analysis.measures))
    software = ", ".join(f"{name} {version}" for name, version in versions().items())
    tests = "Standard errors, intervals" + ", tests" * (analysis.comparisons is not None)
    return {
        "12": _missing(analysis),
        "21": _size(analysis),
        "23": Answer(f"This analysis used {software}.", "methods", "the software of the model"),
        "28": Answer(f"{measures}.", "methods"),
        "29": Answer(f"{tests} and their level are described.", "methods"),
        "30": _variability(
            analysis, "analyses of robustness, such as other regions", " or subgroups"
        ),
        "35": Answer(
            f"Analysed: {_numbers(analysis)}.", "study", "the numbers of patients at earlier stages"
        ),
        "37": _estimates(analysis),
        "38": _estimates(analysis),
    }


def _numbers(analysis: Analysis) -> str:
    """Return the numbers of rows that were analysed and excluded."""
    parts = []
    for sample in analysis.sample_list:
        text = f"{fmt.count(sample.n_pos, 'positive')} and {fmt.count(sample.n_neg, 'negative')}"
        if sample.rows.exclusions:
            text += f"; {' and '.join(sample.rows.exclusions)} left out"
        parts.append(text)
    return " / ".join(parts)


def _missing(analysis: Analysis) -> Answer:
    text = "; ".join(dict.fromkeys(missing_phrase(s) for s in analysis.sample_list))
    dropped = any(s.rows.dropped for s in analysis.sample_list)
    reasons = "why values are missing, and how their exclusion may affect the results"
    return Answer(f"Missing values: {text}.", "study", reasons if dropped else "")


def _variability(analysis: Analysis, still_open: str, subgroups: str) -> Answer:
    """Return the answer on analyses of variability; `subgroups` is open without groups."""
    several, by = len(set(analysis.measures)), _by_group(analysis)
    text = f"{several} measures or regions were evaluated." if several > 1 else ""
    if by:
        return Answer(f"{text} {by}".strip(), "groups", still_open)
    return Answer(text, "table-1" if text else "", still_open + subgroups)


def _size(analysis: Analysis) -> Answer:
    still_open = (
        f"the intended sample size and how it was determined (analysed: {_numbers(analysis)})"
    )
    return Answer("", "", still_open)


def _estimates(analysis: Analysis) -> Answer:
    level = fmt.percent(analysis.options.level)
    tests = " and p-values of their differences" * (analysis.comparisons is not None)
    return Answer(f"Estimates with standard errors, {level} intervals{tests}.", "table-1")
