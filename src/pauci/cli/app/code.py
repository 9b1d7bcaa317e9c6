"""Python code that does the same as the page."""

import math
import re
from collections.abc import Mapping
from typing import Any

from pauci.analyses.risk_table import RiskTable
from pauci.cli.app.form import Choices
from pauci.cli.app.kept_study import Study, StudyResult
from pauci.cli.samples import is_spelling_of, notation_without, spelled, without_codes
from pauci.cutoffs.choose import SEED, Cutoff
from pauci.measures import Measure


def python_code(
    study: Study, reading: Mapping[str, Any], choices: Choices, result: StudyResult
) -> str:
    """Return a script that reads the file, prints the results, and writes figure and report."""
    contents, level = result.contents, choices.level
    several, cutoffs = len(result.sample.names) > 1, contents.of(Cutoff)
    reported = ["sample", "estimates"]
    sample = [*_frame(study, reading, choices, result), *_sample(choices, result)]
    lines = [
        *(["import pandas as pd", ""] if any("pd." in line for line in sample) else []),
        "import pauci",
        "",
        *sample,
        f"measures = {_measures(choices.measures)}",
        "",
        "estimates = pauci.estimate(sample, measures)",
        f"print(estimates.summary(level={level!r}))",
        f"print(estimates.report(level={level!r}))",
    ]
    if several:
        measure = "measures" if len(choices.measures) > 1 else "measures[0]"
        lines += [
            "",
            f"comparisons = pauci.compare(sample, {measure})",
            f"print(comparisons.summary(level={level!r}))",
            f"print(comparisons.report(level={level!r}))",
        ]
        reported.append("comparisons")
    if cutoffs:
        lines += [
            "",
            "cutoffs = [",
            f"    pauci.cutoff(sample[name], maximize=pauci.Youden, rng={SEED})",
            f"    for name in {[k.classifier for k in cutoffs]!r}",
            "]",
            "for cutoff in cutoffs:",
            f"    print(cutoff.summary(level={level!r}))",
            f"    print(cutoff.report(level={level!r}))",
        ]
        reported.append("*cutoffs")
    if contents.of(RiskTable):
        reported.append("risks")
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
        reported.append("by_group")
        if several:
            reported.append("differences")
            lines += [
                f"differences = pauci.compare(sample, measures, by={choices.group!r}{skip})",
                f"print(differences.summary(level={level!r}))",
            ]
    lines += [
        "",
        f"curve = pauci.plot.{_figure(choices.measures)}, level={level!r})",
        'curve.figure.savefig("figure.png", dpi=300)',
        f'pauci.write_report([{", ".join(reported)}], "report.html", level={level!r})',
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


def _code(value: Any) -> str:
    """Return a value of the form or of the file as Python code."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_code(k)}: {_code(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_code, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return f"pd.Timestamp({str(value)!r})" if hasattr(value, "isoformat") else repr(value)


def _sample(choices: Choices, result: StudyResult) -> list[str]:
    """Return the lines that make the sample."""
    given = {k: v for k, v in choices.given.items() if k not in ("category", "missing")}
    for name, value in zip(("positive", "negative"), result.labels, strict=True):
        if name in given:
            given[name] = value
    columns = [given["label"], *given["scores"]]
    words = choices.given.get("missing", ())
    _, texts = without_codes(result.data, columns, words)
    named = [
        [spelled(result.data, c, word) for c in columns] for word in words if word not in texts
    ]
    given["missing"] = [next((v for v in of if not isinstance(v, str)), of[0]) for of in named]
    lines = [
        f"    {k}={_code(v)}," for k, v in given.items() if v and (k, v) != ("design", "cohort")
    ]
    return ["sample = pauci.Sample.from_frame(", "    frame,", *lines, ")"]


def _frame(
    study: Study, reading: Mapping[str, Any], choices: Choices, result: StudyResult
) -> list[str]:
    """Return the lines that read the file, and replace values by their labels."""
    data, given = result.data, choices.given
    options = "".join(f", {name}={value!r}" for name, value in reading.items())
    lines = [f"frame = pauci.read_table({study.file.name!r}{options})"]
    words = given.get("missing", ())
    without, _ = without_codes(data, [given["label"], *given["scores"]], words)
    for c in given["scores"]:
        if words and data[c].dtype.kind not in "iuf" and without[c].dtype.kind in "iuf":
            decimal, thousands = notation_without(data, c, words)
            texts = f"frame[{c!r}].replace({list(words)!r}, None)"
            texts += f".str.replace({thousands!r}, '', regex=False)" * bool(thousands)
            texts += f".str.replace({decimal!r}, '.', regex=False)" * (decimal != ".")
            lines.append(f"frame[{c!r}] = pd.to_numeric({texts})")
    labels = data.attrs.get("value_labels", {}).get(choices.group)
    if labels:
        group = f"frame[{choices.group!r}]"
        lines.append(f"{group} = {group}.map({_code(labels)})")
    categories = given.get("category", ())
    for score in given["scores"] if categories else ():
        values = data[score].dropna().unique().tolist()
        names = {v: next(w for w in categories if is_spelling_of(w, v)) for v in values}
        column, ordered = f"frame[{score!r}]", f"{list(categories)!r}, ordered=True"
        lines.append(f"{column} = pd.Categorical({column}.map({_code(names)}), {ordered})")
    return lines
