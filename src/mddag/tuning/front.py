"""Candidates of a model from expensive to cheap, and the rows that learn, choose and certify.

A `Front` makes candidates, a `Target` chooses one of them. Each kind of model has a front of its
own, which says what a candidate costs and what it loses on the parts of a `Split`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from mddag._utils.arrays import stratified

Part = Literal["seen", "choose", "certify"]
Rows = NDArray[np.intp]
Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Shares = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Split:
    """Rows by what they are for, each an array of row numbers.

    Attributes
    ----------
    learn : ndarray of intp
        Rows that policies are learned on.
    choose : ndarray of intp
        Rows that estimate candidates and choose among them.
    certify : ndarray of intp
        Rows that only test a guarantee; empty where nothing is guaranteed.
    """

    learn: Rows
    choose: Rows
    certify: Rows

    @classmethod
    def random(cls, n: int, shares: Shares, random: np.random.RandomState) -> Split:
        """Split n rows at random.

        Parameters
        ----------
        n : int
            Number of rows.
        shares : tuple of float
            Shares of the three parts, such as ``Target.shares``.
        random : RandomState
            Generator of the permutation.

        Returns
        -------
        Split
            The rows, sorted in each part.
        """
        fewest = 3 if shares[-1] else 2
        if n < fewest:
            raise ValueError(
                f"X has {n} row(s), too few to learn from some and choose by others; give "
                f"at least {fewest}"
            )
        learned, judged = np.round(np.cumsum(shares)[:-1] * n).astype(int)
        ends = min(learned, judged - 1), judged  # of few rows one chooses
        return cls(*(np.sort(rows) for rows in np.split(random.permutation(n), ends)))

    @classmethod
    def stratified(
        cls, strata: NDArray[Any], fraction: float, random: np.random.RandomState
    ) -> Split:
        """Let a fraction of every stratum choose, at random, and the rest learn."""
        choose = stratified(strata, fraction, random)
        if len(choose) == 0:
            raise ValueError(
                f"selection_fraction is {fraction}, which leaves none of {len(strata)} rows for "
                "choosing; give more rows or a larger fraction"
            )
        learn = np.setdiff1d(np.arange(len(strata)), choose)
        return cls(learn, choose, np.empty(0, np.intp))

    @property
    def seen(self) -> Rows:
        """The rows that learn and choose, sorted."""
        return np.sort(np.concatenate([self.learn, self.choose]))

    def rows(self, part: Part) -> Rows:
        """Return the rows of a part.

        Parameters
        ----------
        part : {"seen", "choose", "certify"}
            The part; "seen" are those that learn and choose.

        Returns
        -------
        ndarray of intp
            Row numbers, sorted.
        """
        if part == "seen":
            return self.seen
        return self.choose if part == "choose" else self.certify


class Candidate(ABC):
    """A policy on a front: what it costs, and what it loses beyond the full model.

    A target calls the methods for these parts only:

    - ``cost("seen")`` orders candidates, and ``lost("seen")`` leaves out hopeless ones, unless the
      front has a `Front.sequence` of its own;
    - ``cost("choose")`` and ``lost("choose")`` are compared with a price, a budget or a bound;
    - ``excess("certify")`` tests a guarantee; it may be computed when it is asked for, since most
      candidates are not tested;
    - ``excess("seen")`` only if the front searches near a bound (`Front.near`).

    A front whose estimates are all on the same rows ignores the difference between "seen" and
    "choose".

    Attributes
    ----------
    beta : float
        Price of one unit of cost at which the candidate was learned; 0 for the full model.
    """

    beta: float

    @abstractmethod
    def cost(self, part: Part) -> float:
        """Return the mean cost of a row, in the unit of budgets.

        Parameters
        ----------
        part : {"seen", "choose", "certify"}
            The rows.

        Returns
        -------
        float
            The weighted mean.
        """

    @abstractmethod
    def lost(self, part: Part) -> Vector:
        """Return the mean excess losses beyond the full model.

        Parameters
        ----------
        part : {"seen", "choose", "certify"}
            The rows.

        Returns
        -------
        ndarray of shape (n_losses,)
            A weighted mean for each of ``Target.losses``; the first one counts at a price and
            within a budget.
        """

    @abstractmethod
    def excess(self, part: Part) -> Matrix:
        """Return the excess losses of rows beyond the full model.

        Parameters
        ----------
        part : {"seen", "choose", "certify"}
            The rows (or queries).

        Returns
        -------
        ndarray of shape (n_losses, n_rows)
            One line for each of ``Target.losses``.
        """


C = TypeVar("C", bound=Candidate)


class Front(ABC, Generic[C]):
    """Candidates for a target to choose from.

    Attributes
    ----------
    candidates : list of Candidate
        What was found so far; the first is the full model, whose cost is the largest and whose
        excess losses are 0.
    ordered : bool
        Whether more expensive candidates are known to lose less, as those that were judged before
        by better estimates than means over the choosing rows. Within a budget the most expensive
        one is then taken; otherwise the one that loses least on the choosing rows.
    n_certifying : int
        Number of rows that certify.
    """

    candidates: list[C]
    ordered: bool = False
    n_certifying: int = 0

    @property
    def full(self) -> C:
        """The full model."""
        return self.candidates[0]

    def nothing(self) -> C | None:
        """Return the candidate that costs nothing and gives every row the same answer, or None.

        It is not among the candidates. Where there is none, a budget below the cheapest candidate
        raises ValueError.
        """
        return None

    def at_price(self, beta: float) -> C:
        """Return the best candidate at a price; a solver that learns price by price overrides it.

        Parameters
        ----------
        beta : float
            Price of one unit of cost in units of the loss.

        Returns
        -------
        Candidate
            The one with the smallest sum of loss and cost on the choosing rows, the first in a tie.
        """

        def objective(candidate: C) -> float:
            return float(candidate.lost("choose")[0]) + beta * candidate.cost("choose")

        return min(self.candidates, key=objective)

    def near(self, accepts: Callable[[C], bool]) -> None:
        """Add candidates near the place where they cease to be acceptable.

        Called once before a bound is applied. The default adds none, which suits fronts that have
        all their candidates from the beginning.

        Parameters
        ----------
        accepts : callable
            Function of a candidate: whether a cheaper one may be looked for.
        """
        return

    def near_budget(self, budget: float) -> None:
        """Add candidates near a budget; called once before it is applied.

        Parameters
        ----------
        budget : float
            Largest mean cost on the choosing rows.
        """
        self.near(lambda candidate: candidate.cost("choose") > budget)

    def sequence(self, bound: float, confidence: float | None) -> list[C]:
        """Return the candidates in the order in which a bound tests them, without the full model.

        The order, and what is left out, must not depend on the rows that test. By default they
        come from expensive to cheap by the rows seen, without those that lose more than the bound
        there, which would only end the sequence.

        Parameters
        ----------
        bound : float
            Largest mean excess loss.
        confidence : float or None
            Confidence of the tests; None where means over the choosing rows are compared.

        Returns
        -------
        list of Candidate
            The candidates.
        """
        hopeful = [c for c in self.candidates[1:] if (c.lost("seen") <= bound).all()]
        return sorted(hopeful, key=lambda c: -c.cost("seen"))

    @property
    def cheapest(self) -> float:
        """Smallest mean cost, on the choosing rows, of a candidate that costs anything."""
        costs = [candidate.cost("choose") for candidate in self.candidates]
        return min(cost for cost in costs if cost > 0)
