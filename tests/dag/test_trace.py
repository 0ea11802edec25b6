from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag.dag.trace import Trace

N = 6
path_lists = st.lists(st.lists(st.integers(0, N - 1), unique=True), min_size=1, max_size=12)


def trace_of(paths):
    """A Trace with these paths; scores, exits and cost play no part here."""
    n = len(paths)
    indptr = np.concatenate([[0], np.cumsum([len(p) for p in paths])]).astype(np.int64)
    indices = np.array([j for path in paths for j in path], np.int32)
    return Trace(np.zeros((n, 1)), indptr, indices, np.zeros(n, np.int32), np.zeros(n))


def naive_edges(paths, groups):
    """Counter of (source, target, group)."""
    return Counter(
        (a, b, g) for path, g in zip(paths, groups, strict=True) for a, b in pairwise(path)
    )


@given(path_lists)
def test_edges_equal_a_naive_count(paths):
    counted = {(e["source"], e["target"], 0): e["count"] for e in trace_of(paths).edges()}
    assert counted == naive_edges(paths, [0] * len(paths))


@given(path_lists, st.data())
def test_edges_by_group_equal_a_naive_count(paths, data):
    labels = st.sampled_from(["cat", "dog", "owl"])
    groups = data.draw(st.lists(labels, min_size=len(paths), max_size=len(paths)))
    edges = trace_of(paths).edges(groups)
    names = sorted(set(groups))
    assert edges["count"].shape == (len(edges), len(names))
    naive = naive_edges(paths, groups)
    for edge in edges:
        for name, count in zip(names, edge["count"], strict=True):
            assert naive.pop((edge["source"], edge["target"], name), 0) == count
    assert not naive


@given(path_lists)
def test_uses_equal_a_naive_count(paths):
    uses = trace_of(paths).uses(N, groups=[i % 2 for i in range(len(paths))])
    for j in range(N):
        for g in range(uses.shape[1]):
            assert uses[j, g] == sum(j in path for path in paths[g::2])
    assert (trace_of(paths).uses(N)[:, 0] == uses.sum(axis=1)).all()


@given(path_lists)
def test_paths_equal_a_naive_count(paths):
    trace = trace_of(paths)
    counted = trace.paths()
    assert counted == Counter(map(tuple, paths))
    assert list(counted.values()) == sorted(counted.values(), reverse=True)
    assert trace.n_paths == len(set(map(tuple, paths)))
    assert [trace.path(i).tolist() for i in range(len(trace))] == paths
    assert trace.n_evaluated.tolist() == [len(p) for p in paths]


def test_an_example_by_hand():
    trace = trace_of([[0, 2, 3], [0, 2], [], [0, 2, 3]])
    edges = trace.edges()
    assert edges.tolist() == [(0, 2, 3), (2, 3, 2)]
    assert trace.edges(groups=[1, 0, 0, 0])["count"].tolist() == [[2, 1], [1, 1]]
    assert trace.uses(4)[:, 0].tolist() == [3, 0, 3, 2]
    assert trace.paths() == {(0, 2, 3): 2, (0, 2): 1, (): 1}


def test_a_trace_without_evaluations_has_no_edges():
    trace = trace_of([[], []])
    assert len(trace.edges()) == 0
    assert trace.edges(groups=[0, 1])["count"].shape == (0, 2)
    assert trace.uses(3).tolist() == [[0], [0], [0]]
    assert trace.uses(0).shape == (0, 1)
    assert trace.n_paths == 1


def test_what_does_not_fit_is_refused():
    trace = trace_of([[0, 5], [1]])
    with pytest.raises(ValueError, match=r"groups has shape \(3,\).*each of the 2 instances"):
        trace.edges(groups=[0, 1, 2])
    with pytest.raises(ValueError, match=r"evaluates base classifier 5.*got 3"):
        trace.uses(3)


def test_paths_count_from_the_end_too():
    trace = trace_of([[0, 5], [1], []])
    assert [trace.path(i).tolist() for i in (-1, -2, -3)] == [[], [1], [0, 5]]
    for i in (3, -4):
        with pytest.raises(
            IndexError, match=f"there is no instance {i}; wanted a number from -3 to 2"
        ):
            trace.path(i)


def test_repr_is_one_line():
    assert repr(trace_of([[0, 1], [2]])) == (
        "<Trace of 2 instances, 1.5 evaluations each on average>"
    )
