"""Argument names of scikit-learn, pROC or R raise an error with the name in pauci."""

import pandas as pd
import pytest

from pauci import Bootstrap, Sample
from pauci.calls import equivalent_arguments, refuse_unknown_arguments


@pytest.mark.parametrize(
    ("name", "where", "accepted", "words"),
    [
        ("pos_label", "pauci.Sample", ["positive"], "Use positive=, the label"),
        ("pos_label", "pauci.estimate", ["measure"], "Use positive= of pauci.Sample, the label"),
        ("response", "pauci.Sample.from_frame", ["label", "scores"], "Use label=."),
        ("response", "pauci.Sample", ["y_true", "y_score"], "Use y_true=."),
        ("max_fpr", "pauci.PAUC", ["fpr", "tpr"], "Use fpr=; max_fpr=0.1 is fpr=(0, 0.1)"),
        ("partial.auc", "pauci.estimate", ["measure"], "Use specificity= of a measure"),
        ("level", "pauci.estimate", ["measure"], "Use level= of the result"),
        ("tpr", "pauci.band", ["samples", "fpr"], "as in pauci.PAUCc(tpr=(0.8, 1))"),
        ("kappa", "pauci.sample_size", ["alpha", "ratio"], "per positive is ratio="),
        ("sig.level", "pauci.sample_size", ["alpha", "level"], "size of a test is alpha="),
        ("ncases", "pauci.power", ["n_pos", "n_neg"], "n_pos= and n_neg="),
        ("rng", "pauci.band", ["level", "fpr"], "no bootstrap and needs no seed"),
        ("rng", "pauci.profile", ["by", "variance"], "variance=pauci.Bootstrap(rng=1)"),
        ("margin", "pauci.compare", ["null", "alternative"], "Use null=; null=-0.05, alternative"),
        ("paired", "pauci.compare", ["samples"], "scores of the same rows are paired"),
        ("method", "pauci.cutoff", ["maximize"], "maximize=pauci.Youden"),
        ("beta", "pauci.sample_size", ["power"], "power=0.8 for 0.2"),
        ("beta", "pauci.power", ["alpha"], "assumed risks"),
        ("missing", "pauci.ReaderStudy.from_frame", ["drop_missing"], "by NaN (in a file, by"),
        ("mu", "pauci.Estimate.test", ["null"], "Use null=."),
        ("wieght", "pauci.Sample", ["weight"], "Did you mean 'weight'? It takes: weight."),
        ("colour", "pauci.Sample", ["weight"], "pauci.Sample. It takes: weight."),
    ],
)
def test_the_name_in_pauci_is_shown(name, where, accepted, words):
    with pytest.raises(TypeError) as caught:
        refuse_unknown_arguments({name: 0.1}, where, accepted)
    assert str(caught.value).startswith(f"{name}= is not an argument of {where}")
    assert words in str(caught.value)
    assert (caught.value.argument, caught.value.value) == (name, 0.1)


@pytest.mark.parametrize("name", equivalent_arguments())
def test_hints_are_one_sentence(name):
    with pytest.raises(TypeError, match=r"Use \w+=") as caught:
        refuse_unknown_arguments({name: 1}, "pauci.f", [])
    assert ".." not in str(caught.value)
    assert str(caught.value).endswith(".")


FRAME = pd.DataFrame({"y": [0, 1, 0, 1], "s": [1, 2, 3, 4]})


def test_missing_arguments_are_an_error():
    for call, words in (
        (lambda: Sample(), "pauci.Sample needs y_true="),
        (lambda: Sample([0, 1]), "pauci.Sample needs y_score="),
        (lambda: Sample([0, 1], None), "y_score is None"),
        (lambda: Sample.from_frame(FRAME), "pauci.Sample.from_frame needs label="),
        (lambda: Sample.from_frame(FRAME, scores="s"), "pauci.Sample.from_frame needs label="),
        (lambda: Sample.from_counts([1, 2]), "positives is None"),
    ):
        with pytest.raises(TypeError, match=words):
            call()


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("random_state", "rng"),
        ("seed", "rng"),
        ("boot_n", "n_resamples"),
        ("boot.n", "n_resamples"),
        ("boot_stratified", "scheme"),
    ],
)
def test_errors_of_the_bootstrap_state_its_arguments(name, ours):
    with pytest.raises(TypeError, match=rf"argument of pauci.Bootstrap\. Use {ours}=") as caught:
        Bootstrap(**{name: 1})
    assert f"{ours}= of pauci.Bootstrap" not in str(caught.value)
