"""Portfolio: several solvers in several arrangements; held-out rows choose among their candidates.

No solver is best everywhere: descent wins with many rows, a rule of one number with few; gradient
boosting needs another order, AdaBoost may not; often a few base classifiers with other weights
(``Condensation``) or leaf values (``Refitting``) do as well as all. So every member runs in every
arrangement, and the candidate with the smallest estimate of Eq. (8) on the selection rows is the
answer; the full ensemble is always a candidate. For a loss of probabilities (``Logistic``) members
and targets differ (``log_loss``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeGuard

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import stratified
from mddag._utils.checks import (
    Parameters,
    check_fraction,
    check_is,
    check_whole,
    checked_jobs,
)
from mddag._utils.output import progress
from mddag.policy.arrangement import usual_sizes
from mddag.policy.mdp import MDP
from mddag.policy.ordering import Correlation, Given, checked_ordering
from mddag.policy.policy import Policy
from mddag.solvers.arrangements import (
    ArrangementRule,
    RowsByArrangement,
    RowSubset,
    are_refitted,
    mixture_shares,
    refitted_sizes,
)
from mddag.solvers.candidates import ArrangedRows, Entries
from mddag.solvers.descent import CAREFUL, FEW, FREE, Descent, Guards
from mddag.solvers.exits import QWYC, ExitCandidates, Margin, Prefix, Residual
from mddag.solvers.solver import Family, Solver, as_solver, check_samples, configured

FOR_LARGE_TREES = (Margin(), Residual(), QWYC())
DESCENTS = (
    Descent(targets="model", n_starts=0, n_sweeps=2, n_cells=16, z=1.0),
    Descent(n_sweeps=2),
)
FOR_WEAK = (Margin(), Residual(), *DESCENTS)
FOR_PROBABILITIES = (Prefix(), Margin(), Residual())
FOR_NUMBERS = (Prefix(), *DESCENTS)
ORDERINGS = (Correlation(), Given())
WEAK = 4.0  # leaves of a tree, in the mean


@dataclass
class Portfolio(Parameters, Solver):
    """Run several solvers in several orders and take the best candidate; the default solver.

    Parameters
    ----------
    members : tuple of Solver, default=None
        Solvers to run. By default `Margin`, `Residual` and `Descent`, with `QWYC` instead of
        descent for large trees; `Prefix` and descent for regression; `Prefix`, `Margin` and
        `Residual` for the logistic loss.
    orderings : tuple of Ordering, default=None
        Orders of all base classifiers to try; by default `Correlation()` and `Given()`, only the
        first for the logistic loss and for binary problems with large trees.
    sizes : tuple of int, default=None
        Numbers of base classifiers to condense the ensemble to, multiples of `every`; () for none.
        By default a third of them, a sixth and so on (also half for probabilities and multiclass),
        but none for large trees with soft targets.
    every : int, default=1
        Number of steps that one decision covers.
    selection_fraction : float, default=0.3
        Share of the rows held out for choosing if no selection rows are given.
    random_state : int or None, default=None
        Seed; None for a new one at each call.
    n_jobs : int, default=1
        Number of threads, -1 for all cores; the answer does not depend on it.
    verbose : bool, default=False
        Whether to report the members on standard error.
    max_rows : int or None, default=50_000
        Largest number of rows to learn from, and of rows to choose by, evenly spaced; None for all.

    Examples
    --------
    >>> import mddag
    >>> from mddag.solvers import Margin, Portfolio, Prefix
    >>> mdp = mddag.MDP([[2.0, 0.1], [-1.5, 0.1], [-0.1, 1.0]] * 9, [1, 0, 1] * 9, beta=0.05)
    >>> policy = Portfolio(members=(Prefix(), Margin()), random_state=0).solve(mdp)
    >>> mdp.evaluate(policy).loss
    0.0
    """

    members: tuple[Any, ...] | None = None
    orderings: tuple[Any, ...] | None = None
    sizes: tuple[int, ...] | None = None
    every: int = 1
    selection_fraction: float = 0.3
    random_state: int | None = None
    n_jobs: int = 1
    verbose: bool = False
    max_rows: int | None = 50_000

    arranges: ClassVar[bool] = True

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        check_samples(mdp, selection)  # before beta is read
        return self.judged(mdp, [mdp.beta], selection).policy(mdp.beta)

    def solve_path(
        self, mdp: MDP, betas: Sequence[float], selection: MDP | None = None
    ) -> list[Policy]:
        entries = self.judged(mdp, betas, selection)
        return [entries.policy(beta) for beta in betas]

    def judged(self, mdp: MDP, betas: Sequence[float], selection: MDP | None = None) -> Entries:
        """Return all candidates with their estimated losses and costs.

        Parameters
        ----------
        mdp : MDP
            Rows to learn from.
        betas : sequence of float
            Prices of one evaluation, in units of the loss.
        selection : MDP, default=None
            Rows to estimate losses and costs on; None for held-out rows of `mdp`.

        Returns
        -------
        Entries
            The candidates.
        """
        self.check()
        check_samples(mdp, selection)
        random = np.random.RandomState(self.random_state)
        learning, selected = (
            rows.at_most(self.max_rows) for rows in self._parted(mdp, selection, random)
        )
        if mdp.loss.of_probabilities:
            shares = mixture_shares(learning.mdp(), selected.mdp())
            learning, selected = (
                replace(rows, labels=p)
                for rows, p in zip((learning, selected), shares, strict=True)
            )
        arranged = RowsByArrangement(learning, selected, self.n_jobs)
        rules = self._rules(mdp) + self._refitted_rules(arranged)
        entries = Entries(arranged.of(ArrangementRule(Given())))
        falling_betas = sorted(set(betas), reverse=True)
        runs = [
            (member, rule)
            for rule in rules
            for member in self._members(mdp, random)
            if not isinstance(member, Descent) or runs_in(rule, rules, mdp)
        ]
        first = explored([rule for member, rule in runs if isinstance(member, Descent)])
        with progress("Portfolio", len(runs), self.verbose) as report:
            for done, (member, rule) in enumerate(runs, 1):
                if self.members is None and is_thorough(member, rule, arranged.learning):
                    explore_thoroughly(member, arranged.of(rule), falling_betas, entries)
                self._run(member, arranged.of(rule), falling_betas, entries, explores=rule is first)
                report(done, f"{len(entries.costs)} candidates after {member.name}")
        return entries

    def with_order(self, ordering: Any) -> Self:
        """Return a copy that tries one order of all base classifiers.

        Parameters
        ----------
        ordering : Ordering
            The order.

        Returns
        -------
        Self
            The copy.
        """
        if self.orderings is not None:
            raise ValueError(
                f"ordering is {ordering!r}, but {self!r} has orders of its own; give one of the two"
            )
        return replace(self, orderings=(ordering,))

    def _run(
        self,
        member: Solver,
        rows: ArrangedRows,
        betas: list[float],
        entries: Entries,
        *,
        explores: bool,
    ) -> None:
        if isinstance(member, Descent):
            descend(member, rows, betas, entries, explores=explores)
        elif isinstance(member, Family):
            candidates = member.candidates(rows.learning)
            if isinstance(candidates, ExitCandidates):  # all in one walk through the partial sums
                entries.add(repr(member), candidates, rows)
            else:
                policies = (candidates[c] for c in range(len(candidates)))
                entries.add_policies(repr(member), policies, rows)
        else:  # without the rows for choosing, which estimate the loss of what was found
            for policy in member.solve_path(rows.learning, betas):
                entries.add_policies(repr(member), [policy], rows, by_labels=True)

    def _parted(
        self, mdp: MDP, selection: MDP | None, random: np.random.RandomState
    ) -> tuple[RowSubset, RowSubset]:
        """Split the rows into those for learning and those for choosing."""
        if selection is not None:
            mdp.evaluate_all().require(selection.n_steps, selection.n_scores)
            return RowSubset(_counted(mdp)), RowSubset(_counted(selection))
        mdp = _counted(mdp)  # or one part might be of rows that do not count
        out = stratified(_strata(mdp), self.selection_fraction, random)
        if len(out) == 0:  # too few to part: the same rows learn and choose
            return RowSubset(mdp), RowSubset(mdp)
        rest = np.setdiff1d(np.arange(mdp.n_rows), out)
        return RowSubset(mdp, rest), RowSubset(mdp, out)

    def _members(self, mdp: MDP, random: np.random.RandomState) -> list[Solver]:
        chosen = _default_members(mdp) if self.members is None else self.members
        return [
            configured(as_solver(member), random=random, every=self.every, n_jobs=self.n_jobs)
            for member in chosen
        ]

    def _rules(self, mdp: MDP) -> list[ArrangementRule]:
        """Return rules for all orders, and for each size in the order that suits its targets."""
        orderings, sizes = self.orderings, self.sizes
        large, by_probabilities = has_large_trees(mdp), mdp.loss.of_probabilities
        if orderings is None:
            one = by_probabilities or (large and mdp.n_scores == 1)
            orderings = ORDERINGS[:1] if one else ORDERINGS
        if sizes is None and large and mdp.labels.ndim == 2:
            sizes = ()
        if "quit" not in mdp.actions:  # every instance goes to the end of all of them
            if sizes:
                raise ValueError(
                    f"sizes are {sizes}, but without 'quit' among the actions every instance goes "
                    "to the end; wanted sizes=() or None"
                )
            sizes = ()
        if sizes is None:
            sizes = usual_sizes(mdp.n_steps, self.every, mdp.n_scores, closely=by_probabilities)
        wrong = [size for size in sizes if not size < mdp.n_steps or size % self.every]
        if wrong:
            raise ValueError(
                f"sizes contain {wrong[0]}; wanted fewer than the {mdp.n_steps} base classifiers, "
                f"and multiples of every={self.every}"
            )
        ordering = Given() if mdp.of_numbers else Correlation()
        condensed = (ArrangementRule(ordering, size) for size in sizes)
        return [*map(ArrangementRule, orderings), *condensed]

    def _refitted_rules(self, rows: RowsByArrangement) -> list[ArrangementRule]:
        """Return rules for few base classifiers with refitted leaf values, if leaves are known."""
        mdp = rows.learning.whole
        if self.sizes is not None or "quit" not in mdp.actions:
            return []
        if not are_refitted(mdp, rows.selection.whole):
            return []
        sizes = refitted_sizes(mdp, len(rows.learning), self.every)
        return [ArrangementRule(Correlation(), size, refits=True) for size in sizes]

    def check(self) -> None:
        check_whole("every", self.every, 1)
        check_fraction("selection_fraction", self.selection_fraction, zero=False)
        checked_jobs(self.n_jobs)
        if self.random_state is not None:
            check_whole("random_state", self.random_state, 0)
        if self.max_rows is not None:
            check_whole("max_rows", self.max_rows, 1)
        for name in ("members", "orderings", "sizes"):
            if getattr(self, name) is not None:
                check_is(name, getattr(self, name), (tuple, list), "a tuple of them, or None")
        for member in self.members or ():
            self._check_member(member)
        for ordering in self.orderings or ():
            checked_ordering(ordering)
        for size in self.sizes or ():
            check_whole("each of sizes", size, 1)
        for name, some in (("members", self.members), ("orderings", self.orderings)):
            if some is not None and len(some) == 0:
                raise ValueError(f"{name} is empty; wanted at least one, or None")

    def _check_member(self, member: Any) -> None:
        solver = as_solver(member)
        every = getattr(solver, "every", 1)
        if every not in (1, self.every):
            raise ValueError(
                f"{member!r} decides every {every} steps and the portfolio every {self.every}; "
                f"wanted Portfolio(every={every}), which its members follow"
            )
        configured(solver, every=self.every)


def _default_members(mdp: MDP) -> tuple[Solver, ...]:
    """Return the members that the ablation justifies (docs/research/portfolio.md)."""
    if mdp.loss.of_probabilities:
        return FOR_PROBABILITIES
    members: tuple[Solver, ...] = FOR_NUMBERS if mdp.of_numbers else FOR_WEAK
    if has_large_trees(mdp):
        members = FOR_LARGE_TREES
    if mdp.n_scores > 1:  # QWYC has thresholds on one score
        members = tuple(member for member in members if not isinstance(member, QWYC))
    if mdp.labels.ndim == 2:  # soft targets: both descents would do the same
        members = tuple(member for member in members if member is not DESCENTS[0])
    return members


def has_large_trees(mdp: MDP) -> bool:
    """Return whether base classifiers are trees of more than a few leaves.

    Their sum is hard to improve: descents gain nothing there, and condensed arrangements only where
    labels correct the sum.
    """
    if mdp.of_numbers or mdp.loss.of_probabilities:
        return False
    tables = mdp.votes.tables
    return tables.of_trees and float(np.mean(tables.n_leaves)) > WEAK


def _counted(mdp: MDP) -> MDP:
    """Drop rows of weight 0."""
    return mdp if mdp.weight.all() else mdp.rows(mdp.counting())


def _strata(mdp: MDP) -> NDArray[Any]:
    """Return the classes, to be held out in equal shares; nothing for regression."""
    labels: NDArray[Any] = mdp.labels
    if labels.ndim == 2:
        labels = labels.argmax(axis=1)
    return np.zeros(mdp.n_rows, np.intp) if mdp.of_numbers else labels


N_PRICES = 6  # at which descents run; what they find competes at all
N_VOTES = 4_000_000  # instances times base classifiers, where none are left out
N_STARTS = 48  # explorations of a small problem, over all prices
THOROUGH_SWEEPS = 4
SMALL = 256, 600_000  # base classifiers; instances times base classifiers


def runs_in(rule: ArrangementRule, rules: list[ArrangementRule], mdp: MDP) -> bool:
    """Return whether descents run in one of the arrangements."""
    if rule.size or not any(other.size for other in rules):
        return True
    return mdp.n_scores == 1 and not mdp.of_numbers


def explored(rules: list[ArrangementRule]) -> ArrangementRule | None:
    """Return the arrangement to explore: that of the source if descents run in it."""
    given = [rule for rule in rules if rule.size is None and isinstance(rule.ordering, Given)]
    return next(iter(given or rules), None)


def is_thorough(member: Solver, rule: ArrangementRule, learning: RowSubset) -> TypeGuard[Descent]:
    """Return whether a descent explores thoroughly: on labels, by correlation, if all is small."""
    few, small = SMALL
    n_steps, n_rows = learning.whole.n_steps, len(learning)
    if n_steps > few or n_rows * n_steps > small or rule.size is not None:
        return False
    if learning.whole.labels.ndim == 2:
        return False
    explores = isinstance(member, Descent) and member.targets == "labels"
    return explores and isinstance(rule.ordering, Correlation)


def explore_thoroughly(
    member: Descent,
    rows: ArrangedRows,
    betas: list[float],
    entries: Entries,
) -> None:
    """Run descents from many starts, shared among some of the prices.

    The rows for learning choose one of their ends by Eq. (8): ends differ more among starts than
    between rows, and choosing among all of them by the few rows for choosing would be biased.
    """
    prices = thinned(betas)
    how = replace(member, n_starts=-(-N_STARTS // len(prices)), n_sweeps=THOROUGH_SWEEPS)
    for beta in prices:
        learning = rows.learning.with_beta(beta)
        found = [how.search(learning).policy]
        entries.add_policies(repr(how), found, rows, by_labels=True)


def descend(
    member: Descent,
    rows: ArrangedRows,
    betas: list[float],
    entries: Entries,
    *,
    explores: bool,
) -> None:
    """Run descents at several prices, from the best that is known in this arrangement.

    They explore only at the highest price, in one arrangement, every cell for itself: what is found
    there is short, quick to find and a start for the next, and the cheaper evaluations are, the
    less there is to gain by leaving some out. From a good start careful guards are enough.
    """

    def found(how: Descent, learning: MDP) -> None:
        by_labels = member.targets == "labels"
        policies = how.policies(learning)
        entries.add_policies(repr(member), policies, rows, by_labels=by_labels)

    most = rows.learning.n_rows
    if rows.arrangement.n_kept is None:
        most = max(N_VOTES // rows.learning.n_steps, 1)
    if explores and member.n_starts > 0:  # first, while there are no copies of other rows
        few = _some(_some(rows.learning, most), FEW)
        found(_guarded(member, FREE), few.with_beta(betas[0]))
        del few
    learning, careful = _some(rows.learning, most), _guarded(member, CAREFUL)
    for beta in thinned(betas):
        start = entries.best_in(rows.arrangement, beta)
        if start is None or not _continues(start, member.every):
            start = learning.evaluate_all(member.every)
        found(replace(careful, start=start), learning.with_beta(beta))


def _some(mdp: MDP, most: int) -> MDP:
    """Return at most `most` of the rows that count; votes are copied where some are left out."""
    return mdp if mdp.n_rows <= most else mdp.rows(mdp.counting(most))


def _guarded(member: Descent, guards: Guards) -> Descent:
    """Return the member with these guards, as far as it does not name its own."""
    n_cells = guards.n_cells if member.n_cells is None else member.n_cells
    return replace(member, n_cells=n_cells, z=guards.z_skip if member.z is None else member.z)


def _continues(start: Policy, every: int) -> bool:
    """Return whether a descent with this `every` can start from a policy."""
    as_arranged = start.rescaling is None and np.array_equal(start.order, np.arange(start.n_steps))
    return as_arranged and start.every == every


def thinned(betas: list[float]) -> list[float]:
    """Return the first, the last and some prices evenly between, N_PRICES at most."""
    if len(betas) <= N_PRICES:
        return betas
    return [betas[i] for i in np.linspace(0, len(betas) - 1, N_PRICES).astype(int)]
