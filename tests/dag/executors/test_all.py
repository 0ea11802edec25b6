import numpy as np

from mddag.dag.executors.all import All
from mddag.dag.program import Program
from mddag.mdp.grid import Grid
from mddag.mdp.policy import Policy
from tests.native.test_walk import forest, noisy_policy, rows_on_thresholds


def test_only_programs_that_evaluate_all():
    ensemble, grid = forest(8), Grid(np.zeros(1))
    assert All.runs(Program(ensemble, Policy.prefix(7, 30, grid)))
    assert All.runs(Program(ensemble, Policy.prefix(30, 30, grid)))
    assert not All.runs(Program(ensemble, noisy_policy(ensemble, 5)))


def test_every_row_leaves_at_the_end():
    ensemble = forest(8)
    program = Program(ensemble, Policy.prefix(7, 30, Grid(np.zeros(1))))
    X = rows_on_thresholds(ensemble, 50, np.float32)
    scores, exit_step = All(program).exits(X, 1)
    assert exit_step.tolist() == [7] * 50
    wanted = ensemble.truncated(7).scores(X)
    np.testing.assert_allclose(scores, wanted, rtol=0, atol=program.fixed_point.bound)
