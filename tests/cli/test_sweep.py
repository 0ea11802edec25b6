"""``mddag sweep``."""

from pathlib import Path

import pandas as pd
import pytest

import mddag
from mddag.solvers import Margin


def test_the_curve_is_that_of_the_library(run, folder):
    ended = run(
        "sweep", "model.txt", "rows.csv", "-t", "label", "-o", "c.csv", "--solver", "margin",
        "--betas", "0.01,0.001", "--test", "train.csv", "--models", "models", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    rows, test = pd.read_csv("rows.csv"), pd.read_csv("train.csv")
    curve = mddag.sweep(
        "model.txt", rows.drop(columns="label"), rows["label"], betas=[0.01, 0.001],
        X_test=test.drop(columns="label"), y_test=test["label"], solver=Margin(),
    )  # fmt: skip
    written = pd.read_csv("c.csv")
    for name in curve.columns:
        assert (written[name] == curve.columns[name]).all()
        assert ended.fields["columns"][name] == curve.columns[name].tolist()
    (first, _) = ended.fields["models"]
    served = mddag.load(first)
    cost = served.n_evaluated(test.drop(columns="label")).mean()
    assert cost == curve.test_n_evaluated[0]


def test_a_picture(run, folder):
    pytest.importorskip("matplotlib")
    how = ("--solver", "margin", "--betas", "0.01,0.001", "--picture", "c.png")
    ended = run("sweep", "model.txt", "rows.csv", "-t", "label", "-o", "c.csv", *how)
    assert ended.code == 0
    assert Path("c.png").read_bytes().startswith(b"\x89PNG")


def test_regressors(run, folder):
    lightgbm = pytest.importorskip("lightgbm")
    rows = pd.read_csv("rows.csv").fillna(0).drop(columns="town")
    X, y = rows[["x1", "x2", "x3"]], rows["x1"] * rows["x2"]
    model = lightgbm.LGBMRegressor(n_estimators=8, num_leaves=4, n_jobs=1, verbose=-1)
    model.fit(X[:600], y[:600]).booster_.save_model("numbers.txt")
    X.assign(y=y)[600:].to_csv("numbers.csv", index=False)
    how = ("-t", "y", "--solver", "prefix", "-q")
    ended = run("sweep", "numbers.txt", "numbers.csv", *how, "-o", "c.csv", "--models", "models")
    assert ended.code == 0, ended.err
    ended = run("sparsify", "numbers.txt", "numbers.csv", *how, "--budget", "5", "-o", "n.mddag")
    assert ended.code == 0, ended.err
    ended = run("predict", "n.mddag", "numbers.csv", "-t", "y", "-o", "p.csv", "--json")
    assert ended.fields["mean_squared_error"] < y.var()


def test_labels_are_needed(run, folder):
    ended = run("sweep", "model.txt", "rows.csv", "-o", "c.csv", "--drop", "label")
    assert (ended.code, "--target" in ended.line) == (2, True)
    ended = run("sweep", "model.txt", "rows.csv", "-o", "c.csv", "--models", "rows.csv")
    assert (ended.code, "which is a file" in ended.line) == (2, True)


def test_ctrl_c_leaves_the_file_as_it_was(run, folder, monkeypatch):
    """An interrupted command writes nothing and ends with the exit code of a shell."""

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    Path("c.csv").write_text("as before")
    monkeypatch.setattr(mddag, "sweep", interrupted)
    ended = run("sweep", "model.txt", "rows.csv", "-t", "label", "-o", "c.csv")
    assert (ended.code, "interrupted" in ended.line) == (130, True)
    assert Path("c.csv").read_text() == "as before"
