"""Make cohort.csv, simulated patients of whom some had a biopsy, with follow-up times.

    python data/make_cohort.py            rewrite the file
    python data/make_cohort.py --check    compare with it, exit 1 on a difference

The simulation is described in README.md beside this file.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

FILE = Path(__file__).with_name("cohort.csv")
PATIENTS = 800


def text() -> str:
    """Return the content of the file."""
    rng = np.random.default_rng(2028)
    n = PATIENTS
    family = rng.random(n) < 0.25
    disease = rng.random(n) < expit(-1.3 + 0.8 * family)
    severity = disease * rng.normal(1.3, 0.6, n) + 0.6 * rng.normal(size=n)
    marker = severity + 0.7 * rng.normal(size=n)
    model = severity + 0.3 * family + 0.45 * rng.normal(size=n)
    biopsy = rng.random(n) < expit(1.4 * marker - 0.7 + 0.9 * family)
    death = rng.exponential(30.0 * np.exp(-0.9 * severity))
    other, last = rng.exponential(40.0, n), rng.uniform(2.0, 12.0, n)
    ends = np.array([last, death, other])
    frame = pd.DataFrame(
        {
            "patient": np.arange(1, n + 1),
            "family": np.where(family, "yes", "no"),
            "marker": [f"{v:.2f}" for v in 4.0 + 1.5 * marker],
            "model": [f"{v:.3f}" for v in expit(1.5 * model - 1.5)],
            "biopsy": biopsy.astype(int),
            "disease": np.where(biopsy, disease.astype(int).astype(str), ""),
            "years": [f"{v:.2f}" for v in ends.min(axis=0)],
            "died": ends.argmin(axis=0),
        }
    )
    return frame.to_csv(index=False, lineterminator="\n")


def expit(log_odds: np.ndarray) -> np.ndarray:
    """Return probabilities from log odds."""
    return 1.0 / (1.0 + np.exp(-log_odds))


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(FILE.read_text(encoding="utf-8") != text())
    FILE.write_text(text(), encoding="utf-8")
