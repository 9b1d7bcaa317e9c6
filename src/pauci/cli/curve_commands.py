"""``pauci band`` and ``pauci fit``: bands and fits of curves of score columns or tables."""

from collections.abc import Callable
from typing import Any

from pauci import plot as figures
from pauci.analyses.band import band
from pauci.cli import options as opt
from pauci.cli.measure_options import measures_of
from pauci.cli.output import FigureFile, Result, give
from pauci.cli.samples import sample_of, tables_of
from pauci.cli.typed_commands import command
from pauci.errors import InputError
from pauci.fits.curve_fits import fit_binormal, fit_contaminated, fit_proper
from pauci.fits.fit import CurveFit
from pauci.fits.goodness import warn_about_fit
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.sample.rows import Design as DesignName
from pauci.sample.sample import Sample

_FITS: dict[str, Callable[..., CurveFit]] = {
    "binormal": fit_binormal,
    "proper": fit_proper,
    "contaminated": fit_contaminated,
}

_OF_ROWS = (
    "label",
    "positive",
    "drop_missing",
    "frequency",
    "weight",
    "cluster",
    "resolution",
    "database",
    "categories",
)
"""Options for rows, which do not apply to tables of counts."""


def _curves_of(
    file: str, reading: opt.Reading, columns: opt.CurveColumns, design: DesignName
) -> list[Sample]:
    """Read one sample of all score columns of a file, or one of each table of counts in it."""
    counts = {name: getattr(columns, name) for name in ("positives_column", "negatives_column")}
    if not any(counts.values()):
        if columns.by is not None:
            raise InputError(
                "--by requires --positives-column and --negatives-column, which are for "
                "tables of counts.",
                argument="by",
            )
        if columns.label is None:
            raise InputError(
                "--label is missing: name the column of the labels, or the columns of a table of "
                "counts with --positives-column and --negatives-column.",
                argument="label",
            )
        return [sample_of(file, reading, opt.RowColumns.of(columns, columns.label), design)]
    for name in _OF_ROWS:
        if getattr(columns, name):
            raise InputError.about(
                name,
                "applies to rows, but --positives-column and --negatives-column are for a table "
                "of counts.",
            )
    for name, column in counts.items():
        if column is None:
            raise InputError.about(name, "is missing: a table must have counts of both classes.")
    if len(columns.scores) > 1:
        raise InputError("a table of counts has one --score column.", argument="scores")
    of_counts = opt.CountColumns(
        score=columns.scores[0],
        by=columns.by,
        **counts,
        lower_is_positive=columns.lower_is_positive,
    )
    return tables_of([file], reading, of_counts, design)


@command(
    "band",
    short_help="Confidence bands of curves and of their difference.",
    example="pauci band example:ljubljana_scores --label recurrence --score svm --fpr 0 0.3",
)
def band_command(
    file: opt.CurvesFile,
    columns: opt.CurveColumns,
    design: opt.Design,
    reading: opt.Reading,
    level: opt.Level,
    output: opt.OutputOptions,
    plot: opt.PlotOfBand,
    dpi: opt.Dpi,
    region: opt.BandRegion,
    kind: opt.KindOfBand,
    points: opt.BandOfPoints,
) -> None:
    """Compute a confidence band of an ROC curve, or of the difference of two.

    One --score column of FILE gives the band of its curve, two give the band of their difference on
    the same rows. Two tables of counts give that of the difference of independent samples.
    """
    destination, figure = output.checked(), FigureFile.of(plot, dpi=dpi)
    samples = _curves_of(file, reading, columns, design)
    names = [name for sample in samples for name in sample.names]
    if len(names) > 2:
        raise InputError(
            f"a band requires one classifier, or two for their difference, but there are "
            f"{len(names)}: {', '.join(names)}.",
            argument="scores",
        )
    result = band(samples, level, kind, region.fpr, specificity=region.specificity, points=points)
    figure.write(result.plot)
    give([Result("", result, {})], destination)


@command(
    "fit",
    short_help="Smooth curves by maximum likelihood, and measures of them.",
    example="pauci fit example:hanley_mcneil --score score --positives-column positives "
    "--negatives-column negatives --measure pauc --fpr 0 0.2",
)
def fit_command(
    file: opt.CurvesFile,
    columns: opt.CurveColumns,
    design: opt.Design,
    reading: opt.Reading,
    level: opt.Level,
    output: opt.OutputOptions,
    plot: opt.PlotOfFits,
    dpi: opt.Dpi,
    models: opt.Models,
    covariance: opt.CovarianceOfFit,
    measures: opt.OptionalMeasures,
    test: opt.ComparisonTest,
) -> None:
    """Fit a smooth ROC curve to each score column of FILE, or to each table of counts in it.

    Prints the parameters with their standard errors and the goodness of fit, and warns if the
    goodness-of-fit test rejects a curve. With --measure, measures of the fitted curves are added,
    and for several curves of the same form their comparisons, which are paired if the curves share
    rows.
    """
    measure_list = measures_of(measures, columns.categories)
    destination, figure = output.checked(), FigureFile.of(plot, dpi=dpi)
    models = tuple(dict.fromkeys(models))
    curves = [c for sample in _curves_of(file, reading, columns, design) for c in sample]
    fits = [_FITS[model](curve, covariance=covariance) for curve in curves for model in models]
    for fit in fits:
        warn_about_fit(fit.goodness, fit.model, fit.classifier)
    results: dict[str, Any] = {f"{fit.model.title} fit of {fit.classifier}": fit for fit in fits}
    if measure_list:
        results["estimates"] = estimate(fits, measure_list)
        if len(fits) > 1 and len(models) == 1:
            results["comparisons"] = compare(
                fits,
                measure_list[0] if len(measure_list) == 1 else measure_list,
                null=test.null,
                alternative=test.alternative,
                adjust=test.adjust,
            )
    if "comparisons" not in results:
        _refuse_test(test)
    figure.write(figures.fitted, fits, level=level)
    titles = results if len(results) > 1 else [""]
    give(
        [Result(t, r, {"level": level}) for t, r in zip(titles, results.values(), strict=True)],
        destination,
    )


def _refuse_test(test: opt.ComparisonTest) -> None:
    """Raise an error for options of a test if no test is made."""
    for name, default in {"null": 0.0, "alternative": "two-sided", "adjust": "holm"}.items():
        value = getattr(test, name)
        if value != default:
            raise InputError.of(
                name,
                value,
                "applies to tests, which require a --measure and at least two curves of one "
                "--model.",
            )
