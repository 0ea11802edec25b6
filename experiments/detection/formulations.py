"""Formulations: the ways to turn detection into a decision process, and to solve that.

A `Formulation` says what a wrong decision costs, which class weighs what, and how the policy is
learned; it becomes one policy for each price of an evaluation, beta.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from experiments.detection.cases import Case
from experiments.detection.runs import Scored
from mddag import MDP, MDDAGClassifier, Policy
from mddag.losses import Exponential, Loss, ZeroOne
from mddag.solvers import Sarsa, Solver, WatkinsQ

BETAS = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
# With scores within -1..1 an evaluation gains 0.001 at most, so other prices matter
EXP_BETAS = (1e-4, 2e-4, 3e-4, 5e-4, 7e-4, 1e-3, 2e-3)


@dataclass(frozen=True)
class Formulation:
    """How a data set becomes a decision process, and how that is solved.

    Parameters
    ----------
    loss : {"0-1", "exp", "1/exp"}
        MDDAG.I, MDDAG.EXP, or the authors' program, whose reward is 1 / L_EXP.
    scale : float or "normalized"
        Factor of the scores in L_EXP; "normalized" divides them by the sum of the alphas, as
        footnote 1 of the paper does.
    false_positive : float
        Price of a false positive in false negatives, for the 0-1 loss.
    prior : float or "balanced"
        Weight of a negative row, of its loss and of its evaluations; "balanced" gives both classes
        the same total.
    betas : tuple of float
        Prices of an evaluation, each of which gives a policy.
    solver : Solver
        How policies are learned.
    seeds : int
        Runs of the solver at each price.
    snapshots : bool
        Whether every policy that SARSA tabulates on its way is a run, or only the best by Eq. (8).
    """

    loss: Literal["0-1", "exp", "1/exp"] = "0-1"
    scale: float | Literal["normalized"] = "normalized"
    false_positive: float = 1.0
    prior: float | Literal["balanced"] = 1.0
    betas: tuple[float, ...] = BETAS
    solver: Solver = field(default_factory=Sarsa)
    seeds: int = 1
    snapshots: bool = False

    def mdp(self, case: Case, beta: float) -> MDP:
        """The decision process on policy rows."""
        positive = case.y_policy > 0
        balance = positive.sum() / (~positive).sum()
        weight = np.where(positive, 1.0, balance if self.prior == "balanced" else self.prior)
        return MDP(case.policy, case.y_policy, loss=self.of(case), beta=beta, weight=weight)

    def of(self, case: Case) -> Loss | Callable[[np.ndarray, np.ndarray], np.ndarray]:
        """The loss."""
        if self.loss == "0-1":
            return ZeroOne(weights=(self.false_positive, 1.0))
        total = float(case.policy.tables.reach().sum())
        exp = Exponential(scale=1 / total if self.scale == "normalized" else self.scale)
        return exp if self.loss == "exp" else lambda scores, labels: -1 / exp(scores, labels)

    def policies(self, case: Case) -> Iterator[tuple[float, int, Policy]]:
        """Yield price, seed and policy of every run."""
        for beta in self.betas:
            for seed in range(self.seeds):
                for policy in self.learned(case, beta, seed):
                    yield beta, seed, policy

    def learned(self, case: Case, beta: float, seed: int) -> Iterator[Policy]:
        """Yield the policy of one run, or all that it tabulates."""
        mdp, solver = self.mdp(case, beta), replace(self.solver, random_state=seed)
        if not isinstance(solver, Sarsa | WatkinsQ):
            yield solver.solve(mdp)
            return
        solver.n_episodes = min(solver.n_episodes, case.size.n_episodes)
        if self.snapshots:
            yield from (policy for _, policy in solver.snapshots(mdp))
        else:
            yield solver.solve(mdp)


PAPER = MDDAGClassifier.paper().solver
MDDAG_I = Formulation(betas=(*BETAS[1:], 3e-2), solver=PAPER, snapshots=True)
MDDAG_EXP = Formulation(loss="exp", betas=EXP_BETAS, solver=PAPER, snapshots=True)


def decided(case: Case, policy: Policy) -> tuple[Scored, Scored]:
    """What a policy does with policy rows and with test rows."""
    rows = (case.policy, case.y_policy), (case.test, case.y_test)
    on_policy, on_test = (_scored(MDP(votes, y), policy) for votes, y in rows)
    return on_policy, on_test


def _scored(rows: MDP, policy: Policy) -> Scored:
    scores, n_evaluated, _ = rows.rollout(policy)
    return Scored(scores[:, 0], rows.labels, n_evaluated)
