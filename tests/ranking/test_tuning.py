"""mddag.ranking.sparsify: budgets, prices and bounds, all by queries."""

import numpy as np
import pytest

import mddag
from mddag import DoubtfulResult, MDDAGRanker
from mddag.metrics import MAP, NDCG, MeanNDCG
from mddag.ranking import ProximityExits, UrgencyExits
from tests import rankings

X, Y, QID = rankings.documents(150, seed=21)
X_NEW, Y_NEW, QID_NEW = rankings.documents(150, seed=22)


def sparse(**given):
    asked = {"qid": QID} | given
    return mddag.ranking.sparsify(rankings.ranker(), X, asked.pop("y", Y), **asked)


def test_a_budget():
    for budget in (12, 25):
        model = sparse(budget=budget)
        assert isinstance(model, MDDAGRanker)
        assert model.n_evaluated(X_NEW, QID_NEW).mean() == pytest.approx(budget, rel=0.15)
    lines = str(model).splitlines()
    assert lines[0] == "Sparse decision DAG (MDDAGRanker, sparsify(budget=25))"
    assert "150 queries" in str(model)


def test_a_bound_on_what_is_lost_against_the_full_order():
    model = sparse(max_disagreement=0.02, y=None)
    assert model.result_.against == "model"
    assert model.result_.value == 0.02
    assert 8 < model.n_evaluated(X_NEW, QID_NEW).mean() < 60
    careful = sparse(max_disagreement=0.005, y=None)
    assert careful.result_.n_evaluated > model.result_.n_evaluated
    point = sparse(max_disagreement=0.02, y=None, confidence=None)
    assert point.result_.n_evaluated <= model.result_.n_evaluated
    full, metric = rankings.ranker().predict(X_NEW), NDCG(10)
    assert metric(full, Y_NEW, QID_NEW) - model.score(X_NEW, Y_NEW, QID_NEW) < 0.03


def test_a_bound_by_labels_and_a_price():
    assert sparse(max_loss=0.05).result_.n_evaluated < 60
    cheap, careful = (sparse(beta=beta).result_.n_evaluated for beta in (1e-2, 1e-6))
    assert cheap < careful


def test_training_rows_serve_the_order():
    train = rankings.documents(200, seed=1)
    model = sparse(budget=20, train_set=train[::2])
    assert not np.array_equal(model.policy_.order, sparse(budget=20).policy_.order)


def test_ensembles_metrics_and_solvers():
    ensemble = mddag.as_ensemble(rankings.ranker())
    given = {"qid": QID, "metric": MeanNDCG(), "budget": 30}
    model = mddag.ranking.sparsify(ensemble, X, Y, **given)
    assert model.n_evaluated(X_NEW, QID_NEW).mean() < 40
    other = sparse(budget=30, solver=ProximityExits(k=3))
    assert other.n_evaluated(X_NEW, QID_NEW).mean() < 40
    assert sparse(budget=40, solver=UrgencyExits(24)).policy_.every == 24


def test_time(tmp_path):
    """Eighty small trees are evaluated in less time than documents can be looked at."""
    model = sparse(max_disagreement=0.02, objective="time")
    assert model.result_.evaluates_all
    assert (model.n_evaluated(X_NEW, QID_NEW) == 80).all()
    model.save(tmp_path / "full")
    full = mddag.load(tmp_path / "full").predict(X_NEW, QID_NEW)
    np.testing.assert_allclose(full, rankings.ranker().predict(X_NEW), atol=1e-5)


def test_files_keep_the_result(tmp_path):
    model = sparse(max_disagreement=0.02)
    model.save(tmp_path / "ranker")
    assert mddag.load(tmp_path / "ranker").model.result == model.result_


def test_jobs_and_progress(capsys):
    readings = sparse(beta=1e-4).predict(X_NEW, QID_NEW)
    assert capsys.readouterr().err == ""
    other = sparse(beta=1e-4, n_jobs=2, verbose=True)
    assert "folds measured" in capsys.readouterr().err
    assert (other.predict(X_NEW, QID_NEW) == readings).all()


@pytest.mark.parametrize(("bound", "n"), [(0.005, 44), (0.3, 29)])
def test_a_bound_needs_queries(bound, n):
    with pytest.raises(ValueError, match=rf"{n} queries .*={bound} .* {n + 1} queries"):
        mddag.ranking.sparsify(rankings.ranker(), X, Y, qid=np.minimum(QID, n - 1), max_loss=bound)


def test_where_nothing_can_be_shown_the_full_model_is_returned():
    few = QID < 50
    given = rankings.ranker(), X[few], Y[few] % 2
    with pytest.warns(DoubtfulResult, match="50 certifying queries prove max_loss=0.0051"):
        model = mddag.ranking.sparsify(*given, qid=QID[few], max_loss=0.0051)
    assert model.result_.evaluates_all


def test_doubtful_results():
    few = QID < 8
    with pytest.warns(DoubtfulResult, match="8 queries"):
        mddag.ranking.sparsify(rankings.ranker(), X[few], Y[few], qid=QID[few], beta=1e-4)
    with pytest.warns(DoubtfulResult, match="the label 0"):
        sparse(beta=1e-4, y=0 * Y)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: sparse(), ValueError, "got none"),
        (lambda: sparse(beta=0.1, budget=3), ValueError, "beta=0.1, budget=3"),
        (lambda: sparse(budget=3), ValueError, "budget is 3"),
        (lambda: sparse(max_loss=0.01, y=None), ValueError, "max_loss .* y is not given"),
        (lambda: sparse(max_loss=0.0001), ValueError, "150 queries"),
        (lambda: sparse(max_loss=0.1, confidence=2), ValueError, "confidence is 2"),
        (lambda: sparse(beta=0.1, qid=None), ValueError, "qid is missing"),
        (lambda: sparse(beta=0.1, qid=QID[1:]), ValueError, "qid has shape"),
        (lambda: sparse(beta=0.1, qid=QID * 0), ValueError, "there is 1 query"),
        (lambda: sparse(beta=0.1, metric=MAP()), TypeError, "metric is an MAP"),
        (lambda: sparse(beta=0.1, solver=3), TypeError, "solver is 3"),
        (lambda: sparse(beta=0.1, objective="nodes"), ValueError, "objective is 'nodes'"),
        (lambda: sparse(beta=0.1, n_jobs=0), ValueError, "n_jobs is 0"),
        (lambda: sparse(beta=1, train_set=(X, [0])), ValueError, "of train_set, qid has shape"),
        (lambda: sparse(beta=0.1, y=Y - 9), ValueError, r"labels\[0\] is -"),
    ],
)
def test_bad_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: mddag.sparsify(rankings.ranker(), X, Y, budget=20),
        lambda: mddag.sparsify(rankings.ranker(), X, max_disagreement=0.01),
        lambda: mddag.sparsify(mddag.as_ensemble(rankings.ranker()), X, Y, beta=1, metric=NDCG()),
    ],
)
def test_the_sparsify_of_classifiers_names_that_of_rankers(call):
    with pytest.raises(TypeError, match=r"mddag\.ranking\.sparsify"):
        call()
