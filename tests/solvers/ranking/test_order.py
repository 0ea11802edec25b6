"""The order of base classifiers of a ranker."""

import numpy as np

from mddag.solvers.ranking import order
from mddag.solvers.ranking.order import query_covariances, top_order
from tests import rankings


def test_covariances_are_about_the_mean_of_each_query():
    problem = rankings.problem(12)
    votes, weight = problem.votes.dense()[:, :, 0], problem.closeness(order.FOCUS)
    wanted = np.zeros((votes.shape[1], votes.shape[1]))
    for q in range(len(problem.queries)):
        of = slice(problem.queries.starts[q], problem.queries.starts[q + 1])
        centred = votes[of] - np.average(votes[of], axis=0, weights=weight[of])
        wanted += centred.T @ (centred * weight[of][:, None])
    found = query_covariances(problem)
    np.testing.assert_allclose(found, wanted / len(votes), atol=1e-5)


def test_blocks_change_nothing(monkeypatch):
    problem = rankings.problem()
    whole = query_covariances(problem)
    monkeypatch.setattr(order, "BLOCK", 1)  # a query at a time
    np.testing.assert_allclose(query_covariances(problem), whole, atol=1e-5)


def test_partial_sums_in_the_new_order_are_nearer_to_the_full_score():
    problem = rankings.problem(120)
    votes = problem.votes.dense()[:, :, 0]
    found = top_order(problem)
    assert sorted(found) == list(range(votes.shape[1]))
    near = [
        np.corrcoef(votes[:, some].sum(axis=1), problem.full)[0, 1]
        for some in (found[:16], np.arange(16))
    ]
    assert near[0] > near[1]
