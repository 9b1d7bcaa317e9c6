"""Warnings about clusters, weights and sizes of samples."""

from pauci.errors import (
    DegenerateWarning,
    DominantWeightsWarning,
    FewClustersWarning,
    UnequalSamplesWarning,
    warn,
)
from pauci.results.estimates import Estimate
from pauci.sample.rows import Rows
from pauci.tables import number_format as fmt

_FEWEST_UNITS = 5
"""Independent observations of a class below which a standard error is poorly estimated."""

_NEARLY_ALL = 0.85
"""Proportion of the variance above which a single sample determines the skewness of the error."""

_FEWEST_ALONE = 40
"""Observations of the smaller class of this sample below which the error is skewed."""


def warn_about_rows(rows: Rows, *, resampled: bool) -> None:
    """Warn about few clusters, and about weights with few effective rows.

    The bootstrap has its own warning about few clusters.
    """
    if rows.has_clusters and min(rows.units) < _FEWEST_UNITS and not resampled:
        warn(
            FewClustersWarning(
                f"one of the classes occurs in only {min(rows.units):g} of {rows.clusters} "
                f"clusters: standard errors from fewer than {_FEWEST_UNITS} clusters are "
                "unreliable and usually too small.",
                argument="cluster",
            )
        )
    if not rows.has_weights:
        return
    noun, counts = ("rows", rows.counts) if not rows.has_clusters else ("clusters", rows.units)
    classes = zip(("positives", "negatives"), rows.effective_units, counts, strict=True)
    for label, effective, count in classes:
        if effective < min(_FEWEST_UNITS, count / 2.0):
            warn(
                DominantWeightsWarning(
                    f"a few {noun} have nearly all the weight of the {label}, which are "
                    f"equivalent to {effective:.3g} {noun} of equal weight: standard errors from "
                    f"fewer than {_FEWEST_UNITS} {noun} are unreliable and usually too small.",
                    argument="weight",
                )
            )


def warn_about_degenerate(e: Estimate, *, tied: bool = False) -> None:
    """Warn about an estimate with standard error 0, or at an end of its range."""
    reason = "a value at an end of its range" if e.se > e.least_se else "standard error 0"
    reason += ", because all scores are tied" if tied else ""
    finding = f"the estimate, {fmt.number(e.value)}, has {reason}"
    warn(
        DegenerateWarning(
            f'{finding}, and intervals of kind "{e.kind_used()}" are used, which depend only on '
            "the number of observations.",
            finding=finding,
            measure=e.measure,
            classifier=e.classifier,
        )
    )


def warn_about_unequal(pair: tuple[Estimate, Estimate]) -> None:
    """Warn about a test of independent samples if the error of the smaller one is skewed.

    In a difference of similar samples the skewness of the errors cancels, but not if one sample has
    most of the variance. The variance is taken to be proportional to 1/n1 + 1/n0.
    """
    smaller, larger = sorted(pair, key=_variance_from_sizes, reverse=True)
    shares = [_variance_from_sizes(e) for e in (smaller, larger)]
    share, fewest = shares[0] / sum(shares), min(smaller.units)
    if share < _NEARLY_ALL or fewest >= _FEWEST_ALONE:
        return
    of_class = "positives" if smaller.units[0] <= smaller.units[1] else "negatives"
    warn(
        UnequalSamplesWarning(
            f"the difference of {smaller.measure!r} between {pair[0].classifier} and "
            f"{pair[1].classifier}: about {100.0 * share:.0f}% of its variance, judging by the "
            f"sample sizes, is due to {smaller.classifier} with {fewest:g} {of_class}, whose error "
            "is skewed. Under the null hypothesis, tests at level 5% can reject in 8 to 12%.",
            measure=smaller.measure,
            hint="Test the value of this sample against that of the other with "
            "Estimate.test(null=...).",
            shell_hint="Compare the interval of this sample with the value of the other.",
        )
    )


def _variance_from_sizes(e: Estimate) -> float:
    """Return 1/n1 + 1/n0 for the numbers of independent observations."""
    return sum(1.0 / n for n in e.units)
