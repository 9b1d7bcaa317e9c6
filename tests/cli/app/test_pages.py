"""The page as a function of a file and the values of the form, without a server."""

import contextlib
import gzip
import io
import re
import threading
import warnings
from html import unescape
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest

import pauci
from html_page import tree_of, words_of
from pauci.cli import doctor
from pauci.cli.app import form, pages
from pauci.cli.app import kept_study as module
from pauci.measures import REGISTRY

FRAME = pauci.datasets.load_ljubljana_scores()
CSV = FRAME.to_csv(index=False).encode()
BASE = {"label": ["recurrence"], "positive": ["1"], "scores": ["svm"], "measures": ["auc"]}
SHOW = {"show": ["1"]}
PART = {"measures": ["paucc"], "region": ["specificity"], "at": ["70"]}
RNG = np.random.default_rng(4)
Y = RNG.random(len(FRAME)) < 0.4
CLINIC = pd.DataFrame(
    {
        "Patient": np.arange(len(Y)) + 1001,
        "Alter": RNG.integers(30, 90, len(Y)),
        "Geschlecht": RNG.choice(["m", "w"], len(Y)),
        "Größe": np.round(RNG.normal(2 + Y), 3),
        "Rezidiv": np.where(Y, "ja", "nein"),
    }
)
"""A file of a clinic, with numbers of patients, umlauts, and words for the outcome."""


def answer(values, content=CSV, name="scores.csv"):
    return pages.study_page(pages.study_of(name, content), values)


def root_of(reply):
    return tree_of(reply.body.decode())


def words(reply):
    return words_of(root_of(reply).find("body"))


def checked(reply, name):
    """Return the values of the boxes of a field that are checked."""
    boxes = root_of(reply).findall(f".//input[@name='{name}']")
    return [box.attrib["value"] for box in boxes if "checked" in box.attrib]


def problem(values, content=CSV, name="scores.csv"):
    """Return the only error on the page and the field that it leads to."""
    reply = answer({**values, **SHOW}, content, name)
    assert reply.status_code == 422
    root = root_of(reply)
    (item,) = root.findall(".//div[@role='alert']//li")
    link = item.find("a").attrib["href"][1:]
    assert [e for e in root.iter() if e.get("id") == link]
    assert words_of(item) in words_of(root).partition("Rows that were read")[2]  # beside the field
    return words_of(item), link


# From a file to the first result


def test_the_first_page_asks_for_a_file_only():
    root = root_of(pages.start_page())
    assert [i.attrib["type"] for i in root.iter("input")] == ["file"]
    assert [f.attrib["action"] for f in root.iter("form")] == ["upload", "example"]


def test_the_first_page_of_a_file_has_the_result():
    reply = answer({})
    assert reply.status_code == 200
    sample = pauci.Sample.from_frame(FRAME, label="recurrence", scores="lda", positive=1)
    assert pauci.estimate(sample, pauci.AUC()).report() in words(reply)
    assert (checked(reply, "positive"), checked(reply, "scores")) == (["1"], ["lda"])
    assert "286 rows and 5 columns" in words(reply)
    assert root_of(reply).find(".//img").attrib["src"].startswith("curve.svg?")


def csv(frame, **options):
    return frame.to_csv(index=False, **options).encode(options.get("encoding", "utf-8"))


def with_cells(column, **cells):
    """Return the file of the clinic with a score of texts."""
    texts = CLINIC["Größe"].abs().map("{:.1f}".format)
    for row, text in cells.items():
        texts[int(row[1:])] = text
    return csv(CLINIC[["Patient", "Rezidiv"]].assign(**{column: texts}))


def test_files_of_clinics_have_a_result_at_once(tmp_path):
    rows = CLINIC.drop(columns="Geschlecht")
    missing = rows.assign(Größe=rows["Größe"].mask(rows.index == 3))
    sheet = tmp_path / "a.xlsx"
    rows.to_excel(sheet, index=False, startrow=2)
    with_title = pd.read_excel(sheet, header=None)
    with_title.iloc[0, 0] = "A study"
    with_title.to_excel(sheet, index=False, header=False)
    files = {
        "a.csv": (csv(rows, sep=";", decimal=",", encoding="cp1252"), "encoding cp1252"),
        "b.csv": (csv(missing), "1 of 286 rows was dropped"),
        "c.xlsx": (sheet.read_bytes(), "header in row 3"),
        "d.csv": (csv(rows.assign(Größe=[f"{v} mg/l" for v in rows["Größe"]])), "positives"),
    }
    for name, (content, stated) in files.items():
        reply = answer({}, content, name)
        assert reply.status_code == 200, name
        assert stated in words(reply)
        assert checked(reply, "positive") == ["ja"]
        assert checked(reply, "scores") == [["Größe"], ["Alter"]][name == "d.csv"]


def test_one_of_several_outcomes_is_asked_for():
    sizes = ", ".join(f"{v}: {n}" for v, n in sorted(CLINIC["Geschlecht"].value_counts().items()))
    for content in (CLINIC, CLINIC[["Rezidiv", "Geschlecht", "Größe"]]):
        reply = answer({}, csv(content))
        (item,) = root_of(reply).findall(".//div[@role='alert']//li")
        assert item.find("a").attrib["href"] == "#label"
        assert f"Geschlecht ({sizes})" in words_of(item)
        assert "Rezidiv (ja: " in words_of(item)
        assert root_of(reply).find(".//select[@id='label']/option[@selected]") is None
        assert "The area under" not in words(reply)
    chosen = answer({"label": ["Rezidiv"]}, csv(CLINIC))
    assert (checked(chosen, "positive"), chosen.status_code) == (["ja"], 200)
    many = pd.DataFrame({f"m{i}": RNG.integers(0, 2, 40) for i in range(300)}).assign(
        x=np.arange(40) / 2
    )
    text = words_of(root_of(answer({}, csv(many))).find(".//div[@role='alert']"))
    assert "m4 (0:" in text
    assert "or 295 others" in text


@pytest.mark.parametrize(
    ("values", "positive"),
    [
        ("f m", None),
        ("f t", "t"),
        ("F T", "T"),
        ("n y", "y"),
        ("N J", "J"),
        ("n s", None),
        ("n f", None),
        ("false true", "true"),
        ("no yes", "yes"),
        ("well poor", None),
        ("0 1", "1"),
        ("- +", "+"),
        ("- f", None),
        ("benign malignant", "malignant"),
    ],
)
def test_the_positive_value_by_its_word(values, positive):
    levels = [(text, "", 3) for text in sorted(values.split())]
    assert doctor.positive_level(levels) == [positive] * (positive is not None)
    named = [(str(i), text, 3) for i, (text, _, _) in enumerate(levels)]
    assert len(doctor.positive_level(named)) == (positive is not None)


def test_a_common_unit_is_removed_and_stated():
    frame = CLINIC[["Patient", "Rezidiv", "Größe"]]
    texts = frame.assign(Größe=[f"{v} mg/l" for v in frame["Größe"]])
    reply = answer({}, csv(texts))
    sample = pauci.Sample.from_frame(frame, label="Rezidiv", scores="Größe", positive="ja")
    assert pauci.estimate(sample, pauci.AUC()).report() in words(reply)
    assert "mg/l was removed" in words(reply)


@pytest.mark.parametrize(
    ("cell", "field", "choice"),
    [
        ("2.7 mg/l", "unit", "yes"),
        ("<0.5", "missing", "<0.5"),
        ("n/d", "missing", "n/d"),
        ("-", "missing", "-"),
    ],
)
def test_a_text_among_numbers_takes_one_question(cell, field, choice):
    content = with_cells("CRP", r6=cell)
    reply = answer({}, content)
    assert reply.status_code == 422
    assert cell in words(reply)
    assert choice in [i.get("value") for i in root_of(reply).findall(f".//input[@name='{field}']")]
    values = {"label": ["Rezidiv"], "scores": ["CRP"], "measures": ["auc"], field: [choice]}
    assert answer({**values, "drop_missing": ["yes"], **SHOW}, content).status_code == 200


@pytest.mark.long
@pytest.mark.parametrize("unit", ["%", " %", " mg/l"])
def test_a_unit_beside_codes_of_missing_values(unit, tmp_path):
    texts = CLINIC["Größe"].map(f"{{:.1f}}{unit}".format).str.replace(".", ",")
    frame = CLINIC[["Patient", "Rezidiv"]].assign(Wert=texts.where(CLINIC.index != 4, "-"))
    study = pages.study_of("a.csv", csv(frame, sep=";"))
    first = pages.study_page(study, {})
    boxes = root_of(first).findall(".//input[@name='missing']")
    assert [box.get("value") for box in boxes] == ["-"]
    assert checked(first, "scores") == ["Wert"]
    values = {"label": ["Rezidiv"], "positive": ["ja"], "scores": ["Wert"], "measures": ["auc"]}
    values |= {"missing": ["-"], "drop_missing": ["yes"], **SHOW}
    exact = CLINIC.assign(Wert=CLINIC["Größe"].round(1)).drop(4)
    sample = pauci.Sample.from_frame(exact, label="Rezidiv", scores="Wert", positive="ja")
    text = words(pages.study_page(study, values))
    assert f"was {pauci.estimate(sample, pauci.AUC()).value:.3f} " in text
    assert f"The unit {unit.strip()} was removed" in text
    printed_by(study, values, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("code", ["", "unklar"])
@pytest.mark.parametrize(
    "grades",
    [["2", "3", "4a", "4b", "4c", "5"], ["I", "II", "IIF", "III", "IV"], ["0", "1+", "2+", "3+"]],
)
def test_ratings_with_letters_take_one_step(grades, code, tmp_path):
    ranks = np.minimum(Y * 1 + RNG.integers(0, len(grades), len(Y)), len(grades) - 1)
    kept = np.ones(len(Y), bool)
    graded = np.array([grades[i] for i in ranks], dtype=object)
    if code:
        graded[8], kept[8] = code, False
    study = pages.study_of("a.csv", csv(CLINIC[["Patient", "Rezidiv"]].assign(Grad=graded)))
    first = pages.study_page(study, {})
    (link,) = [a for a in root_of(first).iter("a") if a.get("class") == "button"]
    assert words_of(link) == f"Use the order {' < '.join(grades)}"
    boxes = root_of(first).findall(".//input[@name='missing']")
    assert [box.get("value") for box in boxes] == [code] * bool(code)
    values = parse_qs(link.attrib["href"].partition("?")[2])
    values |= {"missing": [code]} if code else {}
    reply = pages.study_page(study, values)
    exact = pauci.estimate(pauci.Sample(Y[kept], ranks[kept]), pauci.AUC())
    low, high = exact.interval()
    assert f"was {exact.value:.3f} (95% CI {low:.3f} to {high:.3f})" in words(reply)
    printed_by(study, values, tmp_path)


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_labels_of_values_name_the_positive_value(tmp_path, kind):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"id": np.arange(len(Y)), "outcome": 1 + Y, "crp": CLINIC["Größe"]})
    path = tmp_path / f"a.{kind}"
    labels = {"outcome": {1: "no relapse", 2: "relapse"}}
    getattr(pyreadstat, f"write_{kind}")(frame.astype(float), path, variable_value_labels=labels)
    reply = answer({}, path.read_bytes(), path.name)
    assert checked(reply, "positive") == ["2"]
    assert "2 (relapse) is positive" in words(reply)
    assert "1: no relapse" in words(reply)


def test_a_pair_of_words_without_a_meaning_is_asked_for():
    frame = pd.DataFrame({"kind": np.where(Y, "A", "B"), "x": RNG.normal(size=len(Y))})
    text, field = problem({"label": ["kind"], "scores": ["x"], "measures": ["auc"]}, csv(frame))
    assert "“Positive value: A”" in text
    assert field in ("label", "positive")
    assert checked(answer({}, csv(frame)), "positive") == []
    one_class = answer({}, csv(frame.assign(outcome="A").drop(columns="kind")))
    assert "one class only" in words(one_class)


@pytest.mark.parametrize(
    ("content", "queries"),
    [
        (b"a;b\n1;1.010\n0;2.020\n", ["decimal=.", "thousands=."]),
        (b"a,b;c\n" + b"1,2;3\n" * 9, ["sep=%2C", "sep=%3B"]),
        (b"Study;two\nid;crp;ill\n1;2;0\n2;3;1\n", ["header_row=2"]),
        (b"a;b\n;mg/l\n1;2\n2;3\n", ["header_row=%281%2C+2%29", "header_row=1"]),
    ],
)
def test_a_file_with_several_readings_asks_which(content, queries):
    values = {"scores": ["b"], **({"sep": [";"]} if b"Study" in content else {})}
    reply = answer(values, content)
    assert reply.status_code == 422
    links = [a for a in root_of(reply).iter("a") if a.get("class") == "button"]
    assert [a.attrib["href"].rpartition("&")[2] for a in links][: len(queries)] == queries
    assert len(list(root_of(reply).iter("table"))) == len(links)
    hidden = root_of(reply).findall(".//input[@type='hidden']")
    assert ("scores", "b") in [(i.attrib["name"], i.attrib["value"]) for i in hidden]


def test_both_readings_of_a_number_are_shown():
    text = words(answer({}, b"a;b\n1;1.010\n0;2.020\n"))
    assert {"1.01", "1010"} <= set(text.split())


def test_sheets_are_offered(tmp_path):
    path = tmp_path / "a.xlsx"
    with pd.ExcelWriter(path) as book:
        FRAME.to_excel(book, sheet_name="data", index=False)
        FRAME.head().to_excel(book, sheet_name="notes", index=False)
    assert "Read it with “Sheet: notes”" in words(answer({}, path.read_bytes(), path.name))
    assert answer({"sheet": ["data"]}, path.read_bytes(), path.name).status_code == 200


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x00\x01\x02", "null bytes"),
        (b"PK\x03\x04", "cannot be unpacked"),
        (b"\x1f\x8b broken", "cannot be unpacked"),
    ],
)
def test_bad_files(content, message):
    reply = answer({}, content)
    assert reply.status_code == 422
    assert message in words(reply)


# Choices


def test_results_are_those_of_python():
    values = {**BASE, **PART, "scores": ["svm", "nn"], "measures": ["paucc", "auc"], **SHOW}
    reply = answer({**values, "rule": ["maximize"]})
    sample = pauci.Sample.from_frame(FRAME, label="recurrence", scores=["svm", "nn"], positive=1)
    measures = [pauci.PAUCc(fpr=(0, 0.3)), pauci.AUC()]
    text = words(reply)
    assert "“70” was understood as specificity 0.7 to 1" in text
    for report in (
        pauci.compare(sample, measures).report(),
        *(pauci.cutoff(sample[n], maximize=pauci.Youden, rng=1).report() for n in sample.names),
    ):
        assert all(line in text for line in report.splitlines())
    assert text.index("The pAUCc") < text.index("Rows that were read")
    of_comparisons, *others, of_rows = root_of(reply).iter("table")
    assert "svm − nn" in words_of(of_comparisons)  # with both estimates
    assert "Cut-off" in words_of(others[0])
    assert words_of(of_rows.find("caption")) == "First rows"


def test_every_choice_adds_a_result():
    frame = pauci.datasets.load_dcurves()
    values = {"label": ["cancer"], "scores": ["cancerpredmarker"], "measures": ["auc"], **SHOW}
    few = answer(values, csv(frame))
    more = {"rule": ["sensitivity"], "rule_at": ["90"], "risk_table": ["yes"]}
    reply = answer({**values, **more, "group": ["famhistory"]}, csv(frame))
    assert len(list(root_of(few).iter("table"))) == 2
    assert len(list(root_of(reply).iter("table"))) == 5
    assert "calibration slope" in words(reply)
    assert len(list(root_of(reply).iter("img"))) == 2


@pytest.mark.parametrize(
    ("axis", "text", "measure", "expected"),
    [
        ("specificity", "90", "pauc", pauci.PAUC(specificity=(0.9, 1))),
        ("specificity", "0.9", "pauc", pauci.PAUC(specificity=(0.9, 1))),
        ("specificity", "0,9", "pauc", pauci.PAUC(specificity=(0.9, 1))),
        ("specificity", "≥ 90 %", "auc", pauci.PAUC(specificity=(0.9, 1))),
        ("specificity", "85 to 95", "paucc", pauci.PAUCc(specificity=(0.85, 0.95))),
        ("sensitivity", "80-90%", "paucx", pauci.PAUCx(sensitivity=(0.8, 0.9))),
        ("fpr", "5", "spa", pauci.SPA(fpr=(0, 0.05))),
        ("threshold", "-1,5", "pauc", pauci.PAUC(threshold=(-1.5, float("inf")))),
        ("threshold", "-2 to -1", "pauc", pauci.PAUC(threshold=(-2, -1))),
        ("specificity", "95", "sensitivity", pauci.Sensitivity(specificity=0.95)),
        ("sensitivity", ".95", "specificity", pauci.Specificity(sensitivity=0.95)),
        ("threshold", "1.5", "accuracy", pauci.Accuracy(threshold=1.5)),
    ],
)
def test_regions_as_they_are_typed(axis, text, measure, expected):
    values = {**BASE, "measures": [measure], "region": [axis], "at": [text]}
    choices = form.choices_of(values, list(FRAME.columns))
    assert choices.measures[0] == expected
    assert not choices.problems
    assert choices.understood.startswith(f"“{text}” was understood as ")


@pytest.mark.parametrize(
    ("values", "message", "field"),
    [
        ({"label": []}, "Choose the column of the outcome", "label"),
        ({"scores": []}, "Choose at least one column of scores", "scores"),
        ({"scores": ["svn"]}, "Did you mean 'svm'", "scores"),
        ({"measures": [""]}, "Choose a measure", "measures"),
        ({"measures": ["pau"]}, "“Measures: pau” is not known", "measures"),
        ({"measures": ["paucc"]}, "Choose a region", "region"),
        ({"measures": ["netbenefit"]}, "“Risk threshold", "probability"),
        ({"measures": ["sensitivity"]}, "“Region: ", "region"),
        ({**PART, "measures": ["specificity"]}, "“Region: ", "region"),
        ({"measures": ["pauc"]}, "Choose a region", "region"),
        ({**PART, "at": ["much"]}, "'much' is not a number", "region"),
        ({**PART, "at": ["-5"]}, "'-5' is negative", "region"),
        ({**PART, "at": ["> −5 %"]}, "is negative", "region"),
        ({**PART, "at": ["900"]}, "more than 100%", "region"),
        ({**PART, "at": ["90 to 20"]}, "0.9", "region"),
        ({**PART, "at": []}, "type its number", "region"),
        ({"at": ["90"]}, "Choose a region", "region"),
        ({"region": ["zone"], "at": ["1"]}, "Choose a region", "region"),
        ({"rule": ["specificity"]}, "type its number", "rule"),
        ({"rule_at": ["90"]}, "Choose a rule", "rule"),
        ({"rule": ["specificity"], "rule_at": ["x"]}, "'x' is not a number", "rule"),
        ({"level": ["100"]}, "Confidence level", "level"),
        ({"level": ["ninety"]}, "'ninety' is not a number", "level"),
        ({"missing": ["-999"]}, "-999", "missing"),
        ({"group": ["nn"], "scores": ["svm"]}, "“Groups: nn” has", "group"),
        ({"design": ["survey"]}, "“Sampling: survey”", "design"),
        ({"risk_table": ["yes"]}, "risks", "risk_table"),
        ({"prevalence": ["0.1"]}, "“Prevalence” does not apply", "prevalence"),
    ],
)
def test_messages_are_beside_fields(values, message, field):
    text, link = problem({**BASE, **values})
    assert message in text
    assert link == field
    assert "--" not in text


def test_a_choice_that_fails_leaves_the_other_results():
    reply = answer({**BASE, "group": ["nn"], **SHOW})
    assert reply.status_code == 422
    assert "AUC) was 0.670" in words(reply)
    assert checked(reply, "scores") == ["svm"]


NO_LINES = ("(", "abc", "1.5", "{[1]: 2}", "-1", "9" * 5000)


@pytest.mark.parametrize(
    "values",
    [{"sheet": ["first"]}, {"decimal": ["x"]}, *({"header_row": [line]} for line in NO_LINES)],
)
def test_messages_about_reading(values):
    reply = answer({**BASE, **values, **SHOW})
    (name,) = values
    assert root_of(reply).find(".//div[@role='alert']//a").attrib["href"] == f"#{name}"


def test_warnings_and_a_third_value_are_stated():
    lower = FRAME.assign(svm=-FRAME["svm"])
    assert "“Lower scores are more positive: svm”" in words(answer({**BASE, **SHOW}, csv(lower)))
    coded = FRAME.assign(svm=FRAME["svm"].where(FRAME.index != 4, 999))
    text = words(answer({**BASE, **SHOW}, csv(coded)))
    assert "“Codes of missing values: 999” and “Leave out rows with missing values”." in text
    third = FRAME.assign(recurrence=FRAME["recurrence"].where(FRAME.index > 4, 7))
    text = words(answer({**BASE, **SHOW}, csv(third)))
    assert "label 1 against the rest (0, 7)" in text
    assert "“Negative value”" in text


def test_fields_are_those_of_the_functions():
    fields = {e.attrib.get("name") for e in root_of(answer({})).iter()}
    assert set(form.FIELDS) - {"sheet", "user_missing", "negative"} <= fields
    assert {field.hint for field in form.FIELDS.values()} & {""} == set()
    offered = [i.attrib["value"] for i in root_of(answer({})).findall(".//input[@name='measures']")]
    assert sorted(offered) == sorted(REGISTRY)
    assert offered[:6] == list(form.FIRST_MEASURES)


# Files of the results


def printed_by(study, values, folder):
    """Run the code for a study beside its file, and compare what it prints with the page."""
    (folder / study.file.name).write_bytes(study.file.content)
    code = pages.download(study, values, "analysis.py").body.decode()
    out = io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        warnings.catch_warnings(action="ignore", category=pauci.errors.PauciWarning),
    ):
        exec(compile(code, "analysis.py", "exec"), {"__name__": "__main__"})
    results = pages._results(study, values)[2]
    assert results.sentences
    assert all(sentence in out.getvalue() for sentence in results.sentences)
    assert (folder / "curve.png").read_bytes()[:4] == b"\x89PNG"
    return code


@pytest.mark.long
def test_code_with_every_option(tmp_path):
    frame = FRAME.assign(
        patient=np.arange(len(FRAME)) // 2,
        site=np.where(np.arange(len(FRAME)) % 3, "north", "sou'th"),
        outcome=np.where(FRAME["recurrence"] == 1, "ill", "well"),
        low=-FRAME["svm"] + RNG.normal(size=len(FRAME)) * 0.1,
        nn=[f"{v:.3f}".replace(".", ",") for v in FRAME["nn"]],
    )
    frame.loc[[5, 9], "nn"] = "n/d"
    frame.loc[7, "low"] = 999
    frame.loc[11, "outcome"] = "unknown"
    text = frame.to_csv(index=False, sep=";", decimal=",", encoding="utf-8")
    text = re.sub(r"(?<=;)999,0(?=;|\n)", "999", text)
    values = {
        "label": ["outcome"],
        "positive": ["ill"],
        "negative": ["well"],
        "scores": ["low", "nn"],
        "lower_is_positive": ["low"],
        "missing": ["999\r\nn/d\r\n"],
        "drop_missing": ["yes"],
        "measures": ["pauc"],
        "region": ["fpr"],
        "at": ["50%"],
        "cluster": ["patient"],
        "group": ["site"],
        "design": ["case-control"],
        "level": ["90"],
        "variance": ["bootstrap"],
        "rule": ["equal"],
        "sep": [";"],
        "decimal": [","],
        **SHOW,
    }
    study = pages.study_of("data.csv", text.encode())
    reply = pages.study_page(study, values)
    assert reply.status_code == 200, words(reply)
    code = printed_by(study, values, tmp_path)
    for part in ("missing=[999", "cluster='patient'", "design='case-control'"):
        assert part in code


@pytest.mark.long
@pytest.mark.parametrize("name", ["a.sav", "a.csv", "a.xlsx", "a.csv.gz", "unit.csv"])
def test_code_reads_the_same_rows(name, tmp_path):
    n = len(FRAME)
    frame = FRAME[["recurrence", "svm"]].assign(
        site=1 + np.arange(n) % 3,
        rating=pd.cut(FRAME["nn"], 3, labels=["low", "mid", "high"]).astype(str),
    )
    path, values = tmp_path / name, {**BASE, "group": ["site"], **SHOW}
    if name == "a.sav":
        pyreadstat = pytest.importorskip("pyreadstat")
        labels = {"site": {1: "north", 2: "south", 3: "west"}}
        pyreadstat.write_sav(frame, path, variable_value_labels=labels)
    elif name == "a.xlsx":
        frame.to_excel(path, index=False, startrow=2)
        values |= {"header_row": ["3"]}
    elif name == "unit.csv":
        path.write_bytes(csv(frame.assign(svm=[f"{v:.3f} mg/l" for v in frame["svm"]])))
    else:
        text = f"A study\n\n{frame.to_csv(index=False)}".encode()
        path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
        values |= {"scores": ["rating"], "category": ["low\nmid\nhigh"]}
    study = pages.study_of(name, path.read_bytes())
    assert pages.study_page(study, values).status_code == 200
    printed_by(study, values, tmp_path)


@pytest.mark.parametrize(
    ("axis", "at"), [("threshold", "0"), ("threshold", "-inf to 0.2"), ("fpr", "0.3")]
)
def test_code_runs_for_every_region(axis, at, tmp_path):
    values = {**BASE, "measures": ["paucc"], "region": [axis], "at": [at], **SHOW}
    printed_by(pages.study_of("a.csv", CSV), values, tmp_path)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("results.docx", b"PK"),
        ("curve.png", b"\x89PNG"),
        ("curve.svg", b"<?xml"),
        ("analysis.py", b"import"),
    ],
)
def test_downloads(name, start):
    reply = pages.download(pages.study_of("../a b;\n.csv", CSV), {**BASE, **PART, **SHOW}, name)
    assert reply.status_code == 200
    assert reply.body.startswith(start)
    stated = reply.headers.get("content-disposition", "")
    assert stated in ("", f'attachment; filename="a-b-{name}"')


def test_the_word_file_has_sentences_a_figure_and_tables():
    import docx

    values = {**BASE, "scores": ["svm", "nn"], **SHOW}
    study = pages.study_of("a.csv", CSV)
    document = docx.Document(io.BytesIO(pages.download(study, values, "results.docx").body))
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert set(pages._results(study, values)[2].sentences) <= set(texts)
    assert (len(document.tables), len(document.inline_shapes)) == (1, 1)
    assert "ROC curve of svm and nn." in texts
    methods = texts[texts.index("Methods") + 1 :]
    assert "area under the ROC curve" in methods[0]
    assert any("DeLong" in entry for entry in methods[methods.index("References") :])


def test_unknown_downloads_and_incomplete_choices():
    study = pages.study_of("a.csv", CSV)
    for name in ("../../etc/passwd", "results.exe", "calibration.png"):
        assert pages.download(study, BASE | SHOW, name).status_code == 404
    no_risks = {**BASE, "measures": ["brier"], "rule": ["maximize"], **SHOW}
    assert pages.download(study, no_risks, "curve.png").status_code == 404
    assert pages.download(study, {"label": ["recurrence"], **SHOW}, "curve.png").status_code == 404


# What is kept, threads, and names


def test_the_table_is_read_once_and_the_results_are_kept(monkeypatch):
    reads, original = [], module.table_in
    monkeypatch.setattr(module, "table_in", lambda *a, **k: reads.append(a) or original(*a, **k))
    kept = pages.study_of("a.csv", CSV)
    results = [pages._results(kept, {**BASE, **SHOW})[2] for _ in range(2)]
    assert results[0] is results[1]
    pages.study_page(kept, {**BASE, "missing": ["n/d"], **SHOW})
    assert len(reads) == 1
    pages.study_page(kept, {**BASE, "decimal": ["."], **SHOW})
    assert len(reads) == 2
    for i in range(module.MOST_RESULTS + 5):
        pages._results(kept, {**BASE, "level": [f"{50 + i}"], **SHOW})
    assert len(kept._results) == module.MOST_RESULTS


def test_figures_of_several_threads_are_those_of_one():
    study = pages.study_of("a.csv", CSV)
    scores = ["svm", "nn", "lda"]
    values = [{**BASE, "scores": [name], **SHOW} for name in scores]
    expected = [pages.download(study, v, "curve.svg").body for v in values]
    drawn = {}

    def draw(i):
        drawn[i] = [pages.download(study, values[i], "curve.svg").body for _ in range(2)]

    threads = [threading.Thread(target=draw, args=(i,)) for i in range(len(scores))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [drawn[i] for i in range(len(scores))] == [[body] * 2 for body in expected]


def test_a_long_calculation_does_not_block_another(monkeypatch):
    """The page of another choice is complete while a step of the first one waits."""
    study, waits, original = pages.study_of("a.csv", CSV), threading.Event(), pauci.estimate

    def estimate(sample, **options):
        if sample.names == ("svm",):
            assert waits.wait(60)
        return original(sample, **options)

    monkeypatch.setattr(pauci, "estimate", estimate)
    slow = threading.Thread(target=pages.study_page, args=(study, {**BASE, **SHOW}))
    slow.start()
    other = {**BASE, "scores": ["nn"], **SHOW}
    assert pages.study_page(study, other).status_code == 200
    assert pages.download(study, other, "curve.svg").status_code == 200
    assert slow.is_alive()
    waits.set()
    slow.join()


HOSTILE = [
    "<script>alert(1)</script>",
    "a\"b'c",
    "two\nlines",
    "{{ 7 * 777 }}",
    "$x_1$",
    " blanks ",
    "\u202eabc",
    "=cmd|' /C calc'!A0",
    "x" * 5000,
]


def test_hostile_names_are_text():
    y = np.arange(60) % 2
    frame = pd.DataFrame({name: RNG.normal(size=60) + y for name in HOSTILE})
    frame.insert(0, "</select><b>", np.where(y, '"ill"', "<img src=x onerror=alert(1)>"))
    study = pages.study_of("../..\\<i>/a'b.csv", csv(frame))
    sent = [name.replace("\n", "\r\n") for name in HOSTILE[:-1]]  # as browsers send them
    values = {"label": ["</select><b>"], "positive": ['"ill"'], "scores": sent, **PART, **SHOW}
    replies = [pages.study_page(study, v) for v in ({}, values, {**values, "level": [HOSTILE[0]]})]
    replies += [pages.start_page(HOSTILE[0])]
    assert [reply.status_code for reply in replies] == [422, 200, 422, 200]
    for reply in replies:
        root = root_of(reply)
        assert not {e.tag for e in root.iter()} & {"script", "b", "i"}
        assert not [name for e in root.iter() for name in e.attrib if name.startswith("on")]
        assert "5439" not in words(reply)
    boxes = root_of(replies[1]).findall(".//input[@name='scores']")
    assert [box.attrib["value"] for box in boxes] == HOSTILE
    assert HOSTILE[0] in words(replies[1])
    assert "alert" in unescape(pages.download(study, values, "analysis.py").body.decode())


@pytest.mark.long
def test_ten_thousand_columns():
    frame = pd.DataFrame(RNG.normal(size=(20, 10_000))).add_prefix("gene")
    frame["y"] = np.arange(20) % 2
    study = pages.study_of("wide.csv", csv(frame))
    first = pages.study_page(study, {})
    assert len(first.body) < 1e6
    assert len(root_of(first).findall(".//datalist/option")) == 10_001
    values = {**BASE, "label": ["y"], "scores": ["gene7", "gene9999"], **SHOW}
    assert "gene9999" in words(pages.study_page(study, values))


# Reader studies

READINGS = pauci.datasets.load_viper()
READINGS = READINGS[READINGS["study"] == "screeningHighP"].drop(columns=["cancer_455", "recall"])
STUDY = {"reader": ["reader"], "modality": ["modality"], "case": ["case"]}
STUDY |= {"label": ["cancer_365"], "positive": ["1"], "scores": ["score"], "measures": ["auc"]}


def test_a_reader_study_is_analyzed_as_one(tmp_path):
    reply = answer({}, csv(READINGS))
    assert reply.status_code == 200
    study = pauci.ReaderStudy.from_frame(READINGS, label="cancer_365")
    analysis = pauci.mrmc(study, pauci.AUC())
    assert analysis.report().splitlines()[0] in words(reply)
    renamed = dict(zip(["reader", "modality", "case"], ["Leser", "Geraet", "Fall"], strict=True))
    assert analysis.report().splitlines()[0] in words(
        answer({}, csv(READINGS.rename(columns=renamed)))
    )
    headings = [words_of(c) for c in root_of(reply).findall(".//table//th")]
    assert "reader" in headings
    kept = pages.study_of("a.csv", csv(READINGS))
    assert "pauci.mrmc(sample" in printed_by(kept, {**STUDY, **SHOW}, tmp_path)
    for name in ("curve.svg", "curve.png", "results.docx"):
        assert pages.download(kept, {**STUDY, **SHOW}, name).status_code == 200


def test_one_reader_or_modality_and_other_measures():
    values = {
        **STUDY,
        "modality": [],
        "measures": ["paucc", "auc"],
        "region": ["fpr"],
        "at": ["20"],
    }
    digital = READINGS[READINGS["modality"] == "digital"]
    reply = answer({**values, **SHOW}, csv(digital))
    assert reply.status_code == 200
    study = pauci.ReaderStudy.from_frame(digital, modality=None, label="cancer_365")
    for measure in (pauci.PAUCc(fpr=(0, 0.2)), pauci.AUC()):
        assert pauci.mrmc(study, measure).report().splitlines()[0] in words(reply)


@pytest.mark.parametrize(
    ("values", "message", "field"),
    [
        ({"case": []}, "Choose the column of the cases", "case"),
        ({"scores": ["score", "case"]}, "must be one column", "scores"),
        ({"group": ["modality"]}, "is not for a reader study", "group"),
        ({"frequency": ["score"]}, "is not for a reader study", "frequency"),
        ({"rule": ["equal"]}, "is not for a reader study", "rule"),
        ({"risk_table": ["yes"]}, "is not for a reader study", "risk_table"),
        ({"variance": ["bootstrap"]}, "is not for a reader study", "variance"),
    ],
)
def test_what_does_not_apply_to_reader_studies(values, message, field):
    text, link = problem({**STUDY, **values}, csv(READINGS))
    assert message in text
    assert link == field


# A plan from assumptions


def plan(**values):
    return pages.plan_page({"measures": ["auc"], **SHOW, **{k: [v] for k, v in values.items()}})


def test_the_form_of_a_plan_is_empty_at_first():
    reply = pages.plan_page({})
    assert reply.status_code == 200
    assert checked(reply, "measures") == ["auc"]
    assert not root_of(reply).findall(".//table")
    fields = {e.attrib["name"] for e in root_of(reply).iter("input")}
    assert {"auc", "correlation", "ratio", "width", "level", "null", "power", "alpha"} <= fields


@pytest.mark.parametrize(
    ("values", "assumed", "options"),
    [
        ({"auc": "80", "width": "0,1"}, {"auc": 0.8}, {"width": 0.1}),
        ({"auc": "0.8 and 0.85", "ratio": "4"}, {"auc": [0.8, 0.85]}, {"ratio": 4}),
        (
            {"auc": "0.8", "null": "0.7", "power": "90%", "alpha": "1%"},
            {"auc": 0.8},
            {"null": 0.7, "power": 0.9, "alpha": 0.01},
        ),
        (
            {"auc": "0.8 0.9", "correlation": "0.3", "width": "0.1", "level": "90"},
            {"auc": [0.8, 0.9], "correlation": 0.3},
            {"width": 0.1, "level": 0.9},
        ),
    ],
)
def test_a_plan_is_that_of_the_function(values, assumed, options, capsys):
    reply = plan(**values)
    assert reply.status_code == 200
    expected = pauci.sample_size(pauci.binormal(**assumed), pauci.AUC(), **options)
    assert expected.report() in words(reply)
    assert len(root_of(reply).findall(".//table")) == 1
    exec("".join(root_of(reply).find(".//pre").itertext()))
    assert capsys.readouterr().out == f"{expected.report()}\n"


def test_a_plan_of_a_region():
    reply = plan(auc="0.8", width="0.1", measures="paucc", region="specificity", at="90")
    expected = pauci.sample_size(pauci.binormal(0.8), pauci.PAUCc(specificity=(0.9, 1)), width=0.1)
    assert expected.report() in words(reply)


@pytest.mark.parametrize(
    ("values", "field", "text"),
    [
        ({}, "auc", "0.8"),
        ({"auc": "good"}, "auc", "'good' is not a number"),
        ({"auc": "1", "width": "0.1"}, "auc", "between 0 and 1"),
        ({"auc": "0.8"}, "width", "Type the width"),
        ({"auc": "0.8", "width": "wide"}, "width", "'wide' is not a number"),
        ({"auc": "0.8", "width": "0.1", "correlation": "0.5"}, "correlation", "“Correlation"),
        ({"auc": "0.8", "null": "0.7", "power": "1"}, "power", "“Power: 1"),
        ({"auc": "0.8", "width": "0.1", "measures": "pauc"}, "region", "Choose a region"),
    ],
)
def test_problems_of_a_plan_are_beside_their_field(values, field, text):
    reply = plan(**values)
    assert reply.status_code == 422
    root = root_of(reply)
    (item,) = root.findall(".//div[@role='alert']//li")
    assert text in words_of(item)
    assert item.find("a").attrib["href"] == f"#{field}"
    assert [e for e in root.iter() if e.get("id") == field]
    assert words_of(root).count(words_of(item)) == 2
