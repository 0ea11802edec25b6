"""``cached_property`` without a lock.

Until Python 3.12 that of functools holds a lock while it computes, one for all objects of a class:
a process that forks while another thread holds it leaves the child waiting forever, and servers
fork predictors under load. Two threads may compute the same value; both are right.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801
        """A value that is computed when it is first read, and kept in the object's ``__dict__``."""

        def __init__(self, compute: Any) -> None:
            self.compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.name] = self.compute(instance)
            return value
