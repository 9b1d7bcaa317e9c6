"""Errors and warnings: attributes, pickling, and the reported line of the user's code."""

import copy
import inspect
import itertools
import pickle
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

import pauci
from pauci import errors

KINDS = [
    kind
    for kind in vars(errors).values()
    if inspect.isclass(kind) and issubclass(kind, errors.Message) and kind is not errors.Message
]
MESSAGES = [
    {"argument": "fpr", "value": (0, 0.2), "rows": [1, 2], "hint": "Use fpr=(0, 0.1)."},
    {"argument": "fpr", "subject": "fpr=0"},
    {"measure": pauci.AUC(), "classifier": "ct", "where": "in fold 1"},
    {"rows": range(5), "row_noun": "line"},
    {},
]


@pytest.mark.parametrize("through", [lambda e: pickle.loads(pickle.dumps(e)), copy.deepcopy])
def test_messages_survive_a_pickle(through):
    problems = "fpr=(0, 0.2) is too wide.", ("it is too wide for ", pauci.AUC(), ".")
    for kind, about, problem in itertools.product(KINDS, MESSAGES, problems):
        message = kind(problem, **about)
        again = through(message)
        assert type(again) is kind
        assert (str(again), repr(again)) == (str(message), repr(message))
        assert vars(again) == vars(message)


@pytest.mark.parametrize(
    ("about", "text"),
    [
        ({}, "it is wrong."),
        ({"hint": "Use another."}, "it is wrong. Use another."),
        ({"hint": "Use another.", "rows": [3]}, "it is wrong (row 3). Use another."),
        ({"rows": range(1, 6)}, "it is wrong (rows 1, 2, 3, ...)."),
        ({"rows": [1, 2, 3], "row_noun": "line"}, "it is wrong (lines 1, 2, 3)."),
        ({"measure": pauci.AUC(), "classifier": "ct"}, "AUC() of ct: it is wrong."),
        ({"where": "in fold 1"}, "in fold 1: it is wrong."),
    ],
)
def test_a_message_is_written_from_its_attributes(about, text):
    assert str(errors.InputError("it is wrong.", **about)) == text


def test_a_copy_with_other_attributes():
    error = errors.UndefinedError("it is wrong.", argument="fpr", value=3, hint="Use another.")
    other = error.replaced(where="in fold 1", hint="")
    assert (type(other), other.argument, other.value) == (errors.UndefinedError, "fpr", 3)
    assert str(other) == "in fold 1: it is wrong."
    assert str(error) == "it is wrong. Use another."
    assert str(error.replaced(problem="it is not.")) == "it is not. Use another."
    error = errors.InputError.of("fpr", 3, "is wrong.")
    assert (error.argument, error.value, error.message) == ("fpr", 3, "fpr=3 is wrong.")
    assert repr(error) == "InputError('fpr=3 is wrong.')"
    assert str(error.replaced(where="in fold 1")) == "in fold 1: fpr=3 is wrong."
    assert str(error.replaced(problem="is not.")) == "fpr=3 is not."


def test_errors_of_the_package_survive_a_pickle():
    with pytest.raises(ValueError, match="which one is positive") as caught:
        pauci.Sample(["ill", "well"], [1, 2])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.argument) == (str(caught.value), "y_true")


def test_the_value_is_what_was_received_however_it_is_written():
    with pytest.raises(TypeError, match="variance=Bootstrap is a class") as caught:
        pauci.estimate(pauci.Sample([0, 1], [1, 2]), pauci.AUC(), variance=pauci.Bootstrap)
    assert (caught.value.argument, caught.value.value) == ("variance", pauci.Bootstrap)


@pytest.mark.parametrize("name", ["_study", "", "-2/run"])
def test_a_folder_whose_name_begins_with_that_of_the_package_is_user_code(name):
    """Warnings refer to the first line outside of the package, whatever the path of the file."""
    file = f"{Path(errors.__file__).parent}{name}.py"
    module = types.ModuleType("study")
    code = "import pauci\npauci.estimate(pauci.Sample([0, 1, 0, 1], [1, 2, 1, 4]), pauci.AUC())"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(code, file, "exec"), vars(module))
    assert {(w.filename, w.lineno) for w in caught} == {(file, 2)}
    assert "study" not in sys.modules


def test_types_have_their_article():
    with pytest.raises(pauci.InputTypeError, match="is an ndarray"):
        pauci.compare(np.zeros(3), pauci.AUC())


def test_a_value_that_cannot_be_pickled_is_replaced_by_its_repr():
    with pytest.raises(TypeError) as caught:
        pauci.estimate(pauci.Sample([0, 1], [1, 2]), pauci.AUC(), variance=lambda: 1)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert "<lambda>" in repr(again.value)
