"""What mddag makes of the same rows: sparsify of the full model, and train.

Both are read as a user would who calls them with many budgets: their own judges, on policy rows,
say what each candidate loses and costs. `sparsify` gets the full model and the policy rows. `train`
gets the training and the policy rows, all alike, and does not see the full model. Costs are base
classifiers (objective="evaluations") or nodes; `train` runs for nodes alone, and its evaluations
are those of the same candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.quality.boosters import MANY_COLUMNS, MODELS, Shape
from benchmarks.quality.curves import Candidate, Measures
from benchmarks.quality.nodes import depths_of
from benchmarks.quality.rivals import LaterVotes
from benchmarks.quality.rows import Parts
from mddag import MDP, Ensemble, Grid, Policy
from mddag._utils.arrays import stratified
from mddag.ensemble.costs import LeafDepths
from mddag.ensemble.tasks import TASKS
from mddag.solvers import Portfolio
from mddag.solvers.candidates import front
from mddag.tuning.shape_front import searched, tried
from mddag.tuning.shape_rules import FoldedRows, cut
from mddag.tuning.targets import Budget

SELECTION = 0.3  # of the policy rows, as sparsify holds out
BETAS = np.geomspace(3e-3, 1e-5, 10)  # prices of a base classifier
SPARSIFY = {"evaluations": "sparsify", "nodes": "sparsify, nodes"}
TRAIN = {"nodes": "train, nodes"}


def sparsified(full: Ensemble, rows: Parts, unit: str, seed: int) -> Iterator[Candidate]:
    """All candidates of the default solver on the full model.

    unit : "evaluations", "nodes", or "both" where base classifiers are stumps
    """
    votes, y = full.votes(rows.policy.X), rows.policy.y
    mdp = MDP(votes, y, grid=Grid.quantile(votes))
    if unit == "nodes":
        mdp = mdp.with_costs(LeafDepths.of(full).of_rows(votes.codes).mean(axis=0))
    selection = stratified(y, SELECTION, np.random.default_rng(seed))
    learning = np.setdiff1d(np.arange(len(y)), selection)
    betas = (BETAS / mdp.costs.mean()).tolist()
    pool = Portfolio(random_state=0).judged(mdp.rows(learning), betas, mdp.rows(selection))
    test = TestRows(rows)
    for at, (loss, cost) in enumerate(zip(excess(pool.losses), pool.costs, strict=True)):

        def made(at: int = at) -> tuple[Ensemble, Policy]:
            return full, pool.candidate(at)

        yield judged(SPARSIFY.get(unit, "sparsify"), at, loss, cost, unit, made, test)


def trained(library: str, rows: Parts) -> Iterator[Candidate]:
    """The front of the candidates of train, by nodes."""
    model = MODELS[library](Shape(32, 0.1), 100, rows.train.X.shape[1] > MANY_COLUMNS)
    unit, every = "nodes", rows.all_rows
    folded = FoldedRows.split(
        every.X, every.y, None, strata=every.y, certifies=False, random=np.random.RandomState(0)
    )
    target = Budget(1.0).measured(TASKS["classifier"]())
    search, test = searched(model, tried(model, folded, unit)[0], target), TestRows(rows)
    for at in front(search.losses, search.costs).tolist():

        def made(at: int = at) -> tuple[Ensemble, Policy]:
            chosen = search.candidate(at)
            ensemble = cut(search.model(chosen.trial).ensemble, chosen.rule.length)
            return ensemble, chosen.rule.policy(ensemble, 1)

        loss, cost = search.losses[at], search.costs[at]
        yield judged(TRAIN[unit], at, loss, cost, unit, made, test)


def excess(losses: np.ndarray) -> np.ndarray:
    """Beyond that of the first candidate, which is the whole model, on the same few rows."""
    return losses - losses[0]


class TestRows:
    """Votes of ensembles on test rows, those that were needed."""

    def __init__(self, rows: Parts) -> None:
        self.rows, self.of = rows, {}

    def measured(self, ensemble: Ensemble, policy: Policy) -> Measures:
        """Of any policy."""
        key = id(ensemble)
        if key not in self.of:
            self.of[key] = LaterVotes(ensemble, self.rows.test, depths_of(ensemble))
        return self.of[key].measured(policy)


def judged(
    method: str,
    at: int,
    loss: float,
    cost: float,
    unit: str,
    make: Callable[[], tuple[Ensemble, Policy]],
    test: TestRows,
) -> Candidate:
    """A candidate by what its judge expects; its cost is known in one unit alone.

    But of stumps: an evaluation of a stump is a node.
    """
    known = {"evaluations": (cost, np.nan), "nodes": (np.nan, cost), "both": (cost, cost)}[unit]
    return Candidate(
        method=method,
        setting=f"candidate {at}",
        policy=(float(loss), *map(float, known)),
        test=lambda: test.measured(*make()),
        make=make,
    )


__all__ = ["SPARSIFY", "TRAIN", "sparsified", "trained"]
