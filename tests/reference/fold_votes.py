"""Twin of ensemble/fold_votes.py: one row in its own model, tree by tree."""

import numpy as np

from tests.reference.trees import leaf_code, n_comparisons


def scores_after(model, common, row):
    """The scores of a row before and after each base classifier of its model, (N + 1, K).

    Before any tree has voted for a score it is `common`, the same for the rows of all models.
    """
    rounds, f, voted = model.tables.rounds, model.bias.copy(), np.zeros(model.n_scores, bool)
    found = [np.where(voted, f, common)]
    for j in range(model.n_classifiers):
        for t in range(rounds[j], rounds[j + 1]):
            k = model.tables.score[t]
            of_tree = slice(None) if k < 0 else slice(k, k + 1)
            f[of_tree] += model.tree(t).votes[leaf_code(model.tree(t), row)]
            voted[of_tree] = True
        found.append(np.where(voted, f, common))
    return np.array(found)


def nodes(model, row):
    """The nodes that a row visits in each base classifier of its model, (N,)."""
    rounds = model.tables.rounds
    return [
        sum(n_comparisons(model.tree(t), row) for t in range(rounds[j], rounds[j + 1]))
        for j in range(model.n_classifiers)
    ]
