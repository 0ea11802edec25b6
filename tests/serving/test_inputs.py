"""What users pass to a served model: Arrow tables, masked arrays, labels for JSON."""

import json

import lightgbm as lgb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import mddag
from mddag.solvers import Margin

RANDOM = np.random.RandomState(0)
X = pd.DataFrame(RANDOM.normal(size=(2200, 4)), columns=list("abcd"))
Y = (X["a"] + X["b"] ** 2 > 0.5).astype(int).to_numpy()
NEW = X[1800:]


@pytest.fixture(scope="module")
def fast():
    model = lgb.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1).fit(X[:600], Y[:600])
    return mddag.sparsify(model, X[600:1800], Y[600:1800], budget=5, solver=Margin())


def as_table(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


def as_batch(frame):
    return pa.RecordBatch.from_pandas(frame, preserve_index=False)


@pytest.mark.parametrize("make", [as_table, as_batch])
@pytest.mark.parametrize("of", [lambda m: m, lambda m: m.predictor()])
def test_columns_of_arrow_tables_are_compared_by_name(fast, make, of):
    model = of(fast)
    np.testing.assert_array_equal(model.predict(make(NEW)), fast.predict(NEW))
    with pytest.raises(ValueError, match="order"):
        model.predict(make(NEW[list("dcba")]))


def test_policy_rows_may_be_an_arrow_table(fast):
    table = as_table(X[600:1800])
    again = mddag.sparsify(fast.ensemble, table, Y[600:1800], budget=5, solver=Margin())
    np.testing.assert_array_equal(again.predict(NEW), fast.predict(NEW))


@pytest.mark.parametrize("of", [lambda m: m, lambda m: m.predictor()])
def test_masked_values_are_missing_values(fast, of):
    values = NEW.to_numpy()
    hidden = np.abs(values) > 1.5
    masked = np.ma.masked_array(np.where(hidden, 1e9, values), mask=hidden)
    wanted = fast.predict_proba(pd.DataFrame(np.where(hidden, np.nan, values), columns=NEW.columns))
    model = of(fast)
    if model is fast:  # scikit-learn's warning: the rows have no names
        with pytest.warns(UserWarning, match="feature names"):
            found = model.predict_proba(masked)
    else:
        found = model.predict_proba(masked)
    np.testing.assert_array_equal(found, wanted)


def test_one_label_can_be_written_as_json(fast):
    label = fast.predictor().predict_one(NEW.to_numpy()[0])
    assert json.loads(json.dumps({"label": label})) == {"label": fast.predict(NEW[:1])[0]}
    assert json.dumps(fast.predict_one(NEW.to_numpy()[0]))


@pytest.mark.parametrize("timeout", [float("inf"), 1e10, np.float32(5)])
def test_a_long_timeout_is_none(fast, timeout):
    values = NEW.to_numpy()

    def fetch(group, rows):
        return values[rows][:, [list("abcd").index(group)]]

    found = fast.predictor().predict_lazy(fetch, n_rows=50, timeout=timeout)
    np.testing.assert_array_equal(found, fast.predict(NEW)[:50])


class LostConnection:
    def __array__(self, *args, **kwargs):
        raise OSError("connection lost")


@pytest.mark.parametrize("answer", [lambda n: [[10**400]] * n, lambda n: LostConnection()])
def test_rows_quit_whatever_reading_an_answer_raises(fast, answer):
    with pytest.warns(mddag.DoubtfulResult, match="20 of 20"):
        found = fast.predictor().predict_lazy(
            lambda group, rows: answer(len(rows)), n_rows=20, on_error="quit", return_details=True
        )
    assert found.failed.all()
