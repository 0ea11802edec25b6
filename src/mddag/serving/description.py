"""A model in words, line by line: what ``print`` of a Predictor and the report begin with."""

from __future__ import annotations

from typing import Any

from mddag.mdp.stages import Stages
from mddag.serving.model_file import Model

LOSSES = {
    "labels": "loss",
    "probabilities": "loss expected by the probabilities given",
    "model": "loss by the model's own opinion, without labels,",
    None: "loss, by labels or by the model where there were none,",
}


def described(model: Model) -> list[str]:
    """Kind, size, features, classes, policy and prices, then what was measured."""
    ensemble, policy = model.dag.ensemble, model.dag.policy
    lines = [
        f"{ensemble.kind} of {len(ensemble)} base classifiers ({ensemble.n_trees} trees)",
        f"features: {ensemble.n_features}{_few(ensemble.features.names)}",
    ]
    if ensemble.classes is not None:
        lines.append(f"classes: {len(ensemble.classes)}{_few(ensemble.classes.tolist())}")
    every = f", decisions every {policy.every} steps" if policy.every > 1 else ""
    known = model.beta is None or model.summary is not None  # which names the knob
    beta = "" if known else f", learned for beta = {model.beta:g}"
    cells = "1 cell" if policy.grid.n_cells == 1 else f"{policy.grid.n_cells} cells"
    state, columns = policy.state, ""
    if isinstance(state, Stages):
        columns = f", {state.n_columns} score column{'s' if state.n_columns > 1 else ''}"
    verdicts = "" if policy.verdict is None else ", verdicts"
    lines.append(f"policy: {cells}{columns}{verdicts}{every}{beta}")
    if model.dag.purchases is not None:
        lines.append(f"{model.dag.purchases.prices}")
    return lines + (_measured(model) if model.summary is None else model.summary.lines())


def _measured(model: Model) -> list[str]:
    """What is known of a model without a summary, none of it measured on rows held out."""
    loss = LOSSES[model.measured_against]
    lines = [
        f"{name}: {value.n_evaluated:.1f} evaluations, {loss} {value.loss:.4g}"
        for name, value in (("policy", model.evaluation), ("everything", model.full))
        if value is not None
    ]
    about = "measured on rows that also fitted policy or calibration, none held out:"
    return [about, *lines] if lines else []


def _few(names: Any, most: int = 6) -> str:
    """The first of the names in brackets."""
    if names is None:
        return ""
    rest = ", …" if len(names) > most else ""
    return f" ({', '.join(map(str, names[:most]))}{rest})"
