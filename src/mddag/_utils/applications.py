"""What applications give the core to run: names of their parts, and the modules that hold them.

The core imports no application. Where a model, a file or a report names one of their parts, it
looks the name up here and imports the module, so that ``mddag.load`` works in a process that has
imported nothing else.

| table | key | what the module defines |
|---|---|---|
| FILES | "kind" in the metadata of a file | ``of_content(metadata, tensors, n_jobs)``, loaded |
| PREDICTORS | kind of ensemble | ``predictor_of(model, n_jobs=...)``, a ``Predictor`` |
| STATES | "kind" of a state in a file | ``FORMATS``, with a ``StateFormat`` of this name |
| SECTIONS | kind of ensemble | ``section(facts)``, a ``Section`` of the report |

A state whose cells depend on other rows brings its executor with it: ``state.executor(program)``
returns a ``QueryExecutor``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

FILES = {"detector": "mddag.detection.detector"}
PREDICTORS = {"ranker": "mddag.ranking.predictor"}
STATES = {"gap": "mddag.ranking.model_file", "urgency": "mddag.ranking.model_file"}
SECTIONS = {"ranker": "mddag.ranking.report"}


def part(table: dict[str, str], name: object) -> Any:
    """Import and return the module that has a part; None if no application has it."""
    home = table.get(name) if isinstance(name, str) else None
    return None if home is None else import_module(home)
