import numpy as np
import pytest

from mddag.ensemble.rescaling import Rescaling
from mddag.ensemble.votes import Votes
from mddag.ordering import Correlation, Given
from mddag.ordering.arrangement import FARTHEST, Arrangement, arranged, fitted_levels


def random_votes(n_scores=1, n=500, n_classifiers=8):
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(n, 1, n_scores))
    votes = (
        latent
        + rng.normal(size=(n, n_classifiers, n_scores))
        + rng.normal(size=n_classifiers)[:, None]
    )
    return Votes.from_dense(np.round(votes, 1), np.full(n_scores, -1.0))


@pytest.mark.parametrize("n_scores", [1, 3])
def test_the_full_sum_stays_and_partial_sums_get_their_level(n_scores):
    votes = random_votes(n_scores)
    arrangement = arranged(Correlation(), votes)
    new = arrangement.votes(votes)
    np.testing.assert_allclose(new.scores(), votes.scores(), atol=1e-9)
    assert sorted(arrangement.order) == list(range(8))


def test_a_partial_sum_has_the_sign_of_the_expected_full_score():
    votes = random_votes()
    order = np.arange(8)[::-1].copy()
    weight = np.random.default_rng(1).random(500)
    new = Arrangement(order, fitted_levels(votes, order, weight)).votes(votes)
    full = votes.scores()[:, 0]
    rms = np.sqrt(np.average(full**2, weights=weight))
    for j in range(1, 8):
        f = new.tables.bias[0] + new.dense()[:, :j, 0].sum(axis=1)
        slope, level = np.polyfit(f, full, 1, w=np.sqrt(weight * np.exp(-np.abs(full) / rms)))
        assert slope > 0
        assert level == pytest.approx(0, abs=1e-9)
    assert new.tables.bias[0] * np.average(full, weights=weight * np.exp(-np.abs(full) / rms)) > 0


def test_the_given_order_keeps_its_levels():
    assert arranged(Given(), random_votes()).rescaling is None


def test_votes_that_say_nothing_move_nothing():
    votes = Votes.from_dense(np.zeros((3, 2)), [0.5])
    levels = fitted_levels(votes, np.array([1, 0]))
    assert not levels.start.any()
    assert not levels.shift.any()


def test_a_class_that_nobody_votes_for_keeps_its_bias():
    dense = random_votes(3)
    tables = dense.tables
    one = Votes.from_dense(dense.dense()[:, :, :1], [0.0])
    alone = type(tables)(
        one.tables.values,
        one.tables.starts,
        np.zeros(8, np.int32),
        one.tables.rounds,
        np.array([0.0, 0.25, 0.5]),
    )
    levels = fitted_levels(Votes(one.codes, alone), np.arange(8)[::-1].copy())
    assert levels.shift[:, 0].any()
    assert not levels.shift[:, 1:].any()
    assert levels.start[1:].tolist() == [0, 0]


def test_an_arrangement_of_an_arrangement_is_one_of_the_source():
    votes = random_votes()
    shift = np.arange(8.0)[:, None]
    few = Arrangement(
        np.array([5, 2, 7, 0, 1, 3, 4, 6]),
        Rescaling(np.ones(1), shift, np.arange(8.0)[:, None]),
        n_kept=3,
    )
    inner = Arrangement(
        np.array([2, 0, 1]), Rescaling(np.array([-2.0]), shift[:3], np.array([[3.0], [1.0], [2.0]]))
    )
    both = few.then(inner)
    assert both.kept.tolist() == [7, 5, 2]
    at_once, stepwise = both.votes(votes), inner.votes(few.votes(votes))
    np.testing.assert_allclose(at_once.dense(), stepwise.dense())
    np.testing.assert_allclose(at_once.tables.bias, stepwise.tables.bias)


def test_an_order_may_be_any_permutation_and_nothing_else():
    votes = random_votes()
    backwards = arranged(lambda votes, costs, weight: [7, 6, 5, 4, 3, 2, 1, 0], votes)
    assert backwards.order.tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    with pytest.raises(ValueError, match=r"order holds 2 numbers; wanted each of 0\.\.7 once"):
        arranged(lambda votes, costs, weight: [0, 1], votes)


@pytest.mark.parametrize("seed", range(20))
def test_levels_stay_within_reach_where_sums_tell_nothing(seed):
    votes = Votes.from_dense(np.random.default_rng(seed).normal(size=(6, 24, 3)))
    rescaling = fitted_levels(votes, np.arange(24))
    most = FARTHEST * votes.tables.reach().sum()
    levels = rescaling.start + np.cumsum(rescaling.shift, axis=0)
    assert np.abs(levels).max() <= most + 1e-9
