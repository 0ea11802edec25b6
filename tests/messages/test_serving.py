"""What is said of bad input: Predictor, files, exports, lazy features, clusters and MLflow."""

import asyncio
import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag import Predictor
from mddag.serving.model_file import Model
from tests.clusters.scored_rows import model as of_towns
from tests.clusters.scored_rows import table
from tests.messages.message import check, each
from tests.messages.models import X, fast, model, regressor
from tests.ranking.test_serving import predictor as ranker

BAD, D = mddag.ModelFileError, X.shape[1]


@cache
def means():
    return Predictor(Model(mddag.compile(mddag.as_ensemble(regressor()))))


PREDICTED = [
    ("of an estimator", lambda: Predictor(fast()), TypeError, "model is an MDDAGClassifier"),
    ("list for out", lambda: fast().predictor().scores(X, []), TypeError, "out is a list"),
    ("type of out", lambda: fast().predictor().codes(X, np.empty(80)), ValueError,
     "out is float64 .*wanted C-ordered"),
    ("no probabilities", lambda: means().predict_proba(X), ValueError, "model has no classes for"),
]  # fmt: skip
LOADED = [
    ("no path", lambda: mddag.load(None), TypeError, "path is None"),
    ("number", lambda: mddag.load(3), TypeError, "path is 3"),
    ("folder", lambda: mddag.load("."), IsADirectoryError, "is a folder"),
    ("empty", lambda: mddag.load("empty.txt"), BAD, "it is empty"),
    ("pickle", lambda: mddag.load("model.pkl"), BAD, "it is a pickle"),
    ("LightGBM text", lambda: mddag.load("model.txt"), BAD, "LightGBM text.*mddag.as_ensemble"),
    ("cut", lambda: mddag.load("cut.mddag"), BAD, "'cut.mddag'"),
    ("threads", lambda: mddag.load("own.mddag", n_jobs=0), ValueError, "n_jobs is 0"),
]


def exported(path, language="c", **how):
    return lambda: fast().export(path, language, **how)


WRITTEN = [
    ("save to a number", lambda: fast().save(1), TypeError, "path is 1"),
    ("export to nothing", exported(None), TypeError, "path is None"),
    ("predictor", lambda: fast().predictor().export(None, "rust"), TypeError, "path is None"),
    ("name in C", exported("m.h", name="2 models"), ValueError, "name is '2 models'"),
    ("name in Java", exported("my-model.java", "java"), ValueError, "name is 'my-model'; .*Java"),
    ("name in Go", exported("m.go", "go", name="my model"), ValueError, "name is 'my model'; .*Go"),
    ("name in Rust", exported("m.rs", "rust", name="model"), ValueError, "name is 'model'.*'rust'"),
    ("no bool", exported("m.h", integer_thresholds="yes"), ValueError, "_thresholds is 'yes'"),
    ("integers", exported("m.go", "go", integer_thresholds=True), ValueError, "True.*'go'"),
    ("language", exported("m.f90", "fortran"), ValueError, "'fortran'.*'wasm'"),
    ("no folder", exported("nowhere/m.js", "javascript"), FileNotFoundError, "'nowhere.m.js'"),
    ("detector", lambda: mddag.export(mddag.Detector(), "d.go", "go"), TypeError, "a Detector"),
    ("source", lambda: mddag.export(model(), "m.h"), TypeError, "a GradientBoostingClassifier"),
]


def priced(*given, **more):
    return lambda: fast().with_prices(*given, **more)


def lazy(fetch=print, n_rows=1, **given):
    return lambda: fast().predictor().predict_lazy(fetch, n_rows=n_rows, **given)


def awaited(fetch, **given):
    return lambda: asyncio.run(fast().predictor().predict_lazy_async(fetch, n_rows=2, **given))


async def of_strings(group, rows):
    return np.full((len(rows), 1), "high")


LAZY = [
    ("prices", priced(np.ones(D + 1)), ValueError, rf"feature_costs.*{D + 1}"),
    ("price", priced({0: -1}), ValueError, r"feature_costs\[0\] is -1"),
    ("group", priced(None, {"lab": [D]}), ValueError, f"'lab' has {D}"),
    ("groups", priced(None, 3), TypeError, "feature_groups is 3"),
    ("wave", priced(None, wave_cost=-1), ValueError, "wave_cost is -1"),
    ("no prices", lambda: fast().feature_cost(X), ValueError, "with_prices"),
    ("fetch", lazy(X), TypeError, "fetch is an array"),
    ("one", lambda: fast().predictor().predict_one_lazy({}), TypeError, "fetch_one is a dict"),
    *((f"n_rows {n}", lazy(n_rows=n), ValueError, f"n_rows is {n}") for n in (0, 1.5, True)),
    ("on_error", lazy(on_error="ignore"), ValueError, "on_error is 'ignore'"),
    *((f"timeout {t!r}", lazy(timeout=t), ValueError, f"timeout is {t!r}")
      for t in (0, -1, float("nan"), "1", True)),
    ("concurrency", awaited(of_strings, max_concurrency=0), ValueError, "max_concurrency is 0"),
    ("strings", awaited(of_strings), ValueError, "<U4"),
    ("plain", awaited(lambda g, rows: X[rows, :1]), TypeError, "async function"),
    ("async", lazy(of_strings), TypeError, "predict_lazy_async"),
]  # fmt: skip


@each(PREDICTED + LOADED + WRITTEN + LAZY)
def test_messages(call, error, words):
    check(call, error, words)


def never(number):
    raise AssertionError("a part was read")


def unread(given):
    """A frame of Dask whose parts cannot be read: what is wrong is said before."""
    dask = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    return dask.from_map(never, range(2), meta=given[:0])


def scored(given=None, of=None, **options):
    def call():
        held = table() if given is None else given() if callable(given) else given
        return mddag.distributed.score(unread(held), of() if of else of_towns(), **options)

    return call


def changed(**columns):
    return lambda: table().assign(**columns)


def numbers(n):
    return pd.DataFrame(np.zeros((1, n)), columns=[f"x{i}" for i in range(n)])


def elsewhere(frame, of=fast):
    return lambda: mddag.distributed.score(frame(), of())


TWICE = ["age", "key", "size", "key", "town.of"]
DISTRIBUTED = [
    ("pandas", elsewhere(table), TypeError, "frame is a DataFrame of pandas"),
    ("array", elsewhere(lambda: X), TypeError, "frame is an array of float64"),
    ("series", elsewhere(lambda: unread(table())["size"]), TypeError, "frame is a Series of dask"),
    ("none", elsewhere(lambda: None), TypeError, "frame is None"),
    ("other model", scored(of=model), TypeError, "model is a GradientBoostingClassifier"),
    ("a class", scored(of=lambda: mddag.MDDAGClassifier), TypeError, "model is .*MDDAGClassifier"),
    ("no file", scored(of=lambda: "absent.mddag"), FileNotFoundError, "absent.mddag"),
    ("queries", scored(of=ranker), ValueError, "a partition may end within a query"),
    ("missing columns", scored(lambda: table().drop(columns=["size", "age"])), ValueError,
     "lacks 2 of the 3 columns .*missing"),
    ("text for a number", scored(changed(size=pd.Series(["a"] * 900, dtype="string"))), ValueError,
     "column 'size' has type string.*"),
    ("dates for a number", scored(changed(size=pd.Timestamp("2020-01-01"))), ValueError,
     "column 'size' has type datetime64.*"),
    ("codes for a category", scored(changed(**{"town.of": 1})), ValueError,
     "column 'town.of' holds numbers"),
    ("other number of columns", scored(numbers(4), fast), ValueError, "no names for its 3 feat"),
    ("columns, too few", scored(columns=["size"]), ValueError, "columns has 1 names"),
    ("columns, not there", scored(columns=["size", "age", "tow"]), ValueError,
     r"columns has \['tow'\], but"),
    ("columns, at places of others", scored(columns=["town.of", "age", "size"]), ValueError,
     "columns has 'age' at the place"),
    ("columns, text", scored(columns="size"), TypeError, "columns is 'size'"),
    ("keep, text", scored(keep="key"), TypeError, "keep is 'key'"),
    ("keep, number", scored(keep=3), TypeError, "keep is 3"),
    ("keep, not there", scored(keep=["id"]), ValueError, r"keep has \['id'\], but the"),
    ("keep, twice", scored(keep=["key", "key"]), ValueError, "keep has 'key' more than once"),
    ("keep, written", scored(changed(p_no=1.0), keep=["p_no"], proba=True), ValueError,
     r"keep has \['p_no'\], which"),
    ("no probabilities", scored(numbers(3), means, proba=True), ValueError, "has no classes for"),
    ("two of one name", scored(lambda: table().set_axis(TWICE, axis=1)), ValueError,
     "the frame has two columns"),
]  # fmt: skip


def saved(of, path="folder", **options):
    return lambda: mddag.mlflow.save_model(of(), path, **options)


MLFLOW = [
    ("other model", saved(model), TypeError, "model is a GradientBoostingClassifier"),
    ("output", saved(fast, output="labels"), ValueError, "output is 'labels'"),
    ("probabilities", saved(means, output="predict_proba"), ValueError, "is 'predict_proba',"),
    ("queries", saved(ranker), ValueError, "MLflow's predict has no queries"),
    ("array for names", saved(of_towns, input_example=X), TypeError, "input_example is an array"),
    ("path", saved(fast, 3), TypeError, "path is 3"),
]


@each(DISTRIBUTED + MLFLOW)
def test_messages_before_any_work(call, error, words):
    check(call, error, words)


def test_without_mlflow(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ModuleNotFoundError, match="pip install mlflow-skinny pandas"):
        mddag.mlflow.load_model("folder")
