"""A problem that tells on-policy from off-policy learning, under actions that are all random.

One instance of class 1, h_1 wrong, h_2 right, each at a price of 0.1; a tie is an error. After
SKIP at step 1 the greedy policy evaluates h_2 and pays 0.1; a random action may also end in error.
"""

import numpy as np

from mddag import MDP
from mddag.mdp.policy import SKIP
from mddag.solvers.td.episodes import Episodes
from mddag.solvers.td.values import Table


def learned_value_of_skip(kind, trace_decay=0.5):
    mdp = MDP([[-1.0, 2.0]], [1], beta=0.1)
    rules = (0.005, trace_decay, kind.off_policy)
    episodes = Episodes(mdp, Table(1), lambda episode, n_steps: np.ones(n_steps), rules, seed=0)
    list(episodes.run(20_000, stop_every=20_000))
    return episodes.values[0].reshape(2, 3)[0, SKIP]
