"""The contributing guide: its measure passes the registry tests, and its tree is complete."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pauci

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
(MEASURE,) = re.findall(r"^```python\n(.*?)^```$", GUIDE, flags=re.M | re.S)

PLUGIN = """
import pauci

exec(compile({source!r}, "CONTRIBUTING.md", "exec"), globals())
pauci.Gini = Gini
"""


@pytest.mark.long
def test_the_measure_of_the_guide_passes_the_tests_of_the_registry(tmp_path):
    (tmp_path / "the_guides_measure.py").write_text(PLUGIN.format(source=MEASURE), encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "the_guides_measure",
        "tests/measures/test_registry.py",
        "tests/measures/test_influence_values.py",
        "-k",
        "gini",
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 10


@pytest.mark.long
def test_the_measure_of_the_guide_is_its_definition():
    code = f"""
import warnings
import pauci
{MEASURE}
warnings.simplefilter("ignore", pauci.errors.TableWarning)
frame = pauci.datasets.load_ljubljana_scores()
sample = pauci.Sample.from_frame(frame, label="recurrence", scores="svm")
for method in ("influence", "delta", pauci.Jackknife(), pauci.Bootstrap(200, rng=1)):
    e, auc = pauci.estimate(sample, [Gini(), pauci.AUC(rescaled=True)], method)
    assert abs(e.value - auc.value) < 1e-14 and abs(e.se - auc.se) < 1e-12, (e, auc)
    assert max(abs(a - b) for a, b in zip(e.interval(), auc.interval())) < 1e-12
from doctest import DocTestParser, DocTestRunner
names = {{"pauci": pauci, "Gini": Gini}}
example = DocTestParser().get_doctest(Gini.__doc__, names, "Gini", None, 0)
assert example.examples and not DocTestRunner().run(example).failed
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_the_tree_names_every_folder():
    tree = GUIDE.partition("```text\nsrc/pauci/\n")[2].partition("```")[0]
    source = Path(pauci.__file__).parent
    packages = {f"{p.name}/" for p in source.iterdir() if (p / "__init__.py").exists()}
    files = {p.name for p in source.glob("*.py")} - {"__init__.py"}
    assert packages | files == set(re.findall(r"\w+/|\w+\.py", tree))


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:tests|docs|studies|src)/[\w/.]+)`", GUIDE)))
)
def test_the_paths_of_the_guide_exist(path):
    within = path.removeprefix("src/pauci/")
    place = ROOT / path if within == path else Path(pauci.__file__).parent / within
    assert place.exists()
