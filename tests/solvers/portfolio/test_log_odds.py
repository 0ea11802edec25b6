import numpy as np
import pytest

from mddag import MDP, Votes
from mddag.calibration.calibration import probabilities
from mddag.losses import Logistic
from mddag.ordering import Correlation
from mddag.solvers import Portfolio
from mddag.solvers.portfolio.arranged_rows import RowsByArrangement, RowSubset
from mddag.solvers.portfolio.log_odds import (
    applies_to,
    are_coded_alike,
    condensed,
    joined_rows,
    log_odds,
)


def taught(n=4000, seed=0, scale=1.0):
    """Twelve votes, of which a teacher heeds the first three, thrice as much as their sum does."""
    rng = np.random.default_rng(seed)
    votes = Votes.from_dense(np.round(rng.normal(size=(n, 12, 1)) * 0.5, 1))
    wanted = 3 * votes.dense()[:, :3].sum(axis=1)
    return MDP(votes, probabilities(scale * wanted, 1.0), loss=Logistic(scale)), wanted


def test_log_odds_are_scores_of_these_probabilities():
    scores = np.random.default_rng(0).normal(size=(20, 1))
    np.testing.assert_allclose(log_odds(probabilities(scores, 1.0)), scores)


def test_certain_targets_have_finite_log_odds():
    assert np.isfinite(log_odds(np.array([[0.0, 1.0], [1.0, 0.0]]))).all()


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_few_follow_the_teacher_in_units_of_the_scores(scale):
    mdp, wanted = taught(scale=scale)
    arrangement = condensed(mdp, 3, 4000).arrangement(3)
    assert sorted(arrangement.kept) == [0, 1, 2]
    found = arrangement.votes(mdp.votes).scores()
    np.testing.assert_allclose(found, wanted, atol=0.2 * wanted.std())  # the ridge draws to 0


def test_rows_without_doubt_count_too():
    """A vote that tells a little of doubtful rows, and one without which sure rows are lost."""
    signs = np.tile([-1.0, 1.0], 500)
    votes = np.zeros((2000, 2, 1))
    votes[:1000, 0, 0], votes[1000:, 1, 0] = 0.2 * signs, 10.0 * signs
    mdp = MDP(votes, probabilities(votes.sum(axis=1), 1.0), loss=Logistic())
    assert condensed(mdp, 1, 2000).chosen[0] == 1


def test_it_applies_to_probabilities_of_two_classes():
    mdp = taught()[0]
    assert applies_to(mdp)
    assert not applies_to(MDP(mdp.votes, mdp.labels))
    assert not applies_to(MDP(np.zeros((5, 2, 3)), np.zeros(5, int), loss=Logistic()))


def test_joined_rows_are_those_of_both():
    mdp = taught()[0]
    first, rest = np.arange(200), np.arange(200, 4000)
    both = joined_rows(mdp.rows(first), mdp.rows(rest))
    np.testing.assert_array_equal(both.votes.codes, mdp.votes.codes)
    np.testing.assert_array_equal(both.labels, mdp.labels)
    np.testing.assert_array_equal(both.weight, mdp.weight)
    assert both.loss == mdp.loss


def test_arrays_that_are_coded_apart_do_not_mix():
    learning, selection = taught(seed=0)[0], taught(seed=1)[0]
    other = MDP(selection.votes.dense() + 0.01, selection.labels, loss=Logistic())
    assert not are_coded_alike(learning.votes, other.votes)
    assert are_coded_alike(learning.votes, learning.rows(np.arange(3)).votes)
    rows = RowsByArrangement(RowSubset(learning), RowSubset(other))
    np.testing.assert_array_equal(
        rows._to_arrange(Correlation())[0].votes.codes, learning.votes.codes
    )


def test_the_portfolio_condenses_to_what_labels_say():
    """The full ensemble drowns the votes that tell; a teacher of few numbers cannot name them, but
    knows that early sums do better, and a few base classifiers follow it."""
    rng = np.random.default_rng(0)
    dense = np.round(rng.normal(size=(3000, 64, 1)) * 0.5, 1)
    truth = 2 * dense[:, :8].sum(axis=1)
    labels = (rng.random(3000) < probabilities(truth, 1.0)[:, 1]).astype(int)
    mdp = MDP(dense, labels, loss=Logistic(), beta=1e-3)
    portfolio = Portfolio(orderings=(Correlation(),), sizes=(8,), random_state=0)
    policy = portfolio.solve(mdp)
    assert mdp.evaluate(policy).n_evaluated < 9
    telling = mdp.rollout(policy)[0][:, 0]
    assert np.corrcoef(telling, truth[:, 0])[0, 1] > 0.9
