"""Make marks.csv and marked_cases.csv, a simulated study of marks with places.

    python data/make_marks.py            rewrite both files
    python data/make_marks.py --check    compare with them, exit 1 on a difference

The simulation is described in README.md beside this file.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd

DATA = Path(__file__).parent
SEED = 2017
IMAGES, WITH_LESIONS, READERS = 120, 60, 5
SIZE, RADIUS = 200.0, 10.0
# Of each modality: mean rating of hits, probability of a hit, mean number of false marks.
MODALITIES = {"unaided": (0.9, 0.62, 0.55), "aided": (1.2, 0.74, 0.5)}
ALGORITHM = (1.4, 0.75, 1.2)


def simulate() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the marks, and the cases with a row for each lesion."""
    rng = np.random.default_rng(SEED)
    cases, lesions = [], {}
    for i in range(IMAGES):
        number = int(rng.choice([1, 2, 3], p=[0.6, 0.3, 0.1])) if i % 2 else 0
        density = "dense" if rng.random() < 0.4 else "fatty"
        places: list[tuple[float, float]] = []
        while len(places) < number:
            x, y = rng.uniform(RADIUS, SIZE - RADIUS, 2).round(1).tolist()
            if all(np.hypot(x - a, y - b) > 3 * RADIUS for a, b in places):
                places.append((x, y))
        difficulty = rng.normal(0.0, 0.5, number) - 0.3 * (density == "dense")
        lesions[i + 1] = list(zip(places, difficulty, strict=True))
        for k, place in enumerate(places or [(np.nan, np.nan)], 1):
            cases.append((i + 1, k if places else None, *place, density))
    rows = []
    for modality, numbers in [*MODALITIES.items(), ("AI", ALGORITHM)]:
        for reader in ["AI"] if modality == "AI" else range(1, READERS + 1):
            # Skill and tendency to false marks of a reader are similar in both modalities.
            skill = np.random.default_rng([SEED, hash_of(reader)]).normal(0.0, 0.3, 2)
            skill += rng.normal(0.0, 0.3, 2)
            rows += [(reader, modality, *r) for r in marks_of(rng, lesions, numbers, skill)]
    marks = pd.DataFrame(rows, columns=["reader", "modality", "case", "lesion", "x", "y", "rating"])
    table = pd.DataFrame(cases, columns=["case", "lesion", "x", "y", "density"])
    for frame in (marks, table):
        frame["lesion"] = frame["lesion"].astype("Int64")
    return marks, table


def hash_of(reader: object) -> int:
    return 0 if reader == "AI" else int(str(reader))


def marks_of(rng, lesions, numbers, skill):
    """Yield the case, lesion, place and rating of the marks of a reader in a modality."""
    mean, share, false = numbers
    for case, of_case in lesions.items():
        for k, (place, ease) in enumerate(of_case, 1):
            if rng.random() < share + 0.15 * (ease + skill[0]):
                x, y = np.array(place) + rng.uniform(-0.6, 0.6, 2) * RADIUS
                yield case, k, round(x, 1), round(y, 1), rating(rng, mean + skill[0] + ease)
        for _ in range(rng.poisson(false * np.exp(skill[1]))):
            x, y = rng.uniform(0.0, SIZE, 2)
            if all(np.hypot(x - a, y - b) > 1.5 * RADIUS for (a, b), _ in of_case):
                yield case, None, round(x, 1), round(y, 1), rating(rng, 0.0)


def rating(rng, mean):
    """Return a rating from 1 to 100."""
    return int(np.clip(round(50 + 18 * rng.normal(mean, 1.0)), 1, 100))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    for name, frame in zip(("marks", "marked_cases"), simulate(), strict=True):
        text = frame.to_csv(index=False, lineterminator="\n")
        path = DATA / f"{name}.csv"
        if not check:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.name} differs from the simulation")


if __name__ == "__main__":
    main()
