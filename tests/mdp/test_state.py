"""The contract of a state, and two small members that show what it can carry.

``Paid`` is what features with prices need, ``Gap`` what a ranker needs. Each runs
through the executor of any state and through a twin in plain Python.
"""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import mddag
from mddag.dag.executors.steps import follow, votes_on
from mddag.mdp.grid import Grid
from mddag.mdp.policy import EVAL, QUIT, SKIP, Policy
from mddag.mdp.state import Score
from tests.dag.test_dag import stumps
from tests.reference import grid as grid_twin
from tests.reference import steps as twin
from tests.reference import trees as trees_twin

GRID = Grid(np.linspace(-3, 3, 16))
N_CELLS = GRID.n_cells
N_STEPS, N_ROWS = 12, 60
EVERY = pytest.mark.parametrize(("every", "seed"), [(k, s) for k in (1, 2, 5) for s in (1, 2, 3)])


@dataclass(frozen=True)
class Paid:
    """The scores, and which groups of features have been paid for: bool (n, n_groups).

    groups : bool (N, n_groups), what step j reads; a cell of the scores is two, the second of them
             for rows that have paid for all that step j reads
    """

    grid: Grid
    groups: np.ndarray
    has_kernels = False

    @property
    def n_cells(self):
        return 2 * self.grid.n_cells

    def start(self, bias, n_rows):
        return np.tile(bias, (n_rows, 1)), np.zeros((n_rows, self.groups.shape[1]), bool)

    def cells(self, carried, j, rows):
        scores, paid = carried
        free = (paid[rows] | ~self.groups[j]).all(axis=1)
        return 2 * self.grid.cells(scores[rows]) + free

    def add(self, carried, j, rows, votes):
        scores, paid = carried
        scores[rows] += votes
        paid[rows] |= self.groups[j]

    def folds(self, j, to):
        return False

    def scores(self, carried):
        return carried[0]


@dataclass(frozen=True)
class Gap:
    """A document's place in its query: the cell is that of its score less the k-th best score.

    Carried are the scores of all documents (n, 1) and their queries (n,).
    """

    grid: Grid
    k: int
    has_kernels = False

    @property
    def n_cells(self):
        return self.grid.n_cells

    def start(self, bias, n_rows, qid=None):
        return np.tile(bias, (n_rows, 1)), np.zeros(n_rows, int) if qid is None else qid

    def cells(self, carried, j, rows):
        scores, qid = carried
        best = {q: np.sort(scores[qid == q, 0])[::-1][: self.k][-1] for q in set(qid[rows])}
        return self.grid.cells(scores[rows] - np.array([[best[q]] for q in qid[rows]]))

    def add(self, carried, j, rows, votes):
        carried[0][rows] += votes

    def folds(self, j, to):
        return False

    def scores(self, carried):
        return carried[0]


def random_policy(state, every=1, seed=0):
    rng = np.random.default_rng(seed)
    shape = -(-N_STEPS // every), state.n_cells
    actions = rng.choice([EVAL, SKIP, QUIT], size=shape, p=[0.5, 0.43, 0.07])
    actions[0] = EVAL  # all rows begin in one cell
    return Policy(actions, state.grid, rng.permutation(N_STEPS), every, state=state)


def sample(seed=0):
    """An ensemble of one score, rows, and what each base classifier says of each of them."""
    ensemble = stumps(N_STEPS, seed=seed)
    X = np.random.default_rng(seed + 1).normal(size=(N_ROWS, 2))
    return ensemble, X, trees_twin.votes(ensemble, X)[:, :, 0].tolist()


def assert_equal_runs(trace, paths, scores):
    assert [trace.path(i).tolist() for i in range(len(trace))] == paths
    assert trace.scores[:, 0].tolist() == scores
    assert len({tuple(path) for path in paths}) > 1


@EVERY
def test_the_scores_of_the_paper(every, seed):
    ensemble, X, votes = sample(seed)
    policy = random_policy(Score(GRID), every, seed)
    f = [float(ensemble.bias[0])] * N_ROWS

    def add(i, j, classifier):
        f[i] += votes[i][classifier]

    paths, _ = twin.follow(policy, N_ROWS, lambda i, j: grid_twin.cell(GRID, [f[i]]), add)
    carried = policy.state.start(ensemble.bias, N_ROWS)
    visits = follow(policy, votes_on(ensemble, X, 1), carried, N_ROWS)
    assert policy.state.scores(carried)[:, 0].tolist() == f
    assert sum(len(rows) for _, rows in visits) == sum(map(len, paths))
    np.testing.assert_allclose(mddag.compile(ensemble, policy).scores(X)[:, 0], f, atol=1e-6)


@EVERY
def test_features_are_paid_for_once(every, seed):
    ensemble, X, votes = sample(seed)
    groups = np.random.default_rng(5).random((N_STEPS, 4)) < 0.4
    policy = random_policy(Paid(GRID, groups), every, seed)
    f, paid = [float(ensemble.bias[0])] * N_ROWS, [set() for _ in range(N_ROWS)]
    wanted = [set(np.flatnonzero(row).tolist()) for row in groups]

    def cell(i, j):
        return 2 * grid_twin.cell(GRID, [f[i]]) + (wanted[j] <= paid[i])

    def add(i, j, classifier):
        f[i] += votes[i][classifier]
        paid[i] |= wanted[j]

    paths, _ = twin.follow(policy, N_ROWS, cell, add)
    dag = mddag.compile(ensemble, policy)
    assert_equal_runs(dag.run(X), paths, f)
    scores, exit_step = dag.exits(X)
    assert scores[:, 0].tolist() == f
    assert exit_step.tolist() == dag.run(X).exit_step.tolist()
    cells = np.arange(policy.state.n_cells)
    skips = policy.actions[1] == SKIP
    assert (policy.leads_to(every, cells)[skips] == 2 * every).all()  # to the next decision


@EVERY
def test_documents_of_a_query_take_their_steps_together(every, seed):
    ensemble, X, votes = sample(seed)
    state = Gap(GRID, k=3)
    policy = random_policy(state, every, seed)
    for qid in (np.arange(N_ROWS) % 5, np.zeros(N_ROWS, int)):
        f = [float(ensemble.bias[0])] * N_ROWS

        def cell(i, j, f=f, qid=qid):
            best = sorted((f[o] for o in range(N_ROWS) if qid[o] == qid[i]), reverse=True)[2]
            return grid_twin.cell(GRID, [f[i] - best])

        def add(i, j, classifier, f=f):
            f[i] += votes[i][classifier]

        paths, _ = twin.follow(policy, N_ROWS, cell, add)
        carried = state.start(ensemble.bias, N_ROWS, qid)
        visits = follow(policy, votes_on(ensemble, X, 1), carried, N_ROWS)
        assert state.scores(carried)[:, 0].tolist() == f
        assert sum(len(rows) for _, rows in visits) == sum(map(len, paths))
    assert_equal_runs(mddag.compile(ensemble, policy).run(X), paths, f)  # all of one query


def paid():
    return Paid(GRID, np.random.default_rng(5).random((N_STEPS, 4)) < 0.4)


def test_what_no_kernel_knows_is_run_step_by_step():
    ensemble, X, _ = sample()
    policy = random_policy(paid())
    dag = mddag.compile(ensemble, policy, expected_evaluations=3)
    assert [executor.name for executor in dag.possible] == ["steps"]
    assert dag.expected_speedup == N_STEPS / 3
    with pytest.raises(ValueError, match=r"'walk', but no kernel .* a Paid; leave executor"):
        mddag.compile(ensemble, policy, executor="walk")
    for kernels in (lambda: policy.jumps, lambda: policy.native, lambda: dag.walk):
        with pytest.raises(TypeError, match=r"is a Paid, which no kernel knows; wanted Score"):
            kernels()
    mdp = mddag.MDP(ensemble.votes(X), np.zeros(N_ROWS, int))
    with pytest.raises(TypeError, match="no kernel knows"):
        mdp.rollout(policy)


def test_state_and_policy_share_their_grid():
    policy = Policy.constant(EVAL, 3, GRID)
    assert isinstance(policy.state, Score)
    again = pickle.loads(pickle.dumps(policy))
    assert again.state.grid is again.grid
    with pytest.raises(ValueError, match="wanted one grid for both"):
        Policy(policy.actions, GRID, np.arange(3), state=Score(Grid(GRID.edges)))
    with pytest.raises(ValueError, match=r"actions have shape \(3, 17\); wanted \(3, 34\)"):
        Policy(policy.actions, GRID, np.arange(3), state=Paid(GRID, np.zeros((3, 1), bool)))


def test_fewest_cells_are_for_cells_of_scores_alone():
    policy = Policy.constant(EVAL, 3, GRID)
    assert policy.on_fewest_cells().state.n_cells == 1
    paid = Paid(GRID, np.zeros((3, 1), bool))
    other = Policy(np.full((3, 2 * N_CELLS), EVAL), GRID, np.arange(3), state=paid)
    assert other.on_fewest_cells() is other
