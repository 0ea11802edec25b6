"""Dag: the sparse decision DAG, an ensemble and a policy that runs as a jump table.

The run of one row is ``for (j = next[0, cell(f)]; j < N; j = next[j + 1, cell(f)]) f += h_j(x)``. A
Dag checks rows and passes them, batch by batch, to the executor that is expected to be fastest.
Votes of trees are summed as integers, so a score has the same bits whatever the executor, the batch
or the number of threads; it lies within ``Dag.fixed_point.bound`` of the float64 sum of
``Ensemble.scores``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.arrays import ReadOnlyArrays, checked_out
from mddag._utils.cached import cached_property
from mddag._utils.checks import check_is, check_one_of, checked_jobs, typed
from mddag.engine.cost_model import MANY_ROWS
from mddag.engine.executors import (
    KERNELS,
    MEMBERS,
    Executor,
    QueryExecutor,
    Steps,
    Walk,
    Windows,
)
from mddag.engine.program import Program, codes_by_scores
from mddag.engine.purchases import Purchases
from mddag.engine.trace import Trace
from mddag.ensemble.ensemble import Ensemble
from mddag.ensemble.features import Patches, Rows
from mddag.policy.grid import Grid
from mddag.policy.policy import EVAL, Policy, changed_policy, check_policy
from mddag.policy.rollout import IntegerVotes

FEW_ROWS = 256
BLOCK = 1024  # rows whose paths are kept at a time, where only their lengths are wanted


@dataclass(frozen=True, eq=False)
class Dag(ReadOnlyArrays):
    """An ensemble and what to evaluate next; made by `mddag.compile`.

    Parameters
    ----------
    ensemble : Ensemble
        Source ensemble in its own order, rescaled for the policy.
    policy : Policy
        Its step j decides on base classifier policy.order[j].
    executor : {"walk", "blocks", "all", "windows"}, default=None
        What runs batches ("windows" is for patches); None for the one that is expected to be
        fastest.
    expected_evaluations : float, default=None
        Mean number of evaluations of a row, if known; half of those within reach otherwise.
    purchases : Purchases, default=None
        What the features cost that base classifiers read; None without prices.

    Examples
    --------
    >>> import mddag
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import GradientBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X, y)
    >>> ensemble = mddag.as_ensemble(model)
    >>> mdp = mddag.MDP(ensemble.votes(X), y, beta=0.01)
    >>> policy = mddag.solvers.Margin().solve(mdp)
    >>> dag = mddag.compile(ensemble, policy)
    >>> bool(dag.run(X).n_evaluated.mean() < 5)
    True
    """

    ensemble: Ensemble
    policy: Policy
    executor: str | None = None
    expected_evaluations: float | None = None
    purchases: Purchases | None = None

    def __post_init__(self) -> None:
        _check_ensemble(self.ensemble)
        check_policy(self.policy)
        self.policy.require(self.ensemble.n_classifiers, self.ensemble.n_scores)
        if self.policy.rescaling is not None:
            raise ValueError(
                "the policy has a rescaling, which belongs into the votes of a Dag's ensemble; "
                "wanted mddag.compile(ensemble, policy), which puts it there"
            )
        if self.policy.verdict is not None and not self.ensemble.task.predicts_classes:
            raise ValueError(
                f"the policy has verdicts, which are classes, but the ensemble is a "
                f"{self.ensemble.kind}; wanted a classifier, or a policy without verdicts"
            )
        if self.purchases is not None:
            check_is("purchases", self.purchases, Purchases, "Purchases or None")
            self.purchases.require(self.ensemble)
        _ = self.program  # whose checks belong before any work
        if self.executor is not None:
            _ = self.possible  # likewise

    def __repr__(self) -> str:
        return f"<Dag over {self.ensemble!r}>"

    def __str__(self) -> str:
        if not self.program.has_walk:
            return repr(self)
        name, speed = self.chosen(MANY_ROWS).name, self.expected_speedup
        if name == "all":
            n, of = self.policy.n_reached, self.policy.n_steps
            return f"{self!r}\nevaluates {'everything' if n == of else f'{n} of {of}'} of every row"
        expected = (
            f"{speed:.1f} times as fast as evaluating everything"
            if speed > 1
            else f"no faster than evaluating everything ({1 / speed:.1f} times the time)"
        )
        mean = self.program.costs.evaluations
        return (
            f"{self!r}\nlarge batches run by {name!r}: {expected}, "
            f"if rows need {mean:.3g} base classifiers on average"
        )

    @cached_property
    def program(self) -> Program:
        """What executors run."""
        return Program(self.ensemble, self.policy, self.expected_evaluations)

    @cached_property
    def possible(self) -> tuple[Executor, ...]:
        """Executors to choose from: the named one, or all that can run the program."""
        if self.executor is None:
            return tuple(kind(self.program) for kind in MEMBERS if kind.runs(self.program))
        return (_named(self.executor, self.program),)

    def chosen(self, n_rows: int) -> Executor:
        """Return the executor of a batch.

        Parameters
        ----------
        n_rows : int
            Number of rows of the batch.

        Returns
        -------
        Executor
            The one that is expected to be fastest.
        """
        if len(self.possible) == 1:
            return self.possible[0]
        if (known := self._chosen_for_few.get(n_rows)) is not None:
            return known
        best = min(self.possible, key=lambda executor: executor.cost(n_rows))
        if n_rows < FEW_ROWS:  # of a small batch the choice takes as long as the kernel
            self._chosen_for_few[n_rows] = best
        return best

    @cached_property
    def _chosen_for_few(self) -> dict[int, Executor]:
        """The choices made so far for small batches, by rows."""
        return {}

    @property
    def expected_speedup(self) -> float:
        """Expected speed of large batches, relative to evaluating everything.

        Below 1 the policy saves evaluations but no time: few trees of one row cost as much as many
        trees of many rows at once. For callables only the number of calls counts.
        """
        full, best = self.program.full_costs, self.chosen(MANY_ROWS).cost(MANY_ROWS)
        if self.needs_queries and not self.ensemble.callables:
            return full.by_all(MANY_ROWS) / self.by_query.cost(MANY_ROWS)
        by = full.by_all if self.program.has_walk else full.by_steps
        return by(MANY_ROWS) / best if best > 0 else float("inf")

    @property
    def expected_speedup_one(self) -> float:
        """Expected speed of single rows (``predict_one``), relative to evaluating everything.

        Stumps over few columns, which evaluate as one step function each, can hardly be beaten.
        """
        if not self.program.has_walk:
            return self.expected_speedup
        return self.program.full_costs.one / self.program.costs.one

    @property
    def fixed_point(self) -> IntegerVotes:
        """Votes as the executors sum them; trees only."""
        return self.program.fixed_point

    @property
    def walk(self) -> _core.Walk:
        """Row walk, which also takes single rows; trees only."""
        return self.program.walk

    @property
    def needs_queries(self) -> bool:
        """Whether decisions depend on the other documents of a query, so that qid is needed."""
        return hasattr(self.policy.state, "executor")

    @cached_property
    def by_query(self) -> QueryExecutor:
        """Executor of a policy that needs queries; no query is ever split."""
        executor: QueryExecutor = self.policy.state.executor(self.program)  # type: ignore[attr-defined]
        return executor

    def run(self, X: Any, qid: Any = None, *, n_jobs: int = 1) -> Trace:
        """Compute scores and classification paths.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.
        qid : array-like of shape (n,), default=None
            Query of each row, in any order, for a policy that needs queries; its scores only sort
            the documents of a query. Other policies ignore it.
        n_jobs : int, default=1
            Number of threads.

        Returns
        -------
        Trace
            Scores, paths and costs.
        """
        rows, n_jobs = self.ensemble.features.read(X), checked_jobs(n_jobs)
        if self.needs_queries:
            trace = self.by_query.run(self.ensemble.features.rows(rows), qid, n_jobs)
        elif not isinstance(rows, Rows) and Windows.runs(self.program):
            trace = Windows(self.program).run(rows, n_jobs)
        else:
            tracer = Walk(self.program) if self.program.has_walk else Steps(self.program)
            trace = tracer.run(self.ensemble.features.rows(rows), n_jobs)
        return trace if self.purchases is None else self.purchases.priced(trace)

    def scores(
        self,
        X: Any,
        out: NDArray[np.float64] | None = None,
        *,
        qid: Any = None,
        n_jobs: int = 1,
    ) -> NDArray[np.float64]:
        """Compute the final scores f^(N)(x) of Eq. (2), without paths.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.
        out : ndarray of shape (n, K), default=None
            Array to fill.
        qid : array-like of shape (n,), default=None
            Query of each row; see `run`.
        n_jobs : int, default=1
            Number of threads.

        Returns
        -------
        ndarray of shape (n, K)
            Scores.
        """
        n_jobs = checked_jobs(n_jobs)
        rows = self.ensemble.features.read(X)
        scores = checked_out(out, (len(rows), self.ensemble.n_scores), rows)
        if self.needs_queries:
            ready = self.ensemble.features.rows(rows)
            scores[:] = self.by_query.exits(ready, qid, n_jobs)[0]
        else:
            executor, ready = self._ready(rows)
            executor.scores(ready, scores, n_jobs)
        return scores

    def exits(self, X: Any, *, n_jobs: int = 1) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Compute scores and exit steps.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.
        n_jobs : int, default=1
            Number of threads.

        Returns
        -------
        scores : ndarray of shape (n, K)
            Scores.
        exit_step : ndarray of shape (n,), int32
            One more than the last step at which the row evaluates, 0 if there is none.
        """
        executor, ready = self._ready(self.ensemble.features.read(X))
        return executor.exits(ready, checked_jobs(n_jobs))

    def _ready(self, rows: Rows | Patches) -> tuple[Executor, Any]:
        """Return what runs checked rows, and the rows as it takes them."""
        executor = self.chosen(len(rows))
        if isinstance(rows, Rows):  # columns that are there need no windows
            return Walk(self.program) if executor.name == Windows.name else executor, rows
        if executor.name == Windows.name:
            return executor, rows
        if self.executor is None and Windows.runs(self.program):
            lazy, n_rows = Windows(self.program), len(rows)
            if lazy.cost(n_rows) < self.program.costs.by_columns(n_rows) + executor.cost(n_rows):
                return lazy, rows
        return executor, self.ensemble.features.rows(rows)

    def verdicts(self, X: Any, *, n_jobs: int = 1) -> NDArray[np.intp]:
        """Return the class of each row.

        It is the policy's verdict if it has one, else the class by the scores.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.
        n_jobs : int, default=1
            Number of threads.

        Returns
        -------
        ndarray of shape (n,)
            Indices into the classes of the ensemble.
        """
        rows, n_jobs = self.ensemble.features.read(X), checked_jobs(n_jobs)
        if self.policy.verdict is not None:
            executor, ready = self._ready(rows)
            return executor.verdicts(ready, n_jobs)
        return codes_by_scores(self.ensemble, self.scores(rows, n_jobs=n_jobs))

    def n_evaluated(self, X: Any, qid: Any = None, *, n_jobs: int = 1) -> NDArray[np.int64]:
        """Count the base classifiers that each row evaluates.

        Paths, which may take more memory than everything else, are kept for a block of rows at a
        time, unless rows depend on one another.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n, n_features)
            Rows.
        qid : array-like of shape (n,), default=None
            Query of each row; see `run`.
        n_jobs : int, default=1
            Number of threads.

        Returns
        -------
        ndarray of shape (n,), int64
            Number of evaluations.
        """
        if self.needs_queries:
            ready = self.ensemble.features.rows(X)
            return self.by_query.exits(ready, qid, checked_jobs(n_jobs))[2]
        counts = [trace.n_evaluated for _, trace in traces(self, X, n_jobs=n_jobs)]
        return np.concatenate([np.zeros(0, np.int64), *counts])


def traces(
    dag: Dag, X: Any, qid: Any = None, *, n_jobs: int = 1
) -> Iterator[tuple[Rows | Patches, Trace]]:
    """Yield blocks of rows with their traces, unless rows depend on one another."""
    rows = dag.ensemble.features.read(X)
    size = max(len(rows), 1) if dag.needs_queries else BLOCK
    for start in range(0, len(rows), size):
        block = rows[start : start + size]
        yield block, dag.run(block, qid, n_jobs=n_jobs)


def compile(  # noqa: A001
    ensemble: Ensemble,
    policy: Policy | None = None,
    *,
    executor: str | None = None,
    expected_evaluations: float | None = None,
    purchases: Purchases | None = None,
) -> Dag:
    """Make the DAG of an ensemble and a policy.

    ``print(dag)`` shows how it will run, and whether that is expected to be faster than evaluating
    everything.

    Parameters
    ----------
    ensemble : Ensemble
        The ensemble.
    policy : Policy, default=None
        What to evaluate; everything by default.
    executor : {"walk", "blocks", "all", "windows"}, default=None
        What runs batches; None for the one that is expected to be fastest. It never changes
        results.
    expected_evaluations : float, default=None
        Mean number of evaluations of a row, if known; it helps to choose the executor.
    purchases : Purchases, default=None
        What rows pay for features; added to every Trace.

    Returns
    -------
    Dag
        The DAG.

    Examples
    --------
    >>> import mddag
    >>> votes = [lambda X: X[:, 0], lambda X: -X[:, 1]]
    >>> ensemble = mddag.Ensemble.from_callables(votes, n_features=2)
    >>> mddag.compile(ensemble).scores([[3.0, 1.0]])
    array([[2.]])
    >>> policy = mddag.Policy.prefix(1, 2, mddag.Grid([0.0]))
    >>> mddag.compile(ensemble, policy).scores([[3.0, 1.0]])
    array([[3.]])
    """
    _check_ensemble(ensemble)
    if policy is None:
        grid = Grid(np.empty(0), ensemble.n_scores)
        policy = Policy.constant(EVAL, ensemble.n_classifiers, grid)
    check_policy(policy)
    if policy.rescaling is not None:  # from here on it is part of the votes
        policy.require(ensemble.n_classifiers, ensemble.n_scores)
        ensemble, policy = (
            ensemble.rescaled(policy.rescaling),
            changed_policy(policy, rescaling=None),
        )
    return Dag(ensemble, policy, executor, expected_evaluations, purchases)


def _check_ensemble(ensemble: Ensemble) -> None:
    check_is("ensemble", ensemble, Ensemble, "an Ensemble: pass mddag.as_ensemble(model)")


def _named(name: str, program: Program) -> Executor:
    check_one_of("executor", name, tuple(kind.name for kind in KERNELS))
    able = {kind.name: kind for kind in KERNELS if kind.runs(program)}
    if name in able:
        return able[name](program)
    ensemble, state = program.ensemble, program.policy.state
    if not able:
        why = f"no kernel knows the policy's state, {typed(state)}"
        if ensemble.callables:
            why = "the base classifiers are callables, which are called one by one"
        raise ValueError(f"executor is {name!r}, but {why}; leave executor out")
    why = "the policy does not evaluate the same of every row"
    if not program.has_kernels:
        why = f"the policy's state, {typed(state)}, has more than one score column"
    elif name == Windows.name:
        why = "the ensemble reads rows, not patches"
    raise ValueError(f"executor is {name!r}, but {why}; wanted {' or '.join(map(repr, able))}")
