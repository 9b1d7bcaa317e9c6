"""The ``pauci`` command, with the commands for estimates, tests, pages and reader studies."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

import pauci
from pauci import plot as figures
from pauci.analyses.profile import profile
from pauci.analyses.scan import scan
from pauci.cli import options as opt
from pauci.cli.app_command import app_command
from pauci.cli.curve_commands import band_command, fit_command
from pauci.cli.cutoff_commands import cutoff_command
from pauci.cli.data import is_spelling_of
from pauci.cli.measure_options import factory_of, kind_of, measures_of, points_of
from pauci.cli.output import ENDS, DataOnly, FigureFile, Result, give, write_line
from pauci.cli.planning_commands import power_command, sample_size_command
from pauci.cli.point_commands import (
    WithPoints,
    points_command,
    points_of_page,
    with_thresholds,
)
from pauci.cli.risk_commands import risks_command
from pauci.cli.samples import sample_of, study_of, tables_of
from pauci.cli.shell_syntax import SHELL, naming_options
from pauci.cli.typed_commands import GroupOfCommands, command
from pauci.cli.where import statements
from pauci.errors import InputError
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.kinds import BOOTSTRAP_KINDS
from pauci.measures import AUC, Measure, PAUCc
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.mrmc import mrmc
from pauci.report.page import PageText, page_of, word_document_of
from pauci.report.page_analysis import GroupOptions, Options
from pauci.report.reader_page import page_of_readers, word_document_of_readers
from pauci.sample.sample import Sample
from pauci.tables import docx
from pauci.tables import number_format as fmt
from pauci.tables.atomic_write import check_writable, write_file

_DATA = "example:ljubljana_scores --label recurrence"


@command(
    "estimate",
    short_help="Measures of each score column.",
    example=f"pauci estimate {_DATA} --score svm --measure paucc --specificity 0.9 1",
)
def estimate_command(
    file: opt.RowsFile,
    rows: opt.RowColumns,
    fold: opt.Fold,
    reading: opt.Reading,
    measures: opt.Measures,
    design: opt.Design,
    variance: opt.VarianceOptions,
    force: opt.Force,
    level: opt.Level,
    output: opt.OutputOptions,
    plot: opt.PlotOfEstimates,
    dpi: opt.Dpi,
    kind: opt.EstimateKind,
    conservative: opt.Conservative,
    groups: opt.GroupColumns,
) -> None:
    """Estimate measures of each score column in FILE, in all rows or by --group."""
    measure_list, method = measures_of(measures, rows.categories), variance.method()
    destination, figure = output.checked(), FigureFile.of(plot, dpi=dpi)
    groups.check(plot)
    sample = sample_of(file, reading, rows, design, fold=fold, groups=groups.group)
    shown = {"level": level, "kind": kind}
    if groups.group:
        with naming_options(opt.GROUP_OPTIONS):
            by_group = [
                estimate(
                    sample,
                    measure_list,
                    method,
                    force=force,
                    conservative=conservative,
                    by=column,
                    reference=_reference(sample, column, groups.reference),
                    skip_small=groups.skip_small,
                )
                for column in groups.group
            ]
        _give_by_group(by_group, "estimates", figure, shown, destination)
        return
    result = estimate(sample, measure_list, method, force=force, conservative=conservative)
    figure.write_estimates(sample, measure_list, result, level=level, kind=kind)
    give([Result("", result, {"level": level, "kind": kind})], destination)


@command(
    "compare",
    short_help="Paired tests of score columns.",
    example=f"pauci compare {_DATA} --score svm --score nn --measure paucc --fpr 0 0.1",
)
def compare_command(
    file: opt.RowsFile,
    rows: opt.RowColumns,
    fold: opt.Fold,
    long: opt.LongData,
    reading: opt.Reading,
    measures: opt.Measures,
    design: opt.Design,
    variance: opt.VarianceOptions,
    force: opt.Force,
    level: opt.Level,
    output: opt.OutputOptions,
    plot: opt.PlotOfEstimates,
    dpi: opt.Dpi,
    kind: opt.ComparisonKind,
    conservative: opt.Conservative,
    test: opt.ComparisonTest,
    compared: opt.ComparedClassifiers,
    groups: opt.GroupColumns,
) -> None:
    """Compare score columns of FILE on the same rows (paired): two, or all pairs of several.

    Long data have one row for each case and classifier: --score names the one column of scores,
    --by the column of the classifier, --row that of the case. Every case has one row for each
    classifier, with the same label.
    """
    _check_classifiers(rows.scores, long)
    measure_list, method = measures_of(measures, rows.categories), variance.method()
    destination, figure = output.checked(), FigureFile.of(plot, dpi=dpi)
    groups.check(plot)
    sample = sample_of(file, reading, rows, design, fold=fold, long=long, groups=groups.group)
    pairs = list(compared.pair) if len(compared.pair) > 1 else next(iter(compared.pair), None)
    options: dict[str, Any] = {
        "force": force,
        "conservative": conservative,
        "pair": pairs,
        "baseline": compared.baseline,
    }
    if groups.group:
        with naming_options(opt.GROUP_OPTIONS):
            by_group = [
                _compared(
                    sample,
                    measure_list,
                    test,
                    method,
                    **options,
                    by=column,
                    reference=_reference(sample, column, groups.reference),
                    skip_small=groups.skip_small,
                )
                for column in groups.group
            ]
        _give_by_group(by_group, "comparisons", figure, {"level": level, "kind": kind}, destination)
        return
    result = _compared(sample, measure_list, test, method, **options)
    figure.write_estimates(sample, measure_list, result, level=level, kind=kind)
    give([Result("", result, {"level": level, "kind": kind})], destination)


def _reference(sample: Sample, column: str, text: str | None) -> object:
    """Return the group that is spelled like the value of --reference."""
    if text is None or text == "overall":
        return text
    grouping = sample.in_memory().rows.single_rows().grouping(column)
    labels = () if grouping is None else grouping.labels
    return next((label for label in labels if is_spelling_of(text, label)), text)


def _give_by_group(
    results: Sequence[Any],
    noun: str,
    figure: FigureFile,
    options: dict[str, Any],
    destination: Any,
) -> None:
    """Print or write results by group; frames of the gaps follow those of the groups."""
    figure.write(figures.forest, results[0], **options)
    given = []
    for result in results:
        given.append(Result(f"{noun} by {result.by}", result, options))
        if destination.form in ("csv", "json"):
            level = {"level": options["level"]}
            given.append(Result(f"gaps by {result.by}", result.gaps, level))
    give(given, destination)


def _check_classifiers(scores: Sequence[str], long: opt.LongData, fewest: int = 2) -> None:
    """Raise an error for too few columns of scores without --by, and several with it."""
    if long.by is None:
        _check_score_columns(scores, long, fewest)
        return
    if long.row is None:
        raise InputError(
            "--by requires --row COLUMN, the case of each row, to pair the classifiers.",
            argument="by",
        )
    if len(scores) > 1:
        raise InputError("--by is for long data, which have one --score column.", argument="by")


def _check_score_columns(scores: Sequence[str], long: opt.LongData, fewest: int) -> None:
    if long.row is not None:
        raise InputError("--row requires --by, for long data.", argument="row")
    if len(scores) >= fewest:
        return
    names = [name.strip() for name in re.split("[,;]", scores[0])] if scores else []
    if len(names) > 1:
        raise InputError(
            f"a comparison needs two classifiers, but there is one --score. If {scores[0]!r} names "
            "several columns, use one option for each: "
            f"{' '.join(f'--score {name!r}' for name in names)}.",
            argument="scores",
        )
    raise InputError(
        f"a comparison needs two classifiers, but there is one ({scores[0]}); name the other with "
        "a second --score, or for long data the column of the classifier with --by.",
        argument="scores",
    )


@command(
    "profile",
    short_help="Deep ROC analysis: groups along the curve.",
    example=f"pauci profile {_DATA} --score svm --by fpr --edges 0 0.1 0.3 1",
)
def profile_command(
    file: opt.RowsFile,
    rows: opt.RowColumns,
    reading: opt.Reading,
    groups: opt.GroupsOfCurve,
    design: opt.Design,
    variance: opt.VarianceOptions,
    level: opt.Level,
    output: opt.OutputOptions,
    plot: opt.PlotOfGroups,
    dpi: opt.Dpi,
    kind: opt.EstimateKind,
) -> None:
    """Estimate the measures of groups along the curve; the pAUCc of the groups sum to the AUC."""
    method = variance.method()
    destination, figure = output.checked(), FigureFile.of(plot, dpi=dpi)
    sample = sample_of(file, reading, rows, design)
    result = profile(
        sample,
        groups.by,
        groups.edges or (0, 0.1, 0.3, 1),
        ends=groups.ends,
        prevalence=groups.prevalence,
        variance=method,
    )
    figure.write(result.plot, level=level, kind=kind)
    give([Result("", result, {"level": level, "kind": kind})], destination)


@command(
    "scan",
    short_help="A family of regions, with one p-value for all.",
    example=f"pauci scan {_DATA} --score svm --score nn --measure paucc --fpr 0.1 0.8 --points 15",
)
def scan_command(
    file: opt.RowsFile,
    rows: opt.RowColumns,
    reading: opt.Reading,
    family: opt.RegionFamily,
    test: opt.FamilyTest,
    design: opt.Design,
    variance: opt.VarianceOptions,
    level: opt.Level,
    output: opt.OutputOptions,
    plot: opt.PlotOfFamily,
    dpi: opt.Dpi,
    kind: opt.EstimateKind,
) -> None:
    """Evaluate a measure over a family of regions, such as FPR 0 to x for many x.

    One --score column of FILE gives estimates, two give their differences on the same rows.
    Simultaneous intervals for all regions and one p-value for the whole family remain valid for a
    region that is selected after seeing the results.
    """
    measure = factory_of(family.key, normalized=family.normalized, ends=family.ends)
    method = variance.method(seed_is_used=True)
    destination, figure = output.checked(), FigureFile.of(plot, dpi=dpi)
    sample = sample_of(file, reading, rows, design)
    result = scan(
        sample,
        measure,
        **_regions_of(family),
        null=test.null,
        alternative=test.alternative,
        variance=method,
        fewest=family.fewest,
        rng=variance.bootstrap.seed,
        n_draws=test.draws,
    )
    figure.write(result.plot, level=level, kind=kind)
    give([Result("", result, {"level": level, "kind": kind})], destination)


def _regions_of(family: opt.RegionFamily) -> dict[str, Any]:
    """Return the variable bounds of a family of regions, by argument of `scan`."""
    ranges = {
        "fpr": family.fpr,
        "tpr": family.tpr,
        "specificity": family.specificity,
        "sensitivity": family.sensitivity,
        "threshold": family.threshold,
    }
    return {
        name: np.linspace(*ends, family.points) if family.points > 1 else [ends[0]]
        for name, ends in ranges.items()
        if ends is not None
    }


@command(
    "counts",
    short_help="Measures and tests of 2 x K tables.",
    example="pauci counts example:dmist --by modality --measure paucc --threshold 4 inf",
)
def counts_command(
    files: opt.TableFiles,
    columns: opt.CountColumns,
    points: opt.PrintPoints,
    reading: opt.Reading,
    measures: opt.Measures,
    design: opt.Design,
    variance: opt.VarianceOptions,
    force: opt.Force,
    level: opt.Level,
    output: opt.OutputOptions,
    plot: opt.PlotOfEstimates,
    dpi: opt.Dpi,
    test: opt.ComparisonTest,
    kind: opt.EstimateKind,
) -> None:
    """Estimate measures of 2 x K tables of counts in FILES, and compare independent tables.

    Each file has a row per category, with the columns score, positives and negatives. --kind
    applies to estimates, and to comparisons if they have such intervals.
    """
    measure_list, method = measures_of(measures), variance.method()
    destination, figure = output.checked(), FigureFile.of(plot, dpi=dpi)
    samples = tables_of(files, reading, columns, design)
    if len(samples) > 1 and test.adjust == "max-t" and kind in BOOTSTRAP_KINDS:
        raise InputError(
            f"--kind {kind} cannot be combined with --adjust max-t; use --adjust holm.",
            argument="kind",
            value=kind,
        )
    results = _points_of_tables(samples, measure_list, level) if points else []
    estimates = estimate(samples, measure_list, method, force=force)
    results.append(Result("estimates", estimates, {"level": level, "kind": kind}))
    if len(samples) > 1:
        comparisons = _compared(samples, measure_list, test, method, force=force)
        options = {"kind": kind} if kind in opt.COMPARISON_KINDS else {}
        results.append(Result("comparisons", comparisons, {"level": level, **options}))
    figure.write_estimates(samples, measure_list, estimates, level=level, kind=kind)
    give(results, destination)


def _points_of_tables(
    samples: Sequence[Sample], measures: Sequence[Measure], level: float
) -> list[Result]:
    """Return the operating points of tables, at the one prevalence of the measures."""
    from pauci.analyses.operating_points import operating_points

    prevalences = {p for m in measures if (p := getattr(m, "prevalence", None)) is not None}
    if len(prevalences) > 1:
        raise InputError(
            f"--points takes one --prevalence, but the measures have {len(prevalences)}; use a "
            "command for each.",
            argument="points",
            value=True,
        )
    prevalence = next(iter(prevalences), None)
    return [
        Result(
            f"operating points of {sample.names[0]}",
            operating_points(sample, prevalence=prevalence),
            {"level": level},
        )
        for sample in samples
    ]


def _compared(
    samples: Any,
    measures: list[Measure],
    test: opt.ComparisonTest,
    method: Any,
    *,
    force: bool,
    **options: Any,
) -> Any:
    """Compare one measure, or several at once."""
    measure = measures[0] if len(measures) == 1 else measures
    return compare(
        samples,
        measure,
        null=test.null,
        alternative=test.alternative,
        adjust=test.adjust,
        variance=method,
        force=force,
        **options,
    )


@command(
    "report",
    cls=WithPoints,
    short_help="A page with tables, figures and methods.",
    example=f"pauci report {_DATA} --score svm --score nn --measure paucc --fpr 0 0.1 "
    "--output report.html",
)
def report_command(
    file: opt.RowsFile,
    rows: opt.RowColumns,
    long: opt.LongData,
    readers: opt.ReaderColumns,
    reading: opt.Reading,
    measures: opt.MeasuresBesidePoints,
    points: opt.PointOptions,
    design: opt.Design,
    variance: opt.VarianceOptions,
    force: opt.Force,
    level: opt.Level,
    kind: opt.EstimateKind,
    test: opt.ComparisonTest,
    page: opt.PageOptions,
    groups: opt.GroupColumns,
) -> None:
    """Write an HTML page on score columns of FILE, with tables, figures and methods.

    The page is a single file, for browsers and for print. Several score columns are compared on
    the same rows (paired). With --group, a section has the results by group.

    Long data are specified as for pauci compare. With --reader, the page is that of a reader study:
    averages over readers by modality, their differences, and the estimates of each reader.
    """
    _check_classifiers(rows.scores, long, fewest=1)
    groups.check()
    at, measures = points_of_page(points, measures)
    measure_list, method = measures_of(measures, rows.categories), variance.method()
    origin = _origin_of(file, rows, long, groups.group)
    if readers.given():
        unused = at and not any(points_of(kind_of(key)) for key in measures.keys)
        _refuse_for_readers(rows, long, unused or points.at_youden, kind, test, groups)
        origin |= _columns_of_readings(readers, rows)
    page_text = PageText(page.title, origin)
    options = Options(
        test.null, test.alternative, test.adjust, method, level, kind, page.style, force=force
    )
    path = _path_of_page(page.output)
    in_word = path.lower().endswith(".docx")
    if readers.given():
        study = study_of(file, reading, _study_columns(readers, rows, design))
        page_text.origin |= _rows_read()
        results = [
            mrmc(
                study,
                measure,
                method=method,
                null=test.null,
                alternative=test.alternative,
                force=force,
            )
            for measure in measure_list
        ]
        form = word_document_of_readers if in_word else page_of_readers
        _write_report(path, form(results, page_text, level, page.style, SHELL.sentence))
        return
    sample = sample_of(file, reading, rows, design, long=long, groups=groups.group)
    page_text.origin |= _rows_read()
    options = replace(
        options,
        groupings=tuple(
            GroupOptions(column, _reference(sample, column, groups.reference), groups.skip_small)
            for column in groups.group
        ),
    )
    with naming_options({**(opt.POINT_OPTIONS if at else {}), **opt.GROUP_OPTIONS}):
        chosen = with_thresholds(sample[sample.names[0]], at) if at else {}
        if points.at_youden:
            chosen["youden"] = True
        options = replace(options, points=chosen or None)
        write = word_document_of if in_word else page_of
        content = write(sample, measure_list, options, page_text, SHELL.sentence)
    _write_report(path, content)


def _write_report(path: str, content: str | bytes) -> None:
    """Write a page, or a Word document."""
    content = content.encode("utf-8") if isinstance(content, str) else content
    write_file(path, content, "output")


def _refuse_for_readers(
    rows: opt.RowColumns,
    long: opt.LongData,
    at: Any,
    kind: str | None,
    test: opt.ComparisonTest,
    groups: opt.GroupColumns,
) -> None:
    """Raise an error for options that a page of a reader study does not have."""
    unavailable = {
        "by": long.by,
        "frequency": rows.frequency,
        "weight": rows.weight,
        "negative": rows.negative,
        "missing": rows.missing,
        "resolution": rows.resolution,
        "group": groups.group,
        "kind": kind,
        "adjust": test.adjust if test.adjust != "holm" else None,
    }
    for argument, value in unavailable.items():
        if value:
            raise InputError(
                f"--{argument} is not available for a reader study (--reader).", argument=argument
            )
    if at:
        raise InputError("--reader is for reader studies, whose page has no points.", argument="at")
    if len(rows.scores) > 1:
        raise InputError("--reader requires one --score column.", argument="reader")


def _study_columns(
    readers: opt.ReaderColumns, rows: opt.RowColumns, design: Any
) -> opt.StudyColumns:
    """Return the columns of a reader study from the options of a report."""
    assert readers.reader is not None
    assert readers.case is not None
    return opt.StudyColumns(
        reader=readers.reader,
        modality=readers.modality,
        case=readers.case,
        label=rows.label,
        positive=rows.positive,
        score=rows.scores[0],
        categories=rows.categories,
        drop_missing=rows.drop_missing,
        lower_is_positive=bool(rows.lower_is_positive),
        cluster=rows.cluster,
        sampling=design,
    )


def _origin_of(
    file: str, rows: opt.RowColumns, long: opt.LongData, groups: Sequence[str]
) -> dict[str, str]:
    """Return where the data come from: the file without its folders, and its columns."""
    columns = {
        "Column of labels": rows.label,
        "Positive label": rows.positive,
        "Column of classifiers": long.by,
        "Column of cases": long.row,
        "Column of clusters": rows.cluster,
        "Column of weights": rows.weight,
        "Column of frequencies": rows.frequency,
        f"Column{'s' * (len(groups) > 1)} of groups": ", ".join(groups) or None,
    }
    name = "standard input" if file == "-" else Path(file).name
    return {"File": name, **{key: value for key, value in columns.items() if value is not None}}


def _columns_of_readings(readers: opt.ReaderColumns, rows: opt.RowColumns) -> dict[str, str]:
    """Return the columns of a reader study, for the description of the data."""
    columns = {
        "readers": readers.reader,
        "modalities": readers.modality,
        "cases": readers.case,
        "scores": rows.scores[0],
    }
    return {f"Column of {name}": c for name, c in columns.items() if c is not None}


def _rows_read() -> dict[str, str]:
    """Return which rows of the file were read, if conditions selected some."""
    texts = [text.removeprefix("Rows: ") for text in statements()]
    return {"Rows": " ".join(texts)} if texts else {}


def _path_of_page(path: str) -> str:
    """Return the path of a page, after checks that require no calculation."""
    end = Path(path).suffix
    if end.lower() == ".docx":
        docx.check_installed()
    elif end.lower() not in (".html", ".htm"):
        printed = " A browser can print the page as PDF." if end.lower() == ".pdf" else ""
        raise InputError.of(
            "output",
            path,
            "must end in .html or .docx; pauci estimate and pauci compare write tables to files "
            f"that end in {', '.join(ENDS)}.{printed}",
        )
    check_writable(path, "output")
    return path


@command(
    "readers",
    short_help="Modalities judged by many readers.",
    example="pauci readers example:viper_screening --reader reader --modality modality --case case "
    "--label cancer_365 --score score --measure auc",
)
def readers_command(
    file: opt.StudyFile,
    columns: opt.StudyColumns,
    reading: opt.Reading,
    measures: opt.Measures,
    method: opt.ReaderMethod,
    level: opt.Level,
    test: opt.DifferenceTest,
    output: opt.OutputOptions,
    plot: opt.PlotOfReaders,
    dpi: opt.Dpi,
    curves: opt.CurvesOfReaders,
) -> None:
    """Compare modalities that several readers judged on several cases (MRMC).

    FILE has a row for each reading: the reader (--reader), the modality (--modality), the case
    (--case), its truth (--label), and the score. Any design is accepted: all readers may read all
    cases, or groups of readers groups of cases; cases may differ between modalities, and readings
    may be missing.

    With --output the table is written to a file, and the sentences for the paper are printed.
    """
    measure_list = measures_of(measures, columns.categories)
    destination, figure = output.checked(), FigureFile.of(plot, dpi=dpi)
    figure_of_curves = FigureFile.of(curves, "curves", dpi)
    if plot is not None and len(measure_list) > 1:
        raise InputError.of("plot", plot, f"draws one measure, but there are {len(measure_list)}.")
    covariance_method = method.covariance_method()
    study = study_of(file, reading, columns)
    results = [
        mrmc(
            study,
            measure,
            weights=method.weights,
            method=covariance_method,
            null=test.null,
            alternative=test.alternative,
            pair=method.pair,
            standalone=method.standalone,
            conservative=method.conservative,
            force=method.force,
            readers="fixed" if method.fixed == "readers" else "random",
            cases="fixed" if method.fixed == "cases" else "random",
        )
        for measure in measure_list
    ]
    figure.write(results[0].plot, level=level)
    figure_of_curves.write(figures.reader_curves, study)
    give(_parts_of_studies(results, level, destination.form), destination)
    if destination.file is not None:
        write_line("\n\n".join(r.report(level) for r in results))


def _parts_of_studies(results: Sequence[ReaderAnalysis], level: float, form: str) -> list[Result]:
    """Return averages, differences and readers: as one document, three frames or two tables."""
    if form == "json":
        titles = [r.measure.label + f" {r.region}" * bool(r.region) for r in results]
        return [
            Result(title if len(results) > 1 else "", r, {"level": level})
            for title, r in zip(titles, results, strict=True)
        ]
    if form != "csv":
        return [
            Result("", part, {"level": level})
            for result in results
            for part in (result, result.by_reader)
        ]
    import pandas as pd

    frames = [result.to_frames(level) for result in results]
    return [
        Result(name, DataOnly(pd.concat([f[name] for f in frames], ignore_index=True)), {})
        for name in frames[0]
        if results[0].contrasts or name != "differences"
    ]


@command("demo", short_help="An example with bundled data.", example="pauci demo")
def demo_command() -> None:
    """Run an example with bundled data: two classifiers of breast cancer recurrence."""
    from pauci.datasets import load_ljubljana_scores

    sample = Sample.from_frame(
        load_ljubljana_scores(), label="recurrence", scores=["svm", "nn"], positive=1
    )
    thirds = [PAUCc(fpr=(0, 1 / 3)), PAUCc(fpr=(1 / 3, 2 / 3)), PAUCc(fpr=(2 / 3, 1))]
    write_line("Ljubljana breast cancer data: out-of-fold scores of an SVM and a neural network.\n")
    write_line(estimate(sample, [*thirds, AUC()]).summary() + "\n")
    for name in sample.names:
        *parts, auc = (e.value for e in estimate(sample[name], [*thirds, AUC()]))
        terms = " + ".join(fmt.number(part) for part in parts)
        write_line(f"{name}: {terms} = {fmt.number(sum(parts))}; AUC {fmt.number(auc)}")
    test = compare(sample, thirds[0])
    write_line(f"\n{test.summary()}\n")
    write_line(estimate(sample["svm"], thirds[0]).report())
    write_line(test.report())


@click.group(
    cls=GroupOfCommands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(pauci.__version__)
@click.pass_context
def commands(context: click.Context) -> None:
    """Statistical inference for regions of the ROC curve.

    COMMAND --help has an example of a command and explains its options. The data of the examples
    are bundled: the file example:NAME is a data set of pauci.
    """
    if context.invoked_subcommand is None:
        write_line(context.get_help())


for _command in (
    estimate_command,
    compare_command,
    profile_command,
    scan_command,
    counts_command,
    report_command,
    readers_command,
    band_command,
    fit_command,
    points_command,
    cutoff_command,
    risks_command,
    sample_size_command,
    power_command,
    app_command,
    demo_command,
):
    commands.add_command(_command)
