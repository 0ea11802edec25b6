"""Solvers: an MDP comes in (votes, labels, loss, price beta), a policy goes out.

The rows of the MDP are the policy rows: a policy is learned on them. `solve(mdp, selection)` takes
further rows, which choose among the policies that were learned, by Eq. (8).

| solver | use it when |
|---|---|
| Portfolio | by default: it runs other solvers in several orders and takes the best candidate |
| Descent | rows are many: exact coordinate descent on Eq. (8) |
| Sarsa | you want the paper |
| WatkinsQ | you want what the authors' released program runs |
| Prefix | you want the simplest thing to beat: the same first n for every instance |
| Margin | rows are few: one threshold on the margin, LightGBM's early stopping tuned |
| QWYC | disagreement with the full ensemble is to be bounded: two thresholds per step |
| Residual | rows are few but the ensemble is long: a regression of the full score, one parameter |
| Stopping | probabilities count: early exits whose scores are read as a calibration reads them |

``solver`` has the contract: start there. ``sarsa`` and ``values`` are the paper's temporal
differences, ``exits`` has what early exits share, ``portfolio`` is the default, which runs the
others. ``ranking`` is for rankers: its members look at whole queries, not at an MDP; that of
detection is ``mddag.detection.Rejection``. ``front`` chooses among policies by loss and cost,
``preparation`` orders base classifiers and makes grids and soft targets.
"""

from mddag.solvers.descent import Descent
from mddag.solvers.margin import Margin, Prefix
from mddag.solvers.portfolio.portfolio import Portfolio
from mddag.solvers.qwyc import QWYC
from mddag.solvers.residual import Residual
from mddag.solvers.sarsa import Sarsa, WatkinsQ
from mddag.solvers.solver import Candidates, Family, Solver
from mddag.solvers.stopping import Stopping

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
    "Stopping",
    "WatkinsQ",
]
