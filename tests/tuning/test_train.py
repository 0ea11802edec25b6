"""train: the ensemble is trained for the knob, and rows that certify do nothing else."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mddag
from mddag.tuning import train as module
from mddag.tuning.shapes import Shape, shaped
from tests.tuning.few_shapes import QUIET, rows_of, small

pytestmark = pytest.mark.filterwarnings("ignore::mddag.DoubtfulResult")


@pytest.fixture(autouse=True)
def _few_shapes(monkeypatch):
    small(monkeypatch)


@pytest.fixture(scope="module")
def trained(hastie_rows):
    X, y, _, _ = hastie_rows
    with pytest.MonkeyPatch.context() as patch:
        small(patch)
        return mddag.train(LGBMClassifier(**QUIET), X, y, budget=40, objective="nodes")


def test_a_budget_of_nodes(trained, hastie_rows):
    _, _, X_new, y_new = hastie_rows
    assert trained.summary_.n_nodes <= 40
    assert trained.n_nodes(X_new).mean() == pytest.approx(trained.summary_.n_nodes, rel=0.2)
    assert trained.score(X_new, y_new) > 0.65
    assert set(trained.predict(X_new)) == {"in", "out"}


def test_what_was_tried_is_told(trained):
    names = [shape.name for shape in trained.trained_]
    assert len(names) == 8  # six of the grid, the given one, and a slower one
    assert any(name.startswith("as given") for name in names)
    assert sum(shape.chosen for shape in trained.trained_) == 1
    assert any(shape.kept for shape in trained.trained_)
    on_all_rows = [shape.trained for shape in trained.trained_]
    assert on_all_rows == sorted(on_all_rows, reverse=True)
    assert 3 <= sum(on_all_rows) <= 4
    assert all(shape.trained for shape in trained.trained_ if shape.kept or shape.chosen)
    assert trained.reference_.name in names
    assert trained.reference_.error == trained.summary_.full
    text = str(trained)
    assert text.startswith("MDDAGClassifier by train(budget=40): a sparse decision DAG\nnodes per")
    assert f"the full model ({trained.reference_.name})" in text


def test_it_is_saved_and_cloned(trained, hastie_rows, tmp_path):
    _, _, X_new, _ = hastie_rows
    trained.save(tmp_path / "trained.mddag")
    served = mddag.load(tmp_path / "trained.mddag")
    np.testing.assert_array_equal(served.predict(X_new), trained.predict(X_new))
    assert served.model.summary == trained.summary_
    clone(trained)


def test_the_same_seed_gives_the_same_model(trained, hastie_rows):
    X, y, X_new, _ = hastie_rows
    again = mddag.train(LGBMClassifier(**QUIET), X, y, budget=40, objective="nodes")
    np.testing.assert_array_equal(again.scores(X_new), trained.scores(X_new))


def test_a_bound_is_certified_by_rows_that_do_nothing_else(hastie_rows, monkeypatch):
    X, y, X_new, y_new = hastie_rows
    kept = {}
    certified = module.certified

    def spied(front, guarantee, seen, certifying):
        kept.update(front=front, certifying=certifying)
        return certified(front, guarantee, seen, certifying)

    monkeypatch.setattr(module, "certified", spied)
    fast = mddag.train(LGBMClassifier(**QUIET), X, y, max_loss=0.06)
    assert fast.promise_.bound == 0.06
    assert fast.summary_.rows == "certifying"
    parts = kept["front"].reference.parts
    others = np.concatenate([parts.learning, parts.choosing])
    assert not np.intersect1d(kept["certifying"], others).size
    assert len(others) + len(kept["certifying"]) == len(parts) == 1500
    assert len(kept["certifying"]) == fast.summary_.n_rows == 225
    assert fast.score(X_new, y_new) > 0.65


def test_what_is_told_of_rows_that_certify_is_what_the_model_does(hastie_rows):
    X, y, _, _ = hastie_rows
    estimator = HistGradientBoostingClassifier(max_iter=15, random_state=0)
    fast = mddag.train(estimator, X, y, max_loss=0.08, objective="nodes")
    at, told = rows_of(X, y, proves=True).certifying, fast.summary_
    assert told.n_rows == len(at)
    assert told.sparse == pytest.approx(1 - fast.score(X[at], y[at]))
    assert told.n_evaluated == pytest.approx(fast.n_evaluated(X[at]).mean())
    assert told.n_nodes == pytest.approx(fast.n_nodes(X[at]).mean())


def test_the_model_is_trained_on_all_rows_that_do_not_certify(trained, hastie_rows):
    X, y, X_new, _ = hastie_rows
    chosen = next(shape for shape in trained.trained_ if shape.chosen)
    n_leaves = None if chosen.name.startswith("as given") else int(chosen.name.split()[0])
    rate = None if n_leaves is None else float(chosen.name.split()[3].rstrip(","))
    shape = Shape(n_leaves, rate, chosen.n_rounds)
    wanted = mddag.as_ensemble(shaped(LGBMClassifier(**QUIET), shape).fit(X, y))
    wanted = wanted.truncated(chosen.n_rounds)
    np.testing.assert_array_equal(trained.ensemble_.scores(X_new), wanted.scores(X_new))


def test_a_class_of_two_rows_is_known_to_the_model(hastie_rows):
    X, y, X_new, _ = hastie_rows
    y = y.astype(object)
    y[:2] = "rare"
    fast = mddag.train(LGBMClassifier(**QUIET), X, y, beta=1e-4)
    assert fast.classes_.tolist() == ["in", "out", "rare"]
    assert set(fast.predict(X_new)) >= {"in", "out"}


@pytest.mark.parametrize("objective", ["evaluations", "nodes", "time"])
def test_prices(objective, hastie_rows):
    X, y, X_new, y_new = hastie_rows
    fast = mddag.train(LGBMClassifier(**QUIET), X, y, beta=1e-4, objective=objective)
    assert fast.score(X_new, y_new) > 0.7
    assert (fast.summary_.n_nodes is not None) == (objective == "nodes")
    assert fast.policy_.every == (16 if objective == "time" else 1)


def test_numbers():
    X, y = make_friedman1(1600, random_state=0)
    fast = mddag.train(None, X[:1000], y[:1000], max_loss=0.1)
    assert isinstance(fast, mddag.MDDAGRegressor)
    assert fast.score(X[1000:], y[1000:]) > 0.5
    assert fast.summary_.lost <= 0.1


def test_three_classes_and_a_frame_with_categories():
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = pd.Categorical(np.where(X[:, 0] > 5.5, "long", "short"))
    fast = mddag.train(
        LGBMClassifier(min_child_samples=5, **QUIET), frame, y, budget=10, objective="nodes"
    )
    assert fast.score(frame, y) > 0.9
    assert fast.predict(frame.iloc[:2]).shape == (2,)


@pytest.mark.parametrize(
    "estimator",
    [
        HistGradientBoostingClassifier(max_iter=15, random_state=0),
        RandomForestClassifier(12, random_state=0),
        mddag.AdaBoostMHClassifier(n_rounds=15, random_state=0),
        make_pipeline(StandardScaler(), LGBMClassifier(**QUIET)),
    ],
    ids=["hist", "forest", "adaboost", "pipeline"],
)
def test_other_libraries(estimator, hastie_rows):
    X, y, X_new, y_new = hastie_rows
    fast = mddag.train(estimator, X[:600], y[:600], beta=1e-3)
    assert fast.score(X_new, y_new) > 0.55
    assert not hasattr(estimator, "classes_")


def test_weights_reach_the_models(hastie_rows):
    X, y, X_new, _ = hastie_rows
    weight = np.where(y == "in", 50.0, 1.0)
    fast = mddag.train(LGBMClassifier(**QUIET), X, y, beta=1e-4, sample_weight=weight)
    assert np.mean(fast.predict(X_new) == "in") > 0.6


def test_nothing_within_the_budget_is_said(hastie_rows):
    X, y, _, _ = hastie_rows
    with pytest.warns(mddag.DoubtfulResult, match="there is no policy within budget=0.01"):
        mddag.train(LGBMClassifier(**QUIET), X, y, budget=0.01, objective="nodes")
