"""One result of every class that has a table, and of every kind of data."""

import contextlib
import importlib
import inspect
import pkgutil
import warnings
from functools import cache, partial

import numpy as np
import pandas as pd

import pauci
from pauci.fits.curve_fits import CurveFit
from pauci.tables.tabular import Tabular

ODD = "<b>&\"$_%#{}\\~^ a--b [x] *y* 'z' ß |`"
LABELS = np.repeat([0, 1], [70, 50])
PART = pauci.PAUCc(fpr=(0, 0.3))
SEX = np.where(np.arange(120) % 5 < 2, "F", "M")


def sample(*names, seed=7, **options):
    """Return a sample with classifiers of these names."""
    rng = np.random.default_rng(seed)
    scores = {name: LABELS * (1.0 - 0.2 * i) + rng.normal(size=120) for i, name in enumerate(names)}
    return pauci.Sample(LABELS, scores, **options)


def risks(*names):
    """Return a sample of predicted risks."""
    rng = np.random.default_rng(8)
    log_odds = {name: LABELS - 0.5 + rng.normal(size=120) for name in names}
    return pauci.Sample(LABELS, {name: 1 / (1 + np.exp(-x)) for name, x in log_odds.items()})


def ratings(name="film"):
    return pauci.Sample.from_counts([4, 3, 2, 1], [30, 12, 6, 2], [2, 8, 20, 40], name=name)


def categories():
    grades = pd.Categorical(["no", "yes", "maybe", "yes"] * 9, ["no", "maybe", "yes"], ordered=True)
    return pauci.Sample([0, 1, 0, 1] * 9, pd.Series(grades))


def separated():
    return pauci.Sample([0] * 9 + [1] * 9, range(18))


def reader_study(first="film", readers=3):
    """Return a study of two modalities."""
    rng = np.random.default_rng(4)
    n = 60 * readers
    frames = [
        pd.DataFrame(
            {
                "reader": np.repeat([f"{ODD if i else ''}{i}" for i in range(readers)], 60),
                "modality": modality,
                "case": np.tile(range(60), readers),
                "label": np.tile(np.arange(60) % 2, readers),
                "score": np.tile(np.arange(60) % 2, readers) * shift + rng.normal(size=n),
            }
        )
        for modality, shift in ((first, 1.0), ("digital", 1.6))
    ]
    return pauci.ReaderStudy.from_frame(pd.concat(frames))


def marked(name):
    """Return a sample of marks with places."""
    marks = pauci.datasets.load_marks()
    cases = pauci.datasets.load_marked_cases()
    return pauci.Sample.from_marks(marks[marks["modality"] == "AI"], cases, name=name)


def two_by_two(by=None, types=("a", "b")):
    """Return the pooled accuracy of studies, of one type or of two."""
    studies = pauci.datasets.load_audit_c().assign(type=[*types] * 7)
    return pauci.meta_accuracy(studies, tp="tp", fn="fn", fp="fp", tn="tn", by=by)


def validation(name):
    """Return the validation of an uncertain zone in two cohorts."""
    zone = pauci.cutoff(sample(name), rule_in=0.95, rule_out=0.95, rng=1)
    return zone.validate({ODD: sample(name, seed=2), "b": sample(name, seed=3)})


POOLED = {
    "PooledEstimate": lambda s: pauci.estimate(s[ODD], PART),
    "PooledEstimates": lambda s: pauci.estimate(s, PART),
    "PooledComparison": lambda s: pauci.compare(s, PART),
    "PooledComparisons": lambda s: pauci.compare(s, [PART, pauci.AUC()]),
}
"""Results of a completed data set."""


def pooled(name):
    names = ("svm", "nn") if "Comparison" in name else (ODD, "nn")
    return pauci.pool([POOLED[name](sample(*names, seed=seed)) for seed in (0, 1, 2)])


def studies(*names):
    """Return the meta-analysis of three sites, one of which has an odd name."""
    samples = {n: sample(*names, seed=seed) for n, seed in (("a", 0), (ODD, 1), ("c", 2))}
    analyse = pauci.compare if len(names) > 1 else pauci.estimate
    return pauci.meta({site: analyse(s, PART) for site, s in samples.items()})


MAKERS = {
    "Estimate": lambda: pauci.estimate(sample("svm"), PART),
    "Estimates": lambda: pauci.estimate(sample("svm", "nn"), [pauci.AUC(), PART, pauci.AP()]),
    "Comparison": lambda: pauci.compare(sample("svm", "nn"), PART),
    "Comparisons": lambda: pauci.compare(sample("a", "b", "c"), [PART, pauci.AUC()]),
    "JointTest": lambda: pauci.compare(sample("a", "b", "c"), PART).joint(),
    "OneSampleTest": lambda: pauci.estimate(sample("svm"), PART).test(0.1),
    "OneSampleTests": lambda: pauci.estimate(sample("a", "b", "c"), PART).tests(0.1, "greater"),
    "Ranks": lambda: pauci.estimate(sample(ODD, "b", "c"), PART).ranks(best=1),
    "many tests": lambda: pauci.estimate(sample(*map(str, range(25))), PART).tests(0.1),
    "many ranks": lambda: pauci.estimate(sample(*map(str, range(25))), PART).ranks(),
    "PermutationTest": lambda: pauci.permutation_test(sample("svm", "nn"), PART, 99, rng=1),
    "SampleSize": lambda: pauci.sample_size(
        pauci.binormal(auc=(0.85, 0.8), correlation=0.6), pauci.AUC(), difference=0.05
    ),
    "plan of one": lambda: pauci.sample_size(
        pauci.binormal(0.85, n=2000), PART, null=0.35, alternative="greater"
    ),
    "plan of a width": lambda: pauci.sample_size(
        pauci.binormal((0.85, 0.8), n=2000), pauci.AUC(), width=0.1
    ),
    "RiskTable": lambda: pauci.risk_table(risks("svm", "nn"), probability=[0.2, 0.5]),
    "risks of one": lambda: pauci.risk_table(risks("svm")),
    "OperatingPoints": lambda: pauci.operating_points(sample("svm")),
    "Cutoff": lambda: pauci.cutoff(sample("svm"), cost=(2, 0.2), rng=1),
    "cut-off at a rate": lambda: pauci.cutoff(sample(ODD), specificity=0.8, rng=1),
    "cut-off of categories": lambda: pauci.cutoff(categories(), equal=True, rng=1),
    "UncertainZone": lambda: pauci.cutoff(sample("svm"), rule_in=0.95, rule_out=0.95, rng=1),
    "Cutoffs": lambda: pauci.cutoff(sample(ODD), sensitivity=0.8, by=SEX, rng=1),
    "AccuracyMeta": lambda: two_by_two(),
    "AccuracyMeta of types": lambda: two_by_two("type"),
    "odd types": lambda: two_by_two("type", (ODD, "[-log10p]")),
    "Validation": lambda: validation("svm"),
    "validation of an odd name": lambda: validation(ODD),
    "Profile": lambda: pauci.profile(sample("svm")),
    "Profiles": lambda: pauci.profile(sample("svm", "nn"), "rank", (0, 0.25, 0.5, 1)),
    "Scan": lambda: pauci.scan(sample("svm", "nn"), pauci.PAUCc, fpr=[0.2, 0.4, 1], rng=1),
    "scan of one": lambda: pauci.scan(sample("svm"), pauci.PAUC, fpr=[0.2, 0.4, 1], rng=1),
    "scan of tables": lambda: pauci.scan(
        [ratings(), ratings("digital")], pauci.Sensitivity, specificity=[0.7, 0.8], rng=1
    ),
    "long scan": lambda: pauci.scan(
        sample("svm"), pauci.PAUCc, threshold=[(a / 50 - 1, a / 50) for a in range(70)], rng=1
    ),
    "profile by score": lambda: pauci.profile(
        sample("svm", "nn", lower_is_positive=["nn"]), "threshold", (-np.inf, 0, 1, np.inf)
    ),
    "odd profile": lambda: pauci.profile(sample(ODD)),
    "odd profiles": lambda: pauci.profile(sample(ODD, "[-log10p]"), "tpr"),
    "odd scan": lambda: pauci.scan(sample(ODD, "[-log10p]"), pauci.PAUCc, tpr=[0.4, 0.7], rng=1),
    "Band": lambda: pauci.band(sample("svm"), fpr=(0, 0.2)),
    "band of a difference": lambda: pauci.band(sample("svm", "nn"), fpr=(0, 0.2)),
    "band of points": lambda: pauci.band(ratings()),
    "odd band": lambda: pauci.band(sample(ODD), fpr=(0, 0.2)),
    "ReaderStudy": reader_study,
    "ReaderAnalysis": lambda: pauci.mrmc(reader_study(), PART),
    "ReaderTable": lambda: pauci.mrmc(reader_study(), PART).by_reader,
    "ReaderEstimate": lambda: pauci.mrmc(reader_study(), PART).cells[0],
    "fixed readers": lambda: pauci.mrmc(
        reader_study(), PART, readers="fixed", null=-0.05, alternative="greater"
    ),
    "u-statistic": lambda: pauci.mrmc(reader_study(), pauci.AUC(), method="u-statistic"),
    "odd modality": lambda: pauci.mrmc(reader_study(ODD), PART),
    "Froc": lambda: pauci.froc(marked("AI")),
    "odd froc": lambda: pauci.froc(marked(ODD), 0.5),
    "BinormalFit": lambda: pauci.fit_binormal(ratings()),
    "ContaminatedFit": lambda: pauci.fit_contaminated(sample(ODD)),
    "ProperFit": lambda: pauci.fit_proper(sample("svm", lower_is_positive=False)),
    "of a fit": lambda: pauci.estimate(pauci.fit_binormal(ratings()), [pauci.AUC(), PART]),
    "independent": lambda: pauci.compare([ratings(), ratings("digital")], pauci.AUC()),
    "one-sided": lambda: pauci.compare(
        sample("svm", "nn"), PART, null=-0.05, alternative="greater"
    ),
    "not adjusted": lambda: pauci.compare(sample("a", "b", "c"), PART, adjust="none"),
    "max-t": lambda: pauci.compare(sample("a", "b", "c"), PART, adjust="max-t"),
    "bootstrap": lambda: pauci.compare(
        sample("svm", "nn"), PART, variance=pauci.Bootstrap(99, rng=2)
    ),
    "jackknife": lambda: pauci.estimate(sample("svm"), PART, pauci.Jackknife()),
    "delta": lambda: pauci.estimate(ratings(), pauci.AP(), "delta"),
    "thresholds": lambda: pauci.estimate(ratings(), pauci.PAUCc(threshold=(2, np.inf))),
    "lower": lambda: pauci.estimate(sample("svm", lower_is_positive=["svm"]), PART),
    "weights": lambda: pauci.estimate(sample("svm", weight=1.0 + LABELS), PART),
    "clusters": lambda: pauci.compare(sample("svm", "nn", cluster=np.arange(120) // 2), PART),
    "case-control": lambda: pauci.estimate(sample("svm", design="case-control"), PART),
    "perfect": lambda: pauci.estimate(separated(), pauci.AUC()),
    "categories": lambda: pauci.operating_points(categories()),
    "chosen points": lambda: pauci.operating_points(sample("svm"), thresholds=[-1, 0, 1]),
    "many classifiers": lambda: pauci.compare(sample(*"abcdefgh"), pauci.AUC()),
    "combination": lambda: pauci.estimate(sample("svm"), pauci.AUC() - PART),
    "two tables": lambda: pauci.estimate(
        [ratings(), pauci.Sample.from_counts([2, 1], [30, 9], [1, 80], name="digital")], pauci.AUC()
    ),
    "odd names": lambda: pauci.compare(sample(ODD, "[-log10p]"), PART),
    "odd points": lambda: pauci.operating_points(sample(ODD), thresholds=[0]),
    "GroupEstimates": lambda: pauci.estimate(sample("svm"), PART, by=SEX),
    "groups and all rows": lambda: pauci.estimate(
        sample(ODD, "[-log10p]", cluster=np.arange(120) // 2),
        [PART, pauci.AUC()],
        by={"_b": SEX == "F", ODD: np.arange(120) % 3 == 0, "small": np.arange(120) < 3},
        reference="overall",
        skip_small=True,
    ),
    "bootstrap by group": lambda: pauci.estimate(
        sample("svm", "nn"), PART, pauci.Bootstrap(199, rng=2), by=SEX, reference="M"
    ),
    "gaps": lambda: pauci.estimate(sample("svm", "nn"), PART, by=SEX).gaps,
    "gap": lambda: pauci.estimate(sample(ODD), PART, by=SEX).gaps[0],
    "GroupComparisons": lambda: pauci.compare(sample("svm", "nn"), PART, by=SEX),
    "comparisons and all rows": lambda: pauci.compare(
        sample("a", "_b", "c"), [PART, pauci.AUC()], baseline="_b", by=SEX, reference="overall"
    ),
    "comparison in a group": lambda: pauci.compare(
        sample(ODD, "nn"), PART, by=SEX, null=-0.1, alternative="greater"
    ).in_group("F"),
    "HeterogeneityTest": lambda: pauci.estimate(sample(ODD), PART, by=SEX).heterogeneity(),
    "Quantities": lambda: pauci.compare(sample("svm", ODD), PART, by=SEX).gaps,
    "joined": lambda: pauci.join(
        [pauci.estimate(sample("svm"), PART), pauci.compare(sample("svm", ODD), PART)]
    ),
    **{name: partial(pooled, name) for name in POOLED},
    "MetaAnalysis": lambda: studies("svm"),
    "odd studies": lambda: studies(ODD, "nn"),
    "odd test": lambda: pauci.estimate(sample(ODD), PART).test(0.1),
}


@cache
def result(name):
    """Return one of the results, which is computed once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        return MAKERS[name]()


@contextlib.contextmanager
def quiet():
    """Ignore warnings about few observations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        yield


def tabular_classes():
    """All classes of results that have tables."""
    for found in pkgutil.walk_packages(pauci.__path__, "pauci."):
        importlib.import_module(found.name)
    left, known = [Tabular], set()
    while left:
        for cls in left.pop().__subclasses__():
            left.append(cls)
            base = inspect.isabstract(cls) or cls.__name__.startswith("_") or cls is CurveFit
            if not base and cls.__module__.startswith("pauci.") and "cli" not in cls.__module__:
                known.add(cls)
    return known
