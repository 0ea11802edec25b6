"""Executors: what runs a ``Program`` on rows that the Dag has checked.

``Walk`` takes each row by itself through the jump table, ``Blocks`` hundreds of rows together,
``All`` evaluates everything, and ``Windows`` computes features of patches as they are read. These
four are kernels over trees that add the same integers, so the choice changes only the time; a Dag
chooses by their expected cost. ``Steps`` runs callables and any state, in Python and float64.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.cached import cached_property
from mddag.engine.program import Program, codes_by_scores, verdicts_by_exits
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Rows
from mddag.ensemble.patches import PatchFeatures
from mddag.policy.policy import Policy, decided
from mddag.policy.rollout import quit_verdicts

Scores = NDArray[np.float64]
ExitSteps = NDArray[np.int32]
Vote = Callable[[int, NDArray[np.intp]], Scores]
Visits = list[tuple[int, NDArray[np.intp]]]


@dataclass(frozen=True, eq=False)
class Executor(ABC):
    """Base class of what runs a program on rows."""

    program: Program
    name: ClassVar[str]

    @staticmethod
    @abstractmethod
    def runs(program: Program) -> bool:
        """Return whether it can run a program."""

    @abstractmethod
    def cost(self, n_rows: int) -> float:
        """Return the expected cost of a batch; see ``cost_model``."""

    @abstractmethod
    def scores(self, rows: Any, out: Scores, n_jobs: int) -> None:
        """Fill `out` (n_rows, K)."""

    @abstractmethod
    def exits(self, rows: Any, n_jobs: int) -> tuple[Scores, ExitSteps]:
        """Return scores (n_rows, K), and exit steps (n_rows,) as ``Trace.exit_step``."""

    def verdicts(self, rows: Any, n_jobs: int) -> NDArray[np.intp]:
        """Return class codes (n_rows,) as ``Trace.verdict``."""
        return verdicts_by_exits(self.program, *self.exits(rows, n_jobs))


class QueryExecutor(Protocol):
    """Protocol of executors of policies whose state looks at all rows of a query together."""

    def cost(self, n_rows: int) -> float:
        """Return the expected cost as ``Executor.cost``."""
        ...

    def exits(
        self, rows: Rows, qid: Any, n_jobs: int
    ) -> tuple[Scores, ExitSteps, NDArray[np.int64]]:
        """Return scores (n_rows, 1), exit steps and numbers of evaluations, both (n_rows,)."""
        ...

    def run(self, rows: Rows, qid: Any, n_jobs: int) -> Trace:
        """Return scores and paths."""
        ...


class Kernel(Executor):
    """Base class of executors over trees, all of which give the same scores, bit by bit."""

    def exits(self, rows: Any, n_jobs: int) -> tuple[Scores, ExitSteps]:
        scores, exit_step = self._to_fill(rows)
        if self.program.evaluates_all:
            self.scores(rows, scores, n_jobs)
            exit_step[:] = len(self.program.reached[0])
        else:
            self._fill(rows, scores, exit_step, n_jobs)
        return scores, exit_step

    def _fill(self, rows: Any, scores: Scores, exit_step: ExitSteps, n_jobs: int) -> None:
        """Fill scores and exit steps of a policy by which rows may leave early."""
        raise NotImplementedError

    def _to_fill(self, rows: Any) -> tuple[Scores, ExitSteps]:
        """Return scores and exit steps to fill."""
        n = len(rows)
        return np.empty((n, self.program.ensemble.n_scores)), np.zeros(n, np.int32)

    def _paths(
        self, n_evaluated: NDArray[np.int32], indices: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return `indptr` and `indices` of a Trace, numbered as in the source ensemble."""
        if self.program.reached[0] is not self.program.ensemble:
            indices = self.program.policy.order.astype(np.int32)[indices]
        return np.concatenate([[0], np.cumsum(n_evaluated, dtype=np.int64)]), indices


class Walk(Kernel):
    """Rows one after the other through the jump table, by native/walk.

    ``Program.walk`` is also the kernel that ``predict_one`` calls.
    """

    name: ClassVar[str] = "walk"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_walk

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_walk(n_rows)

    def scores(self, rows: Rows, out: Scores, n_jobs: int) -> None:
        self.program.walk.scores(rows, out, n_jobs)

    def _fill(self, rows: Any, scores: Scores, exit_step: ExitSteps, n_jobs: int) -> None:
        self.program.walk.exits(rows, scores, exit_step, None, n_jobs)

    def verdicts(self, rows: Rows, n_jobs: int) -> NDArray[np.intp]:
        scores, exit_step = self._to_fill(rows)
        codes = np.empty(len(rows), np.int64)
        self.program.walk.exits(rows, scores, exit_step, codes, n_jobs)
        return codes.astype(np.intp, copy=False)

    def run(self, rows: Rows, n_jobs: int) -> Trace:
        """Return scores and paths."""
        scores, exit_step = self._to_fill(rows)
        cost, codes = np.zeros(len(rows)), np.full(len(rows), -1, np.int64)
        to_fill = codes if self.program.ensemble.task.predicts_classes else None
        paths = self.program.walk.run(
            rows, self.program.reached[0].cost, scores, exit_step, cost, to_fill, n_jobs
        )
        verdict = codes.astype(np.intp, copy=False)
        return Trace(scores, *self._paths(*paths), exit_step, cost, verdict)


class Blocks(Kernel):
    """Hundreds of rows that decide together at every step, by native/blocks.

    Rows that have quit make room, and base classifiers are evaluated on the rows that are left.
    """

    name: ClassVar[str] = "blocks"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_kernels

    @cached_property
    def decisions(self) -> _core.Decisions:
        """Policy as blocks of rows read it."""
        program = self.program
        policy, n_expected = program.reached[1], math.ceil(program.costs.steps)
        covered = policy.n_steps, policy.n_together, policy.grid.n_scores
        return _core.Decisions(program.edges, policy.jumps, *covered, n_expected)

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_blocks(n_rows)

    def scores(self, rows: Rows, out: Scores, n_jobs: int) -> None:
        self.program.forest.run_blocks(rows, self.decisions, out, None, n_jobs)

    def _fill(self, rows: Any, scores: Scores, exit_step: ExitSteps, n_jobs: int) -> None:
        self.program.forest.run_blocks(rows, self.decisions, scores, exit_step, n_jobs)


class All(Kernel):
    """Every base classifier on every row, by native/blocks."""

    name: ClassVar[str] = "all"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_kernels and program.evaluates_all

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_all(n_rows)

    def scores(self, rows: Rows, out: Scores, n_jobs: int) -> None:
        self.program.forest.scores(rows, out, n_jobs)


class Windows(Kernel):
    """Patches by themselves, each Haar feature computed when a split reads it, by native/walk.

    A patch costs its integral image and the rectangles on its path, where the others compute all
    columns first. Rows whose columns are computed already are left to the row walk.
    """

    name: ClassVar[str] = "windows"

    @staticmethod
    def runs(program: Program) -> bool:
        return program.has_kernels and isinstance(program.ensemble.features, PatchFeatures)

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_windows(n_rows)

    def scores(self, rows: Any, out: Scores, n_jobs: int) -> None:
        self.program.patch_walk.scores(rows, out, n_jobs)

    def _fill(self, rows: Any, scores: Scores, exit_step: ExitSteps, n_jobs: int) -> None:
        self.program.patch_walk.exits(rows, scores, exit_step, n_jobs)

    def run(self, rows: Any, n_jobs: int) -> Trace:
        """Return scores and paths."""
        scores, exit_step = self._to_fill(rows)
        cost = np.zeros(len(rows))
        paths = self.program.patch_walk.run(
            rows, self.program.reached[0].cost, scores, exit_step, cost, n_jobs
        )
        verdict = verdicts_by_exits(self.program, scores, exit_step)
        return Trace(scores, *self._paths(*paths), exit_step, cost, verdict)


class Steps(Executor):
    """All rows of a batch together, step by step, in Python: callables, and any state.

    Trees vote by leaf codes that are computed beforehand. Votes are added in float64, so it only
    runs what kernels, which add integers, cannot.
    """

    name: ClassVar[str] = "steps"

    @staticmethod
    def runs(program: Program) -> bool:
        return not program.has_walk

    def cost(self, n_rows: int) -> float:
        return self.program.costs.by_steps(n_rows)

    def scores(self, rows: Rows, out: Scores, n_jobs: int) -> None:
        out[:] = self._followed(rows, n_jobs)[0]

    def exits(self, rows: Rows, n_jobs: int) -> tuple[Scores, ExitSteps]:
        scores, visits, _ = self._followed(rows, n_jobs)
        return scores, exit_steps(visits, len(rows))

    def verdicts(self, rows: Rows, n_jobs: int) -> NDArray[np.intp]:
        return self.run(rows, n_jobs).verdict

    def run(self, rows: Rows, n_jobs: int) -> Trace:
        """Return scores and paths."""
        ensemble, policy = self.program.ensemble, self.program.policy
        scores, visits, carried = self._followed(rows, n_jobs)
        trace = trace_of(visits, policy, ensemble.cost, scores)
        codes = codes_by_scores(ensemble, scores)
        if policy.verdict is not None:
            cells = partial(policy.state.cells, carried)
            codes = decided(codes, quit_verdicts(policy, trace.exit_step, cells))
        return replace(trace, verdict=codes)

    def _followed(self, rows: Rows, n_jobs: int) -> tuple[NDArray[np.float64], Visits, Any]:
        """Return scores, visits and what is carried at the end."""
        ensemble, policy = self.program.ensemble, self.program.policy
        carried = policy.state.start(ensemble.bias, len(rows))
        visits = follow(policy, votes_on(ensemble, rows, n_jobs), carried, len(rows))
        return policy.state.scores(carried), visits, carried


def follow(policy: Policy, vote: Vote, carried: Any, n_rows: int) -> Visits:
    """Run a policy, returning (j, rows that evaluate at step j) for each step that has any.

    `vote` returns the votes (n, K) of a base classifier on rows; `carried`, what the policy's state
    carries, is changed in place.
    """
    state, visits = policy.state, []
    at = np.zeros(n_rows, np.int32)
    for j in range(policy.n_reached):
        here = np.flatnonzero(at == j)
        if len(here) and j % policy.every == 0:
            at[here] = to = policy.jump_table[j // policy.every].take(state.cells(carried, j, here))
            here = here.compress(to == j)
        if len(here):
            state.add(carried, j, here, vote(int(policy.order[j]), here))
            at[here] = j + 1
            visits.append((j, here))
    return visits


def votes_on(ensemble: Ensemble, rows: Rows, n_jobs: int) -> Vote:
    """Return a function that gives the votes of base classifiers on some of the rows."""
    if ensemble.callables:
        return lambda classifier, here: ensemble.call(classifier, rows[here])
    votes = ensemble.votes(rows, n_jobs=n_jobs)
    tables, codes = votes.tables, votes.codes

    def vote(classifier: int, here: NDArray[np.intp]) -> Scores:
        total = np.zeros((len(here), tables.n_scores))
        for t in range(tables.rounds[classifier], tables.rounds[classifier + 1]):
            total += tables.table(t)[codes[here, t]]
        return total

    return vote


def exit_steps(visits: Visits, n_rows: int) -> NDArray[np.int32]:
    """Return one more than the last step that evaluates each row, 0 if there is none."""
    exit_step = np.zeros(n_rows, np.int32)
    for j, here in visits:
        exit_step[here] = j + 1
    return exit_step


def trace_of(
    visits: Visits, policy: Policy, prices: NDArray[np.float64], scores: NDArray[np.float64]
) -> Trace:
    """Return the paths that visits make, with the price of every base classifier (N,)."""
    n_rows, none = len(scores), np.empty(0, np.intp)
    owner = np.concatenate([here for _, here in visits] or [none])
    evaluated = [np.full(len(here), policy.order[j]) for j, here in visits]
    index = np.concatenate(evaluated or [none])
    cost = np.bincount(owner, prices[index], n_rows).astype(float)  # in the order of evaluation
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n_rows))])
    by_row = np.argsort(owner, kind="stable")
    indices = index[by_row].astype(np.int32)
    return Trace(scores, indptr, indices, exit_steps(visits, n_rows), cost)


OF_ROWS: tuple[type[Executor], ...] = (Walk, Blocks, All)
KERNELS: tuple[type[Executor], ...] = (*OF_ROWS, Windows)
MEMBERS: tuple[type[Executor], ...] = (*OF_ROWS, Steps)  # to choose from where there are rows
