"""Samples that have rows in common are compared as independent only with a warning."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pauci

AUC = pauci.AUC()
N = 400


def frame(seed, n=N, prevalence=0.4, digits=None, levels=None):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prevalence).astype(int)
    s, t = (y + rng.normal(size=n) for _ in "st")
    if digits is not None:
        s, t = s.round(digits), t.round(digits)
    if levels is not None:
        s, t = (np.clip(np.round(x * levels / 4 + levels / 2), 1, levels) for x in (s, t))
    return pd.DataFrame({"y": y, "s": s, "t": t, "x": rng.normal(size=n)})


def sample(data, score="s", **options):
    return pauci.Sample(data["y"], data[score], **options)


def messages(*samples, call=pauci.compare, **options):
    arguments = () if call is pauci.band else (AUC,)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(list(samples), *arguments, **options)
    return [str(w.message) for w in caught if issubclass(w.category, pauci.errors.UnpairedWarning)]


F = frame(1)
SLICE = F[F["x"] > 0.3]


@pytest.mark.parametrize("call", [pauci.compare, pauci.estimate, pauci.band])
@pytest.mark.parametrize("as_arrays", [False, True])
def test_a_slice_against_all_rows(call, as_arrays):
    pair = [F, SLICE.sample(frac=1, random_state=0)]
    pair = [sample(d.reset_index(drop=True) if as_arrays else d) for d in pair]
    for some in (pair, pair[::-1]):
        [message] = messages(*some, call=call)
        assert f"samples 1 and 2 seem to have about {len(SLICE)} rows in common" in message
        assert ("score and label" if as_arrays else "index and label") in message
        assert "shared_clusters=True" in message
        assert not messages(*some, call=call, independent=True)


def test_the_remedy_of_the_warning_is_correct_for_nested_samples():
    """The difference of a mean over all rows and over a part depends on the covariance."""
    apart = [sample(d) for d in (F, SLICE)]
    with pytest.warns(pauci.errors.UnpairedWarning):
        independent = pauci.compare(apart, AUC)
    shared = [sample(d, cluster=d.index) for d in (F, SLICE)]
    both = pauci.compare(shared, AUC, shared_clusters=True)
    assert not messages(*shared, shared_clusters=True)
    assert both.difference == independent.difference
    assert both.se < 0.9 * independent.se


def test_two_models_on_overlapping_sets():
    first, second = F.iloc[:300], F.iloc[150:]
    [message] = messages(sample(first), sample(second, "t"))
    assert "about 150 rows in common" in message
    texts = [d.set_axis([f"p{i}" for i in d.index]) for d in (first, second)]
    assert messages(*(sample(d, score) for d, score in zip(texts, "st", strict=True)))
    levels = [
        d.set_index(pd.MultiIndex.from_arrays([d.index % 7, d.index])) for d in (first, second)
    ]
    assert messages(*(sample(d, score) for d, score in zip(levels, "st", strict=True)))
    rows = [pauci.Sample.from_frame(d, "y", ["s", "t"]) for d in (first, second)]
    [message] = messages(*rows, call=pauci.estimate)
    assert "about 150 rows" in message
    fits = [pauci.fit_binormal(sample(d, score)) for d, score in ((first, "s"), (second, "t"))]
    assert messages(*fits)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"digits": 3},
        {"digits": 2},
        {"digits": 1},
        {"levels": 5},
        {"levels": 100},
        {"prevalence": 0.03, "n": 2000, "digits": 3},
        {"n": 40},
        {"n": 3000, "digits": 4},
    ],
)
def test_different_rows_do_not_warn(seed, options):
    first, second = frame(2 * seed + 10, **options), frame(2 * seed + 11, **options)
    some = second.iloc[: int(0.7 * len(second))]
    assert not messages(sample(first), sample(some))
    assert not messages(sample(first), sample(some), call=pauci.estimate)
    # Filters of different frames leave integer indexes that overlap.
    assert not messages(sample(first[first["x"] > 0]), sample(second[second["x"] < 0.5]))
    parts = [first[first["x"] > 0], first[first["x"] <= 0]]
    assert not messages(*(sample(d) for d in parts))
    assert not messages(*(sample(d.reset_index(drop=True)) for d in parts))
    ranks = [sample(d.assign(s=d["s"].rank(method="first"))) for d in (first, some)]
    assert not messages(*ranks)
    ordered = [sample(d.sort_values("y", ignore_index=True).iloc[1:]) for d in (first, some)]
    assert not messages(*ordered)


def test_zero_inflated_scores():
    rng = np.random.default_rng(4)
    data = [d.assign(s=np.where(rng.random(N) < 0.5, 0.0, d["s"])) for d in (frame(5), frame(6))]
    assert not messages(*(sample(d) for d in data))
    part = data[0].iloc[100:300].reset_index(drop=True)
    assert messages(sample(data[0]), sample(part))


def test_rows_of_large_samples_are_selected():
    data = frame(7, n=300_000)
    part = data[data["x"] > 1]
    for some in (part, part.reset_index(drop=True)):
        [message] = messages(sample(data), sample(some))
        number = int(message.partition("about ")[2].partition(" ")[0].replace(",", ""))
        assert number == pytest.approx(len(part), rel=0.1)
    other = frame(8, n=200_000)
    assert not messages(sample(data), sample(other))


def test_different_clusters_and_tables_are_not_checked():
    assert not messages(
        sample(F, cluster=np.arange(N)), sample(SLICE, cluster=N + np.arange(len(SLICE)))
    )
    counts = [sample(d, frequency=np.ones(len(d), int)) for d in (F, SLICE)]
    assert not messages(*counts)
