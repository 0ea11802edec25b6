"""Parameters: how small parameter objects (learners, solvers, …) take part in scikit-learn.

A dataclass that inherits ``Parameters`` can be cloned and searched: ``learner__n_leaves`` reaches
``Tree.n_leaves``, ``solver__values__n_bins`` the table inside a solver. scikit-learn needs two
methods and no base class, so it is not imported here.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Self


class Parameters:
    """The fields of a dataclass as scikit-learn's parameters."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The fields by name; with `deep` those of fields that have parameters, too."""
        params = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params"):
                    inner = value.get_params()
                    params |= {f"{name}__{key}": inner[key] for key in inner}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set fields by name, `field__name` inside of a field, and return self."""
        known = self.get_params(deep=False)
        inner: dict[str, dict[str, Any]] = {}
        for path in params:
            name, _, rest = path.partition("__")
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {sorted(known)}"
                )
            if rest:
                inner.setdefault(name, {})[rest] = params[path]
        own = {name: value for name, value in params.items() if name in known}
        checked = replace(self, **own)  # type: ignore[type-var]
        for name in own:
            setattr(self, name, getattr(checked, name))
        for name, values in inner.items():
            self._within(name).set_params(**values)
        return self

    def _within(self, name: str) -> Any:
        value = getattr(self, name)
        if not hasattr(value, "set_params"):
            raise ValueError(
                f"{type(self).__name__}.{name} is {value!r}, which has no parameters; set "
                f"{name} first"
            )
        return value
