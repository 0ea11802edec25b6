"""Losses: scores and labels come in, what QUIT pays for each row goes out, L of Eq. (6).

| loss | use it when |
|---|---|
| ZeroOne | the label is what counts (MDDAG.I); prices of errors by class where they differ |
| Exponential | AdaBoost's own loss (MDDAG.EXP): goes on where the margin can still grow |
| Logistic | probabilities count, and scores are log-odds (LightGBM, XGBoost, …) |
| Hinge | margins count, but only up to 1 |
| Squared | regression |

Any callable of (scores, labels) will do; see docs/losses.md. ``loss`` has the contract: start
there.
"""

from mddag.losses.exponential import Exponential
from mddag.losses.hinge import Hinge
from mddag.losses.logistic import Logistic
from mddag.losses.loss import Loss
from mddag.losses.squared import Squared
from mddag.losses.zero_one import ZeroOne

__all__ = ["Exponential", "Hinge", "Logistic", "Loss", "Squared", "ZeroOne"]
