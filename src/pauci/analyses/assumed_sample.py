r"""Assumptions for planning: classifiers with known curves, and a large sample of their scores.

The values of measures are calculated from the curves themselves, on a fine grid of thresholds. The
variance constants are estimated from a large sample, whose scores lie on a lattice so that they
hardly depend on the seed.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pauci import special
from pauci.calls import validate_call
from pauci.checks import FloatArray, IntArray, check_choice, check_whole
from pauci.curve.polyline import Curve
from pauci.errors import InputError
from pauci.fits.smooth import curve_between, extrapolated_value
from pauci.measures.base import Measure
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Design, InMemoryRows
from pauci.sample.sample import Sample

ASSUMPTION = "an assumption made by pauci.binormal"
"""The alternative to a pilot study, for messages."""

_REACH, _STEPS = 10.0, 50_000
"""Standard deviations that the grid covers on either side, and its number of steps."""

_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
"""The number whose multiples have the most evenly distributed fractional parts."""


class BinormalCurve(NamedTuple):
    """The curve of scores N(0, 1) of negatives and N(mean, sd^2) of positives."""

    mean: float
    sd: float

    def value(self, measure: Measure) -> float:
        """Return the value of a measure on this curve, to about 1e-8 (`pauci.fits.smooth`)."""
        measure = measure.estimand
        z = np.linspace(-_REACH, _REACH, _STEPS + 1)
        cuts = [
            float(score)
            for region in measure.regions
            for score in region.scores
            if math.isfinite(score)
        ]
        edges = np.unique(np.concatenate((z, self.mean + self.sd * z, cuts)))
        return extrapolated_value(measure, edges, self._curve)

    def _curve(self, edges: FloatArray) -> Curve:
        """Return the curve through the operating points at these thresholds."""
        decreasing = edges[::-1]
        return curve_between(
            decreasing, special.ndtr((self.mean - decreasing) / self.sd), special.ndtr(-decreasing)
        )


class AssumedSample(Sample):
    """A sample of classifiers with known curves, created by `pauci.binormal`.

    It can be used like any `Sample`. `power` and `sample_size` calculate values and differences
    from the curves instead of the scores.
    """

    __slots__ = ("_curves",)
    _curves: dict[str, BinormalCurve]

    @classmethod
    def from_sample(cls, sample: Sample, curves: dict[str, BinormalCurve]) -> "AssumedSample":
        """Return a sample with known curves."""
        assumed = object.__new__(cls)
        assumed._set(sample.rows, {name: sample.ratings(name) for name in sample.names})
        object.__setattr__(assumed, "_curves", curves)
        return assumed

    def assumed(self, name: str) -> BinormalCurve:
        """Return the curve of a classifier."""
        return self._curves[name]

    def __getitem__(self, names: str | Sequence[str]) -> "AssumedSample":
        """Return the sample of one classifier, or of a list of them, with their curves."""
        part = super().__getitem__(names)
        return self.from_sample(part, {name: self._curves[name] for name in part.names})

    def __getstate__(self) -> Any:
        return (*super().__getstate__(), self._curves)

    def __setstate__(self, state: Any) -> None:
        *sample, curves = state
        super().__setstate__((sample[0], sample[1]))
        object.__setattr__(self, "_curves", curves)


@validate_call
def binormal(
    auc: float | Sequence[float],
    correlation: float | Sequence[float] | None = None,
    sd: float | Sequence[float] = 1.0,
    n: int = 50_000,
    rng: int = 0,
    *,
    design: Design = "case-control",
) -> AssumedSample:
    r"""Assume binormal classifiers for planning, with a large sample of them (paired).

    Parameters
    ----------
    auc : number or sequence of two numbers
        The AUC of one classifier, or of each of two, strictly between 0 and 1.
    correlation : number or pair of numbers, optional
        Correlation of the two scores among positives and among negatives; the default is 0.5. Not
        allowed for a single classifier.
    sd : number or pair of numbers, default 1
        Standard deviation of the scores of positives for each classifier; that of negatives is 1.
    n : int, default 50000
        Rows of each class in the sample.
    rng : int, default 0
        Seed of the sample.
    design : {"case-control", "cohort"}, default "case-control"
        Whether the numbers of positives and negatives are fixed in the planned study, or its
        prevalence is estimated. The design affects measures at the prevalence of the sample.

    Returns
    -------
    Sample
        A sample with the classifier ``"first"`` and, for two, ``"second"``. `power` and
        `sample_size` calculate the assumed value or difference from the curves, and only variances
        from the sample.

    Raises
    ------
    ValueError
        For an AUC outside (0, 1), a correlation outside [-1, 1] or a standard deviation that is not
        positive.

    Notes
    -----
    The scores are not drawn independently. The scores of each classifier are the normal quantiles
    of :math:`(i + 1/2)/n`, and their pairs are obtained from points that are spread evenly over the
    plane: the sum and the difference of a pair are half-normal quantiles at :math:`(i + 1/2)/m` and
    at the fractional parts of :math:`i g + v`, with g the golden ratio and a random v, with all
    combinations of signs. Plans from different seeds differ by a few tenths of a percent. For an
    average precision at a low prevalence, which depends on few scores, they differ by one or two
    percent; a larger `n` reduces this.

    Examples
    --------
    >>> import pauci
    >>> assumption = pauci.binormal(auc=(0.85, 0.80), correlation=0.6)
    >>> pauci.sample_size(assumption, pauci.AUC(), ratio=1).n_pos
    238
    >>> pauci.binormal(auc=0.85).names
    ('first',)
    """
    aucs = np.asarray(auc, dtype=float)
    if aucs.shape not in ((), (2,)) or not ((aucs > 0) & (aucs < 1)).all():
        raise InputError.of(
            "auc", auc, "must be one number, or two numbers, strictly between 0 and 1."
        )
    if aucs.shape == ():
        _check_single_classifier(sd, correlation)
        aucs, correlation, count = np.repeat(aucs, 2), 0.0, 1
    else:
        count = 2
    r = _pair("correlation", 0.5 if correlation is None else correlation)
    if not (np.abs(r) <= 1).all():
        raise InputError.of("correlation", correlation, "must lie in [-1, 1].")
    sds = _pair("sd", sd)
    if not ((sds > 0) & np.isfinite(sds)).all():
        raise InputError.of("sd", sd, "must be above 0 and finite.")
    check_whole("n", n, 2)
    check_choice("design", design, ("cohort", "case-control"))
    generator = np.random.default_rng(rng)
    shift = special.ndtri(aucs) * np.sqrt(1.0 + sds**2)
    groups = []
    for which, (spread, centre) in enumerate(((sds, shift), (np.ones(2), np.zeros(2)))):
        groups.append(_lattice(n, float(r[which]), generator) * spread + centre)
    scores = np.concatenate(groups)
    names = ("first", "second")[:count]
    sample = Sample(
        np.repeat([True, False], n), dict(zip(names, scores.T, strict=False)), design=design
    )
    pairs = zip(names, shift.tolist(), sds.tolist(), strict=False)
    return AssumedSample.from_sample(
        sample, {name: BinormalCurve(mean, sd) for name, mean, sd in pairs}
    )


def _check_single_classifier(
    sd: float | Sequence[float], correlation: float | Sequence[float] | None
) -> None:
    """Raise an error for arguments that need two classifiers."""
    if np.ndim(sd) > 0:
        raise InputError.of("sd", sd, "must be one number for a single AUC.")
    if correlation is not None:
        raise InputError.of(
            "correlation",
            correlation,
            "is for two classifiers, but there is a single AUC.",
            hint="Pass two numbers, such as auc=(0.85, 0.8).",
        )


def _pair(name: str, value: float | Sequence[float]) -> FloatArray:
    """Return a pair of numbers, from a pair or from a single number."""
    values = np.asarray(value, dtype=float)
    if values.shape not in ((), (2,)):
        raise InputError.of(name, value, "must be one number or a pair of numbers.")
    return np.broadcast_to(values, 2)


def _lattice(n: int, correlation: float, generator: "np.random.Generator") -> FloatArray:
    """Return n pairs of correlated standard normal scores, spread as evenly as possible."""
    quarter = -(-n // 4)
    points = np.arange(quarter)
    even = (points + 0.5) / quarter
    around = even[_ranks(np.fmod(points * _GOLDEN + generator.random(), 1.0))]
    # Half the sum and half the difference of a pair are independent, and symmetric about 0.
    s, d = (
        special.ndtri((1.0 + u) / 2.0) * math.sqrt((1.0 + sign * correlation) / 2.0)
        for u, sign in ((even, 1.0), (around, -1.0))
    )
    pairs = ((s + d, s - d), (s - d, s + d), (d - s, -s - d), (-s - d, d - s))
    scores = special.ndtri((np.arange(n) + 0.5) / n)
    columns = (np.concatenate(column)[:n] for column in zip(*pairs, strict=True))
    return np.column_stack([scores[_ranks(column)] for column in columns])


def _ranks(values: FloatArray) -> IntArray:
    """Return the rank of each value."""
    ranks: IntArray = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return ranks


def with_negatives_reweighted(ratings: Ratings, factor: float) -> Ratings:
    """Return ratings of the same rows with the weights of negatives multiplied by `factor`."""
    return reweighted(ratings, np.where(ratings.rows.single_rows().positive, 1.0, factor))


def reweighted(ratings: Ratings, factor: FloatArray) -> Ratings:
    """Return ratings of the same rows with their weights multiplied by `factor`."""
    rows = ratings.rows.single_rows()
    weight = factor if rows.weight is None else rows.weight * factor
    weighted = InMemoryRows(rows.positive, rows.frequency, weight, rows.cluster, rows.design)
    return Ratings(
        ratings.name,
        ratings.values,
        weighted,
        ratings.categories,
        lower_is_positive=ratings.lower_is_positive,
        score_type=ratings.score_type,
    )
