"""What every exported solver must do. Episodes are few here; how well they learn is elsewhere."""

import copy
import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from mddag import MDP, Policy, solvers
from mddag.policy import ACTIONS
from tests.reference.enumeration import best_objective
from tests.solvers.problems import LOSSES, mdp_of, three_classifiers

SOLVERS = [getattr(solvers, name) for name in solvers.__all__ if name != "Solver"]


def short(kind, **parameters):
    """A solver that is done in milliseconds, whatever it calls its effort."""
    known = inspect.signature(kind).parameters
    effort = {"n_episodes": 2000, "evaluate_every": 200, "random_state": 0}
    return kind(**{name: v for name, v in effort.items() if name in known}, **parameters)


class Holder(BaseEstimator):
    """An estimator with a solver among its parameters."""

    def __init__(self, solver=None):
        self.solver = solver


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("labels", ["classes", "shares"])
def test_the_answer_is_a_policy_that_evaluates(kind, n_scores, labels):
    mdp = mdp_of(0, n_scores=n_scores, labels=labels, n=30)
    policy = short(kind).solve(mdp)
    assert isinstance(policy, Policy)
    assert policy.grid is mdp.grid
    value = mdp.evaluate(policy)
    assert value.objective <= mdp.evaluate(mdp.evaluate_all()).objective


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("loss", ["squared", "callback"])
def test_regression(kind, loss):
    mdp = mdp_of(0, labels="values", loss=LOSSES[loss], n=30)
    value = mdp.evaluate(short(kind).solve(mdp))
    assert value.objective <= mdp.evaluate(mdp.evaluate_all()).objective


@pytest.mark.parametrize("kind", SOLVERS)
def test_a_seed_decides_everything(kind):
    mdp = mdp_of(1, n=30)
    first, second = (short(kind).solve(mdp).actions for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("actions", [("eval",), ("eval", "skip"), ("eval", "quit")])
def test_only_actions_of_the_mdp_are_taken(kind, actions):
    policy = short(kind).solve(mdp_of(2, n=30, actions=actions))
    assert set(np.unique(policy.actions)) <= {ACTIONS.index(name) for name in actions}


@pytest.mark.parametrize("kind", SOLVERS)
def test_solving_leaves_the_mdp_alone(kind):
    mdp = mdp_of(3, n=30, weighted=True)
    before = copy.deepcopy(vars(mdp) | {"codes": mdp.votes.codes, "edges": mdp.grid.edges})
    short(kind).solve(mdp)
    for name in ("labels", "costs", "weight"):
        np.testing.assert_array_equal(getattr(mdp, name), before[name])
    np.testing.assert_array_equal(mdp.votes.codes, before["codes"])
    np.testing.assert_array_equal(mdp.grid.edges, before["edges"])


@pytest.fixture(scope="module")
def best():
    return best_objective(three_classifiers())


@pytest.mark.parametrize("kind", SOLVERS)
def test_the_three_classifier_problem_is_solved(kind, best):
    mdp = three_classifiers()
    policy = short(kind).solve(mdp)
    assert mdp.evaluate(policy).objective == pytest.approx(best)


@pytest.mark.parametrize("kind", SOLVERS)
def test_selection_rows_choose(kind):
    """Labels turned round: what is best for them is not what is best for the learning rows."""
    mdp = three_classifiers()
    selection = MDP(mdp.votes, 1 - mdp.labels, beta=0.05, grid=mdp.grid)
    own, others = short(kind).solve(mdp), short(kind).solve(mdp, selection)
    assert selection.evaluate(others).objective <= selection.evaluate(own).objective


@pytest.mark.parametrize("kind", SOLVERS)
def test_selection_rows_must_fit(kind):
    with pytest.raises(ValueError, match=r"policy is for 3 base classifiers.*but got 4 and 1"):
        short(kind).solve(three_classifiers(), mdp_of(0))


@pytest.mark.parametrize("kind", SOLVERS)
def test_nothing_is_printed_unless_asked(kind, capfd):
    short(kind).solve(three_classifiers())
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", SOLVERS)
def test_an_error_of_the_loss_reaches_the_caller(kind):
    calls = iter(range(20))

    def failing(scores, labels):
        if next(calls, None) is None:
            raise ZeroDivisionError("the loss of a user")
        return np.abs(scores[:, 0] - labels)

    mdp = mdp_of(0, labels="values", loss=failing)
    with pytest.raises(ZeroDivisionError, match="the loss of a user"):
        short(kind).solve(mdp)
    # the interpreter is in order, and the same solver can be used again
    assert isinstance(short(kind).solve(three_classifiers()), Policy)


@pytest.mark.parametrize("kind", SOLVERS)
def test_solvers_serve_scikit_learn(kind):
    solver = short(kind)
    for again in (clone(Holder(solver)).solver, pickle.loads(pickle.dumps(solver))):
        assert again == solver
        assert again is not solver
    holder = Holder(solver).set_params(solver__random_state=7)
    assert holder.solver.random_state == 7
    assert "solver__random_state" in holder.get_params()
