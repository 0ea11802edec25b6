import itertools

import numpy as np
import pytest
from matplotlib import colors

from mddag.inspection.plotting import DagDisplay
from tests.inspection.plotting.test_graph import long_trace, trace_of

TWO_PATHS = [[0, 1]] * 60 + [[0, 2]] * 40
TWO_GROUPS = ["blue"] * 60 + ["red"] * 40


def overlapping(texts):
    """Pairs of neighbouring labels whose boxes overlap."""
    boxes = [t.get_window_extent() for t in texts if t.get_text()]
    return [(a, b) for a, b in itertools.pairwise(boxes) if a.x1 > b.x0]


@pytest.mark.parametrize("n_classifiers", [1, 5, 40, 200, 1500])
@pytest.mark.parametrize("grouped", [False, True])
def test_labels_never_overlap(n_classifiers, grouped):
    trace = long_trace(n_classifiers)
    color = np.arange(len(trace)) % 2 if grouped else None
    display = DagDisplay.from_trace(trace, color=color, min_share=0.0)
    display.figure_.canvas.draw()
    labels = display.ax_.get_xticklabels()
    assert len(labels) >= min(n_classifiers, 10)
    assert overlapping(labels) == []


def test_widths_and_areas_are_proportional_to_the_rows():
    display = DagDisplay.from_trace(trace_of(TWO_PATHS))
    (arcs,) = [c for c in display.ax_.collections if len(c.get_linewidths()) == 3]
    widths = np.array(arcs.get_linewidths())
    np.testing.assert_allclose(widths / widths.max(), [1, 0.6, 0.4])
    (nodes,) = [c for c in display.ax_.collections if len(c.get_sizes()) == 3]
    np.testing.assert_allclose(nodes.get_sizes() / nodes.get_sizes().max(), [1, 0.6, 0.4])


def test_colours_blend_by_share_and_sides_follow_the_majority():
    display = DagDisplay.from_trace(trace_of(TWO_PATHS), color=TWO_GROUPS)
    (nodes,) = [c for c in display.ax_.collections if len(c.get_sizes()) == 3]
    blue, red = (np.array(colors.to_rgb(c)) for c in ("#0072B2", "#D55E00"))
    mixed, alone, other = nodes.get_facecolors()[:, :3]
    np.testing.assert_allclose([alone, other], [blue, red])
    np.testing.assert_allclose(mixed, 0.6 * blue + 0.4 * red)
    lowest = [path.vertices[:, 1].min() for path in display.ax_.collections[0].get_paths()]
    assert [y < 0 for y in lowest] == [False, False, True]
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == ["blue (60)", "red (40)"]


def test_bars_show_where_instances_quit():
    display = DagDisplay.from_trace(trace_of(TWO_PATHS), color=TWO_GROUPS)
    high = {
        (
            round(bar.get_x() + bar.get_width() / 2),
            colors.to_hex(bar.get_facecolor()),
        ): -bar.get_height()
        for bar in display.ax_.patches
        if bar.get_height()
    }
    assert set(high) == {(1, "#0072b2"), (2, "#d55e00")}
    assert high[2, "#d55e00"] / high[1, "#0072b2"] == pytest.approx(40 / 60)


def test_the_caption_says_what_is_used_and_what_is_hidden():
    trace = trace_of([[0, 1]] * 399 + [[0, 7, 1]])
    display = DagDisplay.from_trace(trace, n_classifiers=10)
    assert display.caption() == (
        "3 of 10 base classifiers used by 400 rows, 5 edges; "
        "2 edges taken by fewer than 0.5% of them not drawn"
    )
    assert display.caption() in display.ax_.get_xlabel().replace("\n", " ")
    display.figure_.canvas.draw()
    label = display.ax_.xaxis.label.get_window_extent()
    assert label.x0 >= 0
    assert label.x1 <= display.figure_.bbox.width
    assert "not drawn" not in DagDisplay.from_trace(trace, min_share=0).caption()


def test_a_trace_without_evaluations_is_a_picture_too():
    display = DagDisplay.from_trace(trace_of([[], []]))
    display.figure_.canvas.draw()
    assert [round(bar.get_x() + bar.get_width() / 2) for bar in display.ax_.patches] == [-1]


CHAIN = [list(range(n)) for n in np.random.default_rng(0).geometric(0.05, size=400).clip(1, 300)]


def test_a_long_chain_is_a_river_of_groups():
    trace = trace_of(CHAIN)
    display = DagDisplay.from_trace(trace, color=np.arange(400) % 2, n_classifiers=300)
    assert display.grouped
    display.figure_.canvas.draw()
    columns = [bar for bar in display.ax_.patches if bar.get_height() > 0]
    heights = {}
    for bar in columns:
        x = round(bar.get_x() + bar.get_width() / 2)
        heights[x] = heights.get(x, 0) + bar.get_height()
    assert heights[0] == heights[-1]  # all instances evaluate the first
    expected = sum(len(path) > 4 for path in CHAIN) / len(CHAIN)
    assert heights[4] / heights[-1] == pytest.approx(expected)
    assert "neighbors grouped" in display.caption()
    assert overlapping(display.ax_.get_xticklabels()) == []
    covered = display.ax_.bbox.width * 0.9
    ends = [label.get_window_extent() for label in display.ax_.get_xticklabels()]
    assert ends[-1].x1 - ends[0].x0 > covered  # something is shown all along the axis


def test_grouping_can_be_asked_for_and_refused():
    trace = trace_of(TWO_PATHS)
    assert not DagDisplay.from_trace(trace).grouped
    display = DagDisplay.from_trace(trace, grouped=True)
    display.figure_.canvas.draw()
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["1", "2", "3"]
    assert not DagDisplay.from_trace(trace_of(CHAIN), grouped=False).grouped
    empty = DagDisplay.from_trace(trace_of([[], []]), grouped=True)
    empty.figure_.canvas.draw()
    with pytest.raises(ValueError, match="grouped is 'yes'; wanted one of True, False, None"):
        DagDisplay.from_trace(trace, grouped="yes")
