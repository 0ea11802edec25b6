"""What every exported ordering must do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from mddag import MDP, Votes, ordering
from mddag.ordering import *  # noqa: F403  (repr is evaluated)
from mddag.ordering.arrangement import arranged
from mddag.solvers import Prefix
from tests import strategies

ORDERINGS = [getattr(ordering, name) for name in ordering.__all__ if name != "Ordering"]


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


@pytest.mark.parametrize("kind", [k for k in ORDERINGS if k is not ordering.Given])
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


@pytest.mark.parametrize("kind", [k for k in ORDERINGS if k is not ordering.Given])
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
