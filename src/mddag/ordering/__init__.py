"""Ordering: the votes of base classifiers come in; the order in which a policy decides on them goes
out, with the constants and weights that partial sums in this order need.

| ordering | use it when |
|---|---|
| Correlation | by default: the ensemble was not made with early exits in mind (gradient boosting) |
| Given | the sequence is good as it is |

``order`` has the contract of an ordering and the two above. ``arrangement`` adds levels: constants,
one per step, with which the sign of a partial sum is the expected sign of the full one.
``condensation`` picks a few base classifiers with new weights, whose sum follows the full score.
``covariances`` has the matrices for both. None of these uses labels.
"""

from mddag.ordering.order import Correlation, Given, Ordering

__all__ = ["Correlation", "Given", "Ordering"]
