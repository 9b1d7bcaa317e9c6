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
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pauci.backends.frames import LazyColumns
from pauci.checks import (
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
    check_choice,
    check_flag,
    check_text,
    count,
    equal,
    finite,
    listed,
)
from pauci.errors import (
    CensoringWarning,
    DataName,
    DoubtfulDataWarning,
    InputError,
    InputTypeError,
    warn,
)
from pauci.sample import columns, weights
from pauci.sample.frame_columns import (
    FrameColumns,
    Restriction,
    lines_of,
    named_column,
    opened_frame,
    original_row_numbers,
    without_excluded,
)
from pauci.sample.ratings import Ratings
from pauci.sample.repeated_rows import warn_if_cases_recur
from pauci.sample.rows import DataOptions, Rows, WeightMap
from pauci.sample.validation import validate
from pauci.sample.vectors import NamedColumn, array_column, refuse_missing, unboxed_numbers, vector

_FEWEST_ROWS = 20
"""Number of cases or controls below which intervals cover too little."""

_SMALLEST_SHARE = 0.1
"""Probability of being uncensored at the horizon below which intervals cover too little."""

_MOST_CODES = 10
"""Largest number of different codes of events."""


class SurvivalOptions(NamedTuple):
    """How cases, controls and weights at the horizon are defined; as for `Sample.from_survival`."""

    horizon: Any
    event_value: Any
    competing: str
    lower_is_positive: Any
    name: str | None


class CensoringStratum(NamedTuple):
    """Rows with a common distribution of the censoring times, which are distinct and up to t."""

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

    def totals(self, mass: AnyArray | None) -> tuple[FloatArray, FloatArray]:
        """Return the weights that remain after each time, Y - dC, and those censored at it, dC."""
        lost = np.bincount(
            self.before[self.censored], None if mass is None else mass[self.censored], self.times
        )
        # Not a difference, so that it is exactly 0 if no row remains.
        remaining = np.bincount(self.before, mass, self.times + 1)[::-1].cumsum()[::-1][1:]
        return remaining.astype(np.float64), lost.astype(np.float64)

    def uncensored(self, mass: AnyArray | None) -> FloatArray:
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
    sampling : ndarray, optional
        Sampling weights.
    frequency : ndarray of int, optional
        Frequencies.
    """

    strata: Sequence[CensoringStratum]
    used: BoolArray
    sampling: FloatArray | None
    frequency: IntArray | None

    def _mass(self, copies: AnyArray | None) -> AnyArray | None:
        """Return numbers of copies times the sampling weights; None if there are neither."""
        if self.sampling is None or copies is None:
            return copies if self.sampling is None else self.sampling
        return self.sampling * copies

    def _of(self, stratum: CensoringStratum, values: AnyArray | None) -> AnyArray | None:
        """Return the values of the rows of a stratum."""
        return None if values is None else values[stratum.rows]

    def uncensored(self, copies: IntArray | None) -> list[FloatArray]:
        """Return the Kaplan-Meier estimates of the strata, before the first time and after each."""
        return [s.uncensored(self._of(s, self._mass(copies))) for s in self.strata]

    def weights(self, copies: IntArray | None = None) -> FloatArray:
        """Return the sampling weights divided by G; 0 for rows that are no cases or controls.

        `copies` are the numbers of copies of the rows in a resample, from which G is estimated.
        """
        survivals = self.uncensored(self.frequency if copies is None else copies)
        result = np.zeros(self.used.size)
        for s, survival in zip(self.strata, survivals, strict=True):
            inverse = np.divide(1.0, survival, out=np.zeros_like(survival), where=survival > 0.0)
            result[s.rows] = inverse[s.before]
        result[~self.used] = 0.0
        return result if self.sampling is None else result * self.sampling

    def __call__(self, z: FloatArray) -> FloatArray:
        """Return z + g: influence values for known weights and those of the estimated weights."""
        result = np.array(z, np.float64)
        for s in self.strata:
            if not s.times:
                continue
            remaining, lost = s.totals(self._of(s, self._mass(self.frequency)))
            inverse = np.divide(1.0, remaining, out=np.zeros_like(lost), where=remaining > 0.0)
            at_risk = remaining + lost
            hazard = np.divide(lost, at_risk, out=np.zeros_like(lost), where=at_risk > 0.0)
            copies, sampling = self._of(s, self.frequency), self._of(s, self.sampling)
            own = s.before[s.censored]
            for total, known in zip(result, z, strict=True):
                values = known[s.rows]
                sums = np.bincount(
                    s.before, values if copies is None else values * copies, s.times + 1
                )
                steps = sums[::-1].cumsum()[::-1][1:] * inverse
                passed = np.concatenate(([0.0], np.cumsum(steps * hazard)))
                g = -passed[s.before]
                g[s.censored] = steps[own] - passed[own + 1]
                total[s.rows] += g if sampling is None else g * sampling
        return result


class _FollowUp(NamedTuple):
    """Validated times and events."""

    time: FloatArray
    event: FloatArray
    value: float
    """The code of the event."""
    words: str
    """The event, such as "died = 1"."""

    @property
    def censored(self) -> BoolArray:
        """Whether each row is censored."""
        return np.asarray(self.event == 0.0)


def read_survival(
    frame: Any,
    event: Any,
    scores: Any,
    extras: dict[str, Any],
    options: SurvivalOptions,
    *,
    drop_missing: bool,
) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and ratings of outcomes at a horizon."""
    needed = {"time": extras["time"], "event": event, "horizon": options.horizon}
    for argument, value in needed.items():
        if value is None:
            raise InputTypeError.of(argument, None, "is missing.", shown="")
    check_choice("competing", options.competing, ("exclude", "control"))
    check_flag("drop_missing", drop_missing)
    if frame is None:
        if drop_missing:
            raise InputError.of("drop_missing", True, "is for the columns of a data frame.")
        selected = _from_arrays(event, scores, extras, options.name)
    else:
        selected = _from_frame(frame, event, scores, extras, options.name)
    with original_row_numbers(*lines_of(frame)):
        if drop_missing:
            selected = without_excluded(selected, Restriction({}), drop=True)
        with original_row_numbers(selected.kept):
            horizons = _listed_horizons(options.horizon)
            if len(horizons) > 1 and extras["censoring"] is not None:
                problem = "must be a number with given weights."
                raise InputTypeError.of("horizon", options.horizon, problem)
            found = [_sample_at(selected, options._replace(horizon=t)) for t in horizons]
    rows, ratings = found[0]
    if len(found) == 1:
        return rows, ratings
    parts = tuple((float(t), part) for t, (part, _) in zip(horizons, found, strict=True))
    return replace(rows, horizons=parts), ratings


def _from_arrays(event: Any, scores: Any, extras: dict[str, Any], name: str | None) -> FrameColumns:
    """Return the data of arrays."""
    if scores is None:
        raise InputTypeError.of("scores", None, "is missing: the scores of the rows.", shown="")
    of_scores = columns.named_scores(scores, name, "scores")
    named = {key: array_column(key, v) for key, v in extras.items()}
    return FrameColumns(array_column("event", event), of_scores, named)


def _from_frame(
    frame: Any, event: Any, scores: Any, extras: dict[str, Any], name: str | None
) -> FrameColumns:
    """Return the columns of a data frame."""
    opened = opened_frame(frame, "omit frame and pass arrays")
    listed = list(scores) if isinstance(scores, (list, tuple)) else [scores]
    if not listed or not all(isinstance(s, str) for s in listed):
        raise InputTypeError.of("scores", scores, "must name one or more columns.")
    check_text("name", name)
    if name is not None and len(listed) > 1:
        raise InputError.of("name", name, "is for a single score.")
    for key in listed:
        if listed.count(key) > 1 or equal(key, extras["time"]) or equal(key, event):
            problem = "names a column twice, or that of the times or events."
            raise InputError.of("scores", key, problem, shown="")
    column = partial(named_column, opened)
    selected = FrameColumns(
        column("event", event),
        {name or key: column("scores", key) for key in listed},
        {k: column(k.split()[0], v, after=k != "time") for k, v in extras.items()},
    )
    if isinstance(opened, LazyColumns):
        return selected.loaded_from(opened)
    if extras["frequency"] is None:
        warn_if_cases_recur(opened, selected)
    return selected


def _sample_at(selected: FrameColumns, options: SurvivalOptions) -> tuple[Rows, dict[str, Ratings]]:
    """Return the rows and ratings at a horizon, with weights for censoring."""
    extras = dict(selected.extras)
    columns.check_same_order((selected.label, *selected.scores.values(), *extras.values()))
    follow_up = _follow_up(extras.pop("time"), selected.label, options.event_value)
    n = follow_up.time.size
    sampling, frequency, copies = weights.sampling_of(extras, n)
    strata, given = extras.pop("strata"), extras.pop("censoring")
    horizon = options.horizon
    _check_horizon(horizon, follow_up.time[copies > 0])
    at = _at_horizon(follow_up, horizon, copies, competing=options.competing == "control")
    weights.warn_if_probabilities(extras["weight"].values, at.case, None, extras["weight"].name)
    weight_map: WeightMap
    if given.values is not None:
        if strata.values is not None:
            problem = "is for weights by Kaplan-Meier."
            raise InputError.of("strata", strata.name.column, problem, shown="")
        numbers = weights.non_negative(given.name, given.values, n, "event").astype(np.float64)
        weights.warn_if_below_1(given.name, numbers, at.used)
        total = np.where(at.used, numbers, 0.0)
        total = total if sampling is None else total * sampling
        weight_map = weights.GivenWeights(total, sampling)
        how = "given weights for censoring"
    else:
        estimated = _kaplan_meier(follow_up.time, follow_up.censored, at, strata)
        estimated = replace(estimated, sampling=sampling, frequency=frequency)
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
    lost = int(copies @ (follow_up.censored & at.early))
    return validate(
        NamedColumn(selected.label.name, at.case),
        selected.scores,
        {key: column for key, column in extras.items() if column.values is not None},
        DataOptions(None, "cohort", options.lower_is_positive),
        selected.dropped,
        weight_map=weight_map,
        rest=f"{at.words}, {how}; {count(lost, 'row')} censored before {horizon:.10g}",
        competing=at.left_out,
    )


class _AtHorizon(NamedTuple):
    """The rows that are cases and controls at a horizon."""

    case: BoolArray
    control: BoolArray
    early: BoolArray
    """Whether the follow-up of each row ends by the horizon."""
    words: str
    left_out: str
    """The rows with a competing event that are neither, in words."""

    @property
    def used(self) -> BoolArray:
        """Whether each row is a case or a control."""
        return self.case | self.control


def _at_horizon(
    follow_up: _FollowUp, horizon: float, copies: IntArray, *, competing: bool
) -> _AtHorizon:
    """Return the cases and controls; `competing` events by the horizon can be controls."""
    early = follow_up.time <= horizon
    case = (follow_up.event == follow_up.value) & early
    others = ~follow_up.censored & ~case & early
    at = f"{horizon:.10g}"
    words = f"events ({follow_up.words}) by {at} against rows followed beyond {at}"
    n_others = int(copies @ others)
    of_others = f"{count(n_others, 'row')} with a competing event by {at}" if n_others else ""
    if n_others:
        words += f"{' or' if competing else ', without'} {of_others}"
    if not copies @ case:
        problem = (
            f"precedes the first event ({follow_up.words}), at "
            f"{follow_up.time[follow_up.event == follow_up.value].min():.10g}: there is no case."
        )
        raise InputError.of("horizon", horizon, problem)
    left_out = "" if competing else of_others
    return _AtHorizon(case, ~early | (others & competing), early, words, left_out)


def _kaplan_meier(
    time: FloatArray, censored: BoolArray, at: _AtHorizon, strata: NamedColumn
) -> CensoringWeights:
    """Return the weights for censoring, without sampling weights and frequencies."""
    positions: list[Any] = [slice(None)]
    if strata.values is not None:
        codes, _ = weights.coded(strata.name, strata.values, time.size)
        order = np.argsort(codes, kind="stable")
        positions = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    parts = []
    for rows in positions:
        lost, early = (censored & at.early)[rows], at.early[rows]
        distinct, place = np.unique(time[rows][early], return_inverse=True)
        of_lost = np.bincount(place, lost[early], distinct.size)
        times = of_lost > 0.0
        before = np.full(lost.size, np.count_nonzero(times))
        before[early] = (np.cumsum(times) - times)[place]
        tied = bool((times & (np.bincount(place) > of_lost)).any())
        parts.append(CensoringStratum(rows, int(times.sum()), before, np.flatnonzero(lost), tied))
    return CensoringWeights(parts, at.used, None, None)


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
        warn(CensoringWarning.about("horizon", problem, value=horizon, hint=hint))


def _warn_about_few(at: _AtHorizon, copies: IntArray, horizon: float) -> None:
    """Warn about few events by the horizon, and few rows that are followed beyond it."""
    numbers = (
        (int(copies @ at.case), "had the event by"),
        (int(copies @ ~at.early), "are followed beyond"),
    )
    for number, words in numbers:
        if number < _FEWEST_ROWS:
            problem = (
                f"is {horizon:.10g}, and {count(number, 'row')} {words} it: intervals from fewer "
                f"than {_FEWEST_ROWS} may be too narrow."
            )
            warn(CensoringWarning.about("horizon", problem, value=horizon))


def _follow_up(time: NamedColumn, event: NamedColumn, event_value: Any) -> _FollowUp:
    """Return validated times and events."""
    array = vector(event.name, event.values)
    refuse_missing(event.name, array)
    values = unboxed_numbers(event.name, array)
    if values.dtype.kind not in "biuf":
        problem = (
            f"has dtype {values.dtype}; pass 0 for censored rows, and whole numbers for events."
        )
        raise InputTypeError.about(event.name, problem, value=event.values)
    codes = weights.non_negative(event.name, values, values.size).astype(np.float64)
    times = weights.non_negative(time.name, time.values, codes.size, event.name)
    wanted = finite("event_value", int(event_value) if event_value is True else event_value)
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
        warn(DoubtfulDataWarning.about(event.name, problem, value=event.values, hint=hint))
    column = event.name.column
    return _FollowUp(times.astype(np.float64), codes, wanted, f"{column or 'event'} = {wanted:g}")


def _listed_horizons(horizon: Any) -> list[Any]:
    """Return the horizons as a list."""
    horizons = [finite("horizon", value) for value in listed(horizon)]
    if not horizons or len({*horizons}) < len(horizons):
        raise InputError.of("horizon", horizon, "must be a number, or several different numbers.")
    return horizons


def _check_horizon(horizon: float, times: FloatArray) -> None:
    """Raise an error for a horizon that is not within the follow-up."""
    if not times.size:
        raise InputError.about("weight", "times frequency is 0 in all rows.", value=0)
    last = float(times.max())
    if horizon <= 0.0 or horizon >= last:
        problem = (
            f"must be above 0 and before the last follow-up, at {last:.10g}: controls are followed "
            "beyond it."
        )
        raise InputError.of("horizon", horizon, problem)
