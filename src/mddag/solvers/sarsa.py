"""Sarsa: SARSA(lambda) with replacing traces, the paper's own solver (Section 2.2).

delta = r + Q(s', a') - Q(s, a);   Q += rate x trace x delta;   trace decays by lambda
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mddag.solvers._temporal_difference import TemporalDifference


@dataclass
class Sarsa(TemporalDifference):
    """SARSA(lambda): learns the value of the policy that it follows, exploration included."""

    off_policy: ClassVar[bool] = False
