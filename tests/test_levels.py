import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble import Ensemble
from mddag.levels import Levels, carried
from mddag.votes import Votes
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
    levels = Levels(-shift.sum(axis=0), shift)
    moved = Votes(votes.codes, levels.applied(tables))
    np.testing.assert_allclose(moved.dense(), votes.dense() + shift, atol=1e-12)
    np.testing.assert_allclose(moved.scores(), votes.scores(), rtol=1e-9, atol=1e-9)


def test_callables_get_them_too():
    ensemble = Ensemble.from_callables([np.ones_like, np.zeros_like], n_features=1, bias=[0.5])
    moved = ensemble.levelled(Levels(np.array([-3.0]), np.array([[1.0], [2.0]])))
    assert moved.bias.tolist() == [-2.5]
    X = np.zeros((2, 1))
    assert moved.votes(X).dense()[:, :, 0].tolist() == [[2, 2], [2, 2]]
    assert moved.scores(X).ravel().tolist() == ensemble.scores(X).ravel().tolist()
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
        Levels(start, shift)
