"""Help of the commands: options in groups, measures with one line each, an example at the end."""

from collections.abc import Sequence
from typing import Any

import click

from pauci.cli.overwriting import refuse_overwriting
from pauci.cli.parsing import GroupedOption, asked_measures, is_number, refuse_repeated
from pauci.measures import REGISTRY

GROUPS = ("Data", "Measure", "Region", "Points", "Uncertainty", "Test", "Output")

_RULES = "Give an option once, unless its help says that it may be repeated."
_RULES_OF_MEASURES = (
    "Options of the groups Measure and Region belong to the --measure before them. Before the "
    "first --measure they hold for every measure that takes them and has none of its own (a region "
    "of its own replaces the whole common region)."
)


def option(group: str, *names: str, **settings: Any) -> Any:
    """Return a decorator that adds an option of a group."""
    return click.option(*names, cls=GroupedOption, group=group, **settings)


class GroupedCommand(click.Command):
    """A command whose help has its options in groups, and one example at its end.

    Of an option in `several` all numbers that follow belong to it: ``--edges 0 0.1 1``.
    """

    several: tuple[str, ...] = ("--edges",)

    def __init__(self, *names: Any, example: str = "", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.example = example

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give each number after an option that takes several an option of its own."""
        words: list[str] = []
        current = ""
        for word in args:
            if word in self.several:
                words += [current] if current else []
                current, first = word, True
            elif current and is_number(word):
                words.append(f"{current}={word}")
                first = False
            else:
                words += [current] if current and first else []
                words.append(word)
                current = ""
        words += [current] if current and first else []
        rest = super().parse_args(ctx, [*words])
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(words)
            refuse_repeated(order)
            if self._takes_measures:
                ctx.params["measures"] = asked_measures(self.params, order, ctx.params)
            refuse_overwriting(self.params, ctx.params)
        return rest

    @property
    def _takes_measures(self) -> bool:
        return any(parameter.name == "measures" for parameter in self.params)

    def make_context(self, *names: Any, **settings: Any) -> click.Context:
        """Say where folds belong, of a command that takes none."""
        try:
            return super().make_context(*names, **settings)
        except click.NoSuchOption as error:
            if error.option_name == "--fold":
                raise click.UsageError(
                    "--fold goes with pauci estimate and pauci compare, which average measures "
                    "within folds; scores of different folds have no curve in common.",
                    error.ctx,
                ) from None
            if error.option_name in ("--at-specificity", "--at-sensitivity"):
                axis, point = (
                    ("FPR", "sensitivity")
                    if "spec" in error.option_name
                    else ("TPR", "specificity")
                )
                at = "0.1" if axis == "FPR" else "0.9"
                raise click.UsageError(
                    f"{error.option_name} goes with pauci points and pauci report. Here the "
                    f"{point} at a {error.option_name[5:]} of 0.9 is --measure {point} --at {at}, "
                    f"by its {axis}.",
                    error.ctx,
                ) from None
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group, the measures after their own, and what may be repeated."""
        groups: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for parameter in self.get_params(ctx):
            record = (
                None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
            )
            if record is not None:
                groups[getattr(parameter, "group", GROUPS[-1])].append(record)
        for group, records in groups.items():
            _section(formatter, group, records)
            if group == "Measure" and records:
                _section(formatter, "Measures", [(k, line_of(k)) for k in REGISTRY])
        formatter.write_paragraph()
        formatter.write_text(f"{_RULES} {_RULES_OF_MEASURES}" if self._takes_measures else _RULES)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the example as it is typed, on one line."""
        if self.example:
            formatter.write(f"\nExample:\n  {self.example}\n")


def _section(
    formatter: click.HelpFormatter, title: str, records: Sequence[tuple[str, str]]
) -> None:
    if records:
        with formatter.section(title):
            formatter.write_dl(records)


def line_of(key: str) -> str:
    """Return one line on a measure, from the measure itself, and how its region is given."""
    kind = REGISTRY[key]
    first = (kind.__doc__ or kind.title).strip().split("\n")[0].replace("`", "").rstrip(".")
    ways = ["--at " + kind.scalar.upper()] if kind.scalar else []
    ways += [f"--{name}" for name in kind.kinds if name != "both"]
    return f"{first} [{', '.join(ways)}]" if ways else first
