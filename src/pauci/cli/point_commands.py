"""``pauci points``: accuracy at thresholds, of score columns of a file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from pauci import checks
from pauci import plot as figures
from pauci.analyses.operating_points import (
    MOST_THRESHOLDS,
    OperatingPoints,
    operating_points,
    points_to_show,
)
from pauci.cli import options as opt
from pauci.cli.data import is_spelling_of, number_of
from pauci.cli.measure_options import ParsedMeasures, points_of, thresholds_by_classifier
from pauci.cli.output import FigureFile, Output, Result, give, write_line
from pauci.cli.samples import sample_of
from pauci.cli.shell_syntax import SHELL, naming_options
from pauci.cli.typed_commands import GroupedCommand, command, is_number, not_a_number
from pauci.cutoffs.youdens_cutoff import youdens_cutoff, youdens_cutoff_if_any
from pauci.errors import InputError
from pauci.measures import REGISTRY
from pauci.sample.sample import Sample

_REGIONS = {
    "--threshold": "--at-threshold",
    "--specificity": "--at-specificity",
    "--sensitivity": "--at-sensitivity",
    "--fpr": "--at-specificity",
    "--tpr": "--at-sensitivity",
}
"""Options of regions, and the options of points that may be meant."""


class WithPoints(GroupedCommand):
    """A command with options of operating points, which take one number each."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Raise an error for points with two numbers."""
        for i, word in enumerate(args):
            _refuse_two_numbers(args, i, *word.partition("=")[:2], ctx)
        return super().parse_args(ctx, args)


class PointsCommand(WithPoints):
    """A command with options of operating points and without regions."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Raise an error for regions, and points of two numbers."""
        for word in args:
            name = word.partition("=")[0]
            if name in _REGIONS:
                raise click.UsageError(
                    f"{name} LOW HIGH is the region of a measure, for pauci estimate. An "
                    f"operating point is one number: {_REGIONS[name]} NUMBER.",
                    ctx,
                )
        return super().parse_args(ctx, args)


def _refuse_two_numbers(
    args: list[str], i: int, name: str, joined: str, ctx: click.Context
) -> None:
    """Raise an error for a second number after the option of a point."""
    if name not in opt.POINT_OPTIONS.values():
        return
    first = i if joined else i + 1
    second = args[first + 1] if first + 1 < len(args) else ""
    if not is_number(second):
        return
    value = args[first].partition("=")[2] if joined else args[first]
    region = name.replace("at-", "")
    raise click.UsageError(
        f"{name} takes one number, but {value} {second} are two. For two points repeat it: {name} "
        f"{value} {name} {second}. For the region of a measure between two numbers, use pauci "
        f"estimate with {region} {value} {second}.",
        ctx,
    )


@command(
    "points",
    cls=PointsCommand,
    short_help="Sensitivity, specificity, PPV, NPV, LR at thresholds.",
    example="pauci points example:ljubljana_scores --label recurrence --score svm "
    "--at-threshold 0 --prevalence 0.2",
)
def points_command(
    file: opt.RowsFile,
    rows: opt.RowColumns,
    reading: opt.Reading,
    design: opt.Design,
    points: opt.PointOptions,
    every: opt.AllPoints,
    prevalence: opt.PointsPrevalence,
    level: opt.Level,
    output: opt.OutputOptions,
    plot: opt.PlotOfPoints,
    dpi: opt.Dpi,
) -> None:
    """Estimate accuracy at thresholds of each score column in FILE, with intervals.

    The table has sensitivity, specificity, predictive values (PPV, NPV), likelihood ratios (LR+,
    LR-), kappa and Youden's index. Intervals treat the threshold as fixed in advance. If it is
    selected by a specificity or a sensitivity of the data, an interval for that rule is reported
    too. Youden's cut-off, which is chosen from the data, has a table of its own (--at-youden), with
    its accuracy on new observations.
    """
    level = checks.level(level)
    destination, figure, at = output.checked(), FigureFile.of(plot, dpi=dpi), points.selections()
    if every and at:
        option = opt.POINT_OPTIONS[next(iter(at))]
        raise InputError.about(
            "all", f"reports every threshold and cannot be combined with {option}."
        )
    sample = sample_of(file, reading, rows, design)
    youdens = _youdens(sample, level) if points.at_youden else []
    if youdens and not (at or every):
        _give_youdens(youdens, plot, destination)
        return
    results = [
        _points_of(sample[name], at, every=every, prevalence=prevalence) for name in sample.names
    ]
    figure.write(figures.operating_points, results, level=level)
    single = len(results) + len(youdens) == 1
    titles = [""] if single else [f"operating points of {p.classifier}" for p in results]
    printed = [Result(t, p, {"level": level}) for t, p in zip(titles, results, strict=True)]
    give([*printed, *youdens], destination)
    if destination == ("text", "plain", None) and not (at or every):
        _write_other_points(sample, results, level)


def _write_other_points(sample: Sample, results: Sequence[OperatingPoints], level: float) -> None:
    """Print how other points are selected, and Youden's cut-offs."""
    largest = max(p.table.size for p in results)
    if largest > len(results[0]):
        every = "; all: --all" if largest <= MOST_THRESHOLDS else ""
        write_line(
            f"\nOf {largest:,} thresholds, those at a specificity and at a sensitivity of 0.9 are "
            f"shown. Others: --at-threshold, --at-specificity, --at-sensitivity{every}."
        )
    for name in sample.names:
        chosen = youdens_cutoff_if_any(sample[name])
        if chosen is not None:
            write_line(f"\n{chosen.report(level)}")


def _youdens(sample: Sample, level: float) -> list[Result]:
    """Return Youden's cut-off of each classifier."""
    return [
        Result(f"Youden's cut-off of {name}", youdens_cutoff(sample[name]), {"level": level})
        for name in sample.names
    ]


def _give_youdens(youdens: list[Result], plot: str | None, destination: Output) -> None:
    """Print or write Youden's cut-offs alone."""
    if plot is not None:
        raise InputError.about(
            "plot",
            "draws points whose threshold is fixed, and --at-youden is chosen from the data; pauci "
            "cutoff --maximize youden has a figure of the cut-off.",
        )
    give(youdens if len(youdens) > 1 else [youdens[0]._replace(title="")], destination)


def _points_of(
    sample: Sample,
    at: Mapping[str, list[Any]],
    *,
    every: bool,
    prevalence: float | None,
) -> OperatingPoints:
    """Return the operating points of one classifier; messages name these options."""
    with naming_options(opt.POINT_OPTIONS):
        if every:
            return operating_points(sample, prevalence=prevalence)
        chosen = with_thresholds(sample, at)
        return points_to_show(sample, prevalence=prevalence, **chosen)


def points_of_page(
    points: opt.PointOptions, parsed: ParsedMeasures
) -> tuple[dict[str, Any], ParsedMeasures]:
    """Return the points of a page with their prevalence, and the measures with their cut-off.

    A measure at a cut-off is estimated at the point of the page. A prevalence that the measure
    before it does not take is that of the points.
    """
    selections: dict[str, Any] = points.selections()
    measures = tuple((key, _with_point(key, own, points, parsed)) for key, own in parsed.measures)
    parsed = replace(parsed, measures=measures)
    if any(map(thresholds_by_classifier, points.at_threshold)):
        del selections["thresholds"]  # the page shows the points of the measures
    free = [options for key, options in parsed.measures if not _takes_prevalence(key)]
    if len(free) == len(parsed.measures):
        free.append(parsed.common)
    values = {options["prevalence"] for options in free if "prevalence" in options}
    if not selections or len(values) != 1:
        return selections, parsed

    def without_prevalence(options: Mapping[str, Any]) -> Mapping[str, Any]:
        affected = any(options is other for other in free)
        return {k: v for k, v in options.items() if not (affected and k == "prevalence")}

    others = tuple((key, without_prevalence(options)) for key, options in parsed.measures)
    remaining = ParsedMeasures(without_prevalence(parsed.common), others)
    return {**selections, "prevalence": values.pop()}, remaining


def _with_point(
    key: str, options: Mapping[str, Any], points: opt.PointOptions, parsed: ParsedMeasures
) -> Mapping[str, Any]:
    """Return the options of a measure, with the point of the page if it has no cut-off."""
    kind = REGISTRY.get(key.lower())
    accepted = {} if kind is None else points_of(kind)
    if accepted.keys() & {*options, *parsed.common}:
        return options
    values = [(name, v) for name in accepted for v in getattr(points, name, ())]
    if len(values) > 1:
        raise InputError.of(
            "measure",
            key,
            f"needs a single cut-off, but the points of the page are {len(values)}: "
            f"{', '.join(f'{SHELL.option(name)} {v}' for name, v in values)}.",
        )
    return {**options, **dict(values)}


def _takes_prevalence(key: str) -> bool:
    """Return whether a measure takes a prevalence; an unknown measure is refused later."""
    kind = REGISTRY.get(key.lower())
    return kind is None or "prevalence" in kind.arguments()


def with_thresholds(sample: Sample, at: Mapping[str, Any]) -> dict[str, Any]:
    """Return the selected points, with thresholds as numbers or categories."""
    texts = at.get("thresholds")
    return {**at, **({"thresholds": [_threshold(sample, w) for w in texts]} if texts else {})}


def _threshold(sample: Sample, word: str) -> Any:
    """Return a threshold as a number, or as the category of an ordinal scale."""
    categories = sample.ratings().table.categories
    if categories is not None:
        return next((c for c in categories if is_spelling_of(word, c)), word)
    if not is_number(word) or "_" in word:
        raise InputError(f"--at-threshold {not_a_number(word)}", argument="thresholds", value=word)
    return number_of(word)
