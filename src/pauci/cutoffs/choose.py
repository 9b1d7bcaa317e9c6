"""Choose a cut-off from the data, with its uncertainty and its accuracy."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, overload

import numpy as np

from pauci import checks
from pauci.calls import validate_call
from pauci.cautions.about_data import warn_if_reversed
from pauci.cautions.about_estimates import check_competing
from pauci.checks import FloatArray, Number
from pauci.curve.polyline import Point
from pauci.curve.region import parse_bound
from pauci.cutoffs.cutoff_results import Cutoff, Cutoffs, RateAtCutoff, RatesAtCutoff, UncertainZone
from pauci.cutoffs.uncertainty import (
    AtRate,
    AtSensitivity,
    AtSpecificity,
    CodedRows,
    Counts,
    Criterion,
    EqualRates,
    Maximize,
    Rule,
    coded_rows,
    criterion_of,
    criterion_of_cost,
    cumulative_counts,
    optimism,
)
from pauci.errors import DegenerateWarning, InputError, UndefinedError, warn
from pauci.inference.arguments import check_one_classifier, check_sample
from pauci.measures.at_cutoff import SENSITIVITY, SPECIFICITY
from pauci.measures.decisions import Youden
from pauci.resampling.bootstrap import Bootstrap
from pauci.sample.ratings import Ratings
from pauci.sample.sample import Sample
from pauci.sample.weights import row_groups
from pauci.variance.cutoff_counts import CutoffCounts, EffectiveCount

_RULES = "maximize=, specificity=, sensitivity=, equal=True, cost=, or rule_in= and rule_out="


@overload
def cutoff(
    sample: Sample,
    *,
    maximize: "Callable[..., Any] | None" = None,
    specificity: "Number | None" = None,
    sensitivity: "Number | None" = None,
    equal: bool = False,
    cost: "tuple[Number, Number] | None" = None,
    prevalence: "Number | None" = None,
    by: None = None,
    folds: int = 5,
    repeats: int = 20,
    rng: "int | np.random.Generator | None" = None,
) -> Cutoff: ...


@overload
def cutoff(
    sample: Sample,
    *,
    rule_in: "Number",
    rule_out: "Number",
    by: None = None,
    folds: int = 5,
    repeats: int = 20,
    rng: "int | np.random.Generator | None" = None,
) -> UncertainZone: ...


@overload
def cutoff(
    sample: Sample,
    *,
    maximize: "Callable[..., Any] | None" = None,
    specificity: "Number | None" = None,
    sensitivity: "Number | None" = None,
    equal: bool = False,
    cost: "tuple[Number, Number] | None" = None,
    rule_in: "Number | None" = None,
    rule_out: "Number | None" = None,
    prevalence: "Number | None" = None,
    by: Any,
    skip_small: bool = False,
    folds: int = 5,
    repeats: int = 20,
    rng: "int | np.random.Generator | None" = None,
) -> Cutoffs: ...


@validate_call
def cutoff(
    sample: Sample,
    *,
    maximize: "Callable[..., Any] | None" = None,
    specificity: "Number | None" = None,
    sensitivity: "Number | None" = None,
    equal: bool = False,
    cost: "tuple[Number, Number] | None" = None,
    rule_in: "Number | None" = None,
    rule_out: "Number | None" = None,
    prevalence: "Number | None" = None,
    by: Any = None,
    skip_small: bool = False,
    folds: int = 5,
    repeats: int = 20,
    rng: "int | np.random.Generator | None" = None,
) -> "Cutoff | UncertainZone | Cutoffs":
    r"""Choose a cut-off from the data, with its uncertainty and its accuracy on new observations.

    Parameters
    ----------
    sample : Sample
        One classifier.
    maximize : class of a measure
        The cut-off with the largest value of ``pauci.Youden``, ``BalancedAccuracy``, ``Accuracy``,
        ``F``, ``Kappa``, ``MCC`` or ``NetBenefit``, or of a partial of one, such as
        ``functools.partial(pauci.F, beta=2)``. Other measures are not accepted: they are not
        measures at a cut-off, or have their largest value at an end of the curve.
    specificity, sensitivity : number
        The lowest cut-off whose specificity is at least this value, or the highest cut-off whose
        sensitivity is at least this value.
    equal : bool, default False
        The cut-off at which sensitivity and specificity are closest to each other.
    cost : tuple of two numbers
        The cost of a false negative divided by that of a false positive, and the prevalence: the
        cut-off with the smallest expected cost.
    rule_in, rule_out : number
        Two cut-offs with an uncertain zone between them: the upper one has at least the specificity
        `rule_in`, the lower one at least the sensitivity `rule_out`.
    prevalence : number, optional
        The prevalence in the target population, for a criterion that depends on it; the default is
        that of the sample. It is required for a case-control sample.
    by : str, array_like or dict, optional
        Groups of rows, as for `estimate`, each with a cut-off of its own.
    skip_small : bool, default False
        Whether to leave out groups with fewer than two observations (or clusters) of a class;
        otherwise they raise an error.
    folds, repeats : int, default 5 and 20
        Number of folds and of repetitions of the cross-fitting. There are fewer folds if a class
        has fewer independent observations.
    rng : int or numpy.random.Generator, optional
        Seed of the folds, or a generator from which the seed is drawn. If None, a random seed is
        used, which ``summary()`` shows.

    Returns
    -------
    Cutoff, UncertainZone or Cutoffs
        The cut-off; two cut-offs for `rule_in` and `rule_out`; the cut-offs of the groups for `by`.
        Scores of at least the cut-off are positive, or at most if lower scores are positive.

    Raises
    ------
    TypeError, ValueError
        For no rule or several, several classifiers, a measure that is not a useful criterion, rates
        outside (0, 1), costs that are not positive, a criterion that depends on the prevalence of a
        case-control sample, or a rate that no cut-off reaches.

    Warns
    -----
    DegenerateWarning
        If the best cut-off calls all rows positive, or none.
    ReversedScoresWarning
        If the AUC is significantly below 0.5.

    Notes
    -----
    *Interval.* A cut-off at a given specificity or sensitivity is a quantile, with limits by order
    statistics (Conover 1999); the cut-off with equal rates has the limits of a score test of their
    difference. The cut-off that maximizes a criterion converges at the rate :math:`n^{-1/3}`, so
    that neither standard errors nor the bootstrap are valid. Its interval is the range of the
    cut-offs that no other cut-off exceeds significantly, by comparisons of each cut-off with all
    others, which are simultaneous and exact in small samples (see `Cutoff.set`). With clusters or
    sampling weights, sizes and comparisons have design effects.

    *Accuracy.* The rates at a cut-off that was chosen on the same data (``apparent``) are biased
    upwards (Leeflang, Moons, Reitsma and Zwinderman 2008). The ``honest`` rates subtract the
    cross-fitted optimism: the mean difference between the rates on the training folds and on the
    fold left out, at the cut-off chosen on the training folds. It is scaled to the number of all
    observations, because it is of order :math:`n^{-2/3}` for a criterion and 1/n for given rates.
    The honest rates estimate those of this cut-off on new observations of the same population, and
    so do their mid-p intervals. An interval ends at 1 if the apparent rate is 1, and at 0 if it is
    0. Clusters are not divided between folds.

    References
    ----------
    D. W. K. Andrews and G. Soares (2010), Econometrica 78:119-157. W. J. Conover (1999), Practical
    Nonparametric Statistics, 3rd edition, section 3.2. M. M. G. Leeflang, K. G. M. Moons, J. B.
    Reitsma and A. H. Zwinderman (2008), Clinical Chemistry 54:729-737.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_hanley_mcneil()
    >>> ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    >>> k = pauci.cutoff(ct, specificity=0.75, rng=1)
    >>> k.value, k.interval()
    (4.0, Interval(low=3, high=5))
    >>> round(k.apparent.specificity.value, 3), round(k.honest.specificity.value, 3)
    (0.776, 0.746)
    """
    check_sample(sample, "cutoff", ", maximize=pauci.Youden")
    check_one_classifier(sample, "a cut-off is")
    checks.check_flag("equal", equal)
    checks.check_flag("skip_small", skip_small)
    checks.check_whole("folds", folds, 2)
    checks.check_whole("repeats", repeats, 1)
    passed: dict[str, Any] = {"maximize": maximize, "specificity": specificity}
    passed |= {"sensitivity": sensitivity, "equal": equal or None, "cost": cost}
    passed |= {"rule_in": rule_in, "rule_out": rule_out}
    rules = _rules(sample, passed, prevalence)
    fitting = folds, repeats, Bootstrap(rng=rng).seed()
    result_of = partial(_result, rules=rules, fitting=fitting)
    if by is None:
        if skip_small:
            raise InputError.about("skip_small", "applies to groups of rows.", hint="Pass by=.")
        return result_of(sample)
    rows = sample.rows
    sample.ratings()  # folds raise an error
    groups = row_groups(rows, by, None, skip_small=skip_small)
    parts = [sample.part(rows.part(at), at) for at in groups.rows]
    results = list(map(result_of, parts))
    clusters = None
    if rows.cluster is not None:
        clusters = np.unique(np.concatenate([rows.cluster[at] for at in groups.rows])).size
    labels = tuple(groups.labels)
    return Cutoffs(groups.name, labels, tuple(results), sample, groups.skipped, clusters)


Fitting = tuple[int, int, int]
"""The numbers of folds and of repetitions of the cross-fitting, and its seed."""


def _rules(sample: Sample, passed: Mapping[str, Any], prevalence: Any) -> list[Rule]:
    """Return the rule that was passed, or the two rules of an uncertain zone."""
    given = {name: value for name, value in passed.items() if value is not None}
    _check_one_rule(given, prevalence)
    if "maximize" in given:
        criterion = criterion_of(given["maximize"], prevalence, sample.design)
        if criterion.of_absolute_risk:
            check_competing(sample.rows, f"the {criterion.name}")
        return [Maximize(criterion)]
    if "cost" in given:
        return [Maximize(criterion_of_cost(given["cost"]))]
    if "equal" in given:
        return [EqualRates()]
    rules: list[Rule] = []
    for name, value in given.items():
        rate = float(parse_bound(name, value, value))
        if not 0.0 < rate < 1.0:
            advice = "pass a value strictly between 0 and 1."
            problem = f"is reached by a cut-off beyond all scores; {advice}"
            raise InputError.of(name, value, problem)
        is_specificity = name in ("specificity", "rule_in")
        rules.append((AtSpecificity if is_specificity else AtSensitivity)(rate, name))
    return rules


def _check_one_rule(given: Mapping[str, Any], prevalence: Any) -> None:
    """Raise an error unless a single rule was passed, with all of its arguments."""
    zone = [name for name in ("rule_in", "rule_out") if name in given]
    names = [name for name in given if name not in zone[1:]]
    if len(names) != 1:
        problem = f"a cut-off requires one rule, but {' and '.join(names) or 'none'} "
        problem += f"{'were' if names else 'was'} passed."
        argument = names[0] if names else "maximize"
        raise InputError(problem, argument=argument, hint=f"Pass one of {_RULES}.")
    if prevalence is not None and "maximize" not in given:
        problem = "is for a criterion that is maximized and depends on the prevalence."
        hint = "The prevalence of a cost is its second number."
        raise InputError.of("prevalence", prevalence, problem, hint=hint)
    if len(zone) == 1:
        missing = "rule_out" if zone == ["rule_in"] else "rule_in"
        problem = "is missing: an uncertain zone requires a specificity for ruling in, at its "
        problem += "upper cut-off, and a sensitivity for ruling out, at its lower one."
        hint = "For a single cut-off pass specificity= or sensitivity=."
        raise InputError.about(missing, problem, hint=hint)


def _result(sample: Sample, rules: Sequence[Rule], fitting: Fitting) -> Cutoff | UncertainZone:
    """Return the cut-off of a rule, or the zone between two."""
    ratings = sample.ratings()
    sample.rows.check_units(*sample.rows.units)
    if ratings.table.size == 1:
        scores = f"all scores of {ratings.name} are {ratings.table.text_at(1)}"
        raise UndefinedError(f"{scores}, so that there is no cut-off between them.")
    warn_if_reversed([ratings])
    coded = coded_rows(ratings)
    found = [_cutoff(sample, coded, rule, fitting) for rule in rules]
    if len(found) == 1:
        return found[0]
    upper, lower = found
    if upper.entry >= lower.entry:
        problem = f"there is no uncertain zone: at the cut-off {upper.text_of(upper.value)}, the "
        problem += f"specificity is {upper.apparent.specificity.value:.4g} and the sensitivity "
        problem += f"{upper.apparent.sensitivity.value:.4g}, so that one cut-off has both."
        hint = "Pass specificity= or sensitivity=, or larger values of rule_in= and rule_out=."
        raise UndefinedError(problem, argument="rule_in", hint=hint)
    return UncertainZone(upper, lower)


def _cutoff(sample: Sample, coded: CodedRows, rule: Rule, fitting: Fitting) -> Cutoff:
    """Return the cut-off of a rule with its uncertainty and accuracy."""
    ratings, rows, (folds, repeats, seed) = sample.ratings(), sample.rows, fitting
    cum_pos, cum_neg = cumulative_counts(ratings.table)
    entry = int(rule.entry(cum_pos, cum_neg))
    _check_reached(ratings, rule, entry, cum_pos, cum_neg)
    tpr, fpr = cum_pos[entry] / cum_pos[-1], cum_neg[entry] / cum_neg[-1]
    at_entry = CutoffCounts.at(ratings, Point(entry, 0.0, fpr, tpr))
    effective = at_entry.effective(SENSITIVITY), at_entry.effective(SPECIFICITY)
    n_pos = float(np.count_nonzero(coded.positive))
    sizes = n_pos, coded.positive.size - n_pos
    tied = np.bincount(coded.code, minlength=coded.groups) > 1
    counts = Counts(cum_pos, cum_neg, sizes, tied, (effective[0].size, effective[1].size))
    uncertainty = rule.uncertainty(counts, coded)
    # Observations, or clusters, with rows of each class
    folds = min(folds, *map(int, rows.units if rows.has_clusters else rows.counts))
    rng = np.random.default_rng(seed)
    bias = optimism(coded, rule, folds, repeats, rng) if entry else (0.0, 0.0)
    apparent = tpr, 1.0 - fpr
    honest = apparent[0] - bias[0], apparent[1] - bias[1]
    return Cutoff(
        classifier=ratings.name,
        rule=rule.phrase,
        entry=entry,
        apparent=_accuracy(apparent, effective, rule.criterion, sample.prevalence),
        honest=_accuracy(honest, effective, rule.criterion, sample.prevalence, apparent=apparent),
        criterion=rule.criterion,
        table=ratings.table,
        uncertainty=uncertainty,
        folds=folds,
        repeats=repeats,
        seed=seed,
        excluded=rows.excluded,
        sample=sample,
        clusters=rows.clusters,
    )


def _check_reached(
    ratings: Ratings, rule: Rule, entry: int, cum_pos: FloatArray, cum_neg: FloatArray
) -> None:
    """Raise an error for a rate that no cut-off reaches; warn about a cut-off beyond all scores."""
    table = ratings.table
    if 0 < entry < table.size:
        return
    calls = "all rows" if entry else "no row"
    if isinstance(rule, Maximize):
        problem = f"{rule.phrase} of {ratings.name} is at a cut-off that calls {calls} positive, "
        problem += "so that no cut-off between the scores is better than not using them."
        warn(DegenerateWarning(problem, argument="maximize"))
        return
    called = f"{calls} of {ratings.name} {'are' if entry else 'is'} called positive"
    if not isinstance(rule, AtRate):
        nearest = "the sensitivity and the specificity are closest to each other where"
        problem = f"{nearest} {called}, so that there is no cut-off with equal rates."
        raise UndefinedError(problem, argument="equal")
    of_specificity = isinstance(rule, AtSpecificity)
    last = 1 if of_specificity else table.size - 1
    reached = 1.0 - cum_neg[last] / cum_neg[-1] if of_specificity else cum_pos[last] / cum_pos[-1]
    largest = f"The largest {rule.fixed_rate} of any other cut-off is {float(reached):.4g}, at "
    problem = f"is reached only if {called}. {largest}{table.text_at(last)}."
    hint = f"Pass a smaller {rule.fixed_rate}."
    raise UndefinedError.of(rule.argument, rule.rate, problem, hint=hint)


def _accuracy(
    rates: tuple[float, float],
    effective: tuple[EffectiveCount, EffectiveCount],
    criterion: Criterion | None,
    prevalence: float,
    *,
    apparent: tuple[float, float] = (math.nan, math.nan),
) -> RatesAtCutoff:
    """Return rates with the effective numbers of observations, and the value of the criterion."""
    sensitivity, specificity = (
        RateAtCutoff(min(max(float(rate), 0.0), 1.0), count.size, count.df, float(observed))
        for rate, count, observed in zip(rates, effective, apparent, strict=True)
    )
    value = math.nan
    if criterion is not None:
        share = prevalence if criterion.share is None else criterion.share
        at = np.array([sensitivity.value]), np.array([1.0 - specificity.value])
        with np.errstate(invalid="ignore", divide="ignore"):
            value = float(criterion.reported(criterion.value(*at, share))[0])
    return RatesAtCutoff(sensitivity, specificity, value)


SEED = 19500132
"""Seed of the folds, so that a page is a function of the data."""

_MOST_ROWS = 100_000
"""Largest number of rows for which the cut-off is named without being requested."""


def youdens_cutoff_if_any(sample: Sample) -> Cutoff | None:
    """Return Youden's cut-off, or None if it cannot be chosen, or takes long to cross-fit."""
    if sample.n_pos + sample.n_neg > _MOST_ROWS:
        return None
    try:
        return cutoff(sample, maximize=Youden, rng=SEED)
    except (InputError, UndefinedError):
        return None
