"""`functools.cached_property` without a lock, for objects that every estimate creates.

Python 3.11 acquires a lock when a cached property is calculated, which takes longer than most
calculations of these objects. Without it, as from Python 3.12 on, two threads may both calculate
the value.
"""

import sys
from typing import TYPE_CHECKING

__all__ = ["cached_property"]

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:

    class cached_property:  # noqa: N801
        """A property that is calculated at its first use and then stored in the object."""

        def __init__(self, func):
            self.func, self.__doc__ = func, func.__doc__

        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.func(instance)
            return value
