"""Twins of native/mdp and native/exits/walk.hpp: one action at a time."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np

from mddag.policy.policy import EVAL, QUIT, Policy
from mddag.policy.rollout import IntegerVotes
from tests.reference import trees as trees_twin

# Twin of native/mdp/grid.hpp and state.hpp: the cell of one score vector, written to be read.


def state(f):
    """(row of cells, number that is placed among the edges) of a score vector."""
    if len(f) == 1:
        return 0, f[0]
    top = f.index(max(f))  # the first of equals
    return top, f[top] - max(f[:top] + f[top + 1 :])


def cell(grid, f):
    row, s = state([float(score) for score in f])
    return row * (len(grid.edges) + 1) + sum(1 for edge in grid.edges if edge < s)


# Twin of native/mdp/rollout.hpp and walk.hpp: Eqs. (1)-(3), one action at a time, no jumps.


FIELDS = ("actions", "order", "verdict")


@dataclass
class Walk:
    """What happened to one instance."""

    scores: list[float]
    path: list[int]  # base classifiers, numbered as in the source ensemble
    exit_step: int  # one more than the last step that evaluated
    cost: float
    verdict: int = -1  # that of the policy; -1 where it has none


def follow(h, policy, bias, costs):
    """h(j) lists the votes (K,) that make up base classifier j; they are added one by one."""
    walk = Walk(list(bias), [], 0, 0.0)
    for step in range(policy.n_steps):
        if step % policy.every == 0:
            here = cell(policy.grid, walk.scores)
            action = policy.actions[step // policy.every, here]
        if action == QUIT:
            walk.verdict = _verdict(policy, step // policy.every, here)
            return walk
        if action == EVAL:
            classifier = int(policy.order[step])
            for vote in h(classifier):
                walk.scores = [f + v for f, v in zip(walk.scores, vote, strict=True)]
            walk.path.append(classifier)
            walk.exit_step = step + 1
            walk.cost += costs[classifier]
    walk.verdict = _verdict(policy, -1, cell(policy.grid, walk.scores))
    return walk


def _verdict(policy, decision, cell):
    return -1 if policy.verdict is None else int(policy.verdict[decision, cell])


def codes(walks):
    """The class of each walk: its verdict, or else the class of its scores."""
    return [code_of(walk.scores) if walk.verdict < 0 else walk.verdict for walk in walks]


def code_of(scores):
    return int(scores[0] > 0) if len(scores) == 1 else scores.index(max(scores))


def on_rows(ensemble, policy, X):
    """The walks of rows down the trees of an ensemble."""
    tables = ensemble.tables

    def votes_of(row):
        def h(j):
            trees = range(tables.rounds[j], tables.rounds[j + 1])
            return [tables.table(t)[trees_twin.leaf_code(ensemble.tree(t), row)] for t in trees]

        return h

    return [follow(votes_of(row), policy, ensemble.bias, ensemble.cost) for row in X]


def in_fixed_point(ensemble):
    """The ensemble with every vote rounded to whole units of its fixed point.

    Sums of such votes stay below 2^31 units, so float64 adds them exactly: the same walks are the
    specification of the executors that add integers.
    """
    return replace(ensemble, tables=_rounded(ensemble.tables))


def _rounded(tables):
    fixed = IntegerVotes.of(tables)
    return replace(tables, values=fixed.scores(fixed.values), bias=fixed.scores(fixed.bias))


def _on_fixed_edges(tables, policy):
    """The policy with edges in units of the votes."""
    fixed = IntegerVotes.of(tables)
    edges = np.ldexp(fixed.edges(policy.grid.edges).astype(float), -fixed.exponent)
    steps = SimpleNamespace(**{name: getattr(policy, name) for name in FIELDS})
    steps.n_steps, steps.every = policy.n_steps, policy.every
    steps.grid = SimpleNamespace(edges=edges)  # several may have become equal
    return steps


def on_rows_in_fixed_point(ensemble, policy, X):
    """The walks that executors of integers take, edges being those of the fixed point."""
    return on_rows(in_fixed_point(ensemble), _on_fixed_edges(ensemble.tables, policy), X)


def on_votes(votes, policy, costs):
    """The walks of rows whose votes are known: those of trees are integers."""
    tables = votes.tables
    if tables.of_trees:
        tables, policy = _rounded(tables), _on_fixed_edges(tables, policy)

    def votes_of(codes):
        return lambda j: [
            tables.table(t)[codes[t]] for t in range(tables.rounds[j], tables.rounds[j + 1])
        ]

    return [follow(votes_of(codes), policy, tables.bias, costs) for codes in votes.codes]


def next_step(policy, step, cell):
    """The first step from `step` on that evaluates in `cell`; N where the policy quits before."""
    if step % policy.every:  # inside what is being evaluated
        return step
    for j in range(step, policy.n_steps, policy.every):
        action = policy.actions[j // policy.every, cell]
        if action == EVAL:
            return j
        if action == QUIT:
            break
    return policy.n_steps


# Twin of mddag.solvers.exits and native/exits/walk.hpp: every candidate followed by
# itself, action by action.


def policy(confidence, knob, grid, n_steps, every):
    """Quit where the confidence reaches the knob."""
    actions = [[QUIT if c >= knob else EVAL for c in row] for row in confidence]
    return Policy(np.array(actions), grid, np.arange(n_steps), every)


def loss_and_cost(mdp, candidate):
    """Both parts of Eq. (8), walked one instance at a time."""
    walks = on_votes(mdp.votes, candidate, mdp.costs)
    losses = mdp.losses(np.array([walk.scores for walk in walks]))
    total = sum(mdp.weight)
    loss = sum(w * x for w, x in zip(mdp.weight, losses, strict=True)) / total
    return loss, sum(w * walk.cost for w, walk in zip(mdp.weight, walks, strict=True)) / total
