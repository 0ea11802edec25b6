"""The made data sets, and the parts of rows."""

import numpy as np
import pytest

from benchmarks.quality import rows


@pytest.mark.parametrize(
    ("name", "n_classes", "n_columns"), [("ringnorm", 2, 20), ("waveform", 3, 21)]
)
def test_parts_of_made_sets(name, n_classes, n_columns):
    parts = rows.parts(name, seed=1, shrink=10)
    assert parts.n_classes == n_classes
    assert parts.train.X.shape == (800, n_columns)
    seen = [set(map(bytes, getattr(parts, part).X)) for part in rows.SHARES]
    assert len(set.union(*seen)) == sum(map(len, seen))  # no row is in two parts
    shares = np.bincount(parts.policy.y) / len(parts.policy.y)
    np.testing.assert_allclose(shares, 1 / n_classes, atol=0.01)
