"""The results of the study against its goals, with every cell that misses one.

    python studies/validation/goals.py                       of the study
    python studies/validation/goals.py FILE.csv --cells 100  of a run, with up to 100 cells a goal

Coverage and size are those of the samples without a warning, in cells in which these are at least a
fifth. The power is that of all samples, because both tests are of the same samples.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from design import NON_INFERIORITY, REGULAR  # noqa: E402
from silent import OFTEN, WELL, setting  # noqa: E402
from study_cells import (  # noqa: E402
    BETTER,
    COVERS,
    INDEPENDENT,
    KEYS,
    failing,
    figure,
    load,
    share_below,
    with_silent_samples,
    with_size_of_intervals,
)
from tables import markdown  # noqa: E402

SIZE, REGULAR_SIZE = 8.0, 7.0
"""Largest size of a 5% test, in general and in regular cells, in per cent."""

REGULAR_FROM = 40
"""Size of the smaller class from which on cells of a regular population are regular."""

SHORT_CELLS = {"independent rows": 0.5, "clusters or weights": 2.0, "other designs": 2.0}
"""Largest percentage of cells that cover less than 90%, by kind of design."""

WALD_SIZE = 5.5
"""Largest size (%) of a Wald test with which the power is compared."""

LESS_POWER = {"point": 3.0, "area": 6.0}
"""Largest difference from the power of the Wald test, in percentage points."""

TOO_FEW = 2.0, 7.0
"""Rejections (%) of tests whose warnings are false alarms."""


def kind_of_design(row) -> str:
    """Return the kind of design of a cell."""
    if row.kind in ("weights", "clusters") or row.design.startswith(("weights", "verification")):
        return "clusters or weights"
    if "clusters" in row.design:
        return "clusters or weights"
    return "independent rows" if row.design in INDEPENDENT else "other designs"


def intervals_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of intervals, in all designs."""
    return _of_designs(cells[cells["kind"].isin(["estimates", "weights"]) & cells["answered"]])


def null_tests(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of tests of a true null hypothesis, in all designs.

    The rejections of a two-sided test of a difference that is not 0 are those of its interval, as
    are those of a statement without a p-value.
    """
    shifted, margin = cells["second"].isin(BETTER), cells["detail"] == NON_INFERIORITY
    tests = cells["kind"].isin(["tests", "clusters", "family"])
    part = cells[tests & (shifted == margin) & cells["answered"]]
    other = (part["truth"].fillna(0.0) != 0.0) & (part["detail"] != NON_INFERIORITY)
    by_interval = other | part["rejected"].isna()
    part = pd.concat([part[~by_interval], with_size_of_intervals(part[by_interval])]).sort_index()
    # The test of a coverage of at least 100 - size uses these numbers of samples.
    kept = part["silent"] * (100.0 - part["unwarned_rejected"]) / 100.0
    return _of_designs(part.assign(silent_covered=kept.round()))


def powers(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of tests of a false null hypothesis with the size of the Wald test."""
    shifted, margin = cells["second"].isin(BETTER), cells["detail"] == NON_INFERIORITY
    tests = (cells["kind"] == "tests") & cells["answered"] & cells["wald_rejected"].notna()
    columns = [*(k for k in KEYS if k != "second"), "measure"]
    null = cells[tests & (shifted == margin)].rename(columns={"wald_rejected": "wald_size"})
    null = null.drop_duplicates(columns)[[*columns, "wald_size"]]
    found = cells[tests & (shifted != margin)].merge(null, on=columns)
    point = found["measure"].str.match(r"(gap of )?(Sensitivity|Specificity)\(")
    allowed = point.map({True: LESS_POWER["point"], False: LESS_POWER["area"]})
    return found.assign(less=found["wald_rejected"] - found["rejected"], allowed=allowed)


def _of_designs(part: pd.DataFrame) -> pd.DataFrame:
    kinds = [kind_of_design(row) for row in part.itertuples()]
    return part.assign(of=pd.Series(kinds, part.index, dtype=object))


class Goal(NamedTuple):
    """A goal, with the cells that were evaluated and those that miss it."""

    words: str
    evaluated: int
    result: str
    limit: str
    met: bool
    missing: pd.DataFrame
    value: Callable[[object], str]
    """What is listed of a cell."""


def goals(cells: pd.DataFrame) -> list[Goal]:
    """Return the goals of the study with the results."""
    intervals, tests = intervals_of(cells), null_tests(cells)
    return [
        *_warnings(intervals, tests),
        *_coverage(intervals),
        *_sizes(tests),
        *_powers(powers(cells)),
        *_certain(tests),
    ]


def _warnings(intervals: pd.DataFrame, tests: pd.DataFrame) -> list[Goal]:
    found = []
    low, high = TOO_FEW
    for words, well in (
        ("intervals", intervals[intervals["coverage"].between(*WELL)]),
        ("tests", tests[tests["rejected"].between(low, high)]),
    ):
        for of, own in well.groupby("of"):
            share = 100.0 * (1.0 - own["silent"].sum() / own["replicates"].sum())
            found.append(
                Goal(
                    f"samples with a warning (%) in cells that are right: {words}, {of}",
                    len(own),
                    figure(share),
                    f"{OFTEN:g}",
                    share <= OFTEN,
                    own[own["warned"] > OFTEN].sort_values("warned", ascending=False),
                    lambda r: f"warned {figure(r.warned)}",
                )
            )
    return found


def _coverage(intervals: pd.DataFrame) -> list[Goal]:
    found = []
    looked = with_silent_samples(intervals)
    looked = looked.assign(beyond=failing(looked))
    for of, own in looked.groupby("of"):
        bad = own[own["unwarned_coverage"] < COVERS].sort_values("unwarned_coverage")
        share = 100.0 * len(bad) / len(own)
        found.append(
            Goal(
                f"cells (%) without a warning that cover less than {COVERS:g}%: {of}",
                len(own),
                f"{figure(share, 2)} ({int(bad['beyond'].sum())} cells beyond simulation error; "
                f"estimated without it: {figure(share_below(own), 2)})",
                f"{SHORT_CELLS[of]:g}",
                share <= SHORT_CELLS[of],
                bad,
                lambda r: f"covers {figure(r.unwarned_coverage)}{' *' if r.beyond else ''}",
            )
        )
    return found


def _sizes(tests: pd.DataFrame) -> list[Goal]:
    found = []
    looked = with_silent_samples(tests)
    regular = (
        looked["population"].isin(REGULAR)
        & (looked[["n_pos", "n_neg"]].min(axis=1) >= REGULAR_FROM)
        & ~looked["design"].str.contains("clusters")
        & (looked["kind"] == "tests")
    )
    for words, which, limit in (
        (f"regular cells, {REGULAR_FROM} a class or more", regular, REGULAR_SIZE),
        ("other cells", ~regular, SIZE),
    ):
        own = looked[which]
        if own.empty:
            continue
        own = own.assign(beyond=failing(own, 100.0 - limit))
        bad = own[own["unwarned_rejected"] > limit]
        bad = bad.sort_values("unwarned_rejected", ascending=False)
        found.append(
            Goal(
                f"size of tests without a warning (%): {words}",
                len(own),
                f"{figure(own['unwarned_rejected'].max())}, median "
                f"{figure(own['unwarned_rejected'].median())}, {len(bad)} cells above "
                f"({int(bad['beyond'].sum())} beyond simulation error; estimated without it: "
                f"{figure(share_below(own, 100.0 - limit), 2)}%)",
                f"{limit:g}",
                bad.empty,
                bad,
                lambda r: (
                    f"rejects {figure(r.unwarned_rejected)}{' *' if r.beyond else ''}, "
                    f"Wald {figure(r.wald_rejected)}"
                ),
            )
        )
    return found


def _powers(found: pd.DataFrame) -> list[Goal]:
    goals_found = []
    right = found[found["wald_size"] <= WALD_SIZE]
    for kind, limit in LESS_POWER.items():
        own = right[right["allowed"] == limit]
        if own.empty:
            continue
        bad = own[own["less"] > limit].sort_values("less", ascending=False)
        goals_found.append(
            Goal(
                f"power below that of Wald's test if its size is at most {WALD_SIZE:g}: {kind}s",
                len(own),
                f"{figure(own['less'].max())}, median {figure(own['less'].median())}, "
                f"{len(bad)} cells",
                f"{limit:g}",
                bad.empty,
                bad,
                lambda r: (
                    f"power {figure(r.rejected)}, Wald {figure(r.wald_rejected)} "
                    f"(size {figure(r.wald_size)})"
                ),
            )
        )
    return goals_found


def _certain(tests: pd.DataFrame) -> list[Goal]:
    own = tests[tests["p_is_1"].notna()]
    bad = own[own["p_is_1"] > 0.0].sort_values("p_is_1", ascending=False)
    goal = Goal(
        "p = 1 although the estimate is more than one observation from the null value (%)",
        len(own),
        f"{figure(own['p_is_1'].max())}, {len(bad)} cells",
        "0",
        bad.empty,
        bad,
        lambda r: f"p = 1 in {figure(r.p_is_1)}",
    )
    return [goal] if len(own) else []


def summary(found: list[Goal]) -> str:
    """Return the goals and results as a table."""
    rows = [
        [g.words, f"{g.evaluated:,}", g.result, g.limit, "yes" if g.met else "no"] for g in found
    ]
    return markdown(["goal", "cells", "result", "at most", "met"], rows)


def listed(goal: Goal, most: int) -> str:
    """Return the cells that miss a goal, the worst first; * is beyond simulation error."""
    rows = [
        [
            f"`{r.measure}`",
            place(r),
            f"{r.n_pos}/{r.n_neg}",
            goal.value(r),
            figure(r.coverage),
            f"{r.samples:.0f}",
        ]
        for r in goal.missing.head(most).itertuples()
    ]
    head = f"{goal.words}: {len(goal.missing)} cells\n\n"
    return head + markdown(["measure", "population", "n1/n0", "result", "covered", "samples"], rows)


def place(row) -> str:
    """Return the population, the design and the pair of classifiers of a cell as text."""
    more = "" if row.design in INDEPENDENT else f", {row.design}"
    more += (
        f", {row.detail}" if row.detail not in ("", "ends") and row.second != "independent" else ""
    )
    return setting(row) + more


def by_design(cells: pd.DataFrame) -> str:
    """Return coverage and size in the designs other than independent rows."""
    rows = []
    intervals, tests = intervals_of(cells), null_tests(cells)
    for part, column, what in (
        (intervals, "unwarned_coverage", "coverage"),
        (tests, "unwarned_rejected", "size"),
    ):
        part = part[~part["design"].isin(INDEPENDENT) | (part["detail"] == NON_INFERIORITY)]
        names = part["design"].where(part["detail"] != NON_INFERIORITY, NON_INFERIORITY)
        for (design, detail), own in part.groupby([names, "detail"], sort=True):
            looked = with_silent_samples(own)[column]
            low, middle, high = looked.quantile([0.0, 0.5, 1.0])
            words = design if detail in ("", design) else f"{design}, {detail}"
            rows.append(
                [
                    words,
                    what,
                    len(own),
                    len(own) - len(looked),
                    *map(figure, (low, middle, high)),
                    figure(100.0 * (1.0 - own["silent"].sum() / own["replicates"].sum())),
                ]
            )
    header = ["design", "figure", "cells", "left out", "lowest", "median", "highest", "% warned"]
    return markdown(header, rows)


def main() -> None:
    """Print the goals, and the cells that miss them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, default=[HERE / "study-1.csv"])
    parser.add_argument("--cells", type=int, default=30, help="largest number of cells of a goal")
    args = parser.parse_args()
    cells = pd.concat([load(path) for path in args.files], ignore_index=True)
    found = goals(cells)
    print(summary(found))
    print(by_design(cells))
    for goal in found:
        if len(goal.missing) and args.cells:
            print(listed(goal, args.cells))


if __name__ == "__main__":
    main()
