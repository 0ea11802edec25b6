import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag import _core
from mddag.nodes import NODE, TreeBuilder, categories_of, category_words


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
