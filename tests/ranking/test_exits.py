"""Exits: what is fitted to documents of queries, the policies, and settings on other queries."""

import numpy as np
import pytest

from mddag.metrics import NDCG, MeanNDCG
from mddag.metrics.ranking import Queries
from mddag.policy.grid import Grid
from mddag.ranking import ProximityExits, UrgencyExits, problem
from mddag.ranking.front import cross_fitted, efficient
from mddag.ranking.problem import (
    RankingProblem,
    block_sums,
    check_points,
    fitted_readings,
    gain_curve,
    query_covariances,
    top_order,
)
from mddag.ranking.states import Documents, Gap, Readings, Urgency
from tests import rankings

GRID = Grid(np.array([-1.0, 0.0, 1.0]))


def readings():
    given = {
        "checks": [8, 16, 20],
        "weights": [[2.0, 0, 0], [1.5, 1.2, 0], [1, 1, 1]],
        "level": [0.5, 0.25, 0.0],
        "edges": [[0.0], [0.0], [0.0]],
        "spread": [[1.0, 2.0], [0.5, 1.0], [1e-9, 1e-9]],
        "gain_at": [-1.0, 0.0, 1.0],
        "gain": [0.0, 1.0, 3.0],
    }
    return Readings(**{name: np.array(value) for name, value in given.items()}, slope=1.5)


def family():
    return UrgencyExits().fit(rankings.problem())


def folded(exits=None, given=None, **how):
    given = rankings.problem() if given is None else given
    return cross_fitted(exits or UrgencyExits(), given, np.random.RandomState(0), **how)


# Problems: what an order loses against the full model's own.


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


def test_losses():
    given = rankings.problem(metric=MeanNDCG())
    gains = np.exp(given.full)
    assert given.order_loss(given.full, gains) == pytest.approx(0, abs=1e-12)
    lost = given.order_loss(-given.full, gains)
    assert (lost >= -1e-12).all()
    assert lost.mean() > 0.1
    assert (lost[given.queries.sizes == 1] == 0).all()
    assert (given.order_loss(-given.full, np.zeros(len(gains))) == 0).all()
    assert given.label_loss(given.full).max() == 0
    assert given.label_loss(-given.full).mean() > 0.05


def test_documents_near_the_top_count_most():
    given = rankings.problem(metric=NDCG(3))
    weight = given.closeness(1.0)
    ranks = np.empty(len(weight), int)
    ranks[given.queries.order(given.full)] = given.queries.ranks
    assert (weight[ranks < 3] == 1).all()
    assert (weight[ranks > 3] < 1).all()


# Order and readings.


def test_covariances_are_about_the_mean_of_each_query(monkeypatch):
    given = rankings.problem(12)
    votes, weight = given.votes.dense()[:, :, 0], given.closeness(problem.ORDER_FOCUS)
    wanted = np.zeros((votes.shape[1], votes.shape[1]))
    for q in range(len(given.queries)):
        of = slice(given.queries.starts[q], given.queries.starts[q + 1])
        centred = votes[of] - np.average(votes[of], axis=0, weights=weight[of])
        wanted += centred.T @ (centred * weight[of][:, None])
    for block in (problem.BLOCK, 1):  # all at once, a query at a time
        monkeypatch.setattr(problem, "BLOCK", block)
        np.testing.assert_allclose(query_covariances(given), wanted / len(votes), atol=1e-5)


def test_partial_sums_in_the_new_order_are_nearer_to_the_full_score():
    given = rankings.problem(120)
    votes = given.votes.dense()[:, :, 0]
    found = top_order(given)
    assert sorted(found) == list(range(votes.shape[1]))
    near = [
        np.corrcoef(votes[:, some].sum(axis=1), given.full)[0, 1]
        for some in (found[:16], np.arange(16))
    ]
    assert near[0] > near[1]


def test_check_points():
    assert check_points(80, 8).tolist() == [8, 16, 24, 32, 40, 48, 56, 64, 80]
    assert check_points(500, 8, 1.0).tolist() == [8, 16, 32, 64, 128, 256, 500]
    assert check_points(8, 8).tolist() == [8]
    assert check_points(3, 8).tolist() == [3]


def test_fitted_readings():
    given = rankings.problem(150)
    checks = check_points(given.n_steps, 8)
    blocks = block_sums(given, np.arange(given.n_steps)[::-1], checks)
    found = fitted_readings(given, blocks, checks, gain_curve(given, True))
    np.testing.assert_allclose(found.read(blocks, len(found) - 1), given.full)
    off = [given.full - found.read(blocks, c) for c in range(len(found))]
    assert [o.mean() for o in off] == pytest.approx([0] * len(off), abs=1e-9)
    deviation = [o.std() for o in off]
    assert deviation == sorted(deviation, reverse=True)
    spread = found.spreads(found.read(blocks, 2), 2)
    assert np.sqrt(np.mean(spread**2)) == pytest.approx(deviation[2], rel=0.01)
    assert found.gains(given.full).mean() == pytest.approx((2**given.labels - 1).mean(), rel=0.1)


@pytest.mark.parametrize("odds", [True, False])
def test_gains_without_labels_rise(odds):
    at, gain = gain_curve(rankings.problem(labels=False), odds)
    assert (np.diff(at) > 0).all()
    assert (np.diff(gain) >= 0).all()
    assert gain[-1] > gain[0] >= 0


# States.


def test_numbers_of_documents():
    given = GRID, readings()
    read, queries = np.array([1.0, 3.0, 2.0, 5.0, 5.0]), Queries.of_sizes([3, 2])
    documents = Documents(queries, np.zeros((5, 3)), read, np.ones(5), np.ones(5, bool))
    assert Gap(*given, 2).numbers(documents).tolist() == [-1, 1, 0, 0, 0]
    assert Gap(*given, 9).numbers(documents).tolist() == [0, 2, 1, 0, 0]  # of few the last
    urgency = Urgency(*given, NDCG(1)).numbers(documents)
    assert (urgency > 0).all()
    assert urgency[3] == urgency[4]
    assert (Urgency(*given, MeanNDCG()).numbers(documents) > 0).all()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Gap(GRID, readings(), 1).start(np.zeros(1), 3), ValueError, "qid"),
        (lambda: UrgencyExits(every=4), ValueError, "every is 4"),
        (lambda: ProximityExits(k=0), ValueError, "k is 0"),
        (lambda: UrgencyExits(growth=np.nan).fit(rankings.problem()), ValueError, "growth is nan"),
        (lambda: folded(given=rankings.problem(1)), ValueError, "there is 1 query"),
    ],
)
def test_bad_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call()


# Families of policies, and their settings on queries out of fold.


@pytest.mark.parametrize("exits", [UrgencyExits(), ProximityExits()])
def test_exits_trade_loss_for_steps(exits):
    rankings.check_trade(exits)


def test_a_larger_price_quits_sooner():
    found, given = family(), rankings.problem(seed=3)
    blocks, gains = found.blocks(given), found.gains(given)
    runs = [found.run(blocks, given.queries, price) for price in (0.0, 1e-4, 1e-3, 1e-2, 10.0)]
    steps = [s.mean() for _, s in runs]
    lost = [given.order_loss(r, gains).mean() for r, _ in runs]
    assert steps == sorted(steps, reverse=True)
    assert lost[0] < 1e-9
    assert lost[1] < lost[-1]
    assert steps[-1] == 8


def test_more_queries_serve_order_and_readings_but_not_gains():
    given, more = rankings.problem(), rankings.problem(200, seed=1)
    alone, together = UrgencyExits().fit(given), UrgencyExits().fit(given, more=more)
    assert (alone.state.readings.gain == together.state.readings.gain).all()
    assert not np.array_equal(alone.order, together.order)


def test_every_query_is_measured_out_of_fold():
    given = rankings.problem(30)
    found = folded(given=given)
    full, *cheaper = found.candidates
    assert len(cheaper) == len(UrgencyExits.settings)
    assert all(c.order_losses.shape == c.label_losses.shape == (30,) for c in cheaper)
    assert full.mean_cost >= cheaper[0].mean_cost
    assert (np.diff([c.mean_cost for c in cheaper]) <= 1e-9).all()
    assert cheaper[0].order_losses.mean() < cheaper[-1].order_losses.mean()
    for other in (folded(given=given), folded(given=given, n_jobs=2)):
        for one, two in zip(cheaper, other.candidates[1:], strict=True):
            assert (one.order_losses == two.order_losses).all()
            assert (one.label_losses == two.label_losses).all()
            assert one.mean_cost == two.mean_cost
    assert folded(given=rankings.problem(30, labels=False)).candidates[1].label_losses is None


def test_of_pairs_the_front_is_kept():
    cheaper = folded(ProximityExits(k=3)).candidates[1:]
    assert (np.diff([c.mean_cost for c in cheaper]) < 0).all()
    assert (np.diff([c.order_losses.mean() for c in cheaper]) >= 0).all()
    assert len(cheaper) < len(ProximityExits.settings)
    losses, costs = np.array([0.0, 0.1, 0.1, 0.2, 0.3]), np.array([9.0, 5.0, 4.0, 6.0, 1.0])
    assert efficient(losses, costs).tolist() == [0, 2, 4]
