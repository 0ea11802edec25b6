"""What QUIT pays, as the kernels take it: numbers for a loss with a native twin, else a callback.

The losses of ``mddag.losses`` have twins in native/mdp/loss.hpp (``Loss.native``). Any other loss
is called once per episode, which costs microseconds where a twin costs nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.mdp.mdp import MDP


def quit_loss(mdp: MDP) -> _core.Loss | Callable[[NDArray[np.float64], int], float]:
    """The loss of an MDP with its labels."""
    twin = mdp.loss.native(max(mdp.n_scores, 2))
    if twin is None:
        return lambda scores, i: float(mdp.losses_of(scores, np.array([i]))[0])
    classes, values, shares = np.empty(0, np.int64), np.empty(0), np.empty(0)
    if mdp.labels.ndim == 2:
        shares = np.ascontiguousarray(mdp.labels).ravel()
    elif mdp.labels.dtype.kind == "f":
        values = mdp.labels
    else:
        classes = mdp.labels.astype(np.int64)
    kind, scale, table = twin
    return kind, float(scale), table, classes, values, shares  # numpy's scalars are not the core's
