"""What is said of bad input: solvers and orders, their explorations and value functions."""

import numpy as np

from mddag import MDP, MDDAGRegressor
from mddag.policy import Correlation, Given
from mddag.solvers import (
    QWYC,
    Descent,
    Margin,
    Portfolio,
    Prefix,
    Sarsa,
    WatkinsQ,
)
from mddag.solvers.sarsa import Flat, Growing
from mddag.solvers.values import RadialBasis, Table
from tests.messages.models import ReturnsNothing, X, Y, fit, mdp, named, regressor, rejected, votes
from tests.solvers.problems import mdp_of, three_classifiers


def of(solver, **changes):
    return lambda: fit(solver=solver, **changes)


def numbers():
    return MDDAGRegressor(regressor(), solver=Margin()).fit(X, X[:, 0])


def of_another_sample():
    return Prefix().solve(mdp(), MDP(votes().reordered([0, 1]), Y))


SOLVERS = [
    (lambda: Margin().solve(votes()), TypeError, "mdp is a Votes"),
    (lambda: Descent().solve(mdp(), X), TypeError, "selection is an array"),
    (of_another_sample, "learn a policy for these"),
    (numbers, "Margin.* labels are numbers"),
    *named(QWYC, rates="few"),
    (of(Descent(z="two")), "z is 'two'"),
    (of(Portfolio(3)), TypeError, "members is 3;"),
    (of(Portfolio(sizes=(0,))), "each of sizes is 0"),
    (of(Portfolio(orderings=(Given(),)), ordering=Given()), "one of the"),
    (of(Sarsa(rate=None)), "rate is None"),
    (of(Sarsa("t")), "values is 't'"),
    (of(Sarsa(exploration=Flat)), "exploration is <class"),
    *named(Table, running=None),
    (of(ReturnsNothing(), every=2), "every is 2, .*ReturnsNothing"),
]
ORDERS = [
    *named(Correlation, focus="sharp", max_rows=0),
    (lambda: Given()(X), TypeError, "votes is an array of float64"),
]


test_messages = rejected(SOLVERS + ORDERS)


# What solvers, explorations and value functions take, and how they refuse the rest.


def solved(kind, **parameters):
    return lambda: kind(**parameters).solve(three_classifiers())


def certain(episode, n_steps):
    return np.full(n_steps, 2.0)


EXPLORATIONS = [
    (lambda: Flat(start=-0.1), "start is -0.1"),
    (lambda: Flat(start=np.nan), "start is nan"),
    (lambda: Growing(start=1.5), "start is 1.5"),
    (lambda: Flat(period=0), "period is 0"),
]
LEARNERS = [
    (solved(Sarsa, n_episodes=1e6), "n_episodes is 1000000.0"),
    (solved(WatkinsQ, evaluate_every=0), "evaluate_every is 0"),
    (solved(Sarsa, rate=np.nan), "rate is nan"),
    (solved(WatkinsQ, trace_decay=1.5), "trace_decay is 1.5"),
    (solved(Sarsa, exploration=certain), "in episode 1"),
    (lambda: RadialBasis(n_centers=9, max_centers=8), "max_centers is 8"),
    (lambda: RadialBasis(sigma=0), "sigma is 0"),
]
EXITS = [
    (lambda: Margin(every=0), "every is 0"),
    (lambda: QWYC(rates=()), r"rates are \(\)"),
    (lambda: QWYC(rates=(0.1, -0.1)), r"rates are \(0.1, -0.1\)"),
    (lambda: QWYC(rates=(1.5,)), r"rates are \(1.5,\)"),
    (lambda: QWYC().solve(mdp_of(0, n_scores=3)), "votes have 3 scores; QWYC has"),
]

test_messages_of_parameters = rejected(EXPLORATIONS + LEARNERS + EXITS)
