"""The results of a report by their types, and the description of their data."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from pauci import checks
from pauci.checks import kind_of
from pauci.curve.counts import CountTable
from pauci.errors import InputError, InputTypeError
from pauci.intervals.analytic import BOOTSTRAP_KINDS, DIFFERENCE_KINDS, ESTIMATE_KINDS, Kind
from pauci.measures.base import Measure
from pauci.plot.roc_curve import classifiers_of, estimates_in
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.study import ReaderStudy
from pauci.results.captions import list_or_count
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons, Estimates
from pauci.results.heterogeneity import GroupComparisons, GroupFamily
from pauci.sample.class_rows import ClassRows
from pauci.sample.rows import ExcludedRows
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.formatted_table import visible
from pauci.tables.number_format import typeset_words
from pauci.tables.tabular import Tabular

ResultT = TypeVar("ResultT")


class Contents:
    """The results of a report, and the level and kind of their intervals."""

    def __init__(self, results: Any, level: float = 0.95, kind: Kind | None = None) -> None:
        listed = list(results) if isinstance(results, (list, tuple)) else [results]
        for r in listed:
            if not isinstance(r, (Sample, Tabular)):
                needed = "results of pauci, such as what pauci.estimate returns, and the samples"
                problem = f"holds {kind_of(r)}; pass {needed} that they are about."
                raise InputTypeError.about("results", problem, value=r)
        self.level, self.kind = checks.level(level), kind
        if kind is not None:
            checks.check_choice("kind", kind, (*ESTIMATE_KINDS, *BOOTSTRAP_KINDS))
        self.samples = [r for r in listed if isinstance(r, Sample)]
        self.results = [r for r in listed if not isinstance(r, (Sample, ReaderStudy))]
        if not self.results:
            problem = "holds no result, such as an estimate."
            raise InputError.of("results", results, problem, shown="")
        studies = [r for r in listed if isinstance(r, ReaderStudy)]
        studies += [m.study for m in self.of(ReaderAnalysis)]
        self.studies = list({id(study): study for study in studies}.values())
        if self.samples:
            classifiers_of(self.samples, "roc")  # their names differ
        self.drawn = [s for s in self.samples if not s.rows.has_folds]
        shown = classifiers_of(self.drawn, "roc") if self.drawn else []
        self.with_curves = [c for c in shown if not c.sample.classes]

    def of(self, kind: type[ResultT]) -> list[ResultT]:
        """Return the results of one type."""
        return [r for r in self.results if isinstance(r, kind)]

    def kind_of(self, result: object) -> Any:
        """Return the kind of the intervals of a result; None for the default of its type."""
        accepted: Sequence[str] = ()
        if isinstance(result, (Estimate, Estimates)):
            accepted = (*ESTIMATE_KINDS, *BOOTSTRAP_KINDS)
        elif isinstance(result, (Comparison, Comparisons)):
            accepted = (*DIFFERENCE_KINDS, *BOOTSTRAP_KINDS)
        return self.kind if self.kind in accepted else None

    @cached_property
    def estimates(self) -> list[Estimate]:
        """The estimates of all results, each once; those of groups have a group."""
        lists = [estimates_in(r) or [] for r in self.results]
        return list({(e.classifier, e.measure, e.group): e for es in lists for e in es}.values())

    @cached_property
    def families(self) -> list[Comparisons]:
        """The families of comparisons in all rows."""
        return [r for r in self.of(Comparisons) if not isinstance(r, GroupComparisons)]

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """The comparisons in all rows."""
        return [*self.of(Comparison), *(c for family in self.families for c in family)]

    @property
    def groups(self) -> list[GroupFamily[Any, Any, Any]]:
        """The results by group."""
        return self.of(GroupFamily)

    @cached_property
    def measures(self) -> list[Measure]:
        """The distinct measures."""
        of_readers = [m.measure for m in self.of(ReaderAnalysis)]
        return list(dict.fromkeys([*(e.measure for e in self.estimates), *of_readers]))

    @cached_property
    def classifiers(self) -> list[str]:
        """Names of the classifiers, or of the modalities of a study."""
        names = [name for s in self.samples for name in s.names]
        names += [e.classifier for e in self.estimates]
        return list(dict.fromkeys([*names, *(m for s in self.studies for m in s.modalities)]))

    @cached_property
    def names(self) -> list[str]:
        """All names in sentences that users have chosen: of classifiers, groups and readers."""
        groups = (str(g) for result in self.groups for g in result.groups)
        readers = (reader for study in self.studies for reader in study.readers)
        return [*self.classifiers, *groups, *readers]


def listed(names: Sequence[str]) -> str:
    """Return names joined with commas and "and", or their number if there are many."""
    return list_or_count(list(map(visible, names)), "classifiers")


_MOST_LISTED = 12


def description_of(samples: Sequence[Sample]) -> list[list[str]]:
    """Return the description as headings and rows, with a column for each sample."""
    columns = [_facts(sample) for sample in samples]
    names = dict.fromkeys(name for column in columns for name in column)
    head = ["Data", *(s.names[0] for s in samples)] if len(samples) > 1 else ["Data", "Value"]
    return [head, *([name, *(column.get(name, "") for column in columns)] for name in names)]


def description_of_study(study: ReaderStudy) -> list[list[str]]:
    """Return the description of a reader study as headings and rows."""
    n = study.n_pos + study.n_neg
    if isinstance(study.rows, ClassRows):
        sizes = [np.unique(cell.ratings.values).size for cell in study.cells]
        classes = {f"Class {label}": size for label, size in study.rows.class_list}
        direction = "higher scores are those of later classes"
        if study.cells[0].ratings.values.ndim > 1:
            direction = "a column for each class"
    else:
        sizes = [cell.ratings.table.size for cell in study.cells]
        classes = {"Positives": study.n_pos, "Negatives": study.n_neg}
        direction = direction_phrase(study.cells[int(np.argmax(sizes))].ratings.table)
    clusters = "none: cases are treated as independent"
    if study.clusters is not None:
        number = fmt.count(study.clusters, "cluster")
        clusters = f"{number} of cases; standard errors account for them"
    span = f"{min(sizes):,} to " * (min(sizes) < max(sizes))
    facts = {
        "Readers": f"{len(study.readers):,}",
        "Modalities": "; ".join(study.modalities),
        "Cases": f"{n:,}",
        **{name: f"{size:,} ({percent(size / n)})" for name, size in classes.items()},
        "Readings": f"{study.n_readings:,}{study._missing}",
        "Scores": f"{span}{fmt.count(max(sizes), 'distinct value')} of a reader in a modality; "
        f"{direction}",
        "Missing values": ExcludedRows(study.dropped).listed or "no reading was left out",
        "Clusters": clusters,
        "Readers and cases": study.design,
        "Design": DESIGNS[study.sampling],
    }
    return [["Data", "Value"], *map(list, facts.items())]


def _facts(sample: Sample) -> dict[str, str]:
    """Return the description of a sample: texts by row heading."""
    rows = sample.rows
    n, left_out = sample.n_pos + sample.n_neg, " and ".join(rows.exclusions)
    unit = "observations in a table of counts" if rows.is_count_table else "rows"
    shown = classifiers_of(sample, "roc")
    scores = {c.name: c.sample.between(0) if c.sample.classes else c.sample for c in shown}
    sizes = {"Positives": sample.n_pos, "Negatives": sample.n_neg}
    if isinstance(rows, ClassRows):
        sizes = {f"Class {label}": size for label, size in rows.class_list}
    facts = {
        "Classifiers": "; ".join(
            f"{c.name} ({scores_phrase(scores[c.name].any_ratings(c.name).curve.table)})"
            for c in shown[:_MOST_LISTED]
        ),
        "Analysed": f"{n:,} {unit}",
        **{name: f"{size:,} ({percent(size / n)})" for name, size in sizes.items()},
        "Missing values": f"{left_out} left out" if left_out else "no row was left out",
        "Clusters": "none: rows are treated as independent",
        "Weights": "none: every row counts once",
        "Design": DESIGNS[sample.design],
    }
    if rows.has_folds:
        facts["Folds"] = f"{len(rows.fold_names):,}"
    if rows.rest:
        facts[next(iter(sizes))] += f"; {rows.rest}"
    if len(shown) > _MOST_LISTED:
        facts["Classifiers"] += f"; and {len(shown) - _MOST_LISTED} more"
    if rows.clusters is not None:
        facts["Clusters"] = f"{rows.clusters:,}; standard errors account for them"
    notes = []
    if rows.has_frequencies and not rows.is_count_table:
        notes.append("frequencies: a row represents several observations")
    if rows.has_weights:
        effective = [f"{size:,.1f} {name}" for name, size, _ in rows.effective_classes]
        notes.append(f"sampling weights; effective sizes: {' and '.join(effective)}")
        if not sample.classes:
            notes.append(f"weighted proportion of positives: {percent(sample.prevalence)}")
    if rows.uncounted:
        notes.append(f"{fmt.count(rows.uncounted, 'row')} with weight or frequency 0 not counted")
    if notes:
        facts["Weights"] = "; ".join(notes)
    return facts


DESIGNS = {
    "cohort": "cohort: the prevalence in the population is estimated from the sample",
    "case-control": "case-control: the numbers of positives and negatives were fixed by design",
}


def scores_phrase(counts: CountTable) -> str:
    """Return the number of distinct scores, their range and their direction."""
    strictest, laxest = counts.text_at(1), counts.text_at(counts.size)
    low, high = (strictest, laxest) if counts.lower_is_positive else (laxest, strictest)
    span = f"from {low} to {high}"
    if counts.categories is None:
        span = typeset_words(span)
    return f"{fmt.count(counts.size, 'distinct value')} {span}; {direction_phrase(counts)}"


def direction_phrase(counts: CountTable) -> str:
    """Return which scores are more positive."""
    return f"{'lower' if counts.lower_is_positive else 'higher'} is more positive"


def percent(share: float) -> str:
    """Return a proportion in percent, with enough digits to differ from 0."""
    return f"{100.0 * share:.3g}%"
