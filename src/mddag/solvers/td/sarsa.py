"""Sarsa: SARSA(lambda) with replacing traces, the paper's own solver (Section 2.2).

delta = r + Q(s', a') - Q(s, a);   Q += rate x trace x delta;   trace decays by lambda
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mddag.solvers.td.temporal_difference import TemporalDifference


@dataclass
class Sarsa(TemporalDifference):
    """SARSA(lambda): learns the value of the policy that it follows, exploration included.

    values         : the value function; Table() by default
    n_episodes     : one random instance each
    evaluate_every : episodes between snapshots
    rate           : learning rate, constant
    trace_decay    : lambda
    exploration    : epsilon_j(tau); Flat() by default, as in the paper
    random_state   : a seed, or None for a new one at each call
    verbose        : report the snapshots on standard error
    """

    off_policy: ClassVar[bool] = False
