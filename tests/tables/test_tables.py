"""Tables of all results in all formats: contents, escaping, layout."""

import html as html_of_python
import io
import math
import re
import shutil
import subprocess
import sys
import warnings
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from statsmodels.iolib.table import SimpleTable, default_txt_fmt

import pauci
from pauci.tables.formatted_table import grid, html, lay_out, text_table, visible
from pauci.tables.latex import escape as latex_escape
from pauci.tables.latex import latex
from pauci.tables.markdown import escape as markdown_escape
from pauci.tables.markdown import markdown
from pauci.tables.number_format import STYLES, style_of
from pauci.tables.table import (
    Column,
    IntervalCell,
    Note,
    Number,
    PEquals,
    PValue,
    Symbol,
    Table,
    Verbatim,
    ends_column,
    plain,
)
from tabular_results import MAKERS, ODD, PART, quiet, ratings, result, sample, tabular_classes

EVERY = pytest.mark.parametrize("name", MAKERS)
STYLE = pytest.mark.parametrize("style", STYLES)
VOID = {"br", "img", "hr", "meta", "input"}


class Reader(HTMLParser):
    """Parser of an HTML table: caption, scopes of headers, cells and their styles."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.rows, self.captions, self.styles = [], [], [], [], []
        self.scopes, self.paragraphs = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
            self.styles.append([])
            self.scopes.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.styles[-1].append(dict(attrs).get("style", ""))
            self.scopes[-1].append(dict(attrs).get("scope"))
        if tag == "caption":
            self.captions.append("")
        if tag == "p":
            self.paragraphs.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        for tag, texts in (("caption", self.captions), ("p", self.paragraphs)):
            if tag in self.open:
                texts[-1] += data
        if "tr" in self.open:
            self.rows[-1][-1] += data


def page(found, style="plain"):
    return found._page(0.95, None, style_of(style).name)


def texts(found, style="plain"):
    """The header and the cells of a result, as text."""
    laid_out = page(found, style)
    header = [column.heading.text for column in laid_out.columns]
    return [header, *([form.text for form in row] for row in laid_out.rows)]


def text_of(runs):
    return "".join(run.text for run in runs)


# All results


def test_every_class_of_results_is_tested():
    assert {type(result(name)) for name in MAKERS} == tabular_classes()


@EVERY
def test_a_caption_describes_the_table(name):
    """Measure, classifiers, level and kind, pairing, numbers of both classes."""
    found = result(name)
    caption = text_of(page(found).caption)
    parts = getattr(found, "estimates", getattr(found, "comparisons", None))
    whole = isinstance(found, (pauci.ReaderAnalysis, pauci.OperatingPoints)) or not parts
    first = [found] if whole else parts
    first = next(iter(first)) if not isinstance(first, pauci.Comparisons) else first[0]
    measure = getattr(first, "measure", getattr(getattr(first, "estimate", 0), "measure", None))
    if measure is not None:
        assert re.sub(" - ", " \N{MINUS SIGN} ", measure.symbol).lower() in caption.lower()
        if measure.region_phrase:
            assert measure.region_phrase in caption
    if isinstance(found, pauci.Froc):
        assert "120 images, 60 with 94 lesions" in caption
    elif not isinstance(found, pauci.SampleSize):
        assert re.search(r"\d+ positives, \d+ negatives", caption)
    if hasattr(found, "interval") or isinstance(found, (pauci.Estimates, pauci.Comparisons)):
        assert re.search(r"95% (.* )?confidence interval", caption)
    if hasattr(first, "paired") and getattr(first, "of_difference", True):
        assert ("paired" in caption) == first.paired
        independent = f"independent {'groups' if name in ('gap', 'gaps') else 'samples'}"
        assert (independent in caption) == (not first.paired)


@EVERY
def test_notes_are_whole_sentences(name):
    for note in result(name)._table(0.95, None).notes:
        assert plain(note.words).endswith((".", ".)", ": see .cautions)", "of this kind)."))


@EVERY
def test_notes_state_the_variance_method(name):
    found = result(name)
    notes = text_of(page(found).notes)
    of_all = isinstance(found, pauci.JointTest | pauci.Profile | pauci.Profiles)
    assert notes.count("SE: ") == ("SE" in texts(found)[0] or of_all)
    if name == "clusters":
        assert "60 clusters" in notes
    assert "to_frame" not in notes
    assert not re.search(r"[^.]$", notes)


@EVERY
def test_prose_has_true_minus_signs(name):
    laid_out = page(result(name))
    ours = text_of(laid_out.caption + laid_out.notes).replace(ODD, "").replace("-log10p", "")
    assert not re.search(r"(^| )-\d", ours)
    assert " - " not in ours
    for row in laid_out.rows:
        for form in row:
            assert not re.match(r"-\d", form.text)


@EVERY
def test_summaries_are_ascii_except_for_user_names(name):
    with quiet():
        assert result(name).summary().replace(ODD, "").isascii()


@pytest.mark.parametrize("style", ["APA", "jama", "", None, 3])
@pytest.mark.parametrize("method", ["to_latex", "to_markdown", "to_html", "to_docx"])
def test_errors_about_unknown_styles_list_the_choices(tmp_path, method, style):
    path = [tmp_path / "table.docx"] * (method == "to_docx")
    with pytest.raises(ValueError, match=r"style.*plain.*apa.*ama"):
        getattr(result("Estimate"), method)(*path, style=style)
    assert list(tmp_path.iterdir()) == []


def test_level_and_kind_reach_every_table():
    e = result("Estimate")
    low, high = e.interval(0.9, "wald")
    for text in (e.to_latex(0.9, "wald"), e.to_markdown(0.9, "wald"), e.to_html(0.9, "wald")):
        assert f"{low:.3f}" in text
        assert f"{high:.3f}" in text
        assert re.search(r"90\\?% Wald confidence interval", text)
    with pytest.raises(ValueError, match="level"):
        e.to_html(level=95)
    with pytest.raises(ValueError, match="kind"):
        e.to_latex(kind="jeffreys")


def test_a_specified_prevalence_is_reported():
    with quiet():
        e = pauci.estimate(sample("svm"), [pauci.AUC(), pauci.AP(prevalence=0.3)])
        c = pauci.compare(sample("svm", "nn"), pauci.AP(prevalence=0.3))
    for found in (e, c):
        assert "at prevalence 0.3" in text_of(page(found).caption)
        assert "AP, average precision;" in text_of(page(found).notes)


# HTML


@STYLE
@EVERY
def test_html_is_a_table_with_caption_and_scopes(name, style):
    found = result(name)
    read = Reader(found.to_html(style=style))
    laid_out = page(found, style)
    assert read.tags.count("table") == 1
    assert not set(read.tags) & {"script", "style", "pre", "b", "link"}
    assert read.captions == [text_of(laid_out.caption)]
    assert read.paragraphs == [text_of(laid_out.notes)]
    assert read.rows == texts(found, style)
    header, *body = read.scopes
    assert set(header) == {"col"}
    assert all(scopes == ["row"] + [None] * (len(header) - 1) for scopes in body)
    for row in read.styles:
        for column, look in zip(laid_out.columns, row, strict=True):
            assert f"text-align:{'right' if column.numeric else 'left'}" in look
            assert not re.search(r"(?<!-)color|background", look)


def test_html_contains_the_numbers():
    es = result("Estimates")
    header, *rows = Reader(es.to_html()).rows
    for e, row in zip(es, rows, strict=True):
        cells = dict(zip(header, row, strict=True))
        shown = [f"{v:.3f}" for v in (e.value, e.se, *e.interval())]
        assert [cells[k] for k in ("estimate", "SE", "low", "high")] == shown
        assert (cells["classifier"], cells["measure"]) == (e.classifier, e.measure.symbol)
    c = result("Comparison")
    header, *_, last = Reader(c.to_html()).rows
    assert last[header.index("p")] == f"{c.pvalue:.3f}"
    assert last[header.index("estimate")] == f"{c.difference:.3f}"
    assert header[-2] == "t(108)"


@EVERY
def test_notebooks_show_the_table(name):
    assert result(name)._repr_html_() == result(name).to_html()


def test_numbers_of_many_digits_are_right_aligned_and_thousands_have_commas():
    frame = pauci.Sample.from_counts([2, 1], [30, 7000], [1, 99_999], name="film")
    points = pauci.operating_points(frame)
    assert "7,030 positives, 100,000 negatives" in text_of(page(points).caption)
    assert texts(points)[-1][1:3] == ["7,030", "100,000"]
    assert " & 7030 & 100000 & " in points.to_latex()


# Escapes


def one_cell(name):
    table = Table(
        "t", ("of ", Verbatim(name)), [Column("name"), Column("x")], [[Verbatim(name), Number(1)]]
    )
    return lay_out(table, style_of("plain"))


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
SHARP = st.text(st.sampled_from("<>&\"'$_%#{}\\~^|`*[]-+=!?.1a ;"), min_size=1, max_size=12)
BOTH = st.one_of(NAMES, SHARP)


@given(BOTH)
@example(ODD)
@example("</caption><script>alert(1)</script>")
@example("&lt;b&gt; &#60; &amp;")
def test_any_name_is_preserved_in_html(name):
    read = Reader(html(one_cell(name)))
    assert read.rows[1][0] == visible(name)
    assert read.captions == [f"of {visible(name)}"]
    assert "script" not in read.tags


@given(BOTH)
@example(ODD)
@example("a | b")
@example("&lt;")
@example("\\|")
def test_any_name_is_preserved_in_markdown(name):
    """Cells are separated by unescaped bars; escapes and entities are then decoded."""
    text = markdown_escape(visible(name))
    assert not set(re.sub(r"\\[^a-zA-Z0-9\s]", "", text)) & set("|`*[]$~<>\\")
    undone = re.sub(r"\\([\\|`*\[\]$~_])", r"\1", text)
    assert html_of_python.unescape(undone).replace("\xa0", " ") == html_of_python.unescape(
        visible(name).replace("&", "&amp;")
    ).replace("\xa0", " ")
    *_, row = (line for line in markdown(one_cell(name)).split("\n") if line.startswith("|"))
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3


BACK = {
    r"\textbackslash": "\\",
    r"\textasciitilde": "~",
    r"\textasciicircum": "^",
    r"\textbar": "|",
    r"\textasciigrave": "`",
    "$<$": "<",
    "$>$": ">",
    "{[}": "[",
    "{*}": "*",
    "$-$": "\N{MINUS SIGN}",
    "--": "\N{EN DASH}",
    r"$\infty$": "\N{INFINITY}",
    "{}-": "-",
    r"$\leq$": "\N{LESS-THAN OR EQUAL TO}",
    r"$\geq$": "\N{GREATER-THAN OR EQUAL TO}",
    **{f"\\{c}": c for c in "&%$#_{}"},
}
PIECE = re.compile(
    r"(\\text[a-z]+)(?:\{\}| )|" + "|".join(map(re.escape, sorted(BACK, key=len, reverse=True)))
)


def balanced(text):
    depth = 0
    for found in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(found, 0)
        assert depth >= 0
    return depth == 0


@given(BOTH)
@example(ODD)
@example("a-- b--- \\ x ~ ~~ ^")
@example("{}-")
def test_any_name_is_preserved_in_latex(name):
    text = latex_escape(visible(name))
    assert balanced(text)
    assert not re.search(r"(?<!\\)[%#&_]", text)
    assert PIECE.sub(lambda m: BACK[m[1] or m[0]], text) == visible(name)
    assert balanced(latex(one_cell(name)))


def test_rows_of_latex_do_not_start_with_a_bracket():
    for name in ("[x]", "*"):
        [row] = [r for r in latex(one_cell(name)).split("\n") if "1.000" in r]
        assert row.startswith("{")


def test_markdown_paragraphs_are_no_lists_or_headings():
    for name in ("- a", "# a", "1. a", "+ b", "=", "> a"):
        table = Table("t", "c", [Column("x")], [[Number(1)]], [Note((Verbatim(name), " is odd."))])
        *_, notes = markdown(lay_out(table, style_of("plain"))).split("\n\n")
        assert not re.match(r"[-+#=>]|\d+\. ", notes)


WORDS = st.text("ab &-\u00e9\u6f22", max_size=9)


@given(st.integers(1, 4), st.integers(1, 3), st.none() | st.text("title", max_size=20), st.data())
def test_the_lines_of_text_tables_are_those_of_statsmodels(columns, rows, title, data):
    row = st.lists(WORDS, min_size=columns, max_size=columns)
    body = data.draw(st.lists(row, min_size=rows, max_size=rows))
    header = [word or "x" for word in data.draw(row)]
    style = {"data_aligns": "l" + "r" * (columns - 1), "table_dec_above": "="}
    table = SimpleTable(body, headers=header, title=title, txt_fmt={**default_txt_fmt, **style})
    lines = table.as_text().split("\n")
    assert grid([title] * bool(title), header, body).split("\n") == list(map(str.rstrip, lines))


def test_control_characters_are_removed_in_all_formats(tmp_path):
    from docx import Document

    name = "a\nb\x1b[31m\u202ec\x00\ufffe"
    laid_out = one_cell(name)
    for text in (html(laid_out), latex(laid_out), markdown(laid_out)):
        assert not set(text) & set("\x1b\u202e\x00\ufffe")
    with quiet():
        e = pauci.estimate(sample(name), PART)
    e.to_docx(tmp_path / "a.docx")
    table = Document(tmp_path / "a.docx").tables[0]
    assert table.cell(1, 0).text == visible(name)


# LaTeX


def parts_of(text):
    """Return the column types of each part of a LaTeX table, and its rows of cells."""
    for begin, body in re.findall(
        r"\\begin\{tabular\}\{([^\n]*)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL
    ):
        kinds = re.findall(r"S\[[^\]]*\]|>\{[^}]*\}p\{\w+\}|[lr]", begin)
        rows = [line.removesuffix(r" \\") for line in body.split("\n") if line.endswith(r" \\")]
        yield kinds, [[c.strip() for c in re.split(r"(?<!\\)&", row)] for row in rows]


@STYLE
@EVERY
def test_siunitx_columns_contain_only_numbers(name, style):
    text = result(name).to_latex(style=style)
    assert balanced(text)
    parts = list(parts_of(text))
    assert any(kind.startswith("S") for kinds, _ in parts for kind in kinds)
    for kinds, (header, *rows) in parts:
        check_columns(kinds, header, rows)
    assert text.count("\\caption") == text.count(r"\end{sidewaystable}") + text.count(
        r"\end{table}"
    )
    for command in ("toprule", "midrule", "bottomrule"):
        assert text.count(f"\\{command}") == len(parts)


def check_columns(kinds, header, rows):
    """Assert that columns of siunitx have numbers that fit, and other text in braces."""
    for row in [header, *rows]:
        assert len(row) == len(kinds)
    for i, kind in enumerate(kinds):
        if not kind.startswith("S"):
            continue
        assert header[i].startswith("{")
        [(sign, whole, decimals)] = re.findall(r"table-format=[<>]?(-?)(\d*)(?:\.(\d+))?", kind)
        for cell in (row[i] for row in rows):
            number = re.fullmatch(r"[<>]?(-?)(\d*)(?:\.(\d+))?", cell)
            if number is None:
                assert re.fullmatch(r"\{.*\}", cell)
                continue
            assert len(number[1]) <= len(sign)
            assert len(number[2]) <= int(whole or 0)
            assert len(number[3] or "") <= int(decimals or 0)
            assert "print-zero-integer=false" in kind or not cell or number[2]


def contents(text):
    """Return the columns of all parts of a LaTeX table; those of names are in every part."""
    columns = []
    for _, rows in parts_of(text):
        columns += [c for c in map(list, zip(*rows, strict=True)) if c not in columns]
    return columns


@STYLE
@EVERY
def test_wide_tables_in_latex_are_not_scaled_down(name, style):
    """Text is of the document's size or that of its notes; every column is in a part."""
    found = result(name)
    text = found.to_latex(style=style)
    assert "resizebox" not in text
    assert set(re.findall(r"\\(tiny|scriptsize|footnotesize|small)\b", text)) <= {"footnotesize"}
    assert ("rotating" in text.split("\n")[0]) == ("sidewaystable" in text)
    expected = []
    for column in zip(*texts(found, style), strict=True):
        expected += [column] * (column not in expected)
    assert len(contents(text)) == len(expected)


def wide(columns, name="svm", digits=0.01):
    row = [Verbatim(name), *[IntervalCell(0.1, 0.2, digits, unit=True)] * columns]
    heads = [Column("classifier"), *(ends_column(0.95, f"x{i}") for i in range(columns))]
    return lay_out(Table("t", "Caption", heads, [row]), style_of("plain"))


def test_a_wider_table_is_compact_rotated_and_then_split():
    kinds = []
    for columns in range(1, 30):
        text = latex(wide(columns))
        kinds.append(("sidewaystable" in text, "setlength" in text, text.count("toprule") > 1))
        for types, _ in parts_of(text):
            assert types[0] == "l"
            assert len(types) % 2 == 1  # both ends of an interval are in the same part
    assert list(dict.fromkeys(kinds)) == [
        (False, False, False),
        (False, True, False),
        (True, False, False),
        (True, True, False),
        (True, True, True),
    ]


def test_long_names_are_wrapped_before_a_table_is_rotated():
    text = latex(wide(3, "a classifier with a name as long as the names of some models are"))
    assert "sidewaystable" not in text
    assert r">{\raggedright\arraybackslash}p{130pt}" in text
    assert latex(wide(1, "a name of medium length, unwrapped")).count("raggedright") == 0


# Text


@EVERY
def test_text_tables_have_at_most_100_columns(name):
    found = result(name)
    text = found.summary()
    lines = text.split("\n")
    assert lines == list(map(str.rstrip, lines))
    rules = [line for line in lines if line and set(line) <= {"=", "-"}]
    assert max(map(len, rules)) <= 100
    table = found._table(0.95, None)
    for column in table.columns:
        for heading in [plain(column.heading)] if column.ends is None else column.ends:
            assert heading in text


def test_wide_text_tables_are_split_with_the_names_in_each_part():
    headings = [f"quantity number {i}" for i in range(9)]
    columns = [Column("classifier"), Column("measure"), *map(Column, headings)]
    rows = [[Verbatim(n), "AUC", *[Number(0.5, 0.01)] * 9] for n in ("svm", "nn")]
    parts = text_table(Table("Title", "c", columns, rows, [Note("A note.")])).split("\n\n")
    assert len(parts) == 3
    assert [p.count("Title") for p in parts] == [1, 0, 0]
    assert [p.count("A note.") for p in parts] == [0, 0, 1]
    shown = [h for p in parts for h in headings if h in p]
    assert shown == headings
    for part in parts:
        lines = part.split("\n")
        assert max(map(len, lines)) <= 100
        assert [line.split()[:2] for line in lines if line.startswith(("svm", "nn"))] == [
            ["svm", "AUC"],
            ["nn", "AUC"],
        ]


def test_long_names_are_wrapped_in_a_wide_text_table():
    name = "a network trained on mammograms of two vendors and tested on those of a third one"
    columns = [Column("classifier"), *(Column(f"x{i}") for i in range(7))]
    rows = [[Verbatim(name), *[Number(0.5, 0.01)] * 7], [Verbatim("nn"), *[None] * 7]]
    text = text_table(Table("Title", "c", columns, rows))
    assert text.count("classifier") == 1
    lines = text.split("\n")
    first = [line[:36].strip() for line in lines[4:-2]]
    assert " ".join(first) == name
    assert lines[4].count("0.500") == 7
    assert lines[5].count("0.500") == 0
    short = [[Verbatim(name), Number(0.5, 0.01)]]
    assert name in text_table(Table("Title", "c", columns[:2], short))


@pytest.mark.long
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="takes LaTeX")
def test_latex_compiles(tmp_path):
    find = ["kpsewhich", "siunitx.sty"]
    path = subprocess.run(find, capture_output=True, text=True, check=False).stdout.strip()
    if not path or "print-zero-integer" not in Path(path).read_text(encoding="utf-8"):
        pytest.skip("takes siunitx 3")
    body = [result(n).to_latex(style=s) + "\n\\clearpage" for n in MAKERS for s in STYLES]
    packages = "".join(f"\\usepackage{{{p}}}" for p in ("booktabs", "rotating", "siunitx"))
    source = "\n".join(
        [r"\documentclass{article}", packages, r"\begin{document}", *body, r"\end{document}"]
    )
    (tmp_path / "t.tex").write_text(source, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    out = done.stdout.decode("latin-1")
    assert done.returncode == 0, out[-2000:]
    assert not re.search(r"^!|Overfull \\hbox", out, re.MULTILINE)


# Word


@STYLE
@EVERY
def test_word_tables_have_the_contents_of_the_page(tmp_path, name, style):
    from docx import Document
    from docx.enum.text import WD_ALIGN_PARAGRAPH as SIDE

    found = result(name)
    found.to_docx(tmp_path / "table.docx", style=style)
    document = Document(tmp_path / "table.docx")
    laid_out = page(found, style)
    [table] = document.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == texts(found, style)
    caption, *_, notes = document.paragraphs
    assert caption.style.name == "Caption"
    assert caption.text == f"Table 1. {text_of(laid_out.caption)}"
    assert notes.text == text_of(laid_out.notes)
    sides = [cell.paragraphs[0].alignment for cell in table.rows[1].cells]
    assert sides == [SIDE.RIGHT if c.numeric else SIDE.LEFT for c in laid_out.columns]
    italic = [r.text for c in table.rows[0].cells for r in c.paragraphs[0].runs if r.italic]
    assert italic == [r.text for c in laid_out.columns for r in c.heading.runs if r.italic]
    assert [p.name for p in tmp_path.iterdir()] == ["table.docx"]


@cache
def width_in_points(text, size):
    """Return the width in DejaVu Serif, a wide font that LibreOffice uses as fallback."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family="DejaVu Serif")
    return TextPath((0, 0), text, size=size, prop=font).get_extents().width if text else 0.0


def words_of(text):
    """Return the parts between which a line may break; "[.10, .25]" is one part."""
    return re.split(r" (?!\.)", text)


@pytest.mark.long
@EVERY
@pytest.mark.parametrize("style", ["plain", "apa", "ama"])
def test_columns_of_word_fit_their_longest_word(tmp_path, name, style):
    from docx import Document

    result(name).to_docx(tmp_path / "table.docx", style=style)
    document = Document(tmp_path / "table.docx")
    section, [table] = document.sections[0], document.tables
    room = section.page_width.pt - section.left_margin.pt - section.right_margin.pt
    widths = [column.width.pt for column in table.columns]
    assert not table.autofit
    assert sum(widths) <= room + 1
    columns = zip(*(row.cells for row in table.rows), strict=True)
    for width, cells in zip(widths, columns, strict=True):
        assert {cell.width.pt for cell in cells} == {width}
        runs = [run for cell in cells for run in cell.paragraphs[0].runs]
        words = {(w, run.font.size.pt) for run in runs for w in words_of(run.text) if len(w) < 30}
        assert max((width_in_points(*w) for w in words), default=0.0) <= width - 10.8


def test_columns_of_word_are_as_wide_as_their_content(tmp_path):
    from docx import Document

    result("Comparisons").to_docx(tmp_path / "table.docx")
    [table] = Document(tmp_path / "table.docx").tables
    widths = {c.cells[0].text: c.width.pt for c in table.columns}
    assert widths["p"] < widths["estimate"] < widths["measure"] + widths["region"]
    assert sum(widths.values()) > 200


def test_captions_of_word_are_black_with_a_number_that_word_counts(tmp_path):
    from docx import Document

    result("Estimate").to_docx(tmp_path / "table.docx")
    caption = Document(tmp_path / "table.docx").paragraphs[0]
    assert caption.style.font.color.rgb == (0, 0, 0)
    assert {str(run.font.color.rgb) for run in caption.runs} == {"None"}
    assert " SEQ Table \\* ARABIC " in caption._p.xml
    assert caption.text.startswith("Table 1. ")


def test_word_output_without_its_package_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(pauci.InputError, match="Install the extra docx: "):
        result("Estimate").to_docx(tmp_path / "table.docx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["table.doc", "table.pdf", "table"])
def test_word_documents_end_in_docx(tmp_path, name):
    with pytest.raises(pauci.InputError, match=r"must end in \.docx"):
        result("Estimate").to_docx(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    result("Estimate").to_docx(str(tmp_path / "TABLE.DOCX"))


# Requirements on new results


def test_a_user_defined_table():
    rows = [
        [
            "low",
            Number(0.8, 0.01, unit=True),
            IntervalCell(0.78, 0.82, 0.01, unit=True),
            PValue(2e-4),
        ],
        [
            Verbatim("-1"),
            Number(-0.1, 0.01, unit=True),
            IntervalCell(-0.12, -0.08, 0.01, unit=True),
            None,
        ],
    ]
    columns = [Column("group"), Column("estimate"), ends_column(0.95), Column(Symbol("p"))]
    notes = [
        Note(("All ", PEquals(0.03), ", at -1.")),
        Note("Only in text.", page=False),
        Note("Only on pages", text=False),
    ]
    table = Table("Groups", "AUC of groups", columns, rows, notes)
    plain, apa, ama = (lay_out(table, style_of(s)) for s in ("plain", "apa", "ama"))
    assert [c.heading.text for c in plain.columns] == ["group", "estimate", "low", "high", "p"]
    assert [c.heading.text for c in apa.columns] == ["Group", "Estimate", "95% CI", "p"]
    minus = "\N{MINUS SIGN}"
    assert [[f.text for f in row] for row in plain.rows] == [
        ["low", "0.800", "0.780", "0.820", "<0.001"],
        ["-1", f"{minus}0.100", f"{minus}0.120", f"{minus}0.080", ""],
    ]
    assert [f.text for f in apa.rows[0]] == ["low", ".800", "[.780, .820]", "<.001"]
    assert [f.text for f in ama.rows[1]] == [
        "-1",
        f"{minus}0.100",
        f"{minus}0.120 to {minus}0.080",
        "",
    ]
    expected = f"Note. All p = .030, at {minus}1. Only on pages. Abbreviations: AUC, "
    assert text_of(apa.notes).startswith(expected)
    assert [run.text for run in apa.notes if run.italic] == ["Note.", "p"]


def test_two_kinds_of_intervals_are_distinguished():
    columns = [Column("x"), ends_column(0.9), ends_column(0.9, ", all")]
    table = Table(
        "t",
        "c",
        columns,
        [["a", IntervalCell(0.1, 0.2), IntervalCell(0.0, 0.3)], ["b", None, None]],
    )
    found = [[c.heading.text for c in lay_out(table, style_of(s)).columns] for s in STYLES]
    assert found[0] == ["x", "low", "high", "low, all", "high, all"]
    assert found[1] == found[2] == ["X", "90% CI", "90% CI, all"]
    assert [form.text for form in lay_out(table, style_of("plain")).rows[1]] == ["b", *[""] * 4]
    line = text_table(table).split("\n")[4]
    assert line.split() == ["a", "0.100", "0.200", "0", "0.300"]


def test_a_table_without_rows_or_notes_can_be_written():
    laid_out = lay_out(Table("t", "Nothing", [Column("x"), Column("y")], []), style_of("plain"))
    assert Reader(html(laid_out)).rows == [["x", "y"]]
    assert balanced(latex(laid_out))
    assert "| x" in markdown(laid_out)


def test_thresholds_of_categories_are_not_numbers():
    points = result("categories")
    assert [row[0] for row in texts(points)[1:]] == ["yes", "maybe", "no"]
    assert page(points).columns[0].numeric is False
    assert page(result("OperatingPoints")).columns[0].numeric is True


# Sentences and frames of all results


def test_a_sample_size_states_its_assumptions():
    with quiet():
        plan = pauci.sample_size(
            [sample("a"), sample("b")],
            PART,
            difference=-0.08,
            null=0.02,
            alternative="less",
            alpha=0.025,
        )
    assert (plan.measure, plan.null, plan.alpha, plan.paired) == (PART, 0.02, 0.025, False)
    assert plan.report().startswith(
        "To distinguish a difference of -0.08 from 0.02 in the concordant partial AUC (pAUCc) "
        "over FPR 0 to 0.3 with power 0.8"
    )
    for words in ("one-sided test of size 0.025", "each of two"):
        assert words in plan.report()
    [row] = plan.to_frame().to_dict("records")
    assert (row["measure"], row["region"]) == ("pAUCc", "FPR 0 to 0.3")
    assert (row["n_pos"], row["n_neg"], row["power"]) == (plan.n_pos, plan.n_neg, plan.power)
    assert "independent samples" in text_of(page(plan).caption)
    bare = pauci.SampleSize(10, 20, 0.8, 0.1)
    assert "10 positives, 20 negatives" in repr(bare)
    assert "the measure" in bare.report()
    assert bare.to_frame()["measure"].tolist() == [""]
    assert texts(bare)[1][:2] == ["10", "20"]


def test_a_power_is_never_printed_larger_than_it_is():
    assert texts(pauci.SampleSize(10, 20, 0.79999, 0.1))[1][2] == "0.799"


def test_a_joint_test_states_its_null_hypothesis():
    test = result("JointTest")
    [row] = test.to_frame().to_dict("records")
    assert (row["statistic"], row["pvalue"], row["f"]) == (test.statistic, test.pvalue, test.f)
    bare = type(test)(9.5, 2, 0.01)
    assert repr(bare) == "JointTest(chi-squared 9.500, df 2, p = 0.010)"
    assert texts(bare)[0] == ["hypothesis", "chi-squared", "df", "p"]


# Reprs


@EVERY
def test_a_result_has_a_short_repr(name):
    found = result(name)
    text = repr(found)
    assert text.startswith(f"{type(found).__name__}(")
    assert len(text.split("\n")) <= 9
    assert max(map(len, text.split("\n"))) < 160
    assert not re.search(r"\d\.\d{6,}", text)
    assert "array(" not in text


def test_parts_of_results_have_short_reprs():
    e = result("Estimate")
    assert re.fullmatch(r"Interval\(low=0\.\d{1,4}, high=0\.\d{1,4}\)", repr(e.interval()))
    assert repr(pauci.Interval(-math.inf, 0.123456)) == "Interval(low=-inf, high=0.1235)"
    point = pauci.operating_points(ratings()).points[0]
    assert repr(point).startswith("OperatingPoint(threshold=4, true_positives=30, false_positives")
    resolved = repr(e.region)
    assert resolved.startswith("ResolvedRegion(FPR 0 to 0.3: FPR 0 to 0.3, TPR 0 to 0.")
    boot = result("bootstrap").resampled
    assert re.fullmatch(r"Resampled\(0\.\d+: 99 replicates, cohort, seed 2\)", repr(boot))
    for text in (repr(point), resolved):
        assert not re.search(r"\.\d{5,}", text)
        assert len(text) < 400


def test_tables_issue_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stream = io.StringIO(result("Estimates").to_html())
    assert stream.getvalue().isprintable()
