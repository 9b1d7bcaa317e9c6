"""A prevalence far from that of the sample: a warning, and further away an error."""

import pickle

import numpy as np
import pytest

import pauci
from makers import normal_scores
from pauci import Sample, UndefinedError
from pauci.errors import (
    ChosenThresholdWarning,
    FarPrevalenceWarning,
    FewInfluentialWarning,
    InputTypeError,
)
from pauci.measures import AP, AUC, AUK, MaxKappa

# Small samples at a far prevalence issue other warnings too.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pauci.errors.ChosenThresholdWarning", "ignore::pauci.errors.FewInfluentialWarning"
)
SHORT = pytest.mark.parametrize(
    "measure",
    [AP(0.01), AUK(0.01), MaxKappa(0.01), AP(0.99, negatives=True), AP(0.02) / AUC()],
    ids=repr,
)
FEW = pytest.mark.parametrize(
    "measure", [AP(0.05), MaxKappa(0.05), AP(0.95, negatives=True), AP(0.05) - AUC()], ids=repr
)


def both(n_pos=100, n_neg=100, **options):
    y, first = normal_scores(n_pos, n_neg, 1)
    _, second = normal_scores(n_pos, n_neg, 2)
    return Sample(y, {"a": first, "b": second}, **options)


@FEW
def test_few_effective_observations_issue_a_warning(measure):
    # The intervals of average precision with influence values need fewer observations.
    variance = pauci.Jackknife() if isinstance(measure, AP) else "influence"
    with pytest.warns(FarPrevalenceWarning) as caught:
        e = pauci.estimate(both()["a"], measure, variance)
    (warning,) = (w.message for w in caught if w.category is FarPrevalenceWarning)
    said = str(warning)
    assert "k = 5.26 of 100" in said
    size = e.measure.effective_size(100, 100)
    share = 0.2 if size.enough == 25 else 0.429
    last = f"{1 - share:g} or less" if size.noun == "positives" else f"{share:g} or more"
    assert f"Use prevalence={last}, or at least {19 * size.enough:,.0f} " in said
    assert ("corrected=True" in said) == (size.enough == 75 and isinstance(measure, AP))
    assert warning.argument == "prevalence"
    assert "fitted curve" in said
    assert e.effective_size == pytest.approx(100 / 19)
    assert e.to_frame()["effective_size"].item() == e.effective_size
    for text in (e.summary(), e.report()):
        assert "effective sample size 5.26 at this prevalence" in text
    assert e.se > 0
    with pytest.warns(FarPrevalenceWarning):
        c = pauci.compare(both(), measure, variance=variance)
    assert "effective sample size 5.26" in c.summary()


@SHORT
@pytest.mark.parametrize(
    "variance", ["influence", "delta", pauci.Bootstrap(50, rng=1), pauci.Jackknife()], ids=repr
)
def test_few_effective_observations_are_an_error_for_every_method(measure, variance):
    sample = both(design="case-control")
    for call in (
        lambda **o: pauci.estimate(sample["a"], measure, variance, **o),
        lambda **o: pauci.estimate(sample, [AUC(), measure], variance, **o),
        lambda **o: pauci.compare(sample, measure, variance=variance, **o),
    ):
        with pytest.raises(UndefinedError) as caught:
            call()
        assert caught.value.argument == "prevalence"
        assert caught.value.value in (0.01, 0.02, 0.99)
        assert "force=True" in caught.value.hint


def test_an_error_states_the_allowed_values():
    with pytest.raises(UndefinedError) as caught:
        pauci.estimate(both()["a"], AP(0.01))
    said = str(caught.value)
    assert said.startswith("prevalence=0.01 is too far from that of the sample")
    assert "effectively k = 1.01 of 100 negatives" in said
    assert "Use prevalence=0.0477 or more, or at least 495 negatives" in said
    assert "force=True" in said
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == said
    # The suggested value is sufficient, and smaller values are not.
    pauci.estimate(both()["a"], AP(0.0477))
    pauci.estimate(both()["a"], AUK(0.0477))
    pauci.estimate(both(100, 495)["a"], AP(0.01))
    with pytest.raises(UndefinedError, match=r"prevalence=0\.429 avoids the warning"):
        pauci.estimate(both()["a"], AP(0.01), pauci.Jackknife())
    with pytest.warns(FarPrevalenceWarning):
        pauci.estimate(both()["a"], AP(0.0477), pauci.Jackknife())
    pauci.estimate(both()["a"], AP(0.429), pauci.Jackknife())
    with pytest.raises(UndefinedError, match=r"k = 4\.99 of 494"):
        pauci.estimate(both(100, 494)["a"], AP(0.01))
    for measure, variance, below in ((AP, pauci.Jackknife(), 74.9), (MaxKappa, "influence", 24.9)):
        with pytest.warns(FarPrevalenceWarning, match=f"k = {below} of 100"):
            pauci.estimate(both()["a"], measure(below / (100 + below)), variance)


@SHORT
def test_force_gives_the_standard_error_with_the_warning(measure):
    sample = both()
    with pytest.warns(FarPrevalenceWarning, match=r"effectively k = [12]\.\d\d of 100"):
        e = pauci.estimate(sample["a"], measure, force=True)
    assert e.se > 0
    with pytest.warns(FarPrevalenceWarning) as caught:
        pauci.compare(sample, measure, force=True)
    others = {ChosenThresholdWarning, FewInfluentialWarning}
    assert {w.category for w in caught} - others == {FarPrevalenceWarning}


def test_the_sample_prevalence_has_no_effective_size():
    """Ten positives are few, but the effective size does not depend on their prevalence."""
    sample = both(10, 90)
    for measure in (AP(), AP(0.1), AP(0.3), AUK(), AUK(0.1), MaxKappa(0.3), AP(negatives=True)):
        e = pauci.estimate(sample["a"], measure)
        assert (e.effective_size is None) == (measure.prevalence is None)
    assert pauci.estimate(sample["a"], AP(0.1)).effective_size == pytest.approx(10)
    assert "effective_size" in pauci.estimate(sample["a"], AUC()).to_frame()
    with pytest.warns(pauci.errors.SamplingRatioWarning) as caught:
        pauci.estimate(both(10, 90, design="case-control")["a"], AP())
    assert [w.category for w in caught if w.category is not FewInfluentialWarning] == [
        pauci.errors.SamplingRatioWarning
    ]
    y, s = normal_scores(10, 90, 3)
    clustered = Sample(y, s, cluster=np.arange(100) // 2)
    assert pauci.estimate(clustered, AP(0.1)).effective_size == pytest.approx(45 / 9)


def test_weights_and_clusters_count_by_their_information():
    y, s = normal_scores(100, 100, 4)
    pairs = Sample(y, s, cluster=np.arange(200) // 2)
    with pytest.warns(FarPrevalenceWarning, match="of 50 clusters with negatives"):
        e = pauci.estimate(pairs, AP(0.1), pauci.Jackknife())
    assert e.effective_size == pytest.approx(50 / 9)
    with pytest.raises(UndefinedError, match="at least 95 clusters with negatives"):
        pauci.estimate(pairs, AP(0.05))
    weight = np.where(np.arange(200) % 2, 1.0, 3.0)  # 16/10 of equal weight per two rows
    with pytest.warns(FarPrevalenceWarning, match="of 80 negatives of equal weight"):
        e = pauci.estimate(Sample(y, s, weight=weight), AP(0.1), pauci.Jackknife())
    assert e.effective_size == pytest.approx(80 / 9)
    copies = Sample(y, s, frequency=np.full(200, 9))
    assert pauci.estimate(copies, AP(0.1)).effective_size == pytest.approx(900 / 9)


@pytest.mark.parametrize("force", [1, None, "yes"])
def test_force_is_true_or_false(force):
    for call in (pauci.estimate, pauci.compare):
        with pytest.raises(InputTypeError, match=f"force={force!r} must be True or False"):
            call(both(), AUC(), force=force)
