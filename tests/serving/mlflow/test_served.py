"""Served: the model as MLflow's tools call it."""

import pytest

import mddag
from mddag.serving.mlflow.served import OUTPUTS, Served, _load_pyfunc
from tests.messages.models import X, fast


@pytest.mark.parametrize("output", OUTPUTS)
def test_predict_is_the_method_that_was_chosen(output, tmp_path):
    fast().save(tmp_path / "model.mddag")
    served = _load_pyfunc(str(tmp_path / "model.mddag"), {"output": output})
    assert (served.predict(X, {}) == getattr(fast(), output)(X)).all()


def test_labels_by_default(tmp_path):
    fast().save(tmp_path / "model.mddag")
    assert _load_pyfunc(str(tmp_path / "model.mddag")).output == "predict"


def test_the_predictor_is_at_hand():
    predictor = fast().predictor()
    assert Served(predictor).get_raw_model() is predictor


def test_mlflow_finds_it_by_its_public_name():
    assert mddag.mlflow._load_pyfunc is _load_pyfunc
