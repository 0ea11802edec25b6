"""Write sections as HTML from the templates in ``templates/``, and charts as SVG.

Jinja2 escapes everything that a caller gave, after `one_line` has taken line breaks and invisible
characters out of it. Colors are classes that the style sheet defines for light and dark; there is
no style attribute, which a strict content policy would block.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from mddag.inspection.explanation.rules import one_line
from mddag.inspection.plotting._axes import WIDE

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """Return the templates' environment; a name is ``package/file``, or a file of this package."""
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError as error:
        raise ImportError(
            "reports need jinja2, which is not installed: pip install 'mddag[plot]'"
        ) from error
    made = Environment(
        loader=FunctionLoader(text_of),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: one_line(value) if is_plain(value) else value,
    )
    made.filters |= {"percent": percent, "f": lambda value, form: format(value, form)}
    return made


def is_plain(value: Any) -> bool:
    """Tell whether a value is text that is not markup already, and not empty."""
    return isinstance(value, str) and value != "" and not hasattr(value, "__html__")


def text_of(name: str) -> str:
    """Return the text of a template."""
    package, _, file = name.rpartition("/")
    return files(package or __package__).joinpath("templates", file).read_text("utf-8")


@dataclass(frozen=True)
class Section:
    """One part of the page: its id, a title, what is below it, and data for the script."""

    anchor: str
    title: str
    html: str
    data: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_template(
        cls, name: str, title: str, data: dict[str, Any] | None = None, **context: Any
    ) -> Section:
        """Fill the template ``name.html``; an application has its own as ``package/name``."""
        html = environment().get_template(f"{name}.html").render(context)
        return cls(name.rpartition("/")[2], title, html, data or {})


def percent(share: float) -> str:
    """Write a share of 1 in few digits."""
    if share in (0, 1) or 0.1 <= share < 0.995:
        return f"{100 * share:.0f} %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.1f} %"


@dataclass(frozen=True)
class Axis:
    """A scale from the lowest to the highest value; ticks of `percent` are shares of 1.

    Those of `whole` are whole numbers.
    """

    name: str
    low: float
    high: float
    log: bool = False
    percent: bool = False
    whole: bool = False

    def at(self, value: float) -> float:
        """Return where a value is: 0 at the low end, 1 at the high end."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(max(value, self.low))
        return (value - low) / (high - low) if high > low else 0.5

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Return round numbers inside of the scale, and how they are written."""
        if self.log:
            decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            steps = (1, 2, 5) if self.high <= 1000 * self.low else (1,)
            found = [s * 10.0**d for d in decades for s in steps]
        else:
            step = max(round_step((self.high - self.low) / most), float(self.whole))
            first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
            found = [step * k for k in range(first, last + 1)]
        inside = [
            t for t in found if self.low * (1 - 1e-9) <= t <= self.high * (1 + 1e-9) or t == 0
        ]
        return [(t, f"{100 * t:.4g} %" if self.percent else f"{t:,.6g}") for t in inside]


def round_step(size: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least `size`."""
    if not size > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(size))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= size * (1 - 1e-9))


def is_wide(values: Sequence[float]) -> bool:
    """Tell whether positive values span so much that a logarithmic scale shows them better."""
    return min(values) > 0 and max(values) > WIDE * min(values)


def padded(values: Iterable[float], share: float = 0.08) -> tuple[float, float]:
    """Return the lowest and the highest value with some space around."""
    finite = [v for v in values if np.isfinite(v)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    more = share * (high - low) or 0.1 * abs(high) or 1.0
    return low - more, high + more


Point = tuple[float, float, str, str, float]


@dataclass
class Chart:
    """Marks over two axes, which ``chart.html`` draws; `kind` is a class of the style sheet.

    `bars` are (x, width, low, high, kind, title), `lines` (points, kind), `rules` level lines,
    `points` (x, y, kind, title, radius) and `note` words (x, y, text) next to a large point.
    """

    label: str
    x: Axis
    y: Axis
    bars: list[tuple[float, float, float, float, str, str]] = field(default_factory=list)
    lines: list[tuple[Sequence[tuple[float, float]], str]] = field(default_factory=list)
    rules: list[float] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    note: tuple[float, float, str] | None = None

    left, right, top, bottom = 68, 448, 14, 216  # pixels of the plotting area, in 460 x 260

    def px(self, value: float) -> float:
        """Return the pixel of a value of the x axis."""
        return round(self.left + self.x.at(value) * (self.right - self.left), 1)

    def py(self, value: float) -> float:
        """Return the pixel of a value of the y axis."""
        return round(self.bottom - self.y.at(value) * (self.bottom - self.top), 1)

    def svg(self) -> str:
        """Return the whole chart, as markup that templates do not escape."""
        from markupsafe import Markup

        return Markup(environment().get_template("chart.html").render(chart=self))
