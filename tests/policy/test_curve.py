import csv

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mddag.policy.curve import Curve
from tests.tuning.sweeps import swept


@pytest.fixture(scope="module")
def curve():
    return swept()


def points(cost, loss):
    columns = {"beta": np.zeros(len(cost))}
    columns |= {"train_cost": np.array(cost, float), "train_loss": np.array(loss, float)}
    return Curve(columns, (None,) * len(cost))


whole = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=9)


@given(whole)
@settings(deadline=None)
def test_the_envelope_is_what_nothing_beats(pairs):
    cost, loss = np.array(pairs).T
    front = points(cost, loss).envelope()
    assert (np.diff(cost[front]) > 0).all()
    kept = {pairs[i] for i in front}
    for c, v in pairs:
        beaten = any(a <= c and b <= v and (a, b) != (c, v) for a, b in pairs)
        assert ((c, v) in kept) == (not beaten)


def test_the_csv_reads_back_the_same(curve, tmp_path):
    curve.to_csv(tmp_path / "curve.csv")
    with open(tmp_path / "curve.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(curve.columns)
    for name, column in curve.columns.items():
        np.testing.assert_array_equal([float(row[name]) for row in rows], column)
    with pytest.raises(FileNotFoundError):
        curve.to_csv(tmp_path / "nowhere" / "curve.csv")


def test_the_table_marks_the_envelope_and_ends_with_the_full_ensemble(curve):
    head, *lines, full = str(curve).splitlines()
    assert head.split() == [
        *("beta", "train", "loss", "cost", "selection", "loss", "cost", "test", "loss", "cost")
    ]
    starred = [row for row, line in enumerate(lines) if line.startswith("*")]
    assert starred == sorted(curve.envelope().tolist())
    assert full.split()[:3] == ["full", f"{curve.full_train_loss[0]:.4f}", "12.00"]
    assert len({len(line) for line in [head, *lines, full]}) == 1
