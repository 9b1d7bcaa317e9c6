"""The columns of tables and data frames: the heading, the format and the meaning of each.

`COLUMNS` describes every column of the data frames of results, by its name. The headings and cells
of tables (`pauci.results.layout`) and the list of columns in the documentation follow from it.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from pauci.tables import table as tables

Format = Callable[[Any, float, bool], tables.Cell]
"""The cell of a value, the standard error for its decimals, and whether it cannot exceed 1."""


class Described(NamedTuple):
    """What a column is."""

    meaning: str
    """A sentence for the documentation."""
    heading: tables.RichText
    cell: Format


def _empty_if_nan(cell: Callable[[float], tables.Cell]) -> Format:
    return lambda value, *_: None if math.isnan(value) else cell(value)


_FORMATS: dict[str, Format] = {
    "name": lambda value, *_: None if value is None else tables.Verbatim(str(value)),
    "text": lambda value, *_: value,
    "number": lambda value, error, unit: tables.Number(float(value), error, unit),
    "count": lambda value, *_: tables.Count(value),
    "statistic": _empty_if_nan(tables.StatisticCell),
    "share": _empty_if_nan(lambda value: tables.StatisticCell(value, unit=True)),
    "p-value": _empty_if_nan(tables.PValue),
    "degrees of freedom": lambda df, *_: tables.Degrees(df) if math.isfinite(df) else None,
    "null": lambda v, _, unit: None if math.isnan(v) else tables.Fixed(f"{v:g}", unit),
}

COLUMNS: dict[str, Described] = {}


def _add(
    name: str, meaning: str, form: str = "text", heading: tables.RichText | None = None
) -> None:
    """Add a column; its heading is by default its name without underscores."""
    COLUMNS[name] = Described(meaning, heading or name.replace("_", " "), _FORMATS[form])


# What a row is about
_add("classifier", "Name of the classifier.", "name")
_add("first", "Name of the first classifier, group or modality of a difference.", "name")
_add("second", "Name of the second one, which is subtracted.", "name")
_add("quantity", "Name of the quantity.", "name")
_add("group", "The group of the rows; empty for all rows.", "name")
_add("false_marks", "Number of false marks per image.", "share")
_add("reader", "Name of the reader.", "name")
_add("modality", "Name of the modality.", "name")
_add("block", "Number of the block of readers who read the same cases.")
_add("measure", "Symbol of the measure.")
_add("aspect", "Discrimination, calibration or net benefit.")
_add("parameter", "Name of the parameter of a fitted curve.")
_add("model", "Model of the fitted curve.")
_add("hypothesis", "The null hypothesis in words.")
_add("rule", "Rule by which the cut-off is chosen.")
_add("by", "Axis of the groups along the curve: fpr, tpr, threshold or rank.")
_add("groups", "Number of groups that are compared.", "count")

# Regions and points of the curve
_add("region", "The region in words.")
_add("axis", "Axis on which the region is defined.")
_add("x", "The end of the region that varies.", "number")
for axis, words in (
    ("fpr", "the false positive rates of the region"),
    ("tpr", "the true positive rates of the region"),
    ("threshold", "the scores in the region"),
    ("region", "the region on its axis"),
):
    _add(f"{axis}_low", f"Lower end of {words}.", "number")
    _add(f"{axis}_high", f"Upper end of {words}.", "number")
_add("fpr", "False positive rate.", "number", "FPR")
_add("tpr", "True positive rate.", "number", "TPR")
_add("threshold", "Scores from this one are positive; below it if lower scores are positive.")
_add("asked", "Rate or threshold for which the point was requested.")
_add("target", "Value that was requested.", "number")
_add("undefined", "Why the measure is undefined in the group.")

# Numbers with their uncertainty
_add("value", "The estimate.", "number", "estimate")
_add("difference", "First minus second.", "number")
_add("se", "Standard error.", "number", tables.Symbol("SE"))
_add("df", "Degrees of freedom; infinite for the normal distribution.", "degrees of freedom")
COLUMNS["df"] = COLUMNS["df"]._replace(heading=tables.Symbol("df"))
_add("low", "Lower end of the confidence interval.", "number")
_add("high", "Upper end of the confidence interval.", "number")
_add("level", "Confidence level of the intervals.", "share")
_add("kind", "Kind of the interval, or of the interval that a test inverts.")
_add("simultaneous_low", "Lower end of the simultaneous interval.", "number")
_add("simultaneous_high", "Upper end of the simultaneous interval.", "number")
_add("correlation", "Correlation of the two estimates.", "share")
_add("bias", "Estimate of the bias, from the bootstrap or the jackknife.", "number")
_add("width", "Expected width of the interval.", "number")

# Tests
_add("statistic", "Test statistic; in tables of risks, the name of the statistic.", "statistic")
_add("pvalue", "p-value.", "p-value", tables.Symbol("p"))
_add(
    "p_adjusted",
    "p-value adjusted for several tests.",
    "p-value",
    ("adjusted ", tables.Symbol("p")),
)
_add("null", "Value under the null hypothesis.", "null")
_add("alternative", "Alternative hypothesis: two-sided, greater or less.")
_add("f", "F statistic.", "statistic", tables.Symbol("F"))
_add(
    "df_denominator",
    "Denominator degrees of freedom of the F distribution.",
    "degrees of freedom",
    (tables.Symbol("df"), " 2"),
)
_add("chi_squared", "Statistic of the test of goodness of fit.", "statistic")
_add("imputations", "Number of completed data sets over which results are pooled.", "count")
_add("missing_information", "Fraction of the information that is missing.", "share")
_add("loglik", "Log-likelihood of the fitted curve.", "statistic")
_add("error_of_pvalue", "Monte Carlo standard error of the p-value.", "number")
_add("exact", "Whether all permutations were evaluated.")
_add("n_undefined", "Number of permutations in which the statistic is undefined.", "count")
_add("power", "Power of the test.", "share")
_add("alpha", "Significance level.", "share")

# Methods and data
_add("variance", "Method of the standard errors.")
_add("scheme", "Scheme of the bootstrap.")
_add("n_resamples", "Number of bootstrap samples or permutations.", "count")
_add("n_draws", "Number of draws of the distribution of the largest statistic.", "count")
_add("seed", "Seed of the random numbers.", "count")
_add("conservative", "Whether the variance of averages over folds is doubled.")
_add("paired", "Whether both classifiers scored the same rows.")
_add("design", "Sampling design: cohort or case-control.")
_add("n_pos", "Number of positives.", "count", "positives")
_add("n_neg", "Number of negatives.", "count", "negatives")
_add("effective_size", "Effective sample size at the specified prevalence.", "number")
_add("dropped", "Number of rows dropped for missing values.", "count")
_add("left_out", "Number of rows left out because of other labels.", "count")
_add("cautions", "Warnings about the row; empty if there are none.")
for name in ("value", "design", "n_pos", "n_neg", "dropped", "left_out"):
    of_one = COLUMNS[name].meaning.removesuffix(".")
    for which in ("first", "second"):
        _add(f"{name}_{which}", f"{of_one}, of the {which} estimate.")

# Points of the curve, and cut-offs
_add("true_positives", "Number of positives that are called positive.", "count")
_add("false_positives", "Number of negatives that are called positive.", "count")
_add("false_negatives", "Number of positives that are called negative.", "count")
_add("true_negatives", "Number of negatives that are called negative.", "count")
_add("distance", "Distance of the point from perfect separation, at FPR 0 and TPR 1.", "number")
_add("probability", "Risk threshold of the net benefit.", "number")
for name, words, heading in (
    ("sensitivity", "Sensitivity", "sensitivity"),
    ("specificity", "Specificity", "specificity"),
    ("ppv", "Positive predictive value", "PPV"),
    ("npv", "Negative predictive value", "NPV"),
    ("kappa", "Cohen's kappa", "kappa"),
    ("lr_pos", "Positive likelihood ratio", "LR+"),
    ("lr_neg", "Negative likelihood ratio", "LR-"),
    ("youden", "Sensitivity plus specificity minus 1", "Youden"),
    ("cutoff", "Cut-off", "cut-off"),
    ("apparent", "Value of the measure at the cut-off, on the data that chose it", "apparent"),
    ("honest", "Value of the measure at the cut-off, cross-fitted", "honest"),
):
    _add(name, f"{words}.", "number", heading)
    phrase = words[0].lower() + words[1:] if words[1].islower() else words
    phrase = phrase.replace("cohen", "Cohen")
    _add(f"{name}_low", f"Lower end of the confidence interval of: {phrase}.", "number")
    _add(f"{name}_high", f"Upper end of the confidence interval of: {phrase}.", "number")

# Readers and cases
_add("n_readers", "Number of readers.", "count")
_add("se_fixed_readers", "Standard error for these readers alone.", "number")
_add("distinct_scores", "Number of distinct scores.", "count")
_add("readers", "Number of readers.", "count")
_add("positives", "Number of positive cases.", "count")
_add("negatives", "Number of negative cases.", "count")
_add("error", "Variance of a reader in a modality, over cases.", "number")
_add("cov1", "Covariance of one reader in two modalities.", "number")
_add("cov2", "Covariance of two readers in one modality.", "number")
_add("cov3", "Covariance of two readers in two modalities.", "number")
_add("ms_reader", "Mean square of readers.", "number")
_add("ms_reader_by_modality", "Mean square of readers by modalities.", "number")
_add("reader_by_modality", "Variance component of readers by modalities.", "number")
_add("r1", "Correlation of one reader in two modalities: cov1 / error.", "number")
_add("r2", "Correlation of two readers in one modality: cov2 / error.", "number")
_add("r3", "Correlation of two readers in two modalities: cov3 / error.", "number")
