"""Texts that are numbers, and ratings such as 4a."""

import numpy as np
import pytest

from pauci.number_texts import not_numbers, order_of_ratings


@pytest.mark.parametrize(
    "order",
    [
        ["2", "3", "4a", "4b", "4c", "5"],
        ["2", "3", "4A", "4B", "4C", "5"],
        ["9", "9b", "10", "10a", "11"],
        ["BI-RADS 2", "BI-RADS 4a", "BI-RADS 10"],
        ["I", "II", "IIF", "III", "IV", "V", "IX", "X"],
        ["4-", "4", "4+", "5-"],
        ["T1", "T2", "T4a", "T10"],
        ["1", "2", "3", "4A", "4B", "4X"],
    ],
)
def test_ratings_are_ordered_by_number_and_letter(order):
    rng = np.random.default_rng(len(order))
    cells = rng.permutation(np.repeat(np.array(order, dtype=object), 3)).tolist()
    cells = [int(cell) if cell.isdigit() else cell for cell in cells]
    assert order_of_ratings(cells) == order
    assert order_of_ratings([*cells, "unknown", "-", float("nan")]) == order


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "2", "3"] * 4,
        ["low", "mid", "high"] * 4,
        ["1.5a", "2.5", "3.5"] * 4,
        [f"{i}a" for i in range(1, 9)],
        ["2a", "2b"] * 4,
        ["A1", "B1", "A2"] * 4,
        [*["1a", "1b", "2"] * 4, *"uvwxyz"],
        ["site 1", "site 2", "site 3"] * 4,
        [1.5, None, 2.5],
        [],
    ],
)
def test_other_values_are_no_ratings(cells):
    assert order_of_ratings(cells) == []


def test_the_notation_of_most_texts_decides():
    assert not_numbers(["0,5", "1,25", "2.5"]) == {"2.5"}
    assert not_numbers(["0.5", "1.25", "2,5"]) == {"2,5"}
    assert not_numbers(["1.234,5", "2,5", "n.b.", "<3"]) == {"n.b.", "<3"}
    assert not_numbers(["5 %", "6%", "7"]) == {"7"}
    assert not_numbers(["5", "6", "7 %"]) == {"7 %"}
    assert not_numbers(["\u22125,5", "6,5"]) == set()
