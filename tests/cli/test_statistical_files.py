"""Files of SPSS and Stata: codes, value labels, declared missing values; uploaded files."""

import gzip
import json
import sys

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import FRAME, fails, json_rows, succeeds
from default_options import with_defaults
from pauci.cli.options import Reading, RowColumns
from pauci.cli.read_files import FileContent, read
from pauci.cli.samples import sample_of

pyreadstat = pytest.importorskip("pyreadstat")

LABELS = {"label": {0: "no", 1: "yes", 9: "unknown"}, "sex": {1: "male", 2: "female"}}
LINE = "--label label --positive yes --score svm --measure auc --format json"


def make(path, **columns):
    """Write a file and return its data; 9 and -99 to -90 are declared as missing in SPSS."""
    frame = FRAME[["label", "svm", "nn"]].assign(text="a")
    frame = frame.assign(**{"sex": np.arange(120) // 60 + 1.0, **columns})
    if path.suffix == ".dta":
        pyreadstat.write_dta(frame, str(path), variable_value_labels=LABELS)
    else:
        missing = {"label": [9], "svm": [{"lo": -99, "hi": -90}]}
        pyreadstat.write_sav(
            frame,
            str(path),
            variable_value_labels=LABELS,
            missing_ranges=missing,
            compress=path.suffix == ".zsav",
        )
    return frame


@pytest.mark.parametrize("name", ["d.sav", "d.zsav", "d.dta"])
def test_value_labels_name_positives_and_groups(cli, tmp_path, name):
    frame = make(tmp_path / name)
    sample = pauci.Sample(frame["label"], frame["svm"])
    expected = pauci.estimate(sample, pauci.AUC())
    for positive in ("yes", "1"):
        line = LINE.replace("yes", positive)
        (row,) = json_rows(succeeds(cli(f"estimate {tmp_path / name} {line}")))
        assert (row["value"], row["se"]) == (expected.value, expected.se)
    rows = json_rows(succeeds(cli(f"estimate {tmp_path / name} {LINE} --group sex")))
    assert [r["group"] for r in rows["estimates by sex"]] == ["female", "male"]
    out = succeeds(cli("estimate", tmp_path / name, *LINE.split(), "--where", "sex == female"))
    assert json.loads(out)["sizes"][0]["n_pos"] == (frame["label"][60:] == 1).sum()
    fails(cli(f"estimate {tmp_path / name} {LINE} --decimal ,"), "--decimal does not apply")


def test_declared_missing_values_are_missing_and_stated(cli, tmp_path):
    path = tmp_path / "d.sav"
    label = FRAME["label"].where(FRAME.index > 2, 9)
    frame = make(path, label=label, svm=FRAME["svm"].where(FRAME.index < 118, -95.0))
    line = f"estimate {path} {LINE}"
    status, _, err = cli(line)
    assert status == 2
    assert "--drop-missing" in err
    stated, _, err = cli(f"{line} --drop-missing")
    assert stated == 0
    for words in ("9 (unknown) in 3 rows in column 'label'", "-95 in 2 rows in column 'svm'"):
        assert words in err
    assert "--user-missing values" in err
    assert "5 of 120 rows" in err
    fails(cli(f"{line} --user-missing missing"), "missing", "--drop-missing")
    status, out, err = cli(f"{line} --user-missing missing --drop-missing")
    assert status == 0
    assert "5 of 120 rows" in err
    assert "declares" not in err
    kept = frame.iloc[3:118]
    expected = pauci.estimate(pauci.Sample(kept["label"], kept["svm"]), pauci.AUC())
    assert json_rows(out)[0]["value"] == expected.value
    status, out, _ = cli(f"{line} --user-missing values --negative no")
    assert status == 0
    (row,) = json_rows(out)
    assert (row["left_out"], row["dropped"]) == (3, 0)
    assert row["n_pos"] + row["n_neg"] == 117
    # Columns that are not used do not need a statement.
    used = "--label label --positive 1 --negative 0 --score nn --measure auc --format json"
    make(path, svm=FRAME["svm"].where(FRAME.index < 118, -95.0))
    assert json_rows(succeeds(cli(f"estimate {path} {used}")))[0]["dropped"] == 0


def test_extended_missing_values_of_stata(cli, tmp_path):
    path = tmp_path / "d.dta"
    svm = FRAME["svm"].astype(object).where(FRAME.index > 1, "a")
    frame = FRAME[["label"]].assign(svm=svm)
    pyreadstat.write_dta(frame, str(path), missing_user_values={"svm": ["a"]})
    line = f"estimate {path} {LINE.replace('yes', '1')}"
    assert ".a in 2 rows in column 'svm'" in cli(f"{line} --drop-missing")[2]
    fails(cli(f"{line} --user-missing values"), ".a, are no numbers")
    status, out, _ = cli(f"{line} --user-missing missing --drop-missing")
    assert status == 0
    assert json_rows(out)[0]["dropped"] == 2


def test_system_missing_values_and_blank_texts_are_missing(cli, tmp_path):
    path = tmp_path / "d.sav"
    make(path, svm=FRAME["svm"].where(FRAME.index > 1), sex=np.r_[np.nan, np.ones(119)])
    data = read(str(path), with_defaults(Reading), ["svm"])
    assert data.frame["svm"].isna().sum() == 2
    assert data.frame["label"].dtype.kind == "i"
    fails(cli(f"estimate {path} {LINE}"), "missing", "(rows 1, 2)")
    pyreadstat.write_sav(FRAME[["label", "svm"]].assign(text=["", "b"] * 60), str(path))
    assert read(str(path), with_defaults(Reading), []).frame["text"].isna().sum() == 60


def test_damaged_and_compressed_files(cli, tmp_path):
    path = tmp_path / "d.sav"
    make(path)
    (tmp_path / "d.sav.gz").write_bytes(gzip.compress(path.read_bytes()))
    succeeds(cli(f"estimate {tmp_path / 'd.sav.gz'} {LINE}"))
    path.write_bytes(path.read_bytes()[:300])
    fails(cli(f"estimate {path} {LINE}"), "cannot be read as a file of SPSS")


@pytest.mark.parametrize("version", [114, 117, 118])
def test_versions_of_stata(cli, tmp_path, version):
    path = tmp_path / "d.dta"
    FRAME[["label", "svm"]].to_stata(path, write_index=False, version=version)
    succeeds(cli(f"estimate {path} {LINE.replace('--positive yes', '')}"))


def test_the_extra_is_named(cli, tmp_path, monkeypatch):
    make(tmp_path / "d.sav")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    fails(cli(f"estimate {tmp_path / 'd.sav'} {LINE}"), "pyreadstat", "Install the extra spss")


@pytest.mark.parametrize("end", ["sav", "dta", "csv", "csv.gz", "xlsx", "parquet"])
def test_uploaded_files_are_read_from_bytes(tmp_path, end):
    path = tmp_path / f"d.{end}"
    frame = FRAME[["label", "svm"]].assign(site=["a", "b"] * 60)
    if end == "sav":
        pyreadstat.write_sav(frame, str(path))
    elif end == "dta":
        pyreadstat.write_dta(frame, str(path))
    elif end == "xlsx":
        frame.to_excel(path, index=False)
    elif end == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    upload = FileContent(path.name, path.read_bytes())
    reading = with_defaults(Reading, where=("site == a",))
    pd.testing.assert_frame_equal(
        read(upload, reading, ["label", "svm"]).frame,
        read(str(path), reading, ["label", "svm"]).frame,
    )
    sample = sample_of(
        upload,
        with_defaults(Reading),
        with_defaults(RowColumns, label="label", scores=("svm",)),
        "cohort",
    )
    expected = pauci.Sample(frame["label"], frame["svm"])
    assert pauci.estimate(sample, pauci.AUC()).value == pauci.estimate(expected, pauci.AUC()).value
