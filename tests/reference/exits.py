"""Twin of mddag.solvers.exits and native/exits/walk.hpp: every candidate followed by
itself, action by action."""

import numpy as np

from mddag.policy.policy import EVAL, QUIT, Policy
from tests.reference import rollout


def policy(confidence, knob, grid, n_steps, every):
    """Quit where the confidence reaches the knob."""
    actions = [[QUIT if c >= knob else EVAL for c in row] for row in confidence]
    return Policy(np.array(actions), grid, np.arange(n_steps), every)


def loss_and_cost(mdp, candidate):
    """Both parts of Eq. (8), walked one instance at a time."""
    walks = rollout.on_votes(mdp.votes, candidate, mdp.costs)
    losses = mdp.losses(np.array([walk.scores for walk in walks]))
    total = sum(mdp.weight)
    loss = sum(w * x for w, x in zip(mdp.weight, losses, strict=True)) / total
    return loss, sum(w * walk.cost for w, walk in zip(mdp.weight, walks, strict=True)) / total
