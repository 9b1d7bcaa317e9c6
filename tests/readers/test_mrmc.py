"""Averages over readers: laws that hold for every measure and design, options, errors, looks."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.readers.cells import estimate_cells
from pauci.variance.base import Problem, Term
from pauci.variance.influence import covariance
from reader_studies import roe_metz, viper

pytestmark = pytest.mark.filterwarnings("ignore::pauci.ReaderVarianceWarning")

MEASURES = [
    pauci.AUC(), pauci.PAUC(fpr=(0, 0.3)), pauci.PAUCx(tpr=(0.6, 1)), pauci.PAUCc(fpr=(0, 0.3)),
    pauci.AP(), pauci.AUK(), pauci.SPA(fpr=(0, 0.3)), pauci.Sensitivity(fpr=0.2),
]  # fmt: skip
FRAME = roe_metz(np.random.default_rng(5), 4, 25, 30)
SPLIT = roe_metz(np.random.default_rng(6), 6, 12, 15, blocks=3)


def study(frame=FRAME, **options):
    return pauci.ReaderStudy.from_frame(frame, **options)


def only(analysis):
    (row,) = analysis.differences.to_dict("records")
    return row


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_cells_of_one_set_of_cases_have_the_covariance_of_one_sample(measure):
    """A factorial study is one sample with a classifier for each cell."""
    s = study()
    wide = FRAME.assign(cell=FRAME["modality"] + FRAME["reader"]).pivot_table(
        index=["case", "label"], columns="cell", values="score"
    )
    names = [s.modalities[c.modality] + s.readers[c.reader] for c in s.cells]
    sample = pauci.Sample.from_frame(wide.reset_index(), "label", names)
    values, matrix = estimate_cells(s, measure, "influence")
    problem = Problem(tuple(sample.ratings(n) for n in names), (measure,) * len(names))
    terms = [Term(r, measure.influence_on(r.curve)) for r in problem.ratings]
    assert values == pytest.approx(problem.values, rel=1e-12)
    assert matrix == pytest.approx(covariance(sample.rows, terms).matrix, rel=1e-9)


@pytest.mark.filterwarnings("ignore::pauci.DegenerateWarning")
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_a_factorial_study_is_obuchowski_and_rockettes(measure):
    m = pauci.mrmc(study(), measure)
    c, row = m.components, only(m)
    ms = c["ms_reader_by_modality"]
    variance = 2 / 4 * (ms + 4 * max(c["cov2"] - c["cov3"], 0))
    assert row["se"] == pytest.approx(math.sqrt(variance), rel=1e-9)
    bottom = ms + 4 * max(c["cov2"] - c["cov3"], 0)
    assert row["df"] == pytest.approx(bottom**2 / (ms**2 / 3), rel=1e-9)
    fixed = only(pauci.mrmc(study(), measure, readers="fixed"))
    expected = 2 / 4 * (c["error"] - c["cov1"] + 3 * (c["cov2"] - c["cov3"]))
    assert fixed["se"] == pytest.approx(math.sqrt(expected), rel=1e-9)
    assert m.estimates["value"].diff().iloc[1] == pytest.approx(-row["difference"], rel=1e-12)


@pytest.mark.filterwarnings("ignore::pauci.SmallRegionWarning")
@pytest.mark.parametrize("frame", [FRAME, SPLIT], ids=["factorial", "split-plot"])
def test_order_and_names_do_not_matter(frame):
    a = only(pauci.mrmc(study(frame), pauci.PAUCc(fpr=(0, 0.3))))
    mixed = frame.sample(frac=1.0, random_state=1)
    mixed = pd.concat([mixed[mixed["modality"] == "A"], mixed[mixed["modality"] == "B"]])
    b = only(pauci.mrmc(study(mixed), pauci.PAUCc(fpr=(0, 0.3))))
    assert a["se"] == pytest.approx(b["se"], rel=1e-9)
    assert a["df"] == pytest.approx(b["df"], rel=1e-9)
    swapped = pd.concat([frame[frame["modality"] == "B"], frame[frame["modality"] == "A"]])
    c = only(pauci.mrmc(study(swapped), pauci.PAUCc(fpr=(0, 0.3))))
    assert (c["difference"], c["low"]) == pytest.approx((-a["difference"], -a["high"]), rel=1e-9)


def test_clusters_of_one_case_are_cases_and_copies_are_one():
    plain = only(pauci.mrmc(study(), pauci.AUC()))
    alone = FRAME.assign(patient=FRAME["case"])
    assert only(pauci.mrmc(study(alone, cluster="patient"), pauci.AUC()))["se"] == pytest.approx(
        plain["se"], rel=1e-12
    )
    twice = pd.concat([FRAME, FRAME.assign(case=FRAME["case"] + 1000)], ignore_index=True)
    twice["patient"] = twice["case"] % 1000
    clustered = only(pauci.mrmc(study(twice, cluster="patient"), pauci.AUC()))
    assert clustered["se"] == pytest.approx(plain["se"], rel=1e-9)
    naive = only(pauci.mrmc(study(twice), pauci.AUC(), readers="fixed"))
    assert naive["se"] < 0.8 * plain["se"]
    left_out = only(pauci.mrmc(study(twice, cluster="patient"), pauci.AUC(), method="jackknife"))
    assert left_out["se"] == pytest.approx(plain["se"], rel=0.02)


@pytest.mark.parametrize("method", ["influence", "jackknife", "bootstrap"])
@pytest.mark.parametrize("held", ["positive", "negative"])
def test_a_cluster_that_holds_a_class_of_a_cell_is_refused_by_every_method(method, held):
    patient = np.where(FRAME["label"] == (held == "positive"), 0, 1 + FRAME["case"])
    clustered = study(FRAME.assign(patient=patient), cluster="patient")
    with pytest.raises(pauci.UndefinedError, match=f"reader .*1 cluster with a {held} label"):
        pauci.mrmc(clustered, pauci.AUC(), method=method)


def test_clusters_of_one_case_are_no_clusters():
    alone = study(FRAME.assign(patient=FRAME["case"]), cluster="patient")
    assert alone.clusters is None
    for method in ("influence", "jackknife", "u-statistic"):
        a, b = (only(pauci.mrmc(s, pauci.AUC(), method=method)) for s in (study(), alone))
        assert (a["se"], a["df"]) == (b["se"], b["df"])


def test_readers_nested_in_modalities_are_two_independent_groups():
    """With the cases nested as well, the variances of both modalities add up."""
    frame = FRAME.assign(
        reader=FRAME["reader"] + FRAME["modality"],
        case=FRAME["modality"] + FRAME["case"].astype(str),
    )
    m = pauci.mrmc(study(frame), pauci.AUC())
    assert only(m)["se"] == pytest.approx(math.hypot(*m.estimates["se"]), rel=1e-9)
    satterthwaite = only(m)["se"] ** 4 / (m.estimates["se"] ** 4 / m.estimates["df"]).sum()
    assert only(m)["df"] == pytest.approx(satterthwaite, rel=1e-9)


def test_weights_by_pairs_are_the_pooled_auc():
    frame = FRAME[(FRAME["reader"] != "r0") | (FRAME["case"] % 3 > 0)]
    s = study(frame)
    m = pauci.mrmc(s, pauci.AUC(), weights="pairs")
    u = pauci.mrmc(s, pauci.AUC(), method="u-statistic")
    assert m.estimates["value"].tolist() == pytest.approx(u.estimates["value"].tolist(), rel=1e-12)
    equal = pauci.mrmc(s, pauci.AUC(), method="u-statistic", weights="equal").estimates["value"]
    assert equal.tolist() == pytest.approx(pauci.mrmc(s, pauci.AUC()).estimates["value"].tolist())
    assert equal.tolist() != pytest.approx(u.estimates["value"].tolist(), rel=1e-6)


def test_a_standalone_algorithm_against_readers():
    """One fixed cell: the reader part is that of the others, and both meet in the cases."""
    people = FRAME[FRAME["modality"] == "A"]
    machine = FRAME[(FRAME["modality"] == "B") & (FRAME["reader"] == "r0")]
    s = study(pd.concat([people, machine.assign(reader="AI", modality="AI")]))
    m = pauci.mrmc(s, pauci.AUC(), standalone="AI")
    values, c = np.array([x.value for x in m.cells]), m.covariance
    among = values[:4].var(ddof=1) / 4
    off = c[:4, :4].sum() - np.trace(c[:4, :4])
    shared = max(off / 12 + c[4, 4] - 2 * c[4, :4].mean(), 0)
    row = only(m)
    assert row["se"] == pytest.approx(math.sqrt(among + shared), rel=1e-9)
    assert row["df"] == pytest.approx((among + shared) ** 2 / (among**2 / 3), rel=1e-9)
    with pytest.raises(pauci.InputError, match=r"'AI' has one reader, 'AI'.*readers=\"fixed\""):
        pauci.mrmc(s, pauci.AUC())
    with pytest.raises(pauci.InputError, match="has 4 readers"):
        pauci.mrmc(s, pauci.AUC(), standalone="A")
    fixed = only(pauci.mrmc(s, pauci.AUC(), readers="fixed"))
    assert fixed["df"] == math.inf


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("readers", ["random", "fixed"])
def test_tests_and_intervals_agree(alternative, readers):
    s = study()
    for level in (0.9, 0.95, 0.99):
        ends = pauci.mrmc(s, pauci.AUC(), readers, alternative=alternative).to_frame(level)
        for end in (ends["low"].item(), ends["high"].item()):
            if math.isfinite(end):
                m = pauci.mrmc(s, pauci.AUC(), readers, null=end, alternative=alternative)
                assert only(m)["pvalue"] == pytest.approx(1 - level, rel=1e-9)


def three_modalities():
    other = roe_metz(np.random.default_rng(8), 4, 25, 30)
    other = other[other["modality"] == "A"].assign(modality="C")
    return study(pd.concat([FRAME, other]))


def test_three_modalities():
    m = pauci.mrmc(three_modalities(), pauci.AUC())
    assert m.differences[["first", "second"]].to_numpy().tolist() == [
        ["A", "B"], ["A", "C"], ["B", "C"],
    ]  # fmt: skip
    assert m.test().df == 2
    assert 0 < m.test().pvalue < 1
    assert pauci.mrmc(three_modalities(), pauci.AUC(), readers="fixed").test().df == 2
    pair = only(pauci.mrmc(study(), pauci.AUC()))
    assert m.differences["se"].iloc[0] == pytest.approx(pair["se"], rel=1e-12)
    with pytest.raises(pauci.UndefinedError, match="in pairs"):
        pauci.mrmc(three_modalities(), pauci.AUC(), weights="pairs").test()


def test_one_modality():
    m = pauci.mrmc(study(FRAME[FRAME["modality"] == "A"], modality=None), pauci.AUC())
    assert m.differences.empty
    assert m.to_frame()["modality"].tolist() == ["all"]
    assert "all" in m.report()
    with pytest.raises(pauci.UndefinedError, match="one modality"):
        m.test()


def test_columns_are_those_promised():
    m = pauci.mrmc(study(), pauci.PAUCc(fpr=(0, 0.3)))
    assert m.estimates.columns[:9].tolist() == [
        "modality", "measure", "region", "value", "se", "df", "low", "high", "level",
    ]  # fmt: skip
    assert m.differences.columns[:12].tolist() == [
        "first", "second", "measure", "region", "difference", "se", "df", "statistic", "pvalue",
        "low", "high", "level",
    ]  # fmt: skip
    assert len(m.readers) == 8
    assert m.estimates["region"].iloc[0] == "FPR 0 to 0.3"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "Readers and cases are both random"),
        ({"readers": "fixed"}, "Readers are fixed and cases random"),
        ({"cases": "fixed"}, "Readers are random and cases fixed"),
        ({"method": "u-statistic"}, "one-shot U-statistic"),
    ],
)
def test_the_sentence_says_which_factors_are_random(options, words):
    assert words in pauci.mrmc(study(), pauci.AUC(), **options).report()


def test_errors():
    s = study()
    with pytest.raises(pauci.InputTypeError, match="pass a ReaderStudy"):
        pauci.mrmc(FRAME, pauci.AUC())
    with pytest.raises(pauci.InputTypeError, match="is a class"):
        pauci.mrmc(s, pauci.AUC)
    with pytest.raises(pauci.InputError, match="one at a time"):
        pauci.mrmc(s, [pauci.AUC(), pauci.AP()])
    with pytest.raises(pauci.InputError, match="nothing random"):
        pauci.mrmc(s, pauci.AUC(), readers="fixed", cases="fixed")
    for option in ("readers", "cases", "weights", "method", "alternative"):
        with pytest.raises(pauci.InputError, match=option):
            pauci.mrmc(s, pauci.AUC(), **{option: "rnadom"})
    with pytest.raises(pauci.InputError, match="is not a modality"):
        pauci.mrmc(s, pauci.AUC(), standalone="AI")
    one = study(FRAME[FRAME["reader"] == "r2"])
    with pytest.raises(pauci.InputError, match="has one reader, 'r2'"):
        pauci.mrmc(one, pauci.AUC())
    assert pauci.mrmc(one, pauci.AUC(), readers="fixed").differences["se"].item() > 0
    few = FRAME[(FRAME["reader"] != "r1") | (FRAME["label"] == 0) | (FRAME["case"] == 0)]
    with pytest.raises(pauci.UndefinedError, match=r"reader 'r1' in modality 'A': .*positive"):
        pauci.mrmc(study(few), pauci.AUC())
    clustered = study(FRAME.assign(patient=FRAME["case"] // 2), cluster="patient")
    with pytest.raises(pauci.InputError, match="clusters"):
        pauci.mrmc(clustered, pauci.AUC(), method="u-statistic")


@pytest.mark.filterwarnings("ignore::pauci.DegenerateWarning")
def test_case_control_studies_warn_of_their_prevalence():
    s = study(sampling="case-control")
    with pytest.warns(pauci.SamplingRatioWarning, match="prevalence"):
        pauci.mrmc(s, pauci.AP())
    with pytest.warns(pauci.JackknifeWarning):
        pauci.mrmc(s, pauci.Sensitivity(fpr=0.2), method="jackknife")


def test_the_same_readings_twice_have_no_difference():
    a = FRAME[FRAME["modality"] == "A"]
    row = only(pauci.mrmc(study(pd.concat([a, a.assign(modality="B")])), pauci.AUC()))
    assert row["difference"] == 0
    assert row["se"] == 0
    assert math.isnan(row["pvalue"])


def test_results_can_be_sent():
    m = pauci.mrmc(study(), pauci.AUC())
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(m)).differences, m.differences)


def test_size_where_labels_of_modality_are_permuted():
    """Swapping the modalities of a case, for all its readers, leaves no difference: 5 % say so."""
    rng = np.random.default_rng(11)
    m, rejected, runs = pauci.PAUCc(fpr=(0, 0.3)), 0, 300
    frame = roe_metz(rng, 5, 30, 40, shift=(1.0, 1.4))
    for _ in range(runs):
        swap = rng.random(70)[frame["case"]] < 0.5
        labels = np.where(swap, np.where(frame["modality"] == "A", "B", "A"), frame["modality"])
        mixed = frame.assign(modality=labels).sort_values("modality", kind="stable")
        rejected += only(pauci.mrmc(study(mixed), m))["pvalue"] < 0.05
    assert 0.01 <= rejected / runs <= 0.09


def test_size_where_labels_of_modality_are_permuted_within_reader_and_case():
    """Each reader's pair of scores of a case is swapped or not, by itself: 5 % say there is more.

    Swaps are independent, so that readers share no error of cases, and the difference of readers is
    that of swaps alone.
    """
    rng = np.random.default_rng(15)
    measures, runs = (pauci.AUC(), pauci.PAUCc(fpr=(0, 0.4))), 300
    rejected = np.zeros(len(measures))
    frame = roe_metz(rng, 5, 30, 40, shift=(1.0, 1.4)).sort_values(["reader", "case", "modality"])
    pairs = frame["score"].to_numpy().reshape(-1, 2)
    for _ in range(runs):
        swapped = np.where(rng.random(len(pairs))[:, None] < 0.5, pairs[:, ::-1], pairs)
        s = study(frame.assign(score=swapped.ravel()))
        for k, m in enumerate(measures):
            rejected[k] += only(pauci.mrmc(s, m))["pvalue"] < 0.05
    assert (rejected / runs >= 0.01).all()
    assert (rejected / runs <= 0.09).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("blocks", [1, 3], ids=["factorial", "split-plot"])
def test_size_and_error_in_roe_and_metzs_model(blocks):
    """Without a difference: size near 5 %, mean variance near that of the differences."""
    rng = np.random.default_rng(12)
    measures = [
        pauci.AUC(), pauci.PAUC(fpr=(0, 0.3)), pauci.PAUCc(fpr=(0, 0.3)), pauci.AP(),
    ]  # fmt: skip
    runs, readers = 2000, 6
    found = np.empty((3, runs, len(measures)))
    for i in range(runs):
        s = study(roe_metz(rng, readers, 25, 40, blocks=blocks))
        for k, measure in enumerate(measures):
            (d,) = pauci.mrmc(s, measure).contrasts
            found[:, i, k] = d.value, d.se, d.test(0.0, "two-sided")[1]
    differences, errors, pvalues = found
    ratio = np.sqrt((errors**2).mean(axis=0)) / differences.std(axis=0)
    assert ratio == pytest.approx(1.0, abs=0.08)
    size = (pvalues < 0.05).mean(axis=0)
    assert (size >= 0.03).all()
    assert (size <= 0.07).all()


def test_viper_has_no_warning_where_readers_differ():
    m = pauci.mrmc(viper("screeningHighP"), pauci.PAUCc(fpr=(0, 0.2)))
    assert m.differences["se"].item() > 0
