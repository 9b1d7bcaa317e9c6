"""Results by group are those of pandas for rows in any type of frame."""

import functools

import numpy as np
import pytest

import pauci
from backend_frames import EAGER, LAZY, rows
from pauci.sample import from_frame

pytestmark = [pytest.mark.backend, pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")]

MEASURES = [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.2)), pauci.AP()]
BY = ("sex", "site", "vip")
DESIGNS = {
    "plain": {"scores": "a"},
    "paired": {"scores": ["a", "b"]},
    "frequency": {"scores": ["a", "b"], "frequency": "f"},
    "weight": {"scores": ["a", "b"], "weight": "w"},
    "cluster": {"scores": ["a", "b"], "cluster": "patient"},
    "lower": {"scores": ["a", "b"], "lower_is_positive": ["b"]},
}


def grouped_rows(missing=False):
    """Return rows with groups named by strings, whole numbers and booleans."""
    frame = rows()
    rng = np.random.default_rng(2)
    frame["sex"] = rng.choice(["F", "M"], len(frame))
    frame["site"] = rng.integers(0, 4, len(frame))
    frame["vip"] = rng.random(len(frame)) < 0.5
    if missing:
        frame.loc[frame.index % 50 == 3, "sex"] = None
    return frame


def sample_of(frame, **options):
    return pauci.Sample.from_frame(frame, "y", **options)


def same(found, expected):
    """Check that results by group, and their gaps, are equal."""
    assert found.groups == expected.groups
    assert [type(g) for g in found.groups] == [type(g) for g in expected.groups]
    pairs = [(found, expected), (found.overall, expected.overall), (found.gaps, expected.gaps)]
    for family, other in pairs:
        np.testing.assert_allclose(
            [q.value for q in family], [q.value for q in other], rtol=1e-12, atol=1e-14
        )
        np.testing.assert_allclose(
            family.cov, other.cov, rtol=1e-12, atol=1e-12 * other.cov.diagonal().max()
        )
        np.testing.assert_allclose([q.df for q in family], [q.df for q in other], rtol=1e-10)


def results_by(sample, by):
    """Return estimates by group and, of several classifiers, differences."""
    options = {"by": by, "reference": "overall" if by == "site" else None}
    results = [pauci.estimate(sample, MEASURES, **options)]
    if len(sample) > 1:
        results.append(pauci.compare(sample, MEASURES[1], **options))
    return results


@functools.cache
def results_in_memory(design, by):
    return results_by(sample_of(grouped_rows(), group=list(BY), **DESIGNS[design]), by)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("backend", [*EAGER, *LAZY])
def test_several_groupings_on_every_engine(backend, design):
    frame = (EAGER | LAZY)[backend](grouped_rows())
    sample = sample_of(frame, group=list(BY), **DESIGNS[design])
    for by in BY:
        for found, expected in zip(
            results_by(sample, by), results_in_memory(design, by), strict=True
        ):
            same(found, expected)
            if (design, by) == ("plain", "sex"):  # a summary adjusts p-values, which takes long
                assert found.summary() == expected.summary()


@pytest.mark.parametrize("backend", LAZY)
def test_rows_without_a_group(backend):
    frame = grouped_rows(missing=True)
    on_engine = LAZY[backend](frame)
    with pytest.raises(pauci.InputError, match="column 'sex' has 24 missing values"):
        sample_of(on_engine, scores="a", group="sex")
    sample, expected = (
        sample_of(f, scores=["a", "b"], group=["sex", "site"], drop_missing=True)
        for f in (on_engine, frame)
    )
    assert sample.rows.dropped == expected.rows.dropped == 24
    for by in ("sex", "site"):
        same(*(pauci.estimate(s, MEASURES, by=by) for s in (sample, expected)))


@pytest.mark.parametrize("backend", ["polars lazy", "duckdb"])
@pytest.mark.parametrize(
    ("column", "message"), [("y", "equals the labels"), ("one", "all rows into one group")]
)
def test_groups_that_cannot_be_compared(backend, column, message):
    frame = grouped_rows().assign(one="x")
    frame["group"] = frame[column]
    with pytest.raises(pauci.InputError, match=message):
        sample_of(LAZY[backend](frame), scores="a", group="group")


@pytest.mark.parametrize("backend", ["polars", "polars lazy", "duckdb"])
def test_ordered_groups_are_in_the_order_of_their_categories(backend):
    frame = grouped_rows()
    frame["age"] = np.resize(["young", "middle", "old"], len(frame))
    read = (EAGER | LAZY)[backend](frame)
    if backend == "duckdb":
        read = read.project("y, a, age::ENUM('young', 'middle', 'old') AS age")
    else:
        polars = pytest.importorskip("polars")
        read = read.with_columns(polars.col("age").cast(polars.Enum(["young", "middle", "old"])))
    result = pauci.estimate(sample_of(read, scores="a", group="age"), pauci.AUC(), by="age")
    assert result.groups == ["young", "middle", "old"]


@pytest.mark.parametrize("backend", ["polars lazy", "duckdb"])
@pytest.mark.parametrize("kind", ["array", "masks"])
def test_arrays_do_not_fit_the_rows_of_a_backend(backend, kind):
    frame = grouped_rows()
    sample = sample_of(LAZY[backend](frame), scores="a")
    women = (frame["sex"] == "F").to_numpy()
    by = women if kind == "array" else {"women": women, "men": ~women}
    with pytest.raises(pauci.InputError, match="must name a grouping") as caught:
        pauci.estimate(sample, pauci.AUC(), by=by)
    assert "group= to Sample.from_frame" in caught.value.hint


def test_objects_have_the_ranks_of_their_order():
    """Rows are sorted by them, so that draws do not depend on the order of an engine."""
    values = np.array(["b", "a", "c", "a"], dtype=object)
    assert from_frame._ranks(values).tolist() == [1, 0, 2, 0]
