import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from mddag import MDP, Grid
from mddag.ensemble.rescaling import Rescaling
from mddag.ensemble.votes import Votes, partial_sums, top_and_margin
from mddag.policy import Correlation
from mddag.policy.arrangement import (
    FARTHEST,
    MARGIN,
    Arrangement,
    arranged,
    by_lines,
    by_log_odds,
    fitted_levels,
)
from mddag.solvers import Margin, Prefix


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


def test_votes_that_say_nothing_move_nothing():
    votes = Votes.from_dense(np.zeros((3, 2)), [0.5])
    levels = fitted_levels(votes, np.array([1, 0]))
    assert not levels.start.any()
    assert not levels.shift.any()


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


def boosted(n=600, n_classifiers=12, n_scores=5, seed=0):
    """Votes that grow towards one class of a row, each for some of the classes above all."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_scores, n)
    told = rng.random((n_classifiers, n_scores)) < 0.4
    votes = 0.4 * rng.normal(size=(n, n_classifiers, n_scores)) + rng.normal(size=n_scores)
    votes[np.arange(n), :, truth] += told[:, truth].T
    return Votes.from_dense(votes, np.linspace(-1, 1, n_scores)), truth


def test_probabilities_are_right_on_average_at_every_step():
    """First-order conditions of the best factor and the best constants."""
    votes, _ = boosted()
    weight = np.random.default_rng(1).random(600)
    levels, bias = by_log_odds(votes, weight), votes.tables.bias
    full = votes.scores()
    rms = np.sqrt(np.average(top_and_margin(full)[1] ** 2, weights=weight))
    wanted = softmax(full * MARGIN / rms, axis=1)

    def unlikely(factor, f):
        return -weight @ (wanted * log_softmax(factor * f, axis=1)).sum(axis=1)

    for j, scores in enumerate(partial_sums(votes)):
        if 0 < j < 12:
            f = scores - bias + levels[j]
            best = minimize_scalar(lambda a, f=f: unlikely(a, f), (0.1, 10.0)).x
            found = softmax(best * f, axis=1)
            shares = (weight / weight.sum()) @ (found - wanted)
            np.testing.assert_allclose(shares, 0, atol=1e-3)
    np.testing.assert_allclose(levels[-1], bias)
    assert levels.shape == (13, 5)


def test_the_unit_of_the_votes_does_not_matter():
    votes, _ = boosted()
    large = Votes.from_dense(1000 * votes.dense(), 1000 * votes.tables.bias)
    ones = np.ones(600)
    np.testing.assert_allclose(by_log_odds(large, ones), 1000 * by_log_odds(votes, ones), rtol=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_levels_stay_within_reach_where_sums_tell_nothing_class_levels(seed):
    votes = Votes.from_dense(np.random.default_rng(seed).normal(size=(6, 24, 3)))
    levels = by_log_odds(votes, np.ones(6))
    assert np.isfinite(levels).all()
    assert np.abs(levels).max() <= FARTHEST * votes.tables.reach().sum() + 1e-9


def many_classes(n, seed):
    """26 classes of unlike spread; few voters for each row know it, and the best come late."""
    rng = np.random.default_rng(seed)
    made = np.random.default_rng(99)
    centers = made.normal(size=(26, 10)) * np.linspace(0.6, 1.6, 26)[:, None]
    truth = rng.integers(0, 26, n)
    rows = centers[truth] + 0.5 * rng.normal(size=(n, 10))
    votes = np.empty((n, 40, 26))
    for j in range(40):
        seen = made.choice(10, 3, replace=False)
        distance = np.square(rows[:, None, seen] - centers[None][:, :, seen]).sum(axis=2)
        votes[:, j] = 0.2 * (0.4 + j / 40) * np.maximum(-distance, -6) + made.normal(size=26) * 0.3
    votes -= votes.mean(axis=(0, 1), keepdims=True)
    return np.round(votes, 3), truth


def errors_within(budgets, arrangement, family, learning, fresh):
    grid = Grid.quantile(arrangement.votes(learning.votes), 256)
    there, here = (mdp.arranged(arrangement, grid) for mdp in (learning, fresh))
    losses, costs = family.candidates(there).evaluate(here)
    return np.array([losses[costs <= budget].min() for budget in budgets])


@pytest.mark.parametrize("family", [Prefix(), Margin()])
def test_many_classes_are_told_apart_sooner(family):
    """The new order on its levels against the given one, and against levels by least squares."""
    learning, fresh = (MDP(*many_classes(n, seed)) for n, seed in ((1500, 0), (3000, 1)))
    given = Arrangement(np.arange(40))
    log_odds, lines = (
        arranged(Correlation(), learning.votes, levels=levels) for levels in (by_log_odds, by_lines)
    )
    by_given, by_lines_, by_log_odds_ = (
        errors_within([2, 4, 8, 16], a, family, learning, fresh) for a in (given, lines, log_odds)
    )
    noise = 2 * np.sqrt(0.25 / 3000)
    assert (by_log_odds_ <= by_given + noise).all()
    assert by_log_odds_.mean() < by_given.mean()
    assert by_log_odds_.mean() < by_lines_.mean()
