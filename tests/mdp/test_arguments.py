"""What an MDP takes, and how it refuses the rest."""

import numpy as np
import pytest

from mddag.ensemble.votes import Votes
from mddag.losses import Squared
from mddag.mdp.grid import Grid
from mddag.mdp.mdp import MDP

VOTES = np.array([[1.0, -2.0, 0.5], [-1.0, 0.5, 0.25], [0.5, 0.5, 0.5], [-2.0, 1.0, 0.0]])
LABELS = np.array([1, 0, 1, 0])


@pytest.mark.parametrize("beta", [-0.1, float("nan"), float("inf"), "0.1", None, [0.1]])
def test_a_bad_beta_is_refused(beta):
    with pytest.raises(ValueError, match=r"beta is .*; wanted a finite price per evaluation"):
        MDP(VOTES, LABELS, beta=beta)


@pytest.mark.parametrize("beta", [0, 1, np.float32(0.5), np.int64(2)])
def test_numbers_of_every_kind_are_betas(beta):
    assert MDP(VOTES, LABELS, beta=beta).beta == float(beta)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            [0, 1, 2, 0],
            r"2 classes but labels contain class 2 \(row 2\); labels must lie in 0\.\.1",
        ),
        ([0, -1, 1, 0], r"class -1 \(row 1\)"),
        ([0, 1, 0], r"labels have shape \(3,\) for votes on 4 rows; wanted \(4,\)"),
        (1, r"labels have shape \(\)"),
        (["a", "b", "a", "b"], r"dtype <U1; wanted class numbers 0\.\.1"),
        ([0.5, np.nan, 0, 0], "the label of row 1 is nan"),
        (np.ones((4, 3)) / 3, "soft targets have 3 columns; wanted 2"),
        ([[0.5, 0.5], [1, 0], [2, -1], [0, 1]], r"soft target of row 2 is \[2.0, -1.0\]"),
        ([[0.5, 0.5], [1, 0], [np.nan, 0], [0, 1]], "soft target of row 2"),
        ([[1, 0], [30, 70], [1, 0], [0, 1]], "row 1 .*wanted probabilities that sum to 1"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        MDP(VOTES, labels, loss=Squared())


def test_class_four_of_three():
    labels = np.zeros(20, int)
    labels[17] = 4
    with pytest.raises(ValueError, match=r"3 classes but labels contain class 4 \(row 17\)"):
        MDP(np.zeros((20, 2, 3)), labels)
    with pytest.raises(ValueError, match=r"labels have dtype float64; wanted class numbers 0\.\.2"):
        MDP(np.zeros((20, 2, 3)), np.zeros(20))


def test_real_labels_want_a_loss_for_them():
    with pytest.raises(TypeError, match="this loss wants class numbers"):
        MDP(VOTES, LABELS.astype(float))
    with pytest.raises(ValueError, match="floats stand for regression"):
        MDP(VOTES, [3, 5, 7, 9], loss=Squared())


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_votes_must_be_finite(bad):
    votes = VOTES.copy()
    votes[2, 1] = bad
    with pytest.raises(ValueError, match="the vote of base classifier 1 on row 2 is"):
        MDP(votes, LABELS)
    with pytest.raises(ValueError, match="a leaf of base classifier 1 votes"):
        MDP(Votes.from_dense(votes), LABELS)
    with pytest.raises(ValueError, match="bias of the votes is"):
        MDP(Votes.from_dense(VOTES, bias=bad), LABELS)


@pytest.mark.parametrize("shape", [(4, 0), (4, 0, 3), (0, 3), (0, 3, 2)])
def test_there_must_be_something_to_decide(shape):
    message = rf"votes are of {shape[1]} base classifiers on {shape[0]} rows; .*nothing to decide"
    labels = np.zeros(shape[0], int)
    with pytest.raises(ValueError, match=message):
        MDP(np.zeros(shape), labels)
    with pytest.raises(ValueError, match=message):
        MDP(Votes.from_dense(np.zeros(shape)), labels)


@pytest.mark.parametrize("shape", [(4,), (4, 3, 0), (4, 3, 2, 1)])
def test_votes_of_another_shape_are_refused(shape):
    with pytest.raises(ValueError, match=r"wanted \(n, N\) for one score or \(n, N, K\)"):
        MDP(np.zeros(shape), LABELS)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"weight": np.zeros(4)}, "weight is 0 for every instance"),
        (
            {"weight": np.ones(3)},
            r"weight has shape \(3,\); wanted one number per instance, \(4,\)",
        ),
        ({"weight": [1, 1, -1, 1]}, r"weight\[2\] is -1.0"),
        ({"costs": np.ones(4)}, r"costs has shape \(4,\); wanted one number per base classifier"),
        ({"costs": [1, np.nan, 1]}, r"costs\[1\] is nan"),
        ({"grid": Grid(np.zeros(1), 2)}, r"the grid is for 2 score\(s\), but votes have 1"),
        (
            {"loss": lambda f, y: f},
            r"returned shape \(4, 1\) for 4 rows; wanted one number per row",
        ),
        ({"loss": lambda f, y: np.full(4, np.nan)}, "is nan on row 0, whose scores are"),
        ({"actions": None}, "actions are None; wanted 'eval' and any of 'skip' and 'quit', in a"),
        ({"actions": "eval"}, "actions are 'eval'; wanted"),
        ({"actions": ("eval", ["skip"])}, "wanted 'eval' and any"),
    ],
)
def test_what_does_not_fit_is_refused(keywords, message):
    with pytest.raises(ValueError, match=message):
        MDP(VOTES, LABELS, **keywords)


@pytest.mark.parametrize("size", [1e200, 1e-200])
def test_votes_whose_squares_are_no_numbers_are_refused(size):
    with pytest.raises(
        ValueError, match=rf"the largest of the votes and the bias is {size}".replace("+", ".")
    ):
        MDP(np.full((3, 2), size), [0, 1, 0])
