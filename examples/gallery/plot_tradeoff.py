"""
The trade-off: error against evaluations
========================================

One point per price ``beta``, on rows that neither the stumps nor the policies have seen.
"""

import numpy as np

import mddag
from mddag.datasets import two_clusters
from mddag.policy import Given
from mddag.solvers import Sarsa

boost = mddag.AdaBoostMHClassifier(n_rounds=200, random_state=0)
boost.fit(*two_clusters(random_state=0)[:2])
X, y, _ = two_clusters(random_state=1)
X_test, y_test, _ = two_clusters(20_000, random_state=2)

curve = mddag.sweep(
    boost,
    X,
    y,
    betas=np.geomspace(1e-4, 0.1, 7),
    X_test=X_test,
    y_test=y_test,
    ordering=Given(),
    solver=Sarsa(),
)
print(curve)
curve.plot()

# %%
# The line joins the points that no other beats on the rows that choose (selection rows, which
# ``sweep`` sets apart, else the training rows), drawn where they lie on the test rows: it may
# bend upwards, and that is what a choice without test rows gives. The star and the dashed line
# are the full ensemble. ``curve.to_csv(path)`` keeps all numbers; ``curve.envelope()`` gives
# the chosen rows, ``curve.policies`` their policies.
