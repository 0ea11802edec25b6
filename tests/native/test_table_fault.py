"""What Python checks first, the native executors check again (native/ensemble/table_fault.hpp)."""

import numpy as np
import pytest

from mddag import _core
from mddag.engine.executors import Blocks
from mddag.engine.program import Program
from mddag.policy.rollout import IntegerVotes
from tests.native.test_walk import forest, noisy_policy

SCORES = 3


def parts():
    """What executors are made of, by name."""
    ensemble = forest(8, n_trees=6, n_scores=SCORES, score=[-1, 0, 1, 2, -1, 0])
    policy = noisy_policy(ensemble, 5)
    fixed = IntegerVotes.of(ensemble.tables)
    nodes, node_starts, words, word_starts = ensemble.native
    return {
        "nodes": nodes,
        "node_starts": node_starts,
        "words": words,
        "word_starts": word_starts,
        "values": fixed.values,
        "starts": ensemble.tables.starts,
        "score": ensemble.tables.score,
        "rounds": ensemble.tables.rounds,
        "n_scores": SCORES,
        "bias": fixed.bias,
        "order": policy.order.astype(np.int64),
        "edges": fixed.edges(policy.grid.edges),
        "jumps": policy.jumps,
        "every": 1,
        "n_features": ensemble.n_features,
    }


def walk(p):
    return _core.Walk(*_ensemble(p), p["edges"], p["jumps"], p["every"], p["n_features"], True)


def forest_of(p):
    return _core.Forest(*_ensemble(p))


def _ensemble(p):
    trees = tuple(p[name] for name in ("nodes", "node_starts", "words", "word_starts"))
    tables = tuple(p[name] for name in ("values", "starts", "score", "rounds", "n_scores"))
    return trees, tables, p["bias"], 1.0, p["order"]


def put(array, at, value):
    array = array.copy()
    array[at] = value
    return array


FAULTS = {
    "score": (lambda s: put(s, 1, 3), "tree 1 votes for score 3; there are 3"),
    "score below all": (lambda s: put(s, 1, -2), "tree 1 votes for score -2"),
    "starts": (lambda s: put(s, 2, -8), "starts do not rise from 0 to"),
    "values": (lambda v: v[:-1], "starts do not rise"),
    "rounds": (lambda r: put(r, -1, 7), "rounds do not rise from 0 to 6"),
    "node_starts": (lambda s: put(s, 1, 2**40), "starts of nodes do not rise"),
    "word_starts": (lambda s: put(s, 1, 1), "starts of words do not rise from 0 to 0"),
    "order": (lambda o: put(o, 2, 6), "step 2 evaluates base classifier 6; there are 6"),
    "order below all": (lambda o: put(o, 2, -1), "step 2 evaluates base classifier -1"),
    "bias": (lambda b: b[:2], "bias and tables differ in scores"),
    "n_scores": (lambda n: 2, "tree 3 votes for score 2; there are 2"),
}


@pytest.mark.parametrize("made", [walk, forest_of])
@pytest.mark.parametrize("fault", FAULTS)
def test_numbers_that_lead_out_of_the_arrays_are_refused(made, fault):
    change, message = FAULTS[fault]
    name = fault.split()[0]
    given = parts()
    made(given)
    with pytest.raises(ValueError, match=message):
        made(given | {name: change(given[name])})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"every": 0}, "every leaves"),
        ({"every": 2**64 - 1}, "every leaves"),
        ({"every": 2}, "jumps are not those of the steps and cells"),
        ({"edges": np.zeros(4, np.int64)}, "jumps are not those of the steps and cells"),
    ],
)
def test_jumps_of_another_policy_are_refused(changes, message):
    given = parts() | changes
    with pytest.raises(ValueError, match=message):
        walk(given)
    with pytest.raises(ValueError, match=message):
        _core.Decisions(given["edges"], given["jumps"], 6, given["every"], SCORES, 0)


def test_tests_number_columns_in_thirty_bits():
    given = parts()
    assert walk(given | {"n_features": 2**30})
    with pytest.raises(ValueError, match="more columns than tests can number"):
        walk(given | {"n_features": 2**30 + 1})


def test_decisions_of_another_forest_are_refused():
    few, many = forest(8, n_trees=6), forest(8, n_trees=7)
    decisions = Blocks(Program(many, noisy_policy(many, 5))).decisions
    with pytest.raises(ValueError, match="not of this forest's steps and scores"):
        Program(few, noisy_policy(few, 5)).forest.run_blocks(
            np.zeros((2, 4)), decisions, np.zeros((2, 1)), None, 1
        )


@pytest.mark.parametrize(("n_factors", "n_offsets"), [(6, 6), (7, 6), (6, 7), (0, 0)])
def test_calibrations_of_other_exits_are_refused(n_factors, n_offsets):
    given = walk(parts())
    _core.CalibratedWalk(given, np.ones(7), np.zeros(7))
    with pytest.raises(ValueError, match="factors and offsets are not of all exit steps"):
        _core.CalibratedWalk(given, np.ones(n_factors), np.zeros(n_offsets))


@pytest.mark.parametrize(
    ("scores", "factors", "out", "message"),
    [
        ((3, 1), 2, (3, 2), "factors are not those of the rows"),
        ((3, 1), 0, (3, 2), "factors are not those of the rows"),
        ((3, 1), 1, (2, 2), "probabilities do not fit the scores"),
        ((3, 4), 3, (3, 3), "probabilities do not fit the scores"),
        ((3, 1), 3, (3, 1), "probabilities do not fit the scores"),
    ],
)
def test_probabilities_of_other_rows_are_refused(scores, factors, out, message):
    with pytest.raises(ValueError, match=message):
        _core.probabilities(np.zeros(scores), np.ones(factors), np.zeros(factors), np.zeros(out))


def test_offsets_of_other_rows_are_refused():
    with pytest.raises(ValueError, match="offsets are not those of the factors"):
        _core.probabilities(np.zeros((3, 1)), np.ones(3), np.zeros(1), np.zeros((3, 2)))


def test_kernels_on_votes_check_their_tables_too():
    tables = forest(8, n_trees=6).tables
    score = put(tables.score, 2, 1)
    with pytest.raises(ValueError, match="tree 2 votes for score 1; there are 1"):
        _core.add_coded_scores(
            (tables.values, tables.starts, score, tables.rounds, 1),
            np.zeros((1, 6), np.uint8),
            np.zeros((1, 1)),
        )


def staged(**changes):
    """A walk of two stages, and what it is made of by name."""
    ensemble = forest(8, n_trees=6)
    policy = noisy_policy(ensemble, 5)
    fixed = IntegerVotes.of(ensemble.tables)
    tables = ensemble.tables
    n_cells = policy.grid.n_cells
    parts = {
        "reads": np.array([0, 0, 1, 1, 0, 1, 1]),
        "starts": np.arange(7),
        "columns": np.array([0, 0, 1, 1, 0, 1]),
        "n_columns": 2,
        "end": 1,
        "table": np.zeros((7, n_cells), np.int16),
        "passed": np.zeros(n_cells, np.int16),
        "bias": fixed.bias,
    } | changes
    votes = (fixed.values, tables.starts, tables.score, tables.rounds, len(parts["bias"]))
    stages = tuple(parts[name] for name in ("reads", "starts", "columns", "n_columns", "end"))
    order = policy.order.astype(np.int64)
    made = ensemble.native, votes, parts["bias"], 1.0, order, fixed.edges(policy.grid.edges)
    verdicts = parts["table"], parts["passed"]
    return _core.StageWalk(
        *made, policy.jumps, 1, ensemble.n_features, True, verdicts, stages
    ).predict_one(np.zeros(ensemble.n_features))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reads": np.zeros(6, np.int64)}, "stages are not those of the steps and columns"),
        ({"reads": np.full(7, 2)}, "stages are not"),
        ({"reads": np.full(7, -1)}, "stages are not"),
        ({"starts": np.zeros(7, np.int64)}, "stages are not"),
        ({"starts": np.array([0, 5, 2, 3, 4, 5, 6])}, "stages are not"),
        ({"starts": np.array([-1, 1, 2, 3, 4, 5, 6])}, "stages are not"),
        ({"starts": np.arange(6)}, "stages are not"),
        ({"columns": np.array([0, 0, 2, 1, 0, 1])}, "stages are not"),
        ({"columns": np.array([0, 0, -1, 1, 0, 1])}, "stages are not"),
        ({"end": 2}, "stages are not"),
        ({"table": np.zeros((6, 5), np.int16)}, "verdicts are not those of the decisions"),
        ({"passed": np.zeros(5, np.int16)}, "verdicts are not those of the decisions"),
    ],
)
def test_stages_and_verdicts_of_another_policy_are_refused(changes, message):
    assert staged() == 0
    with pytest.raises(ValueError, match=message):
        staged(**changes)
