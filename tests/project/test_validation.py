"""The validation study: true values, seeds, and the page of its results."""

import csv
import re
import warnings

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import design
import pages
import pauci
import run
import silent
import study_cells
from cells import SIMULATIONS, Tally, estimate_all
from design import SIZES, Group, crossed, groups, measures, parts, reduced
from designed_samples import SCREENED, drawn, unequal_clusters
from ends import selected_for
from populations import CROSSED, DIFFICULT, POPULATIONS, improved
from tally import add_difference
from truth import truth


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", CROSSED)
def test_the_truth_is_what_a_large_sample_estimates(name):
    population, n = POPULATIONS[name], 20_000
    y = np.repeat([1, 0], n)
    rng = np.random.default_rng(3)
    sample = pauci.Sample(y, population.draw(rng, n, n), design="case-control")
    for measure in measures(population):
        e = pauci.estimate(sample, measure)
        bias = 2.0 * e.se if isinstance(measure, pauci.MaxKappa) else 0.0
        # Within a tie some areas have a known value, whatever the slope.
        exact = 1e-9 * (population.tied < 1.0)
        assert abs(e.value - truth(population, measure, 0.5)) < 4.5 * e.se + bias + exact, measure


@pytest.mark.long
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", DIFFICULT)
def test_the_truth_is_the_value_of_a_table_of_the_population(name):
    """The probabilities of 40,000 cells are counts of a sample."""
    population, u = POPULATIONS[name], (np.arange(20_000) + 0.5) / 20_000
    scores = np.unique(population.scores(u, u))
    tails = np.array([tail(scores) for tail in (population.pos_tail, population.neg_tail)])
    tails[:, 0] = 1.0  # the lowest cell has all lower scores
    counts = np.rint(-1e9 * np.diff(tails, axis=1, append=0.0)).astype(int)
    filled = counts.any(axis=0)
    positives, negatives = counts[:, filled]
    table = pauci.Sample.from_counts(scores[filled], positives, negatives)
    for measure in selected_for(Group("estimates", name, 20, 20)):
        value = pauci.estimate(table, measure).value
        assert abs(value - truth(population, measure, 0.5)) < 2e-4, measure


def test_the_tails_are_the_inverse_of_the_scores():
    u = np.linspace(0.01, 0.99, 31)
    for population in POPULATIONS.values():
        if not population.knots:
            for tail, score, tied in (
                (population.pos_tail, population.pos_score, population.roc(population.tied)),
                (population.neg_tail, population.neg_score, population.tied),
            ):
                own = u[u < tied]
                np.testing.assert_allclose(tail(score(own)), own, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", POPULATIONS)
def test_drawn_scores_have_the_curve(name):
    """The operating points of a sample are in a Kolmogorov-Smirnov band around the curve."""
    population, n = POPULATIONS[name], 100_000
    scores = population.draw(np.random.default_rng(4), n, n).reshape(2, n)
    cuts = np.quantile(scores, np.linspace(0.0, 1.0, 501))
    tpr, fpr = (1.0 - np.searchsorted(np.sort(s), cuts) / n for s in scores)
    reach = 2.2 / np.sqrt(n)
    below, above = fpr > reach, fpr < 1.0 - reach
    assert (tpr[below] >= population.roc(fpr[below] - reach) - reach).all()
    assert (tpr[above] <= population.roc(fpr[above] + reach) + reach).all()


def test_results_of_a_group_depend_only_on_its_name_and_seed(tmp_path):
    """Results do not depend on the order or on other groups, but on the seed."""
    group = Group("estimates", "ordinal, 5", 20, 20)
    rows = [run.work(group, 2, seed) for seed in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]
    first = Group("tests", "gamma", 20, 20, second="same", correlation=0.5)
    path = tmp_path / "study.csv"
    run.run([first, group], path, 2, seed=1, jobs=1)
    kept = path.read_text(encoding="utf-8")
    run.run([first, group], path, 2, seed=1, jobs=1)  # everything is there
    assert path.read_text(encoding="utf-8") == kept
    with path.open(newline="") as file:
        of_the_group = [row for row in csv.DictReader(file) if row["kind"] == "estimates"]
    assert [row["coverage"] for row in of_the_group] == [r["coverage"] for r in rows[0]]
    run.run([group], path, 3, seed=1, jobs=1)  # more samples take the place of fewer
    again = [r for r in run.read(path) if r["kind"] == "estimates"]
    assert len(again) == len(of_the_group)
    assert {int(r["replicates"]) + int(r["undefined"]) for r in again} == {3}


@pytest.mark.parametrize(
    "group",
    [
        Group("estimates", "ordinal, 5", 20, 20, design="cohort"),
        Group("tests", "limit of detection", 20, 20, second="independent"),
        Group("clusters", "binormal", 6, 20),
        Group("weights", "gamma", 20, 20),
    ],
    ids=lambda g: g.kind,
)
def test_a_group_continues_from_stored_counts(group, tmp_path):
    at_once = run.work(group, 3, 1)
    run.work(group, 2, 1, tmp_path)
    assert run.work(group, 3, 1, tmp_path) == at_once
    assert run.work(group, 2, 1, tmp_path) == run.work(group, 2, 1)  # kept are more than asked


def test_a_warning_is_counted_for_the_measure_that_it_names():
    """If a warning is about one measure, the others have no warning."""
    asked = [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.01))]
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], 100)
    sample = pauci.Sample(y, rng.standard_normal(200) + 1.5 * y, design="case-control")
    tallies = [Tally(0.8), Tally(0.001)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        estimate_all(sample, asked, tallies)
    assert not tallies[0].warned
    assert not tallies[0].warnings
    assert tallies[1].warnings["SmallRegionWarning"] == tallies[1].warned == 1
    covered = tallies[1].covered["SmallRegionWarning"]
    assert f"SmallRegionWarning:1:{covered}" in tallies[1].row()["warnings"]


def test_only_two_sided_tests_are_certain():
    """A one-sided p-value near 1 belongs to an estimate on the other side of the null value."""
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], 40)
    scores = {"a": rng.standard_normal(80), "b": rng.standard_normal(80) + 3.0 * y}
    tallies = [Tally(0.0), Tally(0.0)]
    for tally, alternative in zip(tallies, ("greater", "two-sided"), strict=True):
        c = pauci.compare(pauci.Sample(y, scores), pauci.AUC(), alternative=alternative)
        add_difference(c, tally, [])
    assert (
        pauci.compare(pauci.Sample(y, scores), pauci.AUC(), alternative="greater").pvalue > 0.9995
    )
    assert [float(t.rejections()["p_is_1"]) for t in tallies] == [0.0, 0.0]
    assert [float(t.rejections()["wald_rejected"]) for t in tallies] == [0.0, 100.0]


def test_the_study_has_every_kind_of_cell():
    assert {g.kind for g in groups()} == {*SIMULATIONS, "family"}
    assert set(reduced()) < set(groups())
    assert len({g.name for g in groups()}) == len(groups())
    of_populations = [g for g in crossed() if g.kind == "estimates" and g.design == "case-control"]
    assert len(of_populations) == len(CROSSED) * len(SIZES)
    counts = len(crossed()), len(of_populations), len(CROSSED), len(SIZES)
    assert tuple(map(int, re.findall(r"\d+", design.__doc__))) == counts
    assert {g.population for g in parts()["ends"]} > set(DIFFICULT)
    assert not set(CROSSED) & set(DIFFICULT)


OF_EACH_DESIGN = [g for g in reduced() if g not in crossed()]


@pytest.mark.long
@pytest.mark.parametrize("group", OF_EACH_DESIGN, ids=lambda g: g.name)
def test_every_design_has_results(group):
    rows = run.work(group, 1, 1)
    assert all(set(row) <= set(run.COLUMNS) for row in rows)
    assert sum(int(row["replicates"]) for row in rows) > 0.5 * len(rows)
    tested = [row for row in rows if row.get("rejected", "") != ""]
    assert bool(tested) == (group.kind == "tests" and group.design != "bands")


# Samples of the designs


def test_an_improved_population_has_a_higher_curve():
    for base in (POPULATIONS["comb"], POPULATIONS["Poisson"]):
        better = improved(base, 0.5, "better")
        x, n = np.array([0.05, 0.3, 0.7]), 50_000
        if base.knots:
            x = np.array(base.knots)[2:5, 0]
        expected = ndtr(ndtri(base.roc(x)) + 0.5)
        np.testing.assert_allclose(better.roc(x), expected, atol=1e-9)
        positives = better.draw(np.random.default_rng(1), n, n)[:n]
        at = np.array([2.0, 4.0])
        shares = [np.mean(positives >= s) for s in at]
        np.testing.assert_allclose(shares, better.pos_tail(at), atol=0.01)


def test_the_largest_cluster_determines_the_effective_number():
    rng = np.random.default_rng(2)
    for shape, number in (((0.30, 15), 8), ((0.25, 20), 11)):
        sizes = np.bincount(unequal_clusters(rng, 240, *shape))
        assert abs(sizes.sum() ** 2 / (sizes**2).sum() - number) < 2.5


@pytest.mark.long
@pytest.mark.parametrize(
    ("design_name", "detail"),
    [
        ("clusters of 4-5", ""),
        ("unequal clusters", "8 effective clusters"),
        ("weights 10:1", ""),
        ("verification", ""),
        ("folds", ""),
    ],
)
def test_designs_have_the_curve_of_the_population(design_name, detail):
    """The average over samples of the (weighted) rates at a threshold is that of the population."""
    population = POPULATIONS["gamma"]
    group = Group("estimates", "gamma", 150, 300, design=design_name, detail=detail)
    cut = float(population.neg_score(np.array(0.5 * SCREENED)))
    rng, rates = np.random.default_rng(4), []
    for _ in range(60):
        sample = drawn(group, [population], rng)
        rates.append(
            [
                float(pauci.estimate(sample, m(threshold=cut)))
                for m in (pauci.Sensitivity, pauci.Specificity)
            ]
        )
    mean, se = np.mean(rates, axis=0), np.std(rates, axis=0) / np.sqrt(len(rates))
    expected = [
        truth(population, m(threshold=cut), 0.5) for m in (pauci.Sensitivity, pauci.Specificity)
    ]
    assert (np.abs(mean - expected) < 4.0 * se).all()


@pytest.mark.long
def test_every_figure_of_the_page_is_one_of_the_results():
    cells, second = (study_cells.load(path) for path in (pages.STUDY, pages.SECOND))
    parts = pages.parts()
    assert parts["cells"] == f"{len(cells):,}"
    rows = parts["by_measure"].splitlines()[2:]
    part = study_cells.estimates_of(cells)
    assert len(rows) == part[part["kind"] == "estimates"]["measure"].nunique()
    assert pages.parts_of(cells, second) == parts
    fewer = cells.assign(silent_covered=0.9 * cells["silent_covered"])
    assert silent.summary(fewer) != parts["summary"]
    assert len(silent.short(fewer)) > len(silent.short(cells))


@pytest.mark.long
def test_every_exception_is_listed():
    cells, parts = study_cells.load(pages.STUDY), pages.parts()
    for bad, name in (
        (silent.short(cells), "exceptions"),
        (silent.liberal(cells), "exceptions of tests"),
    ):
        assert parts[name].count("\n| `") == len(bad)
