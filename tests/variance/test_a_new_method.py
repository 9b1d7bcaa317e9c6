"""A user-defined variance method takes ten lines and is accepted everywhere."""

import pickle
from typing import ClassVar

import numpy as np
import pytest

import pauci
from pauci.variance import Problem, Uncertainty, VarianceMethod
from pauci.variance.joint import uncertainty_of_problem
from pauci.variance.method import InfluenceVariance


class Doubled(VarianceMethod):
    """Twice the influence variance, on ten degrees of freedom, with a bias of 0.01."""

    key: ClassVar[str] = "doubled"
    phrase: ClassVar[str] = "doubled influence"

    def covariance(self, problem: Problem) -> Uncertainty:
        plain = uncertainty_of_problem(problem, InfluenceVariance())
        m = len(problem)
        return Uncertainty(2 * plain.matrix, np.full(m, 10.0), bias=np.full(m, 0.01))


MEASURES = [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.3))]


@pytest.fixture
def sample():
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], 40)
    scores = {n: rng.normal(size=80) + y for n in "ab"}
    return pauci.Sample(y, scores)


def test_estimates(sample):
    plain = pauci.estimate(sample, MEASURES)
    doubled = pauci.estimate(sample, MEASURES, variance=Doubled())
    np.testing.assert_allclose(doubled.cov, 2 * plain.cov)
    for e, p in zip(doubled, plain, strict=True):
        assert (e.value, e.se) == (p.value, pytest.approx(np.sqrt(2) * p.se))
        assert (e.df, e.bias, e.variance) == (10.0, 0.01, "doubled")
    frame = doubled.to_frame()
    assert set(frame["variance"]) == {"doubled"}
    assert set(frame["bias"]) == {0.01}
    assert "Standard errors: doubled influence." in " ".join(doubled.summary().split())
    assert pickle.loads(pickle.dumps(doubled)).to_frame().equals(frame)


def test_comparisons(sample):
    plain = pauci.compare(sample, MEASURES[0])
    c = pauci.compare(sample, MEASURES[0], variance=Doubled())
    assert c.se == pytest.approx(np.sqrt(2) * plain.se)
    assert c.to_frame()["variance"].item() == "doubled"
    assert "Standard errors: doubled influence." in " ".join(c.summary().split())
    halves = [pauci.Sample(sample.rows.positive, sample.ratings(n).values, name=n) for n in "ab"]
    apart = pauci.compare(halves, MEASURES[0], variance=Doubled(), independent=True)
    assert apart.se == pytest.approx(np.hypot(*(e.se for e in c.estimates)))
    assert pauci.compare(sample, MEASURES, variance=Doubled(), adjust="max-t").joint().df == 2


def test_invalid_methods_are_an_error(sample):
    with pytest.raises(TypeError, match=r"variance=Doubled is a class; pass Doubled\(\)"):
        pauci.estimate(sample, MEASURES, variance=Doubled)
    with pytest.raises(TypeError, match=r"variance=3 is not a variance method.*VarianceMethod"):
        pauci.estimate(sample, MEASURES, variance=3)
    with pytest.raises(ValueError, match="DeLong is 'influence', which is the default") as c:
        pauci.estimate(sample, MEASURES, variance="delong")
    assert (c.value.argument, c.value.value) == ("variance", "delong")
    with pytest.raises(ValueError, match=r"variance='influence'.*Accepted: 'logit'") as c:
        pauci.estimate(sample["a"], pauci.AUC()).interval(kind="delong")
    assert "Did you mean" not in str(c.value)


@pytest.mark.parametrize(
    ("matrix", "error", "words"),
    [
        (np.eye(1), pauci.InputError, r"matrix of shape \(1, 1\) for 2 estimates"),
        (np.diag([0.01, np.nan]), pauci.UndefinedError, r"nan as the variance of PAUCc"),
        (np.diag([0.01, -0.01]), pauci.UndefinedError, r"-0.01 as the variance of PAUCc"),
    ],
)
def test_invalid_covariance_values_are_an_error(sample, matrix, error, words):
    class Wrong(VarianceMethod):
        key = "wrong"

        def covariance(self, problem):  # noqa: ARG002
            return Uncertainty(matrix)

    with pytest.raises(error, match=f"variance=wrong .*{words}") as caught:
        pauci.estimate(sample["a"], MEASURES, variance=Wrong())
    assert caught.value.argument == "variance"
