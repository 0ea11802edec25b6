"""Routing <-> tensors: the router's nodes, what each region evaluates, and the votes of all steps.

The trees are those of the source, which the file holds once; composed trees are made by reading.
"""

from __future__ import annotations

import numpy as np

from mddag.ensemble.composition import Routed
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import NODE, Nodes
from mddag.ensemble.routing import Routing, uniform
from mddag.ensemble.votes import Tables, starts_of
from mddag.serving.model_file._fields import check_length
from mddag.serving.model_file.container import ModelFileError, Tensors

TENSORS = {
    "router.threshold": ("F64", 1),
    "router.feature": ("I32", 1),
    "router.left": ("I32", 1),
    "router.right": ("I32", 1),
    "router.missing_left": ("U8", 1),
    "routing.order": ("I64", 2),
    "routing.votes": ("F64", 1),
}
MOST_WORDS = 2**22  # of category sets in all composed trees


def routing_parts(routing: Routing) -> Tensors:
    """The arrays of TENSORS."""
    records = routing.router.records
    names = ("threshold", "feature", "left", "right")
    return {
        **{f"router.{name}": records[name] for name in names},
        "router.missing_left": records["missing_left"].astype(np.uint8),
        "routing.order": routing.order.astype(np.int64),
        "routing.votes": routing.tables.values,
    }


def composed_of(tensors: Tensors, source: Ensemble) -> Ensemble:
    """The composed ensemble of a file, for its source."""
    order = tensors["routing.order"]
    if not uniform(source.tables) or order.size == 0:
        raise ModelFileError("there is a routing, but no base classifiers that it could be over")
    if order.min() < 0 or order.max() >= len(source):
        raise ModelFileError(f"tensor routing.order holds numbers outside of 0..{len(source) - 1}")
    router = _router(tensors, len(order))
    if router.records["feature"].max(initial=-1) >= source.n_features:
        raise ModelFileError(f"the router reads columns beyond the {source.n_features} there are")
    routing = Routing(router, order, _tables(tensors, source))
    routed = Routed(routing, source)
    if np.diff(source.word_starts)[routed.trees].sum() > MOST_WORDS:
        raise ModelFileError(f"category sets of all regions have more than {MOST_WORDS} words")
    return routed.composed


def _router(tensors: Tensors, n_regions: int) -> Nodes:
    records = np.zeros(len(tensors["router.feature"]), NODE)
    if tensors["router.missing_left"].max(initial=0) > 1:
        raise ModelFileError("tensor router.missing_left holds numbers above 1; wanted 0 or 1")
    for name in ("threshold", "feature", "left", "right", "missing_left"):
        tensor = tensors[f"router.{name}"]
        check_length(f"router.{name}", tensor, len(records), "one for each node")
        records[name] = tensor
    return Nodes(records, np.zeros((n_regions, 1)))


def _tables(tensors: Tensors, source: Ensemble) -> Tables:
    order, votes, tables = tensors["routing.order"], tensors["routing.votes"], source.tables
    each = tables.n_trees // len(source)
    trees = (order[:, :, None] * each + np.arange(each)).reshape(len(order), -1)
    score = np.concatenate([[-1], np.tile(tables.score[:each], order.shape[1])]).astype(np.int32)
    leaves = np.concatenate([[len(order)], tables.n_leaves[trees].sum(axis=0)])
    starts = starts_of(leaves * np.where(score < 0, source.n_scores, 1))
    check_length("routing.votes", votes, int(starts[-1]), "one for each leaf and score")
    if not np.isfinite(votes).all():
        raise ModelFileError("tensor routing.votes holds infinite votes; wanted finite numbers")
    rounds = np.concatenate([[0], 1 + each * np.arange(order.shape[1] + 1)]).astype(np.int64)
    return Tables(votes, starts, score, rounds, tables.bias)
