import os
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.engine.dag import Dag
from mddag.engine.dag import compile as compile_dag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.tasks import Regression
from mddag.policy.calibration import Calibration
from mddag.policy.mdp import Evaluation
from mddag.policy.state import Score
from mddag.serving.model_file import Model, ModelFileError
from mddag.serving.predictor import Predictor, load
from tests import strategies
from tests.serving.model_file.kinds import RESULT, models, rewritten, whole_model


def parts(value):
    """A model as arrays and plain values, all the way down."""
    if is_dataclass(value):
        return {f.name: parts(getattr(value, f.name)) for f in fields(value)}
    return value


def assert_equal_models(got, wanted):
    np.testing.assert_equal(parts(got), parts(wanted))
    tables = got.dag.ensemble.tables, wanted.dag.ensemble.tables
    assert [t.values.dtype for t in tables] == [np.float64] * 2


def test_a_file_holds_all_of_a_model(tmp_path):
    model = whole_model()
    model.save(tmp_path / "model.mddag")
    again = load(tmp_path / "model.mddag").model
    assert_equal_models(again, model)
    assert again.dag.ensemble.classes.dtype == model.dag.ensemble.classes.dtype
    assert again.dag.ensemble.classes.tolist() == ["a", "b", "ccc"]
    assert [type(v) for v in again.dag.ensemble.features.categories[1]] == [str, int, float, bool]


def test_a_file_keeps_what_unknown_categories_are():
    whole = whole_model().dag
    strict = replace(whole.ensemble, features=replace(whole.ensemble.features, unknown="error"))
    again = Model.from_bytes(Model(Dag(strict, whole.policy)).to_bytes())
    assert again.dag.ensemble.features == strict.features
    predictor = Predictor(Model.from_bytes(whole_model().to_bytes()))
    with pytest.raises(ValueError, match=r"column 'tøwn' holds dates.*trained on bools or numbers"):
        predictor.predict(pd.DataFrame({"size": [0.0], "tøwn": [date(2026, 1, 1)]}))


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_random_models_survive_and_give_the_same_bytes(data):
    model = data.draw(models())
    X = data.draw(strategies.rows(model.dag.ensemble.n_features))
    content = model.to_bytes()
    again = Model.from_bytes(content)
    assert_equal_models(again, model)
    assert again.to_bytes() == content == model.to_bytes()
    np.testing.assert_array_equal(again.dag.scores(X), model.dag.scores(X))


@pytest.mark.parametrize(
    "classes",
    [
        np.array([0, 1]),
        np.array([-3, 2**40]),
        np.array([1, 200], np.uint8),
        np.array([2**63, 2**64 - 1], np.uint64),
        np.array([False, True]),
        np.array([0.1, 1e300]),
        np.array([0.1, 0.2], np.float32),
        np.array(["no", "yes"]),
        np.array(["nø", "\ud800\0x"], "U7"),
        np.array(["no", "yes"], object),
    ],
    ids=lambda classes: str(classes.dtype),
)
def test_labels_survive_with_their_type(classes):
    ensemble = Ensemble.from_trees([], features=Features(1), classes=classes)
    again = Model.from_bytes(Model(compile_dag(ensemble)).to_bytes()).dag.ensemble.classes
    assert again.dtype == classes.dtype
    assert again.tolist() == classes.tolist()


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "model.mddag"
    whole_model().save(path)
    before = path.read_bytes()
    unsound = Calibration([0, 0, 0], [1.0], [2.0])
    with pytest.raises(ModelFileError, match="offsets would change winners; wanted zeros"):
        whole_model(calibration=unsound).save(path)
    assert path.read_bytes() == before
    whole_model(result=None).save(path)
    assert load(path).model.result is None
    assert os.listdir(tmp_path) == ["model.mddag"]


def test_the_calibration_of_another_dag_is_refused():
    short = Calibration.one_group(1.0, len(whole_model().dag.ensemble) - 1)
    with pytest.raises(ValueError, match=r"is of \d+ exit steps, but the DAG has \d+"):
        whole_model(calibration=short)


@dataclass(frozen=True)
class Unknown(Score):
    """A state that is not in the table of the file."""


def empty(**given):
    return compile_dag(Ensemble.from_trees([], **{"features": Features(1)} | given))


def in_a_state():
    whole = whole_model().dag
    return Dag(whole.ensemble, replace(whole.policy, state=Unknown(whole.policy.grid)))


@pytest.mark.parametrize(
    ("dag", "message"),
    [
        (lambda: compile_dag(Ensemble.from_callables([len], n_features=1)), "1 callables, and a f"),
        (lambda: empty(features=Features(1, categories={0: ((1, 2),)})), r"the category \(1, 2\)"),
        (lambda: empty(classes=np.array([1, "a"], object)), "are object such as 1; .*encode th"),
        (lambda: empty(classes=np.array(["2020", "2021"], "M8[Y]")), r"are datetime64\[Y\]"),
        (lambda: empty(classes=np.array([b"a", b"b"])), r"classes are \|S1"),
        (in_a_state, "is an Unknown, which a file cannot keep; wanted Score or"),
    ],
)
def test_what_cannot_be_kept_is_refused(tmp_path, dag, message):
    with pytest.raises(TypeError, match=message):
        Model(dag()).save(tmp_path / "no.mddag")
    assert os.listdir(tmp_path) == []


def test_regressors_may_shift_means():
    ensemble = replace(whole_model().dag.ensemble, task=Regression())
    model = whole_model(
        dag=Dag(ensemble, whole_model().dag.policy, expected_evaluations=2.0),
        calibration=Calibration([0, 0, 1], [1.0, 2.0], [0.5, -0.5]),
        result=replace(RESULT, evaluation=Evaluation(1.0, 2.0, 3.0, 2.0)),
    )
    assert_equal_models(Model.from_bytes(model.to_bytes()), model)


@pytest.mark.parametrize("version", [0, 2, True, None])
def test_a_file_of_another_version_names_both(tmp_path, version):
    path = tmp_path / "other.mddag"
    path.write_bytes(rewritten(lambda metadata, _: metadata.update(version=version, more=[1])))
    message = rf"other.mddag'.*format version {version}, .* reads version 1"
    with pytest.raises(ModelFileError, match=message):
        load(path)
