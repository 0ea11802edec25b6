"""Section: a heading and the HTML below it, and the small pieces of HTML that sections share.

Names of features and classes are the user's and may hold anything; every text passes ``escaped``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from mddag.inspection.explanation.rules import one_line


@dataclass(frozen=True)
class Section:
    """One part of the page.

    anchor : its id, which links lead to
    title  : plain text
    html   : what is below the title
    data   : what the script reads, ready for JSON
    """

    anchor: str
    title: str
    html: str
    data: dict[str, Any] = field(default_factory=dict)


def escaped(value: Any) -> str:
    """Any value as text on one line that HTML shows as it is."""
    return escape(one_line(value), quote=True)


def paragraph(*sentences: str) -> str:
    """Plain text."""
    return f"<p>{escape(' '.join(sentences))}</p>"


def listed(entries: Iterable[str]) -> str:
    """Plain texts below each other."""
    return "<ul>" + "".join(f"<li>{escape(entry)}</li>" for entry in entries) + "</ul>"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str) -> str:
    """Cells are texts or numbers; all columns but the first are to the right."""
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
    """A chart and what it shows."""
    kind = ' class="wide"' if wide else ""
    scroll = 'class="scroll" tabindex="0" role="region"' if wide else 'class="chart"'
    label = f' aria-label="{escaped(caption)}"' if wide else ""
    return (
        f"<figure{kind}><div {scroll}{label}>{svg}</div>"
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def beside(left: str, right: str) -> str:
    """Two parts next to each other where there is room."""
    return f'<div class="pair"><div>{left}</div><div>{right}</div></div>'


def legend(names: Sequence[Any], title: str = "") -> str:
    """The colours of groups c0, c1, …"""
    lead = f"<li>{escape(title)}</li>" if title else ""
    keys = "".join(
        f'<li><svg class="key" viewBox="0 0 10 10" aria-hidden="true">'
        f'<rect class="c{k}" width="10" height="10" /></svg>{escaped(name)}</li>'
        for k, name in enumerate(names)
    )
    return f'<ul class="legend">{lead}{keys}</ul>' if len(names) else ""


def percent(share: float) -> str:
    """A share of 1 in few digits."""
    if share in (0, 1) or 0.1 <= share < 0.995:
        return f"{100 * share:.0f} %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.1f} %"
