"""``mddag validate``, and what models answer, wherever they run."""

import shutil
import sys

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag.cli import validate as answers
from mddag.cli.models import open_model
from mddag.cli.output import InputError
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


@pytest.fixture(scope="module")
def rows(made):
    batches = made_rows(mddag.as_ensemble(str(made / "model.txt")), 300)
    return [batch.X.astype(np.float32) for batch in batches.values()]


def same(one, two, rows):
    return all((one(batch, None) == two(batch, None)).all() for batch in rows)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_headers_of_whole_numbers_and_of_regressors(tmp_path):
    sklearn = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(0)
    X = rng.integers(0, 50, (500, 3))
    model = sklearn.GradientBoostingRegressor(n_estimators=5).fit(X, X.sum(axis=1))
    dag = mddag.compile(mddag.as_ensemble(model))
    mddag.export(dag, tmp_path / "net.h", integer_thresholds=True)
    answer = answers.of_header(str(tmp_path / "net.h"), dag.ensemble)
    given = X.astype(np.float32)
    assert np.allclose(answer(given, None), dag.scores(given)[:, 0], atol=1e-4)


def test_a_program(made, rows, tmp_path):
    opened = open_model(made / "sparse.mddag")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, csv, mddag, numpy as np\n"
        f"model = mddag.load({str(made / 'sparse.mddag')!r})\n"
        "names, *rows = csv.reader(sys.stdin)\n"
        "assert names == ['x0', 'x1', 'x2', 'x3', 'town']\n"
        "X = np.array([[float(v) if v else np.nan for v in row] for row in rows])\n"
        "print(*model.predict(X), sep='\\n')\n"
    )
    answer = answers.of_command(f"{sys.executable} {program}", opened.ensemble)
    assert same(answers.of_model(opened), answer, rows)


def test_predictions(made, tmp_path):
    opened = open_model(made / "sparse.mddag")
    for content in ("prediction,p_1\n1,0.9\n0,0.1\n7,0.5\n", "label\n1\n0\n7\n"):
        (tmp_path / "p.csv").write_text(content)
        answer = answers.of_predictions(tmp_path / "p.csv", opened.ensemble)
        assert answer(np.zeros((3, 5)), None).tolist() == [1, 0, answers.UNKNOWN]


def test_labels_are_spelt_alike():
    ensemble = mddag.AdaBoostMHClassifier(n_rounds=1).fit([[0.0], [1.0]], [3, 4]).ensemble_
    found = answers.labels_to_codes(np.array(["3", "4.0", "five"]), ensemble)
    assert found.tolist() == [0, 1, answers.UNKNOWN]


def test_a_header_that_does_not_compile(made, tmp_path):
    opened = open_model(made / "sparse.mddag")
    mddag.export(opened.predictor, tmp_path / "net.h", name="net")
    text = (tmp_path / "net.h").read_text()
    (tmp_path / "net.h").write_text(text.replace("return", "retrun", 1))
    with pytest.raises(InputError, match="does not compile"):
        answers.of_header(str(tmp_path / "net.h"), opened.ensemble)
