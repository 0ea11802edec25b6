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
| Rejection | detection: an FPR or a TPR is wanted, and the cost is that of negatives |

``solver`` has the contract: start there. ``exits`` are policies without SKIP, ``td`` the paper's
temporal differences, ``descent`` coordinate descent, ``rejection`` cascades of rejects,
``portfolio`` the default, which runs the others. ``ranking`` is for rankers: its members look at
whole queries, not at an MDP. Files of this folder serve several of them:
``search`` keeps the best policy so far, ``judged_candidates`` and ``front`` choose among policies
by loss and cost, ``teacher`` makes soft targets, ``quit_loss`` is the loss as kernels take it.
"""

from mddag.solvers.descent.descent import Descent
from mddag.solvers.exits.margin import Margin
from mddag.solvers.exits.prefix import Prefix
from mddag.solvers.exits.qwyc import QWYC
from mddag.solvers.exits.residual import Residual
from mddag.solvers.exits.stopping import Stopping
from mddag.solvers.portfolio.portfolio import Portfolio
from mddag.solvers.rejection.rejection import Rejection
from mddag.solvers.solver import Candidates, Family, Solver
from mddag.solvers.td.sarsa import Sarsa
from mddag.solvers.td.watkins_q import WatkinsQ

__all__ = [
    "QWYC",
    "Candidates",
    "Descent",
    "Family",
    "Margin",
    "Portfolio",
    "Prefix",
    "Rejection",
    "Residual",
    "Sarsa",
    "Solver",
    "Stopping",
    "WatkinsQ",
]
