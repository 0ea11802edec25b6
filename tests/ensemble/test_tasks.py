"""What holds of every task."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import r2_score, zero_one_loss

from mddag import Ensemble
from mddag.ensemble.tasks import TASKS, Classification, Regression
from mddag.losses import Hinge, OfMeans, Squared, ZeroOne


@pytest.mark.parametrize("kind", TASKS)
def test_an_ensemble_holds_the_task_of_its_kind(kind):
    ensemble = Ensemble.from_callables([abs], n_features=1, kind=kind)
    task = ensemble.task
    assert type(task) is TASKS[kind]
    assert (ensemble.kind, ensemble.link) == (kind, "identity")
    assert ensemble.classes is task.classes
    assert (task.classes is None) == (kind != "classifier")
    assert type(pickle.loads(pickle.dumps(task))) is type(task)


@pytest.mark.parametrize("kind", TASKS)
def test_predictions_are_one_for_each_row(kind):
    ensemble = Ensemble.from_callables([abs], n_features=1, kind=kind)
    scores = np.array([[-1.0], [2.0]])
    predictions = ensemble.task.predictions(scores)
    assert predictions.shape == (2,)
    codes = ensemble.task.coded(ensemble.task.checked_targets(predictions))
    loss = ensemble.task.loss(None)(scores, codes)
    assert loss.tolist() == [0.0, 0.0]
    assert ensemble.task.unit(None, codes, None) > 0


@pytest.mark.parametrize("kind", sorted(set(TASKS) - {"classifier"}))
def test_numbers_are_targets_without_classes(kind):
    task = TASKS[kind]()
    assert task.coded(np.array([1, 2])).dtype == np.float64
    assert task.labels(None, 1) is None
    with pytest.raises(ValueError, match=f"classes are given, but a {kind} has none; leave them"):
        task.labels(["a", "b"], 1)
    assert task.strata(np.array([1.0, 2.0])).tolist() == [0, 0]
    assert not task.soft_targets
    with pytest.raises(ValueError, match=f"a {kind} has no classes to choose from"):
        task.codes(np.zeros((1, 1)), 1)
    with pytest.raises(ValueError, match="NaN"):
        task.checked_targets([1.0, np.nan])


@pytest.mark.parametrize("kind", sorted(set(TASKS) - {"regressor"}))
def test_scores_of_others_than_regressors_are_no_means(kind):
    with pytest.raises(ValueError, match=f"the scores of a {kind} are no means"):
        TASKS[kind]().means(np.zeros((1, 1)))


two = Classification(classes=np.array(["no", "yes"]))
three = Classification(classes=np.array([3, 5, 9]))


def test_the_largest_score_wins_and_the_first_of_equal_ones():
    assert two.codes(np.array([[-1.0], [0.0], [1e-300]]), 1).tolist() == [0, 0, 1]
    scores = np.array([[1.0, 2, 2], [0, 0, 0], [0, 1, 3]])
    assert three.codes(scores, 3).tolist() == [1, 0, 2]
    assert three.predictions(scores).tolist() == [5, 3, 9]
    with pytest.raises(ValueError, match=r"scores are .*; wanted \(n, 3\)"):
        three.codes(scores[:, :2], 3)


def test_labels_that_the_ensemble_does_not_know_are_named():
    with pytest.raises(ValueError, match=r"label 7 \(row 1\), which the ensemble does not know"):
        three.coded(np.array([3, 7, 9]))
    codes = three.coded(np.array([9, 3]))
    assert (codes.tolist(), codes.dtype) == ([2, 0], np.intp)


def test_the_loss_is_zero_one_and_its_own_unit():
    assert two.loss(None) == ZeroOne()
    assert two.loss(Hinge()) == Hinge()
    assert two.unit(None, np.array([0, 1]), None) == 1.0


scores = np.array([[0.0], [1.5]])


def test_a_log_link_predicts_exponentials():
    np.testing.assert_array_equal(Regression().predictions(scores), scores[:, 0])
    log = Regression(link="exp")
    np.testing.assert_array_equal(log.means(scores), np.exp(scores[:, 0]))
    assert log.prediction_of_one(lambda x: x)(1.5) == log.predictions(scores)[1]
    assert log.calibrated == "log means"


def test_an_unknown_link_predicts_nothing():
    unknown = Regression(link="unknown")
    for predict in (
        unknown.require_predictions,
        lambda: unknown.predictions(scores),
        lambda: unknown.prediction_of_one(abs)(1.0),
    ):
        with pytest.raises(ValueError, match="neither its scores nor exp of them"):
            predict()


def test_the_loss_is_squared_and_in_units_of_the_variance():
    y, weight = np.array([1.0, 3.0]), np.array([3.0, 1.0])
    assert Regression().loss(None) == Squared()
    assert Regression(link="exp").loss(None) == OfMeans(Squared())
    assert Regression().unit(None, y, None) == np.var(y)
    assert Regression(link="exp").unit(None, y, None) == np.var(y)
    assert Regression().unit(None, y, weight) == 0.75
    assert Regression().unit(None, np.ones(3), None) == 1.0


def test_the_error_is_the_share_of_wrong_labels():
    got, truth = np.array(["a", "b", "b"]), np.array(["a", "a", "b"])
    assert two.quality(got, truth) == pytest.approx(zero_one_loss(truth, got))
    assert two.quality(got, truth, np.array([1.0, 2.0, 1.0])) == 0.5
    assert two.difference(got, truth) == two.quality(got, truth)


def test_r2_is_that_of_scikit_learn_and_not_defined_without_variance():
    truth, means = np.array([1.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.5])
    weight, task = np.array([1.0, 2.0, 0.5]), Regression()
    assert task.quality(means, truth) == pytest.approx(r2_score(truth, means))
    expected = r2_score(truth, means, sample_weight=weight)
    assert task.quality(means, truth, weight) == pytest.approx(expected)
    assert task.quality(np.zeros(3), np.ones(3)) is None
    assert task.difference(np.zeros(3), np.ones(3)) == 1.0
