"""Documents query by query, and what an order loses against the full model's own."""

import numpy as np
import pytest

from mddag.metrics import NDCG, MeanNDCG
from mddag.metrics.queries import Queries
from mddag.solvers.ranking.problem import RankingProblem, joined
from tests import rankings


def test_rows_in_any_order_are_the_same_problem():
    X, y, qid = rankings.documents(seed=2)
    mixed = np.lexsort((np.arange(len(qid)), -qid))  # queries from the last to the first
    votes, labels = rankings.ensemble().votes(X[mixed]), y[mixed].astype(float)
    queries = Queries.of(qid[mixed], len(qid))
    other, same = RankingProblem.of(votes, queries, NDCG(5), labels), rankings.problem()
    for a, b in ((0, len(queries) - 1), (5, len(queries) - 6)):
        one, two = other.some(np.array([a])), same.some(np.array([b]))
        assert (one.full == two.full).all()
        assert (one.labels == two.labels).all()


def test_teacher_loss():
    problem = rankings.problem(metric=MeanNDCG())
    gains = np.exp(problem.full)
    assert problem.teacher_loss(problem.full, gains) == pytest.approx(0, abs=1e-12)
    lost = problem.teacher_loss(-problem.full, gains)
    assert (lost >= -1e-12).all()
    assert lost.mean() > 0.1
    assert (lost[problem.queries.sizes == 1] == 0).all()
    assert (problem.teacher_loss(-problem.full, np.zeros(len(gains))) == 0).all()
    assert problem.label_loss(problem.full).max() == 0
    assert problem.label_loss(-problem.full).mean() > 0.05


def test_documents_near_the_top_count_most():
    problem = rankings.problem(metric=NDCG(3))
    weight = problem.closeness(1.0)
    ranks = np.empty(len(weight), int)
    ranks[problem.queries.order(problem.full)] = problem.queries.ranks
    assert (weight[ranks < 3] == 1).all()
    assert (weight[ranks > 3] < 1).all()
    assert (problem.closeness(0.0) == 1).all()


def test_joined_problems_have_no_labels():
    problem = rankings.problem()
    both = joined([problem, problem])
    assert both.labels is None
    assert both.full.tolist() == problem.full.tolist() * 2
    assert len(both.queries) == 2 * len(problem.queries)
