"""Parameters: how small parameter objects (learners and their like) take part in scikit-learn.

A dataclass that inherits ``Parameters`` can be cloned and searched: ``learner__n_leaves`` reaches
``Tree.n_leaves``. scikit-learn asks for two methods and no base class, so it is not imported here.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Self


class Parameters:
    """The fields of a dataclass as scikit-learn's parameters."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The fields by name; they are plain values, so `deep` changes nothing."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **params: Any) -> Self:
        """Set fields by name and return self."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {sorted(known)}"
                )
            setattr(self, name, value)
        return self
