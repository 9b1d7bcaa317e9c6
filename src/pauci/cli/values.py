"""Values of options, in the syntax of Python: numbers, texts, tuples, measures and methods.

An expression is evaluated node by node. It may contain literals, the measures and the variance
methods with their arguments, and the arithmetic of measures; nothing else can be called.
"""

import ast
import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

from pauci.errors import InputError, InputTypeError
from pauci.measures import REGISTRY, Measure
from pauci.measures.classes import PDI, VUS, CIndex, HandTill, Macro, VersusRest
from pauci.measures.registry import suggestion

OF_CLASSES: dict[str, type[Measure]] = {
    kind.__name__: kind for kind in (CIndex, HandTill, Macro, PDI, VersusRest, VUS)
}
"""Measures of several classes by name."""

_NUMBERS = {"inf": float("inf"), "nan": float("nan")}
_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Div: operator.truediv,
}
_METHODS = ("Bootstrap", "Jackknife")


class _NoExpressionError(Exception):
    """A text is not an expression of these values."""


def value_of(text: str) -> Any:
    """Return the value of an expression; a text that is none, such as ``holm``, is itself."""
    try:
        return _evaluated(_parsed(text))
    except _NoExpressionError:
        if "(" in text:
            raise InputError(
                f"{text!r} is not an expression of numbers, measures and methods."
            ) from None
        return text


def measure_of(text: str) -> Any:
    """Return a measure: a name such as ``auc``, or an expression such as ``PAUC(fpr=(0, .1))``."""
    try:
        value = value_of(text)
        if isinstance(value, str):
            value = kind_of(value)()
    except (InputError, InputTypeError) as error:
        where = "" if error.argument == "measure" else f"measure={text}"
        raise error.replaced(where=where) from None
    if not isinstance(value, (Measure, dict)):  # a dict has the measure of each classifier
        raise InputError.of(
            "measure", text, "must be a measure, such as auc or PAUC(fpr=(0, 0.1))."
        )
    return value


def class_of(text: str) -> Callable[..., Any]:
    """Return the class of a measure, with the options in its expression: ``F(beta=2)``."""
    tree = _parsed_or_none(text)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        kind, arguments = kind_of(tree.func.id), _arguments(tree)
        return functools.partial(kind, *arguments[0], **arguments[1])
    return kind_of(text)


def kind_of(name: str) -> type[Measure]:
    """Return the class of a measure by its key or its name."""
    by_name = {kind.__name__: kind for kind in REGISTRY.values()} | OF_CLASSES
    of_classes = {name.lower(): kind for name, kind in OF_CLASSES.items()}
    kind = REGISTRY.get(name.lower()) or by_name.get(name) or of_classes.get(name.lower())
    if kind is None:
        listed = ", ".join([*REGISTRY, *of_classes])
        raise InputError.of(
            "measure", name, f"is not known{suggestion(name[:80])} Accepted: {listed}."
        )
    return kind


def _parsed(text: str) -> ast.expr:
    tree = _parsed_or_none(text)
    if tree is None:
        raise _NoExpressionError
    return tree


def _parsed_or_none(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _evaluated(node: ast.expr) -> Any:
    """Return the value of a node, or raise an error for one that is not allowed."""
    match node:
        case ast.Constant(value=value) if isinstance(value, (int, float, str, type(None))):
            return value
        case ast.Tuple(elts=items):
            return tuple(map(_evaluated, items))
        case ast.List(elts=items):
            return list(map(_evaluated, items))
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {_evaluated(k): _evaluated(v) for k, v in zip(keys, values, strict=True) if k}
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            value = _evaluated(operand)
            if isinstance(value, (int, float)):
                return -value if isinstance(sign, ast.USub) else value
        case ast.Name(id=name) if name in _NUMBERS:
            return _NUMBERS[name]
        case ast.Call(func=ast.Name(id=name)):
            arguments = _arguments(node)
            return _callable(name)(*arguments[0], **arguments[1])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            both = [_measure_in(side) for side in (left, right)]
            return _OPERATIONS[type(op)](*both)
    raise _NoExpressionError


def _measure_in(node: ast.expr) -> Measure:
    """Return a measure of an arithmetic expression, whose name may stand alone."""
    named = isinstance(node, ast.Name) and node.id in {k.__name__ for k in REGISTRY.values()}
    value = kind_of(node.id)() if named and isinstance(node, ast.Name) else _evaluated(node)
    if not isinstance(value, Measure):
        raise _NoExpressionError
    return value


def _arguments(call: ast.Call) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call, by position and by name."""
    if any(keyword.arg is None for keyword in call.keywords):
        raise _NoExpressionError
    return list(map(_evaluated, call.args)), {
        str(k.arg): _evaluated(k.value) for k in call.keywords
    }


def _callable(name: str) -> Callable[..., Any]:
    """Return a measure or a variance method by its name."""
    if name in _METHODS:
        import pauci

        method: Callable[..., Any] = getattr(pauci, name)
        return method
    return kind_of(name)


# Options of earlier versions

_REGIONS = {"fpr": 2, "tpr": 2, "specificity": 2, "sensitivity": 2, "threshold": 2}
_POINTS = {"at": 1, "at-fpr": 1, "at-specificity": 1, "at-sensitivity": 1, "at-threshold": 1}
_FORMER = {
    **_REGIONS,
    **_POINTS,
    **{"prevalence": 1, "beta": 1, "probability": 1, "ends": 1, "harm": 1},
    **{"normalized": 0, "negatives": 0, "standardized": 0, "corrected": 0},
}
"""Options that were arguments of measures, with the number of their values."""


def expression_instead(words: list[str], accepted: "set[str]") -> str | None:
    """Return the expression of a measure for options that are now its arguments, or None.

    `accepted` are the options that the command has. ``--at`` of a sensitivity is a false positive
    rate or a specificity, so that both are offered.
    """
    parts = (word.split("=", 1) if word.startswith("--") else [word] for word in words)
    words = list(itertools.chain.from_iterable(parts))
    if "--where" in words:
        return (
            "--where is no option; FILE can be a query: \"duckdb:SELECT * FROM 'FILE' WHERE ...\"."
        )
    key, arguments, former = "PAUC", [], ""
    for i, word in enumerate(words):
        name = word.removeprefix("--")
        if word == "--measure" and i + 1 < len(words):
            key = words[i + 1]
        elif word.startswith("--") and name in _FORMER and word not in accepted:
            former = former or word
            arguments.append(_argument(key, name, words[i + 1 : i + 1 + _FORMER[name]]))
    if not former:
        return None
    if "--measure" not in accepted:
        return _option_instead(former, accepted)
    known = REGISTRY.get(key.lower())
    shown = known.__name__ if known is not None else key.partition("(")[0]
    text = f'"{shown}({", ".join(arguments)})"'
    if former == "--at" and text.count("fpr=") == 1:
        text = f"{text} or {text.replace('fpr=', 'specificity=')}"
    return f"{former} is an argument of the measure: --measure {text}"


def _option_instead(former: str, accepted: "set[str]") -> str | None:
    """Return the option of a command without ``--measure`` that replaces a former one, or None."""
    renamed = former.replace("--at-", "--")
    return f"{former} is now {renamed}." if renamed != former and renamed in accepted else None


def _argument(key: str, name: str, values: list[str]) -> str:
    """Return a former option with its values as an argument of a measure."""
    argument = name.removeprefix("at-").replace("-", "_")
    if name == "at":
        argument = getattr(REGISTRY.get(key.lower()), "scalar", None) or "fpr"
    text = ", ".join(v if v in _NUMBERS or _is_number(v) else repr(v) for v in values)
    return f"{argument}=({text})" if name in _REGIONS else f"{argument}={text or 'True'}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
