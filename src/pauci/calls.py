"""Informative errors for calls whose arguments do not match the signature of a function.

Python would raise a plain ``TypeError``. The decorators of this module bind the arguments of a
failed call to the signature again. If the arguments do not match, the error names the argument and
suggests an alternative. A successful call has the overhead of one additional function call.
"""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, update_wrapper
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast, dataclass_transform

from pauci.checks import nearest
from pauci.errors import InputTypeError

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)
T = TypeVar("T")


@cache
def names_in_other_packages() -> dict[str, Any]:
    """Return the tables of ``equivalents.toml``, which is read when a message needs it."""
    import importlib.resources
    import tomllib

    text = importlib.resources.files("pauci").joinpath("equivalents.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def equivalent_arguments() -> dict[str, dict[str, str]]:
    """Return the equivalents of arguments of scikit-learn, pROC and other software, by name."""
    entries = names_in_other_packages()["arguments"].items()
    return {name: entry for names, entry in entries for name in names.split()}


_NAME = re.compile(r"\W")
"""What ends the name with which an expression begins."""

_COLUMN = re.compile(r"'(\w+)'(?=[\],])")
"""A column in an expression such as ``to_frame()[['low', 'high']]``."""

_RATES = frozenset({"fpr", "tpr", "specificity", "sensitivity"})
"""Arguments that are rates, which a number passed by position does not distinguish."""


def advice_on(name: str, function_name: str) -> str | None:
    """Return the advice on an argument that a function does not take, if there is any."""
    if function_name.endswith(".plot"):  # plot methods take the arguments of their figure
        function_name = f"pauci.plot.{function_name}"
    function_name = function_name.replace(" ", ".")  # the commands are named as their functions
    for advice in names_in_other_packages()["advice"]:
        for start in advice["functions"].split():
            in_module = start.endswith(".") and function_name.startswith(start)
            is_for_function = in_module or f"{function_name}.".startswith(f"{start}.")
            if is_for_function and name in advice["names"].split():
                return str(advice["text"])
    return None


def refuse_unknown_arguments(
    unknown: Mapping[str, object], function_name: str, accepted: Iterable[str]
) -> None:
    """Raise an error for arguments that a function does not take, with the equivalent argument.

    Parameters
    ----------
    unknown : mapping of str to object
        Arguments that the function does not take. If there are none, no error is raised.
    function_name : str
        Name of the function, such as ``"pauci.Sample"``.
    accepted : iterable of str
        Names of the arguments that the function takes.

    Raises
    ------
    TypeError
        If there are unknown arguments. For a name in another package (R's ``partial.auc`` is
        ``partial_auc``) the message names the argument of this package, otherwise the accepted
        argument with the most similar name.

    Examples
    --------
    >>> from pauci.calls import refuse_unknown_arguments
    >>> refuse_unknown_arguments({"pos_label": 1}, "pauci.Sample", ["positive", "weight"])
    Traceback (most recent call last):
    pauci.errors.InputTypeError: pos_label= is not an argument of pauci.Sample. Use positive=, the
    label of the positive class.
    """
    options = list(accepted)
    for name, value in unknown.items():
        key = name.lower().replace(".", "_")
        equivalent, specific_advice = equivalent_arguments().get(key), advice_on(key, function_name)
        if specific_advice is not None:
            advice = f". {specific_advice}"
        elif equivalent is None:
            takes = f"It takes: {', '.join(options)}." if options else "It takes no arguments."
            advice = f"{nearest(name, options)} {takes}"
        else:
            owner, ours = equivalent["of"], equivalent.get("use", "").split()
            accepted_name = next((a for a in ours if a in options), None)
            of_owner = f" of {owner}" if accepted_name is None else ""
            use = accepted_name or next(iter(ours), name)
            omit_note = accepted_name and owner == "pauci.Bootstrap" != function_name
            note = "" if omit_note else equivalent.get("note", "")
            advice = f". Use {use}={of_owner}{note}."
        raise InputTypeError.of(
            name, value, f"is not an argument of {function_name}{advice}", shown=""
        )


def validate_call(function: F, name: str | None = None) -> F:
    """Make a function raise an error of this package if arguments do not match its signature.

    Parameters
    ----------
    function : callable
        The function to decorate.
    name : str, optional
        Name of the function in messages; the default is its public name.

    Examples
    --------
    >>> from pauci.calls import validate_call
    >>> @validate_call
    ... def double(x):
    ...     return 2 * x
    >>> double(2)
    4
    >>> double(z=2)
    Traceback (most recent call last):
    pauci.errors.InputTypeError: z= is not an argument of pauci.double. It takes: x.
    """

    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except TypeError:
            error = explain(args, options)
            if error is None:
                raise
        raise error from None

    def explain(args: tuple[Any, ...], options: dict[str, Any]) -> InputTypeError | None:
        try:
            check_arguments(function, args, options, name)
        except InputTypeError as error:
            return error
        return None

    # Use the globals of the function, because doctest skips functions of other modules. The
    # constructor of a named tuple has no globals, not even built-in names.
    names = getattr(function, "__globals__", {})
    if not names.get("__builtins__"):
        names = globals()
    wrapper = FunctionType(call.__code__, names, call.__name__, None, call.__closure__)
    return cast(F, update_wrapper(wrapper, function))


def validate_constructor(cls: C) -> C:
    """Apply `validate_call` to the constructor of a class, under the name of the class."""
    decorated: Any = cls
    name = f"pauci.{cls.__name__}"
    if issubclass(cls, tuple):  # a named tuple is constructed by __new__
        decorated.__new__ = staticmethod(validate_call(inspect.unwrap(decorated.__new__), name))
    else:
        decorated.__init__ = validate_call(inspect.unwrap(decorated.__init__), name)
    return cls


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def validated_dataclass(cls: type[T]) -> type[T]:
    """Make a class a frozen dataclass with a validated constructor.

    Its equality and its repr are those of its base class.
    """
    return validate_constructor(dataclass(frozen=True, eq=False, repr=False)(cls))


def validate_methods(cls: C) -> C:
    """Apply `validate_call` to the public methods that a class defines, and to calls of objects."""
    for name, value in list(vars(cls).items()):
        is_class_method = isinstance(value, classmethod)
        function = value.__func__ if is_class_method else value
        if (
            isinstance(function, FunctionType)
            and (name == "__call__" or not name.startswith("_"))
            and not hasattr(function, "__wrapped__")
        ):
            validated = validate_call(function)
            setattr(cls, name, classmethod(validated) if is_class_method else validated)
    return cls


def check_arguments(
    function: Callable[..., Any],
    args: Sequence[Any],
    options: Mapping[str, Any],
    name: str | None = None,
) -> None:
    """Raise an error if the arguments do not match the signature of a function."""
    signature = inspect.signature(function)
    with suppress(TypeError):
        signature.bind(*args, **options)
        return
    parameters = list(signature.parameters.values())
    first = parameters[0].name if parameters else ""
    is_method = "." in function.__qualname__ and first in ("self", "cls", "_cls")
    function_name = name or _public_name(function, type(args[0]) if is_method and args else None)
    parameters, args = parameters[is_method:], args[is_method:]
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    names = [p.name for p in named]
    refuse_unknown_arguments(
        {name: value for name, value in options.items() if name not in names}, function_name, names
    )
    positional = [p.name for p in named if p.kind is not p.KEYWORD_ONLY]
    if len(args) > len(positional):
        _refuse_positional(args, positional, names, function_name)
    passed = dict(zip(positional, args, strict=False))
    for argument in [name for name in passed if name in options]:
        problem = f"of {function_name} is given twice, by position and by name."
        raise InputTypeError.of(argument, passed[argument], problem, shown="")
    for p in named:
        if p.default is p.empty and p.name not in {*passed, *options}:
            problem = f"{function_name} needs {p.name}=. It takes: {', '.join(names)}."
            raise InputTypeError(problem, argument=p.name)


def _refuse_positional(
    args: Sequence[Any], positional: Sequence[str], names: Sequence[str], function_name: str
) -> None:
    """Raise an error for more positional arguments than a function takes."""
    by_name = [n for n in names if n not in positional]
    count = len(positional)
    takes = f"takes {count or 'no'} positional argument{'s' * (count != 1)}"
    takes += f" ({', '.join(positional)})" if positional else ""
    hint = _hint_for_positional(args, positional, by_name, function_name)
    points = [name for name in by_name if name == "threshold" or name in _RATES]
    if len(args) == 1 and points and "ends" not in by_name:
        hint = f"State what it is: {' or '.join(f'{n}={args[0]!r}' for n in points)}."
    raise InputTypeError(
        f"{function_name} {takes}, and {len(args)} {'was' if len(args) == 1 else 'were'} passed.",
        argument=positional[-1] if positional else next(iter(by_name), None),
        value=args[count],
        hint=hint,
    )


def _hint_for_positional(
    args: Sequence[Any], positional: Sequence[str], by_name: Sequence[str], function_name: str
) -> str:
    """Return a hint for a call with too many positional arguments."""
    takes_region = "ends" in by_name
    if any(isinstance(a, str) or (hasattr(a, "__len__") and len(a) > 2) for a in args):
        is_class = (
            function_name.removeprefix("pauci.").isidentifier() and function_name[6].isupper()
        )
        if is_class and not positional[1:]:
            return (
                "Labels and scores make a sample: pauci.estimate(pauci.Sample(y_true, y_score), "
                f"{function_name}({'fpr=(0, 0.1)' if takes_region else ''}))."
            )
    elif takes_region and len(args) == 2 and all(isinstance(a, (int, float)) for a in args):
        return f"A region is a pair: fpr={tuple(args)!r}."
    return f"Pass the others by name: {', '.join(f'{n}=' for n in by_name)}." if by_name else ""


def _public_name(function: Callable[..., Any], owner: type | None) -> str:
    """Return the name of a function in messages; for a method it includes the class."""
    name = function.__qualname__.removesuffix(".__init__")
    if function.__name__ == "__call__" and owner is not None:
        return f"the call of {owner.__name__}(...)"
    if "." in name and not name.startswith(("Sample.", "ReaderStudy.")):
        return name if owner is None else f"{owner.__name__}.{function.__name__}"
    folder = function.__module__.split(".")[1:2]
    return ".".join(["pauci", *(folder if folder in (["plot"], ["datasets"]) else []), name])


_SHOWN = (
    "value se df low high statistic pvalue interval test summary report plot to_frame to_dict "
    "to_json cov count index first second measure measures names cautions estimates differences "
    "gaps group pairing bias bounds correlation simultaneous adjusted p_adjusted pvalues pvalue_of "
    "joint heterogeneity set apparent honest readers components at critical"
)
"""Names that are completed for all results that have them."""

_ATTRIBUTES = re.compile(r"^(\w+(?:, \w+)*) : ", re.MULTILINE)
"""Attributes and parameters that the docstring of a class documents."""

_SECTION = re.compile(r"^ *(?:Returns|Examples)\n", re.MULTILINE)
"""A section in the docstrings of methods that are documented for users."""


class HelpfulAttributes:
    """Base class of results: documented names are completed, and foreign names are explained.

    An error for the name of an attribute in another package states the name here.
    """

    def __dir__(self) -> list[str]:
        """Return the documented names, which editors and notebooks complete."""
        shown = set(_SHOWN.split())
        for cls in type(self).__mro__:
            for names in _ATTRIBUTES.findall(inspect.cleandoc(cls.__doc__ or "")):
                shown.update(names.split(", "))
            for name, value in vars(cls).items():
                if _SECTION.search(getattr(value, "__doc__", None) or ""):
                    shown.add(name)
        return sorted(n for n in shown.intersection(object.__dir__(self)) if n[0] != "_")

    if not TYPE_CHECKING:  # for type checkers a result has no other attributes than its own

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("_") and hasattr(type(self), name):
                # A property raised an AttributeError of its own.
                return object.__getattribute__(self, name)
            raise AttributeError(_no_attribute_of(self, name), name=name, obj=self)


def has(thing: object, name: str) -> bool:
    """Return whether an object has an attribute, without the search for a similar name."""
    return name in getattr(thing, "__dict__", ()) or hasattr(type(thing), name)


def known(thing: object, name: str, default: Any) -> Any:
    """Return an attribute of an object, or the default if it has none."""
    return getattr(thing, name) if has(thing, name) else default


def _no_attribute_of(result: Any, name: str) -> str:
    """Return the error message for an attribute that a result does not have."""
    cls = type(result)
    problem = f"{cls.__name__!r} object has no attribute {name!r}"
    if name.startswith("_"):  # a protocol of Python or of another package
        return problem
    names = {n for n in (*dir(cls), *vars(result)) if not n.startswith("_")}
    for foreign_names, expressions in names_in_other_packages()["attributes"].items():
        if name.lower() in foreign_names.split():
            use = next((e for e in expressions if _is_available(e, result, names)), None)
            if use is not None:
                return f"{problem}. Use .{use.rpartition(': ')[2]}."
    return f"{problem}{nearest(name, names, prefix='.')}"


def _is_available(expression: str, result: Any, names: Collection[str]) -> bool:
    """Return whether a result has the attribute of an expression, and the columns in it."""
    needed = [_NAME.split(part)[0] for part in expression.split(": ")]
    if not set(needed) <= set(names):
        return False
    if "[0]" in expression:
        return isinstance(getattr(result, needed[-1]), Sequence)
    columns = _COLUMN.findall(expression) if needed[-1] == "to_frame" else []
    fields = getattr(result, "_fields", "").split() if columns else []
    return set(columns) <= set(fields)


def no_attribute(name: str, names: Iterable[str]) -> str:
    """Return the error message for a name that the package does not define."""
    for foreign_names, equivalent in names_in_other_packages()["calls"].items():
        if name.lower() in foreign_names.split():
            return f"module 'pauci' has no attribute {name!r}. Use {equivalent}."
    hint = "." if name.startswith("_") else nearest(name, names, prefix="pauci.")
    return f"module 'pauci' has no attribute {name!r}{hint}"
