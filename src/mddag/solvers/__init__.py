"""Solvers: from a Markov decision process to a policy.

| solver | use it when |
|---|---|
| Sarsa | you want the paper |
| WatkinsQ | you want what the authors' released program runs |
| Prefix | you want the simplest thing to beat: the same first n for every instance |
| Margin | rows are few: one threshold on the margin, LightGBM's early stopping tuned |
"""

from mddag.solvers.margin import Margin
from mddag.solvers.prefix import Prefix
from mddag.solvers.sarsa import Sarsa
from mddag.solvers.solver import Candidates, Family, Solver
from mddag.solvers.watkins_q import WatkinsQ

__all__ = ["Candidates", "Family", "Margin", "Prefix", "Sarsa", "Solver", "WatkinsQ"]
