"""``mddag train``."""

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.cli import train as module
from mddag.cli.exits import InputError
from mddag.cli.tables import Table
from mddag.learners import Tree


def test_the_model_is_that_of_the_library(run, folder):
    ended = run("train", "train.csv", "-t", "label", "-o", "b.mddag", "--rounds", "12",
                "--learner", "tree", "--leaves", "3", "--json")  # fmt: skip
    assert ended.code == 0
    assert ended.fields["n_rounds"] == 12
    rows = pd.read_csv("train.csv")
    X = rows.drop(columns="label").astype({"town": "category"})
    same = mddag.AdaBoostMHClassifier(
        Tree(3), n_rounds=12, calibration_fraction=0.1, random_state=0
    ).fit(X, rows["label"])
    served = mddag.load("b.mddag")
    assert (served.predict(X) == same.predict(X)).all()
    assert np.allclose(served.predict_proba(X), same.predict_proba(X), atol=1e-6)


def test_rows_for_boosting():
    frame = pd.DataFrame({"a": [1.0], "b": ["x"], "c": [True]})
    found = module.training_rows(Table("t", frame), patches=False)
    assert found.dtypes.astype(str).tolist() == ["float64", "category", "bool"]
    pictures = np.zeros((2, 4, 5), np.uint8)
    assert module.training_rows(Table("t", pictures), patches=False).shape == (2, 20)
    assert module.training_rows(Table("t", pictures), patches=True).shape == (2, 4, 5)
    with pytest.raises(InputError, match="haar wants grey patches"):
        module.training_rows(Table("t", frame), patches=True)
