"""Standard errors and degrees of freedom of all functions against the rule by brute force."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import pauci
import rule
from pauci.sample import rows
from pauci.variance import contributions, ends
from pauci.variance.z import FIRST_CLASS, SEVERAL_CLASSES, UnitLabels, Z, join
from rule import (
    Part,
    average_of,
    combined,
    connected,
    degrees_of_freedom,
    part_of,
    rows_of,
    selected,
    strata_of,
)

pytestmark = pytest.mark.usefixtures("quiet")

AUC, PAUC, AP = pauci.AUC(), pauci.PAUC(threshold=(-0.7, 1.3)), pauci.AP(corrected=False)
MEASURES = [AUC, PAUC, AP]
"""Measures without estimated ends, which have other rows (`test_ends`)."""


def check(found, expected, measure=AUC):
    """Compare value, SE and df; derivatives are less exact than placement values."""
    exact = measure == AUC
    value, se, df = expected
    assert found[0] == pytest.approx(value, rel=1e-12, abs=1e-14)
    assert found[1] == pytest.approx(se, rel=1e-10 if exact else 2e-6)
    assert found[2] == pytest.approx(df, rel=1e-8 if exact else 2e-5)


@pytest.fixture(autouse=True)
def without_unseen(monkeypatch):
    """Leave out the rows for scores that the sample lacks (`test_unseen`)."""
    monkeypatch.setattr(ends, "changes_by_unseen", lambda *_: {})


def of(q):
    return q.value, q.se, q.df


def data(n=70, share=0.4, seed=1, digits=None):
    """Labels, and two correlated scores, one with heavy tails."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < share * n).astype(int)[rng.permutation(n)]
    common = rng.normal(size=n) + y
    a, b = common + rng.normal(size=n), common + rng.standard_t(3, n)
    if digits is not None:
        a, b = np.round(a, digits), np.round(b, digits)
    return y, {"a": a, "b": b}


HELD = {
    "pure": (12, 16, 0),
    "mixed": (0, 0, 14),
    "pure and mixed": (7, 9, 8),
    "few without positives": (0, 3, 12),
    "few without negatives": (4, 0, 12),
    "few of one class": (2, 3, 11),
    "four that hold both": (8, 3, 4),
    "one that holds both": (9, 12, 1),
}
"""Numbers of clusters that hold only positives, only negatives, and both."""
STRATA = {
    "few without positives": [15],
    "few without negatives": [16],
    "few of one class": [16],
    "four that hold both": [8, 3, 4],
}
"""Sizes of the strata, where classes of clusters are joined or might have been."""


def clusters(kind, y, seed=11):
    """Return the cluster of each row; the first clusters of each kind are larger."""
    rng = np.random.default_rng(seed)
    pos, neg, both = HELD[kind]
    unit = np.empty(y.size, int)
    for label, single, first in ((1, pos, 0), (0, neg, 100)):
        names = np.r_[first + np.arange(single), 200 + np.arange(both)]
        chance = 1.0 / (1 + np.r_[np.arange(single), np.arange(both)]) ** 0.3
        rows = np.flatnonzero(y == label)
        more = rng.choice(names, rows.size - names.size, p=chance / chance.sum())
        unit[rows] = rng.permutation(np.r_[names, more])
    return unit


@pytest.fixture
def without_limit(monkeypatch):
    """Leave out the limit by the number of clusters, which hides the moments in most designs."""
    for module in (contributions, rows):
        monkeypatch.setattr(module, "df_of_clusters", lambda _: math.inf)
    monkeypatch.setattr(rule, "limit_of", lambda _: math.inf)


DESIGNS = {
    "rows": {},
    "ratings": {"digits": 0},
    "few positives": {"share": 0.06},
    "few negatives": {"share": 0.94},
    "weights": {"weight": True},
    "frequencies": {"frequency": True},
    "weights and frequencies": {"weight": True, "frequency": True},
    "case-control": {"design": "case-control"},
}


def given_rows(y, weight=False, frequency=False, **options):
    """Return weights and frequencies, some of which are 0."""
    rng = np.random.default_rng(8)
    given = dict(options)
    if weight:
        given["weight"] = rng.uniform(0.3, 2, y.size) * (rng.random(y.size) > 0.1)
    if frequency:
        given["frequency"] = rng.integers(0, 4, y.size)
    return given


def parts_of(y, scores, measure, unit=None, design="cohort", **given):
    cohort = design == "cohort"
    return [part_of(rows_of(y, s, unit, **given), measure, cohort=cohort) for s in scores.values()]


def check_paired(y, scores, measure, unit=None, **given):
    """Compare the estimates of two classifiers, their difference and their average."""
    sample = pauci.Sample(y, scores, cluster=unit, **given)
    parts = parts_of(y, scores, measure, unit, **given)
    es = pauci.estimate(sample, measure)
    check(of(es[0]), combined(parts, [1, 0]), measure)
    check(of(es[1]), combined(parts, [0, 1]), measure)
    check(of(pauci.compare(sample, measure)), combined(parts, [1, -1]), measure)
    check(of(es.contrast([0.5, 0.5])), combined(parts, [0.5, 0.5]), measure)
    return parts


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_rows(measure, design):
    options = dict(DESIGNS[design])
    data_options = {k: options.pop(k) for k in ("digits", "share") if k in options}
    y, scores = data(**data_options)
    check_paired(y, scores, measure, **given_rows(y, **options))


@pytest.mark.parametrize("given", [{}, {"weight": True, "frequency": True}], ids=["", "weights"])
@pytest.mark.parametrize("kind", HELD)
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.usefixtures("without_limit")
def test_clusters(measure, kind, given):
    y, scores = data(90)
    unit = clusters(kind, y)
    effect = np.random.default_rng(2).normal(size=400)[unit]
    scores = {k: s + effect for k, s in scores.items()}
    check_paired(y, scores, measure, unit, **given_rows(y, **given))


@pytest.mark.parametrize("kind", HELD)
def test_clusters_with_the_limit(kind):
    y, scores = data(90)
    check_paired(y, scores, AUC, clusters(kind, y))


@pytest.mark.parametrize("kind", HELD)
def test_the_designs_of_clusters_have_different_strata(kind):
    y, scores = data(90)
    (part, _) = parts_of(y, scores, AUC, clusters(kind, y))
    classes = {
        u: {c for c, units in (("+", part.pos), ("-", part.neg)) if u in units} for u in part.z
    }
    held = len(part.pos - part.neg), len(part.neg - part.pos), len(part.pos & part.neg)
    assert held == HELD[kind]
    assert [len(s) for s in strata_of(classes)] == STRATA.get(kind, [n for n in held if n])


def test_the_limit_of_clusters_applies_to_clusters_with_several_rows():
    """Sixty clusters with negatives, six with positives: 5, but not if each has a single row."""
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(66), 2)
    y = (cluster < 6).astype(int)
    effect = rng.normal(size=66)
    s = y + effect[cluster] + rng.normal(size=y.size)
    several = pauci.estimate(pauci.Sample(y, s, cluster=cluster), AUC)
    assert several.df == 5
    check(of(several), combined(parts_of(y, {"s": s}, AUC, cluster), [1]))
    single = pauci.Sample(y[::2], s[::2], cluster=cluster[::2])
    e = pauci.estimate(single, AUC)
    check(of(e), combined(parts_of(y[::2], {"s": s[::2]}, AUC), [1]))
    assert e.df != 5
    twice = pauci.Sample(y[::2], s[::2], cluster=cluster[::2], frequency=np.full(66, 2))
    check(
        of(pauci.estimate(twice, AUC)),
        combined(parts_of(y[::2], {"s": s[::2]}, AUC, cluster[::2], frequency=[2] * 66), [1]),
    )


def long(n=60, seed=48):
    """Two readings of patients with several rows in each.

    Some patients are in one reading only, or have other classes in the second reading.
    """
    rng = np.random.default_rng(seed)
    columns = []
    for reading in (0, 1):
        y = rng.permutation((np.arange(n) < 24).astype(int))
        patient = clusters("pure and mixed", y, seed + reading)
        if reading:
            patient = np.where(patient >= 100, patient - 96, patient + 100)
        s = y * (1.5 + np.tan(patient)) + rng.normal(size=n)
        columns.append((y, np.round(s, 3), patient))
    return columns


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.usefixtures("without_limit")
def test_samples_with_shared_clusters(measure):
    columns = long()
    parts = [part_of(rows_of(*c), measure) for c in columns]
    samples = [pauci.Sample(y, s, cluster=p, name=f"s{i}") for i, (y, s, p) in enumerate(columns)]
    c = pauci.compare(samples, measure, shared_clusters=True)
    check(of(c), combined(parts, [1, -1]), measure)
    es = pauci.estimate(samples, measure, shared_clusters=True)
    check(of(es.contrast([0.3, 0.7])), combined(parts, [0.3, 0.7]), measure)
    joined = pauci.join([pauci.estimate(s, measure) for s in samples], shared_clusters=True)
    check(of(joined.contrast([1, -1])), combined(parts, [1, -1]), measure)
    apart = [
        part._replace(
            z={(i, u): v for u, v in part.z.items()},
            pos={(i, u) for u in part.pos},
            neg={(i, u) for u in part.neg},
        )
        for i, part in enumerate(parts)
    ]
    local = pauci.compare(samples, measure, independent=True)
    check(of(local), combined(apart, [1, -1]), measure)
    if measure == AUC:
        assert local.df != pytest.approx(c.df, rel=1e-3)


@pytest.mark.parametrize("shared", [False, True], ids=["rows", "clusters"])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_groups(measure, shared):
    columns = long()
    y, s, patient = (np.concatenate(c) for c in zip(*columns, strict=True))
    group = np.repeat(["x", "y"], 60)
    group[50:70] = "z"
    unit = patient if shared else np.arange(y.size)
    sample = pauci.Sample(y, s, cluster=patient if shared else None, group=group)
    parts = [
        part_of(rows_of(y[at], s[at], unit[at]), measure) for g in "xyz" for at in [group == g]
    ]
    everyone = part_of(rows_of(y, s, unit), measure)
    es = pauci.estimate(sample, measure, by="group")
    for k, e in enumerate(es):
        check(of(e), combined(parts, np.eye(3)[k]), measure)
    for k, gap in enumerate(es.gaps, 1):
        check(of(gap), combined(parts, np.eye(3)[k] - np.eye(3)[0]), measure)
    overall = pauci.estimate(sample, measure, by="group", reference="overall")
    for k, gap in enumerate(overall.gaps):
        check(of(gap), combined([*parts, everyone], [*np.eye(3)[k], -1]), measure)


def test_differences_of_differences_of_groups():
    y, scores = data(120, digits=1)
    group = np.arange(120) % 2
    sample = pauci.Sample(y, scores, group=group)
    parts = [
        part_of(rows_of(y[group == g], s[group == g], np.flatnonzero(group == g)), AUC)
        for g in (0, 1)
        for s in scores.values()
    ]
    by_group = pauci.compare(sample, AUC, by="group")
    check(of(by_group[1]), combined(parts, [0, 0, 1, -1]))
    (gap,) = by_group.gaps
    check(of(gap), combined(parts, [-1, 1, 1, -1]))


def random_part(rng):
    """Return the rows of a part: clusters of very unequal size that hold one class or both.

    Equal labels in different parts are the same clusters, which may hold other classes there.
    """
    held = [0, 0, 0]
    while held[0] + held[2] < 2 or held[1] + held[2] < 2:
        held = rng.choice([0, 1, 2, 4, 5, 6, 20], 3)
    labels = rng.choice(60, sum(held), replace=False) + 60 * rng.integers(0, 2)
    kinds = np.repeat(["+", "-", "+-"], held)
    classes = [(label, y) for label, kind in zip(labels, kinds, strict=True) for y in kind]
    rows = 1 + np.minimum(rng.pareto(1.0, len(classes)), 15).astype(int)
    unit, y = np.repeat([(u, "-+".index(c)) for u, c in classes], rows, 0).T
    return y, np.round(0.7 * y + 2 * np.cos(unit) + rng.normal(size=y.size), 1), unit


@pytest.mark.parametrize("seed", range(12))
def test_any_sum_over_parts_of_random_clusters(seed):
    """Samples, joined results, groups and gaps have the same strata, limits and factors."""
    rng = np.random.default_rng(seed)
    columns = [random_part(rng) for _ in range(3)]
    parts = [part_of(rows_of(*c), AUC) for c in columns]
    samples = [pauci.Sample(y, s, cluster=u, name=f"s{i}") for i, (y, s, u) in enumerate(columns)]
    y, s, unit = map(np.concatenate, zip(*columns, strict=True))
    group = np.repeat(range(3), [c[0].size for c in columns])
    by_group = pauci.estimate(
        pauci.Sample(y, s, cluster=unit, group=group), AUC, by="group", reference="overall"
    )
    families = [
        pauci.estimate(samples, AUC, shared_clusters=True),
        pauci.join([pauci.estimate(s, AUC) for s in samples], shared_clusters=True),
        by_group,
    ]
    pairs = np.array([[1.0, -1, 0], [0, 1, -1]])
    weights = [*np.eye(3), *pairs, [1, 1, 1], rng.normal(size=3), [0.0, 2.0, 0.5]]
    for family in families:
        for w in weights:
            check(of(family.contrast(w)), combined(parts, w))
        for d, w in zip(family.contrasts(pairs), pairs, strict=True):
            check(of(d), combined(parts, w))
        of_sums = family.contrasts(pairs)
        check(of(of_sums.contrast([0, 1])), combined(parts, [0, 1, -1]))
        check(of(of_sums.contrast([1, 1])), combined(parts, [1, 0, -1]))
    both = pauci.join([families[0].contrasts(pairs), families[1]], shared_clusters=True)
    check(of(both.contrast([1, 0, 0, 0, 0])), combined(parts, [1, -1, 0]))
    check(of(both.contrast([0, 1, 2, 0, 0])), combined(parts, [2, 1, -1]))
    everyone = part_of(rows_of(y, s, unit), AUC)
    for k, gap in enumerate(by_group.gaps):
        check(of(gap), combined([*parts, everyone], [*np.eye(3)[k], -1]))
    for c, w in zip(pauci.compare(samples, AUC, shared_clusters=True), COMPARED, strict=True):
        check(of(c), combined(parts, w))
    apart = [
        p._replace(z={(k, u): v for u, v in p.z.items()}, pos=named(k, p.pos), neg=named(k, p.neg))
        for k, p in enumerate(parts)
    ]
    for c, w in zip(pauci.compare(samples, AUC, independent=True), COMPARED, strict=True):
        check(of(c), combined(apart, w))


COMPARED = [[1, -1, 0], [1, 0, -1], [0, 1, -1]]


def named(part, units):
    """Return units of a part whose labels are local."""
    return {(part, unit) for unit in units}


def test_strata_of_any_numbers_of_units():
    """All numbers of units that hold positives, negatives and both, in one part and in two."""
    rng = np.random.default_rng(4)
    numbers = [held for held in itertools.product((0, 1, 2, 4, 5, 7), repeat=3) if sum(held) > 1]
    values = [[rng.standard_t(3, n) for n in held] for held in numbers]
    parts = []
    for k, (pos, neg, both) in enumerate(values):
        z = {(k, c, i): v for c, of in enumerate((pos, neg, both)) for i, v in enumerate(of)}
        holds = [{unit for unit in z if unit[1] in (c, 2)} for c in (0, 1)]
        parts.append(Part(0.0, z, *holds, math.inf))
    for k in range(len(parts)):
        other = (7 * k) % len(parts)
        for used in ([k], [k, other] if other != k else [k]):
            _, _, df = combined([parts[i] for i in used], [1] * len(used))
            z = join([z_of_strata(values[i]) for i in used])
            assert z.df(np.ones(len(used))) == pytest.approx(df, rel=1e-9)


def z_of_strata(values):
    """Return z of one estimate from the contributions in each of three strata."""
    strata = np.repeat([FIRST_CLASS + 1, FIRST_CLASS, SEVERAL_CLASSES], [v.size for v in values])
    z = np.concatenate(values)[:, None]
    labels = [UnitLabels(len(z), np.arange(len(z)))]
    return Z(z, strata[:, None], np.ones((1, 1), bool), np.array([math.inf]), labels)


def folds_of(y, count, repeats, seed=5):
    """The fold of every row in each repeat."""
    rng = np.random.default_rng(seed)
    result = []
    for repeat in range(repeats):
        fold = np.empty(y.size, int)
        for label in (0, 1):
            rows = rng.permutation(np.flatnonzero(y == label))
            fold[rows] = np.arange(rows.size) % count + count * repeat
        result.append(fold)
    return result


def repeated(repeats, rows_each=1, seed=5, n=48, count=3):
    """Rows of a repeated cross-validation: label, scores, unit, fold; the scores differ."""
    rng = np.random.default_rng(seed)
    y, scores = data(n, seed=seed)
    y1, unit = np.tile(y, rows_each * repeats), np.tile(np.arange(n), rows_each * repeats)
    fold = np.concatenate([np.tile(f, rows_each) for f in folds_of(y, count, repeats, seed)])
    noisy = {
        k: np.round(
            np.tile(s, rows_each * repeats) + rng.normal(size=y1.size) + fold % 3,
            3,
        )
        for k, s in scores.items()
    }
    return y1, noisy, unit, fold


@pytest.mark.parametrize("rows_each", [1, 2])
@pytest.mark.parametrize("given", [{}, {"weight": True}, {"frequency": True}], ids=str)
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.long
def test_repeated_folds(measure, given, rows_each):
    y, scores, unit, fold = repeated(3, rows_each)
    given = given_rows(y, **given)
    sample = pauci.Sample(y, scores, cluster=unit, fold=fold, **given)
    parts = []
    for s in scores.values():
        of_folds = [
            rows_of(y[at], s[at], unit[at], **{k: v[at] for k, v in given.items()})
            for k in np.unique(fold)
            for at in [fold == k]
        ]
        parts.append(average_of(of_folds, measure))
    es = pauci.estimate(sample, measure)
    check(of(es[0]), combined(parts, [1, 0]), measure)
    check(of(es[1]), combined(parts, [0, 1]), measure)
    c = pauci.compare(sample, measure)
    check(of(c), combined(parts, [1, -1]), measure)
    if given:
        return
    double = pauci.compare(sample, measure, conservative=True)
    assert double.se == pytest.approx(math.sqrt(2) * c.se, rel=1e-12)
    assert double.df == pytest.approx(c.df, rel=1e-12)


@pytest.mark.parametrize("grouped", [False, True], ids=["rows", "clusters"])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_folds_without_repeats(measure, grouped):
    y, scores = data(96)
    (fold,) = folds_of(y, 3, 1)
    unit = 10 * fold + np.arange(96) % 8 if grouped else np.arange(96)
    sample = pauci.Sample(y, scores, fold=fold, cluster=unit if grouped else None)
    parts = [
        part_of(rows_of(y[fold == k], s[fold == k], unit[fold == k]), measure)
        for s in scores.values()
        for k in range(3)
    ]
    third = 1 / 3
    es = pauci.estimate(sample, measure)
    check(of(es[0]), combined(parts, [*[third] * 3, 0, 0, 0]), measure)
    c = pauci.compare(sample, measure)
    check(of(c), combined(parts, [*[third] * 3, *[-third] * 3]), measure)


@pytest.mark.parametrize("variance", ["delta", "jackknife"])
def test_other_methods_have_the_degrees_of_freedom_of_their_own_contributions(variance):
    y, scores = data(80, digits=0)
    c = pauci.compare(pauci.Sample(y, scores), AP, variance=variance)
    (z,) = c.influence().to_numpy().T
    assert c.se == pytest.approx(math.sqrt((z**2).sum()), rel=1e-12)
    of_classes = degrees_of_freedom([z[y == label] for label in (0, 1)])
    assert c.df == pytest.approx(of_classes, rel=1e-9)
    _, se, df = combined(parts_of(y, scores, AP), [1, -1])
    assert c.se == pytest.approx(se, rel=0.1)
    assert c.df == pytest.approx(df, rel=0.2)
    assert c.df != pytest.approx(df, rel=1e-4)


def test_the_bootstrap_has_the_degrees_of_freedom_of_the_influence():
    variance = pauci.Bootstrap(40, rng=1)
    y, scores = data(80, digits=0)
    parts = parts_of(y, scores, AUC)
    c = pauci.compare(pauci.Sample(y, scores), AUC, variance=variance)
    expected = combined(parts, [1, -1])
    assert c.df == pytest.approx(expected[2], rel=1e-8)
    assert c.se == pytest.approx(expected[1], rel=0.4)
    assert c.se != expected[1]
    y, scores, unit, fold = repeated(2)
    part = average_of(
        [rows_of(y[at], scores["a"][at], unit[at]) for k in range(6) for at in [fold == k]], AUC
    )
    sample = pauci.Sample(y, scores["a"], cluster=unit, fold=fold)
    e = pauci.estimate(sample, AUC, variance)
    assert e.df == pytest.approx(combined([part], [1])[2], rel=1e-8)
    columns = long()
    samples = [pauci.Sample(y, s, cluster=p) for y, s, p in columns]
    c = pauci.compare(samples, AUC, variance=variance, shared_clusters=True)
    parts = [part_of(rows_of(*column), AUC) for column in columns]
    assert c.df == pytest.approx(combined(parts, [1, -1])[2], rel=1e-8)


def reader_frame(readers=3, cases=40, own_cases=False, seed=6):
    """Scores of all readers in two modalities; with `own_cases` each reads other cases."""
    rng = np.random.default_rng(seed)
    rows = []
    for r in range(readers):
        truth = (np.arange(cases) < 0.4 * cases).astype(int)
        effect = np.random.default_rng(r if own_cases else 0).normal(size=cases)
        for modality in "ab":
            score = np.round(truth + effect + rng.normal(size=cases), 1)
            case = np.arange(cases) + 1000 * r * own_cases
            rows.append(
                pd.DataFrame(
                    {
                        "reader": f"r{r}",
                        "modality": modality,
                        "case": case,
                        "label": truth,
                        "score": score,
                        "patient": case // 2,
                    }
                )
            )
    return pd.concat(rows)


@pytest.mark.parametrize("unit", ["case", "patient"])
@pytest.mark.parametrize("own_cases", [False, True], ids=["factorial", "split-plot"])
@pytest.mark.parametrize("measure", [AUC, PAUC / AUC], ids=repr)
def test_fixed_readers(measure, own_cases, unit):
    frame = reader_frame(own_cases=own_cases)
    study = pauci.ReaderStudy.from_frame(
        frame,
        reader="reader",
        modality="modality",
        case="case",
        label="label",
        score="score",
        positive=1,
        cluster=None if unit == "case" else unit,
    )
    parts = [
        part_of(
            rows_of(*(cell[k].to_numpy() for k in ("label", "score", unit))),
            measure,
            cohort=study.sampling == "cohort",
        )
        for _, cell in frame.groupby(["modality", "reader"])
    ]
    (row,) = pauci.mrmc(study, measure, readers="fixed").differences.to_dict("records")
    third = 1 / 3
    expected = combined(parts, [*[third] * 3, *[-third] * 3])
    check((row["difference"], row["se"], row["df"]), expected, measure)


def test_joined_results():
    columns = long()
    results, parts = [], []
    for y, s, patient in columns:
        scores = {"a": s, "b": s + np.cos(7 * s)}
        results.append(pauci.estimate(pauci.Sample(y, scores, cluster=patient), AUC))
        parts += parts_of(y, scores, AUC, patient)
    joined = pauci.join(results, shared_clusters=True)
    check(of(joined.contrast([1, -1, -1, 1])), combined(parts, [1, -1, -1, 1]))
    drops = pauci.join(
        [r.contrast({"a": 1, "b": -1}) for r in results], shared_clusters=True
    ).contrast([1, -1])
    check(of(drops), combined(parts, [1, -1, -1, 1]))
    comparisons = [
        pauci.compare(pauci.Sample(y, {"a": s, "b": s + np.cos(7 * s)}, cluster=p), AUC)
        for y, s, p in columns
    ]
    both = pauci.join(comparisons, shared_clusters=True).contrast([1, -1])
    check(of(both), combined(parts, [1, -1, -1, 1]))


def test_the_oracle_by_hand():
    """Two positives, three negatives: placement values 1, 2/3 and 1/2, 1, 1; AUC 5/6."""
    rows = rows_of([1, 1, 0, 0, 0], [5.0, 2.0, 3.0, 1.0, 0.0])
    _, se, df = combined([part_of(rows, AUC)], [1])
    pos, neg = 2 * (1 / 6) ** 2 / 2, ((1 / 3) ** 2 + 2 * (1 / 6) ** 2) / 6
    assert se == pytest.approx(math.sqrt(pos + neg), rel=1e-12)
    assert df == pytest.approx((pos + neg) ** 2 / (pos**2 + neg**2 / 2), rel=1e-12)
    assert degrees_of_freedom([[3.0, 1.0, 1.0, 1.0]]) == pytest.approx(3)
    heavy = [10.0, *[1.0] * 100]
    assert degrees_of_freedom([heavy]) == pytest.approx(2 * 200**2 / (10_100 - 200**2 / 101))
    assert degrees_of_freedom([[1.0, 1.0, 2.0], [1.0, 1.0]]) == pytest.approx(64 / (36 / 2 + 4))
    assert connected([{1, 2}, {3}, {2, 4}, {5}, {3, 6}]) == [{1, 2, 4}, {5}, {3, 6}]
    held = {i: {"+"} for i in range(4)} | {i + 10: {"-"} for i in range(5)}
    assert [len(s) for s in strata_of(held)] == [4, 5]
    both = {i + 20: {"+", "-"} for i in range(4)}
    assert [len(s) for s in strata_of(held | both)] == [4, 5, 4]
    assert [len(s) for s in strata_of(held | both | {30: {"+", "-"}})] == [5, 9]
    first, *others = [selected(rows, keep) for keep in ([0, 2, 3], [1, 2, 3, 4])]
    assert (first.score, others[0].unit) == ([5.0, 3.0, 1.0], [(i, 0) for i in (1, 2, 3, 4)])


@pytest.mark.parametrize("unit", [False, True])
def test_degrees_of_freedom_of_a_covariance_matrix(unit):
    """The mean of V^2 and of the denominators over all sums with variance 1, by random sums."""
    y, scores = data(90)
    cluster = clusters("mixed", y) if unit else None
    es = pauci.estimate(pauci.Sample(y, scores, cluster=cluster), [AUC, AP])
    z = es.influence().to_numpy()
    root = np.linalg.inv(np.linalg.cholesky(es.cov))
    strata = [z] if unit else [z[y == label] for label in (0, 1)]
    sums = np.random.default_rng(3).normal(size=(4, 20_000))
    sums /= np.sqrt((sums**2).sum(axis=0))
    fourth = welch = 0.0
    for of_stratum in strata:
        of_sums = of_stratum @ root.T @ sums
        variance = (of_sums**2).sum(axis=0)
        fourth += ((of_sums**4).sum(axis=0) - variance**2 / len(of_stratum)).mean()
        welch += (variance**2 / (len(of_stratum) - 1)).mean()
    limit = min(e.rows.cluster_df for e in es) if unit else math.inf
    expected = min(2.0 / fourth, 1.0 / welch, limit)
    assert es.uncertainty.df_of_matrix(root) == pytest.approx(expected, rel=0.02)
