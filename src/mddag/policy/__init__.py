"""Section 2 of the paper: votes, labels, loss and price in, the value of a policy out.

``MDP`` is the decision process on a sample of rows, Eqs. (4) to (8); ``Policy`` one action per step
and cell; ``Grid`` the cells of scores; ``State`` what is carried for a row and becomes a cell;
``Curve`` the policies of several prices. ``ordering`` says in which order base classifiers come:

| ordering | use it when |
|---|---|
| Correlation | by default: the ensemble was not made with early exits in mind (gradient boosting) |
| Given | the sequence is good as it is |

``arrangement`` adds constants, one per step, with which the sign of a partial sum is the expected
sign of the full one; ``condensation`` picks a few base classifiers with new weights;
``calibration`` turns scores into probabilities by exit. Start with ``mdp``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
