"""Lazy rows in C: which group of features a row wants next, by the tables below and lazy.h.

The header of a model with prices has it behind the walk. Names of groups are C strings in UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from mddag.dag.dag import Dag
from mddag.dag.purchases import Purchases
from mddag.ensemble.votes import starts_of


def lazy_code(dag: Dag, steps: NDArray[np.intp]) -> str:
    """C of a model whose kept steps are `steps`; none where it has no prices."""
    purchases = dag.purchases
    if purchases is None or purchases.prices.n_groups == 0:
        return ""
    prices = purchases.prices
    columns = np.array([c for group in prices.columns for c in group], np.int64)
    sizes = [len(group) for group in prices.columns]
    return "\n".join(
        [
            f"\n#define MODEL_N_GROUPS {prices.n_groups}",
            _listed("char *const", "group_names", [_string(str(n)) for n in prices.names]),
            _listed("double", "group_costs", [float(c).hex() for c in prices.costs]),
            _listed("int32_t", "group_starts", map(str, starts_of(sizes).tolist())),
            _listed("int32_t", "group_columns", map(str, columns.tolist())),
            _listed("uint32_t", "wants", [f"{w}u" for w in _words(wanted(dag, purchases, steps))]),
            files("mddag.serving.export").joinpath("lazy.h").read_text(encoding="ascii"),
        ]
    )


def wanted(dag: Dag, purchases: Purchases, steps: NDArray[np.intp]) -> NDArray[np.bool_]:
    """The groups that each step reads, (n_steps, G); of regions, those of all of them together,
    since a step of theirs is one tree."""
    classifiers = dag.policy.order[steps]
    routed = dag.ensemble.routed
    if routed is None:
        return purchases.buys[classifiers]
    sources = [routed.sources(q)[classifiers] for q in range(routed.routing.n_regions)]
    union: NDArray[np.bool_] = np.any([purchases.buys[source] for source in sources], axis=0)
    return union


def _words(sets: NDArray[np.bool_]) -> list[int]:
    """Sets of groups as bits of 32-bit words, one set behind the other."""
    n_words = -(-sets.shape[1] // 32)
    padded = np.zeros((len(sets), 32 * n_words), np.uint8)
    padded[:, : sets.shape[1]] = sets
    bits = np.packbits(padded, axis=1, bitorder="little")
    found: list[int] = bits.view("<u4").ravel().tolist()
    return found or [0]


def _string(name: str) -> str:
    """A C string; all but letters, digits and a few signs are written as octal numbers."""
    plain = {*b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.+"}
    data = name.encode("utf-8", "replace")
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in data) + '"'


def _listed(ctype: str, name: str, entries: Iterable[str]) -> str:
    listed = list(entries)
    lines = (", ".join(listed[i : i + 16]) for i in range(0, len(listed), 16))
    inside = ",\n  ".join(lines)
    return f"static const {ctype} model_{name}[{len(listed)}] = {{\n  {inside}}};\n"
