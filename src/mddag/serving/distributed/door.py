"""score(frame, model): the predictions of rows that lie on a cluster, made where they lie.

The engine is known by the type of the frame. Model and columns are checked before any work; then
the engine's own function says what to do with each part. The result is as lazy as the frame: it is
computed when it is written or looked at, and by the engine's own means, so what the engine does
about a worker that dies holds here as well.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from mddag._internal.checks import described
from mddag.features.patches import PatchFeatures
from mddag.serving.distributed.plan import planned
from mddag.serving.distributed.sent_model import SentModel
from mddag.serving.given_model import given_predictor
from mddag.serving.predictor import Predictor, load

# Where the class of a frame is defined, its name, and what scores it.
ENGINES = {
    ("dask.dataframe", "DataFrame"): "mddag.serving.distributed.dask",
    ("pyspark.sql", "DataFrame"): "mddag.serving.distributed.spark",
    ("ray.data", "Dataset"): "mddag.serving.distributed.ray",
}


def score(
    frame: Any,
    model: Any,
    *,
    columns: Any = None,
    keep: Any = (),
    proba: bool = False,
    evaluations: bool = False,
) -> Any:
    """What `model` predicts of the rows of `frame`, as a frame of the same engine.

    frame   : a Dask DataFrame, a Spark DataFrame or a Ray Dataset
    model   : a fitted estimator, a Predictor, or the path of a model file, which is read here and
              sent to each worker once
    columns : the columns to read in the order of the model's features; by default those that have
              its feature names, or, where it has no names, all that are not kept
    keep    : columns of the frame that go along, such as the key of a row
    proba   : also write the class probabilities, ``p_<label>``
    evaluations : also write ``n_evaluated``, the base classifiers that a row needed

    The result has the columns `keep`, ``prediction``, and what else is asked for. Each worker
    scores with one thread, for engines run as many workers as there are cores.

    >>> import dask.dataframe as dd, numpy as np, pandas as pd
    >>> import mddag
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> table = pd.DataFrame(np.random.default_rng(0).normal(size=(600, 2)), columns=["a", "b"])
    >>> boost = GradientBoostingClassifier(n_estimators=9).fit(table[:300], table.a[:300] > 0)
    >>> fast = mddag.sparsify(boost, table[300:], beta=0.01, solver=mddag.solvers.Margin())
    >>> scored = mddag.distributed.score(dd.from_pandas(table, npartitions=3), fast)
    >>> bool((scored.compute().prediction == fast.predict(table)).all())
    True
    """
    engine = import_module(_engine_of(frame))
    predictor = _predictor_of(model)
    plan = planned(
        predictor,
        engine.columns_of(frame),
        columns=columns,
        keep=keep,
        proba=proba,
        evaluations=evaluations,
    )
    return engine.scored(frame, SentModel.of(predictor.model), plan, predictor)


def _engine_of(frame: Any) -> str:
    """The module that scores such a frame."""
    for kind in type(frame).__mro__:
        for (home, name), engine in ENGINES.items():
            if kind.__name__ == name and f"{kind.__module__}.".startswith(f"{home}."):
                return engine
    wanted = "a Dask DataFrame, a Spark DataFrame or a Ray Dataset"
    library = type(frame).__module__.partition(".")[0]
    if library in ("pandas", "polars", "numpy"):
        raise TypeError(
            f"frame is {described(frame)} of {library}, whose rows are all here; wanted {wanted}: "
            "use predict of the model, or bring the frame to an engine"
        )
    hint = ": pass frame.to_spark()" if type(frame).__module__.startswith("pyspark.pandas") else ""
    raise TypeError(f"frame is {described(frame)} of {library}; wanted {wanted}{hint}")


def _predictor_of(model: Any) -> Predictor:
    """The Predictor of what was given, if it can score parts of a table one by one."""
    given = load(model) if isinstance(model, (str, os.PathLike)) else model
    wanted = "a fitted estimator of mddag, a Predictor or the path of a model file"
    predictor = given_predictor(given, wanted)
    if predictor.model.dag.needs_queries:
        raise ValueError(
            "the model decides by the place of a document in its query, and a part of a frame may "
            "end within a query; group the rows by query and use predict(X, qid) on each group"
        )
    if isinstance(predictor.model.dag.ensemble.features, PatchFeatures):
        raise ValueError("the model reads patches of pictures; wanted a model of columns")
    return predictor
