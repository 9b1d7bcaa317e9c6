"""The methods paragraph of a page, with its references and the versions of the software."""

import importlib.metadata
import math
from collections.abc import Iterator, Sequence

from pauci.analyses.operating_points import OperatingPoints
from pauci.cutoffs.cutoff_results import Cutoff
from pauci.intervals.analytic import BOOTSTRAP_KINDS, NEWCOMBE
from pauci.intervals.mid_p import PROFILE
from pauci.measures.classes import OfAllClasses
from pauci.measures.user_function import Statistic
from pauci.readers.analysis import ReaderAnalysis
from pauci.report.contents import Contents
from pauci.results.captions import name_on, region_suffix
from pauci.results.extensions import OfLogOdds
from pauci.results.family import Comparisons
from pauci.results.heterogeneity import GroupComparisons
from pauci.tables import number_format as fmt
from pauci.tables.json_document import versions

_DELONG = (
    "E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under two or "
    "more correlated receiver operating characteristic curves: a nonparametric approach, "
    "Biometrics 44:837-845."
)
_LEEFLANG = (
    "M. M. G. Leeflang, K. G. M. Moons, J. B. Reitsma and A. H. Zwinderman (2008), Bias in "
    "sensitivity and specificity caused by data-driven selection of optimal cutoff values: "
    "mechanisms, magnitude, and solutions, Clinical Chemistry 54:729-737."
)
_EFRON = (
    "B. Efron (1987), Better bootstrap confidence intervals, Journal of the American Statistical "
    "Association 82:171-185."
)
_EFRON_STEIN = (
    "B. Efron and C. Stein (1981), The jackknife estimate of variance, Annals of Statistics "
    "9:586-596."
)
_OBUCHOWSKI = (
    "N. A. Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics "
    "53:567-578."
)
_HOLM = (
    "S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal "
    "of Statistics 6:65-70."
)
_WELCH = (
    "B. L. Welch (1951), On the comparison of several mean values: an alternative approach, "
    "Biometrika 38:330-336."
)
_ANDERSON = (
    "T. W. Anderson (2003), An Introduction to Multivariate Statistical Analysis, 3rd ed., Wiley, "
    "section 5.2."
)
_ZOU_DONNER = (
    "G. Y. Zou and A. Donner (2008), Construction of confidence limits about effect measures: a "
    "general approach, Statistics in Medicine 27:1693-1702."
)
_NUMPY = (
    "C. R. Harris, K. J. Millman, S. J. van der Walt et al. (2020), Array programming with NumPy, "
    "Nature 585:357-362."
)
_SCIPY = (
    "P. Virtanen, R. Gommers, T. E. Oliphant et al. (2020), SciPy 1.0: fundamental algorithms for "
    "scientific computing in Python, Nature Methods 17:261-272."
)

_OBUCHOWSKI_ROCKETTE = (
    "N. A. Obuchowski and H. E. Rockette (1995), Hypothesis testing of diagnostic accuracy for "
    "multiple readers and multiple tests: an ANOVA approach with dependent observations, "
    "Communications in Statistics - Simulation and Computation 24:285-308."
)
_HILLIS = (
    "S. L. Hillis (2007), A comparison of denominator degrees of freedom methods for multiple "
    "observer ROC analysis, Statistics in Medicine 26:596-619."
)

_KNOWN = {
    "DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837-845": _DELONG,
    "Carrington et al. 2020, BMC Medical Informatics and Decision Making 20:4": (
        "A. M. Carrington, P. W. Fieguth, H. Qazi et al. (2020), A new concordant partial AUC and "
        "partial c statistic for imbalanced data in the evaluation of machine learning algorithms, "
        "BMC Medical Informatics and Decision Making 20:4."
    ),
}
"""Full references of measures, by the short form that a measure has."""


class References:
    """A list of references, numbered in the order of their first citation."""

    def __init__(self) -> None:
        self.entries: list[str] = []

    def cite(self, entry: str) -> str:
        """Return the number of a reference in brackets."""
        if entry not in self.entries:
            self.entries.append(entry)
        return f"[{self.entries.index(entry) + 1}]"

    def cite_measure(self, reference: str) -> str:
        """Return the number of the reference of a measure in brackets."""
        return self.cite(_KNOWN.get(reference, f"{reference}."))


def software(references: References) -> str:
    """Return the software with its versions, in a sentence."""
    numbers = versions()
    return (
        f"Computations were performed with pauci {numbers['pauci']} in Python "
        f"{numbers['python']}, with NumPy {numbers['numpy']} {references.cite(_NUMPY)} and SciPy "
        f"{numbers['scipy']} {references.cite(_SCIPY)}; figures were drawn with Matplotlib "
        f"{importlib.metadata.version('matplotlib')}."
    )


def paragraphs(contents: Contents, references: References) -> list[str]:
    """Return the methods in a few paragraphs."""
    parts = [(about_measures,), (_errors, _intervals), (_tests,), (_groups,), (_points, _cutoffs)]
    texts = [" ".join(s for part in group for s in part(contents, references)) for group in parts]
    texts += [_readers(m, contents.level, references) for m in contents.of(ReaderAnalysis)[:1]]
    return [*filter(None, texts), software(references)]


def about_measures(contents: Contents, references: References) -> Iterator[str]:
    """Yield sentences on measures and their regions."""
    measures = contents.measures
    rest = next((s.rows.rest for s in contents.samples), "")
    for measure in measures:
        if isinstance(measure, Statistic):
            yield f"The {measure.name} was evaluated as a function of labels and scores."
            continue
        meaning = _meaning(type(measure).__doc__) if measure.has_region else ""
        cited = f" {references.cite_measure(measure.reference)}" if measure.has_region else ""
        definition = f", {meaning}{cited}," if meaning else cited
        subject = f"The {name_on(measure, rest)}{region_suffix(measure)}{definition}"
        of_rows = isinstance(measure, OfAllClasses)
        yield f"{subject} was estimated from the {'rows' if of_rows else 'empirical curve'}."
    if any("FPR" in m.region_phrase for m in measures):
        yield "Specificity is 1 - FPR, and sensitivity is TPR."
    if any(axis in m.region_phrase for m in measures for axis in ("FPR", "TPR")):
        yield (
            "The bounds of regions in FPR or TPR were located on the estimated curve, and the "
            "standard errors include the sampling error of these locations."
        )


def _meaning(doc: str | None) -> str:
    """Return the definition of a measure: the first line of its docstring, after the name."""
    first = (doc or "").strip().split("\n")[0].replace("`", "").rstrip(".")
    _, colon, meaning = first.partition(": ")
    return meaning if colon and ";" not in meaning else ""


def _errors(contents: Contents, references: References) -> Iterator[str]:
    """Yield sentences on the standard errors."""
    if not contents.estimates:
        return
    first = contents.estimates[0]
    if first.variance == "influence":
        yield (
            "Standard errors were calculated from influence values, which extend the method of "
            f"DeLong et al. {references.cite(_DELONG)} to parts of the curve."
        )
    elif first.resampled is not None:
        sources = dict.fromkeys(e.resampled.source for e in contents.estimates if e.resampled)
        source = "; ".join(sources)
        yield f"Standard errors were estimated with a {source} {references.cite(_EFRON)}."
        yield "Regions in FPR or TPR were determined anew in each resample."
    elif first.variance == "jackknife":
        yield f"Standard errors were estimated with the jackknife {references.cite(_EFRON_STEIN)}."
    else:
        yield f"Standard errors were estimated with the {first.source} method."
    yield from _rows(contents, references)


def _rows(contents: Contents, references: References) -> Iterator[str]:
    """Yield sentences on clusters, weights, the prevalence and excluded rows."""
    clusters = dict.fromkeys(e.rows.clusters for e in contents.estimates if e.group is None)
    if numbers := " and ".join(f"{n:,}" for n in clusters if n is not None):
        yield f"They account for the {numbers} clusters of rows {references.cite(_OBUCHOWSKI)}."
    if any(s.rows.has_weights for s in contents.samples):
        yield "Rows were weighted by their sampling weights in estimates and standard errors."
    if any(m.uses_sample_prevalence for m in contents.measures):
        designs = {e.rows.design for e in contents.estimates}
        if "cohort" in designs:
            yield (
                "The prevalence was estimated from the sample; standard errors account for its "
                "sampling error."
            )
        else:
            yield "The prevalence is the proportion of positives in the case-control sample."
    excluded = {
        "missing values": sum(s.rows.dropped for s in contents.samples),
        "other labels": sum(s.rows.left_out for s in contents.samples),
    }
    for words in dict.fromkeys(s.rows.rest for s in contents.samples if s.rows.rest):
        yield f"{'Data' if hasattr(words, 'curve') else 'Classes'} were {words}."
    for reason, n in excluded.items():
        if n:
            yield f"{fmt.count(n, 'row')} with {reason} {'was' if n == 1 else 'were'} left out."


def _intervals(contents: Contents, references: References) -> Iterator[str]:  # noqa: ARG001
    """Yield sentences on the confidence intervals of estimates."""
    estimates = contents.estimates
    if not estimates:
        return
    used = [e.kind_used(contents.kind) for e in estimates]
    kinds = listed_kinds(used)
    level = fmt.percent(contents.level)
    with_t = any(e.df_used(contents.kind) < math.inf for e in estimates)
    quantiles = ", with quantiles of the t distribution" * with_t
    yield f"Intervals of estimates are {level} {kinds} intervals{quantiles}."
    if any(
        u == "logit" and isinstance(e.limits, OfLogOdds)
        for u, e in zip(used, estimates, strict=True)
    ):
        yield "Standard errors allow for the estimated ends of the region, or for unseen scores."
    if PROFILE in used:
        yield (
            "Profile intervals are the range of a measure over the joint region of the mid-p "
            "limits of the proportions of which it is a function."
        )
    if "limit" in used:
        yield (
            "If the standard error is 0 or the estimate is at an end of its range, the interval "
            "depends only on the number of observations (limit interval)."
        )


def _tests(contents: Contents, references: References) -> Iterator[str]:
    """Yield sentences on the tests of differences."""
    comparisons = contents.comparisons
    if not comparisons:
        return
    first, kind = comparisons[0], contents.kind_of(comparisons[0])
    kinds = [c.kind_used(kind) for c in comparisons]
    deviate = "t" if any(c.df_used(kind) < math.inf for c in comparisons) else "z"
    test = (
        f"{deviate} tests"
        if not set(kinds) & {*BOOTSTRAP_KINDS, NEWCOMBE}
        else f"tests that invert {listed_kinds(kinds)} intervals"
    )
    yield (
        f"Differences between classifiers (first minus second) were tested against "
        f"{first.null:g} with {fmt.sided(first.alternative)} {test}."
    )
    if first.paired:
        yield "The tests include the covariance of classifiers on the same rows (paired)."
    else:
        yield "The samples were treated as independent."
    level = fmt.percent(contents.level)
    yield f"The {level} {listed_kinds(kinds)} intervals of differences agree with the tests."
    if NEWCOMBE in kinds:
        yield (
            "Newcombe intervals combine the limits of both estimates, with their correlation "
            f"{references.cite(_ZOU_DONNER)}."
        )
    families = [r for r in contents.of(Comparisons) if not isinstance(r, GroupComparisons)]
    for family in families:
        if len(family) > 1:
            yield _adjustment(family.adjust, len(family), references)


def _adjustment(adjust: str, count: int, references: References) -> str:
    if adjust == "none":
        return f"The p-values of the {count} comparisons are not adjusted."
    if adjust == "max-t":
        return (
            f"The p-values of the {count} comparisons are adjusted, and their intervals are "
            "simultaneous, based on the distribution of the largest of the correlated statistics "
            "(max-t)."
        )
    cited = f" {references.cite(_HOLM)}" if adjust == "holm" else ""
    method = fmt.proper(adjust)
    return f"The p-values of the {count} comparisons are adjusted by the method of {method}{cited}."


def _groups(contents: Contents, references: References) -> Iterator[str]:
    """Yield sentences on the results by group."""
    groups = list({result.by: result for result in contents.groups}.values())
    if not groups:
        return
    names = fmt.listed([f"{g.by} ({len(g.groups):,} groups)" for g in groups])
    yield f"Results are reported by {names}."
    for result in groups:
        text = (
            f"Gaps by {result.by} are the values of each group minus that of "
            f"{fmt.name_of_reference(result.reference)}"
        )
        if result.shared:
            units = result.shared_units
            text += f"; their standard errors account for {units} in several groups"
        yield f"{text}."
    if any(g.reference == "overall" for g in groups):
        yield ("The intervals of gaps of estimates from all rows include the covariance of both.")
    used = {test.test for result in contents.groups for test in result._tests[0]}
    sources = {"Welch's test": _WELCH, "Hotelling's test": _ANDERSON}
    if used:
        tests = [f"{n} {references.cite(s)}" for n, s in sources.items() if n in used]
        yield (
            "The hypothesis that a measure is the same in all groups was tested on the scale of "
            f"the intervals, by {fmt.listed(tests)}."
        )


def _points(contents: Contents, _: References) -> Iterator[str]:
    """Yield sentences on the operating points and their intervals."""
    results = contents.of(OperatingPoints)
    if not results:
        return
    thresholds = "at every rating"
    if any(p.selected is not None for p in results):
        criteria = [
            f"the {pick.label}" if pick.by_threshold else pick.criterion
            for p in results
            for pick in p.selected or ()
        ]
        thresholds = f"at {', '.join(dict.fromkeys(criteria))}"
    yield (
        f"Operating points are given {thresholds}, with mid-p intervals of proportions and profile "
        "intervals of other measures, which treat each threshold as fixed in advance."
    )
    if any(p.by_rule for p in results):
        yield (
            "For a threshold that was selected to attain a given specificity or sensitivity, the "
            "interval of this rule, which accounts for the selection of the threshold, is reported "
            "too."
        )


def _cutoffs(contents: Contents, references: References) -> Iterator[str]:
    """Yield sentences on cut-offs that were chosen from the data."""
    cutoffs = contents.of(Cutoff)
    if not cutoffs:
        return
    k = cutoffs[0]
    yield (
        f"The cut-off with {k.rule} was chosen from the data. Its sensitivity and specificity in "
        f"the same data are biased upwards {references.cite(_LEEFLANG)}; for new observations the "
        f"optimism was estimated by {k.folds}-fold cross-fitting "
        f"({fmt.count(k.repeats, 'repetition')}) and subtracted."
    )


def _readers(analysis: ReaderAnalysis, level: float, references: References) -> str:
    """Return sentences on the factors, intervals and tests of a reader study."""
    cited = ""
    if analysis.random_readers and analysis.random_cases and analysis.method != "u-statistic":
        cited = (
            f" The method is described by Obuchowski and Rockette "
            f"{references.cite(_OBUCHOWSKI_ROCKETTE)} and Hillis {references.cite(_HILLIS)}."
        )
    factors = analysis._sentences(level, None)[-1]
    tests = (
        f" Tests of differences are against {analysis.null:g}, "
        f"{fmt.sided(analysis.alternative)}; p-values are not adjusted."
        if analysis.contrasts
        else ""
    )
    return (
        f"{factors}{cited} The intervals and standard errors of single readers are over "
        f"cases.{tests}"
    )


def listed_kinds(kinds: Sequence[str]) -> str:
    """Return the distinct kinds of intervals, joined with "and"."""
    return " and ".join(dict.fromkeys(map(fmt.proper, kinds)))
