"""Options of the command line, and what is made of them: measures and sources of errors."""

import secrets
from collections.abc import Callable
from typing import Any, TypeVar

import click

from pauci.checks import nearest
from pauci.errors import InputError, arg
from pauci.inference.compare import ADJUSTMENTS
from pauci.inference.sources import METHODS
from pauci.intervals.analytic import DIFFERENCE_KINDS
from pauci.intervals.resampled import BOOTSTRAP_KINDS
from pauci.measures import REGISTRY, Measure
from pauci.resampling.bootstrap import Bootstrap
from pauci.results import tables
from pauci.variance.jackknife import Jackknife

F = TypeVar("F", bound=Callable[..., Any])

COMPARISON_KINDS = (*DIFFERENCE_KINDS, *BOOTSTRAP_KINDS)

_MEASURE_OPTIONS = (
    "fpr", "tpr", "threshold", "at", "ends", "normalized", "prevalence", "negatives", "rescaled",
    "corrected",
)  # fmt: skip


def shared_options(command: F) -> F:
    """Add what estimate and compare have in common."""
    options = [
        click.argument("file", type=str),
        click.option("--label", required=True, help="Column of the labels."),
        click.option("--positive", help="Label of the positive class, unless labels are 0/1."),
        click.option("--score", "scores", multiple=True, required=True,
                     help="Column of scores; repeat it for several classifiers."),
        *measure_options(),
        click.option("--frequency", help="Column that says how many rows each row stands for."),
        click.option("--weight", help="Column of sampling weights."),
        click.option("--cluster", help="Column of clusters, such as patients."),
        *common_options(),
    ]  # fmt: skip
    return with_options(command, options)


def measure_options() -> list[Any]:
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


def _workers(_: Any, __: Any, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("0 leaves no worker; use 1, or -1 for all processors.")
    return value


def kind_option(kinds: tuple[str, ...]) -> Any:
    """Return the option that chooses among some kinds of interval."""
    return click.option(
        "--kind", type=click.Choice(kinds),
        help=f"Kind of interval and test; {', '.join(BOOTSTRAP_KINDS)}: with --variance bootstrap.",
    )  # fmt: skip


def common_options() -> list[Any]:
    """Return what every command with data takes."""
    return [
        click.option("--design", type=click.Choice(["cohort", "case-control"]), default="cohort",
                     show_default=True, help="How the rows were sampled."),
        click.option("--variance", type=click.Choice([*METHODS, "jackknife", "bootstrap"]),
                     default="influence", show_default=True,
                     help="Where standard errors come from."),
        click.option("--resamples", type=click.IntRange(min=2),
                     help="Replicates of the bootstrap.  [default: 2000]"),
        click.option("--seed", type=click.IntRange(min=0),
                     help="Seed of the bootstrap, for the same result again.  [default: drawn]"),
        click.option("--jobs", type=click.IntRange(min=-1), callback=_workers,
                     help="Workers of the bootstrap; -1 for all processors.  [default: 1]"),
        click.option("--level", type=float, default=0.95, show_default=True,
                     help="Confidence level."),
        click.option("--format", "style", type=click.Choice(tables.FORMATS), default="text",
                     show_default=True, help="Form of the output."),
    ]  # fmt: skip


def comparison_options() -> list[Any]:
    """Return what tests take."""
    return [
        click.option("--null", type=float, default=0.0, show_default=True,
                     help="Difference under the null hypothesis."),
        click.option("--alternative", type=click.Choice(["two-sided", "greater", "less"]),
                     default="two-sided", show_default=True, help="Alternative hypothesis."),
        click.option("--adjust", type=click.Choice(ADJUSTMENTS), default="holm", show_default=True,
                     help="Adjustment of the p-values of several comparisons."),
    ]  # fmt: skip


def with_options(command: F, options: list[Any]) -> F:
    """Add options to a command, in their order."""
    for option in reversed(options):
        command = option(command)
    return command


def variance_of(name: str, options: dict[str, Any]) -> Any:
    """Return where standard errors come from, taking the options of it out of all options."""
    asked = {key: options.pop(key) for key in ("resamples", "seed", "jobs")}
    if name == "bootstrap":
        return Bootstrap(
            2000 if asked["resamples"] is None else asked["resamples"],
            # Drawn here, so that all that one command prints comes from the same replicates.
            rng=secrets.randbits(31) if asked["seed"] is None else asked["seed"],
            n_jobs=asked["jobs"],
        )
    for key, value in asked.items():
        if value is not None:
            raise InputError(f"--{key} goes with --variance bootstrap, not with {name}.")
    return Jackknife() if name == "jackknife" else name


def measures_of(keys: tuple[str, ...], options: dict[str, Any]) -> list[Measure]:
    """Make measures from their options, taking them out of all options."""
    asked = {name: options.pop(name) for name in _MEASURE_OPTIONS}
    given = {name: value for name, value in asked.items() if value not in (None, (), False)}
    made = [_measure(key, given) for key in keys]
    for name in given:
        if not any(name in taken for _, taken in made):
            raise InputError(f"--{name} does not go with --measure {' '.join(keys)}.")
    return [measure for measure, _ in made]


def _measure(key: str, asked: dict[str, Any]) -> tuple[Measure, set[str]]:
    """Make a measure from those options that it takes, and say which."""
    if key.lower() not in REGISTRY:
        known = ", ".join(REGISTRY)
        raise InputError(
            arg("measure", key), f" is not known{nearest(key, REGISTRY)} Accepted: {known}."
        )
    kind = REGISTRY[key.lower()]
    taken = {"at"} if kind.scalar else set(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    given = {name: value for name, value in asked.items() if name in taken}
    if kind.scalar:
        if "at" not in given:
            wrong = [f"--{name}" for name in ("fpr", "tpr", "threshold") if name in asked]
            instead = f", and {wrong[0]} does not go with it" if wrong else ""
            raise InputError(
                f"--measure {key} needs a single {kind.scalar.upper()}: --at VALUE{instead}."
            )
        try:
            return kind(**{kind.scalar: given["at"]}), taken
        except ValueError as error:
            raise InputError(str(error).replace(f"{kind.scalar}=", "--at ")) from None
    if kind.kinds and not given.keys() & {"fpr", "tpr", "threshold"}:
        ways = " or ".join(f"--{k} LOW HIGH" for k in kind.kinds if k != "both")
        raise InputError(f"--measure {key} needs a region: {ways}.")
    if "threshold" in given:
        given["threshold"] = tuple(_number(word) for word in given["threshold"])
    return kind(**given), taken


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InputError(f"--threshold takes numbers, not {word!r}.") from None
