"""What every value function must do: start from nothing, measure scores, serve scikit-learn."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone

from mddag.ensemble.votes import Votes
from mddag.solvers.td import values
from mddag.solvers.td.values import Table
from mddag.solvers.td.values.value import running_norm, total_norm

MEMBERS = [getattr(values, name) for name in values.__all__ if name != "Value"]


@pytest.fixture
def tables():
    return Votes.from_dense([[1.0, -0.5, 0.25], [-1.0, 0.5, 0.25]], bias=0.5).tables


@pytest.mark.parametrize("member", MEMBERS)
def test_parameters(member):
    value = member(running=True)
    assert eval(repr(value), vars(values)) == value
    for again in (clone(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert again == value
    assert clone(value).set_params(running=False).get_params()["running"] is False


@pytest.mark.parametrize("member", MEMBERS)
def test_a_start_has_learned_nothing(member):
    learned = member().start(n_steps=4, n_parts=3)[0]
    assert learned.dtype == np.float64
    assert learned.size % (4 * 3 * 3) == 0
    assert not learned.any()


@pytest.mark.parametrize("member", MEMBERS)
def test_running_or_total_norm(member, tables):
    np.testing.assert_array_equal(member(running=True).norm(tables), running_norm(tables))
    np.testing.assert_array_equal(member(running=False).norm(tables), total_norm(tables))


def test_norms_bound_the_scores(tables):
    assert total_norm(tables).tolist() == [2.25, 2.25, 2.25]
    assert running_norm(tables).tolist() == [0.5, 1.5, 2.0]


def test_norms_are_positive_where_nothing_was_added_yet():
    without_bias = Votes.from_dense([[1.0, 3.0]]).tables
    assert running_norm(without_bias).tolist() == [4.0, 1.0]
    nothing = Votes.from_dense([[0.0, 0.0]]).tables
    assert running_norm(nothing).tolist() == total_norm(nothing).tolist() == [1.0, 1.0]


def test_bad_parameters_are_refused_when_set(tables):
    table = Table(5)
    with pytest.raises(ValueError, match="n_bins is 0; wanted a whole number, 1 or more"):
        table.set_params(n_bins=0)
    assert table == Table(5)
