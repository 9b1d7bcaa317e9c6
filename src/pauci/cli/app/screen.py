"""Messages on the screen: the names of fields instead of arguments."""

import re

from pauci.cli.options import with_arguments
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
    "thousands": "Separator of thousands",
    "encoding": "Encoding",
    "sheet": "Sheet",
    "header-row": "Row of the header",
    "user-missing": "Values that the file declares as missing",
}
"""The labels of the fields."""

REGIONS = {
    "fpr": "False positive rate between",
    "specificity": "Specificity between",
    "sensitivity": "Sensitivity between",
    "threshold": "Scores between",
    "at-specificity": "At a specificity of",
    "at-sensitivity": "At a sensitivity of",
    "at-threshold": "At a cut-off of",
}
"""The choices of the field Region."""

_FIELDS = {
    **{name.replace("-", "_"): label for name, label in LABELS.items()},
    **{name: "Region" for name in REGIONS if "-" not in name},
    "tpr": "Region",
    "scores": LABELS["score"],
    "y_score": LABELS["score"],
    "y_true": LABELS["label"],
    "by": LABELS["group"],
}
"""The labels of the fields by argument."""

_VERBS = re.compile(r"\b(?:Add|Use|Pass|Specify|State|Try|Give) (?=“)")


def on_screen(text: str) -> str:
    """Return a message with the names of fields instead of arguments."""
    return _VERBS.sub("Set ", with_arguments(text, _FIELDS, _field))


def _field(name: str, value: str) -> str:
    """Return an argument with its value as the field with its value."""
    label = _FIELDS[name]
    shown = value.strip("'\"")
    if name == "measure" and shown in REGISTRY:
        shown = REGISTRY[shown].title
    if label == "Region":
        words = REGIONS.get(name, REGIONS["sensitivity"]).lower()
        ends = shown.strip("()").replace(", ", " and ").replace("None", "inf")
        return f"“Region: {words} {ends}".rstrip() + "”"
    return f"“{label}: {shown}”" if shown not in ("", "True", "False") else f"“{label}”"


def sentence_on_screen(about: Message) -> str:
    """Return an error or a warning as the page shows it."""
    return on_screen(about.sentence(measure_name))
