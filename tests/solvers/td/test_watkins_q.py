import pytest

from mddag.solvers import WatkinsQ
from tests.solvers.td.exploring import learned_value_of_skip


@pytest.mark.parametrize("trace_decay", [0.0, 0.95])
def test_watkins_learns_the_value_of_the_greedy_policy(trace_decay):
    # skipping h_1 leaves h_2, which is right, at its price
    assert abs(learned_value_of_skip(WatkinsQ, trace_decay) - -0.1) < 1e-3
