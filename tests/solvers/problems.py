"""Small random MDPs of every kind, with numbers that never tie by accident of rounding."""

import numpy as np

from mddag import MDP, Grid
from mddag.ensemble.votes import Tables, Votes, starts_of
from mddag.losses import Exponential, Hinge, Logistic, Squared, ZeroOne


def absolute(scores, labels):
    """A loss that has no native twin."""
    return np.abs(scores[:, 0] - labels)


def interrupted_after(n_calls):
    """A loss that is interrupted by Ctrl-C at a given call."""
    calls = iter(range(n_calls))

    def loss(scores, labels):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return absolute(scores, labels)

    return loss


LOSSES = {
    "zero_one": ZeroOne(),
    "prices": ZeroOne(weights=[[0.0, 1.5, 0.5], [2.0, 0.0, 1.0], [0.3, 1.0, 0.0]]),
    "exponential": Exponential(scale=0.3),
    "logistic": Logistic(scale=1.3),
    "hinge": Hinge(scale=0.7),
    "squared": Squared(),
    "callback": absolute,
}


def mdp_of(
    seed,
    *,
    n_scores=1,
    labels="classes",
    loss=None,
    weighted=False,
    actions=("eval", "skip", "quit"),
    n=8,
    n_steps=4,
    n_cells=16,
    several_trees=False,
):
    rng = np.random.default_rng(seed)
    n_classes = max(n_scores, 2)
    # Where all scores are 0, shares of classes lose the same, so that rounding of their sums would
    # say which action is best.
    biased = seed % 2 or labels == "shares"
    if several_trees:
        votes = rounds_of_trees(rng, n, n_steps, n_scores)
    else:
        votes = Votes.from_dense(
            rng.normal(size=(n, n_steps, n_scores)), bias=rng.normal(size=n_scores) * biased
        )
    targets = {
        "classes": rng.integers(0, n_classes, n),
        "shares": rng.dirichlet(np.ones(n_classes), n),
        "values": rng.normal(size=n),
    }
    if isinstance(loss, ZeroOne) and loss.weights is not None and n_classes == 2:
        loss = ZeroOne(weights=[0.7, 2.0])
    return MDP(
        votes,
        targets[labels],
        loss=loss,
        beta=0.05,
        costs=rng.uniform(0.5, 2, n_steps),
        weight=rng.integers(0, 3, n) + rng.uniform() if weighted else None,
        grid=Grid.uniform(votes, n_cells),
        actions=actions,
    )


def rounds_of_trees(rng, n, n_steps, n_scores):
    """Base classifiers of none to three trees, which vote for one class or for all of them."""
    n_trees = rng.integers(0, 4, n_steps)
    score = rng.integers(-1 if n_scores > 1 else 0, n_scores, n_trees.sum())
    n_leaves = rng.integers(1, 4, len(score))
    starts = starts_of(n_leaves * np.where(score < 0, n_scores, 1))
    tables = Tables(
        rng.normal(size=starts[-1]),
        starts,
        score.astype(np.int32),
        starts_of(n_trees),
        rng.normal(size=n_scores),
        of_trees=False,  # rollouts then add in float64, as the kernels that learn do
    )
    return Votes((rng.random((n, len(score))) * n_leaves).astype(np.uint8), tables)


def three_classifiers():
    """Eight kinds of instance, each once: h_1 is weak, h_2 a distraction, h_3 repairs h_1's doubt.

    The best policy evaluates h_1, skips h_2, and asks h_3 only where h_1 votes weakly.
    """
    weak, strong = 0.5, 2.0
    votes = [
        [strong, weak, weak],
        [strong, -weak, -weak],
        [-strong, weak, weak],
        [-strong, -weak, weak],
        [weak, weak, strong],
        [weak, weak, -strong],
        [-weak, -weak, strong],
        [-weak, weak, -strong],
    ]
    labels = [1, 1, 0, 0, 1, 0, 1, 0]
    tables = np.array(votes)
    return MDP(tables, labels, beta=0.05, grid=Grid([-1.0, 0.0, 1.0]))
