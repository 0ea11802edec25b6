"""The row walks of a routed program: one that finds the region of a row, and one for each region.

The router's walk is that of an ensemble of one tree, which votes the number of the region.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mddag import _core
from mddag.dag.program import Program
from mddag.ensemble.ensemble import Ensemble
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, Policy


@dataclass(frozen=True, eq=False)
class RegionWalks:
    """For single rows.

    region : the number of the region of a row, as the walks read it
    parts  : the walk of each region
    """

    region: Callable[[Any], int]
    parts: tuple[_core.Walk, ...]

    @classmethod
    def of(cls, program: Program) -> RegionWalks:
        routed = program.ensemble.routed
        assert routed is not None
        router = routed.routing.router
        numbers = replace(router, votes=np.arange(router.n_leaves, dtype=np.float64)[:, None])
        voter = Ensemble.from_trees([numbers], features=program.ensemble.features)
        policy = Policy.constant(EVAL, 1, Grid(np.empty(0), 1))
        walk = _core.CalibratedWalk(Program(voter, policy).walk, np.ones(2), np.zeros(2))
        return cls(lambda x: int(walk.mean_one(x)), tuple(part.walk for part in program.parts))
