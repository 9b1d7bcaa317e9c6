"""Samples to which curves are fitted, for the tests of fits."""

import numpy as np

import pauci

FITS = {
    "binormal": pauci.fit_binormal,
    "contaminated": pauci.fit_contaminated,
    "proper": pauci.fit_proper,
}


def of_counts(frame, name="ct"):
    """A sample of a data frame of counts."""
    columns = (frame[c] for c in ("score", "positives", "negatives"))
    return pauci.Sample.from_counts(*columns, name=name)


def hanley_mcneil():
    """Return the five ratings of computed tomograms."""
    return of_counts(pauci.datasets.load_hanley_mcneil())


def dmist(modality):
    """The seven ratings of film or digital mammograms."""
    frame = pauci.datasets.load_dmist()
    return of_counts(frame[frame["modality"] == modality], modality)


def two_scores(n=200, seed=3, **options):
    """A paired sample of two continuous scores."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n // 2, n - n // 2])
    common = rng.normal(size=n)
    scores = {
        name: y * shift + common + 0.8 * rng.normal(size=n)
        for name, shift in (("a", 1.6), ("b", 1.2))
    }
    return pauci.Sample(y, scores, **options)
