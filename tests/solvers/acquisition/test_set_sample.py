"""Rows, folds and cells."""

import numpy as np
from hypothesis import given, settings

from mddag.solvers.acquisition.set_sample import between, folds_of
from tests.solvers.acquisition import problems


def test_no_edge_lies_between_values_that_differ_by_rounding():
    values = np.repeat([0.0, 1.0, 2.0], 50) + np.random.default_rng(0).normal(size=150) * 1e-9
    edges = between(values, np.linspace(0.1, 0.9, 9))
    np.testing.assert_allclose(edges, [0.5, 1.5], atol=1e-6)
    assert len(between(np.ones(5), np.array([0.5]))) == 0


def test_folds_are_equally_large():
    fold = folds_of(103, seed=1)
    assert np.ptp(np.bincount(fold)) <= 1
    assert folds_of(3, seed=0).max() == 2


@given(problems.samples())
@settings(deadline=None, max_examples=50)
def test_cells_are_those_between_edges(sample):
    for s in range(len(sample.sets)):
        edges = sample.edges[s]
        assert sample.cells[:, s].tolist() == [sum(v > edges) for v in sample.values[:, s]]
        spread = sample.values[:, s].min() < 0 < sample.values[:, s].max()
        assert sample.around is None or not spread or 0.0 in edges
    some = sample.taken(np.array([0, 1]))
    assert some.losses.shape == (len(sample), 2)
