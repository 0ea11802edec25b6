"""The bar goes to standard error, by rich if it is there."""

import sys

import pytest

from mddag import AdaBoostMHClassifier
from mddag.progress import progress


def test_silence(capsys):
    with progress("work", 3, shown=False) as report:
        report(1, "half")
    assert capsys.readouterr() == ("", "")


def test_a_plain_line_without_rich(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    AdaBoostMHClassifier(n_rounds=3, verbose=True).fit([[0.0], [1], [2], [3]], [0, 1, 0, 1])
    out, err = capsys.readouterr()
    assert out == ""
    assert "AdaBoost.MH: 3/3, training error 0." in err
    assert err.endswith("\n")


def test_a_bar_with_rich(capsys):
    pytest.importorskip("rich")
    with progress("work", 2, shown=True) as report:
        report(1, "half")
        report(2, "all done")
    out, err = capsys.readouterr()
    assert out == ""
    assert "work, all done" in err
