"""Plan: the columns that are read, kept and written."""

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.serving.distributed.plan import Column, _reads, planned
from mddag.serving.distributed.spark import LABELS
from mddag.serving.model_file import Model
from tests.clusters.scored_rows import expected, features, model, table
from tests.messages.models import X, fast, regressor

GIVEN = {"columns": None, "keep": (), "proba": False, "evaluations": False}


def of(predictor, names, **changes):
    return planned(predictor, [Column(n, "double", "") for n in names], **GIVEN | changes)


def test_columns_are_found_by_the_names_of_the_model():
    plan = of(model().predictor(), table().columns, keep=["key"])
    assert plan.reads == ("town.of", "size", "age")
    assert plan.taken == ["key", "town.of", "size", "age"]


def test_columns_may_be_kept_and_read():
    plan = of(model().predictor(), table().columns, keep=["size", "key"])
    assert plan.taken == ["size", "key", "town.of", "age"]
    assert plan.scored(model().predictor(), table()).columns.tolist() == [
        "size",
        "key",
        "prediction",
    ]


def test_names_that_lightgbm_changed_are_found():
    by_name = {name: Column(name, "double", "numbers") for name in ("c", "a b")}
    assert _reads(mddag.Features(2, ("a_b", "c")), by_name, None, ()) == ("a b", "c")


def test_without_names_columns_go_by_their_order():
    plan = of(fast().predictor(), ["key", "u", "v", "w"], keep=["key"])
    assert plan.reads == ("u", "v", "w")
    plan = of(fast().predictor(), ["key", "u", "v", "w"], columns=["w", "u", "key"])
    assert plan.reads == ("w", "u", "key")


def test_answers_are_those_of_the_predictor():
    predictor = model().predictor()
    plan = of(predictor, table().columns, keep=["key"], proba=True, evaluations=True)
    pd.testing.assert_frame_equal(plan.scored(predictor, table()), expected())


def test_other_names_are_read_by_columns():
    frame = features().set_axis(["x", "y", "z"], axis=1)
    plan = of(model().predictor(), frame.columns, columns=["x", "y", "z"])
    scored = plan.scored(model().predictor(), frame)
    assert scored["prediction"].tolist() == expected()["prediction"].tolist()


@pytest.mark.parametrize("proba", [False, True])
def test_a_part_may_be_empty(proba):
    predictor = model().predictor()
    plan = of(predictor, table().columns, keep=["key"], proba=proba, evaluations=True)
    none, some = plan.scored(predictor, table()[:0]), plan.scored(predictor, table()[:5])
    assert len(none) == 0
    assert none.columns.tolist() == some.columns.tolist()
    assert none.dtypes.tolist() == some.dtypes.tolist()


def test_labels_of_type_object_are_strings_with_and_without_rows():
    labels = np.where(X[:, 0] > 0, "yes", "no").astype(object)  # as a column of pandas has them
    boost = mddag.AdaBoostMHClassifier(n_rounds=3).fit(X, labels)
    predictor = mddag.Predictor(Model(mddag.compile(mddag.as_ensemble(boost))))
    assert predictor.classes_.dtype == object
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    plan = of(predictor, frame.columns)
    none, some = plan.answers(predictor, frame[:0]), plan.answers(predictor, frame)
    assert none["prediction"].dtype.kind == some["prediction"].dtype.kind == "U"
    assert some["prediction"].tolist() == predictor.predict(X).tolist()
    assert LABELS[predictor.classes_.dtype.kind] == "string"


def test_regressors_have_means():
    everything = mddag.Predictor(Model(mddag.compile(mddag.as_ensemble(regressor()))))
    plan = of(everything, ["u", "v", "w"])
    scored = plan.scored(everything, pd.DataFrame(X, columns=["u", "v", "w"]))
    assert scored["prediction"].tolist() == everything.predict(X).tolist()
