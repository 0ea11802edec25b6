"""Write all sections into one HTML file that needs no network.

The content policy of the page allows its own style sheet and script, by their hashes, and nothing
else: no other script, no style attribute, no image, no request. All names pass through
``escape``; what the script shows it shows as text. The file is written under another name and
renamed, so it is whole or not there.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from mddag._utils.applications import SECTIONS as OF_APPLICATIONS
from mddag._utils.applications import part
from mddag._utils.checks import checked_path
from mddag._utils.output import write_whole
from mddag.inspection.report.facts import Facts
from mddag.inspection.report.features import costs, features
from mddag.inspection.report.markup import Section, listed
from mddag.inspection.report.paths import evaluations, flow, single_rows
from mddag.inspection.report.summary import calibration, detection, summary, tradeoff

SECTIONS: tuple[Callable[[Facts], Section | None], ...] = (
    summary,
    tradeoff,
    flow,
    single_rows,
    evaluations,
    features,
    costs,
    calibration,
    detection,
)
ABSENT = {
    "trade-off": "the trade-off: nothing was measured of this model; give curve=",
    "dag": "the DAG, evaluations and features: they need rows, X",
    "rows": "single rows: they need rows, X, and paths that do not depend on other rows",
    "calibration": "calibration by exit: it needs rows and targets, and a model with probabilities "
    "or means",
}


def write_report(path: str | os.PathLike[str], facts: Facts) -> None:
    """Write the report of a model to a file."""
    path = checked_path(path)
    write_whole(path, page(facts).encode())


def page(facts: Facts) -> str:
    """Return the HTML."""
    made = [section for section in (make(facts) for make in SECTIONS) if section is not None]
    application = part(OF_APPLICATIONS, facts.ensemble.kind)
    if application is not None:
        made.append(application.section(facts))
    style, script = _file("style.css"), _file("script.js")
    links = (f'<li><a href="#{s.anchor}">{escape(s.title)}</a></li>' for s in made)
    data: dict[str, Any] = {}
    for section in made:
        data |= section.data
    return Template(_file("page.html")).substitute(
        title=escape(facts.title),
        policy=content_policy(style, script),
        style=style,
        script=script,
        links="".join(links),
        sections="".join(map(_html, [*made, _not_shown(made)])),
        data=in_script(data),
    )


def content_policy(style: str, script: str) -> str:
    """Return what the page may use: its own style and script, known by their hashes."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def in_script(data: Any) -> str:
    """Write JSON that no HTML parser takes for the end of the script."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _not_shown(made: list[Section]) -> Section:
    there = {section.anchor for section in made}
    absent = [why for anchor, why in ABSENT.items() if anchor not in there]
    always = "times of this machine: python -m benchmarks.speed measures them"
    return Section("not-shown", "What is not shown", listed([*absent, always]))


def _html(section: Section) -> str:
    return (
        f'<section id="{section.anchor}" aria-labelledby="{section.anchor}-title">'
        f'<h2 id="{section.anchor}-title">{escape(section.title)}</h2>{section.html}</section>'
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
