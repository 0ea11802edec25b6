"""
A DAG of 500 trees, and one of its rows
=======================================

Of hundreds of trees that are evaluated one after the other there would be nothing to see. So
neighbours are grouped, and the picture is a river of instances (``grouped=True`` or ``False``
decides otherwise).
"""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier

import mddag

X, y = make_classification(9000, 20, n_informative=8, flip_y=0.03, random_state=0)
names = np.where(y == 1, "positive", "negative")
trees = HistGradientBoostingClassifier(max_iter=500, max_leaf_nodes=8, early_stopping=False)
trees.fit(X[:3000], names[:3000])
model = mddag.sparsify(
    trees, X[3000:6000], names[3000:6000], beta=1e-4, solver=mddag.solvers.Margin(), random_state=0
)

rows, labels = X[6000:], names[6000:]
trace = model.trace(rows)
mddag.DagDisplay.from_trace(trace, color=labels, n_classifiers=500)

# %%
# The height is the share of instances that come to a group, thin arcs are jumps over groups,
# and the bars at the foot show where instances quit. Groups hold about as many evaluations
# each, so the first trees stand alone.
#
# One row is explained in words, in numbers, and as a plot: the score after each step, and at the
# end the scores at which the policy quits there.

long = np.argsort(trace.n_evaluated, kind="stable")[int(0.9 * len(rows))]
explanation = model.explain(rows[long])
explanation.plot()
print(explanation)
