"""Calls with wrong arguments raise an error that states the correct ones."""

import functools
import inspect

import numpy as np
import pytest

import pauci
from pauci.calls import validate_call
from tabular_results import result

Y = np.repeat([0, 1], 30)
SAMPLE = pauci.Sample(Y, Y + np.random.default_rng(1).normal(size=60))
ESTIMATES = pauci.estimate(SAMPLE, [pauci.AUC(), pauci.AP()])


def methods_of(cls):
    """Return the public methods of a class as functions of the arguments after the object."""
    for name in dir(cls):
        method = inspect.getattr_static(cls, name)
        if name.startswith("_"):
            continue
        if isinstance(method, classmethod):
            yield name, getattr(cls, name)
        elif inspect.isfunction(method) and "pauci" in method.__module__:
            yield name, functools.partial(method, None)


def callables():
    """Yield every public function, constructor and method of a public class.

    Errors and warnings are made by the package, and are not called by users.
    """
    for room, prefix in ((pauci, "pauci"), (pauci.plot, "pauci.plot")):
        for name in room.__all__:
            value = getattr(room, name)
            if inspect.isfunction(value):
                yield f"{prefix}.{name}", value
            if inspect.isclass(value) and not issubclass(value, Exception):
                if not inspect.isabstract(value):
                    yield f"{prefix}.{name}", value
                for method, call in methods_of(value):
                    yield f"{name}.{method}", call
    for name in dir(pauci.datasets):
        if name.startswith("load_"):
            yield f"pauci.datasets.{name}", getattr(pauci.datasets, name)


CALLABLES = dict(callables())


def takes_any(call, kind):
    return kind in [p.kind for p in inspect.signature(call).parameters.values()]


def refusal(call, *args, **options):
    with pytest.raises(pauci.InputTypeError) as caught:
        call(*args, **options)
    assert caught.value.__suppress_context__
    return caught.value


def test_no_public_callable_raises_a_bare_type_error_for_a_wrong_name():
    for name, call in CALLABLES.items():
        if takes_any(call, inspect.Parameter.VAR_KEYWORD):
            assert name.endswith(".plot")  # the figure refuses it
            continue
        error = refusal(call, nonsense=1)
        assert "nonsense= is not an argument of" in str(error), name
        assert (error.argument, error.value) == ("nonsense", 1), name


def test_no_public_callable_raises_a_bare_type_error_for_too_many_arguments():
    for name, call in CALLABLES.items():
        if takes_any(call, inspect.Parameter.VAR_POSITIONAL):
            assert name.endswith((".from_replicates", ".joined")), name
            continue
        error = refusal(call, *range(40))
        assert "positional" in str(error), name
        assert "and 40 were passed" in str(error), name


def test_every_plot_method_rejects_a_wrong_argument():
    results = [
        e,
        e.test(0.5),
        pauci.estimate(SAMPLE, [pauci.AUC()]),
        pauci.band(SAMPLE),
        pauci.profile(SAMPLE, edges=(0, 0.5, 1)),
        pauci.fit_binormal(SAMPLE),
    ]
    for each in results:
        words = " is not an argument of ", ".plot"
        assert all(word in str(refusal(each.plot, nonsense=1)) for word in words)


def test_the_sweep_covers_verbs_measures_figures_and_results():
    expected = {
        "pauci.compare",
        "pauci.PAUC",
        "pauci.plot.roc",
        "Estimate.interval",
        "Comparison.report",
        "pauci.mrmc_power",
        "pauci.Bootstrap",
        "pauci.Estimate",
        "pauci.Interval",
        "pauci.register",
        "Sample.folds",
        "Sample.from_frame",
        "PAUC.on",
        "Bootstrap.seed",
        "Resampled.total",
    }
    assert expected <= set(CALLABLES)
    assert len(CALLABLES) > 400


e = pauci.estimate(SAMPLE, pauci.AUC())


@pytest.mark.parametrize(
    ("call", "argument", "words"),
    [
        (lambda: pauci.PAUC(0, 0.1), "fpr", ["pauci.PAUC takes 1 ", "fpr=(0, 0.1)"]),
        (lambda: pauci.PAUCx(0, 0.1), "fpr", ["pauci.PAUCx takes 1 "]),
        (
            lambda: pauci.Sensitivity(0.9),
            "threshold",
            ["takes no positional arguments, and 1 was", "fpr=0.9 or specificity=0.9"],
        ),
        (lambda: pauci.Specificity(0.9), "threshold", ["tpr=0.9 or sensitivity=0.9"]),
        (lambda: pauci.PAI(0.9), "tpr", ["pauci.PAI takes no", "tpr=0.9 or sensitivity=0.9"]),
        (lambda: pauci.AUC(Y, Y), "rescaled", ["pauci.Sample(y_true, y_score), pauci.AUC()"]),
        (lambda: pauci.PAUC(Y, Y), "fpr", ["pauci.Sample(y_true, y_score), pauci.PAUC(fpr="]),
        (lambda: e.interval(conf_level=0.9), "conf_level", ["Estimate.interval", "Use level="]),
        (lambda: e.interval(alpha=0.05), "alpha", ["alpha=0.05 is level=0.95"]),
        (lambda: e.summary(0.9, None, 1), "kind", ["Estimate.summary takes 2 "]),
        (lambda: e.interval(0.9, level=0.9), "level", ["given twice"]),
        (lambda: pauci.plot.roc(SAMPLE, title="x"), "title", ["pauci.plot.roc", "ax.set_title"]),
        (lambda: e.plot(figsize=(2, 2)), "figsize", ["ax=ax"]),
        (lambda: pauci.operating_points(SAMPLE, recall=0.9), "recall", ["Use sensitivity="]),
        (lambda: pauci.operating_points(SAMPLE, ppv=0.9), "ppv", ["column of the table"]),
        (lambda: pauci.operating_points(SAMPLE, [0.5]), "sample", ["thresholds="]),
        (lambda: pauci.mrmc_power({}, 1, 2, 3, power=0.8), "power", ["readers=[4, 6, 8, 10]"]),
        (lambda: pauci.mrmc_power({}, 1, 2, 3, cases=8), "cases", ["positives= and negatives="]),
        (lambda: pauci.estimate(result("ReaderStudy"), e.measure), "sample", ["pauci.mrmc("]),
        (lambda: pauci.mrmc(None, level=0.9), "level", ["result.summary(level=0.95)"]),
        (lambda: pauci.mrmc(None, conf_level=0.9), "conf_level", ["result.to_frame(level=0.95)"]),
        (lambda: pauci.profile(SAMPLE, level=0.9), "level", ["result.summary(level=0.95)"]),
        (lambda: pauci.scan(SAMPLE, level=0.9), "level", ["result.summary(level=0.95)"]),
        (lambda: pauci.operating_points(SAMPLE, level=0.9), "level", ["result.summary(level=0"]),
        (lambda: pauci.power(SAMPLE, level=0.9), "level", ["is alpha="]),
        (lambda: pauci.mrmc_power({}, level=0.9), "level", ["is alpha="]),
        (lambda: pauci.sample_size(auc=0.8), "auc", ["pauci.binormal(auc=0.85)"]),
        (lambda: pauci.Sensitivity(recall=0.9), "recall", ["Sensitivity(specificity=0.9)"]),
        (lambda: pauci.Specificity(fpr=0.9), "fpr", ["Specificity(sensitivity=0.9)"]),
        (lambda: pauci.Sample(labels=Y, y_score=Y), "labels", ["Use y_true="]),
        (lambda: pauci.Sample(Y, scores=Y), "scores", ["Use y_score="]),
        (lambda: pauci.Sample(Y, Y, cv=5), "cv", ["Use fold="]),
        (
            lambda: pauci.permutation_test(SAMPLE, pauci.AUC(), n_permutations=9),
            "n_permutations",
            ["Use n_resamples="],
        ),
        (lambda: pauci.estimate(SAMPLE, pauci.AUC(), pauci.AP()), "variance", ["as a list"]),
        (lambda: pauci.compare(SAMPLE, pauci.AUC(), pauci.AP()), "variance", ["as a list"]),
        (lambda: pauci.compare(SAMPLE, pauci.AUC(), 0.95), "variance", ["level=0.95", "null="]),
        (
            lambda: pauci.compare(SAMPLE, pauci.AUC(), "influence", "less"),
            "variance",
            ["null=, altern"],
        ),
        (lambda: ESTIMATES.contrast([1, -1], 0.95), "weights", ["Pass the others by name: null="]),
        (lambda: pauci.band(), "sample", ["pauci.band needs sample="]),
        (lambda: pauci.datasets.load_dmist(1), None, ["load_dmist takes no positional arguments"]),
    ],
)
def test_a_call_with_wrong_arguments_raises_an_error_with_a_hint(call, argument, words):
    with pytest.raises(pauci.InputTypeError) as caught:
        call()
    assert caught.value.argument == argument
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pauc", "Did you mean 'pauci.PAUC'?"),
        ("roc_auc_score", "pauci.AUC()"),
        ("delong", "pauci.compare"),
        ("estimates", "Did you mean 'pauci."),
    ],
)
def test_an_unknown_name_gives_an_error_with_the_closest_one(name, words):
    with pytest.raises(AttributeError, match="has no attribute") as caught:
        getattr(pauci, name)
    assert words in str(caught.value)


def test_errors_inside_a_function_are_not_modified():
    @validate_call
    def fails(x):
        return x + "a"

    with pytest.raises(TypeError, match="unsupported operand") as caught:
        fails(1)
    assert not isinstance(caught.value, pauci.InputTypeError)


def test_documented_names_are_completed():
    e = pauci.estimate(pauci.Sample([0, 1] * 20, range(40)), pauci.AUC())
    names = set(dir(e))
    assert names >= {"value", "se", "low", "interval", "test", "summary", "rows", "region"}
    assert not names & {"repr_words", "analytic_kinds", "least_se", "_ends", "__init__"}
    assert all(hasattr(e, name) for name in names)
