"""The results are those of pandas for rows in any type of frame."""

import numpy as np
import pandas as pd
import pytest

import pauci
from backend_frames import DESIGNS, EAGER, LAZY, on_backend, rows
from pauci.backends import aggregate
from pauci.sample import from_backend

pytestmark = [pytest.mark.backend, pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")]

MEASURES = [
    pauci.AUC(),
    pauci.PAUCc(fpr=(0, 0.2)),
    pauci.PAUC(tpr=(0.5, 1)),
    pauci.LocalC(fpr=(0.1, 0.6)),
    pauci.AP(prevalence=0.2),
    pauci.AUK(),
    pauci.PAUCc(threshold=(0.5, 1.5)),
]


def sample_of(frame, design):
    given = {"label": "y", "positive": None} | DESIGNS[design]
    return pauci.Sample.from_frame(frame, **given)


def same(sample, expected, measures=MEASURES):
    estimates, others = (pauci.estimate(s, measures, force=True) for s in (sample, expected))
    np.testing.assert_allclose(
        [e.value for e in estimates], [e.value for e in others], rtol=1e-12, atol=1e-15
    )
    np.testing.assert_allclose(estimates.cov, others.cov, rtol=1e-11, atol=1e-17)
    for e, other in zip(estimates, others, strict=True):
        assert e.se == pytest.approx(other.se, rel=1e-12)
        assert e.df == pytest.approx(other.df, rel=1e-10)
        assert e.interval() == pytest.approx(other.interval(), rel=1e-12)
        assert (e.n_pos, e.n_neg, e.uncounted) == (other.n_pos, other.n_neg, other.uncounted)
        assert e.units == pytest.approx(other.units, rel=1e-12)
        assert e.region.threshold == other.region.threshold
    if len(sample) > 1:
        measure = pauci.PAUCc(fpr=(0, 0.2))
        c, other = (pauci.compare(s, measure, force=True) for s in (sample, expected))
        assert c.se == pytest.approx(other.se, rel=1e-12)
        assert c.df == pytest.approx(other.df, rel=1e-10)
        assert c.pvalue == pytest.approx(other.pvalue, rel=1e-10)


@pytest.fixture
def _small_tables(monkeypatch):
    """Make joint tables too large, but not the tables of one classifier."""
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 350)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("backend", [*EAGER, *LAZY])
def test_every_engine_and_design(backend, design):
    frame = rows()
    sample = sample_of((EAGER | LAZY)[backend](frame), design)
    expected = sample_of(frame, design)
    assert repr(sample) == repr(expected)
    same(sample, expected)


@pytest.mark.usefixtures("_small_tables")
@pytest.mark.parametrize("design", [d for d in DESIGNS if d != "folds"])
@pytest.mark.parametrize("backend", LAZY)
def test_two_passes_over_rows_on_a_backend(backend, design):
    frame = rows()
    sample = sample_of(LAZY[backend](frame), design)
    expected = sample_of(frame, design)
    joint = isinstance(DESIGNS[design]["scores"], list) or len(DESIGNS[design]) > 1
    assert on_backend(sample) or not joint or design in ("booleans", "all lower")
    assert repr(sample) == repr(expected)
    assert sample.prevalence == pytest.approx(expected.prevalence, rel=1e-13)
    assert sample.rows.effective_units == pytest.approx(expected.rows.effective_units, rel=1e-12)
    same(sample, expected, MEASURES[1:3] + MEASURES[4:5])


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
    frame = rows()
    away = sample_of(LAZY[backend](frame), design)
    here = away.in_memory()
    assert not on_backend(here)
    assert here.in_memory() is here
    assert repr(here) == repr(away)
    same(here, sample_of(frame, design))
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
    same(away.in_memory(), away)
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
    same(away.in_memory(), pauci.Sample.from_frame(frame, **given))


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
    same(away.in_memory(), expected, MEASURES[:-1])
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
    [("duckdb", "all"), ("polars lazy", "cluster"), ("polars lazy", "weight"), ("dask", "all")],
)
@pytest.mark.long
def test_limits_of_dependent_rows_on_a_backend(backend, design):
    frame = rows()
    sample, expected = sample_of(LAZY[backend](frame), design), sample_of(frame, design)
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
