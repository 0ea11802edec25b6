"""The commands that use a model: predict, explain, inspect, report, export, bench."""

import io

import numpy as np
import pandas as pd
import pytest

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
    ended = run("predict", "sparse.mddag", "rows.csv", "-t", "label", "-o", "p.csv", "--json")
    predicted = pd.read_csv("p.csv")["prediction"]
    labels = pd.read_csv("rows.csv")["label"]
    assert ended.fields["error"] == np.mean(predicted != labels)
    told = run("predict", "model.txt", "rows.csv", "-t", "label", "--rows", "0:50")
    assert told.err.startswith("error: 0.")
    assert "prediction" in run("predict", "model.txt", "rows.csv", "--json").fields


def test_the_explanation_is_that_of_the_library(run, folder):
    row = pd.read_csv("rows.csv").drop(columns="label").iloc[[3]]
    same = mddag.load("sparse.mddag").explain(row)
    ended = run("explain", "sparse.mddag", "rows.csv", "--row", "3", "--target", "label")
    assert ended.code == 0
    assert ended.out == f"{same}\n"
    fields = run("explain", "sparse.mddag", "rows.csv", "--row", "3", "--json").fields
    assert fields["prediction"] == same.prediction
    assert len(fields["steps"]) == same.n_evaluated


def test_a_plot_of_an_explanation(run, folder):
    pytest.importorskip("matplotlib")
    ended = run("explain", "sparse.mddag", "rows.csv", "--plot", "e.png")
    assert ended.code == 0
    assert (folder / "e.png").read_bytes().startswith(b"\x89PNG")


def test_a_sparse_model(run, made):
    ended = run("inspect", made / "sparse.mddag")
    assert ended.code == 0
    assert "sparsify(beta=0.003)" in ended.out
    assert "category columns: town" in ended.out


def test_a_model_of_lightgbm_as_json(run, made):
    fields = run("inspect", made / "model.txt", "--json").fields
    assert (fields["library"], fields["kind"], fields["n_trees"]) == ("LightGBM", "classifier", 20)
    assert fields["feature_names"] == ["x0", "x1", "x2", "x3", "town"]
    assert fields["categories"] == {"town": ["bonn", "rome", "ulm"]}
    assert fields["policy"]["evaluates_all"]
    assert fields["result"] is None
    assert run("inspect", made / "sparse.mddag", "--json").fields["result"]["target"] == "beta"


def test_a_report_with_and_without_rows(run, folder):
    ended = run("report", "sparse.mddag", "rows.csv", "-t", "label", "-o", "r.html", "--json")
    assert ended.code == 0
    assert ended.fields["bytes"] == (folder / "r.html").stat().st_size
    page = (folder / "r.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "town" in page
    assert run("report", "sparse.mddag", "-o", "s.html").code == 0
    assert (folder / "s.html").stat().st_size < len(page)


def test_other_languages_by_the_end_of_the_name(run, folder):
    for name, language in (("Net.java", "java"), ("net.rs", "rust"), ("net.mjs", "javascript")):
        ended = run("export", "sparse.mddag", name, "--json")
        assert ended.fields["language"] == language
    ended = run("export", "sparse.mddag", "net.txt", "--language", "go", "--name", "net", "--json")
    assert ended.fields["language"] == "go"
    assert "package net" in (folder / "net.txt").read_text()


def test_tools_that_are_not_there(run, folder, monkeypatch):
    monkeypatch.setenv("PATH", str(folder))
    ended = run("export", "sparse.mddag", "net.wasm")
    assert (ended.code, "clang and wasm-ld" in ended.line) == (5, True)


def test_percentiles_of_three_things(run, made):
    ended = run("bench", made / "sparse.mddag", made / "rows.csv", "--batch", "100", "--json")
    assert ended.code == 0
    fields = ended.fields
    for name in ("load_ms", "one_row_us", "batch_ns_per_row"):
        times = [fields[name][p] for p in ("p50", "p90", "p99", "p99.9")]
        assert 0 < times[0] <= times[-1]
        assert times == sorted(times)
    assert fields["batch"] == 100
    assert 0 < fields["evaluations_per_row"] < 20
