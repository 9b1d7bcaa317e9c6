"""The lines of R on the page on pROC and their stored results of pROC."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "migration" / "proc.md").read_text(encoding="utf-8")
STORED = json.loads((ROOT / "studies" / "migration.json").read_text(encoding="utf-8"))


def lines_of_r():
    """Lines of R on the page that print a result: no assignments, `library` or `data` calls."""
    text = "\n".join(re.findall(r"^```r\n(.*?)^```$", PAGE, re.S | re.M))
    parts = [part.split("#")[0].strip() for line in text.splitlines() for part in line.split(";")]
    return [p for p in parts if p and " <- " not in p and not p.startswith(("library(", "data("))]


def flat(numbers):
    """Numbers by name or position, without missing ones."""
    if isinstance(numbers, list):
        numbers = dict(enumerate(numbers))
    numbers = numbers if isinstance(numbers, dict) else {"": numbers}
    return {name: x for name, x in numbers.items() if x is not None}


def proc_is_installed():
    if shutil.which("Rscript") is None:
        return False
    command = ["Rscript", "-e", "quit(status = !requireNamespace('pROC', quietly = TRUE))"]
    return subprocess.run(command, check=False).returncode == 0


def test_every_line_of_r_on_the_page_has_its_stored_numbers():
    lines = lines_of_r()
    assert list(STORED["results"]) == lines
    assert len(lines) > 15


def test_the_page_states_that_proc_ignores_a_region_without_reuse_auc():
    """The stored results are those of the whole areas."""
    ignored = STORED["results"]['roc.test(svm, nn, method = "bootstrap", partial.auc = c(1, 0.9))']
    line = 'roc.test(svm, nn, method = "bootstrap", partial.auc = c(1, 0.9), reuse.auc = FALSE)'
    partial = STORED["results"][line]
    assert ignored["AUC of roc1"] == STORED["results"]["auc(svm)"]
    assert ignored["p.value"] == pytest.approx(0.2318, abs=5e-5)
    assert partial["p.value"] == pytest.approx(0.3569, abs=5e-5)
    assert partial["pAUC (1-0.9 specificity) of roc1"] == pytest.approx(0.022183, abs=5e-7)
    assert (
        STORED["results"]["ci.auc(svm, partial.auc = c(1, 0.9))"]
        == STORED["results"]["ci.auc(svm)"]
    )
    assert "Without `reuse.auc = FALSE`" in PAGE


@pytest.mark.skipif(not proc_is_installed(), reason="R with pROC is not installed")
@pytest.mark.long
def test_the_stored_results_are_reproduced(tmp_path):
    """With the stored version of pROC; another version may give other results."""
    again = tmp_path / "again.json"
    subprocess.run(["Rscript", "studies/migration.R", str(again)], cwd=ROOT, check=True)
    found = json.loads(again.read_text(encoding="utf-8"))
    if found["proc"] != STORED["proc"]:
        pytest.skip(f"pROC {found['proc']} is installed, and {STORED['proc']} is stored")
    assert found["results"].keys() == STORED["results"].keys()
    for line in STORED["results"]:
        expected, numbers = (flat(run["results"][line]) for run in (STORED, found))
        assert numbers == pytest.approx(expected, rel=1e-9), line


def test_the_data_of_proc_are_stored():
    stored = pd.read_csv(ROOT / "studies" / "asah.csv")
    data = json.loads((ROOT / "tests" / "data" / "proc.json").read_text(encoding="utf-8"))
    asah = data["cases"]["asah"]
    assert stored["outcome"].tolist() == asah["labels"]
    for marker in ("s100b", "ndka"):
        assert stored[marker].tolist() == asah["scores"][marker]
