"""Every column of a data frame is described in one place."""

import pytest

from pauci.tables.described_columns import COLUMNS
from pauci.tables.table import plain
from tabular_results import MAKERS, result


@pytest.mark.parametrize("name", MAKERS)
def test_every_column_of_a_frame_is_described(name):
    document = result(name).to_dict()
    rows = [*document["rows"], *(r for part in document.get("parts", {}).values() for r in part)]
    assert {column for row in rows for column in row} <= set(COLUMNS)


def test_descriptions_are_sentences_and_headings_are_short():
    for name, column in COLUMNS.items():
        assert column.meaning.endswith(".")
        assert column.meaning[0].isupper() or column.meaning.startswith("p-value")
        assert 0 < len(plain(column.heading)) < 30, name
