"""Facts: numbers with their intervals and tests, by what they are about.

The table and the sentences of a result contain only its facts (`pauci.results.pivot`). The names of
a fact state what it is about: the group, the class, the measure, its place on the curve, the
classifier and the data. The name of a difference is a pair, in the dimension that is compared.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pauci.calls import has, known
from pauci.intervals.analytic import BOOTSTRAP_KINDS
from pauci.measures.base import Measure
from pauci.measures.risks import NetBenefit
from pauci.results.quantity import Row
from pauci.tables import number_format as fmt
from pauci.tables.table import EstimateCell

DIMENSIONS = ("group", "class", "measure", "place", "classifier", "data")

ALL = "all"
"""The name of all rows, next to those of groups."""

TREAT_ALL = "treat all"
"""The name of the decision with which net benefit is compared."""


@dataclass(frozen=True)
class Fact(EstimateCell):
    """A number with its interval, as in a cell of a table, and what it is about.

    Parameters
    ----------
    names : dict
        Its name in each dimension.
    record : mapping
        The fields of the row: standard error, statistic, degrees of freedom, p-values and kind.
    quantity : Quantity, optional
        The quantity, of which this is the value times `factor`.
    measure : Measure, optional
        The measure.
    factor : float
        The factor to the scale on which the number is printed.
    """

    names: Mapping[str, Any] = field(default_factory=dict)
    record: Mapping[str, Any] = field(default_factory=dict)
    quantity: Any = None
    measure: Any = None
    factor: float = 1.0

    @property
    def measure_with_place(self) -> str:
        """The name of the measure, with that of its place on the curve."""
        names = self.names
        return fmt.with_place(names.get("measure"), names.get("place"))

    @property
    def is_difference(self) -> bool:
        """Whether a name is a pair."""
        return tuple in map(type, self.names.values())

    @property
    def p(self) -> float:
        """The p-value, adjusted if several are; NaN without a test."""
        return float(self.record.get("p_adjusted", math.nan))

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


def scaled(measure: Any, words: str) -> tuple[str, str, float]:
    """Return the name of a measure, its place on the curve, and the factor to its printed scale.

    `words` are those of its region, if it was resolved on data.
    """
    label, place = measure.label_and_place
    place = fmt.place((words or place) if measure.region_phrase else place)
    return printed_label(measure, label), place, printed_factor(measure)


def printed_label(measure: Any, label: str | None = None) -> str:
    """Return the name of an area that is printed as an average rate; of others a label.

    The default is the label of the measure.
    """
    if measure.as_average is not None:
        return str(measure.as_average[0])
    return str(measure.label) if label is None else label


def printed_factor(measure: Any) -> float:
    """Return the factor from the values of a measure to the printed ones; 1 without a measure."""
    if measure is None or measure.as_average is None:
        return 1.0
    return float(measure.as_average[1])


def fact_of(row: Row, measure: Measure | None, words: str, names: Mapping[str, Any]) -> Fact:
    """Return the fact of a quantity with its interval and p-value in a row."""
    q, record = row.quantity, row.numbers
    label, place, factor = ("", "", 1.0) if measure is None else scaled(measure, words)
    if "simultaneous_low" in record:
        low, high = record["simultaneous_low"], record["simultaneous_high"]
        record = record | {"kind": "simultaneous", "low": low, "high": high}
    return Fact(
        q.value * factor,
        record["low"] * factor,
        record["high"] * factor,
        _counts(q),
        row.unit,
        q.alternative != "two-sided",
        {"measure": label, "place": place, **names},
        record,
        q,
        measure,
        factor,
    )


def _counts(q: Any) -> tuple[float, float] | None:
    """Return numerator and denominator of a proportion of single rows."""
    limits = known(q, "binomial", None)
    n = math.nan if limits is None or q.rows.weighted or q.folds is not None else limits.rows
    hits = round(q.value * n) if n == n else math.nan
    return (float(hits), n) if abs(hits - q.value * n) < 1e-6 else None


def _about(q: Any) -> tuple[dict[str, Any], str]:
    """Return the names of an estimate or a difference, which are pairs, and its region in words."""
    if has(q, "estimates"):
        (first, _), (second, _) = map(_about, q.estimates)
        pairs = [(d, first.get(d), second.get(d)) for d in DIMENSIONS if d in first or d in second]
        return {d: a if a == b else (a or ALL, b or ALL) for d, a, b in pairs}, q.region_phrase
    if has(q, "reader"):
        return {"group": q.reader, "classifier": q.modality}, q.region.words
    names = {"classifier": q.classifier}
    if q.group is not None:
        names["group"] = fmt.name_of_group(q.group)
    if q.positive_class is not None:
        names["class"] = str(q.positive_class)
        names["classifier"] = q.classifier.removesuffix(f": {names['class']}")
    return names, q.region.words


def fact_of_estimate(row: Row, words: str = "") -> Fact:
    """Return the fact of a row of an estimate."""
    names, region = _about(row.quantity)
    return fact_of(row, row.quantity.measure, words or row.more.get("region", region), names)


def facts_of_comparison(row: Row, found: dict[Any, Fact]) -> Iterator[Fact]:
    """Yield the facts of both estimates of a row, unless they are found, and of the difference."""
    names, words = _about(row.quantity)
    words = row.more.get("region", words)
    difference = fact_of(row, row.quantity.measure, words, names)  # this validates the kind
    for e in row.quantity.estimates:
        key = e.classifier, e.measure, e.group, words
        if key not in found:
            by_replicates = row.kind in BOOTSTRAP_KINDS and e.resampled is not None
            kind = row.kind if row.kind == "wald" or by_replicates else None
            found[key] = fact_of_estimate(Row(e, row.level, kind), words)
            yield found[key]
    yield difference


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
            words = row.more.get("region", q.region.words)
            found[q.classifier, q.measure, q.group, words] = facts[-1]
        else:
            facts.append(_fact_of_sum(row))
    has_classes = False
    for f in [*facts]:
        has_classes |= "class" in f.names
        m = f.measure
        if isinstance(m, NetBenefit) and m.key == NetBenefit.key and not f.is_difference:
            share = m.prevalence
            if share is None:
                share = f.quantity.bounds.high + float(m.harm)
            value = float(share) - (1.0 - float(share)) * m.odds
            if not m.standardized:
                facts.append(Fact(value, names={**f.names, "classifier": TREAT_ALL}))
    return list(map(_as_class, facts)) if has_classes else facts


def _as_class(f: Fact) -> Fact:
    """Return the average over the classes of a measure as the measure of another class."""
    measure = f.measure
    if known(measure, "weights", None) != "equal" or not has(measure, "measure"):
        return f
    label, _, _ = scaled(measure.measure, "")
    return replace(f, names={**f.names, "measure": label, "class": "average"})


def _fact_of_sum(row: Row) -> Fact:
    """Return the fact of a row of a weighted sum, which is named by what it consists of."""
    q = row.quantity
    if "gap" in row.more:
        c, reference = row.more["gap"]
        group = fmt.name_of_group(c.group), reference
        names = {"classifier": (c.first, c.second), "group": group}
        return fact_of(row, c.measure, c.region_phrase, names)
    if known(q, "results", ()):  # pooled over completed data
        names, words = _about(q.results[0])
        return fact_of(row, q.measure, words, names)
    name: Any = q.label if len(q.label) > 1 else q.label[0] if q.label else "weighted sum"
    names = {"classifier": name, **row.more.get("names", {})}
    return fact_of(row, measure_of_sum(q), "", names)


def measure_of_sum(q: Any) -> Measure | None:
    """Return the measure of a weighted sum of partial areas that is printed as average rates.

    None for sums of other measures, or of several.
    """
    measures = {e.measure for e in q.estimates_used}
    measure: Measure | None = measures.pop() if len(measures) == 1 else None
    return None if measure is None or measure.as_average is None else measure
