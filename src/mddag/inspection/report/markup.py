"""Write sections as HTML, and charts as SVG: axes with round numbers, bars, lines, points.

Colors are classes that the style sheet defines for light and dark; there is no style attribute,
which a strict content policy would block. Numbers are rounded to tenths of a pixel. Every name
that a caller gave is escaped here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from mddag.inspection.explanation.rules import one_line


@dataclass(frozen=True)
class Section:
    """One part of the page: its id, a title, what is below it, and data for the script."""

    anchor: str
    title: str
    html: str
    data: dict[str, Any] = field(default_factory=dict)


def escaped(value: Any) -> str:
    """Return any value as text on one line that HTML shows as it is."""
    return escape(one_line(value), quote=True)


def paragraph(*sentences: str) -> str:
    """Write plain text."""
    return f"<p>{escape(' '.join(sentences))}</p>"


def listed(entries: Iterable[str]) -> str:
    """Write plain texts as a list."""
    return "<ul>" + "".join(f"<li>{escape(entry)}</li>" for entry in entries) + "</ul>"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str) -> str:
    """Write a table of texts and numbers; all columns but the first are to the right."""
    titles = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = ""
    for first, *others in rows:
        cells = "".join(f"<td>{escaped(cell)}</td>" for cell in others)
        body += f'<tr><th scope="row">{escaped(first)}</th>{cells}</tr>'
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(caption)}">'
        f"<table><caption>{escape(caption)}</caption><thead><tr>{titles}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def figure(svg: str, caption: str, *, wide: bool = False) -> str:
    """Write a chart and what it shows."""
    kind = ' class="wide"' if wide else ""
    scroll = 'class="scroll" tabindex="0" role="region"' if wide else 'class="chart"'
    label = f' aria-label="{escaped(caption)}"' if wide else ""
    return (
        f"<figure{kind}><div {scroll}{label}>{svg}</div>"
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def pair(left: str, right: str) -> str:
    """Write two parts next to each other where there is space."""
    return f'<div class="pair"><div>{left}</div><div>{right}</div></div>'


def legend(names: Sequence[Any], title: str = "") -> str:
    """Write the colors of the groups c0, c1 and so on."""
    lead = f"<li>{escape(title)}</li>" if title else ""
    keys = "".join(
        f'<li><svg class="key" viewBox="0 0 10 10" aria-hidden="true">'
        f'<rect class="c{k}" width="10" height="10" /></svg>{escaped(name)}</li>'
        for k, name in enumerate(names)
    )
    return f'<ul class="legend">{lead}{keys}</ul>' if len(names) else ""


def percent(share: float) -> str:
    """Write a share of 1 in few digits."""
    if share in (0, 1) or 0.1 <= share < 0.995:
        return f"{100 * share:.0f} %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.1f} %"


LEFT, RIGHT, TOP, BOTTOM = 68, 12, 14, 44  # pixels around the plotting area
WIDE = 20.0  # a scale that spans more than this factor is logarithmic


@dataclass(frozen=True)
class Scale:
    """Map values to pixels: linear, or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high, at = self.low, self.high, value
        if self.log:
            low, high, at = math.log(low), math.log(high), math.log(max(value, self.low))
        share = (at - low) / (high - low) if high > low else 0.5
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Return round numbers inside of the scale."""
        if self.log:
            decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            span = math.log10(self.high / self.low)
            steps = (1, 2, 5) if span <= 3 else (1,)
            found = [s * 10.0**d for d in decades for s in steps]
        else:
            step = round_step((self.high - self.low) / most)
            first = math.ceil(self.low / step - 1e-9)
            found = [step * k for k in range(first, math.floor(self.high / step + 1e-9) + 1)]
        return [t for t in found if self.low * (1 - 1e-9) <= t <= self.high * (1 + 1e-9) or t == 0]


def round_step(size: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least `size`."""
    if not size > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(size))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= size * (1 - 1e-9))


def is_wide(values: Sequence[float]) -> bool:
    """Tell whether positive values span so much that a logarithmic scale shows them better."""
    return min(values) > 0 and max(values) > WIDE * min(values)


@dataclass
class Chart:
    """A plotting area with two scales from the lowest to the highest value, and its marks.

    Ticks of `x_percent` and `y_percent` are shares of 1.
    """

    label: str
    x: tuple[float, float]
    y: tuple[float, float]
    x_name: str = ""
    y_name: str = ""
    x_log: bool = False
    x_percent: bool = False
    y_percent: bool = False
    size: tuple[int, int] = (460, 260)
    marks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        width, height = self.size
        self.across = Scale(*self.x, LEFT, width - RIGHT, self.x_log)
        self.up = Scale(*self.y, height - BOTTOM, TOP)

    def bar(self, x: float, width: float, low: float, high: float, kind: str, title: str) -> None:
        """Add a bar over x .. x + width from low to high."""
        left, right = self.across(x), self.across(x + width)
        top, bottom = self.up(high), self.up(low)
        self.marks.append(rect(left, top, max(right - left - 1, 1), bottom - top, kind, title))

    def line(
        self, points: Iterable[tuple[float, float]], kind: str, *, steps: bool = False
    ) -> None:
        """Add a polyline; with `steps`, it stays level up to each new x."""
        at: list[str] = []
        before = None
        for x, y in points:
            px, py = self.across(x), self.up(y)
            if steps and before is not None:
                at.append(f"{px:.1f},{before:.1f}")
            at.append(f"{px:.1f},{py:.1f}")
            before = py
        self.marks.append(f'<polyline class="line {kind}" points="{" ".join(at)}" />')

    def point(self, x: float, y: float, kind: str, title: str, radius: float = 4.5) -> None:
        """Add a dot that can be reached by key, and has a title."""
        shown = escape(one_line(title), quote=True)
        self.marks.append(
            f'<circle class="dot {kind}" cx="{self.across(x):.1f}" cy="{self.up(y):.1f}" '
            f'r="{radius:g}" tabindex="0" role="img" aria-label="{shown}"><title>{shown}</title>'
            "</circle>"
        )

    def rule(self, y: float, kind: str) -> None:
        """Add a level line."""
        at, width = self.up(y), self.size[0]
        self.marks.append(
            f'<line class="rule {kind}" x1="{LEFT}" x2="{width - RIGHT}" y1="{at:.1f}" '
            f'y2="{at:.1f}" />'
        )

    def text(self, x: float, y: float, words: str) -> None:
        """Add words next to a large point, on the side with more space."""
        at, width = self.across(x), self.size[0]
        shift, anchor = (14, "start") if at < width / 2 else (-14, "end")
        self.marks.append(label(at + shift, self.up(y) + 4, words, anchor))

    def svg(self) -> str:
        """Return the whole chart."""
        width, height = self.size
        axes = self._axes()
        return (
            f'<svg viewBox="0 0 {width} {height}" role="group" '
            f'aria-label="{escape(one_line(self.label), quote=True)}">'
            f"{axes}{''.join(self.marks)}</svg>"
        )

    def _axes(self) -> str:
        width, height = self.size
        parts = [f'<path class="axis" d="M{LEFT} {TOP}V{height - BOTTOM}H{width - RIGHT}" />']
        for tick in self.across.ticks():
            words = tick_text(tick, self.x_percent)
            parts.append(label(self.across(tick), height - BOTTOM + 16, words, "middle", "tick"))
        for tick in self.up.ticks(5):
            at, end = self.up(tick), width - RIGHT
            parts.append(label(LEFT - 6, at + 4, tick_text(tick, self.y_percent), "end", "tick"))
            parts.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{end}" />')
        middle = (LEFT + width - RIGHT) / 2
        parts.append(label(middle, height - 8, self.x_name, "middle", "name"))
        parts.append(
            f'<text class="name" transform="translate(13 {(height - BOTTOM + TOP) / 2:.0f}) '
            f'rotate(-90)" text-anchor="middle">{escape(one_line(self.y_name))}</text>'
        )
        return "".join(parts)


def tick_text(value: float, percent: bool = False) -> str:
    """Write the number at a tick."""
    return f"{100 * value:.4g} %" if percent else f"{value:,.6g}"


def label(x: float, y: float, words: str, anchor: str = "start", kind: str = "tick") -> str:
    """Write text at a position; anchor is "start", "middle" or "end"."""
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(one_line(words))}</text>"
    )


def rect(x: float, y: float, width: float, height: float, kind: str, title: str = "") -> str:
    """Write a bar."""
    inside = f"<title>{escape(one_line(title))}</title>" if title else ""
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" '
        f'height="{max(height, 0):.1f}">{inside}</rect>'
    )


def padded(values: Iterable[float], share: float = 0.08) -> tuple[float, float]:
    """Return the lowest and the highest value with some space around."""
    finite = [v for v in values if np.isfinite(v)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    more = share * (high - low) or 0.1 * abs(high) or 1.0
    return low - more, high + more
