"""Some 2,400 calls return their stored results.

Run with: python -m pytest -m frozen tests/frozen. If results are intended to change, `make.py`
stores the new ones.
"""

import copy

import pytest

import calls
import make
from records import differences

SIZE = 60
BATCHES = [
    pytest.param(range(1000 * v, 1000 * v + n)[i : i + SIZE], id=f"{name}-{i}")
    for v, (name, _, n) in enumerate(calls.VERBS)
    for i in range(0, n, SIZE)
]
"""Numbers of calls of one verb each."""


@pytest.mark.frozen
@pytest.mark.parametrize("numbers", BATCHES)
def test_results_are_the_stored_ones(numbers):
    found = make.check(numbers)
    words = [w for several in found.values() for w in several]
    head, _ = make.read()
    assert not words, "\n".join([*words[:20], f"{len(words)} in all; frozen with {head}"])


@pytest.mark.frozen
def test_all_calls_are_frozen_and_no_others():
    _, frozen = make.read()
    assert [*frozen] == calls.numbers()
    refused = sum(r["refused"] is not None for r in frozen.values())
    assert refused < 0.15 * len(frozen)


RECORD = {
    "words": "a call",
    "refused": None,
    "warnings": ["SmallRegionWarning"],
    "columns": {"frame": ["value", "pvalue"]},
    "values": {
        "frame.rows": 1,
        "frame[0].value": 0.8,
        "frame[0].pvalue": 1e-9,
        "kind": "logit",
        "se": float("nan"),
    },
}


def changed(**values):
    record = copy.deepcopy(RECORD)
    record["values"] |= values
    return record


def test_records_agree_within_rounding():
    assert differences(RECORD, RECORD) == []
    near = changed(**{"frame[0].value": 0.8 * (1 + 5e-10), "frame[0].pvalue": 1e-9 * (1 + 5e-8)})
    assert differences(RECORD, near) == []


def test_flat_likelihoods_have_their_own_tolerance():
    near = changed(**{"frame[0].value": 0.8 * (1 + 5e-8), "frame[0].pvalue": 1e-9 * (1 + 5e-8)})
    assert len(differences(RECORD, near)) == 1
    assert differences(RECORD, near, 1e-7) == []
    assert len(differences(RECORD, near, 1e-8)) == 1
    _, frozen = make.read()
    assert all("fit_proper" in frozen[number]["words"] for number in calls.FLAT)
    assert max(calls.FLAT.values()) <= 1e-3


def test_only_simultaneous_bands_have_the_tolerance_of_simulations():
    _, frozen = make.read()
    for number, tolerance in calls.SIMULATED.items():
        assert calls.verb_of(number) == "band"
        assert frozen[number]["values"]["frame[0].kind"] == "simultaneous"
        assert tolerance <= 2e-2


def test_columns_may_be_added_at_the_end():
    more = changed(**{"frame[0].new": 3, "frame.new sum": 5.0})
    more["columns"] = {"frame": ["value", "pvalue", "new"]}
    assert differences(RECORD, more) == []


@pytest.mark.parametrize(
    "other",
    [
        changed(**{"frame[0].value": 0.8 * (1 + 2e-9)}),
        changed(**{"frame[0].value": float("nan")}),
        changed(kind="wald"),
        changed(se=0.1),
        changed(new=1),
        {**RECORD, "refused": "InputError"},
        {**RECORD, "warnings": []},
        {**RECORD, "words": "another call"},
        {**RECORD, "values": {}},
        {**RECORD, "columns": {"frame": ["pvalue", "value"]}},
    ],
)
def test_differences_of_records_are_found(other):
    assert differences(RECORD, other)
