"""The levels of a scan: scales, sizes, steps, and how they are cut into tasks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mddag.detection.levels import WINDOWS_PER_CALL, levels_of


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


def test_a_picture_smaller_than_the_window_has_no_level():
    assert len(levels_of((23, 500), (24, 24)).scales) == 0


def test_a_step_for_all_scales():
    assert (levels_of((90, 90), (24, 24), step=3).shapes[:, 2] == 3).all()


def test_a_step_beyond_the_picture_leaves_one_window_a_level():
    levels = levels_of((90, 70), (24, 24), step=1 << 62)
    assert (levels.rows == 1).all()
    assert (levels.columns == 1).all()


@given(
    st.integers(20, 5000), st.integers(20, 5000), st.sampled_from([1.05, 1.3]), st.integers(1, 9)
)
def test_tasks_are_all_rows_in_order(height, width, scale, n_threads):
    levels = levels_of((height, width), (20, 20), scale=scale)
    tasks = np.concatenate(levels.calls(n_threads))
    rows = [(level, row) for level, first, end in tasks for row in range(first, end)]
    assert rows == [(level, row) for level, n in enumerate(levels.rows) for row in range(n)]


def test_calls_are_short():
    levels = levels_of((10_000, 10_000), (24, 24))
    for tasks in levels.calls(1):
        windows = (tasks[:, 2] - tasks[:, 1]) * levels.columns[tasks[:, 0]]
        assert windows.sum() <= 1.5 * WINDOWS_PER_CALL
