"""``mddag explain``."""

import pandas as pd
import pytest

import mddag


def test_the_explanation_is_that_of_the_library(run, folder):
    row = pd.read_csv("rows.csv").drop(columns="label").iloc[[3]]
    same = mddag.load("sparse.mddag").explain(row)
    ended = run("explain", "sparse.mddag", "rows.csv", "--row", "3", "--target", "label")
    assert ended.code == 0
    assert ended.out == f"{same}\n"
    fields = run("explain", "sparse.mddag", "rows.csv", "--row", "3", "--json").fields
    assert fields["prediction"] == same.prediction
    assert len(fields["steps"]) == same.n_evaluated


def test_a_picture(run, folder):
    pytest.importorskip("matplotlib")
    ended = run("explain", "sparse.mddag", "rows.csv", "--picture", "e.png")
    assert ended.code == 0
    assert (folder / "e.png").read_bytes().startswith(b"\x89PNG")
    ended = run("explain", "sparse.mddag", "rows.csv", "--picture", "e.doc")
    assert (ended.code, "wanted a name with .png" in ended.line) == (2, True)
