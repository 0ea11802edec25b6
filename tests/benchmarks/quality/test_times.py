"""Times: every method has one, and the fastest rival is the one that ours is beside."""

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


def test_ours_is_beside_the_best_and_the_fastest_rival():
    times = {"full": 9, "margin": 4, "best rival": 5, "sparsify": 1, "train": 2}
    methods = {method: {"batch_ns": time} for method, time in times.items()}
    lines = table({("adult", "LightGBM"): methods}, "batch_ns")
    assert lines[2] == (
        "| adult, LightGBM | 9 | 5 | 4 | 1 | 2 | margin | 0.20 | 0.25 | 0.40 | 0.50 |"
    )
    assert lines[3].endswith("| **0.20** | **0.25** | **0.40** | **0.50** |")
