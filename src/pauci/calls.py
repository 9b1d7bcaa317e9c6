"""Informative errors for calls whose arguments do not match the signature of a function.

Python would raise a plain ``TypeError``. The decorators of this module bind the arguments of a
failed call to the signature again. If the arguments do not match, the error names the argument and
suggests an alternative. A successful call has the overhead of one additional function call.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import update_wrapper
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, cast

from pauci.checks import nearest
from pauci.errors import InputTypeError

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)


class Equivalent(NamedTuple):
    """The equivalent in this package of an argument of another package."""

    arguments: tuple[str, ...]
    """Names of the argument in this package, which can differ between functions."""
    owner: str
    """The function, class or object that takes the argument."""
    note: str = ""


_SAMPLE, _MEASURE, _BOOTSTRAP, _RESULT = (
    "pauci.Sample",
    "a measure",
    "pauci.Bootstrap",
    "the result",
)
_EQUIVALENTS = {
    "pos_label levels": Equivalent(("positive",), _SAMPLE, ", the label of the positive class"),
    "sample_weight sample_weights weights": Equivalent(("weight",), _SAMPLE),
    "groups": Equivalent(("cluster",), _SAMPLE),
    "folds": Equivalent(("fold",), _SAMPLE),
    "cv": Equivalent(
        ("fold",), _SAMPLE, ", the number of the fold in which each row was predicted"
    ),
    "freq frequencies counts": Equivalent(("frequency",), _SAMPLE),
    "y_score y_prob y_proba y_pred y_scores scores predictor": Equivalent(
        ("y_score", "scores"), _SAMPLE
    ),
    "y_true y y_test labels response": Equivalent(("y_true", "label"), _SAMPLE),
    "controls cases": Equivalent(
        ("y_true", "label"),
        _SAMPLE,
        ": 0 for controls and 1 for cases, with the scores of both in one column",
    ),
    "direction": Equivalent(
        ("lower_is_positive",),
        _SAMPLE,
        ": True if controls have higher scores than cases; the direction is never guessed",
    ),
    "na_rm dropna": Equivalent(("drop_missing",), "pauci.Sample.from_frame"),
    "positive weight cluster fold frequency": Equivalent((), _SAMPLE),
    "design": Equivalent(("design", "sampling"), _SAMPLE),
    "sampling": Equivalent(("design",), _SAMPLE),
    "max_fpr": Equivalent(
        ("fpr",),
        _MEASURE,
        "; max_fpr=0.1 is fpr=(0, 0.1), and scikit-learn's value is that of pauci.SPA",
    ),
    "partial_auc": Equivalent(
        ("specificity", "fpr"),
        _MEASURE,
        "; pROC's c(1, 0.9) is pauci.PAUC(specificity=(0.9, 1)), the same as fpr=(0, 0.1)",
    ),
    "partial_auc_focus": Equivalent(
        ("fpr", "tpr"),
        _MEASURE,
        "; specificity bounds the FPR, as in pauci.PAUC(fpr=(0, 0.1)), and sensitivity the TPR, "
        "as in pauci.PAUCx(tpr=(0.9, 1))",
    ),
    "partial_auc_correct": Equivalent(("measure",), "pauci.estimate", ": pauci.SPA(fpr=(0, 0.1))"),
    "fpr specificity": Equivalent((), _MEASURE, ", as in pauci.PAUCc(fpr=(0, 0.1))"),
    "tpr sensitivity": Equivalent((), _MEASURE, ", as in pauci.PAUCc(tpr=(0.8, 1))"),
    "threshold": Equivalent((), _MEASURE, ", as in pauci.PAUCc(threshold=(4, None))"),
    "prevalence": Equivalent((), _MEASURE, ", as in pauci.AP(prevalence=0.01)"),
    "recall": Equivalent(("sensitivity", "tpr"), _MEASURE),
    "min_tpr": Equivalent(("tpr",), _MEASURE, "; min_tpr=0.8 is tpr=(0.8, 1)"),
    "boot_n n_bootstraps n_bootstrap": Equivalent(
        ("n_resamples",), _BOOTSTRAP, ": variance=pauci.Bootstrap(n_resamples=2000)"
    ),
    "n_permutations": Equivalent(("n_resamples",), "pauci.permutation_test"),
    "n_resamples n_jobs": Equivalent(
        (), _BOOTSTRAP, ": variance=pauci.Bootstrap(n_resamples=2000)"
    ),
    "boot_stratified": Equivalent(("scheme",), _BOOTSTRAP),
    "seed random_state rng": Equivalent(("rng",), _BOOTSTRAP, ": variance=pauci.Bootstrap(rng=1)"),
    "method": Equivalent(
        ("variance",),
        "pauci.estimate",
        '; "influence" is the method of DeLong, and pauci.Bootstrap() the bootstrap',
    ),
    "paired": Equivalent(
        ("samples",),
        "pauci.compare",
        ": one sample with several classifiers is paired, a list of samples is not",
    ),
    "conf_level confidence_level confidence ci": Equivalent(
        ("level",), _RESULT, ", as in result.interval(level=0.95)"
    ),
    "mu": Equivalent(("null",), "pauci.compare"),
    "margin": Equivalent(
        ("null",), "pauci.compare", "; null=-0.05, alternative='greater' is a margin of 0.05"
    ),
    "alpha": Equivalent(("level",), _RESULT, "; alpha=0.05 is level=0.95"),
    "level kind": Equivalent((), _RESULT, ", as in result.interval(level=0.95)"),
}
EQUIVALENTS = {
    name: equivalent for names, equivalent in _EQUIVALENTS.items() for name in names.split()
}
"""Argument names of scikit-learn, pROC and other software, with the equivalents in this package."""

_AXES = "A figure returns its axes: ax = pauci.plot.roc(sample); ax.set_title('Title')."
_ARTISTS = "Change the artists of the returned axes: ax.get_lines()[0].set_color('black')."
_COLUMNS = (
    "It is a column of the table. Thresholds are chosen by thresholds=, fpr=, tpr=, specificity= "
    "or sensitivity=."
)
_FIXED_THRESHOLD = (
    "For a given score, see the table of pauci.operating_points(sample, thresholds=[4])."
)
_ASSUMED_AUC = (
    "Instead of a pilot, pass an assumed AUC: pauci.binormal(auc=0.85), or "
    "pauci.binormal(auc=(0.85, 0.8)) for a comparison."
)
_LEVEL = "level kind conf_level confidence_level confidence alpha"
_LEVEL_OF_TABLE = {
    _LEVEL: "The level is chosen on the result, as in result.summary(level=0.95) or "
    "result.to_frame(level=0.95)."
}
_SIZE_OF_TEST = {
    "level conf_level confidence_level confidence": "The size of the test is alpha=.",
}
_PLANNING = {
    "auc aucs": _ASSUMED_AUC,
    "kappa": "The number of negatives per positive is ratio= of pauci.sample_size.",
    "sig_level": "The size of a test is alpha= of pauci.power and pauci.sample_size.",
    "ncases ncontrols": "Planned sizes are n_pos= and n_neg= of pauci.power.",
}
_ADVICE = {
    "pauci.Sample": {
        "group": "Dependent rows, such as lesions of a patient, share a value of cluster=. To "
        "evaluate groups separately, make a sample of the rows of each group."
    },
    "pauci.plot.": {
        "title suptitle xlabel ylabel xlim ylim": _AXES,
        "figsize fig figure dpi": "Pass axes of your own: fig, ax = plt.subplots(figsize=(4, 4)), "
        "then ax=ax.",
        "color colors colour palette cmap linewidth lw linestyle legend label labels": _ARTISTS,
    },
    "pauci.operating_points": {
        "ppv npv precision youden accuracy kappa": _COLUMNS,
        **_LEVEL_OF_TABLE,
    },
    "pauci.profile": _LEVEL_OF_TABLE,
    "pauci.scan": _LEVEL_OF_TABLE,
    "pauci.Sensitivity": {
        "threshold thresholds": _FIXED_THRESHOLD,
        "sensitivity tpr recall": "The sensitivity is estimated at a fixed specificity: "
        "pauci.Sensitivity(specificity=0.9). The converse is pauci.Specificity(sensitivity=0.9).",
    },
    "pauci.Specificity": {
        "threshold thresholds": _FIXED_THRESHOLD,
        "specificity fpr": "The specificity is estimated at a fixed sensitivity: "
        "pauci.Specificity(sensitivity=0.9). The converse is pauci.Sensitivity(specificity=0.9).",
    },
    "pauci.mrmc": {
        "variance": "The estimator of covariances over cases is selected by method=. The "
        'default, method="influence", is the method of DeLong for the AUC.',
        "boot_n n_bootstraps n_bootstrap n_resamples n_jobs seed random_state rng": "It is an "
        "argument of pauci.Bootstrap: method=pauci.Bootstrap(n_resamples=2000, rng=1).",
        **_LEVEL_OF_TABLE,
    },
    "pauci.mrmc_power": {
        **_SIZE_OF_TEST,
        "power": "The function returns the power. To find how many readers or cases reach a power, "
        "pass several numbers, such as readers=[4, 6, 8, 10].",
    },
    "pauci.sample_size": _PLANNING,
    "pauci.power": _PLANNING | _SIZE_OF_TEST,
    "pauci.expected_width": _PLANNING,
}
"""Advice on arguments without an equivalent, by the beginning of the name of the function."""


_RATES = frozenset({"fpr", "tpr", "specificity", "sensitivity"})
"""Arguments that are rates, which a number passed by position does not distinguish."""


def _advice(name: str, function_name: str) -> str | None:
    """Return the advice on an argument that a function does not take, if there is any."""
    if function_name.endswith(".plot"):  # plot methods take the arguments of their figure
        function_name = f"pauci.plot.{function_name}"
    for start, advice in _ADVICE.items():
        in_module = start.endswith(".") and function_name.startswith(start)
        if in_module or f"{function_name}.".startswith(f"{start}."):
            for names, sentence in advice.items():
                if name in names.split():
                    return sentence
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
        If there are unknown arguments. For a name in `EQUIVALENTS` (R's ``partial.auc`` is
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
        equivalent, specific_advice = EQUIVALENTS.get(key), _advice(key, function_name)
        if specific_advice is not None:
            advice = f". {specific_advice}"
        elif equivalent is None:
            takes = f"It takes: {', '.join(options)}." if options else "It takes no arguments."
            advice = f"{nearest(name, options)} {takes}"
        else:
            accepted_name = next((a for a in equivalent.arguments if a in options), None)
            of_owner = f" of {equivalent.owner}" if accepted_name is None else ""
            use = accepted_name or next(iter(equivalent.arguments), name)
            omit_note = accepted_name and equivalent.owner == _BOOTSTRAP != function_name
            advice = f". Use {use}={of_owner}{'' if omit_note else equivalent.note}."
        raise InputTypeError(
            f"{name}= is not an argument of {function_name}{advice}", argument=name, value=value
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


def validate_methods(cls: C) -> C:
    """Apply `validate_call` to the public methods that a class defines."""
    for name, value in list(vars(cls).items()):
        is_class_method = isinstance(value, classmethod)
        function = value.__func__ if is_class_method else value
        if (
            isinstance(function, FunctionType)
            and not name.startswith("_")
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
    if _fits(signature, args, options):
        return
    parameters = list(signature.parameters.values())
    is_method = _is_method(function, parameters)
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
    _check_duplicates(passed, options, function_name)
    _check_required([p for p in named if p.name not in {*passed, *options}], function_name, names)


def _fits(signature: inspect.Signature, args: Sequence[Any], options: Mapping[str, Any]) -> bool:
    """Return whether arguments fit a signature."""
    try:
        signature.bind(*args, **options)
    except TypeError:
        return False
    return True


def _is_method(function: Callable[..., Any], parameters: Sequence[inspect.Parameter]) -> bool:
    """Return whether the first parameter of a function is its object or class."""
    first = parameters[0].name if parameters else ""
    return "." in function.__qualname__ and first in ("self", "cls", "_cls")


def _check_duplicates(
    passed: Mapping[str, Any], options: Mapping[str, Any], function_name: str
) -> None:
    """Raise an error if an argument is passed by position and by name."""
    for name, value in passed.items():
        if name in options:
            raise InputTypeError(
                f"{name}= of {function_name} is given twice, by position and by name.",
                argument=name,
                value=value,
            )


def _check_required(
    parameters: Sequence[inspect.Parameter], function_name: str, names: Sequence[str]
) -> None:
    """Raise an error if one of these parameters, which were not passed, is required."""
    for p in parameters:
        if p.default is p.empty:
            raise InputTypeError(
                f"{function_name} needs {p.name}=. It takes: {', '.join(names)}.", argument=p.name
            )


def _refuse_positional(
    args: Sequence[Any], positional: Sequence[str], names: Sequence[str], function_name: str
) -> None:
    """Raise an error for more positional arguments than a function takes."""
    by_name = [n for n in names if n not in positional]
    count = len(positional)
    takes = f"takes {count or 'no'} positional argument{'s' * (count != 1)}"
    takes += f" ({', '.join(positional)})" if positional else ""
    raise InputTypeError(
        f"{function_name} {takes}, and {len(args)} {'was' if len(args) == 1 else 'were'} passed.",
        argument=positional[-1] if positional else next(iter(by_name), None),
        value=args[count],
        hint=_hint_for_rate(args, by_name)
        or _hint_for_positional(args, positional, by_name, function_name),
    )


def _hint_for_rate(args: Sequence[Any], by_name: Sequence[str]) -> str:
    """Return a hint for a single number that may be one rate or another; empty for other calls."""
    if len(args) != 1 or not by_name or not set(by_name) <= _RATES:
        return ""
    return f"State which rate it is: {' or '.join(f'{n}={args[0]!r}' for n in by_name)}."


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
    if "." in name and not name.startswith(("Sample.", "ReaderStudy.")):
        return name if owner is None else f"{owner.__name__}.{function.__name__}"
    folder = function.__module__.split(".")[1:2]
    return ".".join(["pauci", *(folder if folder in (["plot"], ["datasets"]) else []), name])


_EQUIVALENT_CALLS = {
    "roc_auc_score auc_score roc_auc": "pauci.estimate(pauci.Sample(y_true, y_score), pauci.AUC())",
    "average_precision_score auprc prauc": "pauci.estimate(sample, pauci.AP())",
    "roc_curve roc": "pauci.curve_points(sample), or pauci.plot.roc(sample) for the figure",
    "roc_test delong delong_test": "pauci.compare(sample, pauci.AUC())",
    "ci ci_auc confidence_interval": "pauci.estimate(sample, measure).interval(level=0.95)",
}


def no_attribute(name: str, names: Iterable[str]) -> str:
    """Return the error message for a name that the package does not define."""
    for foreign_names, equivalent in _EQUIVALENT_CALLS.items():
        if name.lower() in foreign_names.split():
            return f"module 'pauci' has no attribute {name!r}. Use {equivalent}."
    hint = nearest(name, names, prefix="pauci.")
    return f"module 'pauci' has no attribute {name!r}{hint}"
