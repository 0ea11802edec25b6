"""sparsify of rankers: budgets, prices and bounds, all by queries."""

import numpy as np
import pytest

import mddag
from mddag import DoubtfulResult, MDDAGRanker
from mddag.metrics import MAP, NDCG, MeanNDCG
from mddag.solvers.ranking import ProximityExits, UrgencyExits
from tests import rankings

X, Y, QID = rankings.documents(150, seed=21)
X_NEW, Y_NEW, QID_NEW = rankings.documents(150, seed=22)


def sparse(**given):
    return mddag.sparsify(rankings.ranker(), X, given.pop("y", Y), **{"qid": QID} | given)


def test_a_budget():
    for budget in (12, 25):
        model = sparse(budget=budget)
        assert isinstance(model, MDDAGRanker)
        assert model.n_evaluated(X_NEW, QID_NEW).mean() == pytest.approx(budget, rel=0.15)
    lines = str(model).splitlines()
    assert lines[0] == "MDDAGRanker by sparsify(budget=25): a sparse decision DAG"
    assert "150 queries, each judged by a policy that it was not fitted on" in lines[1]
    assert "nothing; other queries may fare" in lines[3]
    assert "many queries at once" in lines[4]


def test_a_bound_on_what_is_lost_against_the_full_order():
    model = sparse(max_disagreement=0.02, y=None)
    assert model.summary_.measured_against == "model"
    assert model.promise_.bound == 0.02
    assert 8 < model.n_evaluated(X_NEW, QID_NEW).mean() < 60
    careful = sparse(max_disagreement=0.005, y=None)
    assert careful.summary_.n_evaluated > model.summary_.n_evaluated
    point = sparse(max_disagreement=0.02, y=None, confidence=None)
    assert point.summary_.n_evaluated <= model.summary_.n_evaluated
    gains = 2.0**Y_NEW - 1
    full, lost = rankings.ranker().predict(X_NEW), NDCG(10)
    assert lost(full, Y_NEW, QID_NEW) - model.score(X_NEW, Y_NEW, QID_NEW) < 0.03
    assert gains.max() > 0


def test_a_bound_by_labels_and_a_price():
    assert sparse(max_loss=0.05).summary_.n_evaluated < 60
    cheap, dear = (sparse(beta=beta).summary_.n_evaluated for beta in (1e-2, 1e-6))
    assert cheap < dear


def test_training_rows_serve_the_order():
    train = rankings.documents(200, seed=1)
    model = sparse(budget=20, X_train=train[0], qid_train=train[2])
    assert not np.array_equal(model.policy_.order, sparse(budget=20).policy_.order)


def test_regressors_and_metrics():
    regressor = mddag.as_ensemble(rankings.ranker())
    model = mddag.sparsify(regressor, X, Y, group=np.bincount(QID), metric=MeanNDCG(), budget=30)
    assert model.n_evaluated(X_NEW, QID_NEW).mean() < 40
    other = sparse(budget=30, solver=ProximityExits(k=3))
    assert other.n_evaluated(X_NEW, QID_NEW).mean() < 40


def test_time():
    """Eighty small trees are evaluated in less time than documents can be looked at."""
    model = sparse(max_disagreement=0.02, objective="time")
    assert model.summary_.evaluates_all
    assert (model.n_evaluated(X_NEW, QID_NEW) == 80).all()
    assert "that of evaluating everything" in str(model)


def test_files_keep_the_summary(tmp_path):
    model = sparse(max_disagreement=0.02)
    model.save(tmp_path / "ranker")
    loaded = mddag.load(tmp_path / "ranker")
    assert loaded.model.summary == model.summary_
    everything = sparse(max_disagreement=0.02, objective="time")
    everything.save(tmp_path / "full")
    full = mddag.load(tmp_path / "full").predict(X_NEW, QID_NEW)
    np.testing.assert_allclose(full, rankings.ranker().predict(X_NEW), atol=1e-5)


def test_too_few_queries():
    few = QID < 20
    words = r"20 queries are too few to promise max_disagreement=0.005 .*: it takes 45 or more"
    with pytest.raises(ValueError, match=words):
        mddag.sparsify(rankings.ranker(), X[few], qid=QID[few], max_disagreement=0.005)


def test_where_nothing_can_be_shown_the_full_model_is_returned():
    few = QID < 50
    with pytest.warns(DoubtfulResult, match="50 queries show max_loss=0.0051 for no policy"):
        model = mddag.sparsify(rankings.ranker(), X[few], Y[few] % 2, qid=QID[few], max_loss=0.0051)
    assert model.summary_.evaluates_all


def test_every_is_that_of_the_solver():
    assert sparse(budget=40, every=16).policy_.every == 16
    assert sparse(budget=40, every=16, solver=UrgencyExits()).policy_.every == 16
    assert sparse(budget=40, solver=UrgencyExits(24)).policy_.every == 24


def test_jobs_threads_and_progress(capsys):
    readings = sparse(beta=1e-4).predict(X_NEW, QID_NEW)
    assert capsys.readouterr().err == ""
    other = sparse(beta=1e-4, n_jobs=2, n_threads=2, verbose=True)
    assert "folds judged" in capsys.readouterr().err
    assert (other.predict(X_NEW, QID_NEW) == readings).all()


def test_doubts():
    few = QID < 8
    with pytest.warns(DoubtfulResult, match="the policy is chosen by 8 queries; wanted 10 or"):
        mddag.sparsify(rankings.ranker(), X[few], Y[few], qid=QID[few], beta=1e-4)
    with pytest.warns(DoubtfulResult, match="documents have the label 0, so every order"):
        sparse(beta=1e-4, y=0 * Y)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budget": 3}, "budget is 3, but policies evaluate 8.* base classifiers"),
        ({"budget": 20, "qid": None}, "qid is missing"),
        ({"max_loss": 0.01, "y": None}, "max_loss bounds the metric by labels, but y is not given"),
        ({"budget": 20, "loss": abs}, "loss is given, but a ranker has none here"),
        ({"budget": 20, "qid": QID[:5]}, r"qid has shape \(5,\)"),
    ],
)
def test_refused(given, message):
    with pytest.raises(ValueError, match=message):
        sparse(**given)


def test_metrics_without_gains_are_refused():
    with pytest.raises(TypeError, match="metric is an MAP; wanted NDCG"):
        sparse(budget=20, metric=MAP())
