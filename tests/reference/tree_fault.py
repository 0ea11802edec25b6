"""The specification of native/ensemble/tree_fault.hpp: the first node that is wrong, and how."""

import math


def first_fault(records, n_leaves, n_words):
    """(fault, node): 0 none, 1 child, 2 shared, 3 set, 4 code, 5 votes, 6 orphan, 7 threshold."""
    records = [dict(zip(records.dtype.names, r, strict=True)) for r in records.tolist()]
    children, codes = [], []
    for i, node in enumerate(records):
        if i > 0 and i not in children:
            return 6, i
        if math.isnan(node["threshold"]):
            return 7, i
        if node["feature"] < 0:
            if node["left"] not in range(n_leaves) or node["left"] in codes:
                return 4, i
            codes.append(node["left"])
            continue
        for side in ("left", "right"):
            if node[side] not in range(i + 1, len(records)):
                return 1, i
            if node[side] in children:
                return 2, i
            children.append(node[side])
        if node["n_words"] and not (
            0 < node["n_words"] < 2**24 and 0 <= node["word"] <= n_words - node["n_words"]
        ):
            return 3, i
    return (5 if len(codes) < n_leaves else 0), len(records)
