"""`Sarsa`, the paper's own solver (Section 2.2), and `WatkinsQ`, which the authors' program runs.

Sarsa updates Q by delta = r + Q(s', a') - Q(s, a) with traces that decay by lambda; Watkins's Q by
r + max_a Q(s', a) - Q(s, a), cutting traces where a' is not greedy. Every `evaluate_every` episodes
the greedy policy is tabulated and scored by Eq. (8); the best snapshot is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.checks import Parameters, check_between, check_whole
from mddag.policy.mdp import MDP
from mddag.policy.policy import ACTIONS, Policy, trusted_policy
from mddag.solvers.solver import SearchingSolver, quit_loss
from mddag.solvers.values import Table, Value

__all__ = ["Flat", "Growing"]


def __dir__() -> list[str]:
    return __all__


# Probabilities of a random action at every step (N,), by the number of the episode, from 1, and N;
# called every CHUNK episodes
Exploration = Callable[[int, int], NDArray[np.float64]]


@dataclass
class Flat(Parameters):
    """Explore equally at every step, with epsilon = start / ceil(tau / period) in episode tau.

    Parameters
    ----------
    start : float, default=0.3
        Probability of a random action in the first period.
    period : int, default=10_000
        Number of episodes after which epsilon changes.

    Notes
    -----
    The paper prints 0.3 * 1 / ceil(10000 / tau), which would grow from 0; the released program does
    what is meant, 0.3 / ceil(tau / 10000) (docs/deviations.md, row 2).

    Examples
    --------
    >>> from mddag.solvers.sarsa import Flat
    >>> Flat()(10_001, n_steps=3)
    array([0.15, 0.15, 0.15])
    """

    start: float = 0.3
    period: int = 10_000

    def __post_init__(self) -> None:
        check_between("start", self.start, 0, 1, "a probability, 0 to 1")
        check_whole("period", self.period, 1)

    def __call__(self, episode: int, n_steps: int) -> NDArray[np.float64]:
        """Return epsilon of every step.

        Parameters
        ----------
        episode : int
            Number of the episode, from 1.
        n_steps : int
            Number of steps.

        Returns
        -------
        ndarray of shape (n_steps,)
            Probabilities of a random action.
        """
        return np.full(n_steps, self.start / -(-max(episode, 1) // self.period))


@dataclass
class Growing(Flat):
    """Explore more at later steps: epsilon of `Flat` times (j + 1) / N.

    A random QUIT then seldom ends an episode in its first steps.

    Parameters
    ----------
    start : float, default=0.3
        Probability of a random action at the last step in the first period.
    period : int, default=10_000
        Number of episodes after which epsilon changes.

    Examples
    --------
    >>> from mddag.solvers.sarsa import Growing
    >>> Growing()(1, n_steps=3)
    array([0.1, 0.2, 0.3])
    """

    def __call__(self, episode: int, n_steps: int) -> NDArray[np.float64]:
        return super().__call__(episode, n_steps) * np.arange(1, n_steps + 1) / n_steps


CHUNK = 1_000  # episodes between two looks at epsilon and at Ctrl-C


class Episodes:
    """Episodes of one MDP; `rules` are rate, trace_decay and off_policy."""

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
        )
        self.space = (mdp.grid.native, mdp.grid.centers, values.norm(tables))
        self.learning = (mdp.beta, *rules, self.allowed)
        n_parts = mdp.grid.n_cells // (len(mdp.grid.edges) + 1)
        self.values = values.start(mdp.n_steps, n_parts)
        self.random = np.random.SeedSequence(seed).generate_state(4, np.uint64).astype(np.uint64)
        self.loss = quit_loss(mdp)

    def run(self, n_episodes: int, stop_every: int) -> Iterator[int]:
        """Learn, yielding the number of episodes at multiples of `stop_every` and at the end."""
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
        """Return the probability of a random action at each step, checked, (N,)."""
        n_steps = self.mdp.n_steps
        epsilon = np.ascontiguousarray(self.exploration(episode, n_steps), np.float64)
        if epsilon.shape != (n_steps,) or not ((epsilon >= 0) & (epsilon <= 1)).all():
            raise ValueError(
                f"exploration {self.exploration!r} gave {epsilon} in episode {episode}; wanted "
                f"one probability per step, ({n_steps},), in 0..1"
            )
        return epsilon

    def policy(self) -> Policy:
        """Return the greedy policy in every cell of the grid."""
        mdp = self.mdp
        if not np.isfinite(self.values[0]).all():
            raise ValueError(
                f"the learned values are not finite: the loss {mdp.loss!r} is too large on some "
                "scores on the way; a smaller scale may help"
            )
        actions = np.empty((mdp.n_steps, mdp.grid.n_cells), np.uint8)
        _core.tabulate(self.values, self.space, self.allowed, actions)
        return trusted_policy(actions, mdp.grid, np.arange(mdp.n_steps))


@dataclass
class Sarsa(Parameters, SearchingSolver):
    """Learn by SARSA(lambda), the paper's solver: on policy, exploration included.

    Parameters
    ----------
    values : Value, default=None
        Value function; `Table()` by default.
    n_episodes : int, default=1_000_000
        Number of episodes, each of one random row.
    evaluate_every : int, default=10_000
        Number of episodes between snapshots.
    rate : float, default=0.2
        Learning rate.
    trace_decay : float, default=0.95
        Decay of traces, lambda.
    exploration : callable, default=None
        Function of (episode, n_steps) that returns the probability of a random action at each step;
        `Flat()` by default, as in the paper.
    random_state : int or None, default=None
        Seed; None for a new one at each call.
    verbose : bool, default=False
        Whether to report the snapshots on standard error.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Sarsa
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [-0.1, 1.0]], [1, 0, 1], beta=0.05)
    >>> mdp.evaluate(Sarsa(n_episodes=20_000, random_state=0).solve(mdp)).loss
    0.0
    """

    values: Value | None = None
    n_episodes: int = 1_000_000
    evaluate_every: int = 10_000
    rate: float = 0.2
    trace_decay: float = 0.95
    exploration: Exploration | None = None
    random_state: int | None = None
    verbose: bool = False

    off_policy: ClassVar[bool] = False

    @property
    def _n_total(self) -> int:
        return self.n_episodes

    def _made(self, mdp: MDP) -> Iterator[tuple[int, Policy]]:
        return self.snapshots(mdp)

    def snapshots(self, mdp: MDP) -> Iterator[tuple[int, Policy]]:
        """Learn, and yield the greedy policy every `evaluate_every` episodes.

        Parameters
        ----------
        mdp : MDP
            Rows to learn from.

        Yields
        ------
        n_episodes : int
            Number of episodes so far.
        policy : Policy
            Greedy policy after them.
        """
        rules = (self.rate, self.trace_decay, self.off_policy)
        values = Table() if self.values is None else self.values
        exploration = Flat() if self.exploration is None else self.exploration
        episodes = Episodes(mdp, values, exploration, rules, self.random_state)
        for done in episodes.run(self.n_episodes, self.evaluate_every):
            yield done, episodes.policy()

    def check(self) -> None:
        check_whole("n_episodes", self.n_episodes, 1)
        check_whole("evaluate_every", self.evaluate_every, 1)
        if self.random_state is not None:
            check_whole("random_state", self.random_state, 0)
        smallest = np.nextafter(0.0, 1.0)
        check_between("rate", self.rate, smallest, 1, "a learning rate above 0, at most 1")
        check_between("trace_decay", self.trace_decay, 0, 1, "lambda in 0..1")
        if self.values is not None and not hasattr(self.values, "start"):
            raise ValueError(f"values is {self.values!r}; wanted a value function such as Table()")
        is_class = isinstance(self.exploration, type)
        if self.exploration is not None and (is_class or not callable(self.exploration)):
            raise ValueError(
                f"exploration is {self.exploration!r}; wanted a callable such as Flat()"
            )


@dataclass
class WatkinsQ(Sarsa):
    """Learn by Q(lambda): off policy, the value of the greedy policy while exploring.

    Parameters
    ----------
    values : Value, default=None
        Value function; `Table()` by default.
    n_episodes : int, default=1_000_000
        Number of episodes, each of one random row.
    evaluate_every : int, default=10_000
        Number of episodes between snapshots.
    rate : float, default=0.2
        Learning rate.
    trace_decay : float, default=0.95
        Decay of traces, lambda.
    exploration : callable, default=None
        Function of (episode, n_steps) that returns the probability of a random action at each step;
        `Flat()` by default, as in the paper.
    random_state : int or None, default=None
        Seed; None for a new one at each call.
    verbose : bool, default=False
        Whether to report the snapshots on standard error.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import WatkinsQ
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [-0.1, 1.0]], [1, 0, 1], beta=0.05)
    >>> mdp.evaluate(WatkinsQ(n_episodes=20_000, random_state=0).solve(mdp)).loss
    0.0
    """

    off_policy: ClassVar[bool] = True
