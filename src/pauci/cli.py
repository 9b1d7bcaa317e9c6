"""The ``pauci`` command: estimate, compare and a demonstration, from CSV files."""

import re
import sys
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import click

from pauci import report
from pauci.compare import ADJUSTMENTS, compare
from pauci.errors import PauciWarning, nearest
from pauci.estimate import estimate
from pauci.interval import ESTIMATE_KINDS
from pauci.measures import AUC, REGISTRY, Measure, PAUCc
from pauci.sample import Sample

F = TypeVar("F", bound=Callable[..., Any])


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
        click.option("--measure", "measure", required=True,
                     help=f"One of: {', '.join(REGISTRY)}."),
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
        click.option("--frequency", help="Column that says how many rows each row stands for."),
        click.option("--weight", help="Column of sampling weights."),
        click.option("--cluster", help="Column of clusters, such as patients."),
        click.option("--design", type=click.Choice(["cohort", "case-control"]), default="cohort",
                     show_default=True, help="How the rows were sampled."),
        click.option("--level", type=float, default=0.95, show_default=True,
                     help="Confidence level."),
        click.option("--format", "style", type=click.Choice(report.FORMATS), default="text",
                     show_default=True, help="Form of the output."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


@commands.command("estimate")
@_shared_options
@click.option("--kind", type=click.Choice(ESTIMATE_KINDS), help="Kind of interval.")
def estimate_command(
    file: str, measure: str, level: float, style: str, kind: Any, **options: Any
) -> None:
    """Estimate a measure of each score column in FILE (a CSV file, or - for standard input)."""
    asked = _measure(measure, options)
    result = estimate(_sample(file, **options), [asked])
    _print(result, style, level=level, kind=kind)


@commands.command("compare")
@_shared_options
@click.option("--null", type=float, default=0.0, show_default=True,
              help="Difference under the null hypothesis.")  # fmt: skip
@click.option("--alternative", type=click.Choice(["two-sided", "greater", "less"]),
              default="two-sided", show_default=True, help="Alternative hypothesis.")  # fmt: skip
@click.option("--adjust", type=click.Choice(ADJUSTMENTS), default="holm", show_default=True,
              help="Adjustment of the p-values of more than two classifiers.")  # fmt: skip
def compare_command(
    file: str, measure: str, level: float, style: str, null: float, alternative: Any, adjust: str,
    **options: Any,
) -> None:  # fmt: skip
    """Test score columns of FILE on the same rows (paired): two of them, or all pairs of more."""
    if len(options["scores"]) == 1:
        raise ValueError(
            f"a comparison needs two, and there is one classifier ({options['scores'][0]}); name "
            "the other with a second --score."
        )
    asked = _measure(measure, options)
    result = compare(_sample(file, **options), asked, null, alternative, adjust=adjust)
    _print(result, style, level=level)


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


def _sample(file: str, label: str, positive: str | None, scores: Any, **options: Any) -> Sample:
    """Read a CSV file into a sample."""
    import pandas as pd

    name = "standard input" if file == "-" else f"file {file!r}"
    try:
        frame = pd.read_csv(sys.stdin if file == "-" else file, low_memory=False)
    except FileNotFoundError:
        raise ValueError(f"{name} does not exist; check the path.") from None
    except pd.errors.EmptyDataError:
        raise ValueError(f"{name} is empty; it needs a header line and rows.") from None
    except (OSError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ValueError(f"{name} cannot be read as CSV: {error}.") from None
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


def _measure(key: str, options: dict[str, Any]) -> Measure:
    """Make a measure from its options, taking them out of all options."""
    region = {name: options.pop(name) for name in ("fpr", "tpr", "threshold", "ends", "at")}
    region["normalized"] = options.pop("normalized") or None
    if key.lower() not in REGISTRY:
        known = ", ".join(REGISTRY)
        raise ValueError(f"measure={key!r} is not known{nearest(key, REGISTRY)} Accepted: {known}.")
    kind = REGISTRY[key.lower()]
    given = {name: value for name, value in region.items() if value not in (None, ())}
    taken = {"at"} if kind.scalar else set(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    for name in given.keys() - taken:
        raise ValueError(f"--{name} does not go with --measure {key}.")
    if kind.scalar:
        if "at" not in given:
            raise ValueError(f"--measure {key} needs a single {kind.scalar.upper()}: --at VALUE.")
        given = {kind.scalar: given["at"]}
    if kind.kinds and not given.keys() & {"fpr", "tpr", "threshold"}:
        ways = " or ".join(f"--{k} LOW HIGH" for k in kind.kinds if k != "both")
        raise ValueError(f"--measure {key} needs a region: {ways}.")
    if "threshold" in given:
        given["threshold"] = tuple(_number(word) for word in given["threshold"])
    measure: Measure = kind(**given)
    return measure


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"--threshold takes numbers, not {word!r}.") from None


def _print(result: Any, style: str, **options: Any) -> None:
    if style == "text":
        click.echo(f"{result.summary(**options)}\n\n{result.report(**options)}")
    elif style in ("json", "csv"):
        click.echo(report.render(result.to_frame(**options), style))
    else:
        click.echo(
            result.to_markdown(**options) if style == "markdown" else result.to_latex(**options)
        )
