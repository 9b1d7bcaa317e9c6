"""The program that reruns the README; that the README is right is tested in test_readme."""

import pytest

import readme

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
    path = tmp_path / "README.md"
    path.write_text(PAGE)
    monkeypatch.setattr(readme, "README", path)
    return path


def test_outputs_are_rewritten_added_and_taken_away(page, capsys):
    assert readme.main([]) == 0
    assert page.read_text() == BUILT
    assert readme.main(["--check"]) == 0
    assert capsys.readouterr().out.strip() == ""


def test_check_writes_nothing(page, capsys):
    assert readme.main(["--check"]) == 1
    assert page.read_text() == PAGE
    assert "+0.6666666666666666" in capsys.readouterr().out


def test_a_warning_is_an_error_and_names_its_line():
    with pytest.raises(UserWarning, match="careful") as caught:
        readme.build("text\n\n```python\nimport warnings\nwarnings.warn('careful')\n```\n", "page")
    assert (str(caught.traceback[-1].path), caught.traceback[-1].lineno + 1) == ("page", 5)


def test_console_blocks_run_the_command(monkeypatch):
    monkeypatch.chdir(readme.ROOT)
    command = "pauci counts data/hanley_mcneil.csv --measure auc"
    shown = readme.console(f"$ {command}\nold\n")
    assert shown.startswith(f"$ {command}\n")
    assert "0.893" in shown
    assert "old" not in shown
    assert readme.console(f"$ {command}\n$ {command}\n") == f"{shown}\n{shown}"


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
def test_commands_that_fail_or_warn_are_errors(command, error, words, monkeypatch):
    monkeypatch.chdir(readme.ROOT)
    with pytest.raises(error, match=words):
        readme.console(f"$ {command}\n")


def test_figures_are_those_of_the_pages_of_the_site():
    cells = readme.shown("validation cells")
    old = "of <!--validation cells-->1<!--end--> and <!--validation seed-->?<!--end-->\n"
    new = f"of <!--validation cells-->{cells}<!--end--> and <!--validation seed-->1<!--end-->\n"
    assert readme.build(old, "page") == new
    with pytest.raises(LookupError, match="nothing"):
        readme.build("<!--validation nothing-->1<!--end-->", "page")
