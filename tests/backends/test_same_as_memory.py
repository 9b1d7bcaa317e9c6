"""The results are those of pandas for rows in any type of frame."""

import functools

import numpy as np
import pandas as pd
import pytest

import pauci
from backend_frames import (
    DESIGNS,
    EAGER,
    ESTIMATED_WEIGHTS,
    LAZY,
    followed_up,
    on_backend,
    rows,
)
from pauci.backends import aggregate
from pauci.sample import from_backend

pytestmark = [pytest.mark.backend, pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")]

MEASURES = (
    pauci.AUC(),
    pauci.PAUCc(fpr=(0, 0.2)),
    pauci.PAUC(tpr=(0.5, 1)),
    pauci.LocalC(fpr=(0.1, 0.6)),
    pauci.AP(prevalence=0.2),
    pauci.AUK(),
    pauci.PAUCc(threshold=(0.5, 1.5)),
)


def sample_of(frame, design):
    given = {"label": "y", "positive": None} | DESIGNS[design]
    return pauci.Sample.from_frame(frame, **given)


@functools.cache
def in_memory(design):
    return sample_of(rows(), design)


def results(sample, measures=MEASURES):
    """Return estimates and, of several classifiers, differences."""
    estimates = pauci.estimate(sample, list(measures), force=True)
    return estimates, pauci.compare(sample, MEASURES[1:2], force=True) if len(sample) > 1 else ()


@functools.cache
def results_in_memory(design, measures=MEASURES):
    return results(in_memory(design), measures)


def same(found, expected):
    """Check that results are equal."""
    for family, others in zip(found, expected, strict=True):
        for q, other in zip(family, others, strict=True):
            assert q.value == pytest.approx(other.value, rel=1e-12, abs=1e-15)
            assert q.se == pytest.approx(other.se, rel=1e-12)
            assert q.df == pytest.approx(other.df, rel=1e-10)
            assert q.interval() == pytest.approx(other.interval(), rel=1e-12)
    np.testing.assert_allclose(found[0].cov, expected[0].cov, rtol=1e-11, atol=1e-17)
    for e, other in zip(found[0], expected[0], strict=True):
        assert (e.n_pos, e.n_neg, e.uncounted) == (other.n_pos, other.n_neg, other.uncounted)
        assert e.units == pytest.approx(other.units, rel=1e-12)
        assert e.region.threshold == other.region.threshold


@pytest.fixture
def _small_tables(monkeypatch):
    """Make joint tables too large, but not the tables of one classifier."""
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 350)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("backend", [*EAGER, *LAZY])
def test_every_engine_and_design(backend, design):
    sample = sample_of((EAGER | LAZY)[backend](rows()), design)
    assert repr(sample) == repr(in_memory(design))
    same(results(sample), results_in_memory(design))


@pytest.mark.usefixtures("_small_tables")
@pytest.mark.parametrize("design", [d for d in DESIGNS if d != "folds"])
@pytest.mark.parametrize("backend", LAZY)
def test_two_passes_over_rows_on_a_backend(backend, design):
    sample, expected = sample_of(LAZY[backend](rows()), design), in_memory(design)
    joint = isinstance(DESIGNS[design]["scores"], list) or len(DESIGNS[design]) > 1
    assert on_backend(sample) or not joint or design in ("booleans", "all lower")
    assert repr(sample) == repr(expected)
    assert sample.prevalence == pytest.approx(expected.prevalence, rel=1e-13)
    assert sample.rows.effective_units == pytest.approx(expected.rows.effective_units, rel=1e-12)
    some = MEASURES[1:3] + MEASURES[4:5]
    same(results(sample, some), results_in_memory(design, some))


@pytest.mark.parametrize("design", ESTIMATED_WEIGHTS)
@pytest.mark.parametrize("backend", LAZY)
def test_rows_with_estimated_weights_are_loaded(backend, design):
    read, frame = ESTIMATED_WEIGHTS[design], followed_up()
    sample, expected = read(LAZY[backend](frame)), read(frame)
    assert repr(sample) == repr(expected)
    found, here = (pauci.compare(s, list(MEASURES[:2])) for s in (sample, expected))
    for c, other in zip(found, here, strict=True):
        numbers = other.difference, other.se, other.df
        assert (c.difference, c.se, c.df) == pytest.approx(numbers, rel=1e-13)


def _calls(every, clusters, paired):
    """Yield calls that require single rows, for samples of all designs."""
    bootstrap, both = pauci.Bootstrap(99, rng=1), [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.2))]
    return [
        lambda: pauci.estimate(every, both, variance=bootstrap),
        lambda: pauci.estimate(clusters, both, variance=bootstrap),
        lambda: pauci.estimate(clusters, pauci.AUC(), variance=pauci.Jackknife()),
        lambda: pauci.compare(paired, both, variance=bootstrap),
        lambda: pauci.compare(paired, pauci.AUC(), variance="delta"),
        lambda: pauci.permutation_test(paired, pauci.AUC(), n_resamples=99, rng=1),
        lambda: pauci.band(clusters, fpr=(0, 0.3)),
    ]


@pytest.mark.usefixtures("_small_tables")
@pytest.mark.parametrize("backend", LAZY)
@pytest.mark.long
def test_methods_that_require_single_rows_load_them(backend, monkeypatch):
    def samples():
        frame = LAZY[backend](rows())
        return [sample_of(frame, design) for design in ("all", "cluster", "paired")]

    away = samples()
    assert all(on_backend(sample) for sample in away)
    found = [call().to_frame() for call in _calls(*away)]
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 10_000)
    here = samples()
    assert not any(on_backend(sample) for sample in here)
    for frame, call in zip(found, _calls(*here), strict=True):
        pd.testing.assert_frame_equal(frame, call().to_frame(), rtol=1e-12)


@pytest.mark.usefixtures("_small_tables")
@pytest.mark.parametrize("backend", LAZY)
def test_too_many_rows_to_load_are_an_error(backend, monkeypatch):
    monkeypatch.setattr(from_backend, "MAX_ROWS", 600)
    away = [sample_of(LAZY[backend](rows()), design) for design in ("all", "cluster", "paired")]
    for call in _calls(*away):
        said = "requires single rows, but the 1,200 rows.*variance='influence'.*random sample"
        with pytest.raises(pauci.InputError, match=said) as refused:
            call()
        assert "resolution" not in str(refused.value)


@pytest.mark.usefixtures("_small_tables")
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("backend", LAZY)
def test_samples_come_into_memory(backend, design):
    away = sample_of(LAZY[backend](rows()), design)
    here = away.in_memory()
    assert not on_backend(here)
    assert here.in_memory() is here
    assert repr(here) == repr(away)
    same(results(here), results_in_memory(design))
    name = away.names[-1]
    assert away[name].in_memory().names == (name,)


@pytest.mark.parametrize("backend", LAZY)
@pytest.mark.long
def test_cells_come_into_memory_as_cells(backend, monkeypatch):
    frame = rows(digits=6)
    given = {"label": "y", "scores": ["a", "b"], "cluster": "ward", "lower_is_positive": "b"}
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 350)
    away = pauci.Sample.from_frame(LAZY[backend](frame), **given, resolution=5)
    assert on_backend(away)
    same(results(away.in_memory()), results(away))
    bounds = [
        [e.resolution_bound for e in pauci.estimate(s, pauci.AUC(), force=True)]
        for s in (away, away.in_memory())
    ]
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-12)
    assert min(bounds[0]) > 0.0


@pytest.mark.parametrize("backend", LAZY)
def test_sorted_scores_come_into_memory(backend, monkeypatch):
    frame = rows(digits=6)
    given = {"label": "y", "scores": ["a", "b"], "weight": "w", "lower_is_positive": "b"}
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 350)
    away = pauci.Sample.from_frame(LAZY[backend](frame), **given, resolution="exact")
    assert on_backend(away)
    same(results(away.in_memory()), results(pauci.Sample.from_frame(frame, **given)))


def test_categories_with_sorted_scores_are_loaded(monkeypatch):
    polars = pytest.importorskip("polars")
    grades = polars.Enum(["no", "little", "some", "much"])
    frame = polars.DataFrame(rows(digits=6)).with_columns(
        polars.Series("grade", np.random.default_rng(2).integers(0, 4, 1200)).replace_strict(
            dict(enumerate(grades.categories)), return_dtype=grades
        )
    )
    expected = pauci.Sample.from_frame(frame, "y", ["a", "grade"])
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 350)
    away = pauci.Sample.from_frame(frame.lazy(), "y", ["a", "grade"], resolution="exact")
    assert on_backend(away)
    same(*(results(s, MEASURES[:-1]) for s in (away.in_memory(), expected)))
    assert away.in_memory().ratings("grade").categories == expected.ratings("grade").categories


@pytest.mark.parametrize("backend", LAZY)
def test_negative_zeros_are_grouped_with_zeros(backend, monkeypatch):
    """Some backends would distinguish them in joins with the tables of keys."""
    tables, marginal = [], aggregate.Counting.marginal

    def kept(counting, i, **options):
        tables.append(marginal(counting, i, **options))
        return tables[-1]

    monkeypatch.setattr(aggregate.Counting, "marginal", kept)
    frame = rows()
    assert np.signbit(frame["a"][frame["a"] == 0]).any()
    sample_of(LAZY[backend](frame), "paired")
    for table, name in zip(tables, "ab", strict=True):
        assert not np.signbit(table.key[table.key == 0]).any()
        assert len(table.key) == len(frame[["y", name]].drop_duplicates())


AT_CUTOFFS = [
    pauci.Sensitivity(threshold=0.5),
    pauci.PPV(threshold=0.5),
    pauci.Kappa(threshold=1),
    pauci.F(threshold=1, prevalence=0.2),
    pauci.Specificity(sensitivity=0.83),
    pauci.PPV(sensitivity=0.9),
]


@pytest.mark.usefixtures("_small_tables")
@pytest.mark.parametrize(
    ("backend", "design"),
    [
        ("polars lazy", "cluster"),
        *(
            pytest.param(*case, marks=pytest.mark.long)
            for case in (("duckdb", "all"), ("polars lazy", "weight"), ("dask", "all"))
        ),
    ],
)
def test_limits_of_dependent_rows_on_a_backend(backend, design):
    sample, expected = sample_of(LAZY[backend](rows()), design), in_memory(design)
    assert on_backend(sample)
    estimates, others = (pauci.estimate(s, AT_CUTOFFS) for s in (sample, expected))
    for e, other in zip(estimates, others, strict=True):
        assert e.kind_used() == other.kind_used() in ("mid-p", "profile")
        assert e.interval() == pytest.approx(other.interval(), rel=1e-9, abs=1e-12)
        assert e.test(0.4).pvalue == pytest.approx(other.test(0.4).pvalue, rel=1e-7, abs=1e-12)
    found, points = (
        pauci.operating_points(s[s.names[0]], thresholds=[0.5, 1.0]).to_frame()
        for s in (sample, expected)
    )
    numbers = found.select_dtypes("number")
    np.testing.assert_allclose(numbers, points[numbers.columns], rtol=1e-9, atol=1e-12)
