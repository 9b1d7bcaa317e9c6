"""Python code that does the same as the page."""

from typing import Any

from pauci.app.form import Choices
from pauci.app.kept_study import Study, StudyResult
from pauci.cli.data import exact_numbers, is_spelling_of
from pauci.cli.options import Reading
from pauci.cli.read_files import text_format
from pauci.cutoffs.youdens_cutoff import SEED
from pauci.measures import Measure


def python_code(study: Study, reading: Reading, choices: Choices, result: StudyResult) -> str:
    """Return a script that reads the file, prints the results, and writes figure and report."""
    analysis = result.analysis
    level = choices.level
    lines = [
        "import pathlib",
        "",
        "import pandas as pd",
        "",
        "import pauci",
        "",
        f"frame = {_reading(study, reading, choices, result)}",
        *_sample(choices, result),
        f"measures = {_measures(analysis.measures)}",
        "",
        "estimates = pauci.estimate(sample, measures)",
        f"print(estimates.summary(level={level!r}))",
        f"print(estimates.report(level={level!r}))",
    ]
    if analysis.comparisons is not None:
        measure = "measures" if len(analysis.measures) > 1 else "measures[0]"
        lines += [
            "",
            f"comparisons = pauci.compare(sample, {measure})",
            f"print(comparisons.summary(level={level!r}))",
            f"print(comparisons.report(level={level!r}))",
        ]
    if analysis.cutoffs:
        lines += [
            "",
            f"for name in {list(analysis.cutoffs)!r}:",
            f"    cutoff = pauci.cutoff(sample[name], maximize=pauci.Youden, rng={SEED})",
            f"    print(cutoff.summary(level={level!r}))",
            f"    print(cutoff.report(level={level!r}))",
        ]
    if analysis.risks:
        lines += [
            "",
            "risks = pauci.risk_table(sample)",
            f"print(risks.summary(level={level!r}))",
            f"print(risks.report(level={level!r}))",
            f"calibration = pauci.plot.calibration(sample, level={level!r})",
            'calibration.figure.savefig("calibration.png", dpi=300)',
        ]
    skip = ", skip_small=True" if choices.skip_small else ""
    if choices.group is not None:
        lines += [
            "",
            f"by_group = pauci.estimate(sample, measures, by={choices.group!r}{skip})",
            f"print(by_group.summary(level={level!r}))",
        ]
    by = "" if choices.group is None else f", by={choices.group!r}{skip}"
    points = ', points={"youden": True}' if analysis.options.points else ""
    lines += [
        "",
        f"curve = pauci.plot.{_figure(analysis.measures)}, level={level!r})",
        'curve.figure.savefig("figure.png", dpi=300)',
        f"page = pauci.report_page(sample, measures, level={level!r}{points}{by})",
        'pathlib.Path("report.html").write_text(page, encoding="utf-8")',
    ]
    return "\n".join(lines) + "\n"


def _figure(measures: tuple[Measure, ...]) -> str:
    """Return the beginning of the call that draws the curve of the first measure."""
    first = measures[0]
    name = first.figure if first.has_region else "roc"
    shown = "[e for e in estimates if e.measure == measures[0]]"
    return f"{name}(sample, {shown}" if first.has_region else f"{name}(sample"


def _measures(measures: tuple[Measure, ...]) -> str:
    return f"[{', '.join(f'pauci.{measure!r}' for measure in measures)}]"


def _sample(choices: Choices, result: StudyResult) -> list[str]:
    """Return the lines that make the sample."""
    rows = choices.rows
    positive, negative = map(_python, result.labels)
    arguments: dict[str, object] = {
        "label": rows.label,
        "scores": list(rows.scores),
        "positive": positive,
        "negative": negative,
        "missing": _codes(rows.missing, result) or None,
        "drop_missing": rows.drop_missing,
        "lower_is_positive": list(rows.lower_is_positive) or False,
        "cluster": rows.cluster,
        "group": choices.group,
        "design": None if choices.design == "cohort" else choices.design,
    }
    given = [
        f"    {name}={v!r}," for name, v in arguments.items() if v is not None and v is not False
    ]
    return ["sample = pauci.Sample.from_frame(", "    frame,", *given, ")"]


def _python(value: Any) -> object:
    return value.item() if hasattr(value, "item") else value


def _codes(words: tuple[str, ...], result: StudyResult) -> list[object]:
    """Return the codes that are still in the table as values of Python."""
    columns = [c for c in (*result.sample.names,) if c in result.data.frame.columns]
    codes: list[object] = []
    for word in words:
        if word in result.data.blanked:
            continue
        values = (v for c in columns for v in result.data.frame[c].unique().tolist())
        codes.append(_python(next((v for v in values if is_spelling_of(word, v)), word)))
    return codes


def _reading(study: Study, reading: Reading, choices: Choices, result: StudyResult) -> str:
    """Return the call of pandas that reads the file."""
    content, name = study.file.content, study.file.name
    if content[:4] == b"PAR1":
        return f"pd.read_parquet({name!r})"
    if result.data.decimal is None:
        sheet = "" if reading.sheet is None else f", sheet_name={reading.sheet!r}"
        return f'pd.read_excel({name!r}{sheet}).dropna(how="all")'
    sep, decimal = text_format(study.file, reading)
    options: dict[str, object] = {
        "sep": None if sep == "," else sep,
        "decimal": None if decimal == "." else decimal,
        "encoding": reading.encoding,
        "na_values": {c: sorted(result.data.blanked) for c in choices.rows.scores}
        if result.data.blanked
        else None,
        **exact_numbers(),
    }
    given = "".join(f", {key}={value!r}" for key, value in options.items() if value is not None)
    return f"pd.read_csv({name!r}{given})"
