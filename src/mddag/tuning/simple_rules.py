"""Simple rules: prefixes of a model, its margin rule, and the margin rules of its prefixes.

What one can do without learning a policy. A margin rule of a prefix of m base classifiers quits
where the margin exceeds a threshold, and after m base classifiers at the latest: a shorter model
with an early stop, which is the strongest rival of learned policies. As rules for the whole model
they need no second ensemble.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mddag.mdp.mdp import MDP
from mddag.solvers import Margin, Prefix
from mddag.solvers.exits import Exits, inner_edges

LENGTHS = (5, 10, 20, 40, 80)  # of prefixes that get margin rules of their own


def simple_rules(mdp: MDP, every: int = 1) -> Iterator[Exits]:
    """Families of candidates, in the order in which a model was boosted.

    every : steps between two decisions
    """
    yield Prefix(every).candidates(mdp)
    if mdp.of_numbers:
        return
    yield Margin(every).candidates(mdp)
    for length in LENGTHS:
        if length < mdp.n_steps:
            yield prefix_margins(mdp, length, every)


def prefix_margins(mdp: MDP, length: int, every: int = 1) -> Exits:
    """Margin rules of the first `length` base classifiers (rounded up to a decision)."""
    edges = np.abs(inner_edges(mdp.grid)[0])
    steps = np.arange(0, mdp.n_steps, every)
    confidence = np.where(steps[:, None] >= length, np.inf, edges)
    return Exits(mdp, confidence, edges, every)
