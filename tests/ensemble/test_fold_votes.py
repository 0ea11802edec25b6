"""Votes of folds: each row votes as its own model does, whatever the other models are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.fold_votes import are_alike, fold_votes, joined_depths, joined_tables
from mddag.ensemble.nodes import TreeBuilder
from mddag.ensemble.partial_sums import partial_sums
from mddag.features.features import Features
from tests import strategies
from tests.reference import fold_votes as twin


@st.composite
def alike_models(draw):
    """A few ensembles whose trees differ, and the scores that they vote for do not."""
    n_scores, n_trees = draw(st.sampled_from([1, 1, 2, 3])), draw(st.integers(1, 4))
    score = [0 if n_scores == 1 else draw(st.integers(-1, n_scores - 1)) for _ in range(n_trees)]
    cuts = draw(st.lists(st.integers(0, n_trees), max_size=2))
    bias = st.lists(strategies.votes_, min_size=n_scores, max_size=n_scores)
    return [
        Ensemble.from_trees(
            [draw(strategies.trees(2, n_scores if k < 0 else 1, 3)) for k in score],
            features=Features(2),
            bias=draw(bias),
            score=score,
            rounds=[0, *sorted(cuts), n_trees],
        )
        for _ in range(draw(st.integers(1, 4)))
    ]


@st.composite
def folded(draw):
    """Models, rows, and the model of each row; some may have no rows."""
    models = draw(alike_models())
    X = np.asarray(draw(strategies.rows(2)), np.float64)
    whose = draw(st.lists(st.integers(0, len(models) - 1), min_size=len(X), max_size=len(X)))
    return models, X, np.array(whose)


def votes_of(models, X, whose):
    rows = [np.flatnonzero(whose == m) for m in range(len(models))]
    codes = [model.votes(X).codes[own] for model, own in zip(models, rows, strict=True)]
    return fold_votes(models, rows, codes)


@settings(deadline=None, max_examples=200)
@given(folded())
def test_each_row_has_the_scores_of_its_model_after_each_base_classifier(case):
    models, X, whose = case
    found = np.array([scores.copy() for scores in partial_sums(votes_of(*case))])
    for i, row in enumerate(X):
        wanted = twin.scores_after(models[whose[i]], models[-1].bias, row)
        np.testing.assert_allclose(found[:, i], wanted, atol=1e-12)


@settings(deadline=None, max_examples=100)
@given(folded())
def test_each_row_visits_the_nodes_of_its_model(case):
    models, X, whose = case
    found = joined_depths(models).of_rows(votes_of(*case).codes)
    for i, row in enumerate(X):
        assert found[i].tolist() == twin.nodes(models[whose[i]], row)


def stump(votes):
    tree = TreeBuilder()
    left, right = (tree.leaf(np.atleast_1d(vote)) for vote in votes)
    return tree.finish(tree.split(0, 0.0, left, right, False))


def ensemble(*trees, bias=0.0, **others):
    return Ensemble.from_trees(trees, features=Features(1), bias=bias, **others)


def test_each_model_starts_from_its_own_bias():
    models = [ensemble(stump((-1, 1)), bias=5.0), ensemble(stump((-2, 2)), bias=7.0)]
    votes = votes_of(models, np.array([[-1.0], [-1.0], [1.0]]), np.array([0, 1, 1]))
    assert votes.scores().ravel().tolist() == [4, 5, 9]
    assert votes.tables.bias.tolist() == [7]


def test_a_bias_waits_for_the_first_tree_that_votes_for_its_score():
    trees = [stump((-1, 1)), stump((-1, 1)), stump((-1, 1))]
    options = {"score": [0, 1, 0], "rounds": [0, 1, 2, 3]}
    models = [ensemble(*trees, bias=bias, **options) for bias in ([10.0, 20.0], [0.0, 0.0])]
    votes = votes_of(models, np.ones((2, 1)), np.array([0, 1]))
    of_other = [scores[0].tolist() for scores in partial_sums(votes)]
    assert of_other == [[0, 0], [11, 0], [11, 21], [12, 21]]


def test_a_tree_for_all_scores_takes_every_bias():
    tree = stump(([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]))
    models = [ensemble(tree, tree, bias=np.full(3, b), score=[-1, -1]) for b in (0.0, 1.0)]
    votes = votes_of(models, np.array([[-1.0], [1.0]]), np.array([1, 1]))
    assert votes.scores().tolist() == [[3, 5, 7], [9, 11, 13]]


def test_codes_are_wide_enough_for_the_leaves_of_all_models():
    rng = np.random.default_rng(0)
    X, models = np.linspace(0, 1, 200)[:, None], []
    for _ in range(3):
        tree = TreeBuilder()
        at = tree.leaf(rng.normal(size=1))
        for edge in np.linspace(0, 1, 119)[::-1]:
            at = tree.split(0, edge, tree.leaf(rng.normal(size=1)), at, False)
        models.append(ensemble(tree.finish(at)))
    whose = np.arange(200) % 3
    votes = votes_of(models, X, whose)
    assert models[0].votes(X).codes.dtype == np.uint8
    assert votes.codes.dtype == np.uint16
    wanted = np.choose(whose, [model.scores(X).ravel() for model in models])
    np.testing.assert_array_equal(votes.scores().ravel(), wanted)


def test_what_is_added_to_codes_are_the_leaves_before():
    short, long = ensemble(stump((1, 2))), ensemble(stump((3, 4)))
    tables, shifts = joined_tables([short.tables, long.tables, short.tables])
    assert shifts.tolist() == [[0], [2], [4]]
    assert tables.values.tolist() == [1, 2, 3, 4, 1, 2]
    assert not tables.of_trees


def test_models_are_alike_if_their_trees_vote_for_the_same_scores():
    tree, wide = stump((1, 2)), stump(([1.0, 2.0], [3.0, 4.0]))
    one = ensemble(tree, tree, bias=np.zeros(2), score=[0, 1])
    assert are_alike([one])
    assert are_alike([one, ensemble(tree, stump((3, 4)), bias=np.ones(2), score=[0, 1])])
    others = [
        ensemble(tree, tree, bias=np.zeros(2), score=[1, 0]),
        ensemble(tree, bias=np.zeros(2), score=[0]),
        ensemble(tree, tree, bias=np.zeros(3), score=[0, 1]),
        ensemble(tree, tree, bias=np.zeros(2), score=[0, 1], rounds=[0, 2]),
        ensemble(wide, wide, bias=np.zeros(2), score=[-1, -1]),
    ]
    assert not any(are_alike([one, other]) for other in others)
    assert not are_alike([one, one, others[0]])


@pytest.mark.parametrize("n_scores", [1, 3])
def test_without_rows_there_are_no_votes(n_scores):
    models = [ensemble(stump((1, 2)), bias=np.zeros(n_scores), score=[0])] * 2
    votes = fold_votes(models, [np.empty(0, np.intp)] * 2, [np.empty((0, 1), np.uint8)] * 2)
    assert votes.scores().shape == (0, n_scores)
