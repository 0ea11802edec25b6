"""Charges: prices of features in Eq. (7), each group of them paid once per row.

    price of EVAL = beta x (cost_j + sum of the prices of the groups that h_j reads and that the row
                    has not paid yet + wave_cost x waves)

charge="tree" : h_j reads all groups that its trees may read; they are fetched in one wave
charge="path" : it reads the groups of the splits that the row itself passes, one after the other,
                each a wave of its own

What a row pays then depends on its path through the DAG, which no price per base classifier can
say. ``MDP(..., charges=...)`` counts it exactly; ``Sarsa``, ``WatkinsQ`` and ``Descent`` learn
from it, in the state ``Paid``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._internal.checks import check_is, check_one_of, described
from mddag._internal.read_only import ReadOnlyArrays, read_only
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.read_groups import groups_by_leaf, read_groups
from mddag.ensemble.votes import Codes, Tables, starts_of, take_segments
from mddag.features.prices import FeaturePrices
from mddag.mdp.paid import words_of

CHARGES = ("tree", "path")


@dataclass(frozen=True, eq=False)
class Charges(ReadOnlyArrays):
    """What the base classifiers of one ensemble charge.

    prices  : the groups of features and what they cost
    wants   : bool (N, G), the groups that base classifier j may read
    leaves  : bool (n_leaves, G), the groups that a row pays which ends in a leaf, by leaf code,
              tree behind tree
    tables  : of the ensemble; which trees and leaves there are
    charge  : "tree" or "path"
    """

    prices: FeaturePrices
    wants: NDArray[np.bool_]
    leaves: NDArray[np.bool_]
    tables: Tables
    charge: str = "tree"

    def __post_init__(self) -> None:
        check_is("prices", self.prices, FeaturePrices, "FeaturePrices: see FeaturePrices.of")
        check_one_of("charge", self.charge, CHARGES)
        n_leaves, n_groups = int(self.tables.n_leaves.sum()), self.prices.n_groups
        _check_sets("wants", self.wants, (self.tables.n_classifiers, n_groups), "base classifier")
        _check_sets("leaves", self.leaves, (n_leaves, n_groups), "leaf")
        object.__setattr__(self, "wants", read_only(self.prices.closed(self.wants), bool))
        object.__setattr__(self, "leaves", read_only(self.prices.closed(self.leaves), bool))

    @classmethod
    def of(cls, prices: FeaturePrices, ensemble: Ensemble, charge: str = "tree") -> Charges:
        """The charges of an ensemble of trees."""
        check_is("prices", prices, FeaturePrices, "FeaturePrices: see FeaturePrices.of")
        check_is("ensemble", ensemble, Ensemble, "an Ensemble: pass mddag.as_ensemble(model)")
        check_one_of("charge", charge, CHARGES)
        prices.require(ensemble.n_features)
        if ensemble.callables:
            raise ValueError(
                "the base classifiers are callables, whose features are not known; wanted trees"
            )
        wants, tables = read_groups(prices, ensemble), ensemble.tables
        if charge == "path":
            return cls(prices, wants, groups_by_leaf(prices, ensemble), tables, charge)
        n_leaves = np.add.reduceat(np.append(tables.n_leaves, 0), tables.rounds[:-1])
        n_leaves[np.diff(tables.rounds) == 0] = 0
        return cls(prices, wants, np.repeat(wants, n_leaves, axis=0), tables, charge)

    def __repr__(self) -> str:
        n, groups = len(self.wants), self.prices.n_groups
        return f"<Charges by {self.charge} of {groups} groups for {n} base classifiers>"

    @cached_property
    def native(self) -> _core.Charges:
        """The charges as kernels take them."""
        starts = starts_of(self.tables.n_leaves)
        wave_cost, one_by_one = float(self.prices.wave_cost), self.charge == "path"
        sets = words_of(self.leaves), starts, words_of(self.wants)
        return *sets, self.prices.costs, wave_cost, one_by_one

    def require(self, tables: Tables) -> None:
        """Refuse votes of other trees."""
        own = self.tables
        same = np.array_equal(own.rounds, tables.rounds)
        if not (same and np.array_equal(own.n_leaves, tables.n_leaves)):
            raise ValueError(
                f"charges are of {own.n_classifiers} base classifiers and {own.n_trees} trees, but "
                f"the votes are of {tables.n_classifiers} and {tables.n_trees}, or their leaves "
                "differ; wanted Charges.of(prices, ensemble) of the ensemble that votes"
            )

    def taken(self, order: NDArray[np.intp]) -> Charges:
        """Those of the base classifiers `order` alone, in that order."""
        trees, starts = self.tables.trees_of(order), starts_of(self.tables.n_leaves)
        leaves, _ = take_segments(self.leaves, starts, trees)
        return Charges(
            self.prices, self.wants[order], leaves, self.tables.taken(order), self.charge
        )

    def together(self, every: int) -> Charges:
        """Those of decisions for so many steps: the first of them wants what all of them read.

        That decides on the state alone; what rows pay stays the same.
        """
        wants = self.wants.copy()
        for first in range(0, len(wants), every):
            wants[first] = wants[first : first + every].any(axis=0)
        return replace(self, wants=wants)

    def bought(self, codes: Codes, evaluated: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The groups (n, G) of rows with leaf codes (n, n_trees) in base classifiers, of which each
        row has evaluated some (n, N)."""
        groups = np.zeros((len(codes), self.prices.n_groups), bool)
        starts, rounds = starts_of(self.tables.n_leaves), self.tables.rounds
        for j in np.flatnonzero(evaluated.any(axis=0)).tolist():
            here = np.flatnonzero(evaluated[:, j])
            for t in range(rounds[j], rounds[j + 1]):
                groups[here] |= self.leaves[starts[t] + codes[here, t].astype(np.int64)]
        return groups


def check_alike(charges: Charges | None, others: Charges | None, of_others: str) -> None:
    """Refuse rows that pay by other charges: their costs would be in other units."""
    if charges is None or others is None:
        alike = charges is others
    else:
        own, their = charges.prices, others.prices
        waves = (charges.charge, own.wave_cost) == (others.charge, their.wave_cost)
        alike = waves and np.array_equal(own.costs, their.costs)
    if not alike:
        raise ValueError(
            f"the MDP has {_said(charges)}, but {of_others} has {_said(others)}; wanted "
            "MDPs with the same charges, or both without, since their costs are compared"
        )


def _said(charges: Charges | None) -> str:
    if charges is None:
        return "no charges for features"
    return f"{charges!r} at {charges.prices.full_cost:g} for all"


def _check_sets(name: str, sets: Any, shape: tuple[int, int], what: str) -> None:
    array = np.asarray(sets)
    if array.dtype != bool or array.shape != shape:
        raise ValueError(
            f"{name} is {described(sets)}; wanted bools {shape}: the groups of each {what}"
        )
