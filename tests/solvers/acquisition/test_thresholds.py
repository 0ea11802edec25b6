"""Cascades by thresholds: sums are those of the policies themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.solvers.acquisition.thresholds import Cascades
from tests.solvers.acquisition import problems

SETS = problems.all_sets((1.0, 2.0), wave_cost=0.25)


@given(problems.samples(SETS), st.data())
@settings(deadline=None, max_examples=60)
def test_losses_and_costs_are_those_of_following_the_policy(sample, data):
    cascades = Cascades.of(sample, [[0, 1, 3], [1, 3]])
    at = data.draw(st.integers(0, len(cascades.stages) - 1))
    stops = cascades.policy(at).follow(sample.sets, sample.values)
    rows = np.arange(len(sample))
    lost = sample.weight * sample.losses[rows, stops.last]
    for fold in range(sample.n_folds):
        own = sample.fold == fold
        assert cascades.losses[at, fold] == pytest.approx(lost[own].sum())
        paid = (sample.weight * stops.cost)[own].sum()
        assert cascades.costs[at, fold] == pytest.approx(paid)


@given(problems.samples(SETS))
@settings(deadline=None, max_examples=20)
def test_the_best_at_a_price_is_the_best_of_all(sample):
    cascades = Cascades.of(sample, [[0, 1, 3], [0, 2, 3]])
    solved = cascades.solve(0.1)
    stops = solved.policy.follow(sample.sets, sample.values)
    rows = np.arange(len(sample))
    found = sample.weight @ (sample.losses[rows, stops.last] + 0.1 * stops.cost)
    assert found == pytest.approx((cascades.losses + 0.1 * cascades.costs).sum(axis=1).min())
    assert solved.loss.shape == solved.cost.shape == (len(sample),)
