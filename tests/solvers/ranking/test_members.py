"""The members: how documents quit."""

import numpy as np
import pytest
from sklearn.base import clone

from mddag.solvers.ranking import (
    CapacityExits,
    PrefixExits,
    ProximityExits,
    QueryExits,
    RankExits,
    ScoreExits,
    UrgencyExits,
)
from tests import rankings

MEMBERS = [
    UrgencyExits,
    ProximityExits,
    ScoreExits,
    RankExits,
    CapacityExits,
    QueryExits,
    PrefixExits,
]


@pytest.mark.parametrize("member", MEMBERS)
def test_every_member_trades_loss_for_steps(member):
    found, problem = member().fit(rankings.problem()), rankings.problem(seed=3)
    blocks, gains = found.blocks(problem), found.gains(problem)
    knobs = member.knobs[:: max(len(member.knobs) // 25, 1)]
    runs = [found.run(blocks, problem.queries, knob) for knob in knobs]
    steps = np.array([s.mean() for _, s in runs])
    lost = np.array([problem.teacher_loss(r, gains).mean() for r, _ in runs])
    assert lost[steps >= steps.max() - 1e-9].min() < 0.02
    assert steps.min() < 30 < steps.max()
    assert np.corrcoef(steps, lost)[0, 1] < 0
    policy = found.policy(knobs[len(knobs) // 2])
    assert policy.n_steps == problem.n_steps


def test_more_queries_serve_order_and_readings_but_not_gains():
    problem, more = rankings.problem(), rankings.problem(200, seed=1)
    alone, together = UrgencyExits().fit(problem), UrgencyExits().fit(problem, more=more)
    assert (alone.state.readings.gain == together.state.readings.gain).all()
    assert not np.array_equal(alone.order, together.order)


def test_query_exits_quit_together():
    found, problem = QueryExits().fit(rankings.problem()), rankings.problem(seed=3)
    _, steps = found.run(found.blocks(problem), problem.queries, 1e-3)
    starts = problem.queries.starts[:-1]
    assert (np.minimum.reduceat(steps, starts) == np.maximum.reduceat(steps, starts)).all()
    assert len(set(steps.tolist())) > 1


def test_capacity_exits_keep_a_share_of_each_query():
    found, problem = CapacityExits().fit(rankings.problem()), rankings.problem(seed=3)
    power = 0.5
    _, steps = found.run(found.blocks(problem), problem.queries, (power, 1.0))
    for step in found.checks[:-1].tolist():
        gone_on = problem.queries.sums((steps > step).astype(float))
        kept = np.ceil(problem.queries.sizes * (1.0 + step / 8) ** -power)
        assert (gone_on <= kept).all()
        assert (gone_on >= 1).any()


def test_parameters():
    assert repr(UrgencyExits()) == "UrgencyExits(every=8, growth=0.2)"
    assert clone(ProximityExits(k=3)).k == 3
    with pytest.raises(ValueError, match="every is 4; wanted a whole number, 8 or more"):
        UrgencyExits(every=4)
