"""The row walk of a policy as native/walk takes it: for scores or stages.

A walk has the decisions that some row may reach (``Program.reached``), so the verdicts behind them
become those of its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mddag import _core
from mddag.features.features import Features
from mddag.mdp.policy import QUIT, Policy
from mddag.mdp.stages import Stages
from mddag.mdp.verdicts import last_decisions

if TYPE_CHECKING:  # names of the stub alone
    WalkTrees = tuple[_core.Trees, _core.FixedTables, _core.Ints32, float]

AT_END, PASSED = -2, -3  # as native/walk/verdicts.hpp numbers them


def row_walk(
    trees: WalkTrees, edges: _core.Ints64, reached: Policy, whole: Policy, features: Features
) -> _core.Walk:
    """The walk of the `reached` steps of a `whole` policy, over trees and edges in one unit."""
    state, folds = reached.state, not isinstance(reached.state, Stages)
    parts = (
        *trees,
        reached.order.astype(np.int64, copy=False),
        edges,
        reached.jumps if folds else reached.jump_table,
        reached.n_together,
        features.n,
        features.missing,
        walk_verdicts(whole, len(reached.actions)),
    )
    if not isinstance(state, Stages):
        return _core.Walk(*parts)
    assert isinstance(whole.state, Stages)
    reads, starts, columns, n_columns, _ = state.native
    return _core.StageWalk(*parts, (reads, starts, columns, n_columns, whole.state.native[-1]))


def walk_verdicts(whole: Policy, n_kept: int) -> _core.Verdicts | None:
    """Verdicts of a walk of the first `n_kept` decisions; None where the policy has none.

    By decision and cell of a row that evaluates no more. AT_END: it passes the last decision of the
    walk, and the cell there decides (last row). PASSED: it passes all steps of the policy, and its
    cell there decides (second array).
    """
    if whole.verdict is None:
        return None
    table = np.full((n_kept + 1, whole.state.n_cells), AT_END, np.int16)
    last = last_decisions(whole.actions[:n_kept] == QUIT)[:-1]
    said = np.take_along_axis(whole.verdict, last, axis=0)
    np.copyto(table[:-1], said, where=last < n_kept)
    passes = whole.last_decisions[n_kept] == len(whole.actions)
    table[-1] = np.where(passes, PASSED, whole.last_verdicts[n_kept])
    return table, whole.verdict[-1]
