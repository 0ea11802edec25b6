"""What holds for every learner."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from mddag.learners import Learner, Stump, Tree
from mddag.learners.columns import Columns
from tests.learners.one_column import OneColumn
from tests.learners.problems import assert_same, labels, problems
from tests.reference.columns import leaf
from tests.shipped import needed

LEARNERS: list[Learner] = [Stump(), Tree(4), OneColumn()]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@settings(max_examples=20)
@given(problem=problems())
def test_votes_are_signs_for_every_class_of_every_row(learner, problem):
    X, columns, targets, weights = problem
    if columns.nominal[0] and isinstance(learner, OneColumn):
        return
    nodes = learner.fit(columns, targets, weights)
    leaves = columns.leaf_codes(nodes)
    assert leaves.tolist() == [leaf(nodes, x) for x in X]
    assert nodes.votes[leaves].shape == targets.shape
    assert np.isin(nodes.votes, [-1.0, 1.0]).all()


@pytest.mark.parametrize("learner", LEARNERS[:3], ids=repr)
@pytest.mark.parametrize("n_classes", [1, 3, 10])
@pytest.mark.parametrize("max_bins", [255, None])
def test_threads_do_not_matter(learner, n_classes, max_bins):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 30))
    X[:, 5] = X[:, 6]
    targets, weights = labels(rng, 6000, n_classes)
    fits = [
        learner.fit(Columns.from_rows(X, max_bins=max_bins, n_threads=t), targets, weights)
        for t in (1, 2, 3)
    ]
    assert_same(fits[0], fits[1])
    assert_same(fits[0], fits[2])


def test_a_learner_in_plain_python_agrees_with_the_stump():
    rng = np.random.default_rng(0)
    columns = Columns.from_rows(rng.normal(size=(200, 1)))
    targets, weights = labels(rng, 200, 3)
    assert_same(
        OneColumn().fit(columns, targets, weights),
        _missing_right(Stump(), columns, targets, weights),
    )


def _missing_right(learner, columns, targets, weights):
    nodes = learner.fit(columns, targets, weights)
    nodes.records["missing_left"] = False
    return nodes


def test_learners_do_not_import_scikit_learn():
    code = "import sys, mddag.learners; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_guide_quotes_the_learner_that_is_tested_here():
    guide = (needed("docs") / "learners.md").read_text()
    source = (Path(__file__).parent / "one_column.py").read_text()
    assert source.partition("\n\n")[2].strip() in guide
