"""What is said of bad input: solvers and orders; tests/solvers has what each refuses by itself."""

from mddag import MDP, MDDAGRegressor
from mddag.policy import Correlation, Given
from mddag.solvers import QWYC, Descent, Margin, Portfolio, Prefix, Sarsa
from mddag.solvers.sarsa import Flat
from mddag.solvers.values import Table
from tests.messages.models import ReturnsNothing, X, Y, fit, mdp, named, regressor, rejected, votes


def of(solver, **changes):
    return lambda: fit(solver=solver, **changes)


def numbers():
    return MDDAGRegressor(regressor(), solver=Margin()).fit(X, X[:, 0])


def of_another_sample():
    return Prefix().solve(mdp(), MDP(votes().reordered([0, 1]), Y))


SOLVERS = [
    (lambda: Margin().solve(votes()), TypeError, "mdp is a Votes"),
    (lambda: Descent().solve(mdp(), X), TypeError, "selection is an array"),
    (of_another_sample, ValueError, "learn a policy for these"),
    (numbers, ValueError, "Margin.* labels are numbers"),
    *named(QWYC, rates="few"),
    (of(Descent(z="two")), ValueError, "z is 'two'"),
    (of(Portfolio(3)), TypeError, "members is 3;"),
    (of(Portfolio(sizes=(0,))), ValueError, "each of sizes is 0"),
    (of(Portfolio(orderings=(Given(),)), ordering=Given()), ValueError, "one of the"),
    (of(Sarsa(rate=None)), ValueError, "rate is None"),
    (of(Sarsa("t")), ValueError, "values is 't'"),
    (of(Sarsa(exploration=Flat)), ValueError, "exploration is <class"),
    *named(Table, running=None),
    (of(ReturnsNothing(), every=2), ValueError, "every is 2, .*ReturnsNothing"),
]
ORDERS = [
    *named(Correlation, focus="sharp", max_rows=0),
    (lambda: Given()(X), TypeError, "votes is an array of float64"),
]


test_messages = rejected(SOLVERS + ORDERS)
