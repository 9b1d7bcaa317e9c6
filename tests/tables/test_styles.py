"""Numbers in journal styles: digits, leading zeros, p-values, intervals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.tables.number_format import STYLES, decimals_of, style_of, typeset, typeset_words
from pauci.tables.table import (
    Decimal,
    IntervalCell,
    Number,
    PEquals,
    RangeCell,
    StatisticCell,
    WithEnds,
)

PLAIN, APA, AMA = (STYLES[name] for name in ("plain", "apa", "ama"))
MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"


@pytest.mark.parametrize(
    ("value", "plain", "apa", "ama"),
    [
        (0.0, "<0.001", "<.001", "<.001"),
        (0.00099, "<0.001", "<.001", "<.001"),
        (0.001, "0.001", ".001", ".001"),
        (0.0052, "0.005", ".005", ".005"),
        (0.0099, "0.010", ".010", ".010"),
        (0.01, "0.010", ".010", ".01"),
        (0.023, "0.023", ".023", ".02"),
        (0.0451, "0.045", ".045", ".045"),
        (0.0495, "0.050", ".050", ".050"),
        (0.0512, "0.051", ".051", ".051"),
        (0.06, "0.060", ".060", ".06"),
        (0.5, "0.500", ".500", ".50"),
        (0.991, "0.991", ".991", ">.99"),
        (1.0, "1.000", ">.999", ">.99"),
        (math.nan, "", "", ""),
    ],
)
def test_p_values(value, plain, apa, ama):
    assert [style.p_value(value) for style in (PLAIN, APA, AMA)] == [plain, apa, ama]


@pytest.mark.parametrize(
    ("value", "texts"),
    [(0.0004, ["p < 0.001", "p < .001", "P < .001"]), (0.03, ["p = 0.030", "p = .030", "P = .03"])],
)
def test_p_values_in_sentences(value, texts):
    assert [PEquals(value).form(s).text for s in (PLAIN, APA, AMA)] == texts
    assert [PEquals(value).form(s).runs[0].italic for s in (PLAIN, APA, AMA)] == [0, 1, 1]


@given(st.floats(0.0, 1.0))
def test_a_p_value_is_never_printed_on_the_other_side_of_5_percent(p):
    for style in STYLES.values():
        text = style.p_value(p).lstrip("<>")
        if float(text) != 0.05:
            assert (float(text) < 0.05) == (p < 0.05)


@pytest.mark.parametrize(
    ("error", "decimals"),
    [
        (0.05, 3),
        (0.012, 3),
        (0.0052, 4),
        (0.00052, 5),
        (0.99, 2),
        (0.0996, 2),
        (0.996, 1),
        (3.2, 1),
        (45.0, 0),
        (4500.0, 0),
        (2e-5, 6),
        (3e-11, 8),
    ],
)
def test_two_digits_of_the_standard_error_are_printed(error, decimals):
    assert decimals_of(error) == decimals
    for style in STYLES.values():
        assert len(style.number(7.123456789, error).partition(".")[2]) == decimals


@pytest.mark.parametrize("error", [0.0, math.nan, math.inf, 1e-16])
def test_without_a_standard_error_the_style_decides(error):
    assert [s.number(0.123456789, error) for s in (PLAIN, APA, AMA)] == ["0.1235", "0.123", "0.123"]


@given(st.floats(-1, 1), st.floats(1e-7, 0.5), st.sampled_from([*STYLES.values()]))
def test_estimate_error_and_ends_have_the_same_decimals(value, error, style):
    """Unless a number would be rounded to 0 or 1, or a limit to the estimate."""
    ends = IntervalCell(value - 2 * error, value + 2 * error, error, True, value)
    cells = [Number(v, error, True) for v in (value, error)] + [*ends.ends]
    texts = [cell.ascii(style) for cell in cells]
    places = decimals_of(error)
    for cell, text in zip(cells, texts, strict=True):
        shown = len(text.partition(".")[2])
        others = (-1.0, 0.0, 1.0)
        assert shown >= places or "e" in text
        assert shown == places or float(f"{cell.value:.{places}f}") in others or "e" in text
        assert float(text) not in others or cell.value == pytest.approx(float(text), abs=1e-6)
        assert text[0] != "-" or float(text) < 0.0
    assert float(texts[1]) == pytest.approx(error, rel=0.06)
    estimate, _, low, high = texts
    assert len({estimate, low, high}) == 3


NUMBERS = st.one_of(
    st.floats(-1e308, 1e308),  # with few digits the largest floats would be none any more
    st.sampled_from([math.nan, math.inf, -math.inf]),
)


@given(NUMBERS, st.floats(0, 1e300))
def test_any_number_is_written(value, error):
    for style in STYLES.values():
        form = Number(value, error).form(style)
        assert form.text
        if math.isfinite(value):
            assert math.isfinite(float(form.number))
        else:
            assert form.number == ""


def test_only_numbers_that_cannot_exceed_1_lose_their_zero():
    assert APA.number(0.5, unit=True) == ".500"
    assert APA.number(-0.5, unit=True) == "-.500"
    assert APA.number(1.0, unit=True) == "1.000"
    assert APA.number(0.5) == "0.500"
    assert AMA.number(0.5, unit=True) == PLAIN.number(0.5, unit=True)[:-1] == "0.500"
    assert StatisticCell(0.5).form(APA).text == "0.50"
    assert Decimal(0.25, unit=True).form(APA).text == ".250"
    assert Decimal(0.25).form(APA).text == "0.250"


def test_small_numbers_do_not_read_as_zero():
    assert PLAIN.number(1.5e-7) == "1.5e-07"
    assert PLAIN.number(0.0) == "0"
    assert PLAIN.number(0.0, 0.03) == "0.000"
    assert PLAIN.number(-0.0004, 0.03) == "-0.0004"
    assert PLAIN.number(1.5e-9, 1e-10) == "1.5e-09"


@pytest.mark.parametrize(
    ("low", "high", "plain", "apa", "ama"),
    [
        (0.36, 0.53, f"0.3600{DASH}0.5300", "[.360, .530]", "0.360-0.530"),
        (-0.1, 0.2, f"{MINUS}0.1000 to 0.2000", f"[{MINUS}.100, .200]", f"{MINUS}0.100 to 0.200"),
        (0.1, math.inf, "0.1000 to \N{INFINITY}", "[.100, \N{INFINITY}]", "0.100 to \N{INFINITY}"),
    ],
)
def test_intervals(low, high, plain, apa, ama):
    ends = IntervalCell(low, high, unit=True)
    assert [ends.form(s).text for s in (PLAIN, APA, AMA)] == [plain, apa, ama]


def test_numbers_with_intervals():
    cell = WithEnds(0.735, 0.691, 0.776, unit=True)
    assert [cell.form(s).text for s in (PLAIN, APA, AMA)] == [
        f"0.735 (0.691{DASH}0.776)",
        ".735 [.691, .776]",
        "0.735 (0.691-0.776)",
    ]
    assert cell.plain() == "0.735 (0.691-0.776)"
    assert WithEnds(math.nan, 0, 1).form(PLAIN).text == DASH


def test_ranges():
    assert RangeCell(0.0, 0.3, unit=True).form(PLAIN).text == f"0{DASH}0.3"
    assert RangeCell(0.0, 0.3, unit=True).form(APA).text == f"0{DASH}.3"
    assert RangeCell(0.2, 0.2).form(AMA).number == "0.2"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("bias -0.01 (error 0.1)", f"bias {MINUS}0.01 (error 0.1)"),
        ("Specificity is 1 - FPR", f"Specificity is 1 {MINUS} FPR"),
        ("LR+, LR-: log", f"LR+, LR{MINUS}: log"),
        ("two-sided t-test, Clopper-Pearson", "two-sided t-test, Clopper-Pearson"),
        ("1e-05", "1e-05"),
        ("at -.5 and (-3)", f"at {MINUS}.5 and ({MINUS}3)"),
        ("fpr <= 0.1", "fpr \N{LESS-THAN OR EQUAL TO} 0.1"),
        ("-log10p", "-log10p"),
    ],
)
def test_sentences_have_true_minus_signs(text, shown):
    assert typeset_words(text) == shown


def test_numbers_are_typeset():
    assert typeset("-0.5") == f"{MINUS}0.5"
    assert typeset("nan") == DASH
    with pytest.raises(ValueError, match=r"style='nature' is not known.*plain.*apa.*ama"):
        style_of("nature")
