"""The parts of mddag measured by themselves, a command each.

    python -m benchmarks.parts.executors     what the executors of a DAG cost, for the cost model
    python -m benchmarks.parts.learners      how long one round of a base learner takes
    python -m benchmarks.parts.learning      time and memory of `sparsify`, by target, loss, classes

Each file is read on its own. Tables go to benchmarks/results/parts; `executors` prints
its own. `learning` needs MDDAG_DATA, the others make their data.
"""
