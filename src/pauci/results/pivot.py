"""The table of a result and its sentences, from its facts (`pauci.results.facts`).

A dimension with one name is part of the title. The names of the compared dimension are headings of
columns; or the differences are next to the estimates, or below them: the first arrangement that
fits the width is used.
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
from pauci.results.quantity import Difference, estimates_of
from pauci.tables import number_format as fmt
from pauci.tables import table as tables
from pauci.tables.formatted_table import width_of
from pauci.tables.table import Cell, RichText, Symbol, Table, Verbatim, parts_of

_KINDS = {"newcombe": "from both intervals", "wald": "t"}
"""Kinds of the intervals of differences in words."""


_MOST_NULLS = 3
"""Largest number of null values that a note lists."""

_Rows = dict[tuple[Any, ...], dict[Any, Fact]]
"""The facts by row and column."""

_Arrangement = tuple[list[str], _Rows]
"""The dimensions that name the rows, and the facts."""


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


class Presentation:
    """The facts of a result at a level of confidence, and what else its table and sentences state.

    Parameters
    ----------
    facts : sequence of Fact
        The facts.
    level : float
        Confidence level.
    result : Presented, optional
        The result.
    kind : str, optional
        Kind of the intervals, as it was requested.

    Attributes
    ----------
    facts : list of Fact
        The distinct facts, with a name in every dimension, empty if there is none.
    names, fixed : dict
        The distinct names in each dimension; the name if all facts have the same, otherwise empty.
    single, pairs : list of Fact
        The facts of values, and of differences.
    estimates : list
        The estimates that the facts are calculated from, or those that the result names.
    nouns : dict of str to str
        In each dimension the noun before a name that is a number.
    rest : str
        The note on the rows, which contains the name of the curve for marks with places.
    interval : str
        The name of the intervals: ``95% CI``.
    """

    def __init__(
        self, facts: Sequence[Fact], level: float, result: Any = None, kind: Any = None
    ) -> None:
        self.level, self.result, self.kind = level, result, kind
        self.interval = f"{fmt.percent(level)} CI"
        self.facts = _with_all_names(facts)
        self.single: list[Fact] = []
        self.pairs: list[Fact] = []
        self.has_intervals, quantities = False, []
        names: dict[str, dict[Any, None]] = {d: {} for d in DIMENSIONS}
        for f in self.facts:
            self.has_intervals |= f.high > f.low
            (self.pairs if f.is_difference else self.single).append(f)
            if f.quantity is not None:
                quantities.append(f.quantity)
            for d, name in f.names.items():
                if name:
                    names[d][name] = None
        self.names = dict(zip(names, map(list[Any], names.values()), strict=True))
        self.fixed = {d: found[0] if len(found) == 1 else "" for d, found in self.names.items()}
        self.estimates = estimates_of(quantities) or list(known(result, "_described", ()))
        self._groups = [g for e in self.estimates if (g := known(e, "group", None)) is not None]
        self.nouns = dict.fromkeys(DIMENSIONS, str(known(result, "_noun_of_names", "classifier")))
        noun = fmt.noun_of_group(self._groups[0] if self._groups else None)
        self.nouns["group"] = str(known(result, "_noun_of_groups", noun))
        about = known(known(result, "analysis", result), "study", None)
        if about is None:
            about = self.estimates[0] if self.estimates else None
        self.rest = known(about, "rest", "")

    def part(self, dimension: str, name: Any, *, below_heading: bool = False) -> RichText:
        """Return a name as a cell; those of measures and places are words of this package."""
        if dimension in ("measure", "place"):
            return str(name)
        return part_of(name, "" if below_heading else self.nouns[dimension])

    def text(self, dimension: str, name: Any) -> str:
        """Return a name as text in a sentence."""
        names = name if isinstance(name, tuple) else (name,)
        return " - ".join(_with_noun(n, self.nouns[dimension]) for n in names)

    @cached_property
    def full_names(self) -> dict[str, str]:
        """The full names of measures, by those in the table."""
        full = {}
        for f in self.facts:
            measure, label = f.measure, f.names["measure"]
            if measure is None:
                continue
            average, curve = measure.as_average, getattr(self.rest, "curve", "ROC")
            if average is not None and label == average[0] and curve != "ROC":
                full[label] = f"{curve} {label}"
            if average is None and label == measure.label_and_place[0] == measure.label:
                full[label] = captions.name_on(measure, self.rest)
        return full

    @property
    def unit(self) -> str:
        """The dimension whose names are headings of columns, or last in the names of rows."""
        if chosen := known(self.result, "_unit", ""):
            return str(chosen)
        for d in ("classifier", "group", "class"):
            if tuple in map(type, self.names[d]):
                return d
        for d in ("classifier", "data", "place", *DIMENSIONS):
            if len(self.names[d]) > 1:
                return d
        return "classifier"

    def _arrangements(self, unit: str) -> list[_Arrangement]:
        """Return the possible arrangements, the widest first."""
        others = [d for d, names in self.names.items() if len(names) > 1 and d != unit]
        order = {d: [*sorted(self.names[d], key=_is_last), ""] for d in others}

        def position(f: Fact) -> list[int]:
            return [*(order[d].index(f.names[d]) for d in others), *_is_last(f.names[unit])]

        across: _Rows = {}
        beside: _Rows = {}
        below: _Rows = {}
        references = set()
        for f in sorted(self.facts, key=position):
            row, name = tuple([f.names[d] for d in others]), f.names[unit]
            if not name and "measure" not in others:
                name = f.names["measure"]
            across.setdefault(row, {})[name] = f
            below.setdefault((*row, name), {})[""] = f
            if isinstance(name, tuple):
                references.add(name[1])
                beside.setdefault((*row, name[0]), {})["", name[1]] = f
            else:
                beside.setdefault((*row, name), {})[""] = f
        has_column = len(references) == 1 and bool(others or unit == "group")
        stubs = [*others, unit]
        found = [(others, across)] * (len(across) > 1) + [(stubs, beside)] * has_column
        return [*found, (stubs, below)]

    def table(self, width: int, *, details: bool = False) -> Table:
        """Return the table in the first arrangement that is not wider than `width` characters."""
        unit = self.unit
        arrangements = self._arrangements(unit)
        for stubs, rows in arrangements:
            is_across, is_last = unit not in stubs, rows is arrangements[-1][1]
            columns = {c for facts in rows.values() for c in facts}
            if not is_last and 3 * len(columns) > width:  # a number and two blanks
                continue
            headings, cells, counted = self._cells(stubs, rows, unit * is_across, details=details)
            table = Table("", headings, cells, stubs=max(len(stubs) + counted, 1))
            if is_last or width_of(table) <= width:
                break
        title, notes = self.title(across=is_across), list(self._notes(counted=counted))
        notes += self._notes_on_replicates() if details else ()
        measures = [f.measure for f in self.facts if f.measure]
        meanings = captions.abbreviations_of(measures, self.rest)
        return replace(table, title=title, notes=notes, abbreviations=meanings)

    def _cells(
        self, stubs: list[str], rows: _Rows, across: str, *, details: bool
    ) -> tuple[list[RichText], list[list[Cell]], bool]:
        """Return headings and rows, and whether they include the numbers of positives of groups.

        `across` is the dimension whose names are the headings of the columns, if there is one.
        """
        sizes = self._sizes_of_groups if "group" in stubs else {}
        counted = len(set(sizes.values())) > 1
        by = known(self.result, "by", "") or self.nouns["group"]
        titles: dict[str, RichText] = dict.fromkeys(DIMENSIONS, "")
        titles |= {"measure": "measure", "class": "class"}
        titles |= {**known(self.result, "_headings", {})}
        titles["group"] = Verbatim(by) if by != "group" else ""
        heads: list[RichText] = list(map(titles.__getitem__, stubs))
        named = list(map(bool, heads))
        at = stubs.index("group") if counted else -1
        if counted:
            heads.insert(at + 1, "positives/n")
        tested: dict[Any, bool] = {}
        for facts in rows.values():
            for c, f in facts.items():
                tested[c] = tested.get(c, False) or not math.isnan(f.p)
        columns = sorted(tested, key=lambda c: isinstance(c, tuple))  # those of differences last
        of_p: RichText = (Symbol("p"), f" ({self.adjusted})") if self.adjusted else Symbol("p")
        for c in columns:
            heads.append(self._heading(c, across))
            heads += [Symbol("SE"), Symbol("t"), Symbol("df")] * details + [of_p] * tested[c]
        table: list[list[Cell]] = []
        last: tuple[Any, ...] = ()
        for key, facts in rows.items():
            row: list[Cell] = []
            for i, (d, name) in enumerate(zip(stubs, key, strict=True)):
                again = i < len(key) - 1 and key[: i + 1] == last[: i + 1]
                row.append(None if again else self.part(d, name, below_heading=named[i]))
                if i == at:
                    row.append(None if again or name not in sizes else Verbatim(sizes[name]))
            for c in columns:
                row += _cells_of(facts.get(c), details=details, tested=tested[c])
            table.append(row)
            last = key
        if details:  # without standard errors, statistics or degrees of freedom that no row has
            optional = Symbol("SE"), Symbol("t"), Symbol("df")
            kept = [
                head not in optional or any(row[i] for row in table) for i, head in enumerate(heads)
            ]
            heads, table = list(compress(heads, kept)), [list(compress(r, kept)) for r in table]
        return heads, table, counted

    @cached_property
    def _sizes_of_groups(self) -> dict[Any, str]:
        """Positives and all rows of each group, unless they differ within a group."""
        sizes: dict[Any, str] = {}
        for f in self.facts:
            e = f.quantity
            if has(e, "n_pos") and not e.rows.classes and not has(e, "reader"):
                words = f"{e.n_pos:,}/{e.n_pos + e.n_neg:,}"
                if sizes.setdefault(f.names["group"], words) != words:
                    return {}
        return sizes

    def _heading(self, column: Any, across: str) -> RichText:
        if across:
            return self.part(across, column)
        if column:
            name = self.text(self.unit, column[1])
            return ("difference from ", Verbatim(name), f" ({self.interval})")
        return f"estimate ({self.interval})" if self.has_intervals else "estimate"

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
        label = self.fixed["measure"]
        topic = known(self.result, "_topic", None)
        parts: list[str | tables.Part] = []
        if topic is not None:
            parts += parts_of(topic(self.level) if callable(topic) else topic)
        else:
            name = self.full_names.get(label, label)
            if not name and self.names["measure"]:
                name = "accuracy"
            if label and not all(f.names.get("measure") for f in self.facts):
                name = ""  # contrasts, some of which are sums of different measures
            found = known(self.result, "_classifiers", self.names["classifier"])
            names = [n for n in found if n != TREAT_ALL and not isinstance(n, tuple)]
            words = list(captions.names_phrase(names or [n for pair in found for n in pair]))
            parts += [captions.capitalized(name), " of "] * bool(name) + words
            parts = parts if name else ["Contrasts"]
        group, kind, _, place, _, data = self.fixed.values()
        parts += [f" in {data}"] * bool(data)
        if group and not isinstance(group, tuple) and group != ALL:
            parts.append(self._in_group(group))
        parts += [" of class ", Verbatim(kind)] * bool(kind and not isinstance(kind, tuple))
        parts += [f" at {place}"] * bool(place)
        if across and self.has_intervals:
            parts.append(f": estimate ({self.interval})")
        return tuple(parts)

    def _in_group(self, group: Any) -> str:
        if has(self.result, "_noun_of_groups"):
            return f" of {self.text('group', group)}"
        labels = {fmt.name_of_group(label): label for label in self._groups}
        return fmt.in_group(labels.get(group, group))

    def _notes(self, *, counted: bool) -> Iterator[RichText]:
        """Yield the sentences of the note."""
        pairing = sorted({f.quantity.pairing for f in self.pairs if has(f.quantity, "pairing")})
        yield from self.notes_on_data(", ".join(pairing[:1]), counted=counted)
        yield from self._notes_on_intervals()
        yield from self.notes_on_errors()
        yield from _notes_on_scales(self.facts)
        if self.pairs:
            yield from self._conclusions()
        if self.result is not None:
            yield from self.result._remarks(self.level, self.kind)
        yield from captions.caution_notes(self.estimates)
        skipped = known(self.result, "skipped", None)
        if skipped:
            yield skipped.note

    def notes_on_data(self, pairing: str = "", *, counted: bool = False) -> Iterator[RichText]:
        """Yield the numbers of observations, and how those of differences are related."""
        basis = known(self.result, "_basis", None)
        words = list(self._sizes(counted=counted) if basis is None else parts_of(basis))
        if words or pairing:
            between = ("; " if ";" in "".join(map(str, words)) else ", ") * bool(words and pairing)
            first, *others = *words, f"{between}{pairing}."
            yield (captions.capitalized(first) if isinstance(first, str) else first, *others)

    def _notes_on_intervals(self) -> Iterator[RichText]:
        of_single = _kinds_of(self.single, {"newcombe": _KINDS["newcombe"]})
        if of_single:
            yield f"{self.interval}: {of_single}."
        df, hypotheses, has_infinite_ends = set[float](), set[tuple[float, str]](), False
        for f in self.facts:
            if f.is_difference and math.isfinite(of_test := f.record.get("df", math.inf)):
                df.add(round(of_test, 1 if of_test < 10.0 else 0))
            if not math.isnan(f.p):
                hypotheses.add((f.null, f.alternative))
            if _is_resampled(f):
                has_infinite_ends |= math.isinf(f.low) or math.isinf(f.high)
        of_pairs = _kinds_of(self.pairs, _KINDS if df else _KINDS | {"wald": "z"})
        if of_pairs:
            ends = " to ".join(map(fmt.degrees, sorted({min(df), max(df)}))) if df else ""
            yield f"Differences: {of_pairs}{f' ({ends} df)' if df else ''}."
        if hypotheses - {(0.0, "two-sided")}:
            nulls, sides = map(set, zip(*hypotheses, strict=True))
            if len(sides) == 1 and len(nulls) <= _MOST_NULLS:
                listed = fmt.listed(list(map(fmt.hypothesis, sorted(nulls))))
                yield f"Tests against {listed}, {fmt.sided(sides.pop())}."
        if has_infinite_ends:
            yield "Infinite limits are beyond all replicates."

    def notes_on_errors(self) -> Iterator[RichText]:
        """Yield the sources of standard errors that are not the default."""
        if not known(self.result, "_states_errors", True):
            return
        sources: dict[str, None] = {}
        resampled: dict[Any, list[Any]] = {}
        of_rows, undefined = [], set[int]()
        for e in self.estimates:
            if e.resampled is not None:
                same = e.resampled.scheme, e.resampled.replicates.size
                resampled.setdefault(same, []).append(e.resampled)
                undefined.add(e.resampled.n_undefined)
            elif e.variance != "influence":
                sources[e.source] = None
            if e.rows.clusters is None and not e.rows.weighted:
                of_rows.append(e.measure.label)
        if resampled:
            from pauci.intervals.resampled import source_of

            sources |= dict.fromkeys(map(source_of, resampled.values()))
        of_counts = {f.names["measure"] for f in self.facts if known(f.quantity, "binomial", None)}
        measures = set(self.names["measure"] or of_rows) - of_counts if of_rows else set()
        if not sources and "AUC" in measures:
            others = " and its extension to the others" * (len(measures) > 1)
            sources[f"DeLong's method{others or ' for the AUC' * bool(of_counts)}"] = None
        if sources:
            yield f"Standard errors: {'; '.join(sources)}."
        if any(undefined):
            most = "up to " * (len(undefined) > 1)
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

    def _conclusions(self) -> Iterator[RichText]:
        """Yield the conclusions of tests against a margin."""
        varying = [d for d in DIMENSIONS[:4] if len({p.names[d] for p in self.pairs}) > 1]
        for f in self.pairs[: captions.MAX_CONCLUSIONS]:
            phrase = self.conclusion(f)
            if phrase:
                d = "classifier" if isinstance(f.names["classifier"], tuple) else "group"
                others = [self.text(o, f.names[o]) for o in varying if o != d]
                places = [Verbatim(f", {name}") for name in others]
                yield (*parts_of(self.part(d, f.names[d])), *places, f": {phrase}.")

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

    def _sizes(self, *, counted: bool) -> tuple[tables.Part | str, ...]:
        """Return the numbers of observations, or what is common to groups that have a column."""
        whole: list[Any] = []
        of_groups: list[Any] = []
        for e in self.estimates:
            if has(e, "n_pos"):
                (whole if e.group is None else of_groups).append(e)
        whole = whole or of_groups
        if counted and whole[0].group is not None:
            words = dict.fromkeys(filter(None, map(_without_numbers, whole)))
            longest = [w for w in words if not any(o != w and o.startswith(w) for o in words)]
            joined = "; ".join(longest)
            return (joined,) if joined else ()
        pairs = [f.quantity for f in self.pairs if has(f.quantity, "shared_units")]
        each = ""
        if pairs and not any(c.paired for c in pairs) and len({id(e) for e in whole}) > 1:
            groups = pairs[0].between_groups
            each = f" in each {'group' if groups else 'sample'}"
            each *= not groups or whole[0].group is not None
        stated = any(
            known(known(e, "rows", None), "design", "") == "case-control"
            and e.measure.uses_sample_prevalence
            for e in whole
        )
        sizes = captions.sizes_phrase(whole, each) if whole else ()
        return (*sizes, ", case-control") if stated else sizes

    # Sentences

    def sentences(self) -> list[str]:
        """Return a sentence about each row: the estimates, and their differences with p-values."""
        grouped: dict[tuple[Any, ...], tuple[list[Fact], list[Fact]]] = {}
        for f in self.facts:
            names = list(f.names.values())[:4]
            key = tuple(["" if isinstance(n, tuple) else n for n in names])
            if _is_contrast(f):
                key = (*key, f.names["classifier"])
            grouped.setdefault(key, ([], []))[f.is_difference].append(f)
        return [self._sentence(key, *facts) for key, facts in grouped.items()]

    def _sentence(self, names: tuple[Any, ...], single: list[Fact], pairs: list[Fact]) -> str:
        group, kind, measure, place, *_ = names
        where, data = f" at {place}" * bool(place), self.fixed["data"]
        where += f" in {data}" * bool(data)
        if group and group != ALL:
            where += self._in_group(group)
        where += f" of class {kind}" * bool(kind)
        name = self.full_names.get(measure) or measure.replace(", ", " at ", 1)
        first, *_ = [*single, *pairs]
        if _is_contrast(first):
            subject = f"In the {name}{where}, the" if measure else "The"
            whose, text = self._whose(first), self._text(first)
            return f"{subject} contrast {whose} was {text}{self._test(first)}."
        of = " for " * bool(self.names["classifier"])
        estimates = [f"{self._text(f)}{of}{self._whose(f)}{self._test(f)}" for f in single]
        several = len(pairs) > 1 or len(single) != 2
        tests = []
        for f in pairs:
            name_of_pair = f" {self._whose(f)}" * several
            was = "" if single else " was"
            tests.append(f"difference{name_of_pair}{was} {self._text(f)}{self._test(f)}")
        numbers = "; ".join(filter(None, [fmt.listed(estimates), *tests]))
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
            name = f.names["classifier"]
            several = len(self.names["classifier"]) > 1 and not isinstance(name, tuple)
            return ", ".join([str(name)] * bool(several and name) + pairs)
        return self.text("classifier", str(f.names["classifier"]))


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


def _with_all_names(given: Sequence[Fact]) -> list[Fact]:
    """Return distinct facts, with a name in every dimension; others with the same are numbered.

    All rows are a group, and places that not all measures have are parts of their names.
    """
    common = dict.fromkeys(DIMENSIONS, "")
    if any("group" in f.names for f in given):
        common["group"] = ALL
    facts: list[Fact] = []
    found: dict[Any, str] = {}
    pairs = set()
    for f in given:
        names: dict[str, Any] = {**common, **f.names}
        name, number, numbers = names["classifier"], 1, repr((f.value, f.low, f.high))
        while found.get(key := tuple(names.values()), numbers) != numbers:
            number += 1
            first, *second = name if isinstance(name, tuple) else (name,)
            numbered = f"{first} [{number}]"
            names["classifier"] = (numbered, *second) if second else numbered
        if key not in found:
            found[key] = numbers
            facts.append(replace(f, names=names))
            pairs.add((names["measure"], names["place"]))
    counts = list(map(len, map(set, zip(*pairs, strict=True))))
    if 1 not in counts and len(pairs) not in (0, math.prod(counts)):
        for i, f in enumerate(facts):
            names = {**f.names, "measure": f.measure_with_place, "place": ""}
            facts[i] = replace(f, names=names)
    return facts


def _is_last(name: Any) -> tuple[bool, bool]:
    """Return the order of names: all rows after groups, and differences last."""
    return isinstance(name, tuple), name == ALL


def _cells_of(f: Fact | None, *, details: bool, tested: bool) -> list[Cell]:
    """Return the cells of a fact, or empty ones."""
    if f is None:
        return [None] * (1 + 3 * details + tested)
    cells: list[Cell] = [f]
    if details:
        se, statistic, df = (f.record.get(n, math.nan) for n in ("se", "statistic", "df"))
        error = se * f.factor
        of_error = None if math.isnan(se) else tables.number_cell(error, abs(error), f.unit)
        of_statistic = None if math.isnan(statistic) else tables.statistic_cell(statistic)
        cells += [of_error, of_statistic, tables.degrees_cell(df) if math.isfinite(df) else None]
    return [*cells, tables.p_value_cell(f.p)] if tested else cells


def _kinds_of(facts: Sequence[Fact], words: dict[str, str]) -> str:
    """Return the distinct kinds of intervals in words."""
    kinds: dict[str, None] = {}
    for f in facts:
        if f.kind:
            kinds[words.get(f.kind) or fmt.proper(f.kind)] = None
    return ", ".join(kinds)


def _is_contrast(f: Fact) -> bool:
    """Return whether a fact is a sum of several measures, or a difference with a single name."""
    is_sum = isinstance(f.quantity, Difference) and not f.is_difference
    return is_sum or not f.names["measure"]


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
    """Return the sizes of a group without the numbers, which are in a column."""
    words = ""
    if isinstance(e.group, Horizon):
        words = re.sub(r"; [\d,]+ rows? censored[^;]*|\b[\d,]+ (?=rows? with)", "", e.rest)
        words = re.sub(rf" {re.escape(str(e.group))}\b", " the horizon", words)
    if e.rows.weighted and not words:
        words = "weighted; n counts rows"
    if e.rows.clusters is not None:
        words = "; ".join(filter(None, (words, "cluster-robust standard errors")))
    return captions.capitalized(words)
