"""Episodes: the state of one learning run (value function, random numbers), and its policy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import ACTIONS, Policy
from mddag.solvers.quit_loss import quit_loss
from mddag.solvers.td.exploration import Exploration
from mddag.solvers.td.values import Value

CHUNK = 1_000  # episodes between two looks at epsilon and at Ctrl-C


class Episodes:
    """Episodes of one MDP under given rules.

    rules : rate, trace_decay, off_policy
    """

    def __init__(
        self,
        mdp: MDP,
        values: Value,
        exploration: Exploration,
        rules: tuple[float, float, bool],
        seed: int | None,
    ) -> None:
        tables = mdp.votes.tables
        uniform = bool((mdp.weight == mdp.weight[0]).all())
        cumulative = np.empty(0) if uniform else np.cumsum(mdp.weight)
        eval_, skip, quit_ = (action in mdp.actions for action in ACTIONS)
        self.mdp, self.exploration, self.allowed = mdp, exploration, (eval_, skip, quit_)
        self.sample = (
            tables.native,
            mdp.votes.codes,
            tables.bias,
            mdp.costs,
            cumulative,
            np.empty(0),
        )
        self.space = (mdp.grid.native, mdp.grid.centres, values.norm(tables), None)
        self.learning = (mdp.beta, *rules, self.allowed)
        n_parts = mdp.grid.n_cells // (len(mdp.grid.edges) + 1)
        self.values = values.start(mdp.n_steps, n_parts)
        self.random = np.random.SeedSequence(seed).generate_state(4, np.uint64).astype(np.uint64)
        self.loss = quit_loss(mdp)

    def run(self, n_episodes: int, stop_every: int) -> Iterator[int]:
        """Learn; yields the number of episodes done at every multiple of `stop_every` and last."""
        done = 0
        while done < n_episodes:
            until_stop = stop_every - done % stop_every
            n = min(CHUNK, until_stop, n_episodes - done)
            _core.learn_episodes(
                self.sample,
                self.space,
                self.learning,
                self.epsilon(done + 1),
                n,
                self.values,
                self.random,
                self.loss,
            )
            done += n
            if done % stop_every == 0 or done == n_episodes:
                yield done

    def epsilon(self, episode: int) -> NDArray[np.float64]:
        """The probability of a random action at each step, checked, (N,)."""
        n_steps = self.mdp.n_steps
        epsilon = np.ascontiguousarray(self.exploration(episode, n_steps), np.float64)
        if epsilon.shape != (n_steps,) or not ((epsilon >= 0) & (epsilon <= 1)).all():
            raise ValueError(
                f"exploration {self.exploration!r} gave {epsilon} in episode {episode}; wanted "
                f"one probability per step, ({n_steps},), in 0..1"
            )
        return epsilon

    def policy(self) -> Policy:
        """The greedy policy in every cell of the grid."""
        mdp = self.mdp
        if not np.isfinite(self.values[0]).all():
            raise ValueError(
                f"the learned values are not finite: the loss {mdp.loss!r} is too large on some "
                "scores on the way; a smaller scale may help"
            )
        actions = np.empty((mdp.n_steps, mdp.grid.n_cells), np.uint8)
        _core.tabulate(self.values, self.space, self.allowed, actions)
        return Policy(actions, mdp.grid, np.arange(mdp.n_steps))
