"""Regions: rows are sorted by the region of a routing, and each region's part runs on its rows.

A part is a program with the trees of one region, in the units of the whole, so the sums are those
of the composed trees to the last bit. Each part is run by the executor that is expected to be
fastest for as many rows; so this is an executor made of others. A row passes the router once, which
counts as one evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag.dag.cost_model import COLD
from mddag.dag.executors import OF_ROWS, Executor, Walk
from mddag.dag.program import Program
from mddag.dag.trace import Trace
from mddag.ensemble.composition import ranges
from mddag.ensemble.votes import starts_of
from mddag.features.rows import Rows


@dataclass(frozen=True, eq=False)
class Regions:
    """Region after region."""

    program: Program
    name: ClassVar[str] = "regions"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.ensemble.routed is not None and program.has_kernels

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_regions(n_rows, [part.costs for part in self.program.parts])

    def scores(self, rows: Rows, out: NDArray[np.float64], n_threads: int) -> None:
        for here, part, own in self._sorted(rows):
            found = np.empty((len(here), out.shape[1]))
            self._fastest(part, len(here)).scores(own, found, n_threads)
            out[here] = found

    def exits(self, rows: Rows, n_threads: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        scores = np.empty((len(rows), self.program.ensemble.n_scores))
        exit_step = np.zeros(len(rows), np.int32)
        for here, part, own in self._sorted(rows):
            scores[here], exit_step[here] = self._fastest(part, len(here)).exits(own, n_threads)
        return scores, exit_step

    def verdicts(self, rows: Rows, n_threads: int) -> NDArray[np.intp]:
        codes = np.empty(len(rows), np.intp)
        for here, part, own in self._sorted(rows):
            codes[here] = self._fastest(part, len(here)).verdicts(own, n_threads)
        return codes

    def run(self, rows: Rows, n_threads: int) -> Trace:
        scores = np.empty((len(rows), self.program.ensemble.n_scores))
        exit_step, cost = np.zeros(len(rows), np.int32), np.zeros(len(rows))
        verdict, lengths = np.empty(len(rows), np.intp), np.zeros(len(rows), np.int64)
        order, paths = [np.empty(0, np.intp)], [np.empty(0, np.int32)]
        for here, part, own in self._sorted(rows):
            trace = Walk(part).run(own, n_threads)
            scores[here], exit_step[here] = trace.scores, trace.exit_step
            cost[here], verdict[here] = trace.cost, trace.verdict
            lengths[here] = trace.n_evaluated
            order.append(here)
            paths.append(self._sources[part][trace.indices])
        indptr, rows_of_paths = starts_of(lengths), np.concatenate(order)
        indices = np.empty(indptr[-1], np.int32)
        indices[ranges(indptr[rows_of_paths], lengths[rows_of_paths])] = np.concatenate(paths)
        return Trace(scores, indptr, indices, exit_step, cost, verdict)

    @cached_property
    def _sources(self) -> dict[Program, NDArray[np.int32]]:
        """By part, the number of each step's base classifier in the source."""
        routed = self.program.ensemble.routed
        assert routed is not None
        return {part: routed.sources(q) for q, part in enumerate(self.program.parts)}

    @cached_property
    def _able(self) -> dict[Program, list[Executor]]:
        """What can run each part; kept, since executors keep what they have made."""
        parts = self.program.parts
        return {part: [kind(part) for kind in OF_ROWS if kind.runs(part)] for part in parts}

    def _fastest(self, part: Program, n_rows: int) -> Executor:
        def cost(executor: Executor) -> float:
            return executor.cost(n_rows) * (COLD if isinstance(executor, Walk) else 1.0)

        return min(self._able[part], key=cost)

    def _sorted(self, rows: Rows) -> Iterator[tuple[NDArray[np.intp], Program, Rows]]:
        """Region by region which rows there are, their part, and the rows themselves."""
        routed = self.program.ensemble.routed
        assert routed is not None
        regions = routed.routing.regions(rows)
        order = np.argsort(regions, kind="stable")
        ends = np.searchsorted(regions[order], np.arange(routed.routing.n_regions + 1))
        together = rows[order]
        for part, start, end in zip(self.program.parts, ends[:-1], ends[1:], strict=True):
            if start < end:
                yield order[start:end], part, together[start:end]
