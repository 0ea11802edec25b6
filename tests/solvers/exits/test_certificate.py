import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import MDP, Grid, Votes
from mddag.solvers import Certificate
from tests import strategies


def winners(scores):
    return scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_no_label_changes_on_any_input(data):
    """Codes are drawn, not rows: every combination of leaves, reachable or not."""
    ensemble = data.draw(strategies.ensembles().filter(lambda e: e.n_classifiers > 0))
    seen = ensemble.votes(data.draw(strategies.rows(ensemble.n_features)))
    tables, n_scores = seen.tables, ensemble.n_scores
    grid = data.draw(strategies.grids(n_scores, max_edges=12))
    mdp = MDP(seen, np.zeros(len(seen), int), grid=grid)
    every = data.draw(st.sampled_from([1, 2]))
    policy = Certificate(every).candidates(mdp)[1]

    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    codes = rng.integers(0, tables.n_leaves, size=(200, tables.n_trees)).astype(seen.codes.dtype)
    anything = MDP(Votes(codes, tables), np.zeros(200, int))
    scores, _, _ = anything.rollout(policy)
    full = anything.votes.scores()
    clear = np.ones(200, bool)
    if n_scores > 1:  # the order of summation may break a tie of classes
        best = np.sort(full, axis=1)
        clear = best[:, -1] - best[:, -2] > 1e-9
    np.testing.assert_array_equal(winners(scores)[clear], winners(full)[clear])


def test_it_quits_as_soon_as_the_label_is_certain():
    votes = np.array([[2.0, 1.0, 0.5], [-2.0, -1.0, -0.5], [-2.0, 1.0, 0.5], [2.0, -1.0, 0.5]])
    mdp = MDP(votes, [1, 0, 0, 1], grid=Grid(np.arange(-40, 41) / 10))
    _, n_evaluated, _ = mdp.rollout(Certificate().solve(mdp))
    assert n_evaluated.tolist() == [1, 1, 1, 1]  # 2 is more than 1 + 0.5 can take back


def test_signs_of_the_votes_count():
    """What remains can only rise, so a positive score is certain; a negative one is not."""
    votes = np.array([[0.5, 3.0], [0.5, 4.0], [-0.5, 3.0], [-5.0, 4.0]])
    mdp = MDP(votes, [1, 1, 1, 0], grid=Grid(np.arange(-60, 61) / 10))
    _, n_evaluated, _ = mdp.rollout(Certificate().solve(mdp))
    assert n_evaluated.tolist() == [1, 1, 2, 1]


def test_classes_by_hand():
    """Class 0 leads by 2; class 2 can still gain 1 on it, class 1 nothing."""
    votes = np.array([[[2.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [[1.0, 1.5, 0.0], [0.0, 0.0, 1.0]]])
    mdp = MDP(votes, [0, 1], grid=Grid(np.arange(0, 41) / 10, 3))
    _, n_evaluated, _ = mdp.rollout(Certificate().solve(mdp))
    assert n_evaluated.tolist() == [1, 2]


def test_refuses_parameters_that_make_no_sense():
    with pytest.raises(ValueError, match=r"every is 1.5; wanted a whole number, 1 or more"):
        Certificate(every=1.5)
