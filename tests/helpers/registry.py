"""Every registered measure in every form, for parametrized tests."""

from functools import partial
from itertools import combinations

from pauci.measures import REGISTRY
from pauci.measures.at_cutoff import AtCutoff

OPTIONS = {
    "normalized": True,
    "ends": "middle",
    "prevalence": 0.3,
    "negatives": True,
    "rescaled": True,
    "corrected": True,
    "scaled": True,
    "standardized": True,
    "harm": 0.02,
}
REQUIRED = {"probability": 0.3}


RISK_CLASSES = [cls for cls in REGISTRY.values() if cls.of_risks is True]
"""Measures that require risks as scores; the others accept any scores."""


def instances(region=None, spread=1.0):
    """Return measure makers (region -> measure), or the measures for one region.

    A new measure enters these loops by being registered; nothing here names one. Measures of risks
    are those of `risk_instances`. A threshold
    region is the region times `spread`, a region on both axes has the same range on each, and a
    measure at a single point takes the upper end. The threshold of a cut-off is the lower end times
    `spread`.
    """
    makers = []
    for cls in REGISTRY.values():
        if cls in RISK_CLASSES:
            continue
        for kind in _kinds(cls):
            forms = _forms(cls.__dataclass_fields__)
            forms = [f for f in forms if not (kind == "threshold" and "ends" in f)]
            makers += [partial(_make, cls, kind, spread, form) for form in forms]
    return makers if region is None else [make(region) for make in makers]


def _kinds(cls):
    """Return the ways to specify the region of a measure; empty words if there is no choice."""
    fields = cls.__dataclass_fields__
    if issubclass(cls, AtCutoff):
        return ["cutoff", *(f"{axis} point" for axis in ("fpr", "tpr") if axis in fields)]
    return cls.kinds or ("",)


def risk_instances():
    """Return the measures of risks, in every form."""
    made = []
    for cls in RISK_CLASSES:
        fields = cls.__dataclass_fields__
        required = {name: value for name, value in REQUIRED.items() if name in fields}
        made += [cls(**required, **form) for form in _forms(fields)]
    return made


def _forms(fields):
    """Every combination of the options that a measure has, changed from their defaults."""
    known = [name for name in OPTIONS if name in fields and fields[name].init]
    for size in range(len(known) + 1):
        for names in combinations(known, size):
            yield {name: OPTIONS[name] for name in names}


def _make(cls, kind, spread, options, region):
    if not kind:
        return cls(**{cls.scalar: region[1]}) if cls.scalar else cls(**options)
    if kind == "cutoff":
        return cls(threshold=float(region[0]) * spread, **options)
    if kind.endswith("point"):
        return cls(**{kind.split()[0]: region[1]}, **options)
    if kind == "both":
        return cls(fpr=region, tpr=region, **options)
    if kind == "threshold":
        region = tuple(float(b) * spread for b in region)
    return cls(**{kind: region}, **options)
