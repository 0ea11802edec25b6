import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from mddag import MDP, AdaBoostMHClassifier, MDDAGClassifier
from mddag._utils.warnings import DoubtfulResult
from mddag.losses import Exponential, ZeroOne
from mddag.policy import Given
from mddag.policy.grid import Grid
from mddag.policy.policy import SKIP
from mddag.solvers import Sarsa, WatkinsQ
from mddag.solvers.values import Table

SMALL = {"solver": Sarsa(n_episodes=20_000, evaluate_every=1000), "random_state": 0}


def small(ensemble=None, **parameters):
    boost = AdaBoostMHClassifier(n_rounds=10) if ensemble is None else ensemble
    return MDDAGClassifier(boost, **(SMALL | parameters))


SPLIT = {
    "check_sample_weight_equivalence_on_dense_data": "rows are held out at random: a row of weight "
    "2 is in one part, two equal rows may be in both; and episodes draw rows at random"
}


@parametrize_with_checks([small(beta=0.001)], expected_failed_checks=lambda estimator: SPLIT)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X, y, random_state=0, stratify=y)


@pytest.fixture(scope="module")
def fitted(cancer):
    X, _, y, _ = cancer
    solver = Sarsa(n_episodes=100_000)
    boost = AdaBoostMHClassifier(n_rounds=100)
    return MDDAGClassifier(boost, beta=0.001, solver=solver, random_state=0).fit(X, y)


def test_few_evaluations_are_nearly_as_good_as_all(cancer, fitted):
    _, X, _, y = cancer
    full = np.mean(fitted.ensemble_.labels(fitted.ensemble_.scores(X)) != y)
    assert 1 - fitted.score(X, y) <= full + 0.08  # of 143 rows
    assert fitted.n_evaluated(X).mean() < 25


def test_predictions_agree_with_each_other(cancer, fitted):
    _, X, _, _ = cancer
    labels, proba = fitted.predict(X), fitted.predict_proba(X)
    np.testing.assert_array_equal(labels, fitted.classes_[proba.argmax(axis=1)])
    np.testing.assert_array_equal(labels, fitted.classes_[(fitted.decision_function(X) > 0) * 1])
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_the_trace_tells_what_was_evaluated(cancer, fitted):
    _, X, _, _ = cancer
    trace = fitted.trace(X)
    np.testing.assert_array_equal(trace.n_evaluated, fitted.n_evaluated(X))
    levelled = fitted.dag_.ensemble
    votes = levelled.votes(X).dense()[:, :, 0]
    for i in range(len(X)):
        wanted = levelled.bias[0] + votes[i, trace.path(i)].sum()
        assert abs(trace.scores[i, 0] - wanted) <= fitted.dag_.fixed_point.bound


def test_the_evaluation_is_that_of_the_policy_rows(fitted):
    evaluation = fitted.result_.evaluation
    assert evaluation.objective == pytest.approx(evaluation.loss + 0.001 * evaluation.cost)


@pytest.mark.parametrize("n_classes", [3, 10])
def test_several_classes(n_classes):
    X, y = load_digits(n_class=n_classes, return_X_y=True)
    solver = WatkinsQ(n_episodes=20_000)
    boost = AdaBoostMHClassifier(n_rounds=30)
    model = MDDAGClassifier(boost, beta=1e-3, solver=solver, random_state=0).fit(X, y)
    assert model.predict_proba(X).shape == (len(y), n_classes)
    assert model.decision_function(X).shape == (len(y), n_classes)
    assert model.score(X, y) > 2 / n_classes
    labels = model.predict(X)
    np.testing.assert_array_equal(labels, model.predict_proba(X).argmax(axis=1))


def test_a_frozen_ensemble_survives_clone(cancer):
    X, _, y, _ = cancer
    boost = AdaBoostMHClassifier(n_rounds=5).fit(X[:100], y[:100])
    again = clone(small(FrozenEstimator(boost))).fit(X, y)
    assert again.ensemble_ is boost.ensemble_


def test_without_skip_nothing_is_skipped(cancer):
    X, _, y, _ = cancer
    model = small(actions=("eval", "quit"), ordering=Given()).fit(X, y)
    assert not (model.policy_.actions == SKIP).any()
    for i in range(20):
        path = model.trace(X[i : i + 1]).path(0)
        np.testing.assert_array_equal(path, np.arange(len(path)))


def test_the_same_seed_gives_the_same_policy(cancer):
    X, _, y, _ = cancer
    first, second = small().fit(X, y), small().fit(X, y)
    np.testing.assert_array_equal(first.policy_.actions, second.policy_.actions)


def test_any_loss(cancer):
    X, _, y, _ = cancer
    for loss in (
        Exponential(),
        ZeroOne(weights=(1.0, 5.0)),
        lambda f, y: 1.0 * ((f[:, 0] > 0) != y),
    ):
        assert small(loss=loss).fit(X, y).result_.evaluation.loss >= 0


def test_frames_pipelines_grid_search_and_pickles(cancer):
    X, X_test, y, _ = cancer
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    model = small().fit(frame, y)
    assert model.feature_names_in_[0] == "c0"
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"c0": "other"}))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    pipeline = make_pipeline(StandardScaler(), small()).fit(X, y)
    assert pipeline.predict(X_test).shape == (len(X_test),)
    grid = {"beta": [0.1, 0.001], "ensemble__n_rounds": [3, 6]}
    search = GridSearchCV(small(), grid, cv=2).fit(X, y)
    assert search.best_params_["beta"] == 0.001


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"beta": -1}, "beta is -1"),
        ({"beta": np.nan}, "beta is nan"),
        ({"policy_rows": "test"}, "policy_rows is 'test'; wanted one of 'held_out', 'train'"),
        ({"grid": "fine"}, "grid is 'fine'; wanted one of 'quantile', 'uniform'"),
        ({"policy_fraction": 1.0}, "policy_fraction is 1.0"),
        ({"actions": ("skip", "quit")}, "wanted 'eval' and any of 'skip' and 'quit'"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"loss": "zero_one"}, "loss is 'zero_one'; wanted a callable"),
        ({"solver": "sarsa"}, "solver is 'sarsa'; wanted an object with solve"),
        ({"solver": Sarsa(rate=7)}, "rate is 7"),
    ],
)
def test_bad_parameters_are_named_before_any_work(cancer, parameters, message):
    X, _, y, _ = cancer

    class Untouched(AdaBoostMHClassifier):
        def fit(self, X, y):
            raise AssertionError("the ensemble was trained")

    with pytest.raises((TypeError, ValueError), match=message):
        small(Untouched(), **parameters).fit(X, y)


def test_a_failed_fit_leaves_the_model_as_it_was(cancer):
    X, X_test, y, _ = cancer
    model = small().fit(X, y)
    before = model.predict(X_test)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        model.fit(X[:, :3], y[:10])
    np.testing.assert_array_equal(model.predict(X_test), before)


def test_threads_do_not_matter(cancer, fitted):
    _, X, _, _ = cancer
    again = pickle.loads(pickle.dumps(fitted)).set_params(n_jobs=2)
    np.testing.assert_array_equal(again.scores(X), fitted.scores(X))
    np.testing.assert_array_equal(again.scores(X), fitted.trace(X).scores)


def test_identical_rows_and_few_rows_give_a_model():
    X = np.zeros((8, 2))
    y = np.array([0, 1] * 4)
    boost = AdaBoostMHClassifier(n_rounds=3).fit(np.arange(8.0).reshape(4, 2), [0, 0, 1, 1])
    assert small(FrozenEstimator(boost)).fit(X, y).predict(X).shape == (8,)
    with pytest.warns(DoubtfulResult, match="1 in all, have the label 0 alone"):
        one_row = small(FrozenEstimator(boost)).fit(X[:1], y[:1])
    assert one_row.predict(X[:1]).shape == (1,)


def test_the_paper_is_one_line(cancer):
    """The policy that one gets floor by floor: votes, MDP, SARSA, on the training rows."""
    X, X_test, y, _ = cancer
    boost = AdaBoostMHClassifier(n_rounds=20)
    changes = {"solver__n_episodes": 20_000, "solver__random_state": 3}
    paper = MDDAGClassifier.paper(boost, beta=0.01, **changes).fit(X, y)
    ensemble = AdaBoostMHClassifier(n_rounds=20).fit(X, y).ensemble_
    mdp = MDP(ensemble.votes(X), y, beta=0.01)
    solver = Sarsa(Table(128, running=False), n_episodes=20_000, random_state=3)
    policy = solver.solve(mdp)
    fewest = policy.on_fewest_cells()  # decides alike
    np.testing.assert_array_equal(paper.policy_.actions, fewest.actions)
    np.testing.assert_array_equal(paper.policy_.grid.edges, fewest.grid.edges)
    assert np.isin(fewest.grid.edges, Grid.uniform(mdp.votes).edges).all()
    np.testing.assert_array_equal(paper.policy_.order, np.arange(20))
    np.testing.assert_array_equal(paper.ensemble_.scores(X_test), ensemble.scores(X_test))
    assert paper.result_.evaluation == mdp.evaluate(policy)


def test_the_paper_can_be_changed_in_all_its_parts():
    paper = MDDAGClassifier.paper()
    solver = Sarsa(Table(128, running=False))  # footnote 1: divided by the sum of the alphas
    assert (paper.solver, paper.ordering, paper.policy_rows) == (solver, Given(), "train")
    assert clone(paper).get_params() == paper.get_params()
    other = MDDAGClassifier.paper(beta=0.1, loss=Exponential(), grid="quantile", random_state=1)
    assert (other.beta, other.loss, other.grid) == (0.1, Exponential(), "quantile")
    with pytest.raises(ValueError, match="Invalid parameter 'price'"):
        MDDAGClassifier.paper(price=0.1)
