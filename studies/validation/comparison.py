"""Coverage and size of other software, in the same samples as the defaults of this package.

    python studies/validation/comparison.py                    all cells (a quarter of an hour)
    python studies/validation/comparison.py --only SciPy       only this software
    python studies/validation/comparison.py --only pauci --again    run again (about a minute)
    python studies/validation/comparison.py --replicates 1000 --resampled 100 --output FILE.csv

The software is this package, pROC in R (its cells are omitted with a message if `Rscript` or pROC
is not installed), `scipy.stats.bootstrap` of areas computed in NumPy, and two formulas in NumPy.
Samples depend only on the seed and the name of the cell, so all methods are applied to the same
samples. Bootstraps are applied to the first `--resampled` samples, and the columns `first_` contain
the results of the other methods in these samples. Cells that are already in the file are not run
again. studies/validation/comparison_page.py computes the tables of the page.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy
from scipy import stats

import pauci
from cells import caught_in, deviates
from populations import POPULATIONS
from results import read, write
from truth import truth

HERE = Path(__file__).parent
CSV = HERE / "comparison.csv"
LEVEL = 0.95
Z = float(stats.norm.ppf(0.5 + LEVEL / 2.0))
RESAMPLES = 500

CELL = ("kind", "population", "n_pos", "n_neg", "correlation")
COLUMNS = (
    "software",
    "version",
    "method",
    *CELL,
    "measure",
    "seed",
    "resamples",
    "replicates",
    "failures",
    "coverage",
    "truth_below",
    "truth_above",
    "width",
    "no_width",
    "warned",
    "rejected",
    "first",
    "first_coverage",
    "first_rejected",
)


@dataclass(frozen=True)
class Area:
    """An area over the false positive rates from 0 to `upto`."""

    name: str
    measure: pauci.AUC | pauci.PAUC | pauci.PAUCc
    upto: float
    concordant: bool = False


AUC = Area("AUC", pauci.AUC(), 1.0)
PAUC_TENTH = Area("PAUC 0.1", pauci.PAUC(fpr=(0, 0.1)), 0.1)
PAUC_THIRD = Area("PAUC 0.33", pauci.PAUC(fpr=(0, 0.33)), 0.33)
CONCORDANT = Area("PAUCc 0.1", pauci.PAUCc(fpr=(0, 0.1)), 0.1, concordant=True)
PARTIAL = (PAUC_TENTH, PAUC_THIRD)
ESTIMATED = (AUC, PAUC_TENTH, PAUC_THIRD, CONCORDANT)
TESTED = (AUC, PAUC_TENTH)


@dataclass(frozen=True)
class Cell:
    """A population and sizes: of estimates, or of tests of two equal curves."""

    kind: str
    population: str
    n_pos: int
    n_neg: int
    correlation: float = 0.0

    @property
    def name(self) -> str:
        """The name that identifies the cell."""
        return "|".join(self.key)

    @property
    def key(self) -> tuple[str, ...]:
        """Its columns in the file."""
        return tuple(str(getattr(self, name)) for name in CELL)

    def samples(self, seed: int, replicates: int) -> np.ndarray:
        """Return scores of shape (replicates, classifiers, rows), positives first."""
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        population, n = POPULATIONS[self.population], self.n_pos + self.n_neg
        drawn = []
        for _ in range(replicates):
            if self.kind == "estimates":
                drawn.append([population.draw(rng, self.n_pos, self.n_neg)])
            else:
                uniform = deviates(rng, n, self.correlation)
                drawn.append([population.scores(u[: self.n_pos], u[self.n_pos :]) for u in uniform])
        return np.array(drawn)

    def truth(self, area: Area) -> float:
        """Return the true value of an interval: the area, or a difference of 0."""
        if self.kind == "tests":
            return 0.0
        share = self.n_pos / (self.n_pos + self.n_neg)
        return truth(POPULATIONS[self.population], area.measure, share)


CELLS = (
    Cell("estimates", "binormal", 50, 50),
    Cell("estimates", "gamma", 20, 200),
    Cell("estimates", "AUC .98", 50, 50),
    Cell("estimates", "ordinal, 5", 50, 50),
    Cell("tests", "binormal", 50, 50, 0.5),
    Cell("tests", "binormal", 20, 200, 0.5),
    Cell("estimates", "gamma", 200, 200),
)


class Answers:
    """Intervals and decisions of one method for one area."""

    def __init__(self, true: float, resamples: int = 0) -> None:
        self.true, self.resamples = true, resamples
        self.n = self.failures = self.no_width = 0
        self.width = 0.0
        self.below: list[bool] = []
        self.above: list[bool] = []
        self.rejected: list[bool] = []
        self.warned: int | None = None

    def add(self, low=None, high=None, pvalue=None) -> None:
        """Count an interval, a p-value, or both; NaN is a failure."""
        values = [v for v in (low, high, pvalue) if v is not None]
        self.n += 1
        if not np.all(np.isfinite(values)):
            self.failures += 1
            return
        if low is not None:
            self.below.append(bool(self.true < low))
            self.above.append(bool(self.true > high))
            self.width += high - low
            self.no_width += bool(high <= low)
        if pvalue is not None:
            self.rejected.append(bool(pvalue < 1.0 - LEVEL))

    def figures(self, first: int) -> dict[str, object]:
        """Return the columns of a row; methods that resample are run on the first samples only."""
        found: dict[str, object] = {
            "resamples": self.resamples or "",
            "replicates": self.n,
            "failures": self.failures,
        }
        some = not self.resamples and not self.failures and self.n >= first
        if some:
            found["first"] = first
        if self.below:
            covers = ~(np.array(self.below) | np.array(self.above))
            found |= {
                "coverage": _percent(covers),
                "truth_below": _percent(self.below),
                "truth_above": _percent(self.above),
                "width": f"{self.width / covers.size:.5g}",
                "no_width": f"{100.0 * self.no_width / covers.size:.5g}",
            }
            if some:
                found["first_coverage"] = _percent(covers[:first])
        if self.warned is not None:
            found["warned"] = f"{100.0 * self.warned / self.n:.5g}"
        if self.rejected:
            found["rejected"] = _percent(self.rejected)
            if some:
                found["first_rejected"] = _percent(self.rejected[:first])
        return found


def _percent(which) -> str:
    return f"{100.0 * float(np.mean(which)):.5g}"


Rows = Iterator[tuple[str, Area, Answers]]


# Areas and their influence in NumPy, without any part of the package


def counts(scores: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the numbers of scores along the last axis in each tie group, the highest first."""
    k, lead = groups.size, scores.shape[:-1]
    found = k - 1 - np.searchsorted(groups, scores.reshape(-1, scores.shape[-1]))
    found += k * np.arange(found.shape[0])[:, None]
    size = k * found.shape[0]
    return np.bincount(found.ravel(), minlength=size).reshape(*lead, k)


def steps(pos: np.ndarray, neg: np.ndarray, upto: float):
    """Return p_k, q_k, P_{k-1}, Q_{k-1} and the fraction c_k of each group up to an FPR."""
    cums = []
    for each in (pos, neg):
        cum = np.cumsum(each, axis=-1)
        cums.append(cum / cum[..., -1:])
    (p, big_p), (q, big_q) = ((np.diff(c, prepend=0.0, axis=-1), c) for c in cums)
    before_p, before_q = (
        (np.concatenate((np.zeros((*c.shape[:-1], 1)), c[..., :-1]), axis=-1))
        for c in (big_p, big_q)
    )
    flat = neg > 0
    share = np.clip((upto - before_q) / np.where(flat, q, 1.0), 0.0, 1.0)
    share = np.where(flat, share, before_q <= upto)
    return p, q, before_p, before_q, share


def area_of(pos: np.ndarray, neg: np.ndarray, area: Area) -> np.ndarray:
    """Return the area by the trapezoid rule, from counts of the tie groups along the last axis."""
    p, q, before, _, share = steps(pos, neg, area.upto)
    value = (q * share * (before + p * share / 2.0)).sum(axis=-1)
    if area.concordant:
        value = value + (1.0 - area.upto) * (p * share).sum(axis=-1) / 2.0
    return value


def plain_se(pos: np.ndarray, neg: np.ndarray, area: Area) -> float:
    """Return the standard error from influence values, with the score at the end treated as known.

    For the AUC this is that of DeLong et al. Areas over known FPR do not require the slope. A
    concordant area does; its term of the negatives, the slope times their fraction up to the end,
    is omitted here.
    """
    p, q, before_p, before_q, share = steps(pos, neg, area.upto)
    end = (p * share).sum()
    of_pos = q * share**2 / 2.0 + np.maximum(area.upto - before_q - q, 0.0)
    of_neg = p * share**2 / 2.0 + np.maximum(end - before_p - p, 0.0)
    of_pos = np.where(neg > 0, of_pos, np.maximum(area.upto - before_q, 0.0))
    if area.concordant:
        of_pos = of_pos + (1.0 - area.upto) * share / 2.0
    variance = 0.0
    for u, n in ((of_pos, pos), (of_neg, neg)):
        total = n.sum()
        centred = u - (n @ u) / total
        variance += (n @ centred**2) / (total - 1) / total
    return float(variance**0.5)


def left_out(y_pos: int, scores: np.ndarray, area: Area) -> np.ndarray:
    """Return the areas without each row, in the order of the rows."""
    groups = np.unique(scores)
    pos, neg = counts(scores[:y_pos], groups), counts(scores[y_pos:], groups)
    less = np.eye(groups.size, dtype=pos.dtype)
    place = groups.size - 1 - np.searchsorted(groups, scores)
    return np.concatenate(
        (
            area_of(pos - less[place[:y_pos]], neg, area),
            area_of(pos, neg - less[place[y_pos:]], area),
        )
    )


# Methods


def of_pauci(cell: Cell, samples: np.ndarray, _: int) -> Rows:
    """Run this package: its defaults, and Wald intervals with its standard error."""
    y = np.repeat([1, 0], (cell.n_pos, cell.n_neg))
    areas = ESTIMATED if cell.kind == "estimates" else TESTED
    default = {a: Answers(cell.truth(a)) for a in areas}
    wald = {a: Answers(cell.truth(a)) for a in areas}
    for answers in default.values():
        answers.warned = 0
    for scores in samples:
        pair = scores[0] if len(scores) == 1 else {"a": scores[0], "b": scores[1]}
        sample = pauci.Sample(y, pair, design="case-control")
        verb = pauci.estimate if cell.kind == "estimates" else pauci.compare
        for area in areas:
            try:
                e, caught = caught_in(lambda s=sample, a=area, v=verb: v(s, a.measure))
            except pauci.UndefinedError:
                default[area].add(np.nan)
                wald[area].add(np.nan)
                continue
            default[area].warned += bool(caught)
            if cell.kind == "estimates":
                default[area].add(*e.interval(LEVEL))
                wald[area].add(e.value - Z * e.se, e.value + Z * e.se)
            else:
                default[area].add(*e.interval(LEVEL), e.pvalue)
                wald[area].add(*_wald(e.difference, e.se))
    for area in areas:
        yield "default", area, default[area]
        yield "its standard error, Wald", area, wald[area]


def _wald(value: float, se: float) -> tuple[float, float, float]:
    """Return the Wald interval of a difference, and the p-value of no difference."""
    pvalue = 2.0 * stats.norm.sf(abs(value) / se) if se > 0.0 else float("nan")
    return value - Z * se, value + Z * se, float(pvalue)


def of_formulas(cell: Cell, samples: np.ndarray, _: int) -> Rows:
    """Compute Wald intervals by formulas: influence without slope, and the case jackknife."""
    m = cell.n_pos
    areas = ESTIMATED if cell.kind == "estimates" else ()
    plain = {a: Answers(cell.truth(a)) for a in areas}
    partial = PARTIAL if cell.kind == "estimates" else (PAUC_TENTH,)
    jackknife = {a: Answers(cell.truth(a)) for a in partial}
    for scores in samples:
        tables = []
        for s in scores:
            groups = np.unique(s)
            tables.append((counts(s[:m], groups), counts(s[m:], groups)))
        for area, answers in plain.items():
            value, se = area_of(*tables[0], area), plain_se(*tables[0], area)
            answers.add(value - Z * se, value + Z * se)
        for area, answers in jackknife.items():
            sign = (1.0, -1.0)[: len(scores)]
            value = sum(w * area_of(*t, area) for w, t in zip(sign, tables, strict=True))
            each = sum(w * left_out(m, s, area) for w, s in zip(sign, scores, strict=True))
            n = each.size
            se = float(((n - 1) / n * ((each - each.mean()) ** 2).sum()) ** 0.5)
            low, high, pvalue = _wald(float(value), se)
            answers.add(low, high, None if cell.kind == "estimates" else pvalue)
    for area, answers in plain.items():
        without = (
            " without the slope" if area.concordant else ""
        )  # other areas do not require the slope
        yield f"influence{without}, Wald", area, answers
    for area, answers in jackknife.items():
        yield "jackknife over all cases, Wald", area, answers


def of_scipy(cell: Cell, samples: np.ndarray, seed: int) -> Rows:
    """Run `scipy.stats.bootstrap` with positives and negatives as two samples."""
    rng = np.random.default_rng([seed, zlib.crc32(cell.name.encode()), 1])
    m, estimating = cell.n_pos, cell.kind == "estimates"
    areas = ESTIMATED if estimating else TESTED
    kinds = ("percentile", "BCa") if estimating else ("percentile",)
    found = {(k, a): Answers(cell.truth(a), RESAMPLES) for a in areas for k in kinds}
    for scores in samples:
        groups = [np.unique(s) for s in scores]
        if estimating:
            data = scores[0][:m], scores[0][m:]
        else:  # rows are drawn, so that both scores of a row stay together
            data = np.arange(m), np.arange(m, scores.shape[1])
        for area in areas:

            def statistic(pos, neg, axis=-1, a=area, s=scores, g=groups):  # noqa: ARG001
                if estimating:
                    return area_of(counts(pos, g[0]), counts(neg, g[0]), a)
                both = (
                    area_of(counts(t[pos], h), counts(t[neg], h), a)
                    for t, h in zip(s, g, strict=True)
                )
                return next(both) - next(both)

            drawn = None
            for kind in kinds:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # NaN are counted as failures
                    drawn = stats.bootstrap(
                        data,
                        statistic,
                        method=kind,
                        vectorized=True,
                        confidence_level=LEVEL,
                        n_resamples=RESAMPLES if drawn is None else 0,
                        bootstrap_result=drawn,
                        random_state=rng,
                    )
                low, high = drawn.confidence_interval
                # There is no p-value: a test rejects if the interval excludes 0.
                rejects = not low <= 0.0 <= high
                found[kind, area].add(low, high, None if estimating else float(not rejects))
    for (kind, area), answers in found.items():
        yield f"bootstrap, {kind}", area, answers


def of_proc(cell: Cell, samples: np.ndarray, seed: int) -> Rows:
    """Run the R package pROC by comparison.R on files of the scores."""
    analytic, resampled = samples
    upto = {a.name: a for a in ESTIMATED}
    with tempfile.TemporaryDirectory() as folder:
        y = np.repeat([1, 0], (cell.n_pos, cell.n_neg))
        np.savetxt(Path(folder, "labels.csv"), y[None], fmt="%d", delimiter=",")
        for name, scores in zip("ab", np.moveaxis(analytic, 1, 0), strict=False):
            np.savetxt(Path(folder, f"{name}.csv"), scores, fmt="%.17g", delimiter=",")
        partial = ["0.1", "0.33"] if cell.kind == "estimates" else ["0.1"]
        selected = [folder, cell.kind, len(resampled), RESAMPLES, seed, *partial]
        command = ["Rscript", "--vanilla", str(HERE / "comparison.R"), *map(str, selected)]
        subprocess.run(command, check=True)
        with Path(folder, "results.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    found: dict[tuple[str, str], Answers] = {}
    for row in rows:
        key = row["method"], row["measure"]
        n = RESAMPLES if "bootstrap" in row["method"] else 0
        answers = found.setdefault(key, Answers(cell.truth(upto[row["measure"]]), n))
        answers.add(
            *(
                None if row[c] == "" else float(row[c].replace("NA", "nan"))
                for c in ("low", "high", "pvalue")
            )
        )
    for (method, name), answers in found.items():
        yield method, upto[name], answers


def version_of_proc() -> str | None:
    """Return the versions of pROC and of R, or None if they are not installed."""
    ask = 'cat(as.character(packageVersion("pROC")), "in R", as.character(getRversion()))'
    try:
        done = subprocess.run(
            ["Rscript", "--vanilla", "-e", ask], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


@dataclass(frozen=True)
class Software:
    """A program, and whether it resamples."""

    name: str
    version: Callable[[], str | None]
    run: Callable[..., Rows]
    resamples: bool


SOFTWARE = (
    Software("pauci", lambda: pauci.__version__, of_pauci, False),
    Software("formula in NumPy", lambda: np.__version__, of_formulas, False),
    Software("SciPy", lambda: scipy.__version__, of_scipy, True),
    Software("pROC", version_of_proc, of_proc, True),
)


def place(row: dict[str, object]) -> tuple[int, int]:
    """Return the position of a row in the file: by software, then by cell."""
    cells = [cell.key for cell in CELLS]
    key = tuple(str(row[c]) for c in CELL)
    return [s.name for s in SOFTWARE].index(str(row["software"])), cells.index(key)


def run(path: Path, only: list[str], replicates: int, resampled: int, seed: int) -> None:
    """Run the cells that are not in the file."""
    rows: list[dict[str, object]] = list(read(path))
    done = {(row["software"], *(row[c] for c in CELL)) for row in rows}
    for software in SOFTWARE:
        if software.name not in only:
            continue
        version = software.version()
        if version is None:
            print(f"{software.name} is not installed: its cells are omitted.")
            continue
        for cell in CELLS:
            if (software.name, *cell.key) in done:
                print(f"{software.name}: {cell.name} is complete.")
                continue
            samples = cell.samples(seed, max(replicates, resampled))
            used = samples[:resampled] if software.resamples else samples[:replicates]
            if software.name == "pROC":
                used = samples[:replicates], samples[:resampled]
            start = time.perf_counter()
            for method, area, answers in software.run(cell, used, seed):
                rows.append(
                    {
                        "software": software.name,
                        "version": version,
                        "method": method,
                        **dict(zip(CELL, cell.key, strict=True)),
                        "measure": area.name,
                        "seed": seed,
                        **answers.figures(resampled),
                    }
                )
            write(path, COLUMNS, sorted(rows, key=place))
            print(f"{software.name}: {cell.name}, {time.perf_counter() - start:.0f} s", flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = [s.name for s in SOFTWARE]
    parser.add_argument("--only", nargs="*", choices=names, help="only this software")
    parser.add_argument("--again", action="store_true", help="run cells again that are in the file")
    parser.add_argument(
        "--replicates", type=int, default=4000, help="samples for methods that do not resample"
    )
    parser.add_argument("--resampled", type=int, default=300, help="samples for bootstraps")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=CSV)
    args = parser.parse_args()
    only = args.only or names
    if args.again:
        write(args.output, COLUMNS, [r for r in read(args.output) if r["software"] not in only])
    run(args.output, only, args.replicates, args.resampled, args.seed)


if __name__ == "__main__":
    sys.exit(main())
