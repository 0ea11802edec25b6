"""Write all sections into one HTML file that needs no network.

The content policy of the page allows its own style sheet and script, by their hashes, and nothing
else: no other script, no style attribute, no image, no request.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable
from typing import Any

from mddag._utils.applications import SECTIONS as OF_APPLICATIONS
from mddag._utils.applications import part
from mddag._utils.checks import checked_path
from mddag._utils.output import write_whole
from mddag.inspection.report.facts import Facts
from mddag.inspection.report.markup import Section, environment, text_of
from mddag.inspection.report.paths import flow, single_rows
from mddag.inspection.report.sections import (
    calibration,
    costs,
    detection,
    evaluations,
    features,
    summary,
    tradeoff,
)

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
    "trade-off": "the trade-off at other prices: give curve=mddag.sweep(model, X, y)",
    "dag": "the DAG, evaluations and features: they need rows, X",
    "rows": "single rows: they need rows, X, and paths that do not depend on other rows",
    "calibration": "calibration by exit: it needs rows and targets, and a model with probabilities "
    "or means",
}


def write_report(path: str | os.PathLike[str], facts: Facts) -> None:
    """Write the report of a model to a file, which is whole or not there."""
    path = checked_path(path)
    write_whole(path, page(facts).encode())


def page(facts: Facts) -> str:
    """Return the HTML."""
    made = [section for section in (make(facts) for make in SECTIONS) if section is not None]
    application = part(OF_APPLICATIONS, facts.ensemble.kind)
    if application is not None:
        made.append(application.section(facts))
    there = {section.anchor for section in made}
    absent = [why for anchor, why in ABSENT.items() if anchor not in there]
    made.append(Section.of_template("not-shown", "What is not shown", absent=absent))
    style, script = text_of("style.css"), text_of("script.js")
    data: dict[str, Any] = {}
    for section in made:
        data |= section.data
    return environment().get_template("page.html").render(
        title=facts.title,
        policy=content_policy(style, script),
        style=style,
        script=script,
        sections=made,
        data=data,
    )  # fmt: skip


def content_policy(style: str, script: str) -> str:
    """Return what the page may use: its own style and script, known by their hashes."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
