"""Twin of src/mddag/engine/executors/steps.py: a policy in any state, one action at a time."""

from mddag.policy.policy import EVAL, QUIT


def follow(policy, n_rows, cell, add):
    """Paths, and (step, cell) in which each row quits; None where it goes to the end.

    cell(i, j) is the cell of row i at step j; add(i, j, classifier) is called where it evaluates.
    All rows look at their cells before any of them evaluates.
    """
    paths, quits = [[] for _ in range(n_rows)], [None] * n_rows
    actions = [EVAL] * n_rows
    for j in range(policy.n_steps):
        staying = [i for i in range(n_rows) if quits[i] is None]
        if j % policy.every == 0:
            cells = {i: cell(i, j) for i in staying}
            for i in staying:
                actions[i] = policy.actions[j // policy.every, cells[i]]
                quits[i] = (j, cells[i]) if actions[i] == QUIT else None
        for i in staying:
            if actions[i] == EVAL:
                add(i, j, int(policy.order[j]))
                paths[i].append(int(policy.order[j]))
    return paths, quits
