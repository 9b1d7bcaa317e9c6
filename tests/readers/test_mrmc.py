"""Averages over readers: properties for every measure and design, options, errors, output."""

import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import pauci
from pauci.readers.mrmc import estimate_cells
from pauci.variance.joint import uncertainty_of_problem
from pauci.variance.method import (
    DeltaVariance,
    InfluenceVariance,
    Problem,
    Uncertainty,
    VarianceMethod,
)
from reader_studies import roe_metz, viper
from rule import combined, part_of, rows_of

MEASURES = [
    pauci.AUC(),
    pauci.PAUC(fpr=(0, 0.3)),
    pauci.PAUCx(tpr=(0.6, 1)),
    pauci.PAUCc(fpr=(0, 0.3)),
    pauci.AP(),
    pauci.AUK(),
    pauci.SPA(fpr=(0, 0.3)),
    pauci.Sensitivity(fpr=0.2),
]
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
    found = estimate_cells(s, measure, InfluenceVariance())
    problem = Problem(tuple(sample.ratings(n) for n in names), (measure,) * len(names))
    matrix = found.uncertainty.matrix
    assert [e.value for e in found.estimates] == pytest.approx(problem.values, rel=1e-12)
    expected = uncertainty_of_problem(problem, InfluenceVariance()).matrix
    assert matrix == pytest.approx(expected, rel=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.errors.TableWarning)
        by_delta = estimate_cells(s, measure, DeltaVariance()).uncertainty.matrix
        assert by_delta == pytest.approx(
            uncertainty_of_problem(problem, DeltaVariance()).matrix, rel=1e-9
        )


def covariances(measure):
    """Return the covariances of the cells of `FRAME` by modality and reader, in two parts.

    They are the products of the contributions of the cases, and those of the other rows.
    """
    wide = FRAME.pivot_table(
        index=["case", "label"], columns=["modality", "reader"], values="score"
    )
    sample = pauci.Sample(
        wide.index.get_level_values("label"), {"".join(c): wide[c].to_numpy() for c in wide}
    )
    f = pauci.estimate(sample, measure).influence().to_numpy()
    z = np.split(f, [len(wide)])
    return [(rows.T @ rows).reshape(2, 4, 2, 4) for rows in z]


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_a_factorial_study_agrees_with_obuchowski_and_rockette(measure):
    """Errors that are no contributions of cases are added to those of the formula."""
    m = pauci.mrmc(study(), measure)
    c, row = m.components, only(m)
    ms = c["ms_reader_by_modality"]
    cases, others = covariances(measure)
    of_pairs = np.einsum("irjs,rs->ij", cases, 1 - np.eye(4)) / 12  # pairs of different readers
    cov2, cov3 = np.trace(of_pairs) / 2, (of_pairs[0, 1] + of_pairs[1, 0]) / 2
    of_averages = others.mean(axis=(1, 3))
    other = np.trace(of_averages) - 2 * of_averages[0, 1]
    variance = 2 / 4 * (ms + 4 * max(cov2 - cov3, 0)) + other
    assert row["se"] == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert row["df"] == pytest.approx(variance**2 / ((2 / 4 * ms) ** 2 / 3), rel=1e-9)
    fixed = only(pauci.mrmc(study(), measure, readers="fixed"))
    expected = 2 / 4 * (c["error"] - c["cov1"] + 3 * (c["cov2"] - c["cov3"]))
    assert fixed["se"] == pytest.approx(math.sqrt(expected), rel=1e-9)
    assert m.estimates["value"].diff().iloc[1] == pytest.approx(-row["difference"], rel=1e-12)


@pytest.mark.filterwarnings("ignore::pauci.errors.SmallRegionWarning")
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
    assert (c["difference"], c["low"]) == pytest.approx((a["difference"], a["low"]), rel=1e-9)
    d = only(pauci.mrmc(study(frame), pauci.PAUCc(fpr=(0, 0.3)), pair=("B", "A")))
    assert (d["first"], d["second"]) == ("B", "A")
    expected = -a["difference"], -a["high"], a["se"]
    assert (d["difference"], d["low"], d["se"]) == pytest.approx(expected, rel=1e-13)


@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
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
def test_a_cluster_with_all_of_a_class_in_a_cell_is_an_error_for_every_method(method, held):
    patient = np.where(FRAME["label"] == (held == "positive"), 0, 1 + FRAME["case"])
    clustered = study(FRAME.assign(patient=patient), cluster="patient")
    with pytest.raises(pauci.UndefinedError, match=f"reader .*1 cluster with a {held} label"):
        pauci.mrmc(clustered, pauci.AUC(), method=method)


def test_clusters_of_one_case_are_equivalent_to_cases():
    alone = study(FRAME.assign(patient=FRAME["case"]), cluster="patient")
    assert alone.clusters is None
    for method in ("influence", "jackknife", "u-statistic"):
        a, b = (only(pauci.mrmc(s, pauci.AUC(), method=method)) for s in (study(), alone))
        assert (a["se"], a["df"]) == (b["se"], b["df"])


def test_readers_nested_in_modalities_are_two_independent_groups():
    """If cases are nested too, the variances of both modalities are added."""
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
    """The algorithm is one fixed cell: it contributes to the variance over cases only."""
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
    with pytest.raises(pauci.InputError, match=r"'AI' has one reader, 'AI'.*readers='fixed'"):
        pauci.mrmc(s, pauci.AUC())
    with pytest.raises(pauci.InputError, match="has 4 readers"):
        pauci.mrmc(s, pauci.AUC(), standalone="A")
    fixed = only(pauci.mrmc(s, pauci.AUC(), readers="fixed"))
    cells = [
        part_of(rows_of(*(x[k].to_numpy() for k in ("label", "score", "case"))), pauci.AUC())
        for frame in (people, machine)
        for _, x in frame.groupby("reader")
    ]
    expected = combined(cells, [0.25, 0.25, 0.25, 0.25, -1.0])
    assert (fixed["difference"], fixed["se"], fixed["df"]) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("readers", ["random", "fixed"])
def test_averages_are_those_of_the_readers_of_each_modality(readers):
    """In designs with other readers in each modality as well, whatever the order of the rows."""
    left_out = (FRAME["modality"] + FRAME["reader"]).isin(["Ar1", "Ar2", "Br0"])
    frame = FRAME[~left_out].sample(frac=1.0, random_state=1)
    m = pauci.mrmc(study(frame), pauci.AUC(), readers=readers)
    by_modality = m.readers.groupby("modality")["value"]
    rows = m.estimates.set_index("modality")
    for name, of_readers in by_modality:
        assert rows.loc[name, "value"] == pytest.approx(of_readers.mean(), rel=1e-12)
        assert rows.loc[name, "n_readers"] == of_readers.size


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


def perfect(readers=3, n_pos=6, n_neg=9):
    """Return readers who separate the classes, with different orders of cases."""
    return roe_metz(
        np.random.default_rng(4), readers, n_pos, n_neg, shift=(40, 30), spread=(0.1, 0.1, 0.3, 0.2)
    )


NEAR_ONE = roe_metz(np.random.default_rng(2), 4, 15, 20, shift=(3.2, 2.6))


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("readers", ["random", "fixed"])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_intervals_of_averages_stay_in_the_range(measure, readers):
    m = pauci.mrmc(study(NEAR_ONE), measure, readers)
    high = {"pauc": 0.3, "paucx": 0.4}.get(measure.key, 1.0)
    for frame in (pauci.mrmc(study(NEAR_ONE), measure, readers).estimates, m.readers):
        assert (frame["low"] >= -1e-12).all()
        assert (frame["low"] <= frame["value"]).all()
        assert (frame["value"] <= frame["high"]).all()
        assert (frame["high"] <= high + 1e-12).all()
        assert set(frame["kind"]) <= {"logit", "limit", "mid-p"}
        assert list(frame.columns[-2:]) == ["kind", "rescaled"]
    assert m.differences["kind"].tolist() == ["wald"]


def test_rescaled_is_the_other_scale_of_an_area_and_of_an_average_rate():
    measures = [pauci.PAUC(fpr=(0, 0.3), normalized=n) for n in (False, True)]
    area, rate = (pauci.mrmc(study(), m).to_frames() for m in measures)
    for name, frame in area.items():
        column = "difference" if name == "differences" else "value"
        assert frame["rescaled"].to_numpy() == pytest.approx(rate[name][column], rel=1e-12)
        assert rate[name]["rescaled"].to_numpy() == pytest.approx(frame[column], rel=1e-12)
    assert pauci.mrmc(study(), pauci.AP()).differences["rescaled"].isna().all()


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
def test_averages_have_logit_intervals_with_their_error_and_df():
    row = pauci.mrmc(study(NEAR_ONE), pauci.AUC()).estimates.iloc[0]
    assert row["kind"] == "logit"
    slope = 1 / (row["value"] * (1 - row["value"]))
    margin = stats.t(row["df"]).isf(0.025) * row["se"] * slope
    ends = special.expit(special.logit(row["value"]) + np.array([-margin, margin]))
    assert (row["low"], row["high"]) == pytest.approx(ends, rel=1e-9)
    m = pauci.mrmc(study(NEAR_ONE), pauci.AUC())
    assert "95% CI: logit. Differences: t (" in " ".join(m.summary().split())
    wald = m.averages[0].interval(0.95, kind="wald")
    margin = stats.t(row["df"]).isf(0.025) * row["se"]
    assert wald == pytest.approx((row["value"] - margin, row["value"] + margin), rel=1e-9)


@pytest.mark.parametrize("options", [{}, {"readers": "fixed"}, {"cases": "fixed"}], ids=str)
@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
def test_readers_who_separate_the_classes_have_limit_intervals(options):
    m = pauci.mrmc(study(perfect()), pauci.AUC(), **options)
    k = 3 if "cases" in options else 6
    for row in m.estimates.to_dict("records"):
        assert (row["value"], row["se"], row["kind"]) == (1, 0, "limit")
        assert (row["low"], row["high"]) == pytest.approx((0.025 ** (1 / k), 1), rel=1e-12)
    (row,) = m.differences.to_dict("records")
    assert (row["low"], row["high"]) == pytest.approx(
        (-(1 - 0.025 ** (1 / k)), 1 - 0.025 ** (1 / k)), rel=1e-12
    )
    cells = m.readers
    assert cells["low"].to_numpy() == pytest.approx(0.025 ** (1 / 6), rel=1e-12)
    assert "95% CI: limit" in " ".join(m.summary().split())
    null = row["high"] * (1 + 1e-9)
    again = pauci.mrmc(study(perfect()), pauci.AUC(), null=null, **options)
    assert only(again)["pvalue"] == pytest.approx(0.05, rel=1e-6)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_averages_without_a_variance_have_infinite_degrees_of_freedom():
    """Clusters do not limit them, as those of estimates."""
    frame = perfect(n_pos=10, n_neg=10).assign(patient=lambda f: f["case"] // 2)
    clustered = study(frame, cluster="patient")
    m = pauci.mrmc(clustered, pauci.AUC(), readers="fixed")
    assert [(a.se, a.df) for a in m.averages] == [(0.0, math.inf)] * 2
    assert (m.contrasts[0].se, m.contrasts[0].df) == (0.0, math.inf)


def test_degrees_of_freedom_are_at_most_those_of_the_cases():
    """One reader entered as two: no reader variance, and the df of the cases of one."""
    one = FRAME[FRAME["reader"] == FRAME["reader"].iloc[0]]
    twice = study(pd.concat([one, one.assign(reader="other")]))
    m = pauci.mrmc(twice, pauci.AUC())
    wide = one.pivot_table(index=["case", "label"], columns="modality", values="score")
    sample = pauci.Sample.from_frame(wide.reset_index(), "label", ["A", "B"])
    for average, name in zip(m.averages, "AB", strict=True):
        e = pauci.estimate(sample[name], pauci.AUC())
        assert average.df == pytest.approx(e.df, rel=1e-9)


@pytest.mark.parametrize("measure", [*MEASURES, pauci.LocalC(fpr=(0, 0.3))], ids=repr)
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_one_fixed_reader_has_the_errors_of_a_comparison(measure):
    one = FRAME[FRAME["reader"] == FRAME["reader"].iloc[1]]
    wide = one.pivot_table(index=["case", "label"], columns="modality", values="score")
    sample = pauci.Sample.from_frame(wide.reset_index(), "label", ["A", "B"])
    c, m = pauci.compare(sample, measure), pauci.mrmc(study(one), measure, "fixed")
    assert only(m)["se"] == pytest.approx(c.se, rel=1e-12)
    assert m.estimates["se"].to_numpy() == pytest.approx([e.se for e in c.estimates], rel=1e-12)


@pytest.mark.long
def test_improbably_small_reader_parts_have_a_note():
    """At most a fifth of studies without reader components, and few of the others."""
    noted = below = 0
    for seed in range(60):
        frame = roe_metz(np.random.default_rng(seed), 4, 15, 20, spread=(0, 0, 0.3, 0.3))
        m = pauci.mrmc(study(frame), pauci.AUC())
        row = only(m)
        noted += ("A", "B") in m.understated
        below += row["se"] < row["se_fixed_readers"]
    assert below > 24
    assert noted <= 18
    assert noted > 0


def three_modalities():
    other = roe_metz(np.random.default_rng(8), 4, 25, 30)
    other = other[other["modality"] == "A"].assign(modality="C")
    return study(pd.concat([FRAME, other]))


def test_three_modalities():
    m = pauci.mrmc(three_modalities(), pauci.AUC())
    assert m.differences[["first", "second"]].to_numpy().tolist() == [
        ["A", "B"],
        ["A", "C"],
        ["B", "C"],
    ]
    assert m.test().df == 2
    assert 0 < m.test().pvalue < 1
    assert pauci.mrmc(three_modalities(), pauci.AUC(), readers="fixed").test().df == 2
    pair = only(pauci.mrmc(study(), pauci.AUC()))
    assert m.differences["se"].iloc[0] == pytest.approx(pair["se"], rel=1e-12)
    with pytest.raises(pauci.UndefinedError, match="differences of pairs"):
        pauci.mrmc(three_modalities(), pauci.AUC(), weights="pairs").test()


def test_a_study_of_one_modality():
    m = pauci.mrmc(study(FRAME[FRAME["modality"] == "A"], modality=None), pauci.AUC())
    assert m.differences.empty
    assert m.to_frame()["modality"].tolist() == ["all"]
    assert "all" in m.report()
    with pytest.raises(pauci.UndefinedError, match="one modality"):
        m.test()


def test_columns_are_the_documented_ones():
    m = pauci.mrmc(study(), pauci.PAUCc(fpr=(0, 0.3)))
    assert m.estimates.columns[:9].tolist() == [
        "modality",
        "measure",
        "region",
        "value",
        "se",
        "df",
        "low",
        "high",
        "level",
    ]
    assert m.differences.columns[:12].tolist() == [
        "first",
        "second",
        "measure",
        "region",
        "difference",
        "se",
        "df",
        "statistic",
        "pvalue",
        "low",
        "high",
        "level",
    ]
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
def test_the_sentence_states_which_factors_are_random(options, words):
    assert words in pauci.mrmc(study(), pauci.AUC(), **options).report()


def test_errors():
    s = study()
    with pytest.raises(pauci.InputTypeError, match="pass a ReaderStudy"):
        pauci.mrmc(FRAME, pauci.AUC())
    with pytest.raises(pauci.InputTypeError, match="is a class"):
        pauci.mrmc(s, pauci.AUC)
    with pytest.raises(pauci.InputError, match="one at a time"):
        pauci.mrmc(s, [pauci.AUC(), pauci.AP()])
    with pytest.raises(pauci.InputError, match="so that there is no standard error"):
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


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
def test_case_control_studies_warn_of_their_prevalence():
    s = study(sampling="case-control")
    with pytest.warns(pauci.errors.SamplingRatioWarning, match="prevalence"):
        pauci.mrmc(s, pauci.AP())
    with pytest.warns(pauci.errors.JackknifeWarning):
        pauci.mrmc(s, pauci.Sensitivity(fpr=0.2), method="jackknife")


def test_the_same_readings_twice_have_no_difference():
    a = FRAME[FRAME["modality"] == "A"]
    row = only(pauci.mrmc(study(pd.concat([a, a.assign(modality="B")])), pauci.AUC()))
    assert row["difference"] == 0
    assert row["se"] == 0
    assert math.isnan(row["statistic"])
    assert (row["kind"], row["pvalue"]) == ("limit", 1.0)
    margin = 1 - 0.025 ** (1 / 25)  # what 25 pairs that agree do not exclude
    assert (row["low"], row["high"]) == pytest.approx((-margin, margin), rel=1e-12)


def test_results_can_be_pickled_by_workers():
    m = pauci.mrmc(study(), pauci.AUC())
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(m)).differences, m.differences)


@pytest.mark.long
def test_size_where_labels_of_modality_are_permuted():
    """Swapping the modalities of cases for all readers gives no difference: 5% are significant."""
    rng = np.random.default_rng(11)
    m, rejected, runs = pauci.PAUCc(fpr=(0, 0.3)), 0, 300
    frame = roe_metz(rng, 5, 30, 40, shift=(1.0, 1.4))
    for _ in range(runs):
        swap = rng.random(70)[frame["case"]] < 0.5
        labels = np.where(swap, np.where(frame["modality"] == "A", "B", "A"), frame["modality"])
        mixed = frame.assign(modality=labels).sort_values("modality", kind="stable")
        rejected += only(pauci.mrmc(study(mixed), m))["pvalue"] < 0.05
    assert 0.01 <= rejected / runs <= 0.09


@pytest.mark.long
def test_size_where_labels_of_modality_are_permuted_within_reader_and_case():
    """Pairs of scores are swapped separately for each reader and case: 5% are significant.

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
    """Without a difference the size is about 5%, and the variance that of the differences."""
    rng = np.random.default_rng(12)
    measures = [
        pauci.AUC(),
        pauci.PAUC(fpr=(0, 0.3)),
        pauci.PAUCc(fpr=(0, 0.3)),
        pauci.AP(),
    ]
    runs, readers = 2000, 6
    found = np.empty((3, runs, len(measures)))
    for i in range(runs):
        s = study(roe_metz(rng, readers, 25, 40, blocks=blocks))
        for k, measure in enumerate(measures):
            (d,) = pauci.mrmc(s, measure).contrasts
            found[:, i, k] = d.value, d.se, d.inverted_test(0.0, "two-sided").pvalue
    differences, errors, pvalues = found
    ratio = np.sqrt((errors**2).mean(axis=0)) / differences.std(axis=0)
    assert ratio == pytest.approx(1.0, abs=0.08)
    size = (pvalues < 0.05).mean(axis=0)
    assert (size >= 0.03).all()
    assert (size <= 0.07).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_intervals_of_averages_near_one_cover():
    """Four readers, 30 and 60 cases, AUC .96: Wald intervals cover 89%, these 94 to 95%."""
    auc, spread, runs = 0.96, (0.03, 0.03, 0.3, 0.3), 500
    shift = stats.norm.ppf(auc) * math.sqrt(2 + 2 * 0.03 + 2 * 0.03)
    held = {"logit": 0, "wald": 0}
    for seed in range(runs):
        frame = roe_metz(np.random.default_rng([seed, 7]), 4, 30, 60, (shift, shift), spread)
        one = study(frame[frame["modality"] == "A"], modality=None)
        (average,) = pauci.mrmc(one, pauci.AUC()).averages
        for kind in held:
            low, high = average.interval(0.95, kind=kind)
            held[kind] += low <= auc <= high
    assert 0.92 <= held["logit"] / runs <= 0.97
    assert held["wald"] / runs < 0.92


def test_viper_has_no_warning_if_readers_differ():
    m = pauci.mrmc(viper("screeningHighP"), pauci.PAUCc(fpr=(0, 0.2)))
    assert m.differences["se"].item() > 0


def machine_and_readers():
    """Return two modalities, 1 and 2, of four readers, and an algorithm in modality 3."""
    frame = roe_metz(np.random.default_rng(8), 4, 25, 30)
    frame = frame.assign(modality=frame["modality"].map({"A": 1, "B": 2}))
    alone = frame[(frame["modality"] == 2) & (frame["reader"] == "r0")]
    return pd.concat([frame, alone.assign(reader="AI", modality=3)])


@pytest.mark.parametrize("name", [3, 3.0, "3"])
def test_a_standalone_reader_is_not_called_an_average(name):
    study = pauci.ReaderStudy.from_frame(machine_and_readers())
    m = pauci.mrmc(study, pauci.AUC(), standalone=name)
    assert m.standalone == "3"
    assert "Averaged over 4 readers" in m.report()
    assert "Modality 3 is one standalone reader." in m.report()
    words = "Standalone reader, not from the population of readers: modality 3."
    assert words in " ".join(m.summary().split())


@pytest.mark.parametrize("method", ["jackknife", pauci.Bootstrap(n_resamples=50, rng=1)])
def test_clusters_are_left_out_or_drawn_as_units(method):
    frame = machine_and_readers()
    frame = frame[frame["modality"] < 3]
    found = {}
    for size in (1, 3):
        study = pauci.ReaderStudy.from_frame(
            frame.assign(patient=frame["case"] // size), cluster="patient"
        )
        text = pauci.mrmc(study, pauci.AUC(), method=method).summary()
        found[size] = " ".join(text.split())
    assert "of clusters of cases" in found[3].replace("over", "of")
    assert "clusters of" not in found[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"variance": "delong"}, "selected by method="),
        ({"n_resamples": 100}, r"method=pauci\.Bootstrap\(n_resamples=2000"),
    ],
)
def test_arguments_of_other_functions_raise_errors_with_those_of_mrmc(options, words):
    study = pauci.ReaderStudy.from_frame(machine_and_readers().query("modality < 3"))
    with pytest.raises(pauci.InputTypeError, match=words):
        pauci.mrmc(study, pauci.AUC(), **options)


class Doubled(VarianceMethod):
    """Twice the variance of the contributions of rows, without these."""

    key = "doubled"

    def covariance(self, problem):
        plain = uncertainty_of_problem(problem, InfluenceVariance())
        return Uncertainty(2 * plain.units.cov_of_units, np.full(len(problem), 10.0))


class DoubledByRow(Doubled):
    """The same method with contributions of rows."""

    def contributions(self, problem, units):
        z = InfluenceVariance().contributions(problem, units)
        overall = None if z.overall is None else np.sqrt(2) * z.overall
        return z._replace(by_class=np.sqrt(2) * z.by_class, overall=overall)


@pytest.mark.filterwarnings(
    "ignore::pauci.errors.SmallRegionWarning", "ignore::pauci.errors.TableWarning"
)
@pytest.mark.parametrize("measure", [pauci.AUC(), pauci.AP()], ids=repr)
@pytest.mark.parametrize("frame", [FRAME, SPLIT], ids=["factorial", "split-plot"])
def test_a_user_defined_method_needs_no_contributions_if_readers_share_all_cases(frame, measure):
    mixed = frame.sample(frac=1.0, random_state=3)  # each reader has the cases in another order
    plain = pauci.mrmc(study(frame), measure, readers="fixed")
    f = plain.averages.influence()
    of_cases = f[["unseen" not in str(name) for name in f.index]]
    assert len(of_cases) == frame["case"].nunique()
    se = np.sqrt(((of_cases["A"] - of_cases["B"]) ** 2).sum())
    for method in (Doubled(), DoubledByRow()):
        m = pauci.mrmc(study(mixed), measure, readers="fixed", method=method)
        assert m.method == "doubled"
        assert "doubled" in " ".join(m.summary().split())
        assert only(m)["se"] == pytest.approx(np.sqrt(2) * se, rel=1e-9)
    delta = pauci.mrmc(study(mixed), measure, readers="fixed", method="delta")
    assert only(delta)["se"] == pytest.approx(se, rel=0.08)
    assert only(delta)["se"] < se


def test_a_user_defined_method_needs_contributions_if_readers_share_some_cases():
    some = FRAME.drop(FRAME.index[FRAME["reader"] == "r1"][:3])
    plain = pauci.mrmc(study(some), pauci.AUC(), "fixed")
    by_row = pauci.mrmc(study(some), pauci.AUC(), "fixed", method=DoubledByRow())
    assert only(by_row)["se"] == pytest.approx(np.sqrt(2) * only(plain)["se"], rel=1e-9)
    with pytest.raises(pauci.InputError, match=r"method=doubled .*cases .*method='influence'") as e:
        pauci.mrmc(study(some), pauci.AUC(), method=Doubled())
    assert e.value.argument == "method"
    for wrong in (InfluenceVariance, 3, "delong"):
        with pytest.raises(pauci.PauciError, match="method="):
            pauci.mrmc(study(), pauci.AUC(), method=wrong)
    clustered = study(FRAME.assign(patient=FRAME["case"] // 2), cluster="patient")
    with pytest.raises(pauci.InputError, match=r"method='delta' .*clusters"):
        pauci.mrmc(clustered, pauci.AUC(), method="delta")


def ai_study():
    """Return four readers in modality "readers" and an algorithm in modality "ai", as a frame."""
    frame = roe_metz(np.random.default_rng(12), 4, 25, 30, shift=(2.2, 2.6))
    people = frame[frame["modality"] == "A"].assign(modality="readers")
    machine = frame[(frame["modality"] == "B") & (frame["reader"] == "r0")]
    both = pd.concat([people, machine.assign(reader="net", modality="ai")])
    return both.assign(patient=both["case"] // 2)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize("method", ["influence", "jackknife"])
@pytest.mark.parametrize("cluster", [None, "patient"])
@pytest.mark.parametrize("readers", ["random", "fixed"])
@pytest.mark.parametrize("measure", [*MEASURES, pauci.AUC()], ids=repr)
def test_an_algorithm_has_one_interval(measure, readers, cluster, method):
    """The interval of the average, of the reader, of the figure and of `estimate` is the same."""
    frame = ai_study()
    s = pauci.ReaderStudy.from_frame(frame, cluster=cluster)
    m = pauci.mrmc(s, measure, readers, method=method, standalone="ai")
    machine = frame[frame["modality"] == "ai"]
    sample = pauci.Sample.from_frame(machine, "label", "score", cluster=cluster)
    e = pauci.estimate(sample, measure)
    average = m.averages[s.modalities.index("ai")]
    (cell,) = (c for c in m.cells if c.modality == "ai")
    for level in (0.9, 0.95):
        assert average.interval(level) == cell.interval(level)
        if method == "influence":
            assert cell.interval(level) == pytest.approx(e.interval(level), rel=1e-9)
    assert average.inverted_test(0.7, "greater") == cell.inverted_test(0.7, "greater")
    estimates, cells = m.estimates.set_index("modality"), m.readers.set_index("modality")
    for column in ("low", "high", "kind"):
        assert estimates.loc["ai", column] == cells.loc["ai", column]


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_readers_have_the_intervals_of_estimates():
    frame = ai_study()
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(frame), pauci.AUC(), standalone="ai")
    for cell in m.cells:
        rows = frame[(frame["reader"] == cell.reader) & (frame["modality"] == cell.modality)]
        e = pauci.estimate(pauci.Sample(rows["label"], rows["score"]), pauci.AUC())
        assert cell.interval() == pytest.approx(e.interval(), rel=1e-9)


@pytest.mark.parametrize("method", ["influence", "u-statistic"])
def test_the_direction_is_that_of_the_pair_in_any_order_of_rows(method):
    test = {"null": -0.05, "alternative": "greater", "method": method}
    found = []
    for order in (1, -1):
        frame = FRAME.iloc[::order]
        forward, back = (
            pauci.mrmc(study(frame), pauci.AUC(), pair=pair, **test)
            for pair in (("B", "A"), ("A", "B"))
        )
        found.append([only(forward)["pvalue"], only(back)["pvalue"]])
        assert only(forward)["difference"] == -only(back)["difference"]
        assert only(forward)["se"] == pytest.approx(only(back)["se"], rel=1e-12)
        assert "B - A" in forward.summary()
        assert "A - B" not in forward.summary()
        default = pauci.mrmc(study(frame), pauci.AUC(), **test)
        assert only(default)["pvalue"] == only(back)["pvalue"]
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    assert abs(found[0][0] - found[0][1]) > 0.1


def test_modalities_are_in_the_order_of_categories_or_sorted():
    backwards = FRAME.iloc[::-1]
    assert study(backwards).modalities == ("A", "B")
    ordered = backwards.assign(modality=pd.Categorical(backwards["modality"], ["B", "A"]))
    assert study(ordered).modalities == ("B", "A")
    numbers = backwards.assign(modality=backwards["modality"].map({"A": 10, "B": 9}))
    assert study(numbers).modalities == ("9", "10")


def test_a_pair_of_three_modalities():
    s = pauci.ReaderStudy.from_frame(machine_and_readers())
    every = pauci.mrmc(s, pauci.AUC(), standalone="3")
    m = pauci.mrmc(s, pauci.AUC(), pair=(3, 1), standalone="3")
    row = only(m)
    (same,) = every.differences.query("first == '1' and second == '3'").to_dict("records")
    assert (row["difference"], row["se"]) == (-same["difference"], pytest.approx(same["se"]))
    assert len(m.estimates) == len(every.estimates) == 3
    assert "modality 3 \N{MINUS SIGN} modality 1" in m.to_markdown()
    assert "difference modality 3 - modality 1 -" in m.report()
    for pair in ("31", (1, 1), (1, 4)):
        with pytest.raises((pauci.InputError, pauci.InputTypeError), match="pair="):
            pauci.mrmc(s, pauci.AUC(), pair=pair, standalone="3")


def test_figures_and_notes_of_several_differences_include_those_of_a_standalone_reader():
    pytest.importorskip("matplotlib")
    s = pauci.ReaderStudy.from_frame(machine_and_readers())
    m = pauci.mrmc(s, pauci.AUC(), standalone="3")
    labels = " ".join(" ".join(axes.get_xlabel().split()) for axes in m.plot().child_axes)
    for first, second in m.differences[["first", "second"]].itertuples(index=False):
        assert f"modality {first} \N{MINUS SIGN} modality {second}" in labels
    note = "P-values are not adjusted; test() compares all modalities."
    assert note in " ".join(m.summary().split())
    one = pauci.mrmc(s, pauci.AUC(), pair=(3, 1), standalone="3")
    assert "adjusted" not in one.summary()


def test_a_standalone_reader_is_not_counted_as_a_reader():
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(ai_study()), pauci.AUC(), standalone="ai")
    for text in (m.to_markdown(), m.summary(), m.to_latex()):
        assert "4 readers and one standalone reader" in " ".join(text.split())
        assert "5 readers" not in text


def detected(y, x):
    """Return the share of positives at or above 1, a mean and therefore a smooth function."""
    return (x[y == 1] >= 1).mean()


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
def test_hints_about_variance_methods_do_not_lead_in_a_circle():
    s = study()
    for method in ("influence", "delta"):
        with pytest.raises(pauci.InputError, match=r"Use method=pauci\.Bootstrap"):
            pauci.mrmc(s, detected, method=method)
    with pytest.warns(pauci.errors.JackknifeWarning) as caught:
        pauci.mrmc(s, detected, method="jackknife")
    text = str(caught[0].message)
    assert "it is unknown whether detected is one" in text
    assert "Use method=pauci.Bootstrap()" in text
    assert "influence" not in text
    with pytest.warns(
        pauci.errors.JackknifeWarning, match=r"Use method='influence' or method=pauci\.B"
    ):
        pauci.mrmc(s, pauci.Sensitivity(fpr=0.2), method="jackknife")


@pytest.mark.parametrize(("n_pos", "n_neg", "size"), [(18, 60, 3), (60, 18, 3), (12, 60, 2)])
def test_averages_over_fixed_readers_have_at_most_the_df_of_the_smaller_class(n_pos, n_neg, size):
    """With clusters the contributions of classes are summed, but each class has few clusters."""
    frame = roe_metz(np.random.default_rng(2), 2, n_pos, n_neg)
    # Every cluster with a positive has negatives, so that all clusters together are many more.
    smaller = min(n_pos, n_neg) // size
    same = frame["label"] == (n_pos < n_neg)
    number = frame.groupby(["reader", "modality", "label"]).cumcount()
    frame["patient"] = np.where(same, number // size, number)
    m = pauci.mrmc(
        pauci.ReaderStudy.from_frame(frame, cluster="patient"), pauci.AUC(), readers="fixed"
    )
    assert (m.estimates["df"] <= smaller - 1).all()
    assert m.estimates["df"].max() == smaller - 1


def test_thresholds_by_modality():
    """A threshold for each modality gives the results of the decisions themselves."""
    rng = np.random.default_rng(8)
    y = np.repeat([1, 0], [30, 40])
    frames, scale = [], {"film": 1.0, "digital": 10.0}
    for reader in range(4):
        skill = y * (1 + reader / 4) + rng.normal(size=70)
        for modality, factor in scale.items():
            frames.append(
                pd.DataFrame(
                    {
                        "reader": reader,
                        "modality": modality,
                        "case": np.arange(70),
                        "label": y,
                        "score": factor * (skill + 0.5 * rng.normal(size=70)),
                    }
                )
            )
    frame = pd.concat(frames)
    columns = {name: name for name in ("reader", "modality", "case", "label", "score")}
    study = pauci.ReaderStudy.from_frame(frame, **columns, positive=1)
    thresholds = {"film": 0.5, "digital": 5.0}
    frame["score"] = (frame["score"] >= frame["modality"].map(thresholds)).astype(int)
    decisions = pauci.ReaderStudy.from_frame(frame, **columns, positive=1)
    for cls in (pauci.Sensitivity, pauci.PPV, pauci.MCC):
        m = pauci.mrmc(study, cls(threshold=thresholds))
        expected = pauci.mrmc(decisions, cls(threshold=1))
        for got, of_decisions in zip(
            m.to_frames().values(), expected.to_frames().values(), strict=True
        ):
            numbers = of_decisions.select_dtypes("number").columns.difference(
                ["threshold_low", "threshold_high"]
            )
            pd.testing.assert_frame_equal(got[numbers], of_decisions[numbers])
        assert "score >= 0.5 (film), 5 (digital)" in m.report()
    with pytest.raises(
        pauci.InputError, match=r"no threshold for 'digital', but for 'film', 'dig'"
    ):
        pauci.mrmc(study, pauci.PPV(threshold={"film": 1, "dig": 2}))
    with pytest.warns(pauci.errors.DifferentScalesWarning, match="4 of 8 reader-modality pairs"):
        pauci.mrmc(study, pauci.Specificity(threshold=8))


def against_a_constant(seed, readers=6, *, equal=False, perfect=False):
    """Return the frame of a study of several readers and one reader of another modality."""
    rng = np.random.default_rng(seed)
    y = np.arange(30) % 2
    rows = []
    for r in range(readers):
        shift = 9.0 if perfect else rng.uniform(0.2, 2.0)
        drawn = np.random.default_rng(seed if equal else [seed, r]).normal(size=y.size)
        rows += [(f"r{r}", "A", c, y[c], drawn[c] + shift * y[c] * (not equal)) for c in range(30)]
    rows += [("AI", "B", c, y[c], rng.normal() + y[c]) for c in range(30)]
    return pd.DataFrame(rows, columns=["reader", "modality", "case", "label", "score"])


@pytest.mark.parametrize("method", ["influence", "jackknife", pauci.Bootstrap(20, rng=1)], ids=repr)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_fixed_cases_and_a_standalone_reader_give_the_t_test_of_the_readers(seed, method):
    s = study(against_a_constant(seed))
    m = pauci.mrmc(s, pauci.AUC(), cases="fixed", standalone="B", method=method)
    people = [c.value for c in m.cells if c.modality == "A"]
    (machine,) = [c.value for c in m.cells if c.modality == "B"]
    expected = stats.ttest_1samp(people, machine)
    row, ends = only(m), expected.confidence_interval()
    for found in (row["statistic"], m.family.contrast({"A": 1, "B": -1}).test().statistic):
        assert found == pytest.approx(expected.statistic, rel=1e-9)
    assert (row["df"], row["pvalue"]) == pytest.approx((5, expected.pvalue), rel=1e-9)
    assert (row["low"], row["high"]) == pytest.approx(
        (ends.low - machine, ends.high - machine), rel=1e-9
    )
    alone = m.estimates.set_index("modality").loc["B"]
    assert (alone["se"], alone["df"]) == (0.0, math.inf)
    assert (alone["low"], alone["high"]) == (machine, machine)
    average = next(a for a in m.averages if a.name == "B")
    assert [average.test(null).pvalue for null in (machine, machine - 0.01, 1.0)] == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("perfect", [True, False])
def test_fixed_cases_and_readers_with_equal_estimates_give_the_t_test_of_the_readers(perfect):
    """One modality without between-reader variance: the differences of the readers have it."""
    rng = np.random.default_rng(4)
    frame = against_a_constant(4, equal=not perfect, perfect=perfect)
    same = frame[frame["modality"] == "A"]
    other = same.assign(modality="B", score=rng.normal(size=len(same)) + same["label"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", pauci.errors.DegenerateWarning)
        m = pauci.mrmc(study(pd.concat([same, other])), pauci.AUC(), cases="fixed")
    values = np.array([c.value for c in m.cells]).reshape(2, -1)
    assert np.ptp(values[0]) == 0
    expected, row = stats.ttest_rel(*values), only(m)
    assert (row["statistic"], row["pvalue"], row["df"]) == pytest.approx(
        (expected.statistic, expected.pvalue, 5), rel=1e-9
    )
    assert row["kind"] == "wald"


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_the_degrees_of_freedom_that_decided_are_named():
    """Those of Hillis, or of the variance over cases if these are fewer."""
    named = {}
    for spread in (0.0, 0.6):
        rng, shift = np.random.default_rng(1), (1.2, 1.2)
        frame = roe_metz(rng, 5, 40, 50, shift, (spread, 0.0, 0.6, 0.3))
        m = pauci.mrmc(study(frame[frame["modality"] == "A"]), pauci.AUC())
        values, c = np.array([x.value for x in m.cells]), m.covariance
        among = values.var(ddof=1) / 5
        hillis = 4 * (1 + max(c.sum() - np.trace(c), 0) / 20 / among) ** 2
        named[spread] = m.averages[0].df == pytest.approx(hillis), m.report()
    assert [found for found, _ in named.values()] == [False, True]
    assert "Hillis" not in named[0.0][1]
    assert "over cases" in named[0.0][1]
    assert "Hillis" in named[0.6][1]


def test_the_test_of_all_modalities_by_one_reader_is_that_of_compare():
    """One statistic, with the same degrees of freedom, whichever contrasts span the hypothesis."""
    rng = np.random.default_rng(6)
    y = np.repeat([1, 0], [20, 26])
    scores = {name: rng.normal(size=46) + y for name in "abcd"}
    frames = [
        pd.DataFrame({"reader": "r", "modality": k, "case": range(46), "label": y, "score": x})
        for k, x in scores.items()
    ]
    with pytest.warns(pauci.errors.SwappedColumnsWarning):
        one = study(pd.concat(frames))
    found = pauci.mrmc(one, pauci.AUC(), readers="fixed").test()
    joint = pauci.compare(pauci.Sample(y, scores), pauci.AUC()).joint()
    assert (found.statistic, found.df, found.df_denominator, found.pvalue) == pytest.approx(
        (joint.f, joint.df, joint.df_denominator, joint.pvalue), rel=1e-9
    )
