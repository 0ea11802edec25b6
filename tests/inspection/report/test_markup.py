"""Sections as HTML and charts as SVG: names are escaped, scales are round."""

import pytest

from mddag.inspection.report.markup import (
    Chart,
    Scale,
    escaped,
    figure,
    is_wide,
    legend,
    listed,
    padded,
    pair,
    paragraph,
    percent,
    round_step,
    table,
    tick_text,
)
from tests.inspection.report.reports import Page

EVIL = "<b onclick='x()'>\n\"&"


@pytest.mark.parametrize(
    "html",
    [
        paragraph(EVIL),
        listed([EVIL]),
        table(("", EVIL), [(EVIL, EVIL)], EVIL),
        figure("<svg></svg>", EVIL),
        figure("<svg></svg>", EVIL, wide=True),
        legend([EVIL, "b"], EVIL),
        pair(paragraph(EVIL), listed([EVIL])),
    ],
)
def test_names_stay_text(html):
    page = Page(html)
    assert not page.all("b")
    assert "<b onclick='x()'>" in page.text()
    assert not any(name.startswith("on") for _, a in page.tags for name in a)


def test_escaped_is_on_one_line():
    assert escaped("a\n<b>") == "a &lt;b&gt;"


def test_percent_has_few_digits():
    shares = (0, 1, 0.5, 0.052, 0.0004, 0.9973)
    assert [percent(s) for s in shares] == ["0 %", "100 %", "50 %", "5.2 %", "0.04 %", "99.7 %"]


def test_a_scale_maps_ends_to_ends():
    scale = Scale(1, 100, 10, 210, log=True)
    assert [scale(v) for v in (1, 10, 100)] == pytest.approx([10, 110, 210])
    assert Scale(0, 4, 0, 40)(1) == 10
    assert Scale(3, 3, 0, 40)(3) == 20  # nothing to spread


def test_ticks_are_round_and_inside():
    assert Scale(0, 1, 0, 1).ticks(5) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert Scale(3, 480, 0, 1, log=True).ticks() == pytest.approx([5, 10, 20, 50, 100, 200])
    assert all(-0.3 <= t <= 0.7 for t in Scale(-0.3, 0.7, 0, 1).ticks())
    assert round_step(0) == 1
    assert round_step(0.03) == pytest.approx(0.05)


def test_a_chart_is_one_svg_without_styles():
    chart = Chart("<i>", (0, 4), (0, 1), "x < y", "y & z", y_percent=True)
    chart.bar(0, 1, 0, 0.5, "c0", "half <b>")
    chart.line([(0, 0), (2, 1)], "c1", steps=True)
    chart.point(3, 0.5, "here", "a point")
    chart.rule(0.5, "full")
    chart.text(3, 0.5, "words")
    page = Page(chart.svg())
    assert [a["aria-label"] for a in page.all("svg")] == ["<i>"]
    assert not any("style" in a for _, a in page.tags)
    assert {"x < y", "y & z", "40 %", "words"} <= set(page.texts["text"])
    (dot,) = page.all("circle")
    assert dot["tabindex"] == "0"
    assert dot["aria-label"] == "a point"
    (line,) = page.all("polyline")
    assert len(line["points"].split()) == 3


def test_values_get_room():
    assert padded([1.0, 3.0], 0.5) == (0.0, 4.0)
    assert padded([]) == pytest.approx((-0.08, 1.08))
    assert padded([2.0]) == pytest.approx((1.8, 2.2))
    assert is_wide([1, 30])
    assert not is_wide([0, 30])
    assert tick_text(12345.0) == "12,345"
