"""The commands that learn: sparsify, sweep and train."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.cli.learning import _met
from mddag.learners import Tree
from mddag.solvers import Margin

QUICK = ("--solver", "margin", "-t", "label", "-o", "s.mddag")


def test_the_model_is_that_of_the_library(run, folder):
    ended = run("sparsify", "model.txt", "rows.csv", *QUICK, "--budget", "8", "--json")
    assert ended.code == 0
    rows = pd.read_csv("rows.csv")
    X, y = rows.drop(columns="label"), rows["label"]
    same = mddag.sparsify("model.txt", X, y, budget=8, solver=Margin())
    served = mddag.load("s.mddag")
    assert (served.predict(X) == same.predict(X)).all()
    assert ended.fields["n_evaluated"] == same.result_.n_evaluated


def test_a_bound_that_only_the_full_model_meets_is_not_met(made):
    summary = mddag.load(made / "sparse.mddag").model.result
    full = replace(summary, n_evaluated=summary.n_classifiers)
    assert _met({"max_loss": 0.1}, summary)
    assert not _met({"max_loss": 0.1}, full)


def test_a_budget_that_nothing_meets_is_code_1(run, folder):
    ended = run("sparsify", "model.txt", "rows.csv", *QUICK, "--budget", "0.3")
    assert ended.code == 1
    assert ended.err.startswith("warning: ")
    assert mddag.load("s.mddag").model.result.n_evaluated == 0


def test_a_bound_with_and_without_confidence(run, folder):
    for confidence in ("0.9", "0"):
        ended = run(
            "sparsify", "model.txt", "rows.csv", *QUICK, "--max-disagreement", "0.1",
            "--confidence", confidence, "--json",
        )  # fmt: skip
        assert ended.code == 0
        assert ended.fields["confidence"] == (float(confidence) or None)


def test_without_labels(run, folder):
    ended = run("sparsify", "model.txt", "rows.csv", "--solver", "margin", "-o", "s.mddag",
                "--beta", "0.01", "--drop", "label", "--json")  # fmt: skip
    assert ended.fields["against"] == "model"


def test_rankers(run, folder):
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X, qid = rng.normal(size=(2000, 4)).round(2), np.repeat(np.arange(200), 10)
    y = np.clip((X[:, 0] + X[:, 1] + rng.normal(size=2000)).round(), 0, 2).astype(int)
    half = 100 * 10
    model = lightgbm.LGBMRanker(n_estimators=24, num_leaves=4, n_jobs=1, verbose=-1)
    model.fit(X[:half], y[:half], group=np.full(100, 10)).booster_.save_model("ranker.txt")
    np.savez("rank.npz", X=X[half:], y=y[half:], qid=qid[half:])
    ended = run("sparsify", "ranker.txt", "rank.npz", "--budget", "18", "-o", "r.mddag",
                "--metric", "ndcg:5", "--json")  # fmt: skip
    assert ended.code in (0, 1), ended.err
    assert ended.fields["kind"] == "ranker"
    assert run("predict", "r.mddag", "rank.npz", "--evaluations", "-q").code == 0
    np.savez("none.npz", X=X[half:])
    ended = run("predict", "r.mddag", "none.npz")
    assert (ended.code, "name their column by --qid" in ended.line) == (2, True)


def test_the_curve_is_that_of_the_library(run, folder):
    ended = run(
        "sweep", "model.txt", "rows.csv", "-t", "label", "-o", "c.csv", "--solver", "margin",
        "--betas", "0.01,0.001", "--test", "train.csv", "--json",
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


def test_a_plot_of_the_curve(run, folder):
    pytest.importorskip("matplotlib")
    how = ("--solver", "margin", "--betas", "0.01,0.001", "--plot", "c.png")
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
    ended = run("sweep", "numbers.txt", "numbers.csv", *how, "-o", "c.csv")
    assert ended.code == 0, ended.err
    ended = run("sparsify", "numbers.txt", "numbers.csv", *how, "--budget", "5", "-o", "n.mddag")
    assert ended.code == 0, ended.err
    ended = run("predict", "n.mddag", "numbers.csv", "-t", "y", "-o", "p.csv", "--json")
    assert ended.fields["mean_squared_error"] < y.var()


def test_ctrl_c_leaves_the_file_as_it_was(run, folder, monkeypatch):
    """An interrupted command writes nothing and ends with the exit code of a shell."""

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    Path("c.csv").write_text("as before")
    monkeypatch.setattr(mddag, "sweep", interrupted)
    ended = run("sweep", "model.txt", "rows.csv", "-t", "label", "-o", "c.csv")
    assert (ended.code, "interrupted" in ended.line) == (130, True)
    assert Path("c.csv").read_text() == "as before"


def test_boosting_is_that_of_the_library(run, folder):
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
