"""What holds of every task."""

import pickle

import numpy as np
import pytest

from mddag import Ensemble
from mddag.ensemble.tasks import TASKS, Classification


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


def test_a_task_is_a_classification_unless_it_is_said():
    ensemble = Ensemble.from_callables([abs], n_features=1)
    assert isinstance(ensemble.task, Classification)
