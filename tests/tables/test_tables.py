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

import pauci
from pauci.tables.formatted_table import (
    FIGURE_SPACE,
    WIDTH,
    html,
    latex,
    lay_out,
    markdown,
    text_table,
    visible,
)
from pauci.tables.formatted_table import escape_latex as latex_escape
from pauci.tables.formatted_table import escape_markdown as markdown_escape
from pauci.tables.number_format import STYLES, style_of
from pauci.tables.table import (
    EstimateCell,
    PEquals,
    Symbol,
    Table,
    Verbatim,
    number_cell,
    p_value_cell,
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
def test_title_and_note_describe_the_table(name):
    """Measure and region, level and kind of the intervals, pairing, numbers of both classes."""
    found = result(name)
    laid_out = page(found)
    about = text_of(laid_out.caption + laid_out.notes) + str(texts(found))
    parts = getattr(found, "estimates", getattr(found, "comparisons", None))
    whole = isinstance(found, (pauci.ReaderAnalysis, pauci.OperatingPoints)) or not parts
    first = [found] if whole else parts
    first = next(iter(first)) if not isinstance(first, pauci.Comparisons) else first[0]
    measure = getattr(first, "measure", getattr(getattr(first, "estimate", 0), "measure", None))
    if measure is not None and measure.region_phrase:
        assert measure.region_phrase in about or "FPR 0 to" in about
    if isinstance(found, pauci.Froc):
        assert "120 images, 60 with 94 lesions" in about
    elif not isinstance(found, pauci.SampleSize):
        assert re.search(r"\d+ positives, \d+ negatives", about) or "positives/n" in about
    if hasattr(found, "interval") or isinstance(found, (pauci.Estimates, pauci.Comparisons)):
        assert "95% CI" in about
    if hasattr(first, "paired") and not isinstance(found, pauci.SampleSize | pauci.Band):
        assert ("paired" in about) == first.paired
        independent = f"independent {'groups' if name in ('gap', 'gaps') else 'samples'}"
        assert (independent in about) == (not first.paired)


@EVERY
def test_notes_are_whole_sentences(name):
    for note in result(name)._table(0.95, None).notes:
        assert re.search(r"[.:]\)?$|\.cautions", plain(note)), note


def test_notes_state_the_variance_method_unless_it_is_the_default():
    for name, words in (("jackknife", "jackknife"), ("bootstrap", "bootstrap (cohort, 99")):
        assert f"Standard errors: {words}" in text_of(page(result(name)).notes)
    assert "DeLong's method" in text_of(page(result("independent")).notes)
    assert "Standard errors" not in text_of(page(result("Estimate")).notes)
    assert "60 clusters, cluster-robust standard errors" in text_of(page(result("clusters")).notes)


@EVERY
def test_tables_and_sentences_have_the_same_numbers(name):
    """What a sentence states with an interval is in the table, digit by digit."""
    found = result(name)
    if not hasattr(found, "report") or name in ("OperatingPoints", "categories"):
        return
    shown = re.findall(r"(-?[<>]?\d[\d.]*) \((?:[\d,]+/[\d,]+; )?\d+% CI ([^)]*)\)", found.report())
    cells = " ".join(map(plain, (c for row in found._table(0.95, None).rows for c in row)))
    cells += " ".join(map(plain, found._table(0.95, None).notes))
    for value, ends in shown:
        assert f"{value} ({ends})" in cells


@EVERY
@pytest.mark.parametrize("details", [False, True])
def test_text_tables_have_at_most_80_columns_and_no_blanks_at_the_end(name, details):
    lines = result(name).summary(details=details).split("\n")
    assert max(map(len, lines)) <= WIDTH
    assert lines == list(map(str.rstrip, lines))


def test_p_can_be_recomputed_from_the_details():
    from scipy.stats import t as t_distribution

    c = result("independent")
    headings, *rows = (
        c._table(0.95, None, details=True).headings,
        *c._table(0.95, None, details=True).rows,
    )
    cells = dict(zip(map(plain, headings), map(plain, rows[-1]), strict=True))
    assert list(cells)[-4:] == ["SE", "t", "df", "p"]
    p = 2 * t_distribution.sf(abs(float(cells["t"])), float(cells["df"]))
    assert p == pytest.approx(float(cells["p"]), abs=2e-3)


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
        assert result(name).summary().replace("\N{LATIN SMALL LETTER SHARP S}", "").isascii()


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
        assert f"({low:.3f} to {high:.3f})" in text
        assert re.search(r"90\\?% CI: Wald", text)
    with pytest.raises(ValueError, match="level"):
        e.to_html(level=95)
    with pytest.raises(ValueError, match="kind"):
        e.to_latex(kind="jeffreys")


def test_a_specified_prevalence_is_reported():
    with quiet():
        e = pauci.estimate(sample("svm"), [pauci.AUC(), pauci.AP(prevalence=0.3)])
        c = pauci.compare(sample("svm", "nn"), pauci.AP(prevalence=0.3))
    for found in (e, c):
        assert "at prevalence 0.3" in found.summary()


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
            assert f"text-align:{'right' if column.right else 'left'}" in look
            assert not re.search(r"(?<!-)color|background", look)


def test_html_contains_the_numbers():
    es = result("Estimates")
    header, *rows = Reader(es.to_html()).rows
    names = [e.classifier for e in es]
    assert header[1:] == list(dict.fromkeys(names))
    for e in es:
        (row,) = [r for r in rows if r[0].startswith(e.measure.symbol)]
        low, high = e.interval()
        expected = f"{e.value:.3f} ({low:.3f} to {high:.3f})"
        assert row[header.index(e.classifier)].strip(FIGURE_SPACE) == expected
    c = result("Comparison")
    header, *_, last = Reader(c.to_html()).rows
    assert last[header.index("p")] == f"{c.pvalue:.3f}"
    assert last[1].startswith(f"{c.difference:.3f} (")


@EVERY
def test_notebooks_show_the_table(name):
    assert result(name)._repr_html_() == result(name).to_html()


def test_numbers_of_many_digits_have_commas():
    frame = pauci.Sample.from_counts([2, 1], [30, 7000], [1, 99_999], name="film")
    points = pauci.operating_points(frame)
    assert "7,030 positives, 100,000 negatives" in text_of(page(points).notes)
    assert "99,999/100,000" in str(texts(points))


def test_estimates_are_aligned_at_their_decimal_points():
    cells = [[Verbatim(n), EstimateCell(v, v - 0.1, v + 0.1)] for n, v in (("a", 0.2), ("b", -0.2))]
    laid_out = lay_out(Table("t", ["", "estimate"], cells), style_of("plain"))
    texts_of_cells = [row[1].text for row in laid_out.rows]
    assert texts_of_cells[0].startswith(f"{FIGURE_SPACE}0.200")
    assert r"\phantom{0}0.200" in latex(laid_out)
    assert laid_out.columns[1].numeric
    assert not laid_out.columns[1].right


# Escapes


def one_cell(name):
    table = Table(("of ", Verbatim(name)), ["name", "x"], [[Verbatim(name), number_cell(1)]])
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
        table = Table("t", ["x"], [[number_cell(1)]], [(Verbatim(name), " is odd.")])
        *_, notes = markdown(lay_out(table, style_of("plain"))).split("\n\n")
        assert not re.match(r"[-+#=>]|\d+\. ", notes)


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


@STYLE
@EVERY
def test_wide_tables_in_latex_are_not_scaled_down(name, style):
    """Text is of the document's size or that of its notes."""
    found = result(name)
    text = found.to_latex(style=style)
    assert "resizebox" not in text
    assert set(re.findall(r"\\(tiny|scriptsize|footnotesize|small)\b", text)) <= {"footnotesize"}
    assert ("rotating" in text.split("\n")[0]) == ("sidewaystable" in text)
    ((kinds, _),) = parts_of(text)
    assert len(kinds) == len(page(found, style).columns)


def wide(columns, name="svm"):
    row = [Verbatim(name), *[EstimateCell(0.1, 0.05, 0.2)] * columns]
    heads = ["classifier", *(f"x{i}" for i in range(columns))]
    return lay_out(Table("Caption", heads, [row]), style_of("plain"))


def test_a_wider_table_is_compact_and_then_rotated():
    kinds = []
    for columns in range(1, 9):
        text = latex(wide(columns))
        kinds.append(("sidewaystable" in text, "setlength" in text))
    order = [(False, False), (False, True), (True, False), (True, True)]
    found = list(dict.fromkeys(kinds))
    assert found == [kind for kind in order if kind in found]
    assert (found[0], found[-1]) == (order[0], order[-1])


def test_long_names_are_wrapped_before_a_table_is_rotated():
    text = latex(wide(2, "a classifier with a name as long as the names of some models are"))
    assert "sidewaystable" not in text
    assert r">{\raggedright\arraybackslash}p{130pt}" in text
    assert latex(wide(1, "a name of medium length, unwrapped")).count("raggedright") == 0


# Text


def test_long_names_continue_beside_the_next_rows():
    name = "a network trained on mammograms of two vendors"
    rows = [
        [Verbatim(name), Verbatim("svm"), number_cell(0.5, 0.01)],
        [None, Verbatim("nn"), number_cell(0.25, 0.01)],
        [Verbatim("b"), Verbatim("nn"), number_cell(0.125, 0.01)],
    ]
    lines = text_table(Table("Title", ["", "", "x"], rows, stubs=2)).split("\n")
    body = lines[lines.index(next(x for x in lines if x.startswith("a network"))) : -1]
    assert [line.split()[-1] for line in body if line[:1] != " "] == ["0.500", "0.125"]
    assert body[1].startswith("  mammograms of two")
    assert body[1].endswith("0.250")
    assert " ".join(line[:20].strip() for line in body[:3]) == name


def test_the_names_of_a_wide_table_are_headings():
    headings = ["classifier", "measure", *(f"x{i}" for i in range(5))]
    rows = [[Verbatim("svm"), Verbatim("a measure of rank"), *[number_cell(0.5, 0.01)] * 5]]
    wide_numbers = [[*rows[0][:2], *[EstimateCell(0.5, 0.4, 0.6)] * 2]]
    narrow = text_table(Table("Title", headings, rows, stubs=2)).split("\n")
    assert any(line.startswith("svm") and "0.500" in line for line in narrow)
    headings = ["classifier", "measure", *(f"a long heading of numbers {i}" for i in range(2))]
    text = text_table(Table("Title", headings, wide_numbers, stubs=2)).split("\n")
    assert "svm" in text
    assert max(map(len, text)) <= WIDTH


def test_each_cell_of_a_table_that_is_much_too_wide_has_a_line():
    headings = ["classifier", *(f"quantity number {i}" for i in range(9))]
    rows = [[Verbatim(n), *[number_cell(0.5, 0.01)] * 9] for n in ("svm", "nn")]
    text = text_table(Table("Title", headings, rows, ["A note."]))
    assert max(map(len, text.split("\n"))) <= WIDTH
    assert text.count("quantity number 8: 0.500") == 2
    assert text.count("A note.") == 1


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
    assert sides == [SIDE.RIGHT if c.right else SIDE.LEFT for c in laid_out.columns]
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
    widths = [c.width.pt for c in table.columns]
    assert widths[-1] < widths[-2]
    assert sum(widths) > 200


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
        ["low", EstimateCell(0.8, 0.78, 0.82, (8, 10)), p_value_cell(2e-4)],
        [Verbatim("-1"), EstimateCell(-0.1, -0.12, -0.08), None],
        ["bound", EstimateCell(0.1, 0.05, math.inf, one_sided=True), None],
    ]
    headings = ["group", "estimate (95% CI)", Symbol("p")]
    notes = [("All ", PEquals(0.03), ", at -1."), "Another note"]
    table = Table("AUC of groups", headings, rows, notes)
    plain_page, apa, ama = (lay_out(table, style_of(s)) for s in ("plain", "apa", "ama"))
    assert [c.heading.text for c in plain_page.columns] == ["group", "estimate (95% CI)", "p"]
    assert [c.heading.text for c in apa.columns] == ["Group", "estimate (95% CI)", "p"]
    minus, space = "\N{MINUS SIGN}", FIGURE_SPACE
    assert [[f.text for f in row] for row in plain_page.rows] == [
        ["low", f"{space}0.800 (0.780 to 0.820); 8/10", "<0.001"],
        ["-1", f"{minus}0.100 ({minus}0.120 to {minus}0.080)", ""],
        ["bound", f"{space}0.100 (at least 0.050)", ""],
    ]
    assert [f.text.strip(space) for f in apa.rows[0]] == ["low", ".800 [.780, .820]; 8/10", "<.001"]
    assert ama.rows[0][1].text.strip(space) == "0.800 (0.780-0.820); 8/10"
    expected = f"Note. All p = .030, at {minus}1. Another note. Abbreviations: AUC, "
    assert text_of(apa.notes).startswith(expected)
    assert [run.text for run in apa.notes if run.italic] == ["Note.", "p"]
    assert plain(rows[0][1]) == "0.800 (0.780 to 0.820)  8/10"
    assert rows[0][1].sentence("95% CI") == "0.800 (8/10; 95% CI 0.780 to 0.820)"


def test_a_table_without_rows_or_notes_can_be_written():
    laid_out = lay_out(Table("Nothing", ["x", "y"], []), style_of("plain"))
    assert Reader(html(laid_out)).rows == [["x", "y"]]
    assert balanced(latex(laid_out))
    assert "| x" in markdown(laid_out)


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
    assert "Independent samples of this size each" in text_of(page(plan).notes)
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
