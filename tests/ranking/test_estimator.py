"""MDDAGRanker: from rankers, regressors and classifiers, with queries all the way."""

import pickle
from io import BytesIO

import catboost
import joblib
import lightgbm
import numpy as np
import pandas as pd
import pytest
import sklearn
import xgboost
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mddag
from mddag import AdaBoostMHClassifier, MDDAGRanker
from mddag.learners import Tree
from mddag.metrics import MAP, NDCG
from mddag.ranking import ProximityExits
from mddag.solvers import Margin
from tests import rankings

X, Y, QID = rankings.documents(80, seed=11)
X_NEW, Y_NEW, QID_NEW = rankings.documents(60, seed=12)
FEW = {"n_estimators": 40, "random_state": 0}


def fitted(**given):
    return MDDAGRanker(FrozenEstimator(rankings.ranker()), random_state=0, **given).fit(X, Y, QID)


def test_a_fitted_ranker():
    model = fitted(beta=1e-4)
    readings = model.predict(X_NEW, QID_NEW)
    n_evaluated = model.n_evaluated(X_NEW, QID_NEW)
    assert readings.shape == n_evaluated.shape == (len(X_NEW),)
    assert n_evaluated.mean() < 60
    full = rankings.ranker().predict(X_NEW)
    metric = NDCG(10)
    assert metric(readings, Y_NEW, QID_NEW) > metric(full, Y_NEW, QID_NEW) - 0.02
    assert model.score(X_NEW, Y_NEW, QID_NEW) == metric(readings, Y_NEW, QID_NEW)
    trace = model.trace(X_NEW, QID_NEW)
    assert (trace.n_evaluated == n_evaluated).all()
    assert (trace.scores == model.scores(X_NEW, QID_NEW)).all()
    assert model.result_.evaluation.loss < 0.05
    assert model.result_.evaluation.n_evaluated == pytest.approx(n_evaluated.mean(), rel=0.2)


def test_queries_may_be_interleaved():
    model = fitted()
    mixed = np.random.default_rng(0).permutation(len(X_NEW))
    given = X_NEW[mixed], QID_NEW[mixed]
    assert (model.predict(*given) == model.predict(X_NEW, QID_NEW)[mixed]).all()
    names = np.array([f"q{q}" for q in QID_NEW])
    assert (model.predict(X_NEW, names) == model.predict(X_NEW, QID_NEW)).all()
    order = np.random.default_rng(1).permutation(len(X))
    other = clone(model).fit(X[order], Y[order], QID[order])
    assert other.n_evaluated(X_NEW, QID_NEW).mean() > 0


@pytest.mark.parametrize(
    "model",
    [
        lightgbm.LGBMRanker(**FEW, num_leaves=6, verbose=-1, n_jobs=1),
        xgboost.XGBRanker(**FEW, max_depth=3, n_jobs=1),
        catboost.CatBoostRanker(**FEW, depth=3, verbose=False, thread_count=1),
        lightgbm.LGBMRegressor(**FEW, num_leaves=6, verbose=-1, n_jobs=1),
        None,
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_that_are_trained_here(model):
    found = MDDAGRanker(model, beta=1e-4, random_state=0).fit(X, Y, QID)
    assert found.score(X_NEW, Y_NEW, QID_NEW) > 0.6
    assert found.n_evaluated(X_NEW, QID_NEW).mean() < len(found.ensemble_)
    assert found.ensemble_.kind == "ranker"


@pytest.mark.parametrize(
    "model",
    [
        xgboost.XGBRanker(**FEW, max_depth=3, n_jobs=1),
        xgboost.XGBRegressor(**FEW, max_depth=3, n_jobs=1, objective="count:poisson"),
        catboost.CatBoostRanker(**FEW, depth=3, verbose=False, thread_count=1),
        catboost.CatBoostRegressor(**FEW, depth=3, verbose=False, thread_count=1),
        HistGradientBoostingRegressor(max_iter=40, random_state=0, loss="poisson"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_that_are_fitted(model):
    """At no price the order is that of the model."""
    train, labels, qid = rankings.documents(100, seed=3)
    named = "qid" if "XGBR" in type(model).__name__ else "group_id"
    given = {named: qid} if "Ranker" in type(model).__name__ else {}
    trained = clone(model).fit(train, labels, **given)
    found = MDDAGRanker(FrozenEstimator(trained), beta=0.0, random_state=0).fit(X, Y, QID)
    full = NDCG(10)(np.asarray(trained.predict(X_NEW)), Y_NEW, QID_NEW)
    assert found.score(X_NEW, Y_NEW, QID_NEW) == pytest.approx(full, abs=2e-3)


def test_the_papers_way_sorts_by_expected_relevance():
    boost = AdaBoostMHClassifier(Tree(n_leaves=4), n_rounds=30, random_state=0)
    model = MDDAGRanker(boost, beta=1e-3, solver=Margin(), random_state=0).fit(X, Y, QID)
    relevance = model.predict(X_NEW, QID_NEW)
    shares = model.classifier_.predict_proba(X_NEW)
    np.testing.assert_allclose(relevance, shares @ np.arange(4.0))
    assert model.score(X_NEW, Y_NEW, QID_NEW) > 0.6
    assert (model.n_evaluated(X_NEW) == model.classifier_.n_evaluated(X_NEW)).all()
    assert model.rank(X_NEW, QID_NEW).shape == (len(X_NEW),)
    with pytest.raises(ValueError, match=r"use ranker.classifier_.predictor\(\)"):
        model.predictor()


def test_cross_validation_never_splits_a_query():
    model = MDDAGRanker(rankings.ranker().__class__(**FEW, verbose=-1, n_jobs=1), random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), model)
        for estimator in (model, pipeline):
            found = cross_validate(
                estimator,
                X,
                Y,
                cv=GroupKFold(3),
                params={"qid": QID, "groups": QID},
                error_score="raise",
            )
            assert (found["test_score"] > 0.5).all()


def test_a_pipeline_inside():
    pipeline = make_pipeline(StandardScaler(), HistGradientBoostingRegressor(max_iter=30))
    pipeline.fit(*rankings.documents(100, seed=3)[:2])
    model = MDDAGRanker(FrozenEstimator(pipeline), beta=1e-4, random_state=0).fit(X, Y, QID)
    assert model.score(X_NEW, Y_NEW, QID_NEW) > 0.6


def test_ctrl_c_leaves_the_estimator_as_it_was():
    model = fitted(beta=1e-4)
    before, readings = dict(vars(model)), model.predict(X_NEW, QID_NEW)
    model.set_params(solver=rankings.StoppedExits(stops=4))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y, QID)
    assert vars(model) == before | {"solver": model.solver}
    assert (model.predict(X_NEW, QID_NEW) == readings).all()
    fresh = MDDAGRanker(FrozenEstimator(rankings.ranker()), solver=rankings.StoppedExits(stops=4))
    with pytest.raises(KeyboardInterrupt):
        fresh.fit(X, Y, QID)
    assert not [name for name in vars(fresh) if name.endswith("_")]


def test_rows_of_any_layout():
    model = fitted(beta=1e-4)
    readings = model.predict(X_NEW, QID_NEW)
    twice = np.repeat(X_NEW, 2, axis=0)
    wide = np.repeat(X_NEW, 2, axis=1)
    for rows in (X_NEW.astype(np.float32), np.asfortranarray(X_NEW), twice[::2], wide[:, ::2]):
        assert (model.predict(rows, QID_NEW) == readings).all()
        assert (model.predictor().predict(rows, QID_NEW) == readings).all()


def test_frames():
    train, labels, qid = rankings.documents(100, seed=3)
    names = list("abcde")
    trained = lightgbm.LGBMRanker(**FEW, num_leaves=6, verbose=-1, n_jobs=1)
    trained.fit(pd.DataFrame(train, columns=names), labels, group=np.bincount(qid))
    frame, new = (pd.DataFrame(rows, columns=names) for rows in (X, X_NEW))
    model = MDDAGRanker(FrozenEstimator(trained), beta=1e-4, random_state=0)
    other_index = frame.index[::-1]
    model.fit(frame, pd.Series(Y, index=other_index), pd.Series(QID, index=other_index))
    readings = model.predict(new, pd.Series(QID_NEW).astype("category"))
    assert (clone(model).fit(frame, Y, QID).predict(new, QID_NEW) == readings).all()
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(new[names[::-1]], QID_NEW)
    for call in (
        lambda: model.predictor().predict(new[names[::-1]], QID_NEW),
        lambda: clone(model).fit(frame[names[::-1]], Y, QID),
        lambda: mddag.ranking.sparsify(trained, frame[names[::-1]], Y, qid=QID, beta=1e-4),
    ):
        with pytest.raises(ValueError, match="columns in another order"):
            call()


def test_queries_may_be_named_in_any_way():
    model = fitted(beta=1e-4)
    readings = model.predict(X_NEW, QID_NEW)
    names = pd.Series(QID_NEW.astype(str)).astype("category")
    far = QID_NEW.astype(np.uint64) + np.uint64(2**63)
    for given in (
        *(QID_NEW.astype(dtype) for dtype in (float, object, "U", "S")),
        *(QID_NEW.tolist(), -1 - QID_NEW, far, names),
        *(pd.Series(QID_NEW, index=QID_NEW[::-1]), pd.Series(QID_NEW).astype("Int64")),
    ):
        assert (model.predict(X_NEW, given) == readings).all()


def test_copies():
    model = fitted(beta=1e-4)
    readings = model.predict(X_NEW, QID_NEW)
    kept = BytesIO()
    joblib.dump(model, kept)
    for other in (
        clone(model).fit(X, Y, QID),
        clone(model).set_params(n_jobs=2).fit(X, Y, QID),
        pickle.loads(pickle.dumps(model)),
        joblib.load(kept),
    ):
        assert (other.predict(X_NEW, QID_NEW) == readings).all()
    parts = [np.flatnonzero(q == QID_NEW) for q in np.unique(QID_NEW)]
    one_by_one = [model.predict(X_NEW[part], QID_NEW[part]) for part in parts]
    assert (np.concatenate(one_by_one) == readings).all()


def test_small_queries_and_large_k():
    alone = np.arange(len(X_NEW))
    model = fitted(beta=1e-4)
    assert (model.n_evaluated(X_NEW, alone) == 8).all()  # one document: nothing to sort
    assert (model.rank(X_NEW, alone) == alone).all()
    one = np.zeros(len(X_NEW), int)
    assert (np.diff(model.predict(X_NEW, one)[model.rank(X_NEW, one)]) <= 0).all()
    large = np.zeros(40 * len(X_NEW), int)  # more documents than a block of rows holds
    rows = np.tile(X_NEW, (40, 1))
    assert (model.predict(rows, large) == model.trace(rows, large).scores[:, 0]).all()
    at_end = fitted(beta=1e-4, metric=NDCG(20)).predict(X_NEW, QID_NEW)  # the largest query
    for beyond in (NDCG(2**70), NDCG(None)):
        assert (fitted(beta=1e-4, metric=beyond).predict(X_NEW, QID_NEW) == at_end).all()
    far = fitted(beta=1e-4, solver=ProximityExits(k=2**70))
    assert far.predict(X_NEW, QID_NEW).shape == Y_NEW.shape
    many = rankings.documents(30, seed=1, largest=1)
    single = MDDAGRanker(FrozenEstimator(rankings.ranker()), random_state=0).fit(*many)
    assert (single.n_evaluated(X_NEW, alone) == 8).all()


def test_predictors_and_exports(tmp_path):
    model = fitted(beta=1e-4)
    loaded = model.predictor()
    for name in ("predict", "rank", "scores", "n_evaluated", "n_nodes"):
        found, wanted = (getattr(of, name)(X_NEW, QID_NEW) for of in (loaded, model))
        assert (found == wanted).all(), name
    with pytest.raises(ValueError, match=r"of a query \(an Urgency\), but a C header"):
        model.export(tmp_path / "ranker.h")
    with pytest.raises(ValueError, match="exported code reads one row at a time; use save"):
        loaded.export(tmp_path / "ranker.rs", "rust")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: fitted().predict(X_NEW), ValueError, "qid is missing"),
        (lambda: fitted().predict(X_NEW, QID_NEW[:3]), ValueError, r"qid has shape \(3,\)"),
        (lambda: fitted().predict_one(X_NEW[0]), ValueError, "one row"),
        (lambda: fitted().adopt(None, X, Y), TypeError, "there is no adopt"),
        (lambda: fitted(beta=-1.0), ValueError, "beta is -1.0"),
        (lambda: fitted(metric=MAP()), TypeError, "metric is an MAP"),
        (lambda: fitted(solver=Margin()), TypeError, "solver is a Margin"),
        (lambda: fitted(beta=np.nan), ValueError, "beta is nan"),
        (lambda: MDDAGRanker().fit(X, None, QID), ValueError, "labels are missing"),
        (lambda: MDDAGRanker().fit(X, Y), ValueError, "qid is missing"),
        (lambda: MDDAGRanker().fit(X[:4], Y[:4], [1, 1, 1, 2]), ValueError, "2 queries"),
    ],
)
def test_bad_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call()
