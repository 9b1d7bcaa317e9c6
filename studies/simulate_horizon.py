"""Simulation of intervals and paired tests at a horizon with censoring. Run by evidence.py."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

import pauci
from evidence_tables import Table, number

HORIZON = 5.0
MEASURES = (
    pauci.AUC(),
    pauci.PAUC(fpr=(0, 0.2)),
    pauci.PAUCc(fpr=(0, 0.2)),
    pauci.AP(),
    pauci.Sensitivity(fpr=0.2),
)
LARGE = 200_000
"""Rows without censoring from which true values are calculated."""


class Case(NamedTuple):
    """The hazards, the number of rows, and the mean of the exponential censoring times."""

    hazards: str
    rows: int
    censoring: float


CASES = (
    *[Case(h, n, c) for h in ("proportional", "crossing") for n in (150, 400) for c in (20.0, 6.0)],
    *[Case("factor", n, 8.0) for n in (150, 400)],
    *[Case("competing", n, 8.0) for n in (150, 400)],
)


def horizons(replicates: int = 200, cases: Sequence[Case] = CASES) -> dict[str, Table]:
    """Return coverage, ratios of standard errors and sizes of tests, by case and measure."""
    header = ["hazards", "rows", "censored", *(m.label for m in MEASURES)]
    rows = []
    for case in cases:
        share, *columns = _results(case, replicates)
        rows.append(([case.hazards, str(case.rows), f"{share:.0f}"], columns))
    return accuracy_tables(("horizons", "horizon-errors", "horizon-tests"), header, rows)


def accuracy_tables(
    names: tuple[str, str, str],
    header: list[str],
    rows: Iterable[tuple[list[str], Sequence[np.ndarray]]],
) -> dict[str, Table]:
    """Return tables of coverage, ratios of errors and sizes, whose rows start alike."""
    tables: dict[str, Table] = {name: [header] for name in names}
    for first, columns in rows:
        for name, row in zip(names, columns, strict=True):
            text = (f"{v:.2f}" for v in row) if name == names[1] else map(number, row)
            tables[name].append([*first, *text])
    return tables


def _results(case: Case, replicates: int) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """Return the share censored by the horizon, coverage, ratios of errors and size (%)."""
    rng = np.random.default_rng([922, CASES.index(case)])
    censored = []

    def drawn() -> Iterator[pauci.Sample]:
        for _ in range(replicates):
            time, event, site, markers = _data(case, case.rows, rng)
            censored.append(np.mean((event == 0) & (time <= HORIZON)))
            yield pauci.Sample.from_survival(
                time=time,
                event=event,
                scores=markers,
                horizon=HORIZON,
                strata=site if case.hazards == "factor" else None,
                competing="control",
            )

    columns = accuracy(drawn(), _true_values(case))
    return 100.0 * float(np.mean(censored)), *columns


def accuracy(
    drawn: Iterable[pauci.Sample], true: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the coverage (%), ratios of standard errors to standard deviations, and size (%).

    Samples have two equally good markers, of which the first has these true values of `MEASURES`.
    """
    values, variances, covered, rejected = [], [], [], []
    for sample in drawn:
        estimates = [pauci.estimate(sample["a"], m) for m in MEASURES]
        limits = np.array([e.interval() for e in estimates]).T
        covered.append((limits[0] <= true) & (true <= limits[1]))
        values.append([e.value for e in estimates])
        variances.append([e.se**2 for e in estimates])
        rejected.append([pauci.compare(sample, m).pvalue < 0.05 for m in MEASURES])
    ratios = np.sqrt(np.mean(variances, axis=0)) / np.std(values, axis=0, ddof=1)
    return 100.0 * np.mean(covered, axis=0), ratios, 100.0 * np.mean(rejected, axis=0)


def _true_values(case: Case) -> np.ndarray:
    """Return the values of the measures in large samples without censoring."""
    rng = np.random.default_rng(923)
    values = []
    for _ in range(4):
        time, event, _, markers = _data(case._replace(censoring=1e9), LARGE, rng)
        sample = pauci.Sample((time <= HORIZON) & (event == 1), markers["a"])
        values.append([m.on(sample.ratings().curve) for m in MEASURES])
    return np.mean(values, axis=0)


def _data(
    case: Case, rows: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Return follow-up times, events, sites and two markers of equal accuracy."""
    risk, site = rng.normal(size=rows), rng.integers(0, 2, rows)
    waiting = rng.exponential(size=rows)
    if case.hazards == "crossing":  # the shape of the hazard depends on the risk
        time = 8.0 * waiting ** np.exp(risk / 3.0) * np.exp(-risk)
    else:
        time = 10.0 * waiting * np.exp(-risk)
    mean = case.censoring * np.where((case.hazards == "factor") & (site == 1), 0.5, 1.5)
    if case.hazards == "factor":
        risk = risk + 0.5 * site
        time = 10.0 * waiting * np.exp(-risk)
    ends = [rng.exponential(mean), time]
    if case.hazards == "competing":
        ends.append(rng.exponential(15.0, rows))
    markers = {name: risk + rng.normal(size=rows) for name in ("a", "b")}
    return np.min(ends, axis=0), np.argmin(ends, axis=0), site, markers
