"""Pool runs of the validation study with different seeds.

    python pool.py OUTPUT.csv RUN.csv RUN.csv ...

Counts of samples, of intervals that cover, of rejections and of warnings are added exactly. Biases,
ratios of standard errors to standard deviations and widths are averaged, weighted by the number of
samples; so is the median width, which is then the average of the medians of the runs.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from design import groups  # noqa: E402
from results import read, write  # noqa: E402
from run import COLUMNS, key, of_group  # noqa: E402

OF_ALL = (
    "coverage",
    "truth_below",
    "truth_above",
    "warned",
    "rejected",
    "wald_rejected",
    "p_is_1",
)
"""Columns with percentages of all samples with an interval."""

OF_SILENT = ("unwarned_coverage", "unwarned_rejected")
"""Columns with percentages of the samples without a warning."""

AVERAGED = ("bias_in_sd", "se_to_sd", "width", "median_width")

Row = dict[str, str]


def pooled(rows: Sequence[Row]) -> Row:
    """Return the pooled row of a cell of several runs."""
    if len(rows) == 1:
        return rows[0]
    n = [int(row["replicates"]) for row in rows]
    silent = [k - count(row["warned"], k) for row, k in zip(rows, n, strict=True)]
    result = dict(rows[max(range(len(n)), key=n.__getitem__)])
    result["replicates"] = str(sum(n))
    result["undefined"] = str(sum(int(row["undefined"] or 0) for row in rows))
    for names, sizes in ((OF_ALL, n), (OF_SILENT, silent)):
        for name in names:
            # Files without the tests of Wald's kind are older.
            result[name] = percentage([row.get(name, "") for row in rows], sizes)
    for name in AVERAGED:
        result[name] = average([row[name] for row in rows], n)
    result["warnings"] = added([row["warnings"] for row in rows])
    return result


def count(percent: str, n: int) -> int:
    """Return the number of samples that corresponds to a percentage of n."""
    return round(float(percent) * n / 100.0) if percent else 0


def percentage(values: Sequence[str], sizes: Sequence[int]) -> str:
    """Return the percentage over all runs, or an empty text if it is missing in all runs."""
    known = [(v, n) for v, n in zip(values, sizes, strict=True) if v and n]
    total = sum(n for _, n in known)
    return f"{100.0 * sum(count(v, n) for v, n in known) / total:.5g}" if known else ""


def average(values: Sequence[str], sizes: Sequence[int]) -> str:
    """Return the average weighted by numbers of samples, or an empty text if it is missing."""
    known = [(float(v), n) for v, n in zip(values, sizes, strict=True) if v and n]
    return f"{sum(v * n for v, n in known) / sum(n for _, n in known):.5g}" if known else ""


def added(runs: Sequence[str]) -> str:
    """Return for each warning the numbers of samples with it, and of those that cover."""
    counts: dict[str, list[int]] = {}
    for run in runs:
        for entry in run.split():
            name, *numbers = entry.split(":")
            total = counts.setdefault(name, [0, 0])
            for i, number in enumerate(numbers):
                total[i] += int(number)
    return " ".join(f"{name}:{a}:{b}" for name, (a, b) in sorted(counts.items()))


def main() -> None:
    """Write the pooled rows of several runs."""
    output, *paths = map(Path, sys.argv[1:])
    cells: dict[tuple[str, ...], list[Row]] = {}
    for path in paths:
        for row in read(path):
            cells.setdefault((*key(row), row["measure"]), []).append(row)
    order = {key(of_group(g)): i for i, g in enumerate(groups())}
    write(output, COLUMNS, sorted(map(pooled, cells.values()), key=lambda row: order[key(row)]))


if __name__ == "__main__":
    main()
