"""What the bindings of charges and of features paid refuse: arrays that do not fit the trees.

Equality with the twins is in tests/mdp and tests/solvers."""

import numpy as np
import pytest

from mddag import _core
from mddag.mdp.paid import Paid
from tests.solvers.problems import mdp_of

OTHERS = {
    "leaves": lambda c: (c[0][1:], *c[1:]),
    "starts": lambda c: (c[0], c[1][1:], *c[2:]),
    "rising starts": lambda c: (c[0], c[1][::-1].copy(), *c[2:]),
    "wants": lambda c: (*c[:2], c[2][1:], *c[3:]),
    "words": lambda c: (*c[:2], np.repeat(c[2], 2, axis=1), *c[3:]),
    "no words": lambda c: (c[0][:, :0].copy(), c[1], c[2][:, :0].copy(), *c[3:]),
    "groups without a cost": lambda c: (c[0] | 1 << 31, *c[1:]),
    "costs": lambda c: (*c[:3], np.ones(500), *c[4:]),
}


def rolled_out(mdp, charges, wants=None, width=None):
    """A rollout of evaluate-all in the doubled state."""
    n, state = mdp.n_instances, mdp.state
    policy = mdp.evaluate_all()
    jumps = np.tile(policy.jump_table[:, :1], (1, state.n_cells)).astype(np.int32)
    wants = state.native if wants is None else wants
    width = mdp.n_scores + wants.shape[1] if width is None else width
    out = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(n), 1, charges
    of = mdp.votes.tables.native, mdp.votes.codes, mdp.grid.native, wants
    _core.rollout_paid(*of, (jumps, np.arange(mdp.n_steps)), mdp.costs, np.zeros((n, width)), *out)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("charge", ["tree", "path"])
def test_charges_of_other_trees_are_refused(name, charge):
    mdp = mdp_of(0, n=12, charge=charge)
    rolled_out(mdp, mdp.charges.native)
    with pytest.raises(ValueError, match="charges are not those of the trees"):
        rolled_out(mdp, OTHERS[name](mdp.charges.native))


def test_states_of_other_steps_are_refused():
    mdp = mdp_of(0, n=12, charge="tree")
    assert isinstance(mdp.state, Paid)
    with pytest.raises(ValueError, match="groups are not those of the steps"):
        rolled_out(mdp, None, wants=mdp.state.native[1:])
    with pytest.raises(ValueError, match="what rows carry is not that of the state"):
        rolled_out(mdp, None, width=9)
