"""``pauci cutoff``: cut-offs chosen from the data, with their uncertainty and honest accuracy."""

from collections.abc import Callable
from functools import partial
from typing import Any

from pauci.cli import options as opt
from pauci.cli.output import FigureFile, Result, give
from pauci.cli.samples import sample_of
from pauci.cli.shell_syntax import naming_options, shortened
from pauci.cli.typed_commands import command
from pauci.cutoffs.choose import cutoff
from pauci.cutoffs.criteria import accepted_measures
from pauci.errors import InputError
from pauci.measures import REGISTRY
from pauci.measures.other_names import suggestion


@command(
    "cutoff",
    short_help="The best cut-off, its uncertainty and its accuracy.",
    example="pauci cutoff example:dcurves --label cancer --score cancerpredmarker "
    "--maximize youden",
)
def cutoff_command(
    file: opt.RowsFile,
    rows: opt.RowColumns,
    groups: opt.GroupOfCutoffs,
    reading: opt.Reading,
    design: opt.Design,
    rule: opt.RuleOptions,
    fitting: opt.CrossFittingOptions,
    level: opt.Level,
    output: opt.OutputOptions,
    plot: opt.PlotOfCutoff,
    dpi: opt.Dpi,
) -> None:
    """Choose a cut-off of each --score column of FILE, by one rule.

    The table has the cut-off with its confidence interval, or with the set of cut-offs that
    contains the best one, and the sensitivity and specificity there: apparent, in the data that
    chose it, and honest, on new observations, by cross-fitting.
    """
    destination, figure = output.checked(), FigureFile.of(plot, dpi=dpi)
    group = groups.group
    if plot is not None and len(rows.scores) > 1:
        several = f"{len(rows.scores)} --score columns"
        raise InputError.of("plot", plot, f"draws the cut-offs of one --score, not of {several}.")
    maximize, others = _criterion_of(rule), fitting.arguments()
    sample = sample_of(file, reading, rows, design, groups=() if group is None else (group,))
    with naming_options(opt.GROUP_OPTIONS):
        results: list[Any] = [
            cutoff(
                sample[name],
                maximize=maximize,
                specificity=rule.specificity,
                sensitivity=rule.sensitivity,
                equal=rule.equal,
                cost=rule.cost,
                rule_in=rule.rule_in,
                rule_out=rule.rule_out,
                prevalence=rule.prevalence,
                by=group,
                skip_small=groups.skip_small,
                **others,
            )
            for name in sample.names
        ]
    if plot is not None:
        figure.write(results[0].plot, level=level)
    titles = [""] if len(results) == 1 else [f"cut-off of {name}" for name in sample.names]
    give(
        [Result(t, r, {"level": level}) for t, r in zip(titles, results, strict=True)], destination
    )


def _criterion_of(rule: opt.RuleOptions) -> Callable[..., Any] | None:
    """Return the class of the measure to maximize with its options, or None for other rules."""
    options = {
        name: value
        for name in ("beta", "probability")
        if (value := getattr(rule, name)) is not None
    }
    if rule.maximize is None:
        for name in options:
            raise InputError.about(name, "requires --maximize.")
        return None
    key = rule.maximize.lower()
    kind = REGISTRY.get(key)
    if kind is None:
        raise InputError.of(
            "maximize",
            rule.maximize,
            f"is not known{suggestion(shortened(key))} Accepted: {', '.join(accepted_measures())}.",
        )
    for name in options:
        if name not in kind.arguments():
            raise InputError.about(name, f"cannot be combined with --maximize {key}.")
    if "probability" in kind.arguments() and "probability" not in options:
        raise InputError.of("maximize", key, "needs --probability VALUE, such as 0.1.")
    return partial(kind, **options) if options else kind
