"""``mddag inspect``: what a model file holds."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

from mddag.cli.command import command
from mddag.cli.models import Opened, open_model
from mddag.cli.options import ModelFile
from mddag.cli.output import Output


@command
def inspect(out: Output, model: ModelFile) -> None:
    """Show what a model file holds: kind, base classifiers, features, what was measured."""
    opened = open_model(model)
    fields = _fields(opened)
    text = [
        f"{opened.path}: {opened.library}, {fields['bytes']} bytes",
        str(opened.predictor),
        f"missing values: {'allowed' if fields['missing_allowed'] else 'refused'}",
    ]
    nominal = fields["categories"]
    text += [f"category columns: {', '.join(nominal)}"] if nominal else []
    out.result(fields, "\n".join(text))


def _fields(opened: Opened) -> dict[str, Any]:
    ensemble, model = opened.ensemble, opened.predictor.model
    features = ensemble.features
    policy, classes = model.dag.policy, ensemble.classes
    return {
        "file": opened.path,
        "library": opened.library,
        "bytes": os.path.getsize(opened.path),
        "kind": ensemble.kind,
        "n_classifiers": len(ensemble),
        "n_trees": ensemble.n_trees,
        "n_nodes": len(ensemble.nodes),
        "n_features": features.n_given,
        "feature_names": features.names,
        "categories": {str(features.called(i)): v for i, v in features.categories.items()},
        "missing_allowed": features.missing,
        "classes": classes,
        "bias": ensemble.bias,
        "policy": {
            "steps": policy.n_steps,
            "cells": policy.state.n_cells,
            "every": policy.every,
            "evaluates_all": policy.evaluates_all,
        },
        "calibrated": model.calibration is not None,
        "beta": model.beta,
        "summary": None if model.summary is None else asdict(model.summary),
    }
