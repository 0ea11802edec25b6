"""Times: every method has one, and the fastest rival is the one that ours is beside."""

import numpy as np
from benchmarks.quality.rivals import with_margin
from benchmarks.quality.times import of_methods, table

from tests.benchmarks.quality.models import ensemble, rows


def test_every_method_is_timed_on_its_fastest_engine():
    X, y = rows()
    model = ensemble(X, y)
    methods = {"full": (model, None), "margin": with_margin(model, 6, 0.5)}
    full, margin = of_methods(methods, X)
    assert (full["method"], margin["method"]) == ("full", "margin")
    for line in (full, margin):
        assert float(line["one_row_us"]) > 0
        assert float(line["batch_ns"]) > 0
        assert line["engine"]


def test_ours_is_beside_the_fastest_rival():
    times = {"full": 9, "margin": 4, "prefix": 6, "sparsify": 1, "train": 2}
    lines = table(
        {("adult", "LightGBM"): {m: {"batch_ns": t} for m, t in times.items()}}, "batch_ns"
    )
    assert lines[2] == "| adult, LightGBM | 9 | 4 | margin | 1 | 0.25 | 2 | 0.50 |"
    assert np.isclose(float(lines[3].split("|")[6]), 0.25)
