"""Applications: what the packages above the core give it to run, by the module that has it.

The core imports none of these packages. Where a model or a file names one of their parts, the core
looks the name up here and imports the module then, so that ``mddag.load`` works in a process that
has imported nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

FILES = {"detector": "mddag.detection.detector"}  # kind of file: of_content(…)
PREDICTORS = {"ranker": "mddag.ranking.predictor"}  # kind of ensemble: predictor_of(model, …)
RATES = {"detection": "mddag.detection.rejection"}  # a wanted rate: detecting_solver(…)
STATES = {"gap": "mddag.ranking.model_file", "urgency": "mddag.ranking.model_file"}  # FORMATS
SECTIONS = {"ranker": "mddag.ranking.report"}  # kind of ensemble: section(facts) of the report


def part(table: dict[str, str], name: object) -> Any:
    """The module that has a part, imported; None where no application has it."""
    home = table.get(name) if isinstance(name, str) else None
    return None if home is None else import_module(home)
