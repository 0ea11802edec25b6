"""Portfolio: arrange first, run several solvers, let held-out rows choose among their candidates.

No solver is best everywhere. Cell-wise descent wins where rows are many, a rule of one parameter
where they are few; a gradient-boosted sequence wants another order, one that AdaBoost sorted may
not; often a few base classifiers with other weights do as well as all (``Condensation``). So each
member runs in each arrangement on the rows for learning, and the candidate with the smallest
expected value of Eq. (8) by the rows for selection is the answer (see ``_judge.py``): no member
loses to a simpler one but by the noise of those rows. The full ensemble is always a candidate.

For probabilities (``Logistic``) scores are read as a calibration by exit will read them, few base
classifiers follow a teacher's log-odds, and the members are others: see ``_reading.py``,
``_mixture.py``, ``_log_odds.py`` and ``stopping.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mddag._internal.checks import check_fraction, check_is, check_whole, checked_threads
from mddag._internal.interruption import check_on_interrupt, keeping
from mddag._internal.parameters import Parameters
from mddag._internal.progress import progress
from mddag._internal.row_sampling import stratified
from mddag.losses import Logistic
from mddag.mdp.mdp import MDP
from mddag.mdp.policy import Policy
from mddag.ordering import Correlation, Given
from mddag.ordering.condensation import usual_sizes
from mddag.ordering.order import checked_ordering
from mddag.solvers.descent.descent import Descent
from mddag.solvers.exits.margin import Margin
from mddag.solvers.exits.nested import Exits
from mddag.solvers.exits.prefix import Prefix
from mddag.solvers.exits.qwyc import QWYC
from mddag.solvers.exits.residual import Residual
from mddag.solvers.exits.stopping import Stopping
from mddag.solvers.portfolio.descent_member import descend, explored, runs_in
from mddag.solvers.portfolio.mixture import advised
from mddag.solvers.portfolio.pool import Ordered, Pool
from mddag.solvers.portfolio.problems import Part, Problems, Way
from mddag.solvers.solver import check_samples, checked_solver, deciding_every, seeded

MEMBERS = (
    Prefix(),
    Margin(),
    Residual(),
    QWYC(),
    Descent(targets="teacher", n_starts=0, n_sweeps=2, n_cells=16, z=1.0),
    Descent(n_sweeps=2),
)
FOR_PROBABILITIES = (Prefix(), Margin(), Residual(), Stopping(), Stopping(shape="thresholds"))
ORDERINGS = (Correlation(), Given())


@dataclass
class Portfolio(Parameters):
    """Several solvers in several orders.

    members            : solvers; None for prefix, margin rule, residual model, QWYC (two classes)
                         and descent on the full ensemble's opinion and on labels; for numbers the
                         first and the last; for the logistic loss the first three and optimal
                         stopping
    orderings          : orders of all base classifiers to try; None for Correlation() and Given()
    sizes              : numbers of base classifiers to condense the ensemble to, multiples of
                         `every`; () for none, None for a third of them, a sixth and so on (for
                         probabilities and more than two classes half of them too)
    every              : steps that one decision covers, see Policy
    selection_fraction : rows held out for choosing where no selection rows are given
    random_state       : a seed, or None for a new one at each call
    n_threads          : -1 for all cores; the answer does not depend on it
    verbose            : report the members on standard error
    on_interrupt       : Ctrl-C: "raise", or "return" the best candidate so far
    """

    members: tuple[Any, ...] | None = None
    orderings: tuple[Any, ...] | None = None
    sizes: tuple[int, ...] | None = None
    every: int = 1
    selection_fraction: float = 0.3
    random_state: int | None = None
    n_threads: int = 1
    verbose: bool = False
    on_interrupt: str = "raise"

    orders: ClassVar[bool] = True  # whoever calls need not order first

    def solve(self, mdp: MDP, selection: MDP | None = None) -> Policy:
        """The best candidate by Eq. (8) on `selection`, or on rows of the MDP that are held out."""
        check_samples(mdp, selection)
        return self.pool(mdp, [mdp.beta], selection).policy(mdp.beta)

    def solve_path(
        self, mdp: MDP, betas: Sequence[float], selection: MDP | None = None
    ) -> list[Policy]:
        """The same at each of several prices, for less than their number of solves."""
        pool = self.pool(mdp, betas, selection)
        return [pool.policy(beta) for beta in betas]

    def pool(self, mdp: MDP, betas: Sequence[float], selection: MDP | None = None) -> Pool:
        """All candidates, judged; with on_interrupt="return" those until Ctrl-C."""
        self.check()
        random = np.random.RandomState(self.random_state)
        learning, selected = self._parted(mdp, selection, random)
        if isinstance(mdp.loss, Logistic):
            learning, selected = map(Part, advised(learning.taken(), selected.taken()))
        problems, ways = Problems(learning, selected), self._ways(mdp)
        pool, dear_first = Pool(problems.of(Way(Given()))), sorted(set(betas), reverse=True)
        runs = [
            (member, way)
            for way in ways
            for member in self._members(mdp, random)
            if not isinstance(member, Descent) or runs_in(member, way, ways, mdp)
        ]
        first = explored([way for member, way in runs if isinstance(member, Descent)])
        with (
            keeping(self.on_interrupt, lambda: _told(len(pool.entries) - 1)),
            progress("Portfolio", len(runs), self.verbose) as report,
        ):
            for done, (member, way) in enumerate(runs, 1):
                self._run(member, problems.of(way), dear_first, pool, explores=way is first)
                report(done, f"{len(pool.costs)} candidates after {type(member).__name__}")
        return pool

    def _run(
        self, member: Any, problem: Ordered, betas: list[float], pool: Pool, *, explores: bool
    ) -> None:
        if isinstance(member, Descent):
            descend(member, problem, betas, pool, explores=explores)
        elif hasattr(member, "candidates"):
            candidates = member.candidates(problem.learning)
            add = pool.add if isinstance(candidates, Exits) else pool.add_policies
            add(repr(member), candidates, problem)
        elif hasattr(member, "solve_path"):
            policies = member.solve_path(problem.learning, betas)
            pool.add_policies(repr(member), policies, problem, by_labels=True)
        else:  # without the rows that are to judge what it found
            for beta in betas:
                policies = [member.solve(problem.learning.with_beta(beta))]
                pool.add_policies(repr(member), policies, problem, by_labels=True)

    def _parted(
        self, mdp: MDP, selection: MDP | None, random: np.random.RandomState
    ) -> tuple[Part, Part]:
        """Rows for learning and for choosing."""
        if selection is not None:
            mdp.evaluate_all().require(selection.n_steps, selection.n_scores)
            return Part(_counted(mdp)), Part(_counted(selection))
        mdp = _counted(mdp)  # or one part might be of rows that do not count
        out = stratified(_strata(mdp), self.selection_fraction, random)
        if len(out) == 0:  # too few to part: they choose among what they taught
            return Part(mdp), Part(mdp)
        rest = np.setdiff1d(np.arange(mdp.n_instances), out)
        return Part(mdp, rest), Part(mdp, out)

    def _members(self, mdp: MDP, random: np.random.RandomState) -> list[Any]:
        chosen = _default_members(mdp) if self.members is None else self.members
        members = [deciding_every(seeded(member, random), self.every) for member in chosen]
        return [_threaded(member, self.n_threads) for member in members]

    def _ways(self, mdp: MDP) -> list[Way]:
        """All orders, and each size in the order that suits its targets."""
        orderings = ORDERINGS if self.orderings is None else self.orderings
        sizes = self.sizes
        if "quit" not in mdp.actions:  # every instance goes to the end of all of them
            if sizes:
                raise ValueError(
                    f"sizes are {sizes}, but without 'quit' among the actions every instance goes "
                    "to the end; wanted sizes=() or None"
                )
            sizes = ()
        if sizes is None:
            closely = isinstance(mdp.loss, Logistic)
            sizes = usual_sizes(mdp.n_steps, self.every, mdp.n_scores, closely=closely)
        wrong = [size for size in sizes if not size < mdp.n_steps or size % self.every]
        if wrong:
            raise ValueError(
                f"sizes contain {wrong[0]}; wanted fewer than the {mdp.n_steps} base classifiers, "
                f"and multiples of every={self.every}"
            )
        ordering = Given() if mdp.of_numbers else Correlation()
        return [*map(Way, orderings), *(Way(ordering, size) for size in sizes)]

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        check_whole("every", self.every, 1)
        check_fraction("selection_fraction", self.selection_fraction, zero=False)
        checked_threads(self.n_threads)
        check_on_interrupt(self.on_interrupt)
        if self.random_state is not None:
            check_whole("random_state", self.random_state, 0)
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
        checked_solver(member)
        if getattr(member, "every", self.every) not in (1, self.every):
            raise ValueError(
                f"{member!r} decides every {member.every} steps and the portfolio every "
                f"{self.every}; wanted Portfolio(every={member.every}), which its members follow"
            )
        deciding_every(member, self.every)


def _told(n_steps: int) -> str:
    """Of a portfolio that was stopped, what there is."""
    if n_steps == 0:
        return ""
    return f"Portfolio was stopped after {n_steps} steps; returning the best policy so far"


def _default_members(mdp: MDP) -> tuple[Any, ...]:
    if isinstance(mdp.loss, Logistic):
        return FOR_PROBABILITIES
    unfit: tuple[type, ...] = ()
    if mdp.of_numbers:
        unfit = (Margin, Residual, QWYC)
    elif mdp.n_scores > 1:
        unfit = (QWYC,)
    return tuple(member for member in MEMBERS if not isinstance(member, unfit))


def _counted(mdp: MDP) -> MDP:
    """Without the instances of weight 0."""
    return mdp if mdp.weight.all() else mdp.rows(mdp.counting())


def _strata(mdp: MDP) -> NDArray[Any]:
    """What is to be held out in equal shares: classes, or for numbers nothing."""
    labels: NDArray[Any] = mdp.labels
    if labels.ndim == 2:
        labels = labels.argmax(axis=1)
    return np.zeros(mdp.n_instances, np.intp) if mdp.of_numbers else labels


def _threaded(member: Any, n_threads: int) -> Any:
    if getattr(member, "n_threads", n_threads) == n_threads:
        return member
    other = copy(member)
    other.n_threads = n_threads
    return other
