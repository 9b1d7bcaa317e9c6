"""The program that writes the pages; test_pages tests whether the pages are current."""

import pytest

import pages
import write_pages

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


FIGURE = """
```python
import matplotlib.pyplot as plt

plt.plot([1, 2], [3, 4])
```
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setattr(write_pages, "IMAGES", tmp_path / "images")
    path = tmp_path / "README.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def built(text, path="page.md"):
    return write_pages.build(text, write_pages.Path(path))[0]


def test_outputs_are_rewritten_added_and_removed(page, capsys):
    assert write_pages.main([str(page)]) == 0
    assert page.read_text(encoding="utf-8") == BUILT
    capsys.readouterr()
    assert write_pages.main(["--check", str(page)]) == 0
    assert capsys.readouterr().out.strip() == ""


def test_check_writes_nothing(page, capsys):
    assert write_pages.main(["--check", str(page)]) == 1
    assert page.read_text(encoding="utf-8") == PAGE
    assert "+0.6666666666666666" in capsys.readouterr().out


def test_a_warning_is_an_error_unless_the_block_is_marked():
    block = "```python{}\nimport warnings\nwarnings.warn('careful')\n```\n"
    with pytest.raises(UserWarning, match="careful") as caught:
        built("text\n\n" + block.format(""))
    assert caught.traceback[-1].lineno + 1 == 5
    made = built(block.format(" warns"))
    assert made == block.format(" warns") + "\n```text\nUserWarning: careful\n```\n"


def test_the_value_of_the_last_line_is_text_or_a_table():
    assert built("```python\n6 * 7\n```\n").endswith("```\n\n```text\n42\n```\n")
    code = "```python\nimport pandas as pd\n\npd.DataFrame({'a': [1.5]})\n```\n"
    made = built(code)
    assert "<!--output-->\n\n|    |   a |\n" in made
    assert made.endswith("|  0 | 1.5 |\n\n<!--end-->\n")
    assert built(made) == made


def test_abbreviations_are_marked_so_that_the_site_can_hide_them():
    code = "```python\nimport pauci\n\ns = pauci.Sample([0, 0, 1, 1] * 9, [1, 3, 2, 4] * 9)\n"
    made = built(f"{code}pauci.estimate(s, pauci.AUC())\n```\n")
    marked = made.partition('<span class="abbreviations">Abbreviations: ')[2]
    assert marked.splitlines()[0].endswith(".</span>")
    assert built(made) == made


def test_figures_are_written_and_keep_their_description(page):
    page.write_text(FIGURE, encoding="utf-8")
    assert write_pages.differences(page, write=True)
    made = page.read_text(encoding="utf-8")
    assert made.endswith("```\n\n![](images/readme-1.svg)\n")
    page.write_text(made.replace("![]", "![A line.]"), encoding="utf-8")
    assert write_pages.differences(page) == []
    drawn = page.parent / "images" / "readme-1.svg"
    drawn.write_text(
        drawn.read_text(encoding="utf-8").replace("<!-- 3.0 -->", "<!-- 3.1 -->"), encoding="utf-8"
    )
    assert write_pages.differences(page) == [
        "docs/images/readme-1.svg differs from the figure that is drawn"
    ]


def test_drawings_are_compared_by_their_text_and_lines():
    old = '<defs><path d="M 9"/></defs><path d="M 1.5 2 L 3 4e-1"/><!-- a label -->'
    assert write_pages.same_drawing(old, old.replace("1.5", "1.6").replace("M 9", "M 7"))
    for text, other in (("1.5", "4.5"), (" L 3", ""), ("label", "title")):
        assert not write_pages.same_drawing(old, old.replace(text, other))


def test_hidden_checks_run():
    page = "```python\nx = 1\n```\n\n<!--check\nassert x == {}\n-->\n"
    assert built(page.format(1)) == page.format(1)
    with pytest.raises(AssertionError):
        built(page.format(2))


def test_console_blocks_run_the_command(monkeypatch):
    monkeypatch.chdir(write_pages.ROOT)
    command = "pauci counts data/hanley_mcneil.csv --measure auc"
    printed = write_pages.console(f"$ {command}\nold\n")
    assert printed.startswith(f"$ {command}\n")
    assert "0.893" in printed
    assert "old" not in printed
    assert write_pages.console(f"$ {command}\n$ {command}\n") == f"{printed}\n{printed}"


@pytest.mark.parametrize(
    ("command", "error", "words"),
    [
        ("rm -r x", ValueError, "only pauci"),
        ("pauci counts nothing.csv --measure auc", RuntimeError, "does not exist"),
        (
            "pauci counts data/hanley_mcneil.csv --measure ap --design case-control",
            RuntimeError,
            "exit status 0: pauci: warning",
        ),
    ],
)
def test_commands_that_fail_or_warn_are_errors(command, error, words, monkeypatch):
    monkeypatch.chdir(write_pages.ROOT)
    with pytest.raises(error, match=words):
        write_pages.console(f"$ {command}\n")
    if error is RuntimeError:
        assert words.split()[-1] in write_pages.console(f"$ {command}\n", warns=True)


def test_computed_parts_are_rewritten(monkeypatch):
    monkeypatch.setattr(pages, "parts", lambda: {"cells": "1,234", "seed": "1"})
    old = "of <!--validation cells-->1<!--end--> and <!--validation seed-->?<!--end-->\n"
    new = "of <!--validation cells-->1,234<!--end--> and <!--validation seed-->1<!--end-->\n"
    assert built(old) == new
    table = built("<!--evidence positives-->\n\nold\n\n<!--end-->\n")
    assert table.startswith("<!--evidence positives-->\n\n| ")
    assert table.endswith(" |\n\n<!--end-->\n")
    with pytest.raises(LookupError, match="nothing"):
        built("<!--validation nothing-->1<!--end-->")
    cited = "<!--cited-->92.7<!--end-->"
    assert built(cited) == cited
