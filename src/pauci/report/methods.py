"""The methods paragraph of a page, with its references and the versions of the software."""

import importlib.metadata
import math
import platform
from collections.abc import Iterator, Sequence

from pauci.intervals.kinds import BOOTSTRAP_KINDS
from pauci.intervals.two_by_two import METHODS
from pauci.measures.user_function import Statistic
from pauci.report.analysis import Analysis, where
from pauci.results import format as fmt

_DELONG = (
    "E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under two or "
    "more correlated receiver operating characteristic curves: a nonparametric approach, "
    "Biometrics 44:837-845."
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
_NUMPY = (
    "C. R. Harris, K. J. Millman, S. J. van der Walt et al. (2020), Array programming with NumPy, "
    "Nature 585:357-362."
)
_SCIPY = (
    "P. Virtanen, R. Gommers, T. E. Oliphant et al. (2020), SciPy 1.0: fundamental algorithms for "
    "scientific computing in Python, Nature Methods 17:261-272."
)

_KNOWN = {
    "DeLong, DeLong and Clarke-Pearson 1988": _DELONG,
    "Carrington et al. 2020": (
        "A. M. Carrington, P. W. Fieguth, H. Qazi et al. (2020), A new concordant partial AUC and "
        "partial c statistic for imbalanced data in the evaluation of machine learning algorithms, "
        "BMC Medical Informatics and Decision Making 20:4."
    ),
}
"""Sources of measures in full, by how they start where a measure names them."""


class References:
    """A numbered list of sources, each entered when it is first cited."""

    def __init__(self) -> None:
        self.entries: list[str] = []

    def cite(self, entry: str) -> str:
        """Return the number of a source, in brackets."""
        if entry not in self.entries:
            self.entries.append(entry)
        return f"[{self.entries.index(entry) + 1}]"

    def cite_measure(self, reference: str) -> str:
        """Return the number of the source that a measure names."""
        full = next((v for k, v in _KNOWN.items() if reference.startswith(k)), f"{reference}.")
        return self.cite(full)


def versions() -> dict[str, str]:
    """Return the versions of the software that the numbers rest on."""
    import pauci

    used = {"pauci": pauci.__version__, "Python": platform.python_version()}
    for name, package in {"NumPy": "numpy", "SciPy": "scipy", "Matplotlib": "matplotlib"}.items():
        used[name] = importlib.metadata.version(package)
    return used


def software(references: References) -> str:
    """Return the software with its versions, in a sentence."""
    v = versions()
    return (
        f"Computations were made with pauci {v['pauci']} in Python {v['Python']}, with NumPy "
        f"{v['NumPy']} {references.cite(_NUMPY)} and SciPy {v['SciPy']} {references.cite(_SCIPY)}; "
        f"figures were drawn with Matplotlib {v['Matplotlib']}."
    )


def paragraphs(analysis: Analysis, references: References) -> list[str]:
    """Return the methods in a few paragraphs."""
    parts = [(_measures,), (_errors, _intervals), (_tests,), (_points,)]
    made = [" ".join(s for part in those for s in part(analysis, references)) for those in parts]
    return [*filter(None, made), software(references)]


def _measures(analysis: Analysis, references: References) -> Iterator[str]:
    """Say what was estimated and where."""
    for measure in dict.fromkeys(analysis.measures):
        if isinstance(measure, Statistic):
            yield f"The {measure.name} was evaluated as a function of labels and scores."
            continue
        meaning = _meaning(type(measure).__doc__) if measure.has_region else ""
        cited = f" {references.cite_measure(measure.reference)}" if measure.has_region else ""
        said = f", {meaning}{cited}," if meaning else cited
        yield f"The {measure.name}{where(measure)}{said} was estimated from the empirical curve."
    if any("FPR" in m.region_phrase for m in analysis.measures):
        yield "Specificity is 1 - FPR, and sensitivity is TPR."
    if any(axis in m.region_phrase for m in analysis.measures for axis in ("FPR", "TPR")):
        yield "Bounds of regions by FPR or TPR lie on the estimated curve, and their error counts."


def _meaning(doc: str | None) -> str:
    """Return what a measure is, from the first line of its docstring: what follows its name."""
    first = (doc or "").strip().split("\n")[0].replace("`", "").rstrip(".")
    _, colon, meaning = first.partition(": ")
    return meaning if colon and ";" not in meaning else ""


def _errors(analysis: Analysis, references: References) -> Iterator[str]:
    """Say where standard errors come from, and what they allow for."""
    first = analysis.estimates[0]
    if first.variance == "influence":
        yield (
            "Standard errors come from influence values, which extend the method of DeLong et al. "
            f"{references.cite(_DELONG)} to parts of the curve."
        )
    elif first.resampled is not None:
        sources = dict.fromkeys(e.resampled.source for e in analysis.estimates if e.resampled)
        yield f"Standard errors come from a {'; '.join(sources)} {references.cite(_EFRON)}."
        yield "Regions by FPR or TPR were found again in each resample."
    elif first.variance == "jackknife":
        yield f"Standard errors come from the jackknife {references.cite(_EFRON_STEIN)}."
    else:
        yield f"Standard errors come from the {first.source} method."
    clustered = [s for s in analysis.each_sample if s.rows.clusters is not None]
    if clustered:
        numbers = " and ".join(f"{s.rows.clusters:,}" for s in clustered)
        yield f"They allow for {numbers} clusters of rows {references.cite(_OBUCHOWSKI)}."
    if any(s.rows.weight is not None for s in analysis.each_sample):
        yield "Rows count by their sampling weights, in estimates and standard errors."
    if any(m.uses_sample_prevalence for m in analysis.measures):
        designs = {s.design for s in analysis.each_sample}
        if "cohort" in designs:
            yield "The prevalence is that of the sample, and its sampling error counts."
        else:
            yield "The prevalence is the share of positives that was sampled."
    dropped = sum(s.rows.dropped for s in analysis.each_sample)
    if dropped:
        was = "was" if dropped == 1 else "were"
        yield f"{fmt.count(dropped, 'row')} with missing values {was} left out."
    left_out = sum(s.rows.left_out for s in analysis.each_sample)
    if left_out:
        was = "was" if left_out == 1 else "were"
        yield f"{fmt.count(left_out, 'row')} with other labels {was} left out."


def _intervals(analysis: Analysis, _: References) -> Iterator[str]:
    """Say how intervals of estimates are made."""
    options, estimates = analysis.options, analysis.estimates
    kinds = listed_kinds([e.kind_used(options.kind) for e in estimates])
    level = fmt.percent(options.level)
    with_t = any(e.df_used(options.kind) < math.inf for e in estimates)
    quantiles = ", with t quantiles where the variance is known from few observations" * with_t
    yield f"Intervals of estimates are {level} {kinds} intervals{quantiles}."
    if any(e.kind_used(options.kind) == "limit" for e in estimates):
        yield (
            "Where the standard error is 0, or the estimate at an end of its range, the interval "
            "rests on the number of observations alone (limit)."
        )


def _tests(analysis: Analysis, references: References) -> Iterator[str]:
    """Say how differences were tested."""
    each, options = analysis.each_comparison, analysis.options
    if not each:
        return
    kind = options.kind_of_differences
    how = "on the same rows, with the covariance of both (paired)"
    if not analysis.paired:
        how = "as independent samples"
    kinds = [c.kind_used(kind) for c in each]
    deviate = "t" if any(c.df_used(kind) < math.inf for c in each) else "z"
    test = f"{deviate} tests" if not set(kinds) & {*BOOTSTRAP_KINDS} else (
        f"tests that invert {listed_kinds(kinds)} bootstrap intervals"
    )  # fmt: skip
    sided = "two-sided" if options.alternative == "two-sided" else (
        f"one-sided, with the alternative that the difference is {options.alternative}"
    )  # fmt: skip
    yield (
        f"Differences between classifiers (first minus second) were tested {how}, by {test} "
        f"against {options.null:g}, {sided}; their {fmt.percent(options.level)} "
        f"{listed_kinds(kinds)} intervals agree with the tests."
    )
    if len(each) > 1:
        yield _adjustment(options.adjust or "none", len(each), references)


def _adjustment(adjust: str, count: int, references: References) -> str:
    if adjust == "none":
        return f"The p-values of the {count} comparisons are not adjusted."
    if adjust == "max-t":
        return (
            f"The p-values and intervals of the {count} comparisons hold all at once, by the "
            "largest of the correlated statistics (max-t)."
        )
    cited = f" {references.cite(_HOLM)}" if adjust == "holm" else ""
    return f"The p-values of the {count} comparisons are adjusted by {fmt.proper(adjust)}{cited}."


def _points(analysis: Analysis, _: References) -> Iterator[str]:
    """Say where operating points are, and how their intervals are made."""
    each = list(analysis.points.values())
    if not each:
        return
    where = "at every rating"
    if any(p.picks is not None for p in each):
        asked = [
            f"the threshold {fmt.bound(pick.threshold)}" if pick.by_threshold else pick.asked
            for p in each
            for pick in p.picks or ()
        ]
        where = f"at {', '.join(dict.fromkeys(asked))}"
    yield (
        f"Operating points are given {where}, with {METHODS[each[0].method]} intervals of "
        "proportions; they take each threshold as fixed before the data were seen."
    )
    if any(p.found for p in each):
        yield (
            "For a threshold that was found at a given specificity or sensitivity, the interval of "
            "that rule allows for the estimation of the threshold."
        )


def listed_kinds(kinds: Sequence[str]) -> str:
    """Return kinds of intervals, each once."""
    return " and ".join(dict.fromkeys(map(fmt.proper, kinds)))
