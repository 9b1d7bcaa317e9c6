"""Fast paths give the same numbers as their reference implementations (list: .github/twins.md)."""

import pkgutil
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import both_kernels
import pauci
from both_kernels import row_layout
from pauci.curve import sorting
from pauci.curve.counts import CountTable, look_up_codes, tabulate
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, AxisRegion, PointRegion
from pauci.curve.runs import RunTable
from pauci.errors import UndefinedError
from pauci.intervals.mid_p import rate_at, rates_at
from pauci.measures.precision import average_precision_without_a_row
from pauci.measures.prevalence import as_designed
from pauci.resampling import kernels, numpy_kernels
from pauci.resampling.draws import drawn_counts, initial_states
from pauci.resampling.numpy_kernels import KINDS, OUTPUTS, request
from pauci.variance.contributions import z_of_terms
from pauci.variance.leave_one_out import leave_one_out_values
from strategies import AXES, bounds

PAGE = (Path(__file__).parents[2] / ".github" / "twins.md").read_text(encoding="utf-8")


class Case(NamedTuple):
    """Counts by tie group, a region, a prevalence, and a seed."""

    pos: np.ndarray
    neg: np.ndarray
    region: Any
    prevalence: float | None
    fixed: bool
    seed: int

    @property
    def curve(self):
        """Return the curve of the counts, including empty groups."""
        cums = [np.concatenate(([0], np.cumsum(c))) for c in (self.pos, self.neg)]
        scores = np.arange(self.pos.size, dtype=float)[::-1]
        sizes = int(self.pos.sum()), int(self.neg.sum())
        return Curve(CountTable(scores, *cums, *sizes, fixed_prevalence=self.fixed))

    @property
    def rows(self):
        """Return labels and scores of the counted rows, in arbitrary order."""
        scores = [np.repeat(-np.arange(c.size), c) for c in (self.pos, self.neg)]
        labels = np.repeat([1, 0], [s.size for s in scores])
        order = np.random.default_rng(labels.size).permutation(labels.size)
        return labels[order] == 1, np.concatenate(scores)[order].astype(float)


@st.composite
def cases(draw):
    """Draw small tables with ties, pure and empty groups, and regions or points of either axis."""
    k = draw(st.integers(1, 7))
    counts = st.lists(st.integers(0, 4) | st.sampled_from([0, 0, 9]), min_size=k, max_size=k)
    pos, neg = (np.array(draw(counts)) for _ in range(2))
    assume(min(pos.sum(), neg.sum()) >= 2)
    axis, (low, high) = draw(AXES), draw(bounds())
    region = AxisRegion(axis, low, high, draw(st.sampled_from(["north-east", "middle"])))
    if low > 0 and draw(st.booleans()):
        region = PointRegion(axis, low, "north-east" if axis == "fpr" else "south-west")
    share = draw(st.none() | st.sampled_from([0.01, 0.3, 0.5, 0.9]))
    return Case(pos, neg, region, share, draw(st.booleans()), draw(st.integers(0, 999)))


def measures_of_a_piece(region):
    """Return measures that depend on a part of the curve: area, ends, or both."""
    if isinstance(region, PointRegion):
        bound = region.at
        return [
            pauci.Sensitivity(fpr=bound) if region.axis == "fpr" else pauci.Specificity(tpr=bound)
        ]
    where = {region.axis: (region.low, region.high), "ends": region.ends}
    return [kind(**where) for kind in (pauci.PAUC, pauci.PAUCx, pauci.PAUCc, pauci.LocalC)]


def precisions(case):
    return [pauci.AP(case.prevalence, negatives=n) for n in (False, True)]


def corrected_precisions(case):
    return [pauci.AP(case.prevalence, negatives=n, corrected=True) for n in (False, True)]


def swept_corrected_precisions(case):
    if case.fixed and case.prevalence is None:  # the prevalence is fixed by design
        case = case._replace(prevalence=case.curve.table.prevalence)
    return [swept(case, kind)[0] for kind in ("corrected ap", "corrected ap of negatives")]


def kappas(case):
    return [pauci.AUK(case.prevalence), pauci.MaxKappa(case.prevalence)]


def at_a_cutoff(case):
    """Return measures at a threshold and at a point that depend on the rates and prevalence."""
    threshold = case.curve.table.threshold(case.pos.size // 2)
    shares = [{}, {"prevalence": 0.3 if case.prevalence is None else case.prevalence}]
    return [
        pauci.Youden(threshold=threshold),
        *(pauci.MCC(threshold=threshold, **share) for share in shares),
        *(pauci.PPV(sensitivity=0.4, **share) for share in shares),
    ]


def swept(case, kind, region=WHOLE):
    """Return the results of a sweep over the counts by both implementations, which must agree."""
    return swept_by_kernels(case, kind, region, both_kernels)


def swept_by_kernels(case, kind, region=WHOLE, kernels=kernels):
    out = np.full((1, 1, OUTPUTS), np.nan)
    counts = [c[None, None].astype(np.int64) for c in (case.pos, case.neg)]
    asked = np.array([request(kind, 0, region)])
    share = np.nan if case.prevalence is None else case.prevalence
    groups = np.array([case.pos.size])
    kernels.sweep_counts(tuple(counts), groups, (asked, np.array([share])), out)
    return out[0, 0]


def everything_by(implementation):
    """Return all results of sweeps over the counts by one implementation."""

    def results(case):
        with both_kernels.using(implementation):
            pieces = [swept_by_kernels(case, "piece", r) for r in (WHOLE, case.region)]
            return np.concatenate([*pieces, *(swept_by_kernels(case, k)[:1] for k in KINDS[1:])])

    return results


def plain_piece(case):
    curve = case.curve
    start, end = case.region.piece(curve)
    return [curve.area(start, end), start.fpr, start.tpr, end.fpr, end.tpr]


def on_the_curve(measures):
    return lambda case: [m.on(case.curve) for m in measures(case)]


def without_a_row(measures):
    """Return measures of the curves without each row."""

    def rebuilt(case):
        table, found = case.curve.table, []
        for m in (as_designed(m, table) for m in measures(case)):
            for lost in ("pos", "neg"):
                found += [_without(case, m, lost, k) for k in range(table.size)]
        return found

    return rebuilt


def _without(case, measure, lost, k):
    counts = getattr(case, lost).copy()
    counts[k] -= 1
    if counts[k] < 0:
        return np.nan
    try:
        return measure.on(case._replace(**{lost: counts}).curve)
    except UndefinedError:
        return np.nan


def leaving_out(measures):
    """Return the same measures by the fast path."""
    return lambda case: np.ravel([leave_one_out_values(case.curve, m) for m in measures(case)])


def plain_precisions_without_a_row(case):
    share = 0.3 if case.prevalence is None else case.prevalence
    return without_a_row(lambda _: [pauci.AP(share)])(case)


def fast_precisions_without_a_row(case):
    share = 0.3 if case.prevalence is None else case.prevalence
    both = average_precision_without_a_row(case.curve.table, share)
    held = [np.where(c > 0, v, np.nan) for c, v in zip((case.pos, case.neg), both, strict=True)]
    return np.concatenate(held)


def plain_draws(case):
    states = initial_states(np.random.SeedSequence(case.seed))
    sizes = [int(c.sum()) for c in (case.pos, case.neg)]
    return np.concatenate([drawn_counts(states, np.array([[n]]), np.array([n]))[0] for n in sizes])


def fast_draws(case):
    n1, n0 = (int(c.sum()) for c in (case.pos, case.neg))
    k = max(n1, n0)
    counts = np.zeros((1, 1, k), np.int64), np.zeros((1, 1, k), np.int64)
    layout = row_layout(np.arange(n1)[None], np.arange(n0)[None], np.array([k]))
    states = initial_states(np.random.SeedSequence(case.seed))
    both_kernels.count(states, (np.array([n1]), np.array([n0])), layout, counts)
    return [*counts[0][0, 0, :n1], *counts[1][0, 0, :n0]]


def tabulated(want_codes):
    def table(case):
        positive, values = case.rows
        sizes = int(positive.sum()), int((~positive).sum())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sorting, "_MIN_ROWS_TO_PACK", 0)
            found, codes = tabulate(values, positive, None, sizes, want_codes=want_codes)
        codes = look_up_codes(found, values) if codes is None else codes
        return [*found.scores, *found.cum_pos, *found.cum_neg, *codes]

    return table


def covariances(by_rows):
    """Return the variance of an AUC, from tie groups and from rows."""

    def matrix(case):
        positive, values = case.rows
        sample = pauci.Sample(positive, {"a": values, "b": np.zeros(values.size)})
        terms = [
            pauci.variance.units.Term(ratings, pauci.AUC().influence_on(ratings.curve))
            for ratings in map(sample.ratings, sample.names[: 1 + by_rows])
        ]
        return [z_of_terms(sample.rows, terms).cov[0, 0]]

    return matrix


def untied(case):
    """Return the labels of many scores without ties, best first, and an AUK.

    In some cases all positives come first, or last, so that the runs of negatives are long.
    """
    rng = np.random.default_rng(case.seed)
    n_pos, n_neg = 2_000 + 10 * int(case.pos.sum()), 5_000
    scores = rng.normal(size=n_pos + n_neg)
    scores[:n_pos] += case.seed % 19 - 9
    share = case.prevalence if case.prevalence in (None, 0.3, 0.5) else 0.7
    return np.argsort(-scores) < n_pos, pauci.AUK(share)


def kappa_by_points(case):
    """Return the AUK, its slope, and the influence of positives, and of negatives by run."""
    positive, auk = untied(case)
    cums = [np.append(0, np.cumsum(c)) for c in (positive, ~positive)]
    scores = np.arange(positive.size, dtype=float)[::-1]
    curve = Curve(CountTable(scores, *cums, int(cums[0][-1]), int(cums[1][-1])))
    found = auk.influence_on(curve)
    above, of_neg = cums[0][:-1][~positive], found.neg[~positive]
    runs, counts = np.unique(above, return_counts=True)
    means = np.bincount(above, of_neg)[runs] / counts
    # Within a run, the influence differs by terms of the order of the squared step of the FPR.
    assert np.abs(of_neg - np.repeat(means, counts)).max() < 1e-7
    of_pos = found.pos[positive]
    return [auk.on(curve), found.prevalence, *(of_pos - of_pos[0]), *(means - means[0])]


def kappa_by_runs(case):
    positive, auk = untied(case)
    before = np.cumsum(~positive)[positive]
    sizes = int(positive.sum()), int((~positive).sum())
    scores = sorting.DistinctValues(np.arange(positive.size, dtype=float), None)
    before = np.concatenate(([0], before, [sizes[1]])).astype(np.int32)
    curve = Curve(RunTable(before, "positives", scores, untied=True))
    assert auk.constant_between(sizes, untied=True) == ("positives",)
    found, (runs,) = auk.influence_on(curve), np.nonzero(np.diff(before))
    of_pos, of_neg = found.pos[:-1], found.neg[runs]
    return [auk.on(curve), found.prevalence, *(of_pos - of_pos[0]), *(of_neg - of_neg[0])]


def cells_of(case):
    """Return counts and larger totals, one for each tie group."""
    return np.asarray(case.pos, float), case.pos + case.neg + 1.0


def plain_limits(case):
    return [rate_at(d, m, n) for d in (1.96, -0.7) for m, n in zip(*cells_of(case), strict=True)]


def fast_limits(case):
    return np.concatenate([rates_at(d, *cells_of(case)) for d in (1.96, -0.7)])


class Pair(NamedTuple):
    """A reference implementation and its fast path."""

    name: str
    plain: Callable[[Case], Any]
    fast: Callable[[Case], Any]


def pieces(case):
    return measures_of_a_piece(case.region)


PAIRS = [
    Pair("part of a resampled curve", plain_piece, lambda c: swept(c, "piece", c.region)),
    Pair("part of a curve without a row", without_a_row(pieces), leaving_out(pieces)),
    Pair(
        "average precision of a resampled curve",
        on_the_curve(precisions),
        lambda c: [swept(c, kind)[0] for kind in ("ap", "ap of negatives")],
    ),
    Pair(
        "corrected average precision of a resampled curve",
        on_the_curve(corrected_precisions),
        swept_corrected_precisions,
    ),
    Pair(
        "average precision without a row",
        plain_precisions_without_a_row,
        fast_precisions_without_a_row,
    ),
    Pair("jackknife of average precision", without_a_row(precisions), leaving_out(precisions)),
    Pair(
        "kappa of a resampled curve",
        on_the_curve(kappas),
        lambda c: [swept(c, kind)[0] for kind in ("auk", "max kappa")],
    ),
    Pair(
        "prevalence of a resampled curve",
        lambda c: [c.curve.table.prevalence],
        lambda c: [swept(c, "prevalence")[0]],
    ),
    Pair(
        "measures at a cut-off without a row", without_a_row(at_a_cutoff), leaving_out(at_a_cutoff)
    ),
    Pair("kappa without a row", without_a_row(kappas), leaving_out(kappas)),
    Pair("area under the kappa curve without ties", kappa_by_points, kappa_by_runs),
    Pair(
        "kernels of the bootstrap",
        everything_by(numpy_kernels),
        everything_by(both_kernels.IMPLEMENTATIONS[-1]),
    ),
    Pair("draws of rows", plain_draws, fast_draws),
    Pair("table of a sample", tabulated(True), tabulated(False)),
    Pair("covariance by rows and by tie groups", covariances(True), covariances(False)),
    Pair("mid-p limits of proportions", plain_limits, fast_limits),
]


@pytest.mark.parametrize("pair", PAIRS, ids=[p.name for p in PAIRS])
@given(case=cases())
def test_fast_paths_agree_with_reference_implementations(pair, case):
    try:
        expected = pair.plain(case)
    except UndefinedError:
        assume(False)
    np.testing.assert_allclose(pair.fast(case), expected, rtol=1e-12, atol=1e-13)


def listed():
    """Return the rows of the table on the page: the formula, and the two names in backquotes."""
    rows = re.findall(r"^\| ([^|]+) \| (`[^|]+`) \| (`[^|]+`) \| [^|]+ \|$", PAGE, flags=re.M)
    return {name: re.findall(r"`([\w.]+)`", plain + fast) for name, plain, fast in rows}


def test_the_page_lists_these_pairs_and_no_others():
    assert list(listed()) == [p.name for p in PAIRS]


@pytest.mark.parametrize("name", [n for names in listed().values() for n in names])
def test_names_on_the_page_exist(name):
    assert callable(pkgutil.resolve_name(name))
