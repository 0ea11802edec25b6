import numpy as np
import pytest

from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, Policy
from mddag.solvers.descent.descents import N_ELITE, Descents, suited
from mddag.solvers.descent.sweep import Guards
from tests.solvers.problems import mdp_of


def descents_of(mdp):
    return Descents(mdp, every=1, n_sweeps=4, n_threads=1)


def test_a_descent_never_rises_without_guards():
    mdp = mdp_of(3, n=40)
    descents = descents_of(mdp)
    values = [
        mdp.evaluate(p).objective for p in descents.descend(descents.evaluate_all(), Guards())
    ]
    assert values == sorted(values, reverse=True)
    assert values[-1] <= mdp.evaluate(mdp.evaluate_all()).objective


def test_the_elite_is_small_sorted_and_without_repetitions():
    descents, rng = descents_of(mdp_of(5, n=40)), np.random.default_rng(0)
    for _ in range(8):
        descents.explore(descents.random(Guards(), rng), Guards())
    values = [value for value, _ in descents.elite]
    assert values == sorted(set(values))
    assert len(values) <= N_ELITE


def test_a_start_is_carried_over_to_another_grid():
    mdp = mdp_of(1)
    start = Policy.prefix(2, mdp.n_steps, Grid(np.array([0.0])))
    actions = suited(start, mdp, 1)
    assert actions.shape == (mdp.n_steps, mdp.grid.n_cells)
    assert (actions[:2] == EVAL).all()
    assert (actions[2:] == QUIT).all()


def test_a_start_in_another_order_is_refused():
    mdp = mdp_of(1)
    start = Policy(mdp.evaluate_all().actions, mdp.grid, np.arange(mdp.n_steps)[::-1])
    with pytest.raises(ValueError, match="another order than the MDP"):
        suited(start, mdp, 1)
