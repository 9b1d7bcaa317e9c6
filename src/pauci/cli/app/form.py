"""The form: the values of its fields, and the options of the commands that they stand for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import click

from pauci.cli.app.screen import REGIONS
from pauci.cli.measure_options import ParsedMeasures, kind_of, measures_of, points_of
from pauci.cli.options import Reading, RowColumns
from pauci.cli.typed_commands import is_number, not_a_number, options_of
from pauci.errors import InputError
from pauci.measures import REGISTRY, Measure
from pauci.measures.net_benefit import NetBenefit
from pauci.measures.risks import OfRisks
from pauci.sample.rows import Design as DesignName

Values = Mapping[str, Sequence[str]]
"""The values of the fields of a form by name; a field that is empty may be absent."""

DESIGNS = get_args(DesignName)

READING = [p for p in options_of(Reading) if p.name != "unpack_limit"]
"""The options of reading a file, each of which is a field."""

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
    if not is_number(text):
        raise InputError(not_a_number(text.strip()), argument=about or name, value=text)
    return float(text)


def field_of(parameter: click.Parameter) -> str:
    """Return the name of the field for an option: that of its flag."""
    return parameter.opts[0].removeprefix("--")


def reading_of(values: Values) -> Reading:
    """Return how the file is read."""
    options = _without_values(Reading)
    for parameter in READING:
        name, field = str(parameter.name), field_of(parameter)
        texts = lines_of(values, field)
        try:
            converted = [parameter.type.convert(text, parameter, None) for text in texts]
        except click.BadParameter as error:
            raise InputError(error.message, argument=name, value=texts) from None
        if converted:
            options[name] = tuple(converted) if is_repeated(parameter) else converted[0]
    return Reading(**options)


def _without_values(type_: Any) -> dict[str, Any]:
    """Return the fields of a dataclass with declared options, none of which is given."""
    return {
        str(p.name): () if is_repeated(p) else False if getattr(p, "is_flag", False) else None
        for p in options_of(type_)
    }


def is_repeated(parameter: click.Parameter) -> bool:
    """Return whether an option takes several values, each on a line of its field."""
    return bool(getattr(parameter, "multiple", False))


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
    """The choices of a complete form."""

    rows: RowColumns
    design: DesignName
    group: str | None
    skip_small: bool
    measures: tuple[Measure, ...]
    level: float


def choices_of(values: Values, columns: Sequence[str]) -> Choices:
    """Return the choices of a form, or raise an error for the first field that is not valid."""
    label = column_in(text_of(values, "label"), columns)
    if label is None:
        raise InputError("Choose the column of the outcome.", argument="label")
    scores = _columns(values, "score", columns)
    if not scores:
        raise InputError("Choose at least one column of scores.", argument="scores")
    chosen = {
        "label": label,
        "positive": text_of(values, "positive"),
        "negative": text_of(values, "negative"),
        "missing": tuple(lines_of(values, "missing")),
        "scores": scores,
        "categories": tuple(lines_of(values, "category")),
        "lower_is_positive": tuple(
            c for c in _columns(values, "lower-is-positive", columns) if c in scores
        ),
        "drop_missing": text_of(values, "drop-missing") is not None,
        "cluster": column_in(text_of(values, "cluster"), columns),
    }
    rows = RowColumns(**{**_without_values(RowColumns), **chosen})
    level = _number(values, "level")
    return Choices(
        rows,
        _design(values),
        column_in(text_of(values, "group"), columns),
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
    own = [key for key in keys if key and key != WITH_AUC]
    if not own:
        raise InputError("Choose a measure.", argument="measure")
    options = {
        name: number
        for name in ("prevalence", "probability")
        if (number := _number(values, name)) is not None
    }
    region = _region(values)
    points = [name for name in points_of(kind_of(own[0])) if name.replace("_", "-") in REGIONS]
    if points and not region.keys() & set(points):
        choices = ", ".join(f"“{REGIONS[name.replace('_', '-')]}”" for name in points)
        raise InputError(
            f"this measure needs a single cut-off; choose one of {choices}.", argument="region"
        )
    first = (own[0], {**region, **options})
    others: list[tuple[str, dict[str, Any]]] = [(key, {}) for key in own[1:]]
    if WITH_AUC in keys and "auc" not in own:
        others.append(("auc", {}))
    return measures_of(ParsedMeasures({}, (first, *others)))


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
        text = str(text_of(values, "low")).strip()
        return {name.replace("-", "_"): text if name == "at-threshold" else low}
    if low is None or high is None:
        raise InputError(
            f"“{words}” takes two numbers, such as {_example(name)}.", argument="region"
        )
    if name == "threshold":
        return {name: tuple(str(text_of(values, end)).strip() for end in ("low", "high"))}
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
