"""The ``pauci`` command: estimates, comparisons and a demonstration, from files."""

import re
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import click

from pauci import plot as figures
from pauci.cli.curves import band_command, fit_command
from pauci.cli.figure import Figure
from pauci.cli.help import GroupedCommand
from pauci.cli.measure_options import family_of, measure_options, measures_of, scan_options
from pauci.cli.options import (
    COMPARISON_KINDS,
    bootstrap_of,
    common_options,
    comparison_options,
    conservative_option,
    file_options,
    fold_option,
    kind_option,
    long_options,
    output_of,
    page_options,
    page_path,
    profile_options,
    reading_of,
    row_options,
    table_options,
    uncertainty_options,
    variance_of,
    with_options,
)
from pauci.cli.output import Result, give, write_line
from pauci.cli.page import origin_of, said_of_items
from pauci.cli.parsing import AskedMeasures
from pauci.cli.planning import power_command, sample_size_command
from pauci.cli.points import (
    WithPoints,
    asked_on_page,
    naming_points,
    on_page,
    point_options,
    points_command,
)
from pauci.cli.samples import sample_of, tables_of
from pauci.cli.studies import study_of
from pauci.cli.study_options import mrmc_options, study_options
from pauci.cli.wording import COMMAND
from pauci.errors import InputError, arg
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.inference.profile import profile
from pauci.inference.scan import scan
from pauci.intervals.analytic import ESTIMATE_KINDS
from pauci.intervals.kinds import BOOTSTRAP_KINDS
from pauci.measures import AUC, Measure, PAUCc
from pauci.readers.mrmc import mrmc
from pauci.report.analysis import Options
from pauci.report.page import Words, page_of
from pauci.results import format as fmt
from pauci.results.output import write_file
from pauci.sample.sample import Sample


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(package_name="pauci")
@click.pass_context
def commands(context: click.Context) -> None:
    """Inference for one part of the ROC curve.

    COMMAND --help explains the options of a command, and ends with an example.
    """
    if context.invoked_subcommand is None:
        write_line(context.get_help())


commands.add_command(band_command)
commands.add_command(fit_command)
commands.add_command(points_command)

_DATA = "data/ljubljana_scores.csv --label recurrence"


@commands.command(
    "estimate",
    cls=GroupedCommand,
    short_help="Measures of each score column.",
    example=f"pauci estimate {_DATA} --score svm --measure paucc --specificity 0.9 1",
)
@click.argument("file", type=str)
@partial(
    with_options,
    options=[
        *row_options(), fold_option(), *file_options(), *measure_options(), *common_options(),
        kind_option((*ESTIMATE_KINDS, *BOOTSTRAP_KINDS)), conservative_option(),
    ],
)  # fmt: skip
def estimate_command(
    file: str, measures: AskedMeasures, variance: Any, level: float, kind: Any, force: bool,
    conservative: bool, plot: str | None, **options: Any,
) -> None:  # fmt: skip
    """Estimate measures of each score column in FILE.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Blank cells and NA are missing values. A pattern of several
    files ('scores/*.parquet') or a query (duckdb:SELECT ...) is counted by DuckDB and not loaded.
    """
    asked, source = measures_of(measures), variance_of(variance, options)
    output, figure = output_of(options), Figure.of(plot)
    sample = sample_of(file, reading_of(options), **options)
    result = estimate(sample, asked, source, force=force, conservative=conservative)
    figure.write(sample, asked, result, level=level, kind=kind)
    give([Result("", result, {"level": level, "kind": kind})], output)


@commands.command(
    "compare",
    cls=GroupedCommand,
    short_help="Paired tests of score columns.",
    example=f"pauci compare {_DATA} --score svm --score nn --measure paucc --fpr 0 0.1",
)
@click.argument("file", type=str)
@partial(
    with_options,
    options=[
        *row_options(), fold_option(), *long_options(), *file_options(), *measure_options(),
        *common_options(), kind_option(COMPARISON_KINDS), conservative_option(),
        *comparison_options(),
    ],
)  # fmt: skip
def compare_command(
    file: str, measures: AskedMeasures, variance: Any, level: float, null: float,
    alternative: Any, adjust: Any, kind: Any, force: bool, conservative: bool, plot: str | None,
    **options: Any,
) -> None:  # fmt: skip
    """Test score columns of FILE on the same rows (paired): two of them, or all pairs of more.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Blank cells and NA are missing values. A pattern of several
    files ('scores/*.parquet') or a query (duckdb:SELECT ...) is counted by DuckDB and not loaded.

    Long data have one row for each case and classifier: --score names the one column of scores,
    --by the column of the classifier, --row that of the case. Every case has one row for each
    classifier, with the same label.
    """
    _check_classifiers(options["scores"], options["by"], options["row"])
    asked, source = measures_of(measures), variance_of(variance, options)
    output, figure = output_of(options), Figure.of(plot)
    sample = sample_of(file, reading_of(options), **options)
    test = _compared(
        sample, asked, null, alternative, adjust, source, force=force, conservative=conservative
    )
    figure.write(sample, asked, test, level=level, kind=kind)
    give([Result("", test, {"level": level, "kind": kind})], output)


def _check_classifiers(
    scores: tuple[str, ...], by: str | None, row: str | None, fewest: int = 2
) -> None:
    """Refuse too few columns of scores without --by, and several with it."""
    if by is None and row is not None:
        raise InputError(arg("row"), " goes with --by, for long data.")
    names = [name.strip() for name in re.split("[,;]", scores[0])] if scores else []
    if by is None and len(scores) < fewest and len(names) > 1:
        raise InputError(
            "a comparison needs two classifiers, and there is one ", arg("scores"), ". If ",
            f"{scores[0]!r} names several columns, give each an option of its own: ",
            arg("scores", names), ".", argument="scores",
        )  # fmt: skip
    if by is None and len(scores) < fewest:
        raise InputError(
            f"a comparison needs two, and there is one classifier ({scores[0]}); name the other "
            "with a second --score, or for long data the column that tells classifiers apart with "
            "--by.",
            argument="scores",
        )
    if by is not None and row is None:
        raise InputError(
            arg("by"), " needs --row COLUMN, which says what case a row is about, to pair them."
        )
    if by is not None and len(scores) > 1:
        raise InputError(arg("by"), " is for long data, which have one --score column.")


@commands.command(
    "profile",
    cls=GroupedCommand,
    short_help="Deep ROC analysis: groups along the curve.",
    example=f"pauci profile {_DATA} --score svm --by fpr --edges 0 0.1 0.3 1",
)
@click.argument("file", type=str)
@partial(
    with_options,
    options=[
        *row_options(), *file_options(), *profile_options(), *common_options(),
        kind_option((*ESTIMATE_KINDS, *BOOTSTRAP_KINDS)),
    ],
)  # fmt: skip
def profile_command(
    file: str, by: Any, edges: tuple[float, ...], ends: Any, prevalence: float | None,
    variance: Any, level: float, kind: Any, force: bool, plot: str | None, **options: Any,
) -> None:  # fmt: skip
    """Describe groups along the curve of each score column in FILE, whose pAUCc sum to the AUC.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Blank cells and NA are missing values. A pattern of several
    files ('scores/*.parquet') or a query (duckdb:SELECT ...) is counted by DuckDB and not loaded.
    """
    del force  # no measure of a group looks at another prevalence by its top alone
    source = variance_of(variance, options)
    output, figure = output_of(options), Figure.of(plot)
    result = profile(
        sample_of(file, reading_of(options), **options), by, edges or (0, 0.1, 0.3, 1), ends=ends,
        prevalence=prevalence, variance=source,
    )  # fmt: skip
    figure.write_own(result, level=level, kind=kind)
    give([Result("", result, {"level": level, "kind": kind})], output)


@commands.command(
    "scan",
    cls=GroupedCommand,
    short_help="A family of regions together, one p-value for all.",
    example=f"pauci scan {_DATA} --score svm --score nn --measure paucc --fpr 0.1 0.8 --points 15",
)
@click.argument("file", type=str)
@partial(
    with_options,
    options=[
        *row_options(), *file_options(), *scan_options(), *common_options(),
        kind_option((*ESTIMATE_KINDS, *BOOTSTRAP_KINDS)),
    ],
)  # fmt: skip
def scan_command(
    file: str, key: str, variance: Any, level: float, kind: Any, force: bool, plot: str | None,
    null: float | None, alternative: Any, draws: int, fewest: float, **options: Any,
) -> None:  # fmt: skip
    """Look at a family of regions together, such as FPR 0 to x for many x.

    With one --score column of FILE at its estimates, with two at their differences on the same
    rows. Intervals for all regions at once and one p-value for "somewhere in the family" allow for
    a region that is chosen after looking.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Blank cells and NA are missing values. A pattern of several
    files ('scores/*.parquet') or a query (duckdb:SELECT ...) is counted by DuckDB and not loaded.
    """
    del force
    measure, family = family_of(key, options)
    seed = options["seed"]
    if variance != "bootstrap":
        options["seed"] = None
    source = variance_of(variance, options)
    output, figure = output_of(options), Figure.of(plot)
    sample = sample_of(file, reading_of(options), **options)
    result = scan(
        sample, measure, **family, null=null, alternative=alternative, variance=source,
        fewest=fewest, rng=seed, n_draws=draws,
    )  # fmt: skip
    figure.write_own(result, level=level, kind=kind)
    give([Result("", result, {"level": level, "kind": kind})], output)


@commands.command(
    "counts",
    cls=GroupedCommand,
    short_help="Measures and tests of 2 x K tables.",
    example="pauci counts data/dmist.csv --by modality --measure paucc --threshold 4 inf",
)
@click.argument("files", nargs=-1, required=True)
@partial(
    with_options,
    options=[
        *table_options(), *file_options(), *measure_options(), *common_options(),
        *comparison_options(), kind_option((*ESTIMATE_KINDS, *BOOTSTRAP_KINDS)),
    ],
)  # fmt: skip
def counts_command(
    files: tuple[str, ...], measures: AskedMeasures, variance: Any, level: float, null: float,
    alternative: Any, adjust: Any, kind: Any, points: bool, force: bool,
    lower_is_positive: tuple[str, ...], plot: str | None, **options: Any,
) -> None:  # fmt: skip
    """Estimate measures of 2 x K tables of counts in FILES, and compare independent tables.

    Each file has a row per category, with the columns score, positives and negatives. --kind
    holds for estimates, and for comparisons where these have it.
    """
    asked, source = measures_of(measures), variance_of(variance, options)
    output, figure = output_of(options), Figure.of(plot)
    reading = reading_of(options)
    samples = tables_of(files, reading, lower_is_positive, **options)
    if len(samples) > 1 and adjust == "max-t" and kind in BOOTSTRAP_KINDS:
        raise InputError(
            arg("kind", kind), " does not go with ", arg("adjust", "max-t"), "; use ",
            arg("adjust", "holm"), ".",
        )  # fmt: skip
    results: dict[str, Any] = {}
    if points:
        from pauci.inference.operating_points import operating_points

        prevalence = _one_prevalence(asked)
        for sample in samples:
            title = f"operating points of {sample.names[0]}"
            results[title] = operating_points(sample, prevalence=prevalence)
    results["estimates"] = estimate(samples, asked, source, force=force)
    if len(samples) > 1:
        test = _compared(samples, asked, null, alternative, adjust, source, force=force)
        results["comparisons"] = test
    figure.write(samples, asked, results["estimates"], level=level, kind=kind)
    shown: dict[str, dict[str, Any]] = {title: {"level": level} for title in results}
    shown["estimates"]["kind"] = kind
    if "comparisons" in shown and kind in COMPARISON_KINDS:
        shown["comparisons"]["kind"] = kind
    named = [Result(title, result, shown[title]) for title, result in results.items()]
    give(named, output)


def _one_prevalence(measures: list[Measure]) -> float | None:
    """Return the prevalence that operating points are meant for: that of the measures."""
    asked = {p for m in measures if (p := getattr(m, "prevalence", None)) is not None}
    if len(asked) > 1:
        raise InputError(
            arg("points", True), " takes one ", arg("prevalence"), ", and the measures have "
            f"{len(asked)}; use a command for each.",
        )  # fmt: skip
    return next(iter(asked), None)


def _compared(
    samples: Any, asked: list[Measure], null: float, alternative: Any, adjust: Any, variance: Any,
    *, force: bool, conservative: bool = False,
) -> Any:  # fmt: skip
    """Compare one measure, or several at once."""
    measure = asked[0] if len(asked) == 1 else asked
    return compare(
        samples, measure, null, alternative, adjust=adjust, variance=variance, force=force,
        conservative=conservative,
    )  # fmt: skip


@commands.command(
    "report",
    cls=WithPoints,
    short_help="A page with tables, figures and methods.",
    example=f"pauci report {_DATA} --score svm --score nn --measure paucc --fpr 0 0.1 "
    "--output report.html",
)
@click.argument("file", type=str)
@partial(
    with_options,
    options=[
        *row_options(), *long_options(), *file_options(), *measure_options(),
        *point_options(), *uncertainty_options(),
        kind_option((*ESTIMATE_KINDS, *BOOTSTRAP_KINDS)), *comparison_options(), *page_options(),
    ],
)  # fmt: skip
def report_command(
    file: str, measures: AskedMeasures, variance: Any, level: float, null: float,
    alternative: Any, adjust: Any, kind: Any, force: bool, output: str, title: str | None,
    items: tuple[tuple[str, str], ...], checklist: Any, style: Any, **options: Any,
) -> None:  # fmt: skip
    """Write one HTML page on score columns of FILE: tables, figures, methods.

    The page is one file, for browsers and for print. Several score columns are compared on the same
    rows (paired). With --checklist an appendix lists the items of a reporting guideline: those that
    data can answer are filled in, the others are left open.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Blank cells and NA are missing values. A pattern of several
    files ('scores/*.parquet') or a query (duckdb:SELECT ...) is counted by DuckDB and not loaded.
    Long data are given as for pauci compare.
    """
    _check_classifiers(options["scores"], options["by"], options["row"], fewest=1)
    at = asked_on_page(measures, options)
    asked, source = measures_of(measures), variance_of(variance, options)
    words = Words(title, origin_of(file, options), said_of_items(items), checklist)
    how = Options(null, alternative, adjust, source, level, kind, style, force=force)
    path = page_path(output)
    sample = sample_of(file, reading_of(options), **options)
    with naming_points() if at else nullcontext():
        page = page_of(sample, asked, replace(how, points=on_page(sample, at)), words, COMMAND)
    write_file(path, page.encode("utf-8"), "output")


@commands.command(
    "readers",
    cls=GroupedCommand,
    short_help="Modalities judged by many readers.",
    example="pauci readers study.csv --reader reader --modality modality --case case "
    "--label cancer --score score --measure auc",
)
@click.argument("file", type=str)
@partial(
    with_options,
    options=[*study_options(), *file_options(), *measure_options(), *mrmc_options()],
)
def readers_command(
    file: str, measures: AskedMeasures, fixed: str | None, method: Any, weights: Any,
    standalone: str | None, conservative: bool, force: bool, null: float, alternative: Any,
    level: float, plot: str | None, curves: str | None, **options: Any,
) -> None:  # fmt: skip
    """Compare modalities that several readers judged on several cases (MRMC).

    FILE has a row for each reading: who read (--reader), by what (--modality), which case (--case),
    its truth (--label), and the score. Any design will do: all readers read all cases, groups of
    readers groups of cases, cases differ between modalities, single readings are missing.

    With --output the table goes to a file, and the sentences for the paper are printed.
    """
    asked = measures_of(measures)
    output, figure, curves_of_all = output_of(options), Figure.of(plot), Figure.of(curves, "curves")
    if plot is not None and len(asked) > 1:
        raise InputError(arg("plot", plot), " shows one measure; name one.")
    source = bootstrap_of(method, options, "method") or method
    study = study_of(file, reading_of(options), **options)
    factors = {} if fixed is None else {fixed: "fixed"}
    results = [
        mrmc(
            study, measure, weights=weights, method=source, null=null, alternative=alternative,
            standalone=standalone, conservative=conservative, force=force,
            **factors,  # type: ignore[arg-type]
        )
        for measure in asked
    ]  # fmt: skip
    figure.write_own(results[0], level=level)
    curves_of_all.write_with(figures.reader_curves, study)
    titles = [""] if len(asked) == 1 else [r.title for r in results]
    give([Result(t, r, {"level": level}) for t, r in zip(titles, results, strict=True)], output)
    if output.file is not None:
        write_line("\n\n".join(r.report(level) for r in results))


commands.add_command(sample_size_command)
commands.add_command(power_command)


@commands.command(
    "demo", cls=GroupedCommand, short_help="The main job on bundled data.", example="pauci demo"
)
def demo_command() -> None:
    """Run the main job on bundled data: two classifiers of breast cancer recurrence."""
    from pauci.datasets import load_ljubljana_scores

    sample = Sample.from_frame(
        load_ljubljana_scores(), label="recurrence", scores=["svm", "nn"], positive=1
    )
    thirds = [PAUCc(fpr=(0, 1 / 3)), PAUCc(fpr=(1 / 3, 2 / 3)), PAUCc(fpr=(2 / 3, 1))]
    write_line("Ljubljana breast cancer data: out-of-fold scores of an SVM and a neural network.\n")
    write_line(estimate(sample, [*thirds, AUC()]).summary() + "\n")
    for name in sample.names:
        *parts, whole = (e.value for e in estimate(sample[name], [*thirds, AUC()]))
        terms = " + ".join(fmt.number(part) for part in parts)
        write_line(f"{name}: {terms} = {fmt.number(sum(parts))}; AUC {fmt.number(whole)}")
    test = compare(sample, thirds[0])
    write_line(f"\n{test.summary()}\n")
    write_line(estimate(sample["svm"], thirds[0]).report())
    write_line(test.report())
