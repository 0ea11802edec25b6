import numpy as np
import pytest

from mddag.detection.cascades.chain import Chain
from mddag.detection.cascades.coded_rows import adaboost
from mddag.detection.cascades.material import (
    MOST_DRAWN,
    Material,
    Supply,
    final_scores,
    passing,
    stacked,
)
from mddag.learners import Haar, Stump
from tests.detection.cascades.rows import material, patch_rows, training_rows


def everything(rows):
    return np.ones(len(rows), bool)


def nothing(rows):
    return np.zeros(len(rows), bool)


def supply(source, like):
    return Supply.of(source, like, like.features.rows)


def test_every_row_of_a_pool_is_used_once():
    rows = training_rows(20)
    pool = np.arange(50.0)[:, None] + np.zeros((50, 10))
    drawn = supply(pool, rows)
    first, second = drawn.draw(30, everything), drawn.draw(30, everything)
    assert first is not None
    np.testing.assert_array_equal(np.asarray(first.rows)[:, 0], np.arange(30))
    assert (first.labels == 0).all()
    assert second is None  # rows are looked at in blocks, and the pool is small
    assert drawn.used == 50


def test_rows_that_do_not_pass_are_left_out():
    rows = training_rows(20)
    drawn = supply(np.arange(50.0)[:, None] + np.zeros((50, 10)), rows)
    found = drawn.draw(100, lambda rows: np.asarray(rows.rows)[:, 0] % 2 == 0)
    np.testing.assert_array_equal(np.asarray(found.rows)[:, 0], np.arange(0, 50, 2))


def test_a_function_is_asked_until_it_has_been_asked_enough():
    asked = []

    def source(n):
        asked.append(n)
        return np.zeros((n, 10))

    rows = training_rows(20)
    assert supply(source, rows).draw(10, nothing) is None
    assert MOST_DRAWN * 10 <= sum(asked) < 2 * MOST_DRAWN * 10 + 512
    assert len(supply(source, rows).draw(10, everything)) == 10


@pytest.mark.parametrize("end", [None, []])
def test_a_function_may_have_no_more(end):
    assert supply(lambda n: end, training_rows(20)).draw(10, everything) is None


def test_negatives_fill_the_gaps_of_both_parts():
    rows = material(60, 40)
    wanted = int((rows.boosted.labels == 0).sum()), int((rows.held.labels == 0).sum())
    kept = rows.kept(np.flatnonzero(rows.boosted.labels), np.arange(40))
    pool = supply(np.zeros((500, 10)), rows.boosted)
    full = kept.refilled(pool, wanted, everything)
    assert int((full.boosted.labels == 0).sum()) == wanted[0]
    assert len(full.held) == 40
    assert len(full.coded) == len(full.boosted)


def test_codes_are_kept_with_their_rows():
    rows = material(60, 40)
    some = np.arange(3, 50, 2)
    part = rows.kept(some, np.arange(10))
    np.testing.assert_array_equal(part.coded.columns.codes, rows.coded.columns.codes[:, some])
    np.testing.assert_array_equal(part.coded.positive, rows.boosted.labels[some] > 0)
    assert len(part.aside) == 10


@pytest.mark.parametrize("patches", [False, True])
def test_rows_are_stacked(patches):
    make = patch_rows if patches else training_rows
    both = stacked(make(6), make(4, seed=1))
    np.testing.assert_array_equal(np.asarray(both.rows)[6:], np.asarray(make(4, seed=1).rows))
    assert len(both) == 10


@pytest.mark.parametrize("patches", [False, True])
def test_rows_pass_as_their_votes_say(patches):
    rows = patch_rows(80) if patches else training_rows(80)
    learner = Haar(40, random_state=0) if patches else Stump()
    part = Material(rows, rows, learner)
    rounds = adaboost(part.coded, learner)
    trees = [nodes for (nodes, _), _ in zip(rounds, range(3), strict=False)]
    votes = np.stack([part.aside.votes(nodes) for nodes in trees], axis=1)
    chain = Chain.of_stages([len(trees)], [0.1])
    np.testing.assert_array_equal(passing(chain, trees, rows), chain.left(votes).accepted)
    np.testing.assert_allclose(final_scores(rows, trees), votes.sum(axis=1))
