"""Python code that does the same as the page."""

import math
import re
from typing import Any

from pauci.cli.app.form import Choices
from pauci.cli.app.kept_study import Study, StudyResult
from pauci.cli.data import Data, exact_numbers, is_spelling_of
from pauci.cli.excel_files import is_excel
from pauci.cli.options import Reading
from pauci.cli.read_files import text_format
from pauci.cli.statistical_files import is_spss, is_stata
from pauci.cli.where import Condition, number_in
from pauci.cli.written_numbers import GROUP_MARKS
from pauci.cutoffs.youdens_cutoff import SEED
from pauci.measures import Measure


def python_code(study: Study, reading: Reading, choices: Choices, result: StudyResult) -> str:
    """Return a script that reads the file, prints the results, and writes figure and report."""
    analysis = result.analysis
    level, content = choices.level, study.file.content
    lines = [
        "import pathlib",
        "",
        "import pandas as pd",
        *(["import pyreadstat"] if is_spss(content) or is_stata(content) else []),
        "",
        "import pauci",
        "",
        *_reading(study, reading, choices, result),
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
        if analysis.comparisons is not None:
            lines += [
                f"differences = pauci.compare(sample, measures, by={choices.group!r}{skip})",
                f"print(differences.summary(level={level!r}))",
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
    text = f"[{', '.join(f'pauci.{measure!r}' for measure in measures)}]"
    return re.sub(r"(?<![\w'\"])inf\b(?!['\"])", 'float("inf")', text)


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
        f"    {name}={_code(v)},"
        for name, v in arguments.items()
        if v is not None and v is not False
    ]
    return ["sample = pauci.Sample.from_frame(", "    frame,", *given, ")"]


def _python(value: Any) -> object:
    return value.item() if hasattr(value, "item") else value


def _code(value: Any) -> str:
    """Return a value of the form or of the file as Python code."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_code(k)}: {_code(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_code, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return f"pd.Timestamp({str(value)!r})" if hasattr(value, "isoformat") else repr(value)


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


def _reading(study: Study, reading: Reading, choices: Choices, result: StudyResult) -> list[str]:
    """Return the lines that read the file, select rows, and replace values by their labels."""
    data = result.data
    lines = _frame(study, reading, choices, result)
    if data.thousands is not None and len(data.thousands) > 1:  # several characters
        for score in choices.rows.scores:
            column, mark = f"frame[{score!r}]", GROUP_MARKS[data.thousands]
            texts = f"{column}.astype(str).str.replace({mark!r}, '', regex=True)"
            texts += ".str.replace(',', '.')" * (data.decimal == ",")
            lines.append(f"{column} = pd.to_numeric({texts}, errors='coerce')")
    for condition in map(Condition.parse, reading.where):
        lines.append(f"frame = frame[{_condition(condition, data)}]")
    if choices.group is not None:
        named = data.with_value_labels([choices.group]).frame[choices.group]
        if named is not data.frame[choices.group] and choices.group in data.value_labels:
            pairs = zip(data.frame[choices.group].tolist(), named.tolist(), strict=True)
            labels = {value: label for value, label in pairs if value == value}
            group = f"frame[{choices.group!r}]"
            lines.append(f"{group} = {group}.map({_code(labels)})")
    words = choices.rows.categories
    for score in choices.rows.scores if words else ():
        values = data.frame[score].dropna().unique().tolist()
        spelled = {v: next(w for w in words if is_spelling_of(w, v)) for v in values}
        column = f"frame[{score!r}]"
        categories = f"{list(words)!r}, ordered=True"
        lines.append(f"{column} = pd.Categorical({column}.map({_code(spelled)}), {categories})")
    return lines


def _condition(condition: Condition, data: Data) -> str:
    """Return a condition on rows in pandas."""
    column, kind = f"frame[{condition.column!r}]", condition.operator
    numbers = [number_in(word, data.decimal) for word in condition.words]
    if kind in ("<", "<=", ">", ">="):
        return f"{column} {kind} {_code(numbers[0])}"
    labels = data.value_labels.get(condition.column, {})
    cells: list[object] = [v for v, label in labels.items() if label in condition.words]
    for word, number in zip(condition.words, numbers, strict=True):
        cells += [word, *([] if number is None else [number])]
    values = data.frame[condition.column]
    equal = f"{column}.isin({_code(cells)})"
    if values.dtype.kind == "b":
        equal = f"{column}.isin({[word.capitalize() == 'True' for word in condition.words]})"
    elif values.dtype.kind == "M":
        equal = f"{column}.isin(pd.to_datetime({list(condition.words)!r}))"
    elif any(hasattr(v, "isoformat") for v in values.tolist()[:1]):
        equal = f"{column}.astype(str).isin({list(condition.words)!r})"
    return equal if kind in ("==", "in") else f"~{equal} & {column}.notna()"


def _frame(study: Study, reading: Reading, choices: Choices, result: StudyResult) -> list[str]:
    """Return the lines that read the file."""
    content, name, above = study.file.content, study.file.name, (reading.header_row or 1) - 1
    if content[:4] == b"PAR1":
        return [f"frame = pd.read_parquet({name!r})"]
    if is_spss(content) or is_stata(content):
        function = "read_sav" if is_spss(content) else "read_dta"
        user_missing = ", user_missing=True" if reading.user_missing == "values" else ""
        return [
            f"frame, _ = pyreadstat.{function}({name!r}{user_missing})",
            'frame = frame.mask(frame == "")',
        ]
    comma = None if result.data.decimal in (None, ".") else result.data.decimal
    thousands = result.data.thousands
    options: dict[str, object] = {"skiprows": above or None, "decimal": comma}
    if thousands is not None and len(thousands) == 1:
        options["thousands"] = thousands
    if is_excel(content):
        options["sheet_name"] = reading.sheet
        return [f'frame = pd.read_excel({name!r}{_given(options)}).dropna(how="all")']
    sep, _ = text_format(study.file, reading)
    blanked = sorted(result.data.blanked)
    options |= {
        "sep": None if sep == "," else sep,
        "encoding": reading.encoding,
        "na_values": dict.fromkeys(choices.rows.scores, blanked) if blanked else None,
        **exact_numbers(),
    }
    return [f"frame = pd.read_csv({name!r}{_given(options)})"]


def _given(options: dict[str, object]) -> str:
    """Return arguments of a call, without those that are None."""
    return "".join(f", {key}={value!r}" for key, value in options.items() if value is not None)
