"""The accuracy of a cut-off, and of its scores, in other cohorts than the data that chose it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import numpy as np

from pauci import checks
from pauci.calls import known, validate_constructor
from pauci.cautions.about_parts import in_common
from pauci.errors import InputError, UndefinedError, held_warnings
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.measures.area import AUC
from pauci.measures.at_cutoff import Sensitivity, Specificity
from pauci.measures.base import Measure
from pauci.measures.decisions import NPV, PPV
from pauci.measures.risks import OE, CalibrationIntercept, CalibrationSlope
from pauci.results.captions import capitalized, names_phrase
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.facts import Fact, facts_of_rows
from pauci.results.forest import forest_row
from pauci.results.presented import PresentedInForest
from pauci.results.quantity import Row, estimates_of
from pauci.sample.sample import Sample
from pauci.sample.weights import row_groups
from pauci.tables import number_format as fmt
from pauci.tables.table import RichText, Verbatim

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
    def _cohorts(self) -> list[str]:
        return list(dict.fromkeys(q.estimates_used[0].classifier for q in self.quantities))

    def _rows(self, level: float, kind: Any) -> list[Row]:  # noqa: ARG002
        """Return the rows of all estimates, the development data first, and of the changes."""
        estimates = [e for q in self.quantities for e in reversed(q.estimates_used)]
        distinct = {(e.group, e.measure, e.classifier): e for e in estimates}
        quantities: list[Comparison | Estimate] = [*distinct.values()]
        quantities += [q for q in self.quantities if isinstance(q, Comparison)]
        several = len(dict(self.cutoffs)) < len(self.cutoffs)
        rows = []
        for q in quantities:
            e, *_ = used = q.estimates_used
            more = {"cohort": " - ".join(e.classifier for e in used), "target": math.nan}
            more |= {"place": "", "rule": "", "cutoff": known(e.measure, "threshold", None)}
            for group, k in self.cutoffs:
                if group == e.group and k.value == more["cutoff"]:
                    more["place"] = f"cut-off {k.text_of(k.value)}" * several
                    if k.uncertainty.fixed_rate == e.measure.label:
                        more |= {"rule": k.rule, "target": k.uncertainty.rule.rate}
            rows.append(Row(q, level, None, more=more))
        return rows

    def _facts(self, rows: Any, level: float, kind: Any) -> list[Fact]:  # noqa: ARG002
        places = [{"place": row.more["place"]} for row in rows]
        facts = zip(facts_of_rows(rows), places, strict=True)
        return [replace(f, names={**f.names, **place}) for f, place in facts]

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
        folds = max(e.folds or 0 for e in estimates_of(self.quantities))
        yield (
            f"Development: honest rates, from which the optimism was subtracted ({k.folds}-fold "
            f"cross-fitting, {fmt.count(k.repeats, 'repetition')}, seed {k.seed}), and the "
            f"{f'AUC within {folds} folds' if folds else 'apparent AUC'}."
        )
        for row in self._rows(level, None):
            q, target, (low, high) = row.quantity, row.more["target"], row.ends
            if target == target and isinstance(q, Estimate) and q.classifier != DEVELOPMENT:
                unclear = "excluded" if high < target else "not confirmed and not excluded"
                conclusion = "confirmed" if low >= target else unclear
                yield f"{capitalized(row.more['rule'])} is {conclusion} in {q.full_name}."
        if self.undefined:
            yield f"Undefined: {fmt.listed(self.undefined)}."

    def _sentences_of(self, presentation: Any) -> list[str]:
        statements = " ".join(self._statements(presentation.level))
        title = "".join(known(part, "text", part) for part in self._topic(presentation.level))
        return [f"{title}.", *super()._sentences_of(presentation), statements]

    def _forest_rows(self, level: float, kind: Any) -> list[Any]:
        drawn = []
        for row in self._rows(self._checked(level, kind), kind):
            if isinstance(row.quantity, Estimate):
                names = row.quantity.measure.label, row.more["place"]
                drawn.append(forest_row(row)._replace(quantity=", ".join(filter(None, names))))
        return drawn


def validated(cutoffs: Any, new: Any, development: Any, *, risks: bool) -> Validation:
    """Return the accuracy of cut-offs in new cohorts (`Cutoff.validate`)."""
    checks.check_flag("risks", risks)
    cohorts = new if isinstance(new, Mapping) else {_NEW: new}
    names, members = [*map(str, cohorts)], cutoffs._members
    if not names or len({*names, DEVELOPMENT}) <= len(names):
        problem = f"must have at least one cohort, and distinct names other than {DEVELOPMENT!r}."
        raise InputError.about("new", problem, value=new)
    if any(k.value is None for _, k in members):
        raise UndefinedError("no category is positive at the cut-off, which has no accuracy.")
    ks = {group: [k for of_group, k in members if of_group == group] for group, _ in members}
    fitted = None
    if development is not None:
        fitted = _scores_of(development, "development", DEVELOPMENT, cutoffs)
        if not fitted.rows.has_folds or [*ks] != [None]:
            problem = "must have out-of-fold scores, with fold=, and applies to one cut-off."
            raise InputError.about("development", problem)
    samples = [_scores_of(cohorts[key], "new", str(key), cutoffs) for key in cohorts]
    parts = [_parts(sample, cutoffs, {*ks}) for sample in samples]
    quantities: list[Comparison | Estimate] = []
    undefined: list[str] = []
    for group, own in ks.items():
        before = fitted or own[0].sample.renamed(DEVELOPMENT)
        for q in _quantities(own, [part[group] for part in parts], before, risks=risks):
            if isinstance(q, str):
                undefined.append(f"{q}{fmt.in_group(group)}")
            else:
                quantities.append(_in_group(q, group))
    return Validation(tuple(quantities), tuple(members), tuple(undefined))


def _scores_of(sample: Any, argument: str, name: str, cutoffs: Any) -> Sample:
    """Return the scores of a cut-off in a sample, with the name of the cohort."""
    (score,) = cutoffs.sample.names
    if not isinstance(sample, Sample):
        expected = "a Sample, or a dict of samples by the names of the cohorts"
        raise checks.wrong_type(argument, sample, expected)
    if score not in sample.names:
        others = checks.some_of(sample.names, score)
        problem = f"has no score {score!r}, that of the cut-off, in {name}, but {others}."
        raise InputError.about(argument, problem, hint=f"Rename it to {score!r}.")
    return sample[score].renamed(name)


def _parts(sample: Sample, cutoffs: Any, groups: set[Any]) -> dict[Any, Sample]:
    """Return the sample of each group that has a cut-off, or of all rows, of another cohort."""
    parts: dict[Any, Sample] = {None: sample}
    by = known(cutoffs, "by", None)
    if by is not None:
        found = row_groups(sample.rows, by, None, skip_small=False)
        rows = zip(found.labels, found.rows, strict=True)
        parts = {label: sample.part(sample.rows.part(at), at) for label, at in rows}
    both, (name,) = (sample, cutoffs.sample), sample.names
    lower, of_cutoff = (s.ratings().lower_is_positive for s in both)
    with held_warnings():
        auc, before = (estimate(s, AUC()) for s in both)
    shared, others = in_common(cutoffs.sample, sample), [*(parts.keys() ^ groups)]
    problem = hint = ""
    if lower != of_cutoff or auc.high < 0.5 <= before.value:
        which = "lower" if lower else "higher"
        problem = f"has the opposite direction in {name}: {which} scores are positive, and the "
        problem += f"AUC is {auc.value:.3g}."
        hint = "Convert its scores to the scale of the cut-off, with the same lower_is_positive=."
    elif shared:
        problem = "has rows of the data that chose the cut-off: "
        problem += f"{name} has {shared} in common with it."
        hint = "The rates in these data are k.apparent and k.honest. If the rows are others, "
        hint += "pass identifiers that differ as cluster= of both samples."
    elif others:
        problem = f"has other groups in {name} than the cut-offs: {checks.show_first(others)}."
        hint = "Validate the cut-off of each group, k[group], in its rows."
    if problem:
        raise InputError.about("new", problem, hint=hint)
    return parts


def _quantities(
    ks: Sequence[Any], samples: Sequence[Sample], development: Sample, *, risks: bool
) -> Iterator[Comparison | Estimate | str]:
    """Yield the changes and the estimates in cohorts, by measure, or what is undefined."""
    for k in ks:
        yield from _changes(Sensitivity(threshold=k.value), k.honest.sensitivity, k, samples)
        yield from _changes(Specificity(threshold=k.value), k.honest.specificity, k, samples)
    for sample in samples:
        yield compare([sample, development], AUC(), independent=True)
    others: list[Any] = [of(threshold=k.value) for k in ks for of in (PPV, NPV)]
    others += [OE(), CalibrationIntercept(), CalibrationSlope()] * risks
    for measure, sample in product(others, samples):
        if measure.of_risks or sample.rows.design == "cohort":
            try:
                yield estimate(sample, measure)
            except UndefinedError:
                yield f"{measure.label} in {sample.names[0]}"


def _changes(rate: Measure, honest: Any, k: Any, samples: Sequence[Sample]) -> Iterator[Comparison]:
    r"""Yield the changes of a rate from its honest value in the development data.

    Their limits are :math:`d - \sqrt{(p_1 - l_1)^2 + (u_0 - p_0)^2}` and :math:`d + \sqrt{(u_1 -
    p_1)^2 + (p_0 - l_0)^2}` with the rates p, their difference d and their limits l and u (Newcombe
    1998, method 10; Zou and Donner 2008).
    """
    with held_warnings():
        e = estimate(k.sample.renamed(DEVELOPMENT), rate)
    old = replace(
        e, value=honest.value, se=honest.se, limits=honest.limits, cautions=(), uncertainty=None
    )
    for sample in samples:
        new, r = estimate(sample, rate), np.eye(2)
        # Without a standard error, the limits would not be those of both rates.
        se, d = math.hypot(new.se, old.se) or math.ulp(0.0), new.value - old.value
        yield Comparison((new, old), d, se, 0.0, 0.0, "two-sided", paired=False, correlations=r)


def _in_group(q: Any, group: Any) -> Any:
    """Return a quantity with its group."""
    if isinstance(q, Estimate):
        return replace(q, rows=q.rows._replace(group=group))
    return replace(q, estimates=tuple(_in_group(e, group) for e in q.estimates))
