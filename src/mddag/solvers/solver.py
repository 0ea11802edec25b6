"""The contract of a solver: from a Markov decision process to a policy.

A `Family` is a solver with few candidates (settings of one knob) that do not depend on beta. Their
losses and costs are found once for all prices, by it or by whoever chooses among several families:

    candidates = family.candidates(mdp)
    losses, costs = candidates.evaluate(selection)
    policy = candidates[(losses + beta * costs).argmin()]
"""

from __future__ import annotations

import inspect
from copy import copy
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_is, check_whole, described
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy


class Solver(Protocol):
    """Anything with this method learns policies; there is nothing to inherit."""

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """A policy for `mdp`, chosen among candidates by Eq. (8) on `selection` (or on `mdp`)."""
        ...


class Candidates(Protocol):
    """Policies to choose from, each made when it is asked for: together they may fill memory."""

    def __len__(self) -> int: ...

    def __getitem__(self, c: int, /) -> Policy: ...

    def evaluate(self, mdp: MDP) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean loss and mean cost of every candidate on these rows, both (n_candidates,)."""
        ...


class Family(Solver, Protocol):
    def candidates(self, mdp: MDP) -> Candidates:
        """What `solve` chooses from, whatever beta is; the full ensemble is the first."""
        ...


def checked_solver(solver: Any) -> Solver:
    """The solver, if it is one; its own parameters are checked too, where it can check them."""
    if isinstance(solver, type) or not callable(getattr(solver, "solve", None)):
        raise TypeError(
            f"solver is {solver!r}; wanted an object with solve(mdp, selection) -> Policy, such as "
            "Sarsa()"
        )
    _check_signature(solver)
    if hasattr(solver, "check"):
        solver.check()
    found: Solver = solver
    return found


def _check_signature(solver: Any) -> None:
    """Refuse a solve that cannot be called with the rows for learning and those for choosing."""
    try:
        inspect.signature(solver.solve).bind(None, None)
    except TypeError as error:
        raise TypeError(
            f"{type(solver).__name__}.solve cannot be called with (mdp, selection): {error}; "
            "wanted solve(self, mdp, selection=None)"
        ) from None
    except ValueError:  # what is not written in Python need not have a signature
        pass


def check_samples(mdp: MDP, selection: MDP | None) -> None:
    """Refuse what a solver cannot learn from or choose by."""
    check_is("mdp", mdp, MDP, "an MDP, such as MDP(ensemble.votes(X), labels)")
    if selection is not None:
        check_is("selection", selection, MDP, "an MDP of the rows that choose, or None")


def checked_policy(policy: Any, solver: Solver) -> Policy:
    """What a solver returned, if it is a Policy."""
    if not isinstance(policy, Policy):
        raise TypeError(
            f"{type(solver).__name__} returned {described(policy)}; wanted a Policy, such as "
            "Policy(actions, grid, order)"
        )
    return policy


def solved(solver: Solver, mdp: MDP, selection: MDP | None = None) -> Policy:
    """The policy of any solver, one that the user wrote included."""
    return checked_policy(solver.solve(mdp, selection), solver)


def seeded(solver: Solver, random: np.random.RandomState) -> Solver:
    """The solver; a copy with a seed drawn from `random` if it has none of its own."""
    if getattr(solver, "random_state", 0) is not None:
        return solver
    return _with(solver, random_state=int(random.randint(2**31 - 1)))


def deciding_every(solver: Solver, every: int) -> Solver:
    """The solver; for `every` above 1 a copy that decides once for so many base classifiers."""
    check_whole("every", every, 1)
    if every == 1:
        return solver
    if not hasattr(solver, "every"):
        raise ValueError(
            f"every is {every}, but {solver!r} decides at each base classifier; wanted a solver "
            "that has `every`, or every=1"
        )
    return _with(solver, every=every)


def instructed(solver: Solver, *, verbose: bool, on_interrupt: str) -> Solver:
    """The solver; a copy that reports, or returns what it has on Ctrl-C, if asked to and able to.

    What a solver was told by its own parameters stays where nothing is asked here.
    """
    asked: dict[str, Any] = {"verbose": True} if verbose else {}
    if on_interrupt == "return":
        asked["on_interrupt"] = on_interrupt
    return _with(solver, **{name: asked[name] for name in asked if hasattr(solver, name)})


def quiet(solver: Solver) -> Solver:
    """The solver; a copy that does not report if it would."""
    return _with(solver, verbose=False) if getattr(solver, "verbose", False) else solver


def _with(solver: Solver, **parameters: Any) -> Solver:
    """A copy of the solver with other parameters; itself where there are none."""
    if not parameters:
        return solver
    other: Any = copy(solver)
    for name, value in parameters.items():
        setattr(other, name, value)
    changed: Solver = other
    return changed
