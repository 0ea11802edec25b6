"""Ensembles one behind the other."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.rescaling import Rescaling, carried
from mddag.ensemble.votes import Votes
from tests import strategies


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_votes_get_their_constants_and_the_full_sum_stays(data):
    ensemble = data.draw(strategies.ensembles())
    votes = ensemble.votes(data.draw(strategies.rows(ensemble.n_features)))
    tables, n_scores = votes.tables, ensemble.n_scores
    seed = data.draw(st.integers(0, 9))
    shift = np.random.default_rng(seed).normal(size=(tables.n_classifiers, n_scores))
    shift *= carried(tables)
    levels = Rescaling(-shift.sum(axis=0), shift)
    moved = Votes(votes.codes, levels.applied(tables))
    np.testing.assert_allclose(moved.dense(), votes.dense() + shift, atol=1e-12)
    np.testing.assert_allclose(moved.scores(), votes.scores(), rtol=1e-9, atol=1e-9)
    scale = np.random.default_rng(seed + 10).normal(size=shift.shape)
    scaled = Votes(votes.codes, Rescaling(np.zeros(n_scores), shift, scale).applied(tables))
    wanted = scale * votes.dense() + shift
    np.testing.assert_allclose(scaled.dense(), wanted, rtol=1e-9, atol=1e-9)


@given(st.integers(0, 99))
@settings(deadline=None, max_examples=20)
def test_one_after_the_other_is_their_composition(seed):
    rng = np.random.default_rng(seed)
    votes = Votes.from_dense(rng.normal(size=(5, 4, 2)), rng.normal(size=2))
    first, second = (
        Rescaling(rng.normal(size=2), rng.normal(size=(4, 2)), rng.normal(size=(4, 2)))
        for _ in range(2)
    )
    at_once = Votes(votes.codes, first.then(second).applied(votes.tables))
    stepwise = Votes(votes.codes, second.applied(first.applied(votes.tables)))
    np.testing.assert_allclose(at_once.dense(), stepwise.dense(), atol=1e-9)
    np.testing.assert_allclose(at_once.tables.bias, stepwise.tables.bias)


def test_callables_get_them_too():
    ensemble = Ensemble.from_callables([np.ones_like, np.zeros_like], n_features=1, bias=[0.5])
    moved = ensemble.rescaled(Rescaling(np.array([-3.0]), np.array([[1.0], [2.0]])))
    assert moved.bias.tolist() == [-2.5]
    X = np.zeros((2, 1))
    assert moved.votes(X).dense()[:, :, 0].tolist() == [[2, 2], [2, 2]]
    assert moved.scores(X).ravel().tolist() == ensemble.scores(X).ravel().tolist()
    twice = ensemble.rescaled(Rescaling(np.zeros(1), np.zeros((2, 1)), np.array([[2.0], [1.0]])))
    assert twice.scores(X).ravel().tolist() == [2.5, 2.5]
    again = pickle.loads(pickle.dumps(moved))
    assert again.scores(X).ravel().tolist() == [1.5, 1.5]


@pytest.mark.parametrize(
    ("start", "shift", "message"),
    [
        (np.zeros(2), np.zeros((3, 1)), r"\(2,\) and \(3, 1\); wanted"),
        (np.zeros(1), np.zeros(3), r"\(1,\) and \(3,\); wanted"),
        (np.array([np.nan]), np.zeros((3, 1)), "not finite"),
    ],
)
def test_refuses_constants_that_make_no_sense(start, shift, message):
    with pytest.raises(ValueError, match=message):
        Rescaling(start, shift)


@given(st.data())
@settings(deadline=None, max_examples=25)
def test_leaves_of_their_own_are_rescaled_like_others(data):
    ensemble = data.draw(strategies.ensembles())
    votes = ensemble.votes(data.draw(strategies.rows(ensemble.n_features)))
    tables, rng = votes.tables, np.random.default_rng(data.draw(st.integers(0, 9)))
    shape = tables.n_classifiers, tables.n_scores
    weights = rng.normal(size=shape[1:]), np.zeros(shape), rng.normal(size=shape)
    leaves = rng.normal(size=len(tables.values))
    found = Rescaling(*weights, leaves).applied(tables)
    wanted = Rescaling(*weights).applied(replace(tables, values=leaves))
    np.testing.assert_array_equal(found.values, wanted.values)
    np.testing.assert_array_equal(found.bias, wanted.bias)


def test_leaves_must_be_those_of_the_trees():
    rng = np.random.default_rng(0)
    votes = Votes.from_dense(rng.normal(size=(5, 2)))
    nothing = np.zeros(1), np.zeros((2, 1))
    with pytest.raises(ValueError, match="but there are votes without leaves"):
        Rescaling(*nothing, leaves=votes.tables.values).applied(votes.tables)
    of_trees = replace(votes.tables, of_trees=True)
    with pytest.raises(ValueError, match="of 3 leaves, but there are 10 values"):
        Rescaling(*nothing, leaves=np.ones(3)).applied(of_trees)
    with pytest.raises(ValueError, match="not finite"):
        Rescaling(*nothing, leaves=np.array([np.nan]))
