"""Depths of leaves are those of the slow walk, tree by tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import _core
from mddag.engine.dag import compile as compile_dag
from mddag.ensemble.costs import LeafDepths, read_groups
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import NODE, Nodes, TreeBuilder, categories_of, category_words
from tests import strategies
from tests.engine.test_trace import prices_of
from tests.reference import trees as twin
from tests.reference.trees import first_fault


def test_the_record_matches_the_kernel():
    assert NODE.itemsize == _core.NODE_SIZE
    assert [NODE.fields[name][1] for name in NODE.names] == [0, 8, 12, 16, 20, 24, 28]


@given(st.lists(st.integers(0, 200), unique=True))
def test_category_sets_round_trip(categories):
    words = category_words(np.array(categories, np.int64))
    assert categories_of(words).tolist() == sorted(categories)


def test_a_node_with_two_parents_is_refused():
    tree = TreeBuilder()
    leaf = tree.leaf([1.0])
    with pytest.raises(ValueError, match="two parents"):
        tree.finish(tree.split(0, 0.0, leaf, leaf, missing_left=True))


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_faults_equal_the_twin(data):
    """Any tree with up to three numbers changed."""
    nodes = data.draw(strategies.trees(n_features=2, width=1))
    records, number = nodes.records.copy(), st.integers(-2, len(nodes.records) + 1)
    for _ in range(data.draw(st.integers(0, 3))):
        i = data.draw(st.integers(0, len(records) - 1))
        name = data.draw(
            st.sampled_from(["threshold", "feature", "left", "right", "word", "n_words"])
        )
        records[name][i] = np.nan if name == "threshold" else data.draw(number)
    n_leaves = nodes.n_leaves + data.draw(st.sampled_from([0, 0, 0, -1, 1]))
    found = _core.tree_fault(records.view(np.uint8), n_leaves, len(nodes.words))
    assert found == first_fault(records, n_leaves, len(nodes.words))


def three_leaves(**changes):
    """Five nodes, a nominal and a numeric split, with changes: field=(node, value)."""
    tree = TreeBuilder()
    inner = tree.split(1, 0.5, tree.leaf([2.0]), tree.leaf([3.0]), missing_left=False)
    nodes = tree.finish(tree.nominal_split(0, [1, 40], tree.leaf([1.0]), inner, missing_left=True))
    for name, (i, value) in changes.items():
        nodes.records[name][i] = value
    return nodes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"left": (0, 0)}, "node 0 has the children 0 and 2"),
        ({"right": (2, 5)}, "node 2 has the children 3 and 5"),
        ({"right": (2, -7)}, "node 2 has the children 3 and -7"),
        ({"right": (2, 3)}, "node 2 has the children 3 and 3"),
        ({"word": (0, 1)}, "node 0 reads 2 words from word 1"),
        ({"n_words": (0, -1)}, "node 0 reads -1 words"),
        ({"left": (1, 3)}, "node 1 is a leaf of code 3"),
        ({"left": (3, 0)}, "node 3 is a leaf of code 0"),
        ({"feature": (0, -1), "left": (0, 0)}, "node 1 is no child of another node"),
        ({"threshold": (2, np.nan)}, "node 2 has the threshold nan"),
        ({"threshold": (0, np.nan)}, "node 0 has the threshold nan"),
    ],
)
def test_what_is_no_tree_is_refused(changes, message):
    nodes = three_leaves(**changes)
    with pytest.raises(ValueError, match=message):
        Nodes(nodes.records, nodes.votes, nodes.words)


def test_two_leaves_are_no_tree():
    """The root votes alone, and the second leaf would make the engine take it for a stump."""
    leaves = np.array([(0.0, -1, 0, -1, 0, 0, False), (0.0, -1, 1, -1, 0, 0, False)], NODE)
    with pytest.raises(ValueError, match="node 1 is no child of another node"):
        Nodes(leaves, np.zeros((2, 1)))


@pytest.mark.parametrize(("n_words", "fault"), [(2**24 - 1, 0), (2**24, 3), (2**31 - 1, 3)])
def test_category_sets_have_an_end(n_words, fault):
    """Beyond it a float32 could not tell whether a category lies behind the set."""
    records = three_leaves().records.copy()
    records["n_words"][0] = n_words
    assert _core.tree_fault(records.view(np.uint8), 3, 2**32)[0] == fault


@pytest.mark.parametrize("category", [-1, 32 * (2**24 - 1), 2**62])
def test_categories_that_are_no_small_numbers_are_refused(category):
    message = f"category {category} cannot be in a set; wanted numbers from 0 to 536870879"
    with pytest.raises(ValueError, match=message):
        TreeBuilder().nominal_split(0, np.array([3, category]), 0, 1, missing_left=True)


def unaligned(array):
    """The same numbers one byte off."""
    behind = b"x" + array.tobytes()
    return np.frombuffer(behind, np.uint8, offset=1).view(array.dtype).reshape(array.shape)


LEAF = np.array([(0.0, -1, 0, -1, 0, 0, False)], NODE)


@pytest.mark.parametrize(
    ("records", "votes", "message"),
    [
        (LEAF[:0], np.zeros((0, 1)), "records are empty"),
        (np.zeros(1), np.ones((1, 1)), r"records is float64 \(1,\)"),
        (np.repeat(LEAF, 4)[::2], np.ones((1, 1)), "not C-contiguous"),
        (LEAF, np.ones(1), r"votes is float64 \(1,\)"),
        (LEAF, np.ones((1, 1), np.float32), "votes is float32"),
        (LEAF, np.ones((1, 4))[:, ::2], "votes is .* not C-contiguous"),
        (unaligned(LEAF), np.ones((1, 1)), "records is .* not aligned"),
        (LEAF, unaligned(np.ones((1, 1))), "votes is .* not aligned"),
    ],
)
def test_arrays_of_another_form_are_refused(records, votes, message):
    with pytest.raises(ValueError, match=message):
        Nodes(records, votes)


def stump(width=1, feature=0, vote=1.0):
    tree = TreeBuilder()
    left, right = tree.leaf(np.full(width, -vote)), tree.leaf(np.full(width, vote))
    return tree.finish(tree.split(feature, 0.0, left, right, missing_left=True))


def laid(trees, **keywords):
    return Ensemble.from_trees(trees, features=Features(2), **keywords)


def test_trees_of_width_k_vote_for_all_and_of_width_one_for_the_first():
    assert laid([stump(3), stump(1), stump(3)], bias=np.zeros(3)).tables.score.tolist() == [
        -1,
        0,
        -1,
    ]
    assert laid([stump(1), stump(1)]).tables.score.tolist() == [0, 0]
    ensemble = laid([stump(3), stump(1)], bias=np.zeros(3))
    assert ensemble.scores([[1.0, 0.0]]).tolist() == [[2.0, 1.0, 1.0]]


@pytest.mark.parametrize("executor", ["walk", "blocks", "all"])
def test_all_of_one_score_is_that_score(executor):
    ensemble = laid([stump(), stump(), stump()], score=[0, -1, -1], rounds=[0, 1, 3])
    assert ensemble.tables.score.tolist() == [0, 0, 0]
    X = np.repeat([[1.0, 0.0], [-1.0, 0.0]], 300, axis=0)
    dag = compile_dag(ensemble, executor=executor)
    np.testing.assert_array_equal(dag.scores(X), np.repeat([[3.0], [-3.0]], 300, axis=0))
    np.testing.assert_array_equal(ensemble.votes(X).scores(), dag.scores(X))


@pytest.mark.parametrize(
    ("trees", "keywords", "message"),
    [
        ([stump(), stump(feature=2)], {}, r"tree 1 splits column 2 \(node 0\)"),
        ([stump(), stump(2)], {}, "tree 1 has votes of width 2"),
        ([stump(3), stump(2)], {"bias": np.zeros(3)}, "tree 1 has votes of width 2"),
        ([stump(1)], {"bias": np.zeros(3), "score": [-1]}, "tree 0 has votes of width 1"),
        ([stump()], {"score": [1]}, "tree 0 votes for score 1"),
        ([stump()], {"score": [-2]}, "tree 0 votes for score -2"),
        ([stump()], {"score": [0.0]}, "score is float64"),
        ([stump()], {"score": [0, 0]}, r"score has shape \(2,\)"),
        ([stump()], {"score": 0}, r"score has shape \(\)"),
        ([stump()] * 3, {"rounds": [0, 2, 1, 3]}, "fall from 2 to 1"),
        ([stump()] * 3, {"rounds": [1, 3]}, r"rounds are \[1 3\]"),
        ([stump()] * 3, {"rounds": [0, 99, 3]}, "fall from 99 to 3"),
        ([stump()] * 3, {"rounds": [0.0, 3.0]}, "rounds is float64"),
        ([stump()] * 3, {"rounds": []}, r"rounds are \[\]"),
        ([stump(), stump(vote=np.nan)], {}, "tree 1 votes nan"),
        ([stump()], {"bias": [np.inf]}, r"bias is \[inf\]"),
        ([stump()], {"bias": [[0.0]]}, r"bias is \[\[0.0\]\]"),
    ],
)
def test_what_does_not_fit_is_refused(trees, keywords, message):
    with pytest.raises(ValueError, match=message):
        laid(trees, **keywords)


def test_arrays_of_other_types_and_layouts_are_taken():
    ensemble = laid(
        [stump(), stump()],
        score=np.zeros(4, np.int8)[::2],
        rounds=np.array([0, 9, 1, 9, 2], np.uint16)[::2],
        bias=np.float32(0.5),
        cost=np.arange(4.0)[::2],
    )
    assert ensemble.scores(np.ones((1, 2))).tolist() == [[2.5]]
    for array in (ensemble.tables.score, ensemble.tables.rounds, ensemble.cost):
        assert array.flags.c_contiguous


def test_what_the_caller_keeps_can_no_longer_change_the_ensemble():
    bias, cost, rounds, classes = np.zeros(1), np.ones(1), np.arange(2), np.array([3, 4])
    ensemble = laid([stump()], bias=bias, cost=cost, rounds=rounds, classes=classes)
    bias[:], cost[:], rounds[:], classes[:] = 7, 7, 7, 7
    assert (ensemble.bias[0], ensemble.cost[0], ensemble.classes[0]) == (0, 1, 3)
    assert ensemble.tables.rounds.tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        ensemble.cost[0] = -1


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_nodes_are_those_that_a_walk_visits(data):
    ensemble = data.draw(strategies.ensembles())
    X = np.asarray(data.draw(strategies.rows(ensemble.n_features)), np.float64)
    found = LeafDepths.of(ensemble).of_rows(ensemble.votes(X).codes)
    rounds = ensemble.tables.rounds
    for row, nodes in zip(X, found, strict=True):
        for j, n in enumerate(nodes):
            trees = [ensemble.tree(t) for t in range(rounds[j], rounds[j + 1])]
            assert n == sum(twin.n_comparisons(tree, row) for tree in trees)


def test_callables_have_no_nodes():
    ensemble = Ensemble.from_callables([lambda X: X[:, 0]], n_features=1)
    with pytest.raises(ValueError, match="callables, which have no nodes"):
        LeafDepths.of(ensemble)


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_groups_are_those_of_the_features_that_trees_read(data):
    ensemble = data.draw(strategies.ensembles())
    prices = data.draw(prices_of(ensemble.n_features))
    found = read_groups(prices, ensemble)
    group = prices.group_of(ensemble.n_features)
    rounds = ensemble.tables.rounds
    for j in range(len(ensemble)):
        trees = [ensemble.tree(t) for t in range(rounds[j], rounds[j + 1])]
        read = {f for tree in trees for f in tree.records["feature"].tolist() if f >= 0}
        assert set(np.flatnonzero(found[j])) == {group[f] for f in read}
