"""``mddag sparsify``."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.cli.sparsify import _met
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
    assert ended.fields["n_evaluated"] == same.summary_.n_evaluated


def test_ours_is_made_sparse_too(run, folder):
    ended = run("sparsify", "boost.mddag", "rows.csv", *QUICK, "--beta", "0.01")
    assert (ended.code, "written: s.mddag" in ended.out) == (0, True)


def test_a_budget_that_nothing_meets_is_code_1(run, folder):
    ended = run("sparsify", "model.txt", "rows.csv", *QUICK, "--budget", "0.3")
    assert ended.code == 1
    assert ended.err.startswith("warning: ")
    assert mddag.load("s.mddag").model.summary.n_evaluated == 0


def test_a_bound_that_only_the_full_model_meets_is_not_met(made):
    summary = mddag.load(made / "sparse.mddag").model.summary
    full = replace(summary, n_evaluated=summary.n_classifiers)
    assert _met("max_loss", 0.1, summary)
    assert not _met("max_loss", 0.1, full)
    assert _met("beta", 0.1, full)


def test_a_bound_with_and_without_confidence(run, folder):
    for confidence in ("0.9", "0"):
        ended = run(
            "sparsify", "model.txt", "rows.csv", *QUICK, "--max-disagreement", "0.1",
            "--confidence", confidence, "--json",
        )  # fmt: skip
        assert ended.code == 0
        assert ended.fields["confidence"] == (float(confidence) or None)


def test_labels_as_text(run, folder):
    rows = pd.read_csv("rows.csv")
    rows["label"] = np.where(rows["label"] == 1, "yes", "no")
    rows.to_csv("text.csv", index=False)
    ended = run("sparsify", "model.txt", "text.csv", *QUICK, "--beta", "0.01")
    assert ended.code == 3
    ended = run("sparsify", "model.txt", "text.csv", *QUICK, "--beta", "0.01", "--encode-labels")
    assert ended.code == 0


def test_without_labels(run, folder):
    ended = run("sparsify", "model.txt", "rows.csv", "--solver", "margin", "-o", "s.mddag",
                "--beta", "0.01", "--drop", "label", "--json")  # fmt: skip
    assert ended.fields["measured_against"] == "model"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ([], "got none; wanted exactly one of --beta, --budget"),
        (["--beta", "1", "--budget", "2"], "got --beta, --budget"),
        (["--budget", "0"], "--budget is 0; wanted a number above 0"),
        (["--beta", "1", "--objective", "beauty"], "--objective is 'beauty'"),
        (["--max-loss", "0.1", "--confidence", "0.2"], "--confidence is 0.2"),
        (["--beta", "-1"], "Invalid value for '--beta'"),
        (["--beta", "1", "--threads", "0"], "--threads is 0"),
        (["--beta", "1", "--metric", "beauty"], "--metric is 'beauty'"),
    ],
)
def test_options_that_make_no_sense(run, folder, options, line):
    ended = run("sparsify", "model.txt", "rows.csv", *QUICK, *options)
    assert (ended.code, line in ended.line) == (2, True), ended.err


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
