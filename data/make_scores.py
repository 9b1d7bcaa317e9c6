"""Make ljubljana_scores.csv and wisconsin_scores.csv from ljubljana.csv and wisconsin.csv.

Each score is out of fold: a row is scored by a model fitted on the nine folds that do not hold it.
The folds are stratified by class, fixed by the seed, and the same for the four classifiers.

    python data/make_scores.py            rewrite both files
    python data/make_scores.py --check    compare with them, exit 1 on a difference above 1e-4

The committed files were made with Python 3.11, scikit-learn 1.9.1, numpy 2.4.6 and scipy 1.17.1.
"""

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

DATA = Path(__file__).parent
SEED = 2020
FOLDS = 10
TOLERANCE = 1e-4

# Conventional settings, not tuned. These solvers and tolerances gave the same six decimals under
# scikit-learn 1.4 and 1.9; LDA by SVD and a network fitted by L-BFGS did not.
CLASSIFIERS: dict[str, Any] = {
    "lda": LinearDiscriminantAnalysis(solver="lsqr"),
    "logistic": LogisticRegression(tol=1e-10, max_iter=10_000),
    "svm": SVC(kernel="rbf", C=1.0, gamma="scale", tol=1e-8),
    "nn": MLPClassifier(
        hidden_layer_sizes=(4,),
        activation="tanh",
        solver="adam",
        alpha=1.0,
        learning_rate_init=0.01,
        tol=1e-5,
        max_iter=5_000,
        random_state=SEED,
    ),
}


def read(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ljubljana() -> tuple[np.ndarray, np.ndarray, Any]:
    """Features, labels and preprocessing; a bracket such as 40-49 becomes its lower end, 40."""
    brackets = ("age", "tumor_size", "inv_nodes", "deg_malig")
    categories = ("menopause", "node_caps", "breast", "breast_quad", "irradiat")
    rows = read("ljubljana.csv")
    x = np.array(
        [[float(r[c].split("-")[0]) for c in brackets] + [r[c] for c in categories] for r in rows],
        dtype=object,
    )
    y = np.array([int(r["class"] == "recurrence-events") for r in rows])
    encode = make_pipeline(
        SimpleImputer(missing_values="", strategy="most_frequent"),
        OneHotEncoder(drop="first", sparse_output=False),
    )
    prepare = make_column_transformer(
        (StandardScaler(), [0, 1, 2, 3]),
        (encode, [4, 5, 6, 7, 8]),
    )
    return x, y, prepare


def wisconsin() -> tuple[np.ndarray, np.ndarray, Any]:
    """Two of the nine features, neither with missing values, so that the classes overlap."""
    rows = read("wisconsin.csv")
    x = np.array([[float(r["cl_thickness"]), float(r["marg_adhesion"])] for r in rows])
    y = np.array([int(r["class"] == "malignant") for r in rows])
    return x, y, StandardScaler()


def out_of_fold(x: np.ndarray, y: np.ndarray, prepare: Any) -> np.ndarray:
    """One column of scores per classifier, rounded to six decimals."""
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(x, y))
    columns = []
    for name, classifier in CLASSIFIERS.items():
        method = "decision_function" if name == "svm" else "predict_proba"
        model = make_pipeline(prepare, classifier)
        scores = cross_val_predict(model, x, y, cv=folds, method=method)
        columns.append(scores[:, 1] if scores.ndim == 2 else scores)
    return np.round(np.column_stack(columns), 6) + 0.0  # + 0.0 turns -0.0 into 0.0


def write(path: Path, label: str, y: np.ndarray, scores: np.ndarray) -> None:
    lines = [",".join([label, *CLASSIFIERS])]
    lines += [
        f"{positive}," + ",".join(f"{s:.6f}" for s in row)
        for positive, row in zip(y, scores, strict=True)
    ]
    path.write_bytes(("\n".join(lines) + "\n").encode())


def differs(path: Path, label: str, y: np.ndarray, scores: np.ndarray) -> bool:
    """Compare with the file, print the largest difference, and tell whether it is too large."""
    rows = read(path.name)
    old = np.array([[float(r[c]) for c in (label, *CLASSIFIERS)] for r in rows])
    new = np.column_stack([y, scores])
    if old.shape != new.shape:
        print(f"{path.name}: shape {old.shape}, expected {new.shape}")
        return True
    largest = float(np.abs(old - new).max())
    print(f"{path.name}: largest difference {largest:.1e}")
    return not largest <= TOLERANCE  # a NaN counts as different


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the out-of-fold score files.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    different = False
    for name, label, load in (
        ("ljubljana_scores.csv", "recurrence", ljubljana),
        ("wisconsin_scores.csv", "malignant", wisconsin),
    ):
        x, y, prepare = load()
        scores = out_of_fold(x, y, prepare)
        if check:
            different |= differs(DATA / name, label, y, scores)
        else:
            write(DATA / name, label, y, scores)
    return int(different)


if __name__ == "__main__":
    sys.exit(main())
