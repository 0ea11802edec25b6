"""
The decision DAG of two clusters
================================

The positive class is two clusters, blue and red. The paper's solver learns which of 200 stumps an
instance evaluates; the picture shows the positives on their ways through them.
"""

import numpy as np

import mddag
from mddag.datasets import two_clusters

X, y, cluster = two_clusters(random_state=0)
names = np.array(["negative", "blue", "red"])[cluster]
boost = mddag.AdaBoostMHClassifier(n_rounds=200, random_state=0).fit(X, y)
model = mddag.MDDAGClassifier.paper(boost, beta=0.01, solver__random_state=0).fit(X, y)

positive = y == 1
trace = model.trace(X[positive])
display = mddag.DagDisplay.from_trace(trace, color=names[positive], n_classifiers=200)

# %%
# Base classifiers stand in the order of evaluation, so every edge leads to the right. The area
# of a node and the width of an edge are proportional to the instances that pass; the colour
# blends their groups (colours that colour-blind eyes can tell apart; grey without groups). An
# edge to the neighbour is a line, a jump an arc: above where the first group is the majority,
# below for the second. The bars at the foot show where instances quit.
#
# Nodes and edges that fewer than ``min_share`` (0.5 %) of all instances pass through are not
# drawn, and the caption has their number. ``trace.edges()`` gives every edge with its count.

print(trace.edges()[:5])
