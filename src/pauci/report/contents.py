"""The results of a report by their types, with the samples and studies that they are about."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeVar

from pauci import checks
from pauci.errors import InputError, InputTypeError
from pauci.intervals.analytic import BOOTSTRAP_KINDS, DIFFERENCE_KINDS, ESTIMATE_KINDS, Kind
from pauci.measures.base import Measure
from pauci.plot.reader_figures import classifiers_of, estimates_in
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.study import ReaderStudy
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons, Estimates
from pauci.results.heterogeneity import GroupComparisons, GroupEstimates
from pauci.sample.sample import Sample
from pauci.tables.formatted_table import visible
from pauci.tables.tabular import Tabular

ResultT = TypeVar("ResultT")


class Contents:
    """The results of a report, and the level and kind of their intervals."""

    def __init__(self, results: Any, level: float = 0.95, kind: Kind | None = None) -> None:
        listed = list(results) if isinstance(results, (list, tuple)) else [results]
        for r in listed:
            if not isinstance(r, (Sample, Tabular)):
                raise InputTypeError.about(
                    "results",
                    f"holds a {type(r).__name__}; pass results of pauci, such as what "
                    "pauci.estimate returns, and the samples that they are about.",
                    value=r,
                )
        self.level, self.kind = checks.level(level), kind
        if kind is not None:
            checks.check_choice("kind", kind, (*ESTIMATE_KINDS, *BOOTSTRAP_KINDS))
        self.samples = [r for r in listed if isinstance(r, Sample)]
        self.results = [r for r in listed if not isinstance(r, (Sample, ReaderStudy))]
        if not self.results:
            raise InputError.of(
                "results", results, "holds no result, such as an estimate.", shown=""
            )
        studies = [r for r in listed if isinstance(r, ReaderStudy)]
        studies += [m.study for m in self.of(ReaderAnalysis)]
        self.studies = list({id(study): study for study in studies}.values())
        shown = classifiers_of(self.samples, "roc") if self.samples else []  # their names differ
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
    def comparisons(self) -> list[Comparison]:
        """The comparisons in all rows."""
        families = [r for r in self.of(Comparisons) if not isinstance(r, GroupComparisons)]
        return [*self.of(Comparison), *(c for family in families for c in family)]

    @property
    def groups(self) -> list[GroupEstimates | GroupComparisons]:
        """The results by group."""
        return [r for r in self.results if isinstance(r, (GroupEstimates, GroupComparisons))]

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


def enumerated(items: Sequence[str]) -> str:
    """Return words joined with commas and "and"."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def listed(names: Sequence[str], limit: int = 6) -> str:
    """Return names joined with commas and "and", or their number if there are many."""
    if len(names) > limit:
        return f"{len(names)} classifiers"
    return enumerated([visible(name) for name in names])
