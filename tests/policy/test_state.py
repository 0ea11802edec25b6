"""The contract of a state, and two small members that show what it can carry.

``Paid`` is what features with prices need, ``Gap`` what a ranker needs. Each runs
through the executor of any state and through a twin in plain Python.
"""

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mddag
from mddag.engine.executors import Steps, follow, votes_on
from mddag.policy.arrangement import Arrangement
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, QUIT, SKIP, Policy
from mddag.policy.rollout import roll_out
from mddag.policy.state import Score, Stages
from tests import strategies
from tests.engine.test_dag import stumps
from tests.reference import rollout as rollout_twin
from tests.reference import serving as twin
from tests.reference import stages as stages_twin
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

    paths, _ = twin.follow(policy, N_ROWS, lambda i, j: rollout_twin.cell(GRID, [f[i]]), add)
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
        return 2 * rollout_twin.cell(GRID, [f[i]]) + (wanted[j] <= paid[i])

    def add(i, j, classifier):
        f[i] += votes[i][classifier]
        paid[i] |= wanted[j]

    paths, _ = twin.follow(policy, N_ROWS, cell, add)
    dag = mddag.compile(ensemble, policy)
    assert_equal_runs(dag.run(X), paths, f)
    scores, exit_step = dag.exits(X)
    assert scores[:, 0].tolist() == f
    assert exit_step.tolist() == dag.run(X).exit_step.tolist()
    skips = policy.actions[1] == SKIP
    assert (policy.jump_table[1, skips] == 2 * every).all()  # to the next decision


@EVERY
def test_documents_of_a_query_take_their_steps_together(every, seed):
    ensemble, X, votes = sample(seed)
    state = Gap(GRID, k=3)
    policy = random_policy(state, every, seed)
    for qid in (np.arange(N_ROWS) % 5, np.zeros(N_ROWS, int)):
        f = [float(ensemble.bias[0])] * N_ROWS

        def cell(i, j, f=f, qid=qid):
            best = sorted((f[o] for o in range(N_ROWS) if qid[o] == qid[i]), reverse=True)[2]
            return rollout_twin.cell(GRID, [f[i] - best])

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


LEAPS = np.full((12, N_CELLS), 12)
SEED = 1  # of stumps, some rows of which every stage refuses


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_rows_go_as_single_actions_say(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.staged_policies(len(ensemble), ensemble.n_scores))
    walks = stages_twin.on_rows(ensemble, policy, X)
    executor = Steps(mddag.compile(ensemble, policy).program)
    trace = executor.run(X, 1)
    assert [trace.path(i).tolist() for i in range(len(X))] == [walk.path for walk in walks]
    assert trace.scores.tolist() == [walk.scores for walk in walks]
    assert trace.exit_step.tolist() == [walk.exit_step for walk in walks]
    assert trace.verdict.tolist() == rollout_twin.codes(walks)
    assert executor.verdicts(X, 1).tolist() == rollout_twin.codes(walks)


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_the_walk_gives_the_bits_of_the_twin_in_fixed_point(data):
    ensemble = data.draw(strategies.ensembles())
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.staged_policies(len(ensemble), ensemble.n_scores))
    dag = mddag.compile(ensemble, policy)
    assert [executor.name for executor in dag.possible] == ["walk"]
    walks = stages_twin.on_rows_in_fixed_point(ensemble, policy, X, dag.fixed_point)
    scores, exits = [walk.scores for walk in walks], [walk.exit_step for walk in walks]
    trace = dag.run(X)
    assert [trace.path(i).tolist() for i in range(len(X))] == [walk.path for walk in walks]
    assert trace.scores.tolist() == scores
    assert trace.exit_step.tolist() == exits
    assert trace.verdict.tolist() == rollout_twin.codes(walks)
    for n_jobs in (1, 3):
        assert dag.scores(X, n_jobs=n_jobs).tolist() == scores
        assert dag.verdicts(X, n_jobs=n_jobs).tolist() == rollout_twin.codes(walks)
        assert dag.exits(X, n_jobs=n_jobs)[1].tolist() == exits
    for i, x in enumerate(np.ascontiguousarray(X)):
        if dag.ensemble.features.missing or not np.isnan(x).any():
            assert list(dag.walk.scores_one(x)) == scores[i]
            assert dag.walk.predict_one(x) == rollout_twin.codes(walks)[i]


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_rollouts_are_those_of_the_executors(data):
    ensemble = data.draw(strategies.ensembles().filter(len))
    X = data.draw(strategies.rows(ensemble.n_features))
    policy = data.draw(strategies.staged_policies(len(ensemble), ensemble.n_scores))
    dag, votes = mddag.compile(ensemble, policy), ensemble.votes(X)
    found, trace = roll_out(policy, votes), dag.run(X)
    np.testing.assert_array_equal(found.scores, trace.scores)
    np.testing.assert_array_equal(found.exit_step, trace.exit_step)
    np.testing.assert_array_equal(found.n_evaluated, trace.n_evaluated)
    np.testing.assert_array_equal(found.codes, trace.verdict)
    walks = stages_twin.on_rows_in_fixed_point(ensemble, policy, X, dag.fixed_point)
    mdp = mddag.MDP(votes, np.zeros(len(X), int))
    scores, n_evaluated, _ = mdp.rollout(policy)
    assert scores.tolist() == [walk.scores for walk in walks]
    assert n_evaluated.tolist() == [len(walk.path) for walk in walks]
    assert mdp.evaluate(policy).loss == pytest.approx(np.mean(list(map(_is_wrong, walks))))


def _is_wrong(walk):
    """Whether the walk of a row of class 0 counts as an error; a tie does."""
    if walk.verdict >= 0:
        return walk.verdict > 0
    first, *others = walk.scores
    return not first < 0 if not others else not first > max(others)


def cascade(n_stages=3, length=4):
    """Stages with a column each: after a stage, rows that it rejects quit with class 0."""
    n_steps = n_stages * length
    stage = np.arange(n_steps) // length
    reads = np.maximum(np.append(stage, n_stages - 1), 0)
    reads[length::length] = np.arange(n_stages)  # its first step reads the stage before
    actions = np.full((n_steps, N_CELLS), EVAL)
    refused = np.arange(N_CELLS) < GRID.cells(np.array([[0.5]]))[0]
    actions[length::length] = np.where(refused, QUIT, EVAL)
    verdict = np.zeros((n_steps + 1, N_CELLS), int)
    verdict[-1] = ~refused
    state = Stages(GRID, reads, stage[:, None] == np.arange(n_stages))
    return Policy(actions, GRID, np.arange(n_steps), state=state, verdict=verdict)


def test_a_cascade_refuses_by_the_column_of_the_stage():
    ensemble, policy = stumps(12, seed=SEED), cascade()
    X = np.random.default_rng(0).normal(size=(300, 2))
    trace = mddag.compile(ensemble, policy).run(X)
    votes = trees_twin.votes(ensemble, X)[:, :, 0]
    sums = ensemble.bias[0] + votes.reshape(300, 3, 4).sum(axis=2)
    passes = sums > GRID.edges[np.searchsorted(GRID.edges, 0.5) - 1]
    stage = np.where(passes[:, 0], np.where(passes[:, 1], 2, 1), 0)
    assert trace.exit_step.tolist() == (4 * (stage + 1)).tolist()
    np.testing.assert_allclose(trace.scores[:, 0], sums[np.arange(300), stage], atol=1e-6)
    assert trace.verdict.tolist() == passes.all(axis=1).astype(int).tolist()
    assert len(set(stage.tolist())) == 3


def test_skips_fold_within_a_column():
    state = Stages(GRID, np.repeat([0, 1, 2], [4, 4, 5]))
    skips = Policy(np.full((12, N_CELLS), SKIP), GRID, np.arange(12), state=state)
    for j in range(13):
        assert (skips.jump_table[j] == min(4 * (j // 4 + 1), 12)).all()
    by_three = Policy(np.full((4, N_CELLS), SKIP), GRID, np.arange(12), 3, state=state)
    assert by_three.jump_table[:4, 0].tolist() == [6, 6, 9, 12]


def test_leaps_lead_over_steps_that_all_quit():
    """Two blocks of steps, and a row that leaps over the first is decided by the second alone."""
    ensemble, n_cells = stumps(6, seed=SEED), N_CELLS
    state = Stages(GRID, [0, 0, 1, 1, 2, 2, 2], np.repeat(np.eye(3, dtype=bool), 2, axis=0))
    actions = np.full((6, n_cells), EVAL)
    actions[2], actions[4, :4] = SKIP, QUIT
    leaps = np.full((6, n_cells), 4)
    leaps[4] = 6
    policy = Policy(actions, GRID, np.arange(6), state=state, leaps=leaps)
    assert policy.n_reached == 6
    X = np.random.default_rng(0).normal(size=(40, 2))
    trace = mddag.compile(ensemble, policy).run(X)
    assert set(trace.indices.tolist()) == {0, 1, 4, 5}
    assert set(trace.exit_step.tolist()) == {6}


def test_steps_that_are_left_out_or_added():
    state = Stages(GRID, [0, 1, 0, 1])
    longer = state.for_steps(5)
    assert longer.reads.tolist() == [0, 1, 0, 1, 1, 1]
    assert not longer.writes[3:].any()
    assert longer.for_steps(3).reads.tolist() == state.reads.tolist()
    assert state.for_steps(1).reads.tolist() == [0, 1]
    policy = replace(cascade(), verdict=None)
    whole = policy.after(Arrangement(np.arange(14), None, 12))
    assert whole.state.n_steps == whole.n_steps == 14
