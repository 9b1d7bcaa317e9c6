"""Checked arguments of estimates and comparisons."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from numbers import Real
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, cast

from pauci import checks
from pauci.checks import check_choice, check_flag, kind_of, show_first
from pauci.curve.region import OTHER_NAMES
from pauci.errors import InputError, InputTypeError, each_warning_once
from pauci.intervals.analytic import Alternative
from pauci.measures.base import Combination, Measure, constructor_arguments
from pauci.measures.classes import ClassMeasure, VersusRest
from pauci.sample.sample import Imputations, Sample
from pauci.variance.method import DeltaVariance, InfluenceVariance, VarianceMethod

if TYPE_CHECKING:
    from pauci.fits.curve_fits import CurveFit

F = TypeVar("F", bound=Callable[..., Any])

METHODS: dict[str, VarianceMethod] = {m.key: m for m in (InfluenceVariance(), DeltaVariance())}
"""Methods without options, by name."""

VarianceName = Literal["influence", "delta", "jackknife", "bootstrap"]

Variance = VarianceName | VarianceMethod


def method_of(variance: object, argument: str = "variance") -> VarianceMethod:
    """Return the variance method for the argument `variance` of a function, or for `argument`."""
    if isinstance(variance, str) and variance in METHODS:
        return METHODS[variance]
    if isinstance(variance, Measure) or (
        isinstance(variance, type) and issubclass(variance, Measure)
    ):
        raise InputTypeError.of(
            argument,
            variance,
            "is a measure. Pass several measures as a list: [pauci.AUC(), pauci.AP()].",
        )
    if isinstance(variance, VarianceMethod):
        return variance
    if isinstance(variance, type) and issubclass(variance, VarianceMethod):
        name = variance.__name__
        instance = f"pauci.{name}" if name in ("Bootstrap", "Jackknife") else name
        raise InputTypeError.of(argument, variance, f"is a class; pass {instance}().", shown=name)
    if checks.equal(variance, "bootstrap"):
        from pauci.resampling.bootstrap import Bootstrap

        return Bootstrap()
    if checks.equal(variance, "jackknife"):
        from pauci.variance.leave_one_out import Jackknife

        return Jackknife()
    if not isinstance(variance, str) and variance is not None:
        raise InputTypeError.of(
            argument,
            variance,
            f"is not a variance method. Pass one of {', '.join(map(repr, METHODS))}, "
            "pauci.Bootstrap(), pauci.Jackknife(), or an object of a class derived from "
            "pauci.variance.VarianceMethod.",
            hint="A confidence level is an argument of the result, such as "
            "result.interval(level=0.95), and a null hypothesis is passed by keyword, null=."
            if isinstance(variance, Real)
            else "",
        )
    check_choice(argument, variance, (*METHODS, "jackknife", "bootstrap"))
    raise AssertionError  # the choices are above


def check_sample(sample: object, verb: str, more: str = "") -> None:
    """Raise an error for anything but a `Sample`; `more` are further arguments in the example."""
    if not isinstance(sample, Sample):
        raise InputTypeError.about(
            "sample",
            f"is {kind_of(sample)}, but {verb} needs a Sample: "
            f"pauci.{verb}(pauci.Sample(y_true, y_score){more}).",
            value=sample,
        )


def check_one_classifier(sample: Sample, subject: str) -> None:
    """Raise an error for several classifiers; `subject` precedes "for a single one"."""
    if len(sample) > 1:
        raise InputError(
            f"sample holds {len(sample)} classifiers ({', '.join(sample.names)}), but {subject} "
            f"for a single one; select it with sample[{sample.names[0]!r}]."
        )


def measures_of(measure: object) -> list[Measure]:
    """Return a measure or a sequence of measures as a list, or raise an error."""
    measures: list[Any] = [measure]
    if isinstance(measure, (list, tuple)):
        measures = list(measure)
    if not measures:
        raise InputError.of(
            "measure", measure, "contains no measure; pass one, such as pauci.AUC().", shown="[]"
        )
    for i, m in enumerate(measures):
        if isinstance(m, type) and issubclass(m, Measure):
            example = f"({m.scalar}=0.1)" if m.scalar else "(fpr=(0, 0.1))" if m.kinds else "()"
            raise InputTypeError.of(
                "measure",
                m,
                f"is a class; pass pauci.{m.__name__}{example}.",
                shown=m.__name__,
            )
        if isinstance(m, Measure):
            continue
        if callable(m) and not isinstance(m, type):
            from pauci.measures.base import Statistic

            measures[i] = Statistic(m)
        else:
            raise InputTypeError.of(
                "measure",
                m,
                "is not a measure; pass an object such as pauci.PAUCc(fpr=(0, 0.1)) or "
                "pauci.AUC().",
                shown=repr(m) if len(repr(m)) <= 60 else kind_of(m),
            )
    return measures


def pooled_over_imputations(function: F) -> F:
    """Let a function of a sample pool its results over `Imputations`."""

    @wraps(function)
    def evaluate(*args: Any, **options: Any) -> Any:
        named = "sample" if "sample" in options else "samples"
        first = args[0] if args else options.get(named)
        if not isinstance(first, Imputations):
            return function(*args, **options)
        from pauci.inference.pool import pool

        with each_warning_once():
            if args:
                return pool([function(sample, *args[1:], **options) for sample in first])
            return pool([function(**{**options, named: sample}) for sample in first])

    return cast("F", evaluate)


def measures_of_classes(measures: Sequence[Measure], samples: Sequence[Sample]) -> list[Measure]:
    """Return the measures of samples, with a plain measure for each class against the rest."""
    classes = set(map(attrgetter("classes"), samples))
    if classes == {()} or not classes:
        return list(measures)
    if len(classes) > 1:
        raise InputError(
            "the samples have different classes: "
            f"{', '.join(show_first(list(c)) if c else 'positives and negatives' for c in classes)}"
            ". Results of samples are joined by pauci.join.",
            argument="sample",
        )
    (labels,) = classes
    return [
        each
        for m in measures
        for each in ([m] if isinstance(m, ClassMeasure) else [VersusRest(m, v) for v in labels])
    ]


def possible_difference(argument: str, value: object, measures: Iterable[Measure]) -> float:
    """Return a difference between two values of each measure, or raise an error."""
    difference = checks.finite(argument, value)
    for m in measures:
        low, high = m.range
        if abs(difference) >= high - low:
            words = "is not a possible difference: ", m, f" lies between {low:g} and {high:g}."
            raise InputError.of(argument, value, words)
    return difference


def hint_about_rates(measure: Measure) -> str:
    """Return the advice to specify a region by rates instead of scores.

    It is empty for a measure that has no other region.
    """
    if isinstance(measure, Combination):
        of_parts = [hint_about_rates(m) for m in measure.parts if m.region.scores]
        return of_parts[0] if of_parts else ""
    arguments = constructor_arguments(type(measure))
    if measure.region.is_point:
        names = [OTHER_NAMES[axis] for axis in OTHER_NAMES if axis in arguments]
    else:
        names = [axis for axis in OTHER_NAMES if axis in arguments]
    return f"Specify the region by {' or '.join(f'{n}=' for n in names)}." if names else ""


def one_or_two_samples(samples: Any, argument: str, example: str) -> list[Sample]:
    """Return a list of one or two samples, with a total of one or two classifiers.

    Errors mention the `argument` and an `example` of a call.
    """
    listed: list[Any] = list(samples) if isinstance(samples, (list, tuple)) else [samples]
    if not listed or not all(isinstance(s, Sample) for s in listed):
        raise InputTypeError.about(
            argument,
            f"is {kind_of(samples)}; pass a Sample, or a list of two: {example}",
            value=samples,
        )
    names = [name for s in listed for name in s.names]
    if len(names) > 2 or len(listed) > len(names) or (len(listed) == 2 and len(names) != 2):
        advice = "pass two samples of one classifier each"
        if len(listed) == 1:
            advice = (
                f"select these with sample[{names[0]!r}] or sample[[{names[0]!r}, {names[1]!r}]]"
            )
        raise InputError.about(
            argument,
            f"has {len(names)} classifiers ({', '.join(names)}), but one is needed, or two for "
            f"their difference; {advice}.",
            value=samples,
        )
    if len(listed) == 2 and listed[0].rows is listed[1].rows:
        raise InputError(
            "two samples in the list have the same rows, so they are not independent. For paired "
            f"differences pass one sample: sample[[{names[0]!r}, {names[1]!r}]].",
            argument=argument,
        )
    return listed


def check_options(
    samples: object,
    listed: Sequence[Sample],
    flags: Mapping[str, object],
    by: object,
    reference: object,
) -> Any:
    """Raise an error for flags and groups that do not fit each other or the samples.

    `samples` is the argument of the function, and `listed` are the samples in it. The flags are
    `independent`, `shared_clusters`, `conservative` and `skip_small`. The function returns `by`,
    which is "horizon" for a sample with several horizons.
    """
    if isinstance(samples, Sample) and samples.rows.horizons:
        if by is not None:
            raise InputError.of(
                "by",
                by,
                "is not available for several horizons.",
                shown="",
                hint=f"Pass one of them, such as horizon={samples.horizons[0]}.",
            )
        by = "horizon"
    for argument, value in flags.items():
        check_flag(argument, value)
    if flags["shared_clusters"]:
        check_relation_of_clusters(flags["shared_clusters"], flags["independent"])
        _check_shared_clusters(samples)
    if flags["conservative"] and all(not s.rows.has_folds for s in listed):
        raise InputError.of(
            "conservative",
            True,
            "is for cross-validation folds, but the samples have none.",
            hint="Specify the fold of each row by fold=.",
        )
    if by is not None:
        _check_groups(by, samples, flags)
        return by
    if flags["independent"]:
        check_independent(samples, independent=True)
    for argument, value in (("reference", reference), ("skip_small", flags["skip_small"] or None)):
        if value is not None:
            raise InputError.of(argument, value, "is for estimates by group; pass by= too.")
    return None


def samples_or_fits(
    value: object, argument: str, needed: str
) -> "tuple[list[Sample], list[CurveFit]]":
    """Return a list of samples and a list of fitted curves, one of which is empty.

    Parameters
    ----------
    value : object
        A sample or a fitted curve, or several in a list.
    argument : str
        The name of the argument.
    needed : str
        What the function needs, with an example.
    """
    if isinstance(value, Sample):
        return [value], []
    listed: list[Any] = list(value) if isinstance(value, (list, tuple)) else [value]
    fits = sys.modules.get("pauci.fits.curve_fits")  # not loaded before the first fit
    if listed and fits is not None and all(isinstance(s, fits.CurveFit) for s in listed):
        return [], listed
    if not listed:
        raise InputError.about(argument, f"has length 0, but {needed}", value=value)
    if not all(isinstance(s, Sample) for s in listed):
        kind = kind_of(value)
        if kind == "a ReaderStudy":
            needed = "pauci.mrmc analyses readers: pauci.mrmc(study, pauci.AUC())."
        raise InputTypeError.about(argument, f"is {kind}, but {needed}", value=value)
    return listed, []


def check_independent(samples: object, independent: object) -> None:
    """Raise an error if a single sample is called independent."""
    check_flag("independent", independent)
    if independent and isinstance(samples, Sample):
        raise InputError.of(
            "independent",
            independent,
            "needs a list of samples; the classifiers of one sample have the same rows, so their "
            "comparison is paired.",
        )


def check_relation_of_clusters(shared_clusters: object, independent: object) -> None:
    """Raise an error for flags that are not boolean, or that contradict each other."""
    check_flag("shared_clusters", shared_clusters)
    if shared_clusters and independent:
        raise _invalid_relation(
            "means that equal cluster labels are the same clusters, but independent=True means "
            "that they are not.",
            "Pass only one of them.",
        )


def _invalid_relation(message: str, hint: str) -> InputError:
    return InputError.of("shared_clusters", True, f"{message}", hint=hint)


def _check_shared_clusters(samples: object) -> None:
    """Raise an error if `shared_clusters` is set without a list of samples with clusters."""
    if not isinstance(samples, (list, tuple)) or not all(isinstance(s, Sample) for s in samples):
        raise _invalid_relation(
            "needs a list of samples. The covariance of classifiers of one sample is always "
            "estimated, and that of curves fitted to different samples is not available.",
            "Omit this argument.",
        )
    for i, sample in enumerate(samples, 1):
        if sample.rows.cluster_labels is None:
            raise _invalid_relation(
                f"needs the cluster of each row, but sample {i} has no clusters.",
                "Pass cluster= to Sample.",
            )
        if sample.rows.has_folds:
            raise _invalid_relation(
                f"is not available for averages over folds, but sample {i} has folds.",
                "Omit fold=, or pass independent=True if the clusters are different.",
            )


def _check_groups(by: object, sample: object, flags: Mapping[str, object]) -> None:
    """Raise an error for estimates by group that do not fit the other arguments."""
    if not isinstance(sample, Sample):
        raise InputTypeError.of(
            "by",
            by,
            f"needs a single Sample, but the data are {kind_of(sample)}.",
            shown="",
            hint="Put the rows of all groups into one sample.",
        )
    for argument in ("independent", "shared_clusters"):
        if flags[argument]:
            raise InputError.of(
                argument,
                flags[argument],
                "is for a list of samples; the units that groups of a sample have in common are "
                "known from cluster=.",
            )


Target = tuple[str, Measure]
"""A classifier and a measure of it."""


class SampleRequest(NamedTuple):
    """A sample with the arguments for its estimates."""

    sample: Sample
    targets: Sequence[Target]
    method: VarianceMethod
    """The source of standard errors."""
    conservative: bool = False
    """Whether the variance of averages over folds is doubled."""


class DifferenceTests(NamedTuple):
    """The tests of differences between targets."""

    positions: Sequence[tuple[int, int]]
    """The positions of both targets of each difference."""
    null: float
    alternative: Alternative
    adjust: str
    """The adjustment of p-values."""


MAX_DIFFERENCES = 5_000
"""The covariance matrix of this number of differences takes 200 MB, and grows with its square."""


def check_number_of_differences(
    names: Sequence[str], differences: int, groups: int = 1, *, paired: bool = True
) -> None:
    """Raise an error if there are more differences than can be compared in one call."""
    number = differences * groups
    if number <= MAX_DIFFERENCES:
        return
    in_groups = f" in {groups} groups" if groups > 1 else ""
    baseline = f"Compare all with one of them, such as baseline={names[0]!r}, or pass"
    raise InputError.about(
        "samples",
        f"has {len(names)} classifiers, which have {number:,} differences{in_groups}; at most "
        f"{MAX_DIFFERENCES:,} are compared.",
        value=list(names),
        hint=f"{baseline} some pairs, such as pair=[({names[0]!r}, {names[1]!r})]."
        if paired
        else "Pass fewer of them.",
    )
