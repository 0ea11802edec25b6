"""The MLflow flavour: models in MLflow's folders and registry, as our own model file.

    info = mddag.mlflow.log_model(fast, name="fast", input_example=X[:5])
    mddag.mlflow.load_model(info.model_uri).predict_one(x)  # a Predictor
    mlflow.pyfunc.load_model(info.model_uri).predict(X)  # as any model of MLflow

The folder has the model file, which runs no code when it is read: no pickle. ``flavour`` writes and
reads it, ``served`` is what MLflow's own tools load. MLflow (mlflow-skinny is enough, with pandas)
is imported when a function here is called. Start with ``flavour``."""

from mddag.serving.mlflow.flavour import load_model as load_model
from mddag.serving.mlflow.flavour import log_model as log_model
from mddag.serving.mlflow.flavour import save_model as save_model
from mddag.serving.mlflow.served import _load_pyfunc as _load_pyfunc

__all__ = ["load_model", "log_model", "save_model"]
