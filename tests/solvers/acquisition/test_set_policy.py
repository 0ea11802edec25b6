"""Rows go from set to set."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.solvers.acquisition.backward import solve
from mddag.solvers.acquisition.set_policy import SetPolicy
from tests.reference import set_policies as twin
from tests.solvers.acquisition import problems


@given(problems.samples(problems.all_sets((1.0, 2.0, 0.0), wave_cost=0.5)), st.floats(0.0, 0.3))
@settings(deadline=None, max_examples=50)
def test_rows_stop_and_pay_as_the_twin_says(sample, beta):
    policy = solve(sample, beta).policy
    stops = policy.follow(sample.sets, sample.values)
    found = [twin.follow(policy, sample.sets, row) for row in sample.values]
    assert stops.last.tolist() == [last for last, _ in found]
    np.testing.assert_allclose(stops.cost, [cost for _, cost in found])


def test_a_static_policy_evaluates_one_set():
    sets = problems.all_sets()
    policy = SetPolicy.static(len(sets), 3)
    stops = policy.follow(sets, np.zeros((5, len(sets))))
    assert stops.last.tolist() == [3] * 5
    assert stops.seen.sum(axis=1).tolist() == [1] * 5
    assert policy.used(stops.seen, 0.01).tolist() == [3, len(sets) - 1]


def test_all_quit_with_nothing():
    sets = problems.all_sets()
    stops = SetPolicy.static(len(sets), 0).follow(sets, np.zeros((3, len(sets))))
    assert not stops.cost.any()
    assert stops.seen[:, 0].all()
