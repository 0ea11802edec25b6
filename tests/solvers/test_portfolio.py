"""Portfolio: members, arrangements, descents, rows, memory."""

import tracemalloc

import numpy as np
import pytest

from mddag import MDP
from mddag.ensemble.votes import Tables, Votes
from mddag.losses import Logistic, Squared, ZeroOne
from mddag.policy import Correlation, Given, arrangement
from mddag.policy.policy import QUIT, Policy
from mddag.solvers import (
    Descent,
    Margin,
    Portfolio,
    Prefix,
    Residual,
    Sarsa,
    arrangements,
)
from mddag.solvers.arrangements import ArrangementRule, RowsByArrangement, RowSubset
from mddag.solvers.candidates import LossEstimator, front, spaced_front
from tests.solvers.problems import mdp_of

QUICK = (Prefix(), Margin(), Descent(n_starts=2, n_sweeps=2))


def problem(n=600, n_classifiers=20, n_scores=1, seed=0):
    """Votes of rising strength that share a truth: the given order is the worst."""
    rng = np.random.default_rng(seed)
    n_classes = max(n_scores, 2)
    labels = rng.integers(0, n_classes, n)
    truth = np.where(np.eye(n_classes)[labels] > 0, 1.0, -1.0)[:, None, -n_scores:]
    strength = np.linspace(0.02, 0.3, n_classifiers)[:, None]
    votes = strength * (truth + rng.normal(size=(n, n_classifiers, n_scores)))
    return MDP(np.round(votes, 2), labels, beta=0.003)


@pytest.mark.parametrize("n_scores", [1, 3])
def test_it_beats_the_full_ensemble_and_its_simple_members_on_fresh_rows(n_scores):
    learning, selection, fresh = (problem(2000, n_scores=n_scores, seed=s) for s in range(3))
    value = fresh.evaluate(Portfolio(QUICK, random_state=0).solve(learning, selection)).objective
    assert value < fresh.evaluate(fresh.evaluate_all()).objective
    for member in (Prefix(), Margin()):
        assert value <= fresh.evaluate(member.solve(learning, selection)).objective


def test_it_knows_the_cost_of_its_winner_and_whose_it_is():
    learning, selection = problem(), problem(seed=1)
    judged = Portfolio(QUICK, random_state=0).judged(learning, [0.003], selection)
    entry, c = judged.place(judged.best(0.003))
    assert "in Correlation(" in entry.name  # the strong ones come last in the given order
    value = selection.evaluate(judged.policy(0.003))
    assert entry.measurements.costs[c] == pytest.approx(value.cost)
    assert entry.measurements.losses[c] == pytest.approx(value.loss)


def test_the_unit_of_prices_does_not_matter():
    found = []
    for unit in (1.0, 128.0):
        learning, selection = (
            MDP(m.votes, m.labels, loss=ZeroOne((unit, 3 * unit)), beta=unit * m.beta)
            for m in (problem(), problem(seed=1))
        )
        found.append(Portfolio(QUICK, random_state=0).solve(learning, selection))
    assert np.array_equal(found[0].actions, found[1].actions)
    assert np.array_equal(found[0].order, found[1].order)


def test_a_spaced_front_falls_in_cost_by_a_ratio():
    learning, selection = problem(), problem(seed=1)
    judged = Portfolio((Margin(),), random_state=0).judged(learning, [0.003], selection)
    prices, numbers = zip(*spaced_front(judged.losses, judged.costs, 1.3)[:-1], strict=True)
    costs = np.array([selection.evaluate(judged.candidate(at)).cost for at in numbers])
    assert len(costs) > 3
    assert (costs[:-1] / costs[1:] >= 1.3).all()
    assert min(prices) >= 0  # 0 for those that lose nothing
    assert prices[-1] > prices[0]
    assert len(spaced_front(judged.losses, judged.costs, 1.1)) > len(costs) + 1


def test_candidates_that_decide_alike_are_equal_however_their_losses_were_added_up():
    """Clear votes: nearly all settings decide as the full ensemble, and the dearer are safer."""
    rng = np.random.default_rng(0)
    truth = rng.choice([-1.0, 1.0], 1500) * rng.uniform(0.5, 3.5, 1500)
    votes = np.sign(truth[:, None] + 0.5 * rng.normal(size=(1500, 60))) / np.arange(10, 610, 10)
    labels = np.where(rng.random(1500) < 0.1, truth < 0, truth > 0).astype(int)
    mdp = MDP(votes, labels, beta=0.001)
    judged = Portfolio((Margin(), Residual()), (Given(),), (), random_state=0).judged(
        mdp, [0.001], mdp
    )
    alike = np.concatenate([entry.measurements.differs == 0 for entry in judged.entries])
    assert alike.sum() > 100
    assert len(set(judged.losses[alike])) == 1
    dearest = judged.costs[front(judged.losses, judged.costs)].max()
    assert dearest == judged.costs[0]


def test_labels_decide_where_they_prove_the_teacher_wrong():
    """Half of the base classifiers vote against the labels: leaving them out is better."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 2000)
    votes = np.where(labels, 1.0, -1.0)[:, None] * np.array([1.0, 1.0, -1.0, -1.5])
    votes += 0.1 * rng.normal(size=votes.shape)
    mdp = MDP(np.round(votes, 1), labels, beta=0.001)
    policy = Portfolio((Prefix(),), (Given(),), random_state=0).solve(mdp)
    assert mdp.evaluate(mdp.evaluate_all()).loss > 0.9
    assert mdp.evaluate(policy).loss < 0.01


def test_a_path_falls_in_cost_as_prices_rise():
    learning, selection = problem(), problem(seed=1)
    betas = [0.0003, 0.003, 0.03]
    policies = Portfolio(QUICK, random_state=0).solve_path(learning, betas, selection)
    costs = [selection.evaluate(policy).cost for policy in policies]
    assert costs == sorted(costs, reverse=True)


def test_rows_are_held_out_where_none_are_given():
    mdp = problem()
    first, second = (Portfolio(QUICK, random_state=s).solve(mdp) for s in (0, 0))
    np.testing.assert_array_equal(first.actions, second.actions)
    assert mdp.evaluate(first).objective < mdp.evaluate(mdp.evaluate_all()).objective


def test_of_many_rows_some_learn_and_choose():
    mdp = problem(n=400)
    whole, same, few = (
        Portfolio(QUICK, random_state=0, max_rows=most).judged(mdp, [0.01])
        for most in (None, 280, 100)
    )
    np.testing.assert_array_equal(whole.losses, same.losses)
    assert few.estimator.n_rows == 100
    assert mdp.evaluate(few.policy(0.01)).objective < mdp.evaluate(mdp.evaluate_all()).objective


def test_soft_targets_numbers_and_single_rows():
    mdp = problem(n=60)
    shares = np.eye(2)[mdp.labels] * 0.8 + 0.1
    numbers = MDP(mdp.votes, mdp.votes.scores()[:, 0], loss=Squared())
    for targets in (mdp.with_labels(shares), numbers):
        policy = Portfolio((Prefix(),), random_state=0).solve(targets)
        assert isinstance(policy, Policy)
    single = Portfolio((Prefix(),), random_state=0).solve(mdp.rows(np.array([0])))
    assert single.n_steps == mdp.n_steps


@pytest.mark.parametrize("unit", [2.0**-100, 2.0**100])
def test_numbers_in_any_unit(unit):
    dense, random = problem(n_classifiers=40).votes.dense(), np.random.default_rng(0)
    wanted = dense.sum(axis=(1, 2)) + random.normal(size=len(dense))

    def found(u):
        mdp = MDP(u * dense, u * wanted, loss=Squared(), beta=0.01 * u**2)
        return mdp.evaluate(Portfolio((Prefix(),), random_state=0).solve(mdp))

    assert found(unit).n_evaluated == found(1.0).n_evaluated < 40
    assert found(unit).loss == pytest.approx(found(1.0).loss * unit**2)


def test_any_solver_may_be_a_member():
    members = (Sarsa(n_episodes=500, evaluate_every=250),)
    policy = Portfolio(members, (Given(),), random_state=0).solve(problem(n=100))
    assert policy.rescaling is None
    assert policy.order.tolist() == list(range(20))


def test_a_portfolio_within_a_portfolio_keeps_its_weights_and_constants():
    inner = Portfolio((Prefix(),), (Correlation(),), (), random_state=0)
    mdp, outer = problem(), Portfolio((inner,), (Given(),), (), random_state=0)
    entry = outer.judged(mdp, [0.003], mdp).entries[1]
    assert entry.candidates[0].rescaling is not None
    judge = LossEstimator(mdp, mdp.votes.scores())
    assert judge.of_policy(entry.candidates[0]).losses[0] == entry.measurements.losses[0]


def test_descents_start_from_policies_that_decide_as_often():
    class Careless(Prefix):
        def candidates(self, mdp):
            return [Policy.prefix(1, mdp.n_steps, mdp.grid)]

    portfolio = Portfolio((Careless(), Descent(n_sweeps=1)), None, (), every=4, random_state=0)
    assert portfolio.solve(problem().with_beta(0.2)).n_steps == 20


def test_rows_that_do_not_count_are_in_neither_part():
    mdp = problem(n=80)
    weight = np.where(np.arange(80) < 2, 1.0, 0.0)
    alone, among = (
        MDP(m.votes, m.labels, beta=0.003, weight=w)
        for m, w in ((mdp.rows(np.arange(2)), None), (mdp, weight))
    )
    portfolio = Portfolio(random_state=0)
    value = among.evaluate(portfolio.solve(among)).objective
    assert value == alone.evaluate(portfolio.solve(alone)).objective


def test_decisions_every_few_steps():
    policy = Portfolio((Prefix(), Margin()), every=4, random_state=0).solve(problem())
    assert policy.every == 4
    assert len(policy.actions) == 5


@pytest.mark.parametrize(
    ("portfolio", "message"),
    [
        (Portfolio(orderings=()), "orderings is empty"),
        (Portfolio(selection_fraction=1.5), "selection_fraction is 1.5"),
        (Portfolio((Prefix(every=4),)), r"Prefix\(every=4\)"),
        (Portfolio((Sarsa(),), every=4), r"every is 4, but Sarsa"),
        (Portfolio(max_rows=0), "max_rows is 0"),
    ],
)
def test_refuses_parameters_that_make_no_sense(portfolio, message):
    with pytest.raises(ValueError, match=message):
        portfolio.solve(problem(n=10))
    with pytest.raises(TypeError, match="solver is"):
        Portfolio((Prefix,)).solve(problem(n=10))


@pytest.mark.parametrize("actions", [("eval",), ("eval", "skip")])
def test_without_quit_nothing_is_left_out_at_the_end(actions):
    mdp = problem(n_classifiers=40)
    mdp.actions = actions
    policy = Portfolio(QUICK, random_state=0).solve(mdp)
    assert not (policy.actions == QUIT).any()
    with pytest.raises(ValueError, match=r"sizes are \(8,\), but without 'quit' among the actions"):
        Portfolio(QUICK, sizes=(8,)).solve(mdp)


N_ROWS, N_STEPS, N_LEAVES = 40_000, 500, 8


def many_votes(loss):
    """As many rows that blocks and tables of fixed sizes are small beside their votes."""
    rng = np.random.default_rng(0)
    tables = Tables(
        values=0.05 * rng.normal(size=N_STEPS * N_LEAVES),
        starts=np.arange(N_STEPS + 1) * N_LEAVES,
        score=np.zeros(N_STEPS, np.int32),
        rounds=np.arange(N_STEPS + 1),
        bias=np.zeros(1),
    )
    votes = Votes(rng.integers(0, N_LEAVES, (N_ROWS, N_STEPS), np.uint8), tables)
    labels = (votes.scores()[:, 0] + rng.normal(size=N_ROWS) > 0).astype(int)
    return MDP(votes, labels, loss=loss, beta=1e-2)


@pytest.mark.parametrize(
    ("loss", "member"),
    [(Logistic(), Prefix()), (ZeroOne(), Descent(n_starts=0, n_sweeps=1))],
    ids=["log-loss", "errors"],
)
def test_the_portfolio_takes_three_times_the_memory_of_the_votes(loss, member):
    tracemalloc.start()
    mdp = many_votes(loss)
    tracemalloc.reset_peak()
    Portfolio((Margin(), Residual(), member), sizes=(60,), random_state=0).solve(mdp)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 3 * mdp.votes.nbytes


def rows_of(mdp):
    return RowsByArrangement(
        RowSubset(mdp, np.arange(0, 60, 2)), RowSubset(mdp, np.arange(1, 60, 2))
    )


@pytest.mark.parametrize("labels", ["classes", "shares", "values"])
@pytest.mark.parametrize("size", [None, 3])
def test_rows_that_are_not_looked_at_change_no_arrangement(monkeypatch, labels, size):
    """Orders, levels and condensations take a sample of at most so many rows themselves."""
    mdp = mdp_of(1, n=60, labels=labels, loss=Squared() if labels == "values" else None)
    for module in (arrangements, arrangement):
        monkeypatch.setattr(module, "MAX_ROWS", 11)
    rule = ArrangementRule(Correlation(max_rows=11), size)
    few = rows_of(mdp)._arrangement(rule)
    monkeypatch.setattr(arrangements, "MAX_ROWS", 60)
    all_ = rows_of(mdp)._arrangement(rule)
    np.testing.assert_array_equal(few.order, all_.order)
    np.testing.assert_array_equal(few.rescaling.shift, all_.rescaling.shift)
    np.testing.assert_array_equal(few.rescaling.start, all_.rescaling.start)
