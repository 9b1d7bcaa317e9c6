"""``pauci sample-size`` and ``pauci power``: plans from a pilot's file, or from an assumption."""

from functools import partial
from typing import Any

import click

from pauci.cli.help import GroupedCommand, option
from pauci.cli.measure_options import measure_options, measures_of
from pauci.cli.options import (
    alternative_option,
    file_options,
    output_of,
    output_options,
    reading_of,
    row_options,
    with_options,
)
from pauci.cli.output import Result, give
from pauci.cli.parsing import AskedMeasures
from pauci.cli.samples import sample_of
from pauci.errors import InputError, arg
from pauci.inference.assumptions import binormal
from pauci.inference.planning import plans_at, sample_size
from pauci.intervals.analytic import ESTIMATE_KINDS
from pauci.sample.sample import Sample

_OF_FILES = ("label", "positive", "frequency", "weight", "cluster")
_OF_ASSUMPTIONS = ("auc", "correlation", "sd")


def _pilot_options() -> list[Any]:
    """Return what a plan starts from: columns of a file, or assumed curves."""
    return [
        *row_options(required=False), *file_options(),
        option("Data", "--design", type=click.Choice(["cohort", "case-control"]),
               help="How the rows are sampled.  [default: cohort; with --auc case-control]"),
        option("Data", "--auc", type=float, multiple=True, metavar="NUMBER",
               help="Without FILE: AUC of an assumed binormal curve; repeat it for two."),
        option("Data", "--correlation", type=float, metavar="NUMBER",
               help="With two --auc: correlation of the scores within a class.  [default: 0.5]"),
        option("Data", "--sd", type=float, multiple=True, metavar="NUMBER",
               help="With --auc: standard deviation of the positives' scores, that of negatives "
               "being 1; repeat it for two.  [default: 1]"),
    ]  # fmt: skip


def _plan_options() -> list[Any]:
    """Return what is planned for, in both commands."""
    return [
        option("Test", "--difference", type=float,
               help="True difference of two classifiers.  [default: the pilot's]"),
        option("Test", "--value", type=float,
               help="True value of one classifier.  [default: the pilot's]"),
        option("Test", "--null", type=float,
               help="Value that one classifier is tested against; of two the difference under the "
               "null hypothesis.  [default of two: 0]"),
        option("Test", "--alpha", type=float, help="Size of the test.  [default: 0.05]"),
        alternative_option(),
        option("Uncertainty", "--level", type=float,
               help="Confidence level of the interval.  [default: 0.95]"),
        option("Uncertainty", "--kind", type=click.Choice(tuple(ESTIMATE_KINDS)),
               help="Kind of interval and test of one classifier.  [default: that of pauci "
               "estimate]"),
    ]  # fmt: skip


@click.command(
    "sample-size",
    cls=GroupedCommand,
    short_help="How many a test, or the width of an interval, takes.",
    example="pauci sample-size --auc 0.85 --measure auc --null 0.75 --alternative greater "
    "--ratio 2",
)
@click.argument("file", type=str, required=False)
@partial(
    with_options,
    options=[
        *_pilot_options(), *measure_options(), *_plan_options(),
        option("Test", "--power", type=float, help="Power wanted.  [default: 0.8]"),
        option("Test", "--ratio", type=float,
               help="Negatives per positive.  [default: the pilot's]"),
        option("Uncertainty", "--width", type=float,
               help="Width wanted of the interval, in place of a test."),
        *output_options(),
    ],
)  # fmt: skip
def sample_size_command(
    file: str | None, measures: AskedMeasures, power: float | None, ratio: float | None,
    difference: float | None, value: float | None, null: float | None, alpha: float | None,
    alternative: Any, level: float | None, kind: Any, width: float | None, **options: Any,
) -> None:  # fmt: skip
    """Say how many positives and negatives a study needs.

    Two --score columns of the pilot in FILE (or two --auc) are compared on the same rows; one is
    tested against --null; and with --width an interval is planned, of one or of the difference of
    two.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Without FILE, binormal curves are assumed: --auc.
    """
    measure = _measure_of(measures)
    output = output_of(options)
    plan = sample_size(
        _pilot_of(file, options), measure, power=power, ratio=ratio, difference=difference,
        null=null, alpha=alpha, alternative=alternative, value=value, width=width, level=level,
        kind=kind,
    )  # fmt: skip
    give([Result("", plan, {})], output)


@click.command(
    "power",
    cls=GroupedCommand,
    short_help="Power, and width of the interval, at given sizes.",
    example="pauci power --auc 0.85 --auc 0.8 --correlation 0.6 --measure paucc --fpr 0 0.2 "
    "--n-pos 100 --n-neg 200",
)
@click.argument("file", type=str, required=False)
@partial(
    with_options,
    options=[
        *_pilot_options(), *measure_options(),
        option("Test", "--n-pos", type=int, required=True, help="Planned positives."),
        option("Test", "--n-neg", type=int, required=True, help="Planned negatives."),
        *_plan_options(), *output_options(),
    ],
)  # fmt: skip
def power_command(
    file: str | None, measures: AskedMeasures, n_pos: int, n_neg: int,
    difference: float | None, value: float | None, null: float | None, alpha: float | None,
    alternative: Any, level: float | None, kind: Any, **options: Any,
) -> None:  # fmt: skip
    """Say what a study of --n-pos positives and --n-neg negatives can show.

    Of two --score columns of the pilot in FILE (or two --auc) the power of their comparison, of one
    that of its test against --null; and how wide the confidence interval is expected to be.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Without FILE, binormal curves are assumed: --auc.
    """
    measure = _measure_of(measures)
    output = output_of(options)
    plans = plans_at(
        _pilot_of(file, options), measure, n_pos, n_neg, difference=difference, null=null,
        alpha=alpha, alternative=alternative, value=value, level=level, kind=kind,
    )  # fmt: skip
    titles = ["power", "width"] if len(plans) > 1 else [""]
    give([Result(t, plan, {}) for t, plan in zip(titles, plans, strict=True)], output)


def _measure_of(asked: AskedMeasures) -> Any:
    """Return the one measure that is planned for."""
    if len(asked.keys) > 1:
        raise InputError(
            arg("measure", " ".join(asked.keys)), " names several; a plan is for one measure."
        )
    (measure,) = measures_of(asked)
    return measure


def _pilot_of(file: str | None, options: dict[str, Any]) -> Sample:
    """Return the pilot of a file, or an assumption."""
    reading = reading_of(options)
    auc, correlation, sd = (options.pop(name) for name in _OF_ASSUMPTIONS)
    design = options.pop("design")
    if file is None:
        for name in (*_OF_FILES, "scores"):
            if options[name]:
                raise InputError(arg(name, options[name]), " is a column of FILE; name the file.")
        for name in ("resolution", "database"):
            if options[name]:
                raise InputError(arg(name, options[name]), " says how FILE is read; name the file.")
        if not auc:
            raise InputError(
                "a plan takes a pilot, FILE with --label and --score, or an assumption, ",
                arg("auc"), ".", argument="auc",
            )  # fmt: skip
        if len(auc) == 1 and correlation is not None:
            raise InputError(arg("correlation", correlation), " is of two; give --auc twice.")
        return binormal(
            auc[0] if len(auc) == 1 else auc, correlation,
            (1.0 if not sd else sd[0] if len(sd) == 1 else sd), design=design or "case-control",
        )  # fmt: skip
    for name, given in zip(_OF_ASSUMPTIONS, (auc, correlation, sd), strict=True):
        if given not in (None, ()):
            raise InputError(arg(name, given), " is an assumption, and FILE is a pilot; give one.")
    if options["label"] is None or not options["scores"]:
        missing = "label" if options["label"] is None else "scores"
        raise InputError("a pilot's file needs ", arg(missing), " COLUMN.", argument=missing)
    if len(options["scores"]) > 2:
        raise InputError(
            arg("scores", options["scores"]), f" names {len(options['scores'])} classifiers; a "
            "plan is for one or two.",
        )  # fmt: skip
    return sample_of(file, reading, design=design or "cohort", **options)
