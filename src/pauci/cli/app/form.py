"""The form: the values of its fields, and the arguments of functions that they stand for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pauci.cli.app.screen import REGIONS
from pauci.cli.options import documentation_of
from pauci.cli.samples import Call
from pauci.cli.values import kind_of, value_of
from pauci.curve.region import OTHER_NAMES
from pauci.errors import InputError, InputTypeError
from pauci.files.read_table import read_table
from pauci.measures import AUC, REGISTRY, Measure
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.net_benefit import NetBenefit
from pauci.measures.risks import OfRisks
from pauci.sample.rows import Design as DesignName

Values = Mapping[str, Sequence[str]]
"""The values of the fields of a form by name; a field that is empty may be absent."""

DESIGNS = get_args(DesignName)

READING = {name: text for name, text in documentation_of(read_table).items() if name != "path"}
"""The arguments of reading a file, each of which is a field, with their documentation."""

WITH_AUC = "auc too"
"""The value of the field ``measure`` that adds the AUC."""


def text_of(values: Values, name: str) -> str | None:
    """Return the text in a field, or None if it is empty."""
    text = next(iter(values.get(name, ())), "")
    return text if text.strip() else None


def _number(values: Values, name: str, about: str | None = None) -> float | None:
    """Return the number in a field, or None if it is empty."""
    text = text_of(values, name)
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        match = re.fullmatch(r"\s*([\d.,]+)\s*(%?)\s*", text)
        number = match[1].replace(",", ".") if match else ""
        instead = f"; write {number} with a decimal point" if match and not match[2] else ""
        instead = (
            f"; write a proportion, {float(number) / 100:g}" if match and match[2] else instead
        )
        raise InputError(
            f"{text.strip()!r} is not a number{instead}.", argument=about or name, value=text
        ) from None


def field_of(argument: str) -> str:
    """Return the name of the field for an argument."""
    return argument.replace("_", "-")


def reading_of(values: Values) -> dict[str, Any]:
    """Return how the file is read, as arguments of `pauci.read_table`."""
    given = {name: text_of(values, field_of(name)) for name in READING}
    reading: dict[str, Any] = {name: text for name, text in given.items() if text is not None}
    if "header_row" in reading:
        reading["header_row"] = value_of(reading["header_row"])
    return reading


def lines_of(values: Values, name: str) -> list[str]:
    """Return the lines in a field that are not blank."""
    lines = (line.strip() for text in values.get(name, ()) for line in _lines(text))
    return [line for line in lines if line]


def column_in(text: str | None, columns: Sequence[str]) -> str | None:
    """Return the column that a field names: browsers change line breaks within names."""
    if text is None or text in columns:
        return text
    return next((c for c in columns if _lines(c) == _lines(text)), text)


def _lines(text: str) -> list[str]:
    return re.split("\r\n|\r|\n", text)


@dataclass(frozen=True)
class Choices:
    """The choices of a complete form; `given` are arguments of `Sample.from_frame` in words."""

    given: Mapping[str, Any]
    group: str | None
    skip_small: bool
    measures: tuple[Measure, ...]
    level: float

    @property
    def call(self) -> Call:
        """The arguments as those of a command."""
        return Call("app", (), dict(self.given), [])


def choices_of(values: Values, columns: Sequence[str]) -> Choices:
    """Return the choices of a form, or raise an error for the first field that is not valid."""
    label = column_in(text_of(values, "label"), columns)
    if label is None:
        raise InputError("Choose the column of the outcome.", argument="label")
    scores = _columns(values, "score", columns)
    if not scores:
        raise InputError("Choose at least one column of scores.", argument="scores")
    group = column_in(text_of(values, "group"), columns)
    given = {
        "label": label,
        "scores": list(scores),
        "positive": text_of(values, "positive"),
        "negative": text_of(values, "negative"),
        "missing": lines_of(values, "missing"),
        "category": lines_of(values, "category"),
        "lower_is_positive": [
            c for c in _columns(values, "lower-is-positive", columns) if c in scores
        ],
        "drop_missing": text_of(values, "drop-missing") is not None,
        "cluster": column_in(text_of(values, "cluster"), columns),
        "design": _design(values),
        "group": group,
    }
    level = _number(values, "level")
    return Choices(
        {name: value for name, value in given.items() if value},
        group,
        text_of(values, "skip-small") is not None,
        tuple(_measures(values)),
        0.95 if level is None else level,
    )


def _columns(values: Values, name: str, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that a field names, each once."""
    chosen = (column_in(text, columns) for text in values.get(name, ()) if text.strip())
    return tuple(dict.fromkeys(c for c in chosen if c is not None))


def _design(values: Values) -> DesignName:
    """Return how the rows were sampled."""
    text = text_of(values, "design") or DESIGNS[0]
    design: DesignName | None = next((d for d in DESIGNS if d == text), None)
    if design is None:
        raise InputError.of("design", text, f"must be one of {', '.join(DESIGNS)}.")
    return design


def _measures(values: Values) -> list[Measure]:
    """Return the measures with their region."""
    keys = list(values.get("measure", ()))
    kinds = [kind_of(key) for key in keys if key and key != WITH_AUC]
    if not kinds:
        raise InputError("Choose a measure.", argument="measure")
    first = kinds[0]
    options = _arguments_of(first, _region(values))
    for name in ("prevalence", "probability"):
        number = _number(values, name)
        if number is not None and name not in first.arguments():
            raise InputError(f"{name}= does not apply to the {first.title}.", argument=name)
        options |= {} if number is None else {name: number}
    try:
        measures = [first(**options), *(kind() for kind in kinds[1:])]
    except (InputError, InputTypeError) as error:
        raise error.replaced(argument=error.argument or "region") from None
    if WITH_AUC in keys and AUC not in kinds:
        measures.append(AUC())
    return measures


def _arguments_of(kind: type[Measure], region: Mapping[str, Any]) -> dict[str, Any]:
    """Return the region as arguments of a measure, which must accept them."""
    points, accepted = points_of(kind), {*kind.arguments(), *OTHER_NAMES.values()}
    if points and not region.keys() & points.keys():
        choices = ", ".join(f"“{REGIONS[name]}”" for name in points)
        raise InputError(
            f"this measure needs a single cut-off; choose one of {choices}.", argument="region"
        )
    arguments = {points.get(name, name): value for name, value in region.items()}
    for name in region:
        if not points and (name not in accepted or not kind.kinds):
            words = REGIONS[name].lower()
            raise InputError(f"“Region: {words}” cannot be combined with it.", argument="region")
    return arguments


def points_of(kind: type[Measure]) -> dict[str, str]:
    """Return the choices of the region for a measure at a single cut-off, with their arguments."""
    arguments = kind.arguments()
    if kind.scalar is not None:
        arguments = {*arguments, OTHER_NAMES[kind.scalar]}
    elif not issubclass(kind, AtCutoff):
        return {}
    names = (*OTHER_NAMES.values(), "threshold")
    return {f"at-{name}": name for name in names if name in arguments}


def _region(values: Values) -> dict[str, Any]:
    """Return the region, as options of the measure."""
    name = text_of(values, "region")
    if name is None:
        if text_of(values, "low") or text_of(values, "high"):
            raise InputError("Choose what the two numbers are.", argument="region")
        return {}
    if name not in REGIONS:
        raise InputError("Choose a region from the list.", argument="region", value=name)
    words = REGIONS[name]
    low, high = _number(values, "low", "region"), _number(values, "high", "region")
    if name.startswith("at-"):
        if low is None or high is not None:
            raise InputError(f"“{words}” takes one number, in the first field.", argument="region")
        return {name: low}
    if low is None or high is None:
        raise InputError(
            f"“{words}” takes two numbers, such as {_example(name)}.", argument="region"
        )
    return {name: (low, high)}


def _example(name: str) -> str:
    return {"fpr": "0 and 0.1", "threshold": "4 and inf"}.get(name, "0.9 and 1")


MEASURE_GROUPS = ("Part of the curve", "Whole curve", "At a cut-off", "Predicted risks")


def measures_by_group() -> dict[str, list[tuple[str, str]]]:
    """Return the keys and titles of the measures, by what they are about."""
    groups: dict[str, list[tuple[str, str]]] = {name: [] for name in MEASURE_GROUPS}
    for key, kind in REGISTRY.items():
        groups[_group_of(kind)].append((key, kind.title[0].upper() + kind.title[1:]))
    return groups


def _group_of(kind: type[Measure]) -> str:
    """Return the group of a measure in the list."""
    if issubclass(kind, (OfRisks, NetBenefit)):
        return "Predicted risks"
    if kind.kinds:
        return "Part of the curve"
    return "At a cut-off" if points_of(kind) else "Whole curve"
