"""Render docs/comparison.md from docs/validation/comparison.csv; nothing else is read.

python docs/validation/comparison_page.py            writes the page
python docs/validation/comparison_page.py --check    says whether the page is what the file gives
"""

import argparse
import csv
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

CSV = Path(__file__).with_name("comparison.csv")
PAGE = Path(__file__).parents[1] / "comparison.md"

Row = dict[str, str]

MEASURES = {
    "AUC": "AUC",
    "PAUC 0.1": "pAUC, FPR [0, .1]",
    "PAUC 0.33": "pAUC, FPR [0, .33]",
    "PAUCc 0.1": "pAUCc, FPR [0, .1]",
}


@dataclass(frozen=True)
class Method:
    """A method of the file, and what the page says of it."""

    software: str
    method: str
    label: str
    what: str

    def has(self, row: Row) -> bool:
        """Tell whether a row is of this method."""
        return (row["software"], row["method"]) == (self.software, self.method)


DEFAULT = Method("pauci", "default", "**pauci, default**", "`estimate` and `compare` as they come")
OWN_WALD = Method(
    "pauci", "its standard error, Wald", "pauci's SE, Wald",
    "the value plus and minus 1.96 of the package's standard errors: no scale, no t",
)  # fmt: skip
PLAIN = Method(
    "formula in NumPy", "influence, Wald", "influence formula, Wald",
    "DeLong's variance, and its like for a part of the curve between known FPR",
)  # fmt: skip
NO_SLOPE = Method(
    "formula in NumPy", "influence without the slope, Wald", "influence without the slope, Wald",
    "the same for pAUCc, the score at FPR .1 taken as known: the slope of the curve is left out",
)  # fmt: skip
JACKKNIFE = Method(
    "formula in NumPy", "jackknife over all cases, Wald", "case jackknife, Wald",
    "software for many readers and many cases, such as MRMCaov, leaves out each case in turn, over "
    "both classes at once, and takes the normal quantile: the formula is run, not that software",
)  # fmt: skip
DELONG = Method("pROC", "DeLong, Wald", "pROC, DeLong", "`ci.auc`, its default for the whole AUC")
PROC_BOOT = Method(
    "pROC", "bootstrap, percentile", "pROC, bootstrap",
    "`ci.auc` of a partial area: stratified percentile bootstrap, all that it offers there",
)  # fmt: skip
PERCENTILE = Method(
    "SciPy", "bootstrap, percentile", "SciPy, percentile",
    "`scipy.stats.bootstrap`, positives and negatives its two samples, the area in plain NumPy",
)  # fmt: skip
BCA = Method("SciPy", "bootstrap, BCa", "SciPy, BCa", "the same with the default method of SciPy")
DELONG_TEST = Method("pROC", "DeLong", "pROC, DeLong", "`roc.test`, paired, of the whole AUC")
BOOT_TEST = Method(
    "pROC", "bootstrap", "pROC, bootstrap", "`roc.test`, paired, of a partial area"
)  # fmt: skip

METHODS = (
    DEFAULT, OWN_WALD, PLAIN, NO_SLOPE, JACKKNIFE, DELONG, DELONG_TEST, PROC_BOOT, BOOT_TEST,
    PERCENTILE, BCA,
)  # fmt: skip


def read(path: Path = CSV) -> list[Row]:
    """Return the rows of the file, all of them of a known method and measure."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["measure"] not in MEASURES or not any(m.has(row) for m in METHODS):
            raise ValueError(f"the page has no place for {row}")
    return rows


# Parts of the page


def table(head: Sequence[str], body: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """Return a Markdown table, the first columns to the left and the others to the right."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return [f"| {' | '.join(line)} |" for line in (head, rule, *body)] + [""]


def cell_of(row: Row) -> str:
    """Return the population and sizes of a row."""
    return f"{row['population']}, {row['n_pos']}/{row['n_neg']}"


def unique(values: Iterable[str]) -> list[str]:
    """Return values in the order of their first mention."""
    return list(dict.fromkeys(values))


def error(rows: Iterable[Row], share: float = 0.95) -> str:
    """Return the simulation error of a share, in points, for the replicates of these rows."""
    n = {int(row["replicates"]) for row in rows}
    errors = [100.0 * (share * (1.0 - share) / m) ** 0.5 for m in sorted(n, reverse=True)]
    return " to ".join(unique(f"{e:.1f}" for e in errors))


def between(rows: Sequence[Row], column: str = "coverage") -> str:
    """Return the lowest and the highest of a column."""
    values = sorted(float(row[column]) for row in rows)
    ends = unique(f"{v:.1f}" for v in (values[0], values[-1]))
    return " to ".join(ends)


def short_width(text: str) -> str:
    """Return a width with three decimals and no zero before the point."""
    return f"{float(text):.3f}".removeprefix("0")


def of(rows: Iterable[Row], *methods: Method, **columns: str) -> list[Row]:
    """Return the rows of some methods with these values in their columns."""
    return [
        row
        for row in rows
        if any(m.has(row) for m in methods) and all(row[k] == v for k, v in columns.items())
    ]


def versions(rows: list[Row]) -> list[str]:
    """Return what was run, and in which version."""
    body = []
    for method in METHODS:
        if found := of(rows, method):
            numbers = (", ".join(unique(r[c] for r in found)) for c in ("replicates", "resamples"))
            version = ", ".join(unique(f"{r['software']} {r['version']}" for r in found))
            label = method.label.strip("*")
            if method in (DELONG_TEST, BOOT_TEST):
                label += ", test"
            body.append((label, version, method.what, *numbers))
    return table(("method", "software", "what is run", "samples", "resamples"), body, left=3)


def summary(rows: list[Row]) -> list[str]:
    """Return one row per method over all its intervals."""
    body = []
    for method in METHODS:
        if found := of(rows, method, kind="estimates"):
            coverages = [float(r["coverage"]) for r in found]
            worst = found[coverages.index(min(coverages))]
            side = max(found, key=lambda r: max(float(r["truth_below"]), float(r["truth_above"])))
            body.append((
                method.label, str(len(found)), between(found),
                f"{MEASURES[worst['measure']]}; {cell_of(worst)}",
                f"{max(float(side['truth_below']), float(side['truth_above'])):.1f}",
                f"{max(float(r['no_width']) for r in found):.1f}",
                str(sum(int(r["failures"]) for r in found)),
            ))  # fmt: skip
    head = ("method", "cells", "coverage", "lowest in", "most on one side", "no width", "failures")
    return table(head, body)


def intervals(rows: list[Row], measure: str) -> list[str]:
    """Return coverage, tails and width of one measure."""
    asked = [r for r in rows if r["kind"] == "estimates" and r["measure"] == measure]
    cells = unique(map(cell_of, asked))
    body = []
    for method in METHODS:
        found = {cell_of(r): r for r in of(asked, method)}
        if found:
            body.append((method.label, *(interval(found.get(c)) for c in cells)))
        if found and method is DEFAULT:
            body.append((first_label(asked), *(first(found[c], "coverage") for c in cells)))
    return [f"### {MEASURES[measure]}", "", *table(("method", *cells), body)]


def first_label(rows: list[Row]) -> str:
    """Return the name of the default in the samples that bootstraps see."""
    numbers = " or ".join(unique(r["first"] for r in of(rows, DEFAULT)))
    return f"the same, first {numbers} samples"


def first(row: Row, column: str) -> str:
    """Return a figure of the samples that bootstraps see too."""
    return f"{float(row[f'first_{column}']):.1f}"


def interval(row: Row | None) -> str:
    """Return coverage, the two tails and the width of a cell."""
    if row is None:
        return ""
    below, above = float(row["truth_below"]), float(row["truth_above"])
    return f"{float(row['coverage']):.1f} ({below:.1f} + {above:.1f}) {short_width(row['width'])}"


def sizes(rows: list[Row]) -> list[str]:
    """Return how often tests of equal curves reject."""
    asked = [r for r in rows if r["kind"] == "tests"]
    cells = unique(map(test_of, asked))
    body = []
    for method in METHODS:
        found = {test_of(r): r for r in of(asked, method)}
        figures = {c: f"{float(r['rejected']):.1f}" for c, r in found.items()}
        if found:
            body.append((method.label, *(figures.get(c, "") for c in cells)))
        if found and method is DEFAULT:
            body.append((first_label(asked), *(first(found[c], "rejected") for c in cells)))
    return table(("method", *cells), body)


def test_of(row: Row) -> str:
    """Return the measure and sizes of a test."""
    return f"{MEASURES[row['measure']]}; {row['n_pos']}/{row['n_neg']}"


def warned(rows: list[Row]) -> list[str]:
    """Return where the package itself says that its answer is to be doubted."""
    found = [r for r in of(rows, DEFAULT, kind="estimates") if float(r["warned"]) >= 5.0]
    body = [
        (cell_of(r), MEASURES[r["measure"]], f"{float(r['warned']):.0f}",
         f"{float(r['coverage']):.1f}")
        for r in found
    ]  # fmt: skip
    return table(("cell", "measure", "samples with a warning", "coverage"), body, left=2)


def outside(rows: list[Row]) -> list[str]:
    """Return the cells in which the default misses 94 to 96.5, with their coverage."""
    found = sorted(of(rows, DEFAULT, kind="estimates"), key=lambda r: float(r["coverage"]))
    lines = []
    for what, cells in (
        ("below 94", [r for r in found if float(r["coverage"]) < 94.0]),
        ("above 96.5", [r for r in found if float(r["coverage"]) > 96.5]),
    ):
        each = [
            f"{float(r['coverage']):.1f} ({MEASURES[r['measure']]}; {cell_of(r)})" for r in cells
        ]
        lines.append(f"- Coverage of the default {what}: {', '.join(each) or 'nowhere'}.")
    return lines


def tails(rows: Sequence[Row]) -> tuple[str, str]:
    """Return the shares of samples that put the truth below, and above, averaged over rows."""
    n = len(rows)
    low, high = (sum(float(r[c]) for r in rows) / n for c in ("truth_below", "truth_above"))
    return f"{low:.1f}", f"{high:.1f}"


def reading(rows: list[Row]) -> list[str]:
    """Return what the tables say, every figure from the file."""
    est = [r for r in rows if r["kind"] == "estimates"]
    tests = [r for r in rows if r["kind"] == "tests"]
    auc = of(est, DELONG, measure="AUC")
    high = [r for r in auc if r["population"] == "AUC .98"]
    low_tail, high_tail = tails(high)
    default_high = of(est, DEFAULT, measure="AUC", population="AUC .98")
    small = {m: of(est, m, measure="PAUC 0.1") for m in (DEFAULT, PROC_BOOT, PERCENTILE, BCA)}
    below, above = tails(small[PROC_BOOT])
    own_below, own_above = tails(small[DEFAULT])
    concordant = {m: between(of(est, m, measure="PAUCc 0.1"))
                  for m in (DEFAULT, OWN_WALD, NO_SLOPE, BCA)}  # fmt: skip
    size_on_first = between(of(tests, DEFAULT), "first_rejected")
    size = {m: between(of(tests, m), "rejected")
            for m in (DEFAULT, DELONG_TEST, BOOT_TEST, PERCENTILE, JACKKNIFE)}  # fmt: skip
    on_first = between(of(est, DEFAULT, measure="PAUCc 0.1"), "first_coverage")
    few, many = (
        between(of(est, NO_SLOPE, population="gamma", n_pos=n, n_neg="200")) for n in ("20", "200")
    )
    jack = of(est, JACKKNIFE)
    formula = [r for r in of(est, PLAIN) if r["measure"] != "AUC"]
    jack_low = min(jack, key=lambda r: float(r["coverage"]))
    return [
        f"- **The whole AUC.** DeLong's Wald interval covers {between(auc)} % over the cells. At "
        f"an AUC of .98 the truth lies below it in {low_tail} % of the samples and above it in "
        f"{high_tail} %; the default covers {between(default_high)} % there.",
        f"- **Small parts of the curve.** For FPR [0, .1] the percentile bootstrap covers "
        f"{between(small[PROC_BOOT])} % in pROC and {between(small[PERCENTILE])} % in SciPy, BCa "
        f"{between(small[BCA])} %, the default {between(small[DEFAULT], 'first_coverage')} % in "
        f"the same samples and {between(small[DEFAULT])} % in all. Percentile intervals "
        f"(pROC) have the truth below them in {below} % of the samples and above them in {above} "
        f"%, averaged over the cells; the default in {own_below} and {own_above} %.",
        f"- **The slope.** A Wald interval of pAUCc that takes the estimated end as known covers "
        f"{concordant[NO_SLOPE]} %. With the slope in the standard error it is "
        f"{concordant[OWN_WALD]} %, with the default's scale {concordant[DEFAULT]} %. BCa needs "
        f"no slope and has {concordant[BCA]} %, in samples of which the default covers "
        f"{on_first} %. For gamma scores what leaves the slope out goes "
        f"from {few} % at 20/200 to {many} % at 200/200: more positives narrow the part of the "
        "variance that is counted, not the part that is left out.",
        f"- **The case jackknife** of a partial area covers {between(jack)} %, lowest for "
        f"{MEASURES[jack_low['measure']]} in {cell_of(jack_low)}; the influence formula covers "
        f"{between(formula)} % in the same cells.",
        f"- **Tests** of two equal curves reject in {size[DEFAULT]} % of the samples by default, "
        f"in {size[DELONG_TEST]} % by DeLong's test, in {size[BOOT_TEST]} % by pROC's bootstrap, "
        f"in {size[JACKKNIFE]} % by the case jackknife and in {size[PERCENTILE]} % where a "
        f"percentile interval of the difference misses 0. In the samples of the bootstraps the "
        f"default rejects in {size_on_first} %.",
    ]


def wrapped(lines: Iterable[str]) -> list[str]:
    """Return paragraphs in lines of at most 118 characters; tables stay as they are."""
    found = []
    for line in lines:
        if line.startswith(("|", "#")) or len(line) <= 118:
            found.append(line)
        else:
            indent = "  " if line.startswith("- ") else ""
            whole = re.sub(r"`[^`]*`|\[[^]]*\]", lambda m: m[0].replace(" ", "\0"), line)
            found += [
                part.replace("\0", " ")
                for part in textwrap.wrap(
                    whole, 118, subsequent_indent=indent, break_long_words=False,
                    break_on_hyphens=False,
                )
            ]  # fmt: skip
    return found


def render(rows: list[Row]) -> str:
    """Return the page."""
    analytic = [r for r in rows if not r["resamples"]]
    resampled = [r for r in rows if r["resamples"]]
    seeds = ", ".join(unique(r["seed"] for r in rows))
    lines = [
        "# Comparison with other software",
        "",
        "Coverage of 95 % intervals and size of 5 % tests, of this package and of what others "
        "ship, on the same samples. `python docs/validation/comparison.py` runs it and writes "
        "`docs/validation/comparison.csv`; `python docs/validation/comparison_page.py` makes this "
        "page from that file, every figure included.",
        "",
        "## What was run",
        "",
        *versions(rows),
        f"Seed {seeds}. The populations are those of the validation study "
        "(`docs/validation/populations.py`), the true values quadratures of the population's "
        "curve. Cells are named by population and by the numbers of positives and negatives. "
        "Every method sees the same samples; those that resample see the first of them, and a row "
        "of each table has the default on those alone. SciPy's "
        "bootstrap has no p-value for a difference: its test rejects if the interval misses 0.",
        "",
        f"The simulation error of a coverage is {error(analytic)} points where nothing is "
        f"resampled and {error(resampled)} points where something is; that of a size is the same. "
        "Differences between rows that share their samples are more certain than that: compare a "
        "bootstrap with the default's row of the first samples.",
        "",
        "## All intervals in one table",
        "",
        "Lowest and highest coverage (%) over all cells and measures of a method; the largest "
        "share (%) of samples whose interval misses on one and the same side, where 2.5 is right; "
        "the largest share (%) of intervals without a width; and answers that were missing.",
        "",
        *summary(rows),
        "## What to read from it",
        "",
        *reading(rows),
        "",
        "## Intervals",
        "",
        "Coverage (%), in brackets the samples with the truth below and above the interval (%), "
        "and the mean width.",
        "",
    ]
    for measure in MEASURES:
        lines += intervals(rows, measure)
    lines += [
        "## Tests",
        "",
        "Samples (%) in which two equal binormal curves, of correlation .5 within each class, are "
        "called different at 5 %.",
        "",
        *sizes(rows),
        "## Where the package warns",
        "",
        "It says at run time where few observations decide. Cells of the default with a warning "
        "in at least 5 % of the samples (warnings of others, as pROC's of an AUC of 1, are not "
        "counted):",
        "",
        *warned(rows),
        "## Limits",
        "",
        *outside(rows),
        "- These are few cells, chosen before they were run; the study of the package's own "
        "defaults has many more.",
        "- Bootstraps have fewer resamples than the 2,000 of pROC's default and the 9,999 of "
        "SciPy's, so the ends of their intervals are noisier.",
        "- A statement about a package is one about the version in the table.",
    ]
    return "\n".join(wrapped(lines)) + "\n"


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    args = parser.parse_args()
    page = render(read())
    if args.check:
        same = PAGE.exists() and PAGE.read_text() == page
        print(f"{PAGE.name} {'is' if same else 'is not'} what {CSV.name} gives.")
        return 0 if same else 1
    PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
