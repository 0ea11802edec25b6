from mddag.solvers import Sarsa
from tests.solvers.td.exploring import learned_value_of_skip


def test_sarsa_learns_the_value_of_the_exploring_policy():
    # skipping h_1 leaves a random choice between h_2 at its price and two errors
    wanted = (-0.1 - 1 - 1) / 3
    assert abs(learned_value_of_skip(Sarsa) - wanted) < 0.05
