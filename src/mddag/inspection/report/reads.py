"""Which features base classifiers read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.ensemble import Ensemble

Reads = dict[int, NDArray[np.int32]]


def reads_of(ensemble: Ensemble) -> Reads:
    """By base classifier, numbered as in traces, the columns that its trees split on; empty for
    callables."""
    if ensemble.callables:
        return {}
    rounds, starts = ensemble.tables.rounds, ensemble.starts
    found = {}
    for j in range(len(ensemble)):
        column = ensemble.nodes["feature"][starts[rounds[j]] : starts[rounds[j + 1]]]
        found[j] = np.unique(column[column >= 0])
    return found
