"""The interface of solvers: an MDP goes in, a policy comes out.

Any object with ``solve(mdp, selection=None)`` is a solver; `as_solver` checks a user's object and
adds the other members of `Solver`. A `Family` chooses among policies that do not depend on beta, so
that one evaluation of their losses and costs serves all prices.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from mddag import _core
from mddag._utils.checks import check_is, check_whole, described
from mddag._utils.output import progress
from mddag.policy.arrangement import Arrangement, arranged, by_lines, by_log_odds
from mddag.policy.calibration import fit_factor, probabilities
from mddag.policy.grid import Grid
from mddag.policy.mdp import MDP
from mddag.policy.ordering import Correlation, Given
from mddag.policy.policy import Policy

SomeSolver = TypeVar("SomeSolver", bound="Solver")


class Solver(ABC):
    """Base class of solvers; every member but `solve` has a default.

    Callers set the parameters `every`, `random_state`, `n_jobs` and `verbose` in a copy of the
    solver, as far as it has them.

    Attributes
    ----------
    arranges : bool, default=False
        Whether it orders base classifiers and makes grids itself; callers then leave both alone. If
        a user asks for an order, they call its method `with_order(ordering)`.
    cells_per_class : int or None, default=None
        Cells of the grid for each top class; None for the usual number.
    linear_levels : bool, default=False
        Whether the levels of a new order are fitted by least squares for several classes, too.

    Notes
    -----
    Scores of policies are calibrated exit by exit. A solver that knows better has a method
    ``calibration(policy, left, mdp)``, of a `Rollout` of the rows, that returns a `Calibration`.

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
    cells_per_class: ClassVar[int | None] = None
    linear_levels: ClassVar[bool] = False

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

        If a solver overrides this, callers do not solve the prices in parallel.

        Parameters
        ----------
        mdp : MDP
            Rows to learn from.
        betas : sequence of float
            Prices of one evaluation, in units of the loss.
        selection : MDP, default=None
            Rows to choose among candidates by Eq. (8); None for those of `mdp`.

        Returns
        -------
        iterable of Policy
            The policies in the order of the prices.
        """

        def at_price(beta: float) -> Policy:
            chooser = None if selection is None else selection.with_beta(beta)
            return self.solve(mdp.with_beta(beta), chooser)

        return map(at_price, betas)

    def check(self) -> None:
        """Raise an error if a parameter is invalid."""
        return


def configured(
    solver: SomeSolver,
    *,
    every: int = 1,
    random: np.random.RandomState | None = None,
    n_jobs: int | None = None,
    verbose: bool | None = None,
) -> SomeSolver:
    """Return the solver, or a copy with these parameters as far as it has them."""
    check_whole("every", every, 1)
    if every > 1 and not hasattr(solver, "every"):
        raise ValueError(
            f"every is {every}, but {solver!r} decides at each base classifier; wanted a solver "
            "that has `every`, or every=1"
        )
    wanted: dict[str, Any] = {"n_jobs": n_jobs, "verbose": verbose}
    if every > 1:
        wanted["every"] = every
    if random is not None and getattr(solver, "random_state", 0) is None:
        wanted["random_state"] = int(random.randint(2**31 - 1))
    changed = {k: v for k, v in wanted.items() if v not in (None, getattr(solver, k, v))}
    if not changed:
        return solver
    other = copy(solver)
    for name, value in changed.items():
        setattr(other, name, value)
    return other


class Candidates(Sequence[Policy], ABC):
    """Base class of sequences of policies that are made on demand: together they may fill memory.

    A subclass has ``__len__``, `policy` and `evaluate_by`.

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

    @abstractmethod
    def policy(self, c: int) -> Policy:
        """Return a candidate.

        Parameters
        ----------
        c : int
            Its number, from 0.

        Returns
        -------
        Policy
            The candidate.
        """

    @abstractmethod
    def evaluate_by(self, mdps: Sequence[MDP]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Compute the mean losses by several MDPs and the mean cost of every candidate.

        Parameters
        ----------
        mdps : sequence of MDP
            The same rows; only labels and loss may differ.

        Returns
        -------
        losses : ndarray of shape (n_mdps, n_candidates)
            Mean losses.
        costs : ndarray of shape (n_candidates,)
            Mean costs.
        """

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
        losses, costs = self.evaluate_by([mdp])
        return losses[0], costs

    @overload
    def __getitem__(self, c: int) -> Policy: ...
    @overload
    def __getitem__(self, c: slice) -> list[Policy]: ...
    def __getitem__(self, c: int | slice) -> Policy | list[Policy]:
        if isinstance(c, slice):
            return [self.policy(one) for one in range(*c.indices(len(self)))]
        return self.policy(range(len(self))[c])


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
        candidates, chooser = self.candidates(mdp), mdp if selection is None else selection
        losses, costs = candidates.evaluate(chooser)
        # the first of equals, which is the most careful
        return candidates[int((losses + chooser.beta * costs).argmin())]


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
    """Best policy so far, beginning with the full ensemble, and the values of all candidates."""

    policy: Policy
    best: float
    history: list[float] = field(default_factory=list)

    @classmethod
    def begin(cls, mdp: MDP, selection: MDP) -> Search:
        """Begin with the full ensemble of `mdp`, which must suit `selection`."""
        full = mdp.evaluate_all()
        full.require(selection.n_steps, selection.n_scores)
        return cls(full, selection.evaluate(full).objective)

    def consider(self, policy: Policy, selection: MDP) -> None:
        """Keep the policy if it is better on these rows than the best so far."""
        objective = selection.evaluate(policy).objective
        self.history.append(objective)
        if objective < self.best:
            self.policy, self.best = policy, objective


class SearchingSolver(Solver):
    """Base class of solvers that make policies one after the other and keep the best."""

    verbose: bool

    @property
    @abstractmethod
    def _n_total(self) -> int:
        """How much there is to do, in the units in which `_made` counts."""

    @abstractmethod
    def _made(self, mdp: MDP) -> Iterable[tuple[int, Policy]]:
        """Yield how much is done, and a policy."""

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        check_samples(mdp, selection)
        return self.search(mdp, selection).policy

    def search(self, mdp: MDP, selection: MDP | None = None) -> Search:
        """Learn a policy and return it with the value of every candidate.

        Parameters
        ----------
        mdp : MDP
            Rows to learn from.
        selection : MDP, default=None
            Rows to choose among candidates by Eq. (8); None for those of `mdp`.

        Returns
        -------
        Search
            `policy` is the best one, `history` the values of Eq. (8).
        """
        self.check()
        selection = mdp if selection is None else selection
        search = Search.begin(mdp, selection)
        with progress(self.name, self._n_total, self.verbose) as report:
            for done, policy in self._made(mdp):
                search.consider(policy, selection)
                report(done, f"best {search.best:.4f}, now {search.history[-1]:.4f}")
        return search


def quit_loss(mdp: MDP) -> _core.Loss | Callable[[NDArray[np.float64], int], float]:
    """Return the loss of an MDP with its labels."""
    twin = mdp.loss.native(max(mdp.n_scores, 2))
    if twin is None:
        return lambda scores, i: float(mdp.losses(scores, np.array([i]))[0])
    classes, values, shares = np.empty(0, np.int64), np.empty(0), np.empty(0)
    if mdp.labels.ndim == 2:
        shares = np.ascontiguousarray(mdp.labels).ravel()
    elif mdp.labels.dtype.kind == "f":
        values = mdp.labels
    else:
        classes = mdp.labels.astype(np.int64)
    kind, scale, table = twin
    return kind, float(scale), table, classes, values, shares  # numpy's scalars are not the core's


def with_soft_targets(mdp: MDP, scores: NDArray[np.float64] | None = None) -> MDP:
    """Return the MDP with calibrated probabilities of the full ensemble in place of its labels.

    A class label is one draw from a distribution; the probabilities estimate the whole of it, so
    they are less noisy, but they repeat the errors of the full ensemble. Soft targets cost the
    kernels nothing. For regression the target is what the full score predicts.

    scores : of the full ensemble, (n, K); those of the MDP's own votes by default
    """
    scores = mdp.votes.scores() if scores is None else scores
    if mdp.of_numbers:
        return mdp.with_labels(mdp.loss.predictions(scores)[:, 0])
    shares = mdp.labels if mdp.labels.ndim == 2 else np.eye(max(mdp.n_scores, 2))[mdp.labels]
    # a row counts once per class, by its share of it
    mass = mdp.mass
    row, label = np.nonzero(shares * mass[:, None])
    factor = fit_factor(scores[row], label, shares[row, label] * mass[row])
    return mdp.with_labels(probabilities(scores, factor))


GRIDS = ("quantile", "uniform")


@dataclass(frozen=True, eq=False)
class Arranged:
    """An MDP in an arrangement of the source's base classifiers.

    Other rows, such as those for choosing, take the same order and grid (`like`), and a policy that
    was learned here is brought back to base classifiers as the source has them (`for_source`).
    """

    mdp: MDP
    arrangement: Arrangement | None = None  # of a solver that arranges by itself

    def like(self, other: MDP) -> MDP:
        """Other rows of the source in this order, on this grid."""
        if self.arrangement is None:
            return other
        return other.arranged(self.arrangement, self.mdp.grid)

    def for_source(self, policy: Policy) -> Policy:
        """Return a policy learned here, for base classifiers as the source has them."""
        policy = policy.on_fewest_cells()
        return policy if self.arrangement is None else policy.after(self.arrangement)


def arranged_for(
    solver: Solver, mdp: MDP, ordering: Any = None, grid: str = "quantile"
) -> Arranged:
    """Return the MDP with base classifiers in the order that decides, on one of GRIDS.

    ordering : None for Correlation(), whose levels are made for signs; for numbers, which boosting
               puts in order by itself, for Given()
    """
    if solver.arranges:
        return Arranged(mdp)
    if ordering is None:
        ordering = Given() if mdp.of_numbers else Correlation()
    levels = by_lines if mdp.n_scores == 1 or solver.linear_levels else by_log_odds
    arrangement = arranged(ordering, mdp.votes, mdp.costs, mdp.weight, levels=levels)
    mdp = mdp.arranged(arrangement)
    n_cells = solver.cells_per_class
    if grid == "uniform":
        return Arranged(mdp.on_grid(Grid.uniform(mdp.votes, n_cells)), arrangement)
    cells = Grid.quantile(mdp.votes, n_cells, weight=mdp.weight)
    return Arranged(mdp.on_grid(cells), arrangement)
