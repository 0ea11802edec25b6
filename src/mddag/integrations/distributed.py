"""Score rows where they are: DataFrames of Dask and Spark, Datasets of Ray.

``score`` checks the model and the names of the columns before any worker starts. Then each engine
maps one function over its partitions, and the bytes of the model file reach a worker once. No
engine is imported before you pass one of its DataFrames.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from mddag._utils.checks import described
from mddag.ensemble.features import Features, as_remembered
from mddag.ensemble.patches import PatchFeatures
from mddag.serving.model_file import Model
from mddag.serving.predictor import Predictor, given_predictor, load, predictor_of
from mddag.serving.served_model import HasPredictor

__all__ = ["score"]


def __dir__() -> list[str]:
    return __all__


# Labels as columns, by the kind of their array; all others are strings. And what Spark calls them.
LABELS = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float64}
SPARK_TYPES = {"b": "boolean", "i": "long", "f": "double", "U": "string"}
# The class of a DataFrame and where it is defined, by engine.
ENGINES = {
    "dask": ("DataFrame", "dask.dataframe."),
    "pyspark": ("DataFrame", "pyspark.sql."),
    "ray": ("Dataset", "ray.data."),
}


Frame = TypeVar("Frame")


def score(
    frame: Frame,
    model: HasPredictor | str | os.PathLike[str],
    *,
    keep: Sequence[Any] = (),
    proba: bool = False,
    evaluations: bool = False,
) -> Frame:
    """Predict the rows of a distributed DataFrame on the workers that hold them.

    Parameters
    ----------
    frame : Dask DataFrame, Spark DataFrame or Ray Dataset
        Rows, with the columns that have the model's feature names; if it has no names, all columns
        that are not kept, in the order of its features.
    model : fitted estimator, Predictor or path of a model file
        It is sent to each worker once.
    keep : list, optional
        Columns of the frame that are copied to the result, such as the key of a row.
    proba : bool, default False
        Also write the class probabilities, ``p_<label>``.
    evaluations : bool, default False
        Also write ``n_evaluated``, the number of base classifiers that a row needed.

    Returns
    -------
    Dask DataFrame, Spark DataFrame or Ray Dataset
        Lazy, with the columns `keep`, ``prediction``, and what else you ask for. Each worker scores
        with one thread, because engines run as many workers as there are cores.

    Raises
    ------
    TypeError
        If `frame` is of another library, or `model` is no model.
    ValueError
        If columns are absent or given twice.

    Examples
    --------
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
    engine = _engine_of(frame)
    predictor = _predictor_of(model)
    names = _names_of(frame, engine)
    keeps = _kept(keep, names)
    reads = _reads(predictor.model.dag.ensemble.features, names, keeps)
    if proba and not predictor.has_probabilities:
        what = "classes" if predictor.classes_ is None else "calibration"
        raise ValueError(f"the model has no {what} for probabilities; leave out proba=True")
    part = _Part(reads, keeps, proba, evaluations)
    both = [name for name in part.written(predictor) if name in keeps]
    if both:
        raise ValueError(f"keep has {both}, which score writes itself; rename in the frame first")
    run = {"dask": _on_dask, "pyspark": _on_spark, "ray": _on_ray}[engine]
    scored: Frame = run(frame, part, predictor)
    return scored


@lru_cache(maxsize=4)  # workers live long
def _loaded(content: bytes) -> Predictor:
    """Load a model file; a process loads it once, for all of its partitions."""
    return predictor_of(Model.from_bytes(content), n_jobs=1)


@dataclass(frozen=True)
class _Part:
    """What to do with one partition."""

    reads: tuple[Any, ...]
    keeps: tuple[Any, ...]
    proba: bool
    evaluations: bool

    @property
    def taken(self) -> list[Any]:
        """The columns that a worker needs, each once."""
        return list(dict.fromkeys((*self.keeps, *self.reads)))

    def written(self, predictor: Predictor) -> dict[str, np.dtype[Any]]:
        """Return the columns of the answers and their types."""
        classes = predictor.classes_
        # An empty partition must tell the same types, so an array of objects will not do.
        label = np.float64 if classes is None else LABELS.get(classes.dtype.kind, str)
        types = {"prediction": np.dtype(label)}
        if self.proba and classes is not None:
            types |= {f"p_{name}": np.dtype(np.float64) for name in classes.tolist()}
        return types | ({"n_evaluated": np.dtype(np.int64)} if self.evaluations else {})

    def answers(self, predictor: Predictor, given: Any) -> dict[str, Any]:
        """Compute the new columns for a pandas DataFrame, which may have no rows."""
        types = self.written(predictor)
        if not len(given):
            return {name: np.empty(0, dtype) for name, dtype in types.items()}
        features, given = predictor.model.dag.ensemble.features, given[list(self.reads)]
        if features.names is not None:
            given = given.set_axis(list(features.names), axis=1)
        rows = features.rows(given)
        found = [predictor.predict(rows).astype(types["prediction"])]
        found += [*predictor.predict_proba(rows).T] if self.proba else []
        found += [predictor.n_evaluated(rows)] if self.evaluations else []
        return dict(zip(types, found, strict=True))

    def of_pandas(self, part: Any, content: bytes) -> Any:
        """Score a pandas DataFrame; its index stays."""
        import pandas as pd

        answers = pd.DataFrame(self.answers(_loaded(content), part), index=part.index)
        return pd.concat([part[list(self.keeps)], answers], axis=1) if self.keeps else answers

    def of_arrow(self, table: Any, content: bytes) -> Any:
        """Score an Arrow table; kept columns stay as they are, with nulls and large integers."""
        import pyarrow as pa

        answers = self.answers(_loaded(content), table.select(list(self.reads)).to_pandas())
        kept = {name: table.column(name) for name in self.keeps}
        return pa.table({**kept, **{name: pa.array(found) for name, found in answers.items()}})


def _on_dask(frame: Any, part: _Part, predictor: Predictor) -> Any:
    from dask.base import tokenize
    from dask.delayed import delayed

    content = predictor.model.to_bytes()
    taken = frame[part.taken]
    # As one value of the graph, the model goes to a worker once and outlives other workers.
    sent = delayed(content, name=f"mddag-model-{tokenize(content)}", traverse=False)
    return taken.map_partitions(part.of_pandas, sent, meta=part.of_pandas(taken._meta, content))


def _on_spark(frame: Any, part: _Part, predictor: Predictor) -> Any:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    content = predictor.model.to_bytes()
    try:
        broadcast = frame.sparkSession.sparkContext.broadcast(content)
    except AttributeError:  # Spark Connect has no broadcast variables: the function carries it
        broadcast = None

    def parts(batches: Iterator[Any]) -> Iterator[Any]:
        model = content if broadcast is None else broadcast.value
        for batch in batches:
            table = pa.Table.from_batches([batch]).rename_columns(part.taken)
            yield from part.of_arrow(table, model).to_batches()

    schema = StructType([frame.schema[name] for name in part.keeps])
    for name, dtype in part.written(predictor).items():
        schema = schema.add(name, SPARK_TYPES[dtype.kind])
    # mapInArrow would take a name with a dot for a field of a struct.
    quoted = ["`" + name.replace("`", "``") + "`" for name in part.taken]
    taken = frame.selectExpr(*(f"{name} as c{i}" for i, name in enumerate(quoted)))
    return taken.mapInArrow(parts, schema)


def _on_ray(dataset: Any, part: _Part, predictor: Predictor) -> Any:
    import ray

    # In a list, because Ray would replace a plain reference by its value for every batch.
    sent = [ray.put(predictor.model.to_bytes())]
    return dataset.select_columns(part.taken).map_batches(
        _ray_block,
        batch_size=None,
        batch_format="pyarrow",
        zero_copy_batch=True,
        fn_kwargs={"part": part, "sent": sent},
    )


def _ray_block(table: Any, *, part: _Part, sent: list[Any]) -> Any:
    import ray

    return part.of_arrow(table, ray.get(sent[0]))


def _engine_of(frame: Any) -> str:
    """Return the package of the engine."""
    for kind in type(frame).__mro__:
        for engine, (name, home) in ENGINES.items():
            if kind.__name__ == name and f"{kind.__module__}.".startswith(home):
                return engine
    raise TypeError(
        f"frame is {described(frame)} of {type(frame).__module__.partition('.')[0]}; wanted a Dask "
        "DataFrame, a Spark DataFrame or a Ray Dataset; for rows in local memory, call predict of "
        "the model"
    )


def _predictor_of(model: Any) -> Predictor:
    """Return the Predictor of a model that can score partitions one by one."""
    given = load(model) if isinstance(model, (str, os.PathLike)) else model
    wanted = "a fitted estimator of mddag, a Predictor or the path of a model file"
    predictor = given_predictor(given, wanted)
    if predictor.model.dag.needs_queries:
        raise ValueError(
            "the model ranks the documents of a query together, and a partition may end within a "
            "query; group the rows by query and call predict(X, qid) on each group"
        )
    if isinstance(predictor.model.dag.ensemble.features, PatchFeatures):
        raise ValueError("the model reads patches of images; wanted a model of columns")
    return predictor


def _names_of(frame: Any, engine: str) -> list[Any]:
    """Return the names of the columns, which are distinct."""
    if engine == "ray":
        schema = frame.schema()  # Ray reads a first block if it has to
        if schema is None:
            raise ValueError("the dataset has no rows, so its columns are unknown; give it rows")
        names = list(schema.names)
    else:
        names = list(frame.columns)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the frame has two columns named {twice!r}; rename one of them")
    return names


def _kept(keep: Any, names: list[Any]) -> tuple[Any, ...]:
    """Return `keep` if it holds distinct columns of the frame."""
    if isinstance(keep, str) or not isinstance(keep, Sequence):
        raise TypeError(f"keep is {described(keep)}; wanted a list of columns of the frame")
    bad = [name for i, name in enumerate(keep) if name not in names or name in keep[:i]]
    if bad:
        raise ValueError(f"keep has {bad[:5]}; wanted distinct columns of the frame: {_few(names)}")
    return tuple(keep)


def _reads(features: Features, names: list[Any], keeps: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the columns of the features, in their order."""
    if features.names is None:
        reads = tuple(name for name in names if name not in keeps)
        if len(reads) != features.n:
            raise ValueError(
                f"the model has no names for its {features.n} features, and the frame has "
                f"{len(reads)} columns that are not in keep; select those of the features first, "
                "in their order"
            )
        return reads
    remembered = dict(zip(as_remembered(names, features.names), names, strict=True))
    absent = [name for name in features.names if name not in remembered]
    if absent:
        raise ValueError(
            f"the frame lacks {len(absent)} of the {features.n} columns that the model reads: "
            f"missing {absent[:5]}; it has {_few(names)}: rename its columns"
        )
    return tuple(remembered[name] for name in features.names)


def _few(names: list[Any], most: int = 8) -> str:
    """Name the first columns."""
    return f"{names[:most]}" + (f" and {len(names) - most} more" if len(names) > most else "")
