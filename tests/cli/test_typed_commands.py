"""A function with declared parameters becomes a command with the corresponding options."""

import dataclasses
from dataclasses import dataclass
from typing import Annotated, Literal

import click
import pytest

from pauci.cli import options as opt
from pauci.cli.commands import commands
from pauci.cli.typed_commands import FileArgument, command, option
from pauci.errors import InputError

Level = Annotated[float, option("Uncertainty", "--level", default=0.95, help="Confidence level.")]


@dataclass(frozen=True)
class Columns:
    label: str = option("Data", "--label", required=True, help="Labels.")
    scores: tuple[str, ...] = option("Data", "--score", help="Scores; may be repeated.")
    region: tuple[float, float] | None = option("Region", "--fpr", help="Range.")
    sign: Literal["plus", "minus"] = option("Data", "--sign", default="plus", help="Sign.")
    drop: bool = option("Data", "--drop", help="Drop rows.")


@dataclass(frozen=True)
class Nested:
    columns: Columns
    seed: int | None = option("Uncertainty", "--seed", help="Seed.")


def made():
    received = {}

    @command("trial", short_help="A trial.", example="pauci trial a.csv --label y")
    def trial(
        file: Annotated[str, FileArgument("FILE has rows.")], nested: Nested, level: Level
    ) -> None:
        """Try it."""
        received.update(file=file, nested=nested, level=level)

    return trial, received


def test_values_arrive_as_typed_objects():
    trial, received = made()
    line = "a.csv --label y --score a --score b --fpr 0 .1 --drop --seed 3"
    trial.main(line.split(), standalone_mode=False)
    columns = Columns("y", ("a", "b"), (0.0, 0.1), "plus", True)
    assert received == {"file": "a.csv", "nested": Nested(columns, 3), "level": 0.95}
    with pytest.raises(dataclasses.FrozenInstanceError):
        received["nested"].seed = 4


def test_the_help_has_the_docstring_the_file_the_groups_and_the_defaults():
    trial, _ = made()
    text = trial.get_help(click.Context(trial, info_name="pauci trial"))
    for words in ("Try it.", "FILE has rows.", "Data:", "[default: 0.95]", "[plus|minus]"):
        assert words in text
    assert text.index("Data:") < text.index("Region:") < text.index("Uncertainty:")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("a.csv --label y --power 0.8", click.NoSuchOption),
        ("a.csv", click.UsageError),
        ("--label y", click.UsageError),
        ("a.csv --label y --sign times", click.BadParameter),
        ("a.csv --label y --level high", click.BadParameter),
        ("a.csv --label y --level .9 --level .8", InputError),
    ],
)
def test_options_of_other_commands_are_an_error(line, error):
    trial, received = made()
    with pytest.raises(error):
        trial.main(line.split(), standalone_mode=False)
    assert not received


def test_every_group_of_options_is_frozen_and_has_no_field_twice():
    groups = [g for g in vars(opt).values() if dataclasses.is_dataclass(g)]
    assert len(groups) > 10
    assert all(g.__dataclass_params__.frozen for g in groups)
    for name, made_command in commands.commands.items():
        names = [p.name for p in made_command.params]
        assert len(names) == len(set(names)), name
