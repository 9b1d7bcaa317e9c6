"""The tables of docs/scale.md, computed from studies/scale/peers.csv.

To print some of them:

python studies/scale/scale_page.py PART [...]
"""

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
    "scikit-learn": "scikit-learn `roc_auc_score`, in memory",
    "mllib 0": "Spark MLlib, `numBins=0`",
    "mllib 1000": "Spark MLlib, `numBins=1000` (its default)",
    "bins": "100 bins of equal width, in SQL",
    "torcheval": "torcheval `binary_binned_auroc`, 200 thresholds (its default)",
}


def _number(text: str) -> str:
    return f"{int(text):,}"


def peers(rows: Sequence[Row], population: str) -> str:
    """Return the results of several programs for the same area."""
    body = []
    for row in rows:
        if row["population"] != population or row["job"] not in NAMES:
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
            ]
        )
    header = ["software", "AUC", "error", "error bound", "95% interval"]
    return markdown(header, body)


def _small(value: float) -> str:
    """Return an error, 0 if it is that of rounding."""
    if abs(value) < 1e-9:
        return "0"
    return f"{value:.1e}".replace("e-0", "e-").replace("-", "−")


def part(name: str) -> str:
    """Return a part of the page."""
    of_peers = results.read(HERE / "peers.csv")
    what, _, more = name.partition(" ")
    if what == "peers":
        return peers(of_peers, more)
    if what == "versions":
        names = {
            "bins": "DuckDB",
            "scikit-learn": "scikit-learn",
            "mllib 0": "PySpark",
            "torcheval": "torcheval",
        }
        return ", ".join(
            unique(f"{names[r['job']]} {r['version']}" for r in of_peers if r["job"] in names)
        )
    if what == "rows":
        return " and ".join(unique(_number(r["rows"]) for r in of_peers))
    raise KeyError(f"the page has no part {name!r}")


FILES = [HERE / "peers.csv", Path(__file__)]

if __name__ == "__main__":
    sys.stdout.write("\n\n".join(map(part, sys.argv[1:])) + "\n")
