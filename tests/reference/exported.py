"""Twin of src/mddag/serving/export/walks/c/walk.h: exported tables walked, a row at a time."""

import numpy as np

from tests.reference.trees import goes_left


def leaf(splits, root, row):
    """Where the votes of the leaf begin that a row reaches from a root."""
    at = root
    while at >= 0:
        node = splits.records[at]
        left = goes_left(node, splits.words, float(row[node["feature"]]))
        at = node["left"] if left else node["right"]
    return ~at


def read(tables, row, sums):
    """The row of runs, and the state that a decision reads."""
    if tables.stages is not None:
        return row, sums[tables.stages.reads[row]]
    if tables.n_scores == 1:
        return row, sums[0]
    top = sums.index(max(sums))
    return row * tables.n_scores + top, sums[top] - max(sums[:top] + sums[top + 1 :])


def looked_up(runs, row, state):
    first, end = runs.starts[row : row + 2]
    return int(runs.values[first + np.searchsorted(runs.bounds[first:end], state)])


def look(tables, step, sums):
    """Where the table leads from a step on."""
    if step % tables.every:
        return step
    row, state = read(tables, step // tables.every, sums)
    return looked_up(tables.jumps, row, state)


def next_step(tables, step, sums):
    """The first step from `step` on that evaluates."""
    to = look(tables, step, sums)
    while tables.stages is not None and to != step and to < tables.n_steps:
        step, to = to, look(tables, to, sums)
    return to


def verdict(tables, exit_step, sums):
    """The class of a row that has left; -1 where its scores decide."""
    if tables.verdicts is None:
        return -1
    while tables.stages is not None and look(tables, exit_step, sums) < tables.n_steps:
        exit_step = look(tables, exit_step, sums)
    runs = tables.verdicts
    for step in (exit_step, tables.n_steps):
        row, state = read(tables, -(-step // tables.every), sums)
        code = looked_up(runs, row, state)
        if code != -2:
            return code
    raise AssertionError("the end has no verdict")


def evaluate(tables, j, row, sums):
    """Step j adds its votes."""
    votes = [0] * tables.n_scores
    for t in range(tables.rounds[j], tables.rounds[j + 1]):
        at = leaf(tables.splits, tables.splits.roots[t], row)
        k = int(tables.score[t])
        for c in [k] if k >= 0 else range(tables.n_scores):
            votes[c] += int(tables.votes[at + (0 if k >= 0 else c)])
    stages, columns = tables.stages, range(tables.n_scores)
    if stages is not None:
        columns = stages.columns[stages.starts[j] : stages.starts[j + 1]]
    for c in columns:
        sums[c] += votes[0 if stages is not None else c]


def run(tables, row):
    """Integer scores (K), how many base classifiers were evaluated, and the class."""
    sums, n_evaluated, exit_step = [int(b) for b in tables.bias], 0, 0
    if tables.stages is not None:
        sums *= tables.stages.n_columns
    j = next_step(tables, 0, sums)
    while j < tables.n_steps:
        evaluate(tables, j, row, sums)
        n_evaluated, exit_step = n_evaluated + 1, j + 1
        j = next_step(tables, j + 1, sums)
    scores = sums
    if tables.stages is not None:
        scores = [sums[tables.stages.reads[-(-exit_step // tables.every)]]]
    code = verdict(tables, exit_step, sums)
    if code < 0:
        code = int(scores[0] > 0) if len(scores) == 1 else scores.index(max(scores))
    return scores, n_evaluated, code
