"""``mddag validate``."""

import shutil

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.cli.validate import made_rows


def test_a_model_is_the_same_as_itself(run, folder):
    ended = run("validate", "sparse.mddag", "sparse.mddag", "--data", "rows.csv", "--json")
    assert ended.code == 0
    assert ended.fields["same"]
    assert [b["n_rows"] for b in ended.fields["batches"]] == [1000, 1000, 1800]


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_header_is_the_same_and_a_changed_one_is_not(run, folder):
    assert run("export", "sparse.mddag", "s.h").code == 0
    ended = run("validate", "sparse.mddag", "s.h", "--data", "rows.csv")
    assert (ended.code, "the same" in ended.out) == (0, True)
    text = (folder / "s.h").read_text()
    run_it = "model_run(x, sums, &exit_step);"
    (folder / "s.h").write_text(text.replace(run_it, f"{run_it} sums[0] = -sums[0];"))
    ended = run("validate", "sparse.mddag", "s.h")
    assert ended.code == 1
    assert "at thresholds, row 0: " in ended.out
    assert ended.out.strip().endswith("different")


def test_full_and_sparse_differ_by_what_is_allowed(run, folder):
    given = ("validate", "model.txt", "sparse.mddag", "--data", "rows.csv", "--json")
    ended = run(*given)
    assert ended.code == 1
    rows = pd.read_csv("rows.csv").drop(columns="label")
    full = mddag.compile(mddag.as_ensemble("model.txt"))
    labels = (full.scores(rows)[:, 0] > 0).astype(int)
    last = ended.fields["batches"][-1]
    assert last["n_different"] == (labels != mddag.load("sparse.mddag").predict(rows)).sum()
    first = last["different"][0]
    assert first["answer"] != first["other"]
    assert set(first["values"]) == {"x0", "x1", "x2", "x3", "town"}
    assert run(*given, "--allow", "0.5").code == 0


def test_predictions_of_the_program_itself(run, folder):
    assert run("predict", "sparse.mddag", "rows.csv", "-o", "p.csv").code == 0
    given = ("validate", "sparse.mddag", "--predictions", "p.csv")
    assert run(*given, "--data", "rows.csv").code == 0
    ended = run(*given)
    assert (ended.code, "give these by --data" in ended.line) == (2, True)
    ended = run("validate", "sparse.mddag")
    assert (ended.code, "wanted one of OTHER, --run" in ended.line) == (2, True)


def test_regressors(run, folder):
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    model = lightgbm.LGBMRegressor(n_estimators=5, n_jobs=1, verbose=-1).fit(X, X.sum(axis=1))
    model.booster_.save_model("r.txt")
    assert run("export", "r.txt", "r.h").code == 0
    assert run("validate", "r.txt", "r.h").code == 0
    assert run("validate", "r.txt", "r.h", "--tolerance", "0").code == 1
    ended = run("validate", "r.txt", "model.txt")
    assert (ended.code, "reads 5 features, the model 3" in ended.line) == (3, True)


def test_made_rows_are_at_thresholds_and_hold_missing_values(made):
    ensemble = mddag.as_ensemble(str(made / "model.txt"))
    batches = made_rows(ensemble, 400)
    filled = batches["at thresholds"].X
    assert not np.isnan(filled).any()
    assert np.isnan(batches["with missing values"].X).any()
    splits = ensemble.nodes[(ensemble.nodes["feature"] == 0) & (ensemble.nodes["n_words"] == 0)]
    assert np.isin(filled[:, 0], splits["threshold"]).any()
    assert set(filled[:, 4]) == {0, 1, 2}
