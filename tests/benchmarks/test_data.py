"""The shared loader of real data, on a folder of small sets."""

import numpy as np
import pytest

from benchmarks import data

LOADERS = """
import numpy as np

def letter():
    return np.arange(40).reshape(20, 2), np.arange(20) % 2, np.arange(20) >= 12

def spambase():
    return np.arange(60).reshape(30, 2), np.arange(30) % 3

def mq2008(fold):
    return fold
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "load.py").write_text(LOADERS)
    monkeypatch.setenv("MDDAG_DATA", str(tmp_path))


def test_the_official_parts_where_there_are_any(folder):
    X, y, X_test, y_test = data.train_and_test("letter")
    assert X[:, 0].tolist() == list(range(0, 24, 2))
    assert X_test[:, 0].tolist() == list(range(24, 40, 2))
    assert y.tolist() == [0, 1] * 6
    assert y_test.tolist() == [0, 1] * 4


def test_some_of_the_rows_to_train_on(folder):
    X, y, X_test, _ = data.train_and_test("letter", n_train=6)
    assert np.bincount(y).tolist() == [3, 3]
    assert set(X[:, 0]) < set(range(0, 24, 2))
    assert len(X_test) == 8


def test_a_third_of_every_class_where_there_are_none(folder):
    X, y, X_test, y_test = data.train_and_test("spambase")
    assert len(X) == 20
    assert np.bincount(y_test).max() == 4
    assert sorted([*X[:, 0], *X_test[:, 0]]) == list(range(0, 60, 2))
    assert len(y) == 20


def test_loaders_take_arguments(folder):
    assert data.loaded("mq2008", 1) == 1


def test_no_folder_is_named(monkeypatch):
    monkeypatch.delenv("MDDAG_DATA", raising=False)
    assert not data.is_there()
    with pytest.raises(SystemExit, match="set MDDAG_DATA to the folder of the data sets"):
        data.read("spambase")


def test_a_folder_without_loaders(tmp_path, monkeypatch):
    monkeypatch.setenv("MDDAG_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match=r"without load\.py"):
        data.read("spambase")


def test_strings_of_a_frame_are_categories():
    pandas = pytest.importorskip("pandas")
    columns = {"n": [1, 2], "s": ["b", "a"], "income": ["u", "v"], "is_test": [0, 1]}
    rows = data._frame(pandas.DataFrame(columns), "income")
    assert rows.X.dtypes.astype(str).to_dict() == {"n": "int64", "s": "category"}
    assert rows.y.tolist() == ["u", "v"]
    assert rows.is_test.tolist() == [False, True]


def test_pictures_of_both_official_parts_become_rows():
    rows = data._parted_pixels(np.zeros((3, 2, 2)), np.ones(3), np.ones((1, 2, 2)), np.zeros(1))
    assert rows.X.shape == (4, 4)
    assert rows.is_test.tolist() == [False, False, False, True]
    assert rows.y.tolist() == [1, 1, 1, 0]
