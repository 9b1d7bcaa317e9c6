"""Every registered measure in every form, for the loops over all of them."""

from functools import partial

from pauci.measures import REGISTRY


def instances(region=None):
    """Return measure makers (region -> measure), or the measures for one region.

    A new measure enters these loops by being registered; nothing here names one.
    """
    makers = []
    for cls in REGISTRY.values():
        if not cls.axes:
            makers.append(lambda _, cls=cls: cls())
        for axis in cls.axes:
            options = [{}]
            if "normalized" in cls.__dataclass_fields__:
                options = [{"normalized": False}, {"normalized": True}]
            makers += [partial(_make, cls, axis, option) for option in options]
    return makers if region is None else [make(region) for make in makers]


def _make(cls, axis, option, region):
    return cls(**{axis: region}, **option)
