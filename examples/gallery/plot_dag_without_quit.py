"""
A DAG of many base classifiers
==============================

A policy that may skip but not quit. Labels are thinned so that they never overlap.
"""

import numpy as np

import mddag
from mddag.datasets import two_clusters

X, y, cluster = two_clusters(random_state=0)
names = np.array(["negative", "blue", "red"])[cluster]
boost = mddag.AdaBoostMHClassifier(n_rounds=200, random_state=0).fit(X, y)
model = mddag.MDDAGClassifier.paper(
    boost, beta=3e-4, actions=("eval", "skip"), solver__n_episodes=10**5, solver__random_state=0
).fit(X, y)

positive = y == 1
trace = model.trace(X[positive])
mddag.DagDisplay.from_trace(trace, color=names[positive], n_classifiers=200)
