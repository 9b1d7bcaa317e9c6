"""The ``pauci`` command: estimate, compare and a demonstration, from CSV files."""

import json
import re
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import click

from pauci.checks import nearest
from pauci.cli.options import (
    COMPARISON_KINDS,
    common_options,
    comparison_options,
    kind_option,
    measure_options,
    measures_of,
    shared_options,
    variance_of,
    with_options,
)
from pauci.errors import InputError, PauciWarning
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import ESTIMATE_KINDS
from pauci.intervals.resampled import BOOTSTRAP_KINDS
from pauci.measures import AUC, Measure, PAUCc
from pauci.results import format as fmt
from pauci.results import tables
from pauci.sample.sample import Sample

_OPTIONS = {
    "variance=pauci.Bootstrap()": "--variance bootstrap",
    "pauci.Bootstrap()": "--variance bootstrap",
    "variance='influence'": "--variance influence",
    "a larger n_resamples": "more --resamples",
    "kind='wald'": "--kind wald",
    "kind='logit'": "--kind logit",
}


def main() -> None:
    """Run the command; bad input gives one line on standard error and exit status 2."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command on a list of arguments and return its exit status."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", PauciWarning)
            shown: set[str] = set()

            def show(message: Warning | str, *_: object, **__: object) -> None:
                text = _in_options(str(message))
                if text not in shown:  # a table and a sentence may both have cause to warn
                    click.echo(f"pauci: warning: {text}", err=True)
                shown.add(text)

            warnings.showwarning = show
            commands.main(arguments, prog_name="pauci", standalone_mode=False)
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        click.echo("pauci: interrupted", err=True)
        return 130
    except (ValueError, TypeError) as error:
        return _fail(_in_options(str(error)))
    return 0


def _fail(message: str) -> int:
    line = "".join(c if c.isprintable() else "?" for c in " ".join(message.split()))
    click.echo(f"pauci: error: {line}", err=True)
    return 2


def _in_options(message: str) -> str:
    """Say the names that Python has for options as the command line has them."""
    for python, option in _OPTIONS.items():
        message = message.replace(python, option)
    return message


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False)
@click.version_option(package_name="pauci")
def commands() -> None:
    """Inference for one part of the ROC curve."""


@commands.command("estimate", short_help="Measures of each score column.")
@shared_options
@partial(with_options, options=[kind_option((*ESTIMATE_KINDS, *BOOTSTRAP_KINDS))])
def estimate_command(
    file: str, measures: tuple[str, ...], variance: Any, level: float, style: str, kind: Any,
    **options: Any,
) -> None:  # fmt: skip
    """Estimate measures of each score column in FILE (a CSV file, or - for standard input)."""
    asked, source = measures_of(measures, options), variance_of(variance, options)
    result = estimate(_sample(file, **options), asked, source)
    _print(result, style, level=level, kind=kind)


@commands.command("compare", short_help="Paired tests of score columns.")
@shared_options
@partial(with_options, options=[*comparison_options(), kind_option(COMPARISON_KINDS)])
def compare_command(
    file: str, measures: tuple[str, ...], variance: Any, level: float, style: str, null: float,
    alternative: Any, adjust: str, kind: Any, **options: Any,
) -> None:  # fmt: skip
    """Test score columns of FILE on the same rows (paired): two of them, or all pairs of more."""
    if len(options["scores"]) == 1:
        raise InputError(
            f"a comparison needs two, and there is one classifier ({options['scores'][0]}); name "
            "the other with a second --score."
        )
    asked, source = measures_of(measures, options), variance_of(variance, options)
    sample = _sample(file, **options)
    test = _compared(sample, asked, null, alternative, adjust, source)
    _print(test, style, level=level, kind=kind)


@commands.command("counts", short_help="Measures and tests of 2 x K tables.")
@click.argument("files", nargs=-1, required=True)
@click.option("--score", default="score", show_default=True, help="Column of the categories.")
@click.option("--positives-column", default="positives", show_default=True,
              help="Column of the counts of positives.")  # fmt: skip
@click.option("--negatives-column", default="negatives", show_default=True,
              help="Column of the counts of negatives.")  # fmt: skip
@click.option("--by", help="Column that tells several tables in one file apart, such as modality.")
@click.option("--points", is_flag=True, help="Print the operating points of each table as well.")
@partial(
    with_options,
    options=[
        *measure_options(),
        *common_options(),
        *comparison_options(),
        kind_option((*ESTIMATE_KINDS, *BOOTSTRAP_KINDS)),
    ],
)
def counts_command(
    files: tuple[str, ...], measures: tuple[str, ...], variance: Any, level: float, style: str,
    null: float, alternative: Any, adjust: str, kind: Any, points: bool, **options: Any,
) -> None:  # fmt: skip
    """Estimate measures of 2 x K tables of counts in FILES, and compare independent tables.

    Each file has a row per category, with the columns score, positives and negatives. --kind
    holds for estimates, and for comparisons where these have it.
    """
    asked, source = measures_of(measures, options), variance_of(variance, options)
    samples = [sample for file in files for sample in _tables(file, **options)]
    if len(samples) > 1 and adjust == "max-t" and kind in BOOTSTRAP_KINDS:
        raise InputError(f"--kind {kind} does not go with --adjust max-t; use --adjust holm.")
    results: dict[str, Any] = {}
    if points:
        from pauci.inference.operating_points import operating_points

        prevalence = next((p for m in asked if (p := getattr(m, "prevalence", None))), None)
        for sample in samples:
            title = f"operating points of {sample.names[0]}"
            results[title] = operating_points(sample, prevalence=prevalence)
    results["estimates"] = estimate(samples, asked, source)
    if len(samples) > 1:
        test = _compared(samples, asked, null, alternative, adjust, source)
        results["comparisons"] = test
    shown: dict[str, dict[str, Any]] = {title: {"level": level} for title in results}
    shown["estimates"]["kind"] = kind
    if "comparisons" in shown and kind in COMPARISON_KINDS:
        shown["comparisons"]["kind"] = kind
    if style == "json":
        parts = (
            f"{json.dumps(title)}: {tables.render(result.to_frame(**shown[title]), style)}"
            for title, result in results.items()
        )
        click.echo("{" + ",\n".join(parts) + "}")
        return
    for i, (title, result) in enumerate(results.items()):
        if i:
            click.echo("")
        _print(result, style, **shown[title])


def _compared(
    samples: Any, asked: list[Measure], null: float, alternative: Any, adjust: str, variance: Any
) -> Any:
    """Compare one measure, or several at once."""
    measure = asked[0] if len(asked) == 1 else asked
    return compare(samples, measure, null, alternative, adjust=adjust, variance=variance)


@commands.command("demo", short_help="The main job on bundled data.")
def demo_command() -> None:
    """Run the main job on bundled data: two classifiers of breast cancer recurrence."""
    from pauci.datasets import load_ljubljana_scores

    sample = Sample.from_frame(
        load_ljubljana_scores(), label="recurrence", scores=["svm", "nn"], positive=1
    )
    thirds = [PAUCc(fpr=(0, 1 / 3)), PAUCc(fpr=(1 / 3, 2 / 3)), PAUCc(fpr=(2 / 3, 1))]
    click.echo("Ljubljana breast cancer data: out-of-fold scores of an SVM and a neural network.\n")
    click.echo(estimate(sample, [*thirds, AUC()]).summary() + "\n")
    for name in sample.names:
        *parts, whole = (e.value for e in estimate(sample[name], [*thirds, AUC()]))
        terms = " + ".join(fmt.number(part) for part in parts)
        click.echo(f"{name}: {terms} = {fmt.number(sum(parts))}; AUC {fmt.number(whole)}")
    test = compare(sample, thirds[0])
    click.echo(f"\n{test.summary()}\n")
    click.echo(estimate(sample["svm"], thirds[0]).report())
    click.echo(test.report())


def _read(file: str, name: str) -> Any:
    """Read a CSV file into a data frame."""
    import pandas as pd

    try:
        frame = pd.read_csv(sys.stdin if file == "-" else file, low_memory=False)
    except FileNotFoundError:
        raise InputError(f"{name} does not exist; check the path.") from None
    except pd.errors.EmptyDataError:
        raise InputError(f"{name} is empty; it needs a header line and rows.") from None
    except (OSError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise InputError(f"{name} cannot be read as CSV: {error}.") from None
    if frame.shape[1] == 1 and any(c in str(frame.columns[0]) for c in ";\t|"):
        raise InputError(
            f"{name} has one column, {str(frame.columns[0])!r}; separate columns by commas, and "
            "write decimals with points."
        )
    return frame


def _name_of(file: str) -> str:
    return "standard input" if file == "-" else f"file {file!r}"


def _tables(
    file: str, score: str, positives_column: str, negatives_column: str, by: str | None,
    design: Any,
) -> list[Sample]:  # fmt: skip
    """Read the tables of counts in a CSV file."""
    name = _name_of(file)
    frame = _read(file, name)
    columns = {
        "score": score, "positives-column": positives_column, "negatives-column": negatives_column,
    }  # fmt: skip
    for option, column in (columns | ({"by": by} if by else {})).items():
        if column not in frame.columns:
            available = [str(c) for c in frame.columns]
            raise InputError(
                f"{name}: --{option} {column!r} is not a column{nearest(column, available)} "
                f"The columns are: {', '.join(available)}; the file needs a row per category."
            )
    stem = "score" if file == "-" else Path(file).stem
    parts = frame.groupby(by, sort=False) if by else [(stem, frame)]
    try:
        return [
            Sample.from_counts(
                part[score],
                part[positives_column],
                part[negatives_column],
                name=str(key),
                design=design,
            )
            for key, part in parts
        ]
    except (ValueError, TypeError) as error:
        message = str(error).replace(" Expected counts need fractional=True.", "")
        if "more than once" in message and by is None:
            message = message.split(";")[0]
            message += "; if the file has several tables, --by names the column that tells which."
        raise InputError(f"{name}: {message}") from None


def _sample(file: str, label: str, positive: str | None, scores: Any, **options: Any) -> Sample:
    """Read a CSV file into a sample."""
    name = _name_of(file)
    frame = _read(file, name)
    chosen: Any = positive
    if positive is not None and label in frame.columns:
        same = [v for v in frame[label].unique().tolist() if _spells(positive, v)]
        chosen = same[0] if same else positive
    try:
        return Sample.from_frame(frame, label, list(scores), positive=chosen, **options)
    except (ValueError, TypeError) as error:
        message = re.sub(r"\bpositive=(?=\S)", "--positive ", str(error))
        raise InputError(f"{name}: {message}") from None


def _spells(text: str, value: object) -> bool:
    """Tell whether a word of the command line names a label that pandas may have parsed."""
    if str(value) == text or (isinstance(value, bool) and str(value) == text.capitalize()):
        return True
    try:
        return isinstance(value, (int, float)) and float(text) == value
    except ValueError:
        return False


def _print(result: Any, style: str, **options: Any) -> None:
    if style == "text":
        sentences = f"\n\n{result.report(**options)}" if hasattr(result, "report") else ""
        click.echo(f"{result.summary(**options)}{sentences}")
    elif style in ("json", "csv"):
        click.echo(tables.render(result.to_frame(**options), style))
    else:
        click.echo(
            result.to_markdown(**options) if style == "markdown" else result.to_latex(**options)
        )
