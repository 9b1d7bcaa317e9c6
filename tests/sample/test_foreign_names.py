"""Arguments spelled as in scikit-learn, pROC or R are refused with the name that they have here."""

import pytest

from pauci.checks import FOREIGN, refuse_foreign


@pytest.mark.parametrize(
    ("name", "where", "accepted", "words"),
    [
        ("pos_label", "pauci.Sample", ["positive"], "Use positive=, the label"),
        ("pos_label", "pauci.estimate", ["measure"], "Use positive= of pauci.Sample, the label"),
        ("response", "pauci.Sample.from_frame", ["label", "scores"], "Use label=."),
        ("response", "pauci.Sample", ["y_true", "y_score"], "Use y_true=."),
        ("max_fpr", "pauci.PAUC", ["fpr", "tpr"], "Use fpr=; max_fpr=0.1 is pauci.PAUCc"),
        ("partial.auc", "pauci.estimate", ["measure"], "Use fpr= of a measure"),
        ("level", "pauci.estimate", ["measure"], "Use level= of the result"),
        ("wieght", "pauci.Sample", ["weight"], "Did you mean 'weight'? It takes: weight."),
        ("colour", "pauci.Sample", ["weight"], "pauci.Sample. It takes: weight."),
    ],
)
def test_the_name_that_it_has_here_is_shown(name, where, accepted, words):
    with pytest.raises(TypeError) as caught:
        refuse_foreign({name: 0.1}, where, accepted)
    assert str(caught.value).startswith(f"{name}= is no argument of {where}")
    assert words in str(caught.value)
    assert (caught.value.argument, caught.value.value) == (name, 0.1)


def test_nothing_foreign_is_nothing_refused():
    refuse_foreign({}, "pauci.Sample", ["weight"])


@pytest.mark.parametrize("name", FOREIGN)
def test_advice_is_one_sentence(name):
    with pytest.raises(TypeError, match=r"Use \w+=") as caught:
        refuse_foreign({name: 1}, "pauci.f", [])
    assert ".." not in str(caught.value)
    assert str(caught.value).endswith(".")
