"""What mddag makes of the same models: sparsify of the full one, and train.

`sparsify` learns on 70 % of the policy rows and judges by the others, as the public function does
for a budget; its candidates are those that its judge has, with the judge's losses as their errors.
Prices are one per base classifier, or nodes per base classifier (objective="nodes").
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.quality.curves import Candidate
from benchmarks.quality.nodes import depths_of, mean_nodes
from benchmarks.quality.rivals import LaterVotes, pair
from benchmarks.quality.rows import Parts
from mddag import MDP, Ensemble, Grid
from mddag._internal.row_sampling import stratified
from mddag.ensemble.routing import with_regions
from mddag.solvers import Portfolio
from mddag.tuning.routes import with_routes

SELECTION = 0.3  # of the policy rows
BETAS = np.geomspace(3e-3, 1e-5, 10)  # prices of a base classifier
SPARSIFY = {"evaluations": "sparsify", "nodes": "sparsify, nodes"}


def sparsified(full: Ensemble, rows: Parts, objective: str, seed: int) -> Iterator[Candidate]:
    """All candidates of the default solver on the full model."""
    votes, y = full.votes(rows.policy.X), rows.policy.y
    leaf_depths = depths_of(full)
    prices = mean_nodes(votes, leaf_depths)
    costs = np.ones(len(prices)) if objective == "evaluations" else prices
    mdp = MDP(votes, y, costs=costs, grid=Grid.quantile(votes))
    selection = stratified(y, SELECTION, np.random.default_rng(seed))
    learning = np.setdiff1d(np.arange(len(y)), selection)
    test = LaterVotes(full, rows.test, leaf_depths)
    if objective == "evaluations":
        X, X_train, X_test = (full.features.rows(s.X) for s in (rows.policy, rows.train, rows.test))
        mdp.votes = with_routes(full, mdp, X, learning, X_train)
        routings = [route.routing for route in mdp.votes.routes]
        test.votes = with_regions(test.votes, routings, X_test)
    betas = (BETAS / costs.mean()).tolist()
    pool = Portfolio(random_state=0).judged(mdp.rows(learning), betas, mdp.rows(selection))
    for at, (loss, cost) in enumerate(zip(pool.losses, pool.costs, strict=True)):
        in_nodes = cost if objective == "nodes" else cost * prices.mean()
        policy = partial(pool.candidate, at)
        yield Candidate(
            method=SPARSIFY[objective],
            setting=f"candidate {at}",
            policy=(float(loss), float(cost), float(in_nodes)),
            test=lambda policy=policy: test.measured(policy()),
            make=lambda policy=policy: pair(full, policy()),
        )
