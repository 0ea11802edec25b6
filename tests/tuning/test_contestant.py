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
from mddag.tuning.shape_models import ShapeModel, TrainingRows
from mddag.tuning.shapes import Shape


@pytest.fixture(scope="module")
def contestant():
    X, y = make_hastie_10_2(3000, random_state=0)
    y = (y > 0).astype(int)
    rows = TrainingRows(X, y, None, np.arange(1000), np.arange(1000, 3000), (0.5, 0.5, 0.0), 0)
    made = LGBMClassifier(n_estimators=30, num_leaves=8, verbose=-1, n_jobs=1)
    model = ShapeModel.of(Shape(), made.fit(X[:1000], y[:1000]), rows)
    parts = model.parts
    return Contestant(model, parts.truth, parts.scores, node_prices(parts))


def test_simple_rules_are_spaced_and_counted(contestant):
    entries = contestant.simple()
    rows = contestant.parts.votes.rows(contestant.parts.choosing)
    for entry in entries:
        costs = entry.judgements.costs
        counted = contestant.prices.on(rows)
        wanted = [counted.under(policy).mean() for policy in entry.policies]
        np.testing.assert_allclose(costs, wanted)
        assert (np.diff(costs) < 0).all()
    n = [(p.actions == 0).sum() for p in entries[0].policies]
    assert max(n) == len(contestant.parts.ensemble)


def test_the_whole_ensemble_loses_nothing_against_itself(contestant):
    found = contestant.everything()
    assert found.differs[0] == 0
    choosing = contestant.parts.choosing
    wrong = contestant.parts.full != contestant.parts.truth
    assert found.losses[0] == pytest.approx(wrong[choosing].mean())
    assert contestant.quality() == pytest.approx(wrong[choosing].mean())


def test_a_solver_sends_its_front(contestant):
    solver = Portfolio(members=(Prefix(), Margin()), sizes=(), random_state=0)
    entry = contestant.solved(solver)
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
    assert plain.everything().costs[0] == len(plain.parts.ensemble)
