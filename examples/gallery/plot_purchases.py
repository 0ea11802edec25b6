"""
Which features rows buy
=======================

A model that buys features as a row needs them (``mddag.acquire``): which sets of groups the rows
go through.
"""

from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier

import mddag

X, y = make_classification(3000, 4, n_informative=4, n_redundant=0, random_state=0)
model = GradientBoostingClassifier(n_estimators=20, random_state=0).fit(X[:500], y[:500])
found = mddag.acquire(model, X[500:2000], y[500:2000], feature_costs=[1, 2, 3, 4], beta=0.02)
X_test = X[2000:]
mddag.PurchaseDisplay.from_trace(found.trace(X_test), found.dag_.purchases)
