import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.inspection.plotting.graph import QUIT, START, Graph
from mddag.inspection.plotting.grouping import Grouping, groups_of, jump_share
from tests.inspection.plotting.traces import long_trace, ordered_paths, trace_of


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
    assert group.max() + 1 in (19, 20)
    assert (np.diff(group) >= 0).all()
    held = np.bincount(group, uses)
    assert held[:7].tolist() == [100] * 3 + [50] * 4
    assert held[7:-1].max() == held[7:-1].min()


def test_few_nodes_stand_alone():
    grouping = Grouping.of(Graph.of_trace(trace_of([[0, 2], [0, 1, 2]])))
    assert grouping.names() == ["1", "2", "3"]
    assert len(Grouping.of(Graph.of_trace(trace_of([[], []])))) == 0


def test_names_are_places_in_the_order_of_evaluation():
    grouping = Grouping.of(Graph.of_trace(trace_of([[5, 3, 9, 0]] * 4)), 2)
    assert grouping.names() == ["1-2", "3-4"]


def test_the_share_of_jumps():
    assert jump_share(Graph.of_trace(trace_of([[0, 1, 2]] * 9))) == 0
    assert jump_share(Graph.of_trace(trace_of([[0, 1, 2], [0, 2]]))) == pytest.approx(1 / 3)
    assert jump_share(Graph.of_trace(long_trace(50))) > 0.1
