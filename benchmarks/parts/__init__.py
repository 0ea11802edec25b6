"""The parts of mddag measured by themselves, a command each.

    python -m benchmarks.parts.executors     what the executors of a DAG cost, for the cost model
    python -m benchmarks.parts.learners      how long one round of a base learner takes
    python -m benchmarks.parts.learning      time and memory of `sparsify`, by target, loss, classes
    python -m benchmarks.parts.lazy          what waiting for features costs by itself

Each file is read on its own. Tables go to benchmarks/results/parts; `executors` and `lazy` print
theirs. `learning` needs MDDAG_DATA, the others make their data.
"""
