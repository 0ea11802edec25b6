"""What every exported ordering must do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from mddag import MDP, Votes
from mddag.policy import Correlation, Given
from mddag.policy.arrangement import arranged
from mddag.solvers import Prefix
from tests import strategies
from tests.reference import ordering as twin

ORDERINGS = [Correlation, Given]


@pytest.mark.parametrize("kind", ORDERINGS)
@given(data=st.data())
@settings(deadline=None, max_examples=30)
def test_an_order_is_a_permutation_and_keeps_the_full_sum(kind, data):
    ensemble = data.draw(strategies.ensembles())
    votes = ensemble.votes(data.draw(strategies.rows(ensemble.n_features)))
    order = kind()(votes)
    assert order.dtype == np.intp
    assert sorted(order.tolist()) == list(range(len(ensemble)))
    np.testing.assert_allclose(votes.reordered(order).scores(), votes.scores(), atol=1e-12)


@pytest.mark.parametrize("kind", ORDERINGS)
def test_a_policy_of_the_new_order_serves_the_old(kind):
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(300, 1))
    votes = 0.2 * truth * rng.uniform(size=20) ** 2 + 0.1 * rng.normal(size=(300, 20))
    mdp = MDP(votes, (truth[:, 0] > 0).astype(int), beta=0.005)
    arrangement = arranged(kind(), mdp.votes, mdp.costs, mdp.weight)
    reordered = mdp.arranged(arrangement)
    policy = Prefix().solve(reordered)
    there, here = reordered.evaluate(policy), mdp.evaluate(policy.after(arrangement))
    assert here.objective == pytest.approx(there.objective)


@pytest.mark.parametrize("kind", [k for k in ORDERINGS if k is not Given])
def test_a_good_order_makes_better_prefixes(kind):
    """Nineteen base classifiers of noise, then one that is always right: it must come first."""
    rng = np.random.default_rng(1)
    truth = rng.choice([-1.0, 1.0], size=400)
    votes = 0.01 * rng.normal(size=(400, 20))
    votes[:, 19] = truth
    assert kind()(Votes.from_dense(votes))[0] == 19


@pytest.mark.parametrize("kind", ORDERINGS)
def test_repr_is_the_constructor_call_and_clones_are_equal(kind):
    assert eval(repr(kind())) == kind()
    assert clone(kind()) == kind()


@pytest.mark.parametrize("kind", [k for k in ORDERINGS if k is not Given])
def test_refuses_prices_that_do_not_fit(kind):
    votes = Votes.from_dense(np.eye(3))
    with pytest.raises(
        ValueError, match=r"costs has shape \(2,\); wanted one number per base classifier"
    ):
        kind()(votes, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"costs\[1\] is -1.0; wanted finite numbers, 0 or more"):
        kind()(votes, [1.0, -1.0, 1.0])
    with pytest.raises(
        ValueError, match=r"weight has shape \(4,\); wanted one number per row, \(3,\)"
    ):
        kind()(votes, None, np.ones(4))


@given(
    seed=st.integers(0, 10_000),
    n_scores=st.sampled_from([1, 1, 2, 3]),
    focus=st.sampled_from([0.0, 1.0, 3.0]),
    priced=st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_every_choice_is_the_best_there_is(seed, n_scores, focus, priced):
    rng = np.random.default_rng(seed)
    n, n_classifiers = rng.integers(2, 12), rng.integers(1, 7)
    bias = rng.normal(size=n_scores)
    votes = Votes.from_dense(rng.normal(size=(n, n_classifiers, n_scores)), bias)
    costs = rng.uniform(0.5, 3, n_classifiers) if priced else np.ones(n_classifiers)
    weight = rng.uniform(0.1, 2, n)

    order = Correlation(focus)(votes, costs, weight).tolist()

    assert sorted(order) == list(range(n_classifiers))
    row_weights = twin.row_weights(votes, weight, focus)
    for step, j in enumerate(order):
        worths = twin.worths(votes, order[:step], costs, row_weights)
        assert worths[j] == pytest.approx(max(worths.values()), abs=1e-4)  # float32 products


def test_the_level_of_a_vote_does_not_matter():
    rng = np.random.default_rng(0)
    votes = rng.normal(size=(200, 5))
    order = Correlation()(Votes.from_dense(votes))
    full = votes.sum(axis=1)
    shifted = votes + np.array(
        [3, -1, 2, -5, 1]
    )  # the full score stays, so do the rows that are narrow
    np.testing.assert_allclose(shifted.sum(axis=1), full)
    assert Correlation()(Votes.from_dense(shifted)).tolist() == order.tolist()


def test_large_constants_do_not_blur_it():
    rng = np.random.default_rng(1)
    votes = rng.normal(size=(100, 6))
    shifted = votes + 1e5 * rng.normal(size=6)
    orders = [Correlation(focus=0)(Votes.from_dense(v)).tolist() for v in (votes, shifted)]
    assert orders[0] == orders[1]


def test_what_is_cheap_comes_before_what_is_dear():
    rng = np.random.default_rng(2)
    truth = rng.normal(size=300)
    votes = np.stack([truth + 0.1 * rng.normal(size=300) for _ in range(2)], axis=1)
    for costs, first in (([1.0, 5.0], 0), ([5.0, 1.0], 1), ([5.0, 0.0], 1)):
        assert Correlation()(Votes.from_dense(votes), costs)[0] == first


def test_rows_without_weight_do_not_count():
    rng = np.random.default_rng(3)
    votes = rng.normal(size=(200, 5))
    weight = np.repeat([1.0, 0.0], 100)
    some = Correlation(focus=0)(Votes.from_dense(votes[:100]))
    np.testing.assert_array_equal(Correlation(focus=0)(Votes.from_dense(votes), None, weight), some)


def test_many_rows_are_thinned():
    rng = np.random.default_rng(4)
    votes = rng.normal(size=(1000, 5))
    thinned = Correlation(max_rows=10)(Votes.from_dense(votes))
    rows = np.linspace(0, 999, 10).astype(int)
    np.testing.assert_array_equal(thinned, Correlation()(Votes.from_dense(votes[rows])))


def test_votes_that_say_nothing_keep_their_order():
    assert Correlation()(Votes.from_dense(np.zeros((5, 4)))).tolist() == [0, 1, 2, 3]
