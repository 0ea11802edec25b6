"""Merged columns: what they vote, which trees they take, what becomes of prices and the bias."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.merging import MOST_LEAVES
from mddag.ensemble.nodes import TreeBuilder
from mddag.features.features import Features
from tests import strategies
from tests.reference import merging as reference


def stump(column, threshold, votes=(-1.0, 1.0), missing_left=False):
    tree = TreeBuilder()
    left, right = (tree.leaf(np.atleast_1d(vote)) for vote in votes)
    return tree.finish(tree.split(column, threshold, left, right, missing_left))


def constant(vote):
    tree = TreeBuilder()
    return tree.finish(tree.leaf(np.atleast_1d(vote)))


@given(st.data())
@settings(deadline=None, max_examples=300)
def test_each_step_function_votes_what_its_trees_vote(data):
    ensemble = data.draw(strategies.ensembles(one_column=True))
    X = data.draw(strategies.rows(ensemble.n_features))
    merged = ensemble.merged()
    wanted = reference.step_functions(ensemble)
    found = reference.step_functions(ensemble.merged())
    assert not found  # one tree for a column
    votes = merged.votes(X).dense()
    for (column, nominal), trees in wanted.items():
        at = [
            j
            for j in range(merged.n_classifiers)
            if reference.columns_of(merged.tree(merged.tables.rounds[j])) == {(column, nominal)}
        ]
        own = np.array([reference.vote(ensemble, trees, row) for row in X])
        if not at:  # no value is told from another: it is part of the bias
            np.testing.assert_allclose(own, own[:1].repeat(len(X), axis=0))
            continue
        assert len(at) == 1
        np.testing.assert_allclose(votes[:, at[0]], own, atol=1e-12)
    np.testing.assert_allclose(merged.scores(X), ensemble.scores(X), atol=1e-11)
    np.testing.assert_array_equal(merged.merged().scores(X), merged.scores(X))


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_a_dag_of_it_runs_by_every_executor(data):
    merged = data.draw(strategies.ensembles(one_column=True)).merged()
    X = data.draw(strategies.rows(merged.n_features))
    wanted = merged.scores(X)
    for executor in ("walk", "blocks", "all"):
        dag = mddag.compile(merged, executor=executor)
        np.testing.assert_allclose(dag.scores(X), wanted, atol=dag.fixed_point.bound + 1e-12)


def test_trees_of_several_columns_stay_and_the_order_is_that_of_first_trees():
    tree = TreeBuilder()
    inner = tree.split(1, 0.0, tree.leaf(np.ones(1)), tree.leaf(np.zeros(1)), False)
    both = tree.finish(tree.split(0, 1.0, inner, tree.leaf(np.full(1, 3.0)), False))
    trees = [stump(2, 0.0), both, stump(0, 1.0), stump(2, 5.0), stump(0, -1.0), stump(1, 0.0)]
    merged = Ensemble.from_trees(trees, features=Features(3)).merged()
    read = [set(merged.tree(t).records["feature"].tolist()) - {-1} for t in range(4)]
    assert len(merged) == 4
    assert read == [{2}, {0, 1}, {0}, {1}]
    assert merged.cost.tolist() == [1, 1, 1, 1]
    assert not merged.priced


def test_rounds_lose_the_trees_of_merged_columns():
    tree = TreeBuilder()
    inner = tree.split(1, 0.0, tree.leaf(np.ones(1)), tree.leaf(np.zeros(1)), False)
    both = tree.finish(tree.split(0, 1.0, inner, tree.leaf(np.full(1, 3.0)), False))
    trees = [stump(0, 0.0), both, stump(0, 1.0), stump(0, 2.0)]
    source = Ensemble.from_trees(
        trees, features=Features(2), bias=[0.0, 1.0], score=[0, 1, 1, 0], rounds=[0, 2, 4]
    )
    merged = source.merged()
    assert merged.tables.score.tolist() == [1, -1]  # what is left of the first, then the column
    X = np.random.default_rng(0).normal(size=(20, 2))
    np.testing.assert_allclose(merged.scores(X), source.scores(X), atol=1e-12)


def test_trees_without_splits_become_bias():
    source = Ensemble.from_trees([constant(2.0), stump(0, 0.0)], features=Features(1), bias=1.0)
    merged = source.merged()
    assert merged.bias.tolist() == [3.0]
    assert len(merged) == 1
    only = Ensemble.from_trees([constant(2.0)], features=Features(1)).merged()
    assert only.scores(np.zeros((1, 1))).tolist() == [[2.0]]


def test_step_functions_without_steps_become_bias():
    tree = TreeBuilder()
    left, right = tree.leaf(np.ones(1)), tree.leaf(np.full(1, 2.0))
    nobody = tree.finish(tree.nominal_split(0, np.empty(0, int), left, right, False))
    merged = Ensemble.from_trees([nobody, nobody], features=Features(1), bias=1.0).merged()
    assert len(merged) == 0
    assert merged.bias.tolist() == [5.0]


def test_a_step_function_has_the_largest_price_of_its_trees():
    trees = [stump(0, 0.0), stump(1, 0.0), stump(0, 1.0)]
    source = Ensemble.from_trees(trees, features=Features(2), cost=[3.0, 2.0, 5.0])
    merged = source.merged()
    assert merged.priced
    assert merged.cost.tolist() == [5.0, 2.0]


def test_missing_values_get_a_leaf_of_their_own_where_they_need_one():
    trees = [stump(0, 0.0, missing_left=True), stump(0, -1.0), stump(0, 0.0, (5.0, 0.0))]
    source = Ensemble.from_trees(trees, features=Features(1))
    X = np.array([[np.nan], [-2.0], [-1.0], [-0.5], [0.0], [0.5], [np.inf], [-np.inf]])
    np.testing.assert_allclose(source.merged().scores(X), source.scores(X), atol=1e-12)
    assert source.merged().tree(0).n_leaves == 4
    alike = Ensemble.from_trees(trees[:1] * 2, features=Features(1)).merged()
    assert alike.tree(0).n_leaves == 2


def test_numbers_that_are_all_alike_beside_missing_ones():
    trees = [stump(0, 0.0, (1.0, 2.0)), stump(0, np.inf, (1.0, 3.0))]
    source = Ensemble.from_trees(trees[1:] * 2, features=Features(1))
    X = np.array([[np.nan], [0.0], [np.inf]])
    assert source.merged().scores(X).ravel().tolist() == [6.0, 2.0, 2.0]


def test_a_column_of_very_many_thresholds_has_several_step_functions():
    trees = [stump(0, float(i)) for i in range(600)]
    source = Ensemble.from_trees(trees, features=Features(1))
    merged = source.merged()
    assert len(merged) == 3
    assert merged.tables.n_leaves.max() <= MOST_LEAVES
    X = np.linspace(-1, 601, 2000)[:, None]
    np.testing.assert_allclose(merged.scores(X), source.scores(X), atol=1e-9)


def test_callables_are_not_merged():
    source = Ensemble.from_callables([np.sum], n_features=1)
    assert source.merged() is source


def test_the_task_is_kept():
    source = Ensemble.from_trees(
        [stump(0, 0.0), stump(0, 1.0)], features=Features(1), kind="regressor", link="exp"
    )
    merged = source.merged()
    assert (merged.kind, merged.link) == ("regressor", "exp")


def test_a_policy_learned_on_it_numbers_its_step_functions(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X.sum(axis=1) > 0).astype(int)
    model = mddag.AdaBoostMHClassifier(mddag.learners.Stump(), n_rounds=30).fit(X, y)
    merged = mddag.as_ensemble(model).merged()
    assert len(merged) == 3
    sparse = mddag.sparsify(merged, X, y, beta=0.01, random_state=0)
    path = tmp_path / "merged.mddag"
    sparse.save(path)
    trace = sparse.trace(X)
    assert trace.indices.max() < 3
    assert (mddag.load(path).predict(X) == sparse.predict(X)).all()


@pytest.mark.parametrize("n_scores", [1, 3])
def test_nothing_to_merge_changes_nothing(n_scores):
    source = Ensemble.from_trees([], features=Features(1), bias=np.ones(n_scores))
    assert source.merged().scores(np.zeros((1, 1))).tolist() == [[1.0] * n_scores]
