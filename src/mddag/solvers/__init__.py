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

from mddag.solvers.certificate import Certificate
from mddag.solvers.descent import Descent
from mddag.solvers.margin import Margin
from mddag.solvers.portfolio import Portfolio
from mddag.solvers.prefix import Prefix
from mddag.solvers.qwyc import QWYC
from mddag.solvers.residual import Residual
from mddag.solvers.sarsa import Sarsa
from mddag.solvers.solver import Candidates, Family, Solver
from mddag.solvers.stopping import Stopping
from mddag.solvers.watkins_q import WatkinsQ

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
