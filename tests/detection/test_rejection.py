"""Rejection: thresholds against their twin, candidates, operating points, realised rates."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mddag import MDP, DoubtfulResult
from mddag.detection import Rejection
from mddag.detection import rejection_candidates as problem
from mddag.detection.rejection import realised
from mddag.detection.rejection_candidates import (
    RejectCascade,
    RejectionProblem,
    class_parts,
    ordered_sums,
    positives,
)
from mddag.detection.thresholds import EndScores, RankedSums, WantedRate, shares_by_class
from mddag.metrics import threshold_at_fpr
from mddag.policy import Given
from tests.detection.problems import detection_mdp
from tests.reference import cascades as reference

pytestmark = pytest.mark.filterwarnings("ignore:.*is to be met with:mddag.DoubtfulResult")


def rates(mdp, policy):
    above, positive = mdp.rollout(policy)[0][:, 0] > 0, mdp.labels > 0
    return above[positive].mean(), above[~positive].mean()


def cost(mdp, policy):
    return mdp.rollout(policy)[1][mdp.labels == 0].mean()


@pytest.mark.parametrize(
    ("target", "low", "high"),
    [
        ({"target_fpr": 0.02}, 0.008, 0.03),
        ({"target_fpr": 0.2}, 0.08, 0.3),
        ({"target_tpr": 0.8}, 0.77, 0.85),
    ],
)
def test_the_rate_on_unseen_rows_is_near_the_wanted_one(target, low, high):
    policy = Rejection(**target).solve(detection_mdp(0, n=4000, beta=0.005))
    tpr, fpr = rates(detection_mdp(1, n=20_000), policy)
    assert low < (fpr if "target_fpr" in target else tpr) < high


def test_it_beats_the_best_prefix_at_equal_cost():
    train, test = detection_mdp(0, n=4000), detection_mdp(1, n=20_000)
    policy = Rejection(target_fpr=0.05, budget=4).solve(train)
    negative = test.labels == 0
    prefix = test.votes.dense()[:, :4, 0].sum(axis=1)
    tpr, fpr = rates(test, policy)
    assert tpr > (prefix[~negative] > np.quantile(prefix[negative], 0.95)).mean() + 0.02
    assert fpr < 0.06


@pytest.mark.parametrize("budget", [2, 4, 8])
def test_a_budget_is_mean_evaluations_of_negatives(budget):
    mdp = detection_mdp(0, n=2000)
    policy = Rejection(target_fpr=0.05, budget=budget).solve(mdp)
    assert cost(mdp, policy) <= budget
    assert cost(detection_mdp(1, n=10_000), policy) < 1.1 * budget


def test_a_budget_below_all_cascades_is_doubted():
    with pytest.warns(DoubtfulResult, match="no cascade is within budget=0.5: the cheapest"):
        Rejection(target_fpr=0.05, budget=0.5).solve(detection_mdp())


def test_a_higher_price_buys_fewer_evaluations():
    costs = [
        cost(detection_mdp(1), Rejection(0.05).solve(detection_mdp(beta=beta)))
        for beta in (1e-3, 0.1, 0.5)
    ]
    assert costs[0] > costs[1] > costs[2]


def test_selection_rows_estimate_what_others_learned():
    mdp, others = detection_mdp(0), detection_mdp(1)
    problems = [
        RejectionProblem.of(mdp, TARGET),
        RejectionProblem.of(others, TARGET, like=RejectionProblem.of(mdp, TARGET)),
    ]
    own, chosen = (next(problems[0].candidates(by)) for by in problems)
    np.testing.assert_array_equal(own.cascade.thresholds, chosen.cascade.thresholds)
    ends, steps = problems[1].run(chosen)
    assert chosen.mean_cost == pytest.approx(steps[~ends.positive].mean())
    assert chosen.mean_cost != own.mean_cost


TARGET = WantedRate(fpr=0.1)


def test_few_negatives_judge_at_a_rate_that_they_can_decide():
    rows = RejectionProblem.of(detection_mdp(0, n=120), WantedRate(fpr=0.001))
    n_negatives = int((~rows.positive).sum())
    wider = WantedRate(fpr=min(5 / n_negatives, 0.1))
    for candidate in list(rows.candidates(rows))[::37]:
        ends, _ = rows.run(candidate)
        assert candidate.loss == pytest.approx(wider.mean_loss(ends, 1.0))


def test_weights_are_rows_that_repeat():
    mdp = detection_mdp(n=120)
    times = 1 + np.arange(120) % 3
    weighted = MDP(mdp.votes, mdp.labels, weight=times.astype(float))
    repeated = mdp.rows(np.repeat(np.arange(120), times))
    for setting in ((0, 12, 0.01), (0, 7, 0.05)):
        found = []
        for one in (weighted, repeated):
            rows = RejectionProblem.of(one, TARGET, ordering=Given())
            found.append(rows.learned(rows.ranked(0), *setting).thresholds)
        np.testing.assert_allclose(*found)


def test_no_row_helps_to_learn_its_own_end():
    rows = RejectionProblem.of(detection_mdp(n=90), TARGET)
    candidate = next(c for c in rows.candidates(rows) if len(c.cascade.thresholds) == 10)
    parts = class_parts(rows.positive, 3, 0)
    found, thetas = rows.crossed(candidate, parts)
    here, others = parts == 1, np.flatnonzero(parts != 1)
    without = RejectionProblem.of(detection_mdp(n=90).rows(others), TARGET, like=rows)
    cascade = without.learned(without.ranked(0), 0, 10, candidate.beta)
    ends, _ = rows.run(replace(candidate, cascade=cascade))
    np.testing.assert_array_equal(found.scores[here], ends.scores[here])
    assert thetas[1] == TARGET.expected(without.run(replace(candidate, cascade=cascade))[0])


def test_rows_are_thinned_where_memory_is_short(monkeypatch):
    monkeypatch.setattr(problem, "MOST_SUMS", 12 * 100)
    found = RejectionProblem.of(detection_mdp(n=400), TARGET)
    assert 98 <= len(found.positive) <= 100
    assert found.positive.mean() == pytest.approx(positives(detection_mdp(n=400)).mean(), abs=0.02)


def cascade_of(mdp, seed, length):
    """Some thresholds, none on a sum of a row, some absent."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(mdp.n_steps)
    sums = ordered_sums(mdp.votes, order, length)
    thresholds = np.quantile(sums, rng.uniform(0, 0.3), axis=1) + 1e-4 / 3
    thresholds[rng.random(length) < 0.3] = -np.inf
    return RejectCascade(order, thresholds, float(np.median(sums[-1])) + 1e-4 / 3), sums


@given(st.integers(0, 1000), st.integers(1, 12), st.sampled_from([1, 1, 2, 3]))
def test_the_policy_does_what_the_cascade_does(seed, length, every):
    mdp = detection_mdp(seed, n=60)
    length = min(-(-length // every) * every, 12)
    cascade, sums = cascade_of(mdp, seed, length)
    looks = (np.arange(length) + 1) % every == 0
    cascade = RejectCascade(
        cascade.order, np.where(looks, cascade.thresholds, -np.inf), cascade.theta
    )
    positive = mdp.labels > 0
    ends, steps = cascade.run(sums, positive, mdp.weight)
    scores, n_evaluated, _ = mdp.rollout(cascade.policy(mdp.votes, every))
    np.testing.assert_array_equal(n_evaluated, steps)
    np.testing.assert_array_equal(scores[:, 0] > 0, ends.scores > cascade.theta)
    passed = ends.scores > -np.inf
    np.testing.assert_allclose(  # theta is moved by what executors may round
        scores[passed, 0], ends.scores[passed] - cascade.theta, atol=1e-5
    )
    assert (scores[~passed] <= 0).all()


@pytest.mark.parametrize("ties_pass", [False, True])
def test_rows_at_a_threshold_are_on_their_side_of_it(ties_pass):
    mdp = detection_mdp(n=60)
    cascade, sums = cascade_of(mdp, 1, 8)
    thresholds = cascade.thresholds.copy()
    thresholds[2] = np.sort(sums[2])[5]  # the very sum of a row
    theta = np.sort(sums[-1])[40]
    cascade = RejectCascade(cascade.order, thresholds, theta, ties_pass)
    ends = cascade.run(sums, mdp.labels > 0)[0].scores
    scores, n_evaluated, _ = mdp.rollout(cascade.policy(mdp.votes))
    assert (n_evaluated[np.argsort(sums[2])[:6]] <= 3).all()
    np.testing.assert_array_equal(scores[:, 0] > 0, ends >= theta if ties_pass else ends > theta)


@st.composite
def problems(draw, max_steps=4):
    n, n_steps = draw(st.integers(2, 12)), draw(st.integers(1, max_steps))
    votes = draw(st.lists(st.integers(-3, 3), min_size=n * n_steps, max_size=n * n_steps))
    sums = np.cumsum(np.array(votes, float).reshape(n, n_steps), axis=1)
    positive = np.array(
        [True, False, *draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2))]
    )
    # prices that no sum of rows makes equal by accident
    prices = draw(st.sampled_from([(0.731, 0.0137), (3.217, 0.1013), (0.113, 0.4019)]))
    return sums, positive, draw(st.integers(-3, 3)) + 0.5, *prices


def value(problem, thresholds, start=0):
    sums, positive, theta, lam, beta = problem
    rows = sums.tolist(), positive.tolist()
    return reference.objective(*rows, list(thresholds), start, theta, lam, beta)


@given(problems())
def test_as_the_twin(problem):
    sums, positive, theta, lam, beta = problem
    ranked = RankedSums.of(np.ascontiguousarray(sums.T), positive, shift=0.0)
    found = ranked.thresholds(theta, lam, np.full(sums.shape[1], beta))
    wanted = reference.reject_thresholds(sums.tolist(), positive.tolist(), theta, lam, beta)
    for t in range(sums.shape[1]):  # equally good thresholds may differ
        assert value(problem, found, t) == pytest.approx(value(problem, wanted, t), abs=1e-7)


def ends(scores, positive, weight=None):
    positive = np.asarray(positive, bool)
    return EndScores(np.asarray(scores, float), positive, shares_by_class(positive, weight))


@st.composite
def rows(draw):
    n = draw(st.integers(2, 30))
    scores = draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    labels = draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2))
    return np.array(scores, float), np.array([True, False, *labels])


@given(rows(), st.floats(0.01, 0.99))
def test_theta_is_the_threshold_of_the_metrics(given_rows, rate):
    scores, positive = given_rows
    found = ends(scores, positive)
    ranked = np.sort(scores[positive])[::-1]
    least = ranked[int(np.ceil(rate * len(ranked) - 1e-9)) - 1]
    wanted = threshold_at_fpr(scores, positive, rate), np.nextafter(least, -np.inf)
    for target, theta in zip((WantedRate(fpr=rate), WantedRate(tpr=rate)), wanted, strict=True):
        assert found.rates(target.theta(found)) == pytest.approx(found.rates(theta))


@pytest.mark.parametrize(
    ("n", "rate", "is_fpr"),
    [(30, 0.05, True), (99, 0.01, True), (200, 0.1, True), (57, 0.3, True), (60, 0.9, False)],
)
def test_unseen_rows_keep_the_wanted_rate_on_average(n, rate, is_fpr):
    rng = np.random.default_rng(0)
    target, other = (WantedRate(fpr=rate), 2.0) if is_fpr else (WantedRate(tpr=rate), -1.0)
    positive = [not is_fpr] * n + [is_fpr]
    thetas = [target.expected(ends(np.append(rng.random(n), other), positive)) for _ in range(2000)]
    found = 1 - np.array(thetas)  # the share of uniform scores above
    slack = 3 * found.std() / 2000**0.5
    low, high = (rate - 1 / n, rate + slack) if is_fpr else (rate - slack, rate + 1 / n)
    assert low <= found.mean() <= high or (is_fpr and n < 1 / rate - 1)


def test_a_row_has_no_part_in_its_own_theta():
    positive, target = np.arange(4000) % 2 == 0, WantedRate(fpr=0.05)
    scores = np.random.default_rng(0).normal(2.0 * positive)
    parts = class_parts(positive, 4, 0)
    count = 0
    for part in range(4):
        others = parts != part
        theta = target.expected(ends(scores[others], positive[others]))
        count += (scores[~others & ~positive] > theta).sum()
    assert realised(ends(scores, positive), target, parts, 1.0).fpr == count / 2000
