"""Served: a model as MLflow's own tools call it, with ``predict(rows, params)``.

MLflow finds ``_load_pyfunc`` by the name of the package that the model's folder states.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mddag._internal.checks import check_one_of
from mddag.serving.predictor import Predictor, load

OUTPUTS = ("predict", "predict_proba", "n_evaluated")


class Served:
    """A Predictor whose method `output` answers ``predict``."""

    def __init__(self, predictor: Predictor, output: str = "predict") -> None:
        check_one_of("output", output, OUTPUTS)
        self.predictor = predictor
        self.output = output

    def predict(self, model_input: Any, params: Mapping[str, Any] | None = None) -> Any:
        """What the model says of rows; `params` has no entry that it reads."""
        return getattr(self.predictor, self.output)(model_input)

    def get_raw_model(self) -> Predictor:
        """The Predictor, for single rows, paths and explanations."""
        return self.predictor


def _load_pyfunc(path: str, model_config: Mapping[str, Any] | None = None) -> Served:
    """What ``mlflow.pyfunc.load_model`` loads; `path` is that of the model file."""
    return Served(load(path), **(model_config or {}))
