"""``pauci sample-size`` and ``pauci power``: plans from a pilot file or from an assumption."""

from collections.abc import Sequence
from typing import Any

from pauci.analyses.assumed_sample import binormal
from pauci.analyses.sample_size import plans_at, sample_size
from pauci.cli import options as opt
from pauci.cli.measure_options import ParsedMeasures, measures_of
from pauci.cli.output import Result, give
from pauci.cli.samples import sample_of
from pauci.cli.shell_syntax import SHELL
from pauci.cli.typed_commands import command
from pauci.errors import InputError
from pauci.sample.rows import Design
from pauci.sample.sample import Sample

_OF_FILES = ("label", "positive", "frequency", "weight", "cluster", "scores")


@command(
    "sample-size",
    short_help="Sizes for a test, or for the width of an interval.",
    example="pauci sample-size --auc 0.85 --measure auc --null 0.75 --alternative greater "
    "--ratio 2",
)
def sample_size_command(
    file: opt.PilotFile,
    columns: opt.OptionalRowColumns,
    reading: opt.Reading,
    design: opt.PilotDesign,
    assumption: opt.Assumption,
    measures: opt.Measures,
    test: opt.PlannedTest,
    power: opt.Power,
    ratio: opt.Ratio,
    width: opt.Width,
    output: opt.OutputOptions,
) -> None:
    """Compute how many positives and negatives a study needs.

    Two --score columns of the pilot in FILE (or two --auc) are compared on the same rows; one is
    tested against --null. With --width an interval is planned instead: of one classifier, or of the
    difference of two.
    """
    measure = _measure_of(measures, columns.categories)
    destination = output.checked()
    plan = sample_size(
        _pilot_of(file, reading, columns, design, assumption),
        measure,
        power=power,
        ratio=ratio,
        width=width,
        **_planned(test),
    )
    give([Result("", plan, {})], destination)


@command(
    "power",
    short_help="Power, and width of the interval, at given sizes.",
    example="pauci power --auc 0.85 --auc 0.8 --correlation 0.6 --measure paucc --fpr 0 0.2 "
    "--n-pos 100 --n-neg 200 --kind wald",
)
def power_command(
    file: opt.PilotFile,
    columns: opt.OptionalRowColumns,
    reading: opt.Reading,
    design: opt.PilotDesign,
    assumption: opt.Assumption,
    measures: opt.Measures,
    n_pos: opt.PlannedPositives,
    n_neg: opt.PlannedNegatives,
    test: opt.PlannedTest,
    output: opt.OutputOptions,
) -> None:
    """Compute the power and the interval width of a study of a given size (--n-pos, --n-neg).

    The power is that of the comparison of two --score columns of the pilot in FILE (or two --auc),
    or of the test of one against --null. The expected width is that of the confidence interval.
    """
    measure = _measure_of(measures, columns.categories)
    destination = output.checked()
    pilot = _pilot_of(file, reading, columns, design, assumption)
    plans = plans_at(pilot, measure, n_pos, n_neg, **_planned(test))
    titles = ["power", "width"] if len(plans) > 1 else [""]
    give([Result(t, plan, {}) for t, plan in zip(titles, plans, strict=True)], destination)


def _planned(test: opt.PlannedTest) -> dict[str, Any]:
    """Return the arguments of the planning functions that specify the aim of a study."""
    return {
        "difference": test.difference,
        "null": test.null,
        "alpha": test.alpha,
        "alternative": test.alternative,
        "value": test.value,
        "level": test.level,
        "kind": test.kind,
    }


def _measure_of(parsed: ParsedMeasures, categories: Sequence[str]) -> Any:
    """Return the one measure that is planned for."""
    if len(parsed.keys) > 1:
        raise InputError.of(
            "measure", " ".join(parsed.keys), "names several measures; a plan is for one."
        )
    (measure,) = measures_of(parsed, categories)
    return measure


def _pilot_of(
    file: str | None,
    reading: opt.Reading,
    columns: opt.OptionalRowColumns,
    design: Design | None,
    assumption: opt.Assumption,
) -> Sample:
    """Return the pilot of a file, or an assumption."""
    if file is None:
        _refuse_columns(columns)
        return _assumed(assumption, design or "case-control")
    for name in ("auc", "correlation", "sd"):
        value = getattr(assumption, name)
        if value not in (None, ()):
            raise InputError.of(
                name, value, "is an assumption, but FILE is a pilot; use one of them."
            )
    if columns.label is None or not columns.scores:
        missing = "label" if columns.label is None else "scores"
        option = SHELL.option(missing)
        raise InputError(f"a pilot file requires {option} COLUMN.", argument=missing)
    if len(columns.scores) > 2:
        raise InputError.of(
            "scores",
            columns.scores,
            f"names {len(columns.scores)} classifiers; a plan is for one or two.",
        )
    return sample_of(file, reading, opt.RowColumns.of(columns, columns.label), design or "cohort")


def _refuse_columns(columns: opt.OptionalRowColumns) -> None:
    """Raise an error for options about a file if there is no file."""
    for name in _OF_FILES:
        value = getattr(columns, name)
        if value:
            raise InputError.of(name, value, "is a column of FILE, which is missing.")
    applied = {
        "resolution": columns.resolution,
        "database": columns.database,
        "category": columns.categories,
    }
    for name, value in applied.items():
        if value:
            raise InputError.of(name, value, "applies to FILE; name FILE too.")


def _assumed(assumption: opt.Assumption, design: Design) -> Sample:
    """Return the assumed binormal curves."""
    auc, correlation, sd = assumption.auc, assumption.correlation, assumption.sd
    if not auc:
        raise InputError(
            "a plan requires a pilot (FILE with --label and --score) or an assumption (--auc).",
            argument="auc",
        )
    if len(auc) == 1 and correlation is not None:
        raise InputError.of(
            "correlation", correlation, "requires two classifiers; give --auc twice."
        )
    return binormal(
        auc[0] if len(auc) == 1 else auc,
        correlation,
        1.0 if not sd else sd[0] if len(sd) == 1 else sd,
        design=design,
    )
