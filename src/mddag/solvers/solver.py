"""The contract of a solver: an MDP comes in, a policy goes out.

The rows of the MDP are those on which a policy is learned (policy rows); further rows, `selection`,
choose among the policies that were learned, by Eq. (8). Any object with

    solve(mdp, selection=None) -> Policy

is a solver. `as_solver`, called where a user's object enters, checks it and adds the other members
of `Solver`; no other code looks for attributes. A class that can do more than solve at one price
inherits `Solver` and overrides the members concerned.

A `Family` is a solver that chooses among few policies (settings of one number) that do not depend
on beta. Their losses and costs are computed once and serve all prices:

    candidates = family.candidates(mdp)
    losses, costs = candidates.evaluate(selection)
    policy = candidates[(losses + beta * costs).argmin()]
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
SETTINGS = ("every", "random_state", "n_threads", "verbose")


class Solver(ABC):
    """A solver with all that callers use; every member but `solve` has a default.

    What it needs of the MDP:

    arranges        : it puts base classifiers into orders, and makes grids, by itself; callers then
                      leave both as they are, and `with_order` takes the order that a user names
    cells_per_class : cells of the grid for each top class; None for the usual number

    What it is for:

    detects         : it rejects rows at a wanted rate; estimators ask it for rates and calibration,
                      see ``mddag.detection.Rejection``

    What it can do at several prices:

    solves_paths    : `solve_path` is quicker than a solve per price; callers then part nothing
                      among processes

    Which of the settings below are parameters of its own; callers change only these, in a copy:

    settings     : names among the following four
    every        : steps that one decision covers, see Policy
    random_state : a seed, or None
    n_threads    : threads; the answer does not depend on it
    verbose      : whether it reports on standard error
    """

    arranges: ClassVar[bool] = False
    detects: ClassVar[bool] = False
    cells_per_class: ClassVar[int | None] = None
    solves_paths: ClassVar[bool] = False
    settings: ClassVar[tuple[str, ...]] = ()

    every: int = 1
    random_state: int | None = None
    n_threads: int = 1
    verbose: bool = False

    @property
    def name(self) -> str:
        """What messages call it."""
        return type(self).__name__

    @abstractmethod
    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """A policy for `mdp`, chosen among candidates by Eq. (8) on `selection` (or on `mdp`)."""

    def solve_path(
        self, mdp: MDP, betas: Sequence[float], selection: MDP | None = None
    ) -> Iterable[Policy]:
        """The policies at several prices, in their order: a solve for each."""
        for beta in betas:
            chooser = None if selection is None else selection.with_beta(beta)
            yield self.solve(mdp.with_beta(beta), chooser)

    def judged(
        self, mdp: MDP, betas: Sequence[float], selection: MDP | None = None
    ) -> JudgedCandidates | None:
        """All policies that were learned at these prices, with their losses and costs on
        `selection`; None for a solver that keeps its best policy alone."""
        return None

    def levels(self, n_scores: int) -> Levels:
        """How the levels of a new order are fitted, see ``ordering.arrangement``."""
        return by_lines if n_scores == 1 else by_log_odds

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        return

    def with_every(self, every: int) -> Self:
        """The solver; for `every` above 1 a copy that decides once for so many steps."""
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
        """The solver; if it arranges, a copy that tries this order alone."""
        return self

    def with_seed(self, random: np.random.RandomState) -> Self:
        """The solver; a copy with a seed drawn from `random` if it has none of its own."""
        if "random_state" not in self.settings or self.random_state is not None:
            return self
        return self._with(random_state=int(random.randint(2**31 - 1)))

    def with_threads(self, n_threads: int) -> Self:
        """The solver; a copy with so many threads if it can have them."""
        if "n_threads" not in self.settings or self.n_threads == n_threads:
            return self
        return self._with(n_threads=n_threads)

    def with_verbose(self, verbose: bool) -> Self:
        """The solver; a copy that reports if that is wanted and it can."""
        return self._with(verbose=True) if verbose and "verbose" in self.settings else self

    def quiet(self) -> Self:
        """The solver; a copy that does not report if it would."""
        return self._with(verbose=False) if self.verbose else self

    def _with(self, **settings: Any) -> Self:
        """A copy with other settings; itself where there are none."""
        if not settings:
            return self
        other = copy(self)
        for name, value in settings.items():
            setattr(other, name, value)
        return other


class Candidates(Protocol):
    """Policies to choose from, each made when it is asked for: together they may fill memory."""

    def __len__(self) -> int: ...

    def __getitem__(self, c: int, /) -> Policy: ...

    def evaluate(self, mdp: MDP) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean loss and mean cost of every candidate on these rows, both (n_candidates,)."""
        ...


class Family(Solver):
    """A solver whose candidates do not depend on beta."""

    @abstractmethod
    def candidates(self, mdp: MDP) -> Candidates:
        """What `solve` chooses from, whatever beta is; the full ensemble is the first."""

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """The best candidate by Eq. (8) on `selection`, or on the MDP itself."""
        check_samples(mdp, selection)
        return best(self.candidates(mdp), mdp if selection is None else selection)


def best(candidates: Candidates, selection: MDP) -> Policy:
    """The candidate with the smallest value of Eq. (8) on these rows, the first in a tie: it is the
    more careful one."""
    losses, costs = candidates.evaluate(selection)
    return candidates[int((losses + selection.beta * costs).argmin())]


class PlainSolver(Solver):
    """An object with `solve` and nothing else, with the other members of a `Solver`."""

    def __init__(self, solver: Any) -> None:
        self.solver = solver

    @property
    def name(self) -> str:
        """That of the object."""
        return type(self.solver).__name__

    def __repr__(self) -> str:
        return repr(self.solver)

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """What the object returns, if it is a Policy."""
        policy = self.solver.solve(mdp, selection)
        if not isinstance(policy, Policy):
            raise TypeError(
                f"{self.name} returned {described(policy)}; wanted a Policy, such as "
                "Policy(actions, grid, order)"
            )
        return policy


def as_solver(solver: Any) -> Solver:
    """The solver, if it is one, its parameters checked; an object with `solve` alone is wrapped."""
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
    """Refuse a solve that cannot be called with the rows for learning and those for choosing."""
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
    """Refuse what a solver cannot learn from or choose by."""
    check_is("mdp", mdp, MDP, "an MDP, such as MDP(ensemble.votes(X), labels)")
    if selection is not None:
        check_is("selection", selection, MDP, "an MDP of the rows that choose, or None")


@dataclass
class Search:
    """The best policy so far, its value of Eq. (8), and the values of all candidates.

    Solvers that make policies one after the other (snapshots, sweeps) hand them to it; it also
    reports progress. It begins with the full ensemble: a candidate that is worse is of no use.
    """

    policy: Policy
    best: float
    history: list[float] = field(default_factory=list)

    @classmethod
    def begin(cls, mdp: MDP, selection: MDP) -> Search:
        """With the full ensemble of `mdp`, which must suit `selection`."""
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
        """The best by Eq. (8) on `selection`, or on the MDP itself.

        candidates : each with how much of `total` is done, for the report of progress
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
