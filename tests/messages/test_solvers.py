"""What is said of bad input: solvers and orders; tests/solvers has what each refuses by itself."""

from mddag import MDP, MDDAGRegressor
from mddag.policy import Correlation, Given
from mddag.solvers import QWYC, Descent, Margin, Portfolio, Prefix, Sarsa
from mddag.solvers.sarsa import Flat
from mddag.solvers.values import Table
from tests.messages.message import check, each
from tests.messages.models import ReturnsNothing, X, Y, fit, mdp, regressor, votes


def of(solver, **changes):
    return lambda: fit(solver=solver, **changes)


def numbers():
    return MDDAGRegressor(regressor(), solver=Margin()).fit(X, X[:, 0])


def of_another_sample():
    return Prefix().solve(mdp(), MDP(votes().reordered([0, 1]), Y))


SOLVERS = [
    ("mdp", lambda: Margin().solve(votes()), TypeError, "mdp is a Votes"),
    ("selection", lambda: Descent().solve(mdp(), X), TypeError, "selection is an array"),
    ("another sample", of_another_sample, ValueError, "learn a policy for these"),
    ("numbers", numbers, ValueError, "Margin.* labels are numbers"),
    ("rates", lambda: QWYC(rates="few"), ValueError, "rates is 'few'"),
    ("z", of(Descent(z="two")), ValueError, "z is 'two'"),
    ("members", of(Portfolio(3)), TypeError, "members is 3;"),
    ("sizes", of(Portfolio(sizes=(0,))), ValueError, "each of sizes is 0"),
    ("two orders", of(Portfolio(orderings=(Given(),)), ordering=Given()), ValueError, "one of the"),
    ("rate", of(Sarsa(rate=None)), ValueError, "rate is None"),
    ("values", of(Sarsa("t")), ValueError, "values is 't'"),
    ("exploration", of(Sarsa(exploration=Flat)), ValueError, "exploration is <class"),
    ("running", lambda: Table(running=None), ValueError, "running is None"),
    ("foreign, every", of(ReturnsNothing(), every=2), ValueError, "every is 2, .*ReturnsNothing"),
]
ORDERS = [
    ("focus", lambda: Correlation(focus="sharp"), ValueError, "focus is 'sharp'"),
    ("max_rows", lambda: Correlation(max_rows=0), ValueError, "max_rows is 0"),
    ("order of", lambda: Given()(X), TypeError, "votes is an array of float64"),
]


@each(SOLVERS + ORDERS)
def test_messages(call, error, words):
    check(call, error, words)
