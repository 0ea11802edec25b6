"""What an MDP takes, and how it refuses the rest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import Ensemble
from mddag.ensemble.rescaling import Rescaling
from mddag.ensemble.votes import Votes
from mddag.losses import Logistic, OfMeans, Squared, ZeroOne
from mddag.policy.arrangement import Arrangement
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP, mdp_of
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from tests import strategies
from tests.reference import rollout as twin

VOTES = np.array([[1.0, -2.0, 0.5], [-1.0, 0.5, 0.25], [0.5, 0.5, 0.5], [-2.0, 1.0, 0.0]])
LABELS = np.array([1, 0, 1, 0])


def one_grid():
    return Grid(np.zeros(1))


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_rollout_and_evaluate_equal_the_twin(data):
    ensemble = data.draw(strategies.ensembles().filter(lambda e: e.n_classifiers > 0))
    votes = ensemble.votes(data.draw(strategies.rows(ensemble.n_features)))
    n, n_scores = len(votes), ensemble.n_scores
    policy = data.draw(strategies.policies(ensemble.n_classifiers, n_scores))
    number = st.integers(1, 5)
    costs = data.draw(st.lists(number, min_size=len(ensemble), max_size=len(ensemble)))
    weight = data.draw(st.lists(number, min_size=n, max_size=n))
    label = st.integers(0, max(n_scores, 2) - 1)
    labels = np.array(data.draw(st.lists(label, min_size=n, max_size=n)))
    mdp = MDP(votes, labels, loss=Logistic(), beta=0.25, costs=costs, weight=weight)
    n_jobs = data.draw(st.sampled_from([1, 2]))

    walks = twin.on_votes(votes, policy, costs)
    scores, n_evaluated, cost = mdp.rollout(policy, n_jobs=n_jobs)
    np.testing.assert_array_equal(scores, [w.scores for w in walks])
    assert n_evaluated.tolist() == [len(w.path) for w in walks]
    assert cost.tolist() == [w.cost for w in walks]

    def mean(numbers):
        return sum(w * v for w, v in zip(weight, numbers, strict=True)) / sum(weight)

    value = mdp.evaluate(policy)
    assert value.loss == pytest.approx(mean(Logistic()(scores, labels)), rel=1e-12)
    assert value.cost == pytest.approx(mean([w.cost for w in walks]), rel=1e-12)
    assert value.n_evaluated == pytest.approx(mean([len(w.path) for w in walks]), rel=1e-12)
    assert value.objective == value.loss + 0.25 * value.cost


@pytest.mark.parametrize("n_scores", [1, 3])
def test_many_rows_and_threads_give_the_same_bits(n_scores):
    rng = np.random.default_rng(0)
    votes = Votes.from_dense(rng.integers(-2, 3, size=(600, 8, n_scores)), bias=0.5)
    mdp = MDP(votes, np.zeros(600, int))
    grid = Grid.quantile(votes, 8)
    actions = rng.choice(3, size=(8, grid.n_cells), p=[0.6, 0.3, 0.1])
    policy = Policy(actions, grid, rng.permutation(8))
    walks = twin.on_votes(votes, policy, mdp.costs)
    for n_jobs in (1, 2, 5):
        scores, n_evaluated, cost = mdp.rollout(policy, n_jobs=n_jobs)
        np.testing.assert_array_equal(scores, [w.scores for w in walks])
        assert n_evaluated.tolist() == [len(w.path) for w in walks]
        assert cost.tolist() == [w.cost for w in walks]


@pytest.mark.parametrize("n_distinct", [2, 300, 70_000])
def test_codes_of_every_width(n_distinct):
    column = np.arange(n_distinct) / 7.0
    mdp = MDP(column[:, None], np.ones(n_distinct, int))
    scores, _, _ = mdp.rollout(mdp.evaluate_all())
    np.testing.assert_array_equal(scores[:, 0], column)


def test_an_example_by_hand():
    mdp = MDP(VOTES, LABELS, beta=0.1)
    everything = mdp.evaluate(mdp.evaluate_all())  # sums -0.5, -0.25, 1.5, -1
    assert (everything.loss, everything.cost, everything.n_evaluated) == (0.25, 3, 3)
    assert everything.objective == pytest.approx(0.25 + 0.1 * 3)
    first = mdp.evaluate(Policy.prefix(1, 3, mdp.grid))  # 1, -1, 0.5, -2
    assert (first.loss, first.cost) == (0, 1)


def test_the_last_evaluation_is_charged():
    mdp = MDP(VOTES, LABELS, beta=1.0)
    assert mdp.evaluate(mdp.evaluate_all()).cost == 3
    last_alone = Policy(np.array([[SKIP] * 2, [SKIP] * 2, [EVAL] * 2]), one_grid(), np.arange(3))
    assert mdp.evaluate(last_alone).cost == 1


def test_skip_and_quit_are_free():
    mdp = MDP(VOTES, LABELS, beta=1.0)
    for action in (SKIP, QUIT):
        value = mdp.evaluate(Policy.constant(action, 3, one_grid()))
        assert (value.loss, value.cost, value.objective) == (1, 0, 1)


def test_costs_follow_the_classifier_not_the_step():
    mdp = MDP(VOTES, LABELS, costs=[1, 10, 100])
    backwards = Policy.prefix(1, 3, one_grid())
    backwards = Policy(backwards.actions, one_grid(), np.array([2, 1, 0]))
    assert mdp.evaluate(backwards).cost == 100


def test_weights_choose_who_counts():
    mdp = MDP(VOTES, LABELS, weight=[3, 0, 0, 1])
    assert mdp.evaluate(mdp.evaluate_all()).loss == 0.75


def test_a_policy_on_another_grid_is_evaluated_on_its_own():
    mdp = MDP(VOTES, LABELS, grid=Grid.quantile(Votes.from_dense(VOTES), 4))
    fine = Policy.constant(EVAL, 3, Grid(np.linspace(-1, 1, 50)))
    assert mdp.evaluate(fine) == mdp.evaluate(mdp.evaluate_all())


def test_the_bias_is_where_instances_start():
    votes = Votes.from_dense(VOTES, bias=5.0)
    mdp = MDP(votes, LABELS)
    scores, _, _ = mdp.rollout(Policy.constant(QUIT, 3, mdp.grid))
    assert scores.tolist() == [[5.0]] * 4


def test_a_loss_that_is_no_number_is_traced_to_its_row():
    mdp = MDP(VOTES, LABELS)
    mdp.loss = lambda f, y: np.where(f[:, 0] > 5, np.inf, 0.0)
    with pytest.raises(ValueError, match=r"is inf on row 3, whose scores are \[9.0\]"):
        mdp.losses(np.array([[1.0], [9.0]]), np.array([0, 3]))


def test_a_policy_of_the_reordered_problem_is_worth_the_same_in_the_source():
    random = np.random.default_rng(0)
    source = MDP(random.normal(size=(40, 4)), random.integers(0, 2, 40), costs=[1, 2, 3, 4])
    levels = Rescaling(np.array([-1.0]), np.array([[0.25], [0.5], [0.0], [0.25]]))
    arrangement = Arrangement(np.array([2, 0, 3, 1]), levels)
    reordered = source.arranged(arrangement, Grid(np.array([-0.5, 0.0, 0.5])))
    actions = random.integers(0, 3, (4, 4)).astype(np.uint8)
    learned = Policy(actions, reordered.grid, np.arange(4))
    assert reordered.costs.tolist() == [3, 1, 4, 2]
    assert source.evaluate(learned.after(arrangement)) == reordered.evaluate(learned)


def test_other_labels_for_the_same_votes():
    mdp = MDP(np.array([[1.0], [-1.0]]), [1, 1])
    full = mdp.evaluate_all()
    assert mdp.evaluate(full).loss == 0.5
    assert mdp.with_labels([1, 0]).evaluate(full).loss == 0
    assert mdp.with_labels([[0.2, 0.8], [0.6, 0.4]]).evaluate(full).loss == pytest.approx(0.3)
    with pytest.raises(ValueError, match="labels have shape"):
        mdp.with_labels([1])


ROWS = np.linspace(-1, 1, 9)[:, None]


def ensemble(**settings):
    votes = [lambda X: X[:, 0], lambda X: 2 * X[:, 0], lambda X: -X[:, 0]]
    return Ensemble.from_callables(votes, n_features=1, **settings)


def made(source, targets, **settings):
    return mdp_of(source, source.votes(ROWS), targets, **settings)


def test_the_rows_of_a_classifier():
    mdp = made(ensemble(classes=["a", "b"]), np.array(list("aabbaabba")), beta=0.3)
    assert mdp.labels.tolist() == [0, 0, 1, 1, 0, 0, 1, 1, 0]
    assert (mdp.loss, mdp.unit, mdp.beta) == (ZeroOne(), 1.0, 0.3)
    assert mdp.costs.tolist() == [1, 1, 1]
    soft = made(ensemble(classes=["a", "b"]), np.tile([0.25, 0.75], (9, 1)))
    assert soft.losses(np.full((9, 1), -1.0)).tolist() == [0.75] * 9


def test_the_price_of_a_regressor_is_in_units_of_variance():
    targets = np.arange(9.0)
    mdp = made(ensemble(kind="regressor"), targets, beta=0.5)
    assert mdp.loss == Squared()
    assert mdp.unit == pytest.approx(np.var(targets))
    assert mdp.beta == pytest.approx(0.5 * np.var(targets))
    assert made(ensemble(kind="regressor"), np.ones(9)).unit == 1.0


def test_weights_count_in_the_unit():
    weight, targets = np.arange(1.0, 10.0), np.arange(9.0)
    mdp = made(ensemble(kind="regressor"), targets, weight=weight)
    mean = np.average(targets, weights=weight)
    assert mdp.unit == pytest.approx(np.average((targets - mean) ** 2, weights=weight))
    assert mdp.rows(np.array([8, 2])).weight.tolist() == [9.0, 3.0]


def test_losses_of_a_log_link_are_those_of_the_predictions():
    mdp = made(ensemble(kind="regressor", link="exp"), np.arange(9.0))
    assert mdp.loss == OfMeans(Squared())
    np.testing.assert_allclose(mdp.losses(np.zeros((9, 1))), (1 - np.arange(9.0)) ** 2)


def test_a_label_that_is_no_class_is_refused():
    with pytest.raises(ValueError, match=r"y contains the label 'c' \(row 1\), which the ensemble"):
        made(ensemble(classes=["a", "b"]), np.array(["a", "c"] + ["b"] * 7))
