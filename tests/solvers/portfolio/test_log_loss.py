import numpy as np
import pytest

from mddag import MDP, Policy, Votes
from mddag.calibration.calibration import probabilities, sigmoid
from mddag.losses import Logistic
from mddag.ordering import Correlation
from mddag.solvers import Portfolio
from mddag.solvers.portfolio.arranged_rows import RowsByArrangement, RowSubset
from mddag.solvers.portfolio.log_loss import (
    LENGTHS,
    applies_to,
    are_coded_alike,
    condensed,
    exit_factors,
    joined_rows,
    log_odds,
    mixture_scores,
    mixture_shares,
)


def overfitted(seed, n=4000, n_scores=1):
    """Eight votes that tell, and as many as follow that only disturb."""
    rng = np.random.default_rng(seed)
    votes = rng.normal(size=(n, 3 * LENGTHS[1], n_scores)) * 0.3
    told = votes[:, : LENGTHS[0]].sum(axis=1)
    if n_scores == 1:
        labels = (rng.random(n) < sigmoid(told[:, 0])).astype(int)
    else:
        labels = (told + rng.gumbel(size=told.shape)).argmax(axis=1)
    return MDP(np.round(votes, 2), labels, loss=Logistic(), grid=None)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_the_teacher_knows_better_than_an_overfitted_ensemble(n_scores):
    learning, fresh = (overfitted(seed, n_scores=n_scores) for seed in (0, 1))
    teacher = mixture_shares(learning, fresh)[1]
    told = fresh.votes.dense()[:, : LENGTHS[0]].sum(axis=1)
    powers = np.exp(told if n_scores > 1 else np.hstack([0 * told, told]))
    truth = powers / powers.sum(axis=1, keepdims=True)
    assert np.abs(teacher - truth).mean() < 0.05
    assert np.abs(teacher.sum(axis=1) - 1).max() < 1e-9


@pytest.mark.parametrize("n_scores", [1, 3])
def test_mixture_scores_leave_out_what_only_disturbs(n_scores):
    mdp = overfitted(0, n_scores=n_scores)
    told = mdp.votes.dense()[:, : LENGTHS[0]].sum(axis=1)
    centred = mixture_scores(mdp)
    assert np.corrcoef(centred.ravel(), told.ravel())[0, 1] > 0.95
    assert np.corrcoef(mdp.votes.scores().ravel(), told.ravel())[0, 1] < 0.5


def test_an_ensemble_that_could_go_on_is_followed_itself():
    rng = np.random.default_rng(0)
    votes = rng.normal(size=(4000, 300)) * 0.1
    # what it has learned last counts twice
    labels = (votes[:, 128:].sum(axis=1) + 0.5 * votes[:, :128].sum(axis=1) > 0).astype(int)
    mdp = MDP(np.round(votes, 2), labels)
    np.testing.assert_allclose(mixture_scores(mdp), mdp.votes.scores(), rtol=0.05, atol=0.05)


def test_factors_are_those_of_each_exit_in_units_of_the_loss():
    mdp = overfitted(0)
    factors = exit_factors(mdp)
    assert factors.shape == (mdp.n_steps + 1,)
    assert factors[LENGTHS[0]] == pytest.approx(1.0, abs=0.1)
    assert factors[-1] < 0.3
    scaled = MDP(mdp.votes, mdp.labels, loss=Logistic(2.0), grid=mdp.grid)
    np.testing.assert_allclose(exit_factors(scaled), factors / 2)


def test_scores_are_read_by_the_factor_of_their_exit():
    mdp = overfitted(0, n=50)
    factors = np.linspace(0.5, 2.0, mdp.n_steps + 1)
    policy = Policy.prefix(7, mdp.n_steps, mdp.grid)
    scores = mdp.rollout(policy)[0]
    wanted = mdp.losses(factors[7] * scores).mean()
    assert mdp.read_by(factors).evaluate(policy).loss == pytest.approx(wanted)
    assert mdp.evaluate(policy).loss == pytest.approx(mdp.losses(scores).mean())


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
