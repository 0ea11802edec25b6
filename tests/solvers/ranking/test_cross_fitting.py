"""Knobs judged by queries that a family was not fitted on."""

import numpy as np
import pytest

from mddag.solvers.ranking import ProximityExits, UrgencyExits
from mddag.solvers.ranking.cross_fitting import cross_fitted, front
from tests import rankings


def test_every_query_is_judged():
    problem = rankings.problem()
    found = cross_fitted(UrgencyExits(), problem, np.random.RandomState(0))
    assert found.losses.shape == (len(found.knobs), len(problem.queries))
    assert (np.diff(found.n_evaluated) <= 1e-9).all()
    assert found.losses[0].mean() < found.losses[-1].mean()
    assert found.label_losses.shape == found.losses.shape
    again = cross_fitted(UrgencyExits(), problem, np.random.RandomState(0))
    assert (again.losses == found.losses).all()


def test_without_labels():
    problem = rankings.problem(labels=False)
    found = cross_fitted(UrgencyExits(), problem, np.random.RandomState(0))
    assert found.label_losses is None


def test_pairs_of_knobs_become_a_front():
    found = cross_fitted(ProximityExits(k=3), rankings.problem(), np.random.RandomState(0))
    assert (np.diff(found.n_evaluated) < 0).all()
    assert (np.diff(found.losses.mean(axis=1)) >= 0).all()
    assert len(found.knobs) < len(ProximityExits.knobs)


def test_front():
    losses, costs = np.array([0.0, 0.1, 0.1, 0.2, 0.3]), np.array([9.0, 5.0, 4.0, 6.0, 1.0])
    assert front(losses, costs).tolist() == [0, 2, 4]


def test_one_query_is_too_few():
    with pytest.raises(ValueError, match="there is 1 query to learn from; wanted at least 2"):
        cross_fitted(UrgencyExits(), rankings.problem(1), np.random.RandomState(0))


def test_no_queries():
    problem = rankings.problem(1)
    with pytest.raises(ValueError, match="there are no queries to learn from"):
        cross_fitted(UrgencyExits(), problem.some(np.empty(0, np.intp)), np.random.RandomState(0))


def test_jobs_change_nothing():
    problem = rankings.problem(30)
    one, two = (
        cross_fitted(UrgencyExits(), problem, np.random.RandomState(0), n_jobs=n_jobs)
        for n_jobs in (None, 2)
    )
    for name in ("losses", "label_losses", "evaluations", "sizes"):
        assert (getattr(one, name) == getattr(two, name)).all()


def test_progress(capsys):
    given = UrgencyExits(), rankings.problem(20), np.random.RandomState(0)
    cross_fitted(*given)
    assert capsys.readouterr().err == ""
    cross_fitted(*given, verbose=True)
    shown = capsys.readouterr().err
    assert "UrgencyExits" in shown
    assert "5 of 5 folds judged" in shown


def test_ctrl_c_raises():
    for stops in (1, 2, 6):
        stopped = rankings.StoppedExits(stops=stops)
        with pytest.raises(KeyboardInterrupt):
            cross_fitted(stopped, rankings.problem(20), np.random.RandomState(0))
