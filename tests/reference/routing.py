"""Twin of ensemble/routing.py and dag/executors/regions.py: one row through a routed policy."""

from tests.reference.trees import leaf_code


def path(ensemble, routing, policy, row, cell_of):
    """The score of a row and the base classifiers it evaluates, numbered as in the source; the
    router is number N. `cell_of` gives the cell of a sum."""
    from mddag.mdp.policy import EVAL, QUIT

    q = leaf_code(routing.router, row)
    tables, source = routing.tables, ensemble.tables
    f, taken, j = tables.bias.copy(), [], 0
    leaves = source.n_leaves
    while j < policy.n_steps:
        action = policy.actions[j // policy.every, cell_of(f)]
        if action == QUIT:
            break
        for step in range(j, min(j + policy.every, policy.n_steps)) if action == EVAL else ():
            if step == 0:
                taken.append(len(ensemble))
                f = f + tables.table(0)[q]
                continue
            h = routing.order[q, step - 1]
            taken.append(int(h))
            each = source.rounds[h + 1] - source.rounds[h]
            for i in range(each):
                t, slot = source.rounds[h] + i, 1 + (step - 1) * each + i
                before = sum(
                    leaves[source.rounds[routing.order[p, step - 1]] + i] for p in range(q)
                )
                f = f + tables.table(slot)[before + leaf_code(ensemble.tree(t), row)]
        j += policy.every
    return f, taken
