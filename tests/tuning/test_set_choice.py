"""The candidate that a knob takes."""

from types import SimpleNamespace

import numpy as np
import pytest

import mddag
from mddag.solvers.acquisition.search import Search
from mddag.tuning.guarantee import Guarantee
from mddag.tuning.set_choice import chosen_set_policy, everything
from tests.solvers.acquisition.test_search import sample


class Models:
    """Sets without their models."""

    def __init__(self, sets):
        self.sets, self.models = sets, [None] * len(sets)

    def __len__(self):
        return len(self.sets)


@pytest.fixture
def found():
    """What ``learned`` gives, but for the models; no row loses anything."""
    rows = sample()
    search = Search.of({"mean": rows}, [[0, 1, 4, 7]])
    return SimpleNamespace(
        search=search,
        models=Models(rows.sets),
        prices=search.prices(0.5, 0.0),
        learning=np.arange(len(rows)),
        certifying=np.arange(10),
        excess=lambda candidate, index, knob: np.zeros(len(index)),
    )


def test_a_price_takes_the_best(found):
    assert chosen_set_policy(found, "beta", 0.01, None) is found.search.best(0.01)


@pytest.mark.parametrize("budget", [1.0, 3.0, 6.0])
def test_a_budget_is_used_but_not_passed(found, budget):
    chosen = chosen_set_policy(found, "budget", budget, None)
    assert budget / 2 < chosen.cost.mean() <= budget


def test_a_bound_takes_the_cheapest_within_it(found):
    tight, loose = (chosen_set_policy(found, "max_loss", b, None) for b in (0.01, 0.1))
    full = everything(found).loss.mean()
    assert loose.cost.mean() < tight.cost.mean()
    assert loose.loss.mean() - full <= 0.1


def test_a_bound_that_no_row_proves_gives_the_full_model(found):
    guarantee = Guarantee("max_disagreement", 0.05, 0.9, "share")
    with pytest.warns(mddag.DoubtfulResult, match="10 certifying rows prove max_disagreement=0.05"):
        chosen = chosen_set_policy(found, "max_disagreement", 0.05, guarantee)
    assert chosen.member == "full model"
    assert (chosen.cost == 7.0).all()


def test_a_bound_is_proved_by_enough_rows(found):
    found.certifying = np.arange(400)
    guarantee = Guarantee("max_disagreement", 0.05, 0.9, "share")
    chosen = chosen_set_policy(found, "max_disagreement", 0.05, guarantee)
    assert chosen.cost.mean() < 7.0
