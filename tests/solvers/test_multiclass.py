"""Many classes, real rows: the same solvers on ensembles of AdaBoost.MH for K = 26 and K = 10."""

import numpy as np
import pytest

from mddag import MDP, AdaBoostMHClassifier
from mddag.learners import Stump, Tree
from mddag.solvers import Sarsa, WatkinsQ


def letter(data):
    X, y, is_test = data.letter()
    return X[~is_test][:3000].astype(np.float32), y[~is_test][:3000], Tree(n_leaves=8)


def mnist(data):
    X, y, _, _ = data.mnist()
    inner = X[:1500, 4:24:2, 4:24:2]
    return inner.reshape(1500, -1).astype(np.float32), y[:1500], Stump()


@pytest.mark.parametrize("kind", [Sarsa, WatkinsQ])
@pytest.mark.parametrize("read", [letter, mnist])
def test_the_dag_is_better_than_the_full_ensemble_at_its_price(data, read, kind):
    X, y, learner = read(data)
    boost = AdaBoostMHClassifier(learner, n_rounds=50, random_state=0).fit(X, y)
    mdp = MDP(boost.ensemble_.votes(X), y, beta=0.01)
    assert mdp.n_scores == len(np.unique(y)) > 2
    value = mdp.evaluate(kind(n_episodes=200_000, random_state=0).solve(mdp))
    assert value.objective < mdp.evaluate(mdp.evaluate_all()).objective
    assert value.loss < 0.5
    assert 1 < value.n_evaluated < 30
