"""What the applications above the core give it to run, by the module that has it.

The core imports none of these packages: where a model or a file names one of their parts, it looks
up and imports the module, so that ``mddag.load`` works in a process that has imported nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

FILES = {"detector": "mddag.detection.detector"}  # kind of file: of_content(…)
PREDICTORS = {"ranker": "mddag.ranking.predictor"}  # kind of ensemble: predictor_of(model, …)
STATES = {"gap": "mddag.ranking.model_file", "urgency": "mddag.ranking.model_file"}  # FORMATS
SECTIONS = {"ranker": "mddag.ranking.report"}  # kind of ensemble: section(facts) of the report


def part(table: dict[str, str], name: object) -> Any:
    """Import and return the module that has a part; None if no application has it."""
    home = table.get(name) if isinstance(name, str) else None
    return None if home is None else import_module(home)
