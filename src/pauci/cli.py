"""The ``pauci`` command: estimate, compare and a demonstration, from CSV files."""

import json
import re
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from pauci import report
from pauci.bootstrap import Bootstrap
from pauci.compare import ADJUSTMENTS, compare
from pauci.errors import PauciWarning, nearest
from pauci.estimate import estimate
from pauci.estimates import VARIANCES
from pauci.interval import ESTIMATE_KINDS
from pauci.jackknife import Jackknife
from pauci.measures import AUC, REGISTRY, Measure, PAUCc
from pauci.resampled import BOOTSTRAP_KINDS
from pauci.sample import Sample

F = TypeVar("F", bound=Callable[..., Any])

_MEASURE_OPTIONS = (
    "fpr", "tpr", "threshold", "at", "ends", "normalized", "prevalence", "negatives", "rescaled",
    "corrected",
)  # fmt: skip


def main() -> None:
    """Run the command; bad input gives one line on standard error and exit status 2."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command on a list of arguments and return its exit status."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", PauciWarning)
            warnings.showwarning = _show_warning
            commands.main(arguments, prog_name="pauci", standalone_mode=False)
    except click.ClickException as error:
        return _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return 130
    except (ValueError, TypeError) as error:
        return _fail(str(error))
    return 0


def _fail(message: str) -> int:
    line = "".join(c if c.isprintable() else "?" for c in " ".join(message.split()))
    click.echo(f"pauci: error: {line}", err=True)
    return 2


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    click.echo(f"pauci: warning: {message}", err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False)
@click.version_option(package_name="pauci")
def commands() -> None:
    """Inference for one part of the ROC curve."""


def _shared_options(command: F) -> F:
    """Add what estimate and compare have in common."""
    options = [
        click.argument("file", type=str),
        click.option("--label", required=True, help="Column of the labels."),
        click.option("--positive", help="Label of the positive class, unless labels are 0/1."),
        click.option("--score", "scores", multiple=True, required=True,
                     help="Column of scores; repeat it for several classifiers."),
        *_measure_options(),
        click.option("--frequency", help="Column that says how many rows each row stands for."),
        click.option("--weight", help="Column of sampling weights."),
        click.option("--cluster", help="Column of clusters, such as patients."),
        *_common_options(),
    ]  # fmt: skip
    return _with_options(command, options)


def _measure_options() -> list[Any]:
    """Return what names measures."""
    return [
        click.option("--measure", "measures", multiple=True, required=True,
                     help=f"Repeat it for several. One of: {', '.join(REGISTRY)}."),
        click.option("--fpr", nargs=2, type=float,
                     help="Range of the FPR, such as 0 0.1 (specificity is 1 - FPR)."),
        click.option("--tpr", nargs=2, type=float,
                     help="Range of the TPR (sensitivity), such as 0.8 1."),
        click.option("--threshold", nargs=2,
                     help="Range of the scores, low <= score < high, such as 3 5; inf is allowed."),
        click.option("--at", type=float,
                     help="The FPR or TPR of a measure at one point: sensitivity, pai, ..."),
        click.option("--ends", type=click.Choice(["north-east", "middle"]),
                     help="Where an end on a step of the curve lies."),
        click.option("--normalized", is_flag=True, help="Divide the area by the region's length."),
        click.option("--prevalence", type=float,
                     help="Share of positives that ap, auk and maxkappa are meant for."),
        click.option("--negatives", is_flag=True, help="Average precision of the negatives."),
        click.option("--rescaled", is_flag=True, help="Rescale ap or auc: 0 is chance."),
        click.option("--corrected", is_flag=True, help="Correct ap for bias by the jackknife."),
    ]  # fmt: skip


def _common_options() -> list[Any]:
    """Return what every command with data takes."""
    return [
        click.option("--design", type=click.Choice(["cohort", "case-control"]), default="cohort",
                     show_default=True, help="How the rows were sampled."),
        click.option("--variance", type=click.Choice([*VARIANCES, "jackknife", "bootstrap"]),
                     default="influence", show_default=True,
                     help="Where standard errors come from."),
        click.option("--resamples", type=int, help="Replicates of the bootstrap (2000)."),
        click.option("--seed", type=int, help="Seed of the bootstrap, for the same result again."),
        click.option("--jobs", type=int, help="Workers of the bootstrap; -1 for all processors."),
        click.option("--level", type=float, default=0.95, show_default=True,
                     help="Confidence level."),
        click.option("--format", "style", type=click.Choice(report.FORMATS), default="text",
                     show_default=True, help="Form of the output."),
    ]  # fmt: skip


def _test_options() -> list[Any]:
    """Return what tests take."""
    return [
        click.option("--null", type=float, default=0.0, show_default=True,
                     help="Difference under the null hypothesis."),
        click.option("--alternative", type=click.Choice(["two-sided", "greater", "less"]),
                     default="two-sided", show_default=True, help="Alternative hypothesis."),
        click.option("--adjust", type=click.Choice(ADJUSTMENTS), default="holm", show_default=True,
                     help="Adjustment of the p-values of several comparisons."),
    ]  # fmt: skip


def _with_options(command: F, options: list[Any]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


@commands.command("estimate")
@_shared_options
@click.option("--kind", type=click.Choice([*ESTIMATE_KINDS, *BOOTSTRAP_KINDS]),
              help="Kind of interval.")  # fmt: skip
def estimate_command(
    file: str, measures: tuple[str, ...], variance: Any, level: float, style: str, kind: Any,
    **options: Any,
) -> None:  # fmt: skip
    """Estimate measures of each score column in FILE (a CSV file, or - for standard input)."""
    asked, source = _measures(measures, options), _variance(variance, options)
    result = estimate(_sample(file, **options), asked, source)
    _print(result, style, level=level, kind=kind)


@commands.command("compare")
@partial(_with_options, options=_test_options())
@_shared_options
def compare_command(
    file: str, measures: tuple[str, ...], variance: Any, level: float, style: str, null: float,
    alternative: Any, adjust: str, **options: Any,
) -> None:  # fmt: skip
    """Test score columns of FILE on the same rows (paired): two of them, or all pairs of more."""
    if len(options["scores"]) == 1:
        raise ValueError(
            f"a comparison needs two, and there is one classifier ({options['scores'][0]}); name "
            "the other with a second --score."
        )
    asked, source = _measures(measures, options), _variance(variance, options)
    sample = _sample(file, **options)
    _print(_compared(sample, asked, null, alternative, adjust, source), style, level=level)


@commands.command("counts")
@click.argument("files", nargs=-1, required=True)
@partial(_with_options, options=[*_measure_options(), *_test_options(), *_common_options()])
@click.option("--score", default="score", show_default=True, help="Column of the categories.")
@click.option("--positives", default="positives", show_default=True,
              help="Column of the counts of positives.")  # fmt: skip
@click.option("--negatives-column", "negatives_column", default="negatives", show_default=True,
              help="Column of the counts of negatives.")  # fmt: skip
@click.option("--by", help="Column that tells several tables in one file apart, such as modality.")
@click.option("--points", is_flag=True, help="Print the operating points of each table as well.")
def counts_command(
    files: tuple[str, ...], measures: tuple[str, ...], variance: Any, level: float, style: str,
    null: float, alternative: Any, adjust: str, points: bool, **options: Any,
) -> None:  # fmt: skip
    """Estimate measures of 2 x K tables of counts in FILES, and compare independent tables.

    Each file has a row per category, with the columns score, positives and negatives.
    """
    asked, source = _measures(measures, options), _variance(variance, options)
    samples = [sample for file in files for sample in _tables(file, **options)]
    results: dict[str, Any] = {}
    if points:
        from pauci.operating import operating_points

        prevalence = next((p for m in asked if (p := getattr(m, "prevalence", None))), None)
        for sample in samples:
            title = f"operating points of {sample.names[0]}"
            results[title] = operating_points(sample, prevalence=prevalence)
    results["estimates"] = estimate(samples, asked, source)
    if len(samples) > 1:
        test = _compared(samples, asked, null, alternative, adjust, source)
        results["comparisons"] = test
    if style == "json":
        parts = (
            f"{json.dumps(title)}: {report.render(result.to_frame(level=level), style)}"
            for title, result in results.items()
        )
        click.echo("{" + ",\n".join(parts) + "}")
        return
    for i, result in enumerate(results.values()):
        if i:
            click.echo("")
        _print(result, style, level=level)


def _compared(
    samples: Any, asked: list[Measure], null: float, alternative: Any, adjust: str, variance: Any
) -> Any:
    """Compare one measure, or several at once."""
    measure = asked[0] if len(asked) == 1 else asked
    return compare(samples, measure, null, alternative, adjust=adjust, variance=variance)


@commands.command("demo")
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
        terms = " + ".join(report.number(part) for part in parts)
        click.echo(f"{name}: {terms} = {report.number(sum(parts))}; AUC {report.number(whole)}")
    test = compare(sample, thirds[0])
    click.echo(f"\n{test.summary()}\n")
    click.echo(estimate(sample["svm"], thirds[0]).report())
    click.echo(test.report())


def _read(file: str, name: str) -> Any:
    """Read a CSV file into a data frame."""
    import pandas as pd

    try:
        return pd.read_csv(sys.stdin if file == "-" else file, low_memory=False)
    except FileNotFoundError:
        raise ValueError(f"{name} does not exist; check the path.") from None
    except pd.errors.EmptyDataError:
        raise ValueError(f"{name} is empty; it needs a header line and rows.") from None
    except (OSError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(f"{name} cannot be read as CSV: {error}.") from None


def _name_of(file: str) -> str:
    return "standard input" if file == "-" else f"file {file!r}"


def _tables(
    file: str, score: str, positives: str, negatives_column: str, by: str | None, design: Any
) -> list[Sample]:
    """Read the tables of counts in a CSV file."""
    name = _name_of(file)
    frame = _read(file, name)
    columns = {"score": score, "positives": positives, "negatives-column": negatives_column}
    for option, column in (columns | ({"by": by} if by else {})).items():
        if column not in frame.columns:
            available = [str(c) for c in frame.columns]
            raise ValueError(
                f"{name}: --{option} {column!r} is not a column{nearest(column, available)} "
                f"The columns are: {', '.join(available)}."
            )
    stem = "score" if file == "-" else Path(file).stem
    parts = frame.groupby(by, sort=False) if by else [(stem, frame)]
    try:
        return [
            Sample.from_counts(
                part[score], part[positives], part[negatives_column], name=str(key), design=design
            )
            for key, part in parts
        ]
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: {error}") from None


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
        raise ValueError(f"{name}: {message}") from None


def _spells(text: str, value: object) -> bool:
    """Tell whether a word of the command line names a label that pandas may have parsed."""
    if str(value) == text or (isinstance(value, bool) and str(value) == text.capitalize()):
        return True
    try:
        return isinstance(value, (int, float)) and float(text) == value
    except ValueError:
        return False


def _variance(name: str, options: dict[str, Any]) -> Any:
    """Return where standard errors come from, taking the options of it out of all options."""
    asked = {key: options.pop(key) for key in ("resamples", "seed", "jobs")}
    if name == "bootstrap":
        return Bootstrap(
            2000 if asked["resamples"] is None else asked["resamples"],
            rng=asked["seed"],
            n_jobs=asked["jobs"],
        )
    for key, value in asked.items():
        if value is not None:
            raise ValueError(f"--{key} goes with --variance bootstrap, not with {name}.")
    return Jackknife() if name == "jackknife" else name


def _measures(keys: tuple[str, ...], options: dict[str, Any]) -> list[Measure]:
    """Make measures from their options, taking them out of all options."""
    asked = {name: options.pop(name) for name in _MEASURE_OPTIONS}
    given = {name: value for name, value in asked.items() if value not in (None, (), False)}
    made = [_measure(key, given) for key in keys]
    for name in given:
        if not any(name in taken for _, taken in made):
            raise ValueError(f"--{name} does not go with --measure {' '.join(keys)}.")
    return [measure for measure, _ in made]


def _measure(key: str, asked: dict[str, Any]) -> tuple[Measure, set[str]]:
    """Make a measure from those options that it takes, and say which."""
    if key.lower() not in REGISTRY:
        known = ", ".join(REGISTRY)
        raise ValueError(f"measure={key!r} is not known{nearest(key, REGISTRY)} Accepted: {known}.")
    kind = REGISTRY[key.lower()]
    taken = {"at"} if kind.scalar else set(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    given = {name: value for name, value in asked.items() if name in taken}
    if kind.scalar:
        if "at" not in given:
            wrong = [f"--{name}" for name in ("fpr", "tpr", "threshold") if name in asked]
            instead = f", and {wrong[0]} does not go with it" if wrong else ""
            raise ValueError(
                f"--measure {key} needs a single {kind.scalar.upper()}: --at VALUE{instead}."
            )
        given = {kind.scalar: given["at"]}
    if kind.kinds and not given.keys() & {"fpr", "tpr", "threshold"}:
        ways = " or ".join(f"--{k} LOW HIGH" for k in kind.kinds if k != "both")
        raise ValueError(f"--measure {key} needs a region: {ways}.")
    if "threshold" in given:
        given["threshold"] = tuple(_number(word) for word in given["threshold"])
    return kind(**given), taken


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"--threshold takes numbers, not {word!r}.") from None


def _print(result: Any, style: str, **options: Any) -> None:
    if style == "text":
        sentences = f"\n\n{result.report(**options)}" if hasattr(result, "report") else ""
        click.echo(f"{result.summary(**options)}{sentences}")
    elif style in ("json", "csv"):
        click.echo(report.render(result.to_frame(**options), style))
    else:
        click.echo(
            result.to_markdown(**options) if style == "markdown" else result.to_latex(**options)
        )
