"""Files of rows in all formats, and model files of all libraries."""

import gzip
import shutil

import numpy as np
import pandas as pd
import pytest

import mddag
from mddag import Features
from mddag.cli.models import open_model
from mddag.cli.output import InputError, UsageError
from mddag.cli.tables import Layout, read_table

ROWS = pd.DataFrame(
    {"a": [0.5, np.nan, 2.0, 3.0], "b": [1, 0, 0, 4], "y": [1, 0, 1, 0], "q": [7, 7, 9, 9]}
)


def test_csv_parquet_and_arrow_are_the_same(tmp_path):
    pytest.importorskip("pyarrow")
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    ROWS.to_csv(tmp_path / "rows.csv.gz", index=False)
    ROWS.to_csv(tmp_path / "rows.tsv", index=False, sep="\t")
    ROWS.to_parquet(tmp_path / "rows.parquet", index=False)
    ROWS.to_feather(tmp_path / "rows.feather")
    for path in tmp_path.iterdir():
        found = read_table(path, Layout(target="y", qid="q"))
        pd.testing.assert_frame_equal(found.X, ROWS[["a", "b"]])
        assert found.y.tolist() == [1, 0, 1, 0]
        assert found.qid.tolist() == [7, 7, 9, 9]


def test_npz(tmp_path):
    path, X = tmp_path / "rows.npz", np.arange(24).reshape(2, 3, 4)
    np.savez(path, X=X, y=np.array([0, 1]), qid=np.array([5, 5]), w=[1.0])
    found = read_table(path)
    assert (found.X == X).all()
    assert (found.y.tolist(), found.qid.tolist()) == ([0, 1], [5, 5])
    for wrong in (Layout(weight="w"), Layout(weight="v"), Layout(target="label")):
        with pytest.raises(InputError, match=r"of shape|no array"):
            read_table(path, wrong)
    assert read_table(path, features=Features(12)).X.shape == (2, 12)


def test_columns_of_the_model_in_its_order(tmp_path):
    ROWS.rename(columns={"a": "a b"}).to_csv(tmp_path / "rows.csv", index=False)
    found = read_table(tmp_path / "rows.csv", Layout(), Features(2, ("b", "a_b")))
    assert found.X.columns.tolist() == ["b", "a_b"]
    assert found.y is None


def test_numbers_that_are_categories_stay_text(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("zip,y\n01067,0\n80331,1\n")
    features = Features(1, ("zip",), {0: ("01067", "80331")})
    assert read_table(path, Layout(target="y"), features).X["zip"].tolist() == ["01067", "80331"]


def test_markers_of_missing_values_that_are_categories(run, tmp_path, monkeypatch):
    """NA is Namibia in a model that has this category; elsewhere it is a missing value."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    country = rng.choice(["NA", "None", "DE", "HU"], 800)
    rows = pd.DataFrame({"x": rng.normal(size=800), "country": pd.Categorical(country)})
    rows.loc[::7, "x"] = np.nan
    y = np.where((country == "NA") | (country == "HU"), "yes", "no")
    boost = mddag.AdaBoostMHClassifier(n_rounds=10).fit(rows[:400], y[:400])
    fast = mddag.sparsify(boost, rows[400:], y[400:], beta=1e-3, solver=mddag.solvers.Margin())
    fast.save("m.mddag")
    rows.to_csv("rows.csv", index=False, na_rep="NA")
    ended = run("predict", "m.mddag", "rows.csv", "-o", "p.csv")
    assert ended.code == 0, ended.err
    assert (pd.read_csv("p.csv")["prediction"] == fast.predict(rows)).all()


def test_two_columns_of_one_name_are_an_error(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b,a\n1,2,3\n")
    with pytest.raises(InputError, match="several columns of one name: a"):
        read_table(tmp_path / "rows.csv")


def test_columns_without_a_name_or_called_na_are_no_duplicates(run, made, tmp_path):
    rows = pd.read_csv(made / "rows.csv")
    head, *lines = rows.to_csv(index=False).splitlines()
    given = [f"{head},,,NA,null", *(f"{line},,,1,2" for line in lines)]
    (tmp_path / "more.csv").write_text("\n".join(given))
    ended = run("predict", made / "sparse.mddag", tmp_path / "more.csv", "-q")
    assert ended.code == 0, ended.err
    assert ended.out == run("predict", made / "sparse.mddag", made / "rows.csv", "-q").out


def test_some_rows_and_columns(tmp_path):
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    found = read_table(tmp_path / "rows.csv", Layout(target="y", rows="3:", drop=["b", "q"]))
    assert found.X.to_dict("list") == {"a": [3.0]}
    assert found.y.tolist() == [0]
    with pytest.raises(UsageError, match="ten"):
        read_table(tmp_path / "rows.csv", Layout(rows="ten"))


def test_ours(made):
    sparse, boost = open_model(made / "sparse.mddag"), open_model(made / "boost.mddag")
    assert sparse.library == boost.library == "mddag"
    assert isinstance(boost.full, mddag.Ensemble)
    with pytest.raises(InputError, match="is sparse already; give the model that it was made of"):
        _ = sparse.full


def test_xgboost_and_catboost(tmp_path):
    xgboost, catboost = pytest.importorskip("xgboost"), pytest.importorskip("catboost")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    xgboost.XGBClassifier(n_estimators=3).fit(X, y).save_model(tmp_path / "m.ubj")
    model = catboost.CatBoostClassifier(
        iterations=3, verbose=0, allow_writing_files=False, thread_count=1
    )
    model.fit(X, y).save_model(tmp_path / "m.cbm")
    for name, library in (("m.ubj", "XGBoost"), ("m.cbm", "CatBoost")):
        opened = open_model(tmp_path / name)
        assert opened.library == library
        assert opened.predictor.predict(X).shape == (200,)


# Every command on real files, where they are.


lightgbm = pytest.importorskip("lightgbm")


def test_adult_with_categories_from_csv(run, data, tmp_path, monkeypatch):
    """The official split; labels are text."""
    monkeypatch.chdir(tmp_path)
    rows = pd.read_csv(data.HERE / "adult.csv.gz", keep_default_na=False)
    rows.to_csv("adult.csv.gz", index=False)
    first = int((rows["is_test"] == 0).sum())
    assert (rows["is_test"][first:] == 1).all()
    how = ("-t", "income", "--drop", "is_test", "--rows", "0:6000", "--rounds", "30")
    assert run("train", "adult.csv.gz", *how, "-o", "boost.mddag").code == 0
    fields = run("inspect", "boost.mddag", "--json").fields
    assert "Private" in fields["categories"]["workclass"]
    assert fields["classes"] == ["<=50K", ">50K"]
    rest = ("-t", "income", "--rows", f"{first}:")
    found = run("predict", "boost.mddag", "adult.csv.gz", *rest, "-o", "p.csv", "--json")
    assert found.fields["error"] < 0.2
    some = ("-t", "income", "--rows", "6000:10000")
    how = ("--solver", "margin", "--budget", "12", "-o", "sparse.mddag")
    ended = run("sparsify", "boost.mddag", "adult.csv.gz", *some, *how)
    assert ended.code == 0, ended.err
    if shutil.which("cc"):
        assert run("export", "sparse.mddag", "s.h").code == 0
        ended = run("validate", "sparse.mddag", "s.h", "--data", "adult.csv.gz", *rest)
        assert ended.code == 0, ended.out


def test_faces_as_patches(run, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = data.vj_faces()
    np.savez("faces.npz", X=X[::20], y=y[::20])
    how = ("--learner", "haar", "--rounds", "5")
    ended = run("train", "faces.npz", *how, "-o", "f.mddag")
    assert ended.code == 0, ended.err
    found = run("predict", "f.mddag", "faces.npz", "-t", "y", "-o", "p.csv", "--json")
    assert found.fields["error"] < 0.1
    with gzip.open(data.HERE / "adult.csv.gz") as file:  # rows of another kind
        (tmp_path / "a.csv").write_bytes(file.read(20_000).rsplit(b"\n", 1)[0])
    ended = run("predict", "f.mddag", "a.csv")
    assert ended.code == 3
    assert ended.line
