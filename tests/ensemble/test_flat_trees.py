import numpy as np
import pytest

from mddag.dag.dag import compile as compile_dag
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.nodes import TreeBuilder
from mddag.features.features import Features


def stump(width=1, feature=0, vote=1.0):
    tree = TreeBuilder()
    left, right = tree.leaf(np.full(width, -vote)), tree.leaf(np.full(width, vote))
    return tree.finish(tree.split(feature, 0.0, left, right, missing_left=True))


def laid(trees, **keywords):
    return Ensemble.from_trees(trees, features=Features(2), **keywords)


def test_trees_of_width_k_vote_for_all_and_of_width_one_for_the_first():
    assert laid([stump(3), stump(1), stump(3)], bias=np.zeros(3)).tables.score.tolist() == [
        -1,
        0,
        -1,
    ]
    assert laid([stump(1), stump(1)]).tables.score.tolist() == [0, 0]
    ensemble = laid([stump(3), stump(1)], bias=np.zeros(3))
    assert ensemble.scores([[1.0, 0.0]]).tolist() == [[2.0, 1.0, 1.0]]


@pytest.mark.parametrize("executor", ["walk", "blocks", "all"])
def test_all_of_one_score_is_that_score(executor):
    ensemble = laid([stump(), stump(), stump()], score=[0, -1, -1], rounds=[0, 1, 3])
    assert ensemble.tables.score.tolist() == [0, 0, 0]
    X = np.repeat([[1.0, 0.0], [-1.0, 0.0]], 300, axis=0)
    dag = compile_dag(ensemble, executor=executor)
    np.testing.assert_array_equal(dag.scores(X), np.repeat([[3.0], [-3.0]], 300, axis=0))
    np.testing.assert_array_equal(ensemble.votes(X).scores(), dag.scores(X))


@pytest.mark.parametrize(
    ("trees", "keywords", "message"),
    [
        (
            [stump(), stump(feature=2)],
            {},
            r"tree 1 splits column 2 \(node 0\), but there are 2 features; .* lie in 0\.\.1",
        ),
        ([stump(), stump(2)], {}, "tree 1 has votes of width 2, but votes for score 0 of 1"),
        (
            [stump(3), stump(2)],
            {"bias": np.zeros(3)},
            "tree 1 has votes of width 2, but votes for score 0 of 3; wanted width 1",
        ),
        (
            [stump(1)],
            {"bias": np.zeros(3), "score": [-1]},
            "tree 0 has votes of width 1, but votes for all 3 scores; wanted width 3",
        ),
        ([stump()], {"score": [1]}, r"tree 0 votes for score 1; wanted a number in 0\.\.0"),
        ([stump()], {"score": [-2]}, "tree 0 votes for score -2"),
        ([stump()], {"score": [0.0]}, "score is float64; wanted whole numbers, one for each of 1"),
        ([stump()], {"score": [0, 0]}, r"score has shape \(2,\); wanted one number for each tree"),
        ([stump()], {"score": 0}, r"score has shape \(\)"),
        ([stump()] * 3, {"rounds": [0, 2, 1, 3]}, r"fall from 2 to 1 \(base classifier 1\)"),
        (
            [stump()] * 3,
            {"rounds": [0, 2]},
            r"rounds are \[0 2\]; wanted numbers rising",
        ),
        ([stump()] * 3, {"rounds": [1, 3]}, r"rounds are \[1 3\]"),
        ([stump()] * 3, {"rounds": [0, 99, 3]}, "fall from 99 to 3"),
        ([stump()] * 3, {"rounds": [0.0, 3.0]}, "rounds is float64; wanted whole numbers, rising"),
        ([stump()] * 3, {"rounds": []}, r"rounds are \[\]"),
        ([stump(), stump(vote=np.nan)], {}, r"tree 1 votes nan \(leaf code 0\); .* be finite"),
        ([stump()], {"bias": [np.inf]}, r"bias is \[inf\]; wanted one finite number"),
        ([stump()], {"bias": [[0.0]]}, r"bias is \[\[0.0\]\]"),
        ([stump()], {"classes": [1, 2, 3]}, r"classes has shape \(3,\); 1 score\(s\) stand for 2"),
    ],
)
def test_what_does_not_fit_is_refused(trees, keywords, message):
    with pytest.raises(ValueError, match=message):
        laid(trees, **keywords)


def test_what_is_no_tree_is_refused():
    with pytest.raises(TypeError, match=r"trees\[1\] is a str; wanted Nodes"):
        laid([stump(), "tree"])


def test_arrays_of_other_types_and_layouts_are_taken():
    ensemble = laid(
        [stump(), stump()],
        score=np.zeros(4, np.int8)[::2],
        rounds=np.array([0, 9, 1, 9, 2], np.uint16)[::2],
        bias=np.float32(0.5),
        cost=np.arange(4.0)[::2],
    )
    assert ensemble.scores(np.ones((1, 2))).tolist() == [[2.5]]
    for array in (ensemble.tables.score, ensemble.tables.rounds, ensemble.cost):
        assert array.flags.c_contiguous


def test_what_the_caller_keeps_can_no_longer_change_the_ensemble():
    bias, cost, rounds, classes = np.zeros(1), np.ones(1), np.arange(2), np.array([3, 4])
    ensemble = laid([stump()], bias=bias, cost=cost, rounds=rounds, classes=classes)
    bias[:], cost[:], rounds[:], classes[:] = 7, 7, 7, 7
    assert (ensemble.bias[0], ensemble.cost[0], ensemble.classes[0]) == (0, 1, 3)
    assert ensemble.tables.rounds.tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        ensemble.cost[0] = -1
