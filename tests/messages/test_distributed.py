"""What is said of bad input: mddag.distributed.score and mddag.mlflow, before any work."""

import sys
from functools import cache

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.serving.model_file import Model
from tests.clusters.scored_rows import model as of_towns
from tests.clusters.scored_rows import table
from tests.messages.message import check, each
from tests.messages.models import X, fast, model, regressor
from tests.ranking.test_serving import predictor as ranker

dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")


def never(number):
    raise AssertionError("a part was read")


def frame(given=None):
    """A frame whose parts cannot be read: what is wrong is said before."""
    return dd.from_map(never, range(2), meta=(table() if given is None else given)[:0])


def score(given=None, of=None, **options):
    return mddag.distributed.score(frame(given), of_towns() if of is None else of, **options)


@cache
def means():
    return mddag.Predictor(Model(mddag.compile(mddag.as_ensemble(regressor()))))


def numbers(n):
    return pd.DataFrame(np.zeros((1, n)), columns=[f"x{i}" for i in range(n)])


ROWS = [
    (
        "pandas",
        lambda: mddag.distributed.score(table(), fast()),
        TypeError,
        "frame is a DataFrame of pandas",
    ),
    (
        "array",
        lambda: mddag.distributed.score(X, fast()),
        TypeError,
        "frame is an array of float64",
    ),
    (
        "series",
        lambda: mddag.distributed.score(frame()["size"], fast()),
        TypeError,
        "frame is a Series of dask",
    ),
    ("none", lambda: mddag.distributed.score(None, fast()), TypeError, "frame is None"),
    ("other model", lambda: score(of=model()), TypeError, "model is a GradientBoostingClassifier"),
    ("a class", lambda: score(of=mddag.MDDAGClassifier), TypeError, "model is .*MDDAGClassifier.*"),
    ("no file", lambda: score(of="absent.mddag"), FileNotFoundError, "absent.mddag"),
    ("queries", lambda: score(of=ranker()), ValueError, "a partition may end within a query"),
    (
        "missing columns",
        lambda: score(table().drop(columns=["size", "age"])),
        ValueError,
        "lacks 2 of the 3 columns .*missing",
    ),
    (
        "text for a number",
        lambda: score(table().assign(size=pd.Series(["a"] * len(table()), dtype="string"))),
        ValueError,
        "column 'size' has type string.*",
    ),
    (
        "dates for a number",
        lambda: score(table().assign(size=pd.Timestamp("2020-01-01"))),
        ValueError,
        "column 'size' has type datetime64.*",
    ),
    (
        "codes for a category",
        lambda: score(table().assign(**{"town.of": 1})),
        ValueError,
        "column 'town.of' holds numbers",
    ),
    (
        "no names, other number of columns",
        lambda: score(numbers(4), fast()),
        ValueError,
        "no names for its 3 features,",
    ),
    ("columns, too few", lambda: score(columns=["size"]), ValueError, "columns has 1 names"),
    (
        "columns, not there",
        lambda: score(columns=["size", "age", "tow"]),
        ValueError,
        r"columns has \['tow'\], but",
    ),
    (
        "columns, features at places of others",
        lambda: score(columns=["town.of", "age", "size"]),
        ValueError,
        "columns has 'age' at the place",
    ),
    ("columns, text", lambda: score(columns="size"), TypeError, "columns is 'size'"),
    ("keep, text", lambda: score(keep="key"), TypeError, "keep is 'key'"),
    ("keep, number", lambda: score(keep=3), TypeError, "keep is 3"),
    ("keep, not there", lambda: score(keep=["id"]), ValueError, r"keep has \['id'\], but the"),
    (
        "keep, twice",
        lambda: score(keep=["key", "key"]),
        ValueError,
        "keep has 'key' more than once",
    ),
    (
        "keep, written",
        lambda: score(table().assign(p_no=1.0), keep=["p_no"], proba=True),
        ValueError,
        r"keep has \['p_no'\], which",
    ),
    (
        "probabilities of a regressor",
        lambda: score(numbers(3), means(), proba=True),
        ValueError,
        "the model has no classes for",
    ),
    (
        "two of one name",
        lambda: score(table().set_axis(["age", "key", "size", "key", "town.of"], axis=1)),
        ValueError,
        "the frame has two columns",
    ),
    (
        "mlflow: other model",
        lambda: mddag.mlflow.save_model(model(), "folder"),
        TypeError,
        "model is a GradientBoostingClassifier",
    ),
    (
        "mlflow: output",
        lambda: mddag.mlflow.save_model(fast(), "folder", output="labels"),
        ValueError,
        "output is 'labels'",
    ),
    (
        "mlflow: probabilities",
        lambda: mddag.mlflow.save_model(means(), "folder", output="predict_proba"),
        ValueError,
        "output is 'predict_proba',",
    ),
    (
        "mlflow: queries",
        lambda: mddag.mlflow.save_model(ranker(), "folder"),
        ValueError,
        "MLflow's predict has no queries",
    ),
    (
        "mlflow: array for a model with names",
        lambda: mddag.mlflow.save_model(of_towns(), "folder", input_example=X),
        TypeError,
        "input_example is an array",
    ),
    ("mlflow: path", lambda: mddag.mlflow.save_model(fast(), 3), TypeError, "path is 3"),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)


def test_without_mlflow(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ModuleNotFoundError, match="pip install mlflow-skinny pandas"):
        mddag.mlflow.load_model("folder")
