"""
Evaluations by instance and by base classifier
==============================================

Left, panel (b) of the paper's Figure 1: how many base classifiers each instance evaluates. Right,
panel (c): the share of each group that evaluates a base classifier. ``X`` must have two columns;
without it the right panel stands alone.
"""

import numpy as np

import mddag
from mddag.datasets import two_clusters

X, y, cluster = two_clusters(random_state=0)
names = np.array(["negative", "blue", "red"])[cluster]
boost = mddag.AdaBoostMHClassifier(n_rounds=200, random_state=0).fit(X, y)
model = mddag.MDDAGClassifier.paper(boost, beta=0.01, solver__random_state=0).fit(X, y)

positive = y == 1
mddag.PathDisplay.from_trace(model.trace(X[positive]), X=X[positive], groups=names[positive])
