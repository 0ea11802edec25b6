"""Names of solvers, metrics and learners."""

import numpy as np
import pytest

from mddag import learners, metrics, solvers
from mddag.cli import choices
from mddag.cli.exits import UsageError


@pytest.mark.parametrize("name", choices.SOLVERS)
def test_solvers(name):
    found = choices.solver_of(name, 2)
    assert type(found) is getattr(solvers, choices.SOLVERS[name])
    assert "n_threads" not in found.settings or found.n_threads == 2


@pytest.mark.parametrize("name", choices.METRICS)
def test_metrics(name):
    assert type(choices.metric_of(name)) is getattr(metrics, choices.METRICS[name])


def test_the_depth_of_a_metric():
    assert choices.metric_of("ndcg:5") == metrics.NDCG(5)
    assert choices.metric_of(None) is None


def test_learners():
    assert choices.learner_of("stump", 8) == learners.Stump()
    assert choices.learner_of("tree", 5) == learners.Tree(5)
    assert isinstance(choices.learner_of("haar", 8), learners.Haar)


def test_completion():
    assert choices.completed(choices.SOLVERS)("p") == ["portfolio", "prefix"]


def test_prices_and_codes():
    assert choices.prices_of("0.1,1e-3", ()) == [0.1, 1e-3]
    assert choices.prices_of(None, (1.0,)) == [1.0]
    assert choices.codes_of(np.array(["b", "a", "b"])).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("made", "line"),
    [
        (lambda: choices.solver_of("magic", 1), "--solver is 'magic'; wanted one of portfolio"),
        (lambda: choices.metric_of("beauty"), "--metric is 'beauty'"),
        (lambda: choices.metric_of("brier:3"), "--metric is 'brier:3'"),
        (lambda: choices.metric_of("ndcg:0"), "wanted a depth of 1 or more"),
        (lambda: choices.learner_of("forest", 1), "--learner is 'forest'"),
        (lambda: choices.prices_of("a", ()), "--betas is 'a'"),
        (lambda: choices.prices_of("1,-1", ()), "wanted finite prices"),
    ],
)
def test_what_is_unknown_is_usage(made, line):
    with pytest.raises(UsageError, match=line):
        made()
