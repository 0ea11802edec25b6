"""The paper's way: documents by themselves, sorted by expected relevance sum_k p_k(x) k (McRank).

Prefixes of AdaBoost.MH, MDDAG by SARSA and MDDAG by the default solver; p is calibrated in the same
way for all, on validation documents. Settings are measured on validation queries in two halves:
what measures one half was fitted on the other. What is tested was fitted on all validation queries.

SARSA learns from the documents that trained the trees, as in the paper, or from validation
documents; which of them is part of the setting, as are the loss and beta.

In the paper's protocol (names that begin with "paper") training documents do everything: they train
the trees and the policies, calibrate p and choose among settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import mddag
from experiments.ranking.cases import Case
from experiments.ranking.runs import RankingRun
from mddag import MDDAGClassifier
from mddag.losses import Exponential, ZeroOne
from mddag.policy.grid import Grid
from mddag.policy.policy import Policy
from mddag.ranking.estimator import expected_relevance
from mddag.solvers import Descent, Sarsa, Solver

LOSSES = (ZeroOne(), Exponential(scale=0.1))
PRICES = {  # of an evaluation, in the paper's protocol
    "0-1": (1e-4, 3e-4, 1e-3, 2e-3),
    "exp": (3e-5, 1e-4, 3e-4, 6e-4),
}
PAPER = MDDAGClassifier.paper().solver
N_PREFIXES = 60

Fit = Callable[[np.ndarray, np.ndarray], MDDAGClassifier]  # of documents and their labels


def prefixes(case: Case) -> Iterator[RankingRun]:
    """AdaBoost.MH: all documents quit after the first j trees."""
    for j in lengths(case.size.n_trees):
        yield measured(case, f"j={j}", adopting(case, prefix(case, j)))


def lengths(n: int) -> list[int]:
    return np.unique(np.geomspace(1, n, N_PREFIXES).round().astype(int)).tolist()


def prefix(case: Case, j: int) -> Policy:
    ensemble = case.boost.ensemble_
    return Policy.prefix(j, len(ensemble), Grid(np.empty(0), ensemble.n_scores))


def sarsa(case: Case) -> Iterator[RankingRun]:
    """MDDAG by SARSA."""
    X, y, _ = case.parts["train"]
    for loss, beta in product(LOSSES, betas(3 if case.size.quick else 12)):
        given = {"beta": beta, "loss": loss, "random_state": case.fold}
        solver = Sarsa(n_episodes=case.size.n_episodes)
        paper = MDDAGClassifier.paper(case.boost, **given, solver=solver)
        policy = paper.fit(X, y.astype(int)).policy_
        named = f"{loss} beta={beta:.2g}"
        yield measured(case, f"{named} on training documents", adopting(case, policy))
        yield measured(case, f"{named} on validation documents", paper.fit)


def paper_prefixes(case: Case) -> Iterator[RankingRun]:
    """AdaBoost.MH in the paper's protocol."""
    for j in lengths(case.size.n_trees):
        yield trained(case, f"j={j}", prefix(case, j))


def paper_mddag(case: Case, loss: str, solver: Solver) -> Iterator[RankingRun]:
    """MDDAG in the paper's protocol: scores are divided by the sum of the alphas (footnote 1)."""
    X, y, _ = case.parts["train"]
    votes = case.boost.ensemble_.votes(X)
    total = float(votes.tables.reach().sum())
    losses = {"0-1": ZeroOne(), "exp": Exponential(scale=1 / total)}
    solver = replace(solver, random_state=case.fold)
    # The exact solver takes minutes for each price
    prices = PRICES[loss] if isinstance(solver, Sarsa) else PRICES[loss][1::2]
    for beta in prices[::4] if case.size.quick else prices:
        mdp = mddag.MDP(votes, y.astype(int), loss=losses[loss], beta=beta)
        if isinstance(solver, Sarsa):  # every snapshot is a run, as in Figure 2
            solver.n_episodes, solver.evaluate_every = case.size.n_episodes, 40_000
            policies = (policy for _, policy in solver.snapshots(mdp))
        else:
            policies = iter([solver.solve(mdp)])
        for k, policy in enumerate(policies):
            yield trained(case, f"beta={beta:g} policy={k}", policy)


def trained(case: Case, setting: str, policy: Policy) -> RankingRun:
    """A policy measured on training queries, and tested."""
    X, y, _ = case.parts["train"]
    model = adopting(case, policy)(X, y.astype(int))
    scores, steps = ranked(model, X)
    chosen = float(case.ndcg("train", scores).mean()), float(steps.mean())
    scores, steps = ranked(model, case.parts["test"][0])
    ndcg = case.ndcg("test", scores)
    return RankingRun(setting, *chosen, ndcg, np.full(len(ndcg), np.nan), float(steps.mean()))


def portfolio(case: Case) -> Iterator[RankingRun]:
    """MDDAG by the default solver, which learns at all prices at once."""
    prices = betas(2 if case.size.quick else 5)
    for loss in LOSSES:
        learned = Sweeps(case, loss, prices)
        for k, beta in enumerate(prices):
            yield measured(case, f"{loss} beta={beta:.2g}", partial(learned.adopted, k))


class Sweeps:
    """Policies of several prices, learned once for the same documents."""

    def __init__(self, case: Case, loss: Any, prices: list[float]) -> None:
        self.case, self.loss, self.prices = case, loss, prices
        self.known: dict[bytes, tuple[Policy, ...]] = {}

    def adopted(self, k: int, X: np.ndarray, y: np.ndarray) -> MDDAGClassifier:
        """The model of price k; of documents seen before only the calibration is fitted."""
        documents = X.tobytes()
        if documents not in self.known:
            given = {"betas": self.prices, "loss": self.loss, "random_state": self.case.fold}
            self.known[documents] = mddag.sweep(self.case.boost, X, y, **given).policies
        return adopting(self.case, self.known[documents][k])(X, y)


def betas(n: int) -> list[float]:
    return np.geomspace(2e-5, 5e-3, n).tolist()


def adopting(case: Case, policy: Policy) -> Fit:
    """Return a function that fits the calibration of a given policy."""
    return lambda X, y: MDDAGClassifier(case.boost).adopt(policy, X, y)


def measured(case: Case, setting: str, fit: Fit) -> RankingRun:
    X, y, qid = case.parts["vali"]
    labels, scores, steps = y.astype(int), np.zeros(len(y)), np.zeros(len(y))
    first = np.unique(qid, return_inverse=True)[1] % 2 == 0
    for half in (first, ~first):
        model = fit(X[~half], labels[~half])
        scores[half], steps[half] = ranked(model, X[half])
    vali = float(case.ndcg("vali", scores).mean()), float(steps.mean())
    scores, steps = ranked(fit(X, labels), case.parts["test"][0])
    ndcg = case.ndcg("test", scores)
    return RankingRun(setting, *vali, ndcg, np.full(len(ndcg), np.nan), float(steps.mean()))


def ranked(model: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What documents are sorted by, and their evaluations."""
    return expected_relevance(model, X), model.n_evaluated(X)


METHODS = {
    "paper, AdaBoost.MH": paper_prefixes,
    "paper, MDDAG.I": partial(paper_mddag, loss="0-1", solver=PAPER),
    "paper, MDDAG.EXP": partial(paper_mddag, loss="exp", solver=PAPER),
    "paper, MDDAG.I, 11 bins": partial(paper_mddag, loss="0-1", solver=Sarsa()),
    "paper, MDDAG.EXP, 11 bins": partial(paper_mddag, loss="exp", solver=Sarsa()),
    "paper, MDDAG.I, exact solver": partial(paper_mddag, loss="0-1", solver=Descent()),
    "paper, MDDAG.EXP, exact solver": partial(paper_mddag, loss="exp", solver=Descent()),
    "AdaBoost.MH": prefixes,
    "MDDAG, Sarsa": sarsa,
    "MDDAG, Portfolio": portfolio,
}
