"""Block policy: a policy over sets as one over the steps of their blocks.

The model of each set is a block of steps with a score column of its own (``Stages``). All its
steps evaluate; at its gate the column decides: QUIT, or leap to the first step of the block of a
larger set. Rows that quit have the score of the block that they stand behind.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mddag.ensemble.blocks import Blocks
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, SKIP, Policy
from mddag.mdp.stages import Stages

Edges = NDArray[np.float64]
Targets = NDArray[np.intp]


def block_policy(
    blocks: Blocks, edges: list[Edges], targets: list[Targets], n_scores: int, first: int = 0
) -> Policy:
    """The policy over blocks, each of which decides by its own column.

    edges, targets : of each block; a target is the number of a later block, or its own for QUIT
    first          : the block that all rows begin with; -1 where they quit at once
    """
    n_steps = len(blocks.ensemble)
    grid = Grid(np.unique(np.concatenate([np.empty(0), *edges])), n_scores)
    actions = np.full((n_steps, grid.n_cells), EVAL, np.uint8)
    leaps = np.zeros((n_steps, grid.n_cells), np.int32)
    for b, (gate, to) in enumerate(zip(blocks.gates, targets, strict=True)):
        wanted = np.tile(to[_cells_in(grid.edges, edges[b])], n_scores)
        actions[gate] = np.where(wanted == b, QUIT, SKIP)
        leaps[gate] = blocks.starts[wanted]
    if first != 0:
        actions[0] = QUIT if first < 0 else SKIP
        leaps[0] = n_steps if first < 0 else blocks.starts[first]
    state = Stages(grid, *_columns(blocks))
    return Policy(actions, grid, np.arange(n_steps), state=state, leaps=leaps)


def _cells_in(fine: Edges, coarse: Edges) -> NDArray[np.intp]:
    """For each cell between fine edges, the cell between coarse ones, which are among them."""
    return np.searchsorted(coarse, np.append(fine, np.inf))


def _columns(blocks: Blocks) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The column that each step reads, and those that it writes: that of its block."""
    n_steps, n_blocks = len(blocks.ensemble), len(blocks.gates)
    block = np.searchsorted(blocks.gates, np.arange(n_steps))
    reads = np.append(block, n_blocks - 1)
    return reads, block[:, None] == np.arange(n_blocks)
