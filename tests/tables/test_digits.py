"""Printed digits: two of the standard error, in tables, sentences and figures."""

import re

import numpy as np
import pytest

import pauci
from pauci.tables import number_format as fmt
from tabular_results import ratings, sample

pytestmark = pytest.mark.usefixtures("quiet")
SMALL = pauci.PAUC(fpr=(0, 0.01))


def large():
    """Return so many rows that a small area has six significant decimals."""
    y = np.repeat([0, 1], 40_000)
    rng = np.random.default_rng(3)
    return pauci.Sample(
        y, {"a": rng.normal(size=80_000) + y, "b": rng.normal(size=80_000) + 0.9 * y}
    )


def test_a_small_area_is_printed_with_digits_of_its_standard_error():
    es = pauci.estimate(large(), SMALL)
    e = es["a"]
    assert 1e-5 < e.se < 1e-4
    numbers = [f"{v:.6f}" for v in (e.value, e.se, *e.interval())]
    sentence = f"was {numbers[0]} (SE {numbers[1]}; 95% logit CI {numbers[2]} to {numbers[3]};"
    assert sentence in e.report()
    assert " ".join(numbers) in e.summary()
    assert f"{numbers[0]}, SE {numbers[1]}" in repr(e)
    figure = e.plot()
    words = [text.get_text() for text in figure.texts]
    assert f"{numbers[0]} ({numbers[2]} to {numbers[3]})" in words
    assert e.to_frame()["value"].item() == e.value


def test_a_comparison_has_one_number_of_decimals():
    c = pauci.compare(large(), SMALL)
    shown = re.findall(r"-?\d\.\d+", c.report().split(" was ")[1].split(";")[0])
    assert {len(number.partition(".")[2]) for number in shown} == {6}
    assert [float(v) for v in shown[:3]] == pytest.approx(
        [*(e.value for e in c.estimates), c.difference], abs=6e-7
    )


def test_rows_of_one_measure_have_the_decimals_of_its_smallest_error():
    small = pauci.Sample.from_counts([2, 1], [30, 9], [10, 20], name="small")
    many = pauci.Sample.from_counts([2, 1], [3000, 900], [1000, 2000], name="many")
    perfect = pauci.Sample.from_counts([2, 1], [9, 0], [0, 9], name="perfect")
    es = pauci.estimate([small, many, perfect], pauci.AUC())
    places = fmt.decimals_of(es["many"].se)
    assert places > fmt.decimals_of(es["small"].se)
    rows = {line.split()[0]: line.split()[4:8] for line in es.summary().splitlines()[4:7]}
    e = es["small"]
    assert rows["small"] == [f"{v:.{places}f}" for v in (e.value, e.se, *e.interval())]
    assert rows["many"][0] == f"{es['many'].value:.{places}f}"
    assert rows["perfect"][0] == f"{1:.{places}f}"
    assert f"was {e.value:.{fmt.decimals_of(e.se)}f} (" in e.report()


def test_numbers_without_a_standard_error_have_four_decimals():
    e = pauci.estimate(pauci.Sample([0] * 9 + [1] * 9, range(18)), pauci.AUC())
    low, high = e.interval()
    assert f"was 1.0000 (SE 0; 95% limit CI {low:.4f} to 1.0000;" in e.report()
    assert high == 1.0


@pytest.mark.parametrize(
    ("value", "error", "apart", "text"),
    [
        (0.99996, 0.034, (), "0.99996"),
        (0.99996, 0.0, (), "0.99996"),
        (1.0, 0.034, (), "1.000"),
        (1.0 - 1e-15, 0.034, (), "1.000"),
        (-0.0004, 0.02, (), "-0.0004"),
        (0.0, 0.02, (), "0.000"),
        (2.8e-17, 0.02, (), "0.000"),
        (0.82342, 0.0123, (0.82338,), "0.82342"),
        (0.82342, 0.0123, (0.82342,), "0.823"),
        (0.0014103, 2e-5, (), "0.001410"),
        (1234.5, 45.0, (), "1234"),
    ],
)
def test_rounded_numbers_do_not_equal_a_distinct_value(value, error, apart, text):
    assert fmt.number(value, error, distinct_from=apart) == text


def test_narrow_intervals_in_cells_have_more_decimals():
    counts = pauci.Sample.from_counts([2, 1], [700_000, 300_000], [200_000, 800_000])
    points = pauci.operating_points(counts)
    row = points.summary().splitlines()[4]
    assert "0.70000 (0.69910-0.70090)" in row
    few = pauci.operating_points(ratings()).summary()
    assert re.search(r" 0\.\d{3} \(0\.\d{3}-0\.\d{3}\)", few)


def test_reader_studies_fits_and_bands_have_digits_of_the_standard_error():
    fit = pauci.fit_binormal(ratings())
    assert f"AUC {fit.auc:.{fmt.decimals_of(fit.auc_se)}f} (SE" in fit.report()
    band = pauci.band(sample("svm"), fpr=(0, 0.2))
    cells = band.summary().splitlines()[8].split()
    assert {len(cell.partition(".")[2]) for cell in cells[1:]} == {2}


@pytest.mark.parametrize(
    ("bound", "digits"),
    [
        (0.0012, "0.0012"),
        (0.00121, "0.0013"),
        (0.7, "0.7"),
        (0.701, "0.71"),
        (0.994, "1"),
        (3.0, "3"),
        (3.0001, "3.1"),
        (1e-9, "1e-09"),
        (1.01e-9, "1.1e-09"),
        (0.1 + 0.2, "0.3"),
    ],
)
def test_bounds_are_rounded_up_to_two_digits_except_for_rounding_errors(bound, digits):
    assert fmt.rounded_up(bound) == digits
    assert float(digits) >= bound * (1.0 - 1e-9)


def test_the_last_bit_does_not_decide_how_a_number_is_rounded():
    from pauci.tables import number_format as fmt

    for value in (0.8925, 0.0005, 0.1235, 12.3455):
        texts = {fmt.fixed(v, 3) for v in (value, np.nextafter(value, 1), np.nextafter(value, 0))}
        assert len(texts) == 1
        assert {fmt.number(v, 0.02) for v in (value, np.nextafter(value, 1))} == {
            fmt.number(value, 0.02)
        }
    assert fmt.fixed(0.8924999, 3) == "0.892"
    assert fmt.fixed(0.8925001, 3) == "0.893"


def test_one_is_singular():
    from pauci.report.data_description import further_results
    from pauci.sample.rows import DataSizes

    assert str(DataSizes(1, 2, 1)) == "1 positive, 2 negatives in 1 cluster"
    assert further_results(1).startswith("1 further result is")
    assert further_results(1200).startswith("1,200 further results are")
