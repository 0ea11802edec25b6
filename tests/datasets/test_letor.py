"""The folds of LETOR 4.0, from files of a folder."""

import numpy as np
import pytest

from mddag.datasets import load_letor

LINES = {
    "train": "2 qid:10 1:0.5 3:0.25 #docid = GX1\n0 qid:10 2:1 #docid = GX2\n1 qid:12 1:1 #docid\n",
    "vali": "0 qid:7 1:0.125 2:0.5\n",
    "test": "1 qid:3 1:0.5\n0 qid:2 1:0.25\n",
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "Fold2").mkdir()
    for part, lines in LINES.items():
        (tmp_path / "Fold2" / f"{part}.txt").write_text(lines)
    return tmp_path


def test_the_parts_of_a_fold(folder):
    fold = load_letor(folder, 2)
    assert fold._fields == ("train", "vali", "test")
    np.testing.assert_array_equal(fold.train.X, [[0.5, 0, 0.25], [0, 1, 0], [1, 0, 0]])
    assert fold.train.y.tolist() == [2, 0, 1]
    assert fold.train.qid.tolist() == [10, 10, 12]
    assert fold.test.X.shape == (2, 3)  # as many features as any part has
    _, y, qid = fold.test
    assert (y.tolist(), qid.tolist()) == ([1, 0], [3, 2])  # the order of the file


def test_what_is_not_there(folder):
    with pytest.raises(FileNotFoundError, match=r"no file .*Fold1.train.txt; wanted a folder of"):
        load_letor(folder, 1)
    with pytest.raises(ValueError, match="fold is 6; wanted one of 1, 2, 3, 4, 5"):
        load_letor(folder, 6)
    with pytest.raises(TypeError, match="path is 3; wanted a str"):
        load_letor(3, 1)


def test_rows_without_a_query(folder):
    (folder / "Fold2" / "vali.txt").write_text("0 qid:7 1:0.125\n1 1:0.5\n")
    with pytest.raises(ValueError, match="has 2 rows, but 1 of them with qid"):
        load_letor(folder, 2)
    (folder / "Fold2" / "vali.txt").write_text("what is this\n")
    with pytest.raises(ValueError, match="is not in svmlight form"):
        load_letor(folder, 2)
