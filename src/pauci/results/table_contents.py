"""What the tables of results hold: header, cells and notes, as text."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pauci.errors import UndefinedError
from pauci.intervals.resampled import BOOTSTRAP_KINDS
from pauci.results import format as fmt
from pauci.results.tables import TextTable

if TYPE_CHECKING:
    from pauci.results.comparison import Comparison
    from pauci.results.comparisons import Comparisons
    from pauci.results.estimate import Estimate


def table_of_estimates(
    estimates: "Sequence[Estimate]", level: float, kind: str | None
) -> TextTable:
    """Return the table of some estimates."""
    header = ["classifier", "measure", "region", "estimate", "SE", "low", "high"]
    header += ["FPR", "TPR", "score from"]
    body, kinds = [], []
    for e in estimates:
        low, high = e.interval(level, kind)  # type: ignore[arg-type]
        kinds.append(e.kind_used(kind))
        on_a_curve = e.measure.has_region
        body.append(
            [
                e.classifier,
                e.measure.label,
                e.region.words if e.measure.region_phrase else "whole curve" * on_a_curve,
                *(fmt.number(v) for v in (e.value, e.se, low, high)),
                *(fmt.span(*ends) * on_a_curve for ends in (e.region.fpr, e.region.tpr)),
                f"{fmt.bound(e.region.cut)}{' down' * e.region.lower_is_positive}" * on_a_curve,
            ]
        )
    return TextTable("Estimates", header, body, _notes_on_estimates(estimates, level, kinds))


def _notes_on_estimates(
    estimates: "Sequence[Estimate]", level: float, kinds: list[str]
) -> list[str]:
    designs = ", ".join(dict.fromkeys(e.design for e in estimates))
    sources = dict.fromkeys(
        e.source if e.resampled is None else e.resampled.source for e in estimates
    )
    used = ", ".join(dict.fromkeys(map(fmt.proper, kinds)))
    notes = [
        f"{fmt.percent(level)} intervals: {used}. SE: {'; '.join(sources)}. Design: {designs}.",
        f"{_sizes(estimates)}. Specificity is 1 - FPR.",
    ]
    notes += [
        f"{e.classifier} {e.measure.label}: {e.resampled.note(level, used_kind)}."
        for e, used_kind in zip(estimates, kinds, strict=True)
        if e.resampled is not None
    ]
    notes += [
        f"{e.classifier} {e.measure.label}: bias {fmt.number(e.bias)} ({e.source})."
        for e in estimates
        if e.bias is not None and e.resampled is None
    ]
    return notes + _cautions(estimates)


def _cautions(estimates: "Sequence[Estimate]") -> list[str]:
    """Return why estimates are doubtful: few observations behind them, or a limit."""
    notes = [
        f"{e.classifier} {e.measure.label}: {words}."
        for e in estimates
        if (words := fmt.few_effective(e.effective_size))
    ]
    notes += [
        f"{e.classifier} {e.measure.label}: {c.reason}" for e in estimates for c in e.cautions
    ]
    return notes


def _sizes(estimates: "Sequence[Estimate]") -> str:
    """Return what all rest on, or each classifier if they differ."""
    sizes = {e.classifier: e.sizes for e in estimates}
    if len(set(sizes.values())) == 1:
        return estimates[0].sizes
    return "; ".join(f"{name}: {words}" for name, words in sizes.items())


def table_of_comparison(c: "Comparison", level: float, kind: str | None) -> TextTable:
    """Return the table of one comparison: both estimates and their difference."""
    low, high = c.interval(level, kind)  # type: ignore[arg-type]
    body = []
    for e in c.estimates:
        ends = e.interval(level, kind)  # type: ignore[arg-type]
        body.append([e.classifier, *map(fmt.number, (e.value, e.se, *ends)), "", ""])
    statistic = c.statistic_of(kind)  # type: ignore[arg-type]
    test = ["" if statistic is None else f"{statistic:.3f}", fmt.p_cell(c.p_value(kind))]  # type: ignore[arg-type]
    body.append(["difference", *map(fmt.number, (c.difference, c.se, low, high)), *test])
    region = f" over {c.region_phrase}" if c.measure.region_phrase else ""
    of_estimates = dict.fromkeys(fmt.proper(e.kind_used(kind)) for e in c.estimates)
    kinds, of_difference = ", ".join(of_estimates), fmt.proper(c.kind_used(kind))
    if kinds != of_difference:
        kinds = f"{kinds}; of the difference {of_difference}"
    notes = [
        f"{'Paired' if c.paired else 'Independent'}, correlation {c.correlation:.3f}. "
        f"Null difference {c.null:g}, {fmt.sided(c.alternative)}.",
        f"{fmt.percent(level)} intervals: {kinds}. {c.sizes}.",
        *_notes_on_errors(c, level, kind),
        *_cautions(c.estimates),
    ]
    title = f"{c.measure.label}{region}: {c.first} - {c.second}"
    deviate = "z" if statistic is None else fmt.deviate(c.df)
    header = ["classifier", "estimate", "SE", "low", "high", deviate, "p"]
    return TextTable(title, header, body, notes)


def _notes_on_errors(c: "Comparison", level: float, kind: str | None) -> list[str]:
    """Return what a table says of standard errors that are not analytic."""
    notes = [] if c.source is None else [f"SE: {c.source}."]
    if c.resampled is not None:
        used = c.kind_used(kind)
        words = c.resampled.note(level, used, c.alternative)
        if used in BOOTSTRAP_KINDS:
            error = c.resampled.error_of_pvalue(c.null, c.alternative, used)
            words += f"; error of p {error:.1g}"
        notes.append(f"Difference: {words}.")
    elif c.bias is not None:
        notes.append(f"Difference: bias {fmt.number(c.bias)} ({c.estimates[0].source}).")
    return notes


def table_of_comparisons(cs: "Comparisons", level: float, kind: str | None) -> TextTable:
    """Return the table of several comparisons, a row each."""
    rows = cs.record(level, kind)  # type: ignore[arg-type]
    columns = ("pvalue",) if cs.adjust == "none" else ("pvalue", "p_adjusted")
    with_df = any(math.isfinite(r["df"]) for r in rows)
    body = [
        [
            f"{r['first']} - {r['second']}",
            r["measure"],
            r["region"] if c.measure.region_phrase else "whole curve" * c.measure.has_region,
            *(fmt.number(r[k]) for k in ("difference", "se", "low", "high")),
            "" if math.isnan(r["statistic"]) else f"{r['statistic']:.3f}",
            *[fmt.degrees(r["df"]) if math.isfinite(r["df"]) else ""] * with_df,
            *(fmt.p_cell(r[k]) for k in columns),
        ]
        for c, r in zip(cs, rows, strict=True)
    ]
    header = ["difference", "measure", "region", "estimate", "SE", "low", "high"]
    header += ["t", "df"] if with_df else ["z"]
    header += ["p", "adjusted p"][: len(columns)]
    kinds = ", ".join(dict.fromkeys(fmt.proper(r["kind"]) for r in rows))
    adjusted = "Not adjusted" if cs.adjust == "none" else f"Adjusted by {fmt.proper(cs.adjust)}"
    together = ", all at once" if cs.adjust == "max-t" else ", each by itself"
    first = cs[0]
    notes = [
        f"{'Paired' if first.paired else 'Independent'}. {adjusted}. "
        f"Null difference {first.null:g}, {fmt.sided(first.alternative)}.",
        f"{fmt.percent(level)} intervals: {kinds}{together}. {first.sizes}.",
    ]
    if first.source is not None:
        errors = [c.resampled.error_of_se for c in cs if c.resampled is not None]
        most = f" Monte Carlo error of SE at most {max(errors):.1g}." if errors else ""
        notes.append(f"SE: {first.source}.{most}")
    if not first.null:
        notes.append(f"All differences 0: {_joint(cs)}.")
    return TextTable("Comparisons", header, body, notes)


def _joint(cs: "Comparisons") -> str:
    """Return the joint test in words, or why there is none."""
    try:
        test = cs.joint()
    except UndefinedError:
        known = f"{fmt.degrees(cs.df)} degrees of freedom"
        return f"no joint test, as the covariance is known with {known} only"
    words = f"chi-squared {test.statistic:.3f}, df {test.df}"
    if math.isfinite(test.df_denominator):
        df = f"{test.df}, {fmt.degrees(test.df_denominator)}"
        words = f"Hotelling's T-squared {test.statistic:.3f}, F({df}) = {test.f:.3f}"
    return f"{words}, {fmt.p_value(test.pvalue)}"
