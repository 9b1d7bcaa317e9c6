"""Columns that identify the cases of several rows are recognized; other columns are not."""

import hashlib
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import polars
import pytest

import pauci
from pauci.backends.frames import open_frame
from pauci.sample.repeated_rows import (
    case_column,
    identifies_cases,
    moments_of_single_labels,
)

RNG = np.random.default_rng(12)
CASES = 120
SIZES = 1 + RNG.poisson(1.5, CASES)
CASE = np.repeat(np.arange(CASES), SIZES)
ILL = RNG.random(CASES) < 0.4
Y = ILL[CASE].astype(int)
N = Y.size
SCORE = Y + RNG.normal(size=CASES)[CASE] + RNG.normal(size=N)
OTHERS = {"age": RNG.integers(20, 90, N), "sex": RNG.integers(0, 2, N), "bmi": SCORE.round(1)}


def study_columns(frame, label, scores):
    """Return the columns of a frame that has readings of a study, as `pauci doctor` finds them."""
    opened = open_frame(frame)
    found = case_column(opened, opened[label], opened[scores[0]], [label, *scores])
    return found if found is not None and found[2] else None


def messages(frame, label="y", scores="score", **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pauci.Sample.from_frame(frame, label, scores, **options)
    return [str(w.message) for w in caught if w.category is pauci.errors.RepeatedRowsWarning]


def frame_with(**columns):
    return pd.DataFrame({"y": Y, "score": SCORE, **OTHERS, **columns})


@pytest.mark.parametrize(
    ("times", "positives"),
    [([2, 2, 1, 3], 3), ([4, 1, 2], 2), ([3, 3, 2], 5), ([8, 2], 1), ([1, 1, 1], 1), ([2, 2], 0)],
)
def test_moments_of_the_number_of_values_with_one_label(times, positives):
    """All orders of the labels are listed."""
    codes, found = np.repeat(np.arange(len(times)), times), []
    for at in combinations(range(codes.size), positives):
        of_pos = np.bincount(codes[list(at)], minlength=len(times))
        found.append(np.count_nonzero((of_pos == 0) | (of_pos == times)))
    expected = np.mean(found), np.var(found)
    np.testing.assert_allclose(
        moments_of_single_labels(np.array(times), positives), expected, atol=1e-12
    )


def test_moments_of_many_values():
    times = np.random.default_rng(0).integers(1, 400, 3000)
    positives = times.sum() // 500
    mean, variance = moments_of_single_labels(times, int(positives))
    assert 0 < mean < 3000
    assert 0 < variance < 1.2 * mean * (1 - mean / 3000)


def uid(k):
    return [f"1.2.840.113619.2.{17 * i % 9973}.{i}" for i in k]


FORMATS = {
    "StudyInstanceUID": uid(range(CASES)),
    "PatID": [f"P{i:04d}" for i in range(CASES)],
    "Fall": range(CASES),
    "accession": [f"A{7919 * i % 100003}" for i in range(CASES)],
    "hash": [hashlib.md5(bytes([i])).hexdigest() for i in range(CASES)],
    "number": 10_000 + RNG.permutation(5000)[:CASES],
    "float": np.arange(CASES) * 3.0,
    "birth": pd.Timestamp("1930-01-01") + pd.to_timedelta(RNG.permutation(20000)[:CASES], "D"),
    "initials": [chr(65 + i % 26) + chr(65 + i // 26) for i in range(CASES)],
    "categorical": pd.Categorical([f"c{i}" for i in range(CASES)]),
    "nullable": pd.array(range(CASES), dtype="Int64"),
    "string": pd.array([f"s{i}" for i in range(CASES)], dtype="string"),
    "mixed": np.array([i if i % 2 else f"x{i}" for i in range(CASES)], object),
}


@pytest.mark.parametrize("name", FORMATS)
def test_an_unused_column_of_cases_is_reported_whatever_its_name(name):
    values = pd.Series(FORMATS[name])[CASE].reset_index(drop=True)
    frame = frame_with(**{name: values})
    shuffled = frame.sample(frac=1, random_state=1)
    for data in (frame, shuffled, frame.iloc[N // 2 :]):
        [message] = messages(data)
        assert f"values of the column {name!r}" in message
        assert f"cluster={name!r}" in message
    assert not messages(frame, cluster=name)
    if name != "mixed":
        assert messages(polars.from_pandas(frame)) == messages(frame)


def test_missing_identifiers_and_labels_that_nearly_agree():
    case = np.where(RNG.random(N) < 0.1, np.nan, CASE)
    odd = np.where(RNG.random(N) < 0.01, 1 - Y, Y)
    none = np.where(CASE % 3 == 0, "none", CASE.astype(str))
    assert messages(frame_with(case=case))
    assert messages(frame_with(case=CASE, y=odd))
    assert messages(frame_with(case=none))
    assert not messages(frame_with(case=CASE, y=RNG.permutation(Y)))


def other_columns(n, y, z, rng):
    """Columns that do not identify cases, some of which determine the label."""
    codes = rng.integers(0, 12, n)
    return {
        "diagnosis": [("C" if v else "D") + f"{i:02d}" for i, v in zip(codes, y, strict=True)],
        "icd": [
            ("C" if v else "N") + f"{i:02d}" for i, v in zip(rng.zipf(1.5, n) % 40, y, strict=True)
        ],
        "site": rng.integers(0, 30, n),
        "site by class": codes + 12 * y,
        "date": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, n // 3, n), "D"),
        "period": pd.Timestamp("2020-01-01") + pd.to_timedelta(60 * y + codes, "D"),
        "months": np.where(y == 1, rng.integers(1, 24, n), rng.integers(24, 60, n)),
        "age": rng.integers(20, 90, n),
        "strong": (z + 8 * y).round(1),
        "strong whole": (10 * (z + 8 * y)).round().astype(int),
        "millimetres": np.where(y == 1, rng.integers(1, 40, n), 0),
        "cause": np.where(
            y == 1, np.array([f"x{i}" for i in range(30)])[rng.integers(0, 30, n)], "none"
        ),
        "batch": np.arange(n) // 8,
        "set": np.arange(n) // 2,
        "row": np.arange(n),
        "text": [f"w{i}" for i in rng.integers(0, n, n)],
        "bins": pd.qcut(z + 3 * y, 30, labels=False, duplicates="drop"),
        "list": [[1, 2]] * n,
        "hour": rng.integers(0, 24, n),
    }


@pytest.mark.parametrize("seed", range(8))
def test_other_unused_columns_are_not_reported(seed):
    rng = np.random.default_rng(seed)
    n, prevalence = int(rng.choice([60, 400, 2000])), rng.choice([0.5, 0.3, 0.05])
    y = (rng.random(n) < prevalence).astype(int)
    y[:4] = [0, 1, 0, 1]
    y = [np.sort(y), np.tile([1, 0, 0, 0], n // 4), y, y][seed % 4]
    z = rng.normal(size=n) + rng.choice([0, 1, 4]) * y
    columns = other_columns(n, y, z, rng)
    frame = pd.DataFrame({"y": y, "score": z, **columns})
    for name in columns:
        listed = list(dict.fromkeys([name, "hour", "site"]))
        assert case_column(frame[listed], y, z, []) is None, name
    assert not messages(frame)
    if seed < 2:
        assert not messages(polars.from_pandas(frame))


def test_cases_that_are_numbered_by_class_have_similar_scores():
    order = np.argsort(ILL[CASE], kind="stable")
    case = np.unique(2 * CASE + 1000 * Y, return_inverse=True)[1]
    assert messages(frame_with(case=case))
    sorted_rows = pd.DataFrame({"y": np.sort(Y), "score": np.sort(Y) + RNG.normal(size=N)})
    assert not messages(sorted_rows.assign(batch=np.arange(N) // 3))
    assert order.size == N


def readings(readers=3, modalities=2, cases=40, seed=0):
    rng = np.random.default_rng(seed)
    case, reader, modality = (v.ravel() for v in np.indices((cases, readers, modalities)))
    truth = (np.arange(cases) < cases // 2)[case]
    return pd.DataFrame(
        {
            "Untersuchung": case,
            "Leser": np.array(list("abcdefgh"))[reader],
            "Verfahren": np.array(["CT", "MR", "US"])[modality],
            "Malign": truth.astype(int),
            "Rating": np.clip(np.round(2 * truth + rng.normal(size=case.size) + 2), 1, 5),
            "Dauer": rng.integers(1, 9, case.size),
        }
    )


@pytest.mark.parametrize(("readers", "modalities"), [(3, 2), (8, 3), (5, 1), (1, 3)])
def test_the_columns_of_a_study_are_recognized(readers, modalities):
    frame = readings(readers, modalities).sample(frac=1, random_state=2)
    crossed = ("Leser",) * (readers > 1) + ("Verfahren",) * (modalities > 1)
    name, codes, others = study_columns(frame, "Malign", ["Rating"])
    assert (name, codes.max() + 1, others) == ("Untersuchung", 40, crossed)
    [message] = messages(frame, "Malign", "Rating")
    call = message.partition("from_frame")[2].partition(")")[0].removeprefix("(frame, ")
    study = pauci.ReaderStudy.from_frame(frame, **eval(f"dict({call})"))
    assert study.n_readings == len(frame)
    assert study_columns(polars.from_pandas(frame), "Malign", ["Rating"])[2] == crossed


def test_bundled_studies_are_recognized():
    for frame in (pauci.datasets.load_viper_screening(), pauci.datasets.load_viper()):
        name, _, crossed = study_columns(frame, "cancer_365", ["score"])
        assert (name, *crossed) == ("case", "reader", "modality")


def test_rows_of_one_case_do_not_make_a_study():
    assert study_columns(frame_with(case=CASE), "y", ["score"]) is None
    assert study_columns(frame_with(), "y", ["score"]) is None
    assert not identifies_cases(CASE, RNG.permutation(Y) == 1)


# Clusters that are not those of the cases


def in_modalities(seed=0):
    """Readings of 120 cases in two modalities by two readers, in the order of the cases."""
    rng = np.random.default_rng(seed)
    case, modality, reader = (v.ravel() for v in np.indices((120, 2, 2)))
    ill = (rng.random(120) < 0.4)[case].astype(int)
    score = ill + rng.normal(size=120)[case] + 0.5 * rng.normal(size=case.size)
    frame = pd.DataFrame({"y": ill, "score": score, "case": case})
    kind = np.array(["CT", "MR"])[modality]
    return frame.assign(
        name=[f"case{c}_{k}" for c, k in zip(case, kind, strict=True)],
        start=[f"{k}-{c:03d}" for c, k in zip(case, kind, strict=True)],
        point=case + (modality + 1) / 10,
        number=2 * case + modality,
        reading=[f"{c}.{m}.{r}" for c, m, r in zip(case, modality, reader, strict=True)],
        row=1 + np.arange(case.size),
        block=2 * modality + reader,
    )


@pytest.mark.parametrize("cluster", ["name", "start", "point", "number", "reading", "row"])
def test_clusters_of_readings_are_reported(cluster):
    frame = in_modalities()
    [message] = messages(frame, cluster=cluster)
    assert f"clusters of {cluster!r} have 120 values of the column 'case'" in message
    alone = frame[["y", "score", cluster]]
    assert len(messages(alone, cluster=cluster)) == (cluster != "row")  # all rows are different
    in_blocks = alone.loc[frame.sort_values("block", kind="stable").index]
    assert len(messages(in_blocks, cluster=cluster)) == 1
    if cluster in ("name", "start", "point", "reading"):
        shuffled = alone.sample(frac=1, random_state=1)
        [message] = messages(shuffled, cluster=cluster)
        assert "differ in one part of their names" in message
        with pytest.warns(pauci.errors.RepeatedRowsWarning):
            pauci.Sample(alone["y"], alone["score"], cluster=alone[cluster])
    assert not messages(frame, cluster="case")
    assert not messages(in_blocks.assign(case=frame["case"]), cluster="case")


def test_names_of_patients_are_not_those_of_readings():
    patients = np.array([f"S{i % 7}-{2000 + i // 7}" for i in range(CASES)])
    frame = frame_with(patient=patients[CASE], row=[f"{2000 + i % 9}-{i}" for i in range(N)])
    assert not messages(frame, cluster="patient")
    assert not messages(frame.drop(columns="patient"), cluster="row")


def test_labels_that_recur_block_after_block():
    once = RNG.random(103) < 0.4
    y, other = np.tile(once, 4), RNG.normal(size=412)
    for cluster in (
        None,
        [f"r{i}" for i in range(412)],
        np.arange(412) // 103 * 1000 + np.tile(np.arange(103), 4) * 3,
    ):
        with pytest.warns(pauci.errors.RepeatedRowsWarning, match="first 103 of 412 rows recur"):
            pauci.Sample(y, other, cluster=cluster)
    for cluster in (np.tile(np.arange(103), 4), range(412)):
        assert pauci.Sample(y, other, cluster=cluster).n_pos == y.sum()


@pytest.mark.parametrize(
    "block",
    [[1, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1] * 10 + [0] * 10, [1] + [0] * 24, [1] * 7 + [0] * 40],
)
@pytest.mark.parametrize("times", [2, 3, 60])
def test_designs_in_which_labels_alternate_do_not_recur(block, times):
    """Also with an incomplete set in the middle. Warnings are errors."""
    y = np.array(block * times)
    for labels in (y, np.concatenate([y, [1, 0], y]), np.sort(y)):
        score = np.random.default_rng(times).normal(size=labels.size)
        pauci.Sample(labels, score)
        assert len(pauci.Sample(labels, score, cluster=[f"p{i}" for i in range(labels.size)])) == 1


def test_a_join_by_the_case_alone():
    rng = np.random.default_rng(2)
    case, visit = (v.ravel() for v in np.indices((80, 3)))
    y = (rng.random(240) < 0.4).astype(int)
    truth = pd.DataFrame({"case": case, "visit": visit, "y": y})
    scores = pd.DataFrame({"case": case, "visit": visit, "score": y + rng.normal(size=240)})
    scores["rating"] = scores["score"].round().clip(-1, 2)
    joined, right = scores.merge(truth, on="case"), scores.merge(truth, on=["case", "visit"])
    for score in ("score", "rating"):
        for options in ({}, {"cluster": "case"}):
            [message] = messages(joined, "y", score, **options)
            assert "every score occurs with the same positive and negative labels" in message
            assert not messages(right, "y", score, **options)


def test_cases_in_several_folds():
    rng = np.random.default_rng(4)
    fold = rng.integers(0, 5, N)
    frame = frame_with(case=CASE, leaky=fold, grouped=CASE % 5)
    doubt = pauci.errors.DoubtfulDataWarning
    with pytest.warns(doubt, match="cases are in several folds"):
        pauci.Sample.from_frame(frame, "y", "score", fold="leaky", cluster="case")
    with pytest.warns(doubt), pytest.warns(pauci.errors.RepeatedRowsWarning):
        pauci.Sample.from_frame(frame, "y", "score", fold="leaky")
    eyes = np.repeat(np.arange(100), 2)
    with pytest.warns(doubt):
        pauci.Sample(eyes % 2, rng.normal(size=200), cluster=eyes, fold=rng.permutation(200) % 5)
    repeats = [frame.assign(repeated=5 * k + (CASE * (k + 1)) % 7 % 5) for k in range(3)]
    together = pd.concat(repeats, ignore_index=True)
    for options in ({"fold": "grouped"}, {"fold": "repeated"}):
        assert pauci.Sample.from_frame(together, "y", "score", cluster="case", **options)
    parts = [frame[rng.random(CASES)[CASE] < 0.6].assign(part=k) for k in range(4)]
    some = pd.concat(parts, ignore_index=True)  # as by GroupShuffleSplit
    assert pauci.Sample.from_frame(some, "y", "score", cluster="case", fold="part")
