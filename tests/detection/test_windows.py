"""The scan of an image, the windows that a classifier accepts, and their groups."""

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag import _core
from mddag.detection.windows import (
    OVERLAP,
    STRONGEST,
    cut_for,
    group_by_evidence,
    group_neighbors,
    levels_of,
    scaled_down,
)
from tests.detection.problems import random_classifier, random_picture
from tests.reference import scan as groups_reference
from tests.reference import scan as reference


def scanned(classifier, picture, levels, *, level="", n_jobs=1):
    tasks = np.concatenate(levels.calls(n_jobs))
    places, scores, n_windows, n_evaluated = _core.scan(
        picture, levels.shapes, tasks, classifier.native, n_jobs, level
    )
    hits = [(*place, score) for place, score in zip(places.reshape(-1, 3), scores, strict=True)]
    return hits, n_windows, n_evaluated


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    height=st.integers(6, 40),
    width=st.integers(5, 40),
    step=st.sampled_from([None, 1, 2, 3, 9]),
    margin=st.integers(0, 1),
    min_deviation=st.sampled_from([0.0, 10.0, 40.0]),
    skips=st.booleans(),
    level=st.sampled_from(_core.levels()),
)
def test_the_scan_is_that_of_the_twin(
    seed, height, width, step, margin, min_deviation, skips, level
):
    rng = np.random.default_rng(seed)
    classifier = random_classifier(rng, margin=margin, min_deviation=min_deviation, skips=skips)
    picture = random_picture(rng, height, width)
    levels = levels_of(picture.shape, classifier.window, scale=1.3)
    if step is not None:
        levels.shapes[:, 2] = step
    wanted = reference.scanned(classifier, picture, levels.shapes)
    assert scanned(classifier, picture, levels, level=level) == wanted


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), skips=st.booleans())
def test_every_machine_and_any_threads_find_the_same(seed, skips):
    rng = np.random.default_rng(seed)
    classifier = random_classifier(rng, (9, 12), 12, 6, skips=skips)
    picture = random_picture(rng, 333, 210)
    levels = levels_of(picture.shape, classifier.window)
    wanted = scanned(classifier, picture, levels)
    for level in _core.levels():
        assert wanted == scanned(classifier, picture, levels, level=level)
    assert wanted == scanned(classifier, picture, levels, n_jobs=3)


def test_large_pictures_wrap_around():
    """Sums of 25 million white pixels exceed 32 bits; windows do not."""
    rng = np.random.default_rng(2)
    classifier = random_classifier(rng, (6, 6))
    corner = random_picture(rng, 40, 40)
    picture = np.full((4200, 6000), 255, np.uint8)
    picture[-40:, -40:] = corner
    far = classifier.scan(picture, max_size=6)
    near = classifier.scan(corner, max_size=6)
    inside = (far.places >= [5960, 4160]).all(axis=1)
    np.testing.assert_array_equal(far.places[inside] - [5960, 4160], near.places)
    np.testing.assert_array_equal(far.scores[inside], near.scores)


def test_arrays_are_copies_that_cannot_change():
    classifier = random_classifier(np.random.default_rng(4))
    with pytest.raises(ValueError, match="read-only"):
        classifier.node_votes[0] = 0
    again = pickle.loads(pickle.dumps(classifier))
    picture = random_picture(np.random.default_rng(5), 30, 30)
    np.testing.assert_array_equal(again.scan(picture).boxes, classifier.scan(picture).boxes)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"window": (0, 5)}, "window without pixels"),
        ({"window": (3000, 3000)}, "of too many"),
        ({"window": (5, 5)}, "rectangle outside of the window"),
        ({"margin": 3}, "margin that leaves no pixel"),
        ({"node_feature": np.full(6, 8)}, "node without feature"),
        ({"node_feature": np.full(6, -1)}, "node without feature"),
        ({"node_threshold": np.zeros(5)}, "thresholds that are not those of its nodes"),
        ({"node_next": np.zeros((6, 2))}, "leads to no later one"),
        ({"node_next": np.full((6, 2), 6)}, "leads to no later one"),
        ({"node_votes": np.zeros((6, 1))}, "two sides"),
        ({"tree_starts": np.array([0, 6, 6])}, "no whole trees"),
        ({"tree_starts": np.array([0])}, "no whole trees"),
        ({"stage_starts": np.array([0, 9])}, "no whole stages"),
        ({"stage_reject": np.zeros(9)}, "thresholds that are not those of its stages"),
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(change, words):
    classifier = random_classifier(np.random.default_rng(6), (6, 6), 6, 1)
    with pytest.raises(ValueError, match=words):
        dataclasses.replace(classifier, **change)


def test_pictures_wider_than_a_strip_of_cells():
    """In wide pictures the strips have fewer rows, which changes nothing."""
    rng = np.random.default_rng(8)
    classifier = random_classifier(rng, (6, 5))
    tile = random_picture(rng, 30, 40)
    narrow = classifier.scan(tile, max_size=6)
    wide = classifier.scan(np.tile(tile, (1, 2000)), max_size=6)
    first = wide.places[:, 0] <= 35
    np.testing.assert_array_equal(wide.places[first], narrow.places)
    np.testing.assert_array_equal(wide.scores[first], narrow.scores)


def test_hostile_steps_are_refused_by_the_kernel():
    rng = np.random.default_rng(0)
    classifier, picture = random_classifier(rng), random_picture(rng, 40, 40)
    levels = levels_of(picture.shape, classifier.window)
    for step in (0, (1 << 31) + 1, 1 << 59, 1 << 62):
        shapes = levels.shapes.copy()
        shapes[:, 2] = step
        with pytest.raises(ValueError, match="a step of 0 or of more"):
            _core.scan(picture, shapes, np.array([[0, 0, 1]]), classifier.native, 1)


def test_scales_end_where_the_window_does_not_fit():
    levels = levels_of((100, 300), (24, 24))
    assert levels.scales[0] == 1
    assert round(24 * float(levels.scales[-1])) <= 100 < 24 * 1.1 * float(levels.scales[-1])
    np.testing.assert_array_equal(levels.shapes[0], [100, 300, 2])
    assert (levels.shapes[levels.scales >= 2, 2] == 1).all()
    assert (levels.shapes[levels.scales < 2, 2] == 2).all()


def test_sizes_of_windows():
    levels = levels_of((200, 200), (20, 10), min_size=40, max_size=(80, 30))
    heights, widths = 20 * levels.scales, 10 * levels.scales
    assert heights.min() >= 39.5
    assert widths.max() <= 30.5
    assert len(levels_of((200, 200), (20, 10), min_size=(40, 20), max_size=(80, 30)).scales) == len(
        levels.scales
    )


@given(
    st.integers(20, 5000), st.integers(20, 5000), st.sampled_from([1.05, 1.3]), st.integers(1, 9)
)
def test_tasks_are_all_rows_in_order(height, width, scale, n_jobs):
    levels = levels_of((height, width), (20, 20), scale=scale)
    tasks = np.concatenate(levels.calls(n_jobs))
    rows = [(level, row) for level, first, end in tasks for row in range(first, end)]
    assert rows == [(level, row) for level, n in enumerate(levels.rows) for row in range(n)]


SIDES = st.integers(1, 30)


@given(st.integers(0, 99), SIDES, SIDES, SIDES, SIDES)
def test_resizing_is_that_of_the_twin(seed, height, width, rows, columns):
    picture = np.random.default_rng(seed).integers(0, 256, (height, width)).astype(np.uint8)
    np.testing.assert_array_equal(
        scaled_down(picture, rows, columns), reference.resized(picture, rows, columns)
    )


def test_patches_are_the_windows_that_were_classified():
    rng = np.random.default_rng(0)
    classifier = random_classifier(rng)
    picture = random_picture(rng, 50, 70)
    hits = classifier.scan(picture)
    chosen = np.arange(0, len(hits), 2)
    patches = hits.patches(picture, chosen)
    assert patches.shape == (len(chosen), *classifier.window)
    assert len(np.unique(hits.levels[chosen])) > 3
    for patch, score in zip(patches, hits.scores[chosen], strict=True):
        assert reference.classified(classifier, patch)[0] == score


@st.composite
def hits(draw, most=25):
    n = draw(st.integers(0, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    corners = rng.integers(-5, 40, (n, 2))
    sizes = rng.integers(1, 30, (n, 2))
    return np.concatenate([corners, corners + sizes], axis=1), rng.integers(1, 5, n) / 2


@given(hits())
def test_the_strongest_takes_what_overlaps_it(found):
    boxes, evidence = found
    wanted = np.array(groups_reference.greedy(boxes, evidence, OVERLAP), int)
    groups = group_by_evidence(boxes, evidence)
    of_groups = [evidence[wanted == group] for group in range(wanted.max(initial=-1) + 1)]
    sums = [np.sort(of)[::-1][:STRONGEST].sum() for of in of_groups]
    np.testing.assert_allclose(groups.evidence, -np.sort(-np.array(sums)))
    assert sorted(groups.members) == sorted(map(len, of_groups))


@given(hits())
def test_chains_of_similar_boxes(found):
    boxes, _ = found
    wanted = np.bincount(groups_reference.similar(boxes, 0.2)) if len(boxes) else np.zeros(0)
    groups = group_neighbors(boxes, 1)
    assert set(groups.members) <= set(wanted[wanted > 1])
    if (wanted > 1).any():
        assert groups.members[0] == wanted.max()


def test_boxes_are_means_weighted_by_evidence():
    boxes = np.array([[0, 0, 10, 10], [4, 0, 14, 10], [100, 0, 110, 10]])
    evidence = np.array([3.0, 1.0, 2.0])
    groups = group_by_evidence(boxes, evidence)
    np.testing.assert_array_equal(groups.boxes, [[1, 0, 11, 10], [100, 0, 110, 10]])
    np.testing.assert_array_equal(groups.evidence, [4, 2])
    np.testing.assert_array_equal(groups.members, [2, 1])
    assert len(group_by_evidence(boxes, evidence, 2.5).boxes) == 1


def test_a_weak_group_inside_a_strong_one_is_dropped():
    strong, weak = [[0, 0, 40, 40]] * 9, [[10, 10, 30, 30]] * 4
    groups = group_neighbors(np.array(strong + weak))
    np.testing.assert_array_equal(groups.members, [9])
    assert len(group_neighbors(np.array(strong + weak), 0).boxes) == 13


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
        ours = group_neighbors(boxes, 3).boxes
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
