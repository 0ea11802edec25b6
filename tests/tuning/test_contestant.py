"""A contestant's candidates are judged against the reference, and their nodes are counted."""

from dataclasses import replace

import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.datasets import make_hastie_10_2

import mddag
from mddag.solvers import Margin, Portfolio, Prefix
from mddag.tuning.contestant import SPACING, Contestant
from mddag.tuning.node_prices import node_prices
from tests.tuning.few_shapes import model_of, rows_of


@pytest.fixture(scope="module")
def contestant():
    X, y = make_hastie_10_2(3000, random_state=0)
    made = LGBMClassifier(n_estimators=30, num_leaves=8, verbose=-1, n_jobs=1)
    model = model_of(made, rows_of(X, (y > 0).astype(int), proves=True))
    parts = model.parts
    return Contestant(model, parts.truth, parts.scores, node_prices(parts))


def test_simple_rules_are_spaced_and_counted(contestant):
    entries = contestant.simple()
    rows = contestant.parts.votes.rows(contestant.parts.seen)
    for entry in entries:
        assert entry.by == "seen"
        costs = entry.judgements.costs
        counted = contestant.prices.on(rows)
        wanted = [counted.under(policy).mean() for policy in entry.policies]
        np.testing.assert_allclose(costs, wanted)
        assert (np.diff(costs) < 0).all()
    n = [(p.actions == 0).sum() for p in entries[0].policies]
    assert max(n) == len(contestant.parts.ensemble)


@pytest.mark.parametrize("by", ["seen", "choosing"])
def test_the_whole_ensemble_loses_nothing_against_itself(contestant, by):
    judge = contestant.judge(by)
    found = judge.of_policy(judge.mdp.evaluate_all())
    assert found.differs[0] == 0
    rows = getattr(contestant.parts, by)
    wrong = contestant.parts.full != contestant.parts.truth
    assert found.losses[0] == pytest.approx(wrong[rows].mean())
    assert contestant.quality() == pytest.approx(wrong[contestant.parts.choosing].mean())


def test_simple_rules_are_judged_by_all_rows_that_do_not_certify(contestant):
    seen = contestant.parts.seen
    assert not np.intersect1d(seen, contestant.parts.certifying).size
    mdp = mddag.MDP(contestant.parts.votes.rows(seen), contestant.parts.truth[seen])
    for entry in contestant.simple():
        losses = [mdp.evaluate(policy).loss for policy in entry.policies]
        np.testing.assert_allclose(entry.judgements.losses, losses)


def test_a_solver_sends_its_front(contestant):
    solver = Portfolio(members=(Prefix(), Margin()), sizes=(), random_state=0)
    entry = contestant.solved(solver)
    assert entry.by == "choosing"
    assert len(entry.policies) == len(entry.judgements.costs) > 3
    assert SPACING > 1
    errors = entry.judgements.losses
    X = contestant.parts.votes.rows(contestant.parts.choosing)
    mdp = mddag.MDP(X, contestant.parts.truth[contestant.parts.choosing])
    for policy, error in zip(entry.policies, errors, strict=True):
        assert mdp.evaluate(policy).loss == pytest.approx(error)


def test_without_prices_evaluations_count(contestant):
    plain = replace(contestant, prices=None)
    assert plain.mean_cost(plain.parts.choosing) == len(plain.parts.ensemble)
    judge = plain.judge("choosing")
    assert judge.of_policy(judge.mdp.evaluate_all()).costs[0] == len(plain.parts.ensemble)
