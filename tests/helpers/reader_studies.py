"""Reader studies for tests: simulated data, and published data that are not part of the package."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pauci

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def shared(name):
    """Return a file next to the checkout, which is used for tests only."""
    path = SHARED / f"{name}.csv"
    if not path.is_file():
        pytest.skip(f"{path.name} is not shipped, and does not lie beside the checkout")
    return pd.read_csv(path)


def published(name):
    """Return VanDyke, Franken or Kundel as a study."""
    return pauci.ReaderStudy.from_frame(
        shared(name), modality="treatment", label="truth", score="rating", positive=1
    )


def only(analysis):
    """The only difference of an analysis, as a dict."""
    (row,) = analysis.differences.to_dict("records")
    return row


def viper(name, truth="cancer_365"):
    """One of the five VIPER studies."""
    frame = pauci.datasets.load_viper()
    return pauci.ReaderStudy.from_frame(frame[frame["study"] == name], label=truth, positive=1)


def roe_metz(
    rng,
    readers=4,
    n_pos=20,
    n_neg=30,
    shift=(1.2, 1.2),
    spread=(0.1, 0.1, 0.3, 0.2),
    blocks=1,
    categories=None,
):
    """A frame of Roe and Metz's model: effects of readers, by modality, of cases, by modality.

    Cases are read by the readers of their block only. `categories` cuts the scores.
    """
    of_reader, of_both, of_case, of_case_by_modality = map(np.sqrt, spread)
    rows = []
    block_of_reader = np.arange(readers) % blocks
    truth = np.repeat([1, 0], [n_pos * blocks, n_neg * blocks])
    block_of_case = np.concatenate([np.arange(n_pos * blocks), np.arange(n_neg * blocks)]) % blocks
    case = of_case * rng.normal(size=truth.size)
    reader = of_reader * rng.normal(size=(readers, 2))
    rest = np.sqrt(1.0 - spread[2] - spread[3])
    for m, mean in enumerate(shift):
        by_modality = of_case_by_modality * rng.normal(size=truth.size)
        for r in range(readers):
            which = np.flatnonzero(block_of_case == block_of_reader[r])
            effect = reader[r] + of_both * rng.normal(size=2)
            t = truth[which]
            score = t * mean + effect[t] + case[which] + by_modality[which]
            score = score + rest * rng.normal(size=which.size)
            if categories is not None:
                score = np.digitize(score, categories)
            rows.append(
                pd.DataFrame(
                    {
                        "reader": f"r{r}",
                        "modality": "AB"[m],
                        "case": which,
                        "label": t,
                        "score": score,
                    }
                )
            )
    return pd.concat(rows, ignore_index=True)
