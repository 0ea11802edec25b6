"""Undoubled: a policy of features paid as one of scores alone, where the bit does not matter.

    bit at step j is 0 on every row if h_j reads a group that no earlier step reads, and 1 if it
    reads none

Where each decision has such a bit, or the same actions for both of its values, the scores decide.
Every executor then runs the policy, and code of other languages can be made from it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mddag.mdp.paid import Paid
from mddag.mdp.policy import Policy
from mddag.mdp.state import Score


def undoubled(policy: Policy) -> Policy:
    """The policy in the state of the paper where it can be, else as it is."""
    state = policy.state
    plain = policy.verdict is None and policy.leaps is None
    if not isinstance(state, Paid) or not plain:
        return policy
    lacking, there = np.split(policy.actions, 2, axis=1)
    bit = constant_bits(state)[:: policy.every]
    if not ((bit >= 0) | (lacking == there).all(axis=1)).all():
        return policy
    actions = np.where((bit == 1)[:, None], there, lacking)
    return replace(policy, actions=actions, state=Score(policy.grid))


def constant_bits(state: Paid) -> NDArray[np.intp]:
    """The bit of each step where it is the same on all rows, else -1, (N,)."""
    before = np.zeros_like(state.wants)
    before[1:] = np.logical_or.accumulate(state.wants, axis=0)[:-1]
    never = (state.wants & ~before).any(axis=1)
    always = ~state.wants.any(axis=1)
    return np.where(never, 0, np.where(always, 1, -1)).astype(np.intp)
