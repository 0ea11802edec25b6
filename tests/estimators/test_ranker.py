"""MDDAGRanker: from rankers, regressors and classifiers, with queries all the way."""

import catboost
import lightgbm
import numpy as np
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
from mddag.metrics import MAP, NDCG, MeanNDCG
from mddag.solvers import Margin
from mddag.solvers.ranking import ProximityExits
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
    assert model.evaluation_.loss < 0.05
    assert model.evaluation_.n_evaluated == pytest.approx(n_evaluated.mean(), rel=0.2)


def test_rank_is_the_order():
    model = fitted()
    order = model.rank(X_NEW, QID_NEW)
    readings = model.predict(X_NEW, QID_NEW)
    assert sorted(order) == list(range(len(X_NEW)))
    assert (QID_NEW[order] == QID_NEW).all()  # query by query
    inside = np.diff(QID_NEW) == 0
    assert (np.diff(readings[order])[inside] <= 0).all()


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


def test_groups_are_sizes_of_queries():
    model = MDDAGRanker(FrozenEstimator(rankings.ranker()), random_state=0)
    by_group = model.fit(X, Y, group=np.bincount(QID)).predict(X_NEW, QID_NEW)
    assert (by_group == fitted().predict(X_NEW, QID_NEW)).all()


@pytest.mark.parametrize(
    "model",
    [
        lightgbm.LGBMRanker(**FEW, num_leaves=6, verbose=-1, n_jobs=1),
        xgboost.XGBRanker(**FEW, max_depth=3, n_jobs=1),
        catboost.CatBoostRanker(**FEW, depth=3, verbose=False, thread_count=1),
        lightgbm.LGBMRegressor(**FEW, num_leaves=6, verbose=-1, n_jobs=1),
        HistGradientBoostingRegressor(max_iter=40, random_state=0),
        None,
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_that_are_trained_here(model):
    found = MDDAGRanker(model, beta=1e-4, random_state=0).fit(X, Y, QID)
    assert found.score(X_NEW, Y_NEW, QID_NEW) > 0.6
    assert found.n_evaluated(X_NEW, QID_NEW).mean() < len(found.ensemble_)
    assert found.ensemble_.kind == "ranker"


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


def test_metrics_and_solvers():
    for given in ({"metric": MeanNDCG()}, {"solver": ProximityExits(k=3)}):
        model = fitted(beta=1e-4, **given)
        assert model.n_evaluated(X_NEW, QID_NEW).mean() < 80


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


def test_files(tmp_path):
    model = fitted(beta=1e-4)
    model.save(tmp_path / "ranker.mddag")
    loaded = mddag.load(tmp_path / "ranker.mddag")
    readings = model.predict(X_NEW, QID_NEW)
    assert (loaded.predict(X_NEW, QID_NEW) == readings).all()
    assert (loaded.rank(X_NEW, QID_NEW) == model.rank(X_NEW, QID_NEW)).all()
    assert (loaded.n_evaluated(X_NEW, QID_NEW) == model.n_evaluated(X_NEW, QID_NEW)).all()
    with pytest.raises(ValueError, match=r"of a query \(an Urgency\), but a C header"):
        model.export_c(tmp_path / "ranker.h")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fitted().predict(X_NEW), "qid is missing; a ranker needs one query number"),
        (lambda: fitted().predict(X_NEW, QID_NEW[:3]), r"qid has shape \(3,\)"),
        (lambda: fitted().predict_one(X_NEW[0]), "one row has no prediction of its own"),
        (lambda: fitted(beta=-1.0), "beta is -1.0; wanted a finite price"),
        (lambda: MDDAGRanker().fit(X, Y), "qid is missing"),
        (lambda: MDDAGRanker().fit(X, Y, QID, group=[1]), "both qid and group are given"),
        (lambda: MDDAGRanker().fit(X, -Y, QID), "labels.* wanted one relevance label"),
        (lambda: MDDAGRanker().fit(X[:4], Y[:4], [1, 1, 1, 2]), "there are 2 queries, too few"),
        (
            lambda: MDDAGRanker(FrozenEstimator(rankings.ranker())).fit(X[:4], Y[:4], [1] * 4),
            "there is 1 query to learn from",
        ),
    ],
)
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_wrong_objects_are_refused():
    for given in ({"metric": MAP()}, {"solver": Margin()}):
        with pytest.raises(TypeError, match="wanted"):
            fitted(**given)
    with pytest.raises(TypeError, match="there is no adopt"):
        fitted().adopt(None, X, Y)
