"""Exact returns from the last set on, against a twin that takes one row at a time."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.solvers.acquisition.backward import solve
from tests.reference import set_policies as twin
from tests.solvers.acquisition import problems


@given(problems.samples(), st.sampled_from([0.0, 0.125, 0.5]), st.data())
@settings(deadline=None, max_examples=100)
def test_the_solution_is_that_of_the_twin(sample, beta, data):
    m = len(sample.sets)
    some = data.draw(st.lists(st.booleans(), min_size=m * m, max_size=m * m))
    leads = np.array(some).reshape(m, m)
    solved = solve(sample, beta, leads)
    targets, loss, cost = twin.solve(sample, beta, leads & sample.sets.leads)
    assert [t.tolist() for t in solved.policy.targets] == [targets[s] for s in range(m)]
    assert solved.loss.tolist() == loss
    assert solved.cost.tolist() == cost


@given(problems.samples())
@settings(deadline=None, max_examples=30)
def test_no_row_pays_where_the_price_is_prohibitive(sample):
    stops = solve(sample, 1e6).policy.follow(sample.sets, sample.values)
    assert not stops.cost.any()


def test_rows_buy_where_a_larger_set_is_right():
    """Rows whose first value is high are wrong until they have the second group."""
    sets = problems.all_sets((1.0, 1.0))
    n = 400
    unsure = np.arange(n) % 2
    values = np.tile(unsure[:, None] * 4.0, (1, 4)) + np.linspace(0, 1, n)[:, None]
    losses = np.zeros((n, 4))
    losses[:, 0] = 0.5
    losses[unsure == 1, 1:3] = 1.0
    known = np.arange(n) % 5, np.ones(n), None
    sample = problems.SetSample(sets, values, losses, losses, *known)
    stops = solve(sample, 0.1).policy.follow(sets, values)
    assert (stops.last[unsure == 1] == 3).mean() > 0.9  # neighbours of other cells lend rows
    assert (stops.cost[unsure == 0] == 1).mean() > 0.9


@given(problems.samples())
@settings(deadline=None, max_examples=5)
def test_what_is_kept_does_not_hold_all_sets(sample):
    solved = solve(sample, 0.1)
    assert solved.loss.base is None
    assert solved.cost.base is None
