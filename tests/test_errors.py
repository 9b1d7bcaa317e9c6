"""Errors and warnings: made of parts, sent between processes, placed at the line of the user."""

import copy
import inspect
import pickle
import sys
import types
import warnings
from pathlib import Path

import pytest

import pauci
from pauci import errors
from pauci.errors import BOOTSTRAP, RowNumbers, arg, shown

KINDS = [
    kind
    for kind in vars(errors).values()
    if inspect.isclass(kind) and issubclass(kind, errors.Message) and kind is not errors.Message
]
MESSAGES = [
    (arg("fpr", (0, 0.2)), " leaves ", RowNumbers((1, 2), more=True), " of ", shown(pauci.AUC())),
    ("which one is positive? Pass ", arg("positive"), " or ", arg("variance", BOOTSTRAP), "."),
    (arg("level"), " is missing."),
]


@pytest.mark.parametrize("through", [lambda e: pickle.loads(pickle.dumps(e)), copy.deepcopy])
@pytest.mark.parametrize("parts", MESSAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_messages_survive_a_pickle(kind, parts, through):
    for message in (kind(*parts), kind(*parts, argument="y_true", value=[1, 2])):
        again = through(message)
        assert type(again) is kind
        assert str(again) == str(message)
        assert (again.argument, again.value) == (message.argument, message.value)


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
def test_a_folder_whose_name_begins_like_that_of_the_package_is_the_users(name):
    """Warnings point at the first line outside the package, wherever that file is."""
    file = f"{Path(errors.__file__).parent}{name}.py"
    module = types.ModuleType("study")
    code = "import pauci\npauci.estimate(pauci.Sample([1, 0, 1, 0], [1, 2, 2, 4]), pauci.AUC())"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(code, file, "exec"), vars(module))
    assert {(w.filename, w.lineno) for w in caught} == {(file, 2)}
    assert "study" not in sys.modules


def test_a_value_that_cannot_be_sent_is_sent_in_words():
    with pytest.raises(TypeError) as caught:
        pauci.estimate(pauci.Sample([0, 1], [1, 2]), pauci.AUC(), variance=lambda: 1)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert "<lambda>" in repr(again.value)
