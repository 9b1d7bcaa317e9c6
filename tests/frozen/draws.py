"""Data, regions, measures and variance methods of the stored calls, drawn from a number.

Any change here requires new stored results (`make.py`). Therefore this module does not use the
helpers of other tests.
"""

import numpy as np
import pandas as pd

import pauci

SEED = 20250917

SHIFTS = (0.3, 0.8, 1.2, 1.8, 2.6)
CUTS = (-0.5, 0.3, 1.0, 1.8)
FPR = (
    (0, 0.1),
    (0, 0.2),
    (0, 0.3),
    (0, 0.5),
    (0, 1 / 3),
    (0.1, 0.4),
    (0.05, 0.25),
    (0.2, 0.6),
    (0.3, 1),
    (0, 1),
)
TPR = ((0.8, 1), (0.7, 1), (0.5, 1), (2 / 3, 1), (0.4, 0.9), (0.2, 0.6), (0, 0.5), (0, 1))
THRESHOLDS = {
    "scores": ((0, np.inf), (0.5, 2), (-0.5, 1), (-np.inf, 0.7), (1, np.inf)),
    "ratings": ((2, 4), (3, np.inf), (2, 5), (-np.inf, 3), (1, np.inf)),
    "categories": (("unlikely", "likely"), ("perhaps", "yes"), ("no", "perhaps")),
}
RANGES = {
    "fpr": FPR,
    "tpr": TPR,
    "specificity": tuple((1 - b, 1 - a) for a, b in FPR),
    "sensitivity": TPR,
}
PREVALENCES = (0.1, 0.25, 0.4, 0.6)
ALTERNATIVES = ("two-sided", "greater", "less")
LEVELS = (0.95, 0.9, 0.99, 0.8)


class Draw:
    """The random numbers of one call, and a description of the drawn options."""

    def __init__(self, number):
        self.rng = np.random.default_rng([SEED, number])
        self.words = []

    def one(self, *options, weights=None):
        """Draw one of the options."""
        if weights is not None:
            weights = np.asarray(weights, dtype=float) / np.sum(weights)
        return options[int(self.rng.choice(len(options), p=weights))]

    def named(self, name, *options, weights=None):
        """Draw one of the options, and add it to the description."""
        chosen = self.one(*options, weights=weights)
        self.say(f"{name}={chosen!r}")
        return chosen

    def happens(self, chance):
        return bool(self.rng.random() < chance)

    def whole(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def say(self, words):
        self.words.append(str(words))

    def seed(self):
        return self.whole(0, 10**6)


def labels(d, kind="", fewest=12):
    """Labels 0 and 1 in random order, at most 200."""
    n_pos, n_neg = d.whole(fewest, 60), d.whole(fewest + 8, 140)
    if kind == "few":
        n_pos, n_neg = d.whole(4, 8), d.whole(4, 12)
    elif kind == "unequal":
        n_pos, n_neg = d.whole(10, 14), d.whole(150, 180)
    d.say(f"{n_pos}+{n_neg}")
    return d.rng.permutation(np.repeat([1, 0], [n_pos, n_neg]))


def scores(d, y, k, *, ratings=False):
    """Scores of k classifiers, correlated; ratings 1 to 5 or numbers of some digits."""
    shift = d.one(*SHIFTS, -0.4, 9.0, weights=(2, 4, 5, 4, 2, 0.4, 0.4))
    spread = d.one(1.0, 1.5, 0.7)
    digits = None if ratings else d.one(None, 2, 1, 0, weights=(4, 2, 3, 1))
    common = d.rng.normal(size=y.size)
    d.say(f"shift={shift} spread={spread} digits={digits}")
    found = {}
    for i, name in enumerate("abcd"[:k]):
        own = d.rng.normal(size=y.size)
        s = 0.7 * common + 0.7 * own
        s = np.where(y == 1, (1 - 0.15 * i) * shift + spread * s, s)
        if ratings:
            s = np.digitize(s, CUTS) + 1
        elif digits is not None:
            s = np.round(s, digits) + 0.0
        found[name] = s
    if k > 1 and d.happens(0.02):
        d.say("identical")
        found["b"] = found["a"].copy()
    return found


KINDS = {
    "plain": 24,
    "frequency": 8,
    "weight": 10,
    "cluster": 12,
    "all": 6,
    "lower": 6,
    "ratings": 10,
    "counts": 9,
    "few": 4,
    "unequal": 5,
}
FOLDS = {"fold": 6, "fold and cluster": 3, "repeated folds": 3, "fold and weight": 1}


def extras(d, kind, y):
    """The further columns of a kind of data."""
    n, more = y.size, {}
    if kind in ("frequency", "all"):
        more["frequency"] = d.rng.integers(0 if d.happens(0.3) else 1, 4, n)
    if kind in ("weight", "all", "fold and weight"):
        more["weight"] = np.round(d.rng.uniform(0.5, 2.0, n), 3)
    if kind in ("cluster", "all", "fold and cluster"):
        some = d.one(2, 3, 5, 9, weights=(3, 4, 3, 1))
        d.say(f"rows/cluster={some}")
        more["cluster"] = d.rng.integers(0, max(n // some, 2), n)
        if d.happens(0.3):
            more["cluster"] = np.array([f"p{c}" for c in more["cluster"]])
    if "fold" in kind:
        folds = d.whole(2, 5)
        d.say(f"folds={folds}")
        more["fold"] = split(y, folds)
    return more


def split(y, folds):
    """Folds with about as many of each class."""
    fold = np.empty(y.size, dtype=int)
    for label in (0, 1):
        which = np.flatnonzero(y == label)
        fold[which] = np.arange(which.size) % folds
    return fold


def sample(d, k=1, kinds=None, but=()):
    """A sample of k classifiers with a scale: "scores" or "ratings"."""
    kinds = {kind: w for kind, w in (kinds or KINDS).items() if kind not in but}
    kind = d.one(*kinds, weights=list(kinds.values()))
    design = d.one("cohort", "case-control", weights=(7, 3))
    d.say(f"[{kind} {design}")
    if kind == "counts" and k <= 2:
        made = counts(d, k, design), "ratings"
    elif kind == "repeated folds":
        made = repeated(d, k, design), "scores"
    else:
        y = labels(d, kind, 24 if "fold" in kind else 12)
        scale = "ratings" if kind in ("ratings", "counts") else "scores"
        columns = scores(d, y, k, ratings=scale == "ratings")
        options = {"design": design, **extras(d, kind, y)}
        if kind == "lower":
            options["lower_is_positive"] = lower = [*columns][: d.whole(1, k)]
            columns = {c: -s if c in lower else s for c, s in columns.items()}
        if d.happens(0.1):
            y, options["positive"] = np.where(y == 1, "ill", "well"), "ill"
        made = pauci.Sample(y, columns, **options), scale
    d.say("]")
    return made


def counts(d, k, design):
    """An ordinal table, or a paired one."""
    n_pos, n_neg = d.whole(15, 80), d.whole(20, 110)
    levels = [5, 4, 3, 2, 1]
    up, down = np.array([5, 4, 3, 2, 1.0]), np.array([1, 2, 3, 5, 7.0])
    d.say(f"{n_pos}+{n_neg}")
    if k == 1:
        pos = d.rng.multinomial(n_pos, up / up.sum())
        neg = d.rng.multinomial(n_neg, down / down.sum())
        return pauci.Sample.from_counts(levels, pos, neg, name="film", design=design)
    near = np.exp(-0.7 * np.abs(np.subtract.outer(range(5), range(5))))
    pos, neg = (
        d.rng.multinomial(n, (p / p.sum()).ravel()).reshape(5, 5)
        for n, p in ((n_pos, near * up[:, None]), (n_neg, near * down))
    )
    return pauci.Sample.from_counts(levels, pos, neg, names=("a", "b"), design=design)


def repeated(d, k, design):
    """Repeated cross-validation: every row once in each repetition."""
    y = d.rng.permutation(np.repeat([1, 0], [d.whole(20, 30), d.whole(25, 50)]))
    columns = scores(d, y, k)
    times, folds = d.whole(2, 3), d.whole(2, 4)
    d.say(f"{y.size} rows {times}x{folds}")
    shaken = {
        name: np.round(np.tile(s, times) + 0.2 * d.rng.normal(size=times * y.size), 4)
        for name, s in columns.items()
    }
    order = [split(y, folds) if i == 0 else split_at_random(d, y, folds) for i in range(times)]
    return pauci.Sample(
        np.tile(y, times),
        shaken,
        design=design,
        cluster=np.tile(np.arange(y.size), times),
        fold=np.concatenate([f + folds * i for i, f in enumerate(order)]),
    )


def split_at_random(d, y, folds):
    """Folds with about as many of each class, in random order."""
    order = d.rng.permutation(y.size)
    fold = np.empty(y.size, dtype=int)
    fold[order] = split(y[order], folds)
    return fold


REGIONAL = {
    "PAUC": "fpr tpr threshold both",
    "PAUCx": "fpr tpr threshold both",
    "PAUCc": "fpr tpr threshold both",
    "PartialC": "fpr tpr threshold",
    "LocalC": "fpr tpr threshold",
    "SPA": "fpr tpr",
}
MEASURES = {
    "AUC": 5,
    "PAUC": 7,
    "PAUCx": 6,
    "PAUCc": 14,
    "PartialC": 4,
    "LocalC": 4,
    "SPA": 5,
    "PAI": 3,
    "Sensitivity": 6,
    "Specificity": 5,
    "AP": 9,
    "AUK": 4,
    "MaxKappa": 3,
    "InitialTPR": 2,
    "combination": 7,
}


def measure(d, scale="scores", but=()):
    """A measure with its options, or a combination of two."""
    names = {name: w for name, w in MEASURES.items() if name not in but}
    name = d.one(*names, weights=list(names.values()))
    if name == "combination":
        operation = d.one("-", "+", "/")
        first, second = (measure(d, scale, {*but, "combination"}) for _ in "12")
        d.say(f"({operation})")
        if operation == "/":
            return first / second
        return first - second if operation == "-" else first + second
    options = options_of_measure(d, name, scale)
    d.say(f"{name}({', '.join(f'{k}={v}' for k, v in options.items())})")
    return getattr(pauci, name)(**options)


def options_of_measure(d, name, scale):
    options = {}
    if name in REGIONAL:
        options |= region(d, REGIONAL[name].split(), scale)
        if name.startswith("PAUC") and d.happens(0.3):
            options["normalized"] = True
        if "threshold" not in options and d.happens(0.25):
            options["ends"] = "middle"
    elif name in ("Sensitivity", "Specificity", "PAI"):
        own, other = ("fpr", "specificity") if name == "Sensitivity" else ("tpr", "sensitivity")
        if d.happens(0.3):
            options[other] = d.one(0.9, 0.8, 0.95, 0.7)
        else:
            options[own] = d.one(*((0.05, 0.1, 0.2, 1 / 3, 0.5) if own == "fpr" else (0.9, 0.7)))
    elif name in ("AP", "AUK", "MaxKappa"):
        if d.happens(0.5):
            options["prevalence"] = d.one(*PREVALENCES, 0.02, weights=(4, 4, 4, 4, 1))
        if name == "AP":
            for option in ("negatives", "rescaled", "corrected"):
                if d.happens(0.25):
                    options[option] = True
    elif name == "AUC" and d.happens(0.25):
        options["rescaled"] = True
    return options


def region(d, axes, scale):
    """A region on one of these axes, or on both."""
    axis = d.one(*axes)
    if axis == "both":
        return {
            "fpr": d.one((0, 0.4), (0, 0.6), (0.1, 0.7)),
            "tpr": d.one((0.4, 1), (0.3, 0.9), (0.6, 1)),
        }
    if axis == "threshold":
        return {"threshold": d.one(*THRESHOLDS[scale])}
    if d.happens(0.2):
        axis = {"fpr": "specificity", "tpr": "sensitivity"}[axis]
    return {axis: d.one(*RANGES[axis])}


def youden(y, s):
    """A user-defined measure: a function of labels and scores."""
    order = np.unique(s)
    return max(np.mean(s[y == 1] >= t) - np.mean(s[y == 0] >= t) for t in order)


def half_mean(y, s):
    """Another user-defined measure, without a maximum."""
    return float(np.mean(s[y == 1]) - np.mean(s[y == 0])) / 2


def bootstrap(d, most=60):
    """A bootstrap of few replicates."""
    options = {"n_resamples": d.whole(30, most), "rng": d.seed(), "progress": False}
    if d.happens(0.25):
        options["scheme"] = d.one("stratified", "cohort")
    if d.happens(0.2):
        options["batch"] = d.whole(3, 20)
    d.say(f"Bootstrap{options}")
    return pauci.Bootstrap(**options)


def source(d, *, resampled=False):
    """A variance method, most often the default."""
    if resampled:
        what = d.one("bootstrap", "jackknife", "delta", weights=(6, 3, 1))
        if what == "bootstrap":
            return bootstrap(d)
        d.say(what)
        return pauci.Jackknife() if what == "jackknife" and d.happens(0.5) else what
    return d.named("variance", "influence", "delta", "jackknife", weights=(17, 2, 1))


def rows(d, n=160):
    """Return a data frame with all kinds of columns, for frames of engines."""
    y = d.rng.permutation(np.arange(n) < n // 3).astype(np.int64)
    digits = d.named("digits", 0, 1, 2, 9)
    return pd.DataFrame(
        {
            "y": y,
            "truth": np.where(y == 1, "ill", "well"),
            "a": np.round(d.rng.normal(size=n) + 1.3 * y, digits) + 0.0,
            "b": np.round(d.rng.normal(size=n) + 0.9 * y, digits) + 0.0,
            "rating": d.rng.integers(1, 5, n).astype(np.int64) + y,
            "w": np.round(d.rng.uniform(0.5, 2.0, n), 2),
            "f": d.rng.integers(1, 4, n).astype(np.int64),
            "ward": d.rng.integers(0, n // 4, n),
            "fold": split(y, 3),
        }
    )


def odd_sample(d):
    """Draw a sample from a frame with missing values and a third label, categories, or a table."""
    what = d.named("data", "missing", "codes", "third label", "categories", "shares", "crosstab")
    frame = rows(d)
    n = len(frame)
    if what == "missing":
        frame.loc[d.rng.integers(0, n, 9), "a"] = np.nan
        return pauci.Sample.from_frame(frame, "y", ["a", "b"], drop_missing=True), "scores"
    if what == "codes":
        frame.loc[d.rng.integers(0, n, 9), "b"] = 999
        made = pauci.Sample.from_frame(frame, "y", ["a", "b"], missing=999, drop_missing=True)
        return made, "scores"
    if what == "third label":
        frame.loc[d.rng.integers(0, n, 12), "truth"] = "unknown"
        labels = {"positive": "ill", "negative": "well"}
        return pauci.Sample.from_frame(frame, "truth", ["a", "b"], **labels), "scores"
    if what == "categories":
        names = ["no", "unlikely", "perhaps", "likely", "yes"]
        for column in ("rating", "other"):
            codes = d.rng.integers(0, 4, n) + frame["y"].to_numpy()
            frame[column] = pd.Categorical.from_codes(codes, names, ordered=True)
        return pauci.Sample.from_frame(frame, "y", ["rating", "other"]), "categories"
    pos, neg = d.rng.integers(1, 30, 5), d.rng.integers(1, 40, 5)
    if what == "shares":
        made = [
            pauci.Sample.from_counts([5, 4, 3, 2, 1], p, neg, name=name, fractional=True)
            for name, p in (("a", pos + 0.5), ("b", pos[::-1] + 0.25))
        ]
        return made, "ratings"
    table = pd.crosstab(frame["rating"], frame["truth"])
    lower = d.named("lower", False, True)
    made = pauci.Sample.from_counts(table, positive="ill", lower_is_positive=lower, name="a")
    return made, "ratings"


def readings(d, readers=None, modalities=2):
    """A long frame of readings: readers, modalities and cases with effects of their own."""
    readers = d.whole(3, 5) if readers is None else readers
    design = d.named("design", "factorial", "split-plot", "missing", weights=(6, 2, 2))
    blocks = 2 if design == "split-plot" else 1
    n_pos, n_neg = blocks * d.whole(10, 22), blocks * d.whole(14, 30)
    truth = np.repeat([1, 0], [n_pos, n_neg])
    block = np.arange(truth.size) % blocks
    difficulty = 0.5 * d.rng.normal(size=truth.size)
    categories = d.named("categories", None, CUTS)
    d.say(f"{readers} readers, {modalities} modalities, {n_pos}+{n_neg}")
    parts = []
    for m in range(modalities):
        for r in range(readers):
            which = np.flatnonzero(block == r % blocks)
            if design == "missing" and d.happens(0.5):
                which = np.delete(which, d.rng.integers(0, which.size))
            t = truth[which]
            s = t * (1.4 - 0.25 * m + 0.25 * d.rng.normal())
            s = s + difficulty[which] + 0.85 * d.rng.normal(size=which.size)
            s = np.round(s, 2) + 0.0 if categories is None else np.digitize(s, categories)
            parts.append(
                pd.DataFrame(
                    {
                        "reader": f"r{r}",
                        "modality": "ABC"[m],
                        "case": which,
                        "label": t,
                        "score": s,
                        "patient": which // 2,
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)
