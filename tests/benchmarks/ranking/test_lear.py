"""LEAR: classifiers at check points."""

import numpy as np
import pytest

pytest.importorskip("lightgbm")
from benchmarks.ranking import lear
from mddag.metrics.ranking import Queries
from mddag.ranking import UrgencyExits
from tests import rankings


def fitted():
    train, (X, _, _) = rankings.problem(200, seed=1), rankings.documents(200, seed=1)
    return lear.Lear.fit(UrgencyExits().fit(train), X, train)


def test_documents_quit_at_check_points_below_the_threshold():
    found, problem = fitted(), rankings.problem()
    seen = found.seen(rankings.documents(seed=2)[0], problem)
    c = next(iter(found.classifiers))
    readings, steps, calls = found.run(seen, lear.Setting((c,), 0.3, 1.0))
    left = seen.shares[c] <= 0.3
    assert (calls == 1).all()
    assert 0 < left.mean() < 1
    assert (steps == np.where(left, found.family.checks[c], problem.n_steps)).all()
    assert readings[~left] == pytest.approx(problem.full[~left])
    assert (readings[left] == seen.readings[c, left]).all()


def test_who_has_left_calls_no_further_classifier_and_none_is_called_at_the_end():
    found, problem = fitted(), rankings.problem()
    seen = found.seen(rankings.documents(seed=2)[0], problem)
    first, second = list(found.classifiers)[:2]
    _, steps, calls = found.run(seen, lear.Setting((first, second), 0.3, 1.0))
    assert (calls == np.where(steps > found.family.checks[first], 2, 1)).all()
    end = found.family.checks[second] / problem.n_steps
    _, steps, calls = found.run(seen, lear.Setting((first, second), 0.3, end))
    assert steps.max() == found.family.checks[second]
    assert (calls == 1).all()


def test_the_classifier_knows_who_is_among_the_best():
    found, problem = fitted(), rankings.problem()
    shares = found.seen(rankings.documents(seed=2)[0], problem).shares
    best = lear.places(problem.full, problem.queries) < lear.K
    for share in shares.values():
        assert share[best].mean() > share[~best].mean() + 0.3


def test_features_tell_of_the_place():
    queries = Queries.of_sizes([3, 1])
    told = lear.features(np.zeros((4, 1)), np.array([1.0, 3.0, 2.0, 5.0]), queries)
    assert told[:, 2].tolist() == [2, 0, 1, 0]  # place
    assert told[:, 5].tolist() == [-2, 0, -1, 0]  # below the best
    assert told[:, 6].tolist() == [0, 2, 1, 0]  # above the tenth, here the last
