import numpy as np
import pytest

from mddag import Ensemble
from mddag.tuning.row_parts import RowParts

ENSEMBLE = Ensemble.from_callables([lambda X: X[:, 0]], n_features=1, classes=["no", "yes"])
ROWS = np.linspace(-1, 1, 100)[:, None]


def row_parts(y=None, certified=True, n=100):
    random = np.random.RandomState(0)
    return RowParts.of(ENSEMBLE, ROWS[:n], y, certified=certified, random=random)


@pytest.mark.parametrize(("certified", "sizes"), [(True, [40, 10, 50]), (False, [60, 40, 0])])
def test_every_row_is_in_one_part(certified, sizes):
    found = row_parts(certified=certified)
    parts = [found.learning, found.choosing, found.certifying]
    assert [len(part) for part in parts] == sizes
    assert sorted(np.concatenate(parts).tolist()) == list(range(100))
    assert set(found.seen.tolist()) == set(range(100)) - set(found.certifying.tolist())


@pytest.mark.parametrize("n", range(3, 20))
def test_few_rows_have_all_parts(n):
    for certified, n_parts in ((True, 3), (False, 2)):
        found = row_parts(certified=certified, n=n)
        parts = [found.learning, found.choosing, found.certifying][:n_parts]
        assert all(len(part) for part in parts)
        assert sum(map(len, parts)) == n


def test_without_y_the_model_is_its_own_teacher():
    assert (row_parts().truth == row_parts().full).all()
    y = np.full(100, "no")
    found = row_parts(y)
    assert (found.truth == "no").all()
    assert (found.full == "yes").sum() == 50


def test_bad_rows_are_refused():
    with pytest.raises(ValueError, match="inconsistent numbers"):
        row_parts(["no"])
    with pytest.raises(ValueError, match=r"X has 2 row\(s\), too few .*; give at least 3"):
        row_parts(n=2)
    for row in range(100):  # in whichever part it is
        with pytest.raises(ValueError, match=rf"y contains the label 'maybe' \(row {row}\)"):
            row_parts(np.where(np.arange(100) == row, "maybe", "yes"))


def test_the_opinion_is_calibrated_and_agrees_with_the_labels():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(100) < 1 / (1 + np.exp(-5 * ROWS[:, 0])), "yes", "no")
    found = row_parts(y)
    said = found.soft_targets()
    assert (ENSEMBLE.classes[said.argmax(axis=1)] == found.full).all()
    assert np.log(said[-1, 1] / said[-1, 0]) == pytest.approx(5, rel=0.6)


@pytest.mark.parametrize("price", [0.0, 0.1, 1.0])
def test_a_changed_label_costs_its_price_besides_its_harm(price):
    found = row_parts(np.where(ROWS[:, 0] > 0.2, "yes", "no"))
    loss = np.abs(found.soft_targets() @ [-1.0, 1.0])
    said = found.soft_targets(price)
    assert np.abs(said @ [-1.0, 1.0]) == pytest.approx((1 - price) * loss + price)
    assert said.sum(axis=1) == pytest.approx(1)
    assert (ENSEMBLE.classes[said.argmax(axis=1)] == found.full).all()


def test_weights_go_into_the_opinion():
    rng = np.random.default_rng(0)
    y = np.where(ROWS[:, 0] + 0.5 * rng.normal(size=100) > 0, "yes", "no")
    right = (y == "yes") == (ROWS[:, 0] > 0)

    def said(weight):
        random = np.random.RandomState(0)
        found = RowParts.of(ENSEMBLE, ROWS, y, certified=True, random=random, weight=weight)
        return found.soft_targets()[-1, 1]

    assert said(np.where(right, 1.0, 0.1)) > said(None) > said(np.where(right, 0.1, 1.0))
    assert said(np.full(100, 3.0)) == said(None)
