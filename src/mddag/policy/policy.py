"""Policy: the action a_j = pi(s_j), one per step j and cell of the grid.

EVAL evaluates h_j and goes on, SKIP goes on without it, QUIT returns the current scores. Where SKIP
leaves the cell alone, chains of SKIPs fold exactly into a jump table: the next step to evaluate, N
meaning quit. A verdict, if there is one, gives rows that quit a class other than that of their
scores, as a stage of a cascade does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import ReadOnlyArrays, read_only
from mddag._utils.cached import cached_property
from mddag._utils.checks import check_is, check_whole, checked_permutation, described, typed
from mddag.ensemble.rescaling import Rescaling
from mddag.ensemble.votes import Tables
from mddag.policy.arrangement import Arrangement, check_arrangement
from mddag.policy.grid import Grid
from mddag.policy.state import Score, Stages, State, for_steps

BY_SCORES = -1
MOST_CLASSES = 2**15  # that 16 bits number


def last_decisions(quits: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the decision at which a row quits that stands at d in cell c and evaluates no more."""
    n_decisions, n_cells = quits.shape
    last = np.full((n_decisions + 1, n_cells), n_decisions, np.int32)
    for d in range(n_decisions - 1, -1, -1):
        last[d] = np.where(quits[d], d, last[d + 1])
    return last


def decision_after(policy: Policy, exit_step: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the first decision (n,) after the steps that rows have evaluated."""
    return -(-exit_step // policy.n_together)


def decided(codes: NDArray[np.intp], verdict: NDArray[np.int16] | None) -> NDArray[np.intp]:
    """Replace class codes (n,), in place, by the verdict (n,) where there is one."""
    if verdict is not None:
        np.copyto(codes, verdict, where=verdict != BY_SCORES)
    return codes


EVAL, SKIP, QUIT = 0, 1, 2
ACTIONS = ("eval", "skip", "quit")


@dataclass(frozen=True, eq=False)
class Policy(ReadOnlyArrays):
    """One action per step and cell.

    Parameters
    ----------
    actions : array-like of shape (n_decisions, n_cells)
        `EVAL` (0), `SKIP` (1) or `QUIT` (2); row d covers the steps from d * every to (d + 1) *
        every.
    grid : Grid
        Cells of the scores.
    order : array-like of shape (N,)
        Step j decides on base classifier order[j] of the ensemble.
    every : int, default=1
        Number of steps that one decision covers. Fewer decisions let an executor run more rows at
        once.
    rescaling : Rescaling, default=None
        Weights and constants of the base classifiers.
    state : State, default=None
        What is carried for a row and becomes a cell; the scores by default.
    verdict : array-like of shape (n_decisions + 1, n_cells), default=None
        Class of a row that quits at decision d in cell c, or -1 for the class by the scores; the
        last row is for rows that pass the end. None is -1 everywhere.
    leaps : array-like of shape (n_decisions, n_cells), default=None
        Later decision that SKIP leads to, n_decisions for the end; None for the next one.

    Notes
    -----
    All arrays are read-only copies, since the jump table is folded from them once.

    Examples
    --------
    >>> import mddag
    >>> grid = mddag.Grid([0.0])  # two cells: f <= 0 and f > 0
    >>> policy = mddag.Policy([[0, 0], [2, 0]], grid, order=[0, 1])
    >>> mdp = mddag.MDP([[1.0, -2.0], [-1.0, 3.0]], [0, 0], grid=grid)
    >>> scores, n_evaluated, cost = mdp.rollout(policy)
    >>> n_evaluated
    array([2, 1], dtype=int32)
    """

    actions: NDArray[np.uint8]
    grid: Grid
    order: NDArray[np.intp]
    every: int = 1
    rescaling: Rescaling | None = None
    state: State = None  # type: ignore[assignment]  # set below: it takes the grid
    verdict: NDArray[np.int16] | None = None
    leaps: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        _check_grid(self.grid)
        state = Score(self.grid) if self.state is None else self.state
        if not hasattr(state, "grid"):
            raise TypeError(f"state is {described(state)}; wanted a State, such as Score(grid)")
        if state.grid is not self.grid:
            raise ValueError(
                "the state makes its cells from another grid than the policy's; wanted one grid "
                "for both"
            )
        order = checked_permutation(self.order, np.size(self.order))
        n_steps = getattr(state, "n_steps", len(order))
        if n_steps != len(order):
            raise ValueError(
                f"the state is for {n_steps} steps, but the order has {len(order)}; wanted one "
                "state for the steps of the policy"
            )
        check_whole("every", self.every, 1)
        shape = -(-len(order) // self.every), state.n_cells
        actions = _checked_actions(self.actions, shape, self.every)
        wanted = len(order), self.grid.n_scores
        if self.rescaling is not None:
            check_is("rescaling", self.rescaling, Rescaling, "a Rescaling or None")
            if self.rescaling.shift.shape != wanted:
                raise ValueError(
                    f"the rescaling is of shape {self.rescaling.shift.shape}; wanted one constant "
                    f"per step and score, {wanted}"
                )
        verdict = self.verdict
        if verdict is not None:
            verdict = _checked_verdict(verdict, (shape[0] + 1, shape[1]), wanted[1])
        leaps = self.leaps
        if leaps is not None:
            plain = verdict is None and self.rescaling is None and not isinstance(state, Score)
            if not plain or len(order) % self.every:
                raise ValueError(
                    "leaps are given; wanted a policy of Stages without verdicts and rescaling, "
                    f"whose decisions for every {self.every} steps end at step {len(order)}"
                )
            leaps = _checked_leaps(leaps, actions)
        vars(self).update(
            actions=actions,
            order=read_only(order, np.intp),
            state=state,
            verdict=verdict,
            leaps=leaps,
        )

    def __repr__(self) -> str:
        every = f", every={self.every}" if self.every > 1 else ""
        return f"<Policy of {self.n_steps} steps, {self.state.n_cells} cells{every}>"

    @property
    def n_steps(self) -> int:
        """Number of base classifiers, N."""
        return len(self.order)

    @property
    def n_together(self) -> int:
        """Number of steps that one decision covers, at most N."""
        return min(self.every, max(self.n_steps, 1))

    @property
    def jumps(self) -> NDArray[np.int32]:
        """Jump table of a state that folds, as kernels take it."""
        if not self.state.has_kernels:
            raise TypeError(
                f"the state of the policy is {typed(self.state)}, which no kernel knows; "
                "wanted Score, or mddag.compile(ensemble, policy), which runs any state"
            )
        return self.jump_table

    @cached_property
    def jump_table(self) -> NDArray[np.int32]:
        """Next step to evaluate, or to look at the cell again, int32 (n_decisions + 1, n_cells).

        The last row is the end, where all have quit.
        """
        n_decisions = len(self.actions)
        table = np.full((n_decisions + 1, self.state.n_cells), self.n_steps, np.int32)
        steps = np.arange(n_decisions, dtype=np.int32)[:, None] * self.n_together
        np.copyto(table[:-1], steps, where=self.actions == EVAL)
        skips = self.actions == SKIP
        if self.leaps is not None:  # rows are looked at again where they lead to
            np.copyto(table[:-1], self.leaps * np.int32(self.every), where=skips)
            table.flags.writeable = False
            return table
        for d in np.flatnonzero(skips.any(axis=1))[::-1].tolist():
            here, after = d * self.every, (d + 1) * self.every
            last = d + 1 == n_decisions
            skipped = table[d + 1] if last or self.state.folds(here, after) else after
            np.copyto(table[d], skipped, where=skips[d])
        table.flags.writeable = False
        return table

    @cached_property
    def last_decisions(self) -> NDArray[np.int32]:
        """Decision at which a row quits that evaluates no more, (n_decisions + 1, n_cells)."""
        return last_decisions(self.actions == QUIT)

    @cached_property
    def last_verdicts(self) -> NDArray[np.int16]:
        """Verdict on such a row, int16 (n_decisions + 1, n_cells)."""
        assert self.verdict is not None
        return np.take_along_axis(self.verdict, self.last_decisions, axis=0)

    @cached_property
    def n_reached(self) -> int:
        """Number of steps before all rows have quit; N where rows may leap over such a step."""
        if self.leaps is not None:
            return self.n_steps
        end = int((self.jump_table == self.n_steps).all(axis=1).argmax())
        return min(end * self.every, self.n_steps)

    @cached_property
    def evaluates_all(self) -> bool:
        """Whether this is the full ensemble in its own order."""
        in_order = np.array_equal(self.order, np.arange(self.n_steps)) and self.rescaling is None
        return isinstance(self.state, Score) and in_order and bool((self.actions == EVAL).all())

    @cached_property
    def native(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Policy as rollouts take it: jump table by step, int32 (N + 1, n_cells), and order."""
        jumps = self.jump_table if isinstance(self.state, Stages) else self.jumps
        if self.every == 1:
            return jumps, self.order.astype(np.int64, copy=False)
        table = np.empty((self.n_steps + 1, self.state.n_cells), np.int32)
        table[:] = np.arange(self.n_steps + 1)[:, None]  # between decisions all is evaluated
        table[: -1 : self.every] = jumps[:-1]
        table.flags.writeable = False
        return table, self.order.astype(np.int64, copy=False)

    def require(self, n_classifiers: int, n_scores: int) -> None:
        """Raise ValueError unless the policy was made for these numbers.

        Parameters
        ----------
        n_classifiers : int
            Number of base classifiers.
        n_scores : int
            Number of scores.
        """
        if (self.n_steps, self.grid.n_scores) != (n_classifiers, n_scores):
            raise ValueError(
                f"the policy is for {self.n_steps} base classifiers and {self.grid.n_scores} "
                f"score(s), but got {n_classifiers} and {n_scores}; learn a policy for these"
            )

    def after(self, arrangement: Arrangement) -> Policy:
        """Translate a policy that was learned on arranged base classifiers to those of the source.

        Base classifiers that the arrangement left out come last, after all rows have quit.

        Parameters
        ----------
        arrangement : Arrangement
            The arrangement that the policy was learned on.

        Returns
        -------
        Policy
            The policy for the source ensemble.
        """
        check_arrangement(arrangement)
        if self.leaps is not None:
            raise ValueError(
                "the policy has leaps, which lead to steps of its own order; wanted one that was "
                "learned without an arrangement"
            )
        if self.n_steps != arrangement.n_steps:
            raise ValueError(
                f"the policy is for {self.n_steps} base classifiers, but the arrangement has "
                f"{arrangement.n_steps}; wanted the one that it was learned on"
            )
        whole = arrangement.then(Arrangement(self.order, self.rescaling))
        actions, verdict = self.actions, self.verdict
        if len(whole.order) > self.n_steps:
            if self.n_steps % self.every:
                raise ValueError(
                    f"decisions for every {self.every} steps do not end at step {self.n_steps}, "
                    "the last that was kept; wanted a multiple of them kept"
                )
            n_more = -(-len(whole.order) // self.every) - len(actions)
            actions = np.pad(actions, ((0, n_more), (0, 0)), constant_values=QUIT)
            if verdict is not None:  # where all quit now was the end
                verdict = np.pad(verdict, ((0, n_more), (0, 0)), mode="edge")
        return changed_policy(
            self,
            actions=actions,
            order=whole.order,
            rescaling=whole.rescaling,
            state=for_steps(self.state, len(whole.order)),
            verdict=verdict,
        )

    def on_fewest_cells(self) -> Policy:
        """Remove edges of the grid that make no difference at any step.

        Returns
        -------
        Policy
            A policy with the same decisions.
        """
        grid = self.grid
        if not isinstance(self.state, (Score, Stages)):
            return self
        if self.leaps is not None:
            return self
        verdicts = [] if self.verdict is None else [self.verdict]
        tables: list[NDArray[Any]] = [self.actions, *verdicts]
        n_parts = self.state.n_cells // (len(grid.edges) + 1)
        places = [t.reshape(len(t), n_parts, len(grid.edges) + 1) for t in tables]
        changes = [(p[:, :, 1:] != p[:, :, :-1]).any(axis=(0, 1)) for p in places]
        needed = np.any(changes, axis=0)
        if needed.all():
            return self
        first = np.append(0, np.flatnonzero(needed) + 1)  # of the places that become one
        n_cells, fewer = n_parts * len(first), Grid(grid.edges[needed], grid.n_scores)
        actions, *verdict = (p.take(first, axis=2).reshape(len(p), n_cells) for p in places)
        state = self.state.on_grid(fewer)
        return changed_policy(
            self, actions=actions, grid=fewer, state=state, verdict=verdict[0] if verdict else None
        )

    def tables(self, tables: Tables) -> Tables:
        """Rescale the votes of an ensemble for this policy.

        Parameters
        ----------
        tables : Tables
            Votes of the leaves.

        Returns
        -------
        Tables
            Rescaled votes.
        """
        return tables if self.rescaling is None else self.rescaling.applied(tables)

    @classmethod
    def constant(cls, action: int, n_steps: int, grid: Grid, every: int = 1) -> Policy:
        """Return the policy that takes one action everywhere.

        Parameters
        ----------
        action : int
            `EVAL` gives the full ensemble, `QUIT` its bias.
        n_steps : int
            Number of base classifiers.
        grid : Grid
            Cells of the scores.
        every : int, default=1
            Number of steps that one decision covers.

        Returns
        -------
        Policy
            The constant policy.
        """
        _check_grid(grid)
        check_whole("action", action, 0)
        check_whole("n_steps", n_steps, 0)
        check_whole("every", every, 1)
        actions = np.full((-(-n_steps // every), grid.n_cells), action)
        return cls(actions, grid, np.arange(n_steps), every)

    @classmethod
    def prefix(cls, n_evaluated: int, n_steps: int, grid: Grid) -> Policy:
        """Return the policy that evaluates the first base classifiers, then quits.

        Parameters
        ----------
        n_evaluated : int
            How many to evaluate.
        n_steps : int
            Number of base classifiers.
        grid : Grid
            Cells of the scores.

        Returns
        -------
        Policy
            The prefix.
        """
        _check_grid(grid)
        check_whole("n_evaluated", n_evaluated, 0)
        check_whole("n_steps", n_steps, 0)
        if n_evaluated > n_steps:
            raise ValueError(f"cannot evaluate the first {n_evaluated} of {n_steps} steps")
        actions = np.full((n_steps, grid.n_cells), EVAL, np.uint8)
        actions[n_evaluated:] = QUIT
        return trusted_policy(actions, grid, np.arange(n_steps))


def trusted_policy(
    actions: NDArray[np.uint8],
    grid: Grid,
    order: NDArray[np.intp],
    every: int = 1,
    rescaling: Rescaling | None = None,
    state: State | None = None,
    verdict: NDArray[np.int16] | None = None,
    leaps: NDArray[np.int32] | None = None,
) -> Policy:
    """Make a policy of parts that are known to fit; their arrays become read-only."""
    for array in (actions, order, verdict, leaps):
        if array is not None:
            array.flags.writeable = False
    policy = object.__new__(Policy)
    vars(policy).update(
        actions=actions,
        grid=grid,
        order=order,
        every=every,
        rescaling=rescaling,
        state=Score(grid) if state is None else state,
        verdict=verdict,
        leaps=leaps,
    )
    return policy


def changed_policy(policy: Policy, **parts: Any) -> Policy:
    """Return a policy with other parts, which are known to fit."""
    return trusted_policy(**(policy.__getstate__() | parts))


def _checked_actions(actions: Any, shape: tuple[int, int], every: int) -> NDArray[np.uint8]:
    """Return a read-only copy after checking that every entry is an action."""
    array = np.asarray(actions)
    if array.shape != shape:
        raise ValueError(
            f"actions have shape {array.shape}; wanted {shape} for the steps of the order, "
            f"every={every}, and the cells of the grid"
        )
    known = (array == EVAL) | (array == SKIP) | (array == QUIT)
    if not known.all():
        d, c = np.argwhere(~known)[0]
        raise ValueError(
            f"the action at step {d * every} in cell {c} is {array[d, c]}; "
            f"wanted EVAL ({EVAL}), SKIP ({SKIP}) or QUIT ({QUIT})"
        )
    return read_only(array, np.uint8)


def _checked_verdict(verdict: Any, shape: tuple[int, int], n_scores: int) -> NDArray[np.int16]:
    """Return a read-only copy after checking that every entry is a class code or -1."""
    array = np.asarray(verdict)
    if array.shape != shape or array.dtype.kind not in "iu":
        raise ValueError(
            f"verdict is {described(verdict)}; wanted integers {shape}: a class for each decision "
            "and cell in which a row may quit, and one more row of them for the end"
        )
    n_classes = min(max(n_scores, 2), MOST_CLASSES)
    bad = (array < BY_SCORES) | (array >= n_classes)
    if bad.any():
        d, c = np.argwhere(bad)[0]
        raise ValueError(
            f"the verdict of decision {d} in cell {c} is {array[d, c]}; wanted a class from 0 to "
            f"{n_classes - 1}, or -1 for the class by the scores"
        )
    return read_only(array, np.int16)


def _checked_leaps(leaps: Any, actions: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return a read-only copy after checking that every SKIP leads to a later decision."""
    array = np.asarray(leaps)
    if array.shape != actions.shape or array.dtype.kind not in "iu":
        raise ValueError(
            f"leaps are {described(leaps)}; wanted integers {actions.shape}: for each decision and "
            "cell, the later decision that SKIP leads to"
        )
    here = np.arange(len(actions))[:, None]
    bad = (actions == SKIP) & ((array <= here) | (array > len(actions)))
    if bad.any():
        d, c = np.argwhere(bad)[0]
        raise ValueError(
            f"SKIP at decision {d} in cell {c} leads to decision {array[d, c]}; wanted one from "
            f"{d + 1} to {len(actions)}, the end"
        )
    return read_only(np.where(actions == SKIP, array, 0), np.int32)


def _check_grid(grid: Grid) -> None:
    check_is("grid", grid, Grid, "a Grid, the second argument of Policy(actions, grid, order)")


def check_policy(policy: Policy) -> None:
    """Raise TypeError unless `policy` is a Policy."""
    check_is("policy", policy, Policy, "a Policy, such as solver.solve(mdp) gives")
