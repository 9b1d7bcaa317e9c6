"""Typical calls of users, which type checkers must accept with exactly these types.

`test_checkers.py` runs mypy and pyright on this file. The file is also executed, so that the types
are those of the values. Each ``assert_type`` fails if a checker infers another type, such as Any.
"""

import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import pauci
from pauci.results.pooled import (
    PooledComparison,
    PooledComparisons,
    PooledEstimate,
    PooledEstimates,
)


def youden(y: Any, s: Any) -> float:
    """Return the largest difference of the two rates."""
    return max(float((s[y == 1] >= t).mean() - (s[y == 0] >= t).mean()) for t in set(s))


class FirstFeature:
    """A classifier with the methods of scikit-learn."""

    classes_ = (0, 1)

    def decision_function(self, features: Any) -> Any:
        """Return the first feature."""
        return features[:, 0]


def first_value(sample: pauci.Sample, measure: pauci.Measure) -> float:
    """Return a value whose type is Any, because there may be several classifiers."""
    return pauci.estimate(sample, measure).value


def all_values(sample: pauci.Sample, measures: Sequence[pauci.Measure]) -> list[float]:
    """Return the values of any sequence of measures."""
    return [each.value for each in pauci.estimate(sample, measures)]


def typical_calls() -> None:
    """Run all typical calls."""
    labels = [0, 1] * 20
    scores = np.random.default_rng(1).normal(size=40) + np.array(labels)
    frame = pd.DataFrame({"label": labels, "a": scores, "b": scores[::-1], "id": range(40)})

    # Samples, from all types of columns.
    one = pauci.Sample(labels, scores)
    two = pauci.Sample(frame["label"], {"a": frame["a"], "b": frame["b"]}, cluster=range(40))
    grouped = pauci.Sample(
        frame["label"], {"a": frame["a"], "b": frame["b"]}, group={"sex": ["F", "F", "M", "M"] * 10}
    )
    same = pauci.Sample(labels, scores, cluster=range(40), name="same")
    other = pauci.Sample(labels, scores.tolist(), design="case-control", name="other")
    assert_type(one, pauci.Sample)
    assert_type(two["a"], pauci.Sample)
    assert_type(one.renamed("other"), pauci.Sample)
    assert_type([s for s in two], list[pauci.Sample])  # noqa: C416
    assert_type(pauci.Sample.from_frame(frame, "label", ["a", "b"]), pauci.Sample)
    known = np.arange(40) % 3 > 0
    some = np.where(known, labels, np.nan)
    sites = {"site": ["x", "y"] * 20}
    assert_type(pauci.Sample(some, scores, verified=known, verification=sites), pauci.Sample)
    imputed = pauci.Sample.from_imputations([frame, frame], "label", ["a", "b"])
    assert_type(imputed, pauci.Imputations)
    pooled = pauci.estimate(imputed["a"], pauci.AUC())
    assert_type(pooled, PooledEstimate | PooledEstimates)
    pooled_differences = pauci.compare(imputed, pauci.AUC())
    assert_type(pooled_differences, PooledComparison | PooledComparisons)
    features, model, even = scores[:, None], FirstFeature(), np.arange(40) // 2 % 2 == 0
    assert_type(pauci.Sample.from_estimator(model, features, labels), pauci.Sample)
    rows = [np.flatnonzero(even), np.flatnonzero(~even)]
    folds = {"estimator": [model, model], "indices": {"train": rows[::-1], "test": rows}}
    assert_type(pauci.Sample.from_cv_results(folds, features, labels), pauci.Sample)
    ct = pauci.Sample.from_counts([3, 2, 1], [8, 3, 1], [1, 5, 30])
    assert_type(ct, pauci.Sample)

    # Measures.
    assert_type(pauci.AUC(), pauci.AUC)
    assert_type(pauci.AUC()(labels, scores), float)
    assert_type(pauci.AUC().scorer()(model, features, labels), float)
    assert_type(pauci.AUC(rescaled=True), pauci.AUC)
    area = pauci.PAUC(fpr=(0, 0.1))
    assert_type(area, pauci.PAUC)
    assert_type(pauci.PAUC(fpr=[0, 0.1], normalized=True), pauci.PAUC)
    assert_type(pauci.PAUC(fpr=(0, Fraction(1, 3))), pauci.PAUC)
    assert_type(pauci.PAUC(fpr=(np.float32(0), np.mean(scores > 0))), pauci.PAUC)
    assert_type(pauci.PAUC(fpr=np.array([0, 0.1])), pauci.PAUC)
    assert_type(pauci.PAUCc((0, 0.3), ends="middle"), pauci.PAUCc)
    assert_type(pauci.PAUCx(sensitivity=(0.8, 1)), pauci.PAUCx)
    assert_type(pauci.PAUCc(threshold=(0.5, None)), pauci.PAUCc)
    assert_type(pauci.SPA(specificity=(0.9, 1)), pauci.SPA)
    assert_type(pauci.PAI(tpr=0.5), pauci.PAI)
    assert_type(pauci.Sensitivity(specificity=0.9), pauci.Sensitivity)
    assert_type(pauci.Specificity(tpr=0.8), pauci.Specificity)
    assert_type(pauci.AP(prevalence=0.1), pauci.AP)
    assert_type(pauci.MaxKappa(), pauci.MaxKappa)
    assert_type(pauci.OE(), pauci.OE)
    assert_type(pauci.CalibrationIntercept(), pauci.CalibrationIntercept)
    assert_type(pauci.CalibrationSlope(), pauci.CalibrationSlope)
    assert_type(pauci.Brier(scaled=True), pauci.Brier)
    assert_type(pauci.LogLoss(), pauci.LogLoss)
    assert_type(pauci.NetBenefit(0.1, prevalence=0.05, harm=0.01), pauci.NetBenefit)
    ratio: pauci.Measure = area / pauci.AUC()

    # Estimates. A sample may hold several classifiers, so one measure of it is "or Any": see
    # `pauci.checks.MaybeSeveral`. A list of measures is always Estimates.
    e = pauci.estimate(one, area)
    assert_type(e, pauci.Estimate | Any)
    assert isinstance(e, pauci.Estimate)
    assert_type(e, pauci.Estimate)
    assert_type(e.value, float)
    assert_type(e.se, float)
    assert_type(e.measure, pauci.Measure)
    assert_type(e.interval(level=0.9, kind="wald"), pauci.Interval)
    low, high = e.interval()
    assert_type(high - low, float)
    assert_type(e.test(0.01, "greater"), pauci.OneSampleTest)
    assert_type(e.test(0.01).pvalue, float)
    assert_type(e.summary(), str)
    assert_type(e.report(level=0.9), str)
    assert_type(e.to_latex(style="apa"), str)
    assert_type(e.to_frame(), pd.DataFrame)
    assert_type(e.plot(level=0.9), Axes)

    several = pauci.estimate(two, [pauci.AUC(), area])
    assert_type(several, pauci.Estimates)
    assert_type(several[0], pauci.Estimate)
    assert_type(several[:2], tuple[pauci.Estimate, ...])
    assert_type(several["a"], pauci.Estimate | Any)
    assert_type([each.value for each in several], list[float])
    assert_type(pauci.estimate([one, other], pauci.AUC()), pauci.Estimates)
    assert_type(pauci.estimate(one, [youden], pauci.Bootstrap(50, rng=1)), pauci.Estimates)
    assert_type(pauci.estimate(one, [pauci.AUC()], variance="jackknife"), pauci.Estimates)
    first_value(one, ratio)
    all_values(two, (area, ratio))
    of_auc = pauci.estimate(two, [pauci.AUC()])
    tests = of_auc.tests(0.5, "greater", adjust="max-t")
    assert_type(tests, pauci.OneSampleTests)
    assert_type(tests.p_adjusted, tuple[float, ...])
    assert_type(of_auc.tests([0.5, 0.6]).to_frame(kind="wald"), pd.DataFrame)
    ranks = of_auc.ranks(best=1, level=0.9, progress=False)
    assert_type(ranks, pauci.Ranks)
    assert_type(ranks.low, tuple[int, ...])
    assert_type(ranks.among_best, tuple[str, ...])
    assert_type(ranks.plot(), Axes)

    # Comparisons.
    c = pauci.compare(two, area, null=0.0, alternative="greater")
    assert_type(c, pauci.Comparison | Any)
    assert_type(pauci.compare(two, area, pair=("a", "b")), pauci.Comparison)
    by_group = pauci.estimate(grouped, pauci.AUC(), by="sex", reference="overall", skip_small=True)
    assert_type(by_group, pauci.GroupEstimates)
    assert_type(by_group.gaps, pauci.Comparisons)
    assert_type(by_group.heterogeneity("a"), pauci.HeterogeneityTest)
    assert_type(by_group.in_group("F"), pauci.Estimate | pauci.Estimates)
    masks = {"women": [True, True, False, False] * 10, "old": [False, True, True, False] * 10}
    differences = pauci.compare(grouped, [pauci.AUC()], by=masks)
    assert_type(differences, pauci.GroupComparisons)
    assert_type(differences.gaps, pauci.Quantities)
    assert_type(differences.in_group("women"), pauci.Comparison | pauci.Comparisons)
    assert_type(
        pauci.join([by_group, differences], independent=True), pauci.Estimates | pauci.Quantities
    )
    assert_type(pauci.compare((one, other), area, independent=True), pauci.Comparison)
    assert_type(pauci.compare((two["a"], same), area, shared_clusters=True), pauci.Comparison)
    assert_type(pauci.estimate([two, same], area, shared_clusters=True), pauci.Estimates)
    assert_type(pauci.compare([one, other], area, independent=True), pauci.Comparison | Any)
    comparisons = pauci.compare(two, [area, pauci.AUC()], adjust="max-t")
    assert_type(comparisons, pauci.Comparisons)
    assert_type(comparisons["a - b"], pauci.Comparison | Any)
    assert_type(comparisons[:1], tuple[pauci.Comparison, ...])
    by_name = {"a": pauci.PAUC(fpr=(0, 0.1)), "b": pauci.PAUC(fpr=(0, 0.2))}
    difference = pauci.compare(two, by_name, pair=("a", "b"), variance=pauci.Jackknife())
    assert_type(difference.pvalue, float)
    assert_type(difference.estimates, tuple[pauci.Estimate, pauci.Estimate])
    assert_type(difference.interval(kind="wald"), pauci.Interval)
    assert_type(pauci.permutation_test(one, pauci.AUC(), 99, rng=1), pauci.PermutationTest)

    # Studies.
    auc = pauci.AUC()
    stored = pauci.read_result(pauci.estimate(one, auc).to_json(), 0)
    assert_type(stored, pauci.StoredResult)
    assert_type(stored.interval(0.95), pauci.Interval)
    moved = pauci.Sample(labels, scores + np.arange(40), name=one.names[0])
    second = pauci.estimate(moved, auc)
    m = pauci.meta({"Leipzig": stored, "Halle": second}, effects="fixed")
    assert_type(m, pauci.MetaAnalysis)
    assert_type(pauci.meta([stored.document, second.to_json()]).prediction(0.9), pauci.Interval)
    assert_type(m.heterogeneity.tau2, float)
    assert_type(moved.counts(smallest=2), pd.DataFrame)
    assert_type(pauci.Sample.concat([one, moved]), pauci.Sample)
    assert_type(pauci.Sample.concat({"Leipzig": one, "Halle": moved}), pauci.Sample)

    # Fitted curves.
    fit = pauci.fit_binormal(ct)
    assert_type(fit, pauci.BinormalFit)
    assert_type(pauci.fit_proper(ct), pauci.ProperFit)
    assert_type(pauci.estimate(fit, pauci.AUC()), pauci.Estimate)
    assert_type(pauci.estimate(fit, [pauci.AUC()]), pauci.Estimates)

    # Along the curve.
    assert_type(pauci.band(one, fpr=(0, 0.5)), pauci.Band)
    assert_type(pauci.curve_points(one), pd.DataFrame)
    points = pauci.operating_points(one, specificity=[0.8, 0.9])
    assert_type(points, pauci.OperatingPoints)
    assert_type(points.points[0], pauci.OperatingPoint)
    assert_type(pauci.operating_points(one, thresholds=0.5).to_frame(0.9), pd.DataFrame)
    assert_type(pauci.profile(one, edges=(0, 0.5, 1)), pauci.Profile | Any)
    cutoff = pauci.cutoff(one, specificity=0.9, rng=1)
    assert_type(cutoff, pauci.Cutoff)
    assert_type(cutoff.interval(0.9), pauci.Interval)
    assert_type(cutoff.set(), pauci.CutoffSet)
    assert_type(cutoff.honest.sensitivity.value, float)
    berlin, paris = (
        pauci.Sample(labels, np.random.default_rng(seed).normal(size=40) + np.array(labels))
        for seed in (2, 3)
    )
    validation = cutoff.validate({"Berlin": berlin, "Paris": paris}, risks=False)
    assert_type(validation, pauci.Validation)
    assert_type(validation.to_frame(), pd.DataFrame)
    zone = pauci.cutoff(one, rule_in=0.95, rule_out=0.9)
    assert_type(zone.validate(berlin), pauci.Validation)
    assert_type(zone, pauci.UncertainZone)
    by_sex = pauci.cutoff(one, cost=(5, 0.1), by=["F", "F", "M", "M"] * 10, skip_small=True)
    assert_type(by_sex, pauci.Cutoffs)
    family = pauci.scan(one, pauci.PAUCc, fpr=[0.2, 0.4, 0.6], n_draws=1000, rng=1)
    assert_type(family, pauci.Scan)
    assert_type(family[0], pauci.Estimate | pauci.Comparison)
    assert_type(family[0, 0.4], pauci.Estimate | pauci.Comparison)
    assert_type(family.pvalue, float)

    table = pauci.read_table("example:fawcett", sep=",", header_row=1)
    assert_type(pauci.Sample.from_frame(table, "label", "score"), pauci.Sample)
    readings = pd.DataFrame(np.random.default_rng(1).dirichlet([1, 1, 1], 60), columns=[*"abc"])
    readings = readings.assign(reader="Ann", case=range(60), label=[*"abc"] * 20)
    columns = pauci.ReaderStudy.from_frame(
        readings, modality=None, score=["a", "b", "c"], classes=["a", "b", "c"]
    )
    assert_type(columns, pauci.ReaderStudy)

    # Risks.
    risks = pauci.risk_table(
        pauci.Sample(labels, 1.0 / (1.0 + np.exp(-scores))), probability=[0.1, 0.2]
    )
    assert_type(risks, pauci.RiskTable)
    assert_type(risks.joint["score"], pauci.JointTest)

    # Two-by-two tables of several studies.
    studies = pauci.datasets.load_audit_c()
    accuracy = pauci.meta_accuracy(studies, tp="tp", fn="fn", fp="fp", tn="tn", method="reml")
    assert_type(accuracy, pauci.AccuracyMeta)
    assert_type(accuracy.rate("sensitivity"), pauci.AccuracyEstimate)
    assert_type(accuracy.sroc(0.1).interval(level=0.9), pauci.Interval)
    assert_type(accuracy.area((0, 0.2)).value, float)
    assert_type(accuracy.sd, tuple[float, float])

    # Planning.
    pilot = pauci.binormal((0.85, 0.8))
    assert_type(pauci.power(pilot, pauci.AUC(), 100, 100), float)
    assert_type(pauci.sample_size(pilot, pauci.AUC(), power=0.8), pauci.SampleSize)
    risks_of_model = pauci.assumed_risks(auc=0.8, prevalence=0.1, slope=0.9, oe=1.2)
    assert_type(pauci.sample_size(risks_of_model, pauci.OE(), width=0.4), pauci.SampleSize)
    assert_type(pauci.power(pauci.assumed_risks(beta=(1, 9)), pauci.OE(), 9, 81, null=2), float)
    components = dict.fromkeys(("error", "cov1", "cov2", "cov3", "reader_by_modality"), 1e-4)
    components |= {"error": 1e-3, "cases": 100.0}
    assert_type(pauci.mrmc_power(components, 5, 50, 50, difference=0.05), float)
    assert_type(pauci.mrmc_power(components, [5, 10], 50, 50, difference=0.05), pd.DataFrame)
    cases = [50, 60]
    assert_type(pauci.mrmc_power(components, 5, cases, cases, difference=0.05), pd.DataFrame)

    # Readers.
    readings = pd.DataFrame(
        {
            "reader": np.repeat(["ann", "bob", "cid"], 80),
            "modality": np.tile(np.repeat(["ct", "mr"], 40), 3),
            "case": np.tile(range(40), 6),
            "label": np.tile(labels, 6),
            "score": np.random.default_rng(2).normal(size=240) + np.tile(labels, 6),
        }
    )
    study = pauci.ReaderStudy.from_frame(readings)
    assert_type(study, pauci.ReaderStudy)
    analysis = pauci.mrmc(study, pauci.AUC(), readers="fixed")
    with tempfile.TemporaryDirectory() as folder:
        pauci.write_report([study, analysis], Path(folder) / "report.html", title="Readers")
    assert_type(analysis.to_frames(0.9), dict[str, pd.DataFrame])
    assert_type(analysis, pauci.ReaderAnalysis)
    assert_type(analysis.differences, pd.DataFrame)

    # Figures and data.
    assert_type(pauci.plot.roc(one, area, band="pointwise"), Axes)
    assert_type(pauci.plot.roc(two, zoom=(0, 0.1)), Axes)
    assert_type(pauci.plot.forest([e, e], kind="wald"), Axes)
    assert_type(pauci.plot.precision_recall(one, pauci.AP()), Axes)
    assert_type(pauci.datasets.load_dmist(), pd.DataFrame)
    assert_type(pauci.__version__, str)
