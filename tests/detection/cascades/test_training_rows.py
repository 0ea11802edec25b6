import numpy as np
import pytest

from mddag.boosting.rounds import rounds, start
from mddag.detection.cascades.chain import Chain
from mddag.detection.cascades.training_rows import (
    MOST_DRAWN,
    CodedRows,
    HeldRows,
    Material,
    Supply,
    adaboost,
    balanced,
    final_scores,
    passing,
    stacked,
    step_length,
    weighed,
)
from mddag.learners import Haar, Stump
from tests.detection.cascades.rows import coded_rows, material, patch_rows, training_rows


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
