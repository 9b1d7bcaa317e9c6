"""Tables of the reference: measures and columns from their registries, options from the help."""

import re

from described_columns import COLUMNS
from pauci.cautions.accuracy import CONDITIONS
from pauci.cli.commands import derived
from pauci.cli.options import COMMANDS, DerivedOption
from pauci.measures import REGISTRY, Measure
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import constructor_arguments
from pauci.variance.leave_one_out import depends_on_a_point
from tables import markdown

EXAMPLES = {
    "fpr": {"fpr": (0, 0.1)},
    "tpr": {"tpr": (0.8, 1)},
    "threshold": {"threshold": (3, 5)},
    "both": {"fpr": (0, 0.1), "tpr": (0.8, 1)},
}
"""A region of each kind, by its name in `Measure.kinds`."""

ARGUMENTS = {
    "fpr": "`fpr=`",
    "tpr": "`tpr=`",
    "threshold": "`threshold=`",
    "both": "`fpr=` and `tpr=`",
}

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#$])")


def forms(cls: type[Measure]) -> dict[str, Measure]:
    """Return a measure with each kind of region that it accepts, by the arguments."""
    arguments = constructor_arguments(cls)
    if issubclass(cls, AtCutoff) and "threshold" in arguments:
        rates = [axis for axis in ("fpr", "tpr") if axis in arguments]
        return {
            "`threshold=`, a single score": cls(threshold=3),
            **{f"`{axis}=`, a single rate": cls(**{axis: 0.9}) for axis in rates},
        }
    if cls.scalar:
        return {f"`{cls.scalar}=`, a single rate": cls(**{cls.scalar: 0.9})}
    if "probability" in arguments:
        return {"`probability=`, a single risk": cls(probability=0.1)}  # type: ignore[call-arg]
    if not cls.kinds:
        return {"whole curve": cls()}
    return {ARGUMENTS[kind]: cls(**EXAMPLES[kind]) for kind in cls.kinds}


def of_measures(table: str) -> str:
    """Return a table of measures: `estimand`, or `errors` with the methods for standard errors."""
    return {"estimand": _estimand, "errors": _errors}[table]()


def _estimand() -> str:
    header = ["measure", "estimand", "region", "range", "depends on the prevalence"]
    rows = []
    for key, cls in REGISTRY.items():
        measures = forms(cls)
        prevalence = any(m.uses_sample_prevalence for m in measures.values())
        rows.append(
            [
                f"{{py:class}}`~pauci.{cls.__name__}`<br>`{key}`",
                _summary(cls),
                ", ".join(measures),
                _range(cls, measures),
                "yes" if prevalence else "no",
            ]
        )
    return markdown(header, rows)


def _errors() -> str:
    header = [
        "measure",
        "influence, delta, jackknife, bootstrap",
        "influence, delta, bootstrap: a point of the curve is estimated",
    ]
    rows = []
    for cls in REGISTRY.values():
        measures = forms(cls)
        estimated = [name for name, m in measures.items() if depends_on_a_point(m)]
        smooth = [name for name in measures if name not in estimated]
        link = f"{{py:class}}`~pauci.{cls.__name__}`"
        rows.append([link, ", ".join(smooth), ", ".join(estimated)])
    return markdown(header, rows)


def _summary(cls: type[Measure]) -> str:
    line = (cls.__doc__ or "").strip().split("\n")[0].rstrip(".")
    return line[0].lower() + line[1:] if line[1:2].islower() else line


def _range(cls: type[Measure], measures: dict[str, Measure]) -> str:
    """Return the range; if it depends on the region, that for the whole curve."""
    whole = cls(**{cls.kinds[0]: (0, 1)}) if cls.kinds else next(iter(measures.values()))
    text = f"{whole.range.low:.3g} to {whole.range.high:.3g}"
    depends = {m.range for m in measures.values()} != {whole.range}
    return f"{text} (whole curve)" if depends else text


def of_warnings(_: str = "") -> str:
    """Return the conditions of the warnings about accuracy, with their evidence."""
    header = ["warning", "condition", "coverage"]
    rows = [[f"`{c.warning.__name__}`", str(c), c.evidence] for c in CONDITIONS]
    return markdown(header, rows)


def of_columns(_: str = "") -> str:
    """Return the columns of the data frames of results, and what they are."""
    return markdown(["column", "meaning"], [[f"`{name}`", text] for name, text in COLUMNS.items()])


def of_commands(name: str = "") -> str:
    """Return the documentation of all commands, or of one."""
    names = [name] if name else list(COMMANDS)
    return "\n".join(f"## pauci {name}\n\n{_of_command(name)}" for name in names)


def _of_command(name: str) -> str:
    """Return the documentation of a command: example, text, options by group."""
    command = derived(name)
    lines = ["**Example**", "", "```console", f"$ {command.epilog}", "```", ""]
    paragraphs = (command.help or "").split("\n\n")
    lines += [_escaped(" ".join(part.split())) + "\n" for part in paragraphs]
    groups: dict[str, list[DerivedOption]] = {}
    for option in command.params:
        if isinstance(option, DerivedOption):
            groups.setdefault(option.group, []).append(option)
    for group, options in groups.items():
        lines += [f"**{group}**", ""]
        for option in options:
            lines += [f"`{option.opts[0]}`", f": {_escaped(option.help or '')}", ""]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
