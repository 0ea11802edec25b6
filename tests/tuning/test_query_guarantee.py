"""Bounds that queries prove."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from mddag.tuning.query_guarantee import queries_needed, query_guarantee, skewed_p_value


def test_what_is_to_be_proved():
    assert query_guarantee("beta", 0.1, 0.9, 5) is None
    assert query_guarantee("max_loss", 0.1, None, 5) is None
    found = query_guarantee("max_loss", 0.005, 0.9, 45)
    assert (found.knob, found.bound, found.confidence) == ("max_loss", 0.005, 0.9)
    assert queries_needed(found) == 45
    assert queries_needed(query_guarantee("max_loss", 0.3, 0.9, 99)) == 30
    with pytest.raises(ValueError, match=r"44 queries are too few to promise max_loss=0.005"):
        query_guarantee("max_loss", 0.005, 0.9, 44)


def test_skewed_p_values():
    rng = np.random.default_rng(0)
    symmetric = rng.normal(0.01, 0.02, 2000)
    plain = ttest_1samp(symmetric, 0.011, alternative="less").pvalue
    assert skewed_p_value(symmetric, 0.011) == pytest.approx(plain, abs=0.01)
    assert skewed_p_value(np.zeros(50), 0.01) == 0.0
    assert skewed_p_value(np.full(50, 0.02), 0.01) == 1.0
    draws = rng.gamma(0.1, 0.1, size=(2000, 100))  # the mean is 0.01, the skewness 6
    wrong = np.mean([skewed_p_value(d, 0.01) <= 0.1 for d in draws])
    plain = np.mean([ttest_1samp(d, 0.01, alternative="less").pvalue <= 0.1 for d in draws])
    assert wrong < 0.13 < plain
