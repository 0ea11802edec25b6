"""What is said of bad input: predictors, files, exports, lazy features, clusters, MLflow, plots."""

import asyncio
import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag import DagDisplay, PathDisplay, Predictor, TradeoffDisplay
from mddag.serving.model_file import Model
from tests import rankings
from tests.clusters.scored_rows import model as of_towns
from tests.clusters.scored_rows import table
from tests.messages.models import X, Y, curve, fast, model, regressor, rejected, scaled, trace
from tests.ranking.test_serving import predictor as ranker
from tests.serving.model_file.kinds import KINDS

BAD, D = mddag.ModelFileError, X.shape[1]


@cache
def means():
    return Predictor(Model(mddag.compile(mddag.as_ensemble(regressor()))))


def of_patches():
    return Predictor(KINDS["patches"]())


PREDICTED = [
    (lambda: Predictor(fast()), TypeError, "model is an MDDAGClassifier"),
    (lambda: fast().predictor().scores(X, []), TypeError, "out is a list"),
    (lambda: fast().predictor().scores(X, np.empty(80)), "out is float64 .*wanted C-ordered"),
    (lambda: means().predict_proba(X), "model has no classes for"),
]
LOADED = [
    (lambda: mddag.load(None), TypeError, "path is None"),
    (lambda: mddag.load("."), IsADirectoryError, "is a folder"),
    (lambda: mddag.load("empty.txt"), BAD, "it is empty"),
    (lambda: mddag.load("model.pkl"), BAD, "it is a pickle"),
    (lambda: mddag.load("model.txt"), BAD, "LightGBM text.*mddag.as_ensemble"),
    (lambda: mddag.load("cut.mddag"), BAD, "'cut.mddag'"),
    (lambda: mddag.load("own.mddag", n_jobs=0), "n_jobs is 0"),
]


def exported(path, language="c", **how):
    return lambda: fast().export(path, language, **how)


WRITTEN = [
    (lambda: fast().save(1), TypeError, "path is 1"),
    (exported(None), TypeError, "path is None"),
    (exported("m.h", name="2 models"), "name is '2 models'"),
    (exported("my-model.java", "java"), "name is 'my-model'; .*Java"),
    (exported("m.go", "go", name="my model"), "name is 'my model'; .*Go"),
    (exported("m.rs", "rust", name="model"), "name is 'model'.*'rust'"),
    (exported("m.h", integer_thresholds="yes"), "_thresholds is 'yes'"),
    (exported("m.go", "go", integer_thresholds=True), "True.*'go'"),
    (lambda: of_patches().export("m.h", integer_thresholds=True), "the features of patches are"),
    (exported("m.f90", "fortran"), "'fortran'.*'wasm'"),
    (exported("nowhere/m.js", "javascript"), FileNotFoundError, "'nowhere.m.js'"),
    (lambda: mddag.export(mddag.Detector(), "d.go", "go"), TypeError, "a Detector"),
    (lambda: mddag.export(model(), "m.h"), TypeError, "a GradientBoostingClassifier"),
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
    (priced(np.ones(D + 1)), rf"feature_costs.*{D + 1}"),
    (priced({0: -1}), r"feature_costs\[0\] is -1"),
    (priced(None, {"lab": [D]}), f"'lab' has {D}"),
    (priced(None, 3), TypeError, "feature_groups is 3"),
    (priced(None, wave_cost=-1), "wave_cost is -1"),
    (lambda: fast().feature_cost(X), "with_prices"),
    (lazy(X), TypeError, "fetch is an array"),
    (lambda: fast().predictor().predict_one_lazy({}), TypeError, "fetch_one is a dict"),
    *((lazy(n_rows=n), f"n_rows is {n}") for n in (0, 1.5, True)),
    (lazy(on_error="ignore"), "on_error is 'ignore'"),
    *((lazy(timeout=t), f"timeout is {t!r}") for t in (0, -1, float("nan"), "1", True)),
    (awaited(of_strings, max_concurrency=0), "max_concurrency is 0"),
    (awaited(of_strings), "<U4"),
    (awaited(lambda g, rows: X[rows, :1]), TypeError, "async function"),
    (lazy(of_strings), TypeError, "predict_lazy_async"),
]


test_messages = rejected(PREDICTED + LOADED + WRITTEN + LAZY)


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
    (elsewhere(table), TypeError, "frame is a DataFrame of pandas"),
    (elsewhere(lambda: X), TypeError, "frame is an array of float64"),
    (elsewhere(lambda: unread(table())["size"]), TypeError, "frame is a Series of dask"),
    (scored(of=model), TypeError, "model is a GradientBoostingClassifier"),
    (scored(of=lambda: mddag.MDDAGClassifier), TypeError, "model is .*MDDAGClassifier"),
    (scored(of=lambda: "absent.mddag"), FileNotFoundError, "absent.mddag"),
    (scored(of=ranker), "a partition may end within a query"),
    (scored(lambda: table().drop(columns=["size", "age"])), "lacks 2 of the 3 columns .*missing"),
    (scored(numbers(4), fast), "no names for its 3 feat"),
    (scored(keep="key"), TypeError, "keep is 'key'"),
    (scored(keep=["id"]), r"keep has \['id'\]; wanted distinct"),
    (scored(keep=["key", "key"]), r"keep has \['key'\]; wanted distinct"),
    (scored(changed(p_no=1.0), keep=["p_no"], proba=True), r"keep has \['p_no'\], which"),
    (scored(numbers(3), means, proba=True), "has no classes for"),
    (scored(lambda: table().set_axis(TWICE, axis=1)), "the frame has two columns"),
]


def saved(of, path="folder", **options):
    return lambda: mddag.mlflow.save_model(of(), path, **options)


MLFLOW = [
    (saved(model), TypeError, "model is a GradientBoostingClassifier"),
    (saved(fast, output="labels"), "output is 'labels'"),
    (saved(means, output="predict_proba"), "is 'predict_proba',"),
    (saved(ranker), "MLflow's predict has no queries"),
    (saved(of_towns, input_example=X), TypeError, "input_example is an array"),
    (saved(fast, 3), TypeError, "path is 3"),
]


test_messages_before_any_work = rejected(DISTRIBUTED + MLFLOW)


def test_without_mlflow(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ModuleNotFoundError, match="pip install mlflow-skinny pandas"):
        mddag.mlflow.load_model("folder")


# What is said of bad input: plots, explanations and reports.


@cache
def sparse_ranker():
    X, y, qid = rankings.documents(40, seed=2)
    return mddag.MDDAGRanker(rankings.ranker(), beta=1e-5, random_state=0).fit(X, y, qid=qid)


PLOTS = [
    (lambda: TradeoffDisplay.from_curve(fast()), TypeError, "curve is .*; .*Curve"),
    (lambda: TradeoffDisplay(curve(), x="time"), "x is 'time'; .*'cost'"),
    (lambda: DagDisplay.from_trace(fast()), TypeError, "trace is .*; .*a Trace"),
    (lambda: DagDisplay(trace()), TypeError, "graph is a Trace; .*from_trace"),
    (lambda: DagDisplay.from_trace(trace(), min_share=2), "min_share is 2"),
    (lambda: DagDisplay.from_trace(trace(), n_classifiers=0), "classifiers is 0"),
    (lambda: DagDisplay.from_trace(trace(), color=[1]), r"color .*\(1,\)"),
    (lambda: DagDisplay.from_trace(trace(), grouped="y"), "grouped is 'y'"),
    (lambda: DagDisplay.from_trace(trace(), ax=3), TypeError, "ax is 3; .*Axes"),
    (lambda: PathDisplay.from_trace(trace(), X=X), r"X .*\(80, 3\)"),
    (lambda: fast().explain(X[0]).plot(ax=3), TypeError, "ax is 3; .*Axes"),
]
EXPLANATIONS = [
    (lambda: fast().explain([1.0, 2.0]), "x .* 2 values; .* 3 values"),
    (lambda: fast().predictor().explain(None), TypeError, "x is a NoneType"),
    (lambda: scaled().explain(X[:3]), "x has 3 rows; .*one row"),
    (lambda: scaled().explain(X[0]), "2D array, got 1D"),
    (lambda: sparse_ranker().explain(rankings.documents(4)[0][0]), "report.*qid"),
    (lambda: mddag.MDDAGClassifier().explain(X[0]), Exception, "not fitted yet"),
]
REPORTS = [
    (lambda: fast().report(3), TypeError, "path is 3"),
    (lambda: fast().report("r.html", y=Y), "y is given without X"),
    (lambda: fast().report("r.html", X, Y[:5]), "y has 5 .*80 rows"),
    (lambda: fast().report("r.html", X, Y + 7), r"y .*label 7 \(row \d+\)"),
    (lambda: fast().report("r.html", curve=fast()), TypeError, "curve is .*; .*Curve"),
    (lambda: fast().predictor().report("r.html", X[:, :2]), "X has 2 feat"),
    (lambda: sparse_ranker().report("r.html", rankings.documents(4)[0]), "qid"),
]


test_messages_of_what_is_shown = rejected(PLOTS + EXPLANATIONS + REPORTS)
