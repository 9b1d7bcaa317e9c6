"""Cautions of cells: those of the corresponding sample, and one warning for the study."""

import pickle
import re
import warnings

import numpy as np
import pytest

import pauci
from reader_studies import roe_metz, viper

FRAME = roe_metz(np.random.default_rng(3), 4, 40, 60, shift=(1.0, 1.0))


def study(frame=FRAME, **options):
    return pauci.ReaderStudy.from_frame(frame, **options)


def warnings_and_result(s, measure, **options):
    """Return the warnings and the result of `mrmc`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        m = pauci.mrmc(s, measure, **options)
    return [w.message for w in caught], m


def without(frame, reader, modality, label, keep):
    """Return a frame with only some cases of a class in one cell."""
    which = (frame["reader"] == reader) & (frame["modality"] == modality)
    which &= frame["label"] == label
    cases = np.sort(frame.loc[which, "case"].unique())[:keep]
    return frame[~which | frame["case"].isin(cases)]


def test_ordinary_studies_issue_no_warning():
    for measure in (pauci.AUC(), pauci.PAUCc(fpr=(0, 0.2)), pauci.AP(), pauci.AP(prevalence=0.4)):
        issued, m = warnings_and_result(study(), measure)
        assert issued == []
        assert m.cautions == ()
    assert "caution" not in m.summary()


def test_no_prevalence_is_refused():
    issued, m = warnings_and_result(study(), pauci.AP(prevalence=0.02))
    assert issued == []
    assert m.differences["se"].item() > 0


def test_cautions_are_kept_with_a_pickled_result():
    _, m = warnings_and_result(study(), pauci.PAUC(fpr=(0, 0.03)))
    assert len(m.cautions) == m.doubtful == 8
    assert "8 of 8 reader-modality pairs have warnings" in " ".join(m.summary().split())
    assert [str(c) for c in pickle.loads(pickle.dumps(m)).cautions] == [str(c) for c in m.cautions]


def test_the_initial_tpr_has_no_interval():
    issued, m = warnings_and_result(study(), pauci.InitialTPR())
    assert [type(w) for w in issued] == [pauci.errors.FewInfluentialWarning]
    assert m.differences[["low", "high", "pvalue"]].isna().all(axis=None)
    assert m.estimates[["low", "high"]].isna().all(axis=None)


def test_cautions_of_cells_are_those_of_samples():
    cell = FRAME[(FRAME["reader"] == "r0") & (FRAME["modality"] == "A")]
    sample = pauci.Sample(cell["label"], {"r0 (A)": cell["score"]})
    for measure in (pauci.PAUC(fpr=(0, 0.03)), pauci.PAUCx(tpr=(0.97, 1))):
        with pytest.warns(pauci.PauciWarning) as alone:
            pauci.estimate(sample, measure)
        _, m = warnings_and_result(study(), measure)
        assert str(alone[0].message) in [str(c) for c in m.cautions]


def test_small_regions_in_most_cells_issue_a_warning():
    issued, m = warnings_and_result(study(), pauci.PAUC(fpr=(0, 0.03)))
    (warning,) = issued
    assert isinstance(warning, pauci.errors.SmallRegionWarning)
    assert "All 8 reader-modality pairs are affected; most severe" in str(warning)
    assert "1.8 of 60 negatives are expected in FPR 0 to 0.03" in str(warning)
    smaller = study(without(FRAME, "r1", "A", 0, 20))
    issued, m = warnings_and_result(smaller, pauci.PAUC(fpr=(0, 0.03)))
    assert "of r1 (A): 0.6 of 20 negatives are expected" in str(issued[0])
    issued, m = warnings_and_result(smaller, pauci.PAUC(fpr=(0, 0.09)))
    assert issued == []
    assert [str(c).split(": ")[0] for c in m.cautions] == ["PAUC(fpr=(0, 0.09)) of r1 (A)"]
    assert m.doubtful == 1


def test_one_reader_with_reversed_scores_is_named():
    turned = FRAME.assign(score=FRAME["score"].where(FRAME["reader"] != "r3", -FRAME["score"]))
    issued, _ = warnings_and_result(study(turned), pauci.AUC())
    (warning,) = issued
    assert isinstance(warning, pauci.errors.ReversedScoresWarning)
    assert "2 of 8 reader-modality pairs, of 1 reader, are affected; most severe" in str(warning)
    assert "the AUC of r3 (" in str(warning)
    assert warning.hint.endswith("use lower_is_positive=True.")
    issued, _ = warnings_and_result(study(lower_is_positive=True), pauci.AUC())
    assert "All 8 reader-modality pairs" in str(issued[0])
    assert "lower_is_positive= declares" in str(issued[0])


def test_an_auc_slightly_below_one_half_issues_no_warning():
    """The interval of the AUC of a reader close to chance contains one half."""
    for seed in range(20):
        frame = roe_metz(np.random.default_rng(seed), 6, 20, 30, shift=(0.4, 0.4))
        s = study(frame)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pauci.PauciWarning)
            reversed_scores = [
                pauci.estimate(part, pauci.AUC()).interval().high < 0.5
                for _, of_reader in frame.groupby(["reader", "modality"])
                for part in [pauci.Sample(of_reader["label"], of_reader["score"])]
            ]
        issued, m = warnings_and_result(s, pauci.AUC())
        kinds = [type(w) for w in issued]
        assert (pauci.errors.ReversedScoresWarning in kinds) == any(reversed_scores)
        assert sum("AUC" in str(c) for c in m.cautions) == sum(reversed_scores)


def test_degenerate_cells():
    """A reader who separates the classes has standard error 0."""
    which = (FRAME["reader"] == "r1") & (FRAME["modality"] == "A")
    frame = FRAME.assign(score=FRAME["score"].where(~which, FRAME["label"] + FRAME["case"] / 1e6))
    issued, _ = warnings_and_result(study(frame), pauci.AUC())
    (warning,) = issued
    assert isinstance(warning, pauci.errors.DegenerateWarning)
    assert "1 of 8 reader-modality pairs: AUC() of r1 (A)" in str(warning)
    assert "1.000, has standard error 0" in str(warning)


def test_hard_predictions_and_few_clusters():
    frame = FRAME.assign(score=(FRAME["score"] > 0.6).astype(int), patient=FRAME["case"] % 4)
    issued, _ = warnings_and_result(study(frame, cluster="patient"), pauci.AUC())
    assert {type(w) for w in issued} == {
        pauci.errors.HardPredictionsWarning,
        pauci.errors.FewClustersWarning,
    }
    assert all("All 8 reader-modality pairs" in str(w) for w in issued)


def test_case_control_studies_name_their_prevalence():
    with pytest.warns(pauci.errors.SamplingRatioWarning, match=r"a proportion of 0\.4 positives"):
        pauci.mrmc(study(sampling="case-control"), pauci.AP())
    issued, _ = warnings_and_result(study(sampling="case-control"), pauci.AP(prevalence=0.4))
    assert issued == []


def test_the_largest_study_issues_no_warning():
    issued, m = warnings_and_result(viper("screeningLowP"), pauci.PAUCc(fpr=(0, 0.2)))
    assert issued == []
    assert m.doubtful == 0


def test_codes_of_missing_values_are_replaced_in_the_frame():
    """Hints do not suggest missing=, which studies do not accept."""
    coded = FRAME.assign(
        score=FRAME["score"].mask(FRAME["case"] % 7 == 1, 999.0),
        modality=FRAME["modality"].map({"A": 1, "B": 2}),
        reader=FRAME["reader"].str[1:].astype(int),
    )
    issued, m = warnings_and_result(study(coded), pauci.AUC())
    (warning,) = [w for w in issued if isinstance(w, pauci.errors.MissingCodeWarning)]
    assert "replace them by NaN" in str(warning)
    assert "drop_missing=True" in str(warning)
    assert " missing=" not in str(warning)
    assert re.search(r"reader \d \(modality \d\) is 999", str(warning))
    assert not any(" missing=" in str(c) for c in m.cautions)


def test_a_ratio_whose_denominator_may_be_zero_for_a_reader_is_undefined():
    s = study(roe_metz(np.random.default_rng(3), 4, 40, 60, shift=(1.5, 0.1)))
    match = r"reader .* in modality .* its denominator may be 0, because the 95% interval of AUC\("
    with pytest.raises(pauci.UndefinedError, match=match):
        pauci.mrmc(s, pauci.AUC() / pauci.AUC(rescaled=True))


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("most", [5, 10])
def test_a_reader_with_more_categories_than_all_others(lower, most):
    """The others rate from 1 to 5. If they do not agree on the ends, their scale is not known."""
    frame = roe_metz(np.random.default_rng(8), 4, 40, 60)
    scale = np.where(frame["reader"] == "r1", most, 5)
    rated = np.clip(np.round(1 + (scale - 1) * (frame["score"] + 1) / 3), 1, scale)
    cautious = np.where(frame["reader"] == "r2", np.minimum(rated, 4), rated)
    for scores, doubtful in ((rated, most == 10), (cautious, False)):
        s = study(frame.assign(score=11 - scores if lower else scores), lower_is_positive=lower)
        issued, _ = warnings_and_result(s, pauci.Specificity(threshold=7 if lower else 4))
        found = [w for w in issued if isinstance(w, pauci.errors.DifferentScalesWarning)]
        assert ["scores of r1 (" in str(w) for w in found] == [True] * doubtful


@pytest.mark.parametrize("categories", [None, [0.0, 0.5, 1.0, 1.5]])
@pytest.mark.parametrize("odd", ["r0", "r3"])
def test_a_reader_on_another_scale_than_the_threshold(odd, categories):
    """The warning names the reader; there is none for one scale, or without a threshold."""
    frame = roe_metz(np.random.default_rng(8), 5, 30, 40, categories=categories)
    frame["score"] = frame["score"] + 2.0
    other = frame["reader"] == odd
    moved = frame.assign(score=frame["score"].where(~other, frame["score"] * 25.0))
    for measure in (pauci.Sensitivity(threshold=3), pauci.PAUCc(threshold=(2, 150))):
        issued, _ = warnings_and_result(study(frame), measure)
        assert not [w for w in issued if isinstance(w, pauci.errors.DifferentScalesWarning)]
        issued, m = warnings_and_result(study(moved), measure)
        (warning,) = [w for w in issued if isinstance(w, pauci.errors.DifferentScalesWarning)]
        assert f"scores of {odd} (" in str(warning)
        assert "2 of 10 reader-modality pairs, of 1 reader" in str(warning)
        assert warning.argument == "threshold"
        assert pauci.errors.DifferentScalesWarning in map(type, m.cautions)
    issued, _ = warnings_and_result(study(moved), pauci.AUC())
    assert not [w for w in issued if isinstance(w, pauci.errors.DifferentScalesWarning)]
