"""Hypothesis strategies: ensembles and rows that hit every kind of split, grids, policies."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Features
from mddag.ensemble.nodes import TreeBuilder
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.policy.state import Stages

# Few distinct values, so that rows land on thresholds, beside them, and outside of every set.
VALUES = [-np.inf, -3.0, -1.0, -0.5, -0.0, 0.0, 0.1, 1.0, 2.0, 31.0, 32.0, 64.5, 1e30, np.inf]


@st.composite
def trees(draw, n_features, width, max_depth=4):
    """A random Nodes of numeric and nominal splits."""
    tree = TreeBuilder()

    def grow(depth):
        if depth == max_depth or draw(st.integers(0, 3)) == 0:
            return tree.leaf(np.array(draw(st.lists(votes_, min_size=width, max_size=width))))
        left, right = grow(depth + 1), grow(depth + 1)
        feature = draw(st.integers(0, n_features - 1))
        missing_left = draw(st.booleans())
        if draw(st.integers(0, 3)) == 0:
            members = draw(st.lists(st.integers(0, 70), max_size=5, unique=True))
            return tree.nominal_split(feature, np.array(members), left, right, missing_left)
        threshold = draw(st.sampled_from(VALUES))
        return tree.split(feature, threshold, left, right, missing_left)

    return tree.finish(grow(0))


votes_ = st.floats(-2, 2, allow_subnormal=False).map(lambda v: round(v, 3))


@st.composite
def ensembles(draw, n_scores=None):
    """A random Ensemble: K scores, single-score and all-score trees, several trees per h_j."""
    n_features = draw(st.integers(1, 3))
    n_scores = draw(st.sampled_from([1, 1, 2, 3])) if n_scores is None else n_scores
    n_trees = draw(st.integers(0, 5))
    score = [0 if n_scores == 1 else draw(st.integers(-1, n_scores - 1)) for _ in range(n_trees)]
    members = [draw(trees(n_features, n_scores if k < 0 else 1)) for k in score]
    cuts = draw(st.lists(st.integers(0, n_trees), max_size=3)) if n_trees else []
    return Ensemble.from_trees(
        members,
        features=Features(n_features),
        bias=draw(st.lists(votes_, min_size=n_scores, max_size=n_scores)),
        score=score,
        rounds=[0, *sorted(cuts), n_trees] if n_trees else [0],
    )


@st.composite
def rows(draw, n_features, max_rows=20):
    """Rows of the values above and NaN, float32 or float64, C- or F-ordered or a strided view."""
    n = draw(st.integers(1, max_rows))
    value = st.sampled_from([*VALUES, np.nan])
    flat = draw(st.lists(value, min_size=n * n_features, max_size=n * n_features))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    X = np.array(flat, dtype).reshape(n, n_features)
    layout = draw(st.sampled_from(["C", "F", "view"]))
    return np.repeat(X, 2, axis=0)[::2] if layout == "view" else np.array(X, order=layout)


@st.composite
def grids(draw, n_scores, max_edges=5):
    """A random Grid whose edges lie among the sums of the votes above, few or none of them."""
    edges = draw(st.lists(votes_, max_size=max_edges, unique_by=lambda e: e + 0.0))
    return Grid(np.unique(np.array(edges, np.float64)), n_scores)


@st.composite
def policies(draw, n_steps, n_scores, grid=None):
    """A random Policy: any action in any cell, steps in any order, decisions every few steps."""
    grid = draw(grids(n_scores)) if grid is None else grid
    action = st.sampled_from([EVAL, EVAL, SKIP, QUIT])
    every = draw(st.sampled_from([1, 1, 2, 3]))
    n_decisions = -(-n_steps // every)
    size = n_decisions * grid.n_cells
    actions = np.array(draw(st.lists(action, min_size=size, max_size=size)), np.uint8)
    order = np.array(draw(st.permutations(range(n_steps))), np.intp)
    return Policy(actions.reshape(n_decisions, grid.n_cells), grid, order, every)


@st.composite
def with_verdicts(draw, policy):
    """The policy with a random verdict wherever a row may quit, some of them by the scores."""
    code = st.integers(-1, max(policy.grid.n_scores, 2) - 1)
    shape = len(policy.actions) + 1, policy.state.n_cells
    codes = draw(st.lists(code, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    return replace(policy, verdict=np.array(codes, np.int16).reshape(shape))


@st.composite
def staged_policies(draw, n_steps, n_scores=1):
    """A random Policy of stages: any column is read and any are written, verdicts or leaps or
    neither."""
    policy = draw(policies(n_steps, n_scores))
    n_columns = draw(st.integers(1, min(3, n_steps + 1)))
    column, write = st.integers(0, n_columns - 1), st.booleans()
    reads = draw(st.lists(column, min_size=n_steps + 1, max_size=n_steps + 1))
    size = n_steps * n_columns
    writes = np.array(draw(st.lists(write, min_size=size, max_size=size)), bool)
    state = Stages(policy.grid, reads, writes.reshape(n_steps, n_columns))
    staged = replace(policy, state=state)
    kind = draw(st.sampled_from(["plain", "verdicts", "leaps"]))
    if kind == "leaps" and n_steps % policy.every == 0:
        return draw(with_leaps(staged))
    return draw(with_verdicts(staged)) if kind == "verdicts" else staged


@st.composite
def with_leaps(draw, policy):
    """The policy with SKIPs that lead to any later decision, or to the end."""
    n_decisions, n_cells = policy.actions.shape
    rows = [
        draw(st.lists(st.integers(d + 1, n_decisions), min_size=n_cells, max_size=n_cells))
        for d in range(n_decisions)
    ]
    return replace(policy, leaps=np.array(rows, np.int32).reshape(n_decisions, n_cells))
