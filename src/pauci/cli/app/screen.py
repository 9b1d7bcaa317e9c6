"""Messages on the screen: the names of fields instead of the options of the command line."""

import re

from pauci.cli.shell_syntax import SHELL, ShellSyntax
from pauci.errors import Message
from pauci.measures import REGISTRY
from pauci.report.page import measure_name

LABELS = {
    "label": "Outcome",
    "positive": "Positive value",
    "negative": "Negative value",
    "score": "Scores",
    "lower-is-positive": "Lower scores are more positive",
    "category": "Order of ratings in words",
    "missing": "Codes of missing values",
    "drop-missing": "Leave out rows with missing values",
    "cluster": "Clusters",
    "group": "Groups",
    "skip-small": "Leave out small groups",
    "design": "Sampling",
    "measure": "Measure",
    "prevalence": "Prevalence",
    "probability": "Risk threshold",
    "level": "Confidence level",
    "sep": "Column separator",
    "decimal": "Decimal mark",
    "thousands": "Mark between thousands",
    "encoding": "Encoding",
    "sheet": "Sheet",
    "header-row": "Row of the header",
    "user-missing": "Values that the file declares as missing",
    "where": "Conditions on the rows",
}
"""The label of the field for an option."""

REGIONS = {
    "fpr": "False positive rate between",
    "specificity": "Specificity between",
    "sensitivity": "Sensitivity between",
    "threshold": "Scores between",
    "at-specificity": "At a specificity of",
    "at-sensitivity": "At a sensitivity of",
    "at-threshold": "At a cut-off of",
}
"""The choices of the field Region, by the option that each stands for."""

_SWITCHES = {"drop-missing", "skip-small"}
_OTHER_NAMES = {"tpr": "sensitivity", "by": "group"}

_VALUE = r"'[^']*'|-?\d+(?:\.\d+)?(?:e-?\d+)?\b|inf\b|[A-Z]+\b|[,.;](?= |$)"
_WORD = r"[A-Za-z0-9](?:[\w.-]*\w)?"
_OF_WORDS = "encoding|variance|kind|measure|resolution|sep|design|adjust|user-missing|thousands"
_OPTION = re.compile(
    r"(?P<verb>\b(?:[Aa]dd|Use|Pass|Specify|Try|Give|Omit|Leave out) )?(?<![\w-])"
    rf"--(?:(?P<first>{_OF_WORDS})(?P<word> {_WORD}(?![\w-]))?(?![\w-])"
    rf"|(?P<name>[a-z]+(?:-[a-z]+)*))(?P<value>(?: (?:{_VALUE}))*)"
)
_PLACEHOLDER = re.compile(r"[A-Z]+")


def on_screen(text: str) -> str:
    """Return a message of the command line with the names of fields instead of options."""
    return _OPTION.sub(_field, text)


def _field(match: re.Match[str]) -> str:
    """Return an option with its value as the field with its value."""
    option = match["first"] or match["name"]
    name = _OTHER_NAMES.get(option, option)
    verb = match["verb"] or ""
    given = f"{match['word'] or ''}{match['value']}".split()
    values = [v for v in given if not _PLACEHOLDER.fullmatch(v)]
    if name == "measure":
        values = [REGISTRY[v].title if v in REGISTRY else v for v in values]
    if name in REGIONS:
        words = REGIONS[name][0].lower() + REGIONS[name][1:]
        return f"{_verb(verb, 'Set')}“Region: {' '.join([words, ' and '.join(values)]).strip()}”"
    if name not in LABELS:
        return f"{verb}{' '.join([f'--{name}', *given])} (on the command line)"
    if name in _SWITCHES:
        return f"{_verb(verb, 'Tick')}“{LABELS[name]}”"
    shown = ": ".join([LABELS[name], *([" ".join(values)] if values else [])])
    return f"{_verb(verb, 'Set')}“{shown}”"


def _verb(verb: str, instead: str) -> str:
    """Return the verb for a field: its value is set, and a box is ticked."""
    if not verb:
        return ""
    instead = instead.lower() if verb[0].islower() else instead
    return {"Omit ": "Clear ", "Leave out ": "Clear "}.get(verb, f"{instead} ")


def sentence_on_screen(about: Message, syntax: ShellSyntax = SHELL) -> str:
    """Return an error or a warning as the page shows it."""
    return on_screen(syntax.sentence(about, measure_name))
