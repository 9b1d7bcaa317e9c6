r"""Outcomes at a horizon, from follow-up times with censoring.

Cases had the event by the horizon t, :math:`T \le t`, and controls were followed beyond it,
:math:`T > t` (cumulative cases and dynamic controls, Heagerty, Lumley and Pepe 2000). With G the
Kaplan-Meier estimate of the distribution of the censoring times, the weights of cases are
:math:`1/G(T-)` and those of controls :math:`1/G(t)`, and rows censored before t have weight 0 (Uno,
Cai, Tian and Wei 2007; Blanche, Dartigues and Jacqmin-Gadda 2013). Rows with a competing event
before t have weight 0, or are controls with the weight :math:`1/G(T-)`. At equal times, events come
before censorings.

The estimated weights add to the influence :math:`z_k` of row k the exact derivative of Kaplan-Meier

.. math:: g_k = \sum_{u \le t} \frac{A(u)\, dM_k(u)}{Y(u) - dC(u)}, \qquad
          dM_k(u) = 1\{k \text{ censored at } u\} - 1\{k \text{ at risk at } u\} \frac{dC(u)}{Y(u)},

with Y the rows at risk of censoring at u (without the events at u), dC those censored at u, and
:math:`A(u)` the sum of :math:`z_j` over the rows whose weight depends on G beyond u: cases with
:math:`T_j > u`, and all controls. With sampling weights s, Y and dC are sums of weights, and
:math:`g_k` is multiplied by :math:`s_k`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pauci import checks, errors
from pauci.backends.frames import LazyColumns
from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray
from pauci.errors import CensoringWarning, DataName, DoubtfulDataWarning, InputError, InputTypeError
from pauci.sample import columns, frame_columns, vectors, weights
from pauci.sample.frame_columns import Restriction
from pauci.sample.ratings import Ratings
from pauci.sample.repeated_rows import warn_if_cases_recur
from pauci.sample.rows import DataOptions, Rows, WeightMap
from pauci.sample.validation import validate
from pauci.sample.vectors import DataColumns, NamedColumn

_FEWEST_ROWS = 20
"""Number of cases or controls below which intervals are too narrow."""

_SMALLEST_SHARE = 0.1
"""Probability of being uncensored at the horizon below which intervals are too narrow."""

_MOST_CODES = 10
"""Largest number of different codes of events."""


class SurvivalOptions(NamedTuple):
    """How cases, controls and weights at the horizon are defined; as for `Sample.from_survival`."""

    horizon: Any
    event_value: Any
    competing: str
    lower_is_positive: Any
    name: str | None
    drop_missing: bool


class CensoringStratum(NamedTuple):
    """Rows with a common distribution of censoring times, and their distinct times up to t."""

    rows: Any
    """The positions of the rows."""
    times: int
    """Number of distinct censoring times, m."""
    before: IntArray
    """Number of these times before the end of the follow-up of each row."""
    censored: IntArray
    """The rows that are censored by t, as positions in the stratum."""
    tied: bool
    """Whether an event and a censoring occur at the same time."""

    def totals(self, mass: AnyArray) -> tuple[FloatArray, FloatArray]:
        """Return the weights that remain after each time, Y - dC, and those censored at it, dC."""
        lost = np.bincount(self.before[self.censored], mass[self.censored], self.times)
        # Not a difference, so that it is exactly 0 if no row remains.
        remaining = np.bincount(self.before, mass, self.times + 1)[::-1].cumsum()[::-1][1:]
        return remaining, lost.astype(np.float64)  # integers if there are none

    def uncensored(self, mass: AnyArray) -> FloatArray:
        """Return the Kaplan-Meier estimate G before the first time and after each."""
        remaining, lost = self.totals(mass)
        at_risk = remaining + lost
        factors = np.divide(remaining, at_risk, out=np.ones_like(lost), where=at_risk > 0.0)
        return np.concatenate(([1.0], np.cumprod(factors)))


@dataclass(frozen=True, eq=False)
class CensoringWeights:
    """Weights for censoring by Kaplan-Meier, and the map of influence values that they require.

    Parameters
    ----------
    strata : sequence of CensoringStratum
        The rows with a common distribution of the censoring times.
    used : ndarray of bool
        Whether each row is a case or a control.
    sampling, frequency : ndarray
        Sampling weights and frequencies.
    """

    strata: Sequence[CensoringStratum]
    used: BoolArray
    sampling: FloatArray
    frequency: IntArray

    def uncensored(self, copies: IntArray) -> list[FloatArray]:
        """Return the Kaplan-Meier estimates of the strata, before the first time and after each."""
        mass = self.sampling * copies
        return [s.uncensored(mass[s.rows]) for s in self.strata]

    def weights(self, copies: IntArray | None = None) -> FloatArray:
        """Return the sampling weights divided by G; 0 for rows that are neither cases nor controls.

        `copies` are the numbers of copies of the rows in a resample, from which G is estimated.
        """
        survivals = self.uncensored(self.frequency if copies is None else copies)
        result = np.zeros(self.used.size)
        for s, survival in zip(self.strata, survivals, strict=True):
            inverse = np.divide(1.0, survival, out=np.zeros_like(survival), where=survival > 0.0)
            result[s.rows] = inverse[s.before]
        result[~self.used] = 0.0
        return result * self.sampling

    def __call__(self, z: FloatArray) -> FloatArray:
        """Return z + g: influence values for known weights and those of the estimated weights."""
        result, mass = np.array(z, np.float64), self.sampling * self.frequency
        for s in self.strata:
            if not s.times:
                continue
            remaining, lost = s.totals(mass[s.rows])
            inverse = np.divide(1.0, remaining, out=np.zeros_like(lost), where=remaining > 0.0)
            at_risk = remaining + lost
            hazard = np.divide(lost, at_risk, out=np.zeros_like(lost), where=at_risk > 0.0)
            own = s.before[s.censored]
            for total, known in zip(result, z, strict=True):
                values = known[s.rows] * self.frequency[s.rows]
                sums = np.bincount(s.before, values, s.times + 1)
                steps = sums[::-1].cumsum()[::-1][1:] * inverse
                passed = np.concatenate(([0.0], np.cumsum(steps * hazard)))
                g = -passed[s.before]
                g[s.censored] = steps[own] - passed[own + 1]
                total[s.rows] += g * self.sampling[s.rows]
        return result


FollowUp = tuple[FloatArray, BoolArray, BoolArray, str]
"""The times, whether each row is censored, whether it has the event, and this in words, such as
"died = 1"."""


def read_survival(
    frame: Any, event: Any, scores: Any, extras: dict[str, Any], options: SurvivalOptions
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and ratings of outcomes at a horizon."""
    needed = {"time": extras["time"], "event": event, "horizon": options.horizon}
    for argument, value in needed.items():
        if value is None:
            raise InputTypeError.of(argument, None, "is missing.", shown="")
    checks.check_choice("competing", options.competing, ("exclude", "control"))
    drop_missing = options.drop_missing
    checks.check_flag("drop_missing", drop_missing)
    if frame is None:
        if drop_missing:
            raise InputError.of("drop_missing", True, "is for the columns of a data frame.")
        if scores is None:
            raise InputTypeError.of("scores", None, "is missing: the scores of the rows.", shown="")
        of_scores = columns.named_scores(scores, options.name, "scores")
        named = {key: vectors.array_column(key, v) for key, v in extras.items()}
        selected = DataColumns(vectors.array_column("event", event), of_scores, named)
    else:
        opened = frame_columns.opened_frame(frame, "omit frame and pass arrays")
        selected = frame_columns.find_columns(opened, event, scores, extras, "event")
        selected, options = frame_columns.renamed(selected, options)
        if isinstance(opened, LazyColumns):
            selected = frame_columns.loaded_columns(selected, opened)
        elif extras["frequency"] is None:
            warn_if_cases_recur(opened, selected)
    with frame_columns.original_row_numbers(*frame_columns.lines_of(frame)):
        if drop_missing:
            selected = frame_columns.without_excluded(selected, Restriction({}), drop=True)
        with frame_columns.original_row_numbers(selected.kept):
            horizons = [checks.finite("horizon", t) for t in checks.listed(options.horizon)]
            if not horizons or len({*horizons}) < len(horizons):
                problem = "must be a number, or several different numbers."
                raise InputError.of("horizon", options.horizon, problem)
            if len(horizons) > 1 and extras["censoring"] is not None:
                problem = "must be a number with given weights."
                raise InputTypeError.of("horizon", options.horizon, problem)
            found = [_sample_at(selected, options._replace(horizon=t)) for t in horizons]
    rows, ratings = found[0]
    if len(found) == 1:
        return rows, ratings
    parts = tuple((float(t), part) for t, (part, _) in zip(horizons, found, strict=True))
    return replace(rows, horizons=parts), ratings


def _sample_at(selected: DataColumns, options: SurvivalOptions) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and ratings at a horizon, with weights for censoring."""
    extras = dict(selected.extras)
    columns.check_same_order((selected.label, *selected.scores.values(), *extras.values()))
    follow_up = _follow_up(extras.pop("time"), selected.label, options.event_value)
    time, censored, _, _ = follow_up
    sampling, frequency, copies = weights.sampling_of(extras, time.size)
    strata, given = extras.pop("strata"), extras.pop("censoring")
    horizon = options.horizon
    at = _at_horizon(follow_up, horizon, copies, competing=options.competing == "control")
    weights.warn_if_probabilities(extras["weight"].values, at.case, None, extras["weight"].name)
    weight_map: WeightMap
    if given.values is not None:
        if strata.values is not None:
            problem = "is for weights by Kaplan-Meier."
            raise InputError.of("strata", strata.name.column, problem, shown="")
        numbers = weights.non_negative(given.name, given.values, time.size, "event").astype(
            np.float64
        )
        weights.warn_if_below_1(given.name, numbers, at.used)
        total = np.where(at.used, numbers, 0.0) * sampling
        weight_map = weights.GivenWeights(total, sampling)
        how = "given weights for censoring"
    else:
        parts = _strata_of(time, censored & at.early, at.early, strata)
        estimated = CensoringWeights(parts, at.used, sampling, frequency)
        _check_uncensored(estimated, horizon)
        total, weight_map = estimated.weights(), estimated
        within = f" within {strata.name}" if strata.values is not None else ""
        how = f"weighted by the Kaplan-Meier estimate of censoring{within}"
        if any(s.tied for s in estimated.strata):
            how += " (events precede censorings at equal times)"
    _warn_about_few(at, copies, horizon)
    if total.any():  # only ratios matter, and weights of at most 1 look like probabilities
        total = total / total[total > 0.0].min()
    extras["weight"] = NamedColumn(DataName("weights for censoring", "censoring"), total)
    lost = int(copies @ (censored & at.early))
    selected = selected._replace(
        label=NamedColumn(selected.label.name, at.case),
        extras={key: column for key, column in extras.items() if column.values is not None},
    )
    return validate(
        selected,
        DataOptions(None, "cohort", options.lower_is_positive),
        weight_map,
        f"{at.words}, {how}; {checks.count(lost, 'row')} censored before {horizon:.10g}",
        competing=at.left_out,
    )


class _AtHorizon(NamedTuple):
    """The rows that are cases and controls at a horizon."""

    case: BoolArray
    used: BoolArray
    """Whether each row is a case or a control."""
    early: BoolArray
    """Whether the follow-up of each row ends by the horizon."""
    words: str
    left_out: str
    """The rows with a competing event that are neither, in words."""


def _at_horizon(
    follow_up: FollowUp, horizon: float, copies: IntArray, *, competing: bool
) -> _AtHorizon:
    """Return the cases and controls; `competing` events by the horizon can be controls."""
    time, censored, has_event, event = follow_up
    if not copies.any():
        raise InputError.about("weight", "times frequency is 0 in all rows.", value=0)
    last = float(time[copies > 0].max())
    if horizon <= 0.0 or horizon >= last:
        problem = (
            f"must be above 0 and before the last follow-up, at {last:.10g}: controls are followed "
            "beyond it."
        )
        raise InputError.of("horizon", horizon, problem)
    early = time <= horizon
    case = has_event & early
    others = ~censored & ~case & early
    at = f"{horizon:.10g}"
    words = f"events ({event}) by {at} against rows followed beyond {at}"
    n_others = int(copies @ others)
    of_others = (
        f"{checks.count(n_others, 'row')} with a competing event by {at}" if n_others else ""
    )
    if n_others:
        words += f"{' or' if competing else ', without'} {of_others}"
    if not copies @ case:
        problem = (
            f"precedes the first event ({event}), at {time[has_event].min():.10g}: there is no "
            "case."
        )
        raise InputError.of("horizon", horizon, problem)
    left_out = "" if competing else of_others
    return _AtHorizon(case, case | ~early | (others & competing), early, words, left_out)


def _strata_of(
    time: FloatArray, lost: BoolArray, early: BoolArray, strata: NamedColumn
) -> list[CensoringStratum]:
    """Return the rows with a common distribution of censoring times, `lost` by the horizon."""
    positions: list[Any] = [slice(None)]
    if strata.values is not None:
        codes, _ = weights.coded(strata.name, strata.values, time.size)
        order = np.argsort(codes, kind="stable")
        positions = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    parts = []
    for rows in positions:
        censored, ended = lost[rows], early[rows]
        distinct, place = np.unique(time[rows][ended], return_inverse=True)
        of_lost = np.bincount(place, censored[ended], distinct.size)
        times = of_lost > 0.0
        before = np.full(censored.size, np.count_nonzero(times))
        before[ended] = (np.cumsum(times) - times)[place]
        tied = bool((times & (np.bincount(place) > of_lost)).any())
        parts.append(
            CensoringStratum(rows, int(times.sum()), before, np.flatnonzero(censored), tied)
        )
    return parts


def _check_uncensored(estimated: CensoringWeights, horizon: float) -> None:
    """Raise an error if all rows are censored by the horizon, and warn if nearly all are."""
    share = min(float(survival[-1]) for survival in estimated.uncensored(estimated.frequency))
    where = "" if len(estimated.strata) == 1 else " in a stratum"
    if share == 0.0:
        raise InputError.of(
            "horizon",
            horizon,
            f"is not before the last follow-up{where}, which is censored: the estimated "
            "probability of being uncensored is 0.",
            hint="Choose an earlier horizon" + (", or join strata." if where else "."),
        )
    if share < _SMALLEST_SHARE:
        problem = (
            f"is {horizon:.10g}, at which the estimated probability of being uncensored is "
            f"{share:.2g}{where}: few rows have large weights, and intervals may be too narrow."
        )
        hint = "Choose an earlier horizon."
        errors.warn(CensoringWarning.about("horizon", problem, value=horizon, hint=hint))


def _warn_about_few(at: _AtHorizon, copies: IntArray, horizon: float) -> None:
    """Warn about few events by the horizon, and few rows that are followed beyond it."""
    numbers = (
        (int(copies @ at.case), "had the event by"),
        (int(copies @ ~at.early), "are followed beyond"),
    )
    for number, words in numbers:
        if number < _FEWEST_ROWS:
            problem = (
                f"is {horizon:.10g}, and {checks.count(number, 'row')} {words} it: intervals from "
                f"fewer than {_FEWEST_ROWS} may be too narrow."
            )
            errors.warn(CensoringWarning.about("horizon", problem, value=horizon))


def _follow_up(time: NamedColumn, event: NamedColumn, event_value: Any) -> FollowUp:
    """Return validated times and events."""
    array = vectors.vector(event.name, event.values)
    vectors.refuse_missing(event.name, array)
    values = vectors.unboxed_numbers(event.name, array)
    if values.dtype.kind not in "biuf":
        problem = (
            f"has dtype {values.dtype}; pass 0 for censored rows, and whole numbers for events."
        )
        raise InputTypeError.about(event.name, problem, value=event.values)
    codes = weights.non_negative(event.name, values, values.size).astype(np.float64)
    times = weights.non_negative(time.name, time.values, codes.size, event.name)
    wanted = checks.finite("event_value", int(event_value) if event_value is True else event_value)
    found = np.unique(codes)
    listed = ", ".join(f"{code:g}" for code in found[:_MOST_CODES])
    fractional = np.flatnonzero(codes != np.floor(codes))
    if fractional.size or found.size > _MOST_CODES:
        problem = (
            f"has the values {listed}{', ...' * (found.size > _MOST_CODES)}; events are coded by a "
            "few whole numbers: 0 for censored rows, event_value for the event, and others for "
            "competing events."
        )
        raise InputError.about(event.name, problem, value=event.values, rows=fractional[:1])
    if wanted == 0.0 or wanted not in found:
        problem = (
            f"is not the code of an event in {event.name}, whose values are {listed} (0 is "
            "censored)."
        )
        raise InputError.of("event_value", event_value, problem)
    if found[0] != 0.0 and found.size > 1:
        problem = f"has the values {listed} and no 0, so that no row is censored."
        hint = "If one of these codes means censored, replace it by 0."
        errors.warn(DoubtfulDataWarning.about(event.name, problem, value=event.values, hint=hint))
    words = f"{event.name.column or 'event'} = {wanted:g}"
    return times.astype(np.float64), codes == 0.0, codes == wanted, words
