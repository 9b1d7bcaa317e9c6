"""A comparison of two classifiers or samples, its table and its sentence."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pauci.calls import validate_constructor
from pauci.errors import UndefinedError
from pauci.intervals.analytic import BOOTSTRAP_KINDS, Alternative, DifferenceKind
from pauci.results.base_comparison import SIGNS, BaseComparison
from pauci.results.captions import (
    capitalized,
    caution_notes,
    compared_phrase,
    conclusion_of_comparison,
    intervals_of_both,
    intervals_phrase,
    measures_phrase,
    name_before_note,
    names_compared,
    sentence_of_comparison,
    sizes_of_comparisons,
)
from pauci.results.estimates import Estimate
from pauci.results.layout import (
    CLASSIFIER,
    DIFFERENCE,
    ESTIMATE,
    GROUP,
    INTERVAL,
    MEASURE,
    REGION,
    SE,
    STATISTIC,
    Layout,
    P,
    TableColumn,
    View,
    column_of,
    draw_rows_or_replicates,
    kinds_of,
    row_of_comparison,
)
from pauci.results.presented import PresentedInForest
from pauci.results.row import Row, rows_of
from pauci.results.weighted_sums import Summable, WeightedSum
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Column,
    Note,
    Part,
    RichText,
    StatisticCell,
    Symbol,
    Verbatim,
    difference_of,
)

if TYPE_CHECKING:
    from pauci.figures.forest import ForestRow


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Comparison(BaseComparison, Summable, PresentedInForest[DifferenceKind]):
    """The difference of one measure between two classifiers, with its test.

    Attributes
    ----------
    estimates : tuple of two Estimate
        The two classifiers.
    difference, se : float
        First minus second, and its standard error.
    correlation : float
        Correlation of the two estimates: 0 for independent samples, or if an SE is 0.
    null : float
        Difference under the null hypothesis.
    alternative : str
        ``"two-sided"``, ``"greater"`` or ``"less"``; one-sided tests have one-sided intervals.
    paired : bool
        Whether both classifiers scored the same rows.
    resampled : Resampled, optional
        Replicates of the difference, if the variance method is the bootstrap.
    df : float
        Degrees of freedom of the t distribution of Wald tests and intervals, from the influence
        values of the difference. With clusters they are at most the number of clusters with
        positives or the number with negatives, whichever is smaller, minus one. Infinite (normal
        distribution) if the measure has no influence values.
    shared_clusters : bool
        Whether the classifiers scored different rows of the same clusters.
    uncertainty : Uncertainty, optional
        What the covariance with other results is calculated from.
    joined : bool
        Whether the default interval joins the limits of both estimates
        (`pauci.intervals.extended`), as for a sensitivity at a given specificity, or for a group
        and all rows.
    shared_units : {"rows", "clusters"}
        What two groups have in common, if they are dependent.
    """

    estimates: tuple[Estimate, Estimate]

    @property
    def estimates_used(self) -> list[Estimate]:
        """Both estimates."""
        return list(self.estimates)

    @property
    def members(self) -> list[tuple[float, Estimate]]:
        """Both estimates with their weights."""
        return [(float(sign), e) for sign, e in zip(SIGNS, self.estimates, strict=True)]

    def __repr__(self) -> str:
        return f"Comparison({self.repr_words})"

    def _rows(self, level: float, kind: Any) -> list[Row]:
        return rows_of([self], level, kind)

    def _layout(self) -> "Layout":

        return GAP if self.between_groups else COMPARISON


def difference_between(
    estimates: tuple[Estimate, Estimate],
    correlation: float,
    difference: WeightedSum,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    paired: bool = False,
    shared: bool = False,
    joined: bool = False,
    shared_units: str = "rows",
) -> Comparison:
    """Return the comparison of two estimates, given their difference."""
    return Comparison(
        estimates,
        difference.value,
        difference.se,
        correlation,
        null,
        alternative,
        paired,
        difference.resampled,
        difference.df,
        shared,
        joined=joined or difference.correlations is not None,
        shared_units=shared_units,
    )


_MAX_CONCLUSIONS = 12

"""Largest number of comparisons whose conclusions are notes of the table."""


def _title(view: View) -> RichText:
    c = view.result
    return (
        *measures_phrase([c.measure], [c.region_phrase]),
        f"{c.context}: ",
        *difference_of(*names_compared(c)),
        f" ({c.pairing})",
    )


def _estimates_and_difference(view: View) -> list[Row]:
    """Return the rows of both estimates and of their difference."""
    (row,) = view.rows
    return [*(replace(row, quantity=e) for e in row.quantity.estimates), row]


def _intervals(view: View) -> str:
    return intervals_of_both(
        view.level,
        kinds_of(view.rows[:-1]),
        kinds_of(view.rows[-1:]),
        "difference",
        1,
        alternative_of_others=view.result.alternative,
    )


def _statistic(view: View) -> Column:
    c = view.result
    df = c.df_used(view.kind)
    if c.statistic_of(view.kind) is None or math.isinf(df):
        return Column((Symbol("z"),))
    return Column((Symbol("t"), f"({fmt.degrees(df)})"))


def _notes(view: View) -> list[Note]:
    c, level, row = view.result, view.level, view.rows[-1]
    correlation: tuple[str | Part, ...] = ()
    if c.paired or c.shared_clusters:
        correlation = ("Correlation ", StatisticCell(c.correlation, unit=True), ". ")
    conclusion = conclusion_of_comparison(c, row.ends, level)
    notes = [
        Note((*correlation, f"Null difference {c.null:g}, {fmt.sided(c.alternative)}.")),
        *[Note(f"{capitalized(conclusion)}.")] * bool(conclusion),
        Note(view.method),
    ]
    if c.resampled is not None:
        used = row.record["kind"]
        replicates = c.resampled.note(level, used, c.alternative)
        if used in BOOTSTRAP_KINDS:
            error = c.resampled.error_of_pvalue(c.null, c.alternative, used)
            replicates += f"; error of p {error:.1g}"
        notes.append(Note(f"Difference: {replicates}."))
    elif c.bias is not None:
        bias = fmt.number(c.bias, c.se)
        notes.append(Note(f"Difference: bias {bias} ({c.estimates[0].source})."))
    return [*notes, *caution_notes([c], c.estimates)]


def _name_column(heading: str, name: Callable[[Any], str]) -> TableColumn:
    """Return the column with the names of the estimates."""

    def cell(row: Row) -> Cell:
        return "difference" if row.quantity.has_null else Verbatim(name(row.quantity))

    return TableColumn(heading, cell)


COMPARISON = Layout(
    title=_title,
    columns=[
        _name_column("classifier", lambda e: e.classifier),
        ESTIMATE,
        SE,
        INTERVAL,
        replace(STATISTIC, heading=_statistic),
        P,
    ],
    fields="first second measure region difference se statistic pvalue p_adjusted null alternative "
    "low high level kind correlation value_first value_second paired variance design_first "
    "design_second n_pos_first n_neg_first n_pos_second n_neg_second bias scheme n_resamples "
    "seed df resolution_bound cautions conservative dropped_first dropped_second "
    "left_out_first left_out_second group",
    notes=_notes,
    sentences=lambda view: [
        sentence_of_comparison(row.quantity, view.level, view.kind, row.ends) for row in view.rows
    ],
    intervals=_intervals,
    sizes=lambda view: sizes_of_comparisons([view.result]),
    forest_rows=lambda view: [row_of_comparison(row) for row in view.rows],
    table_rows=_estimates_and_difference,
    figure=draw_rows_or_replicates,
)

GAP = replace(
    COMPARISON,
    columns=[
        _name_column("group", lambda e: fmt.name_of_group(e.group)),
        *COMPARISON.columns[1:],
    ],
    fields=f"{COMPARISON.fields} classifier",
)

"""The layout of a gap between two groups."""


def _is_adjusted(view: View) -> bool:
    adjusted: bool = view.result.adjust != "none"
    return adjusted


def _intervals_of_several(view: View) -> str:
    """Return the kinds of the intervals, and the adjustment of the p-values."""
    cs, kinds = view.result, view.kinds
    if cs.adjust != "max-t":
        kinds = f"pointwise {kinds}"
    intervals = intervals_phrase(view.level, kinds, alternative=cs[0].alternative)
    if cs.adjust == "max-t" and math.isfinite(cs.df):
        intervals += f" ({fmt.degrees(cs.df)} degrees of freedom, the smallest of all)"
    if not _is_adjusted(view):
        return f"{intervals}; unadjusted p-values"
    return f"{intervals}; adjusted p-values ({fmt.proper(cs.adjust)})"


def _notes_on_several(view: View) -> list[Note]:
    cs: Any = view.result
    errors = [c.resampled.error_of_se for c in cs if c.resampled is not None]
    monte_carlo = f" Monte Carlo error of SE at most {max(errors):.1g}." if errors else ""
    notes = [
        Note(f"Null difference {cs[0].null:g}, {fmt.sided(cs[0].alternative)}."),
        *_conclusions(view),
        Note(view.method + monte_carlo),
    ]
    if not cs[0].null:
        notes.append(Note(("Joint test that all differences are 0: ", *_joint_test(cs), ".")))
    distinct = {(e.full_name, repr(e.measure)): e for e in view.estimates}
    return [*notes, *caution_notes(cs, [*distinct.values()])]


def _conclusions(view: View) -> list[Note]:
    """Return notes with the conclusions of tests against a margin."""
    notes: list[Note] = []
    if len(view.rows) > _MAX_CONCLUSIONS:
        return notes
    for row in view.rows:
        phrase = conclusion_of_comparison(row.quantity, row.ends, view.level, _deciding(view, row))
        if phrase:
            notes.append(Note((*name_before_note(row.quantity), f"{phrase}.")))
    return notes


def _deciding(view: View, row: Row) -> float | None:
    """Return the adjusted p-value, which decides instead of the bound; None if there is none."""
    if not _is_adjusted(view) or len(view.result) < 2:
        return None
    pvalue: float = row.record["p_adjusted"]
    return pvalue


def _joint_test(cs: Any) -> tuple[Part | str, ...]:
    """Return the joint test in words, or the reason why it is undefined."""
    try:
        words: tuple[Part | str, ...] = cs.joint().words
    except UndefinedError:
        df = fmt.degrees(cs.df)
        return (f"undefined, as the covariance has only {df} degrees of freedom",)
    return words


def _sentences(view: View) -> list[str]:
    """Return a sentence about each of several comparisons."""
    cs, texts = view.result, []
    for row in view.rows:
        adjusted, pvalue = "", _deciding(view, row)
        if pvalue is not None:
            p, method = fmt.p_value(pvalue), fmt.proper(cs.adjust)
            adjusted = f", {p} adjusted for {len(cs)} comparisons by {method}"
        kind = row.record["kind"]
        texts.append(
            sentence_of_comparison(
                row.quantity, view.level, view.kind, row.ends, adjusted, kind, pvalue
            )
        )
    return texts


def _forest_rows_of_several(view: View) -> "list[ForestRow]":
    adjusted = _is_adjusted(view) and len(view.rows) > 1
    heading = f"p ({fmt.proper(view.result.adjust)})" if adjusted else "p"
    return [row_of_comparison(row, heading) for row in view.rows]


COMPARISONS = Layout(
    title=lambda view: ("Differences in ", *compared_phrase(view.result)),
    columns=[
        GROUP,
        DIFFERENCE,
        MEASURE,
        REGION,
        ESTIMATE,
        SE,
        INTERVAL,
        STATISTIC,
        column_of("df"),
        P,
        replace(column_of("p_adjusted"), shown=_is_adjusted),
    ],
    fields=COMPARISON.fields,
    notes=_notes_on_several,
    sentences=_sentences,
    intervals=_intervals_of_several,
    sizes=lambda view: sizes_of_comparisons(view.result),
    forest_rows=_forest_rows_of_several,
)

GAPS = replace(
    COMPARISONS,
    columns=[
        TableColumn(
            "classifier",
            CLASSIFIER.cell,
            lambda view: len({row.record["classifier"] for row in view.rows}) > 1,
        ),
        *COMPARISONS.columns[1:],
    ],
    fields=f"{COMPARISON.fields} classifier",
)

"""The layout of gaps between groups."""
