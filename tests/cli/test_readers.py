"""`pauci readers`: the results of Python in one command, and errors that name options."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import COLUMNS, READINGS, fails

pytestmark = pytest.mark.filterwarnings("default::pauci.PauciWarning")


@pytest.mark.parametrize(
    ("more", "options"),
    [
        ("", {}),
        ("--fixed readers", {"readers": "fixed"}),
        ("--fixed cases", {"cases": "fixed"}),
        ("--method u-statistic", {"method": "u-statistic"}),
        ("--method jackknife --weights pairs", {"method": "jackknife", "weights": "pairs"}),
        ("--null -0.1 --alternative greater", {"null": -0.1, "alternative": "greater"}),
        ("--pair B A", {"pair": ("B", "A")}),
    ],
)
def test_numbers_are_those_of_python(cli, readings, more, options):
    status, out, _ = cli(f"readers {readings} {COLUMNS} --measure auc {more} --format csv")
    assert status == 0
    expected = pauci.mrmc(pauci.ReaderStudy.from_frame(READINGS), pauci.AUC(), **options)
    parts = [pd.read_csv(io.StringIO(part), keep_default_na=False) for part in out.split("\n\n")]
    for got, frame in zip(parts, expected.to_frames().values(), strict=True):
        pd.testing.assert_frame_equal(got, frame, check_dtype=False, rtol=1e-9)


def test_one_command_gives_table_sentence_and_figure(cli, readings, tmp_path):
    figure = tmp_path / "readers.svg"
    line = f"readers {readings} {COLUMNS} --measure paucc --fpr 0 0.3 --plot {figure}"
    status, out, _ = cli(line)
    assert status == 0
    assert "pAUCc, FPR 0 to 0.3: A - B, readers and cases" in out
    assert "Readers and cases are both random" in out
    assert "pAUCc, FPR 0 to 0.3: readers" in out
    assert " of A ranged over 4 readers from 0." in out
    assert "average" in figure.read_text(encoding="utf-8")


def test_a_table_in_a_file_leaves_the_sentences_to_be_printed(cli, readings, tmp_path):
    table, forest, curves = (tmp_path / name for name in ("t.docx", "forest.pdf", "curves.svg"))
    line = f"readers {readings} {COLUMNS} --measure paucc --fpr 0 0.3 --output {table}"
    status, out, _ = cli(f"{line} --plot {forest} --curves {curves}")
    assert status == 0
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(READINGS), pauci.PAUCc(fpr=(0, 0.3)))
    assert out.strip() == m.report()
    assert table.read_bytes()[:2] == b"PK"
    assert forest.read_bytes()[:4] == b"%PDF"
    assert "average of 4 readers" in curves.read_text(encoding="utf-8")
    status, out, _ = cli(f"{line[: -len('t.docx')]}t.md --measure auc --level 0.9")
    assert out.strip() == "\n\n".join(
        pauci.mrmc(m.study, measure).report(0.9)
        for measure in (pauci.PAUCc(fpr=(0, 0.3)), pauci.AUC())
    )
    fails(
        cli(f"readers {readings} {COLUMNS} --measure auc --curves {tmp_path / 'x.gif'}"), "--curves"
    )
    fails(
        cli(f"readers {readings} {COLUMNS} --measure auc --curves no/x.svg"),
        "--curves",
        "No such file",
    )


def test_several_measures(cli, readings):
    status, out, _ = cli(f"readers {readings} {COLUMNS} --measure auc --measure ap --format json")
    assert status == 0
    parts = json.loads(out)
    assert list(parts) == ["AUC", "AP"]
    for measure, document in parts.items():
        assert [row["measure"] for row in document["rows"]] == [measure]
        numbers = [len(rows) for rows in document["parts"].values()]
        assert dict(zip(document["parts"], numbers, strict=True)) == {
            "estimates": 2,
            "readers": 8,
            "differences": 1,
            "components": 1,
        }
    figure = readings.parent / "x.png"
    line = f"readers {readings} {COLUMNS} --measure auc --measure ap --plot {figure}"
    fails(cli(line), "--plot", "one measure")


def test_labels_that_are_words(cli, tmp_path):
    path = tmp_path / "words.csv"
    READINGS.assign(label=np.where(READINGS["label"] == 1, "yes", "no")).to_csv(path, index=False)
    status, _, _ = cli(f"readers {path} {COLUMNS} --positive yes --measure auc")
    assert status == 0
    fails(cli(f"readers {path} {COLUMNS} --measure auc"), "--positive")


@pytest.mark.parametrize(
    ("change", "more", "words"),
    [
        (lambda f: pd.concat([f, f.iloc[:1]]), "", "reader 'r0' has 2 readings of case 0"),
        (lambda f: f[(f["reader"] != "r1") | (f["label"] == 0)], "", "reader 'r1' read no positi"),
        (lambda f: f[f["reader"] == "r1"], "", "--fixed readers"),
        (lambda f: f, "--standalone C", "--standalone 'C' is not a modality"),
        (lambda f: f, "--pair A C", "--pair A C: 'C' is not a modality"),
        (lambda f: f, "--cluster patient", "--cluster 'patient' is not a column"),
        (lambda f: f.assign(score="high"), "", "'high'"),
        (lambda f: f.assign(reader=f["reader"].where(f.index > 2)), "", "(lines 2, 3"),
        (
            lambda f: f,
            "--method u-statistic --fixed cases",
            "--method u-statistic requires random readers",
        ),
        (lambda f: f, "--level 95", "--level 95"),
    ],
)
def test_errors_refer_to_options(cli, tmp_path, change, more, words):
    path = tmp_path / "bad.csv"
    change(READINGS).to_csv(path, index=False)
    answer = cli(f"readers {path} {COLUMNS} --measure auc {more}")
    fails(answer, words)


def test_hints_name_only_options_of_the_command(cli, tmp_path):
    coded = READINGS.assign(score=READINGS["score"].mask(READINGS["case"] % 7 == 1, 999.0))
    coded.to_csv(tmp_path / "coded.csv", index=False)
    status, _, err = cli(f"readers {tmp_path / 'coded.csv'} {COLUMNS} --measure auc")
    assert status == 0
    assert "leave such rows out of the file" in err
    assert "--missing" not in err
    three = READINGS.assign(
        label=np.where(READINGS["label"] == 1, "cancer", READINGS["case"] % 2).astype(str)
    )
    three.to_csv(tmp_path / "three.csv", index=False)
    answer = cli(f"readers {tmp_path / 'three.csv'} {COLUMNS} --measure auc --positive cancer")
    fails(answer, "leave the rows with other labels out of the file")
    assert "--negative" not in answer[2]


@pytest.mark.parametrize("column", ["score", "reader", "label"])
def test_readings_with_missing_values_are_dropped_and_counted(cli, tmp_path, column):
    path = tmp_path / "incomplete.csv"
    frame = READINGS.astype({"label": float})
    frame.loc[[3, 40], column] = None
    frame.to_csv(path, index=False)
    line = f"readers {path} {COLUMNS} --measure auc"
    fails(cli(line), "lines 5")
    status, out, _ = cli(f"{line} --drop-missing")
    assert status == 0
    assert "438 readings; 2 rows with missing values dropped" in out
    study = pauci.ReaderStudy.from_frame(frame, drop_missing=True)
    assert study.dropped == 2
    complete = pauci.ReaderStudy.from_frame(frame.dropna())
    assert pauci.mrmc(study, pauci.AUC()).contrasts == pauci.mrmc(complete, pauci.AUC()).contrasts
    repeated = pd.concat([frame, frame.iloc[[5]]])
    repeated.to_csv(path, index=False)
    fails(cli(f"{line} --drop-missing"), "has 2 readings", "lines 7, 442")


WORDS = ["no", "maybe not", "maybe", "yes"]


def test_ratings_in_words_have_an_order(cli, tmp_path):
    path = tmp_path / "words.csv"
    ratings = pd.cut(READINGS["score"], [-np.inf, 0, 1, 2, np.inf], labels=WORDS)
    READINGS.assign(score=ratings).to_csv(path, index=False)
    line = f"readers {path} {COLUMNS} --measure auc --format csv"
    order = [option for word in WORDS for option in ("--category", word)]
    status, out, _ = cli(line, *order)
    assert status == 0
    study = pauci.ReaderStudy.from_frame(READINGS.assign(score=ratings))
    expected = pauci.mrmc(study, pauci.AUC()).estimates["value"].to_numpy()
    got = pd.read_csv(io.StringIO(out.split("\n\n")[0]))["value"]
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    fails(cli(line), "not a number", "--category VALUE")
    fails(cli(line, *order[:-2]), "'yes', which is not one of the categories", "--category 'yes'")
    fails(cli(line, *order, "--category", "no"), "--category", "twice")
