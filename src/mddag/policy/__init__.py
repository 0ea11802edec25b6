"""The decision process of Section 2: problems, policies, orderings and calibration.

`MDP` holds votes, labels, loss and price of a sample, Eqs. (4) to (8); `Policy` has one action per
step and cell of a `Grid`; `Correlation` puts the base classifiers in order. Start with `mdp`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
