"""Solvers: from a Markov decision process to a policy.

| solver | use it when |
|---|---|
| Portfolio | always, unless you know better: the others in several orders, chosen among |
| Descent | you want the best policy that the rows can teach |
| Sarsa | you want the paper |
| WatkinsQ | you want what the authors' released program runs |
| Prefix | you want the simplest thing to beat: the same first n for every instance |
| Margin | rows are few: one threshold on the margin, LightGBM's early stopping tuned |
| QWYC | disagreement with the full ensemble is to be bounded: two thresholds per step |
| Residual | rows are few but the ensemble is long: a model of what remains, one knob |
| Stopping | probabilities count: early exits that read scores as a calibration will |
| Certificate | no label may change, on any input |
"""

from mddag.solvers.descent.descent import Descent
from mddag.solvers.exits.certificate import Certificate
from mddag.solvers.exits.margin import Margin
from mddag.solvers.exits.prefix import Prefix
from mddag.solvers.exits.qwyc import QWYC
from mddag.solvers.exits.residual import Residual
from mddag.solvers.exits.stopping import Stopping
from mddag.solvers.portfolio.portfolio import Portfolio
from mddag.solvers.solver import Candidates, Family, Solver
from mddag.solvers.td.sarsa import Sarsa
from mddag.solvers.td.watkins_q import WatkinsQ

__all__ = [
    "QWYC",
    "Candidates",
    "Certificate",
    "Descent",
    "Family",
    "Margin",
    "Portfolio",
    "Prefix",
    "Residual",
    "Sarsa",
    "Solver",
    "Stopping",
    "WatkinsQ",
]
