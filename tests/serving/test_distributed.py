"""mddag.distributed.score in this process, by Dask; tests/clusters has worker processes."""

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.integrations.distributed import _engine_of
from mddag.serving.model_file import Model
from tests.clusters.scored_rows import KEEP, check, model, table
from tests.messages.models import X, fast, regressor
from tests.test_import import fresh

dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")


def scored(given, of=None, n_parts=4, scheduler="synchronous", **options):
    frame = dd.from_pandas(given, npartitions=n_parts, sort=False)
    found = mddag.distributed.score(frame, model() if of is None else of, **options)
    result = found.compute(scheduler=scheduler)
    assert result.dtypes.tolist() == found.dtypes.tolist()  # the types are those announced
    return result


def whole(estimator):
    return mddag.Predictor(Model(mddag.compile(mddag.as_ensemble(estimator))))


@pytest.mark.parametrize("engine", ["dask", "pyspark", "ray", "mlflow"])
def test_no_engine_is_imported_before_it_is_used(engine):
    code = "import sys, mddag; mddag.distributed.score; mddag.mlflow.save_model; "
    assert fresh(f"{code}print({engine!r} in sys.modules)") == "False"


@pytest.mark.parametrize("home", ["dask.dataframe", "pyspark.sql", "ray.data"])
def test_engines_are_known_by_the_type_of_the_frame(home):
    kind = type("Dataset" if home == "ray.data" else "DataFrame", (), {"__module__": f"{home}.x"})
    assert _engine_of(type("Child", (kind,), {})()) == home.partition(".")[0]


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_scores_equal_local_ones(scheduler):
    shuffled = table().iloc[np.random.default_rng(0).permutation(len(table()))]
    check(scored(shuffled, scheduler=scheduler, keep=KEEP, proba=True, evaluations=True))


def test_a_model_may_be_an_estimator_a_predictor_or_a_file(tmp_path):
    fast().save(tmp_path / "model.mddag")
    rows = pd.DataFrame(X, columns=["u", "v", "w"])
    for given in [fast(), fast().predictor(), tmp_path / "model.mddag"]:
        assert scored(rows, given)["prediction"].tolist() == fast().predict(X).tolist()


def test_partitions_may_be_empty_and_the_index_stays():
    frame = dd.from_pandas(table(), npartitions=4)
    some = frame[(frame["size"] > 2) & (frame["key"] > 2**60 + 300)]
    found = mddag.distributed.score(some, model(), keep=KEEP, proba=True, evaluations=True)
    wanted = table()[(table()["size"] > 2) & (table()["key"] > 2**60 + 300)]
    result = found.compute(scheduler="synchronous")
    assert result.index.tolist() == wanted.index.tolist()
    assert result["key"].tolist() == wanted["key"].tolist()
    assert result.dtypes.tolist() == found.dtypes.tolist()


def test_the_result_is_lazy_and_the_model_one_value_of_the_graph():
    def never(number):
        raise AssertionError("a part was read")

    frame = dd.from_map(never, range(7), meta=table()[:0])
    found = mddag.distributed.score(frame, model(), keep=KEEP)
    assert len([key for key in map(str, found.optimize().dask) if "mddag-model" in key]) == 1
    with pytest.raises(AssertionError, match="a part was read"):
        found.compute(scheduler="synchronous")


def test_columns_may_be_kept_and_read():
    found = scored(table(), keep=["size", "key"])
    assert found.columns.tolist() == ["size", "key", "prediction"]
    assert found["size"].tolist() == table()["size"].tolist()


def test_names_that_lightgbm_changed_are_found():
    lightgbm = pytest.importorskip("lightgbm")
    rows = pd.DataFrame(X[:, :2], columns=["a b", "c"])
    boost = lightgbm.LGBMClassifier(n_estimators=2, verbose=-1).fit(rows, X[:, 0] > 0)
    found = scored(rows[["c", "a b"]], whole(boost.booster_))
    assert len(found) == len(rows)


def test_without_names_columns_go_by_their_order():
    rows = pd.DataFrame(X, columns=["u", "v", "w"])
    wanted = fast().predict(X).tolist()
    assert scored(rows.assign(key=1), fast(), keep=["key"])["prediction"].tolist() == wanted


@pytest.mark.parametrize("dtype", [object, "U1", bool, np.uint8, np.int32, np.float64])
def test_labels_have_one_type_with_and_without_rows(dtype):
    labels = (X[:, 0] > 0).astype(int).astype("U1" if dtype is object else dtype).astype(dtype)
    boost = mddag.AdaBoostMHClassifier(n_rounds=3).fit(X, labels)
    rows = pd.DataFrame(X, columns=["u", "v", "w"])
    assert scored(rows, whole(boost))["prediction"].tolist() == boost.predict(X).tolist()


def test_regressors_have_means():
    rows = pd.DataFrame(X, columns=["u", "v", "w"])
    found = scored(rows, whole(regressor()))
    assert found["prediction"].tolist() == whole(regressor()).predict(X).tolist()
