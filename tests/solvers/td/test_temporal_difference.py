"""What Sarsa and WatkinsQ share: snapshots, Ctrl-C, reports, refusals."""

import numpy as np
import pytest

from mddag import MDP
from mddag.losses import Exponential
from mddag.solvers import Sarsa, WatkinsQ
from mddag.solvers.td.exploration import Growing
from mddag.solvers.td.values import RadialBasis, Table
from tests.solvers.problems import absolute, interrupted_after, mdp_of, three_classifiers

BOTH = pytest.mark.parametrize("kind", [Sarsa, WatkinsQ])


@BOTH
def test_the_best_snapshot_is_kept(kind):
    mdp = mdp_of(0, n=30)
    search = kind(n_episodes=1050, evaluate_every=100, random_state=0).search(mdp)
    assert len(search.history) == 11
    assert search.best == min(search.history) < max(search.history)
    assert mdp.evaluate(search.policy).objective == search.best


@BOTH
def test_selection_decides_the_snapshot(kind):
    mdp = three_classifiers()
    selection = MDP(mdp.votes, 1 - mdp.labels, beta=0.05, grid=mdp.grid)
    solver = kind(n_episodes=1000, evaluate_every=10, random_state=0)
    own, others = solver.search(mdp), solver.search(mdp, selection)
    assert others.best == min(others.history)
    assert others.best == selection.evaluate(others.policy).objective
    assert others.best < selection.evaluate(own.policy).objective


@BOTH
def test_when_snapshots_are_taken_does_not_change_learning(kind):
    mdp = mdp_of(0, n=30)
    often, seldom = (
        kind(n_episodes=3000, evaluate_every=every, random_state=0).search(mdp).history
        for every in (10, 1500)
    )
    assert [often[149], often[299]] == seldom


@BOTH
def test_ctrl_c_raises(kind):
    mdp = mdp_of(0, labels="values", loss=absolute, n=20)
    mdp = mdp.with_labels(mdp.labels, interrupted_after(350))
    with pytest.raises(KeyboardInterrupt):
        kind(n_episodes=600, evaluate_every=100, random_state=0).solve(mdp)


@BOTH
def test_progress_is_reported_on_request(kind, capfd):
    kind(n_episodes=2000, evaluate_every=1000, verbose=True).solve(mdp_of(0))
    out, err = capfd.readouterr()
    assert out == ""
    assert f"{kind.__name__}, best " in err


@BOTH
def test_a_chosen_value_function_and_exploration_are_used(kind):
    mdp = mdp_of(0, n=30)
    plain = kind(n_episodes=1000, evaluate_every=50, random_state=0)
    histories = {
        tuple(plain.search(mdp).history),
        tuple(plain.set_params(values=RadialBasis()).search(mdp).history),
        tuple(plain.set_params(values=Table(3)).search(mdp).history),
        tuple(plain.set_params(exploration=Growing(0.5)).search(mdp).history),
    }
    assert len(histories) == 4


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_episodes": 0}, "n_episodes is 0; wanted a whole number, 1 or more"),
        ({"n_episodes": 1e6}, "n_episodes is 1000000.0; wanted a whole number, 1 or more"),
        ({"evaluate_every": 0}, "evaluate_every is 0; wanted a whole number, 1 or more"),
        ({"rate": 0.0}, "rate is 0.0; wanted a learning rate above 0, at most 1"),
        ({"rate": float("nan")}, "rate is nan; wanted a learning rate"),
        ({"trace_decay": 1.5}, r"trace_decay is 1.5; wanted lambda in 0\.\.1"),
        ({"random_state": -1}, "random_state is -1; wanted a whole number, 0 or more"),
        ({"values": 11}, r"values is 11; wanted a value function such as Table\(\)"),
        ({"exploration": 0.3}, r"exploration is 0.3; wanted a callable such as Flat\(\)"),
        (
            {"exploration": lambda episode, n_steps: np.full(n_steps, 2.0)},
            "in episode 1; wanted one probability per step",
        ),
    ],
)
@BOTH
def test_bad_parameters_are_refused(kind, parameters, message):
    with pytest.raises(ValueError, match=message):
        kind(**parameters).solve(three_classifiers())


@BOTH
def test_values_that_overflow_are_refused(kind):
    mdp = MDP([[400.0, 400.0]] * 4, [1, 0, 1, 0], loss=Exponential())
    with pytest.raises(ValueError, match=r"finite.*smaller scale"):
        kind(n_episodes=1000, random_state=0).solve(mdp)
