"""``mddag train``."""

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.cli import train as module
from mddag.cli.check_points import CheckPoints
from mddag.cli.exits import InputError
from mddag.cli.output import Output
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


@pytest.mark.parametrize("early_stopping", [None, 3])
def test_stretches_and_check_points_change_nothing(monkeypatch, tmp_path, early_stopping):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = (X[:, 0] * X[:, 1] + rng.normal(size=400) > 0).astype(int)
    how = {"early_stopping": early_stopping, "random_state": 0}
    whole = mddag.AdaBoostMHClassifier(n_rounds=25, **how).fit(X, y)
    monkeypatch.setattr(module, "SECONDS", 1e-9)  # a stretch is one round, until it doubles
    monkeypatch.setattr(module, "LONGER", 0)

    class Stopped(CheckPoints):
        def save(self, name, arrays):
            super().save(name, arrays)
            if len(arrays["seconds"]) == 5:
                raise KeyboardInterrupt

    boost = mddag.AdaBoostMHClassifier(warm_start=True, **how)
    if early_stopping is None:
        with pytest.raises(KeyboardInterrupt):
            module._boost(Output(quiet=True), boost, 25, (X, y, None), Stopped(tmp_path))
        assert len(mddag.load(tmp_path / "rounds.mddag").model.dag.ensemble) == 4
    again = mddag.AdaBoostMHClassifier(warm_start=True, **how)
    module._boost(Output(quiet=True), again, 25, (X, y, None), CheckPoints(tmp_path))
    assert again.n_rounds_ == whole.n_rounds_
    assert (again.scores(X) == whole.scores(X)).all()
    assert again.calibration_.factors.tolist() == whole.calibration_.factors.tolist()


def test_rows_for_boosting():
    frame = pd.DataFrame({"a": [1.0], "b": ["x"], "c": [True]})
    found = module.training_rows(Table("t", frame), patches=False)
    assert found.dtypes.astype(str).tolist() == ["float64", "category", "bool"]
    pictures = np.zeros((2, 4, 5), np.uint8)
    assert module.training_rows(Table("t", pictures), patches=False).shape == (2, 20)
    assert module.training_rows(Table("t", pictures), patches=True).shape == (2, 4, 5)
    with pytest.raises(InputError, match="haar wants grey patches"):
        module.training_rows(Table("t", frame), patches=True)
