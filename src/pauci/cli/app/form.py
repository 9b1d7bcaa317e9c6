"""The form: its fields, which are arguments of public functions, and what their values mean.

The fields are derived from the signatures and the docstrings of the functions; a label is written
here only where the name of the argument does not say enough.
"""

import inspect
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from typing import Any, NamedTuple

import pauci
from pauci.cli import doctor
from pauci.cli.options import OPTIONS, documentation_of, items_of, kind_of, with_arguments
from pauci.cli.samples import in_order
from pauci.curve.region import OTHER_NAMES
from pauci.errors import InputError, Message, PauciError
from pauci.measures import REGISTRY, Measure
from pauci.measures.base import constructor_arguments
from pauci.results.captions import region_suffix

Values = Mapping[str, Sequence[str]]
"""The values of the fields of a form by name; a field that is empty may be absent."""

_TABLE = tomllib.loads(files("pauci.cli.app").joinpath("form.toml").read_text("utf-8"))

FIRST_MEASURES: list[str] = _TABLE["first_measures"]
"""The measures that are listed at once."""

LABELS, REGIONS, RULES, CURVES, _USUAL, _PLACES = (
    _TABLE[name] for name in ("labels", "regions", "rules", "curves", "usual", "places")
)
"""The labels of fields, the choices of two fields, the names of curves, the usual values of other
fields, and those that show the errors of arguments; ``form.toml`` describes them."""

SEED = 1
"""Seed of bootstraps and of cross-fitting, so that equal choices give equal results."""


class Field(NamedTuple):
    """A field for an argument: a switch, a column, or a text, for which there may be choices."""

    name: str
    label: str
    hint: str
    kind: str = "text"
    choices: Sequence[str] = ()


def _fields(function: Callable[..., Any], *names: str, without: str = "") -> dict[str, Field]:
    """Return the fields for arguments of a function, by default all."""
    fields, documented = {}, documentation_of(function)
    parameters = inspect.signature(function).parameters
    for name in names or [n for n in parameters if n not in without.split()]:
        hint, annotation = documented[name], str(parameters[name].annotation)
        listed = re.search(r" One of: (.*)\.$", hint)
        choices = listed[1].split(", ") if listed else _USUAL.get(name, ())
        is_column = "olumn" in hint and annotation.startswith(("str | ", "<class 'str"))
        is_column &= name not in _USUAL
        kind = "switch" if annotation == "<class 'bool'>" else "column" if is_column else "text"
        first = re.split(r"(?<=\.)\s", hint)[0]
        fields[name] = Field(name, label_of(name), first, kind, choices)
    return fields


def label_of(name: str) -> str:
    """Return the label of the field for an argument."""
    return LABELS.get(name) or name.replace("_", " ").capitalize()


READING = _fields(pauci.read_table, without="path")
"""The fields for reading a file."""

ROWS = _fields(pauci.Sample.from_frame, without="frame resolution thresholds name")
"""The fields for the roles of columns and rows."""

READERS = _fields(pauci.ReaderStudy.from_frame, "reader", "modality", "case")
"""The fields for the columns of a reader study."""

PLAN = {
    **_fields(pauci.binormal, "auc", "correlation"),
    **_fields(pauci.sample_size, "ratio", "width", "null", "power", "alpha"),
}
"""The fields of a plan, besides the confidence level."""
PLAN["ratio"] = PLAN["ratio"]._replace(hint="The default is 1.")

_ORDER = "The values of the scores, such as 1 < 2 < 3, from the most negative to the most positive."

FIELDS = {
    **READING,
    **ROWS,
    **READERS,
    **_fields(pauci.estimate, "variance", "skip_small"),
    **_fields(pauci.cutoff, "prevalence"),
    **_fields(pauci.risk_table, "probability"),
    "category": Field("category", LABELS["category"], _ORDER),
    "level": Field("level", LABELS["level"], OPTIONS["level"][0]),
}
"""All fields of an analysis that are derived."""

# Messages


class FieldProblem(NamedTuple):
    """An error on the page: its text, and the field that it is about."""

    text: str
    field: str | None


def problem_of(error: BaseException, field: str | None = None) -> FieldProblem:
    """Return an error as the page displays it, about a field unless it names another one."""
    if not isinstance(error, Message):
        return FieldProblem("There is not enough memory for this; choose fewer columns.", None)
    name = _PLACES.get(error.argument or "", error.argument)
    known = {*FIELDS, *PLAN, "region", "measures"}
    return FieldProblem(sentence(error), name if name in known else field)


_VERBS = re.compile(r"\b(?:Add|Use|Pass|Specify|State|Try|Give) (?=“)")


def sentence(about: Message) -> str:
    """Return an error or a warning with the labels of fields instead of arguments."""
    labels = {name: label_of(_PLACES.get(name, name)) for name in (*FIELDS, *PLAN, *_PLACES)}

    def field(name: str, value: str) -> str:
        items = items_of(value) if value.startswith("[") else [value]
        value = ", ".join(item.strip("'\"") for item in items if item not in ("True", "False"))
        axis = f"{name} " if labels[name] == "Region" else ""
        return f"“{labels[name]}: {axis}{value}”" if axis or value else f"“{labels[name]}”"

    text = about.sentence(lambda m: f"{m.label}{region_suffix(m)}")
    return _VERBS.sub("Set ", with_arguments(text, labels, field))


# Values


def text_of(values: Values, name: str) -> str | None:
    """Return the text in a field, or None if it is empty."""
    text = next(iter(values.get(name, ())), "")
    return text if text.strip() else None


def lines_of(values: Values, name: str) -> list[str]:
    """Return the lines in a field that are not blank."""
    lines = (line.strip() for text in values.get(name, ()) for line in text.splitlines())
    return list(dict.fromkeys(filter(None, lines)))


def columns_in(values: Values, name: str, columns: Sequence[str]) -> list[str]:
    """Return the columns that a field names: browsers change line breaks within names."""
    texts = [text for text in values.get(name, ()) if text.strip()]
    changed = "\n" in "".join(texts)
    as_sent = {re.sub("\r\n|\r|\n", "\r\n", c): c for c in columns} if changed else {}
    return list(dict.fromkeys(t if t in columns else as_sent.get(t, t) for t in texts))


_LINES = re.compile(r"[\s(]*(\d{1,9})(?:\s*,\s*(\d{1,9}))?[\s)]*")


def reading_of(values: Values) -> dict[str, Any]:
    """Return how the file is read, as arguments of `pauci.read_table`."""
    given = {name: text_of(values, name) for name in READING}
    reading: dict[str, Any] = {name: text for name, text in given.items() if text is not None}
    lines = _LINES.fullmatch(reading.get("header_row", ""))
    if lines is not None:
        first, units = lines.groups()
        reading["header_row"] = int(first) if units is None else (int(first), int(units))
    return reading


_NUMBER = r"(?:inf|(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:e[+-]?\d+)?)\s*%?"
_NEGATIVE_RATE = re.compile(r"[\s(\[≥>=]*[-–−]")
_BETWEEN = re.compile(r"(?:to|and|bis|und|[\s;,:()\[\]≥≤>=–−-])*", re.IGNORECASE)


def numbers_in(text: str, name: str, *, rates: bool = True) -> list[float]:
    """Return the one or two numbers in a text such as 0.9, 0,9, 90% or 80 to 90.

    Rates may be percentages, with or without the sign.
    """
    pattern = re.compile(_NUMBER if rates else rf"(?:(?<![\d%])[+-])?{_NUMBER}")
    found = pattern.findall(text)
    if not 1 <= len(found) <= 2 or not _BETWEEN.fullmatch(pattern.sub(" ", text)):
        example = "90, 90% or 0.9" if rates else "2.5"
        raise InputError(f"{text.strip()!r} is not a number, such as {example}.", argument=name)
    if rates and _NEGATIVE_RATE.match(text):
        raise InputError(f"{text.strip()!r} is negative.", argument=name)
    numbers = [float(part.rstrip("% ").replace(",", ".")) for part in found]
    if rates and ("%" in text or max(numbers) > 1):
        numbers = [float(f"{number / 100:.12g}") for number in numbers]  # 95% is exactly 0.95
    if rates and max(numbers) > 1:
        raise InputError(f"{text.strip()!r} is more than 100%.", argument=name)
    return numbers


def _rate(values: Values, name: str) -> float | None:
    """Return the rate in a field, or None if it is empty."""
    text = text_of(values, name)
    return None if text is None else numbers_in(text, name)[0]


# Suggestions

_SCORE = re.compile(r"score|risk|prob|pred|marker|test|index|rating|level|wert", re.IGNORECASE)

_MOST_EXAMINED = 200
"""Largest number of columns of texts that are examined for numbers."""

ASKED = "Choose the column of the outcome."


def completed(values: Values, table: Any) -> tuple[dict[str, list[str]], str]:
    """Return the values of a form with suggestions for the fields that were not sent.

    If the outcome is not known, the second value asks for it.
    """
    complete = {name: list(texts) for name, texts in values.items() if "".join(texts).strip()}
    columns = list(map(str, table.columns))
    chosen, possible = columns_in(values, "label", columns)[:1], []
    if "show" not in values or not chosen:
        distinct = doctor.distinct_counts(table)
        possible = chosen or doctor.outcomes(distinct)
        roles = {} if "show" in values else doctor.case_columns(table, possible)
        if "reader" in roles:
            complete = {**{role: [c] for role, c in roles.items()}, **complete}
        of_study = {c for role in READERS for c in columns_in(complete, role, columns)}
        distinct = {c: n for c, n in distinct.items() if c not in of_study}
        possible = [c for c in doctor.outcomes(distinct) if c not in chosen]
        if "show" not in values:
            chosen = chosen or (possible if len(possible) == 1 else [])
            suggested = _score(table, {c: distinct[c] for c in distinct if c not in chosen})
            complete = {"measures": ["auc"], "drop_missing": ["yes"], **complete}
            complete.setdefault("scores", [c for c in suggested if chosen or c not in possible])
    complete["label"], levels = chosen, doctor.levels_of(table, next(iter(chosen), None))
    if levels and text_of(values, "positive") not in [text for text, _, _ in levels]:
        complete["positive"] = doctor.positive_level(levels)
    complete["scores"] = [c for c in columns_in(complete, "scores", columns) if c not in chosen]
    listed = f": {doctor.with_counts(table, possible)}" if possible else ""
    return complete, f"{ASKED[:-1]}{listed}."


def _score(table: Any, distinct: Mapping[str, int]) -> list[str]:
    """Return the column that is the score by its name and values, if there is one."""
    kinds = dict(zip(table.columns, (t.kind for t in table.dtypes), strict=True))
    columns = doctor.numbers(table, distinct)

    def suits(c: str) -> tuple[bool, ...]:
        is_float = kinds[c] == "f"
        return is_float or distinct[c] < len(table), bool(_SCORE.search(c)), is_float

    if not any(suits(c)[0] for c in columns):
        others = [c for c, n in distinct.items() if n >= doctor.FEWEST_SCORES]
        others = [c for c in others if kinds[c] not in "iufbM"]
        others = sorted(others, key=suits, reverse=True)[:_MOST_EXAMINED]
        # Those with a unit, numbers among texts, or ratings
        readers = (doctor.order_in, doctor.unit_of, doctor.texts_in)
        columns += list(islice((c for c in others if any(f(table, c) for f in readers)), 1))
    return sorted(columns, key=suits, reverse=True)[:1]


# Choices


@dataclass(frozen=True)
class Choices:
    """The choices of a form; `given` are arguments of `Sample.from_frame` in words."""

    given: Mapping[str, Any]
    measures: tuple[Measure, ...]
    understood: str
    variance: Mapping[str, Any]
    rule: Mapping[str, Any]
    by: Mapping[str, Any]
    level: float
    unit: bool
    risks: bool
    problems: tuple[FieldProblem, ...]

    @property
    def is_study(self) -> bool:
        """Whether the rows are the readings of a study with several readers or modalities."""
        return bool(self.given.keys() & READERS.keys())


def choices_of(values: Values, columns: Sequence[str], question: str = ASKED) -> Choices:
    """Return the choices of a form, with a problem for each field that is not valid.

    The question is that about an outcome that was not chosen.
    """
    problems: list[FieldProblem] = []

    def read(part: Callable[[], Any], default: Any, field: str) -> Any:
        try:
            return part()
        except PauciError as error:
            problems.append(problem_of(error, field))
            return default

    given = _given(values, columns)
    if given["label"] is None:
        problems.append(FieldProblem(question, "label"))
    elif not given["scores"]:
        problems.append(FieldProblem("Choose at least one column of scores.", "scores"))
    variance: Any = text_of(values, "variance")
    variance = pauci.Bootstrap(rng=SEED) if variance == "bootstrap" else variance
    skip = {"skip_small": True} if text_of(values, "skip_small") else {}
    chosen = {name: value for name, value in given.items() if value}
    if chosen.keys() & READERS.keys():
        lower = bool(given["lower_is_positive"])
        chosen = {"reader": None, "modality": None, **chosen, "lower_is_positive": lower}
    level = read(lambda: _rate(values, "level"), None, "level")
    measures, understood = read(lambda: _measures(values), ([pauci.AUC()], ""), "region")
    return Choices(
        chosen,
        tuple(measures),
        understood,
        {"variance": variance} if variance else {},
        read(lambda: _rule(values), {}, "rule"),
        {"by": given["group"], **skip} if given["group"] else {},
        0.95 if level is None else level,
        text_of(values, "unit") is not None,
        text_of(values, "risk_table") is not None,
        tuple(problems),
    )


def _given(values: Values, columns: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of `Sample.from_frame` in words."""
    given: dict[str, Any] = {name: text_of(values, name) for name in (*ROWS, *READERS)}
    for name, field in {**ROWS, **READERS}.items():
        if field.kind == "column":
            given[name] = next(iter(columns_in(values, name, columns)), None)
    given["missing"] = lines_of(values, "missing")
    given["category"] = in_order(lines_of(values, "category"))
    given["drop_missing"] = given["drop_missing"] is not None
    given["scores"] = columns_in(values, "scores", columns)
    lower = columns_in(values, "lower_is_positive", columns)
    return {**given, "lower_is_positive": [c for c in lower if c in given["scores"]]}


def _measures(values: Values) -> tuple[list[Measure], str]:
    """Return the measures, those with the region first, and how the region was understood."""
    kinds = [kind_of(key) for key in dict.fromkeys(values.get("measures", ())) if key]
    if not kinds:
        raise InputError("Choose a measure.", argument="measure")
    axis, numbers = _region(values)
    if axis and not any(kind.kinds or axis in _points_of(kind) for kind in kinds):
        kinds.insert(0, pauci.PAUC)
    rates = _rates(values, kinds)
    measures = [_measure(kind, axis, numbers, rates) for kind in kinds]
    measures.sort(key=lambda m: not m.region_phrase)
    if not axis:
        return measures, ""
    shown = _ends(axis, numbers) if measures[0].kinds else numbers
    words = f"{axis} {' to '.join(f'{number:g}' for number in shown)}"
    text = text_of(values, "at")
    return measures, f"“{text}” was understood as {words} ({measures[0].region_phrase})."


def plan_of(values: Values) -> tuple[dict[str, Any], Measure, dict[str, Any]]:
    """Return the arguments of the assumption of a plan, its measure, and those of its size."""
    given: dict[str, Any] = {}
    for name in (*PLAN, "level"):
        text = text_of(values, name)
        if text is not None:
            is_rate = name not in ("correlation", "ratio", "null")
            numbers = numbers_in(text, name, rates=is_rate)
            given[name] = numbers if len(numbers) > 1 else numbers[0]
    if "auc" not in given:
        raise InputError("Type the assumed AUC, such as 0.8.", argument="auc")
    if isinstance(given["auc"], float) and not given.keys() & {"width", "null"}:
        problem = "Type the width of the interval, or the value under the null hypothesis."
        raise InputError(problem, argument="width")
    assumed: dict[str, Any] = {n: given.pop(n) for n in ("auc", "correlation") if n in given}
    return assumed, _measures(values)[0][0], given


def _rates(values: Values, kinds: Sequence[type[Measure]]) -> dict[str, float]:
    """Return the rates that some measures take, as arguments of them."""
    rates = {}
    for name in ("prevalence", "probability"):
        rate = _rate(values, name)
        if rate is not None:
            rates[name] = rate
            if not any(name in constructor_arguments(kind) for kind in kinds):
                raise InputError(f"{name}= does not apply to these measures.", argument=name)
    return rates


def _measure(
    kind: type[Measure], axis: str, numbers: Sequence[float], rates: Mapping[str, Any]
) -> Measure:
    """Return a measure with the region or the point, and the rates that it takes."""
    options = {name: rate for name, rate in rates.items() if name in constructor_arguments(kind)}
    if axis and kind.kinds:
        options[axis] = _ends(axis, numbers)
    elif axis in _points_of(kind):
        options[axis] = numbers[0]
    try:
        return kind(**options)
    except InputError as error:
        if axis or error.argument is not None:  # which names what is missing
            raise
        raise InputError(_WITHOUT_REGION, argument="region") from None


def _ends(axis: str, numbers: Sequence[float]) -> tuple[float, ...]:
    """Return both ends of a region; beside a single number, the other is the end of the axis."""
    if len(numbers) == 2:
        return tuple(numbers)
    last = float("inf") if axis == "threshold" else 1.0
    return (0.0, numbers[0]) if axis == "fpr" else (numbers[0], last)


_WITHOUT_REGION = "Choose a region and type its number, such as 90."


def _region(values: Values) -> tuple[str, list[float]]:
    """Return the axis of the region, which is empty for the whole curve, and its numbers."""
    axis, text = text_of(values, "region") or "", text_of(values, "at")
    if axis in REGIONS and text is not None:
        return axis, numbers_in(text, "region", rates=axis != "threshold")
    if axis or text is not None:
        raise InputError(_WITHOUT_REGION, argument="region")
    return "", []


def _points_of(kind: type[Measure]) -> set[str]:
    """Return the arguments of a measure, among them those for a point of the curve."""
    return constructor_arguments(kind) | ({OTHER_NAMES[kind.scalar]} if kind.scalar else set())


def _rule(values: Values) -> dict[str, Any]:
    """Return how a cut-off is chosen, as arguments of `pauci.cutoff`."""
    name = text_of(values, "rule")
    if name in ("maximize", "equal"):
        return {name: pauci.Youden if name == "maximize" else True}
    if name is None and text_of(values, "rule_at") is None:
        return {}
    number = _rate(values, "rule_at") if name in RULES else None
    if name is None or number is None:
        raise InputError("Choose a rule and type its number, such as 90.", argument="rule")
    return {name: number}


def title_of(key: str) -> str:
    """Return the title of a measure with a capital letter, and the point at which it is."""
    kind = REGISTRY[key]
    title = f"{kind.title} at a {OTHER_NAMES[kind.scalar]}" if kind.scalar else kind.title
    return title[0].upper() + title[1:]
