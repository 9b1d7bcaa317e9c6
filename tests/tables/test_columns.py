"""Every column of a data frame is described in one place."""

import pytest

from described_columns import COLUMNS
from tabular_results import MAKERS, result


@pytest.mark.parametrize("name", MAKERS)
def test_every_column_of_a_frame_is_described(name):
    document = result(name).to_dict()
    rows = [*document["rows"], *(r for part in document.get("parts", {}).values() for r in part)]
    assert {column for row in rows for column in row} <= set(COLUMNS)


def test_descriptions_are_sentences():
    for meaning in COLUMNS.values():
        assert meaning.endswith(".")
        assert meaning[0].isupper() or meaning.startswith("p-value")
