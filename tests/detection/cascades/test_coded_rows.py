import numpy as np
import pytest

from mddag.boosting.rounds import rounds, start
from mddag.detection.cascades.coded_rows import (
    CodedRows,
    HeldRows,
    adaboost,
    balanced,
    step_length,
    weighed,
)
from mddag.learners import Haar, Stump
from tests.detection.cascades.rows import coded_rows, patch_rows, training_rows


def test_adaboost_is_that_of_the_library():
    rows = coded_rows(200)
    labels = rows.positive.astype(np.intp)
    factors = len(labels) / (2 * np.bincount(labels))
    boosted = start(labels, 2, np.ones(len(labels)), factors)
    for (nodes, votes), theirs in zip(
        adaboost(rows, Stump()), rounds(boosted, Stump(), rows.columns), strict=False
    ):
        np.testing.assert_array_equal(nodes.records, theirs.nodes.records)
        np.testing.assert_allclose(nodes.votes, theirs.nodes.votes, rtol=1e-9)
        np.testing.assert_allclose(np.abs(votes), theirs.alpha, rtol=1e-9)
        if len(nodes.records) == 0 or theirs.error < 0.1:
            break


def test_adaboost_ends_at_a_base_classifier_without_error():
    rows = coded_rows(8)
    assert len(list(adaboost(rows, Stump()))) < 100


def test_the_steepest_tree_has_the_largest_sum_of_pulls():
    rows = coded_rows(60)
    pull = np.random.default_rng(1).normal(size=60)
    nodes, votes = rows.steepest(Stump(), pull)
    codes = rows.columns.codes
    best = max(
        abs((pull * np.where(column <= cut, 1, -1)).sum())
        for column in codes
        for cut in range(int(column.max()) + 1)
    )
    assert pull @ votes == pytest.approx(best)
    assert set(np.unique(nodes.votes)) <= {-1.0, 1.0}


@pytest.mark.parametrize("patches", [False, True])
def test_held_rows_vote_as_the_training_rows_do(patches):
    rows = patch_rows(80) if patches else training_rows(80)
    learner = Haar(40, random_state=0) if patches else Stump()
    coded = CodedRows.of(rows, learner)
    nodes, votes = coded.steepest(learner, coded.signs)
    np.testing.assert_array_equal(HeldRows(rows).votes(nodes), votes)
    np.testing.assert_array_equal(HeldRows(rows).positive, coded.positive)


@pytest.mark.parametrize("patches", [False, True])
def test_some_of_the_rows(patches):
    rows = patch_rows(80) if patches else training_rows(80)
    learner = Haar(40, random_state=0) if patches else Stump()
    some = np.arange(5, 70, 2)
    part = CodedRows.of(rows, learner).taken(some)
    nodes, votes = part.steepest(learner, part.signs)
    np.testing.assert_array_equal(HeldRows(rows.take(some)).votes(nodes), votes)


def test_weights_of_the_classes():
    weight = balanced(np.array([True, False, False, False]), 3.0)
    np.testing.assert_allclose(weight, [0.75, 1 / 12, 1 / 12, 1 / 12])


def test_step_length_is_half_the_log_odds():
    assert step_length(0.8, 10**9) == pytest.approx(0.5 * np.log(4))
    assert np.isfinite(step_length(1.0, 100))


def test_votes_are_multiplied():
    nodes, _ = coded_rows(20).steepest(Stump(), np.ones(20))
    np.testing.assert_array_equal(weighed(nodes, 0.3).votes, 0.3 * nodes.votes)
