"""Rows and a ``Program`` come in, scores, exits and paths go out; ``executor`` is the contract.

    walk     each row by itself through the jump table; also for one row, and for paths
    blocks   hundreds of rows together, step by step; best where ``every`` > 1
    all      every base classifier on every row; for policies that evaluate everything
    windows  patches, each feature computed when it is read; for ensembles over Haar features
    steps    all rows together, step by step, in Python; for callables, and for any state

The first four are kernels over trees. They add the same integers, so which of them runs changes
the time alone. The last adds floats, and runs what they cannot."""

from mddag.engine.executors.kernels import All as All
from mddag.engine.executors.kernels import Blocks as Blocks
from mddag.engine.executors.kernels import Executor as Executor
from mddag.engine.executors.kernels import QueryExecutor as QueryExecutor
from mddag.engine.executors.kernels import Tracer as Tracer
from mddag.engine.executors.kernels import Walk as Walk
from mddag.engine.executors.kernels import Windows as Windows
from mddag.engine.executors.steps import Steps as Steps

__all__ = ["All", "Blocks", "Executor", "QueryExecutor", "Steps", "Tracer", "Walk", "Windows"]

OF_ROWS: tuple[type[Executor], ...] = (Walk, Blocks, All)
KERNELS: tuple[type[Executor], ...] = (*OF_ROWS, Windows)
MEMBERS: tuple[type[Executor], ...] = (*OF_ROWS, Steps)  # to choose from where there are rows
TRACERS: tuple[type[Tracer], ...] = (Walk, Steps)
