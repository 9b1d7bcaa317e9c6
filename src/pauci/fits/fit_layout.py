"""The layout of a fitted curve: its parameters, cuts and area, with a sentence."""

import math
from collections.abc import Callable
from typing import Any

from pauci.fits.fit import CurveFit
from pauci.fits.goodness import GROUPS, REJECTION
from pauci.intervals import analytic
from pauci.results.layout import Layout, TableColumn, View, field_column
from pauci.results.row import PlainRow
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    IntervalCell,
    Note,
    Number,
    PEquals,
    RichText,
    Symbol,
    Verbatim,
    ends_column,
    score_cell,
)


def rows_of_fit(fit: CurveFit, level: float) -> list[PlainRow]:
    """Return the parameters, the cuts of ratings with the lowest score above each, and the area."""
    quantities: list[tuple[str, Any, float, float]] = [
        (name, None, value, se)
        for name, value, se in zip(fit.model.names, fit.maximum.theta, fit.se, strict=True)
    ]
    if not fit.categories.merged:
        errors = (fit.cov.diagonal()[2:] ** 0.5).tolist()
        cuts = zip(fit.thresholds, fit.cuts.tolist(), errors, strict=True)
        quantities += [(f"cut {i}", *cut) for i, cut in enumerate(cuts, 1)]
    quantities.append(("AUC", None, fit.auc, fit.auc_se))
    g = fit.goodness
    of_fit = {
        "model": fit.model.key,
        "level": level,
        "chi_squared": g.chi_squared,
        "df": g.df,
        "pvalue": g.p,
        **fit.rows.excluded.columns,
    }
    rows = []
    for name, threshold, value, se in quantities:
        low, high = analytic.interval(analytic.Wald(value, se, math.inf), level)
        if name == "AUC":
            low, high = fit.auc_interval(level)
        elif name == "alpha":  # a proportion
            low, high = max(low, 0.0), min(high, 1.0)
        numbers = {"value": value, "se": se, "low": low, "high": high}
        rows.append(PlainRow(fit, parameter=name, threshold=threshold, **numbers, **of_fit))
    return rows


def _unit(row: PlainRow) -> bool:
    """Return whether a quantity cannot exceed 1."""
    return row["parameter"] in ("AUC", "alpha")


def _number(name: str) -> Callable[[PlainRow], Number]:
    return lambda row: Number(row[name], row["se"], _unit(row))


def _score(row: PlainRow) -> Cell:
    """Return the lowest score above a cut."""
    threshold = row["threshold"]
    if threshold is None:
        return None
    return score_cell(threshold, row.of.ratings.table.text_of(threshold))


def layout_of(fit: CurveFit) -> Layout:
    """Return the layout of a fit, whose heading of the scores depends on their direction."""
    direction = "down" if fit.ratings.lower_is_positive else "up"
    scores = TableColumn(
        f"scores from ({direction})",
        _score,
        lambda view: any(row["threshold"] is not None for row in view.rows),
    )
    return Layout(
        title=lambda _: (f"{_name(fit)}: ", Verbatim(fit.classifier)),
        caption=_caption,
        columns=[
            field_column("parameter", str, "parameter"),
            scores,
            TableColumn("estimate", _number("value")),
            TableColumn(Symbol("SE"), _number("se")),
            TableColumn(
                lambda view: ends_column(view.level),
                lambda row: IntervalCell(
                    row["low"], row["high"], row["se"], _unit(row), row["value"]
                ),
            ),
        ],
        fields="classifier model parameter value se low high level n_pos n_neg loglik chi_squared "
        "df pvalue dropped left_out",
        notes=lambda view: _notes(fit, view.level),
        sentences=lambda view: [_sentence(fit, view.level)],
        meanings=lambda _: {},
    )


def _name(fit: CurveFit) -> str:
    return f"{fit.model.title.capitalize()} ROC curve"


def _caption(view: View) -> RichText:
    fit = view.result
    return (
        f"{_name(fit)} of ",
        Verbatim(fit.classifier),
        ", by maximum likelihood, with "
        f"{fmt.percent(view.level)} confidence intervals (Wald; logit for the AUC); {fit.sizes}",
    )


def _notes(fit: CurveFit, level: float) -> list[Note]:
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


def _sentence(fit: CurveFit, level: float) -> str:
    """Return one sentence for a paper."""
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
    value, se = (fmt.number(v, fit.auc_se) for v in (fit.auc, fit.auc_se))
    words = fmt.interval_phrase(*fit.auc_interval(level), level, "logit", fit.auc_se, fit.auc)
    return (
        f"A {fit.model.title} ROC curve was fitted to {fit.classifier} by maximum likelihood "
        f"({fit.sizes}): {parameters}, AUC {value} (SE {se}; {words}){test}."
    )
