import numpy as np

from mddag.metrics import rate_interval
from mddag.solvers.rejection.operating_point import Ends, Target
from mddag.solvers.rejection.problem import class_parts
from mddag.solvers.rejection.rates import rates_of, realised
from mddag.solvers.rejection.thresholds import shares_by_class


def ends(seed=0, n=4000):
    rng = np.random.default_rng(seed)
    positive = np.arange(n) % 2 == 0
    return Ends(rng.normal(2.0 * positive), positive, shares_by_class(positive, None))


def test_parts_have_equally_many_of_each_class():
    positive = np.arange(103) % 3 == 0
    parts = class_parts(positive, 5, seed=0)
    for rows in (positive, ~positive):
        counts = np.bincount(parts[rows], minlength=5)
        assert counts.max() - counts.min() <= 1
    np.testing.assert_array_equal(parts, class_parts(positive, 5, seed=0))


def test_rates_by_hand():
    positive = np.array([True, True, False, False, False, False])
    given = Ends(np.zeros(6), positive, shares_by_class(positive, None))
    above = np.array([True, False, True, False, False, False])
    found = rates_of(given, above, Target(fpr=0.1), 3.5)
    assert (found.target, found.wanted, found.n_evaluated) == ("target_fpr", 0.1, 3.5)
    assert (found.fpr, found.tpr, found.n_negatives, found.n_positives) == (0.25, 0.5, 4, 2)
    assert found.fpr_interval == rate_interval(1, 4)
    assert found.fpr_error == (0.25 * 0.75 / 4) ** 0.5


def test_a_row_has_no_part_in_its_own_theta():
    given, target = ends(), Target(fpr=0.05)
    parts = class_parts(given.positive, 4, 0)
    found = realised(given, target, parts, 1.0)
    count = 0
    for part in range(4):
        others = parts != part
        share = shares_by_class(given.positive[others], None)
        theta = target.expected(Ends(given.scores[others], given.positive[others], share))
        count += (given.scores[(parts == part) & ~given.positive] > theta).sum()
    assert found.fpr == count / 2000


def test_the_realised_rate_is_near_that_of_rows_to_come():
    target = Target(fpr=0.05)
    for seed in range(5):
        given = ends(seed)
        found = realised(given, target, class_parts(given.positive, 5, 0), 1.0)
        low, high = found.fpr_interval
        assert low < 0.05 < high
