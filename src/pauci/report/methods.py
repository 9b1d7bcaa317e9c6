"""The methods paragraph of a page, with its references and the versions of the software."""

import math
import tomllib
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from importlib.resources import files

from pauci.analyses.operating_points import OperatingPoints
from pauci.cutoffs.cutoff_results import Cutoff
from pauci.intervals.analytic import BOOTSTRAP_KINDS, NEWCOMBE
from pauci.intervals.mid_p import PROFILE
from pauci.measures.base import Statistic
from pauci.measures.classes import OfAllClasses
from pauci.readers.analysis import ReaderAnalysis
from pauci.report.contents import Contents
from pauci.results.captions import name_on, region_suffix
from pauci.results.limits import OfLogOdds
from pauci.tables import number_format as fmt
from pauci.tables.json_document import versions

_DELONG = "DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837-845"


class References:
    """A list of references, numbered in the order of their first citation."""

    def __init__(self) -> None:
        text = files("pauci.report").joinpath("references.toml").read_text("utf-8")
        self.entries, self.full_forms = list[str](), tomllib.loads(text)

    def cite(self, reference: str) -> str:
        """Return the number of a reference in brackets; ``references.toml`` has the full form."""
        entry = self.full_forms.get(reference, f"{reference}.")
        if entry not in self.entries:
            self.entries.append(entry)
        return f"[{self.entries.index(entry) + 1}]"


Cite = Callable[[str], str]
"""The method `References.cite`."""


def paragraphs(contents: Contents, cite: Cite) -> list[str]:
    """Return the methods in a few paragraphs, the last one about the software."""
    parts = [(about_measures,), (_errors, _intervals), (_tests,), (_groups,), (_points, _cutoffs)]
    texts = [" ".join(s for part in group for s in part(contents, cite)) for group in parts]
    texts += [_readers(m, contents.level, cite) for m in contents.of(ReaderAnalysis)[:1]]
    numbers = versions()
    software = (
        f"Computations were performed with pauci {numbers['pauci']} in Python {numbers['python']}, "
        f"with NumPy {numbers['numpy']} {cite('Harris et al. 2020')} and SciPy {numbers['scipy']} "
        f"{cite('Virtanen et al. 2020')}; figures were drawn with Matplotlib "
        f"{version('matplotlib')}."
    )
    return [*filter(None, texts), software]


def about_measures(contents: Contents, cite: Cite) -> Iterator[str]:
    """Yield sentences on measures and their regions."""
    measures = contents.measures
    rest = next((s.rows.rest for s in contents.samples), "")
    for measure in measures:
        if isinstance(measure, Statistic):
            yield f"The {measure.name} was evaluated as a function of labels and scores."
            continue
        meaning = _meaning(type(measure).__doc__) if measure.has_region else ""
        cited = f" {cite(measure.reference)}" if measure.has_region else ""
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


def _errors(contents: Contents, cite: Cite) -> Iterator[str]:
    """Yield sentences on the standard errors."""
    if not contents.estimates:
        return
    first = contents.estimates[0]
    if first.variance == "influence":
        yield (
            "Standard errors were calculated from influence values, which extend the method of "
            f"DeLong et al. {cite(_DELONG)} to parts of the curve."
        )
    elif first.resampled is not None:
        sources = dict.fromkeys(e.resampled.source for e in contents.estimates if e.resampled)
        source = "; ".join(sources)
        yield f"Standard errors were estimated with a {source} {cite('Efron 1987')}."
        yield "Regions in FPR or TPR were determined anew in each resample."
    elif first.variance == "jackknife":
        cited = cite("Efron and Stein 1981")
        yield f"Standard errors were estimated with the jackknife {cited}."
    else:
        yield f"Standard errors were estimated with the {first.source} method."
    yield from _rows(contents, cite)


def _rows(contents: Contents, cite: Cite) -> Iterator[str]:
    """Yield sentences on clusters, weights, the prevalence and excluded rows."""
    clusters = dict.fromkeys(e.rows.clusters for e in contents.estimates if e.group is None)
    if numbers := " and ".join(f"{n:,}" for n in clusters if n is not None):
        yield f"They account for the {numbers} clusters of rows {cite('Obuchowski 1997')}."
    weighted = [s.rows.has_weights for s in contents.samples]
    if any([*weighted, *(e.rows.weighted for e in contents.estimates)]):
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


def _intervals(contents: Contents, _: Cite) -> Iterator[str]:
    """Yield sentences on the confidence intervals of estimates."""
    estimates = contents.estimates
    if not estimates:
        return
    kinds = [e.kind_used(contents.kind) for e in estimates]
    level, used = fmt.percent(contents.level), set(kinds)
    with_t = any(e.df_used(contents.kind) < math.inf for e in estimates)
    quantiles = ", with quantiles of the t distribution" * with_t
    yield f"Intervals of estimates are {level} {listed_kinds(kinds)} intervals{quantiles}."
    extended = [isinstance(e.limits, OfLogOdds) for e in estimates]
    if ("logit", True) in zip(kinds, extended, strict=True):
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


def _tests(contents: Contents, cite: Cite) -> Iterator[str]:
    """Yield sentences on the tests of differences."""
    comparisons = contents.comparisons
    if not comparisons:
        return
    first, kind = comparisons[0], contents.kind_of(comparisons[0])
    kinds = [c.kind_used(kind) for c in comparisons]
    test = f"tests that invert {listed_kinds(kinds)} intervals"
    if not set(kinds) & {*BOOTSTRAP_KINDS, NEWCOMBE}:
        test = f"{'t' if any(c.df_used(kind) < math.inf for c in comparisons) else 'z'} tests"
    yield (
        f"Differences between classifiers (first minus second) were tested against "
        f"{first.null:g} with {fmt.sided(first.alternative)} {test}."
    )
    paired = "The tests include the covariance of classifiers on the same rows (paired)."
    yield paired if first.paired else "The samples were treated as independent."
    level = fmt.percent(contents.level)
    yield f"The {level} {listed_kinds(kinds)} intervals of differences agree with the tests."
    if NEWCOMBE in kinds:
        yield (
            "Newcombe intervals combine the limits of both estimates, with their correlation "
            f"{cite('Zou and Donner 2008')}."
        )
    for family in contents.families:
        if len(family) > 1:
            yield _adjustment(family.adjust, len(family), cite)


def _adjustment(adjust: str, count: int, cite: Cite) -> str:
    how = "not adjusted"
    if adjust == "max-t":
        how = (
            "adjusted, and their intervals are simultaneous, based on the distribution of the "
            "largest of the correlated statistics (max-t)"
        )
    elif adjust != "none":
        cited = f" {cite('Holm 1979')}" if adjust == "holm" else ""
        how = f"adjusted by the method of {fmt.proper(adjust)}{cited}"
    return f"The p-values of the {count} comparisons are {how}."


def _groups(contents: Contents, cite: Cite) -> Iterator[str]:
    """Yield sentences on the results by group."""
    groups = list({result.by: result for result in contents.groups}.values())
    if not groups:
        return
    names = fmt.listed([f"{g.by} ({len(g.groups):,} groups)" for g in groups])
    yield f"Results are reported by {names}."
    for result in groups:
        reference, units = fmt.name_of_reference(result.reference), result.shared_units
        shared = f"; their standard errors account for {units} in several groups" * result.shared
        yield f"Gaps by {result.by} are the values of each group minus that of {reference}{shared}."
    if any(g.reference == "overall" for g in groups):
        yield "The intervals of gaps of estimates from all rows include the covariance of both."
    used = {test.test for result in contents.groups for test in result._tests[0]}
    sources = {"Welch's test": "Welch 1951", "Hotelling's test": "Anderson 2003"}
    tests = [f"{n} {cite(s)}" for n, s in sources.items() if n in used]
    if tests:
        yield (
            "The hypothesis that a measure is the same in all groups was tested on the scale of "
            f"the intervals, by {fmt.listed(tests)}."
        )


def _points(contents: Contents, _: Cite) -> Iterator[str]:
    """Yield sentences on the operating points and their intervals."""
    results = contents.of(OperatingPoints)
    if not results:
        return
    picks = [pick for p in results for pick in p.selected or ()]
    criteria = [f"the {pick.label}" if pick.by_threshold else pick.criterion for pick in picks]
    if all(p.selected is None for p in results):
        criteria = ["every rating"]
    thresholds = ", ".join(dict.fromkeys(criteria))
    yield (
        f"Operating points are given at {thresholds}, with mid-p intervals of proportions and "
        "profile intervals of other measures, which treat each threshold as fixed in advance."
    )
    if any(p.by_rule for p in results):
        yield (
            "For a threshold that was selected to attain a given specificity or sensitivity, the "
            "interval of this rule, which accounts for the selection of the threshold, is reported "
            "too."
        )


def _cutoffs(contents: Contents, cite: Cite) -> Iterator[str]:
    """Yield sentences on cut-offs that were chosen from the data."""
    cutoffs = contents.of(Cutoff)
    if not cutoffs:
        return
    k = cutoffs[0]
    yield (
        f"The cut-off with {k.rule} was chosen from the data. Its sensitivity and specificity in "
        f"the same data are biased upwards {cite('Leeflang et al. 2008')}; for new observations "
        f"the optimism was estimated by {k.folds}-fold cross-fitting "
        f"({fmt.count(k.repeats, 'repetition')}) and subtracted."
    )


def _readers(analysis: ReaderAnalysis, level: float, cite: Cite) -> str:
    """Return sentences on the factors, intervals and tests of a reader study."""
    text = analysis._sentences(level, None)[-1]
    if analysis.random_readers and analysis.random_cases and analysis.method != "u-statistic":
        sources = [f"{s[:-5]} {cite(s)}" for s in ("Obuchowski and Rockette 1995", "Hillis 2007")]
        text += f" The method is described by {fmt.listed(sources)}."
    text += " The intervals and standard errors of single readers are over cases."
    if analysis.contrasts:
        text += (
            f" Tests of differences are against {analysis.null:g}, "
            f"{fmt.sided(analysis.alternative)}; p-values are not adjusted."
        )
    return text


def listed_kinds(kinds: Sequence[str]) -> str:
    """Return the distinct kinds of intervals, joined with "and"."""
    return " and ".join(dict.fromkeys(map(fmt.proper, kinds)))
