"""Overlapping hits as objects, and the cut for a wanted number of false ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag.detection.windows import cut_for, group_by_evidence, group_neighbours
from tests.reference import grouping as reference


@st.composite
def hits(draw, most=25):
    n = draw(st.integers(0, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    corners = rng.integers(-5, 40, (n, 2))
    sizes = rng.integers(1, 30, (n, 2))
    return np.concatenate([corners, corners + sizes], axis=1), rng.integers(1, 5, n) / 2


@given(hits(), st.sampled_from([0.05, 0.3, 0.9, 1.0]))
def test_the_strongest_takes_what_overlaps_it(found, overlap):
    boxes, evidence = found
    wanted = reference.greedy(boxes, evidence, overlap)
    groups = group_by_evidence(boxes, evidence, overlap=overlap)
    sums = np.bincount(wanted, evidence, len(set(wanted))) if len(boxes) else np.zeros(0)
    np.testing.assert_allclose(groups.evidence, -np.sort(-sums))
    assert sorted(groups.members) == sorted(np.bincount(wanted)) if len(boxes) else True


@given(hits())
def test_chains_of_similar_boxes(found):
    boxes, _ = found
    wanted = np.bincount(reference.similar(boxes, 0.2)) if len(boxes) else np.zeros(0)
    groups = group_neighbours(boxes, 1)
    assert set(groups.members) <= set(wanted[wanted > 1])
    if (wanted > 1).any():
        assert groups.members[0] == wanted.max()


def test_boxes_are_means_weighted_by_evidence():
    boxes = [[0, 0, 10, 10], [4, 0, 14, 10], [100, 0, 110, 10]]
    groups = group_by_evidence(boxes, [3.0, 1.0, 2.0])
    np.testing.assert_array_equal(groups.boxes, [[1, 0, 11, 10], [100, 0, 110, 10]])
    np.testing.assert_array_equal(groups.evidence, [4, 2])
    np.testing.assert_array_equal(groups.members, [2, 1])
    assert len(group_by_evidence(boxes, [3.0, 1.0, 2.0], cut=2.5).boxes) == 1


def test_a_weak_group_inside_a_strong_one_is_dropped():
    strong, weak = [[0, 0, 40, 40]] * 9, [[10, 10, 30, 30]] * 4
    groups = group_neighbours(strong + weak)
    np.testing.assert_array_equal(groups.members, [9])
    assert len(group_neighbours(strong + weak, 0).boxes) == 13


def test_the_chains_are_those_of_opencv():
    cv2 = pytest.importorskip("cv2")
    rng = np.random.default_rng(1)
    for _ in range(50):
        centres = rng.integers(0, 200, (6, 2))
        corners = centres[rng.integers(0, 6, 60)] + rng.integers(-4, 5, (60, 2))
        sizes = rng.integers(20, 60, 6)[rng.integers(0, 6, 60), None] + rng.integers(0, 5, (60, 1))
        boxes = np.concatenate([corners, corners + sizes], axis=1)
        theirs, _ = cv2.groupRectangles(np.concatenate([corners, sizes, sizes], axis=1), 3, 0.2)
        theirs = np.asarray(theirs).reshape(-1, 4)
        theirs[:, 2:] += theirs[:, :2]
        ours = group_neighbours(boxes, 3).boxes
        assert len(ours) == len(theirs)
        order = np.lexsort(ours.T), np.lexsort(theirs.T)
        # Means that are halves are rounded in float32 there.
        assert np.abs(ours[order[0]] - theirs[order[1]]).max(initial=0) <= 2


def test_an_exponential_tail_is_continued():
    rng = np.random.default_rng(0)
    false = rng.exponential(3.0, 1000)
    exact = 3.0 * np.log(1000 / 0.5)
    cuts = [cut_for(rng.exponential(3.0, 1000), 10.0, 0.05) for _ in range(200)]
    assert np.mean(cuts) == pytest.approx(exact, rel=0.05)
    assert cut_for(false, 10.0, 0.01) > cut_for(false, 10.0, 0.05) > cut_for(false, 10.0, 1.0)


def test_where_many_are_wanted_they_are_counted():
    false = np.arange(1000.0)
    cut = cut_for(false, 10.0, 10.0)
    assert (false > cut).sum() == pytest.approx(100, abs=1)


@pytest.mark.parametrize("false", [[], [5.0], [1.0, 2.0]])
def test_with_few_false_objects_all_may_stay(false):
    assert cut_for(np.array(false), 1.0, 3.0) == 0.0
