"""The parts of mddag measured by themselves, a command each.

    python -m benchmarks.parts.executors     what the executors of a DAG cost, for the cost model
    python -m benchmarks.parts.learners      how long one round of a base learner takes
    python -m benchmarks.parts.scores        Ensemble.scores beside LightGBM's own predict
    python -m benchmarks.parts.portfolio     time and memory of the default solver
    python -m benchmarks.parts.learning      the same of `sparsify`, by knob, loss and classes
    python -m benchmarks.parts.refitting     what policy rows gain by correcting leaf values

Each file is read on its own. Tables go to benchmarks/results/parts; `executors` and `scores` print
theirs. `refitting` and `learning` need MDDAG_DATA, the others make their data.
"""
