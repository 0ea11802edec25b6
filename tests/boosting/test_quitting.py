"""Rows that have quit, and the weights beneath."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from mddag import AdaBoostMHClassifier
from mddag.boosting.quitting import Quitters, Quitting, least_margin, winner_and_margin
from mddag.boosting.rounds import play, start
from mddag.boosting.training_set import TrainingSet
from mddag.ensemble.nodes import TreeBuilder
from mddag.features.features import Features
from mddag.learners import Tree


def rows_and_labels(n, seed, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    noisy = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)
    return X, np.digitize(noisy, [0.0, 1.0][: n_classes - 1])


def quitting_of(n_classes=2, **options):
    X, y = rows_and_labels(500, 0, n_classes)
    held, _ = rows_and_labels(300, 1, n_classes)
    full = AdaBoostMHClassifier(Tree(n_leaves=6), n_rounds=40).fit(X, y)
    return X, y, Quitting(held, full.predict_proba(held), **options)


@given(
    seed=st.integers(0, 10**6),
    n_scores=st.sampled_from([1, 3]),
    max_loss=st.sampled_from([0.0, 0.01, 0.1, 1.0]),
)
def test_the_least_margin_is_the_smallest_at_which_quitting_is_cheap(seed, n_scores, max_loss):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-3, 4, size=(30, n_scores)).astype(float)
    teacher = rng.dirichlet(np.ones(max(n_scores, 2)), 30)
    winner, margin = winner_and_margin(scores)
    lost = [p.max() - p[k] for p, k in zip(teacher, winner, strict=True)]

    def costs(least):
        return sum(x for x, m in zip(lost, margin, strict=True) if m >= least) / 30

    cheap = [m for m in set(margin.tolist()) if m > 0 and costs(m) <= max_loss + 1e-12]
    found = least_margin(scores, teacher, max_loss)
    assert found == pytest.approx(min(cheap, default=np.inf))


def test_winners_and_margins_by_hand():
    winner, margin = winner_and_margin(np.array([[-2.0], [0.0], [0.5]]))
    assert (winner.tolist(), margin.tolist()) == ([0, 0, 1], [2.0, 0.0, 0.5])
    winner, margin = winner_and_margin(np.array([[1.0, 3.0, 2.5]]))
    assert (winner.tolist(), margin.tolist()) == ([1], [0.5])


def test_rows_that_have_quit_count_for_less_and_have_their_weight_again_afterwards():
    labels, features = np.array([1, 1, 0, 0], np.intp), Features(1)
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    rows = TrainingSet(
        features.rows(X), labels, np.ones(4), np.arange(2), features, np.zeros(1, bool)
    )
    quitters = Quitters(Quitting(X, np.eye(2)[labels], weight=0.5, every=9), rows, 1)
    boosted, alone = (start(labels, 2, np.ones(4), np.ones(2)) for _ in range(2))
    quitters.quit[:2] = True
    quitters.weigh(boosted)
    np.testing.assert_allclose(boosted.weights[:, 0], [1 / 6, 1 / 6, 1 / 3, 1 / 3])
    tree = TreeBuilder()
    nodes = tree.finish(tree.split(0, 2.5, tree.leaf(np.ones(1)), tree.leaf(-np.ones(1)), False))
    leaf = rows.leaf_codes(nodes, 1)
    quitters.see(boosted, play(boosted, nodes, leaf, alpha=0.3).nodes)
    play(alone, nodes, leaf, alpha=0.3)
    np.testing.assert_allclose(boosted.weights, alone.weights, rtol=1e-12)
    np.testing.assert_array_equal(quitters.scores, boosted.scores)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_later_rounds_serve_the_rows_that_stay(n_classes):
    X, y, quitting = quitting_of(n_classes, weight=0.05, every=2, max_loss=0.02)
    model = AdaBoostMHClassifier(Tree(n_leaves=6), n_rounds=20, quitting=quitting).fit(X, y)
    plain = clone(model).set_params(quitting=None).fit(X, y)
    np.testing.assert_array_equal(model.history_["alpha"][:2], plain.history_["alpha"][:2])
    assert model.history_["alpha"][-1] != plain.history_["alpha"][-1]
    assert model.score(quitting.X, quitting.probabilities.argmax(axis=1)) > 0.7


def test_where_no_row_may_quit_it_is_boosting_as_ever():
    X, y, quitting = quitting_of(max_loss=0.0)
    quitting.probabilities = quitting.probabilities[:, ::-1]  # every decision costs
    model = AdaBoostMHClassifier(Tree(n_leaves=6), n_rounds=9, quitting=quitting).fit(X, y)
    wins = model.predict(quitting.X) != quitting.probabilities.argmax(axis=1)
    assert wins[np.abs(model.scores(quitting.X)[:, 0]).argmax()]
    plain = AdaBoostMHClassifier(Tree(n_leaves=6), n_rounds=9).fit(X, y)
    np.testing.assert_array_equal(model.scores(X), plain.scores(X))


def test_a_continued_model_is_that_of_one_fit():
    X, y, quitting = quitting_of(max_loss=0.02)
    once = AdaBoostMHClassifier(Tree(n_leaves=6), n_rounds=20, quitting=quitting).fit(X, y)
    twice = clone(once).set_params(n_rounds=11, warm_start=True).fit(X, y)
    twice.set_params(n_rounds=20).fit(X, y)
    np.testing.assert_array_equal(once.scores(X), twice.scores(X))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"weight": 0.0}, "weight of Quitting"),
        ({"weight": 1.0}, "weight of Quitting"),
        ({"every": 0}, "every of Quitting"),
        ({"max_loss": -0.1}, "max_loss of Quitting"),
        ({"probabilities": np.ones((3, 2))}, r"shape \(3, 2\); wanted one for each row"),
    ],
)
def test_what_makes_no_sense_is_refused(change, match):
    X, y, quitting = quitting_of()
    quitting.set_params(**change)
    with pytest.raises(ValueError, match=match):
        AdaBoostMHClassifier(n_rounds=3, quitting=quitting).fit(X, y)


def test_another_object_is_refused():
    with pytest.raises(TypeError, match="wanted a Quitting"):
        AdaBoostMHClassifier(quitting=0.3).fit(*rows_and_labels(20, 0))
