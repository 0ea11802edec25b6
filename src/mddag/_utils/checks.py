"""Argument checks, whose messages say what was passed and what is expected; parameter objects.

A dataclass that inherits ``Parameters`` can be cloned and searched: ``solver__values__n_bins``
reaches the table inside a solver. scikit-learn needs two methods and no base class, so it is not
imported here.
"""

from __future__ import annotations

import math
import os
from dataclasses import fields, replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_THREADS = 1024  # no machine has use for more


def described(value: Any) -> str:
    """Describe a value in a message."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if value is None or isinstance(value, (str, bool, Real, complex)):
        return f"{value!r:.60}"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    return typed(value)


def typed(value: Any) -> str:
    """Return the type of a value with its article, by sound: a list, an Ensemble, an MDP."""
    name = type(value).__name__
    spelt = name[:2].isupper()  # by its letters, such as M, which begins with an e
    return f"{'an' if name[0] in ('AEFHILMNORSX' if spelt else 'AEIOUaeiou') else 'a'} {name}"


def check_is(name: str, value: Any, kind: type | tuple[type, ...], wanted: str) -> None:
    """Raise TypeError unless `value` is a `kind`, which `wanted` describes."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {described(value)}; wanted {wanted}")


def checked_path(path: Any) -> str | os.PathLike[str]:
    """Return `path` if it is one; a whole number would stand for an open file."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is {described(path)}; wanted a str or an os.PathLike")
    return path


def as_floats(name: str, value: Any, wanted: str) -> NDArray[np.float64]:
    """Return `value` as an array of float64, or raise ValueError if it does not hold numbers."""
    try:
        array: NDArray[Any] = np.asarray(value)
        if array.dtype.kind == "c":
            raise TypeError  # numpy would drop the imaginary parts
        return np.asarray(array, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {described(value)}; wanted {wanted}") from None


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise ValueError unless `value` is a whole number of at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} is {value!r}; wanted a whole number, {least} or more")


def check_fraction(name: str, value: Any, *, zero: bool) -> None:
    """Raise ValueError unless `value` is between 0 and 1; `zero` allows 0 itself."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not (0 <= value < 1) or (value == 0 and not zero):
        interval = "[0, 1)" if zero else "(0, 1)"
        raise ValueError(f"{name} is {value!r}; wanted a fraction of the rows, in {interval}")


def check_between(name: str, value: Any, least: float, most: float, wanted: str) -> None:
    """Raise ValueError unless `value` is a finite number from `least` to `most`."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not least <= value <= most:
        raise ValueError(f"{name} is {described(value)}; wanted {wanted}")


def check_positive(name: str, value: Any) -> None:
    """Raise ValueError unless `value` is a number above 0."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or math.isnan(value) or value <= 0:
        raise ValueError(f"{name} is {value!r}; wanted a number above 0")


def check_one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Raise ValueError unless `value` is one of `allowed`."""
    if not any(type(value) is type(a) and value == a for a in allowed):
        raise ValueError(f"{name} is {value!r}; wanted one of {', '.join(map(repr, allowed))}")


def checked_jobs(n_jobs: Any) -> int:
    """Return `n_jobs` for the kernels: at least 1; None is 1, and -1 all usable cores."""
    if type(n_jobs) is not int or n_jobs < 1:  # the usual case takes no time of one row's
        if n_jobs is None:
            return 1
        if isinstance(n_jobs, Integral) and n_jobs == -1:
            return usable_cores()
        if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs < 1:
            raise ValueError(
                f"n_jobs is {n_jobs!r}; wanted a whole number, 1 or more, or -1 for all cores"
            )
    return min(int(n_jobs), MOST_THREADS)


def usable_cores() -> int:
    """Count the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_jobs(n_jobs: Any) -> None:
    """Raise ValueError unless joblib has workers for `n_jobs`."""
    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not whole or n_jobs == 0):
        raise ValueError(
            f"n_jobs is {n_jobs!r}; wanted a whole number of workers, -1 for all cores, or None"
        )


def checked_order(order: ArrayLike, n_classifiers: int) -> NDArray[np.intp]:
    """Return `order` as intp after checking that it holds numbers of base classifiers."""
    array = _integers(order, f"wanted integers in 0..{n_classifiers - 1}")
    bad = np.flatnonzero((array < 0) | (array >= n_classifiers))
    if len(bad):
        raise ValueError(
            f"order[{bad[0]}] is {array[bad[0]]}; base classifiers are numbered "
            f"0..{n_classifiers - 1}"
        )
    return array.astype(np.intp)


def checked_permutation(order: ArrayLike, n_classifiers: int) -> NDArray[np.intp]:
    """Return `order` as intp after checking that it holds each of 0..n_classifiers-1 once."""
    wanted = f"wanted each of 0..{n_classifiers - 1} once"
    array = _integers(order, wanted)
    if not np.array_equal(np.sort(array), np.arange(n_classifiers)):
        raise ValueError(f"order holds {len(array)} numbers; {wanted}")
    return array.astype(np.intp)


def checked_prices(name: str, prices: ArrayLike | None, n: int, of: str) -> NDArray[np.float64]:
    """Return `prices`, one for each `of`, (n,), finite and not negative; ones for None."""
    if prices is None:
        return np.ones(n)
    wanted = f"one number per {of}, ({n},)"
    array = np.require(as_floats(name, prices, wanted), requirements=["C", "A"])
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}; wanted {wanted}")
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if len(bad):
        raise ValueError(f"{name}[{bad[0]}] is {array[bad[0]]}; wanted finite numbers, 0 or more")
    return array


def _integers(order: ArrayLike, wanted: str) -> NDArray[Any]:
    array: NDArray[Any] = np.asarray(order)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"order is {array.dtype} of shape {array.shape}; {wanted}")
    return array


class Parameters:
    """Base class that makes the fields of a dataclass scikit-learn's parameters."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, as scikit-learn's estimators do.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the parameters of parameters, as ``name__inner``.

        Returns
        -------
        dict
            Values by parameter name.
        """
        params = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params"):
                    inner = value.get_params()
                    params |= {f"{name}__{key}": inner[key] for key in inner}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        Parameters
        ----------
        **params : dict
            New values; ``name__inner`` sets a parameter of a parameter.

        Returns
        -------
        Self
            The object itself.
        """
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
