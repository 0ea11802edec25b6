"""``mddag predict``."""

import io

import numpy as np
import pandas as pd

import mddag


def test_the_labels_are_those_of_the_library(run, made):
    ended = run("predict", made / "sparse.mddag", made / "rows.csv", "--proba", "--evaluations")
    assert ended.code == 0
    printed = pd.read_csv(io.StringIO(ended.out))
    served, rows = mddag.load(made / "sparse.mddag"), pd.read_csv(made / "rows.csv")
    X = rows.drop(columns="label")
    assert (printed["prediction"] == served.predict(X)).all()
    assert (printed[["p_0", "p_1"]].to_numpy() == served.predict_proba(X)).all()
    assert (printed["n_evaluated"] == served.n_evaluated(X)).all()


def test_files_and_errors(run, folder):
    ended = run("predict", "sparse.mddag", "rows.csv", "-t", "label", "-o", "p.npz", "--json")
    with np.load("p.npz") as archive:
        predicted = archive["prediction"]
    labels = pd.read_csv("rows.csv")["label"]
    assert ended.fields["error"] == np.mean(predicted != labels)
    run("predict", "model.txt", "rows.csv", "-o", "p.csv")
    assert len(pd.read_csv("p.csv")) == len(labels)
    told = run("predict", "model.txt", "rows.csv", "-t", "label", "--rows", "0:50")
    assert told.err.startswith("error: 0.")
    assert "prediction" in run("predict", "model.txt", "rows.csv", "--json").fields


def test_what_cannot_be_had_is_refused(run, made):
    ended = run("predict", made / "model.txt", made / "rows.csv", "--proba")
    assert (ended.code, "no calibrated probabilities" in ended.line) == (3, True)
    ended = run("predict", made / "model.txt", made / "rows.csv", "-o", "p.xlsx")
    assert (ended.code, "wanted a name with .csv or .npz" in ended.line) == (2, True)
