"""Sparse decision DAGs: fast decisions from boosted ensembles.

    fast = mddag.sparsify(model, X, y, budget=20)  # a trained ensemble, rows that it has not seen
    fast.predict(X_new), fast.n_evaluated(X_new)

Benbouzid, Busa-Fekete & Kégl, "Fast classification using sparse decision DAGs" (ICML 2012).
Names are loaded when first used, so that ``import mddag`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mddag.adaboost import AdaBoostMHClassifier as AdaBoostMHClassifier
    from mddag.adapters import as_ensemble as as_ensemble
    from mddag.classifier import MDDAGClassifier as MDDAGClassifier
    from mddag.curve import Curve as Curve
    from mddag.dag import Dag as Dag
    from mddag.dag import compile as compile  # noqa: A004
    from mddag.doubts import DoubtfulResult as DoubtfulResult
    from mddag.ensemble import Ensemble as Ensemble
    from mddag.export import export_c as export_c
    from mddag.features import Features as Features
    from mddag.grid import Grid as Grid
    from mddag.interruption import Interrupted as Interrupted
    from mddag.knobs import sparsify as sparsify
    from mddag.mdp import MDP as MDP
    from mddag.model_file import ModelFileError as ModelFileError
    from mddag.plotting import DagDisplay as DagDisplay
    from mddag.plotting import PathDisplay as PathDisplay
    from mddag.plotting import TradeoffDisplay as TradeoffDisplay
    from mddag.policy import Policy as Policy
    from mddag.predictor import Predictor as Predictor
    from mddag.predictor import load as load
    from mddag.regressor import MDDAGRegressor as MDDAGRegressor
    from mddag.trace import Trace as Trace
    from mddag.tradeoff import sweep as sweep
    from mddag.votes import Votes as Votes

_HOMES = {
    "AdaBoostMHClassifier": "mddag.adaboost",
    "Curve": "mddag.curve",
    "Dag": "mddag.dag",
    "DagDisplay": "mddag.plotting",
    "DoubtfulResult": "mddag.doubts",
    "Ensemble": "mddag.ensemble",
    "Features": "mddag.features",
    "Grid": "mddag.grid",
    "Interrupted": "mddag.interruption",
    "MDDAGClassifier": "mddag.classifier",
    "MDDAGRegressor": "mddag.regressor",
    "MDP": "mddag.mdp",
    "ModelFileError": "mddag.model_file",
    "PathDisplay": "mddag.plotting",
    "Policy": "mddag.policy",
    "Predictor": "mddag.predictor",
    "Trace": "mddag.trace",
    "TradeoffDisplay": "mddag.plotting",
    "Votes": "mddag.votes",
    "as_ensemble": "mddag.adapters",
    "compile": "mddag.dag",
    "export_c": "mddag.export",
    "load": "mddag.predictor",
    "sparsify": "mddag.knobs",
    "sweep": "mddag.tradeoff",
}

_ROOMS = (
    "datasets",
    "exploration",
    "learners",
    "losses",
    "ordering",
    "plotting",
    "solvers",
    "values",
)

__all__ = [
    "MDP",
    "AdaBoostMHClassifier",
    "Curve",
    "Dag",
    "DagDisplay",
    "DoubtfulResult",
    "Ensemble",
    "Features",
    "Grid",
    "Interrupted",
    "MDDAGClassifier",
    "MDDAGRegressor",
    "ModelFileError",
    "PathDisplay",
    "Policy",
    "Predictor",
    "Trace",
    "TradeoffDisplay",
    "Votes",
    "as_ensemble",
    "compile",
    "export_c",
    "load",
    "sparsify",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # takes longer than all the rest

        return version("mddag")
    if name in _ROOMS:
        return import_module(f"mddag.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'mddag' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    dunders = (name for name in globals() if name.startswith("__"))
    return sorted({*__all__, *_ROOMS, *dunders, "__version__"})
