"""The page as a function of a file and the values of the form, without a server."""

import contextlib
import gzip
import io
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from html_page import tree_of, words_of
from pauci.cli.app import form, pages
from pauci.cli.app.kept_study import levels_of
from pauci.cli.app.screen import LABELS, on_screen
from pauci.measures import REGISTRY

FRAME = pauci.datasets.load_ljubljana_scores()
CSV = FRAME.to_csv(index=False).encode()
BASE = {"label": ["recurrence"], "positive": ["1"], "score": ["svm"], "measure": ["auc"]}
SHOW = {"show": ["results"]}
PART = {"measure": ["paucc"], "region": ["specificity"], "low": ["0.7"], "high": ["1"]}


def answer(values, content=CSV, name="scores.csv"):
    return pages.study_page(pages.study_of(name, content), values)


def words(reply):
    return words_of(tree_of(reply.body.decode()).find("body"))


def problem(values, content=CSV, name="scores.csv"):
    """Return the error on the page and the field that it leads to."""
    reply = answer({**values, **SHOW}, content, name)
    assert reply.status == 422
    box = tree_of(reply.body.decode()).find(".//div[@role='alert']")
    assert box.attrib["tabindex"] == "-1"
    assert "autofocus" in box.attrib
    link = box.find(".//a")
    return words_of(box.find(".//li")), None if link is None else link.attrib["href"]


def test_the_steps():
    start = pages.start_page()
    assert start.status == 200
    assert tree_of(start.body.decode()).find(".//input[@type='file']") is not None
    outcome = tree_of(answer({}).body.decode())
    assert [o.text for o in outcome.iter("option")][1:6] == list(FRAME.columns)
    columns = tree_of(answer({"label": ["recurrence"]}).body.decode())
    assert [i.attrib["value"] for i in columns.findall(".//input[@name='positive']")] == ["0", "1"]
    assert len(columns.findall(".//input[@name='score']")) == 4
    assert "(201 rows)" in words(answer({"label": ["recurrence"]}))


def test_results_are_those_of_python():
    values = {**BASE, **PART, "score": ["svm", "nn"], **SHOW}
    values["measure"] = ["paucc", form.WITH_AUC]
    reply = answer(values)
    assert reply.status == 200
    sample = pauci.Sample.from_frame(FRAME, label="recurrence", scores=["svm", "nn"], positive=1)
    measures = [pauci.PAUCc(fpr=(0, 0.3)), pauci.AUC()]
    text = words(reply).replace("−", "-")
    for sentence in pauci.compare(sample, measures)._sentences(0.95, None):
        assert sentence in text
    for name in sample.names:
        cutoff = pauci.cutoff(sample[name], maximize=pauci.Youden, rng=19500132)
        assert cutoff.report().partition(" Apparent values")[0] in text
    root = tree_of(reply.body.decode())
    assert len(list(root.iter("svg"))) == 5
    assert len(list(root.iter("table"))) == 4
    assert "Calibration is shown if all scores are predicted risks" in text


def test_the_page_of_risks_has_calibration():
    frame = pauci.datasets.load_dcurves()
    values = {"label": ["cancer"], "score": ["cancerpredmarker"], "measure": ["auc"], **SHOW}
    reply = answer(values, frame.to_csv(index=False).encode())
    assert "calibration slope" in words(reply)
    assert len(list(tree_of(reply.body.decode()).iter("svg"))) == 6


def test_groups():
    frame = FRAME.assign(site=np.where(np.arange(len(FRAME)) % 3, "north", "south"))
    reply = answer({**BASE, "group": ["site"], **SHOW}, frame.to_csv(index=False).encode())
    assert "Estimates by site" in words(reply)
    assert "north" in words(reply)


def test_warnings_are_beside_the_result():
    frame = FRAME.copy()
    frame.loc[3, "svm"] = np.nan
    values = {**BASE, "drop-missing": ["yes"], **SHOW}
    assert "1 of 286 rows was dropped" in words(answer(values, frame.to_csv(index=False).encode()))
    lower = FRAME.assign(svm=-FRAME["svm"])
    reply = answer({**BASE, **SHOW}, lower.to_csv(index=False).encode())
    assert "Warnings" in words(reply)
    assert "“Lower scores are more positive" in words(reply)


@pytest.mark.parametrize(
    ("values", "message", "field"),
    [
        ({"score": []}, "Choose at least one column of scores", "#score"),
        ({"score": ["svn"]}, "Did you mean 'svm'", "#score"),
        ({"score": ["recurrence"]}, "the column of the labels", "#score"),
        ({"measure": [""]}, "Choose a measure", "#measure"),
        ({"measure": ["pau"]}, "“Measure: pau” is not known", "#measure"),
        ({"measure": ["paucc"]}, "“Region: false positive rate between 0", "#region"),
        ({"measure": ["netbenefit"]}, "needs “Risk threshold", "#probability"),
        ({"measure": ["sensitivity"]}, "“At a specificity of”", "#region"),
        ({"region": ["specificity"], "low": ["0.9"]}, "takes two numbers", "#region"),
        ({"region": ["specificity"], "low": ["0,9"], "high": ["1"]}, "write 0.9", "#region"),
        ({"low": ["0.9"]}, "Choose what the two numbers are", "#region"),
        ({"region": ["at-threshold"], "low": ["1"], "high": ["2"]}, "takes one", "#region"),
        ({"region": ["zone"], "low": ["1"]}, "Choose a region", "#region"),
        ({**PART, "measure": ["auc"]}, "“Region: specificity between” cannot", "#region"),
        ({**PART, "low": ["0.9"], "high": ["0.2"]}, "0.9", "#region"),
        ({"level": ["95"]}, "Did you mean 0.95", "#level"),
        ({"level": ["95%"]}, "write a proportion, 0.95", "#level"),
        ({"positive": ["maybe"]}, "“Positive value: maybe” is not among", "#positive"),
        ({"group": ["nn"], "score": ["svm"]}, "“Groups: nn” has", "#group"),
        ({"design": ["survey"]}, "must be one of cohort, case-control", "#design"),
        ({"sheet": ["first"]}, "“Sheet: first” does not apply", "#sheet"),
        ({"decimal": ["x"]}, "“Decimal mark: x” must be", "#decimal"),
        ({"prevalence": ["0.1"]}, "“Prevalence” does not apply", "#prevalence"),
    ],
)
def test_messages_name_fields(values, message, field):
    text, link = problem({**BASE, **values})
    assert message in text
    assert link == field
    assert "--" not in text


def test_the_field_of_an_error_is_marked():
    root = tree_of(answer({**BASE, "level": ["95"], **SHOW}).body.decode())
    marked = root.find(".//*[@aria-invalid='true']")
    assert marked.attrib["id"] == "level"
    ids = {e.attrib["id"] for e in root.iter() if "id" in e.attrib}
    assert set(marked.attrib["aria-describedby"].split()) <= ids


SEMICOLONS = FRAME.to_csv(index=False, sep=";", decimal=",").encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x00\x01\x02", "null bytes"),
        (b"PK\x03\x04", "cannot be unpacked"),
        (b"\x1f\x8b broken", "cannot be unpacked"),
        (b"a;b\n1;1.010\n0;2.020\n", "“Decimal mark: .” or “Separator of thousands: .”"),
        (b"a,b\n1,2,3\n", "line 2 has 3 cells"),
    ],
)
def test_bad_files(content, message):
    reply = answer({}, content)
    assert reply.status == 422
    assert message in words(reply)
    assert "Read the file again" in words(reply)


def test_choices_survive_a_file_that_is_read_otherwise():
    first = tree_of(answer({**BASE, "sep": [";"], "decimal": ["."]}, SEMICOLONS).body.decode())
    assert first.find(".//input[@name='score']") is not None
    unread = tree_of(answer({**BASE, "encoding": ["ascii"]}, "ä,b\n".encode()).body.decode())
    hidden = {
        (i.attrib["name"], i.attrib["value"]) for i in unread.findall(".//input[@type='hidden']")
    }
    assert {("label", "recurrence"), ("score", "svm"), ("measure", "auc")} <= hidden
    assert answer({**BASE, "sep": [";"], "decimal": [","], **SHOW}, SEMICOLONS).status == 200


@pytest.mark.long
@pytest.mark.parametrize("name", ["a.tsv", "a.csv.gz", "a.xlsx", "a.parquet"])
def test_formats_of_files(name, tmp_path):
    path = tmp_path / name
    if name.endswith("xlsx"):
        FRAME.to_excel(path, index=False)
    elif name.endswith("parquet"):
        FRAME.to_parquet(path)
    else:
        text = FRAME.to_csv(index=False, sep="\t" if "tsv" in name else ",").encode()
        path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    values = {**BASE, **PART, "score": ["svm", "nn"]}
    assert answer({**values, **SHOW}, path.read_bytes(), name).status == 200
    same_numbers(pages.study_of(name, path.read_bytes()), values, tmp_path)


def test_code_reads_the_same_rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = FRAME.to_csv(index=False, sep=";", decimal=",")
    (tmp_path / "a.csv").write_text(text)
    values = {**BASE, **PART, "sep": [";"], "decimal": [","]}
    code = pages.download(
        pages.study_of("a.csv", text.encode()), values, "analysis.py"
    ).body.decode()
    names = {}
    exec(compile(code.partition("\nprint(")[0], "analysis.py", "exec"), names)
    sample = pauci.Sample.from_frame(FRAME, label="recurrence", scores=["svm"], positive=1)
    expected = pauci.estimate(sample, [pauci.PAUCc(fpr=(0, 0.3))])
    assert names["estimates"].to_frame().equals(expected.to_frame())


def same_numbers(study, values, folder):
    """Run the code for a study beside its file, and compare what it prints with the results."""
    code = pages.download(study, values, "analysis.py").body.decode()
    reading = form.reading_of(values)
    result = study.result(reading, form.choices_of(values, study.data(reading).columns))
    out = io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        warnings.catch_warnings(action="ignore", category=pauci.errors.PauciWarning),
    ):
        exec(compile(code, "analysis.py", "exec"), {"__name__": "__main__"})
    for shown in result.results():
        assert shown.result.summary(**shown.options) in out.getvalue(), shown.title
    assert (folder / "figure.png").read_bytes()[:4] == b"\x89PNG"
    assert "<table" in (folder / "report.html").read_text("utf-8")
    return code


@pytest.mark.long
def test_code_with_every_option(tmp_path):
    rng = np.random.default_rng(4)
    frame = FRAME.assign(
        patient=np.arange(len(FRAME)) // 2,
        site=np.where(np.arange(len(FRAME)) % 3, "north", "sou'th"),
        outcome=np.where(FRAME["recurrence"] == 1, "ill", "well"),
        low=-FRAME["svm"] + rng.normal(size=len(FRAME)) * 0.1,
        nn=[f"{v:.3f}".replace(".", ",") for v in FRAME["nn"]],
    )
    frame.loc[[5, 9], "nn"] = "n/d"
    frame.loc[7, "low"] = 999
    frame.loc[11, "outcome"] = "unknown"
    text = frame.to_csv(index=False, sep=";", decimal=",", encoding="utf-8")
    text = re.sub(r"(?<=;)999,0(?=;|\n)", "999", text)
    (tmp_path / "data.csv").write_text(text, "utf-8")
    values = {
        "label": ["outcome"],
        "positive": ["ill"],
        "negative": ["well"],
        "score": ["low", "nn"],
        "lower-is-positive": ["low"],
        "missing": ["999\r\nn/d\r\n"],
        "drop-missing": ["yes"],
        "measure": ["pauc"],
        "region": ["fpr"],
        "low": ["0"],
        "high": ["0.5"],
        "cluster": ["patient"],
        "group": ["site"],
        "design": ["case-control"],
        "level": ["0.9"],
        "sep": [";"],
        "decimal": [","],
    }
    study = pages.study_of("data.csv", (tmp_path / "data.csv").read_bytes())
    reply = pages.study_page(study, {**values, **SHOW})
    assert reply.status == 200, words(reply)
    code = same_numbers(study, values, tmp_path)
    for text in ("pd.to_numeric(", "missing=[999", "cluster='patient'", "design='case-control'"):
        assert text in code


@pytest.mark.long
@pytest.mark.parametrize("name", ["a.sav", "a.dta", "a.csv", "a.xlsx"])
def test_code_with_labels_and_titles(name, tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    n = len(FRAME)
    frame = FRAME[["recurrence", "svm"]].assign(
        site=1 + np.arange(n) % 3,
        rating=pd.cut(FRAME["nn"], 3, labels=["low", "mid", "high"]).astype(str),
    )
    path = tmp_path / name
    values = {**BASE, "group": ["site"]}
    if name in ("a.sav", "a.dta"):
        write = pyreadstat.write_sav if name == "a.sav" else pyreadstat.write_dta
        write(frame, path, variable_value_labels={"site": {1: "north", 2: "south", 3: "west"}})
    elif name == "a.csv":
        path.write_text(f"A study\n\n{frame.to_csv(index=False)}", encoding="utf-8")
        values |= {"header-row": ["3"], "score": ["rating"], "category": ["low\nmid\nhigh"]}
    else:
        frame.to_excel(path, index=False, startrow=2)
        values |= {"header-row": ["3"]}
    study = pages.study_of(name, path.read_bytes())
    reply = pages.study_page(study, {**values, **SHOW})
    assert reply.status == 200, words(reply)
    same_numbers(study, values, tmp_path)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("tables.docx", b"PK"),
        ("tables.csv", b"classifier,"),
        ("tables.tex", b"%"),
        ("figure.png", b"\x89PNG"),
        ("figure.pdf", b"%PDF"),
        ("report.html", b"<!doctype html>"),
    ],
)
def test_downloads(name, start):
    reply = pages.download(pages.study_of("../a b;\n.csv", CSV), {**BASE, **PART}, name)
    assert reply.status == 200
    assert reply.body[: len(start)].lower() == start.lower()
    assert reply.filename == f"a-b-{name}" or reply.filename == f"a-b--{name}"
    listed = [file for files in pages.downloads().values() for file, _ in files]
    assert name in listed
    assert len(set(listed)) == len(listed)


@pytest.mark.long
def test_every_download_can_be_written():
    study, values = pages.study_of("a.csv", CSV), {**BASE, "score": ["svm", "nn"]}
    for files in pages.downloads().values():
        for name, _ in files:
            if name != pages.REPORT:
                assert pages.download(study, values, name).status == 200, name


def test_unknown_downloads_and_incomplete_choices():
    study = pages.study_of("a.csv", CSV)
    assert pages.download(study, BASE, "../../etc/passwd").status == 404
    assert pages.download(study, BASE, "tables.exe").status == 404
    incomplete = pages.download(study, {"label": ["recurrence"]}, "tables.csv")
    assert incomplete.status == 422
    assert "Choose at least one column of scores" in words(incomplete)


def every_page(label, positive, negative, score, column, group):
    """Return every kind of page for a file with these names of columns and values."""
    rng = np.random.default_rng(2)
    y, at = np.arange(40) % 2, np.arange(40) % 4
    frame = pd.DataFrame({label: np.where(y, positive, negative), score: rng.normal(size=40) + y})
    frame.loc[:3, label] = "unknown"
    frame[column] = np.where(at < 2, group, "other")
    study = pages.study_of(f"{score}.csv", frame.to_csv(index=False).encode())
    yield pages.start_page(f"The file {score} is empty.")
    yield pages.message_page(column, group, 404)
    yield pages.study_page(study, {})
    values = {"label": [label], "positive": [positive], "negative": [negative]}
    values |= {"score": [score], "group": [column], "measure": ["auc"], **SHOW}
    for changed in ({"level": [label]}, {"score": [f"no {score}"]}, {}):
        yield pages.study_page(study, values | changed)


def test_names_are_text_on_every_page():
    names = [f'"><i onclick=x><script>&lt;{i}' for i in range(6)]
    shown = set()
    for reply in every_page(*names):
        root = tree_of(reply.body.decode())
        assert not {part.tag for part in root.iter()} & {"i", "script"}
        assert not [name for part in root.iter() for name in part.attrib if name.startswith("on")]
        shown |= {name for name in names if name in words_of(root)}
        chosen = [i.get("value") for i in root.iter() if {"checked", "selected"} & {*i.attrib}]
        if "Cluster" in words_of(root):
            assert {*names[1:3], names[4]} <= {*chosen}
    assert shown == {*names}


HOSTILE = [
    "<script>alert(1)</script>",
    "a\"b'c",
    "two\nlines",
    "{{ 7 * 7 }}",
    "$x_1$",
    " blanks ",
    "\u202eabc",
    "=cmd|' /C calc'!A0",
    "x" * 5000,
]


@pytest.mark.long
def test_hostile_names_are_harmless(tmp_path):
    y = np.arange(60) % 2
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({name: rng.normal(size=60) + y for name in HOSTILE})
    frame.insert(0, "</select><b>", np.where(y, '"ill"', "<img src=x onerror=alert(1)>"))
    content = frame.to_csv(index=False).encode()
    (tmp_path / "a'b.csv").write_bytes(content)
    study = pages.study_of("../..\\<i>/a'b.csv", content)
    values = {
        "label": ["</select><b>"],
        "positive": ['"ill"'],
        # A browser sends line breaks as two characters.
        "score": [name.replace("\n", "\r\n") for name in HOSTILE[:-1]],
        "measure": ["pauc"],
        "region": ["fpr"],
        "low": ["0"],
        "high": ["0.4"],
    }
    steps = [{}, {"label": values["label"]}, values, {**values, **SHOW}]
    for shown in [pages.study_page(study, v) for v in steps]:
        assert shown.status == 200
        tags = {element.tag for element in tree_of(shown.body.decode()).iter()}
        assert not tags & {"script", "img", "b", "i"}
        assert "49" not in words(shown).split()
    boxes = tree_of(pages.study_page(study, {"label": values["label"]}).body.decode())
    names = [i.attrib["value"] for i in boxes.findall(".//input[@name='score']")]
    assert names == HOSTILE
    same_numbers(study, values, tmp_path)


def test_ten_thousand_columns():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(20, 10_000))).add_prefix("gene")
    frame["y"] = np.arange(20) % 2
    study = pages.study_of("wide.csv", frame.to_csv(index=False).encode())
    first = pages.study_page(study, {})
    assert len(first.body) < 1e6
    assert len(tree_of(first.body.decode()).findall(".//datalist/option")) == 10_001
    values = {"label": ["y"], "positive": ["1"], "score": ["gene7", "gene9999"], "measure": ["auc"]}
    assert pages.study_page(study, values).status == 200
    assert "gene9999" in words(pages.study_page(study, {**values, **SHOW}))


def test_the_table_is_read_once_and_the_analysis_kept(monkeypatch):
    from pauci.cli.app import kept_study as module

    reads, original = [], module.table_in
    monkeypatch.setattr(module, "table_in", lambda *a, **k: reads.append(a) or original(*a, **k))
    kept = pages.study_of("a.csv", CSV)
    for values in ({}, {"label": ["recurrence"]}, {**BASE, **SHOW}):
        assert pages.study_page(kept, values).status == 200
    result = kept.result(form.reading_of({}), form.choices_of(BASE, list(FRAME.columns)))
    assert result is kept.result(form.reading_of({}), form.choices_of(BASE, list(FRAME.columns)))
    pages.study_page(kept, {**BASE, "missing": ["n/d"], **SHOW})
    assert len(reads) == 1
    pages.study_page(kept, {**BASE, "decimal": ["."], **SHOW})
    assert len(reads) == 2


def test_every_measure_is_offered_once():
    offered = [key for listed in form.measures_by_group().values() for key, _ in listed]
    assert sorted(offered) == sorted(REGISTRY)
    assert all(form.measures_by_group().values())


def test_every_option_of_reading_is_a_field():
    text = answer({"label": ["recurrence"]}).body.decode()
    fields = {i.attrib.get("name") for i in tree_of(text).iter()}
    assert {form.field_of(parameter) for parameter in form.READING} <= fields
    assert set(LABELS) - {"negative", "measure", "region"} <= fields | {"positive"}


def test_values_of_a_column_with_many():
    data = pages.study_of("a.csv", CSV).data(form.reading_of({}))
    assert levels_of(data, "recurrence") == [("0", 201, ""), ("1", 85, "")]
    assert levels_of(data, "svm") == []
    assert "has many values" in words(answer({"label": ["svm"]}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("State decimal=',' or sep='tab'.", "Set “Decimal mark: ,” or “Column separator: tab”."),
        ("use drop_missing=True.", "use “Leave out rows with missing values”."),
        ("Pass it with positive=.", "Pass it with “Positive value”."),
        ("fpr=(0, 0.1) is", "“Region: false positive rate between 0 and 0.1” is"),
        ("Use variance='influence'.", "Use variance='influence'."),
        ("PAUC(fpr=(0, 0.1)) is", "PAUC(fpr=(0, 0.1)) is"),
    ],
)
def test_arguments_on_the_screen(text, expected):
    assert on_screen(text) == expected


def test_declared_missing_values_and_labels_of_values_are_shown(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    label = FRAME["recurrence"].astype(float)
    label[:4], label[4:9] = 9, 7
    frame = FRAME[["svm"]].assign(outcome=label)
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(
        frame,
        path,
        variable_value_labels={"outcome": {0: "well", 1: "ill", 7: "lost", 9: "refused"}},
        missing_ranges={"outcome": [9]},
    )
    study = pages.study_of("a.sav", path.read_bytes())
    form_ = words(pages.study_page(study, {"label": ["outcome"]}))
    assert "0.0: well (" in form_
    assert "7.0: lost (5 rows)" in form_
    assert "refused" not in form_
    values = {"label": ["outcome"], "positive": ["1.0"], "score": ["svm"], "measure": ["auc"]}
    values |= {"drop-missing": ["yes"], **SHOW}
    text = words(pages.study_page(study, values))
    assert "9 (refused) in 4 rows in column 'outcome'" in text
    assert "“Values that the file declares as missing" in text
    assert "1.0, ill, is positive" in text
    assert "label 1.0 against the rest (0.0, 7.0)" in text.partition("Warnings")[2]
    assert "“Negative value”" in text


@pytest.mark.parametrize(
    "region", [("threshold", "0", "inf"), ("threshold", "-inf", "0.2"), ("fpr", "0", "0.3")]
)
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_code_runs_for_every_region(tmp_path, monkeypatch, region):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("a.csv", index=False)
    values = {**BASE, "measure": ["paucc"]}
    values |= {name: [text] for name, text in zip(("region", "low", "high"), region, strict=True)}
    study = pages.study_of("a.csv", CSV)
    code = pages.download(study, values, "analysis.py").body.decode()
    names = {}
    exec(compile(code.partition("\nprint(")[0], "analysis.py", "exec"), names)
    sample = pauci.Sample.from_frame(FRAME, label="recurrence", scores=["svm"], positive=1)
    ends = tuple(map(float, region[1:]))
    expected = pauci.estimate(sample, [pauci.PAUCc(**{region[0]: ends})])
    assert names["estimates"].to_frame().equals(expected.to_frame())


@pytest.mark.parametrize("mark", [".", ",", " ", "'"])
def test_code_reads_numbers_with_marks_between_thousands(tmp_path, monkeypatch, mark):
    monkeypatch.chdir(tmp_path)
    numbers = (FRAME["svm"].rank(method="dense") * 37).astype(int)
    texts = [f"{number:,}".replace(",", mark) for number in numbers]
    text = FRAME[["recurrence"]].assign(svm=texts).to_csv(index=False, sep=";")
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    values = {**BASE, **PART, "sep": [";"]}
    if mark in ".,":
        message, _ = problem(values, text.encode())
        assert "Decimal mark" in message
        assert "Separator of thousands" in message
        values["thousands"] = [mark]
    code = pages.download(pages.study_of("a.csv", text.encode()), values, "analysis.py")
    names = {}
    code = code.body.decode().partition("\nprint(")[0]
    exec(compile(code, "analysis.py", "exec"), names)
    sample = pauci.Sample(FRAME["recurrence"], numbers.rename("svm"))
    expected = pauci.estimate(sample, [pauci.PAUCc(fpr=(0, 0.3))])
    assert names["estimates"].to_frame().equals(expected.to_frame())
