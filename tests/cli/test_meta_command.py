"""The command that pools documents."""

import numpy as np
import pytest

import pauci
from command_line import fails, json_rows, succeeds

SITES = ("Leipzig", "Halle", "Jena")


@pytest.fixture
def estimates(tmp_path, monkeypatch):
    """Write a document of each of three sites, and return the estimates."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    y = np.arange(120) % 3 == 0
    found = {}
    for name in SITES:
        scores = {n: y + rng.normal(size=120) for n in ("svm", "nn")}
        found[name] = pauci.estimate(pauci.Sample(y, scores), pauci.AUC())
        (tmp_path / f"{name}.json").write_text(found[name].to_json(), encoding="utf-8")
    return found


def test_documents_are_pooled(cli, estimates):
    line = "meta Leipzig.json Halle.json Jena.json --select nn"
    m = pauci.meta({name: e["nn"] for name, e in estimates.items()})
    rows = json_rows(succeeds(cli(f"{line} --format json")))
    assert [row["study"] for row in rows] == [*SITES, "mean", "new study"]
    assert (rows[3]["low"], rows[3]["high"]) == m.interval()
    assert (rows[4]["low"], rows[4]["high"]) == m.prediction()
    assert m.report() in succeeds(cli(line))
    line = "meta Leipzig.json Halle.json Jena.json --select 1 --level 0.9 --effects fixed"
    rows = json_rows(succeeds(cli(f"{line} --format json")))
    fixed = pauci.meta({name: e["nn"] for name, e in estimates.items()}, effects="fixed")
    assert (rows[3]["low"], rows[3]["high"]) == fixed.interval(0.9)


@pytest.mark.usefixtures("estimates")
def test_what_a_command_wrote_is_pooled(cli):
    for score in ("svm", "nn"):
        line = f"estimate example:ljubljana_scores --label recurrence --score {score}"
        succeeds(cli(f"{line} --measure auc --output {score}.json"))
    assert "in 2 studies" in succeeds(cli("meta svm.json nn.json"))


@pytest.mark.usefixtures("estimates")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Leipzig.json --select nn", "at least two studies"),
        ("Leipzig.json Halle.json", "--select"),
        ("Leipzig.json Leipzig.json --select nn", "the same result"),
        ("Leipzig.json Halle.json --select nn --effects mixed", "--effects"),
        ("no.json Halle.json", "cannot be read: No such file"),
    ],
)
def test_wrong_documents(cli, line, words):
    fails(cli(f"meta {line}"), words)


def test_an_invalid_file_is_named(cli, tmp_path):
    path = tmp_path / "study.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    fails(cli(f"meta '{path}' '{path}.json'"), "study.csv", "not JSON")
    path.write_text("{}", encoding="utf-8")
    fails(cli(f"meta '{path}' '{path}'"), "study.csv", "schema")
    fails(cli(f"meta '{tmp_path}/none.json' '{path}'"), "none.json", "No such file")
