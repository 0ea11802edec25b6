"""The bar goes to standard error, by rich if it is there."""

import sys

import pytest
from sklearn.datasets import make_hastie_10_2

import mddag
from mddag import AdaBoostMHClassifier, MDDAGClassifier
from mddag._internal.progress import progress
from mddag.solvers import Family, Margin, Portfolio, Prefix, Sarsa, Stopping


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


def test_work_within_work_shows_within_it(capsys):
    pytest.importorskip("rich")
    with progress("outer", 2, shown=True) as report:
        for n_done in (1, 2):
            with progress("inner", 1, shown=True) as within:
                within(1, "done")
            report(n_done, "so far")
    with progress("next", 1, shown=True) as report:
        report(1, "done")
    out, err = capsys.readouterr()
    assert out == ""
    assert "outer, so far" in err
    assert "next, done" in err


def test_plain_lines_follow_each_other(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with progress("outer", 1, shown=True) as report:
        with progress("inner", 1, shown=True) as within:
            within(1, "done")
        report(1, "done")
    assert capsys.readouterr().err == "\rinner: 1/1, done\n\router: 1/1, done\n"


X, y = make_hastie_10_2(1000, random_state=0)
BOOST = AdaBoostMHClassifier(n_rounds=8).fit(X, y)
SOLVERS = {
    "Portfolio": Portfolio((Margin(), Prefix())),
    "Sarsa": Sarsa(n_episodes=400, evaluate_every=100),
    "Margin": Margin(),
    "Stopping": Stopping(),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_every_entry_shows_something_for_every_solver(name, capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    solver = SOLVERS[name]
    learned = "1/1, beta " if isinstance(solver, Family) else "7/7, beta 1: "  # all are at hand
    shown = {
        "sparsify: 1/1, beta 0.01: ": lambda: mddag.sparsify(
            BOOST, X, y, beta=0.01, solver=solver, verbose=True
        ),
        f"sparsify: {learned}": lambda: mddag.sparsify(
            BOOST, X, y, budget=3, solver=solver, verbose=True
        ),
        "sweep: 2/2, beta 0.01: ": lambda: mddag.sweep(
            BOOST, X, y, betas=[0.1, 0.01], solver=solver, verbose=True
        ),
        "MDDAGClassifier: 2/2, ": lambda: MDDAGClassifier(BOOST, solver=solver, verbose=True).fit(
            X, y
        ),
    }
    for line, call in shown.items():
        call()
        out, err = capfd.readouterr()
        assert out == ""
        assert line in err
        assert (f"{name}: " in err) == ("verbose" in solver.settings)


def test_nothing_shows_unless_asked(capfd):
    mddag.sparsify(BOOST, X, y, budget=3, solver=Margin())
    mddag.sweep(BOOST, X, y, solver=Margin())
    MDDAGClassifier(solver=Margin()).fit(X, y)
    assert capfd.readouterr() == ("", "")


def test_workers_are_silent(capfd):
    mddag.sweep(BOOST, X, y, betas=[0.1, 0.01], solver=SOLVERS["Sarsa"], verbose=True, n_jobs=2)
    err = capfd.readouterr().err
    assert "sweep" in err
    assert "Sarsa" not in err
