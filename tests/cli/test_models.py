"""Model files of all libraries, opened."""

import numpy as np
import pytest

import mddag
from mddag.cli.exits import InputError, UsageError
from mddag.cli.models import is_ours, open_model
from mddag.cli.tables import Layout, Table, read_table


def test_a_model_of_lightgbm_evaluates_everything(made):
    opened = open_model(made / "model.txt")
    assert (opened.library, opened.ensemble.kind, len(opened.ensemble)) == (
        "LightGBM",
        "classifier",
        20,
    )
    table = read_table(made / "rows.csv", Layout(target="label"), opened.features)
    assert (opened.n_evaluated(table) == 20).all()
    assert set(opened.predict(table).tolist()) == {0, 1}
    assert opened.full is opened.source


def test_ours(made):
    sparse, boost = open_model(made / "sparse.mddag"), open_model(made / "boost.mddag")
    assert sparse.library == boost.library == "mddag"
    assert isinstance(boost.full, mddag.Ensemble)
    with pytest.raises(InputError, match="is sparse already; give the model that it was made of"):
        _ = sparse.full


def test_our_files_are_known_by_their_content(made, tmp_path):
    (tmp_path / "model.bin").write_bytes((made / "sparse.mddag").read_bytes())
    assert is_ours(tmp_path / "model.bin")
    assert not is_ours(made / "model.txt")
    assert open_model(tmp_path / "model.bin").library == "mddag"


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
        assert opened.predict(Table("", X)).shape == (200,)


def test_queries_are_asked_for(made):
    opened = open_model(made / "sparse.mddag")
    object.__setattr__(opened, "predictor", _OfQueries())
    with pytest.raises(UsageError, match="name their column by --qid"):
        opened.predict(Table("", np.zeros((1, 5))))


class _OfQueries:
    class model:  # noqa: N801
        class dag:  # noqa: N801
            needs_queries = True

    def predict(self, X, qid=None):
        raise AssertionError
