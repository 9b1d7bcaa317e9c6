"""Options of the command line, and what is made of them: measures and sources of errors."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pauci.checks import other_choice
from pauci.cli.files import Reading
from pauci.cli.help import option
from pauci.cli.output import ENDS, Output
from pauci.cli.unpacking import LARGEST_UNPACKED
from pauci.cli.wording import shortened
from pauci.errors import BOOTSTRAP, InputError, arg
from pauci.inference.compare import ADJUSTMENTS
from pauci.inference.profile import BY
from pauci.inference.sources import METHODS
from pauci.intervals.analytic import DIFFERENCE_KINDS
from pauci.intervals.kinds import BOOTSTRAP_KINDS
from pauci.plot.look import FORMATS
from pauci.report.checklists import CHECKLISTS
from pauci.resampling.bootstrap import SCHEMES, Bootstrap
from pauci.results import tables
from pauci.results.output import check_writable
from pauci.results.styles import STYLES
from pauci.variance.jackknife import Jackknife

F = TypeVar("F", bound=Callable[..., Any])

COMPARISON_KINDS = (*DIFFERENCE_KINDS, *BOOTSTRAP_KINDS)


if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:  # click 8.1 has no type argument
    _Choice = click.Choice


class Choice(_Choice):
    """Some words, of which those of other packages are explained."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word, or say what it is called here."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            known = other_choice(param.name or "", value) if param else None
            if known is None:
                raise
            raise click.BadParameter(f"{error.message} {known}", ctx, param) from None


def row_options(*, required: bool = True) -> list[Any]:
    """Return what says which columns hold what."""
    return [
        option("Data", "--label", required=required, metavar="COLUMN",
               help="Column of the labels."),
        option("Data", "--positive", metavar="VALUE",
               help="Label of the positive class, unless labels are 0/1."),
        option("Data", "--negative", metavar="VALUE",
               help="With --positive: label of the negative class, of a label with more than two "
               "values; rows with others are left out and counted."),
        option("Data", "--missing", multiple=True, metavar="VALUE",
               help="Value of --label and --score columns that stands for a missing one, such as "
               "999; may be repeated."),
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


def conservative_option() -> Any:
    """Return what makes standard errors of averages over folds larger."""
    return option(
        "Uncertainty", "--conservative", is_flag=True,
        help="With --fold: double the variance of averages over folds, whose models share training "
        "rows.",
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
        option("Data", "--unpack-limit", type=float, metavar="GB",
               help="Largest size of a compressed file once it is unpacked.  "
               f"[default: {LARGEST_UNPACKED:g}]"),
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


def design_option() -> Any:
    """Return what says how rows were sampled."""
    return option(
        "Data", "--design", type=click.Choice(["cohort", "case-control"]),
        default="cohort", show_default=True, help="How the rows were sampled.",
    )  # fmt: skip


def uncertainty_options() -> list[Any]:
    """Return what says how rows were sampled, and where standard errors come from."""
    return [
        design_option(),
        option("Uncertainty", "--variance", type=Choice([*METHODS, "jackknife", "bootstrap"]),
               default="influence", show_default=True, help="Where standard errors come from."),
        *bootstrap_options(),
        option("Uncertainty", "--force", is_flag=True,
               help="Give standard errors at a --prevalence of which hardly any row tells, or "
               "where cells of --resolution may hide more than one."),
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
    if end.lower() not in (".html", ".htm"):
        printed = " A browser prints the page as PDF." if end.lower() == ".pdf" else ""
        raise InputError(
            arg("output", path), " must end in .html; pauci estimate and pauci compare write "
            f"tables to files that end in {', '.join(ENDS)}.{printed}",
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
                arg("output", file), f" does not end in one of {', '.join(ENDS)}, which say the "
                "form of the file; name such a file, or say the form with ", arg("format"),
                f".{_other_form(file)}",
            )  # fmt: skip
    if file is not None:
        check_writable(file, "output")
    form = "text" if form is None else form
    if form == "docx" and file is None:
        raise InputError(arg("format", "docx"), " is for files: --output table.docx.")
    if style is not None and form not in tables.PAGES:
        raise InputError(
            arg("style", style), f" goes with {', '.join(tables.PAGES)}, not with {form}."
        )
    return Output(form, "plain" if style is None else style, file)


def _other_form(file: str) -> str:
    """Return what to do about a form that tables are not written in, if it is a common one."""
    end = Path(file).suffix.lower()
    context = click.get_current_context(silent=True)
    draws = context is not None and any("--plot" in p.opts for p in context.command.params)
    if end in _FIGURES and draws:
        return f" Figures are drawn by --plot {shortened(file)}."
    if end in (".xlsx", ".xls", ".ods", ".parquet"):
        return " Spreadsheets and data frames read .csv."
    return " Word processors read .docx." if end in (".doc", ".odt", ".rtf", ".pdf") else ""


_FIGURES = tuple(f".{form}" for form in FORMATS)


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
    return Reading(
        *(options.pop(key) for key in ("sep", "decimal", "encoding", "sheet", "unpack_limit"))
    )


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
