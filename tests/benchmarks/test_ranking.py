"""Exits that are baselines: they trade loss for steps, and run natively where kernels know them."""

import numpy as np
import pytest

import mddag
from benchmarks.ranking import lear
from benchmarks.ranking.baselines import (
    CapacityExits,
    PrefixExits,
    QueryExits,
    RankExits,
    ScoreExits,
)
from mddag.ranking import UrgencyExits
from mddag.serving.model_file import Model
from tests import rankings

pytest.importorskip("lightgbm")

MEMBERS = [
    (ScoreExits(), (-1.0, 1.0), True),
    (PrefixExits(), 0.5, True),
    (RankExits(k=3), (0.5, 1.0), False),
    (CapacityExits(), (0.3, 1.0), False),
    (QueryExits(), 1e-3, False),
]


@pytest.mark.parametrize(("exits", "setting", "has_kernel"), MEMBERS)
def test_exits(exits, setting, has_kernel):
    found = rankings.check_trade(exits)
    dag = mddag.compile(rankings.ensemble(), found.policy(setting))
    assert dag.by_query.has_kernel == has_kernel
    X, _, qid = rankings.documents(seed=5)
    rankings.check_steps(dag, X, qid)
    with pytest.raises(TypeError, match="which a file cannot keep"):
        Model(dag).to_bytes()


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
