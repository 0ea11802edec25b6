"""What holds for every executor that keeps paths."""

import numpy as np


def assert_equal_to_its_run(tracer, X, out):
    """Scores, written to `out`, and exits are those of the run with paths."""
    trace = tracer.run(X, 1)
    tracer.scores(X, out, 1)
    np.testing.assert_array_equal(out, trace.scores)
    for got, wanted in zip(tracer.exits(X, 1), (trace.scores, trace.exit_step), strict=True):
        np.testing.assert_array_equal(got, wanted)
