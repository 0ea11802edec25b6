import numpy as np
import pytest

from mddag.metrics import LogLoss, RocAuc
from mddag.tuning.candidates import Candidate
from mddag.tuning.guarantee import Guarantee, certified

SHARE = Guarantee("max_disagreement", 0.01, 0.9, "share")


class Laid:
    """Candidates with given shares of harmed rows, the full ensemble first."""

    def __init__(self, shares, n=10_000):
        self.candidates = [
            Candidate(0.0, None, np.full(n, 100 - at), self.excess(share, n))
            for at, share in enumerate(shares)
        ]

    @staticmethod
    def excess(share, n):
        harmed = np.arange(n) % 1000 < 1000 * share
        return harmed.astype(float)

    def laid_out(self, bound, careful, seen):
        assert careful(self.candidates[0])
        return self.candidates


SEEN, CERTIFYING = np.arange(5000), np.arange(5000, 10_000)


def test_the_boldest_that_can_be_proved_is_chosen():
    search = Laid([0.0, 0.002, 0.007, 0.009, 0.2])
    assert certified(search, SHARE, SEEN, CERTIFYING) is search.candidates[2]


def test_nothing_behind_a_failure_is_tested():
    search = Laid([0.0, 0.002, 0.02, 0.001])
    assert certified(search, SHARE, SEEN, CERTIFYING) is search.candidates[1]


def test_the_full_ensemble_needs_no_proof():
    search = Laid([0.0, 0.02])
    with pytest.warns(
        UserWarning, match=r"5000 certifying rows prove max_disagreement=0.01 for no"
    ):
        assert certified(search, SHARE, SEEN, CERTIFYING) is search.candidates[0]


def test_each_measure_has_its_test():
    excess = np.repeat([1.0, -1.0, 0.0], [30, 20, 4950])
    share = Guarantee("max_disagreement", 0.01, 0.9, "share").p_value(np.abs(excess))
    difference = Guarantee("max_loss", 0.01, 0.9, "difference").p_value(excess)
    mean = Guarantee("max_loss", 0.01, 0.9, "mean").p_value(excess)
    assert share == pytest.approx(0.5, abs=0.1)
    assert difference < 0.01
    assert mean == pytest.approx(difference, abs=0.006)


def test_too_few_rows_are_told_how_many_would_do():
    with pytest.raises(ValueError, match="it takes 230 rows that only certify, so at least 460 in"):
        SHARE.require(300, 180)
    SHARE.require(460, 230)
    loss = Guarantee("max_loss", 0.005, 0.9, "difference")
    with pytest.raises(ValueError, match=r"too few to promise max_loss=0.005 with confidence 0.9"):
        loss.require(900, 450)
    with pytest.raises(ValueError, match="it takes 460 rows that only certify"):
        Guarantee("max_loss", 0.005, 0.9, "mean").require(900, 450)


def test_only_differences_of_either_sign_have_a_price_besides_their_harm():
    loss = Guarantee("max_loss", 0.005, 0.9, "difference")
    assert loss.price(5000) == pytest.approx(1.28155**2 / 25, rel=1e-4)
    assert SHARE.price(5000) == Guarantee("max_loss", 0.005, 0.9, "mean").price(5000) == 0.0


def test_metrics_have_tests_of_their_own():
    quiet = np.random.default_rng(0).normal(0, 0.02, 3000)
    bounded = Guarantee("max_loss", 0.01, 0.9, "bounded", LogLoss(0.15))
    asymptotic = Guarantee("max_loss", 0.01, 0.9, "asymptotic", RocAuc())
    assert bounded.exact
    assert not asymptotic.exact
    assert asymptotic.p_value(quiet) < bounded.p_value(quiet) < 0.01
    assert bounded.span == pytest.approx(-np.log(0.15))
    with pytest.raises(ValueError, match=r"too few to promise max_loss=0.01"):
        bounded.require(600, 300)
    with pytest.raises(ValueError, match="it takes 100 rows that only certify"):
        asymptotic.require(180, 90)
    asymptotic.require(200, 100)
    Guarantee("max_loss", 0.01, 0.9, "asymptotic", LogLoss()).require(200, 100)
