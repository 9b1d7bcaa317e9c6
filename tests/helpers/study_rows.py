"""Rows of small validation studies with known counts."""

import pandas as pd

import run
import study_cells


def cell(**given):
    """Return a row of a study: 1,000 silent samples with a coverage of 95%."""
    row = {
        "kind": "estimates",
        "population": "binormal",
        "n_pos": 200,
        "n_neg": 200,
        "design": "case-control",
        "second": "",
        "correlation": 0.0,
        "detail": "",
        "measure": "AUC()",
        "inside_pos": 200,
        "inside_neg": 200,
        "truth": 0.85,
        "replicates": 1000,
        "undefined": 0,
        "coverage": 95,
        "truth_below": 2.5,
        "truth_above": 2.5,
        "bias_in_sd": 0,
        "se_to_sd": 1,
        "width": 0.1,
        "median_width": 0.1,
        "warned": 0,
        "unwarned_coverage": 95,
        "warnings": "",
        "kind_of_interval": "logit",
        "rejected": "",
        "unwarned_rejected": "",
        "wald_rejected": "",
        "p_is_1": "",
    }
    assert list(row) == list(run.COLUMNS)
    return row | given


def cells(*rows):
    return study_cells.prepared(pd.DataFrame(list(rows)))


def a_test(**given):
    return cell(**{"kind": "tests", "second": "same", "correlation": 0.5, "truth": 0} | given)
