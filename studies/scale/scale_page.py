"""The tables of docs/scale.md, computed from studies/scale/cost.csv and studies/scale/peers.csv.

To print some of them:

python studies/scale/scale_page.py PART [...]
"""

import math
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "validation"))

import results
from comparison_page import unique
from tables import markdown

HERE = Path(__file__).parent

Row = dict[str, str]

NAMES = {
    "estimate memory": "pauci, in memory",
    "estimate duckdb": "pauci on DuckDB, cells of 2⁻¹⁶ of the range",
    "estimate spark": "pauci on Spark, the same cells",
    "scikit-learn": "scikit-learn `roc_auc_score`, in memory",
    "mllib 0": "Spark MLlib, `numBins=0`",
    "mllib 1000": "Spark MLlib, `numBins=1000` (its default)",
    "bins": "100 bins of equal width, in SQL",
    "torcheval": "torcheval `binary_binned_auroc`, 200 thresholds (its default)",
}
ENGINES = {"memory": "memory (pandas)", "duckdb": "DuckDB", "polars": "Polars", "dask": "Dask"}
VERBS = {
    "estimate": "AUC and pAUCc, one classifier",
    "compare": "paired pAUCc, two classifiers",
}


def _number(text: str) -> str:
    return f"{int(text):,}"


def peers(rows: Sequence[Row], population: str) -> str:
    """Return the results of several programs for the same area."""
    body = []
    for row in rows:
        if row["population"] != population:
            continue
        error = float(row["value"]) - float(row["exact"])
        interval = "none"
        if row["low"]:
            interval = f"{float(row['low']):.5f} to {float(row['high']):.5f}"
        bound = "none stated"
        if row["bound"]:
            bound = _small(float(row["bound"]))
        elif row["job"] in ("scikit-learn", "mllib 0"):
            bound = "exact"
        body.append(
            [
                NAMES[row["job"]],
                f"{float(row['value']):.6f}",
                _small(error),
                bound,
                interval,
                f"{float(row['seconds']):.1f}",
                _number(row["megabytes"]),
            ]
        )
    header = ["software", "AUC", "error", "error bound", "95% interval", "seconds", "MB"]
    return markdown(header, body)


def _small(value: float) -> str:
    """Return an error, 0 if it is that of rounding."""
    if abs(value) < 1e-9:
        return "0"
    return f"{value:.1e}".replace("e-0", "e-").replace("-", "−")


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the slope of the line through logarithms by least squares."""
    xs, ys = ([math.log(p[i]) for p in points] for i in (0, 1))
    middle, level = (sum(v) / len(v) for v in (xs, ys))
    across = sum((x - middle) ** 2 for x in xs)
    return sum((x - middle) * (y - level) for x, y in zip(xs, ys, strict=True)) / across


def growth(rows: Sequence[Row]) -> str:
    """Return the growth of time and memory, and an extrapolation to more rows and processors."""
    body = []
    for verb in VERBS:
        for engine in ENGINES:
            found = sorted(
                (int(r["rows"]), float(r["seconds"]), float(r["megabytes"]))
                for r in rows
                if (r["verb"], r["engine"]) == (verb, engine)
            )
            if len(found) < 2:
                continue
            time, memory = (slope([(f[0], f[i]) for f in found]) for i in (1, 2))
            (n1, t1, _), (n2, t2, _) = found[-2:]
            per_row = (t2 - t1) / (n2 - n1)
            body.append(
                [
                    ENGINES[engine],
                    VERBS[verb],
                    f"{time:.2f}",
                    f"{memory:.2f}",
                    f"{per_row * 1e6:.2f}",
                    "" if engine == "memory" else f"{1e9 * per_row / 32 * 2 / 60:.1f}",
                ]
            )
    header = [
        "data in",
        "computation",
        "exponent of the time",
        "exponent of the memory",
        "µs for each additional row",
        "minutes for 10⁹ rows on 64 processors (extrapolated)",
    ]
    return markdown(header, body)


def part(name: str) -> str:
    """Return a part of the page."""
    of_cost, of_peers = (results.read(HERE / f"{file}.csv") for file in ("cost", "peers"))
    what, _, more = name.partition(" ")
    if what == "peers":
        return peers(of_peers, more)
    if what == "versions":
        names = {
            "bins": "DuckDB",
            "estimate memory": "pauci",
            "scikit-learn": "scikit-learn",
            "mllib 0": "PySpark",
            "torcheval": "torcheval",
        }
        return ", ".join(
            unique(f"{names[r['job']]} {r['version']}" for r in of_peers if r["job"] in names)
        )
    if what == "rows":
        return " and ".join(unique(_number(r["rows"]) for r in of_peers))
    if what == "machine":
        return "; ".join(unique(r["machine"] for r in [*of_cost, *of_peers]))
    if what == "growth":
        return growth(of_cost)
    raise KeyError(f"the page has no part {name!r}")


FILES = [HERE / "cost.csv", HERE / "peers.csv", Path(__file__)]

if __name__ == "__main__":
    sys.stdout.write("\n\n".join(map(part, sys.argv[1:])) + "\n")
