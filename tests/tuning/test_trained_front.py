"""The common front: the reference first, owners in place, knobs take what they should."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.datasets import make_hastie_10_2

from mddag.tuning import trained_front
from mddag.tuning.contestant import Contestant, Entry
from mddag.tuning.node_prices import node_prices
from mddag.tuning.shapes import Shape
from mddag.tuning.trained_front import TrainedFront, affordable
from tests.tuning.few_shapes import model_of, rows_of

QUIET = {"verbose": -1, "n_jobs": 1, "random_state": 0}


@pytest.fixture
def front():
    X, y = make_hastie_10_2(3000, random_state=0)
    rows = rows_of(X, (y > 0).astype(int), proves=True)
    models = []
    for n_leaves, n_rounds in ((8, 60), (31, 10), (2, 20)):
        made = LGBMClassifier(num_leaves=n_leaves, n_estimators=n_rounds, **QUIET)
        shape = Shape(n_leaves, 0.1, n_rounds)
        models.append(model_of(made, rows, shape))
    reference = models[0].parts
    contestants = [
        Contestant(m, reference.truth, reference.scores, node_prices(m.parts)) for m in models
    ]
    made = TrainedFront(contestants[0], "difference")
    for contestant in contestants:
        for entry in contestant.simple():
            made.add(entry)
    return made


def test_the_reference_is_the_first(front):
    wrong = front.reference.parts.full != front.reference.parts.truth
    seen = front.reference.parts.seen
    assert front.losses[0] == pytest.approx(wrong[seen].mean(), abs=1e-9)
    assert front.costs[0] == pytest.approx(front.everything.cost[seen].mean())
    assert front.owners[0] is front.reference
    assert len(front.owners) == len(front.losses) == len(front.costs)
    assert (front.everything.excess == 0).all()


def test_no_more_shapes_are_kept_than_can_be_afforded(front, monkeypatch):
    promising = front.promising()
    assert len(promising) == 3
    assert promising[0].model.shape.n_leaves > 2
    assert affordable(promising) == promising
    monkeypatch.setattr(trained_front, "MOST_SHAPES", 1)
    assert affordable(promising) == promising[:1]
    monkeypatch.setattr(trained_front, "MOST_SHAPES", 3)
    monkeypatch.setattr(trained_front, "MOST_VOTES", 1)
    assert affordable(promising) == promising[:1]  # one is always kept


def whole(contestant, by):
    """An entry whose only candidate is the whole model, judged by some of the rows."""
    judge = contestant.judge(by)
    policy = judge.mdp.evaluate_all()
    return Entry(contestant, [policy], judge.of_policy(policy), by)


def test_rows_that_choose_say_how_much_worse_than_the_reference(front):
    """Their luck with the reference itself does not count."""
    before, entries = front.losses, len(front.entries)
    parts = front.reference.parts
    wrong = parts.full != parts.truth
    assert wrong[parts.choosing].mean() != wrong[parts.seen].mean()
    for contestant in front.promising():
        front.add(whole(contestant, "choosing"))
    assert len(front.entries) == entries + 3
    np.testing.assert_array_equal(front.losses[: len(before)], before)
    at = [owner is front.reference for owner in front.owners[len(before) :]]
    assert front.losses[len(before) :][at] == pytest.approx(front.losses[0], abs=1e-9)
    for by in ("seen", "choosing"):
        judged = front.reference.judge(by).of_policy(front.everything.policy)
        assert judged.losses[0] == front.first[by].losses[0]


def test_prices_and_budgets(front):
    rows = front.reference.parts.choosing
    cheap, dear = front.learned(1e-6), front.learned(1e-2)
    assert cheap.cost[rows].mean() > dear.cost[rows].mean()
    front.lay_out()
    assert front.within_budget(50, rows).cost[rows].mean() <= 50
    assert front.within_budget(1e-3, rows).n_evaluated.max() == 0
    assert front.within_budget(1e9, rows).cost[rows].mean() > 50


def test_excess_is_against_the_reference(front):
    front.lay_out()
    reference = front.reference.parts
    seen = reference.seen
    found = front.within_loss(0.02, seen, reference.choosing)
    assert found.excess[reference.choosing].mean() <= 0.02
    assert found.cost[seen].mean() < front.everything.cost[seen].mean()
