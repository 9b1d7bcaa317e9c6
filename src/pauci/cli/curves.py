"""``pauci band`` and ``pauci fit``: the whole curve of score columns or of tables of counts."""

from functools import partial
from typing import Any

import click

from pauci import plot as figures
from pauci.cli.figure import Figure
from pauci.cli.help import GroupedCommand, option
from pauci.cli.measure_options import measure_options, measures_of
from pauci.cli.options import (
    comparison_options,
    design_option,
    file_options,
    output_of,
    output_options,
    reading_of,
    row_options,
    with_options,
)
from pauci.cli.output import Result, give
from pauci.cli.parsing import AskedMeasures
from pauci.cli.samples import sample_of, tables_of
from pauci.errors import InputError, arg
from pauci.fits.fit import COVARIANCES
from pauci.fits.goodness import warn_about_fit
from pauci.fits.verbs import fit_binormal, fit_contaminated, fit_proper
from pauci.inference.band import band
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.sample.sample import Sample

MODELS = {"binormal": fit_binormal, "proper": fit_proper, "contaminated": fit_contaminated}

_UNTESTED = {"null": 0.0, "alternative": "two-sided", "adjust": "holm"}

_OF_ROWS = (
    "label", "positive", "drop_missing", "frequency", "weight", "cluster", "resolution", "database",
)  # fmt: skip
"""Options about rows, which a table of counts has none of."""


def curve_options(figure: str) -> list[Any]:
    """Return what says where the curves are: columns of scores, or tables of counts."""
    _, *others = row_options()
    return [
        option("Data", "--label", metavar="COLUMN", help="Column of the labels."),
        *others,
        option("Data", "--positives-column", metavar="COLUMN",
               help="Instead of --label, for a table with a row per category (--score): column of "
               "the counts of positives."),
        option("Data", "--negatives-column", metavar="COLUMN",
               help="Column of the counts of negatives of such a table."),
        option("Data", "--by", metavar="COLUMN",
               help="Column that tells several such tables in one file apart, such as modality."),
        design_option(),
        *file_options(),
        option("Uncertainty", "--level", type=float, default=0.95, show_default=True,
               help="Confidence level."),
        *output_options(),
        option("Output", "--plot", metavar="FILE",
               help=f"Draw {figure}, to a file that ends in .png, .svg or .pdf."),
    ]  # fmt: skip


def curves_of(file: str, options: dict[str, Any]) -> list[Sample]:
    """Read one sample of all score columns of a file, or one of each table of counts in it."""
    reading, scores = reading_of(options), options["scores"]
    counts = {name: options.pop(name) for name in ("positives_column", "negatives_column")}
    by = options.pop("by")
    if not any(counts.values()):
        if by is not None:
            raise InputError(
                arg("by"), " goes with --positives-column and --negatives-column, for tables of "
                "counts.",
            )  # fmt: skip
        if options["label"] is None:
            raise InputError(
                arg("label"), " is missing: name the column of the labels, or those of a table of "
                "counts with --positives-column and --negatives-column.",
            )  # fmt: skip
        return [sample_of(file, reading, **options)]
    for name in _OF_ROWS:
        if options[name]:
            raise InputError(
                arg(name), " is about rows, and --positives-column and --negatives-column are of "
                "a table of counts.",
            )  # fmt: skip
    for name, column in counts.items():
        if column is None:
            raise InputError(arg(name), " is missing: a table has counts of both classes.")
    if len(scores) > 1:
        raise InputError("a table of counts has one --score column.", argument="scores")
    return tables_of(
        [file], reading, options["lower_is_positive"], score=scores[0], by=by,
        design=options["design"], **counts,
    )  # fmt: skip


@click.command(
    "band",
    cls=GroupedCommand,
    short_help="Confidence bands of curves and of their difference.",
    example="pauci band data/ljubljana_scores.csv --label recurrence --score svm --fpr 0 0.3",
)
@click.argument("file", type=str)
@partial(
    with_options,
    options=[
        *curve_options("the band"),
        option("Region", "--fpr", nargs=2, type=float, metavar="LOW HIGH",
               help="Range of the FPR that is covered.  [default: the whole curve]"),
        option("Region", "--specificity", nargs=2, type=float, metavar="LOW HIGH",
               help="Instead of --fpr: --specificity 0.9 1 is --fpr 0 0.1."),
        option("Uncertainty", "--kind", type=click.Choice(["simultaneous", "pointwise"]),
               default="simultaneous", show_default=True,
               help="Cover the whole range at once, or each FPR by itself."),
        option("Uncertainty", "--points/--no-points", default=None,
               help="Limits of the operating points of ratings, or a band along the FPR axis.  "
               "[default: points for ratings, of one classifier]"),
    ],
)  # fmt: skip
def band_command(
    file: str, level: float, fpr: Any, specificity: Any, kind: Any, points: bool | None,
    plot: str | None, **options: Any,
) -> None:  # fmt: skip
    """Give limits of the TPR along the FPR axis: of one curve, or of the difference of two.

    One --score column of FILE has the band of its curve, two have that of their difference on the
    same rows, and two tables of counts that of independent samples.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Blank cells and NA are missing values.
    """
    output, figure = output_of(options), Figure.of(plot)
    samples = curves_of(file, options)
    names = [name for sample in samples for name in sample.names]
    if len(names) > 2:
        raise InputError(
            f"a band is that of one classifier or of the difference of two, and there are "
            f"{len(names)}: {', '.join(names)}.",
            argument="scores",
        )
    result = band(samples, level, kind, fpr, specificity=specificity, points=points)
    figure.write_with(figures.band, result)
    give([Result("", result, {})], output)


@click.command(
    "fit",
    cls=GroupedCommand,
    short_help="Smooth curves by maximum likelihood, and measures of them.",
    example="pauci fit data/hanley_mcneil.csv --score score --positives-column positives "
    "--negatives-column negatives --measure pauc --fpr 0 0.2",
)
@click.argument("file", type=str)
@partial(
    with_options,
    options=[
        *curve_options("the fitted curves with the empirical points"),
        option("Measure", "--model", "models", type=click.Choice(tuple(MODELS)), multiple=True,
               default=("binormal",), show_default=True,
               help="The form of the curve; repeat it for several."),
        option("Uncertainty", "--covariance", type=click.Choice(COVARIANCES), default="model",
               show_default=True,
               help="Standard errors from the model's information, or the robust sandwich of it."),
        *measure_options(required=False), *comparison_options(),
    ],
)  # fmt: skip
def fit_command(
    file: str, models: tuple[str, ...], covariance: Any, measures: AskedMeasures, level: float,
    null: float, alternative: Any, adjust: Any, plot: str | None, **options: Any,
) -> None:  # fmt: skip
    """Fit a smooth ROC curve to each score column of FILE, or to each table of counts in it.

    Prints the parameters with their standard errors and the goodness of fit, and warns where that
    rejects a curve. With --measure, measures of the fitted curves and, of several with one --model,
    their comparisons: paired where they share rows.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Blank cells and NA are missing values.
    """
    asked = measures_of(measures)
    tested: dict[str, Any] = {"null": null, "alternative": alternative, "adjust": adjust}
    output, figure = output_of(options), Figure.of(plot)
    models = tuple(dict.fromkeys(models))
    each = [one for sample in curves_of(file, options) for one in sample]
    fits = [MODELS[model](sample, covariance=covariance) for sample in each for model in models]
    for fit in fits:
        warn_about_fit(fit)
    results: dict[str, Any] = {f"{fit.model.title} fit of {fit.classifier}": fit for fit in fits}
    if asked:
        results["estimates"] = estimate(fits, asked)
        if len(fits) > 1 and len(models) == 1:
            measure = asked[0] if len(asked) == 1 else asked
            results["comparisons"] = compare(fits, measure, **tested)
    if "comparisons" not in results:
        for name, value in tested.items():
            if value != _UNTESTED[name]:
                raise InputError(
                    arg(name, value), " is about tests, which take a --measure and two curves or "
                    "more of one --model.",
                )  # fmt: skip
    figure.write_with(figures.fitted, fits, level=level)
    titles = results if len(results) > 1 else [""]
    give(
        [Result(t, r, {"level": level}) for t, r in zip(titles, results.values(), strict=True)],
        output,
    )
