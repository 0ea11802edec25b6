import numpy as np
import pytest

from mddag import MDP
from mddag.ordering import Given
from mddag.solvers.rejection import problem
from mddag.solvers.rejection.cascades import Setting
from mddag.solvers.rejection.operating_point import Target
from mddag.solvers.rejection.problem import Problem, class_parts, positives
from mddag.solvers.rejection.thresholds import RankedSums
from tests.solvers.rejection.problems import detection_mdp

TARGET = Target(fpr=0.1)


def test_sums_are_those_of_the_orders():
    mdp = detection_mdp(n=50)
    found = Problem.of(mdp, TARGET)
    assert len(found.orders) == 2
    for order, sums in zip(found.orders, found.sums, strict=True):
        np.testing.assert_allclose(sums, np.cumsum(mdp.votes.dense()[:, order, 0], axis=1).T)


def test_an_order_that_is_given_is_the_only_one():
    found = Problem.of(detection_mdp(n=50), TARGET, ordering=Given())
    assert [order.tolist() for order in found.orders] == [list(range(12))]


@pytest.mark.parametrize(("every", "wanted"), [(1, [5, 7, 10, 12]), (4, [8, 12]), (5, [5, 10, 12])])
def test_lengths_are_whole_groups_of_steps_or_all(every, wanted):
    assert Problem.of(detection_mdp(n=50), TARGET, every=every).lengths == wanted


def test_a_candidate_is_judged_by_other_rows():
    rows, others = Problem.of(detection_mdp(0), TARGET), detection_mdp(1)
    judges = Problem.of(others, TARGET, like=rows)
    target = TARGET.to_judge(judges.ends)
    for candidate in list(rows.candidates(0.1, judges))[::37]:
        passing = judges.passing(candidate.cascade, candidate.setting.order)
        assert candidate.n_evaluated == passing.mean_steps
        assert candidate.loss == pytest.approx(target.mean_loss(passing.ends, 1.0))


def test_few_negatives_judge_at_a_rate_that_they_can_decide():
    rows = Problem.of(detection_mdp(0, n=120), Target(fpr=0.001))
    n_negatives = int((~rows.positive).sum())
    wider = Target(fpr=min(5 / n_negatives, 0.1))
    for candidate in list(rows.candidates(0.1, rows))[::37]:
        ends = rows.passing(candidate.cascade, candidate.setting.order).ends
        assert candidate.loss == pytest.approx(wider.mean_loss(ends, 1.0))


def test_a_cascade_that_rejects_all_positives_is_the_worst():
    rng = np.random.default_rng(0)
    votes = rng.integers(0, 2, (180, 20)) - 0.5  # as good as chance
    rows = Problem.of(MDP(votes, rng.integers(0, 2, 180)), TARGET)
    none = []
    for c in rows.candidates(0.1, rows):
        own = rows.passing(c.cascade, c.setting.order).ends
        if np.isneginf(own.scores[own.positive]).all():
            none.append(c.loss)
    assert none
    assert min(none) == 1.0


def test_dearer_evaluations_are_fewer():
    rows = Problem.of(detection_mdp(), TARGET, ordering=Given())
    longest = [c for c in rows.candidates(0.1, rows) if c.setting.length == 12]
    costs = [c.cost for c in sorted(longest, key=lambda c: c.setting.beta)]
    assert costs[0] > 1.5 * costs[-1]


def test_weights_are_rows_that_repeat():
    mdp = detection_mdp(n=120)
    times = 1 + np.arange(120) % 3
    weighted = MDP(mdp.votes, mdp.labels, weight=times.astype(float))
    repeated = mdp.rows(np.repeat(np.arange(120), times))
    for setting in (Setting(0, 12, 0.01), Setting(0, 7, 0.05)):
        found = []
        for one in (weighted, repeated):
            rows = Problem.of(one, TARGET, ordering=Given())
            ranked = RankedSums.of(rows.sums[0], rows.positive, rows.weight, shift=0.1)
            found.append(rows.learned(ranked, setting).thresholds)
        np.testing.assert_allclose(*found)


def test_no_row_helps_to_learn_its_own_end():
    rows, setting = Problem.of(detection_mdp(n=90), TARGET), Setting(0, 10, 0.02)
    parts = class_parts(rows.positive, 3, 0)
    found, thetas = rows.crossed(setting, parts, 0.1)
    here, others = parts == 1, np.flatnonzero(parts != 1)
    without = Problem.of(detection_mdp(n=90).rows(others), TARGET, like=rows)
    ranked = RankedSums.of(without.sums[0], without.positive, without.weight, shift=0.1)
    cascade = without.learned(ranked, setting)
    ends = rows.passing(cascade, 0).ends
    np.testing.assert_array_equal(found.scores[here], ends.scores[here])
    assert thetas[1] == TARGET.expected(without.passing(cascade, 0).ends)


def test_rows_are_thinned_where_memory_is_short(monkeypatch):
    monkeypatch.setattr(problem, "MOST_SUMS", 12 * 100)
    found = Problem.of(detection_mdp(n=400), TARGET)
    assert 98 <= len(found.positive) <= 100
    assert found.positive.mean() == pytest.approx(positives(detection_mdp(n=400)).mean(), abs=0.02)


def test_soft_targets_count_by_the_likelier_class():
    shares = np.array([[0.9, 0.1], [0.2, 0.8]])
    assert positives(MDP(np.ones((2, 3)), shares)).tolist() == [False, True]
