"""Every command on real files, where they are."""

import gzip
import shutil

import numpy as np
import pandas as pd
import pytest

import mddag

lightgbm = pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def electricity(data, tmp_path_factory):
    """Its file as it is, and a model of LightGBM on the first rows."""
    folder = tmp_path_factory.mktemp("electricity")
    shutil.copy(data.HERE / "electricity.npz", folder / "rows.npz")
    X, y = data.electricity()
    model = lightgbm.LGBMClassifier(n_estimators=60, num_leaves=8, n_jobs=1, verbose=-1)
    model.fit(X[:5000], y[:5000]).booster_.save_model(folder / "model.txt")
    return folder


def test_all_commands_on_electricity(run, electricity, monkeypatch):
    monkeypatch.chdir(electricity)
    policy, fresh = ("--rows", "5000:9000"), ("--rows", "9000:12000")
    how = ("--solver", "margin", "--max-disagreement", "0.05", "--json")
    made = run("sparsify", "model.txt", "rows.npz", *policy, *how, "-o", "sparse.mddag")
    assert made.code == 0, made.err
    assert made.fields["n_evaluated"] < 60
    wrong = run("predict", "sparse.mddag", "rows.npz", *fresh, "-t", "y", "-o", "p.csv", "--json")
    assert wrong.fields["error"] < 0.3
    assert run("inspect", "sparse.mddag").code == 0
    assert run("explain", "sparse.mddag", "rows.npz", "--row", "9000").code == 0
    assert run("report", "sparse.mddag", "rows.npz", *fresh, "-o", "r.html").code == 0
    assert run("export", "sparse.mddag", "s.h").code == 0
    if shutil.which("cc"):
        assert run("validate", "sparse.mddag", "s.h", "--data", "rows.npz", *fresh).code == 0
    few = ("--loads", "2", "--singles", "100", "--batches", "2")
    assert run("bench", "sparse.mddag", "rows.npz", *fresh, *few).code == 0
    swept = run("sweep", "model.txt", "rows.npz", *policy, "--solver", "margin", "-o", "c.csv")
    assert swept.code == 0
    how = ("--rows", "0:3000", "--rounds", "20")
    assert run("train", "rows.npz", *how, "-o", "boost.mddag").code == 0


def test_adult_with_categories_from_csv(run, data, tmp_path, monkeypatch):
    """The official split, by a column of the file; labels are text."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(data.HERE / "adult.csv.gz", "adult.csv.gz")
    how = ("-t", "income", "--where", "is_test=0", "--rows", "0:6000", "--rounds", "30")
    assert run("train", "adult.csv.gz", *how, "-o", "boost.mddag").code == 0
    fields = run("inspect", "boost.mddag", "--json").fields
    assert "Private" in fields["categories"]["workclass"]
    assert fields["classes"] == ["<=50K", ">50K"]
    rest = ("-t", "income", "--where", "is_test=1")
    found = run("predict", "boost.mddag", "adult.csv.gz", *rest, "-o", "p.csv", "--json")
    assert found.fields["error"] < 0.2
    how = ("--solver", "margin", "--budget", "12", "--rows", "0:4000", "-o", "sparse.mddag")
    ended = run("sparsify", "boost.mddag", "adult.csv.gz", *rest, *how)
    assert ended.code == 0, ended.err
    if shutil.which("cc"):
        assert run("export", "sparse.mddag", "s.h").code == 0
        ended = run("validate", "sparse.mddag", "s.h", "--data", "adult.csv.gz", *rest)
        assert ended.code == 0, ended.out


def test_bank_by_its_delimiter(run, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(data.HERE / "bank_additional_full.csv.gz", "bank.csv.gz")
    ended = run("train", "bank.csv.gz", "-t", "y", "-o", "b.mddag")
    assert (ended.code, "--delimiter ';'" in ended.line) == (3, True)
    how = ("--delimiter", ";", "--rows", "0:4000", "--rounds", "10")
    assert run("train", "bank.csv.gz", "-t", "y", "-o", "b.mddag", *how).code == 0


def test_mq2008_with_queries(run, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parts = data.mq2008(fold=1)
    X, y, qid = parts["train"]
    model = lightgbm.LGBMRanker(n_estimators=40, num_leaves=8, n_jobs=1, verbose=-1)
    sizes = np.diff(np.flatnonzero(np.r_[True, qid[1:] != qid[:-1], True]))
    model.fit(X, y, group=sizes).booster_.save_model("ranker.txt")
    X, y, qid = parts["vali"]
    np.savez("vali.npz", X=X, y=y, qid=qid)
    ended = run("sparsify", "ranker.txt", "vali.npz", "--budget", "25", "-o", "r.mddag", "-q")
    assert ended.code == 0, ended.err
    ended = run("predict", "r.mddag", "vali.npz", "--evaluations", "-o", "p.csv", "-q")
    assert ended.code == 0
    same = mddag.load("r.mddag").predict(X, qid)
    assert (pd.read_csv("p.csv")["prediction"].to_numpy() == same).all()


def test_other_formats_of_letter(run, data, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    X, y, _ = data.letter()
    frame = pd.DataFrame(X[:3000], columns=[f"f{i}" for i in range(16)]).assign(
        letter=[chr(65 + k) for k in y[:3000]]
    )
    frame.to_parquet("rows.parquet")
    frame.to_feather("rows.arrow")
    frame.to_csv("rows.csv.gz", index=False)
    how = ("-t", "letter", "--rounds", "5", "--learner", "tree")
    assert run("train", "rows.parquet", *how, "-o", "b.mddag").code == 0
    printed = {
        name: run("predict", "b.mddag", name, "-t", "letter", "-q").out
        for name in ("rows.parquet", "rows.arrow", "rows.csv.gz")
    }
    assert len(set(printed.values())) == 1


def test_faces_as_patches(run, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = data.vj_faces()
    np.savez("faces.npz", X=X[::20], y=y[::20])
    how = ("--learner", "haar", "--rounds", "5", "--calibration-fraction", "0")
    ended = run("train", "faces.npz", *how, "-o", "f.mddag")
    assert ended.code == 0, ended.err
    found = run("predict", "f.mddag", "faces.npz", "-t", "y", "-o", "p.csv", "--json")
    assert found.fields["error"] < 0.1
    with gzip.open(data.HERE / "adult.csv.gz") as file:  # rows of another kind
        (tmp_path / "a.csv").write_bytes(file.read(20_000).rsplit(b"\n", 1)[0])
    ended = run("predict", "f.mddag", "a.csv")
    assert ended.code == 3
    assert ended.line
