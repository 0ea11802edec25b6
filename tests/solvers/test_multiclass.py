"""Many classes, real rows: the same solvers on ensembles of AdaBoost.MH for K = 26 and K = 10."""

import numpy as np
import pytest

from mddag import MDP, AdaBoostMHClassifier
from mddag.learners import Stump, Tree
from mddag.policy import Policy
from mddag.solvers import Sarsa, WatkinsQ


def letter(data):
    X, y, is_test = data.letter()
    return X[~is_test][:3000].astype(np.float32), y[~is_test][:3000], Tree(n_leaves=8)


def mnist(data):
    X, y, _, _ = data.mnist()
    inner = X[:1500, 4:24:2, 4:24:2]
    return inner.reshape(1500, -1).astype(np.float32), y[:1500], Stump()


@pytest.mark.parametrize("read", [letter, mnist])
def test_solvers_beat_every_prefix(data, read):
    X, y, learner = read(data)
    boost = AdaBoostMHClassifier(learner, n_rounds=50, random_state=0).fit(X, y)
    mdp = MDP(boost.ensemble_.votes(X), y, beta=0.003)
    assert mdp.n_scores == len(np.unique(y)) > 2
    prefix = min(
        mdp.evaluate(Policy.prefix(j, mdp.n_steps, mdp.grid)).objective
        for j in range(mdp.n_steps + 1)
    )
    for kind in (Sarsa, WatkinsQ):
        policy = kind(n_episodes=300_000, random_state=0).solve(mdp)
        value = mdp.evaluate(policy)
        print(kind, prefix, value)
        assert value.objective < prefix
