import numpy as np
import pytest

from mddag import MDP, Policy
from mddag.solvers import Prefix
from tests.solvers.problems import LOSSES, mdp_of


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("loss", ["zero_one", "exponential"])
def test_it_is_the_best_of_all_prefixes(seed, n_scores, loss):
    mdp = mdp_of(seed, n_scores=n_scores, loss=LOSSES[loss], weighted=True, n_steps=6)
    all_of_them = [Policy.prefix(n, 6, mdp.grid) for n in range(7)]
    wanted = min(mdp.evaluate(policy).objective for policy in all_of_them)
    assert mdp.evaluate(Prefix().solve(mdp)).objective == pytest.approx(wanted)


def test_candidates_are_the_prefixes_from_the_longest():
    mdp = mdp_of(0)
    candidates = Prefix().candidates(mdp)
    for c, n in enumerate([4, 3, 2, 1, 0]):
        wanted = Policy.prefix(n, 4, mdp.grid)
        np.testing.assert_array_equal(candidates[c].actions, wanted.actions)


def test_by_hand():
    """Two votes decide all four rows; the third only costs."""
    votes = [[0.5, 1.0, 0.1], [0.5, -1.0, 0.1], [-0.5, 1.0, 0.1], [-0.5, -1.0, 0.1]]
    mdp = MDP(np.array(votes), [1, 0, 1, 0], beta=0.01)
    value = mdp.evaluate(Prefix().solve(mdp))
    assert (value.loss, value.cost) == (0.0, 2.0)
