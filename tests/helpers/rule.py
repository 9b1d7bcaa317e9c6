"""The rule for finite samples and degrees of freedom, from its formulas and with plain loops.

The contributions of rows are placement values (AUC) or derivatives by the weight of each row.
Nothing here uses the code of `pauci.variance`.
"""

import math
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import pauci

STEP = 1e-5
FEW = 5


class Rows(NamedTuple):
    """The rows of a part of the data; a row with frequency k occurs k times."""

    y: list
    score: list
    unit: list
    weight: list


class Part(NamedTuple):
    """The value of a measure on a part, and the contributions of the units to it."""

    value: float
    z: dict
    pos: set
    neg: set
    limit: float


def rows_of(y, score, unit=None, weight=None, frequency=None):
    """Return rows, without those that have no weight. Without `unit`, each row is a unit."""
    rows = Rows([], [], [], [])
    for i in range(len(y)):
        w = 1.0 if weight is None else float(weight[i])
        for copy in range(1 if frequency is None else int(frequency[i])):
            if w > 0:
                rows.y.append(int(y[i]))
                rows.score.append(float(score[i]))
                rows.unit.append((i, copy) if unit is None else unit[i])
                rows.weight.append(w)
    return rows


def selected(rows, keep):
    """Return the rows at some positions."""
    return Rows(*([column[i] for i in keep] for column in rows))


def value_of(rows, measure, weight=None):
    """Return the value of a measure."""
    weight = rows.weight if weight is None else weight
    sample = pauci.Sample(np.array(rows.y), np.array(rows.score), weight=np.array(weight))
    return measure.on(sample.ratings().curve)


def mass_of(rows, label):
    """Return the sum of the weights of a class."""
    return sum(w for w, y in zip(rows.weight, rows.y, strict=True) if y == label)


def placement_values(rows):
    """Return the AUC and the contribution of each row to it, centred in each class."""
    mass, u = [mass_of(rows, label) for label in (0, 1)], []
    for y, s in zip(rows.y, rows.score, strict=True):
        wins = 0.0
        for other_y, other_s, w in zip(rows.y, rows.score, rows.weight, strict=True):
            if other_y != y:
                higher = s > other_s if y else other_s > s
                wins += w * (1.0 if higher else 0.5 if s == other_s else 0.0)
        u.append(wins / mass[1 - y])
    auc = sum(w * v for w, v, y in zip(rows.weight, u, rows.y, strict=True) if y) / mass[1]
    return auc, [w * (v - auc) / mass[y] for w, v, y in zip(rows.weight, u, rows.y, strict=True)]


def derivatives(rows, measure):
    """Return the weight of each row times the derivative of the value by it."""
    result = []
    for i, w in enumerate(rows.weight):
        up, down = list(rows.weight), list(rows.weight)
        up[i], down[i] = w + STEP * w, w - STEP * w
        change = value_of(rows, measure, up) - value_of(rows, measure, down)
        result.append(change / (2 * STEP))
    return result


def contributions(rows, measure, *, cohort=True):
    """Return the value, the contributions centred by class, and those of the prevalence."""
    if measure == pauci.AUC():
        value, by_class = placement_values(rows)
        return value, by_class, [0.0] * len(by_class)
    fixed = measure
    if getattr(measure, "prevalence", 0.0) is None:
        prevalence = mass_of(rows, 1) / sum(rows.weight)
        fixed = replace(measure, prevalence=prevalence)
    by_class = derivatives(rows, fixed)
    if fixed is measure or not cohort:
        return value_of(rows, measure), by_class, [0.0] * len(by_class)
    both = derivatives(rows, measure)
    overall = [b - c for b, c in zip(both, by_class, strict=True)]
    return value_of(rows, measure), by_class, overall


def units_of(rows):
    """Return the units that hold positives, and those that hold negatives."""
    pos, neg = set(), set()
    for y, unit in zip(rows.y, rows.unit, strict=True):
        (pos if y else neg).add(unit)
    return pos, neg


def factor(m):
    return math.sqrt(m / (m - 1))


def limit_of(rows):
    """Return the largest degrees of freedom if a unit has several rows."""
    pos, neg = units_of(rows)
    if len(rows.unit) == len(pos | neg):
        return math.inf
    effective = []
    for label in (True, False):
        sums = Counter()
        for unit, y, w in zip(rows.unit, rows.y, rows.weight, strict=True):
            if bool(y) == label:
                sums[unit] += w
        effective.append(sum(sums.values()) ** 2 / sum(m * m for m in sums.values()))
    return max(min(effective) - 1.0, 1.0)


def sums_by_unit(rows, by_class, overall, pos, neg):
    """Return the contributions of the units, with the factors for these numbers of units."""
    z = {}
    for i, unit in enumerate(rows.unit):
        m = len(pos) if rows.y[i] else len(neg)
        of_row = factor(m) * by_class[i] + factor(len(pos | neg)) * overall[i]
        z[unit] = z.get(unit, 0.0) + of_row
    return z


def part_of(rows, measure, *, cohort=True):
    """Return the contributions of the units of a part."""
    pos, neg = units_of(rows)
    value, by_class, overall = contributions(rows, measure, cohort=cohort)
    z = sums_by_unit(rows, by_class, overall, pos, neg)
    return Part(value, z, pos, neg, limit_of(rows))


def average_of(folds, measure, *, cohort=True):
    """Return the parts of the average over folds that are random subsets of the same units.

    The first part has the contributions of all units to the average, and the others have 0.
    """
    found = [contributions(rows, measure, cohort=cohort) for rows in folds]
    mean = sum(value for value, *_ in found) / len(folds)
    units = [units_of(rows) for rows in folds]
    pos, neg = (set().union(*of_class) for of_class in zip(*units, strict=True))
    total = {}
    for rows, (value, by_class, overall) in zip(folds, found, strict=True):
        mass = [mass_of(rows, label) for label in (0, 1)]
        moved = [
            c + (value - mean) * w / mass[y]
            for c, w, y in zip(by_class, rows.weight, rows.y, strict=True)
        ]
        for unit, z in sums_by_unit(rows, moved, overall, pos, neg).items():
            total[unit] = total.get(unit, 0.0) + z / len(folds)
    limits = [limit_of(rows) for rows in folds]
    return Part(mean, total, pos, neg, min(limits))


def combined(parts, weights):
    """Return value, standard error and degrees of freedom of a weighted sum over parts.

    Units with equal names in different parts are the same units.
    """
    used = [(p, w) for p, w in zip(parts, weights, strict=True) if w]
    z, classes = {}, {}
    for part, weight in used:
        for unit, value in part.z.items():
            z[unit] = z.get(unit, 0.0) + weight * value
            holds = {c for c, of_class in (("+", part.pos), ("-", part.neg)) if unit in of_class}
            classes[unit] = classes.get(unit, set()) | holds
    strata, limited = [], 0.0
    for units in connected([set(p.z) for p, _ in used]):
        strata += strata_of({u: classes[u] for u in units})
        limit = min(p.limit for p, _ in used if units & set(p.z))
        limited += sum(z[u] ** 2 for u in units) ** 2 / limit
    while len(strata) > 1 and len(min(strata, key=len)) == 1:
        strata.sort(key=lambda units: (len(units), sum(z[u] ** 2 for u in units)))
        strata = [strata[0] + strata[1], *strata[2:]]
    value = sum(w * p.value for p, w in used)
    se = math.sqrt(sum(v * v for v in z.values()))
    limit = se**4 / limited if limited else math.inf
    return value, se, min(limit, degrees_of_freedom([[z[u] for u in s] for s in strata]))


def connected(sets):
    """Return the unions of the sets that have common elements, directly or through others."""
    result = []
    for units in sets:
        apart = [other for other in result if not other & units]
        result = [*apart, units.union(*(other for other in result if other & units))]
    return result


def strata_of(classes):
    """Return the units of each stratum: by the set of classes that they hold."""
    pos, neg, both = (
        [u for u, held in classes.items() if held == wanted]
        for wanted in ({"+"}, {"-"}, {"+", "-"})
    )
    strata, size = [], len(both)
    for units in (pos, neg):
        if len(units) < FEW <= size:
            both = both + units
        else:
            strata.append(units)
    return [s for s in (*strata, both) if s]


def degrees_of_freedom(strata):
    """2 V^2 / sum_s (sum_i z_i^4 - V_s^2/m_s), at most V^2 / sum_s V_s^2/(m_s - 1)."""
    squares = [sum(v**2 for v in s) for s in strata]
    total = sum(squares)
    if total == 0.0:  # no unit contributes
        return math.inf
    moments = sum(
        sum(v**4 for v in s) - q**2 / len(s) for s, q in zip(strata, squares, strict=True)
    )
    welch = sum(q**2 / (len(s) - 1) for s, q in zip(strata, squares, strict=True))
    return min(2 * total**2 / moments, total**2 / welch)
