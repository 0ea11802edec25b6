import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag.solvers.rejection.cascades import Cascade, ordered_sums
from tests.solvers.rejection.problems import detection_mdp


def cascade_of(mdp, seed, length):
    """Some thresholds, none on a sum of a row, some absent."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(mdp.n_steps)
    sums = ordered_sums(mdp.votes, order, length)
    thresholds = np.quantile(sums, rng.uniform(0, 0.3), axis=1) + 1e-4 / 3
    thresholds[rng.random(length) < 0.3] = -np.inf
    return Cascade(order, thresholds, float(np.median(sums[-1])) + 1e-4 / 3), sums


@given(st.integers(0, 1000), st.integers(1, 12), st.sampled_from([1, 1, 2, 3]))
def test_the_policy_does_what_the_cascade_does(seed, length, every):
    mdp = detection_mdp(seed, n=60)
    length = min(-(-length // every) * every, 12)
    cascade, sums = cascade_of(mdp, seed, length)
    looks = (np.arange(length) + 1) % every == 0
    cascade = Cascade(cascade.order, np.where(looks, cascade.thresholds, -np.inf), cascade.theta)
    positive = mdp.labels > 0
    passing = cascade.passing(sums, positive, mdp.costs, mdp.weight)
    scores, n_evaluated, cost = mdp.rollout(cascade.policy(mdp.votes, every))
    np.testing.assert_array_equal(n_evaluated, passing.steps)
    np.testing.assert_allclose(cost, passing.price[passing.steps])
    np.testing.assert_array_equal(scores[:, 0] > 0, passing.ends.scores > cascade.theta)
    passed = passing.ends.scores > -np.inf
    np.testing.assert_allclose(  # theta is moved by what executors may round
        scores[passed, 0], passing.ends.scores[passed] - cascade.theta, atol=1e-5
    )
    assert (scores[~passed] <= 0).all()


def test_costs_are_those_of_negatives():
    mdp = detection_mdp(n=60, weighted=True)
    cascade, sums = cascade_of(mdp, 1, 8)
    passing = cascade.passing(sums, mdp.labels > 0, 2 * mdp.costs, mdp.weight)
    negative = mdp.labels == 0
    mean = np.average(passing.steps[negative], weights=mdp.weight[negative])
    assert passing.mean_steps == pytest.approx(mean)
    assert passing.mean_cost == pytest.approx(2 * mean)


@pytest.mark.parametrize("theta", [-np.inf, np.inf])
def test_no_theta_is_too_far(theta):
    mdp = detection_mdp(n=60)
    cascade, _ = cascade_of(mdp, 2, 6)
    scores = mdp.rollout(cascade.at(theta).policy(mdp.votes))[0]
    assert np.isfinite(scores).all()
    assert (scores > 0).any() == (theta < 0)


@pytest.mark.parametrize("ties_pass", [False, True])
def test_rows_at_a_threshold_are_on_their_side_of_it(ties_pass):
    mdp = detection_mdp(n=60)
    cascade, sums = cascade_of(mdp, 1, 8)
    thresholds = cascade.thresholds.copy()
    thresholds[2] = np.sort(sums[2])[5]  # the very sum of a row
    theta = np.sort(sums[-1])[40]
    cascade = Cascade(cascade.order, thresholds).at(theta, ties_pass)
    ends = cascade.passing(sums, mdp.labels > 0, mdp.costs).ends.scores
    scores, n_evaluated, _ = mdp.rollout(cascade.policy(mdp.votes))
    assert (n_evaluated[np.argsort(sums[2])[:6]] <= 3).all()
    np.testing.assert_array_equal(scores[:, 0] > 0, ends >= theta if ties_pass else ends > theta)
