"""Run the validation study in parallel, or continue a run that was stopped.

    python studies/validation/run.py                     the whole study (hours)
    python studies/validation/run.py --reduced           a part of it (minutes)
    python studies/validation/run.py --part clusters --replicates 300    one sampling design
    python studies/validation/run.py --seed 2 --replicates 1000 --output FILE.csv

Rows are written group by group. Groups that are already in the file are not run again, so a run
that was stopped continues if it is started again. The finished file is sorted.
"""

import argparse
import os
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # the processes run in parallel

from design import Group, groups, parts, reduced  # noqa: E402
from results import append, read, write  # noqa: E402

KEYS = ("kind", "population", "n_pos", "n_neg", "design", "second", "correlation", "detail")
COLUMNS = (
    *KEYS,
    "measure",
    "inside_pos",
    "inside_neg",
    "truth",
    "replicates",
    "undefined",
    "coverage",
    "truth_below",
    "truth_above",
    "bias_in_sd",
    "se_to_sd",
    "width",
    "median_width",
    "warned",
    "unwarned_coverage",
    "warnings",
    "kind_of_interval",
    "rejected",
    "unwarned_rejected",
    "wald_rejected",
    "p_is_1",
)


def work(
    group: Group, replicates: int, seed: int, kept: Path | None = None
) -> list[dict[str, object]]:
    """Return the rows of a group."""
    import warnings

    from cells import rows_of
    from pauci.errors import PauciWarning

    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PauciWarning)  # counted instead
        for row in rows_of(group, replicates, seed, kept):
            row["kind_of_interval"] = row.pop("kind", "")
            rows.append({**of_group(group), **row})
    return rows


def of_group(group: Group) -> dict[str, object]:
    """Return the columns that describe a group."""
    return {k: getattr(group, k) for k in KEYS}


def key(row: dict[str, object]) -> tuple[str, ...]:
    """Return the columns that identify the group of a row."""
    return tuple(str(row[k]) for k in KEYS)


def run(
    selected: list[Group],
    path: Path,
    replicates: int,
    seed: int,
    jobs: int,
    kept: Path | None = None,
) -> None:
    """Run the groups of which the file has fewer samples."""
    from joblib import Parallel, delayed

    done = {key(row) for row in read(path) if _samples(row) >= _asked(row, replicates)}
    waiting = [g for g in selected if key(of_group(g)) not in done]
    print(f"{len(waiting)} of {len(selected)} groups to run.")
    write(path, COLUMNS, read(path))  # with all columns
    start, total, spent = time.perf_counter(), sum(g.cost for g in waiting), 0.0
    parallel = Parallel(n_jobs=jobs, return_as="generator", batch_size=1)
    for i, rows in enumerate(
        parallel(delayed(work)(g, replicates, seed, kept) for g in waiting), 1
    ):
        append(path, COLUMNS, rows)
        done_now = Group(**{k: rows[0][k] for k in KEYS})
        spent += done_now.cost
        left = (time.perf_counter() - start) * (total / spent - 1.0)
        print(f"{i}/{len(waiting)} {done_now.name}, about {left / 60:.0f} min left", flush=True)
    best: dict[tuple[str, ...], dict[str, str]] = {}
    for row in read(path):  # of a group that was run twice, keep the run with more samples
        cell = (*key(row), row["measure"])
        if cell not in best or _samples(row) >= _samples(best[cell]):
            best[cell] = row
    order = {key(of_group(g)): i for i, g in enumerate(groups())}
    write(path, COLUMNS, sorted(best.values(), key=lambda row: order.get(key(row), len(order))))


def _samples(row: dict[str, str]) -> int:
    return int(row["replicates"]) + int(row["undefined"] or 0)


def _asked(row: dict[str, str], replicates: int) -> int:
    return replicates // 4 if row["kind"] == "family" else replicates


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--reduced", action="store_true", help="run a part that takes a few minutes"
    )
    parser.add_argument("--part", nargs="*", choices=parts(), help="only these parts")
    parser.add_argument("--kind", nargs="*", help="only groups of these kinds")
    parser.add_argument("--population", nargs="*", help="only these populations")
    parser.add_argument("--design", nargs="*", help="only these designs")
    parser.add_argument("--size", nargs="*", help="only these sizes, such as 50/500")
    parser.add_argument(
        "--short-of",
        type=int,
        metavar="N",
        help="only groups with fewer than N samples in study-1.csv",
    )
    parser.add_argument(
        "--replicates", type=int, help="samples per group; default 4000, with --reduced 200"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--output", type=Path)
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="store counts in this folder, so that later runs can add samples",
    )
    args = parser.parse_args()
    selected = reduced() if args.reduced else groups()
    if args.part is not None:
        chosen = {g for name in args.part for g in parts()[name]}
        selected = [g for g in selected if g in chosen]
    for name, chosen in (
        ("kind", args.kind),
        ("population", args.population),
        ("design", args.design),
    ):
        selected = [g for g in selected if chosen is None or getattr(g, name) in chosen]
    selected = [g for g in selected if args.size is None or f"{g.n_pos}/{g.n_neg}" in args.size]
    if args.short_of:
        short = {
            key(row)
            for row in read(HERE / "study-1.csv")
            if _samples(row) < _asked(row, args.short_of)
        }
        selected = [g for g in selected if key(of_group(g)) in short]
    replicates = args.replicates or (200 if args.reduced else 4000)
    path = args.output or HERE / ("reduced.csv" if args.reduced else f"study-{args.seed}.csv")
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    run(selected, path, replicates, args.seed, args.jobs, args.keep)


if __name__ == "__main__":
    main()
