"""Every argument of every public function gives errors of this package for values of wrong types.

`CALLS` has a valid call of each function. Each argument is replaced by every value of `BAD`: the
call may succeed, or raise an error of the package that names an argument.
"""

import inspect
import warnings
from decimal import Decimal
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import pauci
from pauci.errors import Message
from tabular_results import result

BAD = {
    "None": None,
    "huge int": 10**400,
    "huge negative": -(10**400),
    "huge fraction": Fraction(10**400),
    "whole float": 1e300,
    "nan": np.nan,
    "inf": np.inf,
    "pd.NA": pd.NA,
    "pd.NaT": pd.NaT,
    "masked": np.ma.masked,
    "Decimal": Decimal("NaN"),
    "complex": 1j,
    "Fraction": Fraction(1, 3),
    "bool": True,
    "negative": -1,
    "text": "x" * 5000,
    "surrogate": "\ud800",
    "bytes": b"auc",
    "object": object(),
    "function": lambda *_: 0.5,
    "type": int,
    "set": {1},
    "empty": [],
    "nested": [[1], [2, [3]]],
    "with None": [None, None],
    "with NA": [pd.NA, 1],
    "with huge": [10**400, 1],
    "with object": [object(), object()],
    "dict": {1: 2},
    "unhashable": [{1: [2]}],
    "series": pd.Series([0.1, 0.2]),
    "texts": pd.Series(["a", "b"]),
    "array": np.zeros(3),
    "matrix": np.ones((2, 2)),
    "scalar array": np.array(5),
    "frame": pd.DataFrame({"a": [1]}),
    "range": range(3),
    "date": pd.Timestamp("2020-01-01"),
}

N = 60
Y = np.arange(N) % 2
RNG = np.random.default_rng(5)
A, B = Y + RNG.normal(size=N), Y + RNG.normal(size=N)
SEX = np.where(np.arange(N) % 4 < 2, "F", "M")
RISK = 1 / (1 + np.exp(-A))
STAGE = np.arange(N) % 3
PROBABILITIES = RNG.dirichlet([1, 1, 1], N)
FRAME = pd.DataFrame(
    {"y": Y, "a": A, "b": B, "sex": SEX, "time": RNG.exponential(size=N), "predicted": Y}
)
ONE = pauci.Sample(Y, A)
TWO = pauci.Sample(Y, {"a": A, "b": B}, group={"sex": SEX})
RISKS = pauci.Sample(Y, RISK)
CLASSES = pauci.Sample.from_classes(STAGE, PROBABILITIES)
PILOT = pauci.binormal((0.85, 0.8), n=200)
COMPONENTS = dict.fromkeys(("error", "cov1", "cov2", "cov3", "reader_by_modality"), 1e-4)
COMPONENTS |= {"error": 1e-3, "cases": 100.0}


class FirstFeature:
    """A classifier with the methods of scikit-learn."""

    classes_ = (0, 1)

    def decision_function(self, features):
        return features[:, 0]


FOLDS = [np.arange(N)[Y.repeat(2)[:N] == i] for i in (0, 1)]
CV_RESULTS = {
    "estimator": [FirstFeature()] * 2,
    "indices": {"train": FOLDS[::-1], "test": FOLDS},
}


@cache
def marks():
    """Return marks of cases, and the lesions of the cases."""
    rows = [
        (f"r{r}", m, c, lesion, float(rating))
        for r in range(2)
        for m in ("A", "B")
        for c in range(20)
        for lesion, rating in ((0, RNG.normal()), (1, RNG.normal() + 1))
        if (c % 2 or not lesion) and RNG.random() < 0.9
    ]
    frame = pd.DataFrame(rows, columns=["reader", "modality", "case", "lesion", "rating"])
    frame["lesion"] = frame["lesion"].where(frame["lesion"] > 0)
    lesions = pd.DataFrame({"case": range(20), "lesion": [1 if c % 2 else None for c in range(20)]})
    return frame, lesions


def lists():
    """Return the marks of one reader, and the lesions of the cases."""
    frame, lesions = marks()
    return frame[(frame["reader"] == "r0") & (frame["modality"] == "A")], lesions


PROBABILITY = {"probability": 0.3}
MEASURES: dict = {
    **{key: {} for key in ("AP", "AUC", "AUK", "Brier", "MaxKappa", "VUS", "PDI", "Bootstrap")},
    **{key: {"threshold": 0.5} for key in ("Accuracy", "BalancedAccuracy", "Kappa", "F")},
    **{key: {"threshold": 0.5} for key in ("LRNegative", "LRPositive", "MCC", "NPV", "PPV")},
    **{key: {"threshold": 0.5} for key in ("Youden", "PredictedPositiveRate")},
    **{key: {"fpr": (0, 0.3)} for key in ("LocalC", "PAUC", "PAUCc", "PAUCx", "PartialC", "SPA")},
    "NetBenefit": PROBABILITY,
    "PAI": {"tpr": 0.5},
    "Sensitivity": {"fpr": 0.3},
    "Specificity": {"tpr": 0.3},
    "Macro": {"measure": pauci.AUC()},
    "VersusRest": {"measure": pauci.AUC(), "positive": 1},
    "Statistic": {"function": lambda *_: 1.0},
    "Jackknife": {},
}
COLUMNS = {"frame": FRAME, "label": "y", "scores": "a"}
SURVIVAL = {"frame": FRAME, "time": "time", "event": "y", "scores": "a", "horizon": 1.0}
ESTIMATOR = {"X": A[:, None], "y": Y}
METHODS = [
    ("Estimate", "interval test plot contrast summary report"),
    ("Estimate", "to_dict to_frame to_html to_json to_latex to_markdown"),
    ("Estimates", "joint plot simultaneous correlation summary report tests ranks"),
    ("Comparison", "interval plot summary report pvalue_of"),
    ("Comparisons", "adjusted intervals joint simultaneous"),
    ("GroupEstimates", "heterogeneity in_group"),
    ("GroupComparisons", "heterogeneity in_group"),
    ("PermutationTest", "plot summary report to_frame"),
    ("MetaAnalysis", "interval prediction plot summary report to_frame"),
    ("SampleSize", "summary report to_frame"),
    ("RiskTable", "summary report to_frame"),
    ("AccuracyMeta", "rate sroc area plot summary report to_frame"),
    ("JointTest", "summary report to_frame"),
    ("HeterogeneityTest", "summary report to_frame"),
    ("OneSampleTest", "summary report to_frame plot"),
    ("OneSampleTests", "summary report to_frame plot"),
    ("Ranks", "summary report to_frame plot"),
    ("OperatingPoints", "plot summary report to_frame"),
    ("Cutoff", "plot summary report to_frame interval set"),
    ("Validation", "plot summary report to_frame"),
    ("UncertainZone", "plot summary report to_frame"),
    ("Cutoffs", "plot summary report to_frame"),
    ("Profile", "plot summary report to_frame series"),
    ("Profiles", "plot summary report to_frame"),
    ("Scan", "plot summary report to_frame pointwise"),
    ("Band", "plot summary report to_frame"),
    ("ReaderStudy", "summary to_frame"),
    ("ReaderAnalysis", "plot summary report to_frame to_frames"),
    ("Froc", "plot summary report to_frame"),
    ("BinormalFit", "plot summary report to_frame tpr auc_interval"),
    ("PooledEstimate", "interval test summary report to_frame"),
]
REQUIRED = {
    "contrast": {"weights": [1]},
    "correlation": {"i": 0, "j": 1},
    "series": {"measure": "normalized"},
    "in_group": {"group": "F"},
    "tpr": {"fpr": 0.3},
    "rate": {"rate": "sensitivity"},
    "sroc": {"fpr": 0.3},
    "test": {"null": 0.5},
    "tests": {"null": 0.5},
}


def calls(folder):
    """Return a valid call of each function by name: the function and its arguments."""
    frame, lesions = marks()
    study = result("ReaderStudy")
    one, _ = lists()
    placed = {
        "marks": one.drop(columns="lesion").assign(x=one["case"], y=one["case"] % 3),
        "cases": lesions.assign(x=lesions["case"], y=lesions["case"] % 3),
        "radius": 1.5,
    }
    of_marks = {"marks": one, "cases": lesions}
    sample, samples, measure = {"sample": ONE}, {"samples": TWO}, {"measure": pauci.AUC()}
    small = {"n_resamples": 20, "rng": 1}
    planned = {"pilot": PILOT, **measure}
    functions = {
        "Sample": {"y_true": Y, "y_score": A},
        "Sample.from_frame": COLUMNS,
        "Sample.from_counts": {"scores": [2, 1], "positives": [8, 3], "negatives": [1, 9]},
        "Sample.from_estimator": {"estimator": FirstFeature(), **ESTIMATOR},
        "Sample.from_cv_results": {"cv_results": CV_RESULTS, **ESTIMATOR},
        "Sample.from_marks": of_marks,
        "Sample.from_classes": {"y": STAGE, "probabilities": PROBABILITIES},
        "Sample.from_imputations": {**COLUMNS, "frames": [FRAME, FRAME]} | {"frame": None},
        "Sample.from_survival": SURVIVAL,
        "ReaderStudy.from_frame": {
            "frame": frame.assign(label=frame["case"] % 2).drop_duplicates(
                ["reader", "modality", "case"]
            ),
            "score": "rating",
        },
        "ReaderStudy.from_marks": {"marks": frame, "cases": lesions},
        "with_predictions": {"labelled": FRAME, "unlabelled": FRAME, "label": "y", "scores": "a"}
        | {"prediction": "predicted"},
        "estimate": sample | measure,
        "compare": samples | measure,
        "band": sample,
        "binormal": {"auc": 0.85},
        "assumed_risks": {"auc": 0.8, "prevalence": 0.1},
        "curve_points": sample,
        "cutoff": {**sample, "specificity": 0.9, "repeats": 1, "folds": 2, "rng": 1},
        "expected_width": {**planned, "n_pos": 50, "n_neg": 50},
        "power": {**planned, "n_pos": 50, "n_neg": 50},
        "sample_size": planned,
        **dict.fromkeys(("fit_binormal", "fit_contaminated", "fit_proper"), sample),
        "froc": {"data": pauci.Sample.from_marks(**of_marks)},
        "meta_accuracy": {"frame": pauci.datasets.load_audit_c(), "method": "reml"}
        | {name: name for name in ("tp", "fn", "fp", "tn")},
        "join": {"results": [result("Estimate"), result("Comparison")]},
        "pool": {"results": [pauci.estimate(s, pauci.AUC()) for s in (ONE, pauci.Sample(Y, B))]},
        "meta": {"results": [pauci.estimate(s, pauci.AUC()) for s in (ONE, pauci.Sample(Y, B))]},
        "read_result": {"document": result("Estimate").to_json()},
        "Sample.concat": {"samples": [ONE, pauci.Sample(Y, B)]},
        "mrmc": {"study": study, **measure},
        "mrmc_power": {"pilot": COMPONENTS, "readers": 5, "positives": 50, "negatives": 50}
        | {"difference": 0.05},
        "operating_points": sample,
        "permutation_test": {"sample": TWO, **measure, **small},
        "profile": {**sample, "edges": (0, 0.5, 1)},
        "read_table": {"path": "example:fawcett"},
        "risk_table": {"sample": RISKS},
        "scan": {"samples": ONE, "measure": pauci.PAUCc, "fpr": [0.2, 0.5], "n_draws": 1000},
        "write_report": {"results": [result("Estimate")], "path": folder / "report.html"},
        "Imputations": {"samples": [ONE, ONE]},
        "plot.calibration": {"sample": RISKS, **small},
        "plot.concordance": sample,
        "plot.decision_curve": {"sample": RISKS},
        "plot.fitted": {"fits": result("BinormalFit")},
        "plot.forest": {"results": [result("Estimate")]},
        "plot.hits": sample,
        "plot.kappa": sample,
        "plot.operating_points": {"points": result("OperatingPoints")},
        "plot.precision_recall": sample,
        "plot.ratings": sample,
        "plot.reader_curves": {"study": study},
        "plot.risk_panels": {"sample": RISKS, "probability": 0.3},
        "plot.risks": {"sample": RISKS},
        "plot.roc": sample,
        **MEASURES,
    }
    made = {}
    for name, options in functions.items():
        value = pauci
        for part in name.split("."):
            value = getattr(value, part)
        made[name] = value, {k: v for k, v in options.items() if v is not None}
    for of, names in METHODS:
        for name in names.split():
            made[f"{of}.{name}"] = getattr(result(of), name), REQUIRED.get(name, {})
    made["register"] = pauci.register, {"cls": None}
    made["from_marks with places"] = pauci.Sample.from_marks, placed
    froc_of_study = {"data": pauci.ReaderStudy.from_marks(frame, lesions), "false_marks": 0.5}
    made["froc of a study"] = pauci.froc, froc_of_study
    made["compare by"] = pauci.compare, {**samples, **measure, "by": SEX}
    made["plot.roc of a measure"] = pauci.plot.roc, {**sample, **measure}
    made["plot.hits of a measure"] = pauci.plot.hits, {**sample, "measure": pauci.InitialTPR()}
    made["width"] = pauci.sample_size, {**planned, "width": 0.1}
    for name, of, options in [
        ("Sample.renamed", ONE, {"name": "b"}),
        ("Sample.counts", ONE, {}),
        ("Sample.versus_rest", CLASSES, {"positive": 1}),
        (
            "Sample.at",
            pauci.Sample.from_survival(**SURVIVAL | {"horizon": [0.5, 1]}),
            {"horizon": 1},
        ),
        ("Measure.scorer", pauci.AUC(), {}),
        ("Measure.__call__", pauci.AUC(), {"y_true": Y, "y_score": A}),
    ]:
        made[name] = getattr(of, name.rpartition(".")[2]), options
    return made


ANY_LABEL = {"Measure.scorer(pos_label=)", "PDI(of=)", "VersusRest(positive=)"}
"""Labels of data that are not known yet, which may have any type."""

WITHOUT_ARGUMENTS = {
    kind for kind in pauci.REGISTRY.values() if not inspect.signature(kind).parameters
}

OFTEN = {"object", "pd.NA", "huge int", "series"}
"""The values that are used in every run."""


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """The calls; files are written to a temporary folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return calls(tmp_path_factory.mktemp("bad"))


def error_of(call, options):
    """Return the error that a call raises, or None."""
    try:
        call(**options)
    except Exception as error:
        return error
    finally:
        plt.close("all")
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", ["functions", "figures", "methods"])
@pytest.mark.parametrize(
    "bad", [pytest.param(bad, marks=[pytest.mark.keep] * (bad in OFTEN)) for bad in BAD]
)
def test_a_bad_value_is_accepted_or_raises_an_error_about_an_argument(
    table, tmp_path, monkeypatch, bad, part
):
    monkeypatch.chdir(tmp_path)
    for name, (call, options) in table.items():
        of_result = "." in name and name[0].isupper() and "from_" not in name
        if part != ("methods" if of_result else "figures" if "plot." in name else "functions"):
            continue
        for argument, parameter in inspect.signature(call).parameters.items():
            if BAD[bad] is parameter.default is None:
                continue
            where = f"{name}({argument}=)"
            error = error_of(call, {**options, argument: BAD[bad]})
            if error is None:
                assert bad != "object" or where in ANY_LABEL, where
                continue
            assert isinstance(error, Message), (where, repr(error))
            assert error.argument or argument in str(error) or "file " in str(error), where
            assert len(str(error)) < 2000, where


@pytest.mark.filterwarnings("ignore")
@pytest.mark.long
def test_the_calls_are_valid(table):
    errors = {name: error_of(call, options) for name, (call, options) in table.items()}
    assert [name for name, error in errors.items() if error is not None] == ["register"]


def test_the_table_has_every_public_function(table):
    called = {inspect.unwrap(getattr(call, "__func__", call)) for call, _ in table.values()}
    for module in (pauci, pauci.plot):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value):
                assert inspect.unwrap(value) in called, name
    assert {*pauci.REGISTRY.values()} <= {*called, *WITHOUT_ARGUMENTS}


@pytest.mark.parametrize(
    ("name", "option"),
    [
        *(
            (name, {"kind": "wald"})
            for name in ("RiskTable", "BinormalFit", "Cutoff", "AccuracyMeta")
        ),
        *(
            (name, option)
            for name in ("PermutationTest", "SampleSize", "JointTest", "HeterogeneityTest")
            for option in ({"kind": "wald"}, {"level": 0.9})
        ),
    ],
)
def test_an_option_without_effect_is_refused(name, option):
    ((argument, value),) = option.items()
    for method in (result(name).summary, result(name).report, result(name).to_frame):
        with pytest.raises(pauci.InputError, match="does not apply") as caught:
            method(**option)
        assert (caught.value.argument, caught.value.value) == (argument, value)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: pauci.froc(pauci.Sample.from_marks(*lists()), readers="fixed"), "readers"),
        (lambda: pauci.froc(pauci.Sample.from_marks(*lists()), standalone="a"), "standalone"),
        (lambda: pauci.Sample.from_marks(*lists(), coordinates=("u", "v")), "coordinates"),
        (lambda: pauci.Sample.from_counts([2, 1], [8, 3], [1, 9], fractional="no"), "fractional"),
        (lambda: pauci.Sample.from_frame(FRAME, "y", "a", group=0), "group"),
        (lambda: pauci.VUS(order={1, 2, 3}), "order"),
        (lambda: pauci.estimate(ONE, pauci.AUC(), independent=True), "independent"),
        (lambda: pauci.band(ONE, independent=True), "independent"),
        (lambda: pauci.plot.roc(ONE, kind="wald"), "kind"),
        (lambda: pauci.plot.roc(ONE, variance="jackknife"), "variance"),
        (lambda: pauci.plot.kappa(ONE, level=0.9), "level"),
    ],
)
def test_an_argument_that_cannot_have_an_effect_is_refused(call, argument):
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert caught.value.argument == argument
