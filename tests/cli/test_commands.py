"""The commands: their numbers are those of the functions, and their messages name options."""

import hashlib
import io
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import COLUMNS, FRAME, READINGS, fails, json_rows, succeeds
from pauci.cli.options import COMMANDS

SVM = "--label label --score svm"
BOTH = f"{SVM} --score nn"
SAMPLE = pauci.Sample.from_frame(FRAME, "label", "svm")
TWO = pauci.Sample.from_frame(FRAME, "label", ["svm", "nn"])
PART = pauci.PAUCc(fpr=(0, 0.3))
DMIST = pauci.datasets.load_dmist()


def tables():
    return [
        pauci.Sample.from_counts(*(part[c].tolist() for c in DMIST.columns[1:]), name=name)
        for name, part in DMIST.groupby("modality", sort=False)
    ]


def copies(column):
    return pauci.Sample.from_frame(FRAME, "label", "svm", **{column: {"cluster": "site"}[column]})


@pytest.mark.parametrize(
    ("line", "result"),
    [
        (f"estimate FILE {SVM} --measure auc", lambda: pauci.estimate(SAMPLE, [pauci.AUC()])),
        (
            f"estimate FILE {BOTH} --measure auc --measure 'PAUCc(fpr=(0, 0.3))'",
            lambda: pauci.estimate(TWO, [pauci.AUC(), PART]),
        ),
        (
            f"estimate FILE {SVM} --cluster site --measure 'PAUCc(fpr=(0, 0.3)) / AUC'",
            lambda: pauci.estimate(copies("cluster"), [PART / pauci.AUC()]),
        ),
        (
            f"compare FILE {BOTH} --measure 'PAUCc(fpr=(0, 0.3))' --null -0.05 --alternative less",
            lambda: pauci.compare(TWO, PART, null=-0.05, alternative="less"),
        ),
        (
            f"compare FILE {BOTH} --measure \"{{'svm': PAUC(threshold=(1, 9)), "
            "'nn': PAUC(threshold=(1.1, 9))}\"",
            lambda: pauci.compare(
                TWO,
                {"svm": pauci.PAUC(threshold=(1, 9)), "nn": pauci.PAUC(threshold=(1.1, 9))},
            ),
        ),
        (
            f"compare FILE {BOTH} --measure auc --variance 'Bootstrap(200, rng=3)'",
            lambda: pauci.compare(TWO, pauci.AUC(), variance=pauci.Bootstrap(200, rng=3)),
        ),
        (
            f"profile FILE {SVM} --by tpr --edges '(0, 0.5, 1)'",
            lambda: pauci.profile(SAMPLE, "tpr", (0, 0.5, 1)),
        ),
        (
            f"scan FILE {BOTH} --measure 'PAUC(normalized=True)' --fpr '(0.2, 0.5)' --rng 2",
            lambda: pauci.scan(TWO, partial(pauci.PAUC, normalized=True), fpr=(0.2, 0.5), rng=2),
        ),
        (f"band FILE {SVM} --level 0.9", lambda: pauci.band(SAMPLE, 0.9)),
        (
            f"points FILE {SVM} --threshold 0 --threshold 1 --prevalence 0.2",
            lambda: pauci.operating_points(SAMPLE, thresholds=[0, 1], prevalence=0.2),
        ),
        (
            f"cutoff FILE {SVM} --maximize 'F(beta=2)' --rng 4",
            lambda: pauci.cutoff(SAMPLE, maximize=partial(pauci.F, beta=2), rng=4),
        ),
        (
            f"cutoff FILE {SVM} --cost '(10, 0.02)' --rng 4",
            lambda: pauci.cutoff(SAMPLE, cost=(10, 0.02), rng=4),
        ),
        (
            "risks example:dcurves --label cancer --score cancerpredmarker --probability 0.1",
            lambda: pauci.risk_table(
                pauci.Sample.from_frame(
                    pauci.datasets.load_dcurves(), "cancer", "cancerpredmarker"
                ),
                probability=0.1,
            ),
        ),
        (
            "estimate example:dmist --group modality --measure auc --positives positives "
            "--negatives negatives",
            lambda: pauci.estimate(tables(), [pauci.AUC()]),
        ),
        (
            "plan --auc 0.85 --measure auc --null 0.75",
            lambda: pauci.sample_size(pauci.binormal(0.85), pauci.AUC(), null=0.75),
        ),
        (
            "plan --auc 0.85 --auc 0.8 --correlation 0.6 --sd 1 --sd 1.2 --measure auc "
            "--null -0.03 --difference 0.02 --alternative greater --power 0.9",
            lambda: pauci.sample_size(
                pauci.binormal((0.85, 0.8), 0.6, (1, 1.2)),
                pauci.AUC(),
                null=-0.03,
                difference=0.02,
                alternative="greater",
                power=0.9,
            ),
        ),
        (
            "plan --auc 0.8 --prevalence 0.1 --measure auc --width 0.1",
            lambda: pauci.sample_size(pauci.assumed_risks(0.8, 0.1), pauci.AUC(), width=0.1),
        ),
        (
            "plan --mean -2 --sd 1.2 --slope 0.9 --oe 1.1 --measure oe --null 1.5",
            lambda: pauci.sample_size(
                pauci.assumed_risks(mean=-2, sd=1.2, slope=0.9, oe=1.1), pauci.OE(), null=1.5
            ),
        ),
        (
            "plan --beta '(1, 9)' --measure calibrationslope --width 0.5",
            lambda: pauci.sample_size(
                pauci.assumed_risks(beta=(1, 9)), pauci.CalibrationSlope(), width=0.5
            ),
        ),
    ],
)
def test_a_command_is_a_function(cli, line, result):
    rows = json_rows(succeeds(cli(f"{line} --quiet --format json")))
    expected = json.loads(result().to_json(**{"level": 0.9} if "--level" in line else {}))["rows"]
    assert rows == expected


@pytest.mark.parametrize("name", [n for n in COMMANDS if n not in ("app", "report", "validate")])
def test_every_example_runs(cli, name):
    """That of `meta` reads documents of results, with which `test_meta_command` runs it."""
    if name != "meta":
        status, out, _ = cli(f"{name} {COMMANDS[name].get('example', '')} --quiet")
        assert status == 0
        assert out
    status, out, err = cli(f"{name} --help")
    assert (status, err) == (0, "")
    assert COMMANDS[name].get("example", "").split(" --")[0] in " ".join(out.split())


def test_a_cutoff_is_validated_in_other_files(cli, tmp_path, monkeypatch):
    """The example of the command, with other cohorts and options."""
    monkeypatch.chdir(tmp_path)
    rng, samples = np.random.default_rng(5), []
    for name, n in (("development", 200), ("berlin", 150), ("paris", 120)):
        label = np.arange(n) % 4 == 0
        marker = 1 / (1 + np.exp(1.5 - rng.normal(size=n) - label))
        frame = pd.DataFrame({"cancer": label.astype(int), "marker": marker})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        frame = pd.read_csv(tmp_path / f"{name}.csv")
        samples.append(pauci.Sample.from_frame(frame, "cancer", "marker"))
    development, berlin, paris = samples
    line = f"validate {COMMANDS['validate']['example']} --rng 3"
    k = pauci.cutoff(development, specificity=0.95, rng=3)
    out = succeeds(cli(line))
    assert out.rstrip("\n") == f"{(v := k.validate({'berlin': berlin})).summary()}\n\n{v.report()}"
    found = json.loads(succeeds(cli(f"{line} --risks --level 0.9 --format json --plot a.svg")))
    expected = k.validate({"berlin": berlin}, risks=True).to_dict(0.9)
    assert found["rows"] == json.loads(json.dumps(expected["rows"]))
    assert (tmp_path / "a.svg").stat().st_size > 1000
    line = line.replace("berlin.csv", "berlin.csv paris.csv")
    found = json.loads(succeeds(cli(f"{line} --format json")))
    cohorts = {"berlin": berlin, "paris": paris}
    assert found["rows"] == json.loads(k.validate(cohorts).to_json())["rows"]
    fails(cli("validate development.csv --label cancer --score marker --equal"), "two FILES")
    pd.read_csv("development.csv").iloc[::-1].to_csv("copy.csv", index=False)
    fails(cli(line.replace("berlin.csv", "copy.csv")), "copy has the score and label of about 200")


def test_fits_have_estimates_and_comparisons(cli):
    found = json_rows(succeeds(cli(f"fit FILE {BOTH} --model proper --measure auc --format json")))
    fits = [pauci.fit_proper(TWO[name]) for name in TWO.names]
    assert found["estimates"][0]["value"] == pauci.estimate(fits[0], pauci.AUC()).value
    assert found["comparisons"][0]["pvalue"] == pauci.compare(fits, pauci.AUC()).pvalue
    fails(cli(f"fit FILE {SVM} --model normal"), "--model", "binormal")


def test_tests_and_ranks_of_estimates(cli):
    line = (
        f"estimate FILE {BOTH} --measure auc --null 0.5 --alternative greater --adjust bh --best 1"
    )
    found = json_rows(succeeds(cli(f"{line} --level 0.9 --format json")))
    es = pauci.estimate(TWO, [pauci.AUC()])
    tests, ranks = es.tests(0.5, "greater", "bh"), es.ranks(best=1, level=0.9)
    assert found["estimates"] == json.loads(es.to_json(level=0.9))["rows"]
    assert found["tests"] == json.loads(tests.to_json(level=0.9))["rows"]
    assert found["ranks"] == json.loads(ranks.to_json())["rows"]
    assert ranks.sentence in " ".join(succeeds(cli(f"{line} --level 0.9")).split())
    fails(cli(f"estimate FILE {BOTH} --measure auc --adjust bh"), "--adjust 'bh'", "--null")
    fails(cli(f"estimate FILE {BOTH} --measure auc --best 3"), "--best 3", "2 estimates")
    fails(cli(f"estimate FILE {SVM} --measure auc --best 1"), "two estimates")


def test_groups(cli, tmp_path):
    frame = FRAME.assign(sex=np.where(np.arange(len(FRAME)) % 4 < 2, "F", "M"))
    path = tmp_path / "groups.csv"
    frame.to_csv(path, index=False)
    sample = pauci.Sample.from_frame(frame, "label", "svm", group="sex")
    expected = pauci.estimate(sample, [pauci.AUC()], by="sex", reference="M")
    for option in ("--group", "--by"):
        line = f"estimate {path} {SVM} --measure auc {option} sex --reference M --format json"
        found = json_rows(succeeds(cli(line)))
        assert [r["value"] for r in found["estimates by sex"]] == [e.value for e in expected]
        assert found["gaps by sex"][0]["difference"] == expected.gaps[0].difference


def test_several_files_are_several_samples(cli, tmp_path):
    other = tmp_path / "other.csv"
    FRAME.iloc[::-1].iloc[:80].to_csv(other, index=False)
    (row,) = json_rows(
        succeeds(cli(f"compare FILE {other} {SVM} --measure auc --independent --format json"))
    )
    assert (row["first"], row["second"]) == ("data", "other")
    assert row["correlation"] == 0
    fails(cli(f"estimate FILE {other} --label label --score nm --measure auc"), "nm", "data")


def test_tables_of_counts(cli):
    found = json_rows(
        succeeds(cli("counts example:dmist --group modality --measure ap --format json"))
    )
    assert [r["value"] for r in found["estimates"]] == [
        e.value for e in pauci.estimate(tables(), [pauci.AP()])
    ]
    assert found["comparisons"][0]["pvalue"] == pauci.compare(tables(), pauci.AP()).pvalue


def test_four_cells(cli):
    rows = json_rows(succeeds(cli("counts --cells 90 20 10 180 --format json")))
    values = {r["measure"]: r["value"] for r in rows}
    expected = {"sensitivity": 0.9, "specificity": 0.9, "PPV": 90 / 110, "NPV": 180 / 190}
    assert {name: values[name] for name in expected} == pytest.approx(expected)
    assert values["LR+"] == pytest.approx(9)
    rows = json_rows(succeeds(cli("counts --cells 90 20 10 180 --prevalence 0.1 --format json")))
    assert rows[2]["value"] == pytest.approx(0.09 / (0.09 + 0.09))
    assert cli("counts --cells 90 20 10")[0] == 2
    fails(cli("counts --cells 90 20 10 -1"), "--cells", "four")


def test_readers(cli, readings):
    study = pauci.ReaderStudy.from_frame(READINGS, label="label", score="score")
    line = f"readers {readings} {COLUMNS} --measure auc --readers fixed --format json"
    expected = pauci.mrmc(study, pauci.AUC(), readers="fixed")
    assert json_rows(succeeds(cli(line))) == json.loads(expected.to_json())["rows"]


def test_power_and_sample_size_of_readers(cli, readings):
    study = pauci.ReaderStudy.from_frame(READINGS, label="label", score="score")
    pilot = pauci.mrmc(study, pauci.AUC())
    line = f"{readings} {COLUMNS} --measure auc --difference 0.1 --format json"
    sizes = "--readers 6 --readers 9 --positives 40 --negatives 50"
    rows = json_rows(succeeds(cli(f"plan {line} {sizes}")))
    expected = pauci.mrmc_power(pilot, [6, 9], [40], [50], difference=0.1)
    assert [r["power"] for r in rows] == expected["power"].tolist()
    (row,) = json_rows(succeeds(cli(f"plan {line} --readers 9 --power 0.5 --ratio 1")))
    assert row["power"] >= 0.5
    one_less = row["positives"] - 1
    assert pauci.mrmc_power(pilot, 9, one_less, one_less, difference=0.1) < 0.5


def test_the_power_and_the_width_of_a_planned_study(cli):
    line = "plan --auc 0.8 --prevalence 0.1 --measure oe --n-pos 50 --n-neg 450 --format json"
    risks = pauci.assumed_risks(0.8, 0.1)
    (width,) = json_rows(succeeds(cli(line)))
    assert width["width"] == pauci.expected_width(risks, pauci.OE(), 50, 450)
    plans = json.loads(succeeds(cli(f"{line} --null 1.5")))
    assert plans["width"]["rows"] == [width]
    power = pauci.power(risks, pauci.OE(), 50, 450, null=1.5)
    assert plans["power"]["rows"][0]["power"] == power


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--width 0.1", "requires FILE with a pilot study, or an assumption, such as --auc"),
        ("--auc 0.8 --prevalence 0.1 --correlation 0.5", "--correlation 0.5 is for assumed scores"),
        ("--auc 0.8 --width 0.1 --n-pos 20 --n-neg 50", "--width 0.1 is for a required size"),
        ("--auc 0.8 --n-pos 20", "--n-neg is missing"),
        ("--mean -5 --sd 2.5 --prevalence 0.018", "they imply prevalence 0.0523"),
        ("FILE --label recurrence --score svm --auc 0.8", "--auc 0.8 is an assumption, but FILE"),
        ("FILE --label recurrence --score svm --slope 0.8", "--slope 0.8 is an assumption"),
        ("--auc 0.8 --prevalence 0.1 --measure auc", "a plan is for one --measure"),
    ],
)
def test_plans_that_contradict_themselves(cli, line, words):
    fails(cli(f"plan --measure auc {line}"), words)


def test_earlier_names_of_plans(cli):
    arguments = "--auc 0.85 --measure auc --null 0.75 --format json"
    expected = json_rows(succeeds(cli(f"plan {arguments}")))
    status, out, err = cli(f"sample-size {arguments}")
    assert status == 0
    assert "pauci sample-size is deprecated" in err
    assert "use pauci plan" in err
    assert json_rows(out) == expected


def test_few_points_by_default(cli):
    rows = json_rows(succeeds(cli(f"points FILE {SVM} --format json")))
    assert [row["asked"] for row in rows] == ["specificity >= 0.9", "sensitivity >= 0.9"]


def test_several_regions(cli):
    line = f"scan FILE {SVM} --measure paucc --format json --fpr 0.1"
    assert json_rows(cli(f"{line} --fpr 0.2")[1]) == json_rows(cli(f"{line},0.2")[1])


@pytest.mark.parametrize("several", ["'[0, 1]'", "'(0, 1)'", "0,1", "0 --threshold 1"])
def test_several_thresholds(cli, several):
    rows = json_rows(succeeds(cli(f"points FILE {SVM} --threshold {several} --format json")))
    assert [row["threshold"] for row in rows] == [0, 1]


def test_doctor_names_commands_that_run(cli, tmp_path):
    frame = FRAME[["outcome", "svm", "nn"]].rename(columns={"svm": "a score"})
    frame.loc[3, "nn"] = np.nan
    path = tmp_path / "some data.csv"
    frame.to_csv(path, index=False, sep=";", decimal=",")
    out = succeeds(cli(f"doctor '{path}'"))
    for words in ("'yes' (60)", "1 missing", "';'", "decimal mark ','"):
        assert words in out
    commands = [line.strip() for line in out.partition("Commands:")[2].splitlines() if line.strip()]
    assert {c.split()[1] for c in commands} >= {"estimate", "compare", "cutoff"}
    for command in commands:
        assert cli(command.removeprefix("pauci "))[0] == 0, command
    for copied, words in ((frame, "120 rows repeat"), (frame[:1], "1 row repeats another row")):
        pd.concat([frame, copied]).to_csv(path, index=False)
        assert words in succeeds(cli(f"doctor '{path}'"))


def test_doctor_distinguishes_limits_of_detection_from_missing_values(cli, tmp_path):
    values = ["<0.5", *map(str, range(1, 20)), "n/d"]
    path = tmp_path / "limits.csv"
    pd.DataFrame({"y": np.arange(21) % 2, "marker": values}).to_csv(path, index=False)
    out = succeeds(cli(f"doctor {path}"))
    assert "'<0.5' in 1 row of 'marker'. Replace such values by any number below" in out
    assert "--missing n/d" in out
    assert "--missing '<" not in out


def test_doctor_does_not_take_the_columns_of_a_study_as_label_or_score(cli):
    out = succeeds(cli("doctor example:viper_screening --label cancer_365"))
    (command,) = out.partition("Commands:")[2].strip().splitlines()
    assert "--modality modality" in command
    assert "--label cancer_365 " in command
    succeeds(cli(command.removeprefix("pauci ")))


def test_doctor_leaves_out_the_rare_ones_of_three_labels(cli, tmp_path):
    path = tmp_path / "three.csv"
    rows = [f"{['cancer', 'healthy'][i % 2]},{i}" for i in range(30)]
    path.write_text("\n".join(["diagnosis,score", *rows, "unclear,3"]), encoding="utf-8")
    out = succeeds(cli(f"doctor {path}"))
    assert "--positive cancer --negative healthy" in out


def test_doctor_asks_for_one_of_several_outcomes(cli, tmp_path):
    path = tmp_path / "a.csv"
    sex = np.where(np.arange(len(FRAME)) % 3 == 0, "f", "m")
    FRAME[["svm", "nn"]].assign(sex=sex, malignant=FRAME["outcome"]).to_csv(path, index=False)
    out = succeeds(cli(f"doctor {path}"))
    question = out.partition("To check:")[2].strip().splitlines()[0]
    assert f"sex (f: {sum(sex == 'f')}, m: {sum(sex == 'm')}) or malignant (no: " in question
    assert "--label" in question
    commands = out.partition("Commands:")[2].strip().splitlines()
    assert ["--label sex " in commands[0], "--label malignant " in commands[1]] == [True, True]
    for command in commands:
        succeeds(cli(command.strip().removeprefix("pauci ")))
    stated = succeeds(cli(f"doctor {path} --label malignant"))
    assert "malignant (" not in stated
    assert "--label sex" not in stated
    assert "cutoff" in stated
    fails(cli(f"doctor {path} --label absent"), "absent")
    fails(cli(f"doctor {path} --label svm"), "--label 'svm' has", "values; choose a column")
    readers = succeeds(cli("doctor example:viper_screening")).partition("Commands:")[2]
    assert readers.count("pauci readers") == readers.count("--reader reader") == 2


@pytest.mark.parametrize("modalities", [1, 2])
def test_doctor_recognizes_a_study_without_its_names(cli, tmp_path, modalities):
    rng = np.random.default_rng(0)
    case, reader, kind = (v.ravel() for v in np.indices((40, 3, modalities)))
    score = rng.integers(1, 6, case.size) + case % 2
    columns = {"Fall": case, "Leser": reader, "Geraet": kind, "krank": case % 2, "Note": score}
    path = tmp_path / "a.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    (command,) = succeeds(cli(f"doctor {path}")).partition("Commands:")[2].strip().splitlines()
    roles = "--case Fall --reader Leser" + " --modality Geraet" * (modalities > 1)
    assert f"{roles} --label krank --score Note" in command
    assert cli(command.removeprefix("pauci "))[0] == 0


def test_doctor_reports_codes_of_missing_values(cli, tmp_path):
    path = tmp_path / "a.csv"
    frame = FRAME[["outcome", "svm", "nn"]].copy()
    frame.loc[[3, 8], "nn"] = -999
    frame.to_csv(path, index=False)
    checks = succeeds(cli(f"doctor {path}")).partition("To check:")[2].partition("Commands:")[0]
    assert "nn is -999 in 2 rows" in checks
    assert "--missing -999 and --drop-missing" in checks


def with_two_spellings(frame):
    frame["label"] = np.where(frame["label"] == 1, "malignant", "benign")
    frame.loc[::7, "label"] += " "


def with_two_truths(frame):
    frame.loc[0, "label"] = 1 - frame.loc[0, "label"]


def with_two_readings(frame):
    frame.loc[len(frame)] = frame.loc[0]


def with_three_labels(frame):
    frame["label"] = np.select(
        [frame["case"] == frame["case"][0], frame["label"] == 1], ["unclear", "cancer"], "healthy"
    )


def with_codes(frame):
    frame.loc[[3, 8], "score"] = 999


@pytest.mark.parametrize(
    ("change", "words", "commands"),
    [
        (with_two_spellings, "differ only in case or blanks", 0),
        (with_two_truths, "has two truths", 0),
        (with_two_readings, "2 readings of case", 0),
        (with_three_labels, "leave the rows with other labels out", 0),
        (with_codes, "with --drop-missing", 1),
    ],
)
def test_doctor_checks_the_readings_of_a_study(cli, tmp_path, change, words, commands):
    frame = READINGS.reset_index(drop=True)
    change(frame)
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    checks, _, rest = succeeds(cli(f"doctor {path} --label label")).partition("Commands:")
    assert words in checks.partition("To check:")[2]
    assert rest.count("pauci readers") == commands
    assert ("must be corrected first" in rest) == (commands == 0)


def test_doctor_recognizes_the_modalities_of_one_reader(cli, readings):
    frame = pd.read_csv(readings)
    frame[frame["reader"] == frame["reader"][0]].to_csv(readings, index=False)
    (command,) = succeeds(cli(f"doctor {readings}")).partition("Commands:")[2].strip().splitlines()
    assert "--reader reader --modality modality --readers fixed" in command
    succeeds(cli(command.removeprefix("pauci ")))


def test_doctor_states_how_ratings_in_words_are_read(cli, readings):
    frame = pd.read_csv(readings)
    words = np.array(["none", "weak", "strong"])[np.clip(frame["score"].round(), 0, 2).astype(int)]
    frame.assign(score=words).to_csv(readings, index=False)
    (advice,) = succeeds(cli(f"doctor {readings} --label label")).splitlines()[-1:]
    assert "of 'score', require --score and --category" in advice


@pytest.mark.parametrize("name", ["page.html", "page.docx"])
def test_report(cli, tmp_path, name):
    pytest.importorskip("docx")
    path = tmp_path / name
    line = f"report FILE {SVM} --measure auc --title 'A study' --quiet --output {path}"
    assert succeeds(cli(line)) == ""
    assert path.read_bytes()[:2] in (b"PK", b"<!")
    fails(cli(f"report FILE {SVM} --measure auc"), "--output", ".html")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"estimate FILE {SVM} --measure paucc --fpr 0 0.1", ['"NAME(fpr=VALUE)"', "PAUCc(fpr="]),
        (f"estimate FILE {SVM} --measure auc --bootstrap", ['"Bootstrap(n_resamples=2000)"']),
        (f"estimate FILE {SVM} --measure auc --variance '{{[1]: 2}}'", ["--variance", "known"]),
        (f"band FILE {SVM} --rng 1", ["--rng is not an argument", "no bootstrap"]),
        (f"estimate FILE {SVM} --measure sensitivity", ["threshold", "fpr", "specificity"]),
        (f"estimate FILE {SVM} --measure ap --prevalence 0.1", ["AP(prevalence=0.01)"]),
        (f"estimate FILE {SVM} --measure aucc", ["--measure 'aucc'", "paucc"]),
        (f"estimate FILE {SVM}", ["--measure"]),
        (f"estimate FILE {SVM} --measure auc --max-fpr 0.1", ["--max-fpr", "fpr=(0, 0.1)"]),
        (f"readers FILE {COLUMNS} --measure auc --missing 9", ["--missing is", "--drop-missing"]),
        (f"compare FILE {SVM} --measure auc", ["--score 'svm' is", "--score again", "second FILE"]),
        (f"cutoff FILE {SVM} --maximize netbenefit", ['--maximize "NAME(probability=VALUE)"']),
        ("meta-accuracy FILE", ["--tp is missing"]),
        ("counts FILE --measure auc", ["--score 'score' is not a column"]),
        ("counts FILE --score grade --measure auc", ["--positives 'positives' is not a column"]),
        ("plan --auc 0.8 --measure auc", ["plan for one classifier", "--null or --width"]),
        (f"estimate FILE {SVM} --measure 'PAUC(fpr=(0, 1)'", ["methods: '(' was never closed"]),
        (f"estimate FILE {SVM} --measure 'AUC() * 2'", ["methods, such as PAUC(fpr=(0, 0.1))"]),
        (f"compare FILE {BOTH} --measure auc --paired", ["--paired is", "same rows are paired"]),
        (f"cutoff FILE {SVM} --method youden", ["--method is", "--maximize Youden"]),
        (f"estimate FILE {SVM} --measur auc", ["--measur is", "'--measure'"]),
        ("estimate FILE --label label --score svn --measure auc", ["--score 'svn'", "'svm'"]),
        ("estimate FILE --label label --measure auc", ["--score"]),
        ("estimate FILE --score svm --measure auc", ["--label"]),
        (f"estimate {SVM} --measure auc", ["FILE"]),
        (f"estimate none.csv {SVM} --measure auc", ["'none.csv'", "exist"]),
        (f"estimate FILE {SVM} --measure auc --positive 7", ["--positive '7'", "0, 1"]),
        (f"estimate FILE {SVM} --measure auc --level 95", ["--level 95", "0.95"]),
        (f"estimate FILE {SVM} --measure auc --level 0.9 --level 0.8", ["--level", "twice"]),
        (f"estimate FILE {SVM} --measure 'PAUC(fpr=(0, 2))'", ["fpr=", "(0, 2)"]),
        (f"estimate FILE {SVM} --measure 'open(1)'", ["open", "not known"]),
        (f"estimate FILE {SVM} --measure auc --output x.doc", ["--output 'x.doc'", ".docx"]),
        (f"estimate FILE {SVM} --measure auc --output FILE", ["--output", "reads"]),
        (f"estimate FILE {SVM} --measure auc --plot a.png --output a.png", ["--output"]),
        (f"estimate FILE {SVM} --measure auc --dpi 300", ["--dpi 300", "--plot"]),
        (f"estimate FILE {SVM} --measure auc --resolution 4", ["--resolution 4", "duckdb:"]),
        (f"points FILE {SVM} --threshold 'a('", ["a("]),
        (f"estimate FILE {SVM} --measure auc --reference F", ["--reference", "--by"]),
        (f"estimate FILE {SVM} --measure auc --by absent", ["--by 'absent' is not a column"]),
        ("estimat FILE", ["'estimate'"]),
        ("FILE", ["doctor"]),
    ],
)
def test_errors_name_options(cli, line, words):
    fails(cli(line), *words)


def test_all_classifiers_may_have_lower_positive_scores(cli):
    line = f"estimate FILE {SVM} --measure auc --quiet --format json --lower-is-positive"
    (row,) = json_rows(succeeds(cli(f"{line} true")))
    assert json_rows(succeeds(cli(f"{line} svm"))) == [row]
    assert row["value"] == pytest.approx(1.0 - pauci.estimate(SAMPLE, pauci.AUC()).value)
    (unchanged,) = json_rows(succeeds(cli(f"{line} false")))
    assert unchanged["value"] == pauci.estimate(SAMPLE, pauci.AUC()).value


def test_warnings_name_options(cli):
    _, _, err = cli(f"estimate FILE {SVM} --lower-is-positive svm --measure auc")
    assert "--lower-is-positive" in err
    assert "lower_is_positive" not in err


@pytest.mark.parametrize(
    ("column", "word"), [("outcome", "yes"), ("grade", "2"), ("share", "1"), ("flag", "True")]
)
def test_words_are_values_of_the_data(cli, column, word):
    line = f"estimate FILE --label {column} --positive {word} --score svm --measure auc"
    (row,) = json_rows(succeeds(cli(f"{line} --format json")))
    assert row["value"] == pauci.estimate(SAMPLE, pauci.AUC()).value


def test_codes_of_missing_values(cli, tmp_path):
    path = tmp_path / "codes.csv"
    frame = FRAME[["label", "svm"]].astype({"svm": object})
    frame.loc[[1, 4, 6], "svm"] = ["unknown", 999, "unknown"]
    frame.to_csv(path, index=False)
    line = f"estimate {path} {SVM} --measure auc --missing unknown --missing 999"
    (row,) = json_rows(cli(f"{line} --drop-missing --quiet --format json")[1])
    kept = pauci.Sample.from_frame(FRAME.drop([1, 4, 6]), "label", "svm")
    assert (row["value"], row["dropped"]) == (pauci.estimate(kept, pauci.AUC()).value, 3)
    fails(cli(line), "3 missing values", "lines 3, 6, 8", "--drop-missing")
    fails(cli(f"{line} --missing 998"), "'998'")


def test_ratings_in_words(cli, tmp_path):
    path = tmp_path / "ratings.csv"
    words = ["none", "weak", "strong"]
    ranks = np.clip(FRAME["svm"].round() + 1, 0, 2).astype(int)
    pd.DataFrame({"label": FRAME["label"], "r": [words[i] for i in ranks]}).to_csv(
        path, index=False
    )
    options = " ".join(f"--category {word}" for word in words)
    line = f"estimate {path} --label label --score r --measure auc"
    (row,) = json_rows(succeeds(cli(f"{line} {options} --format json")))
    assert row["value"] == pauci.estimate(pauci.Sample(FRAME["label"], ranks), pauci.AUC()).value
    fails(cli(line), "lines 2, 3, 4", "--category")
    fails(cli(f"{line} --category none --category weak"), "--category", "strong")


GRADES = ["2", "3", "4a", "4b", "4c", "5"]


@pytest.mark.parametrize("code", ["", "n/d"])
def test_ratings_with_letters_take_one_option(cli, tmp_path, code):
    path = tmp_path / "ratings.csv"
    rng = np.random.default_rng(5)
    ranks = np.clip(FRAME["label"] + rng.integers(0, 5, len(FRAME)), 0, 5).to_numpy()
    graded = pd.Series([GRADES[i] for i in ranks])
    kept = np.ones(len(FRAME), bool)
    if code:
        graded[3], kept[3] = code, False
    pd.DataFrame({"label": FRAME["label"], "grade": graded}).to_csv(path, index=False)
    line = f"estimate {path} --label label --score grade --measure auc"
    order = "--category '2 < 3 < 4a < 4b < 4c < 5'"
    _, _, err = cli(line)
    assert order in err
    assert "missing value" not in err
    out = succeeds(cli(f"doctor {path}"))
    assert order in out
    assert ("--missing n/d" in out) == bool(code)
    assert "'4a' in" not in out
    given = f"{line} {order} --format json --quiet" + f" --missing {code} --drop-missing" * bool(
        code
    )
    (row,) = json_rows(cli(given)[1])
    exact = pauci.estimate(pauci.Sample(FRAME["label"][kept], ranks[kept]), pauci.AUC())
    assert (row["value"], row["se"]) == (exact.value, exact.se)
    fails(cli(f"{line} --category '2 < 3 < 4a'"), "--category", "4")


@pytest.mark.parametrize("code", ["", "-", "\u2013", "n/d"])
@pytest.mark.parametrize("form", ["{:.1f} %", "{:.1f}%", "{:.1f}\u00a0%"])
def test_per_cent_signs(cli, tmp_path, form, code):
    path = tmp_path / "shares.csv"
    shares = (FRAME["svm"] * 10 + 40).round(1)
    texts = shares.map(form.format).str.replace(".", ",")
    kept = np.ones(len(FRAME), bool)
    if code:
        texts[5], kept[5] = code, False
    pd.DataFrame({"label": FRAME["label"], "share": texts}).to_csv(path, index=False, sep=";")
    line = f"estimate {path} --label label --score share --measure auc --format json --quiet"
    missing = f"--missing {code} --drop-missing" if code else ""
    (row,) = json_rows(cli(f"{line} {missing}")[1])
    exact = pauci.estimate(pauci.Sample(FRAME["label"][kept], shares[kept]), pauci.AUC())
    assert row["value"] == exact.value
    if code:
        fails(cli(line), f"{code!r} (line 7)", "--missing")


@pytest.mark.parametrize("end", ["txt", "json", "csv", "md", "tex", "html", "docx", "xlsx"])
def test_the_suffix_is_the_format(cli, tmp_path, end):
    path = tmp_path / f"table.{end}"
    assert succeeds(cli(f"estimate FILE {SVM} --measure auc --output {path}")) == ""
    assert path.stat().st_size


def test_several_tables_are_one_table_as_csv(cli, readings, tmp_path):
    path = tmp_path / "rows.csv"
    succeeds(cli(f"estimate FILE {SVM} --measure auc --null 0.5 --output {path}"))
    rows = pd.read_csv(path).set_index("table")
    assert list(rows.index) == ["estimates", "tests"]
    assert rows["n_pos"]["estimates"] == SAMPLE.n_pos
    assert rows["pvalue"]["tests"] == pauci.estimate(SAMPLE, pauci.AUC()).test(0.5).pvalue
    cli(f"readers {readings} {COLUMNS} --measure auc --output {path}")
    analysis = pauci.mrmc(pauci.ReaderStudy.from_frame(READINGS, label="label"), pauci.AUC())
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name, expected in analysis.to_frames().items():
        found = rows[rows["table"] == name][list(expected)]
        assert found.to_csv(index=False) == expected.to_csv(index=False)
    rows = pd.read_csv(io.StringIO(succeeds(cli(f"points FILE {BOTH} --format csv"))))
    assert list(rows["classifier"]) == ["svm", "svm", "nn", "nn"]


def test_figures(cli, tmp_path):
    for i, (measure, end) in enumerate([("auc", "png"), ("'PAUC(fpr=(0, 0.3))'", "svg")]):
        path = tmp_path / f"{i}.{end}"
        succeeds(cli(f"compare FILE {BOTH} --measure {measure} --plot {path}"))
        assert path.stat().st_size


def test_what_was_found_in_a_file_is_stated(cli, tmp_path):
    path = tmp_path / "german.csv"
    FRAME[["label", "svm"]].to_csv(path, index=False, sep=";", decimal=",")
    line = f"estimate {path} {SVM} --measure auc"
    assert "decimal mark ','" in succeeds(cli(line))
    status, out, err = cli(f"{line} --format csv")
    assert (status, "decimal" in out, "decimal mark" in err) == (0, False, True)
    document = json.loads(succeeds(cli(f"{line} --format json")))
    assert any("decimal mark" in note for note in document["notes"])


def test_json_states_the_data_and_the_command(cli, path):
    line = f"estimate '{path}' {SVM} --measure auc --format json"
    document = json.loads(succeeds(cli(line)))
    (data,) = document["data"]
    assert data["sha256"] == hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert document["call"] == f"pauci estimate {path} {SVM} --measure auc --format json"
    assert {"commit", "date", "versions"} <= set(document)


# Processes


def in_a_shell(line, **environment):
    command = f"{sys.executable} -m pauci"
    return subprocess.run(
        ["bash", "-c", line],
        env={**os.environ, "PAUCI": command, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_standard_input(path):
    done = in_a_shell(f"eval $PAUCI estimate - {SVM} --measure auc --format json < {path}")
    (row,) = json_rows(done.stdout)
    assert row["value"] == pauci.estimate(SAMPLE, pauci.AUC()).value


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="no C locale")
def test_names_in_the_c_locale(tmp_path):
    path, output = tmp_path / "\u00fcber.csv", tmp_path / "gr\u00f6\u00dfe.json"
    names = {"svm": "Gr\u00f6\u00dfe", "label": "\u00c5terfall", "outcome": "\u96e2"}
    FRAME.rename(columns=names).to_csv(path, index=False)
    line = f"estimate {path} --label {names['label']} --score {names['svm']} --measure auc"
    c_locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    shell = "; ".join(f"export {name}={value}" for name, value in c_locale.items())
    done = in_a_shell(f"{shell}; eval $PAUCI {line} --positive 1 --output {output}")
    assert done.returncode == 0, done.stderr
    (row,) = json_rows(output.read_text(encoding="utf-8"))
    assert (row["classifier"], row["value"]) == (
        "Gr\u00f6\u00dfe",
        pauci.estimate(SAMPLE, pauci.AUC()).value,
    )
    done = in_a_shell(f"{shell}; eval $PAUCI {line}x")
    assert done.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk():
    done = in_a_shell("eval $PAUCI demo > /dev/full")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("close", ["| true", ">&-"])
def test_a_closed_output_pipe(close):
    done = in_a_shell(f"set -o pipefail; (sleep 0.1; eval $PAUCI demo) {close}")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("pauci: error: standard output")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (BrokenProcessPool("a process in the pool died"), ["worker", "n_jobs=1", "died"]),
        (pickle.PicklingError("cannot pickle"), ["worker", "cannot pickle"]),
        (MemoryError("Unable to allocate 8 TiB"), ["out of memory", "8 TiB"]),
        (RuntimeError("can't start new thread"), ["out of memory", "thread"]),
        (OSError(28, "No space left on device", "/tmp/x"), ["No space left on device", "'/tmp/x'"]),
        (ZeroDivisionError("division by zero"), ["ZeroDivisionError", "report it"]),
    ],
)
def test_internal_errors_are_reported_in_one_line(cli, monkeypatch, error, words):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("pauci.cli.samples.read_table", fail)
    status, out, err = cli(f"estimate FILE {SVM} --measure auc")
    assert (status, out, err.count("\n")) == (1, "", 1)
    for word in words:
        assert word in err


def test_values_declared_as_missing_are_stated(cli, tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    path = tmp_path / "a.sav"
    frame = FRAME[["label", "svm"]].astype(float)
    frame.loc[:3, "svm"] = -95.0
    pyreadstat.write_sav(frame, path, missing_ranges={"svm": [-95]})
    line = f"estimate {path} {SVM} --measure auc"
    status, _, err = cli(line)
    assert status == 2
    assert "--drop-missing" in err
    status, _, err = cli(f"{line} --drop-missing")
    assert status == 0
    assert "-95 in 4 rows in column 'svm'" in err
    assert "--user-missing" in err
    status, _, err = cli(f"{line} --drop-missing --user-missing missing")
    assert (status, "--user-missing" in err) == (0, False)
    status, _, err = cli(f"{line} --user-missing values")
    assert (status, "declares" in err) == (0, False)


@pytest.mark.parametrize("column", ["--weight", "--frequency"])
def test_numbers_with_two_readings(cli, tmp_path, column):
    path = tmp_path / "a.csv"
    path.write_text("y;s;w\n1;1;1.010\n0;2;324\n1;3;3.272\n0;1;940\n", encoding="utf-8")
    line = f"estimate {path} --label y --score s --measure auc {column} w"
    status, _, err = cli(line)
    assert status == 2
    for words in ("'w'", "1.01 or 1010", "--decimal", "--thousands"):
        assert words in err
    assert cli(f"{line} --thousands .")[0] == 0
    path.write_text("y;s\n1;1.010\n0;324\n1;3.272\n0;none\n0;940\n", encoding="utf-8")
    line = f"estimate {path} --label y --score s --measure auc --missing none --drop-missing"
    status, _, err = cli(line)
    assert status == 2
    assert "1.01 or 1010" in err
    for option, auc in (("decimal", 0.0), ("thousands", 1.0)):
        status, out, _ = cli(f"{line} --{option} . --format json")
        assert (status, json_rows(out)[0]["value"]) == (0, auc)
