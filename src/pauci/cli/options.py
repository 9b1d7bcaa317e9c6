"""Options of the command line, and what is made of them: measures and sources of errors."""

import functools
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from pauci.checks import nearest
from pauci.cli.files import Reading
from pauci.cli.help import option
from pauci.cli.output import ENDS, Output
from pauci.cli.wording import COMMAND, CommandWording, shortened
from pauci.curve.given import OTHER_NAMES
from pauci.errors import BOOTSTRAP, InputError, InputTypeError, arg
from pauci.inference.compare import ADJUSTMENTS
from pauci.inference.profile import BY
from pauci.inference.sources import METHODS
from pauci.intervals.analytic import DIFFERENCE_KINDS
from pauci.intervals.kinds import BOOTSTRAP_KINDS
from pauci.measures import REGISTRY, Measure
from pauci.report.checklists import CHECKLISTS
from pauci.resampling.bootstrap import SCHEMES, Bootstrap
from pauci.results import tables
from pauci.results.output import check_writable
from pauci.results.styles import STYLES
from pauci.variance.jackknife import Jackknife

F = TypeVar("F", bound=Callable[..., Any])

COMPARISON_KINDS = (*DIFFERENCE_KINDS, *BOOTSTRAP_KINDS)

_AXIS_OF = {name: axis for axis, name in OTHER_NAMES.items()}
_REGIONS = ("fpr", "tpr", "specificity", "sensitivity", "threshold")
MEASURE_OPTIONS = (
    *_REGIONS, "at", "ends", "normalized", "prevalence", "negatives", "rescaled", "corrected",
)  # fmt: skip


def row_options(*, required: bool = True) -> list[Any]:
    """Return what says which columns hold what."""
    return [
        option("Data", "--label", required=required, metavar="COLUMN",
               help="Column of the labels."),
        option("Data", "--positive", metavar="VALUE",
               help="Label of the positive class, unless labels are 0/1."),
        option("Data", "--score", "scores", multiple=True, required=required, metavar="COLUMN",
               help="Column of scores; repeat it for several classifiers."),
        option("Data", "--lower-is-positive", multiple=True, metavar="COLUMN",
               help="Column of scores of which less is more positive; may be repeated."),
        option("Data", "--drop-missing", is_flag=True,
               help="Leave out rows with a blank or NA in one of the columns, and say how many."),
        option("Data", "--frequency", metavar="COLUMN",
               help="Column that says how many rows each row stands for."),
        option("Data", "--weight", metavar="COLUMN", help="Column of sampling weights."),
        option("Data", "--cluster", metavar="COLUMN", help="Column of clusters, such as patients."),
        option("Data", "--resolution", metavar="BITS",
               help="Let DuckDB count, and scores in 2^BITS cells, or all with exact: for files "
               "too large for memory."),
        option("Data", "--database", metavar="FILE",
               help="With a query in the place of the file (duckdb:SELECT ...): a database of "
               "DuckDB that it asks."),
    ]  # fmt: skip


def fold_option() -> Any:
    """Return what says that rows were predicted in folds of a cross-validation."""
    return option(
        "Data", "--fold", metavar="COLUMN",
        help="Column of the folds of a cross-validation: measures are averaged within folds. "
        "Repeats take folds of their own, and --cluster with the id of each row.",
    )  # fmt: skip


def long_options() -> list[Any]:
    """Return what says that each row is what one of several classifiers said of a case."""
    return [
        option("Data", "--by", metavar="COLUMN",
               help="Long data: one --score column, and this column names the classifier "
               "(such as modality) of each row. Takes --row."),
        option("Data", "--row", metavar="COLUMN",
               help="With --by: column of the case, which pairs the rows of the classifiers."),
    ]  # fmt: skip


def table_options() -> list[Any]:
    """Return what says where the counts of tables are."""
    return [
        option("Data", "--score", default="score", show_default=True, metavar="COLUMN",
               help="Column of the categories."),
        option("Data", "--positives-column", default="positives", show_default=True,
               metavar="COLUMN", help="Column of the counts of positives."),
        option("Data", "--negatives-column", default="negatives", show_default=True,
               metavar="COLUMN", help="Column of the counts of negatives."),
        option("Data", "--by", metavar="COLUMN",
               help="Column that tells several tables in one file apart, such as modality."),
        option("Data", "--lower-is-positive", multiple=True, metavar="TABLE",
               help="Table whose lower categories are more positive, by its value of --by or "
               "the name of its file; may be repeated."),
        option("Output", "--points", is_flag=True,
               help="Print the operating points of each table as well."),
    ]  # fmt: skip


def file_options() -> list[Any]:
    """Return how a file is read."""
    return [
        option("Data", "--sep", metavar="CHARACTER",
               help="What separates columns of a text: a character, tab or space.  "
               "[default: comma; tab for .tsv]"),
        option("Data", "--decimal", type=click.Choice([".", ","]),
               help="Decimal mark of a text.  [default: .]"),
        option("Data", "--encoding", help="Encoding of a text.  [default: utf-8]"),
        option("Data", "--sheet", metavar="NAME", help="Sheet of an Excel file that has several."),
    ]  # fmt: skip


def measure_options(*, required: bool = True) -> list[Any]:
    """Return what names measures and their regions."""
    pair = {"nargs": 2, "type": float, "metavar": "LOW HIGH"}
    return [
        option("Measure", "--measure", "measures", multiple=True, required=required,
               help="One of those below; repeat it for several."),
        option("Measure", "--normalized", is_flag=True,
               help="Divide the area by the region's length."),
        option("Measure", "--prevalence", type=float,
               help="Share of positives that ap, auk and maxkappa are meant for."),
        option("Measure", "--negatives", is_flag=True, help="Average precision of the negatives."),
        option("Measure", "--rescaled", is_flag=True, help="Rescale ap or auc: 0 is chance."),
        option("Measure", "--corrected", is_flag=True,
               help="Correct ap for bias by the jackknife."),
        option("Region", "--fpr", **pair,
               help="Range of the FPR, such as 0 0.1 (specificity is 1 - FPR)."),
        option("Region", "--tpr", **pair, help="Range of the TPR (sensitivity), such as 0.8 1."),
        option("Region", "--specificity", **pair,
               help="Instead of --fpr: --specificity 0.9 1 is --fpr 0 0.1."),
        option("Region", "--sensitivity", **pair, help="Another name of --tpr."),
        option("Region", "--threshold", nargs=2, metavar="LOW HIGH",
               help="Range of the scores, low <= score < high, such as 3 5; inf is allowed."),
        option("Region", "--at", type=float,
               help="The FPR or TPR of a measure at one point: sensitivity, pai, ..."),
        option("Region", "--ends", type=click.Choice(["north-east", "middle"]),
               help="Where an end on a step of the curve lies.  [default: north-east]"),
    ]  # fmt: skip


def scan_options() -> list[Any]:
    """Return what names a measure and a family of regions."""
    pair = {"nargs": 2, "type": float, "metavar": "LOW HIGH"}
    moving = "The end that moves, from LOW to HIGH: regions"
    return [
        option("Measure", "--measure", "key", required=True,
               help="One of those below that has a region, or is taken at a point."),
        option("Measure", "--normalized", is_flag=True,
               help="Divide the area by the region's length."),
        option("Region", "--fpr", **pair, help=f"{moving} FPR 0 to x."),
        option("Region", "--tpr", **pair, help=f"{moving} TPR y to 1."),
        option("Region", "--specificity", **pair, help=f"{moving} specificity s to 1."),
        option("Region", "--sensitivity", **pair, help="Another name of --tpr."),
        option("Region", "--threshold", **pair,
               help="The end that moves: scores from there up (down, where lower is positive)."),
        option("Region", "--points", type=click.IntRange(min=1), default=50, show_default=True,
               help="How many regions, at equal distances."),
        option("Region", "--fewest", type=float, default=0.0, show_default=True,
               help="Leave out regions expected to hold fewer observations."),
        option("Region", "--ends", type=click.Choice(["north-east", "middle"]),
               help="Where an end on a step of the curve lies.  [default: north-east]"),
        option("Test", "--null", type=float,
               help="Value under the null hypothesis.  [default: 0, or chance for one score]"),
        alternative_option(),
        option("Test", "--draws", type=click.IntRange(min=1000), default=100_000,
               show_default=True, help="Draws of the largest statistic; --seed repeats them."),
    ]  # fmt: skip


def profile_options() -> list[Any]:
    """Return what names groups along the curve."""
    return [
        option("Region", "--by", type=click.Choice(BY), default="fpr", show_default=True,
               help="What the groups are ranges of."),
        option("Region", "--edges", type=float, multiple=True, metavar="NUMBER ...",
               help="Where groups begin and end, such as 0 0.1 0.3 1, which is the default."),
        option("Region", "--ends", type=click.Choice(["north-east", "middle"]),
               default="north-east", show_default=True,
               help="Where an end on a step of the curve lies."),
        option("Data", "--prevalence", type=float,
               help="Share of positives that PPV and NPV are meant for."),
    ]  # fmt: skip


def family_of(key: str, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return what makes the measure of a region, and the family, taken out of all options."""
    kind, points = _kind(key), options.pop("points")
    asked = {name: options.pop(name) for name in _REGIONS}
    family = {
        name: np.linspace(ends[0], ends[1], points) if points > 1 else [ends[0]]
        for name, ends in asked.items() if ends is not None
    }  # fmt: skip
    form = {name: options.pop(name) for name in ("normalized", "ends")}
    given = {name: value for name, value in form.items() if value}
    for name in given:
        if name not in kind.__dataclass_fields__:  # type: ignore[attr-defined]
            raise InputError(arg(name), f" does not go with --measure {key}.")
    return (functools.partial(kind, **given) if given else kind), family


def _workers(_: Any, __: Any, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("0 leaves no worker; use 1, or -1 for all processors.")
    return value


def kind_option(kinds: tuple[str, ...]) -> Any:
    """Return the option that chooses among some kinds of interval."""
    return option(
        "Uncertainty", "--kind", type=click.Choice(kinds),
        help=f"Kind of interval and test; {', '.join(BOOTSTRAP_KINDS)}: with --variance bootstrap.",
    )  # fmt: skip


def common_options() -> list[Any]:
    """Return what every command that gives tables takes."""
    return [
        *uncertainty_options(),
        *output_options(),
        option("Output", "--plot", metavar="FILE",
               help="Draw the result too, to a file that ends in .png, .svg or .pdf: the curves "
               "with the region of the measure, or of several measures a forest plot; groups of a "
               "profile, regions of a scan."),
    ]  # fmt: skip


def uncertainty_options() -> list[Any]:
    """Return what says how rows were sampled, and where standard errors come from."""
    return [
        option("Data", "--design", type=click.Choice(["cohort", "case-control"]),
               default="cohort", show_default=True, help="How the rows were sampled."),
        option("Uncertainty", "--variance", type=click.Choice([*METHODS, "jackknife", "bootstrap"]),
               default="influence", show_default=True, help="Where standard errors come from."),
        *bootstrap_options(),
        option("Uncertainty", "--force", is_flag=True,
               help="Give standard errors at a --prevalence of which hardly any row tells."),
        option("Uncertainty", "--level", type=float, default=0.95, show_default=True,
               help="Confidence level."),
    ]  # fmt: skip


def output_options() -> list[Any]:
    """Return where results go, and in what form."""
    return [
        option("Output", "--format", "form", type=click.Choice(tables.FORMATS),
               help="Form of the output.  [default: as the end of --output says, or text]"),
        option("Output", "--style", type=click.Choice(tuple(STYLES)),
               help="How numbers are written in markdown, latex, html and docx: plain, or as "
               "journals want them.  [default: plain]"),
        option("Output", "--output", metavar="FILE",
               help="Write to FILE, such as table.docx, instead of printing."),
    ]  # fmt: skip


def page_options() -> list[Any]:
    """Return what a page takes."""
    return [
        option("Output", "--output", required=True, metavar="FILE.html", help="Where to write."),
        option("Output", "--title", help="Title of the page.  [default: measures, classifiers]"),
        option("Output", "--checklist", type=click.Choice(CHECKLISTS), default="none",
               show_default=True, help="Reporting guideline whose items are listed in an appendix: "
               "stard (STARD 2015, studies of diagnostic accuracy) or claim (CLAIM 2024, "
               "artificial intelligence in medical imaging)."),
        option("Output", "--item", "items", nargs=2, multiple=True, metavar="ITEM TEXT",
               help="What the authors say of an item of the --checklist, such as 'STARD 18' "
               "'Planned were 213 positives.'; may be repeated."),
        option("Output", "--style", type=click.Choice(tuple(STYLES)), default="plain",
               show_default=True, help="How numbers are written in tables."),
    ]  # fmt: skip


def page_path(path: str) -> str:
    """Return where a page is to be written, refused before anything takes time if it cannot be."""
    end = Path(path).suffix
    if end.lower() != ".html":
        others = ", ".join(e for e in ENDS if e not in (".html", ".htm"))
        raise InputError(
            arg("output", path), " must end in .html; pauci estimate and pauci compare write "
            f"tables to files that end in {others}.",
        )  # fmt: skip
    check_writable(path, "output")
    return path


def output_of(options: dict[str, Any]) -> Output:
    """Return where results go, taking the options of it out of all options."""
    form, style, file = (options.pop(key) for key in ("form", "style", "output"))
    if form is None and file is not None:
        form = ENDS.get(Path(file).suffix.lower())
        if form is None:
            raise InputError(
                arg("output", file), f" does not tell its form by one of {', '.join(ENDS)}; "
                "say it with ", arg("format"), ".",
            )  # fmt: skip
    form = "text" if form is None else form
    if form == "docx" and file is None:
        raise InputError(arg("format", "docx"), " is for files: --output table.docx.")
    if style is not None and form not in tables.PAGES:
        raise InputError(
            arg("style", style), f" goes with {', '.join(tables.PAGES)}, not with {form}."
        )
    return Output(form, "plain" if style is None else style, file)


def bootstrap_options() -> list[Any]:
    """Return how a bootstrap draws."""
    return [
        option("Uncertainty", "--resamples", type=click.IntRange(min=2),
               help="Replicates of the bootstrap.  [default: 2000]"),
        option("Uncertainty", "--scheme", type=click.Choice(SCHEMES),
               help="What the bootstrap draws.  [default: as the design and clusters say]"),
        option("Uncertainty", "--seed", type=click.IntRange(min=0),
               help="Seed of the bootstrap, for the same result again.  [default: drawn]"),
        option("Uncertainty", "--jobs", type=click.IntRange(min=-1), callback=_workers,
               help="Workers of the bootstrap; -1 for all processors.  [default: 1]"),
    ]  # fmt: skip


def alternative_option() -> Any:
    """Return the direction of a test."""
    return option(
        "Test", "--alternative", type=click.Choice(["two-sided", "greater", "less"]),
        default="two-sided", show_default=True, help="Alternative hypothesis.",
    )  # fmt: skip


def difference_options() -> list[Any]:
    """Return what the test of a difference takes."""
    return [
        option("Test", "--null", type=float, default=0.0, show_default=True,
               help="Difference under the null hypothesis."),
        alternative_option(),
    ]  # fmt: skip


def comparison_options() -> list[Any]:
    """Return what tests take."""
    return [
        *difference_options(),
        option("Test", "--adjust", type=click.Choice(ADJUSTMENTS), default="holm",
               show_default=True, help="Adjustment of the p-values of several comparisons."),
    ]  # fmt: skip


def with_options(command: F, options: list[Any]) -> F:
    """Add options to a command, in their order."""
    for add in reversed(options):
        command = add(command)
    return command


def reading_of(options: dict[str, Any]) -> Reading:
    """Return how files are read, taking the options of it out of all options."""
    return Reading(*(options.pop(key) for key in ("sep", "decimal", "encoding", "sheet")))


def bootstrap_of(name: str, options: dict[str, Any], argument: str) -> Bootstrap | None:
    """Return the bootstrap, if that is what was named, taking its options out of all options."""
    asked = {key: options.pop(key) for key in ("resamples", "scheme", "seed", "jobs")}
    if name == "bootstrap":
        return Bootstrap(
            2000 if asked["resamples"] is None else asked["resamples"],
            asked["scheme"],
            # Drawn here, so that all that one command prints comes from the same replicates.
            rng=secrets.randbits(31) if asked["seed"] is None else asked["seed"],
            n_jobs=asked["jobs"],
        )
    for key, value in asked.items():
        if value is not None:
            raise InputError(
                arg(key), " goes with ", arg(argument, BOOTSTRAP),
                f", not with {name}.",
            )  # fmt: skip
    return None


def variance_of(name: str, options: dict[str, Any]) -> Any:
    """Return where standard errors come from, taking the options of it out of all options."""
    bootstrap = bootstrap_of(name, options, "variance")
    return bootstrap or (Jackknife() if name == "jackknife" else name)


def measures_of(keys: tuple[str, ...], options: dict[str, Any]) -> list[Measure]:
    """Make measures from their options, taking them out of all options."""
    asked = {name: options.pop(name) for name in MEASURE_OPTIONS}
    # By identity: an option with the value 0 equals False, and is given nevertheless.
    given = {
        name: value for name, value in asked.items()
        if value is not None and value is not False and value != ()
    }  # fmt: skip
    made = [_measure(key, given) for key in keys]
    for name in given:
        if not any(name in taken for _, taken in made):
            why = f"does not go with --measure {' '.join(keys)}" if keys else "needs a --measure"
            raise InputError(arg(name), f" {why}.")
    return [measure for measure, _ in made]


def _measure(key: str, asked: dict[str, Any]) -> tuple[Measure, set[str]]:
    """Make a measure from those options that it takes, and say which."""
    kind = _kind(key)
    taken = {"at"} if kind.scalar else set(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    given = {name: value for name, value in asked.items() if name in taken}
    if kind.scalar:
        return _at_a_point(key, kind, asked), taken
    if kind.kinds:
        _check_region(key, kind, given)
    if "threshold" in given:
        given["threshold"] = tuple(_number(word) for word in given["threshold"])
    return kind(**given), taken


def _kind(key: str) -> type[Measure]:
    """Return the class of a measure by its key."""
    if key.lower() not in REGISTRY:
        known = ", ".join(REGISTRY)
        raise InputError(
            arg("measure", key), f" is not known{nearest(shortened(key), REGISTRY)} "
            f"Accepted: {known}.",
        )  # fmt: skip
    return REGISTRY[key.lower()]


def _at_a_point(key: str, kind: type[Measure], asked: dict[str, Any]) -> Measure:
    """Make a measure at a single FPR or TPR."""
    scalar = str(kind.scalar)
    if "at" not in asked:
        wrong = [COMMAND.argument(name) for name in _REGIONS if name in asked]
        instead = f", and {wrong[0]} does not go with it" if wrong else ""
        raise InputError(
            arg("measure", key), f" needs a single {scalar.upper()}: --at VALUE{instead}."
        )
    try:
        return kind(**{scalar: asked["at"]})
    except (InputError, InputTypeError) as error:
        said = error.said(CommandWording(options={scalar: "--at"}))
        raise InputError(said, argument="at", value=asked["at"]) from None


def _check_region(key: str, kind: type[Measure], given: dict[str, Any]) -> None:
    """Refuse no region, and one that the measure does not have."""
    axes = [_AXIS_OF.get(name, name) for name in _REGIONS if name in given]
    way = "both" if {"fpr", "tpr"} <= set(axes) else axes[0] if axes else None
    if way in kind.kinds:
        return
    ways = " or ".join(f"--{k} LOW HIGH" for k in kind.kinds if k != "both")
    if way is None:
        raise InputError(arg("measure", key), f" needs a region: {ways}.")
    asked = " with ".join(COMMAND.argument(name) for name in _REGIONS if name in given)
    raise InputError(arg("measure", key), f" does not take {asked}; its region is given by {ways}.")


def _number(word: str) -> float:
    try:
        if "_" not in word:
            return float(word)
    except ValueError:
        pass
    raise InputError(arg("threshold"), f" takes numbers, not {shortened(word)!r}.")
