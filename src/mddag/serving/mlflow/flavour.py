"""save_model, log_model, load_model: a folder of MLflow around our own model file.

    MLmodel             flavours "mddag" and "python_function", signature
    data/model.mddag    the model
    requirements.txt    this version of mddag, and pandas; conda.yaml, python_env.yaml

The signature is that given, or made of the input example and what the model says of it. Rankers
that decide by whole queries are refused, for MLflow has no place for queries.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any

import numpy as np

from mddag._internal.checks import check_one_of, checked_path, described
from mddag.features.features import is_frame
from mddag.serving.given_model import given_predictor
from mddag.serving.mlflow.served import OUTPUTS, Served
from mddag.serving.predictor import Predictor, load

FLAVOUR, HOME, FILE = "mddag", "mddag.mlflow", "model.mddag"
NEEDED = ("mddag", "pandas")


def save_model(
    model: Any,
    path: str | os.PathLike[str],
    *,
    output: str = "predict",
    signature: Any = None,
    input_example: Any = None,
    pip_requirements: Sequence[str] | None = None,
    extra_pip_requirements: Sequence[str] = (),
    metadata: dict[str, Any] | None = None,
    mlflow_model: Any = None,
) -> None:
    """Write `model`, a fitted estimator of mddag or a Predictor, as a folder that MLflow reads.

    output : what ``predict`` of the loaded pyfunc model is: "predict", "predict_proba" or
             "n_evaluated"
    signature : an ``mlflow.models.ModelSignature``; by default inferred from `input_example`, a few
             rows as the model takes them, and absent where there are none. Where the model has
             names of features the example must be a frame of pandas
    pip_requirements : instead of this version of mddag and pandas; `extra_pip_requirements` are
             added to them
    metadata : what else the folder's MLmodel is to say
    mlflow_model : the ``mlflow.models.Model`` to add to, which ``log_model`` gives

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
    check_one_of("output", output, OUTPUTS)
    predictor = _predictor_of(model, output)
    if input_example is not None:
        input_example = _checked_example(input_example, predictor, signature)
    mlflow = _mlflow()
    if signature is None and input_example is not None:
        answer = Served(predictor, output).predict(input_example)
        signature = mlflow.models.infer_signature(input_example, answer)
    described_model = mlflow.models.Model() if mlflow_model is None else mlflow_model
    described_model.add_flavor(FLAVOUR, data=f"data/{FILE}", mddag_version=version("mddag"))
    needed = _requirements() if pip_requirements is None else list(pip_requirements)
    with tempfile.TemporaryDirectory() as folder:
        predictor.save(Path(folder) / FILE)
        mlflow.pyfunc.save_model(
            os.fspath(path),
            loader_module=HOME,
            data_path=os.path.join(folder, FILE),
            mlflow_model=described_model,
            signature=signature,
            input_example=input_example,
            pip_requirements=[*needed, *extra_pip_requirements],
            metadata=metadata,
            model_config={"output": output},
        )


def log_model(model: Any, name: str = "model", **options: Any) -> Any:
    """Log `model` to the active run of MLflow, which is begun where there is none.

    `options` are those of ``save_model``, and those of ``mlflow.models.Model.log``, such as
    registered_model_name, params or tags. Returns MLflow's ModelInfo; its ``model_uri`` is what
    ``load_model`` takes.
    """
    mlflow, flavour = _mlflow(), import_module(HOME)
    return mlflow.models.Model.log(None, flavour, name=name, model=model, **options)


def load_model(model_uri: str | os.PathLike[str], dst_path: str | None = None) -> Predictor:
    """The Predictor in a folder of MLflow: a path, or any address that MLflow knows.

    dst_path : the folder that files are downloaded to, where they are not here
    """
    mlflow = _mlflow()
    folder = mlflow.artifacts.download_artifacts(os.fspath(model_uri), dst_path=dst_path)
    flavours = mlflow.models.Model.load(folder).flavors
    if FLAVOUR not in flavours:
        raise ValueError(
            f"{os.fspath(model_uri)!r} has the flavours {sorted(flavours)}; wanted {FLAVOUR!r}: "
            "a model that mddag.mlflow.save_model or log_model wrote"
        )
    predictor: Predictor = load(os.path.join(folder, flavours[FLAVOUR]["data"]))
    return predictor


def _predictor_of(model: Any, output: str) -> Predictor:
    predictor = given_predictor(model)
    if predictor.model.dag.needs_queries:
        raise ValueError(
            "the model decides by the place of a document in its query, and MLflow's predict has "
            "no queries; save it by model.save(path)"
        )
    if output == "predict_proba" and (
        predictor.classes_ is None or predictor.model.calibration is None
    ):
        raise ValueError("output is 'predict_proba', but the model has no probabilities")
    return predictor


def _checked_example(given: Any, predictor: Predictor, signature: Any) -> Any:
    """The example, with the values of categorical columns, whose type MLflow does not take.

    Of an array MLflow would infer that rows are arrays, and turn each frame into one, with its
    columns in any order."""
    names = predictor.model.dag.ensemble.features.names
    if not (is_frame(given) and hasattr(given, "assign")):  # MLflow takes frames of pandas
        if signature is None and names is not None:
            raise TypeError(
                f"input_example is {described(given)}, but the model has names of features, and "
                "MLflow would not compare those of frames with them; wanted a pandas frame with "
                f"the columns {list(names[:5])}{', …' if len(names) > 5 else ''}"
            )
        return given
    nominal = [name for name, dtype in given.dtypes.items() if str(dtype) == "category"]
    return given.assign(**{name: np.asarray(given[name]) for name in nominal})


def _requirements() -> list[str]:
    """This version of mddag and pandas; of the small MLflow, too, where it is not the whole one."""
    small = not list(distributions(name="mlflow"))
    names = [*NEEDED, "mlflow-skinny"] if small else NEEDED
    return [f"{name}=={version(name)}" for name in names]


def _mlflow() -> Any:
    try:
        mlflow = import_module("mlflow")
        for part in ("mlflow.artifacts", "mlflow.models", "mlflow.pyfunc"):
            import_module(part)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"mddag.mlflow needs MLflow, but there is no {error.name}: "
            "pip install mlflow-skinny pandas",
            name=error.name,
        ) from error
    return mlflow
