"""The accuracy of a cut-off, and of its scores, in other cohorts than the data that chose it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pauci import checks
from pauci.calls import known, validate_constructor
from pauci.cautions.about_parts import in_common
from pauci.errors import InputError, UndefinedError, held_warnings, warn
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.mid_p import MID_P
from pauci.measures.area import AUC
from pauci.measures.at_cutoff import Sensitivity, Specificity
from pauci.measures.decisions import NPV, PPV
from pauci.measures.risks import OE, CalibrationIntercept, CalibrationSlope
from pauci.results.captions import capitalized, names_phrase
from pauci.results.comparison import Comparison
from pauci.results.cutoff_limits import BinomialLimits
from pauci.results.estimates import Estimate
from pauci.results.facts import Fact, facts_of_rows
from pauci.results.forest import forest_row
from pauci.results.presented import PresentedInForest
from pauci.results.quantity import estimates_of
from pauci.results.row import Row
from pauci.sample.row_groups import row_groups
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.table import RichText, Verbatim

if TYPE_CHECKING:
    from pauci.drawings.forest_plot import ForestRow

DEVELOPMENT = "development"

_NEW = "new data"

"""The name of a single cohort."""


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Validation(PresentedInForest[Literal["wald"]]):
    """The accuracy of cut-offs, and of their scores, in other cohorts.

    Attributes
    ----------
    quantities : tuple of Comparison and Estimate
        For the rates and the AUC, the change in each cohort: a `Comparison` whose ``estimates``
        are those of the cohort and of the development data. For other measures, the `Estimate` in
        each cohort. The names of their classifiers are those of the cohorts.
    cutoffs : tuple of (group, Cutoff)
        The cut-offs; the group is None for all rows.
    undefined : tuple of str
        Measures that are undefined in a cohort, such as the PPV if no row is called positive.
    """

    quantities: tuple[Comparison | Estimate, ...]
    cutoffs: tuple[tuple[Any, Any], ...]
    undefined: tuple[str, ...] = ()

    _without_kinds = "validations."
    _noun_of_names = "cohort"
    _fields = "group cohort measure value se df low high level kind pvalue cutoff target"

    def __repr__(self) -> str:
        _, k = self.cutoffs[0]
        return f"Validation({k.classifier}, {k.rule}: {', '.join(self._cohorts)})"

    @property
    def _described(self) -> list[Estimate]:  # type: ignore[override]
        """All estimates, by measure, those of the development data first."""
        found = {(e.group, e.measure, e.classifier): e for e in estimates_of(self.quantities)}
        order = list(dict.fromkeys(key[:2] for key in found))
        keys = sorted(found, key=lambda key: (order.index(key[:2]), key[2] != DEVELOPMENT))
        return [found[key] for key in keys]

    @property
    def _cohorts(self) -> list[str]:
        return list(dict.fromkeys(q.estimates_used[0].classifier for q in self.quantities))

    def _of(self, e: Estimate) -> tuple[Any, float]:
        """Return the cut-off of an estimate, and its target; None and NaN for other measures."""
        for group, k in self.cutoffs:
            if group == e.group and k.value == known(e.measure, "threshold", None):
                rule = known(k.uncertainty, "rule", None)
                is_target = known(rule, "fixed_rate", "") == e.measure.label
                return k, rule.rate if is_target else math.nan
        return None, math.nan

    def _rows(self, level: float, kind: Any) -> list[Row]:  # noqa: ARG002
        quantities: list[Comparison | Estimate] = [*self._described]
        quantities += [q for q in self.quantities if isinstance(q, Comparison)]
        rows = []
        for q in quantities:
            used = q.estimates_used
            k, target = self._of(used[0])
            cohort = " - ".join(e.classifier for e in used)
            more = {"cohort": cohort, "cutoff": None if k is None else k.value, "target": target}
            rows.append(Row(q, level, None, more=more))
        return rows

    @property
    def _places(self) -> dict[Any, str]:
        """The cut-offs in words, by their values, if rows have several of them."""
        several = len({group for group, _ in self.cutoffs}) < len(self.cutoffs)
        return {k.value: f"cut-off {k.text_of(k.value)}" for _, k in self.cutoffs if several}

    def _place(self, measure: Any) -> str:
        return self._places.get(known(measure, "threshold", None), "")

    def _facts(self, rows: Any, level: float, kind: Any) -> list[Fact]:  # noqa: ARG002
        return [
            replace(f, names={**f.names, "place": self._place(f.measure)})
            for f in facts_of_rows(rows)
        ]

    def _topic(self, level: float) -> tuple[Any, ...]:  # type: ignore[override] # noqa: ARG002
        (_, k), *others = self.cutoffs
        what = "Cut-offs" if others else f"Cut-off {k.text_of(k.value)}"
        rules = " and ".join(dict.fromkeys(k.rule for _, k in self.cutoffs))
        where = names_phrase(self._cohorts, "cohorts")
        return (f"{what} of ", Verbatim(k.classifier), f", {rules}: accuracy in ", *where)

    def _remarks(self, level: float, kind: Any) -> "list[RichText]":  # noqa: ARG002
        _, k = self.cutoffs[0]
        side = "most" if k.table.lower_is_positive else "least"
        return [f"Scores of at {side} the cut-off are positive.", *self._statements(level)]

    def _statements(self, level: float) -> Iterator[str]:
        """Yield the cut-offs of groups, what the development values are, and the conclusions."""
        for group, k in self.cutoffs:
            if group is not None:
                yield f"Cut-off{fmt.in_group(group)}: {k.text_of(k.value)}."
        folds = max(e.folds or 0 for e in self._described)
        yield (
            f"Development: honest rates, from which the optimism was subtracted ({k.folds}-fold "
            f"cross-fitting, {fmt.count(k.repeats, 'repetition')}, seed {k.seed}), and the "
            f"{f'AUC within {folds} folds' if folds else 'apparent AUC'}."
        )
        for e in self._described:
            k, target = self._of(e)
            if target == target and e.classifier != DEVELOPMENT:
                low, high = e.interval(level)
                conclusion = "confirmed" if low >= target else "not confirmed and not excluded"
                conclusion = "excluded" if high < target else conclusion
                yield f"{capitalized(k.rule)} is {conclusion} in {e.full_name}."
        if self.undefined:
            yield f"Undefined: {fmt.listed(self.undefined)}."

    def _sentences_of(self, presentation: Any) -> list[str]:
        statements = " ".join(self._statements(presentation.level))
        title = "".join(known(part, "text", part) for part in self._topic(presentation.level))
        return [f"{title}.", *super()._sentences_of(presentation), statements]

    def _forest_rows(self, level: float, kind: Any) -> "list[ForestRow]":
        rows = []
        for e in self._described:
            quantity = ", ".join(filter(None, (e.measure.label, self._place(e.measure))))
            row = forest_row(Row(e, self._checked(level, kind), None))
            rows.append(row._replace(quantity=quantity))
        return rows


def validated(cutoffs: Any, new: Any, development: Any, *, risks: bool) -> Validation:
    """Return the accuracy of cut-offs in new cohorts (`Cutoff.validate`)."""
    checks.check_flag("risks", risks)
    cohorts = new if isinstance(new, Mapping) else {_NEW: new}
    names = {*map(str, cohorts)}
    if not cohorts or DEVELOPMENT in names or len(names) < len(cohorts):
        problem = f"must have at least one cohort, and distinct names other than {DEVELOPMENT!r}."
        raise InputError.about("new", problem, value=new)
    members = cutoffs._members
    groups = list(dict.fromkeys(group for group, _ in members))
    _, first = members[0]
    fitted = None
    if development is not None:
        fitted = _of_classifier(development, "development", DEVELOPMENT, first)
        if not fitted.rows.has_folds or groups != [None]:
            raise InputError.about(
                "development",
                "must have out-of-fold scores of all rows, with fold=, and applies to one cut-off.",
                hint="Without it, the AUC is that of the sample that chose the cut-off.",
            )
    quantities: list[Comparison | Estimate] = []
    undefined: list[str] = []
    for label, cohort in cohorts.items():
        sample = _of_classifier(cohort, "new", str(label), first)
        _check_cohort(sample, cutoffs.sample, first)
        parts = _parts(sample, known(cutoffs, "by", None), groups)
        for group, part in parts.items():
            ks = [k for of_group, k in members if of_group == group]
            for q in _quantities(ks, part, fitted or ks[0].sample.renamed(DEVELOPMENT), risks):
                if isinstance(q, str):
                    undefined.append(f"{q} in {label}{fmt.in_group(group)}")
                else:
                    quantities.append(q if group is None else _in_group(q, group))
    return Validation(tuple(quantities), tuple(members), tuple(undefined))


def _of_classifier(sample: Any, argument: str, name: str, k: Any) -> Sample:
    """Return the scores of a cut-off in a sample, with the name of the cohort."""
    if not isinstance(sample, Sample):
        expected = "a Sample, or a dict of samples by the names of the cohorts"
        raise checks.wrong_type(argument, sample, expected)
    if k.classifier not in sample.names:
        raise InputError.about(
            argument,
            f"has no score {k.classifier!r}, for which the cut-off was chosen, in {name}: it has "
            f"{checks.some_of(sample.names, k.classifier)}.",
            hint=f"Name the same score so: pauci.Sample(y, {{{k.classifier!r}: scores}}).",
        )
    return sample[k.classifier].renamed(name)


def _check_cohort(sample: Sample, development: Sample, k: Any) -> None:
    """Raise an error for scores with the opposite direction, or rows of the development data."""
    (name,), lower = sample.names, sample.ratings().lower_is_positive
    if lower != k.table.lower_is_positive:
        raise InputError.about(
            "new",
            f"has the opposite direction: {'lower' if lower else 'higher'} scores are positive in "
            f"{name}, but not in the data that chose the cut-off.",
            hint="Convert the scores to the scale of the cut-off, with the same "
            "lower_is_positive=.",
        )
    shared = in_common(development, sample)
    if shared:
        raise InputError.about(
            "new",
            f"has rows of the data that chose the cut-off: {name} has {shared} in common with it.",
            hint="The rates in these data are k.apparent and k.honest. If the rows are others, "
            "pass identifiers that differ as cluster= of both samples.",
        )


def _parts(sample: Sample, by: str | None, groups: Sequence[Any]) -> dict[Any, Sample]:
    """Return the sample of each group that has a cut-off, or of all rows."""
    if by is None:
        return {None: sample}
    found = row_groups(sample.rows, by, None, skip_small=False)
    if {*found.labels} != {*groups}:
        raise InputError.about(
            "new",
            f"has the groups {', '.join(map(repr, found.labels))} in {sample.names[0]}, but there "
            f"are cut-offs for {', '.join(map(repr, groups))}.",
            hint="Validate the cut-off of each group, k[group], in its rows.",
        )
    parts = zip(found.labels, found.rows, strict=True)
    return {label: sample.part(sample.rows.part(at), at) for label, at in parts}


def _quantities(
    ks: Sequence[Any],
    sample: Sample,
    development: Sample,
    risks: bool,
) -> Iterator[Comparison | Estimate | str]:
    """Yield the changes and the estimates in a cohort, or the name of an undefined measure."""
    with held_warnings() as held:
        of_auc = compare([sample, development], AUC(), independent=True)
    auc, before = of_auc.estimates
    if auc.high < 0.5 <= before.value:
        raise InputError.about(
            "new",
            f"has the opposite direction in {auc.classifier}, where the AUC is {auc.value:.3g}.",
            hint="If its scores are coded in the opposite direction, convert them to the scale of "
            "the cut-off, such as by -score or 1 - score. If not, the rates of the rule are "
            "pauci.estimate(new, pauci.Sensitivity(threshold=k.value)).",
        )
    for warning in held:
        warn(warning)
    others: list[Any] = []
    for k in ks:
        rates = Sensitivity(threshold=k.value), Specificity(threshold=k.value)
        honest = k.honest.sensitivity, k.honest.specificity
        for new, rate in zip(estimate(sample, rates), honest, strict=True):
            yield _change(new, rate, k.sample)
        if sample.rows.design == "cohort":
            others += PPV(threshold=k.value), NPV(threshold=k.value)
    yield of_auc
    others += [OE(), CalibrationIntercept(), CalibrationSlope()] * risks
    for measure in others:
        try:
            yield estimate(sample, measure)
        except UndefinedError:
            yield measure.label


def _change(new: Estimate, honest: Any, development: Sample) -> Comparison:
    r"""Return the change of a rate from its honest value in the development data.

    Its limits are :math:`d - \sqrt{(p_1 - l_1)^2 + (u_0 - p_0)^2}` and :math:`d + \sqrt{(u_1 -
    p_1)^2 + (p_0 - l_0)^2}` with the rates p, their difference d and their limits l and u (Newcombe
    1998, method 10; Zou and Donner 2008).
    """
    old = replace(
        new,
        classifier=DEVELOPMENT,
        value=honest.value,
        se=honest.se,
        rows=development.rows.facts,
        limits=BinomialLimits(MID_P, honest.ends),
        cautions=(),
        uncertainty=None,
    )
    # Without a standard error, the limits would not be those of both rates.
    se = math.hypot(new.se, honest.se) or math.ulp(0.0)
    change, correlations = new.value - honest.value, np.eye(2)
    return Comparison(
        (new, old), change, se, 0.0, 0.0, "two-sided", paired=False, correlations=correlations
    )


def _in_group(q: Comparison | Estimate, group: Any) -> Comparison | Estimate:
    """Return a quantity with its group."""
    if isinstance(q, Estimate):
        return replace(q, rows=q.rows._replace(group=group))
    new, old = (replace(e, rows=e.rows._replace(group=group)) for e in q.estimates)
    return replace(q, estimates=(new, old))
