"""What is said of bad input: solvers, exploration and value functions."""

from mddag import MDP, MDDAGRegressor
from mddag.ordering import Given
from mddag.solvers import (
    QWYC,
    Descent,
    Margin,
    Portfolio,
    Prefix,
    Residual,
    Sarsa,
    Stopping,
)
from mddag.solvers.sarsa import Flat, Growing
from mddag.solvers.values import RadialBasis, Table
from tests.messages.message import check, each
from tests.messages.models import ReturnsNothing, X, Y, fit, mdp, regressor, votes

ROWS = [
    ("mdp", lambda: Margin().solve(votes()), TypeError, "mdp is a Votes; wanted an MDP, such as"),
    (
        "selection",
        lambda: Descent().solve(mdp(), X),
        TypeError,
        "selection is an array .*wanted an MDP of the rows that choose",
    ),
    ("Margin", lambda: Margin(every=0), ValueError, "every is 0; wanted a whole number"),
    ("Residual", lambda: Residual(width=0), ValueError, "width is 0; wanted a whole number"),
    ("rates", lambda: QWYC(rates="few"), ValueError, "rates is 'few'; wanted shares of the rows"),
    ("rates above", lambda: QWYC(rates=(2,)), ValueError, r"rates are \(2,\); wanted shares"),
    ("order", lambda: QWYC(order="best"), TypeError, "ordering is 'best'; wanted a callable"),
    (
        "z",
        lambda: fit(solver=Descent(z="two")),
        ValueError,
        "z is 'two'; wanted a number of standard",
    ),
    (
        "targets",
        lambda: fit(solver=Descent(targets="x")),
        ValueError,
        "targets is 'x'; wanted one of",
    ),
    ("start", lambda: fit(solver=Descent(start=1)), TypeError, "start is an int; wanted a Policy"),
    (
        "members",
        lambda: fit(solver=Portfolio(3)),
        TypeError,
        "members is 3; wanted a tuple of them",
    ),
    (
        "no members",
        lambda: fit(solver=Portfolio(())),
        ValueError,
        "members is empty; wanted at least",
    ),
    (
        "sizes",
        lambda: fit(solver=Portfolio(sizes=(0,))),
        ValueError,
        "each of sizes is 0; wanted a whole number",
    ),
    (
        "two orders",
        lambda: fit(solver=Portfolio(orderings=(Given(),)), ordering=Given()),
        ValueError,
        "has orders of its own; give one of the two",
    ),
    ("n_episodes", lambda: fit(solver=Sarsa(n_episodes=0)), ValueError, "n_episodes is 0; wanted"),
    (
        "rate",
        lambda: fit(solver=Sarsa(rate=None)),
        ValueError,
        "rate is None; wanted a learning rate",
    ),
    (
        "trace_decay",
        lambda: fit(solver=Sarsa(trace_decay=2)),
        ValueError,
        "trace_decay is 2; wanted lambda in 0..1",
    ),
    (
        "values",
        lambda: fit(solver=Sarsa("t")),
        ValueError,
        "values is 't'; wanted a value function",
    ),
    (
        "exploration",
        lambda: fit(solver=Sarsa(exploration=Flat)),
        ValueError,
        "exploration is <class .*; wanted a callable such as Flat()",
    ),
    ("shape", lambda: fit(solver=Stopping(shape="x")), ValueError, "shape is 'x'; wanted one of"),
    (
        "numbers",
        lambda: MDDAGRegressor(regressor(), solver=Margin()).fit(X, X[:, 0]),
        ValueError,
        "quits where the winning class is sure, but labels are numbers",
    ),
    (
        "every of one's own",
        lambda: fit(solver=ReturnsNothing(), every=2),
        ValueError,
        "every is 2, but .* decides at each base classifier",
    ),
    (
        "another sample",
        lambda: Prefix().solve(mdp(), MDP(votes().reordered([0, 1]), Y)),
        ValueError,
        "learn a policy for these",
    ),
    (
        "start of epsilon",
        lambda: Flat(start=2),
        ValueError,
        "start is 2; wanted a probability, 0 to 1",
    ),
    ("period", lambda: Growing(period=0), ValueError, "period is 0; wanted a whole number"),
    ("n_bins", lambda: Table(n_bins=0.5), ValueError, "n_bins is 0.5; wanted a whole number"),
    (
        "running",
        lambda: Table(running=None),
        ValueError,
        "running is None; wanted one of True, False",
    ),
    ("sigma", lambda: RadialBasis(sigma=0), ValueError, "sigma is 0; wanted a number above 0"),
]


@each(ROWS)
def test_messages(call, error, words):
    check(call, error, words)
