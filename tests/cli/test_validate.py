"""``mddag validate``, and what models answer, wherever they run."""

import shutil
import sys

import numpy as np
import pandas as pd
import pytest

import mddag


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


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_header_that_does_not_compile(run, folder):
    assert run("export", "sparse.mddag", "net.h").code == 0
    text = (folder / "net.h").read_text()
    (folder / "net.h").write_text(text.replace("return", "retrun", 1))
    ended = run("validate", "sparse.mddag", "net.h")
    assert (ended.code, "does not compile" in ended.line) == (3, True)


def test_a_program(run, folder):
    """Rows as csv on its standard input, a label per line on its standard output."""
    (folder / "program.py").write_text(
        "import sys, csv, mddag, numpy as np\n"
        "model = mddag.load('sparse.mddag')\n"
        "names, *rows = csv.reader(sys.stdin)\n"
        "assert names == ['x0', 'x1', 'x2', 'x3', 'town']\n"
        "X = np.array([[float(v) if v else np.nan for v in row] for row in rows])\n"
        "print(*model.predict(X), sep='\\n')\n"
    )
    ended = run("validate", "sparse.mddag", "--run", f"{sys.executable} program.py", "--json")
    assert (ended.code, ended.fields["same"]) == (0, True)
