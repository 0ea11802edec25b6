"""TreeArrays trees become the records of an Ensemble, and their priors its bias."""

import numpy as np
import pytest

from mddag import Features
from mddag.adapters._build import averaged, build, centred
from mddag.adapters._tree_arrays import TreeArrays
from mddag.ensemble.nodes import category_words


@pytest.fixture
def flat() -> TreeArrays:
    """A nominal split over a numeric one; a single leaf; a numeric stump."""
    return TreeArrays(
        starts=np.array([0, 5, 6, 9]),
        feature=np.array([1, -1, 0, -1, -1, -1, 0, -1, -1]),
        threshold=np.array([0, 0, 0.5, 0, 0, 0, -0.5, 0, 0]),
        left=np.array([1, -1, 3, -1, -1, -1, 1, -1, -1]),
        right=np.array([2, -1, 4, -1, -1, -1, 2, -1, -1]),
        missing_left=np.array([False, False, True, False, False, False, False, False, False]),
        votes=np.array([[1.0], [2.0], [4.0], [8.0], [16.0], [32.0]]),
        weight=np.array([1.0, 1.0, 2.0, 5.0, 0.0, 0.0]),
        sets={0: category_words(np.array([3, 40]))},
    )


def by_hand(x0: float, x1: float) -> float:
    first = 1.0 if x1 in (3, 40) else 2.0 if np.isnan(x0) or x0 <= 0.5 else 4.0
    return first + 8.0 + (16.0 if x0 <= -0.5 else 32.0)


def test_trees(flat) -> None:
    ensemble = build(flat, features=Features(2), bias=0.0, kind="regressor")
    values = (-1.0, -0.5, 0.0, 0.5, 0.7, np.nan)
    rows = np.array([(x0, x1) for x0 in values for x1 in (0, 3, 8, 40, 41, np.nan)])
    wanted = [by_hand(x0, x1) for x0, x1 in rows]
    np.testing.assert_array_equal(ensemble.scores(rows)[:, 0], wanted)
    assert ensemble.tables.n_leaves.tolist() == [3, 1, 2]


def test_mean_votes_are_weighted_unless_nothing_was_weighed(flat) -> None:
    np.testing.assert_allclose(flat.mean_votes()[:, 0], [(1 + 2 + 2 * 4) / 4, 8.0, 24.0])


def test_the_first_trees_give_their_means_to_the_bias(flat) -> None:
    moved, bias = centred(flat, np.zeros(3, np.int32), 1, n_trees=2)
    assert bias.tolist() == [2.75 + 8.0]
    assert moved.votes[:, 0].tolist() == [1 - 2.75, 2 - 2.75, 4 - 2.75, 0.0, 16.0, 32.0]


def test_averages_lie_on_a_grid_where_sums_are_exact(flat) -> None:
    moved, bias = averaged(flat, np.zeros(3, np.int32), 1, n_rounds=3)
    grain = 32 * 2.0**-40
    for number in [*moved.votes[:, 0], *bias]:
        assert (number / grain).is_integer()
    np.testing.assert_allclose(bias, flat.mean_votes().sum() / 3, atol=3 * grain)


def test_two_scores_of_one_decision_become_their_difference(flat) -> None:
    ensemble = build(
        flat,
        features=Features(2),
        bias=[0.25, 1.0],
        score=np.array([0, 1, 1], np.int32),
        kind="classifier",
    )
    assert ensemble.bias.tolist() == [0.75]
    assert ensemble.classes.tolist() == [0, 1]
    row = np.array([[0.0, 0.0]])
    assert ensemble.scores(row)[0, 0] == 0.75 - 2.0 + 8.0 + 32.0
