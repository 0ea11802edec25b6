"""What each target takes from a front, and what it refuses."""

import numpy as np
import pytest

from mddag.ensemble.tasks import TASKS
from mddag.metrics import R2, Accuracy, LogLoss, RocAuc
from mddag.tuning.front import Candidate, Front
from mddag.tuning.guarantee import BoundedLoss
from mddag.tuning.problem import Split
from mddag.tuning.targets import Budget, MaxDisagreement, MaxLoss, Price, largest_loss, target_of

CLASSES, NUMBERS = TASKS["classifier"](classes=np.arange(2)), TASKS["regressor"]()
N = 5000  # rows of each part


class Known(Candidate):
    """A candidate of which everything is known: a share of rows is harmed in every part."""

    def __init__(self, cost, *shares):
        self.beta, self.mean_cost, self.shares = 0.1, cost, shares

    def cost(self, part):
        return float(self.mean_cost)

    def lost(self, part):
        return np.array(self.shares)

    def excess(self, part):
        rows = np.arange(N) % 1000
        return np.array([(rows < 1000 * share).astype(float) for share in self.shares])


class Lucky(Known):
    """One that looks good on the rows that choose."""

    def lost(self, part):
        return np.array([0.0]) if part == "choose" else super().lost(part)


class Fixed(Front):
    """Candidates that are given, after the full model."""

    n_certifying = N

    def __init__(self, *candidates, ordered=False):
        self.candidates = [Known(100, *[0.0] * len(candidates[0].shares)), *candidates]
        self.ordered = ordered

    def nothing(self):
        return Known(0, 0.5)


class Queries(Fixed):
    def nothing(self):
        return None


def cost_of(target, *candidates, **settings):
    return target.choose(Fixed(*candidates, **settings)).mean_cost


def test_a_price_takes_the_best_sum():
    candidates = Known(5, 0.2), Known(50, 0.01)
    costs = [cost_of(Price(beta), *candidates) for beta in (1e-5, 1e-3, 1e-2)]
    assert costs == [100, 50, 5]


def test_a_budget_takes_what_loses_least():
    candidates = Known(50, 0.1), Known(40, 0.05), Known(39, 0.05), Known(5, 0.2)
    assert cost_of(Budget(60), *candidates) == 39
    assert cost_of(Budget(10), *candidates) == 5
    assert cost_of(Budget(60), Known(50, 0.6)) == 0  # nothing loses less
    assert cost_of(Budget(200), *candidates) == 100


def test_a_budget_takes_the_most_expensive_of_an_ordered_front():
    candidates = Known(50, 0.1), Known(40, 0.05), Known(5, 0.2)
    assert cost_of(Budget(60), *candidates, ordered=True) == 50
    assert cost_of(Budget(200), *candidates, ordered=True) == 50


def test_a_budget_below_everything():
    with pytest.warns(UserWarning, match="budget=2, but .* cost 5 per row or more"):
        assert cost_of(Budget(2), Known(5, 0.2)) == 0
    with pytest.raises(ValueError, match="budget is 2, but policies cost 5"):
        Budget(2).choose(Queries(Known(5, 0.2)))


SHARE = MaxDisagreement(0.01).measured(CLASSES)


def test_the_cheapest_that_can_be_proved():
    candidates = [Known(100 - at, share) for at, share in enumerate((0.002, 0.007, 0.009), 1)]
    assert cost_of(SHARE, *candidates) == 98


def test_candidates_are_tested_from_expensive_to_cheap():
    assert cost_of(SHARE, Known(2, 0.02), Known(50, 0.001), Known(20, 0.002)) == 20


def test_nothing_after_a_failure_is_tested():
    assert cost_of(SHARE, Known(50, 0.002), Known(40, 0.0095), Known(30, 0.001)) == 50


def test_what_is_hopeless_is_left_out():
    """Its place in the sequence was known before: rows that certify had no part in it."""
    assert cost_of(SHARE, Known(50, 0.002), Known(40, 0.02), Known(30, 0.001)) == 30


def test_the_full_model_needs_no_proof():
    with pytest.warns(UserWarning, match="5000 certifying rows prove max_disagreement=0.01 for no"):
        assert cost_of(SHARE, Known(50, 0.02)) == 100


def test_without_a_confidence_means_are_compared():
    bound = MaxLoss(0.01, confidence=None).measured(CLASSES)
    assert not bound.certifies
    candidates = Known(5, 0.01), Known(50, 0.0), Known(20, 0.005), Known(2, 0.2)
    assert cost_of(bound, *candidates) == 5
    assert cost_of(bound, Known(9, 0.5)) == 100
    assert cost_of(bound, Lucky(9, 0.5)) == 100


def test_every_one_of_several_losses_must_be_within_the_bound():
    losses = (BoundedLoss("difference"), BoundedLoss("asymptotic", RocAuc()))
    for confidence in (0.9, None):
        bound = MaxLoss(0.01, confidence, losses)
        assert cost_of(bound, Known(50, 0.001, 0.002), Known(40, 0.0, 0.02)) == 50
        assert cost_of(bound, Known(50, 0.001, 0.002), Known(40, 0.002, 0.0)) == 40
    excess = Known(1, 0.001, 0.004).excess("certify")
    bound = MaxLoss(0.01, 0.9, losses)
    alone = [loss.p_value(rows, 0.01, 0.9) for loss, rows in zip(losses, excess, strict=True)]
    assert bound.p_value(excess) == max(alone)


def test_one_number_is_the_target():
    assert target_of(budget=20) == Budget(20.0)
    assert target_of(beta=0.1, confidence=None) == Price(0.1)
    assert target_of(max_loss=0.1, confidence=0.5) == MaxLoss(0.1, 0.5)
    for given in ({"beta": 1, "budget": 2}, {}):
        with pytest.raises(ValueError, match=r"wanted exactly one of beta, budget"):
            target_of(**given)
    with pytest.warns(UserWarning, match=r"confidence=0.99 has no effect with budget=2"):
        target_of(budget=2, confidence=0.99)


@pytest.mark.parametrize("value", [0, 1, -0.5, True, "0.1", np.nan])
def test_a_bound_lies_between_0_and_1(value):
    with pytest.raises(ValueError, match=r"max_loss is .* wanted a number above 0 and below 1"):
        MaxLoss(value)


def test_bounds_are_in_units_of_the_metric():
    assert target_of(max_loss=1.5, largest=largest_loss(LogLoss())).value == 1.5


@pytest.mark.parametrize("confidence", [0.4, 1.0, "0.9"])
def test_a_confidence_is_at_least_a_half(confidence):
    with pytest.raises(ValueError, match=r"wanted a number from 0\.5 to below 1"):
        MaxLoss(0.1, confidence)


def test_a_task_and_a_metric_decide_what_is_measured():
    assert SHARE.losses == (BoundedLoss("share"),)
    assert MaxLoss(0.1).measured(CLASSES).losses == (BoundedLoss("difference"),)
    assert MaxLoss(0.1).measured(NUMBERS).losses == (BoundedLoss("mean", R2()),)
    both = MaxLoss(0.1).measured(CLASSES, Accuracy(), RocAuc()).losses
    assert both == (BoundedLoss("difference"), BoundedLoss("asymptotic", RocAuc()))
    for metric, measure in ((RocAuc(), "asymptotic"), (LogLoss(0.01), "bounded")):
        assert MaxLoss(0.1).measured(CLASSES, metric).losses == (BoundedLoss(measure, metric),)
    with pytest.raises(ValueError, match=r"max_disagreement=0\.1, but a regressor has no labels"):
        MaxDisagreement(0.1).measured(NUMBERS)


def test_only_rows_that_count_alike_prove_anything():
    SHARE.require_equal(np.ones(3))
    MaxLoss(0.1, None).require_equal(np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="sample_weight differs from row to row"):
        SHARE.require_equal(np.array([1.0, 2.0]))


def test_too_few_rows_raise_with_the_number_that_would_do():
    with pytest.raises(ValueError, match="it takes 230 rows that certify, so at least 460 in all"):
        SHARE.require(360, 180)
    SHARE.require(460, 230)
    with pytest.raises(ValueError, match=r"no number of rows proves max_loss=0\.1"):
        MaxLoss(0.1, 0.99999).measured(CLASSES).require(10**6, 10**6)


def test_only_changed_labels_have_a_price_in_addition_to_their_loss():
    price = MaxLoss(0.005).measured(CLASSES).price_of_change(5000)
    assert price == pytest.approx(1.28155**2 / 25, rel=1e-4)
    for target in (SHARE, MaxLoss(0.005).measured(NUMBERS), Budget(2.0).measured(CLASSES)):
        assert target.price_of_change(5000) == 0


@pytest.mark.parametrize("target", [SHARE, Budget(5)])
def test_every_row_is_in_one_part_of_a_split(target):
    for n in [*range(3, 20), 100]:
        split = Split.random(n, target.shares, np.random.RandomState(0))
        parts = [split.learn, split.choose, split.certify]
        assert sorted(np.concatenate(parts).tolist()) == list(range(n))
        assert [len(part) > 0 for part in parts] == [True, True, target.certifies]
        assert split.seen.tolist() == sorted([*split.learn, *split.choose])
    sizes = [40, 10, 50] if target.certifies else [60, 40, 0]
    assert [len(part) for part in parts] == sizes
    with pytest.raises(ValueError, match="too few to learn"):
        Split.random(1, target.shares, np.random.RandomState(0))
