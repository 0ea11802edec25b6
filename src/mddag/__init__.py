"""Sparse decision DAGs: fast decisions from boosted ensembles.

    fast = mddag.sparsify(model, X, y, budget=20)  # a trained ensemble, rows that it has not seen
    fast.predict(X_new), fast.n_evaluated(X_new)

Benbouzid, Busa-Fekete & Kégl, "Fast classification using sparse decision DAGs" (ICML 2012).
Names are loaded when first used, so that ``import mddag`` stays light.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mddag._internal.doubts import DoubtfulResult as DoubtfulResult
    from mddag.adapters import as_ensemble as as_ensemble
    from mddag.dag.dag import Dag as Dag
    from mddag.dag.dag import compile as compile  # noqa: A004
    from mddag.dag.trace import Trace as Trace
    from mddag.detection.detector import Detector as Detector
    from mddag.ensemble.ensemble import Ensemble as Ensemble
    from mddag.ensemble.votes import Votes as Votes
    from mddag.estimators.adaboost import AdaBoostMHClassifier as AdaBoostMHClassifier
    from mddag.estimators.classifier import MDDAGClassifier as MDDAGClassifier
    from mddag.estimators.ranker import MDDAGRanker as MDDAGRanker
    from mddag.estimators.regressor import MDDAGRegressor as MDDAGRegressor
    from mddag.features.features import Features as Features
    from mddag.inspection.explanation import Explanation as Explanation
    from mddag.inspection.plotting import CostDisplay as CostDisplay
    from mddag.inspection.plotting import DagDisplay as DagDisplay
    from mddag.inspection.plotting import DetectionDisplay as DetectionDisplay
    from mddag.inspection.plotting import ExplanationDisplay as ExplanationDisplay
    from mddag.inspection.plotting import PathDisplay as PathDisplay
    from mddag.inspection.plotting import PurchaseDisplay as PurchaseDisplay
    from mddag.inspection.plotting import TradeoffDisplay as TradeoffDisplay
    from mddag.mdp.curve import Curve as Curve
    from mddag.mdp.grid import Grid as Grid
    from mddag.mdp.mdp import MDP as MDP
    from mddag.mdp.policy import Policy as Policy
    from mddag.serving.export import export as export
    from mddag.serving.model_file import ModelFileError as ModelFileError
    from mddag.serving.predictor import Predictor as Predictor
    from mddag.serving.predictor import load as load
    from mddag.serving.versions import show_versions as show_versions
    from mddag.tuning.acquire import acquire as acquire
    from mddag.tuning.sparsify import sparsify as sparsify
    from mddag.tuning.sweep import sweep as sweep
    from mddag.tuning.train import train as train

_HOMES = {
    "AdaBoostMHClassifier": "mddag.estimators.adaboost",
    "CostDisplay": "mddag.inspection.plotting",
    "Curve": "mddag.mdp.curve",
    "Dag": "mddag.dag.dag",
    "DagDisplay": "mddag.inspection.plotting",
    "DetectionDisplay": "mddag.inspection.plotting",
    "Detector": "mddag.detection.detector",
    "DoubtfulResult": "mddag._internal.doubts",
    "Ensemble": "mddag.ensemble.ensemble",
    "Explanation": "mddag.inspection.explanation",
    "ExplanationDisplay": "mddag.inspection.plotting",
    "Features": "mddag.features.features",
    "Grid": "mddag.mdp.grid",
    "MDDAGClassifier": "mddag.estimators.classifier",
    "MDDAGRanker": "mddag.estimators.ranker",
    "MDDAGRegressor": "mddag.estimators.regressor",
    "MDP": "mddag.mdp.mdp",
    "ModelFileError": "mddag.serving.model_file",
    "PathDisplay": "mddag.inspection.plotting",
    "Policy": "mddag.mdp.policy",
    "Predictor": "mddag.serving.predictor",
    "PurchaseDisplay": "mddag.inspection.plotting",
    "Trace": "mddag.dag.trace",
    "TradeoffDisplay": "mddag.inspection.plotting",
    "Votes": "mddag.ensemble.votes",
    "acquire": "mddag.tuning.acquire",
    "as_ensemble": "mddag.adapters",
    "compile": "mddag.dag.dag",
    "export": "mddag.serving.export",
    "load": "mddag.serving.predictor",
    "show_versions": "mddag.serving.versions",
    "sparsify": "mddag.tuning.sparsify",
    "sweep": "mddag.tuning.sweep",
    "train": "mddag.tuning.train",
}

# The families of interchangeable members, and what needs other libraries; where each is at home.
_FAMILIES = {
    "cascades": "mddag.detection.cascades",
    "datasets": "mddag.datasets",
    "distributed": "mddag.serving.distributed",
    "learners": "mddag.learners",
    "losses": "mddag.losses",
    "metrics": "mddag.metrics",
    "mlflow": "mddag.serving.mlflow",
    "ordering": "mddag.ordering",
    "solvers": "mddag.solvers",
}

__all__ = [
    "MDP",
    "AdaBoostMHClassifier",
    "CostDisplay",
    "Curve",
    "Dag",
    "DagDisplay",
    "DetectionDisplay",
    "Detector",
    "DoubtfulResult",
    "Ensemble",
    "Explanation",
    "ExplanationDisplay",
    "Features",
    "Grid",
    "MDDAGClassifier",
    "MDDAGRanker",
    "MDDAGRegressor",
    "ModelFileError",
    "PathDisplay",
    "Policy",
    "Predictor",
    "PurchaseDisplay",
    "Trace",
    "TradeoffDisplay",
    "Votes",
    "acquire",
    "as_ensemble",
    "compile",
    "export",
    "load",
    "show_versions",
    "sparsify",
    "sweep",
    "train",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # takes longer than all the rest

        return version("mddag")
    if name in _FAMILIES:
        return import_module(_FAMILIES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'mddag' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    dunders = (name for name in globals() if name.startswith("__"))
    return sorted({*__all__, *_FAMILIES, *dunders, "__version__"})


class _Elsewhere(ModuleType):
    """A family that is at home further down: ``import mddag.mlflow`` finds it there."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        return getattr(import_module(_FAMILIES[self.__name__.partition(".")[2]]), name)

    def __dir__(self) -> list[str]:
        return dir(import_module(_FAMILIES[self.__name__.partition(".")[2]]))


for _name, _home in _FAMILIES.items():
    if _home != f"mddag.{_name}":
        sys.modules[f"mddag.{_name}"] = _Elsewhere(f"mddag.{_name}")
del _name, _home
