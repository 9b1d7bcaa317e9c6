"""Deliberate faults, which the tests must detect.

Usage: python tests/faults.py [NAME ...]

Each fault replaces a short text that occurs exactly once in a folder of the package. The faults are
applied to a copy of the checkout, one at a time, and the tests listed with the fault are run there.
A fault is caught if they fail; the exit status is 1 if any fault survives. Names select faults, or
all faults of a folder; without names all are run, which takes about an hour. If code is changed,
`tests/project/test_faults.py` reports the texts that no longer exist and have to be updated.
"""

import ast
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Fault(NamedTuple):
    """An edit that replaces `old` by `new` in the only file under `folder` that contains it."""

    name: str
    folder: str
    old: str
    new: str
    tests: str


JOINED_DIFFERENCES = "tests/results/test_joined_differences.py"
DOCUMENTS = "tests/results/test_documents.py"
INFLUENCE = "tests/variance/test_influence.py"
DELTA = "tests/variance/test_delta.py"
MOMENTS = "tests/variance/test_moments.py"
RUNS = "tests/curve/test_runs.py"
UNTIED = "tests/curve/test_sorting.py"
KAPPA = "tests/measures/test_kappa.py"
PRECISION = "tests/measures/test_influence_values.py"
TWINS = "tests/project/test_twins.py"
CURVE = "tests/curve/test_polyline.py"
ANALYTIC = "tests/intervals/test_analytic.py"
RESAMPLED = "tests/intervals/test_resampled.py"
KERNELS = "tests/resampling/test_kernels.py"
STREAMS = "tests/resampling/test_streams.py"
COMPARE = "tests/inference/test_compare.py"
RULE = "tests/variance/test_rule.py"
BY_GROUP = "tests/inference/test_groups.py"
ENDS = "tests/results/test_estimated_ends.py"
MOVED = "tests/results/test_moved_ends.py"
EXTENDED = "tests/intervals/test_extended.py"
FREEDOM = "tests/variance/test_degrees_of_freedom.py"
CONTRIBUTIONS = "tests/variance/test_contributions.py"
ESTIMATED_WEIGHTS = "tests/variance/test_estimated_weights.py"
EQUAL_RESULTS = "tests/inference/test_equal_results.py"
RISKS = "tests/measures/test_risks.py"
MRMC = "tests/readers/test_mrmc.py"
APP_SERVER = "tests/cli/app/test_server.py"
MRMC_POWER = "tests/readers/test_power.py"
MRMC_RESAMPLED = "tests/readers/test_resampled.py"
READER_FIGURES = "tests/plot/test_reader_figures.py"
MRMC_CAUTIONS = "tests/readers/test_cautions.py"
COMPONENTS = "tests/readers/test_components.py"
SIMULATED = "tests/readers/test_simulated_studies.py"
STUDY = "tests/readers/test_study.py"
POWER_FORMULA = "tests/readers/test_power_formula.py"
U_STATISTIC = "tests/readers/test_u_statistic.py"
COMPARISONS = "tests/results/test_comparisons.py"
SCAN = "tests/analyses/test_scan.py"
GROUPS = "tests/measures/test_groups.py"
ROWS = "tests/sample/test_rows.py"
POINTS = "tests/analyses/test_operating_points.py"
CLI_POINTS = "tests/cli/test_points.py"
PERMUTATION = "tests/analyses/test_permutation.py"
UNSEEN = "tests/variance/test_pseudo_observations.py"
SHARES = "tests/measures/test_largest_share.py"
CAUTIONS = "tests/cautions/test_region_warnings.py"
SCORES = "tests/cautions/test_score_warnings.py"
SHARED = "tests/inference/test_shared_clusters.py"
CODES = "tests/sample/test_codes_and_labels.py"
DEGENERATE = "tests/results/test_degenerate.py"
LIMITS = "tests/results/test_limits.py"
FOLDS = "tests/inference/test_folds.py"
REPEATED = "tests/inference/test_repeated_folds.py"
AVERAGES = "tests/inference/test_averages_over_folds.py"
CONSERVATIVE = "tests/inference/test_conservative_folds.py"
CLI_DUCKDB = "tests/cli/test_duckdb_files.py"
CLI_FOLDS = "tests/cli/test_curves.py"
BAND = "tests/analyses/test_band.py"
LARGEST = "tests/analyses/test_largest_of_family.py"
NONCENTRAL = "tests/intervals/test_noncentral.py"
PROPORTIONS = "tests/intervals/test_proportions.py"
MID_P = "tests/intervals/test_mid_p.py"
MANY_LIMITS = "tests/intervals/test_many_limits.py"
JOINT_PROFILE = "tests/intervals/test_joint_profile.py"
LIMITS_AT_CUTOFFS = "tests/results/test_limits_at_cutoffs.py"
CUTOFF_COUNTS = "tests/variance/test_cutoff_counts.py"
STUDENT_T = "tests/intervals/test_student_t.py"
ROC_BAND = "tests/intervals/test_roc_band.py"
SIMULTANEOUS = "tests/intervals/test_simultaneous.py"
BACKENDS = "tests/backends/test_same_as_memory.py"
DIGITS = "tests/tables/test_digits.py"
SCORE_TYPES = "tests/sample/test_score_types.py"
TYPES_ON_ENGINES = "tests/backends/test_types_of_scores.py"
FITS = "tests/fits/test_reference_fits.py"
LARGE_TIES = "tests/curve/test_large_ties.py"
BINORMAL = "tests/variance/test_binormal.py"
OF_FITS = "tests/fits/test_measures_of_fits.py"
EFFECTS = "tests/fits/test_influence_of_fits.py"
GOODNESS = "tests/fits/test_goodness.py"

REPORT = "tests/report/test_report_options.py"
SLIDERS = "tests/report/test_cutoff_sliders.py"
PAGE = "tests/report/test_report_page.py"
PAGE_BY_GROUP = "tests/report/test_report_by_group.py"
LAYOUT = "tests/results/test_layout.py"

CELLS = "tests/backends/test_resolution.py"
EQUAL_CELLS = "tests/backends/test_cells.py"
ZEROS = "tests/backends/test_zero_weights.py"

CALLS = "tests/project/test_calls.py"
CHECKERS = "tests/typing/test_checkers.py"

CUTOFF_SETS = "tests/cutoffs/test_best_set.py"
CUTOFF_OPTIMISM = "tests/cutoffs/test_optimism.py"
CUTOFF_RULES = "tests/cutoffs/test_rules.py"
CUTOFF_CRITERIA = "tests/cutoffs/test_criteria.py"
CUTOFF_TABLES = "tests/cutoffs/test_cutoff.py"

FAULTS = [
    Fault(
        "comparisons of cut-offs ignore the class sizes",
        "cutoffs",
        "ratio = (c.n_pos * c.by_fpr, c.n_neg * c.by_tpr)",
        "ratio = (c.by_fpr, c.by_tpr)",
        CUTOFF_SETS,
    ),
    Fault(
        "both cut-offs of a group add the sizes of the group",
        "cutoffs",
        '{row["group"]: row.of.sizes for row in view.rows}.values()',
        "[row.of.sizes for row in _first_rows(view)]",
        CUTOFF_TABLES,
    ),
    Fault(
        "a cut-off below all scores is drawn at the high end",
        "cutoffs",
        '_position(row, "cutoff", math.inf),',
        'abs(_position(row, "cutoff", math.inf)),',
        CUTOFF_TABLES,
    ),
    Fault(
        "cut-offs at a specificity between the scores of a fold",
        "cutoffs",
        "return np.asarray(fewer.sum(axis=-1))",
        "return np.asarray(last[..., 0])",
        CUTOFF_RULES,
    ),
    Fault(
        "the maximum of the PPV as a criterion",
        "cutoffs",
        "if kind.degenerate_maximum:",
        'if kind.degenerate_maximum and name != "PPV":',
        CUTOFF_CRITERIA,
    ),
    Fault(
        "optimism in fewer observations than all",
        "cutoffs",
        "mean = total / repeats * ((folds - 1) / folds) ** rule.order_of_optimism",
        "mean = total / repeats",
        CUTOFF_OPTIMISM,
    ),
    Fault(
        "optimism of the folds without their sizes",
        "cutoffs",
        "total[i] += float((size * rate - above).sum() / size.sum())",
        "total[i] += float((rate - above / size).mean())",
        CUTOFF_OPTIMISM,
    ),
    # wrong arguments, at run time and in type checkers
    Fault(
        "methods of measures raise the TypeError of Python",
        "measures",
        "        validate_methods(cls)",
        "        del cls",
        CALLS,
    ),
    Fault(
        "constructors of named tuples without built-in names",
        "",
        'if not names.get("__builtins__"):',
        "if False:",
        CALLS,
    ),
    Fault(
        "a nested function treated as a method",
        "",
        '"." in function.__qualname__ and first in',
        "first in",
        CALLS,
    ),
    Fault(
        "regions typed as Any",
        "",
        "tuple[Bound, Bound] | list[float] | list[int] | AnyArray",
        "Any",
        CHECKERS,
    ),
    Fault(
        "result for one measure not typed",
        "inference",
        ") -> Estimate | MaybeSeveral: ...",
        ") -> MaybeSeveral: ...",
        CHECKERS,
    ),
    Fault(
        "result for two samples not typed",
        "inference",
        'samples: "tuple[Sample, Sample] | tuple[CurveFit, CurveFit]",',
        'samples: "tuple[CurveFit, CurveFit]",',
        CHECKERS,
    ),
    # slopes next to large ties, and areas near 1
    Fault(
        "curves are not cut at large ties", "curve", "if low < fpr < high:", "if False:", LARGE_TIES
    ),
    Fault(
        "rise between large ties not rescaled",
        "curve",
        "inside * rise / (high - low)",
        "inside / (high - low)",
        LARGE_TIES,
    ),
    Fault(
        "one slope beside a large tie",
        "curve",
        "max(estimate, near_tie.spread_slope())",
        "estimate",
        LARGE_TIES,
    ),
    Fault(
        "spread of heights over half an error",
        "curve",
        "rises = self._rises(1.0)",
        "rises = self._rises(0.5)",
        LARGE_TIES,
    ),
    Fault(
        "no corner at a large tie",
        "curve",
        "scale = _RatingScale.near_large_tie(curve, axis, bound)",
        "pass",
        LARGE_TIES,
    ),
    Fault(
        "large ties determined from the larger class",
        "curve",
        ("(table.rows_pos, table.rows_neg),\n        strict=True,"),
        "(max(table.rows_pos, table.rows_neg),) * 2, strict=True,",
        LARGE_TIES,
    ),
    Fault(
        "intervals truncated at the limit without the Wald interval",
        "results",
        "(limit, wald) if observed else (limit,)",
        "(limit,)",
        "tests/variance/test_pseudo_observations.py",
    ),
    Fault(
        "binormal variance omitted",
        "results",
        "if self.binormal_se > self.se:",
        "if False:",
        BINORMAL,
    ),
    Fault(
        "binormal variance divided by the size of the other class",
        "variance",
        "_variance(influence.pos, np.diff(above_pos)) / n_pos",
        "_variance(influence.pos, np.diff(above_pos)) / n_neg",
        BINORMAL,
    ),
    # covariance
    Fault(
        "class mean not subtracted",
        "variance",
        "block.influence[i] - mean",
        "block.influence[i] - 0.0",
        INFLUENCE,
    ),
    Fault(
        "divisor n instead of n - 1",
        "variance",
        "math.sqrt(n / (n - 1.0)) / m",
        "1.0 / m",
        INFLUENCE,
    ),
    Fault(
        "divisor n in the prevalence term",
        "variance",
        "correction = math.sqrt(all_units / (all_units - 1.0)) / mass",
        "correction = 1.0 / mass",
        INFLUENCE,
    ),
    Fault(
        "means of blocks ignored",
        "variance",
        "products + n[:, :, None] * (d[:, :, None] * d[:, None, :])",
        "products",
        MOMENTS,
    ),
    Fault(
        "third powers of blocks ignored",
        "variance",
        "fourth + 4.0 * d * third + 6.0",
        "fourth + 6.0",
        MOMENTS,
    ),
    Fault(
        "rows of a class in one tie group taken for separate groups",
        "resampling",
        "untied = (codes[:, 1:] > codes[:, :-1]).all(axis=1)",
        "untied = (codes[:, 1:] >= codes[:, :-1]).all(axis=1)",
        "tests/resampling/test_kernels.py",
    ),
    Fault(
        "the last rows of a block left out of an average precision",
        "resampling",
        "for k in range(_ZERO, rows, _FOUR):",
        "for k in range(_ZERO, rows - _THREE, _FOUR):",
        "tests/resampling/test_kernels.py",
    ),
    Fault("shift without the third powers", "variance", "4.0 * third + h", "h", MOMENTS),
    Fault(
        "a row tied with the next block",
        "curve",
        "part = keys[max(block.start - 1, 0) : block.stop + 1]",
        "part = keys[block]",
        RUNS,
    ),
    Fault(
        "neighbouring doubles of a class taken for separate rows",
        "curve",
        "if not (ends.take(at).all() and ends.take(at + 1).all()):",
        "if False:",
        RUNS,
    ),
    Fault(
        "an empty run before the first row",
        "curve",
        "return int(self.before[1] == 0)",
        "return 0",
        RUNS,
    ),
    Fault(
        "the first score of a run as its threshold",
        "curve",
        "self.ordered_scores.at(sum(self.at(group + 1)) - 1)",
        "self.ordered_scores.at(sum(self.at(group)))",
        RUNS,
    ),
    Fault(
        "runs of two rows and empty runs counted as single rows",
        "variance",
        "single = occupied == units",
        "single = counts.size == units",
        RUNS,
    ),
    Fault(
        "a row of the class in the last run",
        "curve",
        "label == self.label and steps.stop < self.steps",
        "label == self.label",
        RUNS,
    ),
    Fault(
        "a row tied with the row below it",
        "curve",
        "and ends_group[at[at > 0] - 1].all()",
        "",
        RUNS,
    ),
    Fault("a row after the last run", "curve", "of_class[-1] -= 1", "pass", RUNS),
    Fault(
        "counts without the last value of the eight before",
        "curve",
        "within[7:-8:8]",
        "within[6:-8:8]",
        UNTIED,
    ),
    Fault(
        "the rows of a class in the step after theirs",
        "curve",
        "np.subtract(small(stop - 1), step",
        "np.subtract(small(stop), step",
        RUNS,
    ),
    Fault(
        "rows of a run below the row after it",
        "curve",
        "(others[1:] if label == self.label else others[:-1]) * factor",
        "others[1:] * factor",
        RUNS,
    ),
    Fault(
        "labels packed after those of the last block",
        "curve",
        "packed = self.bits[block.start // 8 :",
        "packed = self.bits[block.start // 16 :",
        RUNS,
    ),
    Fault(
        "a step with several positives counted as one in an average precision",
        "measures",
        "inverse *= gained",
        "pass",
        PRECISION,
    ),
    Fault(
        "a negative as likely as a positive in the influence on an average precision",
        "measures",
        "complement *= odds",
        "pass",
        PRECISION,
    ),
    Fault(
        "0/0 in an average precision",
        "measures",
        "return predicted if positive else np.maximum(predicted, _SMALLEST)",
        "return predicted",
        "tests/measures/test_precision.py",
    ),
    Fault(
        "the rows of a swapped table one step too early",
        "curve",
        "np.append(neg[-2::-1], neg[-1:]), pos[::-1]",
        "neg[::-1], pos[::-1]",
        RUNS,
    ),
    Fault(
        "sums of single rows that start again in each block",
        "curve",
        "np.add(cumulative_counts(positive), low,",
        "np.add(cumulative_counts(positive), 0,",
        UNTIED,
    ),
    Fault(
        "a level that is reached taken for one that is exceeded",
        "curve",
        'level, side) + (side == "right")',
        "level, side)",
        UNTIED,
    ),
    Fault(
        "ties of the other class among single rows",
        "curve",
        "if not ties_of_others:",
        "if False:",
        UNTIED,
    ),
    Fault(
        "a class of two rows tabulated by runs",
        "sample",
        "min(rows.counts) >= 3",
        "min(rows.counts) >= 1",
        RUNS,
    ),
    Fault(
        "the bits of negative numbers sorted as integers",
        "curve",
        "    floats.sort()\n",
        "    keys.sort()\n",
        UNTIED,
    ),
    Fault(
        "decimal thresholds compared in double precision",
        "curve",
        "return in_score_type(threshold, self.score_type)",
        "return threshold",
        SCORE_TYPES,
    ),
    Fault(
        "codes of missing values compared in double precision",
        "backends",
        "return [in_type_of(v, dtype) for",
        "return [v for",
        TYPES_ON_ENGINES,
    ),
    Fault(
        "products of counts above the range of 64 bits",
        "curve",
        "2 * n_pos * n_neg > LARGEST_EXACT",
        "2 * n_pos * n_neg > 8 * LARGEST_EXACT",
        UNTIED,
    ),
    Fault(
        "the end of a merged group repeated in the next block",
        "curve",
        "both != np.append(last, both[:-1])",
        "both != np.append(0, both[:-1])",
        UNTIED,
    ),
    Fault(
        "a last single group omitted from merged groups",
        "curve",
        "if last < self.size:",
        "if last < self.size - 1:",
        UNTIED,
    ),
    Fault(
        "negative zero sorted as equal to zero",
        "curve",
        "if zeros.size > 1 and zeros.min() < 0:",
        "if False:",
        UNTIED,
    ),
    Fault(
        "the sums of later blocks omitted from two sums at once",
        "curve",
        "both[-1] += below",
        "pass",
        "tests/curve/test_exact_sums.py",
    ),
    Fault(
        "limits without ties that are integrals",
        "measures",
        "integral + (end - start) / (12.0 * n**2)",
        "integral",
        KAPPA,
    ),
    Fault(
        "kappa by runs although negatives are tied",
        "sample",
        "self._by_runs(label, before, ends, untied=untied)",
        "self._by_runs(label, before, ends, untied=True)",
        KAPPA,
    ),
    Fault(
        "ties ignored after an estimate by runs",
        "sample",
        "isinstance(table, RunTable) and table.untied",
        "isinstance(table, RunTable)",
        KAPPA,
    ),
    Fault(
        "no panel after the last negative of a block",
        "measures",
        "panels[-1] = max(panels[-1], 1)",
        "pass",
        KAPPA,
    ),
    Fault(
        "positives before the first panel of a block",
        "measures",
        "np.append(sums[:1], after).take(self._ends)",
        "after.take(self._ends - 1)",
        KAPPA,
    ),
    Fault("panels of a divided run at its start", "measures", "start += skipped", "pass", KAPPA),
    Fault(
        "kappa by runs in large steps",
        "measures",
        "_steepness(shares) <= _LARGEST_STEP * n_neg",
        "n_neg > 0",
        KAPPA,
    ),
    Fault("long runs in one panel", "measures", "_TOLERANCE = 1e-13", "_TOLERANCE = 1e-5", TWINS),
    Fault(
        "runs of kappa without curvature",
        "measures",
        "(self._width * self._width + 2.0 * step**2)",
        "(self._width * self._width)",
        TWINS,
    ),
    Fault(
        "the curvature of the FPR slope of kappa",
        "measures",
        "bend *= 3.0 * ratio",
        "bend *= ratio",
        TWINS,
    ),
    Fault(
        "the curvature of the TPR slope of kappa",
        "measures",
        "(2.0 * at.denominator_by_tpr) * at.inverse",
        "at.denominator_by_tpr * at.inverse",
        TWINS,
    ),
    Fault(
        "the curvature of the prevalence slope of kappa",
        "measures",
        "sums += (-0.5 / at.share**2) * bend * change",
        "pass",
        TWINS,
    ),
    Fault(
        "the influence of a negative at the middle of its panel",
        "measures",
        "(at.difference - half) * at.inverse",
        "at.difference * at.inverse",
        TWINS,
    ),
    Fault(
        "the panels of a run with equal weights",
        "measures",
        "weights = np.maximum(self._rows, 1)",
        "weights = np.ones_like(self._rows)",
        TWINS,
    ),
    Fault("weights omitted", "variance", "z *= block.weight", "z *= 1.0", INFLUENCE),
    Fault(
        "rows counted instead of clusters",
        "variance",
        "return float(np.count_nonzero(np.bincount(counted)))",
        "return float(counted.size)",
        INFLUENCE,
    ),
    Fault(
        "degrees of freedom without the factor 2",
        "variance",
        "2.0 * variance**2 / var_of_variance",
        "variance**2 / var_of_variance",
        INFLUENCE,
    ),
    Fault("kurtosis not centred", "variance", "fourth - second**2 / units", "fourth", INFLUENCE),
    Fault(
        "Welch's bound with n instead of n - 1",
        "variance",
        "second**2 / (units - 1.0)",
        "second**2 / units",
        INFLUENCE,
    ),
    Fault(
        "degrees of freedom of a sum instead of a difference",
        "variance",
        "total - z[i] if w == -1.0 else",
        "total + z[i] if w == -1.0 else",
        FREEDOM,
    ),
    Fault(
        "clusters of one row treated as clusters",
        "sample",
        "self.clusters != sum(self.counts)",
        "self.clusters != 0",
        FREEDOM,
    ),
    Fault(
        "tie groups beyond a region omitted",
        "curve",
        "rows[-1] += of_class - cum.item(-1)",
        "rows[-1] += 0",
        INFLUENCE,
    ),
    Fault(
        "the larger of two degrees of freedom",
        "variance",
        "np.asarray(self.df)[np.flatnonzero(weights)].min()",
        "np.asarray(self.df)[np.flatnonzero(weights)].max()",
        FREEDOM,
    ),
    Fault(
        "degrees of freedom from the clusters of the larger class",
        "sample",
        "return min(self.units) - 1.0",
        "return max(self.units) - 1.0",
        FREEDOM,
    ),
    Fault(
        "cohort treated as a case-control sample",
        "variance",
        'if rows.design == "cohort" else 0.0 for t in terms',
        "* 0.0 for t in terms",
        INFLUENCE,
    ),
    Fault(
        "large differences treated as rounding errors",
        "variance",
        "CANCELLED = 1e-14",
        "CANCELLED = 1e-3",
        f"{COMPARE} {COMPARISONS}",
    ),
    Fault(
        "delta with divisor n - 1",
        "variance",
        "dot(weighted, second) / n**2",
        "dot(weighted, second) / n / (n - 1)",
        DELTA,
    ),
    Fault(
        "delta without the variance of the prevalence",
        "variance",
        "(share * (1.0 - share) / n)",
        "(0.0 / n)",
        DELTA,
    ),
    # pseudo-observations
    Fault(
        "pseudo-observations at levels with enough observations",
        "variance",
        "max(1.0 - n * s / _MIN_OBSERVATIONS, 0.0) * (u - mean) ** 2",
        "(u - mean) ** 2",
        UNSEEN,
    ),
    Fault(
        "pseudo-observations with divisor n^2",
        "variance",
        "sum(squares) / (n * (n + 1.0))",
        "sum(squares) / (n * n)",
        UNSEEN,
    ),
    Fault(
        "levels of pseudo-observations not centred",
        "variance",
        "mean = sum(s * u for s, u in zip(shares, levels, strict=True))",
        "mean = 0.0",
        UNSEEN,
    ),
    Fault(
        "pseudo-observations of the wrong class",
        "variance",
        "n_pos, n_neg = term.ratings.rows.units",
        "n_neg, n_pos = term.ratings.rows.units",
        UNSEEN,
    ),
    Fault(
        "common ends of adjacent regions not cancelled",
        "measures",
        "factor = w * end.factor + (",
        "factor = abs(w * end.factor) + (",
        UNSEEN,
    ),
    Fault(
        "pseudo-observations of two classifiers correlated",
        "variance",
        "correlation[i, j] = correlation[j, i] = 0.0",
        "correlation[i, i] = 1.0",
        UNSEEN,
    ),
    Fault(
        "no correction for few observations inside a range of scores",
        "variance",
        "np.sqrt(1.0 + 1.0 / k)",
        "np.sqrt(1.0 + 0.0 / k)",
        UNSEEN,
    ),
    Fault(
        "degrees of freedom of a local c without subtracting 1",
        "variance",
        "np.maximum(problem.support, 1.0) - 1.0, 1.0)",
        "np.maximum(problem.support, 1.0), 1.0)",
        UNSEEN,
    ),
    # largest ratios
    Fault(
        "largest ratio for another step",
        "measures",
        "(x2 - x1 + right * (1.0 - x2)) / (far",
        "(x2 - x1 + right * (1.0 - x1)) / (far",
        SHARES,
    ),
    Fault(
        "largest ratio of a TPR region not mirrored",
        "measures",
        "x1, x2, right = 1.0 - x2, 1.0 - x1, 1.0 - right",
        "right = 1.0 - right",
        SHARES,
    ),
    # folds
    Fault(
        "units of parts with weight 0 counted",
        "variance",
        "sorted({k for i in np.flatnonzero(weights).tolist() for k in self._parts_of[i]})",
        "list(range(len(self.parts)))",
        RULE,
    ),
    Fault(
        "common units of the largest part counted twice",
        "variance",
        "self._sums_of_parts[key] - self._sums(of_part, [k], units)[0][0]",
        "self._sums_of_parts[key]",
        CONTRIBUTIONS,
    ),
    Fault(
        "samples with shared clusters treated as independent",
        "inference",
        "cluster = np.concatenate(numbers)",
        "cluster = np.arange(sum(n.size for n in numbers))",
        SHARED,
    ),
    Fault(
        "labels of single-row clusters in the order of clusters",
        "sample",
        "self.cluster_labels[self.cluster]",
        "self.cluster_labels",
        "tests/inference/test_shared_clusters.py",
    ),
    Fault(
        "variances of folds averaged once instead of twice",
        "variance",
        "np.hstack([np.eye(len(parts.problems[0])) / count] * count)",
        "np.hstack([np.eye(len(parts.problems[0])) / count**0.5] * count)",
        FOLDS,
    ),
    Fault(
        "degenerate averages not detected",
        "cautions",
        "if average.degenerate and average.binomial is None:",
        "if False:",
        FOLDS,
    ),
    Fault(
        "folds of repeats summed instead of averaged",
        "variance",
        "+= of_part_sums / len(parts)",
        "+= of_part_sums",
        REPEATED,
    ),
    Fault(
        "a cluster omitted from one fold at a time",
        "variance",
        "members.units)] += of_part_sums",
        "members.units)] = of_part_sums",
        REPEATED,
    ),
    Fault(
        "effects of omitted rows with the opposite sign",
        "variance",
        "z *= -np.sqrt((n - 1.0) / n)",
        "z *= np.sqrt((n - 1.0) / n)",
        REPEATED,
    ),
    Fault(
        "clusters drawn separately for each fold",
        "resampling",
        "if rows.cluster is not None and self.clusters is None:",
        "if cluster is not None:",
        REPEATED,
    ),
    Fault(
        "block size taken from the fold",
        "resampling",
        "draws = self.clusters",
        "draws = self.base[0].positive.size",
        REPEATED,
    ),
    Fault(
        "folds without a class counted in an average",
        "resampling",
        "np.divide(sums, shares, out=means, where=shares > 0.0)",
        "np.divide(sums, 1.0, out=means, where=shares > 0.0)",
        REPEATED,
    ),
    Fault(
        "one-sided tests of average precision warn below 61 positives",
        "cautions",
        "_FEWEST_FOR_ONE_SIDED_TEST = 60",
        "_FEWEST_FOR_ONE_SIDED_TEST = 61",
        "tests/cautions/test_region_warnings.py",
    ),
    Fault(
        "average precision not corrected in folds",
        "measures",
        "replace(self, corrected=True) if self.corrected is None",
        "replace(self, corrected=True) if self.corrected is False",
        "tests/inference/test_folds.py",
    ),
    Fault(
        "influence values of corrected average precision with n instead of n - 1",
        "measures",
        "(table.total_pos - 1) * (value - pos)",
        "table.total_pos * (value - pos)",
        "tests/variance/test_jackknife.py",
    ),
    Fault(
        "the correction ignored in the bias of a corrected value",
        "variance",
        "0.0 if measure == measure.estimand else result.value - value",
        "0.0",
        "tests/variance/test_jackknife.py",
    ),
    Fault(
        "small folds defined by 5 instead of 10 rows",
        "cautions",
        "_FEWEST_IN_FOLD = 10",
        "_FEWEST_IN_FOLD = 5",
        REPEATED,
    ),
    Fault(
        "biases of folds summed",
        "variance",
        "None if terms.bias is None else weights @ terms.bias",
        "None if terms.bias is None else count * weights @ terms.bias",
        REPEATED,
    ),
    Fault(
        "conservative covariance not doubled",
        "inference",
        "matrix=INFLATION * averages.matrix",
        "matrix=averages.matrix",
        CONSERVATIVE,
    ),
    Fault(
        "conservative pseudo-variance not doubled",
        "inference",
        "INFLATION * pseudo",
        "pseudo",
        CONSERVATIVE,
    ),
    Fault(
        "replicates inflated by the factor of the variance",
        "inference",
        "_Inflated(replicates, math.sqrt(INFLATION))",
        "_Inflated(replicates, INFLATION)",
        CONSERVATIVE,
    ),
    Fault(
        "conservative averages not marked",
        "inference",
        "replace(e, conservative=conservative) for e",
        "replace(e, conservative=False) for e",
        CONSERVATIVE,
    ),
    Fault(
        "deviates of folds independent in repetitions without variance",
        "inference",
        "correlation, correlation + agreed)",
        "correlation, correlation)",
        AVERAGES,
    ),
    Fault(
        "limits in folds not widened for clusters in a fold",
        "inference",
        "effects = np.sqrt(common.diagonal() / counts.sum(axis=1))",
        "effects = np.ones(len(parts))",
        AVERAGES,
    ),
    Fault(
        "cells at a cut-off of rows on a backend from the negatives first",
        "variance",
        "cells = [c for d in decisions for c in ((d, none), (none, d))]",
        "cells = [c for d in decisions for c in ((none, d), (d, none))]",
        "tests/backends/test_same_as_memory.py",
    ),
    Fault(
        "limits of folds averaged without their correlation",
        "results",
        "terms, deviates())",
        "terms, np.eye(len(terms)))",
        AVERAGES,
    ),
    Fault(
        "conservative rejected if one of several samples has no folds",
        "inference",
        "all(not s.rows.has_folds for s in samples)",
        "any(not s.rows.has_folds for s in samples)",
        CONSERVATIVE,
    ),
    Fault(
        "conservative limit intervals with all pairs",
        "results",
        "return INFLATION if self.conservative else 1.0",
        "return 1.0",
        CONSERVATIVE,
    ),
    Fault(
        "second moments of inflated replicates scaled as first ones",
        "intervals",
        "Moments(factor**2 * second",
        "Moments(factor * second",
        CONSERVATIVE,
    ),
    Fault(
        "variances of inflated replicates not scaled",
        "intervals",
        "_ScaledVariance(self.variances, factor**2)",
        "self.variances",
        CONSERVATIVE,
    ),
    Fault(
        "biases of inflated replicates inflated",
        "intervals",
        "            as_drawn=self,",
        "            as_drawn=None,",
        CONSERVATIVE,
    ),
    Fault(
        "warning about single reversed folds",
        "inference",
        "if not isinstance(w, ReversedScoresWarning)",
        "if w is not None",
        AVERAGES,
    ),
    Fault(
        "no warning about reversed folds",
        "inference",
        "warn_if_reversed([fold.sample.ratings(name) for fold in folds])",
        "pass",
        AVERAGES,
    ),
    Fault(
        "a ratio by a number that may be 0",
        "inference",
        "if low <= zero <= high:",
        "if low == zero:",
        CAUTIONS,
    ),
    Fault(
        "basic intervals without a warning",
        "intervals",
        'if kind == "basic":',
        "if False:",
        "tests/intervals/test_resampled.py",
    ),
    Fault(
        "noise called reversed scores",
        "cautions",
        "return auc if estimate.interval().high < 0.5 else None",
        "return auc",
        SCORES,
    ),
    Fault("reversed identifiers", "cautions", "if last in _IDENTIFIERS or", "if", SCORES),
    Fault(
        "averages without the clusters of the smaller class",
        "variance",
        "limit = min(limit, members.limit)",
        "pass",
        RULE,
    ),
    Fault(
        "support of the smallest fold instead of the sum",
        "inference",
        "support=math.fsum(e.support for e in parts)",
        "support=min(e.support for e in parts)",
        AVERAGES,
    ),
    Fault(
        "largest effective size of the folds",
        "inference",
        "min(sizes) if sizes",
        "max(sizes) if sizes",
        AVERAGES,
    ),
    Fault(
        "largest bounds of the folds",
        "inference",
        "mean([e.bounds.high for e in parts])",
        "max([e.bounds.high for e in parts])",
        AVERAGES,
    ),
    Fault(
        "cautions of single folds not combined",
        "cautions",
        "or misranked >= 1.0",
        "or misranked >= 9.0",
        CAUTIONS,
    ),
    Fault(
        "third moments of averages scaled as second ones",
        "intervals",
        "factor**3 * third",
        "factor**2 * third",
        RESAMPLED,
    ),
    # scans
    Fault(
        "fewest observations of the other class",
        "analyses",
        "units[0 if positives else 1]",
        "units[1 if positives else 0]",
        SCAN,
    ),
    Fault(
        "fewest observations of the larger sample",
        "analyses",
        "n = min(s.rows.units",
        "n = max(s.rows.units",
        SCAN,
    ),
    Fault(
        "regions from 0 start above the corner",
        "curve",
        '"south-west" if self.low == 0 else self.ends',
        "self.ends",
        "tests/curve/test_region.py",
    ),
    Fault(
        "PPV without the estimated prevalence",
        "measures",
        "both * fpr, tpr * fpr * factor",
        "both * fpr, 0.0 * factor",
        "tests/measures/test_at_cutoff.py",
    ),
    Fault(
        "a threshold excludes its own score for negatives",
        "measures",
        "influence.neg[: point.group] = slopes.fpr",
        "influence.neg[: point.group - 1] = slopes.fpr",
        "tests/measures/test_at_cutoff.py",
    ),
    Fault(
        "chosen points treated as smooth",
        "measures",
        "region.is_chosen or (region.has",
        "(region.has",
        "tests/variance/test_jackknife.py",
    ),
    Fault("points counted from one side", "curve", "min(self.at, 1 - self.at)", "self.at", SCAN),
    Fault(
        "regions with standard error 0 omitted from a family",
        "results",
        "cov[zero_se, zero_se] = 1.0",
        "cov[zero_se, zero_se] = 0.0",
        LARGEST,
    ),
    Fault(
        "the smallest statistic for equal p-values",
        "analyses",
        "np.lexsort((-size, ",
        "np.lexsort((size, ",
        LARGEST,
    ),
    Fault(
        "scans of differences without their null",
        "analyses",
        "_chance_value(m) if against_chance else null or 0.0",
        "_chance_value(m) if against_chance else 0.0",
        LARGEST,
    ),
    # bands
    Fault(
        "critical value from FPRs with standard error 0 alone",
        "analyses",
        "return max(quantile(errors), quantile(_bridge(fpr)))",
        "return quantile(_bridge(fpr))",
        LARGEST,
    ),
    Fault(
        "errors of one of two independent samples",
        "analyses",
        "matrix = errors.matrix + others.matrix",
        "matrix = errors.matrix",
        LARGEST,
    ),
    Fault(
        "the design effects of the first classifier for both",
        "analyses",
        "effects = [errors.effect(0, grid), errors.effect(1, grid)]",
        "effects = [errors.effect(0, grid), errors.effect(0, grid)]",
        LARGEST,
    ),
    Fault(
        "both rates of a scale on one tail",
        "analyses",
        "special.betaincinv(np.maximum(count, TINY), rest + 1.0, tail)",
        "special.betaincinv(np.maximum(count, TINY), rest + 1.0, 2.0 * tail)",
        BAND,
    ),
    Fault(
        "shares above thresholds taken for independent",
        "analyses",
        "np.asarray(low * (1.0 - high))",
        "np.asarray(np.diag(np.diag(low * (1.0 - high))))",
        BAND,
    ),
    Fault(
        "bands not monotone",
        "analyses",
        "low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]",
        "low, high = low, high",
        BAND,
    ),
    Fault(
        "bands of perfect classifiers without uncertainty",
        "analyses",
        "if not (np.diag(errors) > CANCELLED).all():",
        "if False:",
        BAND,
    ),
    Fault(
        "the band of a difference without the correlation",
        "intervals",
        "signed[:, None] * signed[None] * correlation",
        "signed[:, None] * signed[None] * (correlation == 1.0)",
        BAND,
    ),
    Fault(
        "design effects below 1",
        "analyses",
        "np.clip(ratios, 1.0, largest)",
        "np.minimum(ratios, largest)",
        BAND,
    ),
    Fault(
        "design effects computed from rounding errors",
        "analyses",
        "deviation[np.abs(deviation) <= _ROUNDING * np.abs(u).max()] = 0.0",
        "pass",
        BAND,
    ),
    Fault(
        "design effects with the divisor n",
        "analyses",
        "float(mass @ deviation**2) / (n - 1.0)",
        "float(mass @ deviation**2) / n",
        BAND,
    ),
    Fault(
        "bands that ignore clusters",
        "intervals",
        "(rows / effect * np.ones(fpr.size) for",
        "(rows * np.ones(fpr.size) for",
        BAND,
    ),
    # fits
    Fault(
        "information without second derivatives",
        "fits",
        "inner**2 - jump * second[0, 0]",
        "inner**2",
        FITS,
    ),
    Fault(
        "degrees of freedom that count fixed parameters",
        "fits",
        "df = counts.shape[1] - 3 + sum(fixed)",
        "df = counts.shape[1] - 3",
        FITS,
    ),
    Fault(
        "variance of a parameter at its bound",
        "fits",
        "_without_fixed(np.asarray(np.linalg.inv(self.maximum.efficient)), self.maximum.fixed)",
        "np.asarray(np.linalg.inv(self.maximum.efficient))",
        FITS,
    ),
    Fault(
        "slow convergence to a bound treated as no fit",
        "fits",
        "any(abs(a) < _NEAR_ZERO for a, _ in end_points)",
        "False",
        FITS,
    ),
    Fault(
        "fits to the same rows treated as independent",
        "fits",
        "groups.setdefault(id(fit.rows), []).append(i)",
        "groups.setdefault(i, []).append(i)",
        OF_FITS,
    ),
    Fault(
        "prevalence of a cohort treated as known for fits",
        "fits",
        "Influence(zeros, zeros, 1.0)",
        "Influence(zeros, zeros, 0.0)",
        OF_FITS,
    ),
    Fault(
        "influence on fits scaled by the other class",
        "fits",
        "zip(values, totals, strict=True))",
        "zip(values, totals[::-1], strict=True))",
        EFFECTS,
    ),
    Fault(
        "neighbouring categories of both classes merged",
        "fits",
        "(kind[1:] != kind[:-1]) | (kind[1:] == 3)",
        "kind[1:] != kind[:-1]",
        EFFECTS,
    ),
    Fault(
        "neighbouring categories of different classes merged",
        "fits",
        "(groups[0, at] > 0) * 2 + (groups[1, at] > 0)",
        "(groups[0, at] > 0) * 1 + (groups[1, at] > 0) * 1",
        EFFECTS,
    ),
    Fault(
        "groups of the goodness of fit by the ends of tie groups",
        "fits",
        "mass[::-1].cumsum()[::-1] - mass / 2.0",
        "mass[::-1].cumsum()[::-1] - 1e-9 * mass",
        GOODNESS,
    ),
    Fault(
        "groups of the goodness of fit by one class",
        "fits",
        "mass = masses.sum(axis=0)",
        "mass = masses[0]",
        GOODNESS,
    ),
    Fault(
        "goodness of fit of weights without a correction",
        "fits",
        "adjusted = squares * trace / trace_of_square",
        "adjusted = squares",
        GOODNESS,
    ),
    Fault(
        "goodness of fit without estimated parameters",
        "fits",
        "np.eye(scale.size) - np.dot(basis, basis.T)",
        "np.eye(scale.size)",
        GOODNESS,
    ),
    Fault(
        "goodness of fit of infinitely many clusters",
        "fits",
        "nu * rows.cluster_df)",
        "math.inf)",
        GOODNESS,
    ),
    Fault(
        "no warning about a rejected fit",
        "fits",
        "return self.p < REJECTED",
        "return False",
        GOODNESS,
    ),
    Fault("robust covariance ignored", "fits", 'self.covariance == "robust" or ', "", GOODNESS),
    Fault(
        "estimates of a rejected fit without its caution",
        "inference",
        "replace(e, se=se, cautions=cautions[i])",
        "replace(e, se=se)",
        GOODNESS,
    ),
    Fault(
        "interval of a fitted area with 5 degrees of freedom",
        "fits",
        "self.auc, self.auc_se, 0.0, 1.0, math.inf",
        "self.auc, self.auc_se, 0.0, 1.0, 5.0",
        EFFECTS,
    ),
    Fault(
        "Metz and Pan's c with the opposite sign",
        "fits",
        "(self.b - 1.0) / (self.b + 1.0)",
        "(1.0 - self.b) / (self.b + 1.0)",
        EFFECTS,
    ),
    Fault(
        "fifty categories merged",
        "fits",
        "merged = int(filled.sum()) > MAX_UNMERGED",
        "merged = int(filled.sum()) >= MAX_UNMERGED",
        EFFECTS,
    ),
    # readers and cases
    Fault(
        "variance between readers with divisor n",
        "readers",
        "math.sqrt(n / (n - 1.0)) * residuals",
        "residuals",
        MRMC,
    ),
    Fault(
        "pairs of one reader included in those of different readers",
        "readers",
        "products[~same].sum()",
        "products.sum()",
        MRMC,
    ),
    Fault(
        "degrees of freedom of readers with n instead of n - 1",
        "readers",
        "denominator = among**2 / (min(n) - 1.0)",
        "denominator = among**2 / min(n)",
        MRMC,
    ),
    Fault(
        "pairs of one reader counted among those of different ones",
        "readers",
        "* pairs / (pairs - shared)",
        "",
        MRMC,
    ),
    Fault(
        "separate readers of two modalities treated as the same",
        "readers",
        "disjoint = len(readers) == 2 and not readers[0] & readers[1]",
        "disjoint = False",
        MRMC,
    ),
    Fault(
        "a standalone algorithm without its own variance over cases",
        "readers",
        "if a.standalone or b.standalone:",
        "if False:",
        MRMC,
    ),
    Fault(
        "negative covariance of cases not truncated",
        "readers",
        "max(self._shared_cases(signs, contrast), 0.0)",
        "self._shared_cases(signs, contrast)",
        COMPONENTS,
    ),
    Fault(
        "contrasts without their number of pairs",
        "results",
        "min(q.pairs for q in members)",
        "math.inf",
        READER_FIGURES,
    ),
    Fault(
        "standalone reader included in averages",
        "readers",
        "for c in result.cells if c.modality != result.standalone}",
        "for c in result.cells}",
        MRMC,
    ),
    Fault(
        "estimates and averages with Wald intervals",
        "results",
        'return "logit"',
        'return "wald"',
        MRMC,
    ),
    Fault(
        "averages with more degrees of freedom than the cases have",
        "readers",
        "df = min(df, case_range.df)",
        "df = max(df, case_range.df)",
        MRMC,
    ),
    Fault(
        "limit of fixed cases from the number of positives",
        "readers",
        "return CaseRange(scale, float(cells.size), math.inf)",
        "return CaseRange(scale, float(self.study.n_pos), math.inf)",
        MRMC,
    ),
    Fault(
        "warning about reader parts that are not improbably small",
        "readers",
        "_IMPROBABLE = 0.2",
        "_IMPROBABLE = 0.6",
        MRMC,
    ),
    Fault(
        "component of readers by modalities without covariances of cases",
        "readers",
        "interaction = ms_rm - error + cov1 + max(cov2 - cov3, 0.0)",
        "interaction = ms_rm - error + cov1",
        COMPONENTS,
    ),
    Fault(
        "component of readers with covariances of cases",
        "readers",
        "reader_component = (ms_r - ms_rm) / m - cov1 + cov3",
        "reader_component = (ms_r - ms_rm) / m",
        COMPONENTS,
    ),
    Fault(
        "one tail instead of two in the power of a t test",
        "intervals",
        "rejected = rejected + special.ndtr(-shift - critical * s)",
        "pass",
        NONCENTRAL,
    ),
    Fault(
        "noncentral t without weights of the chi distribution",
        "intervals",
        "weights @ rejected, 1.0",
        "rejected.mean(), 1.0",
        NONCENTRAL,
    ),
    Fault(
        "NaN compared by identity",
        "",
        "(a != a and b != b)",
        "a is b",
        "tests/results/test_equality.py",
    ),
    Fault(
        "F test without the variance of cases",
        "readers",
        "ms + (readers * max(cov2 - cov3, 0.0) if",
        "ms + (0.0 if",
        COMPONENTS,
    ),
    Fault(
        "inclusion without exclusion",
        "readers",
        "(-1.0) ** len(kind) * sums[kind]",
        "sums[kind]",
        U_STATISTIC,
    ),
    Fault(
        "ties counted as concordant pairs",
        "readers",
        "int(products.sum(dtype=np.int64)) / 4.0",
        "int(products.sum(dtype=np.int64)) / 2.0",
        U_STATISTIC,
    ),
    Fault(
        "covariance of a difference of U-statistics counted once",
        "readers",
        "- 2.0 * cross.covariance,",
        "- cross.covariance,",
        U_STATISTIC,
    ),
    Fault(
        "degrees of freedom of a U-statistic without the factor less one",
        "readers",
        "max(self.numbers[f], 1) ** 3",
        "max(self.numbers[f], 1) ** 2",
        "tests/readers/test_published.py",
    ),
    Fault(
        "readers of different blocks share cases",
        "readers",
        "shared = pairs * _nonnegative(cov2 - cov3)",
        "shared = _nonnegative(cov2 - cov3)",
        MRMC_POWER,
    ),
    Fault(
        "each block reads all cases of the next study",
        "readers",
        "assumptions.cases * design.blocks / design.cases",
        "assumptions.cases / design.cases",
        MRMC_POWER,
    ),
    Fault(
        "degrees of freedom of nested readers",
        "readers",
        "df = 2.0 * (r - 1)",
        "df = r - 1.0",
        MRMC_POWER,
    ),
    Fault(
        "covariances of a pilot include readers without common cases",
        "readers",
        "~same_reader & same_modality & same_block",
        "~same_reader & same_modality",
        MRMC_POWER,
    ),
    Fault(
        "cases drawn in another order than read",
        "resampling",
        "position[self._order] = np.arange(position.size)",
        "position[:] = self._order",
        MRMC_RESAMPLED,
    ),
    Fault(
        "clusters split by the bootstrap",
        "resampling",
        "times[:, cluster]",
        "times[:, np.sort(cluster)]",
        MRMC_RESAMPLED,
    ),
    Fault(
        "caution of the best cell instead of the worst",
        "readers",
        "worst = max(entries",
        "worst = min(entries",
        MRMC_CAUTIONS,
    ),
    Fault(
        "error although force=True",
        "readers",
        "check_prevalence(measure, cell.ratings, size, force=force)",
        "check_prevalence(measure, cell.ratings, size, force=False)",
        MRMC_CAUTIONS,
    ),
    Fault(
        "fixed cases without degrees of freedom",
        "readers",
        "ReaderVariance(among, df(among), fixed,",
        "ReaderVariance(among, math.inf, fixed,",
        SIMULATED,
    ),
    Fault(
        "degrees of freedom of the smaller variance",
        "readers",
        "self.df * ratio**2",
        "self.df",
        SIMULATED,
    ),
    Fault(
        "the test of fixed readers without its rank",
        "readers",
        "f_test(test.statistic / test.df",
        "f_test(test.statistic",
        COMPONENTS,
    ),
    Fault(
        "component of readers of one modality without covariances of cases",
        "readers",
        "reader_component = ms_r - error + cov2",
        "reader_component = ms_r - error",
        SIMULATED,
    ),
    Fault(
        "blocks require more than half of the cases in common",
        "readers",
        "2.0 * both >= np",
        "2.0 * both > np",
        STUDY,
    ),
    Fault(
        "no warning if the variance is slightly below that of fixed readers",
        "readers",
        "self.variance < self.fixed_readers * (1.0 - 1e-9)",
        "self.variance < self.fixed_readers * 0.7",
        COMPONENTS,
    ),
    Fault(
        "fewer degrees of freedom than the fewest factor",
        "readers",
        "max(self.covariance**2 / denominator, fewest) if",
        "self.covariance**2 / denominator if",
        U_STATISTIC,
    ),
    Fault(
        "sparse studies classified as a named design",
        "readers",
        "sparse = missing > int(read.sum())",
        "sparse = missing > 2 * int(read.sum())",
        STUDY,
    ),
    Fault(
        "modalities crossed with half of the cases in common",
        "readers",
        "share >= 0.9 for",
        "share >= 0.5 for",
        STUDY,
    ),
    Fault(
        "variance of standalone algorithms with fixed cases",
        "readers",
        "fixed if self.random_cases else 0.0",
        "fixed",
        SIMULATED,
    ),
    Fault(
        "remaining readers assigned to one block",
        "readers",
        "sizes[: r % design.blocks] += 1",
        "sizes[:1] += r % design.blocks",
        POWER_FORMULA,
    ),
    # cautions
    Fault(
        "warning about a maximum whatever the error of the AUC",
        "cautions",
        "if auc - se < _LEAST_AUC_OF_A_MAXIMUM:",
        "if auc < _LEAST_AUC_OF_A_MAXIMUM:",
        CAUTIONS,
    ),
    Fault(
        "a warning about the area under the kappa curve",
        "measures",
        "fewest_effective: ClassVar[float] = FEWEST_FOR_SE",
        "fewest_effective: ClassVar[float] = 25.0",
        "tests/cautions/test_prevalence_warnings.py",
    ),
    Fault(
        "counts too small because of rounding",
        "cautions",
        "c.number < c.required - _ROUNDING",
        "c.number < c.required",
        CAUTIONS,
    ),
    Fault(
        "same requirement for ratios",
        "cautions",
        "if measure.is_ratio:",
        "if False:",
        CAUTIONS,
    ),
    Fault(
        "misranked observations of the other class",
        "cautions",
        'n = table.rows_pos if requirement.noun == "positives"',
        'n = table.rows_neg if requirement.noun == "positives"',
        CAUTIONS,
    ),
    Fault(
        "much smaller class defined by a factor of 4",
        "measures",
        "_MUCH_SMALLER = 5",
        "_MUCH_SMALLER = 4",
        CAUTIONS,
    ),
    Fault(
        "requirement of average precision for classes of similar size",
        "measures",
        "_SMALLER = 2\n",
        "_SMALLER = 1\n",
        CAUTIONS,
    ),
    Fault(
        "requirement of the part that needs less",
        "measures",
        "return max((n for n in needed if",
        "return min((n for n in needed if",
        CAUTIONS,
    ),
    Fault(
        "unequal samples determined by variances",
        "cautions",
        "return sum(1.0 / n for n in e.units)",
        "return e.se**2",
        CAUTIONS,
    ),
    Fault(
        "2 instead of 3 observations of a smaller class required inside",
        "cautions",
        "_FROM_A_CORNER = Fewest(3, 3, 5)",
        "_FROM_A_CORNER = Fewest(2, 2, 5)",
        CAUTIONS,
    ),
    Fault(
        "regions between two ends treated like others",
        "cautions",
        "return _FROM_A_CORNER if low == 0.0 or high == 1.0 else _BETWEEN_ENDS",
        "return _FROM_A_CORNER",
        CAUTIONS,
    ),
    Fault(
        "points treated like regions",
        "cautions",
        "if side.is_point:",
        "if False:",
        CAUTIONS,
    ),
    Fault(
        "ends near a corner not noticed",
        "measures",
        "round(n * min(low, 1.0 - high), _DIGITS) < 1.0",
        "n < 1.0",
        CAUTIONS,
    ),
    Fault(
        "misranked observations counted for a range of scores",
        "measures",
        "if self._region.scores or (self.has_binormal_floor",
        "if (self.has_binormal_floor",
        CAUTIONS,
    ),
    Fault("codes that occur once", "cautions", "_FEWEST_TIMES = 2", "_FEWEST_TIMES = 1", SCORES),
    Fault("codes at a distance of one range", "cautions", "_FAR = 10.0", "_FAR = 0.9", SCORES),
    Fault("codes close to other scores", "cautions", "_STEPS = 3.0", "_STEPS = 0.5", SCORES),
    Fault(
        "scales differ below half of the union",
        "cautions",
        "_LEAST_OVERLAP = 0.1",
        "_LEAST_OVERLAP = 0.5",
        SCORES,
    ),
    Fault(
        "one common cluster label ignored",
        "cautions",
        "if common:\n            yield",
        "if common[1:]:\n            yield",
        SHARED,
    ),
    Fault("codes in rows of excluded labels", "sample", ", [])) & wanted", ", []))", CODES),
    Fault(
        "excluded rows counted as missing",
        "sample",
        "included.size - kept.size - left_out",
        "included.size - kept.size",
        CODES,
    ),
    Fault(
        "standard errors of rounding size accepted",
        "results",
        "0.25 * width",
        "0.0 * width",
        DEGENERATE,
    ),
    Fault(
        "standard errors from one observation accepted",
        "results",
        "or self.support < 2.0",
        "or self.support < 1.0",
        DEGENERATE,
    ),
    Fault(
        "t distribution replaced too early",
        "intervals",
        "_LARGE_DF = 50.0",
        "_LARGE_DF = 40.0",
        ANALYTIC,
    ),
    # curve
    Fault("bandwidth", "curve", "_BANDWIDTH = 1.3", "_BANDWIDTH = 1.1", CURVE),
    Fault(
        "slope without the error of the end",
        "curve",
        "variance_of_end = fpr * (1.0 - fpr)",
        "variance_of_end = 1e-9 * (1.0 - fpr)",
        CURVE,
    ),
    Fault(
        "parabola without lower bound", "curve", "_MIN_PARABOLA = 0.9", "_MIN_PARABOLA = 0.0", CURVE
    ),
    Fault(
        "ten rows without tolerance for rounding",
        "curve",
        "(_CHORD_ROWS - 1e-9)",
        "_CHORD_ROWS",
        CURVE,
    ),
    # intervals
    Fault(
        "logit margin",
        "intervals",
        "self.se * (1.0 / above + 1.0 / below)",
        "self.se * (1.0 / above)",
        ANALYTIC,
    ),
    Fault(
        "Clopper-Pearson high end",
        "intervals",
        "betaincinv(hits + 1.0, misses, 1.0 - tail)",
        "betaincinv(hits, misses, 1.0 - tail)",
        ANALYTIC,
    ),
    Fault(
        "p-values without degrees of freedom",
        "intervals",
        "if math.isinf(df):\n        return 0.5 *",
        "if True:\n        return 0.5 *",
        COMPARE,
    ),
    Fault(
        "intervals without degrees of freedom",
        "intervals",
        "if math.isinf(df):\n        return -quantile",
        "if True:\n        return -quantile",
        COMPARE,
    ),
    Fault(
        "normal expansion of the t distribution at few degrees of freedom",
        "intervals",
        "_NEARLY_NORMAL = 500.0",
        "_NEARLY_NORMAL = 5.0",
        "tests/intervals/test_student_t.py",
    ),
    Fault(
        "largest statistic without degrees of freedom",
        "intervals",
        "if math.isfinite(self.df):",
        "if False:",
        COMPARISONS,
    ),
    Fault(
        "largest statistic one-sided",
        "intervals",
        "np.abs(values) if self.sides == 2 else values",
        "values",
        COMPARISONS,
    ),
    Fault(
        "probability of the largest statistic of a single test",
        "intervals",
        "float(min(max(simulated, single), self.count * single, 1.0))",
        "float(single)",
        COMPARISONS,
    ),
    # comparisons
    Fault(
        "Welch without the square in the numerator",
        "variance",
        "return total**2 / denominator",
        "return total / denominator",
        f"{COMPARE} {FREEDOM}",
    ),
    Fault(
        "covariance of a paired difference",
        "results",
        "float(products.trace()), float(products.sum())",
        "float(products.trace()), float(np.triu(products).sum())",
        COMPARE,
    ),
    Fault(
        "largest statistic of a family without degrees of freedom",
        "results",
        "two_sided=self._sides == 2, df=df",
        "two_sided=self._sides == 2",
        COMPARISONS,
    ),
    Fault(
        "simultaneous estimates on their own degrees of freedom",
        "results",
        "ends = self._ends(kind or self.analytic_kind, df)",
        "ends = self._ends(self.analytic_kind, self.df_used())",
        COMPARISONS,
    ),
    Fault(
        "adjusted p-values below the unadjusted",
        "results",
        "test.pvalue, self.largest.tail(statistics",
        "0.0, self.largest.tail(statistics",
        "tests/results/test_family.py",
    ),
    Fault(
        "limits that hold any null beyond the range",
        "intervals",
        "if null < self.low if below else null > self.high:",
        "if False:",
        "tests/results/test_inverted_intervals.py",
    ),
    Fault(
        "simultaneous intervals of a scan on one side",
        "results",
        "tails = self._sides * upper_tail",
        "tails = upper_tail",
        SCAN,
    ),
    Fault(
        "regions of a scan treated as independent",
        "results",
        "cov[zero_se, :] = cov[:, zero_se] = 0.0",
        "cov = np.diag(np.diagonal(cov)).copy()",
        SCAN,
    ),
    Fault(
        "ends at a rank fixed on the curve",
        "measures",
        "factors = by_tpr - along * share, by_fpr - along * (1.0 - share)",
        "factors = by_tpr, by_fpr",
        GROUPS,
    ),
    Fault(
        "an end at a rank without the prevalence",
        "measures",
        "prevalence=influence.prevalence - along * (point.tpr - point.fpr)",
        "prevalence=influence.prevalence",
        GROUPS,
    ),
    Fault(
        "predictive values of a group without the prevalence",
        "measures",
        "by_prevalence = derivatives[5] if self.prevalence is None else 0.0",
        "by_prevalence = 0.0",
        GROUPS,
    ),
    Fault(
        "Hotelling's F without its factor",
        "results",
        "self.statistic * self.df_denominator / (self.df * nu)",
        "self.statistic / self.df",
        COMPARISONS,
    ),
    Fault(
        "rank not limited by the number of clusters",
        "results",
        "full_rank if self.max_rank <= df < full_rank else df",
        "df",
        COMPARISONS,
    ),
    Fault(
        "rounding errors counted in the rank",
        "results",
        "eigenvalues > 1e-10 * len(self)",
        "eigenvalues > 1e-18 * len(self)",
        COMPARISONS,
    ),
    Fault(
        "small variances not counted in the rank",
        "results",
        "eigenvalues > 1e-10 * len(self)",
        "eigenvalues > 1e-7 * len(self)",
        COMPARISONS,
    ),
    Fault(
        "joint test without Bonferroni",
        "results",
        "len(pvalues) * min(pvalues)",
        "min(pvalues)",
        COMPARISONS,
    ),
    # random streams
    Fault(
        "rotation of SFC64 by 25 bits",
        "resampling",
        "(11, 3, 24, 64 - 24)",
        "(11, 3, 25, 64 - 25)",
        STREAMS,
    ),
    Fault(
        "all streams of a block from the same state",
        "resampling",
        "random = seeds.generate_state(3 * STREAMS, np.uint64)",
        "random = np.repeat(seeds.generate_state(3, np.uint64), STREAMS)",
        STREAMS,
    ),
    Fault(
        "counters that start at 2",
        "resampling",
        "np.ones(STREAMS, np.uint64)",
        "np.full(STREAMS, 2, np.uint64)",
        STREAMS,
    ),
    Fault(
        "states that are not advanced",
        "resampling",
        "states[k] = streams[k]",
        "states[k] = states[k]",
        f"{STREAMS} {KERNELS}",
    ),
    Fault(
        "an additional batch of words for some sizes",
        "resampling",
        "-(-sizes // (2 * BATCH))",
        "-(-sizes // (2 * BATCH)) + (sizes == 9_999)",
        STREAMS,
    ),
    Fault(
        "the upper half of a word is drawn first",
        "resampling",
        'words.view("<u4")',
        'words.view("<u4").reshape(-1, 2)[:, ::-1]',
        STREAMS,
    ),
    Fault(
        "draws after the end of a sample counted",
        "resampling",
        "np.where(unused, replicates * units, cells[last])",
        "np.where(unused, cells[last], cells[last])",
        STREAMS,
    ),
    Fault(
        "the middle of a step taken for half of the counts without numba",
        "resampling",
        "np.divide(both / 2 - before, across",
        "np.divide(both // 2 - before, across",
        KERNELS,
    ),
    Fault(
        "the first group of a piece counted twice without numba",
        "resampling",
        "first = start[0] + (start[1] > 0.0)\n        rows",
        "first = start[0]\n        rows",
        KERNELS,
    ),
    Fault(
        "the last draw of an odd number from a lower half",
        "resampling",
        "words[draws >> _ONE] & _LOWER",
        "words[draws >> _ONE] >> _HALF",
        STREAMS,
    ),
    Fault(
        "sums of seven counts in a word of eight",
        "resampling",
        "0x01_01_01_01_01_01_01_01",
        "0x00_01_01_01_01_01_01_01",
        KERNELS,
    ),
    Fault(
        "samples whose counts overflow",
        "resampling",
        "MOST_PER_UNIT = 4",
        "MOST_PER_UNIT = 5000",
        KERNELS,
    ),
    Fault(
        "rows of the other class up to the next group",
        "resampling",
        "codes + step, axis=1) for step in (0, 1)",
        "codes + step, axis=1) for step in (1, 1)",
        KERNELS,
    ),
    Fault(
        "sums beyond 32 bits",
        "resampling",
        "_MOST_SWEPT = 2**32 - 1",
        "_MOST_SWEPT = 2**63",
        "tests/resampling/test_bootstrap.py",
    ),
    # replicates
    Fault(
        "acceleration",
        "intervals",
        "(6.0 * m.second**1.5)",
        "(3.0 * m.second**1.5)",
        f"{RESAMPLED} tests/resampling/test_bootstrap.py",
    ),
    Fault(
        "standard error of replicates with divisor B",
        "intervals",
        "self.distribution.std(ddof=1)",
        "self.distribution.std()",
        "tests/intervals/test_replicates.py",
    ),
    Fault(
        "ties with the estimate count as above",
        "intervals",
        ".sum() + 0.5 * ",
        ".sum() + 0.0 * ",
        RESAMPLED,
    ),
    # rows
    Fault(
        "Kish's size with squared frequencies",
        "sample",
        "return float(mass.sum() ** 2 / (mass * weight).sum())",
        "return float(mass.sum() ** 2 / (mass * mass).sum())",
        ROWS,
    ),
    Fault(
        "rows of zero weight counted", "sample", "np.where(self.weight > 0, ones, 0)", "ones", ROWS
    ),
    # operating points
    Fault(
        "operating points at the prevalence of the sample",
        "analyses",
        'if self.assumed and "prevalence" in kind.arguments():',
        'if not self.assumed and "prevalence" in kind.arguments():',
        POINTS,
    ),
    Fault(
        "limits at the thresholds before the rows",
        "analyses",
        "CutoffCounts.along(self.ratings, self.called)",
        "CutoffCounts.along(self.ratings, np.maximum(self.called - 1, 0))",
        POINTS,
    ),
    Fault(
        "clusters at many cut-offs without products of earlier rows",
        "variance",
        "added = by_class[i] * earlier[j] + by_class[j] * earlier[i]",
        "added = by_class[i] * earlier[j]",
        "tests/variance/test_cutoff_counts.py",
    ),
    Fault(
        "interval of a rule on the other axis",
        "analyses",
        'Sensitivity(fpr=rate) if axis == "fpr"',
        'Sensitivity(fpr=rate) if axis == "tpr"',
        POINTS,
    ),
    Fault(
        "a selected threshold marked as fixed",
        "analyses",
        "[_TARGET[point.by_threshold] for",
        "[_TARGET[True] for",
        POINTS,
    ),
    Fault(
        "a threshold inside a cell accepted",
        "analyses",
        "if sign * top >= sign * table.in_score_type(point.threshold):",
        "if False:",
        "tests/backends/test_cells.py",
    ),
    Fault(
        "every threshold shown on a terminal",
        "analyses",
        "sample.ratings().table.size <= _MAX_SHOWN",
        "sample.ratings().table.size > 0",
        CLI_POINTS,
    ),
    Fault(
        "points of a page at the prevalence of a measure",
        "report",
        "(of_page, *of_measures)",
        "(*of_measures, of_page)",
        "tests/report/test_report_options.py",
    ),
    Fault(
        "the interval of a rule at another level",
        "analyses",
        "rule.interval(level)",
        "rule.interval()",
        POINTS,
    ),
    # proportions at a cut-off
    Fault(
        "a normal deviate of a proportion with few clusters",
        "intervals",
        "return upper_tail(-float(special.ndtri(tail)), self.df)",
        "return upper_tail(-float(special.ndtri(tail)))",
        MID_P,
    ),
    Fault(
        "rows of all repetitions of a perfect proportion counted",
        "results",
        "kish = sum(rows.counts) / sum(rows.units)",
        "kish = 1.0",
        AVERAGES,
    ),
    Fault(
        "no grid in a profile near 0 and 1",
        "intervals",
        "return reduce(or_, far)",
        "return np.False_",
        JOINT_PROFILE,
    ),
    Fault(
        "correlated proportions in a profile as independent",
        "intervals",
        "if self.correlation is not None:",
        "if False:",
        JOINT_PROFILE,
    ),
    Fault(
        "calls of a permutation test at the threshold of the first classifier",
        "analyses",
        "measures = [measure.for_classifier(name) for name in names]",
        "measures = [measure.for_classifier(names[0]) for _ in names]",
        "tests/analyses/test_permutation.py",
    ),
    Fault(
        "groups at a threshold not called in a permutation test",
        "resampling",
        "(ratings.codes < piece.end.group)",
        "(ratings.codes < piece.end.group - 1)",
        "tests/analyses/test_permutation.py",
    ),
    Fault(
        "categories of words in the order of the data",
        "cli",
        "pd.Categorical(values.map(spelled), pd.Index(categories), ordered=True)",
        "pd.Categorical(values.map(spelled), pd.Index([*spelled.values()]), ordered=True)",
        "tests/cli/test_at_cutoffs.py",
    ),
    Fault(
        "bound of the calibration slope from the lowest risks of the cells",
        "measures",
        "changed = np.where(sign * derivative > 0.0, high, low)",
        "changed = low",
        "tests/backends/test_resolution.py",
    ),
    Fault(
        "effects in a profile only before other parts move",
        "intervals",
        "effects.append(alone + _change(self.of_parts(*rest), end))",
        "effects.append(alone)",
        JOINT_PROFILE,
    ),
    Fault(
        "signs of derivatives of 0 that do not change with the classes",
        "results",
        "_sign(slopes.prevalence, *ties)",
        "_sign(slopes.prevalence)",
        LIMITS_AT_CUTOFFS,
    ),
    Fault(
        "correlation of rates in a profile without their signs",
        "results",
        "correlation = correlation * sides[:, None] * sides[None]",
        "correlation = correlation * (sides[:, None] == sides[:, None])",
        LIMITS_AT_CUTOFFS,
    ),
    Fault(
        "the prevalence of a cohort as known in profiles",
        "results",
        'if not (measure.uses_sample_prevalence and rows.design == "cohort"):',
        "if True:",
        LIMITS_AT_CUTOFFS,
    ),
    Fault(
        "independent rows at a proportion without a variance",
        "variance",
        "variance + kish * (at_near - independent)",
        "variance + (at_near - independent)",
        CUTOFF_COUNTS,
    ),
    # heights of curves
    Fault(
        "the lower end of a tie group instead of a point inside it",
        "intervals",
        "pos + share * (pos_after - pos)",
        "pos + 0.0 * (pos_after - pos)",
        PROPORTIONS,
    ),
    Fault(
        "plans of another kind of interval than the default without a warning",
        "analyses",
        "if default == kind:",
        "if default:",
        "tests/analyses/test_plans_of_one.py",
    ),
    Fault(
        "the bias of a resampled average precision as in a cohort for every design",
        "resampling",
        "share = table.prevalence",
        "share = math.nan",
        "tests/resampling/test_bootstrap.py",
    ),
    Fault(
        "the bias of a resampled average precision without the rows of the other class",
        "resampling",
        "return (of_class + of_others) / (p + of_all * q)",
        "return of_class / (p + of_all * q)",
        "tests/project/test_twins.py",
    ),
    Fault(
        "rows of readings renumbered if readings are dropped",
        "readers",
        "frame, origin = frame.iloc[complete], Origin(complete)",
        "frame = frame.iloc[complete]",
        "tests/cli/test_readers.py",
    ),
    Fault(
        "ratings in words in the order of the data",
        "cli",
        "pd.Index(categories), ordered=True",
        "pd.Index([*dict.fromkeys(spelled.values())]), ordered=True",
        "tests/cli/test_readers.py",
    ),
    Fault(
        "a page of fixed readers with their variability in the standard errors",
        "report",
        "part if self.results[0].random_readers else",
        "part if self.results else",
        "tests/report/test_reader_page.py",
    ),
    Fault(
        "interpolated limits with the standard errors of the nodes omitted",
        "intervals",
        "(exact / _binomial_error(m, n)).reshape",
        "(exact / _binomial_error(m, n) * 1.01).reshape",
        MANY_LIMITS,
    ),
    Fault(
        "joined limits of many sums from one side",
        "intervals",
        "end = np.where(lower, ends.lower(tail), ends.upper(tail))",
        "end = ends.lower(tail)",
        MANY_LIMITS,
    ),
    Fault(
        "mid-p limits from thresholds on the wrong side of the rate",
        "intervals",
        "return _Side(distances[nearest:], hits[nearest:], *size)",
        "return _Side(distances[: nearest + 1][::-1], hits[: nearest + 1][::-1], *size)",
        PROPORTIONS,
    ),
    Fault(
        "thresholds of a mid-p interval far apart",
        "intervals",
        "_STEP = 0.05",
        "_STEP = 0.5",
        PROPORTIONS,
    ),
    Fault(
        "no negatives above a threshold incompatible with a low FPR",
        "intervals",
        "z[0] = max(z[0], 0.0)",
        "z[0] = z[0]",
        PROPORTIONS,
    ),
    Fault(
        "bands with few negatives from the fraction for balanced classes",
        "intervals",
        "return 1.0 - (1.0 - _FPR_SHARE) * min(table.rows_neg / table.rows_pos, 1.0)",
        "return _FPR_SHARE",
        ROC_BAND,
    ),
    Fault(
        "correlation of two curves with few negatives relied upon",
        "intervals",
        "excess * min(_FEW_NEGATIVES / table.rows_neg, 1.0)",
        "0.0 * excess",
        ROC_BAND,
    ),
    Fault(
        "heights at rounded weights from the group before",
        "intervals",
        "shares + 1e-12)",
        "shares)",
        ROC_BAND,
    ),
    # quantiles of t
    Fault(
        "an expansion of the t distribution for few degrees of freedom",
        "intervals",
        "_NEARLY_NORMAL = 500.0",
        "_NEARLY_NORMAL = 200.0",
        STUDENT_T,
    ),
    Fault(
        "a sign in the expansion of Cornish and Fisher",
        "intervals",
        "* s - 15.0) / 384.0",
        "* s + 15.0) / 384.0",
        STUDENT_T,
    ),
    # families
    Fault(
        "rounding errors of a difference as its variance",
        "results",
        "return variance if variance > CANCELLED * total else 0.0",
        "return max(variance, 0.0)",
        COMPARISONS,
    ),
    Fault(
        "simultaneous intervals narrower than single ones",
        "results",
        "return max(1.0 - tails, level)",
        "return 1.0 - tails",
        COMPARISONS,
    ),
    Fault(
        "adjusted p-values below single ones",
        "results",
        "max(test.pvalue, self.largest.tail(deviate))",
        "self.largest.tail(deviate)",
        COMPARISONS,
    ),
    Fault(
        "p-values at a limit without Bonferroni's factor",
        "results",
        "min(1.0, len(self) * test.pvalue)",
        "test.pvalue",
        COMPARISONS,
    ),
    Fault(
        "values next to an end of the range not at a limit",
        "results",
        "not low + edge < self.value < high - edge",
        "not low < self.value < high",
        LIMITS,
    ),
    Fault(
        "upper bounds rounded to the nearest",
        "tables",
        "math.ceil(bound / unit - 1e-9)",
        "round(bound / unit)",
        DIGITS,
    ),
    # shared clusters
    Fault(
        "degrees of freedom limited by samples that are not compared",
        "variance",
        "limit = float(self.limits[used].min(initial=math.inf))",
        "limit = float(self.limits.min(initial=math.inf))",
        FREEDOM,
    ),
    Fault(
        "degrees of freedom of shared clusters without their limit",
        "variance",
        "limits[part.estimates] = np.minimum(limits[part.estimates], part.limit)",
        "pass",
        RULE,
    ),
    Fault(
        "signed and unsigned labels joined as floats",
        "variance",
        'in ({"i"}, {"u"}, {"M"}, {"m"})',
        '<= {"i", "u"}',
        SHARED,
    ),
    Fault(
        "times in different units are different clusters",
        "variance",
        '{"u"}, {"M"}, {"m"})',
        '{"u"})',
        SHARED,
    ),
    # the largest of several statistics, and its replicates
    Fault(
        "quantile of a single statistic for the largest",
        "intervals",
        "critical_value(tail / self.sides / self.count, self.df)",
        "critical_value(tail / self.sides, self.df)",
        SIMULTANEOUS,
    ),
    Fault(
        "degrees of freedom of the largest statistic less one",
        "intervals",
        "rng.chisquare(self.df, (len(values), 1)) / self.df",
        "rng.chisquare(self.df - 1.0, (len(values), 1)) / self.df",
        SIMULTANEOUS,
    ),
    Fault(
        "one-sided Monte Carlo error of the other tail",
        "intervals",
        'if two_sided else alternative == "greater"',
        'if two_sided else alternative == "less"',
        RESAMPLED,
    ),
    # rows that do not count
    Fault(
        "rows of frequency 0 counted in degrees of freedom",
        "variance",
        "slice(None) if copies is None else copies > 0",
        "slice(None)",
        CONTRIBUTIONS,
    ),
    Fault(
        "ends of a region in the order of their bounds",
        "variance",
        "key=lambda e: (e.share, e.bound)",
        "key=lambda e: (e.bound, e.share)",
        UNSEEN,
    ),
    Fault(
        "fourth powers of more units scaled as squares",
        "variance",
        "self.fourth / factor**3",
        "self.fourth / factor**2",
        MOMENTS,
    ),
    Fault(
        "keys of negative zeros",
        "backends",
        "column = nw.when(column == 0.0).then(nw.lit(0.0)).otherwise(column)",
        "pass",
        BACKENDS,
    ),
    Fault(
        "both draws of a word from its lower half",
        "resampling",
        "drawn[(words[i] >> _HALF) * n >> _HALF] += 1",
        "drawn[(words[i] & _LOWER) * n >> _HALF] += 1",
        STREAMS,
    ),
    Fault(
        "covariances omitted from the variance between readers of a pilot",
        "readers",
        "+ apart / (cells.size * (cells.size - 1))",
        "+ 0.0 * apart",
        MRMC_POWER,
    ),
    Fault(
        "rows with other labels counted as missing in the methods",
        "report",
        "sum(s.rows.left_out for",
        "sum(s.rows.dropped for",
        PAGE,
    ),
    Fault("excluded rows omitted from checklists", "report", 'text += f"; {', 'f"; {', PAGE),
    Fault(
        "sliders at the prevalence of the sample only",
        "report",
        "prevalence = p.share if p.assumed else None",
        "prevalence = None",
        SLIDERS,
    ),
    Fault(
        "sliders start at another cut-off",
        "report",
        "called.index(named[0][0])",
        "len(called) // 2",
        SLIDERS,
    ),
    Fault(
        "only the first missing option is named",
        "cli",
        "p.required and not typed.intersection(p.opts)",
        "p is error.param",
        "tests/cli/test_usage_errors.py",
    ),
    Fault(
        "warnings do not change the exit status",
        "cli",
        "return WARNED if self.strict and self.texts else 0",
        "return 0",
        "tests/cli/test_quiet_and_strict.py",
    ),
    # sample size
    Fault(
        "far tail of a sample size with the error of the near tail",
        "analyses",
        "power + beyond(-mean, -slope) if",
        "power + beyond(-mean, slope) if",
        "tests/analyses/test_plans_of_one.py",
    ),
    Fault(
        "a power of a plan rounded up",
        "analyses",
        "math.floor(power * 1000.0) / 1000.0",
        "math.ceil(power * 1000.0) / 1000.0",
        "tests/analyses/test_sample_size.py",
    ),
    Fault(
        "a rule that calls no row positive at the highest score",
        "curve",
        "self.threshold(groups - 1) if groups else self.above_all",
        "self.threshold(max(groups - 1, 0))",
        POINTS,
    ),
    # permutation
    Fault(
        "the data not counted as a permutation",
        "analyses",
        "float(t.sum() + 1) / (t.size + 1)",
        "float(t.sum()) / t.size",
        PERMUTATION,
    ),
    Fault(
        "one digit of a standard error",
        "tables",
        "min(max(1 - exponent, 0)",
        "min(max(-exponent, 0)",
        DIGITS,
    ),
    Fault(
        "upper limits rounded to 1",
        "tables",
        "(0.0, math.copysign(1.0, value), *distinct_from)",
        "(0.0, *distinct_from)",
        DIGITS,
    ),
    Fault(
        "one-tailed permutation p-value",
        "analyses",
        "min(len(tails) * tail, 1.0)",
        "min(tail, 1.0)",
        PERMUTATION,
    ),
    Fault(
        "ties in the null distribution omitted",
        "analyses",
        "abs(self.observed) - tolerance",
        "abs(self.observed) + tolerance",
        PERMUTATION,
    ),
    # report pages
    Fault(
        "the null not passed to a page's comparisons",
        "report",
        ("options.null,\n            options.alternative,\n            adjust="),
        "0.0, options.alternative, adjust=",
        REPORT,
    ),
    Fault(
        "the alternative not passed to a page's comparisons",
        "report",
        ("options.null,\n            options.alternative,\n            adjust="),
        "options.null, adjust=",
        REPORT,
    ),
    Fault(
        "the null not passed to a page's comparisons by group",
        "report",
        ("null=options.null,\n            alternative="),
        "alternative=",
        PAGE_BY_GROUP,
    ),
    Fault(
        "heterogeneity of groups with few common units by the formula of Welch",
        "results",
        "    if math.isfinite(shared_df):\n        denominator",
        "    if False:\n        denominator",
        BY_GROUP,
    ),
    Fault(
        "groups in a Categorical of Polars in the order of the rows",
        "backends",
        "        categories.sort()",
        "        pass",
        BY_GROUP,
    ),
    Fault(
        "groups in the order of the categories only in a Series",
        "sample",
        'hasattr(values.dtype, "categories")',
        'hasattr(values, "cat")',
        BY_GROUP,
    ),
    Fault(
        "groups in the order of another index paired by position",
        "sample",
        '        if index_of(values) is not None:\n            check_same_order([("y_true"',
        '        if False:\n            check_same_order([("y_true"',
        BY_GROUP,
    ),
    Fault(
        "frequencies of rows in several parts not drawn by the bootstrap",
        "resampling",
        "            times = rows.frequency.take(order).astype(np.int64)",
        "            pass",
        BY_GROUP,
    ),
    Fault(
        "frequencies of rows in several parts not counted in drawn clusters",
        "resampling",
        "times[:, cluster] * self.cells, self.classes[0]",
        "times[:, cluster], self.classes[0]",
        BY_GROUP,
    ),
    Fault(
        "groups that were left out not listed in forest plots",
        "results",
        "row._replace(note=self._skipped.note)",
        "row",
        BY_GROUP,
    ),
    Fault(
        "groups that were left out of gaps not passed on",
        "results",
        "        return replace(gaps, skipped=self.skipped)",
        "        return gaps",
        BY_GROUP,
    ),
    Fault(
        "groups with one cluster of a class not recognized as small",
        "sample",
        "            if np.ptp(clusters[of_class]) == 0:",
        "            if False:",
        BY_GROUP,
    ),
    Fault(
        "common clusters of groups counted in all rows",
        "inference",
        "rows.part(np.unique(np.concatenate(groups.rows))).cluster_df",
        "rows.cluster_df",
        BY_GROUP,
    ),
    Fault(
        "the adjustment not passed to a page's comparisons by group",
        "report",
        ("adjust=options.adjust,\n            **by_group"),
        "**by_group",
        PAGE_BY_GROUP,
    ),
    Fault(
        "the prevalence not passed to a page's operating points",
        "report",
        "operating_points(sample, prevalence=prevalence)",
        "operating_points(sample)",
        REPORT,
    ),
    Fault(
        "the adjustment not passed to a page's comparisons",
        "report",
        ("adjust=options.adjust,\n            variance"),
        'adjust="holm", variance',
        REPORT,
    ),
    Fault(
        "the level not passed to a page's table",
        "report",
        "rows_of(analysis.estimates, options.level, options.kind)",
        "rows_of(analysis.estimates, 0.95, options.kind)",
        REPORT,
    ),
    Fault(
        "an adjusted p-value not shown",
        "results",
        "if self.p_adjusted is None else",
        "if True else",
        LAYOUT,
    ),
    Fault(
        "a simultaneous interval not shown",
        "results",
        '"low": low, "high": high, "kind": "simultaneous"',
        '"kind": "simultaneous"',
        LAYOUT,
    ),
    Fault(
        "decimals of each row alone",
        "results",
        "found.setdefault(alike(q), [])",
        "found.setdefault(id(q), [])",
        LAYOUT,
    ),
    Fault(
        "a column that no row has in the table",
        "results",
        "if column.shown(whole)]",
        "if True]",
        LAYOUT,
    ),
    Fault(
        "texts of a page that are not escaped",
        "report",
        "autoescape=True",
        "autoescape=False",
        PAGE,
    ),
    Fault(
        "bidirectional control characters not replaced",
        "report",
        "else visible(str(value))",
        "else str(value)",
        PAGE,
    ),
    Fault(
        "missing values of a template left blank",
        "report",
        "jinja2.StrictUndefined",
        "jinja2.Undefined",
        PAGE,
    ),
    Fault(
        "partly open items counted as complete",
        "report",
        "(self.answer.text and not self.answer.still_open)",
        "self.answer.text",
        PAGE,
    ),
    Fault(
        "texts of authors omitted from items",
        "report",
        'texts.get(f"{key} {number}", "")',
        '""',
        PAGE,
    ),
    # backends and cells of scores
    Fault(
        "weights of 0 counted on engines",
        "backends",
        'nw.when(nw.col("w") > 0)',
        'nw.when(nw.col("w") >= 0)',
        ZEROS,
    ),
    Fault(
        "weights of 0 included in the smallest weight",
        "backends",
        "nw.when(column > 0).then(column)",
        "nw.when(column >= 0).then(column)",
        ZEROS,
    ),
    Fault(
        "clusters of weight 0 counted",
        "backends",
        '(nw.col("pos") + nw.col("neg") > 0)',
        '(nw.col("pos") + nw.col("neg") >= 0)',
        ZEROS,
    ),
    Fault(
        "positives of weight 0 counted in clusters",
        "backends",
        '(nw.col("pos") > 0).cast',
        '(nw.col("pos") >= 0).cast',
        ZEROS,
    ),
    Fault(
        "rows of weight 0 not reported",
        "backends",
        'zero = (nw.col("counted") == 0)',
        'zero = (nw.col("counted") < 0)',
        ZEROS,
    ),
    Fault(
        "a threshold on the wrong side of an equal score",
        "backends",
        "else score >= edge",
        "else score > edge",
        EQUAL_CELLS,
    ),
    Fault(
        "cells with too many rows not divided",
        "backends",
        "if excess <= 0.0 and squares.max() <= most:",
        "if excess < 1e300:",
        EQUAL_CELLS,
    ),
    Fault(
        "cells merged across a threshold",
        "backends",
        "| large | crosses_edge",
        "| large",
        EQUAL_CELLS,
    ),
    Fault(
        "scores not counted again for a large binning error",
        "inference",
        "if ratio <= largest or before is None",
        "if ratio < math.inf or before is None",
        EQUAL_CELLS,
    ),
    Fault(
        "binning error at a threshold from one rate alone",
        "measures",
        "positions = sorted(set(product((x0, x1), (y0, y1))))",
        "positions = [(x0, y0)]",
        EQUAL_CELLS,
    ),
    Fault(
        "intervals of cells not extended by the bound",
        "intervals",
        "max(ends.low - bound, min(ends.low, low))",
        "max(ends.low, min(ends.low, low))",
        CELLS,
    ),
    Fault(
        "tests of cells without the bound",
        "intervals",
        'null + (bound if s == "greater" else -bound), s)',
        "null, s)",
        CELLS,
    ),
    Fault(
        "statistic of cells always 0",
        "intervals",
        "min(max(value, null - bound), null + bound)",
        "null",
        CELLS,
    ),
    Fault(
        "the bound of one classifier for a difference",
        "results",
        "return sum(e.resolution_bound for e in self.estimates)",
        "return max(e.resolution_bound for e in self.estimates)",
        CELLS,
    ),
    Fault(
        "joint tests of cells without the bound",
        "results",
        "max(math.sqrt(statistic) - binning, 0.0) ** 2",
        "statistic",
        CELLS,
    ),
    Fault(
        "no error for a binning error above the standard error",
        "cautions",
        "refused = bound > _LARGEST_BOUND * se and not force",
        "refused = bound < 0.0 and not force",
        CELLS,
    ),
    Fault(
        "quotes in names of columns not doubled",
        "cli",
        """doubled = name.replace('"', '""')""",
        "doubled = name",
        CLI_DUCKDB,
    ),
    Fault(
        "only the first file of a pattern is checked",
        "cli",
        "_check_header(file, sep, decimal, reading, needed) for file in files}",
        "_check_header(file, sep, decimal, reading, needed) for file in files[:1]}",
        CLI_DUCKDB,
    ),
    Fault(
        "the line end of one file is used for all",
        "cli",
        "if len(line_ends) == 1 else None",
        "if line_ends else None",
        CLI_DUCKDB,
    ),
    Fault(
        "look-up tables not registered on the connection",
        "sample",
        "source = replace(source, connection=connection)",
        "pass",
        CLI_DUCKDB,
    ),
    Fault(
        "degrees of freedom of user-defined methods without a limit",
        "variance",
        "min(self.df_of(weights), float(self.limits[np.flatnonzero(weights)].min()))",
        "self.df_of(weights)",
        FREEDOM,
    ),
    Fault(
        "strata of all units together",
        "variance",
        "strata.append(of_class)",
        "both = both.joined(of_class)",
        RULE,
    ),
    Fault(
        "few units of a class have their own stratum",
        "variance",
        "if of_class.units < _FEWEST_UNITS <= both.units:",
        "if of_class.units < 0.0 <= both.units:",
        RULE,
    ),
    Fault(
        "five units of a class join the others",
        "variance",
        "_FEWEST_UNITS = 5.0",
        "_FEWEST_UNITS = 6.0",
        RULE,
    ),
    Fault(
        "single units are strata",
        "variance",
        "while len(by_size) > 1 and by_size[0].units == 1.0:",
        "while False:",
        RULE,
    ),
    Fault(
        "of equally small strata a single unit joins the first",
        "variance",
        "return stratum.units, stratum.second",
        "return stratum.units, 0.0",
        FREEDOM,
    ),
    Fault(
        "standard errors of readers are rounding errors",
        "readers",
        "without_rounding_errors(uncertainty_of_parts(parts, method), parts)",
        "uncertainty_of_parts(parts, method)",
        EQUAL_RESULTS,
    ),
    Fault(
        "bounds of a single reader with the scale of the measure",
        "readers",
        "return self._of_reader.bounds",
        "return self._of_reader.scale",
        EQUAL_RESULTS,
    ),
    Fault(
        "degrees of freedom of averages without a variance over cases",
        "readers",
        "self.uncertainty.df_of(cell_weights) if variance > 0.0 else math.inf",
        "self.uncertainty.df_of(cell_weights)",
        MRMC,
    ),
    Fault(
        "degrees of freedom of fixed readers without a variance",
        "readers",
        "self.cells.uncertainty.df_of(contrast) if fixed > 0.0 else math.inf",
        "self.cells.uncertainty.df_of(contrast)",
        EQUAL_RESULTS,
    ),
    Fault(
        "degrees of freedom without the limit of Welch",
        "variance",
        "min(from_moments, variance**2 / welch) if welch > 0.0 else from_moments",
        "from_moments",
        RULE,
    ),
    Fault(
        "fourth powers not centred in strata",
        "variance",
        "max(fourth - second**2 / units, 0.0)",
        "fourth",
        RULE,
    ),
    Fault(
        "all rows have the limit of clusters",
        "variance",
        "clustered = not rows_are_units and units.size < total",
        "clustered = True",
        RULE,
    ),
    Fault(
        "factor of the other class",
        "variance",
        "np.where(rows.positive, n_pos, n_neg)",
        "np.where(rows.positive, n_neg, n_pos)",
        RULE,
    ),
    Fault(
        "no factors for the numbers of units",
        "variance",
        "math.sqrt(m / (m - 1.0)) for m in counts",
        "1.0 for m in counts",
        RULE,
    ),
    Fault(
        "influence of a prevalence without its factor",
        "variance",
        "z += n * contributions.overall",
        "z += contributions.overall",
        RULE,
    ),
    Fault(
        "parts with common units are not connected",
        "variance",
        "leader[second] = first",
        "pass",
        RULE,
    ),
    Fault(
        "repeated folds centred in each fold",
        "variance",
        "np.multiply.outer(of_values - values.mean(axis=0), shares)",
        "0.0",
        RULE,
    ),
    Fault(
        "copies of rows are not summed by unit", "variance", "z = z * members.copies", "pass", RULE
    ),
    Fault(
        "known part ignored in degrees of freedom",
        "variance",
        "/ np.maximum(share, _SMALLEST_SHARE) ** 2",
        "/ np.maximum(share, _SMALLEST_SHARE)",
        FREEDOM,
    ),
    Fault(
        "independent results of one join matched",
        "variance",
        "Block(b.estimates + self.count, b.units + self.size, b.z)",
        "Block(b.estimates + self.count, b.units, b.z)",
        CONTRIBUTIONS,
    ),
    Fault(
        "an infinite limit of a part ignored in joined limits",
        "intervals",
        "infinite = np.isinf(distances).any(axis=0)",
        "infinite = np.zeros(distances.shape[1:], dtype=bool)",
        "tests/inference/test_every_measure.py",
    ),
    Fault(
        "risks planned at the prevalence of the pilot",
        "analyses",
        "if m.uses_sample_prevalence and not math.isclose(factor, 1.0):",
        "if m is not self.measure and not math.isclose(factor, 1.0):",
        "tests/analyses/test_sample_size.py",
    ),
    Fault(
        "risks of both classes at the same end of a cell",
        "measures",
        "for of_neg in ends",
        "for of_neg in [of_pos]",
        "tests/backends/test_resolution.py",
    ),
    Fault(
        "the threshold of the first modality for all",
        "readers",
        "measure.for_classifier(study.modalities[cell.modality])",
        "measure.for_classifier(study.modalities[0])",
        "tests/readers/test_mrmc.py",
    ),
    Fault(
        "a joined limit on the wrong side",
        "intervals",
        "lower = np.equal(side == 0, np.greater(weight, 0.0))",
        "lower = np.equal(side, 0)",
        "tests/intervals/test_joined.py",
    ),
    Fault(
        "the PPV of a case-control sample as a proportion of its rows",
        "measures",
        "return self.proportion if cohort and self.prevalence is None else None",
        "return self.proportion",
        LIMITS_AT_CUTOFFS,
    ),
    Fault(
        "limit intervals of a perfect sensitivity joined",
        "results",
        "super().analytic_ends if self.binomial is None else self.binomial.kind",
        "super().analytic_ends",
        JOINED_DIFFERENCES,
    ),
    Fault(
        "limits of a contrast joined as independent",
        "results",
        "return correlation_matrix(self.cov[np.ix_(positions, positions)])",
        "return np.eye(len(positions))",
        JOINED_DIFFERENCES,
    ),
    Fault(
        "normal deviates compared with t quantiles",
        "results",
        "if limits.df == df:",
        "if limits:",
        JOINED_DIFFERENCES,
    ),
    # contributions of units
    Fault(
        "factors of each fold instead of all folds",
        "variance",
        "z._replace(by_class=moved), whole.counts",
        "z._replace(by_class=moved), members.counts",
        RULE,
    ),
    Fault(
        "shares of rows without their weights",
        "variance",
        "shares[in_class] = single[in_class] / mass[in_class].sum()",
        "shares[in_class] = 1.0 / mass[in_class].sum()",
        RULE,
    ),
    Fault(
        "classes of joined units in the order of another result",
        "variance",
        ("pos=part.pos[order],\n                    neg=part.neg[order]"),
        "pos=part.pos, neg=part.neg",
        CONTRIBUTIONS,
    ),
    Fault(
        "contributions of joined units in the order of another result",
        "variance",
        "values[:, order]))",
        "values))",
        CONTRIBUTIONS,
    ),
    Fault(
        "rows of folds numbered within each fold",
        "variance",
        "labels = z.labels if z.clustered else positions",
        "labels = z.labels",
        CONTRIBUTIONS,
    ),
    Fault(
        "labels of clusters of folds dropped",
        "variance",
        "labels = z.labels if z.clustered else positions",
        "labels = positions",
        CONTRIBUTIONS,
    ),
    Fault(
        "rows of separate results matched by their numbers",
        "inference",
        "if len(units.labels) != 1 or not units.clustered:",
        "if len(units.labels) != 1:",
        "tests/inference/test_join.py",
    ),
    Fault(
        "label of a group dropped",
        "inference",
        'targets, f"in group {label!r}", label)',
        'targets, f"in group {label!r}")',
        "tests/inference/test_groups.py",
    ),
    Fault(
        "the jackknife leaves out all copies of a row",
        "variance",
        "units = None if rows.cluster is None else unit_numbers(rows)",
        "units = unit_numbers(rows)",
        CONTRIBUTIONS,
    ),
    Fault(
        "influence without the factor for few rows in a region",
        "variance",
        "return z if known is None else z.scaled(known.factor)",
        "return z",
        CONTRIBUTIONS,
    ),
    Fault(
        "no variance of pseudo-observations beside influence",
        "results",
        'frame.attrs["pseudo_variance"] = additional.tolist()',
        'frame.attrs["pseudo_variance"] = [0.0] * len(additional)',
        CONTRIBUTIONS,
    ),
    Fault(
        "pickled results contain scores",
        "variance",
        "isinstance(rule, DfRule) and rule.uses_moments:",
        "False:",
        FREEDOM,
    ),
    Fault(
        "known part of joined results ignored in degrees of freedom",
        "variance",
        "_with_blocks(estimated, total) if has_known_part else None",
        "None",
        EQUAL_RESULTS,
    ),
    Fault(
        "factor for few rows in degrees of freedom of joined results",
        "variance",
        "_with_blocks(influence.matrix(), each) if has_known_part else matrix",
        "matrix",
        EQUAL_RESULTS,
    ),
    Fault(
        "degrees of freedom of each contrast calculated twice",
        "results",
        "weights, self.covariance_of(weights, sums), [s.df for s in sums]",
        "weights, self.covariance_of(weights, sums)",
        FREEDOM,
    ),
    Fault(
        "rows without weight do not affect estimated weights",
        "variance",
        "return rows.copies if rows.weight_map is None else rows.frequency",
        "return rows.copies",
        ESTIMATED_WEIGHTS,
    ),
    Fault(
        "estimated weights do not affect a prevalence",
        "variance",
        "z.by_class if z.overall is None else z.by_class + z.overall",
        "z.by_class",
        ESTIMATED_WEIGHTS,
    ),
    Fault(
        "estimated weights of a part of the rows treated as known",
        "sample",
        "if self.weight_map is not None:",
        "if False:",
        ESTIMATED_WEIGHTS,
    ),
    # limits of maxima and ratios
    Fault(
        "lower limits of a maximum with the tail of one threshold",
        "intervals",
        "lower = self.ends.lower(tail / _THRESHOLDS)",
        "lower = self.ends.lower(tail)",
        EXTENDED,
    ),
    Fault(
        "maxima of uninformative scores above 0",
        "intervals",
        "tail < 0.5 and self.auc.lower(tail) <= 0.5 else lower",
        "False else lower",
        EXTENDED,
    ),
    Fault(
        "limits of a ratio without the covariance",
        "intervals",
        "middle = b * b - of_b, a * b - of_both",
        "middle = b * b - of_b, a * b",
        EXTENDED,
    ),
    Fault(
        "tails of a ratio below that of its denominator",
        "intervals",
        "return upper_tail(min(deviate, most), self.df)",
        "return upper_tail(deviate, self.df)",
        EXTENDED,
    ),
    # limits with moved ends
    Fault(
        "curves stretched by the inverse factor",
        "results",
        "area += before * stretch",
        "area += before / stretch",
        MOVED,
    ),
    Fault(
        "moved ends with half of their standard error",
        "results",
        "z * along * math.sqrt(n)",
        "z * along * math.sqrt(n) / 2.0",
        MOVED,
    ),
    Fault(
        "undefined values with moved ends ignored",
        "results",
        "np.where(undefined, end if math.isfinite(end) else value, low)",
        "np.where(undefined, value, low)",
        MOVED,
    ),
    # measures with estimated ends
    Fault(
        "no lower bound of the variance of normalized areas",
        "measures",
        "and (self.known_ends or self.normalized)",
        "and self.known_ends",
        ENDS,
    ),
    Fault(
        "differences of areas with estimated ends not joined",
        "results",
        "return estimated and isinstance(self.limits, MovedEnds)",
        "return False",
        ENDS,
    ),
    Fault(
        "intervals of weighted rows extended",
        "inference",
        "if ratings.rows.independent and has_binomial_counts(ratings):",
        "if not ratings.rows.has_clusters and has_binomial_counts(ratings):",
        ENDS,
    ),
    Fault(
        "the first threshold instead of the largest limit",
        "intervals",
        "tails > special.ndtr(-deviates)",
        "tails < 0.0",
        PROPORTIONS,
    ),
    Fault(
        "The calibration slope is not centred at the weighted mean",
        "measures",
        "x = x - float((w * x).sum() / w.sum())",
        "x = x - float(x.mean())",
        RISKS,
    ),
    Fault(
        "The scaled Brier score ignores the estimated prevalence",
        "measures",
        "return by_share - pos / variance, -neg / variance",
        "return -pos / variance, -neg / variance",
        RISKS,
    ),
    Fault(
        "The influence of risks has no term for the prevalence",
        "measures",
        "return Influence(share * pos, rest * neg, float(by_share))",
        "return Influence(share * pos, rest * neg, 0.0)",
        RISKS,
    ),
    Fault(
        "The net benefit of a standardized value ignores the harm in its derivative",
        "measures",
        "by_share = (fpr * self.odds + float(self.harm)) / share**2",
        "by_share = fpr * self.odds / share**2",
        "tests/measures/test_net_benefit.py",
    ),
    Fault(
        "The table of risks tests a slope of 0",
        "analyses",
        "joint(null=[0.0, 1.0])",
        "joint(null=[0.0, 0.0])",
        "tests/analyses/test_risk_table.py",
    ),
    Fault(
        "Risks of exactly 1 have log odds",
        "measures",
        "if inside and (lowest == 0.0 or highest == 1.0):",
        "if inside and lowest == 0.0:",
        RISKS,
    ),
    Fault(
        "Risks without rows in a resample keep their old order",
        "analyses",
        "(kept,) = np.nonzero(weight > 0.0)",
        "(kept,) = np.nonzero(weight >= 0.0)",
        "tests/plot/test_risk_figures.py",
    ),
    Fault(
        "An extra is suggested from PyPI for a package from a folder",
        "",
        'return f"{path}[{extra}]" if path.exists() else None',
        'return f"{_NAME}[{extra}]" if path.exists() else None',
        "tests/test_installation.py",
    ),
    Fault(
        "Rows with a missing value satisfy a condition of inequality",
        "cli",
        'return equal if self.operator in ("==", "in") else ~equal & values.notna()',
        'return equal if self.operator in ("==", "in") else ~equal',
        "tests/cli/test_where.py",
    ),
    Fault(
        "Values that SPSS declares as missing are missing without a statement",
        "cli",
        "if declared and reading.user_missing is None:",
        "if False and reading.user_missing is None:",
        "tests/cli/test_statistical_files.py",
    ),
    Fault(
        "Names in workbooks are formulas",
        "tables",
        'cell.data_type = "s"',
        "cell.quotePrefix = True",
        "tests/tables/test_xlsx.py",
    ),
    Fault(
        "Transparent pixels of TIFF files are black",
        "figures",
        'image = Image.open(png).convert("RGB")',
        "image = Image.open(png)",
        "tests/figures/test_style.py",
    ),
    Fault(
        "JSON has null for infinite numbers",
        "tables",
        'return value if math.isfinite(value) else "Infinity" if value > 0.0 else "-Infinity"',
        "return value if math.isfinite(value) else None",
        DOCUMENTS,
    ),
    Fault(
        "The document of the command lacks the warnings about the file",
        "cli",
        'document["cautions"] += [w for w in printed if w["message"] not in known]',
        'document["cautions"] += []',
        DOCUMENTS,
    ),
    Fault(
        "scores of a cross-validation for the wrong class",
        "sample",
        "return values if at == 1 else -np.asarray(values)",
        "return values",
        "tests/sample/test_from_estimators.py",
    ),
    Fault(
        "rows of a repeated cross-validation as independent rows",
        "sample",
        "cluster = rows if options.cluster is None and recur else",
        "cluster = rows if options.cluster is not None and recur else",
        "tests/sample/test_from_estimators.py",
    ),
    Fault(
        "the last of the class probabilities instead of those of the positive class",
        "sample",
        "column: AnyArray = matrix[:, at]",
        "column: AnyArray = matrix[:, -1]",
        "tests/sample/test_probabilities.py",
    ),
    Fault(
        "labels of the rest not stated",
        "results",
        "return ExcludedRows(self.dropped, self.left_out, self.uncounted, self.rest)",
        "return ExcludedRows(self.dropped, self.left_out, self.uncounted)",
        "tests/results/test_excluded_rows.py",
    ),
    Fault(
        "losses maximized by a scorer",
        "measures",
        "self._sign = 1.0 if higher else -1.0",
        "self._sign = 1.0",
        "tests/measures/test_scorer.py",
    ),
    Fault(
        "the app answers under foreign host names",
        "cli/app",
        "len(hosts) != 1 or hosts[0].lower() not in self._hosts",
        "len(hosts) != 1",
        APP_SERVER,
    ),
    Fault(
        "the app accepts posts without a header on their origin",
        "cli/app",
        "return not (origin is None and site is None)",
        "return True",
        APP_SERVER,
    ),
    Fault(
        "uploads to the app are not limited",
        "cli/app",
        "if self._received > self._most:",
        "if self._received < 0:",
        APP_SERVER,
    ),
    Fault(
        "studies of the app are kept for ever",
        "cli/app",
        "if entry[0] >= first]",
        "if entry[0] >= 0]",
        APP_SERVER,
    ),
    Fault(
        "values of the form of the app are not escaped",
        "cli/app",
        "return Markup(escape(str(value)))",
        "return Markup(str(value))",
        "tests/cli/app/test_pages.py",
    ),
]


@functools.cache
def texts(folder: Path) -> dict[Path, str]:
    """Return the text of each file of a folder of the package, without faults."""
    return {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}


def place(fault: Fault, root: Path = ROOT) -> Path:
    """Return the file that a fault changes."""
    files = texts(root / "src" / "pauci" / fault.folder)
    matches = [path for path, text in files.items() for _ in range(text.count(fault.old))]
    if len(matches) != 1:
        raise ValueError(
            f"{fault.name}: {fault.old!r} occurs {len(matches)} times in src/pauci/{fault.folder}, "
            "and must occur there once."
        )
    return matches[0]


def selected(names: list[str]) -> list[Fault]:
    """Return the faults with these names or of these folders."""
    for name in names:
        if not any(name in (f.name, f.folder) for f in FAULTS):
            raise ValueError(f"{name!r} is neither a fault nor a folder with faults.")
    return [f for f in FAULTS if not names or {f.name, f.folder} & {*names}]


def failure(tests: list[str], root: Path) -> str:
    """Return the output of pytest if tests fail on the package of a checkout, or an empty text."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    # Cached bytecode halves the time. It is that of the file, whose time of change, in seconds,
    # differs, because the tests between two changes take longer than a second.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["-m", "not slow and not bench and not spark and not frozen", *tests]
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    output = f"{done.stdout}{done.stderr}"
    if done.returncode not in (0, 1):  # pytest itself failed
        raise RuntimeError(output)
    return output if done.returncode else ""


def main(names: list[str]) -> int:
    """Run the faults and print which are caught."""
    faults = selected(names)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "checkout"
        ignored = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "dist")
        shutil.copytree(ROOT, root, ignore=ignored)
        output = failure(sorted({t for f in faults for t in f.tests.split()}), root)
        if output:
            print(f"{output}\nThe tests fail without a fault.")
            return 1
        survivors = 0
        for fault in faults:
            path = place(fault, root)
            original = path.read_text(encoding="utf-8")
            faulty = original.replace(fault.old, fault.new)
            ast.parse(faulty)  # a fault must not be caught because of its syntax
            path.write_text(faulty, encoding="utf-8")
            caught = bool(failure(fault.tests.split(), root))
            path.write_text(original, encoding="utf-8")
            survivors += not caught
            print(f"{'caught  ' if caught else 'SURVIVES'}  {fault.name}", flush=True)
    print(f"{len(faults) - survivors} of {len(faults)} faults are caught.")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
