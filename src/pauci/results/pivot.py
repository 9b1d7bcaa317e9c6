"""The table of a result and its sentences, from its facts (`pauci.results.facts`).

A dimension with one name is part of the title. The compared dimension stands across, or its
differences beside the estimates, or below them: the first that fits the width.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any

from pauci.calls import has, known
from pauci.checks import Horizon
from pauci.intervals.analytic import BOOTSTRAP_KINDS
from pauci.measures.base import OfPiece
from pauci.results import captions
from pauci.results.facts import ALL, DIMENSIONS, TREAT_ALL, Fact
from pauci.results.quantity import estimates_of
from pauci.tables import number_format as fmt
from pauci.tables.formatted_table import width_of
from pauci.tables.table import (
    Cell,
    Degrees,
    Number,
    Part,
    PValue,
    RichText,
    StatisticCell,
    Symbol,
    Table,
    Verbatim,
    parts_of,
)

_KINDS = {"newcombe": "from both intervals", "wald": "t"}
"""Kinds of the intervals of differences in words."""


_MOST_NULLS = 3
"""Largest number of null values that a note lists."""


def part_of(name: Any, noun: str = "classifier") -> RichText:
    """Return a name, or that of a difference, as a cell; the noun stands before numbers."""
    if not isinstance(name, tuple):
        return Verbatim(str(name))
    first, second = (Verbatim(_with_noun(n, noun)) for n in name)
    return first, " - ", second


def _with_noun(name: str, noun: str) -> str:
    """Return a name, with a noun before a number."""
    named = fmt.named(name, noun) if noun else name
    return named if named.endswith(name) else name


@dataclass(frozen=True)
class Shape:
    """An arrangement of facts: the dimensions that name the rows, and the facts by row and column.

    The columns are the names of the compared dimension, `unit`, if they stand `across`.
    """

    stubs: list[str]
    rows: dict[tuple[Any, ...], dict[Any, Fact]]
    unit: str
    across: bool = False

    @property
    def columns(self) -> list[Any]:
        """The columns, those of differences last."""
        columns = dict.fromkeys(column for row in self.rows.values() for column in row)
        return sorted(columns, key=lambda c: isinstance(c, tuple))


@dataclass(frozen=True)
class Presentation:
    """The facts of a result at a level of confidence, and what else its table and sentences state.

    Parameters
    ----------
    given : sequence of Fact
        The facts.
    level : float
        Confidence level.
    result : Presented, optional
        The result.
    kind : str, optional
        Kind of the intervals, as it was requested.
    """

    given: Sequence[Fact]
    level: float
    result: Any = None
    kind: Any = None

    @cached_property
    def facts(self) -> list[Fact]:
        """The facts, with all rows as a group, and places that not all measures have as names."""
        facts = list(self.given)
        if any("group" in f.names for f in facts):
            facts = [replace(f, names={"group": ALL, **f.names}) for f in facts]
        facts = list(_distinct(facts))
        pairs = {(f.name("measure"), f.name("place")) for f in facts}
        measures, places = ({pair[i] for pair in pairs} for i in (0, 1))
        if len(measures) == 1 or len(places) == 1 or len(pairs) == len(measures) * len(places):
            return facts
        return [
            replace(f, names={**f.names, "measure": f.measure_with_place, "place": ""})
            for f in facts
        ]

    @cached_property
    def names(self) -> dict[str, list[Any]]:
        """The distinct names in each dimension."""
        return {
            d: list(dict.fromkeys(filter(None, (f.name(d) for f in self.facts))))
            for d in DIMENSIONS
        }

    @cached_property
    def interval(self) -> str:
        """The name of the intervals: ``95% CI``."""
        return f"{fmt.percent(self.level)} CI"

    def noun(self, dimension: str) -> str:
        """Return the noun for a name that is a number."""
        if dimension != "group":
            return str(known(self.result, "_noun_of_names", "classifier"))
        groups = (known(e, "group", None) for e in self.estimates)
        noun = fmt.noun_of_group(next((g for g in groups if g is not None), None))
        return str(known(self.result, "_noun_of_groups", noun))

    def part(self, dimension: str, name: Any, *, below_heading: bool = False) -> RichText:
        """Return a name as a cell; those of measures and places are words of this package."""
        if dimension in ("measure", "place"):
            return str(name)
        return part_of(name, "" if below_heading else self.noun(dimension))

    def text(self, dimension: str, name: Any) -> str:
        """Return a name as text in a sentence."""
        noun = self.noun(dimension)
        names = name if isinstance(name, tuple) else (name,)
        return " - ".join(_with_noun(n, noun) for n in names)

    def fixed(self, dimension: str) -> Any:
        """Return the name in a dimension if all facts have the same; otherwise it is empty."""
        names = self.names[dimension]
        return names[0] if len(names) == 1 else ""

    @cached_property
    def full_names(self) -> dict[str, str]:
        """The full names of measures, by those in the table."""
        full = {}
        for f in self.facts:
            measure, label = f.measure, f.name("measure")
            if measure is None:
                continue
            average, curve = measure.as_average, getattr(self._rest, "curve", "ROC")
            if average is not None and label == average[0] and curve != "ROC":
                full[label] = f"{curve} {label}"
            if average is None and label == measure.label_and_place[0] == measure.label:
                full[label] = captions.name_on(measure, self._rest)
        return full

    @cached_property
    def _rest(self) -> Any:
        """What the note on the rows states, which names the curve of marks."""
        study = known(known(self.result, "analysis", self.result), "study", None)
        if study is not None:
            return study.rest
        return known(self.estimates[0], "rest", "") if self.estimates else ""

    def shapes(self) -> list[Shape]:
        """Return the possible arrangements, the widest first."""
        facts = self.facts
        vary = [d for d in DIMENSIONS if len(self.names[d]) > 1]
        compared = {d for d in DIMENSIONS if tuple in map(type, self.names[d])}
        pairs = [d for d in ("classifier", "group", "class") if d in compared]
        first = [d for d in ("classifier", "data", "place") if d in vary]
        unit = known(self.result, "_unit", "") or [*pairs, *first, *vary, "classifier"][0]
        others = [d for d in vary if d != unit]
        order = {d: [*sorted(self.names[d], key=_is_last), ""] for d in others}

        def position(f: Fact) -> list[int]:
            return [*(order[d].index(f.name(d)) for d in others), *_is_last(f.name(unit))]

        across = Shape(others, {}, unit, across=True)
        beside, below = (Shape([*others, unit], {}, unit) for _ in range(2))
        for f in sorted(facts, key=position):
            row, name = tuple(f.name(d) for d in others), f.name(unit)
            if not name and "measure" not in others:
                name = f.name("measure")
            of_pair = isinstance(name, tuple)
            across.rows.setdefault(row, {})[name] = f
            below.rows.setdefault((*row, name), {})[""] = f
            key = name[0] if of_pair else name
            beside.rows.setdefault((*row, key), {})[("", name[1]) if of_pair else ""] = f
        references = {f.name(unit)[1] for f in facts if isinstance(f.name(unit), tuple)}
        has_column = len(references) == 1 and bool(others or unit == "group")
        return [*[across] * (len(across.rows) > 1), *[beside] * has_column, below]

    def table(self, width: int, *, details: bool = False) -> Table:
        """Return the table in the first arrangement that is not wider than `width` characters."""
        shapes = self.shapes()
        for shape in shapes:
            headings, rows, counted = self._cells(shape, details=details)
            table = Table("", headings, rows, stubs=max(len(shape.stubs) + counted, 1))
            if shape is shapes[-1] or width_of(table) <= width:
                break
        title, notes = self.title(across=shape.across), list(self._notes(counted=counted))
        notes += self._notes_on_replicates() if details else ()
        measures = dict.fromkeys(f.measure for f in self.facts if f.measure)
        meanings = captions.abbreviations_of(measures, self._rest)
        return replace(table, title=title, notes=notes, abbreviations=meanings)

    def _cells(
        self, shape: Shape, *, details: bool
    ) -> tuple[list[RichText], list[list[Cell]], bool]:
        """Return headings and rows, and whether numbers of positives of groups are among them."""
        sizes = self._sizes_of_groups if "group" in shape.stubs else {}
        counted = len(set(sizes.values())) > 1
        heads: list[RichText] = list(map(self._heading_of_names, shape.stubs))
        named = [bool(head) for head in heads]
        at = shape.stubs.index("group") if counted else 0
        if counted:
            heads.insert(at + 1, "positives/n")
        tested = {
            c: any(c in row and not math.isnan(row[c].p) for row in shape.rows.values())
            for c in shape.columns
        }
        for c in shape.columns:
            heads.append(self._heading(c, shape))
            heads += [Symbol("SE"), Symbol("t"), Symbol("df")] * details
            of_p: RichText = (Symbol("p"), f" ({self.adjusted})") if self.adjusted else Symbol("p")
            heads += [of_p] * tested[c]
        rows: list[list[Cell]] = []
        last: tuple[Any, ...] = ()
        for key, facts in shape.rows.items():
            depth = len(key) - 1
            again = [key[: i + 1] == last[: i + 1] and i < depth for i in range(len(key))]
            row: list[Cell] = [
                None if a else self.part(d, name, below_heading=below)
                for a, d, name, below in zip(again, shape.stubs, key, named, strict=True)
            ]
            if counted:
                n = sizes.get(key[at])
                row.insert(at + 1, Verbatim(n) if n and not again[at] else None)
            for c in shape.columns:
                row += _cells_of(facts.get(c), details=details, tested=tested[c])
            rows.append(row)
            last = key
        if details:  # without statistics or degrees of freedom that no row has
            optional = Symbol("t"), Symbol("df")
            kept = [
                head not in optional or any(row[i] for row in rows) for i, head in enumerate(heads)
            ]
            heads, rows = list(compress(heads, kept)), [list(compress(r, kept)) for r in rows]
        return heads, rows, counted

    @cached_property
    def _sizes_of_groups(self) -> dict[Any, str]:
        """Positives and all rows of each group, unless they differ within a group."""
        sizes: dict[Any, str] = {}
        for f in self.facts:
            e = f.quantity
            if has(e, "n_pos") and not e.rows.classes and not has(e, "reader"):
                words = f"{e.n_pos:,}/{e.n_pos + e.n_neg:,}"
                if sizes.setdefault(f.name("group"), words) != words:
                    return {}
        return sizes

    def _heading_of_names(self, dimension: str) -> RichText:
        if dimension == "group":
            by = known(self.result, "by", "") or self.noun(dimension)
            return Verbatim(by) if by != "group" else ""
        headings: dict[str, str] = {"measure": "measure", "class": "class"}
        return str((headings | known(self.result, "_headings", {})).get(dimension, ""))

    def _heading(self, column: Any, shape: Shape) -> RichText:
        if shape.across:
            return self.part(shape.unit, column)
        if column:
            name = self.text(shape.unit, column[1])
            return ("difference from ", Verbatim(name), f" ({self.interval})")
        return f"estimate ({self.interval})" if self._has_intervals else "estimate"

    @cached_property
    def _has_intervals(self) -> bool:
        return any(f.high > f.low for f in self.facts)

    @cached_property
    def adjusted(self) -> str:
        """The method by which p-values are adjusted; empty if they are not."""
        result = self.result
        if has(result, "_adjusted_by"):
            return str(result._adjusted_by)
        gaps = known(result, "gaps", ())
        how = known(result, "adjust", known(gaps, "adjust", "none"))
        of_groups = has(result, "gaps") and tuple not in map(type, self.names["classifier"])
        several = how != "none" and max(0 if of_groups else len(result), len(gaps)) > 1
        return fmt.proper(how) if several else ""

    # Title and note

    def title(self, *, across: bool) -> RichText:
        """Return what is constant: the measure, the classifiers, the group and the place."""
        label = self.fixed("measure")
        topic = known(self.result, "_topic", None)
        parts: list[str | Part] = []
        if topic is not None:
            parts += parts_of(topic(self.level) if callable(topic) else topic)
        else:
            name = self.full_names.get(label, label)
            if not name and self.names["measure"]:
                name = "accuracy"
            found = known(self.result, "_classifiers", self.names["classifier"])
            listed = [n for n in found if n != TREAT_ALL]
            names = [n for n in listed if not isinstance(n, tuple)]
            words = list(captions.names_phrase(names or [n for pair in listed for n in pair]))
            parts += [captions.capitalized(name), " of "] * bool(name) + words
            parts = parts if name else ["Contrasts"]
        group, kind, place, data = map(self.fixed, ("group", "class", "place", "data"))
        parts += [f" in {data}"] * bool(data)
        if group and not isinstance(group, tuple) and group != ALL:
            parts.append(self._in_group(group))
        parts += [" of class ", Verbatim(kind)] * bool(kind and not isinstance(kind, tuple))
        parts += [f" at {place}"] * bool(place)
        if across and self._has_intervals:
            parts.append(f": estimate ({self.interval})")
        return tuple(parts)

    def _in_group(self, group: Any) -> str:
        if has(self.result, "_noun_of_groups"):
            return f" of {self.text('group', group)}"
        groups = [known(e, "group", None) for e in self.estimates]
        labels = {fmt.name_of_group(label): label for label in groups if label is not None}
        return fmt.in_group(labels.get(group, group))

    @cached_property
    def estimates(self) -> list[Any]:
        """The estimates that the facts are calculated from, or those that the result names."""
        quantities = [f.quantity for f in self.facts if f.quantity is not None]
        return estimates_of(quantities) or list(known(self.result, "_described", ()))

    def _notes(self, *, counted: bool) -> Iterator[RichText]:
        """Yield the sentences of the note."""
        single, pairs = ([f for f in self.facts if f.is_difference == d] for d in (False, True))
        pairing = sorted({f.quantity.pairing for f in pairs if has(f.quantity, "pairing")})
        yield from self.notes_on_data(", ".join(pairing[:1]), counted=counted)
        yield from self._notes_on_intervals(single, pairs)
        yield from self.notes_on_errors()
        yield from _notes_on_scales(self.facts)
        yield from self._conclusions(pairs)
        if self.result is not None:
            yield from self.result._remarks(self.level, self.kind)
        yield from captions.caution_notes(self.estimates)
        skipped = known(self.result, "_skipped", None)
        if skipped:
            yield skipped.note

    def notes_on_data(self, pairing: str = "", *, counted: bool = False) -> Iterator[RichText]:
        """Yield the numbers of observations, and how those of differences are related."""
        basis = known(self.result, "_basis", None)
        words = list(self._sizes(counted=counted) if basis is None else parts_of(basis))
        if words or pairing:
            separate = any(";" in str(word) for word in words)
            between = ("; " if separate else ", ") * bool(words and pairing)
            first, *others = *words, f"{between}{pairing}."
            yield (captions.capitalized(first) if isinstance(first, str) else first, *others)

    def _notes_on_intervals(self, single: list[Fact], pairs: list[Fact]) -> Iterator[RichText]:
        of_single = _kinds_of(single, {"newcombe": _KINDS["newcombe"]})
        if of_single:
            yield f"{self.interval}: {of_single}."
        degrees = [f.record.get("df", math.inf) for f in pairs]
        df = sorted({round(n) for n in degrees if math.isfinite(n)})
        of_pairs = _kinds_of(pairs, _KINDS if df else _KINDS | {"wald": "z"})
        if of_pairs:
            ends = " to ".join(f"{n:,}" for n in dict.fromkeys([df[0], df[-1]])) if df else ""
            yield f"Differences: {of_pairs}{f' ({ends} df)' if df else ''}."
        hypotheses = {(f.null, f.alternative) for f in self.facts if not math.isnan(f.p)}
        nulls, sides = sorted({null for null, _ in hypotheses}), {side for _, side in hypotheses}
        stated = len(sides) == 1 and len(nulls) <= _MOST_NULLS
        if stated and hypotheses != {(0.0, "two-sided")}:
            listed = fmt.listed(list(map(fmt.hypothesis, nulls)))
            yield f"Tests against {listed}, {fmt.sided(sides.pop())}."
        if any(math.isinf(f.low) or math.isinf(f.high) for f in self.facts if _is_resampled(f)):
            yield "Infinite limits are beyond all replicates."

    def notes_on_errors(self) -> Iterator[RichText]:
        """Yield the sources of standard errors that are not the default."""
        if not known(self.result, "_states_errors", True):
            return
        sources: dict[str, None] = {}
        resampled: dict[Any, list[Any]] = {}
        for e in self.estimates:
            if e.resampled is not None:
                same = e.resampled.scheme, e.resampled.replicates.size
                resampled.setdefault(same, []).append(e.resampled)
            elif e.variance != "influence":
                sources[e.source] = None
        if resampled:
            from pauci.intervals.resampled import source_of

            sources |= dict.fromkeys(map(source_of, resampled.values()))
        of_rows = [e for e in self.estimates if e.rows.clusters is None and not e.rows.weighted]
        labels = self.names["measure"] or [e.measure.label for e in of_rows]
        of_counts = [f.name("measure") for f in self.facts if known(f.quantity, "binomial", None)]
        measures = set(labels) - set(of_counts) if of_rows else set()
        if not sources and "AUC" in measures:
            others = " and its extension to the others" * (len(measures) > 1)
            sources[f"DeLong's method{others or ' for the AUC' * bool(of_counts)}"] = None
        if sources:
            yield f"Standard errors: {'; '.join(sources)}."
        undefined = [r.n_undefined for draws in resampled.values() for r in draws]
        if any(undefined):
            most = "up to " * (len(set(undefined)) > 1)
            yield f"Undefined in {most}{max(undefined)} replicates, which are left out."

    def _notes_on_replicates(self) -> Iterator[RichText]:
        """Yield the Monte Carlo standard errors that are due to the number of replicates."""
        of_errors, of_limits = [0.0], [0.0]
        for f in self.facts:
            resampled = known(f.quantity, "resampled", None)
            if resampled is not None:
                of_errors.append(resampled.error_of_se * f.factor)
                if _is_resampled(f):
                    ends = resampled.error_of_interval(self.level, f.record["kind"])
                    of_limits += [end * f.factor for end in ends]
        listed = []
        for name, errors in (("limits", of_limits), ("standard errors", of_errors)):
            if e := max(errors):
                most = f"at most {fmt.number(e, e)}" if e < math.inf else "not known"
                listed.append(f"of {name} {most}")
        if listed:
            yield f"Monte Carlo standard error {fmt.listed(listed)}."

    def _conclusions(self, pairs: list[Fact]) -> Iterator[RichText]:
        """Yield the conclusions of tests against a margin."""
        varying = [d for d in DIMENSIONS[:4] if len({p.name(d) for p in pairs}) > 1]
        for f in pairs[: captions.MAX_CONCLUSIONS]:
            phrase = self.conclusion(f)
            if phrase:
                d = "classifier" if isinstance(f.name("classifier"), tuple) else "group"
                others = [self.text(o, f.name(o)) for o in varying if o != d]
                places = [Verbatim(f", {name}") for name in others]
                yield (*parts_of(self.part(d, f.name(d))), *places, f": {phrase}.")

    def conclusion(self, f: Fact) -> str:
        """Return the conclusion of a test against a margin; empty without a margin."""
        if not f.is_difference or f.measure is None:
            return ""
        pair = next(n for n in f.names.values() if isinstance(n, tuple))
        return captions.conclusion_phrase(
            f,
            self.level,
            adjusted=bool(self.adjusted),
            higher_is_better=f.measure.higher_is_better,
            second=fmt.named(str(pair[1])),
        )

    def _sizes(self, *, counted: bool) -> tuple[Part | str, ...]:
        """Return the numbers of observations, or what is common to groups that have a column."""
        estimates = [e for e in self.estimates if has(e, "n_pos")]
        whole = [e for e in estimates if e.group is None] or estimates
        if counted and whole[0].group is not None:
            words = dict.fromkeys(filter(None, map(_without_numbers, whole)))
            longest = [w for w in words if not any(o != w and o.startswith(w) for o in words)]
            joined = "; ".join(longest)
            return (joined,) if joined else ()
        pairs = [f.quantity for f in self.facts if has(f.quantity, "shared_units")]
        each = ""
        if pairs and not any(c.paired for c in pairs) and len({id(e) for e in whole}) > 1:
            groups = pairs[0].between_groups
            each = f" in each {'group' if groups else 'sample'}"
            each *= not groups or whole[0].group is not None
        chosen = [e for e in whole if known(known(e, "rows", None), "design", "") == "case-control"]
        stated = any(e.measure.uses_sample_prevalence for e in chosen)
        sizes = captions.sizes_phrase(whole, each) if whole else ()
        return (*sizes, ", case-control") if stated else sizes

    # Sentences

    def sentences(self) -> list[str]:
        """Return a sentence about each row: the estimates, and their differences with p-values."""
        grouped: dict[tuple[Any, ...], tuple[list[Fact], list[Fact]]] = {}
        for f in self.facts:
            names = map(f.name, DIMENSIONS[:4])
            key = tuple("" if isinstance(n, tuple) else n for n in names)
            if not f.name("measure"):
                key = (*key, f.name("classifier"))
            grouped.setdefault(key, ([], []))[f.is_difference].append(f)
        return [self._sentence(key, *facts) for key, facts in grouped.items()]

    def _sentence(self, names: tuple[Any, ...], single: list[Fact], pairs: list[Fact]) -> str:
        group, kind, measure, place, *_ = names
        where, data = f" at {place}" * bool(place), self.fixed("data")
        where += f" in {data}" * bool(data)
        if group and group != ALL:
            where += self._in_group(group)
        where += f" of class {kind}" * bool(kind)
        name = self.full_names.get(measure) or measure.replace(", ", " at ", 1)
        if not measure:
            (f,) = [*single, *pairs]
            return f"The contrast {self._whose(f)} was {self._text(f)}{self._test(f)}."
        of = " for " * bool(self.names["classifier"])
        whose = [f"{self._text(f)}{of}{self._whose(f)}{self._test(f)}" for f in single]
        several = len(pairs) > 1 or len(single) != 2
        tests = []
        for f in pairs:
            name_of_pair = f" {self._whose(f)}" * several
            was = "" if single else " was"
            tests.append(f"difference{name_of_pair}{was} {self._text(f)}{self._test(f)}")
        numbers = "; ".join(filter(None, [fmt.listed(whose), *tests]))
        subject = name if re.match(r"[A-Z]\w+'s ", name) else f"The {name}"
        text = f"{subject}{where} was {numbers}."
        if not single:
            text = f"In the {name}{where}, the {numbers}."
        for f in pairs:
            text += captions.conclusion_sentence(self.conclusion(f), self._whose(f))
        return text

    def _test(self, f: Fact) -> str:
        """Return the p-value, with the hypotheses of a test that is not two-sided against 0."""
        if math.isnan(f.p):
            return ""
        against = f" against {fmt.hypothesis(f.null)}" * bool(f.null)
        side = "" if f.alternative == "two-sided" else f", {fmt.sided(f.alternative)}"
        return f", {'adjusted ' * bool(self.adjusted)}{fmt.p_value(f.p)}{against}{side}"

    def _text(self, f: Fact) -> str:
        without = not known(f.quantity, "has_interval", True)
        return f.sentence(self.interval) + " (no interval)" * without

    def _whose(self, f: Fact) -> str:
        """Return the classifier, or what is compared."""
        pairs = [self.text(d, n) for d, n in f.names.items() if isinstance(n, tuple)]
        if pairs:
            name = f.name("classifier")
            several = len(self.names["classifier"]) > 1 and not isinstance(name, tuple)
            return ", ".join([str(name)] * bool(several and name) + pairs)
        return self.text("classifier", str(f.name("classifier")))


@dataclass(frozen=True)
class Statement:
    """A table of other numbers than estimates, such as those of a test, and its sentences.

    Parameters
    ----------
    title : RichText
        The title of the table.
    columns : sequence of (RichText, sequence of Cell)
        The columns with their headings; those without any cell are omitted.
    notes : sequence of RichText
        The sentences of the note.
    texts : sequence of str
        The sentences of ``report``.
    abbreviations : dict of str to str
        Abbreviations and their meanings.
    """

    title: RichText
    columns: Sequence[tuple[RichText, Sequence[Cell]]]
    notes: Sequence[RichText]
    texts: Sequence[str]
    abbreviations: dict[str, str] = field(default_factory=dict)

    def table(self, width: int, *, details: bool = False) -> Table:  # noqa: ARG002
        """Return the table, which has one arrangement."""
        shown = [(h, cells) for h, cells in self.columns if any(c is not None for c in cells)]
        headings, cells = zip(*shown, strict=True)
        rows = list(zip(*cells, strict=True))
        return Table(self.title, headings, rows, self.notes, self.abbreviations)

    def sentences(self) -> list[str]:
        """Return the sentences."""
        return list(self.texts)


def _distinct(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield each fact once; others with the same names are numbered."""
    found: dict[Any, str] = {}
    for f in facts:
        shown, number, numbers = f, 1, repr((f.value, f.low, f.high))
        while (key := tuple(map(shown.name, DIMENSIONS))) in found and found[key] != numbers:
            number += 1
            name = f.name("classifier")
            first, *second = name if isinstance(name, tuple) else (name,)
            numbered = (f"{first} [{number}]", *second)
            names = {**f.names, "classifier": numbered if second else numbered[0]}
            shown = replace(f, names=names)
        if key not in found:
            found[key] = numbers
            yield shown


def _is_last(name: Any) -> tuple[bool, bool]:
    """Return the order of names: all rows after groups, and differences last."""
    return isinstance(name, tuple), name == ALL


def _cells_of(f: Fact | None, *, details: bool, tested: bool) -> list[Cell]:
    """Return the cells of a fact, or empty ones."""
    if f is None:
        return [None] * (1 + 3 * details + tested)
    cells: list[Cell] = [f]
    if details:
        record = f.record
        se, df = record.get("se", math.nan), record.get("df", math.inf)
        statistic = record.get("statistic", math.nan)
        cells += [
            None if math.isnan(se) else Number(se * f.factor, abs(se * f.factor), f.unit),
            None if math.isnan(statistic) else StatisticCell(statistic),
            Degrees(df) if math.isfinite(df) else None,
        ]
    return cells + [PValue(f.p)] * tested


def _kinds_of(facts: Sequence[Fact], words: dict[str, str]) -> str:
    """Return the distinct kinds of intervals in words."""
    kinds = dict.fromkeys(f.kind for f in facts if f.kind)
    return ", ".join(words.get(kind, fmt.proper(kind)) for kind in kinds)


def _is_resampled(f: Fact) -> bool:
    return f.record.get("kind") in BOOTSTRAP_KINDS and not f.one_sided


def _notes_on_scales(facts: Sequence[Fact]) -> Iterator[RichText]:
    """Yield what areas were divided by, and the largest values of others."""
    averages, largest = {}, {}
    for f in facts:
        measure = known(f.measure, "measure", f.measure)
        if measure is None:
            continue
        if measure.as_average is not None:
            averages[measure.as_average[0]] = captions.note_on_scale(measure)
        elif f.is_difference or not isinstance(measure, OfPiece) or measure.region.axis is None:
            continue
        elif f.quantity is not None and f.quantity.bounds.high < 1.0:
            largest[f.measure_with_place] = f.quantity.bounds.high
    yield from averages.values()
    for name, high in largest.items():
        yield f"{name} is at most {high:.3f}."


def _without_numbers(e: Any) -> str:
    """Return what the sizes of a group say apart from numbers, which a column has."""
    words = ""
    if isinstance(e.group, Horizon):
        words = re.sub(r"; [\d,]+ rows? censored[^;]*|\b[\d,]+ (?=rows? with)", "", e.rest)
        words = re.sub(rf" {re.escape(str(e.group))}\b", " the horizon", words)
    if e.rows.clusters is not None:
        words = "; ".join(filter(None, (words, "cluster-robust standard errors")))
    elif e.rows.weighted and not words:
        words = "weighted; n counts rows"
    return captions.capitalized(words)
