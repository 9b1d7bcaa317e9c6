"""The ``pauci`` command: estimates, comparisons and a demonstration, from files."""

import errno
import os
import pickle
import sys
import warnings
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import ProcessError
from typing import Any

import click

from pauci.cli.figure import Figure
from pauci.cli.help import GroupedCommand
from pauci.cli.options import (
    COMPARISON_KINDS,
    common_options,
    comparison_options,
    family_of,
    file_options,
    kind_option,
    long_options,
    measure_options,
    measures_of,
    output_of,
    profile_options,
    reading_of,
    row_options,
    scan_options,
    table_options,
    variance_of,
    with_options,
)
from pauci.cli.output import Output, Result, content
from pauci.cli.samples import sample_of, tables_of
from pauci.cli.wording import COMMAND, spoken
from pauci.errors import InputError, Message, PauciWarning, arg
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.inference.profile import profile
from pauci.inference.scan import scan
from pauci.intervals.analytic import ESTIMATE_KINDS
from pauci.intervals.resampled import BOOTSTRAP_KINDS
from pauci.measures import AUC, Measure, PAUCc
from pauci.results import format as fmt
from pauci.results.output import write_file
from pauci.sample.sample import Sample

_LONGEST_MESSAGE = 1000


def main() -> None:
    """Run the command; bad input gives one line on standard error and exit status 2."""
    status = run(sys.argv[1:])
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        # What could not be written is still buffered, and Python would try again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Run the command on a list of arguments and return its exit status.

    It is 2 for bad input, 1 for what went wrong otherwise.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", PauciWarning)
            shown: set[str] = set()

            def show(message: Warning | str, *_: object, **__: object) -> None:
                text = message.said(spoken()) if isinstance(message, Message) else str(message)
                if text not in shown:  # a table and a sentence may both have cause to warn
                    _say("warning", text)
                shown.add(text)

            warnings.showwarning = show
            commands.main(arguments, prog_name="pauci", standalone_mode=False)
    except click.ClickException as error:
        return _fail(error.format_message(), _where_to_look(arguments))
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return 130
    except SystemExit:  # click leaves so where standard output was closed
        return _fail("standard output was closed before all was written.", status=1)
    except Exception as error:
        if isinstance(error, Message):
            about_option = error.argument is not None
            said = error.said(COMMAND)
            return _fail(said, _where_to_look(arguments) if about_option else "")
        return _fail(_what_went_wrong(error), status=1)
    return 0


def _what_went_wrong(error: Exception) -> str:
    """Return one line on an error that is not about the input."""
    words = f"{type(error).__name__}: {error}"
    if isinstance(error, OSError):
        if error.errno == errno.EPIPE:
            return "standard output was closed before all was written."
        return f"{error.strerror or words}{f' ({error.filename!r})' if error.filename else ''}."
    if isinstance(error, MemoryError):
        return f"out of memory ({error}); use fewer measures, classifiers or rows at once."
    if isinstance(error, (BrokenExecutor, ProcessError, pickle.PicklingError)):
        return f"a worker ended before its time; try --jobs 1 ({words})."
    return f"{words}. This is a fault of pauci; please report it with the command."


def _say(kind: str, text: str = "") -> None:
    """Write one line on standard error, whatever the text holds."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    if len(line) > _LONGEST_MESSAGE:
        line = f"{line[: _LONGEST_MESSAGE - 300]} ... {line[-250:]}"
    with suppress(OSError):
        click.echo(_encodable(f"pauci: {kind}{f': {line}' if line else ''}", sys.stderr), err=True)


def _fail(message: str, hint: str = "", status: int = 2) -> int:
    _say(
        "error",
        message + (hint and f"{'' if message.rstrip().endswith(('.', '?')) else '.'} {hint}"),
    )
    return status


def _where_to_look(arguments: list[str]) -> str:
    """Return where the options of a command are explained."""
    names = [word for word in arguments if word in commands.commands]
    return " ".join(["See pauci", *names[:1], "--help."])


def _write(text: str) -> None:
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    try:
        click.echo(_encodable(text, sys.stdout))
    except OSError as error:
        raise OSError(error.errno, f"standard output: {error.strerror}") from None


def _encodable(text: str, stream: Any) -> str:
    """Return a text whose characters a stream can take; the others are written as codes."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(package_name="pauci")
@click.pass_context
def commands(context: click.Context) -> None:
    """Inference for one part of the ROC curve.

    COMMAND --help explains the options of a command, and ends with an example.
    """
    if context.invoked_subcommand is None:
        _write(context.get_help())


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
        *row_options(), *file_options(), *measure_options(), *common_options(),
        kind_option((*ESTIMATE_KINDS, *BOOTSTRAP_KINDS)),
    ],
)  # fmt: skip
def estimate_command(
    file: str, measures: tuple[str, ...], variance: Any, level: float, kind: Any, force: bool,
    plot: str | None, **options: Any,
) -> None:  # fmt: skip
    """Estimate measures of each score column in FILE.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Blank cells and NA are missing values.
    """
    asked, source = measures_of(measures, options), variance_of(variance, options)
    output, figure = output_of(options), Figure.of(plot)
    sample = sample_of(file, reading_of(options), **options)
    result = estimate(sample, asked, source, force=force)
    figure.write(sample, asked, result, level=level, kind=kind)
    _give([Result("", result, {"level": level, "kind": kind})], output)


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
        *row_options(), *long_options(), *file_options(), *measure_options(), *common_options(),
        kind_option(COMPARISON_KINDS), *comparison_options(),
    ],
)  # fmt: skip
def compare_command(
    file: str, measures: tuple[str, ...], variance: Any, level: float, null: float,
    alternative: Any, adjust: str, kind: Any, force: bool, plot: str | None, **options: Any,
) -> None:  # fmt: skip
    """Test score columns of FILE on the same rows (paired): two of them, or all pairs of more.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Blank cells and NA are missing values.

    Long data have one row for each case and classifier: --score names the one column of scores,
    --by the column of the classifier, --row that of the case. Every case has one row for each
    classifier, with the same label.
    """
    _check_classifiers(options["scores"], options["by"], options["row"])
    asked, source = measures_of(measures, options), variance_of(variance, options)
    output, figure = output_of(options), Figure.of(plot)
    sample = sample_of(file, reading_of(options), **options)
    test = _compared(sample, asked, null, alternative, adjust, source, force=force)
    figure.write(sample, asked, test, level=level, kind=kind)
    _give([Result("", test, {"level": level, "kind": kind})], output)


def _check_classifiers(scores: tuple[str, ...], by: str | None, row: str | None) -> None:
    """Refuse one column of scores without --by, and several with it."""
    if by is None and row is not None:
        raise InputError(arg("row"), " goes with --by, for long data.")
    if by is None and len(scores) == 1:
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
    file: str, by: str, edges: tuple[float, ...], ends: str, prevalence: float | None,
    variance: Any, level: float, kind: Any, force: bool, plot: str | None, **options: Any,
) -> None:  # fmt: skip
    """Describe groups along the curve of each score column in FILE, whose pAUCc sum to the AUC.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Blank cells and NA are missing values.
    """
    del force  # no measure of a group looks at another prevalence by its top alone
    source = variance_of(variance, options)
    output, figure = output_of(options), Figure.of(plot)
    result = profile(
        sample_of(file, reading_of(options), **options), by, edges or (0, 0.1, 0.3, 1), ends=ends,
        prevalence=prevalence, variance=source,
    )  # fmt: skip
    figure.write_own(result, level=level, kind=kind)
    _give([Result("", result, {"level": level, "kind": kind})], output)


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
    .xz, .zip), and - is standard input. Blank cells and NA are missing values.
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
    _give([Result("", result, {"level": level, "kind": kind})], output)


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
    files: tuple[str, ...], measures: tuple[str, ...], variance: Any, level: float, null: float,
    alternative: Any, adjust: str, kind: Any, points: bool, force: bool,
    lower_is_positive: tuple[str, ...], plot: str | None, **options: Any,
) -> None:  # fmt: skip
    """Estimate measures of 2 x K tables of counts in FILES, and compare independent tables.

    Each file has a row per category, with the columns score, positives and negatives. --kind
    holds for estimates, and for comparisons where these have it.
    """
    asked, source = measures_of(measures, options), variance_of(variance, options)
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

        prevalence = next((p for m in asked if (p := getattr(m, "prevalence", None))), None)
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
    _give(named, output)


def _compared(
    samples: Any, asked: list[Measure], null: float, alternative: Any, adjust: str, variance: Any,
    *, force: bool,
) -> Any:  # fmt: skip
    """Compare one measure, or several at once."""
    measure = asked[0] if len(asked) == 1 else asked
    return compare(
        samples, measure, null, alternative, adjust=adjust, variance=variance, force=force
    )


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
    _write("Ljubljana breast cancer data: out-of-fold scores of an SVM and a neural network.\n")
    _write(estimate(sample, [*thirds, AUC()]).summary() + "\n")
    for name in sample.names:
        *parts, whole = (e.value for e in estimate(sample[name], [*thirds, AUC()]))
        terms = " + ".join(fmt.number(part) for part in parts)
        _write(f"{name}: {terms} = {fmt.number(sum(parts))}; AUC {fmt.number(whole)}")
    test = compare(sample, thirds[0])
    _write(f"\n{test.summary()}\n")
    _write(estimate(sample["svm"], thirds[0]).report())
    _write(test.report())


def _give(results: Sequence[Result], output: Output) -> None:
    """Print results, or write them to a file."""
    made = content(results, output)
    if output.file is not None:
        made = f"{made}\n".encode("utf-8", "backslashreplace") if isinstance(made, str) else made
        write_file(output.file, made, "output")
    elif isinstance(made, str):
        _write(made)
