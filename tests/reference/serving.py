"""Twins of what serves a model: steps in any state, lazy walks, probabilities, exported code."""

import math
import struct
from fractions import Fraction

import numpy as np

from mddag.policy.policy import EVAL, QUIT
from mddag.serving.export.tables import two_powers
from tests.reference.trees import goes_left

# Twin of Steps of src/mddag/engine/executors.py: a policy in any state, one action at a time.


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


# Twin of native/walk/lazy_run.hpp: one row, one step at a time, from its whole path.
#
# A row that has some groups evaluates the beginning of its path, up to the first base classifier
# that reads another group.


def reached(path, buys, had):
    """How many of the path are evaluated, and the groups that the next one lacks."""
    for place, classifier in enumerate(path):
        lacking = set(np.flatnonzero(buys[classifier])) - set(had)
        if lacking:
            return place, lacking
    return len(path), set()


# Twin of native/walk/probabilities.hpp: class probabilities of the scores (K,) of one row.


def probabilities(f, factor, offset=0.0):
    if len(f) == 1:
        odds = factor * f[0] + offset
        small = math.exp(-abs(odds))
        p = [(1.0 if z >= 0 else small) / (1.0 + small) for z in (-odds, odds)]
        winner = int(f[0] > 0)
    else:
        winner = f.index(max(f))
        powers = [math.exp(factor * (score - f[winner])) for score in f]
        total = 0.0  # sum() would compensate for rounding
        for power in powers:
            total += power
        p = [power / total for power in powers]
    if p.index(max(p)) != winner:
        p[winner] = math.nextafter(max(p), 1.0)
    return p


# Twin of src/mddag/serving/export/walks/c/walk.h: exported tables walked, a row at a time.


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


# Twin of the exp of exported code (src/mddag/serving/export/walks): fused operations are
# exact sums of fractions, rounded once.


def fma(a, b, c):
    return float(Fraction(a) * Fraction(b) + Fraction(c))


def of_bits(bits):
    return struct.unpack("<d", struct.pack("<Q", bits % 2**64))[0]


def exp(x):
    if not -1024 < x < 1024:
        return math.inf if x > 0 else 0.0
    if abs(x) < 2.0**-54:
        return 1 + x
    k = round(Fraction(float.fromhex("0x1.71547652b82fep7")) * Fraction(x))
    r = fma(k, float.fromhex("-0x1.62e42fefap-8"), x)
    r = fma(k, float.fromhex("-0x1.cf79abc9e3b39p-47"), r)
    tail, scale = (int(bits) for bits in two_powers()[2 * (k % 128) :][:2])
    second = fma(r, float.fromhex("0x1.555555555543cp-3"), float.fromhex("0x1.ffffffffffdbdp-2"))
    fourth = fma(r, float.fromhex("0x1.1111167a4d017p-7"), float.fromhex("0x1.55555cf172b91p-5"))
    rest = fma(r * r, second, of_bits(tail) + r)
    rest = fma((r * r) * (r * r), fourth, rest)
    bits = scale + (k << 45)
    if -512 < x < 512:
        return fma(of_bits(bits), rest, of_bits(bits))
    if k > 0:
        small = of_bits(bits - (1009 << 52))
        return 2.0**1009 * fma(small, rest, small)
    large = of_bits(bits + (1022 << 52))
    part = large * rest
    y = large + part
    if y < 1:
        high = 1 + y
        y = high + (1 - high + y + (large - y + part)) - 1
    return 2.0**-1022 * y
