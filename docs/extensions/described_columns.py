"""The columns of data frames: `COLUMNS` has the meaning of each, as a sentence, by its name."""

COLUMNS: dict[str, str] = {}


def _add(name: str, meaning: str) -> None:
    COLUMNS[name] = meaning


# What a row is about
_add("classifier", "Name of the classifier.")
_add("first", "Name of the first classifier, group or modality of a difference.")
_add("second", "Name of the second one, which is subtracted.")
_add("quantity", "Name of the quantity.")
_add("group", "The group of the rows; empty for all rows.")
_add("cohort", "Name of the cohort, or of two cohorts whose difference it is.")
_add("false_marks", "Number of false marks per image.")
_add("reader", "Name of the reader.")
_add("modality", "Name of the modality.")
_add("study", "Name of the study, or the mean, or a new study with its prediction interval.")
_add("block", "Number of the block of readers who read the same cases.")
_add("measure", "Symbol of the measure.")
_add("aspect", "Discrimination, calibration or net benefit.")
_add("parameter", "Name of the parameter of a fitted curve.")
_add("model", "Model of the fitted curve.")
_add("hypothesis", "The null hypothesis in words.")
_add("rule", "Rule by which the cut-off is chosen.")
_add("by", "Axis of the groups along the curve: fpr, tpr, threshold or rank.")
_add("groups", "Number of groups that are compared.")

# Regions and points of the curve
_add("region", "The region in words.")
_add("axis", "Axis on which the region is defined.")
_add("x", "The end of the region that varies.")
for axis, words in (
    ("fpr", "the false positive rates of the region"),
    ("tpr", "the true positive rates of the region"),
    ("threshold", "the scores in the region"),
    ("region", "the region on its axis"),
):
    _add(f"{axis}_low", f"Lower end of {words}.")
    _add(f"{axis}_high", f"Upper end of {words}.")
_add("fpr", "False positive rate.")
_add("tpr", "True positive rate.")
_add("threshold", "Scores from this one are positive; below it if lower scores are positive.")
_add("asked", "Rate or threshold for which the point was requested.")
_add("target", "Value that was requested.")
_add("undefined", "Why the measure is undefined in the group.")

# Numbers with their uncertainty
_add("value", "The estimate.")
_add("difference", "First minus second.")
_add(
    "rescaled",
    "A partial area as an average rate, or a normalized partial area as an area.",
)
_add("se", "Standard error.")
_add("weight", "Weight of the study in the mean; the weights add up to 1.")
_add("df", "Degrees of freedom; infinite for the normal distribution.")
_add("low", "Lower end of the confidence interval.")
_add("high", "Upper end of the confidence interval.")
_add("level", "Confidence level of the intervals.")
_add("kind", "Kind of the interval, or of the interval that a test inverts.")
_add("simultaneous_low", "Lower end of the simultaneous interval.")
_add("simultaneous_high", "Upper end of the simultaneous interval.")
_add("correlation", "Correlation of the two estimates.")
_add("bias", "Estimate of the bias, from the bootstrap or the jackknife.")
_add("width", "Expected width of the interval.")

# Tests
_add("statistic", "Test statistic; in tables of risks, the name of the statistic.")
_add("pvalue", "p-value.")
_add("p_adjusted", "p-value adjusted for several tests.")
_add("null", "Value under the null hypothesis.")
_add("alternative", "Alternative hypothesis: two-sided, greater or less.")
_add("f", "F statistic.")
_add("df_denominator", "Denominator degrees of freedom of the F distribution.")
_add("chi_squared", "Statistic of the test of goodness of fit.")
_add("imputations", "Number of completed data sets over which results are pooled.")
_add("missing_information", "Fraction of the information that is missing.")
_add("loglik", "Log-likelihood of the fitted curve.")
_add("rank", "Rank of the estimate; 1 is the best.")
_add("rank_low", "Smallest rank of the simultaneous confidence set.")
_add("rank_high", "Largest rank of the simultaneous confidence set.")
_add("among_best", "Whether it is among the best: yes, possible or no.")
_add("best", "Number of ranks that count as the best.")
_add("error_of_pvalue", "Monte Carlo standard error of the p-value.")
_add("exact", "Whether all permutations were evaluated.")
_add("n_undefined", "Number of permutations in which the statistic is undefined.")
_add("power", "Power of the test.")
_add("alpha", "Significance level.")

# Methods and data
_add("variance", "Method of the standard errors.")
_add("scheme", "Scheme of the bootstrap.")
_add("n_resamples", "Number of bootstrap samples or permutations.")
_add("n_draws", "Number of draws of the distribution of the largest statistic.")
_add("seed", "Seed of the random numbers.")
_add("conservative", "Whether the variance of averages over folds is doubled.")
_add("paired", "Whether both classifiers scored the same rows.")
_add("design", "Sampling design: cohort or case-control.")
_add("n_pos", "Number of positives.")
_add("n_neg", "Number of negatives.")
_add("effective_size", "Effective sample size at the specified prevalence.")
_add("dropped", "Number of rows dropped for missing values.")
_add("left_out", "Number of rows left out because of other labels.")
_add("assumption", "Assumptions of a plan without a pilot; empty for a pilot study.")
_add("cautions", "Warnings about the row; empty if there are none.")
for name in ("value", "design", "n_pos", "n_neg", "dropped", "left_out"):
    of_one = COLUMNS[name].removesuffix(".")
    for which in ("first", "second"):
        _add(f"{name}_{which}", f"{of_one}, of the {which} estimate.")

# Points of the curve, and cut-offs
_add("true_positives", "Number of positives that are called positive.")
_add("false_positives", "Number of negatives that are called positive.")
_add("false_negatives", "Number of positives that are called negative.")
_add("true_negatives", "Number of negatives that are called negative.")
_add("distance", "Distance of the point from perfect separation, at FPR 0 and TPR 1.")
_add("probability", "Risk threshold of the net benefit.")
for name, words in (
    ("sensitivity", "Sensitivity"),
    ("specificity", "Specificity"),
    ("ppv", "Positive predictive value"),
    ("npv", "Negative predictive value"),
    ("kappa", "Cohen's kappa"),
    ("lr_pos", "Positive likelihood ratio"),
    ("lr_neg", "Negative likelihood ratio"),
    ("youden", "Sensitivity plus specificity minus 1"),
    ("cutoff", "Cut-off"),
    ("apparent", "Value of the measure at the cut-off, on the data that chose it"),
    ("honest", "Value of the measure at the cut-off, cross-fitted"),
):
    _add(name, f"{words}.")
    phrase = words[0].lower() + words[1:] if words[1].islower() else words
    phrase = phrase.replace("cohen", "Cohen")
    _add(f"{name}_low", f"Lower end of the confidence interval of: {phrase}.")
    _add(f"{name}_high", f"Upper end of the confidence interval of: {phrase}.")

# Readers and cases
_add("n_readers", "Number of readers.")
_add("se_fixed_readers", "Standard error for these readers alone.")
_add("distinct_scores", "Number of distinct scores.")
_add("readers", "Number of readers.")
_add("positives", "Number of positive cases.")
_add("negatives", "Number of negative cases.")
_add("error", "Variance of a reader in a modality, over cases.")
_add("cov1", "Covariance of one reader in two modalities.")
_add("cov2", "Covariance of two readers in one modality.")
_add("cov3", "Covariance of two readers in two modalities.")
_add("ms_reader", "Mean square of readers.")
_add("ms_reader_by_modality", "Mean square of readers by modalities.")
_add("reader_by_modality", "Variance component of readers by modalities.")
_add("r1", "Correlation of one reader in two modalities: cov1 / error.")
_add("r2", "Correlation of two readers in one modality: cov2 / error.")
_add("r3", "Correlation of two readers in two modalities: cov3 / error.")
