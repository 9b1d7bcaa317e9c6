"""FROC curves, against sums over marks and the jackknife of cases."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.readers.froc import froc_measures
from pauci.sample.marks import froc_rows, sample_of_marks

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::pauci.errors.{name}")
    for name in ("SmallRegionWarning", "DegenerateWarning")
]
ALL, CASES = pauci.datasets.load_marks(), pauci.datasets.load_marked_cases()
AI = ALL[ALL["modality"] == "AI"]
READ = ALL[ALL["modality"] != "AI"]
POINTS = (0.125, 0.25, 0.5, 1, 2, 4, 8)


def curve_of(marks, cases):
    """Return false marks per case and lesion sensitivity at all ratings, from the definition."""
    n, lesions = cases["case"].nunique(), cases["lesion"].count()
    false = marks.loc[marks["lesion"].isna(), "rating"].to_numpy()
    hits = marks.dropna(subset="lesion").groupby(["case", "lesion"])["rating"].max().to_numpy()
    ratings = np.unique(marks["rating"])[::-1]
    x = [np.sum(false >= t) / n for t in ratings]
    y = [np.sum(hits >= t) / lesions for t in ratings]
    return np.array([0, *x]), np.array([0, *y])


def area_of(x, y, limit):
    """Return the area below the straight segments, horizontal beyond the last point."""
    x, y = np.append(x, max(limit, x[-1])), np.append(y, y[-1])
    inside = x <= limit
    x1, y1 = np.append(x[inside], limit), np.append(y[inside], np.interp(limit, x, y))
    return float(np.sum(np.diff(x1) * (y1[1:] + y1[:-1]) / 2))


@pytest.mark.parametrize("limit", [0.3, 1, 5])
@pytest.mark.parametrize("step", [1, 7, 40])
def test_points_average_and_area_are_those_of_the_curve(limit, step):
    marks = AI.assign(rating=AI["rating"] // step)
    f = pauci.froc(pauci.Sample.from_marks(marks, CASES), limit=limit)
    x, y = curve_of(marks, CASES)
    expected = np.interp(POINTS, x, y)
    assert f.points["value"].tolist() == pytest.approx(expected.tolist(), rel=1e-9)
    assert f.cpm["value"].item() == pytest.approx(expected.mean(), rel=1e-9)
    assert f.area["value"].item() == pytest.approx(area_of(x, y, limit), rel=1e-9)
    np.testing.assert_allclose(f.curve["false_marks"], x[1:], rtol=1e-12)
    np.testing.assert_allclose(f.curve["sensitivity"], y[1:], rtol=1e-12)


def test_the_area_has_the_standard_error_of_the_jackknife_of_cases():
    f = pauci.froc(pauci.Sample.from_marks(AI, CASES))
    left = [
        area_of(*curve_of(AI[AI["case"] != c], CASES[CASES["case"] != c]), 1)
        for c in CASES["case"].unique()
    ]
    n = len(left)
    jackknife = np.sqrt((n - 1) * np.var(left))
    assert f.area["se"].item() == pytest.approx(jackknife, rel=0.03)


def test_the_number_of_places_changes_nothing():
    marks = pauci.Sample.from_marks(AI, CASES).rows.marks
    found = []
    for slots in (20, 200):
        points, average, area = froc_measures([Fraction(1, 2), Fraction(2)], Fraction(1), slots)
        sample = pauci.Sample._of(*sample_of_marks(marks, froc_rows(marks, slots), ["AI"], ""))
        es = pauci.estimate(sample, [*points, average, area])
        found.append([v for e in es for v in (e.value, e.se, *e.interval())])
    np.testing.assert_allclose(*found, rtol=0.02)
    exact = np.arange(len(found[0])) % 4 == 0
    np.testing.assert_allclose(np.array(found[0])[exact], np.array(found[1])[exact], rtol=1e-12)


@pytest.mark.filterwarnings("ignore::pauci.errors.FewClustersWarning")
@pytest.mark.parametrize("cases", [9, 14, 50])
@pytest.mark.parametrize("several", [False, True])
def test_a_point_does_not_depend_on_other_points(cases, several):
    """Neither do the area and its limit; also with many more false marks per image than marks."""
    keep = CASES["case"].drop_duplicates().sample(cases, random_state=cases)
    few = CASES[CASES["case"].isin(keep)]
    if several:
        read = READ[READ["case"].isin(keep)]
        data = pauci.ReaderStudy.from_marks(read, few, kind="AFROC")
    else:
        data = pauci.Sample.from_marks(AI[AI["case"].isin(keep)], few)
    columns = ["first", "second", "region", "value", "se", "df", "low", "high"]
    found = []
    for points, limit in (((0.25, 2), 1), ((0.25,), 40), ((0.25, 0.01, 90, 1), 1)):
        f = pauci.froc(data, points, limit)
        parts = [f.points[f.points["false_marks"] == 0.25]] + [f.area] * (limit == 1)
        found += [part[columns].reset_index(drop=True) for part in parts]
    for part in (found[2], found[3]):
        pd.testing.assert_frame_equal(part, found[0], rtol=1e-12)
    pd.testing.assert_frame_equal(found[4], found[1], rtol=1e-12)


def test_copies_of_all_cases_halve_the_variance():
    twice = pd.concat([AI, AI.assign(case=AI["case"] + 1000)])
    cases = pd.concat([CASES, CASES.assign(case=CASES["case"] + 1000)])
    once, both = (
        pauci.froc(pauci.Sample.from_marks(m, c), limit=0.5)
        for m, c in ((AI, CASES), (twice, cases))
    )
    assert both.area["value"].item() == pytest.approx(once.area["value"].item())
    n = CASES["case"].nunique()
    factor = 0.5 * (n - 1) / n
    assert both.area["se"].item() == pytest.approx(once.area["se"].item() * factor**0.5, rel=0.01)


def test_a_study_has_the_averages_of_its_readers():
    study = pauci.ReaderStudy.from_marks(READ, CASES, kind="AFROC")
    f = pauci.froc(study, false_marks=(0.25, 1), limit=0.5)
    for modality in study.modalities:
        each = []
        for reader in study.readers:
            part = READ[(READ["reader"] == reader) & (READ["modality"] == modality)]
            x, y = curve_of(part, CASES)
            each.append([*np.interp((0.25, 1), x, y), area_of(x, y, 0.5)])
        expected = np.mean(each, axis=0)
        mine = f.points[(f.points["first"] == modality) & (f.points["second"] == "")]
        assert mine["value"].tolist() == pytest.approx(expected[:2].tolist(), rel=1e-9)
        area = f.area[(f.area["first"] == modality) & (f.area["second"] == "")]
        assert area["value"].item() == pytest.approx(expected[2], rel=1e-9)
    (cpm,) = f.cpm.loc[f.cpm["second"] != "", "value"]
    values = f.points.loc[f.points["second"] != "", "value"]
    assert cpm == pytest.approx(values.mean(), rel=1e-9)
    assert set(f.curve["reader"]) == set(study.readers)
    with pytest.raises(pauci.InputError, match="by='density'"):
        pauci.froc(study, by="density")


def test_an_algorithm_is_compared_with_readers():
    part = ALL[ALL["modality"] != "aided"]
    f = pauci.froc(pauci.ReaderStudy.from_marks(part, CASES), standalone="AI")
    assert {(r["first"], r["second"]) for _, r in f.cpm.iterrows()} == {
        ("AI", ""),
        ("unaided", ""),
        ("AI", "unaided"),
    }


def test_differences_of_algorithms_are_paired():
    part = READ[READ["reader"] == "1"]
    sample = pauci.Sample.from_marks(part, CASES, classifier="modality")
    f = pauci.froc(sample)
    both = [i for i in f.items if i.measure == f.measures[-1]]
    (difference,) = [i.quantity for i in both if i.second]
    values = {i.first: i.quantity.value for i in both if not i.second}
    assert difference.value == pytest.approx(values[difference.first] - values[difference.second])
    joint = f.analyses[0]
    i, j = (k for k, e in enumerate(joint) if e.measure == f.measures[-1])
    variance = joint.cov[i, i] + joint.cov[j, j] - 2 * joint.cov[i, j]
    assert joint.cov[i, j] != 0
    assert difference.se**2 == pytest.approx(variance, rel=1e-9)
    for text in (f.summary(), f.report(), f.to_markdown()):
        assert "CPM" in text
    assert "share the lowest rank" in " ".join(f.summary().split())
    assert "120 images, 60 with 94 lesions" in " ".join(f.summary().split())


@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
def test_values_in_the_tests_of_monai():
    """`compute_froc_score` for hits 1, 1, 0.8, 0.8 of four lesions, and false marks 0.8, 0.6."""
    cases = pd.DataFrame({"case": [1, 2], "lesions": [2, 2]})
    marks = pd.DataFrame(
        {
            "case": [1, 1, 2, 2, 1, 2],
            "lesion": [1, 2, 1, 2, None, None],
            "rating": [1, 1, 0.8, 0.8, 0.8, 0.6],
        }
    )
    sample = pauci.Sample.from_marks(marks, cases, kind="wAFROC1")
    found = pauci.froc(sample, (0.25, 0.5, 1, 2, 4, 8))
    assert found.points["value"].tolist() == pytest.approx([0.75, 1, 1, 1, 1, 1], abs=1e-12)
    assert found.cpm["value"].item() == pytest.approx(0.95833333, abs=5e-9)


def test_groups():
    sample = pauci.Sample.from_marks(AI, CASES, group="density")
    f = pauci.froc(sample, by="density", false_marks=(0.5,))
    for group in ("dense", "fatty"):
        cases = CASES[CASES["density"] == group]
        x, y = curve_of(AI[AI["case"].isin(cases["case"])], cases)
        (row,) = f.cpm[(f.cpm["group"] == group) & (f.cpm["second"] == "")].to_dict("records")
        assert row["value"] == pytest.approx(np.interp(0.5, x, y), rel=1e-9)
    assert (f.cpm["second"] != "").any()


def test_no_false_marks():
    hits = AI.dropna(subset="lesion")
    f = pauci.froc(pauci.Sample.from_marks(hits, CASES))
    assert len(set(f.points["value"])) == 1
    assert f.area["value"].item() == pytest.approx(f.cpm["value"].item())


def test_numbers_of_false_marks_of_different_orders_are_refused():
    marks, cases = pauci.datasets.load_marks(), pauci.datasets.load_marked_cases()
    sample = pauci.Sample.from_marks(marks[marks["modality"] == "AI"], cases)
    with pytest.raises(pauci.InputError, match="100,000") as caught:
        pauci.froc(sample, 1e9)
    assert caught.value.argument == "false_marks"


def test_bad_arguments():
    sample = pauci.Sample.from_marks(AI, CASES)
    with pytest.raises(pauci.InputError, match="false_marks=0 must be positive"):
        pauci.froc(sample, false_marks=(0,))
    with pytest.raises(pauci.InputError, match="false_marks is empty"):
        pauci.froc(sample, false_marks=())
    with pytest.raises(pauci.InputError, match="limit"):
        pauci.froc(sample, limit=np.inf)
    with pytest.raises(pauci.InputTypeError, match="from_marks"):
        pauci.froc(pauci.Sample([0, 1], [1, 2]))
    with pytest.raises(pauci.InputTypeError, match="data"):
        pauci.froc(AI)
    with pytest.warns(pauci.errors.RepeatedRowsWarning, match="reader='reader'"):
        two = pauci.Sample.from_marks(READ, CASES, classifier="modality")
    with pytest.raises(pauci.InputError, match="1 of 2 classifiers"):
        pauci.froc(two["aided"])


def test_figure():
    ax = pauci.froc(pauci.ReaderStudy.from_marks(READ, CASES)).plot()
    assert ax.get_xlabel() == "False marks per image"
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["aided", "unaided"]
    assert ax.get_xscale() == "log"
