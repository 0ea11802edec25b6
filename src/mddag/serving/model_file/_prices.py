"""Purchases <-> metadata and tensors: the groups of features, their prices, and who reads them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from mddag.dag.purchases import Purchases
from mddag.ensemble.votes import starts_of
from mddag.features.prices import FeaturePrices
from mddag.serving.model_file._fields import Types, check_fields, check_length
from mddag.serving.model_file.container import Metadata, ModelFileError, Tensors

FIELDS: dict[str, Types] = {"names": list, "needs": list, "wave_cost": float}
TENSORS = {
    "prices.costs": ("F64", 1),
    "prices.sizes": ("I64", 1),
    "prices.columns": ("I64", 1),
    "prices.buys": ("U8", 2),
}


def prices_parts(purchases: Purchases) -> tuple[Metadata, Tensors]:
    """The metadata of FIELDS and the arrays of TENSORS."""
    prices = purchases.prices
    metadata = {
        "names": list(prices.names),
        "needs": [list(groups) for groups in prices.needs],
        "wave_cost": float(prices.wave_cost),
    }
    return metadata, {
        "prices.costs": prices.costs,
        "prices.sizes": np.array([len(c) for c in prices.columns], np.int64),
        "prices.columns": np.array([c for group in prices.columns for c in group], np.int64),
        "prices.buys": purchases.buys.astype(np.uint8),
    }


def purchases_of(metadata: Any, tensors: Tensors) -> Purchases:
    """The inverse of `prices_parts`; whether they fit the model, the Dag checks."""
    check_fields("prices", metadata, FIELDS)
    names, needs = metadata["names"], metadata["needs"]
    if not all(type(name) in (str, int) for name in names):
        raise ModelFileError("prices have names of groups that are neither strings nor positions")
    if not all(type(of) is list and all(type(g) is int for g in of) for of in needs):
        raise ModelFileError("prices have needs that are no lists of groups")
    sizes, columns, buys = (tensors[f"prices.{name}"] for name in ("sizes", "columns", "buys"))
    if sizes.min(initial=1) < 1 or sizes.max(initial=0) > len(columns):
        raise ModelFileError("tensor prices.sizes holds sizes that no group can have")
    starts = starts_of(sizes)
    check_length("prices.columns", columns, int(starts[-1]), "one for each column of a group")
    if buys.max(initial=0) > 1:
        raise ModelFileError("tensor prices.buys holds numbers above 1; wanted 0 or 1")
    held = columns.tolist()
    prices = FeaturePrices(
        tuple(names),
        tuple(tuple(held[a:b]) for a, b in pairwise(starts.tolist())),
        tensors["prices.costs"],
        metadata["wave_cost"],
        tuple(map(tuple, needs)),
    )
    return Purchases(prices, buys.astype(bool))
