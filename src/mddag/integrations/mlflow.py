"""Keep models in MLflow's folders and registry, as a pyfunc model around our own model file.

The folder holds no pickle: MLflow calls ``_load_pyfunc``, which reads the model file.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from mddag._utils.checks import check_one_of, checked_path, described
from mddag.serving.predictor import Predictor, given_predictor, load
from mddag.serving.served_model import HasPredictor

if TYPE_CHECKING:
    from mlflow.models.model import ModelInfo

__all__ = ["load_model", "log_model", "save_model"]

Answer = Literal["predict", "predict_proba", "n_evaluated"]
OUTPUTS = get_args(Answer)


def __dir__() -> list[str]:
    return __all__


def save_model(
    model: HasPredictor,
    path: str | os.PathLike[str],
    *,
    output: Answer = "predict",
    **options: Any,
) -> None:
    """Write a model as a folder that MLflow reads.

    Parameters
    ----------
    model : fitted estimator or Predictor
        What to save.
    path : str or os.PathLike
        The folder, which must not exist yet.
    output : {"predict", "predict_proba", "n_evaluated"}, default "predict"
        What ``predict`` of the loaded pyfunc model returns.
    **options : Any
        Passed to ``mlflow.pyfunc.save_model``: signature, input_example, pip_requirements, metadata
        and others. The signature is inferred from `input_example`, which must be a pandas DataFrame
        if the model has feature names.

    See Also
    --------
    log_model : Log to the active run instead.
    load_model : Load the Predictor again.

    Examples
    --------
    >>> import tempfile, numpy as np, mddag
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X = np.random.default_rng(0).normal(size=(600, 2))
    >>> boost = GradientBoostingClassifier(n_estimators=9).fit(X[:300], X[:300, 0] > 0)
    >>> fast = mddag.sparsify(boost, X[300:], beta=0.01, solver=mddag.solvers.Margin())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mddag.mlflow.save_model(fast, f"{folder}/fast", input_example=X[:3])
    ...     again = mddag.mlflow.load_model(f"{folder}/fast")
    >>> bool((again.predict(X) == fast.predict(X)).all())
    True
    """
    checked_path(path)
    _written("save_model", model, output, {"path": os.fspath(path), **options})


def log_model(
    model: HasPredictor,
    name: str = "model",
    *,
    output: Answer = "predict",
    **options: Any,
) -> ModelInfo:
    """Log a model to the active run of MLflow.

    Parameters
    ----------
    model : fitted estimator or Predictor
        What to log.
    name : str, default "model"
        The name of the model in MLflow.
    output : {"predict", "predict_proba", "n_evaluated"}, default "predict"
        What ``predict`` of the loaded pyfunc model returns.
    **options : Any
        Passed to ``mlflow.pyfunc.log_model``: those of ``save_model``, registered_model_name,
        params, tags and others.

    Returns
    -------
    mlflow.models.model.ModelInfo
        Its ``model_uri`` is what ``load_model`` takes.

    See Also
    --------
    save_model : Write a folder, without a run.

    Examples
    --------
    >>> import mddag, mlflow  # doctest: +SKIP
    >>> with mlflow.start_run():  # doctest: +SKIP
    ...     info = mddag.mlflow.log_model(fast, "fast", input_example=X[:5])
    >>> mddag.mlflow.load_model(info.model_uri).predict_one(X[0])  # doctest: +SKIP
    1
    """
    info: ModelInfo = _written("log_model", model, output, {"name": name, **options})
    return info


def load_model(model_uri: str | os.PathLike[str], dst_path: str | None = None) -> Predictor:
    """Load the Predictor from a folder of MLflow.

    Parameters
    ----------
    model_uri : str or os.PathLike
        A path, ``runs:/…`` or ``models:/…``.
    dst_path : str, optional
        Where MLflow downloads files to.

    Returns
    -------
    Predictor
        The model that ``save_model`` or ``log_model`` wrote.

    Raises
    ------
    ValueError
        If the model is not mddag's; nothing of it is loaded then.

    See Also
    --------
    save_model : Write the folder; its example loads it again.

    Examples
    --------
    >>> import mddag
    >>> served = mddag.mlflow.load_model("models:/fast/1")  # doctest: +SKIP
    """
    pyfunc, uri = _pyfunc(), os.fspath(model_uri)
    from mlflow.models import Model

    # Before pyfunc loads anything: what another library wrote may be a pickle, which runs code.
    loader = Model.load(uri).flavors.get("python_function", {}).get("loader_module")
    if loader != __name__:
        raise ValueError(
            f"{uri!r} is a model that {loader} loads; wanted one written by mddag.mlflow"
        )
    served: Predictor = pyfunc.load_model(uri, dst_path=dst_path).get_raw_model()
    return served


@dataclass
class _Served:
    """A Predictor whose method `output` answers ``predict``, as MLflow calls it."""

    predictor: Predictor
    output: str = "predict"

    def predict(self, model_input: Any, params: Mapping[str, Any] | None = None) -> Any:
        return getattr(self.predictor, self.output)(model_input)

    def get_raw_model(self) -> Predictor:
        return self.predictor


def _load_pyfunc(path: str, model_config: Mapping[str, Any] | None = None) -> _Served:
    """Load the model file for ``mlflow.pyfunc.load_model``, which looks for this name."""
    return _Served(given_predictor(load(path)), **(model_config or {}))


def _written(function: str, model: Any, output: str, options: dict[str, Any]) -> Any:
    """Call a function of mlflow.pyfunc with the model file and what MLflow says about it."""
    check_one_of("output", output, OUTPUTS)
    predictor = given_predictor(model)
    if predictor.model.dag.needs_queries:
        raise ValueError(
            "the model ranks the documents of a query together, and MLflow's predict has no "
            "queries; save it by model.save(path)"
        )
    if output == "predict_proba" and not predictor.has_probabilities:
        raise ValueError("output is 'predict_proba', but the model has no probabilities")
    example: Any = options.get("input_example")
    if hasattr(example, "assign"):  # MLflow knows no categorical columns: pass their values
        nominal = [name for name, dtype in example.dtypes.items() if str(dtype) == "category"]
        example = example.assign(**{name: np.asarray(example[name]) for name in nominal})
        options["input_example"] = example
    elif example is not None and options.get("signature") is None:
        names = predictor.model.dag.ensemble.features.names
        if names is not None:  # MLflow would turn DataFrames into arrays, in any order
            raise TypeError(
                f"input_example is {described(example)}, but the model has feature names; wanted a "
                f"pandas DataFrame with the columns {list(names[:5])}"
            )
    pyfunc = _pyfunc()
    if example is not None and options.get("signature") is None:
        from mlflow.models import infer_signature

        answer = _Served(predictor, output).predict(example)
        options["signature"] = infer_signature(example, answer)
    options.setdefault("pip_requirements", [f"{n}=={version(n)}" for n in ("mddag", "pandas")])
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "model.mddag")
        predictor.save(file)
        config = {"output": output}
        return getattr(pyfunc, function)(
            loader_module=__name__, data_path=file, model_config=config, **options
        )


def _pyfunc() -> Any:
    try:
        import mlflow.pyfunc
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"mddag.mlflow needs MLflow, but there is no {error.name}: "
            "pip install mlflow-skinny pandas",
            name=error.name,
        ) from error
    return mlflow.pyfunc
