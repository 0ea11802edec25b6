"""Executors: what runs a ``Program`` on rows; ``executor`` has the interface.

``Walk`` takes each row by itself through the jump table, ``Blocks`` hundreds of rows together,
``All`` evaluates everything, and ``Windows`` computes features of patches as they are read. These
four are kernels over trees that add the same integers, so the choice changes only the time.
``Steps`` runs callables and any state, in Python and float64.
"""

from mddag.engine.executors.executor import Executor as Executor
from mddag.engine.executors.executor import QueryExecutor as QueryExecutor
from mddag.engine.executors.executor import Tracer as Tracer
from mddag.engine.executors.kernels import All as All
from mddag.engine.executors.kernels import Blocks as Blocks
from mddag.engine.executors.kernels import Walk as Walk
from mddag.engine.executors.kernels import Windows as Windows
from mddag.engine.executors.steps import Steps as Steps

__all__ = ["All", "Blocks", "Executor", "QueryExecutor", "Steps", "Tracer", "Walk", "Windows"]

OF_ROWS: tuple[type[Executor], ...] = (Walk, Blocks, All)
KERNELS: tuple[type[Executor], ...] = (*OF_ROWS, Windows)
MEMBERS: tuple[type[Executor], ...] = (*OF_ROWS, Steps)  # to choose from where there are rows
TRACERS: tuple[type[Tracer], ...] = (Walk, Steps)
