"""What is learned for a knob, and which policy it takes."""

import numpy as np
import pytest

import mddag
from mddag._utils.warnings import DoubtfulResult
from mddag.solvers import (
    QWYC,
    Descent,
    Margin,
    Portfolio,
    Prefix,
    Residual,
    Sarsa,
    WatkinsQ,
)
from tests.tuning.small_models import FAST

SOLVERS = [
    *(QWYC(), Margin(), Prefix(), Residual()),
    Descent(n_starts=0, n_sweeps=1),
    Portfolio((Margin(),)),
    *(learner(n_episodes=500, evaluate_every=500) for learner in (Sarsa, WatkinsQ)),
]


def test_the_budget_holds_on_fresh_rows_but_for_chance(hastie):
    model, X, y, X_test, y_test = hastie
    fast = mddag.sparsify(model, X, y, budget=25, **FAST)
    assert fast.n_evaluated(X_test).mean() < 26
    assert fast.score(X_test, y_test) > 0.8 * model.score(X_test, y_test)


@pytest.mark.parametrize("knob", [{"beta": 0.01}, {"budget": 5}, {"max_loss": 0.05}], ids=str)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)
def test_every_solver_serves_every_knob(hastie, solver, knob):
    model, X, y, *_ = hastie
    fast = mddag.sparsify(model, X[:1500], y[:1500], **knob, confidence=None, solver=solver)
    assert fast.result_.n_evaluated <= knob.get("budget", 60)


def test_the_solvers_are_all_there_are():
    contract = {"Candidates", "Family", "Solver", "Rejection"}  # the last has another objective
    assert {type(solver).__name__ for solver in SOLVERS} == set(mddag.solvers.__all__) - contract


@pytest.mark.parametrize("prices", [np.zeros(60), np.geomspace(1e-3, 1e3, 60)])
def test_a_budget_counts_evaluations_whatever_they_cost(hastie, prices):
    model, X, y, X_test, y_test = hastie
    ensemble = mddag.as_ensemble(model)
    plain, priced = (
        mddag.sparsify(e, X[:1500], y[:1500], budget=15)
        for e in (ensemble, ensemble.with_cost(prices))
    )
    np.testing.assert_array_equal(priced.n_evaluated(X_test), plain.n_evaluated(X_test))
    assert priced.score(X_test, y_test) > 0.7


class Everything:
    """A solver that knows one policy."""

    def solve(self, mdp, selection=None):
        return mdp.evaluate_all()


def test_a_budget_that_no_policy_meets_is_told_with_what_is_returned(hastie):
    model, X, y, X_test, _ = hastie
    message = r"budget=10, but policies that evaluate anything cost 60 per row or more"
    with pytest.warns(DoubtfulResult, match=message) as told:
        fast = mddag.sparsify(model, X, y, budget=10, solver=Everything())
    assert told[0].filename == __file__
    assert not fast.n_evaluated(X_test).any()
    with pytest.warns(DoubtfulResult, match="budget=10, but policies"):
        mddag.sparsify(model, X, y, budget=10, solver=Margin(every=30))
