"""Marks with places, against the figures of merit by their definitions."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pauci

KINDS = ("AFROC", "wAFROC", "AFROC1", "wAFROC1", "ROC")
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::pauci.errors.{name}")
    for name in (
        "FewClustersWarning",
        "DegenerateWarning",
        "SmallRegionWarning",
    )
]


def simulated(rng, normal=20, diseased=20, readers=3, modalities=("A", "B"), step=0.5):
    """Return marks, and cases with a row for each lesion; ratings are multiples of `step`."""
    lesions = {f"d{i}": int(rng.integers(1, 4)) for i in range(diseased)}
    cases = [f"n{i}" for i in range(normal)] + list(lesions)
    effect = {c: rng.normal(0, 0.5) for c in cases}
    rows = []
    for modality in modalities:
        for reader in range(readers):
            for c in cases:
                places = [None] * rng.poisson(0.7)
                places += [k + 1 for k in range(lesions.get(c, 0)) if rng.random() < 0.8]
                for place in places:
                    rating = effect[c] + rng.normal() + (place is not None)
                    rows.append((f"r{reader}", modality, c, place, round(rating / step) * step))
    marks = pd.DataFrame(rows, columns=["reader", "modality", "case", "lesion", "rating"])
    table = [(c, k) for c in cases for k in (range(1, lesions[c] + 1) if c in lesions else [None])]
    return marks, pd.DataFrame(table, columns=["case", "lesion"])


def by_definition(kind, marks, cases, weight=None):
    """Return the figure of merit as the sum over all pairs of a lesion and a case."""
    lowest = -np.inf
    of_case = dict(list(marks.groupby("case")))
    empty = marks.iloc[:0]
    names = cases["case"].unique()
    lesions = cases[cases["lesion"].notna()]
    diseased = set(lesions["case"])

    def highest(ratings):
        return max(ratings, default=lowest)

    def false(c):
        part = of_case.get(c, empty)
        return highest(part.loc[part["lesion"].isna(), "rating"])

    if kind == "ROC":
        top = {c: highest(of_case.get(c, empty)["rating"]) for c in names}
        positives = [(top[c], 1.0) for c in diseased]
        negatives = [top[c] for c in names if c not in diseased]
    else:
        negatives = [false(c) for c in names if kind.endswith("1") or c not in diseased]
        sizes = lesions["case"].value_counts()
        positives = []
        for i, (c, k) in enumerate(zip(lesions["case"], lesions["lesion"], strict=True)):
            part = of_case.get(c, empty)
            share = 1.0 / sizes[c] if weight is None else weight[i]
            rating = highest(part.loc[part["lesion"] == k, "rating"])
            positives.append((rating, share if kind.startswith("w") else 1.0))
    total = sum(w * ((x > y) + 0.5 * (x == y)) for x, w in positives for y in negatives)
    return total / (sum(w for _, w in positives) * len(negatives))


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 2**32 - 1), step=st.sampled_from([0.001, 0.5, 2.0]))
@settings(max_examples=8, deadline=None)
def test_figures_of_merit_are_those_of_all_pairs(kind, seed, step):
    marks, cases = simulated(np.random.default_rng(seed), 6, 5, 2, step=step)
    study = pauci.ReaderStudy.from_marks(marks, cases, kind=kind)
    for cell in study.cells:
        reader, modality = study.readers[cell.reader], study.modalities[cell.modality]
        part = marks[(marks["reader"] == reader) & (marks["modality"] == modality)]
        expected = by_definition(kind, part, cases)
        assert pauci.AUC().on(cell.ratings.curve) == pytest.approx(expected, rel=1e-12)
        sample = pauci.Sample.from_marks(part, cases, kind=kind)
        assert pauci.AUC().on(sample.ratings().curve) == pytest.approx(expected, rel=1e-12)


MARKS, CASES = simulated(np.random.default_rng(3), 40, 40, step=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_covariances_are_those_of_the_jackknife_of_cases(kind):
    study = pauci.ReaderStudy.from_marks(MARKS, CASES, kind=kind)
    cells = [
        MARKS[(MARKS["reader"] == r) & (MARKS["modality"] == m)]
        for m in study.modalities
        for r in study.readers
    ]
    names = CASES["case"].unique()
    some = names[::20]
    left = np.array(
        [
            [by_definition(kind, m[m["case"] != c], CASES[CASES["case"] != c]) for m in cells[:2]]
            for c in some
        ]
    )
    m = pauci.mrmc(study, pauci.AUC(), method=pauci.Jackknife(by_class=False))
    z = dict(zip(study.rows.cluster_labels, _leave_one_out(study), strict=True))
    for c, values in zip(some, left, strict=True):
        np.testing.assert_allclose(values, z[c][:2], rtol=1e-12)
    influence = pauci.mrmc(study, pauci.AUC()).covariance
    assert np.abs(influence - m.covariance).max() < 0.06 * m.covariance.max()


def _leave_one_out(study):
    """Return the AUC of the rows without each case, by case and cell."""
    clusters = study.rows.cluster
    clusters = np.arange(study.rows.positive.size) if clusters is None else clusters
    values = []
    for u in range(int(clusters.max()) + 1):
        row = []
        for cell in study.cells:
            keep, rows = clusters[cell.cases] != u, cell.ratings.rows
            weight = None if rows.weight is None else 6 * rows.weight[keep]
            scores = cell.ratings.values[keep]  # noqa: PD011
            row.append(pauci.AUC()(rows.positive[keep], scores, weight=weight))
        values.append(row)
    return values


def test_a_lesion_twice_with_half_the_weight_changes_nothing():
    lesions = CASES["lesion"].notna()
    sizes = CASES.groupby("case")["lesion"].transform("size")
    again = CASES[lesions].assign(lesion=CASES["lesion"] + 10)
    cases = pd.concat([CASES, again]).assign(w=pd.concat([0.5 / sizes, 0.5 / sizes[lesions]]))
    marks = pd.concat([MARKS, MARKS.dropna().assign(lesion=MARKS["lesion"] + 10)])
    once = pauci.mrmc(pauci.ReaderStudy.from_marks(MARKS, CASES), pauci.PAUC(fpr=(0, 0.3)))
    twice = pauci.mrmc(
        pauci.ReaderStudy.from_marks(marks, cases, weights="w"), pauci.PAUC(fpr=(0, 0.3))
    )
    np.testing.assert_allclose(twice.covariance, once.covariance, rtol=1e-9)
    assert [c.value for c in twice.cells] == pytest.approx([c.value for c in once.cells])


def test_lesions_are_stated_in_several_ways():
    counts = CASES.groupby("case", sort=False)["lesion"].count()
    names = CASES.groupby("case", sort=False)["lesion"].apply(lambda v: v.dropna().tolist())
    by_count = pd.DataFrame({"case": counts.index, "lesions": counts.to_numpy()})
    by_list = pd.DataFrame({"case": names.index, "found": names.tolist()})
    part = MARKS[(MARKS["reader"] == "r0") & (MARKS["modality"] == "A")]
    expected = pauci.estimate(pauci.Sample.from_marks(part, CASES), pauci.AUC())
    renamed = CASES.rename(columns={"lesion": "tumour"})
    for cases, options in (
        (by_count, {}),
        (by_count, {"lesions": "lesions"}),
        (by_list, {"lesions": "found"}),
        (renamed, {"lesions": "tumour"}),
        (CASES.astype({"lesion": object}), {}),
    ):
        e = pauci.estimate(pauci.Sample.from_marks(part, cases, **options), pauci.AUC())
        assert (e.value, e.se) == pytest.approx((expected.value, expected.se), rel=1e-12)


@pytest.mark.parametrize("radius", [2.0, "r"])
def test_marks_hit_the_nearest_lesion_within_the_radius(radius):
    cases = pd.DataFrame(
        {
            "case": [1, 1, 2, 3],
            "x": [0.0, 3.0, 5.0, np.nan],
            "y": [0.0, 0.0, 5.0, np.nan],
            "r": [2.0, 2.0, 2.0, np.nan],
        }
    )
    marks = pd.DataFrame(
        {
            "case": [1, 1, 1, 2, 2, 3],
            "x": [1.4, 1.6, 0.0, 7.0, 7.1, 0.0],
            "y": [0.0, 0.0, 2.1, 5.0, 5.0, 0.0],
            "rating": [1, 2, 3, 4, 5, 6],
        }
    )
    sample = pauci.Sample.from_marks(marks, cases, radius=radius)
    found = sample.rows.marks
    assert found.lesion.tolist() == [0, 1, -1, 2, -1, -1]
    assert "nearest lesion within" in repr(sample)


def test_lroc_does_not_reach_1():
    rng = np.random.default_rng(4)
    n = 60
    truth = np.arange(n) % 2
    right = rng.random(n) < 0.7
    marks = pd.DataFrame(
        {
            "case": range(n),
            "lesion": np.where((truth == 1) & right, 1.0, np.nan),
            "rating": np.round(rng.normal(size=n) + truth, 1),
        }
    )
    cases = pd.DataFrame({"case": range(n), "lesions": truth})
    sample = pauci.Sample.from_marks(marks, cases, kind="LROC")
    x = marks.loc[truth == 1, "rating"].to_numpy()
    y = marks.loc[truth == 0, "rating"].to_numpy()
    wins = ((x[:, None] > y) + 0.5 * (x[:, None] == y)) * right[truth == 1][:, None]
    e = pauci.estimate(sample, pauci.AUC())
    assert e.value == pytest.approx(wins.mean(), rel=1e-12)
    pcl = pauci.estimate(sample, pauci.Sensitivity(threshold=float(marks["rating"].min())))
    assert pcl.value == pytest.approx(right[truth == 1].mean())
    assert "fraction of cases with a correct mark" in " ".join(e.summary().split())
    # Influence values of a mean over pairs.
    u, v = wins.mean(axis=1), wins.mean(axis=0)
    assert e.se == pytest.approx(np.sqrt(u.var(ddof=1) / u.size + v.var(ddof=1) / v.size))
    for bad in (marks.iloc[1:], pd.concat([marks, marks.iloc[:1]])):
        with pytest.raises(pauci.InputError, match="single mark in each case, but case 0 has"):
            pauci.Sample.from_marks(bad, cases, kind="LROC")


def test_lroc_of_readers():
    rng = np.random.default_rng(6)
    n, rows = 40, []
    for reader in range(3):
        for modality in "AB":
            for case in range(n):
                found = case % 2 and rng.random() < 0.7
                rating = float(np.round(rng.normal() + case % 2, 1))
                rows.append((reader, modality, case, 1.0 if found else np.nan, rating))
    marks = pd.DataFrame(rows, columns=["reader", "modality", "case", "lesion", "rating"])
    cases = pd.DataFrame({"case": range(n), "lesions": np.arange(n) % 2})
    study = pauci.ReaderStudy.from_marks(marks, cases, kind="LROC")
    for measure, limit in ((pauci.AUC(), 1.0), (pauci.PAUC(fpr=(0, 0.25)), 0.25)):
        m = pauci.mrmc(study, measure)
        for cell in m.cells:
            mine = (marks["reader"].astype(str) == cell.reader) & (
                marks["modality"] == cell.modality
            )
            part = marks[mine]
            y = np.sort(part.loc[part["case"] % 2 == 0, "rating"].to_numpy())[::-1]
            x = part.loc[part["lesion"].notna(), "rating"].to_numpy()
            k = int(limit * y.size)
            wins = (x[:, None] > y[:k]) + 0.5 * (x[:, None] == y[:k])
            if limit == 1.0 or (y[k - 1] != y[k]):
                assert cell.value == pytest.approx(wins.sum() / (y.size * n / 2))
    ax = pauci.plot.reader_curves(study)
    assert max(max(line.get_ydata(), default=0.0) for line in ax.lines) < 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_name_the_figure_of_merit(kind):
    marks, cases = simulated(np.random.default_rng(3))
    study = pickle.loads(pickle.dumps(pauci.ReaderStudy.from_marks(marks, cases, kind=kind)))
    analysis = pauci.mrmc(study, pauci.AUC())
    area = f"area under the {kind} curve (AUC)"
    assert f"Averaged over 3 readers, the {area} was" in analysis.report()
    assert f"The {area} of r0 was" in analysis.by_reader.report()
    for result in (analysis, analysis.by_reader):
        assert f"A{area[1:]} of" in " ".join(result.summary().split())
    of_a = marks[marks["modality"] == "A"]
    sample = pauci.Sample.from_marks(of_a, cases, classifier="reader", kind=kind)
    measures = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.5))]
    whole, part = pauci.estimate(sample["r0"], measures)
    assert whole.report().startswith(f"The {area} was")
    curve = f"{kind} " * (kind != "ROC")
    assert part.report().startswith(f"The {curve}average sensitivity at FPR 0 to 0.5 was")
    difference = pauci.compare(sample[["r0", "r1"]], pauci.AUC())
    assert difference.report().startswith(f"The {area} was")
    assert difference.summary().startswith(f"A{area[1:]} of r0 and r1")
    for result in (whole, part, difference, analysis):
        assert "unmarked lesions and cases share the lowest rank" in " ".join(
            result.summary().split()
        )


def test_other_results_of_a_function_of_the_marks_are_refused():
    marks, cases = simulated(np.random.default_rng(3))
    with pytest.raises(pauci.InputTypeError, match="must return FigureRows"):
        pauci.ReaderStudy.from_marks(marks, cases, kind=lambda found: found.highest_false)
    numbers = marks.assign(rating=2**60 + np.arange(len(marks)))
    with pytest.raises(pauci.InputError, match="beyond 2"):
        pauci.ReaderStudy.from_marks(numbers, cases)


def test_a_function_of_the_marks_is_a_figure_of_merit():
    from pauci.sample.marks import FIGURES

    def mine(marks):
        return FIGURES["AFROC"][0](marks)

    study = pauci.ReaderStudy.from_marks(MARKS, CASES, kind=mine)
    expected = pauci.ReaderStudy.from_marks(MARKS, CASES, kind="AFROC")
    assert "'mine'" in repr(study) or "mine of marks" in repr(study)
    np.testing.assert_array_equal(
        pauci.mrmc(study, pauci.AUC()).covariance, pauci.mrmc(expected, pauci.AUC()).covariance
    )


def test_repeated_marks_on_a_lesion_are_stated_and_the_highest_counts():
    hit = MARKS.dropna().iloc[[0]]
    marks = pd.concat([MARKS, hit.assign(rating=hit["rating"] - 1)])
    study = pauci.ReaderStudy.from_marks(marks, CASES)
    assert "the highest mark on a lesion counts (1 mark" in repr(study)
    assert "(1 mark" not in repr(pauci.ReaderStudy.from_marks(MARKS, CASES))
    m, other = (
        pauci.mrmc(s, pauci.AUC()) for s in (study, pauci.ReaderStudy.from_marks(MARKS, CASES))
    )
    assert [c.value for c in m.cells] == [c.value for c in other.cells]
    assert "wAFROC of marks" in " ".join(m.summary().split())
    assert "unmarked lesions and cases share the lowest rank" in " ".join(m.summary().split())


def test_readers_may_read_different_cases():
    read = pd.DataFrame(
        [(r, m, c) for r in ("r0", "r1", "r2") for m in "AB" for c in CASES["case"].unique()],
        columns=["reader", "modality", "case"],
    )
    whole = pauci.ReaderStudy.from_marks(MARKS, CASES, read=read)
    default = pauci.ReaderStudy.from_marks(MARKS, CASES)
    assert whole == default
    keep = ~((read["reader"] == "r0") & read["case"].isin(["n3", "d3"]))
    lost = ~((MARKS["reader"] == "r0") & MARKS["case"].isin(["n3", "d3"]))
    part = pauci.ReaderStudy.from_marks(MARKS[lost], CASES, read=read[keep])
    assert "missing" in part.design
    cell = next(c for c in part.cells if part.readers[c.reader] == "r0")
    mine = MARKS[lost & (MARKS["reader"] == "r0") & (MARKS["modality"] == "A")]
    cases = CASES[~CASES["case"].isin(["n3", "d3"])]
    assert pauci.AUC().on(cell.ratings.curve) == pytest.approx(by_definition("wAFROC", mine, cases))
    with pytest.raises(pauci.InputError, match="read has no row for case"):
        pauci.ReaderStudy.from_marks(MARKS, CASES, read=read[keep])


def changed(frame, row, **values):
    return frame.assign(
        **{
            k: frame[k].astype(object).where(np.arange(len(frame)) != row, v)
            for k, v in values.items()
        }
    )


HIT = int(np.flatnonzero(MARKS["lesion"].notna())[0])
WEIGHTS = CASES.assign(w=1.0 / CASES.groupby("case")["lesion"].transform("size"))


@pytest.mark.parametrize(
    ("marks", "cases", "options", "words"),
    [
        (changed(MARKS, 0, case="x"), CASES, {}, "1 case that cases does not have: 'x'"),
        (
            MARKS.assign(lesion=MARKS["lesion"].where(MARKS.index != HIT, 9.0)),
            CASES,
            {},
            "lesion 9 of case .*Its lesions are: 1, ",
        ),
        (changed(MARKS, HIT, lesion="L"), CASES, {}, "lesion 'L' of case"),
        (
            MARKS.assign(rating=MARKS["rating"].where(MARKS.index != 3)),
            CASES,
            {},
            "'rating' of marks has 1 missing value .row 3",
        ),
        (MARKS.assign(rating="high"), CASES, {}, "rating"),
        (
            MARKS,
            pd.concat([CASES, pd.DataFrame({"case": ["d0"], "lesion": [None]})]),
            {},
            "case 'd0' has lesions, and a row without a lesion",
        ),
        (MARKS, pd.concat([CASES, CASES.iloc[:1]]), {}, "'n0' has several rows without a lesion"),
        (MARKS, pd.concat([CASES, CASES.iloc[-1:]]), {}, "occurs twice"),
        (MARKS, WEIGHTS.assign(w=WEIGHTS["w"] * 1.1), {"weights": "w"}, "with the sum 1.1"),
        (MARKS, WEIGHTS.assign(w=-WEIGHTS["w"]), {"weights": "w"}, "must not be negative"),
        (MARKS, CASES[CASES["lesion"].notna()], {}, "does not have"),
        (
            MARKS[MARKS["case"].str.startswith("d")],
            CASES[CASES["lesion"].notna()],
            {},
            "requires cases without lesions",
        ),
        (
            MARKS[MARKS["case"].str.startswith("n")],
            CASES[CASES["lesion"].isna()],
            {},
            "no case with lesions",
        ),
        (MARKS, CASES.drop(columns="lesion"), {}, "number of lesions, a list of their names or"),
        (MARKS, CASES, {"kind": "FOM"}, "kind='FOM'"),
        (MARKS, CASES, {"radius": 3}, "Use one of both"),
        (MARKS.iloc[:0], CASES, {}, "marks has no rows"),
        (MARKS.to_numpy(), CASES, {}, "pass a pandas DataFrame"),
        (MARKS.drop(columns="lesion"), CASES, {}, "lesion='lesion' is not a column"),
        (
            MARKS,
            CASES.drop_duplicates("case").drop(columns="lesion").assign(lesions=-1),
            {},
            "lesions has the negative number -1",
        ),
    ],
)
def test_bad_marks_are_refused(marks, cases, options, words):
    for create in (pauci.ReaderStudy.from_marks, pauci.Sample.from_marks):
        with pytest.raises((pauci.InputError, pauci.InputTypeError), match=words):
            create(marks, cases, **options)


def test_a_reader_without_marks_in_a_modality_is_stated():
    """Whether the cases were not read, or read without a mark, follows from `read` only."""
    marks, cases = simulated(np.random.default_rng(3))
    some = marks[(marks["reader"] != "r1") | (marks["modality"] != "B")]
    with pytest.warns(pauci.errors.DoubtfulDataWarning, match="reader 'r1' in modality 'B'"):
        study = pauci.ReaderStudy.from_marks(some, cases)
    assert len(study.cells) == 5
    pairs = marks[["reader", "modality"]].drop_duplicates()
    read = pairs.merge(cases[["case"]].drop_duplicates(), how="cross")
    study = pauci.ReaderStudy.from_marks(some, cases, read=read)
    assert [c.ratings.curve.auc for c in study.cells][4] == 0.5
    alone = marks.assign(reader=marks["reader"].where(marks["modality"] == "A", "AI"))
    assert len(pauci.ReaderStudy.from_marks(alone, cases).cells) == 4


def test_groups_of_cases():
    cases = CASES.assign(sex=CASES["case"].str[1:].astype(int) % 2)
    part = MARKS[(MARKS["reader"] == "r0") & (MARKS["modality"] == "A")]
    sample = pauci.Sample.from_marks(part, cases, group="sex")
    found = pauci.estimate(sample, pauci.AUC(), by="sex")
    for e in found:
        mine = cases["sex"] == e.group
        names = set(cases.loc[mine, "case"])
        expected = by_definition("wAFROC", part[part["case"].isin(names)], CASES[mine])
        assert e.value == pytest.approx(expected, rel=1e-12)
    with pytest.raises(pauci.InputError, match="in two groups"):
        pauci.Sample.from_marks(part, cases.assign(sex=np.arange(len(cases)) % 2), group="sex")


def workbook(path, marks, cases, weights=0, listed=True, **sheets):
    """Write marks and cases in the format of RJafroc."""
    names = {"truth": "Truth", "hits": "TP", "false": "FP"} | sheets
    truth = pd.DataFrame(
        {
            "CaseID": cases["case"],
            "LesionID": cases["lesion"].fillna(0).astype(int),
            "Weight": weights,
        }
    )
    if listed:
        truth = truth.assign(ReaderID="r0, r1, r2", ModalityID="A, B", Paradigm=None)
        truth["Paradigm"] = ["FROC", "FCTRL", *[None] * (len(truth) - 2)]
    ids = {"reader": "ReaderID", "modality": "ModalityID", "case": "CaseID", "lesion": "LesionID"}
    hits, false = marks["lesion"].notna(), marks["lesion"].isna()
    with pd.ExcelWriter(path) as book:
        truth.to_excel(book, sheet_name=names["truth"], index=False)
        marks[hits].rename(columns={**ids, "rating": "TP_Rating"}).to_excel(
            book, sheet_name=names["hits"], index=False
        )
        marks[false].drop(columns="lesion").rename(columns={**ids, "rating": "FP_Rating"}).to_excel(
            book, sheet_name=names["false"], index=False
        )
    return path


@pytest.mark.parametrize(
    "options", [{}, {"listed": False}, {"hits": "LL", "false": "nl", "truth": "TRUTH"}]
)
def test_files_of_rjafroc(tmp_path, options):
    pytest.importorskip("openpyxl")
    path = workbook(tmp_path / "marks.xlsx", MARKS, CASES, **options)
    for kind in (None, "AFROC1"):
        found = pauci.ReaderStudy.from_rjafroc(path, kind)
        expected = pauci.ReaderStudy.from_marks(MARKS, CASES, kind=kind or "wAFROC")
        assert found.modalities == expected.modalities
        m, other = (pauci.mrmc(s, pauci.AUC()) for s in (found, expected))
        columns = ["difference", "se", "df"]
        np.testing.assert_allclose(m.differences[columns], other.differences[columns], rtol=1e-9)


def test_bad_files_of_rjafroc(tmp_path):
    pytest.importorskip("openpyxl")
    with pytest.raises(pauci.InputError, match="cannot be read"):
        pauci.ReaderStudy.from_rjafroc(tmp_path / "none.xlsx")
    path = workbook(tmp_path / "marks.xlsx", MARKS, CASES, hits="hits")
    with pytest.raises(pauci.InputError, match="no sheet TP or LL"):
        pauci.ReaderStudy.from_rjafroc(path)
    path = workbook(tmp_path / "marks.xlsx", MARKS.drop(columns="reader"), CASES)
    with pytest.raises(pauci.InputError, match="no column readerid in the sheet TP"):
        pauci.ReaderStudy.from_rjafroc(path)
    path = workbook(tmp_path / "marks.xlsx", MARKS, CASES, weights=0.7)
    with pytest.raises(pauci.InputError, match="must not be negative and add up to 1"):
        pauci.ReaderStudy.from_rjafroc(path)
    with pytest.raises(pauci.InputTypeError, match="path"):
        pauci.ReaderStudy.from_rjafroc(MARKS)


def test_marks_of_several_readers_are_not_those_of_one():
    marks, cases = pauci.datasets.load_marks(), pauci.datasets.load_marked_cases()
    marks = marks.rename(columns={"reader": "Leser"})
    for frame, words in (
        (marks, "reader='Leser', modality='modality'"),
        (marks[marks["modality"] == "unaided"], "reader='Leser', modality=None"),
        (marks[marks["Leser"] == marks["Leser"].iloc[0]], "classifier='modality'"),
    ):
        with pytest.warns(pauci.errors.RepeatedRowsWarning, match=words):
            pauci.Sample.from_marks(frame, cases)
    for _, of_reader in marks.groupby("Leser"):  # warnings are errors
        pauci.Sample.from_marks(of_reader, cases, classifier="modality")
