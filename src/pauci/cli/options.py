"""The options of all commands: each is declared once, with its type, its help and its group.

A command names the options that it takes in its signature, see `pauci.cli.typed_commands`. Options
that are used together are the fields of one dataclass.
"""

import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import click

from pauci.accepted import RegionEnds
from pauci.analyses.band import BandKind
from pauci.analyses.power_and_width import AnalyticKind
from pauci.cli.measure_options import ParsedMeasures
from pauci.cli.output import ENDS, Output
from pauci.cli.shell_syntax import shortened
from pauci.cli.typed_commands import Choice, FileArgument, GroupedOption, Option, option
from pauci.cutoffs.criteria import accepted_measures
from pauci.errors import InputError
from pauci.figures.style import FORMATS
from pauci.fits.fit import Covariance
from pauci.inference.arguments import METHODS
from pauci.inference.compare import ADJUSTMENTS, Adjustment
from pauci.intervals.analytic import DIFFERENCE_KINDS, ESTIMATE_KINDS, Alternative
from pauci.intervals.kinds import BOOTSTRAP_KINDS, Kind
from pauci.readers.mrmc import METHODS as MRMC_METHODS
from pauci.readers.mrmc import Weights as ReaderWeights
from pauci.resampling.bootstrap import Bootstrap
from pauci.sample.rows import Design as DesignName
from pauci.tables import documents, docx, xlsx
from pauci.tables.atomic_write import check_suffix, check_writable
from pauci.tables.number_styles import StyleName
from pauci.variance.jackknife import Jackknife

COMPARISON_KINDS = (*DIFFERENCE_KINDS, *BOOTSTRAP_KINDS)

LARGEST_UNPACKED = 2.0
"""Default limit of the size of an unpacked file, in gigabytes."""

_FORMATS = (
    "FILE is a text file with a header line (CSV, TSV), a Parquet file or an Excel file. It may be "
    "compressed (.gz, .bz2, .xz, .zip, .zst); - is standard input."
)
_BLANKS = "Blank cells and NA are missing values."
_BY_DUCKDB = (
    "A pattern of several files ('scores/*.parquet') or a query (duckdb:SELECT ...) is counted by "
    "DuckDB without loading the rows."
)

Pair = tuple[float, float] | None


# Files

RowsFile = Annotated[str, FileArgument(f"{_FORMATS} {_BLANKS} {_BY_DUCKDB}")]

CurvesFile = Annotated[str, FileArgument(f"{_FORMATS} {_BLANKS}")]

PilotFile = Annotated[
    str | None,
    FileArgument(f"{_FORMATS} Without FILE, binormal curves are assumed: --auc.", required=False),
]

StudyFile = Annotated[str, FileArgument()]

TableFiles = Annotated[tuple[str, ...], FileArgument()]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a file is read."""

    sep: str | None = option(
        "Data",
        "--sep",
        metavar="CHARACTER",
        help="Column separator of a text file: a character, tab or space.  "
        "[default: comma; tab for .tsv]",
    )
    decimal: Literal[".", ","] | None = option(
        "Data", "--decimal", help="Decimal mark of a text file.  [default: .]"
    )
    thousands: str | None = option(
        "Data",
        "--thousands",
        metavar="MARK",
        help="Mark between thousands in a text file: . , _ space or apostrophe.  [default: none]",
    )
    encoding: str | None = option(
        "Data", "--encoding", help="Encoding of a text file.  [default: utf-8]"
    )
    sheet: str | None = option(
        "Data", "--sheet", metavar="NAME", help="Sheet of an Excel file that has several."
    )
    header_row: int | None = option(
        "Data",
        "--header-row",
        metavar="N",
        help="Line of a text file, or row of a sheet, with the names of the columns, if there are "
        "titles above it.  [default: 1]",
    )
    user_missing: Literal["missing", "values"] | None = option(
        "Data",
        "--user-missing",
        help="What the values are that an SPSS or Stata file declares as missing: missing values "
        "(the default, which is stated), or values like the others.",
    )
    where: tuple[str, ...] = option(
        "Data",
        "--where",
        metavar="CONDITION",
        help="Condition on the rows, such as 'site == A', 'age >= 18' or 'stage in II, III' (also "
        "!=, <, <=, > and not in); may be repeated.",
    )
    unpack_limit: float | None = option(
        "Data",
        "--unpack-limit",
        metavar="GB",
        help="Largest size of a compressed file once it is unpacked.  "
        f"[default: {LARGEST_UNPACKED:g}]",
    )


# Columns of the data

_COLUMN: Mapping[str, Any] = {"metavar": "COLUMN"}
_LABEL = option("Data", "--label", help="Column of the labels.", **_COLUMN)
_POSITIVE = option(
    "Data",
    "--positive",
    metavar="VALUE",
    help="Label of the positive class, unless labels are 0/1; of more than two labels, it is "
    "compared with the rest.",
)
_SCORES = option(
    "Data", "--score", help="Column of scores; repeat it for several classifiers.", **_COLUMN
)
_CATEGORIES = option(
    "Data",
    "--category",
    metavar="VALUE",
    help="For ratings in words: a value of --score, from the most negative to the most positive; "
    "repeat it for each.",
)


@dataclass(frozen=True, kw_only=True)
class OptionalRowColumns:
    """Columns of a file of rows, and how they are read; none of them is required."""

    label: str | None = _LABEL
    positive: str | None = _POSITIVE
    negative: str | None = option(
        "Data",
        "--negative",
        metavar="VALUE",
        help="With --positive: label of the negative class, if the label has more than two "
        "values; rows with other labels are left out and counted.",
    )
    missing: tuple[str, ...] = option(
        "Data",
        "--missing",
        metavar="VALUE",
        help="Value of --label and --score columns that means a missing value, such as "
        "999; may be repeated.",
    )
    scores: tuple[str, ...] = _SCORES
    categories: tuple[str, ...] = _CATEGORIES
    lower_is_positive: tuple[str, ...] = option(
        "Data",
        "--lower-is-positive",
        **_COLUMN,
        help="Column of scores of which lower values are more positive; may be repeated.",
    )
    drop_missing: bool = option(
        "Data",
        "--drop-missing",
        help="Leave out rows with a blank or NA in one of the columns, and report how many.",
    )
    frequency: str | None = option(
        "Data",
        "--frequency",
        **_COLUMN,
        help="Column of frequencies: the number of identical rows that a row represents.",
    )
    weight: str | None = option("Data", "--weight", **_COLUMN, help="Column of sampling weights.")
    cluster: str | None = option(
        "Data", "--cluster", **_COLUMN, help="Column of clusters, such as patients."
    )
    resolution: str | None = option(
        "Data",
        "--resolution",
        metavar="BITS",
        help="For files too large for memory: let DuckDB count the scores in at most 2^BITS cells, "
        "or every distinct score (exact).",
    )
    database: str | None = option(
        "Data",
        "--database",
        metavar="FILE",
        help="With a query instead of a file (duckdb:SELECT ...): the DuckDB database to query.",
    )


@dataclass(frozen=True, kw_only=True)
class RowColumns(OptionalRowColumns):
    """Columns of a file of rows, and how they are read."""

    label: str = _LABEL.required()
    scores: tuple[str, ...] = _SCORES.required()

    @classmethod
    def of(cls, columns: OptionalRowColumns, label: str) -> "RowColumns":
        """Return these columns with the column of labels, which is required."""
        values = {field.name: getattr(columns, field.name) for field in fields(RowColumns)}
        return cls(**{**values, "label": label})


Fold = Annotated[
    str | None,
    option(
        "Data",
        "--fold",
        **_COLUMN,
        help="Column of the folds of a cross-validation: measures are averaged over folds. "
        "With repeated cross-validation, label the folds of each repeat differently, and give "
        "the id of each row as --cluster.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class GroupColumns:
    """Columns of groups of the rows, and how the groups are compared."""

    group: tuple[str, ...] = option(
        "Data",
        "--group",
        **_COLUMN,
        help="Column of groups, such as sex: results by group, and gaps between groups; "
        "repeat it for several columns, which are evaluated one after the other.",
    )
    reference: str | None = option(
        "Data",
        "--reference",
        metavar="GROUP",
        help="With --group: the group from which the gaps of the others are calculated, or "
        "overall for all rows.  [default: the first group]",
    )
    skip_small: bool = option(
        "Data",
        "--skip-small",
        help="With --group: leave out groups with fewer than two observations of a class, and "
        "report them.",
    )

    def check(self, plot: str | None = None) -> None:
        """Raise an error for options without --group, a column given twice, and several figures."""
        for argument, value in (("reference", self.reference), ("skip_small", self.skip_small)):
            if value and not self.group:
                flag = f"--{argument.replace('_', '-')}"
                raise InputError(f"{flag} requires --group.", argument=argument, value=value)
        if len(set(self.group)) < len(self.group):
            raise InputError("--group names a column twice.", argument="group", value=self.group)
        if plot is not None and len(self.group) > 1:
            raise InputError(
                f"--plot draws the results of one --group, but there are {len(self.group)}. Draw "
                "them one at a time, or use pauci report, whose page has all figures.",
                argument="plot",
                value=plot,
            )


GROUP_OPTIONS = {"by": "--group"}
"""The option of an argument of results by group."""


@dataclass(frozen=True, kw_only=True)
class LongData:
    """Columns of long data, which have a row for each case and classifier."""

    by: str | None = option(
        "Data",
        "--by",
        **_COLUMN,
        help="Long data: one --score column, and this column names the classifier "
        "(such as modality) of each row. Requires --row.",
    )
    row: str | None = option(
        "Data",
        "--row",
        **_COLUMN,
        help="With --by: column of the case, which pairs the rows of the classifiers.",
    )


@dataclass(frozen=True, kw_only=True)
class CountColumns:
    """Columns of a file with tables of counts."""

    score: str = option(
        "Data", "--score", default="score", **_COLUMN, help="Column of the categories."
    )
    positives_column: str = option(
        "Data",
        "--positives-column",
        default="positives",
        **_COLUMN,
        help="Column of the counts of positives.",
    )
    negatives_column: str = option(
        "Data",
        "--negatives-column",
        default="negatives",
        **_COLUMN,
        help="Column of the counts of negatives.",
    )
    by: str | None = option(
        "Data",
        "--by",
        **_COLUMN,
        help="Column that distinguishes several tables in one file, such as modality.",
    )
    lower_is_positive: tuple[str, ...] = option(
        "Data",
        "--lower-is-positive",
        metavar="TABLE",
        help="Table whose lower categories are more positive, by its value of --by or "
        "the name of its file; may be repeated.",
    )


@dataclass(frozen=True, kw_only=True)
class CurveColumns(OptionalRowColumns):
    """Columns of curves: of rows, or of tables of counts."""

    scores: tuple[str, ...] = _SCORES.required()
    positives_column: str | None = option(
        "Data",
        "--positives-column",
        **_COLUMN,
        help="Instead of --label, for a table with a row per category (--score): column of "
        "the counts of positives.",
    )
    negatives_column: str | None = option(
        "Data",
        "--negatives-column",
        **_COLUMN,
        help="Column of the counts of negatives of such a table.",
    )
    by: str | None = option(
        "Data",
        "--by",
        **_COLUMN,
        help="Column that distinguishes several such tables in one file, such as modality.",
    )


@dataclass(frozen=True, kw_only=True)
class ReaderColumns:
    """Columns that make a report one of a reader study."""

    reader: str | None = option(
        "Data",
        "--reader",
        **_COLUMN,
        help="Reader study: column of the reader. The page is that of pauci readers, with a row "
        "of FILE for each reading. Requires --case.",
    )
    modality: str | None = option(
        "Data",
        "--modality",
        **_COLUMN,
        help="With --reader: column of the modality (test, treatment).  [default: there is one]",
    )
    case: str | None = option(
        "Data", "--case", **_COLUMN, help="With --reader: column of the case."
    )

    def given(self) -> bool:
        """Return whether the page is that of a reader study, after a check of the options."""
        if self.reader is not None and self.case is not None:
            return True
        if self.reader is not None:
            raise InputError("--reader requires --case.", argument="reader")
        for argument, value in (("modality", self.modality), ("case", self.case)):
            if value is not None:
                raise InputError(f"--{argument} requires --reader.", argument=argument)
        return False


@dataclass(frozen=True, kw_only=True)
class StudyColumns:
    """Columns of a reader study, and how its cases were sampled."""

    reader: str = option("Data", "--reader", required=True, **_COLUMN, help="Column of the reader.")
    modality: str | None = option(
        "Data",
        "--modality",
        **_COLUMN,
        help="Column of the modality (test, treatment).  [default: there is one]",
    )
    case: str = option("Data", "--case", required=True, **_COLUMN, help="Column of the case.")
    label: str = option(
        "Data",
        "--label",
        required=True,
        **_COLUMN,
        help="Column of the truth, the same in all rows of a case.",
    )
    positive: str | None = _POSITIVE
    score: str = option("Data", "--score", required=True, **_COLUMN, help="Column of the scores.")
    categories: tuple[str, ...] = _CATEGORIES
    drop_missing: bool = option(
        "Data",
        "--drop-missing",
        help="Leave out readings with a blank or NA in one of the columns, and report how many.",
    )
    lower_is_positive: bool = option(
        "Data", "--lower-is-positive", help="Lower scores are more positive."
    )
    cluster: str | None = option(
        "Data",
        "--cluster",
        **_COLUMN,
        help="Column of clusters of cases, such as the patients of lesions.",
    )
    sampling: DesignName = option(
        "Data", "--design --sampling", default="cohort", help="How the cases were sampled."
    )


Design = Annotated[
    DesignName, option("Data", "--design", default="cohort", help="How the rows were sampled.")
]

PilotDesign = Annotated[
    DesignName | None,
    option(
        "Data",
        "--design",
        help="How the rows are sampled.  [default: cohort; with --auc case-control]",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Assumption:
    """Binormal curves that are assumed instead of a pilot."""

    auc: tuple[float, ...] = option(
        "Data",
        "--auc",
        metavar="NUMBER",
        help="Without FILE: AUC of an assumed binormal curve; repeat it for two.",
    )
    correlation: float | None = option(
        "Data",
        "--correlation",
        metavar="NUMBER",
        help="With two --auc: correlation of the scores within a class.  [default: 0.5]",
    )
    sd: tuple[float, ...] = option(
        "Data",
        "--sd",
        metavar="NUMBER",
        help="With --auc: standard deviation of the scores of positives, that of negatives "
        "being 1; repeat it for two.  [default: 1]",
    )


# Measures and regions

_PAIR: Mapping[str, Any] = {"nargs": 2, "type": float, "metavar": "LOW HIGH"}
_ENDS = option(
    "Region",
    "--ends",
    type=click.Choice(["north-east", "middle"]),
    help="Where to place a bound of the region that falls inside a step of the curve.  "
    "[default: north-east]",
)
_NORMALIZED = option(
    "Measure", "--normalized", is_flag=True, help="Divide the area by the region's length."
)
_SENSITIVITY = option("Region", "--sensitivity", help="Another name of --tpr.", **_PAIR)
_SPECIFICITY = option(
    "Region", "--specificity", help="Instead of --fpr: --specificity 0.9 1 is --fpr 0 0.1.", **_PAIR
)

_OF_MEASURES = (
    _NORMALIZED,
    option(
        "Measure",
        "--prevalence",
        type=float,
        help="Prevalence at which ap, auk, maxkappa and netbenefit are estimated.",
    ),
    option(
        "Measure",
        "--probability",
        type=float,
        help="Risk from which on netbenefit counts a row as treated, such as 0.1.",
    ),
    option("Measure", "--harm", type=float, help="Harm of the test, subtracted from netbenefit."),
    option(
        "Measure",
        "--standardized",
        is_flag=True,
        help="Divide netbenefit by the prevalence, so that it is at most 1.",
    ),
    option("Measure", "--beta", type=float, help="Weight of the sensitivity in f."),
    option("Measure", "--negatives", is_flag=True, help="Average precision of the negatives."),
    option("Measure", "--rescaled", is_flag=True, help="Rescale ap or auc so that chance is 0."),
    option(
        "Measure",
        "--scaled",
        is_flag=True,
        help="Scale brier so that risks equal to the prevalence have 0.",
    ),
    option(
        "Measure",
        "--corrected",
        is_flag=True,
        help="Correct ap for bias by the jackknife, as averages over folds are by default.",
    ),
    option("Measure", "--uncorrected", is_flag=True, help="Do not correct ap in folds for bias."),
    option(
        "Region", "--fpr", help="Range of the FPR, such as 0 0.1 (specificity is 1 - FPR).", **_PAIR
    ),
    option("Region", "--tpr", help="Range of the TPR (sensitivity), such as 0.8 1.", **_PAIR),
    _SPECIFICITY,
    _SENSITIVITY,
    option(
        "Region",
        "--threshold",
        nargs=2,
        metavar="LOW HIGH",
        help="Range of the scores, low <= score < high, such as 3 5; inf is allowed.",
    ),
    option(
        "Region",
        "--at",
        type=float,
        help="The TPR at which specificity is estimated, or the lowest TPR of pai.",
    ),
    option("Region", "--at-fpr", type=float, help="The FPR at which sensitivity is estimated."),
    _ENDS,
)
"""The options that belong to the ``--measure`` before them."""

_AT_RATES = (
    option(
        "Region",
        "--at-specificity",
        type=float,
        help="The specificity at which sensitivity, ppv, npv or f is estimated.",
    ),
    option(
        "Region",
        "--at-sensitivity",
        type=float,
        help="The sensitivity at which ppv, npv or f is estimated, or, instead of --at, "
        "specificity, or the lowest sensitivity of pai.",
    ),
    option(
        "Region",
        "--at-threshold",
        metavar="SCORE",
        help="The threshold of a measure at a cut-off, such as sensitivity, ppv or kappa. For "
        "classifiers or modalities on different scales NAME=SCORE,NAME=SCORE.",
    ),
)
"""Further options of that kind, for commands without operating points."""


@dataclass(frozen=True)
class _MeasuresOption(Option):
    """The option that names measures, and those that belong to each of them."""

    of_measures: tuple[Option, ...] = (*_OF_MEASURES, *_AT_RATES)

    def parameters(self, name: str, type_: Any) -> list[click.Parameter]:
        del type_  # what is handed over is made of all of them
        first = GroupedOption([self.flag, name], group=self.group, **self.settings)
        return [
            first,
            *(
                GroupedOption([o.flag], group=o.group, of_measure=True, **o.settings)
                for o in self.of_measures
            ),
        ]


_MEASURES = _MeasuresOption(
    "Measure",
    "--measure",
    {
        "multiple": True,
        "help": "One of those below; repeat it for several, each followed by its options.",
    },
)

Measures = Annotated[ParsedMeasures, _MEASURES.required()]

MeasuresBesidePoints = Annotated[
    ParsedMeasures, replace(_MEASURES.required(), of_measures=_OF_MEASURES)
]

OptionalMeasures = Annotated[ParsedMeasures, _MEASURES]

ModelName = Literal["binormal", "proper", "contaminated"]

Models = Annotated[
    tuple[ModelName, ...],
    option(
        "Measure",
        "--model",
        default=("binormal",),
        help="The form of the curve; repeat it for several.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class RegionFamily:
    """A measure with a family of regions that differ in one bound."""

    key: str = option(
        "Measure",
        "--measure",
        required=True,
        help="A measure of those below that takes a region or an operating point.",
    )
    normalized: bool = _NORMALIZED
    fpr: Pair = option(
        "Region",
        "--fpr",
        metavar="LOW HIGH",
        help="Range of the upper bound x of the regions FPR 0 to x.",
    )
    tpr: Pair = option(
        "Region",
        "--tpr",
        metavar="LOW HIGH",
        help="Range of the lower bound y of the regions TPR y to 1.",
    )
    specificity: Pair = option(
        "Region",
        "--specificity",
        metavar="LOW HIGH",
        help="Range of the lower bound s of the regions specificity s to 1.",
    )
    sensitivity: Pair = _SENSITIVITY
    threshold: Pair = option(
        "Region",
        "--threshold",
        metavar="LOW HIGH",
        help="Range of the threshold t of the regions of scores from t up (down if lower "
        "scores are positive).",
    )
    points: int = option(
        "Region",
        "--points",
        type=click.IntRange(min=1),
        default=50,
        help="Number of regions, equally spaced.",
    )
    fewest: float = option(
        "Region",
        "--fewest",
        default=0.0,
        help="Leave out regions with a smaller expected number of observations.",
    )
    ends: RegionEnds | None = _ENDS


@dataclass(frozen=True, kw_only=True)
class GroupsOfCurve:
    """Groups along the curve."""

    by: Literal["fpr", "tpr", "threshold", "rank"] = option(
        "Region", "--by", default="fpr", help="The variable whose ranges define the groups."
    )
    edges: tuple[float, ...] = option(
        "Region",
        "--edges",
        metavar="NUMBER ...",
        help="Bounds of the groups, such as 0 0.1 0.3 1, which is the default.",
    )
    ends: RegionEnds = option(
        "Region",
        "--ends",
        default="north-east",
        help="Where to place a bound of a group that falls inside a step of the curve.",
    )
    prevalence: float | None = option(
        "Data", "--prevalence", help="Prevalence at which PPV and NPV are estimated."
    )


@dataclass(frozen=True, kw_only=True)
class BandRegion:
    """The part of the FPR axis that a band covers."""

    fpr: Pair = option(
        "Region",
        "--fpr",
        metavar="LOW HIGH",
        help="Range of the FPR that is covered.  [default: the whole curve]",
    )
    specificity: Pair = _SPECIFICITY


# Operating points

POINT_OPTIONS = {
    "thresholds": "--at-threshold",
    "specificity": "--at-specificity",
    "sensitivity": "--at-sensitivity",
}
"""Options by argument of `operating_points`."""


@dataclass(frozen=True, kw_only=True)
class PointOptions:
    """Operating points, by their threshold or by a rate."""

    at_threshold: tuple[str, ...] = option(
        "Points",
        "--at-threshold",
        metavar="NUMBER",
        help="Threshold: scores from there up (down if lower scores are positive) are "
        "classified as positive; may be repeated.",
    )
    at_specificity: tuple[float, ...] = option(
        "Points",
        "--at-specificity",
        metavar="NUMBER",
        help="The lowest threshold with at least this specificity; may be repeated.",
    )
    at_sensitivity: tuple[float, ...] = option(
        "Points",
        "--at-sensitivity",
        metavar="NUMBER",
        help="The strictest threshold with at least this sensitivity; may be repeated.",
    )
    at_youden: bool = option(
        "Points",
        "--at-youden",
        help="Youden's cut-off, which is chosen from the data: with the set of cut-offs that "
        "contains the best one, and its accuracy on new observations (see pauci cutoff).",
    )

    def selections(self) -> dict[str, list[Any]]:
        """Return the requested points by argument of `operating_points`."""
        selections = {
            "thresholds": self.at_threshold,
            "specificity": self.at_specificity,
            "sensitivity": self.at_sensitivity,
        }
        for name, values in selections.items():
            repeated = [v for v, times in Counter[Any](values).items() if times > 1]
            if repeated:
                value = repeated[0]
                raise InputError(
                    f"{POINT_OPTIONS[name]} {value} is given twice.", argument=name, value=value
                )
        return {name: list(values) for name, values in selections.items() if values}


@dataclass(frozen=True, kw_only=True)
class RiskOptions:
    """Threshold probabilities, prevalence and harm of the net benefit."""

    probability: tuple[float, ...] = option(
        "Points",
        "--probability",
        metavar="VALUE",
        help="Risk from which on net benefit counts a row as treated, such as 0.1; may be "
        "repeated.  [default: the prevalence]",
    )
    prevalence: float | None = option(
        "Points",
        "--prevalence",
        help="Prevalence at which net benefit is estimated.  [default: that of the sample]",
    )
    harm: float = option(
        "Points", "--harm", default=0.0, help="Harm of the test, subtracted from net benefit."
    )


@dataclass(frozen=True, kw_only=True)
class RuleOptions:
    """The rule that chooses a cut-off from the data; one of them is given."""

    maximize: str | None = option(
        "Rule",
        "--maximize",
        metavar="CRITERION",
        help=f"The cut-off with the largest value of {', '.join(accepted_measures())}.",
    )
    beta: float | None = option(
        "Rule", "--beta", help="With --maximize f: weight of the sensitivity.  [default: 1]"
    )
    probability: float | None = option(
        "Rule",
        "--probability",
        metavar="VALUE",
        help="With --maximize netbenefit: the threshold probability, such as 0.1.",
    )
    specificity: float | None = option(
        "Rule", "--specificity", help="The lowest cut-off with at least this specificity."
    )
    sensitivity: float | None = option(
        "Rule", "--sensitivity", help="The highest cut-off with at least this sensitivity."
    )
    equal: bool = option("Rule", "--equal", help="Equal sensitivity and specificity.")
    cost: Pair = option(
        "Rule",
        "--cost",
        metavar="RATIO PREVALENCE",
        help="The smallest expected cost: the cost of a false negative divided by that of a false "
        "positive, and the prevalence.",
    )
    rule_in: float | None = option(
        "Rule",
        "--rule-in",
        metavar="SPECIFICITY",
        help="With --rule-out, two cut-offs with an uncertain zone between them: the specificity "
        "of the upper one.",
    )
    rule_out: float | None = option(
        "Rule",
        "--rule-out",
        metavar="SENSITIVITY",
        help="With --rule-in: the sensitivity of the lower cut-off.",
    )
    prevalence: float | None = option(
        "Rule",
        "--prevalence",
        help="With --maximize: prevalence in the target population, for a criterion that depends "
        "on it; required with --design case-control.  [default: that of the sample]",
    )


@dataclass(frozen=True, kw_only=True)
class CrossFittingOptions:
    """How the accuracy of a chosen cut-off on new observations is estimated."""

    folds: int = option(
        "Uncertainty",
        "--folds",
        type=click.IntRange(min=2),
        default=5,
        help="Number of folds of the cross-fitting.",
    )
    repeats: int = option(
        "Uncertainty",
        "--repeats",
        type=click.IntRange(min=1),
        default=20,
        help="Number of repetitions with other folds.",
    )
    seed: int | None = option(
        "Uncertainty",
        "--seed",
        type=click.IntRange(min=0),
        help="Seed of the folds, to reproduce a result.  [default: drawn]",
    )

    def arguments(self) -> dict[str, int]:
        """Return the arguments of `cutoff`; the same seed is used for all results of a command."""
        seed = secrets.randbits(31) if self.seed is None else self.seed
        return {"folds": self.folds, "repeats": self.repeats, "rng": seed}


@dataclass(frozen=True, kw_only=True)
class GroupOfCutoffs:
    """A column of groups, each with a cut-off of its own."""

    group: str | None = option(
        "Data",
        "--group",
        **_COLUMN,
        help="Column of groups, such as sex: a cut-off for each group, chosen from its rows alone.",
    )
    skip_small: bool = option(
        "Data",
        "--skip-small",
        help="With --group: leave out groups with fewer than two observations of a class, and "
        "report them.",
    )


AllPoints = Annotated[
    bool,
    option(
        "Points",
        "--all",
        help="Report every threshold, of at most 2,000.  [default: all if there are at most 10, "
        "else those at a specificity and at a sensitivity of 0.9]",
    ),
]

PointsPrevalence = Annotated[
    float | None,
    option(
        "Points",
        "--prevalence",
        help="Prevalence at which PPV, NPV and kappa are estimated.  [default: that of the sample]",
    ),
]


# Standard errors and intervals


def _no_zero(_: Any, __: Any, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("0 is not a number of workers; use 1, or -1 for all processors.")
    return value


@dataclass(frozen=True, kw_only=True)
class BootstrapOptions:
    """Options of the bootstrap."""

    resamples: int | None = option(
        "Uncertainty",
        "--resamples",
        type=click.IntRange(min=2),
        help="Number of bootstrap replicates.  [default: 2000]",
    )
    scheme: Literal["stratified", "cohort", "cluster"] | None = option(
        "Uncertainty",
        "--scheme",
        help="Resampling scheme.  [default: according to design and clusters]",
    )
    seed: int | None = option(
        "Uncertainty",
        "--seed",
        type=click.IntRange(min=0),
        help="Seed of the bootstrap, to reproduce a result.  [default: drawn]",
    )
    jobs: int | None = option(
        "Uncertainty",
        "--jobs",
        callback=_no_zero,
        type=click.IntRange(min=-1),
        help="Number of bootstrap workers; -1 for all processors.  [default: 1]",
    )

    def build(self) -> Bootstrap:
        """Return the bootstrap."""
        return Bootstrap(
            2000 if self.resamples is None else self.resamples,
            self.scheme,
            # The seed is drawn here, so that all results of a command use the same replicates.
            rng=secrets.randbits(31) if self.seed is None else self.seed,
            n_jobs=self.jobs,
        )

    def refuse(self, argument: str, name: str, *, but: str = "") -> None:
        """Raise an error for options of the bootstrap if another method was chosen."""
        for field in fields(self):
            if getattr(self, field.name) is not None and field.name != but:
                raise InputError.about(field.name, f"requires --{argument} bootstrap, not {name}.")


@dataclass(frozen=True, kw_only=True)
class VarianceOptions:
    """The method of the standard errors."""

    variance: str = option(
        "Uncertainty",
        "--variance",
        default="influence",
        type=Choice([*METHODS, "jackknife", "bootstrap"]),
        help="Method of the standard errors.",
    )
    bootstrap: BootstrapOptions

    def method(self, *, seed_is_used: bool = False) -> Any:
        """Return the variance method: its name, or an object with its options."""
        if self.variance == "bootstrap":
            return self.bootstrap.build()
        self.bootstrap.refuse("variance", self.variance, but="seed" if seed_is_used else "")
        return Jackknife() if self.variance == "jackknife" else self.variance


Force = Annotated[
    bool,
    option(
        "Uncertainty",
        "--force",
        help="Report standard errors, with a warning, also where few observations are "
        "informative at a given --prevalence, or where the binning error of --resolution may "
        "exceed the standard error.",
    ),
]

Level = Annotated[float, option("Uncertainty", "--level", default=0.95, help="Confidence level.")]

_KIND_HELP = f"Kind of interval and test; {', '.join(BOOTSTRAP_KINDS)}: with --variance bootstrap."

EstimateKind = Annotated[
    Kind | None,
    option(
        "Uncertainty",
        "--kind",
        help=_KIND_HELP,
        type=click.Choice((*ESTIMATE_KINDS, *BOOTSTRAP_KINDS)),
    ),
]

ComparisonKind = Annotated[
    Kind | None,
    option("Uncertainty", "--kind", help=_KIND_HELP, type=click.Choice(COMPARISON_KINDS)),
]

KindOfBand = Annotated[
    BandKind,
    option(
        "Uncertainty",
        "--kind",
        default="simultaneous",
        help="Whether coverage is for the whole range of FPR, or for each FPR separately.",
    ),
]

BandOfPoints = Annotated[
    bool | None,
    option(
        "Uncertainty",
        "--points/--no-points",
        default=None,
        help="Limits of the operating points of ratings, or a band along the FPR axis.  "
        "[default: points for ratings, of one classifier]",
    ),
]

Conservative = Annotated[
    bool,
    option(
        "Uncertainty",
        "--conservative",
        help="With --fold: double the variance of averages over folds, whose models share "
        "training rows.",
    ),
]

CovarianceOfFit = Annotated[
    Covariance,
    option(
        "Uncertainty",
        "--covariance",
        default="model",
        help="Standard errors from the information matrix of the model, or from the robust "
        "sandwich estimator.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ReaderMethod:
    """How a reader study is analysed."""

    fixed: Literal["readers", "cases"] | None = option(
        "Uncertainty",
        "--fixed",
        help="Restrict the conclusions to these readers, or cases.  [default: both are random]",
    )
    method: str = option(
        "Uncertainty",
        "--method",
        default="influence",
        type=click.Choice(MRMC_METHODS),
        help="Method of the covariances over cases.",
    )
    bootstrap: BootstrapOptions
    weights: ReaderWeights | None = option(
        "Uncertainty",
        "--weights",
        help="Weights of readers: equal, or the number of pairs of cases that they read.  "
        "[default: equal; with --method u-statistic pairs]",
    )
    pair: tuple[str, str] | None = option(
        "Uncertainty",
        "--pair",
        nargs=2,
        metavar="FIRST SECOND",
        help="The two modalities to compare, first minus second.  [default: all pairs]",
    )
    standalone: str | None = option(
        "Uncertainty",
        "--standalone",
        metavar="MODALITY",
        help="Modality whose only reader is not a sample of readers, such as an algorithm.",
    )
    conservative: bool = option(
        "Uncertainty",
        "--conservative",
        help="Use a standard error at least as large as that for fixed readers.",
    )
    force: bool = option(
        "Uncertainty",
        "--force",
        help="Report standard errors, with a warning, also where few cases are informative "
        "at a given --prevalence.",
    )

    def covariance_method(self) -> Any:
        """Return the method: its name, or an object with its options."""
        if self.method == "bootstrap":
            return self.bootstrap.build()
        self.bootstrap.refuse("method", self.method)
        return self.method


# Tests

_ALTERNATIVE = option("Test", "--alternative", default="two-sided", help="Alternative hypothesis.")


@dataclass(frozen=True, kw_only=True)
class DifferenceTest:
    """The hypotheses about a difference."""

    null: float = option(
        "Test", "--null", default=0.0, help="Difference under the null hypothesis."
    )
    alternative: Alternative = _ALTERNATIVE


@dataclass(frozen=True, kw_only=True)
class ComparisonTest(DifferenceTest):
    """The hypotheses about differences, and the adjustment of several p-values."""

    adjust: Adjustment = option(
        "Test",
        "--adjust",
        default="holm",
        type=click.Choice(ADJUSTMENTS),
        help="Adjustment of the p-values of several comparisons.",
    )


@dataclass(frozen=True, kw_only=True)
class ComparedClassifiers:
    """The classifiers that are compared."""

    pair: tuple[tuple[str, str], ...] = option(
        "Test",
        "--pair",
        nargs=2,
        multiple=True,
        type=str,
        metavar="FIRST SECOND",
        help="Two classifiers to compare, first minus second; repeat it for several pairs.  "
        "[default: all pairs]",
    )
    baseline: str | None = option(
        "Test",
        "--baseline",
        metavar="NAME",
        help="Compare every other classifier with this one, and adjust p-values for these "
        "comparisons alone.",
    )


@dataclass(frozen=True, kw_only=True)
class FamilyTest:
    """The hypotheses about a family of regions, and the computation of the global p-value."""

    null: float | None = option(
        "Test",
        "--null",
        help="Value under the null hypothesis.  [default: 0 for a difference, else the value of "
        "uninformative scores]",
    )
    alternative: Alternative = _ALTERNATIVE
    draws: int = option(
        "Test",
        "--draws",
        type=click.IntRange(min=1000),
        default=100_000,
        help="Number of draws of the largest statistic; --seed makes them reproducible.",
    )


@dataclass(frozen=True, kw_only=True)
class PlannedTest:
    """The hypothesis and the precision that a study is planned for."""

    difference: float | None = option(
        "Test", "--difference", help="True difference of two classifiers.  [default: the pilot's]"
    )
    value: float | None = option(
        "Test", "--value", help="True value of one classifier.  [default: the pilot's]"
    )
    null: float | None = option(
        "Test",
        "--null",
        help="Value of one classifier, or difference of two, under the null hypothesis.  "
        "[default of two: 0]",
    )
    alpha: float | None = option(
        "Test", "--alpha", help="Significance level of the test.  [default: 0.05]"
    )
    alternative: Alternative = _ALTERNATIVE
    level: float | None = option(
        "Uncertainty", "--level", help="Confidence level of the interval.  [default: 0.95]"
    )
    kind: AnalyticKind | None = option(
        "Uncertainty",
        "--kind",
        type=click.Choice(tuple(ESTIMATE_KINDS)),
        help="Kind of interval and test of one classifier.  [default: that of pauci estimate]",
    )


PlannedPositives = Annotated[
    int, option("Test", "--n-pos", required=True, help="Planned number of positives.")
]
PlannedNegatives = Annotated[
    int, option("Test", "--n-neg", required=True, help="Planned number of negatives.")
]
Power = Annotated[
    float | None, option("Test", "--power", help="Desired power of the test.  [default: 0.8]")
]
Ratio = Annotated[
    float | None, option("Test", "--ratio", help="Negatives per positive.  [default: the pilot's]")
]
Width = Annotated[
    float | None,
    option("Uncertainty", "--width", help="Desired width of the interval, instead of a test."),
]


# Output


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Destination and format of results."""

    form: str | None = option(
        "Output",
        "--format",
        type=click.Choice(documents.FORMATS),
        help="Format of the output.  [default: by the suffix of --output, or text]",
    )
    style: StyleName | None = option(
        "Output",
        "--style",
        help="Style of the numbers in markdown, latex, html, docx and xlsx: plain, or that of "
        "journals.  [default: plain]",
    )
    output: str | None = option(
        "Output",
        "--output",
        metavar="FILE",
        help="Write to FILE, such as table.docx, instead of printing.",
    )

    def checked(self) -> Output:
        """Return the destination of results, after checks that require no calculation."""
        form = self.form
        if form is None and self.output is not None:
            form = ENDS.get(Path(self.output).suffix.lower())
            if form is None:
                raise InputError.of(
                    "output",
                    self.output,
                    f"does not end in one of {', '.join(ENDS)}, which determine the format.",
                    hint=f"Use one of these, or --format.{_other_form(self.output)}",
                )
        if self.output is not None:
            check_writable(self.output, "output")
        form = "text" if form is None else form
        if form in documents.DOCUMENTS:
            if self.output is None:
                raise InputError(
                    f"--format {form} requires a file: --output table.{form}.",
                    argument="format",
                    value=form,
                )
            check_suffix(self.output, "output", f".{form}")
            (docx if form == "docx" else xlsx).check_installed()
        if self.style is not None and form not in documents.PAGES:
            raise InputError.of(
                "style", self.style, f"applies to {', '.join(documents.PAGES)}, not to {form}."
            )
        return Output(form, "plain" if self.style is None else self.style, self.output)


_FIGURES = tuple(f".{form}" for form in FORMATS)


def _other_form(file: str) -> str:
    """Return an alternative to some common formats in which tables are not written."""
    end = Path(file).suffix.lower()
    context = click.get_current_context(silent=True)
    draws = context is not None and any("--plot" in p.opts for p in context.command.params)
    if end in _FIGURES and draws:
        return f" Figures are drawn by --plot {shortened(file)}."
    if end in (".xls", ".ods", ".parquet"):
        return " Spreadsheets read .xlsx."
    return " Word processors can read .docx." if end in (".doc", ".odt", ".rtf", ".pdf") else ""


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """The page of a report."""

    output: str = option(
        "Output",
        "--output",
        required=True,
        metavar="FILE.html",
        help="File of the page, or of a Word document with the same content (.docx).",
    )
    title: str | None = option(
        "Output", "--title", help="Title of the page.  [default: measures, classifiers]"
    )
    style: StyleName = option(
        "Output", "--style", default="plain", help="Style of the numbers in tables."
    )


_ENDS_OF_FIGURES = ".png, .svg, .pdf, .tiff or .eps"

Dpi = Annotated[
    int | None,
    option(
        "Output",
        "--dpi",
        metavar="N",
        help="Resolution of a figure of pixels (.png, .tiff).  [default: 300]",
    ),
]


def _figure(drawn: str, details: str = "", flag: str = "--plot") -> Any:
    return option(
        "Output",
        flag,
        metavar="FILE",
        help=f"Draw {drawn} to a file that ends in {_ENDS_OF_FIGURES}{details}.",
    )


PlotOfEstimates = Annotated[
    str | None,
    _figure(
        "the result",
        ": the curves with the region of the measure, or for several measures a forest plot",
    ),
]
PlotOfGroups = Annotated[str | None, _figure("the measures of the groups")]
PlotOfFamily = Annotated[str | None, _figure("the estimates or differences along the family")]
PlotOfBand = Annotated[str | None, _figure("the band")]
PlotOfRisks = Annotated[
    str | None, _figure("ROC curve, calibration, net benefit and distribution of the risks")
]
PlotOfFits = Annotated[str | None, _figure("the fitted curves with the empirical points")]
PlotOfPoints = Annotated[str | None, _figure("the ROC curves with the points")]
PlotOfCutoff = Annotated[
    str | None, _figure("the criterion, or the rates, against the cut-off, with its interval")
]
PlotOfReaders = Annotated[
    str | None, _figure("the differences of the first two modalities, reader by reader,")
]
CurvesOfReaders = Annotated[
    str | None, _figure("the ROC curves of the readers and their averages", flag="--curves")
]

PrintPoints = Annotated[
    bool, option("Output", "--points", help="Print the operating points of each table as well.")
]
