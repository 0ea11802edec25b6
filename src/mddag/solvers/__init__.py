"""Solvers: from a Markov decision process to a policy.

| solver | use it when |
|---|---|
| Descent | you want the best policy that the rows can teach |
| Sarsa | you want the paper |
| WatkinsQ | you want what the authors' released program runs |
"""

from mddag.solvers.descent import Descent
from mddag.solvers.sarsa import Sarsa
from mddag.solvers.solver import Solver
from mddag.solvers.watkins_q import WatkinsQ

__all__ = ["Descent", "Sarsa", "Solver", "WatkinsQ"]
