"""Informative errors for calls whose arguments do not match the signature of a function.

Python would raise a plain ``TypeError``. Here the arguments of a call that fails are bound to the
signature again. If they do not match, the error names the argument and suggests what to use
instead. A call that succeeds has the overhead of one additional function call.
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


class Ours(NamedTuple):
    """The equivalent in this package of an argument of another package."""

    arguments: tuple[str, ...]
    """The argument of this package; all its names, if they differ between functions."""
    of: str
    note: str = ""


_SAMPLE, _MEASURE, _BOOTSTRAP, _RESULT = (
    "pauci.Sample",
    "a measure",
    "pauci.Bootstrap",
    "the result",
)
_OURS = {
    "pos_label levels": Ours(("positive",), _SAMPLE, ", the label of the positive class"),
    "sample_weight sample_weights weights": Ours(("weight",), _SAMPLE),
    "groups": Ours(("cluster",), _SAMPLE),
    "folds": Ours(("fold",), _SAMPLE),
    "cv": Ours(("fold",), _SAMPLE, ", the number of the fold in which each row was predicted"),
    "freq frequencies counts": Ours(("frequency",), _SAMPLE),
    "y_score y_prob y_proba y_pred y_scores scores predictor": Ours(("y_score", "scores"), _SAMPLE),
    "y_true y y_test labels response": Ours(("y_true", "label"), _SAMPLE),
    "controls cases": Ours(
        ("y_true", "label"),
        _SAMPLE,
        ": 0 for controls and 1 for cases, with the scores of both in one column",
    ),
    "direction": Ours(
        ("lower_is_positive",),
        _SAMPLE,
        ": True where controls score higher than cases; it is never guessed",
    ),
    "na_rm dropna": Ours(("drop_missing",), "pauci.Sample.from_frame"),
    "positive weight cluster fold frequency design": Ours((), _SAMPLE),
    "max_fpr": Ours(
        ("fpr",),
        _MEASURE,
        "; max_fpr=0.1 is fpr=(0, 0.1), and scikit-learn's value with it that of pauci.SPA",
    ),
    "partial_auc": Ours(
        ("specificity", "fpr"),
        _MEASURE,
        "; pROC's c(1, 0.9) is pauci.PAUC(specificity=(0.9, 1)), the same as fpr=(0, 0.1)",
    ),
    "partial_auc_focus": Ours(
        ("fpr", "tpr"),
        _MEASURE,
        "; specificity bounds the FPR, as in pauci.PAUC(fpr=(0, 0.1)), and sensitivity the TPR, "
        "as in pauci.PAUCx(tpr=(0.9, 1))",
    ),
    "partial_auc_correct": Ours(("measure",), "pauci.estimate", ": pauci.SPA(fpr=(0, 0.1))"),
    "fpr specificity": Ours((), _MEASURE, ", as in pauci.PAUCc(fpr=(0, 0.1))"),
    "tpr sensitivity": Ours((), _MEASURE, ", as in pauci.PAUCc(tpr=(0.8, 1))"),
    "threshold": Ours((), _MEASURE, ", as in pauci.PAUCc(threshold=(4, None))"),
    "prevalence": Ours((), _MEASURE, ", as in pauci.AP(prevalence=0.01)"),
    "recall": Ours(("sensitivity", "tpr"), _MEASURE),
    "min_tpr": Ours(("tpr",), _MEASURE, "; min_tpr=0.8 is tpr=(0.8, 1)"),
    "boot_n n_bootstraps n_bootstrap": Ours(
        ("n_resamples",), _BOOTSTRAP, ": variance=pauci.Bootstrap(n_resamples=2000)"
    ),
    "n_permutations": Ours(("n_resamples",), "pauci.permutation_test"),
    "n_resamples n_jobs": Ours((), _BOOTSTRAP, ": variance=pauci.Bootstrap(n_resamples=2000)"),
    "boot_stratified": Ours(("scheme",), _BOOTSTRAP),
    "seed random_state rng": Ours(("rng",), _BOOTSTRAP, ": variance=pauci.Bootstrap(rng=1)"),
    "method": Ours(
        ("variance",),
        "pauci.estimate",
        '; "influence" is the method of DeLong, and pauci.Bootstrap() the bootstrap',
    ),
    "paired": Ours(
        ("samples",),
        "pauci.compare",
        ": one sample with several classifiers is paired, a list of samples is not",
    ),
    "conf_level confidence_level confidence": Ours(
        ("level",), _RESULT, ", as in result.interval(level=0.95)"
    ),
    "mu": Ours(("null",), "pauci.compare"),
    "margin": Ours(
        ("null",), "pauci.compare", "; null=-0.05, alternative='greater' is a margin of 0.05"
    ),
    "alpha": Ours(("level",), _RESULT, "; alpha=0.05 is level=0.95"),
    "level kind": Ours((), _RESULT, ", as in result.interval(level=0.95)"),
}
FOREIGN = {name: ours for names, ours in _OURS.items() for name in names.split()}
"""Names that users bring from scikit-learn, pROC and others, and how the same is said here."""

_AXES = "A figure returns its axes: ax = pauci.plot.roc(sample); ax.set_title('Title')."
_LINES = "Change what is drawn in the axes that are returned: ax.get_lines()[0].set_color('black')."
_POINTS = (
    "It is a column of the table. Thresholds are chosen by thresholds=, fpr=, tpr=, specificity= "
    "or sensitivity=."
)
_AT_A_SCORE = (
    "At a given score they are in the table of pauci.operating_points(sample, thresholds=[4])."
)
_ASSUMED = (
    "An assumed AUC takes the place of a pilot: pauci.binormal(auc=0.85), or "
    "pauci.binormal(auc=(0.85, 0.8)) for a comparison."
)
_PLANNING = {
    "auc aucs": _ASSUMED,
    "kappa": "The negatives for each positive are ratio= of pauci.sample_size.",
    "sig_level": "The size of a test is alpha= of pauci.power and pauci.sample_size.",
    "ncases ncontrols": "Planned sizes are n_pos= and n_neg= of pauci.power.",
}
_INSTEAD = {
    "pauci.Sample": {
        "group": "Dependent rows, such as lesions of a patient, share a value of cluster=. To "
        "evaluate groups apart make a sample of the rows of each."
    },
    "pauci.plot.": {
        "title suptitle xlabel ylabel xlim ylim": _AXES,
        "figsize fig figure dpi": "Pass axes of your own: fig, ax = plt.subplots(figsize=(4, 4)), "
        "then ax=ax.",
        "color colors colour palette cmap linewidth lw linestyle legend label labels": _LINES,
    },
    "pauci.operating_points": {"ppv npv precision youden accuracy kappa": _POINTS},
    "pauci.Sensitivity": {
        "threshold thresholds": _AT_A_SCORE,
        "sensitivity tpr recall": "It estimates the sensitivity, at a specificity that is given: "
        "pauci.Sensitivity(specificity=0.9). The converse is pauci.Specificity(sensitivity=0.9).",
    },
    "pauci.Specificity": {
        "threshold thresholds": _AT_A_SCORE,
        "specificity fpr": "It estimates the specificity, at a sensitivity that is given: "
        "pauci.Specificity(sensitivity=0.9). The converse is pauci.Sensitivity(specificity=0.9).",
    },
    "pauci.mrmc": {
        "variance": "Where covariances over cases come from is said by method=; "
        'method="influence", the default, is for the AUC the method of DeLong.',
        "boot_n n_bootstraps n_bootstrap n_resamples n_jobs seed random_state rng": "It is an "
        "argument of pauci.Bootstrap: method=pauci.Bootstrap(n_resamples=2000, rng=1).",
    },
    "pauci.mrmc_power": {
        "power": "The power is what it returns; to find how many readers or cases reach it, pass "
        "several, such as readers=[4, 6, 8, 10]."
    },
    "pauci.sample_size": _PLANNING,
    "pauci.power": _PLANNING,
    "pauci.expected_width": _PLANNING,
}
"""Advice for names without an equivalent, by the start of the function's name."""


def _instead(name: str, where: str) -> str | None:
    """Return what to do instead of passing an argument."""
    if where.endswith(".plot"):  # the method of a result, which takes what its figure takes
        where = f"pauci.plot.{where}"
    for start, advice in _INSTEAD.items():
        in_module = start.endswith(".") and where.startswith(start)
        if in_module or f"{where}.".startswith(f"{start}."):
            for names, sentence in advice.items():
                if name in names.split():
                    return sentence
    return None


def refuse_foreign(given: Mapping[str, object], where: str, accepted: Iterable[str]) -> None:
    """Raise an error for arguments that `where` does not take, with the equivalent argument.

    Parameters
    ----------
    given : mapping of str to object
        Arguments that it does not take; if there are none, nothing happens.
    where : str
        What was called, such as ``"pauci.Sample"``.
    accepted : iterable of str
        The arguments that it takes.

    Raises
    ------
    TypeError
        Naming the argument of this package for a name in `FOREIGN` (R's ``partial.auc`` is
        ``partial_auc``), else the nearest one that is taken.

    Examples
    --------
    >>> from pauci.calls import refuse_foreign
    >>> refuse_foreign({"pos_label": 1}, "pauci.Sample", ["positive", "weight"])
    Traceback (most recent call last):
    pauci.errors.InputTypeError: pos_label= is not an argument of pauci.Sample. Use positive=, the
    label of the positive class.
    """
    options = list(accepted)
    for name, value in given.items():
        plain = name.lower().replace(".", "_")
        ours, instead = FOREIGN.get(plain), _instead(plain, where)
        if instead is not None:
            advice = f". {instead}"
        elif ours is None:
            takes = f"It takes: {', '.join(options)}." if options else "It takes no arguments."
            advice = f"{nearest(name, options)} {takes}"
        else:
            here = next((argument for argument in ours.arguments if argument in options), None)
            of = f" of {ours.of}" if here is None else ""
            use = here or next(iter(ours.arguments), name)
            note = "" if here and ours.of == _BOOTSTRAP != where else ours.note
            advice = f". Use {use}={of}{note}."
        raise InputTypeError(
            f"{name}= is not an argument of {where}{advice}", argument=name, value=value
        )


def answering(function: F, name: str | None = None) -> F:
    """Make a function raise an error of this package if arguments do not match its signature.

    Parameters
    ----------
    function : callable
        The function.
    name : str, optional
        Its name in messages; the default is its public name.

    Examples
    --------
    >>> from pauci.calls import answering
    >>> @answering
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
            refuse_misfit(function, args, options, name)
        except InputTypeError as error:
            return error
        return None

    # Use the globals of the function, because doctest skips functions of other modules. The
    # constructor of a named tuple has no globals, not even built-in names.
    names = getattr(function, "__globals__", {})
    if not names.get("__builtins__"):
        names = globals()
    made = FunctionType(call.__code__, names, call.__name__, None, call.__closure__)
    return cast(F, update_wrapper(made, function))


def answering_constructor(cls: C) -> C:
    """Apply `answering` to the constructor of a class, under the name of the class."""
    made: Any = cls
    name = f"pauci.{cls.__name__}"
    if issubclass(cls, tuple):  # a named tuple is made by its __new__
        made.__new__ = staticmethod(answering(inspect.unwrap(made.__new__), name))
    else:
        made.__init__ = answering(inspect.unwrap(made.__init__), name)
    return cls


def answering_methods(cls: C) -> C:
    """Apply `answering` to the public methods that a class defines."""
    for name, value in list(vars(cls).items()):
        is_class_method = isinstance(value, classmethod)
        function = value.__func__ if is_class_method else value
        if (
            isinstance(function, FunctionType)
            and not name.startswith("_")
            and not hasattr(function, "__wrapped__")
        ):
            answered = answering(function)
            setattr(cls, name, classmethod(answered) if is_class_method else answered)
    return cls


def refuse_misfit(
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
    where = name or _where(function, type(args[0]) if is_method and args else None)
    parameters, args = parameters[is_method:], args[is_method:]
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    names = [p.name for p in named]
    refuse_foreign(
        {name: value for name, value in options.items() if name not in names}, where, names
    )
    positional = [p.name for p in named if p.kind is not p.KEYWORD_ONLY]
    if len(args) > len(positional):
        _refuse_positional(args, positional, names, where)
    passed = dict(zip(positional, args, strict=False))
    _refuse_twice(passed, options, where)
    _refuse_absent([p for p in named if p.name not in {*passed, *options}], where, names)


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


def _refuse_twice(passed: Mapping[str, Any], options: Mapping[str, Any], where: str) -> None:
    """Raise an error if an argument is passed by position and by name."""
    for name, value in passed.items():
        if name in options:
            raise InputTypeError(
                f"{name}= of {where} is given twice, by position and by name.",
                argument=name,
                value=value,
            )


def _refuse_absent(
    parameters: Sequence[inspect.Parameter], where: str, names: Sequence[str]
) -> None:
    """Raise an error if one of these parameters, which were not passed, has no default."""
    for p in parameters:
        if p.default is p.empty:
            raise InputTypeError(
                f"{where} needs {p.name}=. It takes: {', '.join(names)}.", argument=p.name
            )


def _refuse_positional(
    args: Sequence[Any], positional: Sequence[str], names: Sequence[str], where: str
) -> None:
    """Raise an error for more positional arguments than a function takes."""
    by_name = [n for n in names if n not in positional]
    most = len(positional)
    takes = f"takes {most or 'no'} positional argument{'s' * (most != 1)}"
    takes += f" ({', '.join(positional)})" if positional else ""
    raise InputTypeError(
        f"{where} {takes}, and {len(args)} were passed.",
        argument=positional[-1] if positional else next(iter(by_name), None),
        value=args[most],
        hint=_hint_for_positional(args, positional, by_name, where),
    )


def _hint_for_positional(
    args: Sequence[Any], positional: Sequence[str], by_name: Sequence[str], where: str
) -> str:
    """Return what to pass instead of too many positional arguments."""
    takes_region = "ends" in by_name
    if any(isinstance(a, str) or (hasattr(a, "__len__") and len(a) > 2) for a in args):
        is_class = where.removeprefix("pauci.").isidentifier() and where[6].isupper()
        if is_class and not positional[1:]:
            return (
                "Labels and scores make a sample: pauci.estimate(pauci.Sample(y_true, y_score), "
                f"{where}({'fpr=(0, 0.1)' if takes_region else ''}))."
            )
    elif takes_region and len(args) == 2 and all(isinstance(a, (int, float)) for a in args):
        return f"A region is a pair: fpr={tuple(args)!r}."
    return f"Pass the others by name: {', '.join(f'{n}=' for n in by_name)}." if by_name else ""


def _where(function: Callable[..., Any], owner: type | None) -> str:
    """Return the name of a function in messages; a method's has the class of its object."""
    name = function.__qualname__.removesuffix(".__init__")
    if "." in name and not name.startswith(("Sample.", "ReaderStudy.")):
        return name if owner is None else f"{owner.__name__}.{function.__name__}"
    room = function.__module__.split(".")[1:2]
    return ".".join(["pauci", *(room if room in (["plot"], ["datasets"]) else []), name])


_VERBS = {
    "roc_auc_score auc_score roc_auc": "pauci.estimate(pauci.Sample(y_true, y_score), pauci.AUC())",
    "average_precision_score auprc prauc": "pauci.estimate(sample, pauci.AP())",
    "roc_curve roc": "pauci.curve_points(sample), or pauci.plot.roc(sample) for the figure",
    "roc_test delong delong_test": "pauci.compare(sample, pauci.AUC())",
    "ci ci_auc confidence_interval": "pauci.estimate(sample, measure).interval(level=0.95)",
}


def no_attribute(name: str, names: Iterable[str]) -> str:
    """Return the message about a name that the package does not have."""
    for foreign, ours in _VERBS.items():
        if name.lower() in foreign.split():
            return f"module 'pauci' has no attribute {name!r}. Use {ours}."
    hint = nearest(name, names).replace("Did you mean '", "Did you mean 'pauci.")
    return f"module 'pauci' has no attribute {name!r}{hint}"
