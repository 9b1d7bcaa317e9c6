"""``pauci points``: accuracy at thresholds, of score columns of a file."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import click

from pauci import checks
from pauci import plot as figures
from pauci.cli.data import spells
from pauci.cli.figure import Figure
from pauci.cli.help import GroupedCommand, option
from pauci.cli.options import (
    design_option,
    file_options,
    output_of,
    output_options,
    reading_of,
    row_options,
    with_options,
)
from pauci.cli.output import Result, give, write_line
from pauci.cli.parsing import AskedMeasures, is_number, no_number
from pauci.cli.samples import sample_of
from pauci.cli.wording import CommandWording, speaking
from pauci.errors import InputError, InputTypeError, arg
from pauci.inference.operating_points import operating_points, points_to_show
from pauci.intervals.two_by_two import METHODS
from pauci.measures import REGISTRY
from pauci.results.operating_points import OperatingPoints
from pauci.sample.sample import Sample

AT = {
    "thresholds": "--at-threshold", "specificity": "--at-specificity",
    "sensitivity": "--at-sensitivity",
}  # fmt: skip
"""Options by what `operating_points` calls them."""

_REGIONS = {
    "--threshold": "--at-threshold", "--specificity": "--at-specificity",
    "--sensitivity": "--at-sensitivity", "--fpr": "--at-specificity", "--tpr": "--at-sensitivity",
}  # fmt: skip
"""Options of regions, which have two ends, and those of the points that may be meant."""


def point_options() -> list[Any]:
    """Return what names thresholds, by themselves or by a rate: one number each."""
    return [
        option("Points", "--at-threshold", multiple=True, metavar="NUMBER",
               help="Threshold: scores from there up are called positive (down, where lower is "
               "positive); may be repeated."),
        option("Points", "--at-specificity", type=float, multiple=True,
               metavar="NUMBER",
               help="The threshold with a specificity of at least so much; may be repeated."),
        option("Points", "--at-sensitivity", type=float, multiple=True,
               metavar="NUMBER",
               help="The strictest threshold with a sensitivity of at least so much; may be "
               "repeated."),
    ]  # fmt: skip


class WithPoints(GroupedCommand):
    """A command whose points have one number each, unlike regions."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse points of two numbers."""
        for i, word in enumerate(args):
            _refuse_two_numbers(args, i, *word.partition("=")[:2], ctx)
        return super().parse_args(ctx, args)


class PointsCommand(WithPoints):
    """A command that has points, and no regions."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse regions, and points of two numbers."""
        for word in args:
            name = word.partition("=")[0]
            if name in _REGIONS:
                raise click.UsageError(
                    f"{name} LOW HIGH is the region of a measure, as pauci estimate takes it. "
                    f"A point is named by one number: {_REGIONS[name]} NUMBER.",
                    ctx,
                )
        return super().parse_args(ctx, args)


def _refuse_two_numbers(
    args: list[str], i: int, name: str, joined: str, ctx: click.Context
) -> None:
    """Refuse a second number after the option of a point."""
    if name not in AT.values():
        return
    first = i if joined else i + 1
    second = args[first + 1] if first + 1 < len(args) else ""
    if not is_number(second):
        return
    value = args[first].partition("=")[2] if joined else args[first]
    region = name.replace("at-", "")
    raise click.UsageError(
        f"{name} takes one number, and {value} {second} are two. For two points repeat it: {name} "
        f"{value} {name} {second}. The region of a measure between two numbers is {region} {value} "
        f"{second} of pauci estimate.",
        ctx,
    )


@click.command(
    "points",
    cls=PointsCommand,
    short_help="Sensitivity, specificity, PPV, NPV, LR at thresholds.",
    example="pauci points data/ljubljana_scores.csv --label recurrence --score svm "
    "--at-threshold 0 --prevalence 0.2",
)
@click.argument("file", type=str)
@partial(
    with_options,
    options=[
        *row_options(),
        *file_options(),
        design_option(),
        *point_options(),
        option("Points", "--all", "every", is_flag=True,
               help="Every threshold.  [default: all of at most 10; of more those at a specificity "
               "and at a sensitivity of 0.9]"),
        option("Points", "--prevalence", type=float,
               help="Share of positives that PPV, NPV and kappa are meant for.  [default: that of "
               "the sample]"),
        option("Uncertainty", "--method", type=click.Choice(tuple(METHODS)), default="wilson",
               show_default=True, help="Interval of a proportion; beta is Clopper-Pearson."),
        option("Uncertainty", "--level", type=float, default=0.95, show_default=True,
               help="Confidence level."),
        *output_options(),
        option("Output", "--plot", metavar="FILE",
               help="Draw the ROC curves with the points, to a file that ends in .png, .svg or "
               ".pdf."),
    ],
)  # fmt: skip
def points_command(
    file: str, every: bool, prevalence: float | None, method: str, level: float, plot: str | None,
    **options: Any,
) -> None:  # fmt: skip
    """Give accuracy at thresholds of each score column in FILE, with intervals.

    Sensitivity, specificity, predictive values (PPV, NPV), likelihood ratios (LR+, LR-), kappa and
    Youden's index. Intervals take the threshold as fixed beforehand; where it was found at a
    specificity or a sensitivity of the data, the interval of that rule is given as well.

    FILE is a text with a header line (CSV, TSV), Parquet or Excel; it may be compressed (.gz, .bz2,
    .xz, .zip), and - is standard input. Blank cells and NA are missing values. A pattern of several
    files ('scores/*.parquet') or a query (duckdb:SELECT ...) is counted by DuckDB and not loaded.
    """
    level = checks.level(level)
    output, figure, at = output_of(options), Figure.of(plot), asked_points(options)
    if every and at:
        option_ = AT[next(iter(at))]
        raise InputError(arg("all"), f" gives every threshold, and {option_} some; use one.")
    sample = sample_of(file, reading_of(options), **options)
    made = [
        points_of(sample[name], at, every=every, prevalence=prevalence, method=method)
        for name in sample.names
    ]
    figure.write_with(figures.operating_points, made, level=level)
    titles = [""] if len(made) == 1 else [f"operating points of {p.classifier}" for p in made]
    give([Result(t, p, {"level": level}) for t, p in zip(titles, made, strict=True)], output)
    most = max(p.table.size for p in made)
    if not every and not at and most > len(made[0]) and output == ("text", "plain", None):
        write_line(
            f"\nShown are thresholds at a specificity and at a sensitivity of 0.9, of {most:,}. "
            "Others: --at-threshold, --at-specificity, --at-sensitivity; all: --all."
        )


def asked_points(options: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the points that were asked for, taking their options out of all options."""
    given = {name: options.pop(key[2:].replace("-", "_")) for name, key in AT.items()}
    for name, values in given.items():
        twice = [v for v, times in Counter(values).items() if times > 1]
        if twice:
            raise InputError(f"{AT[name]} names {twice[0]} twice.", argument=name, value=twice[0])
    return {name: list(values) for name, values in given.items() if values}


def points_of(
    sample: Sample, at: Mapping[str, list[Any]], *, every: bool = False, **options: Any
) -> OperatingPoints:
    """Return the operating points of one classifier; messages speak of these options."""
    with naming_points():
        if every:
            return operating_points(sample, **options)
        return points_to_show(sample, **options, **_with_thresholds(sample, at))


@contextmanager
def naming_points() -> Iterator[None]:
    """Let messages speak of the options of points."""
    wording = CommandWording(options=AT)
    try:
        with speaking(wording):
            yield
    except (InputError, InputTypeError) as error:
        if error.argument not in (*AT, None):
            raise
        raise InputError(error.said(wording), argument=error.argument, value=error.value) from None


def asked_on_page(measures: AskedMeasures, options: dict[str, Any]) -> dict[str, Any]:
    """Return the points of a page, taking their options out of all options.

    A prevalence that no measure before it takes is theirs.
    """
    asked: dict[str, Any] = asked_points(options)
    owners = [own for key, own in measures.each if not _takes_prevalence(key)]
    if len(owners) == len(measures.each):
        owners.append(measures.common)
    given = {own["prevalence"] for own in owners if "prevalence" in own}
    if asked and len(given) == 1:
        asked["prevalence"] = given.pop()
        for own in owners:
            own.pop("prevalence", None)
    return asked


def _takes_prevalence(key: str) -> bool:
    """Tell whether a measure has a prevalence; an unknown one is refused elsewhere."""
    kind = REGISTRY.get(key.lower())
    return kind is None or "prevalence" in kind.__dataclass_fields__  # type: ignore[attr-defined]


def on_page(sample: Sample, asked: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the points of a page as `report_page` takes them."""
    return _with_thresholds(sample[sample.names[0]], asked) if asked else None


def _with_thresholds(sample: Sample, at: Mapping[str, Any]) -> dict[str, Any]:
    """Return the points that were asked for, thresholds as numbers or categories."""
    words = at.get("thresholds")
    return {**at, **({"thresholds": [_threshold(sample, w) for w in words]} if words else {})}


def _threshold(sample: Sample, word: str) -> Any:
    """Return a threshold as a number, or as the category of an ordinal scale."""
    categories = sample.ratings().table.categories
    if categories is not None:
        return next((c for c in categories if spells(word, c)), word)
    if not is_number(word) or "_" in word:
        raise InputError(f"--at-threshold {no_number(word)}", argument="thresholds", value=word)
    return float(word)
