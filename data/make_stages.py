"""Make stages.csv, a simulated set of three ordered classes.

    python data/make_stages.py            rewrite the file
    python data/make_stages.py --check    compare with it, exit 1 on a difference

Each of 300 patients has no disease, early or late disease with probability 0.5, 0.3 and 0.2. Given
the stage, two markers have a bivariate normal distribution with the standard deviations 1 and the
correlation 0.4. The means of `marker` are 0, 0.9 and 2.1, those of `protein` are 0, 1 and 0.8, so
that only the first follows the order of the stages. The probabilities of the stages are those of
Bayes' formula with these parameters, from the first marker alone (`marker_none`, ...) or from both
(`both_none`, ...).
"""

import sys
from pathlib import Path

import numpy as np

FILE = Path(__file__).parent / "stages.csv"
STAGES = "none", "early", "late"
SHARES = np.array([0.5, 0.3, 0.2])
MEANS = np.array([[0.0, 0.0], [0.9, 1.0], [2.1, 0.8]])
COVARIANCE = np.array([[1.0, 0.4], [0.4, 1.0]])


def text() -> str:
    """Return the content of the file."""
    rng = np.random.default_rng(2026)
    stage = rng.choice(3, 300, p=SHARES)
    noise = rng.standard_normal((300, 2)) @ np.linalg.cholesky(COVARIANCE).T
    markers = np.round(MEANS[stage] + noise, 3)
    models = [_posterior(markers[:, :count], count) for count in (1, 2)]
    names = [f"{model}_{name}" for model in ("marker", "both") for name in STAGES]
    lines = [",".join(["patient", "stage", "marker", "protein", *names])]
    for i, row in enumerate(np.hstack([markers, *models])):
        numbers = [f"{v:.3f}" for v in row[:2]] + [f"{v:.4f}" for v in row[2:]]
        lines.append(",".join([str(i + 1), STAGES[stage[i]], *numbers]))
    return "\n".join(lines) + "\n"


def _posterior(markers: np.ndarray, count: int) -> np.ndarray:
    """Return the probability of each stage, rounded so that the three add up to 1."""
    precision = np.linalg.inv(COVARIANCE[:count, :count])
    deviations = markers[:, None, :] - MEANS[None, :, :count]
    log_density = -0.5 * np.einsum("nki,ij,nkj->nk", deviations, precision, deviations)
    density = SHARES * np.exp(log_density)
    shares = np.round(density / density.sum(axis=1, keepdims=True), 4)
    shares[:, 0] = np.round(1.0 - shares[:, 1:].sum(axis=1), 4)
    return np.abs(shares)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(FILE.read_text(encoding="utf-8") != text())
    FILE.write_text(text(), encoding="utf-8")
