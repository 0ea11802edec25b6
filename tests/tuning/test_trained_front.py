"""The common front: the reference first, owners in place, knobs take what they should."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier
from sklearn.datasets import make_hastie_10_2

from mddag.tuning import trained_front
from mddag.tuning.contestant import Contestant
from mddag.tuning.node_prices import node_prices
from mddag.tuning.shape_models import ShapeModel, TrainingRows
from mddag.tuning.shapes import Shape
from mddag.tuning.trained_front import TrainedFront

QUIET = {"verbose": -1, "n_jobs": 1, "random_state": 0}


@pytest.fixture
def front():
    X, y = make_hastie_10_2(3000, random_state=0)
    y = (y > 0).astype(int)
    rows = TrainingRows(X, y, None, np.arange(1000), np.arange(1000, 3000), (0.5, 0.5, 0.0), 0)
    models = []
    for n_leaves, n_rounds in ((8, 60), (31, 10), (2, 20)):
        made = LGBMClassifier(num_leaves=n_leaves, n_estimators=n_rounds, **QUIET)
        shape = Shape(n_leaves, 0.1, n_rounds)
        models.append(ShapeModel.of(shape, made.fit(X[:1000], y[:1000]), rows))
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
    choosing = front.reference.parts.choosing
    assert front.losses[0] == pytest.approx(wrong[choosing].mean(), abs=1e-9)
    assert front.owners[0] is front.reference
    assert len(front.owners) == len(front.losses) == len(front.costs)
    assert (front.everything.excess == 0).all()


def test_shapes_that_cost_much_are_not_kept(front, monkeypatch):
    assert len(front.promising()) == 3
    monkeypatch.setattr(trained_front, "MOST_SHAPES", 1)
    kept = front.promising()
    assert len(kept) == 1
    assert kept[0].model.shape.n_leaves > 2
    monkeypatch.setattr(trained_front, "MOST_SHAPES", 3)
    monkeypatch.setattr(trained_front, "MOST_VOTES", 1)
    assert len(front.promising()) == 1  # one is always kept


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
