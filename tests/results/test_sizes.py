"""The numbers of rows, classes and clusters in results."""

import numpy as np
import pandas as pd
import pytest

import pauci


def test_zero_weight_and_dropped_rows_are_reported():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"y": [0, 1] * 20, "s": rng.normal(size=40) + [0, 1] * 20, "w": 1.0})
    frame.loc[:1, "s"] = np.nan
    frame.loc[5:5, "w"] = 0.0
    with pytest.warns(pauci.errors.MissingRowsWarning):
        sample = pauci.Sample.from_frame(frame, "y", "s", weight="w", drop_missing=True)
    e = pauci.estimate(sample, pauci.AUC())
    assert (e.excluded.dropped, e.excluded.uncounted) == (2, 1)
    words = "; 1 row of weight or frequency 0 not counted; 2 rows with missing values dropped"
    assert words in " ".join(e.summary().split())
    whole = pauci.estimate(pauci.Sample([0, 1] * 9, range(18)), pauci.AUC())
    assert "dropped" not in whole.report() + whole.summary()


def test_weights_are_stated_with_clusters():
    y, row = np.arange(80) % 2, np.arange(80)
    score = y + np.random.default_rng(1).normal(size=80)
    sample = pauci.Sample(y, score, cluster=row // 4, weight=1.0 + row % 3)
    by_group = pauci.estimate(sample, pauci.AUC(), by=row // 4 < 6)
    for result in (pauci.estimate(sample, pauci.AUC()), by_group):
        text = " ".join(result.summary().split())
        assert "in 20 clusters, weighted, cluster-robust standard errors" in text
    joined = " ".join(pauci.join([by_group, by_group]).summary().split())
    assert "Weighted; n counts rows; cluster-robust standard errors." in joined


def test_operating_points_state_the_direction_of_scores():
    y, s = [1] * 9 + [0] * 9, [*range(3, 12), *range(9, 18)]
    lower = pauci.operating_points(pauci.Sample(y, s, lower_is_positive=True))
    assert "score <= 9" in lower.summary()
    assert lower.points[0].threshold == 3
    mirrored = pauci.operating_points(pauci.Sample(y, -np.array(s)))
    assert "score >= -9" in mirrored.summary()
    np.testing.assert_array_equal([p[1:] for p in lower], [p[1:] for p in mirrored])
    assert [p.threshold for p in lower] == [-p.threshold for p in mirrored]
    picked = pauci.operating_points(pauci.Sample(y, s, lower_is_positive=True), thresholds=[5.5])
    assert picked.points[0].true_positives == 3
