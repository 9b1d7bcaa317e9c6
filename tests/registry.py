"""Every registered measure in every form, for the loops over all of them."""

from functools import partial

from pauci.measures import REGISTRY


def instances(region=None, spread=1.0):
    """Return measure makers (region -> measure), or the measures for one region.

    A new measure enters these loops by being registered; nothing here names one. A threshold
    region is the region times `spread`, a region on both axes has the same range on each, and a
    measure at a single point takes the upper end.
    """
    makers = []
    for cls in REGISTRY.values():
        for kind in cls.kinds or ("",):
            for normalized in (False, True):
                for ends in ("north-east", "middle"):
                    options = {"normalized": normalized, "ends": ends}
                    changed = {k: v for k, v in options.items() if v not in (False, "north-east")}
                    if kind == "threshold" and "ends" in changed:
                        continue
                    if changed.keys() <= cls.__dataclass_fields__.keys():
                        makers.append(partial(_make, cls, kind, spread, changed))
    return makers if region is None else [make(region) for make in makers]


def _make(cls, kind, spread, options, region):
    if not kind:
        return cls(**{cls.scalar: region[1]}) if cls.scalar else cls()
    if kind == "both":
        return cls(fpr=region, tpr=region, **options)
    if kind == "threshold":
        region = tuple(float(b) * spread for b in region)
    return cls(**{kind: region}, **options)
