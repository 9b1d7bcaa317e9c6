"""Thresholds and codes of missing values are compared with scores in the type of the scores."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.cli import run
from pauci.curve.exact_sums import bfloat16, in_score_type

TENTHS = np.tile(np.arange(1, 11), 20)
Y = np.random.default_rng(3).random(TENTHS.size) < 0.2 + 0.06 * TENTHS


def in_bfloat16(values):
    return np.array([bfloat16(v) for v in values], np.float32)


class Tensor:
    """A minimal tensor of bfloat16."""

    dtype = "torch.bfloat16"

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Got unsupported ScalarType BFloat16")

    def detach(self):
        return self

    def float(self):
        return self.values


SCORES = {
    "float32": (TENTHS / 10).astype(np.float32),
    "float16": (TENTHS / 10).astype(np.float16),
    "nullable": pd.Series(TENTHS / 10, dtype="Float32"),
    "objects": list((TENTHS / 10).astype(np.float32)),
    "bfloat16": Tensor(in_bfloat16(TENTHS / 10)),
}


@pytest.mark.filterwarnings("ignore::pauci.errors.ReversedScoresWarning")
@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("lower", [False, True])
def test_a_decimal_threshold_includes_scores_of_this_decimal(scores, lower):
    sample = pauci.Sample(Y, scores, lower_is_positive=lower)
    exact = pauci.Sample(Y, TENTHS, lower_is_positive=lower)  # 1 to 10
    tenths = range(1, 11)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "error", pauci.errors.DifferentScalesWarning
        )  # 0.1 is the lowest score
        points = pauci.operating_points(sample, thresholds=[t / 10 for t in tenths])
    expected = pauci.operating_points(exact, thresholds=list(tenths))
    found, known = (p.to_frame().iloc[:, 1:5] for p in (points, expected))
    pd.testing.assert_frame_equal(found, known)
    for low, high in ((3, 7), (1, 4), (7, None), (None, 7), (6, 10)):
        of_integers = pauci.PAUC(threshold=(low, high))
        of_decimals = pauci.PAUC(threshold=[v and v / 10 for v in (low, high)])
        for variance in ("influence", pauci.Jackknife(), pauci.Bootstrap(40, rng=1)):
            found = pauci.estimate(sample, of_decimals, variance=variance)
            known = pauci.estimate(exact, of_integers, variance=variance)
            assert (found.value, found.se) == (known.value, known.se)


def test_the_type_of_the_scores_is_kept_in_parts_and_copies_of_a_sample():
    """Folds, groups, clusters, merged tie groups and readers compare in the type of the scores."""
    f32, region = SCORES["float32"], pauci.PAUC(threshold=(0.7, None))
    integers = pauci.PAUC(threshold=(7, None))
    options = [
        {"fold": np.arange(Y.size) % 2},
        {"cluster": np.arange(Y.size) // 2},
        {"weight": np.arange(Y.size) % 3 + 0.5},
        {"design": "case-control"},
        {"frequency": np.arange(Y.size) % 3},
    ]
    for option in options:
        of_decimals = pauci.estimate(pauci.Sample(Y, f32, **option), region)
        of_integers = pauci.estimate(pauci.Sample(Y, TENTHS, **option), integers)
        assert (of_decimals.value, of_decimals.se) == (of_integers.value, of_integers.se)
    pos, neg = (np.bincount(TENTHS[w], minlength=11)[1:] for w in (Y, ~Y))
    for dtype in (np.float32, np.float16):
        table = pauci.Sample.from_counts((np.arange(1, 11) / 10).astype(dtype), pos, neg)
        assert pauci.estimate(table, region).value == pytest.approx(
            pauci.estimate(pauci.Sample(Y, TENTHS), integers).value, abs=1e-12
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        profile = pauci.profile(pauci.Sample(Y, f32), by="threshold", edges=(0.1, 0.4, 0.7, 1.1))
        known = pauci.profile(pauci.Sample(Y, TENTHS), by="threshold", edges=(1, 4, 7, 11))
    assert [e.value for e in profile.estimates] == [e.value for e in known.estimates]
    with pytest.raises(pauci.InputError, match="leaves out scores"):
        pauci.profile(pauci.Sample(Y, f32), by="threshold", edges=(0.2, 0.4, 1.1))


def test_many_scores_of_single_precision():
    rng = np.random.default_rng(0)
    y = rng.random(40_000) < 0.4
    s = (y + rng.normal(size=y.size)).round(2)
    for scores in (s.astype(np.float32), s.astype(np.float16)):
        for t in (0.07, 0.7, 1.13):
            point = pauci.operating_points(pauci.Sample(y, scores), thresholds=t).to_frame()
            called = scores >= scores.dtype.type(t)
            assert point.iloc[0, 1:3].tolist() == [(called & y).sum(), (called & ~y).sum()]


def test_numbers_are_rounded_to_the_nearest_one_of_the_type():
    for number in (0.7, -99.9, 1e-7, 3.4028235e38, 1e300, -1e300, np.inf, -np.inf, 10**400, 0):
        with np.errstate(all="ignore"):
            wanted = np.float32(min(max(number, -1.7e308), 1.7e308))
            half = np.float16(min(max(number, -1.7e308), 1.7e308))
        assert in_score_type(number, np.float32) == wanted
        assert in_score_type(number, np.float16) == half
    assert in_score_type(10**400, None) == 10**400
    # bfloat16 has 8 significant bits.
    assert [float(bfloat16(v)) for v in (1.0, 256.0, 257.0, 258.0, 259.0, 0.7, -0.7)] == [
        1.0,
        256.0,
        256.0,
        258.0,
        260.0,
        0.69921875,
        -0.69921875,
    ]
    assert bfloat16(3.4e38) == np.inf


CODES = {
    "float32": (np.float32, -99.9),
    "float16": (np.float16, -99.9),
    "float64": (np.float64, -99.9),
    "int8": (np.int8, -99),
    "uint64": (np.uint64, 999),
    "int64": (np.int64, -99.0),
    "Float32": ("Float32", -99.9),
    "Int16": ("Int16", 999),
}


@pytest.mark.parametrize(("dtype", "code"), CODES.values(), ids=CODES)
@pytest.mark.parametrize("of_type", [float, np.float64])
def test_codes_are_compared_in_the_type_of_the_column(dtype, code, of_type):
    values = pd.Series(np.where(np.arange(Y.size) < 7, code, TENTHS)).astype(dtype)
    frame = pd.DataFrame({"y": Y, "s": values})
    with pytest.warns(pauci.errors.MissingRowsWarning, match="7 of 200 rows were dropped"):
        sample = pauci.Sample.from_frame(
            frame,
            "y",
            "s",
            missing=of_type(code) if "loat" in str(dtype) else code,
            drop_missing=True,
        )
    assert sample.rows.dropped == 7
    for absent in (-98.5, 1e300, 10**30, -(10**400)):
        with pytest.raises(pauci.InputError, match="is not a value of column") as caught:
            pauci.Sample.from_frame(frame, "y", "s", missing=[code, absent], drop_missing=True)
        assert (caught.value.argument, caught.value.value) == ("missing", absent)


def test_a_code_must_occur_in_one_of_its_columns():
    frame = pd.DataFrame({"y": Y, "s": np.where(TENTHS == 3, 999, TENTHS), "t": TENTHS, "u": 1})
    read = pauci.Sample.from_frame
    with pytest.warns(pauci.errors.MissingRowsWarning):
        read(frame, "y", ["s", "t"], missing=999, drop_missing=True)
    with pytest.warns(pauci.errors.MissingRowsWarning):
        read(frame, "y", ["s", "t"], missing={"s": 999, "u": 9}, drop_missing=True)
    for missing, column in (({"t": 999}, "'t'"), ([999, 99], "'y', 's', 't'"), ("999", "'y', 's'")):
        with pytest.raises(pauci.InputError, match=f"is not a value of columns? {column}"):
            read(frame, "y", ["s", "t"], missing=missing, drop_missing=True)


def test_the_command_reads_codes_and_thresholds_in_the_type_of_the_file(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    scores = np.where(np.arange(Y.size) < 7, -99.9, TENTHS / 10)
    for dtype in (np.float32, np.float64):
        file = str(tmp_path / f"{np.dtype(dtype)}.parquet")
        pd.DataFrame({"y": Y.astype(int), "s": scores.astype(dtype)}).to_parquet(file)
        for name in (file, f"duckdb:SELECT * FROM '{file}'"):
            if name != file:
                pytest.importorskip("duckdb")
            line = [name, "--label", "y", "--score", "s", "--drop-missing", "--missing"]
            assert run(["points", *line, "-99.9", "--threshold", "0.7", "--format", "csv"]) == 0
            header, row = capsys.readouterr().out.splitlines()[:2]
            cells = dict(zip(header.split(","), row.split(","), strict=True))
            high = (TENTHS >= 7) & (np.arange(Y.size) >= 7)
            assert str((high & Y).sum()) in cells.values()
            assert str((high & ~Y).sum()) in cells.values()
            assert run(["estimate", *line, "-99.8", "--measure", "auc"]) == 2
            assert "99.8" in capsys.readouterr().err
