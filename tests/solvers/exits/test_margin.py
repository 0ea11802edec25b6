import numpy as np
import pytest

from mddag import MDP, Grid
from mddag.mdp.policy import QUIT
from mddag.solvers import Margin


def margin(scores):
    if scores.shape[1] == 1:
        return np.abs(scores[:, 0])
    top = np.sort(scores, axis=1)
    return top[:, -1] - top[:, -2]


@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("every", [1, 3])
def test_every_candidate_is_one_threshold(n_scores, every):
    """Scores between edges that are symmetric: a rollout quits at the first margin above it."""
    rng = np.random.default_rng(0)
    votes = rng.normal(size=(40, 8, n_scores))
    edges = np.arange(-40, 41) / 10 if n_scores == 1 else np.arange(0, 41) / 10
    mdp = MDP(votes, rng.integers(0, 2, 40), grid=Grid(edges, n_scores))
    candidates = Margin(every).candidates(mdp)
    sums = np.concatenate([np.zeros((40, 1, n_scores)), np.cumsum(votes, axis=1)], axis=1)
    for threshold, policy in zip(candidates.knobs, candidates, strict=True):
        _, n_evaluated, _ = mdp.rollout(policy)
        for i in range(40):
            looks = range(0, 8, every)
            quits = [j for j in looks if j and margin(sums[i, j][None])[0] > threshold]
            start = (
                0 if policy.actions[0, mdp.grid.cells(np.zeros((1, n_scores)))[0]] == QUIT else 8
            )
            assert n_evaluated[i] == min([start, *quits])


def test_confident_rows_quit_and_doubtful_ones_go_on():
    votes = np.array([[3.0, 0.5], [-3.0, 0.5], [0.5, -1.0], [-0.5, 1.0]])
    mdp = MDP(votes, [1, 0, 0, 1], beta=0.01, grid=Grid([-2.0, -1.0, 0.0, 1.0, 2.0]))
    value = mdp.evaluate(Margin().solve(mdp))
    assert (value.loss, value.cost) == (0.0, 1.5)


def test_refuses_parameters_that_make_no_sense():
    with pytest.raises(ValueError, match="every is 0; wanted a whole number, 1 or more"):
        Margin(every=0)
