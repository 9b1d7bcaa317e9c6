"""Some 2,400 calls of public functions, each drawn at random from its number.

The calls of a function have the numbers 1000 v, 1000 v + 1, ..., where v is the position of the
function, so that additional calls of one function do not change the others. `run(number)` runs the
call and returns its record: the numbers of the result by name, the classes of its warnings or of
its error, and a description of the call.
"""

import functools
from typing import ClassVar

import numpy as np
import pandas as pd

import draws
import pauci
from draws import ALTERNATIVES, LEVELS, PREVALENCES, Draw, labels, measure, sample, scores, source
from pauci.variance import Uncertainty, VarianceMethod
from pauci.variance.joint import uncertainty_of_problem
from records import RELATIVE, recorded

KINDS = (None, "logit", "wald", "log", "mid-p")
RESAMPLED_KINDS = ("bca", "percentile", "basic", "student")
ADJUST = ("holm", "max-t", "bonferroni", "none", "bh")

VERBS = []
"""The verbs with their calls: name, function and number of calls, in an order that stays."""


def verb(number):
    """Register a function with a number of calls."""

    def enter(function):
        VERBS.append((function.__name__, function, number))
        return function

    return enter


def verb_of(number):
    """Return the name of the function of a call."""
    return VERBS[number // 1000][0]


FLAT = {
    18008: 1e-3,
    18039: 1e-3,
    18053: 1e-5,
    18060: 1e-7,
    18062: 5e-6,
    18063: 3e-4,
    19000: 1e-5,
    20004: 2e-8,
    20006: 2e-8,
    20015: 1e-6,
}
"""Relative tolerances of fits of the proper model whose likelihood is nearly flat at its maximum.

The likelihood near its maximum changes with the square of a step along its flattest direction. A
step whose effect is below the rounding error of the likelihood cannot be found, so that parameters
are determined to the square root of that error, times a factor that increases with flatness, and
covariances, which are second derivatives, even less well. The rounding error depends on the
processor, since vector units of different widths add in a different order. The tolerances are five
to twenty times the largest difference between processors with AVX2, with AVX-512 and without
either, and between the code of OpenBLAS for six processors (``OPENBLAS_CORETYPE``).
"""

SIMULATED = {11042: 2e-2, 11044: 1e-3}
"""Relative tolerances of simultaneous bands whose critical value depends on the processor.

It is a quantile of simulated values: normal draws are multiplied by the eigenvectors of a
correlation matrix, each of which is determined apart from its sign. On some processors LAPACK
returns one of them with the other sign, so that the draws are others from the same distribution.
The critical value then changes within its Monte Carlo error, and limits near 0 by a larger
proportion. The tolerances are about five times the largest difference.
"""


def tolerance_of(number):
    """Return the largest relative difference with which the numbers of a call agree."""
    return (FLAT | SIMULATED).get(number, RELATIVE)


def numbers():
    """Return the numbers of all calls."""
    return [1000 * v + i for v, (_, _, n) in enumerate(VERBS) for i in range(n)]


def run(number):
    """Run a call and return its record."""
    d = Draw(number)
    _, function, _ = VERBS[number // 1000]
    found = recorded(functools.partial(function, d))
    return {"words": " ".join(d.words), **found}


# Methods of results.


def of_replicates(d, r, resampled, null):
    """Record the errors of replicates."""
    if resampled is None or d.happens(0.5):
        return
    kind, alternative = d.one(*RESAMPLED_KINDS[:3]), d.one(*ALTERNATIVES)
    r.part(
        "resampled",
        lambda: {
            "distribution": np.sort(resampled.distribution),
            "bias": resampled.bias,
            "error of bias": resampled.error_of_bias,
            "error of se": resampled.error_of_se,
            "error of interval": resampled.error_of_interval(0.9, kind),
            "error of pvalue": resampled.error_of_pvalue(null, alternative, kind),
        },
    )


def kind_of(d, result):
    """Draw a kind of interval; for resampled results more often one of replicates."""
    resampled = getattr(result, "resampled", None) is not None
    if resampled:
        return d.one(*KINDS[:3], *RESAMPLED_KINDS)
    return d.one(*KINDS, weights=(6, 3, 3, 1, 1))


def of_estimate(d, r, e):
    """Record the frame, an interval and a test of an estimate."""
    r.keep("estimate", [e.value, e.se, e.df])
    level, kind = d.one(*LEVELS), kind_of(d, e)
    r.part("frame", lambda: e.to_frame(level, kind))
    other_level, other = d.one(*LEVELS), kind_of(d, e)
    r.part("interval", lambda: e.interval(other_level, other))
    null, alternative = d.one(0.1, 0.3, 0.5, 0.6, 0.75), d.one(*ALTERNATIVES)
    of_test = kind_of(d, e)
    if d.happens(0.7):
        r.part("test", lambda: e.test(null, alternative, of_test).to_frame())
    of_replicates(d, r, e.resampled, null)
    d.say(f"kinds={kind},{other},{of_test}")


def of_estimates(d, r, es):
    """Record the frame, covariance and intervals of several estimates."""
    level, kind = d.one(*LEVELS), kind_of(d, es[0])
    r.part("frame", lambda: es.to_frame(level, kind))
    r.part("cov", lambda: es.cov)
    r.keep("estimates", [v for e in es for v in (e.value, e.se, e.df)])
    if d.happens(0.4):
        r.part("simultaneous", lambda: es.simultaneous(level))
    d.say(f"kind={kind}")


def difference_kind(d, c):
    if getattr(c, "resampled", None) is not None:
        return d.one(None, "wald", *RESAMPLED_KINDS)
    return d.one(None, "wald", "logit", weights=(6, 3, 0.3))


def of_comparison(d, r, c):
    """Record the frame, an interval and a p-value of a comparison."""
    r.keep("comparison", [c.difference, c.se, c.df, c.correlation])
    level, kind = d.one(*LEVELS), difference_kind(d, c)
    r.part("frame", lambda: c.to_frame(level, kind))
    other_level, other = d.one(*LEVELS), difference_kind(d, c)
    r.part("interval", lambda: c.interval(other_level, other))
    r.part("pvalue", lambda: c.pvalue_of(other))
    of_replicates(d, r, c.resampled, 0.02)
    d.say(f"kinds={kind},{other}")


def of_comparisons(d, r, cs, *, dear=0.3):
    """Record the frame, joint test and simultaneous intervals of several comparisons."""
    level, kind = d.one(*LEVELS), difference_kind(d, cs[0])
    r.part("frame", lambda: cs.to_frame(level, kind))
    r.part("cov", lambda: cs.cov)
    r.part("joint", lambda: cs.joint().to_frame())
    r.part("intervals", lambda: cs.intervals(level))
    if d.happens(dear):
        r.part("simultaneous", lambda: cs.simultaneous(level))
    d.say(f"kind={kind}")


def options_of_comparison(d):
    """Draw the null, the alternative and other options, or leave them out."""
    options = {}
    if d.happens(0.4):
        options["null"] = d.one(-0.05, 0.05, -0.1, 0.02)
    if d.happens(0.5):
        options["alternative"] = d.one(*ALTERNATIVES)
    d.happens(0.15)  # an option that was removed; the other draws are unchanged
    d.say(options)
    return options


def without_force(d):
    """Draw an option that was removed, so that the other draws are unchanged."""
    d.happens(0.2)
    return {}


# Functions.


@verb(500)
def estimate(d, r):
    data, scale = sample(d)
    m = measure(d, scale)
    of_estimate(d, r, pauci.estimate(data, m, source(d), **without_force(d)))


@verb(90)
def estimate_several(d, r):
    data, scale = sample(d, d.whole(1, 3))
    ms = [measure(d, scale) for _ in range(d.whole(1 if len(data.names) > 1 else 2, 3))]
    if d.happens(0.2):
        data = [data, sample(d)[0]]
    of_estimates(d, r, pauci.estimate(data, ms, source(d), **without_force(d)))


@verb(90)
def estimate_folds(d, r):
    data, scale = sample(d, kinds=draws.FOLDS)
    m = measure(d, scale)
    conservative = d.named("conservative", False, True)
    of = source(d, resampled=d.happens(0.25))
    of_estimate(d, r, pauci.estimate(data, m, of, conservative=conservative, **without_force(d)))


@verb(140)
def estimate_resampled(d, r):
    data, scale = sample(d)
    if d.happens(0.12):
        m = d.one(draws.youden, draws.half_mean)
        d.say(m.__name__)
    else:
        m = measure(d, scale)
    of_estimate(d, r, pauci.estimate(data, m, source(d, resampled=True), **without_force(d)))


@verb(240)
def compare(d, r):
    data, scale = sample(d, 2)
    m = measure(d, scale)
    of_comparison(d, r, pauci.compare(data, m, variance=source(d), **options_of_comparison(d)))


@verb(90)
def compare_independent(d, r):
    (one, scale), (other, other_scale) = sample(d), sample(d)
    m = measure(d, scale if scale == other_scale else "scores")
    options = options_of_comparison(d)
    if d.happens(0.8):
        options["independent"] = True
    of = source(d, resampled=d.happens(0.2))
    of_comparison(d, r, pauci.compare([one, other], m, variance=of, **options))


@verb(120)
def compare_several(d, r):
    data, scale = sample(d, d.whole(2, 4))
    ms = [measure(d, scale) for _ in range(2 if len(data.names) == 2 else d.whole(1, 2))]
    options = options_of_comparison(d)
    adjust = options["adjust"] = d.named("adjust", *ADJUST, weights=(5, 3, 2, 2, 1))
    if len(data.names) > 2 and d.happens(0.15):
        options["pair"] = ("c", "a")
    of = source(d, resampled=d.happens(0.15))
    c = pauci.compare(data, ms[0] if len(ms) == 1 else ms, variance=of, **options)
    if isinstance(c, pauci.Comparisons):
        of_comparisons(d, r, c, dear=0.1 if adjust == "max-t" else 0.25)
    else:
        of_comparison(d, r, c)


@verb(70)
def compare_folds(d, r):
    data, scale = sample(d, d.one(2, 2, 3), kinds=draws.FOLDS)
    m = measure(d, scale)
    conservative = d.named("conservative", False, True)
    of = source(d, resampled=d.happens(0.25))
    options = options_of_comparison(d)
    c = pauci.compare(data, m, variance=of, conservative=conservative, **options)
    (of_comparisons if isinstance(c, pauci.Comparisons) else of_comparison)(d, r, c)


@verb(90)
def compare_resampled(d, r):
    data, scale = sample(d, 2)
    m = draws.youden if d.happens(0.08) else measure(d, scale)
    of = source(d, resampled=True)
    of_comparison(d, r, pauci.compare(data, m, variance=of, **options_of_comparison(d)))


EDGES = {
    "fpr": ((0, 0.1, 0.3, 1), (0, 0.25, 0.5, 1), (0, 0.2, 1)),
    "tpr": ((0, 0.5, 0.8, 1), (0, 0.3, 1)),
    "rank": ((0, 0.25, 0.5, 1), (0, 0.1, 0.4, 1)),
    "threshold": ((-np.inf, 0, 1, np.inf), (-np.inf, 0.5, np.inf)),
}


@verb(75)
def profile(d, r):
    data, scale = sample(d, d.one(1, 1, 2))
    by = d.named("by", *EDGES)
    edges = d.one(*EDGES[by])
    if scale == "ratings" and by == "threshold":
        edges = (1, 2, 4, 5)
    options = {}
    if d.happens(0.2):
        options["ends"] = "middle"
    if d.happens(0.3):
        options["prevalence"] = d.one(*PREVALENCES)
    d.say(f"{edges} {options}")
    p = pauci.profile(data, by, edges, variance=source(d, resampled=d.happens(0.15)), **options)
    level = d.one(*LEVELS)
    r.part("frame", lambda: p.to_frame(level))
    for one in [p] if isinstance(p, pauci.Profile) else p:
        r.part(f"{one.classifier} cov", lambda one=one: one.cov)
        r.part(f"{one.classifier} total", lambda one=one: one.total.to_frame(level))
        if d.happens(0.3):
            r.part(f"{one.classifier} series", lambda one=one: one.series("paucc", level))


GRIDS = {
    "fpr": ((0.1, 0.2, 0.4, 0.7, 1), (0.2, 0.5), ((0, 0.2), (0.2, 0.6), (0.6, 1))),
    "tpr": ((0.2, 0.5, 0.8), ((0.3, 0.7), (0.5, 1))),
    "specificity": ((0.5, 0.7, 0.9),),
    "sensitivity": ((0.3, 0.5, 0.8),),
    "threshold": ((-0.5, 0, 0.5, 1), ((0, 1), (0.5, 2))),
}


def normalized(**where):
    return pauci.PAUC(normalized=True, **where)


def share_of_area(**where):
    return pauci.PAUC(**where) / pauci.AUC()


@verb(75)
def scan(d, r):
    both = d.one("one", "paired", "independent", weights=(4, 4, 1))
    data, scale = sample(d, 2 if both == "paired" else 1)
    if both == "independent":
        data = [data, sample(d)[0]]
    axis = d.named("axis", *GRIDS, weights=(5, 3, 1, 1, 2))
    grid = (2, 3, 4) if scale == "ratings" and axis == "threshold" else d.one(*GRIDS[axis])
    family = d.one(
        pauci.PAUCc,
        pauci.PAUC,
        pauci.PAUCx,
        pauci.SPA,
        pauci.PartialC,
        pauci.LocalC,
        normalized,
        share_of_area,
    )
    if d.happens(0.15):
        axis, grid, family = "fpr", (0.1, 0.2, 0.4), pauci.Sensitivity
    options = {"rng": d.seed(), "n_draws": d.whole(1000, 3000)}
    if both != "one" and d.happens(0.3):
        options["alternative"] = d.one("greater", "less")
    if d.happens(0.2):
        options["fewest"] = d.one(3, 8, 15)
    if d.happens(0.2):
        options["null"] = d.one(0.02, -0.03, 0.1)
    if both == "independent":
        options["independent"] = True
    d.say(f"{both} {axis}={grid} {family.__name__} {options}")
    of = source(d, resampled=d.happens(0.15))
    s = pauci.scan(data, family, variance=of, **{axis: grid}, **options)
    level = d.one(*LEVELS)
    r.part("frame", lambda: s.to_frame(level))
    r.part("pvalue", lambda: s.pvalue)
    r.part("critical", lambda: s.critical(level))
    r.part("largest", lambda: s.largest_at(level))
    r.part("cov", lambda: s.cov)


@verb(60)
def band(d, r):
    both = d.one("one", "paired", "independent", weights=(4, 3, 1))
    data, scale = sample(d, 2 if both == "paired" else 1, but=("fold",))
    options = {"level": d.one(*LEVELS), "kind": d.one("simultaneous", "pointwise")}
    if both == "independent":
        data, options["independent"] = [data, sample(d)[0]], True
    if d.happens(0.6):
        options[d.one("fpr", "specificity")] = d.one((0, 0.2), (0.1, 0.5), (0, 1), (0.5, 1))
    if d.happens(0.2):
        options["points"] = d.one(True, False)
    d.say(f"{both} {scale} {options}")
    b = pauci.band(data, **options)
    r.part("frame", b.to_frame)
    r.part("critical", lambda: b.critical)


@verb(65)
def operating_points(d, r):
    data, scale = sample(d)
    options = {}
    if d.happens(0.4):
        options["prevalence"] = d.one(*PREVALENCES)
    asked = d.one("all", "thresholds", "fpr", "tpr", "specificity", "sensitivity")
    if asked == "thresholds":
        options[asked] = [2, 3, 4] if scale == "ratings" else [-0.5, 0.4, 1.1]
    elif asked != "all":
        options[asked] = d.one(0.1, [0.2, 0.8], [0.9, 0.95, 0.5], [0, 1])
    d.say(options)
    points = pauci.operating_points(data, **options)
    level = d.one(*LEVELS)
    r.part("frame", lambda: points.to_frame(level))
    if asked == "all":
        r.part("youden", lambda: points.youden)
        r.part("closest", lambda: points.closest)
    r.part("rules", lambda: [(e.value, e.se, *e.interval(level)) for e in rules_of(points)])


def rules_of(points):
    return [p.rule for p in points.selected or () if p.rule is not None]


@verb(15)
def curve_points(d, r):
    data, _ = sample(d, d.whole(1, 2))
    prevalence = d.named("prevalence", None, 0.2)
    r.part("frame", lambda: pauci.curve_points(data, prevalence))


@verb(60)
def permutation_test(d, r):
    few = {"few": 1} if d.happens(0.25) else None
    data, scale = sample(d, d.one(1, 2, 2), few, but=("weight", "all", "frequency"))
    m = draws.half_mean if d.happens(0.06) else measure(d, scale)
    options = {"n_resamples": d.whole(49, 299), "rng": d.seed(), "progress": False}
    if d.happens(0.5):
        options["alternative"] = d.one(*ALTERNATIVES)
    d.say(options)
    t = pauci.permutation_test(data, m, **options)
    r.part("frame", t.to_frame)
    r.part("error", lambda: t.error_of_pvalue)
    r.part("distribution", lambda: np.sort(t.distribution))


# Plans.


def pilot(d, classifiers):
    """Draw a pilot sample or an assumption of one or two classifiers."""
    if d.happens(0.4):
        auc = [d.one(0.7, 0.8, 0.85, 0.92), d.one(0.65, 0.75, 0.8)][:classifiers]
        options = {"n": 2000, "rng": d.seed(), "design": d.one("case-control", "cohort")}
        if classifiers == 2:
            options["correlation"] = d.one(0.3, 0.6)
        if d.happens(0.3):
            options["sd"] = d.one(0.8, 1.25)
        d.say(f"binormal({auc}, {options})")
        made = pauci.binormal(auc if classifiers == 2 else auc[0], **options), "scores"
    elif classifiers == 2 and d.happens(0.25):
        (one, scale), (other, _) = sample(d), sample(d)
        made = [one, other], scale
    else:
        made = sample(d, classifiers)
    return made


def plan(d):
    """Draw the common arguments of sample sizes: pilot, measure and options."""
    classifiers = d.whole(1, 2)
    data, scale = pilot(d, classifiers)
    options = {}
    if d.happens(0.4):
        options["alternative"] = d.one(*ALTERNATIVES)
    if d.happens(0.3):
        options["alpha"] = d.one(0.01, 0.1, 0.025)
    if classifiers == 2:
        if d.happens(0.6):
            options["difference"] = d.one(0.05, 0.1, -0.08)
        if d.happens(0.3):
            options["null"] = d.one(-0.05, 0.02)
    else:
        options["null"] = d.one(0.1, 0.5, 0.6, 0.7)
        if d.happens(0.3):
            options["value"] = d.one(0.3, 0.75, 0.8)
        if d.happens(0.3):
            options["kind"] = d.one("logit", "wald", "log")
    m = measure(d, scale, but={"combination"} if d.happens(0.7) else ())
    d.say(options)
    return data, m, options


@verb(40)
def power(d, r):
    data, m, options = plan(d)
    n_pos, n_neg = d.whole(15, 120), d.whole(20, 400)
    d.say(f"{n_pos}+{n_neg}")
    r.part("power", lambda: pauci.power(data, m, n_pos, n_neg, **options))


@verb(50)
def sample_size(d, r):
    if d.happens(0.3):
        data, scale = pilot(d, d.whole(1, 2))
        m, options = measure(d, scale), {"width": d.one(0.1, 0.15, 0.3)}
        if d.happens(0.3):
            options["level"] = d.one(0.9, 0.99)
    else:
        data, m, options = plan(d)
        options["power"] = d.one(0.8, 0.9)
    if d.happens(0.6):
        options["ratio"] = d.one(1, 2, 0.5, 4)
    d.say(options)
    r.part("plan", lambda: pauci.sample_size(data, m, **options).to_frame())


@verb(30)
def expected_width(d, r):
    data, scale = pilot(d, d.whole(1, 2))
    m = measure(d, scale)
    n_pos, n_neg = d.whole(15, 120), d.whole(20, 400)
    options = {"level": d.one(0.95, 0.9)} if d.happens(0.5) else {}
    d.say(f"{n_pos}+{n_neg} {options}")
    r.part("width", lambda: pauci.expected_width(data, m, n_pos, n_neg, **options))


# Fits.

MODELS = ("fit_binormal", "fit_proper", "fit_contaminated")
FIT_KINDS = {
    "plain": 5,
    "ratings": 5,
    "counts": 7,
    "frequency": 1,
    "weight": 2,
    "cluster": 2,
    "lower": 1,
}


def fitted(d, data, model=None):
    """Draw a curve fitted to a sample of one classifier."""
    model = model or d.one(*MODELS)
    options = {"covariance": "robust"} if d.happens(0.25) else {}
    d.say(f"{model} {options}")
    return getattr(pauci, model)(data, **options)


@verb(66)
def fit(d, r):
    data, _ = sample(d, kinds=FIT_KINDS)
    f = fitted(d, data)
    level = d.one(*LEVELS)
    r.part("frame", lambda: f.to_frame(level))
    r.part("se", lambda: f.se)
    r.part("loglik", lambda: f.loglik)
    r.part("auc", lambda: (f.auc, f.auc_se, *f.auc_interval(level)))
    r.part("cov", lambda: f.cov)
    r.part("cuts", lambda: f.cuts)
    r.part("goodness", lambda: goodness(f))
    r.part("tpr", lambda: f.tpr(np.array([0.01, 0.1, 0.3, 0.7])))


def goodness(f):
    g = f.goodness
    return (
        {
            name: getattr(g, name)
            for name in ("statistic", "df", "pvalue", "design_effect")
            if hasattr(g, name)
        }
        if g is not None
        else "none"
    )


SMOOTH = ("PartialC", "LocalC", "AUK", "MaxKappa", "InitialTPR")


@verb(50)
def estimate_fit(d, r):
    data, scale = sample(d, kinds=FIT_KINDS)
    f = fitted(d, data)
    ms = [measure(d, scale, but=SMOOTH if d.happens(0.8) else ()) for _ in range(d.whole(1, 2))]
    if len(ms) == 1:
        of_estimate(d, r, pauci.estimate(f, ms[0]))
    else:
        of_estimates(d, r, pauci.estimate(f, ms))


@verb(40)
def compare_fit(d, r):
    model = d.one(*MODELS)
    if d.happens(0.6):
        data, scale = sample(d, 2, kinds=FIT_KINDS)
        fits = [fitted(d, data[name], model) for name in data.names]
    else:
        (one, scale), (other, _) = sample(d, kinds=FIT_KINDS), sample(d, kinds=FIT_KINDS)
        fits = [fitted(d, one, model), fitted(d, other, model)]
    m = measure(d, scale, but=SMOOTH)
    of_comparison(d, r, pauci.compare(fits, m, **options_of_comparison(d)))


# Readers.


def study(d, modalities=None):
    modalities = modalities or d.one(2, 2, 2, 3, 1)
    frame = draws.readings(d, modalities=modalities)
    options = {"sampling": d.one("cohort", "case-control")}
    if d.happens(0.25):
        options["cluster"] = "patient"
        frame["patient"] = frame["case"] // 3
    if d.happens(0.1):
        frame["score"], options["lower_is_positive"] = -frame["score"], True
    d.say(options)
    return pauci.ReaderStudy.from_frame(frame, **options)


def analysis(d, data, m):
    options = {}
    method = d.one("influence", "jackknife", "bootstrap", "u-statistic", weights=(6, 2, 2, 2))
    if method == "bootstrap":
        method = draws.bootstrap(d, 40)
    elif method == "u-statistic":
        m = pauci.AUC()
    options["method"] = method
    if d.happens(0.3):
        options[d.one("readers", "cases")] = "fixed"
    if d.happens(0.25):
        options["weights"] = d.one("equal", "pairs")
    if d.happens(0.25):
        options["conservative"] = True
    if d.happens(0.4):
        options["null"], options["alternative"] = d.one(-0.05, 0.03, 0), d.one(*ALTERNATIVES)
    d.say({k: v for k, v in options.items() if k != "method"})
    d.say(method if isinstance(method, str) else "bootstrap")
    return pauci.mrmc(data, m, **options)


@verb(80)
def mrmc(d, r):
    data = study(d)
    a = analysis(d, data, measure(d, but=("InitialTPR",)))
    level = d.one(*LEVELS)
    r.part("frame", lambda: a.to_frame(level))
    r.part("estimates", lambda: a.estimates)
    r.part("differences", lambda: a.differences)
    r.part("readers", lambda: a.readers)
    r.part("components", lambda: a.components)
    r.part("test", lambda: vars_of(a.test()))


def vars_of(test):
    return {name: getattr(test, name) for name in ("statistic", "df", "df_denominator", "pvalue")}


@verb(36)
def mrmc_power(d, r):
    if d.happens(0.5):
        a = {
            "error": 0.0008,
            "cov1": 0.00035,
            "cov2": 0.00034,
            "cov3": 0.00024,
            "reader_by_modality": d.one(0.0002, 0.0005, 0),
            "cases": 114,
            "reader": 0.0006,
        }
        options = {"difference": d.one(0.05, 0.03)}
    else:
        a = pauci.mrmc(study(d, 2), measure(d, but=("InitialTPR",)))
        options = {"difference": 0.05} if d.happens(0.6) else {}
    readers = d.one(5, 8, [4, 6, 12])
    if d.happens(0.4):
        options["blocks"] = 2
    if d.happens(0.3):
        options[d.one("readers_by_modalities", "cases_by_modalities")] = "nested"
    if d.happens(0.3):
        options["null"], options["alternative"] = -0.05, "greater"
    if d.happens(0.2):
        options["alpha"] = 0.01
    d.say(f"{readers} {options}")
    r.part("power", lambda: pauci.mrmc_power(a, readers, 60, 105, **options))


def other_layout(d):
    """Draw a study from a wide frame, or in the format of iMRMC."""
    frame = draws.readings(d, modalities=2)
    if d.happens(0.5):
        truth = frame.drop_duplicates("case").assign(reader="truth", modality="truth")
        truth["score"] = truth["label"]
        columns = ["reader", "case", "modality", "score"]
        d.say("imrmc")
        return pauci.ReaderStudy.from_imrmc(pd.concat([truth, frame])[columns])
    d.say("wide")
    wide = frame.pivot_table("score", ["case", "label"], ["reader", "modality"])
    cells = {f"{reader}_{modality}": (reader, modality) for reader, modality in wide.columns}
    wide.columns = list(cells)
    return pauci.ReaderStudy.from_frame(wide.reset_index(), reader=None, modality=None, score=cells)


@verb(24)
def reader_study(d, r):
    data = other_layout(d) if d.happens(0.5) else study(d)
    r.part("average", lambda: pauci.mrmc(data, pauci.AUC()).estimates)
    r.part("frame", data.to_frame)
    r.part("sizes", lambda: (data.n_pos, data.n_neg, data.n_readings, data.clusters or 0))
    r.part("design", lambda: data.design)
    r.part("missing", lambda: data.layout.missing)


# Engines.


def _polars(frame):
    import polars

    return polars.from_pandas(frame)


def _lazy(frame):
    return _polars(frame).lazy()


def _arrow(frame):
    import pyarrow

    return pyarrow.Table.from_pandas(frame, preserve_index=False)


@functools.cache
def _connection():
    import duckdb

    return duckdb.connect(config={"threads": 1})


def _duckdb(frame):
    return _connection().from_arrow(_arrow(frame))


def _dask(frame):
    import dask.dataframe

    return dask.dataframe.from_pandas(frame, npartitions=2)


ENGINES = {"polars": _polars, "polars lazy": _lazy, "pyarrow": _arrow, "duckdb": _duckdb}
DESIGNS = (
    {},
    {"frequency": "f"},
    {"weight": "w"},
    {"cluster": "ward"},
    {"fold": "fold"},
    {"weight": "w", "frequency": "f", "cluster": "ward"},
    {"design": "case-control"},
    {"lower_is_positive": ["b"]},
)


@verb(84)
def engines(d, r):
    frame = draws.rows(d)
    engine = "dask" if d.happens(0.05) else d.one(*ENGINES)
    options = {**d.one(*DESIGNS), "label": d.one("y", "truth"), "scores": d.one(["a", "b"], "a")}
    if options["label"] == "truth":
        options["positive"] = "ill"
    if options["scores"] == "a" and d.happens(0.4):
        options["scores"] = "rating"
    if "lower_is_positive" in options:
        options["scores"] = ["a", "b"]
    if "lazy" in engine or engine in ("duckdb", "dask"):
        options["resolution"] = d.one(None, None, 64, 30, "exact", 2**14)
    d.say(f"{engine} {options}")
    made = _dask(frame) if engine == "dask" else ENGINES[engine](frame)
    data = pauci.Sample.from_frame(made, **options)
    m = measure(d, "ratings" if options["scores"] == "rating" else "scores")
    of = source(d)
    if len(data.names) == 2 and d.happens(0.6):
        of_comparison(d, r, pauci.compare(data, m, variance=of, **options_of_comparison(d)))
    elif len(data.names) == 2:
        of_estimates(d, r, pauci.estimate(data, m, of))
    elif d.happens(0.2):
        r.part("frame", lambda: pauci.profile(data).to_frame())
    else:
        of_estimate(d, r, pauci.estimate(data, m, of))


@verb(40)
def odd_samples(d, r):
    data, scale = draws.odd_sample(d)
    m = measure(d, scale)
    d.say(scale)
    if scale == "scores":
        r.part("points", lambda: pauci.operating_points(data["a"], thresholds=[1, 3]).to_frame())
    if isinstance(data, list) or (len(data.names) == 2 and d.happens(0.5)):
        options = {"independent": True} if isinstance(data, list) else {}
        of_comparison(d, r, pauci.compare(data, m, variance=source(d), **options))
    else:
        of_estimates(d, r, pauci.estimate(data, [m, pauci.AUC()], source(d)))


class Contributions(VarianceMethod):
    """A user-defined method: sums of squares of influence values, and degrees of freedom."""

    key: ClassVar[str] = "contributions"

    def covariance(self, problem):
        known = uncertainty_of_problem(problem, pauci.Jackknife())
        return Uncertainty(known.matrix * 1.1, df=7.0 + 3.0 * np.arange(len(known.matrix)))


AREAS = (pauci.PAUC, pauci.PAUCx, pauci.PAUCc, pauci.PartialC)


@verb(120)
def odd_requests(d, r):
    what = d.named(
        "what",
        "share",
        "zero weights",
        "own method",
        "codes",
        "band",
        "two scales",
        weights=(6, 3, 2, 3, 2, 1),
    )
    if what == "share":
        data, _ = sample(d, d.whole(1, 2))
        area = d.one(*AREAS)
        axis = d.one("fpr", "tpr")
        low, high = d.one((0.1, 0.4), (0, 0.3), (0.6, 1), (0.4, 0.8))
        larger = d.one({}, {axis: (max(low - 0.1, 0), min(high + 0.2, 1))})
        m = area(**{axis: (low, high)}) / (area(**larger) if larger else pauci.AUC())
        d.say(f"{area.__name__} {axis} {low} {high} {larger}")
    else:
        y = labels(d)
        columns = scores(d, y, 2)
        m, options = measure(d), {"design": d.named("design", "cohort", "case-control")}
        if what == "zero weights":
            options["weight"] = np.round(d.rng.uniform(0.5, 2.0, y.size), 2)
            options["weight"][d.rng.random(y.size) < 0.2] = 0.0
            if d.happens(0.5):
                options["cluster"] = d.rng.integers(0, y.size // 3, y.size)
        elif what == "codes":
            code = d.named("code", 999, -9, 99, 1e6)
            columns["b"][d.rng.integers(0, y.size, d.whole(1, 4))] = code
        elif what == "two scales":
            columns["b"] = 100 * columns["b"]
            m = pauci.PAUCc(threshold=(0, 2))
        elif what == "band":
            columns["a"] = columns["a"] + 20 * y
        data = pauci.Sample(y, columns, **options)
    if what == "band":
        kind, level = d.one("simultaneous", "pointwise"), d.one(*LEVELS)
        for one in (data, data["a"]):
            r.part(f"{one.names}", lambda one=one: pauci.band(one, level, kind).to_frame())
        return
    of = Contributions() if what == "own method" else source(d)
    if len(data.names) == 2 and d.happens(0.6):
        of_comparison(d, r, pauci.compare(data, m, variance=of, **options_of_comparison(d)))
    elif d.happens(0.5):
        of_estimates(d, r, pauci.estimate(data, [m, pauci.AUC()], of))
    else:
        of_estimate(d, r, pauci.estimate(data["a"] if len(data.names) > 1 else data, m, of))
