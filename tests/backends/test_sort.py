"""All distinct scores, sorted by the backend if their table is too large."""

import functools

import numpy as np
import pytest

import pauci
from backend_frames import LAZY, on_backend, rows
from pauci.backends import aggregate

pytestmark = [pytest.mark.backend, pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")]

DESIGNS = {
    "plain": {"scores": "a"},
    "lower": {"scores": "a", "lower_is_positive": True},
    "paired": {"scores": ["a", "rating"]},
    "weight": {"scores": "a", "weight": "w", "frequency": "f"},
    "cluster": {"scores": ["a", "b"], "cluster": "ward", "design": "case-control"},
}
MEASURES = [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.2)), pauci.AP(), pauci.PAUCc(threshold=(0.3, 1.4))]


def measures_of(design):
    return MEASURES[:3] if design == "lower" else MEASURES


@functools.cache
def in_memory(design):
    sample = pauci.Sample.from_frame(rows(900, digits=6), "y", **DESIGNS[design])
    return sample, pauci.estimate(sample, measures_of(design))


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("backend", LAZY)
def test_exact_beyond_the_largest_table(monkeypatch, backend, design):
    expected, others = in_memory(design)
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 300)
    frame = LAZY[backend](rows(900, digits=6))
    sample = pauci.Sample.from_frame(frame, "y", resolution="exact", **DESIGNS[design])
    assert on_backend(sample)
    assert repr(sample) == repr(expected)
    estimates = pauci.estimate(sample, measures_of(design))
    for e, other in zip(estimates, others, strict=True):
        assert e.value == pytest.approx(other.value, rel=1e-12)
        assert e.se == pytest.approx(other.se, rel=1e-12)
        assert e.df == pytest.approx(other.df, rel=1e-10)
        assert e.resolution_bound == 0.0
    np.testing.assert_allclose(estimates.cov, others.cov, rtol=1e-10, atol=1e-17)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("kind", ["bool", "uint64", "int8", "small uint64"])
@pytest.mark.parametrize("backend", LAZY)
def test_sorted_whole_numbers_of_all_types(monkeypatch, backend, kind, lower):
    frame = rows(300)
    whole = frame["rating"].astype("int64")
    frame["s"] = {
        "bool": whole > 3,
        "uint64": whole.astype("uint64") + np.uint64(2**63),
        "int8": (whole - 4).astype("int8"),
        "small uint64": whole.astype("uint64"),
    }[kind]
    given = {"label": "y", "scores": ["s", "a"], "lower_is_positive": ["s"] if lower else False}
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 2)
    if kind == "uint64" and lower:
        with pytest.raises(pauci.InputError, match="its negative is not a 64-bit integer"):
            pauci.Sample.from_frame(LAZY[backend](frame), resolution="exact", **given)
        return
    sample = pauci.Sample.from_frame(LAZY[backend](frame), resolution="exact", **given)
    expected = pauci.Sample.from_frame(frame, **given)
    c, other = (pauci.compare(s, pauci.PAUCc(fpr=(0, 0.4))) for s in (sample, expected))
    assert c.difference == pytest.approx(other.difference, rel=1e-12)
    assert c.se == pytest.approx(other.se, rel=1e-12)


@pytest.mark.parametrize("backend", LAZY)
def test_too_many_scores_are_detected_in_the_first_rows(monkeypatch, backend):
    """A table of all scores is computed only if the first rows are not decisive."""
    frame = rows(20_000, digits=9)
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 2000)
    collect, answers = aggregate.collect_table, []

    def collect_table(*args):
        answers.append(collect(*args))
        return answers[-1]

    monkeypatch.setattr(aggregate, "collect_table", collect_table)
    pauci.Sample.from_frame(LAZY[backend](frame), label="y", scores="a")
    assert answers
    assert all(table is not None for table in answers)


@pytest.mark.parametrize("resolution", [None, "exact"])
def test_distinct_first_rows_are_accepted(monkeypatch, resolution):
    frame = rows(2000, digits=9)
    frame["a"] = np.append(frame["a"][:1000], np.tile(frame["a"][:50], 20))
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 1400)
    given = {"label": "y", "scores": "a"}
    found, expected = (
        pauci.estimate(pauci.Sample.from_frame(f, **given, **more), pauci.AUC())
        for f, more in ((LAZY["duckdb"](frame), {"resolution": resolution}), (frame, {}))
    )
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    assert found.se == pytest.approx(expected.se, rel=1e-12)
