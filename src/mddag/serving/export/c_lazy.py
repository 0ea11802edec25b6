"""Lazy rows in C: which group of features a row wants next, by the tables below and lazy.h.

The header of a model with prices has it behind the walk. Names of groups are C strings in UTF-8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.dag.dag import Dag
from mddag.ensemble.votes import starts_of
from mddag.serving.export.c_literals import listed, quoted
from mddag.serving.export.templates import code


def lazy_code(dag: Dag, steps: NDArray[np.intp]) -> str:
    """C of a model whose kept steps are `steps`; none where it has no prices."""
    purchases = dag.purchases
    if purchases is None or purchases.prices.n_groups == 0:
        return ""
    prices = purchases.prices
    columns = np.array([c for group in prices.columns for c in group], np.int64)
    sizes = [len(group) for group in prices.columns]
    wants = _words(purchases.buys[dag.policy.order[steps]])
    return "\n".join(
        [
            f"\n#define MODEL_N_GROUPS {prices.n_groups}",
            listed("char *const", "group_names", [quoted(str(n)) for n in prices.names]),
            listed("double", "group_costs", [float(c).hex() for c in prices.costs]),
            listed("int32_t", "group_starts", list(map(str, starts_of(sizes).tolist()))),
            listed("int32_t", "group_columns", list(map(str, columns.tolist()))),
            listed("uint32_t", "wants", [f"{w}u" for w in wants]),
            code("c/lazy.h"),
        ]
    )


def _words(sets: NDArray[np.bool_]) -> list[int]:
    """Sets of groups as bits of 32-bit words, one set behind the other."""
    n_words = -(-sets.shape[1] // 32)
    padded = np.zeros((len(sets), 32 * n_words), np.uint8)
    padded[:, : sets.shape[1]] = sets
    bits = np.packbits(padded, axis=1, bitorder="little")
    found: list[int] = bits.view("<u4").ravel().tolist()
    return found or [0]
