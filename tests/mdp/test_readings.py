"""Readings: what partial sums say of full scores."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from mddag.mdp.readings import Readings


def readings(**changed):
    given = {
        "checks": [8, 16, 20],
        "weights": [[2.0, 0, 0], [1.5, 1.2, 0], [1, 1, 1]],
        "level": [0.5, 0.25, 0.0],
        "edges": [[0.0], [0.0], [0.0]],
        "spread": [[1.0, 2.0], [0.5, 1.0], [1e-9, 1e-9]],
        "gain_at": [-1.0, 0.0, 1.0],
        "gain": [0.0, 1.0, 3.0],
        "slope": 1.5,
    }
    return Readings(**given | changed)


def test_readings_are_weighted_sums_of_blocks():
    found = readings()
    blocks = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 0.0]])
    assert found.read(blocks, 0).tolist() == [2.5, -1.5]
    assert found.read(blocks, 1).tolist() == pytest.approx([4.15, -0.65])
    assert found.read(blocks, 2).tolist() == [6.0, -0.5]
    assert found.spreads(np.array([2.5, -1.5, 0.0]), 0).tolist() == [2.0, 1.0, 1.0]
    assert found.gains(np.array([-5.0, 0.5, 9.0])).tolist() == [0.0, 2.0, 3.0]
    assert [found.block(j) for j in (0, 7, 8, 15, 16, 19)] == [0, 0, 1, 1, 2, 2]
    assert (len(found), found.n_steps) == (3, 20)
    assert repr(found) == "<Readings at 3 check points of 20 steps>"


def test_arrays_are_read_only():
    for found in (readings(), pickle.loads(pickle.dumps(readings())), replace(readings(), slope=1)):
        with pytest.raises(ValueError, match="read-only"):
            found.level[0] = 1.0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"checks": [8, 8, 20]}, "checks of readings are not in order"),
        ({"checks": [0, 8, 20]}, "checks of readings are not in order"),
        ({"weights": np.ones((2, 2))}, r"weights of readings have shape \(2, 2\); wanted \(3, 3\)"),
        ({"level": [0.0, np.nan, 0.0]}, "level of readings hold others than numbers"),
        ({"level": [0.0, 1e200, 0.0]}, "level of readings hold others than numbers"),
        ({"spread": np.zeros((3, 2))}, "spread of readings are not in order"),
        ({"gain": [1.0, 0.0, 3.0]}, "gain of readings are not in order"),
        ({"gain_at": [0.0, 0.0, 1.0]}, "gain_at of readings are not in order"),
        ({"gain_at": [0.0, 1.0]}, "gain of readings have shape"),
        ({"slope": -1.0}, "slope of readings are not in order"),
        ({"edges": [[0.0, 1.0]] * 3}, "edges of readings have shape"),
    ],
)
def test_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        readings(**changed)
