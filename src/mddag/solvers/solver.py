"""The interface of solvers: an MDP goes in, a policy comes out.

Any object with ``solve(mdp, selection=None)`` is a solver; `as_solver` checks a user's object and
adds the other members of `Solver`. A `Family` chooses among policies that do not depend on beta, so
that one evaluation of their losses and costs serves all prices.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from mddag._utils.checks import check_is, check_whole, described
from mddag._utils.output import progress
from mddag.policy.arrangement import Levels, by_lines, by_log_odds
from mddag.policy.mdp import MDP
from mddag.policy.policy import Policy
from mddag.solvers.front import JudgedCandidates

# The settings that callers may change in a copy of a solver, if it has them.
SETTINGS = ("every", "random_state", "n_jobs", "verbose")


class Solver(ABC):
    """Base class of solvers; every member but `solve` has a default.

    Attributes
    ----------
    arranges : bool, default=False
        Whether it orders base classifiers and makes grids itself; callers then leave both alone,
        and `with_order` passes on the order that a user asks for.
    detects : bool, default=False
        Whether it rejects rows at a wanted rate; see ``mddag.detection.Rejection``.
    cells_per_class : int or None, default=None
        Cells of the grid for each top class; None for the usual number.
    solves_paths : bool, default=False
        Whether `solve_path` is faster than one solve per price; callers then do not run prices in
        parallel.
    settings : tuple of str, default=()
        Which of the following four are parameters of the solver; callers change only these, in a
        copy.
    every : int, default=1
        Number of steps that one decision covers.
    random_state : int or None, default=None
        Seed.
    n_jobs : int, default=1
        Number of threads; the answer does not depend on it.
    verbose : bool, default=False
        Whether to report on standard error.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Solver
    >>> class Half(Solver):
    ...     def solve(self, mdp, selection=None):
    ...         return mddag.Policy.prefix(mdp.n_steps // 2, mdp.n_steps, mdp.grid)
    >>> mdp = mddag.MDP([[1.0, -0.5], [-1.0, 0.5]], [1, 0])
    >>> mdp.evaluate(Half().solve(mdp)).n_evaluated
    1.0
    """

    arranges: ClassVar[bool] = False
    detects: ClassVar[bool] = False
    cells_per_class: ClassVar[int | None] = None
    solves_paths: ClassVar[bool] = False
    settings: ClassVar[tuple[str, ...]] = ()

    every: int = 1
    random_state: int | None = None
    n_jobs: int = 1
    verbose: bool = False

    @property
    def name(self) -> str:
        """Name in messages."""
        return type(self).__name__

    @abstractmethod
    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """Learn a policy.

        Parameters
        ----------
        mdp : MDP
            Rows to learn from.
        selection : MDP, default=None
            Rows to choose among candidates by Eq. (8); None for those of `mdp`.

        Returns
        -------
        Policy
            The best candidate.
        """

    def solve_path(
        self, mdp: MDP, betas: Sequence[float], selection: MDP | None = None
    ) -> Iterable[Policy]:
        """Learn a policy at each of several prices.

        Parameters
        ----------
        mdp : MDP
            Rows to learn from.
        betas : sequence of float
            Prices of one evaluation, in units of the loss.
        selection : MDP, default=None
            Rows to choose among candidates by Eq. (8); None for those of `mdp`.

        Yields
        ------
        Policy
            The policies in the order of the prices.
        """
        for beta in betas:
            chooser = None if selection is None else selection.with_beta(beta)
            yield self.solve(mdp.with_beta(beta), chooser)

    def judged(
        self, mdp: MDP, betas: Sequence[float], selection: MDP | None = None
    ) -> JudgedCandidates | None:
        """Return all policies that were learned at some prices, with their losses and costs.

        Parameters
        ----------
        mdp : MDP
            Rows to learn from.
        betas : sequence of float
            Prices of one evaluation, in units of the loss.
        selection : MDP, default=None
            Rows to estimate losses and costs on.

        Returns
        -------
        JudgedCandidates or None
            The candidates; None for a solver that keeps only its best policy.
        """
        return None

    def levels(self, n_scores: int) -> Levels:
        """Return how the levels of a new order are fitted, see ``policy.arrangement``.

        Parameters
        ----------
        n_scores : int
            Number of scores, K.

        Returns
        -------
        callable
            Function of (votes, weight).
        """
        return by_lines if n_scores == 1 else by_log_odds

    def check(self) -> None:
        """Raise an error if a parameter is invalid."""
        return

    def with_every(self, every: int) -> Self:
        """Return the solver, or a copy that decides once for several steps.

        Parameters
        ----------
        every : int
            Number of steps that one decision covers.

        Returns
        -------
        Self
            The solver itself if `every` is 1.
        """
        check_whole("every", every, 1)
        if every == 1:
            return self
        if "every" not in self.settings:
            raise ValueError(
                f"every is {every}, but {self!r} decides at each base classifier; wanted a solver "
                "that has `every`, or every=1"
            )
        return self._with(every=every)

    def with_order(self, ordering: Any) -> Self:
        """Return the solver, or a copy that tries one order if it arranges base classifiers.

        Parameters
        ----------
        ordering : Ordering
            The order.

        Returns
        -------
        Self
            The solver or a copy.
        """
        return self

    def with_seed(self, random: np.random.RandomState) -> Self:
        """Return the solver, or a copy with a seed if it has none of its own.

        Parameters
        ----------
        random : RandomState
            Generator of the seed.

        Returns
        -------
        Self
            The solver or a copy.
        """
        if "random_state" not in self.settings or self.random_state is not None:
            return self
        return self._with(random_state=int(random.randint(2**31 - 1)))

    def with_threads(self, n_jobs: int) -> Self:
        """Return the solver, or a copy with another number of threads if it has this setting.

        Parameters
        ----------
        n_jobs : int
            Number of threads.

        Returns
        -------
        Self
            The solver or a copy.
        """
        if "n_jobs" not in self.settings or self.n_jobs == n_jobs:
            return self
        return self._with(n_jobs=n_jobs)

    def with_verbose(self, verbose: bool) -> Self:
        """Return the solver, or a copy that reports if it can.

        Parameters
        ----------
        verbose : bool
            Whether to report on standard error.

        Returns
        -------
        Self
            The solver or a copy.
        """
        return self._with(verbose=True) if verbose and "verbose" in self.settings else self

    def quiet(self) -> Self:
        """Return the solver, or a copy that does not report.

        Returns
        -------
        Self
            The solver or a copy.
        """
        return self._with(verbose=False) if self.verbose else self

    def _with(self, **settings: Any) -> Self:
        """Return a copy with other settings; itself if there are none."""
        if not settings:
            return self
        other = copy(self)
        for name, value in settings.items():
            setattr(other, name, value)
        return other


class Candidates(Protocol):
    """Protocol of sequences of policies, each made on demand since together they may fill memory.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Prefix
    >>> mdp = mddag.MDP([[1.0, -0.5], [-1.0, 0.5]], [1, 0])
    >>> candidates = Prefix().candidates(mdp)
    >>> losses, costs = candidates.evaluate(mdp)
    >>> costs
    array([2., 1., 0.])
    >>> candidates[1]
    <Policy of 2 steps, 1024 cells>
    """

    def __len__(self) -> int: ...

    def __getitem__(self, c: int, /) -> Policy: ...

    def evaluate(self, mdp: MDP) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Compute the mean loss and cost of every candidate.

        Parameters
        ----------
        mdp : MDP
            Rows to evaluate on.

        Returns
        -------
        losses, costs : ndarray of shape (n_candidates,)
            Means over the rows.
        """
        ...


class Family(Solver):
    """Base class of solvers whose candidates do not depend on beta.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Family, Margin
    >>> isinstance(Margin(), Family)
    True
    >>> mdp = mddag.MDP([[1.0, -0.5], [-1.0, 0.5]], [1, 0])
    >>> candidates = Margin().candidates(mdp)
    >>> losses, costs = candidates.evaluate(mdp)
    >>> cheap, expensive = (candidates[(losses + beta * costs).argmin()] for beta in (0.0, 0.5))
    >>> mdp.evaluate(cheap).cost, mdp.evaluate(expensive).cost
    (2.0, 1.0)
    """

    @abstractmethod
    def candidates(self, mdp: MDP) -> Candidates:
        """Return what `solve` chooses from; the full ensemble is the first.

        Parameters
        ----------
        mdp : MDP
            Rows to learn from; its beta is not used.

        Returns
        -------
        Candidates
            The policies.
        """

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        check_samples(mdp, selection)
        return best(self.candidates(mdp), mdp if selection is None else selection)


def best(candidates: Candidates, selection: MDP) -> Policy:
    """Return the candidate with the smallest value of Eq. (8), in a tie the first.

    It is the most careful of these.
    """
    losses, costs = candidates.evaluate(selection)
    return candidates[int((losses + selection.beta * costs).argmin())]


class PlainSolver(Solver):
    """Wrap an object that has only `solve`, adding the other members of `Solver`."""

    def __init__(self, solver: Any) -> None:
        self.solver = solver

    @property
    def name(self) -> str:
        """Name of the class of the object."""
        return type(self.solver).__name__

    def __repr__(self) -> str:
        return repr(self.solver)

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """Return the policy of the object, or raise TypeError if it is not a Policy."""
        policy = self.solver.solve(mdp, selection)
        if not isinstance(policy, Policy):
            raise TypeError(
                f"{self.name} returned {described(policy)}; wanted a Policy, such as "
                "Policy(actions, grid, order)"
            )
        return policy


def as_solver(solver: Any) -> Solver:
    """Return the solver after checking it; an object that has only `solve` is wrapped."""
    try:
        solve = None if isinstance(solver, type) else solver.solve
    except AttributeError:
        solve = None
    if not callable(solve):
        raise TypeError(
            f"solver is {solver!r}; wanted an object with solve(mdp, selection) -> Policy, such as "
            "Sarsa()"
        )
    found = solver if isinstance(solver, Solver) else PlainSolver(solver)
    _check_signature(found.name, solve)
    found.check()
    return found


def _check_signature(name: str, solve: Any) -> None:
    """Raise TypeError unless `solve` can be called with (mdp, selection)."""
    try:
        inspect.signature(solve).bind(None, None)
    except TypeError as error:
        raise TypeError(
            f"{name}.solve cannot be called with (mdp, selection): {error}; "
            "wanted solve(self, mdp, selection=None)"
        ) from None
    except ValueError:  # what is not written in Python need not have a signature
        pass


def check_samples(mdp: MDP, selection: MDP | None) -> None:
    """Raise TypeError unless these are MDPs."""
    check_is("mdp", mdp, MDP, "an MDP, such as MDP(ensemble.votes(X), labels)")
    if selection is not None:
        check_is("selection", selection, MDP, "an MDP of the rows that choose, or None")


@dataclass
class Search:
    """Best policy so far, its value of Eq. (8), and the values of all candidates.

    Solvers that make policies one after the other (snapshots, sweeps) pass them to it; it also
    reports progress. It begins with the full ensemble, as a worse candidate is of no use.
    """

    policy: Policy
    best: float
    history: list[float] = field(default_factory=list)

    @classmethod
    def begin(cls, mdp: MDP, selection: MDP) -> Search:
        """Begin with the full ensemble of `mdp`, which must suit `selection`."""
        full = mdp.evaluate_all()
        full.require(selection.n_steps, selection.n_scores)
        return cls(full, selection.evaluate(full).objective)

    @classmethod
    def among(
        cls,
        candidates: Iterable[tuple[int, Policy]],
        mdp: MDP,
        selection: MDP | None,
        *,
        name: str,
        total: int,
        verbose: bool,
    ) -> Search:
        """Return the search after all candidates, compared by Eq. (8) on `selection` or `mdp`.

        `candidates` come with how much of `total` is done, for the report of progress.
        """
        selection = mdp if selection is None else selection
        search = cls.begin(mdp, selection)
        with progress(name, total, verbose) as report:
            for done, policy in candidates:
                search.consider(policy, selection)
                report(done, f"best {search.best:.4f}, now {search.history[-1]:.4f}")
        return search

    def consider(self, policy: Policy, selection: MDP) -> None:
        """Keep the policy if it is better on these rows than the best so far."""
        objective = selection.evaluate(policy).objective
        self.history.append(objective)
        if objective < self.best:
            self.policy, self.best = policy, objective
