"""Absolute risks: refused without competing events, and right with them as controls."""

from functools import partial

import numpy as np
import pytest

import pauci
from pauci.cautions.about_estimates import check_competing
from pauci.errors import InputError
from pauci.measures.base import depends_on_risk
from registry import instances, risk_instances

HORIZON = 5.0


@pytest.fixture(autouse=True)
def _quiet(recwarn):
    """Small samples have warnings, which other tests examine."""


def follow_up(n, seed, first_competing=0.0):
    """Return times, reasons, and the probabilities of the event by the horizon."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    hazards = 0.06 * np.exp(0.9 * x), 0.1 * np.exp(0.5 * x)
    both = hazards[0] + hazards[1]
    end, censored = rng.exponential(1 / both), rng.uniform(0.5, 12, n)
    reason = np.where(rng.random(n) < hazards[0] / both, 1, 2)
    reason[(end <= first_competing) & (reason == 2)] = 0
    event = np.where(end <= censored, reason, 0)
    risk = hazards[0] / both * -np.expm1(-both * HORIZON)
    return np.minimum(end, censored), event, risk


def at_horizon(n=300, seed=1, horizon=HORIZON, first_competing=0.0, **options):
    time, event, risk = follow_up(n, seed, first_competing)
    scores = {"model": risk, "other": np.sqrt(risk)}
    return pauci.Sample.from_survival(
        time=time, event=event, scores=scores, horizon=horizon, **options
    )


SAMPLE = at_horizon()
ONE = SAMPLE["model"]


def test_measures_of_absolute_risk_are_those_that_depend_on_risks_or_the_prevalence():
    """A measure depends on the prevalence if copies of the negatives change its value."""
    case, risk = np.arange(80) % 2 == 0, (0.3 + np.arange(80) * 37 % 53) / 54
    curves = [
        pauci.Sample(case, risk, frequency=np.where(case, 1, k)).ratings("score").curve
        for k in (1, 3)
    ]
    refused = []
    for measure in [*instances((0.1, 0.5)), *risk_instances()]:
        if measure != measure.estimand:  # the bias depends on the number of rows
            continue
        first, second = (measure.on(curve) for curve in curves)
        depends = measure.of_risks or abs(first - second) > 1e-9
        assert depends_on_risk(measure) == depends, measure
        if depends:
            refused.append(type(measure).__name__)
            with pytest.raises(InputError, match="34 rows") as caught:
                check_competing(_rows(34), measure)
            assert caught.value.argument == "competing"
            assert caught.value.measure == measure
        else:
            check_competing(_rows(34), measure)
        check_competing(_rows(0), measure)
    assert {"OE", "NetBenefit", "PPV", "AP", "PredictedPositiveRate"} <= set(refused)
    assert not {"AUC", "PAUC", "Sensitivity", "LRPositive", "Youden"} & set(refused)
    assert depends_on_risk(pauci.AUC() - pauci.PPV(threshold=0.2))
    assert not depends_on_risk(pauci.AUC() - pauci.PAUC(fpr=(0, 0.1)))


def _rows(n):
    class Rows:
        competing = f"{n} rows with a competing event" if n else ""

    return Rows


REFUSED = {
    "estimate": lambda s: pauci.estimate(s["model"], pauci.OE()),
    "bootstrap": lambda s: pauci.estimate(s["model"], pauci.AP(), pauci.Bootstrap(20, rng=1)),
    "compare": lambda s: pauci.compare(s, [pauci.AUC(), pauci.Brier()]),
    "independent": lambda s: pauci.compare(
        [s["model"], pauci.Sample([0, 1] * 20, np.arange(40) / 50)], pauci.PPV(threshold=0.2)
    ),
    "fit": lambda s: pauci.estimate(pauci.fit_binormal(s["model"]), pauci.AP()),
    "cutoff": lambda s: pauci.cutoff(s["model"], maximize=pauci.Accuracy),
    "cutoff of risks": lambda s: pauci.cutoff(
        s["model"], maximize=partial(pauci.NetBenefit, 0.1), prevalence=0.2
    ),
    "risk_table": pauci.risk_table,
    "risk_table at a prevalence": lambda s: pauci.risk_table(s, prevalence=0.2),
    "operating_points": lambda s: pauci.operating_points(s["model"], thresholds=0.2),
    "profile": lambda s: pauci.profile(s["model"], edges=(0, 0.2, 1)),
    "ranks": lambda s: pauci.profile(s["model"], by="rank", edges=(0, 0.2, 1), prevalence=0.2),
    "curve_points": pauci.curve_points,
    "calibration": lambda s: pauci.plot.calibration(s, n_resamples=2),
    "decision_curve": lambda s: pauci.plot.decision_curve(s, prevalence=0.2),
    "risk_panels": pauci.plot.risk_panels,
    "precision_recall": pauci.plot.precision_recall,
    "kappa": pauci.plot.kappa,
    "hits": pauci.plot.hits,
}

ACCEPTED = {
    "estimate": lambda s: pauci.estimate(s, [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.2))]),
    "compare": lambda s: pauci.compare(s, pauci.Sensitivity(specificity=0.9)),
    "prevalence": lambda s: pauci.estimate(s, pauci.PPV(threshold=0.2, prevalence=0.4)),
    "cutoff": lambda s: pauci.cutoff(s["model"], maximize=pauci.Youden, rng=1, repeats=1),
    "cost": lambda s: pauci.cutoff(s["model"], cost=(9, 0.3), rng=1, repeats=1),
    "operating_points": lambda s: pauci.operating_points(
        s["model"], thresholds=0.2, prevalence=0.4
    ).to_frame(),
    "profile": lambda s: pauci.profile(s["model"], edges=(0, 0.2, 1), prevalence=0.4),
    "roc": pauci.plot.roc,
    "risks": lambda s: pauci.plot.risks(s["model"]),
    "hits": lambda s: pauci.plot.hits(s, prevalence=0.4),
}


@pytest.mark.parametrize("verb", REFUSED)
def test_absolute_risks_without_competing_events_are_refused(verb):
    with pytest.raises(InputError, match="rows with a competing event by 5") as caught:
        REFUSED[verb](SAMPLE)
    assert caught.value.argument == "competing"
    assert "competing='control'" in caught.value.hint


FIGURES = ("calibration", "decision_curve", "risk_panels")


@pytest.mark.parametrize(
    "verb",
    [pytest.param(v, marks=pytest.mark.long) if v in FIGURES else v for v in REFUSED | ACCEPTED],
)
def test_nothing_is_refused_with_competing_events_as_controls_or_without_any(verb):
    for sample in (at_horizon(competing="control"), at_horizon(first_competing=HORIZON)):
        (ACCEPTED | REFUSED)[verb](sample)


@pytest.mark.parametrize("verb", ACCEPTED)
def test_sensitivity_and_specificity_are_not_refused(verb):
    ACCEPTED[verb](SAMPLE)


def test_horizons_before_the_first_competing_event():
    sample = at_horizon(horizon=[3, 5], first_competing=4)
    assert pauci.estimate(sample.at(3)["model"], pauci.OE()).se > 0
    with pytest.raises(InputError, match="event by 5"):
        pauci.estimate(sample["model"], pauci.OE())
    assert len(pauci.estimate(sample["model"], pauci.AUC())) == 2
    both = at_horizon(horizon=[3, 4], first_competing=4)
    assert len(pauci.estimate(both["model"], pauci.OE())) == 2


def test_groups_and_folds():
    options = {"group": np.arange(300) % 2, "fold": np.arange(300) % 3}
    for name, by in (("group", "group"), ("fold", None)):
        for competing in ("exclude", "control"):
            sample = at_horizon(competing=competing, **{name: options[name]})["model"]
            pauci.estimate(sample, pauci.AUC(), by=by)
            if competing == "control":
                pauci.estimate(sample, pauci.OE(), by=by)
                continue
            with pytest.raises(InputError, match="competing event"):
                pauci.estimate(sample, pauci.OE(), by=by)


def test_a_calibrated_cumulative_incidence_is_calibrated():
    """Estimates of a model of the true risks are within their standard errors of the truth."""
    n, q = 4000, 0.2
    _, _, risk = follow_up(n, 3)
    sample = at_horizon(n, 3, competing="control")["model"]
    treated = risk >= q
    truth = {
        pauci.OE(): 1.0,
        pauci.CalibrationIntercept(): 0.0,
        pauci.CalibrationSlope(): 1.0,
        pauci.Brier(): (risk * (1 - risk)).mean(),
        pauci.NetBenefit(q): (treated * (risk - (1 - risk) * q / (1 - q))).mean(),
        pauci.PPV(threshold=q): risk[treated].mean(),
        pauci.NPV(threshold=q): 1 - risk[~treated].mean(),
        pauci.PredictedPositiveRate(threshold=q): treated.mean(),
    }
    estimates = pauci.estimate(sample, list(truth))
    errors = [(e.value - value) / e.se for e, value in zip(estimates, truth.values(), strict=True)]
    assert np.abs(errors).max() < 3
    assert sample.prevalence == pytest.approx(risk.mean(), abs=0.03)
