"""Sets of groups and the fares between them."""

import numpy as np
import pytest

from mddag.solvers.acquisition.feature_sets import FeatureSets, completed, completed_set
from tests.solvers.acquisition.problems import all_sets, prices


def test_fares_are_the_prices_of_new_groups_and_the_wave():
    sets = all_sets((1.0, 2.0, 4.0), wave_cost=0.5)
    assert len(sets) == 8
    assert not sets.held[0].any()
    assert sets.held[-1].all()
    small = sets.held.tolist().index([True, False, False])
    assert sets.fares[small, -1] == 6.5
    assert sets.fares[0, small] == 1.5
    assert np.isinf(sets.fares[-1, small])


def test_a_subset_has_the_lower_number():
    sets = all_sets()
    assert not np.tril(sets.leads).any()


def test_free_groups_are_in_every_set():
    sets = all_sets((0.0, 2.0))
    assert len(sets) == 2
    assert sets.held[:, 0].all()
    assert sets.names(0) == ["g0"]
    assert sets.columns(1).tolist() == [0, 1]


def test_a_computed_group_comes_with_those_it_needs():
    priced = prices((1.0, 1.0, 0.0), needs=((), (), (0, 1)))
    found = completed(priced, np.array([[True, False, False], [True, True, False]]))
    assert found.tolist() == [[True, False, False], [True, True, True]]
    assert completed_set(priced, np.array([False, False, True])).all()


def test_some_of_the_sets():
    sets = all_sets().taken(np.array([0, 3, 7]))
    assert len(sets) == 3
    assert sets.cost[-1] == pytest.approx(7.0)
    assert isinstance(sets, FeatureSets)
