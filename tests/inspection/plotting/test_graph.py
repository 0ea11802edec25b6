"""Traces made by hand, from paths."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.engine.trace import Trace
from mddag.inspection.plotting.graph import QUIT, START, Graph, Grouping, groups_of, jump_share


def trace_of(paths):
    """The trace of rows that follow these paths."""
    indptr = np.concatenate([[0], np.cumsum([len(p) for p in paths], dtype=np.int64)])
    indices = np.array([j for p in paths for j in p], np.int32)
    n = len(paths)
    exits = np.array([max(p, default=-1) + 1 for p in paths], np.int32)
    return Trace(np.zeros((n, 1)), indptr, indices, exits, np.diff(indptr).astype(float))


def long_trace(n_classifiers, n_rows=300, seed=0):
    """Instances that skip about a fifth of `n_classifiers` and quit anywhere."""
    rng = np.random.default_rng(seed)
    every = np.arange(n_classifiers)
    kept = (every[rng.uniform(size=n_classifiers) < 0.8] for _ in range(n_rows))
    return trace_of([p[: rng.integers(1, len(p) + 1)].tolist() if len(p) else [] for p in kept])


@st.composite
def ordered_paths(draw):
    """Paths through at most 8 base classifiers in one order, and that order."""
    order = draw(st.permutations(range(8)))
    masks = draw(st.lists(st.integers(0, 255), min_size=1, max_size=12))
    return [[j for s, j in enumerate(order) if mask >> s & 1] for mask in masks], order


@given(ordered_paths(), st.data())
@settings(deadline=None)
def test_every_step_of_every_path_is_counted_in_its_group(drawn, data):
    paths, _ = drawn
    groups = data.draw(st.lists(st.sampled_from("ab"), min_size=len(paths), max_size=len(paths)))
    graph = Graph.of_trace(trace_of(paths), groups)
    steps = Counter(
        (*step, group)
        for path, group in zip(paths, groups, strict=True)
        for step in pairwise([START, *path, QUIT])
    )
    counted = {
        (int(a), int(b), group): n
        for a, b, row in zip(graph.source, graph.target, graph.count, strict=True)
        for group, n in zip(graph.groups, row, strict=True)
        if n
    }
    assert counted == steps
    uses = Counter(j for path in paths for j in path)
    assert dict(zip(graph.nodes.tolist(), graph.uses.sum(axis=1), strict=True)) == uses


@given(ordered_paths())
@settings(deadline=None)
def test_every_edge_leads_to_the_right(drawn):
    paths, _ = drawn
    graph = Graph.of_trace(trace_of(paths))
    place = {j: x for x, j in enumerate(graph.nodes.tolist())}
    for path in paths:
        assert (np.diff([place[j] for j in path]) > 0).all()


def test_the_smallest_of_many_groups_are_merged():
    groups = np.repeat(np.arange(9), [5, 1, 4, 4, 4, 1, 4, 4, 1])
    graph = Graph.of_trace(trace_of([[0]] * len(groups)), groups)
    assert graph.groups == ("0", "2", "3", "4", "6", "7", "other")
    assert graph.size.tolist() == [5, 4, 4, 4, 4, 4, 3]


def entered(paths, members, color):
    """Instances of one colour that evaluate some of the members, counted path by path."""
    return sum(bool(set(path) & members) for path, c in zip(paths, color, strict=True) if c)


@given(ordered_paths(), st.integers(1, 9))
@settings(deadline=None, max_examples=100)
def test_instances_are_counted_once_per_group(drawn, most):
    paths, _ = drawn
    color = np.arange(len(paths)) % 2
    graph = Graph.of_trace(trace_of(paths), color)
    grouping = Grouping.of(graph, most)
    assert len(grouping) <= max(most, 1)
    assert grouping.graph.size.tolist() == graph.size.tolist()
    for g, (a, b) in enumerate(zip(grouping.first, grouping.last, strict=True)):
        members = set(graph.nodes[a : b + 1].tolist())
        assert grouping.graph.uses[g].sum() == entered(paths, members, color >= 0)
    ends = grouping.graph.target == QUIT
    assert grouping.graph.count[ends].sum() == len(paths)
    assert grouping.graph.count[grouping.graph.source == START].sum() == len(paths)


def test_groups_hold_about_as_many_evaluations():
    uses = np.array([100] * 3 + [50] * 4 + [1] * 300)
    group = groups_of(uses, 20)
    assert (np.diff(group) >= 0).all()
    held = np.bincount(group, uses)
    assert held[:7].tolist() == [100] * 3 + [50] * 4
    assert len(held) <= 20
    assert held[7:].max() <= uses.sum() / 20


def test_the_share_of_jumps():
    assert jump_share(Graph.of_trace(trace_of([[0, 1, 2]] * 9))) == 0
    assert jump_share(Graph.of_trace(trace_of([[0, 1, 2], [0, 2]]))) == pytest.approx(1 / 3)
    assert jump_share(Graph.of_trace(long_trace(50))) > 0.1
