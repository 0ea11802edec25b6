"""Solvers: each learns a `Policy` for an `MDP`.

The policy is learned on the rows of the MDP; `solve(mdp, selection)` takes further rows to choose
among the policies that were learned. `Portfolio`, the default, runs the others in several orders
and takes the best; `Sarsa` is the paper's. A solver is anything with a `solve` method: see
`Solver`.
"""

from mddag.solvers.descent import Descent
from mddag.solvers.exits import QWYC, Margin, Prefix, Residual
from mddag.solvers.portfolio import Portfolio
from mddag.solvers.sarsa import Sarsa, WatkinsQ
from mddag.solvers.solver import Candidates, Family, Solver

__all__ = [
    "QWYC",
    "Candidates",
    "Descent",
    "Family",
    "Margin",
    "Portfolio",
    "Prefix",
    "Residual",
    "Sarsa",
    "Solver",
    "WatkinsQ",
]
