"""The tables and numbers of docs/comparison.md, from studies/validation/comparison.csv.

To print some of them:

python studies/validation/comparison_page.py [PART ...]
"""

import functools
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import results
from tables import markdown

CSV = Path(__file__).with_name("comparison.csv")

Row = dict[str, str]

MEASURES = {
    "AUC": "AUC",
    "PAUC 0.1": "pAUC, FPR [0, 0.1]",
    "PAUC 0.33": "pAUC, FPR [0, 0.33]",
    "PAUCc 0.1": "pAUCc, FPR [0, 0.1]",
}


@dataclass(frozen=True)
class Method:
    """A method in the file, with its description on the page."""

    software: str
    method: str
    label: str
    what: str

    def has(self, row: Row) -> bool:
        """Tell whether a row is of this method."""
        return (row["software"], row["method"]) == (self.software, self.method)


DEFAULT = Method(
    "pauci", "default", "**pauci, default**", "`estimate` and `compare` with all defaults"
)
OWN_WALD = Method(
    "pauci",
    "its standard error, Wald",
    "pauci's SE, Wald",
    "the estimate plus and minus 1.96 standard errors of pauci, without a transformation or t",
)
PLAIN = Method(
    "formula in NumPy",
    "influence, Wald",
    "influence formula, Wald",
    "DeLong's variance, and the corresponding formula for a part of the curve between known FPR",
)
NO_SLOPE = Method(
    "formula in NumPy",
    "influence without the slope, Wald",
    "influence without the slope, Wald",
    "the same for pAUCc, with the score at FPR 0.1 treated as known, that is, without the slope",
)
JACKKNIFE = Method(
    "formula in NumPy",
    "jackknife over all cases, Wald",
    "case jackknife, Wald",
    "each case of either class is left out in turn, with the normal quantile, as in software for "
    "many readers and many cases such as MRMCaov: the formula is evaluated, not that software",
)
DELONG = Method("pROC", "DeLong, Wald", "pROC, DeLong", "`ci.auc`, its default for the whole AUC")
PROC_BOOT = Method(
    "pROC",
    "bootstrap, percentile",
    "pROC, bootstrap",
    "`ci.auc` of a partial area: stratified percentile bootstrap, the only method available",
)
PERCENTILE = Method(
    "SciPy",
    "bootstrap, percentile",
    "SciPy, percentile",
    "`scipy.stats.bootstrap` of positives and negatives as two samples, with the area in NumPy",
)
BCA = Method("SciPy", "bootstrap, BCa", "SciPy, BCa", "the same with the default method of SciPy")
DELONG_TEST = Method("pROC", "DeLong", "pROC, DeLong", "`roc.test`, paired, of the whole AUC")
BOOT_TEST = Method("pROC", "bootstrap", "pROC, bootstrap", "`roc.test`, paired, of a partial area")

METHODS = (
    DEFAULT,
    OWN_WALD,
    PLAIN,
    NO_SLOPE,
    JACKKNIFE,
    DELONG,
    DELONG_TEST,
    PROC_BOOT,
    BOOT_TEST,
    PERCENTILE,
    BCA,
)


def read(path: Path = CSV) -> list[Row]:
    """Return the rows of the file, or raise an error if a method or measure is unknown."""
    rows = results.read(path)
    for row in rows:
        if row["measure"] not in MEASURES or not any(m.has(row) for m in METHODS):
            raise ValueError(f"unknown method or measure: {row}")
    return rows


# Parts of the page


def cell_of(row: Row) -> str:
    """Return the population and sizes of a row."""
    return f"{row['population'].replace(' .', ' 0.')}, {row['n_pos']}/{row['n_neg']}"


def unique(values: Iterable[str]) -> list[str]:
    """Return the unique values in the order of their first occurrence."""
    return list(dict.fromkeys(values))


def error(rows: Iterable[Row], share: float = 0.95) -> str:
    """Return the simulation error of a proportion, in points, for the replicates of these rows."""
    n = {int(row["replicates"]) for row in rows}
    errors = [100.0 * (share * (1.0 - share) / m) ** 0.5 for m in sorted(n, reverse=True)]
    return " to ".join(unique(f"{e:.1f}" for e in errors))


def between(rows: Sequence[Row], column: str = "coverage") -> str:
    """Return the lowest and the highest value of a column."""
    values = sorted(float(row[column]) for row in rows)
    ends = unique(f"{v:.1f}" for v in (values[0], values[-1]))
    return " to ".join(ends)


def of(rows: Iterable[Row], *methods: Method, **columns: str) -> list[Row]:
    """Return the rows of some methods with these values in their columns."""
    return [
        row
        for row in rows
        if any(m.has(row) for m in methods) and all(row[k] == v for k, v in columns.items())
    ]


def versions(rows: list[Row]) -> str:
    """Return the methods and their versions."""
    body = []
    for method in METHODS:
        if found := of(rows, method):
            numbers = (", ".join(unique(r[c] for r in found)) for c in ("replicates", "resamples"))
            version = ", ".join(unique(f"{r['software']} {r['version']}" for r in found))
            label = method.label.strip("*")
            if method in (DELONG_TEST, BOOT_TEST):
                label += ", test"
            body.append((label, version, method.what, *numbers))
    return markdown(("method", "software", "what is run", "samples", "resamples"), body)


def summary(rows: list[Row]) -> str:
    """Return one row per method over all its intervals."""
    body = []
    for method in METHODS:
        if found := of(rows, method, kind="estimates"):
            coverages = [float(r["coverage"]) for r in found]
            worst = found[coverages.index(min(coverages))]
            side = max(found, key=lambda r: max(float(r["truth_below"]), float(r["truth_above"])))
            body.append(
                (
                    method.label,
                    str(len(found)),
                    between(found),
                    f"{MEASURES[worst['measure']]}; {cell_of(worst)}",
                    f"{max(float(side['truth_below']), float(side['truth_above'])):.1f}",
                    f"{max(float(r['no_width']) for r in found):.1f}",
                    str(sum(int(r["failures"]) for r in found)),
                )
            )
    head = ("method", "cells", "coverage", "lowest in", "most on one side", "width 0", "failures")
    return markdown(head, body)


def first_label(rows: list[Row]) -> str:
    """Return the label of the default in the samples of the bootstraps."""
    numbers = " or ".join(unique(r["first"] for r in of(rows, DEFAULT)))
    return f"the same, first {numbers} samples"


def first(row: Row, column: str) -> str:
    """Return a result in the samples of the bootstraps."""
    return f"{float(row[f'first_{column}']):.1f}"


def sizes(rows: list[Row]) -> str:
    """Return the size of the tests of equal curves."""
    selected = [r for r in rows if r["kind"] == "tests"]
    cells = unique(map(test_of, selected))
    body = []
    for method in METHODS:
        found = {test_of(r): r for r in of(selected, method)}
        figures = {c: f"{float(r['rejected']):.1f}" for c, r in found.items()}
        if found:
            body.append((method.label, *(figures.get(c, "") for c in cells)))
        if found and method is DEFAULT:
            body.append((first_label(selected), *(first(found[c], "rejected") for c in cells)))
    return markdown(("method", *cells), body)


def test_of(row: Row) -> str:
    """Return the measure and sizes of a test."""
    return f"{MEASURES[row['measure']]}; {row['n_pos']}/{row['n_neg']}"


def warned(rows: list[Row]) -> str:
    """Return the largest percentage of the samples of a cell with a warning of the package."""
    found = of(rows, DEFAULT, kind="estimates")
    return f"{max(float(r['warned']) for r in found):.2f}"


def outside(rows: list[Row]) -> str:
    """Return the cells in which the coverage of the default is below 94 or above 96.5%."""
    found = sorted(of(rows, DEFAULT, kind="estimates"), key=lambda r: float(r["coverage"]))
    lines = []
    for what, cells in (
        ("below 94", [r for r in found if float(r["coverage"]) < 94.0]),
        ("above 96.5", [r for r in found if float(r["coverage"]) > 96.5]),
    ):
        each = [
            f"{float(r['coverage']):.1f} ({MEASURES[r['measure']]}; {cell_of(r)})" for r in cells
        ]
        lines.append(f"- Coverage of the default {what}: {', '.join(each) or 'in no cell'}.")
    return "\n".join(lines)


def tails(rows: Sequence[Row]) -> tuple[str, str]:
    """Return the average percentages of samples with the true value below and above."""
    n = len(rows)
    low, high = (sum(float(r[c]) for r in rows) / n for c in ("truth_below", "truth_above"))
    return f"{low:.1f}", f"{high:.1f}"


def reading(rows: list[Row]) -> str:
    """Return the interpretation of the tables, with all numbers from the file."""
    est = [r for r in rows if r["kind"] == "estimates"]
    tests = [r for r in rows if r["kind"] == "tests"]
    auc = of(est, DELONG, measure="AUC")
    high = [r for r in auc if r["population"] == "AUC .98"]
    low_tail, high_tail = tails(high)
    default_high = of(est, DEFAULT, measure="AUC", population="AUC .98")
    small = {m: of(est, m, measure="PAUC 0.1") for m in (DEFAULT, PROC_BOOT, PERCENTILE, BCA)}
    below, above = tails(small[PROC_BOOT])
    own_below, own_above = tails(small[DEFAULT])
    concordant = {
        m: between(of(est, m, measure="PAUCc 0.1")) for m in (DEFAULT, OWN_WALD, NO_SLOPE, BCA)
    }
    size_on_first = between(of(tests, DEFAULT), "first_rejected")
    size = {
        m: between(of(tests, m), "rejected")
        for m in (DEFAULT, DELONG_TEST, BOOT_TEST, PERCENTILE, JACKKNIFE)
    }
    on_first = between(of(est, DEFAULT, measure="PAUCc 0.1"), "first_coverage")
    few, many = (
        between(of(est, NO_SLOPE, population="gamma", n_pos=n, n_neg="200")) for n in ("20", "200")
    )
    jack = of(est, JACKKNIFE)
    formula = [r for r in of(est, PLAIN) if r["measure"] != "AUC"]
    jack_low = min(jack, key=lambda r: float(r["coverage"]))
    lines = [
        f"- **The whole AUC.** DeLong's Wald interval covers {between(auc)}% over the cells. At "
        f"an AUC of 0.98 the true value lies below the interval in {low_tail}% of the samples and "
        f"above it in {high_tail}%; the default covers {between(default_high)}% in this cell.",
        f"- **Small parts of the curve.** For FPR [0, 0.1] the percentile bootstrap covers "
        f"{between(small[PROC_BOOT])}% in pROC and {between(small[PERCENTILE])}% in SciPy, BCa "
        f"{between(small[BCA])}%, the default {between(small[DEFAULT], 'first_coverage')}% in "
        f"the same samples and {between(small[DEFAULT])}% in all. Percentile intervals "
        f"of pROC have the true value below them in {below}% of the samples and above them in "
        f"{above}% on average over the cells; the default intervals in {own_below} and "
        f"{own_above}%.",
        "- **The slope.** A Wald interval of pAUCc that treats the estimated end as known "
        f"covers {concordant[NO_SLOPE]}%. With the slope in the standard error it is "
        f"{concordant[OWN_WALD]}%, on the scale of the default {concordant[DEFAULT]}%. BCa does "
        f"not require the slope and covers {concordant[BCA]}%, where the default covers "
        f"{on_first}% of the same samples. For gamma scores the coverage without the slope "
        f"decreases from {few}% at 20/200 to {many}% at 200/200: more positives reduce the part "
        "of the variance that is included, and not the part that is omitted.",
        f"- **The case jackknife** of a partial area covers {between(jack)}%, lowest for "
        f"{MEASURES[jack_low['measure']]} in {cell_of(jack_low)}; the influence formula covers "
        f"{between(formula)}% in the same cells.",
        f"- **Tests** of two equal curves reject in {size[DEFAULT]}% of the samples by default, "
        f"in {size[DELONG_TEST]}% by DeLong's test, in {size[BOOT_TEST]}% by pROC's bootstrap, "
        f"in {size[JACKKNIFE]}% by the case jackknife and in {size[PERCENTILE]}% where a "
        f"percentile interval of the difference excludes 0. In the samples of the bootstraps the "
        f"default rejects in {size_on_first}%.",
    ]
    return "\n".join(lines)


@functools.cache
def parts() -> dict[str, str]:
    """Return all parts of the page, by name."""
    return parts_of(read())


def parts_of(rows: list[Row]) -> dict[str, str]:
    """Return all parts of the page for these rows, by name."""
    return {
        "versions": versions(rows),
        "seeds": ", ".join(unique(r["seed"] for r in rows)),
        "error": error(r for r in rows if not r["resamples"]),
        "error_resampled": error(r for r in rows if r["resamples"]),
        "summary": summary(rows),
        "auc": between(of(rows, DEFAULT, kind="estimates", measure="AUC")),
        "delong": between(of(rows, DELONG, kind="estimates")),
        "partial": between(
            [r for r in of(rows, DEFAULT, kind="estimates") if r["measure"].startswith("PAUC ")],
            "first_coverage",
        ),
        "bootstrap": between(of(rows, PROC_BOOT, kind="estimates")),
        "reading": reading(rows),
        "sizes": sizes(rows),
        "warned": warned(rows),
        "outside": outside(rows),
    }


def part(name: str) -> str:
    """Return one part of the page."""
    return parts()[name]


if __name__ == "__main__":
    for name in sys.argv[1:] or parts():
        print(f"{name}\n\n{part(name)}\n")
