"""The data frame, the table and the sentence of a fitted curve."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from pauci.fits.goodness import GROUPS, REJECTION
from pauci.intervals import analytic
from pauci.intervals.analytic import Interval
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Column,
    IntervalCell,
    Note,
    Number,
    PEquals,
    Symbol,
    Table,
    Verbatim,
    bound,
    ends_column,
)

if TYPE_CHECKING:
    from pauci.fits.fit import CurveFit

COLUMNS = (
    "classifier",
    "model",
    "parameter",
    "value",
    "se",
    "low",
    "high",
    "level",
    "n_pos",
    "n_neg",
    "loglik",
    "chi_squared",
    "df",
    "pvalue",
    "dropped",
    "left_out",
)


class Entry(NamedTuple):
    """An estimated quantity; `threshold` is the lowest score above a cut."""

    name: str
    threshold: Any
    value: float
    se: float
    ends: Interval

    @property
    def unit(self) -> bool:
        """Whether the quantity cannot exceed 1."""
        return self.name in ("AUC", "alpha")


def entries_of(fit: "CurveFit", level: float) -> list[Entry]:
    """Return the estimated quantities: parameters, cuts of ratings, and the area."""
    quantities: list[tuple[str, Any, float, float]] = [
        (name, None, value, se)
        for name, value, se in zip(fit.model.names, fit.maximum.theta, fit.se, strict=True)
    ]
    if not fit.categories.merged:
        errors = (fit.cov.diagonal()[2:] ** 0.5).tolist()
        cuts = zip(fit.thresholds, fit.cuts.tolist(), errors, strict=True)
        quantities += [(f"cut {i}", *cut) for i, cut in enumerate(cuts, 1)]
    entries = []
    for name, threshold, value, se in quantities:
        low, high = analytic.interval(analytic.Wald(value, se, math.inf), level)
        if name == "alpha":  # a proportion
            low, high = max(low, 0.0), min(high, 1.0)
        entries.append(Entry(name, threshold, value, se, Interval(low, high)))
    return [*entries, Entry("AUC", None, fit.auc, fit.auc_se, fit.auc_interval(level))]


def records_of(fit: "CurveFit", level: float) -> list[dict[str, Any]]:
    """Return the rows of the data frame of a fit."""
    g = fit.goodness
    common = (
        level,
        fit.n_pos,
        fit.n_neg,
        fit.loglik,
        g.chi_squared,
        g.df,
        g.p,
        *fit.rows.excluded[:2],
    )
    return [
        dict(
            zip(
                COLUMNS,
                (fit.classifier, fit.model.key, e.name, e.value, e.se, *e.ends, *common),
                strict=True,
            )
        )
        for e in entries_of(fit, level)
    ]


def table_of_fit(fit: "CurveFit", level: float) -> Table:
    """Return the table of a fit."""
    rows: list[list[Cell]] = [
        [
            e.name,
            None if e.threshold is None else bound(e.threshold),
            *(Number(v, e.se, e.unit) for v in (e.value, e.se)),
            IntervalCell(*e.ends, e.se, e.unit, e.value),
        ]
        for e in entries_of(fit, level)
    ]
    direction = "down" if fit.ratings.lower_is_positive else "up"
    columns = [Column("parameter"), Column(f"scores from ({direction})"), Column("estimate")]
    columns += [Column(Symbol("SE")), ends_column(level)]
    if all(row[1] is None for row in rows):  # there are no cuts
        del columns[1]
        rows = [[row[0], *row[2:]] for row in rows]
    name = f"{fit.model.title.capitalize()} ROC curve"
    caption = (
        f"{name} of ",
        Verbatim(fit.classifier),
        ", by maximum likelihood, with "
        f"{fmt.percent(level)} confidence intervals (Wald; logit for the AUC); {fit.sizes}",
    )
    title = f"{name}: ", Verbatim(fit.classifier)
    return Table(title, caption, columns, rows, _notes(fit, level))


def _notes(fit: "CurveFit", level: float) -> list[Note]:
    n_categories = fit.counts.shape[1]
    kind = "categories"
    if fit.categories.merged:
        kind = "groups of scores (adjacent groups of the same class are merged)"
    errors = "sandwich of the" if fit.robust else "inverse of the"
    notes = [
        Note(f"{fit.sizes}, {n_categories:,} {kind}. Log-likelihood {fit.loglik:.3f}."),
        Note(
            f"{fmt.percent(level)} intervals: Wald; logit for the AUC. SE: {errors} observed "
            "information."
        ),
        Note(f"{fit.model.reference}.", page=False),
    ]
    g = fit.goodness
    if math.isnan(g.p):
        notes.append(Note("Goodness of fit: not tested, because no degrees of freedom are left."))
    else:
        where = f" in {GROUPS} groups of scores" if n_categories > GROUPS else ""
        remark = ""
        if g.smallest_expected < 5.0:
            remark = f"; approximate (smallest expected count {g.smallest_expected:.2g})"
        words = f"Goodness of fit{where}: chi-squared {g.chi_squared:.2f}, df {g.df_shown}, "
        if not fit.independent_rows:
            remark = f" (Rao-Scott, mean design effect {g.design_effect:.2f}){remark}"
        notes.append(Note((words, PEquals(g.p), f"{remark}.")))
        if g.rejected:
            notes.append(Note(f"{REJECTION[0].upper()}{REJECTION[1:]}."))
    return notes + [Note(c.reason) for c in fit.cautions]


def sentence_of_fit(fit: "CurveFit", level: float) -> str:
    """Return one sentence for a paper."""
    area = entries_of(fit, level)[-1]
    parameters = " and ".join(
        f"{name} = {fmt.number(v, se)} (SE {fmt.number(se, se)})"
        for name, v, se in zip(fit.model.names, fit.maximum.theta, fit.se, strict=True)
    )
    g, test = fit.goodness, ""
    if not math.isnan(g.p):
        kind = "" if fit.independent_rows else "Rao-Scott "
        test = f"; goodness of fit: {kind}chi-squared = {g.chi_squared:.2f}, df {g.df_shown}, "
        test += fmt.p_value(g.p)
    if g.rejected:
        test += f"; {REJECTION}"
    value, se = (fmt.number(v, area.se) for v in (area.value, area.se))
    words = fmt.interval_phrase(*area.ends, level, "logit", area.se, area.value)
    return (
        f"A {fit.model.title} ROC curve was fitted to {fit.classifier} by maximum likelihood "
        f"({fit.sizes}): {parameters}, AUC {value} (SE {se}; {words}){test}."
    )
