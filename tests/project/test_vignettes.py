"""The builder of the vignettes; `python vignettes/build.py --check` runs the pages themselves."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

spec = importlib.util.spec_from_file_location("vignette_builder", ROOT / "vignettes" / "build.py")
builder = importlib.util.module_from_spec(spec)
spec.loader.exec_module(builder)

PAGE = """# Title

```python
x = 2
print(x / 3)
```

```text
old
```

```python
print("a \\n")
```

```python
y = x
```

```text
stale
```

```python
import matplotlib.pyplot as plt

figure = plt.figure(figsize=(1, 1))
figure.savefig("vignettes/test-dot.png")
```

![a dot](test-dot.png)

```sh
not run
```
"""

BUILT = (
    PAGE.replace("old", "0.6666666666666666")
    .replace('print("a \\n")\n```', 'print("a \\n")\n```\n\n```text\na\n```')
    .replace("```\n\n```text\nstale\n```", "```")
)


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setattr(builder, "PAGES", tmp_path)
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    return path


def test_outputs_are_rewritten_added_and_taken_away(page):
    assert builder.main(["page"]) == 0
    assert page.read_text() == BUILT
    assert (page.parent / "test-dot.png").stat().st_size > 0
    assert builder.main(["--check"]) == 0


def test_check_writes_nothing(page, capsys):
    assert builder.main(["--check"]) == 1
    assert page.read_text() == PAGE
    assert [p.name for p in page.parent.iterdir()] == ["page.md"]
    out = capsys.readouterr().out
    assert "+0.6666666666666666" in out
    assert "test-dot.png is missing" in out


def test_figures_are_shown_and_saved(page, capsys):
    page.write_text(PAGE.replace("(test-dot.png)", "(other.png)"))
    assert builder.main(["page.md"]) == 1
    out = capsys.readouterr().out
    assert "other.png is either not shown or not saved" in out
    assert "test-dot.png is either not shown or not saved" in out


def test_a_warning_is_an_error_and_names_its_line(page):
    page.write_text("text\n\n```python\nimport warnings\nwarnings.warn('careful')\n```\n")
    with pytest.raises(UserWarning, match="careful") as caught:
        builder.build(page)
    assert (caught.traceback[-1].path, caught.traceback[-1].lineno + 1) == (page, 5)


def test_console_blocks_run_the_command():
    command = "pauci counts data/hanley_mcneil.csv --measure auc"
    shown = builder.console(f"$ {command}\nold\n")
    assert shown.startswith(f"$ {command}\n")
    assert "0.8932" in shown
    assert "old" not in shown
    assert builder.console(f"$ {command}\n$ {command}\n") == f"{shown}\n{shown}"


@pytest.mark.parametrize(
    ("command", "error", "words"),
    [
        ("rm -r x", ValueError, "only pauci"),
        ("pauci counts nothing.csv --measure auc", RuntimeError, "does not exist"),
        (
            "pauci counts data/hanley_mcneil.csv --measure ap --design case-control",
            RuntimeError,
            "status 0 and says: pauci: warning",
        ),
    ],
)
def test_commands_that_fail_or_warn_are_errors(command, error, words):
    with pytest.raises(error, match=words):
        builder.console(f"$ {command}\n")


@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [
        ("SE 0.0157 for 42,410 rows", "SE 0.0158 for 42,410 rows", True),
        ("SE 0.0157", "SE 0.0159", False),
        ("0.7351", "0.7357", True),
        ("0.7351", "0.7361", False),
        ("3.3e-05", "3.4e-05", True),
        ("3.3e-05", "3.3e-04", False),
        ("3.3e-05", "3.5e-05", False),
        ("42,410", "42,411", False),
        ("0", "0.0001", False),
        ("p = 0.419", "q = 0.419", False),
        ("a   0.5  b", "a 0.5 b", True),
        ("======", "=======", True),
        ("-0.5", "0.5", False),
        ("one two", "one", False),
    ],
)
def test_noise_in_numbers_is_no_difference(first, second, agree):
    assert builder.same(first, second) is agree
    assert (builder.differences(f"{first}\nx", f"{second}\nx") == []) is agree
