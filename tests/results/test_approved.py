"""Whole outputs of results: tables, notes and sentences, compared with files that were read.

After a change of the output, ``APPROVE=1 python -m pytest tests/results/test_approved.py`` writes
the files anew; read what differs before it is committed.
"""

import os
from pathlib import Path

import pytest

from tabular_results import result

APPROVED = Path(__file__).resolve().parent / "approved"

NAMES = [
    *["PooledEstimates", "PooledComparison", "PooledComparisons"],
    *["Estimate", "Estimates", "Comparison", "Comparisons", "JointTest", "OneSampleTest"],
    *["GroupEstimates", "GroupComparisons", "HeterogeneityTest", "Quantities", "joined"],
    *["ReaderAnalysis", "ReaderTable", "fixed readers", "u-statistic", "independent", "one-sided"],
    *["not adjusted", "max-t", "bootstrap", "jackknife", "delta", "thresholds", "lower", "weights"],
    *["clusters", "case-control", "perfect", "combination", "gap", "gaps", "many classifiers"],
    *["comparison in a group", "groups and all rows"],
]


@pytest.mark.parametrize("name", NAMES)
def test_the_output_is_that_which_was_approved(name):
    """The text table, the sentences, and the table in Markdown in the style of the AMA."""
    found, path = result(name), APPROVED / f"{name.replace(' ', '-')}.txt"
    texts = [found.summary(), found.report(), found.to_markdown(style="ama")]
    output = "\n\n".join(texts) + "\n"
    if os.environ.get("APPROVE"):
        path.write_text(output, encoding="utf-8")
    assert output == path.read_text(encoding="utf-8")
