"""Colours of groups that colour-blind eyes can tell apart, and blends of them.

Okabe & Ito's set, blue and vermilion first; grey where there are no groups. An edge or node takes
the mean of its groups' colours, weighted by how many instances of each pass through.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

GREY = "#555555"
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")


def group_of(
    groups: ArrayLike | None, n_instances: int, name: str
) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """The names of the groups and the group of each instance; no names where there are none.

    Where there are more groups than colours, the smallest are merged into "other", the last.
    """
    if groups is None:
        return (), np.zeros(n_instances, np.intp)
    array: NDArray[Any] = np.asarray(groups)
    if array.shape != (n_instances,):
        raise ValueError(
            f"{name} has shape {array.shape}; wanted one group for each of the {n_instances} "
            f"instances, ({n_instances},)"
        )
    values, group = np.unique(array, return_inverse=True)
    names, group = tuple(str(v) for v in values), group.reshape(-1)
    if len(names) <= len(OKABE_ITO):
        return names, group
    n_own = len(OKABE_ITO) - 1
    own = np.sort(np.argsort(-np.bincount(group), kind="stable")[:n_own])
    place = np.full(len(names), n_own)
    place[own] = np.arange(n_own)
    return (*(names[g] for g in own), "other"), place[group]


def colours(n_groups: int) -> NDArray[np.float64]:
    """Red, green and blue in 0..1 of each group, (max(n_groups, 1), 3); grey without groups."""
    names = OKABE_ITO[:n_groups] if n_groups else (GREY,)
    return np.array([[int(name[i : i + 2], 16) / 255 for i in (1, 3, 5)] for name in names])


def blend(counts: NDArray[np.intp], n_groups: int) -> NDArray[np.float64]:
    """The colour of each row of counts (n, max(n_groups, 1)), (n, 3)."""
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray((counts / total) @ colours(n_groups))


def hex_code(colour: NDArray[np.float64]) -> str:
    """#RRGGBB."""
    return "#" + "".join(f"{round(255 * c):02x}" for c in colour)
