"""Facts: numbers with their intervals and tests, by what they are about.

The facts of a result are all that its table and its sentences print (`pauci.results.pivot`). The
names of a fact say what it is about: the group, the class, the measure, its place on the curve, the
classifier and the data. The name of a difference is a pair, in the dimension that is compared.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pauci.calls import has, known
from pauci.intervals.analytic import BOOTSTRAP_KINDS
from pauci.measures.base import Measure
from pauci.measures.risks import NetBenefit
from pauci.results.row import Row
from pauci.tables import number_format as fmt
from pauci.tables.table import EstimateCell

DIMENSIONS = ("group", "class", "measure", "place", "classifier", "data")

ALL = "all"

"""The name of all rows beside groups."""

TREAT_ALL = "treat all"

"""The name of the decision with which net benefit is compared."""


@dataclass(frozen=True)
class Fact:
    """A number with its interval, and what it is about.

    Parameters
    ----------
    value, low, high : float
        The number and its interval; NaN without an interval.
    names : dict
        Its name in each dimension.
    record : mapping
        The fields of the row: standard error, statistic, degrees of freedom, p-values and kind.
    quantity : Quantity, optional
        The quantity, of which this is the value times `factor`.
    measure : Measure, optional
        The measure.
    counts : tuple of two float, optional
        Numerator and denominator of a proportion.
    factor : float
        The factor to the scale on which the number is printed.
    unit : bool
        Whether the number cannot exceed 1.
    one_sided : bool
        Whether the interval is a bound.
    """

    value: float
    low: float
    high: float
    names: Mapping[str, Any]
    record: Mapping[str, Any] = field(default_factory=dict)
    quantity: Any = None
    measure: Any = None
    counts: tuple[float, float] | None = None
    factor: float = 1.0
    unit: bool = True
    one_sided: bool = False

    def name(self, dimension: str) -> Any:
        """Return the name in a dimension; empty if there is none."""
        return self.names.get(dimension) or ""

    @property
    def is_difference(self) -> bool:
        """Whether a name is a pair."""
        return any(isinstance(name, tuple) for name in self.names.values())

    @property
    def p(self) -> float:
        """The p-value, adjusted if several are; NaN without a test."""
        p: float = self.record.get("p_adjusted", math.nan)
        return p

    @property
    def null(self) -> float:
        """The value under the null hypothesis; 0 without a test."""
        null: float = self.record.get("null", 0.0)
        return 0.0 if math.isnan(null) else null * self.factor

    @property
    def alternative(self) -> str:
        """The alternative hypothesis."""
        return str(self.record.get("alternative", "two-sided"))

    @property
    def kind(self) -> str:
        """The kind of the interval; empty without one."""
        return str(self.record.get("kind") or "") if self.high > self.low else ""

    @cached_property
    def cell(self) -> EstimateCell:
        """The number with its interval as a cell."""
        ends = self.low, self.high
        return EstimateCell(self.value, *ends, self.counts, self.unit, self.one_sided)


def named(names: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names that there are."""
    return {dimension: name for dimension, name in names.items() if name not in (None, "")}


def scaled(measure: Any, words: str) -> tuple[str, str, float]:
    """Return the name of a measure, its place on the curve, and the factor to its printed scale.

    `words` are those of its region, if it was resolved on data.
    """
    label, place = measure.label_and_place
    average = measure.as_average
    factor = 1.0
    if average is not None:
        label, factor = average
    return label, fmt.place((words or place) if measure.region_phrase else place), factor


def fact_of(row: Row, measure: Measure | None, words: str, names: Mapping[str, Any]) -> Fact:
    """Return the fact of a quantity with its interval and p-value in a row."""
    q, record = row.quantity, row.record
    label, place, factor = ("", "", 1.0) if measure is None else scaled(measure, words)
    low, high = (record.get(f"simultaneous_{end}", record[end]) for end in ("low", "high"))
    return Fact(
        q.value * factor,
        low * factor,
        high * factor,
        named(names) | named({"measure": label, "place": place}),
        record | {"kind": "simultaneous"} if "simultaneous_low" in record else record,
        q,
        measure,
        _counts(q),
        factor,
        row.unit,
        q.alternative != "two-sided",
    )


def _counts(q: Any) -> tuple[float, float] | None:
    """Return numerator and denominator of a proportion of single rows."""
    limits = known(q, "binomial", None)
    n = math.nan if limits is None or q.rows.weighted or q.folds is not None else limits.rows
    hits = round(q.value * n) if n == n else math.nan
    return (float(hits), n) if abs(hits - q.value * n) < 1e-6 else None


def names_of_estimate(e: Any) -> dict[str, Any]:
    """Return the names of an estimate."""
    if has(e, "reader"):
        return {"group": e.reader, "classifier": e.modality}
    kind = e.positive_class
    classifier = e.classifier if kind is None else e.classifier.removesuffix(f": {kind}")
    group = None if e.group is None else fmt.name_of_group(e.group)
    names = {"group": group, "class": None if kind is None else str(kind), "classifier": classifier}
    return named(names)


def fact_of_estimate(row: Row, words: str = "") -> Fact:
    """Return the fact of a row of an estimate."""
    e = row.quantity
    return fact_of(row, e.measure, words or row.record["region"], names_of_estimate(e))


def names_of_difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of a difference: a pair where they differ."""
    names: dict[str, Any] = {}
    for dimension in DIMENSIONS:
        a, b = first.get(dimension), second.get(dimension)
        names[dimension] = a if a == b else (a or ALL, b or ALL)
    return names


def _kind_of_estimates(e: Any, kind: Any) -> Any:
    """Return the kind of the intervals of estimates beside differences of a kind."""
    if kind in BOOTSTRAP_KINDS and e.resampled is not None:
        return kind
    return kind if kind == "wald" else None


def _key(e: Any, words: str) -> tuple[Any, ...]:
    return e.classifier, e.measure, e.group, words


def facts_of_comparison(row: Row, found: dict[Any, Fact]) -> Iterator[Fact]:
    """Yield the facts of both estimates of a row, unless they are found, and of the difference."""
    c = row.quantity
    words = row.record["region"]
    for e in c.estimates:
        key = _key(e, words)
        if key not in found:
            kind = _kind_of_estimates(e, row.kind)
            found[key] = fact_of_estimate(Row(e, row.level, kind), words)
            yield found[key]
    names = names_of_difference(*map(names_of_estimate, c.estimates))
    yield fact_of(row, c.measure, words, names)


def facts_of_rows(rows: Iterable[Row]) -> list[Fact]:
    """Return the facts of rows: those of estimates, and of differences with both estimates."""
    facts: list[Fact] = []
    found: dict[Any, Fact] = {}
    for row in rows:
        q = row.quantity
        if has(q, "estimates"):
            facts += facts_of_comparison(row, found)
        elif has(q, "classifier"):
            facts.append(fact_of_estimate(row))
            found[_key(q, row.record["region"])] = facts[-1]
        else:
            facts.append(fact_of_sum(row))
    facts += _treat_all(facts)
    if not any(f.name("class") for f in facts):
        return facts
    return list(map(_as_class, facts))


def _treat_all(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield the net benefit of treating all, at each risk."""
    for f in facts:
        m, e = f.measure, f.quantity
        if isinstance(m, NetBenefit) and m.key == NetBenefit.key and not f.is_difference:
            share = e.bounds.high + float(m.harm) if m.prevalence is None else float(m.prevalence)
            value = share - (1.0 - share) * m.odds
            if not m.standardized:
                yield Fact(value, math.nan, math.nan, {**f.names, "classifier": TREAT_ALL})


def _as_class(f: Fact) -> Fact:
    """Return the average over the classes of a measure as the measure of another class."""
    measure = f.measure
    if known(measure, "weights", None) != "equal" or not has(measure, "measure"):
        return f
    label, _, _ = scaled(measure.measure, "")
    return replace(f, names={**f.names, "measure": label, "class": "average"})


def fact_of_sum(row: Row) -> Fact:
    """Return the fact of a row of a weighted sum, which is named by what it consists of."""
    q = row.quantity
    results = known(q, "results", ())
    gap = row.more.get("gap")
    if gap is not None:
        c, reference = gap
        names = {
            "classifier": (c.first, c.second),
            "group": (fmt.name_of_group(c.group), reference),
        }
        return fact_of(row, c.measure, c.region_phrase, names)
    if results:  # pooled over completed data
        first = results[0]
        if has(first, "estimates"):
            names = names_of_difference(*map(names_of_estimate, first.estimates))
            return fact_of(row, q.measure, first.region_phrase, names)
        return fact_of(row, q.measure, first.region.words, names_of_estimate(first))
    name: Any = q.label if len(q.label) > 1 else q.label[0] if q.label else "weighted sum"
    return fact_of(row, None, "", {"classifier": name, **row.more.get("names", {})})
