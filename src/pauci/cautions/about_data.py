"""Warnings about scores and frequencies that may be wrong or have unsuitable values."""

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from operator import attrgetter
from typing import Any

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.curve.counts import CountTable
from pauci.curve.runs import RunTable
from pauci.curve.sorting import ranges
from pauci.errors import (
    DifferentScalesWarning,
    DoubtfulDataWarning,
    HardPredictionsWarning,
    InputError,
    MissingCodeWarning,
    ReversedScoresWarning,
    held_warnings,
    warn,
)
from pauci.measures.area import AUC
from pauci.measures.base import Measure
from pauci.measures.classes import ClassMeasure
from pauci.results.estimates import Estimate
from pauci.sample.class_rows import ClassRatings
from pauci.sample.ratings import Ratings
from pauci.sample.repeated_rows import (
    common_multiple,
    index_of_same_labels,
    order_repeats,
    ties_within_classes,
    warn_about_copies,
)
from pauci.sample.rows import Rows
from pauci.sample.sample import Sample

_PREDICTED_LABELS = ({0.0, 1.0}, {-1.0, 1.0})
"""Pairs of values that classifiers use for predicted labels."""

_MAX_CODES = 3
"""Largest number of different codes at an end, such as 997, 998 and 999."""

_FEWEST_TIMES = 2
"""Average number of occurrences of codes below which only a usual one is reported."""

_STEPS = 3.0
"""Smallest distance of a code, in multiples of the widest step between the other scores."""

_SHARE_OF_RANGE = 0.5
"""Smallest distance of a code, as a proportion of the range of the other scores."""

_SHARE_OF_RANGE_IF_WHOLE = 2.0
"""The same for a code that occurs once among whole numbers, such as counts with a heavy tail."""

_FAR = 10.0
"""Smallest distance of an integer that is not a usual code, in ranges of the other scores."""

_SHARE_OF_ROWS = 0.2
"""Largest proportion of the rows with a code of 0, which can also mean an absent marker; half as
large for a code between other scores."""

_BESIDE = 5
"""Number of the scores beside a code of 0 or -1, each of which occurs at most half as often."""

_FEWEST_IN_SPIKE = 3
"""Smallest number of rows with a code between other scores."""

_FEWEST_IN_BODY = 9
"""Smallest number of other different scores from which a code of 0 is distinguished."""

_SHARES_OF_BODY = (0.5, 0.2, 0.12)
"""Smallest distances of the body, and of the nearest score, from a code of 0 or -1, and between
both, as proportions of the length of the body."""

_LOWEST = 20
"""Number of the lowest scores whose widest step is compared with the distance of a code of -1."""

_ENDS_OF_SCALES = (0.0, 1.0, 100.0)
"""Values that are not codes: absent markers, and the limits of probabilities and percentages."""

_FEWEST_PROBABILITIES = 5
"""Smallest number of different scores between 0 and 1 that are taken to be probabilities."""

_FIRST_ROWS = 16
"""Number of rows that usually show that scores outside 0 and 1 are not a few codes."""

_INNER = (0.05, 0.95)
"""Quantiles between which most scores of a classifier lie."""

_LEAST_OVERLAP = 0.1
"""Smallest intersection of two ranges between these quantiles, as a proportion of the union."""

_LEAST_OVERLAP_WITH_SHARES = 0.5
"""The same if one range lies within 0 and 1, as for probabilities, and the other does not."""

_SHARE_OUTSIDE = 0.2
"""Smallest proportion of the scores of a reader outside the scale of all others."""

_LONGER = 1.5
"""Smallest length of the scale of such a reader, as a multiple of that of the others."""

_FEWEST_STEPS = 4.0
"""Smallest length of a scale that another reader can exceed, as of ratings from 1 to 5."""

_MAX_SCORES = 1000
"""Largest number of distinct scores that are compared with class proportions of folds."""

_IDENTIFIERS = {"id", "ids", "identifier", "nr", "key", "uid", "uuid", "mrn"}
"""Last words of the names of columns that identify rows or patients."""

_UNITS = {"case", "patient", "subject", "participant", "person", "record", "row"}
"""Names of columns that identify rows or patients."""

_MOST_ROWS = 20_000
"""Largest number of rows in which tie groups are examined, which takes a sort of the scores."""

_UNNAMED = "score"
"""The name of scores without one."""

_FEWEST_NUMBERED = 20
"""Smallest number of rows whose scores are taken for row numbers if they are consecutive."""

_FEWEST_WEIGHTS = 20
"""Smallest number of rows whose frequencies may be sampling weights."""

_MOST_DISTINCT = 0.9
"""Smallest proportion of different scores among the rows of a continuous score."""


def check_scores(sample: Sample, targets: Sequence[tuple[str, Measure]]) -> None:
    """Raise an error for scores that a measure does not accept, with their rows if in memory."""
    for name, measure in targets:
        if not measure.of_risks:
            continue
        from pauci.measures.risks import check_risks

        for part in chain.from_iterable(s.folds() for s in sample.folds()):
            ratings = part.ratings(name)
            try:
                check_risks(ratings.table, measure)
            except InputError as error:
                raise _with_rows(error, sample, name) from None


def _with_rows(error: InputError, sample: Sample, name: str) -> InputError:
    """Return an error about scores with the name of their classifier, and their rows if known."""
    rows = sample.rows
    # Positions that are not those of the user's rows:
    moved = rows.dropped or rows.left_out or sample.has_predictions
    moved |= rows.frame_rows is not None
    positions: Any = ()
    if not (rows.is_count_table or rows.has_folds or moved):
        values = sample.any_ratings(name).values
        positions = np.flatnonzero(np.isin(values, error.value)) if error.value else ()
    return error.replaced(rows=positions, where=name)


def warn_about_scores(
    ratings: Ratings, *, same_direction: bool = False, measures: Sequence[Measure] = ()
) -> None:
    """Warn about scores that may be reversed, predicted labels, or codes of missing values.

    `same_direction` states that all scores of the data have the same direction. Predicted labels
    suffice if all of the `measures` are at a given threshold. The warnings are determined once and
    stored with the ratings.
    """
    cautions = ratings.cautions.get(same_direction)
    if cautions is None:
        with held_warnings() as cautions:
            if getattr(ratings.rows, "marks", None) is None:  # whose unmarked lesions are tied
                warn_about_missing_codes(ratings)
                if not ratings.known_curve.table.is_untied:
                    _warn_about_spike(ratings)
                _warn_about_repeated_rows(ratings)
                warn_if_reversed([ratings], same_direction=same_direction)
            _warn_if_predicted_labels(ratings)
            if ratings.rows.has_frequencies:
                _warn_if_frequencies_are_weights(ratings.rows, ratings.table.wide_scores)
        ratings.cautions[same_direction] = cautions
    for caution in cautions:
        if not (isinstance(caution, HardPredictionsWarning) and _are_at_thresholds(measures)):
            warn(caution)


def _warn_about_repeated_rows(ratings: Ratings) -> None:
    """Warn about rows that seem to be copies of each other, without clusters."""
    rows = ratings.rows
    if rows.is_count_table:
        return
    if rows.cluster is not None or rows.cluster_labels is not None:  # single rows
        return
    evidence, table = index_of_same_labels(rows.index, rows.positive), ratings.known_curve.table
    if not (evidence or table.is_untied):
        evidence = order_repeats(rows.positive, ratings.values)
        if not evidence and rows.mass is None and rows.positive.size <= _MOST_ROWS:
            evidence = common_multiple(table.pos, table.neg)
            if not evidence and not isinstance(table, RunTable):
                evidence = ties_within_classes(table.pos, table.neg)
    warn_about_copies(evidence)


def _warn_if_frequencies_are_weights(rows: Rows, scores: AnyArray) -> None:
    """Warn if all frequencies are above 1 and nearly all rows have different scores.

    If identical rows were counted, their scores are on a scale most of whose steps occur. `scores`
    are distinct and sorted.
    """
    if rows.is_count_table or rows.frequency is None:
        return
    counted = rows.frequency[rows.frequency > 0]
    few_ties = scores.size >= _MOST_DISTINCT * max(counted.size, _FEWEST_WEIGHTS)
    if not few_ties or not 1 < counted.min() < counted.max():  # copies of all rows are equal
        return
    with np.errstate(over="ignore"):
        steps = np.abs(np.diff(scores.astype(np.float64)))
        if steps.sum() <= 2.0 * scores.size * steps.min():
            return
    warn(
        DoubtfulDataWarning.about(
            "frequency",
            f"is from {counted.min():,} to {counted.max():,}, but nearly all rows have different "
            "scores, so that they are hardly numbers of identical rows.",
            value=rows.frequency,
            hint="Pass sampling weights as weight=.",
        )
    )


def warn_about_class_scores(ratings: Ratings, measures: Sequence[Measure]) -> None:
    """Warn about predicted classes, and about frequencies that may be sampling weights."""
    assert isinstance(ratings, ClassRatings)
    values = ratings.values
    first = np.unique(values[:_FIRST_ROWS]).tolist()
    if {*first} in _PREDICTED_LABELS and not _are_at_thresholds(measures):
        _warn_about_labels(ratings.name, np.unique(values).tolist(), "predict_proba(X)")
    if ratings.rows.has_frequencies:
        columns = values.T if ratings.has_columns else (values,)
        scores = max(map(np.unique, columns), key=len)
        _warn_if_frequencies_are_weights(ratings.rows, scores)


def _are_at_thresholds(measures: Sequence[Measure]) -> bool:
    """Return whether there are measures, and all depend only on decisions at given thresholds."""
    regions = [region for measure in measures for region in measure.regions]
    return bool(regions) and all(region.cutoff is not None for region in regions)


def _warn_if_predicted_labels(ratings: Ratings) -> None:
    """Warn about scores with two values that are usual for predicted labels."""
    table = ratings.known_curve.table
    if table.size != 2 or ratings.categories is not None or ratings.rows.is_count_table:
        return
    source = "predict_proba(X)[:, 1] or decision_function(X)"
    _warn_about_labels(ratings.name, [table.threshold(k) for k in range(2)], source)


def _warn_about_labels(name: str, values: Sequence[Any], source: str) -> None:
    """Warn about values that are usual for predicted labels."""
    if {*values} in _PREDICTED_LABELS:
        low, high = sorted(f"{v:g}" for v in values)
        warn(
            HardPredictionsWarning(
                f"{name} has only the values {low} and {high}, like predicted labels, so that its "
                "curve has a single point between the corners.",
                hint=f"Pass the underlying scores, from {source}.",
            )
        )


def warn_about_missing_codes(ratings: Ratings) -> None:
    """Warn about an isolated extreme score, such as 999 for missing values.

    Notes
    -----
    An integer other than 0, 1 and 100 that occurs at least twice at an end of the scores is taken
    to be a code of missing values if it

    - consists of nines (9, -9, 99, 998, 999, ...) or of repeated sevens or eights, and its distance
      from its neighbour is more than half the range of the other scores and three times their
      widest step; or is such a number below 0 while all other scores are not negative, and either
      has a distance of more than their widest step, or some of them have fractions; or
    - is any integer at a distance of more than ten ranges of the other scores.

    If all but one to three scores lie within 0 and 1, and at least five of these are fractions,
    they are taken to be probabilities. The others are codes if each occurs at least twice on
    average and, unless they are integers, their distance from the probabilities is more than half
    the range and three times the widest step of the probabilities.

    A repeated -1 is a code if all other scores are not negative, some of them have fractions, and
    its distance exceeds three times the widest step between the lowest 20 of them; or, like a
    repeated 0, if it is far from the body of the other scores (`_is_far_from_body`).

    A code that occurs once is reported only if it consists of nines. Among whole numbers, its
    distance must exceed twice the range of the other scores, or it is the only number below 0.

    Categories, and the scores of tables of counts, are not checked.
    """
    if ratings.categories is not None or ratings.rows.is_count_table:
        return
    sign = -1.0 if ratings.lower_is_positive else 1.0
    usual = {0.0, -sign} & {*ratings.ends} and max(map(abs, ratings.ends)) > 1.0
    if not (usual or any(map(_is_whole, ratings.ends)) or _has_codes_outside_unit(ratings)):
        return
    table = ratings.table
    if table.size < 3:
        return
    scores = table.wide_scores
    if scores.dtype.kind not in "iu":  # large integers that differ can be the same float
        scores = scores.astype(np.float64)
    scores = -scores if ratings.lower_is_positive else scores[::-1]
    masses = (table.pos + table.neg)[:: 1 if ratings.lower_is_positive else -1]
    for codes in (
        _codes_among_probabilities(scores),
        _codes_at_an_end(scores, below=True),
        _codes_at_an_end(scores, below=False),
        _zero_or_minus_1(scores, masses),
    ):
        rows = ratings.rows_at([sign * c for c in codes]) if codes else 0
        if codes and (rows >= _FEWEST_TIMES * len(codes) or _is_a_code_once(codes, scores)):
            middle = float(scores[scores.size // 2])
            sides = sorted({"below" if c < middle else "above" for c in codes}, reverse=True)
            words = f"far {' or '.join(sides)} all other scores"
            warn(_missing_code_warning(ratings.name, codes, rows, words))
            return


def _is_a_code_once(codes: Sequence[float], scores: AnyArray) -> bool:
    """Return whether an isolated score that occurs once is a code rather than an outlier.

    The scores are distinct and in increasing order, and the code is the first or the last.
    """
    (code, *more), ascending = codes, np.asarray(scores, dtype=np.float64)
    if more or set(f"{abs(code):.0f}") != {"9"}:
        return False
    below = ascending[0] == code
    others = ascending[1:] if below else ascending[:-1]
    if (others % 1.0).any() or (below and code < 0.0 <= others[0]):
        return True
    gap = others[0] - code if below else code - others[-1]
    return bool(gap > _SHARE_OF_RANGE_IF_WHOLE * (others[-1] - others[0]))


def _missing_code_warning(
    name: str, codes: Sequence[float], rows: int, words: str
) -> MissingCodeWarning:
    """Return the warning about codes in some number of rows; `words` is why they may be codes."""
    shown = [int(c) if c.is_integer() else c for c in codes]
    missing = shown[0] if len(shown) == 1 else shown
    coded = "If these are codes of missing values, leave such rows out"
    return MissingCodeWarning(
        f"{name} is {' or '.join(f'{c:,}' for c in shown)} in {rows:,} row{'s' * (rows != 1)}, "
        f"{words}.",
        value=float(codes[0]),
        hint=f"{coded} with missing={missing!r} and drop_missing=True of pauci.Sample.from_frame.",
    )


def _has_codes_outside_unit(ratings: Ratings) -> bool:
    """Return whether the scores outside 0 and 1 of rows in memory are at most three numbers.

    Other scores usually differ from such scores in the first rows, and need not be sorted.
    """
    limits = (-1.0, 0.0) if ratings.lower_is_positive else (0.0, 1.0)
    best, worst = ratings.ends
    if (limits[0] <= worst and best <= limits[1]) or best < limits[0] or worst > limits[1]:
        return False
    values = ratings.values
    codes = {v for v in values[:_FIRST_ROWS].tolist() if not limits[0] <= v <= limits[1]}
    for block in ranges(values.size):
        if len(codes) > _MAX_CODES:
            return False
        outside = values[block][(values[block] < limits[0]) | (values[block] > limits[1])]
        for code in codes:
            outside = outside[outside != code]
        while outside.size and len(codes) <= _MAX_CODES:
            codes.add(outside.item(0))
            outside = outside[outside != outside[0]]
    return len(codes) <= _MAX_CODES


def _codes_among_probabilities(scores: AnyArray) -> list[float]:
    """Return up to three isolated scores outside 0 and 1 if all others are probabilities.

    The scores are distinct and in increasing order.
    """
    first, last = np.searchsorted(scores, 0.0), np.searchsorted(scores, 1.0, side="right")
    below, inside, above = scores[:first], scores[first:last], scores[last:]
    fractions = np.count_nonzero((inside > 0.0) & (inside < 1.0))
    codes = [*below.tolist(), *above.tolist()]
    if fractions < _FEWEST_PROBABILITIES or len(codes) > _MAX_CODES:
        return []
    needed = max(_STEPS * float(np.diff(inside).max()), _SHARE_OF_RANGE * float(np.ptp(inside)))
    for block, gap in ((below, inside[:1] - below[-1:]), (above, above[:1] - inside[-1:])):
        if not (gap > needed).all() and not all(float(c).is_integer() for c in block):
            return []
    return codes


def _codes_at_an_end(scores: AnyArray, *, below: bool) -> list[float]:
    """Return the isolated integers at an end of distinct scores, which are in increasing order."""
    # The most extreme score is first.
    outward = scores if below else scores[::-1]
    if not _is_whole(outward[0]):
        return []
    for size in range(1, min(_MAX_CODES, scores.size - 2) + 1):
        block, others = outward[:size], outward[size:]
        if not all(_is_whole(v) for v in block):
            return []
        if _is_isolated(block, others, below=below):
            return [float(v) for v in block]
    return []


def _is_isolated(block: AnyArray, others: AnyArray, *, below: bool) -> bool:
    """Return whether extreme integers are far enough from the other scores to be codes."""
    nearest, farthest, code = (v.item() for v in (others[0], others[-1], block[-1]))
    gap, length = abs(float(nearest - code)), abs(float(farthest - nearest))
    ascending = others if below else others[::-1]
    if others.dtype.kind == "i":  # differences of 64-bit integers are exact modulo 2^64
        ascending = ascending.astype(np.int64).view(np.uint64)
    with np.errstate(over="ignore"):  # an infinite step exceeds every gap
        step = float(np.diff(ascending).max())
    usual = all(_is_usual(v) for v in block)
    apart = usual and gap > _STEPS * step and gap >= _SHARE_OF_RANGE * length
    first_below_0 = below and float(block[-1]) < 0.0 <= float(others[0])
    negative = usual and first_below_0 and (gap > step or bool((others % 1).any()))
    return apart or negative or (block.size == 1 and gap > _FAR * length)


def _zero_or_minus_1(scores: AnyArray, masses: AnyArray) -> list[float]:
    """Return 0 or -1 if it is the lowest score, or 0 if it is the highest, and may be a code.

    The scores are distinct and in increasing order, and have the masses of their rows.
    """
    ascending = scores.astype(np.float64)
    code, others = float(ascending[0]), ascending[1:]
    if code == -1.0 and others[0] >= 0.0 and (others % 1.0).any():
        steps = np.diff(others[:_LOWEST])
        if others[0] - code > _STEPS * steps.max(initial=0.0):
            return [code]
    if code in (0.0, -1.0) and _is_far_from_body(ascending, masses):
        return [code]
    if ascending[-1] == 0.0 and _is_far_from_body(-ascending[::-1], masses[::-1]):
        return [0.0]
    return []


def _is_far_from_body(scores: FloatArray, masses: AnyArray) -> bool:
    """Return whether the lowest score occurs more often than those beside it, far from the body.

    The body is that between the 5% and the 95% quantile of the other scores. It must have a tail
    towards the code, which scores that were cut off at a limit of detection do not have.
    """
    others, rest = scores[1:], masses[1:]
    often = 2.0 * rest[:_BESIDE].max() <= masses[0] <= _SHARE_OF_ROWS * masses.sum()
    if not often or others.size < _FEWEST_IN_BODY:
        return False
    shares = np.cumsum(rest) / rest.sum()
    low, high = (others[np.searchsorted(shares, q)] for q in _INNER)
    distances = low - scores[0], others[0] - scores[0], low - others[0]
    return all(d >= s * (high - low) for d, s in zip(distances, _SHARES_OF_BODY, strict=True))


def _warn_about_spike(ratings: Ratings) -> None:
    """Warn about 0 or -1 in several rows, between other scores that hardly ever occur twice."""
    values, rows = ratings.values, ratings.rows
    if rows.frequency is not None:
        return
    for code in (0, -1):
        at = values == (-code if ratings.lower_is_positive else code)
        count = int(np.count_nonzero(at))
        if not _FEWEST_IN_SPIKE <= count <= _SHARE_OF_ROWS * values.size / 2.0:
            continue
        others, times = np.unique(values[~at], return_counts=True)
        inside = others[0] < values[at][0] < others[-1]
        if inside and others.size >= _MOST_DISTINCT * times.sum() and count >= 4 * times.max():
            words = "although other scores hardly ever occur twice"
            warn(_missing_code_warning(ratings.name, [float(code)], count, words))


def _is_whole(value: float) -> bool:
    return value not in _ENDS_OF_SCALES and float(value).is_integer()


def _is_usual(value: float) -> bool:
    """Return whether a number is a customary code of missing values."""
    digits = str(abs(int(value)))
    if len(digits) == 1:
        return digits == "9"
    return (len(set(digits)) == 1 and digits[0] in "789") or (
        set(digits[:-1]) == {"9"} and digits[-1] in "78"
    )


def warn_if_reversed(parts: Sequence[Ratings], *, same_direction: bool = False) -> None:
    """Warn if the interval of the AUC of a classifier lies below 0.5.

    `parts` are the ratings of a classifier, or of each fold. There may be different reasons.
    `same_direction` states that all scores of the data have the same direction.
    """
    auc = math.fsum(map(attrgetter("known_curve.auc"), parts)) / len(parts)
    if not auc < 0.5 or not _is_below_chance(auc, parts):
        return
    ratings = parts[0]
    average = ", averaged over folds," if len(parts) > 1 else ""
    message = f"the AUC of {ratings.name}{average} is {_below(auc, 0.5)}, below 0.5."
    lower = "True" if same_direction else f"[{ratings.name!r}]"
    direction: str | None = "lower_is_positive"
    if ratings.lower_is_positive:
        reason = "declares that lower scores indicate positives, but here higher scores do."
        hint = f"lower_is_positive= {reason} Nothing else was flipped."
    elif _are_training_prevalences(ratings.table):
        message = (
            f"{message} Each score is the proportion of positives among the training rows of a "
            "cross-validation fold, the prediction of a model without any information. A fold with "
            "more positives leaves fewer for training, so that pooled scores rank the folds in "
            "reverse order."
        )
        direction = None
        hint = "Specify the fold of each row by fold=."
    elif _identifies_rows(ratings):
        message = f"{message} It seems to identify or number rows, so that it is not a score."
        direction = None
        hint = "Specify the column of the scores."
    else:
        message = f"{message} Higher scores must indicate positives. Nothing was flipped."
        hint = f"If lower scores indicate positives, use lower_is_positive={lower}."
    warn(
        ReversedScoresWarning(
            message,
            argument=direction,
            hint=hint,
        )
    )


def _below(value: float, limit: float) -> str:
    """Return a value as text, with enough digits to show that it is below a limit."""
    digits = next(d for d in range(3, 18) if float(f"{value:.{d}g}") < limit)
    return f"{value:.{digits}g}"


def warn_if_below_chance(e: Estimate, ratings: Ratings) -> None:
    """Warn if an interval lies below the value of uninformative scores for several classes."""
    assert isinstance(ratings, ClassRatings)
    chance = e.measure.chance(ratings) if isinstance(e.measure, ClassMeasure) else None
    if chance is None or not e.value < chance or not e.interval().high < chance:
        return
    order = "Higher scores must indicate later classes. Nothing was flipped."
    hint = "If lower scores indicate later classes, pass the negative scores."
    if ratings.has_columns:
        order, hint = "Nothing was flipped.", CHECK_COLUMNS
    average = ", averaged over folds," if e.folds else ""
    warn(
        ReversedScoresWarning(
            f"the {e.measure.symbol} of {e.classifier}{average} is {_below(e.value, chance)}, "
            f"below {Fraction(chance).limit_denominator(10**9)}, that of uninformative scores. "
            f"{order}",
            argument="probabilities",
            hint=hint,
        )
    )


CHECK_COLUMNS = "Check that the columns have the order of the classes."
"""Advice if the scores of a class seem to be those of another class."""


def _is_below_chance(auc: float, parts: Sequence[Ratings]) -> bool:
    """Return whether the 95% interval of an AUC, averaged over parts, lies below 0.5."""
    if any(min(part.rows.units) < 2 for part in parts):
        return False
    from pauci.results.weighted_sums import WeightedSum
    from pauci.variance.joint import independent, uncertainty_of_problem
    from pauci.variance.method import InfluenceVariance
    from pauci.variance.units import Problem

    method, k = InfluenceVariance(), len(parts)
    of_parts = [uncertainty_of_problem(Problem((part,), (AUC(),)), method) for part in parts]
    se, df, *_ = independent(of_parts).combined(np.full((1, k), 1.0 / k)).marginal(0)
    pairs = math.fsum(min(part.rows.units) for part in parts)
    estimate = WeightedSum((), auc, se, df, se, AUC().range, pairs)
    return estimate.interval().high < 0.5


def _identifies_rows(ratings: Ratings) -> bool:
    """Return whether a column numbers the rows, or has the name of an identifier."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", ratings.name)
    last = words[-1].lower() if words else ""
    if last in _IDENTIFIERS or (len(words) == 1 and last in _UNITS):
        return True
    table = ratings.known_curve.table
    if table.categories is not None or ratings.name == _UNNAMED or last.startswith("rank"):
        return False
    high, low = ratings.ends
    rows = table.rows_pos + table.rows_neg
    numbered = ratings.table.size == rows and high - low == rows - 1
    return numbered and rows >= _FEWEST_NUMBERED and float(high).is_integer()


def _are_training_prevalences(table: CountTable) -> bool:
    """Return whether each score is the proportion of positives outside a fold.

    If c folds with m rows and m1 positives in total have the same score, this score is
    (n1 - m1/c)/(n - m/c), from which c is calculated.
    """
    if table.categories is not None or not table.exact or not 2 <= table.size <= _MAX_SCORES:
        return False
    pos, rows = np.diff(table.cum_pos), np.diff(table.cum_pos) + np.diff(table.cum_neg)
    n_pos, n = table.total_pos, table.total_pos + table.total_neg
    scores = table.wide_scores
    if scores.min() < 0 or scores.max() > 1:  # otherwise large integers would overflow
        return False
    excess = scores * n - n_pos
    at_the_mean = np.abs(excess) < 1e-9 * n
    folds = (scores * rows - pos) / np.where(at_the_mean, 1.0, excess)
    whole = (np.abs(folds - np.rint(folds)) < 1e-6 * rows) & (np.rint(folds) >= 1)
    return bool(np.where(at_the_mean, np.abs(pos * n - n_pos * rows) < 1e-6, whole).all())


def _measures_by_threshold(name: str, targets: Sequence[Mapping[str, Measure]]) -> list[Measure]:
    """Return the measures with a range of scores that is the same for all classifiers.

    Thresholds of risks are on the same scale in all classifiers.
    """
    measures = []
    for t in targets:
        measure = t[name]
        by_scores = not measure.of_risks and any(map(attrgetter("scores"), measure.regions))
        if by_scores and len(set(t.values())) == 1 and measure not in measures:
            measures.append(measure)
    return measures


def warn_about_scales(
    samples: Sequence[Sample], names: Sequence[str], targets: Sequence[Mapping[str, Measure]]
) -> None:
    """Warn about the same range of scores for classifiers with different scales or directions.

    Notes
    -----
    The range of the scores of each classifier is taken from the 5% to the 95% quantile (or from
    all scores, if these quantiles are equal). Two ranges hardly overlap if their intersection is
    less than a tenth of their union; or less than half, if one range lies within 0 and 1, as for
    probabilities, and the other mostly outside. If higher scores of one classifier and lower scores
    of the other indicate positives, the same numbers bound different parts of the two curves.

    Parameters
    ----------
    samples : sequence of Sample
        One sample for all classifiers, or one for each name.
    names : sequence of str
        Names of the classifiers in messages.
    targets : sequence of mappings of str to Measure
        The measures of each classifier.
    """
    measures = _measures_by_threshold(names[0], targets)
    if not measures:
        return
    measure, classifiers = measures[0], _classifiers(samples, names)
    noun = "threshold" if _is_at_cutoffs(measure) else "range of scores"
    # Of scores for several classes, those for the first one are compared.
    ratings = [(s.between(0) if s.classes else s).ratings(name) for s, name in classifiers]
    lower = [r.lower_is_positive for r in ratings]
    if len(set(lower)) > 1:
        first_name, second_name = names[lower.index(False)], names[lower.index(True)]
        hint = _hint_about_scales(measure, first_name, second_name)
        warn(
            DifferentScalesWarning(
                (
                    measure,
                    f" uses the same {noun} for {first_name}, where "
                    f"higher scores indicate positives, and {second_name}, where "
                    f"lower scores do. The {noun} bounds different parts of the two curves.",
                ),
                argument="threshold",
                hint=hint,
            )
        )
        return
    ranges = [_inner_range(r) for r in ratings]
    for (i, first), (j, second) in combinations(enumerate(ranges), 2):
        if first is None or second is None or not _hardly_overlap(first, second):
            continue
        hint = _hint_about_scales(measure, names[i], names[j])
        words = " and ".join(
            f"{low:.3g} to {high:.3g} for {names[k]}"
            for k, (low, high) in ((i, first), (j, second))
        )
        warn(
            DifferentScalesWarning(
                (
                    measure,
                    f" uses the same {noun} for {names[i]} and {names[j]}, whose scores "
                    f"hardly overlap: most are from {words}.",
                ),
                argument="threshold",
                hint=hint,
            )
        )
        return


def warn_about_scale_of_reader(
    measure: Measure, ratings: Ratings, readers: Sequence[Sequence[Ratings]]
) -> None:
    """Warn about a reader whose scores are on another scale than the thresholds of all readers.

    The range of the scores of the reader is compared, as in `warn_about_scales`, with the median
    range of all readers to whom the thresholds apply. A reader can also use more categories than
    the others (`_exceeds_scale`).
    """
    if measure.of_risks or not any(region.scores for region in measure.regions):
        return
    own = _inner_range(ratings)
    ranges = [_inner_range(r) for of_reader in readers for r in of_reader]
    known = [r for r in ranges if r is not None]
    if own is None or not known:
        return
    low, high = np.median(known, axis=0).tolist()
    if _hardly_overlap(own, (low, high)) or _exceeds_scale(ratings, readers):
        noun = "threshold" if _is_at_cutoffs(measure) else "range of scores"
        warn(
            DifferentScalesWarning(
                (
                    measure,
                    f" uses the same {noun} for all readers, but most scores of {ratings.name} "
                    f"are from {own[0]:.3g} to {own[1]:.3g}, and those of all readers from "
                    f"{low:.3g} to {high:.3g}.",
                ),
                argument="threshold",
                hint="Transform the scores to one scale, or leave this reader out. Modalities with "
                "different scales can have a threshold each, threshold={modality: ...}.",
            )
        )


def _exceeds_scale(ratings: Ratings, readers: Sequence[Sequence[Ratings]]) -> bool:
    """Return whether many scores are beyond the scale of all other readers, at least two.

    Their scale is known if the highest and the lowest score are the same for each of them.
    """
    others = [r for r in readers if not any(ratings is own for own in r)]
    ends = {(max(r.ends[0] for r in of), min(r.ends[1] for r in of)) for of in others}
    if len(others) < 2 or len(ends) > 1:
        return False
    ((high, low),), (own_high, own_low) = ends, ratings.ends
    if high - low < _FEWEST_STEPS or own_high - own_low < _LONGER * (high - low):
        return False
    table = ratings.table
    mass, scores = table.pos + table.neg, table.wide_scores
    outside = mass[(scores > high) | (scores < low)].sum()
    return bool(outside >= _SHARE_OUTSIDE * mass.sum())


def _is_at_cutoffs(measure: Measure) -> bool:
    """Return whether a measure has single thresholds and no ranges of scores."""
    return all(region.cutoff is not None for region in measure.regions if region.scores)


def _hint_about_scales(measure: Measure, first: str, second: str) -> str:
    """Return the advice about two classifiers with different scales."""
    by_name = f"{{{first!r}: ..., {second!r}: ...}}"
    if _is_at_cutoffs(measure):
        return f"For different scales specify a threshold for each: threshold={by_name}."
    return (
        "For different scales specify the region by fpr= or tpr=, or a range for each, "
        f"measure={by_name}, in pauci.compare."
    )


def _classifiers(samples: Sequence[Sample], names: Sequence[str]) -> list[tuple[Sample, str]]:
    """Return the sample of each classifier (or its first fold), with the name in this sample."""
    if len(samples) == 1:
        first = samples[0].folds()[0]
        return [(first, name) for name in names]
    return [(s.folds()[0], s.names[0]) for s in samples]


def _inner_range(ratings: Ratings) -> tuple[float, float] | None:
    """Return the range of most scores of a classifier; None for categories."""
    table = ratings.table
    if table.categories is not None:
        return None
    mass = (table.cum_pos + table.cum_neg)[1:].astype(np.float64)
    shares = mass / mass[-1]
    at = [int(np.searchsorted(shares, q)) for q in _INNER]
    if at[0] == at[1]:
        at = [0, table.size - 1]
    scores = table.wide_scores[at].astype(np.float64)
    scores = -scores if ratings.lower_is_positive else scores
    return float(scores.min()), float(scores.max())


def _hardly_overlap(first: tuple[float, float], second: tuple[float, float]) -> bool:
    shared = max(min(first[1], second[1]) - max(first[0], second[0]), 0.0)
    union = max(first[1], second[1]) - min(first[0], second[0])
    if union <= 0.0:
        return False
    limit = _LEAST_OVERLAP
    if _is_within_unit(first) != _is_within_unit(second) and (
        _mostly_outside(first) or _mostly_outside(second)
    ):
        limit = _LEAST_OVERLAP_WITH_SHARES
    return shared / union < limit


def _is_within_unit(ends: tuple[float, float]) -> bool:
    return bool(ends[0] >= 0.0 and ends[1] <= 1.0)


def _mostly_outside(ends: tuple[float, float]) -> bool:
    """Return whether less than half of a range lies between 0 and 1."""
    inside = max(min(ends[1], 1.0) - max(ends[0], 0.0), 0.0)
    return inside < 0.5 * (ends[1] - ends[0])
