import numpy as np

from mddag.dag.executors.blocks import Blocks
from mddag.dag.executors.walk import Walk
from mddag.dag.program import Program
from tests.dag.executors.test_executor import every
from tests.native.test_walk import forest, noisy_policy, rows_on_thresholds


def test_what_is_expected_of_rows_changes_no_answer():
    ensemble = forest(8)
    policy = every(noisy_policy(ensemble, 6), 4)
    X = rows_on_thresholds(ensemble, 1500, np.float32)
    wanted = Walk(Program(ensemble, policy)).exits(X, 1)
    for evaluations in (None, 0, 2.5, 30):
        got = Blocks(Program(ensemble, policy, evaluations)).exits(X, 1)
        for mine, theirs in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_rare_decisions_cost_less():
    ensemble = forest(8, n_trees=300)
    policy = noisy_policy(ensemble, 6)
    often, seldom = (Blocks(Program(ensemble, every(policy, k), 30)) for k in (1, 15))
    assert seldom.cost(10_000) < often.cost(10_000)
