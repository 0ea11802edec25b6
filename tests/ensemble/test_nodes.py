import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import _core
from mddag.dag.dag import compile as compile_dag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import NODE, Nodes, TreeBuilder, categories_of, category_words
from mddag.features.features import Features
from tests import strategies
from tests.reference.tree_fault import first_fault


def test_the_record_matches_the_kernel():
    assert NODE.itemsize == _core.NODE_SIZE
    assert [NODE.fields[name][1] for name in NODE.names] == [0, 8, 12, 16, 20, 24, 28]


@given(st.lists(st.integers(0, 200), unique=True))
def test_category_sets_round_trip(categories):
    words = category_words(np.array(categories, np.int64))
    assert categories_of(words).tolist() == sorted(categories)


def test_children_follow_their_parent_whatever_the_order_of_calls():
    tree = TreeBuilder()
    low, high, middle = tree.leaf([1.0]), tree.leaf([3.0]), tree.leaf([2.0])
    inner = tree.split(1, 0.5, middle, high, missing_left=False)
    nodes = tree.finish(tree.split(0, 0.0, low, inner, missing_left=True))
    inner_nodes = np.flatnonzero(nodes.records["feature"] >= 0)
    assert all(nodes.records["left"][i] > i and nodes.records["right"][i] > i for i in inner_nodes)
    assert nodes.votes.ravel().tolist() == [1.0, 2.0, 3.0]
    assert nodes.n_leaves == 3


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
        ({"left": (0, 0)}, r"node 0 has the children 0 and 2; wanted nodes behind it, in 1\.\.4"),
        ({"right": (2, 5)}, r"node 2 has the children 3 and 5; wanted nodes behind it, in 3\.\.4"),
        ({"right": (2, -7)}, "node 2 has the children 3 and -7"),
        ({"right": (2, 3)}, "node 2 has the children 3 and 3, one of which has a parent already"),
        ({"word": (0, 1)}, "node 0 reads 2 words from word 1 on; wanted .* the tree's 2 words"),
        ({"n_words": (0, -1)}, "node 0 reads -1 words"),
        ({"left": (1, 3)}, r"node 1 is a leaf of code 3; wanted each of 0\.\.2, the rows of votes"),
        ({"left": (3, 0)}, "node 3 is a leaf of code 0"),
        ({"feature": (2, -1)}, "node 2 is a leaf of code 3"),
        (
            {"feature": (0, -1), "left": (0, 0)},
            "node 1 is no child of another node; wanted one tre",
        ),
        ({"threshold": (2, np.nan)}, "node 2 has the threshold nan; wanted a number"),
        ({"threshold": (0, np.nan)}, "node 0 has the threshold nan; wanted a number, whatever"),
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


def test_a_threshold_that_is_no_number_is_refused():
    tree = TreeBuilder()
    root = tree.split(0, float("nan"), tree.leaf([1.0]), tree.leaf([2.0]), missing_left=True)
    with pytest.raises(ValueError, match="node 0 has the threshold nan; wanted a number"):
        tree.finish(root)


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


def test_votes_that_no_leaf_has_are_refused():
    nodes = three_leaves()
    with pytest.raises(ValueError, match="votes have 4 rows, but the tree has 3 leaves"):
        Nodes(nodes.records, np.zeros((4, 1)), nodes.words)


def unaligned(array):
    """The same numbers one byte off."""
    behind = b"x" + array.tobytes()
    return np.frombuffer(behind, np.uint8, offset=1).view(array.dtype).reshape(array.shape)


LEAF = np.array([(0.0, -1, 0, -1, 0, 0, False)], NODE)


@pytest.mark.parametrize(
    ("records", "votes", "message"),
    [
        (LEAF[:0], np.zeros((0, 1)), "records are empty; wanted at least one node"),
        (np.zeros(1), np.ones((1, 1)), r"records is float64 \(1,\).*wanted C-contiguous NODE"),
        (np.repeat(LEAF, 4)[::2], np.ones((1, 1)), "not C-contiguous; wanted C-contiguous NODE"),
        (LEAF, np.ones(1), r"votes is float64 \(1,\).*wanted C-contiguous float64 with 2 dim"),
        (LEAF, np.ones((1, 1), np.float32), "votes is float32"),
        (LEAF, np.ones((1, 4))[:, ::2], "votes is .* not C-contiguous"),
        (unaligned(LEAF), np.ones((1, 1)), "records is .* C-contiguous, not aligned; wanted"),
        (LEAF, unaligned(np.ones((1, 1))), "votes is .* C-contiguous, not aligned; wanted"),
    ],
)
def test_arrays_of_another_form_are_refused(records, votes, message):
    with pytest.raises(ValueError, match=message):
        Nodes(records, votes)


def test_lists_are_refused_by_name():
    with pytest.raises(TypeError, match="votes is a list; wanted a numpy array"):
        Nodes(LEAF, [[1.0]])
    with pytest.raises(ValueError, match="words is int64"):
        Nodes(LEAF, np.ones((1, 1)), np.array([1]))


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
        (
            [stump(), stump(feature=2)],
            {},
            r"tree 1 splits column 2 \(node 0\), but there are 2 features; .* lie in 0\.\.1",
        ),
        ([stump(), stump(2)], {}, "tree 1 has votes of width 2, but votes for score 0 of 1"),
        (
            [stump(3), stump(2)],
            {"bias": np.zeros(3)},
            "tree 1 has votes of width 2, but votes for score 0 of 3; wanted width 1",
        ),
        (
            [stump(1)],
            {"bias": np.zeros(3), "score": [-1]},
            "tree 0 has votes of width 1, but votes for all 3 scores; wanted width 3",
        ),
        ([stump()], {"score": [1]}, r"tree 0 votes for score 1; wanted a number in 0\.\.0"),
        ([stump()], {"score": [-2]}, "tree 0 votes for score -2"),
        ([stump()], {"score": [0.0]}, "score is float64; wanted whole numbers, one for each of 1"),
        ([stump()], {"score": [0, 0]}, r"score has shape \(2,\); wanted one number for each tree"),
        ([stump()], {"score": 0}, r"score has shape \(\)"),
        ([stump()] * 3, {"rounds": [0, 2, 1, 3]}, r"fall from 2 to 1 \(base classifier 1\)"),
        (
            [stump()] * 3,
            {"rounds": [0, 2]},
            r"rounds are \[0 2\]; wanted numbers rising",
        ),
        ([stump()] * 3, {"rounds": [1, 3]}, r"rounds are \[1 3\]"),
        ([stump()] * 3, {"rounds": [0, 99, 3]}, "fall from 99 to 3"),
        ([stump()] * 3, {"rounds": [0.0, 3.0]}, "rounds is float64; wanted whole numbers, rising"),
        ([stump()] * 3, {"rounds": []}, r"rounds are \[\]"),
        ([stump(), stump(vote=np.nan)], {}, r"tree 1 votes nan \(leaf code 0\); .* be finite"),
        ([stump()], {"bias": [np.inf]}, r"bias is \[inf\]; wanted one finite number"),
        ([stump()], {"bias": [[0.0]]}, r"bias is \[\[0.0\]\]"),
        ([stump()], {"classes": [1, 2, 3]}, r"classes has shape \(3,\); 1 score\(s\) stand for 2"),
    ],
)
def test_what_does_not_fit_is_refused(trees, keywords, message):
    with pytest.raises(ValueError, match=message):
        laid(trees, **keywords)


def test_what_is_no_tree_is_refused_flat_trees():
    with pytest.raises(TypeError, match=r"trees\[1\] is a str; wanted Nodes"):
        laid([stump(), "tree"])


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
