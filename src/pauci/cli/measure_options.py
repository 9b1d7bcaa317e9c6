"""Measures on the command line, with the options that belong to each."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import click

from pauci.cli.data import is_spelling_of, number_of
from pauci.cli.shell_syntax import SHELL, ShellSyntax, shortened
from pauci.curve.region_arguments import OTHER_NAMES
from pauci.errors import InputError, InputTypeError
from pauci.measures import REGISTRY, Measure
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.other_names import suggestion

_AXIS_OF = {name: axis for axis, name in OTHER_NAMES.items()}
_REGIONS = ("fpr", "tpr", "specificity", "sensitivity", "threshold")
_POINTS = {
    "at": "",
    "at_fpr": "It is the point of --measure sensitivity.",
    "at_specificity": "It is the point of --measure sensitivity; for all statistics at a "
    "specificity, use pauci points.",
    "at_sensitivity": "It is the point of --measure specificity and pai; for all statistics at a "
    "sensitivity, use pauci points.",
    "at_threshold": "It is the threshold of measures at a cut-off, such as sensitivity and ppv.",
}
"""Options of the single FPR or TPR of a measure, with advice for other measures."""

_BESIDE_POINTS = {"prevalence", "beta"}
"""Options that measures at a cut-off take besides the cut-off."""

_CORRECTIONS = ("corrected", "uncorrected")
"""Options of the argument `corrected`, which is True, False or neither."""


@dataclass(frozen=True)
class ParsedMeasures:
    """The measures of a command line, with the options that belong to them.

    Attributes
    ----------
    common : dict
        Options before the first ``--measure``. They apply to every measure that takes them and does
        not have its own.
    measures : tuple of (str, dict)
        The key of each measure, and the options after it, up to the next ``--measure``.
    """

    common: Mapping[str, Any]
    measures: tuple[tuple[str, Mapping[str, Any]], ...]

    @property
    def option_names(self) -> dict[str, str]:
        """The option of the argument `threshold`, if it is a single cut-off of all measures."""
        given = set(self.common).union(*(options for _, options in self.measures))
        is_cutoff = "at_threshold" in given and "threshold" not in given
        return {"threshold": "--at-threshold"} if is_cutoff else {}

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the measures, in their order."""
        return tuple(key for key, _ in self.measures)


def parsed_measures(
    parameters: Sequence[click.Parameter],
    order: Sequence[click.Parameter],
    values: Mapping[str, Any],
) -> ParsedMeasures:
    """Return the measures of a command line with the options that belong to each.

    Parameters
    ----------
    parameters : sequence of click.Parameter
        All parameters of the command.
    order : sequence of click.Parameter
        Those on the command line, in order, with repetitions.
    values : dict
        The value of every parameter: a tuple for those that may be repeated, in the same order.
    """
    values_of: dict[click.Parameter, Iterator[Any]] = {}
    for parameter in parameters:
        if isinstance(parameter, click.Option) and getattr(parameter, "of_measure", False):
            value = values[str(parameter.name)]
            values_of[parameter] = iter(value) if parameter.multiple else repeat(True)
    keys = iter(values["measures"])
    common: dict[str, Any] = {}
    of_measures: list[tuple[str, dict[str, Any]]] = []
    current = common
    for parameter in order:
        name = str(parameter.name)
        if name == "measures":
            current = {}
            of_measures.append((next(keys), current))
        elif parameter in values_of:
            if name in current:
                last = of_measures[-1][0] if of_measures else None
                place = f"after --measure {last}" if last else "before the first --measure"
                raise InputError(
                    f"{parameter.opts[0]} is given twice {place}; it applies to the --measure "
                    "before it, and can be given once after each.",
                    argument=name,
                )
            current[name] = next(values_of[parameter])
    return ParsedMeasures(common, tuple(of_measures))


def measures_of(parsed: ParsedMeasures, categories: Sequence[str] = ()) -> list[Measure]:
    """Make measures from their keys and options; `categories` are those of ratings in words.

    Options after a measure belong to it, and it must take them. Those before the first measure
    apply to every measure that takes them and does not have its own; its own region replaces the
    whole common region.
    """
    several = len(parsed.measures) > 1
    measures, used = [], set()
    for key, specific in parsed.measures:
        kind = kind_of(key)
        replaced = {*specific}
        for exclusive in (_REGIONS, _POINTS, _CORRECTIONS):
            replaced |= {*exclusive} if specific.keys() & {*exclusive} else set()
        common = {n: value for n, value in parsed.common.items() if n not in replaced}
        used |= common.keys() & _options_of(kind)
        common, specific = (_with_cutoff(options, categories) for options in (common, specific))
        measures.append(_measure(key, kind, common, specific, several=several))
    for name in parsed.common:
        if name not in used:
            raise InputError.about(
                name, f"{_reason_unused(name, parsed)}.", hint=_POINTS.get(name, "")
            )
    return measures


def factory_of(key: str, **form: Any) -> Any:
    """Return a function of a region that makes a measure, such as its class.

    `form` are the options of the measure other than its region, None or False if not given.
    """
    kind = kind_of(key)
    arguments = {name: value for name, value in form.items() if value}
    for name in arguments:
        if name not in kind.arguments():
            raise InputError.about(name, f"cannot be combined with --measure {key}.")
    return functools.partial(kind, **arguments) if arguments else kind


def _options_of(kind: type[Measure]) -> set[str]:
    """Return the options that a measure takes."""
    names, points = kind.arguments(), points_of(kind)
    if points:
        return {*points, *(_BESIDE_POINTS & names)}
    return names.union(_CORRECTIONS) if "corrected" in names else names


def points_of(kind: type[Measure]) -> dict[str, str]:
    """Return the options of the single cut-off of a measure, with their arguments."""
    points = {}
    if kind.scalar is not None:
        points = {f"at_{OTHER_NAMES[kind.scalar]}": OTHER_NAMES[kind.scalar]}
        points["at" if kind.scalar == "tpr" else "at_fpr"] = kind.scalar
    if issubclass(kind, AtCutoff):
        arguments = kind.arguments()
        points |= {
            f"at_{name}": name for name in (*OTHER_NAMES.values(), "threshold") if name in arguments
        }
    return points


def _reason_unused(name: str, parsed: ParsedMeasures) -> str:
    """Return why no measure takes an option given before the first ``--measure``."""
    if not parsed.measures:
        return "requires a --measure"
    if any(name in _options_of(kind_of(key)) for key in parsed.keys):
        return (
            "is given before the first --measure, but every measure that takes it has its own; "
            "omit it"
        )
    return f"cannot be combined with --measure {' '.join(parsed.keys)}"


def _measure(
    key: str,
    kind: type[Measure],
    common: Mapping[str, Any],
    specific: Mapping[str, Any],
    *,
    several: bool,
) -> Measure:
    """Make a measure from its own options and the common ones that it takes."""
    accepted = _options_of(kind)
    points = points_of(kind)
    _check_axis(key, kind, {**common, **specific}.get("at"))
    if points and not points.keys() & {*common, *specific}:
        raise _without_point(key, kind, [*common, *specific], several=several)
    for name in specific:
        if name not in accepted:
            before = "; an option applies to the --measure before it" if several else ""
            raise InputError.about(
                name,
                f"cannot be combined with --measure {key}{before}.",
                hint=_POINTS.get(name, ""),
            )
    arguments = {**{name: value for name, value in common.items() if name in accepted}, **specific}
    if points:
        return _at_a_point(kind, arguments)
    if kind.kinds:
        _check_region(key, kind, arguments, several=several)
    if {*_CORRECTIONS} <= arguments.keys():
        raise InputError("--corrected and --uncorrected exclude each other.", argument="corrected")
    if arguments.pop("uncorrected", False):
        arguments["corrected"] = False
    if "probability" in accepted - arguments.keys():
        raise InputError.of("measure", key, "needs --probability VALUE, such as 0.1.")
    if "threshold" in arguments:
        arguments["threshold"] = tuple(_number(word) for word in arguments["threshold"])
    return kind(**arguments)


def kind_of(key: str) -> type[Measure]:
    """Return the class of a measure by its key."""
    if key.lower() not in REGISTRY:
        keys = ", ".join(REGISTRY)
        raise InputError.of(
            "measure", key, f"is not known{suggestion(shortened(key))} Accepted: {keys}."
        )
    return REGISTRY[key.lower()]


_PLACE_OF_REGION = (
    " Give it after that --measure, or before the first one, for all measures that take it."
)
"""Advice on the region of one of several measures."""


def _without_point(key: str, kind: type[Measure], names: list[str], *, several: bool) -> InputError:
    """Return an error about a measure at a single cut-off, which is missing."""
    regions = [SHELL.option(name) for name in (*_REGIONS, *_POINTS) if name in names]
    options = ", ".join(SHELL.option(name) for name in points_of(kind))
    instead = f", not {regions[0]}" if regions else ""
    place = _PLACE_OF_REGION if several else ""
    needed = f"needs a single cut-off (one of {options}){instead}.{place}"
    return InputError.of("measure", key, needed)


def _check_axis(key: str, kind: type[Measure], at: float | None) -> None:
    """Raise an error for a sensitivity at a number that may be a specificity or an FPR."""
    if kind.scalar != "fpr" or at is None:
        return
    raise InputError(
        f"--measure {key} --at {at:g} does not state whether {at:g} is a specificity or a false "
        "positive rate.",
        argument="at",
        value=at,
        hint=f"Use --at-fpr {1.0 - at:g} for a specificity of {at:g}, or --at-fpr {at:g} for a "
        f"false positive rate of {at:g}.",
    )


def _at_a_point(kind: type[Measure], arguments: Mapping[str, Any]) -> Measure:
    """Make a measure at a single cut-off."""
    known = points_of(kind)
    points = {name: value for name, value in arguments.items() if name in known}
    if len(points) > 1:
        options = " and ".join(SHELL.option(name) for name in points)
        raise InputError(f"{options} are the same point; give one of them.", argument="at")
    ((name, value),) = points.items()
    others = {name: value for name, value in arguments.items() if name not in known}
    argument = known[name]
    try:
        return kind(**{argument: value}, **others)
    except (InputError, InputTypeError) as error:
        if error.argument in others:
            raise
        sentence = ShellSyntax(options={argument: SHELL.option(name)}).sentence(error)
        raise InputError(sentence, argument=name, value=value) from None


def _with_cutoff(options: Mapping[str, Any], categories: Sequence[str]) -> dict[str, Any]:
    """Return options with the cut-off as a score, or as scores by classifier (NAME=SCORE,...)."""
    if "at_threshold" not in options:
        return dict(options)
    word = options["at_threshold"]
    by_name = {} if word in categories else thresholds_by_classifier(word)
    cutoff = {name: _score(score, categories) for name, score in by_name.items()}
    return {**options, "at_threshold": cutoff or _score(word, categories)}


def thresholds_by_classifier(word: str) -> dict[str, str]:
    """Return the thresholds of several classifiers by name; empty for a single threshold."""
    parts = [part.rpartition("=") for part in word.split(",")]
    if not all(name and name[-1] not in "<>=!" for name, _, _ in parts):
        return {}
    return {name: score for name, _, score in parts}


def _score(word: str, categories: Sequence[str]) -> float | str:
    """Return a threshold as a category if there are any, otherwise as a number if it is one."""
    if categories:
        return next((c for c in categories if is_spelling_of(word, c)), word)
    try:
        return word if "_" in word else number_of(word)
    except ValueError:
        return word


def _check_region(
    key: str, kind: type[Measure], arguments: dict[str, Any], *, several: bool
) -> None:
    """Raise an error for a missing region, and one that the measure does not take."""
    axes = [_AXIS_OF.get(name, name) for name in _REGIONS if name in arguments]
    region_kind = "both" if {"fpr", "tpr"} <= set(axes) else axes[0] if axes else None
    if region_kind in kind.kinds:
        return
    accepted = " or ".join(f"--{k} LOW HIGH" for k in kind.kinds if k != "both")
    if region_kind is None:
        place = _PLACE_OF_REGION if several else ""
        raise InputError.of("measure", key, f"needs a region: {accepted}.{place}")
    options = " with ".join(SHELL.option(name) for name in _REGIONS if name in arguments)
    raise InputError.of(
        "measure", key, f"does not take {options}; its region is given by {accepted}."
    )


def _number(word: str) -> float:
    try:
        if "_" not in word:
            return number_of(word)
    except ValueError:
        pass
    raise InputError(f"--threshold takes numbers, not {shortened(word)!r}.", argument="threshold")
