"""Power of the next reader study: a published number, simulation, tables, errors."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pauci
from reader_studies import published, roe_metz, viper

FRAME = roe_metz(np.random.default_rng(5), 4, 25, 30)
COMPONENTS = {
    "error": 0.0008,
    "cov1": 0.00035,
    "cov2": 0.00034,
    "cov3": 0.00024,
    "reader_by_modality": 0.0002,
    "cases": 114,
}


def test_vandyke():
    """10 readers and 165 cases find the observed effect with a power of .805."""
    m = pauci.mrmc(published("vandyke"), pauci.AUC(), method="jackknife")
    assert round(pauci.mrmc_power(m, readers=10, positives=60, negatives=105), 3) == 0.805


def test_a_pilot_can_be_given_by_its_components():
    m = pauci.mrmc(
        pauci.ReaderStudy.from_frame(roe_metz(np.random.default_rng(5), 4, 25, 30)), pauci.AUC()
    )
    named = {**m.components, "cases": 55}
    a = pauci.mrmc_power(m, 8, 50, 60, difference=0.1)
    assert pauci.mrmc_power(named, 8, 50, 60, difference=0.1) == pytest.approx(a, rel=1e-12)
    (d,) = m.contrasts
    assert pauci.mrmc_power(m, 8, 50, 60) == pytest.approx(
        pauci.mrmc_power(named, 8, 50, 60, difference=d.value), rel=1e-12
    )


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
def test_the_same_study_again_has_the_variance_of_the_pilot():
    """Noncentrality and degrees of freedom are those of the analysis if nothing was truncated."""
    for seed in range(5, 30):
        frame = roe_metz(np.random.default_rng(seed), 4, 25, 30, spread=(0.1, 0.5, 0.3, 0.2))
        m = pauci.mrmc(pauci.ReaderStudy.from_frame(frame), pauci.AUC())
        if m.components["reader_by_modality"] > 0:
            break
    (d,) = m.contrasts
    critical = stats.t(d.df).isf(0.025)
    shift = d.value / d.se
    expected = stats.nct.sf(critical, d.df, shift) + stats.nct.cdf(-critical, d.df, shift)
    # SciPy 1.13 has five digits of the noncentral t distribution.
    assert pauci.mrmc_power(m, 4, 25, 30) == pytest.approx(expected, rel=1e-5)


def test_one_sided_tests():
    greater = pauci.mrmc_power(COMPONENTS, 8, 50, 64, difference=0.03, alternative="greater")
    less = pauci.mrmc_power(COMPONENTS, 8, 50, 64, difference=-0.03, alternative="less")
    assert greater == pytest.approx(less, rel=1e-9)
    assert greater > pauci.mrmc_power(COMPONENTS, 8, 50, 64, difference=0.03)
    shifted = pauci.mrmc_power(
        COMPONENTS, 8, 50, 64, difference=0.0, null=-0.03, alternative="greater"
    )
    assert shifted == pytest.approx(greater, rel=1e-12)
    assert pauci.mrmc_power(COMPONENTS, 8, 50, 64, difference=0.0) == pytest.approx(0.05, abs=1e-9)


@pytest.mark.parametrize("difference", [-0.05, 0.0, 0.02])
def test_power_has_the_symmetries_of_its_test(difference):
    """A test in the wrong direction has less power than its size, and no difference its size."""

    def power(value, **options):
        return pauci.mrmc_power(COMPONENTS, 6, 40, 70, difference=value, **options)

    greater, less = (power(difference, alternative=side) for side in ("greater", "less"))
    assert power(-difference, alternative="less") == pytest.approx(greater, rel=1e-9)
    assert np.sign(greater - less) == np.sign(greater - 0.05) * (difference != 0.0)
    assert np.sign(round(greater - 0.05, 12)) == np.sign(difference)
    assert power(difference) == pytest.approx(power(-difference), rel=1e-9)
    assert power(difference + 0.1, null=0.1) == pytest.approx(power(difference), rel=1e-9)
    assert power(difference) >= 0.05 - 1e-12


def test_a_table_of_readers_and_cases():
    table = pauci.mrmc_power(COMPONENTS, [5, 10], [30, 60], [50, 100], difference=0.04)
    assert table[["readers", "positives", "negatives"]].to_numpy().tolist() == [
        [5, 30, 50],
        [5, 60, 100],
        [10, 30, 50],
        [10, 60, 100],
    ]
    assert table["power"].iloc[0] < table["power"].iloc[1:3].min()
    assert table["power"].iloc[3] > table["power"].iloc[1:3].max()
    one = pauci.mrmc_power(COMPONENTS, 10, 30, 50, difference=0.04)
    assert table["power"].iloc[2] == pytest.approx(one, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"readers": 1}, "readers=1 must be at least 2"),
        ({"readers": 2.5}, "whole number"),
        ({"positives": []}, "contains no number"),
        ({"positives": [10, 20]}, "combined in pairs"),
        ({"difference": None}, "difference="),
        ({"alpha": 5}, "strictly between"),
        ({"alternative": "bigger"}, "alternative"),
        ({"pilot": {"error": 1.0}}, "lacks 'cov1'"),
        ({"pilot": {**COMPONENTS, "cov1": 1.0}}, "must be positive"),
        ({"pilot": 3}, "pilot is an int"),
        ({"blocks": 6}, "readers=5 is too few for 6 blocks"),
        ({"blocks": 5, "positives": 9}, "positives=9 is too few for 5 blocks"),
        ({"blocks": 0}, "blocks=0"),
        ({"readers_by_modalities": "both"}, "readers_by_modalities"),
        ({"cases_by_modalities": True}, "cases_by_modalities"),
    ],
)
def test_errors(options, words):
    given = {
        "pilot": COMPONENTS,
        "readers": 5,
        "positives": 30,
        "negatives": 30,
        "difference": 0.05,
        **options,
    }
    pilot = given.pop("pilot")
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match=words):
        pauci.mrmc_power(pilot, **given)


def test_pilots_of_other_designs():
    study = pauci.ReaderStudy.from_frame(FRAME)
    fixed = pauci.mrmc(study, pauci.AUC(), readers="fixed")
    with pytest.raises(pauci.UndefinedError, match="both are random"):
        pauci.mrmc_power(fixed, 5, 30, 30)
    one = pauci.ReaderStudy.from_frame(FRAME[FRAME["modality"] == "A"])
    with pytest.raises(pauci.UndefinedError, match="one modality"):
        pauci.mrmc_power(pauci.mrmc(one, pauci.AUC()), 5, 30, 30, difference=0.1)
    with pytest.raises(pauci.UndefinedError, match="one modality"):
        pauci.mrmc_power(pauci.mrmc(one, pauci.AUC()), 5, 30, 30)
    some = FRAME[(FRAME["modality"] == "A") | (FRAME["reader"] != "r0")]
    partly = pauci.mrmc(pauci.ReaderStudy.from_frame(some), pauci.AUC())
    with pytest.raises(pauci.UndefinedError, match=r"design of the pilot is .*partly crossed"):
        pauci.mrmc_power(partly, 5, 30, 30)
    machine = FRAME[(FRAME["modality"] == "B") & (FRAME["reader"] == "r0")].assign(reader="AI")
    both = pauci.ReaderStudy.from_frame(pd.concat([FRAME[FRAME["modality"] == "A"], machine]))
    m = pauci.mrmc(both, pauci.AUC(), standalone="B")
    with pytest.raises(pauci.UndefinedError, match="at least two readers"):
        pauci.mrmc_power(m, 5, 30, 30)


DESIGNS = [
    (readers, blocks, by_readers, by_cases)
    for readers, blocks in [(4, 1), (6, 2), (6, 3), (7, 3), (5, 5)]
    for by_readers in ("crossed", "nested")
    for by_cases in ("crossed", "nested")
]


@pytest.mark.parametrize(("readers", "blocks", "by_readers", "by_cases"), DESIGNS)
def test_variances_are_those_of_the_model(readers, blocks, by_readers, by_cases):
    """By brute force: the covariance matrix of all cells, and the contrasts that `mrmc` takes."""
    c = {**COMPONENTS, "reader": 0.0003}
    n_pos, n_neg = 30 * blocks, 40 * blocks
    scale = c["cases"] / 70
    cells = [(r, m) for m in (0, 1) for r in range(readers)]
    sigma = np.zeros((len(cells), len(cells)))
    for i, (r, m) in enumerate(cells):
        for j, (s, k) in enumerate(cells):
            same_reader = r == s and (m == k or by_readers == "crossed")
            same_cases = r % blocks == s % blocks and (m == k or by_cases == "crossed")
            key = {(True, True): "error", (True, False): "cov1", (False, True): "cov2"}
            covariance = c[key.get((same_reader, m == k), "cov3")]
            sigma[i, j] = scale * covariance * same_cases
            sigma[i, j] += c["reader"] * same_reader
            sigma[i, j] += c["reader_by_modality"] * (same_reader and m == k)
    contrast = np.repeat([1.0, -1.0], readers) / readers
    variance = contrast @ sigma @ contrast
    centred = np.eye(readers) - 1.0 / readers
    a, b = (np.sqrt(readers / (readers - 1)) / readers * f * centred for f in (1.0, -1.0))
    zero = np.zeros_like(a)
    deviations = np.hstack([a, b]) if by_readers == "crossed" else np.block([[a, zero], [zero, b]])
    among = np.trace(deviations @ sigma @ deviations.T)
    # As in the analysis, the covariance of common cases is truncated at 0.
    variance = max(variance, among)
    df = (readers - 1) * (1 + (by_readers == "nested")) * (variance / among) ** 2
    for difference, alternative in ((0.06, "two-sided"), (0.05, "greater"), (-0.04, "less")):
        got = pauci.mrmc_power(
            c,
            readers,
            n_pos,
            n_neg,
            difference=difference,
            blocks=blocks,
            readers_by_modalities=by_readers,
            cases_by_modalities=by_cases,
            alternative=alternative,
        )
        shift = abs(difference) / np.sqrt(variance)
        tail = 0.025 if alternative == "two-sided" else 0.05
        critical = stats.t(df).isf(tail)
        expected = stats.nct.sf(critical, df, shift)
        if alternative == "two-sided":
            expected += stats.nct.cdf(-critical, df, shift)
        # The oldest SciPy sums the noncentral F distribution to four digits and a half.
        assert got == pytest.approx(expected, rel=1e-4)


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
@pytest.mark.parametrize("blocks", [1, 2, 3, 6])
def test_the_same_split_plot_study_again(blocks):
    """The planned variance for the design of a split-plot pilot is that of its analysis."""
    for seed in range(40):
        frame = roe_metz(np.random.default_rng(seed), 6, 20, 24, blocks=blocks)
        m = pauci.mrmc(pauci.ReaderStudy.from_frame(frame), pauci.AUC())
        c = m.components
        if c["reader_by_modality"] > 0 and c["cov2"] > c["cov3"]:
            break
        if blocks == 6 and c["reader_by_modality"] > 0:
            break
    (d,) = m.contrasts
    critical = stats.t(d.df).isf(0.025)
    shift = d.value / d.se
    expected = stats.nct.sf(critical, d.df, shift) + stats.nct.cdf(-critical, d.df, shift)
    got = pauci.mrmc_power(m, 6, 20 * blocks, 24 * blocks, blocks=blocks)
    assert got == pytest.approx(expected, rel=1e-5)


def test_pilots_without_all_components_are_an_error():
    frame = roe_metz(np.random.default_rng(5), 8, 20, 24)
    more = {"difference": 0.1}
    apart = frame[(frame["modality"] == "A") == (frame["reader"] < "r4")]
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(apart), pauci.AUC())
    assert 0 < pauci.mrmc_power(m, 5, 30, 30, **more, readers_by_modalities="nested") < 1
    with pytest.raises(pauci.UndefinedError, match="does not estimate all components"):
        pauci.mrmc_power(m, 5, 30, 30, **more)
    other = frame[(frame["modality"] == "A") == (frame["case"] % 2 == 0)]
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(other), pauci.AUC())
    assert 0 < pauci.mrmc_power(m, 5, 30, 30, **more, cases_by_modalities="nested") < 1
    with pytest.raises(pauci.UndefinedError, match="does not estimate all components"):
        pauci.mrmc_power(m, 5, 30, 30, **more)
    alone = roe_metz(np.random.default_rng(5), 6, 20, 24, blocks=6)
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(alone), pauci.AUC())
    assert 0 < pauci.mrmc_power(m, 4, 40, 40, **more, blocks=4) < 1
    with pytest.raises(pauci.UndefinedError, match="does not estimate all components"):
        pauci.mrmc_power(m, 4, 40, 40, **more, blocks=2)
    with pytest.raises(pauci.UndefinedError, match="'reader'"):
        pauci.mrmc_power(COMPONENTS, 5, 30, 30, **more, readers_by_modalities="nested")


@pytest.mark.parametrize("blocks", [1, 3])
def test_the_variance_between_readers_of_a_pilot(blocks):
    """Half the mean square of differences of two readers, less that due to the cases."""
    frame = roe_metz(np.random.default_rng(6), 6, 25, 30, blocks=blocks)
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(frame), pauci.AUC())
    of_modalities = []
    for modality in (0, 1):
        cells = [k for k, cell in enumerate(m.study.cells) if cell.modality == modality]
        pairs = [
            ((m.cells[i].value - m.cells[j].value) ** 2 - np.array([1, -1]) @ c @ [1, -1]) / 2
            for i, j in combinations(cells, 2)
            for c in [m.covariance[np.ix_([i, j], [i, j])]]
        ]
        of_modalities.append(np.mean(pairs))
    between = np.mean(of_modalities) - m.components["reader_by_modality"]
    assert between > 0
    cases = np.mean([cell.cases.size for cell in m.study.cells])
    named = {**m.components, "cases": cases, "reader": between}
    # The covariances of readers in different blocks are 0, and those of a plan are within blocks.
    k = 6 // blocks
    named |= {name: named[name] * 6 * 5 / (blocks * k * (k - 1)) for name in ("cov2", "cov3")}
    for options in ({}, {"readers_by_modalities": "nested"}):
        power = [
            pauci.mrmc_power(pilot, 6, 60, 60, difference=0.1, blocks=blocks, **options)
            for pilot in (m, named)
        ]
        assert power[0] == pytest.approx(power[1], rel=1e-9)


def test_the_design_of_viper_can_be_planned():
    """Power increases with readers, with blocks of as many cases, and with readings per reader."""
    m = pauci.mrmc(viper("screeningHighP"), pauci.AUC())
    four = pauci.mrmc_power(m, [20, 40], [88], [152], difference=0.06, blocks=4)["power"]
    assert 0.3 < four.iloc[0] < four.iloc[1] < 0.99
    eight = pauci.mrmc_power(m, 40, 176, 304, difference=0.06, blocks=8)
    assert eight > four.iloc[1]
    assert pauci.mrmc_power(m, 20, 88, 152, difference=0.06) > four.iloc[0]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize(
    ("blocks", "by_readers", "by_cases"),
    [(3, "crossed", "crossed"), (1, "nested", "crossed"), (1, "crossed", "nested")],
)
def test_power_is_how_often_studies_find_a_difference(blocks, by_readers, by_cases):
    """From components of many factorial pilots, for studies of another design."""
    rng = np.random.default_rng(21)
    shift, readers, m = (1.5, 0.9), 6, pauci.AUC()
    found = []
    for _ in range(200):
        pilot = pauci.mrmc(pauci.ReaderStudy.from_frame(roe_metz(rng, 6, 40, 40, shift)), m)
        found.append([*pilot.values_of_components, pilot.contrasts[0].value])
    mean = np.mean(found, axis=0)
    c = dict(zip(pilot.components.index, mean, strict=False)) | {"cases": 80}
    rejected, runs = 0, 500
    for _ in range(runs):
        frame = roe_metz(
            rng, readers * (1 + (by_readers == "nested")), 40, 40, shift, blocks=blocks
        )
        first = frame["modality"] == "A"
        number = frame["reader"].str[1:].astype(int)
        if by_readers == "nested":
            frame = frame[first == (number < readers)]
        if by_cases == "nested":
            frame = frame[first == (frame["case"] % 2 == 0)]
        study = pauci.ReaderStudy.from_frame(frame)
        rejected += pauci.mrmc(study, m).differences["pvalue"].item() < 0.05
    cases = 40 * blocks // (1 + (by_cases == "nested"))
    expected = pauci.mrmc_power(
        c,
        readers,
        cases,
        cases,
        difference=mean[-1],
        blocks=blocks,
        readers_by_modalities=by_readers,
        cases_by_modalities=by_cases,
    )
    assert 0.2 < expected < 0.95
    assert rejected / runs == pytest.approx(expected, abs=0.07)


def degenerate(kind):
    frame = roe_metz(np.random.default_rng(5), 4, 25, 30)
    if kind == "perfect":
        return frame.assign(score=frame["label"])
    if kind == "constant":
        return frame.assign(score=1.0)
    first = frame[frame["modality"] == "A"]
    return pd.concat([first, first.assign(modality="B")], ignore_index=True)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("perfect", "standard error 0.*perfect separation"),
        ("constant", "standard error 0.*one score"),
        ("same", "error equals cov1.*same scores"),
    ],
)
def test_a_degenerate_pilot_raises_an_error_with_the_reason(kind, words):
    pilot = pauci.mrmc(pauci.ReaderStudy.from_frame(degenerate(kind)), pauci.AUC())
    with pytest.raises(pauci.InputError, match=words) as caught:
        pauci.mrmc_power(pilot, 10, 50, 50, difference=0.05)
    assert caught.value.argument == "pilot"
    for name in ("error=", "cov1=", "cov2=", "cov3=", "error - cov1 - (cov2 - cov3)"):
        assert name in str(caught.value)


def test_numbers_of_readers_as_a_range_and_components_as_a_series():
    table = pauci.mrmc_power(COMPONENTS, range(4, 7), 30, 30, difference=0.05)
    assert table["readers"].tolist() == [4, 5, 6]
    assert table["power"].is_monotonic_increasing
    with pytest.raises(pauci.InputTypeError, match=r"a Series; .* a dict of 'error', 'cov1'"):
        pauci.mrmc_power(pd.Series(COMPONENTS), 5, 30, 30, difference=0.05)


def test_readers_nested_in_modalities_take_the_component_of_readers():
    lacking = {k: v for k, v in COMPONENTS.items() if k != "reader"}
    with pytest.raises(pauci.UndefinedError, match="pass it as the component 'reader'"):
        pauci.mrmc_power(lacking, 5, 30, 30, difference=0.05, readers_by_modalities="nested")


@pytest.mark.parametrize(
    "options", [{"difference": 5}, {"difference": -1.0}, {"null": 2.0}], ids=str
)
def test_a_difference_beyond_the_range_of_the_measure_is_an_error(options):
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(FRAME), pauci.AUC())
    (name,) = options
    with pytest.raises(pauci.InputError, match=rf"{name}=.*AUC.* width is 1.* 0\.05") as caught:
        pauci.mrmc_power(m, 5, 40, 40, **options)
    assert caught.value.argument == name


def test_the_range_of_a_difference_is_that_of_the_measure():
    """An area over a fifth of the axis has a range of .2; components do not state the measure."""
    m = pauci.mrmc(pauci.ReaderStudy.from_frame(FRAME), pauci.PAUC(fpr=(0, 0.2)))
    assert pauci.mrmc_power(m, 5, 40, 40, difference=0.19) > 0.9
    with pytest.raises(pauci.InputError, match=r"width is 0\.2"):
        pauci.mrmc_power(m, 5, 40, 40, difference=0.2)
    with pytest.warns(pauci.errors.PlanningWarning, match="difference=5"):
        pauci.mrmc_power(COMPONENTS, 5, 40, 40, difference=5)
