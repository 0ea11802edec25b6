"""Margin rules of prefixes do what the margin rule of the cut ensemble does."""

import numpy as np
import pytest
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.datasets import make_hastie_10_2

import mddag
from mddag.mdp.grid import Grid
from mddag.mdp.policy_rows import mdp_of
from mddag.solvers import Margin
from mddag.tuning.simple_rules import LENGTHS, prefix_margins, simple_rules

QUIET = {"num_leaves": 8, "verbose": -1, "n_jobs": 1, "random_state": 0}


def problem(model, n_rounds, y_of):
    X, y = make_hastie_10_2(600, random_state=0)
    y = y_of(X, y)
    ensemble = mddag.as_ensemble(model(n_estimators=n_rounds, **QUIET).fit(X, y))
    return ensemble, X, y


def classes(X, y):
    return (y > 0).astype(int)


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("length", [6, 9])
def test_a_rule_of_a_prefix_is_that_of_the_cut_ensemble(length, every):
    ensemble, X, y = problem(LGBMClassifier, 12, classes)
    mdp = mdp_of(ensemble, ensemble.votes(X), y)
    grid = Grid.quantile(mdp.votes)
    short = ensemble.truncated(length)
    cut = mdp_of(short, short.votes(X), y).on_grid(grid)
    rules, wanted = prefix_margins(mdp.on_grid(grid), length, every), Margin(every).candidates(cut)
    found, expected = rules.evaluate(mdp.on_grid(grid)), wanted.evaluate(cut)
    assert len(rules) == len(wanted) > 10
    np.testing.assert_allclose(found[0][1:], expected[0][1:])  # number 0 evaluates everything
    np.testing.assert_allclose(found[1][1:], expected[1][1:])
    assert found[1][0] == 12


def test_lengths_that_a_model_has_not_are_left_out():
    ensemble, X, y = problem(LGBMClassifier, 12, classes)
    mdp = mdp_of(ensemble, ensemble.votes(X), y).on_grid(Grid.quantile(ensemble.votes(X)))
    longest = [rules[1].n_reached for rules in simple_rules(mdp)]
    assert longest[2:] == [n for n in LENGTHS if n < 12]


def test_numbers_have_prefixes_alone():
    ensemble, X, y = problem(LGBMRegressor, 12, lambda X, y: X[:, 0])
    assert len(list(simple_rules(mdp_of(ensemble, ensemble.votes(X), y)))) == 1
