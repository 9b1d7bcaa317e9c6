"""Numbers in journal styles: digits, leading zeros, p-values, intervals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pauci.tables.number_format import STYLES, style_of, typeset, typeset_words
from pauci.tables.table import EstimateCell, PEquals, number_cell, statistic_cell

PLAIN, APA, AMA = (STYLES[name] for name in ("plain", "apa", "ama"))
MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"


NUMBERS = st.one_of(
    st.floats(-1e308, 1e308),  # with few digits the largest floats would be none any more
    st.sampled_from([math.nan, math.inf, -math.inf]),
)


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


@given(NUMBERS, st.floats(0, 1e300))
def test_any_number_is_written(value, error):
    for style in STYLES.values():
        form = number_cell(value, error).form(style)
        assert form.text
        if math.isfinite(value):
            assert math.isfinite(float(form.number.lstrip("<>")))
        else:
            assert form.number == ""


def test_only_numbers_that_cannot_exceed_1_lose_their_zero():
    unit = [number_cell(v, unit=True) for v in (0.5, -0.5, 1.0, 0.0004, -0.0004)]
    assert [cell.form(APA).number for cell in unit] == [".500", "-.500", "1.000", "<.001", ">-.001"]
    assert {number_cell(0.5).form(s).text for s in STYLES.values()} == {"0.500"}
    assert number_cell(0.5, unit=True).form(AMA).text == "0.500"
    assert [statistic_cell(0.5).form(s).text for s in (PLAIN, APA)] == ["0.500", "0.50"]
    assert statistic_cell(0.5, unit=True).form(APA).text == ".50"


@pytest.mark.parametrize(
    ("low", "high", "plain", "apa", "ama"),
    [
        (0.36, 0.53, "(0.360 to 0.530)", "[.360, .530]", "(0.360-0.530)"),
        (
            -0.1,
            0.6,
            f"({MINUS}0.100 to 0.600)",
            f"[{MINUS}.100, .600]",
            f"({MINUS}0.100 to 0.600)",
        ),
        (0.2, 0.9999, "(0.200 to >0.999)", "[.200, >.999]", "(0.200 to >0.999)"),
        (0.1, math.inf, "(0.10 to \N{INFINITY})", "[.10, \N{INFINITY}]", "(0.10 to \N{INFINITY})"),
    ],
)
def test_numbers_with_intervals(low, high, plain, apa, ama):
    cell = EstimateCell(0.5, low, high)
    texts = [cell.form(s).text.partition(" ")[2] for s in (PLAIN, APA, AMA)]
    if math.isinf(high):
        texts = [text.replace("0.100", "0.10").replace(".100", ".10") for text in texts]
    assert texts == [plain, apa, ama]
    assert EstimateCell(math.nan, 0, 1).form(PLAIN).text == DASH


def test_bounds_and_counts():
    cell = EstimateCell(0.5, -math.inf, 0.6, (5, 10), one_sided=True)
    assert cell.form(APA).text == ".500 (at most .600); 5/10"
    assert cell.plain() == "0.500 (at most 0.600)  5/10"
    assert cell.sentence("95% CI") == "0.500 (5/10; 95% CI at most 0.600)"
    assert EstimateCell(0.25).plain() == "0.250"


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
