import numpy as np

from mddag.dag.executors.walk import Walk
from mddag.dag.program import Program
from mddag.mdp.grid import Grid
from mddag.mdp.policy import QUIT, Policy
from tests.dag.executors.runs import assert_equal_to_its_run
from tests.native.test_walk import forest, noisy_policy, rows_on_thresholds


def test_paths_are_numbered_as_in_the_source_ensemble():
    ensemble = forest(8)
    order = np.random.default_rng(0).permutation(30)
    policy = Policy(Policy.prefix(7, 30, Grid(np.zeros(1))).actions, Grid(np.zeros(1)), order)
    trace = Walk(Program(ensemble, policy)).run(rows_on_thresholds(ensemble, 20, np.float32), 1)
    assert (trace.indices.reshape(20, 7) == order[:7]).all()
    assert (trace.cost == ensemble.cost[order[:7]].sum()).all()


def test_scores_and_exits_are_those_of_the_run():
    ensemble = forest(8, n_scores=3)
    X, out = rows_on_thresholds(ensemble, 200, np.float32), np.empty((200, 3))
    for policy in (noisy_policy(ensemble, 6), Policy.prefix(7, 30, Grid(np.zeros(1), 3))):
        assert_equal_to_its_run(Walk(Program(ensemble, policy)), X, out)


def test_rows_that_quit_at_once_have_no_path():
    ensemble = forest(8)
    walk = Walk(Program(ensemble, Policy.constant(QUIT, 30, Grid(np.zeros(1)))))
    trace = walk.run(rows_on_thresholds(ensemble, 5, np.float32), 1)
    assert (len(trace.indices), trace.exit_step.tolist()) == (0, [0] * 5)
